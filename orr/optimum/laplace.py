"""Expectations over all flip sets: cell by cell, or by inverting a Laplace transform (chapter path).

The smooth problem and its words are explained in :mod:`orr.optimum.central_path`. Weights are in widths of
the edge.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from orr.arrays import Floats, Integers
from orr.problem import Kinds
from orr.rounding import Unsound

Complex = NDArray[np.complex128]
Blocks = Iterator[tuple[Complex, Complex, Complex]]

DROPPED_LOG = 34.0  # terms below e^-34 of the largest are dropped: 8 units
# A transform is evaluated in blocks of about 100,000 numbers, and of at least 64 points.
BLOCK_NUMBERS = 100_000
MIN_BLOCK_POINTS = 64
# A transform of 4 million numbers takes tenths of a second, one of 40 million takes seconds, as long as the
# second derivatives have at most 250 columns. A point itself takes as long as 20 numbers.
QUICK_NUMBERS = 4_000_000
MAX_NUMBERS = 40_000_000
CHEAP_COLUMNS = 250
POINT_NUMBERS = 20
MIN_NUMBERS = 3_000_000  # a transform whose last points are negligible ends after this many numbers
SUMMED_CELLS_LOG2 = 16  # at most 2^16 cells are counted one by one, in a hundredth of a second


class TooFine(Unsound):
    """The edge is too narrow beside the ball: a transform would need too many points."""


class Dense:
    """The second derivatives of the smooth expectation, divided by ``E[g]``, as a full matrix."""

    def __init__(self, matrix: Floats) -> None:
        self.matrix, self.diagonal = matrix, np.diag(matrix)

    def scaled(self, scale: Floats, more: Floats | float = 0.0) -> Dense:
        """Scale rows and columns, then add ``more`` to the diagonal."""
        with np.errstate(over="ignore", invalid="ignore"):  # a system with such entries has no solution
            return Dense(self.matrix * np.outer(scale, scale) + np.diag(np.zeros(len(scale)) + more))

    def solve(self, right: Floats) -> Floats:
        """Solve the linear system with this matrix."""
        return np.linalg.solve(self.matrix, right).astype(np.float64, copy=False)


class Thin:
    """The same as a diagonal plus a matrix of low rank, solved by Woodbury's formula.

    They are ``diag(own) + columns @ diag(sign) @ columns.T``, with signs of 1 and -1.
    """

    def __init__(self, own: Floats, columns: Floats, sign: Floats) -> None:
        self.own, self.columns, self.sign = own, columns, sign
        self.diagonal = own + columns**2 @ sign

    def scaled(self, scale: Floats, more: Floats | float = 0.0) -> Thin:
        """Scale rows and columns, then add ``more`` to the diagonal."""
        return Thin(self.own * scale**2 + more, self.columns * scale[:, None], self.sign)

    def solve(self, right: Floats) -> Floats:
        """Solve the linear system with this matrix."""
        own = np.maximum(self.own, 1e-12)[:, None]  # the diagonal is scaled to 1
        inner = np.diag(self.sign) + self.columns.T @ (self.columns / own)
        return right / own - self.columns / own @ np.linalg.solve(inner, self.columns.T @ (right / own))


@dataclass(frozen=True, eq=False)
class Point:
    """Logarithms of ``E[g]`` and of the smooth expectation, and its derivatives divided by ``E[g]``."""

    log_mass: float
    log_soft: float
    slope: Floats
    bend: Callable[[], Dense | Thin]


class CellSum:
    """Expectations summed cell by cell, which is faster where cells are few."""

    def __init__(self, kinds: Kinds, load: Floats, need: Floats, cells: Integers) -> None:
        self.load, self.need, self.pull, self.max_numbers = load, need, load - cells, MAX_NUMBERS
        self.log_uniform = kinds.log_uniform(cells)

    def at(self, weights: Floats) -> Point:
        """Return the expectations at some weights; cells whose terms are negligible are skipped."""
        x = self.pull @ weights
        log_g = self.log_uniform + np.minimum(x, 0)  # up to a factor between 1/2 and 1
        top = float(log_g.max())
        (near,) = np.nonzero(log_g > top - 2 * DROPPED_LOG)
        x, most = x[near], np.exp(log_g[near] - top)
        less = np.exp(-np.abs(x))
        g, log_less = most / (1 + less), np.log1p(less)
        mass, rest = float(g.sum()), np.divide(log_less, less, out=np.ones_like(x), where=less > 0)
        soft = float(most @ np.where(x < 0, rest, x + log_less))
        if not 0 < soft < math.inf:
            raise Unsound("the probability of a ball underflows")
        all_g = np.zeros(len(self.pull))
        all_g[near] = g

        def bend() -> Dense:
            edge = np.abs(x) < 2 * DROPPED_LOG
            pull = self.pull[near[edge]]
            return Dense((pull * (g / mass * scipy.special.expit(-x))[edge, None]).T @ pull)

        return Point(top + math.log(mass), top + math.log(soft), all_g @ self.pull / mass, bend)


class Transform:
    """Expectations over all flip sets at once, by inverting the Laplace transform of their weight.

    With ``T`` for the threshold and ``Y`` for the weight of the flips of a uniformly random record,

        E[g(T - Y)] = 1 / (2 pi i) * integral of exp(s T) E[exp(-s Y)] pi / sin(pi s) ds

    along any line where the real part of ``s`` is between 0 and 1: that of the saddle point, where the
    integrand hardly oscillates. ``E[exp(-s Y)]`` is a product over attributes. For the smooth expectation
    divide by ``s``, for the edge multiply by it, and for a flip of an attribute multiply by its chance in
    that product. The sum over equidistant points is accurate to the digits of doubles if the points are
    so dense that the next image of the law, a period away, is negligible.
    """

    def __init__(self, kinds: Kinds, load: Floats, need: Floats) -> None:
        self.load, self.need, self.max_numbers = load, need, MAX_NUMBERS
        self.count = kinds.count.astype(float)
        self.several = np.flatnonzero(kinds.count > 1)
        self.log_others = np.log(kinds.problem.sizes - 1)
        self.log_records = float(self.count @ np.log(kinds.problem.sizes))

    def _saddle(self, weights: Floats) -> tuple[float, float]:
        """Return the minimum of the integrand on the real line, and the period that is needed."""
        radius = float(weights @ self.load)
        if not radius < math.inf:
            raise Unsound("weights overflow")

        def rise(s: float) -> float:
            mean = self.count @ (weights * scipy.special.expit(self.log_others - s * weights))
            return radius - float(mean) - math.pi / math.tan(math.pi * s)

        low = high = 0.5
        while rise(low) > 0:
            low /= 2
        while rise(high) < 0:
            high = (high + 1) / 2
        saddle = low if low == high else float(scipy.optimize.brentq(rise, low, high, rtol=1e-6))
        part = np.arange(1, 20) / 20
        s = np.concatenate([[saddle], saddle * part, saddle + (1 - saddle) * part**2])
        height = s * radius - np.log(np.sin(math.pi * s))
        height += self.count @ np.logaddexp(0, self.log_others[:, None] - np.multiply.outer(weights, s))
        reach = (DROPPED_LOG + height[1:] - height[0]) / np.abs(s[1:] - saddle)
        return saddle, float(max(np.nanmin(reach[:19]), np.nanmin(reach[19:])))

    def _blocks(self, weights: Floats, saddle: float, period: float) -> Blocks:
        """Yield blocks of points: the points, the integrand over its value at the saddle, the flips.

        Negligible points are left out. From point to point all odds turn by the same angles, so they are
        turned one block at a time.
        """
        step, radius = 2 * math.pi / period, float(weights @ self.load)
        last = math.ceil(DROPPED_LOG / math.pi / step) + 1
        capped = np.minimum(weights, 800 / saddle)[:, None]  # odds of e^-800 are 0 in any case
        odds = np.exp(self.log_others[:, None] - capped * saddle)
        points = min(max(MIN_BLOCK_POINTS, BLOCK_NUMBERS // len(weights)), last)
        turn, kept = odds * np.exp(-1j * step * capped * np.arange(points)), 0
        for first in range(0, last, points):
            s = saddle + 1j * step * np.arange(first, min(first + points, last))
            turned = turn[:, : len(s)] * np.exp(-1j * step * first * capped)
            chance = (1 + turned) / (1 + odds)
            chance[self.several] **= self.count[self.several, None]
            share = chance.prod(axis=0) * np.exp((s - saddle) * radius) / np.sin(math.pi * s)
            near = np.abs(share) > math.exp(-DROPPED_LOG) / math.sin(math.pi * saddle)
            share[0] /= 1 if first else 2
            kept += int(np.count_nonzero(near))
            columns = min(2 * kept, len(weights))
            numbers = kept * (len(weights) + POINT_NUMBERS) * max(1.0, columns / CHEAP_COLUMNS)
            if numbers > self.max_numbers:
                raise TooFine
            if near.any():
                yield s[near], share[near], turned[:, near] / (1 + turned[:, near])
            elif first * len(weights) > MIN_NUMBERS:
                return

    def at(self, weights: Floats) -> Point:
        """Return the expectations at some weights."""
        saddle, period = self._saddle(weights)
        mass, soft, points, pulled = 0.0, 0.0, 0, np.zeros(len(weights))
        for s, share, flips in self._blocks(weights, saddle, period):
            points += len(s)
            mass += float(share.sum().real)
            soft += float((share / s).sum().real)
            pulled += self.load * share.sum().real - self.count * (flips @ share).real
        if not (mass > 0 and soft > 0):
            raise Unsound("the probability of a ball underflows")
        odds = np.exp(self.log_others - np.minimum(weights * saddle, 800))
        size = float(self.count @ np.log1p(odds)) + saddle * float(weights @ self.load) - self.log_records
        size += math.log(2 * math.pi / period)

        def bend() -> Dense | Thin:
            return self._bend(self._blocks(weights, saddle, period), mass, 2 * points < len(weights))

        return Point(size + math.log(mass), size + math.log(soft), pulled / mass, bend)

    def _bend(self, blocks: Blocks, mass: float, thin: bool) -> Dense | Thin:
        """Return the second derivatives, from blocks of points."""
        n = len(self.load)
        own, matrix, columns = np.zeros(n), np.zeros((1, 1) if thin else (n, n)), []
        for s, share, flips in blocks:
            edge = share * s / mass
            own += self.count * ((flips - flips**2) @ edge).real
            shared = (self.load[:, None] - self.count[:, None] * flips) * np.sqrt(edge)
            if thin:
                columns += [shared]
            else:
                matrix += shared.real @ shared.real.T - shared.imag @ shared.imag.T
        if not thin:
            return Dense(matrix + np.diag(own))
        shared = np.concatenate(columns, axis=1)
        return Thin(own, np.hstack([shared.real, shared.imag]), np.repeat([1.0, -1.0], shared.shape[1]))


def counting(kinds: Kinds, load: Floats, need: Floats) -> CellSum | Transform:
    """Return what computes the expectations: a sum over cells where they are few, or a transform.

    A transform of few cells takes far longer: the more the weights differ, the more points it needs.
    """
    few = float(np.log2(kinds.count + 1).sum()) <= SUMMED_CELLS_LOG2
    cells = kinds.below(np.zeros(len(kinds)), 1.0, 2**SUMMED_CELLS_LOG2 + 1) if few else None
    return Transform(kinds, load, need) if cells is None else CellSum(kinds, load, need, cells)
