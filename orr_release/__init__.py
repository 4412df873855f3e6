"""Releasing tables and files: names and labels, estimates, plans, reports, mechanism files."""

from orr.channel import NotRecoverable
from orr.estimate import Unreliable
from orr_release.constructions import (
    allocate,
    guarded,
    inductive,
    kronecker,
    optimal,
    radius_one,
    two_attribute,
)
from orr_release.domain import Domain
from orr_release.estimate import Estimate
from orr_release.filter_check import Filtered
from orr_release.mechanism_file.read import load
from orr_release.release import Release, Seeded
from orr_release.sampled import sampled

__all__ = [
    "Domain",
    "Estimate",
    "Filtered",
    "NotRecoverable",
    "Release",
    "Seeded",
    "Unreliable",
    "allocate",
    "guarded",
    "inductive",
    "kronecker",
    "load",
    "optimal",
    "radius_one",
    "sampled",
    "two_attribute",
]
