"""Folded code and folded solutions unfold, one at a time or all at once, and what was chosen is kept."""

import pytest

from tests.common import some_slow
from tools.browsing import BOOK, FORMULAS_SET, PHONE, WIDE, pages

from .keeping import come_back, unless_forgotten
from .looks import THEME, resize
from .searching import open_dialog

PAGE, NEXT = "chapters/01-one-answer.html", "chapters/02-many-answers.html"
OPEN = "[...document.querySelectorAll('article details.hide')].map((part) => part.open)"
LABELS = """[...document.querySelectorAll("article details.hide")].map(fold => [
    fold.querySelector("summary span").textContent,
    fold.parentElement.querySelector(".cell_output :is(img, svg:not(button *))") ? "picture"
        : fold.parentElement.querySelector(".cell_output table") ? "table"
        : fold.parentElement.querySelector(".cell_output") ? "output" : "nothing",
])"""
# At once, lest a figure comes to life meanwhile.
HEIGHTS = """() => {
    const height = () => document.querySelector("article").offsetHeight, opened = height();
    for (const fold of document.querySelectorAll("details.hide")) fold.open = false;
    const styled = height();
    document.documentElement.dataset.code = "folded";
    return [opened, styled, height()];
}"""
EXERCISE = "Exercise 1.1 (By hand: a fair coin)"
SHOWS = {"Figure code": {"picture"}, "Table code": {"table"}, "Set-up": {"nothing"}, "Check": {"nothing"}}


def test_one_button_unfolds_all_code_folds_it_again_and_stays_in_sight(browser, open_page):
    with (
        browser.new_context(viewport=WIDE, reduced_motion="reduce") as context,
        open_page(PAGE, context=context) as page,
    ):
        button = page.get_by_role("button", name="Show all code")
        assert not any(page.evaluate(OPEN))
        for pressed in (True, False):
            button.press("Enter")
            assert button.get_attribute("aria-pressed") == str(pressed).lower()
            assert set(page.evaluate(OPEN)) == {pressed}
        for size in (WIDE, PHONE, {"width": 320, "height": 700}):
            resize(page, size)
            page.evaluate("scrollTo(0, 3000)")
            box = button.bounding_box()
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= size["width"]
            assert 0 <= box["y"] <= 60
        resize(page, WIDE)
        button.click()
        page.evaluate(FORMULAS_SET)
        # What the style shows before the script opens it is as tall as what it opens.
        opened, styled, folded = page.evaluate(HEIGHTS)
        assert folded < 0.98 * opened
        assert styled == pytest.approx(opened, abs=0.2 * (opened - folded))


@pytest.mark.parametrize("disk", [False, True], ids=["served", "on a disk"])
@unless_forgotten
def test_the_choice_holds_for_every_page(browser, address, disk):
    book = BOOK.as_uri() if disk else address
    with browser.new_context(viewport=WIDE, reduced_motion="reduce") as context, context.new_page() as page:
        button = page.get_by_role("button", name="Show all code")
        page.goto(f"{book}/{PAGE}")
        button.click()
        come_back(page, lambda: page.goto(f"{book}/{NEXT}"))
        assert all(page.evaluate(OPEN))
        assert button.get_attribute("aria-pressed") == "true"
        button.click()
        come_back(page, page.reload)
        assert not any(page.evaluate(OPEN))


def test_a_browser_that_keeps_nothing_still_unfolds(browser, address):
    with browser.new_context(viewport=WIDE, reduced_motion="reduce") as context, context.new_page() as page:
        page.add_init_script("""Object.defineProperty(globalThis, "localStorage",
            { get() { throw new DOMException("no", "SecurityError"); } })""")
        page.goto(f"{address}/{PAGE}")
        page.get_by_role("button", name="Show all code").click()
        assert all(page.evaluate(OPEN))
        open_dialog(page)  # the scripts of others work too
        theme = page.evaluate(THEME)
        page.keyboard.press("Escape")
        page.locator(".theme-switch-button").click()
        page.wait_for_function(f"{THEME} !== '{theme}'")


@pytest.mark.parametrize(
    "place",
    some_slow(
        ["chapters/05-certificate.html", "chapters/20-should-you.html"], "chapters/05-certificate.html"
    ),
)
def test_folds_are_called_what_they_are(open_page, place):
    with open_page(place) as page:
        labels = page.evaluate(LABELS)
        assert {name for name, _ in labels} <= {*SHOWS, "Code"}
        assert {"Figure code", "Set-up"} <= {name for name, _ in labels}
        assert [(name, what) for name, what in labels if name in SHOWS and what not in SHOWS[name]] == []
        assert [(name, what) for name, what in labels if what == "picture" and name != "Figure code"] == []


@pytest.mark.parametrize("script", [True, False], ids=["with scripts", "without scripts"])
def test_solutions_unfold(browser, address, script):
    with (
        browser.new_context(java_script_enabled=script, viewport=WIDE) as context,
        context.new_page() as page,
    ):
        page.goto(f"{address}/{PAGE}")
        solution = page.locator("details.solution").first
        button = solution.locator("summary")
        link = solution.get_by_role("link", name=EXERCISE)
        for verb, shown in (("Show", False), ("Hide", True), ("Show", False)):
            assert (
                " ".join(button.inner_text().split())
                == f"{verb} solution to Exercise 1.1 (By hand: a fair coin)"
            )
            assert solution.locator(".solution-content").is_visible() == link.is_visible() == shown
            button.click()
        assert button.locator("a").count() == 0
        page.emulate_media(media="print")
        assert solution.locator(".solution-content").bounding_box()["height"] > 20
        assert not button.is_visible()


def test_every_solution_is_a_fold_and_no_page_loads_what_folded_them_before():
    for place in pages():
        html = (BOOK / place).read_text("utf-8")
        assert "togglebutton" not in html
        assert 'class="solution dropdown' not in html
        assert html.count('class="exercise admonition" id=') == html.count('<details class="solution fold"')
        assert ("Show all code" in html) == ('<details class="hide' in html)
