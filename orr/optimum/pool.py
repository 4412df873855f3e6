"""The balls that were tried, the best mixture of them, and the best proof (chapter path).

A mixture of balls that gives every attribute its level is a mechanism, and the smallest one is found by
a linear program with a row for each kind of attribute, the *master*.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy

from orr.arrays import Floats, Integers
from orr.kinds import Kinds
from orr.laws.ball import Ball
from orr.laws.ball_mixture import BallMixture
from orr.optimum.bound import counted
from orr.problem import Problem

DEAR = 18.0  # logarithm of the largest cost in the master


@dataclass(frozen=True, eq=False)
class Column:
    """A ball, its probability, and what a unit of its mass gives of the level of each kind."""

    weights: Floats
    states: int
    edge: Floats | float
    log_mass: float
    supply: Floats


class Pool:
    """Columns, the best mixture of them, and the best proof.

    Bounds are logarithms of the excess, ``exp(level) - 1``.

    Parameters
    ----------
    relaxed : Problem
        Sizes and the levels that the balls must have before repairs (:meth:`Problem.relaxed`).
    asked : Problem
        The levels for which lower bounds are proved.
    """

    def __init__(self, relaxed: Problem, asked: Problem) -> None:
        self.relaxed, self.asked, self.kinds = relaxed, asked, Kinds(asked)
        self.load = self.kinds.count * relaxed.q[self.kinds.first]
        self.need = self.kinds.count * relaxed.d[self.kinds.first]
        self.proved, self.proof = -math.inf, np.ones(len(asked))
        self.upper = math.inf
        supply = 1 / relaxed.w[self.kinds.first]
        truth = Column(np.full(len(asked), np.inf), 1, 1.0, -relaxed.log_records, supply)
        self.columns = [truth]
        self.offer([truth], np.array([relaxed.w.max()]))

    def supply(self, ball: Ball) -> Floats:
        """Give what a unit of mass of a ball gives of each kind's level."""
        first = self.kinds.first
        return (self.relaxed.q[first] - ball.rates[first]) / self.relaxed.d[first]

    def add(self, ball: Ball) -> Column:
        """Keep a ball as a column."""
        column = Column(ball.weights, ball.states, ball.edge, ball.log_mass, self.supply(ball))
        self.columns.append(column)
        return column

    def offer(self, columns: list[Column], masses: Floats) -> None:
        """Keep a mixture if its level is the smallest, scaled up until every attribute has enough."""
        supply = (masses @ np.array([column.supply for column in columns])).min() if columns else 0.0
        if not supply > 0:
            return
        masses = masses / supply
        upper = float(scipy.special.logsumexp(np.log(masses) - [column.log_mass for column in columns]))
        if upper < self.upper:
            self.upper, self.best, self.masses = upper, columns, masses

    def prove(self, weights: Floats) -> bool:
        """Keep the bound that whole weights prove if it is the best; tell whether it is."""
        if not (weights.any() and float(weights @ self.asked.q) < math.inf):  # nan, too
            return False
        lower = counted(self.asked, weights)
        better = lower > self.proved
        if better:
            self.proved, self.proof = lower, weights
        return better

    def mix(self) -> None:
        """Find the best mixture of all columns.

        Each column is given in units that make its largest supply 1. What it costs is counted in units of the
        lower bound, and cut off at DEAR: dearer ones are of no use, and HiGHS loses its way among them.
        """
        supply = np.array([column.supply for column in self.columns])
        scale = np.abs(supply).max(axis=1, keepdims=True)
        log_cost = -np.array([column.log_mass for column in self.columns]) - np.log(scale[:, 0])
        if not (np.isfinite(log_cost).all() and scale.min() > 0 and self.proved > -math.inf):
            return
        cost = np.exp(np.clip(log_cost - self.proved, -DEAR, DEAR))
        rows = -(supply / scale).T
        for method in ("highs-ds", "highs-ipm"):
            result = scipy.optimize.linprog(cost, A_ub=rows, b_ub=-np.ones(len(rows)), method=method)
            if result.status == 0:
                used = np.flatnonzero(result.x > 0)
                self.offer([self.columns[j] for j in used], result.x[used] / scale[used, 0])
                return

    def law(self, problem: Problem, order: Integers) -> BallMixture:
        """Return the best mixture for a problem whose attribute ``i`` is ours of number ``order[i]``."""
        balls = [Ball(problem, c.weights[order], c.states, c.edge) for c in self.best]
        q, d = self.relaxed.q[order], self.relaxed.d[order]
        supply = self.masses @ np.array([(q - ball.rates) / d for ball in balls])
        return BallMixture(problem, balls, self.masses / min(float(supply.min()), 1.0))
