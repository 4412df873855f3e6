"""Cases that are judged by numbers: one call after the other, until one is wrong."""

from collections.abc import Mapping, Sequence
from typing import Any

from orr_classroom.calling import Outcome
from orr_classroom.comparing import Retry, compare
from orr_classroom.feedback import RIGHT, Verdict


def calls(case: Mapping[str, Any]) -> list[tuple[Sequence[Any], str]]:
    """Return the arguments of each call."""
    return [(target["arguments"], target.get("shown", "")) for target in case["targets"]]


def judge(case: Mapping[str, Any], outcomes: Sequence[Outcome], retries: Sequence[Retry | None]) -> Verdict:
    """Judge each call by its own target; the first that is wrong decides, or that has something special."""
    verdicts = list(map(compare, case["targets"], outcomes, retries))
    return next(
        (each for each in verdicts if not each), next((each for each in verdicts if each.note), RIGHT)
    )
