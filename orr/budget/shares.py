"""Shares for small errors in tables, by a compass search (chapter budget).

Attributes of the same size get the same share. The search goes over the logarithms of the levels, one for
each size, and every point is moved along the diagonal until it spends the total, which takes one or two
constructions. Shares that grow with a power of the size are a good start. From the best of them a *compass
search* tries steps along each axis and back, and halves the step where none helps. It needs no derivatives:
at small totals the factors of pairs pass through 0, where the loss has none.
"""

from __future__ import annotations

import math

import numpy as np

from orr.arrays import Floats, Integers
from orr.budget.pair_floor import loss
from orr.budget.scale_search import Method, spend
from orr.checks import MAX_LEVEL, MIN_LEVEL
from orr.constructions.radius_one import NotApplicable
from orr.mechanism import Mechanism
from orr.optimum.certificate import NotCertified
from orr.progress import Clock

# First shares are these powers of the size: the best for 4 to 12 census attributes is among them.
START_POWERS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)
# Steps of the compass in logarithms, first and last: smaller ones change the errors by less than 1%.
FIRST_STEP = 0.2
LAST_STEP = 0.02
MAX_POINTS = 150  # points that are tried: a few seconds for eight attributes
MIN_SAVING = 1e-3  # share of the loss that a step must save to be taken
# A point is moved until the logarithm of its level over the total is this small, in a few attempts.
POINT_TOL = 1e-3
MAX_MOVES = 6
# Points that are compared at the total itself, and the share of a time limit that is kept for them.
FINALISTS = 3
FINAL_TIME = 0.3
# First guess of the growth of the overall level with all levels, both in logarithms; and its bounds.
FIRST_GROWTH = 1.5
MIN_GROWTH = 0.3
MAX_GROWTH = 3.0


def best_shares(
    total: float, sizes: Integers, ways: int, method: Method, clock: Clock
) -> tuple[Mechanism, Floats]:
    """Search for the shares with the smallest errors; return their mechanism and them.

    The errors are never larger than with equal shares, which are tried first.

    Parameters
    ----------
    total : float
        The overall level to spend.
    sizes : ndarray
        Number of values of each attribute.
    ways : int
        1 for the tables of single attributes, 2 for those of pairs.
    method : callable
        The construction.
    clock : Clock
        The time of the call.
    """
    equal = np.ones(len(sizes))
    found = [(loss(made := spend(total, sizes, equal, method, clock), ways), made, equal)]
    compass = Compass(total, sizes, ways, method, clock)
    for shares in compass.run(float(np.log(made.asked.epsilons[0]))):
        if clock.left < 0:
            break
        try:
            made = spend(total, sizes, shares, method, clock)
        except (NotApplicable, NotCertified):
            continue
        found.append((loss(made, ways), made, shares))
    _, made, shares = min(found, key=lambda candidate: candidate[0])
    return made, shares


class Compass:
    """A compass search and the points tried. A point holds the logarithm of the level of each size."""

    def __init__(self, total: float, sizes: Integers, ways: int, method: Method, clock: Clock) -> None:
        self.sizes, self.total, self.ways, self.method = sizes, total, ways, method
        self.clock = clock
        self.kinds, self.of, count = np.unique(sizes, return_inverse=True, return_counts=True)
        self.weight = count / len(sizes)
        self.growth = FIRST_GROWTH
        self.points: list[tuple[float, Floats]] = []

    def run(self, level: float) -> list[Floats]:
        """Search, from a guess of the level for equal shares; return the shares of the best few points."""
        if len(self.kinds) > 1:
            for power in START_POWERS:
                tilt = power * np.log(self.kinds)
                level = float(np.mean(self.tried(level + tilt - tilt[self.of].mean())[1][self.of]))
            self.descend()
        best = sorted(self.points, key=lambda point: point[0])[:FINALISTS]
        return [np.exp(point[self.of] - point.max()) for value, point in best if value < math.inf]

    def descend(self) -> None:
        """Step along the axes from the best point until no step of the last size helps."""
        value, here = min(self.points, key=lambda point: point[0])
        step = FIRST_STEP
        while step >= LAST_STEP and not self.over:
            moved = False
            for axis in range(len(here)):
                for sign in (1, -1):
                    if self.over:
                        return
                    # All sizes give up what one gets, which nearly keeps the total.
                    there = here - sign * step * self.weight[axis]
                    there[axis] += sign * step
                    new, there = self.tried(there)
                    if new < value * (1 - MIN_SAVING):
                        value, here, moved = new, there, True
                        break
            step = step if moved else step / 2

    @property
    def over(self) -> bool:
        """Whether the search is over."""
        late = self.clock.limit < math.inf and self.clock.left < FINAL_TIME * self.clock.limit
        return late or len(self.points) >= MAX_POINTS

    def tried(self, point: Floats) -> tuple[float, Floats]:
        """Move a point along the diagonal until it spends the total; return its loss and the point."""
        value, last = math.inf, None
        for _ in range(MAX_MOVES):
            made = self._built(point)
            if made is None:
                break
            value, excess = loss(made, self.ways), math.log(made.epsilon / self.total)
            if abs(excess) < POINT_TOL:
                break
            if last is not None and last[0] != point[0]:
                growth = (last[1] - excess) / (last[0] - point[0])
                self.growth = min(max(growth, MIN_GROWTH), MAX_GROWTH)
            last, point = (float(point[0]), excess), point - excess / self.growth
        self.points.append((value, point))
        self.clock.log("shares %d: error of one record %.4g", len(self.points), math.sqrt(value))
        return value, point

    def _built(self, point: Floats) -> Mechanism | None:
        """Return the mechanism of a point; None if the construction gives none."""
        levels = np.clip(np.exp(point), MIN_LEVEL, MAX_LEVEL)[self.of]
        try:
            return self.method(self.sizes, levels)
        except (NotApplicable, NotCertified):
            return None
