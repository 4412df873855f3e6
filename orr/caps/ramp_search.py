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
and that is the bound of :mod:`orr.optimum.bound`.
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
from orr.rounding import LEVEL_TOLERANCE, RATE_UNITS, ULP, log_sum

RAMP_STATES = 4_000  # steps of a ramp, of a few hundredths of a nat
MAX_ROUNDS = 10  # of correcting slopes, each as long as the first
SLACK_TOL = 1e-3  # share of the slack that attributes may retain too much
TOP_TOL = 1e-4  # steps; the level hardly depends on the top of the ramp


class RampSearch:
    """The search for the best ramp whose slopes are at most the caps.

    Parameters
    ----------
    problem : Problem
        Sizes and levels.
    caps : ndarray
        Largest neighbour levels.
    reach : float
        Largest overall level of interest.
    """

    def __init__(self, problem: Problem, caps: Floats, reach: float) -> None:
        self.problem = problem
        self.spread = problem.epsilons * problem.q * problem.truth  # derivative of q by the log of the level
        self.reach = min(reach, float(problem.epsilons.sum()))
        self.step = (float(caps @ problem.q) + self.reach) / RAMP_STATES
        units = rate_units(problem, self.reach)
        self.relaxed = problem.relaxed(units)
        # The draws may add this much to neighbour levels within the caps, if the slack allows it.
        slack = caps - problem.epsilons
        self.caps = caps - np.minimum(6 * ULP * units, slack / 2)
        self.slack = float((slack / problem.epsilons).min())
        self.tol = SLACK_TOL * min(self.slack, 1.0)

    def run(self, found: Callable[[Ramp], bool]) -> bool:
        """Pass better and better ramps to ``found`` until it returns true; return whether there is one."""
        slopes, more, offered = self.caps.copy(), 0.0, False
        before = slopes, more
        for _ in range(MAX_ROUNDS):
            weights = RampWeights(self.problem, slopes, self.step)
            ends = self._ends(weights, more)
            if ends is None:  # too much was asked for: half of it may be possible
                slopes, more = (slopes + before[0]) / 2, (more + before[1]) / 2
                continue
            before = slopes, more
            profile = Profile(weights, *ends)
            rates = self.problem.p + (profile.rates - self.problem.p) / (1 + math.exp(-profile.log_mass))
            surplus = (self.relaxed.q - rates) / self.spread
            if surplus.min() >= 0:
                offered = True
                if found(Ramp(self.problem, profile)) or surplus.max() <= self.tol:
                    break
            # Ask the aggregate for what the worst attribute lacks, and lower the slopes of the others.
            more -= max(surplus.min() - self.tol / 4, (more - self.slack) / 2)  # at most the slack
            least = (slopes + self.problem.epsilons) / 2  # a slope below the level would not meet it
            slopes = np.clip(slopes - self.caps * (surplus - surplus.min()), least, self.caps)
        return offered

    def _ends(self, weights: RampWeights, more: float) -> tuple[float, float] | None:
        """Return top and level of the lowest ramp that meets the aggregate; None if none does."""
        step, part = self.step, weights.part
        log_p, weight = weights.law(RAMP_STATES), np.arange(RAMP_STATES)
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
            bounds, options = (0, step * RAMP_STATES), {"xatol": TOP_TOL * step}
            result = scipy.optimize.minimize_scalar(lost, bounds=bounds, args=(level,), options=options)
            return -float(result.fun), float(result.x)

        if best(self.reach)[0] <= 0:
            return None
        level = float(
            scipy.optimize.brentq(lambda level: best(level)[0], 1e-9 * self.reach, self.reach, rtol=1e-9)
        )
        return best(level)[1], level


def rate_units(problem: Problem, reach: float) -> float:
    """Return the units of the flip rates of a ramp: a bound of ``Ramp.counted`` before the ramp is known."""
    size = 2 * problem.log_records + reach
    return len(problem) * (3 * size + 24) + 5 * size


def resolved(problem: Problem, reach: float) -> NDArray[np.bool_]:
    """Return for which attributes rounding takes at most half of the tolerated error of their level.

    Examples
    --------
    >>> resolved(Problem([2, 3, 4], [1e-7, 1.0, 2.0]), 3.0)
    array([False,  True,  True])
    """
    return problem.w / (1 + problem.w) >= 4 * ULP * rate_units(problem, reach) / LEVEL_TOLERANCE


def harris(problem: Problem, caps: Floats, weights: Integers) -> tuple[float, Thresholds] | None:
    """Return the level that whole weights prove with the best thresholds, and the proof, if there is one.

    Examples
    --------
    >>> problem = Problem([4] * 50 + [3] * 50, [2.0] * 50 + [1.0] * 50)
    >>> level, proof = harris(problem, 1.0001 * problem.epsilons, np.repeat([2, 1], 50))
    >>> round(level, 2), proof.high
    (59.56, 76)
    """
    states = int(weights.sum()) + 1
    laws = _Laws(problem, caps, weights)
    below_u, below_k = (_log_shortfall(logs) for logs in (laws.uniform, laws.kronecker))
    high = np.arange(states)
    losses = laws.mean - high + np.exp(np.minimum(below_u, 700))
    target = np.logaddexp(laws.log_total, _log_shortfall(laws.kronecker[::-1])[::-1])
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
        self.uniform, self.kronecker = (_log_law(weights, *pair) for pair in logs)
        self.mean = float(weights @ problem.p)
        apart = problem.truth * others * np.exp(-problem.epsilons) * -np.expm1(problem.epsilons - caps)
        total = weights @ (apart / (1 + others * rare)) + 4 * RATE_UNITS * ULP * (weights @ problem.q)
        self.log_total = math.log(total)
        # Two sums and a logarithm of a sum per attribute, of numbers up to this size.
        size = max(float(np.abs(pair).max(axis=0).sum()) for pair in logs) + abs(self.log_total)
        self.units = len(problem) * (2 * size + 12) + 10 * size + 4 * RATE_UNITS

    def proof(self, low: float, high: int) -> tuple[float, Thresholds]:
        """Return the level that a higher threshold and the best lower one prove, and the proof."""
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


def _log_law(weights: Integers, log_keep: Floats, log_flip: Floats) -> Floats:
    """Return the logarithm of the probability of each total weight if attributes flip independently."""
    law = np.full(int(weights.sum()) + 1, -np.inf)
    law[0] = 0
    for y, keep, flip in zip(weights.tolist(), log_keep, log_flip, strict=True):
        more = law + keep
        more[y:] = np.logaddexp(more[y:], law[: len(law) - y] + flip)
        law = more
    return law


def _log_shortfall(logs: Floats) -> Floats:
    """Return the logarithm of the mean of ``(T - W)^+`` for every whole ``T``, from the law of ``W``."""
    sums = np.logaddexp.accumulate(np.logaddexp.accumulate(logs))
    return np.append(-np.inf, sums[:-1])
