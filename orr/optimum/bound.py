"""The dual bound: weights in, proved level out (chapters certificate and any-size).

For any weights ``y >= 0`` no mechanism with these flip probabilities has an overall level below

    log(1 + y.d / E[(y.q - y.B)^+]),

where ``B`` are the flips of a uniformly random record. What differs is only how the expectation is
counted: over listed cells, by the dynamic program of a ball, or by hand where few flip sets weigh less
than the threshold ``y.q``. All of them take whole weights, or the exact ones of a closed form, raise the
threshold by more than its rounding, and round the result down by a margin that :mod:`orr.rounding`
derives. Bounds are logarithms of the excess, ``exp(level) - 1``, unless they are said to be levels.
"""

from __future__ import annotations

import math

import numpy as np

from orr.arrays import Floats, Integers
from orr.laws.ball import MIN_SUM, Ball
from orr.problem import Kinds, Problem
from orr.rounding import RATE_UNITS, ULP, level_below, log_sum, log_sum_units

WHOLE_THRESHOLD = 2.0**44  # in units of the weights; sums of weights are exact


def whole(weights: Floats, load: Floats) -> Floats:
    """Round weights to whole numbers, in units of which the threshold is about 2^44."""
    with np.errstate(over="ignore", invalid="ignore"):  # 0 times infinity is 0 here
        units = np.nan_to_num(weights * (WHOLE_THRESHOLD / (weights @ load)), nan=0.0)
    # Large doubles are whole, and a million of the largest do not overflow.
    return np.minimum(np.rint(units), 2.0**1000)


def threshold(weights: Floats, load: Floats) -> float:
    """Return the threshold ``y.q``, rounded up by more than its error."""
    return math.fsum((weights * load).tolist()) * (1 + (RATE_UNITS + 2) * ULP)


def listed(kinds: Kinds, weights: Floats, radius: float, cells: Integers) -> float:
    """Return the bound that whole weights of the kinds prove, from the cells below their threshold."""
    gain = math.fsum((weights * kinds.count * kinds.problem.d).tolist())
    terms = kinds.log_uniform(cells) + np.log(radius - cells @ weights)
    lower = math.log(gain) - log_sum(terms)
    units = kinds.units(cells) + log_sum_units(terms) + 8 * math.log(radius)
    return lower - ULP * (units + 2 * RATE_UNITS + 8 * abs(lower))


def counted(problem: Problem, weights: Floats) -> float:
    """Return the bound that whole weights of the attributes prove, by the dynamic program of their ball."""
    radius = threshold(weights, problem.q)
    ball = Ball(problem, weights, math.ceil(radius))
    short = math.fsum(((radius - np.arange(ball.states)) * ball.below).tolist())
    short += radius * MIN_SUM * ball.states * len(problem)  # what was dropped
    log_gain = math.log(math.fsum((weights * problem.d).tolist()) / short)
    logs = 5 * abs(log_gain) + 2 * abs(ball.log_scale)
    return log_gain - ball.log_scale - ULP * (ball.units + 2 * RATE_UNITS + logs)


def floor(problem: Problem) -> float:
    """Return an overall level that is proved without any search.

    The larger of the information floor, and of what the levels prove as weights: with ``y = epsilons``
    the expectation ``E[(y.q - y.B)^+]`` is at most ``exp(-1 - floor)``, since under the Kronecker
    mechanism ``h^+ exp(-h) <= 1 / e``. The floor itself is right to 1e-12 of its size, and lowered by more.
    """
    floor = problem.information_floor * (1 - 1e-10)
    gain = math.fsum((problem.epsilons * problem.d).tolist())
    return max(floor, level_below(1 + floor + math.log(gain), 5 * abs(math.log(gain)) + 2 * RATE_UNITS))


def single_flip(problem: Problem, j: int) -> tuple[float, Floats]:
    """Return the overall level that the weights of the closed form with at most one flip prove, and them.

    All weights are 1, except that of attribute ``j``, which makes the threshold 1, or a little less. Then
    only the truth is below the threshold, and perhaps a flip of that attribute. Where the other flip
    probabilities sum to more than 1 there is no such weight, and nothing is proved.
    """
    q, d, sizes = problem.q, problem.d, problem.sizes
    total = 1 - problem.one_minus_sum_q
    left = problem.one_minus_sum_q + q[j] - 2 * RATE_UNITS * ULP * (total + 1)
    weights = np.ones(len(problem))
    weights[j] = max(left / q[j] * (1 - 2 * RATE_UNITS * ULP), 0.0)
    if left <= 0:
        return 0.0, weights
    short = 1 + (sizes[j] - 1) * max(1 - weights[j], 0.0)
    log_excess = math.log(math.fsum((weights * d).tolist()) / short)
    units = 2 * RATE_UNITS + 5 * abs(log_excess) + 6 * problem.log_records
    return level_below(log_excess + problem.log_records, units), weights
