"""Optimized randomized response: releasing several attributes under local differential privacy."""

from orr.allocate import allocate
from orr.certificate import NotCertified
from orr.estimate import NotRecoverable
from orr.guarded import guarded
from orr.inductive import inductive
from orr.kronecker import kronecker
from orr.linear_program import linear_program
from orr.mechanism import Mechanism
from orr.optimal import optimal
from orr.problem import information_floor
from orr.radius_one import NotApplicable, radius_one
from orr.two_attribute import two_attribute

__all__ = [
    "Mechanism",
    "NotApplicable",
    "NotCertified",
    "NotRecoverable",
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
