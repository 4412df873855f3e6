"""A certificate checked in exact and outward-rounded arithmetic (chapter certificate)."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from orr.caps.certificate import Capped
from orr.decimals import down_to_float
from orr.optimum import verify
from orr.optimum.certificate import Certificate
from orr.rounding import LEVEL_TOLERANCE
from orr_audit.bound import bound
from orr_audit.sampler import realised


@dataclass(frozen=True)
class Verification:
    """What was proved of a certificate; true if everything it claims was.

    Attributes
    ----------
    holds : bool
        Whether every claim holds.
    lower : float
        Overall level that the weights prove, rounded down.
    level : float
        Overall level of the sampler, rounded up.
    level_error : float
        Largest relative error of an attribute's level as drawn; infinite if it is unproved.
    seconds : float
        Time that the check took.
    how : str
        How the numbers were computed.
    """

    holds: bool
    lower: float
    level: float
    level_error: float
    seconds: float
    how: str

    def __bool__(self) -> bool:
        return self.holds

    def __repr__(self) -> str:
        levels = f"to {self.level_error:.1g}" if self.level_error < math.inf else "unproved"
        return (
            f"<{'Verified' if self.holds else 'NOT verified'} in {self.seconds:.2g} s: no mechanism below "
            f"{self.lower!r}, this one at most {self.level!r}, attribute levels {levels}; {self.how}>"
        )


def audit(certificate: Certificate) -> Verification:
    """Check a certificate in integers, fractions and decimals rounded outward, to the last digit.

    This takes seconds, or minutes for hundreds of different attributes; ``certificate.verify()`` does the
    same in doubles, in milliseconds.

    Parameters
    ----------
    certificate : Certificate
        Of a mechanism of :func:`orr.optimal`, :func:`orr.guarded` or a solved :func:`orr.linear_program`.

    Returns
    -------
    Verification
        What was proved, how, and how long it took. It is true if ``lower`` is proved, ``lower <= upper``, the
        level of the sampler is at most ``epsilon``, every attribute has its level to one part in a million,
        and no number was changed in memory.

    Examples
    --------
    >>> import orr
    >>> certificate = orr.optimal([2, 3, 4], [0.5, 1.0, 0.7]).certificate
    >>> proof = audit(certificate)
    >>> bool(proof), certificate.lower <= proof.lower < proof.level < certificate.lower + 1e-6
    (True, True)
    """
    check_certificate(certificate)
    try:
        with np.errstate(all="ignore"):
            return _audit(certificate)
    except MemoryError:
        raise
    except Exception as error:  # An object with wrong numbers may raise any error.
        return Verification(False, 0.0, math.inf, math.inf, 0.0, f"it cannot be checked: {error}")


def check_certificate(certificate: object) -> None:
    """Raise if something is not a certificate."""
    if not isinstance(certificate, Certificate):
        kind = type(certificate).__name__
        raise TypeError(f"certificate must be a Certificate, as mechanism.certificate is, got {kind}")


def _audit(certificate: Certificate) -> Verification:
    certificate.check_integrity()
    start = time.perf_counter()
    proved, counted = _proved(certificate)
    law = certificate.law
    level, error, drawn = realised(law)
    holds = (
        verify.consistent(law)
        and Decimal(certificate.lower) <= proved <= Decimal(certificate.upper)
        and level <= Decimal(max(law.epsilon, certificate.upper))
        and error <= LEVEL_TOLERANCE
    )
    seconds, how = time.perf_counter() - start, f"{counted}; {drawn}"
    return Verification(bool(holds), down_to_float(proved), -down_to_float(-level), error, seconds, how)


def _proved(certificate: Certificate) -> tuple[Decimal, str]:
    """Return the lower bound, rounded down, and how it was computed."""
    problem, weights = certificate.law.problem, certificate.weights
    if isinstance(certificate, Capped) and certificate.proof is not None:
        return certificate.proof.proved(problem.part(~problem.faint), certificate.slack)
    return bound(problem, None if weights is None else weights.tolist())
