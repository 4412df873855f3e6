"""What a page loads: one style and one script for all pages, and no script before the page is shown.

The theme and the extensions name some twenty files, one of which (the icons as a script, 1.5 MB) repeats what
its style says. Here they become two, without the icons that no page shows.
"""

import hashlib
import re
from pathlib import Path

TAG = re.compile(
    r'<(?:link|script)\b[^>]*?\b(?:href|src)="(?P<root>[^"?]*?)(?P<name>(?:_static/)?[^"?/]*(?:/[^"?/]+)?\.(?P<kind>css|js))'
    r'(?:\?[^"]*)?"[^>]*>(?:</script>)?\n?'
)
DROPPED = (
    re.compile(  # icons as a script, hints to load what is deferred anyway, and a name that nothing reads
        r'<script src="[^"]*fontawesome\.js[^"]*"></script>|<link rel="preload" as="script"[^>]*>'
        r"|<script>DOCUMENTATION_OPTIONS\.pagename = [^<]*</script>|<!--.*?-->",
        re.DOTALL,
    )
)
# Only some pages need these.
ALONE = ("thebe", "design", "searchtools", "searchindex", "language_data", "figures", "formulas")
ICON = re.compile(r"(?:\.fa-[\w-]+:before,?)+\{content:[^}]*\}")
NAME = re.compile(r"\bfa-([\w-]+)")
# As deep as the theme's own, whose addresses are relative.
MERGED = {"css": "_static/styles/book.css", "js": "_static/scripts/book.js"}
# As in the theme.
LAST = {"css": [], "js": ["_static/scripts/bootstrap.js", "_static/scripts/pydata-sphinx-theme.js"]}
TAGS = {"css": '<link rel="stylesheet" href="{}"/>', "js": '<script defer src="{}"></script>'}
# These come first: others may fail.
OURS = {path.name for path in (Path(__file__).parents[1] / "static").glob("*.js")}
MARKED = ("_static/formulas/formulas.css", "_static/figures.js", "_static/figures.css")
FONT = re.compile(r"(?P<path>[\w./-]*/fa-[\w-]+\.woff2)(?:\?[\w=]*)?")
ADDRESS = re.compile(r"url\((['\"]?)(?!data:|/|\w+://|#)")
IMPORT = re.compile(r'@import "\.\./basic\.css";')


class Files:
    """The files that all pages share, in the order in which pages name them."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self.found = {"css": [], "js": []}

    def text(self, kind: str) -> str:
        """Return all files of a kind as one."""
        names = sorted(self.found[kind], key=lambda name: kind == "js" and Path(name).name not in OURS)
        texts = [self.read(name) for name in [*names, *LAST[kind]]]
        return {"css": "\n", "js": "\n;\n"}[kind].join(texts)

    def read(self, name: str) -> str:
        """Return a file as it reads from the folder of the merged one."""
        text = re.sub(r"(?m)^(?://|/\*)# sourceMappingURL=.*$", "", (self.out / name).read_text("utf-8"))
        if name.endswith(".css") and name.count("/") == 1:
            text = ADDRESS.sub(r"url(\1../", text)
        return IMPORT.sub(lambda _: self.read("_static/basic.css"), text)

    def lighten(self, html: str, design: bool) -> str:
        """Name one file of each kind in the head of a page, in the place of the first.

        Parameters
        ----------
        html
            A part of the head.
        design
            Whether the page has cards, which have a style of their own.
        """
        named = set()

        def change(tag: re.Match) -> str:
            name, kind = tag["name"], tag["kind"]
            if "design" in name and not (design and kind == "css"):
                return ""
            if any(word in name for word in ALONE):
                return tag[0] if "defer" in tag[0] else tag[0].replace("<script ", "<script defer ")
            if name not in self.found[kind]:
                self.found[kind].append(name)
            if kind in named:
                return ""
            named.add(kind)
            return TAGS[kind].format(f"{tag['root']}{MERGED[kind]}?v=@")

        return TAG.sub(change, DROPPED.sub("", html))

    def write(self) -> None:
        """Write both files, with the icons that pages show, and mark in pages which state they need."""
        pages = {path: path.read_text("utf-8") for path in self.out.rglob("*.html")}
        shown = {icon for page in pages.values() for icon in NAME.findall(page)}
        for kind, name in MERGED.items():
            text = ICON.sub(lambda rule: rule[0] * bool(shown & {*NAME.findall(rule[0])}), self.text(kind))
            (self.out / name).write_text(FONT.sub(self.mark_font, text), "utf-8")
        marks = {
            path: mark(self.out / path) for path in (*MERGED.values(), *MARKED) if (self.out / path).exists()
        }
        for path, page in pages.items():
            marked = page
            for name, state in marks.items():
                marked = re.sub(rf"({re.escape(name)}\?v=)[@\w]+", rf"\g<1>{state}", marked)
            if marked != page:
                path.write_text(marked, "utf-8")

    def mark_font(self, url: re.Match) -> str:
        """Return the address of a font of icons with a mark: it holds what the pages show, and no more."""
        path = (self.out / MERGED["css"]).parent / url["path"]
        return f"{url['path']}?v={mark(path)}" if path.exists() else url[0]


def mark(path: Path) -> str:
    """Return a mark that changes as a file does, so that no browser keeps an old one."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:8]


def begin(app) -> None:
    """Start with no files."""
    app.files = Files(Path(app.outdir))


def add_lighten(app, _page: str, _template, context: dict, _doctree) -> None:
    """Hand the function to the layout's template."""
    design = 'class="sd-' in context.get("body", "")
    context["lighten"] = lambda html: app.files.lighten(html, design)


def write(app, exception: Exception | None) -> None:
    """Write what the pages share."""
    if not exception and app.builder.format == "html" and app.files.found["js"]:
        app.files.write()


def setup(app) -> dict:
    """Register with Sphinx."""
    app.connect("builder-inited", begin)
    app.connect("html-page-context", add_lighten)
    app.connect("build-finished", write, priority=900)  # after the theme has written its colours of code
    return {"parallel_read_safe": True, "parallel_write_safe": False}
