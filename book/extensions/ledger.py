"""The replication ledger: a page made from a data file and the stored outputs of the chapters.

Its style and its script stand beside this file, and go into that page only.
"""

import json
import re
from collections import Counter
from functools import cache
from html import escape
from pathlib import Path
from typing import ClassVar

import yaml
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective, SphinxRole

import checked
import quiz

ROOT = Path(__file__).resolve().parents[2]
LOOKS = [Path(__file__).with_suffix(".css"), Path(__file__).with_suffix(".js")]
# The words of a badge, those after the number 1, and those after other numbers. The signs are in the style.
VERDICTS = {
    "reproduced": ("reproduced", "reproduced", "reproduced"),
    "remark": ("with a remark", "with a remark", "with a remark"),
    "answered": ("answered", "open question answered", "open questions answered"),
    "fails": ("does not hold", "does not hold", "do not hold"),
    "open": ("not tested", "not tested here", "not tested here"),
}
# Whoever adds a column adds a heading here, a cell in Ledger.row and a width in the style.
COLUMNS = ["Verdict", "In the paper", "What it says, and what we find", "Chapter"]
FOLD = """<script>{
  // Without scripts all rows are open.
  const table = document.currentScript.previousElementSibling;
  for (const row of table.querySelectorAll("details")) row.open = false;
}</script>"""


def claims() -> list[dict]:
    """Return the rows of the data file as they are."""
    return yaml.safe_load((ROOT / "pages" / "ledger.yml").read_text("utf-8"))


def rows() -> list[dict]:
    """Return the rows of the data file, each with its chapter's section and our number filled in."""
    return [row | find(row) for row in claims()]


@cache
def cells(chapter: str) -> list[dict]:
    """Return the cells of a chapter."""
    return json.loads((ROOT / "chapters" / f"{chapter}.ipynb").read_text("utf-8"))["cells"]


def title(chapter: str) -> str:
    """Return the title of a chapter, with its number."""
    heading = "".join(cells(chapter)[0]["source"]).splitlines()[0]
    return f"{number(chapter)}. {heading.removeprefix('# ')}"


def number(chapter: str) -> str:
    """Return the number of a chapter, with which its file begins."""
    return chapter[:2].lstrip("0")


def find(row: dict) -> dict:
    """Look up the cell of a row: its section's title, and the numbers that it printed."""
    section = ""
    for cell in cells(row["chapter"]):
        headings = re.findall(r"^#+ (.+)$", "".join(cell["source"]), re.MULTILINE)
        if cell["cell_type"] == "markdown" and headings:
            section = headings[-1]
        if cell["id"] == row["cell"]:
            return {"section": section, "ours": numbers(row, cell)}
    raise ValueError(f"chapter {row['chapter']} has no cell {row['cell']}")


def numbers(row: dict, cell: dict) -> str:
    """Fill what the cell printed into the row's sentence about our result."""
    text = row.get("ours", "")
    if "match" not in row:
        return text
    outputs = [out.get("text", out.get("data", {}).get("text/plain", [])) for out in cell["outputs"]]
    printed = "".join("".join(text) for text in outputs)
    found = re.search(row["match"], printed, re.DOTALL)
    if not found:
        raise ValueError(f"ledger.yml: {row['paper']}: cell {row['cell']} does not print {row['match']}")
    return text.format(*found.groups())


def place(row: dict) -> str:
    """Return the address of the section that holds a row's cell, as a page beside the ledger writes it."""
    return f"../chapters/{row['chapter']}.html#{nodes.make_id(row['section'])}"


def anchor(row: dict) -> str:
    """Return the id of a row."""
    return nodes.make_id(f"claim {row['paper']}")


def badge(verdict: str) -> str:
    """Return a verdict as a word; its sign and its colour come from the style."""
    return f'<span class="verdict is-{verdict}">{VERDICTS[verdict][0]}</span>'


def mark(row: dict) -> str:
    """Return a link to the theorem behind a row that a machine has checked; nothing where there is none."""
    found = checked.of_claim(row["paper"])
    if not found:
        return ""
    address = f"{Path(checked.PAGE).name}.html#{checked.anchor(found)}"
    return f'<span class="checked-mark"><a href="{address}">theorem in Coq</a></span>'


def html(text: str) -> nodes.raw:
    """Return a node that is written as it is."""
    return nodes.raw("", text, format="html")


class Cell(SphinxRole):
    """A link to the section of a chapter that holds a cell: {cell}`chapter id`."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Say the section's title, and the cell's id, by which it is found in the notebook."""
        chapter, cell = self.text.split()
        row = {"chapter": chapter, "cell": cell}
        row |= find(row)
        link = nodes.reference("", f"{number(chapter)}, {row['section']}", refuri=place(row))
        return [nodes.inline("", "", link, nodes.Text(", cell "), nodes.literal("", cell))], []


class Totals(SphinxDirective):
    """How many rows the ledger has of each verdict: a line of figures, which the script makes filters of."""

    def run(self) -> list[nodes.Node]:
        """Count them in the data file."""
        for source in (__file__, ROOT / "pages" / "ledger.yml", *LOOKS):
            self.env.note_dependency(str(source))
        style, script = (path.read_text("utf-8") for path in LOOKS)
        found = claims()
        text = f"<style>\n{style}</style>\n{self.figures(found)}"
        if self.env.app.builder.name == "html":  # nothing can be filtered on paper
            text += f"{self.controls(found)}\n<script>\n{script}</script>\n"
        return [html(f'<div class="ledger-board">\n{text}</div>')]

    def figures(self, found: list[dict]) -> str:
        """Return the number of all rows, a bar of their verdicts, and the number of each of these."""
        count = Counter(row["verdict"] for row in found)
        present = [key for key in VERDICTS if count[key]]
        bar = "".join(f'<span class="is-{key}" style="flex: {count[key]}"></span>' for key in present)
        items = "\n".join(
            f'<li id="verdict={key}" data-verdict="{key}"><span class="verdict is-{key}">'
            f"<b>{count[key]}</b> {VERDICTS[key][1 if count[key] == 1 else 2]}</span></li>"
            for key in present
        )
        return (
            f'<p class="ledger-total"><b>{len(found)}</b> claims and open questions</p>\n'
            f'<div class="ledger-bar" aria-hidden="true">{bar}</div>\n'
            f'<ul class="ledger-figures" aria-label="Verdicts">\n{items}\n</ul>\n'
        )

    def controls(self, found: list[dict]) -> str:
        """Return what only works with the script, and is hidden without it."""
        count = Counter(row["chapter"] for row in found)
        options = "".join(
            f'<option value="{chapter}">{escape(title(chapter))} ({count[chapter]})</option>'
            for chapter in sorted(count)
        )
        return (
            '<div class="ledger-controls" hidden>\n'
            f'<label>Chapter <select><option value="">all</option>{options}</select></label>\n'
            '<button type="button" class="ledger-unfold" aria-pressed="false">Unfold all rows</button>\n'
            '<button type="button" class="ledger-all">Show all rows</button>\n'
            f'<p role="status">{len(found)} of {len(found)} rows</p>\n</div>\n'
        )


class Ledger(SphinxDirective):
    """A table with a row for each claim of the paper."""

    option_spec: ClassVar = {"part": str}

    def run(self) -> list[nodes.Node]:
        """Write the table's tags, and let the page's parser read what stands in its cells."""
        for source in (__file__, ROOT / "pages" / "ledger.yml", checked.DATA):
            self.env.note_dependency(str(source))
        heads = "".join(f'<th role="columnheader" scope="col">{words}</th>' for words in COLUMNS)
        content: list[nodes.Node] = [
            html(
                '<table class="ledger rows" role="table"><thead role="rowgroup">'
                f'<tr role="row">{heads}</tr></thead><tbody role="rowgroup">'
            )
        ]
        for row in rows():
            self.env.note_dependency(str(ROOT / "chapters" / f"{row['chapter']}.ipynb"))
            if row["part"] == self.options["part"]:
                content += self.row(row)
        content.append(html(f"</tbody></table>{FOLD if self.env.app.builder.name == 'html' else ''}"))
        return content

    def row(self, row: dict) -> list[nodes.Node]:
        """Return a row: the claim in a line, which opens on what we find, and where."""
        says = self.parsed(row["says"])
        for math in says.findall(nodes.math):
            math["spoken"] = quiz.spoken(math.astext())
        about = f'id="{anchor(row)}" data-verdict="{row["verdict"]}" data-chapter="{row["chapter"]}"'
        return [
            html(f'<tr role="row" {about}><td role="cell">{badge(row["verdict"])}{mark(row)}</td>'),
            html('<th role="rowheader" scope="row">'),
            self.parsed(row["paper"]),
            html('</th><td role="cell"><details open>'),
            html(f'<summary aria-label="{escape(quiz.reading(says))}">'),
            says,
            html("</summary><p><b>We find:</b> "),
            self.parsed(row["ours"]),
            html(
                f'</p><p class="ledger-where"><a href="{place(row)}">{escape(row["section"])}</a>, '
                f"cell <code>{row['cell']}</code>; test <code>{row['test'].split('::')[1]}</code></p>"
                f'</details></td><td role="cell"><a href="{place(row)}">'
                f'<span class="ledger-word">chapter </span>{number(row["chapter"])}</a></td></tr>'
            ),
        ]

    def parsed(self, text: str) -> nodes.inline:
        """Return a line of the page's own markup, read by the page's parser."""
        box = nodes.container()
        self.state.nested_parse(StringList([text], "ledger.yml"), 0, box)
        (paragraph,) = box.children
        return nodes.inline("", "", *paragraph.children)


def setup(app) -> dict:
    """Register with Sphinx."""
    app.add_directive("ledger", Ledger)
    app.add_directive("ledger-totals", Totals)
    app.add_role("cell", Cell())
    return {"parallel_read_safe": True}
