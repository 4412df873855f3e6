"""A second, simpler path to the numbers of a certificate, which only checks it (chapter any-size).

Everything is computed again from the numbers that define the law and from those that its sampler compares
random words with: none of the law's own sums are used. This is done in ordinary doubles and logarithms, to
within ``SLACK``; :mod:`orr_audit` does it in integers and rounded decimals, to the last digit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import singledispatch

import numpy as np
import scipy

from orr.arrays import Floats, Integers
from orr.laws.ball import Ball
from orr.laws.ball_mixture import BallMixture
from orr.laws.cells import Cells
from orr.laws.law import Law, Lifted
from orr.laws.single_flip import SingleFlip
from orr.laws.split import SplitLaw
from orr.problem import Problem
from orr.randomness import AliasTable, Categories

SLACK = 1e-9  # relative error of logarithms added up in plain doubles
MAX_UNEVEN_SUMS = 2**21  # of weights that are not whole: a second; constructions list up to 100,000 flip sets
DENSE_RADIUS = 2**20  # below this threshold the sums of whole weights are counted one by one


def lower_bound(problem: Problem, weights: Floats) -> float:
    """Return the overall level that weights prove, from the law of the weight of a random flip set.

    Examples
    --------
    >>> problem = Problem([2, 3], [4.0, 1.0])
    >>> round(lower_bound(problem, np.array([3.0, 1.0])), 6)
    3.100347
    """
    if not (np.isfinite(weights).all() and weights.min() >= 0 and weights.any()):
        raise ValueError("weights must be finite numbers of at least 0, not all of them 0")
    radius = float(weights @ problem.q)
    if (problem.sizes == problem.sizes[0]).all() and (weights == weights[0]).all():
        flips = np.arange(math.ceil(radius / weights[0]))
        score, log_p = flips * weights[0], log_pmf(flips, len(problem), int(problem.sizes[0]))
    elif (weights == np.rint(weights)).all() and radius < DENSE_RADIUS:
        score = np.arange(math.ceil(radius))
        log_p = log_convolved(weights, -np.log(problem.sizes), np.log(problem.p), len(score))
    else:
        score, log_p = _merged(problem, weights, radius)
    short = scipy.special.logsumexp(log_p + np.log(radius - score))
    return float(np.logaddexp(0, math.log(weights @ problem.d) - short))


def log_pmf(flips: Integers, n: int, size: int) -> Floats:
    """Return the logarithm of the probability of numbers of flips among n attributes, by gamma functions."""
    gammaln = scipy.special.gammaln
    ways = gammaln(n + 1) - gammaln(flips + 1) - gammaln(n - flips + 1)
    return ways + flips * math.log1p(-1 / size) - (n - flips) * math.log(size)


def log_convolved(weights: Floats | Integers, log_keep: Floats, log_flip: Floats, states: int) -> Floats:
    """Return the logarithms of the probabilities of whole weights below ``states``, for independent flips."""
    log_p = np.full(states, -np.inf)
    log_p[0] = 0
    for weight, keep, flip in zip(weights.tolist(), log_keep, log_flip, strict=True):
        moved = np.full(states, -np.inf)
        if weight < states:
            moved[int(weight) :] = log_p[: states - int(weight)] + flip
        log_p = np.logaddexp(log_p + keep, moved)
    return log_p


def _merged(problem: Problem, weights: Floats, radius: float) -> tuple[Floats, Floats]:
    """Return the sums of weights below a radius that occur, and the logarithms of their probabilities."""
    score, log_p = np.zeros(1), np.zeros(1)
    for i in np.argsort(-weights, kind="stable"):
        if len(score) > MAX_UNEVEN_SUMS:
            raise ValueError(f"weights have more than {MAX_UNEVEN_SUMS:,} sums")
        near = score + weights[i] < radius
        score = np.concatenate([score, score[near] + weights[i]])
        log_p = np.concatenate([log_p - math.log(problem.sizes[i]), log_p[near] + math.log(problem.p[i])])
        score, place = np.unique(score, return_inverse=True)
        top = np.full(len(score), -np.inf)
        np.maximum.at(top, place, log_p)
        log_p = top + np.log(np.bincount(place, np.exp(log_p - top[place])))
    return score, log_p


def floor(problem: Problem) -> float:
    """Return the overall level that is proved without weights, from divergences of flip probabilities."""
    p, q, a = problem.p, problem.q, problem.sizes
    truth = (1 / a + problem.w) / (1 + problem.w)
    # q log(q/p) + (1-q) log((1-q) a); near q = p by its series, the terms of which would cancel.
    d = problem.d
    near = d * d / (2 * p * (1 - p)) * (1 + d * (1 - 2 * (1 - p)) / (3 * p * (1 - p)))
    far = q * np.log(q / p) + truth * np.log(truth * a)
    total = math.fsum(np.where(d < 1e-5 * (1 - p), near, far).tolist())
    gain = math.fsum((problem.epsilons * d).tolist())
    return max(total, float(np.logaddexp(0, 1 + total + math.log(gain))))


def level_and_errors(law: Law) -> tuple[float, Floats]:
    """Return the overall level of a law and the relative errors of the attributes' levels.

    The level is that before attributes are re-randomized, which does not raise it. Where a level is tiny,
    errors that doubles cannot resolve count as 0.
    """
    p, w = law.problem.p, law.problem.w
    if not consistent(law):
        return math.inf, np.full(len(p), math.inf)
    if isinstance(law, SplitLaw):
        levels, errors = zip(*(level_and_errors(part) for part in law.parts), strict=True)
        return math.fsum(levels), np.concatenate(errors)
    if not isinstance(law, Lifted):
        # The sampler draws with the odds w.
        again = np.expm1(np.minimum(law.problem.epsilons, 709)) / law.problem.sizes
        return math.fsum(np.log1p(law.problem.sizes * w).tolist()), np.where(w < 1e300, w / again - 1, 0.0)
    log_masses, log_heights, flips = parts(law)
    log_mass = float(scipy.special.logsumexp(log_masses))
    share = np.exp(log_masses - log_mass)
    if not _drawn_as(law, log_masses - log_mass, log_mass):
        return math.inf, np.full(len(p), math.inf)
    top = scipy.special.logsumexp(log_heights) if isinstance(law, BallMixture) else log_heights.max()
    rates = flips(share)
    stay = np.full(len(p), math.inf) if law.stay is None else law.stay
    weight = 1 / (1 + math.exp(-log_mass)) if log_mass > -700 else 0.0
    # For high levels compare flip rates; for low ones the information that is retained.
    rates = p / (1 + math.exp(min(log_mass, 700))) + weight * (rates + (p - rates) / (1 + stay))
    retained = weight / (1 + 1 / stay) * (1 - flips(share) / p)
    unseen = SLACK * weight / (1 + 1 / stay) * (1 + w) / w
    low = np.abs(retained * (1 + w) / w - 1) - np.minimum(unseen, 1)
    return float(np.logaddexp(0, top)), np.where(w < 1, np.maximum(low, 0), np.abs(rates / law.problem.q - 1))


Parts = tuple[Floats, Floats, Callable[[Floats], Floats]]


@singledispatch
def parts(law: Lifted) -> Parts:
    """Return logarithms of mass and excess of each category, and flip rates as a function of shares."""
    raise TypeError(f"a {type(law).__name__} cannot be verified")


@parts.register
def _(law: SingleFlip) -> Parts:
    sizes = law.problem.sizes
    with np.errstate(divide="ignore"):
        log_z = np.log(np.append(law.z, law.z0))
    return log_z + np.log(np.append(sizes - 1, 1)), log_z + np.log(sizes).sum(), lambda share: share[:-1]


@parts.register
def _(law: Cells) -> Parts:
    log_uniform, flips = np.zeros(len(law.cells)), law.cells / law.kinds.count
    for count, size, column in zip(law.kinds.count, law.kinds.problem.sizes, law.cells.T, strict=True):
        log_uniform += log_pmf(column, int(count), int(size))
    return log_uniform + law.log_excess, law.log_excess, lambda share: (share @ flips)[law.kinds.of]


@parts.register
def _(law: BallMixture) -> Parts:
    found = [_ball(ball) for ball in law.balls]
    log_masses = np.log(law.masses)
    rates = np.array([rates for _, rates in found])
    return log_masses, log_masses - [log_mass for log_mass, _ in found], lambda share: share @ rates


def _drawn_as(law: Lifted, log_share: Floats, log_mass: float) -> bool:
    """Return whether the odds and the alias tables of the sampler agree with the definition."""
    odds = abs(math.log(law.mass) - log_mass) <= SLACK * max(1, abs(log_mass))
    return odds and agree(law._categories, log_share)


@singledispatch
def agree(categories: Categories, log_share: Floats) -> bool:
    """Return whether categories are drawn with these probabilities, given as logarithms."""
    raise TypeError(f"{type(categories).__name__} cannot be verified")


@agree.register
def _(table: AliasTable, log_share: Floats) -> bool:
    drawn, share = alias_law(table), np.exp(log_share)
    return bool(len(drawn) == len(share) and (np.abs(drawn - share) <= SLACK * share).all())


def alias_law(table: AliasTable) -> Floats:
    """Return the probability of each category of an alias table."""
    n = len(table.keep)
    return (table.keep + np.bincount(table.alias, 1 - table.keep, minlength=n)) / n


@singledispatch
def consistent(law: Law) -> bool:
    """Return whether the parts of a law, and the numbers of its sampler, belong to its problem."""
    return True


@consistent.register
def _(law: SplitLaw) -> bool:
    problem, places = law.problem, np.sort(np.concatenate(law.places))
    same = all(
        np.array_equal(part.problem.sizes, problem.sizes[where])
        and np.array_equal(part.problem.epsilons, problem.epsilons[where])
        for part, where in zip(law.parts, law.places, strict=True)
    )
    return same and np.array_equal(places, np.arange(len(problem))) and all(map(consistent, law.parts))


@consistent.register
def _(law: Cells) -> bool:
    problem, kinds = law.problem, law.kinds
    counts = np.bincount(kinds.of, minlength=len(kinds))
    return bool(
        np.array_equal(kinds.problem.sizes[kinds.of], problem.sizes)
        and np.array_equal(kinds.problem.epsilons[kinds.of], problem.epsilons)
        and np.array_equal(counts, kinds.count)
    )


@consistent.register
def _(law: BallMixture) -> bool:
    return all(_drawn_by_weights(ball, law.problem) for ball in law.balls)


def _drawn_by_weights(ball: Ball, problem: Problem) -> bool:
    """Return whether the probabilities that a ball is drawn with are those of its weights."""
    sizes, weights = problem.sizes[ball.live], ball.weights[ball.live]
    low = np.floor(weights)
    part = weights - low
    expected = (sizes - 1) * np.exp(-ball.tilt * low) * [1 - part, part * math.exp(-ball.tilt)]
    ends = _inside(ball) * np.exp(-ball.tilt * np.arange(ball.states)[::-1])
    return bool(
        np.array_equal(ball.problem.sizes, problem.sizes)
        and set(ball.live.tolist()) == set(np.flatnonzero(ball.weights < ball.states).tolist())
        and np.array_equal(ball.low, low)
        and np.allclose(ball.flip / ball.keep, expected, rtol=SLACK, atol=0)
        and np.allclose(ball.accepted, ends, rtol=SLACK, atol=1e-300)
        and np.allclose(ball.keep + ball.flip.sum(axis=0), 1, rtol=SLACK)
    )


def _inside(ball: Ball) -> Floats:
    """Return the share of each weight that belongs to a ball."""
    return np.append(np.ones(ball.states - np.size(ball.edge)), ball.edge)


def _ball(ball: Ball) -> tuple[float, Floats]:
    """Return the logarithm of the probability of a ball, and its flip rates."""
    weights = np.minimum(ball.weights, ball.states)  # a larger weight also keeps an attribute from flipping
    low = np.floor(weights)
    return weighed(ball.problem.sizes, low, weights - low, np.log(_inside(ball)))


def weighed(sizes: Integers, low: Floats | Integers, part: Floats, inside: Floats) -> tuple[float, Floats]:
    """Return the logarithm of the mean of values given for each weight, and the flip rates they imply."""
    states = len(inside)
    live = np.flatnonzero(low < states)
    log_keep = -np.log(sizes)
    with np.errstate(divide="ignore"):
        log_lie = np.log(1 - 1 / sizes[live]) + np.log([1 - part[live], part[live]])

    def flip(log_p: Floats, i: int) -> Floats:
        """Return the law of the weight when attribute i flips as well."""
        moved = np.full(states, -np.inf)
        for shift, log_chance in enumerate(log_lie[:, i]):
            weight = int(low[live[i]]) + shift
            if weight < states:
                moved[weight:] = np.logaddexp(moved[weight:], log_p[: states - weight] + log_chance)
        return moved

    def either(log_p: Floats, i: int) -> Floats:
        """Return the law of the weight with attribute i, flipped or not."""
        return np.logaddexp(log_p + log_keep[live[i]], flip(log_p, i))

    start = np.full(states, -np.inf)
    start[0] = 0
    rates, rest, log_mass = np.zeros(len(sizes)), inside[::-1], -np.inf
    for i, before in _backwards(start, len(live), either):
        flipped = scipy.special.logsumexp(flip(before, i) + rest[::-1])
        log_mass = np.logaddexp(flipped, scipy.special.logsumexp(before + log_keep[live[i]] + rest[::-1]))
        rates[live[i]] = math.exp(flipped - log_mass)
        rest = either(rest, i)
    log_mass = log_mass if len(live) else scipy.special.logsumexp(start + inside)
    never = np.delete(log_keep, live)
    return float(log_mass + never.sum()), rates


def _backwards(
    start: Floats, count: int, step: Callable[[Floats, int], Floats]
) -> Iterator[tuple[int, Floats]]:
    """Yield the results before each of many steps, last first, while keeping only some of them."""
    size = math.isqrt(count) + 1
    marks = [start]
    for i in range(count):
        start = step(start, i)
        if (i + 1) % size == 0:
            marks.append(start)
    for block in reversed(range(len(marks))):
        results, first = [marks[block]], block * size
        for i in range(first, min(first + size, count) - 1):
            results.append(step(results[-1], i))
        for i in reversed(range(first, min(first + size, count))):
            yield i, results[i - first]
