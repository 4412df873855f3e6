"""The belief after an answer is what Bayes' rule makes of it, under the package's own mechanism."""

import re

import numpy as np
import pytest

import orr
from tools.browsing import PHONE

from .touching import drag, figure, finger, heard, middle, num, percent, says, spoilt

PLACE, NAME = "chapters/01-one-answer.html", "belief"
COMPUTE = """cases => cases.map(([before, level]) =>
    [orr("belief").after(before, level), orr("belief").after(before, -level)])"""


def bayes(before, level):
    """Return the belief in a "yes" after each answer, most telling first."""
    answer, belief = orr.kronecker([2], [level]).matrix() if level else np.full((2, 2), 0.5), before
    return [answer[u, 1] * belief / (answer[u, 1] * belief + answer[u, 0] * (1 - belief)) for u in (1, 0)]


def compare(page):
    rng = np.random.default_rng(4)
    cases = [(rng.uniform(0.001, 0.999), rng.uniform(0.01, 8)) for _ in range(60)]
    for found, case in zip(page.evaluate(COMPUTE, cases), cases, strict=True):
        np.testing.assert_allclose(found, bayes(*case), rtol=1e-9)


def sure(page, belief):
    return page.evaluate("belief => orr('numbers').sure(belief)", float(belief))


def check(page, touch):
    """Compare what is said with Bayes' rule; return the belief before."""
    before = int(touch.get_by_role("slider", name="belief before").get_attribute("aria-valuenow")) / 100
    level = float(touch.locator("input").input_value())
    high, low = bayes(before, level)
    assert says(touch) == (
        f"At level {level:.1f} an answer changes odds by a factor of {num(page, np.exp(level), 3)} at most. "
        f"A belief of {percent(page, before)} ends up between {sure(page, low)} and {sure(page, high)}."
    )
    shown = touch.locator("svg tspan").all_text_contents()
    assert shown == [sure(page, high), sure(page, low)]
    return before


@pytest.fixture(scope="module")
def belief(open_page):
    with figure(open_page, PLACE, NAME) as alive:
        yield alive


def test_its_numbers_are_those_of_bayes(belief):
    compare(belief[0])


@pytest.mark.parametrize("wrong", ["return found * (1 + 1e-6)", "return 1 - found"])
def test_a_wrong_belief_is_caught(belief, wrong):
    page, _ = belief
    with spoilt(page, NAME, "after", wrong), pytest.raises(AssertionError):
        compare(page)
    compare(page)


def test_near_certainty_is_not_called_certain(belief):
    page, _ = belief
    for power in range(1, 15):
        shown = float(sure(page, 1 - 10.0**-power).removesuffix("%"))
        assert 50 < shown < 100


def test_keys_move_belief_and_level(belief):
    page, touch = belief
    assert check(page, touch) == 0.5
    handle = touch.get_by_role("slider", name="belief before")
    handle.focus()
    for key, value in [("ArrowRight", 51), ("ArrowDown", 50), ("Shift+ArrowLeft", 40), ("ArrowUp", 41)]:
        page.keyboard.press(key)
        assert check(page, touch) == value / 100
    for _ in range(6):
        page.keyboard.press("Shift+ArrowRight")
    assert check(page, touch) == 0.99
    touch.locator("input").focus()
    for key in ("ArrowRight", "PageUp", "End", "ArrowLeft", "Home"):
        page.keyboard.press(key)
        check(page, touch)
    assert heard(touch) == says(touch)


def test_the_challenge_has_the_answer_that_the_chapter_implies(belief):
    """Odds of 1 to 99 become even at level log 99."""
    page, touch = belief
    handle = touch.get_by_role("slider", name="belief before")
    handle.focus()
    for _ in range(10):
        page.keyboard.press("Shift+ArrowLeft")
    touch.locator("input").fill("4.6")
    assert check(page, touch) == 0.01
    assert abs(bayes(0.01, np.log(99))[0] - 0.5) < 1e-12
    assert re.search(r"and (49|50)\.\d%", says(touch))


def test_a_mouse_drags_the_belief(belief):
    page, touch = belief
    handle = touch.get_by_role("slider", name="belief before")
    handle.scroll_into_view_if_needed()
    before = check(page, touch)
    x, y = middle(handle.locator(".grip"))
    drag(page, (x, y), (x + 90, y - 20))
    assert check(page, touch) > before + 0.1


def test_a_finger_drags_the_belief_and_not_the_page(browser, open_page):
    with (
        browser.new_context(has_touch=True, viewport=PHONE, reduced_motion="reduce") as context,
        figure(open_page, PLACE, NAME, context=context) as (page, touch),
    ):
        handle = touch.get_by_role("slider", name="belief before")
        handle.scroll_into_view_if_needed()
        x, y = middle(handle.locator(".grip"))
        scrolled = page.evaluate("scrollY")
        finger(page, (x, y), (x - 60, y + 60))
        assert check(page, touch) < 0.4
        assert page.evaluate("scrollY") == scrolled
