"""Estimated tables as frames and as HTML: one row a cell, with its labels (chapter release)."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from orr.arrays import Array
from orr_release.domain import Label

Column = Sequence[Label | None] | Array | None  # of labels, of numbers, or of nothing but missing values
KINDS = ("pandas", "polars", "pyarrow")
ROWS = 20  # of a table in a notebook


@dataclass(frozen=True)
class Axes:
    """What the axes of a table are called, and the values along them.

    Attributes
    ----------
    names : tuple
        A name an axis, or the number of its attribute.
    labels : tuple of tuple
        The labels along each axis; None is a missing value.
    """

    names: tuple[str | int, ...]
    labels: tuple[tuple[Label | None, ...], ...]

    @property
    def titles(self) -> tuple[str, ...]:
        """Titles of the columns of labels."""
        return tuple(n if isinstance(n, str) else f"attribute {n}" for n in self.names)

    def columns(self, rows: int | None = None) -> dict[str, list[Label | None]]:
        """Labels of the first rows, or of all: one column an axis, cells in C order."""
        shape = tuple(len(values) for values in self.labels)
        cells = np.arange(int(np.prod(shape)))[:rows]
        codes = np.unravel_index(cells, shape)
        return {
            title: [values[i] for i in code.tolist()]
            for title, values, code in zip(self.titles, self.labels, codes, strict=True)
        }

    def free(self, title: str) -> str:
        """Return a title for a column of numbers that is not that of an attribute."""
        while title in self.titles:
            title = f"estimated_{title}"
        return title

    def frame(self, numbers: Mapping[str, Array | None], kind: str) -> Any:
        """Make a frame with a row a cell; None stands for a column of missing numbers."""
        if kind not in KINDS:
            raise ValueError(f"kind = {kind!r} must be {', '.join(KINDS[:-1])} or {KINDS[-1]}")
        flat = {self.free(t): None if x is None else x.ravel() for t, x in numbers.items()}
        columns: dict[str, Column] = {**self.columns(), **flat}
        try:
            module = importlib.import_module(kind)
        except ImportError:
            source = "polars" if kind == "polars" else '".[release]"'
            raise ImportError(f"a frame of {kind} needs {kind}: pip install {source}") from None
        rows = int(np.prod([len(values) for values in self.labels]))
        made = {title: _column(module, kind, values, rows) for title, values in columns.items()}
        return module.table(made) if kind == "pyarrow" else module.DataFrame(made)

    def html(self, caption: str, numbers: dict[str, Array]) -> str:
        """Write the first rows as a table whose headers a screen reader can follow."""
        shown = self.columns(ROWS)
        flat = {self.free(title): values.ravel() for title, values in numbers.items()}
        titles = "".join(f"<th scope='col'>{escape(t)}</th>" for t in (*shown, *flat))
        body = []
        for row, labels in enumerate(zip(*shown.values(), strict=True)):
            heads = "".join(f"<th scope='row'>{escape(written(label))}</th>" for label in labels)
            cells = "".join(f"<td>{_shown(x[row], '.5g')}</td>" for x in flat.values())
            body.append(f"<tr>{heads}{cells}</tr>")
        more = int(np.prod([len(values) for values in self.labels])) - len(body)
        if more:
            body.append(f"<tr><td colspan='{len(shown) + len(flat)}'>and {more} more</td></tr>")
        return (
            f"<table><caption>{escape(caption)}</caption><thead><tr>{titles}</tr></thead>"
            f"<tbody>{''.join(body)}</tbody></table>"
        )

    def text(self, numbers: dict[str, Array]) -> str:
        """Write all rows in plain characters, one under the other."""
        columns = [[title, *map(written, labels)] for title, labels in self.columns().items()]
        for title, x in numbers.items():
            digits = ".4f" if title == "proportion" else ".1f"
            columns.append([self.free(title), *(_shown(v, digits) for v in x.ravel())])
        widths = [max(map(len, column)) for column in columns]
        rows = zip(*columns, strict=True)
        return "\n".join("  ".join(x.rjust(w) for x, w in zip(row, widths, strict=True)) for row in rows)


def written(label: Label | None) -> str:
    """Write a label in words."""
    return "(missing)" if label is None else str(label)


def _shown(value: Any, digits: str) -> str:
    """Write a number, or the answer to a question."""
    return str(value) if isinstance(value, np.bool_) else f"{value:{digits}}"


def _column(module: Any, kind: str, values: Column, rows: int) -> Any:
    """Make a column whose type is that of its labels, missing or not."""
    if values is None:
        nothing = [None] * rows
        if kind == "pandas":
            return np.full(rows, np.nan)
        return (
            module.Series(nothing, dtype=module.Float64) if kind == "polars" else module.nulls(rows, "double")
        )
    if isinstance(values, np.ndarray) or kind != "pandas" or None not in values:
        return values
    types = {bool: "boolean", int: "Int64"}
    known = next(type(v) for v in values if v is not None)
    return module.array(list(values), dtype=types[known]) if known in types else list(values)
