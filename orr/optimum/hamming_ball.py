"""The optimum of equal attributes: a Hamming ball, in closed form (chapter shape)."""

from __future__ import annotations

import math

import numpy as np

from orr.arrays import Floats
from orr.laws.cells import Cells
from orr.problem import Kinds
from orr.rounding import RATE_UNITS, ULP, level_below, log_sum, log_sum_units


def hamming(kinds: Kinds) -> tuple[tuple[float, Floats], tuple[Cells, float]]:
    """Return the level that is proved with its weights, and the law with the units of its error.

    All flip sets of fewer than ``k q`` flips are lifted to ``1 + k d / E[(k q - c)^+]``, where ``c`` is
    the number of flips of a uniformly random record, and equal weights prove that this is optimal.
    """
    problem = kinds.whole
    k, q, d = len(problem), float(problem.q[0]), float(problem.d[0])
    low, high = k * q * (1 - RATE_UNITS * ULP), k * q * (1 + RATE_UNITS * ULP)
    cells = np.arange(math.ceil(high))[:, None]
    log_uniform = kinds.log_uniform(cells)
    with np.errstate(divide="ignore"):
        terms = [log_uniform + np.log(np.maximum(edge - cells[:, 0], 0)) for edge in (low, high)]
    tops = [math.log(k * d) - log_sum(t) for t in terms]
    units = kinds.units(cells) + log_sum_units(terms[1]) + RATE_UNITS + 5 * math.log(high + 1)
    units += 5 * abs(math.log(k * d)) + abs(tops[1])
    law = Cells(problem, kinds, cells, np.full(len(cells), tops[0]))
    return (level_below(tops[1], units), np.ones(k)), (law, units)
