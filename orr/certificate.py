"""Proof of how good a mechanism is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from orr.problem import Floats, Problem


class NotCertified(RuntimeError):
    """The solver's answer could not be proved right."""


@dataclass(frozen=True, eq=False)
class Certificate:
    """Bounds around the smallest overall level that these flip probabilities allow.

    Attributes
    ----------
    lower : float
        No mechanism with these flip probabilities has a smaller overall level.
    upper : float
        A mechanism with this overall level has been found.
    weights : ndarray
        The weights of the attributes behind ``lower``.
    """

    lower: float
    upper: float
    weights: Floats

    @property
    def gap(self) -> float:
        """What is left open, in nats."""
        return self.upper - self.lower


def dual_bound(problem: Problem, weights: Floats, gains: Floats, uniform: Floats) -> float:
    """Excess ``exp(level) - 1`` below which no mechanism can go, from any weights of at least 0.

    The bound is ``(y . d) / E[(y . (q - B))^+]`` for weights ``y``. ``gains`` holds ``y . (q - B)``
    for every flip set, and ``uniform`` its probability under a uniformly random record.
    """
    # A gain is off by at most this; adding it keeps the bound a bound.
    rounding = 2.0**-52 * (len(weights) + 4) * (weights @ problem.q)
    expected = (uniform * np.maximum(gains + rounding, 0)).sum()
    # Where the expectation underflows, nothing is proved.
    return float(weights @ problem.d / expected) * (1 - 1e-14) if expected > 1e-300 else 0.0
