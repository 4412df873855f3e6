"""The law that falls evenly from the truth outward, between two plateaus: Kronecker, clipped (chapter price).

Flips have weights, and the logarithm of the density falls by ``step`` with every unit of the weight of a
flip set: ``log f = clip(top - step * weight, 0, level)``. A weight that is not whole is rounded down or
up at random, for each record and attribute anew, with the chance that makes ``exp(-step * weight)``
right on average. So a flip changes ``log f`` by no more than the *slope* of its attribute: with ``F``
the clipped ramp, ``F(w + m) >= exp(-step * m) F(w)`` for whole ``m``, and the mean of ``exp(-step * m)``
is ``exp(-slope)``.

The dynamic program over the weights is that of :mod:`orr.laws.ball`, but in logarithms: sets too rare for a
double must keep their place, or their neighbours would stand out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Set
from functools import cached_property, reduce
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from orr.arrays import Floats, Integers, frozen
from orr.laws.ball import passed
from orr.laws.law import Lifted
from orr.problem import Problem
from orr.randomness import Source
from orr.rounding import Unsound, log_sum

MAX_SLOPE = 650.0  # nats; the odds of a flip are then a normal double
SLOPE_TOL = 1e-12  # relative; rounding changes slopes by less
MIN_PART = 1e-9  # rarer roundings of a weight are left out, and slopes are lower by as little


class RampWeights:
    """Whole weights of flips, two neighbours for every attribute, and the law of their sum.

    Parameters
    ----------
    problem : Problem
        Sizes and levels; only the sizes matter.
    slopes : ndarray
        Largest change of ``log f`` by a flip of each attribute.
    step : float
        Change of ``log f`` by a unit of weight.

    Examples
    --------
    >>> weights = RampWeights(Problem([2, 2], [1.0, 1.0]), np.array([1.0, 1.25]), 0.5)
    >>> weights.low, (weights.step * weights.low - np.log1p(weights.part * np.expm1(-0.5))).round(12)
    (array([2, 2]), array([1.  , 1.25]))
    """

    def __init__(self, problem: Problem, slopes: Floats, step: float) -> None:
        self.step, self.low = step, np.floor(slopes / step).astype(np.int64)
        part = np.clip(np.expm1(step * self.low - slopes) / math.expm1(-step), 0, 1 - MIN_PART)
        self.part = np.where(part < MIN_PART, 0.0, part)
        self.slopes = np.minimum(slopes, self._mean)
        self._set(problem)

    @property
    def _mean(self) -> Floats:
        """Slopes of the weights, up to rounding."""
        rounded: Floats = np.log1p(self.part * math.expm1(-self.step))
        return self.step * self.low - rounded

    def _set(self, problem: Problem) -> None:
        """Compute the probabilities of the weights."""
        self.problem = problem
        with np.errstate(divide="ignore"):
            self.log_keep = -np.log(problem.sizes)
            self.log_flip = np.log(problem.p) + np.stack([np.log1p(-self.part), np.log(self.part)])
        logs = np.abs(np.vstack([self.log_keep, self.log_flip]))
        self.size = float(np.where(np.isfinite(logs), logs, 0).max(axis=0).sum())  # bounds every logarithm

    @classmethod
    def from_definition(
        cls, problem: Problem, *, step: float, low: Integers, part: Floats, slopes: Floats
    ) -> Self:
        """Return weights whose two neighbours are known, the same to the last digit."""
        weights = cls.__new__(cls)
        weights.step, weights.low, weights.part, weights.slopes = step, low, part, slopes
        shaped = all(numbers.shape == problem.sizes.shape for numbers in (low, part, slopes))
        whole = low.dtype.kind == "i" and (low >= 0).all()
        proper = shaped and whole and step > 0 and ((part >= 0) & (part <= 1 - MIN_PART)).all()
        if not (proper and (np.abs(slopes - weights._mean) <= SLOPE_TOL * weights._mean).all()):
            raise ValueError("slopes must be those of the weights")
        weights._set(problem)
        return weights

    def parts(self, law: Floats, i: int) -> tuple[Floats, Floats, Floats]:
        """Return the parts of `add`: the attribute keeps its value, or flips with either weight."""
        parts = law + self.log_keep[i], np.full_like(law, -np.inf), np.full_like(law, -np.inf)
        for part, weight, chance in zip(parts[1:], self._two(i), self.log_flip[:, i], strict=True):
            if weight < len(law):
                np.add(law[: len(law) - weight], chance, out=part[weight:])
        return parts

    def _two(self, i: int) -> tuple[int, int]:
        return int(self.low[i]), int(self.low[i]) + 1

    def add(self, law: Floats, i: int) -> Floats:
        """Return the law of the weight, in logarithms, with one more attribute."""
        more = law + self.log_keep[i]
        for weight, chance in zip(self._two(i), self.log_flip[:, i], strict=True):
            if weight < len(law) and chance > -math.inf:
                more[weight:] = np.logaddexp(more[weight:], law[: len(law) - weight] + chance)
        return more

    def law(self, states: int) -> Floats:
        """Return the law of the weight of a random record, in logarithms, below a number of states."""
        return reduce(self.add, range(len(self.problem)), first(states))

    def rates(self, log_excess: Floats) -> tuple[float, Floats]:
        """Return the logarithm of the mean excess, given for each weight, and the flip rates it implies."""
        rates, rest = np.zeros(len(self.problem)), log_excess[::-1]
        log_mass = log_sum(self.law(len(rest)) + log_excess)
        for i, law in passed(self.add, first(len(rest)), range(len(self.problem))):
            _, low, high = self.parts(law, i)
            rates[i] = math.exp(log_sum(np.logaddexp(low, high) + rest[::-1]) - log_mass)
            rest = self.add(rest, i)
        return log_mass, rates


def first(states: int) -> Floats:
    """Return the law of the weight of no attributes, in logarithms."""
    law = np.full(states, -np.inf)
    law[0] = 0
    return law


class Profile:
    """The heights ``clip(top - step * weight, 0, level)`` of a ramp that are above 0."""

    def __init__(self, weights: RampWeights, top: float, level: float) -> None:
        self.weights, self.top, self.level = weights, top, level
        levels = np.clip(top - weights.step * np.arange(math.ceil(top / weights.step)), 0, level)
        self.levels = levels[levels > 0]
        self.log_excess = self.levels + np.log(-np.expm1(-self.levels))
        self.log_mass, self.rates = weights.rates(self.log_excess)


class Ramp(Lifted):
    """A law whose logarithm falls, by a profile of the weight of the flips, to the lowest density."""

    block = 2**24

    def __init__(self, problem: Problem, profile: Profile, stay: Floats | None = None) -> None:
        self.problem, self.ramp = problem, profile.weights
        self.top, self.level = profile.top, profile.level
        self.log_excess, self.log_mass, self._rates = profile.log_excess, profile.log_mass, profile.rates
        if (self.ramp.slopes + np.log(problem.sizes)).max() > MAX_SLOPE:
            raise Unsound("a flip is too rare for a double")
        if not -700 < self.log_mass < 700:
            raise Unsound(f"the odds of the second law would be e^{self.log_mass:.6g}")
        self.repair(stay)
        self.check()

    @cached_property
    def weights(self) -> Floats:
        return frozen(np.array([math.exp(self.log_mass)]))

    @property
    def flip_mass(self) -> Floats:
        return self.mass * self._rates

    @property
    def retained_information(self) -> Floats:
        return 1 - self._rates / self.problem.p

    @property
    def log_top(self) -> float:
        return float(self.log_excess[0])

    @cached_property
    def counted(self) -> float:
        """Three sums and two logarithms of sums per attribute, right to 4 units and half of their size."""
        size = self.ramp.size + self.level
        return len(self.problem) * (3 * size + 24) + 5 * size

    @property
    def rate_units(self) -> float:
        return self.counted

    @property
    def coins(self) -> float:
        return self.counted + 4 * len(self.problem)

    def flipped(self, categories: Integers, source: Source) -> tuple[Integers, Integers]:
        rows, attributes = np.nonzero(self.draw(len(categories), source))
        return rows, attributes

    def draw(self, n: int, source: Source) -> NDArray[np.bool_]:
        """Draw flip sets in proportion to the excess, one per row."""
        flips = np.zeros((n, len(self.problem)), dtype=bool)
        left = np.full(n, len(self.log_excess) - 1)
        for i, (keep, low, high) in self.steps():
            flip = _choose(np.logaddexp(low, high)[left], keep[left], source)
            (rows,) = np.nonzero(flip)
            at = left[rows]
            more = _choose(high[at], low[at], source) if self.ramp.part[i] else 0
            left[rows] -= self.ramp.low[i] + more
            flips[:, i] = flip
        return flips

    def steps(self) -> Iterator[tuple[int, tuple[Floats, Floats, Floats]]]:
        """Yield the attributes in the order of the draws, and three logarithms for each weight left.

        They are the odds of the truth, of a flip with the lower weight, and of one with the higher weight.
        """
        for i, rest in passed(self.ramp.add, self.log_excess[::-1], range(len(self.problem))[::-1]):
            yield i, self.ramp.parts(rest, i)

    @cached_property
    def neighbour_epsilons(self) -> Floats:
        """The slopes, which bound the change of the ramp by a flip."""
        return self._above(np.minimum(self.ramp.slopes, self.nominal_epsilon))

    @property
    def neighbour_exact(self) -> NDArray[np.bool_]:
        return np.zeros(len(self.problem), dtype=bool)

    def _log_density(self, flips: Set[int]) -> float:
        flipped = np.isin(np.arange(len(self.problem)), list(flips))
        law = first(len(self.log_excess))
        with np.errstate(divide="ignore"):
            log_flips = np.log(self.kept * flipped + self.replaced * self.problem.p) - np.log(self.problem.p)
            truths = np.log(self.kept * ~flipped + self.replaced / self.problem.sizes)
        for i in range(len(self.problem)):
            keep, low, high = self.ramp.parts(law, i)
            truth = keep - self.ramp.log_keep[i] + truths[i]
            law = np.logaddexp(truth, np.logaddexp(low, high) + log_flips[i])
        return float(np.logaddexp(0, log_sum(law + self.log_excess)))

    def _interaction(self, attributes: Set[int]) -> float:
        chosen = sorted(attributes)
        law = first(len(self.log_excess))
        for i in set(range(len(self.problem))) - attributes:
            law = self.ramp.add(law, i)
        logs, signs = [], []
        for flips in np.ndindex((2,) * len(chosen)):
            part, sign = law, 1.0
            for flip, i in zip(flips, chosen, strict=True):
                keep, low, high = self.ramp.parts(part, i)
                part = np.logaddexp(low, high) if flip else keep
                sign *= -1 / (self.problem.sizes[i] - 1) if flip else 1
            logs.append(log_sum(part + self.log_excess))
            signs.append(sign)
        return self._shrunk(chosen, np.exp(np.array(logs) - self.log_mass) * signs * self.mass)

    def definition(self) -> dict[str, Any]:
        ramp = self.ramp
        weights = {"step": ramp.step, "low": ramp.low, "part": ramp.part, "slopes": ramp.slopes}
        return {**weights, "top": self.top, "level": self.level, "stay": self._odds_to_stay}

    @classmethod
    def from_definition(
        cls, problem: Problem, *, top: float, level: float, stay: Floats, **weights: Any
    ) -> Self:
        return cls(problem, Profile(RampWeights.from_definition(problem, **weights), top, level), stay)


def _choose(log_odds: Floats, log_against: Floats, source: Source) -> NDArray[np.bool_]:
    """Return coins with odds in logarithms, right to 4 units and half of their difference."""
    odds, against = sides(log_odds, log_against)
    return source.choose(odds, odds.shape, against=against)


def sides(log_odds: Floats, log_against: Floats) -> tuple[Floats, Floats]:
    """Return the odds of a coin, given in logarithms, with the larger side scaled to 1."""
    apart = log_odds - log_against
    return np.exp(np.minimum(apart, 0)), np.exp(np.minimum(-apart, 0))
