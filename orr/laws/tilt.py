"""How sums over a ball are tilted towards its threshold, so that nothing overflows."""

from __future__ import annotations

import numpy as np
import scipy

from orr.arrays import Floats, Integers

MAX_TILT = 64.0  # where a flip of weight 1 has a chance of e^-64, it does not matter any more
NEAR = 1e-3  # share by which a tilt may differ from the best: sums hardly change, and found ones have 1e-6


def found_tilt(sizes: Integers, weights: Floats, mean: float) -> float:
    """Tilt that makes this the mean weight of the flips; 0 if it is less than that anyway.

    Examples
    --------
    >>> round(found_tilt(np.array([2, 2]), np.array([1.0, 1.0]), 0.5) - float(np.log(3)), 5)
    0.0
    """

    def excess(tilt: float) -> float:
        return float((weights * scipy.special.expit(np.log(sizes - 1) - tilt * weights)).sum()) - mean

    top = 1.0 / (mean + 1)
    if excess(0) <= 0:
        return 0.0
    while excess(top) > 0 and top < MAX_TILT:
        top *= 2
    return float(scipy.optimize.brentq(excess, 0, top, rtol=1e-6)) if top < MAX_TILT else MAX_TILT


def is_tilt(tilt: float, sizes: Integers, weights: Floats, mean: float) -> bool:
    """Tell whether a tilt is as good as the one that would be found, without looking for that.

    Any tilt would give the same law in exact arithmetic; a bad one loses what underflows.

    Examples
    --------
    >>> coins = np.array([2, 2]), np.array([1.0, 1.0]), 0.5
    >>> is_tilt(np.log(3), *coins), is_tilt(1.0, *coins), is_tilt(0.0, *coins)
    (True, False, False)
    """

    def above(tilt: float) -> bool:
        with np.errstate(over="ignore"):
            flips = (sizes - 1) / (sizes - 1 + np.exp(tilt * weights))
        return bool((weights * flips).sum() > mean)

    if tilt == MAX_TILT:
        return above(MAX_TILT / 2 * (1 - NEAR))  # the search doubles its steps, and may stop before the end
    # What is found of a tilt next to 0 is only known to so much: it is the solver's own tolerance.
    low, high = tilt * (1 - NEAR) - 4e-12, tilt * (1 + NEAR) + 4e-12
    return (low <= 0 or above(low)) and not above(high)
