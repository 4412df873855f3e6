"""The dual bound of a certificate in integers and in decimals rounded outward (chapter any-size).

Python's integers are exact. Its decimals add, multiply and divide in a given direction of rounding, and their
exp and ln are correctly rounded. A double is used only as the exact number that it is: levels and weights.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

from orr.decimals import DOWN, UP, decimal, log1p, odds, power
from orr.problem import Problem

MAX_COUNTED_SUMS = 200_000  # Up to this many different sums of weights are counted one by one, in seconds.
MAX_ALIKE = 20_000  # Counts of flip sets of more equal attributes are too long for integers.
MAX_PACKED_BITS = 4 * 10**9  # An integer that holds all counts side by side takes half a gigabyte at most.


def bound(problem: Problem, weights: Sequence[float] | None) -> tuple[Decimal, str]:
    """Return the overall level that weights prove, or the floor without weights, rounded down; and how."""
    if weights is None:
        return floor(problem), "the floor in decimals"
    fractions = [Fraction(w) for w in weights]
    scale = math.lcm(*(w.denominator for w in fractions))
    whole = [int(w * scale) for w in fractions]
    sizes, radius, gain = problem.sizes.tolist(), Fraction(0), Fraction(0)
    groups: dict[tuple[int, int], int] = {}
    for (a, e, y), n in Counter(zip(sizes, problem.epsilons.tolist(), whole, strict=True)).items():
        low, _ = odds(e)
        radius += n * y * Fraction(a - 1) / (low + a)  # q is largest where the level is smallest
        gain += n * y * Fraction(a - 1, a) * low / (low + a)
        groups[a, y] = groups.get((a, y), 0) + n
    if len(groups) == 1 and len(sizes) > MAX_ALIKE:
        y = whole[0]
        return alike_bound(sizes[0], len(sizes), radius / y, gain / y), "flip sets counted in decimals"
    found = excess(groups, radius, gain)
    if found is None:
        return Decimal(0), "the flip sets are too many to count"
    return log1p(decimal(found, DOWN), DOWN), "flip sets counted in integers"


def excess(groups: dict[tuple[int, int], int], radius: Fraction, gain: Fraction) -> Fraction | None:
    """Return ``gain / E[(radius - y.B)^+]``; None if there are too many flip sets to count.

    ``groups`` gives the number of attributes of each size and weight.
    """
    counts = _sparse(groups, radius)
    if counts is None:
        counts = _packed(groups, radius)
    if counts is None:
        return None
    # E[(y.q - y.B)^+], times the number of records
    short = sum((radius.numerator - s * radius.denominator) * n for s, n in counts)
    return gain * math.prod(a**n for (a, _), n in groups.items()) * radius.denominator / short


def alike_bound(size: int, n: int, radius: Fraction, gain: Fraction) -> Decimal:
    """Return the overall level that equal weights prove of equal attributes, counted in decimals."""
    short, ways = Decimal(0), Decimal(1)
    for c in range(math.ceil(radius)):
        short = UP.add(short, UP.multiply(decimal(radius - c, UP), ways))
        ways = UP.divide(UP.multiply(ways, Decimal((n - c) * (size - 1))), Decimal(c + 1))
    records = power(Decimal(size), n, DOWN)
    return log1p(DOWN.divide(DOWN.multiply(decimal(gain, DOWN), records), short), DOWN)


def _sparse(groups: dict[tuple[int, int], int], radius: Fraction) -> list[tuple[int, int]] | None:
    """Count the records of each sum of weights below a threshold; None if there are too many sums."""
    counts = {0: 1}
    for (a, y), n in sorted(groups.items(), key=lambda item: -item[0][1]):
        if y == 0:  # any value of the attribute counts
            counts = {s: count * a**n for s, count in counts.items()}
            continue
        most = min(n, math.ceil(radius / y) - 1)
        if (most + 1) * len(counts) > 4 * MAX_COUNTED_SUMS:
            return None
        ways, more = 1, dict[int, int]()
        for c in range(most + 1):
            for s, count in counts.items():
                if s + c * y < radius:
                    more[s + c * y] = more.get(s + c * y, 0) + count * ways
            ways = ways * (n - c) * (a - 1) // (c + 1)
        counts = more
        if len(counts) > MAX_COUNTED_SUMS:
            return None
    return list(counts.items())


def _packed(groups: dict[tuple[int, int], int], radius: Fraction) -> list[tuple[int, int]] | None:
    """Count the records of each sum of small weights side by side in one integer; None if it is too long."""
    states = math.ceil(radius)
    size = (math.prod(a**n for (a, _), n in groups.items()).bit_length() + 8) // 8
    if 8 * size * states > MAX_PACKED_BITS:
        return None
    counts, mask = 1, (1 << 8 * size * states) - 1
    for (a, y), n in groups.items():
        for _ in range(n):
            counts += (a - 1) * (counts << 8 * size * y) if y < states else 0
            counts &= mask
    data = counts.to_bytes(size * states, "little")
    found = (int.from_bytes(data[size * s : size * (s + 1)], "little") for s in range(states))
    return [(s, n) for s, n in enumerate(found) if n]


def floor(problem: Problem) -> Decimal:
    """Return the overall level that is proved without weights, rounded down."""
    total, gain = Decimal(0), Fraction(0)
    for a, level in zip(problem.sizes.tolist(), problem.epsilons.tolist(), strict=True):
        low, high = odds(level)
        # The attribute adds (1 - q) level - log(1 + w); the level is exact, and w is rounded up.
        truth = Fraction(1 + low) / (low + a)
        total = DOWN.add(
            total, DOWN.subtract(decimal(truth * Fraction(level), DOWN), log1p(decimal(high / a, UP), UP))
        )
        gain += Fraction(level) * Fraction(a - 1, a) * low / (low + a)
    total = max(total, Decimal(0))
    excess = DOWN.multiply(DOWN.next_minus(DOWN.exp(DOWN.add(Decimal(1), total))), decimal(gain, DOWN))
    return max(total, log1p(excess, DOWN))
