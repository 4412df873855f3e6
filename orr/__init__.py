"""Optimized randomized response: releasing several attributes under local differential privacy."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from orr.channel import NotRecoverable
from orr.constructions.inductive import inductive
from orr.constructions.kronecker import kronecker
from orr.constructions.radius_one import NotApplicable, radius_one
from orr.constructions.two_attribute import two_attribute
from orr.estimate import Estimate, Unreliable
from orr.levels import Levels
from orr.mechanism import Mechanism
from orr.problem import information_floor

if TYPE_CHECKING:
    from orr.budget.allocate import Wasteful, allocate
    from orr.caps.guarded import guarded
    from orr.constructions.linear_program import linear_program
    from orr.constructions.optimal import optimal
    from orr.optimum.certificate import NotCertified

__version__ = "0.1.0"

__all__ = [
    "Estimate",
    "Levels",
    "Mechanism",
    "NotApplicable",
    "NotCertified",
    "NotRecoverable",
    "Unreliable",
    "Wasteful",
    "allocate",
    "guarded",
    "inductive",
    "information_floor",
    "kronecker",
    "linear_program",
    "optimal",
    "radius_one",
    "two_attribute",
]

# What searches for an optimum is loaded on first use: closed forms need none of it.
_ON_DEMAND = {
    "NotCertified": "orr.optimum.certificate",
    "Wasteful": "orr.budget.allocate",
    "allocate": "orr.budget.allocate",
    "guarded": "orr.caps.guarded",
    "linear_program": "orr.constructions.linear_program",
    "optimal": "orr.constructions.optimal",
}


def __getattr__(name: str) -> Any:
    if name not in _ON_DEMAND:
        raise AttributeError(f"module 'orr' has no attribute {name!r}")
    globals()[name] = getattr(import_module(_ON_DEMAND[name]), name)
    return globals()[name]


def __dir__() -> list[str]:
    return sorted(__all__)
