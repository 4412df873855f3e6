"""What the tests of the classroom share: the sources, and answers to their tasks, right and wrong."""

import contextlib
import fcntl
import io
import pickle
import re
from functools import cache
from pathlib import Path

import nbformat
import yaml

from orr_classroom import NotYet, Sheet
from orr_grading import sheet
from orr_grading.sheets import module
from orr_grading.tasks import generator

ROOT = Path(__file__).parents[2]
SOURCES = sorted(ROOT.glob("classroom/assignments/*.ipynb"))
COSTLY = SOURCES[-1].stem  # draws a sheet in many seconds
HERE = Path(__file__).parent
SECRET = "for tests"
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the first is written in C
shared: list[Path] = []  # the folder that all processes of a run of tests share, once there is one


@contextlib.contextmanager
def alone(name):
    """Let one process at a time do what has a name; yield the folder that processes share.

    A process that ends, however it does, lets the next one in.
    """
    with (shared[0] / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield shared[0]


def remembered(name, make):
    """Return what the first process that asked has made."""
    with alone(name) as folder:
        kept = folder / f"{name}.pickle"
        if not kept.exists():
            made = pickle.dumps(make())  # as a whole, or not at all
            kept.write_bytes(made)
        return pickle.loads(kept.read_bytes())


@cache
def listed(kind, stem):
    """Return the answers to each task that a list has: "wrong", "right" or "blind"."""
    folder = HERE if kind == "wrong" else HERE / kind
    return yaml.load((folder / f"{stem}.yml").read_text("utf-8"), LOADER)


def answers(kind):
    """Return every answer of a list, with its assignment, task and number."""
    return [
        (path.stem, task, number, entry)
        for path in SOURCES
        for task, entries in listed(kind, path.stem).items()
        for number, entry in enumerate(entries)
    ]


@cache
def opened(stem, seed):
    return Sheet(remembered(f"{stem}-{seed}", lambda: sheet(stem, seed).text))


@cache
def hidden_cases(stem, task, seed):
    draw = module(stem).TASKS[task].hidden
    return remembered(f"{stem}-{seed}-{task}", lambda: draw(generator(SECRET, stem, task, seed, "class")))


def cells(path):
    return nbformat.read(path, as_version=4).cells


@cache
def _opening(stem):
    """Return the code of the cell with the numbers, and of all that stands before the first task."""
    (path,) = [path for path in SOURCES if path.stem == stem]
    (cell,) = [cell for cell in cells(path) if cell.id == "numbers"]
    return re.sub(r"^check = sheet\(.*\)$", "", cell.source, flags=re.MULTILINE)


def answered(stem, task, source, seed):
    """Run an answer after the first cell of its notebook, and return what it is."""
    names = {"__name__": "__main__", "check": opened(stem, seed)}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(_opening(stem), f"<{stem}>", "exec"), names)
        exec(compile(source, f"<{stem} {task}>", "exec"), names)
    return names[task.replace("-", "_")]


def seen(stem, task, answer, seed):
    """Return what the visible check says: "" if it is right."""
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            opened(stem, seed)(task, answer)
        except NotYet as hint:
            return str(hint)
    return ""


def points(stem, task, answer, seed):
    """Return the share of hidden cases that an answer gets right."""
    found = hidden_cases(stem, task, seed)
    right = [bool(case.judge(case.outcomes(answer, task.replace("-", "_")))) for case in found]
    return sum(right) / len(right)
