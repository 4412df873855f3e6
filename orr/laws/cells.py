"""Flip sets listed one by one, with attributes of the same size and level counted together (chapter shape).

A *cell* says how many attributes of each kind flip. Flip sets in the same cell are equally likely, and
where all kinds differ a cell is a flip set. Only cells above the uniform part are listed, so there may
be a thousand attributes as long as few flips at a time stand out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Set
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from orr.arrays import Floats, Integers, frozen
from orr.laws.law import Lifted
from orr.problem import Kinds, Problem
from orr.randomness import Source
from orr.rounding import MIN_MASS, Unsound, log_sum

DENSE_LOG2 = 18  # all cells are compared if there are at most 2^18: a second or so
DENSE_ROW = 2_000  # attributes of a kind, whose repairs take a matrix of the square of that
DENSITIES = 10**8  # numbers that may be read to compare what repairs leave of the largest changes


class Cells(Lifted):
    """A law that lifts listed cells above the uniform part.

    ``log_excess[j]`` is the logarithm of ``G`` at the flip sets of cell ``j``. A cell too rare for a double
    next to the likeliest is dropped.
    """

    block, deep = 2**24, False

    def __init__(
        self,
        problem: Problem,
        kinds: Kinds,
        cells: Integers,
        log_excess: Floats,
        stay: Floats | None = None,
    ) -> None:
        self.problem, self.kinds = problem, kinds
        if not len(cells):
            raise Unsound("no cell stands out from the uniform part")
        log_masses = log_excess + kinds.log_uniform(cells)
        listed = log_masses > self._least(log_masses)
        self.cells, self.log_excess, self._log_masses = cells[listed], log_excess[listed], log_masses[listed]
        if not (self._log_masses.size and self._log_masses.max() < 709):
            raise Unsound(f"the mass of a cell would be e^{log_masses.max():.6g}")
        self.repair(stay)
        self.check()

    def _least(self, log_masses: Floats) -> float:
        """Return the logarithm of the largest mass that is dropped."""
        return max(float(log_masses.max()), 0.0) + math.log(MIN_MASS)

    @cached_property
    def weights(self) -> Floats:
        return frozen(np.exp(self._log_masses))

    @cached_property
    def flip_mass(self) -> Floats:
        return self._per_attribute(lambda g: self.cells[:, g] / self.kinds.count[g])

    @cached_property
    def retained_information(self) -> Floats:
        flips = self.kinds.count * self.kinds.problem.p
        return self._per_attribute(lambda g: 1 - self.cells[:, g] / flips[g]) / self.mass

    def _per_attribute(self, value: Callable[[int], Floats]) -> Floats:
        """Sum a value over the cells, for each kind, pairwise; return it for each attribute."""
        sums = [(self.weights * value(g)).sum() for g in range(len(self.kinds))]
        return np.array(sums)[self.kinds.of]

    @cached_property
    def log_top(self) -> float:
        return float(self.log_excess.max())

    @cached_property
    def counted(self) -> float:
        return self.kinds.units(self.cells) + float(np.abs(self._log_masses).max()) + 8

    @property
    def coins(self) -> float:
        return 0.5 * float(self.kinds.count[self.kinds.count > 1].sum())

    def flipped(self, categories: Integers, source: Source) -> tuple[Integers, Integers]:
        counts = self.cells[categories]
        flips = np.zeros((len(categories), len(self.kinds.of)), dtype=bool)
        for g, n in enumerate(self.kinds.count.tolist()):
            (rows,) = np.nonzero(counts[:, g])
            left = counts[rows, g]
            for i, attribute in enumerate(np.flatnonzero(self.kinds.of == g)):
                # Of the n - i attributes to come, so many flip, and any of them may.
                flip = source.choose(left, left.shape, against=n - i - left) if n > 1 else left > 0
                flips[rows, attribute] = flip
                left = left - flip
        rows, attributes = np.nonzero(flips)
        return rows, attributes

    @cached_property
    def neighbour_epsilons(self) -> Floats:
        return self._above(self._neighbours[0][self.kinds.of])

    @property
    def neighbour_exact(self) -> NDArray[np.bool_]:
        return self._neighbours[1][self.kinds.of]

    @cached_property
    def _neighbours(self) -> tuple[Floats, NDArray[np.bool_]]:
        """Neighbour level of each kind, and whether it is exact.

        Where all cells can be listed, those after repairs. Else those before them, which are at least as
        large; they are exact if the pair of cells that is furthest apart still is so after repairs.
        """
        shape = tuple((self.kinds.count + 1).tolist())
        most = np.inf if self.stay is None else DENSE_ROW
        if np.log2(shape).sum() <= DENSE_LOG2 and max(shape) <= most:
            return self._neighbours_of_all(shape), np.ones(len(shape), dtype=bool)
        levels, pairs = self._neighbours_listed()
        if self.stay is None:
            return levels, np.ones(len(shape), dtype=bool)
        if self.cells.size * len(shape) > DENSITIES or max(shape) > 2 * DENSE_ROW:
            return levels, np.zeros(len(shape), dtype=bool)
        after = [abs(self._log_density_in(one) - self._log_density_in(other)) for one, other in pairs]
        return levels, np.array(after) >= levels * (1 - 1e-9)

    def _neighbours_of_all(self, shape: tuple[int, ...]) -> Floats:
        """Compare all neighbours after repairs."""
        levels = np.zeros(shape)
        levels[tuple(self.cells.T)] = np.logaddexp(0, self.log_excess)
        if self.stay is not None:
            shift = max(self.log_top - 700, 0.0)  # so that nothing overflows
            cube = np.zeros(shape)
            cube[tuple(self.cells.T)] = np.exp(self.log_excess - shift)
            for g, n in enumerate(self.kinds.count.tolist()):
                moves = np.array([self._moved(g, c) for c in range(n + 1)])
                cube = np.moveaxis(np.tensordot(moves, cube, axes=(1, g)), 0, g)
            with np.errstate(divide="ignore"):
                levels = np.logaddexp(0, shift + np.log(cube))
        return np.array([np.abs(np.diff(levels, axis=g)).max() for g in range(len(shape))])

    def _neighbours_listed(self) -> tuple[Floats, list[tuple[Integers, Integers]]]:
        """Compare every cell listed with its neighbours; give the largest changes and where they are."""
        steps = self.kinds.steps
        key = self.cells.astype(np.uint64) @ steps
        order = np.argsort(key)
        key, cells, levels = key[order], self.cells[order], np.logaddexp(0, self.log_excess)[order]
        result, pairs = np.zeros(len(self.kinds)), []
        for g in range(len(self.kinds)):
            one = other = cells[0]
            for shift in (1, -1):
                wanted = key + (steps[g] if shift > 0 else (-steps)[g])
                place = np.minimum(np.searchsorted(key, wanted), len(key) - 1)
                change = np.abs(levels - np.where(key[place] == wanted, levels[place], 0.0))
                moved = cells[:, g] + shift
                change[(moved < 0) | (moved > self.kinds.count[g])] = 0
                best = int(change.argmax())
                if change[best] > result[g]:
                    result[g], one, other = change[best], cells[best], cells[best].copy()
                    other[g] += shift
            pairs.append((one, other))
        return result, pairs

    def _log_density(self, flips: Set[int]) -> float:
        return self._log_density_in(np.bincount(self.kinds.of[list(flips)], minlength=len(self.kinds)))

    def _log_density_in(self, flipped: Integers) -> float:
        """Return the logarithm of ``1 + G``, repairs included, at the flip sets of a cell."""
        total = self.log_excess.copy()
        with np.errstate(divide="ignore"):
            for g, c in enumerate(flipped.tolist()):
                total += np.log(self._moved(g, c))[self.cells[:, g]]
        return float(np.logaddexp(0, log_sum(total)))

    def _moved(self, g: int, c: int) -> Floats:
        """Return the probability of each number of flips of a kind after repairs, given c before."""
        n, i = int(self.kinds.count[g]), self.kinds.first[g]
        s, p, size = self.replaced[i], self.problem.p[i], self.problem.sizes[i]
        if s == 0:
            return np.eye(1, n + 1, c)[0]
        # Not 1 - p nor 1 - s p, which lose digits where there are many values.
        back, forth = binomial(c, s / size, 1 - s / size), binomial(n - c, s * p, self.kept[i] + s / size)
        return np.convolve(back[::-1], forth)

    def _interaction(self, attributes: Set[int]) -> float:
        chosen = list(attributes)
        asked = np.bincount(self.kinds.of[chosen], minlength=len(self.kinds))
        terms = self.weights.copy()
        for g in np.flatnonzero(asked):
            n, m, a = int(self.kinds.count[g]), int(asked[g]), self.kinds.problem.sizes[g]
            factor = (-1.0 / (a - 1)) ** np.arange(m + 1)
            table = [among(n, c, m) @ factor for c in range(int(self.cells[:, g].max()) + 1)]
            terms *= np.array(table)[self.cells[:, g]]
        return self._shrunk(chosen, terms)

    def definition(self) -> dict[str, Any]:
        return {"cells": self.cells, "log_excess": self.log_excess, "stay": self._odds_to_stay}

    @classmethod
    def from_definition(cls, problem: Problem, *, cells: Integers, log_excess: Floats, stay: Floats) -> Self:
        kinds = Kinds(problem)
        if (cells < 0).any() or (cells > kinds.count).any() or len(np.unique(cells, axis=0)) < len(cells):
            raise ValueError("cells must differ, with no more flips than attributes")
        return cls(problem, kinds, cells, log_excess, stay)


def binomial(n: int, hit: float, miss: float) -> Floats:
    """Return the probabilities of 0, ..., n hits in n trials, right however small that of a hit or a miss is.

    Examples
    --------
    >>> binomial(2, 0.25, 0.75)
    array([0.5625, 0.375 , 0.0625])
    """
    hits = np.arange(n + 1)
    ways = np.concatenate([[0.0], np.cumsum(np.log((n - hits[:-1]) / hits[1:]))])
    return np.exp(ways + hits * _log_chance(hit, miss) + (n - hits) * _log_chance(miss, hit))


def _log_chance(chance: float, other: float) -> float:
    """Return the logarithm of a probability, computed from the smaller one of it and its complement."""
    return math.log(chance) if chance < other else math.log1p(-other)


def among(n: int, flips: int, m: int) -> Floats:
    """Return the probabilities that 0, ..., m of m attributes flip, given the number of flips among all n.

    Examples
    --------
    >>> among(4, 2, 2) * 6
    array([1., 4., 1.])
    """
    ways = (math.comb(flips, j) * math.comb(n - flips, m - j) for j in range(m + 1))
    return np.array([count / math.comb(n, m) for count in ways])
