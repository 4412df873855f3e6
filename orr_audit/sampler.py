"""Level and flip rates of a sampler as implemented, in integers and rounded decimals (chapter any-size).

A double is used only as the exact number that it is: levels, weights, and the probabilities that the sampler
compares random words with. Balls and ramps draw the attributes one after the other, and the next coin depends
only on the room left for the weights of flips. So the law of the room is followed through all attributes in
whole numbers, and split at every coin by the double that the coin compares with.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from orr.arrays import Array, Floats, Integers
from orr.caps.deep_cells import NestedTables
from orr.caps.ramp import Ramp, sides
from orr.decimals import DOWN, UP, above_one, decimal, log1p, power, sum_up
from orr.laws.ball import Ball
from orr.laws.ball_mixture import BallMixture
from orr.laws.cells import Cells
from orr.laws.law import Law, Lifted
from orr.laws.product import Product
from orr.laws.single_flip import SingleFlip
from orr.laws.split import SplitLaw
from orr.randomness import AliasTable, Categories
from orr_audit.bound import MAX_PACKED_BITS

Sides = tuple[Floats, Floats]  # the odds that a coin comes up true, and what they are against

UNITS_OF_ONE = 1 << 1074  # Every double up to 1 is a whole multiple of 2^-1074, the smallest double.
COEFFICIENT_BITS = 96  # Chances of a ball in fixed point are rounded by 2^-96; a double has 2^-53.
GUARD_BITS = 256  # Probabilities keep this many bits more than the rarest event needs.
MAX_FOLLOWED_STATES = 10**8  # Following a law of the room through more attributes times states takes minutes.


def chance(odds: float) -> Fraction:
    """Return the exact probability that a coin of these odds comes up true (`Source.choose`)."""
    value = np.float64(odds)
    if value == math.inf:
        return Fraction(1)
    return Fraction(float(value / (value + 1))) if value < 1 else 1 - Fraction(float(1 / (value + 1)))


def realised(law: Law) -> tuple[Decimal, float, str]:
    """Return the overall level, rounded up, the largest error of an attribute's level, and the method."""
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
    scale = lifted / (1 - lifted) / (len(table) * UNITS_OF_ONE)
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
    if isinstance(law, Cells):  # Each attribute of a kind has a coin, which is right to half a unit.
        coins = sum(n for _, n in kinds if n > 1)
        excess = UP.multiply(excess, power(above_one(0.5), coins, UP))
    return log1p(excess, UP), listed_error(law, table, kinds, of), "sampler in fractions"


def category_law(categories: Categories) -> list[int] | list[Decimal]:
    """Return the probability of each of n categories, times ``n * UNITS_OF_ONE``; rounded up if nested."""
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
        reached = UP.divide(UP.multiply(Decimal(inside[-1]), share), Decimal(UNITS_OF_ONE))
    return law


def alias_law(keep: Floats, alias: Integers) -> list[int]:
    """Return the probability of each of n categories of an alias table, times ``n * UNITS_OF_ONE``."""
    whole = [n * (UNITS_OF_ONE // d) for n, d in (x.as_integer_ratio() for x in keep.tolist())]
    law = list(whole)
    for i, j in enumerate(alias.tolist()):
        law[j] += UNITS_OF_ONE - whole[i]
    return law


def kinds_of(law: Lifted) -> tuple[list[tuple[int, int]], list[int]]:
    """Return the size and number of the attributes of each kind, and the kind of each attribute."""
    if isinstance(law, Cells):
        sizes, counts = law.kinds.problem.sizes.tolist(), law.kinds.count.tolist()
        return list(zip(sizes, counts, strict=True)), law.kinds.of.tolist()
    return [(a, 1) for a in law.problem.sizes.tolist()], list(range(len(law.problem)))


def highest(law: Lifted, kinds: list[tuple[int, int]], table: Sequence[int | Decimal]) -> Decimal:
    """Return the largest probability of a category over the number of its records, rounded up."""
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
    """Return the largest relative error of an attribute's level from the flip sets listed."""
    flips: list[Any] = list(table[:-1])
    if isinstance(law, Cells):
        flips = [0] * len(kinds)
        for n, cell in zip(table, law.cells.tolist(), strict=True):
            for g, c in enumerate(cell):
                if c:
                    flips[g] += n * c
    ends = list[tuple[Fraction, Fraction]]()
    for (_, n), flip in zip(kinds, flips, strict=True):
        rate = Fraction(flip) / (n * len(table) * UNITS_OF_ONE)
        coins = Fraction(power(above_one(0.5), n, UP)) if n > 1 else 1  # The coins place the flips of a kind.
        ends.append((rate / coins, rate * coins))
    return level_error(law, [ends[g] for g in of])


def followed_error(
    law: Lifted, parts: Sequence[Ball | Ramp], table: Sequence[int | Decimal]
) -> tuple[float, str]:
    """Return the largest relative error of an attribute's level from its coins, and how it was found."""
    bits = GUARD_BITS + math.ceil(float(law.problem.epsilons.max()) / math.log(2))
    total, off = [Fraction(0)] * len(law.problem), 0
    for n, part in zip(table, parts, strict=True):
        found = flip_rates(part, bits)
        if found is None:
            return math.inf, "attribute levels unproved: too many coins to follow"
        share = Fraction(n) / (len(table) * UNITS_OF_ONE << bits)
        total = [rate + share * flips for rate, flips in zip(total, found[0], strict=True)]
        off = max(off, found[1])
    most = Fraction(off, 1 << bits)
    return level_error(
        law, [(max(rate - most, Fraction(0)), rate + most) for rate in total]
    ), "coins in fixed point"


def level_error(law: Lifted, ends: Sequence[tuple[Fraction, Fraction]]) -> float:
    """Return the largest relative error of a level, from bounds of the flip rates before repairs."""
    stay = [math.inf] * len(ends) if law.stay is None else law.stay.tolist()
    sizes, levels, worst = law.problem.sizes.tolist(), law.problem.epsilons.tolist(), 0.0
    for a, asked, odd, pair in set(zip(sizes, levels, stay, ends, strict=True)):
        second = chance(law.mass) * chance(odd)  # the probability that the second law decides
        rates = [(1 - second) * Fraction(a - 1, a) + second * rate for rate in pair]
        worst = max(worst, *(rate_error(rate, a, asked) for rate in rates))
    return worst


def rate_error(rate: Fraction, size: int, asked: float) -> float:
    """Return the relative error of the level of an attribute that flips at this rate."""
    level = log1p(decimal((1 - rate) * (size - 1) / rate - 1, UP), UP)
    return abs(float(level / Decimal(asked) - 1))


def balls_excess(law: BallMixture, table: Sequence[int | Decimal]) -> Decimal:
    """Return the sum of the balls' shares over their probabilities, with the draws' margin, rounded up."""
    total = Decimal(0)
    for n, ball in zip(table, law.balls, strict=True):
        more = UP.multiply(UP.divide(Decimal(n), ball_mass(ball)), above_one(ball.units))
        total = UP.add(total, more)
    return total


def ball_mass(ball: Ball) -> Decimal:
    """Return the probability of a ball, rounded down."""
    live = ball.weights < ball.states
    weights = ball.weights[live]
    low = np.floor(weights)
    dead = Decimal(1)
    for a in ball.problem.sizes[~live].tolist():
        dead = DOWN.divide(dead, Decimal(a))
    bits = GUARD_BITS + math.ceil(-ball.log_mass / math.log(2))
    found = weight_law(ball.problem.sizes[live], low, weights - low, ball.states, bits)
    if found is None:
        return Decimal(0)
    inside = sum(Fraction(share) * n for share, n in zip(ball.inside.tolist(), found, strict=True) if n)
    return DOWN.multiply(decimal(Fraction(inside) / (1 << bits), DOWN), dead)


def ramp_excess(law: Ramp) -> Decimal:
    """Return the largest excess of a ramp over its mean, rounded up, with the margin of the draws."""
    bits = GUARD_BITS + math.ceil(law.level / math.log(2))
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
    """Return the law of the weight of random flips in units of ``2^-bits``, rounded down.

    All probabilities stand side by side in one integer; None if that would be too long.
    """
    slot = (bits + COEFFICIENT_BITS + 16) // 8
    if 8 * slot * states > MAX_PACKED_BITS:
        return None
    # After a step the lowest bits of a slot stand in the highest bits of the slot below; they are cleared.
    mask = int.from_bytes(
        (b"\xff" * (slot - COEFFICIENT_BITS // 8) + b"\0" * (COEFFICIENT_BITS // 8)) * states, "little"
    )
    law, one = 1 << bits, 1 << COEFFICIENT_BITS
    for a, weight, share in zip(sizes.tolist(), low.tolist(), part.tolist(), strict=True):
        p, shift = Fraction(a - 1, a), 8 * slot * int(weight)
        more = law * (one // a)
        if weight < states:
            more += (law * int(one * p * (1 - Fraction(share)))) << shift
            more += (law * int(one * p * Fraction(share))) << (shift + 8 * slot)
        law = (more >> COEFFICIENT_BITS) & mask
    data = law.to_bytes(slot * states, "little")
    return [int.from_bytes(data[slot * s : slot * (s + 1)], "little") for s in range(states)]


def flip_rates(law: Ball | Ramp, bits: int) -> tuple[list[int], int] | None:
    """Return each flip rate in units of ``2^-bits``, and a bound of its error in units.

    None if there are too many coins. Every coin moves less than a unit from one side to the other, so no rate
    is off by more units than there are coins.

    Examples
    --------
    >>> from orr.problem import Problem
    >>> ball = Ball(Problem([2, 2, 2], [1.0, 1.0, 1.0]), np.ones(3), 2)  # no flip or one, of three
    >>> flips, _ = flip_rates(ball, 64)
    >>> [round(flip / 2**64, 12) for flip in flips]
    [0.25, 0.25, 0.25]
    """
    states = law.states if isinstance(law, Ball) else len(law.log_excess)
    if states * len(law.problem) > MAX_FOLLOWED_STATES:
        return None
    room, flips, coins = np.zeros(states, dtype=object), [0] * len(law.problem), 0
    room[-1] = 1 << bits
    for i, weight, lie, further in _coins(law):
        here = np.flatnonzero(room)
        flipped = split(room[here], *(side[here] for side in lie))
        room[here] -= flipped
        here, flipped = here[flipped != 0], flipped[flipped != 0]
        far = split(flipped, *(side[here] for side in further))
        room[here - weight] += flipped - far
        room[here[far != 0] - weight - 1] += far[far != 0]
        flips[i] = sum(flipped.tolist())
        coins += 2 * states
    return flips, coins


def _coins(law: Ball | Ramp) -> Iterator[tuple[int, int, Sides, Sides]]:
    """Yield each attribute, its weight, and the odds of its two coins at each room.

    The first coin decides whether the attribute flips, the second whether its weight is rounded up.
    """
    if isinstance(law, Ball):
        for place, (truth, near, far) in law.steps():
            yield int(law.live[place]), int(law.low[place]), (near + far, truth), (far, near)
        return
    for i, (truth, near, far) in law.steps():
        with np.errstate(invalid="ignore"):  # No coin is tossed where there is no room.
            lie, further = sides(np.logaddexp(near, far), truth), sides(far, near)
        yield i, int(law.ramp.low[i]), lie, further


def split(whole: Array, odds: Floats, against: Floats) -> Array:
    """Return the part of whole numbers for which a coin comes up true (`Source.choose`).

    Examples
    --------
    >>> split(np.array([1000, 1000], dtype=object), np.array([1.0, 3.0]), np.array([3.0, 1.0]))
    array([250, 750], dtype=object)
    """
    rare = odds < against
    digits, exponent = np.frexp(np.where(rare, odds, against) / (odds + against))
    exact = np.ldexp(digits, 53).astype(np.int64).astype(object)
    part = (whole * exact) >> (53 - exponent).astype(object)
    return np.where(rare, part, whole - part)
