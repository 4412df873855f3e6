"""What a release will tell the analyst, known before anyone looks at the records (chapter release)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from orr.channel import MAX_TABLE_ATTRIBUTES
from orr_release.expected import EXPLANATION, HEADS, Row, chosen, complaints, listed, people

if TYPE_CHECKING:
    from orr_release.release import Release

Backend = Literal["pandas", "polars", "pyarrow"]

MAX_PAIRS = 2_000  # of 63 attributes: more would take long to compute, and nobody would read them


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
        found = complaints(self.tables, self.n)
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
        try:
            import narwhals as nw
        except ImportError:
            raise ImportError('a plan becomes a frame through narwhals: pip install ".[release]"') from None
        rows = self._of(ways)
        if not rows:
            known = sorted({len(row.attributes) for row in self.tables})
            raise ValueError(f"ways = {ways!r}: this plan has tables of {listed(known, str)} attributes")
        names = ["attribute"] if ways == 1 else [f"attribute {i + 1}" for i in range(ways)]
        columns = {name: [row.attributes[i] for row in rows] for i, name in enumerate(names)}
        values = zip(*((r.cells, r.factor, r.standard_error, r.share, r.verdict) for r in rows), strict=True)
        columns |= {head: list(column) for head, column in zip(HEADS[1:], values, strict=True)}
        return nw.from_dict(columns, backend=kind).to_native()

    @property
    def title(self) -> str:
        """What is planned."""
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
    """Tell how exact the tables of a release to n people will be.

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
    count, k = check_people(n), len(release.sizes)
    places: list[tuple[int, ...]] = [(i,) for i in range(k)]
    pairs = math.comb(k, 2)
    if tables is not None:
        places += [table for table in _check_tables(release, tables) if table not in places]
    elif pairs <= MAX_PAIRS:
        places += combinations(range(k), 2)
    left = pairs if tables is None and pairs > MAX_PAIRS else 0
    return Plan(count, tuple(_row(release, table, count) for table in places), left)


def check_people(n: int) -> int:
    """Return the number of people, or say that it is none."""
    if isinstance(n, bool | np.bool_) or not isinstance(n, int | np.integer):
        raise TypeError(f"n = {n!r} must be a number of people, an integer")
    if n < 1:
        raise ValueError(f"n = {n} must be a number of people, at least 1")
    return int(n)


def _check_tables(release: Release, tables: Iterable[Any]) -> list[tuple[int, ...]]:
    """Return the places of the attributes of some tables, or say what is wrong with them."""
    if isinstance(tables, str) or not isinstance(tables, Iterable):
        raise TypeError(f"tables = {tables!r} must be a list of tables, each a tuple of attributes")
    found = [_check_table(release, table) for table in tables]
    return list(dict.fromkeys(found))


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
