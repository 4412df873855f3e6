"""The name of the construction, on what it made."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
M = TypeVar("M")


def named(construction: Callable[P, M]) -> Callable[P, M]:
    """Record on the result which construction made it.

    Examples
    --------
    >>> import orr
    >>> orr.kronecker([2, 4], [1.0, 2.0]).construction
    'kronecker'
    """

    @wraps(construction)
    def constructed(*args: P.args, **kwargs: P.kwargs) -> M:
        made = construction(*args, **kwargs)
        vars(made)["construction"] = construction.__name__
        return made

    return constructed
