"""Every figure to touch has a still picture behind it, room on any screen, and words for any reader."""

import pytest

from tools.browsing import PHONE, WIDE

from .looks import SETTLED
from .touching import figure, says, tagged

EVERY = pytest.mark.parametrize(("place", "name"), tagged(), ids=[name for _, name in tagged()])
CROWDED = """() => {
    const wide = [...document.querySelectorAll(".touch *")].filter(e => e.checkVisibility()
        && !e.closest(".visually-hidden") && (e.getBoundingClientRect().right > innerWidth + 0.5
        || e.getBoundingClientRect().left < -0.5));
    return [document.documentElement.scrollWidth > innerWidth, ...wide.map(e => e.outerHTML.slice(0, 90))];
}"""
SMALL = """() => [...document.querySelectorAll(".touch :is(text, p, button, label, output)")].filter(
    e => e.checkVisibility() && e.textContent.trim() && parseFloat(getComputedStyle(e).fontSize) < 13
).map(e => e.outerHTML)"""
TARGETS = """() => [...document.querySelectorAll(".touch :is(button, input, .reach)")].map(
    e => [e.outerHTML.slice(0, 90), e.getBoundingClientRect()]
).filter(([_, box]) => box.height < 43.5).map(([name]) => name)"""

BREAK = """name => {
    console.error = () => {};
    orr(name).mount = place => {
        place.textContent = "half of a figure";
        setTimeout(() => globalThis.tried = true);
        throw new Error("broken");
    };
}"""


def cell(page, name):
    return page.locator(f'[class*="tag_touch-{name}"]')


@EVERY
def test_the_still_picture_is_there_in_print_and_without_scripts(browser, open_page, place, name):
    with figure(open_page, place, name) as (page, touch):
        still = cell(page, name).locator(".still")
        assert touch.is_visible()
        assert not still.is_visible()
        page.emulate_media(media="print")
        assert still.is_visible()
        assert not touch.is_visible()
        page.emulate_media(media="screen")
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(page_address(open_page, place))
        assert cell(page, name).locator(".cell_output :is(svg, img)").first.is_visible()


def page_address(open_page, place):
    with open_page(place) as page:
        return page.url


@EVERY
def test_the_still_picture_comes_back_where_a_figure_fails(open_page, place, name):
    with open_page(place) as page:
        page.evaluate(BREAK, name)
        cell(page, name).scroll_into_view_if_needed()
        page.wait_for_function("globalThis.tried")
        assert page.locator(f'.touch[data-figure="{name}"][data-mounted]').count() == 0
        assert cell(page, name).locator(".still").is_visible()


@EVERY
def test_axe_finds_nothing(open_page, axe, place, name):
    with figure(open_page, place, name) as (page, _):
        for size in (WIDE, PHONE):
            for theme in ("light", "dark"):
                page.set_viewport_size(size)
                page.emulate_media(color_scheme=theme)
                page.evaluate(SETTLED)
                found = axe.run(page, context=f'.touch[data-figure="{name}"]')
                assert found.violations_count == 0, found.generate_report()


@EVERY
def test_it_fits_on_any_screen(open_page, place, name):
    with figure(open_page, place, name) as (page, _):
        for width in (WIDE["width"], PHONE["width"], 320):
            page.set_viewport_size({"width": width, "height": 844})
            page.wait_for_timeout(50)
            assert page.evaluate(CROWDED) == [False], width
            assert page.evaluate(SMALL) == []
            assert page.evaluate(TARGETS) == []


@EVERY
def test_its_picture_has_the_sentence_as_its_name_and_its_link_the_same_numbers(open_page, place, name):
    complaints = []
    with figure(open_page, place, name, complaints=complaints) as (page, touch):
        label = " ".join(touch.locator("svg[role=group]").get_attribute("aria-label").split())
        assert label.endswith(says(touch))
        if link := touch.locator(".touch-link a").all():
            link[0].click()
            page.locator("#ex-complaint").wait_for(state="attached")
            assert page.locator("#ex-complaint").inner_text() == ""
    assert complaints == []


MENACES = {
    "wider than the screen": (CROWDED, "text.setAttribute('transform', 'translate(2000 10)')"),
    "small print": (SMALL, "text.style.fontSize = '9px'"),
    "a small target": (
        TARGETS,
        "control.style = 'height: 20px; min-height: 0'",
    ),
}


@pytest.mark.parametrize(("measure", "script"), MENACES.values(), ids=MENACES)
def test_a_crowded_figure_is_caught(open_page, measure, script):
    place, name = tagged()[0]
    with figure(open_page, place, name) as (page, _):
        before = page.evaluate(measure)
        page.evaluate(
            f"""name => {{
                const figure = document.querySelector(`.touch[data-figure=${{name}}]`);
                const [text, control] = [figure.querySelector("text"), figure.querySelector("button, input")];
                {script};
            }}""",
            name,
        )
        assert page.evaluate(measure) != before
