"""Neighbour levels are at least what enumeration finds, and equal to it where they are said to be exact."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import orr
from orr.caps.deep_cells import DeepCells
from orr.caps.ramp_search import RampSearch
from orr.laws.cells import Cells
from orr.problem import Kinds, Problem
from tests.exact import samplers
from tests.exact.arithmetic import MP
from tests.exact.common import (
    any_level,
    built,
    every_construction,
    problems,
    repeatable,
    some_balls,
)
from tests.laws.playing import unchecked

REPEATED = [6, 2, 2, 6, 2, 6], [1.83, 2.56, 0.22, 0.79, 4.04, 1.83]
SHELLS = [27, 2, 14, 14], [1.360, 1.159, 6.583, 6.583]


def check_neighbours(mechanism):
    """Compare the neighbour levels reported with those of the sampler, repairs included."""
    exact = mechanism.neighbour_exact
    reported = mechanism.neighbour_epsilons.tolist()
    for i, level in enumerate(samplers.neighbour_levels(mechanism.law)):
        over = MP.nstr(level - reported[i], 3)
        assert level <= reported[i], f"attribute {i}: more than {reported[i]!r}, by {over}"
        assert not exact[i] or reported[i] - level <= 1e-9, f"attribute {i}: {over} is not exact"


@every_construction
@example(problem=([2, 3, 4], [1.0, 1.5, 2.0]))
@example(problem=([2, 2, 2, 2, 2], [0.3] * 5))
@example(problem=([10**6, 10**6, 3], [50.0, 1e-6, 2.0]))
@repeatable(15)
@given(problem=problems(max_k=4))
def test_neighbour_levels_are_not_exceeded(name, problem):
    check_neighbours(built(name, problem))


@pytest.mark.parametrize(
    "construct",
    [
        lambda: orr.optimal(*SHELLS),
        lambda: orr.optimal(*REPEATED),
        lambda: orr.optimal([3] * 10, [0.5] * 10),
        lambda: orr.optimal([2, 3] * 5, [0.5, 1.0] * 5),
        lambda: orr.optimal(range(2, 12), np.linspace(0.5, 3, 10)),
        lambda: orr.linear_program(range(2, 10), np.linspace(3, 0.5, 8)).solve(),
        lambda: orr.guarded([2] * 5 + [3] * 5, [1.0] * 5 + [2.0] * 5, 0.2),
        lambda: orr.radius_one([2, 3, 4, 5] * 2, [650.0, 655.0, 660.0, 700.0] * 2),
        lambda: orr.inductive([2, 3, 4, 5] * 2, [3.0, 4.0, 5.0, 2.0] * 2),
        lambda: orr.optimal([10**6, 10**6, 10], [1e-10, 1e-10, 6.5446], time_limit=1),
        pytest.param(
            lambda: orr.guarded([1000, 10**6, 10**6, 5], [0.0068, 17.8, 0.1, 700.0], 0.1),
            marks=pytest.mark.slow,
        ),
        lambda: orr.guarded([10, 10**6, 2, 2], [4.13, 25.6, 8.59, 700.0], 0.1),
    ],
)
def test_neighbour_levels_of_more_attributes_are_not_exceeded(construct):
    check_neighbours(construct())


@repeatable(30)
@given(some_balls(max_k=4))
def test_neighbour_levels_of_balls_are_not_exceeded(mechanism):
    check_neighbours(mechanism)


@repeatable(80)
@example(([520955] * 3, [30.04204387077109] * 3), [481.636, 448.256, 205.115, 139.494], [0.1], False)
@example(([984320] * 4, [12.6] * 4), [127.8, 129.1, 186.7, 45.1, 136.8], [0.0004], True)
@given(
    problem=problems(
        max_k=4, sizes=st.integers(2, 6) | st.integers(10**5, 10**6), levels=any_level(0.01, 60)
    ),
    heights=st.lists(st.floats(0, 500), min_size=16, max_size=16),
    stay=st.lists(any_level(1e-6, 1e6), min_size=4, max_size=4),
    deep=st.booleans(),
)
def test_neighbour_levels_of_repaired_cells_are_not_exceeded(problem, heights, stay, deep):
    """Any heights of all cells and any repairs, where a flip is undone once in up to a million times."""
    parts = Problem(*problem)
    kinds = Kinds(parts)
    cells = np.indices(tuple(kinds.count + 1)).reshape(len(kinds), -1).T
    heights, odds = np.array(heights[: len(cells)]), np.array(stay)[kinds.of]
    check_neighbours(
        orr.Mechanism(unchecked(DeepCells if deep else Cells, parts, kinds, cells, heights, odds))
    )


@repeatable(25)
@example(problem=([2, 3, 4, 5], [1.0, 0.5, 1.5, 2.0]), slack=0.1)
@given(
    problem=problems(min_k=3, max_k=5, sizes=st.integers(2, 9), levels=any_level(0.2, 5.0)),
    slack=any_level(0.01, 2),
)
def test_ramps_keep_their_caps(problem, slack):
    """Every flip set, as it is drawn: the caps hold to the last digit, and the level is not exceeded."""
    parts, found = Problem(*problem), []
    caps = np.minimum((1 + slack) * parts.epsilons, parts.epsilons.sum())
    RampSearch(parts, caps, parts.epsilons.sum()).run(lambda law: bool(found.append(law)))
    for law in found[-1:]:
        check_neighbours(orr.Mechanism(law))
        assert all(n <= cap for n, cap in zip(samplers.neighbour_levels(law), caps.tolist(), strict=True))
        assert samplers.realised(law).high <= law.epsilon


@pytest.mark.parametrize(("size", "level", "n"), [(4, 2.0, 8), (3, 300.0, 6), (10**6, 200.0, 4)])
@pytest.mark.parametrize("slack", [1e-6, 0.1, 0.7])
def test_lines_keep_their_caps(size, level, n, slack):
    mechanism = orr.guarded([size] * n, [level] * n, slack)
    check_neighbours(mechanism)
    assert max(samplers.neighbour_levels(mechanism.law)) <= (1 + slack) * level


@pytest.mark.parametrize(
    ("problem", "attribute", "expected"), [(SHELLS, 0, 2.33), (SHELLS, 1, 1.43), (REPEATED, 2, 0.615)]
)
def test_neighbour_levels_that_were_reported_too_large(problem, attribute, expected):
    mechanism = orr.optimal(*problem)
    level = float(samplers.neighbour_levels(mechanism.law)[attribute])
    assert level == pytest.approx(expected, abs=0.01)
    assert mechanism.neighbour_epsilons[attribute] == pytest.approx(level, abs=1e-9)


def check_monotone(mechanism):
    """Of two flip sets, the larger one must not be the likelier, but for rounding."""
    rise = samplers.steepest_rise(mechanism.law)
    assert rise <= 1e-12, f"one more lie makes a record likelier by a share of {MP.nstr(rise, 3)}"


@pytest.mark.parametrize("problem", [REPEATED, SHELLS, ([3] * 7, [0.5] * 7), ([2] * 8, [1.0] * 8)])
@pytest.mark.parametrize("construct", [orr.optimal, lambda *p: orr.guarded(*p, 0.2)])
def test_no_flip_set_is_likelier_than_its_subsets(construct, problem):
    check_monotone(construct(*problem))


@every_construction
@example(problem=REPEATED)
@repeatable(20)
@given(problem=problems(sizes=st.integers(2, 30), levels=any_level(0.01, 8.0)))
def test_no_law_prefers_a_lie(name, problem):
    check_monotone(built(name, problem))


@pytest.mark.parametrize("k", [12, 30, 60])
def test_guarded_coins_prefer_the_truth(k):
    """Of equal attributes the cells tell all: the more lies, the rarer."""
    law = orr.guarded([2] * k, [1.0] * k, 0.2).law
    lies = law.cells[:, 0].tolist()
    by_lies = dict(zip(lies, (low for low, _ in samplers.cell_heights(law)), strict=True))
    heights = [by_lies.get(c, MP.zero) for c in range(k + 1)]
    rises = [c for c in range(k) if heights[c + 1] > heights[c] * (1 + MP.mpf(1e-9))]
    assert not rises, "one more lie makes a record likelier after so many"
