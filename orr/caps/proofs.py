"""Proofs that no mechanism under caps has a smaller overall level, and their checks (chapter price).

Each proof is checked from its few numbers alone, by a path of its own: in decimals rounded outward, or
in plain logarithms where there are too many weights for that. Caps are ``(1 + slack) * epsilons``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction

import numpy as np
import scipy

from orr.arrays import Floats, Integers
from orr.decimals import DOWN, UP, decimal, odds, power
from orr.optimum.verify import log_convolved
from orr.problem import Kinds, Problem
from orr.rounding import ULP

Proved = tuple[Decimal, str]


def _flip(size: int, level: float) -> Decimal:
    """Return the flip probability of a level, rounded up."""
    return decimal(Fraction(size - 1) / (odds(level)[0] + size), UP)


def _factor(level: float, slack: float) -> Decimal:
    """Return the largest factor between neighbours, rounded up."""
    return UP.next_plus(UP.exp(UP.multiply(UP.add(Decimal(1), Decimal(slack)), Decimal(level))))


def _level(losses: Decimal, gains: Decimal) -> Decimal:
    """Return the logarithm of losses over gains, rounded down."""
    quotient = DOWN.divide(losses, gains)
    return DOWN.next_minus(DOWN.ln(quotient)) if quotient.is_finite() and quotient > 0 else Decimal(0)


@dataclass(frozen=True)
class Alone:
    """There is no slack, or only one attribute: then the Kronecker mechanism is the only one."""

    def proved(self, problem: Problem, slack: float) -> Proved:
        """Return the level of that mechanism, rounded down, and how it is proved."""
        total = sum(map(Fraction, problem.epsilons.tolist()), Fraction(0))
        return decimal(total if slack == 0 or len(problem) == 1 else Fraction(0), DOWN), "levels added up"


@dataclass(frozen=True)
class Head:
    """Equal attributes: the head ends in a cell, and has a share of it (:mod:`orr.caps.equal_attributes`)."""

    last: int
    share: float

    def proved(self, problem: Problem, slack: float) -> Proved:
        """Move gains beyond the head along the caps, cell by cell, until losses use them up."""
        n, size, level = len(problem), int(problem.sizes[0]), float(problem.epsilons[0])
        alike = (problem.sizes == size).all() and (problem.epsilons == level).all()
        radius, factor = UP.multiply(_flip(size, level), Decimal(n)), _factor(level, slack)
        gains, losses, moved = Decimal(0), Decimal(0), Decimal(0)
        many, few = Decimal(1), Decimal(1)  # records with j flips, rounded up and down
        for j in range(n + 1):
            apart = UP.subtract(radius, Decimal(j))
            gain = UP.multiply(many if apart > 0 else few, apart)
            if j <= self.last:
                kept = UP.multiply(gain, Decimal(self.share)) if j == self.last else gain
                gains, moved = UP.add(gains, kept), UP.subtract(gain, kept)
            else:
                moved = UP.add(gain, UP.multiply(moved, factor))
                losses = DOWN.subtract(losses, min(moved, Decimal(0)))
                moved = max(moved, Decimal(0))
            ways = Decimal((n - j) * (size - 1)), Decimal(j + 1)
            many = UP.divide(UP.multiply(many, ways[0]), ways[1])
            few = DOWN.divide(DOWN.multiply(few, ways[0]), ways[1])
        proper = alike and self.last < radius and 0 <= self.share <= 1
        proved = _level(losses, UP.add(gains, moved)) if proper else Decimal(0)
        return proved, "gains moved along the caps in decimals"


@dataclass(frozen=True, eq=False)
class Prices:
    """Few cells: weights of the kinds' flips, prices of pairs of neighbours (:mod:`orr.caps.linear_program`).

    ``pairs`` has rows of the likelier cell, the other one, and the kind in which they differ; cells are
    numbered in the order of ``numpy.indices``.
    """

    weights: Floats
    pairs: Integers
    log_prices: Floats

    def proved(self, problem: Problem, slack: float) -> Proved:
        """Add up what weights and prices leave at each cell."""
        kinds = Kinds(problem)
        shape = tuple((kinds.count + 1).tolist())
        ends = [np.array(np.unravel_index(self.pairs[:, end], shape)) for end in (0, 1)]
        apart = np.abs(ends[0] - ends[1])
        if not ((apart.sum(axis=0) == 1).all() and apart[self.pairs[:, 2], np.arange(len(self.pairs))].all()):
            return Decimal(0), "a price of cells that are not neighbours"
        rest = self._gains(kinds, shape)
        factor = [_factor(e, slack) for e in kinds.problem.epsilons.tolist()]
        for (one, other, g), log_price in zip(self.pairs.tolist(), self.log_prices.tolist(), strict=True):
            price = UP.exp(Decimal(log_price))
            rest[one] = UP.subtract(rest[one], price)
            rest[other] = UP.add(rest[other], UP.multiply(price, factor[g]))
        gains, losses = Decimal(0), Decimal(0)
        for value in rest:
            gains = UP.add(gains, max(value, Decimal(0)))
            losses = DOWN.subtract(losses, min(value, Decimal(0)))
        return _level(losses, gains), "weights and prices in decimals"

    def _gains(self, kinds: Kinds, shape: tuple[int, ...]) -> list[Decimal]:
        """Return for each cell its probability times what the weights gain there, rounded up."""
        sizes, counts = kinds.problem.sizes.tolist(), kinds.count.tolist()
        flip = [_flip(a, e) for a, e in zip(sizes, kinds.problem.epsilons.tolist(), strict=True)]
        weights = [Decimal(max(w, 0.0)) for w in self.weights.tolist()]
        many, few = (
            [_chances(n, a, context) for n, a in zip(counts, sizes, strict=True)] for context in (UP, DOWN)
        )
        result = []
        for cell in np.ndindex(shape):
            gain, chances = Decimal(0), (Decimal(1), Decimal(1))
            for g, c in enumerate(cell):
                apart = UP.subtract(flip[g], DOWN.divide(Decimal(c), Decimal(counts[g])))
                gain = UP.add(gain, UP.multiply(weights[g], apart))
                chances = UP.multiply(chances[0], many[g][c]), DOWN.multiply(chances[1], few[g][c])
            result.append(UP.multiply(gain, chances[0] if gain > 0 else chances[1]))
        return result


def _chances(n: int, size: int, context: Context) -> list[Decimal]:
    """Return the probabilities of 0, ..., n flips among n equal attributes of a random record."""
    other = DOWN if context is UP else UP
    chances = [context.divide(Decimal(1), power(Decimal(size), n, other))]
    for c in range(n):
        more = context.multiply(chances[-1], Decimal((n - c) * (size - 1)))
        chances.append(context.divide(more, Decimal(c + 1)))
    return chances


@dataclass(frozen=True, eq=False)
class Thresholds:
    """Many attributes: whole weights of their flips, and two thresholds (:mod:`orr.caps.ramp_search`)."""

    weights: Integers
    low: float
    high: int

    def proved(self, problem: Problem, slack: float) -> Proved:
        """Add up both sides of both inequalities, in plain logarithms."""
        y, levels, sizes = self.weights, problem.epsilons, problem.sizes
        caps = np.minimum((1 + min(slack, 1e300)) * levels, levels.sum()) * (1 + 2 * ULP)  # rounded up
        truth, states = -np.logaddexp(0, np.log(sizes - 1) - caps), int(y.sum()) + 1
        uniform = log_convolved(y, -np.log(sizes), np.log1p(-1 / sizes), states)
        capped = log_convolved(y, truth, np.log(sizes - 1) - caps + truth, states)
        score = np.arange(states)
        with np.errstate(divide="ignore"):
            below, above = np.log(np.maximum(self.low - score, 0)), np.log(np.maximum(score - self.high, 0))
        apart = y @ (problem.truth * np.exp(np.log(sizes - 1) - levels + truth) * -np.expm1(levels - caps))
        left, right = (
            scipy.special.logsumexp(capped + below),
            np.logaddexp(math.log(apart), scipy.special.logsumexp(capped + above)),
        )
        proper = self.low <= self.high and left >= right - 1e-12 * abs(right) and y.min() >= 0
        proved = (
            scipy.special.logsumexp(uniform + above) - scipy.special.logsumexp(uniform + below)
            if proper
            else 0.0
        )
        return Decimal(float(proved)), "weights and thresholds in plain logarithms"


Proof = Alone | Head | Prices | Thresholds
