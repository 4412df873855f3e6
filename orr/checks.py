"""Every refusal of bad input: the error names the argument, the value and what is allowed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from numbers import Integral, Real

import numpy as np
from numpy.typing import ArrayLike

from orr.arrays import Array, Floats, Integers

Label = str | bool | int

MAX_SIZE = 10**6
MIN_LEVEL, MAX_LEVEL = 1e-12, 700.0
HIDDEN = "the record's own value is not shown, since messages end in logs"
POLICIES = ("refused", "value")  # what becomes of missing values


def check_sizes(sizes: ArrayLike) -> Integers:
    """Return the sizes as integers, or say which one is not a size."""
    values = numbers("sizes", sizes, "iu", Integral, "an integer of at least 2")
    check_range("sizes", values, 2, MAX_SIZE, f"an integer between 2 and {MAX_SIZE}")
    return values.astype(np.int64)


def check_levels(epsilons: ArrayLike) -> Floats:
    """Return the levels as floats, or say which one is not a level."""
    values = doubles("epsilons", numbers("epsilons", epsilons, "fiu", Real, "a positive number"))
    allowed = f"a finite level between {MIN_LEVEL:g} and {MAX_LEVEL:g} nats"
    check_range("epsilons", values, MIN_LEVEL, MAX_LEVEL, allowed)
    return values


def numbers(name: str, values: ArrayLike, kinds: str, number: type, meaning: str) -> Array:
    """Turn one number an attribute into a vector, or say which entry is not a number."""
    if np.ma.is_masked(values):
        raise ValueError(f"{name} has masked entries: every attribute needs a number")
    scalar = isinstance(values, np.ndarray) and values.ndim == 0
    if scalar or isinstance(values, str | bytes | Set | Mapping) or not isinstance(values, Iterable):
        raise TypeError(f"{name} must be a sequence with one number an attribute, got {values!r}")
    entries = values if isinstance(values, np.ndarray) else list(values)
    for i, entry in enumerate([] if isinstance(values, np.ndarray) else entries):
        if isinstance(entry, bool | np.bool_):
            raise TypeError(f"{name}[{i}] = {entry!r} must be {meaning}")
    if len(entries) == 0:
        raise ValueError(f"{name} is empty: at least one attribute is needed")
    try:
        vector = np.asarray(entries)
    except ValueError:  # entries of different shapes
        vector = np.empty(0)
    if vector.ndim == 1 and vector.dtype.kind in kinds and len(vector):
        return vector
    for i, entry in enumerate(entries):
        if isinstance(entry, bool | np.bool_ | np.timedelta64) or not isinstance(entry, number):
            raise TypeError(f"{name}[{i}] = {entry!r} must be {meaning}")
    return vector


def doubles(name: str, values: Array) -> Floats:
    """Return numbers as doubles, or say that one is too large."""
    try:
        return values.astype(np.float64)
    except OverflowError:
        raise ValueError(f"{name} has a number that is too large for a double") from None


def check_range(name: str, values: Array, low: float, high: float, allowed: str) -> None:
    """Refuse what is out of range or not a number, naming the first."""
    wrong = ~((values >= low) & (values <= high))
    if wrong.any():
        i = int(np.argmax(wrong))
        raise ValueError(f"{name}[{i}] = {values[i]} must be {allowed}")


def positive(name: str, value: float) -> float:
    """Return a positive number, or say that it is none."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        raise TypeError(f"{name} = {value!r} must be a positive number")
    number = plain(value)
    if not 0 < number < 1e308:  # an integer may be larger than any double
        raise ValueError(f"{name} = {value} must be a positive number")
    return float(number)


def plain(value: float) -> float:
    """Return a number of numpy as Python's own, which compares with any other without overflow."""
    return value.item() if isinstance(value, np.generic) else value


def check_attributes(numbers: Iterable[int], k: int) -> list[int]:
    """Return the numbers of some of k attributes, or say which is none."""
    scalar = isinstance(numbers, np.ndarray) and numbers.ndim == 0
    if scalar or isinstance(numbers, str | bytes) or not isinstance(numbers, Iterable):
        raise TypeError(f"attribute numbers must be given as an iterable of integers, got {numbers!r}")
    chosen = list(numbers)
    for i in chosen:
        if isinstance(i, bool | np.bool_) or not isinstance(i, int | np.integer):
            raise TypeError(f"{i!r} is not an attribute number")
        if not 0 <= i < k:
            raise ValueError(f"attribute {i} does not exist: attributes are 0 to {k - 1}")
    return [int(i) for i in chosen]


def check_codes(records: object, sizes: Integers, *, gaps: bool = False, complete: bool = True) -> Array:
    """Return records as an array of codes, one record a row or a single one; raise if one is out of range.

    With ``gaps``, the type must hold -1, which stands for no answer; records that are not ``complete`` may
    have it.
    """
    if isinstance(records, Mapping) or hasattr(records, "columns") or hasattr(records, "__arrow_c_stream__"):
        raise TypeError(
            f"records is a {type(records).__name__}, and this mechanism knows neither names nor labels: "
            "declare them, orr_release.Release(mechanism, Domain({name: labels, ...})), or give an array"
        )
    k, low = len(sizes), -1 if gaps and not complete else 0
    try:
        values = np.asarray(records)
    except ValueError:
        raise ValueError(f"records must have shape (n, {k}): its rows differ in length") from None
    if np.ma.is_masked(records):
        raise ValueError("records has masked values: drop or fill them first")
    if values.size == 0 and values.shape in {(0,), (0, k)} and values.dtype.kind not in "iu":
        values = np.empty((0, k), dtype=np.int64)
    if values.shape != (k,) and (values.ndim != 2 or values.shape[1] != k):
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
    wrong = (values < low) | (values >= sizes)
    if wrong.any():
        row, i = (int(place) for place in np.argwhere(np.atleast_2d(wrong))[0])
        raise ValueError(
            f"records[{row}, {i}] is out of range: attribute {i} has values 0 to {sizes[i] - 1} ({HIDDEN})"
        )
    return values


def check_name(name: object) -> str:
    """Return a name, or say that it is none."""
    if not isinstance(name, str) or not name:
        raise TypeError(f"{name!r} is not the name of an attribute: names are strings, and not empty")
    return name


def check_columns(what: str, names: Iterable[str]) -> tuple[str, ...]:
    """Return names of columns, or say what is wrong with them."""
    if isinstance(names, str):
        raise TypeError(f"{what} = {names!r} must be a list of columns, not one name")
    columns = tuple(check_name(name) for name in names)
    if len(set(columns)) < len(columns):
        raise ValueError(f"{what} has a column twice")
    return columns


def is_missing(value: object) -> bool:
    """Tell whether a value stands for none: None, or what libraries have in its place.

    Examples
    --------
    >>> is_missing(None), is_missing(float("nan")), is_missing("")
    (True, True, False)
    """
    strange = type(value).__name__ in {"NAType", "NaTType"}
    return value is None or strange or (isinstance(value, float) and value != value)


def check_labels(name: str, labels: Iterable[Label] | int, least: int) -> tuple[Label, ...]:
    """Return the labels of an attribute, or say what is wrong with them."""
    if isinstance(labels, int | np.integer) and not isinstance(labels, bool | np.bool_):
        labels = range(labels) if labels <= MAX_SIZE else range(MAX_SIZE + 1)
    if isinstance(labels, str | Set | Mapping) or not isinstance(labels, Iterable):  # sets have no order
        kind = type(labels).__name__
        raise TypeError(f"the labels of {name!r} must be a list or a number of codes, got a {kind}")
    values = tuple(v.item() if isinstance(v, np.generic) else v for v in labels)
    types = {type(v) for v in values}
    wrong = types - {str, bool, int}
    if wrong or len(types) > 1:
        raise TypeError(
            f"the labels of {name!r} must be all strings, all booleans or all integers"
            + ("; missing values are what missing= is for" if type(None) in types else "")
        )
    if len(set(values)) < len(values):
        (twice, _), *_ = Counter(values).most_common(1)
        raise ValueError(f"the labels of {name!r} have {twice!r} twice")
    for value in values:
        if isinstance(value, int) and not -(2**63) <= value < 2**63:
            raise ValueError(f"the labels of {name!r} must be 64-bit integers, got {value}")
        if (
            isinstance(value, str)
            and not value.isprintable()
            and any("\ud800" <= c < "\ue000" for c in value)
        ):
            raise ValueError(f"the labels of {name!r} must be text that can be written as UTF-8")
    if not least <= len(values) <= MAX_SIZE:
        raise ValueError(
            f"{name!r} has {len(values)} labels and needs {least} to {MAX_SIZE}"
            + ("; a column with one value tells nothing: leave it out" if len(values) == 1 else "")
        )
    return values


def check_policies(missing: str | Mapping[str, str], names: Sequence[str]) -> tuple[bool, ...]:
    """Return for each attribute whether missing is a value of its own."""
    given = missing if isinstance(missing, Mapping) else dict.fromkeys(names, missing)
    for name, policy in given.items():
        if name not in names:
            raise ValueError(f"missing names {name!r}: the attributes are {', '.join(names)}")
        if policy not in POLICIES:
            raise ValueError(f"missing = {policy!r} must be 'refused' or 'value'")
    return tuple(given.get(name, "refused") == "value" for name in names)
