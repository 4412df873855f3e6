"""Make the slides of the lectures from the figures and cells that the chapters store, and the handout.

A raw cell of a lecture, such as ``chapters/02-many-answers.ipynb dial-figure output``, stands for a cell
of a chapter: for its output, its code, or both. Numbers in its metadata ``mark`` are set in bold in a table.
The minutes in a slide's notes get the clock beside them, and the places in the book that they name become
links on the slide. All that a page loads is copied beside it.
"""

import re
import shutil
import sys
from collections.abc import Callable
from copy import deepcopy
from functools import cache
from importlib.resources import files
from itertools import count
from pathlib import Path

import nbformat
import yaml
from docutils.nodes import make_id
from jinja2 import Environment, FileSystemLoader
from nbconvert import SlidesExporter
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbformat import NotebookNode
from traitlets.config import Config

from book.figures import palette
from book.figures.inline import inline

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "book" / "extensions"))


LECTURES = sorted(ROOT.glob("classroom/slides/*.ipynb"))
HANDOUT = ROOT / "classroom" / "handout.md"
TEMPLATE = ROOT / "classroom" / "slides" / "template"
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


MINUTES = re.compile(r"\((\d+) min\)")
PLACE = re.compile(r'chapter (\d+), "(.+?)"(?=[.;])')
BLANK = re.compile(r"_{4}\((\d+)\)")


class BadReference(ValueError):
    """A cell of a lecture that stands for nothing in the book."""


def merged(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """Join what a cell printed piece by piece."""
    result: list[NotebookNode] = []
    for output in outputs:
        if output.output_type == "stream" and result and result[-1].output_type == "stream":
            result[-1].text += output.text
        else:
            result.append(output)
    return result


@cache
def cells_of(path: Path) -> dict[str, NotebookNode]:
    """Return the cells of a chapter by their names."""
    return {cell.id: cell for cell in nbformat.read(path, as_version=4).cells}


def chapter_cell(reference: str) -> NotebookNode:
    """Return the part of a chapter's cell that a reference asks for."""
    words = reference.split()
    if len(words) != 3 or words[2] not in PARTS:
        raise BadReference(f"{reference!r} is not a chapter, the id of a cell, and output, code or both")
    chapter, name, part = words
    path = ROOT / chapter
    if not path.is_file():
        raise BadReference(f"{reference!r}: there is no chapter {chapter}")
    cells = cells_of(path)
    if name not in cells or cells[name].cell_type != "code":
        raise BadReference(f"{reference!r}: {chapter} has no code cell with the id {name}")
    cell, (code, output) = deepcopy(cells[name]), PARTS[part]
    if output and not cell.outputs:
        raise BadReference(f"{reference!r}: the cell {name} of {chapter} has no output")
    cell.source = cell.source if code else ""
    cell.outputs = merged(cell.outputs) if output else []
    return cell


def mark(cell: NotebookNode, numbers: list[str]) -> None:
    """Set numbers of a table in bold, each of which must stand in one of its cells."""
    for number in numbers:
        shown = f">{number}</td>"
        tables = [output.data for output in cell.outputs if "text/html" in output.get("data", {})]
        if [data["text/html"].count(shown) for data in tables] != [1]:
            raise BadReference(f"there is not one {number} in the table to mark")
        bold = f"><strong>{number}</strong></td>"
        tables[0]["text/html"] = tables[0]["text/html"].replace(shown, bold)


def places(text: str) -> list[dict[str, str]]:
    """Return the sections that notes name, as links of a slide."""
    found = []
    for number, section in PLACE.findall(text.partition("\nBook: ")[2]):
        chapters = list(ROOT.glob(f"chapters/{int(number):02}-*.ipynb"))
        if len(chapters) != 1:
            raise BadReference(f"there is no chapter {number}")
        address = f"../chapters/{chapters[0].stem}.html#{make_id(section)}"
        found.append({"address": address, "words": f"{number}. {section}"})
    return found


def clock(minutes: int) -> str:
    """Write minutes as a clock shows them."""
    return f"{minutes // 60}:{minutes % 60:02}"


def assemble(path: Path) -> NotebookNode:
    """Read a lecture, put cells of the chapters in the place of its raw cells, and tell notes the time."""
    lecture, passed = nbformat.read(path, as_version=4), 0
    for i, cell in enumerate(lecture.cells):
        try:
            if cell.cell_type == "raw":
                found = chapter_cell(cell.source)
                mark(found, cell.metadata.get("mark", []))
                found.id = cell.id
                found.metadata.update(cell.metadata)
                lecture.cells[i] = found
            elif cell.metadata.get("slideshow", {}).get("slide_type") == "notes":
                cell.metadata.places = places(cell.source)
                minutes = MINUTES.search(cell.source)
                cell.source = MINUTES.sub(rf"(\1 min, from {clock(passed)})", cell.source, count=1)
                passed += int(minutes[1]) if minutes else 0
        except BadReference as error:
            raise BadReference(f"{path.name}, cell {cell.id}: {error}") from None
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
        extra_template_basedirs=[str(TEMPLATE.parent)],
        template_name=TEMPLATE.name,
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
    shared = (ROOT / "book" / "static" / "typeface.css").read_text("utf-8") + palette.css()
    (outdir / "typeface").mkdir(exist_ok=True)
    (outdir / "typeface" / "typeface.css").write_text(shared, "utf-8")


def handout() -> str:
    """Return the page of the handout: blanks, written ``____(1)``, become lines to write on."""
    text = HANDOUT.read_text("utf-8")
    body = MarkdownWithMath(IPythonRenderer(escape=False, exclude_anchor_links=True)).render(text)
    body = re.sub("(<table>.*?</table>)", r'<div class="wide" tabindex="0">\1</div>', body, flags=re.DOTALL)
    line = r'<span class="blank"><small><span class="aloud">blank</span> \1</small></span>'
    page = Environment(loader=FileSystemLoader(TEMPLATE), autoescape=False).get_template("handout.html.j2")
    title = text.splitlines()[0].removeprefix("# ")
    style = (TEMPLATE / "static" / "handout.css").read_text("utf-8")
    return page.render(title=title, body=BLANK.sub(line, body), style=style, macros=macros())


def build(outdir: Path) -> list[Path]:
    """Write the page of every lecture and of the handout, and beside them all that they load."""
    lectures = {path.stem: assemble(path) for path in LECTURES}
    copy_assets(outdir)
    convert, resources = exporter(), {"macros": macros()}
    pages = {name: convert.from_notebook_node(lecture, resources)[0] for name, lecture in lectures.items()}
    pages[HANDOUT.stem] = handout()
    for name, html in pages.items():
        (outdir / f"{name}.html").write_text(html, "utf-8")
    return [outdir / f"{name}.html" for name in pages]


if __name__ == "__main__":
    try:
        made = build(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "_build" / "html" / "slides")
    except BadReference as error:
        sys.exit(str(error))
    print("The slides are built. Open", *made)
