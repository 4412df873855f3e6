"""The steps of the search, each on its own: bounds on their sides of the linear program's optimum."""

import numpy as np
import pytest
from hypothesis import given

import orr
from orr.optimum.laplace import Transform
from orr.optimum.search import Search
from orr.problem import Problem
from orr.progress import Clock
from tests.common import ball_pool, examples, problems


@examples(60)
@given(problems(max_k=8, max_size=50, min_level=0.01, max_level=12.0))
def test_the_method_for_many_attributes_is_right_for_few(problem):
    exact = orr.linear_program(*problem).solve().certificate
    run = Search(Problem(*problem), Clock(None), 1e-7)
    run.flip_sets()
    found = run.certified()
    assert found.certificate.lower <= exact.upper + 1e-9
    assert found.certificate.upper >= exact.lower - 1e-9
    assert found.certificate.gap < 1e-5
    assert found.certificate.verify()
    np.testing.assert_allclose(found.law.rates, found.flip_probabilities, rtol=1e-10)


@examples(20)
@given(problems(max_k=7, max_size=9, max_level=6.0))
def test_balls_bracket_the_linear_program(problem):
    _, pool = ball_pool(*problem)
    exact = orr.linear_program(*problem).solve().certificate
    assert np.logaddexp(0, pool.proved) <= exact.upper + 1e-9
    assert np.logaddexp(0, pool.upper) >= exact.lower - 1e-9


@pytest.mark.parametrize(
    ("sizes", "levels"),
    [
        ([3, 479056, 50, 117320, 2, 50], [0.1388, 0.4681, 0.2521, 1.7126, 3.8079, 0.0949]),
        ([211551, 4, 91, 36608, 53941], [1.985, 2.8252, 0.7266, 0.2126, 0.0924]),
    ],
)
def test_few_flip_sets_are_counted_one_by_one_however_far_apart_their_weights(monkeypatch, sizes, levels):
    integrals, blocks = [], Transform._blocks
    monkeypatch.setattr(Transform, "_blocks", lambda *given: integrals.append(1) or blocks(*given))
    best = orr.optimal(sizes, levels)
    assert not integrals
    assert best.certificate.gap <= 1e-8
    assert best.epsilon < 0.8 * sum(levels)
