"""The optimum over listed cells, by a linear program with a row for each kind (chapter linear-program).

Maximize the share ``tau`` of the levels that masses above the uniform part can give, where the mass of a
cell is at most its *room*, ``m`` times its uniform probability; the smallest excess that gives the levels
is then ``m / tau``. HiGHS sees only a shell of the cells: those whose flips weigh about as much as the
threshold. What is deep inside is taken whole, and the weights that come back tell where the next shell is.
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
from orr.optimum.central_path import STAGES, Path, start
from orr.optimum.laplace import QUICK, Listed, counting
from orr.problem import Kinds, Problem
from orr.rounding import Unsound

MOST = 100_000  # cells that may be listed,
ROOM = 25_000_000  # and numbers that they may take
FIRST = 300  # cells that are listed, if there are so many: a linear program of them takes no time,
WIDEST = 100.0  # and radii within which they are looked for
SHELL, LARGEST = 8_000, 30_000  # cells that HiGHS is shown, at first and at most
DENSE = 100_000  # numbers of a linear program that are better given as they are
INFINITE = 1e19  # HiGHS takes bounds of 1e20 for none, and has crashed on such programs
HIGHEST = 100.0  # level beyond which it has been seen to run on for ever, whatever its time limit
STEPS = (1.0, 0.5, 0.2, 0.07, 0.02)  # parts of the way to HiGHS's weights that are tried
SAME = 1e-4  # nats between neighbour levels of laws that are taken for the same,
COMPARED = 2**16  # if they have no more cells than take a second or so
CLOSE = 1e-9  # nats that a soft edge may cost, or scaling its law up to the levels


class Edge:
    """The state of one solution: the weights, the shell around them, and the bounds so far.

    Bounds are logarithms of the excess, ``exp(level) - 1``.

    Parameters
    ----------
    kinds : Kinds
        Sizes and levels, with equal attributes counted together. Lower bounds are for these.
    relaxed : Problem
        The same kinds with the levels that the law must have before repairs (:meth:`Problem.relaxed`).
    weights : ndarray
        First weights to try, one for each kind.
    left : callable
        Seconds that are left.
    """

    def __init__(
        self, kinds: Kinds, relaxed: Problem, weights: Floats, left: Callable[[], float] = lambda: math.inf
    ) -> None:
        self.kinds, self.relaxed, self.left = kinds, relaxed, left
        self.load = kinds.count * kinds.problem.q
        self.need = kinds.count * kinds.problem.d
        self.lower, self.upper = -math.inf, math.inf
        self.against = np.zeros((0, len(kinds)), dtype=np.int32)
        self.margin, self.most = 0.05, SHELL
        self.limit = min(MOST, ROOM // len(kinds))
        self.first = min(FIRST, math.prod((kinds.count + 1).tolist()))
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

    def follow(self, path: Path, done: Callable[[float, float], bool]) -> None:
        """Follow a path of soft edges until the bounds meet. Unlike HiGHS it loses no digits at any scale."""
        for stage in range(STAGES if self.fits else 0):
            try:
                if stage:
                    path.narrow()
                path.settle(lambda: self.left() < 0, CLOSE)
                for weights in (path.limit, path.weights):
                    self._weigh(weights * path.raised)
            except (Unsound, np.linalg.LinAlgError):
                return
            found = self._logistic(path.weights * path.raised)
            if found is not None and found[1].max() < self.upper:
                self.upper, shares = float(found[1].max()), np.exp(found[1] - found[1].max())
                self.cells, self.shares = found[0][shares > 0], shares[shares > 0]
            if path.cost < CLOSE or done(self.lower, self.upper):
                return

    def _weigh(self, weights: Floats) -> bool:
        """Take weights if they prove more than all before; if not, remember what speaks against them."""
        weights = whole(weights, self.load)
        if not weights.any():
            return False
        radius = threshold(weights, self.load)
        cells = self.kinds.below(weights, radius, self.limit)
        if cells is None:
            return False
        lower = listed(self.kinds, weights, radius, cells)
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
        cells = self.kinds.below(self.weights, self.radius * (1 + self.margin), self.limit)
        while cells is None or (len(cells) < self.first and self.margin < WIDEST):
            self.margin *= 0.5 if cells is None else 2
            cells = self.kinds.below(self.weights, self.radius * (1 + self.margin), self.limit)
        cells = np.concatenate([cells, self.against])
        _, different = np.unique(cells.astype(np.uint64) @ self.kinds.steps, return_index=True)
        return cells[different]

    def _ask(self, cells: Integers) -> Floats | None:
        """Solve the linear program over the shell; keep its law if it is the best, return its weights."""
        gains = self.radius - cells @ self.weights
        room = np.exp(self.kinds.log_uniform(cells) + self.lower)
        if not room.max() < INFINITE or self.kinds.problem.epsilons.max() > HIGHEST:
            return None
        shell = np.zeros(len(cells), dtype=bool)
        shell[np.argsort(np.abs(gains), kind="stable")[: self.most]] = True
        result = self._solve(cells[shell], room[shell], self._supply(room * (~shell & (gains > 0)), cells))
        if result.status != 0:
            return None
        weights = np.maximum(-result.ineqlin.marginals, 0) / self.need
        if not (weights.any() and np.isfinite(weights).all()):
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

    def _solve(self, cells: Integers, room: Floats, given: Floats) -> scipy.optimize.OptimizeResult:
        """Maximize the share ``tau`` of the levels that masses of the cells, within their room, give."""
        n, g = cells.shape
        q, d = self.relaxed.q, self.relaxed.d
        rows = np.hstack([(cells / (self.kinds.count * d)).T, (-q / d)[:, None], np.ones((g, 1))])
        return scipy.optimize.linprog(
            np.append(np.zeros(n + 1), -1.0),
            A_ub=rows if rows.size < DENSE else scipy.sparse.csr_array(rows),
            b_ub=given,
            A_eq=np.append(np.ones(n), [-1.0, 0.0])[None],
            b_eq=[0.0],
            bounds=np.stack([np.append(np.zeros(n + 1), -np.inf), np.append(room, [np.inf, np.inf])], axis=1),
            method="highs-ds",
            options={
                "primal_feasibility_tolerance": 1e-10,
                "dual_feasibility_tolerance": 1e-10,
                "time_limit": max(self.left(), 0.01),
            },
        )

    def _supply(self, mass: Floats, cells: Integers) -> Floats:
        """Share of its level that each kind gets from masses of cells."""
        q, d = self.relaxed.q, self.relaxed.d
        flips = np.array([(mass * column).sum() for column in cells.T])  # pairwise, as matmul is not
        return (q * mass.sum() - flips / self.kinds.count) / d

    @property
    def _level(self) -> float:
        """Best upper bound, or the lower one before there is any."""
        return self.upper if self.upper < math.inf else self.lower

    def _mass(self, cells: Integers, log_shares: Floats) -> Floats:
        """Mass of cells that have a share of their room, at the best level."""
        return np.exp(self.kinds.log_uniform(cells) + self._level + log_shares)

    def law(self, problem: Problem, share: float) -> Cells:
        """Return the law with the softest edge that costs so small a share, or the best found."""
        cells, shares = monotone(self.kinds, self.cells, self.shares)
        # Moving mass to the truth helps every attribute, but for rounding.
        supply = self._supply(self._mass(cells, np.log(shares)), cells)
        top = self.upper - math.log(min(float(supply.min()), 1.0))
        found = Cells(problem, self.kinds, cells, top + np.log(shares))
        try:
            return self._soft(found, share * found.nominal_epsilon)
        except (Unsound, np.linalg.LinAlgError):
            return found

    def _soft(self, found: Cells, most: float) -> Cells:
        """Return the law with the softest edge that costs at most so many nats, or else the one found.

        Where the two hardly differ there is but one optimum, and the linear program has it exactly.
        """
        load, need = (self.kinds.count * x for x in (self.relaxed.q, self.relaxed.d))
        model = counting(self.kinds, load, need)
        model.size = QUICK
        path = Path(model, start(self.relaxed))
        level = most + (self.lower if self.upper - self.lower < most else self.upper)
        for stage in range(STAGES):
            if self.left() < 0:
                break
            wider = path.weights
            if stage:
                path.narrow()
            path.settle(lambda: self.left() < 0, most / 100)
            soft = self._of(path, found.problem, level) if path.upper <= level else None
            if soft is None:
                continue
            if len(found.cells) <= COMPARED:
                apart = np.abs(soft.neighbour_epsilons - found.neighbour_epsilons)
                if apart.max() < SAME:
                    return found
            if isinstance(model, Listed) and stage:
                path.widen(wider, level, most / 100)
            return self._of(path, found.problem, level) or soft
        return found

    def _of(self, path: Path, problem: Problem, most: float) -> Cells | None:
        """Return the law at a point of a path, unless it has too many cells or, by rounding, costs more."""
        found = self._logistic(path.weights)
        return Cells(problem, self.kinds, *found) if found and found[1].max() <= most else None

    def _logistic(self, weights: Floats) -> tuple[Integers, Floats] | None:
        """Cells and logarithms of their excess for a soft edge of some weights, if it gives the levels."""
        load = self.kinds.count * self.relaxed.q
        cells = self.kinds.below(weights, float(weights @ load) + FAR, self.limit)
        if cells is None:
            return None
        log_g = -np.logaddexp(0, (cells - load) @ weights)
        supply = float(self._supply(self._mass(cells, log_g), cells).min())
        if not supply > 0:
            return None
        log_excess = self._level - math.log(supply) + log_g
        full = (cells == self.kinds.count).all(axis=1)
        if full.any():  # what all flip sets have belongs to the uniform part
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
    """Return the means of neighbours, in proportion to chances, that never rise (pool adjacent violators).

    Examples
    --------
    >>> falling(np.array([1.0, 0.0, 3.0]), np.array([1.0, 2.0, 1.0]))
    array([1., 1., 1.])
    """
    pools: list[tuple[float, float, int]] = []
    for value, chance in zip(values.tolist(), chances.tolist(), strict=True):
        pool = value, chance, 1
        while pools and pools[-1][0] < pool[0]:
            mean, weight, size = pools.pop()
            total = weight + pool[1]
            share = pool[1] / total if total else 1.0  # both underflow
            pool = mean + (pool[0] - mean) * share, total, size + pool[2]
        pools.append(pool)
    return np.repeat([mean for mean, _, _ in pools], [size for _, _, size in pools])
