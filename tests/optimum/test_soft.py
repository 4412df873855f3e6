"""The soft edge: derivatives, moments, the guarantee at a settled point, and laws that never rise."""

import math
from itertools import product

import numpy as np
import pytest
import scipy
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from orr.kinds import Kinds
from orr.laws.ball import Ball
from orr.optimum import model as model_module
from orr.optimum import soft
from orr.optimum.model import Counted, Listed, moments
from orr.optimum.pool import Pool
from orr.optimum.soft import settle, soften
from orr.problem import Problem
from tests.common import problems
from tests.exact.arithmetic import MP


def all_cells(kinds):
    return np.array(list(product(*(range(n + 1) for n in kinds.count))))


def model_of(kinds):
    """A model that lists every cell of some kinds."""
    load, need = (kinds.count * x for x in (kinds.problem.q, kinds.problem.d))
    return Listed(kinds, load, need, all_cells(kinds))


@st.composite
def smooth(draw, max_k=5, min_level=0.2):
    """Draw a model, and weights and a width for it."""
    sizes, levels = draw(problems(max_k=max_k, max_size=6, min_level=min_level))
    twice = draw(st.booleans())
    kinds = Kinds(Problem(sizes * (1 + twice), levels * (1 + twice)))
    weights = draw(st.lists(st.floats(0.01, 3), min_size=len(kinds), max_size=len(kinds)))
    return kinds, np.array(weights), draw(st.floats(0.02, 1))


def expectation(model, weights, width):
    """The smooth expectation and ``E[g]``, in high precision."""
    total, mass = MP.zero, MP.zero
    for cell, log_chance in zip(model.pull, model.log_uniform, strict=True):
        x = MP.fsum(MP.mpf(c) * w for c, w in zip(cell, weights, strict=True)) / width
        chance = MP.exp(MP.mpf(log_chance))
        total += chance * width * MP.log1p(MP.exp(x))
        mass += chance / (1 + MP.exp(-x))
    return total, mass


def moved(weights, *steps):
    """Weights in high precision, some of them moved."""
    new = [MP.mpf(w) for w in weights]
    for i, step in steps:
        new[i] += step
    return new


@settings(max_examples=12)
@given(smooth(max_k=3))
def test_slopes_and_bends_are_derivatives(case):
    kinds, weights, width = case
    model, h = model_of(kinds), MP.mpf(10) ** -20
    here, mass = expectation(model, weights, width)
    point, slope = model.at(weights, width), model.at(weights, width).slope()
    bend, edge = model.bend(weights, width)
    np.testing.assert_allclose(point.log_mass, float(MP.log(mass)), atol=1e-12)
    np.testing.assert_allclose(point.log_soft, float(MP.log(here)), atol=1e-12)
    size = float(np.abs(model.pull).max())
    for i in range(len(kinds)):
        up, down = (expectation(model, moved(weights, (i, s)), width)[0] for s in (h, -h))
        np.testing.assert_allclose(slope[i], float((up - down) / (2 * h) / mass), rtol=0, atol=1e-12 * size)
        for j in range(i + 1):
            corners = [
                s * t * expectation(model, moved(weights, (i, s * h), (j, t * h)), width)[0]
                for s in (1, -1)
                for t in (1, -1)
            ]
            second = float(MP.fsum(corners) / (4 * h * h) / mass)
            np.testing.assert_allclose(bend[i, j], second, rtol=1e-9, atol=1e-9 * edge * size**2)
            assert bend[i, j] == pytest.approx(bend[j, i], rel=1e-12, abs=1e-12 * edge * size**2)


@settings(max_examples=40)
@given(smooth(), st.integers(4, 40))
def test_what_is_counted_is_what_is_listed_at_whole_weights(case, fine):
    kinds, weights, width = case
    unit = width / fine
    model, offered = model_of(kinds), []
    counted = Counted(kinds, model.load, model.need, offered.append)
    counted.unit = lambda *_: unit
    whole = unit * np.maximum(np.rint(weights / unit), 1)
    one, other = model.at(whole, width), counted.at(whole, width)
    for name in ("log_mass", "log_soft", "log_hard"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=0, atol=1e-9)
    np.testing.assert_allclose(other.slope(), one.slope(), rtol=0, atol=1e-9 * kinds.count.max())
    assert len(offered) == 1
    width = max(width, 2 * float(whole @ model.load) / model_module.COARSE)
    (listed, edge), (matrix, at_edge) = model.bend(whole, width), counted.bend(whole, width)
    np.testing.assert_allclose(at_edge, edge, rtol=1e-8, atol=1e-11)
    np.testing.assert_allclose(matrix, listed, rtol=1e-8, atol=(1e-8 * edge + 1e-11) * kinds.count.max() ** 2)


@settings(max_examples=40)
@given(
    st.lists(st.tuples(st.integers(2, 6), st.integers(1, 3)), min_size=1, max_size=3),
    st.integers(3, 12),
    st.data(),
)
def test_moments_agree_with_enumeration(groups, states, data):
    sizes = [a for a, n in groups for _ in range(n)]
    levels = [0.5 + j for j, (_, n) in enumerate(groups) for _ in range(n)]
    kinds = Kinds(Problem(sizes, levels))
    # Whole weights, and some at which a kind never flips.
    weight = st.integers(1, 5).map(float) | st.just(float(states)) | st.just(math.inf)
    weights = np.array(data.draw(st.lists(weight, min_size=len(kinds), max_size=len(kinds))))
    kernel = np.array(data.draw(st.lists(st.floats(0, 1), min_size=states, max_size=states)))
    ball = Ball(kinds.whole, weights[kinds.of], states)
    single, pair, total = (np.array(x) * math.exp(ball.log_scale) for x in moments(ball, kinds, kernel))
    cells = all_cells(kinds)
    with np.errstate(invalid="ignore"):
        weighed = np.where(cells > 0, cells * weights, 0).sum(axis=1)
    chances = np.exp(kinds.log_uniform(cells))
    chances[weighed >= states] = 0
    chances *= kernel[np.minimum(weighed, states - 1).astype(int)]
    np.testing.assert_allclose(total, chances.sum(), rtol=1e-11, atol=1e-300)
    np.testing.assert_allclose(single, chances @ cells, rtol=1e-11, atol=1e-300)
    np.testing.assert_allclose(pair, (cells * chances[:, None]).T @ cells, rtol=1e-11, atol=1e-300)


@settings(max_examples=25)
@given(smooth(min_level=0.5))
def test_fractions_of_units_blur_the_edge_by_less_than_its_width(case):
    kinds, weights, width = case
    counted = Counted(kinds, kinds.count * kinds.problem.q, kinds.problem.d, lambda ball: None)
    unit = counted.unit(weights, width, model_module.STATES)
    part = weights / unit % 1
    assert unit <= width / 3
    assert unit**2 * (counted.load @ (part * (1 - part))) <= (model_module.BLUR * width) ** 2


def settled(kinds, width, weights=None):
    """Settle at a width far more closely than the search does; give the weights and their point."""
    model = model_of(kinds)
    weights = kinds.problem.epsilons.copy() if weights is None else weights
    for _ in range(8):
        weights = settle(model, weights, width)
    return model, weights, model.at(weights, width)


@settings(max_examples=40)
@given(problems(max_k=6, max_size=6, min_level=0.3, max_level=4.0))
def test_the_gap_at_a_settled_point_is_what_the_edge_costs(problem):
    kinds = Kinds(Problem(*problem))
    costs, weights = [], None
    for width in (0.4, 0.2, 0.1):
        model, weights, point = settled(kinds, width, weights)
        slope = point.slope()
        supply = slope / model.need
        lower = math.log(weights @ model.need) - point.log_hard
        upper = -math.log(supply.min()) - point.log_mass
        cost = point.log_hard - point.log_mass - math.log(weights @ slope)
        off = float(np.ptp(np.log(supply)))
        assert cost > -1e-12
        assert upper - lower == pytest.approx(cost, abs=off + 1e-12)
        # The law is that of the docstring: it gives every attribute its level, but for what is not settled.
        g = scipy.special.expit(model.pull @ weights / width) * np.exp(model.log_uniform)
        np.testing.assert_allclose(g @ model.pull / g.sum(), slope, atol=1e-10 * model.pull.max())
        if off < soft.SETTLED * cost:
            costs.append(cost)
    assume(len(costs) == 3)
    assert costs == sorted(costs, reverse=True)


def test_the_cost_of_the_edge_falls_with_its_width_to_nothing():
    rng = np.random.default_rng(4)
    kinds = Kinds(Problem(rng.integers(2, 6, 10), rng.uniform(0.5, 3, 10)))
    costs, weights = [], None
    for width in 0.4 * 0.5 ** np.arange(7):
        model, weights, point = settled(kinds, width, weights)
        slope = point.slope()
        costs.append(point.log_hard - point.log_mass - math.log(weights @ slope))
        assert np.abs(slope / model.need / (weights @ slope) * (weights @ model.need) - 1).max() < costs[-1]
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] < 1e-2 * costs[0]


@settings(max_examples=20)
@given(smooth())
def test_no_flip_makes_a_soft_law_larger(case):
    kinds, weights, width = case
    model = model_of(kinds)
    _, weights, _ = settled(kinds, width, weights)
    assert (weights >= 0).all()
    shape = tuple(kinds.count + 1)
    log_g = -np.logaddexp(0, -model.pull @ weights / width).reshape(shape)
    for axis in range(len(shape)):
        assert (np.diff(log_g, axis=axis) <= 1e-14).all()
    edge = Ball.soft(kinds.whole, weights[kinds.of] / width, float(weights @ model.load) / width, 1.0).inside
    assert (np.diff(edge) <= 0).all()


def test_a_straight_path_is_continued_exactly():
    end, along = np.array([1.0, 0.5, 2.0]), np.array([0.25, -0.5, 1.0])
    last, here = ((width, end + width * along) for width in (0.5, 0.25))
    np.testing.assert_array_equal(soft._beyond(last, here), end)
    # Never below 0, and no further where the width has not become smaller.
    low = ((width, np.array([2 * width - 0.25])) for width in (0.5, 0.25))
    assert soft._beyond(*low) == 0
    np.testing.assert_array_equal(soft._beyond(here, last), last[1])


def test_narrower_and_narrower_edges_close_the_bounds():
    rng = np.random.default_rng(8)
    problem = Problem(rng.integers(2, 6, 25), rng.uniform(0.5, 3, 25))
    order = np.lexsort((problem.epsilons, problem.sizes))
    sorted_ = problem.part(order)
    pool = Pool(sorted_, sorted_)
    pool.prove(np.rint(100 * sorted_.epsilons))
    soften(pool, lambda lower, upper: upper - lower < 1e-4, lambda: 1e9)
    assert 0 <= pool.upper - pool.proved < 1e-4


def test_no_room_is_no_work():
    problem = Problem([2, 3, 4], [0.5, 1.0, 1.5])
    pool = Pool(problem, problem)
    pool.prove(np.array([1.0, 2.0, 3.0]))
    soften(pool, lambda lower, upper: False, lambda: 0.0)
    assert len(pool.columns) == 1
