"""Flip laws: which attributes lie, and how that is drawn.

A symmetric mechanism gives every record with flip set ``S`` the probability ``f(S) / T``. Each
law here writes ``f = (1 + G) / (1 + M)``, a uniformly random record mixed with something else:
``G >= 0`` is the excess over the uniform part and ``M`` its mean. The uniform part is drawn with
exact integers, so ``min f`` is never below ``1 / (1 + M)``, and rounding can only raise ``max f``
by the relative error of the other draws. ``epsilon`` includes that error: :mod:`orr.rounding` derives it.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Set
from functools import cached_property, reduce
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from orr.problem import Floats, Integers, Problem, frozen
from orr.randomness import Categories, Source
from orr.rounding import FLOOR, LEVELS, TINY, ULP, Unsound, alias_units, eased_units, level_above


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
        """Largest change of ``log f`` when one attribute enters or leaves the flip set, or more."""

    @property
    def neighbour_exact(self) -> NDArray[np.bool_]:
        """Whether each neighbour level is that change, but for rounding, and not only above it."""
        return np.ones(len(self.problem), dtype=bool)

    def _above(self, levels: Floats) -> Floats:
        """Round neighbour levels up by what the draws may add to the overall level, and no further."""
        margin = self.epsilon - self.nominal_epsilon
        return frozen(np.minimum(levels + 2 * margin, self.epsilon))

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

    def perturb(self, records: NDArray, source: Source) -> NDArray:
        kept = source.choose(self.problem.w, records.shape)
        values = source.integers(self.problem.sizes, records.shape)
        return np.where(kept, records, values.astype(records.dtype, copy=False))


class Lifted(Law):
    """A uniformly random record with odds 1 to M, else a flip set from a second law.

    Where the second law tells more of an attribute than was asked, it is *repaired*: ``stay[i]`` are the
    odds that attribute ``i`` of a record from the second law stays as it is. Else it is replaced by a
    uniformly random value, which lowers its level to the one asked and raises no other. None means
    that all stay.
    """

    stay: Floats | None = None

    @property
    @abstractmethod
    def weights(self) -> Floats:
        """Mass of each category of the second law, in units of the uniform part; they sum to M."""

    @property
    @abstractmethod
    def lies(self) -> Floats:
        """Mass of the flip sets of the second law that hold each attribute, before repairs."""

    @abstractmethod
    def flipped(self, categories: Integers, source: Source) -> tuple[Integers, Integers]:
        """Rows and attributes that lie, for categories drawn in proportion to the weights."""

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
        """Units by which the coins that place the flips of a category may raise a flip set's chance."""
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
        return Categories(self.weights)

    @cached_property
    def mass(self) -> float:
        """``M``, the mass of the second law in units of the uniform part."""
        return math.fsum(self.weights.tolist())

    @property
    @abstractmethod
    def told(self) -> Floats:
        """``1 - r / p`` for the flip rates ``r`` of the second law, before repairs."""

    @property
    def kept(self) -> Floats:
        """Chance that each attribute of a record from the second law stays as it is."""
        return np.ones(len(self.problem)) if self.stay is None else 1 / (1 + 1 / self.stay)

    @property
    def replaced(self) -> Floats:
        """Chance that it does not."""
        return np.zeros(len(self.problem)) if self.stay is None else 1 / (1 + self.stay)

    @cached_property
    def rates(self) -> Floats:
        lies = self.lies + self.replaced * self.problem.p * self.told * self.mass
        return (self.problem.p + lies) / (1 + self.mass)

    def repair(self) -> None:
        """Find the odds to stay that give every attribute the level asked."""
        p, q, w = self.problem.p, self.problem.q, self.problem.w
        surplus = q * (1 - w / self.mass) - self.lies / self.mass
        with np.errstate(divide="ignore"):
            stay = p * (w / (1 + w)) * (1 + 1 / self.mass) / np.maximum(surplus, 0)
        # Neither flips nor truths show a surplus this small: it is what the solvers were asked for more.
        most = 4 * ULP * eased_units(len(q), self.problem.epsilons.max(), 40)
        stay[(surplus <= most * q) & (stay > 1e9)] = math.inf
        self.stay = stay if (stay < math.inf).any() else None

    def check(self) -> None:
        """Refuse masses that are not finite, and levels that are not the ones asked."""
        if not 0 < self.mass < math.inf:
            raise Unsound(f"the odds of the second law are {self.mass}")
        w = self.problem.w
        told = self.kept * self.told * (1 + 1 / w) / (1 + 1 / self.mass)
        off = np.abs(np.where(w < 1, told, self.rates / self.problem.q) - 1)
        # Half of what is tolerated: a level may change by twice as much as what is told of it.
        if not off.max() <= LEVELS / 2:  # nan, too
            i = int(np.argmax(np.nan_to_num(off, nan=np.inf)))
            raise Unsound(f"attribute {i} misses its level {self.problem.epsilons[i]} by {off[i]:.2g} of it")

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
        if self.stay is not None:
            (shaky,) = np.nonzero(self.stay < math.inf)
            again, which = np.nonzero(~source.choose(self.stay[shaky], (len(rows), len(shaky))))
            attributes = shaky[which]
            result[rows[again], attributes] = source.integers(sizes[attributes], attributes.shape)
        return result


class RadiusOne(Lifted):
    """Nothing but the truth or one lie, above the uniform part.

    ``G`` is ``T * z0`` when nothing is flipped, ``T * z[i]`` when attribute ``i`` alone is, else 0.
    """

    def __init__(self, problem: Problem, z0: float, z: Floats) -> None:
        self.problem = problem
        z = np.maximum(z, 0)  # rounding may leave less
        # A mass that is hardly a normal double belongs to a lie far below the truth: digits do not matter.
        self.z0, self.z = z0, z
        self.check()

    @classmethod
    def beside(cls, problem: Problem, z0: float, z: Floats) -> Law:
        """Return the law with these masses; faint attributes stand beside it.

        Without them, a lie about one of them is no lie. The overall level does not rise by that, since
        ``z0`` is at least their ``z``. If one is left, they all are randomized one by one.
        """
        mass = z0 + math.fsum(((problem.sizes - 1) * z).tolist())
        faint = (problem.w < FLOOR * min(1.0, mass)) & (z > 0)
        if not faint.any():
            return cls(problem, z0, z)
        if np.count_nonzero(~faint) == 1:
            return Product(problem)
        z0 += math.fsum(((problem.sizes - 1) * z)[faint].tolist())
        return Beside(problem, cls(problem.part(~faint), z0, z[~faint]), ~faint)

    @cached_property
    def weights(self) -> Floats:
        return np.append((self.problem.sizes - 1) * self.z, self.z0)

    @property
    def lies(self) -> Floats:
        return self.weights[:-1]

    @property
    def told(self) -> Floats:
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

    def log_ratio(self, flips: Set[int]) -> float:
        if len(flips) > 1:
            return 0.0
        excess = self._log_excess(self.z[next(iter(flips))] if flips else self.z0)
        last = self._log_excess(self.z[0]) if len(self.z) == 1 else -math.inf  # one flip may be all
        return float(np.logaddexp(0, excess) - np.logaddexp(0, last))

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


class Beside(Law):
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

    def _together(self, values: tuple[NDArray, NDArray]) -> NDArray:
        """Put values of both parts in the order of the attributes."""
        result = np.empty(len(self.problem), dtype=values[0].dtype)
        for places, value in zip(self.places, values, strict=True):
            result[places] = value
        return frozen(result)

    def _split(self, attributes: Set[int]) -> Iterator[tuple[Law, set[int]]]:
        """Give both parts, and the numbers that these attributes have in them."""
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

    def perturb(self, records: NDArray, source: Source) -> NDArray:
        result = np.empty_like(records)
        for part, places in zip(self.parts, self.places, strict=True):
            result[:, places] = part.perturb(records[:, places], source)
        return result


def subsets(attributes: tuple[int, ...]) -> list[tuple[int, ...]]:
    """All subsets, by size and then in lexicographic order: the paper's order of flip sets."""
    return [s for r in range(len(attributes) + 1) for s in combinations(attributes, r)]
