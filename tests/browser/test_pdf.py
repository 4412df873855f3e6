"""The whole book can be printed, and its PDF has all chapters, bookmarks, page numbers and links."""

import re
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest
import yaml
from pypdf import PdfReader

import pdf as printing

from .looks import PAGES

ROOT = Path(__file__).parents[2]
CHAPTERS = [*ROOT.glob("chapters/*.ipynb")]
PDF = ROOT / "_build" / "pdf" / "optimized-randomized-response.pdf"


def printed():
    """Print the book: that fails by itself if a formula is not set, a line too wide or a link broken."""
    done = subprocess.run([sys.executable, ROOT / "tools" / "pdf.py"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert str(PDF) in done.stdout
    return PdfReader(PDF)


@pytest.mark.slow
def test_pdf(browser):
    pdf = printed()

    def text(number):
        return " ".join(pdf.pages[number - 1].extract_text().split())

    for number in range(1, len(pdf.pages) + 1, 29):  # of some hundreds: each takes a third of a second
        assert text(number).endswith(f" {number}")

    contents = next(page for page in map(text, range(2, 12)) if page.startswith("Contents"))
    entries = re.findall(r"(\d+\. [A-Z].*?) (\d+)(?= )", contents)
    assert [title.split(".")[0] for title, _ in entries] == [str(i + 1) for i in range(len(CHAPTERS))]
    bookmarks = [mark.title for mark in pdf.outline[1] if not isinstance(mark, list)]
    for title, page in entries:
        assert title in text(int(page))
        assert title in bookmarks

    parts = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))["parts"]
    names = {re.sub(r"\W", "-", chapter["file"]) for part in parts for chapter in part["chapters"]}
    places = {name.removeprefix("/").split("--")[0] for name in pdf.named_destinations}
    assert names - places == {re.sub(r"\W", "-", f"{PAGES}explorer")}  # it needs a screen
    links = [link.get_object() for page in pdf.pages for link in page.get("/Annots", [])]
    assert sum("/Dest" in link for link in links) > 500


# The same with a book of a few pages, which can be spoilt.

SMALL = """<article><section id="home"><h1>Home</h1><p>See <a href="#document-one#there">there</a>,
the <a href="#document-explorer">explorer</a> and a <a href="file.zip">file</a>.</p>
<div id="jb-print-toc"><h2>Contents</h2><ul>
<li><a href="#document-one">1. One</a></li><li><a href="#document-two">2. Two</a></li>
<li><a href="#document-explorer">Explorer</a></li></ul></div>
<div><span id="document-one"></span><section id="start" style="break-before: page"><h2>1. One</h2>
<p id="there">There is <span class="math"><mjx-container>x</mjx-container></span>.</p></section>
<span id="document-two"></span><section id="start" style="break-before: page"><h2>2. Two</h2>
<details><summary>More</summary><p id="there">Back to <a href="one.html#there">one</a>.</p></details>
</section><span id="document-explorer"></span><section id="explore"><h2>Explorer</h2></section></div>
</section></article>""".replace("document-explorer", f"document-{PAGES}explorer")


@pytest.fixture
def small(browser, tmp_path, monkeypatch):
    """Return a function that prints a small book."""

    def small(html):
        (tmp_path / "index.html").write_text(f"<!doctype html><title>Small</title>{html}", "utf-8")
        monkeypatch.setattr(printing, "one_page", lambda: tmp_path / "index.html")
        monkeypatch.setattr(printing, "chromium", lambda: nullcontext(browser))
        monkeypatch.setattr(printing, "OUT", tmp_path)
        monkeypatch.setattr(printing, "PDF", tmp_path / "small.pdf")
        printing.main()
        return PdfReader(tmp_path / "small.pdf")

    return small


def test_a_small_book_is_printed(small):
    pdf = small(SMALL)
    texts = [" ".join(page.extract_text().split()) for page in pdf.pages]
    (contents,) = [text for text in texts if "Contents" in text]
    entries = re.findall(r"(\d\. [a-z]+) ?(\d+)", contents.partition("Contents")[2], re.IGNORECASE)
    assert [title for title, _ in entries] == ["1. One", "2. Two"]
    for title, number in entries:
        assert title in texts[int(number) - 1]
    assert "Back to one" in texts[int(entries[1][1]) - 1], "what is folded is open on paper"
    assert [text.endswith(f" {i}") for i, text in enumerate(texts, start=1)] == [True] * len(texts)
    assert "Explorer" not in " ".join(texts)
    links = [link.get_object() for page in pdf.pages for link in page.get("/Annots", [])]
    assert {str(link["/Dest"]).removeprefix("/") for link in links} == {"one--", "one--there", "two--"}


SPOILS = {
    ("one.html#there", "one.html#nowhere"): "leads nowhere",
    ("<mjx-container>x</mjx-container>", "x"): "not set",
    ("<details>", "<details><pre style='width: 5em; overflow: auto'>much too wide for it</pre>"): "wider",
    ("</h1>", "</h1><img src='no.png'>"): "no.png",
}


@pytest.mark.parametrize(("change", "reason"), SPOILS.items(), ids=SPOILS.values())
def test_what_is_wrong_on_paper_is_caught(small, change, reason):
    assert SMALL.count(change[0]) == 1
    with pytest.raises(printing.Broken, match=reason):
        small(SMALL.replace(*change))
