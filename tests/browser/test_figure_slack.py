"""Along the frontier the figure has the levels of the package's guarded optimum."""

import numpy as np
import pytest

import orr
from tools.browsing import PHONE

from .touching import drag, figure, finger, heard, middle, num, percent, says, spoilt

PLACE, NAME = "chapters/16-price.html", "slack"
SIZES, LEVELS = [2, 3, 4], np.array([1, 1.5, 2])
COMPUTE = """cases => cases.map(([sizes, levels, slack]) => {
    const given = orr("problem").problem(sizes, levels);
    return orr("slack").guard(given, orr("optimum").optimum(given), slack);
})"""


def drawn(number):
    rng = np.random.default_rng(16)
    for _ in range(number):
        k = rng.integers(2, 4)
        sizes, levels = rng.integers(2, 7, k), rng.uniform(0.2, 2.5, k)
        yield sizes.tolist(), levels.tolist(), rng.choice([0, *rng.uniform(0.01, 1.2, 5)])


def compare(page):
    survey = [(SIZES, LEVELS.tolist(), slack) for slack in (0, 0.05, 0.1, 0.2, 0.3, 0.5, 1)]
    cases = [*survey, *drawn(30)]
    for n, (found, case) in enumerate(zip(page.evaluate(COMPUTE, cases), cases, strict=True)):
        sizes, levels, slack = case
        best = orr.guarded(sizes, levels, slack)
        np.testing.assert_allclose(found["epsilon"], best.epsilon, rtol=1e-6)
        caps = (1 + slack) * np.array(levels)
        assert (np.array(found["neighbours"]) <= caps * (1 + 1e-9)).all()
        if n < len(survey):  # there is one guarded optimum; in general there may be more
            np.testing.assert_allclose(found["neighbours"], best.neighbour_epsilons, atol=1e-5)


@pytest.fixture(scope="module")
def slack(open_page):
    with figure(open_page, PLACE, NAME) as alive:
        yield alive


def check(page, touch):
    """Compare what is said with the package at the slack that the handle has, and return that."""
    handle = touch.locator(".touch-handle")
    slack = float(handle.get_attribute("aria-valuenow")) / 100
    assert handle.get_attribute("aria-valuetext") == f"slack {percent(page, slack)}"
    best, free = orr.guarded(SIZES, LEVELS, slack), orr.optimal(SIZES, LEVELS).epsilon
    one, two, three = (num(page, n, 3) for n in best.neighbour_epsilons)
    share = max(LEVELS.sum() - best.epsilon, 0) / (LEVELS.sum() - free)
    words = says(touch)
    assert words.startswith(f"With a slack of {percent(page, slack)} neighbour levels")
    assert f"and are {one}, {two} and {three}." in words
    assert f"overall level is {num(page, best.epsilon, 4)} in place of 4.5" in words
    assert f"buys {percent(page, share)} of what" in words
    return slack


def test_its_numbers_are_those_of_the_package(slack):
    compare(slack[0])


@pytest.mark.parametrize(
    "wrong", ["found.epsilon *= 1 + 1e-5", "found.neighbours = found.neighbours.map(n => n * 2)"]
)
def test_a_wrong_frontier_is_caught(slack, wrong):
    page, _ = slack
    with spoilt(page, NAME, "guard", f"found = {{ ...found }}; {wrong}"), pytest.raises(AssertionError):
        compare(page)
    compare(page)


def test_keys_and_mouse_lead_along_the_frontier(slack):
    page, touch = slack
    handle = touch.locator(".touch-handle")
    assert check(page, touch) == 0.2
    handle.focus()
    page.keyboard.press("ArrowLeft")
    assert check(page, touch) == 0.19
    assert heard(touch) == says(touch)
    for _ in range(3):
        page.keyboard.press("Shift+ArrowLeft")
    assert check(page, touch) == 0
    drag(page, middle(handle), (middle(handle)[0] + 30, 0))
    assert 0 < check(page, touch) < 0.3
    drag(page, middle(handle), (middle(handle)[0] + 2000, 0))
    assert check(page, touch) == 1
    assert touch.locator(".touch-link a").get_attribute("href").endswith("&slack=100")


def test_a_finger_leads_along_the_frontier(browser, open_page):
    with (
        browser.new_context(has_touch=True, viewport=PHONE, reduced_motion="reduce") as context,
        figure(open_page, PLACE, NAME, context=context) as (page, touch),
    ):
        handle = touch.locator(".touch-handle")
        handle.scroll_into_view_if_needed()
        before, (x, y) = page.evaluate("scrollY"), middle(handle)
        finger(page, (x, y), (x + 90, y + 60))
        assert page.evaluate("scrollY") == before
        assert check(page, touch) > 0.4
