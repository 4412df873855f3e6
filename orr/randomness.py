"""Where random bits come from, and exact draws made of them.

Everything random in the package is built from 16-bit words: a coin that is right to the last
bit of the probability it is given, an integer that is exactly uniform, a category drawn by the
alias method. The words come from the operating system or from a seeded generator; the rest is
the same code.
"""

from __future__ import annotations

import math
import os

import numpy as np
from numpy.typing import NDArray

from orr.arrays import Array, Floats, Integers


class Source:
    """A supply of random words.

    Parameters
    ----------
    rng : None, int or numpy.random.Generator
        None draws from the operating system's entropy, which is what a real release needs.
        A seed or a Generator is reproducible, and for teaching and tests only.

    Examples
    --------
    >>> Source(1).integers(np.array([2, 10]), (3, 2)).shape
    (3, 2)
    """

    def __init__(self, rng: int | np.random.Generator | None = None) -> None:
        if isinstance(rng, bool | np.bool_):
            raise TypeError(f"rng must be None, a seed or a numpy Generator, got {rng!r}")
        if isinstance(rng, int | np.integer):
            if rng < 0:
                raise ValueError(f"rng = {rng} must be a seed of at least 0")
            # Not default_rng(rng): the records may well have been drawn with that seed.
            rng = np.random.default_rng([int(rng), 0x6F7272])
        if rng is not None and not isinstance(rng, np.random.Generator):
            raise TypeError(f"rng must be None, a seed or a numpy Generator, got {rng!r}")
        self._rng = rng

    def words(self, shape: tuple[int, ...], dtype: type[np.unsignedinteger]) -> Array:
        """Independent words, every bit of them fair."""
        count = int(np.prod(shape))
        size = count * np.dtype(dtype).itemsize
        if self._rng is None:
            words = np.frombuffer(os.urandom(size), dtype)
        else:
            words = self._rng.integers(2**64, dtype=np.uint64, size=-(-size // 8)).view(dtype)
        return words[:count].reshape(shape)

    def coins(self, probability: Floats, shape: tuple[int, ...]) -> NDArray[np.bool_]:
        """Coins that come up true with exactly the probabilities given.

        A uniform number is compared with the probability sixteen binary digits at a time;
        only where they agree, once in 65,536, are more digits drawn. A probability of 1 has
        the digit 65,535 again and again, and is never missed.
        """
        probability = _probabilities(probability)
        scaled = probability * 65536.0
        digit = np.minimum(np.floor(scaled), 65535.0)
        words, digits = self.words(shape, np.uint16), digit.astype(np.uint16)
        result = words < digits
        tied = np.flatnonzero(words == digits)
        if len(tied):
            rest = np.broadcast_to(scaled - digit, shape)[np.unravel_index(tied, shape)]
            result.flat[tied] = self.coins(rest, rest.shape)
        return result

    def choose(self, odds: Array, shape: tuple[int, ...], against: Array | float = 1.0) -> NDArray[np.bool_]:
        """Coins that come up true with the odds given, whichever side is the rare one.

        The smaller side over the sum is right to a unit in the last place, its odds to two.
        """
        rare = odds < against
        coins = self.coins(np.where(rare, odds, against) / (odds + against), shape)
        return np.logical_xor(coins, ~rare, out=coins)

    def integers(self, sizes: Integers, shape: tuple[int, ...]) -> Array:
        """Integers that are exactly uniform below the sizes (Lemire's multiplication method)."""
        narrow, wide = (np.uint16, np.uint32) if sizes.max(initial=0) <= 256 else (np.uint32, np.uint64)
        bits = np.iinfo(narrow).bits
        factor = sizes.astype(wide)
        product = np.multiply(self.words(shape, narrow), factor, dtype=wide)
        unfair = (2**bits % sizes).astype(narrow)
        again = np.flatnonzero(product.astype(narrow) < unfair) if unfair.any() else np.empty(0, int)
        values = np.right_shift(product, bits, out=product)
        if len(again):
            redrawn = np.broadcast_to(sizes, shape)[np.unravel_index(again, shape)]
            values.flat[again] = self.integers(redrawn, redrawn.shape)
        return values


def _probabilities(values: Floats) -> Floats:
    """Refuse what is not a probability: a draw must never go on with it."""
    values = np.asarray(values, dtype=float)
    if values.size and not (values.min() >= 0 and values.max() <= 1):  # false for nan, too
        raise ArithmeticError("a chance is not a number from 0 to 1, so nothing was drawn")
    return values


def minus(a: float, b: float) -> tuple[float, float]:
    """Return the difference, rounded, and what rounding took away."""
    difference = a - b
    back = difference - a
    return difference, (a - (difference - back)) - (b + back)


class Categories:
    """Categories drawn in proportion to weights, by the alias method.

    For n categories, each probability is right to a relative error of `alias_units`, however small it is:
    that is what makes the reported level honest. What is left of the shares is kept to twice the digits,
    and the last category to be filled may collect all of the rest. Weights below ``rounding.TINY`` of the
    largest would lose digits: laws drop them.

    Examples
    --------
    >>> draws = Categories(np.array([1.0, 0.0, 3.0])).draw(1000, Source(1))
    >>> np.unique(draws)
    array([0, 2])
    """

    def __init__(self, weights: Floats) -> None:
        n = len(weights)
        if not (n and weights.min() >= 0 and 0 < weights.max() < math.inf):  # false for nan, too
            raise ArithmeticError("the weights of the categories are not finite, or all are 0")
        share = weights / weights.max()
        share *= n / math.fsum(share.tolist())
        self._keep = np.zeros(n)
        self._alias = np.arange(n)
        small = np.flatnonzero(share < 1).tolist()
        large = np.flatnonzero(share >= 1).tolist()
        left, low = share.tolist(), [0.0] * n
        while small and large:
            i, j = small.pop(), large[-1]
            self._keep[i], self._alias[i] = left[i], j
            left[j], error = minus(left[j], 1 - left[i])
            low[j] += error
            if left[j] + low[j] < 1:
                left[j] += low[j]
                small.append(large.pop())

    def draw(self, n: int, source: Source) -> Integers:
        """Draw n categories."""
        bins = source.integers(np.array([len(self._keep)]), (n,)).astype(np.int64)
        return np.where(source.coins(self._keep[bins], (n,)), bins, self._alias[bins])
