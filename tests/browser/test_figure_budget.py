"""A total buys in the figure what it buys in the package."""

import numpy as np
import pytest

import orr
from tools.browsing import PHONE

from .touching import drag, figure, finger, heard, middle, num, says, spoilt

PLACE, NAME = "chapters/18-budget.html", "budget"
SIZES = [2, 3, 4]
COMPUTE = "cases => cases.map(([sizes, shares, total]) => orr('budget').scale(sizes, shares, total))"


def drawn(number):
    rng = np.random.default_rng(18)
    for _ in range(number):
        k = rng.integers(2, 6)
        yield rng.integers(2, 7, k).tolist(), rng.uniform(0.3, 3, k).tolist(), rng.uniform(0.2, 9)


def bought(sizes, shares, total):
    """Return the scale that the package finds: at most a millionth of a nat of the total is left."""
    mechanism = orr.allocate(total, sizes, shares, method=lambda *given: orr.linear_program(*given).solve())
    return mechanism.epsilons[0] / shares[0]


def compare(page):
    cases = list(drawn(25))
    for found, case in zip(page.evaluate(COMPUTE, cases), cases, strict=True):
        np.testing.assert_allclose(found, bought(*case), rtol=1e-5)


@pytest.fixture(scope="module")
def budget(open_page):
    with figure(open_page, PLACE, NAME) as alive:
        yield alive


def check(page, touch, shares=(1, 1.5, 2)):
    """Compare what is said with the package at the total that the handle has, and return that."""
    total = float(touch.locator(".touch-handle").get_attribute("aria-valuenow"))
    scale, alone = bought(SIZES, shares, total), total / sum(shares)
    for t in (scale, alone):
        one, two, three = (num(page, t * share, 4) for share in shares)
        assert f" {one}, {two} and {three} " in says(touch)
    assert says(touch).startswith(f"A total of {num(page, total)} in shares")
    assert f"{num(page, scale / alone, 3)} times as much" in says(touch)
    return total


def test_its_numbers_are_those_of_the_package(budget):
    compare(budget[0])


@pytest.mark.parametrize("wrong", ["found *= 1.0001", "found = given[2] / given[1].reduce((a, b) => a + b)"])
def test_a_wrong_scale_is_caught(budget, wrong):
    page, _ = budget
    with spoilt(page, NAME, "scale", wrong), pytest.raises(AssertionError):
        compare(page)
    compare(page)


def test_keys_mouse_and_choices_change_the_budget(budget):
    page, touch = budget
    handle = touch.locator(".touch-handle")
    assert check(page, touch) == 4
    handle.focus()
    page.keyboard.press("ArrowUp")
    assert check(page, touch) == 4.05
    assert heard(touch) == says(touch)
    page.keyboard.press("Shift+ArrowDown")
    assert check(page, touch) == 3.55
    x, y = middle(handle)
    drag(page, (x, y), (x, y + 40))
    assert check(page, touch) < 3
    for shares in [(1, 1, 1), (1, 1, 4), (1, 1.5, 2)]:
        touch.get_by_role("button", name=f"shares {', '.join(map(str, shares))}").click()
        check(page, touch, shares)
    drag(page, middle(handle), (x, y - 2000))
    assert check(page, touch) == 6


def test_a_finger_changes_the_total_and_not_the_page(browser, open_page):
    with (
        browser.new_context(has_touch=True, viewport=PHONE, reduced_motion="reduce") as context,
        figure(open_page, PLACE, NAME, context=context) as (page, touch),
    ):
        handle = touch.locator(".touch-handle")
        handle.scroll_into_view_if_needed()
        before, (x, y) = page.evaluate("scrollY"), middle(handle)
        finger(page, (x, y), (x, y + 70))
        assert page.evaluate("scrollY") == before
        assert check(page, touch) < 3.5
