"""Many different attributes under caps: the best ramp, and how low no mechanism can go (chapter price).

*The mechanism.* If all slopes are at their caps, every attribute falls short of its level by about the
same share where a ramp is clipped, and gains by about the same share from the slack. So one aggregate of
the levels finds top and level of the ramp; what attributes have too much is then taken from their
slopes, and what they lack is asked of the aggregate.

*The bound.* Caps say that ``g(S) = f(S) exp(cap(S))`` never falls when an attribute enters ``S``. Under
the product law ``K`` of the Kronecker mechanism with levels equal to the caps, a quantity ``c`` that
never rises is correlated negatively with it (Harris' inequality): ``E_K[c g] <= E_K[c] E_K[g]``, which
is at most 0 if ``E_K[c]`` is. For weights ``y``, with ``W = y.B`` and ``t = y.q``, take ``c = t - W``
clipped to ``[t - t2, t - t1]``. Levels say that ``E_K[(t - W) g] >= 0``; subtracting ``c``, ``E_U[f (t1
- W)^+] >= E_U[f (W - t2)^+]`` for a uniformly random record ``U``. But ``f`` is between its lowest
value and ``exp(level)`` times it. Hence

    ``level >= log(E_U[(W - t2)^+] / E_U[(t1 - W)^+])``
    if ``E_K[(t1 - W)^+] >= y.(q - q') + E_K[(W - t2)^+]``,

with ``q'`` the flip probabilities at the caps. Without caps ``K`` never flips, ``t1 = t2 = t`` will do,
and that is the bound of :mod:`orr.optimum.certificate`.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import scipy
from numpy.typing import NDArray

from orr.arrays import Floats, Integers
from orr.caps.proofs import Thresholds
from orr.caps.ramp import Profile, Ramp, RampWeights
from orr.problem import Problem
from orr.rounding import LEVELS, RATES, ULP, log_sum

STATES = 4_000  # weights that are told apart: steps of a few hundredths of a nat
ROUNDS = 10  # of taking from slopes, each about as long as the one before
FINE = 1e-3  # share of the slack that attributes may be left with


class Clip:
    """The search for a ramp whose slopes are at most the caps."""

    def __init__(self, problem: Problem, caps: Floats, reach: float) -> None:
        self.problem = problem
        self.spread = problem.epsilons * problem.q * problem.truth  # what a share of the level is in flips
        self.reach = min(reach, float(problem.epsilons.sum()))
        self.step = (float(caps @ problem.q) + self.reach) / STATES
        units = rate_units(problem, self.reach)
        self.relaxed = problem.relaxed(units)
        # So much may be added to neighbour levels that the draws keep the caps, if the slack allows it.
        slack = caps - problem.epsilons
        self.caps = caps - np.minimum(6 * ULP * units, slack / 2)
        self.slack = float((slack / problem.epsilons).min())
        self.fine = FINE * min(self.slack, 1.0)

    def run(self, found: Callable[[Ramp], bool]) -> bool:
        """Offer better and better ramps, until slopes stay or it is enough; tell if there is one."""
        slopes, more, offered = self.caps.copy(), 0.0, False
        before = slopes, more
        for _ in range(ROUNDS):
            weights = RampWeights(self.problem, slopes, self.step)
            ends = self._ends(weights, more)
            if ends is None:  # too much was asked: half of it may do
                slopes, more = (slopes + before[0]) / 2, (more + before[1]) / 2
                continue
            before = slopes, more
            profile = Profile(weights, *ends)
            rates = self.problem.p + (profile.rates - self.problem.p) / (1 + math.exp(-profile.log_mass))
            spare = (self.relaxed.q - rates) / self.spread
            if spare.min() >= 0:
                offered = True
                if found(Ramp(self.problem, profile)) or spare.max() <= self.fine:
                    break
            # Ask for what the worst lacks, and a little more; take from the slopes what others have too much.
            more -= max(spare.min() - self.fine / 4, (more - self.slack) / 2)  # of more there is none
            least = (slopes + self.problem.epsilons) / 2  # a slope below the level would not meet it
            slopes = np.clip(slopes - self.caps * (spare - spare.min()), least, self.caps)
        return offered

    def _ends(self, weights: RampWeights, more: float) -> tuple[float, float] | None:
        """Top and level of the lowest ramp that meets the aggregate of the levels."""
        step, part = self.step, weights.part
        log_p, weight = weights.law(STATES), np.arange(STATES)
        # Along the slope, weights are rounded up less often than elsewhere.
        mean = weights.low + part * math.exp(-step) / (1 + part * math.expm1(-step))
        aim = float(mean @ (self.problem.q - more * self.spread))
        bulk = aim - float(mean @ self.problem.p)  # what a uniformly random record adds

        def lost(top: float, level: float) -> float:
            height = np.clip(top - step * weight, 0, level)
            with np.errstate(divide="ignore"):
                logs = log_p + height + np.log(-np.expm1(-height))
            scale = max(float(logs.max()), 0.0)
            share, rest = np.exp(logs - scale), math.exp(-scale)
            return -(float(share @ (aim - weight)) + rest * bulk) / (float(share.sum()) + rest)

        def best(level: float) -> tuple[float, float]:
            # At the top the level hardly changes: a ten-thousandth of a step will do.
            precise = {"xatol": 1e-4 * step}
            result = scipy.optimize.minimize_scalar(
                lost, bounds=(0, step * STATES), args=(level,), options=precise
            )
            return -float(result.fun), float(result.x)

        if best(self.reach)[0] <= 0:
            return None
        level = float(
            scipy.optimize.brentq(lambda level: best(level)[0], 1e-9 * self.reach, self.reach, rtol=1e-9)
        )
        return best(level)[1], level


def rate_units(problem: Problem, reach: float) -> float:
    """Units of the flip rates of a ramp: those of Ramp.counted, with the largest size of its logarithms."""
    size = 2 * problem.log_records + reach
    return len(problem) * (3 * size + 24) + 5 * size


def known(problem: Problem, reach: float) -> NDArray[np.bool_]:
    """Tell of which attributes a ramp tells so much that rounding takes no more than half of what it may.

    Examples
    --------
    >>> known(Problem([2, 3, 4], [1e-7, 1.0, 2.0]), 3.0)
    array([False,  True,  True])
    """
    return problem.w / (1 + problem.w) >= 4 * ULP * rate_units(problem, reach) / LEVELS


def harris(problem: Problem, caps: Floats, weights: Integers) -> tuple[float, Thresholds] | None:
    """Find the level that whole weights prove, if they do, and the thresholds.

    Examples
    --------
    >>> problem = Problem([4] * 50 + [3] * 50, [2.0] * 50 + [1.0] * 50)
    >>> level, proof = harris(problem, 1.0001 * problem.epsilons, np.repeat([2, 1], 50))
    >>> round(level, 2), proof.high
    (59.56, 76)
    """
    states = int(weights.sum()) + 1
    laws = _Laws(problem, caps, weights)
    below_u, below_k = (_twice(logs) for logs in (laws.uniform, laws.kronecker))
    high = np.arange(states)
    losses = laws.mean - high + np.exp(np.minimum(below_u, 700))
    target = np.logaddexp(laws.log_total, _twice(laws.kronecker[::-1])[::-1])
    low = np.searchsorted(below_k, target)
    able = (low <= high) & (losses > 0)
    if not able.any():
        return None
    level = np.full(states, -np.inf)
    level[able] = np.log(losses[able]) - below_u[low[able]]
    best = int(np.argmax(level))
    return laws.proof(low[best] - 1.0, best) if low[best] else None


class _Laws:
    """Logarithms of the laws of ``W`` for a random record and for the Kronecker mechanism at the caps."""

    def __init__(self, problem: Problem, caps: Floats, weights: Integers) -> None:
        others, rare = problem.sizes - 1, np.exp(-caps)
        self.weights = weights
        kept = -np.log1p(others * rare)
        logs = (-np.log(problem.sizes), np.log(problem.p)), (kept, np.log(others) - caps + kept)
        self.uniform, self.kronecker = (_law(weights, *pair) for pair in logs)
        self.mean = float(weights @ problem.p)
        apart = problem.truth * others * np.exp(-problem.epsilons) * -np.expm1(problem.epsilons - caps)
        total = weights @ (apart / (1 + others * rare)) + 4 * RATES * ULP * (weights @ problem.q)
        self.log_total = math.log(total)
        # Two sums and a logarithm of a sum an attribute, of numbers up to this size.
        size = max(float(np.abs(pair).max(axis=0).sum()) for pair in logs) + abs(self.log_total)
        self.units = len(problem) * (2 * size + 12) + 10 * size + 4 * RATES

    def proof(self, low: float, high: int) -> tuple[float, Thresholds]:
        """Find the lower threshold for a given higher one, and what both prove, rounding included."""
        weight = np.arange(len(self.uniform))
        far = weight > high
        above = log_sum(self.kronecker[far] + np.log(weight[far] - high)) if far.any() else -math.inf
        target, margin = float(np.logaddexp(self.log_total, above)), 4 * ULP * self.units

        def below(logs: Floats, threshold: float) -> float:
            near = weight < threshold
            return log_sum(logs[near] + np.log(threshold - weight[near])) if near.any() else -math.inf

        def lacks(threshold: float) -> float:
            return target + margin - below(self.kronecker, threshold)

        ends = [max(low, 0.0), low + 1]
        while lacks(ends[1]) > 0:
            ends[1] += 1
        for _ in range(60):
            middle = (ends[0] + ends[1]) / 2
            ends[lacks(middle) <= 0] = middle
        losses = self.mean - high + math.exp(below(self.uniform, high)) if high else self.mean
        losses -= 4 * ULP * self.units * (self.mean + high)
        gains = below(self.uniform, ends[1]) + margin
        level = math.log(losses) - gains if losses > 0 and ends[1] <= high else 0.0
        return level - 4 * ULP * (abs(gains) + 8), Thresholds(self.weights, float(ends[1]), high)


def _law(weights: Integers, log_keep: Floats, log_flip: Floats) -> Floats:
    """Logarithm of the probability of each weight, if attributes flip on their own."""
    law = np.full(int(weights.sum()) + 1, -np.inf)
    law[0] = 0
    for y, keep, flip in zip(weights.tolist(), log_keep, log_flip, strict=True):
        more = law + keep
        more[y:] = np.logaddexp(more[y:], law[: len(law) - y] + flip)
        law = more
    return law


def _twice(logs: Floats) -> Floats:
    """Logarithm of the mean of ``(T - W)^+`` for every whole ``T``, from that of the law of ``W``."""
    sums = np.logaddexp.accumulate(np.logaddexp.accumulate(logs))
    return np.append(-np.inf, sums[:-1])
