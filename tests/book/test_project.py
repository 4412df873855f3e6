"""The project's own files agree with each other."""

import json
import re
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import orr_release

ROOT = Path(__file__).parents[2]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
EXTRAS = SETTINGS["project"]["optional-dependencies"]
NOTEBOOKS = sorted(ROOT.glob("chapters/*.ipynb"))
STUDENTS = sorted(ROOT.glob("classroom/*/*.ipynb"))
every_chapter = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def cells(path, kind):
    notebook = json.loads(path.read_text("utf-8"))
    return [cell for cell in notebook["cells"] if cell["cell_type"] == kind]


def source(cell):
    return "".join(cell["source"])


def test_importing_the_package_needs_numpy_and_scipy_only():
    program = (
        "import sys, numpy, scipy.optimize, scipy.sparse, scipy.special;"
        "known = set(sys.modules); import orr; print(sorted(set(sys.modules) - known))"
    )
    python = [sys.executable, "-c", program]
    added = subprocess.run(python, capture_output=True, text=True, check=True, cwd=ROOT).stdout
    assert not re.search("matplotlib|pandas|sympy|IPython", added)


def test_environment_installs_the_package_with_extras_that_exist():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text("utf-8"))
    python, _, pip = environment["dependencies"]
    install = pip["pip"][0]
    extras = re.fullmatch(r"-e \.\[([\w,]+)\]", install)[1].split(",")
    assert set(extras) <= set(EXTRAS)
    minimum = re.fullmatch(r">=3\.(\d+)", SETTINGS["project"]["requires-python"])[1]
    assert int(re.fullmatch(r"python=3\.(\d+)", python)[1]) >= int(minimum)


def test_make_help_names_every_target():
    makefile = (ROOT / "Makefile").read_text("utf-8")
    (targets,) = re.findall(r"^\.PHONY: (.*)", makefile, re.MULTILINE)
    assert re.findall(r"^([a-z-]+):", makefile, re.MULTILINE)[0] == "book"
    for target in targets.split():
        assert re.search(rf"^{target}:.* ## \w", makefile, re.MULTILINE), target


def test_extras_are_pinned_and_complete():
    assert {"book", "test", "classroom"} <= set(EXTRAS)
    pinned = [requirement for name in EXTRAS for requirement in EXTRAS[name] if name != "release"]
    assert all("==" in requirement or requirement.startswith("orr[") for requirement in pinned)


def brought(requirement):
    """Return the names of all distributions that an installation brings, itself included."""
    found, left = set(), [Requirement(requirement)]
    while left:
        wanted = left.pop()
        extras = {"", *wanted.extras}
        if (name := canonicalize_name(wanted.name), *sorted(extras)) in found:
            continue
        found.add((name, *sorted(extras)))
        try:
            needed = map(Requirement, metadata.requires(name) or [])
        except metadata.PackageNotFoundError:  # for another system
            continue
        left += [r for r in needed if not r.marker or any(r.marker.evaluate({"extra": e}) for e in extras)]
    return {name for name, *_ in found}


@pytest.mark.parametrize("requirement", ["orr[release]", "orr[book]", "orr[test]", "orr-classroom"])
def test_what_imports_releases_brings_what_they_need(requirement):
    here = {*map(canonicalize_name, brought(requirement))}
    homes = metadata.packages_distributions().items()
    hidden = [m for m, names in homes if not here & {*map(canonicalize_name, names)}]
    code = f"import sys; sys.modules.update(dict.fromkeys({hidden})); import orr_release"
    assert "pytest" not in here or requirement == "orr[test]"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_tables_begin_at_the_versions_that_are_tested():
    pinned = {requirement.partition(" ")[0] for requirement in EXTRAS["book"] + EXTRAS["test"]}
    least = {requirement.partition(",")[0].replace(">=", "==") for requirement in EXTRAS["release"]}
    assert least <= pinned


@pytest.mark.parametrize("kind", ["pandas", "pyarrow", "polars"])
def test_what_a_frame_needs_is_where_its_error_says(monkeypatch, kind):
    monkeypatch.setitem(sys.modules, kind, None)
    with pytest.raises(ImportError, match=f"a frame of {kind} needs {kind}: pip install") as caught:
        orr_release.kronecker([2], [1.0]).estimate([[0]], 0).to_frame(kind)
    source = str(caught.value).rpartition(" ")[2]
    brought = [re.split("[=<>]", requirement)[0] for requirement in EXTRAS["release"]]
    assert kind in (brought if source == '".[release]"' else [source])


def test_citation_has_the_version_of_the_package():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert citation["version"] == SETTINGS["project"]["version"]


def test_every_chapter_is_in_the_table_of_contents():
    contents = (ROOT / "_toc.yml").read_text("utf-8")
    assert NOTEBOOKS
    assert [path.stem for path in NOTEBOOKS if f"chapters/{path.stem}" not in contents] == []


@every_chapter
def test_chapter_was_run_from_top_to_bottom(path):
    code = cells(path, "code")
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    assert not any(out["output_type"] == "error" for cell in code for out in cell["outputs"])
    assert not any("nbval-skip" in cell["metadata"].get("tags", []) for cell in code)


@pytest.mark.parametrize("path", NOTEBOOKS + STUDENTS, ids=lambda path: path.stem)
def test_unstable_cells_still_assert_something(path):
    for cell in cells(path, "code"):
        if "nbval-ignore-output" in cell["metadata"].get("tags", []):
            assert "assert" in source(cell)


@every_chapter
def test_chapter_keeps_the_contract(path):
    text = [source(cell) for cell in cells(path, "markdown")]
    opening, whole = text[0], "\n".join(text)
    assert re.match(r"# [^$]+\n", opening), "title without math"
    for part in ("What you will learn", "What you need first:", "Time:"):
        assert part in opening
    for part in ("## Summary", "## Exercises", "## What comes next"):
        assert part in whole
    exercises = re.findall(r"^[`:]{3,}\{exercise\}.*\n:label: (\S+)", whole, re.MULTILINE)
    solved = re.findall(r"^[`:]{3,}\{solution(?:-start)?\} (\S+)\n:class: dropdown", whole, re.MULTILINE)
    assert 3 <= len(exercises) <= 6
    assert exercises == solved


@every_chapter
def test_code_cells_are_short(path):
    lengths = sorted(len(source(cell).splitlines()) for cell in cells(path, "code"))
    assert lengths[-1] <= 30
    assert lengths[len(lengths) // 2] <= 12


@every_chapter
def test_every_figure_says_what_it_shows(path):
    for cell in cells(path, "code"):
        kinds = {kind for out in cell["outputs"] for kind in out.get("data", {}) if kind.startswith("image/")}
        assert kinds <= {"image/svg+xml"}, f"cell {cell['id']} stores pixels: is use_style missing?"
        if kinds:
            alt = cell["metadata"].get("mystnb", {}).get("image", {}).get("alt", "")
            assert len(alt.split()) >= 12, f"cell {cell['id']} has no alt text that states its finding"


def test_pages_name_no_address_of_the_repository():
    kinds = ("*.md", "*.yml", "*.cff", "pages/*.md", "pages/*.yml", "chapters/*.ipynb")
    for page in [page for kind in kinds for page in ROOT.glob(kind)]:
        text = page.read_text("utf-8")
        for address in re.findall(r"https?://(?:www\.)?git(?:hub|lab)\.com/[\w./-]+", text):
            assert "ay0408/Optimized-RR" in address


def test_chapters_find_the_book_wherever_they_run():
    """The editable install of `make` puts the repository's folder on the path if this stands there."""
    assert SETTINGS["tool"]["setuptools"]["package-dir"] == {"": "."}
    environment = yaml.safe_load((ROOT / "environment.yml").read_text("utf-8"))["dependencies"][-1]["pip"]
    assert environment[0].startswith("-e .[")
    assert '--editable ".[book]"' in (ROOT / "Makefile").read_text("utf-8")
