"""One script of all interactive figures: a browser that opens the built book from a disk loads no modules."""

import json
import re
from functools import cache
from pathlib import Path

from docutils import nodes

try:
    import minify
except ImportError:  # there is none for every machine, and the figures are the same without it
    minify = None

FOLDER = Path(__file__).resolve().parents[1] / "explorer"
SOME = re.compile(r'^import \{ ([^}]*) \} from "\./(\w+)\.mjs";$', re.MULTILINE)
ALL = re.compile(r'^import \* as (\w+) from "\./(\w+)\.mjs";$', re.MULTILINE)
# A declaration that takes an object apart. The library that shortens scripts puts it before declarations that
# it needs, unless something else stands between them.
APART = re.compile(r"^( *)(?=(?:const|let) \{)", re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function\*?|const|class) (\w+))", re.MULTILINE)
# A worker runs the same text: a page from a disk may start no worker from a file, but one from a text.
SCRIPT = """function orrFigures() {{
const made = {{}};
const use = (name) => (made[name] ??= modules[name](use));
const modules = {{
{modules}}};
return use;
}}
globalThis.orr = orrFigures();
orr.source = `(${{orrFigures}})()`;
orr("start").start();
"""
TAG = "tag_touch-"  # a cell with the tag touch-dial draws the still picture of the figure in dial.mjs


def function(path: Path) -> str:
    """Return a module as a function that takes what it imports, and returns what it exports."""
    code = SOME.sub(
        lambda found: f'const {{ {found[1].replace(" as ", ": ")} }} = use("{found[2]}");',
        path.read_text("utf-8"),
    )
    code = ALL.sub(r'const \1 = use("\2");', code)
    exported = ", ".join(EXPORT.findall(code))
    code = APART.sub(r"\g<1>0; ", EXPORT.sub("", code))
    if left := re.search(r"^(import|export)\b.*", code, re.MULTILINE):
        raise ValueError(f"{path.name}: {left[0]!r} is written in a way that the book's build does not know")
    return f"{json.dumps(path.stem)}: (use) => {{\n{code}return {{ {exported} }};\n}},\n"


@cache
def script() -> str:
    """Return the script of all modules."""
    return small(
        "application/javascript", SCRIPT.format(modules="".join(map(function, sorted(FOLDER.glob("*.mjs")))))
    )


@cache
def style() -> str:
    """Return the style of all figures."""
    return small("text/css", "".join(path.read_text("utf-8") for path in sorted(FOLDER.glob("*.css"))))


def small(kind: str, text: str) -> str:
    """Return a text as short as can be."""
    return minify.string(kind, text) if minify else text


def moves(doctree: nodes.document | None) -> bool:
    """Return whether a page has figures to touch."""
    for node in doctree.findall(nodes.Element) if doctree else ():
        if isinstance(node, nodes.raw) and (
            'class="touch"' in node.astext() or 'id="ex-off"' in node.astext()
        ):
            return True
        if any(name.startswith(TAG) for name in node.get("classes", ())):
            return True
    return False


def add_files(app, _page: str, _template, context: dict, doctree) -> None:
    """Name the script and the style in the pages that need them; light.py marks which ones these are."""
    if moves(doctree) and app.builder.name == "html":
        context["figures"] = {name: f"_static/{name}?v=@" for name in ("figures.js", "figures.css")}


def write_files(app, exception: Exception | None) -> None:
    """Write both where the pages look for them."""
    if not exception and app.builder.name == "html":
        for name, text in {"figures.js": script(), "figures.css": style()}.items():
            (Path(app.outdir) / "_static" / name).write_text(text, "utf-8")


def setup(app) -> dict:
    """Register with Sphinx."""
    app.connect("html-page-context", add_files)
    app.connect("build-finished", write_files)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
