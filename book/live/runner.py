"""Run a reader's code as a script of its own, and say what came of it; worker.mjs calls this in the page."""

import ast
import io
import json
import linecache
import sys
import traceback
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from types import CodeType

NAME = "<your code>"
MOST = 20_000  # characters of output: enough to read, and too few to choke a page on an endless loop
CUT = f"… only the first {MOST:,} characters are shown"
HERE = "Python's standard library and SymPy are here, and nothing else."


class Out(io.TextIOBase):
    """What the code prints, handed on line by line."""

    def __init__(self, say: Callable[[str], object]):
        self.say, self.room, self.line = say, MOST, ""

    def write(self, text: str) -> int:
        """Keep the text until its line is complete, and drop what is too much."""
        self.line += text[: self.room]
        if self.room and len(text) >= self.room:
            self.line += f"\n{CUT}\n"
        self.room = max(self.room - len(text), 0)
        if "\n" in self.line:
            self.flush()
        return len(text)

    def flush(self) -> None:
        """Hand on what there is."""
        if self.line:
            self.say(self.line)
            self.line = ""


def refuse(_prompt: object = "") -> None:
    """Stand in for input: there is nobody to ask."""
    raise RuntimeError("input() cannot ask you anything here: write the value into the code")


def parts(code: str) -> tuple[CodeType, CodeType | None]:
    """Compile the code; an expression at its end, whose value is shown, by itself."""
    tree, last = ast.parse(code, NAME), None
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        last = compile(ast.Expression(tree.body.pop().value), NAME, "eval")
    return compile(tree, NAME, "exec"), last


def shown(value: object) -> str:
    """Return a value as text, formulas of SymPy as one would write them."""
    sympy = sys.modules.get("sympy")
    formulas = (sympy.Basic, sympy.MatrixBase) if sympy else ()
    several = isinstance(value, list | tuple) and value and all(isinstance(part, formulas) for part in value)
    if isinstance(value, formulas) or several:
        return sympy.pretty(value, use_unicode=True, wrap_line=False)
    return repr(value)


def explain(error: BaseException) -> dict[str, str]:
    """Say in a sentence what went wrong and in which line, and return the whole traceback beside it."""
    trace = error.__traceback__
    while trace and trace.tb_frame.f_code.co_filename != NAME:  # the first frames are this file's
        trace = trace.tb_next
    lines = [line for frame, line in traceback.walk_tb(trace) if frame.f_code.co_filename == NAME]
    if isinstance(error, SyntaxError) and error.filename == NAME:
        lines.append(error.lineno or 1)
    where = f"Line {lines[-1]}: " if lines else ""
    what = traceback.format_exception_only(error)[-1].strip()
    hint = f" {HERE}" if isinstance(error, ModuleNotFoundError) else ""
    return {
        "sentence": f"{where}{what}{'' if what.endswith('.') else '.'}{hint}",
        "traceback": "".join(traceback.format_exception(type(error), error, trace)),
    }


def run(code: str, say: Callable[[str], object]) -> str:
    """Run the code, hand what it prints to `say`, and return the last value or the error as JSON."""
    linecache.cache[NAME] = len(code), None, code.splitlines(keepends=True), NAME  # tracebacks quote it
    out, said = Out(say), {}
    with redirect_stdout(out), redirect_stderr(out):
        try:
            script, last = parts(code)
            names = {"__name__": "__main__", "input": refuse}
            exec(script, names)
            value = eval(last, names) if last else None
            if value is not None:
                text = shown(value)
                said["result"] = text if len(text) <= MOST else f"{text[:MOST]}\n{CUT}"
        except BaseException as error:  # also SystemExit: a script may end as it likes, Python goes on
            said = explain(error)
        out.flush()
    return json.dumps(said)
