"""Proof of how good a mechanism is."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from orr import verify
from orr.laws import Law
from orr.mechanism import Mechanism
from orr.problem import Floats, Integers, Problem


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
        Overall level of the mechanism that was found, but for the rounding of its sampler.
    weights : ndarray or None
        The weights of the attributes behind ``lower``: integers from :func:`orr.optimal`, None where a
        closed form needs none.
    method : str
        How the mechanism was found.
    seconds : float
        How long that took.
    law : Law
        The law of the mechanism.

    Examples
    --------
    >>> import orr
    >>> best = orr.optimal([2, 3, 4, 5] * 5, [0.5, 1.0, 1.5, 2.0] * 5)
    >>> certificate = best.certificate
    >>> certificate.rel_gap < 1e-4, certificate.verify()
    (True, True)
    """

    lower: float
    upper: float
    weights: Floats | Integers | None
    method: str
    seconds: float
    law: Law = field(repr=False)

    @property
    def gap(self) -> float:
        """What is left open, in nats."""
        return self.upper - self.lower

    @property
    def rel_gap(self) -> float:
        """What is left open, as a share of ``upper``."""
        return self.gap / self.upper

    def verify(self) -> bool:
        """Compute both bounds and the flip probabilities again, by a separate and simpler path.

        Returns
        -------
        bool
            Whether the bounds hold and the mechanism has the flip probabilities asked, to within
            1e-9 of their size.
        """
        problem = self.law.problem
        if self.weights is None:
            lower = verify.single_lie_bound(problem)
        else:
            lower = verify.lower_bound(problem, self.weights.astype(float))
        upper, rates = verify.level_and_rates(self.law)
        slack = 1e-9 * (1 + self.upper)
        return bool(
            self.lower <= lower + slack
            and upper <= self.upper + slack
            and lower <= upper + slack
            and np.allclose(rates, problem.q, rtol=1e-9, atol=0)
        )


class Certified(Mechanism):
    """A mechanism with a proof of how far from optimal it can be."""

    def __init__(self, law: Law, certificate: Certificate) -> None:
        super().__init__(law)
        self.certificate = certificate


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
