"""Column generation alone: it closes small problems, and its bounds bracket their optimum."""

from itertools import count

import numpy as np
import pytest
from hypothesis import given, settings

import orr
from orr.kinds import Kinds
from orr.optimum.columns import generate
from orr.optimum.pool import Pool
from orr.problem import Problem
from tests.common import problems


def generated(problem, close=1e-4, room=1e9):
    """Generate columns from the levels alone, until the bounds are close; return the pool."""
    pool = Pool(problem, problem)
    pool.prove(np.rint(1_000 * problem.epsilons / problem.epsilons.max()) + 1)
    generate(pool, lambda lower, upper: upper - lower < close, lambda: room)
    return pool


@settings(max_examples=15)
@given(problems(max_k=6, max_size=8, min_level=0.1, max_level=6.0))
def test_columns_close_small_problems(problem):
    exact = orr.linear_program(*problem).solve().certificate
    assert exact.gap <= 1e-7
    pool = generated(Problem(*problem))
    lower, upper = np.logaddexp(0, pool.proved), np.logaddexp(0, pool.upper)
    assert lower <= exact.upper + 1e-9
    assert upper >= exact.lower - 1e-9
    assert upper - lower < 1e-4


@pytest.mark.parametrize(
    ("sizes", "levels"),
    [
        ([2, 3, 4, 5] * 3, [0.5, 1.0, 1.5, 2.0] * 3),
        ([2, 2, 9, 9, 5], [3.0, 3.0, 0.1, 0.1, 1.0]),
        ([6, 2, 2, 6, 2, 6], [1.83, 2.56, 0.22, 0.79, 4.04, 1.83]),
    ],
)
def test_columns_close_problems_with_equal_attributes(sizes, levels):
    exact, pool = orr.linear_program(sizes, levels).solve().certificate, generated(Problem(sizes, levels))
    assert np.logaddexp(0, pool.proved) <= exact.upper + 1e-9
    assert exact.lower - 1e-9 <= np.logaddexp(0, pool.upper) <= exact.upper + 1e-4
    kinds = Kinds(Problem(sizes, levels))
    np.testing.assert_array_equal(pool.proof, pool.proof[kinds.first][kinds.of])


def test_bounds_only_get_better():
    seen, problem = [], Problem([2, 3, 4, 5, 6], [0.5, 1.0, 1.5, 2.0, 0.3])
    pool, asked = Pool(problem, problem), count()
    pool.prove(np.ones(5))
    generate(pool, lambda *bounds: bool(seen.append(bounds)) or next(asked) > 30, lambda: 1e9)
    lower, upper = np.array(seen).T
    assert (np.diff(lower) >= 0).all()
    assert (np.diff(upper) <= 0).all()


def test_no_room_is_no_work():
    pool = generated(Problem([2, 3, 4], [0.5, 1.0, 1.5]), room=0.0)
    assert len(pool.columns) == 1
