"""What several test files share: problems to draw, constructions to try, brute force to compare with."""

import json
import os
from functools import partial
from itertools import chain, combinations, count
from math import prod
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st

import orr
from orr.optimum.central_path import Path as Following
from orr.optimum.column_generation import Pool, follow
from orr.optimum.search import Search
from orr.problem import Problem
from orr.progress import Clock
from orr.rounding import relaxation_units

GOLDEN = json.loads(Path(__file__).with_name("golden.json").read_text("utf-8"))
CASES = GOLDEN["cases"]

CONSTRUCTIONS = {
    "kronecker": orr.kronecker,
    "two_attribute": lambda sizes, levels: orr.two_attribute(sizes[:2], levels[:2]),
    "linear_program": lambda sizes, levels: orr.linear_program(sizes, levels).solve(),
    "inductive": orr.inductive,
    "optimal": orr.optimal,
    "guarded": partial(orr.guarded, slack=0.2),
}


def examples(many):
    """Let a property draw so many examples, or the percentage of them that ``make unit`` asks for."""
    percentage = int(os.environ.get("ORR_EXAMPLES", "100"))
    return settings(max_examples=-(-many * percentage // 100), deadline=None)


def some_slow(cases, *slow):
    """Return the parameters of a test, of which ``make slow`` alone tries those that are named again."""
    marks = [[pytest.mark.slow] if case in slow else [] for case in cases]
    assert sum(map(bool, marks)) == len(slow) < len(marks)
    rows = [case if isinstance(case, tuple) else (case,) for case in cases]
    return [pytest.param(*row, marks=mark) for row, mark in zip(rows, marks, strict=True)]


def ball_pool(sizes, levels):
    """Return a run that has not begun, and the balls of a few stages, with levels relaxed as there."""
    run = Search(Problem(sizes, levels), Clock(None), 0.05)
    relaxed = run.sorted.relaxed(relaxation_units(len(run.sorted), float(run.sorted.epsilons.max()), 40))
    pool, asked = Pool(relaxed, run.sorted), count()
    follow(
        pool, Following.of(pool.kinds, pool.relaxed), 0.01, lambda lower, upper: next(asked) > 20, lambda: 1e9
    )
    return run, pool


def ball_mechanism(sizes, levels):
    """Return the best balls of a few stages, whether or not another law would be better."""
    run, pool = ball_pool(sizes, levels)
    return orr.Mechanism(pool.law(run.problem, run.back))


@st.composite
def problems(draw, min_k=2, max_k=4, max_size=5, max_level=6.0, min_level=0.05):
    """Draw sizes and levels."""
    k = draw(st.integers(min_k, max_k))
    sizes = draw(st.lists(st.integers(2, max_size), min_size=k, max_size=k))
    levels = draw(st.lists(st.floats(min_level, max_level), min_size=k, max_size=k))
    return sizes, levels


def flip_sets(k):
    return list(chain.from_iterable(combinations(range(k), r) for r in range(k + 1)))


def times(sizes, flips):
    """How often the entry of a flip set stands in a column: t_S."""
    return prod(sizes[i] - 1 for i in flips)


def brute_levels(matrix, sizes):
    """Overall, marginal and neighbour levels of a distortion matrix, from their definitions."""
    k = len(sizes)
    values = np.indices(sizes).reshape(k, -1)
    overall = np.log((matrix.max(axis=1) / matrix.min(axis=1)).max())
    marginal, neighbour = np.zeros(k), np.zeros(k)
    for i in range(k):
        member = (values[i] == np.arange(sizes[i])[:, None]).astype(float)
        single = member @ matrix @ member.T / member.sum(axis=1)
        marginal[i] = np.log((np.diag(single)[:, None] / single).max())
        rest = np.delete(values, i, axis=0)
        same = (rest[:, :, None] == rest[:, None, :]).all(axis=0)
        for v in range(matrix.shape[1]):
            ratios = matrix[:, same[v]].max(axis=1) / matrix[:, same[v]].min(axis=1)
            neighbour[i] = max(neighbour[i], np.log(ratios.max()))
    return overall, marginal, neighbour
