"""The level of a sampler as implemented, in exact fractions, is at most the one that a law claims."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import assume, example, given

import orr
from orr.laws.split import SplitLaw
from tests.common import CONSTRUCTIONS, ball_mechanism, examples, problems, times
from tests.laws.playing import realised_law

every_construction = pytest.mark.parametrize("name", CONSTRUCTIONS)


def lowered(mechanism):
    """How far repairs can lower the level: each gives a share of the likeliest records to the rarest."""
    law = mechanism.law.parts[0] if isinstance(mechanism.law, SplitLaw) else mechanism.law
    if getattr(law, "stay", None) is None:
        return 0
    return np.log((1 + law.replaced * np.exp(mechanism.epsilon)) / law.kept).sum()


@every_construction
@example(problem=([141, 2, 2, 141], [1.0, 12.0, 1e-6, 1.0]))
@given(problem=problems(max_k=4, max_size=2000, max_level=12.0, min_level=1e-6))
def test_epsilon_bounds_the_sampler_as_implemented(name, problem):
    try:
        mechanism = CONSTRUCTIONS[name](*problem)
    except orr.NotCertified:  # these two may refuse the largest sizes and most unequal levels
        assume(name not in ("guarded", "linear_program"))
        raise
    density = realised_law(mechanism.law)
    sizes = mechanism.sizes.tolist()
    assert sum(times(sizes, s) * p for s, p in density.items()) == 1
    ratio = max(density.values()) / min(density.values())
    with mpmath.workdps(40):
        level = mpmath.log(mpmath.mpf(ratio.numerator) / ratio.denominator)
        assert level <= mechanism.epsilon
        assert mechanism.epsilon - level < 1e-11 + lowered(mechanism)


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
