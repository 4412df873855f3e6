"""The assignments, graded by nbgrader's own command line: right, untouched, right otherwise, and wrong."""

import re
import zipfile
from itertools import zip_longest

import nbformat
import pytest

from tests.classroom.common import SOURCES, cells, listed
from tests.classroom.courses import Class, program, secret_lines, solutions, tool

pytest.importorskip("nbgrader", reason="the assignments need the extra `classroom`")
SEEDS = (11, 22, 33)
slow = pytest.mark.slow
every_assignment = pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
QUICK, ROUNDS = 1, 3  # of all that is listed: the rest is tried by test_answers.py, in one process
SOON = [SOURCES[2]]  # algebra, which is in the class `two`; numbers are graded in other tests


def graded(path, kind):
    """Return the cells of an assignment that are graded, by a program ("code") or by hand ("markdown")."""
    found = [cell for cell in cells(path) if cell.metadata.get("nbgrader", {}).get("grade")]
    return [cell for cell in found if cell.cell_type == kind]


def total(found):
    return sum(cell.metadata.nbgrader.points for cell in found)


def rounds(kind, stem):
    """Return answers to all tasks at once, round by round."""
    tasks = listed(kind, stem)
    entries = zip_longest(*([e for e in each if not e.get("hidden")][:ROUNDS] for each in tasks.values()))
    return [{task: entry for task, entry in zip(tasks, row, strict=True) if entry} for row in entries]


def instances():
    """Return assignments with the rounds to try: the first of one, and by make slow all others."""
    more = {path: slice(QUICK if path in SOON else 0, ROUNDS) for path in SOURCES}
    return [
        *(pytest.param(path, slice(QUICK), id=path.stem) for path in SOON),
        *(pytest.param(path, some, id=f"{path.stem}-more", marks=slow) for path, some in more.items()),
    ]


@pytest.mark.parametrize(("path", "some"), instances())
def test_everybody_gets_what_they_deserve(path, some, request, tmp_path):
    if some == slice(QUICK):
        made = request.getfixturevalue("two").copied(tmp_path, path)
    else:
        made = Class(tmp_path, path, SEEDS[SOURCES.index(path) % 3])
    check_release(path, made)
    made.submit("untouched", made.read("release"))
    tried = {kind: rounds(kind, path.stem)[some] for kind in ("right", "wrong")}
    assert all(tried.values())
    for kind, found in tried.items():
        for number, entries in enumerate(found):
            answers = {task: entry["answer"] for task, entry in entries.items()}
            made.submit(f"{kind}-{number}", made.read("source"), answers)
    scores = made.grade()
    checks, by_hand = graded(path, "code"), graded(path, "markdown")
    for number in range(len(tried["right"])):
        student = f"right-{number}"
        for cell in checks:
            score, _ = scores[student][cell.id]
            assert score == cell.metadata.nbgrader.points, f"{student}: {made.printed(student, cell.id)}"
        waits = [scores[student][cell.id][1] for cell in by_hand]
        assert all(waits), "answers in words wait for the instructor"
    assert not any(score for score, _ in scores["untouched"].values())
    assert not any(waits for _, waits in scores["untouched"].values())
    for number, entries in enumerate(tried["wrong"]):
        for cell in checks:
            task, student = cell.id.removeprefix("check-"), f"wrong-{number}"
            score, said = scores[student][cell.id][0], made.printed(student, cell.id)
            if task not in entries:
                assert score == cell.metadata.nbgrader.points, f"{task} lost points to another task: {said}"
                continue
            assert score < cell.metadata.nbgrader.points, f"{task}: wrong answer {number} was accepted"
            assert entries[task].get("partial") or score == 0, f"{task}: {said}"
            assert said.startswith("Not yet. "), f"{task}: {said}"
    check_feedback(path, made)


def check_release(path, made):
    """Make sure that students get the numbers of their class, and nothing of what they are to find."""
    with zipfile.ZipFile(made.folder / "assignments.zip") as archive:
        names = [name for name in archive.namelist() if name.endswith(".ipynb")]
        assert f"assignments/{path.stem}/{path.name}" in names
        texts = {name: archive.read(name).decode() for name in names}
    for text in texts.values():
        assert not re.search("SOLUTION|HIDDEN|orr_grading", text)
        assert (made.folder / "secret").read_text("utf-8").strip() not in text
    released = nbformat.reads(texts[f"assignments/{path.stem}/{path.name}"], as_version=4).cells
    assert not any(cell.get("outputs") for cell in released)
    kept = {line.strip() for cell in released for line in cell.source.splitlines()}
    secrets = secret_lines(path)
    assert len(secrets) > 20
    assert not kept & secrets
    assert not re.search(r"^SEED", "\n".join(kept), re.MULTILINE)


def check_feedback(path, made):
    """Make sure that feedback shows neither hidden cases nor a solution to whom has none."""
    made.nbgrader("generate_feedback", path.stem)
    page = (made.course / "feedback" / "untouched" / path.stem / f"{path.stem}.html").read_text("utf-8")
    text = re.sub(r"<[^>]+>", "", page)
    assert (made.folder / "secret").read_text("utf-8").strip() not in page
    assert "With other numbers: right in 0 of" in text
    hidden = {
        line for line in secret_lines(path) if not line.startswith(("from orr_grading", "check = grading"))
    }
    assert not {line for line in hidden if line in text}


def test_numbers_of_their_own_for_a_roster(tmp_path, monkeypatch):
    path, names = SOURCES[0], ["ada", "b-2.c_3", "55"]
    roster = tmp_path / "class.csv"
    roster.write_text("name,student\n" + "".join(f"x,{name}\n" for name in names), "utf-8")
    survey = tmp_path / "survey.csv"
    pairs = [
        f"{name},{a},{b},0" for name in ("apart", "together") for a in ("yes", "no") for b in ("yes", "no")
    ]
    survey.write_text("\n".join(["round,first,second,count", "one,yes,,9", "one,no,,21", *pairs]), "utf-8")
    made = Class(tmp_path / "classes", path, 4711, "--roster", roster, "--survey", survey, run=program)
    answers = solutions(path)
    sheets = {}
    for name in names:
        notebook = nbformat.read(made.folder / "students" / name / path.name, as_version=4)
        (cell,) = [cell for cell in notebook.cells if cell.id == "numbers"]
        sheets[name] = cell.source
        assert not re.search("SOLUTION|HIDDEN|orr_grading", str(notebook))
        made.submit(name, notebook, answers)
    assert len(set(sheets.values())) == len(names)
    scores = made.grade()
    assert set(scores) == set(names)
    for name in names:
        assert sum(score or 0 for score, _ in scores[name].values()) == total(graded(path, "code"))
    from orr_classroom import Sheet
    from orr_grading.sheets import hidden

    opened = [Sheet(re.search(r'"""(.*?)"""', source, re.DOTALL)[1]) for source in sheets.values()]
    assert [each.owner for each in opened] == names
    assert {each.given("survey") for each in opened} == {(9, 21, True)}
    monkeypatch.setenv("ORR_CLASSROOM_SECRET", (made.folder / "secret").read_text("utf-8").strip())
    drawn = {name: repr(hidden(path.stem, "level", 4711, name)) for name in names}
    assert len(set(drawn.values())) == len(names)


def test_a_check_that_was_changed_changes_no_grade(two, tmp_path):
    made = two.copied(tmp_path)
    tampered = (
        "import orr_classroom.case, orr_classroom.comparing, orr_classroom.feedback, orr_classroom.sheet\n"
        "always = lambda *a, **k: orr_classroom.feedback.RIGHT\n"
        "orr_classroom.case.Case.judge = always\n"
        "orr_classroom.comparing.compare = always\n"
        "orr_classroom.sheet.Sheet.__call__ = lambda *a: print('Right')\n"
        "flip_probability = lambda a, epsilon: 0.5"
    )
    made.submit("sly", made.read("release"), {"flip-probability": tampered})
    loud = "def level(a, q):\n    print('seen', a, q)\n    exit()"
    made.submit("loud", made.read("release"), {"level": loud})
    lost = made.read("release")
    lost.cells = [cell for cell in lost.cells if cell.id != "numbers"]
    made.submit("lost", lost)
    scores = made.grade()
    assert not any(score for found in scores.values() for score, _ in found.values())
    assert set(scores) == {"sly", "loud", "lost"}
    assert "exit() and quit() have no place" in made.printed("loud", "check-level")
    assert "seen" not in made.printed("loud", "check-level"), "hidden cases would show"
    assert "The first cell, with the numbers, is missing" in made.printed("lost", "check-level")
    made.submit("honest", made.read("release"))
    done = tool("scan", "--seed", made.seed, "--classes", tmp_path)
    assert not re.search(r"^(honest|loud) ", done.stdout, re.MULTILINE)
    assert re.search(r"^lost +\S+ +numbers +the numbers are missing", done.stdout, re.MULTILINE)
    assert re.search(
        r"^sly +01-noisy-answers +flip-probability +changes orr_classroom", done.stdout, re.MULTILINE
    )


@every_assignment
def test_assignment_keeps_the_contract(path):
    opening = cells(path)[0].source
    checks, by_hand = graded(path, "code"), graded(path, "markdown")
    assert re.match(rf"# Assignment {int(path.name[:2])}: ", opening)
    assert re.search(r"\*\*Time:\*\* about \d+ minutes", opening)
    assert int(re.search(r"\*\*Points:\*\* (\d+)", opening)[1]) == total(checks) + total(by_hand)
    rows = re.findall(r"^\| (.+) \| (.+) \| (\d+) \|$", opening, re.MULTILINE)
    assert [row[0] for row in rows] == ["Warm-up", "Core", "Stretch", "In words, graded by hand"]
    assert sum(int(row[2]) for row in rows) == total(checks) + total(by_hand)
    assert int(rows[-1][2]) == total(by_hand) > 0
    text = "\n".join(cell.source for cell in cells(path) if cell.cell_type == "markdown")
    for part in ("## Your numbers", "## Warm-up", "## Core", "## Stretch", "## In words"):
        assert part in text
    stated = [int(n) for n in re.findall(r"^\*\*Task \d+ \((\d+) points?[,)]", text, re.MULTILINE)]
    assert sorted(stated) == sorted(cell.metadata.nbgrader.points for cell in checks + by_hand)
    assert text.count("| Points | For |") == len(by_hand), "every answer in words has criteria"


@every_assignment
def test_text_of_tasks_is_locked(path):
    for cell in cells(path):
        settings = cell.metadata.get("nbgrader", {})
        if cell.cell_type == "markdown" and not settings.get("solution"):
            assert settings["locked"], cell.id
        if cell.id == "numbers":
            assert not settings, "the numbers of a student are not put back by nbgrader"
            assert cell.metadata["editable"] is False


@every_assignment
def test_practice_has_all_rungs_before_each_core_task(path):
    core = re.search(r"^\| Core \| (.+?) \|", cells(path)[0].source, re.MULTILINE)[1].split(", ")
    practice = path.parents[1] / "practice" / f"practice-{path.name[:2]}.ipynb"
    text = "\n".join(cell.source for cell in cells(practice))
    for task in core:
        assert re.search(rf"^## .*[Tt]ask {task}\b", text, re.MULTILINE), f"a part for task {task}"
    assert text.count("Parsons(") >= len(core)
    assert text.count("faded(") >= len(core)
    assert not any(cell.metadata.get("nbgrader", {}).get("grade") for cell in cells(practice))
