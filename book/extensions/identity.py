"""What others see of the book: where it is, what its pages are about, and what lost readers get.

The words are in ``pages/pages.yml``, authors and licences in ``CITATION.cff``, the address in ORR_BOOK_URL.
"""

import json
import os
import re
from collections.abc import Iterator
from html import escape, unescape
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import yaml
from PIL import Image
from sphinx.errors import ExtensionError
from sphinx.util import logging

CARD = "If flips of three answers are chosen together, the level of the whole record is smaller."
CARD_SIZE = (1200, 630)  # as tools/pictures.py draws it
ICON_SIZES = [(16, 16), (32, 32), (48, 48)]  # of tabs, of screens with small dots, of lists of bookmarks
PDF = "optimized-randomized-response.pdf"  # beside the pages of a published book
LOST = """<h1>There is no such page</h1>
<p>Perhaps it has moved, or there is a slip in the address. Find it in the table of contents, search the book,
or start at its <a href="index.html">first page</a>.</p>"""
VIEWPORT = re.compile(r'<meta name="viewport"[^>]*>\s*')
logger = logging.getLogger(__name__)


def learn(app, config) -> None:
    """Read what there is to say; a change of it is a change of every page."""
    base = os.environ.get("ORR_BOOK_URL")
    config.html_baseurl = f"{base.rstrip('/')}/" if base else ""
    if base and not re.match("https?://[^/]", base):
        raise ExtensionError(
            f"ORR_BOOK_URL is {base!r}; allowed is an address like https://example.org/book/"
        )
    if base:
        app.tags.add("online")
    root = Path(app.srcdir)
    config.pages = yaml.safe_load((root / "pages" / "pages.yml").read_text("utf-8"))
    config.citation = yaml.safe_load((root / "CITATION.cff").read_text("utf-8"))


def full_title(heading: str, subtitle: str) -> str:
    """Return a page's heading, without its number, and what the page is about."""
    heading = re.sub(r"^\d+\. ", "", heading)
    if heading.endswith("?"):
        return f"{heading} {subtitle[0].upper()}{subtitle[1:]}"
    return f"{heading}: {subtitle}"


def address(app, page: str) -> str:
    """Return where a page is, if that is known; the first page is where the book is."""
    base = app.config.html_baseurl
    if page == app.config.root_doc:
        return base
    return base and urljoin(base, app.builder.get_target_uri(page))


def people(work: dict) -> list[str]:
    """Return the names of a work's authors."""
    return [who.get("name") or f"{who['given-names']} {who['family-names']}" for who in work["authors"]]


def card(app, page: str, title: str, about: str) -> dict[str, str]:
    """Return what a link to the page shows where it is shared."""
    tags = {
        "og:type": "website" if page == app.config.root_doc else "article",
        "og:locale": "en_GB",
        "og:site_name": app.config.html_title,
        "og:title": title,
        "og:description": about,
    }
    if base := app.config.html_baseurl:
        tags |= {
            "og:url": address(app, page),
            "og:image": urljoin(base, "card.png"),
            "og:image:width": str(CARD_SIZE[0]),
            "og:image:height": str(CARD_SIZE[1]),
            "og:image:alt": CARD,
            "twitter:card": "summary_large_image",
        }
    return tags


def citation(app) -> list[tuple[str, str]]:
    """Return how the book is cited, as scholars' search engines read it."""
    base, work = app.config.html_baseurl, app.config.citation
    tags = [
        ("citation_title", work["title"]),
        *(("citation_author", name) for name in people(work)),
        ("citation_publication_date", str(app.config.copyright)),
        ("citation_language", "en"),
    ]
    if base:
        tags += [("citation_public_url", base), ("citation_pdf_url", urljoin(base, PDF))]
    return tags


def thing(app, page: str, title: str, about: str, **more) -> dict:
    """Return what the page is in the words of schema.org: the book, a chapter of it, or another page."""
    work, root = app.config.citation, page == app.config.root_doc
    chapter = re.match(r"chapters/(\d+)-", page)
    kind = "Book" if root else ["Chapter", "LearningResource"] if chapter else "WebPage"
    facts = {
        "@context": "https://schema.org",
        "@type": kind,
        "name": work["title"] if root else title,
        "description": about,
        "inLanguage": "en",
        "url": address(app, page),
        "author": [{"@type": "Organization", "name": name} for name in people(work)],
        "license": [f"https://spdx.org/licenses/{name}.html" for name in work["license"]],
        "isAccessibleForFree": True,
        **more,
    }
    if chapter:
        facts["position"] = int(chapter[1])
    if root:
        facts["isBasedOn"] = [paper(source) for source in work.get("references", [])]
    else:
        facts["isPartOf"] = {"@type": "Book", "name": work["title"], "url": app.config.html_baseurl}
        facts["isPartOf"] = {key: value for key, value in facts["isPartOf"].items() if value}
    return {key: value for key, value in facts.items() if value}


def paper(source: dict) -> dict:
    """Return a work that the book is based on, in the words of schema.org."""
    return {
        "@type": "ScholarlyArticle",
        "name": source["title"],
        "author": [{"@type": "Person", "name": name} for name in people(source)],
        "datePublished": str(source["year"]),
        "sameAs": f"https://doi.org/{source['doi']}",
    }


def minutes(doctree) -> dict[str, str]:
    """Return the time that a chapter says it takes, as schema.org writes it."""
    found = re.search(r"Time:\s+about (\d+) minutes", doctree.astext()) if doctree else None
    return {"timeRequired": f"PT{found[1]}M"} if found else {}


def meta(name: str, content: str) -> str:
    """Return a tag for a page's head."""
    kind = "property" if name.startswith("og:") else "name"
    return f'<meta {kind}="{name}" content="{escape(content)}"/>'


def describe(app, page: str, _template, context: dict, doctree) -> None:
    """Say in a page's head what it is about."""
    words = app.config.pages.get(page)
    icon = escape(context["pathto"]("favicon.ico", resource=True))
    tags = [VIEWPORT.sub("", context.get("metatags", ""))]  # the layout has one of its own
    tags.append(f'<link rel="icon" href="{icon}" sizes="{" ".join(f"{w}x{h}" for w, h in ICON_SIZES)}"/>')
    if words:
        title = full_title(unescape(re.sub("<[^>]+>", "", context["title"])), words["subtitle"])
        about = words["description"]
        data = json.dumps(thing(app, page, title, about, **minutes(doctree)), ensure_ascii=False)
        data = data.replace("</", r"<\/")  # the end of a script, wherever it stands
        tags.append(meta("description", about))
        tags += [meta(*tag) for tag in card(app, page, title, about).items()]
        tags.append(f'<script type="application/ld+json">{data}</script>')
        context["heading"], context["title"] = context["title"], escape(title)
        context["pageurl"] = address(app, page)
    else:
        if page in app.env.found_docs:
            logger.warning("pages.yml says nothing about %s", page)
        tags.append(meta("robots", "noindex"))
        context["pageurl"] = ""
    if page == app.config.root_doc:
        tags += [meta(*tag) for tag in citation(app)]
        context["docstitle"] = ""  # its title is that of the book
    if page == "404":  # it is shown in the place of a page in any folder
        place = urljoin(urlsplit(app.config.html_baseurl).path or "/", "404.html")
        tags.insert(0, f'<base href="{escape(place)}"/>')
    context["metatags"] = "\n".join(filter(None, tags))


def lost_page(_app) -> Iterator[tuple[str, dict, str]]:
    """Make the page that a server shows in the place of one that does not exist."""
    yield "404", {"title": "There is no such page", "body": LOST}, "page.html"


def add_files(app, error: Exception | None) -> None:
    """Write the icon of old browsers, and for a published book the list of its pages."""
    if error or app.builder.name != "html":
        return
    out = Path(app.outdir)
    with Image.open(Path(__file__).parents[1] / "images" / "icon.png") as icon:
        icon.save(out / "favicon.ico", sizes=ICON_SIZES)
    if base := app.config.html_baseurl:
        places = [address(app, page) for page in sorted(app.env.found_docs)]
        lines = "\n".join(f"<url><loc>{escape(place)}</loc></url>" for place in places)
        sitemap = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{lines}\n</urlset>\n'
        (out / "sitemap.xml").write_text(f'<?xml version="1.0" encoding="utf-8"?>\n{sitemap}', "utf-8")
        # Robots read this one only where the book has a host to itself.
        robots = f"User-agent: *\nAllow: /\n\nSitemap: {urljoin(base, 'sitemap.xml')}\n"
        (out / "robots.txt").write_text(robots, "utf-8")


def setup(app) -> dict:
    """Register with Sphinx."""
    app.add_config_value("pages", {}, "html", [dict])
    app.add_config_value("citation", {}, "html", [dict])
    app.connect("config-inited", learn)
    app.connect("html-page-context", describe)
    app.connect("html-collect-pages", lost_page)
    app.connect("build-finished", add_files)
    return {"parallel_read_safe": True}
