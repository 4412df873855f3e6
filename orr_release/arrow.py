"""Arrow columns become codes, and codes become Arrow columns (chapter release).

A column is never read row by row. Where it is dictionary-encoded, the entries of its dictionary are looked up
among the declared labels, and its indices are looked up among the codes of these. A label that no record has
may stand in a dictionary without being declared. In the other direction, the labels of a domain are taken by
code, so that the type of a released column follows from these labels alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from orr.arrays import Array
from orr.checks import HIDDEN
from orr_release.domain import READ_AS_MISSING, Domain, Label, reading_hint

UNKNOWN, MISSING = -1, -2  # in place of a code: a label that is not declared, no label
COPIED_ROWS = 1 << 20  # of a public column, copied at a time: values of 2 kB each still fit into one array
MAX_ARRAY_BYTES = 2**31 - 1  # of the strings of one Arrow array, whose offsets have 32 bits

KIND_NAMES = {str: "strings", bool: "booleans", int: "integers"}


class Undeclared(ValueError):
    """A column has a label that is not declared: its name, the row of the first one, and what may help.

    Examples
    --------
    >>> raise Undeclared("sex", 7)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    orr_release.arrow.Undeclared: column 'sex' has labels that are not declared, in row 7 for the first ...
    """

    def __init__(self, name: str, row: int, note: str = "") -> None:
        super().__init__(name, row, note)  # pickle makes the error again from these

    def __str__(self) -> str:
        name, row, note = self.args
        what = f"column {name!r} has labels that are not declared, in row {row} for the first time"
        return f"{what} ({HIDDEN}){note}"


def imported(module: str, needing: str = "tables need") -> Any:
    """Import a module of the extra ``release``; raise with the way to install it."""
    try:
        return import_module(module)
    except ImportError:
        raise ImportError(
            f'{needing} {module.partition(".")[0]}, which is not installed: pip install ".[release]"'
        ) from None


@dataclass(frozen=True)
class Column:
    """The declaration of a column that is read."""

    name: str
    known: tuple[Label, ...]  # its labels, without None
    domain: Domain
    null: int | None = None  # the code of a missing value; None if missing values are refused
    released: bool = False  # whether the records were released already

    @property
    def kind(self) -> type:
        """Type of the labels: str, bool or int."""
        return type(self.known[0])

    def refused(self, shown: str) -> TypeError:
        """Return the error for a column of a type that cannot have these labels."""
        what = f"column {self.name!r} is of type {shown}, but its declared labels are {KIND_NAMES[self.kind]}"
        return TypeError(f"{what}. {reading_hint(self.domain)}" if self.kind is str else what)

    def incomplete(self, rows: int) -> ValueError:
        """Return the error for missing values that are not declared."""
        what = f"column {self.name!r} has missing values in {rows} row{'s' * (rows > 1)}"
        if READ_AS_MISSING & {*self.known}:
            return ValueError(
                f"{what}, and a label that readers may take for missing. {reading_hint(self.domain)}"
            )
        if self.released:
            return ValueError(f"{what}, and had none when it was released: do not drop or fill them")
        return ValueError(f"{what}: drop or fill them, or declare that missing is a value (missing='value')")


def fill(codes: Array, values: Any, column: Column, shown: str) -> None:
    """Write the codes of a chunked Arrow column into an array; raise if a value is not declared.

    ``shown`` names the type of the column in messages.

    Examples
    --------
    >>> import pyarrow as pa
    >>> codes, sex = np.empty(3, np.uint8), Column("sex", ("F", "M"), Domain({"sex": ["F", "M"]}))
    >>> fill(codes, pa.chunked_array([["M", "F", "M"]]), sex, "string")
    >>> codes
    array([1, 0, 1], dtype=uint8)
    """
    if not _fits(values.type, column) and _blank(values):  # then its type is an accident
        values = imported("pyarrow").chunked_array([imported("pyarrow").nulls(len(values))])
    _check_type(values.type, column, shown)
    start, missing, first = 0, 0, None
    for chunk in values.chunks:
        found = _found(chunk, column)
        if found.min(initial=0) < 0:
            gone, strange = found == MISSING, found == UNKNOWN
            missing += int(gone.sum())
            if first is None and strange.any():
                first = start + int(np.argmax(strange))
            found = np.where(gone, -1 if column.null is None else column.null, found)
        codes[start : start + len(found)] = found
        start += len(found)
    if missing and column.null is None:
        raise column.incomplete(missing)
    if first is not None:
        raise Undeclared(column.name, first)


def _blank(values: Any) -> bool:
    """Return whether a column has no value at all."""
    compute = imported("pyarrow.compute")
    return bool(compute.all(compute.is_null(values, nan_is_null=True), min_count=0).as_py())


def _found(chunk: Any, column: Column) -> Array:
    """Return the position of every value of a chunk among the labels, UNKNOWN or MISSING."""
    pa = imported("pyarrow")
    if not pa.types.is_dictionary(chunk.type):
        return _positions(chunk, column)
    narrow = np.min_scalar_type(-len(column.known) - 1)
    entries = pa.array(_positions(chunk.dictionary, column).astype(narrow))
    return entries.take(chunk.indices).fill_null(MISSING).to_numpy(zero_copy_only=False)


def _positions(values: Any, column: Column) -> Array:
    """Return the position of every value of a plain array in the same way."""
    types = imported("pyarrow").types
    if types.is_null(values.type):
        return np.full(len(values), MISSING)
    if types.is_floating(values.type):
        return _whole(values, column)
    if types.is_string_view(values.type):
        values = values.cast("large_string")  # index_in does not know views
    found = _index(values, column.known)
    return np.where(_nulls(values), MISSING, found) if values.null_count else found


def _index(values: Any, known: tuple[Label, ...]) -> Array:
    """Return the position of every value among labels of its own type, or UNKNOWN."""
    pa, compute = imported("pyarrow"), imported("pyarrow.compute")
    index = compute.index_in(values, value_set=pa.array(known, type=values.type))
    return index.fill_null(UNKNOWN).to_numpy(zero_copy_only=False)


def _whole(values: Any, column: Column) -> Array:
    """Return the positions of whole floats: pandas makes such of integers beside missing values."""
    numbers = values.to_numpy(zero_copy_only=False).astype(np.float64)
    fine = (np.abs(numbers) < 2.0**63) & (np.trunc(numbers) == numbers)  # also rejects NaN
    integers = imported("pyarrow").array(np.where(fine, numbers, 0).astype(np.int64))
    return np.where(fine, _index(integers, column.known), np.where(np.isnan(numbers), MISSING, UNKNOWN))


def _nulls(values: Any) -> Array:
    """Mark the nulls of an Arrow array."""
    return values.is_null().to_numpy(zero_copy_only=False)


def _fits(arrow_type: Any, column: Column) -> bool:
    """Return whether values of a type may be labels; floats may be whole numbers."""
    types = imported("pyarrow").types
    inner = arrow_type.value_type if types.is_dictionary(arrow_type) else arrow_type
    known = {
        str: (types.is_string, types.is_large_string, types.is_string_view),
        bool: (types.is_boolean,),
        int: (types.is_integer, types.is_floating),
    }
    return types.is_null(inner) or any(fit(inner) for fit in known[column.kind])


def _check_type(arrow_type: Any, column: Column, shown: str) -> None:
    """Raise if a type cannot have the declared labels, or cannot hold all of them."""
    if not _fits(arrow_type, column):
        raise column.refused(shown)
    types = imported("pyarrow").types
    inner = arrow_type.value_type if types.is_dictionary(arrow_type) else arrow_type
    if column.kind is int and not types.is_null(inner):
        dtype = np.dtype(inner.to_pandas_dtype())
        if dtype.kind == "f":
            high = 2 ** (np.finfo(dtype).nmant + 1)  # every integer up to this one is a float
            low = -high
        else:
            low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
        if not all(low <= int(label) <= high for label in column.known):
            raise ValueError(
                f"column {column.name!r} of type {shown} cannot hold all declared labels: use a wider type"
            )


def indices_of(codes: Array) -> Any:
    """Return codes as Arrow indices: negative ones, for answers that were not asked, are null.

    Examples
    --------
    >>> indices_of(np.array([1, -1])).to_pylist()
    [1, None]
    """
    return imported("pyarrow").array(codes, mask=codes < 0 if codes.dtype.kind == "i" else None)


def labels_at(indices: Any, labels: tuple[Label | None, ...]) -> Any:
    """Return labels by index, as a column of strings, booleans or 64-bit integers.

    Examples
    --------
    >>> labels_at(indices_of(np.array([1, 0, -1])), ("F", "M")).to_pylist()
    ['M', 'F', None]
    """
    pa = imported("pyarrow")
    arrow_type = {str: pa.string(), bool: pa.bool_(), int: pa.int64()}[type(labels[0])]
    known = pa.array(labels, type=arrow_type)
    rows = MAX_ARRAY_BYTES // max(len(str(label).encode()) for label in ("any", *labels))
    starts = range(0, max(len(indices), 1), rows)
    return pa.chunked_array([known.take(indices[start : start + rows]) for start in starts])


def copied(values: Any) -> Any:
    """Return a copy of a public column that holds what its rows have and no more.

    A part of a table often holds the whole: entries of a dictionary that none of its rows has, buffers of
    which it is a slice, a number under a null. Dictionaries, runs and views become plain values: those of two
    batches would differ. The copy has one chunk, since borders may tell of other rows.

    Examples
    --------
    >>> import pyarrow as pa
    >>> part = pa.chunked_array([pa.array(["NY", "CA", "TX"]).dictionary_encode()])[:2]
    >>> copied(part).type, copied(part).to_pylist()
    (DataType(string), ['NY', 'CA'])
    """
    pa = imported("pyarrow")
    plain = _plain(values.type)
    starts = [(chunk, start) for chunk in values.chunks for start in range(0, len(chunk), COPIED_ROWS)]
    pieces = [_anew(chunk[start : start + COPIED_ROWS], plain) for chunk, start in starts]
    return pa.table([pa.chunked_array(pieces, type=plain)], names=["copy"]).combine_chunks().column(0)


def _anew(array: Any, plain: Any) -> Any:
    """Return a copy of the values of an array in a plain type, with nothing in the place of nulls."""
    pa = imported("pyarrow")
    if pa.types.is_run_end_encoded(array.type):
        array = imported("pyarrow.compute").run_end_decode(array)
    if pa.types.is_dictionary(array.type):
        return _anew(array.dictionary, plain).take(array.indices)
    if not array.type.equals(plain, check_metadata=True):  # some types cannot even be cast to themselves
        array = array.cast(plain)
    return array.take(pa.array(np.arange(len(array)), mask=_nulls(array)))  # masks the parts of structs, too


def _plain(arrow_type: Any) -> Any:
    """Return the type of the same values without dictionaries, runs, views and metadata."""
    pa = imported("pyarrow")
    types = pa.types
    if types.is_dictionary(arrow_type) or types.is_run_end_encoded(arrow_type):
        return _plain(arrow_type.value_type)
    if types.is_string_view(arrow_type):
        return pa.large_string()
    if types.is_binary_view(arrow_type):
        return pa.large_binary()
    if types.is_struct(arrow_type):
        return pa.struct([_plain_field(field) for field in arrow_type])
    if types.is_map(arrow_type):
        pair = _plain_field(arrow_type.key_field), _plain_field(arrow_type.item_field)
        return pa.map_(*pair, keys_sorted=arrow_type.keys_sorted)
    if types.is_fixed_size_list(arrow_type):
        return pa.list_(_plain_field(arrow_type.value_field), arrow_type.list_size)
    if types.is_list(arrow_type) or types.is_list_view(arrow_type):
        return pa.list_(_plain_field(arrow_type.value_field))
    if types.is_large_list(arrow_type) or types.is_large_list_view(arrow_type):
        return pa.large_list(_plain_field(arrow_type.value_field))
    return arrow_type


def _plain_field(field: Any) -> Any:
    """Return a field inside a type in the same way."""
    return field.with_type(_plain(field.type)).remove_metadata()
