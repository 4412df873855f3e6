"""What counts the smooth problem: the list against 60 digits, the transform against the list."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from orr.optimum import laplace
from orr.optimum.laplace import CellSum, Dense, Thin, TooFine, Transform
from orr.problem import Kinds, Problem
from orr.rounding import Unsound
from tests.common import examples, problems
from tests.exact.arithmetic import MP


def all_cells(kinds):
    return np.array(list(product(*(range(n + 1) for n in kinds.count))))


def model_of(kinds):
    """A model that lists every cell of some kinds."""
    load, need = (kinds.count * x for x in (kinds.problem.q, kinds.problem.d))
    return CellSum(kinds, load, need, all_cells(kinds))


@st.composite
def smooth(draw, max_k=5):
    """Draw kinds, and weights in widths."""
    sizes, levels = draw(problems(max_k=max_k, max_size=6, min_level=0.2))
    twice = draw(st.booleans())
    kinds = Kinds(Problem(sizes * (1 + twice), levels * (1 + twice)))
    weights = draw(st.lists(st.floats(0.01, 3), min_size=len(kinds), max_size=len(kinds)))
    return kinds, np.array(weights) / draw(st.floats(0.02, 1))


def expectation(model, weights):
    """The smooth expectation and ``E[g]``, in high precision."""
    total, mass = MP.zero, MP.zero
    for cell, log_chance in zip(model.pull, model.log_uniform, strict=True):
        x = MP.fsum(MP.mpf(c) * w for c, w in zip(cell, weights, strict=True))
        chance = MP.exp(MP.mpf(log_chance))
        total += chance * MP.log1p(MP.exp(x))
        mass += chance / (1 + MP.exp(-x))
    return total, mass


def moved(weights, *steps):
    """Weights in high precision, some of them moved."""
    new = [MP.mpf(w) for w in weights]
    for i, step in steps:
        new[i] += step
    return new


@examples(12)
@given(smooth(max_k=3))
def test_slopes_and_bends_are_derivatives(case):
    kinds, weights = case
    model, h = model_of(kinds), MP.mpf(10) ** -20
    here, mass = expectation(model, weights)
    point = model.at(weights)
    bend = point.bend().matrix
    np.testing.assert_allclose(point.log_mass, float(MP.log(mass)), atol=1e-12)
    np.testing.assert_allclose(point.log_soft, float(MP.log(here)), atol=1e-12)
    size = float(np.abs(model.pull).max())
    for i in range(len(kinds)):
        up, down = (expectation(model, moved(weights, (i, s)))[0] for s in (h, -h))
        np.testing.assert_allclose(
            point.slope[i], float((up - down) / (2 * h) / mass), rtol=0, atol=1e-12 * size
        )
        for j in range(i + 1):
            corners = [
                s * t * expectation(model, moved(weights, (i, s * h), (j, t * h)))[0]
                for s in (1, -1)
                for t in (1, -1)
            ]
            second = float(MP.fsum(corners) / (4 * h * h) / mass)
            np.testing.assert_allclose(bend[i, j], second, rtol=1e-9, atol=1e-9 * size**2)


def compare(kinds, weights):
    """Compare the transform with the list."""
    listed = model_of(kinds)
    one = listed.at(weights)
    other = Transform(kinds, listed.load, listed.need).at(weights)
    np.testing.assert_allclose(other.log_mass, one.log_mass, rtol=0, atol=1e-11)
    np.testing.assert_allclose(other.log_soft, one.log_soft, rtol=0, atol=1e-11)
    np.testing.assert_allclose(other.slope, one.slope, rtol=0, atol=1e-11 * kinds.count.max())
    size = kinds.count.max() ** 2
    np.testing.assert_allclose(other.bend().matrix, one.bend().matrix, rtol=0, atol=1e-10 * size)


@examples(60)
@given(smooth())
@example((Kinds(Problem([2, 5], [0.3, 3.0])), np.array([1e-9, 500.0])))
@example((Kinds(Problem([2, 5, 9], [0.3, 3.0, 9.0])), np.array([1.0, 5.0, 1e5])))  # one that never flips
def test_the_transform_counts_what_the_list_does(case):
    compare(*case)


@pytest.mark.parametrize(
    "spoil",
    [
        {"DROPPED_LOG": 6.0},  # too few points, and too short a period
        {"MAX_NUMBERS": 10},  # no room
    ],
)
def test_a_spoiled_transform_is_caught(monkeypatch, spoil):
    for name, value in spoil.items():
        monkeypatch.setattr(laplace, name, value)
    kinds = Kinds(Problem([2, 3, 4, 5], [0.5, 1.0, 1.5, 2.0]))
    with pytest.raises((AssertionError, TooFine)):
        compare(kinds, 8 * kinds.problem.epsilons)


def test_a_transform_that_overflows_says_so():
    kinds = Kinds(Problem([2, 3], [0.5, 1.0]))
    with pytest.raises(Unsound, match="overflow"):
        Transform(kinds, kinds.problem.q, kinds.problem.d).at(np.array([np.inf, 1.0]))


def test_with_and_without_the_matrix():
    rng = np.random.default_rng(1)
    own, columns, sign = rng.uniform(1, 2, 40), rng.normal(size=(40, 6)) / 9, np.array([1, 1, 1, 1, -1, -1.0])
    thin, dense = Thin(own, columns, sign), Dense(np.diag(own) + (columns * sign) @ columns.T)
    right, scale = rng.normal(size=(40, 2)), rng.uniform(0.5, 2, 40)
    np.testing.assert_allclose(thin.solve(right), dense.solve(right), rtol=1e-11)
    np.testing.assert_allclose(thin.diagonal, dense.diagonal, rtol=1e-12)
    one, other = (bend.scaled(scale, 0.1).solve(right) for bend in (thin, dense))
    np.testing.assert_allclose(one, other, rtol=1e-11)


def test_very_many_attributes_are_counted_without_the_matrix():
    rng = np.random.default_rng(2)
    kinds = Kinds(Problem(rng.integers(2, 6, 1_000), rng.uniform(0.5, 2, 1_000)))
    load, need = kinds.count * kinds.problem.q, kinds.count * kinds.problem.d
    point = Transform(kinds, load, need).at(2 * kinds.problem.epsilons)
    bend = point.bend()
    assert isinstance(bend, Thin)
    assert -1e4 < point.log_mass < 0
    more = 2 * kinds.problem.epsilons + 1e-6 * need
    step = Transform(kinds, load, need).at(more)
    # The slope is the derivative of the smooth expectation, and the bend that of the slope.
    gained = (step.log_soft - point.log_soft) * math.exp(point.log_soft - point.log_mass)
    assert gained == pytest.approx(1e-6 * float(point.slope @ need), rel=1e-3)
