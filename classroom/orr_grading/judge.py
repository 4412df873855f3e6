"""The judge: a process of its own that draws hidden cases and judges what came of them.

It reads a line of JSON and answers with one. A student's code runs in another process and sees arguments
only, so that nothing it changes there changes what is right here.
"""

import json
import signal
import sys
from typing import Any

from orr_classroom.calling import Outcome
from orr_classroom.case import Case
from orr_classroom.codec import encode
from orr_classroom.sheet import Sheet, said
from orr_grading.sheets import hidden, module, sheet


class Judge:
    """What the judge remembers of one notebook."""

    def __init__(self) -> None:
        self.sheets: dict[tuple[str, int, str], Sheet] = {}
        self.hidden: dict[tuple[str, str, int, str], list[Case]] = {}

    def cases(self, assignment: str, task: str, seed: int, owner: str) -> list[Any]:
        """Return the cases of a task: those that were seen, then the hidden ones."""
        key = (assignment, seed, owner)
        if key not in self.sheets:
            self.sheets[key] = sheet(assignment, seed, owner)
        which = (assignment, task, seed, owner)
        if which not in self.hidden:
            self.hidden[which] = hidden(*which)
        return [self.sheets[key].cases(task), self.hidden[which]]

    def calls(self, **which: Any) -> list[Any]:
        """Return the arguments of every call, in every case; no right answer among them."""
        return [encode(case.module.calls(case.data)) for part in self.cases(**which) for case in part]

    def verdict(self, outcomes: list[list[Any]], **which: Any) -> dict[str, Any]:
        """Judge the outcomes of all cases."""
        seen, secret = self.cases(**which)
        read = [[Outcome.unpack(each) for each in outcome] for outcome in outcomes]
        found = [(each[0].shown, case.judge(each)) for case, each in zip([*seen, *secret], read, strict=True)]
        task = module(which["assignment"]).TASKS[which["task"]]
        hint, _ = said(found[: len(seen)], "")
        wrong = [verdict for _, verdict in found[len(seen) :] if not verdict]
        return {
            "hint": hint,
            "right": len(secret) - len(wrong),
            "cases": len(secret),
            "points": task.worth * (len(secret) - len(wrong)),
            "other": wrong[0].hint if wrong else "",
        }


def main() -> None:
    """Answer, line by line, until nobody asks any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is for the notebook; the judge stops when that is gone
    judge = Judge()
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = {"answer": getattr(judge, request.pop("ask"))(**request)}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
