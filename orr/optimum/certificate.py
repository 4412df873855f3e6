"""Proof of how good a mechanism is (chapters certificate and any-size)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from orr.arrays import Array, Floats
from orr.laws.law import Law
from orr.laws.split import SplitLaw
from orr.mechanism import Mechanism
from orr.optimum import verify
from orr.optimum.integrity import intact, remade
from orr.problem import Problem
from orr.rounding import LEVEL_TOLERANCE, ULP


class NotCertified(RuntimeError):
    """The bounds of the optimum are too far apart for the answer to be certified."""


@dataclass(frozen=True, eq=False)
class Certificate:
    """Bounds around the smallest overall level that these flip probabilities allow.

    Attributes
    ----------
    lower : float
        No mechanism with these flip probabilities has a smaller overall level.
    upper : float
        At least the smallest overall level, and that of the mechanism before the rounding of its draws; so
        ``lower <= smallest <= upper <= epsilon``, to the last digit.
    weights : ndarray or None
        The weights of the attributes behind ``lower``, as exact doubles: whole numbers, or those of a closed
        form. None where ``lower`` is the bound that needs no search (:func:`orr.optimum.bound.floor`).
    method, seconds : str, float
        How the mechanism was found, and how long that took.
    law : Law
        The law of the mechanism.
    mechanism : Mechanism or None
        The mechanism that this certifies, once there is one.

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
    weights: Floats | None
    method: str
    seconds: float
    law: Law = field(repr=False)
    mechanism: Mechanism | None = field(default=None, repr=False)

    @property
    def gap(self) -> float:
        """The gap between the bounds, in nats."""
        return self.upper - self.lower

    @property
    def rel_gap(self) -> float:
        """The gap between the bounds, as a share of ``upper``."""
        return self.gap / self.upper

    def verify(self) -> bool:
        """Compute both bounds and the flip probabilities again, by a separate and simpler path.

        No sums of the solver or of the law are used: only sizes, levels and weights, the numbers that
        define the law, and those with which its sampler compares random words. This path uses doubles, and
        may err by 1e-9 of the overall level, and of the information about an attribute before it is
        re-randomized. ``orr_audit.audit`` does the same to the last digit.

        Returns
        -------
        bool
            Whether ``lower`` is proved by the weights, ``lower <= upper <= epsilon``, the level of the law is
            at most ``upper``, every attribute has its level to one part in a million, and no number was
            changed in memory.

        Examples
        --------
        >>> import orr
        >>> orr.optimal([2, 3, 4], [0.5, 1.0, 0.7]).certificate.verify()
        True
        """
        try:
            with np.errstate(all="ignore"):
                return self._verify()
        except MemoryError:
            raise
        except Exception:  # an object with wrong numbers may raise anything
            return False

    def _verify(self) -> bool:
        self.check_integrity()
        lower = self._lower()
        upper, errors = verify.level_and_errors(self.law)
        slack = verify.SLACK * self.upper
        right = self.lower <= lower + slack and upper <= self.upper + slack
        return bool(right and np.abs(errors).max() <= LEVEL_TOLERANCE)

    def check_integrity(self) -> None:
        """Raise if the certificate is of another mechanism, or if numbers were changed in memory."""
        mechanism, problem = self.mechanism, self.law.problem
        own = not mechanism or (
            mechanism.law is self.law and mechanism.problem is problem and mechanism.asked is problem
        )
        if not (own and self.plausible() and intact(self) and remade(self.law)):
            raise ValueError("it is of another mechanism, or numbers in it were changed")

    def _lower(self) -> float:
        """Compute the lower bound in doubles."""
        if self.weights is None:
            return verify.floor(self.law.problem)
        return verify.lower_bound(self.law.problem, self.weights.astype(float))

    def plausible(self) -> bool:
        """Return whether bounds and weights are numbers that may be right.

        The upper bound is the level of the law up to rounding: less by at most 1e-9 of it, or more by at most
        one part in a million, where flip probabilities of a closed form may be missed.
        """
        weights, epsilon = self.weights, self.law.epsilon
        proper = weights is None or (
            weights.shape == (len(self.law.problem),)
            and bool(np.isfinite(weights).all())
            and weights.min() >= 0 < weights.max()
        )
        near = epsilon * (1 - 1e-9) <= self.upper <= epsilon * (1 + 1e-6)
        return proper and near and 0 <= self.lower <= self.upper


class Certified(Mechanism):
    """A mechanism with a proof of how far from optimal it can be."""

    _certificate: Certificate

    def __init__(self, law: Law, certificate: Certificate, construction: str | None = None) -> None:
        super().__init__(law, construction=construction)
        vars(self)["_certificate"] = certificate

    @property
    def certificate(self) -> Certificate:
        """The proof, with this mechanism in it."""
        return replace(self._certificate, mechanism=self)

    @property
    def epsilon(self) -> float:
        """Overall level of the whole released record about the whole record."""
        return max(self.law.epsilon, self._certificate.upper)

    def extended(self, problem: Problem, construction: str) -> Self:
        """Return the mechanism of a construction for all attributes: the faint ones are put beside these.

        With weights of 0 for them, what was proved for the others holds for all.
        """
        proof = self._certificate
        if not problem.faint.any():
            return type(self)(self.law, proof, construction)
        law = SplitLaw(problem, self.law, ~problem.faint)
        weights: Array | None = None
        if proof.weights is not None:
            weights = np.zeros(len(problem), dtype=proof.weights.dtype)
            np.place(weights, ~problem.faint, proof.weights)
        upper = (proof.upper + law.parts[1].epsilon) * (1 + ULP)
        return type(self)(law, replace(proof, upper=upper, weights=weights, law=law), construction)
