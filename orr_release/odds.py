"""Levels in words: what they let a reader's odds and beliefs become, rounded up (chapter price)."""

from __future__ import annotations

import math
from collections.abc import Callable

HUGE = 1e6  # a factor past this is no number to compare with: it says that almost nothing is promised
SUSPICION = 0.01  # a belief that is worth nothing by itself


def rounded_up(value: float, digits: int = 3) -> str:
    """Write a positive number, rounded up in its last digit.

    A millionth of it is rounded down, lest a total of 2 that is met to the last digit become 2.01.

    Examples
    --------
    >>> rounded_up(7.389), rounded_up(2.0000001), rounded_up(12345.0), rounded_up(0.00123456)
    ('7.39', '2', '12,400', '0.00124')
    """
    return _rounded(value * (1 - 1e-6), digits, math.ceil)


def rounded_down(value: float, digits: int = 4) -> str:
    """Write a number of at least 0, rounded down in its last digit.

    Examples
    --------
    >>> rounded_down(3.44477), rounded_down(0.0)
    ('3.444', '0')
    """
    return _rounded(value, digits, math.floor) if value > 0 else "0"


def _rounded(value: float, digits: int, way: Callable[[float], int]) -> str:
    """Round a positive number to so many digits."""
    places = digits - 1 - math.floor(math.log10(value))
    if places <= 0:
        return f"{way(value / 10**-places) * 10**-places:,}"
    return f"{way(value * 10.0**places) / 10.0**places:,.{places}f}".rstrip("0").rstrip(".")


def odds(level: float) -> str:
    """Write the factor by which a release of this level may multiply odds, at most.

    Examples
    --------
    >>> odds(2.0), odds(20.0)
    ('7.39', 'over a million')
    """
    return "over a million" if level > math.log(HUGE) else rounded_up(math.exp(level))


def belief(level: float, before: float) -> str:
    """Write how far a belief may rise by a release of this level, in per cent.

    Examples
    --------
    >>> belief(2.0, 0.5), belief(2.0, 0.01), belief(20.0, 0.5)
    ('88.1%', '7%', 'over 99.9%')
    """
    after = believed(level, before)
    return "over 99.9%" if after > 0.999 else f"{math.ceil(1000 * after * (1 - 1e-6)) / 10:g}%"


def believed(level: float, before: float) -> float:
    """Return the largest belief that a release of this level can leave, by Bayes' rule.

    Examples
    --------
    >>> believed(math.log(3), 0.5)
    0.75
    """
    return 1 / (1 + (1 - before) / before * math.exp(-level))


def chance(probability: float) -> str:
    """Write a probability in per cent.

    Examples
    --------
    >>> chance(0.2689), chance(0.00012), chance(1e-30)
    ('26.9%', '0.01%', 'below 0.01%')
    """
    if probability < 1e-4:
        return "below 0.01%"
    return f"{100 * probability:.{1 if probability >= 0.001 else 2}f}%"
