"""The certificate of a mechanism with capped neighbour levels, and how it is stored (chapter price)."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from orr.caps import verify  # noqa: F401 - so that ramps and nested tables can be verified
from orr.caps.proofs import Alone, Head, Prices, Proof, Thresholds
from orr.laws.fields import Fields, number
from orr.laws.law import Law
from orr.optimum.certificate import Certificate
from orr.problem import Kinds, Problem

MAX_WEIGHT_TOTAL = 30_000  # of a file; a verifier counts the sums of weights one by one
MAX_PRICED_CELLS = 2**12  # of a file, as many as a linear program has (orr.caps.guarded)
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

    def state(self) -> dict[str, Any]:
        """Return bounds, slack and proof as numbers for JSON."""
        proof = None if self.proof is None else state_of(self.proof)
        return super().state() | {"slack": number(self.slack), "proof": proof}

    @classmethod
    def _more(cls, law: Law, given: Fields) -> dict[str, Any]:
        slack, problem = given.double("slack", 0.0, infinite=True), law.problem
        if given.left.get("proof", ...) is None:
            return {"slack": slack, "proof": given.take("proof")}
        proof = given.inside("proof")
        more = {"slack": slack, "proof": restored_proof(proof, problem.part(~problem.faint))}
        proof.done()
        return more

    def _plausible(self) -> bool:
        caps = (1 + min(self.slack, 1e300)) * self.law.problem.epsilons * (1 + CAP_TOL)
        return super()._plausible() and bool((self.law.neighbour_epsilons <= caps).all())


def state_of(proof: Proof) -> dict[str, Any]:
    """Return the numbers of a proof for JSON."""
    values = {field.name: np.asarray(getattr(proof, field.name)).tolist() for field in fields(proof)}
    return {"proof": type(proof).__name__.lower(), **values}


def restored_proof(given: Fields, problem: Problem) -> Proof:
    """Return the proof of numbers from a file; raise if they cannot be those of a problem."""
    name, k = given.text("proof", "alone", "head", "prices", "thresholds"), len(problem)
    if name == "head":
        return Head(given.integer("last", 0, k), given.double("share", 0.0, 1.0))
    if name == "prices":
        kinds = Kinds(problem)
        if np.log2(kinds.count + 1).sum() > math.log2(MAX_PRICED_CELLS):
            raise ValueError(f"{given.path('pairs')} must be those of at most {MAX_PRICED_CELLS} cells")
        pairs = given.rows("pairs", 3, 0, math.prod((kinds.count + 1).tolist()) - 1)
        if pairs[:, 2].max(initial=0) >= len(kinds):
            raise ValueError(f"{given.path('pairs')} names a kind of attribute that does not exist")
        return Prices(given.doubles("weights", len(kinds)), pairs, given.doubles("log_prices", len(pairs)))
    if name == "thresholds":
        weights = given.integers("weights", k, 0, MAX_WEIGHT_TOTAL)
        if (total := int(weights.sum())) > MAX_WEIGHT_TOTAL:
            raise ValueError(f"{given.path('weights')} add up to {total}, and may to {MAX_WEIGHT_TOTAL}")
        return Thresholds(weights, given.double("low"), given.integer("high", 0, MAX_WEIGHT_TOTAL))
    return Alone()
