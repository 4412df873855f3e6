"""The search leads to the right place, and says so in prose."""

import gzip
import json
import re
from urllib.parse import unquote, urldefrag

import search as indexing
from tools.browsing import BOOK, pages

from .looks import PAGES
from .searching import DIALOG, found, open_dialog
from .test_links import Page

FIRST = {
    "neighbor": f"{PAGES}glossary.html#term-neighbour-level",
    "neighbor level": f"{PAGES}glossary.html#term-neighbour-level",
    "neighbour level": f"{PAGES}glossary.html#term-neighbour-level",
    "ε": f"{PAGES}glossary.html#term-level",
    "epsilon": f"{PAGES}glossary.html#term-level",
    "how to choose epsilon": "chapters/01-one-answer.html#choosing-a-level",
    "LP": "chapters/04-linear-program.html",
    "LDP": f"{PAGES}glossary.html#term-local-differential-privacy",
    "GWAS": "chapters/08-genomes.html",
    "chi-square": "chapters/08-genomes.html#tables-and-their-statistic",
    "composition": f"{PAGES}glossary.html#term-composition",
    "budget": "chapters/18-budget.html",
    "privacy budget": f"{PAGES}glossary.html#term-privacy-budget",
    "certificate": "chapters/05-certificate.html",
    "optimal": "chapters/14-any-size.html",
    "orr.optimal": f"{PAGES}api.html#orr.optimal",
    "RAPPOR": f"{PAGES}related.html#randomized-response-and-local-differential-privacy",
    "install": f"{PAGES}install.html#install",
    "python": f"{PAGES}install.html#five-lines-of-python",
    "Binder": f"{PAGES}install.html#run-the-chapters",
    "cite": f"{PAGES}install.html#cite",
    "license": f"{PAGES}install.html#licence",
    "Kronecker": f"{PAGES}glossary.html#term-Kronecker-product",
    "half-cube": f"{PAGES}glossary.html#term-half-cube",
    "randomised response": f"{PAGES}glossary.html#term-randomized-response",
    "what is the half-cube": f"{PAGES}glossary.html#term-half-cube",
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
        with open_page(f"{PAGES}glossary.html", context=context) as page:
            open_dialog(page)
            wrong = {words for words, *_ in misled(page, address)}
            assert {"neighbor", "epsilon", "how to choose epsilon", "LP", "license"} <= wrong
            assert "half-cube" not in wrong


def test_records_are_prose_lead_somewhere_and_leave_no_page_out():
    anchors = {place: Page((BOOK / place).read_text("utf-8")).anchors for place in pages()}
    bad, places = [], set()
    for record in records():
        place, anchor = urldefrag(record["url"].removeprefix("/"))
        places.add(place)
        if anchor not in anchors[place] or NO_PROSE.search(record["meta"]["title"] + record["content"]):
            bad.append(record["url"])
    assert bad == []
    assert places == set(pages()) - {"404.html", "search.html"}
