"""Columns of tables turned into codes, by lookup tables and never row by row (chapter release).

Every kind of table shows its columns as arrow arrays: values, or indices into a dictionary beside a lookup
table that has the code of every entry. A label that no record has may stand in a dictionary undeclared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from orr.arrays import Array
from orr_release.attribute import Attribute
from orr_release.domain import Label

UNKNOWN, MISSING = -1, -2  # in place of a code: a label that is not declared, no label
BLOCK = 1 << 16  # rows that are looked up at a time: what is between column and codes stays in the cache
HIDDEN = "the record's own value is not shown, since messages end in logs"

Chunk = tuple[Any, Array | None]  # an arrow array; or indices, and the codes of what they point to
Decode = Callable[..., Any]


class Undeclared(ValueError):
    """A column has a label that is not declared: its name, the row of the first one, and what may help.

    Examples
    --------
    >>> raise Undeclared("sex", 7)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    orr_release.columns.Undeclared: column 'sex' has labels that are not declared, in row 7 for the first ...
    """

    def __init__(self, name: str, row: int, note: str = "") -> None:
        super().__init__(name, row, note)  # what pickle makes it of again

    def __str__(self) -> str:
        name, row, note = self.args
        what = f"column {name!r} has labels that are not declared, in row {row} for the first time"
        return f"{what} ({HIDDEN}){note}"


def imported(module: str) -> Any:
    """Import what only tables need, or say how to get it."""
    try:
        return import_module(module)
    except ImportError:
        raise ImportError(
            f'tables need {module.partition(".")[0]}, which is not installed: pip install ".[tables]"'
        ) from None


def check_names(names: Sequence[Any], wanted: Sequence[str]) -> None:
    """Refuse records that lack a column or have it twice."""
    for name in wanted:
        if name not in names:
            raise ValueError(f"records has no column {name!r}")
        if names.count(name) > 1:
            raise ValueError(f"records has {names.count(name)} columns {name!r}: names must be different")


def fill(codes: Array, chunks: Iterable[Chunk], attribute: Attribute) -> None:
    """Write the codes of a column, or say how many values are missing or where the first unknown one is."""
    start, missing, first = 0, 0, None
    for found in _found(chunks, attribute):
        if found.min(initial=0) < 0:
            gone, strange = found == MISSING, found == UNKNOWN
            missing += int(gone.sum())
            if first is None and strange.any():
                first = start + int(np.argmax(strange))
            found = np.where(gone, len(attribute.known) if attribute.missing else -1, found)
        codes[start : start + len(found)] = found
        start += len(found)
    if missing and attribute.complete and not attribute.missing:
        raise attribute.incomplete(missing)
    if first is not None:
        raise Undeclared(attribute.name, first)


def _found(chunks: Iterable[Chunk], attribute: Attribute) -> Iterator[Array]:
    """Find the codes of a column, block by block."""
    for values, lookup in chunks:
        if lookup is None:
            yield positions(values, attribute)
            continue
        table = lookup.astype(np.min_scalar_type(-len(attribute.labels) - 1))  # narrow, and so fast
        for start in range(0, len(values), BLOCK):
            block = slice(start, start + BLOCK)
            yield _pointed(values[block], table)


def _pointed(indices: Any, table: Array) -> Array:
    """Find the codes of what indices point to."""
    arrow = not isinstance(indices, np.ndarray)
    places = indices.fill_null(0).to_numpy(zero_copy_only=False) if arrow else indices
    found = np.take(table, places.astype(np.intp), mode="clip")
    if arrow and indices.null_count:
        found[_nulls(indices)] = MISSING
    return found


def _nulls(values: Any) -> Array:
    """Mark the nulls of an arrow array."""
    return values.is_null().to_numpy(zero_copy_only=False)


def positions(values: Any, attribute: Attribute) -> Array:
    """Return the place of every value of an arrow array among the labels, UNKNOWN or MISSING."""
    types = imported("pyarrow").types
    if types.is_null(values.type):
        return np.full(len(values), MISSING)
    if types.is_floating(values.type):
        return _whole(values, attribute)
    if types.is_string_view(values.type):
        values = values.cast("large_string")  # since index_in does not know views
    found = _index(values, attribute.known)
    return np.where(_nulls(values), MISSING, found) if values.null_count else found


def _index(values: Any, known: tuple[Label, ...]) -> Array:
    """Return the place of every value among some of its own type, or UNKNOWN."""
    pa, compute = imported("pyarrow"), imported("pyarrow.compute")
    index = compute.index_in(values, value_set=pa.array(known, type=values.type))
    return index.fill_null(UNKNOWN).to_numpy(zero_copy_only=False)


def _whole(values: Any, attribute: Attribute) -> Array:
    """Find the codes of floats that are whole numbers; pandas makes such of integers with missing values."""
    numbers = values.to_numpy(zero_copy_only=False).astype(np.float64)
    fine = (np.abs(numbers) < 2.0**63) & (np.trunc(numbers) == numbers)  # false for NaN
    integers = imported("pyarrow").array(np.where(fine, numbers, 0).astype(np.int64))
    return np.where(fine, _index(integers, attribute.known), np.where(np.isnan(numbers), MISSING, UNKNOWN))


def lookup_of(dictionary: Any, attribute: Attribute, beyond: int = UNKNOWN) -> Array:
    """Return the code of every entry of a dictionary, and what an index beyond these stands for."""
    return np.append(positions(dictionary, attribute), beyond)


def chunks_of(column: Any, attribute: Attribute) -> list[Chunk]:
    """Split an arrow column into its chunks, with the codes of dictionaries, which may differ."""
    pa = imported("pyarrow")
    pieces = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    if pa.types.is_dictionary(column.type):
        return [(piece.indices, lookup_of(piece.dictionary, attribute)) for piece in pieces]
    return [(piece, None) for piece in pieces]


def natural(attribute: Attribute) -> Any:
    """Return the arrow type that follows from the labels alone."""
    pa = imported("pyarrow")
    return {str: pa.string(), bool: pa.bool_(), int: pa.int64()}[attribute.kind]


def fits(arrow_type: Any, attribute: Attribute) -> bool:
    """Tell whether values of a type may be labels of an attribute; floats may be whole numbers."""
    types = imported("pyarrow").types
    inner = arrow_type.value_type if types.is_dictionary(arrow_type) else arrow_type
    known = {
        str: (types.is_string, types.is_large_string, types.is_string_view),
        bool: (types.is_boolean,),
        int: (types.is_integer, types.is_floating),
    }
    return types.is_null(inner) or any(fit(inner) for fit in known[attribute.kind])


def check_type(arrow_type: Any, attribute: Attribute, shown: object) -> None:
    """Refuse a type that cannot have the declared labels, or not all of them."""
    types = imported("pyarrow").types
    inner = arrow_type.value_type if types.is_dictionary(arrow_type) else arrow_type
    if not fits(inner, attribute):
        raise attribute.refused(shown)
    if attribute.kind is int and not types.is_null(inner):
        low, high = _range(inner)
        if not all(low <= int(label) <= high for label in attribute.known):
            raise ValueError(
                f"column {attribute.name!r} of type {shown} cannot hold all declared labels: use a wider type"
            )


def _range(number_type: Any) -> tuple[int, int]:
    """Return the least and the greatest integer up to which a type holds every one."""
    dtype = np.dtype(number_type.to_pandas_dtype())
    if dtype.kind == "f":
        most = 2 ** (np.finfo(dtype).nmant + 1)
        return -most, most
    return int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
