"""Optimized randomized response: releasing several attributes under local differential privacy."""

from orr.budget.allocate import Wasteful, allocate
from orr.caps.guarded import guarded
from orr.channel import NotRecoverable
from orr.constructions.inductive import inductive
from orr.constructions.kronecker import kronecker
from orr.constructions.linear_program import linear_program
from orr.constructions.optimal import optimal
from orr.constructions.radius_one import NotApplicable, radius_one
from orr.constructions.two_attribute import two_attribute
from orr.estimate import Estimate, Unreliable
from orr.levels import Levels
from orr.mechanism import Mechanism
from orr.optimum.certificate import NotCertified
from orr.problem import information_floor

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
