"""Links show what they lead to: under a mouse, with the keyboard's focus, and at a first tap."""

import re
from html import unescape
from itertools import cycle
from urllib.parse import unquote, urldefrag, urljoin

import pytest

from tests.common import some_slow
from tools.browsing import BOOK, PHONE, WIDE, pages

from .looks import AFTER, PAGES, settle
from .test_pages import OPEN_ALL, violations

# Links of several kinds, each with words of its preview.
KINDS = {
    "a term": (
        "chapters/01-one-answer.html",
        f"../{PAGES}glossary.html#term-local-differential-privacy",
        "before it",
    ),
    "a source": ("chapters/01-one-answer.html", f"../{PAGES}bibliography.html#id3", "evasive answer bias"),
    "an equation here": ("chapters/01-one-answer.html", "#equation-flip", "(1.5)"),
    "an equation elsewhere": ("chapters/02-many-answers.html", "01-one-answer.html#equation-flip", "(1.5)"),
    "a theorem here": ("chapters/03-two-attributes.html", "#two-rays", "Theorem 3.3"),
    "a theorem elsewhere": ("chapters/11-shape.html", "05-certificate.html#lp-thm-tight", "Theorem 5.2"),
    "a figure": ("chapters/04-linear-program.html", "#fig-lp-hasse", "Fig. 4.1"),
    "a function": (f"{PAGES}api.html", "#orr.kronecker", "kronecker"),
}
WAIT = 250  # milliseconds after which a preview opens or closes
EVERY_KIND = some_slow(
    KINDS.values(), *(case for kind, case in KINDS.items() if kind not in ("a term", "an equation here"))
)
KEPT = re.compile(r'<template class="preview-of" data-of="([^"]+)"')
INSIDE = """() => {
    const box = document.querySelector("#preview").getBoundingClientRect();
    const link = document.querySelector("[data-tried]").getClientRects()[0];
    return box.left >= 0 && box.right <= innerWidth && box.top >= 0 && box.bottom <= innerHeight
        && (box.top >= link.bottom || box.bottom <= link.top);
}"""
TRY = """(link, block) => {
    for (const old of document.querySelectorAll("[data-tried]")) delete old.dataset.tried;
    link.dataset.tried = "";
    link.scrollIntoView({ block });
    scrollBy(0, -60);
}"""
REST = """() => ({
    links: document.querySelectorAll("#preview .preview-text a").length,
    ids: document.querySelectorAll("#preview [id]:not(svg *)").length,
    raw: /\\\\\\(|\\\\\\[/.test(document.querySelector("#preview").innerText),
    wide: document.querySelector("#preview").scrollWidth > document.querySelector("#preview").clientWidth + 1,
})"""


def link_to(page, address):
    """Return a visible link to an address, in the middle of the window."""
    page.evaluate(OPEN_ALL)
    link = page.locator(f'article a[href="{address}"]:not(.headerlink)').last
    link.evaluate("e => { e.dataset.tried = ''; e.scrollIntoView({ block: 'center' }); }")
    return link


def look_at(page, words):
    """Check the preview that is open: whole, inside the window, beside the link, and set."""
    box = page.locator("#preview")
    box.wait_for()
    page.wait_for_function("!/\\\\[([]/.test(document.querySelector('#preview').innerText)")
    assert words in box.inner_text().replace("\u00a0", " ")
    assert page.evaluate(INSIDE)
    assert page.evaluate(REST) == {"links": 0, "ids": 0, "raw": False, "wide": False}
    return box


@pytest.fixture(scope="module")
def phone(browser):
    with browser.new_context(
        viewport=PHONE, has_touch=True, is_mobile=True, reduced_motion="reduce"
    ) as context:
        yield context


@pytest.mark.parametrize(("place", "goal", "words"), EVERY_KIND, ids=KINDS)
def test_a_mouse_and_the_keyboard_open_a_preview(open_page, place, goal, words):
    with open_page(place) as page:
        link = link_to(page, goal)
        link.hover()
        box = look_at(page, words)
        assert box.get_attribute("role") == "tooltip"
        assert link.get_attribute("aria-describedby") == "preview"
        box.hover()
        page.evaluate(AFTER, WAIT)
        assert box.is_visible()
        page.mouse.move(5, 5)
        box.wait_for(state="detached")
        assert link.get_attribute("aria-describedby") is None
        page.keyboard.press("Tab")  # the keyboard is in use
        link.focus()
        look_at(page, words)
        page.keyboard.press("Escape")
        box.wait_for(state="detached")
        assert link.evaluate("e => e === document.activeElement")
        page.keyboard.press("Shift+Tab")
        page.keyboard.press("Tab")
        look_at(page, words)
        page.keyboard.press("Enter")
        page.wait_for_url(urljoin(page.url, goal))


@pytest.mark.parametrize(("place", "goal", "words"), EVERY_KIND, ids=KINDS)
def test_a_first_tap_opens_a_preview_and_a_second_leads_on(open_page, phone, place, goal, words):
    with open_page(place, context=phone) as page:
        link, before = link_to(page, goal), page.url
        link.tap()
        box = look_at(page, words)
        assert page.url == before
        assert box.get_attribute("role") == "dialog"
        assert box.evaluate("e => e === document.activeElement")
        for part in box.locator(".preview-foot > *").all():
            assert part.bounding_box()["height"] >= 44
        box.get_by_role("button", name="Close").tap()
        box.wait_for(state="detached")
        assert link.evaluate("e => e === document.activeElement")
        for close in (lambda: page.touchscreen.tap(200, 20), lambda: page.keyboard.press("Escape")):
            link.tap()
            look_at(page, words)
            close()
            box.wait_for(state="detached")
        link.tap()
        look_at(page, words)
        (box.get_by_role("link", name="Go to") if "term" in goal else link).tap()
        page.wait_for_url(urljoin(page.url, goal))


def test_links_without_a_preview_are_followed_at_once(open_page, phone):
    with open_page("chapters/01-one-answer.html", context=phone) as page:
        page.locator("article a[href='02-many-answers.html']").first.tap()
        page.wait_for_url("**/02-many-answers.html")


@pytest.mark.parametrize(
    "place", some_slow(["chapters/16-price.html", f"{PAGES}related.html"], "chapters/16-price.html")
)
def test_previews_stay_inside_a_phone(open_page, phone, place):
    with open_page(place, context=phone) as page:
        page.evaluate(OPEN_ALL)
        links = page.locator("article a.reference.internal[href*='#']:not(.headerlink)")
        for link, block in zip(links.all()[::7], cycle(["start", "center", "end"]), strict=False):
            link.evaluate(TRY, block)
            link.tap()
            look_at(page, "")
            page.keyboard.press("Escape")


def test_axe_finds_nothing_in_an_open_preview(open_page, axe, phone):
    place, goal, words = KINDS["a theorem elsewhere"]
    with open_page(place, context=phone) as page:
        settle(page, "phone and dark")
        link_to(page, goal).tap()
        look_at(page, words)
        page.evaluate("""() => {
            for (const part of document.querySelectorAll("article > section > *")) part.remove();
            const box = document.querySelector("#preview");
            box.style.top = box.style.left = "9px";
        }""")
        assert {found for found in violations(axe, page) if "preview" in str(found)} == set()


def test_previews_work_from_a_disk(browser):
    place, goal, words = KINDS["a theorem elsewhere"]
    with browser.new_context(viewport=WIDE, reduced_motion="reduce") as context, context.new_page() as page:
        page.goto((BOOK / place).as_uri())
        link_to(page, goal).hover()
        look_at(page, words)


def missing(folder):
    """Return links to terms, equations, theorems or sources of other pages that no template shows."""
    texts = {place: (folder / place).read_text("utf-8") for place in pages(folder)}
    here = {place: f"http://book/{place}" for place in texts}
    shown = r'<(?:dt|div class="(?:math|proof|exercise|citation)[^"]*") id="([^"]+)"'
    places = {f"{here[place]}#{name}" for place, text in texts.items() for name in re.findall(shown, text)}
    lost = []
    for place, text in texts.items():
        kept = re.findall(KEPT, text)
        for address in re.findall(r'<a class="reference internal" href="([^"#]+#[^"]+)"', text):
            goal = urljoin(here[place], unquote(unescape(address)))
            if goal in places and urldefrag(goal)[0] != here[place] and address not in kept:
                lost.append((place, address))
    return lost


def test_pages_carry_what_they_link_to_and_no_more():
    assert missing(BOOK) == []
    for place in pages():
        text = (BOOK / place).read_text("utf-8")
        kept = re.findall(KEPT, text)
        assert len(kept) == len(set(kept))
        assert all(f'href="{address}"' in text for address in kept)


def test_a_page_without_its_previews_is_caught(tmp_path, open_page):
    (tmp_path / "a.html").write_text('<dt id="term">', "utf-8")
    (tmp_path / "b.html").write_text('<a class="reference internal" href="a.html#term">', "utf-8")
    assert missing(tmp_path) == [("b.html", "a.html#term")]
    place, goal, _ = KINDS["a term"]
    with open_page(place) as page:
        page.evaluate("for (const kept of document.querySelectorAll('template')) kept.remove()")
        link_to(page, goal).hover()
        page.evaluate(AFTER, WAIT)
        assert page.locator("#preview").count() == 0


def test_a_preview_past_the_edge_or_over_its_link_is_caught(open_page, phone):
    place, goal, _ = KINDS["a theorem elsewhere"]
    with open_page(place, context=phone) as page:
        link_to(page, goal).tap()
        page.locator("#preview").wait_for()
        for style in ("left: 300px !important", "top: 40% !important; height: 40%"):
            added = page.add_style_tag(content=f"#preview {{ {style} }}")
            assert not page.evaluate(INSIDE)
            added.evaluate("style => style.remove()")
