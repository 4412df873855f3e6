"""Every figure has the numbers of the package, whoever moves it, room on any screen, and a still picture."""

import numpy as np
import pytest

from tests.common import some_slow
from tools.browsing import PHONE, WIDE

from .figures import MAYBE, ROWS, SAME, SEEDED
from .looks import OPPOSITE, comes, resize, settle
from .touching import SAID, finger, frames, heard, mount, numbers, says, tagged, wake

CROWDED = """() => {
    const wide = [...document.querySelectorAll(".touch, .touch *, .hero *")].filter(e => e.checkVisibility()
        && !e.closest(".visually-hidden") && (e.getBoundingClientRect().right > innerWidth + 0.5
        || e.getBoundingClientRect().left < -0.5));
    return [document.documentElement.scrollWidth > innerWidth, ...wide.map(e => e.outerHTML.slice(0, 90))];
}"""
SMALL = """() => [...document.querySelectorAll(".touch :is(text, p, button, label, output)")].filter(
    e => e.checkVisibility() && e.textContent.trim() && parseFloat(getComputedStyle(e).fontSize) < 13
).map(e => e.outerHTML)"""
TARGETS = """() => [...document.querySelectorAll(".touch :is(button, input, .reach), .ways .sd-btn")].filter(
    e => e.checkVisibility() && e.getBoundingClientRect().height < 43.5
).map(e => e.outerHTML.slice(0, 90))"""
BREAK = """console.error = () => {};
Object.defineProperty(globalThis, "orr", {
    configurable: true,
    set(use) {
        Object.defineProperty(globalThis, "orr", { value: use });
        use("%s").mount = place => {
            place.textContent = "half of a figure";
            setTimeout(() => globalThis.tried = true);
            throw new Error("broken");
        };
    },
});"""
# Leave only the figures of a page to axe, which is slow among hundreds of formulas.
ALONE = """() => {
    const figures = [...document.querySelectorAll(".touch")];
    for (const e of document.querySelectorAll("body *"))
        if (!figures.some(figure => figure.contains(e) || e.contains(figure))) e.remove();
}"""
# The figure from a second set of all modules, in which one way to write numbers is off by a hundredth.
SPOIL = """(figure, name) => {
    const others = (0, eval)(orr.source), own = others("numbers")[name];
    others("numbers")[name] = (x, ...given) => own(0.99 * x, ...given);
    others(figure.dataset.figure).mount(figure);
}"""
PRESS = "figure.querySelectorAll('button')[{}].click()"
# The middle of a handle's grip or of a slider's thumb, which is 16 pixels wide.
THUMB = """grip => {
    const box = (grip.querySelector(".grip") ?? grip).getBoundingClientRect();
    const part = grip.matches("input") ? (grip.value - grip.min) / (grip.max - grip.min) : 0.5;
    return [box.x + 8 + part * (box.width - 16), box.y + box.height / 2];
}"""


@pytest.fixture(scope="module")
def opened(browser, open_page):
    """Return a function that returns a page of figures, opened once, and what went wrong on it."""
    pages = {}
    with browser.new_context(has_touch=True, viewport=WIDE, reduced_motion="reduce") as context:
        context.add_init_script(SEEDED)

        def opened(place):
            if place not in pages:
                complaints = []
                pages[place] = open_page(place, complaints, context), complaints
            return pages[place]

        opened.pages = pages
        yield opened


@pytest.fixture(scope="module", params=ROWS, ids=" ".join)
def row(request):
    return request.param


@pytest.fixture
def alive(row, opened):
    """Return a page, a figure that was brought to life, and what went wrong on the page."""
    page, complaints = opened(row[0])
    return page, wake(page, row[1]), complaints


@pytest.fixture
def fresh(row, alive):
    """Return the page and its figure as it is at first, and the row of the figure."""
    mount(alive[1])
    return *alive[:2], ROWS[row]


def check(row, touch):
    """Compare every number that a figure says with the package, and return the value that it shows."""
    value, expected = row.shows(touch)
    found = numbers(says(touch))
    assert len(found) == len(expected), (found, expected)
    assert [pair for pair in zip(found, expected, strict=True) if pair[1] not in (None, pair[0])] == []
    return value


def leads_to(touch, row, expected):
    """Check what the figure says, and that it is in the state that is expected."""
    value = check(row, touch)
    if isinstance(expected, str):
        assert expected in says(touch)
    elif callable(expected):
        assert expected(value), value
    elif expected not in (None, SAME, MAYBE):
        assert value == expected


def test_every_figure_has_a_row():
    assert list(ROWS) == tagged()


def test_keys_mouse_and_buttons_change_it(fresh):
    page, touch, row = fresh
    leads_to(touch, row, row.start)
    for action, expected in row.steps:
        before = says(touch)
        action(page, touch, row)
        leads_to(touch, row, expected)
        assert expected is MAYBE or (says(touch) == before) == (expected is SAME)
    assert heard(touch) == says(touch)
    assert " ".join(touch.locator("svg[role=group]").get_attribute("aria-label").split()).endswith(
        says(touch)
    )
    if row.link:
        assert row.link in touch.locator(".touch-link a").get_attribute("href")


def test_a_spoilt_number_is_caught(fresh):
    _, touch, row = fresh
    right, caught = says(touch), 0
    for name in ("num", "fixed", "percent", "sure"):
        touch.evaluate(SPOIL, name)
        touch.locator(SAID).wait_for()
        if says(touch) != right:
            caught += 1
            with pytest.raises(AssertionError):
                check(row, touch)
    assert caught


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
        check(row, touch)
        follows = {"horizontal": [0], "vertical": [1]}.get(grip.get_attribute("aria-orientation"), [0, 1])
        axes = follows if grip.get_attribute("role") else [0]  # a slider has but one
        np.testing.assert_allclose(np.array(grip.evaluate(THUMB))[axes], goal[axes], atol=row.step)
    if row.tap:
        said = says(touch)
        touch.get_by_role("button", name=row.tap).tap()
        assert comes(page, lambda: says(touch) != said)
        check(row, touch)
    resize(page, WIDE)


MOVING = [key for key, row in ROWS.items() if row.motion]


@pytest.mark.parametrize("row", MOVING, indirect=True, ids=" ".join)
def test_it_moves_unless_readers_want_no_motion(fresh):
    page, touch, row = fresh
    number, measure = row.motion
    for motion, moves in [("no-preference", True), ("reduce", False)]:
        page.emulate_media(reduced_motion="reduce")  # else it may move by itself at first
        mount(touch)
        page.emulate_media(reduced_motion=motion)
        seen = frames(page, PRESS.format(number), measure, touch.get_attribute("data-figure"))
        assert seen[0] != seen[-1]
        assert (seen[0] == seen[1]) == (len(set(seen)) > 4) == moves
        assert isinstance(seen[0], str) or seen == sorted(seen)
        check(row, touch)


def test_its_still_picture_is_there_in_print(alive, row):
    page, touch, complaints = alive
    still = page.locator(f'.touch[data-figure="{row[1]}"] + .still')
    for media, shown in [("print", True), ("screen", False)]:
        page.emulate_media(media=media)
        still.wait_for(state="visible" if shown else "hidden")
        touch.wait_for(state="hidden" if shown else "visible")
    assert complaints == []


def test_its_link_leads_to_the_explorer_with_its_numbers(alive):
    page, touch, _ = alive
    for link in touch.locator(".touch-link a").all():
        with page.context.new_page() as other:
            other.goto(link.evaluate("link => link.href"))
            assert "#sizes=" in other.url
            assert other.locator("#ex-complaint").inner_text() == ""


# All figures of a page at once, and last: what looks at them spoils the page.
LAST = list({place: (place, name) for place, name in ROWS}.values())


@pytest.fixture
def whole(row, opened):
    """Return a page with all its figures alive."""
    page, _ = opened(row[0])
    for place, name in ROWS:
        if place == row[0]:
            wake(page, name)
    return page


@pytest.mark.parametrize("row", LAST, indirect=True, ids=" ".join)
def test_figures_fit_on_any_screen(whole):
    widths = (1024, 768) if "index" in whole.url else ()
    for width in (*widths, PHONE["width"], 320, WIDE["width"]):
        resize(whole, {"width": width, "height": 844})
        assert whole.evaluate(CROWDED) == [False], width
        assert whole.evaluate(SMALL) == []
        assert whole.evaluate(TARGETS) == []
    resize(whole, WIDE)


@pytest.mark.parametrize("row", LAST, indirect=True, ids=" ".join)
def test_axe_finds_nothing_in_figures(whole, axe, opened, row):
    del opened.pages[row[0]]
    whole.evaluate(ALONE)
    for look in reversed(OPPOSITE):
        settle(whole, look)
        found = axe.run(whole, context=".touch")
        assert found.violations_count == 0, found.generate_report()
    whole.close()


STILL = (
    '[class*="tag_touch-{0}"] .cell_output :is(svg, img), .touch[data-figure="{0}"] + .still :is(svg, img)'
)


ONE_OF_EACH_KIND = [("index.html", "story_dice"), ("chapters/01-one-answer.html", "belief")]


@pytest.mark.parametrize(("place", "name"), some_slow(ROWS, *(set(ROWS) - set(ONE_OF_EACH_KIND))))
@pytest.mark.parametrize("script", [True, False], ids=["broken scripts", "no scripts"])
def test_its_still_picture_is_there_without_scripts_and_where_they_fail(
    browser, address, place, name, script
):
    with browser.new_context(java_script_enabled=script) as context:
        context.add_init_script(BREAK % name)
        page = context.new_page()
        page.goto(f"{address}/{place}")
        still = page.locator(STILL.format(name)).first
        if script:
            still.scroll_into_view_if_needed()
            page.wait_for_function("globalThis.tried")
            assert page.locator(f'.touch[data-figure="{name}"][data-mounted]').count() == 0
        assert still.bounding_box()["width"] > 200


MENACES = {
    "wider than the screen": (CROWDED, "text.setAttribute('transform', 'translate(2000 10)')"),
    "small print": (SMALL, "text.style.fontSize = '9px'"),
    "a small target": (TARGETS, "control.style = 'height: 20px; min-height: 0'"),
}


def test_a_crowded_figure_and_a_nameless_control_are_caught(open_page, axe):
    place, name = list(ROWS)[5]
    with open_page(place) as page:
        touch = wake(page, name)
        for measure, script in MENACES.values():
            before = page.evaluate(measure)
            touch.evaluate(
                f"""figure => {{
                    const [text, control] = ["text", "button, input"].map(e => figure.querySelector(e));
                    {script};
                }}"""
            )
            assert page.evaluate(measure) != before
        page.evaluate(ALONE)
        touch.locator("label span, label output").evaluate_all("all => all.forEach(e => e.remove())")
        assert axe.run(page, context=".touch").violations_count > 0


FIRST_SCREEN = [
    "article h1",
    ".subtitle",
    ".hero-words > p",
    ".ways",
    ".results",
    ".hero .touch-controls",
    ".hero svg",
]
BELOW = """parts => parts.filter(part => {
    const box = document.querySelector(part).getBoundingClientRect();
    return box.height === 0 || box.top < 0 || box.bottom > innerHeight || box.right > innerWidth;
})"""


def test_the_first_screen_has_it_all_and_both_ways_lead_in(open_page, address):
    with open_page("index.html") as page:
        wake(page, "story_dice")
        for screen in ({"width": 1280, "height": 800}, PHONE):
            resize(page, screen)
            page.evaluate("scrollTo(0, 0)")
            assert page.evaluate(BELOW, FIRST_SCREEN) == []
            assert page.evaluate(BELOW, ["#the-chapters"]) == ["#the-chapters"]  # it can be missed
        assert "local differential privacy" in page.inner_text(".hero-words")
        page.get_by_role("link", name="Play for five minutes").click()
        page.wait_for_url(f"{address}/index.html#story")
        assert page.locator("#story").count() == 1
        page.get_by_role("link", name="Start reading").click()
        page.wait_for_url(f"{address}/chapters/01-one-answer.html")
