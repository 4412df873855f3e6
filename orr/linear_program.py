"""The paper's linear program, and its certified solution."""

from __future__ import annotations

from functools import cached_property, reduce

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linprog
from scipy.sparse import csr_array, vstack

from orr.certificate import Certificate, NotCertified, dual_bound
from orr.laws import Table, subsets
from orr.mechanism import Mechanism
from orr.problem import Floats, Integers, Problem

MAX_ATTRIBUTES = 16
CLOSED, ACCEPTED = 1e-10, 1e-7
# Method, presolve and unit of mass, tried in turn; the first is the fastest and nearly always enough.
WAYS = (
    ("highs-ds", False, 1.0),
    ("highs-ds", True, 1e3),
    ("highs-ipm", True, 1.0),
    ("highs-ds", True, 1e-3),
)
UNSOLVED = "HiGHS finds no solution at sizes and levels this high; try radius_one"


class Certified(Mechanism):
    """A mechanism with a proof of how far from optimal it can be."""

    def __init__(self, law: Table, certificate: Certificate) -> None:
        super().__init__(law)
        self.certificate = certificate


class LinearProgram:
    """Minimise ``c @ x`` subject to ``A_ub @ x <= b_ub`` and ``A_eq @ x == b_eq``.

    The variables ``x`` are the probabilities of the flip sets, over that of the full set, in the
    paper's order: by size, then lexicographically. The matrices are built when first asked for.
    """

    def __init__(self, problem: Problem) -> None:
        if len(problem) > MAX_ATTRIBUTES:
            raise ValueError(
                f"the linear program has 2^k variables and is built for up to {MAX_ATTRIBUTES} "
                f"attributes, got {len(problem)}"
            )
        self.problem = problem

    def __repr__(self) -> str:
        k = len(self.problem)
        return f"<LinearProgram: {k} attributes, {2**k - 1} variables, {k * 2 ** (k - 1)} inequalities>"

    @cached_property
    def flip_sets(self) -> list[tuple[int, ...]]:
        """The flip set of each variable, and last the full set, whose variable is 1."""
        return subsets(tuple(range(len(self.problem))))

    @cached_property
    def _flips(self) -> NDArray[np.bool_]:
        """The same as rows of 0 and 1."""
        k = len(self.problem)
        code = np.arange(2**k)
        flips = (code[:, None] >> np.arange(k)[::-1] & 1).astype(bool)
        # Lexicographic order of sets of one size is descending order of their binary numbers.
        return flips[np.lexsort((-code, flips.sum(axis=1)))]

    @cached_property
    def c(self) -> Floats:
        """Objective: the probability of the truth."""
        return np.eye(1, 2 ** len(self.problem) - 1)[0]

    @cached_property
    def A_ub(self) -> csr_array:
        """Algorithm 1: a record with one more lie is never likelier."""
        last = len(self._flips) - 1
        smaller, added = np.nonzero(~self._flips)
        place = 1 << np.arange(len(self.problem))[::-1]
        code = self._flips @ place
        rank = np.argsort(code)
        larger = rank[code[smaller] + place[added]]
        rows, inside = np.arange(len(smaller)), larger < last
        entries = np.concatenate([-np.ones(len(rows)), np.ones(inside.sum())])
        places = np.concatenate([rows, rows[inside]]), np.concatenate([smaller, larger[inside]])
        return csr_array((entries, places), shape=(len(rows), last))

    @cached_property
    def b_ub(self) -> Floats:
        """Algorithm 1: the last k rows compare with the full set, whose variable is 1."""
        k = len(self.problem)
        return np.repeat([0.0, -1.0], [k * 2 ** (k - 1) - k, k])

    @cached_property
    def A_eq(self) -> csr_array:
        """Algorithm 2: every attribute has its level."""
        return csr_array(self._levels[:, :-1])

    @cached_property
    def b_eq(self) -> Floats:
        """Algorithm 2: the terms of the full set."""
        return -self._levels[:, -1]

    @cached_property
    def _levels(self) -> Floats:
        others = self.problem.sizes - 1.0
        times = np.where(self._flips, others, 1.0).prod(axis=1)
        with np.errstate(over="ignore"):
            lie = -np.exp(self.problem.epsilons) / others
            levels = np.where(self._flips, lie, 1.0).T * times
        if not np.isfinite(levels).all():
            raise ValueError("the coefficients of the linear program overflow at these sizes and levels")
        return levels

    def solve(self) -> Certified:
        """Find the optimum with HiGHS and prove it.

        What HiGHS is given is the same problem in the form of its dual bound: how large a share
        ``tau`` of the levels can be had from an excess of at most ``m``, with a row for each
        attribute and a bounded variable for each flip set that may matter. The answer is made
        monotone, scaled and re-randomized until every attribute has exactly its level, and its
        overall level is compared with the bound that the weights of the rows prove.

        Returns
        -------
        Certified
            The optimal mechanism with its ``certificate``.

        Raises
        ------
        NotCertified
            Where the bounds stay more than 1e-7 apart.

        Examples
        --------
        >>> best = linear_program([2, 3, 4], [1.0, 1.5, 2.0]).solve()
        >>> round(best.epsilon, 6), best.certificate.gap < 1e-9
        (3.44477, True)
        """
        with np.errstate(over="ignore", invalid="ignore"):
            law, certificate = _Solver(self.problem).run()
        if not abs(certificate.gap) <= ACCEPTED:
            hint = "; at levels above 15 try radius_one" if self.problem.epsilons.max() > 15 else ""
            raise NotCertified(
                f"the optimum is proved only to lie between {certificate.lower:.9g} and "
                f"{certificate.upper:.9g}{hint}"
            )
        return Certified(law, certificate)


class _Solver:
    """The state of one solution: which flip sets and which monotonicity rows HiGHS is shown.

    Flip sets are numbered in binary, attribute 0 first, as in the cube of a Table.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        k = len(problem)
        self.uniform = problem.uniform.ravel()
        self.shown = np.zeros(2**k, dtype=bool)
        self.monotone: set[int] = set()
        self._weigh(problem.epsilons)
        self.scale = self.lower

    def run(self) -> tuple[Table, Certificate]:
        """Show HiGHS more until the bounds meet or nothing is left to show."""
        lower, proof, upper = self.lower, self.weights, np.inf
        excess, margin, ways = np.empty(0), 1.0, list(WAYS)
        while ways and 0 < self.scale < np.inf and _open(lower, upper):
            before = np.count_nonzero(self.shown), len(self.monotone)
            self.shown |= self.gains > -margin
            margin = 1e-3
            share = self._ask(*ways[0])
            if share is None:
                ways.pop(0)
                continue
            if self.lower > lower:
                lower, proof = self.lower, self.weights
            for guess in (share, self._sharpen(share)):
                self._close(guess)
                candidate = self._feasible(guess * self.scale)
                if candidate is not None and candidate.max() < upper:
                    excess, upper = candidate, candidate.max()
                if not _open(lower, upper):
                    break
            if before == (np.count_nonzero(self.shown), len(self.monotone)):
                ways.pop(0)
        if upper == np.inf:
            raise NotCertified(UNSOLVED)
        table = Table(self.problem, excess.reshape((2,) * len(self.problem)))
        return table, Certificate(float(np.log1p(lower)), float(np.log1p(upper)), proof)

    def _weigh(self, weights: Floats) -> None:
        """Take weights of the attributes, and the lower bound that they prove."""
        self.weights = weights / weights.max()
        pairs = np.column_stack([np.zeros_like(weights), self.weights])
        self.gains = self.weights @ self.problem.q - reduce(np.add.outer, pairs).ravel()
        self.lower = dual_bound(self.problem, self.weights, self.gains, self.uniform)

    def _ask(self, method: str, presolve: bool, unit: float) -> Floats | None:
        """Solve the linear program over the flip sets shown; give each set's share of the excess."""
        shown, d = np.flatnonzero(self.shown), self.problem.d
        flips = shown[:, None] >> np.arange(len(d))[::-1] & 1
        supplies = ((self.problem.q - flips) / d).T
        rows = [np.hstack([-supplies, np.ones((len(d), 1))])]
        rows += [self._monotone_rows(i, shown, flips[:, i]) for i in sorted(self.monotone)]
        matrix = vstack([csr_array(row) for row in rows]) if self.monotone else rows[0]
        room = self.uniform[shown] * self.scale * unit
        result = linprog(
            np.append(np.zeros(len(shown)), -1.0),
            A_ub=matrix,
            b_ub=np.zeros(matrix.shape[0]),
            bounds=np.column_stack([np.zeros(len(shown) + 1), np.append(room, np.inf)]),
            method=method,
            options={
                "presolve": presolve,
                "primal_feasibility_tolerance": 1e-10,
                "dual_feasibility_tolerance": 1e-10,
            },
        )
        weights = np.maximum(-result.ineqlin.marginals[: len(d)] / d, 0) if result.status == 0 else d * 0
        if not weights.any():
            return None
        self._weigh(weights)
        share = np.zeros(len(self.shown))
        share[shown] = np.clip(result.x[:-1] / room, 0, 1)
        return share

    def _sharpen(self, share: Floats) -> Floats:
        """Give all or nothing wherever the weights leave no doubt: HiGHS overlooks rare flip sets."""
        doubt = 1e-7 * (self.weights @ self.problem.q)
        return np.where(np.abs(self.gains) > doubt, self.gains > 0, share)

    def _monotone_rows(self, i: int, shown: Integers, flipped: Integers) -> csr_array:
        """Rows that forbid a lie of attribute i to make a record likelier."""
        lies = np.flatnonzero(flipped)
        truths = np.searchsorted(shown, shown[lies] - (1 << (len(self.problem) - 1 - i)))
        entries = np.repeat([1.0, 1.0 - self.problem.sizes[i]], len(lies))
        places = np.tile(np.arange(len(lies)), 2), np.concatenate([lies, truths])
        return csr_array((entries, places), shape=(len(lies), len(shown) + 1))

    def _close(self, share: Floats) -> None:
        """Make the shares monotone in place, and remember the attributes that were not."""
        for i in range(len(self.problem)):
            truth, lies = _halves(share, i)
            if (lies - truth).max() > CLOSED:
                self.monotone.add(i)
            np.maximum(truth, lies, out=truth)

    def _feasible(self, excess: Floats) -> Floats | None:
        """Re-randomize until every attribute has exactly its level."""
        supply = np.array([self._supply(excess, i) for i in range(len(self.problem))])
        if not 0 < supply.min() < np.inf or not np.isfinite(excess.max() / supply.min()):
            return None
        excess, supply = self._supplement(excess, supply)
        mass = (self.uniform * excess).sum()
        for i, size in enumerate(self.problem.sizes):
            mix = (supply[i] - 1) / (supply[i] + mass)
            truth, lies = _halves(excess, i)
            mean = truth / size + lies * (1 - 1 / size)
            for half in (truth, lies):
                half += mix * (mean - half)
        return excess

    def _supply(self, excess: Floats, i: int) -> float:
        """``E[G (q_i - B_i)] / d_i``, which must be 1; written so that equal values cancel exactly."""
        truth, lies = _halves(excess, i)
        size, w = self.problem.sizes[i], self.problem.w[i]
        return float((_halves(self.uniform, i)[0] * ((truth - lies) / w - size * lies)).sum())

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
    return bool(np.log1p(upper) - np.log1p(lower) > CLOSED)


def _halves(cube: Floats, i: int) -> tuple[Floats, Floats]:
    """Split the flip sets, as views, into those without attribute i and those with it."""
    split = cube.reshape(2**i, 2, -1)
    return split[:, 0], split[:, 1]


def linear_program(sizes: ArrayLike, epsilons: ArrayLike) -> LinearProgram:
    """Build the linear program whose optimum is the privacy-optimized mechanism.

    Algorithms 1 and 2 of Yamamoto and Shibuya (2024), with sparse matrices.

    Parameters
    ----------
    sizes : sequence of int
        Number of values of each attribute, up to 16 attributes.
    epsilons : sequence of float
        Level of each attribute, in nats.

    Returns
    -------
    LinearProgram
        ``c``, ``A_ub``, ``b_ub``, ``A_eq``, ``b_eq``, ``flip_sets`` and ``solve()``.

    Examples
    --------
    >>> program = linear_program([2, 3, 4], [1.0, 1.5, 2.0])
    >>> program
    <LinearProgram: 3 attributes, 7 variables, 12 inequalities>
    >>> program.flip_sets[:5]
    [(), (0,), (1,), (2,), (0, 1)]
    """
    return LinearProgram(Problem(sizes, epsilons))
