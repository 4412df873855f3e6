"""The paper's linear program, and its certified solution (chapter linear-program)."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import scipy
from numpy.typing import NDArray

from orr.arrays import Floats
from orr.laws.law import subsets
from orr.optimum.certificate import Certified, NotCertified
from orr.optimum.search import Search
from orr.problem import LevelsLike, Problem, SizesLike
from orr.progress import Clock

MAX_ATTRIBUTES = 16  # 65,536 flip sets are listed in a second
MAX_GAP = 1e-7  # nats; a larger gap is an error, since this method is for exact optima
SOUGHT_GAP = 1e-9  # nats, for levels of at least 1; ten times the HIGHS_FEASIBILITY_TOL of the engine


class LinearProgram:
    """Minimize ``c @ x`` subject to ``A_ub @ x <= b_ub`` and ``A_eq @ x == b_eq``.

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
        """The flip sets as rows of booleans."""
        k = len(self.problem)
        code = np.arange(2**k)
        flips = (code[:, None] >> np.arange(k)[::-1] & 1).astype(bool)
        # Lexicographic order of sets of one size is descending order of their binary numbers.
        return flips[np.lexsort((-code, flips.sum(axis=1)))]

    @cached_property
    def c(self) -> Floats:
        """The objective: the probability of the truth."""
        return np.eye(1, 2 ** len(self.problem) - 1)[0]

    @cached_property
    def A_ub(self) -> scipy.sparse.csr_array:
        """The rows of Algorithm 1: a record with one more flip is never likelier."""
        last = len(self._flips) - 1
        smaller, added = np.nonzero(~self._flips)
        place = 1 << np.arange(len(self.problem))[::-1]
        code = self._flips @ place
        rank = np.argsort(code)
        larger = rank[code[smaller] + place[added]]
        rows, inside = np.arange(len(smaller)), larger < last
        entries = np.concatenate([-np.ones(len(rows)), np.ones(inside.sum())])
        places = np.concatenate([rows, rows[inside]]), np.concatenate([smaller, larger[inside]])
        return scipy.sparse.csr_array((entries, places), shape=(len(rows), last))

    @cached_property
    def b_ub(self) -> Floats:
        """The right side of Algorithm 1; the last k rows compare with the full set, whose variable is 1."""
        k = len(self.problem)
        return np.repeat([0.0, -1.0], [k * 2 ** (k - 1) - k, k])

    @cached_property
    def A_eq(self) -> scipy.sparse.csr_array:
        """The rows of Algorithm 2: every attribute has its level."""
        return scipy.sparse.csr_array(self._levels[:, :-1])

    @cached_property
    def b_eq(self) -> Floats:
        """The right side of Algorithm 2: the terms of the full set."""
        return -self._levels[:, -1]

    @cached_property
    def _levels(self) -> Floats:
        """The rows of Algorithm 2 with the full set."""
        others = self.problem.sizes - 1.0
        times = np.where(self._flips, others, 1.0).prod(axis=1)
        with np.errstate(over="ignore"):
            flip = -np.exp(self.problem.epsilons) / others
            levels = np.where(self._flips, flip, 1.0).T * times
        if not np.isfinite(levels).all():
            raise ValueError("the coefficients of the linear program overflow at these sizes and levels")
        return levels

    def solve(self) -> Certified:
        """Find the optimum with HiGHS and prove it.

        HiGHS solves the same problem in the form of its dual bound: how large a share
        ``tau`` of the levels can an excess of at most ``m`` give, with a row for each
        attribute and a bounded variable for each flip set that may matter? The answer is made
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
        problem = self.problem.part(~self.problem.faint)
        gap = SOUGHT_GAP * min(1.0, float(problem.epsilons.max()))
        found = Search(problem, Clock(None), gap=gap).run_cell_program()
        certificate = found.certificate
        if not certificate.gap <= MAX_GAP:
            hint = "; at levels above 15 try radius_one" if self.problem.epsilons.max() > 15 else ""
            raise NotCertified(
                f"the optimum is proved only to be between {certificate.lower:.9g} and "
                f"{certificate.upper:.9g}{hint}"
            )
        return found.extended(self.problem, "linear_program")


def linear_program(sizes: SizesLike, epsilons: LevelsLike) -> LinearProgram:
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
