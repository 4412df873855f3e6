"""The replication ledger: a page made from a data file and the stored outputs of the chapters."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import ClassVar

import yaml
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective, SphinxRole

ROOT = Path(__file__).resolve().parent.parent
VERDICTS = {
    "reproduced": "reproduced",
    "remark": "reproduced, with a remark",
    "fails": "does not hold",
    "answered": "open question, answered",
    "open": "not tested here",
}


def rows() -> list[dict]:
    """Return the rows of the data file, each with its chapter's section and our number filled in."""
    return [row | find(row) for row in yaml.safe_load((ROOT / "ledger.yml").read_text("utf-8"))]


def find(row: dict) -> dict:
    """Look up the cell of a row: its section's title, and the numbers that it printed."""
    notebook = json.loads((ROOT / "chapters" / f"{row['chapter']}.ipynb").read_text("utf-8"))
    section = ""
    for cell in notebook["cells"]:
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


class Cell(SphinxRole):
    """A link to the section of a chapter that holds a cell: {cell}`chapter id`."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Say the section's title, and the cell's id, by which it is found in the notebook."""
        chapter, cell = self.text.split()
        section = find({"chapter": chapter, "cell": cell})["section"]
        address = f"chapters/{chapter}.html#{nodes.make_id(section)}"
        link = nodes.reference("", f"{chapter[:2].lstrip('0')}, {section}", refuri=address)
        return [nodes.inline("", "", link, nodes.Text(", cell "), nodes.literal("", cell))], []


class Totals(SphinxDirective):
    """How many rows the ledger has of each verdict, in a sentence."""

    def run(self) -> list[nodes.Node]:
        """Count them in the data file."""
        self.env.note_dependency(str(ROOT / "ledger.yml"))
        verdicts = Counter(row["verdict"] for row in yaml.safe_load((ROOT / "ledger.yml").read_text("utf-8")))
        said = {
            "reproduced": "are reproduced",
            "remark": "are reproduced with a remark",
            "fails": "does not hold" if verdicts["fails"] == 1 else "do not hold",
            "answered": "are open questions that are answered",
            "open": "are not tested",
        }
        parts = [f"**{verdicts[key]}** {words}" for key, words in said.items() if verdicts[key]]
        text = f"Of {verdicts.total()} rows, {', '.join(parts[:-1])}, and {parts[-1]}."
        container = nodes.container()
        self.state.nested_parse(StringList([text], "ledger.yml"), 0, container)
        return container.children


class Ledger(SphinxDirective):
    """A table with a row for each claim of the paper."""

    option_spec: ClassVar = {"part": str}

    def run(self) -> list[nodes.Node]:
        """Write the table in the page's own markup and let the page's parser read it."""
        lines = [
            "```{list-table}",
            ":header-rows: 1",
            ":widths: 30 70",
            ":class: stacked",
            "",
            "* - In the paper, and our verdict",
            "  - What it says, what we find, and where",
        ]
        for row in rows():
            self.env.note_dependency(str(ROOT / "chapters" / f"{row['chapter']}.ipynb"))
            if row["part"] == self.options["part"]:
                anchor = nodes.make_id(row["section"])
                link = f'<a href="chapters/{row["chapter"]}.html#{anchor}">{row["section"]}</a>'
                lines += [
                    f"* - **{row['paper']}**",
                    "",
                    f"    *{VERDICTS[row['verdict']]}*",
                    f"  - {row['says']}",
                    "",
                    f"    *We find:* {row['ours']}",
                    "",
                    f"    {link}, cell `{row['cell']}`; test `{row['test'].split('::')[1]}`",
                ]
        lines.append("```")
        for source in (__file__, ROOT / "ledger.yml"):
            self.env.note_dependency(str(source))
        container = nodes.container()
        self.state.nested_parse(StringList(lines, "ledger.yml"), 0, container)
        return container.children


def setup(app) -> dict:
    """Register with Sphinx."""
    app.add_directive("ledger", Ledger)
    app.add_directive("ledger-totals", Totals)
    app.add_role("cell", Cell())
    return {"parallel_read_safe": True}
