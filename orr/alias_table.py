"""Categories drawn in proportion to weights, each with all the digits of its probability."""

from __future__ import annotations

import math

import numpy as np

from orr.arrays import Floats, Integers
from orr.randomness import Source
from orr.rounding import alias_units

MAX_SPREAD = 700.0  # nats from the largest mass of a table to the smallest: e^-700 is above MIN_MASS


def minus(a: float, b: float) -> tuple[float, float]:
    """Return the difference, rounded, and what rounding took away."""
    difference = a - b
    back = difference - a
    return difference, (a - (difference - back)) - (b + back)


class Categories:
    """Categories drawn in proportion to weights, by the alias method.

    For n categories, each probability is right to a relative error of `alias_units`, however small it is:
    that is what makes the reported level honest. What is left of the shares is kept to twice the digits,
    and the last category to be filled may collect all of the rest. Weights below ``rounding.MIN_MASS`` of the
    largest would lose digits: laws drop them.

    Examples
    --------
    >>> draws = Categories(np.array([1.0, 0.0, 3.0])).draw(1000, Source(1))
    >>> np.unique(draws)
    array([0, 2])
    """

    def __init__(self, weights: Floats) -> None:
        n = len(weights)
        if not (n and weights.min() >= 0 and 0 < weights.max() < math.inf):  # false for nan, too
            raise ArithmeticError("the weights of the categories are not finite, or all are 0")
        share = weights / weights.max()
        share *= n / math.fsum(share.tolist())
        self._keep = np.zeros(n)
        self._alias = np.arange(n)
        small = np.flatnonzero(share < 1).tolist()
        large = np.flatnonzero(share >= 1).tolist()
        left, low = share.tolist(), [0.0] * n
        while small and large:
            i, j = small.pop(), large[-1]
            self._keep[i], self._alias[i] = left[i], j
            left[j], error = minus(left[j], 1 - left[i])
            low[j] += error
            if left[j] + low[j] < 1:
                left[j] += low[j]
                small.append(large.pop())

    def draw(self, n: int, source: Source) -> Integers:
        """Draw n categories."""
        bins = source.integers(np.array([len(self._keep)]), (n,)).astype(np.int64)
        return np.where(source.coins(self._keep[bins], (n,)), bins, self._alias[bins])


class Tiers:
    """Categories whose masses are too far apart for one table: the rarer ones share a category of it.

    Whoever draws that goes on to the next table, and so on. Every chance is a product of chances that doubles
    hold, and right to ``units``.

    Parameters
    ----------
    log_masses : ndarray
        Logarithms of the masses. Sorted, none may be rarer than the one before by ``MAX_SPREAD`` or more.

    Examples
    --------
    >>> tiers = Tiers(np.array([0.0, -1000.0, -500.0]))
    >>> [members.tolist() for members, _ in tiers.tables], tiers.draw(3, Source(1))
    ([[0], [2, 1]], array([0, 0, 0]))
    """

    def __init__(self, log_masses: Floats) -> None:
        order = np.argsort(-log_masses, kind="stable")
        logs, starts = log_masses[order], [0]
        if np.diff(logs).min(initial=0) <= -MAX_SPREAD:
            raise ArithmeticError("the masses of the categories are too far apart")
        while logs[starts[-1]] - logs[-1] >= MAX_SPREAD:  # the last category in reach begins the next table
            starts.append(int(np.searchsorted(-logs, MAX_SPREAD - logs[starts[-1]])) - 1)
        self.tables: list[tuple[Integers, Categories]] = []
        end, deeper = len(logs), 0.0
        for start in reversed(starts):
            masses = np.exp(logs[start:end] - logs[start])
            if end < len(logs):
                masses = np.append(masses, math.exp(logs[end] - logs[start]) * deeper)
            self.tables.insert(0, (order[start:end], Categories(masses)))
            end, deeper = start, math.fsum(masses.tolist())
        # A table, the sums and exponentials that its last category is made of, and their arguments.
        self.units = sum(alias_units(len(table._keep)) + MAX_SPREAD for _, table in self.tables)

    def draw(self, n: int, source: Source) -> Integers:
        """Draw n categories."""
        result = np.empty(n, dtype=np.int64)
        rows = np.arange(n)
        for members, table in self.tables:
            drawn = table.draw(len(rows), source)
            found = drawn < len(members)
            result[rows[found]] = members[drawn[found]]
            rows = rows[~found]
        return result
