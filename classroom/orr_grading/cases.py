"""Make cases: right answers, slips and hints become what a sheet holds."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from orr_classroom.case import Case
from orr_classroom.detect import agree
from orr_classroom.feedback import show

APART = 100  # times the tolerance: so far from right must a slip be for a case to tell them apart


class Slip(NamedTuple):
    """A known mistake: what it gives, a hint, a stronger one, and whether every case must tell it apart."""

    value: ArrayLike
    hint: str
    more: str = ""
    always: bool = True


def target(
    arguments: Sequence[Any], right: ArrayLike, slips: Sequence[Slip | tuple[Any, ...]] = (), **settings: Any
) -> dict[str, Any]:
    """Describe one call: its arguments, the right answer, and known slips.

    Further settings are those of `orr_classroom.comparing.compare`: ``shown``, ``read``, ``otherwise``,
    ``total``, ``rtol``, ``whole``.
    """
    with np.errstate(all="ignore"):
        listed = [Slip(*slip) for slip in slips]
    kept = [slip for slip in listed if np.isfinite(np.asarray(slip.value, dtype=float)).all()]
    return {
        "arguments": list(arguments),
        "right": np.asarray(right, dtype=float),
        "slips": [(np.asarray(slip.value, dtype=float), slip.hint, slip.more) for slip in kept],
        "always": [slip.always for slip in kept],
    } | settings


def numbers(*args: Any, **settings: Any) -> Case:
    """Return the case of one call; see `target`."""
    return Case("numbers", {"targets": [target(*args, **settings)]})


def several(targets: Sequence[dict[str, Any]]) -> Case:
    """Return the case of several calls, each with its own `target`."""
    return Case("numbers", {"targets": list(targets)})


def sampler(
    name: str,
    arguments: Sequence[Any],
    sizes: Sequence[int],
    table: ArrayLike,
    slips: Sequence[tuple[ArrayLike, str, str]],
    *,
    seed: int,
    n: int = 60_000,
    flat: bool = False,
) -> Case:
    """Return the case of a sampler of flip sets.

    Parameters
    ----------
    name
        How a call is written.
    arguments
        Those of the function, with the words "records" and "rng" in the places of these two.
    sizes, table
        The sizes of the attributes, and the probability of each flip set as a cube.
    slips
        Cubes that known mistakes lead to, with hints.
    seed, n
        The seed of the records and of the generators; the number of records.
    flat
        Whether records are values of one attribute, in an array of one dimension.
    """
    return Case(
        "sampler",
        {
            "shown": name, "arguments": list(arguments), "sizes": list(sizes), "table": np.asarray(table),
            "slips": [tuple(slip) for slip in slips], "seed": seed, "n": n, "flat": flat,
        },
    )  # fmt: skip


def instructive(case: Case) -> bool:
    """Return whether a case tells every known slip from the right answer."""
    if case.kind != "numbers":
        return bool(case.data.get("instructive", True))
    return all(
        not agree(value, each["right"], scale, APART * each.get("rtol", 1e-6))
        for each in case.data["targets"]
        for scale in [float(np.abs(each["right"]).max(initial=0))]
        for (value, *_), always in zip(each["slips"], each["always"], strict=True)
        if always
    )


def written(function: str, *arguments: Any) -> str:
    """Write a call as a student would."""
    return f"{function}({', '.join(show(each) for each in arguments)})"
