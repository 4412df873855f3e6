"""Balls along the path, and the best mixture of them (chapter path).

At each stage of the path the weights are rounded at random to a unit, and fitted to the levels: a ball. A
mixture of balls that gives every attribute its level is a mechanism, and the smallest one is found by a
linear program with a row for each kind of attribute, the *master*.
"""

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
from orr.optimum.central_path import MAX_STAGES, STAGE_GROWTH, Path, grown
from orr.problem import Kinds, Problem
from orr.rounding import Unsound

MAX_BLUR = 1.6  # widths: rounding the weights may soften the edge by this much
MAX_BALL_STATES = 500_000  # states of the dynamic program of a ball
# States that a ball of very many attributes may have if there is time, whatever the work.
MIN_BALL_STATES_LIMIT = 60_000
# Factor by which a ball's edge may be sharper than that of the path here: the tangent is still good there.
MAX_REACH = 25.0
MAX_FITS = 40  # balls at a stage, each closer to the levels than the one before
# Always try this many balls, then stop after this many steps of their dynamic programs.
MIN_FITS = 6
FIT_WORK = 300_000_000
PATIENCE = 10  # balls without improvement before giving up
MEMORY = 12  # last balls whose moves correct the second derivatives
MIX_EVERY = 10  # balls after which a mixture is tried: drawing from a single ball takes less time
FIRST_UNIT = 4.0  # widths: the first unit of rounding that is tried
MIN_BOUND_STATES = 20_000  # states of the whole weights that prove a bound, at least: coarser ones prove less
MAX_IDLE_STAGES = 4  # stages without a better bound before giving up
MAX_LOG_COST = 18.0  # logarithm of the largest cost in the master: HiGHS fails among larger ones


@dataclass(frozen=True, eq=False)
class Column:
    """A ball, its probability, and how much of each kind's level a unit of its mass supplies."""

    weights: Floats
    states: int
    edge: Floats | float
    log_mass: float
    supply: Floats


class Pool:
    """Columns, the best mixture of them, and the best bound.

    Bounds are logarithms of the excess, ``exp(level) - 1``.

    Parameters
    ----------
    relaxed : Problem
        Sizes, and the levels that the balls must have before repairs (:meth:`Problem.relaxed`).
    asked : Problem
        The levels for which lower bounds are proved.
    """

    def __init__(self, relaxed: Problem, asked: Problem) -> None:
        self.relaxed, self.asked, self.kinds = relaxed, asked, Kinds(asked)
        self.load = self.kinds.count * relaxed.q[self.kinds.first]
        self.proved, self.proof = -math.inf, np.ones(len(asked))
        self.upper = math.inf
        supply = 1 / relaxed.w[self.kinds.first]
        truth = Column(np.full(len(asked), np.inf), 1, 1.0, -relaxed.log_records, supply)
        self.columns = [truth]
        self.offer([truth], np.array([relaxed.w.max()]))

    def add(self, ball: Ball) -> Column:
        """Keep a ball as a column."""
        first = self.kinds.first
        supply = (self.relaxed.q[first] - ball.rates[first]) / self.relaxed.d[first]
        column = Column(ball.weights, ball.states, ball.edge, ball.log_mass, supply)
        self.columns.append(column)
        return column

    def offer(self, columns: list[Column], masses: Floats) -> None:
        """Keep a mixture if, scaled up until every attribute has its level, it is the best."""
        with np.errstate(over="ignore"):
            supply = (masses @ np.array([column.supply for column in columns])).min() if columns else 0.0
        if not supply > 0:
            return
        masses = masses / supply
        upper = float(scipy.special.logsumexp(np.log(masses) - [column.log_mass for column in columns]))
        if upper < self.upper:
            self.upper, self.best, self.masses = upper, columns, masses

    def prove(self, weights: Floats) -> bool:
        """Keep the bound that whole weights prove if it is the best; return whether it is."""
        if not (weights.any() and float(weights @ self.asked.q) < math.inf):  # also rejects NaN
            return False
        lower = counted(self.asked, weights)
        better = lower > self.proved
        if better:
            self.proved, self.proof = lower, weights
        return better

    def mix(self) -> None:
        """Find the best mixture of all columns.

        Each column is given in units that make its largest supply 1. Costs are in units of the lower bound
        and clipped: columns that cost more are of no use.
        """
        supply = np.array([column.supply for column in self.columns])
        scale = np.abs(supply).max(axis=1, keepdims=True)
        log_cost = -np.array([column.log_mass for column in self.columns]) - np.log(scale[:, 0])
        if not (np.isfinite(log_cost).all() and scale.min() > 0 and self.proved > -math.inf):
            return
        cost = np.exp(np.clip(log_cost - self.proved, -MAX_LOG_COST, MAX_LOG_COST))
        rows = -(supply / scale).T
        for method in ("highs-ds", "highs-ipm"):
            result = scipy.optimize.linprog(cost, A_ub=rows, b_ub=-np.ones(len(rows)), method=method)
            if result.status == 0:
                used = np.flatnonzero(result.x > 0)
                self.offer([self.columns[j] for j in used], result.x[used] / scale[used, 0])
                return

    def law(self, problem: Problem, order: Integers) -> BallMixture:
        """Return the best mixture for a problem whose attribute ``i`` is number ``order[i]`` of the pool."""
        balls = [Ball(problem, c.weights[order], c.states, c.edge) for c in self.best]
        q, d = self.relaxed.q[order], self.relaxed.d[order]
        with np.errstate(over="ignore"):
            supply = self.masses @ np.array([(q - ball.rates) / d for ball in balls])
        return BallMixture(problem, balls, self.masses / min(float(supply.min()), 1.0))


def follow(
    pool: Pool,
    path: Path,
    wanted: float,
    done: Callable[[float, float], bool],
    steps_left: Callable[[], float],
) -> None:
    """Follow the path until the bounds are close, no steps are left, or the edge is too narrow.

    Parameters
    ----------
    pool : Pool
        Where balls and bounds are kept.
    path : Path
        The path, which goes on from where it is.
    wanted : float
        The gap to reach, in nats.
    done : callable
        Whether a lower and an upper bound are close enough, or time is up.
    steps_left : callable
        The number of steps of a dynamic program that there is time for.
    """
    before, idle = (0.0, 0.0), 0
    for stage in range(MAX_STAGES):
        idle = idle + 1 if before == (pool.proved, pool.upper) else 0
        if idle == MAX_IDLE_STAGES:
            return
        before = pool.proved, pool.upper
        try:
            if stage or path.fitted:
                path.narrow(min(max(growth(path, wanted), 1.2), STAGE_GROWTH))
            path.settle(lambda: steps_left() <= 0)
            here, limit = path.here, path.here.limit
            ahead = here.ahead(min(growth(path, wanted), MAX_REACH))
        except (Unsound, np.linalg.LinAlgError):
            return
        if not (np.isfinite(limit).all() and limit.any()):
            return
        for weights in (path.unscaled(limit), path.unscaled(here.weights)):
            states = min(max(float(here.weights @ path.model.load), MIN_BOUND_STATES), MAX_BALL_STATES)
            with np.errstate(over="ignore", invalid="ignore"):  # infinite weights prove nothing
                whole = np.rint(weights * (states / (weights @ pool.load)))
            pool.prove(whole[pool.kinds.of])
        if stage and growth(path, wanted) > MAX_REACH * STAGE_GROWTH:
            continue  # even the ball of the next stage would be too soft
        upper = pool.upper
        fitted = fit(pool, path, ahead, done, steps_left) and pool.upper < upper
        if not (fitted or fit(pool, path, here.weights, done, steps_left)):
            return
        if not done(pool.proved, pool.upper):
            pool.mix()
        if done(pool.proved, pool.upper):
            return


def growth(path: Path, wanted: float) -> float:
    """Return how many times as sharp the edge must be: its cost falls like the square of its width."""
    return max(math.sqrt(2 * path.here.cost / wanted), 1.0)


def fit(
    pool: Pool,
    path: Path,
    weights: Floats,
    done: Callable[[float, float], bool],
    steps_left: Callable[[], float],
) -> bool:
    """Add balls of weights on the path or ahead of it, rounded at random; return whether there was time.

    Computing a ball takes far less than the transform of a narrow edge. So the levels are met by Newton
    steps with the second derivatives of the path here, corrected by the effect of earlier steps.
    """
    kinds, k, here = pool.kinds, len(pool.asked), path.here
    path.fitted = True
    load, needs = path.model.load, path.model.need
    need = float(weights @ needs)
    sharper = need / float(here.weights @ needs)
    steps = max(min(steps_left(), max(FIT_WORK / MIN_FITS, MIN_BALL_STATES_LIMIT * k)), 1.0)
    smallest = float(weights @ load) * max(k / steps, 1 / MAX_BALL_STATES)
    unit, blur = blurred(weights, load, smallest)
    if blur > MAX_BLUR:
        return False
    width = math.sqrt(1 - blur**2 * 3 / math.pi**2)  # the logistic law has a variance of pi^2 / 3
    tried: list[tuple[Floats, Floats]] = []
    best, best_fit = 0.0, 0
    most = min(MAX_FITS, max(MIN_FITS, int(FIT_WORK * unit / (k * float(weights @ load)))))
    while len(tried) < min(most, best_fit + PATIENCE):
        if done(pool.proved, pool.upper) or steps_left() <= 0:
            break
        radius = float(weights @ load) / unit
        ball = Ball.soft(pool.relaxed, weights[kinds.of] / unit, radius, width / unit)
        pool.offer([pool.add(ball)], np.ones(1))
        slope = load - kinds.count * ball.rates[kinds.first]
        share = float((slope / needs).min() / (weights @ slope)) * need
        if share > 1 - here.cost / (4 * sharper**2):
            break
        if share > best:
            best, best_fit = share, len(tried)
        move = here.newton_step(here.residual(slope))
        if not np.isfinite(move).all():
            break
        with np.errstate(divide="ignore"):  # a weight may be 0
            tried.append((np.log(weights), move))
        if len(tried) % MIX_EVERY == 0:
            pool.mix()
        weights = weights * grown(np.clip(accelerated(tried[-MEMORY:]), -1, 1))
        weights *= need / float(weights @ needs)
    return True


def accelerated(tried: list[tuple[Floats, Floats]]) -> Floats:
    """Return the next step to where moves vanish, by Anderson's method.

    Parameters
    ----------
    tried : list of pairs
        Places, and the move at each of them.
    """
    places, moves = (np.array(column) for column in zip(*tried, strict=True))
    changes = np.diff(moves, axis=0)
    share = np.linalg.lstsq(changes.T, moves[-1], rcond=1e-10)[0]
    with np.errstate(invalid="ignore"):  # logarithms of weights of 0
        return moves[-1] - share @ (np.diff(places, axis=0) + changes)


def blurred(weights: Floats, load: Floats, smallest: float) -> tuple[float, float]:
    """Choose a unit in which rounding blurs the edge by less than its width; return it and the blur.

    A flip of a weight that is a fraction ``t`` above a whole number of units is blurred by a variance
    of ``t (1 - t)`` units squared. The unit is no smaller than ``smallest``, where the blur may be larger.
    """
    unit = max(FIRST_UNIT, smallest)
    while True:
        part = weights / unit % 1
        blur = unit * math.sqrt(float(load @ (part * (1 - part))))
        if blur <= MAX_BLUR or unit <= smallest:
            return unit, blur
        unit = max(0.8 * unit, smallest)
