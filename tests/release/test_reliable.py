"""Which intervals hold as often as they say: exact chances, by summing over all released tables."""

from itertools import product

import numpy as np
import pytest
from scipy.signal import fftconvolve
from scipy.stats import binom, multinomial

import orr_release
from orr.channel import Channel
from tests.release.common import unbiased_table

LEAST = 0.92  # coverage of intervals of 95% that are said to be reliable
LEVELS = 0.5, 1.0, 2.0, 3.0, 4.0, 6.0
SHARES = 0.0, 0.005, 0.02, 0.05, 0.1, 0.3, 0.5, 0.8, 0.95, 1.0
TABLES = [(a, level, n) for a, level in product((2, 5), LEVELS) for n in (20, 60, 150, 300)]

pytestmark = pytest.mark.filterwarnings("ignore::orr_release.Unreliable")


def outcomes(law, attributes, tables, sampling):
    """Ends of the first cell's interval for each released table, and whether it is reliable."""
    found = [unbiased_table(law, seen, attributes) for seen in tables]
    low, high = np.array([[end.flat[0] for end in f.interval(sampling=sampling)] for f in found]).T
    return low, high, np.array([f.reliable(sampling=sampling).flat[0] for f in found])


def check(chance, truth, low, high, reliable):
    """Few reliable intervals miss; and few of those that are reliable, where that is likely."""
    missed = chance @ (reliable & ((truth < low - 1e-9) | (high + 1e-9 < truth)))
    assert missed <= 1 - LEAST
    likely = chance @ reliable
    assert likely < 0.5 or missed <= (1 - LEAST) * likely
    return likely


def one_way(a, level, n, sampling):
    """Check a value of an attribute, for every share; its interval depends on how often it is released."""
    mechanism, s = orr_release.kronecker([a], [level]), np.arange(n + 1)
    q = mechanism.levels.flip_probabilities[0]
    tables = [[k, n - k] + [0] * (a - 2) for k in s]
    ends = outcomes(mechanism.mechanism.law, (0,), np.array(tables), sampling)
    for share in SHARES:
        t = n * share if sampling else round(n * share)
        if sampling:
            chance = binom.pmf(s, n, share * (1 - q) + (1 - share) * q / (a - 1))
        else:
            parts = binom.pmf(s[: t + 1], t, 1 - q), binom.pmf(s[: n - t + 1], n - t, q / (a - 1))
            chance = np.convolve(*parts)
        yield check(chance, t, *ends)


@pytest.mark.parametrize("sampling", [False, True])
def test_intervals_that_are_said_to_be_reliable_are(sampling):
    likely = np.concatenate([list(one_way(*table, sampling)) for table in TABLES])
    assert (likely > 0.5).mean() > 0.25  # so that this is about something


@pytest.mark.parametrize(
    ("number", "table"), [("MIN_RECORDS", (2, 6.0, 60, True)), ("MIN_FLIPS", (2, 6.0, 150, False))]
)
def test_a_condition_less_is_caught(number, table, monkeypatch):
    monkeypatch.setattr(f"orr_release.estimate.{number}", 0)
    with pytest.raises(AssertionError):
        list(one_way(*table))


@pytest.mark.parametrize("sampling", [False, True])
@pytest.mark.parametrize(
    "mechanism",
    [
        pytest.param(orr_release.kronecker([2, 2], [2.0, 2.0]), marks=pytest.mark.slow, id="kronecker"),
        pytest.param(orr_release.optimal([2, 2], [1.5, 1.5]), id="optimal"),
    ],
)
def test_so_are_those_of_joint_tables(mechanism, sampling):
    n = 50
    channel, grid = Channel.of(mechanism.mechanism.law, (0, 1)), np.indices((n + 1,) * 3)
    in_all = grid.sum(axis=0)
    some = (in_all <= n) & (grid[0] >= 20) & (grid[0] <= n - 20)  # elsewhere nothing is reliable
    tables = np.array([*grid[:, some], n - in_all[some]]).T.reshape(-1, 2, 2)
    ends = outcomes(mechanism.mechanism.law, (0, 1), tables, sampling)
    for people in ([25, 0, 0, 25], [25, 25, 0, 0], [40, 0, 0, 10], [14, 12, 12, 12]):
        truth = np.array(people).reshape(2, 2)
        if sampling:
            chance = multinomial.pmf(tables.reshape(-1, 4), n, channel.expect(truth).ravel() / n)
        else:
            chance = released(channel.matrix(), people, grid)[some]
        check(chance, people[0], *ends)


def released(matrix, people, grid):
    """Chance of every released table of fixed people: those of their cells, folded together."""
    total = np.ones((1, 1, 1))
    for cell, count in enumerate(people):
        own = np.moveaxis(grid[:, : count + 1, : count + 1, : count + 1], 0, -1)
        last = count - own.sum(axis=-1, keepdims=True)
        tables = np.concatenate([own, np.maximum(last, 0)], axis=-1)
        chance = multinomial.pmf(tables, count, matrix[:, cell]) if count else np.ones(own.shape[:-1])
        total = fftconvolve(total, np.where(last[..., 0] >= 0, chance, 0))
    return total


@pytest.mark.filterwarnings("ignore::orr_release.Filtered")  # some counts are next to impossible
@pytest.mark.parametrize(("a", "level", "n"), TABLES)
def test_a_sample_is_never_known_better_than_the_file(a, level, n):
    mechanism = orr_release.kronecker([a], [level])
    for k in {0, 1, 2, n // 2, n - 1, n}:
        found = mechanism.estimate(np.array([k, n - k] + [0] * (a - 2)), 0, counts=True)
        assert (found.errors(sampling=True) >= found.errors()).all()
        q = mechanism.levels.flip_probabilities[0]
        least = n * q / (a - 1) * (1 - q / (a - 1)) / (1 - q * a / (a - 1)) ** 2  # where nobody has the value
        assert found.errors().min() ** 2 > 0.999 * min(least, n * q * (1 - q) / (1 - q * a / (a - 1)) ** 2)


@pytest.mark.parametrize("share", [0.0, 0.005])
def test_where_nothing_is_released_intervals_do_not_shrink_to_a_point(share):
    n, mechanism = 20, orr_release.kronecker([2], [6.0])
    s = np.arange(n + 1)
    low, high, reliable = outcomes(mechanism.mechanism.law, (0,), np.array([s, n - s]).T, True)
    q = mechanism.levels.flip_probabilities[0]
    chance = binom.pmf(s, n, share * (1 - q) + (1 - share) * q)
    assert chance @ ((low <= n * share) & (n * share <= high)) > 0.85
    assert not reliable[:5].any()


def test_a_table_that_few_were_asked_about_says_so():
    rng, mechanism = np.random.default_rng(5), orr_release.sampled([2, 3, 2, 2, 2], 4.0, 3)
    people = (rng.random((200, 5)) < 0.3).astype(int)
    found = mechanism.estimate(mechanism.perturb(people, rng), [0, 1, 2])
    assert not found.reliable().any()
    with pytest.warns(orr_release.Unreliable, match="of 12 cells may hold far less often"):
        found.interval()
