"""A sheet: the numbers of one class or one student, and the cases that their checks use."""

import base64
import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from orr_classroom.case import Case
from orr_classroom.codec import decode, encode
from orr_classroom.feedback import NotYet, Verdict

WIDTH = 100  # characters of a line of the packed text


class Sheet:
    """What an assignment's first cell opens: numbers to work with, and ``check(task, answer)``.

    Examples
    --------
    >>> from orr_classroom.case import Case
    >>> case = Case("numbers", {"targets": [{"arguments": [2, 3], "right": 5, "slips": [
    ...     (6, "That is the product: add.", "What is 2 and 3 together?")]}]})
    >>> check = Sheet.pack({"a": 2}, {"sum": {"cases": [case], "meaning": "Sums add up.", "more": ""}})
    >>> check.given("a")
    2
    >>> check("sum", lambda a, b: a + b)
    Right: <lambda>(2, 3). Sums add up.
    >>> check("sum", lambda a, b: a * b)
    Traceback (most recent call last):
        ...
    orr_classroom.feedback.NotYet: <lambda>(2, 3) = 6. That is the product: add. (check.more() says more.)
    >>> check.more()
    What is 2 and 3 together?
    """

    def __init__(self, text: str) -> None:
        packed = json.loads(zlib.decompress(base64.b64decode("".join(text.split()))))
        self.text, self.assignment, self.seed = text, packed["assignment"], packed["seed"]
        self.owner: str = packed["owner"]
        self._given, self._tasks = decode(packed["given"]), packed["tasks"]
        self._more = ""

    @staticmethod
    def pack(
        given: Mapping[str, Any],
        tasks: Mapping[str, Mapping[str, Any]],
        assignment: str = "",
        seed: int = 0,
        owner: str = "class",
    ) -> "Sheet":
        """Make a sheet of numbers and tasks."""
        listed = {
            name: {
                "cases": [encode(case.pack()) for case in task["cases"]],
                "meaning": task["meaning"],
                "more": task["more"],
            }
            for name, task in tasks.items()
        }
        whole = {"assignment": assignment, "seed": seed, "owner": owner, "given": encode(dict(given))}
        raw = json.dumps(whole | {"tasks": listed}, separators=(",", ":")).encode()
        text = base64.b64encode(zlib.compress(raw, 9)).decode()
        return Sheet("\n".join(text[i : i + WIDTH] for i in range(0, len(text), WIDTH)))

    def given(self, *names: str) -> Any:
        """Return the number of that name, or all those of several names."""
        return self._given[names[0]] if len(names) == 1 else tuple(self._given[name] for name in names)

    def cases(self, task: str) -> list[Case]:
        """Return what a check tries."""
        return [Case(*decode(each)) for each in self._tasks[task]["cases"]]

    def verdicts(self, task: str, answer: Any) -> list[tuple[str, Verdict]]:
        """Judge an answer in every case that the sheet has; return how each is written, too."""
        found = []
        for case in self.cases(task):
            outcomes = case.outcomes(answer, task.replace("-", "_"))
            try:
                verdict = case.judge(outcomes, case.retries(answer, self._given))
            except Exception as error:  # of the check, not of the answer
                what = f"is nothing that this check can read ({type(error).__name__}). Look at its form."
                verdict = Verdict(what, outcomes[0].shown, specific=False)
            found.append((outcomes[0].shown, verdict))
        return found

    def __call__(self, task: str, answer: Any) -> None:
        """Print that an answer is right, or raise a hint."""
        __tracebackhide__ = True  # IPython then shows no line of this file
        if task not in self._tasks:
            raise NotYet(f"This sheet has no task {task!r}: was its first cell changed?")
        found = self.verdicts(task, answer)
        hint, self._more = said(found, self._tasks[task]["more"])
        if hint:
            raise NotYet(f"{hint} (check.more() says more.)" if self._more else hint) from None
        note = next((verdict.note for _, verdict in found if verdict.note), self._tasks[task]["meaning"])
        print(f"Right: {found[0][0]}. {note}".rstrip())

    def more(self) -> None:
        """Print a second, stronger hint to what the last check said."""
        print(self._more or "Run a check first. After a hint this says more.")


def said(found: Sequence[tuple[str, Verdict]], more: str) -> tuple[str, str]:
    """Return what to say of an answer ("" if it is right in every case), and the second hint."""
    wrong = [(shown, verdict) for shown, verdict in found if not verdict]
    if not wrong:
        return "", ""
    _, verdict = wrong[0]
    right = [shown for shown, other in found if other]
    hint, stronger = str(verdict), verdict.more or more
    if verdict.hint.startswith("is still"):  # nothing to say more about
        stronger = ""
    if found[0][1]:
        hint = f"Right for your numbers, and not for others. {hint}"
    elif right and not verdict.specific:
        hint = f"{hint} It is right for {right[0]}."
    return hint, stronger
