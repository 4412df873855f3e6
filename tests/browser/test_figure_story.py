"""The story on the first page: every number of its figures is the package's, whoever moves them and how."""

import re
from functools import cache
from itertools import product

import numpy as np
import pytest

import orr
from tools.browsing import PHONE

from .looks import comes
from .telling import ALIVE, NAMES, touch
from .touching import drag, figure, finger, frames, heard, middle, says, spoilt

PLACE = "index.html"


@pytest.fixture(scope="module")
def story(open_page):
    """Open the page with all its figures alive."""
    with open_page("index.html") as page:
        page.evaluate(ALIVE, NAMES)
        yield page


@cache
def mechanisms(sizes, levels):
    return orr.kronecker(sizes, levels), orr.optimal(sizes, levels, rel_gap=1e-9)


# The figure on top.


def compare_dice(page):
    """Compare both ways of flipping with the package: levels, and people with as many flips as expected."""
    found = page.evaluate("() => orr('story_dice').both()")
    sizes, levels = (2, 3, 4), (1.0, 1.5, 2.0)
    for way, mechanism in zip(("apart", "together"), mechanisms(sizes, levels), strict=True):
        np.testing.assert_allclose(found[way]["level"], mechanism.epsilon, rtol=1e-9)
        flips = np.zeros((3, 22), bool)
        for row, people in zip(flips, found[way]["flips"], strict=True):
            row[people] = True
        assert flips.sum(axis=1).tolist() == np.rint(22 * mechanism.flip_probabilities).tolist()
        for case in product([False, True], repeat=3):
            inside = np.flatnonzero(case)
            chance = np.exp(mechanism.log_ratio(inside) - mechanism.log_ratio([]))
            chance *= mechanism.matrix()[0, 0] * np.prod(np.subtract(sizes, 1)[inside])
            assert abs((case == flips.T).all(axis=1).sum() - 22 * chance) < 1


def test_the_dice_are_those_of_the_package(story):
    compare_dice(story)
    with spoilt(story, "story_dice", "both", "found.together.level += 1e-6"), pytest.raises(AssertionError):
        compare_dice(story)
    with spoilt(story, "story_dice", "both", "found.apart.flips[1].pop()"), pytest.raises(AssertionError):
        compare_dice(story)


def test_the_dice_are_thrown_by_key_and_mouse(story):
    dice = touch(story, "story_dice")
    assert "6, 7 and 6 times" in says(dice)
    assert "the level is 3.44 instead of 4.5" in says(dice)
    dice.get_by_role("button", name="Each on its own").click()
    assert says(dice).endswith("The levels add up to 4.5.")
    assert heard(dice) == says(dice)
    assert "4.5" in dice.locator("svg text.story-big").text_content()
    dice.get_by_role("button", name="Together").focus()
    story.keyboard.press("Enter")
    assert "3.44" in dice.locator("svg text.story-big").text_content()
    assert dice.get_by_role("button", name="Together").get_attribute("aria-pressed") == "true"


PRESS = "figure.querySelectorAll('button')[{}].click()"
FLIPS = "[...figure.querySelectorAll('.dice-flip')].map(flip => flip.getAttribute('x')).join()"


def test_flips_move_unless_readers_want_no_motion(browser, open_page):
    for motion, moves in [("no-preference", True), ("reduce", False)]:
        with (
            browser.new_context(reduced_motion=motion) as context,
            figure(open_page, PLACE, "story_dice", context=context) as (page, _),
        ):
            frames(page, PRESS.format(1), FLIPS, "story_dice")  # from wherever its own first motion is
            seen = frames(page, PRESS.format(0), FLIPS, "story_dice")
            assert seen[0] != seen[-1]
            assert (seen[0] == seen[1]) == (len(set(seen)) > 4) == moves


# One question.


def test_people_in_plain_words(story):
    people = touch(story, "people")
    assert re.match(r"Level 1\.00: an answer multiplies anybody.s odds by 2\.7 at most\.", says(people))
    slider = people.locator("input")
    slider.focus()
    for key in ("ArrowLeft", "Home", "End"):
        story.keyboard.press(key)
        q = float(slider.input_value()) / 100
        level, odds, sure = re.findall(r"[\d.]+\d", says(people))
        expected = [np.log((1 - q) / q), (1 - q) / q, 100 * (1 - q)]
        np.testing.assert_allclose([float(v) for v in (level, odds, sure)], expected, atol=0.051)


# Many questions.


def compare_sum(page):
    for k in range(1, 9):
        found = page.evaluate("k => orr('story_sum').allowed(k)", k)
        mechanism = orr.kronecker([2] * k, [1.0] * k)
        ratio = (
            mechanism.matrix()[0, 0] / mechanism.matrix()[0, -1]
        )  # Anna's answers and Ben's, who differ in all
        expected = [mechanism.epsilon, ratio, ratio / (1 + ratio)]
        np.testing.assert_allclose([found["level"], found["odds"], found["belief"]], expected, rtol=1e-9)


def test_levels_add_up_as_in_the_package(story):
    compare_sum(story)
    with spoilt(story, "story_sum", "allowed", "found.odds *= 1.001"), pytest.raises(AssertionError):
        compare_sum(story)


def test_questions_are_added_by_key_and_mouse(story):
    adding = touch(story, "story_sum")
    assert says(adding).startswith(
        "3 questions: the levels add up to 3. If every released answer fits Anna, "
    )
    assert "the odds on her grow by a factor of 20.09" in says(adding)
    slider = adding.locator("input")
    slider.focus()
    story.keyboard.press("End")
    assert "8 questions: the levels add up to 8." in says(adding)
    assert "the odds on her grow by a factor of 2,981" in says(adding)
    assert "becomes 99.97% for Anna" in says(adding)
    assert heard(adding) == says(adding)
    story.keyboard.press("Home")
    assert says(adding).startswith("One question: the level is 1.")
    slider.scroll_into_view_if_needed()
    x, y = middle(slider)
    drag(story, (x - 100, y), (x, y))
    assert 3 <= int(slider.input_value()) <= 6
    assert adding.locator(".sum-answer").count() == 3 * int(slider.input_value())


# Flips that keep company.


def compare_pair(page):
    """Compare the marks with the package, and random settings with levels read off a distortion matrix."""
    apart, together = mechanisms((2, 2), (1.0, 1.0))
    found = page.evaluate("() => orr('story_pair').marks()")
    np.testing.assert_allclose(found["best"], together.epsilon, rtol=1e-9)
    np.testing.assert_allclose(found["own"], apart.matrix()[0, 3], rtol=1e-9)
    np.testing.assert_allclose(found["lowest"], together.matrix()[0, 3], rtol=1e-9)
    for x in np.random.default_rng(3).uniform(0.05, 0.25, 30):
        cases = page.evaluate("x => orr('story_pair').cases(orr('story_pair').marks().given, x)", x)
        none, first, second, both = cases["chances"]
        assert np.isclose(none + first + second + both, 1)
        np.testing.assert_allclose([first + both, second + both], apart.flip_probabilities)
        matrix = np.array([[none, second, first, both], [second, none, both, first]])
        level = np.log(matrix.max(axis=1) / matrix.min(axis=1)).max()
        np.testing.assert_allclose(cases["level"], level, rtol=1e-9)
        assert level >= together.epsilon - 1e-9  # nothing goes below the optimum


def test_company_is_that_of_the_package(story):
    compare_pair(story)
    for function, wrong in [("cases", "found.level += 1e-6"), ("marks", "found.lowest += 1e-6")]:
        with spoilt(story, "story_pair", function, wrong), pytest.raises(AssertionError):
            compare_pair(story)


def people_of(pair):
    """Return how many people are shown in each column, as dots and in numbers."""
    dots = pair.locator("svg path.round").evaluate_all(
        "all => all.map(e => e.getAttribute('d').split('h0').length - 1)"
    )
    numbers = [int(text) for text in pair.locator("svg text.bold").all_text_contents()]
    assert dots == numbers
    assert abs(sum(numbers) - 1000) <= 2  # each is rounded by itself
    return numbers


def test_company_lowers_the_level_and_too_much_raises_it(story):
    pair = touch(story, "story_pair")
    slider = pair.locator("input")
    assert people_of(pair) == [534, 197, 197, 72]
    assert "level 2.00, the sum" in says(pair)
    slider.focus()
    levels = []
    for people in range(73, 221):
        story.keyboard.press("ArrowRight")
        assert slider.input_value() == str(people)
        levels.append(float(re.search(r"level (\d\.\d+)", says(pair))[1]))
        if people % 20 == 0:
            none, first, second, both = people_of(pair)
            assert both == people
            assert abs(first + both - 269) <= 1
            assert abs(second + both - 269) <= 1
            assert f"{none / min(first, second, both):.1f}"[:2] in pair.locator("svg").text_content()
        assert ("Too much company" in says(pair)) == (people > 134)
    best = orr.optimal([2, 2], [1.0, 1.0]).epsilon
    assert min(levels) == levels[134 - 73] == round(best, 2)
    assert (np.diff(levels[: 134 - 72]) <= 0).all()
    assert (np.diff(levels[134 - 72 :]) >= 0).all()
    assert heard(pair) == says(pair)


# The sister.


def sister(mechanism, known):
    """Return the level at which the third answer is learnt, over all releases and all that is known."""
    return learnt(mechanism.matrix().reshape([2] * 6), 2, known)


def compare_sister(page):
    found = page.evaluate("() => orr('story_sister').levels()")
    for way, mechanism in zip(("apart", "together"), mechanisms((2,) * 3, (1.0,) * 3), strict=True):
        np.testing.assert_allclose(found[way]["whole"], mechanism.epsilon, rtol=1e-9)
        expected = [sister(mechanism, known) for known in ([], [0], [0, 1])]
        np.testing.assert_allclose(found[way]["about"], expected, rtol=1e-8)
        ends = mechanism.epsilons[2], mechanism.neighbour_epsilons[2]
        np.testing.assert_allclose(expected[::2], ends, rtol=1e-8)


LEARNS = """cases => cases.map(([sizes, levels, attribute, known]) => {
    const { apart, together, flipLaw, learns } = orr("flips"), given = orr("problem").problem(sizes, levels);
    const ways = [apart(given), together(orr("optimum").optimum(given))];
    return ways.map(way => [learns(given, way, attribute, known), flipLaw(given, way)]);
})"""


def distortion(sizes, law):
    """Return the matrix of a flip law, an axis for each released and each true value; bits are attributes."""
    k = len(sizes)
    records = np.indices(sizes * 2).reshape(2, k, -1)
    flips = records[0] != records[1]
    ways = np.where(flips.T, np.subtract(sizes, 1), 1).prod(axis=1)
    return (np.array(law)[2 ** np.arange(k) @ flips] / ways).reshape(sizes * 2)


def learnt(matrix, attribute, known):
    """Return the level at which an attribute is learnt by whoever knows some others, by brute force."""
    k = matrix.ndim // 2
    for other in range(k):
        if other != attribute and other not in known:
            matrix = matrix.mean(axis=k + other, keepdims=True)  # all its values are equally likely
    logs = np.log(np.moveaxis(matrix, k + attribute, -1))
    return (logs.max(axis=-1) - logs.min(axis=-1)).max()


def test_what_somebody_learns_agrees_with_brute_force(story):
    rng = np.random.default_rng(8)
    cases = []
    for _ in range(20):
        k = int(rng.integers(2, 5))
        attribute, *others = rng.permutation(k).tolist()
        sizes, levels = rng.integers(2, 4, k).tolist(), rng.uniform(0.3, 2, k).round(2).tolist()
        cases.append((sizes, levels, attribute, others[: int(rng.integers(0, k))]))
    for found, (sizes, levels, attribute, known) in zip(story.evaluate(LEARNS, cases), cases, strict=True):
        size = tuple(sizes)
        (alone, law), (together, best) = found
        own = orr.kronecker(sizes, levels)
        np.testing.assert_allclose(distortion(size, law), own.matrix().reshape(size * 2), rtol=1e-9)
        flips = 1 - np.exp(levels) / (np.exp(levels) + np.subtract(sizes, 1))
        bits = np.arange(2 ** len(sizes))[:, np.newaxis] >> np.arange(len(sizes)) & 1
        np.testing.assert_allclose(best @ bits, flips, rtol=1e-6)  # each answer flips as often as before
        np.testing.assert_allclose(alone, levels[attribute], rtol=1e-9)
        np.testing.assert_allclose(together, learnt(distortion(size, best), attribute, known), rtol=1e-9)
        assert together <= orr.optimal(sizes, levels).epsilon + 1e-6


def test_the_sister_learns_what_she_would_from_the_package(story):
    compare_sister(story)
    with (
        spoilt(story, "story_sister", "levels", "found.together.about[1] += 1e-6"),
        pytest.raises(AssertionError),
    ):
        compare_sister(story)


def test_the_sister_is_asked_by_key_and_mouse(story):
    her = touch(story, "story_sister")
    together = mechanisms((2,) * 3, (1.0,) * 3)[1]
    for name, known in [("She knows none", []), ("one", [0]), ("both others", [0, 1])]:
        her.get_by_role("button", name=name, exact=True).focus()
        story.keyboard.press("Space")
        level = f"{sister(together, known):.3g}"
        assert f"at level {level} when they keep company" in says(her)
        assert level in her.locator("svg text.bold").all_text_contents()
    assert "as much as the whole record allows, and no more" in says(her)
    her.get_by_role("button", name="one", exact=True).click()
    assert heard(her) == says(her)


def test_fingers_move_the_story(browser, open_page):
    with (
        browser.new_context(has_touch=True, viewport=PHONE, reduced_motion="reduce") as context,
        open_page(PLACE, context=context) as page,
    ):
        page.evaluate(ALIVE, NAMES)
        for name in ("people", "story_sum", "story_pair"):
            slider = touch(page, name).locator("input")
            slider.scroll_into_view_if_needed()
            box = slider.bounding_box()
            before, said = float(slider.input_value()), says(touch(page, name))
            part = (before - float(slider.get_attribute("min"))) / (
                float(slider.get_attribute("max")) - float(slider.get_attribute("min"))
            )
            x, y = box["x"] + 8 + part * (box["width"] - 16), box["y"] + box["height"] / 2
            finger(page, (x, y), (x + 60, y))
            assert float(slider.input_value()) > before
            assert says(touch(page, name)) != said
        for name, button in [("story_dice", "Each on its own"), ("story_sister", "She knows none")]:
            said = says(touch(page, name))
            touch(page, name).get_by_role("button", name=button).tap()
            assert comes(page, lambda name=name, said=said: says(touch(page, name)) != said)
