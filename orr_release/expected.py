"""What to expect of one table of a release, and how good it will be (chapter tables)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

Name = str | int

# The yardstick is the share that a cell has on average, 1 over the number of cells. Up to a tenth of it the
# 95% interval of such a cell reaches a fifth of its value up and down. Past a half (1 in 1.96) it reaches
# zero, so that the cell cannot be told from an empty one.
GOOD, USELESS = 0.1, 0.5
VERDICTS = ("good", "rough", "useless", "impossible")
SHOWN = 12  # rows of a table on the screen
EXPLANATION = (
    "The factor is the smallest by which the release shrinks what the table tells. The standard error is of "
    "the proportion in a cell, from the randomization alone: the root mean square over the cells, the same "
    "whatever the truth is (at most that, where people are asked different questions). Good: up to a tenth "
    "of the average cell. Useless: more than half of it."
)


@dataclass(frozen=True)
class Row:
    """What to expect of one table.

    Attributes
    ----------
    attributes : tuple
        Names of the attributes, or their numbers where there is no domain.
    cells : int
        How many combinations of values there are.
    factor : float
        Smallest ``|rho|`` by which the release shrinks what the table tells: 0 where that is lost.
    standard_error : float
        Of the proportion in a cell: the root mean square over the cells, from the randomization alone.

    Examples
    --------
    >>> row = Row(("sex", "smokes"), cells=4, factor=0.2, standard_error=0.05)
    >>> row.share, row.verdict
    (0.25, 'rough')
    """

    attributes: tuple[Name, ...]
    cells: int
    factor: float
    standard_error: float

    @property
    def share(self) -> float:
        """Proportion in a cell, on average."""
        return 1 / self.cells

    @property
    def verdict(self) -> str:
        """How good the table will be: good, rough, useless or impossible."""
        if self.standard_error == math.inf:
            return VERDICTS[3]
        relative = self.standard_error / self.share
        return VERDICTS[0 if relative <= GOOD else 1 if relative <= USELESS else 2]

    @property
    def name(self) -> str:
        """The attributes in words."""
        return " x ".join(map(str, self.attributes))

    @property
    def shown(self) -> tuple[str, ...]:
        """The row as it is printed."""
        error = f"{self.standard_error:.3g}" if self.standard_error < math.inf else "none"
        return self.name, f"{self.cells:,}", f"{self.factor:.3g}", error, f"{self.share:.3g}", self.verdict


HEADS = "table", "cells", "factor", "standard error", "average cell", "verdict"


def people(n: int) -> str:
    """Write a number of people."""
    return "1 person" if n == 1 else f"{n:,} people"


def complaints(tables: Sequence[Row], n: int) -> list[str]:
    """Name the tables that will be impossible or useless, and say why, in a sentence each."""
    found = []
    if lost := [row for row in tables if row.verdict == "impossible"]:
        found.append(
            f"Impossible, however many people there are: {listed(lost, lambda row: row.name)}. "
            "The release keeps no trace of how these depend on each other."
        )
    if noisy := [row for row in tables if row.verdict == "useless"]:
        found.append(
            f"Useless with {people(n)}: {listed(noisy, _compared)}. "
            "The standard error passes half of what a cell holds on average."
        )
    return found


def _compared(row: Row) -> str:
    """Compare the error of a cell with what it holds on average."""
    return f"{row.name} ({row.standard_error:.2g} beside {row.share:.2g})"


def listed(things: Sequence[Any], say: Callable[[Any], str], most: int = SHOWN) -> str:
    """Write some things, and how many more there are."""
    more = f", and {len(things) - most:,} more" if len(things) > most else ""
    return ", ".join(say(thing) for thing in things[:most]) + more


def chosen(tables: Sequence[Row], most: int = SHOWN) -> tuple[list[Row], list[str]]:
    """Choose the tables to show, the worst of many, and say what is left out."""
    rows: list[Row] = []
    notes = []
    for ways in sorted({len(row.attributes) for row in tables}):
        group = [row for row in tables if len(row.attributes) == ways]
        if len(group) <= most:
            rows += group
            continue
        rows += sorted(group, key=lambda row: -row.standard_error * row.cells)[:most]
        kind = {1: "one-way", 2: "two-way"}.get(ways, f"{ways}-way")
        notes.append(f"The {most} worst of {len(group):,} {kind} tables ({tally(group)}).")
    return rows, notes


def tally(rows: Sequence[Row]) -> str:
    """Count the tables of each verdict."""
    counts = Counter(row.verdict for row in rows)
    return ", ".join(f"{counts[v]:,} {v}" for v in VERDICTS if counts[v])
