"""What a mechanism file holds, taken entry by entry: each is checked, and nothing may be left over."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orr.arrays import Floats, Integers

INFINITY = "infinity"  # JSON has no number for it
LARGEST = 2**1024 - 2**970  # whole numbers and doubles below this are, or become, finite doubles
# Numbers that dynamic programs may compute to read a file: a minute. The largest ball that a construction has
# room for takes half of them, and a file of a few attributes a small part.
ROOM = 4 * 10**9


def number(value: float) -> float | str:
    """Write a double as JSON can hold it.

    Examples
    --------
    >>> number(np.float64(0.1)), number(math.inf)
    (0.1, 'infinity')
    """
    if not value > -math.inf:  # nan, too
        raise ValueError(f"{value} cannot be written to a file")
    return float(value) if value < math.inf else INFINITY


def numbers(values: Iterable[float]) -> list[float | str]:
    """Write doubles as JSON can hold them.

    Examples
    --------
    >>> numbers(np.array([1.0, np.inf]))
    [1.0, 'infinity']
    """
    return [number(value) for value in values]


def odds(values: Floats | None) -> list[float | str] | None:
    """Write odds that may be infinite; None where they all are.

    Examples
    --------
    >>> odds(np.array([3.0, np.inf])), odds(None)
    ([3.0, 'infinity'], None)
    """
    return None if values is None else numbers(values)


class Fields:
    """The entries of an object in a file.

    Every method takes an entry out, and says by its name what is wrong with it.

    Parameters
    ----------
    given : object
        What stands in the file where an object is wanted.
    where : str
        Its name there.
    outer : Fields, optional
        What it stands in: both share the room for what has to be computed.

    Examples
    --------
    >>> fields = Fields({"z": [0.5, "infinity"], "deep": True}, "law")
    >>> fields.doubles("z", 2, infinite=True)
    array([0.5, inf])
    >>> fields.done()
    Traceback (most recent call last):
    ...
    ValueError: law has 'deep', which does not belong there
    """

    def __init__(self, given: object, where: str, outer: Fields | None = None) -> None:
        if not isinstance(given, dict):
            raise ValueError(f"{where} must be an object, got {_short(given)}")
        self.left, self.where = dict(given), where
        self.room: list[float] = [ROOM] if outer is None else outer.room

    def spend(self, name: str, numbers: float) -> None:
        """Refuse an entry for which too many numbers would have to be computed, before any of them is."""
        self.room[0] -= numbers
        if self.room[0] < 0:
            raise ValueError(
                f"{self.path(name)} would take too long: {numbers:.2g} numbers, and {ROOM:.2g} for the whole "
                "file are allowed"
            )

    def afford(self, numbers: float) -> bool:
        """Tell whether so many numbers more may be computed in all of the file, and if so, count them.

        Half of the room is kept for the laws, which must be computed.
        """
        afforded = numbers <= self.room[0] - ROOM / 2
        self.room[0] -= numbers if afforded else 0
        return afforded

    def take(self, name: str) -> Any:
        """Take an entry of any kind."""
        if name not in self.left:
            raise ValueError(f"{self.where} has no {name!r}")
        return self.left.pop(name)

    def done(self) -> None:
        """Refuse what nobody took."""
        for name in self.left:
            raise ValueError(f"{self.where} has {_short(name)}, which does not belong there")

    def path(self, name: str) -> str:
        """Name an entry."""
        return f"{self.where}.{name}"

    def inside(self, name: str) -> Fields:
        """Take an object."""
        return Fields(self.take(name), self.path(name), self)

    def listed(self, name: str, count: int | None = None) -> list[Any]:
        """Take a list, of a number of entries if it is given."""
        values = self.take(name)
        if not isinstance(values, list) or (count is not None and len(values) != count):
            length = f"of {count}" if count is not None else ""
            raise ValueError(f"{self.path(name)} must be a list {length}".rstrip())
        return values

    def text(self, name: str, *allowed: str) -> str:
        """Take a string, one of some if they are given."""
        value = self.take(name)
        if not isinstance(value, str) or (allowed and value not in allowed):
            wanted = f"one of {', '.join(map(repr, allowed))}" if allowed else "a string"
            raise ValueError(f"{self.path(name)} = {_short(value)} must be {wanted}")
        return value

    def flag(self, name: str) -> bool:
        """Take true or false."""
        return bool(self._flags(name, [self.take(name)])[0])

    def flags(self, name: str, count: int) -> NDArray[np.bool_]:
        """Take a list of true and false."""
        return self._flags(name, self.listed(name, count))

    def _flags(self, name: str, values: list[Any]) -> NDArray[np.bool_]:
        for value in values:
            if not isinstance(value, bool):
                raise ValueError(f"{self.path(name)}: {_short(value)} must be true or false")
        return np.array(values, dtype=bool)

    def double(
        self, name: str, low: float = -math.inf, high: float = math.inf, infinite: bool = False
    ) -> float:
        """Take a number within bounds; or infinity, where that is allowed."""
        return self._double(name, self.take(name), low, high, infinite)

    def doubles(
        self,
        name: str,
        count: int | None = None,
        low: float = -math.inf,
        high: float = math.inf,
        infinite: bool = False,
    ) -> Floats:
        """Take a list of them."""
        values = self.listed(name, count)
        if values and set(map(type, values)) == {float}:  # most are, and a million are read at once
            found = np.array(values)
            if ((found >= low) & (found <= high) & np.isfinite(found)).all():
                return found
        checked = [self._double(f"{name}[{i}]", v, low, high, infinite) for i, v in enumerate(values)]
        return np.array(checked, dtype=np.float64)

    def _double(self, name: str, value: Any, low: float, high: float, infinite: bool) -> float:
        if infinite and value == INFINITY:
            return math.inf
        proper = isinstance(value, int | float) and not isinstance(value, bool)
        if not (proper and abs(value) < LARGEST and low <= value <= high):
            wanted = f"a number {_bounds(low, high)}".rstrip()
            raise ValueError(f"{self.path(name)} = {_short(value)} must be {wanted}")
        return float(value)

    def odds(self, name: str, count: int) -> Floats:
        """Take odds that may be infinite; null stands for all of them."""
        if name in self.left and self.left[name] is None:
            self.take(name)
            return np.full(count, math.inf)
        return self.doubles(name, count, 0.0, infinite=True)

    def integer(self, name: str, low: int, high: int) -> int:
        """Take a whole number within bounds."""
        return self._whole(name, self.take(name), low, high)

    def integers(self, name: str, count: int | None, low: int, high: int) -> Integers:
        """Take a list of them."""
        values = enumerate(self.listed(name, count))
        return np.array([self._whole(f"{name}[{i}]", v, low, high) for i, v in values], dtype=np.int64)

    def rows(self, name: str, width: int, low: int, high: int) -> Integers:
        """Take a list of lists of whole numbers, all of a width."""
        rows = self.listed(name)
        parts = Fields({str(i): row for i, row in enumerate(rows)}, self.path(name))
        found = [parts.integers(str(i), width, low, high) for i in range(len(rows))]
        return np.array(found, dtype=np.int64).reshape(len(rows), width)

    def _whole(self, name: str, value: object, low: int, high: int) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise ValueError(
                f"{self.path(name)} = {_short(value)} must be a whole number {_bounds(low, high)}"
            )
        return value


def _bounds(low: float, high: float) -> str:
    """Say what is allowed."""
    if high == math.inf:
        return "" if low == -math.inf else f"of at least {low:g}"
    return f"from {low:g} to {high:g}"


def _short(value: object) -> str:
    """Write a value, but not all of a long one."""
    text = repr(value)
    return text if len(text) <= 40 else text[:36] + " ..."
