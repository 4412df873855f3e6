"""What others see of the book: its pages say what they are about, and where they are if that is known."""

import io
import json
import re
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml
from bs4 import BeautifulSoup
from PIL import Image
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace

import identity

ROOT = Path(__file__).parents[2]
PAGES = yaml.safe_load((ROOT / "pages" / "pages.yml").read_text("utf-8"))
CONTENTS = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))
WORDS = {
    "index": {"subtitle": "all of it", "description": "What <the> book & its pages say."},
    "chapters/03-one": {"subtitle": "just the one", "description": 'It says "one" </script>.'},
    "end": {"subtitle": "and nothing after it", "description": "The last page."},
}
WORK = """
title: A book
license: [MIT, CC-BY-4.0]
authors: [{name: The authors}]
references: [{title: A paper, authors: [{given-names: A. B., family-names: C}], year: 2024, doi: 10.1/2}]
"""
BOOK = {
    "index": "A <b> & C\n=========\n\n.. toctree::\n\n   chapters/03-one\n   end\n\n"
    ".. only:: online\n\n   As a PDF.\n",
    "chapters/03-one": "One\n===\n\n**Time:** about 35 minutes.\n",
    "end": "What next?\n==========\n\nNothing.\n",
}


class Built:
    """A book built for an address: its pages, its folder, and what Sphinx warned of."""

    def __init__(self, folder, warnings):
        self.folder, self.warnings = folder, warnings

    def __getitem__(self, page):
        return BeautifulSoup((self.folder / f"{page}.html").read_text("utf-8"), "html.parser")

    def text(self, name):
        return (self.folder / name).read_text("utf-8")


def write(folder, words):
    """Write the sources of the small book."""
    files = {f"{page}.rst": text for page, text in BOOK.items()}
    for name, text in (files | {"pages/pages.yml": json.dumps(words), "CITATION.cff": WORK}).items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, "utf-8")


@pytest.fixture(scope="module")
def build(tmp_path_factory):
    """Return a function that builds the small book for an address, once."""

    @cache
    def build(address, without=None):
        folder, heard = tmp_path_factory.mktemp("book"), io.StringIO()
        write(folder, {page: words for page, words in WORDS.items() if page != without})
        settings = {"extensions": ["identity"], "html_title": "A book", "copyright": "2026"}
        with docutils_namespace(), pytest.MonkeyPatch.context() as patch:
            patch.setenv("ORR_BOOK_URL", address)
            Sphinx(folder, None, folder / "html", folder / "trees", "html", settings, None, heard).build()
        return Built(folder / "html", heard.getvalue())

    return build


def said(page):
    tags = page.select("meta[property], meta[name]")
    return {tag.get("property") or tag["name"]: tag["content"] for tag in tags}


def thing(page):
    return json.loads(page.find("script", type="application/ld+json").string)


@pytest.mark.parametrize("address", ["https://example.org/a/book", "https://example.org/a/book/"])
def test_pages_say_where_they_are(build, address):
    book = build(address)
    places = {"index": "", "chapters/03-one": "chapters/03-one.html", "end": "end.html"}
    for page, place in places.items():
        here = f"https://example.org/a/book/{place}"
        assert said(book[page])["og:url"] == here
        assert book[page].find("link", rel="canonical")["href"] == here
        assert thing(book[page])["url"] == here
        assert said(book[page])["og:image"] == "https://example.org/a/book/card.png"
        assert book[page].base is None
    assert book["404"].base["href"] == "/a/book/404.html"
    assert "As a PDF." in book["index"].text


def test_without_an_address_nothing_depends_on_it(build):
    book = build("")
    assert "As a PDF." not in book["index"].text
    for page in BOOK:
        assert {"og:url", "og:image", "citation_pdf_url", "citation_public_url"} & set(
            said(book[page])
        ) == set()
        assert book[page].find("link", rel="canonical") is None
        assert "url" not in thing(book[page])
    assert thing(book["end"])["isPartOf"] == {"@type": "Book", "name": "A book"}
    assert book["404"].base["href"] == "/404.html"
    assert not (book.folder / "sitemap.xml").exists()
    assert not (book.folder / "robots.txt").exists()


def test_pages_say_what_they_are_about(build):
    book = build("")
    titles = {
        "index": "A <b> & C: all of it",
        "chapters/03-one": "One: just the one",
        "end": "What next? And nothing after it",
    }
    for page, title in titles.items():
        about = said(book[page])
        assert about["og:title"] == title
        assert about["description"] == about["og:description"] == WORDS[page]["description"]
        assert book[page].title.string == (title if page == "index" else f"{title} — A book")
    assert book["end"].h1.text.startswith("What next?")
    assert book["404"].h1.text == "There is no such page"


def test_a_number_is_no_part_of_a_title():
    assert identity.full_title("12. The floor", "x") == "The floor: x"
    assert identity.full_title("4 by 4", "x") == "4 by 4: x"


def test_pages_say_it_once(build):
    book = build("https://example.org/book/")
    for page in [*BOOK, "404"]:
        tags = book[page].select("meta[property], meta[name]")
        names = [tag.get("property") or tag["name"] for tag in tags]
        assert len(names) == len(set(names))
        assert names.count("viewport") == 1


def test_pages_that_are_no_pages_are_not_found(build):
    book = build("https://example.org/book/")
    for page in ("404", "search", "genindex"):
        assert said(book[page])["robots"] == "noindex"
        assert book[page].find("link", rel="canonical") is None
    assert "robots" not in said(book["end"])


def test_machines_read_what_a_page_is(build):
    book = build("https://example.org/book/")
    whole, chapter, page = (thing(book[name]) for name in BOOK)
    assert (whole["@type"], whole["name"], whole["author"][0]["name"]) == ("Book", "A book", "The authors")
    assert whole["license"] == [f"https://spdx.org/licenses/{name}.html" for name in ("MIT", "CC-BY-4.0")]
    assert whole["isBasedOn"][0]["author"] == [{"@type": "Person", "name": "A. B. C"}]
    assert whole["isBasedOn"][0]["sameAs"] == "https://doi.org/10.1/2"
    assert (chapter["@type"], chapter["position"]) == (["Chapter", "LearningResource"], 3)
    assert chapter["timeRequired"] == "PT35M"
    assert chapter["description"] == WORDS["chapters/03-one"]["description"]  # whatever ends a script
    assert (page["@type"], "position" in page) == ("WebPage", False)
    for part in (chapter, page):
        assert part["isPartOf"] == {"@type": "Book", "name": "A book", "url": "https://example.org/book/"}


def test_the_first_page_says_how_to_cite_the_book(build):
    book = build("https://example.org/book/")
    about = said(book["index"])
    assert about["citation_title"] == "A book"
    assert about["citation_author"] == "The authors"
    assert about["citation_publication_date"] == "2026"
    assert about["citation_pdf_url"] == "https://example.org/book/optimized-randomized-response.pdf"
    assert not any(name.startswith("citation_") for name in said(book["end"]))


def test_the_pdf_is_where_its_address_says():
    assert f'"{identity.PDF}"' in (ROOT / "tools" / "pdf.py").read_text("utf-8")


def test_robots_get_every_page_and_no_other(build):
    book = build("https://example.org/book/")
    tree = ElementTree.fromstring(book.text("sitemap.xml"))
    space = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
    places = {place.text for place in tree.iter(f"{space}loc")}
    assert tree.tag == f"{space}urlset"
    assert places == {said(book[page])["og:url"] for page in BOOK}
    assert "Sitemap: https://example.org/book/sitemap.xml\n" in book.text("robots.txt")


def test_old_browsers_get_an_icon(build):
    book = build("")
    for page, place in {"index": "favicon.ico", "chapters/03-one": "../favicon.ico"}.items():
        assert book[page].find("link", rel="icon")["href"] == place
    with Image.open(book.folder / "favicon.ico") as icon:
        assert icon.info["sizes"] == set(identity.ICON_SIZES)


def test_a_forgotten_page_is_caught(build):
    assert build("").warnings == ""
    assert "pages.yml says nothing about end" in build("", without="end").warnings


def places():
    parts = [part["chapters"] for part in CONTENTS["parts"]]
    return {CONTENTS["root"], *(chapter["file"] for part in parts for chapter in part)}


def test_every_page_of_the_book_has_words_and_nothing_else_has():
    assert set(PAGES) == places()


@pytest.mark.parametrize("page", PAGES)
def test_words_fit_where_they_are_shown(page):
    assert set(PAGES[page]) == {"subtitle", "description"}
    subtitle, description = PAGES[page]["subtitle"], PAGES[page]["description"]
    assert len(subtitle) <= 50
    assert subtitle[0].islower() or subtitle[0].isupper()
    assert subtitle[-1] not in ".!?"
    assert 80 <= len(description) <= 160
    assert description.endswith((".", "?"))
    assert not re.search(r"[$\\{}]", subtitle + description)


def test_no_two_pages_say_the_same():
    for kind in ("subtitle", "description"):
        assert len({words[kind] for words in PAGES.values()}) == len(PAGES)


SOUGHT = [
    "local differential privacy", "randomized response", "epsilon", "linear program", "chi-square", "GWAS",
    "genom", "Kronecker", "Python", "privacy budget", "contingency table", "RAPPOR", "PRAM", "install",
    "cite", "licence", "lower bound", "course",
]  # fmt: skip


@pytest.mark.parametrize("words", SOUGHT)
def test_what_searchers_type_is_there(words):
    assert any(words.lower() in " ".join(page.values()).lower() for page in PAGES.values())
