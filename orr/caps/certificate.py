"""The certificate of a mechanism with capped neighbour levels (chapter price)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from orr.caps import verify  # noqa: F401 - so that ramps and nested tables can be verified
from orr.caps.proofs import Proof
from orr.optimum.certificate import Certificate

CAP_TOL = 1e-9  # relative; no level is known as closely


@dataclass(frozen=True, eq=False)
class Capped(Certificate):
    """Bounds around the smallest overall level that flip probabilities and caps allow.

    Attributes
    ----------
    lower : float
        No mechanism with these flip probabilities and caps has a smaller overall level.
    slack : float
        Caps are ``1 + slack`` times the attributes' levels.
    proof : Proof or None
        Proof of ``lower``; None where the weights prove it without the caps.

    Examples
    --------
    >>> import orr
    >>> certificate = orr.guarded([4] * 20, [2.0] * 20, 0.1).certificate
    >>> certificate.gap < 1e-9, certificate.verify()
    (True, True)
    """

    slack: float = math.inf
    proof: Proof | None = None

    def _lower(self) -> float:
        if self.proof is None:
            return super()._lower()
        problem = self.law.problem
        return float(self.proof.proved(problem.part(~problem.faint), self.slack)[0])

    def plausible(self) -> bool:
        """Return whether bounds, weights and caps may be right."""
        caps = (1 + min(self.slack, 1e300)) * self.law.problem.epsilons * (1 + CAP_TOL)
        return super().plausible() and bool((self.law.neighbour_epsilons <= caps).all())
