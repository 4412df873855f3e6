"""Links to the source, launch buttons and live code: right for any repository, absent without one."""

import io
import json
import re
import subprocess
from pathlib import Path

import nbformat
import pytest
from bs4 import BeautifulSoup
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace

import colab
import repository

ROOT = Path(__file__).parents[2]

HERE = "https://github.com/some-one/a.book"
NOTEBOOKS = sorted(ROOT.glob("chapters/*.ipynb"))
SETTINGS = {
    "extensions": ["myst_nb", "sphinx_thebe", "sphinx_book_theme", "repository"],
    "html_theme": "sphinx_book_theme",
    "html_theme_options": {},
    "nb_execution_mode": "off",
    "source_suffix": {".md": "myst-nb", ".ipynb": "myst-nb"},  # Sphinx remembers those of other tests
}


@pytest.fixture(autouse=True)
def nowhere(monkeypatch):
    for name in ("ORR_REPOSITORY", "ORR_BRANCH", "GITHUB_REPOSITORY", "GITHUB_SERVER_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def clone(tmp_path):
    """Return a function that makes a folder with git's remote origin."""

    def clone(origin):
        subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
        subprocess.run(["git", "-C", tmp_path, "remote", "add", "origin", origin], check=True)
        return tmp_path

    return clone


@pytest.mark.parametrize(
    "address",
    [
        HERE,
        f"{HERE}.git",
        f"{HERE}/\n",
        "http://github.com/some-one/a.book",
        "git@github.com:some-one/a.book.git",
        "ssh://git@github.com/some-one/a.book.git",
        "ssh://git@github.com:22/some-one/a.book",
        "git://github.com/some-one/a.book.git",
        "https://name:secret@github.com/some-one/a.book.git",
    ],
)
def test_all_addresses_of_a_repository_are_one(address, clone, monkeypatch):
    assert repository.address(clone(address.strip())) == HERE
    monkeypatch.setenv("ORR_REPOSITORY", address)
    assert repository.address() == HERE


@pytest.mark.parametrize(
    "address",
    [
        "/home/me/book",
        "../book.git",
        "https://gitlab.com/some-one/book",
        "https://github.com.example.org/some-one/book",
        "https://example.org/github.com/some-one/book",
        "https://github.com/some-one",
        "https://github.com/some-one/book/tree/main",
        'https://github.com/some-one/book"onclick="',
        "git@example.org:some-one/book.git",
    ],
)
def test_any_other_address_is_none(address, clone, monkeypatch):
    assert repository.address(clone(address)) == ""
    monkeypatch.setenv("ORR_REPOSITORY", address)
    with pytest.raises(ValueError, match=r"ORR_REPOSITORY is .*, not https://github.com/owner/name"):
        repository.address()


def test_the_environment_comes_first_and_can_say_none(clone, monkeypatch):
    folder = clone("https://github.com/from/git")
    monkeypatch.setenv("GITHUB_REPOSITORY", "from/actions")
    assert repository.address(folder) == "https://github.com/from/actions"
    monkeypatch.setenv("GITHUB_SERVER_URL", "https://github.example.org")
    assert repository.address(folder) == ""
    monkeypatch.delenv("GITHUB_SERVER_URL")
    monkeypatch.setenv("ORR_REPOSITORY", "https://github.com/from/environment")
    assert repository.address(folder) == "https://github.com/from/environment"
    monkeypatch.setenv("ORR_REPOSITORY", "")
    assert repository.address(folder) == ""


def test_a_copy_inside_another_repository_has_no_address(clone):
    folder = clone(HERE) / "unpacked"
    folder.mkdir()
    assert repository.address(folder) == ""


def test_no_git_means_no_address(clone, monkeypatch):
    folder = clone(HERE)
    monkeypatch.setenv("PATH", "")
    assert repository.address(folder) == ""


@pytest.fixture
def build(tmp_path):
    """Return a function that builds a book of a page and a notebook, and returns both."""

    def build():
        source = tmp_path / "book"
        (source / "chapters").mkdir(parents=True)
        index = "# Book\n\n```{toctree}\nchapters/one\n```\n\n```{only} published\nPress the button.\n```\n"
        (source / "index.md").write_text(index, "utf-8")
        notebook = nbformat.read(NOTEBOOKS[0], as_version=4)
        notebook.cells = [nbformat.v4.new_markdown_cell("# One"), nbformat.v4.new_code_cell("1 + 1")]
        nbformat.write(notebook, source / "chapters" / "one.ipynb")
        warnings = io.StringIO()
        with docutils_namespace():
            out = tmp_path / "html"
            Sphinx(source, None, out, tmp_path / "trees", "html", SETTINGS, None, warnings).build()
        assert warnings.getvalue() == ""
        return [BeautifulSoup((out / name).read_text("utf-8"), "html.parser") for name in PAGES]

    return build


PAGES = ["index.html", "chapters/one.html"]


def links(page, host):
    return {link["href"] for link in page.select("a[href]") if link["href"].startswith(host)}


def thebe(page):
    """Return the scripts and styles that have to do with live code."""
    return [str(part) for part in page.select("script, link, button") if "thebe" in str(part).lower()]


def test_without_a_repository_there_are_no_buttons(build, monkeypatch):
    monkeypatch.setenv("ORR_REPOSITORY", "")
    for page in build():
        assert "Press the button." not in page.text
        assert not links(page, "https://mybinder.org")
        assert not links(page, "https://colab")
        assert not links(page, "https://github.com")
        assert thebe(page) == []


def test_with_a_repository_chapters_have_buttons(build, monkeypatch):
    monkeypatch.setenv("ORR_REPOSITORY", HERE)
    monkeypatch.setenv("ORR_BRANCH", "next")
    index, chapter = build()
    assert "Press the button." in index.text
    assert thebe(index) == []
    assert not links(index, "https://mybinder.org")
    assert links(index, HERE) == links(chapter, HERE) == {HERE}
    assert links(chapter, "https://mybinder.org") == {
        "https://mybinder.org/v2/gh/some-one/a.book/next?urlpath=lab/tree/chapters/one.ipynb"
    }
    assert links(chapter, "https://colab") == {
        "https://colab.research.google.com/github/some-one/a.book/blob/colab/chapters/one.ipynb"
    }
    assert len(chapter.select("button[onclick='initThebeSBT()']")) == 1
    assert not chapter.select(".dropdown-menu img")


def test_live_code_is_set_up_once_and_loads_nothing_by_itself(build, monkeypatch):
    monkeypatch.setenv("ORR_REPOSITORY", HERE)
    _, chapter = build()
    (settings,) = chapter.select("script[type='text/x-thebe-config']")
    assert 'repo: "some-one/a.book"' in settings.text
    assert 'ref: "main"' in settings.text
    assert 'path: "./chapters"' in settings.text
    assert sum("const THEBE_JS_URL" in script.text for script in chapter.select("script")) == 1
    assert not [script for script in chapter.select("script[src]") if "//" in script["src"]]


def test_colab_installs_what_the_chapter_needs_first(tmp_path):
    colab.build(tmp_path, HERE)
    copies = sorted(tmp_path.glob("chapters/*.ipynb"))
    assert [copy.name for copy in copies] == [path.name for path in NOTEBOOKS]
    for path, copy in zip(NOTEBOOKS, copies, strict=True):
        first, *rest = json.loads(copy.read_text("utf-8"))["cells"]
        nbformat.validate(nbformat.read(copy, as_version=4))
        assert rest == json.loads(path.read_text("utf-8"))["cells"]
        clone, install, add = first["source"]
        assert clone == f"!git clone --quiet --depth 1 --branch colab {HERE} /content/orr-book\n"
        extras = re.search(r'install --quiet "/content/orr-book(?:\[(.*)\])?"\n', install)[1] or ""
        text = path.read_text("utf-8")
        assert ("genomes" in extras) == ("import msprime" in text)
        assert ("release" in extras) == ("import orr_release" in text)
        assert add == 'import sys; sys.path.append("/content/orr-book")'
