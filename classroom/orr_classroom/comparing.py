"""Compare numbers with the right ones: the commonest kind of check."""

import dis
import inspect
from collections.abc import Callable, Mapping, Sequence
from itertools import permutations
from typing import Any

import numpy as np

from orr_classroom import detect
from orr_classroom.calling import Outcome
from orr_classroom.feedback import RIGHT, Verdict, show
from orr_classroom.reading import Floats, Unreadable, law, numbers, parts

LOWEST = -25.0  # exp of that is 1e-11: no level that an assignment asks for is the logarithm of so little
Again = Callable[[Sequence[Any]], Outcome]
READERS: dict[str, Callable[..., Floats]] = {"numbers": numbers, "law": law, "parts": parts}


def compare(target: Mapping[str, Any], outcome: Outcome, retry: "Retry | None" = None) -> Verdict:
    """Judge one answer by what it should be, what known slips give, and what happens to any answer.

    A target holds ``right``; and where they are wanted ``slips`` (value, hint, stronger hint), ``read``
    (how to read the answer: a name of `READERS` and its arguments), ``otherwise`` (the hint for an answer
    that nothing recognises), ``total`` (what each column must add up to), ``rtol`` (the largest error, as
    a share of the largest entry), ``whole`` (whether the right answer is a whole number), ``also`` (other
    answers that are right, each with what to say of it), ``infinite`` (the hint for an answer that is not
    finite, or the logarithm of a rounding error), ``places`` (entries in the order to look at them, each
    with the hint for the case that it is the first to be wrong).
    """
    right = np.asarray(target["right"], dtype=float)
    rtol = target.get("rtol", 1e-6)
    reader, *settings = target.get("read", ["numbers", right.shape])

    def read(value: Any) -> Floats:
        return READERS[reader](value, *settings)

    if retry:
        retry.read = read
    if outcome.trouble:
        helped = (retry.helps(right, rtol) or retry.foreign()) if retry else ""
        return Verdict(f"{outcome.trouble} {helped}".rstrip(), outcome.shown)
    try:
        answer = read(outcome.value)
    except Unreadable as error:
        advice = _endless(outcome.value, target)
        if reader == "numbers":
            advice = _condensed(outcome.value, right, rtol) or advice
        return Verdict(f"{error} {advice}".rstrip(), outcome.shown)
    scale = float(np.abs(right).max(initial=0))
    if target.get("whole"):
        rtol = 1e-3 / max(scale, 1)  # whole numbers differ by 1 or not at all, and fractions are none
    if detect.agree(answer, right, scale, rtol):
        return RIGHT
    for value, note in target.get("also", ()):
        if detect.agree(answer, value, scale, rtol):
            return Verdict(note=note)
    start = f"{outcome.shown} = {show(outcome.value)}.{_remark(answer, target.get('total'))}"
    for value, hint, more in target.get("slips", ()):
        if detect.agree(answer, value, scale, rtol):
            return Verdict(hint, start, more)
    hint = (retry.helps(right, rtol) if retry else "") or _general(answer, right, rtol, target)
    hint = hint or (retry.strays() if retry else "")
    if hint:
        return Verdict(hint, start)
    otherwise = f"That is not right. {target.get('otherwise', '')}".rstrip()
    return Verdict(otherwise, start, specific=False)


def _general(answer: Floats, right: Floats, rtol: float, target: Mapping[str, Any]) -> str:
    """Find the slip that this is, of those that can happen to any answer."""
    for value, hint in detect.usual(right):
        # 0 is what many slips round to, and says nothing about which it was
        some = np.any(value) and np.isfinite(value).all()
        if some and detect.agree(answer, value, float(np.abs(value).max()), rtol):
            return hint
    if "places" in target:
        wrong = np.abs(answer - right) > rtol * np.abs(right).max()
        hint = next((hint for place, hint in target["places"] if wrong[place]), "")
        if hint:
            return str(hint)
    return detect.pattern(answer, right, rtol) or _endless(answer, target)


def _endless(value: Any, target: Mapping[str, Any]) -> str:
    """Return the hint for an answer that is not finite, or the logarithm of a rounding error."""
    try:
        found = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        return ""
    limit = np.inf if found.ndim else -LOWEST
    return "" if (np.abs(found) < limit).all() else str(target.get("infinite", ""))


def _condensed(value: Any, right: Floats, rtol: float) -> str:
    """Say so if one number was given in the place of all."""
    try:
        return detect.condensed(numbers(value, ()), right, rtol)
    except Unreadable:
        return ""


def _remark(answer: Floats, total: float | None) -> str:
    """Say so if a list, or a column of a table, does not add up to what it should."""
    if total is None or not answer.ndim:
        return ""
    sums = np.ravel(answer.sum(axis=0))
    uneven = sums[np.abs(sums - total) > 1e-6 * max(total, 1)]
    part = "A column" if answer.ndim > 1 else "It"
    return f" {part} adds up to {show(uneven[0])} instead of {total:g}." if len(uneven) else ""


class Retry:
    """Call a student's function again, otherwise, to find out what it does."""

    def __init__(
        self, again: Again, arguments: Sequence[Any], function: Any, given: Mapping[str, Any]
    ) -> None:
        self.again, self.arguments, self.function, self.given = again, list(arguments), function, given
        self.read: Callable[[Any], Floats] | None = None  # how to read what comes back, if not as numbers

    def helps(self, right: Floats, rtol: float) -> str:
        """Say what the function does wrong with its arguments, if that is what is wrong."""

        def works(arguments: Sequence[Any]) -> bool:
            outcome = self.again(arguments)
            try:
                found = self.read(outcome.value) if self.read else numbers(outcome.value, right.shape)
            except Unreadable:
                return False
            return not outcome.trouble and detect.agree(found, right, float(np.abs(right).max()), rtol)

        if self._small() and works([_exactly(each) for each in self.arguments]):
            return "numpy's integers wrap round beyond 2^63: use floats, logarithms or Python's own integers."
        if 2 <= len(self.arguments) <= 4:  # at most 23 other orders
            came = ", ".join(map(show, self.arguments))
            for order in list(permutations(range(len(self.arguments))))[1:]:
                if works([self.arguments[i] for i in order]):
                    return f"It would be right with its arguments in another order: they come as {came}."
        return ""

    def strays(self) -> str:
        """Say so if the function does not use its arguments."""
        idle = self._idle()
        return self.foreign() or (f"It never uses `{idle[0]}`, one of its arguments." if idle else "")

    def foreign(self) -> str:
        """Say so if the function uses the numbers of the class in place of its arguments."""
        stray = [name for name in self._globals() if name in self.given]
        if not stray:
            return ""
        return (
            f"It uses `{stray[0]}`, the number of your class, whatever it is asked. Use its arguments, "
            f"{', '.join(self._parameters())}."
        )

    def _small(self) -> bool:
        """Whether arrays of integers are among the arguments, which is where products wrap round."""
        return any(isinstance(each, np.ndarray) and each.dtype.kind in "iu" for each in self.arguments)

    def _parameters(self) -> list[str]:
        try:
            return list(inspect.signature(self.function).parameters)
        except (TypeError, ValueError):
            return ["the arguments"]

    def _idle(self) -> list[str]:
        """Return the parameters that the function never looks at."""
        code = getattr(self.function, "__code__", None)
        if code is None:
            return []
        found = [each.argval for each in dis.get_instructions(code) if each.opname != "MAKE_CELL"]
        used = {name for each in found for name in (each if isinstance(each, tuple) else [each])}
        return [name for name in self._parameters() if name not in used]

    def _globals(self) -> list[str]:
        code = getattr(self.function, "__code__", None)
        read = (
            []
            if code is None
            else [each.argval for each in dis.get_instructions(code) if "GLOBAL" in each.opname]
        )
        return [name for name in read if name not in self._parameters()]


def _exactly(argument: Any) -> Any:
    """Return an array of integers as Python's integers, which know no end."""
    whole = isinstance(argument, np.ndarray) and argument.dtype.kind in "iu"
    return argument.astype(object) if whole else argument
