"""Make what a class needs from the assignments: releases, a zip of them, solutions, a course that grades.

Everything goes to a folder of its own for each seed, built aside and then swapped in. What this tool did not
make, it never deletes.
"""

import argparse
import contextlib
import csv
import hashlib
import io
import json
import os
import re
import secrets
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode

ROOT = Path(__file__).resolve().parent.parent
CLASSROOM = ROOT / "classroom"
SOURCES = sorted(CLASSROOM.glob("assignments/*.ipynb"))
PRACTICE = sorted(CLASSROOM.glob("practice/*.ipynb"))
SEED = 2026  # that of the sources
LARGEST = 2**32 - 1
OPEN, CLOSE = 'check = Sheet(\n    """\n', '\n    """\n)'  # around a sheet in a notebook
Extra = dict[str, dict[str, Any]]  # further numbers for an assignment, by their names
sys.path.insert(0, str(CLASSROOM))

MISSING = """nbgrader is not installed, and the assignments are made with it. Install it with
    make .venv/installed-classroom
or, in an environment of your own, from the repository's folder, with
    pip install ".[classroom]\""""
CONFIG = '''"""Settings of nbgrader for this course, for every nbgrader command that is run in this folder."""

import os
import sys
from pathlib import Path

c = get_config()  # noqa: F821
c.CourseDirectory.course_id = "optimized-randomized-response"

# Hidden cases are drawn from a secret, by a package that students do not have. Keep both to yourself.
# Without them no grade would be right, so nothing is graded: this stops every nbgrader command.
secret = Path(__file__).resolve().parent.parent / "secret"
grading = Path(os.environ.get("ORR_GRADING", {grading!r}))
if not secret.is_file():
    sys.exit(f"{{secret}} is missing. Move or copy the whole folder of a class, not `course` alone.")
if not (grading / "orr_grading").is_dir():
    sys.exit(f"{{grading}} has no orr_grading. Set ORR_GRADING to the folder `classroom` of the repository.")
os.environ["ORR_CLASSROOM_SECRET"] = secret.read_text("utf-8").strip()
# Tasks and right answers import packages of the repository that are not installed.
os.environ["PYTHONPATH"] = os.pathsep.join([str(grading), str(grading.parent)])

# The longest task takes about a minute on a busy machine, and a kernel may be slow to start or to speak.
c.Execute.timeout = c.Execute.startup_timeout = 300
c.Execute.iopub_timeout = 60
c.Execute.interrupt_on_timeout = True
c.ClearSolutions.code_stub = {{"python": "...  # your code here"}}
c.ClearSolutions.text_stub = "*Your answer here.*"

# What `nbgrader zip_collect` finds in the zip of all submissions that a learning platform hands out:
#   Moodle   Jane Doe_12345_assignsubmission_file_01-noisy-answers.ipynb (or a folder with the file)
#   Canvas   doejane_12345_67890_01-noisy-answers.ipynb, doejane_LATE_12345_67890_01-noisy-answers-1.ipynb
# The number after the name is the student.
c.FileNameCollectorPlugin.named_regexp = (
    r".*?_(?:LATE_)?(?P<student_id>\\d+)_(?:assignsubmission_file_?/?|\\d+_)"
    r"(?P<file_id>\\d\\d-[a-z-]*[a-z])(?: ?\\(\\d+\\))?(?:-\\d+)?(?: ?\\(\\d+\\))?\\.ipynb$"
)
'''


class Refused(Exception):
    """Something that would be lost, or cannot be read; the message says what to do."""


def read_seed(text: str) -> int:
    """Read the seed of a class, or say what one is."""
    if not re.fullmatch(r"\d{1,10}", text) or int(text) > LARGEST:
        raise argparse.ArgumentTypeError(f"{text!r} is no seed: take a whole number from 0 to {LARGEST}")
    return int(text)


def read_roster(path: Path) -> list[str]:
    """Read the names of students: the column `student` of a table."""
    try:
        rows = list(csv.DictReader(path.read_text("utf-8-sig").splitlines()))
    except OSError as error:
        raise Refused(f"The roster {path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise Refused(f"The roster {path} cannot be read: save it as CSV in UTF-8.") from None
    if not rows:
        raise Refused(f"The roster {path} has no rows below its first line, which names the columns.")
    if "student" not in rows[0]:
        raise Refused(f"The first line of {path} must name the columns, one of them `student`.")
    names = [(row["student"] or "").strip() for row in rows]
    for line, name in enumerate(names, start=2):
        fits = re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", name) and not name.endswith(".zip")
        if not fits or name == "class":
            raise Refused(
                f"Line {line} of {path}: {name!r} is no name for a folder. Use letters, digits, dot, dash, "
                "underscore, such as the number that your platform gives each student."
            )
    folded = [name.lower() for name in names]  # folders of some systems do not tell cases apart
    twice = next((name for name in names if folded.count(name.lower()) > 1), None)
    if twice:
        raise Refused(f"{path} has {twice!r} twice.")
    return names


def read_survey(path: Path) -> Extra:
    """Read the answers of the class's own survey, for assignments 1 and 2."""
    try:
        rows = list(csv.DictReader(path.read_text("utf-8-sig").splitlines()))
        counts = {(row["round"], row["first"], row["second"]): int(row["count"]) for row in rows}
    except (OSError, KeyError, ValueError, TypeError) as error:
        what = type(error).__name__
        raise Refused(f"{path} is no survey.csv of the survey page: it cannot be read ({what}).") from None
    both = list(product(("no", "yes"), repeat=2))
    wanted = {("one", answer, "") for answer in ("no", "yes")}
    wanted |= {(name, *answers) for name in ("apart", "together") for answers in both}
    if set(counts) != wanted or len(rows) != len(wanted) or min(counts.values()) < 0:
        raise Refused(f"{path} is no survey.csv of the survey page: it must have each of its ten rows once.")
    extra: Extra = {}
    yes, no = counts["one", "yes", ""], counts["one", "no", ""]
    if yes + no:
        extra["01-noisy-answers"] = {"survey": (yes, no, True)}
    tables = [[[counts[name, first, second] for second in ("no", "yes")] for first in ("no", "yes")]
              for name in ("apart", "together")]  # fmt: skip
    if all(sum(map(sum, table)) for table in tables):
        extra["02-flip-sets"] = {"survey": (*tables, True)}
    return extra


def with_sheet(notebook: NotebookNode, sheet: Any) -> NotebookNode:
    """Return a source with its numbers written down, so that it needs nothing that students do not have."""
    copy = nbformat.from_dict(json.loads(json.dumps(notebook)))
    (cell,) = [cell for cell in copy.cells if cell.id == "numbers"]
    opened = f"{OPEN}{indented(sheet.text)}{CLOSE}"
    for pattern, new in [
        (r"^SEED = \d+\n+", ""),
        (r"^from orr_grading import sheet$", "from orr_classroom import Sheet"),
        (r"^check = sheet\(.*\)$", opened),
    ]:
        cell.source, changed = re.subn(pattern, new, cell.source, flags=re.MULTILINE)
        if changed != 1:
            raise ValueError(f'the cell "numbers" must have one line like {pattern}')
    cell.metadata["jupyter"] = {"source_hidden": True}  # its text is nothing to read
    for each in copy.cells:
        if each.cell_type == "code":
            each.outputs, each.execution_count = [], None
    return copy


def solve(notebook: NotebookNode) -> None:
    """Run a notebook with its solutions, hidden cases and all."""
    patient = {"timeout": 300, "startup_timeout": 300, "iopub_timeout": 60}  # on a busy machine
    NotebookClient(notebook, record_timing=False, **patient).execute()
    notebook.metadata["language_info"] = {"name": "python"}


def short(notebook: NotebookNode) -> list[str]:
    """Return the tasks in which a solved notebook has less than all points."""
    return [
        cell.id
        for cell in notebook.cells
        if cell.metadata.get("nbgrader", {}).get("grade") and cell.cell_type == "code"
        if not any(
            output.get("data", {}).get("text/plain") == str(float(cell.metadata.nbgrader.points))
            for output in cell.outputs
        )
    ]


def right_for(path: Path, seed: int, extra: dict[str, Any] | None, owner: str) -> str:
    """Make the sheet of one student, try the solutions with it, and return its text."""
    from orr_grading import sheet

    made = sheet(path.stem, seed, owner, extra)
    names: dict[str, Any] = {"__name__": "__main__", "check": made}
    with contextlib.redirect_stdout(io.StringIO()):
        for cell in nbformat.read(path, as_version=4).cells:
            if cell.cell_type != "code":
                continue
            source = re.sub(
                r"### BEGIN HIDDEN TESTS.*?### END HIDDEN TESTS", "", cell.source, flags=re.DOTALL
            )
            source = re.sub(r"^check = sheet\(.*\)$", "", source, flags=re.MULTILINE)
            exec(compile(source, f"{path.stem} {cell.id}", "exec"), names)
    return made.text


def nbgrader(course: Path, *arguments: str) -> None:
    """Run a command of nbgrader's in the folder of a course, in this process: another takes seconds to start.

    The settings of the course change ``os.environ``, as they do for a process of its own.
    """
    from jupyter_core.application import NoStart
    from nbgrader.apps import NbGraderApp

    beside = str(Path(sys.executable).parent)  # where alembic is, which nbgrader calls
    os.environ["PATH"] = f"{beside}{os.pathsep}{os.environ['PATH']}"
    app = NbGraderApp.instance()
    with contextlib.chdir(course):
        try:
            app.initialize(list(arguments))
            with contextlib.suppress(NoStart):  # which says that a command has ended
                app.start()
        finally:
            app.reset()


def generate(course: Path, names: Iterable[str]) -> None:
    """Let nbgrader make the release versions."""
    for name in names:
        nbgrader(course, "generate_assignment", "--log-level=WARN", "--force", name)


def blank(path: Path) -> NotebookNode:
    """Return a practice notebook without solutions and outputs."""
    from nbgrader.preprocessors import ClearOutput, ClearSolutions

    notebook, resources = nbformat.read(path, as_version=4), {"language": "python"}
    stub = {"python": ""}  # what is to be filled in stands above it
    for step in (ClearSolutions(code_stub=stub), ClearOutput()):
        notebook, resources = step.preprocess(notebook, resources)
    return notebook


def make(
    out: Path,
    seed: int,
    secret: str,
    sources: list[Path],
    roster: list[str],
    extra: dict[str, dict[str, Any]],
) -> None:
    """Write all of a class into an empty folder."""
    from orr_grading import sheet

    path = [str(CLASSROOM), str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    os.environ |= {"ORR_CLASSROOM_SECRET": secret, "PYTHONPATH": os.pathsep.join(path)}
    course, solutions, students = out / "course", out / "solutions", out / "students"
    for path in sources:
        print(f"{path.stem}: checking its solutions", flush=True)
        notebook = with_sheet(
            nbformat.read(path, as_version=4), sheet(path.stem, seed, extra=extra.get(path.stem))
        )
        write(notebook, course / "source" / path.stem / path.name)
        solve(notebook)
        if short(notebook):
            raise Refused(f"{path.stem} with seed {seed}: the solution is not right in {short(notebook)}.")
        write(notebook, solutions / path.name)
    (out / "secret").write_text(secret + "\n", "utf-8")
    (out / "secret").chmod(0o600)
    (course / "nbgrader_config.py").write_text(CONFIG.format(grading=str(CLASSROOM)), "utf-8")
    generate(course, [path.stem for path in sources])
    for path in PRACTICE:
        write(blank(path), out / "practice" / path.name)
    if roster:
        give_out(course, students, sources, seed, roster, extra)
    pack(out, roster)


def give_out(
    course: Path, students: Path, sources: list[Path], seed: int, roster: list[str], extra: Extra
) -> None:
    """Write notebooks with numbers of their own for a roster, and enter its students in the gradebook."""
    from nbgrader.api import Gradebook

    for path in sources:
        print(f"{path.stem}: numbers for {len(roster)} students", flush=True)
        release = (course / "release" / path.stem / path.name).read_text("utf-8")
        made = partial(right_for, path, seed, extra.get(path.stem))
        with ProcessPoolExecutor() as pool:
            for student, text in zip(roster, pool.map(made, roster), strict=True):
                write(renumbered(nbformat.reads(release, as_version=4), text), students / student / path.name)
    with Gradebook(f"sqlite:///{course / 'gradebook.db'}", "optimized-randomized-response") as book:
        for student in roster:
            book.update_or_create_student(student)


def renumbered(notebook: NotebookNode, text: str) -> NotebookNode:
    """Put another sheet into a released notebook."""
    (cell,) = [cell for cell in notebook.cells if cell.id == "numbers"]
    before, _, rest = cell.source.partition(OPEN)
    after = rest.partition(CLOSE)[2]
    cell.source = f"{before}{OPEN}{indented(text)}{CLOSE}{after}"
    return notebook


def indented(text: str) -> str:
    """Indent the text of a sheet as it stands in a notebook."""
    return "\n".join(f"    {line}" for line in text.splitlines())


def pack(out: Path, roster: list[str]) -> None:
    """Zip what students get."""
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder)
        shutil.copytree(out / "course" / "release", whole / "assignments")
        if (out / "practice").exists():
            shutil.copytree(out / "practice", whole / "practice")
        shutil.make_archive(str(out / "assignments"), "zip", whole)
    for student in roster:
        with tempfile.TemporaryDirectory() as folder:
            own = Path(folder) / student
            shutil.copytree(out / "students" / student, own / "assignments")
            shutil.copytree(out / "practice", own / "practice")
            shutil.make_archive(str(out / "students" / student), "zip", own)


def write(notebook: NotebookNode, path: Path) -> None:
    """Write a notebook, and its folder if need be."""
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, path)


def prints(folder: Path) -> dict[str, str]:
    """Return a print of every file in a folder but the gradebook, which changes whenever it is opened."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != "gradebook.db")
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
        if path.name != "made.json"
    }


def foreign(folder: Path) -> list[str]:
    """Return what is in a folder that this tool did not make: submissions, grades, feedback, edits."""
    if not folder.exists():
        return []
    try:
        known = json.loads((folder / "made.json").read_text("utf-8"))
    except (OSError, ValueError):
        known = {}
    found = [name for name, mark in prints(folder).items() if known.get(name) != mark]
    book = folder / "course" / "gradebook.db"
    if book.exists():
        try:
            with contextlib.closing(sqlite3.connect(book)) as base:
                (count,) = base.execute("select count(*) from submitted_assignment").fetchone()
        except sqlite3.Error:
            count = "unreadable"
        if count:
            found.append(f"course/gradebook.db with {count} submissions")
    return found


def swap(fresh: Path, out: Path) -> None:
    """Put a new folder in the place of another, which is kept if it holds what was not made here by now."""
    number = next(n for n in range(1, 10**6) if not out.with_name(f"{out.name}-{n}").exists())
    old = out.with_name(f"{out.name}-{number}")
    if out.exists():
        out.rename(old)
    fresh.rename(out)
    if foreign(old):
        print(f"Moved aside: {old}")
    else:
        shutil.rmtree(old, ignore_errors=True)


def update(out: Path, seed: int, sources: list[Path], roster: list[str], extra: Extra) -> None:
    """Make some assignments of a class anew that nobody has handed in, and leave the others alone."""
    names = [path.stem for path in sources]
    handed = [name for name in foreign(out) if any(each in name for each in names)]
    if handed:
        raise Refused(f"{names[0]} is in use: {handed[0]} was not made here. Nothing was changed.")
    secret = (out / "secret").read_text("utf-8").strip()
    roster = roster or sorted(path.name for path in out.glob("students/*") if path.is_dir())
    with tempfile.TemporaryDirectory(dir=out.parent, prefix=f".{out.name}-new-") as folder:
        fresh = Path(folder) / out.name
        fresh.mkdir()
        make(fresh, seed, secret, sources, roster, extra)
        for path in sorted(fresh.rglob("*.ipynb")):
            target = out / path.relative_to(fresh)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
    generate(out / "course", names)  # enters it in the gradebook that the class has
    pack(out, roster)
    made = out / "made.json"
    known = json.loads(made.read_text("utf-8"))
    anew = {name: mark for name, mark in prints(out).items() if any(each in name for each in names)}
    zips = {name: mark for name, mark in prints(out).items() if name.endswith(".zip")}
    made.write_text(json.dumps(known | anew | zips, indent=1), "utf-8")


def build(
    out: Path,
    seed: int,
    sources: list[Path],
    roster: list[str],
    extra: dict[str, dict[str, Any]],
    aside: bool,
) -> None:
    """Make a class, aside, and swap it in; refuse where something would be lost."""
    if out.exists() and not (out / "secret").exists():
        raise Refused(f"{out} has no file `secret`, and so no hidden cases. Put it back, or move {out} away.")
    if out.exists() and len(sources) < len(SOURCES) and not aside:
        update(out, seed, sources, roster, extra)
        return
    kept = foreign(out)
    if kept and not aside:
        listed = "\n".join(f"    {name}" for name in kept[:8]) + ("\n    ..." if len(kept) > 8 else "")
        raise Refused(
            f"{out} holds what was not made here:\n{listed}\nNothing was changed. Take another SEED; or "
            "ONLY=… for an assignment that nobody has handed in; or "
            f"repeat with ASIDE=yes: the folder is then moved to {out.name}-1 or so, with all that is in it, "
            "and the class gets a new one with the same secret."
        )
    before = out / "secret"
    secret = before.read_text("utf-8").strip() if before.exists() else secrets.token_hex(16)
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out.parent, prefix=f".{out.name}-new-") as folder:
        fresh = Path(folder) / out.name
        fresh.mkdir()
        make(fresh, seed, secret, sources, roster, extra)
        (fresh / "made.json").write_text(json.dumps(prints(fresh), indent=1), "utf-8")
        swap(fresh, out)


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sources", nargs="*", type=Path, help="the assignments (all)")
    parser.add_argument("--seed", type=read_seed, default=SEED, help="the numbers of this class (2026)")
    parser.add_argument("--roster", type=Path, help="a table of students, who get numbers of their own")
    parser.add_argument("--survey", type=Path, help="survey.csv of the class, for assignments 1 and 2")
    parser.add_argument("--aside", action="store_true", help="move a class that is in use aside")
    parser.add_argument("--classes", type=Path, default=ROOT / "classes", help="where classes are (classes)")
    options = parser.parse_args()
    if find_spec("nbgrader") is None:
        sys.exit(MISSING)
    out = options.classes.resolve() / str(options.seed)
    try:
        missing = [path for path in options.sources if not path.is_file()]
        if missing:
            names = ", ".join(path.stem for path in SOURCES)
            raise Refused(f"There is no assignment {missing[0].stem!r}. ONLY is one of {names}.")
        roster = read_roster(options.roster) if options.roster else []
        extra = read_survey(options.survey) if options.survey else {}
        build(out, options.seed, options.sources or SOURCES, roster, extra, options.aside)
    except Refused as refused:
        sys.exit(str(refused))
    if (out / "students").exists():
        count = len(list(out.glob("students/*.zip")))
        print(f"For students:    {out / 'students'}, one by one ({count} in all)")
    else:
        print(f"For students:    {out / 'assignments.zip'}")
    print(f"For you alone:   {out / 'solutions'}")
    print(f"nbgrader course: {out / 'course'}")


if __name__ == "__main__":
    main()
