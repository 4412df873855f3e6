"""Lines have a good length, what is cut off says so, and pages read well without scripts and on paper."""

from statistics import median

import pytest

from tests.common import some_slow
from tools.browsing import WIDE, pages

from .looks import AFTER, OPPOSITE, PAGES, RESIZED, resize, settle
from .test_pages import OPEN_ALL

CHAPTERS = [place for place in pages() if place.startswith("chapters/")]
# How many characters each line of long paragraphs has, but the last line of each.
LINES = """() => {
    const all = [...document.querySelectorAll("article section > p")];
    const long = all.filter(p => p.textContent.length > 300 && !p.querySelector("code, .math"));
    const range = document.createRange();
    return long.flatMap(p => {
        const lines = new Map(), walker = document.createTreeWalker(p, NodeFilter.SHOW_TEXT);
        while (walker.nextNode()) for (let i = 0; i < walker.currentNode.length; i++) {
            range.setStart(walker.currentNode, i);
            range.setEnd(walker.currentNode, i + 1);
            const box = range.getClientRects()[0];
            const line = box && Math.round((box.top - p.getBoundingClientRect().top) / 15);
            if (box) lines.set(line, (lines.get(line) ?? 0) + 1);
        }
        return [...lines.values()].slice(0, -1);
    });
}"""


LONG = ["chapters/01-one-answer.html", "chapters/20-should-you.html", f"{PAGES}related.html"]


@pytest.mark.parametrize("place", some_slow(LONG, *LONG[:2]))
def test_lines_have_65_to_75_characters(open_page, place):
    with open_page(place) as page:
        for width in (1024, 1280, 1920, 2560):
            resize(page, {"width": width, "height": 900})
            lines = page.evaluate(LINES)
            assert len(lines) > 20
            assert 65 <= median(lines) <= 75, width
        page.add_style_tag(content=".bd-article { --measure: 45ch }")
        assert median(page.evaluate(LINES)) < 65


def test_code_and_boxes_may_be_wider_than_the_text(open_page):
    with open_page("chapters/15-path.html") as page:
        widths = (
            "s => Math.max(...[...document.querySelectorAll(s)].map(e => e.getBoundingClientRect().width))"
        )
        text = page.evaluate(widths, "article section > p")
        assert page.evaluate(widths, "article .cell_input") > 1.2 * text
        assert page.evaluate(widths, "article div.math") > 1.1 * text
        assert page.evaluate(widths, "article .cell, article .admonition, article div.math") <= 50 * 16


# Boxes that scroll sideways: on which sides there is more, on which they fade, and whether Tab stops there.
SCROLLERS = """() => [...document.querySelectorAll("article *")]
    .filter(e => e.scrollWidth > e.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(e).overflowX))
    .filter(e => e.checkVisibility())
    .map(e => {
        const style = getComputedStyle(e), rest = e.scrollWidth - e.clientWidth - e.scrollLeft;
        const fades = side => style.maskImage !== "none" && parseFloat(style.getPropertyValue(side)) > 1;
        return {
            name: e.outerHTML.slice(0, 80), tab: e.tabIndex,
            more: [e.scrollLeft > 1, rest > 1], fades: [fades("--before"), fades("--after")],
        };
    })"""
SCROLL = """share => {
    for (const e of document.querySelectorAll("article *"))
        if (e.scrollWidth > e.clientWidth + 1) e.scrollLeft = share * (e.scrollWidth - e.clientWidth);
}"""


def unhinted(page):
    """Return boxes that do not fade where there is more, or fade where there is not, or that Tab skips."""
    return [box for box in page.evaluate(SCROLLERS) if box["more"] != box["fades"] or box["tab"] != 0]


@pytest.mark.parametrize("look", OPPOSITE)
@pytest.mark.parametrize(
    "place", some_slow(["chapters/13-formula.html", f"{PAGES}api.html"], f"{PAGES}api.html")
)
def test_what_is_cut_off_fades_where_there_is_more(open_page, place, look):
    with open_page(place) as page:
        settle(page, look)
        page.evaluate(OPEN_ALL)
        for share in (0, 0.5, 1):
            page.evaluate(SCROLL, share)
            page.evaluate(AFTER, RESIZED)
            assert unhinted(page) == []
        if look == "phone and dark" and place != f"{PAGES}api.html":
            kinds = " ".join(box["name"] for box in page.evaluate(SCROLLERS))
            assert "<pre" in kinds
            assert "<mjx-container" in kinds


UNHINTED = {
    "box.classList.remove('more-after')": "box.classList.add('more-after')",
    "box.removeAttribute('tabindex')": "box.tabIndex = 0",
    "box.style.maskImage = 'none'": "box.style.maskImage = ''",
    "box.classList.add('more-before')": "box.classList.remove('more-before')",
}


def test_a_box_without_its_hint_is_caught_and_a_phone_has_smaller_headings(open_page):
    with open_page("chapters/13-formula.html") as page:
        size = "s => parseFloat(getComputedStyle(document.querySelector(s)).fontSize)"
        settle(page, "wide and light")
        assert page.locator("mjx-container[tabindex='0']").count() == 0  # no stops for Tab unless they scroll
        wide = page.evaluate(size, "article h1")
        settle(page, "phone and dark")
        small = [page.evaluate(size, f"article {heading}") for heading in ("h1", "h2", "p")]
        assert 0.8 * wide > small[0] > small[1] > small[2]
        reached = page.locator("mjx-container[tabindex='0']")
        assert reached.count() == page.locator("mjx-container.more-after").count() > 0
        page.evaluate("globalThis.box = document.querySelector('.more-after')")
        for spoil, mend in UNHINTED.items():
            assert unhinted(page) == []
            page.evaluate(spoil)
            assert unhinted(page) != [], spoil
            page.evaluate(mend)


def test_nothing_floats_over_the_text_and_a_link_leads_to_the_top(open_page):
    with open_page("chapters/01-one-answer.html") as page:
        page.evaluate("scrollTo(0, document.body.scrollHeight)")
        page.evaluate("scrollBy(0, -200)")
        assert not page.locator("#pst-back-to-top").is_visible()
        page.get_by_role("link", name="Back to top").click()
        page.wait_for_function("scrollY < 100")
        page.emulate_media(media="print")
        titles = [title.inner_text() for title in page.locator("h1").all() if title.is_visible()]
        assert titles[0].startswith("1. ")
        page.emulate_media(media="screen")
        loaded = page.evaluate("performance.getEntriesByType('resource').map(entry => entry.name)")
        assert not [url for url in loaded if "noscript" in url or "toggle" in url]  # their weight


COLOURS = """() => [".highlight .k, .highlight .kn", ".highlight .mi", "article p", "body"]
    .map(s => getComputedStyle(document.querySelector(s)))
    .map((style, i) => i < 3 ? style.color : style.backgroundColor)"""


@pytest.mark.parametrize("scheme", some_slow(["light", "dark"], "light"))
def test_without_scripts_colours_are_those_of_the_system(browser, address, scheme):
    seen = []
    for script in (True, False):
        context = browser.new_context(java_script_enabled=script, color_scheme=scheme, viewport=WIDE)
        with context, context.new_page() as page:
            page.goto(f"{address}/chapters/01-one-answer.html")
            seen.append(page.evaluate(COLOURS))
    assert seen[0] == seen[1]
    assert len(set(seen[1])) == 4
