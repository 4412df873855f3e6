"""Classes made and graded as an instructor does it: by the command lines of our tools and of nbgrader."""

import copy
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat

from tests.classroom.common import ROOT

BESIDE = {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}  # nbgrader calls alembic


def tool(name, *arguments, **settings):
    """Run one of our tools; return what became of it."""
    command = [sys.executable, ROOT / "tools" / f"{name}.py", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, **settings)


class Class:
    """A class with one assignment."""

    def __init__(self, folder, path, seed, *options):
        self.classes, self.path, self.seed = folder, path, seed
        done = tool("assignments", "--seed", seed, "--classes", folder, path, *options)
        assert done.returncode == 0, done.stderr
        self.folder = folder / str(seed)
        self.course = self.folder / "course"

    def copied(self, classes):
        """Return a copy in another folder of classes."""
        other = copy.copy(self)
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
        whole = [sys.executable, "-m", "nbgrader", command, "--log-level=ERROR", *arguments]
        done = subprocess.run(whole, cwd=self.course, capture_output=True, text=True, env=os.environ | BESIDE)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

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
