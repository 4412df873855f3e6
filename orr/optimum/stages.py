"""Balls along the path: rounded at random, fitted to the levels and mixed (chapter 10)."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from orr.arrays import Floats
from orr.laws.ball import Ball
from orr.optimum.path import GROWTH, STAGES, Path, grown
from orr.optimum.pool import Pool
from orr.rounding import Unsound

BLUR = 1.6  # widths, by which rounding the weights may soften the edge
STATES = 500_000  # of the dynamic program of a ball, at most
CHEAP = 5_000_000  # steps of a dynamic program that take no time to speak of
FITS = 12  # balls at a stage, each closer to the levels than the one before
PROVING = 20_000  # states of the whole weights that prove a bound


def follow(
    pool: Pool, path: Path, wanted: float, done: Callable[[float, float], bool], room: Callable[[], float]
) -> None:
    """Follow the path until the bounds are close, there is no more room, or the edge is too narrow."""
    k = len(pool.asked)
    for stage in range(STAGES):
        try:
            if stage:
                # In the end the cost falls like the square of the width.
                path.narrow(min(max(math.sqrt(2 * path.cost / wanted), 1.2), GROWTH))
            path.settle(lambda: room() <= 0)
            limit = path.limit
        except (Unsound, np.linalg.LinAlgError):
            return
        if not (np.isfinite(limit).all() and limit.any()):
            return
        radius = float(path.weights @ pool.load)
        least = radius * max(k / max(room(), 1.0), 1 / STATES)
        unit, blur = blurred(path.weights, pool.load, least)
        later = blurred(GROWTH * path.weights, pool.load, GROWTH * least)[1] <= BLUR
        if path.cost > wanted and radius * k > CHEAP * unit and later:
            continue  # it would take time, and the next edge is better
        if blur > BLUR:
            return
        for weights in (limit, path.weights):
            pool.prove(
                np.rint(weights * (max(radius / unit, PROVING) / (weights @ pool.load)))[pool.kinds.of]
            )
        fit(pool, path, unit, blur, lambda *bounds: done(*bounds) or room() <= 0)
        pool.mix()
        if done(pool.proved, pool.upper):
            return


def fit(pool: Pool, path: Path, unit: float, blur: float, done: Callable[[float, float], bool]) -> None:
    """Add the ball of the weights here, rounded at random, and moved until that makes no difference."""
    kinds, weights = pool.kinds, path.weights
    width = math.sqrt(1 - blur**2 * 3 / math.pi**2)  # the logistic law has a variance of pi^2 / 3
    for _ in range(FITS):
        ball = Ball.soft(
            pool.eased, weights[kinds.of] / unit, float(weights @ pool.load) / unit, width / unit
        )
        column = pool.add(ball)
        pool.offer([column], np.ones(1))
        if pool.upper < path.upper + path.cost / 4 or done(pool.proved, pool.upper):
            return
        move = path.newton(path.off(pool.load - kinds.count * ball.rates[kinds.first]))
        weights = weights * grown(np.clip(move, -1, 1))


def blurred(weights: Floats, load: Floats, least: float) -> tuple[float, float]:
    """Choose a unit in which rounding blurs the edge by less than its width, if it may be so small.

    A flip of a weight that is a fraction ``t`` above a whole number of units is blurred by a variance
    of ``t (1 - t)`` of them squared. Return the unit, and the blur.
    """
    unit = max(1.0, least)
    while True:
        part = weights / unit % 1
        blur = unit * math.sqrt(float(load @ (part * (1 - part))))
        if blur <= BLUR or unit <= least:
            return unit, blur
        unit = max(unit / 2, least)
