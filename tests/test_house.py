"""The house: rooms one above the other, no file too long, and no name that hides another."""

import ast
import importlib.util
import re
import subprocess
import sys
import tomllib
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import orr

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "orr"
OURS = ("book", "orr", "orr_audit", "orr_release")
FILES = sorted(path for name in OURS for path in (ROOT / name).rglob("*.py"))
TEXTS = {path: path.read_text("utf-8") for path in FILES}
TREES = {path: ast.parse(text) for path, text in TEXTS.items()}

LINES = 350  # past which a file is seldom one thing


def module(path):
    """Return the name of a file's module inside the package."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(node):
    """Return the modules of the package, and the names from them, that a statement imports."""
    if isinstance(node, ast.Import):
        return [(alias.name, None) for alias in node.names if alias.name.split(".")[0] in OURS]
    assert node.level == 0, "imports name the whole path"
    if node.module is None or node.module.split(".")[0] not in OURS:
        return []
    return [(node.module, alias.name) for alias in node.names]


def for_types(tree):
    """Return the imports that only a type checker makes."""
    blocks = [
        node for node in tree.body if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
    ]
    return [node for block in blocks for node in ast.walk(block)]


def imports(tree):
    """List the modules that a file imports, inside the packages, and the names it takes from them."""
    found, left_out = [], for_types(tree)
    for node in ast.walk(tree):
        if node in left_out:
            continue
        if isinstance(node, ast.Import | ast.ImportFrom):
            for name, taken in imported(node):
                if taken and (ROOT / name.replace(".", "/") / f"{taken}.py").exists():  # a module of a room
                    name, taken = f"{name}.{taken}", None
                found.append((name, taken))
    return found


def test_imports_stand_at_the_top():
    late = [
        f"{module(path)}, line {node.lineno}"
        for path, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom) and imported(node)
        if node not in tree.body and node not in for_types(tree)
    ]
    assert late == []


def test_no_room_imports_in_a_circle():
    graph = {module(path): {there for there, _ in imports(tree)} for path, tree in TREES.items()}
    assert list(TopologicalSorter(graph).static_order())


def test_private_names_stay_in_their_file():
    taken = [(module(path), name) for path, tree in TREES.items() for _, name in imports(tree) if name]
    assert [(here, name) for here, name in taken if name.startswith("_")] == []


def test_no_file_is_long():
    lines = {path.relative_to(ROOT).as_posix(): len(text.splitlines()) for path, text in TEXTS.items()}
    long = {name for name, count in lines.items() if count > LINES}
    assert {name for name in long if "This file is long" not in (ROOT / name).read_text("utf-8")} == set()


def chapters_named(tree):
    """Return the chapters that the docstring of a file names."""
    text = " ".join(ast.get_docstring(tree).lower().split())
    named = re.findall(r"chapters? ((?:[a-z-]+(?:, | and )?)+)", text)
    return {name for names in named for name in re.split(", | and ", names)}


def test_an_engine_names_the_chapter_that_explains_it():
    chapters = {chapter.stem.partition("-")[2] for chapter in (ROOT / "chapters").glob("*.ipynb")}
    engines = {
        module(path): chapters_named(tree)
        for path, tree in TREES.items()
        if path.parent.name in ("optimum", "constructions", "caps", "budget") and path.stem != "__init__"
    }
    assert len(engines) > 10
    assert {name: found for name, found in engines.items() if not found or found - chapters} == {}


def test_the_door_of_a_room_is_a_docstring():
    for room in ("laws", "optimum", "constructions", "caps", "budget"):
        (docstring,) = TREES[PACKAGE / room / "__init__.py"].body
        assert isinstance(docstring.value.value, str), room


def test_no_public_name_hides_a_module():
    assert [name for name in orr.__all__ if importlib.util.find_spec(f"orr.{name}")] == []


def test_every_module_is_installed():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    installed = set(settings["tool"]["setuptools"]["packages"])
    rooms = {path.parent.relative_to(ROOT).as_posix().replace("/", ".") for path in FILES}
    assert {room for room in rooms if room.split(".")[0] != "book"} == installed
    assert (PACKAGE / "py.typed").exists()
    assert orr.__version__ == settings["project"]["version"]


def test_what_students_install_knows_nothing_of_what_grades():
    files = sorted((ROOT / "classroom" / "orr_classroom").glob("*.py"))
    assert files
    assert [path.name for path in files if "orr_grading" in path.read_text("utf-8")] == []


def room(name):
    """Return the package of a module, or the room of `orr` past the paper."""
    parts = name.split(".")
    return ".".join(parts[:2]) if parts[:2] in (["orr", "caps"], ["orr", "budget"]) else parts[0]


# What each may import besides itself.
BELOW = {
    "orr": set(),
    "orr.caps": {"orr"},
    "orr.budget": {"orr", "orr.caps"},
    "orr_audit": {"orr", "orr.caps"},
    "orr_release": {"orr", "orr.caps", "orr.budget"},
    "book": {"orr", "orr.caps", "orr.budget", "orr_audit", "orr_release"},
}


def test_nothing_imports_upward():
    arrows = {(room(module(path)), room(there)) for path, tree in TREES.items() for there, _ in imports(tree)}
    assert {(here, there) for here, there in arrows if there != here and there not in BELOW[here]} == set()
    assert [module(path) for path, text in TEXTS.items() if "orr_classroom" in text] == []


LOADED = """
import sys, numpy, scipy
import orr
{use}
files = [m.__file__ for name, m in sys.modules.items() if name.split(".")[0] in {ours} and m.__file__]
print(len(files), sum(len(open(file, encoding="utf-8").readlines()) for file in files))
print(*sorted({{name.split(".")[0] for name in sys.modules}} & {extras}))
"""
EXTRAS = {
    "pandas",
    "polars",
    "pyarrow",
    "narwhals",
    "msgspec",
    "jinja2",
    "matplotlib",
    "sympy",
    "cryptography",
}


@pytest.mark.parametrize(
    ("use", "modules", "lines"), [("", 40, 4_800), ("orr.optimal", 40, 6_000)], ids=["import", "optimal"]
)
def test_what_is_loaded_is_small(use, modules, lines):
    code = LOADED.format(use=use, ours=set(OURS), extras=EXTRAS)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    counts, extras = done.stdout.split("\n")[:2]
    loaded = [int(count) for count in counts.split()]
    assert extras == ""
    assert 10 < loaded[0] <= modules
    assert loaded[1] <= lines


def test_the_map_shows_what_is_there():
    page = (ROOT / "CONTRIBUTING.md").read_text("utf-8").split("## Where things are")[1].split("## Code")[0]
    rows, questions = (
        re.findall(r"^\| (`.*?) \|", page, re.MULTILINE),
        re.findall(r"^\d+\. .*", page, re.MULTILINE),
    )
    places = [place for row in rows for place in re.findall("`(.*?)`", row)]
    answers = [place for question in questions for place in re.findall(r"`([\w/]+\.py)`$", question)]
    assert len(answers) == len(questions) == 10
    assert [place for place in places + answers if not (ROOT / place).exists()] == []
    assert {f"{name}/" for name in ("orr", "orr_audit", "orr_release", "book", "tools")} <= set(places)


@pytest.mark.parametrize(
    ("code", "there"),
    [
        ("from orr.constructions.optimal import optimal", "orr.constructions.optimal"),
        ("from orr.optimum import verify", "orr.optimum.verify"),
        ("import orr", "orr"),
        ("from orr import optimal", "orr"),
        ("def late():\n    from orr.mechanism import Mechanism", "orr.mechanism"),
    ],
)
def test_an_import_is_seen(code, there):
    assert [name for name, _ in imports(ast.parse(code))] == [there]
