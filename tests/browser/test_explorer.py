"""The explorer gives the numbers of the package, by mouse, finger and keyboard, and never nonsense."""

import contextlib
import io
import re
from functools import partial
from html import unescape
from pathlib import Path
from urllib.parse import parse_qsl

import numpy as np
import pytest
from matplotlib.colors import to_rgb

import orr
from book.figures.plots import METHODS
from orr.laws.single_flip import SingleFlip
from orr.optimum.cell_program import SAME_LAW_TOL
from tests.common import brute_levels, some_slow
from tools.browsing import BOOK, PHONE

from .exploring import PLACE, THREE, box, expect, link, plane_of, shown, slider
from .touching import finger

ROOT = Path(__file__).parents[2]
TOLERANCE = {"rtol": 0, "atol": 1e-6}

COMPUTE = """async (problems) => {
    const [given, levels, best] = await Promise.all([orr("problem"), orr("levels"), orr("optimum")]);
    return problems.map(([sizes, asked]) => {
        const problem = given.problem(sizes, asked);
        const heuristic = levels.heuristic(problem);
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
    });
}"""
CORNERS = """problems => problems.map(([sizes, levels]) => {
    const { neighbours, released } = orr("optimum").optimum(orr("problem").problem(sizes, levels));
    return { neighbours, released };
})"""
GUARDED = """async (problems) => {
    const [given, cube, guarded] = await Promise.all([orr("problem"), orr("cube"), orr("guarded")]);
    return problems.map(([sizes, levels, slacks]) =>
        [...guarded.frontier(cube.cube(given.problem(sizes, levels)), slacks)]);
}"""


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


def drawn(seed, number, draw):
    rng = np.random.default_rng(seed)
    return [(sizes.tolist(), levels.tolist()) for sizes, levels in (draw(rng) for _ in range(number))]


@pytest.fixture(scope="module")
def explorer(open_page):
    with open_page(PLACE) as page:
        yield page


def check_neighbours(found, sizes, levels, hair=0.0):
    """Compare neighbour levels with those of the mechanism that the package releases.

    Among laws whose neighbour levels differ by less than ``SAME_LAW_TOL`` it does not choose.
    """
    best = orr.optimal(sizes, levels, rel_gap=1e-9)
    np.testing.assert_allclose(found, best.neighbour_epsilons, rtol=0, atol=SAME_LAW_TOL + hair)


def check_numbers(found, sizes, levels):
    """Compare all that is determined with the package; return whether the optimum was found."""
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
    assert found["lower"] <= upper + hair
    assert lower <= found["upper"] + hair
    if found["exact"] and lower == upper:
        close(found["upper"], upper)
    if found["released"] and lower == upper:
        check_neighbours(found["neighbours"], sizes, levels, hair)
    return found["exact"]


@pytest.mark.parametrize("seed", some_slow(range(2), 1))
def test_ordinary_numbers_are_those_of_the_package(explorer, seed):
    problems = drawn(seed, 80, ordinary)
    for found, problem in zip(explorer.evaluate(COMPUTE, problems), problems, strict=True):
        assert check_numbers(found, *problem), problem


def test_extreme_numbers_are_those_of_the_package_or_bounds(explorer):
    problems = drawn(5, 30, extreme)
    exact = [
        check_numbers(found, *problem)
        for found, problem in zip(explorer.evaluate(COMPUTE, problems), problems, strict=True)
    ]
    assert sum(exact) > 22


def test_lost_digits_are_no_proof(explorer):
    """Where one level is tiny beside another, a mechanism of the page's making may be none."""
    problems = [
        ([4, 3, 3, 274899], [0.8433, 0.5843, 1.062e-10, 5.641]),
        ([62, 3, 3, 3, 59], [0.2493, 0.1357, 3.119e-12, 0.00252, 3.832e-10]),
    ]
    for found, problem in zip(explorer.evaluate(COMPUTE, problems), problems, strict=True):
        check_numbers(found, *problem)
        assert max(problem[1]) <= found["lower"] <= found["upper"] <= sum(problem[1])


def test_the_optimum_shown_is_a_mechanism_with_the_levels_asked(explorer):
    problems = [
        ([2, 3, 4, 5], [1.0, 1.5, 2.0, 0.3]),
        *drawn(6, 40, lambda rng: (rng.integers(2, 4, 4), rng.uniform(0.1, 2, 4))),
    ]
    for found, (sizes, levels) in zip(explorer.evaluate(COMPUTE, problems), problems, strict=True):
        height = dict(zip(zip(*found["counts"], strict=True), found["heights"], strict=True))
        values = np.indices(sizes).reshape(len(sizes), -1)
        flips = (values[:, :, None] != values[:, None, :]).astype(int)
        counts = np.array([flips[members].sum(axis=0) for members in found["members"]])
        x = np.exp([[height[tuple(cell)] for cell in row] for row in counts.transpose(1, 2, 0)])
        overall, marginal, neighbour = brute_levels(x / x.sum(axis=0), tuple(sizes))
        np.testing.assert_allclose(overall, found["upper"])
        np.testing.assert_allclose(marginal, levels)
        np.testing.assert_allclose(neighbour, found["neighbours"])


PRESETS = [
    dict(parse_qsl(state))
    for state in re.findall(
        r'data-state="([^"]*)"', unescape((ROOT / "pages" / "explorer.md").read_text("utf-8"))
    )
]
SEVERAL = [
    *(([*map(int, p["sizes"].split(","))], [*map(float, p["levels"].split(","))]) for p in PRESETS),
    ([5, 7, 2, 40, 12, 5], [3.52, 0.57, 0.55, 0.4, 1.4, 3.44]),
    ([3, 2, 5, 2, 4, 2, 5, 5, 6], [1.0, 0.52, 0.79, 1.78, 0.41, 0.11, 0.87, 3.0, 0.42]),
]


def test_of_several_optima_the_one_is_shown_that_the_package_releases(explorer):
    problems = [*SEVERAL, *drawn(12, 12, lambda rng: (rng.integers(2, 9, 5), rng.uniform(0.2, 3, 5)))]
    answers = explorer.evaluate(COMPUTE, problems)
    for found, problem in zip(answers, problems, strict=True):
        assert found["released"], problem
        check_neighbours(found["neighbours"], *problem)
    assert sum(not found["unique"] for found in answers) > 10


def test_another_optimum_than_the_released_one_is_caught(explorer):
    caught = 0
    for found, problem in zip(explorer.evaluate(CORNERS, SEVERAL), SEVERAL, strict=True):
        try:
            check_neighbours(found["neighbours"], *problem)
        except AssertionError:
            caught += not found["released"]  # so the page does not call it the optimum
    assert caught == 3


def test_free_riders_can_be_left_out(explorer):
    problems = [([2, 3, 4, 5], [1.0, 1.5, 2.0, 0.3]), ([3, 4, 5], [25.0, 1.0, 1.0])]
    problems += drawn(8, 40, lambda rng: (rng.integers(2, 6, 5), rng.uniform(0.05, 3, 5)))
    free = 0
    for found, (sizes, levels) in zip(explorer.evaluate(COMPUTE, problems), problems, strict=True):
        kept = np.array(found["weights"]) > 0
        level = orr.optimal(np.array(sizes)[kept], np.array(levels)[kept], rel_gap=1e-9).epsilon
        np.testing.assert_allclose(level, found["upper"], **TOLERANCE)
        free += not kept.all()
    assert free > 3


def test_guarded_numbers_are_those_of_the_package(explorer):
    rng = np.random.default_rng(7)
    problems = [(*ordinary(rng), np.sort(10 ** rng.uniform(-2, 0.3, 2)).tolist()) for _ in range(25)]
    problems = [(sizes[:5].tolist(), levels[:5].tolist(), slacks) for sizes, levels, slacks in problems]
    problems += [([4] * 10, [2.0] * 10, [0.1, 0.5]), ([2, 5] * 4, [1.0, 2.0] * 4, [0.2, 0.4])]
    for found, (sizes, levels, slacks) in zip(explorer.evaluate(GUARDED, problems), problems, strict=True):
        for point, slack in zip(found, slacks, strict=True):
            np.testing.assert_allclose(
                point["epsilon"], orr.guarded(sizes, levels, slack).epsilon, **TOLERANCE
            )
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


@pytest.fixture
def page(open_page):
    with open_page(PLACE) as page:
        expect(page, *THREE)
        yield page


def test_typing(page):
    box(page, "Level of attribute 3").fill("0.7")
    box(page, "Number of values of attribute 1").fill("6")
    expect(page, [6, 3, 4], [1, 1.5, 0.7])
    box(page, "Number of attributes").fill("2")
    expect(page, [6, 3], [1, 1.5])
    box(page, "Number of attributes").fill("3")
    expect(page, [6, 3, 4], [1, 1.5, 0.7])  # what was taken away comes back


def test_sliding(page):
    slider(page, "Level of attribute 1").fill("2.5")
    slider(page, "Number of values of attribute 2").fill("7")
    expect(page, [2, 7, 4], [2.5, 1.5, 2])
    assert box(page, "Level of attribute 1").input_value() == "2.5"
    slider(page, "Number of attributes").fill("5")
    expect(page, [2, 7, 4, 3, 3], [2.5, 1.5, 2, 0.6, 1.1])


def test_all_alike(page):
    page.get_by_label("all alike").check()
    expect(page, [2, 2, 2], [1, 1, 1])
    slider(page, "Level of all attributes").fill("0.4")
    slider(page, "Number of attributes").fill("7")
    expect(page, [2] * 7, [0.4] * 7)
    page.get_by_label("all alike").uncheck()
    box(page, "Level of attribute 7").fill("3")
    expect(page, [2] * 7, [0.4] * 6 + [3])


BAD = [
    ("Number of attributes", "a whole number from 2 to 12", ["1", "13", "2.5", "2,5", "many", ""]),
    (
        "Number of values of attribute 2",
        "a whole number from 2 to 1,000,000",
        ["1", "-4", "3.5", "3,5", "1e7", "1,2,3", "x", " "],
    ),
    (
        "Level of attribute 2",
        "a number from 1e-12 to 700",
        ["0", "-1", "701", "1e999", "1,5,2", "1,2.5", "one", "NaN", ""],
    ),
    ("Slack in per cent", "a percentage from 0 to 1000", ["-1", "1001", "Infinity", "a", ""]),
    ("Number of people", "a whole number from 1 to 1,000,000,000", ["0", "2.5", "1e10", "few", ""]),
]


@pytest.mark.parametrize(
    ("label", "allowed", "texts"), some_slow(BAD, *BAD[2:]), ids=[label for label, *_ in BAD]
)
def test_bad_values_get_a_message(page, label, allowed, texts):
    before, good = shown(page), box(page, label).input_value()
    for text in texts:
        box(page, label).fill(text)
        message = page.get_by_text(f"{label} must be {allowed}")
        assert message.is_visible()
        assert (f"“{text}”" if text.strip() else "cannot be empty") in message.inner_text()
        assert box(page, label).get_attribute("aria-invalid") == "true"
        assert shown(page) == before
    slider(page, "Level of attribute 1").fill("3")  # all else goes on
    expect(page, [2, 3, 4], [3, 1.5, 2])
    assert message.is_visible()
    box(page, label).fill(good)
    assert not message.is_visible()
    assert box(page, label).get_attribute("aria-invalid") == "false"


BAD_LINKS = [
    ("sizes=2,3&levels=1,abc", "levels must be a number from 1e-12 to 700, and “abc” is not"),
    ("sizes=2,1&levels=1,2", "sizes must be a whole number from 2 to 1,000,000, and “1” is not"),
    ("sizes=2&levels=1", "number of attributes must be a whole number from 2 to 12"),
    ("sizes=2,3,4&levels=1,2", "there must be a level for each size"),
    ("levels=1,2", "number of attributes must be a whole number"),
    ("sizes=2,3,4&lev", "levels must be a number"),
    ("sizes=2,2&levels=1,2&slack=no", "slack must be a percentage"),
    ("sizes=2,2&levels=1,2&people=0", "people must be a whole number"),
    ("sizes=2,2&levels=1,2&total=-3", "total must be a number from 0.001 to 700"),
    ("sizes=2,2&levels=1,2&names=a,a", "every name must be another"),
    ("sizes=2,2&levels=1,2&names=%E0%A4,a", "every name must be another"),
    ("sizes=2,2&levels=1,2&names=attribute%202", "every name must be another"),
    ("sizes=2,2&levels=1,2&pin=sizes%3D2", "What is pinned cannot be used"),
    ("sizes=2,2&levels=1,2&pin=no", "What is pinned cannot be used"),
]


@pytest.mark.parametrize(("part", "complaint"), some_slow(BAD_LINKS, *BAD_LINKS[2:]))
def test_bad_links_get_a_message(open_page, part, complaint):
    with open_page(f"{PLACE}#{part}") as page:
        expect(page, *THREE)
        assert complaint in page.inner_text("#ex-complaint")


def test_a_link_restores_the_state(page, open_page):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    box(page, "Level of attribute 2").fill("0.25")
    box(page, "Slack in per cent").fill("35")
    page.get_by_role("button", name="Copy the link").click()
    page.get_by_text("Copied.").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == link(page)
    with open_page(copied.split("/")[-1]) as again:
        expect(again, [2, 3, 4], [1, 0.25, 2])
        assert box(again, "Slack in per cent").input_value() == "35"
        assert again.inner_text("#ex-frontier p") == page.inner_text("#ex-frontier p")


def test_back_and_forward(page):
    page.get_by_role("button", name="Two coins", exact=True).click()
    expect(page, [2, 2], [1, 1])
    for _ in range(3):  # presses of a key on one slider are one step
        slider(page, "Level of attribute 1").press("ArrowRight")
    expect(page, [2, 2], [1.15, 1])
    page.go_back()
    expect(page, [2, 2], [1, 1])
    page.go_back()
    expect(page, *THREE)
    assert box(page, "Level of attribute 3").input_value() == "2"
    page.go_forward()
    page.go_forward()
    expect(page, [2, 2], [1.15, 1])
    before = link(page)
    page.evaluate("location.hash = '#overall-level'")  # a section of the page
    expect(page, [2, 2], [1.15, 1])
    assert link(page) == before


EXAMPLES = ["Three questions", "A total of 4", "The heuristic loses", "Ten SNPs", "Twelve answers"]


@pytest.mark.parametrize("name", some_slow(EXAMPLES, *EXAMPLES[2:]))
def test_copied_python_gives_the_numbers_shown(page, name):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name=name).click()
    page.wait_for_function(
        "name => document.querySelector('[aria-pressed=true]').textContent === name", arg=name
    )
    levels, slack = shown(page), page.inner_text("#ex-frontier p")
    beside = page.locator("#ex-overall text", has_text=re.compile("^heuristic")).text_content()
    page.get_by_role("button", name="Copy the Python").click()
    page.get_by_text("Copied.").wait_for()
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(page.evaluate("navigator.clipboard.readText()"), {})
    heuristic, optimum, *more = output.getvalue().splitlines()
    found = {method: f"{level:.5g}" for method, level in levels.items()}
    assert f"overall level {beside.split()[1].replace(',', '')} " in heuristic
    overall, kronecker = re.search(r"overall level (\S+) \(Kronecker (\S+)\)", optimum).groups()
    assert overall == found["optimum"]
    assert float(kronecker) == pytest.approx(levels["Kronecker"], abs=1e-4)  # a total is shared out by search
    if "Guarded" in more[0]:
        assert f"overall level is {re.search('level ([^ ]+)', more.pop(0))[1]}," in slack
    assert more[0] == "Plan for 1,000 people"
    single = re.compile(r"\w+  +\d+ +\S+ +(\S+)")  # a table of one attribute: cells, factor, standard error
    worst = max(float(row[1]) for line in more[2:] if (row := single.match(line)))
    assert f"± {100 * worst:.3g} points" in page.inner_text("#ex-analyst")


def test_keyboard_alone(page):
    page.locator("#explorer h1").click()
    reached = []
    while reached[-1:] != ["Level of attribute 1"] and len(reached) < 40:
        page.keyboard.press("Tab")
        label, ring = page.evaluate(
            "() => [document.activeElement.ariaLabel ?? document.activeElement.textContent,"
            "parseFloat(getComputedStyle(document.activeElement).outlineWidth)]"
        )
        reached.append(label)
        assert ring >= 2, label
        if label == "Two coins":
            page.keyboard.press("Space")
            expect(page, [2, 2], [1, 1])
    page.keyboard.press("ArrowRight")
    expect(page, [2, 2], [1.05, 1])
    page.keyboard.press("Tab")
    page.keyboard.type("8")  # what was there is selected
    expect(page, [2, 2], [8, 1])
    for label in ("Number of attributes", "Number of values of attribute 1"):
        assert reached.count(label) == 2  # a slider and a box
    page.get_by_text("All levels as a table").focus()
    page.keyboard.press("Enter")
    assert page.locator("#ex-levels table").is_visible()


def test_map_and_matrices(page):
    page.get_by_role("button", name="Two coins", exact=True).click()
    expect(page, [2, 2], [1, 1])
    box(page, "Number of values of attribute 1").fill("4")
    box(page, "Number of values of attribute 2").fill("3")
    expect(page, [4, 3], [1, 1])
    page.locator("#ex-map").scroll_into_view_if_needed()
    plane = plane_of(page)
    for x, y in ((0.2, 0.9), (0.5, 0.4)):
        page.mouse.move(plane["x"] + x * plane["width"], plane["y"] + (1 - y) * plane["height"])
        page.mouse.down()
    page.mouse.up()
    page.wait_for_function("document.querySelector('#ex-code').textContent.includes('2.25')")
    levels = [float(box(page, f"Level of attribute {i}").input_value()) for i in (1, 2)]
    np.testing.assert_allclose(levels, [0.5 * 4.5, 0.4 * 4.5], atol=0.03)
    expect(page, [4, 3], levels)
    best = orr.two_attribute([4, 3], levels)
    assert page.inner_text("#ex-case").startswith(f"Case ({best.case})")
    cells = [row.split("\t") for row in page.inner_text("#ex-chances").splitlines()[1:]]
    for column, mechanism in ((2, orr.kronecker([4, 3], levels)), (3, best)):
        matrix = mechanism.matrix()[0]
        assert [f"{float(row[column]):.3g}" for row in cells] == [f"{matrix[i]:.3g}" for i in (0, 3, 1, 4)]
    assert page.locator("#ex-matrices svg").count() == 2
    page.go_back()
    expect(page, [4, 3], [1, 1])


def place_on_map(page, share):
    """Return the point of the map at a share of both its ranges."""
    page.locator("#ex-map").scroll_into_view_if_needed()
    plane = plane_of(page)
    return plane["x"] + share * plane["width"], plane["y"] + (1 - share) * plane["height"]


def test_the_map_keeps_its_scale_while_a_point_is_dragged(open_page):
    with open_page(f"{PLACE}#sizes=3,3&levels=20,20") as page:
        expect(page, [3, 3], [20, 20])
        x, y = place_on_map(page, 0.9)
        page.mouse.move(x, y)
        page.mouse.down()
        for shift in (1, 0) * 4:
            page.mouse.move(x + shift, y)
        page.mouse.up()
        page.wait_for_function("!document.querySelector('#ex-code').textContent.includes('[20, 20]')")
        levels = [float(box(page, f"Level of attribute {i}").input_value()) for i in (1, 2)]
        np.testing.assert_allclose(levels, [18, 18], atol=0.2)
        expect(page, [3, 3], levels)


def test_a_tap_on_the_map_chooses_and_a_swipe_scrolls(browser, open_page):
    phone = {"viewport": PHONE, "has_touch": True, "is_mobile": True, "reduced_motion": "reduce"}
    with browser.new_context(**phone) as context:
        page = open_page(f"{PLACE}#sizes=3,3&levels=1,1", context=context)
        expect(page, [3, 3], [1, 1])
        x, y = place_on_map(page, 0.5)
        page.touchscreen.tap(x, y)
        page.wait_for_function("document.querySelector('#ex-code').textContent.includes('2.2')")
        levels = [float(box(page, f"Level of attribute {i}").input_value()) for i in (1, 2)]
        np.testing.assert_allclose(levels, [2.25, 2.25], atol=0.05)
        top = page.evaluate("scrollY")
        finger(page, (x + 80, y), (x + 80, y - 200), 12)  # beside the point, which a finger would drag
        page.wait_for_function("top => scrollY > top + 100", arg=top)
        expect(page, [3, 3], levels)


def test_guarded_frontier(page):
    box(page, "Slack in per cent").fill("20")
    page.get_by_text(
        "With a slack of 20% the overall level is 3.6176, 83.6% of what can be saved."
    ).wait_for()
    page.get_by_text("All levels as a table").click()
    last = [row.split("\t") for row in page.inner_text("#ex-levels").splitlines()[1:]]
    guarded, best = orr.guarded(*THREE, 0.2), orr.optimal(*THREE)
    for row, *levels in zip(last, best.neighbour_epsilons, guarded.neighbour_epsilons, strict=True):
        np.testing.assert_allclose([float(cell) for cell in row[4:]], levels, atol=6e-4)
    page.get_by_role("button", name="Twelve answers").click()
    page.get_by_text("this page knows only the ends of the frontier").wait_for()


def test_too_extreme_numbers_are_shown_as_bounds(open_page):
    with open_page(f"{PLACE}#sizes=2,4,32,3,7,9,24,27&levels=5e-9,509,121,515,1e-5,2e-6,4e-8,596") as page:
        page.get_by_text("both bounds are proved, but do not meet").wait_for()
        lower, upper = re.search(
            r"The optimum costs ([\d.]+) to ([\d,.]+),", page.inner_text("#ex-overall")
        ).groups()
        problem = [2, 4, 32, 3, 7, 9, 24, 27], [5e-9, 509, 121, 515, 1e-5, 2e-6, 4e-8, 596]
        proof = orr.optimal(*problem, time_limit=0.5).certificate
        assert float(lower) <= proof.upper + 0.01
        assert float(upper.replace(",", "")) >= proof.lower - 0.01


PROVED = [([2, 3, 4], [8e-9, 1e-9, 3e-9]), *drawn(9, 8, ordinary)]


@pytest.mark.parametrize(("sizes", "levels"), some_slow(PROVED, *PROVED[2:]))
def test_what_is_proved_is_rounded_outward(open_page, sizes, levels):
    part = f"#sizes={','.join(map(str, sizes))}&levels={','.join(map(str, levels))}"
    with open_page(PLACE + part) as page:
        proof = page.locator("#ex-overall p", has_text="Proved:").inner_text()
        found = re.search(r"is below (.*), and the one found has at most (.*)\.", proof)
        below, above = (float(number.replace(",", "")) for number in found.groups())
        best = orr.optimal(sizes, levels, rel_gap=1e-9)
        assert below <= best.epsilon
        assert above >= best.certificate.lower
        assert below < above < below * (1 + 1e-6)


@pytest.mark.parametrize("size", [None, PHONE], ids=["wide", "phone"])
def test_every_mark_is_inside_its_picture(browser, open_page, size):
    sizes, levels = [4, 3, 2, 5], [0.08, 0.05, 0.03, 0.04]
    assert orr.inductive(sizes, levels).epsilon > orr.kronecker(sizes, levels).epsilon
    with browser.new_context(viewport=size) as context:
        page = open_page(f"{PLACE}#sizes=4,3,2,5&levels=0.08,0.05,0.03,0.04", context=context)
        expect(page, sizes, levels)
        boxes = page.locator("#explorer svg[role=img] .mark").evaluate_all(
            "marks => marks.map(e => [e, e.ownerSVGElement].map(e => e.getBoundingClientRect()))"
        )
        assert len(boxes) > 20
        for mark, picture in boxes:
            assert picture["left"] - 1 < mark["left"]
            assert mark["right"] < picture["right"] + 1


def test_every_example(page):
    links = set()
    for button in page.locator("#ex-presets button").all():
        button.click()
        page.wait_for_function("button => button.ariaPressed === 'true'", arg=button.element_handle())
        shown(page)
        links |= set(page.locator("#ex-notes p:not([hidden]) a").evaluate_all("all => all.map(a => a.href)"))
        for picture in page.locator("#explorer svg[role=img]").all():
            assert len(picture.get_attribute("aria-label").split()) >= 6
    assert len(links) >= 6
    for address, _, anchor in (found.partition("#") for found in links):
        assert f'id="{anchor or "main-content"}"' in page.request.get(address).text()


def test_changes_are_announced_once_they_are_over(page):
    for level in ("2.5", "2.6", "2.7"):
        slider(page, "Level of attribute 1").fill(level)
    expect(page, [2, 3, 4], [2.7, 1.5, 2])
    page.wait_for_function("document.querySelector('#ex-live').textContent.includes('Kronecker 6.2')")
    assert page.inner_text("#ex-overall p >> nth=0") in page.text_content("#ex-live")
    assert page.locator("#ex-live").get_attribute("role") == "status"


@pytest.mark.parametrize(("theme", "size"), some_slow([("light", None), ("dark", PHONE)], ("light", None)))
def test_axe_finds_nothing(browser, open_page, axe, theme, size):
    with browser.new_context(color_scheme=theme, viewport=size, reduced_motion="reduce") as context:
        page = open_page(f"{PLACE}#sizes=4,5&levels=0.6,1.1", context=context)
        expect(page, [4, 5], [0.6, 1.1])
        page.get_by_text("All levels as a table").click()
        box(page, "Level of attribute 2").fill("much")
        found = axe.run(page, context="#explorer").response["violations"]
        assert [rule["id"] for rule in found] == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_methods_look_as_everywhere_in_the_book(page):
    for method, look in METHODS.items():
        name = "optimum" if method == "optimal" else method
        style = page.locator(f"#ex-overall .{name}.line").first.evaluate(
            "e => [getComputedStyle(e).stroke, getComputedStyle(e).strokeDasharray]"
        )
        assert [int(part) for part in re.findall(r"\d+", style[0])] == [
            round(255 * c) for c in to_rgb(look["color"])
        ]
        assert len(style[1].split(",")) == {"-": 1, "--": 2, "-.": 4, ":": 2}[look["linestyle"]]


def test_it_works_from_a_disk(browser):
    with browser.new_context() as context:
        page = context.new_page()
        page.goto((BOOK / PLACE).as_uri())
        expect(page, *THREE)
        slider(page, "Level of attribute 1").fill("3")
        expect(page, [2, 3, 4], [3, 1.5, 2])
        with context.new_page() as again:
            again.goto(link(page))
            expect(again, [2, 3, 4], [3, 1.5, 2])


def test_without_scripts_the_page_says_what_it_needs(browser, address):
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(f"{address}/{PLACE}")
        page.get_by_text("It needs JavaScript").wait_for()


def test_other_pages_load_nothing_of_it():
    assert "figures.js" in (BOOK / PLACE).read_text("utf-8")
    for place in ["pages/glossary.html", "pages/bibliography.html", "chapters/10-reproducing.html"]:
        assert "figures.js" not in (BOOK / place).read_text("utf-8")


def test_it_is_small():
    files = [
        BOOK / "_static" / "figures.js",
        BOOK / "_static" / "figures.css",
        ROOT / "pages" / "explorer.md",
    ]
    assert sum(path.stat().st_size for path in files) < 120_000
