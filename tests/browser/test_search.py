"""The search leads to the right place, and says so in prose."""

import gzip
import json
import re
from urllib.parse import unquote, urldefrag

import pytest

import search as indexing
from tools.browsing import BOOK, pages

from .searching import DIALOG, found, open_dialog
from .test_links import Page

FIRST = {
    "neighbor": "pages/glossary.html#term-neighbour-level",
    "neighbor level": "pages/glossary.html#term-neighbour-level",
    "neighbour level": "pages/glossary.html#term-neighbour-level",
    "ε": "pages/glossary.html#term-level",
    "epsilon": "pages/glossary.html#term-level",
    "how to choose epsilon": "chapters/01-one-answer.html#choosing-a-level",
    "LP": "chapters/04-linear-program.html",
    "LDP": "pages/glossary.html#term-local-differential-privacy",
    "GWAS": "chapters/08-genomes.html",
    "chi-square": "chapters/08-genomes.html#tables-and-their-statistic",
    "composition": "pages/glossary.html#term-composition",
    "budget": "chapters/18-budget.html",
    "privacy budget": "pages/glossary.html#term-privacy-budget",
    "certificate": "chapters/05-certificate.html",
    "optimal": "chapters/14-any-size.html",
    "orr.optimal": "pages/api.html#orr.optimal",
    "RAPPOR": "pages/related.html#randomized-response-and-local-differential-privacy",
    "install": "pages/install.html#install",
    "python": "pages/install.html#five-lines-of-python",
    "Binder": "pages/install.html#run-the-chapters",
    "cite": "pages/install.html#cite",
    "license": "pages/install.html#licence",
    "Kronecker": "pages/glossary.html#term-Kronecker-product",
    "half-cube": "pages/glossary.html#term-half-cube",
    "randomised response": "pages/glossary.html#term-randomized-response",
    "what is the half-cube": "pages/glossary.html#term-half-cube",
}
NO_PROSE = re.compile(
    r"[\\$`]|\{[a-z]+\}`|colour mode|skip to main|(show|hide) (all|the) code|solution to (ex|show)|click to|"
    r"\bimport (numpy|orr|matplotlib)|\bplt\.|\bprint\(|\bdef \w+\(|>>>",
    re.IGNORECASE,
)


def misled(page, address):
    """Return the words that lead to another place than they should, or to excerpts that are no prose."""
    bad = []
    for words, place in FIRST.items():
        results = found(page, words)
        excerpts = page.locator(f"{DIALOG} .search-found p").all_inner_texts()
        if results[:1] != [f"{address}/{place}"] or any(map(NO_PROSE.search, excerpts)):
            bad.append((words, results[:1], excerpts))
    return bad


def records():
    """Return what the index holds of each part of the book."""
    for path in (BOOK / "pagefind" / "fragment").iterdir():
        yield json.loads(gzip.decompress(path.read_bytes()).removeprefix(b"pagefind_dcd"))


def use(context, folder):
    """Put another index in the place of the book's."""

    def answer(route):
        path = folder / unquote(route.request.url.split("/pagefind/")[1].split("?")[0])
        route.fulfill(path=path) if path.exists() else route.continue_()

    context.route("**/pagefind/**", answer)


def test_words_lead_to_the_right_place(open_page, address):
    with open_page("chapters/02-many-answers.html") as page:
        open_dialog(page)
        assert misled(page, address) == []


def test_an_index_without_the_words_of_others_is_caught(browser, open_page, address, tmp_path):
    kept = BOOK.parent / ".doctrees" / "search"
    parts = {
        path.relative_to(kept).with_suffix("").as_posix(): json.loads(path.read_text("utf-8"))
        for path in sorted(kept.rglob("*.json"))
    }
    indexing.write(indexing.records(parts, []), tmp_path / "index")
    with browser.new_context() as context:
        use(context, tmp_path / "index")
        with open_page("pages/glossary.html", context=context) as page:
            open_dialog(page)
            wrong = {words for words, *_ in misled(page, address)}
            assert {
                "neighbor",
                "epsilon",
                "how to choose epsilon",
                "LP",
                "license",
                "randomised response",
            } <= wrong
            assert "half-cube" not in wrong


def test_records_are_prose_and_lead_somewhere():
    anchors = {place: Page((BOOK / place).read_text("utf-8")).anchors for place in pages()}
    bad = []
    for record in records():
        place, anchor = urldefrag(record["url"].removeprefix("/"))
        if anchor not in anchors[place] or NO_PROSE.search(record["meta"]["title"] + record["content"]):
            bad.append(record["url"])
    assert bad == []


@pytest.mark.parametrize(
    "text",
    [
        r"at level \(\varepsilon\)",
        "the sum $x$",
        "Colour mode: Contents",
        "Show the code",
        "import numpy as np",
        "print(1)",
    ],
)
def test_what_is_no_prose_is_caught(text):
    assert NO_PROSE.search(f"A sentence, {text}, and so on.")


def test_every_page_is_in_the_index():
    places = {urldefrag(record["url"].removeprefix("/"))[0] for record in records()}
    assert places == set(pages()) - {"404.html", "search.html"}
