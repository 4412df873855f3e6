"""The stored pictures, and the words that stand for them, are what the package computes."""

import re
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest

from tools import pictures

ROOT = Path(__file__).parents[2]
NUMBER = r"-?\b\d+(?:\.\d+)?\b"


@pytest.fixture(autouse=True)
def style():
    with plt.rc_context():
        pictures.use_style()
        yield
    plt.close("all")


def numbers(text):
    return set(re.findall(r"\d[\d.,]*\b", text))


def parts(svg):
    """Return the words and the numbers of a drawing."""
    return re.sub(NUMBER, "", svg), [float(number) for number in re.findall(NUMBER, svg)]


@pytest.mark.parametrize("name", pictures.PICTURES)
def test_stored_picture_is_the_one_drawn(name):
    words, numbers = parts((pictures.IMAGES / name).read_text("utf-8"))
    drawn_words, drawn_numbers = parts(pictures.picture(name))
    assert words == drawn_words
    np.testing.assert_allclose(numbers, drawn_numbers, atol=0.01)  # hundredths of a dot


@pytest.mark.parametrize("name", pictures.PICTURES)
def test_picture_names_its_letters_and_follows_the_theme(name):
    svg = (pictures.IMAGES / name).read_text("utf-8")
    style, _, rest = svg.partition("</style>")
    light, dark = style.split("@media(prefers-color-scheme:dark)")
    assert f"font-family:{pictures.STACK}" in style
    used = set(re.findall(r"var\((--[^)]+)\)", rest))
    assert used <= set(re.findall(r"(--[^:;]+):", light)) == set(re.findall(r"(--[^:;]+):", dark))
    assert not re.search("#[0-9a-f]{6}", rest)


@pytest.mark.parametrize(
    ("page", "name"),
    [*(("index.md", name) for name in pictures.PICTURES), ("README.md", "overall-level.svg")],
)
def test_alternative_text_gives_the_numbers_of_the_picture(page, name):
    text = (ROOT / page).read_text("utf-8")
    found = re.search(rf"{{figure}} book/images/{name}\n:alt: (.*)|!\[(.*)\]\(book/images/{name}\)", text)
    ax = plt.figure().add_subplot()
    pictures.PICTURES[name][0](ax)
    shown = set().union(*(numbers(text.get_text()) for text in ax.texts))
    assert shown
    assert shown <= numbers(found[1] or found[2])
