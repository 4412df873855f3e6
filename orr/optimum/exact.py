"""The numbers of a certificate to the last digit: integers, and decimals rounded outward.

Python's integers are exact, its decimals add, multiply and divide with the direction of rounding
given, and their exp and ln are correctly rounded. Nothing here uses a double but as the exact number that
it is: sizes, levels, weights, and what the sampler compares random words with.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

import numpy as np

from orr.arrays import Floats, Integers
from orr.laws.ball import Ball
from orr.laws.balls import Balls
from orr.laws.beside import Beside
from orr.laws.cells import Cells
from orr.laws.law import Law, Lifted
from orr.laws.product import Product
from orr.laws.radius_one import RadiusOne
from orr.laws.table import Table
from orr.optimum import verify
from orr.problem import Problem
from orr.rounding import LEVELS, ULP

DIGITS = 60
UP, DOWN = (
    Context(prec=DIGITS, rounding=way, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])
    for way in (ROUND_CEILING, ROUND_FLOOR)
)
KEYS = 200_000  # different sums of weights that are counted one by one: some seconds
ALIKE = 20_000  # equal attributes whose counts are too long for integers
BITS = 4 * 10**9  # of an integer that holds all counts: half a gigabyte
COEFFICIENT = 96  # bits of the chances of a ball in fixed point
ONE = 1 << 1074  # every double of at most 1 is a whole multiple of 2^-1074


@dataclass(frozen=True)
class Verification:
    """What was proved of a certificate; true if that is all that it claims.

    Attributes
    ----------
    holds : bool
        Whether every claim holds.
    lower : float
        Overall level that the weights prove, rounded down.
    level : float
        Overall level of the sampler, rounded up.
    level_error : float
        Largest relative error of an attribute's level.
    seconds : float
        How long it took.
    how : str
        What was exact, in a sentence.
    """

    holds: bool
    lower: float
    level: float
    level_error: float
    seconds: float
    how: str

    def __bool__(self) -> bool:
        return self.holds

    def __repr__(self) -> str:
        return (
            f"<{'Verified' if self.holds else 'NOT verified'} in {self.seconds:.2g} s: no mechanism below "
            f"{self.lower!r}, this one at most {self.level!r}, attribute levels to {self.level_error:.1g}; "
            f"{self.how}>"
        )


def verification(law: Law, lower: float, upper: float, weights: Sequence[float] | None) -> Verification:
    """Check the claims of a certificate exactly."""
    start = time.perf_counter()
    if weights is None:
        proved, counted = floor(law.problem), "the floor in decimals"
    else:
        proved, counted = bound(law.problem, weights)
    level, error, drawn = realised(law)
    epsilon = max(law.epsilon, upper)
    holds = (
        verify.consistent(law)
        and Decimal(lower) <= proved <= Decimal(upper)
        and level <= Decimal(epsilon)
        and error <= LEVELS
    )
    return Verification(
        bool(holds),
        down_to_float(proved),
        -down_to_float(-level),
        error,
        time.perf_counter() - start,
        f"{counted}; {drawn}",
    )


def down_to_float(value: Decimal) -> float:
    """Round down to a double."""
    nearest = float(value)
    return nearest if Decimal(nearest) <= value else math.nextafter(nearest, -math.inf)


def decimal(value: Fraction, context: Context) -> Decimal:
    """Round a fraction in the direction of the context."""
    return context.divide(Decimal(value.numerator), Decimal(value.denominator))


def log1p(value: Decimal, context: Context) -> Decimal:
    """Logarithm of 1 plus a number, rounded outward in the direction of the context."""
    log = context.ln(context.add(Decimal(1), value))
    return context.next_plus(log) if context is UP else context.next_minus(log)


def odds(level: float) -> tuple[Fraction, Fraction]:
    """Bounds around ``exp(level) - 1``."""
    wide = Context(prec=2 * DIGITS, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])  # level 1e-12 cancels 12 digits
    e = wide.exp(Decimal(level))
    return Fraction(wide.next_minus(e)) - 1, Fraction(wide.next_plus(e)) - 1


def bound(problem: Problem, weights: Sequence[float]) -> tuple[Decimal, str]:
    """Overall level that weights prove, rounded down, and how it was counted."""
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
    if len(groups) == 1 and len(sizes) > ALIKE:
        y = whole[0]
        return alike_bound(sizes[0], len(sizes), radius / y, gain / y), "flip sets counted in decimals"
    counts = _sparse(groups, radius)
    how = "flip sets counted in integers"
    if counts is None:
        counts = _packed(groups, radius)
    if counts is None:
        return Decimal(0), "the flip sets are too many to count"
    # E[(y.q - y.B)^+], times the number of records
    short = sum((radius.numerator - s * radius.denominator) * n for s, n in counts)
    excess = gain * math.prod(a**n for (a, _), n in groups.items()) * radius.denominator / short
    return log1p(decimal(excess, DOWN), DOWN), how


def alike_bound(size: int, n: int, radius: Fraction, gain: Fraction) -> Decimal:
    """Overall level that equal weights prove for very many equal attributes, with counts in decimals."""
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
        if y == 0:  # any value will do
            counts = {s: count * a**n for s, count in counts.items()}
            continue
        most = min(n, math.ceil(radius / y) - 1)
        if (most + 1) * len(counts) > 4 * KEYS:
            return None
        ways, more = 1, dict[int, int]()
        for c in range(most + 1):
            for s, count in counts.items():
                if s + c * y < radius:
                    more[s + c * y] = more.get(s + c * y, 0) + count * ways
            ways = ways * (n - c) * (a - 1) // (c + 1)
        counts = more
        if len(counts) > KEYS:
            return None
    return list(counts.items())


def _packed(groups: dict[tuple[int, int], int], radius: Fraction) -> list[tuple[int, int]] | None:
    """Return the same for many small weights, with all counts side by side in one integer."""
    states = math.ceil(radius)
    size = (math.prod(a**n for (a, _), n in groups.items()).bit_length() + 8) // 8
    if 8 * size * states > BITS:
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
    """Overall level that is proved without weights, rounded down."""
    total, gain = Decimal(0), Fraction(0)
    for a, level in zip(problem.sizes.tolist(), problem.epsilons.tolist(), strict=True):
        low, high = odds(level)
        # I = (1 - q) level - log(1 + w), at a level that is exact and with w rounded up
        truth = Fraction(1 + low) / (low + a)
        total = DOWN.add(
            total, DOWN.subtract(decimal(truth * Fraction(level), DOWN), log1p(decimal(high / a, UP), UP))
        )
        gain += Fraction(level) * Fraction(a - 1, a) * low / (low + a)
    total = max(total, Decimal(0))
    excess = DOWN.multiply(DOWN.next_minus(DOWN.exp(DOWN.add(Decimal(1), total))), decimal(gain, DOWN))
    return max(total, log1p(excess, DOWN))


def chance(odd: float) -> Fraction:
    """Exact chance that a coin of given odds comes up true (:meth:`orr.randomness.Source.choose`)."""
    value = np.float64(odd)
    if value == math.inf:
        return Fraction(1)
    return Fraction(float(value / (value + 1))) if value < 1 else 1 - Fraction(float(1 / (value + 1)))


def realised(law: Law) -> tuple[Decimal, float, str]:
    """Overall level of the sampler, rounded up, largest error of an attribute's, and how they were found."""
    sizes = law.problem.sizes.tolist()
    if isinstance(law, Beside):
        (one, error, how), (other, small, _) = (realised(part) for part in law.parts)
        return UP.add(one, other), max(error, small), how
    if isinstance(law, Product):
        told = [chance(w) for w in law.problem.w.tolist()]
        levels = [log1p(decimal(a * c / (1 - c), UP), UP) for a, c in zip(sizes, told, strict=True)]
        rates = [(1 - c) * Fraction(a - 1, a) for a, c in zip(sizes, told, strict=True)]
        return sum_up(levels), level_error(law.problem, rates), "sampler in fractions"
    assert isinstance(law, Lifted)
    lifted = chance(law.mass)
    table = alias_law(law._categories._keep, law._categories._alias)
    scale = lifted / (1 - lifted) / (len(table) * ONE)
    if isinstance(law, Balls):
        excess = UP.multiply(balls_excess(law, table), decimal(scale, UP))
        error = float(np.abs(verify.level_and_errors(law)[1]).max())
        return log1p(excess, UP), error, "balls in fixed point, draws as counted, flip rates in doubles"
    kinds, of = kinds_of(law)
    records = Decimal(1)
    for a, n in kinds:
        records = UP.multiply(records, power(Decimal(a), n, UP))
    excess = UP.multiply(UP.multiply(highest(law, kinds, table), records), decimal(scale, UP))
    if isinstance(law, Cells):  # a coin for each attribute of a kind, each right to half a unit
        coins = sum(n for _, n in kinds if n > 1)
        excess = UP.multiply(excess, power(above_one(0.5), coins, UP))
    error = level_error(law.problem, flip_probabilities(law, lifted, table, kinds, of))
    return log1p(excess, UP), error, "sampler in fractions"


def sum_up(values: list[Decimal]) -> Decimal:
    """Add, rounding up."""
    total = Decimal(0)
    for value in values:
        total = UP.add(total, value)
    return total


def above_one(units: float) -> Decimal:
    """Return 1 and so many units, which a double could not hold."""
    return UP.add(Decimal(1), UP.multiply(Decimal(ULP), Decimal(units)))


def power(base: Decimal, exponent: int, context: Context) -> Decimal:
    """Multiply a number of at least 1 by itself, rounding in the direction of the context."""
    result = Decimal(1)
    while exponent:
        if exponent % 2:
            result = context.multiply(result, base)
        base, exponent = context.multiply(base, base), exponent // 2
    return result


def alias_law(keep: Floats, alias: Integers) -> list[int]:
    """Chance of each category of an alias table, in units of ``1 / (n ONE)``."""
    whole = [n * (ONE // d) for n, d in (x.as_integer_ratio() for x in keep.tolist())]
    law = list(whole)
    for i, j in enumerate(alias.tolist()):
        law[j] += ONE - whole[i]
    return law


def kinds_of(law: Lifted) -> tuple[list[tuple[int, int]], list[int]]:
    """Size and number of the attributes of each kind, and the kind of each attribute."""
    if isinstance(law, Cells):
        sizes, counts = law.kinds.problem.sizes.tolist(), law.kinds.count.tolist()
        return list(zip(sizes, counts, strict=True)), law.kinds.of.tolist()
    return [(a, 1) for a in law.problem.sizes.tolist()], list(range(len(law.problem)))


def highest(law: Lifted, kinds: list[tuple[int, int]], table: list[int]) -> Decimal:
    """Largest chance of a category, over the number of records in it, rounded up."""
    if isinstance(law, RadiusOne):
        ways = [Decimal(a - 1) for a, _ in kinds] + [Decimal(1)]
    else:
        each = []
        for a, n in kinds:
            number = [Decimal(1)]
            for c in range(n):
                number.append(
                    DOWN.divide(DOWN.multiply(number[-1], Decimal((n - c) * (a - 1))), Decimal(c + 1))
                )
            each.append(number)
        ways = []
        for cell in cells_of(law):
            product = Decimal(1)
            for number, c in zip(each, cell, strict=True):
                product = DOWN.multiply(product, number[c]) if c else product
            ways.append(product)
    return max(UP.divide(Decimal(n), w) for n, w in zip(table, ways, strict=True))


def cells_of(law: Lifted) -> Iterable[Sequence[int]]:
    """Flips of each kind in each category."""
    assert isinstance(law, Table | Cells)
    return np.ndindex(law.excess.shape) if isinstance(law, Table) else law.cells.tolist()


def flip_probabilities(
    law: Lifted, lifted: Fraction, table: list[int], kinds: list[tuple[int, int]], of: list[int]
) -> list[Fraction]:
    """Exact flip probability of each attribute, repairs included."""
    if isinstance(law, RadiusOne):
        flips = table[:-1]
    else:
        flips = [0] * len(kinds)
        for n, cell in zip(table, cells_of(law), strict=True):
            for g, c in enumerate(cell):
                if c:
                    flips[g] += n * c
    rates, known = [], dict[int, Fraction]()
    stay = [math.inf] * len(of) if law.stay is None else law.stay.tolist()
    for g, odd in zip(of, stay, strict=True):
        if g not in known:
            (a, n), kept = kinds[g], chance(odd)
            p, r = Fraction(a - 1, a), Fraction(flips[g], n * len(table) * ONE)
            known[g] = (1 - lifted) * p + lifted * (kept * r + (1 - kept) * p)
        rates.append(known[g])
    return rates


def level_error(problem: Problem, rates: list[Fraction]) -> float:
    """Largest relative error of a level, given the flip probabilities."""
    known = dict[tuple[int, float, Fraction], float]()
    for key in zip(problem.sizes.tolist(), problem.epsilons.tolist(), rates, strict=True):
        if key not in known:
            a, asked, rate = key
            level = log1p(decimal((1 - rate) * (a - 1) / rate - 1, UP), UP)
            known[key] = abs(float(level / Decimal(asked) - 1))
    return max(known.values())


def balls_excess(law: Balls, table: list[int]) -> Decimal:
    """Chances of balls over their probabilities, added up and rounded up, with what draws may add."""
    total = Decimal(0)
    for n, ball in zip(table, law.balls, strict=True):
        more = UP.multiply(UP.divide(Decimal(n), ball_mass(ball)), above_one(ball.units))
        total = UP.add(total, more)
    return total


def ball_mass(ball: Ball) -> Decimal:
    """Probability of a ball, rounded down: the law of the weight in fixed point, in one integer."""
    sizes, states = ball.problem.sizes.tolist(), ball.states
    bits = 256 + math.ceil(-ball.log_mass / math.log(2))
    slot = (bits + COEFFICIENT + 16) // 8
    if 8 * slot * states > BITS:
        return Decimal(0)
    # After a step the lowest bits of a slot stand in the highest of the one below: they are cleared.
    mask = int.from_bytes(
        (b"\xff" * (slot - COEFFICIENT // 8) + b"\0" * (COEFFICIENT // 8)) * states, "little"
    )
    law, dead = 1 << bits, Decimal(1)
    for a, weight in zip(sizes, ball.weights.tolist(), strict=True):
        if weight >= states:
            dead = DOWN.divide(dead, Decimal(a))
            continue
        low = math.floor(weight)
        part, p, one = Fraction(weight) - low, Fraction(a - 1, a), 1 << COEFFICIENT
        more = law * (one // a) + ((law * int(one * p * (1 - part))) << 8 * slot * low)
        if part:
            more += (law * int(one * p * part)) << 8 * slot * (low + 1)
        law = (more >> COEFFICIENT) & mask
    data = law.to_bytes(slot * states, "little")
    found = [int.from_bytes(data[slot * s : slot * (s + 1)], "little") for s in range(states)]
    inside = sum(found[:-1]) + Fraction(ball.edge) * found[-1]
    return DOWN.multiply(decimal(Fraction(inside) / (1 << bits), DOWN), dead)
