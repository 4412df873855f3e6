"""Flip rates of balls and ramps as they are drawn, coin by coin, in whole numbers (chapter any-size).

The attributes are drawn one after the other, and all that the next coin depends on is the room left for the
weights of flips. So the law of the room is followed through all attributes, split at every coin by the
double that random words are compared with.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from orr.arrays import Array, Floats
from orr.caps.ramp import Ramp, sides
from orr.laws.ball import Ball

Sides = tuple[Floats, Floats]
MOST = 10**8  # attributes times states that are followed: a minute or two


def flip_rates(law: Ball | Ramp, bits: int) -> tuple[list[int], int] | None:
    """Chance of each attribute to flip in units of ``2^-bits``, and by how many units it may be off.

    None if there are too many coins. Every coin shifts less than a unit from one side to the other, so
    no chance is off by more units than there are coins.

    Examples
    --------
    >>> from orr.problem import Problem
    >>> ball = Ball(Problem([2, 2, 2], [1.0, 1.0, 1.0]), np.ones(3), 2)  # no flip or one, of three
    >>> flips, _ = flip_rates(ball, 64)
    >>> [round(flip / 2**64, 12) for flip in flips]
    [0.25, 0.25, 0.25]
    """
    states = law.states if isinstance(law, Ball) else len(law.log_excess)
    if states * len(law.problem) > MOST:
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
    """Give each attribute, its weight, and at each room the two sides of its coins.

    The first coin tells whether the attribute flips, the second whether it does with the next weight.
    """
    if isinstance(law, Ball):
        for place, (truth, near, far) in law.steps():
            yield int(law.live[place]), int(law.low[place]), (near + far, truth), (far, near)
        return
    for i, (truth, near, far) in law.steps():
        with np.errstate(invalid="ignore"):  # where there is no room, no coin is tossed
            lie, further = sides(np.logaddexp(near, far), truth), sides(far, near)
        yield i, int(law.ramp.low[i]), lie, further


def split(whole: Array, odds: Floats, against: Floats) -> Array:
    """Part of whole numbers for which a coin comes up true (:meth:`orr.randomness.Source.choose`).

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
