"""Judge an order of attributes: the case says, for every order, how good it is."""

from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import Any

import numpy as np

from orr_classroom.calling import Outcome
from orr_classroom.comparing import Retry
from orr_classroom.feedback import RIGHT, Verdict, show
from orr_classroom.reading import Unreadable, numbers

TIE = 1e-6  # orders that are so close are equally good


def calls(case: Mapping[str, Any]) -> list[tuple[Sequence[Any], str]]:
    """Return the arguments of the one call."""
    return [(case["arguments"], "")]


def judge(case: Mapping[str, Any], outcomes: Sequence[Outcome], retries: Sequence[Retry | None]) -> Verdict:
    """Judge an order by its total change: the smallest there is will do, whichever order has it."""
    outcome, k = outcomes[0], len(case["arguments"][0])
    if outcome.trouble:
        return Verdict(outcome.trouble, outcome.shown)
    start = f"{outcome.shown} = {show(outcome.value)}"
    pair = isinstance(outcome.value, list | tuple) and len(outcome.value) == 2
    if pair and np.ndim(outcome.value[0]):
        return Verdict("should be the order alone, a list of attributes.", start)
    try:
        order = tuple(numbers(outcome.value, (k,)).tolist())
    except Unreadable as error:
        return Verdict(str(error), outcome.shown)
    orders = list(permutations(range(k)))
    if order not in orders:
        counted = " Attributes are numbered from 0 in code." if sorted(order) == list(range(1, k + 1)) else ""
        return Verdict(f"should have each number from 0 to {k - 1} once.{counted}", start)
    changes, place = case["changes"], orders.index(order)
    least = changes.min()
    if changes[place] < least + TIE:
        return RIGHT
    start = f"{start} changes the levels by {changes[place]:.4f} in all, and some order by {least:.4f} only."
    found = {hint: more for known, hint, more in case["slips"] if place in known}
    if found and (len(found) == 1 or not place):  # what several slips lead to, says nothing about the cause
        hint, more = next(iter(found.items()))
        return Verdict(hint, start, more)
    return Verdict(
        "Is every order tried, and judged by the sum of its changes, up or down?", start, specific=False
    )
