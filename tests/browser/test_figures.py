"""Every figure has the numbers of the package, whoever moves it, room on any screen, and a still picture."""

import numpy as np
import pytest

from orr.optimum.bound import listed, threshold, whole
from orr.problem import Kinds, Problem
from tests.common import some_slow
from tools.browsing import PHONE, WIDE

from .figures import MAYBE, ROWS, SAME, SEEDED, dual_bound, priced
from .looks import OPPOSITE, comes, resize, settle
from .touching import figure, finger, frames, heard, mount, says, spoilt, tagged

CROWDED = """() => {
    const wide = [...document.querySelectorAll(".touch *")].filter(e => e.checkVisibility()
        && !e.closest(".visually-hidden") && (e.getBoundingClientRect().right > innerWidth + 0.5
        || e.getBoundingClientRect().left < -0.5));
    return [document.documentElement.scrollWidth > innerWidth, ...wide.map(e => e.outerHTML.slice(0, 90))];
}"""
SMALL = """() => [...document.querySelectorAll(".touch :is(text, p, button, label, output)")].filter(
    e => e.checkVisibility() && e.textContent.trim() && parseFloat(getComputedStyle(e).fontSize) < 13
).map(e => e.outerHTML)"""
TARGETS = """() => [...document.querySelectorAll(".touch :is(button, input, .reach)")].filter(
    e => e.checkVisibility() && e.getBoundingClientRect().height < 43.5
).map(e => e.outerHTML.slice(0, 90))"""
BREAK = """name => {
    console.error = () => {};
    orr(name).mount = place => {
        place.textContent = "half of a figure";
        setTimeout(() => globalThis.tried = true);
        throw new Error("broken");
    };
}"""

ALONE = """figure => {
    for (let e = figure; e !== document.body; e = e.parentElement)
        for (const other of [...e.parentElement.children]) if (other !== e) other.remove();
}"""


PRESS = "figure.querySelectorAll('button')[{}].click()"
# The middle of a handle's grip or of a slider's thumb, which is 16 pixels wide.
THUMB = """grip => {
    const box = (grip.querySelector(".grip") ?? grip).getBoundingClientRect();
    const part = grip.matches("input") ? (grip.value - grip.min) / (grip.max - grip.min) : 0.5;
    return [box.x + 8 + part * (box.width - 16), box.y + box.height / 2];
}"""


@pytest.fixture(scope="module")
def context(browser):
    with browser.new_context(has_touch=True, viewport=WIDE, reduced_motion="reduce") as context:
        context.add_init_script(SEEDED)
        yield context


@pytest.fixture(scope="module", params=ROWS)
def alive(request, open_page, context):
    """Yield a page and its figure, opened once for all tests, and what went wrong while they were there."""
    complaints, place = [], ROWS[request.param].place
    with figure(open_page, place, request.param, complaints=complaints, context=context) as (page, touch):
        yield page, touch, complaints


@pytest.fixture
def fresh(alive):
    """Return the page and its figure as it is at first, and the row of the figure."""
    page, touch, _ = alive
    mount(touch)
    return page, touch, ROWS[touch.get_attribute("data-figure")]


def leads_to(page, touch, row, expected):
    """Check what the figure says, and that it is in the state that is expected."""
    value = row.check(page, touch)
    if isinstance(expected, str):
        assert expected in says(touch)
    elif callable(expected):
        assert expected(value), value
    elif expected not in (None, SAME, MAYBE):
        assert value == expected


def differs(compare, page):
    try:
        compare(page)
    except AssertionError:
        return True
    return False


def test_every_figure_has_a_row():
    assert [(ROWS[name].place, name) for name in ROWS] == tagged()


def test_its_numbers_are_those_of_the_package_and_others_are_caught(fresh):
    page, touch, row = fresh
    for function, scripts in row.mutants.items():
        for script in scripts:
            with spoilt(page, touch.get_attribute("data-figure"), function, script):
                assert differs(row.compare, page), script
    row.compare(page)


def test_the_formula_of_the_bars_is_that_of_the_engine():
    for sizes, levels, prices in priced(30):
        sizes, y = np.arange(2, 2 + len(sizes)), np.array(prices)  # all different: kinds are attributes
        kinds = Kinds(Problem(sizes, levels))
        weights = whole(y[kinds.first], kinds.problem.q)
        radius = threshold(weights, kinds.problem.q)
        proved = np.logaddexp(0, listed(kinds, weights, radius, kinds.below(weights, radius, 10**6)))
        np.testing.assert_allclose(proved, dual_bound(y, sizes, levels), rtol=1e-9)


def test_keys_mouse_and_buttons_change_it(fresh):
    page, touch, row = fresh
    leads_to(page, touch, row, row.start)
    for action, expected in row.steps:
        before = says(touch)
        action(page, touch, row)
        leads_to(page, touch, row, expected)
        assert expected is MAYBE or (says(touch) == before) == (expected is SAME)
    assert heard(touch) == says(touch)
    if row.link:
        assert row.link in touch.locator(".touch-link a").get_attribute("href")


def test_a_finger_changes_it_and_not_the_page(fresh):
    page, touch, row = fresh
    resize(page, PHONE)
    grip = touch.locator(row.grip)
    if row.finger:
        grip.scroll_into_view_if_needed()
        before, said, start = page.evaluate("scrollY"), says(touch), grip.evaluate(THUMB)
        goal = np.add(start, row.finger)
        finger(page, start, goal)
        assert page.evaluate("scrollY") == before
        assert says(touch) != said
        row.check(page, touch)
        follows = {"horizontal": [0], "vertical": [1]}.get(grip.get_attribute("aria-orientation"), [0, 1])
        axes = follows if grip.get_attribute("role") else [0]  # a slider has but one
        np.testing.assert_allclose(np.array(grip.evaluate(THUMB))[axes], goal[axes], atol=3)
    if row.tap:
        said = says(touch)
        touch.get_by_role("button", name=row.tap).tap()
        assert comes(page, lambda: says(touch) != said)
        row.check(page, touch)
    resize(page, WIDE)


MOVING = [name for name, row in ROWS.items() if row.motion]


@pytest.mark.parametrize("alive", MOVING, indirect=True)
def test_it_moves_unless_readers_want_no_motion(fresh):
    page, touch, row = fresh
    number, measure = row.motion
    for motion, moves in [("no-preference", True), ("reduce", False)]:
        mount(touch)
        page.emulate_media(reduced_motion=motion)
        seen = frames(page, PRESS.format(number), measure, touch.get_attribute("data-figure"))
        assert seen[0] != seen[-1]
        assert (seen[0] == seen[1]) == (len(set(seen)) > 4) == moves
        assert isinstance(seen[0], str) or seen == sorted(seen)
        row.check(page, touch)


def cell(page, name):
    return page.locator(f'[class*="tag_touch-{name}"]')


def test_its_picture_is_named_by_its_sentence(alive):
    _, touch, complaints = alive
    label = " ".join(touch.locator("svg[role=group]").get_attribute("aria-label").split())
    assert label.endswith(says(touch))
    assert complaints == []


def test_the_still_picture_is_there_in_print(alive):
    page, touch, _ = alive
    still = cell(page, touch.get_attribute("data-figure")).locator(".still")
    for media, shown in [("print", True), ("screen", False)]:
        page.emulate_media(media=media)
        still.wait_for(state="visible" if shown else "hidden")
        touch.wait_for(state="hidden" if shown else "visible")


def test_it_fits_on_any_screen(alive):
    page, _, _ = alive
    for width in (PHONE["width"], 320, WIDE["width"]):
        resize(page, {"width": width, "height": 844})
        assert page.evaluate(CROWDED) == [False], width
        assert page.evaluate(SMALL) == []
        assert page.evaluate(TARGETS) == []


def test_its_link_leads_to_the_explorer_with_its_numbers(alive):
    page, touch, _ = alive
    for link in touch.locator(".touch-link a").all():
        with page.context.new_page() as other:
            other.goto(link.evaluate("link => link.href"))
            assert "#sizes=" in other.url
            assert other.locator("#ex-complaint").inner_text() == ""


def test_axe_finds_nothing_in_what_is_left_of_the_page(alive, axe):
    page, touch, _ = alive  # the last test of a page: axe is slow among hundreds of formulas
    touch.evaluate(ALONE)
    for look in reversed(OPPOSITE):
        settle(page, look)
        found = axe.run(page, context=".touch")
        assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize(("place", "name"), some_slow(tagged(), *tagged()[1:]))
def test_the_still_picture_is_there_without_scripts_and_where_they_fail(browser, open_page, place, name):
    with open_page(place) as page:
        page.evaluate(BREAK, name)
        cell(page, name).scroll_into_view_if_needed()
        page.wait_for_function("globalThis.tried")
        assert page.locator(f'.touch[data-figure="{name}"][data-mounted]').count() == 0
        assert cell(page, name).locator(".still").is_visible()
        url = page.url
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(url)
        assert cell(page, name).locator(".cell_output :is(svg, img)").first.is_visible()


MENACES = {
    "wider than the screen": (CROWDED, "text.setAttribute('transform', 'translate(2000 10)')"),
    "small print": (SMALL, "text.style.fontSize = '9px'"),
    "a small target": (TARGETS, "control.style = 'height: 20px; min-height: 0'"),
}


def test_a_crowded_figure_is_caught(open_page):
    place, name = tagged()[0]
    with figure(open_page, place, name) as (page, _):
        for measure, script in MENACES.values():
            before = page.evaluate(measure)
            page.evaluate(
                f"""name => {{
                    const figure = document.querySelector(`.touch[data-figure=${{name}}]`);
                    const [text, control] = ["text", "button, input"].map(e => figure.querySelector(e));
                    {script};
                }}""",
                name,
            )
            assert page.evaluate(measure) != before


def test_a_nameless_control_is_caught(open_page, axe):
    place, name = tagged()[0]
    with figure(open_page, place, name) as (page, touch):
        touch.evaluate(ALONE)
        touch.locator("label span, label output").evaluate_all("all => all.forEach(e => e.remove())")
        assert axe.run(page, context=".touch").violations_count > 0
