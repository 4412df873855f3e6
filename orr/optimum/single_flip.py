"""The closed form with at most one flip above the uniform part (chapter when-optimal)."""

from __future__ import annotations

import math

import numpy as np

from orr.arrays import Floats
from orr.problem import Problem
from orr.rounding import ULP

ROUNDING = 1e-12


def candidate(problem: Problem) -> tuple[float, float, Floats, int | None]:
    """Return ``M``, ``z_0`` and ``z`` that may be optimal, and whose flip ties with the truth, if any."""
    if problem.one_minus_sum_q >= -8 * ULP:
        mass = float(problem.w.max())
        z0 = math.fsum(problem.d.tolist()) + mass * problem.one_minus_sum_q
        return mass, z0, np.maximum(single_flips(problem, mass), 0), None
    others = problem.sizes - 1
    total = math.fsum(problem.d.tolist())
    masses = (total + problem.d / others) / (problem.q / others - problem.one_minus_sum_q)
    j = int(np.argmax(masses <= masses.min() * (1 + ROUNDING)))
    z = np.maximum(single_flips(problem, float(masses[j])), 0)
    return float(masses[j]), float(z[j]), z, j


def single_flips(problem: Problem, mass: float) -> Floats:
    """``z_i`` that gives every attribute its level when the mass above the uniform part is ``M``."""
    return (mass - problem.w) * problem.q / (problem.sizes - 1)
