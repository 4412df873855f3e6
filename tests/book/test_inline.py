"""A page holds its drawings, whole and with words; one that it cannot show stops the build."""

import gzip
import json
import os
import re
import subprocess
import sys
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree as ET

import matplotlib.pyplot as plt
import nbformat
import pytest
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace

from book.figures import palette, plots
from book.figures.inline import COLOUR, SPACE, inline

ROOT = Path(__file__).parents[2]
CHAPTERS = sorted(ROOT.glob("chapters/*.ipynb"))
LABEL = "a line that falls"
MOST_BYTES = 30_000  # of a figure as a server sends it; a page may have eight
PAGE = """
A page
======

.. figure:: falling.svg
   :alt: a line that falls

   It falls.

.. image:: falling.svg
   :alt: the same line
   :width: 200px
"""


@pytest.fixture(autouse=True)
def style():
    with plt.rc_context():
        plots.use_style()
        yield
    plt.close("all")


def drawn(figure):
    """Return a drawing as notebooks store it."""
    figure.savefig(written := StringIO(), format="svg", metadata={"Date": None})
    return written.getvalue()


@pytest.fixture
def figure():
    figure, ax = plt.subplots()
    ax.plot([1, 2, 3, 4], [1, 10, 100, 1000], "o", color="#0072B2", alpha=0.5, label="marks")
    plots.draw(ax, "optimal", [1, 2], [5, 6])
    ax.set(yscale="log", xlabel=r"number of answers $k$, $\frac{3}{2} \varepsilon_i$")
    ax.text(2, 2, "words", color="#D55E00")
    ax.legend()
    return figure


@pytest.fixture
def svg(figure):
    return drawn(figure)


def built(folder, svg, builder="html"):
    """Build a page with two drawings, and return it with all that Sphinx said."""
    folder.mkdir()
    (folder / "index.rst").write_text(PAGE, "utf-8")
    (folder / "falling.svg").write_text(svg, "utf-8")
    said, settings = StringIO(), {"extensions": ["pictures"]}
    out, trees = folder / "out", folder / "trees"
    with docutils_namespace():
        Sphinx(folder, None, out, trees, builder, settings, StringIO(), said).build()
    return (out / "index.html").read_text("utf-8"), said.getvalue()


@pytest.mark.parametrize("builder", ["html", "singlehtml"])
def test_drawings_are_written_into_the_page(tmp_path, svg, builder):
    html, said = built(tmp_path / "book", svg, builder)
    assert said == ""
    assert re.findall(r'role="img" aria-label="([^"]+)"', html) == ["a line that falls", "the same line"]
    assert "<img" not in html
    names = re.findall(r'\bid="(d\d-[^"]+)"', html)
    assert len(names) == len(set(names)) > 0
    assert html.count('<svg style="width: 200px"') == 1
    assert not [*tmp_path.rglob("out/_images/*")]


def test_a_colour_that_is_not_in_the_palette_stops_the_build(tmp_path, svg):
    _, said = built(tmp_path / "book", svg.replace("#0072b2", "#ff0000"))
    assert "WARNING: falling.svg: a figure uses #ff0000, which is not in book/figures/palette.py" in said


def figures(path):
    """Return the stored drawings of a chapter, by cell."""
    cells = json.loads(path.read_text("utf-8"))["cells"]
    outputs = [(cell["id"], out.get("data", {})) for cell in cells for out in cell.get("outputs", [])]
    return {name: "".join(data["image/svg+xml"]) for name, data in outputs if "image/svg+xml" in data}


def faults(svg):
    """Return what a page could not show as it should."""
    found = [f"the colour {name}" for name in set(COLOUR.findall(svg)) if not known(name)]
    found += ["pixels"] * len(list(ET.fromstring(svg).iter(f"{SPACE}image")))
    return found + ["weight"] * (len(gzip.compress(svg.encode())) > MOST_BYTES)


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
        ("#d55e00", "#ff0000", "the colour #ff0000"),
        ("</svg>", '<image href="data:image/png;base64,"/></svg>', "pixels"),
        ("</svg>", f'<path id="{os.urandom(MOST_BYTES).hex()}"/></svg>', "weight"),
    ],
)
def test_a_figure_that_cannot_be_shown_is_caught(svg, old, new, fault):
    assert faults(svg) == []
    assert faults(svg.replace(old, new)) == [fault]


def test_drawings_are_the_same_on_every_run(figure):
    assert drawn(figure) == drawn(figure)
    assert not re.search("<dc:date>", drawn(figure))


def test_a_page_gets_the_drawing_with_a_label_and_without_its_ground(svg):
    page = inline(svg, LABEL, "d7")
    assert 'id="patch_1"' in svg
    assert "patch_1" not in page
    assert f'role="img" aria-label="{LABEL}"' in page
    assert not re.search("xmlns|xlink|<metadata|<style|Matplotlib", page)
    assert not COLOUR.search(page)


def test_names_in_a_page_are_known(svg):
    page = inline(svg, LABEL, "d1")
    names = re.findall(r'\bid="([^"]+)"', page)
    used = {one or other for one, other in re.findall(r'url\(#([^)]+)\)|href="#([^"]+)"', page)}
    assert len(names) == len(set(names))
    assert used
    assert used <= set(names)


def test_two_drawings_of_a_page_share_no_names(svg):
    first, second = (set(re.findall(r'\bid="([^"]+)"', inline(svg, LABEL, name))) for name in ("d1", "d2"))
    assert first
    assert not first & second


def test_words_stay_words_and_are_darker_than_marks(svg):
    page = inline(svg, LABEL, "d1")
    said = ["".join(text.itertext()) for text in ET.fromstring(svg).iter(f"{SPACE}text")]
    assert {"words", "marks"} <= set(said)
    (word,) = re.findall(r"<text[^>]*>words|<g[^>]*>\s*<text[^>]*>words", page)
    assert "var(--t-d55e00)" in word
    assert "stroke: var(--m-d55e00)" in page


def test_a_label_may_hold_any_sign(svg):
    page = inline(svg, 'x < 1 & y > "2"', "d1")
    assert 'aria-label="x &lt; 1 &amp; y &gt; &quot;2&quot;"' in page


def test_figures_are_laid_out_in_the_typeface_and_can_do_without(figure, caplog, monkeypatch):
    figure.canvas.draw()
    (ax,) = figure.axes
    assert ax.xaxis.label.get_fontproperties().get_name() == plots.TYPEFACE
    monkeypatch.setattr(plots, "find_spec", lambda _: None)
    plt.rcdefaults()
    plots.use_style()
    other, ax = plt.subplots()
    ax.set_title(r"words $\varepsilon$", fontweight="bold")
    other.canvas.draw()
    assert ax.title.get_fontproperties().get_name() == "DejaVu Sans"
    assert caplog.text == ""


def stored(path, code, *changes):
    """Store a notebook whose cells all run this, as after a run but for a change in each."""
    data = [{"text/plain": "drawn", "image/svg+xml": "<svg/>"} | change for change in changes]
    cells = [
        nbformat.v4.new_code_cell(
            code, execution_count=i, outputs=[nbformat.v4.new_output("display_data", data=one)]
        )
        for i, one in enumerate(data, start=1)
    ]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python"}}
    path.write_text(json.dumps(nbformat.v4.new_notebook(cells=cells, metadata=kernel)), "utf-8")


def test_nbval_compares_words_but_not_drawings(tmp_path):
    code = "display({'text/plain': 'drawn', 'image/svg+xml': '<svg/>'}, raw=True)"
    stored(tmp_path / "a.ipynb", code, {"image/svg+xml": "<svg><path/></svg>"}, {"text/plain": "painted"}, {})
    options = ["-p", "tests.plugin", "--nbval", "--nbval-current-env", "-v"]
    command = [sys.executable, "-m", "pytest", *options, tmp_path]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1, done.stdout + done.stderr
    told = re.findall(r"Cell \d (PASSED|FAILED)", done.stdout)
    assert told == ["PASSED", "FAILED", "PASSED"], done.stdout + done.stderr


def test_words_of_a_formula_are_words_again(figure):
    texts = [
        [span.text for span in text]
        for text in ET.fromstring(inline(drawn(figure), LABEL, "d1")).iter("text")
    ]
    (written,) = [spans for spans in texts if len(spans) > 3]
    words = {" ".join(span.split()) for span in written}
    assert words == {"number of answers", "k", ",", "2", "3", "ε", "i"}
