"""A first visit is light: few bytes, few requests, and nothing but styles between a reader and the page."""

import os
import re

import pytest

from tests.common import some_slow
from tools.browsing import BOOK, Compressing, pages, serve

SOME = ("index.html", "chapters/03-two-attributes.html", "pages/explorer.html")
MOST_BYTES, MOST_REQUESTS = 500_000, 25
LOADED = """() => ["navigation", "resource"].flatMap(type => performance.getEntriesByType(type))
    .map(entry => [entry.name, entry.encodedBodySize, entry.renderBlockingStatus])"""
SCRIPT = re.compile(r"<script\b([^>]*)\bsrc=")


@pytest.fixture(scope="module")
def compressed():
    with serve(handler=Compressing) as address:
        yield address


def first_visit(browser, url):
    """Open a page with nothing in the cache; return what was loaded: address, bytes, whether it blocks."""
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(url, wait_until="networkidle")
        return page.evaluate(LOADED)


@pytest.mark.parametrize("place", some_slow(pages(), *(set(pages()) - set(SOME))))
def test_a_first_visit_is_light(browser, compressed, place):
    loaded = first_visit(browser, f"{compressed}/{place}")
    assert sum(size for _, size, _ in loaded) < MOST_BYTES, loaded
    assert len(loaded) <= MOST_REQUESTS, loaded
    assert [url for url, _, status in loaded if status == "blocking" and ".css" not in url] == []


def blocking(html):
    """Return the attributes of scripts that a page waits for."""
    return [given for given in SCRIPT.findall(html) if not re.search(r"\b(defer|async|module)\b", given)]


def test_no_page_waits_for_a_script():
    assert [place for place in pages() if blocking((BOOK / place).read_text("utf-8"))] == []


def test_a_heavy_page_is_caught(browser, tmp_path):
    (tmp_path / "a.html").write_text(
        '<script src="a.js"></script><link rel="stylesheet" href="a.css">', "utf-8"
    )
    (tmp_path / "a.js").write_text("0;" * 10, "utf-8")
    (tmp_path / "a.css").write_text(
        f"/*{os.urandom(MOST_BYTES).hex()}*/", "utf-8"
    )  # which nothing makes shorter
    assert len(blocking((tmp_path / "a.html").read_text("utf-8"))) == 1
    with serve(tmp_path, Compressing) as address:
        loaded = first_visit(browser, f"{address}/a.html")
    assert sum(size for _, size, _ in loaded) > MOST_BYTES
    assert [status for url, _, status in loaded if url.endswith("a.js")] == ["blocking"]
