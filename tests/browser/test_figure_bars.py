"""Prices prove in the figure what they prove in the package, and the best ones close the gap."""

import numpy as np
import pytest

import orr
from orr.kinds import Kinds
from orr.optimum.bound import listed, threshold, whole
from orr.problem import Problem
from tools.browsing import PHONE

from .touching import drag, figure, finger, heard, middle, num, says, spoilt

PLACE, NAME = "chapters/05-certificate.html", "bars"
COMPUTE = """cases => cases.map(([sizes, levels, prices]) => {
    const given = orr("problem").problem(sizes, levels);
    const { proved, sets } = orr("bars").bound(given, prices);
    const { level, prices: best } = orr("bars").best(given);
    const closed = orr("bars").bound(given, best).proved;
    return { proved, level, closed, records: sets.map(set => set.records) };
})"""


def dual_bound(y, sizes, levels):
    """Return what weights prove, as the chapter has it."""
    a, k = np.array(sizes), len(sizes)
    p, q = 1 - 1 / a, (a - 1) / (np.exp(levels) + a - 1)
    flips = np.indices((2,) * k).reshape(k, -1).T
    uniform = np.where(flips, p, 1 - p).prod(axis=1)
    return np.log1p(y @ (p - q) / (uniform @ np.maximum((q - flips) @ y, 0)))


def engine_bound(y, sizes, levels):
    """Return what the package's engine proves with the same weights."""
    kinds = Kinds(Problem(sizes, levels))
    weights = whole(y[kinds.first], kinds.problem.q)
    radius = threshold(weights, kinds.problem.q)
    return np.logaddexp(0, listed(kinds, weights, radius, kinds.below(weights, radius, 10**6)))


def drawn(number):
    rng = np.random.default_rng(5)
    for _ in range(number):
        k = rng.integers(2, 6)
        yield rng.integers(2, 7, k).tolist(), rng.uniform(0.1, 3, k).tolist(), rng.uniform(0, 3, k).tolist()


def compare(page):
    cases = list(drawn(60))
    for found, (sizes, levels, prices) in zip(page.evaluate(COMPUTE, cases), cases, strict=True):
        np.testing.assert_allclose(found["proved"], dual_bound(np.array(prices), sizes, levels), rtol=1e-9)
        best = orr.linear_program(sizes, levels).solve()
        np.testing.assert_allclose([found["level"], found["closed"]], best.epsilon, rtol=1e-7)
        assert found["proved"] <= best.epsilon * (1 + 1e-9)
        assert sum(found["records"]) == np.prod(sizes)


@pytest.fixture(scope="module")
def bars(open_page):
    with figure(open_page, PLACE, NAME) as alive:
        yield alive


def check(page, touch, k=2):
    """Compare what is said with the bound at the prices that the sliders show."""
    prices = np.array([float(touch.locator("input").nth(i).input_value()) for i in range(k)])
    sizes, levels = [2, 3, 4][:k], [1, 1.5, 2][:k]
    proved, best = dual_bound(prices, sizes, levels), orr.linear_program(sizes, levels).solve().epsilon
    assert f"at least {num(page, np.exp(proved), 3)} times" in says(touch)
    assert f"below {num(page, proved)}." in says(touch)
    if best - proved > 5e-5:
        assert f"The optimum is {num(page, best)}: {num(page, best - proved, 2)} missing." in says(touch)
    return proved


def test_its_numbers_are_those_of_the_package(bars):
    compare(bars[0])


def test_the_formula_is_that_of_the_engine():
    for sizes, levels, prices in drawn(30):
        sizes = np.arange(2, 2 + len(sizes))  # all different: kinds are attributes
        y = np.array(prices)
        np.testing.assert_allclose(engine_bound(y, sizes, levels), dual_bound(y, sizes, levels), rtol=1e-9)


@pytest.mark.parametrize("wrong", ["found.proved *= 1 + 1e-6", "found.sets.pop()"])
def test_a_wrong_bound_is_caught(bars, wrong):
    page, _ = bars
    with spoilt(page, NAME, "bound", wrong), pytest.raises(AssertionError):
        compare(page)
    compare(page)


def test_it_starts_with_equal_prices_and_keys_and_mouse_set_them(bars):
    page, touch = bars
    first = check(page, touch)
    assert "below 1.9631." in says(touch)
    assert touch.locator("input").nth(2).is_hidden()
    touch.locator("input").nth(1).focus()
    for _ in range(10):
        page.keyboard.press("ArrowRight")
    better = check(page, touch)
    assert better > first
    assert heard(touch) == says(touch)
    x, y = middle(touch.locator("input").nth(0))
    drag(page, (x, y), (x + 50, y))
    worse = check(page, touch)
    assert worse < better
    assert f"Best so far: {num(page, better)}." in says(touch)
    for i in range(2):
        touch.locator("input").nth(i).fill("0")
    assert "below 0." in says(touch)  # nothing is proved by nothing


def test_the_best_prices_close_the_gap(bars):
    page, touch = bars
    for k, words in [(3, "all three"), (2, "two answers")]:
        touch.get_by_role("button", name=words).click()
        check(page, touch, k)
        touch.get_by_role("button", name="Best prices").click()
        best = orr.linear_program([2, 3, 4][:k], [1, 1.5, 2][:k]).solve().epsilon
        assert f"below {num(page, best)}." in says(touch)
        assert "the gap is closed" in says(touch)
        assert f"one sum over {2**k} flip sets." in says(touch)


def test_a_finger_sets_prices(browser, open_page):
    with (
        browser.new_context(has_touch=True, viewport=PHONE, reduced_motion="reduce") as context,
        figure(open_page, PLACE, NAME, context=context) as (page, touch),
    ):
        second = touch.locator("input").nth(1)
        second.scroll_into_view_if_needed()
        box = second.bounding_box()
        x, y = box["x"] + box["width"] / 3, box["y"] + box["height"] / 2
        finger(page, (x, y), (x + 80, y))
        assert float(second.input_value()) > 1.5
        check(page, touch)
