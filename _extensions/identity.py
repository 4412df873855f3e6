"""What others see of the book: where it is, what its pages are about, and what lost readers get."""

import os
import re
from collections.abc import Iterator
from html import escape, unescape
from urllib.parse import urljoin, urlsplit

from docutils import nodes

ABOUT = (
    "How to release records with several answers under local differential privacy: flips chosen together "
    "can cost far less than flips chosen one by one. A book with code, proofs and exercises."
)
CARD = "If flips of three answers are chosen together, the level of the whole record is smaller."
LOST = """<h1>There is no such page</h1>
<p>Perhaps it has moved, or there is a slip in the address. Find it in the table of contents, search the book,
or start at its <a href="index.html">first page</a>.</p>"""


def set_address(app, config) -> None:
    """Take the book's address from the environment, and tell the pages; nothing else needs one."""
    base = os.environ.get("ORR_BOOK_URL")
    config.html_baseurl = f"{base.rstrip('/')}/" if base else ""
    if base:
        app.tags.add("online")


def words(node: nodes.Element) -> str:
    """Return what a node says, without titles and without paragraphs that hold formulas."""
    plain = [part for part in node.findall(nodes.paragraph) if not any(part.findall(nodes.math))]
    return " ".join(word for part in plain for word in part.astext().split())


def description(doctree: nodes.document | None) -> str:
    """Return what a page says first, at most 200 characters of it."""
    for node in doctree.findall(nodes.Element) if doctree else ():
        if isinstance(node, nodes.admonition | nodes.paragraph) and isinstance(node.parent, nodes.section):
            text = words(node)
            if len(text) > 60:
                text = text[0].upper() + text[1:]
                return text if len(text) <= 200 else text[:200].rsplit(" ", 1)[0] + " …"
    return ABOUT


def facts(base: str, page: str) -> dict[str, str]:
    """Return what needs the book's address."""
    if not base:
        return {}
    return {
        "og:url": urljoin(base, page),
        "og:image": urljoin(base, "card.png"),
        "og:image:alt": CARD,
        "twitter:card": "summary_large_image",
    }


def describe(app, page: str, _template, context: dict, doctree) -> None:
    """Say in a page's head what it is about."""
    base, text = app.config.html_baseurl, description(doctree)
    about = {
        "description": text,
        "og:type": "website",
        "og:site_name": app.config.html_title,
        "og:title": unescape(re.sub("<[^>]+>", "", context.get("title", ""))),
        "og:description": text,
        **facts(base, app.builder.get_target_uri(page)),
    }
    tags = [
        f'<meta {"property" if name.startswith("og:") else "name"}="{name}" content="{escape(content)}"/>'
        for name, content in about.items()
    ]
    if page == app.config.root_doc:
        context["docstitle"] = ""  # its title is that of the book
    if page == "404":  # it is shown in the place of a page in any folder
        tags.insert(0, f'<base href="{escape(urljoin(urlsplit(base).path or "/", "404.html"))}"/>')
    context["metatags"] = "\n".join([context.get("metatags", ""), *tags])


def lost_page(_app) -> Iterator[tuple[str, dict, str]]:
    """Make the page that a server shows in the place of one that does not exist."""
    yield "404", {"title": "There is no such page", "body": LOST}, "page.html"


def setup(app) -> dict:
    """Register with Sphinx."""
    app.connect("config-inited", set_address)
    app.connect("html-page-context", describe)
    app.connect("html-collect-pages", lost_page)
    return {"parallel_read_safe": True}
