"""Read an answer as numbers, generously, or say why that is impossible."""

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

import orr
from orr_classroom.codec import Odd
from orr_classroom.feedback import form, show

Floats = NDArray[np.float64]


class Unreadable(ValueError):
    """An answer that is not of the kind that was asked for; the message goes after its name."""


def numbers(given: Any, shape: tuple[int, ...]) -> Floats:
    """Read finite numbers of a given shape; a row or a column will do for a list.

    Examples
    --------
    >>> numbers([[1], [2]], (2,))
    array([1., 2.])
    >>> numbers("0.72", ())
    Traceback (most recent call last):
        ...
    orr_classroom.reading.Unreadable: should be one number, and is a text: '0.72'.
    """
    if given is None or given is Ellipsis:
        raise Unreadable("is still empty.")
    if isinstance(given, str):
        raise Unreadable(f"should be {form(shape)}, and is a text: {given!r}.")
    if getattr(given, "free_symbols", None):  # an expression of SymPy
        symbols = ", ".join(sorted(map(str, given.free_symbols)))
        raise Unreadable(f"should be {form(shape)}, and still contains {symbols}: put numbers in.")
    if isinstance(given, Odd):
        raise Unreadable(f"should be {form(shape)}, and is a {given.kind}: {show(given)}.")
    if isinstance(given, Mapping) and "fun" in given:
        raise Unreadable(f"is all that linprog has to say. It should be {form(shape)}: take it from there.")
    if isinstance(given, Mapping):
        raise Unreadable(f"should be {form(shape)}, and is a dictionary: take its values.")
    if isinstance(given, orr.Mechanism):
        raise Unreadable(
            f"should be {form(shape)}, and is a mechanism, which knows its epsilon and epsilons."
        )
    if isinstance(given, list | tuple) and any(isinstance(each, orr.Mechanism) for each in given):
        raise Unreadable(f"should be {form(shape)}, and holds mechanisms: each knows its epsilon.")
    if isinstance(given, frozenset):
        raise Unreadable(f"should be {form(shape)}, and is a set, which has no order.")
    try:
        answer = np.asarray(given, dtype=float)
    except OverflowError:
        raise Unreadable("is too large for floating-point numbers. Work with logarithms.") from None
    except (TypeError, ValueError):
        raise Unreadable(f"should be {form(shape)}, and is {show(given)}.") from None
    if answer.shape != shape and answer.size == np.prod(shape) and answer.squeeze().shape == _squeezed(shape):
        answer = answer.reshape(shape)
    if answer.shape != shape:
        raise Unreadable(f"should be {form(shape)}, and is {form(answer.shape)}.{_too_few(answer, shape)}")
    if not np.isfinite(answer).all():
        raise Unreadable(f"= {show(given)} is not finite. Is something divided by 0, or too large for exp?")
    return answer


def _squeezed(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(n for n in shape if n != 1)


def _too_few(answer: Floats, shape: tuple[int, ...]) -> str:
    """Say what to do about an array of another shape, where that can be told."""
    if answer.ndim == 1 and len(shape) == 1 and answer.size == shape[0] - 1:
        return " One is missing."
    if answer.ndim == 1 and len(shape) == 1 and answer.size == shape[0] + 1:
        return " One is too many."
    if not shape and answer.ndim:
        return " One number is wanted in place of all of them."
    return ""


def law(given: Any, k: int) -> Floats:
    """Read a table from flip sets to probabilities, in the order of the book: by size, then lexicographic."""
    if not isinstance(given, Mapping):
        raise Unreadable(f"should be a dictionary from flip sets to probabilities, and is {show(given)}.")
    for key in given:
        if not isinstance(key, tuple | frozenset):
            raise Unreadable(f"has the key {key!r}. A flip set is a tuple: (), (0,) with a comma, (0, 1).")
        if len(set(key)) < len(key):
            raise Unreadable(f"has the key {key!r}. A flip set lists the attributes that lie, each once.")
        if isinstance(key, tuple) and list(key) != sorted(key, key=repr):
            raise Unreadable(f"has the key {key!r}. Flip sets are written in increasing order: (0, 1).")
        if not set(key) <= set(range(k)):
            raise Unreadable(f"has the key {key!r}. Attributes are numbered from 0 to {k - 1}.")
    table = {tuple(sorted(key)): value for key, value in given.items()}
    if len(table) < len(given):
        raise Unreadable("holds a flip set twice, in two forms.")
    every = [flips for r in range(k + 1) for flips in combinations(range(k), r)]
    missing = [flips for flips in every if flips not in table]
    if missing == [()]:
        raise Unreadable("lacks the flip set (), where no attribute lies.")
    if missing:
        raise Unreadable(f"has {len(table)} of the {2**k} flip sets: {missing[0]!r} is missing.")
    return numbers([table[flips] for flips in every], (2**k,))


def parts(given: Any, shapes: list[tuple[int, ...]], names: list[str]) -> Floats:
    """Read several answers at once, one after the other in one list."""
    wanted = ", ".join(names)
    if not isinstance(given, list | tuple | np.ndarray) or len(given) != len(shapes):
        raise Unreadable(f"should return {len(shapes)} things: return {wanted}.")
    found = []
    for each, shape, name in zip(given, shapes, names, strict=True):
        try:
            found.append(numbers(each, shape).ravel())
        except Unreadable as error:
            raise Unreadable(f"is not what it should be: its {name} {error}") from None
    return np.concatenate(found)
