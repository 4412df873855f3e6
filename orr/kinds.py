"""Attributes that are alike, counted together."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from orr.arrays import Array, Floats, Integers
from orr.problem import Problem
from orr.rounding import log_binomial


class Kinds:
    """The different pairs of size and level, and which attributes have them.

    ``order`` sorts the attributes by size, then by level, and keeps the order of those that are alike.

    Examples
    --------
    >>> kinds = Kinds(Problem([3, 2, 3], [1.0, 2.0, 1.0]))
    >>> kinds.count, kinds.of
    (array([1, 2]), array([1, 0, 1]))
    """

    def __init__(self, problem: Problem) -> None:
        self.order = np.lexsort((problem.epsilons, problem.sizes))
        sizes, levels = problem.sizes[self.order], problem.epsilons[self.order]
        new = np.append(True, (np.diff(sizes) != 0) | (levels[1:] != levels[:-1]))
        self.whole, self.first, self.of = problem, self.order[new], np.empty_like(self.order)
        self.of[self.order] = np.cumsum(new) - 1
        self.count = np.diff(np.append(np.flatnonzero(new), len(new)))
        self.problem = Problem.achieved(sizes[new], levels[new])

    def __len__(self) -> int:
        return len(self.count)

    @cached_property
    def tables(self) -> list[tuple[Floats, Floats]]:
        """Logarithm of the probability of each number of flips of a kind, and the units of its error."""
        pairs = zip(self.count.tolist(), self.problem.sizes.tolist(), strict=True)
        return [log_binomial(n, a) for n, a in pairs]

    def log_uniform(self, cells: Integers) -> Floats:
        """Logarithm of the probability of each cell under a uniformly random record."""
        total = np.zeros(len(cells))
        for (table, _), column in zip(self.tables, cells.T, strict=True):
            total += table[column]
        return total

    def units(self, cells: Integers) -> float:
        """Units by which the logarithms of the probabilities of cells may be off: tables and additions."""
        total = np.zeros(len(cells))
        for (table, units), column in zip(self.tables, cells.T, strict=True):
            total += units[column] + 0.5 * len(self) * np.abs(table[column])
        return float(total.max())

    @cached_property
    def steps(self) -> NDArray[np.uint64]:
        """Random numbers that make a linear hash of cells, in which a neighbour is a step away."""
        return np.random.default_rng(0).integers(2**63, size=len(self), dtype=np.uint64)

    def below(self, weights: Floats, cut: float, most: int) -> Integers | None:
        """List the cells whose flips weigh less than a cut; None if there are more than a limit."""
        if np.count_nonzero(weights < cut) >= most:
            return None
        cells: Array = np.zeros((1, len(self)), dtype=np.int32)
        score = np.zeros(1)
        for g in np.argsort(-weights, kind="stable"):
            found, scores, now = [cells], [score], score
            rows = np.arange(len(score))
            for c in range(1, int(self.count[g]) + 1):
                inside = now + weights[g] < cut
                rows, now = rows[inside], now[inside] + weights[g]
                if not len(rows):
                    break
                more = cells[rows]
                more[:, g] = c
                found.append(more)
                scores.append(now)
                if sum(map(len, scores)) > most:
                    return None
            cells, score = np.concatenate(found), np.concatenate(scores)
        return cells
