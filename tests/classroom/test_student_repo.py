"""What students open has all that they need, and nothing of what they are to find."""

import os
import re
import subprocess
import sys
import tomllib

import nbformat
import pytest
import yaml

from execute import grading
from tests.classroom.common import ROOT, SOURCES
from tests.classroom.courses import secret_lines, solutions, tool

pytest.importorskip("nbgrader", reason="the assignments need the extra `classroom`")


@pytest.fixture(scope="module")
def made(two, tmp_path_factory):
    return two.copied(tmp_path_factory.mktemp("repo"))


@pytest.fixture(scope="module")
def repository(made):
    done = tool("student_repo", "--seed", made.seed, "--classes", made.classes)
    assert done.returncode == 0, done.stderr
    return made.classes / f"{made.seed}-student-repo"


def texts(folder):
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix in (
            ".ipynb",
            ".py",
            ".md",
            ".toml",
            ".yml",
            ".csv",
            ".html",
            ".mjs",
        ):
            yield path.relative_to(folder).as_posix(), path.read_text("utf-8")


def test_it_holds_no_solution_no_hidden_test_no_guide_and_no_key(made, repository):
    names = [path.relative_to(repository).as_posix() for path in repository.rglob("*")]
    assert not [
        name for name in names if re.search("orr_grading|dossier|teaching|tests/|slides|tools/", name)
    ]
    model = {line for path in SOURCES for line in secret_lines(path) if len(line) > 60}
    assert len(model) > 100
    secret = (made.folder / "secret").read_text("utf-8").strip()
    for name, text in texts(repository):
        assert not re.search(r"BEGIN SOLUTION|HIDDEN TESTS|\{solution|orr_grading|orr\[classroom\]", text), (
            name
        )
        assert secret not in text
        for line in model:
            assert line not in text, (name, line)


def test_pip_installs_the_checks_and_nothing_that_grades(repository):
    settings = tomllib.loads((repository / "pyproject.toml").read_text("utf-8"))
    assert settings["project"]["dependencies"] == ["numpy>=2.0", "scipy>=1.15"]
    checks = tomllib.loads((repository / "classroom" / "pyproject.toml").read_text("utf-8"))
    package, *others = checks["project"]["dependencies"]
    assert package == settings["project"]["name"]
    assert {*others} <= {*settings["project"]["optional-dependencies"]["release"]}
    assert checks["tool"]["setuptools"]["packages"] == ["orr_classroom"]
    for name in ["classroom.orr_classroom", "book", *settings["tool"]["setuptools"]["packages"]]:
        assert (repository / name.replace(".", "/") / "__init__.py").exists(), name
    extras = set(settings["project"]["optional-dependencies"])
    asked = yaml.safe_load((repository / "environment.yml").read_text("utf-8"))["dependencies"][-1]["pip"]
    assert set(re.findall(r"\w+", asked[0].partition("[")[2])) <= extras
    assert asked[1] == "-e ./classroom"
    assert not (repository / "book" / "extensions").exists()


def test_an_assignment_works_there_with_what_pip_installs(made, repository):
    """Run the released notebook, solved, with the students' copy of the packages and no other of ours."""
    notebook = nbformat.read(repository / "assignments" / SOURCES[0].name, as_version=4)
    answers = solutions(SOURCES[0])
    code = [answers.get(cell.id, cell.source) for cell in notebook.cells if cell.cell_type == "code"]
    path = os.pathsep.join([str(repository), str(repository / "classroom")])
    program = "\n".join(code) + "\nimport orr_classroom; print(orr_classroom.__file__)"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=repository / "assignments",
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("Right: ") == 6
    assert str(repository) in done.stdout.splitlines()[-1]


def test_it_is_not_made_twice_and_not_without_a_class(made, repository):
    again = tool("student_repo", "--seed", made.seed, "--classes", made.classes)
    assert again.returncode == 1
    assert "Move it away" in again.stderr
    none = tool("student_repo", "--seed", 13, "--classes", made.classes)
    assert none.returncode == 1
    assert "make assignments SEED=13" in none.stderr


def test_students_without_sympy_are_told_what_to_install():
    (source,) = [path for path in SOURCES if path.stem == "03-closed-form"]
    (cell,) = [cell for cell in nbformat.read(source, as_version=4).cells if cell.id == "numbers"]
    program = f"import sys; sys.modules['sympy'] = None\n{cell.source}"
    env = os.environ | grading()  # the source itself, not what is released of it
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, env=env, capture_output=True, text=True)
    assert done.returncode != 0
    assert "pip install sympy" in done.stderr + done.stdout
