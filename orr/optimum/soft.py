"""Newton's method on the dual bound, with a soft edge.

The bound is largest where ``E[(y.q - y.B)^+]`` is smallest for a given ``y.d``: a convex problem, but
with corners. Replace ``x^+`` by ``width * log(1 + exp(x / width))`` and the corners are gone. The smooth
problem has one solution, and its law is a ball whose edge falls off like the logistic function,
``g(S) = 1 / (1 + exp(-x(S) / width))`` with ``x(S) = y.(q - B(S))``. It gives every attribute exactly its
level, never rises with a flip since ``y >= 0``, and its level is above the bound that ``y`` proves by

    log(E[x^+] / E[g x]),

which falls to 0 with the width. So a wide edge is settled first, by Newton steps inside a trust region, and
then narrower ones, each from the weights of the one before (chapter 10).

The expectations are counted by a :mod:`orr.optimum.model`. Weights are in nats, one for each kind.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from orr.arrays import Floats
from orr.laws.ball import FAR, Ball
from orr.optimum.model import Counted, Model, Point
from orr.optimum.pool import Pool
from orr.rounding import Unsound

WIDEST = 0.18  # nats, of the first edge; a wider one reaches too far beyond the ball
NARROWEST = 4e-3  # nats, of an edge that may be too soft: narrower ones must have been of use
LIGHTEST = 1e-6  # share of the threshold, so that every weight may grow
STAGES = 24  # widths in all: from WIDEST they reach 1e-6
STEPS = 25  # Newton steps at a width; far more than where it converges
SETTLED = 0.1  # share of what the soft edge costs that supplies may still be off by
TRUST = 3.0  # widths that a weight may move in the first step: beyond, the edge is another one
NARROWER = 0.6  # each width over the one before; so that Newton's method starts near its goal
PROVING = 20_000  # states of the whole weights that prove a bound
DAMPED = 1e-8  # least multiple of the diagonal that is added to the second derivatives


def settle(
    model: Model,
    weights: Floats,
    width: float,
    done: Callable[[], bool] = lambda: False,
    most: float = math.inf,
) -> Floats:
    """Solve the smooth problem of a width by Newton's method, or stop where something else is done.

    In the end supplies are off by little beside what the soft edge costs, and by no more than ``most``.
    """
    trust, here = TRUST * width, model.at(weights, width)
    for _ in range(STEPS):
        slope = here.slope()
        gained = float(weights @ slope)
        aim = gained / float(weights @ model.need) * model.need  # at the solution the slope is that
        cost = here.log_hard - here.log_mass - math.log(gained) if gained > 0 else math.inf
        if done() or float(np.abs(slope / aim - 1).max()) < min(SETTLED * cost, most):
            break
        step = _step(model, weights, width, here, slope, trust)
        if step is None:
            break
        weights, here, trust = step
    return weights


def _step(
    model: Model, weights: Floats, width: float, here: Point, slope: Floats, trust: float
) -> tuple[Floats, Point, float] | None:
    """Take a Newton step that keeps ``y.need``, no longer than the trust and such that it helps."""
    (bend, edge), need = model.bend(weights, width), model.need
    # A kind that does not flip at the edge moves nothing but the threshold.
    reach = np.where(np.diag(bend) < 2 * model.load**2 * edge, np.minimum(model.load, 1), 1.0)
    scale = 1 / np.sqrt(np.maximum(np.diag(bend), 1e-300))
    system = np.zeros((len(need) + 1, len(need) + 1))
    system[:-1, :-1] = bend * np.outer(scale, scale)
    system[-1, :-1] = system[:-1, -1] = need * scale / np.linalg.norm(need * scale)
    damp, diagonal = DAMPED, np.arange(len(need))
    while damp < 1e12:
        system[diagonal, diagonal] = 1 + damp
        move = np.linalg.solve(system, np.append(-slope * scale, 0.0))[:-1] * scale
        longest = float(np.abs(move * reach).max())
        if not longest <= trust:
            damp = max(4 * damp, 1e-6)
            continue
        new = np.maximum(weights + move, 0.1 * weights)
        there = model.at(new, width)
        promised = -float(slope @ move + 0.5 * move @ bend @ move)
        kept = -math.expm1(min(there.log_soft - here.log_soft, 50)) * math.exp(here.log_soft - here.log_mass)
        if kept > 0.05 * promised or promised < 1e-14:
            longer = kept > 0.6 * promised and longest > trust / 2
            return new, there, min(2 * trust, 1.0) if longer else trust
        trust = 0.4 * min(trust, longest)
    return None


def soften(pool: Pool, done: Callable[[float, float], bool], room: Callable[[], float]) -> None:
    """Settle narrower and narrower edges, until the bounds are close or that is of no more use.

    Every ball on the way becomes a column.
    """

    def offer(ball: Ball) -> None:
        column = pool.add(ball)
        pool.offer([column], np.ones(1))

    model, width, weights = Counted(pool.kinds, pool.load, pool.need, offer), WIDEST, pool.in_nats()
    weights, last = np.maximum(weights, LIGHTEST * float(weights @ pool.load)), None
    for _ in range(STAGES):
        if 20 * (float(weights @ pool.load) / width + 2 * FAR) * len(pool.asked) > room():
            return
        before = pool.upper - pool.proved
        try:
            weights = settle(model, weights, width, lambda: done(pool.proved, pool.upper))
        except Unsound:
            return
        here = width / float(weights @ pool.need), weights / float(weights @ pool.need)
        for shares in (here[1],) if last is None else (here[1], _beyond(last, here)):
            pool.prove(np.rint(shares * (PROVING / (shares @ pool.load)))[pool.kinds.of])
        pool.mix()
        stuck = pool.upper - pool.proved > 0.8 * before and width < NARROWEST
        if done(pool.proved, pool.upper) or stuck:
            return
        # In units that make 1 of the mean distance to the edge, if the edge is not too wide for that.
        mean = max(float(weights @ model.at(weights, width).slope()), 0.0) or 1.0
        weights, width, last = weights / mean, min(NARROWER * width / mean, WIDEST), here


def _beyond(last: tuple[float, Floats], here: tuple[float, Floats]) -> Floats:
    """Guess the weights at width 0 from those at two widths: they are off by about as much as the width."""
    if last[0] <= here[0]:
        return here[1]
    return np.maximum(here[1] + (here[1] - last[1]) * (here[0] / (last[0] - here[0])), 0.0)
