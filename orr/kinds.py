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

    Examples
    --------
    >>> kinds = Kinds(Problem([3, 2, 3], [1.0, 2.0, 1.0]))
    >>> kinds.count, kinds.of
    (array([1, 2]), array([1, 0, 1]))
    """

    def __init__(self, problem: Problem) -> None:
        pairs = np.column_stack([problem.sizes, problem.epsilons])
        _, first, of, count = np.unique(
            pairs, axis=0, return_index=True, return_inverse=True, return_counts=True
        )
        self.whole, self.first, self.of, self.count = problem, first, of.ravel(), count
        self.problem = Problem.achieved(problem.sizes[first].copy(), problem.epsilons[first].copy())

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
