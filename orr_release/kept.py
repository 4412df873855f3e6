"""Public columns, released as they are: with what their rows have, and no more (chapter release).

A part of a table often holds the whole: categories that nobody in it has, buffers of which it is a slice, a
number under a null. All of that goes where the part goes, so columns are written anew. Nobody can change
the truth through a copy, either.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from orr_release.columns import imported

ROWS = 2**20  # copied at a time: with plain values as long as 2 kB an array has room for them


def arrow_kept(column: Any) -> Any:
    """Copy an arrow column, its dictionaries as plain values: those of two batches would differ."""
    pa = imported("pyarrow")
    column = column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column])
    result = _plain(column.type, views=True)
    pieces = (chunk[start : start + ROWS] for chunk in column.chunks for start in range(0, len(chunk), ROWS))
    copied = pa.chunked_array([_cast(_anew(piece), result) for piece in pieces], type=result)
    # Borders may tell of other rows.
    return pa.table([copied], names=["kept"]).combine_chunks().column(0) if copied.num_chunks > 1 else copied


def _anew(array: Any) -> Any:
    """Copy the values of an array, and nothing in the place of its nulls."""
    plain = _cast(array, _plain(array.type))
    nulls = plain.is_null().to_numpy(zero_copy_only=False)  # of a struct too, whose parts may not be null
    return plain.take(imported("pyarrow").array(np.arange(len(array)), mask=nulls))


def _cast(array: Any, arrow_type: Any) -> Any:
    """Change the type of an array, if it is another one: not all types can be cast even to themselves."""
    if imported("pyarrow").types.is_run_end_encoded(array.type):
        array = imported("pyarrow.compute").run_end_decode(array)
    return array if array.type.equals(arrow_type, check_metadata=True) else array.cast(arrow_type)


def _plain(arrow_type: Any, views: bool = False) -> Any:
    """Return a type that lists no values; and without views, which cannot be taken, if they are not kept."""
    pa = imported("pyarrow")
    types = pa.types
    if types.is_dictionary(arrow_type) or types.is_run_end_encoded(arrow_type):
        return _plain(arrow_type.value_type, views)
    if types.is_string_view(arrow_type) and not views:
        return pa.large_string()
    if types.is_binary_view(arrow_type) and not views:
        return pa.large_binary()
    if types.is_struct(arrow_type):
        return pa.struct([_plain_field(field, views) for field in arrow_type])
    if types.is_map(arrow_type):
        pair = (_plain_field(field, views) for field in (arrow_type.key_field, arrow_type.item_field))
        return pa.map_(*pair, keys_sorted=arrow_type.keys_sorted)
    if types.is_fixed_size_list(arrow_type):
        return pa.list_(_plain_field(arrow_type.value_field, views), arrow_type.list_size)
    if types.is_list(arrow_type) or types.is_list_view(arrow_type):
        return pa.list_(_plain_field(arrow_type.value_field, views))
    if types.is_large_list(arrow_type) or types.is_large_list_view(arrow_type):
        return pa.large_list(_plain_field(arrow_type.value_field, views))
    return arrow_type


def _plain_field(field: Any, views: bool) -> Any:
    """Return a field inside a type in the same way, without metadata."""
    return field.with_type(_plain(field.type, views)).remove_metadata()


def pandas_kept(series: Any) -> Any:
    """Copy a column of pandas, without its index and attributes."""
    pd, values = imported("pandas"), series.array
    dtype = series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        values = values.remove_unused_categories()
    elif isinstance(dtype, pd.ArrowDtype):
        column = arrow_kept(values.__arrow_array__())
        values = pd.ArrowDtype(column.type).__from_arrow__(column)
    elif isinstance(dtype, pd.StringDtype) and dtype.storage == "pyarrow":
        values = dtype.__from_arrow__(arrow_kept(values.__arrow_array__()))
    elif isinstance(values, pd.arrays.IntegerArray | pd.arrays.FloatingArray | pd.arrays.BooleanArray):
        numbers = values.to_numpy(dtype.numpy_dtype, copy=True, na_value=dtype.numpy_dtype.type(0))
        values = type(values)(numbers, np.array(values.isna()))
    else:
        values = values.copy()
    return pd.Series(values, dtype=values.dtype, copy=False)


def polars_kept(series: Any) -> Any:
    """Copy a column of polars. An Enum may list values of others, and becomes text."""
    pl = imported("polars")
    if series.dtype.is_nested():  # polars would keep the strings of all
        return pl.Series(arrow_kept(series.to_arrow())).cast(series.dtype)
    if isinstance(series.dtype, pl.Enum):
        series = series.cast(pl.String)
    places = pl.Series(np.arange(len(series), dtype=np.uint32))
    return series.gather(places.set(series.is_null(), None))
