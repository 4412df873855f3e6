"""Small cases enumerated in exact fractions, and the package's floats beside them."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import orr
from book import paper
from orr.constructions import inductive, two_attribute
from orr.problem import Problem
from orr.rounding import Unsound
from tests.common import flip_sets, times

rational_odds = st.fractions(Fraction(101, 100), 400, max_denominator=100)


@st.composite
def exact_problems(draw, min_k, max_k, max_size=8):
    k = draw(st.integers(min_k, max_k))
    sizes = draw(st.lists(st.integers(2, max_size), min_size=k, max_size=k))
    return sizes, draw(st.lists(rational_odds, min_size=k, max_size=k))


def full_law(sizes, x):
    """Exact probability of one record of each flip set, from x_0, ..., x_k and ones."""
    single = {(): x[0]} | {(i,): x[i + 1] for i in range(len(sizes))}
    weights = {s: single.get(s, Fraction(1)) for s in flip_sets(len(sizes))}
    total = sum(times(sizes, s) * value for s, value in weights.items())
    return {s: value / total for s, value in weights.items()}


def exact_odds(sizes, law, i):
    """exp(level) of attribute i: equation (2) of the paper."""
    kept = sum(times(sizes, s) * value for s, value in law.items() if i not in s)
    lied = sum(times(sizes, s) * value for s, value in law.items() if i in s)
    return kept * (sizes[i] - 1) / lied


def best_pair(m, n, E1, E2):
    """Exact optimum of two attributes: the feasible x_0 form an interval; take its lower end.

    The level equations make x_1 and x_2 linear in x_0, so every constraint is a bound on x_0.
    """

    def solve(x0):
        # E1 x1 - (n-1) x2 = x0 - (n-1) E1  and  -(m-1) x1 + E2 x2 = x0 - (m-1) E2
        det = E1 * E2 - (m - 1) * (n - 1)
        r1, r2 = x0 - (n - 1) * E1, x0 - (m - 1) * E2
        return (E2 * r1 + (n - 1) * r2) / det, ((m - 1) * r1 + E1 * r2) / det

    at0, at1 = solve(Fraction(0)), solve(Fraction(1))
    low = Fraction(1)
    for start, after in zip(at0, at1, strict=True):
        slope = after - start
        for a, b in ((slope, start - 1), (1 - slope, -start)):  # a x0 + b >= 0
            if a > 0:
                low = max(low, -b / a)
    assert all(1 <= x <= low for x in solve(low))
    return low


@given(exact_problems(2, 2, max_size=12))
def test_closed_form_is_the_exact_optimum(problem):
    (m, n), (E1, E2) = problem
    assume((m - 1) * (n - 1) != E1 * E2)
    _, x0, x1, x2 = paper.closed_form(m, n, E1, E2)
    assert x0 == best_pair(m, n, E1, E2)
    law = full_law([m, n], [x0, x1, x2])
    assert sum(times([m, n], s) * value for s, value in law.items()) == 1
    assert [exact_odds([m, n], law, i) for i in range(2)] == [E1, E2]
    assert max(law.values()) / min(law.values()) == x0


@given(exact_problems(2, 2, max_size=12))
def test_two_attribute_agrees_with_the_exact_closed_form(problem):
    (m, n), (E1, E2) = problem
    assume(abs(E1 * E2 / ((m - 1) * (n - 1)) - 1) > 1e-9)
    check_two_attribute(orr.two_attribute, m, n, E1, E2)


def check_two_attribute(construct, m, n, E1, E2):
    case, *x = paper.closed_form(m, n, E1, E2)
    mechanism = construct([m, n], [math.log(E1), math.log(E2)])
    for flips, value in zip(([], [0], [1]), x, strict=True):
        assert math.isclose(mechanism.log_ratio(flips), math.log(value), abs_tol=1e-9)
    near_tie = {"I": x[2] - 1, "II": x[1] - 1, "III": x[0] - x[2], "IV": x[0] - x[1]}[case]
    assert mechanism.case == case or near_tie < 1e-9


BOUNDARIES = [
    (m, n, E1, (m - 1) * (n - 1) // E1)
    for m in range(3, 13)
    for n in range(3, 13)
    for E1 in range(2, (m - 1) * (n - 1))
    if (m - 1) * (n - 1) % E1 == 0 and (m - 1) * (n - 1) > E1
]


def test_where_the_slopes_are_equal_the_first_pair_of_cases_applies():
    for m, n, E1, E2 in BOUNDARIES:
        case, *x = paper.closed_form(m, n, Fraction(E1), Fraction(E2))
        for construct in (orr.two_attribute, orr.radius_one):
            mechanism = construct([m, n], np.log([E1, E2]))
            found = [mechanism.log_ratio(s) for s in ([], [0], [1])]
            np.testing.assert_allclose(found, np.log([float(value) for value in x]), atol=1e-9)
        assert orr.two_attribute([m, n], np.log([E1, E2])).case == case


@pytest.mark.parametrize(
    ("sizes", "odds", "case"),
    [
        ([4, 4], (3, 3), "I"),  # E1 E2 = (m-1)(n-1): cases I and III meet
        ([5, 5], (12, 12), "I"),  # n(E1-1) = m(E2-1): cases I and II meet
        ([6, 6], (3, 3), "III"),  # cases III and IV meet
        ([3, 5], (4, 6), "I"),  # n(E1-1) = m(E2-1) with different sizes
    ],
)
def test_boundaries_belong_to_the_first_case(sizes, odds, case):
    assert orr.two_attribute(sizes, np.log(odds)).case == case


def test_swapped_cases_are_caught(monkeypatch):

    def swapped(problem, original=two_attribute.closed_form):
        mirrored = Problem.achieved(problem.sizes[::-1].copy(), problem.epsilons[::-1].copy())
        return original(mirrored)

    monkeypatch.setattr(two_attribute, "closed_form", swapped)
    for m, n, E1, E2 in [(3, 4, 9, 3), (3, 4, 3, 9), (9, 12, 2, 3), (9, 12, 3, 2)]:
        with pytest.raises((AssertionError, Unsound)):
            check_two_attribute(orr.two_attribute, m, n, Fraction(E1), Fraction(E2))


def decision_margin(sizes, E):
    """How close Algorithm 3 comes to a tie, relative to the quantities compared."""
    _, x0, x1, x2 = paper.closed_form(sizes[0], sizes[1], E[0], E[1])
    P = sizes[0] * sizes[1]
    z0, top = (x0 - 1) / P, max(x1 - 1, x2 - 1) / Fraction(P)
    M = z0 + ((sizes[0] - 1) * (x1 - 1) + (sizes[1] - 1) * (x2 - 1)) / Fraction(P)
    margin = Fraction(1)
    for a, e in zip(sizes[2:], E[2:], strict=True):
        w = (e - 1) / a
        z = (M - w) / (a * (1 + w))
        left = z0 - (a - 1) * z
        if z:
            margin = min(margin, abs(z) / M)
        if z > 0:
            margin = min(margin, abs(left - max(top, z)) / M)
            if left >= max(top, z):
                z0, top = left, max(top, z)
    return margin


@pytest.mark.parametrize("block", [64, 1])
@given(problem=exact_problems(2, 9))
def test_inductive_agrees_with_the_literal_algorithm(block, problem):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(inductive, "FIRST_BLOCK", block)
        check_inductive(*problem)


def check_inductive(sizes, E):
    assume(abs(E[0] * E[1] / ((sizes[0] - 1) * (sizes[1] - 1)) - 1) > 1e-9)
    x, odds, fell_back = paper.algorithm_3(sizes, E)
    assume(decision_margin(sizes, E) > 1e-9)
    mechanism = orr.inductive(sizes, [math.log(e) for e in E])
    assert mechanism.fell_back.tolist() == fell_back
    np.testing.assert_allclose(mechanism.epsilons, [math.log(e) for e in odds], atol=1e-9)
    flips = [[], *([i] for i in range(len(sizes)))]
    found = [mechanism.log_ratio(s) for s in flips]
    np.testing.assert_allclose(found, [math.log(value) for value in x], atol=1e-9)


@given(exact_problems(2, 6))
def test_literal_algorithm_achieves_what_it_says(problem):
    sizes, E = problem
    x, odds, fell_back = paper.algorithm_3(sizes, E)
    law = full_law(sizes, x)
    assert sum(times(sizes, s) * value for s, value in law.items()) == 1
    assert [exact_odds(sizes, law, i) for i in range(len(sizes))] == odds
    assert max(law.values()) / min(law.values()) == x[0]
    assert all(new == old for new, old, fell in zip(odds, E, fell_back, strict=True) if not fell)


def test_inductive_agrees_in_long_exact_runs():
    rng = np.random.default_rng(6)
    for _ in range(5):
        sizes = rng.integers(2, 6, 60).tolist()
        E = [1 + Fraction(int(n), 16) for n in rng.integers(1, 300, 60)]
        assert decision_margin(sizes, E) > 1e-13
        _, odds, fell_back = paper.algorithm_3(sizes, E)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(inductive, "FIRST_BLOCK", 7)
            mechanism = orr.inductive(sizes, [math.log(e) for e in E])
        assert mechanism.fell_back.tolist() == fell_back
        np.testing.assert_allclose(mechanism.epsilons, [math.log(e) for e in odds], atol=1e-9)


@pytest.mark.parametrize(
    ("sizes", "levels", "kept"),
    [
        ([2] * 150, [30.0, 30.0, 1e-12] + [29.9] * 147, 53),
        ([10, 2, 10**6], [38.2881359874936, 39.493202200948105, 2.7714099387116293e-10], 3),
    ],
)
def test_inductive_pays_to_the_last_digit(sizes, levels, kept):
    assert len(sizes) - orr.inductive(sizes, levels).fell_back.sum() == kept


def test_equal_attributes_never_fall_back():
    assert not orr.inductive([4] * 50, [2.0] * 50).fell_back.any()


def test_inductive_depends_on_the_order():
    sizes, levels = [2, 3, 4], [1.0, 1.5, 2.0]
    forward = orr.inductive(sizes, levels).epsilons
    backward = orr.inductive(sizes[::-1], levels[::-1]).epsilons[::-1]
    assert not np.allclose(forward, backward)


def test_literal_loop_carries_nan_where_the_package_does_not():
    rng = np.random.default_rng(1)
    sizes, levels = rng.integers(2, 6, 700), rng.uniform(1, 10, 700)
    x, _, _ = paper.algorithm_3(sizes.tolist(), np.exp(levels).tolist())
    assert math.isnan(x[0])
    assert 0 < orr.inductive(sizes, levels).epsilon < levels.sum()
