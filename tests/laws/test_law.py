"""The level of a sampler as implemented, in exact fractions, is at most the one that a law claims."""

import math

import mpmath
import numpy as np
from hypothesis import example, given

from tests.common import ball_mechanism, examples, problems, times
from tests.laws.playing import realised_law


@examples(25)
@example(problem=([8, 21, 2], [3.5, 6.0, 7.5]))
@given(problem=problems(max_k=3, max_size=30, max_level=8.0, min_level=1e-3))
def test_epsilon_bounds_the_sampler_of_balls(problem):
    mechanism = ball_mechanism(*problem)
    density = realised_law(mechanism.law)
    sizes = mechanism.sizes.tolist()
    assert sum(times(sizes, s) * p for s, p in density.items()) == 1
    with mpmath.workdps(40):
        ratio = max(density.values()) / min(density.values())
        assert mpmath.log(mpmath.mpf(ratio.numerator) / ratio.denominator) <= mechanism.epsilon
    full = tuple(range(len(sizes)))
    for s, p in density.items():
        realised = math.log(p / density[full])
        np.testing.assert_allclose(mechanism.log_ratio(s), realised, rtol=0, atol=1e-11)
