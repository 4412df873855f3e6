"""Level and flip probabilities of a sampler as it is, in integers and rounded decimals (chapter any-size).

Nothing here uses a double but as the exact number that it is: sizes, levels, weights, and what the sampler
compares random words with.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from orr.arrays import Floats, Integers
from orr.caps.deep_cells import NestedTables
from orr.caps.ramp import Ramp
from orr.decimals import DOWN, UP, above_one, decimal, log1p, power, sum_up
from orr.laws.ball import Ball
from orr.laws.ball_mixture import BallMixture
from orr.laws.cells import Cells
from orr.laws.law import Law, Lifted
from orr.laws.product import Product
from orr.laws.single_flip import SingleFlip
from orr.laws.split import SplitLaw
from orr.randomness import AliasTable, Categories
from orr_audit.coins import flip_rates

BITS = 4 * 10**9  # of an integer that holds all counts: half a gigabyte
COEFFICIENT = 96  # bits of the chances of a ball in fixed point
ONE = 1 << 1074  # every double of at most 1 is a whole multiple of 2^-1074


def chance(odd: float) -> Fraction:
    """Exact chance that a coin of given odds comes up true (:meth:`orr.randomness.Source.choose`)."""
    value = np.float64(odd)
    if value == math.inf:
        return Fraction(1)
    return Fraction(float(value / (value + 1))) if value < 1 else 1 - Fraction(float(1 / (value + 1)))


def realised(law: Law) -> tuple[Decimal, float, str]:
    """Overall level of the sampler, rounded up, largest error of an attribute's, and how they were found."""
    sizes = law.problem.sizes.tolist()
    if isinstance(law, SplitLaw):
        (one, error, how), (other, small, _) = (realised(part) for part in law.parts)
        return UP.add(one, other), max(error, small), how
    if isinstance(law, Product):
        told = [chance(w) for w in law.problem.w.tolist()]
        levels = [log1p(decimal(a * c / (1 - c), UP), UP) for a, c in zip(sizes, told, strict=True)]
        each = set(zip(sizes, law.problem.epsilons.tolist(), told, strict=True))
        error = max(rate_error((1 - c) * Fraction(a - 1, a), a, asked) for a, asked, c in each)
        return sum_up(levels), error, "sampler in fractions"
    assert isinstance(law, Lifted)
    lifted = chance(law.mass)
    table = category_law(law._categories)
    scale = lifted / (1 - lifted) / (len(table) * ONE)
    if isinstance(law, BallMixture):
        excess = UP.multiply(balls_excess(law, table), decimal(scale, UP))
        error, how = followed_error(law, law.balls, table)
        return log1p(excess, UP), error, f"balls in fixed point, draws as counted, {how}"
    if isinstance(law, Ramp):
        excess = UP.multiply(ramp_excess(law), decimal(lifted / (1 - lifted), UP))
        error, how = followed_error(law, [law], table)
        return log1p(excess, UP), error, f"ramp in fixed point, draws as counted, {how}"
    kinds, of = kinds_of(law)
    records = Decimal(1)
    for a, n in kinds:
        records = UP.multiply(records, power(Decimal(a), n, UP))
    excess = UP.multiply(UP.multiply(highest(law, kinds, table), records), decimal(scale, UP))
    if isinstance(law, Cells):  # a coin for each attribute of a kind, each right to half a unit
        coins = sum(n for _, n in kinds if n > 1)
        excess = UP.multiply(excess, power(above_one(0.5), coins, UP))
    return log1p(excess, UP), listed_error(law, table, kinds, of), "sampler in fractions"


def category_law(categories: Categories) -> list[int] | list[Decimal]:
    """Chance of each category in units of ``1 / (n ONE)``, rounded up where tables are within tables."""
    if isinstance(categories, AliasTable):
        return alias_law(categories.keep, categories.alias)
    assert isinstance(categories, NestedTables)
    n = sum(len(members) for members, _ in categories.tables)
    law, reached = [Decimal(0)] * n, Decimal(n)
    for members, table in categories.tables:
        inside = alias_law(table.keep, table.alias)
        share = UP.divide(reached, Decimal(len(inside)))
        for i, whole in zip(members.tolist(), inside, strict=False):
            law[i] = UP.multiply(Decimal(whole), share)
        reached = UP.divide(UP.multiply(Decimal(inside[-1]), share), Decimal(ONE))
    return law


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


def highest(law: Lifted, kinds: list[tuple[int, int]], table: Sequence[int | Decimal]) -> Decimal:
    """Largest chance of a category, over the number of records in it, rounded up."""
    if isinstance(law, SingleFlip):
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
        assert isinstance(law, Cells)
        ways = []
        for cell in law.cells.tolist():
            product = Decimal(1)
            for number, c in zip(each, cell, strict=True):
                product = DOWN.multiply(product, number[c]) if c else product
            ways.append(product)
    return max(UP.divide(Decimal(n), w) for n, w in zip(table, ways, strict=True))


def listed_error(
    law: Lifted, table: Sequence[int | Decimal], kinds: list[tuple[int, int]], of: list[int]
) -> float:
    """Largest relative error of an attribute's level, where flip sets are listed."""
    flips: list[Any] = list(table[:-1])
    if isinstance(law, Cells):
        flips = [0] * len(kinds)
        for n, cell in zip(table, law.cells.tolist(), strict=True):
            for g, c in enumerate(cell):
                if c:
                    flips[g] += n * c
    ends = list[tuple[Fraction, Fraction]]()
    for (_, n), flip in zip(kinds, flips, strict=True):
        rate = Fraction(flip) / (n * len(table) * ONE)
        coins = Fraction(power(above_one(0.5), n, UP)) if n > 1 else 1  # that place the flips of a kind
        ends.append((rate / coins, rate * coins))
    return level_error(law, [ends[g] for g in of])


def followed_error(
    law: Lifted, parts: Sequence[Ball | Ramp], table: Sequence[int | Decimal]
) -> tuple[float, str]:
    """Largest relative error of an attribute's level, where coins are followed, and how it was found."""
    bits = 256 + math.ceil(float(law.problem.epsilons.max()) / math.log(2))  # the rarest flip has 256 of them
    total, off = [Fraction(0)] * len(law.problem), 0
    for n, part in zip(table, parts, strict=True):
        found = flip_rates(part, bits)
        if found is None:
            return math.inf, "attribute levels unproved: too many coins to follow"
        share = Fraction(n) / (len(table) * ONE << bits)
        total = [rate + share * flips for rate, flips in zip(total, found[0], strict=True)]
        off = max(off, found[1])
    most = Fraction(off, 1 << bits)
    return level_error(
        law, [(max(rate - most, Fraction(0)), rate + most) for rate in total]
    ), "coins in fixed point"


def level_error(law: Lifted, ends: Sequence[tuple[Fraction, Fraction]]) -> float:
    """Largest relative error of an attribute's level, given ends for its rate of flips before repairs."""
    stay = [math.inf] * len(ends) if law.stay is None else law.stay.tolist()
    sizes, levels, worst = law.problem.sizes.tolist(), law.problem.epsilons.tolist(), 0.0
    for a, asked, odd, pair in set(zip(sizes, levels, stay, ends, strict=True)):
        second = chance(law.mass) * chance(odd)  # the chance that the second law has its say
        rates = [(1 - second) * Fraction(a - 1, a) + second * rate for rate in pair]
        worst = max(worst, *(rate_error(rate, a, asked) for rate in rates))
    return worst


def rate_error(rate: Fraction, size: int, asked: float) -> float:
    """Relative error of the level of an attribute that flips at a rate."""
    level = log1p(decimal((1 - rate) * (size - 1) / rate - 1, UP), UP)
    return abs(float(level / Decimal(asked) - 1))


def balls_excess(law: BallMixture, table: Sequence[int | Decimal]) -> Decimal:
    """Chances of balls over their probabilities, added up and rounded up, with what draws may add."""
    total = Decimal(0)
    for n, ball in zip(table, law.balls, strict=True):
        more = UP.multiply(UP.divide(Decimal(n), ball_mass(ball)), above_one(ball.units))
        total = UP.add(total, more)
    return total


def ball_mass(ball: Ball) -> Decimal:
    """Probability of a ball, rounded down."""
    live = ball.weights < ball.states
    weights = ball.weights[live]
    low = np.floor(weights)
    dead = Decimal(1)
    for a in ball.problem.sizes[~live].tolist():
        dead = DOWN.divide(dead, Decimal(a))
    bits = 256 + math.ceil(-ball.log_mass / math.log(2))
    found = weight_law(ball.problem.sizes[live], low, weights - low, ball.states, bits)
    if found is None:
        return Decimal(0)
    inside = sum(Fraction(share) * n for share, n in zip(ball.inside.tolist(), found, strict=True) if n)
    return DOWN.multiply(decimal(Fraction(inside) / (1 << bits), DOWN), dead)


def ramp_excess(law: Ramp) -> Decimal:
    """Largest excess of a ramp over its mean, rounded up, with what draws may add."""
    bits = 256 + math.ceil(law.level / math.log(2))
    found = weight_law(law.problem.sizes, law.ramp.low, law.ramp.part, len(law.log_excess), bits)
    mean = Decimal(0)
    for count, log_excess in zip(found or [], law.log_excess.tolist(), strict=found is not None):
        mean = DOWN.add(mean, DOWN.multiply(Decimal(count), DOWN.next_minus(DOWN.exp(Decimal(log_excess)))))
    mean = DOWN.divide(mean, Decimal(1 << bits))
    top = UP.next_plus(UP.exp(Decimal(float(law.log_excess.max()))))
    return UP.multiply(UP.divide(top, mean), above_one(law.coins))


def weight_law(
    sizes: Integers, low: Floats | Integers, part: Floats, states: int, bits: int
) -> list[int] | None:
    """Law of the weight of random flips in units of ``2^-bits``, rounded down, by way of one integer."""
    slot = (bits + COEFFICIENT + 16) // 8
    if 8 * slot * states > BITS:
        return None
    # After a step the lowest bits of a slot stand in the highest of the one below: they are cleared.
    mask = int.from_bytes(
        (b"\xff" * (slot - COEFFICIENT // 8) + b"\0" * (COEFFICIENT // 8)) * states, "little"
    )
    law, one = 1 << bits, 1 << COEFFICIENT
    for a, weight, share in zip(sizes.tolist(), low.tolist(), part.tolist(), strict=True):
        p, shift = Fraction(a - 1, a), 8 * slot * int(weight)
        more = law * (one // a)
        if weight < states:
            more += (law * int(one * p * (1 - Fraction(share)))) << shift
            more += (law * int(one * p * Fraction(share))) << (shift + 8 * slot)
        law = (more >> COEFFICIENT) & mask
    data = law.to_bytes(slot * states, "little")
    return [int.from_bytes(data[slot * s : slot * (s + 1)], "little") for s in range(states)]
