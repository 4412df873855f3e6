"""The margin of every reported level and of every proved bound, derived line by line.

A unit is ``ULP = 2**-52``. What is assumed of the machine:

- ``+ - * /`` round correctly: a relative error of at most half a unit. ``math.fsum`` is one rounding.
- exp, expm1, log and log1p, of numpy and of the C library, are right to 4 units.
- Random words are fair, and integers drawn from them exactly uniform.

Errors are counted to first order, in units, and every count is rounded up by more than the higher
orders could add: all counts stay below 10^9 units, where a square is a ten-millionth of the count.

**Numbers of a problem.** ``p = (a-1)/a`` is right to 1 unit, ``w = expm1(e)/a`` to 5, ``q = p/(1+w)``
to 8, and ``d = q w`` to 8 (an error of ``w`` moves ``w/(1+w)`` by no more than itself). So is each of
them after one more product: ``RATE_UNITS``.

**Draws.** ``choose`` divides the smaller side by the sum: its chance is right to 1 unit, the odds to 2.
An alias table of ``n`` categories is right to `alias_units` in each of them. A mass below ``MIN_MASS``,
or below that share of the largest, may be rounded by more than that, since it is hardly a normal double any
more: it is dropped, and its flip sets are left to the uniform part, which is harmless. So where a law falls
from the truth outward, the truth itself may be such a set, if there are hundreds of attributes.
Where neighbours must stay close to one another nothing may be dropped: rarer categories then share one of a
table, and have a table of their own. The units of all tables down to it add up, each with an exponential
whose argument is at most ``deep_cells.MAX_SPREAD``.

**The level of a lifted law.** With odds ``M`` the record is drawn from the second law, where category
``j`` has mass ``m_j`` of the total ``M`` and the flip set ``S`` the chance ``c(S)``; else it is uniform,
drawn with exact integers. So ``f(S)`` over the smallest density is at most ``1 + G(S)``, where
``G(S) = m_j c(S) / pi(S)``, and the draws make ``G`` larger by no more than the units of the odds (2),
of the sum ``M`` (1), of the alias table, and of the coins behind ``c(S)``: ``drawn``. Re-randomizing
attributes afterwards averages ``f`` over flip sets, with coins and integers that are exact: it raises no
maximum and lowers no minimum. The law itself knows ``log G`` to so many units: ``counted``.

- One flip at most: ``G = m T / (a - 1)``. Its logarithm has the errors of ``log m`` (4 units of its
  size) and of ``log T`` (5 units of its size: the logarithms, their sum, the addition).
- Cells: ``m = exp(log G + log pi)``; the sum is off by half a unit of its size, exp by 4, and ``log pi``
  by what `log_binomial` says. Placing ``c`` flips among ``n`` equal attributes tosses ``n`` coins
  whose odds are ratios of integers: half a unit each.
- Balls: each is drawn and counted to `ball_units`, its height is a quotient of logarithms, and heights add.
- Ramps: an attribute takes three sums and two logarithms of sums, in counting and again in drawing. A sum is
  off by half a unit of its size, at most that of all logarithms that the set may meet, added up.

**From the excess to the level.** ``log(1 + exp(x))`` rises with ``x`` by at most ``1 - exp(-level)``
of its change. It is computed as ``x`` plus, or just as, a logarithm of 1 plus an exponential: two library
functions of a number of at most 1, and a sum; adding the margin rounds once more: `level_above` and
`level_below`.

**Lower bounds.** For weights ``y`` the level is at least ``log(1 + y.d / E[(y.q - y.B)^+])``. The
expectation grows with ``y.q``: it is taken at a threshold raised by more than its error, at whole
weights, whose sums are exact. All terms are positive, so relative errors do not grow in the sum. What
was dropped as tiny is added again.

**Faint attributes.** What a joint law tells of an attribute is a difference of masses, so its digits are
lost where it is a ``MIN_RETAINED`` of the whole. Such attributes are randomized one by one beside the others:
their levels add to the overall one, and are tiny. A joint law that holds one is refused.

**Upper bounds.** The level of a law that was found is at least the optimum if its flip
probabilities, before attributes are re-randomized, are at most the ones asked, *exactly*. So the solvers
are given slightly higher levels (`relaxed`), by more than the error of all flip probabilities that they
compute. The closed forms are not relaxed: their upper bound has the units by which they may miss.
"""

from __future__ import annotations

import math

import numpy as np

from orr.arrays import Floats

ULP = 2.0**-52
RATE_UNITS = 9  # units by which a product with q or d may be off
MIN_MASS = 2.0**-1016  # above the smallest normal double, 2^-1022; below any flip at a level of 700
MIN_RETAINED = 2.0**-30  # smallest share of information retained: 23 of a double's 53 digits are left of it
LEVEL_TOLERANCE = 1e-6  # relative error of an attribute's level that is accepted: a few times 2^-23


class Unsound(ArithmeticError):
    """A law whose numbers do not add up, so that nothing may be drawn from it."""


def level_above(log_excess: float, units: float) -> float:
    """Return the level of an excess, ``log(1 + G)``, rounded up.

    Examples
    --------
    >>> level_above(math.log(math.expm1(2.0)), 3) - 2 < 1e-14
    True
    """
    level = float(np.logaddexp(0, log_excess))
    return level + _margin(level, units)


def level_below(log_excess: float, units: float) -> float:
    """Return the level of an excess, rounded down.

    Examples
    --------
    >>> 0 < 2 - level_below(math.log(math.expm1(2.0)), 3) < 1e-14
    True
    """
    level = float(np.logaddexp(0, log_excess))
    return max(level - _margin(level, units), 0.0)


def _margin(level: float, units: float) -> float:
    """Bound the error of a level, given that of its excess in units."""
    return ULP * (-math.expm1(-level) * units + 8 * min(level, 1.0) + level)


def alias_units(n: int) -> float:
    """Return the units by which the probability of one of n categories may be off.

    All shares have the rounding of their sum and of the quotient in common (1 unit), each has a product
    (half a unit) and is subtracted from 1 once (a quarter, next to 1): in the worst case the last category
    collects what all of them have too much. Its own quotient and some spare add 16.

    Examples
    --------
    >>> alias_units(4)
    23.0
    """
    return 1.75 * n + 16


def relaxation_units(k: int, level: float, each: float = 2.0) -> float:
    """Return the units by which levels are raised for the solvers: more than those of any flip probability.

    Sums of masses take 30, the asked flip probability itself 8. The mass of a cell is off by half of its
    logarithm; on average over flips, that is as large as the highest level and the logarithm of the number
    of cells. An attribute takes ``each``: 2 in a product of probabilities, 40 in two dynamic programs.

    Examples
    --------
    >>> relaxation_units(10, 4.0)
    88.0
    """
    return 64 + level + k * each


def log_sum(logs: Floats) -> float:
    """Return the logarithm of a sum of exponentials, right to `log_sum_units` and the errors of its terms.

    Examples
    --------
    >>> round(log_sum(np.log([1.0, 2.0, 4.0])), 12) == round(math.log(7), 12)
    True
    """
    top = float(logs.max())
    return top + math.log(math.fsum(np.exp(logs - top).tolist())) if top > -math.inf else top


def log_sum_units(logs: Floats) -> float:
    """Return the units by which `log_sum` may be off: exponentials, their arguments, the logarithm, the sum.

    An argument ``t`` below the largest is off by half of itself, and the mean of ``t`` in proportion to
    ``exp(-t)`` is at most the logarithm of the number of terms.
    """
    return 10 + 5 * math.log(len(logs)) + abs(float(logs.max())) / 2


def log_binomial(n: int, size: int) -> tuple[Floats, Floats]:
    """Return the logarithms of the probabilities of 0, ..., n flips of n equal attributes, and their units.

    Ratios of neighbours are added up from the likeliest number on, so the error grows only with the
    distance from it. Each logarithm is split into a multiple of a power of 2, of which the sums are
    exact, and a small rest.

    Examples
    --------
    >>> logs, units = log_binomial(3, 2)
    >>> np.exp(logs).round(12)
    array([0.125, 0.375, 0.375, 0.125])
    """
    if n == 1:
        logs = np.array([-math.log(size), math.log1p(-1 / size)])
        return logs, 4 * np.abs(logs) + 1
    flips = np.arange(n, dtype=float)
    steps = np.log((n - flips) * (size - 1) / (flips + 1))
    scale = 2.0 ** (52 - math.ceil(math.log2(20 * n + 1)))  # |log| < 20, so all sums are below 2^52
    coarse = np.rint(steps * scale) / scale
    mode = int(np.count_nonzero(steps > 0))
    sums = [np.concatenate([[0.0], np.cumsum(part)]) for part in (coarse, steps - coarse)]
    table = (sums[0] - sums[0][mode]) + (sums[1] - sums[1][mode])
    errors = np.concatenate([[0.0], np.cumsum(0.5 + 4 * np.abs(steps) + n / scale)])
    total = log_sum(table)
    units = np.abs(errors - errors[mode]) + np.abs(table) + log_sum_units(table) + abs(total)
    return table - total, units


def ball_units(k: int, tilts: float, logs: float) -> float:
    """Return the units of the density of a ball, as it is counted and as it is drawn, or of a sum over it.

    For each attribute: the chance to keep or to flip (p, two exponentials, the part of a weight, three
    products, a quotient: 11.5), two coins (2 each), one of whose odds are a sum (0.5), and two sums of the
    dynamic program, in counting and in drawing (2 each): at most 20. The exponentials' arguments are off
    by half a unit of their size; over the flips of a set and the tilt of its end they add up to at most
    ``tilts``. ``logs`` is the sum of the sizes of the logarithms that make up the scale, each right to 4
    units, and of half a unit in its argument.

    Examples
    --------
    >>> ball_units(10, 5.0, 20.0)
    330.0
    """
    return 20.0 * (k + 1) + 2 * tilts + 5 * logs
