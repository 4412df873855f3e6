"""The ball on the lattice needs the level that the demands prove, and least at its best radius."""

import numpy as np
import pytest

import orr
from tools.browsing import PHONE

from .touching import drag, figure, finger, heard, middle, num, percent, says, spoilt

PLACE, NAME = "chapters/11-shape.html", "lattice"
COMPUTE = """cases => cases.map(([sizes, levels, weights, radius]) => {
    const given = orr("problem").problem(sizes, levels);
    const all = orr("lattice").sets(given, weights);
    const best = orr("optimum").optimum(given);
    const expected = best.weights.reduce((total, y, i) => total + y * given.q[i], 0);
    const own = orr("lattice").sets(given, best.weights);
    const lowest = orr("lattice").ball(given, own, best.weights, expected).level;
    return { ...orr("lattice").ball(given, all, weights, radius), lowest, upper: best.upper };
})"""
EXAMPLES = {
    "2.2 each": [2.2] * 4,
    "0.6 each": [0.6] * 4,
    "2, 0.6, 0.6, 0.6": [2, 0.6, 0.6, 0.6],
    "0.5, 1, 1.5, 2": [0.5, 1, 1.5, 2],
}


def ball(sizes, levels, weights, radius):
    """Return what the chapter's theorem on weights says of a ball: members, records, level and chance."""
    a, y = np.array(sizes), np.array(weights)
    p, q = 1 - 1 / a, (a - 1) / (np.exp(levels) + a - 1)
    flips = np.indices((2,) * len(a)).reshape(len(a), -1).T
    uniform = np.where(flips, p, 1 - p).prod(axis=1)
    inside = flips @ y <= radius + 1e-9
    supply = uniform[inside] @ ((q - flips[inside]) @ y) / (y @ (p - q))
    share = uniform[inside].sum()
    height = 1 / supply if supply > 1e-12 else np.inf
    law = uniform * np.where(inside, 1 + height, 1) if height < np.inf else uniform * inside
    return inside.sum(), share, np.log1p(height), law[inside].sum() / law.sum()


def drawn(number):
    rng = np.random.default_rng(11)
    for _ in range(number):
        k = rng.integers(2, 6)
        weights = rng.uniform(0, 1, k)
        radius = rng.uniform(0, weights.sum())
        sizes, levels = rng.integers(2, 7, k), rng.uniform(0.1, 2.5, k)
        yield sizes.tolist(), levels.tolist(), weights.tolist(), radius


def compare(page):
    cases, reached = list(drawn(80)), 0
    for found, case in zip(page.evaluate(COMPUTE, cases), cases, strict=True):
        count, share, level, likely = ball(*case)
        assert found["count"] == count
        np.testing.assert_allclose(found["share"], share, rtol=1e-9)
        best = orr.linear_program(*case[:2]).solve().epsilon
        np.testing.assert_allclose([found["lowest"], found["upper"]], best, rtol=1e-7)
        if level < np.inf:
            np.testing.assert_allclose([found["level"], found["likely"]], [level, likely], rtol=1e-7)
            reached += 1
        else:
            assert found["level"] == np.inf
    assert 20 < reached < 80


@pytest.fixture(scope="module")
def lattice(open_page):
    with figure(open_page, PLACE, NAME) as alive:
        yield alive


def best_of(levels):
    """Return the weights and the radius of the optimum, and the heights of its flip sets by name."""
    best = orr.linear_program([3] * 4, levels).solve()
    sets = [np.flatnonzero(flips) for flips in np.ndindex((2,) * 4)]
    names = ["".join(str(i + 1) for i in flips) or "truth" for flips in sets]
    heights = dict(zip(names, [best.log_ratio(flips) for flips in sets], strict=True))
    weights = best.certificate.weights / best.certificate.weights.max()
    return best.epsilon, weights, weights @ best.flip_probabilities, heights


def check(page, touch, example):
    levels = EXAMPLES[example]
    best, weights, edge, _ = best_of(levels)
    radius = float(touch.locator("input").input_value())
    radius = edge if abs(radius - edge) < 0.006 else radius
    count, share, level, likely = ball([3] * 4, levels, weights, radius)
    assert f"holds {count} of 16 flip sets, {percent(page, share)} of all records." in says(touch)
    if level == np.inf:
        assert "no height is enough" in says(touch)
        return level
    assert f"{num(page, np.exp(level), 3)} times as likely" in says(touch)
    assert f"overall level {num(page, level, 4)}." in says(touch)
    assert (f"in {percent(page, likely)} of releases" in says(touch)) != ("yellow" in says(touch))
    assert ("That is the optimum" in says(touch)) == (level < best + 1e-6)
    return level


def test_its_numbers_are_those_of_the_package(lattice):
    compare(lattice[0])


@pytest.mark.parametrize("wrong", ["found.level += 1e-6", "found.share *= 1.001", "found.count += 1"])
def test_a_wrong_ball_is_caught(lattice, wrong):
    page, _ = lattice
    with spoilt(page, NAME, "ball", wrong), pytest.raises(AssertionError):
        compare(page)
    compare(page)


@pytest.mark.parametrize("example", EXAMPLES)
def test_at_the_best_radius_the_optimum_lights_up(lattice, example):
    page, touch = lattice
    touch.get_by_role("button", name=example, exact=True).click()
    epsilon, _, _, heights = best_of(EXAMPLES[example])
    np.testing.assert_allclose(check(page, touch, example), epsilon, rtol=1e-7)
    nodes = touch.locator(".lattice-node").evaluate_all(
        "all => all.map(node => [node.nextElementSibling.textContent, node.getAttribute('class')])"
    )
    assert len(nodes) == 16
    for name, look in nodes:
        if "lattice-edge" not in look:
            np.testing.assert_allclose(heights[name], epsilon if "lattice-lit" in look else 0, atol=1e-6)


def test_keys_and_mouse_grow_the_ball(lattice):
    page, touch = lattice
    touch.get_by_role("button", name="0.6 each").click()
    touch.locator("input").focus()
    levels = []
    for key in ["Home"] + ["PageUp"] * 9 + ["End"]:
        page.keyboard.press(key)
        levels.append(check(page, touch, "0.6 each"))
    assert levels[0] > min(levels)
    assert levels[-1] == np.inf
    assert heard(touch) == says(touch)
    x, y = middle(touch.locator("input"))
    drag(page, (x + 40, y), (x - 30, y))
    check(page, touch, "0.6 each")
    touch.get_by_role("button", name="Best radius").click()
    assert "That is the optimum." in says(touch)


def test_a_finger_grows_the_ball(browser, open_page):
    with (
        browser.new_context(has_touch=True, viewport=PHONE, reduced_motion="reduce") as context,
        figure(open_page, PLACE, NAME, context=context) as (page, touch),
    ):
        touch.locator("input").scroll_into_view_if_needed()
        x, y = middle(touch.locator("input"))
        finger(page, (x, y), (x - 90, y))
        assert float(touch.locator("input").input_value()) < 1.5
        check(page, touch, "0.6 each")
