"""The page on installing and citing: its example runs, and what it quotes agrees with the project's files."""

import contextlib
import io
import re
import tomllib
from pathlib import Path

import pytest
import yaml
from pybtex.database import parse_string

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "pages" / "install.md").read_text("utf-8")
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))


def blocks(language, page=PAGE):
    return re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)


def test_the_example_prints_what_the_page_says():
    (code,), (shown,) = blocks("python"), blocks("text")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "install.md", "exec"), {})
    assert printed.getvalue() == shown


def test_extras_exist():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    named = re.findall(r"pip install \"\.\[(\w+)\]\"", PAGE)
    assert named
    assert set(named) <= set(settings["project"]["optional-dependencies"])
    assert f"Python {settings['project']['requires-python'].removeprefix('>=')} or later" in PAGE


@pytest.mark.parametrize("path", [*ROOT.glob("*.md"), *ROOT.glob("pages/*.md")], ids=lambda path: path.name)
def test_nobody_is_sent_to_an_index_for_a_package_that_is_not_there(path):
    assert not re.search(r"pip install (-\S+ )*[\"']?orr\b", path.read_text("utf-8"))


def disagreements(bibtex):
    """Return what a list of sources says that the project's other files do not."""
    sources = parse_string(bibtex, "bibtex").entries
    paper, book = sources["yamamoto2024privacy"], sources["orr"]
    (known,) = CITATION["references"]
    listed = parse_string((ROOT / "pages" / "references.bib").read_text("utf-8"), "bibtex").entries
    config = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))
    authors = [f"{author['family-names']}, {author['given-names']}" for author in known["authors"]]
    pairs = {
        "the paper's title": (paper.fields["title"], known["title"]),
        "its authors": ([str(author) for author in paper.persons["author"]], authors),
        "its year": (paper.fields["year"], str(known["year"])),
        "its place": (paper.fields["booktitle"], known["collection-title"]),
        "its doi": (paper.fields["doi"], known["doi"]),
        "its entry": (paper, listed["yamamoto2024privacy"]),
        "the book's title": (book.fields["title"], CITATION["title"]),
        "its author": (str(book.persons["author"][0]).strip("{}"), CITATION["authors"][0]["name"]),
        "its version": (book.fields["note"].rpartition(" ")[2], CITATION["version"]),
        "its year of publication": (book.fields["year"], config["copyright"]),
    }
    return [name for name, (here, there) in pairs.items() if here != there]


def test_citations_agree():
    (bibtex,) = blocks("bibtex")
    assert disagreements(bibtex) == []


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("Shibuya, Tetsuo", "Shibuya, T.", ["its authors", "its entry"]),
        ("10.1109/ISCC", "10.1109/ICSC", ["its doi", "its entry"]),
        (f"version {CITATION['version']}", "version 9", ["its version"]),
        ("{Optimized Randomized Response},", "{Optimised Randomized Response},", ["the book's title"]),
    ],
)
def test_a_wrong_citation_is_caught(old, new, what):
    (bibtex,) = blocks("bibtex")
    assert old in bibtex
    assert disagreements(bibtex.replace(old, new)) == what


def test_licences_are_those_of_the_project():
    assert CITATION["license"] == ["MIT", "CC-BY-4.0"]
    licence = PAGE.split("## Licence")[1]
    assert "CC BY 4.0" in licence
    assert "MIT licence" in licence
