"""Balls along the path: rounded at random, fitted to the levels and mixed (chapter path)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy

from orr.arrays import Floats, Integers
from orr.laws.ball import Ball
from orr.laws.ball_mixture import BallMixture
from orr.optimum.bound import counted
from orr.optimum.central_path import GROWTH, STAGES, Path, grown
from orr.problem import Kinds, Problem
from orr.rounding import Unsound

BLUR = 1.6  # widths, by which rounding the weights may soften the edge
STATES = 500_000  # of the dynamic program of a ball, at most
FINE = 60_000  # of which a ball of very many attributes may have so many, if there is time
REACH = 25.0  # times as sharp an edge as that of the path here, which is still on its tangent
FITS = 40  # balls at a stage, each closer to the levels than the one before
MEMORY = 12  # of them, whose moves tell more of the second derivatives ahead
FEWEST, WORK = 6, 300_000_000  # balls that are tried in any case; steps of their dynamic programs else
PATIENCE = 10  # of them that may be no closer
MIXED = 10  # balls after which a mixture is tried: one ball is drawn from in less time
COARSEST = 4.0  # widths, the first unit that is tried
PROVING = 20_000  # states of the whole weights that prove a bound
STILL = 4  # stages without a better bound after which no more are tried
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


def follow(
    pool: Pool, path: Path, wanted: float, done: Callable[[float, float], bool], room: Callable[[], float]
) -> None:
    """Follow the path until the bounds are close, there is no more room, or the edge is too narrow."""
    before, still = (0.0, 0.0), 0
    for stage in range(STAGES):
        still = still + 1 if before == (pool.proved, pool.upper) else 0
        if still == STILL:
            return
        before = pool.proved, pool.upper
        try:
            if stage or path.fitted:
                path.narrow(min(max(growth(path, wanted), 1.2), GROWTH))
            path.settle(lambda: room() <= 0)
            limit = path.limit
            ahead = path.ahead(min(growth(path, wanted), REACH))
        except (Unsound, np.linalg.LinAlgError):
            return
        if not (np.isfinite(limit).all() and limit.any()):
            return
        for weights in (limit * path.raised, path.weights * path.raised):
            states = min(max(float(path.weights @ path.model.load), PROVING), STATES)
            pool.prove(np.rint(weights * (states / (weights @ pool.load)))[pool.kinds.of])
        if stage and growth(path, wanted) > REACH * GROWTH:
            continue  # nor would the next edge do
        upper = pool.upper
        fitted = fit(pool, path, ahead, done, room) and pool.upper < upper
        if not (fitted or fit(pool, path, path.weights, done, room)):
            return
        if not done(pool.proved, pool.upper):
            pool.mix()
        if done(pool.proved, pool.upper):
            return


def growth(path: Path, wanted: float) -> float:
    """How many times as sharp the edge must be: in the end the cost falls like the square of the width."""
    return max(math.sqrt(2 * path.cost / wanted), 1.0)


def fit(
    pool: Pool, path: Path, weights: Floats, done: Callable[[float, float], bool], room: Callable[[], float]
) -> bool:
    """Add balls of weights at a point of the path or ahead of it, rounded at random; tell if there was room.

    Counting a ball takes far less than the transform of a narrow edge. So the levels are met by steps of
    Newton's method with the second derivatives at that point, and these are mended by what the steps did.
    """
    kinds, k = pool.kinds, len(pool.asked)
    path.fitted = True
    load, needs = path.model.load, path.model.need
    need = float(weights @ needs)
    sharper = need / float(path.weights @ needs)
    steps = max(min(room(), max(WORK / FEWEST, FINE * k)), 1.0)
    least = float(weights @ load) * max(k / steps, 1 / STATES)
    unit, blur = blurred(weights, load, least)
    if blur > BLUR:
        return False
    width = math.sqrt(1 - blur**2 * 3 / math.pi**2)  # the logistic law has a variance of pi^2 / 3
    tried: list[tuple[Floats, Floats]] = []
    even, last = 0.0, 0
    most = min(FITS, max(FEWEST, int(WORK * unit / (k * float(weights @ load)))))
    while len(tried) < min(most, last + PATIENCE) and not done(pool.proved, pool.upper) and room() > 0:
        ball = Ball.soft(pool.relaxed, weights[kinds.of] / unit, float(weights @ load) / unit, width / unit)
        pool.offer([pool.add(ball)], np.ones(1))
        slope = load - kinds.count * ball.rates[kinds.first]
        share = float((slope / needs).min() / (weights @ slope)) * need
        if share > 1 - path.cost / (4 * sharper**2):
            break
        if share > even:
            even, last = share, len(tried)
        move = path.newton(path.off(slope))
        if not np.isfinite(move).all():
            break
        tried.append((np.log(weights), move))
        if len(tried) % MIXED == 0:
            pool.mix()
        weights = weights * grown(np.clip(accelerated(tried[-MEMORY:]), -1, 1))
        weights *= need / float(weights @ needs)
    return True


def accelerated(tried: list[tuple[Floats, Floats]]) -> Floats:
    """Next step to where moves vanish, from the places and moves of the last ones (Anderson's method)."""
    places, moves = (np.array(column) for column in zip(*tried, strict=True))
    changes = np.diff(moves, axis=0)
    share = np.linalg.lstsq(changes.T, moves[-1], rcond=1e-10)[0]
    return moves[-1] - share @ (np.diff(places, axis=0) + changes)


def blurred(weights: Floats, load: Floats, least: float) -> tuple[float, float]:
    """Choose a unit in which rounding blurs the edge by less than its width, if it may be so small.

    A flip of a weight that is a fraction ``t`` above a whole number of units is blurred by a variance
    of ``t (1 - t)`` of them squared. Return the unit, and the blur.
    """
    unit = max(COARSEST, least)
    while True:
        part = weights / unit % 1
        blur = unit * math.sqrt(float(load @ (part * (1 - part))))
        if blur <= BLUR or unit <= least:
            return unit, blur
        unit = max(0.8 * unit, least)
