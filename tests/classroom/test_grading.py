"""The assignments, graded by nbgrader's own command line: right, untouched and wrong in known ways."""

import contextlib
import io
import os
import re
import subprocess
import sys
import zipfile
from itertools import zip_longest
from pathlib import Path

import nbformat
import pytest
import yaml

from orr_classroom import NotYet
from tools.assignments import reseed

ROOT = Path(__file__).parent.parent.parent
SOURCES = sorted((ROOT / "classroom" / "assignments").glob("*.ipynb"))
SEED = 4711
every_assignment = pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
pytest.importorskip("nbgrader", reason="the assignments need the extra `classroom`")


def wrong_answers(path):
    return yaml.safe_load((Path(__file__).parent / f"{path.stem}.yml").read_text("utf-8"))


def graded(path, kind):
    """Return the cells of an assignment that are graded, by a program ("code") or by hand ("markdown")."""
    cells = nbformat.read(path, as_version=4).cells
    return [
        cell for cell in cells if cell.metadata.get("nbgrader", {}).get("grade") and cell.cell_type == kind
    ]


def points(cells):
    return sum(cell.metadata.nbgrader.points for cell in cells)


class Course:
    """An nbgrader course with one assignment, made as an instructor makes it."""

    def __init__(self, folder, path):
        self.folder, self.path, self.archive = folder / "course", path, folder / "assignments.zip"
        arguments = ["--seed", str(SEED), "--out", str(folder), str(path)]
        subprocess.run([sys.executable, ROOT / "tools" / "assignments.py", *arguments], check=True)

    def read(self, *parts):
        return nbformat.read(self.folder.joinpath(*parts, self.path.stem, self.path.name), as_version=4)

    def submit(self, student, notebook, answers=None):
        """Hand in a notebook in which some answers are replaced."""
        for cell in notebook.cells:
            cell.source = (answers or {}).get(cell.id, cell.source)
        folder = self.folder / "submitted" / student / self.path.stem
        folder.mkdir(parents=True)
        nbformat.write(notebook, folder / self.path.name)

    def grade(self):
        """Grade everybody; return the scores of the cells that a program grades, for each student."""
        from nbgrader.api import Gradebook

        beside = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        command = [sys.executable, "-m", "nbgrader", "autograde", "--log-level=WARN", "--create"]
        subprocess.run(
            [*command, self.path.stem], cwd=self.folder, check=True, env=os.environ | {"PATH": beside}
        )
        with Gradebook(f"sqlite:///{self.folder / 'gradebook.db'}", "optimized-randomized-response") as book:
            return {
                submission.student.id: {
                    grade.name: (grade.auto_score, grade.needs_manual_grade)
                    for grade in submission.notebooks[0].grades
                }
                for submission in book.assignment_submissions(self.path.stem)
            }

    def printed(self, student, name):
        """Return what a check said to a student."""
        notebook = self.read("autograded", student)
        (cell,) = [cell for cell in notebook.cells if cell.id == name]
        return "".join("".join(out.get("traceback", out.get("text", ""))) for out in cell.outputs)


@every_assignment
def test_the_release_tells_nothing_and_every_answer_gets_what_it_deserves(path, tmp_path):
    course, wrong = Course(tmp_path, path), wrong_answers(path)
    check_release(path, course.archive)
    course.submit("right", course.read("source"))
    course.submit("untouched", course.read("release"))
    rounds = list(zip_longest(*wrong.values()))
    for n, entries in enumerate(rounds):
        answers = {task: entry["answer"] for task, entry in zip(wrong, entries, strict=True) if entry}
        course.submit(f"wrong-{n}", course.read("source"), answers)
    scores = course.grade()

    checks, by_hand = graded(path, "code"), graded(path, "markdown")
    assert sum(scores["right"][cell.id][0] for cell in checks) == points(checks)
    assert all(scores["right"][cell.id][1] for cell in by_hand), "answers in words wait for the instructor"
    assert not any(score for score, _ in scores["untouched"].values())
    assert not any(waits for _, waits in scores["untouched"].values())
    for n, entries in enumerate(rounds):
        for task, entry in zip(wrong, entries, strict=True):
            score, _ = scores[f"wrong-{n}"][f"check-{task}"]
            if not entry:
                assert score, f"{task} is right in round {n}, but lost points: tasks must not need each other"
                continue
            said = course.printed(f"wrong-{n}", f"check-{task}")
            assert score == 0, f"{task}: wrong answer {n} was accepted"
            assert entry["hint"] in " ".join(said.split()), f"{task}: {said}"
            assert ("Right: " in said) == entry.get("hidden", False), f"{task}: {said}"


def check_release(path, archive):
    """Make sure that students get the numbers of their class, but no solution and no hidden test."""
    with zipfile.ZipFile(archive) as archive:
        (name,) = [name for name in archive.namelist() if not name.endswith("/")]
        text = archive.read(name).decode()
    assert not re.search("SOLUTION|HIDDEN", text)
    cells = nbformat.reads(text, as_version=4).cells
    assert not any(cell.get("outputs") for cell in cells)
    released = "\n".join(cell.source for cell in cells)
    assert re.findall(r"SEED = (\d+)", released) == [str(SEED)]
    kept, secrets = released.splitlines(), list(secret_parts(nbformat.read(path, as_version=4)))
    assert len(secrets) == 2 * len(graded(path, "code")) + len(graded(path, "markdown")) + 1
    for line in "\n".join(secrets).splitlines():
        assert line not in kept or not line.strip(), line


def secret_parts(notebook):
    """Yield what a release must not contain: solutions, hidden tests, and the seed of the source."""
    for cell in notebook.cells:
        if cell.cell_type == "markdown" and cell.metadata.get("nbgrader", {}).get("solution"):
            yield cell.source
        yield from re.findall(r"^SEED = \d+$", cell.source, re.MULTILINE)
        yield from re.findall(
            r"### BEGIN (?:SOLUTION|HIDDEN TESTS)\n(.*?)\n *### END", cell.source, re.DOTALL
        )


def run(path, seed, answers=None):
    """Run the code of a source as `tools/assignments.py` does, but in this process, which is much faster."""
    notebook, names = nbformat.read(path, as_version=4), {"__name__": "__main__"}
    reseed(notebook, seed)
    with contextlib.redirect_stdout(io.StringIO()):
        for cell in notebook.cells:
            if cell.cell_type == "code":
                exec((answers or {}).get(cell.id, cell.source), names)


@every_assignment
@pytest.mark.parametrize("seed", [1, 20, 300])
def test_solution_is_right_with_any_seed(path, seed):
    run(path, seed)


@every_assignment
def test_a_wrong_solution_is_caught_with_any_seed(path):
    task, entries = next(iter(wrong_answers(path).items()))
    with pytest.raises(NotYet, match=re.escape(entries[0]["hint"])):
        run(path, 20, {task: entries[0]["answer"]})


@every_assignment
def test_assignment_keeps_the_contract(path):
    notebook = nbformat.read(path, as_version=4)
    opening = notebook.cells[0].source
    checks, by_hand = graded(path, "code"), graded(path, "markdown")
    assert re.match(rf"# Assignment {int(path.name[:2])}: ", opening)
    assert re.search(r"\*\*Time:\*\* about \d+ minutes", opening)
    assert int(re.search(r"\*\*Points:\*\* (\d+)", opening)[1]) == points(checks) + points(by_hand)
    rows = re.findall(r"^\| (.+) \| (.+) \| (\d+) \|$", opening, re.MULTILINE)
    assert [row[0] for row in rows] == ["Warm-up", "Core", "Stretch", "In words, graded by hand"]
    assert sum(int(row[2]) for row in rows) == points(checks) + points(by_hand)
    assert int(rows[-1][2]) == points(by_hand) > 0
    text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    for part in ("## Your numbers", "## Warm-up", "## Core", "## Stretch", "## In words"):
        assert part in text
    stated = [int(n) for n in re.findall(r"^\*\*Task \d+ \((\d+) points?[,)]", text, re.MULTILINE)]
    assert sorted(stated) == sorted(cell.metadata.nbgrader.points for cell in checks + by_hand)
    assert text.count("| Points | For |") == len(by_hand), "every answer in words has a rubric"


@every_assignment
def test_every_task_has_at_least_three_wrong_answers(path):
    wrong = wrong_answers(path)
    assert list(wrong) == [cell.id.removeprefix("check-") for cell in graded(path, "code")]
    assert all(len(entries) >= 3 for entries in wrong.values())
    assert any(entry.get("hidden") for entries in wrong.values() for entry in entries)
