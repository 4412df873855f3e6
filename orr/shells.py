"""The optimum over listed cells, by a linear program with a row for each kind of attribute.

HiGHS sees only a shell: the cells whose lies weigh about as much as the threshold. What lies deep
inside is taken whole, and the weights that come back tell where the next shell is. Both bounds are
computed from the answer, not taken from HiGHS.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.optimize import OptimizeResult, linprog
from scipy.sparse import csr_array, hstack
from scipy.special import logsumexp

from orr.cells import Cells, Kinds
from orr.laws import ULP
from orr.problem import Floats, Integers, Problem

MOST = 100_000  # cells that may be listed,
ROOM = 25_000_000  # and numbers that they may take
SHELL, LARGEST = 8_000, 30_000  # cells that HiGHS is shown, at first and at most
UNITS = 2.0**44  # threshold, in units of the weights: sums of weights are exact
STEPS = (1.0, 0.5, 0.2, 0.07, 0.02)


def whole(weights: Floats, load: Floats) -> Floats:
    """Round weights to whole numbers, so fine that the threshold is about 2^44."""
    units = weights * (UNITS / (weights @ load))
    return np.minimum(np.rint(np.nan_to_num(units, nan=0.0)), 2.0**62)  # 0 times infinity is 0 here


class Shells:
    """The state of one solution: the weights, the shell around them, and the bounds so far.

    Bounds are logarithms of the excess, ``exp(level) - 1``.

    Parameters
    ----------
    kinds : Kinds
        Sizes and levels, with equal attributes counted together.
    weights : ndarray
        First weights to try, one for each kind.
    """

    def __init__(self, kinds: Kinds, weights: Floats) -> None:
        self.kinds = kinds
        self.load = kinds.count * kinds.problem.q
        self.need = kinds.count * kinds.problem.d
        self.lower, self.upper = -math.inf, math.inf
        self.against = np.zeros((0, len(kinds)), dtype=np.int32)
        self.margin, self.most = 0.05, SHELL
        self.limit = min(MOST, ROOM // len(kinds))
        self.fits = self._weigh(weights)

    def run(self, done: Callable[[float, float], bool]) -> None:
        """Move the shell until the bounds meet, or for as long as it helps."""
        failures = 0
        while self.fits and failures < 4 and not done(self.lower, self.upper):
            cells = self._list()
            weights = self._ask(cells)
            if done(self.lower, self.upper):
                break
            old, better = self.weights / (self.weights @ self.need), False
            if weights is not None:
                new = weights / (weights @ self.need)
                better = any(self._weigh((1 - step) * old + step * new) for step in STEPS)
            if not better:
                failures, self.margin = failures + 1, 1.5 * self.margin
                self.most = min(3 * self.most, LARGEST)

    def _weigh(self, weights: Floats) -> bool:
        """Take weights if they prove more than all before; if not, remember what speaks against them."""
        weights = whole(weights, self.load)
        radius = float(weights @ self.load) * (1 + (len(weights) + 4) * ULP)
        cells = self.kinds.below(weights, radius, self.limit)
        if cells is None:
            return False
        short = logsumexp(self.kinds.log_uniform(cells) + np.log(radius - cells @ weights))
        lower = math.log(weights @ self.need) - float(short)
        lower -= ULP * (8 * self.kinds.count.sum() + 64 + 8 * abs(lower))
        if lower > self.lower:
            self.lower, self.weights, self.radius = lower, weights, radius
            return True
        gains = self.radius - cells @ self.weights
        outside = np.flatnonzero(gains < 0)
        outside = outside[np.argsort(-gains[outside], kind="stable")[: SHELL // 4]]
        self.against = np.concatenate([self.against, cells[outside]])
        return False

    def _list(self) -> Integers:
        """List the cells inside and some outside: near the threshold, or remembered."""
        cells = None
        while cells is None:
            cells = self.kinds.below(self.weights, self.radius * (1 + self.margin), self.limit)
            self.margin *= 1 if cells is not None else 0.5
        if len(cells) < 2 * np.count_nonzero(cells @ self.weights < self.radius):
            self.margin = min(1.7 * self.margin, 1.0)
        cells = np.concatenate([cells, self.against])
        _, different = np.unique(cells.astype(np.uint64) @ self.kinds.steps, return_index=True)
        return cells[different]

    def _ask(self, cells: Integers) -> Floats | None:
        """Solve the linear program over the shell; keep its law if it is the best, return its weights."""
        gains = self.radius - cells @ self.weights
        room = np.exp(self.kinds.log_uniform(cells) + self.lower)
        shell = np.zeros(len(cells), dtype=bool)
        shell[np.argsort(np.abs(gains), kind="stable")[: self.most]] = True
        result = self._solve(cells[shell], room[shell], self._supply(room * (~shell & (gains > 0)), cells))
        if result.status != 0:
            return None
        weights = np.maximum(-result.ineqlin.marginals, 0) / self.need
        if not weights.any():
            return None
        shares = (gains > 0).astype(float)
        shares[shell] = np.clip(result.x[: shell.sum()] / np.maximum(room[shell], 1e-300), 0, 1)
        gains = weights @ self.load - cells @ weights
        sure = np.abs(gains) > 1e-7 * (weights @ self.load)  # HiGHS overlooks rare cells
        for guess in (shares, np.where(sure, gains > 0, shares)):
            supply = self._supply(guess * room, cells).min()
            if supply > 0 and self.lower - math.log(supply) < self.upper:
                self.upper = self.lower - math.log(supply)
                self.cells, self.shares = cells[guess > 0], guess[guess > 0]
        return weights

    def _solve(self, cells: Integers, room: Floats, given: Floats) -> OptimizeResult:
        """Maximize the share ``tau`` of the levels that masses of the cells, within their room, give."""
        n, g = cells.shape
        q, d = self.kinds.problem.q, self.kinds.problem.d
        rows = [csr_array((cells / self.need).T), csr_array(np.column_stack([-q / d, np.ones(g)]))]
        total = hstack([csr_array(np.ones((1, n))), csr_array([[-1.0, 0.0]])])
        return linprog(
            np.append(np.zeros(n + 1), -1.0),
            A_ub=hstack(rows),
            b_ub=given,
            A_eq=total,
            b_eq=[0.0],
            bounds=[*zip(np.zeros(n), room, strict=True), (0, None), (None, None)],
            method="highs-ds",
            options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
        )

    def _supply(self, mass: Floats, cells: Integers) -> Floats:
        """Share of its level that each kind gets from masses of cells."""
        q, d = self.kinds.problem.q, self.kinds.problem.d
        return (q * mass.sum() - (mass @ cells) / self.kinds.count) / d

    def law(self, problem: Problem) -> Cells:
        """Return the best law found, repaired until every attribute has exactly its level."""
        mass = np.exp(self.kinds.log_uniform(self.cells) + self.upper) * self.shares
        supply = self._supply(mass / mass.sum(), self.cells)  # of a unit of mass
        kept = np.minimum((1 + 1 / mass.sum()) / (1 + supply), 1)
        log_excess = self.upper + np.log(self.shares)
        return Cells(problem, self.kinds, self.cells, log_excess, kept[self.kinds.of])
