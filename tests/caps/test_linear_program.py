"""The linear program under caps: its bounds, and the closed form of equal attributes beside it."""

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

import orr
from orr.caps.linear_program import CappedProgram, logsumexp
from orr.problem import Problem
from orr.progress import Clock
from tests.caps.test_guarded import kept
from tests.common import examples, problems


@examples(40)
@given(problems(max_k=3, max_size=5), st.floats(0.01, 1.0), st.data())
def test_all_weights_and_prices_give_a_lower_bound(problem, slack, data):
    program = CappedProgram(Problem(*problem), slack, Clock(None))
    log_x = program._kronecker()
    caps = program.capped(log_x, np.log(1e9))
    seed = data.draw(st.integers(0, 2**32))
    rng = np.random.default_rng(seed)
    weights = rng.uniform(0, 1, len(program.n))
    prices = rng.exponential(data.draw(st.sampled_from([0, 1e-3, 1e-1])), len(caps[0]))
    assert program.bound(log_x, weights, caps, prices)[0] <= orr.guarded(*problem, slack).epsilon


@pytest.mark.parametrize("slack", [1e-6, 1e-3, 0.1, 0.5, 3.0])
@pytest.mark.parametrize(("n", "size", "level"), [(5, 2, 0.4), (16, 4, 2.0), (9, 50, 6.0), (40, 3, 0.01)])
def test_closed_form_equals_the_linear_program(n, size, level, slack):
    mechanism = orr.guarded([size] * n, [level] * n, slack)
    kept(mechanism, slack)
    law, prices = CappedProgram(Problem([size] * n, [level] * n), slack, Clock(None)).solve()
    np.testing.assert_allclose(mechanism.epsilon, law.epsilon, rtol=1e-5)  # HiGHS at the smallest slack
    proved = float(prices.proved(mechanism.law.problem, slack)[0])
    assert proved <= mechanism.epsilon
    assert mechanism.lower <= law.epsilon
    np.testing.assert_allclose(mechanism.lower, proved, rtol=1e-5)
    assert mechanism.certificate.rel_gap < 1e-5


@given(st.lists(st.floats(-700, 700) | st.sampled_from([-1.0, 0.0, 2.0]), min_size=1, max_size=80))
def test_the_quick_sum_of_logarithms_is_that_of_scipy_to_the_last_bit(logs):
    assert logsumexp(np.array(logs)) == scipy.special.logsumexp(logs)
