"""What the explorer computes is what the package computes: levels, optima, guarded ones, budgets, errors."""

import re
from functools import partial
from html import unescape
from urllib.parse import parse_qsl

import numpy as np
import pytest

import orr
from orr.laws.single_flip import SingleFlip
from orr.optimum.cell_program import SAME_LAW_TOL
from orr_release import Release
from tests.common import brute_levels, some_slow

from .exploring import PLACE, SOURCE

TEXT = SOURCE.read_text("utf-8")
TOLERANCE = {"rtol": 0, "atol": 1e-6}
COMPUTE = """problems => problems.map(([sizes, asked]) => {
    const [given, levels, best] = ["problem", "levels", "optimum"].map(orr);
    const problem = given.problem(sizes, asked), heuristic = levels.heuristic(problem);
    const found = best.released(best.optimum(problem));
    const { lower, upper, exact, unique, released, weights, neighbours, states, heights } = found;
    return {
        kronecker: given.sum(asked), floor: given.sum(given.information(problem)),
        heuristic: heuristic.epsilon,
        achieved: heuristic.given.levels, fell_back: heuristic.fellBack, around: heuristic.neighbours,
        lower, upper, exact, unique, released, weights, neighbours,
        label: sizes.length === 2 ? levels.twoAttributes(problem).label : null,
        heights: states.count > 64 ? [] : [...heights],
        counts: states.flips.map(row => [...row]), members: states.kinds.map(kind => kind.members),
    };
})"""
GUARDED = """problems => problems.map(([sizes, levels, slacks]) =>
    [...orr("guarded").frontier(orr("cube").cube(orr("problem").problem(sizes, levels)), slacks)])"""
SPEND = "problems => problems.map(([total, ...given]) => orr('engine').spend(...given, total))"
ERRORS = """problems => problems.map(([n, ...given]) =>
    orr("problem").errors(orr("problem").problem(...given), n))"""


def ordinary(rng):
    k = rng.integers(2, rng.choice([7, 10, 13]))
    if rng.random() < 0.5:
        return rng.integers(2, 51, k), rng.uniform(0.01, 12, k)
    return rng.integers(2, 7, k), rng.uniform(0.01, 3, k)


def extreme(rng):
    k = rng.integers(2, 9)
    few = rng.integers(0, 3, k)
    kinds = {
        "tiny levels": (rng.integers(2, 6, k), 10 ** rng.uniform(-9, -2, k)),
        "huge levels": (rng.integers(2, 51, k), rng.uniform(12, 700, k)),
        "huge sizes": (rng.integers(2, 10**6, k), rng.uniform(0.01, 20, k)),
        "everything": (rng.integers(2, 10**6, k), 10 ** rng.uniform(-12, 2.84, k)),
        "alike": (np.full(k, rng.integers(2, 9)), np.full(k, rng.uniform(0.05, 4))),
        "few kinds": (rng.integers(2, 6, 3)[few], rng.uniform(0.1, 3, 3)[few]),
    }
    return kinds[rng.choice(list(kinds))]


def small(rng):
    return rng.integers(2, 4, 4), rng.uniform(0.1, 2, 4)


def middling(rng):
    return rng.integers(2, 9, 5), rng.uniform(0.2, 3, 5)


def drawn(seed, number, draw):
    rng = np.random.default_rng(seed)
    return [(sizes.tolist(), levels.tolist()) for sizes, levels in (draw(rng) for _ in range(number))]


PRESETS = [dict(parse_qsl(state)) for state in re.findall(r'data-state="([^"]*)"', unescape(TEXT))]
SEVERAL = [
    *(([*map(int, p["sizes"].split(","))], [*map(float, p["levels"].split(","))]) for p in PRESETS),
    ([5, 7, 2, 40, 12, 5], [3.52, 0.57, 0.55, 0.4, 1.4, 3.44]),
    ([3, 2, 5, 2, 4, 2, 5, 5, 6], [1.0, 0.52, 0.79, 1.78, 0.41, 0.11, 0.87, 3.0, 0.42]),
]
FREE = [([2, 3, 4, 5], [1.0, 1.5, 2.0, 0.3]), ([3, 4, 5], [25.0, 1.0, 1.0])]
# Where one level is tiny beside another, a mechanism of the page's making may be none.
LOST = [
    ([4, 3, 3, 274899], [0.8433, 0.5843, 1.062e-10, 5.641]),
    ([62, 3, 3, 3, 59], [0.2493, 0.1357, 3.119e-12, 0.00252, 3.832e-10]),
]
# Problems, and how many optima must be found, how many be one of several, how many leave attributes out.
FAMILIES = {
    "ordinary": (drawn(0, 80, ordinary), 60, 0, 0),
    "other ordinary": (drawn(1, 80, ordinary), 60, 0, 0),
    "extreme": (drawn(5, 30, extreme), 23, 0, 0),
    "lost digits": (LOST, 0, 0, 0),
    "small": (FREE[:1] + drawn(6, 40, small), 41, 0, 1),
    "several optima": (SEVERAL + drawn(12, 12, middling), 19, 11, 0),
    "free riders": (FREE + drawn(8, 40, middling), 42, 0, 4),
}


@pytest.fixture(scope="module")
def explorer(open_page):
    """A page whose modules are called, and nothing else."""
    with open_page(PLACE) as page:
        yield page


def check_numbers(found, sizes, levels):
    """Compare all that is determined with the package."""
    heuristic = orr.inductive(sizes, levels)
    hair = max(1e-6 * min(1, max(levels)), 1e-13)  # the package allows for its own rounding
    close = partial(np.testing.assert_allclose, rtol=0, atol=hair)
    close(found["kronecker"], orr.kronecker(sizes, levels).epsilon)
    close(found["floor"], orr.information_floor(sizes, levels))
    close(found["achieved"], heuristic.epsilons)
    if isinstance(heuristic.law, SingleFlip):  # else faint attributes stand beside, and add their levels
        close(found["heuristic"], heuristic.epsilon)
        close(found["around"], heuristic.neighbour_epsilons)
    assert found["fell_back"] == heuristic.fell_back.tolist()
    if len(sizes) == 2:
        assert found["label"] == orr.two_attribute(sizes, levels).case
    try:
        best = orr.linear_program(sizes, levels).solve()
        lower, upper = best.epsilon, best.epsilon
        if best.problem.faint.any():
            lower = best.certificate.lower
    except orr.NotCertified:
        best = orr.optimal(sizes, levels, time_limit=0.5)
        lower, upper = best.certificate.lower, best.epsilon
    assert max(levels) * (1 - 1e-9) <= found["upper"] <= sum(levels) * (1 + 1e-9)
    assert found["lower"] <= upper + hair
    assert lower <= found["upper"] + hair
    if found["exact"] and lower == upper:
        close(found["upper"], upper)
    if found["released"] and lower == upper:
        # Among laws whose neighbour levels differ by less, the package does not choose.
        best = orr.optimal(sizes, levels, rel_gap=1e-9).neighbour_epsilons
        np.testing.assert_allclose(found["neighbours"], best, rtol=0, atol=SAME_LAW_TOL + hair)


def check_mechanism(found, sizes, levels):
    """Compare the mechanism that is shown, as a matrix, with the levels asked for."""
    height = dict(zip(zip(*found["counts"], strict=True), found["heights"], strict=True))
    values = np.indices(sizes).reshape(len(sizes), -1)
    flips = (values[:, :, None] != values[:, None, :]).astype(int)
    counts = np.array([flips[members].sum(axis=0) for members in found["members"]])
    x = np.exp([[height[tuple(cell)] for cell in row] for row in counts.transpose(1, 2, 0)])
    overall, marginal, neighbour = brute_levels(x / x.sum(axis=0), tuple(sizes))
    np.testing.assert_allclose(overall, found["upper"])
    np.testing.assert_allclose(marginal, levels)
    np.testing.assert_allclose(neighbour, found["neighbours"])


def check_free_riders(found, sizes, levels):
    """Compare the optimum with that of the attributes that have a weight."""
    kept = np.array(found["weights"]) > 0
    level = orr.optimal(np.array(sizes)[kept], np.array(levels)[kept], rel_gap=1e-9).epsilon
    np.testing.assert_allclose(level, found["upper"], **TOLERANCE)
    return not kept.all()


@pytest.mark.parametrize("family", some_slow(FAMILIES, "ordinary"))
def test_levels_are_those_of_the_package(explorer, family):
    problems, exact, several, free = FAMILIES[family]
    answers = explorer.evaluate(COMPUTE, problems)
    for found, problem in zip(answers, problems, strict=True):
        check_numbers(found, *problem)
        if family == "small":
            check_mechanism(found, *problem)
        if free:
            free -= check_free_riders(found, *problem)
    assert sum(found["exact"] for found in answers) >= exact
    assert sum(not found["unique"] for found in answers) >= several
    assert free <= 0
    if several:
        assert all(found["released"] for found in answers)


def test_guarded_numbers_are_those_of_the_package(explorer):
    rng = np.random.default_rng(7)
    problems = [(*ordinary(rng), np.sort(10 ** rng.uniform(-2, 0.3, 2)).tolist()) for _ in range(25)]
    problems = [(sizes[:5].tolist(), levels[:5].tolist(), slacks) for sizes, levels, slacks in problems]
    problems += [([4] * 10, [2.0] * 10, [0.1, 0.5]), ([2, 5] * 4, [1.0, 2.0] * 4, [0.2, 0.4])]
    for found, (sizes, levels, slacks) in zip(explorer.evaluate(GUARDED, problems), problems, strict=True):
        for point, slack in zip(found, slacks, strict=True):
            best = orr.guarded(sizes, levels, slack).epsilon
            np.testing.assert_allclose(point["epsilon"], best, **TOLERANCE)
            assert (np.array(point["neighbours"]) <= (1 + slack) * np.array(levels) + 1e-9).all()


def test_a_guarded_optimum_that_lost_its_digits_is_none(explorer):
    rng = np.random.default_rng(11)
    drawn = [(rng.integers(2, 6, 3).tolist(), (10 ** rng.uniform(-1, 2.8, 3)).tolist()) for _ in range(60)]
    problems = [([3, 5, 2], [3, 0.5, 400]), ([3, 5, 2], [3, 0.5, 600]), *drawn]
    answers = explorer.evaluate(GUARDED, [(*problem, [0.05]) for problem in problems])
    for (point,), (_, levels) in zip(answers, problems, strict=True):
        assert point is None or max(levels) * (1 - 1e-6) < point["epsilon"] < sum(levels) * (1 + 1e-6)
    assert answers[0] == answers[1] == [None]
    assert sum(point is not None for (point,) in answers) > 20


def test_a_total_buys_the_levels_of_the_package(explorer):
    rng = np.random.default_rng(1)
    problems = [(4.0, [2, 3, 4], [1, 1.5, 2]), (8.0, [2] * 8, [1] * 8)]
    for k in rng.integers(2, 7, 30):
        sizes, shares = rng.integers(2, 12, k), rng.uniform(0.1, 3, k)
        problems.append((10 ** rng.uniform(-1, 1.5), sizes.tolist(), shares.tolist()))
    for levels, (total, sizes, shares) in zip(explorer.evaluate(SPEND, problems), problems, strict=True):
        np.testing.assert_allclose(levels, orr.allocate(total, sizes, shares).epsilons, rtol=1e-5)
        assert orr.optimal(sizes, levels, rel_gap=1e-9).epsilon <= total * (1 + 1e-8)


def test_errors_are_those_of_a_plan(explorer):
    rng = np.random.default_rng(3)
    draw = [rng.integers(2, 50, (40, 3)).tolist(), rng.uniform(0.05, 9, (40, 3)).tolist()]
    problems = [*zip((10 ** rng.uniform(0, 6, 40)).astype(int).tolist(), *draw, strict=True)]
    for errors, (n, *problem) in zip(explorer.evaluate(ERRORS, problems), problems, strict=True):
        plan = Release(orr.kronecker(*problem)).plan(n)
        np.testing.assert_allclose(errors, [row.standard_error for row in plan.one_way], rtol=1e-9)
