"""The exports, tried with otter's own command line and with the commands of the workflow for GitHub."""

import json
import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from zipfile import ZipFile

import nbformat
import pytest
import yaml

from exports import graded, template
from orr_classroom import Sheet
from orr_classroom.feedback import show
from orr_grading.sheets import hidden
from tests.classroom.common import SOURCES
from tests.classroom.courses import secret_lines, solutions, tool

pytest.importorskip("nbgrader", reason="the assignments need the extra `classroom`")
needs_otter = pytest.mark.skipif(
    find_spec("otter") is None, reason="OTTER-GRADER WAS NOT TRIED: install the extra `otter`"
)
FIRST, ALGEBRA = (next(path for path in SOURCES if path.name.startswith(start)) for start in ("01", "03"))
# Gets what is right only where the packages come from the zip, and not from this repository.
FROM_THE_ZIP = """
from pathlib import Path
import orr, orr_classroom, orr_release
assert all(Path(each.__file__).is_relative_to(Path.cwd()) for each in (orr, orr_classroom, orr_release))
"""
# Right with the numbers that a student sees, and with all others but the first.
PARTLY = """
met = []
def level(a, q):
    met.extend([(a, q)] if (a, q) not in met else [])
    return np.log((1 - q) * (a - 1) / q) if met.index((a, q)) != {seen} else 0.0
"""
WRONG = "def flip_probability(a, epsilon):\n    return 1 / (np.exp(epsilon) + 1)"
STOPS = "def channel(a, epsilon):\n    raise ValueError"


@pytest.fixture(scope="module")
def made(two, tmp_path_factory):
    """Return a class with two assignments; what it reads and submits is of the first."""
    return two.copied(tmp_path_factory.mktemp("exports"))


def released(made, path):
    return made.course / "release" / path.stem / path.name


def answered(made, path, target, answers):
    """Write a released notebook with answers in it."""
    notebook = nbformat.read(released(made, path), as_version=4)
    for cell in notebook.cells:
        cell.source = answers.get(cell.id, cell.source)
    target.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, target)
    return target


def sheet_of(notebook):
    """Return the sheet that a released notebook opens."""
    (cell,) = [cell for cell in notebook.cells if cell.id == "numbers"]
    return Sheet(re.search(r'"""\n(.*?)"""', cell.source, re.DOTALL)[1])


def calls(cases):
    """Return the arguments of every call that cases make."""
    return [arguments for case in cases for arguments, _ in case.module.calls(case.data)]


def written(task, cases):
    """Return every call as a hint writes it."""
    return [f"{task.replace('-', '_')}({', '.join(map(show, arguments))})" for arguments in calls(cases)]


def no_secret_in(folder, made, *sources):
    """Make sure that a folder for students has no secret, no judge, and no solution in its notebooks."""
    secret = (made.folder / "secret").read_text("utf-8").strip()
    lines = {line for source in sources for line in secret_lines(source)}
    assert len(lines) > 20
    files = [path for path in folder.rglob("*") if path.is_file()]
    for path in files:
        text = path.read_bytes().decode("utf-8", "replace")
        assert secret not in text, path
        assert "orr_grading" not in text + path.name, path
        assert not re.search("BEGIN SOLUTION|HIDDEN TESTS", text), path
    notebooks = [path for path in files if path.stem in {source.stem for source in sources}]
    assert len(notebooks) == len(sources)
    for path in notebooks:
        kept = "\n".join(cell.source for cell in nbformat.read(path, as_version=4).cells)
        assert not [line for line in lines if line in kept.splitlines()], path


class Otter:
    """The exports of a class, and otter's command that grades with them."""

    def __init__(self, made, folder):
        done = tool("exports", "--seed", made.seed, "--classes", made.classes)
        assert done.returncode == 0, done.stderr
        self.made, self.folder = made, folder
        self.out = made.classes / f"{made.seed}-exports"

    def grade(self, path, name, answers):
        """Return the points of each task, and all that a student could read."""
        submission = answered(self.made, path, self.folder / name / path.name, answers)
        archive = self.out / "gradescope" / f"{path.stem}-autograder.zip"
        command = [sys.executable, "-m", "otter", "run", "--no-logo", "--autograder", archive, submission]
        done = subprocess.run(
            command,
            cwd=submission.parent,
            capture_output=True,
            text=True,
            env=without_settings(),
        )
        assert done.returncode == 0, done.stderr
        text = (submission.parent / "results.json").read_text("utf-8")
        found = {test["name"]: test for test in json.loads(text)["tests"]}
        assert "Autograder Failed" not in found, text
        assert found["Public Tests"]["visibility"] == "visible"
        scores = {name: test["score"] for name, test in found.items() if "score" in test}
        assert {name: found[name]["max_score"] for name in scores} == worth(self.made, path)
        return scores, text + done.stdout


def without_settings():
    """Return an environment without what grading is told elsewhere: the zip must bring it."""
    return {
        key: text for key, text in os.environ.items() if key not in ("PYTHONPATH", "ORR_CLASSROOM_SECRET")
    }


def worth(made, path):
    return {each.task: each.points for each in graded(released(made, path))}


@needs_otter
@pytest.mark.slow
def test_otter_grades_what_is_all_right_and_what_is_untouched(made, tmp_path):
    otter, right = Otter(made, tmp_path), solutions(FIRST)
    full = worth(made, FIRST)
    assert sum(full.values()) == 16
    scores, _ = otter.grade(FIRST, "right", right | {"level": FROM_THE_ZIP + right["level"]})
    assert scores == full
    scores, text = otter.grade(FIRST, "untouched", {})
    assert not any(scores.values())
    assert "is still to be written" in text
    scores, _ = otter.grade(ALGEBRA, "algebra", solutions(ALGEBRA))
    assert scores == worth(made, ALGEBRA)


@needs_otter
def test_otter_grades_as_nbgrader_does(made, tmp_path, monkeypatch):
    otter, right, full = Otter(made, tmp_path), solutions(FIRST), worth(made, FIRST)
    sheet = sheet_of(made.read("release"))
    partly = PARTLY.format(seen=len(calls(sheet.cases("level"))))
    mixed = {"level": partly, "flip-probability": WRONG, "channel": STOPS}
    here = {"people-needed": FROM_THE_ZIP + right["people-needed"]}
    scores, text = otter.grade(FIRST, "mixed", right | mixed | here)
    assert scores == full | {"level": full["level"] - 1, "flip-probability": 0, "channel": 0}
    secret = (made.folder / "secret").read_text("utf-8").strip()
    monkeypatch.setenv("ORR_CLASSROOM_SECRET", secret)
    assert secret not in text
    for task in mixed:
        seen = written(task, sheet.cases(task))
        assert (seen[0] in text) == (task != "level"), "a hint is about numbers that students have"
        unseen = written(task, hidden(FIRST.stem, task, made.seed, "class"))
        assert len(unseen) == full[task]
        assert not [call for call in unseen if call in text and call not in seen]
    no_secret_in(otter.out / "otter", made, FIRST, ALGEBRA)
    no_secret_in(otter.out / "github", made, FIRST, ALGEBRA)

    collect(otter, made)


def collect(otter, made):
    """Follow the README: collect from cloned repositories. They are then safe from another export."""
    clone = otter.out / "repositories" / "jane" / "assignments" / FIRST.name
    answered(made, FIRST, clone, solutions(FIRST))
    readme = (otter.out / "README.md").read_text("utf-8")
    (script,) = re.findall(r"```sh\n(for .*?)```", readme, re.DOTALL)
    subprocess.run(["bash", "-c", script], cwd=otter.out, check=True)
    collected = made.course / "submitted" / "jane" / FIRST.stem / FIRST.name
    assert collected.read_bytes() == clone.read_bytes()
    again = tool("exports", "--seed", made.seed, "--classes", made.classes)
    assert again.returncode == 1
    assert "repositories/jane" in again.stderr
    assert clone.exists()
    shutil.rmtree(otter.out / "repositories")
    archive = otter.out / "gradescope" / f"{FIRST.stem}-autograder.zip"
    assert {"judge/secret", "judge/orr_grading/judge.py", "files/orr/__init__.py"} <= set(
        ZipFile(archive).namelist()
    )
    assert not [name for name in ZipFile(archive).namelist() if re.match("files/(orr_grading|secret)", name)]
    needs = yaml.safe_load(ZipFile(archive).read("environment.yml"))["dependencies"][-1]["pip"]
    assert not [need for need in needs if re.match("orr", need)], "no index has our package"


@pytest.fixture(scope="module")
def repository(made, tmp_path_factory):
    out = tmp_path_factory.mktemp("github") / "template"
    template(made.folder, [released(made, path) for path in (FIRST, ALGEBRA)], out)
    return out


def commands(repository):
    """Return the step of every task in the workflow, by assignment."""
    workflow = yaml.safe_load((repository / ".github" / "workflows" / "checks.yml").read_text("utf-8"))
    return {job["name"]: [step for step in job["steps"] if "if" in step] for job in workflow["jobs"].values()}


def run(repository, step):
    """Run a step as GitHub does, with the students' packages."""
    path = os.pathsep.join([str(repository), str(repository / "classroom")])
    beside = f"{os.path.dirname(sys.executable)}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        step["run"],
        shell=True,
        cwd=repository,
        env={"PATH": beside, "HOME": os.environ.get("HOME", ""), "PYTHONPATH": path},
        capture_output=True,
        text=True,
    )


def test_the_workflow_has_a_step_for_every_task_and_runs_them_all(made, repository):
    text = (repository / ".github" / "workflows" / "checks.yml").read_text("utf-8")
    workflow = yaml.load(text, yaml.BaseLoader)  # in which "on" is a word, as on GitHub
    assert workflow["on"] == ["push", "workflow_dispatch"]
    assert [job["name"] for job in workflow["jobs"].values()] == [FIRST.stem, ALGEBRA.stem]
    for path, job in zip((FIRST, ALGEBRA), workflow["jobs"].values(), strict=True):
        steps = {step["name"]: step for step in job["steps"] if "if" in step}
        assert list(steps) == list(worth(made, path))
        assert {step["if"] for step in steps.values()} == {"${{ !cancelled() }}"}
    no_secret_in(repository, made, FIRST, ALGEBRA)
    assert "numbers that are not here" in (repository / "README.md").read_text("utf-8")


@pytest.mark.parametrize("some", [slice(1), pytest.param(slice(1, None), marks=pytest.mark.slow)])
def test_steps_fail_with_what_is_handed_out_and_pass_with_what_is_right(made, repository, some):
    steps = commands(repository)[FIRST.stem]
    assert len(steps) == 6
    answered(made, FIRST, repository / "assignments" / FIRST.name, {})
    for step in steps[some]:
        done = run(repository, step)
        assert done.returncode == 1, done.stdout + done.stderr
        assert f"{step['name']}: Not yet. {step['name'].replace('-', '_')}(" in done.stdout
    answered(made, FIRST, repository / "assignments" / FIRST.name, solutions(FIRST))
    for step in steps[some]:
        done = run(repository, step)
        assert done.returncode == 0, done.stdout + done.stderr
        assert done.stdout.startswith(f"{FIRST.stem}, {step['name']}: Right: ")


def test_all_tasks_at_once_with_magics_prints_and_an_error(made, repository, tmp_path):
    broken = (
        "%matplotlib inline\nprint('out')\ndisplay(1)\ndef channel(a, epsilon):\n    return nothing\nnowhere"
    )
    answers = solutions(FIRST) | {"channel": broken}
    path = answered(made, FIRST, tmp_path / FIRST.name, answers)
    done = run(repository, {"run": f"python -m orr_classroom.run '{path}'"})
    assert done.returncode == 1, done.stderr
    said = done.stdout.splitlines()
    assert [line.split(": ")[1] for line in said] == [
        "Right",
        "Right",
        "Not yet. The cell stops in line 6, `nowhere`",
        *["Right"] * 3,
    ]
    done = run(repository, {"run": f"python -m orr_classroom.run '{path}' other"})
    assert done.returncode == 2
    assert "no check of 'other'" in done.stderr


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_every_case_counts(path):
    for each in graded(path):
        assert each.least[-1] == each.points, each
        assert len(each.least) == each.points / each.worth, each


def test_no_class_no_exports(tmp_path):
    if find_spec("otter") is None:
        done = tool("exports", "--classes", tmp_path)
        assert "otter-grader is not installed" in done.stderr
    else:
        done = tool("exports", "--seed", 5, "--classes", tmp_path)
        assert "make assignments SEED=5" in done.stderr
    assert done.returncode == 1
    assert not list(tmp_path.iterdir())
