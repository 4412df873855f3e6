"""Balls along the path: their bounds close, and rounding blurs no more than it may."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orr.optimum import column_generation as stages
from orr.optimum.central_path import Path
from orr.optimum.column_generation import accelerated, blurred, follow
from orr.optimum.pool import Pool
from orr.problem import Problem
from tests.common import examples


@examples(25)
@given(st.lists(st.floats(0.01, 30), min_size=1, max_size=8), st.floats(0.01, 3))
def test_rounding_blurs_the_edge_by_less_than_its_width(weights, load):
    weights, loads = np.array(weights), np.full(len(weights), load)
    unit, blur = blurred(weights, loads, 1e-6)
    part = weights / unit % 1
    assert blur**2 == pytest.approx(unit**2 * float(loads @ (part * (1 - part))))
    assert blur <= stages.BLUR
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
    for reach in (1.0, stages.REACH):
        monkeypatch.setattr(stages, "REACH", reach)
        pool = Pool(*[problem.part(np.lexsort((problem.epsilons, problem.sizes)))] * 2)
        path = Path.of(pool.kinds, pool.relaxed)
        follow(pool, path, 1e-4, lambda lower, upper: upper - lower < 1e-4, lambda: 1e9)
        assert 0 <= pool.upper - pool.proved < 1e-4
        pairs.append(path.cost)
    assert pairs[1] > 10 * pairs[0]  # the path itself need not come so far


def test_no_room_is_no_work():
    problem = Problem([2, 3, 4], [0.5, 1.0, 1.5])
    pool = Pool(problem, problem)
    follow(pool, Path.of(pool.kinds, pool.relaxed), 1e-3, lambda lower, upper: False, lambda: 0.0)
    assert len(pool.columns) == 1
