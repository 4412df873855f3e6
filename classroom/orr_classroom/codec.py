"""Values as text and back: the numbers of a class, arguments of a check, answers of students.

What is read back is plain: numbers, arrays, lists, tuples, sets, dictionaries, mechanisms, expressions of
SymPy, and for anything else an `Odd` that only knows how it looked.
"""

import base64
import sys
import zlib
from collections.abc import Mapping, Set
from types import GeneratorType
from typing import Any

import numpy as np
from numpy.typing import NDArray

import orr
from orr_release import Release, load

NUMBERS = "biuf"  # the kinds of arrays that are numbers


class Odd:
    """Something that no check knows what to do with."""

    def __init__(self, kind: str, text: str) -> None:
        self.kind, self.text = kind, text

    def __str__(self) -> str:
        return self.text


class Generator:
    """A random generator that is to be made anew for every call."""

    def __init__(self, seed: int) -> None:
        self.seed = seed


def encode(value: Any) -> Any:
    """Write a value with what JSON has.

    Examples
    --------
    >>> encode({(0, 1): np.float64(0.5)})
    {'dict': [[{'tuple': [0, 1]}, 0.5]]}
    >>> decode(encode(np.arange(3)))
    array([0, 1, 2])
    """
    if isinstance(value, np.generic):
        item = value.item()
        return (
            float(value) if isinstance(item, np.generic) else encode(item)
        )  # long doubles are their own items
    if value is None or isinstance(value, bool | str | int | float):
        return value
    if isinstance(value, np.ndarray):
        return _array(value)
    if isinstance(value, list):
        return [encode(each) for each in value]
    if isinstance(value, tuple):
        return {"tuple": [encode(each) for each in value]}
    if isinstance(value, Mapping):
        return {"dict": [[encode(key), encode(each)] for key, each in value.items()]}
    if isinstance(value, Set):
        return {"set": [encode(each) for each in sorted(value, key=repr)]}
    if isinstance(value, Generator):
        return {"generator": value.seed}
    if isinstance(value, Odd):
        return {"odd": [value.kind, value.text]}
    return _special(value)


def _special(value: Any) -> Any:
    """Write a value that belongs to a library."""
    if isinstance(value, orr.Mechanism):
        return {"mechanism": Release(value).to_json()}
    if "sympy" in sys.modules:
        from orr_classroom import expressions

        found = expressions.encode(value)
        if found is not None:
            return found
    for name in ("toarray", "to_numpy"):  # sparse arrays of scipy, tables of pandas
        if hasattr(value, name):
            return encode(getattr(value, name)())
    if isinstance(value, range | map | zip | filter | GeneratorType):
        return [encode(each) for each in value]
    try:
        return float(value)  # fractions and the like
    except (TypeError, ValueError, OverflowError):
        text = str(value)
        return {"odd": [type(value).__name__, text[:200]]}


def _array(value: NDArray[Any]) -> Any:
    """Write an array: its bytes where these are numbers, else what is in it."""
    if value.dtype.kind not in NUMBERS:
        return encode(value.tolist())
    packed = base64.b64encode(zlib.compress(np.ascontiguousarray(value).tobytes(), 1)).decode()
    return {"array": [value.dtype.str, list(value.shape), packed]}


def decode(data: Any) -> Any:
    """Read what `encode` wrote; a new object every time."""
    if isinstance(data, list):
        return [decode(each) for each in data]
    if not isinstance(data, dict):
        return data
    ((kind, body),) = data.items()
    match kind:
        case "array":
            dtype, shape, packed = body
            raw = zlib.decompress(base64.b64decode(packed))
            return np.frombuffer(raw, dtype=dtype).reshape(shape).copy()
        case "tuple":
            return tuple(decode(each) for each in body)
        case "dict":
            return {decode(key): decode(each) for key, each in body}
        case "set":
            return frozenset(decode(each) for each in body)
        case "generator":
            return Generator(body)
        case "mechanism":
            return load(body).mechanism
        case "sympy":
            from orr_classroom import expressions

            return expressions.decode(body)
    return Odd(*body)


def plain(value: Any) -> Any:
    """Return a value as a check sees it, on whatever machine it runs."""
    if isinstance(value, np.ndarray) and value.dtype.kind in NUMBERS:
        return value.copy()
    return decode(encode(value))
