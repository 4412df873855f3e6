"""How long it would take to verify a certificate, without doing so (chapter any-size)."""

from __future__ import annotations

import math

import numpy as np

from orr.arrays import Floats
from orr.caps.certificate import Capped
from orr.caps.proofs import Head, Prices, Proof, Thresholds
from orr.caps.ramp import Ramp
from orr.laws.ball_mixture import BallMixture
from orr.laws.cells import Cells
from orr.laws.law import Law
from orr.laws.split import SplitLaw
from orr.optimum.certificate import Certificate
from orr.optimum.verify import DENSE_RADIUS
from orr.problem import Kinds, Problem

LISTED = 10_000  # flip sets below a threshold that are counted, to tell how many there are
DECIMAL = 100  # doubles that take as long as a decimal


def effort(certificate: Certificate) -> float:
    """Count the numbers that ``verify()`` would compute: ten million take about half a second.

    Examples
    --------
    >>> import orr
    >>> effort(orr.optimal([2, 3, 4], [0.5, 1.0, 0.7]).certificate) < 1000
    True
    """
    problem, proof = certificate.law.problem, None
    if isinstance(certificate, Capped):
        proof = certificate.proof
    below = _bound(problem, certificate.weights) if proof is None else _proof(problem, proof)
    return _law(certificate.law) + below


def _law(law: Law) -> float:
    """Count what the level and the flip probabilities of a law take."""
    if isinstance(law, SplitLaw):
        return sum(map(_law, law.parts))
    if isinstance(law, BallMixture):
        return 8.0 * len(law.problem) * sum(ball.states for ball in law.balls)
    if isinstance(law, Ramp):
        return 8.0 * len(law.problem) * len(law.log_excess)
    return float(law.cells.size) if isinstance(law, Cells) else float(len(law.problem))


def _bound(problem: Problem, weights: Floats | None) -> float:
    """Count what the bound that weights prove takes."""
    if weights is None or ((problem.sizes == problem.sizes[0]).all() and (weights == weights[0]).all()):
        return float(len(problem))
    kinds, radius = Kinds(problem), float(weights @ problem.q)
    if (weights == np.rint(weights)).all() and radius < DENSE_RADIUS:
        return len(problem) * radius
    if (weights[kinds.first][kinds.of] != weights).any():
        return float(len(problem)) * 2.0 ** min(len(problem), 1000)
    cells = kinds.below(weights[kinds.first], radius, LISTED)
    return math.inf if cells is None else float(len(problem) * len(cells))


def _proof(problem: Problem, proof: Proof) -> float:
    """Count what the bound of a proof under caps takes."""
    if isinstance(proof, Head):
        return float(DECIMAL * len(problem))
    if isinstance(proof, Prices):
        cells = math.prod((Kinds(problem).count + 1).tolist())
        return float(DECIMAL * (cells * len(proof.weights) + len(proof.log_prices)))
    return 2.0 * len(problem) * int(proof.weights.sum()) if isinstance(proof, Thresholds) else 1.0
