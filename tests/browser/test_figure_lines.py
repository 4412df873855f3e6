"""The map of cases and the ratios beside it are those of the closed form, wherever the point is dragged."""

import numpy as np
import pytest

import orr
from tools.browsing import PHONE

from .touching import drag, figure, finger, heard, middle, num, says, spoilt

PLACE, NAME = "chapters/03-two-attributes.html", "lines"
COMPUTE = """cases => cases.map(([sizes, levels]) => {
    const found = orr("lines").compute(sizes, levels);
    return { ...found, ratios: orr("lines").ratios(found.given, found.b),
        apart: orr("lines").ratios(found.given, found.independent) };
})"""
NAMES = ["I", "II", "III", "IV"]


def drawn(number):
    rng = np.random.default_rng(3)
    sizes = rng.integers(2, 13, (number, 2)).tolist()
    return list(zip(sizes, rng.uniform(0.05, 4, (number, 2)).tolist(), strict=True))


def both(sizes, mechanism):
    """Return how often a mechanism for two attributes flips both."""
    return (sizes[0] - 1) * (sizes[1] - 1) * mechanism.matrix()[0, -1]


def compare(page):
    cases, seen = drawn(80), set()
    for found, (sizes, levels) in zip(page.evaluate(COMPUTE, cases), cases, strict=True):
        best, apart = orr.two_attribute(sizes, levels), orr.kronecker(sizes, levels)
        assert NAMES[found["best"]] == best.case
        for key, mechanism in [("ratios", best), ("apart", apart)]:
            logs = [mechanism.log_ratio(flips) for flips in ([], [0], [1])]
            np.testing.assert_allclose(np.log(found[key]), logs, rtol=1e-8, atol=1e-8)
        np.testing.assert_allclose(found["epsilon"], best.epsilon, rtol=1e-9)
        np.testing.assert_allclose(found["kronecker"], sum(levels))
        np.testing.assert_allclose(found["b"], both(sizes, best), rtol=1e-8)
        np.testing.assert_allclose(found["independent"], both(sizes, apart), rtol=1e-8)
        upper, lower = min(found["stops"][:2]), max(found["stops"][2:])
        assert lower < found["independent"] < upper
        seen.add(best.case)
    assert seen == set(NAMES)


@pytest.fixture(scope="module")
def lines(open_page):
    with figure(open_page, PLACE, NAME) as alive:
        yield alive


def place(touch):
    """Return the levels at which the point is, as it says itself."""
    _, first, _, second = touch.locator(".touch-handle").get_attribute("aria-valuetext").split()
    return float(first), float(second)


def check(page, touch, sizes=(3, 4)):
    levels = place(touch)
    best = orr.two_attribute(sizes, levels)
    assert f"case {best.case}:" in says(touch)
    assert f"is {num(page, best.epsilon, 4)} in place of {num(page, sum(levels), 4)}" in says(touch)
    assert f"chance {num(page, both(sizes, best), 3)} " in says(touch)
    return best.case


def test_its_numbers_are_those_of_the_package(lines):
    compare(lines[0])


@pytest.mark.parametrize("wrong", ["found.stops.reverse()", "found.b *= 1 + 1e-5", "found.best ^= 1"])
def test_wrong_lines_are_caught(lines, wrong):
    page, _ = lines
    with spoilt(page, NAME, "compute", wrong), pytest.raises(AssertionError):
        compare(page)
    compare(page)


def test_it_starts_with_genotype_and_diagnosis(lines):
    page, touch = lines
    assert place(touch) == (1.5, 2)
    assert check(page, touch) == "II"
    assert "is 2.92 in place of 3.5: 0.58 saved." in says(touch)


def test_keys_and_mouse_lead_through_all_cases(lines):
    page, touch = lines
    handle, seen = touch.locator(".touch-handle"), {check(page, touch)}
    handle.focus()
    for key, times in [("ArrowRight", 20), ("Shift+ArrowDown", 4), ("ArrowLeft", 35), ("ArrowUp", 17)]:
        for _ in range(times):
            page.keyboard.press(key)
        seen.add(check(page, touch))
    assert heard(touch) == says(touch)
    x, y = middle(handle)
    drag(page, (x, y), (x + 40, y + 80))
    seen.add(check(page, touch))
    assert seen == set(NAMES)
    drag(page, middle(handle), (x + 2000, y - 2000))
    assert place(touch) == (3, 3)
    touch.get_by_role("button", name="sizes 3, 12").click()
    check(page, touch, (3, 12))
    assert "#sizes=3,12&levels=3,3" in touch.locator(".touch-link a").get_attribute("href")
    touch.get_by_role("button", name="sizes 3, 4").click()


def test_a_finger_drags_the_point_and_not_the_page(browser, open_page):
    with (
        browser.new_context(has_touch=True, viewport=PHONE, reduced_motion="reduce") as context,
        figure(open_page, PLACE, NAME, context=context) as (page, touch),
    ):
        handle = touch.locator(".touch-handle")
        handle.scroll_into_view_if_needed()
        before, (x, y) = page.evaluate("scrollY"), middle(handle)
        finger(page, (x, y), (x - 80, y + 100))
        assert page.evaluate("scrollY") == before
        assert place(touch) != (1.5, 2)
        np.testing.assert_allclose(middle(handle), (x - 80, y + 100), atol=2)
        check(page, touch)
