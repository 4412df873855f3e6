"""Scripts inside a page: a browser that opens the built book from a disk loads no modules of other files."""

import json
import re
from pathlib import Path
from typing import ClassVar
from urllib.parse import quote

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

ROOT = Path(__file__).resolve().parent.parent
PLAIN = " !$&'()*+,/:;=>?@[]^`{|}"  # what an address may hold between the tags of a script


def address(code: str) -> str:
    """Return an address that holds a module, whose imports name modules instead of files."""
    named = re.sub(r'from "\./(\w+)\.mjs"', r'from "\1"', code)
    return f"data:text/javascript;charset=utf-8,{quote(named, safe=PLAIN)}"


class Modules(SphinxDirective):
    """The style and the modules of a folder; the one called main runs once the page is read."""

    required_arguments: ClassVar = 1

    def run(self) -> list[nodes.Node]:
        """Write the style, a map from names to modules, and a script that starts main."""
        folder = ROOT / self.arguments[0]
        for path in (__file__, *folder.iterdir()):
            self.env.note_dependency(str(path))
        style = (folder / "style.css").read_text("utf-8")
        modules = {path.stem: address(path.read_text("utf-8")) for path in sorted(folder.glob("*.mjs"))}
        html = (
            f"<style>\n{style}</style>\n"
            f'<script type="importmap">{json.dumps({"imports": modules})}</script>\n'
            '<script type="module">import "main";</script>'
        )
        return [nodes.raw("", html, format="html")]


def setup(app) -> dict:
    """Register with Sphinx."""
    app.add_directive("modules", Modules)
    return {"parallel_read_safe": True}
