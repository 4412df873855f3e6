"""Old addresses of pages lead to the new ones: with a script to the same place, without to the same page."""

import re
from pathlib import Path
from types import SimpleNamespace

import yaml

import moved

ROOT = Path(__file__).parents[2]


def write(out, *pages):
    """Write what stands at old addresses beside a book of these pages; return the files' names."""
    app = SimpleNamespace(
        outdir=out, builder=SimpleNamespace(name="html"), env=SimpleNamespace(found_docs={*pages})
    )
    moved.write(app, None)
    return sorted(path.name for path in out.iterdir())


def test_every_page_beside_the_first_was_moved():
    assert set(moved.MOVED) == {path.stem for path in ROOT.glob("pages/*.md")}
    contents = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))
    listed = {entry["file"] for part in contents["parts"] for entry in part["chapters"]}
    assert {f"pages/{name}" for name in moved.MOVED} <= listed


def test_an_old_address_leads_to_the_new_one(tmp_path):
    assert write(tmp_path, "index", "pages/api") == ["api.html"]
    text = (tmp_path / "api.html").read_text("utf-8")
    script, refresh = re.search("<script>(.*)</script>", text), re.search('"0; url=(.*?)"', text)
    assert script[1] == 'location.replace("pages/api.html" + location.search + location.hash);'
    assert script.start() < refresh.start()
    assert refresh[1] == re.search('<a href="(.*?)"', text)[1] == "pages/api.html"
    assert 'name="robots" content="noindex"' in text
    assert "://" not in text


def test_a_book_without_the_page_has_none_at_its_old_address(tmp_path):
    assert write(tmp_path, "index", "chapters/01-one-answer") == []
