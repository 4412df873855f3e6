"""Certificates as whole numbers, for a checker that is proved right in Coq (chapter any-size).

The checker is ``proofs/checker.v``, and ``tools/proofs.py`` runs it. It knows only natural numbers: a flip
probability is rounded up to a number of units, and a level is the fraction that its double is.
"""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from numbers import Integral
from typing import Any

from orr.arrays import Floats
from orr.optimum.certificate import Certificate
from orr.problem import Problem
from orr_audit.audit import check_certificate
from orr_audit.bound import excess

UNIT_BITS = 80  # Flip probabilities are rounded up by at most 2^-80 of them, far less than a double's 2^-53.
SERIES_SCALE = 2**120  # Terms of the exponential series are rounded down to multiples of 2^-120.
MIN_TERMS = 80  # With four more terms for each unit of the largest level, the rest is below 2^-80 of the sum.
CLAIM_BITS = 64  # The claim keeps its leading bits: rounding a double would lose more than the rest.


def for_coq(certificate: Certificate, states: int | None = None) -> dict[str, Any]:
    """Return the lower bound of a certificate in whole numbers, for a checker that is proved right in Coq.

    It says: every mechanism whose attributes flip no more often than these levels allow has an
    ``exp(epsilon)`` of at least 1 plus the claim. Store it as JSON, and let the book's repository run the
    checker: ``python tools/proofs.py certificate FILE``.

    Parameters
    ----------
    certificate : Certificate
        Of :func:`orr.optimal`, with weights.
    states : int, optional
        Round the weights first, to about this many sums below their threshold: quicker to check, but less is
        proved. By default they are not rounded.

    Returns
    -------
    dict
        For each attribute its number of values, its level as a fraction, a bound of its flip probability in
        units, and its whole weight; the unit; the claim as a fraction.

    Examples
    --------
    >>> import orr
    >>> certificate = orr.optimal([2, 3, 4], [0.5, 1.0, 0.7]).certificate
    >>> numerator, denominator = for_coq(certificate)["claim"]
    >>> abs(math.log1p(numerator / denominator) - certificate.lower) < 1e-9
    True
    """
    check_certificate(certificate)
    if states is not None and (isinstance(states, bool) or not isinstance(states, Integral) or states < 1):
        raise ValueError(f"states = {states!r} must be a whole number of at least 1")
    problem, weights = certificate.law.problem, certificate.weights
    if weights is None:
        raise ValueError("the checker counts weights, and this bound has none")
    sizes, levels = problem.sizes.tolist(), [Fraction(level) for level in problem.epsilons.tolist()]
    whole = _whole(weights if states is None else _coarse(problem, weights, states))
    terms = MIN_TERMS + 4 * math.ceil(max(levels))
    unit = 2 ** (UNIT_BITS + 2 * math.ceil(max(levels)))  # the smallest flip probability is about exp(-level)
    most = [_most(a, level, unit, terms) for a, level in zip(sizes, levels, strict=True)]
    radius = Fraction(sum(n * y for n, y in zip(most, whole, strict=True)), unit)
    gain = sum(Fraction(y * (a - 1), a) for a, y in zip(sizes, whole, strict=True)) - radius
    proved = excess(dict(Counter(zip(sizes, whole, strict=True))), radius, gain)
    if proved is None or proved <= 0:
        raise ValueError("these weights prove nothing, or too many sums of them would have to be counted")
    rows = zip(sizes, levels, most, whole, strict=True)
    return {
        "unit": unit,
        "terms": terms,
        "scale": SERIES_SCALE,
        "claim": _leading(proved),
        "attributes": [
            {"values": a, "level": [level.numerator, level.denominator], "most": n, "weight": y}
            for a, level, n, y in rows
        ],
    }


def _whole(weights: Floats) -> list[int]:
    """Scale weights to whole numbers, exactly."""
    fractions = [Fraction(weight) for weight in weights.tolist()]
    scale = math.lcm(*(weight.denominator for weight in fractions))
    return [int(weight * scale) for weight in fractions]


def _coarse(problem: Problem, weights: Floats, states: int) -> Floats:
    """Round weights to whole numbers with at most about ``states`` sums below the threshold."""
    return (weights * (states / (weights @ problem.q))).round()


def _most(size: int, level: Fraction, unit: int, terms: int) -> int:
    """Return the flip probability in units, rounded up; e^level is summed from below, as in the checker."""
    total, term = 0, SERIES_SCALE
    for j in range(1, terms + 1):
        total += term
        term = term * level.numerator // (level.denominator * j)
    others = (size - 1) * SERIES_SCALE
    return -(-unit * others // (total + others))


def _leading(value: Fraction) -> list[int]:
    """Round a positive fraction down to its leading bits; return numerator and denominator."""
    shift = CLAIM_BITS - value.numerator.bit_length() + value.denominator.bit_length()
    rounded = Fraction(math.floor(value * Fraction(2) ** shift)) / Fraction(2) ** shift
    return [rounded.numerator, rounded.denominator]
