"""Balls along the path: their bounds close, and rounding blurs no more than it may."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orr.optimum import stages
from orr.optimum.path import Path
from orr.optimum.pool import Pool
from orr.optimum.stages import blurred, follow
from orr.problem import Problem


@settings(max_examples=25)
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
    follow(pool, Path.of(pool), 1e-3, lambda lower, upper: upper - lower < 1e-3, lambda: 1e9)
    assert 0 <= pool.upper - pool.proved < 1e-3


def test_no_room_is_no_work():
    problem = Problem([2, 3, 4], [0.5, 1.0, 1.5])
    pool = Pool(problem, problem)
    follow(pool, Path.of(pool), 1e-3, lambda lower, upper: False, lambda: 0.0)
    assert len(pool.columns) == 1
