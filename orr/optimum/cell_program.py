"""The optimum over listed cells, by a linear program with a row for each kind (chapter linear-program).

Maximize the share ``tau`` of the levels that masses above the uniform part can give, where the mass of a
cell is at most its *capacity*, ``m`` times its uniform probability; the smallest excess that gives the levels
is then ``m / tau``. HiGHS sees only a *shell* of the cells: those whose flips weigh about as much as the
threshold. Cells deep inside are filled, and the weights that come back tell where the next shell is.
Both bounds are computed from the answer, not taken from HiGHS.

Among the optima one is chosen that does not depend on the solver: the one with the softest edge
(:mod:`orr.optimum.central_path`) that costs no more than a small share of the level. It is the only
solution of a smooth problem, so it moves with the levels, is the same for equal attributes, and falls with
every flip.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import scipy

from orr.arrays import Floats, Integers
from orr.laws.ball import FAR
from orr.laws.cells import Cells
from orr.optimum.bound import listed, threshold, whole
from orr.optimum.central_path import MAX_STAGES, Path, start
from orr.optimum.laplace import QUICK_NUMBERS, CellSum, counting
from orr.problem import Kinds, Problem
from orr.rounding import Unsound

# Cells that are listed, and numbers that they take: 100 MB as 32-bit integers.
MAX_CELLS = 100_000
MAX_CELL_NUMBERS = 25_000_000
MIN_CELLS = 300  # at least this many cells are listed, or all: a linear program of 300 takes no time
# Radii beyond the threshold within which cells are listed: at first, and at most.
FIRST_MARGIN = 0.05
MAX_MARGIN = 100.0
# Cells in the shell that HiGHS sees: at first, and at most.
FIRST_SHELL = 8_000
MAX_SHELL = 30_000
MAX_FAILURES = 4  # failures to improve the bound before giving up
DENSE_NUMBERS = 100_000  # matrices of fewer numbers are given to HiGHS as dense ones
HIGHS_INFINITY = 1e19  # HiGHS takes bounds of 1e20 for infinite, and has crashed on such programs
MAX_HIGHS_LEVEL = 100.0  # nats: at higher levels HiGHS has been seen to run for ever, whatever its time limit
STEP_SIZES = (1.0, 0.5, 0.2, 0.07, 0.02)  # parts of the way to the weights of HiGHS that are tried
HIGHS_FEASIBILITY_TOL = 1e-10  # the smallest that HiGHS allows, of rows and of prices
HIGHS_TOL = 1e-7  # share of the threshold within which HiGHS overlooks rare cells
# Nats: laws whose neighbour levels differ by less count as the same. Larger laws take seconds to compare.
SAME_LAW_TOL = 1e-4
MAX_COMPARED_CELLS = 2**16
SOFT_COST_TOL = 1e-9  # nats that a soft edge may cost, or scaling its law up to the levels


class CellProgram:
    """The search for the best law over listed cells: weights, the shell around them, and bounds.

    Bounds are logarithms of the excess, ``exp(level) - 1``.

    Parameters
    ----------
    kinds : Kinds
        Sizes and levels, with equal attributes counted together. Lower bounds are for these.
    relaxed : Problem
        The same kinds with the levels that the law must have before repairs (:meth:`Problem.relaxed`).
    weights : ndarray
        First weights to try, one for each kind.
    time_left : callable
        Seconds that are left.

    Attributes
    ----------
    lower, weights, radius : float, ndarray, float
        The best lower bound, the whole weights that prove it, and their threshold.
    upper, cells, shares : float, ndarray, ndarray
        The best upper bound, the cells of its law, and the share of their capacity that they have.
    cuts : ndarray
        Cells outside the best ball that weights with a lower bound had inside.
    margin, shell_size : float, int
        How far beyond the threshold cells are listed, and how many of them HiGHS sees.
    """

    def __init__(
        self,
        kinds: Kinds,
        relaxed: Problem,
        weights: Floats,
        time_left: Callable[[], float] = lambda: math.inf,
    ) -> None:
        self.kinds, self.relaxed, self.time_left = kinds, relaxed, time_left
        self.load = kinds.count * kinds.problem.q
        self.need = kinds.count * kinds.problem.d
        self.lower, self.upper = -math.inf, math.inf
        self.cuts = np.zeros((0, len(kinds)), dtype=np.int32)
        self.margin, self.shell_size = FIRST_MARGIN, FIRST_SHELL
        self.max_cells = min(MAX_CELLS, MAX_CELL_NUMBERS // len(kinds))
        self.min_cells = min(MIN_CELLS, math.prod((kinds.count + 1).tolist()))
        self.started = self._improve(weights)

    def run(self, done: Callable[[float, float], bool]) -> None:
        """Move the shell until the bounds meet, or for as long as it helps."""
        failures = 0
        while self.started and failures < MAX_FAILURES and not done(self.lower, self.upper):
            weights = self._ask(self._list())
            if done(self.lower, self.upper):
                break
            old, better = self.weights / (self.weights @ self.need), False
            if weights is not None:
                new = weights / (weights @ self.need)
                better = any(self._improve((1 - step) * old + step * new) for step in STEP_SIZES)
            if not better:
                failures, self.margin = failures + 1, 1.5 * self.margin
                self.shell_size = min(3 * self.shell_size, MAX_SHELL)

    def follow(self, path: Path, done: Callable[[float, float], bool]) -> None:
        """Follow a path of soft edges until the bounds meet: unlike HiGHS it loses no digits at any scale."""
        for stage in range(MAX_STAGES if self.started else 0):
            try:
                if stage:
                    path.narrow()
                path.settle(lambda: self.time_left() < 0, SOFT_COST_TOL)
                for weights in (path.here.limit, path.here.weights):
                    self._improve(path.unscaled(weights))
            except (Unsound, np.linalg.LinAlgError):
                return
            found = self._logistic(path.unscaled(path.here.weights))
            if found is not None and found[1].max() < self.upper:
                self.upper, shares = float(found[1].max()), np.exp(found[1] - found[1].max())
                self.cells, self.shares = found[0][shares > 0], shares[shares > 0]
            if path.here.cost < SOFT_COST_TOL or done(self.lower, self.upper):
                return

    def _improve(self, weights: Floats) -> bool:
        """Keep the weights if they improve the lower bound; otherwise record the cells that cut them off."""
        weights = whole(weights, self.load)
        if not weights.any():
            return False
        radius = threshold(weights, self.load)
        cells = self.kinds.below(weights, radius, self.max_cells)
        if cells is None:
            return False
        lower = listed(self.kinds, weights, radius, cells)
        if lower > self.lower:
            self.lower, self.weights, self.radius = lower, weights, radius
            return True
        gains = self.radius - cells @ self.weights
        outside = np.flatnonzero(gains < 0)
        outside = outside[np.argsort(-gains[outside], kind="stable")[: FIRST_SHELL // 4]]
        self.cuts = np.concatenate([self.cuts, cells[outside]])
        return False

    def _list(self) -> Integers:
        """List the cells inside, those outside near the threshold, and the cuts."""
        cells = self.kinds.below(self.weights, self.radius * (1 + self.margin), self.max_cells)
        while cells is None or (len(cells) < self.min_cells and self.margin < MAX_MARGIN):
            self.margin *= 0.5 if cells is None else 2
            cells = self.kinds.below(self.weights, self.radius * (1 + self.margin), self.max_cells)
        cells = np.concatenate([cells, self.cuts])
        _, different = np.unique(cells.astype(np.uint64) @ self.kinds.steps, return_index=True)
        return cells[different]

    def _ask(self, cells: Integers) -> Floats | None:
        """Solve the linear program over the shell; keep its law if it is the best, return its weights."""
        gains = self.radius - cells @ self.weights
        with np.errstate(over="ignore"):
            capacity = np.exp(self.kinds.log_uniform(cells) + self.lower)
        if not capacity.max() < HIGHS_INFINITY or self.kinds.problem.epsilons.max() > MAX_HIGHS_LEVEL:
            return None
        shell = np.zeros(len(cells), dtype=bool)
        shell[np.argsort(np.abs(gains), kind="stable")[: self.shell_size]] = True
        given = self._supply(capacity * (~shell & (gains > 0)), cells)
        result = self._solve(cells[shell], capacity[shell], given)
        if result.status != 0:
            return None
        weights = np.maximum(-result.ineqlin.marginals, 0) / self.need
        if not (weights.any() and np.isfinite(weights).all()):
            return None
        shares = (gains > 0).astype(float)
        shares[shell] = np.clip(result.x[: shell.sum()] / np.maximum(capacity[shell], 1e-300), 0, 1)
        gains = weights @ self.load - cells @ weights
        sure = np.abs(gains) > HIGHS_TOL * (weights @ self.load)
        for guess in (shares, np.where(sure, gains > 0, shares)):
            supply = self._supply(guess * capacity, cells).min()
            if supply > 0 and self.lower - math.log(supply) < self.upper:
                self.upper = self.lower - math.log(supply)
                self.cells, self.shares = cells[guess > 0], guess[guess > 0]
        return weights

    def _solve(self, cells: Integers, capacity: Floats, given: Floats) -> scipy.optimize.OptimizeResult:
        """Maximize the share ``tau`` of the levels that masses of the cells give beside what is given."""
        n, g = cells.shape
        q, d = self.relaxed.q, self.relaxed.d
        rows = np.hstack([(cells / (self.kinds.count * d)).T, (-q / d)[:, None], np.ones((g, 1))])
        low, high = np.append(np.zeros(n + 1), -np.inf), np.append(capacity, [np.inf, np.inf])
        return scipy.optimize.linprog(
            np.append(np.zeros(n + 1), -1.0),
            A_ub=rows if rows.size < DENSE_NUMBERS else scipy.sparse.csr_array(rows),
            b_ub=given,
            A_eq=np.append(np.ones(n), [-1.0, 0.0])[None],
            b_eq=[0.0],
            bounds=np.stack([low, high], axis=1),
            method="highs-ds",
            options={
                "primal_feasibility_tolerance": HIGHS_FEASIBILITY_TOL,
                "dual_feasibility_tolerance": HIGHS_FEASIBILITY_TOL,
                "time_limit": max(self.time_left(), 0.01),
            },
        )

    def _supply(self, mass: Floats, cells: Integers) -> Floats:
        """Return the share of its level that each kind gets from masses of cells."""
        q, d = self.relaxed.q, self.relaxed.d
        with np.errstate(over="ignore", invalid="ignore"):  # masses may be infinite
            flips = np.array([(mass * column).sum() for column in cells.T])  # pairwise, as matmul is not
            return (q * mass.sum() - flips / self.kinds.count) / d

    def _mass(self, cells: Integers, log_shares: Floats) -> Floats:
        """Return the mass of cells that have a share of their capacity, at the best level."""
        with np.errstate(over="ignore"):  # a mass that overflows supplies no level
            return np.exp(self.kinds.log_uniform(cells) + self._level + log_shares)

    @property
    def _level(self) -> float:
        """The best upper bound, or the lower one before there is any."""
        return self.upper if self.upper < math.inf else self.lower

    def law(self, problem: Problem, share: float) -> Cells:
        """Return the law with the softest edge that costs at most a share of the level, or the best found."""
        cells, shares = monotone(self.kinds, self.cells, self.shares)
        # Moving mass to the truth helps every attribute, up to rounding.
        supply = self._supply(self._mass(cells, np.log(shares)), cells)
        top = self.upper - math.log(min(float(supply.min()), 1.0))
        found = Cells(problem, self.kinds, cells, top + np.log(shares))
        try:
            return self._softest(found, share * found.nominal_epsilon)
        except (Unsound, np.linalg.LinAlgError):
            return found

    def _softest(self, found: Cells, cost: float) -> Cells:
        """Return the law with the softest edge that costs at most ``cost`` nats, or the one found.

        Where the two hardly differ there is only one optimum, and the linear program has it exactly.
        """
        load, need = (self.kinds.count * x for x in (self.relaxed.q, self.relaxed.d))
        model = counting(self.kinds, load, need)
        model.max_numbers = QUICK_NUMBERS
        path = Path(model, start(self.relaxed))
        level = cost + (self.lower if self.upper - self.lower < cost else self.upper)
        for stage in range(MAX_STAGES):
            if self.time_left() < 0:
                break
            wider = path.here.weights
            if stage:
                path.narrow()
            path.settle(lambda: self.time_left() < 0, cost / 100)
            soft = self._law_at(path, found.problem, level) if path.here.upper <= level else None
            if soft is None:
                continue
            if len(found.cells) <= MAX_COMPARED_CELLS:
                apart = np.abs(soft.neighbour_epsilons - found.neighbour_epsilons)
                if apart.max() < SAME_LAW_TOL:
                    return found
            if isinstance(model, CellSum) and stage:
                path.widen(wider, level, cost / 100)
            return self._law_at(path, found.problem, level) or soft
        return found

    def _law_at(self, path: Path, problem: Problem, level: float) -> Cells | None:
        """Return the law here on a path; None if it has too many cells or, by rounding, a higher level."""
        found = self._logistic(path.here.weights)
        return Cells(problem, self.kinds, *found) if found and found[1].max() <= level else None

    def _logistic(self, weights: Floats) -> tuple[Integers, Floats] | None:
        """Return the cells of a soft edge and the logarithms of their excess; None if it misses a level."""
        load = self.kinds.count * self.relaxed.q
        cells = self.kinds.below(weights, float(weights @ load) + FAR, self.max_cells)
        if cells is None:
            return None
        log_g = -np.logaddexp(0, (cells - load) @ weights)
        supply = float(self._supply(self._mass(cells, log_g), cells).min())
        if not supply > 0:
            return None
        log_excess = self._level - math.log(supply) + log_g
        full = (cells == self.kinds.count).all(axis=1)
        if full.any():  # what all flip sets have in common belongs to the uniform part
            least = float(log_excess[full][0])
            cells, log_excess = cells[~full], log_excess[~full]
            log_excess += np.log1p(-np.exp(least - log_excess)) - math.log1p(math.exp(min(least, 700)))
        return cells, log_excess


def monotone(kinds: Kinds, cells: Integers, shares: Floats) -> tuple[Integers, Floats]:
    """Move mass until no further flip makes a flip set likelier, one kind after the other.

    Along a line of cells that differ in the flips of one kind, shares that rise are replaced by their
    mean, in proportion to probability. That keeps the mass of the line and the flips of all other kinds,
    and lowers the flips of this one. Uniform probabilities are a product, so all parallel lines have the
    same proportions, a line that is nowhere larger stays so, and what was mended stays mended.
    """
    for g, (table, _) in enumerate(kinds.tables):
        key = cells.astype(np.uint64) @ kinds.steps - cells[:, g].astype(np.uint64) * kinds.steps[g]
        order = np.lexsort((cells[:, g], key))
        cells, shares, key = cells[order], shares[order], key[order]
        starts = np.flatnonzero(np.append(True, key[1:] != key[:-1]))
        # A line is in order if it begins with the truth, has no gaps, and falls.
        same = np.append(False, key[1:] == key[:-1])
        rises = np.append(False, (shares[1:] > shares[:-1]) | (np.diff(cells[:, g]) > 1)) & same
        rises |= ~same & (cells[:, g] > 0)
        wrong = np.flatnonzero(np.logical_or.reduceat(rises, starts))
        if not len(wrong):
            continue
        ends = np.append(starts[1:], len(cells))
        chances, new, values, gone = np.exp(table), [], [], np.zeros(len(cells), dtype=bool)
        for line in wrong:
            place = slice(starts[line], ends[line])
            counts = cells[place, g]
            full = np.zeros(counts[-1] + 1)
            full[counts] = shares[place]
            gone[place] = True
            row = np.repeat(cells[starts[line]][None], len(full), axis=0)
            row[:, g] = np.arange(len(full))
            new.append(row)
            values.append(falling(full, chances[: len(full)]))
        cells = np.concatenate([cells[~gone], *new])
        shares = np.concatenate([shares[~gone], *values])
    return cells, shares


def falling(values: Floats, chances: Floats) -> Floats:
    """Return means of neighbours, weighted by their chances, that never rise.

    Examples
    --------
    >>> falling(np.array([1.0, 0.0, 3.0]), np.array([1.0, 2.0, 1.0]))
    array([1., 1., 1.])
    """
    # Scaled up, sums of the rarest chances lose no digits; SciPy takes no weights of 0.
    weights = np.maximum(chances * 2.0**900, np.finfo(float).tiny)
    return scipy.optimize.isotonic_regression(values, weights=weights, increasing=False).x
