"""The second path to the numbers of a ramp, for :mod:`orr.optimum.verify` (chapter price)."""

from __future__ import annotations

import numpy as np

from orr.caps.ramp import Ramp
from orr.optimum.verify import SLACK, Parts, consistent, parts, weighed


@parts.register
def _(law: Ramp) -> Parts:
    log_mass, rates = weighed(law.problem.sizes, law.ramp.low, law.ramp.part, law.log_excess)
    return np.log(law.weights), np.log(law.weights) + law.log_excess[0] - log_mass, lambda share: rates


@consistent.register
def falls_evenly(law: Ramp) -> bool:
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
