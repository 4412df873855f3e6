"""Neighbour levels capped: golden values, brute force, a literal linear program, proofs, mutants."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq, linprog
from scipy.stats import binom

import orr
from orr.caps.guarded import Guarded
from orr.caps.linear_program import CappedProgram
from orr.caps.proofs import Head, Prices, Thresholds
from orr.laws.product import Product
from orr.problem import Problem
from orr.progress import Clock
from orr_audit import audit
from tests.chance import fits, seed
from tests.common import GOLDEN, brute_levels, examples, flip_sets, problems, some_slow, times

SIZES, LEVELS = [2, 3, 4], [1.0, 1.5, 2.0]
slacks = st.floats(-4, 1).map(lambda x: 10.0**x)
(TRADE_OFF,) = GOLDEN["extras"]["neighbour_cap_tradeoff"]


def check(mechanism, sizes, levels, slack):
    """Exact levels and capped neighbour levels by brute force, and a proof that is closed."""
    overall, marginal, neighbour = brute_levels(mechanism.matrix(), tuple(sizes))
    np.testing.assert_allclose(marginal, levels, atol=1e-10)
    np.testing.assert_allclose(mechanism.epsilons, levels)
    assert (neighbour <= (1 + slack) * np.array(levels) * (1 + 1e-9) + 1e-12).all()
    assert (neighbour <= mechanism.neighbour_epsilons + 1e-10).all()
    assert overall <= mechanism.epsilon + 1e-12
    assert mechanism.lower <= mechanism.epsilon <= mechanism.lower + 1e-7 * max(1, mechanism.epsilon)
    assert mechanism.slack == slack


def literal(sizes, levels, slack):
    """Smallest overall level from the linear program as it is written, without any scaling."""
    sets = flip_sets(len(sizes))
    place = {s: j for j, s in enumerate(sets)}
    rows, n = [], len(sets)
    for s in sets:
        rows.append(np.eye(n + 1)[place[s]] - np.eye(n + 1)[n])
        for i in range(len(sizes)):
            other = tuple(sorted(set(s) ^ {i}))
            rows.append(
                np.eye(n + 1)[place[s]] - np.exp((1 + slack) * levels[i]) * np.eye(n + 1)[place[other]]
            )
    odds = [np.exp(levels[i]) / (sizes[i] - 1) for i in range(len(sizes))]
    equal = [[times(sizes, s) * (-odds[i] if i in s else 1) for s in sets] + [0] for i in range(len(sizes))]
    bounds = [(1, None)] * n + [(None, None)]
    result = linprog(np.eye(n + 1)[n], rows, np.zeros(len(rows)), equal, np.zeros(len(sizes)), bounds)
    assert result.status == 0
    return np.log(result.fun)


@pytest.mark.parametrize("point", TRADE_OFF["points"], ids=lambda point: str(point["slack"]))
def test_golden_trade_off(point):
    mechanism = orr.guarded(TRADE_OFF["sizes"], TRADE_OFF["epsilons"], point["slack"])
    np.testing.assert_allclose(mechanism.epsilon, point["eps"], rtol=0, atol=TRADE_OFF["tolerance"])
    check(mechanism, TRADE_OFF["sizes"], TRADE_OFF["epsilons"], point["slack"])


@examples(40)
@given(problems(max_k=3, max_size=4), slacks)
def test_levels_and_caps_hold_by_brute_force(problem, slack):
    check(orr.guarded(*problem, slack), *problem, slack)


@examples(40)
@given(problems(max_k=5, max_size=9), slacks)
def test_lies_between_optimum_and_kronecker(problem, slack):
    mechanism = orr.guarded(*problem, slack)
    best = orr.linear_program(*problem).solve()
    assert best.epsilon - 1e-9 <= mechanism.epsilon <= orr.kronecker(*problem).epsilon + 1e-9
    np.testing.assert_allclose(mechanism.law.rates, best.flip_probabilities, rtol=1e-9)
    if (best.neighbour_epsilons < (1 + slack) * np.array(problem[1])).all():
        np.testing.assert_allclose(mechanism.epsilon, best.epsilon, atol=1e-7)


@examples(25)
@given(problems(max_k=4, max_size=6), slacks, slacks)
def test_more_slack_costs_no_level(problem, slack, more):
    low, high = sorted([slack, slack * (1 + more)])
    assert orr.guarded(*problem, high).epsilon <= orr.guarded(*problem, low).epsilon + 2e-7


@examples(40)
@given(problems(max_k=3, max_size=4, min_level=0.2, max_level=3.0), st.floats(0.01, 1.0))
def test_equals_the_literal_program(problem, slack):
    np.testing.assert_allclose(orr.guarded(*problem, slack).epsilon, literal(*problem, slack), atol=1e-6)


def test_no_slack_is_kronecker_and_no_cap_the_optimum():
    np.testing.assert_allclose(
        orr.guarded(SIZES, LEVELS, 0).matrix(), orr.kronecker(SIZES, LEVELS).matrix(), rtol=1e-12
    )
    best = orr.optimal(SIZES, LEVELS)
    for slack in (1.0, 1e6, np.inf):
        mechanism = orr.guarded(SIZES, LEVELS, slack)
        np.testing.assert_allclose(mechanism.matrix(), best.matrix(), rtol=1e-12)
        assert mechanism.lower == best.certificate.lower


def test_no_free_lunch():
    # Next to no slack leaves next to nothing but the Kronecker mechanism.
    mechanism = orr.guarded(SIZES, LEVELS, 1e-6)
    np.testing.assert_allclose(mechanism.matrix(), orr.kronecker(SIZES, LEVELS).matrix(), rtol=1e-4)
    assert mechanism.epsilon < 4.5 - 1e-6


@pytest.mark.parametrize("levels", [[0.01] * 2, [15.0, 0.01], [15.0, 15.0]])
@pytest.mark.parametrize("sizes", [[2, 2], [2, 10_000], [10_000, 10_000]])
@pytest.mark.parametrize("slack", [1e-6, 0.1, 1e6])
def test_unusual_pairs(sizes, levels, slack):
    mechanism = orr.guarded(sizes, levels, slack)
    best = orr.two_attribute(sizes, levels)
    assert best.epsilon - 1e-9 <= mechanism.epsilon <= sum(levels) * (1 + 1e-9)
    assert (mechanism.neighbour_epsilons <= (1 + slack) * np.array(levels) * (1 + 1e-9)).all()
    np.testing.assert_allclose(mechanism.law.rates, best.flip_probabilities, rtol=1e-9)


def test_one_attribute_is_randomized_response():
    mechanism = orr.guarded([5], [1.5], 0.3)
    np.testing.assert_allclose(mechanism.matrix(), orr.kronecker([5], [1.5]).matrix())


def plateaus(k, size, level, slack):
    """Level of equal attributes: log f falls by the cap with every lie, between two plateaus."""
    lies, p = np.arange(k + 1), 1 - 1 / size
    q = (size - 1) / (np.exp(level) + size - 1)
    cap, uniform = (1 + slack) * level, binom.logpmf(lies, k, p)

    def gain(top):
        shifts = np.linspace(0, cap * k + top, 40_001)[:, None]
        log_f = np.clip(shifts - cap * lies, 0, top) + uniform
        f = np.exp(log_f - log_f.max(axis=1, keepdims=True))
        return ((f @ (k * q - lies)) / f.sum(axis=1)).max()

    return brentq(gain, 1e-6, k * level, xtol=1e-7)


@pytest.mark.parametrize("slack", [0.01, 0.1, 0.5])
def test_equal_attributes_fall_from_one_plateau_to_another(slack):
    k, size, level = 60, 4, 2.0
    mechanism = orr.guarded([size] * k, [level] * k, slack)
    np.testing.assert_allclose(mechanism.epsilon, plateaus(k, size, level, slack), atol=1e-3)
    assert mechanism.epsilon < k * level / 2
    assert mechanism.neighbour_epsilons.max() <= (1 + slack) * level * (1 + 1e-9)
    np.testing.assert_allclose(mechanism.law.rates, mechanism.flip_probabilities, rtol=1e-9)


@pytest.mark.statistical
def test_equal_attributes_are_counted_together():
    rng = np.random.default_rng(2)
    sizes, levels = [2, 5] * 15, [1.0, 2.0] * 15
    mechanism = orr.guarded(sizes, levels, 0.2)
    assert mechanism.lower <= mechanism.epsilon <= mechanism.lower + 1e-5
    records = np.column_stack([rng.integers(a, size=4000) for a in sizes])
    flips = (mechanism.perturb(records, seed(3)) != records).sum(axis=0)
    assert fits(flips, 4000, mechanism.flip_probabilities).all()
    # The same with levels told apart by a hair: no kinds, the full cube.
    cube = orr.guarded([2, 5] * 3, [1.0, 2.0, 1.0 + 1e-9, 2.0 + 1e-9, 1.0 + 2e-9, 2.0 + 2e-9], 0.2)
    few = orr.guarded([2, 5] * 3, [1.0, 2.0] * 3, 0.2)
    np.testing.assert_allclose(few.epsilon, cube.epsilon, atol=1e-7)


def test_what_is_left_open_is_told():
    found = orr.guarded(SIZES, LEVELS, 0.1, time_limit=1e-9)
    assert isinstance(found.law, Product)
    assert 0 < found.lower < found.epsilon
    assert (found.neighbour_epsilons <= 1.1 * found.epsilons).all()


def test_progress_goes_to_standard_error(capsys):
    orr.guarded(SIZES, LEVELS, 0.1, progress=True)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert " to " in captured.err


@pytest.mark.parametrize(
    ("slack", "error"),
    [
        (-0.1, ValueError),
        (np.nan, ValueError),
        (-np.inf, ValueError),
        ("0.1", TypeError),
        (True, TypeError),
        (None, TypeError),
        ([0.1], TypeError),
        (1j, TypeError),
    ],
)
def test_bad_slack(slack, error):
    with pytest.raises(error, match=r"slack = .* must be a number of at least 0, or infinity"):
        orr.guarded(SIZES, LEVELS, slack)


def with_law(mechanism, law):
    """Replace the law of a mechanism, and leave its bounds."""
    certificate = replace(mechanism.certificate, law=law, upper=law.epsilon)
    return Guarded(law, certificate)


def without_caps(sizes, levels, slack):
    """Mutant: forgets the caps."""
    return with_law(orr.guarded(sizes, levels, slack), orr.optimal(sizes, levels).law)


def one_cap_missing(sizes, levels, slack):
    """Mutant: keeps all caps but the first."""
    program = CappedProgram(Problem(sizes, levels), slack, Clock(None))
    program.caps[0] = sum(levels)
    return with_law(orr.guarded(sizes, levels, slack), program.solve()[0])


def unproved(sizes, levels, slack):
    """Mutant: keeps its caps, but is not the best that does."""
    return with_law(orr.guarded(sizes, levels, slack), orr.guarded(sizes, levels, slack / 2).law)


def not_repaired(sizes, levels, slack):
    """Mutant: more accurate than asked."""
    higher = orr.guarded(sizes, [1.01 * e for e in levels], slack)
    return with_law(orr.guarded(sizes, levels, slack), higher.law)


@pytest.mark.parametrize("mutant", [without_caps, one_cap_missing, unproved, not_repaired])
def test_check_catches_mutants(mutant):
    check(orr.guarded(SIZES, LEVELS, 0.1), SIZES, LEVELS, 0.1)
    with pytest.raises(AssertionError):
        check(mutant(SIZES, LEVELS, 0.1), SIZES, LEVELS, 0.1)


# Many attributes, of one kind or of many.


def kept(mechanism, slack):
    """Caps are kept, levels met and the certificate holds."""
    certificate = mechanism.certificate
    assert (mechanism.neighbour_epsilons <= (1 + slack) * mechanism.epsilons * (1 + 1e-9)).all()
    np.testing.assert_allclose(mechanism.law.rates, mechanism.flip_probabilities, rtol=1e-6)
    assert certificate.lower <= certificate.upper <= mechanism.epsilon
    assert mechanism.lower == certificate.lower
    assert certificate.verify()


def test_a_billionth_of_slack_keeps_most_of_the_saving():
    k, size, level = 1024, 4, 2.0
    problem = [size] * k, [level] * k
    mechanism, best = orr.guarded(*problem, 1e-9), orr.optimal(*problem)
    assert round((k * level - mechanism.epsilon) / (k * level - best.epsilon), 2) == 0.89
    assert mechanism.certificate.rel_gap < 1e-4
    assert (mechanism.neighbour_epsilons <= (1 + 1e-9) * level).all()  # to the last digit
    assert audit(mechanism.certificate)


@examples(25)
@given(
    st.integers(2, 3000), st.integers(2, 50), st.floats(0.01, 8.0), st.floats(-6, 1).map(lambda x: 10.0**x)
)
def test_equal_attributes_have_a_proved_optimum(n, size, level, slack):
    mechanism = orr.guarded([size] * n, [level] * n, slack)
    kept(mechanism, slack)
    assert mechanism.certificate.rel_gap < 1e-5


@pytest.mark.parametrize(
    ("n", "size", "level", "slack"),
    [
        pytest.param(10**5, 4, 2.0, 0.1, marks=pytest.mark.slow),
        (10**4, 2, 1e-3, 0.01),
        (1000, 10**6, 0.5, 0.2),
        (3, 10**6, 700.0, 0.1),
        (50, 5, 700.0, 1e-9),
        (20, 3, 1e-9, 0.1),
        (100, 3, 1.0, np.inf),
        (500, 3, 1.0, 1e-300),
        (2, 2, 1e-12, 1e-9),
    ],
)
def test_extreme_equal_attributes(n, size, level, slack):
    mechanism = orr.guarded([size] * n, [level] * n, slack)
    kept(mechanism, min(slack, 1e300))
    assert mechanism.epsilon <= n * level * (1 + 1e-12)


@pytest.mark.slow
def test_a_million_equal_attributes():
    n = 10**6
    mechanism = orr.guarded([4] * n, [2.0] * n, 0.1)
    assert mechanism.certificate.rel_gap < 1e-12
    assert (mechanism.neighbour_epsilons <= 2.2).all()
    assert mechanism.epsilon < 0.24 * 2 * n


@pytest.mark.statistical
@pytest.mark.parametrize(
    ("k", "slack", "gap"),
    some_slow(
        [(17, 0.1, 0.2), (40, 0.01, 0.2), (40, 0.5, 0.1), (100, 0.1, 0.1), (100, 1e-4, 0.1)],
        (17, 0.1, 0.2),
        (40, 0.01, 0.2),
        (40, 0.5, 0.1),
        (100, 0.1, 0.1),
    ),
)
def test_many_different_attributes(k, slack, gap):
    rng = np.random.default_rng(k)
    sizes, levels = rng.integers(2, 6, k), rng.uniform(0.5, 3, k)
    mechanism = orr.guarded(sizes, levels, slack)
    kept(mechanism, slack)
    assert mechanism.certificate.method == "ramp"
    assert mechanism.certificate.rel_gap < gap
    assert mechanism.lower > orr.optimal(sizes, levels).certificate.lower - 1e-9
    records = np.column_stack([rng.integers(a, size=3000) for a in sizes])
    flips = (mechanism.perturb(records, seed(3)) != records).sum(axis=0)
    assert fits(flips, 3000, mechanism.flip_probabilities).all()
    assert audit(mechanism.certificate)


@pytest.mark.parametrize(
    ("sizes", "levels", "slack"),
    [
        (np.arange(2, 22), np.linspace(1e-9, 1, 20), 0.1),
        (np.arange(2, 22), np.linspace(1, 700, 20), 0.1),
        (np.arange(2, 22) ** 4, np.linspace(0.1, 12, 20), 0.3),
        (np.arange(2, 22), np.linspace(0.1, 2, 20), 1e-9),
        pytest.param(np.arange(2, 22), np.linspace(0.1, 2, 20), 1e-300, marks=pytest.mark.slow),
        (np.arange(2, 22), np.linspace(0.1, 2, 20), np.inf),
    ],
)
def test_extreme_different_attributes(sizes, levels, slack):
    mechanism = orr.guarded(sizes, levels, slack)
    kept(mechanism, min(slack, 1e300))


def test_attributes_whose_digits_a_ramp_loses_stand_beside_it():
    sizes, levels = [72, *range(2, 16)], [1e-6, *np.linspace(0.1, 3, 14)]
    best = orr.guarded(sizes, levels, 0.2)
    assert type(best.law).__name__ == "SplitLaw"
    proof = audit(best.certificate)
    assert proof
    assert proof.level_error < 1e-6
    assert best.epsilon < 0.95 * sum(levels)


def test_time_is_kept():
    rng = np.random.default_rng(6)
    for problem in ((rng.integers(2, 6, 300), rng.uniform(0.5, 3, 300)), ([4] * 10**5, [2.0] * 10**5)):
        mechanism = orr.guarded(*problem, 0.1, time_limit=1e-6)
        assert mechanism.certificate.method == "one by one"  # what takes time was not begun
        assert 0 < mechanism.lower < mechanism.epsilon


def wrong_proofs(certificate):
    """Mutants of a certificate, a family each."""
    yield replace(certificate, lower=certificate.lower * (1 + 1e-6))
    yield replace(certificate, slack=certificate.slack * 1.1)
    proof = certificate.proof
    if isinstance(proof, Head):
        yield replace(certificate, proof=replace(proof, last=proof.last + 1))
        yield replace(certificate, proof=replace(proof, share=proof.share / 2))
    elif isinstance(proof, Thresholds):
        yield replace(certificate, proof=replace(proof, low=proof.low * 0.99))
        yield replace(certificate, proof=replace(proof, high=proof.high + 100))
    else:
        assert isinstance(proof, Prices)
        yield replace(certificate, proof=replace(proof, log_prices=proof.log_prices + 0.01))
        yield replace(certificate, proof=replace(proof, pairs=proof.pairs[:, [1, 0, 2]]))


@pytest.mark.parametrize(
    "problem",
    [([4] * 30, [2.0] * 30), (SIZES, LEVELS), (np.arange(2, 22) % 4 + 2, np.linspace(0.5, 2, 20))],
)
def test_wrong_proofs_are_noticed(problem):
    certificate = orr.guarded(*problem, 0.05).certificate
    assert certificate.verify()
    for wrong in wrong_proofs(certificate):
        assert not wrong.verify()
        assert not audit(wrong)
