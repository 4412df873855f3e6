"""What the figures of the chapters must show, by the package's own numbers: a row a figure.

A row has a comparison of the figure's functions with the package, spoilt functions that it must catch, a
check of what the figure says in whatever state it is, and ways to move it by key, mouse and finger.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

import orr
from tests.chance import seed
from tests.common import brute_levels

from .touching import drag, middle, num, percent, says

close = np.testing.assert_allclose
SAME = object()  # a step after which the figure says what it said before
MAYBE = object()  # a step after which it may


@dataclass(frozen=True)
class Row:
    """A figure: how it is compared, spoilt, checked and moved."""

    place: str
    compare: Callable  # with the package; gets the page
    mutants: dict[str, list[str]]  # by function, what goes wrong with what it has `found`
    check: Callable  # of what is said, with the package; gets page and figure, and returns the value shown
    steps: list[tuple]  # an action, and what it leads to: a value, a property of it, or words
    start: str | tuple  # the value at first, or words
    grip: str = ".touch-handle"  # what keys, mouse and finger move
    finger: tuple[int, int] | None = None  # how far it goes, right and down
    tap: str | None = None  # a button for fingers
    motion: tuple[int, str] | None = None  # the number of a button, and what changes while its motion lasts
    link: str = ""  # part of the link to the explorer, at the end


def keys(name, times=1, at=None):
    """Press a key some times."""

    def act(page, touch, row):
        touch.locator(at or row.grip).focus()
        for _ in range(times):
            page.keyboard.press(name)

    return act


def mouse(right, down=0, at=None):
    """Drag from the middle of the grip."""

    def act(page, touch, row):
        grip = touch.locator(at or row.grip)
        grip.scroll_into_view_if_needed()
        x, y = middle(grip)
        drag(page, (x, y), (x + right, y + down))

    return act


def press(name, force=False):
    """Click a button."""
    return lambda page, touch, row: touch.get_by_role("button", name=name).click(force=force)


def fill(value, at="input"):
    """Set a slider."""
    return lambda page, touch, row: touch.locator(at).fill(value)


def chosen(touch):
    """Return the words of the button that is pressed."""
    return touch.locator("button[aria-pressed=true]").inner_text()


def answers(page, script, cases):
    """Return pairs of what a figure finds and of what it was given."""
    return zip(page.evaluate(script, cases), cases, strict=True)


@cache
def program(sizes, levels):
    """Solve the linear program of a problem."""
    return orr.linear_program(list(sizes), list(levels)).solve()


def best_level(sizes, levels):
    return program(tuple(sizes), tuple(levels)).epsilon


# Chapter budget: what a total buys.


@cache
def bought(sizes, shares, total):
    """Return the scale that the package finds: at most a millionth of a nat of the total is left."""
    mechanism = orr.allocate(total, sizes, shares, method=lambda *given: orr.linear_program(*given).solve())
    return mechanism.epsilons[0] / shares[0]


def compare_budget(page):
    rng = np.random.default_rng(18)
    sizes = [rng.integers(2, 7, rng.integers(2, 6)).tolist() for _ in range(25)]
    cases = [(a, rng.uniform(0.3, 3, len(a)).tolist(), rng.uniform(0.2, 9)) for a in sizes]
    script = "cases => cases.map(([sizes, shares, total]) => orr('budget').scale(sizes, shares, total))"
    for found, (a, shares, total) in answers(page, script, cases):
        close(found, bought(tuple(a), tuple(shares), total), rtol=1e-5)


def check_budget(page, touch):
    total = float(touch.locator(".touch-handle").get_attribute("aria-valuenow"))
    shares = tuple(float(share) for share in chosen(touch).removeprefix("shares ").split(", "))
    scale, alone = bought((2, 3, 4), shares, total), total / sum(shares)
    for t in (scale, alone):
        one, two, three = (num(page, t * share, 4) for share in shares)
        assert f" {one}, {two} and {three} " in says(touch)
    assert says(touch).startswith(f"A total of {num(page, total)} in shares")
    assert f"{num(page, scale / alone, 3)} times as much" in says(touch)
    return total


BUDGET = Row(
    "chapters/18-budget.html",
    compare_budget,
    {"scale": ["found *= 1.0001", "found = given[2] / given[1].reduce((a, b) => a + b)"]},
    check_budget,
    [
        (keys("ArrowUp"), 4.05),
        (keys("Shift+ArrowDown"), 3.55),
        (mouse(0, 40), lambda total: total < 3),
        *((press(f"shares {shares}"), None) for shares in ("1, 1, 1", "1, 1, 4", "1, 1.5, 2")),
        (mouse(0, -2000), 6),
    ],
    start=4,
    finger=(0, 70),
    link="&total=6",
)

# Chapter price: along the frontier.

SURVEY = [2, 3, 4], np.array([1, 1.5, 2])


def compare_slack(page):
    rng = np.random.default_rng(16)
    survey = [(SURVEY[0], SURVEY[1].tolist(), slack) for slack in (0, 0.05, 0.1, 0.2, 0.3, 0.5, 1)]
    cases = list(survey)
    for k in rng.integers(2, 4, 30):
        sizes, levels = rng.integers(2, 7, k).tolist(), rng.uniform(0.2, 2.5, k).tolist()
        cases.append((sizes, levels, rng.choice([0, *rng.uniform(0.01, 1.2, 5)])))
    script = """cases => cases.map(([sizes, levels, slack]) => {
        const given = orr("problem").problem(sizes, levels);
        return orr("slack").guard(given, orr("optimum").optimum(given), slack);
    })"""
    for found, case in answers(page, script, cases):
        best = orr.guarded(*case)
        close(found["epsilon"], best.epsilon, rtol=1e-6)
        assert (np.array(found["neighbours"]) <= (1 + case[2]) * np.array(case[1]) * (1 + 1e-9)).all()
        if case in survey:  # there is one guarded optimum; in general there may be more
            close(found["neighbours"], best.neighbour_epsilons, atol=1e-5)


def check_slack(page, touch):
    handle, levels = touch.locator(".touch-handle"), SURVEY[1]
    slack = float(handle.get_attribute("aria-valuenow")) / 100
    assert handle.get_attribute("aria-valuetext") == f"slack {percent(page, slack)}"
    best, free = orr.guarded(*SURVEY, slack), orr.optimal(*SURVEY).epsilon
    one, two, three = (num(page, n, 3) for n in best.neighbour_epsilons)
    share = max(levels.sum() - best.epsilon, 0) / (levels.sum() - free)
    words = says(touch)
    assert words.startswith(f"With a slack of {percent(page, slack)} neighbour levels")
    assert f"and are {one}, {two} and {three}." in words
    assert f"overall level is {num(page, best.epsilon, 4)} in place of 4.5" in words
    assert f"buys {percent(page, share)} of what" in words
    return slack


SLACK = Row(
    "chapters/16-price.html",
    compare_slack,
    {
        "guard": [
            "found = { ...found, epsilon: found.epsilon * (1 + 1e-5) }",
            "found = { ...found, neighbours: found.neighbours.map(n => n * 2) }",
        ]
    },
    check_slack,
    [
        (keys("ArrowLeft"), 0.19),
        (keys("Shift+ArrowLeft", 3), 0),
        (mouse(30), lambda slack: 0 < slack < 0.3),
        (mouse(2000), 1),
    ],
    start=0.2,
    finger=(90, 60),
    link="&slack=100",
)

# Chapter two-attributes: the map of the four cases.

CASES = ["I", "II", "III", "IV"]


def both(sizes, mechanism):
    """Return how often a mechanism for two attributes flips both."""
    return (sizes[0] - 1) * (sizes[1] - 1) * mechanism.matrix()[0, -1]


def compare_lines(page):
    rng, seen = np.random.default_rng(3), set()
    sizes = rng.integers(2, 13, (80, 2)).tolist()
    cases = list(zip(sizes, rng.uniform(0.05, 4, (80, 2)).tolist(), strict=True))
    script = """cases => cases.map(([sizes, levels]) => {
        const found = orr("lines").compute(sizes, levels);
        return { ...found, ratios: orr("lines").ratios(found.given, found.b),
            apart: orr("lines").ratios(found.given, found.independent) };
    })"""
    for found, (a, levels) in answers(page, script, cases):
        best, apart = orr.two_attribute(a, levels), orr.kronecker(a, levels)
        assert CASES[found["best"]] == best.case
        for key, mechanism in [("ratios", best), ("apart", apart)]:
            logs = [mechanism.log_ratio(flips) for flips in ([], [0], [1])]
            close(np.log(found[key]), logs, rtol=1e-8, atol=1e-8)
        close(found["epsilon"], best.epsilon, rtol=1e-9)
        close(found["kronecker"], sum(levels))
        close(found["b"], both(a, best), rtol=1e-8)
        close(found["independent"], both(a, apart), rtol=1e-8)
        assert max(found["stops"][2:]) < found["independent"] < min(found["stops"][:2])
        seen.add(best.case)
    assert seen == set(CASES)


def check_lines(page, touch):
    _, first, _, second = touch.locator(".touch-handle").get_attribute("aria-valuetext").split()
    levels = float(first), float(second)
    sizes = [int(size) for size in chosen(touch).removeprefix("sizes ").split(", ")]
    best = orr.two_attribute(sizes, levels)
    assert f"case {best.case}:" in says(touch)
    assert f"is {num(page, best.epsilon, 4)} in place of {num(page, sum(levels), 4)}" in says(touch)
    assert f"chance {num(page, both(sizes, best), 3)} " in says(touch)
    return best.case


LINES = Row(
    "chapters/03-two-attributes.html",
    compare_lines,
    {"compute": ["found.stops.reverse()", "found.b *= 1 + 1e-5", "found.best ^= 1"]},
    check_lines,
    [
        (keys("ArrowRight", 20), "case I:"),
        (keys("Shift+ArrowDown", 4), "case I:"),
        (keys("ArrowLeft", 35), "case IV:"),
        (keys("ArrowUp", 17), "case III:"),
        (mouse(40, 80), "case IV:"),
        (mouse(2000, -2000), "At levels 3 and 3 "),
        (press("sizes 3, 12"), "At levels 3 and 3 "),
    ],
    start="At levels 1.5 and 2 we are in case II",  # of genotype and diagnosis
    finger=(-80, 100),
    link="#sizes=3,12&levels=3,3",
)

# Chapter shape: a ball on the lattice of flip sets.

EXAMPLES = {
    "2.2 each": (2.2,) * 4,
    "0.6 each": (0.6,) * 4,
    "2, 0.6, 0.6, 0.6": (2, 0.6, 0.6, 0.6),
    "0.5, 1, 1.5, 2": (0.5, 1, 1.5, 2),
}


def ball(sizes, levels, weights, radius):
    """Return what the chapter's theorem on weights says of a ball: members, records, level and chance."""
    a, y = np.array(sizes), np.array(weights)
    p, q = 1 - 1 / a, (a - 1) / (np.exp(levels) + a - 1)
    flips = np.indices((2,) * len(a)).reshape(len(a), -1).T
    uniform = np.where(flips, p, 1 - p).prod(axis=1)
    inside = flips @ y <= radius + 1e-9
    supply = uniform[inside] @ ((q - flips[inside]) @ y) / (y @ (p - q))
    height = 1 / supply if supply > 1e-12 else np.inf
    law = uniform * np.where(inside, 1 + height, 1) if height < np.inf else uniform * inside
    return inside.sum(), uniform[inside].sum(), np.log1p(height), law[inside].sum() / law.sum()


def compare_lattice(page):
    rng, cases, reached = np.random.default_rng(11), [], 0
    for k in rng.integers(2, 6, 80):
        weights = rng.uniform(0, 1, k)
        sizes, levels = rng.integers(2, 7, k).tolist(), rng.uniform(0.1, 2.5, k).tolist()
        cases.append((sizes, levels, weights.tolist(), rng.uniform(0, weights.sum())))
    script = """cases => cases.map(([sizes, levels, weights, radius]) => {
        const given = orr("problem").problem(sizes, levels), { sets, ball } = orr("lattice");
        const best = orr("optimum").optimum(given);
        const expected = best.weights.reduce((total, y, i) => total + y * given.q[i], 0);
        const lowest = ball(given, sets(given, best.weights), best.weights, expected).level;
        return { ...ball(given, sets(given, weights), weights, radius), lowest, upper: best.upper };
    })"""
    for found, case in answers(page, script, cases):
        count, share, level, likely = ball(*case)
        assert found["count"] == count
        close(found["share"], share, rtol=1e-9)
        close([found["lowest"], found["upper"]], best_level(*case[:2]), rtol=1e-7)
        if level < np.inf:
            close([found["level"], found["likely"]], [level, likely], rtol=1e-7)
            reached += 1
        else:
            assert found["level"] == np.inf
    assert 20 < reached < 80


def check_lattice(page, touch):
    levels = EXAMPLES[chosen(touch)]
    best = program((3,) * 4, levels)
    weights = best.certificate.weights / best.certificate.weights.max()
    edge, radius = weights @ best.flip_probabilities, float(touch.locator("input").input_value())
    radius = edge if abs(radius - edge) < 0.006 else radius
    count, share, level, likely = ball([3] * 4, levels, weights, radius)
    words = says(touch)
    assert f"holds {count} of 16 flip sets, {percent(page, share)} of all records." in words
    if level == np.inf:
        assert "no height is enough" in words
        return level
    assert f"{num(page, np.exp(level), 3)} times as likely" in words
    assert f"overall level {num(page, level, 4)}." in words
    assert (f"in {percent(page, likely)} of releases" in words) != ("yellow" in words)
    assert ("That is the optimum" in words) == (level < best.epsilon + 1e-6)
    if "That is the optimum" in words:
        check_lights(touch, best)
    return level


def check_lights(touch, best):
    """Compare the flip sets that light up with the heights of the optimum."""
    nodes = touch.locator(".lattice-node").evaluate_all(
        "all => all.map(node => [node.nextElementSibling.textContent, node.getAttribute('class')])"
    )
    assert len(nodes) == 16
    for name, look in nodes:
        flips = [] if name == "truth" else [int(i) - 1 for i in name]
        if "lattice-edge" not in look:
            close(best.log_ratio(flips), best.epsilon if "lattice-lit" in look else 0, atol=1e-6)


LATTICE = Row(
    "chapters/11-shape.html",
    compare_lattice,
    {"ball": ["found.level += 1e-6", "found.share *= 1.001", "found.count += 1"]},
    check_lattice,
    [
        *((press(example), "That is the optimum") for example in ("2.2", "2, 0.6", "0.5, 1", "0.6 each")),
        (keys("Home"), "has a larger ball"),
        *[(keys("PageUp"), MAYBE)] * 9,
        (keys("End"), np.inf),
        (mouse(-30), None),
        (press("Best radius"), "That is the optimum."),
    ],
    start="That is the optimum.",
    grip="input",
    finger=(-90, 0),
)

# Chapter one-answer: a belief before and after an answer.


def bayes(before, level):
    """Return the belief in a "yes" after each answer, most telling first."""
    answer = orr.kronecker([2], [level]).matrix() if level else np.full((2, 2), 0.5)
    return [answer[u, 1] * before / (answer[u, 1] * before + answer[u, 0] * (1 - before)) for u in (1, 0)]


def sure(page, belief):
    return page.evaluate("belief => orr('numbers').sure(belief)", float(belief))


def compare_belief(page):
    rng = np.random.default_rng(4)
    cases = [(rng.uniform(0.001, 0.999), rng.uniform(0.01, 8)) for _ in range(60)]
    script = """cases => cases.map(([before, level]) =>
        [orr("belief").after(before, level), orr("belief").after(before, -level)])"""
    for found, case in answers(page, script, cases):
        close(found, bayes(*case), rtol=1e-9)
    for power in range(1, 15):  # near certainty is not called certain
        assert 50 < float(sure(page, 1 - 10.0**-power).removesuffix("%")) < 100


def check_belief(page, touch):
    before = int(touch.locator(".touch-handle").get_attribute("aria-valuenow")) / 100
    level = float(touch.locator("input").input_value())
    high, low = bayes(before, level)
    assert says(touch) == (
        f"At level {level:.1f} an answer changes odds by a factor of {num(page, np.exp(level), 3)} at most. "
        f"A belief of {percent(page, before)} ends up between {sure(page, low)} and {sure(page, high)}."
    )
    assert touch.locator("svg tspan").all_text_contents() == [sure(page, high), sure(page, low)]
    return before


BELIEF = Row(
    "chapters/01-one-answer.html",
    compare_belief,
    {"after": ["found *= 1 + 1e-6", "found = 1 - found"]},
    check_belief,
    [
        (keys("ArrowRight"), 0.51),
        (keys("ArrowDown"), 0.5),
        (keys("Shift+ArrowLeft"), 0.4),
        (keys("ArrowUp"), 0.41),
        (keys("Shift+ArrowRight", 6), 0.99),
        *((keys(name, at="input"), None) for name in ("ArrowRight", "PageUp", "End", "ArrowLeft", "Home")),
        (keys("Shift+ArrowLeft", 10), 0.01),
        (fill("4.6"), "and 50.1%."),  # the challenge: odds of 1 to 99 become even at level log 99 = 4.595
        (mouse(90, -20), lambda before: before > 0.11),
    ],
    start=0.5,
    finger=(-60, 60),
)

# Chapter many-answers: the dial.

DIFFER = np.indices((2, 2)).reshape(2, -1)
FLIPS = [1, 2] @ (DIFFER[:, :, None] != DIFFER[:, None, :]).reshape(2, -1)  # 0 none, 1, 2, 3 both
LOWEST = (np.e - 1) / 2  # where the dial of the figure has its lowest level


def law(levels, delta):
    """Return the chances of the flip sets, as equation many-dial has them."""
    one, two = np.exp(levels)
    x = np.array([one * two + delta, two - delta, one - delta, 1 + delta])
    return x / x.sum()


def compare_dial(page):
    """Compare random settings of the dial with levels read off a distortion matrix."""
    rng = np.random.default_rng(2)
    drawn = rng.uniform(0.1, 4, (40, 2))
    cases = [(levels.tolist(), rng.uniform(-0.95, 0.95 * np.exp(levels.min()))) for levels in drawn]
    script = """cases => cases.map(([levels, delta]) => ({
        ...orr("dial").compute(levels, delta), lowest: orr("dial").lowest(levels) }))"""
    for found, (levels, delta) in answers(page, script, cases):
        chances = law(levels, delta)
        overall, marginal, neighbour = brute_levels(chances[FLIPS].reshape(4, 4), (2, 2))
        close(found["chances"], chances, rtol=1e-9)
        close(found["overall"], overall, rtol=1e-9)
        close(found["attributes"], marginal, rtol=1e-9)
        close(found["attributes"], levels, rtol=1e-9)
        close(found["neighbours"], neighbour, rtol=1e-9)
        at = law(levels, found["lowest"])
        close(np.log(at.max() / at.min()), orr.two_attribute([2, 2], levels).epsilon, rtol=1e-9)


def check_dial(page, touch):
    delta = float(touch.locator("input").input_value())
    delta = LOWEST if abs(delta - LOWEST) < 0.006 else delta
    chances = law([1.5, 1], delta)
    overall, _, neighbour = brute_levels(chances[FLIPS].reshape(4, 4), (2, 2))
    assert f"flip in {percent(page, chances[3])} of records" in says(touch)
    assert f"{num(page, np.exp(overall), 3)} times as likely" in says(touch)
    assert f"overall level {num(page, overall, 4)}." in says(touch)
    assert f"{num(page, neighbour[0], 3)} and {num(page, neighbour[1], 3)}." in says(touch)
    return delta


DIAL = Row(
    "chapters/02-many-answers.html",
    compare_dial,
    {"compute": ["found.overall *= 1 + 1e-6", "found.neighbours.reverse()"]},
    check_dial,
    [
        (press("Lowest"), LOWEST),
        (press("Independent"), "overall level 2.5."),
        *[(keys("ArrowRight"), None)] * 3,
        *((keys(name), None) for name in ("PageUp", "End", "ArrowLeft", "Home")),
        (mouse(60), lambda delta: delta > 0.5),
    ],
    start="4.91% of records, as often as independent",
    grip="input",
    finger=(120, 0),
    motion=(1, "Number(figure.querySelector('input').value)"),
)

# Chapter certificate: what prices prove.


def dual_bound(y, sizes, levels):
    """Return what weights prove, as the chapter has it."""
    a, k = np.array(sizes), len(sizes)
    p, q = 1 - 1 / a, (a - 1) / (np.exp(levels) + a - 1)
    flips = np.indices((2,) * k).reshape(k, -1).T
    uniform = np.where(flips, p, 1 - p).prod(axis=1)
    earned = uniform @ np.maximum((q - flips) @ y, 0)
    return np.log1p(y @ (p - q) / earned) if earned else 0.0


def priced(number):
    """Draw problems and prices."""
    rng = np.random.default_rng(5)
    for k in rng.integers(2, 6, number):
        yield rng.integers(2, 7, k).tolist(), rng.uniform(0.1, 3, k).tolist(), rng.uniform(0, 3, k).tolist()


def compare_bars(page):
    script = """cases => cases.map(([sizes, levels, prices]) => {
        const given = orr("problem").problem(sizes, levels);
        const { proved, sets } = orr("bars").bound(given, prices);
        const { level, prices: best } = orr("bars").best(given);
        const closed = orr("bars").bound(given, best).proved;
        return { proved, level, closed, records: sets.map(set => set.records) };
    })"""
    for found, (sizes, levels, prices) in answers(page, script, list(priced(60))):
        close(found["proved"], dual_bound(np.array(prices), sizes, levels), rtol=1e-9)
        close([found["level"], found["closed"]], best_level(sizes, levels), rtol=1e-7)
        assert found["proved"] <= best_level(sizes, levels) * (1 + 1e-9)
        assert sum(found["records"]) == np.prod(sizes)


def check_bars(page, touch):
    prices = np.array([float(slider.input_value()) for slider in touch.locator("input:visible").all()])
    k = {"two answers": 2, "all three": 3}[chosen(touch)]
    assert len(prices) == k
    proved = dual_bound(prices, SURVEY[0][:k], SURVEY[1][:k])
    best = best_level(SURVEY[0][:k], SURVEY[1][:k])
    if "the gap is closed" in says(touch):
        assert best - proved < 1e-3  # sliders show the prices to two digits
        assert f"one sum over {2**k} flip sets." in says(touch)
        proved = best
    else:
        assert f"The optimum is {num(page, best)}: {num(page, best - proved, 2)} missing." in says(touch)
    assert f"at least {num(page, np.exp(proved), 3)} times" in says(touch)
    assert f"below {num(page, proved)}." in says(touch)
    return proved


FIRST, BETTER = (dual_bound(np.array([1, y]), [2, 3], [1, 1.5]) for y in (1, 1.1))
BARS = Row(
    "chapters/05-certificate.html",
    compare_bars,
    {"bound": ["found.proved *= 1 + 1e-6", "found.sets.pop()"]},
    check_bars,
    [
        (keys("ArrowRight", 10), lambda proved: proved > FIRST),
        (mouse(50, at="input >> nth=0"), f"Best so far: {BETTER:.5g}."),
        (fill("0", at="input >> nth=0"), lambda proved: proved < BETTER),
        (fill("0", at="input >> nth=1"), "below 0."),  # nothing is proved by nothing
        (press("all three"), None),
        (press("Best prices"), "the gap is closed"),
        (press("two answers"), None),
        (press("Best prices"), "the gap is closed"),
    ],
    start="below 1.9631.",
    grip="input >> nth=1",
    finger=(80, 0),
)

# Chapter induction: attributes join one by one.

JOINING = {
    "the survey": ([4, 3, 2], [2, 1.5, 1]),
    "in another order": ([2, 3, 4], [1, 1.5, 2]),
    "five answers": ([2, 3, 2, 2, 2], np.log([4, 3, 3, 5, 4 / 3]).tolist()),
}


def compare_induction(page):
    """Compare every step with the heuristic for the attributes that have joined by then."""
    rng, lowered, raised = np.random.default_rng(6), 0, 0
    many = rng.integers(2, 9, 60)
    cases = [(rng.integers(2, 6, k).tolist(), rng.uniform(0.1, 3, k).tolist()) for k in many]
    script = "cases => cases.map(([sizes, levels]) => orr('induction').steps(sizes, levels))"
    for found, (sizes, levels) in answers(page, script, [*cases, *JOINING.values()]):
        assert len(found) == len(sizes) - 1
        for k, step in enumerate(found, 2):
            package = orr.inductive(sizes[:k], levels[:k])
            close(step["achieved"], package.epsilons, rtol=1e-9)
            close(step["epsilon"], package.epsilon, rtol=1e-9)
            assert step["fellBack"] == package.fell_back.tolist()
            logs = [package.log_ratio([]), *(package.log_ratio([i]) for i in range(k))]
            close(np.log1p(np.prod(sizes[:k]) * np.array([step["z0"], *step["z"]])), logs, atol=1e-9)
            close(step["mass"], found[0]["mass"], rtol=1e-12)
            if step["fellBack"][-1]:
                lowered += step["asked"] < 0
                raised += step["asked"] > 0
                assert (step["asked"] < 0) == (package.epsilons[-1] < levels[k - 1])
    assert min(lowered, raised) > 10


def check_induction(page, touch):
    sizes, levels = JOINING[chosen(touch)]
    bars, words = touch.locator("svg .bold").all_text_contents(), says(touch)
    k = len(bars) + 1
    now = orr.inductive(sizes[:k], levels[:k])
    assert f"overall level is {'' if k == 2 else 'now '}{num(page, now.epsilon, 4)}." in words
    assert ("falls back" in words) == now.fell_back[-1]
    if now.fell_back[-1]:
        assert f"level {num(page, now.epsilons[-1], 4)} instead" in words
        assert ("lowered" if now.epsilons[-1] < levels[k - 1] else "raised") in words
    assert [bar.endswith("falls back") for bar in bars[1:]] == now.fell_back[2:].tolist()
    for name, end in [("Previous", 2), ("Next", len(sizes))]:
        stopped = touch.get_by_role("button", name=name).get_attribute("aria-disabled")
        assert stopped == str(k == end).lower()
    return k


def walk(example):
    """Take all steps of an example, try another, and go back one."""
    size = len(JOINING[example][0])
    onward = [(press("Next"), k) for k in range(3, size + 1)]
    return [(press(example), 2), *onward, (press("Next", force=True), SAME), (press("Previous"), size - 1)]


INDUCTION = Row(
    "chapters/06-induction.html",
    compare_induction,
    {"steps": ["found.at(-1).epsilon *= 1 + 1e-6", "found[0].fellBack[1] = true", "found.at(-1).z0 += 1e-5"]},
    check_induction,
    [
        *walk("in another order"),
        *walk("the survey"),
        (keys("ArrowRight"), "from 1.463 to 1.264"),
        (keys("ArrowLeft"), 2),
        *walk("five answers"),
    ],
    start=2,
    grip="button[aria-pressed=true]",
    tap="Next",
    motion=(1, "figure.querySelector('.part-4')?.width.baseVal.value ?? 0"),
    link="#sizes=2,3,2,2,2&levels=1.386",
)

# Chapter one-answer: a thousand people.


SEED = seed(5) % 2**32  # of the figure on the page
SEEDED = f"Crypto.prototype.getRandomValues = array => array.fill({SEED})"


def mulberry(start, many):
    """Return numbers from 0 to 1 of the figure's generator, written anew."""
    state = (start + 0x6D2B79F5 * np.arange(1, many + 1, dtype=np.uint64)).astype(np.uint32)
    mixed = (state ^ state >> 15) * (state | 1)
    mixed ^= mixed + (mixed ^ mixed >> 7) * (mixed | 61)
    return (mixed ^ mixed >> 14) / 2.0**32


@cache
def spins():
    """Return where the pointers of a thousand people stop, in each survey that the figure may come to."""
    return mulberry(SEED, 600_000).reshape(600, 1000)


def compare_people(page):
    """Compare random pointers and counts with the package, then chance itself with what it should be."""
    rng = np.random.default_rng(1)
    cases = [(int(rng.integers(0, 1001)), rng.uniform(0.01, 0.4)) for _ in range(40)]
    script = """cases => cases.map(([yes, q]) => {
        const people = orr("people");
        return [people.level(q), people.estimate(yes, q), people.standardError(q)];
    })"""
    for found, (yes, q) in answers(page, script, cases):
        pointer = orr.kronecker([2], [np.log((1 - q) / q)])
        close(pointer.flip_probabilities, q)
        table = pointer.estimate((np.arange(1000) < yes).astype(int)[:, np.newaxis], 0)
        close(found, [pointer.epsilon, table.counts[1], table.standard_errors[1]], rtol=1e-9, atol=1e-9)
    first = "([seed, many]) => Array.from({ length: many }, orr('random').chance(seed))"
    for start in (0, 1, 2**32 - 1):
        assert page.evaluate(first, [start, 50]) == mulberry(start, 50).tolist()
    drawn = np.array(page.evaluate(first, [5, 100_000]))
    seen = np.histogram(drawn, bins=100, range=(0, 1))[0]
    assert ((seen - 1000) ** 2 / 1000).sum() < 160  # chi-square of 99 degrees: once in 10,000 seeds
    assert abs(np.corrcoef(drawn[:-1], drawn[1:])[0, 1]) < 0.015
    surveys = """([seed, q, many]) => {
        const people = orr("people"), draw = orr("random").chance(seed);
        return Array.from({ length: many }, () => {
            const said = people.answers(people.spins(draw), q);
            return [said.slice(0, 300), said.slice(300)].map(people.count);
        });
    }"""
    for q in (0.05, 0.25, 0.4):
        smokers, others = np.array(page.evaluate(surveys, [11, q, 400])).T
        for seen, expected, many in [(smokers, 300 * (1 - q), 300), (others, 700 * q, 700)]:
            spread = np.sqrt(many * q * (1 - q))
            assert abs(seen.mean() - expected) < 5 * spread / 20
            assert abs(seen.std() / spread - 1) < 0.15


def check_people(page, touch):
    """Compare the sentence with the chapter's formulas, surveys with those drawn anew, the picture with both.

    The seed is ours, so nothing is left to chance. The last 400 surveys are kept, of however many.
    """
    q = float(touch.locator("input").input_value()) / 100
    pattern = (
        r"Level ([\d.]+): an answer multiplies anybody.s odds by ([\d.]+) at most\. (\d+) surveys have "
        r"a mean of ([\d.]+) smokers and a spread of ([\d.]+); the standard error is ([\d.]+)\."
    )
    found = map(float, re.fullmatch(pattern, says(touch)).groups())
    level, factor, surveys, average, spread, error = found
    standard_error = np.sqrt(1000 * q * (1 - q)) / (1 - 2 * q)
    close([level, factor], [np.log((1 - q) / q), (1 - q) / q], atol=0.051)
    close(error, standard_error, atol=0.051)
    said = ((spins() < q) != (np.arange(1000) < 300)).sum(axis=1)
    found, kept = (said - 1000 * q) / (1 - 2 * q), int(surveys)
    ends = [
        end
        for end in ([kept] if kept < 400 else range(400, 601))
        if abs(found[end - kept : end].mean() - average) < 0.051
        and abs(found[end - kept : end].std() - spread) < 0.051
    ]
    assert ends
    pattern = r"(\d+) of 1,000 people say “yes”\s*so about (-?\d+) smoke"
    yes, about = map(int, re.search(pattern, touch.locator("svg").text_content()).groups())
    assert yes in said[np.array(ends) - 1]
    assert abs((yes - 1000 * q) / (1 - 2 * q) - about) <= 0.5 + 1e-9
    assert touch.locator("svg path.people-yes").first.get_attribute("d").count("h0") == yes
    return q, surveys


def asked(many):
    return lambda shown: shown[1] == many


PEOPLE = Row(
    "chapters/01-one-answer.html",
    compare_people,
    {"estimate": ["found += 1e-3"], "standardError": ["found *= 1.001"], "level": ["found = -found"]},
    check_people,
    [
        *[(keys("ArrowRight"), None)] * 3,
        *((keys(name), None) for name in ("PageUp", "End", "ArrowLeft", "Home")),
        (mouse(40), lambda shown: shown[0] > 0.2),
        (press("Ask again"), asked(21)),
        *((press("Ask 100 times"), asked(many)) for many in (121, 221, 321, 400, 400)),  # 400 are kept
    ],
    start=(0.25, 20),
    grip="input",
    finger=(90, 0),
    tap="Ask again",
    motion=(0, "figure.querySelector('svg path.people-yes').getAttribute('d')"),
)

ROWS = {
    "people": PEOPLE,
    "belief": BELIEF,
    "dial": DIAL,
    "lines": LINES,
    "bars": BARS,
    "induction": INDUCTION,
    "lattice": LATTICE,
    "slack": SLACK,
    "budget": BUDGET,
}
