"""The dual bound: never above the exact value of its weights, hardly below it, and mutants that are."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from orr.optimum import bound
from orr.optimum.bound import counted, floor, listed, single_flip, threshold, whole
from orr.problem import Kinds, Problem
from orr.rounding import level_below
from orr_audit.bound import bound as audited
from tests.exact.arithmetic import MP, closed_floor, dual_value, number, rates
from tests.exact.common import problems, repeatable

MARGIN = 1e-10  # share of a level that rounding down may cost


def proved_by_cells(problem, weights):
    """Level that whole weights of the kinds prove, from a list of cells; and a weight an attribute."""
    kinds = Kinds(problem)
    weights = np.array(weights, dtype=float)[: len(kinds)]
    radius = threshold(weights, kinds.count * kinds.problem.q)
    cells = kinds.below(weights, radius, 100_000)
    return level_below(listed(kinds, weights, radius, cells), 0), weights[kinds.of]


def whole_weights(most, k=6):
    return st.lists(st.integers(0, most), min_size=k, max_size=k).filter(any)


@repeatable(60)
@given(problems(max_k=6), whole_weights(2**44))
def test_thresholds_are_raised_by_more_than_they_can_be_off(problem, weights):
    checked, y = Problem(*problem), np.array(weights, dtype=float)[: len(problem[0])]
    exact = [Fraction(w) * rates(*pair).q.high for w, *pair in zip(y.tolist(), *problem, strict=True)]
    assert sum(exact) <= Fraction(threshold(y, checked.q)) <= sum(exact) * (1 + Fraction(1, 10**14))


@repeatable(60)
@given(problems(max_k=6), whole_weights(300))
def test_the_bound_of_listed_cells_is_just_below_the_exact_one(problem, weights):
    assume(any(weights[: len(Kinds(Problem(*problem)))]))
    proved, spread = proved_by_cells(Problem(*problem), weights)
    exact = dual_value(*problem, spread.tolist())
    assert exact.high * (1 - MARGIN) - 1e-14 < proved <= exact.low


@repeatable(25)
@given(problems(max_k=5), st.lists(st.floats(0.01, 5), min_size=5, max_size=5))
def test_the_bound_of_listed_cells_holds_at_the_finest_units(problem, weights):
    kinds = Kinds(Problem(*problem))
    fine = whole(np.array(weights[: len(kinds)]), kinds.count * kinds.problem.q)
    proved, spread = proved_by_cells(Problem(*problem), fine)
    exact = dual_value(*problem, spread.tolist())
    assert exact.high * (1 - MARGIN) - 1e-14 < proved <= exact.low


@repeatable(60)
@given(problems(max_k=6), whole_weights(300))
def test_the_bound_of_a_ball_is_just_below_the_exact_one(problem, weights):
    spread = np.array(weights, dtype=float)[: len(problem[0])]
    assume(spread.any())
    proved = level_below(counted(Problem(*problem), spread), 0)
    exact = dual_value(*problem, spread.tolist())
    assert exact.high * (1 - MARGIN) - 1e-14 < proved <= exact.low


def test_the_bound_of_a_large_ball_is_just_below_the_exact_one():
    rng = np.random.default_rng(3)
    sizes, levels = rng.integers(2, 6, 60), rng.uniform(0.5, 4, 60)
    weights = np.rint(100 * levels)
    proved = level_below(counted(Problem(sizes, levels), weights), 0)
    exact, _ = audited(Problem(sizes, levels), weights.tolist())
    assert float(exact) * (1 - MARGIN) < proved <= exact


@repeatable(40)
@given(problems(max_k=6))
def test_the_bound_of_single_flips_is_just_below_the_exact_one(problem):
    checked = Problem(*problem)
    for j in range(len(checked)):
        proved, weights = single_flip(checked, j)
        others = sum(rates(a, e).q.high for i, (a, e) in enumerate(zip(*problem, strict=True)) if i != j)
        if proved == 0.0:  # no such weight, or one that proves next to nothing
            assert others > 1 - 1e-9 or weights[j] < 1e-9
            continue
        exact = dual_value(*problem, weights.tolist())
        assert exact.high * (1 - 1e-7) - 1e-13 < proved <= exact.low


@repeatable(100)
@given(problems(max_k=6))
def test_the_floor_is_just_below_the_exact_one(problem):
    proved, exact = floor(Problem(*problem)), closed_floor(*problem)
    assert exact.high * (1 - 1e-9) < proved <= exact.low


# Weights whose threshold is a whole number but for rounding, so that a cell lies on the edge.
TIGHT = [([2] * 4, [math.log(3.0)] * 4), ([3] * 3, [math.log(4.0)] * 3), ([2, 2], [1e-6, 1e-6])]


def log_excess(sizes, levels, weights):
    """Logarithm of the excess that weights prove, to far more digits than a double has."""
    return MP.log(MP.expm1(number(dual_value(sizes, levels, weights.tolist()).low)))


def too_high(problems):
    """Return whether any bound is above the exact value of its weights."""
    found = []
    for sizes, levels in problems:
        problem = Problem(sizes, levels)
        for weights in ([1] * len(sizes), range(1, len(sizes) + 1), [7, 5, 3, 2][: len(sizes)]):
            y = np.array(weights, dtype=float)
            found.append(counted(problem, y) > log_excess(sizes, levels, y))
            kinds = Kinds(problem)
            y = y[: len(kinds)]
            radius = bound.threshold(y, kinds.count * kinds.problem.q)
            lower = listed(kinds, y, radius, kinds.below(y, radius, 10_000))
            found.append(lower > log_excess(sizes, levels, y[kinds.of]))
        found += [floor(problem) > closed_floor(sizes, levels).low]
        for j in range(len(sizes)):
            lower, w = single_flip(problem, j)
            found.append(lower > dual_value(sizes, levels, w.tolist()).low)
    return any(found)


def many():
    rng = np.random.default_rng(1)
    return [(rng.integers(2, 9, 4).tolist(), rng.uniform(0.1, 6, 4).tolist()) for _ in range(20)] + TIGHT


def test_no_bound_is_too_high():
    assert not too_high(many())


@pytest.mark.parametrize(
    ("name", "mutant"),
    [
        ("ULP", 0.0),  # raises no threshold, and rounds to the nearest
        ("ULP", -bound.ULP),  # lowers the threshold, and rounds up
        ("threshold", lambda weights, load: float(weights @ load) * (1 - 1e-11)),
        ("level_below", lambda log_excess, units: float(np.logaddexp(0, log_excess)) * (1 + 1e-15)),
    ],
)
def test_bounds_that_do_not_round_down_are_caught(monkeypatch, name, mutant):
    monkeypatch.setattr(bound, name, mutant)
    assert too_high(many())
