"""The instructor's guide does what it says."""

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import assignments
import student_book
from tests.classroom.courses import as_a_process

ROOT = Path(__file__).parent.parent.parent
GUIDE = (ROOT / "pages" / "teaching.md").read_text("utf-8")
SOURCES = sorted((ROOT / "classroom" / "assignments").glob("*.ipynb"))
CHAPTERS = sorted((ROOT / "chapters").glob("*.ipynb"))


def markdown(path):
    notebook = json.loads(path.read_text("utf-8"))
    return ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "markdown"]


FIRST = SOURCES[0].stem
SHORTER = {  # what `make test` leaves to `make slow`: all assignments but one, and another build of the book
    "make assignments SEED=2027\n": f"make assignments SEED=2027 ONLY={FIRST}\n",
    "make student-book\n": "",
}
# Programs that other tests, or `make book`, run with such arguments: here make says what it would run.
SAID = {
    "make student-repo SEED=2027\n": ["student_repo", "--seed", "2027"],
    "make slides\n": ["slides"],
    f"make assignments SEED=2028 ROSTER=class.csv ONLY={FIRST}\n": [
        *["assignments", "--seed", "2028", "--roster", "class.csv", f"classroom/assignments/{FIRST}.ipynb"]
    ],
}
# Commands that run in this process, which has loaded nbgrader. The one before them runs in one of its own.
LOADED = [f"nbgrader generate_feedback {FIRST}\n", "nbgrader export --to grades.csv\n"]


def shortened(script):
    """Return the commands of the guide without what takes long."""
    dry = {command: command.replace("make ", "make --dry-run ") for command in SAID}
    for command, instead in (SHORTER | dry | dict.fromkeys(LOADED, "")).items():
        assert script.count(command) == 1, command
        script = script.replace(command, instead)
    return script


def finish(copy, said):
    """Make sure that make would run the right programs, and run the commands that the shell did not."""
    lines = [shlex.split(line) for line in said.replace("\\\n", "").splitlines() if " tools/" in line]
    programs = [[Path(words[1]).stem, *words[2:]] for words in lines if words[0].endswith("bin/python")]
    for command, wanted in SAID.items():
        assert wanted in programs, command
    for command in LOADED:
        with as_a_process():
            assignments.nbgrader(copy / "classes" / "2027" / "course", *shlex.split(command)[1:])


@pytest.fixture(scope="module", params=["in short", pytest.param("to the letter", marks=pytest.mark.slow)])
def followed(request, tmp_path_factory):
    """Follow the guide in a fresh copy: all its commands, in one shell."""
    copy = tmp_path_factory.mktemp("fresh") / "copy"
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    for name in subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split(
        "\n"
    ):
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, copy / name)
    (copy / ".venv").mkdir()
    for part in sorted(Path(sys.prefix).iterdir()):
        if part.name.startswith("installed"):  # a mark of its own: make must not install the copy
            (copy / ".venv" / part.name).touch()
        else:
            (copy / ".venv" / part.name).symlink_to(part)
    commands = re.findall(r"^```bash\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL)
    assert len(commands) == 5
    script = "".join(commands)
    short = request.param == "in short"
    done = subprocess.run(
        ["bash", "-e"], input=shortened(script) if short else script, cwd=copy, text=True, capture_output=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    if short:
        finish(copy, done.stdout)
    return copy


to_the_letter = pytest.mark.parametrize(
    "followed", [pytest.param("to the letter", marks=pytest.mark.slow)], indirect=True
)


def test_commands_make_what_the_guide_promises(request, followed):
    made, short = followed / "classes" / "2027", "in short" in request.node.name
    names = [path.stem for path in SOURCES][: 1 if short else None]
    assert sorted(path.stem for path in (made / "solutions").iterdir()) == names
    assert sorted(path.name for path in (made / "course" / "release").iterdir()) == names
    assert (made / "assignments.zip").exists()
    assert (made / "secret").exists()
    assert (made / "course" / "feedback" / "student-1" / names[0] / f"{names[0]}.html").exists()
    assert re.search(r"\bstudent-1\b", (made / "course" / "grades.csv").read_text("utf-8"))
    exports = followed / "classes" / "2027-exports"
    assert (exports / "README.md").exists()
    assert len(list(exports.rglob("*.zip"))) >= len(names)
    assert (exports / "github" / ".github" / "workflows" / "checks.yml").exists()
    assert {"moodle-xml", "gift", "qti-2.1", "qti-1.2"} <= {
        p.name for p in (followed / "_build" / "quizzes").iterdir()
    }
    assert (followed / "class.csv").exists()
    if short:
        return
    assert (followed / "classes" / "2027-student-repo" / "assignments" / f"{names[-1]}.ipynb").exists()
    for student in ("ada", "bernoulli"):
        assert (followed / "classes" / "2028" / "students" / student / f"{names[0]}.ipynb").exists()
    for lecture in (1, 2, 3):
        assert (followed / "_build" / "html" / "slides" / f"lecture-{lecture}.html").exists()
    assert (followed / "_build" / "html" / "slides" / "handout.html").exists()


@to_the_letter
def test_students_book_leaves_the_guide_out(followed):
    html = followed / "_build" / "student" / "_build" / "html"
    assert not list(html.rglob("teaching*"))
    for page in html.glob("*.html"):
        assert "teaching.html" not in page.read_text("utf-8"), page.name


def labels(text):
    return re.findall(r"\{exercise\}.*\n:label: (\S+)", text)


def no_solution_in(source, path):
    """Make sure that the text of a notebook for students has no solution of a chapter."""
    assert "{solution" not in source
    hidden = re.findall(
        r"^([`:]{3,})\{solution\} \S+\n:class: dropdown\n\n(.*?)^\1$",
        "\n".join(markdown(path)),
        re.MULTILINE | re.DOTALL,
    )
    assert hidden
    for _, solution in hidden:
        assert json.dumps(solution.splitlines()[0], ensure_ascii=False)[1:-1] not in source


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_stripped_chapter_has_the_exercises_and_no_solution(path):
    cells = json.loads(path.read_text("utf-8"))["cells"]
    source = json.dumps(student_book.strip(cells), ensure_ascii=False)
    no_solution_in(source, path)
    asked = labels("\n".join(markdown(path)))
    assert asked
    for label in asked:
        assert f":label: {label}\\n" in source
    with pytest.raises(AssertionError):
        no_solution_in(path.read_text("utf-8"), path)


@to_the_letter
def test_students_book_has_the_exercises_and_no_solution(followed):
    html = followed / "_build" / "student" / "_build" / "html"
    for path in CHAPTERS:
        page = (html / "chapters" / f"{path.stem}.html").read_text("utf-8")
        for label in labels("\n".join(markdown(path))):
            assert f'id="{label}"' in page
        assert "solution" not in re.findall(r'class="([^"]*)"', page)
        no_solution_in((html / "_sources" / "chapters" / path.name).read_text("utf-8"), path)
    assert "Solution to" not in "".join(p.read_text("utf-8") for p in html.glob("chapters/*.html"))


def test_guide_states_times_and_points_of_the_assignments():
    rows = re.findall(r"^\| (\d): (.+?) \| .+ \| (\d+) \| (\d+) \|$", GUIDE, re.MULTILINE)
    assert len(rows) == len(SOURCES)
    for (number, title, minutes, points), path in zip(rows, SOURCES, strict=True):
        opening = markdown(path)[0]
        assert opening.startswith(f"# Assignment {number}: {title}\n")
        assert f"**Time:** about {minutes} minutes (our estimate). **Points:** {points}." in opening


def test_minutes_of_the_plan_add_up():
    times = {path.stem: int(re.search(r"Time:\*\* about (\d+)", markdown(path)[0])[1]) for path in CHAPTERS}
    plan = GUIDE.split("## Assignments")[0]
    rows = re.findall(r"^\| (?:\w+(?: \d)?)? ?\| (.+) \| (\d*) ?\| (\d*) ?\|$", plan, re.MULTILINE)
    *plan, (_, in_class, at_home) = [
        (what, int(first or 0), int(second or 0)) for what, first, second in rows
    ]
    assert sum(row[1] for row in plan) == in_class
    assert sum(row[2] for row in plan) == at_home
    for what, _, home in plan:
        for name, minutes in re.findall(r"chapters/([\w-]+)` \((\d+)\)", what):
            assert times[name] == int(minutes)
        parts = [int(minutes) for minutes in re.findall(r"\((\d+)\)", what)]
        assert not parts or sum(parts) == home
