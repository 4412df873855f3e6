"""A first visit is light: few bytes, few requests, and nothing but styles between a reader and the page."""

import re

import pytest

from tests.common import some_slow
from tools.browsing import BOOK, Compressing, pages, serve

from .looks import PAGES

SOME = ("index.html", "chapters/03-two-attributes.html", f"{PAGES}explorer.html")
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
