"""Chances of numbers of flips among attributes that are alike."""

from __future__ import annotations

import math

import numpy as np

from orr.arrays import Floats


def binomial(n: int, hit: float, miss: float) -> Floats:
    """Chances of 0, ..., n hits in n trials, however small the chance of a hit or of a miss is.

    Examples
    --------
    >>> binomial(2, 0.25, 0.75)
    array([0.5625, 0.375 , 0.0625])
    """
    hits = np.arange(n + 1)
    ways = np.concatenate([[0.0], np.cumsum(np.log((n - hits[:-1]) / hits[1:]))])
    return np.exp(ways + hits * _log(hit, miss) + (n - hits) * _log(miss, hit))


def _log(chance: float, other: float) -> float:
    """Logarithm of a chance, from the smaller one of it and its complement."""
    return math.log(chance) if chance < other else math.log1p(-other)


def among(n: int, flips: int, m: int) -> Floats:
    """Chances that 0, ..., m of m attributes flip if so many of all n do: whole numbers, rounded once.

    Examples
    --------
    >>> among(4, 2, 2) * 6
    array([1., 4., 1.])
    """
    ways = (math.comb(flips, j) * math.comb(n - flips, m - j) for j in range(m + 1))
    return np.array([count / math.comb(n, m) for count in ways])
