"""Checks that an object was not changed in memory (chapter certificate).

Sums that take long are cached in an object. A check of a claim must not trust them: here each is computed
again and compared, a law is made again from the numbers that define it, and replaced code is refused.
"""

from __future__ import annotations

import copy
from functools import cached_property
from typing import Any

import numpy as np

from orr.laws.law import Law


def intact(thing: Any, seen: set[int] | None = None) -> bool:
    """Return whether the cached values of an object of this package, and of its parts, are right.

    Examples
    --------
    >>> from orr.problem import Problem
    >>> problem = Problem([2, 3], [1.0, 2.0])
    >>> problem.q.round(2), intact(problem)
    (array([0.27, 0.21]), True)
    >>> problem.__dict__["q"] = problem.q / 2
    >>> intact(problem)
    False
    """
    seen = set() if seen is None else seen
    if isinstance(thing, list | tuple):
        return all(intact(part, seen) for part in thing)
    ours = [cls for cls in type(thing).__mro__ if cls.__module__.startswith("orr")]
    if not ours or id(thing) in seen:
        return True
    seen.add(id(thing))
    given = _given(thing)
    return (
        type(thing) is ours[0]
        and not any(callable(getattr(ours[0], name, None)) for name in given)
        and intact([*given.values()], seen)  # before the values computed from them
        and _cached_again(thing, vars(thing).keys() - given.keys())
    )


def remade(law: Law) -> bool:
    """Return whether a law is the one that the numbers of its definition make.

    Examples
    --------
    >>> import orr
    >>> law = orr.optimal([2, 3, 4], [0.5, 1.0, 0.7]).law
    >>> remade(law)
    True
    """
    return _same(law.from_definition(law.problem, **law.definition()), law)


def _given(thing: Any) -> dict[str, Any]:
    """Return the attributes of an object that are not cached."""
    kinds = {name: getattr(type(thing), name, None) for name in vars(thing)}
    return {name: vars(thing)[name] for name, kind in kinds.items() if not isinstance(kind, cached_property)}


def _cached_again(thing: Any, cached: set[str]) -> bool:
    """Return whether cached values are equal when computed again."""
    again = copy.copy(thing)
    for name in cached:
        again.__dict__.pop(name, None)
    return all(_same(getattr(again, name), thing.__dict__[name]) for name in cached)


def _same(one: Any, other: Any) -> bool:
    """Return whether numbers, arrays, or objects made of them are equal to the last digit."""
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        return np.array_equal(one, other)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(_same(a, b) for a, b in zip(one, other, strict=True))
    if type(one).__module__.startswith("orr"):
        return _same(sorted(_given(one).items()), sorted(_given(other).items()))
    return bool(one == other)
