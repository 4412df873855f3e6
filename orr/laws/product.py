"""The law of attributes that are randomized one by one (chapter many-answers)."""

from __future__ import annotations

import math
from collections.abc import Set
from functools import cached_property
from typing import Any

import numpy as np

from orr.arrays import Array, Floats, frozen
from orr.laws.law import Law
from orr.problem import Problem
from orr.randomness import Source
from orr.rounding import ULP


class Product(Law):
    """Every attribute flips on its own: it is replaced by a uniform value or kept."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem

    @property
    def nominal_epsilon(self) -> float:
        return math.fsum(self.problem.epsilons.tolist())

    @cached_property
    def epsilon(self) -> float:
        return math.fsum(self.neighbour_epsilons.tolist()) * (1 + ULP)

    @cached_property
    def neighbour_epsilons(self) -> Floats:
        # The odds w are right to 5 units, a coin's to 2; an achieved level past 709 is off by its own size.
        levels = self.problem.epsilons
        units = -np.expm1(-levels) * (7 + np.where(levels > 709, levels, 0))
        return frozen(levels + ULP * (units + levels / 2))  # the sum rounds, too

    def log_ratio(self, flips: Set[int]) -> float:
        return math.fsum(e for i, e in enumerate(self.problem.epsilons) if i not in flips)

    @property
    def rates(self) -> Floats:
        return self.problem.q

    def _interaction(self, attributes: Set[int]) -> float:
        return math.prod(self.rho({i}) for i in attributes)

    def perturb(self, records: Array, source: Source) -> Array:
        kept = source.choose(self.problem.w, records.shape)
        values = source.integers(self.problem.sizes, records.shape)
        # Bits are exchanged where the record is kept: to branch on coins would take several times as long.
        change = (records.astype(values.dtype) ^ values) * kept
        return (values ^ change).astype(records.dtype, copy=False)

    def definition(self) -> dict[str, Any]:
        return {}
