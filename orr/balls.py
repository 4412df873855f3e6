"""The law that lifts weighted Hamming balls above the uniform part."""

from __future__ import annotations

import math
from collections.abc import Set
from functools import cached_property, reduce

import numpy as np
from scipy.special import logsumexp

from orr.ball import Ball
from orr.laws import Lifted
from orr.problem import Floats, Integers, Problem, frozen
from orr.randomness import Source


class Balls(Lifted):
    """A law that lifts one ball or more above the uniform part.

    ``masses[j]`` is the mass of ball ``j`` in units of the uniform part.
    """

    block = 2**24

    def __init__(self, problem: Problem, balls: list[Ball], masses: Floats, kept: Floats) -> None:
        self.problem, self.balls, self.masses = problem, balls, masses
        self.kept = kept if (kept != 1).any() else None

    @property
    def weights(self) -> Floats:
        return self.masses

    @cached_property
    def lies(self) -> Floats:
        return self.weights @ np.array([ball.rates for ball in self.balls])

    @cached_property
    def nominal_epsilon(self) -> float:
        heights = np.log(self.weights) - [ball.log_mass for ball in self.balls]
        return float(np.logaddexp(0, logsumexp(heights)))

    @property
    def roundings(self) -> int:
        return 3 * len(self.balls) + 24 * len(self.problem)

    def flipped(self, categories: Integers, source: Source) -> tuple[Integers, Integers]:
        flips = np.zeros((len(categories), len(self.problem)), dtype=bool)
        for j, ball in enumerate(self.balls):
            rows = np.flatnonzero(categories == j)
            if len(rows) == len(categories):
                flips = ball.draw(len(rows), source)
            elif len(rows):
                flips[rows] = ball.draw(len(rows), source)
        rows, attributes = np.nonzero(flips)
        return rows, attributes

    @cached_property
    def neighbour_epsilons(self) -> Floats:
        """The overall level: at the edge of a ball one lie may make all the difference."""
        return frozen(np.full(len(self.problem), self.nominal_epsilon))

    def log_ratio(self, flips: Set[int]) -> float:
        return self._log_density(flips) - self._log_density(set(range(len(self.problem))))

    def _log_density(self, flips: Set[int]) -> float:
        """Logarithm of ``1 + G``, repairs included."""
        flipped = np.isin(np.arange(len(self.problem)), list(flips))
        kept = np.ones(len(self.problem)) if self.kept is None else self.kept
        lies = kept * flipped + (1 - kept) * self.problem.p
        truths = kept * ~flipped + (1 - kept) / self.problem.sizes
        with np.errstate(divide="ignore"):
            heights = [
                math.log(m) - ball.log_mass + np.log(ball.chance(lies, truths))
                for ball, m in zip(self.balls, self.weights, strict=True)
            ]
        return float(np.logaddexp(0, logsumexp(heights)))

    def _interaction(self, attributes: Set[int]) -> float:
        chosen = sorted(attributes)
        signs = reduce(np.multiply.outer, [np.array([1, -1 / (a - 1)]) for a in self.problem.sizes[chosen]])
        parts = [m * ball.joint(chosen) for ball, m in zip(self.balls, self.weights, strict=True)]
        terms = (np.sum(parts, axis=0) * signs).ravel()
        value, scale = math.fsum(terms), math.fsum(np.abs(terms))
        kept = 1.0 if self.kept is None else float(np.prod(self.kept[chosen]))
        return 0.0 if abs(value) <= 1e-9 * scale else kept * value / (1 + self.mass)
