"""The second path for ramps and nested tables, registered with :mod:`orr.optimum.verify` (chapter price)."""

from __future__ import annotations

import numpy as np

from orr.arrays import Floats
from orr.caps.deep_cells import NestedTables
from orr.caps.ramp import Ramp
from orr.optimum.verify import SLACK, Parts, agree, alias_law, consistent, parts, weighed


@parts.register
def _(law: Ramp) -> Parts:
    log_mass, rates = weighed(law.problem.sizes, law.ramp.low, law.ramp.part, law.log_excess)
    return np.log(law.weights), np.log(law.weights) + law.log_excess[0] - log_mass, lambda share: rates


@consistent.register
def _(law: Ramp) -> bool:
    """Return whether a ramp falls by its step, and its weights are drawn so that they keep its slopes."""
    ramp, sizes = law.ramp, law.problem.sizes
    heights = np.append(np.logaddexp(0, law.log_excess), 0)
    mean = (1 - ramp.part) * np.exp(-ramp.step * ramp.low)
    mean += ramp.part * np.exp(-ramp.step * (ramp.low + 1))
    with np.errstate(divide="ignore"):
        log_flip = np.log(1 - 1 / sizes) + np.log([1 - ramp.part, ramp.part])
    return bool(
        (-np.diff(heights) <= ramp.step + SLACK).all()
        and (np.diff(heights) <= SLACK).all()
        and (-np.log(mean) <= ramp.slopes + SLACK).all()
        and np.allclose(ramp.log_keep, -np.log(sizes), rtol=SLACK)
        and np.allclose(ramp.log_flip, log_flip, rtol=SLACK)
    )


@agree.register
def _(categories: NestedTables, log_share: Floats) -> bool:
    """Return whether nested tables draw categories with these probabilities, given as logarithms."""
    log_drawn, log_reached = np.full(len(log_share), -np.inf), 0.0
    with np.errstate(divide="ignore"):
        for members, table in categories.tables:
            log_law = np.log(alias_law(table))
            log_drawn[members] = log_law[: len(members)] + log_reached
            log_reached += log_law[-1]
    return bool((np.abs(log_drawn - log_share) <= SLACK * (1 - log_share)).all())
