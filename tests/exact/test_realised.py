"""No sampler realises more than the overall level it reports, nor other attribute levels than it reports."""

import math
from functools import partial
from itertools import combinations

import numpy as np
import pytest
from hypothesis import example, given, reject
from hypothesis import strategies as st

import orr
from orr.caps.ramp import Profile, Ramp, RampWeights
from orr.laws.cells import Cells
from orr.laws.product import Product
from orr.problem import Problem
from orr.randomness import Source
from orr.rounding import Unsound
from tests.chance import fits, seed
from tests.common import some_slow
from tests.exact import samplers
from tests.exact.arithmetic import MP, flip_sets, times
from tests.exact.common import (
    any_level,
    any_size,
    balls_mechanism,
    built,
    every_construction,
    problems,
    repeatable,
    some_balls,
)


def spread(seed, k, low, high):
    """Levels between two others, drawn with a seed."""
    return np.random.default_rng(seed).uniform(low, high, k)


def mixed_sizes(seed, k, low, high):
    return np.random.default_rng(seed).integers(low, high + 1, k)


TINY = [10**6, 10**6, 10], [1e-10, 1e-10, 6.5446]
CLEAR = [1000, 1000, 3, 10**6], [18.0, 18.0, 36.0, 1e-10]
OVERFLOWING = [1000, 10**6, 10**6, 5], [0.0068, 17.8, 0.1, 700.0]

LARGE = {
    "400 of 50 values": lambda: orr.optimal([50] * 400, [0.3] * 400),
    "200 of 50 values": lambda: orr.optimal([50] * 200, [0.3] * 200),
    "250 of 20 values": lambda: orr.optimal([20] * 250, [0.5] * 250),
    "10000 of 1000 values": lambda: orr.optimal([1000] * 10_000, [0.7] * 10_000),
    "1000 of 4 values": lambda: orr.optimal([4] * 1000, [2.0] * 1000),
    "20 spent on 1000 of 4 values": lambda: orr.allocate(20, [4] * 1000, [1] * 1000),
    "1000 coins": lambda: orr.optimal([2] * 1000, [0.05] * 1000),
    "8092 coins": lambda: orr.optimal([2] * 8092, [0.0326765747253476] * 8092),
    "nearly equal levels": lambda: orr.optimal([10] * 1000, np.linspace(0.8, 1.2, 1000), rel_gap=0.02),
    "20 of 993315 values": lambda: orr.optimal([993_315] * 20, np.linspace(12, 16, 20)),
    "tiny levels": lambda: orr.optimal(*TINY, time_limit=1),
    "an attribute in the clear": lambda: orr.optimal(*CLEAR),
    "out of time": lambda: orr.optimal([2, 2, 3, 2, 10**6], [8.0, 8.0, 6.0, 3.0, 1e-11], time_limit=1e-9),
    "guarded above 709": lambda: orr.guarded(*OVERFLOWING, 0.1),
    "guarded above 709 again": lambda: orr.guarded([10, 10**6, 2, 2], [4.13, 25.6, 8.59, 700.0], 0.1),
    "guarded coins": lambda: orr.guarded([2] * 60, [1.0] * 60, 0.2),
    "guarded kinds": lambda: orr.guarded([2] * 6 + [3] * 5, [1.0] * 6 + [2.0] * 5, 0.2),
    "two kinds of 30": lambda: orr.optimal([2] * 30 + [5] * 30, [0.5] * 30 + [1.5] * 30),
    "two kinds of 500": lambda: orr.optimal([2] * 500 + [4] * 500, [3.0] * 500 + [5.0] * 500),
    "thirty as in the paper": lambda: orr.optimal(
        mixed_sizes(1, 30, 2, 5), spread(2, 30, 1, 10), rel_gap=0.01
    ),
    "hundred as in the paper": lambda: orr.optimal(
        mixed_sizes(1, 100, 2, 5), spread(2, 100, 1, 10), rel_gap=0.01
    ),
    "sixty of up to 19 values": lambda: orr.optimal(
        mixed_sizes(3, 60, 2, 19), spread(4, 60, 0.5, 3), rel_gap=0.02
    ),
    "200 of up to 19 values": lambda: orr.optimal(
        mixed_sizes(5, 200, 2, 19), spread(6, 200, 0.5, 3), rel_gap=0.02
    ),
    "1000 high levels": lambda: orr.optimal(mixed_sizes(7, 1000, 2, 5), spread(8, 1000, 9, 12)),
    "1000 highest levels": lambda: orr.radius_one(mixed_sizes(9, 1000, 2, 10**6), spread(10, 1000, 22, 50)),
    "1000 one by one": lambda: orr.kronecker(mixed_sizes(11, 1000, 2, 10**6), spread(12, 1000, 1e-6, 50)),
    "1000 by induction": lambda: orr.inductive(mixed_sizes(13, 1000, 2, 5), spread(14, 1000, 1, 10)),
    "ten by linear program": lambda: orr.linear_program(
        mixed_sizes(15, 10, 2, 9), spread(16, 10, 0.5, 5)
    ).solve(),
    "ten kinds": lambda: orr.optimal(mixed_sizes(17, 10, 2, 50), spread(18, 10, 0.01, 12)),
}


DEAR = "guarded above 709", "nearly equal levels", "10000 of 1000 values", "two kinds of 500"  # seconds


@pytest.fixture(
    scope="module", params=[pytest.param(name, marks=[pytest.mark.slow] * (name in DEAR)) for name in LARGE]
)
def large(request):
    """Mechanisms of many attributes: all that is asked of one is asked before the next is built."""
    return LARGE[request.param]()


def excess(level, bound):
    """Say by how much a level passes a bound."""
    return f"{MP.nstr(level, 17)} is more than {bound!r}, by {MP.nstr(level - bound, 3)}"


def check_overall(mechanism):
    level = samplers.realised(mechanism.law).low
    over = float(level - MP.mpf(float(mechanism.epsilon)))
    assert over <= 0, excess(level, mechanism.epsilon)


@every_construction
@example(problem=([141, 2, 2, 141], [1.0, 12.0, 1e-6, 1.0]))
@example(problem=([10**6] * 3, [50.0, 1e-6, 25.0]))
@example(problem=([4, 4, 4, 4, 4], [0.3] * 5))
@example(problem=([2, 2, 3, 3, 3], [1e-6, 1e-6, 4.0, 4.0, 4.0]))
@repeatable(20)
@given(problem=problems(max_k=4))
def test_overall_level_is_not_exceeded(name, problem):
    check_overall(built(name, problem))


@pytest.mark.parametrize("name", ["kronecker", "two_attribute", "radius_one", "inductive", "linear_program"])
@repeatable(60)
@given(problem=problems(max_k=6))
def test_overall_level_of_quick_constructions_is_not_exceeded(name, problem):
    check_overall(built(name, problem))


def test_overall_level_of_many_attributes_is_not_exceeded(large):
    check_overall(large)


def test_margin_covers_the_rounding_of_the_draws(large):
    check_margin(large)


def check_margin(mechanism):
    """Compare before repairs, which may hide what is wrong: the reported level is the one before them."""
    passed = samplers.tightness(mechanism.law)
    margin = MP.mpf(float(mechanism.epsilon)) - MP.mpf(float(mechanism.law.nominal_epsilon))
    assert passed <= margin, excess(passed, float(margin))


@pytest.mark.parametrize("large", ["20 spent on 1000 of 4 values"], indirect=True)
def test_a_total_is_not_exceeded(large):
    level = samplers.realised(large.law).low
    assert level <= 20, excess(level, 20)


@repeatable(40)
@example(size=4, level=2.0, k=1000)
@example(size=1000, level=1.0602, k=1000)
@example(size=100, level=0.7842, k=291)
@example(size=10**6, level=1e-6, k=1000)
@example(size=821_354, level=1.0366840899016004e-06, k=71)  # masses of cells below the normal doubles
@example(size=744_978, level=1.5694362455936253e-12, k=366)
@given(size=any_size | st.integers(2, 10**6), level=any_level(1e-12), k=st.integers(2, 1000))
def test_equal_attributes_do_not_exceed_their_level(size, level, k):
    check_overall(orr.optimal([size] * k, [level] * k))


WIDE = [10**6, 10**6, 10], [([3.5, 4.25, 1.75], 7, 0.3)], [1.0], [1.0, 0.5, 0.9]


@repeatable(60)
@example(balls_mechanism(*WIDE))
@example(balls_mechanism([999_983] * 5, [([1.5, 2.5, 3.5, 4.5, 5.5], 9, 0.5)], [1.0], [1.0] * 5))
@given(some_balls())
def test_balls_do_not_exceed_their_level(mechanism):
    check_overall(mechanism)
    check_margin(mechanism)


# Attribute levels.

in_a_second = partial(orr.optimal, time_limit=1)


def solved(sizes, levels):
    return orr.linear_program(sizes, levels).solve()


SMALL = {
    "tiny among large": (in_a_second, TINY),
    "tiny among four": (orr.optimal, CLEAR),
    "1e-12 in a closed form": (orr.optimal, ([10**6, 2, 3], [1e-12, 3.0, 2.0])),
    "1e-12 in a table": (orr.optimal, ([10**6, 4, 5, 6], [1e-12, 0.3, 0.4, 0.5])),
    "1e-8 in a linear program": (solved, ([10**5, 3, 2], [1e-8, 1.0, 2.0])),
    "1e-12 twice": (in_a_second, ([10**6, 10**6, 4, 4, 4], [1e-12, 1e-12, 2.0, 2.0, 2.0])),
    "1e-12 by induction": (orr.inductive, ([4, 5, 10**6], [2.0, 1.0, 1e-12])),
    "1e-12 one by one": (orr.kronecker, ([10**6, 2], [1e-12, 1e-12])),
    "1e-12 of two": (orr.two_attribute, ([10**6, 50], [1e-12, 0.2])),
    "1e-6 guarded": (partial(orr.guarded, slack=0.2), ([1000, 3, 4], [1e-6, 1.0, 2.0])),
    "3.5e-10 of two": (orr.two_attribute, ([10**6, 1000], [3.5e-10, 5.0])),
    "1.44e-9 in balls": (in_a_second, ([10**6, 10**6, 10], [1.44e-9, 1.44e-9, 6.5])),
}


def check_attributes(mechanism, close=1e-6):
    k = len(mechanism.sizes)
    some = range(0, k, k // 10) if k > 20 else range(k)
    for i, level in zip(some, samplers.attribute_levels(mechanism.law, some), strict=True):
        asked = float(mechanism.epsilons[i])
        error = float(level / asked - 1)
        assert abs(error) <= close, f"attribute {i}: {MP.nstr(level, 12)} instead of {asked!r}"


@every_construction
@example(problem=([10**6, 3, 4], [1e-6, 1.0, 50.0]))
@repeatable(20)
@given(problem=problems())
def test_attribute_levels_are_those_reported(name, problem):
    check_attributes(built(name, problem))


@pytest.mark.parametrize("name", SMALL)
def test_tiny_attribute_levels_are_those_reported(name):
    construct, problem = SMALL[name]
    check_attributes(construct(*problem))


def ramp(sizes, slopes, step, top, level):
    """Put a ramp together, with the levels that its own numbers give to the attributes."""
    profile = Profile(RampWeights(Problem(sizes, [1.0] * len(sizes)), slopes, step), top, level)
    told = (1 - profile.rates / profile.weights.problem.p) / (1 + math.exp(-profile.log_mass))
    problem = Problem(sizes, np.log1p(np.array(sizes) * told / (1 - told)))
    return Ramp(problem, Profile(RampWeights(problem, slopes, step), top, level))


@pytest.mark.parametrize("faint", [1.1e-9, 1.5e-9, 1.8e-9])
def test_a_joint_law_refuses_an_attribute_whose_digits_it_loses(faint):
    shape = 0.1, 2.0, 1.5
    law = ramp([3, 4, 5], np.array([0.5, 0.9, 1e-6]), *shape)
    assert law.from_definition(law.problem, **law.definition()).epsilon == law.epsilon
    with pytest.raises(Unsound, match="attribute 2 is too faint for a joint law"):
        ramp([3, 4, 5], np.array([0.5, 0.9, faint]), *shape)


@repeatable(60)
@given(
    sizes=st.lists(any_size, min_size=3, max_size=5),
    slopes=st.lists(any_level(0.05, 5.0), min_size=5, max_size=5),
    faint=any_level(1e-11, 1e-4),
    shares=st.tuples(any_level(1e-2, 1.0), st.floats(0.3, 1), st.floats(0.3, 1)),
)
def test_ramps_tell_of_a_faint_attribute_what_they_report_or_are_refused(sizes, slopes, faint, shares):
    """Levels are right to one part in a million, but for digits that logarithms lose of the faintest."""
    slopes = np.array([*slopes[1 : len(sizes)], faint])
    top = float(slopes.sum()) * shares[1]
    try:
        law = ramp(sizes, slopes, float(slopes.max()) * shares[0], top, top * shares[2])
    except (Unsound, ValueError):
        reject()
    check_attributes(orr.Mechanism(law), 5e-6)


def test_attribute_levels_of_many_attributes_are_those_reported(large):
    law, k = large.law, len(large.sizes)
    if hasattr(law, "balls") and k > samplers.FEW:
        for i in (0, k // 2, k - 1):
            assert abs(samplers.ball_attribute_level(law, i) / float(large.epsilons[i]) - 1) <= 1e-6
    else:
        check_attributes(large)


def count_truths(mechanism, n):
    records = np.random.default_rng(1).integers(0, mechanism.sizes, (n, len(mechanism.sizes)))
    return (mechanism.perturb(records, seed(2)) == records).sum(axis=0)


@pytest.mark.statistical
@pytest.mark.parametrize(
    "large",
    some_slow(
        ["an attribute in the clear", "out of time", "guarded above 709 again", "guarded above 709"],
        "guarded above 709",
    ),
    indirect=True,
)
def test_no_attribute_is_released_in_the_clear(large):
    n = 20_000
    assert fits(count_truths(large, n), n, 1 - large.flip_probabilities).all()


# The exact evaluation is itself checked: it sums to 1, agrees with enumeration, and asks the same coins.


def every_law():
    laws = {
        name: built(name, ([2, 3, 4], [1.0, 1.5, 2.0])).law
        for name in ("kronecker", "radius_one", "linear_program", "guarded")
    }
    laws["cells"] = orr.optimal([6, 2, 2, 6, 2, 6], [1.83, 2.56, 0.22, 0.79, 4.04, 1.83]).law
    laws["alike"] = orr.optimal([3] * 7, [0.5] * 7).law
    several = [([1.5, 2.0, 1.0, 0.3], 4, 0.3), ([1, 2, 3, 4], 5, 1.0)]
    laws["balls"] = balls_mechanism([2, 3, 4, 5], several, [2.0, 3.0], [1, 0.5, 1, 0.9]).law
    return laws


LAWS = every_law()


@pytest.mark.parametrize("name", LAWS)
def test_heights_sum_to_one(name):
    law = LAWS[name]
    sizes = law.problem.sizes.tolist()
    total = sum(
        x * times(sizes, s) for x, s in zip(samplers.heights(law), flip_sets(len(sizes)), strict=True)
    )
    assert abs(total / math.prod(sizes) - 1) < 1e-100


@pytest.mark.parametrize("name", ["radius_one", "cells", "alike", "guarded"])
@pytest.mark.parametrize("repaired", [True, False])
def test_shortcuts_agree_with_enumeration(monkeypatch, name, repaired):
    exact = samplers.realised(LAWS[name], repaired).low
    monkeypatch.setattr(samplers, "FEW", 0)
    found = samplers.realised(LAWS[name], repaired)
    same = not repaired or samplers.kept_of(LAWS[name]) is None
    assert abs(found.high - exact) < 1e-25 if same else found.low - 1e-25 <= exact <= found.high + 1e-25


def test_flip_chances_agree_with_enumeration(monkeypatch):
    exact = [samplers.flip_chances(LAWS[name]) for name in ("cells", "alike")]
    monkeypatch.setattr(samplers, "FEW", 0)
    for name, right in zip(("cells", "alike"), exact, strict=True):
        np.testing.assert_array_less(
            [abs(a - b) for a, b in zip(samplers.flip_chances(LAWS[name]), right, strict=True)], 1e-25
        )


def test_a_law_of_single_lies_with_repairs_agrees_with_enumeration(monkeypatch):
    law = orr.radius_one([2, 3, 4, 5], [3.0, 3.5, 4.0, 4.0]).law
    kept = [(MP.mpf(x), 1 - MP.mpf(x)) for x in (0.5, 1.0, 0.25, 0.0)]
    monkeypatch.setattr(samplers, "kept_of", lambda law: kept)
    exact, found = samplers.realised(law).low, samplers.heights(law)
    chances, (up, floor) = samplers.category_chances(law), samplers.lifted(law)
    for flips, height in zip(flip_sets(4), found, strict=True):
        above = samplers.single_height(chances, [2, 3, 4, 5], kept, np.flatnonzero(flips))
        assert abs(floor + up * above - height) < 1e-100
    monkeypatch.setattr(samplers, "FEW", 0)
    assert samplers.realised(law).low <= exact <= samplers.realised(law).high


@pytest.mark.parametrize("n", [2, 3, 5, 8, 11])
def test_worst_placements_agree_with_enumeration(n):
    low, high = samplers.placement_errors(n, n)
    for c in range(n + 1):
        errors = [MP.log(samplers.placement(n, s) * math.comb(n, c)) for s in combinations(range(n), c)]
        assert abs(min(errors) - low[c]) < 1e-25
        assert abs(max(errors) - high[c]) < 1e-25


@pytest.mark.parametrize(("n", "c"), [(100, 30), (1000, 3), (1000, 288), (1000, 997)])
def test_explicit_placements_lie_between_the_worst(n, c):
    low, high = samplers.placement_errors(n, c)
    rng = np.random.default_rng(n + c)
    places = [range(c), range(n - c, n), [i * n // c for i in range(c)], rng.permutation(n)[:c].tolist()]
    for lies in places:
        error = MP.log(samplers.placement(n, tuple(lies)) * math.comb(n, c))
        assert low[c] - 1e-22 <= error <= high[c] + 1e-22


class Recorder(Source):
    """A source that remembers what it was asked."""

    def __init__(self):
        super().__init__(1)
        self.odds, self.chances, self.inside = [], [], 0

    def choose(self, odds, shape, against=1.0):
        doubles, _ = samplers.compared(*np.broadcast_arrays(odds, against))
        self.odds.append(np.broadcast_to(doubles, shape))
        return self._within(super().choose, odds, shape, against)

    def coins(self, probability, shape):
        if not self.inside:
            self.chances.append(np.broadcast_to(probability, shape))
        return self._within(super().coins, probability, shape)

    def _within(self, method, *arguments):
        self.inside += 1
        try:
            return method(*arguments)
        finally:
            self.inside -= 1


@pytest.mark.parametrize("name", LAWS)
def test_samplers_toss_the_coins_that_are_evaluated(name):
    law, source = LAWS[name], Recorder()
    law.perturb(np.zeros((500, len(law.problem)), dtype=int), source)
    if isinstance(law, Product):
        np.testing.assert_array_equal(source.odds[0], np.tile(samplers.compared(law.problem.w)[0], (500, 1)))
        return
    asked, kept = source.odds, samplers.kept_of(law)
    assert set(asked[0].tolist()) == {float(samplers.compared(np.float64(law.mass))[0])}
    assert set(source.chances[0].tolist()) <= set(law._categories.keep.tolist())
    if kept is not None:
        last = asked.pop() if len(source.chances) == 1 else source.chances[1]
        sides = {side for pair in kept for side in pair}
        assert {MP.mpf(x) for x in last.ravel()} <= sides
    if isinstance(law, Cells):
        n = int(law.kinds.count.max())
        pairs = [(m, left) for m in range(1, n + 1) for left in range(m + 1)]
        known = {float(samplers.compared(*samplers.placing(m, left))[0]) for m, left in pairs}
        assert set(np.concatenate([[0.0], *asked[1:]]).tolist()) <= known


@pytest.mark.parametrize("chance", [0.0, 2.0**-1074, 0.5, 1 - 2.0**-53, 1.0])
def test_coins_of_every_chance_fall_as_they_should(chance):
    seen = Source(1).coins(np.array(chance), (1000,)).mean()
    assert abs(seen - chance) < 0.1
    assert chance not in (0.0, 1.0) or seen == chance
