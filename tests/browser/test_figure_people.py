"""A thousand people give the estimates of the package, and their pointers stop where chance takes them."""

import re

import numpy as np
import pytest

import orr
from tools.browsing import PHONE

from .touching import drag, figure, finger, heard, middle, says, spoilt

PLACE, NAME = "chapters/01-one-answer.html", "people"
COMPUTE = """cases => cases.map(([yes, q]) => {
    const people = orr("people");
    return [people.level(q), people.estimate(yes, q), people.standardError(q)];
})"""
SURVEYS = """([seed, q, many]) => {
    const people = orr("people"), draw = orr("random").chance(seed);
    return Array.from({ length: many }, () => {
        const said = people.answers(people.spins(draw), q);
        return [said.slice(0, 300), said.slice(300)].map(people.count);
    });
}"""
FIRST = "([seed, many]) => Array.from({ length: many }, orr('random').chance(seed))"


def compare(page):
    """Compare random pointers and counts with the package."""
    rng = np.random.default_rng(1)
    cases = [(int(rng.integers(0, 1001)), rng.uniform(0.01, 0.4)) for _ in range(40)]
    for found, (yes, q) in zip(page.evaluate(COMPUTE, cases), cases, strict=True):
        pointer = orr.kronecker([2], [np.log((1 - q) / q)])
        np.testing.assert_allclose(pointer.flip_probabilities, q)
        table = pointer.estimate((np.arange(1000) < yes).astype(int)[:, np.newaxis], 0)
        expected = [pointer.epsilon, table.counts[1], table.standard_errors[1]]
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


def numbers(touch):
    """Return what the sentence says: level, factor, surveys, mean, spread, standard error."""
    pattern = (
        r"Level ([\d.]+): an answer multiplies anybody.s odds by ([\d.]+) at most\. (\d+) surveys have "
        r"a mean of ([\d.]+) smokers and a spread of ([\d.]+); the standard error is ([\d.]+)\."
    )
    return [float(number) for number in re.fullmatch(pattern, says(touch)).groups()]


def check(touch):
    """Compare the sentence with the chapter's formulas, and the surveys with what they let one expect."""
    q = float(touch.locator("input").input_value()) / 100
    level, factor, surveys, mean, spread, error = numbers(touch)
    standard_error = np.sqrt(1000 * q * (1 - q)) / (1 - 2 * q)
    np.testing.assert_allclose([level, factor], [np.log((1 - q) / q), (1 - q) / q], atol=0.051)
    np.testing.assert_allclose(error, standard_error, atol=0.051)
    assert abs(mean - 300) < 6 * standard_error / np.sqrt(surveys)
    assert 0.4 < spread / standard_error < 1.8
    return q, surveys


@pytest.fixture(scope="module")
def people(open_page):
    with figure(open_page, PLACE, NAME) as alive:
        yield alive


def test_its_numbers_are_those_of_the_package(people):
    compare(people[0])


@pytest.mark.parametrize(
    ("function", "wrong"),
    [
        ("estimate", "return found + 1e-3"),
        ("standardError", "return found * 1.001"),
        ("level", "return -found"),
    ],
)
def test_a_wrong_estimate_is_caught(people, function, wrong):
    page, _ = people
    with spoilt(page, NAME, function, wrong), pytest.raises(AssertionError):
        compare(page)
    compare(page)


def mulberry(seed, many):
    """Return numbers from 0 to 1 of the generator, written anew."""
    state, drawn = seed, []
    for _ in range(many):
        state = (state + 0x6D2B79F5) % 2**32
        mixed = (state ^ state >> 15) * (state | 1) % 2**32
        mixed ^= (mixed + (mixed ^ mixed >> 7) * (mixed | 61)) % 2**32
        drawn.append((mixed ^ mixed >> 14) / 2**32)
    return drawn


def test_chance_can_be_repeated_and_is_even(people):
    page, _ = people
    for seed in (0, 1, 2**32 - 1):
        assert page.evaluate(FIRST, [seed, 50]) == mulberry(seed, 50)
    drawn = np.array(page.evaluate(FIRST, [5, 100_000]))
    seen = np.histogram(drawn, bins=100, range=(0, 1))[0]
    assert ((seen - 1000) ** 2 / 1000).sum() < 160  # chi-square of 99 degrees: once in 10,000 seeds
    assert abs(np.corrcoef(drawn[:-1], drawn[1:])[0, 1]) < 0.015


@pytest.mark.parametrize("q", [0.05, 0.25, 0.4])
def test_flips_are_as_frequent_as_the_pointer_says(people, q):
    page, _ = people
    smokers, others = np.array(page.evaluate(SURVEYS, [11, q, 400])).T
    for seen, expected, many in [(smokers, 300 * (1 - q), 300), (others, 700 * q, 700)]:
        spread = np.sqrt(many * q * (1 - q))
        assert abs(seen.mean() - expected) < 5 * spread / 20
        assert abs(seen.std() / spread - 1) < 0.15


def test_keys_and_mouse_move_the_pointer(people):
    page, touch = people
    slider = touch.locator("input")
    assert check(touch) == (0.25, 20)
    slider.focus()
    for key in ["ArrowRight"] * 3 + ["PageUp", "End", "ArrowLeft", "Home"]:
        before = says(touch)
        page.keyboard.press(key)
        assert says(touch) != before
        check(touch)
    x, y = middle(slider)
    drag(page, (x, y), (x + 40, y))
    assert check(touch)[0] > 0.2
    assert heard(touch) == says(touch)


def test_asking_again_makes_new_surveys(people):
    _, touch = people
    before = check(touch)[1]
    touch.get_by_role("button", name="Ask again").click()
    assert check(touch)[1] == before + 1
    touch.get_by_role("button", name="Ask 100 times").click()
    assert check(touch)[1] == before + 101
    for _ in range(4):
        touch.get_by_role("button", name="Ask 100 times").click()
    assert check(touch)[1] == 400  # older ones make room


def test_what_is_shown_belongs_together(people):
    _, touch = people
    words = touch.locator("svg").text_content()
    pattern = r"(\d+) of 1,000 people say “yes”\s*so about (\d+) smoke"
    yes, about = map(int, re.search(pattern, words).groups())
    q = float(touch.locator("input").input_value()) / 100
    assert round((yes - 1000 * q) / (1 - 2 * q)) == about
    heads = touch.locator("svg path.people-yes").first.get_attribute("d")
    assert heads.count("h0") == yes


def test_a_finger_moves_the_pointer(browser, open_page):
    with (
        browser.new_context(has_touch=True, viewport=PHONE, reduced_motion="reduce") as context,
        figure(open_page, PLACE, NAME, context=context) as (page, touch),
    ):
        touch.locator("input").scroll_into_view_if_needed()
        x, y = middle(touch.locator("input"))
        finger(page, (x, y), (x + 90, y))
        assert check(touch)[0] > 0.26
        touch.get_by_role("button", name="Ask again").tap()
        assert check(touch)[1] == 21


FRAMES = """() => new Promise(done => {
    const figure = document.querySelector(".touch[data-figure=people]");
    const people = () => figure.querySelector("svg path.people-yes").getAttribute("d");
    const before = people(), seen = new Set([before]);
    figure.querySelector("button").click();
    const atOnce = people() !== before;
    let frames = 0;
    const watch = () => {
        seen.add(people());
        if (seen.size > 3 || ++frames > 30) done([atOnce, seen.size]);
        else requestAnimationFrame(watch);
    };
    watch();
})"""


def test_answers_come_one_by_one_unless_readers_want_no_motion(browser, open_page):
    for motion, expected in [("no-preference", [False, 4]), ("reduce", [True, 2])]:
        with (
            browser.new_context(reduced_motion=motion) as context,
            figure(open_page, PLACE, NAME, context=context) as (page, _),
        ):
            assert page.evaluate(FRAMES) == expected
