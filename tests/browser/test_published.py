"""A published book is opened page by page, and what is missing in it is found and named."""

import os
import re
import shutil
import time
from contextlib import nullcontext

import pytest

import published
from tools.browsing import BOOK, ONLY_ONE_HOST, serve

from .looks import PAGES, PATIENCE

PAGE, SMALL = "chapters/02-many-answers", f"{PAGES}glossary"  # the first one has pictures


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


def rewrite(path, old, new):
    """Change a file of the copy; the built book keeps its own."""
    text = path.read_text("utf-8")
    changed = re.sub(old, lambda _: new, text, flags=re.DOTALL)
    assert changed != text
    later = max(path.stat().st_mtime, time.time()) + 2  # a browser asks for what is newer by whole seconds
    path.unlink()
    path.write_text(changed, "utf-8")
    os.utime(path, (later, later))


def gone(place):
    return lambda copy: (copy / place).unlink()


def changed(place, old, new):
    return lambda copy: rewrite(copy / place, old, new)


def with_html(html, end="</article>"):
    return changed(f"{SMALL}.html", end, html + end)


def with_script(script, before='<img alt="" src="/card.png">'):
    return with_html(f"{before}<script>{script}</script>")


def as_it_is(copy):
    pass


def without_a_picture(copy):
    page = copy / f"{PAGE}.html"
    pattern = r'<div class="cell_output .*?(?=<div class="cell |<section)'
    outputs = re.findall(pattern, page.read_text("utf-8"), re.DOTALL)
    drawn = next(output for output in outputs if re.search(r"<img|<svg", output))
    rewrite(page, re.escape(drawn), re.sub(r"<img[^>]*>|<svg.*?</svg>", "", drawn, flags=re.DOTALL))


def with_a_page(copy):
    (copy / "no" / "such").mkdir(parents=True)
    (copy / "no" / "such" / "page.html").write_text(
        '<main><a href="../../index.html">home</a></main>', "utf-8"
    )


def test_the_built_book_is_all_there(monkeypatch, browser, address):
    monkeypatch.setattr(published, "contents", lambda: ["index", PAGE, SMALL])  # test_pages.py opens them all
    assert published.look(published.Published(address, browser, PATIENCE)) == {}


def test_every_page_of_the_contents_is_opened_and_everything_is_looked_at(monkeypatch, book):
    pages = published.contents()
    assert pages[0] == "index"
    assert all((BOOK / f"{page}.html").exists() for page in pages)
    assert published.pictures(PAGE) > 1
    assert published.pictures("index") == 0
    for name in ("read", "search", "lost", "ask"):
        monkeypatch.setattr(book, name, lambda *which, name=name: [f"{name} {' '.join(which)}".strip()])
    said = [wrong for wrongs in published.look(book).values() for wrong in wrongs]
    assert said == [*(f"read {page}" for page in pages), "search", "lost", "ask"]


def test_a_server_that_does_not_answer_is_caught(browser):
    with serve() as address:
        book = published.Published(address, browser)
    assert book.read(SMALL)
    assert book.search()


LATE = """<div class="touch" id="late" style="margin-top: 3000px">x</div><script>
    new IntersectionObserver(([{ isIntersecting, target }]) => {
        if (isIntersecting) setTimeout(() => { target.dataset.mounted = ""; }, 300);
    }).observe(document.getElementById("late"));
</script>"""
FAR = '<div style="height: 9000px"></div><img loading="lazy" alt="" src="{}">'
# A figure that is waited for until an answer has come.
WAKE = """<div class="touch" id="late">x</div>
    <script>const wake = () => { document.getElementById("late").dataset.mounted = ""; }</script>"""
DEAD = '<div class="touch" data-figure="dead"></div>', '<div class="cell tag_touch-dead"></div>'
THERE, NOWHERE = "https://example.org/", "fetch('https://example.org/').catch(() => {})"
# Where it is looked, what is changed, and what is said; "hasty" where nothing but time tells.
BREAKS = {
    "a missing page": ("picture", gone(f"{PAGE}.html"), "404 from {base}{page}"),
    "a missing image": ("read", gone("_static/logo.svg"), "404 from {base}_static/logo.svg"),
    "no picture": ("read", changed("_static/logo.svg", ".+", "no"), "{base}_static/logo.svg is missing"),
    "an image far down": ("read", with_html(FAR.format("/card.png")), None),
    "no image far down": ("read", with_html(FAR.format("/no.png")), "the image {base}no.png is missing"),
    "a lost picture": ("picture", without_a_picture, "1 of {pictures} pictures is missing"),
    "a late figure": ("read", with_html(LATE), None),
    "a dead figure": ("hasty read", with_html(DEAD[0]), "the figure dead is missing"),
    "a dead cell": ("hasty read", with_html(DEAD[1]), "the figure of cell tag_touch-dead is missing"),
    "an empty drawing": ("hasty read", with_html("<svg></svg>"), "what a drawing shows is missing"),
    "a message": ("read", with_script("console.error('spoilt')"), "the browser says: spoilt"),
    "an error": ("read", with_script("throw Error('spoilt')"), "a script fails: spoilt"),
    "another host": ("read", with_script(f"{NOWHERE}.then(wake)", WAKE), f"no answer from {THERE}"),
    "no answer": ("read", with_script("fetch('/no-file').then(wake)", WAKE), "404 from {base}no-file"),
    "another address": (
        "read",
        with_html(f'<link rel="canonical" href="{THERE}"/>', "</head>"),
        f"at {THERE}",
    ),
    "the search": ("search", as_it_is, None),
    "an empty search": (
        "hasty search",
        changed("search.html", "<script.*?</script>", ""),
        "nothing is found",
    ),
    "a missing search": ("hasty search", gone("search.html"), "404"),
    "lost readers": ("lost", as_it_is, None),
    "no way back": ("lost", changed("404.html", 'href="index.html"', ""), "lost readers get no link to the"),
    "a page that should not be": ("lost", with_a_page, "200 from {base}no/such/page.html"),
}


@pytest.mark.parametrize(("how", "change", "words"), BREAKS.values(), ids=BREAKS)
def test_what_is_wrong_is_caught_and_nothing_else(copy, book, browser, how, change, words):
    change(copy)
    if how.startswith("hasty"):
        book = published.Published(book.base, browser, 500)
    looks = {"read": lambda: book.read(SMALL), "picture": lambda: book.read(PAGE)}
    said = " ".join(looks.get(how.split()[-1], getattr(book, how.split()[-1], None))())
    if words is None:
        assert said == ""
    else:
        assert words.format(base=book.base, page=PAGE, pictures=published.pictures(PAGE)) in said


def test_a_missing_file_is_caught(copy, book):
    book.read(SMALL)
    assert book.ask() == []
    missing = sorted(book.files)[0]
    (copy / missing.removeprefix(book.base)).unlink()
    assert book.ask() == [f"404 from {missing}"]


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


def test_what_stays_missing_is_a_failure_and_what_is_no_address_is_refused(monkeypatch, run):
    monkeypatch.setattr(published, "look", lambda _: {"index": ["gone"]})
    with pytest.raises(SystemExit, match="index: gone"):
        run("https://example.org/")
    with pytest.raises(SystemExit, match="'book' is no address"):
        run("book")


def test_pages_say_once_how_wide_they_are():
    for path in BOOK.rglob("*.html"):
        if "_static" not in path.parts:
            assert path.read_text("utf-8").count('name="viewport"') == 1, path
