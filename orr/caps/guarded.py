"""The optimum whose neighbour levels are capped (chapter price)."""

from __future__ import annotations

import math
from numbers import Real
from typing import cast

import numpy as np
from numpy.typing import NDArray

from orr.arrays import Floats
from orr.caps.certificate import CAP_TOL, Capped
from orr.caps.deep_cells import DeepCells
from orr.caps.equal_attributes import Rounding, clipped_line
from orr.caps.linear_program import GAP_TOL, CappedProgram
from orr.caps.proofs import Alone, Head, Proof
from orr.caps.ramp import Ramp
from orr.caps.ramp_search import RAMP_STATES, RampSearch, harris, resolved
from orr.checks import plain
from orr.decimals import down_to_float
from orr.laws.law import Law
from orr.laws.product import Product
from orr.laws.split import SplitLaw
from orr.optimum.certificate import Certified
from orr.optimum.search import Search
from orr.problem import Kinds, LevelsLike, Problem, SizesLike
from orr.progress import Clock
from orr.rounding import ULP, Unsound

MAX_CELLS_LOG2 = 12  # a linear program of 2^12 cells takes half a minute
WEIGHT_TOTAL = 20_000  # total of the whole weights of a bound: more hardly prove more
MAX_RAMP_WORK = 10**8  # states of a dynamic program times attributes: ten seconds
# Seconds for such a state, and for an attribute of a clipped line.
STATE_SECONDS = 1e-7
LINE_SECONDS = 1e-5
# Relative gap of the optimum without caps where cells are many: a ramp comes no closer to its bound.
MANY_CELLS_REL_GAP = 1e-4
LINE = "clipped line"  # the method that is optimal up to rounding: a program would find no better


class Guarded(Certified):
    """A mechanism whose neighbour levels are capped, with a proof of how good it is.

    Attributes
    ----------
    certificate : Capped
        Bounds around the smallest overall level that flip probabilities and caps allow.
    slack : float
        Every neighbour level is at most ``1 + slack`` times the attribute's level, to one part in 10^9.
    lower : float
        No mechanism with these flip probabilities and caps has a smaller overall level.
    """

    @property
    def certificate(self) -> Capped:
        """The proof, with this mechanism in it."""
        return cast(Capped, super().certificate)

    @property
    def slack(self) -> float:
        """How far neighbour levels may exceed the attributes' levels, as a share of them."""
        return self.certificate.slack

    @property
    def lower(self) -> float:
        """Overall level that no mechanism with these flip probabilities and caps goes below."""
        return self.certificate.lower


def guarded(
    sizes: SizesLike,
    epsilons: LevelsLike,
    slack: float,
    *,
    time_limit: float | None = None,
    progress: bool = False,
) -> Guarded:
    """Minimize the overall level while every neighbour level stays near its attribute's level.

    Among all mechanisms with exactly the levels asked whose neighbour levels are at most
    ``(1 + slack) * epsilons``, the one with the smallest overall level. No slack leaves only the
    Kronecker mechanism; where the caps do not bind, the answer is that of :func:`orr.optimal`.

    Parameters
    ----------
    sizes : sequence of int
        Number of values of each attribute. Where the caps bind, the optimum is found for attributes that are
        all alike, for up to 12 attributes, or for more if there are few kinds of them: one kind is ``n``
        attributes of the same size and level, and the product of all ``n + 1`` may be at most 4,096. Twelve
        that all differ can take half a minute. For others a good mechanism is found, Kronecker clipped.
    epsilons : sequence of float
        Level of each attribute, in nats.
    slack : float
        How far a neighbour level may exceed the attribute's level, as a share of it: 0.1 is 10%.
        Infinity means no cap.
    time_limit : float, optional
        Seconds after which no further step is begun, and the best mechanism so far is returned.
    progress : bool
        Whether to show the log of the search (logger ``orr``, level INFO) on the standard error stream.

    Returns
    -------
    Guarded
        With the levels asked, and a ``certificate``. No such mechanism has an overall level below its
        ``lower``. The two are within 1e-7, or one part in ten million, unless time is up, the slack is next
        to nothing, there are many kinds, or the levels are too far apart for HiGHS: then ``certificate.gap``
        tells what is left open.

    Examples
    --------
    >>> for slack in (0, 0.1, 0.5, np.inf):
    ...     mechanism = guarded([2, 3, 4], [1.0, 1.5, 2.0], slack)
    ...     factors = mechanism.neighbour_epsilons / mechanism.epsilons
    ...     print(round(mechanism.epsilon, 5), round(max(factors), 3))
    4.5 1.0
    3.89688 1.1
    3.4711 1.5
    3.44477 1.722
    """
    clock, problem, slack = Clock(time_limit, progress), Problem(sizes, epsilons), _check_slack(slack)
    return CappedSearch(problem.part(~problem.faint), slack, clock).run().extended(problem, "guarded")


class CappedSearch:
    """The best law and the best proof so far under caps."""

    def __init__(self, problem: Problem, slack: float, clock: Clock) -> None:
        self.problem, self.slack, self.clock = problem, slack, clock
        self.kinds = Kinds(problem)
        # A neighbour level above the sum of the levels does not occur in an optimum.
        total = math.fsum(problem.epsilons.tolist())
        self.caps = np.minimum(np.minimum(1 + slack, 1e300) * problem.epsilons, total)
        self.law: Law = Product(problem)
        self.upper, self.method, self.lower = self.law.epsilon, "one by one", 0.0
        self.weights: Floats | None = None
        self.proof: Proof | None = None

    def run(self) -> Guarded:
        """Take one step after another until the bounds are close enough or time is up."""
        if self.slack == 0 or len(self.problem) == 1:
            self.lower, self.proof = math.nextafter(self.law.nominal_epsilon, 0), Alone()
        else:
            self.without_caps()
            steps = [self.equal_attributes] if len(self.kinds) == 1 else []
            steps += [self.linear_program, self.ramp] if self.few_cells else [self.ramp]
            for step in steps:
                if self.clock.left > 0 and not self.close() and self.method != LINE:
                    try:
                        step()
                    except Unsound:  # doubles cannot hold its law
                        continue
        how = self.method, self.clock.seconds
        certificate = Capped(
            self.lower, self.upper, self.weights, *how, self.law, slack=self.slack, proof=self.proof
        )
        return Guarded(self.law, certificate)

    @property
    def few_cells(self) -> bool:
        """Whether the cells are few enough for a linear program."""
        return bool(np.log2(self.kinds.count + 1).sum() <= MAX_CELLS_LOG2)

    def close(self) -> bool:
        """Return whether the bounds are close enough."""
        self.clock.log("%.6f to %.6f", self.lower, self.upper)
        return self.upper - self.lower <= GAP_TOL * max(1.0, self.upper)

    def prove(self, lower: float, proof: Proof | None) -> None:
        """Keep a lower bound and its proof if it is the best."""
        if self.lower < lower:
            self.lower, self.proof = lower, proof

    def offer(self, method: str, law: Law, upper: float = 0.0) -> bool:
        """Keep a law if it is the best within the caps; return whether the search is over."""
        upper = max(upper, law.epsilon)
        if upper < self.upper and (law.neighbour_epsilons <= self.caps * (1 + CAP_TOL / 2)).all():
            self.method, self.law, self.upper = method, law, upper
        return self.close() or self.clock.left < 0

    def without_caps(self) -> None:
        """Find the optimum without caps: it may be within them, and its bound holds under any caps."""
        rel_gap = GAP_TOL if self.few_cells else MANY_CELLS_REL_GAP
        best = Search(self.problem, self.clock, rel_gap).run()
        self.lower, self.weights = best.certificate.lower, best.certificate.weights
        self.offer(best.certificate.method, best.law, best.certificate.upper)
        self.reach = best.epsilon

    def equal_attributes(self) -> None:
        """Find the clipped line of attributes that all have the same size and level."""
        n, level, cap = len(self.problem), float(self.problem.epsilons[0]), float(self.caps[0])
        if self.clock.left < LINE_SECONDS * n:
            return
        below = clipped_line(self.problem, cap * (1 + 2 * ULP), Rounding.DOWN)
        if below is not None:
            self.prove(below.level, Head(*below.head))
        # The draws may add this much to neighbour levels within the caps, if the slack allows it.
        lower = cap - min(32 * ULP * (n + 64), (cap - level) / 2)
        above = clipped_line(self.problem, lower, Rounding.UP)
        if above is not None:
            flips = np.arange(n + 1)
            heights = above.heights(flips)
            flips, heights = flips[heights > 0, None], heights[heights > 0]
            excess = heights + np.log(-np.expm1(-heights))
            law = DeepCells(self.problem, self.kinds, flips, excess)
            self.offer(LINE, law, above.level + above.misfit)

    def linear_program(self) -> None:
        """Solve the linear program over few cells."""
        law, prices = CappedProgram(self.problem, self.slack, self.clock).solve()
        if prices is not None:
            self.prove(down_to_float(prices.proved(self.problem, self.slack)[0]), prices)
        if law is not None:
            self.offer("linear program", law)

    def ramp(self) -> None:
        """Clip the Kronecker mechanism, and prove the bound by correlation."""
        k, levels = len(self.problem), self.problem.epsilons
        total = min(WEIGHT_TOTAL, MAX_RAMP_WORK // k)
        if total > 2 * k and self.clock.left > k * total * STATE_SECONDS:
            weights = np.maximum(np.rint(levels * (total / levels.sum())), 1).astype(np.int64)
            proved = harris(self.problem, self.caps * (1 + 2 * ULP), weights)
            if proved is not None:
                self.prove(*proved)
        for reach in (2 * self.reach + 20, float(levels.sum())):
            if k * RAMP_STATES > MAX_RAMP_WORK or self.clock.left < 4 * k * RAMP_STATES * STATE_SECONDS:
                return
            on_ramp = resolved(self.problem, reach)
            if on_ramp.any() and self.clip(on_ramp, reach):
                return

    def clip(self, on_ramp: NDArray[np.bool_], reach: float) -> bool:
        """Clip the Kronecker mechanism of some attributes; the others stand beside it."""

        def offer(ramp: Ramp) -> bool:
            return self.offer("ramp", ramp if on_ramp.all() else SplitLaw(self.problem, ramp, on_ramp))

        return RampSearch(self.problem.part(on_ramp), self.caps[on_ramp], reach).run(offer)


def _check_slack(slack: float) -> float:
    """Return the slack as a float; raise if it is not a number of at least 0."""
    allowed = "a number of at least 0, or infinity"
    if isinstance(slack, bool | np.bool_) or not isinstance(slack, Real):
        raise TypeError(f"slack = {slack!r} must be {allowed}")
    if not slack >= 0:
        raise ValueError(f"slack = {slack} must be {allowed}")
    return float(slack) if plain(slack) < 1e300 else math.inf
