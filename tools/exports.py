"""Export a class for otter-grader with Gradescope, and for GitHub: the same tasks, graded by the same judge.

It reads what `make assignments` made of a seed, and writes a folder beside it, built aside and swapped in.
"""

import argparse
import ast
import contextlib
import json
import re
import shutil
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import nbformat
import yaml

from assignments import CLASSROOM, ROOT, SEED, foreign, prints, read_seed, swap
from packages import copy_package
from student_repo import build

sys.path.insert(0, str(CLASSROOM))

from orr_grading.sheets import module

FOR_STUDENTS = [ROOT / "orr", ROOT / "orr_release", ROOT / "book", CLASSROOM / "orr_classroom"]
FOR_THE_JUDGE = [*FOR_STUDENTS, CLASSROOM / "orr_grading"]
NEEDED = {
    "msgspec",
    "numpy",
    "scipy",
    "sympy",
}  # in the versions of this repository, so that draws are the same
MINUTES = 5  # for one task; the longest takes one on a busy machine
MISSING = """otter-grader is not installed, and autograders are made with it. Install it with
    make .venv/installed-otter
or, in an environment of your own, from the repository's folder, with
    pip install ".[classroom,otter]\""""
SETTINGS = {"show_hidden": True, "show_stdout": False}  # points of a task: once the grades are published
TEST = '''"""A task, tried with numbers that students have not seen. Keep it to yourself."""

import os
import sys
from pathlib import Path

from otter.test_files import test_case

OK_FORMAT = False
name = {task!r}
judge = Path("../source/judge").resolve()
found = []
if str(judge) not in sys.path:
    sys.path.insert(0, str(judge))


def earned(env):
    """Return the points of the answer; the judge tries it once."""
    if not found:
        from orr_grading import grading

        os.environ["ORR_CLASSROOM_SECRET"] = (judge / "secret").read_text("utf-8").strip()
        found.append(grading({assignment!r}, env.get("check"))(name, eval({answer!r}, env)))
    return found[0]


def seen(env):
    """Raise the hint that the notebook's own check gives, if any."""
    from orr_classroom import Sheet  # here: the judge's tools load it anew for every task

    Sheet(env["check"].text)(name, eval({answer!r}, env))


@test_case(name="the check below the task", points=0)
def check(env):
    seen(env)
'''
CASE = """

@test_case(name="other numbers, case {number}", points={worth}, hidden=True)
def case_{number}(env):
    assert earned(env) >= {least}, "not right"
"""
ON_GITHUB = """
**On GitHub.** Every push runs the checks of all assignments: open *Actions* to see what they say. They are
the checks that you can run yourself. Your grade comes from the same checks with numbers that are not here.
"""
README = """# Class {seed} on other platforms

For whoever teaches. `otter` and `github` go to students; `gradescope` is for you alone.

## otter-grader and Gradescope

Give students the notebooks of {notebooks}. On Gradescope, make a programming assignment for each, and
upload `gradescope/<assignment>-autograder.zip` as its autograder. Gradescope installs otter-grader {otter},
numpy, scipy and SymPy, and takes our packages from the zip. In the environment that made this folder,

```sh
otter run --no-logo --autograder gradescope/01-noisy-answers-autograder.zip submission.ipynb
```

grades one notebook, and `otter grade` grades many, in containers. Points are those of nbgrader: one for each
hidden case that is right (more where a case takes long). Answers in words are yours to grade. Students see at
once what the checks below the tasks say, and the points of each task when you publish the grades. No result
shows a hidden case.

**Keep the zips to yourself.** Each holds the right answers, and the secret from which hidden cases are drawn.
Gradescope shows students neither. But the code that they hand in runs beside both, as it does with every
grader of notebooks, and code that looks for them finds them. Read what looks odd before you trust its grade.

## GitHub

`github` is a template repository. Push it, mark it as a template in its settings, and give every student a
copy{copies}: by hand, or with a tool of your own. (GitHub Classroom, which did that, ended on 28 August
2026.) On every push `.github/workflows/checks.yml` runs the visible checks, a job for each assignment and a
step for each task, with nothing but Python. Any other tool can run the same command,
`python -m orr_classroom.run assignments/01-noisy-answers.ipynb level`: it prints a hint, and its exit code
says whether the answer passes.

Hidden cases cannot be in a repository that students read, so what GitHub shows is no grade. For a grade,
clone their repositories into a folder `repositories` here, a folder for each student, and run here

```sh
for notebook in repositories/*/assignments/*.ipynb; do
    student=$(basename "${{notebook%/assignments/*}}")
    submitted=../{seed}/course/submitted/$student/$(basename "$notebook" .ipynb)
    mkdir -p "$submitted" && cp "$notebook" "$submitted"
done
```

Then grade with nbgrader, in the folder of the course.
"""


@dataclass(frozen=True)
class Graded:
    """A task that a program grades: its name, the name of its answer, and what its cases are worth."""

    task: str
    answer: str
    points: int
    worth: int

    @property
    def least(self) -> list[int]:
        """The points that an answer must have for each of its cases to count."""
        return list(range(self.worth, self.points + 1, self.worth))


def graded(path: Path) -> list[Graded]:
    """Return the tasks of a released notebook, from its checks."""
    found = []
    for cell in nbformat.read(path, as_version=4).cells:
        marks = cell.metadata.get("nbgrader", {})
        if cell.cell_type == "code" and marks.get("grade"):
            call = ast.parse(cell.source).body[-1].value
            task, answer = call.args[0].value, ast.unparse(call.args[1])
            worth = module(path.stem).TASKS[task].worth
            found.append(Graded(task, answer, int(marks["points"]), worth))
    return found


def requirements() -> list[str]:
    """Return what grading needs besides our own packages, as this repository pins it."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    return sorted({line for line in extras["book"] + extras["test"] if line.partition("==")[0] in NEEDED})


def python() -> str:
    """Return the version of Python that Binder gets, for all others that need one."""
    return re.search(r"python=([\d.]+)", (ROOT / "environment.yml").read_text("utf-8"))[1]


def copy(sources: list[Path], out: Path) -> None:
    """Copy packages into a folder."""
    for source in sources:
        copy_package(source, out / source.name)


def autograder(release: Path, secret: Path, out: Path) -> None:
    """Let otter make the autograder of an assignment, and add what students' code need not see."""
    from otter.generate import main as generate

    with tempfile.TemporaryDirectory() as folder:
        stage, judge = Path(folder).resolve() / "stage", Path(folder).resolve() / "judge"
        (stage / "tests").mkdir(parents=True)
        for each in graded(release):
            text = TEST.format(assignment=release.stem, task=each.task, answer=each.answer)
            for number, least in enumerate(each.least, start=1):
                text += CASE.format(number=number, least=least, worth=each.worth)
            (stage / "tests" / f"{each.task}.py").write_text(text, "utf-8")
        (stage / "otter_config.json").write_text(json.dumps(SETTINGS), "utf-8")
        (stage / "requirements.txt").write_text("\n".join(requirements()) + "\n", "utf-8")
        copy(FOR_STUDENTS, stage)
        with contextlib.chdir(stage):
            generate(
                no_environment=True,
                python_version=python(),
                output_path=str(out),
                files=[path.name for path in FOR_STUDENTS],
            )
        copy(FOR_THE_JUDGE, judge)
        shutil.copy(secret, judge)
        with ZipFile(out, "a") as archive:  # beside what otter copies into the folder of a submission
            for path in sorted(judge.rglob("*")):
                archive.write(path, Path("judge") / path.relative_to(judge))


def job(release: Path) -> dict[str, Any]:
    """Return the job that runs the visible checks of an assignment."""
    sympy = next(line for line in requirements() if line.startswith("sympy"))
    steps: list[dict[str, Any]] = [
        {"uses": "actions/checkout@v5"},
        {"uses": "actions/setup-python@v6", "with": {"python-version": python()}},
        {"run": f"python -m pip install --editable . --editable ./classroom {sympy}"},
    ]
    for each in graded(release):
        command = f"python -m orr_classroom.run assignments/{release.name} {each.task}"
        always = "${{ !cancelled() }}"  # a task that fails hides no other
        steps.append({"name": each.task, "if": always, "run": command, "timeout-minutes": MINUTES})
    return {"name": release.stem, "runs-on": "ubuntu-latest", "steps": steps}


def template(made: Path, releases: list[Path], out: Path) -> None:
    """Write the template repository: what students open, and what runs the checks on GitHub."""
    out.mkdir()
    build(out, made)
    with (out / "README.md").open("a", encoding="utf-8") as readme:
        readme.write(ON_GITHUB)
    workflow = {
        "name": "Checks",
        "on": ["push", "workflow_dispatch"],
        "permissions": {"contents": "read"},
        "jobs": {f"assignment-{release.stem}": job(release) for release in releases},
    }
    path = out / ".github" / "workflows" / "checks.yml"
    path.parent.mkdir(parents=True)
    path.write_text(yaml.safe_dump(workflow, sort_keys=False, width=1000), "utf-8")


def make(out: Path, made: Path) -> None:
    """Write all exports of a class into an empty folder."""
    from otter.version import __version__ as version

    releases = sorted(made.glob("course/release/*/*.ipynb"))
    (out / "gradescope").mkdir()
    for release in releases:
        print(f"{release.stem}: for otter-grader", flush=True)
        (out / "otter" / release.stem).mkdir(parents=True)
        shutil.copy(release, out / "otter" / release.stem)
        autograder(release, made / "secret", out / "gradescope" / f"{release.stem}-autograder.zip")
    template(made, releases, out / "github")
    notebooks, copies = "`otter`", ""
    if (made / "students").exists():
        notebooks = f"`../{made.name}/students`, where everybody has numbers of their own"
        copies = f", with the notebooks of `../{made.name}/students/<student>` in its folder `assignments`"
    text = README.format(seed=made.name, otter=version, notebooks=notebooks, copies=copies)
    (out / "README.md").write_text(text, "utf-8")


def main() -> None:
    """Read the command line, build aside and swap in."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=read_seed, default=SEED, help="the class (2026)")
    parser.add_argument("--classes", type=Path, default=ROOT / "classes", help="where classes are (classes)")
    options = parser.parse_args()
    if find_spec("otter") is None:
        sys.exit(MISSING)
    made = options.classes.resolve() / str(options.seed)
    out = made.with_name(f"{made.name}-exports")
    if not (made / "course" / "release").exists():
        sys.exit(f"There is no class {options.seed}. Make it: make assignments SEED={options.seed}")
    kept = foreign(out)
    if kept:
        sys.exit(f"{out} holds what was not made here, such as {kept[0]}. Nothing was changed: move it away.")
    with tempfile.TemporaryDirectory(dir=out.parent, prefix=f".{out.name}-new-") as folder:
        fresh = Path(folder) / out.name
        fresh.mkdir()
        make(fresh, made)
        (fresh / "made.json").write_text(json.dumps(prints(fresh), indent=1), "utf-8")
        swap(fresh, out)
    print(f"For students:  {out / 'otter'} and {out / 'github'}")
    print(f"For you alone: {out / 'gradescope'}; read {out / 'README.md'}")


if __name__ == "__main__":
    main()
