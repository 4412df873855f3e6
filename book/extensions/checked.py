"""What a machine has checked: the table of its page, and a mark at the chapters' theorems and in the ledger.

All of it is made from ``proofs/theorems.yml``. The style of the table stands beside this file.
"""

import json
import re
from functools import cache
from html import escape
from pathlib import Path

import yaml
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "proofs" / "theorems.yml"
LOOK = Path(__file__).with_suffix(".css")
PAGE = "pages/checked"
WORDS = "Checked by machine"
COLUMNS = ["In the book", "In Coq", "What it says"]


@cache
def data() -> dict:
    """Return the data file as it is."""
    return yaml.safe_load(DATA.read_text("utf-8"))


def anchor(theorem: dict) -> str:
    """Return the id of a theorem's row."""
    return nodes.make_id(f"checked {theorem['name']}")


def title(theorem: dict) -> str:
    """Return the title that the chapter gives to a theorem."""
    cells = json.loads((ROOT / "chapters" / f"{theorem['chapter']}.ipynb").read_text("utf-8"))["cells"]
    text = "\n".join("".join(cell["source"]) for cell in cells)
    return re.search(rf"^:::+\{{prf:\w+\}} (.+)\n:label: {theorem['label']}$", text, re.MULTILINE)[1]


def first(label: str) -> dict:
    """Return the first theorem that has to do with a labelled one of a chapter."""
    return next(one for one in data()["theorems"] if label == one["label"])


def of_claim(paper: str) -> dict | None:
    """Return the first theorem behind a row of the ledger, by what that names in the paper."""
    return next((one for one in data()["theorems"] if paper in one.get("ledger", [])), None)


def html(text: str) -> nodes.raw:
    """Return a node that is written as it is."""
    return nodes.raw("", text, format="html")


class Theorems(SphinxDirective):
    """A table with a row for each theorem that Coq has checked."""

    def run(self) -> list[nodes.Node]:
        """Write the table's tags, and let the page's parser read what stands in its cells."""
        for source in (__file__, DATA, LOOK):
            self.env.note_dependency(str(source))
        heads = "".join(f'<th role="columnheader" scope="col">{words}</th>' for words in COLUMNS)
        content: list[nodes.Node] = [
            html(
                f"<style>\n{LOOK.read_text('utf-8')}</style>"
                '<table class="checked rows" role="table"><thead role="rowgroup">'
                f'<tr role="row">{heads}</tr></thead><tbody role="rowgroup">'
            )
        ]
        for theorem in data()["theorems"]:
            self.env.note_dependency(str(ROOT / "chapters" / f"{theorem['chapter']}.ipynb"))
            content += self.row(theorem)
        return [*content, html("</tbody></table>")]

    def row(self, theorem: dict) -> list[nodes.Node]:
        """Return a row: the theorem in the book, its name in Coq, what it says, assumes, how it differs."""
        also = "".join(f"<li><code>{escape(name)}</code></li>" for name in theorem.get("also", []))
        more = f"<p>with</p><ul>{also}</ul>" if also else ""
        parts: list[nodes.Node] = [
            html(f'<tr role="row" id="{anchor(theorem)}"><th role="rowheader" scope="row">'),
            self.parsed(f"{{prf:ref}}`{theorem['label']}`: {title(theorem)}"),
            html(
                f'</th><td role="cell"><code>{escape(theorem["name"])}</code> in '
                f'<code>{theorem["file"]}</code>{more}</td><td role="cell"><p>'
            ),
            self.parsed(theorem["says"]),
        ]
        for word, key in (("Assumes", "assumes"), ("Beside the book", "differs")):
            parts += [html(f"</p><p><b>{word}:</b> "), self.parsed(theorem[key])]
        return [*parts, html("</p></td></tr>")]

    def parsed(self, text: str) -> nodes.inline:
        """Return a line of the page's own markup, read by the page's parser."""
        box = nodes.container()
        self.state.nested_parse(StringList([text], "theorems.yml"), 0, box)
        (paragraph,) = box.children
        return nodes.inline("", "", *paragraph.children)


class Theories(SphinxDirective):
    """A list of the files, what each is about, by the day on which its statements were last read."""

    def run(self) -> list[nodes.Node]:
        """Write a list item for each file, below its day."""
        self.env.note_dependency(str(DATA))
        days: dict[str, list[str]] = {}
        for name, file in data()["files"].items():
            item = f"<li><code>{name}</code>: {escape(file['about'])}</li>"
            days.setdefault(f"{file['reviewed']:%-d %B %Y}", []).append(item)
        return [html(f'<p>{day}</p><ul class="simple">{"".join(items)}</ul>') for day, items in days.items()]


def mark(app, doctree: nodes.document, page: str) -> None:
    """Put a mark with a link under every theorem that has been checked, and say which part of it."""
    for place in doctree.findall(nodes.Element):
        part = data()["marks"].get(place.get("label"))
        if part is None or "realtype" not in place:
            continue
        address = f"{app.builder.get_relative_uri(page, PAGE)}#{anchor(first(place['label']))}"
        link = nodes.reference("", WORDS, refuri=address, internal=True)
        note = nodes.Text(f": {part}" if part else "")
        place += nodes.paragraph("", "", link, note, classes=["checked-mark"])


def setup(app) -> dict:
    """Register with Sphinx."""
    app.add_directive("checked-theorems", Theorems)
    app.add_directive("checked-files", Theories)
    app.connect("doctree-resolved", mark)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
