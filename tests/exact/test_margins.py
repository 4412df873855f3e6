"""Margins on the worst machine that is allowed: enough there, and half of each would not be.

The machine's exp and log are off by 4 units, all in one direction. Each margin must cover what comes of
that, and is no more than twice as large: whoever halves it makes one of these tests fail.
"""

import contextlib
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

import orr
from orr import rounding
from orr.laws.ball import Ball
from orr.laws.ball_mixture import BallMixture
from orr.optimum.bound import single_flip as single_lie_bound
from orr.problem import Problem
from orr.rounding import ULP
from tests.exact import arithmetic, paths
from tests.exact.arithmetic import MP, number

SIGNS = list(itertools.product((4, -4), (4, -4)))


@contextlib.contextmanager
def machine(exp, log):
    """Put the library functions off by so many units."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (np, math):
            for name, units in (("exp", exp), ("expm1", exp), ("log", log), ("log1p", log)):
                patch.setattr(module, name, off(getattr(module, name), units))
        yield


def off(function, units):
    return lambda *arguments, **options: function(*arguments, **options) * (1 + units * ULP)


def only_the_truth():
    """A ball that is but the truth: thirty attributes of a million values."""
    problem = Problem([10**6] * 30, [1.0] * 30)
    return orr.Mechanism(BallMixture(problem, [Ball(problem, np.full(30, np.inf), 1)], problem.w[:1].copy()))


LAWS = {
    "one by one": lambda: orr.kronecker([2], [0.7662]),
    "at most one lie": lambda: orr.radius_one([4] * 3, [40.0, 39.9, 38.0]),
    "alike": lambda: orr.optimal([4] * 1000, [2.0] * 1000),
    "alike and faint": lambda: orr.optimal([50] * 400, [0.3] * 400),
    "balls": only_the_truth,
}


@pytest.mark.parametrize("name", LAWS)
def test_the_margin_of_a_level_is_enough_and_half_of_it_is_not(name):
    used = []
    for signs in SIGNS:
        with machine(*signs):
            law = LAWS[name]().law
            law.problem.w  # noqa: B018  computed on this machine
            reported, nominal = MP.mpf(law.epsilon), MP.mpf(law.nominal_epsilon)
        realised = paths.level(law, np.random.default_rng(1))
        used.append((realised - nominal) / (reported - nominal))
    assert 0.5 < max(used) <= 1, MP.nstr(max(used), 4)


LOWER = {
    "alike": (lambda: alike(3, 5.0, 1000), lambda _: arithmetic.equal_optimum(3, 5.0, 1000)),
    "at most one lie": (
        lambda: single_lie_bound(Problem([4] * 3, [40.0, 39.9, 38.0]), 0),
        lambda weights: arithmetic.dual_value([4] * 3, [40.0, 39.9, 38.0], weights.tolist()),
    ),
    "linear program": (
        lambda: proved([2, 3, 4], [1.0, 1.5, 2.0]),
        lambda weights: arithmetic.dual_value([2, 3, 4], [1.0, 1.5, 2.0], weights.tolist()),
    ),
}


def alike(size, level, k):
    certificate = orr.optimal([size] * k, [level] * k).certificate
    return certificate.lower, certificate.weights


def proved(sizes, levels):
    certificate = orr.linear_program(sizes, levels).solve().certificate
    return certificate.lower, certificate.weights


@pytest.mark.parametrize("name", LOWER)
def test_lower_bounds_hold_on_the_worst_machine(name):
    construct, truth = LOWER[name]
    for signs in SIGNS:
        with machine(*signs):
            lower, weights = construct()
        assert MP.mpf(lower) <= number(truth(weights).low)


def test_half_the_margin_of_a_lower_bound_is_not_enough():
    construct, truth = LOWER["at most one lie"]
    used = []
    for signs in SIGNS:
        with machine(*signs):
            (lower, weights), patch = construct(), pytest.MonkeyPatch()
            patch.setattr(rounding, "ULP", 0.0)
            plain = MP.mpf(construct()[0])
            patch.undo()
        used.append((plain - number(truth(weights).low)) / (plain - MP.mpf(lower)))
    assert 0.5 < max(used) <= 1


@pytest.mark.parametrize("n", [2, 60, 3000])
@pytest.mark.parametrize("size", [2, 5, 10**6])
def test_binomial_logarithms_are_as_good_as_they_say(n, size):
    used = []
    for signs in SIGNS:
        with machine(*signs):
            logs, units = rounding.log_binomial(n, size)
        for c in {0, 1, n // 3, n // 2, n - 1, n}:
            exact = MP.log(math.comb(n, c)) + c * MP.log(size - 1) - n * MP.log(size)
            used.append(abs(MP.mpf(float(logs[c])) - exact) / (MP.mpf(float(units[c])) * ULP))
    assert max(used) <= 1
    assert n < 3000 or max(used) > 0.5


@pytest.mark.parametrize("n", [1, 3, 10_000])
def test_logarithms_of_sums_are_as_good_as_they_say(n):
    logs = np.linspace(-3, 0, n)
    exact = MP.log(sum(MP.exp(MP.mpf(float(x))) for x in logs))
    used = []
    for signs in SIGNS:
        with machine(*signs):
            used.append(abs(MP.mpf(rounding.log_sum(logs)) - exact) / (rounding.log_sum_units(logs) * ULP))
    assert max(used) <= 1
    assert n < 10_000 or max(used) > 0.5


@pytest.mark.parametrize("log_excess", [-40.0, -3.0, 0.1, 7.0, 500.0])
def test_levels_are_rounded_outward_by_their_units_and_no_more_than_twice(log_excess):
    for units in (10**4, 10**6):
        more, less = (MP.log1p(MP.exp(MP.mpf(log_excess) + s * units * MP.mpf(ULP))) for s in (1, -1))
        assert rounding.level_above(log_excess, units) >= more > rounding.level_above(log_excess, units / 2)
        assert rounding.level_below(log_excess, units) <= less < rounding.level_below(log_excess, units / 2)


def test_numbers_of_a_problem_are_as_good_as_they_say():
    used, levels = [], (1e-12, 1e-6, 0.1, 1.0, 3.0, 20.0, 700.0)
    for signs, level, size in itertools.product(SIGNS, levels, (2, 3, 1000, 10**6)):
        with machine(*signs):
            problem = Problem([size], [level])
            found = problem.q[0], problem.d[0]
        exact = arithmetic.rates(size, level)
        for value, bracket in zip(found, (exact.q, exact.d), strict=True):
            used.append(abs(Fraction(float(value)) / bracket.low - 1) / Fraction(rounding.RATE_UNITS * ULP))
    assert 0.5 < float(max(used)) <= 1
