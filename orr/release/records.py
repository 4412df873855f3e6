"""Records at the edge: arrays of integers and pandas tables, checked and turned into codes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from orr.arrays import Array, Integers


def encode(records: Any, sizes: Integers) -> tuple[Array, Callable[[Array], Any]]:
    """Return the records as an integer array, and the way back to what the caller gave.

    Raises
    ------
    TypeError
        If a value is not an integer.
    ValueError
        If the shape is wrong, a value is out of range, missing, or of an unknown category.
    """
    if hasattr(records, "iloc") and hasattr(records, "columns"):
        return _encode_frame(records, sizes)
    try:
        values = np.asarray(records)
    except ValueError:
        raise ValueError(f"records must have shape (n, {len(sizes)}): its rows differ in length") from None
    if np.ma.is_masked(records):
        raise ValueError("records has masked values: drop or fill them first")
    if values.size == 0 and values.shape in {(0,), (0, len(sizes))} and values.dtype.kind not in "iu":
        values = np.empty((0, len(sizes)), dtype=np.int64)
    if values.ndim != 2 or values.shape[1] != len(sizes):
        raise ValueError(f"records must have shape (n, {len(sizes)}), one row a record; got {values.shape}")
    if values.dtype.kind not in "iu":
        raise TypeError(f"records must be integers, got {values.dtype}")
    _check_room(values.dtype, int(sizes.max()), "records")
    _check_range(values, sizes)
    return values, lambda released: released


def _check_range(values: Array, sizes: Integers) -> None:
    """Refuse values outside 0 to size - 1, naming the first."""
    wrong = (values < 0) | (values >= sizes)
    if wrong.any():
        row, i = (int(j) for j in np.argwhere(wrong)[0])
        raise ValueError(
            f"records[{row}, {i}] is out of range: attribute {i} has values 0 to {sizes[i] - 1} "
            "(the record's own value is not shown, since messages end in logs)"
        )


def _check_room(dtype: Any, size: int, what: str) -> None:
    """Refuse a type that cannot hold every value that may be released."""
    if size - 1 > np.iinfo(dtype).max:
        raise ValueError(f"{what} of type {dtype} cannot hold the values 0 to {size - 1}: use a wider type")


def _encode_frame(frame: Any, sizes: Integers) -> tuple[Array, Callable[[Array], Any]]:
    """Use the codes of categorical columns and the values of integer ones."""
    import pandas as pd

    if frame.shape[1] != len(sizes):
        raise ValueError(f"records must have {len(sizes)} columns, got {frame.shape[1]}")
    values = np.empty(frame.shape, dtype=np.int64)
    columns = [frame.iloc[:, i] for i in range(len(sizes))]
    for i, (name, column) in enumerate(zip(frame.columns, columns, strict=True)):
        if column.isna().any():
            raise ValueError(f"column {name!r} has missing values: drop or fill them first")
        if isinstance(column.dtype, pd.CategoricalDtype):
            count = len(column.cat.categories)
            if count != sizes[i]:
                raise ValueError(f"column {name!r} has {count} categories, attribute {i} has size {sizes[i]}")
            values[:, i] = column.cat.codes
        elif column.dtype.kind in "iu":
            numpy_type = getattr(column.dtype, "numpy_dtype", getattr(column.dtype, "subtype", column.dtype))
            _check_room(numpy_type, int(sizes[i]), f"column {name!r}")
            values[:, i] = column
        else:
            raise TypeError(f"column {name!r} must be categorical or integer, got {column.dtype}")
    _check_range(values, sizes)

    def decode(released: Array) -> Any:
        result = frame.copy()
        for i, column in enumerate(columns):
            if isinstance(column.dtype, pd.CategoricalDtype):
                new = pd.Series(pd.Categorical.from_codes(released[:, i], dtype=column.dtype), frame.index)
            else:
                new = pd.Series(released[:, i], frame.index).astype(column.dtype)
            result.isetitem(i, new)
        return result

    return values, decode
