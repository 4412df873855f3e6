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
from orr.mechanism import Mechanism
from orr.optimum.certificate import NotCertified
from orr.problem import information_floor
from orr.randomness import Seeded
from orr_release.domain import Domain
from orr_release.estimate import Estimate
from orr_release.filter_check import Filtered
from orr_release.mechanism_file.load import load
from orr_release.sampled import sampled
from orr_release.unbiased import Unreliable

__version__ = "0.1.0"

__all__ = [
    "Domain",
    "Estimate",
    "Filtered",
    "Mechanism",
    "NotApplicable",
    "NotCertified",
    "NotRecoverable",
    "Seeded",
    "Unreliable",
    "Wasteful",
    "allocate",
    "guarded",
    "inductive",
    "information_floor",
    "kronecker",
    "linear_program",
    "load",
    "optimal",
    "radius_one",
    "sampled",
    "two_attribute",
]
