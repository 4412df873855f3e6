"""Colours without JavaScript: light or dark as the system has it, also for code.

The theme's styles wait for a script that writes ``data-theme`` into the page. Here are the same rules for a
page in which nobody has written it; book/templates/layout.html loads them only where no script runs.
"""

import re
from pathlib import Path

from sphinx.application import Sphinx

STYLES = ("styles/pydata-sphinx-theme.css", "styles/sphinx-book-theme.css", "pygments.css")
COMMENT = re.compile(r"/\*.*?\*/|@charset [^;]*;", re.DOTALL)
RULE = re.compile(r"[^{}]+\{[^{}]*\}")
THEME = re.compile(r"""html\[data-theme=["']?(light|dark)["']?\]""")


def rules(style: str, theme: str) -> list[str]:
    """Return the rules of a style for one theme, for a page without any."""
    found = [rule.strip() for rule in RULE.findall(COMMENT.sub("", style))]
    named = [rule for rule in found if theme in THEME.findall(rule.partition("{")[0])]
    return [THEME.sub("html:not([data-theme])", rule) for rule in named]


def without_script(styles: list[str]) -> str:
    """Return all light rules, and after them all dark ones for those whose system is dark."""
    light, dark = ([rule for style in styles for rule in rules(style, theme)] for theme in ("light", "dark"))
    return "\n".join([*light, "@media (prefers-color-scheme: dark) {", *dark, "}", ""])


def write(app: Sphinx, wrong: Exception | None) -> None:
    """Write the style beside those that it is made of."""
    if wrong is None and app.builder.name == "html":
        static = Path(app.outdir, "_static")
        own = sorted(path.name for path in Path(__file__).parents[1].joinpath("static").glob("*.css"))
        styles = [(static / name).read_text("utf-8") for name in (*STYLES, *own)]
        (static / "noscript.css").write_text(without_script(styles), "utf-8")


def setup(app: Sphinx) -> dict:
    """Register with Sphinx, once all styles are in place."""
    app.connect("build-finished", write, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
