"""Every slide fits its page, has its formulas set, and can be reached without a mouse."""

import pytest

from tools.browsing import PHONE

LOOK = """() => {
    const slide = Reveal.getCurrentSlide().querySelector(".slide");
    const frame = slide.getBoundingClientRect();
    const all = selector => [...slide.querySelectorAll(selector)];
    const parts = [...slide.children, ...all("mjx-container, .drawing")].filter(e => e.checkVisibility());
    const over = e => e.scrollWidth > e.clientWidth || e.scrollHeight > e.clientHeight;
    return {
        fits: !over(slide) && parts.map(e => e.getBoundingClientRect())
            .every(b => b.right <= frame.right - 60 && b.bottom <= frame.bottom - 40),
        cut: all("pre").some(over),
        errors: all("mjx-merror").length,
        raw: /\\$|\\\\[a-z]/i.test(all("h1, p, li, td").map(e => e.innerText).join(" ")),
        end: Reveal.isLastSlide() && !Reveal.availableFragments().next,
        whole: !Reveal.availableFragments().next,
    };
}"""
REST = {"exclude": [["mjx-container"], ["section.past"], ["section.future"]]}
OPTIONS = {"resultTypes": ["violations"], "preload": False}


@pytest.mark.parametrize("lecture", ["lecture-1", "lecture-2"])
def test_every_slide_can_be_shown(open_page, axe, lecture):
    complaints, seen, end = [], set(), False
    with open_page(f"slides/{lecture}.html") as page:
        page.set_viewport_size({"width": 1280, "height": 720})
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
        page.set_viewport_size(PHONE)
        page.wait_for_function("Reveal.isScrollView()")  # all slides below each other
        assert axe.run(page, {"exclude": [["mjx-container"]]}, OPTIONS).response["violations"] == []
    assert complaints == []


def test_a_picture_without_words_is_caught_by_axe(open_page, axe):
    with open_page("slides/lecture-1.html") as page:
        page.evaluate("Reveal.getCurrentSlide().querySelector('.slide').append(new Image())")
        found = axe.run(page, REST, OPTIONS).response["violations"]
        assert [rule["id"] for rule in found] == ["image-alt"]
