"""The arrays of the package: their types, and how they and what holds them are made read-only."""

from __future__ import annotations

from abc import ABCMeta
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def frozen(values: Array) -> Array:
    """Make an array read-only: it belongs to a mechanism."""
    values.flags.writeable = False
    return values


class _Closing(ABCMeta):
    """Makes objects that are open to their constructor alone."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        made = super().__call__(*args, **kwargs)
        vars(made)["_closed"] = True
        return made


class Fixed(metaclass=_Closing):
    """What cannot be changed once it is made: its numbers are promises about a release.

    Examples
    --------
    >>> Fixed().anything = 1
    Traceback (most recent call last):
    ...
    AttributeError: anything cannot be set: a Fixed does not change once it is made
    """

    def __setattr__(self, name: str, value: Any) -> None:
        if "_closed" in vars(self):
            self._refuse(name, "set")
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        self._refuse(name, "deleted")

    def _refuse(self, name: str, what: str) -> NoReturn:
        kind = type(self).__name__
        raise AttributeError(f"{name} cannot be {what}: a {kind} does not change once it is made")
