"""The whole book can be printed, and its PDF has all chapters, bookmarks, page numbers and links."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from pypdf import PdfReader

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
    assert names - places == {"explorer"}  # it needs a screen
    links = [link.get_object() for page in pdf.pages for link in page.get("/Annots", [])]
    assert sum("/Dest" in link for link in links) > 500
