"""The paper's matrices, and solutions with proofs."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import orr
from book import paper
from orr.constructions import linear_program
from orr.optimum.verify import lower_bound
from orr.problem import Problem
from tests.common import examples, flip_sets, problems

E1, E2, E3 = np.exp([1.0, 1.5, 2.0])


def test_printed_three_attribute_matrices():
    a1, a2, a3 = sizes = [2, 3, 4]
    program = orr.linear_program(sizes, [1.0, 1.5, 2.0])
    np.testing.assert_array_equal(
        program.A_ub.toarray(),
        [
            (-1, 1, 0, 0, 0, 0, 0),
            (-1, 0, 1, 0, 0, 0, 0),
            (-1, 0, 0, 1, 0, 0, 0),
            (0, -1, 0, 0, 1, 0, 0),
            (0, -1, 0, 0, 0, 1, 0),
            (0, 0, -1, 0, 1, 0, 0),
            (0, 0, -1, 0, 0, 0, 1),
            (0, 0, 0, -1, 0, 1, 0),
            (0, 0, 0, -1, 0, 0, 1),
            (0, 0, 0, 0, -1, 0, 0),
            (0, 0, 0, 0, 0, -1, 0),
            (0, 0, 0, 0, 0, 0, -1),
        ],
    )
    np.testing.assert_array_equal(program.b_ub, [0] * 9 + [-1] * 3)
    transposed = [
        (1, 1, 1),
        (-E1, a1 - 1, a1 - 1),
        (a2 - 1, -E2, a2 - 1),
        (a3 - 1, a3 - 1, -E3),
        (-(a2 - 1) * E1, -(a1 - 1) * E2, (a1 - 1) * (a2 - 1)),
        (-(a3 - 1) * E1, (a1 - 1) * (a3 - 1), -(a1 - 1) * E3),
        ((a2 - 1) * (a3 - 1), -(a3 - 1) * E2, -(a2 - 1) * E3),
    ]
    np.testing.assert_allclose(program.A_eq.toarray().T, transposed, rtol=1e-14)
    right = [(a2 - 1) * (a3 - 1) * E1, (a1 - 1) * (a3 - 1) * E2, (a1 - 1) * (a2 - 1) * E3]
    np.testing.assert_allclose(program.b_eq, right, rtol=1e-14)
    np.testing.assert_array_equal(program.c, [1, 0, 0, 0, 0, 0, 0])


@pytest.mark.parametrize("k", range(2, 8))
def test_matrices_equal_the_literal_algorithms(k):
    rng = np.random.default_rng(k)
    sizes, levels = rng.integers(2, 7, k), rng.uniform(0.1, 4, k)
    program = orr.linear_program(sizes, levels)
    A_ub, b_ub = paper.algorithm_1(k)
    A_eq, b_eq = paper.algorithm_2(sizes.tolist(), levels.tolist())
    np.testing.assert_array_equal(program.A_ub.toarray(), A_ub)
    np.testing.assert_array_equal(program.b_ub, b_ub)
    np.testing.assert_allclose(program.A_eq.toarray(), A_eq, rtol=1e-13)
    np.testing.assert_allclose(program.b_eq, b_eq, rtol=1e-13)
    assert program.flip_sets == flip_sets(k)


def check_solution(sizes, levels):
    program = orr.linear_program(sizes, levels)
    best = program.solve()
    x = np.exp([best.log_ratio(s) for s in program.flip_sets[:-1]])
    assert (program.A_ub @ x <= program.b_ub + 1e-9 * x.max()).all()
    scale = abs(program.A_eq).toarray() @ x
    np.testing.assert_allclose((program.A_eq @ x - program.b_eq) / scale, 0, atol=1e-11)
    # The choice among optima may cost half of the gap that is asked for.
    np.testing.assert_allclose(np.log(x[0]), best.epsilon, rtol=0, atol=1e-9)
    return best, x


@given(problems(max_k=6, max_size=9))
def test_solution_satisfies_the_papers_program(problem):
    best, _ = check_solution(*problem)
    assert best.certificate.gap < 1e-9


@examples(40)
@given(problems(max_k=5, max_size=5))
def test_solution_agrees_with_the_literal_program(problem):
    sizes, levels = problem
    x0 = paper.linear_program(sizes, levels)[0]
    best = orr.linear_program(sizes, levels).solve()
    np.testing.assert_allclose(best.epsilon, np.log(x0), atol=1e-6)


@examples(60)
@given(problems(max_k=8, max_size=50, min_level=0.01, max_level=12.0))
@example(([2, 2, 17, 18], [12.0, 0.015625, 7.0, 9.0]))  # a soft edge that rounding makes too dear
def test_certificate_closes_on_unequal_problems(problem):
    assert abs(orr.linear_program(*problem).solve().certificate.gap) < 1e-7


@pytest.mark.parametrize("seed", range(60))
def test_stubborn_problems_are_solved_in_another_way(seed):
    rng = np.random.default_rng(seed)
    sizes, levels = rng.integers(2, 300, 8), rng.uniform(0.1, 3, 8)
    assert abs(orr.linear_program(sizes, levels).solve().certificate.gap) < 1e-9


def test_bounds_hold_at_large_sizes():
    for sizes, levels in [([10**6, 3], [3.0, 1.0]), ([999_983, 3], [1.0, 1.0])]:
        certificate = orr.linear_program(sizes, levels).solve().certificate
        truth = orr.two_attribute(sizes, levels).epsilon
        assert certificate.lower <= truth
        np.testing.assert_allclose([certificate.lower, certificate.upper], truth, atol=1e-9)


def test_an_open_certificate_is_an_error(monkeypatch):
    monkeypatch.setattr(linear_program, "MAX_GAP", -1.0)
    with pytest.raises(orr.NotCertified, match="proved only to be between"):
        orr.linear_program([2, 3], [1.0, 1.0]).solve()


@given(problems(max_k=5), st.data())
def test_every_weight_vector_gives_a_lower_bound(problem, data):
    sizes, levels = problem
    k = len(sizes)
    weights = data.draw(st.lists(st.floats(0, 1), min_size=k, max_size=k).filter(lambda y: max(y) > 1e-3))
    bound = lower_bound(Problem(sizes, levels), np.array(weights))
    assert bound <= orr.linear_program(sizes, levels).solve().epsilon + 1e-9
    assert bound <= orr.kronecker(sizes, levels).epsilon


def test_weights_of_the_certificate_prove_its_lower_bound():
    sizes, levels = [2, 5, 4, 3], [2.0, 0.4, 3.0, 1.0]
    certificate = orr.linear_program(sizes, levels).solve().certificate
    bound = lower_bound(Problem(sizes, levels), certificate.weights)
    np.testing.assert_allclose(bound, certificate.lower, rtol=1e-13)


def test_free_riders_stay_monotone():
    # Attributes with tiny levels get weight 0, where HiGHS alone may answer with anything.
    best, _ = check_solution([4, 3, 4, 2, 6, 6], [0.2, 0.3, 0.2, 1.6, 7.8, 0.07])
    assert best.certificate.gap < 1e-9


def test_one_attribute():
    program = orr.linear_program([4], [1.5])
    np.testing.assert_array_equal(program.A_ub.toarray(), [[-1]])
    np.testing.assert_array_equal(program.b_ub, [-1])
    np.testing.assert_allclose(program.solve().epsilon, 1.5, atol=1e-9)


def test_sixteen_attributes():
    rng = np.random.default_rng(16)
    best = orr.linear_program(rng.integers(2, 6, 16), rng.uniform(1, 10, 16)).solve()
    assert abs(best.certificate.gap) < 1e-8


def test_too_many_attributes_are_refused():
    with pytest.raises(ValueError, match="up to 16 attributes, got 17"):
        orr.linear_program([2] * 17, [1.0] * 17)


@pytest.mark.parametrize("levels", [[700.0, 700.0], [700.0, 1e-9], [60.0, 50.0]])
def test_no_wrong_number_at_absurd_levels(levels):
    try:
        best = orr.linear_program([5, 7], levels).solve()
    except orr.NotCertified:
        return
    np.testing.assert_allclose(best.epsilon, orr.two_attribute([5, 7], levels).epsilon, atol=1e-7)


def test_overflowing_coefficients_are_an_error():
    program = orr.linear_program([10_000] * 12, [700.0] * 12)
    with pytest.raises(ValueError, match="overflow"):
        _ = program.A_eq
    assert program.solve().certificate.verify()  # there is a closed form
