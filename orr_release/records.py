"""Records at the edge, checked and turned into codes: arrays of integers, tables, a single record."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from orr.arrays import Array, Integers
from orr_release.attribute import Attribute
from orr_release.columns import HIDDEN, Decode, check_names, imported
from orr_release.domain import Domain
from orr_release.frames import table_of
from orr_release.single import encode_one
from orr_release.tables import encode_table

LIBRARIES = {"pandas", "polars", "pyarrow", "dask", "narwhals", "modin", "cudf", "duckdb", "ibis", "pyspark"}
UNREAD = "__UNKNOWN_CATEGORIES__"  # dask's name for categories that it has not read


def encode(
    records: Any,
    domain: Domain | Integers,
    places: Sequence[int] | None = None,
    *,
    gaps: bool = False,
    complete: bool = True,
) -> tuple[Array, Decode]:
    """Return the records as an array of codes, one record a row, and the way back to what the caller gave.

    Parameters
    ----------
    records : array, table or mapping
        Integer codes, or one record of them; with a domain also a table of pandas, polars or arrow whose
        columns have the names and labels that were declared, or one record as a mapping from names to labels.
    domain : Domain or ndarray
        Names and labels, or the sizes alone.
    places : sequence of int, optional
        The attributes that are wanted, in this order; by default all. Other columns of a table are not read.
    gaps : bool
        Whether attributes may be without an answer in a release: -1 in arrays and codes, which are then
        signed, and null in tables.
    complete : bool
        Whether they must have one in these records; if not, these are themselves such a release.

    Returns
    -------
    codes : ndarray
        Those of arrays have the type that the caller chose, those of tables the narrowest that holds them.
    decode : callable
        Turns released codes into what the caller gave: an array, a mapping, or a table of the same kind, with
        a new index and nothing else. Where a release may have nulls, the types of columns follow from the
        labels, since libraries choose types by whether a value is missing: strings become ``str`` (arrow:
        string), booleans ``boolean``, integers ``Int64``, whatever they were. Elsewhere types stay, but
        integers come back as integers (int64), also from floats, and pandas' objects as what they are.
        Types that list labels list those of the domain, in either case. Public columns are copied, and carry
        nothing of rows that are not there: categories that nobody has are dropped, and arrow's dictionaries
        become plain values. To a table or a mapping, columns of integers can be added by name:
        ``decode(codes, form=numbers)``.

    Raises
    ------
    TypeError
        If a value, or the type of a column, is not what was declared.
    ValueError
        If the shape is wrong, a column is not there or there twice, or a value is out of range, missing or
        not declared.

    Examples
    --------
    >>> domain = Domain({"sex": ["F", "M"], "children": 4})
    >>> codes, decode = encode({"children": 2, "sex": "M", "name": "Kim"}, domain)
    >>> codes
    array([[1, 2]], dtype=uint8)
    >>> decode(codes)
    {'children': 2, 'sex': 'M'}
    """
    sizes = domain.sizes if isinstance(domain, Domain) else domain
    if not is_table(records):
        return _encode_array(records, sizes, places, gaps, -1 if gaps and not complete else 0)
    if not isinstance(domain, Domain):
        raise _nameless(records)
    attributes = [
        Attribute(domain.names[i], domain.labels[i], gaps, complete, places is not None, domain)
        for i in (range(len(domain)) if places is None else places)
    ]
    public = [
        Attribute(name, (*domain.codebook.get(name, ()), None), domain=domain)
        for name in (domain.public if places is None else ())
    ]
    # With gaps the type has a sign, and room for the code past the last label, which stands for null.
    code_type = np.min_scalar_type(-int(sizes.max()) - 1 if gaps else int(sizes.max()) - 1)
    if isinstance(records, Mapping):
        return encode_one(records, attributes, public, code_type)
    return encode_table(table_of(records), attributes, public, code_type)


def is_table(records: Any) -> bool:
    """Tell whether records have names: a mapping, or anything of a library of tables.

    Examples
    --------
    >>> is_table({"sex": "F"}), is_table([[0, 1]])
    (True, False)
    """
    owners = {base.__module__.partition(".")[0] for base in type(records).__mro__}
    return isinstance(records, Mapping) or bool(owners & LIBRARIES) or hasattr(records, "columns")


def _nameless(records: Any) -> TypeError:
    """Say that a table needs names and labels."""
    return TypeError(
        f"records is a {type(records).__name__}, and this mechanism knows neither names nor labels: "
        "declare them, Release(mechanism, Domain({name: labels, ...})), or give an array of codes"
    )


def _encode_array(
    records: Any, sizes: Integers, places: Sequence[int] | None, gaps: bool, low: int
) -> tuple[Array, Decode]:
    """Check an array of codes, or one record of them."""
    k = len(sizes)
    try:
        values = np.asarray(records)
    except ValueError:
        raise ValueError(f"records must have shape (n, {k}): its rows differ in length") from None
    if np.ma.is_masked(records):
        raise ValueError("records has masked values: drop or fill them first")
    if values.size == 0 and values.shape in {(0,), (0, k)} and values.dtype.kind not in "iu":
        values = np.empty((0, k), dtype=np.int64)
    one = values.shape == (k,)
    if not one and (values.ndim != 2 or values.shape[1] != k):
        raise ValueError(
            f"records must have shape (n, {k}), one row a record, or ({k},), a single one; got {values.shape}"
        )
    if values.dtype.kind not in "iu":
        raise TypeError(f"records must be integers, got {values.dtype.name}")
    if int(sizes.max()) - 1 > np.iinfo(values.dtype).max or (gaps and values.dtype.kind == "u"):
        raise ValueError(
            f"records of type {values.dtype.name} cannot hold the values {-1 if gaps else 0} to "
            f"{sizes.max() - 1}: use a wider type"
        )
    chosen = list(range(k) if places is None else places)
    rows = values.reshape(-1, k)
    rows = rows if places is None else rows[:, chosen]
    _check_range(rows, sizes, chosen, low)
    return rows, (lambda released: released[0]) if one else (lambda released: released)


def _check_range(values: Array, sizes: Integers, chosen: Sequence[int], low: int) -> None:
    """Refuse values outside 0 to size - 1, naming the first."""
    wrong = (values < low) | (values >= sizes[chosen])
    if wrong.any():
        row, j = (int(place) for place in np.argwhere(wrong)[0])
        i = chosen[j]
        raise ValueError(
            f"records[{row}, {i}] is out of range: attribute {i} has values 0 to {sizes[i] - 1} ({HIDDEN})"
        )


def is_lazy(records: Any) -> bool:
    """Tell whether records are a dask frame, whose partitions are read when they are wanted.

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
        With the types that such a table without rows gets. Public categories without declared labels have no
        order, since each partition lists its own.

    Examples
    --------
    >>> import pandas as pd
    >>> from dask.dataframe import from_pandas
    >>> people = from_pandas(pd.DataFrame({"sex": ["F", "M"], "name": ["Kim", "Sam"]}), npartitions=2)
    >>> perturb_lazily(people, Domain({"sex": ["F", "M"]}), lambda part: part[["sex"]]).columns.tolist()
    ['sex']
    """
    if not isinstance(domain, Domain):
        raise _nameless(frame)
    check_names([*frame.columns], [*domain.names, *domain.public])
    chosen = frame[[name for name in frame.columns if name in {*domain.names, *domain.public}]]
    types = chosen._meta.dtypes  # of categories that are not declared, each partition lists its own
    free = [c for c in domain.public if types[c] == "category" and not domain.codebook.get(c)]
    chosen = chosen.assign(**{c: chosen[c].cat.as_unordered() for c in free})
    meta = perturb(_without_sentinel(chosen._meta))
    meta = meta.assign(**{c: meta[c].cat.set_categories([UNREAD]) for c in free})
    return chosen.map_partitions(perturb, meta=meta, clear_divisions=True)


def _without_sentinel(meta: Any) -> Any:
    """Empty the categories that dask does not know yet, for which it has a label of its own."""
    unknown = [c for c in meta if meta[c].dtype == "category" and UNREAD in meta[c].cat.categories]
    return meta.assign(**{c: meta[c].cat.set_categories([]) for c in unknown})


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
