"""The optimum over all flip laws, found by HiGHS in the form of the dual bound, and proved.

Instead of the paper's ``k 2^(k-1)`` inequalities, HiGHS sees a row for each attribute and a bounded
variable for each flip set: maximize ``tau`` such that ``sum_S v_S (q_i - B_i(S)) >= tau d_i`` for
every attribute ``i``, where the mass ``v_S`` above the uniform part is at most ``m`` times the uniform
probability of ``S``. The smallest excess that gives the levels is then ``m / tau``. Monotonicity is
asked for only where an answer lacks it. Rounding is repaired, never trusted: what comes back has
exactly the levels asked, and bounds on how far from optimal it can be.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce

import numpy as np
import scipy

from orr.arrays import Floats, Integers
from orr.clock import Clock
from orr.laws.table import Table
from orr.optimum.certificate import NotCertified, dual_bound
from orr.problem import Problem
from orr.rounding import ULP, Unsound, level_below

CLOSED = 1e-10
# Method, presolve and unit of mass, tried in turn; the first is the fastest and nearly always enough.
WAYS = (
    ("highs-ds", False, 1.0),
    ("highs-ds", True, 1e3),
    ("highs-ipm", True, 1.0),
    ("highs-ds", True, 1e-3),
)
INFINITE = 1e19  # HiGHS takes bounds of 1e20 for none, and has crashed on such programs
HIGHEST = 100.0  # level beyond which it has been seen to run on for ever, whatever its time limit
UNSOLVED = "HiGHS finds no solution at sizes and levels this high; try radius_one"


class Solver:
    """The state of one solution: which flip sets and which monotonicity rows HiGHS is shown.

    Flip sets are numbered in binary, attribute 0 first, as in the cube of a Table.
    """

    def __init__(self, problem: Problem, clock: Clock) -> None:
        self.asked, self.clock = problem, clock
        k = len(problem)
        self.units = 24.0 + k  # a flip probability here is a pairwise sum of products, next to q
        self.problem = problem.eased(self.units)
        self.uniform = problem.uniform.ravel()
        self.shown = np.zeros(2**k, dtype=bool)
        self.monotone: set[int] = set()
        self.weigh(problem.epsilons / problem.epsilons.max())
        self.scale = self.lower

    def run(self, done: Callable[[float, float], bool] | None = None) -> Table:
        """Show HiGHS more until the bounds meet or nothing is left to show.

        ``done`` is told the bounds, as logarithms of the excess; ``proof`` and ``proved`` are the best
        weights and the level that they prove.
        """
        lower, self.proof, upper = self.lower, self.weights, np.inf
        best: Table | None = None
        margin, ways = 1.0, list(WAYS)
        while ways and 0 < self.scale < np.inf and _open(lower, upper):
            before = np.count_nonzero(self.shown), len(self.monotone)
            self.shown |= self.gains > -margin
            margin = 1e-3
            share = self._ask(*ways[0])
            if share is None:
                ways.pop(0)
                continue
            if self.lower > lower:
                lower, self.proof = self.lower, self.weights
            for guess in (share, self._sharpen(share)):
                self._close(guess)
                candidate = self._feasible(guess * self.scale)
                if candidate is not None and candidate.excess.max() < upper:
                    best, upper = candidate, candidate.excess.max()
                if not _open(lower, upper):
                    break
            if done is not None and lower > 0 and done(math.log(lower), math.log(upper)):
                break
            if before == (np.count_nonzero(self.shown), len(self.monotone)):
                ways.pop(0)
        self.weigh(self.proof)
        if best is None:
            raise NotCertified(UNSOLVED)
        return best

    @property
    def proved(self) -> float:
        """Level that the weights taken last prove."""
        return level_below(math.log(self.lower), 4) if self.lower > 0 else 0.0

    def weigh(self, weights: Floats) -> None:
        """Take weights of the attributes, and the lower bound that they prove."""
        self.weights = weights
        pairs = np.column_stack([np.zeros_like(weights), self.weights])
        self.gains = self.weights @ self.asked.q - reduce(np.add.outer, pairs).ravel()
        self.lower = dual_bound(self.asked, self.weights, self.gains, self.uniform)

    def _ask(self, method: str, presolve: bool, unit: float) -> Floats | None:
        """Solve the linear program over the flip sets shown; give each set's share of the excess."""
        shown, d = np.flatnonzero(self.shown), self.problem.d
        flips = shown[:, None] >> np.arange(len(d))[::-1] & 1
        supplies = ((self.problem.q - flips) / d).T
        rows = [np.hstack([-supplies, np.ones((len(d), 1))])]
        rows += [self._monotone_rows(i, shown, flips[:, i]) for i in sorted(self.monotone)]
        matrix = (
            scipy.sparse.vstack([scipy.sparse.csr_array(row) for row in rows]) if self.monotone else rows[0]
        )
        room = self.uniform[shown] * self.scale * unit
        if not room.max() < INFINITE or self.asked.epsilons.max() > HIGHEST:
            return None
        result = scipy.optimize.linprog(
            np.append(np.zeros(len(shown)), -1.0),
            A_ub=matrix,
            b_ub=np.zeros(matrix.shape[0]),
            bounds=np.column_stack([np.zeros(len(shown) + 1), np.append(room, np.inf)]),
            method=method,
            options={
                "presolve": presolve,
                "time_limit": max(self.clock.left, 0.01),
                "primal_feasibility_tolerance": 1e-10,
                "dual_feasibility_tolerance": 1e-10,
            },
        )
        weights = np.maximum(-result.ineqlin.marginals[: len(d)] / d, 0) if result.status == 0 else d * 0
        if not (weights.any() and np.isfinite(weights).all()):
            return None
        self.weigh(weights / weights.max())
        share = np.zeros(len(self.shown))
        share[shown] = np.clip(result.x[:-1] / room, 0, 1)
        return share

    def _sharpen(self, share: Floats) -> Floats:
        """Give all or nothing wherever the weights leave no doubt: HiGHS overlooks rare flip sets."""
        doubt = 1e-7 * (self.weights @ self.problem.q)
        return np.where(np.abs(self.gains) > doubt, self.gains > 0, share)

    def _monotone_rows(self, i: int, shown: Integers, flipped: Integers) -> scipy.sparse.csr_array:
        """Rows that forbid a lie of attribute i to make a record likelier."""
        lies = np.flatnonzero(flipped)
        truths = np.searchsorted(shown, shown[lies] - (1 << (len(self.problem) - 1 - i)))
        entries = np.repeat([1.0, 1.0 - self.problem.sizes[i]], len(lies))
        places = np.tile(np.arange(len(lies)), 2), np.concatenate([lies, truths])
        return scipy.sparse.csr_array((entries, places), shape=(len(lies), len(shown) + 1))

    def _close(self, share: Floats) -> None:
        """Make the shares monotone in place, and remember the attributes that were not."""
        for i in range(len(self.problem)):
            truth, lies = _halves(share, i)
            if (lies - truth).max() > CLOSED:
                self.monotone.add(i)
            np.maximum(truth, lies, out=truth)

    def _feasible(self, excess: Floats) -> Table | None:
        """Re-randomize until every attribute has its level."""
        k, w = len(self.problem), self.asked.w
        supply = self._supplies(excess, self.problem.w)
        if not 0 < supply.min() < np.inf or not np.isfinite(excess.max() / supply.min()):
            return None
        excess, supply = self._supplement(excess, supply)
        mass = (self.uniform * excess).sum()
        # Half of what the levels were raised by stays, so that no flip probability is too high.
        supply = self._supplies(excess, w + ULP * self.units / 2 * (min(1.0, mass) + w))
        for i, size in enumerate(self.problem.sizes):
            mix = max((supply[i] - 1) / (supply[i] + mass), 0)
            truth, lies = _halves(excess, i)
            mean = truth / size + lies * (1 - 1 / size)
            for half in (truth, lies):
                half += mix * (mean - half)
        try:
            return Table(self.asked, excess.reshape((2,) * k))
        except Unsound:
            return None

    def _supplies(self, excess: Floats, w: Floats) -> Floats:
        """``E[G (q_i - B_i)] / d_i``, which must be 1; written so that equal values cancel exactly."""
        supplies = []
        for i, size in enumerate(self.problem.sizes.tolist()):
            truth, lies = _halves(excess, i)
            supplies.append((_halves(self.uniform, i)[0] * ((truth - lies) / w[i] - size * lies)).sum())
        return np.array(supplies)

    def _supplement(self, excess: Floats, supply: Floats) -> tuple[Floats, Floats]:
        """Make up for what rounding left missing, by more of everything or by more of the truth."""
        factors, truth = 1 / supply, self.uniform[0]
        missing = np.maximum((1 - np.outer(factors, supply)) * self.problem.w, 0).max(axis=1)
        cost = factors * excess.max() + missing / truth
        best = factors.argmax() if cost[factors.argmax()] <= cost.min() * (1 + CLOSED) else cost.argmin()
        excess = excess * factors[best]
        excess[0] += missing[best] / truth
        return excess, supply * factors[best] + missing[best] / self.problem.w


def _open(lower: float, upper: float) -> bool:
    """Tell whether the bounds are still apart."""
    return bool(np.log1p(upper) - np.log1p(lower) > CLOSED * min(1.0, np.log1p(upper)))


def _halves(cube: Floats, i: int) -> tuple[Floats, Floats]:
    """Split the flip sets, as views, into those without attribute i and those with it."""
    split = cube.reshape(2**i, 2, -1)
    return split[:, 0], split[:, 1]
