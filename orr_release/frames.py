"""Tables in and out: pandas, polars, arrow, and pandas in the partitions of dask (chapter release).

What comes out has the randomized and the public columns, in the order in which they came, with the declared
labels, and nothing else: no index, no attributes, no metadata, no other column, no memory of other rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from orr_release.attribute import Attribute
from orr_release.columns import MISSING, UNKNOWN, Chunk, check_type, chunks_of, fits, imported, lookup_of
from orr_release.kept import arrow_kept, pandas_kept, polars_kept
from orr_release.writers import Writer, arrow_writer, pandas_writer, polars_writer

KINDS = "pandas and polars DataFrames, pyarrow Tables and dask DataFrames"


class Table:
    """A table that is read column by column; its kinds differ in how they do that."""

    def __init__(self, native: Any, names: Iterable[Any], rows: int) -> None:
        self.native, self.names, self.rows = native, list(names), rows

    def kept(self, name: str) -> Any:
        """Return a copy of a column, with what its rows have and no more."""
        raise NotImplementedError

    def kind(self, name: str) -> Any:
        """Return the type of a column; one that lists labels, without them."""
        raise NotImplementedError

    def arrow(self, name: str) -> Any:
        """Return a column as an arrow array."""
        raise NotImplementedError

    def writer(self, attribute: Attribute) -> Writer:
        """Return the way from codes to such a column."""
        raise NotImplementedError

    def build(self, columns: dict[str, Any], nullable: Iterable[str]) -> Any:
        """Make a table of this kind, of these columns and nothing else; some may have nulls."""
        raise NotImplementedError

    def chunks(self, attribute: Attribute) -> list[Chunk]:
        """Return the values of a column, or indices with the codes of what they point to."""
        shown = bare(self.kind(attribute.name))
        try:
            column = self.arrow(attribute.name)
        except (ArithmeticError, TypeError, ValueError, NotImplementedError):  # arrow would show the value
            raise attribute.refused(f"{shown}, whose values are not of one type that labels have") from None
        if not fits(column.type, attribute) and self.blank(attribute.name):
            return [(imported("pyarrow").nulls(self.rows), None)]
        check_type(column.type, attribute, shown)
        return self.pieces(column, attribute)

    def pieces(self, column: Any, attribute: Attribute) -> list[Chunk]:
        """Return the chunks of a column that was found to be of a fitting type."""
        return chunks_of(column, attribute)

    def blank(self, name: str) -> bool:
        """Tell whether a column has no value at all: then its type is an accident."""
        compute = imported("pyarrow.compute")
        nulls = compute.is_null(self.arrow(name), nan_is_null=True)
        return bool(compute.all(nulls, min_count=0).as_py())

    def lists_labels(self, name: str) -> bool:
        """Tell whether the type of a column lists its labels."""
        return bool(imported("pyarrow").types.is_dictionary(self.arrow(name).type))


def bare(kind: Any) -> str:
    """Name a type without what stands in its brackets, which may be values or names of parts.

    Examples
    --------
    >>> bare("Sparse[str, 'Ann']"), bare("struct<Ann: int64>"), bare(np.dtype(int))
    ('Sparse', 'struct', 'int64')
    """
    return re.split(r"[\[<(]", str(kind), maxsplit=1)[0]


class PandasTable(Table):
    """A DataFrame of pandas."""

    def __init__(self, native: Any) -> None:
        super().__init__(native, native.columns, len(native))

    def _series(self, name: str) -> Any:
        return self.native.iloc[:, self.names.index(name)]

    def kept(self, name: str) -> Any:
        """Return a copy of a column, without its index and attributes."""
        return pandas_kept(self._series(name))

    def kind(self, name: str) -> Any:
        """Return the type of a column."""
        dtype = self._series(name).dtype
        return "category" if dtype == "category" else dtype

    def arrow(self, name: str) -> Any:
        """Return the values; of a categorical the categories alone."""
        series = self._series(name)
        values = series[:0] if series.dtype == "category" else series
        return imported("pyarrow").array(values, from_pandas=True)

    def blank(self, name: str) -> bool:
        """Tell whether a column has no value at all."""
        return bool(self._series(name).isna().all())

    def pieces(self, column: Any, attribute: Attribute) -> list[Chunk]:
        """Return the values, or the codes of a categorical; -1, for missing, is without sign the last."""
        if self.kind(attribute.name) != "category":
            return super().pieces(column, attribute)
        codes = self._series(attribute.name).array.codes
        return [(codes.view(f"u{codes.itemsize}"), lookup_of(column.dictionary, attribute, MISSING))]

    def lists_labels(self, name: str) -> bool:
        """Tell whether a column is categorical, or a dictionary of arrow."""
        dtype = self._series(name).dtype
        return dtype == "category" or str(dtype).startswith("dictionary")

    def writer(self, attribute: Attribute) -> Writer:
        """Return the way from codes to such a column."""
        return pandas_writer(self._series(attribute.name).dtype, attribute)

    def build(self, columns: dict[str, Any], nullable: Iterable[str]) -> Any:
        """Make a DataFrame with a new index."""
        return imported("pandas").DataFrame(columns, copy=False)


class PolarsTable(Table):
    """A DataFrame of polars."""

    def __init__(self, native: Any) -> None:
        super().__init__(native, native.columns, native.height)

    def column(self, name: str) -> Any:
        """Return a column."""
        return self.native.get_column(name)

    def kept(self, name: str) -> Any:
        """Return a copy of a column."""
        return polars_kept(self.column(name))

    def kind(self, name: str) -> Any:
        """Return the type of a column."""
        return self.column(name).dtype.base_type()

    def arrow(self, name: str) -> Any:
        """Return the values."""
        return self.column(name).to_arrow()

    def lists_labels(self, name: str) -> bool:
        """Tell whether a column is an Enum; a Categorical does not list what it does not have."""
        return bool(self.column(name).dtype == imported("polars").Enum)

    def chunks(self, attribute: Attribute) -> list[Chunk]:
        """Return the values, or the physical codes of a Categorical, which arrow would number anew."""
        pl, column = imported("polars"), self.column(attribute.name)
        if column.dtype != pl.Categorical or attribute.kind is not str:
            return super().chunks(attribute)
        places = pl.Series(attribute.known, dtype=column.dtype).to_physical().to_numpy()
        lookup = np.full(int(places.max()) + 2, UNKNOWN, dtype=np.int32)
        lookup[places] = np.arange(len(places))
        return [(column.to_physical().to_arrow(), lookup)]

    def writer(self, attribute: Attribute) -> Writer:
        """Return the way from codes to such a column."""
        return polars_writer(self.column(attribute.name).dtype, attribute)

    def build(self, columns: dict[str, Any], nullable: Iterable[str]) -> Any:
        """Make a DataFrame."""
        pl = imported("polars")
        return pl.DataFrame([pl.Series(name, column) for name, column in columns.items()])


class ArrowTable(Table):
    """A Table of pyarrow."""

    def __init__(self, native: Any) -> None:
        super().__init__(native, native.column_names, native.num_rows)

    def kept(self, name: str) -> Any:
        """Return a copy of a column."""
        return arrow_kept(self.arrow(name))

    def kind(self, name: str) -> Any:
        """Return the type of a column."""
        return self.arrow(name).type

    def arrow(self, name: str) -> Any:
        """Return the values, which are arrow's already."""
        return self.native.column(name)

    def writer(self, attribute: Attribute) -> Writer:
        """Return the way from codes to such a column."""
        return arrow_writer(self.kind(attribute.name), attribute)

    def build(self, columns: dict[str, Any], nullable: Iterable[str]) -> Any:
        """Make a Table whose schema has no metadata; a column that had no nulls by its schema stays so."""
        pa = imported("pyarrow")
        strict = {field.name for field in self.native.schema if not field.nullable} - set(nullable)
        arrays = {name: pa.array(c) if isinstance(c, np.ndarray) else c for name, c in columns.items()}
        fields = [pa.field(name, array.type, name not in strict) for name, array in arrays.items()]
        return pa.table(list(arrays.values()), schema=pa.schema(fields))


def table_of(records: Any) -> Table:
    """Recognize a table, or say what it is not."""
    known, _ = imported("narwhals.stable.v2").dependencies, imported("pyarrow")  # both, before any work
    if known.is_pandas_dataframe(records):
        return PandasTable(records)
    if known.is_polars_dataframe(records):
        return PolarsTable(records)
    if known.is_pyarrow_table(records):
        return ArrowTable(records)
    what = f"{type(records).__module__.partition('.')[0]} {type(records).__name__}"
    if known.is_polars_lazyframe(records):
        raise TypeError(f"records is a {what}: collect() it first")
    if known.is_dask_dataframe(records):
        raise TypeError(f"records is a {what}, of which only perturb and estimate know: compute() it first")
    if known.is_into_series(records):
        raise TypeError(f"records is a {what}, one column: give the table that it is a column of")
    raise TypeError(f"records is a {what}, which is not a table that is known here: {KINDS} are")
