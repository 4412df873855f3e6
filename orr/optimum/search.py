"""One search for the optimum: closed forms, listed cells, mixtures of balls (chapter any-size).

A *step* offers laws and proves lower bounds; the search keeps the best of both. It ends when they are close
enough or time is up.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from orr.arrays import Floats
from orr.laws.law import Law, Lifted
from orr.laws.product import Product
from orr.laws.single_flip import SingleFlip
from orr.optimum.bound import floor, single_flip
from orr.optimum.cell_program import CellProgram
from orr.optimum.central_path import FAINT_RATIOS, Path, start
from orr.optimum.certificate import Certificate, Certified
from orr.optimum.column_generation import Pool, follow
from orr.optimum.hamming_ball import hamming
from orr.optimum.laplace import MAX_NUMBERS, QUICK_NUMBERS
from orr.optimum.single_flip import candidate, obstacle
from orr.problem import Kinds, Problem
from orr.progress import Clock
from orr.rounding import Unsound, level_above, level_below, relaxation_units

# A ball of at most this many cells is listed before balls are mixed, which takes longer for so few.
FEW_CELLS = 5_000
# All cells are listed where there are at most 2^16 of them; then the best law can be chosen exactly.
ALL_CELLS_LOG2 = 16
# Steps of a dynamic program that a second of a time limit pays for, with all the balls that are tried.
STEPS_PER_SECOND = 10**7
# Steps of a dynamic program, however much time there is: minutes for all the balls that are tried.
MAX_STEPS = 2 * 10**9
STATES_PER_TURN = 1_000  # states that take as long as one turn of the Python loop over the attributes
# Share of the level that choosing the softest edge among all optima may cost, if the gap asked is larger.
CHOICE_COST = 5e-10
# Share of the gap asked that the search may leave open. The rest is for what comes after it: scaling the law
# up to the levels, margins of rounding, and faint attributes beside the law.
SEARCHED_GAP = 0.9


class Search:
    """The best law and the best bound so far, for attributes in the order given and in a canonical one.

    ``lower`` and ``upper`` are levels; the steps count in logarithms of the excess, ``exp(level) - 1``.

    Parameters
    ----------
    problem : Problem
        Sizes and levels, none of them faint.
    clock : Clock
        The time of the call.
    rel_gap : float
        How close the bounds must come, as a share of the overall level.
    gap : float, optional
        How close they must come in nats, instead of ``rel_gap``.
    """

    def __init__(
        self, problem: Problem, clock: Clock, rel_gap: float = 1e-4, gap: float | None = None
    ) -> None:
        self.problem, self.kinds, self.clock = problem, Kinds(problem), clock
        self.rel_gap, self.gap = SEARCHED_GAP * rel_gap, None if gap is None else SEARCHED_GAP * gap
        self.lower = floor(problem)
        self.weights: Floats | None = None
        # The highest level alone is a bound: all weight on that attribute.
        highest = int(problem.epsilons.argmax())
        self.prove(math.nextafter(problem.epsilons[highest], 0), np.eye(1, len(problem), highest)[0])
        self.law: Law = Product(problem)
        self.upper, self.method = self.law.epsilon, "one by one"
        self.sorted = Problem.achieved(problem.sizes[self.kinds.order], problem.epsilons[self.kinds.order])
        self.back = np.argsort(self.kinds.order)

    def run(self) -> Certified:
        """Try closed forms first, then the search over flip sets."""
        self.run_until_close([self.single_flip, self.hamming_ball, self.flip_sets])
        return self.certified()

    def run_cell_program(self) -> Certified:
        """Solve the program over listed cells; try the closed form if that leaves a gap."""
        self.list_cells(start(self.problem)[self.kinds.first])
        if not self.close(self.lower, self.upper):
            self.single_flip()
        return self.certified()

    def run_until_close(self, steps: list[Callable[[], None]]) -> None:
        """Take one step after another until the bounds are close enough or time is up."""
        for step in steps:
            if self.close(self.lower, self.upper) or self.late():
                return
            try:
                step()
            except (Unsound, np.linalg.LinAlgError):  # doubles cannot hold its numbers; others may do
                continue

    def certified(self) -> Certified:
        """Return the best law with the best bound."""
        bounds, how = (self.lower, self.upper, self.weights), (self.method, self.clock.seconds)
        return Certified(self.law, Certificate(*bounds, *how, self.law))

    def close(self, lower: float, upper: float) -> bool:
        """Return whether bounds on the level are close enough."""
        self.clock.log("%.6f to %.6f", lower, upper)
        return upper - lower <= self.tolerated(upper)

    def tolerated(self, level: float) -> float:
        """Return the gap in nats that may stay open at a level."""
        return self.rel_gap * min(level, 1e300) if self.gap is None else self.gap

    def done(self, lower: float, upper: float) -> bool:
        """Return whether bounds on the logarithm of the excess are close enough, or time is up."""
        low, high = float(np.logaddexp(0, lower)), float(np.logaddexp(0, upper))
        return self.close(max(low, self.lower), min(high, self.upper)) or self.late()

    def done_exactly(self, lower: float, upper: float) -> bool:
        """Return the same for listed cells: where all of them are listed, the bounds must nearly meet."""
        close = CHOICE_COST if self.lists_all else math.inf  # of the excess, and so no more of the level
        return self.done(lower, upper) and (upper - lower < close or self.late())

    def late(self) -> bool:
        """Return whether time is up."""
        return self.clock.left < 0

    def steps_left(self) -> float:
        """Return the number of steps of a dynamic program that there is time for."""
        return min(MAX_STEPS, STEPS_PER_SECOND * max(self.clock.left, 0.0))

    def prove(self, lower: float, weights: Floats) -> None:
        """Keep a lower bound and its weights if it is the best."""
        if lower > self.lower:
            self.lower, self.weights = lower, weights

    def offer(self, method: str, law: Lifted, units: float = 0.0) -> None:
        """Keep a law if it is the best; its flip probabilities may be off by ``units``."""
        upper = level_above(law.log_top, law.counted + units)
        if upper < self.upper:
            self.method, self.law, self.upper = method, law, upper

    def single_flip(self) -> None:
        """Try the closed form with at most one flip above the uniform part."""
        found = candidate(self.problem)
        if obstacle(self.problem, found) is not None:
            return
        law = SingleFlip.beside(self.problem, found.z0, found.z)
        if not isinstance(law, SingleFlip):  # some attributes are too faint for it
            return
        # The z are right to 10 units, and the q that they must meet to 9. Flip rates that are too high by as
        # much are mended by more mass of the truth, or by more of all masses.
        more = min(law.mass / law.z0, 1 + law.mass / float(self.problem.w.min()))
        self.offer("at most one flip", law, 20 * more)
        self.prove(
            *single_flip(self.problem, int(self.problem.w.argmax()) if found.tie is None else found.tie)
        )

    def hamming_ball(self) -> None:
        """Try a Hamming ball, if all attributes have the same size and level."""
        if len(self.kinds) == 1:
            (lower, weights), (law, units) = hamming(self.kinds)
            self.prove(lower, weights)
            self.offer("attributes alike", law, units)

    def flip_sets(self) -> None:
        """Search over flip sets: list cells near the edge of a ball where they are few, and mix balls."""
        if self.steps_left() < 2 * STATES_PER_TURN * len(self.problem):
            return
        units = relaxation_units(len(self.problem), float(self.problem.epsilons.max()), 40)
        pool = Pool(self.sorted.relaxed(units), self.sorted)
        try:
            path = Path.of(pool.kinds, pool.relaxed)
            path.model.max_numbers = QUICK_NUMBERS
            path.settle(self.late)
        except (Unsound, np.linalg.LinAlgError):
            self.list_cells(start(self.kinds.problem))
            return
        listing = partial(self.list_cells, path.unscaled(path.here.weights))
        mixing = partial(self.mix_balls, pool, path, QUICK_NUMBERS)
        steps: list[Callable[[], None]]
        if self.lists_all:
            steps = [listing, *(partial(self.follow_cells, pool, faint) for faint in FAINT_RATIOS), mixing]
        elif self.lists_ball(path.here.weights):
            steps = [listing, mixing]
        else:
            steps = [mixing, lambda: self.list_cells(pool.proof[self.back][self.kinds.first])]
        if self.problem.w.min() < FAINT_RATIOS[-1] * self.problem.w.max():
            coarse = partial(Path.of, pool.kinds, pool.relaxed, FAINT_RATIOS[-1])
            steps.append(lambda: self.mix_balls(pool, coarse(), QUICK_NUMBERS))
        self.run_until_close([*steps, partial(self.mix_balls, pool, path, MAX_NUMBERS)])

    @property
    def lists_all(self) -> bool:
        """Whether all cells can be listed."""
        return float(np.log2(self.kinds.count + 1).sum()) <= ALL_CELLS_LOG2

    def lists_ball(self, weights: Floats) -> bool:
        """Return whether the cells in a ball are so few that listing them comes first."""
        radius = float(weights @ (self.kinds.count * self.kinds.problem.q))
        return self.kinds.below(weights, radius, FEW_CELLS) is not None

    def mix_balls(self, pool: Pool, path: Path, max_numbers: int) -> None:
        """Mix balls along the path, as long as a transform takes no more numbers than given."""
        path.model.max_numbers = max_numbers
        follow(pool, path, self.tolerated(self.lower), self.done, self.steps_left)
        self.prove(level_below(pool.proved, 0), pool.proof[self.back])
        self.offer("balls", pool.law(self.problem, self.back))

    def list_cells(self, weights: Floats) -> None:
        """Solve the program over cells near the edge of the ball of some weights."""
        program = self.cell_program(weights)
        program.run(self.done_exactly)
        self.keep(program)

    def follow_cells(self, pool: Pool, faint: float) -> None:
        """Follow the path over listed cells: levels may be too far apart for HiGHS."""
        path = Path.of(pool.kinds, pool.relaxed, faint)
        program = self.cell_program(path.unscaled(path.here.weights))
        program.follow(path, self.done_exactly)
        self.keep(program)

    def cell_program(self, weights: Floats) -> CellProgram:
        """Return the program over cells near the edge of the ball of some weights."""
        problem = self.kinds.problem
        relaxed = problem.relaxed(relaxation_units(len(self.problem), float(problem.epsilons.max())))
        return CellProgram(self.kinds, relaxed, weights, lambda: self.clock.left)

    def keep(self, program: CellProgram) -> None:
        """Keep what a program over cells has proved, and its law, if they are the best."""
        if program.lower > -math.inf:
            self.prove(level_below(program.lower, 0), program.weights[self.kinds.of])
        if program.upper < math.inf:
            share = CHOICE_COST if self.gap is None else self.gap / float(np.logaddexp(0, program.upper))
            self.offer("flip sets", program.law(self.problem, min(share, CHOICE_COST, self.rel_gap / 4)))
