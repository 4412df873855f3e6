"""Intervals and tests on real people: what they promise, measured.

Every count of successes below is a sum of independent draws, so its bounds are exact binomial ones: whatever
the true chance is inside the range that is allowed, the tests of a kind fail with probability 1e-6 at most.
"""

from dataclasses import replace
from functools import cache, partial

import numpy as np
import pytest
from scipy.stats import binom, chi2_contingency

import orr
from orr.book.people import people
from orr.release import inference, pooled
from orr.release.channel import Channel, Part
from orr.release.estimate import Estimate
from tests.release.common import observed_table, unbiased_table

FAIL = 1e-6
COLUMNS = "sex", "income", "race", "marital", "education"
RECORDS, LABELS = people(*COLUMNS)
SIZES = [len(labels) for labels in LABELS]
METHODS = {"kronecker": orr.kronecker, "guarded": partial(orr.guarded, slack=0.25), "optimal": orr.optimal}
every_method = pytest.mark.parametrize("name", METHODS)

TABLES = [(0,), (4,), (2, 3)]  # sex; education; race by marital status
COVERED = 0.93, 0.97  # the coverage that a normal interval of 95% may truly have
ROUGH = 0.88, 0.97  # and where fewer than 20 records are released in a cell
SIZE = 0.03, 0.07  # and the size of a chi-square test at 5%


@cache
def mechanism(name, k=5):
    """Spend a total of 8 evenly on the first k columns."""
    return orr.allocate(8.0, SIZES[:k], [1] * k, method=METHODS[name])


def bounds(runs, low, high, tests):
    """Bounds on a count that fail with probability 1e-6 in all tests, for chances from low to high."""
    tail = FAIL / (2 * tests)
    return binom.ppf(tail, runs, low), binom.isf(tail, runs, high)


def covered(name, sampling, runs, proportions=False):
    """How often the intervals of every cell of the tables hold the truth."""
    rng, m = np.random.default_rng(17), mechanism(name)
    hits = [np.zeros([SIZES[i] for i in table]) for table in TABLES]
    truths = [observed_table(RECORDS, m.sizes, list(table)) / len(RECORDS) for table in TABLES]
    for _ in range(runs):
        people = RECORDS[rng.integers(0, len(RECORDS), 2000)] if sampling else RECORDS
        released = m.perturb(people, rng)
        for table, hit, truth in zip(TABLES, hits, truths, strict=True):
            found = unbiased_table(m.law, observed_table(released, m.sizes, list(table)), table)
            low, high = found.interval(sampling=sampling, proportions=proportions)
            aim = truth if proportions else truth * len(people)
            hit += (low <= aim) & (aim <= high)
    return np.concatenate([hit.ravel() for hit in hits])


def expected(name, n):
    """How many of n records are released in every cell of the tables, on average."""
    m = mechanism(name)
    tables = [observed_table(RECORDS, m.sizes, list(table)) / len(RECORDS) for table in TABLES]
    shown = [Channel(m.law, t).expect(x).ravel() for t, x in zip(TABLES, tables, strict=True)]
    return n * np.concatenate(shown)


def check_coverage(name, sampling, runs=600):
    hits = covered(name, sampling, runs, proportions=sampling)
    enough = expected(name, 2000 if sampling else len(RECORDS)) >= 20
    for cells, allowed in ((enough, COVERED), (~enough, ROUGH)):
        low, high = bounds(runs, *allowed, tests=hits.size * len(METHODS) * 2)
        assert ((low <= hits[cells]) & (hits[cells] <= high)).all(), np.sort(hits[cells])


@pytest.mark.parametrize("sampling", [False, True])
@every_method
def test_intervals_hold_the_truth_as_often_as_they_say(name, sampling):
    check_coverage(name, sampling)


def test_every_cell_of_the_file_has_records_enough():
    assert min(expected(name, len(RECORDS)).min() for name in METHODS) > 30


def test_intervals_without_sampling_miss_the_population(monkeypatch):
    short = pooled.Pooled.variance
    monkeypatch.setattr(pooled.Pooled, "variance", lambda self, sampling: short(self, False))
    with pytest.raises(AssertionError):
        check_coverage("optimal", True)


def test_intervals_from_released_counts_are_caught(monkeypatch):
    monkeypatch.setattr(pooled.Pooled, "variance", lambda self, sampling: self.parts[0].seen)
    with pytest.raises(AssertionError):
        check_coverage("optimal", False, runs=100)


@every_method
def test_intervals_of_a_group_hold_its_proportions(name):
    rng, m, hits, runs = np.random.default_rng(3), mechanism(name), np.zeros((2, SIZES[0])), 400
    whole = observed_table(RECORDS, m.sizes, [0, 1])[:, 1]
    channel = Channel(m.law, (0, 1))
    for run in range(2 * runs):
        sampling = bool(run % 2)
        people = RECORDS[rng.integers(0, len(RECORDS), 5000)] if sampling else RECORDS
        seen = observed_table(m.perturb(people, rng), m.sizes, [0, 1])
        found = Estimate((0,), {0: Part(channel, seen, seen)}, len(people), len(people), given=[1])
        low, high = found.interval(sampling=sampling, proportions=True)
        hits[run % 2] += (low <= whole / whole.sum()) & (whole / whole.sum() <= high)
    low, high = bounds(runs, *COVERED, tests=hits.size * len(METHODS))
    assert ((low <= hits) & (hits <= high)).all(), hits


def rejections(name, runs, independent, people=20_000):
    """How often independence of race and marital status is rejected at 5%, by ours and by the usual test."""
    rng, m, ours, usual = np.random.default_rng(23), mechanism(name, k=4), 0, 0
    for _ in range(runs):
        records = RECORDS[rng.permutation(len(RECORDS))[:people], :4]
        if independent:
            records[:, 2] = rng.permutation(records[:, 2])
        seen = observed_table(m.perturb(records, rng), m.sizes, [2, 3])
        some = seen[np.ix_(seen.any(axis=1), seen.any(axis=0))]
        ours += unbiased_table(m.law, seen, (2, 3)).independence_test().pvalue < 0.05
        usual += chi2_contingency(some, correction=False).pvalue < 0.05
    return ours, usual


def check_size(name, runs):
    ours, usual = rejections(name, runs, independent=True)
    low, high = bounds(runs, *SIZE, tests=len(METHODS))
    assert low <= ours <= high, ours / runs
    return usual


@every_method
def test_the_test_has_its_size_and_the_usual_one_has_not(name):
    usual = check_size(name, runs=400)
    if name == "kronecker":  # each value is randomized by itself: the usual test is right
        assert usual <= bounds(400, *SIZE, tests=1)[1]
    else:
        assert usual > bounds(400, 0.9, 1, tests=2)[0]


def test_the_usual_test_of_a_joint_release_is_caught(monkeypatch):
    def usual(pooled):  # nothing to undo
        channel = pooled.answered[0][0].channel.relative({})
        channel.rho = dict.fromkeys(channel.rho, 1.0)
        return [(replace(pooled.answered[0][0], channel=channel), 1.0)], [1.0, 1.0]

    monkeypatch.setattr(inference, "_relative", usual)
    with pytest.raises(AssertionError):
        check_size("optimal", runs=100)


@pytest.mark.parametrize("name", ["guarded", "optimal"])
def test_the_test_finds_what_there_is(name):
    ours, _ = rejections(name, 200, independent=False, people=2000)
    assert ours >= bounds(200, 0.85, 1, tests=2)[0], ours
    assert ours > 3 * rejections("kronecker", 200, independent=False, people=2000)[0]
