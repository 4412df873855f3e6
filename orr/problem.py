"""Sizes and levels, checked once, and what follows from them alone."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from functools import cached_property, reduce
from numbers import Integral, Real

import numpy as np
from numpy.typing import ArrayLike, NDArray

from orr.rounding import FLOOR, ULP, Floats

Integers = NDArray[np.int64]

MAX_SIZE = 10**6
MIN_LEVEL, MAX_LEVEL = 1e-12, 700.0
_GAUSS = np.polynomial.legendre.leggauss(12)


@dataclass(frozen=True, eq=False)
class Problem:
    """How many values each attribute has and how private each must be.

    Parameters
    ----------
    sizes : sequence of int
        Number of values of each attribute, from 2 to 1,000,000.
    epsilons : sequence of float
        Level asked for each attribute, in nats, from 1e-12 to 700.

    Examples
    --------
    >>> problem = Problem([2, 4], [1.0, 2.0])
    >>> problem.q.round(4)
    array([0.2689, 0.2888])
    """

    sizes: Integers
    epsilons: Floats

    def __init__(self, sizes: ArrayLike, epsilons: ArrayLike) -> None:
        checked = check_sizes(sizes), check_levels(epsilons)
        if len(checked[0]) != len(checked[1]):
            raise ValueError(
                "sizes and epsilons must have one entry for each attribute: "
                f"got {len(checked[0])} sizes and {len(checked[1])} levels"
            )
        self._set(*checked)

    @classmethod
    def achieved(cls, sizes: Integers, epsilons: Floats) -> Problem:
        """Take levels that a construction reached, which may lie outside the range asked."""
        problem = cls.__new__(cls)
        problem._set(sizes, epsilons)
        return problem

    def _set(self, sizes: Integers, epsilons: Floats) -> None:
        for name, values in (("sizes", sizes), ("epsilons", epsilons)):
            object.__setattr__(self, name, frozen(values))

    def __len__(self) -> int:
        return len(self.sizes)

    def __reduce__(self) -> tuple:
        """Copy what was given and compute the rest anew: a copied array would not be read-only."""
        return Problem.achieved, (self.sizes.copy(), self.epsilons.copy())

    @cached_property
    def p(self) -> Floats:
        """Chance that a uniformly random value differs from the truth."""
        return frozen((self.sizes - 1) / self.sizes)

    @cached_property
    def w(self) -> Floats:
        """Odds of keeping a value against replacing it by a uniformly random one."""
        w = np.expm1(np.minimum(self.epsilons, 709)) / self.sizes
        # An achieved level may pass 709, where exp overflows but w does not.
        high = self.epsilons > 709
        w[high] = np.exp(self.epsilons[high] - np.log(self.sizes[high]))
        return frozen(w)

    @cached_property
    def q(self) -> Floats:
        """Flip probability of each attribute at its level."""
        return frozen(self.p / (1 + self.w))

    @cached_property
    def d(self) -> Floats:
        """How far each flip probability lies below that of a uniformly random value."""
        return frozen(self.q * self.w)

    @cached_property
    def truth(self) -> Floats:
        """``1 - q``, the chance of the true value, without the subtraction."""
        return frozen((1 / self.sizes + self.w) / (1 + self.w))

    @cached_property
    def _told(self) -> float:
        """Chance that a record is not a uniformly random one, as a rule no more than for Kronecker."""
        return math.expm1(min(math.fsum(np.log1p(self.w).tolist()), math.log(2)))

    @cached_property
    def faint(self) -> NDArray[np.bool_]:
        """Attributes of which so little is told that a joint law would lose its digits."""
        return frozen(self.w < FLOOR * self._told)

    def part(self, chosen: NDArray) -> Problem:
        """Return the problem of some of the attributes."""
        return Problem.achieved(self.sizes[chosen], self.epsilons[chosen])

    def eased(self, units: float) -> Problem:
        """Raise the levels by so much that rounding cannot make up for it.

        Flip probabilities that are right to so many units meet the levels asked if they meet these.
        """
        w = self.w + ULP * units * (self._told + self.w)
        with np.errstate(over="ignore"):
            levels = np.log1p(self.sizes * w)
        high = ~(levels < 700)
        levels[high] = self.epsilons[high] + ULP * units
        return Problem.achieved(self.sizes, np.maximum(levels, self.epsilons * (1 + ULP)))

    @cached_property
    def spare(self) -> float:
        """``1 - sum(q)``; the largest q is subtracted exactly, since it may be close to 1."""
        terms, j = -self.q, int(self.q.argmax())
        terms[j] = self.truth[j]
        return math.fsum(terms.tolist())

    @cached_property
    def uniform(self) -> Floats:
        """Flip law of a uniformly random record, as a cube with an axis of length 2 an attribute."""
        return frozen(reduce(np.multiply.outer, np.column_stack([1 / self.sizes, self.p])))

    @cached_property
    def log_records(self) -> float:
        """Logarithm of the number of different records."""
        return math.fsum(np.log(self.sizes).tolist())

    @cached_property
    def information_floor(self) -> float:
        """Sum of what each randomized response tells about a uniformly random value, in nats."""
        direct = self.truth * self.epsilons - np.log1p(self.w)
        # Near 0 the difference cancels; it is also the integral of s q(s) (1 - q(s)) up to the level.
        top = np.minimum(self.epsilons, 1)
        small = np.zeros_like(top)
        for node, weight in zip(*_GAUSS, strict=True):
            s = top * (1 + node) / 2
            q = (self.sizes - 1) / (np.exp(s) + self.sizes - 1)
            small += weight / 2 * top * s * q * (1 - q)
        return math.fsum(np.where(self.epsilons > 1, direct, small).tolist())


def frozen(values: NDArray) -> NDArray:
    """Make an array read-only: it belongs to a mechanism."""
    values.flags.writeable = False
    return values


def check_sizes(sizes: ArrayLike) -> Integers:
    """Return the sizes as integers, or say which one is not a size."""
    values = _numbers("sizes", sizes, "iu", Integral, "an integer of at least 2")
    _check_range("sizes", values, 2, MAX_SIZE, f"an integer between 2 and {MAX_SIZE}")
    return values.astype(np.int64)


def check_levels(epsilons: ArrayLike) -> Floats:
    """Return the levels as floats, or say which one is not a level."""
    values = doubles("epsilons", _numbers("epsilons", epsilons, "fiu", Real, "a positive number"))
    allowed = f"a finite level between {MIN_LEVEL:g} and {MAX_LEVEL:g} nats"
    _check_range("epsilons", values, MIN_LEVEL, MAX_LEVEL, allowed)
    return values


def _numbers(name: str, values: ArrayLike, kinds: str, number: type, meaning: str) -> NDArray:
    """Turn one number an attribute into a vector, or say which entry is not a number."""
    if np.ma.is_masked(values):
        raise ValueError(f"{name} has masked entries: every attribute needs a number")
    scalar = isinstance(values, np.ndarray) and values.ndim == 0
    if scalar or isinstance(values, str | bytes | Set | Mapping) or not isinstance(values, Iterable):
        raise TypeError(f"{name} must be a sequence with one number an attribute, got {values!r}")
    entries = values if isinstance(values, np.ndarray) else list(values)
    for i, entry in enumerate([] if isinstance(values, np.ndarray) else entries):
        if isinstance(entry, bool | np.bool_):
            raise TypeError(f"{name}[{i}] = {entry!r} must be {meaning}")
    if len(entries) == 0:
        raise ValueError(f"{name} is empty: at least one attribute is needed")
    try:
        vector = np.asarray(entries)
    except ValueError:  # entries of different shapes
        vector = np.empty(0)
    if vector.ndim == 1 and vector.dtype.kind in kinds and len(vector):
        return vector
    for i, entry in enumerate(entries):
        if isinstance(entry, bool | np.bool_ | np.timedelta64) or not isinstance(entry, number):
            raise TypeError(f"{name}[{i}] = {entry!r} must be {meaning}")
    return vector


def doubles(name: str, values: NDArray) -> Floats:
    """Return numbers as doubles, or say that one is too large."""
    try:
        return values.astype(np.float64)
    except OverflowError:
        raise ValueError(f"{name} has a number that is too large for a double") from None


def _check_range(name: str, values: NDArray, low: float, high: float, allowed: str) -> None:
    """Refuse what is out of range or not a number, naming the first."""
    wrong = ~((values >= low) & (values <= high))
    if wrong.any():
        i = int(np.argmax(wrong))
        raise ValueError(f"{name}[{i}] = {values[i]} must be {allowed}")


def information_floor(sizes: ArrayLike, epsilons: ArrayLike) -> float:
    r"""Overall level that no mechanism with these flip probabilities can go below.

    The sum over attributes of the mutual information, in nats, between a uniformly random
    value and its randomized response,
    :math:`I_i = (1 - q_i)\,\varepsilon_i - \log(1 + w_i)`.

    Parameters
    ----------
    sizes : sequence of int
        Number of values of each attribute.
    epsilons : sequence of float
        Level of each attribute, in nats.

    Returns
    -------
    float
        The floor, in nats.

    Examples
    --------
    >>> round(information_floor([2, 3, 4], [1.0, 1.5, 2.0]), 4)
    0.8457
    """
    return Problem(sizes, epsilons).information_floor
