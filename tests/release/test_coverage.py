"""Intervals and tests on real people: what they promise, measured.

Every count of successes below is a sum of independent draws, so its bounds are exact binomial ones: whatever
the true chance is inside the range that is allowed, the tests of a kind fail with probability 1e-6 at most.
"""

from dataclasses import replace
from functools import cache, partial
from itertools import product

import numpy as np
import pytest
from scipy.stats import binom, chi2_contingency

import orr
import orr_release
from book.census import people, survey
from orr.channel import Channel
from orr_release import independence as inference
from orr_release.counting import Part
from orr_release.estimate import Estimate
from tests.common import some_slow
from tests.release.common import observed_table, unbiased_table

pytestmark = pytest.mark.filterwarnings("ignore::orr_release.Unreliable")

FAIL = 1e-6
COLUMNS = "sex", "income", "race", "marital", "education"
RECORDS, LABELS = people(*COLUMNS)
SIZES = [len(labels) for labels in LABELS]
METHODS = {
    "kronecker": orr.kronecker,
    "guarded": partial(orr.guarded, slack=0.25),
    "optimal": orr.optimal,
}

TABLES = [(0,), (4,), (2, 3)]  # sex; education; race by marital status
COVERED = 0.93, 0.97  # the coverage that a normal interval of 95% may truly have
ROUGH = 0.88, 0.97  # and where fewer than 20 records are released in a cell
HOLDS = 0.92, 0.975  # and what it is said to have, with 5 flips and enough released inside and outside a cell
SIZE = 0.03, 0.07  # and the size of a chi-square test at 5%
WEIGHTED = 0.02, 0.07  # and where records have different weights


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
    shown = [Channel.of(m.law, t).expect(x).ravel() for t, x in zip(TABLES, tables, strict=True)]
    return n * np.concatenate(shown)


def check_coverage(name, sampling, runs=600):
    hits = covered(name, sampling, runs, proportions=sampling)
    enough = expected(name, 2000 if sampling else len(RECORDS)) >= 20
    for cells, allowed in ((enough, COVERED), (~enough, ROUGH)):
        low, high = bounds(runs, *allowed, tests=hits.size * len(METHODS) * 2)
        assert ((low <= hits[cells]) & (hits[cells] <= high)).all(), np.sort(hits[cells])


@pytest.mark.parametrize(
    ("name", "sampling"),
    some_slow(
        [*product(METHODS, (False, True))],
        ("kronecker", False),
        ("kronecker", True),
        ("guarded", False),
        ("guarded", True),
    ),
)
def test_intervals_hold_the_truth_as_often_as_they_say(name, sampling):
    check_coverage(name, sampling)


def test_every_cell_of_the_file_has_records_enough():
    assert min(expected(name, len(RECORDS)).min() for name in METHODS) > 30


def test_intervals_without_sampling_miss_the_population(monkeypatch):
    short = Estimate._variance
    monkeypatch.setattr(Estimate, "_variance", lambda self, sampling: short(self, False))
    with pytest.raises(AssertionError):
        check_coverage("optimal", True, runs=200)


def test_intervals_from_released_counts_are_caught(monkeypatch):
    monkeypatch.setattr(Estimate, "_variance", lambda self, sampling: self.parts[0].seen)
    with pytest.raises(AssertionError):
        check_coverage("optimal", False, runs=100)


def drawn(rng, matrix, cells):
    """Release cells by a channel's matrix."""
    heights = np.cumsum(matrix, axis=0).T[cells]
    return np.minimum((rng.random(len(cells))[:, None] > heights).sum(axis=1), len(matrix) - 1)


def summed(rng, channel, cells, weights):
    """Release people of some cells and weights, and sum up the weights and their squares."""
    released = drawn(rng, channel.matrix(), cells)
    sums = [np.bincount(released, weights**e, np.prod(channel.shape)) for e in (1, 2)]
    return Part(channel, *(table.reshape(channel.shape) for table in sums))


def conditions(channel, cells, weights):
    """Effective numbers of flips into or out of each cell, and of releases inside and outside, to expect."""
    P, k = channel.matrix(), channel.shape[0]
    one, two = (np.bincount(cells, weights**e, k) for e in (1, 2))
    moved = np.where(np.eye(k), 1 - P, P)
    numbers = [(M @ one) ** 2 / (M @ two) for M in (moved, P, 1 - P)]
    return numbers[0], np.minimum(numbers[1], numbers[2])


FILES = {  # level, people, sampling, spread of weights
    "few flips in all": (3.0, 400, False, 0.0),
    "few people in a cell": (1.0, 600, False, 0.0),
    "a sample": (5.0, 1500, True, 0.0),
    "hardly any flip in a sample": (9.0, 800, True, 0.0),
    "unequal weights": (4.0, 9000, False, 1.0),
    "a sample of unequal weights": (4.0, 9000, True, 1.0),
}


def held(level, n, sampling, spread, runs):
    """How often intervals of four values hold, and the conditions; unequal weights are larger in the last."""
    rng, channel = np.random.default_rng(31), Channel.of(orr.kronecker([4], [level]).law, (0,))
    cells = np.repeat(np.arange(4), (n * np.array([0.6, 0.2, 0.1, 0.1])).astype(int))
    weights = rng.lognormal(0, spread, n) * np.where((cells == 3) & (spread > 0), 6.0, 1.0)
    truth, hits = np.bincount(cells, weights, 4) / weights.sum(), np.zeros(4)
    for _ in range(runs):
        chosen = rng.integers(0, n, n) if sampling else np.arange(n)
        part = summed(rng, channel, cells[chosen], weights[chosen])
        found = Estimate({0: part}, part.seen.sum(), part.squares.sum())
        low, high = found.interval(sampling=sampling, proportions=True)
        hits += (low <= truth) & (truth <= high)
    return hits, *conditions(channel, cells, weights)


@pytest.mark.parametrize("name", some_slow(FILES, "few people in a cell", "a sample of unequal weights"))
def test_intervals_hold_under_the_conditions_that_are_stated(name):
    hits, flips, releases = held(*FILES[name], runs=1500)
    assert FILES[name][2] or flips.min() >= 5
    assert releases.min() >= (100 if FILES[name][3] else 20)
    low, high = bounds(1500, *HOLDS, tests=4 * len(FILES))
    assert ((low <= hits) & (hits <= high)).all(), hits / 1500


@pytest.mark.parametrize("name", some_slow(METHODS, "kronecker", "guarded"))
def test_intervals_of_a_group_hold_its_proportions(name):
    rng, m, hits, runs = np.random.default_rng(3), mechanism(name), np.zeros((2, SIZES[0])), 400
    whole = observed_table(RECORDS, m.sizes, [0, 1])[:, 1]
    channel = Channel.of(m.law, (0, 1))
    for run in range(2 * runs):
        sampling = bool(run % 2)
        people = RECORDS[rng.integers(0, len(RECORDS), 5000)] if sampling else RECORDS
        seen = observed_table(m.perturb(people, rng), m.sizes, [0, 1])
        found = Estimate({0: Part(channel, seen, seen)}, len(people), len(people), given=[1])
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


@pytest.mark.parametrize("name", some_slow(METHODS, "kronecker", "guarded"))
def test_the_test_has_its_size_and_the_usual_one_has_not(name):
    usual = check_size(name, runs=400)
    if name == "kronecker":  # each value is randomized by itself: the usual test is right
        assert usual <= bounds(400, *SIZE, tests=1)[1]
    else:
        assert usual > bounds(400, 0.9, 1, tests=2)[0]


def test_the_usual_test_of_a_joint_release_is_caught(monkeypatch):
    def usual(answered):  # nothing to undo
        channel = answered[0][0].channel.relative({})
        channel.rho = dict.fromkeys(channel.rho, 1.0)
        return [(replace(answered[0][0], channel=channel), 1.0)], [1.0, 1.0]

    monkeypatch.setattr(inference, "_relative", usual)
    with pytest.raises(AssertionError):
        check_size("optimal", runs=100)


@pytest.mark.parametrize("name", some_slow(["guarded", "optimal"], "guarded"))
def test_the_test_finds_what_there_is(name):
    ours, _ = rejections(name, 200, independent=False, people=2000)
    assert ours >= bounds(200, 0.85, 1, tests=2)[0], ours
    assert ours > 3 * rejections("kronecker", 200, independent=False, people=2000)[0]


RACES = np.bincount(RECORDS[:, 2]) / len(RECORDS)
RARE = np.where(RACES < 0.05, 6.0, 1.0)
SURVEYS = {  # mechanism, and what multiplies the survey's weights by race and by income
    "optimal": (lambda: mechanism("optimal", k=3), np.ones(5), np.ones(2)),
    "large where rare": (lambda: mechanism("optimal", k=3), RARE, np.array([1.0, 4.0])),
    "small where rare": (lambda: mechanism("optimal", k=3), 1 / RARE, np.ones(2)),
    "guarded": (
        lambda: orr.allocate(4.0, SIZES[:3], [1] * 3, method=METHODS["guarded"]),
        RARE,
        np.ones(2),
    ),
    "sampled": (lambda: orr_release.sampled(SIZES, 4.0, 2), np.ones(5), np.ones(2)),
}


def weighted_rejections(name, runs, n=2000):
    """How often independence of race and income is rejected, where races were dealt out at random."""
    rng, (make, by_race, by_income) = np.random.default_rng(29), SURVEYS[name]
    m, weight, hits = make(), survey("weight")["weight"].to_numpy(), 0
    channels = m.channels((2, 1)) if name == "sampled" else {0: Channel.of(m.law, (2, 1))}
    for _ in range(runs):
        chosen = rng.permutation(len(RECORDS))[:n]
        race, income = rng.permutation(RECORDS[chosen, 2]), RECORDS[chosen, 1]
        w = weight[chosen] * by_race[race] * by_income[income]
        form = rng.integers(0, len(m.forms), n) if name == "sampled" else np.zeros(n, dtype=int)
        own = {f: form == f for f in channels}
        parts = {f: summed(rng, c, (2 * race + income)[own[f]], w[own[f]]) for f, c in channels.items()}
        hits += Estimate(parts, w.sum(), (w**2).sum()).independence_test().pvalue < 0.05
    return hits


def check_weighted(name, runs=600):
    hits = weighted_rejections(name, runs)
    low, high = bounds(runs, *WEIGHTED, tests=len(SURVEYS) + 1)
    assert low <= hits <= high, hits / runs


@pytest.mark.parametrize("name", some_slow(SURVEYS, "small where rare", "guarded"))
def test_the_test_has_its_size_with_weights(name):
    check_weighted(name)


@pytest.mark.parametrize(
    "name", some_slow([n for n in SURVEYS if n != "guarded"], "large where rare", "small where rare")
)
def test_squared_weights_as_seen_are_caught(name, monkeypatch):
    monkeypatch.setattr(inference, "_squares", lambda part, _: part.squares / part.seen.sum() ** 2)
    with pytest.raises(AssertionError):
        check_weighted(name, runs=200)


def test_one_mean_weight_for_all_cells_is_caught(monkeypatch):
    monkeypatch.setattr(inference, "_mean_weights", lambda seen, squares: squares.sum() / seen.sum())
    with pytest.raises(AssertionError):
        check_weighted("large where rare", runs=200)


def synthetic(runs, rows, columns, extra, by_row):
    """How often the weighted test rejects, for 1,000 people and levels of 8; extra: added to corners."""
    rng, channel, hits = (
        np.random.default_rng(37),
        Channel.of(orr.kronecker([3, 2], [8.0] * 2).law, (0, 1)),
        0,
    )
    table = np.outer(rows, columns) + extra * np.array([[1, -1], [0, 0], [-1, 1]])
    for _ in range(runs):
        cells = rng.choice(6, 1000, p=table.ravel())
        part = summed(rng, channel, cells, rng.lognormal(0, 1, 1000) * np.array(by_row)[cells // 2])
        found = Estimate({0: part}, part.seen.sum(), part.squares.sum()).independence_test()
        hits += found.pvalue < 0.05
    return hits


def test_the_weighted_test_has_its_size_with_few_in_a_cell():
    hits = synthetic(600, [0.9, 0.06, 0.04], [0.95, 0.05], 0, [1.0] * 3)
    low, high = bounds(600, *WEIGHTED, tests=len(SURVEYS) + 1)
    assert low <= hits <= high, hits / 600


@pytest.mark.parametrize("by_row", [(1.0, 1.0, 1.0), (1.0, 1.0, 6.0)])
def test_the_weighted_test_finds_what_there_is(by_row):
    hits = synthetic(200, [0.4, 0.3, 0.3], [0.5, 0.5], 0.06, by_row)
    assert hits >= bounds(200, 0.85, 1, tests=2)[0], hits / 200
