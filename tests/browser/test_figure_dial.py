"""The dial of chapter many-answers has the levels of its flip law, whoever turns it and how."""

import numpy as np
import pytest

import orr
from tests.common import brute_levels
from tools.browsing import PHONE

from .touching import drag, figure, finger, frames, heard, middle, num, percent, says, spoilt

PLACE, NAME = "chapters/02-many-answers.html", "dial"
COMPUTE = """cases => cases.map(([levels, delta]) => ({
    ...orr("dial").compute(levels, delta), lowest: orr("dial").lowest(levels) }))"""
DIFFER = np.indices((2, 2)).reshape(2, -1)
FLIPS = [1, 2] @ (DIFFER[:, :, None] != DIFFER[:, None, :]).reshape(2, -1)  # 0 none, 1, 2, 3 both


def law(levels, delta):
    """Return the chances of the flip sets, as equation many-dial has them."""
    one, two = np.exp(levels)
    x = np.array([one * two + delta, two - delta, one - delta, 1 + delta])
    return x / x.sum()


def compare(page):
    """Compare random settings of the dial with levels read off a distortion matrix."""
    rng = np.random.default_rng(2)
    drawn = rng.uniform(0.1, 4, (40, 2))
    turned = [rng.uniform(-0.95, 0.95 * np.exp(levels.min())) for levels in drawn]
    cases = [(levels.tolist(), delta) for levels, delta in zip(drawn, turned, strict=True)]
    for found, (levels, delta) in zip(page.evaluate(COMPUTE, cases), cases, strict=True):
        chances = law(levels, delta)
        overall, marginal, neighbour = brute_levels(chances[FLIPS].reshape(4, 4), (2, 2))
        np.testing.assert_allclose(found["chances"], chances, rtol=1e-9)
        np.testing.assert_allclose(found["overall"], overall, rtol=1e-9)
        np.testing.assert_allclose(found["attributes"], marginal, rtol=1e-9)
        np.testing.assert_allclose(found["attributes"], levels, rtol=1e-9)
        np.testing.assert_allclose(found["neighbours"], neighbour, rtol=1e-9)
        best = orr.two_attribute([2, 2], levels).epsilon
        at = law(levels, found["lowest"])
        np.testing.assert_allclose(np.log(at.max() / at.min()), best, rtol=1e-9)


def expected(page, delta):
    """Return what the sentence must say."""
    chances = law([1.5, 1], delta)
    overall, _, neighbour = brute_levels(chances[FLIPS].reshape(4, 4), (2, 2))
    return [
        f"flip in {percent(page, chances[3])} of records",
        f"{num(page, np.exp(overall), 3)} times as likely",
        f"overall level {num(page, overall, 4)}.",
        f"{num(page, neighbour[0], 3)} and {num(page, neighbour[1], 3)}.",
    ]


def value(touch):
    """Return where the dial stands."""
    found = float(touch.locator("input").input_value())
    lowest = (np.e - 1) / 2
    return lowest if abs(found - lowest) < 0.006 else found


def check(page, touch):
    for words in expected(page, value(touch)):
        assert words in says(touch)


@pytest.fixture(scope="module")
def dial(open_page):
    with figure(open_page, PLACE, NAME) as alive:
        yield alive


def test_its_numbers_are_those_of_the_package(dial):
    compare(dial[0])


@pytest.mark.parametrize("wrong", ["found.overall *= 1 + 1e-6", "found.neighbours.reverse()"])
def test_a_wrong_dial_is_caught(dial, wrong):
    page, _ = dial
    with spoilt(page, NAME, "compute", wrong), pytest.raises(AssertionError):
        compare(page)
    compare(page)


def test_it_starts_with_independent_flips_and_the_buttons_lead_to_both_marks(dial):
    page, touch = dial
    assert "overall level 2.5." in says(touch)
    assert "4.91% of records, as often as independent" in says(touch)
    touch.get_by_role("button", name="Lowest").click()
    best = orr.two_attribute([2, 2], [1.5, 1]).epsilon
    assert f"overall level {num(page, best, 4)}." in says(touch)
    check(page, touch)
    assert heard(touch) == says(touch)
    touch.get_by_role("button", name="Independent").click()
    assert "overall level 2.5." in says(touch)


def test_keys_and_mouse_turn_it(dial):
    page, touch = dial
    touch.locator("input").focus()
    for key in ["ArrowRight"] * 3 + ["PageUp", "End", "ArrowLeft", "Home"]:
        before = says(touch)
        page.keyboard.press(key)
        assert says(touch) != before
        check(page, touch)
    x, y = middle(touch.locator("input"))
    drag(page, (x, y), (x + 60, y))
    assert value(touch) > 0.5
    check(page, touch)


def test_a_finger_turns_it(browser, open_page):
    with (
        browser.new_context(has_touch=True, viewport=PHONE, reduced_motion="reduce") as context,
        figure(open_page, PLACE, NAME, context=context) as (page, touch),
    ):
        touch.locator("input").scroll_into_view_if_needed()
        box = touch.locator("input").bounding_box()
        x, y = box["x"] + box["width"] * 0.25, box["y"] + box["height"] / 2
        finger(page, (x, y), (x + 120, y))
        assert value(touch) > 0.3
        check(page, touch)


def test_it_glides_for_those_who_like_motion_and_jumps_for_others(browser, open_page):
    press = 'document.querySelectorAll(".touch button")[1].click()'
    read = 'document.querySelector(".touch input").value'
    for motion, moves in [("no-preference", True), ("reduce", False)]:
        with (
            browser.new_context(reduced_motion=motion) as context,
            figure(open_page, PLACE, NAME, context=context) as (page, _),
        ):
            seen = [float(value) for value in frames(page, press, read)]
            assert seen[0] == 0
            assert seen[-1] == 0.86
            assert seen == sorted(seen)
            assert (len(set(seen)) > 4) == moves
