"""The optimum at any number of attributes: golden values, brackets, proofs, hard inputs, mutants."""

import copy
import dataclasses
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import orr
from orr.laws.ball_mixture import BallMixture
from orr.laws.cells import Cells
from orr.rounding import Unsound
from tests.chance import fits, seed
from tests.common import CASES, ball_mechanism, examples, flip_sets, problems, some_slow


def draw(k, seed, low=1.0, high=10.0):
    """Sizes from {2, ..., 5} and levels uniform on [low, high)."""
    rng = np.random.default_rng(seed)
    return rng.integers(2, 6, k), rng.uniform(low, high, k)


HARDEST = next(case for case in CASES if case["id"] == "pub-043")


@pytest.mark.parametrize("case", some_slow(CASES, HARDEST), ids=lambda case: case["id"])
def test_golden(case):
    best = orr.optimal(case["sizes"], case["epsilons"], rel_gap=1e-9)
    truth, certificate = case["values"]["optimal_eps"], best.certificate
    np.testing.assert_allclose(best.epsilon, truth, rtol=1e-9, atol=1e-12)
    assert certificate.lower <= case["values"].get("optimal_upper", truth) + 1e-11
    assert certificate.upper >= case["values"].get("optimal_lower", truth) - 1e-11
    assert certificate.rel_gap <= 1e-9
    assert certificate.verify()
    np.testing.assert_allclose(best.law.rates, best.flip_probabilities, rtol=1e-11)
    if case["values"]["optimal_unique"]:
        expected = case["values"]["optimal_neighbour_levels"]
        np.testing.assert_allclose(best.neighbour_epsilons, expected, atol=1e-7)


@examples(60)
@given(problems(max_k=8, max_size=50, min_level=0.01, max_level=12.0))
def test_bounds_bracket_the_linear_program(problem):
    exact = orr.linear_program(*problem).solve().certificate
    best = orr.optimal(*problem)
    assert best.certificate.lower <= exact.upper + 1e-9
    assert best.certificate.upper >= exact.lower - 1e-9
    assert best.certificate.rel_gap <= 1e-4
    assert best.certificate.verify()
    np.testing.assert_allclose(best.epsilons, problem[1], rtol=1e-12)


@examples(30)
@given(problems(max_k=6, max_size=9), st.randoms(use_true_random=False))
def test_permuting_the_input_permutes_the_output(problem, random):
    sizes, levels = problem
    order = random.sample(range(len(sizes)), len(sizes))
    for found in (orr.optimal, ball_mechanism):
        one = found(sizes, levels)
        other = found([sizes[i] for i in order], [levels[i] for i in order])
        np.testing.assert_allclose(one.epsilon, other.epsilon, rtol=1e-14)
        for flips in flip_sets(len(sizes)):
            moved = {order.index(i) for i in flips}
            atol = 1e-13 * max(1, sum(levels))  # logarithms of that size are added in another order
            np.testing.assert_allclose(one.log_ratio(flips), other.log_ratio(moved), rtol=0, atol=atol)


def test_permuting_a_hundred_attributes_changes_nothing():
    sizes, levels = draw(100, 1)
    order = np.random.default_rng(2).permutation(100)
    one, other = orr.optimal(sizes, levels), orr.optimal(sizes[order], levels[order])
    assert one.epsilon == other.epsilon
    np.testing.assert_array_equal(one.certificate.weights[order], other.certificate.weights)
    np.testing.assert_array_equal(one.law.rates[order], other.law.rates)


@pytest.mark.parametrize(
    ("sizes", "levels"),
    [([2, 2, 2, 3], [0.3, 0.3, 0.3, 0.1]), ([3] * 4 + [5] * 3, [1.0] * 4 + [0.5] * 3)],
)
def test_equal_attributes_are_treated_alike(sizes, levels):
    best = orr.optimal(sizes, levels, rel_gap=1e-9)
    exact = orr.linear_program(sizes, levels).solve()
    np.testing.assert_allclose(best.epsilon, exact.epsilon, atol=1e-8)
    for flips in flip_sets(len(sizes)):
        swapped = {1 - i if i < 2 else i for i in flips}
        assert best.log_ratio(flips) == best.log_ratio(swapped)


def test_equal_attributes_of_a_hundred_are_treated_alike():
    sizes, levels = draw(50, 1)
    best = orr.optimal(np.tile(sizes, 2), np.tile(levels, 2))
    assert best.certificate.method == "balls"
    for values in (best.law.rates, best.neighbour_epsilons, best.certificate.weights):
        np.testing.assert_array_equal(values[:50], values[50:])


@pytest.mark.parametrize(
    ("k", "gap"), some_slow([(17, 1e-8), (30, 1e-8), (60, 1e-8), (100, 1e-3), (300, 0.01)], (60, 1e-8))
)
def test_gaps_that_were_asked_are_reached(k, gap):
    sizes, levels = draw(k, k)
    best = orr.optimal(sizes, levels, rel_gap=gap / levels.sum())
    assert best.certificate.gap <= gap
    assert best.certificate.verify()
    assert orr.information_floor(sizes, levels) < best.certificate.lower
    np.testing.assert_allclose(best.law.rates, best.flip_probabilities, rtol=1e-9)


@pytest.mark.statistical
@pytest.mark.parametrize("k", some_slow([200, 1000], 1000))
def test_hundreds_of_attributes(k):
    sizes, levels = draw(k, 7)
    best = orr.optimal(sizes, levels)
    certificate = best.certificate
    assert certificate.rel_gap <= 1e-4
    assert certificate.verify()
    assert certificate.weights.dtype == np.float64
    records = np.random.default_rng(1).integers(0, sizes, (4000, k))
    released = best.perturb(records, seed(3))
    flipped = (released != records).sum(axis=0)
    assert fits(flipped, 4000, best.flip_probabilities).all()


def test_the_closed_form_of_equal_attributes():
    q, k, d = Fraction(2, 5), 7, Fraction(1, 10)  # binary, exp(level) = 3/2
    short = sum((k * q - s) * math.comb(k, s) * Fraction(1, 2**k) for s in range(k + 1) if s < k * q)
    best = orr.optimal([2] * k, [math.log(1.5)] * k)
    assert best.certificate.method == "attributes alike"
    np.testing.assert_allclose(best.epsilon, math.log(1 + k * d / short), rtol=1e-12)
    np.testing.assert_allclose(best.epsilon, orr.linear_program([2] * k, [math.log(1.5)] * k).solve().epsilon)


@pytest.mark.parametrize("k", [100, 10_000, 100_000])
def test_many_equal_attributes_approach_the_floor(k):
    best = orr.optimal([4] * k, [2.0] * k)
    floor = orr.information_floor([4] * k, [2.0] * k)
    assert 1.5 < (best.epsilon - floor) / math.log(k) < 1.8
    assert best.certificate.gap < 1e-8
    assert best.certificate.verify()


HARD = {
    "a tiny level among high ones": ([4] * 20, [1e-6] + [10.0] * 19, 1e-9),
    "a tiny level among different high ones": (draw(20, 1)[0], [1e-6, *draw(19, 1, 9, 11)[1]], 1e-4),
    "sizes 2 next to 10,000": ([2, 10_000] * 3, [1.0, 3.0, 2.0, 6.0, 0.5, 1.0], 1e-6),
    "many sizes 2 next to 10,000": ([2, 10_000] * 20, np.linspace(0.1, 6, 40), 0.05),
    "all levels 0.01": (draw(1000, 3)[0], [0.01] * 1000, 1e-3),
    "all levels 50": (draw(200, 4)[0], [50.0] * 200, 1e-9),
    "duplicates": ([2, 3, 4, 5] * 10, [0.5, 1.0, 1.5, 2.0] * 10, 1e-4),
    "one attribute": ([7], [0.3], 1e-9),
    "two attributes": ([7, 2], [0.3, 5.0], 1e-9),
    "the highest levels": ([2, 3, 5] * 10, [700.0] * 30, 1e-9),
    "the lowest levels": ([2, 3, 5] * 10, np.linspace(1e-9, 2e-9, 30), 1e-3),
    "both": ([2, 3, 5], [700.0, 1e-12, 3.0], 0.01),
    "levels far apart": ([102, 86978, 913], [0.1025, 0.1147, 31.8787], 1e-6),
    "many levels far apart": (
        [577, 195, 44, 5, 5165, 26, 6, 804710],
        [19.6325, 0.2167, 0.5524, 0.0572, 44.5297, 0.1296, 12.3241, 5.8178],
        1e-6,
    ),
    "a level of hundreds": ([2429, 76, 16], [466.9917, 1.0387, 0.0048], 1e-6),
    "a few lies of many": (draw(300, 5, 7, 9)[0], draw(300, 5, 7, 9)[1], 1e-3),
}


@pytest.mark.parametrize("name", some_slow(HARD, "all levels 0.01", "the lowest levels"))
def test_hard_inputs_are_answered(name):
    sizes, levels, rel_gap = HARD[name]
    best = orr.optimal(sizes, levels, rel_gap=max(rel_gap, 1e-4))
    certificate = best.certificate
    assert certificate.rel_gap <= max(rel_gap, 1e-13)
    assert certificate.verify()
    assert certificate.lower <= certificate.upper <= best.epsilon <= sum(levels) * (1 + 1e-9)
    for values in (best.neighbour_epsilons, best.epsilons, best.law.rates):
        assert np.isfinite(values).all()
    np.testing.assert_allclose(best.law.rates, best.flip_probabilities, rtol=1e-9)
    released = best.perturb(np.zeros((20, len(sizes)), dtype=int), 1)
    assert ((released >= 0) & (released < np.array(sizes))).all()


@pytest.mark.parametrize("k", [2, 12, 40, 300])
def test_no_time_is_no_error(k):
    sizes, levels = draw(k, k, 0.5, 4)
    hasty = orr.optimal(sizes, levels, rel_gap=1e-9, time_limit=0.001)
    patient = orr.optimal(sizes, levels, rel_gap=1e-4)
    assert hasty.certificate.verify()
    assert hasty.certificate.lower <= patient.certificate.upper
    assert hasty.certificate.upper >= patient.certificate.lower
    np.testing.assert_allclose(hasty.law.rates, hasty.flip_probabilities, rtol=1e-9)


def test_progress_goes_to_standard_error(capsys):
    orr.optimal(*draw(40, 1, 0.5, 2), progress=True)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert " to " in captured.err
    orr.optimal(*draw(40, 1, 0.5, 2))
    assert capsys.readouterr().err == ""


def spread(rng, low, high, k):
    """Numbers whose logarithms are even."""
    return np.exp(rng.uniform(math.log(low), math.log(high), k))


FAMILIES = {
    "paper": lambda rng, k: (rng.integers(2, 6, k), rng.uniform(1, 10, k)),
    "levels 4 to 5": lambda rng, k: (rng.integers(2, 6, k), rng.uniform(4, 5, k)),
    "levels 0.1 to 1": lambda rng, k: (rng.integers(2, 6, k), rng.uniform(0.1, 1, k)),
    "levels of all sizes": lambda rng, k: (rng.integers(2, 51, k), spread(rng, 0.01, 12, k)),
    "sizes of all sizes": lambda rng, k: (spread(rng, 2, 1e4, k).astype(int), rng.uniform(0.5, 6, k)),
    "four kinds": lambda rng, k: ([2, 3, 4, 5] * (k // 4), [0.5, 1.0, 2.0, 4.0] * (k // 4)),
    "levels 0.01 to 0.1": lambda rng, k: (rng.integers(2, 6, k), rng.uniform(0.01, 0.1, k)),
    "halves": lambda rng, k: (
        rng.integers(2, 51, k),
        np.concatenate([rng.uniform(0.01, 0.2, k // 2), rng.uniform(6, 12, k // 2)]),
    ),
}


@pytest.mark.parametrize("k", [20, 40])
@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_is_closed(family, k):
    best = orr.optimal(*FAMILIES[family](np.random.default_rng(k), k))
    assert best.certificate.rel_gap <= 1e-4
    assert best.certificate.verify()
    assert best.certificate.weights.dtype == np.float64


@pytest.mark.parametrize("k", [20, 40])
@pytest.mark.parametrize("family", ["paper", "levels 0.1 to 1", "four kinds"])
def test_gaps_in_nats_are_reached(family, k):
    best = orr.optimal(*FAMILIES[family](np.random.default_rng(k), k), gap=1e-6)
    assert best.certificate.gap <= 1e-6
    assert best.certificate.verify()


@pytest.mark.parametrize(
    ("sizes", "levels", "method"),
    [
        ([2, 3, 4], [1.0, 1.5, 2.0], "at most one flip"),
        ([3] * 20, [1.0] * 20, "attributes alike"),
        ([2, 2, 2, 3], [0.3, 0.31, 0.32, 0.1], "flip sets"),
        (*draw(60, 2, 0.5, 3), "balls"),
    ],
)
def test_weights_are_doubles_whatever_the_method(sizes, levels, method):
    certificate = orr.optimal(sizes, levels).certificate
    assert certificate.method == method
    assert certificate.weights.dtype == np.float64


def test_little_time_is_kept_to():
    sizes, levels = FAMILIES["levels of all sizes"](np.random.default_rng(1), 60)
    hasty = orr.optimal(sizes, levels, time_limit=0.01)
    assert hasty.certificate.verify()
    patient = orr.optimal(sizes, levels, rel_gap=1e-2)
    assert hasty.certificate.lower <= patient.certificate.upper
    assert hasty.certificate.upper >= patient.certificate.lower


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [(n, v, e) for n in ("rel_gap", "gap", "time_limit") for v, e in (
        (0, ValueError), (-1.0, ValueError), (math.nan, ValueError), (math.inf, ValueError),
        ("1", TypeError), (True, TypeError))] + [("rel_gap", None, TypeError)],
)  # fmt: skip
def test_bad_limits(name, value, error):
    with pytest.raises(error, match=f"{name} = .* must be a positive number"):
        orr.optimal([2, 3], [1.0, 1.0], **{name: value})


def test_a_certificate_that_claims_too_much_is_refuted():
    for k, span in ((5, (0.5, 2)), (30, (1, 10)), (60, (0.5, 3))):
        honest = orr.optimal(*draw(k, 2, *span)).certificate
        assert honest.verify()
        claim = {"lower": honest.lower + honest.gap + 1e-6}
        assert not dataclasses.replace(honest, **claim).verify()
        assert not dataclasses.replace(honest, upper=honest.lower - 1e-6).verify()


def spoiled(law, **changes):
    """A copy of a law with other numbers, which it did not check."""
    other = copy.copy(law)
    other.__dict__.update(changes)
    return other


def test_a_law_that_lies_about_its_levels_is_refuted():
    best = orr.optimal(*draw(60, 2, 0.5, 3))
    ball = best.law
    assert isinstance(ball, BallMixture)
    with pytest.raises(Unsound, match="may miss its level"):
        BallMixture(ball.problem, ball.balls, ball.masses * 0.99)
    assert not dataclasses.replace(best.certificate, law=spoiled(ball, masses=ball.masses * 0.99)).verify()
    assert not dataclasses.replace(best.certificate, law=spoiled(ball, stay=np.ones_like(ball.stay))).verify()
    listed = orr.optimal(*draw(30, 1))
    cells = listed.law
    assert isinstance(cells, Cells)
    with pytest.raises(Unsound, match="may miss its level"):
        Cells(cells.problem, cells.kinds, cells.cells, cells.log_excess - 0.01)
    lower = spoiled(cells, log_excess=cells.log_excess - 0.01)
    assert not dataclasses.replace(listed.certificate, law=lower).verify()


def test_weights_that_do_not_prove_the_bound_are_refuted():
    honest = orr.optimal(*draw(30, 1), rel_gap=1e-8).certificate
    wrong = honest.weights.copy()
    wrong[np.argsort(wrong)[:15]] *= 2
    assert not dataclasses.replace(honest, weights=wrong).verify()


@pytest.mark.parametrize(
    ("sizes", "levels", "most"),
    [
        ([10**6] * 3, [2.3466282249064294, 2.3466282249094292, 2.3466282249064294], 2.3467),
        ([3, 10**6, 10**6, 3, 10**6, 3, 10**6, 3], [0.1, 2, 2, 0.1, 2, 0.1, 2, 0.1], 2.0346),
        ([10000, 2, 10000, 2, 50], [4, 50, 1, 1e-9, 700], 705.5),
    ],
    ids=["nearly equal", "two kinds", "the highest level"],
)
def test_a_first_step_that_fails_is_not_the_last(sizes, levels, most):
    best = orr.optimal(sizes, levels)
    assert best.epsilon < most < sum(levels)
    assert best.certificate.rel_gap < 1e-3
    assert best.certificate.verify()
