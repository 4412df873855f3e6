"""Call a student's function, and say in a sentence where it stops if it does."""

import contextlib
import io
import linecache
import sysconfig
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import orr
from orr_classroom.codec import Generator, decode, encode, plain
from orr_classroom.feedback import show

OWN = (str(Path(__file__).parent), str(Path(orr.__file__).parent))
LIBRARIES = (sysconfig.get_path("stdlib"), sysconfig.get_path("purelib"), *OWN)
ADVICE = [
    ("'NoneType'", "Something there is None: does a function end without return?"),
    ("object is not callable", "Is there an operator missing before the bracket?"),
    ("has no callable", "np.log and its like take numbers: put them in first, or use sp.log and its like."),
    ("Cannot convert expression to float", "A symbol is still in it: put numbers in first."),
    ("cannot determine truth value of Relational", "max, min and if compare numbers: put them in first."),
    ("truth value of an array", "`if`, `and` and `or` want one truth value; np.where takes an array."),
    ("can't multiply sequence", "A list is no array: try np.array(...) first."),
    ("only be converted to Python scalars", "np.exp and its like take arrays, math.exp one number."),
    ("only 0-dimensional arrays", "np.exp and its like take arrays, math.exp one number."),
    ("could not be broadcast", "Two arrays there have different lengths."),
    ("out of bounds", "Counting starts at 0 and ends one below the length."),
    ("index out of range", "Counting starts at 0 and ends one below the length."),
    ("unhashable type", "A key of a dictionary cannot change: write tuple(...)."),
    ("inhomogeneous", "Its parts have different lengths, which no array can hold: draw their positions."),
    ("'a' and 'p' must have same size", "There must be one probability for each thing to draw."),
    ("robabilities do not sum to 1", "Are all the probabilities there, and each once?"),
    ("positional argument", "The check calls it as it is written above: name and order count."),
    ("type NoneType", "Something there is None: a solver that finds nothing returns that."),
    ("numpy boolean", "True and False do not subtract: make numbers of them first, times 1."),
    ("maximum recursion", "Does the function call itself without an end?"),
    ("division by zero", "Which of the numbers can be 0 there?"),
    ("invalid index to scalar", "That is one number, and not a list."),
    ("not subscriptable", "That has no entries to pick from."),
    (
        "'LinearProgram' object has no attribute",
        "The program is written down, and not solved yet: .solve() does that.",
    ),
    ("has no attribute", "Was a list or a number taken for an array, or a name misspelt?"),
    ("'list'", "A list is no array: try np.array(...) first."),
]


@dataclass(frozen=True)
class Outcome:
    """What came of one call: a value, or a sentence that says why there is none."""

    shown: str
    value: Any = None
    trouble: str = ""

    def pack(self) -> list[Any]:
        """Write it for another process."""
        return [self.shown, encode(self.value), self.trouble]

    @staticmethod
    def unpack(data: Sequence[Any]) -> "Outcome":
        """Read what `pack` wrote."""
        return Outcome(data[0], decode(data[1]), data[2])


@contextlib.contextmanager
def _guarded(function: Any, quiet: bool) -> Iterator[None]:
    """Let a function neither warn nor end the notebook, and where it is to be quiet, print nothing."""

    def leave(*_: Any) -> None:
        raise SystemExit

    names = getattr(function, "__globals__", {})
    kept = {name: names[name] for name in ("exit", "quit") if name in names}
    names.update(dict.fromkeys(kept, leave))  # those of a notebook stop its kernel
    nowhere = contextlib.redirect_stdout(io.StringIO()) if quiet else contextlib.nullcontext()
    try:
        # What is written to stderr would cost points in nbgrader.
        with warnings.catch_warnings(), np.errstate(all="ignore"), contextlib.redirect_stderr(io.StringIO()):
            warnings.simplefilter("ignore")
            with nowhere:
                yield
    finally:
        names.update(kept)


def call(
    function: Any, arguments: Sequence[Any], shown: str = "", tools: Any = None, *, quiet: bool = False
) -> Outcome:
    """Call a student's function with copies of the arguments.

    Examples
    --------
    >>> call(lambda a, b: a + b, [1, 2.5])
    Outcome(shown='<lambda>(1, 2.5)', value=3.5, trouble='')
    >>> call(lambda x: print(end=""), [1]).trouble
    'returns nothing. Does it end with "return ..."?'
    """
    name = getattr(function, "__name__", "your function")
    shown = shown or f"{name}({', '.join(map(show, arguments))})"
    if function is None or function is Ellipsis:
        return Outcome(shown, trouble="is still empty.")
    if not callable(function):
        return Outcome(shown, trouble=f"should be a function, and is {show(function)}.")
    ready = [_ready(each, tools) for each in arguments]
    try:
        with _guarded(function, quiet):
            value = plain(function(*ready))
    except NotImplementedError as error:
        if "Stdin" in type(error).__name__:
            return Outcome(shown, trouble="asks for input(). Its numbers are its arguments.")
        return Outcome(shown, trouble="is still to be written.")
    except Exception as error:
        return Outcome(shown, trouble=sentence(error))
    except SystemExit:
        return Outcome(shown, trouble="leaves Python: exit() and quit() have no place in a function.")
    if value is None and _blank(function):
        return Outcome(shown, trouble="is still to be written.")
    if value is None:
        return Outcome(shown, trouble='returns nothing. Does it end with "return ..."?')
    return Outcome(shown, value)


def _blank(function: Any) -> bool:
    """Return whether a function does nothing at all."""
    code = getattr(function, "__code__", None)
    return code is not None and not code.co_names and not any(hasattr(c, "co_code") for c in code.co_consts)


def _ready(argument: Any, tools: Any) -> Any:
    """Return a new copy of an argument, so that no call can spoil the next one's."""
    if isinstance(argument, Generator):
        return np.random.default_rng(argument.seed)
    if isinstance(argument, dict) and set(argument) == {"tool"}:
        return getattr(tools, argument["tool"])
    if isinstance(argument, np.ndarray):
        return argument.copy()  # also one of Python's own integers, which `plain` would make a list
    return plain(argument)


def sentence(error: BaseException) -> str:
    """Say where an error is, by the student's own line and nobody else's."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if not frame.filename.startswith(LIBRARIES) and _python(frame.filename)]
    where = "stops"
    if own:
        line = (own[-1].line or linecache.getline(own[-1].filename, own[-1].lineno or 0)).strip()
        where = f"stops in line {own[-1].lineno}, `{line}`" if line else f"stops in line {own[-1].lineno}"
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return f"{where}: {what.rstrip('.')}.{_advice(error)}"


def _python(filename: str) -> bool:
    """Whether a frame is in Python: numpy's compiled parts give names that have no folder."""
    return not filename.endswith((".pyx", ".pxd"))


def _advice(error: BaseException) -> str:
    """Add what usually helps."""
    if isinstance(error, NameError) and error.name:
        return f" Did you mean np.{error.name}?" if hasattr(np, error.name) else " Where does it get a value?"
    key = error.args[0] if isinstance(error, KeyError) and error.args else None
    if isinstance(key, tuple):
        return f" {_flip_set(key)}"
    if isinstance(key, set | frozenset | int) and not isinstance(key, bool):
        return " A flip set is a tuple: (), (0,) with a comma, (0, 2)."
    return next((f" {advice}" for part, advice in ADVICE if part in str(error)), "")


def _flip_set(key: tuple[Any, ...]) -> str:
    """Say why a tuple is no key of a table of flip sets."""
    if len(set(key)) < len(key) or any(isinstance(each, bool | np.bool_) for each in key):
        return "A flip set lists the attributes that lie, by number: (0, 2), not a mark for each attribute."
    if list(key) != sorted(key, key=repr):
        return "Flip sets are written in increasing order: (0, 2), not (2, 0)."
    return "Attributes are numbered from 0, and a flip set has only those that lie."


Function = Callable[..., Any]
