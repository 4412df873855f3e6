"""The paper's inductive heuristic, in linear time (chapter induction)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from orr.arrays import Floats, frozen
from orr.constructions.two_attribute import closed_form
from orr.laws.law import Law
from orr.laws.single_flip import SingleFlip
from orr.mechanism import Mechanism
from orr.optimum.single_flip import single_flips
from orr.problem import LevelsLike, Problem, SizesLike
from orr.randomness import minus
from orr.rounding import ULP

FIRST_BLOCK = 64  # attributes; blocks double, so that those that fall back are found in linear time


class Inductive(Mechanism):
    """The mechanism of the heuristic; ``fell_back`` marks attributes without the level asked."""

    fell_back: NDArray[np.bool_]

    def __init__(self, law: Law, asked: Problem, fell_back: NDArray[np.bool_]) -> None:
        super().__init__(law, asked, "inductive")
        vars(self)["fell_back"] = frozen(fell_back)


def inductive(sizes: SizesLike, epsilons: LevelsLike) -> Inductive:
    """Add the attributes one at a time to the closed form of the first two.

    Algorithm 3 of Yamamoto and Shibuya (2024), in the scaled variables
    ``z_j = (x_j - 1) / (a_1 ... a_i)``, which no later step changes:

    1. The closed form for attributes 1 and 2 gives ``z_0``, ``z_1``, ``z_2`` and the mass
       ``M = z_0 + sum((a_j - 1) z_j)``, fixed from then on.
    2. Attribute ``i`` gets its level from ``z_i = (M - w_i) / (a_i (1 + w_i))``, paid for by the
       truth: ``z_0`` falls by ``(a_i - 1) z_i``.
    3. If ``z_i`` is negative, or ``z_0`` would fall below some ``z_j``, the attribute *falls
       back*: ``z_i = 0``, and its level becomes ``log(1 + a_i M)``, whatever was asked.

    The result depends on the order of the attributes. Compare it with other mechanisms at the
    levels it achieved, ``epsilons``.

    Parameters
    ----------
    sizes : sequence of int
        Number of values of each attribute, at least two attributes.
    epsilons : sequence of float
        Level asked for each attribute, in nats.

    Returns
    -------
    Inductive
        ``fell_back`` marks the attributes whose level is not the one asked.

    Examples
    --------
    >>> heuristic = inductive([2, 3, 4], [1.0, 1.5, 2.0])
    >>> heuristic.fell_back, heuristic.epsilons.round(4)
    (array([False, False,  True]), array([1.    , 1.5   , 1.7303]))
    """
    asked = Problem(sizes, epsilons)
    if len(asked) < 2:
        raise ValueError("inductive needs at least 2 attributes; for one, use kronecker")
    _, base_z0, base_z, _ = closed_form(Problem(asked.sizes[:2], asked.epsilons[:2]))
    mass = math.fsum([*((asked.sizes[:2] - 1) * base_z), base_z0])
    z = single_flips(asked, mass)
    z[np.abs(mass - asked.w) <= 16 * ULP * mass] = 0
    z[:2] = base_z
    fell_back, z0 = _fall_back(z, (asked.sizes - 1) * z, base_z0)
    z[fell_back] = 0

    levels = asked.epsilons.copy()
    levels[fell_back] = np.logaddexp(0, np.log(asked.sizes[fell_back]) + math.log(mass))
    return Inductive(SingleFlip.beside(Problem.achieved(asked.sizes, levels), z0, z), asked, fell_back)


def _fall_back(z: Floats, prices: Floats, z0: float) -> tuple[NDArray[np.bool_], float]:
    """Return which attributes the truth cannot pay for, in the order given, and the rest of its mass."""
    fell_back, top, low = z < 0, float(z[:2].max()), 0.0
    tie = 4 * ULP * z0
    start, size = 2, FIRST_BLOCK
    while start < len(z):
        block = slice(start, start + size)
        # The mass of the truth only falls: what it cannot pay for now, it cannot pay for later.
        hopeless = (z0 + low - prices[block] < np.maximum(top, z[block]) - tie) & (z[block] > 0)
        fell_back[block] |= hopeless
        for i in (np.flatnonzero(~hopeless & (z[block] > 0)) + start).tolist():
            left, error = minus(z0, prices.item(i))
            highest = max(top, z.item(i))
            if left + (low + error) < highest - tie:
                fell_back[i] = True
            else:
                z0, low, top = left, low + error, highest
        start, size = start + size, 2 * size
    return fell_back, z0 + low
