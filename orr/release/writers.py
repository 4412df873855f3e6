"""Codes turned into columns, of the types that they had, with the declared labels (chapter release).

A type follows from the column's own and from the domain, never from what was drawn. A code past the last
label is null.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from orr.arrays import Array
from orr.release.columns import BLOCK, Attribute, imported, natural

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
    """Return the way from codes to an arrow array of a type.

    Dictionaries list the declared labels; their indices are widened only if there is no room for these. A
    column of the null type gets the type of the labels.
    """
    pa = imported("pyarrow")
    if pa.types.is_null(arrow_type):
        arrow_type = natural(attribute)
    if pa.types.is_dictionary(arrow_type):
        return _dictionary_writer(arrow_type, attribute)
    if pa.types.is_floating(arrow_type) or pa.types.is_integer(arrow_type):
        numbers = np.array([*attribute.known, 0], dtype=arrow_type.to_pandas_dtype())
        return lambda codes: pa.array(looked_up(numbers, codes), mask=_nulls(attribute, codes))
    view = pa.types.is_string_view(arrow_type)
    labels = pa.array([*attribute.known, None], type=pa.large_string() if view else arrow_type)

    def write(codes: Array) -> Any:
        values = labels.take(pa.array(_clipped(codes, attribute)))
        return values.cast(arrow_type) if view else values  # since take does not know views

    return write


def _nulls(attribute: Attribute, codes: Array) -> Array | None:
    """Mark the codes that are null, where there may be any."""
    return codes >= len(attribute.known) if attribute.nullable else None


def _clipped(codes: Array, attribute: Attribute) -> Array:
    """Give all nulls the code past the last label."""
    return np.minimum(codes, len(attribute.known)) if attribute.nullable else np.ascontiguousarray(codes)


def _dictionary_writer(arrow_type: Any, attribute: Attribute) -> Writer:
    """Return the way from codes to a dictionary of the declared labels."""
    pa = imported("pyarrow")
    inner = arrow_type.value_type
    labels = pa.array(attribute.known, type=natural(attribute) if pa.types.is_null(inner) else inner)
    dtype = np.dtype(arrow_type.index_type.to_pandas_dtype())
    while np.iinfo(dtype).max < len(labels) - 1:
        dtype = np.dtype(f"{dtype.kind}{2 * dtype.itemsize}")
    indices = table_of_codes(attribute, 0, dtype)

    def write(codes: Array) -> Any:
        places = pa.array(looked_up(indices, codes), mask=_nulls(attribute, codes))
        return pa.DictionaryArray.from_arrays(places, labels, ordered=arrow_type.ordered, safe=False)

    return write


def pandas_writer(dtype: Any, attribute: Attribute) -> Writer:
    """Return the way from codes to an array of pandas.

    Where there may be nulls, numpy's booleans and integers become the nullable types of the same width.
    """
    pd = imported("pandas")
    if isinstance(dtype, pd.CategoricalDtype):
        categorical = pd.CategoricalDtype(list(attribute.known), ordered=dtype.ordered)
        signed = np.min_scalar_type(-len(attribute.known))
        table = table_of_codes(attribute, -1, signed)
        return lambda codes: pd.Categorical.from_codes(
            looked_up(table, codes), dtype=categorical, validate=False
        )
    if isinstance(dtype, pd.StringDtype | pd.ArrowDtype):
        inner = getattr(dtype, "pyarrow_dtype", imported("pyarrow").large_string())
        write = arrow_writer(inner, attribute)
        return lambda codes: _extension(write(codes), dtype)
    if dtype.kind == "O":
        labels = np.array([*attribute.known, None], dtype=object)
        return lambda codes: pd.Series(
            looked_up(labels, codes), dtype=object
        )  # an array would become strings
    return _number_writer(dtype, attribute)


def _extension(values: Any, dtype: Any) -> Any:
    """Turn an arrow array into one of pandas' own, of a type that may have followed from the labels."""
    pd = imported("pandas")
    return (pd.ArrowDtype(values.type) if isinstance(dtype, pd.ArrowDtype) else dtype).__from_arrow__(values)


def _number_writer(dtype: Any, attribute: Attribute) -> Writer:
    """Return the way from codes to booleans, integers or floats of pandas."""
    pd = imported("pandas")
    if isinstance(dtype, np.dtype) and dtype.kind == "f":
        numbers = np.array([*attribute.known, np.nan], dtype=dtype)
        return lambda codes: looked_up(numbers, codes)
    plain = isinstance(dtype, np.dtype)
    values = np.array([*attribute.known, 0], dtype=dtype if plain else dtype.numpy_dtype)
    if plain and not attribute.nullable:
        return lambda codes: looked_up(values, codes)
    array = {"b": pd.arrays.BooleanArray, "f": pd.arrays.FloatingArray}.get(
        dtype.kind, pd.arrays.IntegerArray
    )
    return lambda codes: array(looked_up(values, codes), codes >= len(attribute.known))


def polars_writer(dtype: Any, attribute: Attribute) -> Writer:
    """Return the way from codes to a series of polars; an Enum lists the declared labels."""
    pl = imported("polars")
    if dtype == pl.Null:
        dtype = {str: pl.String, bool: pl.Boolean, int: pl.Int64}[attribute.kind]()
    elif isinstance(dtype, pl.Enum):
        dtype = pl.Enum(attribute.known)
    labels = pl.Series([*attribute.known, None], dtype=dtype)
    return lambda codes: labels.gather(pl.Series(_clipped(codes, attribute)))
