"""Every slide fits its page, has its formulas set, and needs no mouse; the handout is one sheet."""

import re
from io import BytesIO

import pytest
from pypdf import PdfReader

from tests.common import some_slow
from tools.browsing import BOOK, PHONE

from .looks import PAGES, resize

LECTURES = ["lecture-1", "lecture-2", "lecture-3"]
LOOK = """() => {
    const slide = Reveal.getCurrentSlide().querySelector(".slide");
    const frame = slide.getBoundingClientRect();
    const all = selector => [...slide.querySelectorAll(selector)];
    const parts = [...all(":scope > :not(.places)"), ...all("mjx-container, .drawing, table")]
        .filter(e => e.checkVisibility());
    const over = e => e.scrollWidth > e.clientWidth || e.scrollHeight > e.clientHeight;
    return {
        fits: !over(slide) && parts.map(e => e.getBoundingClientRect())
            .every(b => b.right <= frame.right - 60 && b.bottom <= frame.bottom - 40),
        cut: all("pre, .places").some(over),
        errors: all("mjx-merror").length,
        raw: /\\$|\\\\[a-z]|\\*\\*/i.test(all("h1, p, li, td").map(e => e.innerText).join(" ")),
        end: Reveal.isLastSlide() && !Reveal.availableFragments().next,
        whole: !Reveal.availableFragments().next,
    };
}"""
REST = {"exclude": [["mjx-container"], ["section.past"], ["section.future"]]}
FORMULAS = {"exclude": [["mjx-container"]]}
OPTIONS = {"resultTypes": ["violations"], "preload": False}
DEMOS = {  # what the notes tell the lecturer to show, by the address of the explorer
    "#sizes=2,16&levels=2,2": ["± 1.35 points", "± 2.57 points"],
    "#sizes=2,2&levels=1.0986,1.0986": [
        "Kronecker 2.1972",
        "optimum 1.6094",
        "0.5625",
        "0.625",
        "learn 1.609",
    ],
    "#sizes=2,3,2,2,2&levels=1.386,1.099,1.099,1.609,0.288": ["4 and 5 got 1.386 and 1.386 instead"],
    "#sizes=2,3,4&levels=1,1.5,2&slack=10": ["With a slack of 10% the overall level is 3.8969, 57.2%"],
}


def links(name):
    """Return the addresses that a page of the slides links to, with & as it is."""
    html = (BOOK / "slides" / f"{name}.html").read_text("utf-8")
    return [address.replace("&amp;", "&") for address in re.findall(r'<a href="([^"]+)"', html)]


@pytest.mark.parametrize("lecture", some_slow(LECTURES, *LECTURES[1:]))
def test_every_slide_can_be_shown(open_page, axe, lecture):
    complaints, seen, end = [], set(), False
    with open_page(f"slides/{lecture}.html") as page:
        resize(page, {"width": 1280, "height": 720})
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.reload()
        page.evaluate("MathJax.startup.promise.then(() => {})")
        while not end:
            look = page.evaluate(LOOK)
            end, whole = look.pop("end"), look.pop("whole")
            assert look == {"fits": True, "cut": False, "errors": 0, "raw": False}, page.url
            if whole:
                assert axe.run(page, REST, OPTIONS).response["violations"] == [], page.url
                seen.add(page.evaluate("Reveal.getSlidePastCount()"))
            page.keyboard.press("ArrowRight")
        assert len(seen) == page.evaluate("Reveal.getTotalSlides()")
        resize(page, PHONE)
        page.wait_for_function("Reveal.isScrollView()")  # all slides below each other
        assert axe.run(page, FORMULAS, OPTIONS).response["violations"] == []
    assert complaints == []


def test_options_are_lettered_and_a_full_slide_and_a_picture_without_words_are_caught(open_page, axe):
    with open_page("slides/lecture-1.html") as page:
        resize(page, {"width": 1280, "height": 720})
        kind = "getComputedStyle(document.querySelector('.question ol')).listStyleType"
        assert page.evaluate(kind) == "upper-alpha"
        page.evaluate("Reveal.getCurrentSlide().querySelector('.slide').append(new Image())")
        found = axe.run(page, REST, OPTIONS).response["violations"]
        assert [rule["id"] for rule in found] == ["image-alt"]
        page.evaluate("Reveal.getCurrentSlide().querySelector('.slide').append('word '.repeat(1000))")
        assert not page.evaluate(LOOK)["fits"]


@pytest.mark.parametrize("name", [*LECTURES, "handout"])
def test_links_into_the_book_lead_somewhere(name):
    for address in links(name):
        place, _, section = address.partition("#")
        page = (BOOK / "slides" / place).resolve()
        assert page.is_file(), address
        if section and "=" not in section:  # the explorer's addresses say what to show
            assert f'id="{section}"' in page.read_text("utf-8"), address


def test_the_explorer_shows_what_the_notes_say(open_page):
    linked = [link.removeprefix(f"../{PAGES}explorer.html") for name in LECTURES for link in links(name)]
    assert {link for link in linked if "sizes=" in link} == set(DEMOS)
    with open_page(f"{PAGES}explorer.html") as page:
        for address, words in DEMOS.items():
            page.evaluate("part => { location.hash = part; }", address)
            for word in words:
                page.wait_for_function("word => document.body.innerText.includes(word)", arg=word)


def test_the_handout_is_one_sheet_and_clean(open_page, axe):
    with open_page("slides/handout.html") as page:
        page.evaluate("MathJax.startup.promise.then(() => {})")
        assert page.locator("mjx-merror").count() == 0
        assert page.locator(".blank").count() == 18
        assert "$" not in page.inner_text("main")
        for paper in ("A4", "Letter"):
            assert len(PdfReader(BytesIO(page.pdf(format=paper))).pages) == 2
        assert axe.run(page, FORMULAS, OPTIONS).response["violations"] == []
        resize(page, PHONE)
        assert axe.run(page, FORMULAS, OPTIONS).response["violations"] == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
