"""The law that lifts weighted Hamming balls above the uniform part (chapter any-size)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Set
from functools import cached_property, reduce
from itertools import islice
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from orr.arrays import Floats, Integers, frozen
from orr.laws.ball import Ball
from orr.laws.law import CACHED_FLIPS, Lifted
from orr.problem import Problem
from orr.randomness import Source
from orr.rounding import MIN_MASS, log_sum, log_sum_units


class BallMixture(Lifted):
    """A law that lifts one ball or more above the uniform part.

    ``masses[j]`` is the mass of ball ``j`` in units of the uniform part.
    """

    def __init__(
        self, problem: Problem, balls: list[Ball], masses: Floats, stay: Floats | None = None
    ) -> None:
        self.problem = problem
        # What is computed once a block hardly counts with 2^17 rows, and 2^27 values are a gigabyte at most.
        self.block = min(2**17 * len(problem), 2**27)
        listed = masses > MIN_MASS * max(masses.max(), 1)
        self.balls, self.masses = [ball for ball, ok in zip(balls, listed, strict=True) if ok], masses[listed]
        self.repair(stay)
        self.check()

    @property
    def weights(self) -> Floats:
        return self.masses

    @cached_property
    def flip_mass(self) -> Floats:
        return self.weights @ np.array([ball.rates for ball in self.balls])

    @property
    def retained_information(self) -> Floats:
        return 1 - self.flip_mass / (self.problem.p * self.mass)

    @cached_property
    def _heights(self) -> Floats:
        """Logarithm of the height that each ball adds to ``G``."""
        return np.log(self.weights) - [ball.log_mass for ball in self.balls]

    @cached_property
    def log_top(self) -> float:
        return log_sum(self._heights)

    @cached_property
    def counted(self) -> float:
        logs = 5 * float(np.abs(np.log(self.weights)).max())
        units = [b.units + abs(b.log_mass) / 2 + 5 * abs(b.log_mass - b.log_scale) for b in self.balls]
        return max(units) + logs + log_sum_units(self._heights)

    def flipped(self, categories: Integers, source: Source) -> tuple[Integers, Integers]:
        none = np.empty(0, dtype=np.int64)
        rows, attributes = zip((none, none), *self.batches(categories, source), strict=True)
        return np.concatenate(rows), np.concatenate(attributes)

    def batches(self, categories: Integers, source: Source) -> Iterator[tuple[Integers, Integers]]:
        for j, ball in enumerate(self.balls):
            rows = np.flatnonzero(categories == j)
            flips = ball.flipping(len(rows), source) if len(rows) else iter(())
            # Take as many attributes at a time as have about CACHED_FLIPS flips.
            step = math.ceil(CACHED_FLIPS / max(ball.rates.mean() * len(rows), 1))
            while batch := list(islice(flips, step)):
                attributes, found = zip(*batch, strict=True)
                yield rows[np.concatenate(found)], np.repeat(attributes, [len(f) for f in found])

    @cached_property
    def neighbour_epsilons(self) -> Floats:
        """The overall level, since a flip may lead out of a ball; exact where all flip sets are compared."""
        if not self._few:
            return frozen(np.full(len(self.problem), self.epsilon))
        k = len(self.problem)
        cube = np.array([self._log_density(set(np.flatnonzero(f))) for f in np.ndindex((2,) * k)])
        cube = cube.reshape((2,) * k)
        return self._above(np.array([np.abs(np.diff(cube, axis=i)).max() for i in range(k)]))

    @property
    def neighbour_exact(self) -> NDArray[np.bool_]:
        return np.full(len(self.problem), self._few)

    @property
    def _few(self) -> bool:
        return few(len(self.problem), sum(ball.states for ball in self.balls))

    def _log_density(self, flips: Set[int]) -> float:
        flipped = np.isin(np.arange(len(self.problem)), list(flips))
        flips_after = self.kept * flipped + self.replaced * self.problem.p
        truths = self.kept * ~flipped + self.replaced / self.problem.sizes
        with np.errstate(divide="ignore"):
            heights = [
                math.log(m) - ball.log_mass + np.log(ball.chance(flips_after, truths))
                for ball, m in zip(self.balls, self.weights, strict=True)
            ]
        return float(np.logaddexp(0, log_sum(np.array(heights))))

    def _interaction(self, attributes: Set[int]) -> float:
        chosen = sorted(attributes)
        signs = reduce(np.multiply.outer, [np.array([1, -1 / (a - 1)]) for a in self.problem.sizes[chosen]])
        parts = [m * ball.joint(chosen) for ball, m in zip(self.balls, self.weights, strict=True)]
        return self._shrunk(chosen, (np.sum(parts, axis=0) * signs).ravel())

    def definition(self) -> dict[str, Any]:
        balls = [ball.definition() for ball in self.balls]
        return {"balls": balls, "masses": self.masses, "stay": self._odds_to_stay}

    @classmethod
    def from_definition(
        cls, problem: Problem, *, balls: list[dict[str, Any]], masses: Floats, stay: Floats
    ) -> Self:
        return cls(problem, [Ball(problem, **ball) for ball in balls], masses, stay)


def few(k: int, states: int) -> bool:
    """Return whether the flip sets are few enough to compare all, in about a second."""
    return k <= 10 and 2**k * k * states <= 10**8
