"""Every figure to touch has a still picture behind it, room on any screen, and words for any reader."""

import pytest

from tools.browsing import PHONE, WIDE

from .looks import SETTLED
from .touching import figure, says, tagged

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


@pytest.fixture(scope="module", params=tagged(), ids=[name for _, name in tagged()])
def alive(request, open_page):
    """Yield a page and its figure, and what went wrong while they were there."""
    complaints = []
    with figure(open_page, *request.param, complaints=complaints) as (page, touch):
        yield page, touch, complaints


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
        assert still.is_visible() == shown
        assert touch.is_visible() != shown


def test_it_fits_on_any_screen(alive):
    page, _, _ = alive
    for width in (PHONE["width"], 320, WIDE["width"]):
        page.set_viewport_size({"width": width, "height": 844})
        page.evaluate(SETTLED)
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
    for size, theme in [(PHONE, "dark"), (WIDE, "light")]:
        page.set_viewport_size(size)
        page.emulate_media(color_scheme=theme)
        page.evaluate(SETTLED)
        found = axe.run(page, context=".touch")
        assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize(("place", "name"), tagged(), ids=[name for _, name in tagged()])
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
