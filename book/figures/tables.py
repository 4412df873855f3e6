"""The book's tables: numbers under their headings, on a page and in plain text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from numbers import Integral
from typing import Any, Self


class Table:
    """Columns of values, shown as a table; the first column names the rows.

    Parameters
    ----------
    columns : mapping
        Heading and values of each column.
    digits : int or mapping
        Digits after the point of all columns with fractions, or of some (3 of the others).

    Examples
    --------
    >>> Table({"k": [2, 10], "level": [1.5, 1012.26], "found by": ["hand", "program"]}, digits=1)
     k    level  found by
     2      1.5  hand
    10  1,012.3  program
    >>> Table.of(("k", "level"), [(2, 1.5), (10, 1012.26)], digits=0)
     k  level
     2      2
    10  1,012
    """

    def __init__(self, columns: Mapping[str, Sequence[Any]], digits: int | Mapping[str, int] = 3) -> None:
        if not all(columns):
            raise ValueError("every column needs a heading, for those who have it read aloud")
        self.heads, self.words = list(columns), [_words(values) for values in columns.values()]
        places = [digits if isinstance(digits, int) else digits.get(name, 3) for name in columns]
        shown = [[_shown(v, p) for v in values] for values, p in zip(columns.values(), places, strict=True)]
        self.rows = list(zip(*shown, strict=True))

    @classmethod
    def of(
        cls, heads: Sequence[str], rows: Iterable[Sequence[Any]], digits: int | Mapping[str, int] = 3
    ) -> Self:
        """Make a table from headings and rows."""
        return cls(dict(zip(heads, zip(*rows, strict=True), strict=True)), digits)

    def __repr__(self) -> str:
        widths = [max(map(len, column)) for column in zip(self.heads, *self.rows, strict=True)]
        lines = [
            "  ".join(
                cell.ljust(width) if words else cell.rjust(width)
                for cell, width, words in zip(line, widths, self.words, strict=True)
            ).rstrip()
            for line in (self.heads, *self.rows)
        ]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        sides = ["left" if words else "right" for words in self.words]

        def line(cells: Sequence[str], tags: Sequence[str]) -> str:
            parts = zip(cells, tags, sides, strict=True)
            texts = [
                f'<{tag} style="text-align: {side}">{escape(c)}</{tag.split()[0]}>' for c, tag, side in parts
            ]
            return f"<tr>{''.join(texts)}</tr>"

        body = [line(row, ['th scope="row"', *["td"] * (len(row) - 1)]) for row in self.rows]
        head = line(self.heads, ['th scope="col"'] * len(self.heads))
        return "\n".join(
            ["<table class='numbers'>", "<thead>", head, "</thead><tbody>", *body, "</tbody></table>"]
        )


def _words(values: Sequence[Any]) -> bool:
    """Return whether a column holds words, not numbers."""
    return any(isinstance(value, str) for value in values)


def _shown(value: Any, places: int) -> str:
    """Write a value: words as they are, whole numbers in full, fractions to so many digits."""
    if isinstance(value, str):
        return value
    return format(value, ",d" if isinstance(value, Integral) else f",.{places}f")
