"""A page holds its drawings, whole and with words; one that it cannot show stops the build."""

import json
import re
import subprocess
import sys
from io import StringIO
from pathlib import Path

import matplotlib.pyplot as plt
import nbformat
import pytest
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace

from book.figures import plots

ROOT = Path(__file__).parents[2]
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


@pytest.fixture
def svg():
    with plt.rc_context():
        plots.use_style()
        figure, ax = plt.subplots()
        ax.plot([1, 2, 3], [3, 2, 1], "o-", color="#0072B2")
        figure.savefig(written := StringIO(), format="svg")
    plt.close(figure)
    return written.getvalue()


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
