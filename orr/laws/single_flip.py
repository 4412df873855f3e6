"""The law with at most one flip above the uniform part (chapter when-optimal)."""

from __future__ import annotations

import math
from collections.abc import Set
from functools import cached_property
from typing import Any

import numpy as np

from orr.arrays import Floats, Integers
from orr.laws.law import Law, Lifted
from orr.laws.product import Product
from orr.laws.split import SplitLaw
from orr.problem import Problem
from orr.randomness import Source
from orr.rounding import MIN_RETAINED


class SingleFlip(Lifted):
    """A law that lifts the truth and single flips above the uniform part.

    ``G`` is ``T * z0`` when nothing is flipped, ``T * z[i]`` when attribute ``i`` alone is, else 0.
    """

    def __init__(self, problem: Problem, z0: float, z: Floats) -> None:
        self.problem = problem
        if z.shape != problem.sizes.shape:
            raise ValueError("z must be a mass per attribute")
        z = np.maximum(z, 0)  # rounding may leave less
        # A mass that is hardly a normal double belongs to a flip far below the truth: digits do not matter.
        self.z0, self.z = z0, z
        self.check()

    @classmethod
    def beside(cls, problem: Problem, z0: float, z: Floats) -> Law:
        """Return the law with these masses; faint attributes stand beside it.

        Without them, a flip of one of them is no flip. The overall level does not rise by that, since
        ``z0`` is at least their ``z``. If one is left, they all are randomized one by one.
        """
        mass = z0 + math.fsum(((problem.sizes - 1) * z).tolist())
        faint = (problem.w < MIN_RETAINED * min(1.0, mass)) & (z > 0)
        if not faint.any():
            return cls(problem, z0, z)
        if np.count_nonzero(~faint) == 1:
            return Product(problem)
        z0 += math.fsum(((problem.sizes - 1) * z)[faint].tolist())
        return SplitLaw(problem, cls(problem.part(~faint), z0, z[~faint]), ~faint)

    @cached_property
    def weights(self) -> Floats:
        return np.append((self.problem.sizes - 1) * self.z, self.z0)

    @property
    def flip_mass(self) -> Floats:
        return self.weights[:-1]

    @property
    def retained_information(self) -> Floats:
        return 1 - self.problem.sizes * (self.z / self.mass)

    def flipped(self, categories: Integers, source: Source) -> tuple[Integers, Integers]:
        rows = np.flatnonzero(categories < len(self.z))
        return rows, categories[rows]

    def _log_excess(self, z: Floats | float) -> Floats:
        with np.errstate(divide="ignore"):
            return self.problem.log_records + np.log(z)

    @cached_property
    def log_top(self) -> float:
        return float(self._log_excess(max(self.z0, self.z.max())))

    @property
    def counted(self) -> float:
        return 2 + 5 * abs(math.log(max(self.z0, self.z.max()))) + 6 * self.problem.log_records

    @cached_property
    def neighbour_epsilons(self) -> Floats:
        truth, single = (np.logaddexp(0, self._log_excess(z)) for z in (self.z0, self.z))
        others = np.zeros_like(single)
        if len(single) > 1:
            second, first = np.partition(single, -2)[-2:]
            others = np.where(single == first, second, first)
        return self._above(np.maximum(np.abs(truth - single), others))

    def _log_density(self, flips: Set[int]) -> float:
        if len(flips) > 1:
            return 0.0
        return float(np.logaddexp(0, self._log_excess(self.z[next(iter(flips))] if flips else self.z0)))

    def _interaction(self, attributes: Set[int]) -> float:
        chosen = list(attributes)
        return self._shrunk(chosen, np.append(-self.problem.sizes[chosen] * self.z[chosen], self.mass))

    def definition(self) -> dict[str, Any]:
        return {"z0": self.z0, "z": self.z}
