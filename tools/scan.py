"""Report what is worth a look in what a class has handed in: answers of one call, changed checks."""

import argparse
import sys
from pathlib import Path

import nbformat

from assignments import CLASSROOM, ROOT, SEED, read_seed

sys.path.insert(0, str(CLASSROOM))

from orr_grading.scan import looked_through, report


def main() -> None:
    """Read the command line, and every notebook in the folder `submitted` of a class."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=read_seed, default=SEED, help="the class (2026)")
    parser.add_argument("--classes", type=Path, default=ROOT / "classes", help="where classes are (classes)")
    options = parser.parse_args()
    course = options.classes / str(options.seed) / "course"
    if not course.exists():
        sys.exit(f"There is no class {options.seed}. Make it: make assignments SEED={options.seed}")
    findings, unread = [], []
    for path in sorted(course.glob("submitted/*/*/*.ipynb")):
        student, name = path.parts[-3], path.parent.name
        own = course.parent / "students" / student / path.name
        given = own if own.exists() else course / "release" / name / path.name
        if given.exists():
            notebooks = (nbformat.read(each, as_version=4) for each in (path, given))
            findings += looked_through(student, name, *notebooks)
        else:
            unread.append(path.relative_to(course))
    print(report(findings))
    for path in unread:
        print(f"Not read, and not graded: {path} has another name than the assignment.")


if __name__ == "__main__":
    main()
