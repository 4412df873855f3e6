"""A joint law of some attributes, with the others beside it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Set
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from orr.arrays import Array, Floats, frozen
from orr.laws.law import Law
from orr.laws.product import Product
from orr.problem import Problem
from orr.randomness import Source
from orr.rounding import ULP


class SplitLaw(Law):
    """A joint law of some attributes, and the others one by one beside it.

    Parameters
    ----------
    problem : Problem
        Sizes and levels of all attributes.
    joint : Law
        The law of those that are chosen.
    chosen : ndarray of bool
        Which these are.
    """

    def __init__(self, problem: Problem, joint: Law, chosen: NDArray[np.bool_]) -> None:
        self.problem, self.chosen, self.block = problem, chosen, joint.block
        self.parts: tuple[Law, Law] = joint, Product(problem.part(~chosen))
        self.places = tuple(np.flatnonzero(places) for places in (chosen, ~chosen))

    def _together(self, values: tuple[Array, Array]) -> Array:
        """Put values of both parts in the order of the attributes."""
        result = np.empty(len(self.problem), dtype=values[0].dtype)
        for places, value in zip(self.places, values, strict=True):
            result[places] = value
        return frozen(result)

    def _split(self, attributes: Set[int]) -> Iterator[tuple[Law, set[int]]]:
        """Yield both parts, and the numbers that these attributes have in them."""
        for part, places in zip(self.parts, self.places, strict=True):
            yield part, set(np.flatnonzero(np.isin(places, list(attributes))).tolist())

    @property
    def nominal_epsilon(self) -> float:
        return self.parts[0].nominal_epsilon + self.parts[1].nominal_epsilon

    @property
    def epsilon(self) -> float:
        return (self.parts[0].epsilon + self.parts[1].epsilon) * (1 + ULP)

    @property
    def neighbour_epsilons(self) -> Floats:
        return self._together((self.parts[0].neighbour_epsilons, self.parts[1].neighbour_epsilons))

    @property
    def neighbour_exact(self) -> NDArray[np.bool_]:
        return self._together((self.parts[0].neighbour_exact, self.parts[1].neighbour_exact))

    def log_ratio(self, flips: Set[int]) -> float:
        return math.fsum(part.log_ratio(inside) for part, inside in self._split(flips))

    @property
    def rates(self) -> Floats:
        return self._together((self.parts[0].rates, self.parts[1].rates))

    def _interaction(self, attributes: Set[int]) -> float:
        return math.prod(part.rho(inside) for part, inside in self._split(attributes) if inside)

    def perturb(self, records: Array, source: Source) -> Array:
        result = np.empty_like(records)
        for part, places in zip(self.parts, self.places, strict=True):
            result[:, places] = part.perturb(records[:, places], source)
        return result

    def definition(self) -> dict[str, Any]:
        return {"joint": self.parts[0], "chosen": self.chosen}

    @classmethod
    def from_definition(cls, problem: Problem, *, joint: Law, chosen: NDArray[np.bool_]) -> Self:
        return cls(problem, joint.from_definition(problem.part(chosen), **joint.definition()), chosen)
