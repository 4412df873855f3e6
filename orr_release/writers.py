"""Codes turned into columns with the declared labels (chapter release).

What is drawn never changes a type. Nor does a missing value: libraries turn integers into floats, booleans
into objects and empty columns into anything because of one, and what comes from these keeps a trace of it (an
int8 with a null is a double in arrow, and an int8 without one is not). So a column that may have nulls gets
the type of its labels, of the widest integers, whatever it was; only that it lists labels stays. A column
that has none keeps its type, but for floats, in which integers stand that were beside a missing value, and
pandas' objects. A code past the last label is null.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from orr.arrays import Array
from orr_release.attribute import Attribute
from orr_release.columns import BLOCK, fits, imported, natural

BYTES = 2**31 - 1  # that the strings of one arrow array can have

Writer = Callable[[Array], Any]


def table_of_codes(attribute: Attribute, null: int, dtype: Any) -> Array:
    """Return the lookup table from codes to indices of some type, with one for nulls."""
    known = len(attribute.known)
    return np.append(np.arange(known), null).astype(dtype)


def looked_up(table: Array, codes: Array) -> Array:
    """Look codes up; those past the end have the last entry, which is null's."""
    result = np.empty(len(codes), dtype=table.dtype)
    for start in range(0, len(codes), BLOCK):  # numpy makes eight bytes of every index
        block = slice(start, start + BLOCK)
        np.take(table, codes[block], out=result[block], mode="clip")
    return result


def arrow_writer(arrow_type: Any, attribute: Attribute) -> Writer:
    """Return the way from codes to an arrow array, in place of one of some type.

    Dictionaries list the declared labels; their indices are widened only if there is no room for these.
    """
    pa = imported("pyarrow")
    if pa.types.is_dictionary(arrow_type):
        return _dictionary_writer(arrow_type, attribute)
    arrow_type = _settled(arrow_type, attribute)
    if pa.types.is_integer(arrow_type):
        numbers = np.array([*attribute.known, 0], dtype=arrow_type.to_pandas_dtype())
        return lambda codes: pa.array(looked_up(numbers, codes), mask=_nulls(attribute, codes))
    return _taking_writer(arrow_type, attribute)


def _taking_writer(arrow_type: Any, attribute: Attribute) -> Writer:
    """Return the way from codes to strings or booleans, in as many arrays as they need."""
    pa = imported("pyarrow")
    view = pa.types.is_string_view(arrow_type)
    labels = pa.array([*attribute.known, None], type=pa.large_string() if view else arrow_type)
    rows = BYTES // max(len(str(label).encode()) for label in ("any", *attribute.known))

    def write(codes: Array) -> Any:
        blocks = (codes[start : start + rows] for start in range(0, max(len(codes), 1), rows))
        pieces = [labels.take(pa.array(_clipped(block, attribute))) for block in blocks]
        values = pieces[0] if len(pieces) == 1 else pa.chunked_array(pieces)
        return values.cast(arrow_type) if view else values  # since take does not know views

    return write


def _settled(arrow_type: Any, attribute: Attribute) -> Any:
    """Return the type in a release: the column's own, if no missing value can have had a part in it."""
    own = fits(arrow_type, attribute) and not imported("pyarrow").types.is_null(arrow_type)
    whole = attribute.kind is not int or imported("pyarrow").types.is_integer(arrow_type)
    return arrow_type if own and whole and not attribute.nullable else natural(attribute)


def _nulls(attribute: Attribute, codes: Array) -> Array | None:
    """Mark the codes that are null, where there may be any."""
    return codes >= len(attribute.known) if attribute.nullable else None


def _clipped(codes: Array, attribute: Attribute) -> Array:
    """Give all nulls the code past the last label."""
    return np.minimum(codes, len(attribute.known)) if attribute.nullable else np.ascontiguousarray(codes)


def _dictionary_writer(arrow_type: Any, attribute: Attribute) -> Writer:
    """Return the way from codes to a dictionary of the declared labels."""
    pa = imported("pyarrow")
    labels = pa.array(attribute.known, type=_settled(arrow_type.value_type, attribute))
    dtype = np.dtype(arrow_type.index_type.to_pandas_dtype())
    while np.iinfo(dtype).max < len(labels) - 1:
        dtype = np.dtype(f"{dtype.kind}{2 * dtype.itemsize}")
    indices = table_of_codes(attribute, 0, dtype)

    def write(codes: Array) -> Any:
        places = pa.array(looked_up(indices, codes), mask=_nulls(attribute, codes))
        return pa.DictionaryArray.from_arrays(places, labels, ordered=arrow_type.ordered, safe=False)

    return write


def pandas_writer(dtype: Any, attribute: Attribute) -> Writer:
    """Return the way from codes to an array of pandas, in place of one of some type."""
    pd = imported("pandas")
    if isinstance(dtype, pd.CategoricalDtype):
        categorical = pd.CategoricalDtype(list(attribute.known), ordered=dtype.ordered)
        signed = np.min_scalar_type(-len(attribute.known))
        table = table_of_codes(attribute, -1, signed)
        return lambda codes: pd.Categorical.from_codes(
            looked_up(table, codes), dtype=categorical, validate=False
        )
    if isinstance(dtype, pd.ArrowDtype):
        arrow = arrow_writer(dtype.pyarrow_dtype, attribute)
        return lambda codes: _extension(arrow(codes))
    dtype = _pandas_type(dtype, attribute)
    if attribute.kind is str:
        write = _taking_writer(imported("pyarrow").large_string(), attribute)
        return lambda codes: dtype.__from_arrow__(write(codes))
    return _number_writer(dtype, attribute)


def _extension(values: Any) -> Any:
    """Turn an arrow array into one of pandas."""
    return imported("pandas").ArrowDtype(values.type).__from_arrow__(values)


def _pandas_type(dtype: Any, attribute: Attribute) -> Any:
    """Return the type in a release, of a column that is neither categorical nor arrow's."""
    pd = imported("pandas")
    own = {str: isinstance(dtype, pd.StringDtype), bool: dtype.kind == "b", int: dtype.kind in "iu"}
    if own[attribute.kind] and not attribute.nullable:
        return dtype
    if attribute.kind is str:
        return pd.StringDtype(na_value=np.nan)
    if isinstance(dtype, np.dtype) and not attribute.nullable:
        return np.dtype(attribute.kind)
    return pd.BooleanDtype() if attribute.kind is bool else pd.Int64Dtype()


def _number_writer(dtype: Any, attribute: Attribute) -> Writer:
    """Return the way from codes to booleans or integers of pandas."""
    pd = imported("pandas")
    if isinstance(dtype, np.dtype):
        numbers = np.array(attribute.known, dtype=dtype)
        return lambda codes: looked_up(numbers, codes)
    values = np.array([*attribute.known, 0], dtype=dtype.numpy_dtype)
    array = pd.arrays.BooleanArray if attribute.kind is bool else pd.arrays.IntegerArray
    return lambda codes: array(looked_up(values, codes), codes >= len(attribute.known))


def polars_writer(dtype: Any, attribute: Attribute) -> Writer:
    """Return the way from codes to a series of polars; an Enum lists the declared labels."""
    pl = imported("polars")
    listing = attribute.kind is str and dtype in (pl.Enum, pl.Categorical)
    own = {str: dtype == pl.String, bool: dtype == pl.Boolean, int: dtype.is_integer()}[attribute.kind]
    if listing:
        dtype = pl.Enum(attribute.known) if dtype == pl.Enum else dtype
    elif attribute.nullable or not own:
        dtype = {str: pl.String, bool: pl.Boolean, int: pl.Int64}[attribute.kind]()
    labels = pl.Series([*attribute.known, None], dtype=dtype)
    return lambda codes: labels.gather(pl.Series(_clipped(codes, attribute)))
