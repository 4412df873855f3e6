"""What must hold for every mechanism."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import orr
from tests.common import CONSTRUCTIONS, brute_levels, flip_sets, problems, times

every_construction = pytest.mark.parametrize("construct", CONSTRUCTIONS.values(), ids=CONSTRUCTIONS)


@every_construction
@given(problem=problems(max_k=3, max_size=4))
def test_reported_levels_are_those_of_the_matrix(construct, problem):
    mechanism = construct(*problem)
    matrix = mechanism.matrix()
    np.testing.assert_allclose(matrix.sum(axis=0), 1, rtol=1e-12)
    overall, marginal, neighbour = brute_levels(matrix, tuple(mechanism.sizes))
    np.testing.assert_allclose(mechanism.epsilon, overall, atol=1e-10)
    np.testing.assert_allclose(mechanism.epsilons, marginal, atol=1e-10)
    np.testing.assert_allclose(mechanism.neighbour_epsilons, neighbour, atol=1e-10)


@every_construction
@given(problem=problems(max_k=4, max_size=4))
def test_flip_law_sums_to_one_and_gives_the_flip_probabilities(construct, problem):
    mechanism = construct(*problem)
    sizes = mechanism.sizes.tolist()
    sets = flip_sets(len(sizes))
    weights = np.array([times(sizes, s) * np.exp(mechanism.log_ratio(s)) for s in sets])
    law = weights / weights.sum()
    flips = np.array([[i in s for i in range(len(sizes))] for s in sets])
    np.testing.assert_allclose(law @ flips, mechanism.flip_probabilities, rtol=1e-9)


@given(problems(max_k=5))
def test_optimum_lies_between_floor_and_kronecker(problem):
    best = orr.linear_program(*problem).solve().epsilon
    assert orr.information_floor(*problem) < best <= orr.kronecker(*problem).epsilon + 1e-12


@given(problems(max_k=5))
def test_heuristic_is_not_below_the_optimum_at_its_achieved_levels(problem):
    heuristic = orr.inductive(*problem)
    best = orr.linear_program(problem[0], heuristic.epsilons).solve()
    assert best.epsilon - 1e-9 <= heuristic.epsilon


@given(problems(min_k=3, max_k=5, max_level=8.0))
def test_heuristic_is_optimal_where_flip_probabilities_sum_to_at_most_one(problem):
    heuristic = orr.inductive(*problem)
    best = orr.linear_program(problem[0], heuristic.epsilons).solve()
    spare = 1 - heuristic.flip_probabilities.sum()
    if spare >= 0:
        np.testing.assert_allclose(heuristic.epsilon, best.epsilon, atol=1e-9)
    elif spare < -1e-3 and heuristic.law.z0 > 1.001 * heuristic.law.z.max():
        assert heuristic.epsilon > best.epsilon + 1e-9


def test_heuristic_can_be_above_kronecker():
    heuristic = orr.inductive([2, 2, 2], [0.25, 0.25, 0.25])
    assert not heuristic.fell_back.any()
    np.testing.assert_allclose(heuristic.epsilon, 0.758983, atol=1e-6)
    assert heuristic.epsilon > heuristic.epsilons.sum()


@given(problems(max_k=5), st.randoms(use_true_random=False))
def test_optimum_does_not_depend_on_the_order(problem, random):
    sizes, levels = problem
    order = random.sample(range(len(sizes)), len(sizes))
    shuffled = [sizes[i] for i in order], [levels[i] for i in order]
    for construct in (orr.kronecker, lambda *p: orr.linear_program(*p).solve()):
        np.testing.assert_allclose(construct(*shuffled).epsilon, construct(*problem).epsilon, atol=1e-9)
    try:
        closed = orr.radius_one(*problem).epsilon
    except orr.NotApplicable:
        with pytest.raises(orr.NotApplicable):
            orr.radius_one(*shuffled)
    else:
        np.testing.assert_allclose(orr.radius_one(*shuffled).epsilon, closed, atol=1e-12)


@given(problems(max_k=5, max_level=9.0))
def test_radius_one_is_the_optimum_wherever_it_applies(problem):
    try:
        closed = orr.radius_one(*problem)
    except orr.NotApplicable:
        assume(False)
    best = orr.linear_program(*problem).solve()
    np.testing.assert_allclose(closed.epsilon, best.epsilon, atol=1e-9)
    np.testing.assert_allclose(closed.epsilons, problem[1])


@given(problems(min_k=2, max_k=2, max_size=30, max_level=9.0))
def test_radius_one_covers_every_pair(problem):
    closed, pair = orr.radius_one(*problem), orr.two_attribute(*problem)
    np.testing.assert_allclose(closed.epsilon, pair.epsilon, atol=1e-12)


def test_both_conditions_of_radius_one_are_needed():
    q = np.array([0.45, 0.45, 0.09])
    with pytest.raises(orr.NotApplicable, match="likelier than the truth"):
        orr.radius_one([2, 2, 2], np.log((1 - q) / q))


@given(problems(max_k=4))
def test_every_construction_beats_or_equals_the_neighbour_levels(problem):
    # n_i is at least e_i: a marginal ratio is a mean of neighbour ratios.
    for construct in CONSTRUCTIONS.values():
        mechanism = construct(*problem)
        assert (mechanism.neighbour_epsilons >= mechanism.epsilons - 1e-9).all()
        assert (mechanism.neighbour_epsilons <= mechanism.epsilon + 1e-9).all()


@given(problems(max_k=4, min_level=0.01, max_level=10.0))
def test_floor_is_the_mutual_information(problem):
    total = 0.0
    for size, level in zip(*problem, strict=True):
        channel = orr.kronecker([size], [level]).matrix()
        total += (channel * np.log(channel * size)).sum() / size
    np.testing.assert_allclose(orr.information_floor(*problem), total, rtol=1e-7, atol=1e-12)


def test_floor_of_tiny_levels_does_not_cancel():
    # For small levels the information is p (1 - p) e^2 / 2.
    for size in (2, 10_000):
        p = 1 - 1 / size
        np.testing.assert_allclose(orr.information_floor([size], [1e-9]), p * (1 - p) * 1e-18 / 2, rtol=1e-8)


def test_neighbour_levels_of_the_three_attribute_example():
    best = orr.linear_program([2, 3, 4], [1.0, 1.5, 2.0]).solve()
    np.testing.assert_allclose(best.neighbour_epsilons, [1.693, 2.483, 3.445], atol=5e-4)
    np.testing.assert_allclose(best.epsilon, 3.44477, atol=5e-6)
