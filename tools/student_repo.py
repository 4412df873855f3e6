"""Make the repository that students open: package, chapters, assignments, and none of their solutions."""

import argparse
import json
import re
import shutil
import sys
import tempfile
from pathlib import Path

from assignments import ROOT, SEED, read_seed
from packages import OURS, copy_package
from student_book import strip

COPIED = {
    **{name: name for name in OURS},
    "classroom/orr_classroom": "classroom/orr_classroom",
    "classroom/pyproject.toml": "classroom/pyproject.toml",
    "classroom/project/project.ipynb": "project/project.ipynb",
    "classroom/project/bridges.md": "project/bridges.md",
    "LICENSE": "LICENSE",
    "CITATION.cff": "CITATION.cff",
    "pages/references.bib": "pages/references.bib",
}
ENVIRONMENT = """# Binder and conda. What the chapters and the assignments need is in pyproject.toml.
name: orr
channels:
  - conda-forge
dependencies:
  - {python}
  - pip
  - pip:
      - -e .[{extras}]
      - -e ./classroom
"""
EXTRAS = "book,genomes,secure,release,binder"  # without what tests and grades
README = """# Optimized randomized response: for students

Here are the chapters of the book, the assignments of your class, and practice for them: all of them Jupyter
notebooks.

**On Binder.** Your instructor gives you a link. Open a notebook of `assignments`, work, and *download it
before you leave* (File, Download): Binder forgets everything. To go on later, upload it again.

**On your own machine**, with Python 3.11 or later, in this folder:

```sh
python -m pip install --editable ".[release]" --editable ./classroom
python -m pip install jupyterlab sympy matplotlib
jupyter lab
```

The first line is all that the checks and the project need; SymPy is for assignment 3, and matplotlib for the
chapters. The packages are not on a package index, and whatever goes by their names there is not these. Leave
the folder where it is: Python reads the packages from it.

**Checks.** Under every task stands a check. Run it as often as you like: it says what is wrong, and
`check.more()` says more. Your grade comes from the same checks with other numbers.

**Practice.** Before a core task, look into the notebook of `practice` with the same number: an example that
is worked out, one with blanks, and lines to put in order.

**Project.** `project` has the notebook of the final project, and bridges to chapters that a course may skip.

The code is under the MIT licence, the text under CC BY 4.0.
"""


def copy(out: Path) -> None:
    """Copy what students may have from this repository."""
    for name, place in COPIED.items():
        target = out / place
        target.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_dir():
            copy_package(ROOT / name, target)
        else:
            shutil.copy(ROOT / name, target)
    (out / "chapters").mkdir()
    for path in sorted(ROOT.glob("chapters/*.ipynb")):
        notebook = json.loads(path.read_text("utf-8"))
        notebook["cells"] = strip(notebook["cells"])
        text = json.dumps(notebook, indent=1, ensure_ascii=False)
        (out / "chapters" / path.name).write_text(text + "\n", "utf-8")


def settings(out: Path) -> None:
    """Write what installs the package, for pip and for Binder."""
    project = (ROOT / "pyproject.toml").read_text("utf-8").partition("[tool.ruff]")[0]
    for extra in ("test", "classroom", "browser", "lite", "otter"):
        project = re.sub(rf"^{extra} = \[.*?\](?: #.*)?\n", "", project, flags=re.MULTILINE | re.DOTALL)
    (out / "pyproject.toml").write_text(project.rstrip() + "\n", "utf-8")
    (out / "README.md").write_text(README, "utf-8")
    python = re.search(r"python=[\d.]+", (ROOT / "environment.yml").read_text("utf-8"))
    assert python, "environment.yml names a version of Python"
    text = ENVIRONMENT.format(python=python[0], extras=EXTRAS)
    (out / "environment.yml").write_text(text, "utf-8")


def build(out: Path, made: Path) -> None:
    """Write the whole repository into an empty folder, with what a class was made of."""
    copy(out)
    settings(out)
    if not (made / "students").exists():  # else everybody has a notebook of their own
        (out / "assignments").mkdir()
        for path in sorted(made.glob("course/release/*/*.ipynb")):
            shutil.copy(path, out / "assignments")
    if (made / "practice").exists():
        shutil.copytree(made / "practice", out / "practice")


def main() -> None:
    """Read the command line, build aside and swap in."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=read_seed, default=SEED, help="the class (2026)")
    parser.add_argument("--classes", type=Path, default=ROOT / "classes", help="where classes are (classes)")
    options = parser.parse_args()
    made = options.classes.resolve() / str(options.seed)
    out = made.with_name(f"{made.name}-student-repo")
    if not (made / "course" / "release").exists():
        sys.exit(f"There is no class {options.seed}. Make it: make assignments SEED={options.seed}")
    if out.exists():
        sys.exit(f"{out} exists, perhaps with commits of yours. Move it away, or delete it yourself.")
    with tempfile.TemporaryDirectory(dir=out.parent, prefix=f".{out.name}-") as folder:
        fresh = Path(folder) / out.name
        fresh.mkdir()
        build(fresh, made)
        fresh.rename(out)
    print(f"For students, to publish: {out}")


if __name__ == "__main__":
    main()
