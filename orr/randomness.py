"""Where random bits come from, and exact draws made of them.

Everything random in the package is built from words of 8, 16 or 32 fair bits: a coin that is right to
the last bit of the probability it is given, an integer that is exactly uniform, a category drawn by the
alias method. The words come from :mod:`orr.entropy` or from a seeded generator; the rest is the same code.

Where many draws share few probabilities or sizes, these may be given as a table, and with it the place of
each draw in the table.
"""

from __future__ import annotations

import math
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from orr.arrays import Array, Floats, Integers
from orr.entropy import Stream


class Lookup:
    """The values of a table at places, made into an array only on request.

    Examples
    --------
    >>> np.asarray(Lookup(np.array([0.5, 2.0]), np.array([1, 1, 0])))
    array([2. , 2. , 0.5])
    """

    def __init__(self, table: Array, places: Integers) -> None:
        self.table, self.places = table, places

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.asarray(self.table[self.places], dtype=dtype)


class Source:
    """A supply of random words.

    Parameters
    ----------
    rng : None, int or numpy.random.Generator
        None draws from a cipher keyed by the operating system, which is what a real release needs.
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
            # Not default_rng(rng), since the records may have been drawn with that seed.
            rng = np.random.default_rng([int(rng), 0x6F7272])
        if rng is not None and not isinstance(rng, np.random.Generator):
            raise TypeError(f"rng must be None, a seed or a numpy Generator, got {rng!r}")
        self._supply = Stream() if rng is None else rng

    def words(self, shape: tuple[int, ...], dtype: type[np.unsignedinteger]) -> Array:
        """Return independent words of fair bits."""
        count = math.prod(shape)
        size = count * np.dtype(dtype).itemsize
        if isinstance(self._supply, Stream):
            words = self._supply.bytes(size).view(dtype)
        else:
            words = self._supply.integers(2**64, dtype=np.uint64, size=-(-size // 8)).view(dtype)
        return words[:count].reshape(shape)

    def coins(self, probability: Floats | Lookup, shape: tuple[int, ...]) -> NDArray[np.bool_]:
        """Return coins that come up true with exactly the probabilities given.

        A uniform number is compared with the probability sixteen binary digits at a time;
        only where they agree, once in 65,536, are more digits drawn. A probability of 1 has
        the digit 65,535 again and again, and is never missed. In tables of coins that are all
        rare, eight digits come first.
        """
        table, places = split(probability)
        table = _probabilities(table, places)
        if len(shape) > 1 and table.max(initial=0) < 1 / 256:
            result, left = np.zeros(shape, dtype=bool), np.flatnonzero(self.words(shape, np.uint8) == 0)
            result.flat[left] = self.coins(at(table, places, left) * 256, left.shape)
            return result
        scaled = table * 65536.0
        digit = np.minimum(np.floor(scaled), 65535.0)
        words, digits = self.words(shape, np.uint16), everywhere(digit.astype(np.uint16), shape, places)
        result = words < digits
        tied = np.flatnonzero(words == digits)
        if len(tied):
            result.flat[tied] = self.coins(at(scaled - digit, places, tied), tied.shape)
        return result

    def choose(
        self, odds: Array | Lookup, shape: tuple[int, ...], against: Array | Lookup | float = 1.0
    ) -> NDArray[np.bool_]:
        """Return coins that come up true with the odds given, whichever side is the rare one.

        The smaller side over the sum is right to a unit in the last place, its odds to two.
        """
        (for_it, places), (not_it, _) = split(odds), split(against)
        with np.errstate(invalid="ignore"):  # odds of 0 to 0 are refused if they are drawn
            chance = np.minimum(for_it, not_it) / (for_it + not_it)
        coins = self.coins(chance if places is None else Lookup(chance, places), shape)
        often = for_it >= not_it
        if often.all():
            return np.logical_not(coins, out=coins)
        return np.logical_xor(coins, everywhere(often, shape, places), out=coins) if often.any() else coins

    def integers(self, sizes: Integers | Lookup, shape: tuple[int, ...]) -> Array:
        """Return integers that are exactly uniform below the sizes (Lemire's multiplication method)."""
        table, places = split(sizes)
        narrow, wide = (np.uint16, np.uint32) if table.max(initial=0) <= 256 else (np.uint32, np.uint64)
        bits = np.iinfo(narrow).bits
        words = self.words(shape, narrow)
        product = np.multiply(words, everywhere(table.astype(wide), shape, places), dtype=wide)
        values, unfair = (product >> bits).astype(narrow), (2**bits % table).astype(narrow)
        if unfair.any():
            again = np.flatnonzero(product.astype(narrow) < everywhere(unfair, shape, places))
            if len(again):
                values.flat[again] = self.integers(at(table, places, again), again.shape)
        return values


def split(values: ArrayLike | Lookup) -> tuple[Array, Integers | None]:
    """Return a table, and places in it if it is looked up.

    Examples
    --------
    >>> split(2.0)
    (array(2.), None)
    """
    return (values.table, values.places) if isinstance(values, Lookup) else (np.asarray(values), None)


def everywhere(table: Array, shape: tuple[int, ...], places: Integers | None = None) -> Array:
    """Return the values of a table at places; without places, repeat it to fill a shape.

    Examples
    --------
    >>> everywhere(np.array([5, 6]), (2, 2))
    array([[5, 6],
           [5, 6]])
    >>> everywhere(np.array([5, 6]), (3,), np.array([1, 1, 0]))
    array([6, 6, 5])
    """
    if places is not None:
        return table.take(places)
    if table.size <= 1 or table.shape == shape:
        return table
    # Double the part that is filled: row by row would take ten times as long.
    result, done = np.empty(math.prod(shape), dtype=table.dtype), table.size
    result[:done] = table[: len(result)]
    while done < len(result):
        result[done : 2 * done] = result[: min(done, len(result) - done)]
        done *= 2
    return result.reshape(shape)


def at(table: Array, places: Integers | None, chosen: Integers) -> Array:
    """Return the chosen ones of these values, counted along the rows.

    Examples
    --------
    >>> at(np.array([5, 6]), None, np.array([0, 3]))
    array([5, 6])
    """
    return table.ravel()[chosen % table.size] if places is None else table[places[chosen]]


def _probabilities(values: Floats, places: Integers | None) -> Floats:
    """Return the values; raise if one is not a probability, since a draw must never go on with it."""
    if not values.size or (values.min() >= 0 and values.max() <= 1):  # also rejects NaN
        return values
    wrong = ~((values >= 0) & (values <= 1))
    if places is None or wrong[places].any():
        raise ArithmeticError("a probability is not a number from 0 to 1, so nothing was drawn")
    return np.where(wrong, 0.0, values)


class Categories(Protocol):
    """Something that draws categories."""

    def draw(self, n: int, source: Source) -> Integers:
        """Draw n categories."""


class AliasTable:
    """Categories drawn in proportion to weights, by the alias method.

    For n categories, each probability is right to a relative error of `alias_units`, however small it is:
    that is what makes the reported level honest. What is left of the shares is kept to twice the digits,
    and the last category to be filled may collect all of the rest. Weights below ``rounding.MIN_MASS`` of the
    largest would lose digits: laws drop them. A draw is a bin, kept with probability ``keep`` and otherwise
    exchanged for its ``alias``.

    Examples
    --------
    >>> draws = AliasTable(np.array([1.0, 0.0, 3.0])).draw(1000, Source(1))
    >>> np.unique(draws)
    array([0, 2])
    """

    def __init__(self, weights: Floats) -> None:
        n = len(weights)
        if not (n and weights.min() >= 0 and 0 < weights.max() < math.inf):  # also rejects NaN
            raise ArithmeticError("the weights of the categories are not finite, or all are 0")
        share = weights / weights.max()
        share *= n / math.fsum(share.tolist())
        self.keep = np.zeros(n)
        self.alias = np.arange(n)
        small = np.flatnonzero(share < 1).tolist()
        large = np.flatnonzero(share >= 1).tolist()
        left, low = share.tolist(), [0.0] * n
        while small and large:
            i, j = small.pop(), large[-1]
            self.keep[i], self.alias[i] = left[i], j
            left[j], error = minus(left[j], 1 - left[i])
            low[j] += error
            if left[j] + low[j] < 1:
                left[j] += low[j]
                small.append(large.pop())

    def draw(self, n: int, source: Source) -> Integers:
        """Draw n categories."""
        bins = source.integers(np.array([len(self.keep)]), (n,)).astype(np.int64)
        return np.where(source.coins(self.keep[bins], (n,)), bins, self.alias[bins])


def minus(a: float, b: float) -> tuple[float, float]:
    """Return the difference, rounded, and what rounding took away."""
    difference = a - b
    back = difference - a
    return difference, (a - (difference - back)) - (b + back)
