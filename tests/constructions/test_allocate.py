"""The inverse question: what comes back fits, is tight and proportional; mutants are caught."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import orr
from tests.common import problems

METHODS = {
    "kronecker": orr.kronecker,
    "optimal": orr.optimal,
    "linear_program": lambda sizes, levels: orr.linear_program(sizes, levels).solve(),
    "inductive": orr.inductive,
    "guarded": partial(orr.guarded, slack=0.1),
    "no_slack": partial(orr.guarded, slack=0),
}
totals = st.floats(np.log(0.2), np.log(12)).map(lambda x: float(np.exp(x)))


def check(mechanism, total, sizes, shares):
    """The total is not exceeded but spent, and the levels asked are in proportion."""
    assert total - 1e-6 <= mechanism.epsilon <= total
    assert mechanism.sizes.tolist() == list(sizes)
    levels = mechanism.asked.epsilons
    np.testing.assert_allclose(levels / levels.sum(), np.array(shares) / np.sum(shares), rtol=1e-12)


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
@settings(max_examples=12)
@given(problem=problems(max_k=4, max_size=5), total=totals)
def test_every_construction_spends_the_total(method, problem, total):
    mechanism = orr.allocate(total, *problem, method=method)
    check(mechanism, total, *problem)
    again = method(problem[0], mechanism.asked.epsilons)
    np.testing.assert_allclose(again.epsilon, mechanism.epsilon, rtol=0, atol=1e-9)


@settings(max_examples=25)
@given(problem=problems(min_k=2, max_k=2, max_size=9), total=totals)
def test_closed_forms_of_pairs(problem, total):
    levels = [
        orr.allocate(total, *problem, method=method).epsilons
        for method in (orr.two_attribute, orr.radius_one)
    ]
    np.testing.assert_allclose(*levels, rtol=1e-5)


@settings(max_examples=25)
@given(problem=problems(max_k=5), total=totals, more=st.floats(1e-5, 3.0))
def test_a_larger_total_buys_more(problem, total, more):
    small, large = (orr.allocate(t, *problem).epsilons for t in (total, total + more))
    assert (small < large).all()


@settings(max_examples=12)
@given(problem=problems(max_k=5), total=totals)
def test_the_optimum_buys_most(problem, total):
    kronecker, capped, best = (
        orr.allocate(total, *problem, method=method).epsilons
        for method in (orr.kronecker, METHODS["guarded"], orr.optimal)
    )
    assert (kronecker <= capped * (1 + 1e-5)).all()
    assert (capped <= best * (1 + 1e-5)).all()
    np.testing.assert_allclose(kronecker.sum(), total, atol=1e-6)


@settings(max_examples=25)
@given(problems(max_k=5))
def test_inverts_the_optimum(problem):
    sizes, levels = problem
    total = orr.optimal(sizes, levels).epsilon
    np.testing.assert_allclose(orr.allocate(total, sizes, levels).epsilons, levels, rtol=1e-5)


def test_scaling_the_shares_changes_nothing():
    levels = [orr.allocate(5.0, [2, 3, 4], shares).epsilons for shares in ([1, 2, 3], [1e-9, 2e-9, 3e-9])]
    np.testing.assert_allclose(*levels, rtol=1e-12)


def test_few_mechanisms_are_built():
    rng = np.random.default_rng(4)
    for k in (2, 5, 9, 14):
        sizes, shares = rng.integers(2, 6, k), rng.uniform(1, 5, k)
        for total in (0.1, 3.0, 20.0):
            calls = []
            orr.allocate(total, sizes, shares, method=lambda *p: calls.append(p) or orr.optimal(*p))  # noqa: B023
            assert len(calls) <= 12


def test_many_attributes():
    rng = np.random.default_rng(5)
    sizes, shares = rng.integers(2, 6, 1000), rng.uniform(1, 5, 1000)
    check(orr.allocate(300.0, sizes, shares, method=orr.kronecker), 300.0, sizes, shares)
    check(orr.allocate(1200.0, sizes, shares, method=orr.inductive), 1200.0, sizes, shares)
    with pytest.raises(ValueError, match="epsilon = 300 is too small"):
        orr.allocate(300.0, sizes, shares, method=orr.inductive)
    equal = orr.allocate(100.0, [4] * 500, [1] * 500)
    check(equal, 100.0, [4] * 500, [1] * 500)
    assert equal.epsilons.sum() > 200


@pytest.mark.parametrize("total", [1e-9, 1e-3, 600.0])
def test_small_and_large_totals_are_spent_to_a_millionth(total):
    for method in (orr.kronecker, orr.two_attribute):
        mechanism = orr.allocate(total, [3, 4], [1, 2], method=method)
        assert total * (1 - 1e-6) <= mechanism.epsilon <= total


def test_a_jump_is_bracketed():
    def jumps(sizes, levels):
        return orr.kronecker(sizes, np.where(levels > 1, 1 + levels, levels))

    mechanism = orr.allocate(3.0, [2, 2], [1, 1], method=jumps)
    np.testing.assert_allclose(mechanism.epsilons, 1, atol=1e-6)
    assert (mechanism.epsilons <= 1).all()


def test_noise_does_not_break_the_bracket():
    def noisy(sizes, levels):
        noise = 1 + 1e-4 * np.sin(1e9 * levels[0])
        return orr.kronecker(sizes, levels * noise)

    mechanism = orr.allocate(4.0, [2, 3], [1, 1], method=noisy)
    assert 4 * (1 - 3e-4) <= mechanism.epsilon <= 4


def test_closed_form_that_does_not_apply():
    # At four times 0.4 radius_one does not apply; the total asks for levels about there.
    with pytest.raises(orr.NotApplicable, match="that would spend epsilon = 1: the flip"):
        orr.allocate(1.0, [2] * 4, [1] * 4, method=orr.radius_one)
    mechanism = orr.allocate(20.0, [5] * 7, [1] * 7, method=orr.radius_one)
    check(mechanism, 20.0, [5] * 7, [1] * 7)


def test_construction_that_gives_up_above_a_level():
    def timid(sizes, levels):
        if max(levels) > 1:
            raise orr.NotCertified("too high for me")
        return orr.kronecker(sizes, levels)

    check(orr.allocate(1.5, [2, 2], [1, 1], method=timid), 1.5, [2, 2], [1, 1])
    with pytest.raises(orr.NotCertified, match="would spend epsilon = 4: too high for me"):
        orr.allocate(4.0, [2, 2], [1, 1], method=timid)


@pytest.mark.parametrize(
    ("total", "shares", "words"),
    [
        (
            2000.0,
            [1, 1],
            "epsilon = 2000 is too large: at the largest levels allowed",
        ),
        (1e-12, [1, 1], "epsilon = 1e-12 is too small: at the smallest levels allowed"),
        (1.0, [1e-300, 1.0], "shares differ too much"),
    ],
)
def test_totals_out_of_reach(total, shares, words):
    with pytest.raises(ValueError, match=words):
        orr.allocate(total, [2, 3], shares, method=orr.two_attribute)


@pytest.mark.parametrize(
    ("total", "error"),
    [
        (0, ValueError),
        (-1.0, ValueError),
        (np.nan, ValueError),
        (np.inf, ValueError),
        ("4", TypeError),
        (True, TypeError),
        (None, TypeError),
        ([4.0], TypeError),
    ],
)
def test_bad_total(total, error):
    with pytest.raises(error, match=r"epsilon = .* must be (a )?positive"):
        orr.allocate(total, [2, 3], [1, 1])


@pytest.mark.parametrize(
    ("shares", "error", "words"),
    [
        ([1, 1, 1], ValueError, "got 2 sizes and 3 shares"),
        ([1, 0], ValueError, r"shares\[1\] = 0.0 must be positive and finite"),
        ([-1.0, 1], ValueError, r"shares\[0\] = -1.0 must be positive"),
        ([np.inf, 1], ValueError, r"shares\[0\] = inf must be positive and finite"),
        ([np.nan, 1], ValueError, r"shares\[0\] = nan must be"),
        (["1", 1], TypeError, r"shares\[0\] = '1' must be a positive number"),
        ([True, True], TypeError, r"shares\[0\] = True must be"),
        ([], ValueError, "shares is empty"),
        (1, TypeError, "shares must be a sequence"),
        (None, TypeError, "shares must be a sequence"),
    ],
)
def test_bad_shares(shares, error, words):
    with pytest.raises(error, match=words):
        orr.allocate(4.0, [2, 3], shares)


def test_bad_sizes_and_methods():
    with pytest.raises(ValueError, match=r"sizes\[0\] = 1 must be"):
        orr.allocate(4.0, [1, 3], [1, 1])
    for method in ("optimal", None, 3):
        with pytest.raises(TypeError, match=r"method = .* must be a construction"):
            orr.allocate(4.0, [2, 3], [1, 1], method=method)
    with pytest.raises(ValueError, match="exactly 2 attributes, got 3"):
        orr.allocate(4.0, [2, 3, 4], [1, 1, 1], method=orr.two_attribute)


def overspends(total, sizes, shares):
    """Mutant: a little more than the total."""
    return orr.allocate(total * (1 + 1e-9) + 1e-6, sizes, shares)


def underspends(total, sizes, shares):
    """Mutant: the Kronecker mechanism's levels, which always fit."""
    return orr.optimal(sizes, orr.allocate(total, sizes, shares, method=orr.kronecker).epsilons)


def equal_shares(total, sizes, shares):
    """Mutant: forgets the shares."""
    return orr.allocate(total, sizes, [1] * len(shares))


@pytest.mark.parametrize("mutant", [overspends, underspends, equal_shares])
def test_check_catches_mutants(mutant):
    problem = 4.0, [2, 3, 4], [1, 2, 3]
    check(orr.allocate(*problem), *problem)
    with pytest.raises(AssertionError):
        check(mutant(*problem), *problem)
