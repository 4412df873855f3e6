"""The first page says what this is about, in numbers that the package computes, and is whole on paper."""

import json
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import yaml

import orr
from tools import pictures

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "index.md").read_text("utf-8")
NUMBER = r"(\d[\d,]*(?:\.\d+)?)"


def prose(page):
    """Return the words of the page, without front matter, markup, and places of links."""
    page = re.sub(r"\A---\n.*?\n---\n", "", page, flags=re.DOTALL)
    page = re.sub(r"^```\{raw\} html\n.*?^```$", "", page, flags=re.DOTALL | re.MULTILINE)
    page = re.sub(r"^(?::{3,}|```).*$|^:[a-z-]+:.*$", "", page, flags=re.MULTILINE)
    page = re.sub(r"\{doc\}`(?:([^`<]*) <)?[^`]*`|\{cite:t\}`[^`]*`", r"\1", page)
    return " ".join(page.split())


@cache
def levels(sizes, epsilons):
    """Return the level of records whose answers flip one by one, and together."""
    both = orr.kronecker(sizes, epsilons), orr.optimal(sizes, epsilons)
    for found in both:
        np.testing.assert_allclose(found.epsilons, epsilons)  # every answer flips as often as it should
    return [found.epsilon for found in both]


def thousand():
    return (4,) * 1000, (2.0,) * 1000


def odds(level):
    pointer = orr.kronecker([2], [level]).matrix()
    return pointer[0, 0] / pointer[0, 1]


# Where numbers stand on the page, and what they are.
STATEMENTS = {
    rf"\*\*{NUMBER} → {NUMBER}\*\* three answers": lambda: levels((2, 3, 4), (1.0, 1.5, 2.0)),
    rf"\*\*{NUMBER} → {NUMBER}\*\* a thousand answers": lambda: levels(*thousand()),
    rf"\*\*{NUMBER}\*\* no such flips go below": lambda: [orr.information_floor(*thousand())],
    (
        rf"level {NUMBER} changes nothing, level {NUMBER} multiplies odds by {NUMBER} at most, "
        rf"level {NUMBER} by {NUMBER}, level {NUMBER} by {NUMBER}"
    ): lambda: [0, 1, odds(1.0), 2, odds(2.0), 3, odds(3.0)],
    rf"a pointer of level {NUMBER} for each": lambda: [1],
    rf"multiplies the odds on her by {NUMBER},": lambda: [odds(1.0)],
    rf"two yes-or-no questions at level {NUMBER},": lambda: [1],
    rf"with ten of them the level of the whole record falls from {NUMBER} to {NUMBER}": lambda: levels(
        (2,) * 10, (1.0,) * 10
    ),
    (
        rf"level of {NUMBER} to {NUMBER} attributes with {NUMBER} values and level {NUMBER} each; "
        rf"the numbers are those at {NUMBER}"
    ): lambda: [*np.take(pictures.COUNTS, [0, -1]), thousand()[0][0], thousand()[1][0], 1000],
}


def check(page):
    """Compare every number on the page with the package."""
    text = prose(page)
    for pattern, computed in STATEMENTS.items():
        found = re.search(pattern, text)
        assert found, f"the page does not say: {pattern}"
        for shown, value in zip(found.groups(), computed(), strict=True):
            decimals = len(shown.partition(".")[2])
            assert shown == f"{value:,.{decimals}f}", (pattern, value)
        text = text.replace(found[0], "")
    assert re.findall(r"\S*\d\S*", text) == []  # there are no others


def test_every_number_is_computed():
    check(PAGE)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("3.44** three", "3.45** three"),
        ("**468**", "**467**"),
        ("level 2 by 7.4", "level 2 by 7.5"),
        ("to 3.87", "to 3.8"),
        ("a thousand answers", "900 answers"),
        ("Odds multiply", "In 9 of 10 cases odds multiply"),
        ("with ten of them", "with eleven of them"),
    ],
)
def test_a_number_that_nobody_computed_is_caught(old, new):
    assert old in PAGE
    with pytest.raises(AssertionError):
        check(PAGE.replace(old, new))


def test_the_first_words_name_the_subject_and_lead_on():
    first = prose(PAGE)[:1200]
    assert re.match(r"# Optimized Randomized Response Lies that keep company", first)
    for word in (
        "local differential privacy",
        "several answers",
        "together",
        "proof",
        "Start reading",
        "Play",
    ):
        assert word in first
    assert re.search(r"\{button-ref\} chapters/01-one-answer\n", PAGE)
    assert re.search(r"\{button-ref\} story\n", PAGE)
    assert PAGE.index("{doc}`pages/install`") < PAGE.index("(story)=")


def test_the_story_needs_no_formula():
    assert "$" not in PAGE
    assert "{math}" not in PAGE


def test_every_figure_to_touch_has_a_still_picture_right_behind_it():
    figures = re.findall(
        r'<div class="touch" data-figure="(\w+)"[^>]*></div>\n```\n+(.*?)^```$', PAGE, re.M | re.S
    )
    assert len(figures) == PAGE.count('class="touch"') == 5
    for name, still in figures:
        assert (ROOT / "book" / "explorer" / f"{name}.mjs").exists()
        assert re.match(r"```\{figure\} book/images/[\w-]+\.svg\n", still)
        assert ":figclass: still\n" in still


def test_counts_in_words_are_right():
    parts = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))["parts"]
    chapters = [chapter["file"] for part in parts for chapter in part["chapters"]]
    assert sum(name.startswith("chapters/") for name in chapters) == 20
    assert "Twenty chapters" in PAGE
    assert len(list((ROOT / "classroom" / "assignments").glob("*.ipynb"))) == 6
    assert "six assignments" in PAGE


def test_what_the_caption_calls_a_survey_is_what_the_cell_draws():
    """The still picture of surveys in chapter 1 has the numbers of the figure that takes its place."""
    cells = json.loads((ROOT / "chapters" / "01-one-answer.ipynb").read_text("utf-8"))["cells"]
    (cell,) = [cell for cell in cells if "touch-people" in cell["metadata"].get("tags", [])]
    script = (ROOT / "book" / "explorer" / "people.mjs").read_text("utf-8")
    people, smokers = re.search(r"n, n_1 = ([\d_]+), (\d+)", "".join(cell["source"])).groups()
    assert f"PEOPLE = {int(people)};" in script
    assert f"SMOKERS = {smokers};" in script
    error = np.sqrt(int(people) * 3 / 16) * 2
    assert f"{error:.1f}, the standard error" in cell["metadata"]["mystnb"]["image"]["alt"]
