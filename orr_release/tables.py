"""A whole table turned into codes, and released codes into a table (chapter release)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from orr.arrays import Array
from orr_release.attribute import Attribute
from orr_release.columns import Decode, check_names, fill
from orr_release.frames import Table

LONG = 100_000  # rows for which it pays to start threads
THREADS = 4  # each of them needs room for a column


def encode_table(
    table: Table, attributes: list[Attribute], public: list[Attribute], code_type: Any
) -> tuple[Array, Decode]:
    """Look the labels of a table up, column by column."""
    check_names(table.names, [a.name for a in (*attributes, *public)])
    codes = np.empty((table.rows, len(attributes)), dtype=code_type, order="F")
    side_by_side(lambda column, a: fill(column, table.chunks(a), a), table.rows, codes.T, attributes)
    writers = {a.name: table.writer(a) for a in attributes}
    kept = {a.name: _public(table, a) for a in public}
    order = [name for name in table.names if name in writers or name in kept]
    nullable = [a.name for a in attributes if a.nullable]

    def decode(released: Array, **more: Array) -> Any:
        def write(column: Array, a: Attribute) -> tuple[str, Any]:
            return a.name, writers[a.name](_nulls_last(column, len(a.known)))

        columns = dict(side_by_side(write, table.rows, released.T, attributes))
        return table.build({name: (columns | kept)[name] for name in order} | more, nullable)

    return codes, decode


def side_by_side(task: Callable[..., Any], rows: int, *arguments: Iterable[Any]) -> list[Any]:
    """Do the same for every column, several at a time in a long table: arrow and numpy let threads run.

    Examples
    --------
    >>> side_by_side(lambda a, b: a + b, 10, [1, 2], [3, 4])
    [4, 6]
    """
    if rows < LONG:
        return list(map(task, *arguments))
    with ThreadPoolExecutor(min(THREADS, os.cpu_count() or 1)) as pool:
        return list(pool.map(task, *arguments))


def _nulls_last(codes: Array, known: int) -> Array:
    """Give answers that are not there the code past the last label, in a type that has room for it."""
    if codes.dtype.kind == "u":
        return codes
    return np.where(codes < 0, np.array(known, dtype=np.min_scalar_type(-known - 1)), codes)


def _public(table: Table, attribute: Attribute) -> Any:
    """Return a column that is released as it is, after a look at its labels if some were declared."""
    if not attribute.known:
        return table.kept(attribute.name)
    codes = np.empty(table.rows, dtype=np.int32)
    fill(codes, table.chunks(attribute), attribute)
    listed = table.lists_labels(attribute.name)  # then the declared ones are listed, and no others
    return table.writer(attribute)(codes) if listed else table.kept(attribute.name)
