"""Expressions of SymPy, written down, read back, evaluated. Symbols are told apart by their names."""

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

import numpy as np
import sympy as sp

WAYS: dict[str, Any] = {
    "Add": np.add,
    "Mul": np.multiply,
    "Pow": np.power,
}  # most of what formulas are made of


def encode(value: Any) -> Any:
    """Write an expression, an equation or a list of them; None for anything else."""
    if isinstance(value, sp.MatrixBase) and min(value.shape) > 1:
        return [encode(row) for row in value.tolist()]
    if isinstance(value, sp.MatrixBase | sp.NDimArray):
        return encode(list(value))
    if isinstance(value, sp.Poly):
        return encode(value.as_expr())
    if isinstance(value, list | sp.Tuple | sp.FiniteSet):
        return [encode(each) for each in value]
    tree = _tree(value) if isinstance(value, sp.Basic) else None
    return None if tree is None else {"sympy": tree}


def _tree(value: Any) -> Any:
    """Write an expression as nested lists; None where something in it has no name in SymPy."""
    if isinstance(value, sp.Symbol):
        return ["Symbol", value.name]
    if isinstance(value, sp.Rational):
        return ["Rational", int(value.p), int(value.q)]
    if isinstance(value, sp.Float):
        return ["Float", str(value)]
    name = type(value).__name__
    if not value.args:
        return ["S", name] if hasattr(sp.S, name) else None
    parts = [_tree(each) for each in value.args]
    return None if any(part is None for part in parts) or not _known(name) else [name, *parts]


def _known(name: str) -> bool:
    """Return whether a name is that of a kind of expression, and nothing else that SymPy can do."""
    kind = getattr(sp, name, None)
    return isinstance(kind, type) and issubclass(kind, sp.Basic)


def decode(tree: Sequence[Any]) -> Any:
    """Read what `encode` wrote.

    Examples
    --------
    >>> x = sp.Symbol("x", positive=True)
    >>> decode(encode(sp.Eq(x**2 / 3, sp.pi))["sympy"])
    Eq(x**2/3, pi)
    """
    name, *parts = tree
    if name in ("Symbol", "Rational", "Float"):
        return getattr(sp, name)(*parts)
    if name == "S":
        return getattr(sp.S, parts[0])
    if not _known(name):
        raise ValueError(f"{name} is no expression")
    return getattr(sp, name)(*map(decode, parts))


def names(expression: Any) -> set[str]:
    """Return the names of the symbols in an expression."""
    return {symbol.name for symbol in expression.free_symbols}


def value(expression: Any, numbers: Mapping[str, Any]) -> Any:
    """Evaluate an expression, with a number or an array for each symbol; nan where the result is not real.

    Examples
    --------
    >>> x, y = sp.symbols("x y")
    >>> value(sp.log(x) / y + 1, {"x": 1.0, "y": np.array([1.0, 2.0])})
    array([1., 1.])
    """
    with np.errstate(all="ignore"):
        try:
            return _value(expression, numbers)
        except (TypeError, ValueError, KeyError, ArithmeticError):
            return float("nan")


def _value(expression: Any, numbers: Mapping[str, Any]) -> Any:
    """Evaluate the parts and join them, which is many times faster than substitution."""
    if isinstance(expression, sp.Symbol):
        return numbers[expression.name]
    if not expression.args:
        return float(expression)
    parts = [_value(each, numbers) for each in expression.args]
    way = WAYS.get(type(expression).__name__)
    if way:
        return reduce(way, parts)
    return np.vectorize(lambda *each: float(expression.func(*each)), otypes=[float])(*parts)
