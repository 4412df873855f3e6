"""A term in one folder: made, handed in, graded, regraded, made again. Nothing is lost."""

import hashlib
import json
import re
import sys
import zipfile
from unittest import mock

import nbformat
import pytest

import assignments
from tests.classroom.common import SOURCES, remembered
from tests.classroom.courses import Class, as_a_process, copied, program, solutions, tool

pytest.importorskip("nbgrader", reason="the assignments need the extra `classroom`")
PATH = SOURCES[0]


def prints(folder):
    """Return what is in a folder, to the last byte."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


def graded(made):
    """Let two students hand in, and grade them."""
    made.submit("ada", made.read("release"), solutions(PATH))
    made.submit("ben", made.read("release"))
    made.grade()
    made.nbgrader("generate_feedback", PATH.stem)
    return made


@pytest.fixture
def term(two, tmp_path_factory, tmp_path):
    """Return a class in which two students have handed in and were graded."""
    found = remembered("term", lambda: graded(two.copied(tmp_path_factory.mktemp("term") / "classes")))
    return found.copied(tmp_path / "classes")


def test_a_term(term):
    scores = term.grade("--force", "--student=ada")  # a regrade: hidden cases are the same
    assert sum(score or 0 for score, _ in scores["ada"].values()) == 16
    before = prints(term.classes)
    one = tool("assignments", "--seed", 7, "--classes", term.classes, PATH)
    assert one.returncode == 1
    assert f"{PATH.stem} is in use" in one.stderr
    again = tool("assignments", "--seed", 7, "--classes", term.classes)
    assert again.returncode == 1
    assert "submitted/ada" in again.stderr
    assert "Nothing was changed" in again.stderr
    assert "ASIDE=yes" in again.stderr
    assert prints(term.classes) == before

    other = Class(term.classes, PATH, 8)
    assert {name: mark for name, mark in prints(term.classes).items() if name.startswith("7/")} == before_of(
        before, "7/"
    )
    assert (other.folder / "secret").read_text("utf-8") != (term.folder / "secret").read_text("utf-8")


@pytest.mark.slow
def test_a_class_in_use_is_moved_aside(term):
    before = prints(term.classes)
    aside = tool("assignments", "--seed", 7, "--classes", term.classes, "--aside", PATH)
    assert aside.returncode == 0, aside.stderr
    moved = {name.removeprefix("7-1/"): mark for name, mark in prints(term.classes).items()}
    assert before_of(before, "7/").items() <= {f"7/{name}": mark for name, mark in moved.items()}.items()
    assert (term.folder / "secret").read_bytes() == (term.classes / "7-1" / "secret").read_bytes()
    assert not (term.folder / "course" / "submitted").exists()


def before_of(found, start):
    return {name: mark for name, mark in found.items() if name.startswith(start)}


def refused(*arguments):
    """Return what the tool says when it refuses."""
    done = tool("assignments", *arguments)
    assert done.returncode != 0
    return done.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--seed", "-1"], "is no seed"),
        (["--seed", "x"], "is no seed"),
        (["--seed", "99999999999"], "is no seed"),
        (["--roster", "missing.csv"], "cannot be read"),
        (["--survey", "missing.csv"], "is no survey.csv"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_touched(tmp_path, arguments, words):
    assert words in refused("--classes", tmp_path / "classes", *arguments)
    assert not (tmp_path / "classes").exists()


@pytest.mark.slow
def test_a_refusal_is_no_traceback(tmp_path):
    done = program("assignments", "--classes", tmp_path / "classes", "--survey", "missing.csv")
    assert done.returncode == 1
    assert "is no survey.csv" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("student\n", "has no rows"),
        ("student\na\nA\n", "twice"),
        ("ada\nbob\n", "must name the columns"),
        ("student\nclass\n", "no name for a folder"),
        ("student\na.zip\n", "no name for a folder"),
        ("student\n../up\n", "no name for a folder"),
        ("student\n\n a b\n", "no name for a folder"),
    ],
)
def test_bad_rosters_are_refused(tmp_path, text, words):
    (tmp_path / "class.csv").write_text(text, "utf-8")
    assert words in refused("--classes", tmp_path / "classes", "--roster", tmp_path / "class.csv")
    assert not (tmp_path / "classes").exists()


def test_a_file_that_was_changed_is_not_overwritten(two, tmp_path):
    folder = copied(two.folder, tmp_path / "classes" / "9")
    made = folder / "made.json"
    known = json.loads(made.read_text("utf-8"))
    assert assignments.foreign(folder) == []
    (folder / "solutions" / PATH.name).write_text("mine", "utf-8")
    assert assignments.foreign(folder) == [f"solutions/{PATH.name}"]
    (folder / "course" / "notes.txt").write_text("mine", "utf-8")
    assert assignments.foreign(folder) == ["course/notes.txt", f"solutions/{PATH.name}"]
    assert "secret" in known


def test_a_build_that_fails_leaves_everything_as_it_was(two, tmp_path):
    source = tmp_path / PATH.name
    notebook = nbformat.read(PATH, as_version=4)
    for cell in notebook.cells:
        if cell.id == "level":
            cell.source = "level = lambda a, q: 0"
    nbformat.write(notebook, source)
    classes = tmp_path / "classes"
    before = prints(copied(two.folder, classes / "9")) and prints(classes)
    done = tool("assignments", "--seed", 10, "--classes", classes, source)
    assert done.returncode == 1
    assert "the solution is not right in ['check-level']" in done.stderr
    assert prints(classes) == before


HANDED_IN = {
    f"Jane Doe_12345_assignsubmission_file_{PATH.stem}.ipynb": "12345",
    f"Jane Doe_12346_assignsubmission_file/{PATH.stem}.ipynb": "12346",
    f"doejane_12347_678_{PATH.stem}.ipynb": "12347",
    f"doejane_LATE_12348_678_{PATH.stem}-1.ipynb": "12348",
    f"doejane_12349_678_{PATH.stem} (1).ipynb": "12349",
}


def test_zips_of_moodle_and_canvas_are_sorted(tmp_path):
    course = tmp_path / "course"
    course.mkdir()
    (tmp_path / "secret").write_text("none", "utf-8")
    config = assignments.CONFIG.format(grading=str(assignments.CLASSROOM))
    (course / "nbgrader_config.py").write_text(config, "utf-8")
    archive = course / "downloaded" / PATH.stem / "archive" / "all.zip"
    archive.parent.mkdir(parents=True)
    with zipfile.ZipFile(archive, "w") as packed:
        for name, student in HANDED_IN.items():
            packed.writestr(name, f"the notebook of {student}")
    with as_a_process():
        assignments.nbgrader(course, "zip_collect", PATH.stem, "--log-level=WARN")
    found = {path.relative_to(course / "submitted"): path for path in course.glob("submitted/*/*/*.ipynb")}
    wanted = {f"{student}/{PATH.stem}/{PATH.name}" for student in HANDED_IN.values()}
    assert {place.as_posix() for place in found} == wanted
    for place, path in found.items():
        assert path.read_text("utf-8") == f"the notebook of {place.parts[0]}"


def test_the_class_survey_comes_into_the_assignment(tmp_path):
    survey = tmp_path / "survey.csv"
    pairs = [f"{first},{second},5" for first in ("yes", "no") for second in ("yes", "no")]
    rows = [
        "one,yes,,23",
        "one,no,,17",
        *[f"{name},{pair}" for name in ("apart", "together") for pair in pairs],
    ]
    survey.write_text("\n".join(["round,first,second,count", *rows]) + "\n", "utf-8")
    extra = assignments.read_survey(survey)
    assert extra["01-noisy-answers"] == {"survey": (23, 17, True)}
    assert extra["02-flip-sets"]["survey"][2] is True
    from orr_grading import sheet

    assert sheet(PATH.stem, 3, extra=extra[PATH.stem]).given("survey") == (23, 17, True)
    assert sheet(PATH.stem, 3).given("survey")[2] is False


def test_the_tool_says_plainly_that_nbgrader_is_missing():
    kept = {name: room for name, room in sys.modules.items() if name.split(".")[0] != "nbgrader"}
    with mock.patch.dict(sys.modules, kept | {"nbgrader": None}, clear=True):
        del sys.modules["assignments"]  # so that it is imported where there is no nbgrader
        done = tool("assignments")
    assert done.returncode == 1
    assert "nbgrader is not installed" in done.stderr
    assert 'pip install ".[classroom]"' in done.stderr  # ours, from the repository


def test_an_assignment_is_added_to_a_class_that_is_in_use(term):
    made = term.folder
    before = prints(made)
    done = tool("assignments", "--seed", 7, "--classes", term.classes, SOURCES[1])
    assert done.returncode == 0, done.stderr
    after = prints(made)
    changed = {name for name, mark in before.items() if after.get(name) != mark}
    assert changed <= {"assignments.zip", "made.json", "course/gradebook.db"}
    assert (made / "course" / "release" / SOURCES[1].stem / SOURCES[1].name).exists()
    assert not [name for name in assignments.foreign(made) if SOURCES[1].stem in name]
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{made / 'course' / 'gradebook.db'}", "optimized-randomized-response") as book:
        assert {each.name for each in book.assignments} == {path.stem for path in SOURCES[:3]}
        assert len(book.assignment_submissions(PATH.stem)) == 2


@pytest.mark.parametrize(
    ("lost", "words"), [("secret", "the whole folder of a class"), ("grading", "ORR_GRADING")]
)
def test_without_what_grades_nothing_is_graded(tmp_path, lost, words):
    """A class that was moved in part stops nbgrader, in place of giving everybody 0."""
    course = tmp_path / "course"
    course.mkdir()
    grading = tmp_path if lost == "grading" else assignments.CLASSROOM
    (course / "nbgrader_config.py").write_text(assignments.CONFIG.format(grading=str(grading)), "utf-8")
    if lost != "secret":
        (tmp_path / "secret").write_text("none", "utf-8")
    with as_a_process(), pytest.raises(SystemExit, match=words):
        assignments.nbgrader(course, "autograde", PATH.stem)


def test_a_class_without_its_secret_is_not_made_again(tmp_path):
    (tmp_path / "5").mkdir()
    done = tool("assignments", "--seed", 5, "--classes", tmp_path)
    assert done.returncode == 1
    assert "no file `secret`" in done.stderr


def test_what_comes_while_a_class_is_made_is_kept(tmp_path):
    out, fresh = tmp_path / "5", tmp_path / "new" / "5"
    for folder in (out, fresh):
        (folder / "course").mkdir(parents=True)
        (folder / "made.json").write_text("{}", "utf-8")
    (out / "course" / "late.ipynb").write_text("handed in", "utf-8")
    assignments.swap(fresh, out)
    assert (tmp_path / "5-1" / "course" / "late.ipynb").read_text("utf-8") == "handed in"


def test_hidden_cases_need_a_secret():
    from orr_grading.sheets import NoSecret, hidden

    with pytest.raises(NoSecret, match="grade in the folder of the course"):
        hidden(PATH.stem, "level", 1, "class")


def test_secret_and_seed_and_student_change_hidden_cases(monkeypatch):
    from orr_grading.sheets import hidden

    def drawn(secret, seed, owner):
        monkeypatch.setenv("ORR_CLASSROOM_SECRET", secret)
        return repr(hidden(PATH.stem, "level", seed, owner))

    found = [drawn("a", 1, "x"), drawn("b", 1, "x"), drawn("a", 2, "x"), drawn("a", 1, "y")]
    assert len(set(found)) == 4
    assert drawn("a", 1, "x") == found[0]
    assert re.search("numbers", found[0])
