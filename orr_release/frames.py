"""Frames at the edge: pandas, polars and pyarrow tables, and dask frames of pandas (chapter release).

Columns come in as Arrow columns, through the PyCapsule interface where Arrow can look up what that gives.
What goes out has the types of the labels, not those of the input: libraries choose types by whether a value
is missing, and so a type may tell who gave no answer. Strings become ``str`` (polars: ``String``, Arrow:
``string``), booleans ``bool``, integers ``int64``; in pandas ``boolean`` and ``Int64`` where values may be
missing.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from orr.arrays import Array, Integers
from orr.checks import nameless
from orr_release.arrow import copied, imported, indices_of, labels_at
from orr_release.domain import Domain, Label

LIBRARIES = {"pandas", "polars", "pyarrow", "dask", "narwhals", "modin", "cudf", "duckdb", "ibis", "pyspark"}
KINDS = "pandas and polars DataFrames, pyarrow Tables and dask DataFrames"


def is_table(records: Any) -> bool:
    """Return whether records have names: a mapping, or anything of a library of tables.

    Examples
    --------
    >>> is_table({"sex": "F"}), is_table([[0, 1]])
    (True, False)
    """
    owners = {base.__module__.partition(".")[0] for base in type(records).__mro__}
    return isinstance(records, Mapping) or bool(owners & LIBRARIES) or hasattr(records, "columns")


def library(frame: Any) -> str:
    """Return the library of a frame; raise if it is none that is known here.

    Examples
    --------
    >>> import pandas as pd
    >>> library(pd.DataFrame({"sex": ["F"]}))
    'pandas'
    """
    known, _ = imported("narwhals.stable.v2").dependencies, imported("pyarrow")  # both, before any work
    if known.is_pandas_dataframe(frame):
        return "pandas"
    if known.is_polars_dataframe(frame):
        return "polars"
    if known.is_pyarrow_table(frame):
        return "pyarrow"
    what = f"records is a {type(frame).__module__.partition('.')[0]} {type(frame).__name__}"
    if known.is_polars_lazyframe(frame):
        raise TypeError(f"{what}: collect() it first")
    if known.is_dask_dataframe(frame):
        raise TypeError(f"{what}, of which only perturb and estimate know: compute() it first")
    if known.is_into_series(frame):
        raise TypeError(f"{what}, one column: give the table that it is a column of")
    raise TypeError(f"{what}, which is not a table that is known here: {KINDS} are")


def names_of(frame: Any) -> list[Any]:
    """Return the names of the columns of a frame.

    Examples
    --------
    >>> import pyarrow as pa
    >>> names_of(pa.table({"sex": ["F"]}))
    ['sex']
    """
    return list(frame.column_names if library(frame) == "pyarrow" else frame.columns)


def check_names(names: Sequence[Any], wanted: Sequence[str]) -> None:
    """Raise if records lack a column or have it twice."""
    for name in wanted:
        if name not in names:
            raise ValueError(f"records has no column {name!r}")
        if names.count(name) > 1:
            raise ValueError(f"records has {names.count(name)} columns {name!r}: names must be different")


def column(frame: Any, name: str) -> Any:
    """Return a column in Arrow, or None if its values are not of one type of Arrow.

    Examples
    --------
    >>> import pandas as pd
    >>> column(pd.DataFrame({"sex": ["F", None]}), "sex").to_pylist()
    ['F', None]
    """
    pa, native = imported("pyarrow"), frame[name]
    try:
        if library(frame) == "pandas" and native.dtype == "category":
            return _categories(native.array)
        if library(frame) != "polars":
            return pa.chunked_array(native)
        # Through the interface polars gives dictionaries of views, which Arrow cannot cast. Of objects it
        # gives the addresses.
        return None if native.dtype == imported("polars").Object else pa.chunked_array([native.to_arrow()])
    except (ArithmeticError, TypeError, ValueError, NotImplementedError):  # whose words may show the value
        return None


def numbers_of(frame: Any, name: str, meaning: str = "") -> Array:
    """Return a column of numbers as an array; raise if there is none, with what it would have meant.

    Examples
    --------
    >>> import pandas as pd
    >>> numbers_of(pd.DataFrame({"weight": [1.5, 2.0]}), "weight")
    array([1.5, 2. ])
    """
    nw = imported("narwhals")
    table = nw.from_native(frame, eager_only=True, pass_through=True)
    if not isinstance(table, nw.DataFrame) or name not in table.columns:
        raise ValueError(f"there is no column {name!r}" + (f", {meaning}" if meaning else ""))
    numbers: Array = table[name].to_numpy()
    return numbers


def rows_of(records: Any, rows: Array) -> Any:
    """Return some rows of an array or a table, which are marked by True.

    Examples
    --------
    >>> rows_of([[0, 1], [1, 1]], np.array([False, True]))
    array([[1, 1]])
    """
    if not is_table(records):
        return np.asarray(records)[rows]
    if not len(rows):
        return records
    return imported("narwhals").from_native(records, eager_only=True).filter(rows.tolist()).to_native()


def _categories(values: Any) -> Any:
    """Return a categorical of pandas in Arrow, with the same codes: Arrow would copy and check them all."""
    pa, codes = imported("pyarrow"), values.codes
    indices = pa.array(codes, mask=codes < 0 if codes.min(initial=0) < 0 else None)
    listed = pa.array(values.categories)
    return pa.chunked_array([pa.DictionaryArray.from_arrays(indices, listed, safe=False)])


def type_name(frame: Any, name: str) -> str:
    """Name the type of a column without what stands in its brackets, which may be values or names of parts.

    Examples
    --------
    >>> import pyarrow as pa
    >>> type_name(pa.table({"who": [{"Ann": 1}]}), "who")
    'struct'
    """
    native = frame[name]
    return re.split(r"[\[<(]", str(native.dtype if hasattr(native, "dtype") else native.type), maxsplit=1)[0]


def declared(frame: Any, codes: Array, labels: tuple[Label | None, ...], gaps: bool) -> Any:
    """Return codes as a column of labels, in the library of a frame.

    Examples
    --------
    >>> import polars as pl
    >>> declared(pl.DataFrame(), np.array([1, 0]), ("F", "M"), False).to_list()
    ['M', 'F']
    """
    indices, kind = indices_of(codes), library(frame)
    if kind == "polars":
        pl = imported("polars")
        known = pl.Series(labels, dtype={str: pl.String, bool: pl.Boolean, int: pl.Int64}[type(labels[0])])
        return known.gather(pl.Series(indices))
    values = labels_at(indices, labels)
    if kind == "pandas":
        return _pandas(values, _pandas_type(values.type, gaps or labels[-1] is None))
    return values


def public(frame: Any, name: str) -> Any:
    """Return a copy of a column in the library of its frame: categories and the like as plain values.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"state": pd.Categorical(["NY"], categories=["NY", "CA"])})
    >>> public(frame, "state").dtype
    <StringDtype(na_value=nan)>
    """
    values, kind = copied(column(frame, name)), library(frame)
    if kind == "polars":
        return imported("polars").Series(values)
    if kind != "pandas":
        return values
    pd, dtype = imported("pandas"), frame[name].dtype
    if isinstance(dtype, pd.ArrowDtype):
        dtype = pd.ArrowDtype(values.type)
    elif isinstance(dtype, pd.CategoricalDtype):
        dtype = _pandas_type(values.type, True) or dtype.categories.dtype
    return _pandas(values, dtype)


def _pandas_type(arrow_type: Any, nullable: bool) -> Any:
    """Return the type of pandas for strings, booleans or integers, or None."""
    pd, types = imported("pandas"), imported("pyarrow").types
    if types.is_string(arrow_type) or types.is_large_string(arrow_type):
        return pd.StringDtype(na_value=np.nan)
    if types.is_boolean(arrow_type):
        return pd.BooleanDtype() if nullable else np.dtype(bool)
    if types.is_integer(arrow_type):
        return pd.Int64Dtype() if nullable else np.dtype(np.int64)
    return None


def _pandas(values: Any, dtype: Any) -> Any:
    """Return an Arrow column as a Series of some type, which is writable."""
    if hasattr(dtype, "__from_arrow__"):
        array = dtype.__from_arrow__(values)
    elif dtype == np.dtype(object):  # numpy would make floats of integers beside missing values
        array = values.to_pylist()
    else:
        array = values.to_numpy(zero_copy_only=False)
    return imported("pandas").Series(array, dtype=dtype, copy=True)


def assembled(frame: Any, columns: dict[str, Any]) -> Any:
    """Return a table of columns in the library of a frame, and with nothing else of it.

    Examples
    --------
    >>> import pandas as pd
    >>> assembled(pd.DataFrame({"sex": ["F"]}, index=["Ann"]), {"sex": np.array(["M"])})
      sex
    0   M
    """
    if library(frame) == "pandas":
        return imported("pandas").DataFrame(columns, copy=False)
    if library(frame) == "polars":
        pl = imported("polars")
        return pl.DataFrame([pl.Series(name, values) for name, values in columns.items()])
    return imported("pyarrow").table(columns)


def is_lazy(records: Any) -> bool:
    """Return whether records are a dask frame, whose partitions are read when they are wanted.

    Examples
    --------
    >>> is_lazy([[0, 1]])
    False
    """
    dask = sys.modules.get("dask.dataframe")
    return dask is not None and isinstance(records, dask.DataFrame)


def perturb_lazily(frame: Any, domain: Domain | Integers, perturb: Callable[[Any], Any]) -> Any:
    """Randomize a dask frame, each partition by itself and when it is wanted.

    Every computation of the result draws anew, and so spends the level again: write it to files, once.

    Parameters
    ----------
    frame : dask DataFrame
        With partitions of pandas. Only the columns that are released are read.
    domain : Domain
        Names and labels; without them, with sizes alone, a frame is refused.
    perturb : callable
        From a table of pandas to the randomized one; its randomness must be its own in every partition.

    Returns
    -------
    dask DataFrame
        With the types that such a table without rows gets.

    Examples
    --------
    >>> import pandas as pd
    >>> from dask.dataframe import from_pandas
    >>> people = from_pandas(pd.DataFrame({"sex": ["F", "M"], "name": ["Kim", "Sam"]}), npartitions=2)
    >>> perturb_lazily(people, Domain({"sex": ["F", "M"]}), lambda part: part[["sex"]]).columns.tolist()
    ['sex']
    """
    if not isinstance(domain, Domain):
        raise nameless(frame)
    check_names([*frame.columns], [*domain.names, *domain.public])
    chosen = frame[[name for name in frame.columns if name in {*domain.names, *domain.public}]]
    return chosen.map_partitions(perturb, meta=perturb(chosen._meta), clear_divisions=True)


def partitions(frame: Any, function: Callable[[Any], Any] | None = None) -> list[Any]:
    """Return the partitions of a dask frame, each of them delayed; or what a function makes of each.

    Examples
    --------
    >>> import pandas as pd
    >>> from dask.dataframe import from_pandas
    >>> people = from_pandas(pd.DataFrame({"sex": ["F", "M", "M"]}), npartitions=2)
    >>> len(partitions(people))
    2
    >>> partitions(people, len)
    [2, 1]
    """
    parts = list(frame.to_delayed())
    if function is None:
        return parts
    dask = imported("dask")
    return list(dask.compute(*(dask.delayed(function)(part) for part in parts)))
