"""One search for the optimum: closed forms, listed flip sets, mixtures of balls (chapter any-size)."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from orr.arrays import Floats
from orr.constructions.radius_one import NotApplicable, radius_one
from orr.laws.law import Law, Lifted
from orr.laws.product import Product
from orr.optimum.bound import floor, single_flip
from orr.optimum.cell_program import Edge
from orr.optimum.central_path import FAINT, Path, start
from orr.optimum.certificate import Certificate, Certified
from orr.optimum.column_generation import Pool, follow
from orr.optimum.hamming_ball import hamming
from orr.optimum.laplace import QUICK, SIZE
from orr.optimum.single_flip import candidate
from orr.problem import Kinds, Problem
from orr.progress import Clock
from orr.rounding import Unsound, level_above, level_below, relaxation_units

FEW = 5_000  # flip sets in a ball that are better listed than counted,
ALL_LOG2 = 16  # and in all
SPEED = 10**7  # steps of a dynamic program for which a second has room, with all balls that are tried
ROOM = 2 * 10**9  # steps of a dynamic program that are not too many
STEP = 1_000  # states that take as long as a turn of the loop over attributes itself
CHOSEN = 5e-10  # share of the level that the choice among optima may cost


class Search:
    """One call of optimal: its attributes, in the order given and in a canonical one, and the best so far.

    ``lower`` and ``upper`` are levels; the steps count in logarithms of the excess, ``exp(level) - 1``.
    """

    def __init__(
        self, problem: Problem, clock: Clock, rel_gap: float = 1e-4, gap: float | None = None
    ) -> None:
        self.clock = clock
        self.rel_gap, self.gap = 0.9 * rel_gap, None if gap is None else 0.9 * gap  # to be on the safe side
        self.problem, self.kinds = problem, Kinds(problem)
        self.lower = floor(problem)
        self.weights: Floats | None = None
        # The highest level alone is a bound: all weight on that attribute.
        highest = int(problem.epsilons.argmax())
        self.proves(math.nextafter(problem.epsilons[highest], 0), np.eye(1, len(problem), highest)[0])
        self.law: Law = Product(problem)
        self.upper, self.method = self.law.epsilon, "one by one"
        self.sorted = Problem.achieved(problem.sizes[self.kinds.order], problem.epsilons[self.kinds.order])
        self.back = np.argsort(self.kinds.order)

    def answer(self) -> Certified:
        """Try one method after another, until one is good enough or time is up."""
        self.until_near([self.closed_form, self.alike, self.search])
        return self.certified()

    def until_near(self, steps: list[Callable[[], None]]) -> None:
        """Take one step after another, until the bounds are close enough or time is up."""
        for step in steps:
            if self.near(self.lower, self.upper) or self.late():
                return
            try:
                step()
            except (Unsound, np.linalg.LinAlgError):  # numbers that doubles cannot hold; there are other ways
                continue

    def certified(self) -> Certified:
        """Put the best law and the best proof together."""
        bounds, how = (self.lower, self.upper, self.weights), (self.method, self.clock.seconds)
        return Certified(self.law, Certificate(*bounds, *how, self.law))

    def near(self, lower: float, upper: float) -> bool:
        """Tell whether bounds on the level are close enough."""
        self.clock.log("%.6f to %.6f", lower, upper)
        return upper - lower <= self.wanted(upper)

    def wanted(self, level: float) -> float:
        """Gap that is small enough, in nats."""
        return self.rel_gap * min(level, 1e300) if self.gap is None else self.gap

    def done(self, lower: float, upper: float) -> bool:
        """Tell whether bounds on the logarithm of the excess are close enough, or time is up."""
        low, high = float(np.logaddexp(0, lower)), float(np.logaddexp(0, upper))
        return self.near(max(low, self.lower), min(high, self.upper)) or self.late()

    def late(self) -> bool:
        """Tell whether time is up."""
        return self.clock.left < 0

    def room(self) -> float:
        """Count the steps of a dynamic program that there is time for."""
        return min(ROOM, SPEED * max(self.clock.left, 0.0))

    def proves(self, lower: float, weights: Floats) -> None:
        """Keep a lower bound if it is the best."""
        if lower > self.lower:
            self.lower, self.weights = lower, weights

    def offers(self, method: str, law: Lifted, units: float = 0.0) -> None:
        """Keep a law if it is the best; its flip probabilities may miss by so many units."""
        upper = level_above(law.log_top, law.counted + units)
        if upper < self.upper:
            self.method, self.law, self.upper = method, law, upper

    def closed_form(self) -> None:
        """At most one flip above the uniform part."""
        try:
            law = radius_one(self.problem.sizes, self.problem.epsilons).law
        except NotApplicable:
            return
        if not isinstance(law, Lifted):
            return
        # z is right to 10 units, and the q that it must meet to 9. Flip rates that are too high by as
        # much are mended by more of the truth, or of everything.
        more = min(law.mass / float(law.weights[-1]), 1 + law.mass / float(self.problem.w.min()))
        self.offers("at most one flip", law, 20 * more)
        *_, j = candidate(self.problem)
        self.proves(*single_flip(self.problem, int(self.problem.w.argmax()) if j is None else j))

    def alike(self) -> None:
        """All attributes have the same size and level: a Hamming ball."""
        if len(self.kinds) == 1:
            (lower, weights), (law, units) = hamming(self.kinds)
            self.proves(lower, weights)
            self.offers("attributes alike", law, units)

    def search(self) -> None:
        """List flip sets near the edge of a ball, if there are few; else, or where that fails, mix balls."""
        if self.room() < 2 * STEP * len(self.problem):
            return
        relaxed = self.sorted.relaxed(
            relaxation_units(len(self.problem), float(self.problem.epsilons.max()), 40)
        )
        pool = Pool(relaxed, self.sorted)
        try:
            path = Path.of(pool.kinds, pool.relaxed)
            path.model.size = QUICK
            path.settle(self.late)
        except (Unsound, np.linalg.LinAlgError):
            self.listed(start(self.kinds.problem))
            return
        steps: list[Callable[[], None]] = [
            partial(self.listed, path.weights * path.raised),
            partial(self.mixed, pool, path, QUICK),
        ]
        if self.small:
            steps[1:1] = [partial(self.followed, pool, faint) for faint in FAINT]
        elif not self.few(path.weights):
            steps = [steps[1], lambda: self.listed(pool.proof[self.back][self.kinds.first])]
        if self.problem.w.min() < FAINT[-1] * self.problem.w.max():
            steps.append(lambda: self.mixed(pool, Path.of(pool.kinds, pool.relaxed, FAINT[-1]), QUICK))
        self.until_near([*steps, partial(self.mixed, pool, path, SIZE)])

    def mixed(self, pool: Pool, path: Path, size: int) -> None:
        """Mix balls along the path, as long as a transform has no more numbers than this."""
        path.model.size = size
        follow(pool, path, self.wanted(self.lower), self.done, self.room)
        self.proves(level_below(pool.proved, 0), pool.proof[self.back])
        self.offers("balls", pool.law(self.problem, self.back))

    @property
    def small(self) -> bool:
        """Whether all cells could be listed."""
        return float(np.log2(self.kinds.count + 1).sum()) <= ALL_LOG2

    def few(self, weights: Floats) -> bool:
        """Tell whether flip sets are few enough for a list."""
        radius = float(weights @ (self.kinds.count * self.kinds.problem.q))
        return self.kinds.below(weights, radius, FEW) is not None

    def listed(self, weights: Floats) -> None:
        """Find the best law of flip sets near the edge of a ball of some weights."""
        edge = self.edge(weights)
        edge.run(self.tight)
        self.takes(edge)

    def followed(self, pool: Pool, faint: float) -> None:
        """Follow the path over listed flip sets, where levels are so far apart that HiGHS loses its way."""
        path = Path.of(pool.kinds, pool.relaxed, faint)
        edge = self.edge(path.weights * path.raised)
        edge.follow(path, self.tight)
        self.takes(edge)

    def tight(self, lower: float, upper: float) -> bool:
        """Tell the same of bounds from listed flip sets: all of them tell more exactly which law is best."""
        close = CHOSEN if self.small else math.inf  # of the excess, and so no more of the level
        return self.done(lower, upper) and (upper - lower < close or self.late())

    def edge(self, weights: Floats) -> Edge:
        """Begin to list flip sets near the edge of a ball."""
        problem = self.kinds.problem
        relaxed = problem.relaxed(relaxation_units(len(self.problem), float(problem.epsilons.max())))
        return Edge(self.kinds, relaxed, weights, lambda: self.clock.left)

    def takes(self, edge: Edge) -> None:
        """Keep what an edge has proved, and its law, if they are the best."""
        if edge.lower > -math.inf:
            self.proves(level_below(edge.lower, 0), edge.weights[self.kinds.of])
        if edge.upper < math.inf:
            share = CHOSEN if self.gap is None else self.gap / float(np.logaddexp(0, edge.upper))
            self.offers("flip sets", edge.law(self.problem, min(share, CHOSEN, self.rel_gap / 4)))
