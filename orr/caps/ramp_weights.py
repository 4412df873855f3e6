"""Whole weights of the flips of a ramp, and the sums that they can have (chapter price).

A weight that is not whole is rounded down or up at random, for each record and attribute anew, with the
chance that makes ``exp(-step * weight)`` right on average.
"""

from __future__ import annotations

import math
from functools import reduce
from typing import Any, Self

import numpy as np

from orr.arrays import Floats
from orr.laws.ball import passed
from orr.laws.fields import Fields, numbers
from orr.problem import Problem
from orr.rounding import log_sum

CLOSE = 1e-12  # share of a slope that rounding may change
RARE = 1e-9  # chance of a rounding that is left out: slopes are lower by as little


class RampWeights:
    """Whole weights, one of two next to each other for every attribute, and the sums that they can have.

    Parameters
    ----------
    problem : Problem
        Sizes and levels; only the sizes matter.
    slopes : ndarray
        By how much a flip of each attribute lowers ``log f``, at most.
    step : float
        By how much a unit of weight lowers it.

    Examples
    --------
    >>> weights = RampWeights(Problem([2, 2], [1.0, 1.0]), np.array([1.0, 1.25]), 0.5)
    >>> weights.low, (weights.step * weights.low - np.log1p(weights.part * np.expm1(-0.5))).round(12)
    (array([2, 2]), array([1.  , 1.25]))
    """

    def __init__(self, problem: Problem, slopes: Floats, step: float) -> None:
        self.step, self.low = step, np.floor(slopes / step).astype(np.int64)
        part = np.clip(np.expm1(step * self.low - slopes) / math.expm1(-step), 0, 1 - RARE)
        self.part = np.where(part < RARE, 0.0, part)
        self.slopes = np.minimum(slopes, self._mean)
        self._set(problem)

    @property
    def _mean(self) -> Floats:
        """Slopes that the weights give, but for rounding."""
        rounded: Floats = np.log1p(self.part * math.expm1(-self.step))
        return self.step * self.low - rounded

    def _set(self, problem: Problem) -> None:
        """Find the chances that the weights are drawn with."""
        self.problem = problem
        with np.errstate(divide="ignore"):
            self.log_keep = -np.log(problem.sizes)
            self.log_flip = np.log(problem.p) + np.stack([np.log1p(-self.part), np.log(self.part)])
        logs = np.abs(np.vstack([self.log_keep, self.log_flip]))
        self.size = float(np.where(np.isfinite(logs), logs, 0).max(axis=0).sum())  # of any logarithm met

    def state(self) -> dict[str, Any]:
        lists = {"low": self.low.tolist(), "part": numbers(self.part), "slopes": numbers(self.slopes)}
        return {"step": float(self.step), **lists}

    @classmethod
    def restored(cls, problem: Problem, fields: Fields) -> Self:
        weights, k = cls.__new__(cls), len(problem)
        weights.step, weights.low = fields.double("step", 1e-300), fields.integers("low", k, 0, 2**53)
        weights.part, weights.slopes = (
            fields.doubles("part", k, 0.0, 1 - RARE),
            fields.doubles("slopes", k, 0.0),
        )
        if not (np.abs(weights.slopes - weights._mean) <= CLOSE * weights._mean).all():
            raise ValueError(f"{fields.path('slopes')} must be those of the weights")
        weights._set(problem)
        return weights

    def parts(self, law: Floats, i: int) -> tuple[Floats, Floats, Floats]:
        """Logarithms of the law of the weight where one more is true, or flips with a weight or the next."""
        parts = law + self.log_keep[i], np.full_like(law, -np.inf), np.full_like(law, -np.inf)
        for part, weight, chance in zip(parts[1:], self._two(i), self.log_flip[:, i], strict=True):
            if weight < len(law):
                np.add(law[: len(law) - weight], chance, out=part[weight:])
        return parts

    def _two(self, i: int) -> tuple[int, int]:
        return int(self.low[i]), int(self.low[i]) + 1

    def add(self, law: Floats, i: int) -> Floats:
        """Law of the weight with one more attribute."""
        more = law + self.log_keep[i]
        for weight, chance in zip(self._two(i), self.log_flip[:, i], strict=True):
            if weight < len(law) and chance > -math.inf:
                more[weight:] = np.logaddexp(more[weight:], law[: len(law) - weight] + chance)
        return more

    def law(self, states: int) -> Floats:
        """Logarithm of the probability of each weight below a number of states, for a random record."""
        return reduce(self.add, range(len(self.problem)), first(states))

    def rates(self, log_excess: Floats) -> tuple[float, Floats]:
        """Logarithm of the mean of an excess given for each weight, and flip rates in proportion to it."""
        rates, rest = np.zeros(len(self.problem)), log_excess[::-1]
        log_mass = log_sum(self.law(len(rest)) + log_excess)
        for i, law in passed(self.add, first(len(rest)), range(len(self.problem))):
            _, low, high = self.parts(law, i)
            rates[i] = math.exp(log_sum(np.logaddexp(low, high) + rest[::-1]) - log_mass)
            rest = self.add(rest, i)
        return log_mass, rates


def first(states: int) -> Floats:
    """Law of the weight of no attributes."""
    law = np.full(states, -np.inf)
    law[0] = 0
    return law
