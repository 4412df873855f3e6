"""Records become codes, and codes become records: arrays, tables, one record by names (chapter release).

Reading and writing know nothing of each other. :func:`read` is all that an estimate needs; a release is read,
randomized and written.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from orr.arrays import Array, Integers
from orr.checks import HIDDEN, check_attributes, nameless, too_narrow
from orr.mechanism import check_codes
from orr_release import frames
from orr_release.arrow import KIND_NAMES, Column, fill
from orr_release.domain import Domain, is_missing

MIN_THREADED_ROWS = 100_000  # a shorter table is done before threads have started
MAX_THREADS = 4  # each of them needs memory for a column


def read(
    records: Any,
    domain: Domain | Integers,
    places: Sequence[int] | None = None,
    *,
    gaps: bool = False,
    complete: bool = True,
) -> Array:
    """Return records as an array of codes, one record per row.

    Parameters
    ----------
    records : array, table or mapping
        Integer codes, or one record of them; with a domain also a table of pandas, polars or Arrow whose
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
    ndarray
        The codes of arrays have the type that the caller chose and are not copied; those of tables have the
        narrowest type that holds them.

    Raises
    ------
    TypeError
        If a value, or the type of a column, is not what was declared.
    ValueError
        If the shape is wrong, a column is absent or there twice, or a value is out of range, missing or
        not declared.

    Examples
    --------
    >>> read({"children": 2, "sex": "M", "name": "Kim"}, Domain({"sex": ["F", "M"], "children": 4}))
    array([[1, 2]], dtype=uint8)
    """
    sizes = domain.sizes if isinstance(domain, Domain) else domain
    if not frames.is_table(records):
        codes = check_codes(records, sizes, places, -1 if gaps and not complete else 0)
        if gaps and codes.dtype.kind == "u":
            raise too_narrow(codes, -1, int(sizes.max()) - 1)
        return codes
    if not isinstance(domain, Domain):
        raise nameless(records)
    columns = [
        _column(domain, i, complete, places) for i in (range(len(domain)) if places is None else places)
    ]
    public = domain.public if places is None else ()
    one = isinstance(records, Mapping)
    if not one:
        frames.library(records)
    frames.check_names([*records] if one else frames.names_of(records), [*(c.name for c in columns), *public])
    checked = [Column(n, domain.codebook[n], domain, 0) for n in public if domain.codebook.get(n)]
    # With gaps the type has a sign, and room for one code more, so that -1 and a missing value are two codes.
    dtype = np.min_scalar_type(-int(sizes.max()) - 1 if gaps else int(sizes.max()) - 1)
    if one:
        for c in checked:
            _code(records[c.name], c)
        return np.array([[_code(records[c.name], c) for c in columns]], dtype=dtype)
    codes = np.empty((len(records), len(columns)), dtype=dtype, order="F")
    _side_by_side(lambda out, c: _fill(out, records, c), len(records), codes.T, columns)
    for c in checked:
        _fill(np.empty(len(records), dtype=np.int32), records, c)
    for name in public:
        if frames.column(records, name) is None:
            shown = frames.type_name(records, name)
            raise TypeError(f"column {name!r} is of type {shown}, which is not one type of Arrow: change it")
    return codes


def places_of(domain: Domain | Integers, attributes: Any) -> list[int]:
    """Return the numbers of one or several attributes, given by name or number.

    Examples
    --------
    >>> places_of(Domain({"sex": ["F", "M"], "children": 4}), ["children", 0])
    [1, 0]
    """
    single = isinstance(attributes, str | int | np.integer)
    several: Iterable[Any] = [attributes] if single else attributes
    if not isinstance(domain, Domain):
        return check_attributes(several, len(domain))
    return [domain.place(attribute) for attribute in several]


def codes_given(domain: Domain | Integers, given: Mapping[Any, Any] | None) -> dict[int, int]:
    """Return the numbers of the attributes given, and the codes of their values.

    Examples
    --------
    >>> codes_given(Domain({"sex": ["F", "M"], "children": 4}), {"sex": "M"})
    {0: 1}
    """
    if isinstance(domain, Domain):
        return {domain.place(name): domain.code(name, label) for name, label in (given or {}).items()}
    fixed = dict(zip(check_attributes(given or {}, len(domain)), (given or {}).values(), strict=True))
    for i, code in fixed.items():
        number = isinstance(code, int | np.integer) and not isinstance(code, bool)
        if not (number and 0 <= code < domain[i]):
            raise ValueError(f"given[{i}] = {code!r} must be a value from 0 to {domain[i] - 1}")
    return fixed


def _column(domain: Domain, i: int, complete: bool, places: Sequence[int] | None) -> Column:
    """Return the declaration of an attribute."""
    known = tuple(label for label in domain.labels[i] if label is not None)
    null = len(known) if domain.missing[i] else None if complete else -1
    return Column(domain.names[i], known, domain, null, released=places is not None)


def _fill(codes: Array, frame: Any, column: Column) -> None:
    """Write the codes of a column of a frame into an array."""
    values, shown = frames.column(frame, column.name), frames.type_name(frame, column.name)
    if values is None:
        raise column.refused(f"{shown}, whose values are not of one type that labels have")
    fill(codes, values, column, shown)


def _code(label: Any, column: Column) -> int:
    """Return the code of a label of one record; raise if it is not declared."""
    plain = label.item() if isinstance(label, np.generic) else label
    name = column.name
    if is_missing(plain):
        if column.null is None:
            raise ValueError(f"{name!r} is missing: declare that missing is a value (missing='value')")
        return column.null
    if type(plain) is not column.kind:
        raise TypeError(
            f"{name!r} is of type {type(plain).__name__}, but its declared labels are "
            f"{KIND_NAMES[column.kind]}, and one mapping is one record"
        )
    if plain not in column.known:
        raise ValueError(f"{name!r} has a label that is not declared ({HIDDEN})")
    return column.known.index(plain)


def write(
    codes: Array, records: Any, domain: Domain | Integers, *, gaps: bool = False, **more: Integers
) -> Any:
    """Return codes as records of the kind that was given: an array, a table of the same library, a mapping.

    Parameters
    ----------
    codes : (n, k) array of int
        Released codes of all attributes; -1 for an attribute that was not asked.
    records : array, table or mapping
        The records that were read: they give the kind, the public columns and the order of the columns.
    domain : Domain or ndarray
        Names and labels, or the sizes alone.
    gaps : bool
        Whether attributes may be without an answer in a release.
    **more : ndarray
        Columns of integers to be added to a table or a mapping.

    Returns
    -------
    array, table or mapping
        A table has a new index and the randomized and the public columns, in the order given. The types of
        randomized columns follow from the domain: strings, booleans and 64-bit integers, in pandas ``str``,
        ``bool`` and ``int64``, or ``boolean`` and ``Int64`` where missing is a value or there are gaps.
        Categoricals, Enums and dictionaries come back as such plain values. Public columns are copies that
        keep their own type, but for those that list values or point to others, which come back plain.

    Examples
    --------
    >>> domain = Domain({"sex": ["F", "M"], "children": 4})
    >>> write(np.array([[1, 2]]), {"children": 0, "sex": "F", "name": "Kim"}, domain)
    {'children': 2, 'sex': 'M'}
    """
    if not frames.is_table(records):
        return codes[0] if len(codes) == 1 and np.ndim(records) == 1 else codes
    if not isinstance(domain, Domain):
        raise nameless(records)
    one = isinstance(records, Mapping)
    drawn = dict(zip(domain.names, zip(codes.T, domain.labels, strict=True), strict=True))
    order = [n for n in ([*records] if one else frames.names_of(records)) if n in drawn or n in domain.public]
    if one:
        whole = {n: None if c[0] < 0 else labels[c[0]] for n, (c, labels) in drawn.items()}
        kept = {n: whole[n] if n in whole else records[n] for n in order}
        return kept | {n: int(numbers[0]) for n, numbers in more.items()}

    def column(name: str) -> Any:
        if name not in drawn:
            return frames.public(records, name)
        return frames.declared(records, *drawn[name], gaps)

    columns = _side_by_side(column, len(codes), order)
    return frames.assembled(records, dict(zip(order, columns, strict=True)) | more)


def _side_by_side(task: Callable[..., Any], rows: int, *arguments: Iterable[Any]) -> list[Any]:
    """Do the same for every column, several at a time in a long table: Arrow and numpy let threads run."""
    if rows < MIN_THREADED_ROWS:
        return list(map(task, *arguments))
    with ThreadPoolExecutor(min(MAX_THREADS, os.cpu_count() or 1)) as pool:
        return list(pool.map(task, *arguments))
