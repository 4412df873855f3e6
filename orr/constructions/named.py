"""Constructions on a domain: attributes with names and labels (chapter release)."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from orr_release.domain import Domain

P = ParamSpec("P")
M = TypeVar("M")


def named(construction: Callable[P, M]) -> Callable[P, M]:
    """Record on the result which construction made it, and attach the domain if one was passed as sizes.

    Examples
    --------
    >>> import orr
    >>> orr.kronecker(orr.Domain({"sex": ["F", "M"], "children": 4}), [1.0, 2.0]).domain
    <Domain: sex (2), children (4)>
    """

    @wraps(construction)
    def constructed(*args: P.args, **kwargs: P.kwargs) -> M:
        made: Any = construction(*args, **kwargs)
        vars(made)["construction"] = construction.__name__
        sizes = args[0] if args else kwargs.get("sizes")
        return made.on(sizes) if isinstance(sizes, Domain) else made

    return constructed
