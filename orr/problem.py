"""Sizes and levels, checked once, and what follows from them alone."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral, Real

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

MAX_SIZE = 2**31 - 1
MIN_LEVEL, MAX_LEVEL = 1e-12, 700.0
_GAUSS = np.polynomial.legendre.leggauss(12)


@dataclass(frozen=True, eq=False)
class Problem:
    """How many values each attribute has and how private each must be.

    Parameters
    ----------
    sizes : sequence of int
        Number of values of each attribute, from 2 to 2**31 - 1.
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
        """The same for levels that a construction reached, which may lie outside the range asked."""
        problem = cls.__new__(cls)
        problem._set(sizes, epsilons)
        return problem

    def _set(self, sizes: Integers, epsilons: Floats) -> None:
        for name, values in (("sizes", sizes), ("epsilons", epsilons)):
            values.flags.writeable = False
            object.__setattr__(self, name, values)

    def __len__(self) -> int:
        return len(self.sizes)

    @cached_property
    def p(self) -> Floats:
        """Chance that a uniformly random value differs from the truth."""
        return (self.sizes - 1) / self.sizes

    @cached_property
    def w(self) -> Floats:
        """Odds of keeping a value against replacing it by a uniformly random one."""
        # expm1 overflows past 709; there exp(e) - 1 and exp(e) are the same double.
        small = np.expm1(np.minimum(self.epsilons, 500)) / self.sizes
        return np.where(self.epsilons < 500, small, np.exp(self.epsilons - np.log(self.sizes)))

    @cached_property
    def q(self) -> Floats:
        """Flip probability of each attribute at its level."""
        return self.p / (1 + self.w)

    @cached_property
    def d(self) -> Floats:
        """How far each flip probability lies below that of a uniformly random value."""
        return self.q * self.w

    @cached_property
    def log_records(self) -> float:
        """Logarithm of the number of different records."""
        return math.fsum(np.log(self.sizes))

    @cached_property
    def information_floor(self) -> float:
        """Sum of what each randomized response tells about a uniformly random value, in nats."""
        direct = (1 - self.q) * self.epsilons - np.log1p(self.w)
        # Near 0 the difference cancels; it is also the integral of s q(s) (1 - q(s)) up to the level.
        top = np.minimum(self.epsilons, 1)
        small = np.zeros_like(top)
        for node, weight in zip(*_GAUSS, strict=True):
            s = top * (1 + node) / 2
            q = (self.sizes - 1) / (np.exp(s) + self.sizes - 1)
            small += weight / 2 * top * s * q * (1 - q)
        return math.fsum(np.where(self.epsilons > 1, direct, small))


def check_sizes(sizes: ArrayLike) -> Integers:
    """Return the sizes as integers, or say which one is not a size."""
    values = _sequence("sizes", sizes)
    for i, size in enumerate(values):
        if isinstance(size, bool | np.bool_) or not isinstance(size, Integral):
            raise TypeError(f"sizes[{i}] = {size!r} must be an integer of at least 2")
        if not 2 <= size <= MAX_SIZE:
            raise ValueError(f"sizes[{i}] = {size!r} must be between 2 and {MAX_SIZE}")
    return np.array(values, dtype=np.int64)


def check_levels(epsilons: ArrayLike) -> Floats:
    """Return the levels as floats, or say which one is not a level."""
    values = _sequence("epsilons", epsilons)
    for i, level in enumerate(values):
        if isinstance(level, bool | np.bool_) or not isinstance(level, Real):
            raise TypeError(f"epsilons[{i}] = {level!r} must be a positive number")
        if not MIN_LEVEL <= level <= MAX_LEVEL:
            raise ValueError(
                f"epsilons[{i}] = {level!r} must be a finite level between {MIN_LEVEL:g} "
                f"and {MAX_LEVEL:g} nats"
            )
    return np.array(values, dtype=np.float64)


def _sequence(name: str, values: ArrayLike) -> list:
    """Turn one number an attribute into a list of plain Python numbers."""
    scalar = isinstance(values, np.ndarray) and values.ndim == 0
    if scalar or isinstance(values, str | bytes | Set | Mapping) or not isinstance(values, Iterable):
        raise TypeError(f"{name} must be a sequence with one number an attribute, got {values!r}")
    entries = values.tolist() if isinstance(values, np.ndarray) else list(values)
    if not entries:
        raise ValueError(f"{name} is empty: at least one attribute is needed")
    return entries


def information_floor(sizes: ArrayLike, epsilons: ArrayLike) -> float:
    r"""Overall level that no mechanism with these attribute levels can go below.

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
    0.873
    """
    return Problem(sizes, epsilons).information_floor
