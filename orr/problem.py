"""Sizes and levels, checked once, and what follows from them alone."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, reduce

import numpy as np
from numpy.typing import ArrayLike, NDArray

from orr.arrays import Array, Floats, Integers, frozen
from orr.checks import check_levels, check_sizes
from orr.rounding import MIN_RETAINED, ULP, log_binomial

SizesLike = ArrayLike
LevelsLike = ArrayLike

_GAUSS = np.polynomial.legendre.leggauss(12)


@dataclass(frozen=True, eq=False)
class Problem:
    """How many values each attribute has and how private each must be.

    Parameters
    ----------
    sizes : sequence of int
        Number of values of each attribute, from 2 to 1,000,000.
    epsilons : sequence of float
        Level asked for each attribute, in nats, from 1e-12 to 700.

    Examples
    --------
    >>> problem = Problem([2, 4], [1.0, 2.0])
    >>> problem.q.round(4)
    array([0.2689, 0.2888])
    """

    sizes: Integers
    epsilons: Floats

    def __init__(self, sizes: SizesLike, epsilons: LevelsLike) -> None:
        checked = check_sizes(sizes), check_levels(epsilons)
        if len(checked[0]) != len(checked[1]):
            raise ValueError(
                "sizes and epsilons must have one entry for each attribute: "
                f"got {len(checked[0])} sizes and {len(checked[1])} levels"
            )
        self._set(*checked)

    @classmethod
    def achieved(cls, sizes: Integers, epsilons: Floats) -> Problem:
        """Return the problem of levels that a construction achieved, in or outside the range allowed."""
        problem = cls.__new__(cls)
        problem._set(sizes, epsilons)
        return problem

    def _set(self, sizes: Integers, epsilons: Floats) -> None:
        for name, values in (("sizes", sizes), ("epsilons", epsilons)):
            object.__setattr__(self, name, frozen(values))

    def __len__(self) -> int:
        return len(self.sizes)

    def __reduce__(self) -> tuple[object, ...]:
        """Copy sizes and levels, and compute the rest anew: a copied array would not be read-only."""
        return Problem.achieved, (self.sizes.copy(), self.epsilons.copy())

    @cached_property
    def p(self) -> Floats:
        """Probability that a uniformly random value differs from the truth."""
        return frozen((self.sizes - 1) / self.sizes)

    @cached_property
    def w(self) -> Floats:
        """Odds of keeping a value against replacing it by a uniformly random one."""
        w = np.expm1(np.minimum(self.epsilons, 709)) / self.sizes
        # An achieved level may pass 709, where exp overflows but w does not.
        high = self.epsilons > 709
        w[high] = np.exp(self.epsilons[high] - np.log(self.sizes[high]))
        return frozen(w)

    @cached_property
    def q(self) -> Floats:
        """Flip probability of each attribute at its level."""
        return frozen(self.p / (1 + self.w))

    @cached_property
    def d(self) -> Floats:
        """How far each flip probability is below that of a uniformly random value."""
        return frozen(self.q * self.w)

    @cached_property
    def truth(self) -> Floats:
        """``1 - q``, the probability of the true value, without the subtraction."""
        return frozen((1 / self.sizes + self.w) / (1 + self.w))

    @cached_property
    def _kronecker_mass(self) -> float:
        """Mass above the uniform part of the Kronecker mechanism, in units of that part and at most 1."""
        return math.expm1(min(math.fsum(np.log1p(self.w).tolist()), math.log(2)))

    @cached_property
    def faint(self) -> NDArray[np.bool_]:
        """Attributes whose retained information is so small that a joint law would lose its digits."""
        return frozen(self.w < MIN_RETAINED * self._kronecker_mass)

    def part(self, chosen: Array) -> Problem:
        """Return the problem of some of the attributes."""
        return Problem.achieved(self.sizes[chosen], self.epsilons[chosen])

    def relaxed(self, units: float) -> Problem:
        """Return the problem with levels raised by more than rounding can change them.

        Flip probabilities that are right to ``units`` meet the levels asked if they meet these.
        """
        w = self.w + ULP * units * (self._kronecker_mass + self.w)
        with np.errstate(over="ignore"):
            levels = np.log1p(self.sizes * w)
        high = ~(levels < 700)
        levels[high] = self.epsilons[high] + ULP * units
        return Problem.achieved(self.sizes, np.maximum(levels, self.epsilons * (1 + ULP)))

    @cached_property
    def one_minus_sum_q(self) -> float:
        """``1 - sum(q)``; the largest q is subtracted exactly, since it may be close to 1."""
        terms, j = -self.q, int(self.q.argmax())
        terms[j] = self.truth[j]
        return math.fsum(terms.tolist())

    @cached_property
    def uniform(self) -> Floats:
        """Flip law of a uniformly random record, as a cube with an axis of length 2 for each attribute."""
        return frozen(reduce(np.multiply.outer, np.column_stack([1 / self.sizes, self.p])))

    @cached_property
    def log_records(self) -> float:
        """Logarithm of the number of different records."""
        return math.fsum(np.log(self.sizes).tolist())

    @cached_property
    def information_floor(self) -> float:
        """Sum of the mutual information of each randomized response and a uniformly random value, in nats."""
        direct = self.truth * self.epsilons - np.log1p(self.w)
        # Near 0 the difference cancels; it is also the integral of s q(s) (1 - q(s)) up to the level.
        top = np.minimum(self.epsilons, 1)
        small = np.zeros_like(top)
        for node, weight in zip(*_GAUSS, strict=True):
            s = top * (1 + node) / 2
            q = (self.sizes - 1) / (np.exp(s) + self.sizes - 1)
            small += weight / 2 * top * s * q * (1 - q)
        return math.fsum(np.where(self.epsilons > 1, direct, small).tolist())


class Kinds:
    """The different pairs of size and level, and which attributes have them.

    ``order`` sorts the attributes by size, then by level, and is stable. ``of`` is the kind of each
    attribute, ``first`` the first attribute of each kind, and ``count`` the number of them.

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
        """For each kind, logarithms of the probabilities of 0, 1, ... flips, and their errors in units."""
        pairs = zip(self.count.tolist(), self.problem.sizes.tolist(), strict=True)
        return [log_binomial(n, a) for n, a in pairs]

    def log_uniform(self, cells: Integers) -> Floats:
        """Return the logarithm of the probability of each cell for a uniformly random record."""
        total = np.zeros(len(cells))
        for (table, _), column in zip(self.tables, cells.T, strict=True):
            total += table[column]
        return total

    def units(self, cells: Integers) -> float:
        """Return the largest error of these logarithms, in units: that of the tables and of additions."""
        total = np.zeros(len(cells))
        for (table, units), column in zip(self.tables, cells.T, strict=True):
            total += units[column] + 0.5 * len(self) * np.abs(table[column])
        return float(total.max())

    @cached_property
    def steps(self) -> NDArray[np.uint64]:
        """Random numbers that make a linear hash of cells, in which neighbours differ by one of them.

        Two different cells have the same hash with probability at most ``count.max() / 2**63``.
        """
        return np.random.default_rng(0).integers(2**63, size=len(self), dtype=np.uint64)

    def below(self, weights: Floats, cut: float, most: int) -> Integers | None:
        """List the cells whose flips weigh less than ``cut``; return None if there are more than ``most``."""
        if np.count_nonzero(weights < cut) >= most:
            return None
        cells: Array = np.zeros((1, len(self)), dtype=np.int32)
        score = np.zeros(1)
        for g in np.argsort(-weights, kind="stable"):
            found, scores, now = [cells], [score], score
            rows = np.arange(len(score))
            for c in range(1, int(self.count[g]) + 1):
                with np.errstate(over="ignore"):  # what overflows is outside
                    heavier = now + weights[g]
                inside = heavier < cut
                rows, now = rows[inside], heavier[inside]
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


def information_floor(sizes: SizesLike, epsilons: LevelsLike) -> float:
    r"""Return an overall level that no mechanism with these flip probabilities can go below.

    The sum over attributes of the mutual information, in nats, between a uniformly random
    value and its randomized response,
    :math:`I_i = (1 - q_i)\,\varepsilon_i - \log(1 + w_i)`.

    Parameters
    ----------
    sizes : sequence of int
        Number of values of each attribute.
    epsilons : sequence of float
        Level of each attribute, in nats.

    Returns
    -------
    float
        The floor, in nats.

    Examples
    --------
    >>> round(information_floor([2, 3, 4], [1.0, 1.5, 2.0]), 4)
    0.8457
    """
    return Problem(sizes, epsilons).information_floor
