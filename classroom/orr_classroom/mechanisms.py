"""Judge mechanisms by what they promise: two limits first, then levels in given shares, or signals.

A case holds the limits, and what the best of a few mechanisms has. All levels are computed from the
mechanism that is handed in, whatever it was made by.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import orr
from orr_classroom.calling import Outcome
from orr_classroom.codec import Odd
from orr_classroom.comparing import Retry
from orr_classroom.feedback import Verdict, show
from orr_classroom.reading import Unreadable
from orr_classroom.tools import signals

PASSED = 1e-6  # share by which a limit may be passed: `orr.allocate` stops that close
MISSED = 1e-3  # share that levels may lack, for those who search by hand: slacks differ by far more
ENOUGH = 0.9  # share of the best signal, as the task says
Case = Mapping[str, Any]


def calls(case: Case) -> list[tuple[Sequence[Any], str]]:
    """Return the arguments of the one call."""
    return [(case["arguments"], case["shown"])]


def judge(case: Case, outcomes: Sequence[Outcome], retries: Sequence[Retry | None]) -> Verdict:
    """Judge a mechanism by the parts that its case has."""
    outcome, shown, retry = outcomes[0], case["shown"], retries[0]
    if outcome.trouble:
        none = " Or was none found that keeps the cap?" if "returns nothing" in outcome.trouble else ""
        return Verdict(f"{outcome.trouble}{none}", shown)
    try:
        made = _read(outcome.value, case)
        _limits(made, case)
        return _shared(made, case) if "shares" in case else _visible(made, case)
    except Unreadable as error:
        return Verdict(f"{error} {retry.foreign() if retry else ''}".rstrip(), shown)


def _read(value: Any, case: Case) -> orr.Mechanism:
    """Read an answer as a mechanism for the attributes asked, or say what it is."""
    if isinstance(value, orr.Mechanism):
        if value.sizes.tolist() == list(case["sizes"]):
            return value
        raise Unreadable(f"is for sizes {show(value.sizes)}, and {show(case['sizes'])} are asked for.")
    parts = value if isinstance(value, list | tuple) else []
    if any(isinstance(each, orr.Mechanism) for each in parts):
        raise Unreadable("returns several things. Return one mechanism alone.")
    should = "should be a mechanism, such as orr.allocate returns, and is"
    if isinstance(value, Odd):
        raise Unreadable(f"{should} a {value.kind}: {show(value)}.")
    if any(value == slack for slack, *_ in case.get("slacks", ()) if isinstance(value, float | int)):
        raise Unreadable(f"{should} {show(value)}. That is a slack: return what it was spent with.")
    if isinstance(value, float | int):
        raise Unreadable(f"{should} the number {show(value)}.")
    if np.size(parts) == len(case["sizes"]) or isinstance(value, np.ndarray):
        raise Unreadable(f"{should} {show(value)}. Are those its levels or shares? Return it as a whole.")
    raise Unreadable(f"{should} {show(value)}.")


def _limits(made: orr.Mechanism, case: Case) -> None:
    """Say so if a mechanism breaks one of the two limits."""
    total, cap, levels = case["total"], case["cap"], made.epsilons
    if made.epsilon > total * (1 + PASSED):
        start = f"has overall level {show(made.epsilon)}, above the total of {show(total)}."
        if made.epsilon < total * (1 + MISSED):
            start = f"has an overall level above the total of {show(total)}, by {made.epsilon - total:.2g}."
        if np.allclose(levels, cap):
            raise Unreadable(f"{start} The cap is for each neighbour level, the total for all together.")
        raise Unreadable(f"{start} orr.allocate finds levels that a total pays for.")
    neighbours = made.neighbour_epsilons
    worst = int(neighbours.argmax())
    if neighbours[worst] <= cap * (1 + PASSED):
        return
    start = (
        f"has a neighbour level of {show(neighbours[worst])} (column {worst}), above the cap of {show(cap)}."
    )
    if neighbours[worst] > made.epsilon * (1 - MISSED):
        raise Unreadable(f"{start} It is as large as the overall level. Which slack guards it?")
    if levels.max() <= cap:
        raise Unreadable(
            f"{start} Its attribute levels are below, but the cap is for neighbour levels, for every one."
        )
    raise Unreadable(f"{start} No column may have one.")


def _shared(made: orr.Mechanism, case: Case) -> Verdict:
    """Judge levels that should be in proportion to shares, and as high as one of the slacks allows."""
    scales = made.epsilons / case["shares"]
    if np.ptp(scales) > MISSED * scales.max():
        why = "They are all the same." if np.allclose(made.epsilons, made.epsilons[0], MISSED) else ""
        raise Unreadable(
            f"has levels {show(made.epsilons)}, which are not in proportion to the shares "
            f"{show(case['shares'])}. {why}".rstrip()
        )
    scale, best = scales[0], case["scale"]
    if scale > best * (1 + MISSED):
        raise Unreadable(
            "keeps both limits, and its levels are higher than what any of the slacks allows. "
            "Take the best of the slacks, and of no others."
        )
    if scale >= best * (1 - MISSED):
        return Verdict(note=case["meaning"])
    start = "keeps both limits, but its levels can be higher."
    if made.epsilon < case["total"] * (1 - MISSED):
        raise Unreadable(
            f"{start} Its overall level is {show(made.epsilon)}: the total is not spent. "
            "Levels that add up to the total cost less than it, if lies keep company."
        )
    known = [f"That is slack {slack:g}. " for slack, each in case["slacks"] if abs(each / scale - 1) < MISSED]
    which = known[0] if known else ""
    raise Unreadable(f"{start} {which}A larger one of the slacks keeps the cap, too.")


def _visible(made: orr.Mechanism, case: Case) -> Verdict:
    """Judge the smallest signal of a release."""
    found, best = signals(made, case["tables"]), case["signal"]
    least = min(found, key=lambda j: found[j])
    if found[least] >= ENOUGH * best:
        said = f"Its smallest signal is {_thousand(found[least])} for 1,000 people"
        return Verdict(note=f"{said} ({_thousand(best)} is the best of the six). {case['meaning']}")
    raise Unreadable(
        f"keeps both limits, but its smallest signal is {_thousand(found[least])} for 1,000 people, that of "
        f"column {least}. The best of the six has {_thousand(best)}. {_weak(made, case)}"
    )


def _thousand(signal: float) -> str:
    """Write a signal for 1,000 people."""
    return f"{1000 * signal:.3g}"


def _weak(made: orr.Mechanism, case: Case) -> str:
    """Say what makes a signal small."""
    levels, neighbours = made.epsilons, made.neighbour_epsilons
    if made.epsilon < 0.98 * case["total"]:  # less could not explain it
        return f"Its overall level is {show(made.epsilon)}: the total is not spent."
    if (neighbours < levels * (1 + MISSED)).all():
        return "Its lies are independent, as with slack 0: some slack buys higher levels for the same total."
    if levels[0] < levels[1:].max() * (1 - MISSED):
        return "The status, which is part of every table, has a lower level than some SNP: raise its share."
    if np.ptp(levels[1:]) > 0.05 * levels[1:].max():  # shares that differ, and not by rounding
        return "The SNPs have different levels, and the smallest signal counts. Try the same share for each."
    if levels[0] > 2 * levels[1:].max() * (1 + MISSED):
        return "The status has more than twice the level of the SNPs: they are part of the tables, too."
    if neighbours.max() < 0.9 * case["cap"]:
        return (
            "Its neighbour levels are well below the cap: try more slack, or a larger share for the status."
        )
    return "Try other slacks, and other shares for the status, which is part of every table."
