"""Make the slides of the lectures from the figures and cells that the chapters store.

A raw cell of a lecture, such as ``chapters/02-many-answers.ipynb dial-figure output``, stands for a cell
of a chapter: for its output, its code, or both. All that a page loads is copied beside it.
"""

import re
import shutil
import sys
from collections.abc import Callable
from importlib.resources import files
from itertools import count
from pathlib import Path

import nbformat
import yaml
from nbconvert import SlidesExporter
from nbformat import NotebookNode
from traitlets.config import Config

from orr.book.inline import inline

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "_extensions"))

import typeface  # noqa: E402

LECTURES = sorted(ROOT.glob("classroom/slides/*.ipynb"))
PARTS = {"output": (False, True), "code": (True, False), "both": (True, True)}
REVEAL = [
    "LICENSE",
    "dist/reset.css",
    "dist/reveal.css",
    "dist/reveal.js",
    "dist/theme/white.css",
    "plugin/notes/notes.js",
]
MATHJAX = ["tex-chtml.js", "output/chtml/fonts/woff-v2"]
ASSETS = [
    ("reveal.js", "sphinx_revealjs", "_static/revealjs", REVEAL),
    ("mathjax", "sphinx-mathjax-offline", "static/mathjax", MATHJAX),
]


class BadReference(ValueError):
    """A raw cell of a lecture that stands for no cell of a chapter."""


def merged(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """Join what a cell printed piece by piece."""
    result: list[NotebookNode] = []
    for output in outputs:
        if output.output_type == "stream" and result and result[-1].output_type == "stream":
            result[-1].text += output.text
        else:
            result.append(output)
    return result


def chapter_cell(reference: str) -> NotebookNode:
    """Return the part of a chapter's cell that a reference asks for."""
    words = reference.split()
    if len(words) != 3 or words[2] not in PARTS:
        raise BadReference(f"{reference!r} is not a chapter, the id of a cell, and output, code or both")
    chapter, name, part = words
    path = ROOT / chapter
    if not path.is_file():
        raise BadReference(f"{reference!r}: there is no chapter {chapter}")
    cells = {cell.id: cell for cell in nbformat.read(path, as_version=4).cells}
    if name not in cells or cells[name].cell_type != "code":
        raise BadReference(f"{reference!r}: {chapter} has no code cell with the id {name}")
    cell, (code, output) = cells[name], PARTS[part]
    if output and not cell.outputs:
        raise BadReference(f"{reference!r}: the cell {name} of {chapter} has no output")
    cell.source = cell.source if code else ""
    cell.outputs = merged(cell.outputs) if output else []
    return cell


def assemble(path: Path) -> NotebookNode:
    """Read a lecture and put cells of the chapters in the place of its raw cells."""
    lecture = nbformat.read(path, as_version=4)
    for i, cell in enumerate(lecture.cells):
        if cell.cell_type == "raw":
            try:
                found = chapter_cell(cell.source)
            except BadReference as error:
                raise BadReference(f"{path.name}, cell {cell.id}: {error}") from None
            found.id = cell.id
            found.metadata.update(cell.metadata)
            lecture.cells[i] = found
    lecture.metadata.title = lecture.cells[0].source.splitlines()[0].removeprefix("# ")
    return lecture


def macros() -> dict[str, str]:
    """Return the book's own TeX commands."""
    settings = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))
    return settings["sphinx"]["config"]["mathjax3_config"]["tex"]["macros"]


def exporter() -> SlidesExporter:
    """Return nbconvert's exporter, set to our template and to the files beside the pages."""
    config = Config()
    config.CSSHTMLHeaderPreprocessor.style = "a11y-high-contrast-light"
    return SlidesExporter(
        config=config,
        extra_template_basedirs=[str(ROOT / "classroom" / "slides")],
        template_name="template",
        reveal_url_prefix="reveal.js",
        reveal_theme="white",
        reveal_transition="none",
        reveal_number="c/t",
        reveal_width="1280",
        reveal_height="720",
        mathjax_url="mathjax/tex-chtml.js",
        exclude_anchor_links=True,
        filters={"drawing": drawings()},
    )


def drawings() -> Callable[[str, str], str]:
    """Return a function that makes a drawing a part of the page, with names that no other drawing has."""
    numbers = count(1)
    return lambda svg, label: inline(svg, label, f"d{next(numbers)}")


def copy_assets(outdir: Path) -> None:
    """Copy what the pages load out of the packages that carry it."""
    for name, package, folder, parts in ASSETS:
        for part in parts:
            source, target = Path(str(files(package))) / folder / part, outdir / name / part
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, target, dirs_exist_ok=True)
            else:
                shutil.copy(source, target)
    theme = outdir / "reveal.js/dist/theme/white.css"
    theme.write_text(re.sub("@import url.*?;", "", theme.read_text("utf-8")), "utf-8")  # its typeface
    typeface.write(outdir / "typeface")


def build(outdir: Path) -> list[Path]:
    """Write the page of every lecture, and beside them all that they load."""
    lectures = {path.stem: assemble(path) for path in LECTURES}
    copy_assets(outdir)
    convert, resources = exporter(), {"macros": macros()}
    pages = [outdir / f"{name}.html" for name in lectures]
    for page, lecture in zip(pages, lectures.values(), strict=True):
        page.write_text(convert.from_notebook_node(lecture, resources)[0], "utf-8")
    return pages


if __name__ == "__main__":
    try:
        made = build(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "_build" / "html" / "slides")
    except BadReference as error:
        sys.exit(str(error))
    print("The slides are built. Open", *made)
