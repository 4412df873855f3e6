"""Classes made and graded as an instructor does it: by the commands of our tools and of nbgrader.

They run in this process, where what they import is there already. `test_guide.py` tries the command lines.
"""

import contextlib
import copy
import io
import os
import re
import shutil
import subprocess
import sys
import warnings
from importlib import import_module
from unittest import mock

import nbformat

import assignments
from tests.classroom.common import ROOT


@contextlib.contextmanager
def as_a_process():
    """Undo what a command does to this process, and let it warn: warnings are errors in tests."""
    with mock.patch.dict(os.environ), mock.patch.object(sys, "path", sys.path[:]), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def tool(name, *arguments):
    """Run one of our tools in this process; return what became of it."""
    out, errors, status = io.StringIO(), io.StringIO(), 0
    command = [f"{name}.py", *map(str, arguments)]
    with as_a_process(), contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
        try:
            with mock.patch.object(sys, "argv", command):
                import_module(name).main()
        except SystemExit as end:
            status = end.code
            if isinstance(status, str):
                status = errors.write(status) and 1
    return subprocess.CompletedProcess(command, status or 0, out.getvalue(), errors.getvalue())


def program(name, *arguments):
    """Run one of our tools as a program of its own; return what became of it."""
    command = [sys.executable, ROOT / "tools" / f"{name}.py", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True)


class Class:
    """A class, and one of its assignments."""

    def __init__(self, folder, path, seed, *options, run=tool):
        self.classes, self.path, self.seed = folder, path, seed
        done = run("assignments", "--seed", seed, "--classes", folder, path, *options)
        assert done.returncode == 0, done.stderr
        self.folder = folder / str(seed)
        self.course = self.folder / "course"

    def copied(self, classes, path=None):
        """Return a copy in another folder of classes, perhaps for another of its assignments."""
        other = copy.copy(self)
        other.path = path or self.path
        other.classes, other.folder = classes, classes / str(self.seed)
        other.course = copied(self.folder, other.folder) / "course"
        return other

    def read(self, *parts):
        return nbformat.read(self.course.joinpath(*parts, self.path.stem, self.path.name), as_version=4)

    def submit(self, student, notebook, answers=None):
        """Hand in a notebook in which some answers are replaced."""
        for cell in notebook.cells:
            cell.source = (answers or {}).get(cell.id, cell.source)
        folder = self.course / "submitted" / student / self.path.stem
        folder.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, folder / self.path.name)

    def nbgrader(self, command, *arguments):
        """Run a command of nbgrader's in the folder of the course."""
        with as_a_process():
            assignments.nbgrader(self.course, command, "--log-level=ERROR", *arguments)

    def grade(self, *arguments):
        """Grade everybody; return points and whether somebody must look, by student and cell."""
        from nbgrader.api import Gradebook

        self.nbgrader("autograde", self.path.stem, "--create", *arguments)
        with Gradebook(f"sqlite:///{self.course / 'gradebook.db'}", "optimized-randomized-response") as book:
            return {
                submission.student.id: {
                    grade.name: (grade.auto_score, grade.needs_manual_grade)
                    for grade in submission.notebooks[0].grades
                }
                for submission in book.assignment_submissions(self.path.stem)
            }

    def printed(self, student, name):
        """Return what a check said when it graded."""
        notebook = self.read("autograded", student)
        (cell,) = [cell for cell in notebook.cells if cell.id == name]
        return " ".join("".join("".join(out.get("text", "")) for out in cell.outputs).split())


def solutions(path):
    """Return the solutions of a source by the cells that they stand in."""
    marked = r"### BEGIN SOLUTION\n(.*?)\n *### END SOLUTION"
    cells = nbformat.read(path, as_version=4).cells
    return {cell.id: cell.source for cell in cells if re.search(marked, cell.source, re.DOTALL)}


def secret_lines(path):
    """Return the lines of a source that students must not get: solutions, hidden tests, model answers."""
    cells = nbformat.read(path, as_version=4).cells
    found, given = [], set()  # a line of a solution may stand in a cell that is given, too
    for cell in cells:
        solution = cell.metadata.get("nbgrader", {}).get("solution")
        if cell.cell_type == "markdown" and solution:
            found += cell.source.splitlines()
        elif cell.cell_type == "code" and not solution and "### BEGIN" not in cell.source:
            given |= {line.strip() for line in cell.source.splitlines()}
        for part in re.findall(
            r"### BEGIN (?:SOLUTION|HIDDEN TESTS)\n(.*?)\n *### END", cell.source, re.DOTALL
        ):
            found += part.splitlines()
    return {line.strip() for line in found if len(line.strip()) > 12} - given  # shorter ones are in any text


def copied(source, target):
    """Copy a folder, to compare it with later."""
    shutil.copytree(source, target)
    return target
