"""Every link leads somewhere, and previous and next lead through the book in its order."""

import re
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import yaml

from tools.browsing import BOOK, pages

from .looks import PAGES

CONTENTS = yaml.safe_load((Path(__file__).parents[2] / "_toc.yml").read_text("utf-8"))
READING_ORDER = [
    CONTENTS["root"],
    *(chapter["file"] for part in CONTENTS["parts"] for chapter in part["chapters"]),
]

STATEFUL = (f"{PAGES}explorer.html", f"{PAGES}ledger.html")  # what they show is in the address, behind the #


class Page(HTMLParser):
    """The anchors of a page, and all addresses that it loads or links to, each with its tag."""

    def __init__(self, html):
        super().__init__()
        self.anchors, self.addresses = {"", "top"}, []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name == "id" or (tag, name) == ("a", "name"):
                self.anchors.add(value)
            elif name in ("href", "src") and tag != "base" and ("rel", "canonical") not in attrs:
                self.addresses.append((tag, value))


def dangling(folder):
    """Return addresses that lead nowhere in a folder, or to another host without being clicked."""
    texts = {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in folder.rglob("*.html")}
    parsed = {place: Page(text) for place, text in texts.items() if not place.startswith("_static/")}
    bad = []
    for place, page in parsed.items():
        for tag, address in page.addresses:
            url, anchor = urldefrag(urljoin(f"http://book/{place}", address))
            path = unquote(urlsplit(url).path.removeprefix("/"))
            if urlsplit(url).netloc != "book":
                good = tag == "a" or url.startswith("data:")
            elif path in parsed:
                good = unquote(anchor) in parsed[path].anchors or (path in STATEFUL and "=" in anchor)
            else:
                good = (folder / path).is_file()
            if not good:
                bad.append((place, address))
    return bad


def test_every_page_of_the_contents_is_built():
    assert {f"{place}.html" for place in READING_ORDER} <= set(pages())


def test_every_link_leads_somewhere():
    assert dangling(BOOK) == []


GOOD = [
    'a href="#a"',
    'a href="b.html#c%20d"',
    'a href="https://example.org/#a"',
    'img src="data:image/png;base64,"',
    'link rel="canonical" href="https://example.org/a.html"',
]
BROKEN = [
    'a href="#b"',
    'a href="b.html#a"',
    'a href="c.html"',
    'img src="b.png"',
    'script src="https://example.org/a.js"',
    'link rel="preconnect" href="//example.org"',
]


def test_a_broken_link_is_caught(tmp_path):
    (tmp_path / "b.html").write_text('<p id="c d">', "utf-8")
    for tag in GOOD + BROKEN:
        (tmp_path / "a.html").write_text(f'<p id="a"><{tag}>', "utf-8")
        assert dangling(tmp_path) == [("a.html", re.search('"([^"]+)"$', tag)[1])] * (tag in BROKEN)


def words(html):
    """Return the words of a title, without its number."""
    return unescape(re.sub(r'<(span|a) class="(section-number|headerlink)".*?</\1>|<[^>]+>', "", html))


def follow(place, link):
    """Return the places that a link leads to, page after page."""
    found, title = [], None
    pattern = rf'<a class="{link}"\s+href="([^"#]*)#?".*?<p class="prev-next-title">(.*?)</p>'
    while place:
        html = (BOOK / f"{place}.html").read_text("utf-8")
        heading = re.search("<article.*?<h1>(.*?)</h1>", html, re.DOTALL)[1]
        assert title in (None, words(heading))
        found.append(place)
        there = re.search(pattern, html, re.DOTALL)
        place, title = (urljoin(place, there[1])[: -len(".html")], words(there[2])) if there else (None, None)
    return found


def test_previous_and_next_follow_the_contents():
    assert follow(READING_ORDER[0], "right-next") == READING_ORDER
    assert follow(READING_ORDER[-1], "left-prev") == READING_ORDER[::-1]


def test_lost_readers_find_back_from_anywhere(browser, address):
    with browser.new_context() as context:
        page, missing = context.new_page(), []
        page.route("**/no/such/page.html", lambda route: route.fulfill(path=BOOK / "404.html", status=404))
        page.on("response", lambda response: response.ok or missing.append(response.url))
        page.goto(f"{address}/no/such/page.html")
        page.get_by_role("link", name="first page").click()
        page.wait_for_url(f"{address}/index.html")
        assert missing == [f"{address}/no/such/page.html"]
