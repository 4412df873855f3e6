"""The search for the best ball.

At the optimum a single ball gives every attribute exactly its level, but for a fuzzy edge. So the
weights are moved until its flip rates are the ones wanted: a fixed point, found by Anderson's
acceleration, and sharpened by counting in ever smaller units.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from orr.arrays import Floats
from orr.laws.ball import Ball
from orr.optimum.pool import Pool
from orr.problem import Problem


class Bound(NamedTuple):
    """An excess that is proved (its logarithm), the threshold behind it, and the star's weight."""

    lower: float
    radius: float
    star: float


Done = Callable[[float, float], bool]
LEAST = 1e-300  # flip rate that stands for none
LIGHT = 1e-12  # nats, the smallest weight: what weighs less is not told from nothing
MEMORY = 8  # steps that the acceleration looks back
ROUNDS = 16  # steps at each resolution
FREE = 4  # steps before the threshold and the mass are held fixed
PATIENCE = 3  # resolutions that may be of no help
EDGE = 0.3  # nats below the threshold in which its hazard is measured
FIRST, COARSE = 0.04, 1.28  # nats, the unit of the weights at first, and where that fails
LOST = 0.5  # nats between the bounds, where it has failed
REACH = 12.0  # nats beyond the expected threshold
ROOM, STATES = 5 * 10**8, 500_000  # steps of a dynamic program, and its states
STEP = 1_000  # states that take as long as a turn of the loop over attributes itself


class Search:
    """The state of one search: the weights in nats, the best balls, and the bounds so far.

    Bounds are logarithms of the excess, ``exp(level) - 1``.

    Parameters
    ----------
    pool : Pool
        Where balls and proofs are kept.
    room : callable
        Steps of a dynamic program that there is time for.
    """

    def __init__(self, pool: Pool, room: Callable[[], float] = lambda: ROOM) -> None:
        self.pool, self.room, self.kinds = pool, room, pool.kinds
        self.problem = problem = pool.eased
        self.star = self.kinds.of == self.kinds.of[int(problem.w.argmax())]
        self.weights, self.full = start(problem), False
        self.unit = min(COARSE, float(self.weights @ problem.q / problem.q.sum()))
        self.lower, self.radius = -math.inf, 0.0

    def run(self, done: Done, gap: float) -> None:
        """Search at finer and finer resolution, until that has not helped for a while.

        The fuzzy edge costs about ``unit**2 * sum(q) / 6``, so the unit that the gap needs is known
        beforehand. Where the first ball comes to nothing, start again from a very fuzzy one.
        """
        needed = 0.7 * math.sqrt(6 * gap / self.problem.q.sum())
        unit, failures = min(self.unit, max(needed, FIRST)), 0
        if not max(unit, self.finest()) < math.inf:
            return
        self._stage(max(unit, self.finest()), done)
        if self.pool.upper - self.pool.proved > LOST:
            unit = 2 * self.unit
        while not done(self.pool.proved, self.pool.upper) and failures < PATIENCE:
            unit /= 2 if unit > 0.1 else min(4, max(unit / needed, 2))
            if unit < self.finest():
                return
            before = self.pool.upper - self.pool.proved
            self._stage(unit, done)
            failures += self.pool.upper - self.pool.proved > 0.8 * before

    def finest(self) -> float:
        """Smallest unit in nats for which there are time and memory."""
        star = self.star
        span = float(self.weights @ self.problem.q) + 0.5 * float(self.weights[star] @ self.problem.q[star])
        states = min(self.room() / len(self.problem) - STEP, STATES)
        # Bounds look further than the ball reaches, but without flip rates that is four times as fast.
        return max(span, (span + REACH) / 4) / states if states > 1 else math.inf

    def _stage(self, unit: float, done: Done) -> None:
        """Search at one resolution."""
        self._settle(unit, done)
        self.prove(unit / 2)
        if not done(self.pool.proved, self.pool.upper):
            self.pool.mix()

    def _settle(self, unit: float, done: Done) -> None:
        """Move the weights towards the point where the ball has the flip rates wanted."""
        problem, kinds, memory = self.problem, self.kinds, Memory()
        small = 0.003 * unit**2 * problem.q.sum()  # beside what the fuzzy edge costs
        for step in range(ROUNDS):
            if step < FREE:
                if self.finest() > 1.01 * unit and step:  # the weights have grown
                    return
                radius, mass = self._free(unit)
                memory = Memory()
            ball = Ball.of(problem, self._units(unit), radius)
            column = self.pool.add(ball)
            self.pool.offer([column], np.array([mass]))
            if np.abs(mass * column.supply - 1).max() < small or done(self.lower, self.pool.upper):
                return
            move = aim(problem, ball.rates, mass) / min(max(ball.hazard(EDGE / unit) / unit, 0.5), 50)
            move[self.star & self.full] = 0
            weights = memory.accelerate(self.weights, move, np.sqrt(ball.rates * (1 - ball.rates)))
            self.weights = (np.bincount(kinds.of, weights) / kinds.count)[kinds.of]

    def _units(self, unit: float) -> Floats:
        """Weights in units; attributes that never lie weigh infinitely much."""
        return np.where(self.star & self.full, np.inf, self.weights / unit)

    def _free(self, unit: float) -> tuple[float, float]:
        """Find the star's weight, and the threshold (in units) and the mass of the ball that go with it."""
        top = self.problem.w.max()
        found = bound(self.problem, self.weights / unit, self.star, REACH / unit)
        self.lower, self.radius = max(self.lower, found.lower), found.radius * unit
        self.weights = np.where(self.star, found.star * unit, self.weights)
        self.full = found.star >= found.radius
        if self.full:
            return found.radius, top
        ball = Ball.of(self.problem, self._units(unit), found.radius)
        return found.radius, max(math.exp(min(found.lower + ball.log_mass, 700)), top)

    def prove(self, unit: float) -> None:
        """Round the weights to whole units, and keep the bound that these prove if it is the best."""
        problem = self.pool.asked
        weights = np.rint(np.minimum(self.weights / unit, 2.0**500))
        weights[self.star] = min(round(bound(problem, weights, self.star, REACH / unit).star), 2**500)
        self.pool.prove(weights if weights.any() else np.ones(len(problem)))  # one kind alone


def bound(problem: Problem, weights: Floats, star: NDArray[np.bool_], reach: float) -> Bound:
    """Prove as large an excess as weights can; those of the star attributes, all of a kind, are chosen.

    The attributes of the largest ``w`` may have to weigh so much that they never lie.
    """
    radius, gain = float(weights[~star] @ problem.q[~star]), float(weights[~star] @ problem.d[~star])
    reach += 1.5 * float(weights[star] @ problem.q[star])
    ball = Ball(problem, np.where(star, np.inf, weights), math.ceil(radius + reach) + 2)
    short = np.concatenate([[0.0], np.cumsum(np.cumsum(ball.below))])  # E[(T - weight)^+] at T = 0, 1, ...
    n, a, q, d = (x[star][0] for x in (np.full(len(star), star.sum()), problem.sizes, problem.q, problem.d))
    lies = np.arange(n + 1)
    log_times = (
        scipy.special.gammaln(n + 1)
        - scipy.special.gammaln(lies + 1)
        - scipy.special.gammaln(n - lies + 1)
        + lies * math.log(a - 1)
    )

    def log_proved(log_weight: float) -> float:
        weight = math.exp(log_weight)
        T = radius + n * q * weight
        left = np.clip(T - lies * weight, 0, len(short) - 2)
        below = left.astype(np.int64)
        room = short[below] + (left - below) * (short[below + 1] - short[below])
        with np.errstate(divide="ignore"):
            return math.log(gain + n * d * weight) - float(scipy.special.logsumexp(log_times + np.log(room)))

    top = min(math.log(len(short) - 2 - radius) - math.log(n * q), 690.0)  # e^690 is no overflow
    grid = np.linspace(-20, top, 120)
    best = int(np.argmax([log_proved(x) for x in grid]))
    around = grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)]
    found = scipy.optimize.minimize_scalar(lambda x: -log_proved(x), bounds=around, method="bounded").x
    log_weight = float(max(found, grid[best], key=log_proved))
    weight = math.exp(log_weight)
    return Bound(log_proved(log_weight) - ball.log_scale, radius + n * q * weight, weight)


def aim(problem: Problem, rates: Floats, mass: float) -> Floats:
    """How much each weight should change for the ball to have the flip rates wanted."""
    target = np.maximum(problem.q * (1 - problem.w / mass), LEAST)
    with np.errstate(divide="ignore", invalid="ignore"):
        move = np.log(rates / (1 - rates)) - np.log(target / (1 - target))
    return np.clip(np.nan_to_num(move, nan=0, neginf=-2, posinf=2), -2, 2)


class Memory:
    """Anderson's acceleration: past steps are combined so that the next one would have been 0."""

    def __init__(self) -> None:
        self.points: list[Floats] = []
        self.moves: list[Floats] = []

    def accelerate(self, point: Floats, move: Floats, scale: Floats) -> Floats:
        """Return the next point."""
        better = move
        if self.points:
            dx = np.array([point - x for x in self.points]).T
            dm = np.array([move - m for m in self.moves]).T
            mix = np.linalg.lstsq(dm * scale[:, None], move * scale, rcond=1e-8)[0]
            better = move - (dx + dm) @ mix
        self.points, self.moves = [*self.points[1 - MEMORY :], point], [*self.moves[1 - MEMORY :], move]
        return np.maximum(point + np.clip(better, -1, 1), LIGHT)


def start(problem: Problem) -> Floats:
    """Weights that are right for very many attributes.

    The probability of a ball with flip rates ``r`` falls like ``exp(-sum kl(r, p))``; the rates follow
    from the mass ``M``, ``r = q (1 - w / M)``, and the best mass is found on a line.
    """
    q, p, w, a = problem.q, problem.p, problem.w, problem.sizes

    def rates(x: float) -> tuple[Floats, Floats]:
        less = w / w.max() / (1 + math.exp(x))
        return np.maximum(q * (1 - less), LEAST), problem.truth + q * less

    def cost(x: float) -> float:
        r, truth = rates(x)
        return float(np.logaddexp(0, x) + (r * np.log(r / p) + truth * np.log(truth * a)).sum())

    grid = np.linspace(-16, 16, 65)
    best = grid[int(np.argmin([cost(x) for x in grid]))]
    x = scipy.optimize.minimize_scalar(cost, bounds=(best - 0.5, best + 0.5), method="bounded").x
    r, truth = rates(x)
    return np.maximum(np.log(truth * (a - 1) / r), LIGHT)
