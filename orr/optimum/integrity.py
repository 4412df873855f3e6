"""Whether an object is still what its own numbers make it (chapter certificate).

Sums that take long are kept in the object once they are known. Whoever checks a claim must not believe
them: here each is computed again and compared, a law is made again as a file of it would make it, and code
that was replaced is refused.
"""

from __future__ import annotations

import copy
from functools import cached_property
from typing import Any

import numpy as np

from orr.laws.fields import Fields
from orr.laws.law import Law
from orr.laws.stored import restored


def intact(thing: Any, seen: set[int] | None = None) -> bool:
    """Tell whether all that an object of this package has cached, and its parts, come out the same again.

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
        and intact([*given.values()], seen)  # before what is made of them
        and _cached_again(thing, vars(thing).keys() - given.keys())
    )


def remade(law: Law) -> bool:
    """Tell whether a law is the one that its own numbers make, with every check of a file that holds them.

    Examples
    --------
    >>> import orr
    >>> law = orr.optimal([2, 3, 4], [0.5, 1.0, 0.7]).law
    >>> remade(law)
    True
    """
    return _same(restored(law.problem, Fields(law.state(), "law")), law)


def _given(thing: Any) -> dict[str, Any]:
    """Return what an object was made of, without what it has cached."""
    kinds = {name: getattr(type(thing), name, None) for name in vars(thing)}
    return {name: vars(thing)[name] for name, kind in kinds.items() if not isinstance(kind, cached_property)}


def _cached_again(thing: Any, cached: set[str]) -> bool:
    """Compute what an object has cached once more, and compare."""
    again = copy.copy(thing)
    for name in cached:
        again.__dict__.pop(name, None)
    return all(_same(getattr(again, name), thing.__dict__[name]) for name in cached)


def _same(one: Any, other: Any) -> bool:
    """Compare numbers, arrays, and objects that are made of them, to the last digit."""
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        return np.array_equal(one, other)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(_same(a, b) for a, b in zip(one, other, strict=True))
    if type(one).__module__.startswith("orr"):
        return _same(sorted(_given(one).items()), sorted(_given(other).items()))
    return bool(one == other)
