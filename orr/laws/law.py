"""Flip laws: which attributes flip, and how that is drawn (chapter many-answers).

A symmetric mechanism gives every record with flip set ``S`` the probability ``f(S) / T``. A
*lifted* law writes ``f = (1 + G) / (1 + M)``, a uniformly random record mixed with something else:
``G >= 0`` is the excess over the uniform part and ``M`` its mean. The uniform part is drawn with
exact integers, so ``min f`` is never below ``1 / (1 + M)``, and rounding can only raise ``max f``
by the relative error of the other draws. ``epsilon`` includes that of all draws: see :mod:`orr.rounding`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Set
from functools import cached_property
from itertools import combinations
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from orr import rounding
from orr.arrays import Array, Floats, Integers, frozen
from orr.levels import Levels
from orr.problem import Problem
from orr.randomness import AliasTable, Categories, Lookup, Source
from orr.rounding import LEVEL_TOLERANCE, MIN_RETAINED, ULP, Unsound, alias_units, level_above

CACHED_FLIPS = 2**15  # flips of a batch: few enough that values stay in the cache between read and write

CANCELLED = 1e-9  # share of its terms that a sum must have, or it is rounding noise: terms have 12 digits


class Law(ABC):
    """A law of the flip set. Flip sets are sets of attribute numbers."""

    problem: Problem
    block = 2**17  # values randomized at a time

    @property
    @abstractmethod
    def epsilon(self) -> float:
        """Overall level of the sampler, rounding included."""

    @property
    @abstractmethod
    def nominal_epsilon(self) -> float:
        """Overall level without rounding."""

    @property
    @abstractmethod
    def neighbour_epsilons(self) -> Floats:
        """Upper bounds of the change of ``log f`` when one attribute enters or leaves the flip set."""

    @property
    def neighbour_exact(self) -> NDArray[np.bool_]:
        """Whether each neighbour level is the largest such change, up to rounding."""
        return np.ones(len(self.problem), dtype=bool)

    @cached_property
    def levels(self) -> Levels:
        """All levels of the law."""
        neighbours = self.neighbour_epsilons, self.neighbour_exact
        problem = self.problem
        return Levels(problem.sizes, self.epsilon, problem.epsilons, *neighbours, problem.q)

    def _above(self, levels: Floats) -> Floats:
        """Add the sampling margin to the neighbour levels, but never exceed the overall level."""
        margin = self.epsilon - self.nominal_epsilon
        return frozen(np.minimum(levels + 2 * margin, self.epsilon))

    @abstractmethod
    def log_ratio(self, flips: Set[int]) -> float:
        """Return ``log f(S) - log f(all)``."""

    @property
    @abstractmethod
    def rates(self) -> Floats:
        """Flip probability of each attribute, computed from the law itself."""

    def rho(self, attributes: Set[int]) -> float:
        """Return the mean of ``prod(1 - B_i / p_i)`` over the attributes; 0 where it is rounding noise."""
        w = self.problem.w[list(attributes)]
        return self._interaction(attributes) if len(w) > 1 else float(np.prod(w / (1 + w)))

    @abstractmethod
    def _interaction(self, attributes: Set[int]) -> float:
        """Return `rho` of two attributes or more."""

    @abstractmethod
    def perturb(self, records: Array, source: Source) -> Array:
        """Randomize each row of a table of values."""

    @abstractmethod
    def definition(self) -> dict[str, Any]:
        """Return the numbers that define the law, by the names that :meth:`from_definition` takes."""

    @classmethod
    def from_definition(cls, problem: Problem, *args: Any, **numbers: Any) -> Self:
        """Return the law that numbers define, the same to the last digit; raise if they cannot define one."""
        return cls(problem, *args, **numbers)  # type: ignore[call-arg]


class Lifted(Law):
    """A uniformly random record with odds 1 to M, otherwise a flip set from a second law.

    Where the second law tells more about an attribute than was asked, it is *repaired*: ``stay[i]`` are the
    odds that attribute ``i`` of a record from the second law is kept. Otherwise it is replaced by a
    uniformly random value, which lowers its level to the one asked and raises no other. None means
    that all are kept.
    """

    stay: Floats | None = None

    @property
    @abstractmethod
    def weights(self) -> Floats:
        """Mass of each category of the second law, in units of the uniform part; they sum to M."""

    @property
    @abstractmethod
    def flip_mass(self) -> Floats:
        """Mass of the flip sets of the second law that hold each attribute, before repairs."""

    @abstractmethod
    def flipped(self, categories: Integers, source: Source) -> tuple[Integers, Integers]:
        """Return the rows and attributes that flip, for categories drawn in proportion to the weights."""

    def batches(self, categories: Integers, source: Source) -> Iterator[tuple[Integers, Integers]]:
        """Yield rows and attributes that flip, some attributes at a time if there are many."""
        yield self.flipped(categories, source)

    @property
    @abstractmethod
    def log_top(self) -> float:
        """Logarithm of the largest ``G``, before repairs."""

    @property
    @abstractmethod
    def counted(self) -> float:
        """Units by which ``G`` may differ from what the weights say (:mod:`orr.rounding`)."""

    @property
    def coins(self) -> float:
        """Units by which the coins that place the flips of a category may raise a flip set's probability."""
        return 0.0

    @property
    def drawn(self) -> float:
        """Units by which the draws may raise ``G``: odds, their sum, alias table, coins."""
        return alias_units(len(self.weights)) + 4 + self.coins

    @property
    def nominal_epsilon(self) -> float:
        return float(np.logaddexp(0, self.log_top))

    @cached_property
    def epsilon(self) -> float:
        return level_above(self.log_top, self.counted + self.drawn)

    @cached_property
    def _categories(self) -> Categories:
        return AliasTable(self.weights)

    @cached_property
    def mass(self) -> float:
        """``M``, the mass of the second law in units of the uniform part."""
        return math.fsum(self.weights.tolist())

    @property
    @abstractmethod
    def retained_information(self) -> Floats:
        """``1 - r / p`` for the flip rates ``r`` of the second law, before repairs."""

    @property
    def rate_units(self) -> float:
        """Units by which flip rates differ from those of the draws, where they are more than a few."""
        return 0.0

    @property
    def _odds_to_stay(self) -> Floats:
        """Return the odds to stay, infinite where all stay."""
        return np.full(len(self.problem), math.inf) if self.stay is None else self.stay

    @property
    def kept(self) -> Floats:
        """Probability that each attribute of a record from the second law is kept by repairs."""
        return np.ones(len(self.problem)) if self.stay is None else 1 / (1 + 1 / self.stay)

    @property
    def replaced(self) -> Floats:
        """Probability that repairs replace it."""
        return np.zeros(len(self.problem)) if self.stay is None else 1 / (1 + self.stay)

    @cached_property
    def rates(self) -> Floats:
        mass = self.flip_mass + self.replaced * self.problem.p * self.retained_information * self.mass
        return (self.problem.p + mass) / (1 + self.mass)

    def log_ratio(self, flips: Set[int]) -> float:
        return self._log_density(flips) - self._log_density(set(range(len(self.problem))))

    @abstractmethod
    def _log_density(self, flips: Set[int]) -> float:
        """Return the logarithm of ``1 + G``, repairs included."""

    def _shrunk(self, attributes: list[int], terms: Floats) -> float:
        """Return an interaction from its terms before repairs, in units of the uniform part."""
        value, scale = math.fsum(terms.tolist()), math.fsum(np.abs(terms).tolist())
        kept = float(np.prod(self.kept[attributes]))
        return 0.0 if abs(value) <= CANCELLED * scale else kept * value / (1 + self.mass)

    def repair(self, stay: Floats | None = None) -> None:
        """Find the odds to stay that give every attribute the level asked, unless they are given."""
        if stay is not None:
            if stay.shape != self.problem.sizes.shape or not (stay >= 0).all():  # also rejects NaN
                raise ValueError("stay must be odds of at least 0, one per attribute")
            self.stay = stay if (stay < math.inf).any() else None
            return
        p, q, w = self.problem.p, self.problem.q, self.problem.w
        surplus = q * (1 - w / self.mass) - self.flip_mass / self.mass
        with np.errstate(divide="ignore", over="ignore"):
            stay = p * (w / (1 + w)) * (1 + 1 / self.mass) / np.maximum(surplus, 0)
        # A surplus this small is the margin that the solvers were given, and shows in no flip rate.
        most = 4 * ULP * rounding.relaxation_units(len(q), self.problem.epsilons.max(), 40)
        stay[(surplus <= most * q) & (stay > 1e9)] = math.inf
        self.stay = stay if (stay < math.inf).any() else None

    def check(self) -> None:
        """Raise if masses are not finite, levels are not the ones asked, or an attribute is faint."""
        if not 0 < self.mass < math.inf:
            raise Unsound(f"the odds of the second law are {self.mass}")
        w, told = self.problem.w, self.retained_information
        right = self.kept * told * (1 + 1 / w) / (1 + 1 / self.mass)
        off = np.abs(np.where(w < 1, right, self.rates / self.problem.q) - 1)
        off += ULP * self.rate_units * np.where(w < 1, 1 / told, 1)
        if told.min() < MIN_RETAINED:  # the digits of a difference are lost
            i = int(told.argmin())
            raise Unsound(
                f"attribute {i} is too faint for a joint law: {told[i]:.2g} of its information is left"
            )
        # Half of the tolerance: a level may change by twice as much as the information retained.
        if not off.max() <= LEVEL_TOLERANCE / 2:  # also rejects NaN
            i = int(np.argmax(np.nan_to_num(off, nan=np.inf)))
            level = self.problem.epsilons[i]
            raise Unsound(f"attribute {i} may miss its level {level} by {off[i]:.2g} of it")

    def perturb(self, records: Array, source: Source) -> Array:
        (n, k), sizes = records.shape, self.problem.sizes
        lifted = source.choose(np.array(self.mass), (n,))
        result = records.copy()
        result[~lifted] = source.integers(sizes, (n - np.count_nonzero(lifted), k))
        rows = np.flatnonzero(lifted)
        values = result.reshape(-1)
        for flipping, attributes in self.batches(self._categories.draw(len(rows), source), source):
            places, top = rows[flipping] * k + attributes, sizes[attributes].astype(np.uint32)
            steps = source.integers(Lookup(sizes - 1, attributes), attributes.shape)
            moved = values[places] + steps + np.uint32(1)
            values[places] = moved - top * (moved >= top)
        if self.stay is not None:
            self._replace(result, rows, self.stay, source)
        return result

    def _replace(self, result: Array, rows: Integers, stay: Floats, source: Source) -> None:
        """Replace the values that repairs do not keep, in some rows of a result."""
        shaky = np.flatnonzero(stay < math.inf)
        step = max(1, Law.block // len(shaky))
        for start in range(0, len(rows), step):
            near = rows[start : start + step]
            kept = source.choose(stay[shaky], (len(near), len(shaky)))
            again, which = np.divmod(np.flatnonzero(~kept), len(shaky))
            attributes = shaky[which]
            values = source.integers(Lookup(self.problem.sizes, attributes), which.shape)
            result[near[again], attributes] = values


def subsets(attributes: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return all subsets, by size and then in lexicographic order: the paper's order of flip sets."""
    return [s for r in range(len(attributes) + 1) for s in combinations(attributes, r)]
