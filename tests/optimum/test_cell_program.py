"""Flip sets near the edge: one optimum is chosen, whatever the order and however the levels are rounded."""

import dataclasses
import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

import orr
from orr.optimum.bound import whole
from orr.optimum.cell_program import CellProgram, falling, monotone
from orr.problem import Kinds, Problem
from tests.common import ball_mechanism, brute_levels, examples, flip_sets, problems, times

# Many optima, whose neighbour levels differ by nats.
SIZES, LEVELS = [6, 2, 2, 6, 2, 6], [1.83, 2.56, 0.22, 0.79, 4.04, 1.83]
NEIGHBOURS = [5.7405, 5.7405, 0.6149, 4.0151, 6.266, 5.7405]


def law_of(mechanism):
    """Exact-enough flip law of a mechanism, by its log ratios."""
    sizes = mechanism.sizes.tolist()
    sets = flip_sets(len(sizes))
    law = np.array([times(sizes, s) * np.exp(mechanism.log_ratio(s)) for s in sets])
    return sets, law / law.sum()


@examples(15)
@given(problems(max_k=5, max_size=4))
def test_laws_with_repairs_have_the_levels_asked(problem):
    kinds = Kinds(Problem(*problem))
    program = CellProgram(kinds, kinds.problem, np.ones(len(kinds)))
    program.run(lambda lower, upper: upper - lower < 0.3)  # far from the optimum: much to repair
    assume(program.upper < math.inf)
    for mechanism in (ball_mechanism(*problem), orr.Mechanism(program.law(Problem(*problem), 0.1))):
        sets, law = law_of(mechanism)
        flips = np.array([[i in s for i in range(len(problem[0]))] for s in sets])
        np.testing.assert_allclose(law @ flips, mechanism.flip_probabilities, rtol=1e-9)
        overall, _, neighbour = brute_levels(mechanism.matrix(), tuple(problem[0]))
        assert overall <= mechanism.epsilon + 1e-10
        assert (neighbour <= mechanism.neighbour_epsilons + 1e-10).all()
        for pair in ({0, 1}, set(range(len(problem[0])))):
            factor = [math.prod(1 - 1 / mechanism.problem.p[i] for i in pair & set(s)) for s in sets]
            np.testing.assert_allclose(mechanism.law.rho(pair), law @ factor, atol=1e-8)


SOLVERS = {
    "optimal": orr.optimal,
    "optimal, closely": lambda sizes, levels: orr.optimal(sizes, levels, rel_gap=1e-9),
    "linear program": lambda sizes, levels: orr.linear_program(sizes, levels).solve(),
}
every_solver = pytest.mark.parametrize("solver", SOLVERS.values(), ids=SOLVERS)


def ratios(mechanism, order=None):
    """Log ratios of all flip sets; ``order[i]`` is the attribute that stands at place i."""
    k = len(mechanism.sizes)
    order = range(k) if order is None else order
    place = {attribute: i for i, attribute in enumerate(order)}
    return np.array([mechanism.log_ratio([place[i] for i in flips]) for flips in flip_sets(k)])


def permuted(solver, sizes, levels, order):
    """Solve with the attributes in another order."""
    return solver([sizes[i] for i in order], [levels[i] for i in order])


def assert_permuted(one, other, order):
    """Check that one mechanism is the other, exactly, with its attributes in another order."""
    assert one.epsilon == other.epsilon
    assert one.certificate.method == other.certificate.method
    assert (one.certificate.lower, one.certificate.upper) == (
        other.certificate.lower,
        other.certificate.upper,
    )
    np.testing.assert_array_equal(one.neighbour_epsilons[order], other.neighbour_epsilons)
    weights = one.certificate.weights
    assert (weights is None) == (other.certificate.weights is None)
    if weights is not None and one.certificate.method != "at most one flip":  # whose weights single one out
        np.testing.assert_array_equal(weights[order], other.certificate.weights)
    np.testing.assert_array_equal(ratios(one), ratios(other, order))


@every_solver
def test_one_optimum_is_chosen(solver):
    best = solver(SIZES, LEVELS)
    np.testing.assert_allclose(best.neighbour_epsilons, NEIGHBOURS, rtol=0, atol=1e-3)
    assert np.ptp(best.neighbour_epsilons[[0, 5]]) == 0  # of the same size and level


@every_solver
def test_the_chosen_optimum_is_permuted_with_its_attributes(solver):
    one = solver(SIZES, LEVELS)
    for order in list(permutations(range(6)))[::103]:
        assert_permuted(one, permuted(solver, SIZES, LEVELS, order), list(order))


@every_solver
@pytest.mark.parametrize("i", range(6))
def test_the_chosen_optimum_hardly_moves_with_a_level(solver, i):
    one = solver(SIZES, LEVELS)
    for move in (1e-7, -1e-7):
        levels = [e + move * (j == i) for j, e in enumerate(LEVELS)]
        assert_close(one, solver(SIZES, levels))


def assert_close(one, other):
    """Check that two mechanisms have nearly the same levels, and were found in the same way."""
    assert type(one.law) is type(other.law)
    assert one.certificate.method == other.certificate.method
    np.testing.assert_allclose(one.epsilon, other.epsilon, rtol=0, atol=1e-3)
    np.testing.assert_allclose(one.neighbour_epsilons, other.neighbour_epsilons, rtol=0, atol=1e-3)


@examples(25)
@given(problems(min_k=3, max_k=7, max_size=9), st.randoms(use_true_random=False))
@example(([2, 3, 3, 2, 5], [0.5, 1.0, 1.0, 0.5, 2.0]), None)
def test_any_optimum_is_permuted_with_its_attributes(problem, random):
    sizes, levels = problem
    k = len(sizes)
    order = list(range(k))[::-1] if random is None else random.sample(range(k), k)
    assert_permuted(orr.optimal(*problem), permuted(orr.optimal, sizes, levels, order), order)


@examples(25)
@given(problems(min_k=3, max_k=7, max_size=9), st.integers(0, 6))
@example(([2, 6, 2, 9, 6, 5], [2.0, 1.0, 2.0, 0.5, 1.0, 0.1]), 4)
@example(([5, 2, 6, 7, 8], [0.1, 2.0, 1.0, 0.1, 1.0]), 1)
def test_any_optimum_hardly_moves_with_a_level(problem, i):
    sizes, levels = problem
    moved = [e + 1e-7 * (j == i % len(sizes)) for j, e in enumerate(levels)]
    one, other = orr.optimal(sizes, levels), orr.optimal(sizes, moved)
    if one.certificate.method == "attributes alike":  # no longer
        same = dataclasses.replace(one.certificate, method=other.certificate.method)
        vars(one)["_certificate"] = same
    assert_close(one, other)


@examples(10)
@given(problems(min_k=3, max_k=6, max_size=9))
def test_no_flip_makes_a_record_likelier(problem):
    best, k = orr.optimal(*problem), len(problem[0])
    for flips in flip_sets(k):
        for i in set(range(k)) - set(flips):
            assert best.log_ratio({*flips, i}) <= best.log_ratio(flips) + 1e-12


@examples(15)
@given(problems(min_k=2, max_k=3, max_size=9), st.integers(2, 3))
def test_equal_attributes_have_equal_neighbour_levels(problem, copies):
    best = orr.optimal(problem[0] * copies, problem[1] * copies)
    levels = best.neighbour_epsilons.reshape(copies, -1)
    np.testing.assert_array_equal(levels, np.broadcast_to(levels[0], levels.shape))


def test_the_choice_costs_no_more_than_is_said():
    for seed in range(5):
        rng = np.random.default_rng(seed)
        problem = rng.integers(2, 6, 6), rng.uniform(0.5, 3, 6)
        best = orr.optimal(*problem)
        assert best.certificate.gap <= 2.1e-7 * best.epsilon
        assert orr.optimal(*problem, gap=1e-9).certificate.gap <= 1e-9


@examples(40)
@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0.01, 1)), min_size=1, max_size=8))
def test_means_of_neighbours_fall_and_keep_their_mass(pairs):
    values, chances = np.array(pairs).T
    fallen = falling(values, chances)
    assert (np.diff(fallen) <= 1e-15).all()
    np.testing.assert_allclose(fallen @ chances, values @ chances, atol=1e-13)
    # No prefix loses mass: it only moves towards the truth.
    assert (np.cumsum(fallen * chances) >= np.cumsum(values * chances) - 1e-13).all()
    np.testing.assert_allclose(falling(fallen, chances), fallen)


@examples(30)
@given(problems(min_k=2, max_k=4), st.data())
def test_mended_shares_never_rise_and_cost_nothing(problem, data):
    sizes, levels = problem
    kinds = Kinds(Problem([*sizes, sizes[0]], [*levels, levels[0]]))
    shape = tuple((kinds.count + 1).tolist())
    cells = np.indices(shape).reshape(len(shape), -1).T
    shares = np.array(data.draw(st.lists(st.floats(0.01, 1), min_size=len(cells), max_size=len(cells))))
    kept = np.array(data.draw(st.lists(st.booleans(), min_size=len(cells), max_size=len(cells))))
    assume(kept.any())
    mended, values = monotone(kinds, cells[kept], shares[kept])
    cube = np.zeros(shape)
    cube[tuple(mended.T)] = values
    for axis in range(len(shape)):
        assert (np.diff(cube, axis=axis) <= 1e-15).all()
    assert values.max() <= shares[kept].max() * (1 + 1e-15)
    old, new = (np.exp(kinds.log_uniform(c)) * s for c, s in ((cells[kept], shares[kept]), (mended, values)))
    np.testing.assert_allclose(new.sum(), old.sum())
    assert (new @ mended <= old @ cells[kept] * (1 + 1e-13)).all()


def test_weights_are_rounded_to_whole_numbers():
    weights = whole(np.array([1.0, 0.3, 1e-30]), np.array([0.2, 0.4, 0.1]))
    np.testing.assert_array_equal(weights, np.rint(weights))
    np.testing.assert_allclose(weights[:2] @ [0.2, 0.4], 2.0**44)
