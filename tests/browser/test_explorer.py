"""The explorer by keyboard, mouse and finger: what is typed, dragged, read off, linked, copied and seen.

This file is long because it has a test for each thing that a reader can do on one page.
"""

import contextlib
import io
import re
from urllib.parse import quote

import numpy as np
import pytest
from matplotlib.colors import to_rgb

import orr
from book.figures.plots import METHODS
from orr_release import Release
from tests.common import some_slow
from tools.browsing import BOOK, PHONE, WIDE

from .exploring import (
    NAMES,
    PLACE,
    SOURCE,
    THREE,
    again_at,
    box,
    expect,
    go,
    link,
    plane_of,
    press,
    reset,
    shown,
    slider,
    until,
)
from .looks import AFTER, PAGES, comes, resize
from .touching import finger, middle

LAPTOP = {"width": 1280, "height": 800}
COINS = "sizes=3,3&levels=1,1"
ERRORS = ".ex-error:not(:empty)"


@pytest.fixture(scope="module")
def opened(open_page):
    with open_page(PLACE) as page:
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        yield page


@pytest.fixture
def page(opened):
    """The explorer as it is at first."""
    reset(opened)
    return opened


@pytest.fixture(scope="module")
def pocket(browser, open_page):
    touching = {"viewport": PHONE, "has_touch": True, "is_mobile": True, "reduced_motion": "reduce"}
    with browser.new_context(**touching) as context, open_page(PLACE, context=context) as page:
        yield page


@pytest.fixture
def phone(pocket):
    """The explorer as it is at first, on a phone."""
    reset(pocket)
    return pocket


def levels_in(page):
    """Return the levels in the boxes of two attributes."""
    return [float(box(page, f"Level of attribute {i}").input_value()) for i in (1, 2)]


# What is chosen by hand: a box, a slider, or what must come out.
COUNT, LEVEL, VALUES = "Number of attributes", "Level of attribute {}".format, "Number of values of {}".format
USES = {
    "typing": [
        (box, LEVEL(3), "0.7"),
        (box, VALUES("attribute 1"), "6"),
        ([6, 3, 4], [1, 1.5, 0.7]),
        (box, COUNT, "2"),
        ([6, 3], [1, 1.5]),
        (box, COUNT, "3"),
        ([6, 3, 4], [1, 1.5, 0.7]),  # what was taken away comes back
    ],
    "sliding": [
        (slider, LEVEL(1), "2.5"),
        (slider, VALUES("attribute 2"), "7"),
        ([2, 7, 4], [2.5, 1.5, 2]),
        (slider, COUNT, "5"),
        ([2, 7, 4, 3, 3], [2.5, 1.5, 2, 0.6, 1.1]),
    ],
    "all alike": [
        "check",
        ([2, 2, 2], [1, 1, 1]),
        (slider, "Level of all attributes", "0.4"),
        (slider, COUNT, "7"),
        ([2] * 7, [0.4] * 7),
        "uncheck",
        (box, LEVEL(7), "3"),
        ([2] * 7, [0.4] * 6 + [3]),
    ],
}


@pytest.mark.parametrize("steps", USES.values(), ids=USES)
def test_numbers_are_chosen(page, steps):
    for step in steps:
        if isinstance(step, str):
            getattr(page.get_by_label("all alike"), step)()
        elif callable(step[0]):
            field, label, value = step
            field(page, label).fill(value)
            assert box(page, label).input_value() == value
        else:
            expect(page, *step)


BAD = {
    COUNT: ("a whole number from 2 to 12", "1 13 2.5 2,5 many"),
    VALUES("attribute 2"): ("a whole number from 2 to 1,000,000", "1 -4 3.5 3,5 1e7 1,2,3 x"),
    LEVEL(2): ("a number from 1e-12 to 700", "0 -1 701 1e999 1,5,2 1,2.5 one NaN"),
    "Slack in per cent": ("a percentage from 0 to 1000", "-1 1001 Infinity a"),
    "Number of people": ("a whole number from 1 to 1,000,000,000", "0 2.5 1e10 few"),
}


def test_bad_values_get_a_message(page):
    before = shown(page)
    for label, (allowed, texts) in BAD.items():
        field, good = box(page, label), box(page, label).input_value()
        for text in [*texts.split(), "", " "]:
            field.fill(text)
            message = page.get_by_text(f"{label} must be {allowed}")
            assert (f"“{text}”" if text.strip() else "cannot be empty") in message.inner_text()
            assert field.get_attribute("aria-invalid") == "true"
            assert shown(page) == before
        slider(page, LEVEL(1)).fill("3")  # all else goes on
        expect(page, [2, 3, 4], [3, 1.5, 2])
        assert message.is_visible()
        field.fill(good)
        assert not message.is_visible()
        assert field.get_attribute("aria-invalid") == "false"
        slider(page, LEVEL(1)).fill("1")
        expect(page, *THREE)


TYPED = [
    (LEVEL(1), "0,5", "levels=0.5,1.5,2"),
    (LEVEL(1), " 1,000 ", "levels=1,1.5,2"),
    (LEVEL(2), ",25", "levels=1,0.25,2"),
    ("Slack in per cent", "12,5", "slack=12.5"),
    (VALUES("attribute 1"), "1,000", "sizes=1000,3,4"),
    (VALUES("attribute 1"), "12.000", "sizes=12000,3,4"),
    ("Number of people", "20,000", "people=20000"),
    ("Number of people", "1.000.000", "people=1000000"),
]


def test_commas_are_read_as_they_are_meant(page):
    for label, text, part in TYPED:
        box(page, label).fill(text)
        assert page.locator(ERRORS).count() == 0
        assert part in link(page)


BAD_LINKS = {
    "sizes=2,3&levels=1,abc": "levels must be a number from 1e-12 to 700, and “abc” is not",
    "sizes=2,1&levels=1,2": "sizes must be a whole number from 2 to 1,000,000, and “1” is not",
    "sizes=2&levels=1": "number of attributes must be a whole number from 2 to 12",
    "sizes=2,3,4&levels=1,2": "there must be a level for each size",
    "levels=1,2": "number of attributes must be a whole number",
    "sizes=2,3,4&lev": "levels must be a number",
    "sizes=2,2&levels=1,2&slack=no": "slack must be a percentage",
    "sizes=2,2&levels=1,2&people=0": "people must be a whole number",
    "sizes=2,2&levels=1,2&total=-3": "total must be a number from 0.001 to 700",
    "sizes=2,2&levels=1,2&names=a,a": "every name must be another",
    "sizes=2,2&levels=1,2&names=%E0%A4,a": "every name must be another",
    "sizes=2,2&levels=1,2&names=attribute%202": "every name must be another",
    "sizes=2,2&levels=1,2&pin=sizes%3D2": "What is pinned cannot be used",
    "sizes=2,2&levels=1,2&pin=no": "What is pinned cannot be used",
}


def test_bad_links_get_a_message(page):
    for part, complaint in BAD_LINKS.items():
        go(page, "sizes=2,2&levels=1,1")
        expect(page, [2, 2], [1, 1])
        go(page, part)
        expect(page, *THREE)
        assert complaint in page.inner_text("#ex-complaint")


def test_a_link_restores_the_state(page, open_page):
    box(page, LEVEL(2)).fill("0.25")
    box(page, "Slack in per cent").fill("35")
    press(page, "Copy the link")
    page.get_by_text("Copied.").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == link(page)
    with open_page(again_at(copied)) as again:
        expect(again, [2, 3, 4], [1, 0.25, 2])
        assert box(again, "Slack in per cent").input_value() == "35"
        assert again.inner_text("#ex-frontier p") == page.inner_text("#ex-frontier p")


def test_back_and_forward(page):
    press(page, "Two coins")
    expect(page, [2, 2], [1, 1])
    for _ in range(3):  # presses of a key on one slider are one step
        slider(page, LEVEL(1)).press("ArrowRight")
    expect(page, [2, 2], [1.15, 1])
    page.go_back()
    expect(page, [2, 2], [1, 1])
    page.go_back()
    expect(page, *THREE)
    assert box(page, LEVEL(3)).input_value() == "2"
    page.go_forward()
    page.go_forward()
    expect(page, [2, 2], [1.15, 1])
    before = link(page)
    go(page, "overall-level")  # a section of the page
    expect(page, [2, 2], [1.15, 1])
    assert link(page) == before


def copied_code(page):
    """Run the Python that the page offers, and return the lines that it prints."""
    press(page, "Copy the Python")
    page.get_by_text("Copied.").wait_for()
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(page.evaluate("navigator.clipboard.readText()"), {})
    return output.getvalue().splitlines()


EXAMPLES = ["Three questions", "A total of 4", "The heuristic loses", "Ten SNPs", "Twelve answers"]


@pytest.mark.parametrize("name", some_slow(EXAMPLES, *EXAMPLES[2:]))
def test_copied_python_gives_the_numbers_shown(page, name):
    press(page, name)
    page.wait_for_function(
        "name => document.querySelector('[aria-pressed=true]').textContent === name", arg=name
    )
    levels, slack = shown(page), page.inner_text("#ex-frontier p")
    beside = page.locator("#ex-overall text", has_text=re.compile("^heuristic")).text_content()
    heuristic, optimum, *more = copied_code(page)
    assert f"overall level {beside.split()[1].replace(',', '')} " in heuristic
    overall, kronecker = re.search(r"overall level (\S+) \(Kronecker (\S+)\)", optimum).groups()
    assert overall == f"{levels['optimum']:.5g}"
    assert float(kronecker) == pytest.approx(levels["Kronecker"], abs=1e-4)  # a total is shared out by search
    if more[0].startswith("<"):  # the guarded optimum
        assert f"overall level is {re.search('level ([^ ]+)', more.pop(0))[1]}," in slack
    assert more[0] == "Plan for 1,000 people"
    single = re.compile(r"\w+  +\d+ +\S+ +(\S+)")  # a table of one attribute: cells, factor, standard error
    worst = max(float(row[1]) for line in more[2:] if (row := single.match(line)))
    assert f"± {100 * worst:.3g} points" in page.inner_text("#ex-analyst")


def test_python_knows_the_names(page):
    for i, name in enumerate(['say "yes"', "back\\slash", "ümlaut 😀"], 1):
        box(page, f"Name of attribute {i}").fill(name)
    until(page, "code", "😀")
    printed = "\n".join(copied_code(page))
    assert 'say "yes", back\\slash, ümlaut 😀; overall level 3.4448' in printed
    assert "Plan for 1,000 people" in printed


def test_keyboard_alone(page):
    """test_keyboard.py sees that Tab leads to everything."""
    page.get_by_role("button", name="Two coins", exact=True).press("Space")
    expect(page, [2, 2], [1, 1])
    slider(page, LEVEL(1)).press("ArrowRight")
    expect(page, [2, 2], [1.05, 1])
    page.keyboard.press("Tab")
    page.keyboard.type("8")  # what was there is selected
    expect(page, [2, 2], [8, 1])
    page.get_by_text("All levels as a table").press("Enter")
    assert page.locator("#ex-levels table").is_visible()


# The map of two attributes.


def place_on_map(page, across, up):
    """Return the point of the map at shares of both its ranges."""
    bring(page.locator("#ex-map"))
    plane = plane_of(page)
    return plane["x"] + across * plane["width"], plane["y"] + (1 - up) * plane["height"]


def bring(locator):
    """Scroll to a part, and wait until the page has heard of it: then it hides what was read off."""
    locator.scroll_into_view_if_needed()
    locator.page.evaluate(AFTER, 0)
    return locator


def test_map_and_matrices(page):
    assert page.locator("#ex-two").is_hidden()
    press(page, "Show a map, of two coins")
    expect(page, [2, 2], [1, 1])
    assert page.get_by_role("button", name="Show a map").is_hidden()
    plan, matrices = (page.locator(f"#ex-{part}").bounding_box() for part in ("map", "matrices"))
    assert matrices["x"] >= plan["x"] + plan["width"]
    assert matrices["y"] < plan["y"] + plan["height"]
    assert page.locator(".ex-scale").is_visible()
    box(page, VALUES("attribute 1")).fill("4")
    box(page, VALUES("attribute 2")).fill("3")
    expect(page, [4, 3], [1, 1])
    for shares in ((0.2, 0.1), (0.5, 0.4)):
        page.mouse.move(*place_on_map(page, *shares))
        page.mouse.down()
    page.mouse.up()
    until(page, "code", "2.25")
    levels = levels_in(page)
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


def test_the_map_keeps_its_scale_while_a_point_is_dragged(page):
    go(page, "sizes=3,3&levels=20,20")
    expect(page, [3, 3], [20, 20])
    x, y = place_on_map(page, 0.9, 0.9)
    page.mouse.move(x, y)
    page.mouse.down()
    for shift in (1, 0) * 4:
        page.mouse.move(x + shift, y)
    page.mouse.up()
    page.wait_for_function("!document.querySelector('#ex-code').textContent.includes('[20, 20]')")
    np.testing.assert_allclose(levels_in(page), [18, 18], atol=0.2)
    expect(page, [3, 3], levels_in(page))


def handle(page, name):
    return page.get_by_role("slider", name=name)


MAP, FRONTIER = "Both levels, as a point on the map", "Slack, as a point on the frontier"


def test_arrow_keys_move_both_points(page):
    go(page, COINS)
    expect(page, [3, 3], [1, 1])
    handle(page, MAP).focus()
    for key in ("ArrowRight", "ArrowRight", "Shift+ArrowUp", "ArrowDown"):
        page.keyboard.press(key)
    expect(page, [3, 3], [1.1, 1.45])
    assert handle(page, MAP).get_attribute("aria-valuetext") == "1.1 and 1.45"
    assert "levels=1.1,1.45" in link(page)
    handle(page, FRONTIER).focus()
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("ArrowLeft")
    page.wait_for_function("location.hash.includes('slack=19')")
    assert box(page, "Slack in per cent").input_value() == "19"
    ring = handle(page, FRONTIER).locator(".reach").evaluate("e => getComputedStyle(e).strokeWidth")
    assert ring == "3px"


def test_fingers_drag_both_points_tap_the_map_and_scroll_beside_them(phone):
    go(phone, COINS)
    expect(phone, [3, 3], [1, 1])
    reach = handle(phone, MAP).locator(".reach")
    assert reach.bounding_box()["width"] >= 44
    x, y = middle(bring(reach))
    top, plane = phone.evaluate("scrollY"), plane_of(phone)["width"]
    finger(phone, (x, y), (x + 120, y - 60), 12)
    phone.evaluate(AFTER, 0)
    levels = levels_in(phone)
    np.testing.assert_allclose(levels, [1 + 120 * 4.5 / plane, 1 + 60 * 4.5 / plane], atol=0.1)
    assert phone.evaluate("scrollY") == top
    expect(phone, [3, 3], levels)
    assert f"levels={levels[0]:g},{levels[1]:g}" in link(phone)
    x, y = place_on_map(phone, 0.5, 0.5)
    phone.touchscreen.tap(x, y)
    assert comes(phone, lambda: levels_in(phone) != levels)
    levels, top = levels_in(phone), phone.evaluate("scrollY")
    np.testing.assert_allclose(levels[0], levels[1], rtol=0.05)
    expect(phone, [3, 3], levels)
    finger(phone, (x + 80, y), (x + 80, y - 200), 12)  # beside the point, which a finger would drag
    phone.wait_for_function("top => scrollY > top + 100", arg=top)
    expect(phone, [3, 3], levels)


def test_a_finger_drags_the_slack_and_a_tap_reads_values(phone):
    x, y = middle(bring(handle(phone, FRONTIER).locator(".reach")))
    top = phone.evaluate("scrollY")
    finger(phone, (x, y), (x + 60, y + 5), 12)
    phone.wait_for_function("!location.hash.endsWith('slack=10')")
    slack = float(box(phone, "Slack in per cent").input_value())
    assert slack > 15
    assert phone.evaluate("scrollY") == top
    shown(phone)
    level = orr.guarded(*THREE, slack / 100).epsilon
    until(phone, "frontier", f"With a slack of {slack:g}% the overall level is {level:.5g}")
    phone.touchscreen.tap(*middle(bring(phone.locator("#ex-overall .optimum.mark").first)))
    assert comes(phone, lambda: tip(phone) == "optimum 3.4448")


def tip(page):
    return page.locator("#ex-tip").inner_text()


def test_the_pointer_reads_values_off_the_charts_and_the_map(page):
    best = orr.optimal(*THREE)
    error = Release(best).plan(1000).one_way[0].standard_error
    for place, words in {
        "#ex-overall .optimum.mark >> nth=0": "optimum 3.4448",
        "#ex-neighbours .optimum.mark >> nth=-1": f"diagnosis, optimum: {best.neighbour_epsilons[2]:.4g}",
        "#ex-analyst circle >> nth=0": f"smokes: 50% ± {196 * error:.3g}",
        "#ex-shape .optimum.mark >> nth=0": "the truth; optimum: 3.445",
    }.items():
        bring(page.locator(place)).hover()
        assert words in tip(page)
    page.mouse.wheel(0, 200)
    page.locator("#ex-tip").wait_for(state="hidden")
    go(page, COINS)
    expect(page, [3, 3], [1, 1])
    page.mouse.move(*place_on_map(page, 0.4, 0.8))
    pattern = r"([\d.]+) and ([\d.]+): case \((\w+)\), saves ([\d.]+)%"
    one, two, case, saved = re.match(pattern, tip(page)).groups()
    levels = [float(one), float(two)]
    np.testing.assert_allclose(levels, [0.4 * 4.5, 0.8 * 4.5], atol=0.03)
    best = orr.two_attribute([3, 3], levels)
    assert case == best.case
    np.testing.assert_allclose(float(saved), 100 * (1 - best.epsilon / sum(levels)), atol=0.3)


# What it says.


def test_guarded_frontier(page):
    box(page, "Slack in per cent").fill("20")
    until(page, "frontier", "With a slack of 20% the overall level is 3.6176, 83.6% of what can be saved.")
    page.get_by_text("All levels as a table").click()
    last = [row.split("\t") for row in page.inner_text("#ex-levels").splitlines()[1:]]
    guarded, best = orr.guarded(*THREE, 0.2), orr.optimal(*THREE)
    for row, *levels in zip(last, best.neighbour_epsilons, guarded.neighbour_epsilons, strict=True):
        np.testing.assert_allclose([float(cell) for cell in row[4:]], levels, atol=6e-4)
    assert page.locator("#ex-curve").is_visible()
    press(page, "Twelve answers")
    until(page, "frontier", "this page knows only the ends of the frontier")
    assert page.locator("#ex-curve").is_hidden()
    assert page.locator("#ex-slack").is_hidden()


def test_too_extreme_numbers_are_shown_as_bounds(page):
    problem = [2, 4, 32, 3, 7, 9, 24, 27], [5e-9, 509, 121, 515, 1e-5, 2e-6, 4e-8, 596]
    go(page, "sizes={}&levels={}".format(*(",".join(map(str, row)) for row in problem)))
    words = until(page, "overall", "both bounds are proved, but do not meet")
    lower, upper = re.search(r"The optimum costs ([\d.]+) to ([\d,.]+),", words).groups()
    proof = orr.optimal(*problem, time_limit=0.5).certificate
    assert float(lower) <= proof.upper + 0.01
    assert float(upper.replace(",", "")) >= proof.lower - 0.01


def test_what_is_proved_is_rounded_outward(page):
    rng = np.random.default_rng(9)
    problems = [(rng.integers(2, 9, k).tolist(), rng.uniform(0.01, 4, k).tolist()) for k in (2, 3, 5, 9)]
    for sizes, levels in [([2, 3, 4], [8e-9, 1e-9, 3e-9]), *problems]:
        go(page, f"sizes={','.join(map(str, sizes))}&levels={','.join(map(str, levels))}")
        page.wait_for_function("document.querySelector('#ex-strip').ariaBusy === 'false'")
        proof = page.locator("#ex-overall p", has_text="Proved:").inner_text()
        found = re.search(r"is below (.*), and the one found has at most (.*)\.", proof)
        below, above = (float(number.replace(",", "")) for number in found.groups())
        best = orr.optimal(sizes, levels, rel_gap=1e-9)
        assert below <= best.epsilon
        assert above >= best.certificate.lower
        assert below < above < below * (1 + 1e-6)


def test_the_first_state_does_not_contradict_itself_and_changes_are_announced(page):
    heuristic = orr.inductive(*THREE)
    assert heuristic.epsilon < orr.optimal(*THREE).epsilon  # of another problem
    assert "3.2924" not in page.inner_text("#ex-strip")
    texts = page.locator("#ex-overall text").all_text_contents()
    place = texts.index("At other levels, which the heuristic achieves:")
    assert "heuristic 3.2924" in texts[place:]
    assert f"optimum {orr.optimal([2, 3, 4], heuristic.epsilons).epsilon:.5g}" in texts[place:]
    assert "falls back, and solves another problem: diagnosis got 1.73" in page.inner_text("#ex-overall")
    assert [box(page, f"Name of attribute {i}").input_value() for i in (1, 2, 3)] == NAMES
    for level in ("2.5", "2.6", "2.7"):
        slider(page, LEVEL(1)).fill(level)
    expect(page, [2, 3, 4], [2.7, 1.5, 2])
    assert page.inner_text("#ex-overall p >> nth=0") in until(page, "live", "Kronecker 6.2")
    assert page.locator("#ex-live").get_attribute("role") == "status"


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


# A total, people, names and a pinned state.


def test_i_can_spend_8(page):
    press(page, "I have a total")
    assert box(page, "Total to spend").input_value() == "3.44"  # what the levels cost
    box(page, "Total to spend").fill("8")
    until(page, "overall", "A total of 8 buys levels of")
    best = orr.allocate(8, *THREE)
    found = [float(level) for level in re.findall(r"level ([\d.]+)\s", page.inner_text("#ex-attributes"))]
    np.testing.assert_allclose(found, best.epsilons, rtol=1e-3)
    np.testing.assert_allclose(shown(page)["optimum"], 8, atol=1e-4)
    assert shown(page)["Kronecker"] > 10
    slider(page, "Share of attribute 3").fill("0.5")
    until(page, "code", "[1, 1.5, 0.5]")
    other = orr.allocate(8, [2, 3, 4], [1, 1.5, 0.5]).epsilons
    until(page, "overall", f"levels of {other[0]:.4g}, {other[1]:.4g} and {other[2]:.4g}.")
    assert "levels=1,1.5,0.5&names=smokes,genotype,diagnosis&total=8" in link(page)
    press(page, "I choose the levels")
    expect(page, [2, 3, 4], [float(f"{level:.4g}") for level in other])
    go(page, "sizes=2,2&levels=1,1&total=1.9459101090932196")  # log 7, in chapter budget
    until(page, "overall", "buys levels of 1.386 and 1.386.")  # log 4


def test_errors_stand_beside_the_levels(page):
    best = Release(orr.optimal(*THREE))
    for people in (1000, 25_000):
        box(page, "Number of people").fill(str(people))
        expected = [f"± {100 * row.standard_error:.3g} points" for row in best.plan(people).one_way]
        until(page, "analyst", f"Among {people:,} people, a share of smokes is off by {expected[0]}")
        assert page.locator(".ex-told").all_inner_texts() == expected
    slider(page, "Number of people").fill("1")
    until(page, "analyst", "Too few people for smokes, genotype and diagnosis")
    assert [row.verdict for row in best.plan(10).one_way] == ["useless"] * 3


def test_attributes_have_names(page, open_page):
    assert page.locator("#ex-overall").inner_text().count("diagnosis") == 1
    box(page, "Name of attribute 3").fill("  drinks\ta lot ")
    until(page, "overall", "drinks a lot got 1.73 instead")
    for part in ("analyst", "neighbours", "levels"):
        assert "drinks a lot" in page.text_content(f"#ex-{part}"), part
    assert page.get_by_role("group", name="drinks a lot", exact=True).count() == 1
    box(page, "Name of attribute 2").fill("")
    until(page, "analyst", "attribute 2")
    assert "names=smokes,,drinks%20a%20lot" in link(page)
    with open_page(again_at(link(page))) as again:
        until(again, "overall", "drinks a lot got 1.73 instead")
        assert box(again, "Name of attribute 3").input_value() == "drinks a lot"
    go(page, "sizes=2,3&levels=1,2&names=both,two")  # as words of the page
    page.locator("#ex-chances table").wait_for()
    assert "NaN" not in page.inner_text("#ex-two")
    assert page.locator("#ex-chances tr", has_text="both flipped").count() == 2


def test_names_differ_and_differ_when_they_come_back(page):
    for name in ("smokes", "attribute 1x"):
        box(page, "Name of attribute 3").fill(name)
    assert page.locator(ERRORS).count() == 0
    box(page, "Name of attribute 1").fill("")
    box(page, "Name of attribute 2").fill("attribute 1")
    page.get_by_text("Name of attribute 2 must differ from the others.").wait_for()
    assert "attribute%201," not in link(page)
    box(page, "Name of attribute 2").fill("genotype")
    assert page.locator(ERRORS).count() == 0
    reset(page)
    for name, kept in [("diagnosis", "names=diagnosis,genotype,&"), ("attribute 3", "names=,genotype,&")]:
        box(page, COUNT).fill("2")
        box(page, "Name of attribute 1").fill(name)
        box(page, COUNT).fill("3")
        assert comes(page, lambda kept=kept: kept in link(page))


NASTY = '<img src=x onerror="window.hurt=1"> \'"&amp;'[:24]


def test_a_name_is_never_markup(page):
    part = f"sizes=2,3,4&levels=1,1.5,2&names=,,{quote(NASTY)}"
    for give in (lambda: box(page, "Name of attribute 3").fill(NASTY), lambda: go(page, part)):
        give()
        until(page, "overall", "onerror")
        press(page, "Two coins")
        box(page, "Name of attribute 1").fill(NASTY)
        until(page, "case", "onerror")
        press(page, "Pin this state")
        page.locator("#ex-pins table").wait_for()
        assert page.locator("#explorer img").count() == 0
        assert page.evaluate("window.hurt") is None
        assert "onerror" in page.locator("#ex-map svg").get_attribute("aria-label")
        reset(page)


def pinned(page):
    page.locator("#ex-pins table").wait_for()
    rows = [row.split("\t") for row in page.inner_text("#ex-pins table").splitlines()]
    return {name: values for name, *values in rows}


def test_two_states_side_by_side(page, open_page):
    press(page, "Pin this state")
    assert pinned(page)["optimum"] == ["3.4448", "3.4448"]
    assert "costs as much as in the pinned state" in page.inner_text("#ex-pins")
    box(page, COUNT).fill("2")
    expect(page, [2, 3], [1, 1.5])
    rows = pinned(page)
    best, before = orr.optimal([2, 3], [1, 1.5], rel_gap=1e-9), orr.optimal(*THREE, rel_gap=1e-9)
    assert rows["values"] == ["2, 3", "2, 3, 4"]
    assert rows["Kronecker"] == ["2.5", "4.5"]
    assert rows["heuristic"] == [f"{orr.inductive([2, 3], [1, 1.5]).epsilon:.5g}", "other levels"]
    assert rows["optimum"] == [f"{best.epsilon:.5g}", "3.4448"]
    ratios = [(mechanism.neighbour_epsilons / mechanism.epsilons).max() for mechanism in (best, before)]
    assert rows["neighbour ratio, at most"] == [f"{ratio:.3g}" for ratio in ratios]
    gap = before.epsilon - best.epsilon
    assert f"The optimum now costs {gap:.3g} less than in the pinned state" in page.inner_text("#ex-pins")
    with open_page(again_at(link(page))) as again:
        expect(again, [2, 3], [1, 1.5])
        assert pinned(again) == rows
    press(page, "Swap the two")
    expect(page, *THREE)
    swapped = {name: values[::-1] for name, values in rows.items()}
    assert pinned(page) == swapped | {"state": ["now", "pinned"]}
    press(page, "Unpin")
    page.wait_for_function("!document.querySelector('#ex-pins table')")
    assert "pin=" not in link(page)
    page.go_back()
    assert pinned(page)["Kronecker"] == ["4.5", "2.5"]


def test_challenges_are_ticked_when_met(opened):
    opened.reload()  # what is met stays met
    expect(opened, *THREE)
    page = opened
    done = page.locator("#ex-tasks li[data-done]")
    assert page.locator("#ex-tasks li").count() == 3
    assert done.count() == 0
    met = "n => document.querySelectorAll('#ex-tasks li')[n].dataset.done === ''"
    press(page, "Free rider")
    page.wait_for_function(met, arg=1)
    press(page, "Ten SNPs")
    page.wait_for_function(met, arg=0)
    assert done.count() == 2
    box(page, "Slack in per cent").fill("5")
    page.wait_for_function(met, arg=2)


# The worker that computes, and pages without one, without a server, without scripts.

HOLD = """() => {
    const [own, held] = [onmessage, []];
    onmessage = message => held.push(message);
    globalThis.release = () => { onmessage = own; held.forEach(own); };
}"""


def test_the_page_does_not_wait_for_what_is_computed(page):
    """While the worker does not answer, sliders move and the last results stay; then the latest is shown."""
    (worker,) = page.workers
    before, strip = page.inner_text("#ex-strip"), page.locator("#ex-strip")
    worker.evaluate(HOLD)
    for level in (2.2, 2.4, 2.6):
        slider(page, LEVEL(1)).fill(str(level))
    assert box(page, LEVEL(1)).input_value() == "2.6"
    assert page.inner_text("#ex-strip") == before
    assert strip.get_attribute("aria-busy") == "true"
    assert strip.evaluate("e => getComputedStyle(e, '::after').content") == '"computing…"'
    worker.evaluate("release()")
    expect(page, [2, 3, 4], [2.6, 1.5, 2])
    assert strip.get_attribute("aria-busy") == "false"


# There is no worker; it cannot start; it breaks later.
BROKEN = {
    "none": "delete window.Worker",
    "refused": "window.Worker = class { constructor() { throw new Error('no') } }",
    "broken": "const Real = Worker; window.Worker = class extends Real {"
    "constructor() { super('data:text/javascript,throw 1') } }",
    "from a disk": "",
}


@pytest.mark.parametrize("way", some_slow(BROKEN, "none", "refused"))
def test_without_a_worker_or_a_server_the_numbers_are_the_same(browser, address, way):
    with browser.new_context() as context:
        page = context.new_page()
        page.add_init_script(BROKEN[way])
        page.goto((BOOK / PLACE).as_uri() if way == "from a disk" else f"{address}/{PLACE}")
        expect(page, *THREE)
        assert comes(page, lambda: len(page.workers) == (way == "from a disk"))  # a broken one has an end
        slider(page, LEVEL(1)).fill("3")
        expect(page, [2, 3, 4], [3, 1.5, 2])
        with context.new_page() as again:
            again.goto(link(page))
            expect(again, [2, 3, 4], [3, 1.5, 2])


def test_without_scripts_it_says_what_it_needs_it_is_small_and_others_load_nothing_of_it(browser, address):
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(f"{address}/{PLACE}")
        page.get_by_text("It needs JavaScript").wait_for()
    files = [BOOK / "_static" / "figures.js", BOOK / "_static" / "figures.css", SOURCE]
    assert sum(path.stat().st_size for path in files) < 120_000
    for place, loads in {
        PLACE: True,
        f"{PAGES}glossary.html": False,
        "chapters/10-reproducing.html": False,
    }.items():
        assert ("figures.js" in (BOOK / place).read_text("utf-8")) == loads


# What is seen.

FULL = "sizes=2,3&levels=1,1.5&names=smokes&total=2&pin=sizes%3D2,3,4%26levels%3D1,1.5,2"
LOOKS = {f"{theme} {size['width']}": (theme, size) for theme in ("light", "dark") for size in (WIDE, PHONE)}


@pytest.mark.parametrize("look", some_slow(LOOKS, "light 390", "dark 1280"))
def test_axe_finds_nothing_with_all_at_once(page, axe, look):
    theme, size = LOOKS[look]
    page.emulate_media(color_scheme=theme)
    resize(page, size)
    go(page, FULL)
    shown(page)
    page.get_by_text("All levels as a table").click()
    box(page, "Name of attribute 2").fill("smokes")
    box(page, "Slack in per cent").fill("much")
    assert page.locator(ERRORS).count() == 2
    found = axe.run(page, context="#explorer").response["violations"]
    assert [rule["id"] for rule in found] == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.emulate_media(color_scheme="light")
    resize(page, WIDE)


def test_methods_look_as_everywhere_in_the_book(page):
    for method, look in METHODS.items():
        name = "optimum" if method == "optimal" else method
        colour, dashes = page.locator(f"#ex-overall .{name}.line").first.evaluate(
            "e => [getComputedStyle(e).stroke, getComputedStyle(e).strokeDasharray]"
        )
        expected = [round(255 * c) for c in to_rgb(look["color"])]
        assert [int(part) for part in re.findall(r"\d+", colour)] == expected
        assert len(dashes.split(",")) == {"-": 1, "--": 2, "-.": 4, ":": 2}[look["linestyle"]]


# Contrast of strokes and fills of marks with what is behind them.
CONTRASTS = """(parts) => {
    const numbers = color => color.match(/[\\d.]+/g).map(Number);
    const light = ([r, g, b]) => [r, g, b].map(v => v / 255)
        .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
        .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
    const ground = numbers(getComputedStyle(document.body).backgroundColor);
    return [...document.querySelectorAll(parts)].filter(e => e.checkVisibility()).map(e => {
        const style = getComputedStyle(e);
        const [color, opacity] = style.stroke === "none"
            ? [style.fill, style.fillOpacity] : [style.stroke, style.strokeOpacity];
        const share = opacity * style.opacity;
        const seen = numbers(color).slice(0, 3).map((v, i) => share * v + (1 - share) * ground[i]);
        const [low, high] = [light(seen), light(ground)].sort((a, b) => a - b);
        return [e.getAttribute("class") ?? e.tagName, (high + 0.05) / (low + 0.05)];
    });
}"""
MARKS = ".ex :is(.mark, .line, .tick, .dots, .guide, .interval, .border, .grip, circle:not(.reach))"


def test_marks_stand_out(page):
    for theme in ("dark", "light"):
        page.emulate_media(color_scheme=theme)
        page.wait_for_function("theme => document.documentElement.dataset.theme === theme", arg=theme)
        for part in (COINS, "sizes=2,3,4,5,6,7,8,9&levels=1,2,1,2,1,2,1,2"):
            go(page, part)
            shown(page)
            found = page.evaluate(CONTRASTS, MARKS)
            assert len(found) > 30
            assert [(name, ratio) for name, ratio in found if ratio < 3] == []
    style = page.add_style_tag(content=".ex .dots { stroke-opacity: 0.6 }")
    assert min(ratio for _, ratio in page.evaluate(CONTRASTS, MARKS)) < 3
    style.evaluate("style => style.remove()")


def overlap(page, *parts):
    one, two = (page.locator(part).bounding_box() for part in parts)
    apart = one["y"] + one["height"] <= two["y"] or two["y"] + two["height"] <= one["y"]
    return not apart


def test_a_phone_and_a_laptop_have_room(page, phone):
    sizes, levels = [4, 3, 2, 5], [0.08, 0.05, 0.03, 0.04]
    assert orr.inductive(sizes, levels).epsilon > orr.kronecker(sizes, levels).epsilon
    for screen in (page, phone):
        go(screen, "sizes=4,3,2,5&levels=0.08,0.05,0.03,0.04")
        expect(screen, sizes, levels)
        boxes = screen.locator("#explorer svg[role=img] .mark").evaluate_all(
            "marks => marks.map(e => [e, e.ownerSVGElement].map(e => e.getBoundingClientRect()))"
        )
        assert len(boxes) > 20
        for mark, picture in boxes:
            assert picture["left"] - 1 < mark["left"]
            assert mark["right"] < picture["right"] + 1
    go(page, f"{COINS}&names={'W' * 24},{'m' * 24}&total=2&pin=sizes%3D2,3%26levels%3D1,2")
    shown(page)
    for width in (390, 320):
        resize(page, {"width": width, "height": 700})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    reset(page)
    resize(page, LAPTOP)
    assert page.evaluate("scrollY") == 0
    assert page.locator("#your-attributes").evaluate("e => e.scrollHeight <= e.clientHeight")
    strip = page.locator("#ex-strip").bounding_box()
    assert strip["y"] + strip["height"] <= LAPTOP["height"]
    for i in (1, 2, 3):
        level = slider(page, LEVEL(i)).bounding_box()
        assert level["width"] > 150
        assert level["y"] + level["height"] <= strip["y"]
    resize(page, WIDE)
    phone.add_style_tag(content="#pst-back-to-top { display: block !important }")
    assert not overlap(phone, "#pst-back-to-top", "#ex-strip")
    phone.add_style_tag(content="html #pst-back-to-top:not(#x) { top: 90vh; bottom: auto }")
    assert overlap(phone, "#pst-back-to-top", "#ex-strip")  # as the theme has it
    phone.reload()


# Count the shifts from the start; a style of our own may make it worse.
EARLY = """style => {
    window.shifts = 0;
    const add = entry => { if (!entry.hadRecentInput) shifts += entry.value; };
    const observer = new PerformanceObserver(list => list.getEntries().forEach(add));
    observer.observe({ type: "layout-shift", buffered: true });
    window.shifted = () => {
        observer.takeRecords().forEach(add);
        return shifts;
    };
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(style);
    document.adoptedStyleSheets = [sheet];
}"""


@pytest.mark.parametrize(
    ("size", "careless"), some_slow([(LAPTOP, False), (PHONE, False), (PHONE, True)], (LAPTOP, False))
)
def test_nothing_jumps_while_the_page_loads(browser, address, size, careless):
    """Open the page as over a slow line, where its script comes last."""
    style = ".ex:not(#x) { display: none } html[data-explorer] .ex:not(#x) { display: block }" * careless
    with browser.new_context(viewport=size) as context:
        page, held = context.new_page(), []
        page.add_init_script(f"({EARLY})({style!r})")
        page.route("**/figures.js*", lambda route: held.append(route))
        page.goto(f"{address}/{PLACE}", wait_until="commit")
        page.wait_for_function(
            "performance.getEntriesByName('first-contentful-paint').length && window.bootstrap"
        )
        page.evaluate(AFTER, 0)
        assert comes(page, lambda: held)
        held[0].continue_()
        expect(page, *THREE)
        page.evaluate(AFTER, 0)
        assert (page.evaluate("shifted()") > 0.05) == careless
