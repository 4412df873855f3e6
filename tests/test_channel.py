"""Channels: kernels against matrices, exact fractions, and the ends of what is allowed."""

import pickle
from fractions import Fraction
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import orr
from orr import channel as module
from orr.channel import Channel
from orr.laws.law import subsets
from orr_release.counting import Part
from tests.common import CONSTRUCTIONS, GOLDEN, examples, problems
from tests.release.common import dense

SIZES, LEVELS = [2, 3, 4], [1.0, 1.5, 2.0]


def check_channel(mechanism, attributes):
    """Everything a channel does is what the matrix does."""
    channel, matrix = Channel.of(mechanism.law, attributes), dense(mechanism, attributes)
    inverse = np.linalg.inv(matrix)
    table = np.arange(1.0, 1 + prod(channel.shape)).reshape(channel.shape) ** 2
    scale = np.abs(inverse).max()
    np.testing.assert_allclose(channel.matrix(), matrix, atol=1e-12)
    np.testing.assert_allclose(channel.inverse(), inverse, atol=1e-9 * scale)
    for found, by_hand in (
        (channel.expect(table), matrix),
        (channel.invert(table), inverse),
        (channel.square(table), inverse**2),
    ):
        expected = by_hand @ table.ravel()
        np.testing.assert_allclose(found.ravel(), expected, atol=1e-8 * np.abs(by_hand).max() * table.sum())
    noise = (inverse**2 @ matrix - np.eye(len(matrix))).sum(axis=0) / len(matrix)
    np.testing.assert_allclose(noise, channel.noise, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("name", CONSTRUCTIONS)
@examples(30)
@given(problem=problems(max_k=3, max_size=4, min_level=0.3), data=st.data())
def test_a_channel_is_what_the_matrix_says(name, problem, data):
    mechanism = CONSTRUCTIONS[name](*problem)
    order = data.draw(st.permutations(range(len(mechanism.sizes))))
    attributes = order[: data.draw(st.integers(1, len(order)))]
    if min(map(abs, Channel.of(mechanism.law, attributes).rho.values())) > 1e-3:
        check_channel(mechanism, attributes)


@pytest.mark.parametrize("change", [np.transpose, np.ones_like], ids=["wrong order", "uncorrected"])
def test_axes_in_the_wrong_order_and_uncorrected_counts_are_caught(change, monkeypatch):
    right = module._kernel
    monkeypatch.setattr(module, "_kernel", lambda factors, shape: right(change(factors), shape))
    with pytest.raises(AssertionError):
        check_channel(orr.optimal(SIZES, LEVELS), (0, 2))


def exact_inverse(channel):
    """The inverse in fractions, interaction by interaction, as the proof in chapter tables has it."""
    cells = list(np.ndindex(channel.shape))
    axes = tuple(range(len(channel.shape)))
    rho = {c: Fraction(f) for c, f in zip(subsets(axes)[1:], channel.rho.values(), strict=True)} | {
        (): Fraction(1)
    }
    return [
        [
            sum(prod((channel.shape[i] * (v[i] == u[i]) - 1 for i in c), start=1 / r) for c, r in rho.items())
            / len(cells)
            for u in cells
        ]
        for v in cells
    ]


@pytest.mark.parametrize("name", CONSTRUCTIONS)
def test_the_inverse_is_right_in_fractions(name):
    channel = Channel.of(CONSTRUCTIONS[name](SIZES, LEVELS).law, (1, 0))
    exact = exact_inverse(channel)
    np.testing.assert_allclose(channel.inverse(), np.array(exact, dtype=float), rtol=1e-10, atol=1e-14)
    assert all(abs(sum(column) - 1) == 0 for column in zip(*exact, strict=True))
    squares = sum(entry**2 for row in exact for entry in row) / len(exact) - 1
    assert channel.noise == pytest.approx(float(squares / len(exact)), rel=1e-10)


def test_the_rows_of_a_group_are_those_of_the_matrix():
    channel = Channel.of(orr.optimal(SIZES, LEVELS).law, (2, 0, 1))
    whole = channel.inverse().reshape(4, 2, 3, 24)
    np.testing.assert_array_equal(channel.inverse([1, 2]), whole[:, 1, 2])
    np.testing.assert_array_equal(channel.inverse([1]), whole[:, :, 1].reshape(8, 24))


@pytest.mark.parametrize("level", [1e-9, 1e-3, 40.0, 700.0])
@pytest.mark.parametrize("size", [2, 3, 10**6])
def test_one_attribute_at_the_ends_of_what_is_allowed(size, level):
    channel = Channel.of(orr.kronecker([size], [level]).law, [0])
    table = np.zeros(size)
    table[:2] = 600, 400
    q = orr.kronecker([size], [level]).flip_probabilities[0]
    one = q / (size - 1)
    expected = channel.expect(table)
    np.testing.assert_allclose(expected[:2], table[:2] * (1 - q) + table[1::-1] * one, rtol=1e-9)
    back = channel.invert(expected)
    np.testing.assert_allclose(back, table, atol=1e-11 * 1000 / channel.rho[0,])
    assert 0 <= channel.noise < np.inf
    assert np.isfinite(channel.square(expected)).all()


def test_many_faint_attributes_do_not_overflow():
    channel = Channel.of(orr.kronecker([2] * 8, [1e-12] * 8).law, range(8))
    assert np.isfinite(channel.invert(np.ones((2,) * 8))).all()
    assert np.isfinite(channel.square(np.ones((2,) * 8))).all()
    assert 1e180 < channel.noise < np.inf


def test_large_matrices_are_refused():
    channel = Channel.of(orr.kronecker([5000], [1.0]).law, [0])
    for make in (channel.matrix, channel.inverse):
        with pytest.raises(ValueError, match="up to 4,096 cells"):
            make()
    assert Channel.of(orr.kronecker([64, 100], [1.0, 1.0]).law, (0, 1)).inverse([3]).shape == (64, 6400)


def test_a_lost_pair_has_a_channel_and_no_inverse():
    lost = GOLDEN["extras"]["pair_eigenvalue_zero"]
    channel = Channel.of(orr.radius_one(lost["sizes"], lost["epsilons"]).law, (0, 1))
    assert not channel.recoverable
    assert channel.noise == np.inf
    np.testing.assert_allclose(channel.expect(np.ones(channel.shape)), 1)
    for ask in (channel.invert, channel.square):
        with pytest.raises(orr.NotRecoverable, match=r"\(0, 1\) is 0"):
            ask(np.ones(channel.shape))


def test_channels_compare_by_what_they_do():
    law = orr.optimal(SIZES, LEVELS).law
    one, same, other = (Channel.of(law, a) for a in ((0, 1), (0, 1), (1, 0)))
    assert one == same == pickle.loads(pickle.dumps(one))
    assert hash(one) == hash(same)
    assert one != other
    assert one != "channel"
    assert one.renamed((4, 7)).rho.keys() == {(4,), (7,), (4, 7)}


def test_parts_have_the_shape_of_their_channel():
    channel = Channel.of(orr.optimal(SIZES, LEVELS).law, (0, 1))
    with pytest.raises(ValueError, match=r"squares has shape \(3, 2\), and its attributes \(2, 3\)"):
        Part(channel, np.ones((2, 3)), np.ones((3, 2)))
