"""Flip sets listed one by one, with attributes of the same size and level counted together.

A *cell* says how many attributes of each kind lie. Flip sets in the same cell are equally likely, and
where all kinds differ a cell is a flip set. Only cells above the uniform part are listed, so there may
be a thousand attributes as long as few lies at a time stand out.
"""

from __future__ import annotations

import math
from collections.abc import Set
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, logsumexp
from scipy.stats import binom, hypergeom

from orr.laws import Lifted
from orr.problem import Floats, Integers, Problem, frozen
from orr.randomness import Source


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
        self.first, self.of, self.count = first, of.ravel(), count
        self.problem = Problem.achieved(problem.sizes[first].copy(), problem.epsilons[first].copy())

    def __len__(self) -> int:
        return len(self.count)

    @cached_property
    def _log_times(self) -> list[Floats]:
        """Logarithm of the number of records for each number of lies of a kind."""
        tables = []
        for n, a in zip(self.count.tolist(), self.problem.sizes.tolist(), strict=True):
            c = np.arange(n + 1)
            ways = gammaln(n + 1) - gammaln(c + 1) - gammaln(n - c + 1) if n > 1 else 0.0
            tables.append(ways + c * math.log(a - 1))
        return tables

    def log_uniform(self, cells: Integers) -> Floats:
        """Logarithm of the probability of each cell under a uniformly random record."""
        total = np.full(len(cells), -float(self.count @ np.log(self.problem.sizes)))
        for table, column in zip(self._log_times, cells.T, strict=True):
            total += table[column]
        return total

    @cached_property
    def steps(self) -> NDArray[np.uint64]:
        """Random numbers that make a linear hash of cells, in which a neighbour is a step away."""
        return np.random.default_rng(0).integers(2**63, size=len(self), dtype=np.uint64)

    def below(self, weights: Floats, cut: float, most: int) -> Integers | None:
        """List the cells whose lies weigh less than a cut; None if there are more than a limit."""
        cells: NDArray = np.zeros((1, len(self)), dtype=np.int32)
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


class Cells(Lifted):
    """A law that lifts listed cells above the uniform part.

    ``log_excess[j]`` is the logarithm of ``G`` at the flip sets of cell ``j``.
    """

    block = 2**24

    def __init__(
        self, problem: Problem, kinds: Kinds, cells: Integers, log_excess: Floats, kept: Floats
    ) -> None:
        self.problem, self.kinds, self.cells, self.log_excess = problem, kinds, cells, log_excess
        self.kept = kept if (kept != 1).any() else None

    @cached_property
    def weights(self) -> Floats:
        return np.exp(self.log_excess + self.kinds.log_uniform(self.cells))

    @property
    def lies(self) -> Floats:
        return ((self.weights @ self.cells) / self.kinds.count)[self.kinds.of]

    @property
    def nominal_epsilon(self) -> float:
        return float(np.logaddexp(0, self.log_excess.max()))

    def flipped(self, categories: Integers, source: Source) -> tuple[Integers, Integers]:
        counts = self.cells[categories]
        flips = np.zeros((len(categories), len(self.problem)), dtype=bool)
        for g, n in enumerate(self.kinds.count.tolist()):
            (rows,) = np.nonzero(counts[:, g])
            left = counts[rows, g]
            for i, attribute in enumerate(np.flatnonzero(self.kinds.of == g)):
                # Of the n - i attributes to come, so many lie, and any of them may.
                lies = source.choose(left / np.maximum(n - i - left, 0.5), left.shape) if n > 1 else left > 0
                lies = np.where(left >= n - i, left > 0, lies & (left > 0))
                flips[rows, attribute] = lies
                left = left - lies
        rows, attributes = np.nonzero(flips)
        return rows, attributes

    @cached_property
    def neighbour_epsilons(self) -> Floats:
        """Those before repairs, which are at least those after them."""
        steps = self.kinds.steps
        key = self.cells.astype(np.uint64) @ steps
        order = np.argsort(key)
        key, levels = key[order], np.logaddexp(0, self.log_excess)[order]
        result = np.zeros(len(self.kinds))
        for g in range(len(self.kinds)):
            for shift in (steps[g], (-steps)[g]):
                place = np.minimum(np.searchsorted(key, key + shift), len(key) - 1)
                other = np.where(key[place] == key + shift, levels[place], 0.0)
                count = self.cells[order, g]
                exists = count < self.kinds.count[g] if shift == steps[g] else count > 0
                result[g] = max(result[g], np.abs(levels - other)[exists].max(initial=0))
        return frozen(result[self.kinds.of])

    def log_ratio(self, flips: Set[int]) -> float:
        return self._log_density(flips) - self._log_density(set(range(len(self.problem))))

    def _log_density(self, flips: Set[int]) -> float:
        """Logarithm of ``1 + G``, repairs included."""
        lying = np.bincount(self.kinds.of[list(flips)], minlength=len(self.kinds))
        total = self.log_excess.copy()
        with np.errstate(divide="ignore"):
            for g, c in enumerate(lying.tolist()):
                total += np.log(self._moved(g, c))[self.cells[:, g]]
        return float(np.logaddexp(0, logsumexp(total)))

    def _moved(self, g: int, c: int) -> Floats:
        """Chance of each number of lies of a kind after repairs, if there were c before."""
        n, i = int(self.kinds.count[g]), self.kinds.first[g]
        if self.kept is None:
            return np.eye(1, n + 1, c)[0]
        s, p = 1 - self.kept[i], self.problem.p[i]
        kept = binom.pmf(np.arange(c, -1, -1), c, s * (1 - p))
        return np.convolve(kept, binom.pmf(np.arange(n - c + 1), n - c, s * p))

    def _interaction(self, attributes: Set[int]) -> float:
        chosen = list(attributes)
        asked = np.bincount(self.kinds.of[chosen], minlength=len(self.kinds))
        terms = self.weights.copy()
        for g in np.flatnonzero(asked):
            n, m, j = self.kinds.count[g], asked[g], np.arange(asked[g] + 1)
            factor = (-1.0 / (self.kinds.problem.sizes[g] - 1)) ** j
            table = np.array([hypergeom.pmf(j, n, c, m) @ factor for c in range(n + 1)])
            terms *= table[self.cells[:, g]]
        value, scale = math.fsum(terms.tolist()), math.fsum(np.abs(terms).tolist())
        kept = 1.0 if self.kept is None else float(np.prod(self.kept[chosen]))
        return 0.0 if abs(value) <= 1e-9 * scale else kept * value / (1 + self.mass)
