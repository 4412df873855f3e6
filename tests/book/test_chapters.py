"""Chapters can be finished: honest minutes, no wall of words, every term met before it is used."""

import json
import math
import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
PARTS = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))["parts"]
FIRST, SECOND, THIRD = ([ROOT / f"{c['file']}.ipynb" for c in part["chapters"]] for part in PARTS[:3])
LONGEST = 5_000  # words of a chapter
STRETCH = 300  # words without a cell, a figure, an example or a question, in the first part
WORDS, LINES = 100, 5  # read in a minute, where there are proofs and code
BREAK = re.compile(r":{3,}\{(?:prf:example|quiz|exercise)\}|:class: question")
every_chapter = pytest.mark.parametrize("path", FIRST + SECOND + THIRD, ids=lambda path: path.stem)
every_first = pytest.mark.parametrize("path", FIRST, ids=lambda path: path.stem)


def cells(path):
    return [(cell, "".join(cell["source"])) for cell in json.loads(path.read_text("utf-8"))["cells"]]


def words(text):
    """Count words as a reader does: a formula is one, directives and their options are none."""
    text = re.sub(r"^:{3,}.*$|^:[a-z-]+:.*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"\$\$.*?\$\$( *\([\w-]+\))?|\$[^$]+\$", " formula ", text, flags=re.DOTALL)
    return len(text.split())


def proofs(text):
    return "\n".join(found[1] for found in re.findall(r"(?ms)^(:{3,})\{prf:proof\}(.*?)^\1 *$", text))


def minutes(path):
    """Minutes for a chapter without quiz and exercises; proofs are read twice, folded code not at all."""
    count = lines = 0
    for cell, text in cells(path):
        if cell["cell_type"] == "markdown":
            if text.startswith("## Check yourself"):
                break
            count += words(text) + words(proofs(text))
        elif "hide-input" not in cell["metadata"].get("tags", []):
            lines += len(text.splitlines())
    return 5 * math.ceil((count / WORDS + lines / LINES) / 5)


@every_chapter
def test_minutes_are_honest(path):
    (stated,) = re.findall(r"\*\*Time:\*\* about (\d+) minutes", cells(path)[0][1])
    assert int(stated) == minutes(path)


@every_chapter
def test_a_chapter_can_be_finished(path):
    assert sum(words(text) for cell, text in cells(path) if cell["cell_type"] == "markdown") <= LONGEST


@every_first
def test_no_wall_of_words(path):
    stretch = 0
    for cell, text in cells(path):
        if text.startswith("## Summary"):
            return
        if cell["cell_type"] == "code":
            stretch = 0
            continue
        *before, last = BREAK.split(text)
        for part in before:
            assert stretch + words(part) <= STRETCH, f"cell {cell['id']}"
            stretch = 0
        stretch += words(last)
        assert stretch <= STRETCH, f"cell {cell['id']}: {stretch} words"


@every_chapter
def test_surprises_are_asked_before_they_are_shown(path):
    assert sum(text.count(":class: question") for _, text in cells(path)) >= 2


@every_chapter
def test_setting_up_and_drawing_is_folded(path):
    for cell, text in cells(path):
        if cell["cell_type"] == "code" and ("plots.use_style()" in text or "plt.subplots" in text):
            assert "hide-input" in cell["metadata"].get("tags", []), f"cell {cell['id']}"


def glossary():
    """Return the terms of the glossary, each with the other words for it."""
    text = (ROOT / "pages" / "glossary.md").read_text("utf-8")
    body = re.search(r"```\{glossary\}\n(.*?)\n```", text, re.DOTALL)[1]
    return [entry.split("\n") for entry in re.findall(r"(?m)^((?:\S.*\n)*\S.*)\n  ", body)]


def test_terms_are_explained_where_they_are_first_used():
    """In the order of reading, the first use of a term is in bold or italics, or a link to the glossary."""
    texts = [text for path in FIRST[:5] for cell, text in cells(path)[1:] if cell["cell_type"] == "markdown"]
    prose = re.sub(
        r"^:{3,}.*$|^:[a-z-]+:.*$|^#.*$", "", "\n".join(texts), flags=re.MULTILINE
    )  # not in titles
    reading = re.sub(r"\$\$.*?\$\$|\$[^$\n]+\$|\{doc\}`[^`]*`", " ", prose, flags=re.DOTALL)
    unexplained = []
    for names in glossary():
        for name in names:
            found = re.search(rf"(?i)\b{re.escape(name)}s?\b", reading)
            if not found:
                continue
            before, after = reading[: found.start()], reading[found.end() :]
            linked = re.search(r"\{term\}`[^`]*$", before) and "`" in after[:60]
            marked = re.search(r"\*[^*\n]*$", before.rsplit("\n", 1)[-1]) and "*" in after[:60]
            if not (linked or marked):
                unexplained.append((name, reading[max(found.start() - 40, 0) : found.end() + 20]))
    assert unexplained == []
