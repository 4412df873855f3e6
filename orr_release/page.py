"""A page of plain words, lists and tables, written as Markdown and as HTML (chapter release).

Texts are plain: whatever they hold, names and labels of somebody's data included, is escaped on the way out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

# System colours follow the reader's choice of light or dark, and print black on white. Nothing is fetched.
STYLE = """
:root { color-scheme: light dark; }
body { font: 1rem/1.55 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem;
  background: Canvas; color: CanvasText; }
h1 { font-size: 1.6rem; line-height: 1.25; }
h2 { font-size: 1.2rem; margin: 1.8rem 0 0.4rem; break-after: avoid; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.95em; margin: 0.8rem 0; }
caption { text-align: left; font-weight: 600; padding: 0.3rem 0; }
th, td { padding: 0.25rem 0.7rem; border-bottom: 1px solid GrayText; text-align: left; vertical-align: top; }
th[scope='row'] { font-weight: 500; }
td { font-variant-numeric: tabular-nums; }
li { margin: 0.3rem 0; }
@page { size: A4; margin: 14mm 16mm; }
@media print {
  body { font-size: 9pt; line-height: 1.35; margin: 0; padding: 0; max-width: none; }
  h1, h2, p, ul, table { margin-top: 0.5em; margin-bottom: 0.3em; }
  li { margin: 0.1em 0; }
  .scroll { overflow: visible; }
  tr, li { break-inside: avoid; }
}
"""
POLICY = "default-src 'none'; style-src 'unsafe-inline'"


@dataclass(frozen=True)
class Items:
    """A list, each entry with the words it begins with."""

    entries: Sequence[tuple[str, str]]

    def markdown(self) -> str:
        """Write it as Markdown."""
        return "\n".join(f"- **{marked(term)}** {marked(text)}" for term, text in self.entries)

    def html(self) -> str:
        """Write it as HTML."""
        lines = [f"<li><strong>{escape(term)}</strong> {escape(text)}</li>" for term, text in self.entries]
        return "\n".join(["<ul>", *lines, "</ul>"])


@dataclass(frozen=True)
class Grid:
    """A table, with a caption; the first column names the rows."""

    caption: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]

    def markdown(self) -> str:
        """Write it as Markdown."""
        lines = [self.heads, ["---"] * len(self.heads), *self.rows]
        table = "\n".join(f"| {' | '.join(c if c == '---' else marked(c) for c in line)} |" for line in lines)
        return f"{marked(self.caption)}\n\n{table}"

    def html(self) -> str:
        """Write it as HTML, in a box that scrolls by itself and that the keyboard reaches."""
        head = "".join(f'<th scope="col">{escape(h)}</th>' for h in self.heads)
        body = [
            f'<tr><th scope="row">{escape(name)}</th>{"".join(f"<td>{escape(c)}</td>" for c in cells)}</tr>'
            for name, *cells in self.rows
        ]
        return "\n".join(
            [
                f'<div class="scroll" role="region" tabindex="0" aria-label="{escape(self.caption)}">',
                f"<table><caption>{escape(self.caption)}</caption>",
                f"<thead><tr>{head}</tr></thead>",
                "<tbody>",
                *body,
                "</tbody></table></div>",
            ]
        )


Block = str | Items | Grid


@dataclass(frozen=True)
class Page:
    """A title, and sections of paragraphs, lists and tables under their headings.

    Examples
    --------
    >>> page = Page("A <page>", [("One", ["Words.", Items([("First,", "an entry.")])])])
    >>> print(page.markdown())
    # A &lt;page&gt;
    <BLANKLINE>
    ## One
    <BLANKLINE>
    Words.
    <BLANKLINE>
    - **First,** an entry.
    <BLANKLINE>
    """

    title: str
    sections: Sequence[tuple[str, Sequence[Block]]]

    def markdown(self) -> str:
        """Write all of it as Markdown."""
        parts = [f"# {marked(self.title)}"]
        for heading, blocks in self.sections:
            parts += [f"## {marked(heading)}"] if heading else []
            parts += [marked(b) if isinstance(b, str) else b.markdown() for b in blocks]
        return "\n\n".join(parts) + "\n"

    def fragment(self, level: int) -> str:
        """Write it as HTML to stand inside another page, with a title of this level."""
        parts = [f"<h{level}>{escape(self.title)}</h{level}>"]
        for heading, blocks in self.sections:
            parts += [f"<h{level + 1}>{escape(heading)}</h{level + 1}>"] if heading else []
            parts += [f"<p>{escape(b)}</p>" if isinstance(b, str) else b.html() for b in blocks]
        return "\n".join(parts)

    def html(self) -> str:
        """Write a whole page of HTML, which asks no other host for anything."""
        return "\n".join(
            [
                "<!DOCTYPE html>",
                '<html lang="en">',
                "<head>",
                '<meta charset="utf-8">',
                f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
                '<meta name="viewport" content="width=device-width, initial-scale=1">',
                f"<title>{escape(self.title)}</title>",
                f"<style>{STYLE}</style>",
                "</head>",
                "<body>",
                "<main>",
                self.fragment(1),
                "</main>",
                "</body>",
                "</html>",
                "",
            ]
        )


def marked(text: str) -> str:
    r"""Write plain text as Markdown that shows just that.

    Examples
    --------
    >>> marked("a_b | <c> & $d")
    'a\\_b \\| &lt;c&gt; &amp; \\$d'
    """
    return re.sub(r"([\\`*_\[\]|$~#])", r"\\\1", escape(" ".join(text.split()), quote=False))
