"""The optimum at any number of attributes, with a certificate."""

from __future__ import annotations

import math
import sys
import time
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp

from orr.ball import Ball
from orr.balls import Balls
from orr.cells import Cells, Kinds
from orr.certificate import Certificate, Certified, NotCertified
from orr.laws import Law, Product, Table
from orr.problem import Floats, Problem
from orr.radius_one import NotApplicable, radius_one
from orr.search import Search
from orr.shells import Shells, whole
from orr.solver import Solver

SMALL = 16  # attributes of a linear program over all flip sets
FEW = 5_000  # flip sets in a ball that are better listed than counted


def optimal(
    sizes: ArrayLike,
    epsilons: ArrayLike,
    *,
    rel_gap: float = 1e-4,
    time_limit: float | None = None,
    progress: bool = False,
) -> Certified:
    """Find the mechanism with the smallest overall level, and prove how good it is.

    1. A closed form, where there is one: at most one lie above the uniform part
       (:func:`orr.radius_one`), or attributes that are all alike.
    2. Up to 16 different attributes: the linear program, as in :func:`orr.linear_program`.
    3. A single ball around the truth with real weights and a fuzzy edge, found by a fixed point and
       computed by dynamic programming. Integer weights prove the lower bound.
    4. Where flip sets are too few for a smooth ball: a linear program over the flip sets near the
       edge of the ball.

    The result depends only on which pairs of size and level there are: permuting the attributes permutes
    the mechanism, and attributes with the same size and level are treated alike.

    Parameters
    ----------
    sizes : sequence of int
        Number of values of each attribute.
    epsilons : sequence of float
        Level of each attribute, in nats.
    rel_gap : float
        How close the bounds must come, as a share of the overall level.
    time_limit : float, optional
        Seconds after which no further step is begun. The best mechanism so far is returned, with
        exactly the levels asked and its true gap.
    progress : bool
        Whether to report each step on the standard error stream.

    Returns
    -------
    Certified
        The mechanism, with exactly the levels asked and a ``certificate``.

    Examples
    --------
    >>> best = optimal([2, 3, 4, 5] * 10, [1.0, 2.0, 3.0, 4.0] * 10)
    >>> round(best.epsilon, 3), best.certificate.gap < 0.01
    (33.369, True)
    """
    problem = Problem(sizes, epsilons)
    run = Run(problem, positive("rel_gap", rel_gap), time_limit, progress)
    # At the highest levels intermediate results overflow; what comes of it is never the best.
    with np.errstate(over="ignore", invalid="ignore"):
        return run.closed_form() or run.alike() or run.small() or run.large()


def positive(name: str, value: float) -> float:
    """Return a positive number, or say that it is none."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        raise TypeError(f"{name} = {value!r} must be a positive number")
    if not 0 < value < math.inf:
        raise ValueError(f"{name} = {value} must be a positive number")
    return float(value)


class Run:
    """One call of optimal: its attributes, in the order given and in a canonical one, and its clock."""

    def __init__(self, problem: Problem, rel_gap: float, time_limit: float | None, progress: bool) -> None:
        self.start = time.perf_counter()
        self.limit = math.inf if time_limit is None else positive("time_limit", time_limit)
        self.rel_gap, self.progress = rel_gap / 2, progress  # to be on the safe side
        order = np.lexsort((problem.epsilons, problem.sizes))
        self.problem, self.back = problem, np.argsort(order)
        self.sorted = Problem.achieved(problem.sizes[order], problem.epsilons[order])
        self.kinds = Kinds(problem)

    def late(self) -> bool:
        """Tell whether time is up."""
        return time.perf_counter() - self.start > self.limit

    def done(self, lower: float, upper: float) -> bool:
        """Tell whether bounds on the logarithm of the excess are close enough, or time is up."""
        low, high = np.logaddexp(0, lower), np.logaddexp(0, upper)
        if self.progress:
            print(f"{time.perf_counter() - self.start:8.2f} s  {low:.6f} to {high:.6f}", file=sys.stderr)
        return self.late() or bool(high - low <= self.rel_gap * min(high, 1e300))

    def gap(self, lower: float) -> float:
        """Distance of the bounds that is small enough, in nats."""
        return self.rel_gap * max(float(np.logaddexp(0, lower)), self.problem.information_floor)

    def certified(self, method: str, law: Law, lower: float, weights: Floats | None) -> Certified:
        """Put a law and the proof of a lower level together."""
        upper = law.nominal_epsilon
        proof = None if weights is None else weights.astype(np.int64)
        seconds = time.perf_counter() - self.start
        return Certified(law, Certificate(min(lower, upper), upper, proof, method, seconds, law))

    def closed_form(self) -> Certified | None:
        """At most one lie above the uniform part."""
        try:
            law = radius_one(self.problem.sizes, self.problem.epsilons).law
        except NotApplicable:
            return None
        return self.certified("at most one lie", law, law.nominal_epsilon * (1 - 1e-14), None)

    def alike(self) -> Certified | None:
        """All attributes have the same size and level: a Hamming ball."""
        if len(self.kinds) > 1:
            return None
        k, q, d = len(self.problem), self.problem.q[0], self.problem.d[0]
        cells = np.arange(math.ceil(k * q))[:, None]
        short = logsumexp(self.kinds.log_uniform(cells) + np.log(k * q - cells[:, 0]))
        log_top = math.log(k * d) - float(short)
        law = Cells(self.problem, self.kinds, cells, np.full(len(cells), log_top), np.ones(k))
        lower = law.nominal_epsilon - 1e-15 * law.roundings
        return self.certified("attributes alike", law, lower, np.ones(k))

    def small(self) -> Certified | None:
        """Few attributes, all different: the linear program over all flip sets."""
        k = len(self.problem)
        if k > SMALL or len(self.kinds) < k:
            return None
        solver = Solver(self.sorted)
        try:
            table, certificate = solver.run()
        except NotCertified:
            return None
        if not certificate.gap <= max(1e-7, self.rel_gap * certificate.upper):
            return None
        assert certificate.weights is not None
        weights = whole(certificate.weights.astype(float), self.sorted.q)
        solver.weigh(weights)
        law = Table(self.problem, table.excess.transpose(self.back))
        return self.certified("linear program", law, float(np.log1p(solver.lower)), weights[self.back])

    def large(self) -> Certified:
        """Many attributes, or some alike: balls, or flip sets near the edge of one."""
        search = Search(self.sorted)
        search.prove(search.unit)
        weights = search.proof[self.back][self.kinds.first]
        radius = float(weights @ (self.kinds.count * self.kinds.problem.q))
        few = self.kinds.below(weights, radius, FEW) is not None
        if not few:
            search.run(self.done, self.gap(search.proved))
        shells = None
        if few or not self.done(search.proved, search.upper):
            shells = Shells(self.kinds, search.proof[self.back][self.kinds.first])
            shells.run(self.done)
            if few and not self.done(shells.lower, shells.upper):
                search.run(self.done, self.gap(search.proved))
        return self.best(search, shells)

    def best(self, search: Search, shells: Shells | None) -> Certified:
        """Put the best law and the best proof together."""
        lower, weights = search.proved, search.proof[self.back]
        laws: list[tuple[str, Law]] = [("one by one", Product(self.problem)), ("balls", self.balls(search))]
        if shells is not None and shells.lower > lower:
            lower, weights = shells.lower, shells.weights[self.kinds.of]
        if shells is not None and shells.upper < math.inf:
            laws.append(("flip sets", shells.law(self.problem)))
        method, law = min(laws, key=lambda pair: pair[1].nominal_epsilon)
        return self.certified(method, law, float(np.logaddexp(0, lower)), weights)

    def balls(self, search: Search) -> Balls:
        """Best balls found, repaired until every attribute has exactly its level."""
        problem, masses = self.problem, search.masses
        balls = [Ball(problem, t.weights[self.back], t.states, t.edge) for t in search.best]
        total = masses.sum()
        supply = (masses / total) @ np.array([(problem.q - ball.rates) / problem.d for ball in balls])
        masses = masses / min(total * float(supply.min()), 1.0)
        kept = np.minimum((1 + 1 / masses.sum()) / (1 + supply), 1)
        return Balls(problem, balls, masses, kept)
