"""What a formula may have been misread as: if one of its neighbours is right, the slip is known."""

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any

import numpy as np
import sympy as sp

from orr_classroom.feedback import show

Numbers = Mapping[str, Any]  # a number or an array for each symbol

OWN = "Each size goes with its own level: m with E1, n with E2."
COUNT = "Count again: a lie is one of the other values, not of all."
LOG = "E1 and E2 stand as they are, without log."
EXP = "E1 and E2 are e^epsilon already, without exp."
BOTH = "The attributes are exchanged: attribute 1 has m values and E1."
EXCHANGES = [
    ({"m": "n", "n": "m"}, OWN),
    ({"E1": "E2", "E2": "E1"}, OWN),
    ({"m": "n", "n": "m", "E1": "E2", "E2": "E1"}, BOTH),
    ({"X1": "X2", "X2": "X1"}, "X1 and X2 are exchanged: X1 is for a lie in attribute 1 alone."),
]
MISREADINGS: list[tuple[tuple[str, ...], Callable[[Any], Any], str]] = [
    *((symbols, lambda size: size - 1, COUNT) for symbols in (("m",), ("n",), ("m", "n"))),
    *((symbols, np.exp, LOG) for symbols in (("E1",), ("E2",), ("E1", "E2"))),
    *((symbols, np.log, EXP) for symbols in (("E1",), ("E2",), ("E1", "E2"))),
]
PARTNERS = {"m": "n", "n": "m", "E1": "E2", "E2": "E1", "X1": "X2", "X2": "X1"}
MANY = 500  # changes that are tried, at most: a fifth of a second


def exchanged(point: Numbers) -> Iterator[tuple[Numbers, str]]:
    """Yield the numbers for which an expression is right if it takes one thing for another throughout.

    Examples
    --------
    >>> next(exchanged({"m": 5, "n": 7, "E1": 2, "E2": 3}))[0]
    {'m': 7, 'n': 5, 'E1': 2, 'E2': 3}
    """
    for order, hint in EXCHANGES:
        if set(order) <= set(point):
            yield {symbol: point[order.get(symbol, symbol)] for symbol in point}, hint
    for symbols, change, hint in MISREADINGS:
        if set(symbols) <= set(point):
            yield {**point, **{symbol: change(point[symbol]) for symbol in symbols}}, hint


def nearby(part: Any) -> Iterator[tuple[Any, str]]:
    """Yield expressions that differ from one in a single place, and what is wrong if such a one is right.

    Examples
    --------
    >>> m, n = sp.symbols("m n")
    >>> {str(other): hint for other, hint in nearby(m * (n - 1))}["m + n - 1"]
    'm*(n - 1) should be a sum.'
    """
    return islice(_nearby(part), MANY)


def _nearby(part: Any) -> Iterator[tuple[Any, str]]:
    """Change each part of an expression, then how they are put together."""
    if isinstance(part, sp.Symbol):
        yield from _symbol(part)
        return
    for i, each in enumerate(part.args):
        for other, hint in _nearby(each):
            yield part.func(*part.args[:i], other, *part.args[i + 1 :]), hint
    for each in part.args:
        if part.is_Add:
            plain = -each if each.could_extract_minus_sign() else each
            yield part - 2 * each, f"The sign before {show(plain)} is the wrong way round."
            yield part - each, f"There is one term too many, {show(each)}."
        if part.is_Mul and each != -1:
            yield part / each, f"There is one factor too many, {show(each)}."
    if part.is_Add:
        yield sp.Mul(*part.args), f"{show(part)} should be a product."
    if part.is_Mul:
        yield sp.Add(*part.args), f"{show(part)} should be a sum."


def _symbol(symbol: Any) -> Iterator[tuple[Any, str]]:
    """Change one symbol, by one or for the other attribute's."""
    name = symbol.name
    if name in PARTNERS:
        hint = f"In one place there is a 1 too many or too few beside {name}."
        if name in ("m", "n"):
            hint = f"In one place {name} is off by one: {name} values are {name} - 1 lies and the truth."
        yield symbol + 1, hint
        yield symbol - 1, hint
        yield sp.Symbol(PARTNERS[name]), f"In one place {name} stands where {PARTNERS[name]} should."
