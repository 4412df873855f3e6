"""Listed cells of any mass: a rare one must keep its place, or its neighbours stand out (chapter price)."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from orr.arrays import Floats, Integers
from orr.laws.cells import Cells
from orr.randomness import AliasTable, Categories, Source
from orr.rounding import alias_units

MAX_SPREAD = 700.0  # nats from the largest mass of a table to the smallest: e^-700 is above MIN_MASS


class DeepCells(Cells):
    """A law that lifts listed cells, however rare some of them are."""

    deep = True

    def _least(self, log_masses: Floats) -> float:
        return _reached(log_masses)

    @cached_property
    def _categories(self) -> Categories:
        return NestedTables(self._log_masses) if self._nested else super()._categories

    @property
    def _nested(self) -> bool:
        """Whether the masses are too far apart for one table."""
        return bool(np.ptp(self._log_masses) >= MAX_SPREAD)

    @property
    def drawn(self) -> float:
        tables = self._categories
        return tables.units + 4 + self.coins if isinstance(tables, NestedTables) else super().drawn


class NestedTables:
    """Alias tables for masses too far apart for one: the rarer categories share the last one of a table.

    Drawing the shared category continues in the next table. Each probability is then a product of
    representable factors, accurate to ``units`` units.

    Parameters
    ----------
    log_masses : ndarray
        Logarithms of the masses. Sorted, none may be rarer than the one before by ``MAX_SPREAD`` or more.

    Examples
    --------
    >>> nested = NestedTables(np.array([0.0, -1000.0, -500.0]))
    >>> [members.tolist() for members, _ in nested.tables], nested.draw(3, Source(1))
    ([[0], [2, 1]], array([0, 0, 0]))
    """

    def __init__(self, log_masses: Floats) -> None:
        order = np.argsort(-log_masses, kind="stable")
        logs, starts = log_masses[order], [0]
        if np.diff(logs).min(initial=0) <= -MAX_SPREAD:
            raise ArithmeticError("the masses of the categories are too far apart")
        while logs[starts[-1]] - logs[-1] >= MAX_SPREAD:  # the last category in reach begins the next table
            starts.append(int(np.searchsorted(-logs, MAX_SPREAD - logs[starts[-1]])) - 1)
        self.tables: list[tuple[Integers, AliasTable]] = []
        end, deeper = len(logs), 0.0
        for start in reversed(starts):
            masses = np.exp(logs[start:end] - logs[start])
            if end < len(logs):
                masses = np.append(masses, math.exp(logs[end] - logs[start]) * deeper)
            self.tables.insert(0, (order[start:end], AliasTable(masses)))
            end, deeper = start, math.fsum(masses.tolist())
        # A table, the sums and exponentials that its last category is made of, and their arguments.
        self.units = sum(alias_units(len(table.keep)) + MAX_SPREAD for _, table in self.tables)

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


def _reached(log_masses: Floats) -> float:
    """Return the logarithm of a mass below which all are too far from those above, even for nested tables."""
    logs = -np.sort(-log_masses)
    gaps = np.flatnonzero(np.diff(logs) <= -MAX_SPREAD)
    return float(logs[gaps[0] + 1]) if len(gaps) else -math.inf
