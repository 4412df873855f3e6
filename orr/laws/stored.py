"""Laws made again of what a file holds: the numbers of the law itself, which no solver finds anew."""

from __future__ import annotations

from collections.abc import Callable

from orr.caps.deep_cells import DeepCells
from orr.caps.ramp import Ramp
from orr.laws.ball_mixture import BallMixture
from orr.laws.cells import Cells
from orr.laws.fields import Fields
from orr.laws.law import Law
from orr.laws.product import Product
from orr.laws.single_flip import SingleFlip
from orr.laws.split import SplitLaw
from orr.problem import Problem


def restored(problem: Problem, fields: Fields) -> Law:
    """Make the law of a problem again, the same to the last digit.

    Examples
    --------
    >>> problem = Problem([2, 3], [1.0, 2.0])
    >>> restored(problem, Fields(Product(problem).state(), "law")).epsilon == Product(problem).epsilon
    True
    """
    law = LAWS[fields.text("law", *LAWS)](problem, fields)
    fields.done()
    return law


def _beside(problem: Problem, fields: Fields) -> Law:
    """Make a joint law of some attributes, and put the others beside it."""
    chosen = fields.flags("chosen", len(problem))
    if chosen.all() or not chosen.any():
        raise ValueError(f"{fields.path('chosen')} must be some of the attributes")
    return SplitLaw(problem, restored(problem.part(chosen), fields.inside("joint")), chosen)


def _cells(problem: Problem, fields: Fields) -> Cells:
    """Make a law of listed cells again."""
    return (DeepCells if fields.flag("deep") else Cells).restored(problem, fields)


LAWS: dict[str, Callable[[Problem, Fields], Law]] = {
    "product": Product.restored,
    "radius one": SingleFlip.restored,
    "cells": _cells,
    "balls": BallMixture.restored,
    "ramp": Ramp.restored,
    "beside": _beside,
}
