"""The induction takes the steps of the package's heuristic, by key, finger and mouse."""

import numpy as np
import pytest

import orr
from tools.browsing import PHONE

from .touching import figure, frames, heard, num, says, spoilt

PLACE, NAME = "chapters/06-induction.html", "induction"
COMPUTE = "cases => cases.map(([sizes, levels]) => orr('induction').steps(sizes, levels))"
EXAMPLES = {
    "the survey": ([4, 3, 2], [2, 1.5, 1]),
    "in another order": ([2, 3, 4], [1, 1.5, 2]),
    "five answers": ([2, 3, 2, 2, 2], np.log([4, 3, 3, 5, 4 / 3]).tolist()),
}


def drawn(number):
    rng = np.random.default_rng(6)
    for _ in range(number):
        k = rng.integers(2, 9)
        yield rng.integers(2, 6, k).tolist(), rng.uniform(0.1, 3, k).tolist()


def compare(page):
    """Compare every step with the heuristic for the attributes that have joined by then."""
    cases, lowered, raised = [*drawn(60), *EXAMPLES.values()], 0, 0
    for found, (sizes, levels) in zip(page.evaluate(COMPUTE, cases), cases, strict=True):
        assert len(found) == len(sizes) - 1
        for k, step in enumerate(found, 2):
            package = orr.inductive(sizes[:k], levels[:k])
            np.testing.assert_allclose(step["achieved"], package.epsilons, rtol=1e-9)
            np.testing.assert_allclose(step["epsilon"], package.epsilon, rtol=1e-9)
            assert step["fellBack"] == package.fell_back.tolist()
            records = np.prod(sizes[:k])
            logs = [package.log_ratio([]), *(package.log_ratio([i]) for i in range(k))]
            heights = np.log1p(records * np.array([step["z0"], *step["z"]]))
            np.testing.assert_allclose(heights, logs, atol=1e-9)
            np.testing.assert_allclose(step["mass"], found[0]["mass"], rtol=1e-12)
            if step["fellBack"][-1]:
                lowered += step["asked"] < 0
                raised += step["asked"] > 0
                assert (step["asked"] < 0) == (package.epsilons[-1] < levels[k - 1])
    assert min(lowered, raised) > 10


@pytest.fixture(scope="module")
def induction(open_page):
    with figure(open_page, PLACE, NAME) as alive:
        yield alive


def check(page, touch, example, k):
    """Compare what is said after k attributes with the package."""
    sizes, levels = EXAMPLES[example]
    now = orr.inductive(sizes[:k], levels[:k])
    assert f"overall level is {'' if k == 2 else 'now '}{num(page, now.epsilon, 4)}." in says(touch)
    assert ("falls back" in says(touch)) == now.fell_back[-1]
    if now.fell_back[-1]:
        assert f"level {num(page, now.epsilons[-1], 4)} instead" in says(touch)
        assert ("lowered" if now.epsilons[-1] < levels[k - 1] else "raised") in says(touch)
    bars = touch.locator("svg .bold").all_text_contents()
    assert len(bars) == k - 1
    assert [word.endswith("falls back") for word in bars[1:]] == now.fell_back[2:].tolist()


def test_its_steps_are_those_of_the_package(induction):
    compare(induction[0])


@pytest.mark.parametrize(
    "wrong", ["found.at(-1).epsilon *= 1 + 1e-6", "found[0].fellBack[1] = true", "found.at(-1).z0 += 1e-5"]
)
def test_a_wrong_step_is_caught(induction, wrong):
    page, _ = induction
    with spoilt(page, NAME, "steps", wrong), pytest.raises(AssertionError):
        compare(page)
    compare(page)


def test_buttons_take_all_steps_of_all_examples_and_back(induction):
    page, touch = induction
    onward, back = (touch.get_by_role("button", name=name) for name in ("Next", "Previous"))
    for example, (sizes, _) in EXAMPLES.items():
        touch.get_by_role("button", name=example).click()
        check(page, touch, example, 2)
        assert back.get_attribute("aria-disabled") == "true"
        for k in range(3, len(sizes) + 1):
            onward.click()
            check(page, touch, example, k)
        assert onward.get_attribute("aria-disabled") == "true"
        before = says(touch)
        onward.click(force=True)
        assert says(touch) == before
        back.click()
        check(page, touch, example, len(sizes) - 1)
    link = touch.locator(".touch-link a").get_attribute("href")
    assert "#sizes=2,3,2,2,2&levels=1.386" in link


def test_arrow_keys_take_steps(induction):
    page, touch = induction
    touch.get_by_role("button", name="the survey").click()
    page.keyboard.press("ArrowRight")
    check(page, touch, "the survey", 3)
    assert "from 1.463 to 1.264" in says(touch)
    assert heard(touch) == says(touch)
    page.keyboard.press("ArrowLeft")
    check(page, touch, "the survey", 2)


def test_fingers_take_steps_and_flips_grow_for_those_who_like_motion(browser, open_page):
    press = "document.querySelectorAll('.touch button')[1].click()"
    width = "document.querySelector('.touch .part-4')?.width.baseVal.value ?? 0"
    for motion, moves in [("no-preference", True), ("reduce", False)]:
        with (
            browser.new_context(has_touch=True, viewport=PHONE, reduced_motion=motion) as context,
            figure(open_page, PLACE, NAME, context=context) as (page, touch),
        ):
            seen = frames(page, press, width)
            assert seen[0] == 0 < seen[-1]
            assert seen == sorted(seen)
            assert (len(set(seen)) > 4) == moves
            check(page, touch, "the survey", 3)
            touch.get_by_role("button", name="Previous").tap()
            check(page, touch, "the survey", 2)
