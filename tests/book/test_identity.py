"""What others see of the book: its pages say what they are about, and where they are if that is known."""

import pytest
from bs4 import BeautifulSoup
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace

import identity

LONG = "This paragraph says what the page is about, and it says so at a length that is welcome. " * 3
INDEX = "A <b> & C\n=========\n\nShort.\n\n.. toctree::\n\n   deep/one\n\n.. only:: online\n\n   As a PDF.\n"
ONE = f"One\n===\n\nA formula :math:`x` {LONG}\n\n{LONG}\n"


@pytest.fixture
def build(tmp_path, monkeypatch):
    """Return a function that builds a book for an address, and returns its pages."""

    def build(address):
        monkeypatch.setenv("ORR_BOOK_URL", address)
        (tmp_path / "deep").mkdir()
        (tmp_path / "index.rst").write_text(INDEX, "utf-8")
        (tmp_path / "deep" / "one.rst").write_text(ONE, "utf-8")
        out = tmp_path / "html"
        settings = {"extensions": ["identity"], "html_title": "A book"}
        with docutils_namespace():
            Sphinx(tmp_path, None, out, tmp_path / "trees", "html", settings, None).build()
        names = ["index", "deep/one", "404"]
        return [BeautifulSoup((out / f"{name}.html").read_text("utf-8"), "html.parser") for name in names]

    return build


def said(page):
    tags = page.select("meta[property], meta[name]")
    return {tag.get("property") or tag["name"]: tag["content"] for tag in tags}


@pytest.mark.parametrize("address", ["https://example.org/a/book", "https://example.org/a/book/"])
def test_pages_say_where_they_are(build, address):
    index, chapter, lost = build(address)
    assert said(index)["og:url"] == "https://example.org/a/book/index.html"
    assert said(chapter)["og:url"] == "https://example.org/a/book/deep/one.html"
    for page in (index, chapter, lost):
        assert said(page)["og:image"] == "https://example.org/a/book/card.png"
    assert lost.base["href"] == "/a/book/404.html"
    assert "As a PDF." in index.text
    assert (index.base, chapter.base) == (None, None)


def test_without_an_address_nothing_depends_on_it(build):
    index, _, lost = build("")
    assert "As a PDF." not in index.text
    assert {"og:url", "og:image"} & set(said(index)) == set()
    assert lost.base["href"] == "/404.html"


def test_pages_say_what_they_are_about(build):
    index, chapter, lost = build("")
    assert said(index)["og:title"] == "A <b> & C"
    assert said(index)["description"] == said(lost)["description"] == identity.ABOUT
    assert LONG.startswith(said(chapter)["description"].removesuffix(" …"))
    assert 100 < len(said(chapter)["description"]) <= 202
    assert lost.h1.text == "There is no such page"
