"""The inverse question: what comes back fits, is tight and proportional; mutants are caught."""

import math
import re
import warnings
from functools import partial
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import orr
import orr_release
from orr.budget.pair_floor import loss, worst_pair
from tests.common import examples, problems, some_slow

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


@pytest.mark.filterwarnings("ignore::orr.Wasteful")  # the heuristic's levels are what it makes of the shares
@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
@examples(12)
@given(problem=problems(max_k=4, max_size=5), total=totals)
def test_every_construction_spends_the_total(method, problem, total):
    mechanism = orr.allocate(total, *problem, method=method)
    check(mechanism, total, *problem)
    again = method(problem[0], mechanism.asked.epsilons)
    np.testing.assert_allclose(again.epsilon, mechanism.epsilon, rtol=0, atol=1e-9)


@examples(25)
@given(problem=problems(min_k=2, max_k=2, max_size=9), total=totals)
def test_closed_forms_of_pairs(problem, total):
    levels = [
        orr.allocate(total, *problem, method=method).epsilons
        for method in (orr.two_attribute, orr.radius_one)
    ]
    np.testing.assert_allclose(*levels, rtol=1e-5)


@examples(25)
@given(problem=problems(max_k=5), total=totals, more=st.floats(1e-5, 3.0))
def test_a_larger_total_buys_more(problem, total, more):
    small, large = (orr.allocate(t, *problem).epsilons for t in (total, total + more))
    assert (small < large).all()


@examples(12)
@given(problem=problems(max_k=5), total=totals)
def test_the_optimum_buys_most(problem, total):
    kronecker, capped, best = (
        orr.allocate(total, *problem, method=method).epsilons
        for method in (orr.kronecker, METHODS["guarded"], orr.optimal)
    )
    assert (kronecker <= capped * (1 + 1e-5)).all()
    assert (capped <= best * (1 + 1e-5)).all()
    np.testing.assert_allclose(kronecker.sum(), total, atol=1e-6)


@examples(25)
@given(problems(max_k=5))
def test_inverts_the_optimum(problem):
    sizes, levels = problem
    total = orr.optimal(sizes, levels).epsilon
    np.testing.assert_allclose(orr.allocate(total, sizes, levels).epsilons, levels, rtol=1e-5)


def test_scaling_the_shares_changes_nothing():
    levels = [orr.allocate(5.0, [2, 3, 4], shares).epsilons for shares in ([1, 2, 3], [1e-9, 2e-9, 3e-9])]
    np.testing.assert_allclose(*levels, rtol=1e-12)


@pytest.mark.parametrize("k", some_slow([2, 5, 9, 14], 14))
def test_few_mechanisms_are_built(k):
    rng = np.random.default_rng(k)
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


@pytest.mark.filterwarnings("ignore::orr.Wasteful")
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
        ({"sex": 1, "job": 1}, TypeError, "shares must be a sequence"),
    ],
)
def test_bad_shares(shares, error, words):
    with pytest.raises(error, match=words):
        orr.allocate(4.0, [2, 3], shares)


def test_bad_sizes_and_methods():
    with pytest.raises(ValueError, match=r"sizes\[0\] = 1 must be"):
        orr.allocate(4.0, [1, 3], [1, 1])
    for method in (None, 3):
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


@pytest.mark.parametrize(
    "name",
    ["optimal", "guarded", "kronecker", "inductive", "radius_one", "two_attribute", "linear_program"],
)
def test_constructions_by_name(name):
    options = {"slack": 0.25} if name == "guarded" else {}
    method = {"guarded": partial(orr.guarded, slack=0.25), "linear_program": METHODS["linear_program"]}
    by_name = orr.allocate(5.0, [2, 3], method=name, **options)
    given = orr.allocate(5.0, [2, 3], [1, 1], method=method.get(name) or getattr(orr, name))
    np.testing.assert_array_equal(by_name.epsilons, given.epsilons)


def test_equal_shares_by_default_and_domains():
    domain = orr_release.Domain({"sex": ["F", "M"], "race": 3, "job": 4})
    plain, on = orr.allocate(4.0, [2, 3, 4], [1, 1, 1]), orr_release.allocate(4.0, domain)
    np.testing.assert_array_equal(plain.epsilons, on.levels.epsilons)
    assert on.domain == domain
    named = orr_release.allocate(4.0, domain, {"job": 3, "sex": 1, "race": 2})
    np.testing.assert_array_equal(named.levels.epsilons, orr.allocate(4.0, [2, 3, 4], [1, 2, 3]).epsilons)
    with pytest.raises(ValueError, match="shares has no number for 'job'"):
        orr_release.allocate(4.0, domain, {"sex": 1, "race": 2})
    with pytest.raises(ValueError, match="shares names 'age'"):
        orr_release.allocate(4.0, domain, {"sex": 1, "race": 2, "job": 1, "age": 3})


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        (
            {"method": "best"},
            ValueError,
            "method = 'best' must be a construction, or one of optimal, guarded",
        ),
        ({"method": "guarded"}, TypeError, "method 'guarded' needs the option 'slack'"),
        ({"method": orr.guarded}, TypeError, "method guarded needs the option 'slack'"),
        ({"method": "kronecker", "slack": 0.1}, TypeError, "method 'kronecker' takes no option 'slack'"),
        ({"slak": 0.1}, TypeError, "method 'optimal' takes no option 'slak'"),
        ({"method": "guarded", "slack": -1}, ValueError, "slack = -1 must be"),
        ({"objective": "three-way"}, ValueError, "objective = 'three-way' must be 'one-way' or 'two-way'"),
        ({"objective": 1}, ValueError, "objective = 1 must be"),
        (
            {"objective": "one-way", "shares": [1, 1]},
            ValueError,
            "shares and objective = 'one-way' cannot both",
        ),
        ({"pairs_at_least": 0}, ValueError, "pairs_at_least = 0 must be a number between 0 and 1"),
        ({"pairs_at_least": 1.0}, ValueError, "pairs_at_least = 1.0 must be"),
        ({"pairs_at_least": math.nan}, ValueError, "pairs_at_least = nan must be"),
        ({"pairs_at_least": True}, TypeError, "pairs_at_least = True must be"),
        ({"pairs_at_least": "0.1"}, TypeError, "pairs_at_least = '0.1' must be"),
    ],
)
def test_bad_options(options, error, words):
    with pytest.raises(error, match=re.escape(words)):
        orr.allocate(4.0, [2, 3], **options)


def test_options_reach_the_construction():
    wide, narrow = (orr.allocate(4.0, [2, 3, 4], method="guarded", slack=s) for s in (0.5, 0.1))
    assert (wide.slack, narrow.slack) == (0.5, 0.1)
    assert (wide.epsilons > narrow.epsilons).all()
    seen = []

    def takes_all(sizes, levels, **options):
        seen.append(options)
        return orr.kronecker(sizes, levels)

    orr.allocate(4.0, [2, 3], method=takes_all, colour="red")
    assert {tuple(options.items()) for options in seen} == {(("colour", "red"),)}


@pytest.mark.parametrize("objective", ["one-way", "two-way"])
@pytest.mark.parametrize(
    ("total", "sizes"),
    some_slow([(1.0, [2, 2, 5, 7]), (3.0, [2, 3, 9]), (8.0, [2, 12, 12, 4])], (1.0, [2, 2, 5, 7])),
)
def test_an_objective_is_served_no_worse_than_by_equal_shares(objective, total, sizes):
    ways = 1 if objective == "one-way" else 2
    found, equal = orr.allocate(total, sizes, objective=objective), orr.allocate(total, sizes)
    assert total - 1e-6 <= found.epsilon <= total
    assert loss(found, ways) <= loss(equal, ways)
    for a in set(sizes):  # the same size, the same level
        assert len({float(e) for e, b in zip(found.epsilons, sizes, strict=True) if a == b}) == 1
    again = orr.allocate(total, sizes, objective=objective)
    np.testing.assert_array_equal(found.epsilons, again.epsilons)


@pytest.mark.parametrize(
    ("total", "objective", "ways"),
    some_slow([(2.0, "one-way", 1), (1.0, "two-way", 2)], (1.0, "two-way", 2)),
)
def test_an_objective_gains_what_other_shares_gain(total, objective, ways):
    sizes = np.array([2, 2, 5, 7])
    best = loss(orr.allocate(total, sizes, objective=objective), ways)
    rivals = [loss(orr.allocate(total, sizes, sizes**c), ways) for c in (0.1, 0.2, 0.3, 0.4, 0.5)]
    assert best <= 1.005 * min(rivals)


def test_an_objective_finds_levels_at_which_all_slopes_of_the_loss_are_equal():
    # One by one these are the best.
    found = orr.allocate(3.0, [2, 9], method="kronecker", objective="one-way")
    slopes = [
        (loss(orr.kronecker([a], [e + 1e-5]), 1) - loss(orr.kronecker([a], [e - 1e-5]), 1)) / 2e-5
        for a, e in zip([2, 9], found.epsilons, strict=True)
    ]
    np.testing.assert_allclose(*slopes, rtol=0.1)


def test_an_objective_where_there_is_nothing_to_choose():
    for sizes, objective in (([3, 3, 3], "one-way"), ([4], "two-way"), ([4], "one-way")):
        np.testing.assert_allclose(
            orr.allocate(2.0, sizes, objective=objective).epsilons, orr.allocate(2.0, sizes).epsilons
        )


def test_an_objective_stops_in_time_and_shows_progress(capsys):
    orr.allocate(2.0, [2, 5], objective="one-way", method="kronecker", progress=True)
    assert "shares 7: error of one record" in capsys.readouterr().err
    clocked = []

    def slow(sizes, levels, time_limit=None):
        clocked.append(time_limit)
        return orr.kronecker(sizes, levels)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", orr.Wasteful)  # too little time to spend it all
        found = orr.allocate(2.0, [2, 5], objective="one-way", method=slow, time_limit=1e-9)
    assert 0 < found.epsilon <= 2
    assert len(clocked) < 20


def test_an_objective_where_the_construction_gives_up():
    def timid(sizes, levels):
        if max(levels) > 1.2 * min(levels):
            raise orr.NotApplicable("too far apart for me")
        return orr.kronecker(sizes, levels)

    found = orr.allocate(2.0, [2, 9], objective="one-way", method=timid)
    assert found.epsilon == pytest.approx(2, abs=1e-6)
    assert loss(found, 1) <= loss(orr.kronecker([2, 9], [1.0, 1.0]), 1)


def test_pairs_are_kept():
    sizes = [3, 3, 3, 3]
    assert worst_pair(orr.allocate(1.0, sizes))[0] == 0
    kept = orr.allocate(1.0, sizes, pairs_at_least=0.02)
    assert kept.slack == 0.5
    assert worst_pair(kept)[0] >= 0.02
    assert 1 - 1e-6 <= kept.epsilon <= 1
    released = kept.perturb(np.zeros((1000, 4), dtype=int), rng=1)
    assert np.isfinite(kept.estimate(released, [0, 1]).counts).all()
    # A larger slack than 0.5 does not keep it, and what keeps it already is left alone.
    assert worst_pair(orr.allocate(1.0, sizes, method="guarded", slack=1.0))[0] < 0.02
    easy = orr.allocate(8.0, [2, 3, 4], pairs_at_least=0.01)
    np.testing.assert_array_equal(easy.epsilons, orr.allocate(8.0, [2, 3, 4]).epsilons)
    # Guarded goes on from its own slack.
    assert orr.allocate(1.0, sizes, method="guarded", slack=0.05, pairs_at_least=0.0074).slack == 0
    assert orr.allocate(1.0, [5], pairs_at_least=0.5).epsilons[0] == pytest.approx(1, abs=1e-6)


def floored_or_told(total, problem, floor):
    """Keep the floor, at the total given or at the one that the refusal names."""
    try:
        return orr.allocate(total, *problem, pairs_at_least=floor), total
    except orr.NotApplicable as refusal:
        (enough,) = re.findall(r"epsilon = ([\d.,]+) would do", str(refusal))
    more = float(enough.replace(",", ""))
    return orr.allocate(more, *problem, pairs_at_least=floor), more


@examples(10)
@given(problem=problems(min_k=2, max_k=4, max_size=6), floor=st.floats(0.001, 0.6), total=totals)
def test_a_floor_is_kept_or_a_total_named_that_keeps_it(problem, floor, total):
    kept, spent = floored_or_told(total, problem, floor)
    assert total <= spent
    assert spent * (1 - 1e-6) - 1e-6 <= kept.epsilon <= spent
    assert min(abs(kept.law.rho({i, j})) for i, j in combinations(range(len(problem[0])), 2)) >= floor


def test_a_floor_out_of_reach_names_the_pair():
    domain = orr_release.Domain({"sex": 2, "race": 5, "job": 7})
    with pytest.raises(orr.NotApplicable, match=r"one by one, race and job have the factor 0\.0\d+"):
        orr_release.allocate(1.0, domain, pairs_at_least=0.5)
    with pytest.raises(orr.NotApplicable, match=r"No total would do"):
        orr.allocate(1.0, [2, 3], [1e-6, 1.0], pairs_at_least=0.5)


def test_waste_is_warned_of():
    with pytest.warns(
        orr.Wasteful, match=r"8 of 8 attributes .*: attribute \d has level .* in place of 0\.125"
    ):
        orr.allocate(1.0, [2, 2, 5, 7, 9, 5, 6, 17], method="inductive")
    domain = orr_release.Domain({"sex": 2, "race": 2, "job": 2})
    with pytest.warns(orr.Wasteful, match=r"1 of 3 attributes .*: job has level 0\.357 in place of 0\.5"):
        orr_release.allocate(1.0, domain, {"sex": 1, "race": 1, "job": 2}, method="inductive")


@examples(10)
@given(problem=problems(max_k=4), total=totals)
def test_only_waste_is_warned_of(problem, total):
    levels = total * np.array(problem[1]) / np.sum(problem[1])
    for method in (orr.optimal, METHODS["guarded"], orr.kronecker, orr.inductive):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            made = orr.allocate(total, *problem, method=method)
        wasted = bool((made.epsilons < 0.999 * levels).any())
        assert [w.category for w in caught] == [orr.Wasteful] * wasted
        assert method is orr.inductive or not wasted
        assert all(w.filename == __file__ for w in caught)
