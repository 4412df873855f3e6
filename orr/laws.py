"""Flip laws: which attributes lie, and how that is drawn.

A symmetric mechanism gives every record with flip set ``S`` the probability ``f(S) / T``. Each
law here writes ``f = (1 + G) / (1 + M)``, a uniformly random record mixed with something else:
``G >= 0`` is the excess over the uniform part and ``M`` its mean. The uniform part is drawn with
exact integers, so ``min f`` is never below ``1 / (1 + M)``, and rounding can only raise ``max f``
by the relative error of the other draws. ``epsilon`` includes that error.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Set
from functools import cached_property, reduce
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from orr.problem import Floats, Integers, Problem, frozen
from orr.randomness import Categories, Source

ULP = 2.0**-52


class Law(ABC):
    """What a flip law can tell and do. Flip sets are sets of attribute numbers."""

    problem: Problem
    block = 2**17  # values randomized at a time

    @property
    @abstractmethod
    def epsilon(self) -> float:
        """Overall level of the sampler, rounding included."""

    @property
    @abstractmethod
    def nominal_epsilon(self) -> float:
        """Overall level if nothing were rounded."""

    @property
    @abstractmethod
    def neighbour_epsilons(self) -> Floats:
        """Largest change of ``log f`` when one attribute enters or leaves the flip set."""

    @abstractmethod
    def log_ratio(self, flips: Set[int]) -> float:
        """``log f(S) - log f(all)``."""

    @property
    @abstractmethod
    def rates(self) -> Floats:
        """Flip probability of each attribute, summed up from the law itself."""

    def rho(self, attributes: Set[int]) -> float:
        """Mean of ``prod(1 - B_i / p_i)`` over the attributes; exactly 0 where it is rounding noise."""
        w = self.problem.w[list(attributes)]
        return self._interaction(attributes) if len(w) > 1 else float(np.prod(w / (1 + w)))

    @abstractmethod
    def _interaction(self, attributes: Set[int]) -> float:
        """Compute the same for two attributes or more."""

    @abstractmethod
    def perturb(self, records: NDArray, source: Source) -> NDArray:
        """Randomize each row of a table of values."""


class Product(Law):
    """Every attribute lies on its own: it is replaced by a uniform value or kept."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem

    @property
    def nominal_epsilon(self) -> float:
        return float(self.problem.epsilons.sum())

    @property
    def epsilon(self) -> float:
        total = self.nominal_epsilon
        return total + ULP * (8 * len(self.problem) + 32 * total)

    @property
    def neighbour_epsilons(self) -> Floats:
        return self.problem.epsilons

    def log_ratio(self, flips: Set[int]) -> float:
        return math.fsum(e for i, e in enumerate(self.problem.epsilons) if i not in flips)

    @property
    def rates(self) -> Floats:
        return self.problem.q

    def _interaction(self, attributes: Set[int]) -> float:
        return math.prod(self.rho({i}) for i in attributes)

    def perturb(self, records: NDArray, source: Source) -> NDArray:
        kept = source.choose(self.problem.w, records.shape)
        values = source.integers(self.problem.sizes, records.shape)
        return np.where(kept, records, values.astype(records.dtype, copy=False))


class Lifted(Law):
    """A uniformly random record with odds 1 to M, else a flip set from a second law.

    ``kept[i]`` is the chance that attribute ``i`` of a record from the second law stays as it is. Else
    it is replaced by a uniformly random value, which lowers its level to the one asked and raises no
    other. None means that all stay.
    """

    kept: Floats | None = None

    @property
    @abstractmethod
    def weights(self) -> Floats:
        """Weight of each category of the second law, in units of the uniform part; they sum to M."""

    @property
    @abstractmethod
    def lies(self) -> Floats:
        """Weight of the flip sets of the second law that hold each attribute, before repairs."""

    @abstractmethod
    def flipped(self, categories: Integers, source: Source) -> tuple[Integers, Integers]:
        """Rows and attributes that lie, for categories drawn in proportion to the weights."""

    @property
    def roundings(self) -> int:
        """Bound on the relative error of a probability of the second law, in units in the last place."""
        return 3 * len(self.weights)

    @property
    def epsilon(self) -> float:
        return self.nominal_epsilon + ULP * (self.roundings + 64 + 32 * self.nominal_epsilon)

    @cached_property
    def _categories(self) -> Categories:
        return Categories(self.weights)

    @cached_property
    def mass(self) -> float:
        """``M``, the weight of the second law in units of the uniform part."""
        return float(self.weights.sum())

    @cached_property
    def rates(self) -> Floats:
        p, kept = self.problem.p, 1.0 if self.kept is None else self.kept
        return (p + kept * self.lies + (1 - kept) * p * self.mass) / (1 + self.mass)

    def perturb(self, records: NDArray, source: Source) -> NDArray:
        (n, k), sizes = records.shape, self.problem.sizes
        lifted = source.choose(np.array(self.mass), (n,))
        result = records.copy()
        result[~lifted] = source.integers(sizes, (n - np.count_nonzero(lifted), k))
        rows = np.flatnonzero(lifted)
        lying, attributes = self.flipped(self._categories.draw(len(rows), source), source)
        places = rows[lying], attributes
        shift = 1 + source.integers(sizes[attributes] - 1, attributes.shape).astype(np.int64)
        result[places] = (records[places].astype(np.int64) + shift) % sizes[attributes]
        if self.kept is not None:
            again, attributes = np.nonzero(~source.coins(self.kept, (len(rows), k)))
            result[rows[again], attributes] = source.integers(sizes[attributes], attributes.shape)
        return result


class RadiusOne(Lifted):
    """Nothing but the truth or one lie, above the uniform part.

    ``G`` is ``T * z0`` when nothing is flipped, ``T * z[i]`` when attribute ``i`` alone is, else 0.
    """

    def __init__(self, problem: Problem, z0: float, z: Floats) -> None:
        self.problem, self.z0 = problem, z0
        self.z = np.maximum(z, 0)  # rounding may leave less

    @cached_property
    def weights(self) -> Floats:
        return np.append((self.problem.sizes - 1) * self.z, self.z0)

    @property
    def lies(self) -> Floats:
        return self.weights[:-1]

    def flipped(self, categories: Integers, source: Source) -> tuple[Integers, Integers]:
        rows = np.flatnonzero(categories < len(self.z))
        return rows, categories[rows]

    def _log_ratio(self, z: Floats | float) -> Floats:
        with np.errstate(divide="ignore"):
            return np.logaddexp(0, self.problem.log_records + np.log(z))

    @cached_property
    def nominal_epsilon(self) -> float:
        return float(self._log_ratio(max(self.z0, self.z.max())))

    @cached_property
    def neighbour_epsilons(self) -> Floats:
        truth, single = self._log_ratio(self.z0), self._log_ratio(self.z)
        others = np.zeros_like(single)
        if len(single) > 1:
            second, first = np.partition(single, -2)[-2:]
            others = np.where(single == first, second, first)
        return frozen(np.maximum(np.abs(truth - single), others))

    def log_ratio(self, flips: Set[int]) -> float:
        if len(flips) > 1:
            return 0.0
        return float(self._log_ratio(self.z[next(iter(flips))] if flips else self.z0))

    def _interaction(self, attributes: Set[int]) -> float:
        chosen = list(attributes)
        lost = math.fsum(self.problem.sizes[chosen] * self.z[chosen])
        value = self.mass - lost
        return 0.0 if abs(value) <= 1e-12 * (self.mass + lost) else value / (1 + self.mass)


class Table(Lifted):
    """Any law on flip sets, as a cube with one axis of length 2 for each attribute.

    ``excess[b_1, ..., b_k]`` is ``G`` at the flip set of the attributes with ``b_i = 1``.
    """

    def __init__(self, problem: Problem, excess: Floats) -> None:
        self.problem = problem
        self.excess = (excess - excess.min()) / (1 + excess.min())

    @cached_property
    def weights(self) -> Floats:
        return (self.problem.uniform * self.excess).ravel()

    @property
    def lies(self) -> Floats:
        cube = self.weights.reshape(self.excess.shape)
        return np.array([np.take(cube, 1, axis=i).sum() for i in range(cube.ndim)])

    def flipped(self, categories: Integers, source: Source) -> tuple[Integers, Integers]:
        k = len(self.problem)
        rows, attributes = np.nonzero(categories[:, None] >> np.arange(k)[::-1] & 1)
        return rows, attributes

    @cached_property
    def nominal_epsilon(self) -> float:
        return float(np.log1p(self.excess.max()))

    @cached_property
    def neighbour_epsilons(self) -> Floats:
        log_x = np.log1p(self.excess)
        return frozen(np.array([np.abs(np.diff(log_x, axis=i)).max() for i in range(log_x.ndim)]))

    def log_ratio(self, flips: Set[int]) -> float:
        place = tuple(int(i in flips) for i in range(self.excess.ndim))
        return float(np.log1p(self.excess[place]) - np.log1p(self.excess.flat[-1]))

    def _interaction(self, attributes: Set[int]) -> float:
        others = tuple(i for i in range(self.excess.ndim) if i not in attributes)
        mean = (self.problem.uniform * self.excess).sum(axis=others)
        lie = -1 / (self.problem.sizes[sorted(attributes)] - 1)
        terms = mean * reduce(np.multiply.outer, np.column_stack([np.ones_like(lie), lie]))
        value, scale = math.fsum(terms.flat), math.fsum(np.abs(terms).flat)
        return 0.0 if abs(value) <= 1e-9 * scale else value / (1 + self.mass)


def subsets(attributes: tuple[int, ...]) -> list[tuple[int, ...]]:
    """All subsets, by size and then in lexicographic order: the paper's order of flip sets."""
    return [s for r in range(len(attributes) + 1) for s in combinations(attributes, r)]
