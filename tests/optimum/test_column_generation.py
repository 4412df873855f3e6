"""Balls along the path: mixtures give the levels, bounds close, rounding blurs little."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orr.laws.ball import Ball
from orr.laws.ball_mixture import BallMixture
from orr.optimum import column_generation
from orr.optimum.central_path import Path
from orr.optimum.column_generation import Column, Pool, accelerated, blurred, follow
from orr.problem import Problem
from tests.common import examples, problems
from tests.exact.arithmetic import MP, number, optimum


@st.composite
def pools(draw, max_k=4):
    """Draw a pool with the balls of some weights, the same for equal attributes; and its problem."""
    sizes, levels = draw(problems(max_k=max_k, max_size=5, min_level=0.1, max_level=4.0))
    if draw(st.booleans()):
        sizes, levels = [*sizes, sizes[0]], [*levels, levels[0]]
    problem = Problem(sizes, levels)
    pool = Pool(problem, problem)
    n = len(pool.kinds)
    for _ in range(draw(st.integers(1, 5))):
        weights = np.array(draw(st.lists(st.integers(1, 20), min_size=n, max_size=n)), dtype=float)
        spread = weights[pool.kinds.of]
        pool.prove(spread)
        pool.add(Ball(problem, spread, max(math.ceil(spread @ problem.q), 1)))
    return pool


def exact_log_excess(problem):
    """Logarithm of the smallest excess, from the exact optimum."""
    level = optimum(problem.sizes.tolist(), problem.epsilons.tolist())
    return tuple(float(MP.log(MP.expm1(number(end)))) for end in level)


def flip_rates(problem, columns, masses):
    """Flip probabilities of a mixture of a uniform record and of balls, by listing all flip sets."""
    k = len(problem)
    flips = np.indices((2,) * k).reshape(k, -1).T
    uniform = np.where(flips, problem.p, 1 / problem.sizes).prod(axis=1)
    law = uniform.copy()
    for column, mass in zip(columns, masses, strict=True):
        with np.errstate(invalid="ignore"):
            weighed = np.where(flips, column.weights, 0).sum(axis=1)
        inside = Ball(problem, column.weights, column.states, column.edge).inside
        share = np.where(
            weighed < column.states, inside[np.minimum(weighed, column.states - 1).astype(int)], 0
        )
        law += mass * share * uniform / (share @ uniform)
    top = law / uniform
    return law @ flips / law.sum(), float(np.log(top.max() - 1))


@examples(40)
@given(pools())
def test_the_mixture_gives_every_attribute_its_level(pool):
    pool.mix()
    rates, _ = flip_rates(pool.asked, pool.best, pool.masses)
    assert (rates <= pool.asked.q * (1 + 1e-11)).all()


@examples(40)
@given(pools())
def test_bounds_lie_on_their_sides_of_the_optimum(pool):
    pool.mix()
    low, high = exact_log_excess(pool.asked)
    _, top = flip_rates(pool.asked, pool.best, pool.masses)
    assert top <= pool.upper + 1e-11  # balls that overlap add up
    assert pool.upper >= low - 1e-11
    assert pool.proved <= high


@examples(20)
@given(pools())
def test_equal_attributes_have_equal_weights(pool):
    for column in pool.columns:
        np.testing.assert_array_equal(column.weights, column.weights[pool.kinds.first][pool.kinds.of])
    np.testing.assert_array_equal(pool.proof, pool.proof[pool.kinds.first][pool.kinds.of])


def test_a_useless_column_is_no_harm():
    problem = Problem([2, 3, 4], [0.5, 1.0, 1.5])
    pool = Pool(problem, problem)
    pool.mix()  # nothing is proved yet, so there is no unit for costs
    assert math.isclose(pool.upper, math.log(problem.w.max()) + problem.log_records)
    pool.prove(np.array([1.0, 2.0, 3.0]))
    before = pool.upper
    pool.columns.append(Column(np.zeros(3), 1, 1.0, 0.0, np.array([-1.0, -1.0, -1.0])))
    pool.mix()
    assert pool.upper <= before
    assert not any(column.supply.max() < 0 for column in pool.best)
    pool.offer([pool.columns[-1]], np.ones(1))  # gives nothing: not kept
    assert pool.upper <= before
    assert not pool.prove(np.zeros(3))


def test_more_columns_are_never_worse():
    rng = np.random.default_rng(5)
    problem = Problem([2, 3, 4, 5], [0.5, 1.0, 1.5, 2.0])
    pool = Pool(problem, problem)
    uppers = []
    for _ in range(60):
        weights = np.rint(rng.uniform(5, 50, 4))
        pool.prove(weights)
        pool.add(Ball(problem, weights, math.ceil(weights @ problem.q)))
        pool.mix()
        uppers.append(pool.upper)
    assert uppers == sorted(uppers, reverse=True)


@examples(20)
@given(pools(), st.randoms(use_true_random=False))
def test_the_law_may_be_asked_in_any_order(pool, random):
    relaxed = pool.asked.relaxed(500.0)
    easy = Pool(relaxed, pool.asked)
    for column in pool.columns[1:]:
        easy.add(Ball(relaxed, column.weights, column.states))
    easy.proved, easy.proof = pool.proved, pool.proof
    easy.mix()
    order = np.array(random.sample(range(len(relaxed)), len(relaxed)))
    law = easy.law(pool.asked.part(order), order)
    assert isinstance(law, BallMixture)
    np.testing.assert_allclose(law.rates, pool.asked.q[order], rtol=1e-11)
    np.testing.assert_allclose(law.log_top, easy.upper, atol=1e-9)


@examples(25)
@given(st.lists(st.floats(0.01, 30), min_size=1, max_size=8), st.floats(0.01, 3))
def test_rounding_blurs_the_edge_by_less_than_its_width(weights, load):
    weights, loads = np.array(weights), np.full(len(weights), load)
    unit, blur = blurred(weights, loads, 1e-6)
    part = weights / unit % 1
    assert blur**2 == pytest.approx(unit**2 * float(loads @ (part * (1 - part))))
    assert blur <= column_generation.MAX_BLUR
    assert blurred(weights, loads, 5.0)[0] == 5


@pytest.mark.parametrize("high", [3.0, 30.0, 90.0])
def test_following_the_path_closes_the_bounds(high):
    rng = np.random.default_rng(8)
    levels = rng.uniform(0.5, 3, 25)
    levels[7] = high
    problem = Problem(rng.integers(2, 6, 25), levels)
    pool = Pool(*[problem.part(np.lexsort((problem.epsilons, problem.sizes)))] * 2)
    follow(
        pool, Path.of(pool.kinds, pool.relaxed), 1e-3, lambda lower, upper: upper - lower < 1e-3, lambda: 1e9
    )
    assert 0 <= pool.upper - pool.proved < 1e-3


@examples(25)
@given(st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_acceleration_solves_linear_equations(k, seed):
    """Steps with wrong derivatives lead to the root after one step more than there are unknowns."""
    rng = np.random.default_rng(seed)
    root, wrong = rng.normal(size=k), np.eye(k) + 0.5 * np.diag(rng.uniform(-1, 1, k))
    place, tried = np.zeros(k), []
    for _ in range(k + 1):
        tried.append((place, wrong @ (root - place)))
        place = place + accelerated(tried)
    np.testing.assert_allclose(place, root, atol=1e-6)


def test_looking_ahead_takes_fewer_stages(monkeypatch):
    rng = np.random.default_rng(8)
    problem = Problem(rng.integers(2, 6, 40), rng.uniform(0.5, 3, 40))
    pairs = []
    for reach in (1.0, column_generation.MAX_REACH):
        monkeypatch.setattr(column_generation, "MAX_REACH", reach)
        pool = Pool(*[problem.part(np.lexsort((problem.epsilons, problem.sizes)))] * 2)
        path = Path.of(pool.kinds, pool.relaxed)
        follow(pool, path, 1e-4, lambda lower, upper: upper - lower < 1e-4, lambda: 1e9)
        assert 0 <= pool.upper - pool.proved < 1e-4
        pairs.append(path.here.cost)
    assert pairs[1] > 10 * pairs[0]  # the path itself need not come so far


def test_no_room_is_no_work():
    problem = Problem([2, 3, 4], [0.5, 1.0, 1.5])
    pool = Pool(problem, problem)
    follow(pool, Path.of(pool.kinds, pool.relaxed), 1e-3, lambda lower, upper: False, lambda: 0.0)
    assert len(pool.columns) == 1
