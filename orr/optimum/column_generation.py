"""Balls along the path: rounded at random, fitted to the levels and mixed (chapter path)."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from orr.arrays import Floats
from orr.laws.ball import Ball
from orr.optimum.central_path import GROWTH, STAGES, Path, grown
from orr.optimum.pool import Pool
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
