"""The bounds of a certificate hold to the last digit: lower <= optimum <= upper <= epsilon.

The optimum is known to more than 60 digits for up to five attributes, and for equal ones. So is what weights
prove, which the audit of the package is compared with: beyond a few attributes it says whether the weights of
a certificate prove its lower bound.
"""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import orr
from orr.problem import Problem
from orr_audit import bound
from tests.exact.arithmetic import (
    MP,
    closed_floor,
    dual_value,
    equal_optimum,
    number,
    optimum,
)
from tests.exact.common import any_level, any_size, built, drawn, problems, repeatable

CERTIFIED = ["optimal", "linear_program"]


def meet(*brackets):
    """Return whether brackets of the same number have something in common."""
    return max(b.low for b in brackets) <= min(b.high for b in brackets)


def ordered(low, high, what):
    """Require one exact number, or double, to be at most another one, and say by how much it is not."""
    holds = low <= high
    apart = MP.nstr(number(Fraction(low) - Fraction(high)), 3)
    assert holds, f"{what}: {float(low)!r} is more than {float(high)!r}, by {apart}"


def check_bounds(mechanism, truth):
    """Check the bounds of a mechanism around the true optimum."""
    certificate = mechanism.certificate
    ordered(float(certificate.lower), truth.high, "lower bound and optimum")
    ordered(truth.low, float(certificate.upper), "optimum and upper bound")
    ordered(float(certificate.upper), float(mechanism.epsilon), "upper bound and epsilon")


# Two ways to the truth agree.


@repeatable(15)
@given(size=any_size, level=any_level(), k=st.integers(1, 5))
def test_simplex_closed_form_and_weights_agree_for_equal_attributes(size, level, k):
    problem = [size] * k, [level] * k
    assert meet(optimum(*problem), equal_optimum(size, level, k), dual_value(*problem, [1] * k))


# What weights prove, in the package's audit.


def just_below(proved, exact):
    """Require that a decimal is at most a bracketed number, and agrees with it to 50 digits."""
    assert exact.low * (1 - Fraction(1, 10**50)) < Fraction(proved) <= exact.high


@repeatable(40)
@example(problem=([2, 3, 4], [1e-6, 50.0, 2.0]), weights=[0.0, 1.0, 0.3, 1.0, 1.0])
@given(problem=problems(), weights=st.lists(st.integers(1, 40) | st.floats(0.01, 5), min_size=5, max_size=5))
def test_what_weights_prove_is_audited_to_the_last_digit(problem, weights):
    exact = dual_value(*problem, weights[: len(problem[0])])
    proved, how = bound.bound(Problem(*problem), weights[: len(problem[0])])
    just_below(proved, exact)
    assert how == "flip sets counted in integers"


@repeatable(20)
@given(problem=problems(), weights=st.lists(st.integers(1, 40), min_size=5, max_size=5))
def test_so_it_is_where_counts_are_packed_into_an_integer(problem, weights):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bound, "MAX_COUNTED_SUMS", 0)
        proved, _ = bound.bound(Problem(*problem), weights[: len(problem[0])])
        just_below(proved, dual_value(*problem, weights[: len(problem[0])]))
        patch.setattr(bound, "MAX_PACKED_BITS", 0)
        assert bound.bound(Problem(*problem), weights[: len(problem[0])])[0] == 0


@pytest.mark.parametrize("alike", [0, bound.MAX_ALIKE])
@pytest.mark.parametrize(("size", "level", "k"), [(3, 2.0, 50), (2, 0.03, 1000), (1000, 0.7, 400)])
def test_so_it_is_for_equal_attributes(monkeypatch, alike, size, level, k):
    monkeypatch.setattr(bound, "MAX_ALIKE", alike)
    proved, how = bound.bound(Problem([size] * k, [level] * k), [1.0] * k)
    just_below(proved, equal_optimum(size, level, k))
    assert how.endswith("integers" if alike else "decimals")


def test_so_is_the_floor_which_is_below_the_optimum():
    for style in STYLES:
        problem = styled(style, 0)
        exact = closed_floor(*problem)
        just_below(bound.bound(Problem(*problem), None)[0], exact)
        assert exact.high < optimum(*problem).low


# Certificates of a few attributes.


def styled(style, seed):
    """Draw a problem of two to five attributes in one of eight styles."""
    rng = np.random.default_rng([seed, len(style)])
    k = int(rng.integers(2, 6))
    sizes, levels = rng.integers(2, 51, k), np.exp(rng.uniform(math.log(0.01), math.log(12), k))
    if style == "halves":
        levels = np.where(np.arange(k) % 2, rng.uniform(6, 12, k), rng.uniform(0.01, 0.2, k))
    elif style == "repeated":
        sizes, levels = sizes[rng.integers(0, 2, k)], levels[rng.integers(0, 2, k)]
    elif style == "nearly equal":
        sizes, levels = np.full(k, sizes[0]), levels[0] * (1 + 1e-9 * rng.uniform(size=k))
    elif style == "rational ties":
        sizes, levels = rng.integers(2, 7, k), np.log(rng.integers(2, 9, k))
    elif style == "large sizes":
        sizes = 10 ** rng.integers(1, 7, k)
    elif style == "coins":
        sizes, levels = np.full(k, 2), rng.uniform(0.05, 2, k)
    elif style == "extreme":
        sizes, levels = 10 ** rng.integers(1, 4, k), np.exp(rng.uniform(math.log(1e-6), math.log(50), k))
    return sizes.tolist(), levels.tolist()


STYLES = [
    *("even logarithms", "halves", "repeated", "nearly equal"),
    *("rational ties", "large sizes", "coins", "extreme"),
]


@pytest.mark.parametrize("style", STYLES)
def test_bounds_hold_for_a_few_attributes(style):
    for seed in range(8):
        problem = styled(style, seed)
        truth = optimum(*problem)
        check_bounds(orr.optimal(*problem), truth)
        try:
            solved = orr.linear_program(*problem).solve()
        except orr.NotCertified:  # it may refuse the most unequal ones
            assert style in ("halves", "extreme", "large sizes")
        else:
            check_bounds(solved, truth)


@pytest.mark.parametrize(
    ("sizes", "levels"),
    [
        ((6, 7, 3), (0.29729212819333667, 1.5383872801017473, 0.9465193696825951)),
        ((27, 2, 14, 14), (1.360, 1.159, 6.583, 6.583)),
        ((2, 3, 4), (1.0, 1.5, 2.0)),
        ((2, 2, 2), (math.log(1.5),) * 3),
        ((2,), (1.0,)),
        ((10**6,), (1e-6,)),
    ],
)
def test_bounds_hold_where_they_did_not(sizes, levels):
    truth = optimum(sizes, levels)
    check_bounds(orr.optimal(sizes, levels), truth)
    check_bounds(orr.linear_program(sizes, levels).solve(), truth)


@pytest.mark.parametrize("seed", range(12))
def test_bounds_hold_at_the_edge_of_the_closed_form(seed):
    """All flip probabilities but one sum to 1, up to a few units in the last place or parts in 10^12."""
    rng = np.random.default_rng(seed)
    sizes, levels = rng.integers(3, 9, 3).tolist(), rng.uniform(0.2, 1, 3)
    others = [(a - 1) / (math.exp(e) + a - 1) for a, e in zip(sizes[1:2], levels[1:2], strict=True)]
    rest = (1 - sum(others)) * (1 + [0, 1e-15, 1e-12, -1e-12][seed % 4])
    levels[2] = math.log((sizes[2] - 1) * (1 - rest) / rest) if rest < (sizes[2] - 1) / sizes[2] else 1.0
    check_bounds(orr.optimal(sizes, levels.tolist()), optimum(sizes, levels.tolist()))


@pytest.mark.parametrize("name", CERTIFIED)
@repeatable(30)
@given(problem=problems(max_k=4, sizes=st.integers(2, 50), levels=any_level(1e-3, 12.0)))
def test_bounds_hold_for_any_problem(name, problem):
    check_bounds(built(name, problem), optimum(*problem))


@repeatable(60)
@example(sizes=(6, 6), levels=(math.log(3), math.log(3)))
@example(sizes=(10**6, 10**6), levels=(50.0, 1e-6))
@given(sizes=st.tuples(any_size, any_size), levels=st.tuples(any_level(), any_level()))
def test_bounds_hold_for_two_attributes(sizes, levels):
    truth = optimum(sizes, levels)
    check_bounds(orr.optimal(sizes, levels), truth)
    for construct in (orr.two_attribute, orr.radius_one):
        # Without a certificate it may be off by as much as its attribute levels are.
        ordered(truth.low * (1 - Fraction(1, 10**9)), construct(sizes, levels).epsilon, "optimum and epsilon")


# Certificates of many attributes.


@pytest.mark.parametrize(
    ("size", "level", "k"),
    [
        (4, 5.0, 100),
        (3, 5.0, 100),
        (3, 5.0, 1000),
        (4, 5.0, 100_000),
        pytest.param(2, 9.0, 1_000_000, marks=pytest.mark.slow),
        (50, 0.3, 400),
        (4, 2.0, 1000),
        (1000, 0.7, 10_000),
        (2, 0.0326765747253476, 8092),
        (10**6, 1e-6, 1000),
        (10**6, 30.0, 1000),
        (2, 1e-6, 1001),
    ],
)
def test_bounds_hold_for_equal_attributes(size, level, k):
    check_bounds(orr.optimal([size] * k, [level] * k), equal_optimum(size, level, k))


@repeatable(150)
@given(size=any_size, level=any_level(), k=st.integers(2, 1000))
def test_bounds_hold_for_any_equal_attributes(size, level, k):
    check_bounds(orr.optimal([size] * k, [level] * k), equal_optimum(size, level, k))


@pytest.mark.parametrize(
    ("problem", "options"),
    [
        (drawn(1, 10, (2, 9), (0.5, 5)), {}),
        (drawn(2, 15, (2, 50), (0.01, 6)), {}),
        (drawn(4, 40, (2, 5), (1, 4)), {"rel_gap": 0.01}),
        pytest.param(drawn(6, 100, (2, 20), (0.05, 1)), {"rel_gap": 0.02}, marks=pytest.mark.slow),
        (([2] * 20 + [5] * 30, [0.5] * 20 + [1.5] * 30), {}),
        (([10**6] * 2 + [10], [1e-10, 1e-10, 6.5446]), {"time_limit": 1}),
        (([2, 2, 3, 2, 10**6], [8.0, 8.0, 6.0, 3.0, 1e-11]), {"time_limit": 1e-9}),
        (drawn(7, 50, (2, 20), (0.05, 5)), {"time_limit": 1e-9}),
        pytest.param(drawn(8, 500, (2, 5), (9, 12)), {}, marks=pytest.mark.slow),
    ],
)
def test_weights_prove_the_lower_bound(problem, options):
    mechanism = orr.optimal(*problem, **options)
    certificate, weights = mechanism.certificate, mechanism.certificate.weights
    checked = Problem(mechanism.sizes, mechanism.epsilons)
    proved, _ = bound.bound(checked, None if weights is None else weights.tolist())
    assert certificate.lower <= proved <= certificate.upper <= mechanism.epsilon
