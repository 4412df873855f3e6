"""The linear program of an optimum whose neighbour levels are capped (chapter price).

Attributes of one size and level are interchangeable, so a flip set is described by how many of each
kind flip: its *state*. HiGHS is shown the states in units of a reference: ``u = x / reference``, all of
them near 1 once the reference is good, and its answer becomes the next reference. Rounding is
repaired, never trusted: what comes back keeps its caps and levels, and the multipliers of the rows,
evaluated again, prove how low any such mechanism can go.
"""

from __future__ import annotations

import math

import numpy as np
import scipy

from orr.arrays import Floats, Integers
from orr.caps.proofs import Prices
from orr.laws.cells import Cells
from orr.problem import Kinds, Problem
from orr.progress import Clock
from orr.rounding import RATES, ULP, Unsound

Rows = tuple[Integers, Integers, Floats]

CLOSED, KEPT = 1e-8, 1e-12
REACH, SURPLUS = 7.0, 1e-12
# Method, presolve, unit of the levels' rows, and the largest coefficient of the other rows shown.
WAYS = (
    ("highs-ds", True, 1e3, 1e6),
    ("highs-ds", False, 1e3, 1e3),
    ("highs-ds", True, 1e3, 1.1),
    ("highs-ds", False, 1e6, 1.1),
    ("highs-ipm", True, 1e3, 1e3),
    ("highs-ds", False, 1.0, 1e6),
)


class Program:
    """The linear program over the states. ``log_x`` is the logarithm of a density at each of them."""

    def __init__(self, problem: Problem, slack: float, clock: Clock) -> None:
        self.problem, self.kinds = problem, Kinds(problem)
        self.clock = clock
        self.n, kind = self.kinds.count, self.kinds.problem
        # A neighbour level above the sum of the levels does not occur in an optimum.
        self.caps = np.minimum(np.minimum(1 + slack, 1e300) * kind.epsilons, problem.epsilons.sum())
        self.shape = tuple((self.n + 1).tolist())
        self.flips = np.indices(self.shape).reshape(len(kind), -1)
        self.places = np.arange(self.flips.shape[1]).reshape(self.shape)
        self.log_uniform = self.kinds.log_uniform(self.flips.T)
        # How much a state helps each kind: q - B over its variance q (1 - q).
        share = (self.flips / self.n[:, None]).T
        self.variance = kind.q * kind.truth
        self.gains = ((1 - share) / kind.truth - share / kind.q).T

    def solve(self) -> tuple[Cells | None, Prices | None]:
        """Find the best law, if there is one, and what proves how low any other can go."""
        self.best, self.lower, self.upper = np.empty(0), -math.inf, math.inf
        self.prices: Prices | None = None
        for start in (self._plateaus(), self._kronecker()):
            self._improve(start)
        try:
            return (self._repaired(self.best) if self.upper < math.inf else None), self.prices
        except Unsound:
            return None, self.prices

    def _improve(self, reference: Floats) -> None:
        """Improve a reference until the bounds meet or nothing helps."""
        ways, surplus = list(WAYS), SURPLUS
        while ways and self.upper - self.lower > CLOSED and self.clock.left > 0:
            lower, upper = self.lower, self.upper
            self.clock.log("%.6f to %.6f", lower, upper)
            answer = self._ask(reference, surplus, *ways[0])
            missing = 0.0
            if answer is not None:
                reference = self._close(answer[0])
                if answer[1] > lower:
                    self.lower, self.prices = answer[1:]
                level, missing = float(np.ptp(reference)), -float((self.gains @ self._law(reference)).min())
                if level < upper and missing <= 0:
                    self.best, self.upper = reference, level
            if missing > 0 and surplus < 1e-9:
                surplus *= 10
            elif not (self.upper < upper - 0.1 or self.upper - self.lower < (upper - lower) / 4):
                ways.pop(0)
                reference = reference if self.upper == math.inf else self.best

    def _kronecker(self) -> Floats:
        """Treat every attribute on its own."""
        return self.kinds.problem.epsilons @ (self.n[:, None] - self.flips)

    def _plateaus(self) -> Floats:
        """Fall at the rate of the caps from one plateau to another: optimal if there is but one kind."""
        fall, kind = self.caps @ self.flips, self.kinds.problem
        weights = (self.n * kind.epsilons * self.variance) @ self.gains

        def best(top: float) -> tuple[float, float]:
            def lost(shift: float) -> float:
                return -float(weights @ self._law(np.clip(shift - fall, 0, top)))

            result = scipy.optimize.minimize_scalar(lost, bounds=(0, fall.max() + top), method="bounded")
            return -result.fun, result.x

        total = float(self.problem.epsilons.sum())
        if best(total)[0] <= 0:
            return self._kronecker()
        top = scipy.optimize.brentq(lambda top: best(top)[0], 1e-9 * total, total)
        return np.clip(best(top)[1] - fall, 0, top)

    def _law(self, log_x: Floats) -> Floats:
        """Probability of every state."""
        return np.exp(log_x + self.log_uniform - log_sum(log_x + self.log_uniform))

    def _ask(
        self, log_x: Floats, surplus: float, method: str, presolve: bool, unit: float, shown: float
    ) -> tuple[Floats, float, Prices] | None:
        """Solve the linear program in units of a reference; return the answer, the bound and its proof."""
        log_x = log_x - log_x.min()
        count, top = len(log_x), log_x.max()
        supply = self.gains * self._law(log_x)
        likelier, other, factor = self.capped(log_x, math.log(shown))
        high = np.flatnonzero(top - log_x < math.log(shown))
        rows = [
            _rows(count + 1, likelier, other, factor),
            _rows(count + 1, high, np.full(len(high), count), np.exp(top - log_x[high])),
        ]
        reach = np.stack([np.exp(-np.minimum(log_x, REACH)), np.full(count, math.exp(REACH))], axis=1)
        result = scipy.optimize.linprog(
            np.append(np.zeros(count), 1.0),
            A_ub=scipy.sparse.vstack(rows),
            b_ub=np.zeros(len(likelier) + len(high)),
            A_eq=scipy.sparse.csr_array(np.column_stack([unit * supply, np.zeros(len(supply))])),
            b_eq=np.full(len(supply), unit * surplus),
            bounds=[*reach, (0, None)],
            method=method,
            options={
                "presolve": presolve,
                "time_limit": max(self.clock.left, 0.01),
                "primal_feasibility_tolerance": 1e-10,
                "dual_feasibility_tolerance": 1e-10,
            },
        )
        if result.status != 0 or not 0 < result.x[:-1].min() < math.inf:
            return None
        prices = np.maximum(-result.ineqlin.marginals[: len(factor)], 0)
        weights = unit * result.eqlin.marginals
        proved, moved = self._left(log_x, weights, (likelier, other, factor), prices)
        proof = self._proof(log_x, weights, [(likelier, other, prices), moved])
        return log_x + np.log(result.x[:-1]), proved, proof

    def capped(self, log_x: Floats, shown: float) -> Rows:
        """Pairs of states that a cap compares: ``u[likelier] <= factor * u[other]``."""
        likelier, other, factor = [], [], []
        for g, cap in enumerate(self.caps):
            fewer, more = (np.delete(self.places, end, axis=g).ravel() for end in (-1, 0))
            for i, j in ((fewer, more), (more, fewer)):
                room = cap + log_x[j] - log_x[i]
                seen = room < shown
                likelier.append(i[seen])
                other.append(j[seen])
                factor.append(np.exp(room[seen]))
        return np.concatenate(likelier), np.concatenate(other), np.concatenate(factor)

    def bound(self, log_x: Floats, weights: Floats, caps: Rows, prices: Floats) -> float:
        """Overall level that no mechanism goes below, from any weights of the kinds and prices of caps.

        The levels and caps make ``sum(rest * u)`` at least 0, where the rest is what weights and
        prices leave at each state. But ``u`` is between ``1 / x`` and ``exp(level) / x``. So the
        level is at least the logarithm of the sum of ``-rest / x`` where the rest is negative, less
        that of ``rest / x`` where it is positive.
        """
        return self._left(log_x, weights, caps, prices)[0]

    def _left(self, log_x: Floats, weights: Floats, caps: Rows, prices: Floats) -> tuple[float, Rows]:
        """Return that level, and what was moved along the caps to prove it."""
        supply = self.gains * self._law(log_x)
        rest, size = weights @ supply, np.abs(weights) @ np.abs(supply)
        likelier, other, factor = caps
        for place, flow in ((other, factor * prices), (likelier, -prices)):
            np.add.at(rest, place, flow)
            np.add.at(size, place, np.abs(flow))
        digits = 3 * len(supply) + 2 * RATES + 4 * np.ptp(log_x) + self.kinds.units(self.flips.T)
        rest, moved = self._moved(log_x, rest + ULP * digits * size)
        if not rest.min() < 0 < rest.max():
            return -math.inf, moved
        up, down = (scipy.special.logsumexp(-log_x, b=np.maximum(sign * rest, 0)) for sign in (1, -1))
        return float(down - up) - KEPT - 8 * ULP * (abs(float(up)) + abs(float(down))), moved

    def _proof(self, log_x: Floats, weights: Floats, rows: list[Rows]) -> Prices:
        """Write weights and prices without the reference."""
        likelier, other, prices = (np.concatenate(column) for column in zip(*rows, strict=True))
        paid = (prices > 0) & (prices < math.inf)
        likelier, other = likelier[paid], other[paid]
        kind = (self.flips[:, likelier] != self.flips[:, other]).argmax(axis=0)
        log_prices = (
            np.log(prices[paid]) - log_x[likelier] + scipy.special.logsumexp(log_x + self.log_uniform)
        )
        return Prices(weights / self.variance, np.column_stack([likelier, other, kind]), log_prices)

    def _moved(self, log_x: Floats, rest: Floats) -> tuple[Floats, Rows]:
        """Move what is positive, by way of the caps, to states with more flips if that costs less.

        The solver's tolerances leave a little at states where it would spoil the bound. One more
        flip multiplies it, but further on a negative rest outweighs it.
        """
        cost = np.where(rest < 0, 0.0, log_x.max() - log_x)
        target, loss = np.arange(len(rest)), np.zeros(len(rest))
        flips = self.flips.sum(axis=0)
        layers = [np.flatnonzero(flips == total) for total in range(flips.max() + 1)]
        for layer in layers[::-1]:
            for g, cap in enumerate(self.caps):
                here = layer[self.flips[g, layer] < self.n[g]]
                there = here + math.prod(self.shape[g + 1 :])
                step = cap + log_x[there] - log_x[here]
                better = cost[there] + step < cost[here]
                here, there, step = here[better], there[better], step[better]
                target[here], loss[here], cost[here] = there, step, cost[there] + step
        flow = np.zeros(len(rest))
        for layer in layers:
            moved = layer[(rest[layer] > 0) & (target[layer] != layer)]
            np.add.at(rest, target[moved], np.exp(loss[moved]) * rest[moved])
            flow[moved], rest[moved] = rest[moved], 0
        (moved,) = np.nonzero(flow)
        return rest, (moved, target[moved], flow[moved])

    def _close(self, log_x: Floats) -> Floats:
        """Raise what is too far below a neighbour."""
        cube = log_x.reshape(self.shape).copy()
        for g, cap in enumerate(self.caps):
            line = np.moveaxis(cube, g, 0)
            for i in range(1, len(line)):
                line[i] = np.maximum(line[i], line[i - 1] - cap)
            for i in range(len(line) - 1, 0, -1):
                line[i - 1] = np.maximum(line[i - 1], line[i] - cap)
        return cube.ravel()

    def _falling(self, log_x: Floats) -> Floats:
        """Raise what a flip would make likelier, unless an attribute would miss its level by that.

        Caps are kept. HiGHS leaves such states where they are too rare to matter.
        """
        cube = log_x.reshape(self.shape)
        for g in range(cube.ndim):
            cube = np.flip(np.maximum.accumulate(np.flip(cube, axis=g), axis=g), axis=g)
        risen = cube.ravel()
        return risen if (self.gains @ self._law(risen)).min() >= 0 else log_x

    def _repaired(self, log_x: Floats) -> Cells:
        """Make a law that re-randomizes what is too accurate, which keeps the caps."""
        level = self._falling(log_x - log_x.min())
        listed = level > 0
        log_excess = level[listed] + np.log(-np.expm1(-level[listed]))
        return Cells(self.problem, self.kinds, self.flips.T[listed], log_excess, deep=True)


def log_sum(logs: Floats) -> float:
    """Return ``logsumexp(logs)`` to the last bit, in a tenth of its time: this is asked very often."""
    top = logs.max()
    count = np.count_nonzero(logs == top)
    rest = np.exp(np.where(logs == top, -math.inf, logs) - top).sum()
    return float(np.log1p(rest / count) + np.log(float(count)) + top)


def _rows(columns: int, plus: Integers, minus: Integers, factor: Floats) -> scipy.sparse.csr_array:
    """Rows that say ``u[plus] - factor * u[minus]``."""
    rows = np.arange(len(plus))
    entries = np.concatenate([np.ones(len(plus)), -factor])
    places = np.concatenate([rows, rows]), np.concatenate([plus, minus])
    return scipy.sparse.csr_array((entries, places), shape=(len(plus), columns))
