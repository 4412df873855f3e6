"""What to expect of released tables, before anyone looks at the records (chapters tables, release)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from orr.channel import MAX_TABLE_ATTRIBUTES
from orr_release.arrow import imported

if TYPE_CHECKING:
    from orr_release.release import Release

Backend = Literal["pandas", "polars", "pyarrow"]
Name = str | int

MAX_PAIRS = 2_000  # Of 63 attributes: more would take long to compute, and nobody would read them.
# The yardstick is the share that a cell has on average, 1 over the number of cells. Up to a tenth of it the
# 95% interval of such a cell reaches a fifth of its value up and down. Past a half (1 in 1.96) it reaches
# zero, so that the cell cannot be told from an empty one.
MAX_GOOD, MAX_ROUGH = 0.1, 0.5
VERDICTS = ("good", "rough", "useless", "impossible")
MAX_SHOWN = 12  # Rows of a table on the screen.
EXPLANATION = (
    "The factor is the smallest by which the release shrinks what the table tells. The standard error is of "
    "the proportion in a cell, from the randomization alone: the root mean square over the cells, the same "
    "whatever the truth is (at most that, where people are asked different questions). Good: up to a tenth "
    "of the average cell. Useless: more than half of it."
)
HEADS = "table", "cells", "factor", "standard error", "average cell", "verdict"


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
        return VERDICTS[0 if relative <= MAX_GOOD else 1 if relative <= MAX_ROUGH else 2]

    @property
    def name(self) -> str:
        """The attributes in words."""
        return " x ".join(map(str, self.attributes))

    @property
    def shown(self) -> tuple[str, ...]:
        """The row as it is printed."""
        error = f"{self.standard_error:.3g}" if self.standard_error < math.inf else "none"
        return self.name, f"{self.cells:,}", f"{self.factor:.3g}", error, f"{self.share:.3g}", self.verdict


@dataclass(frozen=True, repr=False)
class Plan:
    """What to expect of the tables of a release; made by ``release.plan(n)``.

    Attributes
    ----------
    n : int
        How many people there will be.
    tables : tuple of Row
        What to expect of each table: of single attributes, and of pairs or of the tables asked for.
    unlisted : int
        Pairs that are not listed, because there are too many.

    Examples
    --------
    >>> import orr_release
    >>> plan = orr_release.optimal([2, 3, 4], [1.0, 1.5, 2.0]).plan(1000)
    >>> plan
    Plan for 1,000 people
    table  cells  factor  standard error  average cell  verdict
    0          2   0.462          0.0303           0.5  good
    1          3   0.537          0.0234         0.333  good
    2          4   0.615          0.0176          0.25  good
    0 x 1      6   0.384          0.0237         0.167  rough
    0 x 2      8   0.462          0.0175         0.125  rough
    1 x 2     12   0.537          0.0131        0.0833  rough
    >>> plan.warnings
    []
    """

    n: int
    tables: tuple[Row, ...]
    unlisted: int = 0

    @property
    def one_way(self) -> list[Row]:
        """Tables of single attributes."""
        return self._of(1)

    @property
    def two_way(self) -> list[Row]:
        """Tables of pairs of attributes."""
        return self._of(2)

    def _of(self, ways: int) -> list[Row]:
        return [row for row in self.tables if len(row.attributes) == ways]

    @property
    def warnings(self) -> list[str]:
        """Sentences that name the tables which will be useless or impossible."""
        found = _complaints(self.tables, self.n)
        if self.unlisted:
            pair = self.tables[0].attributes[0], self.tables[1].attributes[0]
            example = f"plan({self.n}, tables=[{pair!r}])"
            found.append(f"{self.unlisted:,} pairs are not listed: ask for some, as in {example}.")
        return found

    def to_frame(self, ways: int = 1, *, kind: Backend = "pandas") -> Any:
        """Return the tables of so many attributes as a data frame.

        Parameters
        ----------
        ways : int
            How many attributes the tables have.
        kind : {"pandas", "polars", "pyarrow"}
            What makes the frame.

        Returns
        -------
        DataFrame or Table
            A row for each table.

        Examples
        --------
        >>> import orr_release
        >>> plan = orr_release.kronecker([2, 4], [1.0, 2.0]).plan(1000)
        >>> list(plan.to_frame(ways=2).columns)
        ['attribute 1', 'attribute 2', 'cells', 'factor', 'standard error', 'average cell', 'verdict']
        """
        nw = imported("narwhals", "a plan as a frame needs")
        rows = self._of(ways)
        if not rows:
            known = [str(w) for w in sorted({len(row.attributes) for row in self.tables})]
            raise ValueError(f"ways = {ways!r}: this plan has tables of {_listed(known)} attributes")
        names = ["attribute"] if ways == 1 else [f"attribute {i + 1}" for i in range(ways)]
        columns = {name: [row.attributes[i] for row in rows] for i, name in enumerate(names)}
        values = zip(*((r.cells, r.factor, r.standard_error, r.share, r.verdict) for r in rows), strict=True)
        columns |= {head: list(column) for head, column in zip(HEADS[1:], values, strict=True)}
        return nw.from_dict(columns, backend=kind).to_native()

    @property
    def title(self) -> str:
        """The title of its table."""
        return f"Plan for {people(self.n)}"

    def __repr__(self) -> str:
        rows, notes = chosen(self.tables)
        table = [HEADS, *(row.shown for row in rows)]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        lines = [
            "  ".join(
                cell.rjust(width) if 0 < i < len(HEADS) - 1 else cell.ljust(width)
                for i, (cell, width) in enumerate(zip(line, widths, strict=True))
            ).rstrip()
            for line in table
        ]
        return "\n".join([self.title, *lines, *notes, *self.warnings])

    def _repr_html_(self) -> str:
        """Show the same tables, with what their columns mean."""
        rows, notes = chosen(self.tables)
        head = "".join(f"<th scope='col'>{h}</th>" for h in HEADS)
        body = [
            f"<tr><th scope='row'>{escape(name)}</th>{''.join(f'<td>{c}</td>' for c in cells)}</tr>"
            for name, *cells in (row.shown for row in rows)
        ]
        after = [f"<p>{escape(text)}</p>" for text in (*notes, *self.warnings, EXPLANATION)]
        return (
            f"<table><caption>{self.title}</caption><thead><tr>{head}</tr></thead>"
            f"<tbody>{''.join(body)}</tbody></table>{''.join(after)}"
        )


def plan(release: Release, n: int, tables: Iterable[Any] | None = None) -> Plan:
    """Compute how exact the tables of a release to n people will be.

    The noise of a table over attributes ``A`` does not depend on the truth (chapter tables): the variance
    of a proportion, averaged over the cells, is the sum over all ``C`` in ``A`` of
    ``t_C (1 / rho_C^2 - 1)``, over ``n`` times the square of the number of cells.

    Parameters
    ----------
    release : Release
        What will make the release.
    n : int
        How many people there will be.
    tables : iterable of tuples, optional
        Attributes of tables, by name or number, in place of all pairs.

    Returns
    -------
    Plan
        With every single attribute, and every pair up to 2,000 of them, or the tables asked for.

    Examples
    --------
    >>> import orr_release
    >>> plan(orr_release.kronecker([2, 3, 4], [1.0, 1.0, 1.0]), 500, tables=[(0, 1, 2)]).tables[-1].verdict
    'useless'
    """
    count, k = _check_people(n), len(release.sizes)
    places: list[tuple[int, ...]] = [(i,) for i in range(k)]
    pairs = math.comb(k, 2)
    if tables is not None:
        places += [table for table in _check_tables(release, tables) if table not in places]
    elif pairs <= MAX_PAIRS:
        places += combinations(range(k), 2)
    left = pairs if tables is None and pairs > MAX_PAIRS else 0
    return Plan(count, tuple(_row(release, table, count) for table in places), left)


def _check_people(n: int) -> int:
    """Return `n` as an int; raise if it is not a number of people."""
    if isinstance(n, bool | np.bool_) or not isinstance(n, int | np.integer):
        raise TypeError(f"n = {n!r} must be a number of people, an integer")
    if n < 1:
        raise ValueError(f"n = {n} must be a number of people, at least 1")
    return int(n)


def _check_tables(release: Release, tables: Iterable[Any]) -> list[tuple[int, ...]]:
    """Return the places of the attributes of each table; raise if something is wrong with one."""
    if isinstance(tables, str) or not isinstance(tables, Iterable):
        raise TypeError(f"tables = {tables!r} must be a list of tables, each a tuple of attributes")
    return list(dict.fromkeys(_check_table(release, table) for table in tables))


def _check_table(release: Release, table: Any) -> tuple[int, ...]:
    """Return the places of the attributes of a table."""
    several = isinstance(table, Iterable) and not isinstance(table, str)
    chosen, most = release.places(list(table) if several else [table]), MAX_TABLE_ATTRIBUTES
    if not 1 <= len(chosen) <= most or len(set(chosen)) < len(chosen):
        raise ValueError(f"tables has {table!r}: a table is over 1 to {most} different attributes")
    return tuple(chosen)


def _row(release: Release, places: tuple[int, ...], n: int) -> Row:
    """Plan one table."""
    factor, variance = release.noise(places)
    cells = math.prod(int(release.sizes[i]) for i in places)
    return Row(tuple(release.names[i] for i in places), cells, float(factor), math.sqrt(variance / n))


def people(n: int) -> str:
    """Return a number of people in words."""
    return "1 person" if n == 1 else f"{n:,} people"


def _complaints(tables: Sequence[Row], n: int) -> list[str]:
    """Return a sentence about the impossible tables, and one about the useless ones."""
    found = []
    if lost := [row for row in tables if row.verdict == "impossible"]:
        found.append(
            f"Impossible, however many people there are: {_listed([row.name for row in lost])}. "
            "The release keeps no trace of how these depend on each other."
        )
    if noisy := [row for row in tables if row.verdict == "useless"]:
        words = [f"{row.name} ({row.standard_error:.2g} beside {row.share:.2g})" for row in noisy]
        found.append(
            f"Useless with {people(n)}: {_listed(words)}. "
            "The standard error passes half of what a cell holds on average."
        )
    return found


def _listed(words: Sequence[str]) -> str:
    """Return the first words, and how many more there are."""
    more = f", and {len(words) - MAX_SHOWN:,} more" if len(words) > MAX_SHOWN else ""
    return ", ".join(words[:MAX_SHOWN]) + more


def chosen(tables: Sequence[Row]) -> tuple[list[Row], list[str]]:
    """Return the tables to show, the worst of many, and sentences about what is left out."""
    rows, notes = list[Row](), list[str]()
    for ways in sorted({len(row.attributes) for row in tables}):
        group = [row for row in tables if len(row.attributes) == ways]
        if len(group) > MAX_SHOWN:
            kind = {1: "one-way", 2: "two-way"}.get(ways, f"{ways}-way")
            notes.append(f"The {MAX_SHOWN} worst of {len(group):,} {kind} tables ({tally(group)}).")
            group = sorted(group, key=lambda row: -row.standard_error * row.cells)[:MAX_SHOWN]
        rows += group
    return rows, notes


def tally(rows: Sequence[Row]) -> str:
    """Count the tables of each verdict."""
    counts = Counter(row.verdict for row in rows)
    return ", ".join(f"{counts[v]:,} {v}" for v in VERDICTS if counts[v])
