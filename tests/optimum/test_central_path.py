"""The path: the guarantee at a settled point, laws that never rise, and bounds that close."""

import math

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

import orr
from orr.laws.ball import Ball
from orr.optimum.central_path import Path, Position, grown, start
from orr.problem import Kinds, Problem
from tests.common import examples, problems
from tests.optimum.test_laplace import model_of


def settled(kinds, stages=1):
    """Settle the path closely after some stages."""
    path = Path(model_of(kinds), start(kinds.problem))
    for stage in range(stages):
        if stage:
            path.narrow()
        path.settle(tol=1e-9)
    return path


def log_hard(path):
    """Logarithm of ``E[x^+]``."""
    x = path.model.pull @ path.here.weights
    return math.log(np.exp(path.model.log_uniform) @ np.maximum(x, 0))


@examples(40)
@given(problems(max_k=6, max_size=6, min_level=0.3, max_level=4.0), st.integers(1, 6))
def test_the_gap_at_a_settled_point_is_what_the_edge_costs(problem, stages):
    path = settled(Kinds(Problem(*problem)), stages)
    model, weights, point = path.model, path.here.weights, path.here.point
    lower = math.log(weights @ model.need) - log_hard(path)
    cost = log_hard(path) - point.log_mass - math.log(weights @ point.slope)
    assert cost > -1e-12
    assert path.here.scaling_cost < 1e-8
    assert path.here.upper - lower == pytest.approx(cost, abs=1e-8)
    assert cost <= 2 * path.here.cost + 1e-12  # since x^+ is below the smooth function
    # The law is that of the docstring, and gives every attribute its level.
    g = scipy.special.expit(model.pull @ weights) * np.exp(model.log_uniform)
    np.testing.assert_allclose(g @ model.pull / g.sum(), point.slope, atol=1e-10 * model.pull.max())
    exact = orr.linear_program(*problem).solve().certificate
    assert np.logaddexp(0, lower) <= exact.upper + 1e-9
    assert np.logaddexp(0, path.here.upper) >= exact.lower - 1e-9


def test_the_bounds_close_along_the_path():
    rng = np.random.default_rng(4)
    kinds = Kinds(Problem(rng.integers(2, 6, 10), rng.uniform(0.5, 3, 10)))
    path, uppers, lowers = settled(kinds), [], []
    for _ in range(8):
        uppers.append(path.here.upper)
        lowers.append(math.log(path.here.weights @ path.model.need) - log_hard(path))
        path.narrow()
        path.settle(tol=1e-9)
    assert (np.diff(uppers) < 1e-9).all()  # as closely as they are settled
    assert (np.diff(lowers) > -1e-9).all()
    exact = np.log(np.expm1(orr.optimal(kinds.whole.sizes, kinds.whole.epsilons, rel_gap=1e-9).epsilon))
    assert uppers[-1] - exact < 1e-6
    # The limit of the tangent proves far more than the weights themselves.
    limit = path.here.limit
    x = path.model.pull @ limit
    proved = math.log(limit @ path.model.need) - math.log(np.exp(path.model.log_uniform) @ np.maximum(x, 0))
    assert exact - proved < 0.1 * (exact - lowers[-1])


@examples(20)
@given(problems(max_k=5, max_size=6, min_level=0.2), st.integers(1, 5))
def test_no_flip_makes_a_soft_law_larger(problem, stages):
    kinds = Kinds(Problem(*problem))
    path = settled(kinds, stages)
    assert (path.here.weights >= 0).all()
    shape = tuple(kinds.count + 1)
    log_g = -np.logaddexp(0, -path.model.pull @ path.here.weights).reshape(shape)
    for axis in range(len(shape)):
        assert (np.diff(log_g, axis=axis) <= 1e-14).all()
    edge = Ball.soft(
        kinds.whole, path.here.weights[kinds.of], float(path.here.weights @ path.model.load), 1.0
    ).inside
    assert (np.diff(edge) <= 0).all()


def test_the_tangent_is_the_derivative_of_the_path():
    kinds = Kinds(Problem([2, 3, 4, 5, 2], [0.5, 1.0, 1.5, 2.0, 3.0]))
    path = settled(kinds, 3)
    weights, need, tangent = path.here.weights, path.model.need, path.here.tangent
    path.move(weights * (1 + 1e-4 * tangent))
    assert path.here.weights @ need == pytest.approx(1.0001 * (weights @ need), rel=1e-9)
    before = path.here.weights
    path.settle(tol=1e-13)
    np.testing.assert_allclose(path.here.weights, before, rtol=1e-6)  # a hundredth of what it moved


def test_the_widest_edge_of_a_level_is_found():
    kinds = Kinds(Problem([2, 3, 4, 5, 2], [0.5, 1.0, 1.5, 2.0, 3.0]))
    path = settled(kinds, 2)
    wider = path.here.weights
    path.narrow()
    path.settle(tol=1e-12)
    level = 0.5 * path.here.upper + 0.5 * settled(kinds, 2).here.upper
    path.widen(wider, level, 1e-12)
    assert path.here.upper <= level
    path.move(path.here.weights / 1.01)
    path.settle(tol=1e-12)
    assert path.here.upper > level


def test_a_move_leaves_weights_positive():
    move = np.array([-50.0, -0.6, -0.5, -0.1, 0.0, 2.0])
    assert (grown(move) > 0).all()
    np.testing.assert_allclose(grown(move)[2:], 1 + move[2:])
    assert (np.diff(grown(np.linspace(-3, 3, 601))) > 0).all()


def test_a_spoiled_tangent_is_caught(monkeypatch):
    """The mutant stays on the path, but takes the weights themselves for the limit."""
    monkeypatch.setattr(Position, "tangent", property(lambda here: np.ones(len(here.weights))))
    with pytest.raises(AssertionError):
        test_the_tangent_is_the_derivative_of_the_path()
    with pytest.raises(AssertionError):
        test_the_bounds_close_along_the_path()
