"""Drawings are small, the same on every run, and say and show all that matplotlib drew."""

import json
import re
from io import BytesIO, StringIO
from pathlib import Path
from xml.etree import ElementTree as ET

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.backends.backend_svg import FigureCanvasSVG

from book.figures import palette, plots
from book.figures.inline import COLOUR, inline
from book.figures.svg import SPACE, compact
from typeface import LETTERS

ROOT = Path(__file__).parents[2]
CHAPTERS = sorted(ROOT.glob("chapters/*.ipynb"))
MOST_BYTES = 60_000  # of a figure; a page may have eight
LABEL = "a line that falls"


@pytest.fixture(autouse=True)
def style():
    with plt.rc_context():
        plots.use_style()
        yield
    plt.close("all")


@pytest.fixture
def figure():
    figure, ax = plt.subplots()
    ax.plot([1, 2, 3, 4], [1, 10, 100, 1000], "o", color="#0072B2", alpha=0.5, label="marks")
    plots.draw(ax, "optimal", [1, 2], [5, 6])
    ax.set(yscale="log", xlabel=r"number of answers $k$, $\frac{3}{2} \varepsilon_i$")
    ax.text(2, 2, "words", color="#D55E00")
    ax.legend()
    return figure


def drawn(figure, plainly=False):
    written, canvas = StringIO(), figure.canvas
    if plainly:
        FigureCanvasSVG(figure).print_svg(written)
        figure.set_canvas(canvas)
    else:
        figure.savefig(written, format="svg")
    return written.getvalue()


def figures(path):
    """Return the stored drawings of a chapter, by cell."""
    cells = json.loads(path.read_text("utf-8"))["cells"]
    outputs = [(cell["id"], out.get("data", {})) for cell in cells for out in cell.get("outputs", [])]
    return {name: "".join(data["image/svg+xml"]) for name, data in outputs if "image/svg+xml" in data}


def faults(svg):
    """Return what a page could not show as it should."""
    root = ET.fromstring(svg)
    said = "".join("".join(text.itertext()) for text in root.iter(f"{SPACE}text"))
    found = [f"the letter {letter}" for letter in sorted(set(said)) if ord(letter) not in LETTERS]
    found += [f"the colour {name}" for name in set(COLOUR.findall(svg)) if not known(name)]
    found += ["pixels"] * len(list(root.iter(f"{SPACE}image")))
    return found + ["weight"] * (len(svg.encode()) > MOST_BYTES)


def known(colour):
    try:
        return palette.shades(colour)
    except KeyError:
        return None


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_figures_of_chapters_can_be_shown(path):
    assert figures(path)
    assert {name: faults(svg) for name, svg in figures(path).items() if faults(svg)} == {}


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("words", "wörds ⚂", "the letter ⚂"),
        ("#d55e00", "#ff0000", "the colour #ff0000"),
        ("</svg>", '<image href="data:image/png;base64,"/></svg>', "pixels"),
        ("</svg>", f'<path d="M{" 1" * MOST_BYTES}"/></svg>', "weight"),
    ],
)
def test_a_figure_that_cannot_be_shown_is_caught(figure, old, new, fault):
    svg = drawn(figure)
    assert faults(svg) == []
    assert faults(svg.replace(old, new)) == [fault]


def test_drawings_are_the_same_on_every_run_and_small(figure):
    assert drawn(figure) == drawn(figure)
    assert len(drawn(figure)) < len(drawn(figure, plainly=True)) / 2
    assert not re.search("20[0-9]{2}-|Matplotlib|<metadata|<style", drawn(figure))


def test_a_drawing_can_be_saved_wherever_matplotlib_can(figure, tmp_path):
    figure.savefig(tmp_path / "a.svg")
    figure.savefig(binary := BytesIO(), format="svg")
    assert (tmp_path / "a.svg").read_text("utf-8") == binary.getvalue().decode() == drawn(figure)


def test_every_mark_is_where_it_was(figure):
    plain = ET.fromstring(drawn(figure, plainly=True))
    uses = [
        (float(use.get("x")), float(use.get("y")))
        for use in plain.iter(f"{SPACE}use")
        if "0072b2" in use.get("style")
    ]
    (path,) = [
        path.get("d")
        for path in ET.fromstring(drawn(figure)).iter(f"{SPACE}path")
        if "marker:" in path.get("style", "")
    ]
    numbers = np.array(path[1:].split(), dtype=float).reshape(-1, 2)
    np.testing.assert_allclose(numbers, uses[:4], atol=0.05)  # of a point; the fifth is in the legend


def test_words_stay_words(figure):
    root = ET.fromstring(drawn(figure))
    said = ["".join(text.itertext()) for text in root.iter(f"{SPACE}text")]
    assert "words" in said
    assert "marks" in said
    assert "number of answers k, 32εi" in said
    assert root.get("font-family").startswith("'Orr Sans'")


def test_names_are_used_and_known(figure):
    svg = drawn(figure)
    names = re.findall(r'\bid="([^"]+)"', svg)
    used = set(re.findall(r'url\(#([^)]+)\)|href="#([^"]+)"', svg))
    assert len(names) == len(set(names))
    assert set(names) == {one or other for one, other in used}


def test_small_scales_keep_their_digits():
    inside = '<g transform="scale(0.015625)"><path d="M 1.23456 2"/></g>'
    svg = f'<svg xmlns="{SPACE[1:-1]}" version="1.1">{inside}</svg>'
    assert 'transform="scale(.015625)"' in compact(svg)
    assert 'd="M1.23 2"' in compact(svg)


def test_a_page_gets_the_drawing_with_a_label_and_without_its_ground(figure):
    page = inline(drawn(figure), LABEL, "d7")
    assert 'class="ground"' in drawn(figure)
    assert 'class="ground"' not in page
    assert f'role="img" aria-label="{LABEL}"' in page
    assert "xmlns" not in page
    assert not COLOUR.search(page)


def test_two_drawings_of_a_page_share_no_names(figure):
    first, second = (
        set(re.findall(r'\bid="([^"]+)"', inline(drawn(figure), LABEL, prefix))) for prefix in ("d1", "d2")
    )
    assert first
    assert not first & second


def test_letters_are_darker_than_marks(figure):
    page = inline(drawn(figure), LABEL, "d1")
    (word,) = re.findall(r"<text[^>]*>words", page)
    assert "var(--t-d55e00)" in word
    assert "stroke:var(--m-d55e00)" in page


def test_a_label_may_hold_any_sign(figure):
    page = inline(drawn(figure), 'x < 1 & y > "2"', "d1")
    assert 'aria-label="x &lt; 1 &amp; y &gt; &quot;2&quot;"' in page


def test_a_colour_that_no_theme_knows_is_refused(figure):
    with pytest.raises(KeyError, match=r"#123456, which is not in book/figures/palette\.py"):
        inline(drawn(figure).replace("#0072b2", "#123456"), LABEL, "d1")
