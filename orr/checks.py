"""Checks of sizes, levels and numbers: an error names the argument, the value and what is allowed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from numbers import Integral, Real

import numpy as np
from numpy.typing import ArrayLike

from orr.arrays import Array, Floats, Integers

MAX_SIZE = 10**6  # Values of an attribute. Codes of up to a million values were tried in all laws.
MIN_LEVEL = 1e-12  # Nats. Below it, a release tells less than doubles can hold.
MAX_LEVEL = 700.0  # Nats. The exponential of a level overflows above 709; the rest is for factors beside it.
# Every message about a record ends in this.
HIDDEN = "the record's own value is not shown, since messages end in logs"


def check_sizes(sizes: ArrayLike) -> Integers:
    """Return the sizes as integers; raise if one of them is not a size."""
    values = numbers("sizes", sizes, "iu", Integral, "an integer of at least 2")
    check_range("sizes", values, 2, MAX_SIZE, f"an integer between 2 and {MAX_SIZE}")
    return values.astype(np.int64)


def check_levels(epsilons: ArrayLike) -> Floats:
    """Return the levels as floats; raise if one of them is not a level."""
    values = doubles("epsilons", numbers("epsilons", epsilons, "fiu", Real, "a positive number"))
    allowed = f"a finite level between {MIN_LEVEL:g} and {MAX_LEVEL:g} nats"
    check_range("epsilons", values, MIN_LEVEL, MAX_LEVEL, allowed)
    return values


def numbers(name: str, values: ArrayLike, kinds: str, number: type, meaning: str) -> Array:
    """Return one number per attribute as a vector; raise if an entry is not a number."""
    if np.ma.is_masked(values):
        raise ValueError(f"{name} has masked entries: every attribute needs a number")
    scalar = isinstance(values, np.ndarray) and values.ndim == 0
    if scalar or isinstance(values, str | bytes | Set | Mapping) or not isinstance(values, Iterable):
        raise TypeError(f"{name} must be a sequence with one number per attribute, got {values!r}")
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
    """Return numbers as doubles; raise if one of them is too large."""
    try:
        return values.astype(np.float64)
    except OverflowError:
        raise ValueError(f"{name} has a number that is too large for a double") from None


def check_range(name: str, values: Array, low: float, high: float, allowed: str) -> None:
    """Raise if a value is out of range or not a number, naming the first."""
    wrong = ~((values >= low) & (values <= high))
    if wrong.any():
        i = int(np.argmax(wrong))
        raise ValueError(f"{name}[{i}] = {values[i]} must be {allowed}")


def positive(name: str, value: float) -> float:
    """Return ``value`` as a float; raise if it is not a positive finite number."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        raise TypeError(f"{name} = {value!r} must be a positive number")
    number = plain(value)
    if not 0 < number < 1e308:  # an integer may be larger than any double
        raise ValueError(f"{name} = {value} must be a positive number")
    return float(number)


def plain(value: float) -> float:
    """Return a numpy number as a Python number, which compares with any other without overflow."""
    return value.item() if isinstance(value, np.generic) else value


def check_attributes(attributes: Iterable[int], k: int) -> list[int]:
    """Return the numbers of some of k attributes; raise if one of them is not an attribute."""
    scalar = isinstance(attributes, np.ndarray) and attributes.ndim == 0
    if scalar or isinstance(attributes, str | bytes) or not isinstance(attributes, Iterable):
        raise TypeError(f"attributes must be given as an iterable of their numbers, got {attributes!r}")
    chosen = list(attributes)
    for i in chosen:
        if isinstance(i, bool | np.bool_) or not isinstance(i, int | np.integer):
            raise TypeError(f"{i!r} is not an attribute number")
        if not 0 <= i < k:
            raise ValueError(f"attribute {i} does not exist: attributes are 0 to {k - 1}")
    return [int(i) for i in chosen]


def nameless(records: object) -> TypeError:
    """Return the error for a table or a record with names where there are no names and labels."""
    return TypeError(
        f"records is a {type(records).__name__}, and this mechanism knows neither names nor labels: declare "
        "them, orr_release.Release(mechanism, Domain({name: labels, ...})), or give an array of codes"
    )


def too_narrow(values: Array, least: int, most: int) -> ValueError:
    """Return the error for codes of a type that cannot hold what may be released."""
    return ValueError(
        f"records of type {values.dtype.name} cannot hold the values {least} to {most}: use a wider type"
    )
