"""Make what a class needs from the assignments: release versions, a zip of them, and the solutions."""

import argparse
import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parent.parent
MISSING = """nbgrader is not installed, and the assignments are made with it. Install it with
    make .venv/installed-classroom
or, in an environment of your own, from the repository's folder, with
    pip install ".[classroom]\""""
CONFIG = """c = get_config()  # noqa: F821
c.CourseDirectory.course_id = "optimized-randomized-response"
c.Execute.timeout = 300
"""


def reseed(notebook: nbformat.NotebookNode, seed: int) -> None:
    """Give an assignment the numbers of a class."""
    (cell,) = [cell for cell in notebook.cells if cell.id == "numbers"]
    cell.source, changed = re.subn(r"^SEED = \d+$", f"SEED = {seed}", cell.source, flags=re.MULTILINE)
    if changed != 1:
        raise ValueError('the cell "numbers" must have one line "SEED = ..."')


def solve(notebook: nbformat.NotebookNode) -> None:
    """Run an assignment with its solutions, hidden tests and all; an error means that a check fails."""
    NotebookClient(notebook, timeout=300, record_timing=False).execute()
    notebook.metadata["language_info"] = {"name": "python"}


def make(sources: list[Path], seed: int | None, out: Path) -> None:
    """Write the course, the zip and the solutions into an empty folder."""
    course, solutions = out / "course", out / "solutions"
    shutil.rmtree(out, ignore_errors=True)
    solutions.mkdir(parents=True)
    for path in sources:
        print(f"{path.stem}: checking its solutions", flush=True)
        notebook = nbformat.read(path, as_version=4)
        if seed is not None:
            reseed(notebook, seed)
        source = course / "source" / path.stem
        source.mkdir(parents=True)
        nbformat.write(notebook, source / path.name)
        solve(notebook)
        nbformat.write(notebook, solutions / path.name)
    (course / "nbgrader_config.py").write_text(CONFIG, "utf-8")
    command = [sys.executable, "-m", "nbgrader", "generate_assignment", "--log-level=WARN", "--force"]
    beside = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # nbgrader calls alembic
    for path in sources:
        subprocess.run([*command, path.stem], cwd=course, check=True, env=os.environ | {"PATH": beside})
    shutil.make_archive(str(out / "assignments"), "zip", course / "release")


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sources", nargs="*", type=Path, help="the assignments (all)")
    parser.add_argument("--seed", type=int, help="the numbers of this class (those of the source)")
    parser.add_argument("--out", type=Path, default=ROOT / "_build" / "classroom")
    options = parser.parse_args()
    if find_spec("nbgrader") is None:
        sys.exit(MISSING)
    sources = options.sources or sorted((ROOT / "classroom" / "assignments").glob("*.ipynb"))
    make(sources, options.seed, options.out)
    print(f"For students:    {options.out / 'assignments.zip'}")
    print(f"For you alone:   {options.out / 'solutions'}")
    print(f"nbgrader course: {options.out / 'course'}")


if __name__ == "__main__":
    main()
