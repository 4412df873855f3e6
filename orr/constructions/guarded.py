"""The optimum under a cap on what a release tells someone who knows the other attributes."""

from __future__ import annotations

import math
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike

from orr.clock import Clock
from orr.constructions.optimal import optimal
from orr.laws.beside import Beside
from orr.laws.law import Law
from orr.laws.product import Product
from orr.mechanism import Mechanism
from orr.optimum.capped import ACCEPTED, CLOSED, KEPT, Program
from orr.problem import Kinds, Problem

MAX_STATES_LOG2 = 12


class Guarded(Mechanism):
    """A mechanism whose neighbour levels are capped, with a proof of how good it is.

    Attributes
    ----------
    slack : float
        Every neighbour level is at most ``1 + slack`` times the attribute's level, to one part in 10^9.
    lower : float
        No mechanism with these flip probabilities and caps has a smaller overall level.
    """

    def __init__(self, law: Law, slack: float, lower: float) -> None:
        super().__init__(law)
        self.slack, self.lower = slack, lower


def guarded(
    sizes: ArrayLike,
    epsilons: ArrayLike,
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
        Number of values of each attribute. Where the caps bind, the optimum is found for up to 12
        attributes, or more if there are few kinds of them: one kind is ``n`` attributes of the same size
        and level, and the product of all ``n + 1`` may be at most 4,096. Twelve that all differ can take
        half a minute. For more the Kronecker mechanism is returned.
    epsilons : sequence of float
        Level of each attribute, in nats.
    slack : float
        How far a neighbour level may exceed the attribute's level, as a share of it: 0.1 is 10%.
        Infinity means no cap.
    time_limit : float, optional
        Seconds after which no further step is begun, and the best mechanism so far is returned.
    progress : bool
        Whether to report each step on the standard error stream.

    Returns
    -------
    Guarded
        With the levels asked. No such mechanism has an overall level below its ``lower``. The two are
        within 1e-7, or one part in ten million, unless time is up, there are too many states, or the levels
        are too far apart for HiGHS: then the difference tells what is left open.

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
    clock, problem, slack = Clock(time_limit), Problem(sizes, epsilons), _check_slack(slack)
    faint = problem.faint
    law, lower = _joint(problem.part(~faint), slack, clock, progress)
    return Guarded(Beside(problem, law, ~faint) if faint.any() else law, slack, lower)


def _joint(problem: Problem, slack: float, clock: Clock, progress: bool) -> tuple[Law, float]:
    """Return the best law found, and a lower bound."""
    law: Law = Product(problem)
    if slack == 0 or len(problem) == 1:
        return law, math.nextafter(law.nominal_epsilon, 0)
    caps = np.minimum(1 + slack, 1e300) * problem.epsilons
    small = _few_states(Kinds(problem))
    best = optimal(
        problem.sizes,
        problem.epsilons,
        rel_gap=CLOSED if small else 1e-4,
        time_limit=None if clock.limit == math.inf else max(clock.left, 1e-9),
        progress=progress,
    )
    lower = best.certificate.lower
    if (best.neighbour_epsilons <= caps * (1 + KEPT)).all():
        law = best.law
    if small and clock.left > 0 and law.epsilon - lower > ACCEPTED * max(1.0, law.epsilon):
        found, proved = Program(problem, slack, clock, progress).solve()
        lower = max(lower, proved)
        if found is not None and found.epsilon < law.epsilon:
            law = found if (found.neighbour_epsilons <= caps * (1 + 1e-9)).all() else law
    return law, lower


def _few_states(kinds: Kinds) -> bool:
    """Tell whether the states are few enough for a linear program."""
    return bool(np.log2(kinds.count + 1).sum() <= MAX_STATES_LOG2)


def _check_slack(slack: float) -> float:
    """Return the slack as a float, or say why it is not one."""
    allowed = "a number of at least 0, or infinity"
    if isinstance(slack, bool | np.bool_) or not isinstance(slack, Real):
        raise TypeError(f"slack = {slack!r} must be {allowed}")
    if not slack >= 0:
        raise ValueError(f"slack = {slack} must be {allowed}")
    return float(slack) if slack < 1e300 else math.inf
