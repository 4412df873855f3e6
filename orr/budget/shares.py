"""Shares that serve a purpose: small errors in the tables that are wanted (chapter budget).

Attributes of the same size get the same share. The search goes over the logarithms of the levels, one for
each size, and every point is moved along the diagonal until it spends the total, by a construction or two.
Shares that grow with a power of the size are a good start. From the best of them a *compass search* tries
steps along each axis and back, and halves the step where none helps. It needs no derivatives: at small totals
the factors of pairs pass through 0, where the loss has none.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from orr.arrays import Floats, Integers
from orr.budget.pair_floor import loss
from orr.budget.scale_search import Method
from orr.checks import MAX_LEVEL, MIN_LEVEL
from orr.constructions.radius_one import NotApplicable
from orr.mechanism import Mechanism
from orr.optimum.certificate import NotCertified
from orr.progress import Clock

POWERS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)  # of the size: the best for 4 to 12 census attributes is among them
STEP, LAST = 0.2, 0.02  # of the compass, in logarithms: finer steps change the errors by less than 1%
MOST = 150  # points: a few seconds for eight attributes
WORTH = 1e-3  # share of the loss that a step must save
NEAR, ROUNDS = 1e-3, 6  # how near to the total a point is moved, and in how many attempts
FINALISTS = 3  # points that are compared at the total itself
RESERVE = 0.3  # share of a time limit that is kept for these


def best_shares(
    sizes: Integers,
    total: float,
    ways: int,
    method: Method,
    buy: Callable[[Floats], Mechanism],
    clock: Clock,
) -> tuple[Mechanism, Floats]:
    """Return the mechanism with the smallest errors that was found, and its shares.

    It is never worse than with equal shares, which are tried first.

    Parameters
    ----------
    sizes : ndarray
        Number of values of each attribute.
    total : float
        The overall level to spend.
    ways : int
        1 for the tables of single attributes, 2 for those of pairs.
    method : callable
        The construction.
    buy : callable
        Spends the total in given shares, to the end.
    """
    equal = np.ones(len(sizes))
    found = [(loss(made := buy(equal), ways), made, equal)]
    compass = Compass(sizes, total, ways, method, clock)
    for shares in compass.run(float(np.log(made.asked.epsilons[0]))):
        if clock.left < 0:
            break
        try:
            made = buy(shares)
        except (NotApplicable, NotCertified):
            continue
        found.append((loss(made, ways), made, shares))
    _, made, shares = min(found, key=lambda candidate: candidate[0])
    return made, shares


class Compass:
    """One search, and what it tried. A point holds the logarithm of the level of each size."""

    def __init__(self, sizes: Integers, total: float, ways: int, method: Method, clock: Clock) -> None:
        self.sizes, self.total, self.ways, self.method = sizes, total, ways, method
        self.clock = clock
        self.kinds, self.of, count = np.unique(sizes, return_inverse=True, return_counts=True)
        self.weight = count / len(sizes)
        self.slope = 1.5  # by which the overall level grows with all levels, in logarithms: remembered
        self.points: list[tuple[float, Floats]] = []

    def run(self, level: float) -> list[Floats]:
        """Search, from a guess of the level that equal shares buy; give the shares of the best few points."""
        if len(self.kinds) > 1:
            for power in POWERS:
                tilt = power * np.log(self.kinds)
                level = float(np.mean(self.tried(level + tilt - tilt[self.of].mean())[1][self.of]))
            self.descend()
        best = sorted(self.points, key=lambda point: point[0])[:FINALISTS]
        return [np.exp(point[self.of] - point.max()) for value, point in best if value < math.inf]

    def descend(self) -> None:
        """Step along the axes from the best point, until no step of the smallest size helps."""
        value, here = min(self.points, key=lambda point: point[0])
        step = STEP
        while step >= LAST and not self.over:
            moved = False
            for axis in range(len(here)):
                for sign in (1, -1):
                    if self.over:
                        return
                    # What one size gets more, all give up, which nearly keeps the total.
                    there = here - sign * step * self.weight[axis]
                    there[axis] += sign * step
                    new, there = self.tried(there)
                    if new < value * (1 - WORTH):
                        value, here, moved = new, there, True
                        break
            step = step if moved else step / 2

    @property
    def over(self) -> bool:
        """Whether enough was tried."""
        late = self.clock.limit < math.inf and self.clock.left < RESERVE * self.clock.limit
        return late or len(self.points) >= MOST

    def tried(self, point: Floats) -> tuple[float, Floats]:
        """Move a point along the diagonal until it spends the total, and measure its loss there."""
        value, last = math.inf, None
        for _ in range(ROUNDS):
            made = self._built(point)
            if made is None:
                break
            value, excess = loss(made, self.ways), math.log(made.epsilon / self.total)
            if abs(excess) < NEAR:
                break
            if last is not None and last[0] != point[0]:
                self.slope = min(max((last[1] - excess) / (last[0] - point[0]), 0.3), 3.0)
            last, point = (float(point[0]), excess), point - excess / self.slope
        self.points.append((value, point))
        self.clock.log("shares %d: error of one record %.4g", len(self.points), math.sqrt(value))
        return value, point

    def _built(self, point: Floats) -> Mechanism | None:
        """Build the mechanism of a point, if the construction can."""
        levels = np.clip(np.exp(point), MIN_LEVEL, MAX_LEVEL)[self.of]
        try:
            return self.method(self.sizes, levels)
        except (NotApplicable, NotCertified):
            return None
