"""What the figures must show, by the package's own numbers: a row a figure.

A row says which numbers the figure's sentence has in whatever state it is, and how to move it by key, mouse
and finger. The protocol that reads the rows is in ``test_figures.py``.

This file is long because it is one table, with a formula of the book for each figure.
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np

import orr
from tests.chance import seed
from tests.common import brute_levels

from .touching import drag, fixed, middle, num, percent, says, sure

SAME = object()  # a step after which the figure says what it said before
MAYBE = object()  # a step after which it may
TOLD = None  # a number that depends on earlier states: steps say what it is


@dataclass(frozen=True)
class Row:
    """A figure: where it is, what it says, and how it is moved."""

    place: str
    shows: Callable  # gets the figure, checks its picture, returns the value shown and the sentence's numbers
    start: str | float | tuple  # the value at first, or words
    steps: list[tuple]  # an action, and what it leads to: a value, a property of it, or words
    grip: str = ".touch-handle"  # what keys, mouse and finger move
    finger: tuple[int, int] | None = None  # how far it goes, right and down
    step: float = 3  # how far from the finger the grip may stop, in pixels
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


def slid(touch):
    """Return the value of the only slider."""
    return float(touch.locator("input").input_value())


def held(touch, part="now"):
    """Return the value of the point that can be dragged."""
    value = touch.locator(".touch-handle").get_attribute(f"aria-value{part}")
    return float(value) if part == "now" else value


def nums(values, digits=5):
    return [num(value, digits) for value in values]


@cache
def program(sizes, levels):
    """Solve the linear program of a problem."""
    return orr.linear_program(list(sizes), list(levels)).solve()


def flips_of(sizes):
    """Return all flip sets, and the chance of each among records that are drawn uniformly."""
    flips, p = np.indices((2,) * len(sizes)).reshape(len(sizes), -1).T, 1 - 1 / np.array(sizes)
    return flips, np.where(flips, p, 1 - p).prod(axis=1)


SURVEY = (2, 3, 4), (1, 1.5, 2)

# Chapter budget: what a total buys.


@cache
def bought(sizes, shares, total):
    """Return the scale that the package finds: at most a millionth of a nat of the total is left."""
    mechanism = orr.allocate(total, sizes, shares, method=lambda *given: orr.linear_program(*given).solve())
    return mechanism.epsilons[0] / shares[0]


def budget(touch):
    total, shares = held(touch), tuple(map(float, chosen(touch).removeprefix("shares ").split(", ")))
    alone, scale = total / sum(shares), bought(SURVEY[0], shares, total)
    levels = [t * share for t in (alone, scale) for share in shares]
    return total, [*nums([total, *shares]), *nums(levels, 4), num(scale / alone, 3)]


BUDGET = Row(
    "chapters/18-budget.html",
    budget,
    4,
    [
        (keys("ArrowUp"), 4.05),
        (keys("Shift+ArrowDown"), 3.55),
        (mouse(0, 40), lambda total: total < 3),
        *((press(f"shares {shares}"), None) for shares in ("1, 1, 1", "1, 1, 4", "1, 1.5, 2")),
        (mouse(0, -2000), 6),
    ],
    finger=(0, 70),
    link="&total=6",
)

# Chapter price: along the frontier.


def slack(touch):
    slack, levels = held(touch) / 100, np.array(SURVEY[1])
    assert held(touch, "text") == f"slack {percent(slack)}"
    best, whole = orr.guarded(*SURVEY, slack), levels.sum()
    share = max(whole - best.epsilon, 0) / (whole - orr.optimal(*SURVEY).epsilon)
    caps = nums([*((1 + slack) * levels), *best.neighbour_epsilons], 3)
    return slack, [percent(slack), *caps, num(best.epsilon, 4), num(whole), percent(share)]


SLACK = Row(
    "chapters/16-price.html",
    slack,
    0.2,
    [
        (keys("ArrowLeft"), 0.19),
        (keys("Shift+ArrowLeft", 3), 0),
        (mouse(30), lambda slack: 0 < slack < 0.3),
        (mouse(2000), 1),
    ],
    finger=(90, 60),
    link="&slack=100",
)

# Chapter two-attributes: the map of the four cases.

STOPS = {"I": ["1", "1"], "II": ["2", "1"], "III": ["1"], "IV": ["2"]}  # numbers in the words for a case


def lines(touch):
    _, first, _, second = held(touch, "text").split()
    sizes, levels = chosen(touch).removeprefix("sizes ").split(", "), (float(first), float(second))
    sizes = tuple(map(int, sizes))
    best, apart = orr.two_attribute(sizes, levels), orr.kronecker(sizes, levels)
    assert f"case {best.case}:" in says(touch)
    both = [math.prod(np.subtract(sizes, 1)) * mechanism.matrix()[0, -1] for mechanism in (best, apart)]
    now, whole = best.epsilon, sum(levels)
    ends = [*nums(both, 3), *nums([now, whole], 4), num(whole - now, 2)]
    return best.case, [first, second, *STOPS[best.case], *ends]


LINES = Row(
    "chapters/03-two-attributes.html",
    lines,
    "At levels 1.5 and 2 we are in case II",  # of genotype and diagnosis
    [
        (keys("ArrowRight", 20), "case I:"),
        (keys("Shift+ArrowDown", 4), "case I:"),
        (keys("ArrowLeft", 35), "case IV:"),
        (keys("ArrowUp", 17), "case III:"),
        (mouse(40, 80), "case IV:"),
        (mouse(2000, -2000), "At levels 3 and 3 "),
        (press("sizes 3, 12"), "At levels 3 and 3 "),
        (press("sizes 2, 2"), "At levels 3 and 3 "),
        (press("sizes 3, 12"), "At levels 3 and 3 "),
    ],
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


def lattice(touch):
    """Compare a ball with what the chapter's theorem on weights says of it."""
    best = program((3,) * 4, EXAMPLES[chosen(touch)])
    y, q = best.certificate.weights / best.certificate.weights.max(), best.flip_probabilities
    edge, radius = y @ q, slid(touch)
    radius = edge if abs(radius - edge) < 0.006 else radius
    flips, uniform = flips_of((3,) * 4)
    inside = flips @ y <= radius + 1e-9
    share, supply = uniform[inside].sum(), uniform[inside] @ ((q - flips[inside]) @ y) / (y @ (2 / 3 - q))
    numbers = [str(inside.sum()), "16", percent(share)]
    if supply < 1e-12:
        assert "no height is enough" in says(touch)
        return np.inf, numbers
    level = np.log1p(1 / supply)
    numbers.append(num(np.exp(level), 3))
    if found := level < best.epsilon + 1e-6:
        check_lights(touch, best)
    if not (found and np.isclose(flips @ y, edge, atol=1e-7).any()):
        numbers.append(percent(share * (1 + 1 / supply) / (1 + share / supply)))
    assert ("That is the optimum" in says(touch)) == found
    return level, [*numbers, num(level, 4), *([] if found else nums([best.epsilon], 4))]


def check_lights(touch, best):
    """Compare the flip sets that light up with the heights of the optimum."""
    nodes = touch.locator(".lattice-node").evaluate_all(
        "all => all.map(node => [node.nextElementSibling.textContent, node.getAttribute('class')])"
    )
    assert len(nodes) == 16
    for name, look in nodes:
        flips = [] if name == "truth" else [int(i) - 1 for i in name]
        if "lattice-edge" not in look:
            height = best.epsilon if "lattice-lit" in look else 0
            np.testing.assert_allclose(best.log_ratio(flips), height, atol=1e-6)


LATTICE = Row(
    "chapters/11-shape.html",
    lattice,
    "That is the optimum.",
    [
        *((press(example), "That is the optimum") for example in ("2.2", "2, 0.6", "0.5, 1", "0.6 each")),
        (keys("Home"), "has a larger ball"),
        *[(keys("PageUp"), MAYBE)] * 9,
        (keys("End"), np.inf),
        (mouse(-30), None),
        (press("Best radius"), "That is the optimum."),
    ],
    grip="input",
    finger=(-90, 0),
)

# Chapter one-answer: a belief before and after an answer.


def belief(touch):
    before, level = held(touch) / 100, slid(touch)
    answer = orr.kronecker([2], [level]).matrix() if level else np.full((2, 2), 0.5)
    now = np.array([1 - before, before])
    ends = [sure(answer[u, 1] * before / (answer[u] @ now)) for u in (0, 1)]
    assert touch.locator("svg tspan").all_text_contents() == ends[::-1]
    return before, [fixed(level, 1), num(np.exp(level), 3), percent(before), *ends]


BELIEF = Row(
    "chapters/01-one-answer.html",
    belief,
    0.5,
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
    finger=(-60, 60),
)

# Chapter many-answers: the dial.

DIFFER = np.indices((2, 2)).reshape(2, -1)
FLIPS = [1, 2] @ (DIFFER[:, :, None] != DIFFER[:, None, :]).reshape(2, -1)  # 0 none, 1, 2, 3 both
LOWEST = (np.e - 1) / 2  # where the dial of the figure has its lowest level


def law(delta):
    """Return the chances of the flip sets, as equation many-dial has them."""
    one, two = np.exp([1.5, 1])
    return np.array([one * two + delta, two - delta, one - delta, 1 + delta]) / (one + 1) / (two + 1)


def dial(touch):
    delta = slid(touch)
    delta = LOWEST if abs(delta - LOWEST) < 0.006 else delta
    chances, often = law(delta), [num(law(delta)[3] / law(0)[3], 3)] if delta else []
    overall, marginal, neighbour = brute_levels(chances[FLIPS].reshape(4, 4), (2, 2))
    levels = [num(np.exp(overall), 3), num(overall, 4), *nums(marginal), *nums(neighbour, 3)]
    return delta, [percent(chances[3]), *often, *levels]


DIAL = Row(
    "chapters/02-many-answers.html",
    dial,
    "4.91% of records, as often as independent",
    [
        (press("Lowest"), f"overall level {num(orr.two_attribute([2, 2], [1.5, 1]).epsilon, 4)}."),
        (press("Independent"), "overall level 2.5."),
        *[(keys("ArrowRight"), None)] * 3,
        *((keys(name), None) for name in ("PageUp", "End", "ArrowLeft", "Home")),
        (mouse(60), lambda delta: delta > 0.5),
    ],
    grip="input",
    finger=(120, 0),
    motion=(1, "Number(figure.querySelector('input').value)"),
)

# Chapter certificate: what prices prove.


def proved_by(*prices):
    """Return what prices of the first answers prove, as the chapter has it."""
    k, y = len(prices), np.array(prices)
    sizes, levels = np.array(SURVEY[0][:k]), np.array(SURVEY[1][:k])
    p, q = 1 - 1 / sizes, (sizes - 1) / (np.exp(levels) + sizes - 1)
    flips, uniform = flips_of(sizes)
    earned = uniform @ np.maximum((q - flips) @ y, 0)
    return np.log1p(y @ (p - q) / earned) if earned else 0.0


def bars(touch):
    proved = proved_by(*(float(slider.input_value()) for slider in touch.locator("input:visible").all()))
    k = {"two answers": 2, "all three": 3}[chosen(touch)]
    best = program(SURVEY[0][:k], SURVEY[1][:k]).epsilon
    if "the gap is closed" in says(touch):
        assert best - proved < 1e-3  # sliders show the prices to two digits
        return best, [num(np.exp(best), 3), num(best), str(2**k)]
    return proved, [num(np.exp(proved), 3), *nums([proved, best]), num(best - proved, 2), TOLD]


FIRST, BETTER = proved_by(1, 1), proved_by(1, 1.1)
BARS = Row(
    "chapters/05-certificate.html",
    bars,
    "below 1.9631.",
    [
        (keys("ArrowRight", 10), lambda proved: proved > FIRST),
        (mouse(50, at="input >> nth=0"), f"Best so far: {num(BETTER)}."),
        (fill("0", at="input >> nth=0"), lambda proved: proved < BETTER),
        (fill("0", at="input >> nth=1"), "below 0."),  # nothing is proved by nothing
        (press("all three"), None),
        (press("Best prices"), "the gap is closed"),
        (press("two answers"), None),
        (press("Best prices"), "the gap is closed"),
    ],
    grip="input >> nth=1",
    finger=(80, 0),
)

# Chapter induction: attributes join one by one.

JOINING = {
    "the survey": ([4, 3, 2], [2, 1.5, 1]),
    "in another order": ([2, 3, 4], [1, 1.5, 2]),
    "five answers": ([2, 3, 2, 2, 2], np.log([4, 3, 3, 5, 4 / 3]).tolist()),
}


def induction(touch):
    """Compare a step with the heuristic for the attributes that have joined by then."""
    (sizes, levels), five = JOINING[chosen(touch)], chosen(touch) == "five answers"
    bars, words = touch.locator("svg .bold").all_text_contents(), says(touch)
    k = len(bars) + 1
    now, before = (orr.inductive(sizes[:j], levels[:j]) if j > 1 else None for j in (k, k - 1))
    z0, *z = np.expm1([now.log_ratio([]), *(now.log_ratio([i]) for i in range(k))]) / math.prod(sizes[:k])
    mass = num(z0 + np.subtract(sizes[:k], 1) @ z, 4)
    for name, end in [("Previous", 2), ("Next", len(sizes))]:
        stopped = touch.get_by_role("button", name=name).get_attribute("aria-disabled")
        assert stopped == str(k == end).lower()
    assert [bar.endswith("falls back") for bar in bars[1:]] == now.fell_back[2:].tolist()
    name, asked, got = [str(k)] if five else [], levels[k - 1], now.epsilons[-1]
    if k == 2:
        numbers = [*(["1", "2"] if five else []), mass, num(z0, 4), num(now.epsilon, 4)]
        return k, numbers + (["3"] if five else [])
    if not now.fell_back[-1]:
        was = np.expm1(before.log_ratio([])) / math.prod(sizes[: k - 1])
        paid = [num((sizes[k - 1] - 1) * z[-1], 3), *nums([was, z0, now.epsilon], 4)]
        return k, [num(asked, 4), *name, *paid]
    assert ("lowered" if got < asked else "raised") in words
    too_much = [mass] if got < asked else []
    return k, [num(asked, 4), *name, *too_much, *nums([got, now.epsilon], 4)]


def walk(example):
    """Take all steps of an example, try another, and go back one."""
    size = len(JOINING[example][0])
    onward = [(press("Next"), k) for k in range(3, size + 1)]
    return [(press(example), 2), *onward, (press("Next", force=True), SAME), (press("Previous"), size - 1)]


INDUCTION = Row(
    "chapters/06-induction.html",
    induction,
    2,
    [
        *walk("in another order"),
        *walk("the survey"),
        (keys("ArrowRight"), "from 1.463 to 1.264"),
        (keys("ArrowLeft"), 2),
        *walk("five answers"),
    ],
    grip="button[aria-pressed=true]",
    tap="Next",
    motion=(1, "figure.querySelector('.part-4')?.width.baseVal.value ?? 0"),
    link="#sizes=2,3,2,2,2&levels=1.386",
)

# Chapter one-answer: a thousand people; on the first page in plain words.

SEED = seed(5) % 2**32  # of the figure on the page
SEEDED = f"Crypto.prototype.getRandomValues = array => array.fill({SEED})"
ASKED = 421  # how often people were asked once 400 surveys are shown, which are the most that are kept


@cache
def spins():
    """Return where the pointers of a thousand people stop in each survey: the page's mulberry32, anew."""
    state = SEED + 0x6D2B79F5 * np.arange(1, 1000 * ASKED + 1, dtype=np.uint64)
    state = state.astype(np.uint32)
    mixed = (state ^ state >> 15) * (state | 1)
    mixed ^= mixed + (mixed ^ mixed >> 7) * (mixed | 61)
    return ((mixed ^ (mixed >> 14)) / 2.0**32).reshape(ASKED, 1000)


def people(touch):
    """Compare the sentence with the package, surveys with those drawn anew, the picture with both."""
    q = slid(touch) / 100
    pointer = orr.kronecker([2], [np.log((1 - q) / q)])
    odds = [fixed(pointer.epsilon, 2), fixed(np.exp(pointer.epsilon), 1)]
    found = re.search(r"(\d+) surveys have a mean", says(touch))
    if not found:
        return q, [*odds, percent(1 - q)]
    surveys = int(found[1])
    end = surveys if surveys < 400 else ASKED
    truth = np.arange(1000) < 300
    said = ((spins()[end - surveys : end] < q) != truth).sum(axis=1)
    table = pointer.estimate(truth.astype(int)[:, np.newaxis], 0)
    smoke = (said - 1000 * q) / (1 - 2 * q)
    pattern = r"(\d+) of 1,000 people say “yes”\s*so about (-?\d+) smoke"
    shown = re.search(pattern, touch.locator("svg").text_content()).groups()
    assert shown == (str(said[-1]), fixed(smoke[-1], 0))
    assert touch.locator("svg path.people-yes").first.get_attribute("d").count("h0") == said[-1]
    spread = [smoke.mean(), smoke.std(), table.standard_errors[1]]
    return (q, surveys), [*odds, found[1], *(fixed(value, 1) for value in spread)]


def asked(many):
    return lambda shown: shown[1] == many


PEOPLE = Row(
    "chapters/01-one-answer.html",
    people,
    (0.25, 20),
    [
        *[(keys("ArrowRight"), None)] * 3,
        *((keys(name), None) for name in ("PageUp", "End", "ArrowLeft", "Home")),
        (mouse(40), lambda shown: shown[0] > 0.2),
        (press("Ask again"), asked(21)),
        *((press("Ask 100 times"), asked(many)) for many in (121, 221, 321, 400)),
    ],
    grip="input",
    finger=(90, 0),
    tap="Ask again",
    motion=(0, "figure.querySelector('svg path.people-yes').getAttribute('d')"),
)
PLAIN = Row(
    "index.html",
    people,
    "odds by 2.7 at most. Who would have bet evenly on you is then 73.1% sure",
    [(keys(name), None) for name in ("ArrowLeft", "Home", "End")],
    grip="input",
    finger=(60, 0),
)

# The first page: three answers flipped in two ways.

COUNT = 22  # people


def dice(touch):
    """Compare who flips what with the package: the level, and people with as many flips as expected."""
    together = chosen(touch) == "Together"
    alone, best = orr.kronecker(*SURVEY), orr.optimal(*SURVEY, rel_gap=1e-9)
    mechanism = best if together else alone
    counts = [str(n) for n in np.rint(COUNT * mechanism.flip_probabilities).astype(int)]
    place = "all => all.map(e => [Number(e.getAttribute('y')), Number(e.getAttribute('x')).toFixed(3)])"
    flips = touch.locator(".dice-flip").evaluate_all(place)
    rows = [{x for y, x in flips if y == row} for row in sorted({y for y, _ in flips})]
    assert [str(len(row)) for row in rows] == counts
    anybody = set().union(*rows)
    for case in product([False, True], repeat=3):
        inside = np.flatnonzero(case)
        chance = np.exp(mechanism.log_ratio(inside) - mechanism.log_ratio([])) * mechanism.matrix()[0, 0]
        chance *= np.prod(np.subtract(SURVEY[0], 1)[inside])
        seen = sum(all((x in row) == flip for row, flip in zip(rows, case, strict=True)) for x in anybody)
        assert abs((seen if any(case) else COUNT - len(anybody)) - COUNT * chance) < 1
    assert num(mechanism.epsilon, 3) in touch.locator("svg text.story-big").text_content()
    ends = [fixed(best.epsilon, 2), num(alone.epsilon)] if together else [str(COUNT), num(alone.epsilon)]
    return mechanism.epsilon, [*counts, *ends]


DICE = Row(
    "index.html",
    dice,
    "6, 7 and 6 times), and the level is 3.44 instead of 4.5.",
    [
        (press("Each on its own"), "The levels add up to 4.5."),
        (keys("Enter", at="button >> nth=1"), "3.44"),
    ],
    tap="Each on its own",
    motion=(0, "[...figure.querySelectorAll('.dice-flip')].map(flip => flip.getAttribute('x')).join()"),
)

# Many questions: levels add up.


def adding(touch):
    k = int(slid(touch))
    matrix = orr.kronecker([2] * k, [1.0] * k).matrix()
    odds = matrix[0, 0] / matrix[0, -1]  # Anna's answers and Ben's, who differ in all
    assert touch.locator(".sum-answer").count() == 3 * k
    ends = [num(np.log(odds)), num(odds, 2 if odds < 10 else 4), sure(odds / (1 + odds))]
    return k, [*([str(k)] if k > 1 else []), *ends]


SUM = Row(
    "index.html",
    adding,
    3,
    [
        (keys("End"), "the odds on her grow by a factor of 2,981, "),
        (keys("Home"), "One question: the level is 1."),
        (mouse(0), lambda questions: 3 <= questions <= 6),
    ],
    grip="input",
    finger=(60, 0),
    step=30,  # there are but eight values
)

# Flips that keep company.

PAIR_APART, PAIR_BEST = orr.kronecker([2, 2], [1, 1]), orr.optimal([2, 2], [1, 1], rel_gap=1e-9)


def pair(touch):
    """Compare the level with one read off a distortion matrix, and the picture with its own numbers."""
    own, lowest = (mechanism.matrix()[0, 3] for mechanism in (PAIR_APART, PAIR_BEST))
    people, flips = int(slid(touch)), PAIR_APART.flip_probabilities[0]
    x = next((v for v in (own, lowest) if int(1000 * v) == people), people / 1000)
    none, one = 1 - 2 * flips + x, flips - x
    level = brute_levels(np.array([none, one, one, x])[FLIPS].reshape(4, 4), (2, 2))[0]
    dots = touch.locator("svg path.round").evaluate_all(
        "all => all.map(e => e.getAttribute('d').split('h0').length - 1)"
    )
    shown = [int(text) for text in touch.locator("svg text.bold").all_text_contents()]
    assert shown == [int(fixed(1000 * v, 0)) for v in (none, one, one, x)]
    assert sum(dots) == 1000
    assert np.abs(np.subtract(dots, shown)).max() <= 1
    ratio = max(none, one, x) / min(none, one, x)
    assert f"{fixed(ratio, 1)} to 1" in touch.locator("svg").text_content()
    if x == own:
        return level, [str(shown[3]), fixed(level, 2)]
    case = [] if x == lowest else [str(shown[3] if x < lowest else shown[1])]
    return level, [fixed(1000 * flips, 0), "1,000", *case, fixed(level, 2)]


def near(level):
    return lambda found: abs(found - level) < 1e-9


PAIR = Row(
    "index.html",
    pair,
    "level 2.00, the sum",
    [
        (keys("ArrowRight"), lambda level: level < 2),
        (fill("133"), lambda level: level > PAIR_BEST.epsilon),
        (keys("ArrowRight"), near(PAIR_BEST.epsilon)),  # the lowest level lies between two steps
        (keys("ArrowRight"), "Too much company"),
        (keys("End"), lambda level: level > 2),
        (fill("72"), near(2)),
    ],
    grip="input",
    finger=(60, 0),
)

# The sister.


def learnt(mechanism, known):
    """Return the level at which the last of three bits is learnt by whoever knows some others."""
    matrix = mechanism.matrix().reshape([2] * 6)
    for other in {0, 1} - set(known):
        matrix = matrix.mean(axis=3 + other, keepdims=True)  # all its values are equally likely
    logs = np.log(matrix)
    return (logs.max(axis=5) - logs.min(axis=5)).max()


def sister(touch):
    known = {"She knows none": [], "one": [0], "both others": [0, 1]}[chosen(touch)]
    three = [2] * 3, [1.0] * 3
    ways = [orr.kronecker(*three), orr.optimal(*three, rel_gap=1e-9)]
    levels = [num(learnt(way, known), 3) for way in ways]
    assert touch.locator("svg text.bold.plain.end").all_text_contents() == levels
    assert all(num(way.epsilon, 3) in touch.locator("svg").text_content() for way in ways)
    return len(known), levels


SISTER = Row(
    "index.html",
    sister,
    2,
    [
        (keys("Space", at="button >> nth=0"), 0),
        (keys("Enter", at="button >> nth=1"), 1),
        (press("both others"), "as much as the whole record allows, and no more"),
    ],
    tap="She knows none",
)

# By page and name, in the order of the pages.
ROWS = {
    (row.place, name): row
    for name, row in [
        ("story_dice", DICE),
        ("people", PLAIN),
        ("story_sum", SUM),
        ("story_pair", PAIR),
        ("story_sister", SISTER),
        ("people", PEOPLE),
        ("belief", BELIEF),
        ("dial", DIAL),
        ("lines", LINES),
        ("bars", BARS),
        ("induction", INDUCTION),
        ("lattice", LATTICE),
        ("slack", SLACK),
        ("budget", BUDGET),
    ]
}
