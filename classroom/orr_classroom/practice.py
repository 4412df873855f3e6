"""Practice before a task: fill in the blanks, put lines in order. No points; right values are in the open."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from orr_classroom.calling import call, sentence
from orr_classroom.feedback import NotYet, show


def faded(function: Callable[..., Any], tries: Sequence[tuple[Sequence[Any], Any]]) -> None:
    """Say whether a function with blanks is filled in, from what it should return for some arguments.

    Examples
    --------
    >>> faded(lambda a, b: a + b, [((1, 2), 3), ((0.5, 0.25), 0.75)])
    Right: <lambda>(1, 2) = 3
    """
    if _blanks(getattr(function, "__code__", None)):
        raise NotYet("Fill in the blanks: ... stands for what is missing.")
    for arguments, right in tries:
        outcome = call(function, arguments)
        if outcome.trouble:
            blank = "ellipsis" in outcome.trouble.lower()
            raise NotYet("Fill in the blanks: ... stands for what is missing." if blank else str_of(outcome))
        if not same(outcome.value, right):
            raise NotYet(f"{outcome.shown} = {show(outcome.value)}, and {show(right)} is right.")
    arguments, right = tries[0]
    print(f"Right: {call(function, arguments).shown} = {show(right)}")


def _blanks(code: Any) -> bool:
    """Return whether a blank, written as ..., is left in a function or in one inside it."""
    return any(each is Ellipsis or _blanks(each) for each in getattr(code, "co_consts", ()))


def str_of(outcome: Any) -> str:
    """Write what went wrong with a call."""
    return f"{outcome.shown} {outcome.trouble}"


def same(one: Any, other: Any) -> bool:
    """Return whether two results are the same, as numbers where they are such."""
    try:
        return bool(np.shape(one) == np.shape(other) and np.allclose(one, other, rtol=1e-4))  # as printed
    except TypeError:
        return bool(one == other)


class Parsons:
    """Lines of code in the wrong order, perhaps with some that do not belong.

    Parameters
    ----------
    lines
        Each line, by its letter, with the indentation that it has in the end.
    tries
        Expressions, and what they should be once the lines are in order.
    names
        What the lines may use besides ``np``.

    Examples
    --------
    >>> puzzle = Parsons({"A": "    return s", "B": "def double(x):", "C": "    s = 2 * x"}, {"double(3)": 6})
    >>> puzzle("B C A")
    Right. Any order that works is as good.
    >>> puzzle("B A C")
    Traceback (most recent call last):
        ...
    orr_classroom.feedback.NotYet: Line A, `return s`, uses s before it has a value.
    """

    def __init__(
        self, lines: Mapping[str, str], tries: Mapping[str, Any], names: Mapping[str, Any] | None = None
    ) -> None:
        self.lines, self.tries, self.names = dict(lines), dict(tries), dict(names or {})

    def __str__(self) -> str:
        return "\n".join(f"{letter}  {line}" for letter, line in self.lines.items())

    def show(self) -> None:
        """Print the lines as they are to be sorted."""
        print(self)

    def __call__(self, order: str) -> None:
        """Try an order, written as letters."""
        letters = [letter for letter in order.upper() if letter.isalpha()]
        strange = [letter for letter in letters if letter not in self.lines]
        twice = [letter for letter in letters if letters.count(letter) > 1]
        if not letters or strange or twice:
            what = f"there is no line {strange[0]}" if strange else "write letters, such as 'B A C'"
            raise NotYet(
                f"An order has each letter once at most: {what if not twice else f'{twice[0]} is twice'}."
            )
        source = "\n".join(self.lines[letter] for letter in letters)
        names: dict[str, Any] = {"np": np} | self.names
        try:
            exec(compile(source, "<practice>", "exec"), names)
        except SyntaxError as error:
            at = letters[min((error.lineno or 1), len(letters)) - 1]
            raise NotYet(f"Python stumbles over line {at}: {error.msg}. What must stand before it?") from None
        except Exception as error:
            raise NotYet(self._told(error, letters, "It")) from None
        for expression, right in self.tries.items():
            try:
                value = eval(expression, names)
            except Exception as error:
                raise NotYet(self._told(error, letters, expression)) from None
            if not same(value, right):
                raise NotYet(
                    f"{expression} is {show(value)}, and {show(right)} is right. {self._left(letters)}"
                )
        for letter in letters:
            if len(letters) > 1 and self._works([each for each in letters if each != letter]):
                raise NotYet(f"It works, and it works without line {letter} too: leave that out.")
        print("Right. Any order that works is as good.")

    def _works(self, letters: Sequence[str]) -> bool:
        """Return whether lines do what they should."""
        names: dict[str, Any] = {"np": np} | self.names
        try:
            exec(compile("\n".join(self.lines[letter] for letter in letters), "<practice>", "exec"), names)
            return all(same(eval(each, names), right) for each, right in self.tries.items())
        except Exception:
            return False

    def _told(self, error: Exception, letters: Sequence[str], what: str) -> str:
        """Say in which line it stops, by its letter."""
        frames = []
        trace = error.__traceback__
        while trace:
            if trace.tb_frame.f_code.co_filename == "<practice>":
                frames.append(trace.tb_lineno)
            trace = trace.tb_next
        if not frames:
            return f"{what} {sentence(error)}".replace("stops in", "stops in its")
        letter = letters[frames[-1] - 1]
        if isinstance(error, NameError):
            name = str(error).split("'")[1]
            return f"Line {letter}, `{self.lines[letter].strip()}`, uses {name} before it has a value."
        return (
            f"{what} stops in line {letter}, `{self.lines[letter].strip()}`: {type(error).__name__}: {error}."
        )

    def _left(self, letters: Sequence[str]) -> str:
        """Say what may be wrong with lines that run."""
        if len(letters) == len(self.lines):
            return "Does every line belong?"
        return "Is a line missing, or one too many, or in the wrong place?"
