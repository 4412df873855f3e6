"""The linear program of an optimum whose neighbour levels are capped (chapter price).

Attributes of one size and level are interchangeable, so a flip set is described by how many of each
kind flip: its *cell*. HiGHS is given densities in units of a reference: ``u = x / reference``, all of
them near 1 once the reference is good, and its answer becomes the next reference. Rounding is
repaired, never trusted: the law that is returned keeps its caps and levels, and the multipliers of the rows,
evaluated again, prove how low any such mechanism can go.
"""

from __future__ import annotations

import math

import numpy as np
import scipy

from orr.arrays import Floats, Integers
from orr.caps.deep_cells import DeepCells
from orr.caps.proofs import Prices
from orr.optimum.cell_program import HIGHS_FEASIBILITY_TOL
from orr.problem import Kinds, Problem
from orr.progress import Clock
from orr.rounding import RATE_UNITS, ULP, Unsound

Rows = tuple[Integers, Integers, Floats]

GAP_TOL = 1e-8  # nats, or share of a level above 1: bounds as close as that count as equal
BOUND_MARGIN = 1e-12  # nats that a bound is lowered by, for the rounding of the sums of logarithms behind it
# Largest change of the logarithm of a density from its reference in one program: a factor of a thousand.
MAX_LOG_CHANGE = 7.0
# Surplus of the levels that HiGHS is asked for, at first and at most: its rounding may cost as much.
FIRST_SURPLUS = 1e-12
MAX_SURPLUS = 1e-9
# Method, presolve, unit of the rows of levels, and the largest coefficient in the other rows. No setting of
# HiGHS solves every program: the next one is tried when one no longer helps.
ATTEMPTS = (
    ("highs-ds", True, 1e3, 1e6),
    ("highs-ds", False, 1e3, 1e3),
    ("highs-ds", True, 1e3, 1.1),
    ("highs-ds", False, 1e6, 1.1),
    ("highs-ipm", True, 1e3, 1e3),
    ("highs-ds", False, 1.0, 1e6),
)


class CappedProgram:
    """The linear program over the cells. ``log_x`` is the logarithm of a density at each of them."""

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
        # Gain of a cell for each kind: q - B over its variance q (1 - q).
        share = (self.flips / self.n[:, None]).T
        self.variance = kind.q * kind.truth
        self.gains = ((1 - share) / kind.truth - share / kind.q).T

    def solve(self) -> tuple[DeepCells | None, Prices | None]:
        """Return the best law and the best proof; None where there is none."""
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
        attempts, surplus = list(ATTEMPTS), FIRST_SURPLUS
        while attempts and self.upper - self.lower > GAP_TOL and self.clock.left > 0:
            lower, upper = self.lower, self.upper
            self.clock.log("%.6f to %.6f", lower, upper)
            answer = self._ask(reference, surplus, *attempts[0])
            missing = 0.0
            if answer is not None:
                reference = self._close(answer[0])
                if answer[1] > lower:
                    self.lower, self.prices = answer[1:]
                level, missing = float(np.ptp(reference)), -float((self.gains @ self._law(reference)).min())
                if level < upper and missing <= 0:
                    self.best, self.upper = reference, level
            if missing > 0 and surplus < MAX_SURPLUS:
                surplus *= 10
            elif not (self.upper < upper - 0.1 or self.upper - self.lower < (upper - lower) / 4):
                attempts.pop(0)
                reference = reference if self.upper == math.inf else self.best

    def _kronecker(self) -> Floats:
        """Return the logarithm of the density of the Kronecker mechanism."""
        return self.kinds.problem.epsilons @ (self.n[:, None] - self.flips)

    def _plateaus(self) -> Floats:
        """Return a density that falls at the caps between two plateaus: optimal if there is only one kind."""
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
        """Return the probability of every cell."""
        return np.exp(log_x + self.log_uniform - logsumexp(log_x + self.log_uniform))

    def _ask(
        self, log_x: Floats, surplus: float, method: str, presolve: bool, unit: float, largest: float
    ) -> tuple[Floats, float, Prices] | None:
        """Solve the linear program in units of a reference; return the answer, the bound and its proof."""
        log_x = log_x - log_x.min()
        count, top = len(log_x), log_x.max()
        supply = self.gains * self._law(log_x)
        likelier, other, factor = self.capped(log_x, math.log(largest))
        near_top = np.flatnonzero(top - log_x < math.log(largest))
        rows = [
            _rows(count + 1, likelier, other, factor),
            _rows(count + 1, near_top, np.full(len(near_top), count), np.exp(top - log_x[near_top])),
        ]
        low, high = np.exp(-np.minimum(log_x, MAX_LOG_CHANGE)), np.full(count, math.exp(MAX_LOG_CHANGE))
        result = scipy.optimize.linprog(
            np.append(np.zeros(count), 1.0),
            A_ub=scipy.sparse.vstack(rows),
            b_ub=np.zeros(len(likelier) + len(near_top)),
            A_eq=scipy.sparse.csr_array(np.column_stack([unit * supply, np.zeros(len(supply))])),
            b_eq=np.full(len(supply), unit * surplus),
            bounds=[*np.stack([low, high], axis=1), (0, None)],
            method=method,
            options={
                "presolve": presolve,
                "time_limit": max(self.clock.left, 0.01),
                "primal_feasibility_tolerance": HIGHS_FEASIBILITY_TOL,
                "dual_feasibility_tolerance": HIGHS_FEASIBILITY_TOL,
            },
        )
        if result.status != 0 or not 0 < result.x[:-1].min() < math.inf:
            return None
        prices = np.maximum(-result.ineqlin.marginals[: len(factor)], 0)
        weights = unit * result.eqlin.marginals
        proved, moved = self.bound(log_x, weights, (likelier, other, factor), prices)
        proof = self._proof(log_x, weights, [(likelier, other, prices), moved])
        return log_x + np.log(result.x[:-1]), proved, proof

    def capped(self, log_x: Floats, log_largest: float) -> Rows:
        """Return the pairs of cells that a cap compares, ``u[likelier] <= factor * u[other]``.

        Pairs with a factor above the largest are left out.
        """
        likelier, other, factor = [], [], []
        for g, cap in enumerate(self.caps):
            fewer, more = (np.delete(self.places, end, axis=g).ravel() for end in (-1, 0))
            for i, j in ((fewer, more), (more, fewer)):
                log_factor = cap + log_x[j] - log_x[i]
                kept = log_factor < log_largest
                likelier.append(i[kept])
                other.append(j[kept])
                factor.append(np.exp(log_factor[kept]))
        return np.concatenate(likelier), np.concatenate(other), np.concatenate(factor)

    def bound(self, log_x: Floats, weights: Floats, caps: Rows, prices: Floats) -> tuple[float, Rows]:
        """Return a level that no mechanism goes below, from any weights of the kinds and prices of caps.

        The levels and caps make ``sum(rest * u)`` at least 0, where the rest is what weights and
        prices leave at each cell. But ``u`` is between ``1 / x`` and ``exp(level) / x``. So the
        level is at least the logarithm of the sum of ``-rest / x`` where the rest is negative, less
        that of ``rest / x`` where it is positive. Return also the flows along the caps that prove it.
        """
        supply = self.gains * self._law(log_x)
        rest, size = weights @ supply, np.abs(weights) @ np.abs(supply)
        likelier, other, factor = caps
        for place, flow in ((other, factor * prices), (likelier, -prices)):
            np.add.at(rest, place, flow)
            np.add.at(size, place, np.abs(flow))
        digits = 3 * len(supply) + 2 * RATE_UNITS + 4 * np.ptp(log_x) + self.kinds.units(self.flips.T)
        rest, moved = self._moved(log_x, rest + ULP * digits * size)
        if not rest.min() < 0 < rest.max():
            return -math.inf, moved
        with np.errstate(over="ignore"):  # a sum that overflows proves nothing
            up, down = (float(scipy.special.logsumexp(-log_x, b=np.maximum(s * rest, 0))) for s in (1, -1))
        return down - up - BOUND_MARGIN - 8 * ULP * (abs(up) + abs(down)), moved

    def _proof(self, log_x: Floats, weights: Floats, rows: list[Rows]) -> Prices:
        """Return weights and prices without the reference."""
        likelier, other, prices = (np.concatenate(column) for column in zip(*rows, strict=True))
        paid = (prices > 0) & (prices < math.inf)
        likelier, other = likelier[paid], other[paid]
        kind = (self.flips[:, likelier] != self.flips[:, other]).argmax(axis=0)
        log_prices = (
            np.log(prices[paid]) - log_x[likelier] + scipy.special.logsumexp(log_x + self.log_uniform)
        )
        with np.errstate(over="ignore"):  # infinite weights prove nothing
            weights = weights / self.variance
        return Prices(weights, np.column_stack([likelier, other, kind]), log_prices)

    def _moved(self, log_x: Floats, rest: Floats) -> tuple[Floats, Rows]:
        """Move positive rests along the caps to cells with more flips, if that costs less.

        The solver's tolerances leave a little at cells where it would spoil the bound. One more
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
            with np.errstate(over="ignore"):  # what overflows proves nothing
                np.add.at(rest, target[moved], np.exp(loss[moved]) * rest[moved])
            flow[moved], rest[moved] = rest[moved], 0
        (moved,) = np.nonzero(flow)
        return rest, (moved, target[moved], flow[moved])

    def _close(self, log_x: Floats) -> Floats:
        """Raise densities that are too far below a neighbour for its cap."""
        cube = log_x.reshape(self.shape).copy()
        for g, cap in enumerate(self.caps):
            line = np.moveaxis(cube, g, 0)
            for i in range(1, len(line)):
                line[i] = np.maximum(line[i], line[i - 1] - cap)
            for i in range(len(line) - 1, 0, -1):
                line[i - 1] = np.maximum(line[i - 1], line[i] - cap)
        return cube.ravel()

    def _falling(self, log_x: Floats) -> Floats:
        """Raise cells that a flip would make likelier, unless an attribute would then miss its level.

        Caps are kept. HiGHS leaves such cells where they are too rare to matter.
        """
        cube = log_x.reshape(self.shape)
        for g in range(cube.ndim):
            cube = np.flip(np.maximum.accumulate(np.flip(cube, axis=g), axis=g), axis=g)
        risen = cube.ravel()
        return risen if (self.gains @ self._law(risen)).min() >= 0 else log_x

    def _repaired(self, log_x: Floats) -> DeepCells:
        """Return the law of a density; re-randomizing attributes that are too accurate keeps the caps."""
        level = self._falling(log_x - log_x.min())
        listed = level > 0
        log_excess = level[listed] + np.log(-np.expm1(-level[listed]))
        return DeepCells(self.problem, self.kinds, self.flips.T[listed], log_excess)


def logsumexp(logs: Floats) -> float:
    """Return ``scipy.special.logsumexp(logs)``, equal to the last bit, in a tenth of its time."""
    top = logs.max()
    count = np.count_nonzero(logs == top)
    rest = np.exp(np.where(logs == top, -math.inf, logs) - top).sum()
    return float(np.log1p(rest / count) + np.log(float(count)) + top)


def _rows(columns: int, plus: Integers, minus: Integers, factor: Floats) -> scipy.sparse.csr_array:
    """Return the rows of ``u[plus] - factor * u[minus]``."""
    rows = np.arange(len(plus))
    entries = np.concatenate([np.ones(len(plus)), -factor])
    places = np.concatenate([rows, rows]), np.concatenate([plus, minus])
    return scipy.sparse.csr_array((entries, places), shape=(len(plus), columns))
