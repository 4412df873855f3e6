"""Draws from a ball, played through in exact fractions."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orr.laws.ball import Ball
from orr.laws.ball_mixture import BallMixture
from orr.problem import Problem
from tests.common import examples, flip_sets, problems, times
from tests.laws.playing import flip_law, unchecked


def exact_ball(ball):
    """Exact law of the flip sets in a ball, from its definition."""
    law = {}
    for s in flip_sets(len(ball.problem)):
        weight = {0: Fraction(1)}
        for i in s:
            low = math.floor(ball.weights[i]) if ball.weights[i] < ball.states else ball.states
            part = Fraction(float(ball.weights[i])) - low if ball.weights[i] < ball.states else Fraction(0)
            more = {}
            for w, p in weight.items():
                more[w + low] = more.get(w + low, 0) + p * (1 - part)
                more[w + low + 1] = more.get(w + low + 1, 0) + p * part
            weight = more
        inside = sum(p for w, p in weight.items() if w < ball.states - 1)
        inside += weight.get(ball.states - 1, 0) * Fraction(ball.edge)
        law[s] = inside * times(ball.problem.sizes.tolist(), s)
    total = sum(law.values())
    return {s: p / total for s, p in law.items()}


class NoEdge(Ball):
    """Mutant: what weighs just too much to belong to the ball for sure belongs to it anyway."""

    @property
    def accepted(self):
        return np.exp(-self.tilt * np.arange(self.states)[::-1])


def check_ball(ball):
    expected, law = exact_ball(ball), unchecked(BallMixture, ball.problem, [ball], np.ones(1))
    drawn = flip_law(law, 0)
    for s, p in expected.items():
        np.testing.assert_allclose(float(drawn.get(s, 0)), float(p), rtol=1e-12)
    rates = [float(sum(p for s, p in expected.items() if i in s)) for i in range(len(ball.problem))]
    np.testing.assert_allclose(ball.rates, rates, rtol=1e-12, atol=1e-300)


@examples(40)
@given(problems(max_k=4, max_size=9), st.data())
def test_draws_from_a_ball_are_exact(problem, data):
    checked, k = Problem(*problem), len(problem[0])
    weights = np.array(data.draw(st.lists(st.floats(0, 6), min_size=k, max_size=k)))
    states, edge = data.draw(st.integers(1, 12)), data.draw(st.floats(0.01, 1))
    check_ball(Ball(checked, weights, states, edge))


def test_draws_from_a_ball_of_ten_attributes_are_exact():
    sizes, levels = [2, 3, 4, 5, 2, 3, 4, 5, 2, 3], np.linspace(0.5, 4, 10)
    ball = Ball(Problem(sizes, levels), np.array([1, 2, 3, 4, 1, 2, 3, 4, 1, 2.0]), 7)
    check_ball(ball)


def test_a_ball_without_its_edge_is_caught():
    arguments = Problem([2, 3, 4], [1.0, 1.0, 1.0]), np.array([1.5, 2.0, 1.0]), 4, 0.3
    check_ball(Ball(*arguments))
    with pytest.raises(AssertionError):
        check_ball(NoEdge(*arguments))
