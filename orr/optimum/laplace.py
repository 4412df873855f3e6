"""What counts the expectations of a smooth problem over all flip sets at once.

The smooth problem and its words are explained in :mod:`orr.optimum.central_path` and in chapter path. Weights
are in widths of the edge.
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

SURE = 34.0  # logarithm of what is dropped: e^-34 is 8 units
TOGETHER = 100_000  # numbers of a transform that are computed together,
POINTS = 64  # at no fewer points than this
QUICK, SIZE = 4_000_000, 40_000_000  # numbers that take some tenths of a second, and some seconds,
PRODUCTS = 250  # if there are so many products of pairs of them for each
EACH = 20  # numbers that take as long as a point itself
LISTED = 16  # logarithm to base 2 of the number of cells that are counted one by one: a hundredth of a second
SEEN = 3_000_000  # numbers after which a transform that has come to nothing is left


class TooFine(Unsound):
    """An edge that is too narrow beside the ball for a transform."""


class Dense:
    """Second derivatives of the smooth expectation, divided by ``E[g]``: all of them, in a matrix."""

    def __init__(self, matrix: Floats) -> None:
        self.matrix, self.diagonal = matrix, np.diag(matrix)

    def scaled(self, scale: Floats, more: Floats | float = 0.0) -> Dense:
        """Change the units of the weights, and add something to the diagonal."""
        return Dense(self.matrix * np.outer(scale, scale) + np.diag(np.zeros(len(scale)) + more))

    def solve(self, right: Floats) -> Floats:
        """Divide by them."""
        return np.linalg.solve(self.matrix, right).astype(np.float64, copy=False)


class Thin:
    """The same as a diagonal, and squares of a few columns with signs: solved by Woodbury's formula."""

    def __init__(self, own: Floats, columns: Floats, sign: Floats) -> None:
        self.own, self.columns, self.sign = own, columns, sign
        self.diagonal = own + columns**2 @ sign

    def scaled(self, scale: Floats, more: Floats | float = 0.0) -> Thin:
        """Change the units of the weights, and add something to the diagonal."""
        return Thin(self.own * scale**2 + more, self.columns * scale[:, None], self.sign)

    def solve(self, right: Floats) -> Floats:
        """Divide by them."""
        own = np.maximum(self.own, 1e-12)[:, None]  # beside 1: what is solved is scaled to that
        inner = np.diag(self.sign) + self.columns.T @ (self.columns / own)
        return right / own - self.columns / own @ np.linalg.solve(inner, self.columns.T @ (right / own))


@dataclass(frozen=True, eq=False)
class Point:
    """Logarithms of ``E[g]`` and of the smooth expectation; its derivatives, divided by ``E[g]``."""

    log_mass: float
    log_soft: float
    slope: Floats
    bend: Callable[[], Dense | Thin]


class Listed:
    """All cells, one by one: faster where they are few."""

    def __init__(self, kinds: Kinds, load: Floats, need: Floats, cells: Integers) -> None:
        self.load, self.need, self.pull, self.size = load, need, load - cells, SIZE
        self.log_uniform = kinds.log_uniform(cells)

    def at(self, weights: Floats) -> Point:
        """Count at some weights; cells that are far outside, or whose chances are lost, do not matter."""
        x = self.pull @ weights
        log_g = self.log_uniform + np.minimum(x, 0)  # but for a factor between 1/2 and 1
        top = float(log_g.max())
        (near,) = np.nonzero(log_g > top - 2 * SURE)
        x, most = x[near], np.exp(log_g[near] - top)
        less = np.exp(-np.abs(x))
        g, log_less = most / (1 + less), np.log1p(less)
        mass, rest = float(g.sum()), np.divide(log_less, less, out=np.ones_like(x), where=less > 0)
        soft = float(most @ np.where(x < 0, rest, x + log_less))
        if not 0 < soft < math.inf:
            raise Unsound("the chances of a ball are lost")
        all_g = np.zeros(len(self.pull))
        all_g[near] = g

        def bend() -> Dense:
            edge = np.abs(x) < 2 * SURE
            pull = self.pull[near[edge]]
            return Dense((pull * (g / mass * scipy.special.expit(-x))[edge, None]).T @ pull)

        return Point(top + math.log(mass), top + math.log(soft), all_g @ self.pull / mass, bend)


class Transform:
    """All flip sets at once: an integral over the Laplace transform of the law of their weight.

    With ``T`` for the threshold and ``Y`` for the weight of the flips of a uniformly random record,

        E[g(T - Y)] = 1 / (2 pi i) * integral of exp(s T) E[exp(-s Y)] pi / sin(pi s) ds

    along any line where the real part of ``s`` is between 0 and 1: that of the saddle point, where the
    integrand hardly swings. ``E[exp(-s Y)]`` is a product over attributes. For the smooth expectation divide
    by ``s``, for the edge multiply by it, and for a flip of an attribute multiply by its chance in that
    product. The sum over equidistant points is as exact as doubles are, if these are dense enough for the
    next image of the law, a period away, to be out of reach.
    """

    def __init__(self, kinds: Kinds, load: Floats, need: Floats) -> None:
        self.load, self.need, self.count, self.size = load, need, kinds.count.astype(float), SIZE
        self.several = np.flatnonzero(kinds.count > 1)
        self.log_others = np.log(kinds.problem.sizes - 1)
        self.log_records = float(self.count @ np.log(kinds.problem.sizes))

    def _saddle(self, weights: Floats) -> tuple[float, float]:
        """Find where the integrand is smallest on the real line, and the period that is needed."""
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
        reach = (SURE + height[1:] - height[0]) / np.abs(s[1:] - saddle)
        return saddle, float(max(np.nanmin(reach[:19]), np.nanmin(reach[19:])))

    def _blocks(self, weights: Floats, saddle: float, period: float) -> Blocks:
        """Give points that matter, block by block, the integrand over that at the saddle, and flips.

        From point to point all odds turn by the same angles, so they are turned a block at a time.
        """
        step, radius = 2 * math.pi / period, float(weights @ self.load)
        last = math.ceil(SURE / math.pi / step) + 1
        capped = np.minimum(weights, 800 / saddle)[:, None]  # odds of e^-800 are 0 in any case
        odds = np.exp(self.log_others[:, None] - capped * saddle)
        points = min(max(POINTS, TOGETHER // len(weights)), last)
        turn, kept = odds * np.exp(-1j * step * capped * np.arange(points)), 0
        for first in range(0, last, points):
            s = saddle + 1j * step * np.arange(first, min(first + points, last))
            turned = turn[:, : len(s)] * np.exp(-1j * step * first * capped)
            chance = (1 + turned) / (1 + odds)
            chance[self.several] **= self.count[self.several, None]
            share = chance.prod(axis=0) * np.exp((s - saddle) * radius) / np.sin(math.pi * s)
            near = np.abs(share) > math.exp(-SURE) / math.sin(math.pi * saddle)
            share[0] /= 1 if first else 2
            kept += int(np.count_nonzero(near))
            if kept * (len(weights) + EACH) * max(1.0, min(2 * kept, len(weights)) / PRODUCTS) > self.size:
                raise TooFine
            if near.any():
                yield s[near], share[near], turned[:, near] / (1 + turned[:, near])
            elif first * len(weights) > SEEN:
                return

    def at(self, weights: Floats) -> Point:
        """Count at some weights."""
        saddle, period = self._saddle(weights)
        mass, soft, points, pulled = 0.0, 0.0, 0, np.zeros(len(weights))
        for s, share, flips in self._blocks(weights, saddle, period):
            points += len(s)
            mass += float(share.sum().real)
            soft += float((share / s).sum().real)
            pulled += self.load * share.sum().real - self.count * (flips @ share).real
        if not (mass > 0 and soft > 0):
            raise Unsound("the chances of a ball are lost")
        odds = np.exp(self.log_others - np.minimum(weights * saddle, 800))
        size = float(self.count @ np.log1p(odds)) + saddle * float(weights @ self.load) - self.log_records
        size += math.log(2 * math.pi / period)

        def bend() -> Dense | Thin:
            return self._bend(self._blocks(weights, saddle, period), mass, 2 * points < len(weights))

        return Point(size + math.log(mass), size + math.log(soft), pulled / mass, bend)

    def _bend(self, blocks: Blocks, mass: float, thin: bool) -> Dense | Thin:
        """Second derivatives, from the points that matter."""
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


def counting(kinds: Kinds, load: Floats, need: Floats) -> Listed | Transform:
    """Count cells one by one where they are few, else all flip sets at once.

    A transform of few cells takes far longer: it needs the more points, the more weights differ.
    """
    few = float(np.log2(kinds.count + 1).sum()) <= LISTED
    cells = kinds.below(np.zeros(len(kinds)), 1.0, 2**LISTED + 1) if few else None
    return Transform(kinds, load, need) if cells is None else Listed(kinds, load, need, cells)
