"""Column generation: the master's prices choose the next ball (chapter 10).

Asked at the prices themselves, it goes back and forth for long. So the next weights are taken between
the best ones so far and the prices, nearly all of the way back to the best, and further out only where
that proves nothing new. Each ball is counted with whole weights, and what these prove is the lower bound.

It comes to an end: prices of the master are a solution of its dual over the balls known, so where the ball
of the prices themselves is known already, bounds of these whole weights and of the mixture meet. There are
finitely many balls of whole weights below a threshold, and the last step of each round asks at the prices.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from orr.laws.ball import Ball
from orr.optimum.bound import threshold
from orr.optimum.pool import Pool

STATES = 4_000  # that the weights of a ball are rounded to at first, and at most
FINEST = 64_000
BACK = (0.9, 0.63, 0.44, 0.31, 0.22, 0.0)  # shares of the best weights in what is asked, in turn
STALE = 12  # rounds without a new proof, after which weights are rounded more finely


def generate(pool: Pool, done: Callable[[float, float], bool], room: Callable[[], float]) -> None:
    """Generate columns until the bounds are close, or time is up."""
    kinds, states, stale = pool.kinds, STATES, 0
    while not done(pool.proved, pool.upper) and 5 * states * len(pool.asked) < room():
        prices = pool.mix()
        if prices is None or done(pool.proved, pool.upper):
            return
        stale += 1
        for back in BACK:
            best = pool.proof[kinds.first]
            weights = back * best / (best @ pool.need) + (1 - back) * prices
            if _ask(pool, weights, states):
                stale = 0
                break
        if stale >= STALE:
            states, stale = 2 * states, 0
            if states > FINEST:
                return


def _ask(pool: Pool, weights: np.ndarray, states: int) -> bool:
    """Add the ball of some weights; tell whether they prove more than all before."""
    whole = np.rint(np.minimum(weights * (states / (weights @ pool.load)), 2.0**500))[pool.kinds.of]
    if not whole.any():
        return False
    pool.add(Ball(pool.eased, whole, math.ceil(threshold(whole, pool.asked.q))))
    return pool.prove(whole)
