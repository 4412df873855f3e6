"""A published book is opened page by page, and what is missing in it is found and named."""

import os
import re
import shutil
import time
from contextlib import nullcontext

import pytest

import published
from tools.browsing import BOOK, ONLY_ONE_HOST, serve

from .looks import PATIENCE

PAGE, SMALL = "chapters/02-many-answers", "glossary"  # the first one has pictures


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """Let pages take their time to load."""
    monkeypatch.setattr(published, "PATIENCE", PATIENCE)


@pytest.fixture
def copy(tmp_path):
    """Return a copy of the built book that can be broken."""
    return shutil.copytree(BOOK, tmp_path / "book", copy_function=os.symlink)


@pytest.fixture
def book(browser, copy):
    """Return the copy, served and opened."""
    with serve(copy) as address:
        yield published.Published(address, browser, PATIENCE)


@pytest.fixture
def hasty(browser, book):
    """Return the copy, opened with little patience: for what never comes, which nothing but time tells."""
    return published.Published(book.base, browser, 500)


def rewrite(path, old, new):
    """Change a file of the copy; the built book keeps its own."""
    text = path.read_text("utf-8")
    changed = re.sub(old, lambda _: new, text, flags=re.DOTALL)
    assert changed != text
    later = max(path.stat().st_mtime, time.time()) + 2  # a browser asks for what is newer by whole seconds
    path.unlink()
    path.write_text(changed, "utf-8")
    os.utime(path, (later, later))


def append(path, html):
    rewrite(path, "</article>", f"{html}</article>")


def test_the_built_book_is_all_there(monkeypatch, browser, address):
    monkeypatch.setattr(published, "contents", lambda: ["index", PAGE, SMALL])  # test_pages.py opens them all
    assert published.look(published.Published(address, browser, PATIENCE)) == {}


def test_every_page_of_the_contents_is_opened():
    pages = published.contents()
    assert pages[0] == "index"
    assert all((BOOK / f"{page}.html").exists() for page in pages)
    assert published.pictures(PAGE) > 1
    assert published.pictures("index") == 0


def test_everything_is_looked_at(monkeypatch, book):
    for name in ("read", "search", "lost", "ask"):
        monkeypatch.setattr(book, name, lambda *which, name=name: [f"{name} {' '.join(which)}".strip()])
    said = [wrong for wrongs in published.look(book).values() for wrong in wrongs]
    assert said == [*(f"read {page}" for page in published.contents()), "search", "lost", "ask"]


def test_a_missing_page_is_caught(copy, book):
    (copy / f"{PAGE}.html").unlink()
    assert book.read(PAGE)[0] == f"404 from {book.base}{PAGE}.html"


def test_a_server_that_does_not_answer_is_caught(browser):
    with serve() as address:
        book = published.Published(address, browser)
    assert book.read(SMALL)
    assert book.search()


def test_a_missing_image_is_caught(copy, book):
    (copy / "_static" / "logo.svg").unlink()
    found = " ".join(book.read(SMALL))
    assert f"404 from {book.base}_static/logo.svg" in found
    assert f"the image {book.base}_static/logo.svg is missing" in found


def test_an_image_that_is_none_is_caught(copy, book):
    rewrite(copy / "_static" / "logo.svg", ".+", "no picture")
    assert f"the image {book.base}_static/logo.svg is missing" in book.read(SMALL)


def test_an_image_that_is_far_down_is_waited_for(copy, book):
    far = '<div style="height: 9000px"></div><img loading="lazy" alt="" src="{}">'
    append(copy / f"{SMALL}.html", far.format("card.png"))
    assert book.read(SMALL) == []
    rewrite(copy / f"{SMALL}.html", "card.png", "no.png")
    assert f"the image {book.base}no.png is missing" in book.read(SMALL)


def test_a_lost_picture_is_caught(copy, book):
    page = copy / f"{PAGE}.html"
    outputs = re.findall(
        r'<div class="cell_output .*?(?=<div class="cell |<section)', page.read_text("utf-8"), re.DOTALL
    )
    drawn = next(output for output in outputs if re.search(r"<img|<svg", output))
    rewrite(page, re.escape(drawn), re.sub(r"<img[^>]*>|<svg.*?</svg>", "", drawn, flags=re.DOTALL))
    assert book.read(PAGE)[-1] == f"1 of {published.pictures(PAGE)} pictures is missing"


DEAD = {
    '<div class="touch" data-figure="dead"></div>': "the figure dead is missing",
    '<div class="cell tag_touch-dead"></div>': "the figure of cell tag_touch-dead is missing",
    "<svg></svg>": "what a drawing shows is missing",
}


@pytest.mark.parametrize(("html", "said"), DEAD.items(), ids=DEAD.values())
def test_a_dead_figure_is_caught(copy, hasty, html, said):
    append(copy / f"{SMALL}.html", html)
    assert said in hasty.read(SMALL)


def test_a_figure_that_wakes_when_it_is_seen_is_waited_for(copy, book):
    late = """<div class="touch" id="late" style="margin-top: 3000px">x</div><script>
        new IntersectionObserver(([{ isIntersecting, target }]) => {
            if (isIntersecting) setTimeout(() => { target.dataset.mounted = ""; }, 300);
        }).observe(document.getElementById("late"));
    </script>"""
    append(copy / f"{SMALL}.html", late)
    assert book.read(SMALL) == []


SPOILS = {
    "console.error('spoilt')": "the browser says: spoilt",
    "throw Error('spoilt')": "a script fails: spoilt",
    "fetch('https://example.org/').catch(() => {}).then(wake)": "no answer from https://example.org/",
    "fetch('no-such-file').then(wake)": "404 from {}no-such-file",
}
# A figure that is waited for until an answer has come.
WAKE = """<div class="touch" id="late">x</div>
    <script>const wake = () => { document.getElementById("late").dataset.mounted = ""; }</script>"""


@pytest.mark.parametrize(("script", "said"), SPOILS.items(), ids=SPOILS)
def test_a_complaint_is_heard(copy, book, script, said):
    waits = WAKE if "wake" in script else '<img alt="" src="card.png">'
    append(copy / f"{SMALL}.html", f"{waits}<script>{script}</script>")
    assert said.format(book.base) in book.read(SMALL)


def test_the_search_finds(book):
    assert book.search() == []


def test_an_empty_search_is_caught(copy, hasty):
    rewrite(copy / "search.html", "<script.*?</script>", "")
    assert "nothing is found for 'neighbour'" in hasty.search()


def test_a_missing_search_is_caught(copy, hasty):
    (copy / "search.html").unlink()
    assert any("404" in wrong for wrong in hasty.search())


def test_a_missing_file_is_caught(copy, book):
    book.read(SMALL)
    assert book.ask() == []
    missing = sorted(book.files)[0]
    (copy / missing.removeprefix(book.base)).unlink()
    assert book.ask() == [f"404 from {missing}"]


def test_lost_readers_without_a_way_back_are_caught(copy, book):
    assert book.lost() == []
    rewrite(copy / "404.html", 'href="index.html"', "")
    assert "lost readers get no link to the first page" in book.lost()


def test_a_page_in_the_place_of_one_that_does_not_exist_is_caught(copy, book):
    (copy / "no" / "such").mkdir(parents=True)
    (copy / "no" / "such" / "page.html").write_text(
        '<main><a href="../../index.html">home</a></main>', "utf-8"
    )
    assert f"200 from {book.base}no/such/page.html" in book.lost()


def test_a_page_that_says_it_is_elsewhere_is_caught(copy, book):
    rewrite(copy / f"{SMALL}.html", "</head>", '<link rel="canonical" href="https://example.org/"/></head>')
    assert "it says that it is at https://example.org/" in book.read(SMALL)


@pytest.fixture
def run(monkeypatch, browser):
    """Return a function that runs the tool for an address, and returns the hosts that it may reach."""

    def run(address):
        hosts = []
        monkeypatch.setattr(published, "chromium", lambda host: hosts.append(host) or nullcontext(browser))
        monkeypatch.setattr(published, "PAUSE", 0)
        monkeypatch.setattr("sys.argv", ["published.py", address])
        published.main()
        return hosts

    return run


def test_only_the_host_of_the_book_is_reached(monkeypatch, run):
    monkeypatch.setattr(published, "look", lambda _: {})
    assert run("https://reader.example.org/book/") == ["reader.example.org"]
    assert ONLY_ONE_HOST.format("reader.example.org").endswith("EXCLUDE reader.example.org")


def test_what_is_missing_at_first_is_looked_for_again(monkeypatch, run, capsys):
    answers = iter([{"index": ["gone"]}, {"index": ["gone"]}, {}])
    monkeypatch.setattr(published, "look", lambda _: next(answers))
    run("https://example.org/")
    assert capsys.readouterr().out.endswith("The book at https://example.org/ is all there.\n")


def test_what_stays_missing_is_a_failure(monkeypatch, run):
    monkeypatch.setattr(published, "look", lambda _: {"index": ["gone"]})
    with pytest.raises(SystemExit, match="index: gone"):
        run("https://example.org/")


def test_what_is_no_address_is_refused(run):
    with pytest.raises(SystemExit, match="'book' is no address"):
        run("book")


def test_pages_say_once_how_wide_they_are():
    for path in BOOK.rglob("*.html"):
        if "_static" not in path.parts:
            assert path.read_text("utf-8").count('name="viewport"') == 1, path
