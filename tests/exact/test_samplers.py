"""No sampler realises other levels than it reports: overall, of attributes, and between neighbours.

Up to ten attributes everything that a sampler can draw is enumerated, and the two ways that reach further are
compared with the enumeration: the audit of the package, and single paths through the sampler.
"""

import math
from functools import partial

import numpy as np
import pytest
from hypothesis import example, given, reject
from hypothesis import strategies as st

import orr
from orr.caps.deep_cells import DeepCells, NestedTables
from orr.caps.ramp import Profile, Ramp, RampWeights
from orr.caps.ramp_search import RampSearch
from orr.laws.cells import Cells
from orr.laws.product import Product
from orr.problem import Kinds, Problem
from orr.randomness import Source
from orr.rounding import Unsound
from orr_audit.sampler import realised
from tests.chance import fits, seed
from tests.common import times
from tests.exact import paths
from tests.exact.arithmetic import MP
from tests.exact.common import (
    Played,
    any_level,
    any_size,
    balls_mechanism,
    built,
    every_construction,
    excess,
    problems,
    repeatable,
    some_balls,
)
from tests.laws.playing import unchecked


def check_levels(mechanism):
    """Compare the overall level and the neighbour levels with what is reported.

    The overall level is reported before repairs, which may hide what is wrong with it.
    """
    played, epsilon = Played(mechanism.law), mechanism.epsilon
    for law in played.laws:
        assert abs(sum(p * times(played.sizes, s) for s, p in law.items()) - 1) < 1e-100
    before, after = played.overall
    assert after <= before <= epsilon, excess(before, epsilon)
    reported, exact = mechanism.neighbour_epsilons.tolist(), mechanism.neighbour_exact
    for i, level in enumerate(played.neighbours):
        assert level <= reported[i], f"attribute {i}: {excess(level, reported[i])}"
        assert not exact[i] or reported[i] - level <= 1e-9, f"attribute {i}: {reported[i]!r} is not exact"
    return played


def check(mechanism, close=1e-6, tight=True):
    """Compare all levels with those reported; the overall one is hardly higher, where it can be reached."""
    played = check_levels(mechanism)
    assert not tight or mechanism.epsilon - played.overall[0] < 1e-11 * max(mechanism.epsilon, 1)
    for i, (level, asked) in enumerate(zip(played.attributes, mechanism.epsilons.tolist(), strict=True)):
        assert abs(level / asked - 1) <= close, f"attribute {i}: {MP.nstr(level, 12)} instead of {asked!r}"
    return played


# Every construction.


@every_construction
@example(problem=([2, 3, 4], [1.0, 1.5, 2.0]))
@example(problem=([141, 2, 2, 141], [1.0, 12.0, 1e-6, 1.0]))
@example(problem=([10**6] * 3, [50.0, 1e-6, 25.0]))
@example(problem=([10**6, 3, 4], [1e-6, 1.0, 50.0]))
@example(problem=([4, 4, 4, 4, 4], [0.3] * 5))
@example(problem=([2, 2, 3, 3, 3], [1e-6, 1e-6, 4.0, 4.0, 4.0]))
@repeatable(20)
@given(problem=problems(max_k=4))
def test_no_level_is_exceeded(name, problem):
    check(built(name, problem))


@pytest.mark.parametrize("name", ["kronecker", "two_attribute", "radius_one", "inductive", "linear_program"])
@repeatable(60)
@given(problem=problems(max_k=6))
def test_no_level_of_a_quick_construction_is_exceeded(name, problem):
    check(built(name, problem))


REPEATED = [6, 2, 2, 6, 2, 6], [1.83, 2.56, 0.22, 0.79, 4.04, 1.83]
SHELLS = [27, 2, 14, 14], [1.360, 1.159, 6.583, 6.583]
TINY = [10**6, 10**6, 10], [1e-10, 1e-10, 6.5446]
CLEAR = [1000, 1000, 3, 10**6], [18.0, 18.0, 36.0, 1e-10]
OVERFLOWING = [1000, 10**6, 10**6, 5], [0.0068, 17.8, 0.1, 700.0]
OVERFLOWING_AGAIN = [10, 10**6, 2, 2], [4.13, 25.6, 8.59, 700.0]
in_a_second = partial(orr.optimal, time_limit=1)
guarded = partial(orr.guarded, slack=0.2)


def solved(sizes, levels):
    return orr.linear_program(sizes, levels).solve()


CHOSEN = {
    "shells": (orr.optimal, SHELLS),
    "repeated": (orr.optimal, REPEATED),
    "ten alike": (orr.optimal, ([3] * 10, [0.5] * 10)),
    "two kinds of five": (orr.optimal, ([2, 3] * 5, [0.5, 1.0] * 5)),
    "ten kinds": (orr.optimal, (range(2, 12), np.linspace(0.5, 3, 10))),
    "eight in a linear program": (solved, (range(2, 10), np.linspace(3, 0.5, 8))),
    "guarded kinds": (guarded, ([2] * 4 + [3] * 4, [1.0] * 4 + [2.0] * 4)),
    "650 in a closed form": (orr.radius_one, ([2, 3, 4, 5] * 2, [650.0, 655.0, 660.0, 700.0] * 2)),
    "eight by induction": (orr.inductive, ([2, 3, 4, 5] * 2, [3.0, 4.0, 5.0, 2.0] * 2)),
    "guarded above 709": (partial(orr.guarded, slack=0.1), OVERFLOWING),
    "guarded above 709 again": (partial(orr.guarded, slack=0.1), OVERFLOWING_AGAIN),
    "an attribute in the clear": (orr.optimal, CLEAR),
    "tiny among large": (in_a_second, TINY),
    "1e-12 in a closed form": (orr.optimal, ([10**6, 2, 3], [1e-12, 3.0, 2.0])),
    "1e-12 in a table": (orr.optimal, ([10**6, 4, 5, 6], [1e-12, 0.3, 0.4, 0.5])),
    "1e-8 in a linear program": (solved, ([10**5, 3, 2], [1e-8, 1.0, 2.0])),
    "1e-12 twice": (in_a_second, ([10**6, 10**6, 4, 4, 4], [1e-12, 1e-12, 2.0, 2.0, 2.0])),
    "1e-12 by induction": (orr.inductive, ([4, 5, 10**6], [2.0, 1.0, 1e-12])),
    "1e-12 one by one": (orr.kronecker, ([10**6, 2], [1e-12, 1e-12])),
    "1e-12 of two": (orr.two_attribute, ([10**6, 50], [1e-12, 0.2])),
    "1e-6 guarded": (guarded, ([1000, 3, 4], [1e-6, 1.0, 2.0])),
    "3.5e-10 of two": (orr.two_attribute, ([10**6, 1000], [3.5e-10, 5.0])),
    "1.44e-9 in balls": (in_a_second, ([10**6, 10**6, 10], [1.44e-9, 1.44e-9, 6.5])),
}


@pytest.mark.parametrize("name", CHOSEN)
def test_no_level_of_a_chosen_sampler_is_exceeded(name):
    construct, problem = CHOSEN[name]
    check(construct(*problem))


@pytest.mark.parametrize(
    ("problem", "attribute", "expected"), [(SHELLS, 0, 2.33), (SHELLS, 1, 1.43), (REPEATED, 2, 0.615)]
)
def test_neighbour_levels_that_were_reported_too_large(problem, attribute, expected):
    mechanism = orr.optimal(*problem)
    level = float(Played(mechanism.law).neighbours[attribute])
    assert level == pytest.approx(expected, abs=0.01)
    assert mechanism.neighbour_epsilons[attribute] == pytest.approx(level, abs=1e-9)


@every_construction
@example(problem=REPEATED)
@example(problem=SHELLS)
@example(problem=([3] * 7, [0.5] * 7))
@example(problem=([2] * 8, [1.0] * 8))
@repeatable(20)
@given(problem=problems(sizes=st.integers(2, 30), levels=any_level(0.01, 8.0)))
def test_no_flip_set_is_likelier_than_its_subsets(name, problem):
    rise = Played(built(name, problem).law).rise
    assert rise <= 1e-12, f"one more flip makes a record likelier by a share of {MP.nstr(rise, 3)}"


# Balls, repaired cells and ramps that no construction would make.


@repeatable(60)
@example(balls_mechanism([10**6, 10**6, 10], [([3.5, 4.25, 1.75], 7, 0.3)], [1.0], [1.0, 0.5, 0.9]))
@example(balls_mechanism([999_983] * 4, [([1.5, 2.5, 3.5, 4.5], 9, 0.5)], [1.0], [1.0] * 4))
@given(some_balls(max_k=4))
def test_no_level_of_balls_is_exceeded(mechanism):
    check(mechanism, tight=False)


@repeatable(80)
@example(([520955] * 3, [30.04204387077109] * 3), [481.636, 448.256, 205.115, 139.494], [0.1], False)
@example(([984320] * 4, [12.6] * 4), [127.8, 129.1, 186.7, 45.1, 136.8], [0.0004], True)
@given(
    problem=problems(
        max_k=4, sizes=st.integers(2, 6) | st.integers(10**5, 10**6), levels=any_level(0.01, 60)
    ),
    heights=st.lists(st.floats(-400, 500), min_size=16, max_size=16),
    stay=st.lists(any_level(1e-6, 1e6), min_size=4, max_size=4),
    deep=st.booleans(),
)
def test_neighbour_levels_of_repaired_cells_are_not_exceeded(problem, heights, stay, deep):
    """Any heights of all cells and any repairs, where a flip is undone once in up to a million times."""
    parts = Problem(*problem)
    kinds = Kinds(parts)
    cells = np.indices(tuple(kinds.count + 1)).reshape(len(kinds), -1).T
    heights, odds = np.array(heights[: len(cells)]), np.array(stay)[kinds.of]
    check_levels(orr.Mechanism(unchecked(DeepCells if deep else Cells, parts, kinds, cells, heights, odds)))


@repeatable(25)
@example(problem=([2, 3, 4, 5], [1.0, 0.5, 1.5, 2.0]), slack=0.1)
@given(
    problem=problems(min_k=3, max_k=4, sizes=st.integers(2, 9), levels=any_level(0.2, 5.0)),
    slack=any_level(0.01, 2),
)
def test_ramps_keep_their_caps(problem, slack):
    """Every flip set, as it is drawn: the caps hold to the last digit, and no level is exceeded."""
    parts, found = Problem(*problem), []
    caps = np.minimum((1 + slack) * parts.epsilons, parts.epsilons.sum())
    RampSearch(parts, caps, parts.epsilons.sum()).run(lambda law: bool(found.append(law)))
    for law in found[-1:]:
        played = check(
            orr.Mechanism(law), tight=False
        )  # flips of all attributes may not reach the lowest density
        assert all(n <= cap for n, cap in zip(played.neighbours, caps.tolist(), strict=True))


@pytest.mark.parametrize(("size", "level", "n"), [(4, 2.0, 8), (3, 300.0, 6), (10**6, 200.0, 4)])
@pytest.mark.parametrize("slack", [1e-6, 0.1, 0.7])
def test_lines_keep_their_caps(size, level, n, slack):
    played = check(orr.guarded([size] * n, [level] * n, slack))
    assert max(played.neighbours) <= (1 + slack) * level


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
    sizes=st.lists(any_size, min_size=3, max_size=4),
    slopes=st.lists(any_level(0.05, 5.0), min_size=4, max_size=4),
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
    check(orr.Mechanism(law), 5e-6, tight=False)


# Draws.


def count_truths(mechanism, n):
    records = np.random.default_rng(1).integers(0, mechanism.sizes, (n, len(mechanism.sizes)))
    return (mechanism.perturb(records, seed(2)) == records).sum(axis=0)


@pytest.mark.statistical
@pytest.mark.parametrize(
    "name",
    [
        "an attribute in the clear",
        "guarded above 709 again",
        pytest.param("guarded above 709", marks=pytest.mark.slow),
    ],
)
def test_no_attribute_is_released_in_the_clear(name):
    n, (construct, problem) = 20_000, CHOSEN[name]
    mechanism = construct(*problem)
    assert fits(count_truths(mechanism, n), n, 1 - mechanism.flip_probabilities).all()


# The enumeration and the audit are themselves checked: they ask the same coins as a release, and agree.


def every_law():
    laws = {
        name: built(name, ([2, 3, 4], [1.0, 1.5, 2.0])).law
        for name in ("kronecker", "radius_one", "linear_program", "guarded")
    }
    laws["cells"] = orr.optimal(*REPEATED).law
    laws["alike"] = orr.optimal([3] * 7, [0.5] * 7).law
    laws["beside"] = orr.optimal(*CLEAR).law
    parts, cells = Problem([2, 3, 4], [1.0, 1.5, 2.0]), np.indices((2, 2, 2)).reshape(3, -1).T
    laws["tiers"] = unchecked(DeepCells, parts, Kinds(parts), cells, np.linspace(500, -400, 8))
    several = [([1.5, 2.0, 1.0, 0.3], 4, 0.3), ([1, 2, 3, 4], 5, 1.0)]
    laws["balls"] = balls_mechanism([2, 3, 4, 5], several, [2.0, 3.0], [1, 0.5, 1, 0.9]).law
    laws["ramp"] = ramp([3, 4, 5], np.array([0.5, 0.9, 1e-3]), 0.1, 1.2, 1.0)
    return laws


LAWS = every_law()


@pytest.mark.parametrize("name", LAWS)
def test_the_audit_and_the_paths_agree_with_enumeration(name):
    law = LAWS[name]
    assert (name == "tiers") == isinstance(getattr(law, "_categories", None), NestedTables)
    played, (level, error, _) = Played(law), realised(law)
    before, _ = played.overall
    assert before <= MP.mpf(str(level)) <= law.epsilon
    assert abs(paths.level(law, np.random.default_rng(1)) - before) < 1e-12 * max(before, 1)
    asked = law.problem.epsilons.tolist()
    worst = max(abs(level / e - 1) for level, e in zip(played.attributes, asked, strict=True))
    assert abs(error - worst) < 1e-12 * max(worst, 1)


class Recorder(Source):
    """A source that remembers the odds and probabilities that it was asked for, in order."""

    def __init__(self):
        super().__init__(1)
        self.odds, self.probabilities, self.inside = [], [], False

    def choose(self, odds, shape, against=1.0):
        self.odds.append(set(np.asarray(odds).ravel().tolist()))
        self.inside = True
        result = super().choose(odds, shape, against)
        self.inside = False
        return result

    def coins(self, probability, shape):
        if not self.inside:
            self.probabilities.append(set(np.asarray(probability).ravel().tolist()))
            self.inside = True  # where digits are tied, coins ask for coins
            result = super().coins(probability, shape)
            self.inside = False
            return result
        return super().coins(probability, shape)


@pytest.mark.parametrize("name", [name for name in LAWS if name != "beside"])
def test_a_release_tosses_the_coins_that_are_enumerated(name):
    """Its first coins, its tables and its repairs; the draws in between are themselves enumerated."""
    law, source = LAWS[name], Recorder()
    law.perturb(np.zeros((500, len(law.problem)), dtype=int), source)
    if isinstance(law, Product):
        assert source.odds == [set(law.problem.w.tolist())]
        return
    assert source.odds[0] == {law.mass}
    tables = [table for _, table in getattr(law._categories, "tables", [(None, law._categories)])]
    for table, asked in zip(tables, source.probabilities, strict=False):
        assert asked <= set(table.keep.tolist())
    assert len(source.probabilities) == len(tables)
    if law.stay is not None:
        assert source.odds[-1] == set(law.stay[law.stay < math.inf].tolist())
