"""The law that lists every flip set."""

from __future__ import annotations

import math
from collections.abc import Set
from functools import cached_property, reduce

import numpy as np

from orr.arrays import Floats, Integers
from orr.laws.law import Lifted
from orr.problem import Problem
from orr.randomness import Source
from orr.rounding import TINY


class Table(Lifted):
    """Any law on flip sets, as a cube with one axis of length 2 for each attribute.

    ``excess[b_1, ..., b_k]`` is ``G`` at the flip set of the attributes with ``b_i = 1``.
    """

    def __init__(self, problem: Problem, excess: Floats) -> None:
        self.problem = problem
        excess = (excess - excess.min()) / (1 + excess.min())
        masses = problem.uniform * excess
        self.excess = np.where(masses < TINY * max(masses.max(), 1), 0.0, excess)
        self.check()

    def reordered(self, problem: Problem, order: Integers) -> Table:
        """Return the same law of a problem whose attribute ``i`` is this one's attribute ``order[i]``."""
        return Table(problem, self.excess.transpose(order))

    @cached_property
    def weights(self) -> Floats:
        return (self.problem.uniform * self.excess).ravel()

    @property
    def lies(self) -> Floats:
        cube = self.weights.reshape(self.excess.shape)
        return np.array([np.take(cube, 1, axis=i).sum() for i in range(cube.ndim)])

    @cached_property
    def told(self) -> Floats:
        cube, told = self.weights.reshape(self.excess.shape), []
        for i, size in enumerate(self.problem.sizes.tolist()):
            truth, lie = np.moveaxis(cube, i, 0)
            told.append(math.fsum((truth - lie / (size - 1)).flat) / self.mass)
        return np.array(told)

    def flipped(self, categories: Integers, source: Source) -> tuple[Integers, Integers]:
        k = len(self.problem)
        rows, attributes = np.nonzero(categories[:, None] >> np.arange(k)[::-1] & 1)
        return rows, attributes

    @cached_property
    def log_top(self) -> float:
        return math.log(self.excess.max())

    @property
    def counted(self) -> float:
        return len(self.problem) + 5 * abs(self.log_top) + 8

    @cached_property
    def neighbour_epsilons(self) -> Floats:
        log_x = np.log1p(self.excess)
        return self._above(np.array([np.abs(np.diff(log_x, axis=i)).max() for i in range(log_x.ndim)]))

    def log_ratio(self, flips: Set[int]) -> float:
        place = tuple(int(i in flips) for i in range(self.excess.ndim))
        return float(np.log1p(self.excess[place]) - np.log1p(self.excess.flat[-1]))

    def _interaction(self, attributes: Set[int]) -> float:
        others = tuple(i for i in range(self.excess.ndim) if i not in attributes)
        chosen = sorted(attributes)
        mean = (self.problem.uniform * self.excess).sum(axis=others)
        lie = -1 / (self.problem.sizes[chosen] - 1)
        terms = mean * reduce(np.multiply.outer, np.column_stack([np.ones_like(lie), lie]))
        value, scale = math.fsum(terms.flat), math.fsum(np.abs(terms).flat)
        return 0.0 if abs(value) <= 1e-9 * scale else value / (1 + self.mass)
