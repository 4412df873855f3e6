"""Unbiased tables: exact on expectations, honest about their errors, and refused where hopeless."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import orr
from orr.release import estimate
from orr.release.estimate import unbiased_table
from tests.common import CONSTRUCTIONS, GOLDEN, flip_sets, problems

SIZES, LEVELS = [2, 3, 4], [1.0, 1.5, 2.0]


def channel(mechanism, attributes):
    """Channel from true to released values of some attributes, from the whole matrix."""
    sizes = tuple(mechanism.sizes)
    values = np.indices(sizes).reshape(len(sizes), -1)[list(attributes)]
    shape = tuple(sizes[i] for i in attributes)
    cells = np.ravel_multi_index(values, shape)
    member = (cells == np.arange(np.prod(shape))[:, None]).astype(float)
    return member @ mechanism.matrix() @ member.T / member.sum(axis=1), shape


def check_identity(mechanism, attributes):
    """The estimator after the channel is the identity: every table comes back."""
    forward, shape = channel(mechanism, attributes)
    truth = np.arange(1.0, 1 + np.prod(shape)) ** 2
    expected = (forward @ truth).reshape(shape)
    counts = unbiased_table(mechanism.law, expected, attributes).counts
    np.testing.assert_allclose(counts, truth.reshape(shape), rtol=1e-6, atol=1e-5 * truth.sum())


@pytest.mark.parametrize("name", CONSTRUCTIONS)
@given(problem=problems(max_k=3, max_size=4, min_level=0.3), data=st.data())
def test_estimator_after_channel_is_the_identity(name, problem, data):
    mechanism = CONSTRUCTIONS[name](*problem)
    k = len(mechanism.sizes)
    attributes = data.draw(st.permutations(range(k)).flatmap(lambda p: st.sampled_from(p_prefixes(p))))
    rho = [abs(mechanism.law.rho(set(s))) for s in flip_sets(k) if s and set(s) <= set(attributes)]
    if min(rho) > 1e-3:
        check_identity(mechanism, attributes)


def p_prefixes(permutation):
    return [tuple(permutation[: i + 1]) for i in range(len(permutation))]


def test_uncorrected_counts_are_caught(monkeypatch):
    def uncorrected(rho, attributes, sizes):
        return {flips: float(not flips) for flips in flip_sets(len(sizes))}

    monkeypatch.setattr(estimate, "_inverse_kernel", uncorrected)
    with pytest.raises(AssertionError):
        check_identity(orr.kronecker(SIZES, LEVELS), (0, 2))


@pytest.mark.parametrize("name", CONSTRUCTIONS)
def test_factors_are_the_eigenvalues_of_the_channel(name):
    mechanism = CONSTRUCTIONS[name](SIZES, LEVELS)
    forward, _ = channel(mechanism, (0, 1))
    rho = mechanism.estimate(np.zeros((1, len(mechanism.sizes)), dtype=int), (0, 1)).rho
    expected = [1] + [rho[0,]] + 2 * [rho[1,]] + 2 * [rho[0, 1]]
    np.testing.assert_allclose(np.sort(np.linalg.eigvals(forward).real), np.sort(expected), atol=1e-12)


@given(problems(min_k=2, max_k=2, max_size=12, min_level=0.2))
def test_sign_of_the_pair_factor_tells_the_cases_apart(problem):
    pair = orr.two_attribute(*problem)
    value = pair.law.rho({0, 1})
    assert value == 0 or (value > 0) == (pair.case in ("I", "II"))


@pytest.mark.parametrize("name", CONSTRUCTIONS)
@pytest.mark.parametrize("attributes", [(0,), (1, 0)])
def test_standard_errors_are_the_spread_of_estimates(name, attributes):
    mechanism = CONSTRUCTIONS[name](SIZES, LEVELS)
    forward, shape = channel(mechanism, attributes)
    truth = np.arange(1, 1 + np.prod(shape)) * 100
    inverse = np.linalg.inv(forward)
    # Each record of truth v adds an independent column of the inverse: exact variance, cell by cell.
    variance = (inverse**2 @ forward) @ truth - truth
    expected = (forward @ truth).reshape(shape)
    errors = unbiased_table(mechanism.law, expected, attributes).standard_errors
    np.testing.assert_allclose(errors.ravel(), np.sqrt(variance), rtol=1e-9)


def test_estimates_from_a_release_are_within_their_errors():
    rng = np.random.default_rng(8)
    records = rng.integers(0, SIZES, (50_000, 3))
    mechanism = orr.linear_program(SIZES, LEVELS).solve()
    result = mechanism.estimate(mechanism.perturb(records, rng), [1, 2])
    truth = np.zeros((3, 4))
    np.add.at(truth, (records[:, 1], records[:, 2]), 1)
    assert result.counts.shape == (3, 4)
    np.testing.assert_allclose(result.counts.sum(), 50_000)
    assert (abs(result.counts - truth) < 6 * result.standard_errors).all()


def test_axes_follow_the_order_asked():
    mechanism = orr.kronecker(SIZES, LEVELS)
    records = np.random.default_rng(1).integers(0, SIZES, (500, 3))
    forward, backward = (mechanism.estimate(records, a) for a in ([0, 2], [2, 0]))
    np.testing.assert_allclose(forward.counts, backward.counts.T)


def test_lost_pairs_are_refused_with_the_reason():
    lost = GOLDEN["extras"]["pair_eigenvalue_zero"]
    mechanism = orr.linear_program(lost["sizes"], lost["epsilons"]).solve()
    records = np.zeros((10, 3), dtype=int)
    with pytest.raises(orr.NotRecoverable, match=r"\(0, 1\) is 0"):
        mechanism.estimate(records, [0, 1])
    assert mechanism.estimate(records, 0).counts.shape == (2,)
    # The closed form finds the same mechanism and must refuse too.
    with pytest.raises(orr.NotRecoverable):
        orr.radius_one(lost["sizes"], lost["epsilons"]).estimate(records, [0, 1])


@pytest.mark.parametrize("k", [3, 5, 7, 9])
def test_half_cubes_lose_every_pair(k):
    # An odd number of binary attributes with exp(e) < (k + 1) / (k - 1).
    mechanism = orr.linear_program([2] * k, [0.9 * np.log((k + 1) / (k - 1))] * k).solve()
    with pytest.raises(orr.NotRecoverable):
        mechanism.estimate(np.zeros((1, k), dtype=int), [0, k - 1])


def test_tiny_levels_are_estimated_with_huge_errors():
    mechanism = orr.kronecker([2, 3], [1e-9, 1e-9])
    result = mechanism.estimate(np.zeros((10, 2), dtype=int), [0, 1])
    assert np.isfinite(result.counts).all()
    assert result.standard_errors.min() > 1e15


def test_no_records_give_zero_counts():
    result = orr.kronecker(SIZES, LEVELS).estimate(np.empty((0, 3), dtype=int), [0, 1])
    np.testing.assert_array_equal(result.counts, 0)
    np.testing.assert_array_equal(result.standard_errors, 0)
