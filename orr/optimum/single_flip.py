"""The closed form with at most one flip above the uniform part (chapter when-optimal).

Only the truth and records with a single flip are likelier than the rest. The mass ``M`` above the uniform
part decides everything: ``z_i = (M - w_i) q_i / (a_i - 1)`` gives attribute ``i`` its level, and the truth
carries the remaining mass.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from orr.arrays import Floats
from orr.problem import Problem
from orr.rounding import ULP

# Relative difference below which two masses are equal, and the conditions of optimality hold: thousands of
# units more than the rounding of either side.
TIE_TOL = 1e-12


class Candidate(NamedTuple):
    """Masses above the uniform part, in units of it, that give every attribute its level.

    ``mass`` is their sum, ``z0`` that of the truth, and ``z[i]`` that of each record in which attribute ``i``
    alone flips. ``tie`` is the attribute whose flip is as likely as the truth; None if the flip probabilities
    sum to at most 1, and there need not be one.
    """

    mass: float
    z0: float
    z: Floats
    tie: int | None


def candidate(problem: Problem) -> Candidate:
    """Return the only masses that may be optimal with at most one flip."""
    if problem.one_minus_sum_q >= -8 * ULP:
        mass = float(problem.w.max())
        z0 = math.fsum(problem.d.tolist()) + mass * problem.one_minus_sum_q
        return Candidate(mass, z0, np.maximum(single_flips(problem, mass), 0), None)
    others = problem.sizes - 1
    total = math.fsum(problem.d.tolist())
    masses = (total + problem.d / others) / (problem.q / others - problem.one_minus_sum_q)
    j = int(np.argmax(masses <= masses.min() * (1 + TIE_TOL)))
    z = np.maximum(single_flips(problem, float(masses[j])), 0)
    return Candidate(float(masses[j]), float(z[j]), z, j)


def single_flips(problem: Problem, mass: float) -> Floats:
    """Return the ``z_i`` that give every attribute its level at a mass ``M`` above the uniform part."""
    return (mass - problem.w) * problem.q / (problem.sizes - 1)


def obstacle(problem: Problem, found: Candidate) -> str | None:
    """Return why the candidate of a problem is not its optimum; None if it is."""
    total = 1 - problem.one_minus_sum_q
    if found.tie is None:
        if found.z0 < found.z.max() * (1 - TIE_TOL):
            return (
                f"the flip probabilities sum to {total:.6g}, at most 1, but a flip of attribute "
                f"{int(found.z.argmax())} alone would be likelier than the truth"
            )
        return None
    if found.mass < problem.w.max() * (1 - TIE_TOL):
        return (
            f"the flip probabilities sum to {total:.6g}, more than 1, and attribute "
            f"{int(problem.w.argmax())} asks for too high a level beside attribute {found.tie}"
        )
    others = total - problem.q[found.tie]
    if others > 1 + TIE_TOL:
        which = f"the flip probabilities other than that of attribute {found.tie}"
        return f"{which} sum to {others:.6g}, more than 1"
    return None
