"""Two attributes, solved in closed form (chapter two-attributes)."""

from __future__ import annotations

from orr.arrays import Floats
from orr.laws.law import Law
from orr.laws.single_flip import SingleFlip
from orr.mechanism import Mechanism
from orr.optimum.single_flip import TIE_TOL, candidate
from orr.problem import LevelsLike, Problem, SizesLike


class TwoAttribute(Mechanism):
    """The mechanism for two attributes; ``case`` is the case of the closed form."""

    case: str

    def __init__(self, law: Law, case: str) -> None:
        super().__init__(law, construction="two_attribute")
        vars(self)["case"] = case


def two_attribute(sizes: SizesLike, epsilons: LevelsLike) -> TwoAttribute:
    """Solve two attributes, of ``m`` and ``n`` values, by the four cases of the paper.

    Section IV.B.1 of Yamamoto and Shibuya (2024), with ``E_i = exp(epsilon_i)``:

    - Case I, ``E1 E2 >= (m-1)(n-1)`` and ``n(E1-1) >= m(E2-1)``: a record with a flip of attribute 1
      alone is as rare as one with both.
    - Case II, ``E1 E2 >= (m-1)(n-1)`` otherwise: the same for attribute 2.
    - Case III, ``E1 E2 < (m-1)(n-1)`` and ``(n-m)E1 E2 - m(n-1)E1 + (m-1)n E2 >= 0``: a record
      with a flip of attribute 1 alone is as likely as the true one.
    - Case IV, otherwise: the same for attribute 2.

    The code states them through the mass ``M`` above the uniform part, in which nothing
    overflows: the first pair of cases is ``q_1 + q_2 <= 1`` with ``M = max(w_1, w_2)``,
    the second is the smaller of the two masses at which a flip and the truth are equally likely.

    Parameters
    ----------
    sizes : sequence of two int
        Number of values of each attribute.
    epsilons : sequence of two float
        Level of each attribute, in nats.

    Returns
    -------
    TwoAttribute
        The optimal mechanism; ``case`` is "I", "II", "III" or "IV".

    Examples
    --------
    >>> best = two_attribute([4, 3], [1.9034, 0.3668])
    >>> best.case, round(best.epsilon, 6)
    ('I', 2.220026)
    """
    problem = Problem(sizes, epsilons)
    if len(problem) != 2:
        raise ValueError(f"two_attribute needs exactly 2 attributes, got {len(problem)}")
    _, z0, z, case = closed_form(problem)
    return TwoAttribute(SingleFlip.beside(problem, z0, z), case)


def closed_form(problem: Problem) -> tuple[float, float, Floats, str]:
    """Return ``M``, ``z_0`` and ``z`` of two attributes, and their case; ties go to the first."""
    mass, z0, z, tie = candidate(problem)
    if tie is not None:
        return mass, z0, z, ("III", "IV")[tie]
    return mass, z0, z, "I" if problem.w[0] >= problem.w[1] * (1 - TIE_TOL) else "II"
