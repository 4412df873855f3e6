"""Attributes that are all alike: the closed form against the exact oracle."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import orr
from orr.optimum.hamming_ball import hamming
from orr.problem import Kinds, Problem
from orr.rounding import level_above
from tests.exact.arithmetic import equal_optimum
from tests.exact.common import any_level, any_size, repeatable


@given(st.lists(st.tuples(st.integers(2, 4), st.sampled_from([0.5, 1.0, np.nextafter(1.0, 2)])), min_size=1))
def test_kinds_are_sorted_by_size_and_level_and_know_their_first_attribute(pairs):
    kinds = Kinds(Problem(*zip(*pairs, strict=True)))
    different = sorted(set(pairs))
    assert list(zip(kinds.problem.sizes, kinds.problem.epsilons, strict=True)) == different
    assert kinds.first.tolist() == [pairs.index(pair) for pair in different]
    assert kinds.of.tolist() == [different.index(pair) for pair in pairs]
    assert kinds.count.tolist() == [pairs.count(pair) for pair in different]
    assert kinds.order.tolist() == sorted(range(len(pairs)), key=lambda i: pairs[i])


@repeatable(60)
@given(any_size, any_level(1e-3, 12.0), st.integers(2, 60))
def test_both_bounds_are_at_the_exact_optimum(size, level, k):
    (lower, weights), (law, units) = hamming(Kinds(Problem([size] * k, [level] * k)))
    upper = level_above(law.log_top, law.counted + units)
    exact = equal_optimum(size, level, k)
    assert exact.high * (1 - 1e-9) < lower <= exact.low
    assert exact.high <= upper < exact.high * (1 + 1e-9)
    np.testing.assert_array_equal(weights, 1.0)


def test_fewer_flips_are_never_rarer():
    best = orr.optimal([3] * 9, [0.7] * 9)
    assert best.certificate.method == "attributes alike"
    ratios = [best.log_ratio(range(n)) for n in range(10)]
    assert ratios == sorted(ratios, reverse=True)
    assert np.ptp(best.neighbour_epsilons) == 0
