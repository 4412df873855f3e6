"""Judge a table for two attributes, by how often each lies and how often both do."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from orr_classroom.calling import Outcome
from orr_classroom.comparing import Retry
from orr_classroom.feedback import Verdict, show
from orr_classroom.reading import Floats, Unreadable, law

EVERY = ((), (0,), (1,), (0, 1))


def calls(case: Mapping[str, Any]) -> list[tuple[Sequence[Any], str]]:
    """Return the arguments of each call."""
    return [(target["arguments"], "") for target in case["targets"]]


def judge(case: Mapping[str, Any], outcomes: Sequence[Outcome], retries: Sequence[Retry | None]) -> Verdict:
    """Judge the table of each call; the first that is wrong decides."""
    verdicts = list(map(_judged, case["targets"], outcomes, retries))
    return next((verdict for verdict in verdicts if not verdict), verdicts[0])


def _judged(target: Mapping[str, Any], outcome: Outcome, retry: Retry | None) -> Verdict:
    """Judge a table by what its attributes do: each by itself first, then both."""
    if outcome.trouble:
        return Verdict(outcome.trouble, outcome.shown)
    try:
        table = law(outcome.value, 2)
    except Unreadable as error:
        return Verdict(str(error), outcome.shown)
    start = f"{outcome.shown} = {show(outcome.value)}."
    hint = _known(table, target) or _lowest(table) or _each(table, target) or _total(table)
    if hint and retry:
        hint = _other_order(target, retry) or hint
    hint = hint or _together(table, target)
    return Verdict(hint, start) if hint else Verdict(note=target["note"])


def _known(table: Floats, target: Mapping[str, Any]) -> str:
    """Say so if the double lie is what a known slip gives, and all else is right."""
    if _each(table, target) or _total(table):
        return ""
    low, high = target["both"]
    known = (hint for value, hint in target["doubles"] if abs(table[3] - value) <= 1e-6)
    hint = "" if low <= table[3] <= high else next(known, "")
    return f"The attribute levels are right. {hint}" if hint else ""


def _lowest(table: Floats) -> str:
    """Say so if a probability is not above 0."""
    lowest = int(table.argmin())
    if table[lowest] < 0:
        return f"Flip set {EVERY[lowest]} has a probability below 0: the double lie takes too much of it."
    if table[lowest] == 0:
        return f"Flip set {EVERY[lowest]} has the probability 0. Then the largest ratio has no bound."
    return ""


def _total(table: Floats) -> str:
    """Say so if the probabilities do not add up to 1."""
    wrong = abs(table.sum() - 1) > 1e-6
    return f"It adds up to {show(table.sum())} instead of 1." if wrong else ""


def _each(table: Floats, target: Mapping[str, Any]) -> str:
    """Say so if an attribute lies too often or too seldom."""
    flips, wanted, slack = np.array([table[1], table[2]]) + table[3], target["flips"], target["slack"]
    if (np.abs(flips - wanted) <= slack).all():
        return ""
    start = f"The attributes lie with probabilities {show(flips)}. Their levels ask for {show(wanted)}."
    if (np.abs(flips - wanted - table[3]) <= slack).all():
        return f"{start} A single lie is a lie without the other one: q less the double lie."
    known = (hint for value, hint in target["chances"] if (np.abs(flips - value) <= slack).all())
    return f"{start} {next(known, '')}".rstrip()


def _together(table: Floats, target: Mapping[str, Any]) -> str:
    """Say so if both lie too often or too seldom."""
    low, high = target["both"]
    start = "The attribute levels are right. The overall level can be lowered:"
    if table[3] < low:
        return f"{start} let the lies coincide more often."
    if table[3] > high:
        return f"{start} one record with a single lie has become rarer than one with two."
    return ""


def _other_order(target: Mapping[str, Any], retry: Retry) -> str:
    """Say so if the function takes its arguments in another order, or takes those of the class."""
    if _judged(target, retry.again(target["arguments"][::-1]), None):
        came = ", ".join(map(show, target["arguments"]))
        return f"It would be right with its arguments in another order: they come as {came}."
    return retry.strays()
