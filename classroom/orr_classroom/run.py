"""Run a notebook without Jupyter, and say which of its checks an answer passes.

``python -m orr_classroom.run assignments/01-noisy-answers.ipynb`` tries every task, or those that are named
behind it. The exit code is 0 if all of them are right and 1 if not.
"""

import argparse
import contextlib
import io
import json
import linecache
import os
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from orr_classroom.calling import sentence
from orr_classroom.feedback import NotYet

FOR_JUPYTER = re.compile(r"^[%!].*", re.MULTILINE)  # a line such as %matplotlib inline is no Python


def cells(path: Path) -> Iterator[tuple[str, str, bool]]:
    """Yield name, code, and whether it is a check, for every cell with code."""
    for cell in json.loads(path.read_text("utf-8"))["cells"]:
        marks = cell["metadata"].get("nbgrader", {})
        if cell["cell_type"] == "code":
            code = FOR_JUPYTER.sub("", "".join(cell["source"]))
            yield marks.get("grade_id") or cell.get("id", ""), code, bool(marks.get("grade"))


def stopped(code: str, name: str, names: dict[str, Any]) -> str:
    """Run the code of a cell; return the hint or the error that stops it, "" if nothing does.

    Examples
    --------
    >>> stopped("a = 1", "first", {}), stopped("a = b", "second", {})
    ('', "The cell stops in line 1, `a = b`: NameError: name 'b' is not defined. Where does it get a value?")
    """
    file = f"<{name}>"
    linecache.cache[file] = len(code), None, code.splitlines(keepends=True), file  # for the line in a hint
    try:
        exec(compile(code, file, "exec"), names)
    except NotYet as hint:
        return str(hint)
    except (Exception, SystemExit) as error:
        return f"The cell {sentence(error)}"
    return ""


def tasks(path: Path) -> list[str]:
    """Return the tasks that a notebook has checks for."""
    return [name.removeprefix("check-") for name, _, check in cells(path) if check]


def right(path: Path, wanted: Sequence[str]) -> bool:
    """Run a notebook from top to bottom, print what the wanted checks say; return whether all are passed."""
    names: dict[str, Any] = {"__name__": "__main__", "display": lambda *_, **__: None}
    troubles: dict[str, str] = {}
    every = True
    for name, code, check in cells(path):
        task = name.removeprefix("check-")
        if not check:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                troubles[name] = stopped(code, name, names)
        elif task in wanted:
            print(f"{path.stem}, {task}: ", end="", flush=True)
            hint = stopped(code, name, names)
            if hint:
                print("Not yet.", troubles.get("numbers") or troubles.get(task) or hint)
            every = every and not hint
    return every


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line, run, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m orr_classroom.run", description="Run visible checks.")
    parser.add_argument("notebook", type=Path)
    parser.add_argument("task", nargs="*", help="names of tasks (all)")
    options = parser.parse_args(arguments)
    path = options.notebook.resolve()
    if not path.is_file():
        parser.error(f"there is no notebook {options.notebook}")
    known = tasks(path)
    for task in options.task:
        if task not in known:
            parser.error(f"{path.name} has no check of {task!r}, only of {', '.join(known)}")
    os.environ.setdefault("MPLBACKEND", "agg")  # draws without a window
    with contextlib.chdir(path.parent):  # where Jupyter would be
        return 0 if right(path, options.task or known) else 1


if __name__ == "__main__":
    sys.exit(main())
