"""The optimum at any number of attributes, with a certificate."""

from __future__ import annotations

import math
import sys

import numpy as np
from numpy.typing import ArrayLike

from orr.arrays import Floats, Integers
from orr.checks import positive
from orr.clock import Clock
from orr.constructions.radius_one import NotApplicable, candidate, radius_one
from orr.laws.ball import Ball
from orr.laws.balls import Balls
from orr.laws.cells import Cells
from orr.laws.law import Law, Lifted
from orr.laws.product import Product
from orr.optimum.certificate import Certificate, Certified, NotCertified, floor_below, single_lie_bound
from orr.optimum.search import ROOM, STEP, Search
from orr.optimum.shells import Shells, whole
from orr.optimum.solver import Solver
from orr.problem import Kinds, Problem
from orr.rounding import RATES, ULP, Unsound, eased_units, level_above, level_below, log_sum, log_sum_units

SMALL = 16  # attributes of a linear program over all flip sets
FEW = 5_000  # flip sets in a ball that are better listed than counted
SPEED = 2 * 10**7  # steps of the dynamic programs of one round of the search that a second has room for


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
    the mechanism, and attributes with the same size and level are treated alike. No flip makes a record
    likelier, but for flip sets so rare (below 1e-306) that doubles cannot hold their share.

    Parameters
    ----------
    sizes : sequence of int
        Number of values of each attribute.
    epsilons : sequence of float
        Level of each attribute, in nats.
    rel_gap : float
        How close the bounds must come, as a share of the overall level.
    time_limit : float, optional
        Seconds after which no further step is begun; the longer ones are not begun either if they would
        take more than what is left. A step that was begun may take a second or two longer. The best mechanism
        so far is returned, with the levels asked and its true gap.
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
    run = Run(problem.part(~problem.faint), positive("rel_gap", rel_gap), time_limit, progress)
    # At the highest levels intermediate results overflow; what comes of it is never the best.
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        return run.answer().with_faint(problem)


class Run:
    """One call of optimal: its attributes, in the order given and in a canonical one, and the best so far.

    ``lower`` and ``upper`` are levels; the steps count in logarithms of the excess, ``exp(level) - 1``.
    """

    def __init__(self, problem: Problem, rel_gap: float, time_limit: float | None, progress: bool) -> None:
        self.clock = Clock(time_limit)
        self.rel_gap, self.progress = rel_gap / 2, progress  # to be on the safe side
        order = np.lexsort((problem.epsilons, problem.sizes))
        self.problem, self.back = problem, np.argsort(order)
        self.sorted = Problem.achieved(problem.sizes[order], problem.epsilons[order])
        highest = float(problem.epsilons.max())
        self.eased = self.sorted.eased(eased_units(len(problem), highest, 40))
        self.kinds = Kinds(problem)
        self.lower = floor_below(problem)
        self.weights: Floats | Integers | None = None
        # The highest level alone is a bound: all weight on that attribute.
        self.proves(math.nextafter(highest, 0), np.eye(1, len(problem), int(problem.epsilons.argmax()))[0])
        self.law: Law = Product(problem)
        self.upper, self.method = self.law.epsilon, "one by one"

    def answer(self) -> Certified:
        """Try one method after another, until one is good enough or time is up."""
        for step in (self.closed_form, self.alike, self.small, self.large):
            if not self.late():
                try:
                    step()
                except Unsound:  # a law that doubles cannot hold; there are others
                    continue
            if self.good():
                break
        return self.certified()

    def certified(self) -> Certified:
        """Put the best law and the best proof together."""
        bounds, how = (self.lower, self.upper, self.weights), (self.method, self.clock.seconds)
        return Certified(self.law, Certificate(*bounds, *how, self.law))

    def late(self) -> bool:
        """Tell whether time is up."""
        return self.clock.left < 0

    def good(self) -> bool:
        """Tell whether the bounds are close enough."""
        if self.progress:
            print(f"{self.clock.seconds:8.2f} s  {self.lower:.6f} to {self.upper:.6f}", file=sys.stderr)
        return self.upper - self.lower <= self.rel_gap * self.upper

    def done(self, lower: float, upper: float) -> bool:
        """Tell whether bounds on the logarithm of the excess are close enough, or time is up."""
        low, high = float(np.logaddexp(0, lower)), float(np.logaddexp(0, upper))
        if self.progress:
            print(f"{self.clock.seconds:8.2f} s  {low:.6f} to {high:.6f}", file=sys.stderr)
        return self.late() or high - low <= self.rel_gap * min(high, 1e300)

    def room(self) -> float:
        """Count the steps of a dynamic program that there is time for."""
        return min(ROOM, SPEED * max(self.clock.left, 0.0))

    def proves(self, lower: float, weights: Floats) -> None:
        """Keep a lower bound if it is the best."""
        if lower > self.lower:
            is_whole = weights.max() < 2**62 and np.array_equal(weights, np.rint(weights))
            self.lower, self.weights = lower, weights.astype(np.int64) if is_whole else weights

    def offers(self, method: str, law: Lifted, units: float = 0.0) -> None:
        """Keep a law if it is the best; its flip probabilities may miss by so many units."""
        upper = level_above(law.log_top, law.counted + units)
        if upper < self.upper:
            self.method, self.law, self.upper = method, law, upper

    def closed_form(self) -> None:
        """At most one lie above the uniform part."""
        try:
            law = radius_one(self.problem.sizes, self.problem.epsilons).law
        except NotApplicable:
            return
        if not isinstance(law, Lifted):
            return
        # z is right to 10 units, and the q that it must meet to 9. Flip rates that are too high by as
        # much are mended by more of the truth, or of everything.
        more = min(law.mass / float(law.weights[-1]), 1 + law.mass / float(self.problem.w.min()))
        self.offers("at most one lie", law, 20 * more)
        *_, j = candidate(self.problem)
        self.proves(*single_lie_bound(self.problem, int(self.problem.w.argmax()) if j is None else j))

    def alike(self) -> None:
        """All attributes have the same size and level: a Hamming ball."""
        if len(self.kinds) > 1:
            return
        k, q, d = len(self.problem), float(self.problem.q[0]), float(self.problem.d[0])
        low, high = k * q * (1 - RATES * ULP), k * q * (1 + RATES * ULP)
        cells = np.arange(math.ceil(high))[:, None]
        log_uniform = self.kinds.log_uniform(cells)
        with np.errstate(divide="ignore"):
            terms = [log_uniform + np.log(np.maximum(edge - cells[:, 0], 0)) for edge in (low, high)]
        tops = [math.log(k * d) - log_sum(t) for t in terms]
        units = self.kinds.units(cells) + log_sum_units(terms[1]) + RATES + 5 * math.log(high + 1)
        units += 5 * abs(math.log(k * d)) + abs(tops[1])
        self.proves(level_below(tops[1], units), np.ones(k))
        self.offers(
            "attributes alike", Cells(self.problem, self.kinds, cells, np.full(len(cells), tops[0])), units
        )

    def small(self) -> None:
        """Few attributes, all different: the linear program over all flip sets."""
        k = len(self.problem)
        if k > SMALL or len(self.kinds) < k:
            return
        solver = Solver(self.sorted, self.clock)
        try:
            table = solver.run(lambda lower, upper: self.done(lower, upper) and self.late())
        except NotCertified:
            return
        weights = whole(solver.proof, self.sorted.q)
        solver.weigh(weights)
        self.proves(solver.proved, weights[self.back])
        self.offers("linear program", table.reordered(self.problem, self.back))

    def large(self) -> None:
        """Many attributes, or some alike: balls, or flip sets near the edge of one."""
        k = len(self.problem)
        if self.room() < 2 * STEP * k:
            return
        search = Search(self.eased, self.sorted, self.room)
        search.prove(max(search.unit, search.finest()))
        weights = search.proof[self.back][self.kinds.first]
        radius = float(weights @ (self.kinds.count * self.kinds.problem.q))
        few = self.kinds.below(weights, radius, FEW) is not None
        gap = self.rel_gap * max(float(np.logaddexp(0, search.proved)), self.lower)
        if not few:
            search.run(self.done, gap)
        if few or not self.done(search.proved, search.upper):
            self.listed(search)
            if few and not self.good() and not self.late():
                search.run(self.done, gap)
        self.proves(level_below(search.proved, 0), search.proof[self.back])
        self.offers("balls", self.balls(search))

    def listed(self, search: Search) -> None:
        """Flip sets near the edge of a ball, by a linear program."""
        first, problem = self.kinds.first, self.kinds.problem
        eased = problem.eased(eased_units(len(self.problem), float(problem.epsilons.max())))
        shells = Shells(self.kinds, eased, search.proof[self.back][first], lambda: self.clock.left)
        shells.run(self.done)
        if shells.lower > -math.inf:
            self.proves(level_below(shells.lower, 0), shells.weights[self.kinds.of])
        if shells.upper < math.inf:
            self.offers("flip sets", shells.law(self.problem))

    def balls(self, search: Search) -> Balls:
        """Best balls found, with enough mass for every attribute."""
        eased, masses = self.eased, search.masses
        balls = [Ball(self.problem, t.weights[self.back], t.states, t.edge) for t in search.best]
        q, d = eased.q[self.back], eased.d[self.back]
        supply = masses @ np.array([(q - ball.rates) / d for ball in balls])
        return Balls(self.problem, balls, masses / min(float(supply.min()), 1.0))
