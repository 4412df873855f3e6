"""Previews of links: a page carries what it links to in other pages, for book/static/previews.js."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from urllib.parse import urldefrag, urljoin

from docutils import nodes
from docutils.utils import new_document
from sphinx.application import Sphinx

PERMALINK = re.compile(r'<a class="headerlink".*?</a>', re.DOTALL)
LINK = re.compile(r"<(/?)a\b(?: [^>]*)?>")
DRAWN = re.compile(r"(<svg\b.*?</svg>)", re.DOTALL)  # a formula may be drawn from parts that ids name
ID = re.compile(r'(<[a-z][^<>]*?) id="[^"]*"')
BOXES = (nodes.Admonition, nodes.math_block)  # shown as they are


def targets(app: Sphinx, page: str, doctree: nodes.document) -> Iterator[tuple[str, str, str]]:
    """Yield the links of a page to places in others, each once: address, document and id."""
    here = app.builder.get_target_uri(page)
    documents = {app.builder.get_target_uri(name): name for name in app.env.found_docs}
    for address in dict.fromkeys(
        link["refuri"] for link in doctree.findall(nodes.reference) if "refuri" in link
    ):
        place, anchor = urldefrag(urljoin(here, address))
        if anchor and place in documents and documents[place] != page:
            yield address, documents[place], anchor


def excerpt(place: nodes.Element | None) -> list[nodes.Node]:
    """Return what a preview of a place shows; nothing of a place that only begins something."""
    if isinstance(place, BOXES):
        return [place]
    if isinstance(place, nodes.term):
        name = nodes.paragraph("", "", nodes.strong("", place.astext()))
        return [name, *place.parent[-1].children]
    if isinstance(place, nodes.citation):
        return [part for part in place if isinstance(part, nodes.paragraph)][:1]
    if isinstance(place, nodes.figure):
        return [nodes.paragraph("", "", *part.children) for part in place if isinstance(part, nodes.caption)]
    return []


def plain(html: str) -> str:
    """Take links and ids away: a preview has neither."""
    html = LINK.sub(r"<\1span>", PERMALINK.sub("", html))
    return "".join(part if part.startswith("<svg") else ID.sub(r"\1", part) for part in DRAWN.split(html))


@contextmanager
def written_as(app: Sphinx, document: str) -> Iterator[None]:
    """Let the builder number what it writes as in another document than the one it is at."""
    kept = {
        name: getattr(app.builder, name, None) for name in ("current_docname", "fignumbers", "secnumbers")
    }
    app.builder.current_docname = document
    app.builder.fignumbers = app.env.toc_fignumbers.get(document, {})
    app.builder.secnumbers = app.env.toc_secnumbers.get(document, {})
    try:
        yield
    finally:
        vars(app.builder).update(kept)


def write(app: Sphinx, part: nodes.Node) -> str:
    """Write a part as the builder writes it in its page."""
    alone = new_document("preview")
    alone.settings = app.builder.docsettings
    alone += part.deepcopy()
    visitor = app.builder.create_translator(alone, app.builder)
    alone[0].walkabout(visitor)
    return "".join(visitor.body)


class Previews:
    """What has been read and written already, by document and by place."""

    def __init__(self) -> None:
        self.places: dict[str, dict[str, nodes.Element]] = {}
        self.written: dict[tuple[str, str], str] = {}

    def place(self, app: Sphinx, document: str, anchor: str) -> nodes.Element | None:
        """Return the place in a document that has an id."""
        if document not in self.places:
            tree = app.env.get_and_resolve_doctree(document, app.builder)
            named = [node for node in tree.findall(nodes.Element) if node.get("ids")]
            self.places[document] = {name: node for node in named for name in node["ids"]}
        return self.places[document].get(anchor)

    def html(self, app: Sphinx, document: str, anchor: str) -> str:
        """Write what a preview shows."""
        key = document, anchor
        if key not in self.written:
            place = self.place(app, document, anchor)
            with written_as(app, document):
                self.written[key] = (
                    "".join(write(app, part) for part in excerpt(place)) if place is not None else ""
                )
        return plain(self.written[key])


def add_previews(app: Sphinx, page: str, _template, context: dict, doctree) -> None:
    """Put what a page links to in other pages at its end, once each, where no browser draws it."""
    if doctree is None or app.builder.name != "html":
        return
    store: Previews = vars(app).setdefault("orr_previews", Previews())
    for address, document, anchor in targets(app, page, doctree):
        if html := store.html(app, document, anchor):
            context["body"] += f'<template class="preview-of" data-of="{escape(address)}">{html}</template>\n'


def setup(app: Sphinx) -> dict:
    """Register with Sphinx, before others mend the page."""
    app.connect("html-page-context", add_previews, priority=300)
    return {"parallel_read_safe": True, "parallel_write_safe": False}
