"""Judge what belongs to a linear program of three attributes: rows, systems of equations, certificates.

A row is written for all eight x, the last of which is 1: what stands on the right changes its sign and
becomes the last column. Case data are such rows; nothing here knows how they are made.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orr_classroom.calling import Outcome
from orr_classroom.comparing import Retry
from orr_classroom.feedback import RIGHT, Verdict, show
from orr_classroom.reading import Floats, Unreadable, numbers
from orr_classroom.tools import bound

NEAR = 1e-6  # how far coefficients and levels may be off, and how far a proof may stay below what is found
ROUNDED = 1e-3  # a level that misses by less looks the same in print, and was most likely rounded
Case = Mapping[str, Any]


def calls(case: Case) -> list[tuple[Sequence[Any], str]]:
    """Return the arguments of the one call."""
    return [(case["arguments"], case["shown"])]


def judge(case: Case, outcomes: Sequence[Outcome], retries: Sequence[Retry | None]) -> Verdict:
    """Judge an answer by the parts that its case has."""
    outcome = outcomes[0]
    if outcome.trouble:
        return Verdict(outcome.trouble, case["shown"])
    kinds: list[tuple[str, Callable[[Case, Any], Verdict]]] = [
        ("wanted", _rows), ("system", _system), ("levels", _certificate),
    ]  # fmt: skip
    try:
        return next(kind for part, kind in kinds if part in case)(case, outcome.value)
    except Unreadable as error:
        return Verdict(str(error), case["shown"])


def _pair(given: Any, names: str) -> tuple[Any, Any]:
    """Read an answer of two parts."""
    if not isinstance(given, list | tuple) or len(given) != 2:
        raise Unreadable(f"should return two things: return {names}.")
    return given[0], given[1]


def _shape(given: Any) -> tuple[int, ...]:
    """Return the shape of an array, or of a list of lists; () for what has none, such as uneven lists."""
    try:
        return np.shape(given) if isinstance(given, list | tuple | np.ndarray) else ()
    except ValueError:
        return ()


def _extended(given: Any, rows: int, lengths: Mapping[int, str]) -> Floats:
    """Read A, b as rows that multiply all eight x."""
    A, b = _pair(given, "A, b")
    shape = _shape(A)
    if shape[1:] == (8,):
        raise Unreadable("has 8 columns in its A. x_full is 1 and no unknown: move its column to the right.")
    if shape == (7, rows):
        raise Unreadable(
            "has rows and columns exchanged in its A: one row for each, one column for each unknown."
        )
    if shape[1:] == (7,) and shape[0] != rows:
        why = lengths.get(shape[0], "")
        raise Unreadable(f"has {shape[0]} rows in its A instead of {rows}. {why}".rstrip())
    return np.column_stack([_part("A", A, (rows, 7)), -_part("b", b, (rows,))])


def _part(name: str, given: Any, shape: tuple[int, ...]) -> Floats:
    """Read one part of an answer, and name it if that fails."""
    try:
        return numbers(given, shape)
    except Unreadable as error:
        raise Unreadable(f"is not what it should be: its {name} {error}") from None


def _close(row: Floats, rows: Floats) -> NDArray[np.bool_]:
    """Return which rows are this one, up to a positive factor."""

    def unit(each: Floats) -> Floats:
        size = np.abs(each).max(axis=-1, keepdims=True)
        return each / np.where(size, size, 1)

    return np.abs(unit(row) - unit(rows)).max(axis=-1) < NEAR


def _rows(case: Case, given: Any) -> Verdict:
    """Judge rows that may come in any order, each up to a positive factor."""
    wanted, start = case["wanted"], f"{case['shown']}:"
    rows = _extended(given, len(wanted), case["lengths"])
    found = np.array([_close(row, wanted) for row in rows])
    if found.any(axis=0).all():
        return RIGHT
    for wrong, hint in case["whole"]:
        if np.array([_close(row, wrong) for row in rows]).any(axis=0).all():
            return Verdict(hint, start)
    if found.any(axis=1).all():
        missing = case["steps"][int(np.argmin(found.any(axis=0)))]
        return Verdict(f"A row comes twice, and the step {missing} is missing.", start)
    n = int(np.argmin(found.any(axis=1)))
    return Verdict(f"Row {n} (counted from 0) is not right. {_torn(rows[n], case)}", start)


def _torn(row: Floats, case: Case) -> str:
    """Say what is wrong with an inequality."""
    wanted: Floats = case["wanted"]
    for wrong, hint in case["single"]:
        if _close(row, wrong).any():
            return str(hint)
    if _close(row[:7], wanted[:, :7]).any():
        return f"Its b is {show(-row[7])}. What is left on the right when x_full = 1 goes there?"
    there = (row != 0) == (wanted != 0)
    if (row != 0).sum() == 2 and there.all(axis=1).any():
        alike = np.ptp(np.sign(row[row != 0])) == 0
        return "Both signs are the same: one is to be subtracted." if alike else (
            "Its two flip sets are right, their factors are not: x is the probability of *one* record."
        )  # fmt: skip
    if not row.any():
        return "It is empty."
    return "It should compare two flip sets, one lie apart, and nothing else."


def _system(case: Case, given: Any) -> Verdict:
    """Judge a system of equations by its solutions: any equivalent one is right."""
    right, scale, start = case["system"], case["scale"], f"{case['shown']}:"
    rows = _extended(given, len(right), case["lengths"])
    if _same_solutions(rows / scale, right / scale):
        return RIGHT
    for wrong, hint, more in case["slips"]:
        if _same_solutions(rows / scale, wrong / scale):
            return Verdict(hint, start, more)
    return Verdict(_false(rows, case), start)


def _false(rows: Floats, case: Case) -> str:
    """Say which row is false, or what a system of true rows lacks."""
    right, scale, kronecker = case["system"], case["scale"], case["kronecker"]
    off = np.abs(rows @ kronecker) > NEAR * (np.abs(rows) @ kronecker)
    if off.any():
        n = int(np.argmax(off))
        return (
            "Kronecker has these levels, but its x, exp((1 - B) @ epsilons), does not satisfy row "
            f"{n} (counted from 0).{_differs(rows[n], right[n], case['names'])}{_gives(rows, case)}"
        )
    if _same_solutions(np.vstack([rows, right]) / scale, right / scale):
        return "The rows are true but do not say enough. Is one empty, or twice there?"
    return "Kronecker satisfies the rows, but other mechanisms with these levels do not."


def _differs(row: Floats, right: Floats, names: Sequence[str]) -> str:
    """Name the coefficients of a row that is right but for a few of them."""
    factors = row / right  # no coefficient of the right row is 0
    factor = np.median(factors[np.abs(factors) > 0]) if factors.any() else 0.0
    wrong = np.abs(factors - factor) > NEAR * abs(factor)
    if not factor or 2 * wrong.sum() >= len(row):
        return ""
    which = [name for name, each in zip(names, wrong, strict=True) if each]
    return f" Most of that row is right. Look at {' and '.join(which[:2])}."


def _gives(rows: Floats, case: Case) -> str:
    """Name the first level that a system of the right form gives an attribute, in place of the right one."""
    for i, (row, right, level) in enumerate(zip(rows, case["system"], case["arguments"][2], strict=True)):
        kept, lie = (row / right)[right > 0], (row / right)[right < 0]
        one, other = kept[0], lie[0]
        even = max(np.ptp(kept), np.ptp(lie)) <= NEAR * np.abs(row / right).max()
        if even and one * other > 0 and abs(np.log(other / one)) > NEAR:
            found = show(level + np.log(other / one))
            return f" By row {i}, attribute {i + 1} has level {found}, and {show(level)} is asked."
    return ""


def _same_solutions(rows: Floats, others: Floats) -> bool:
    """Return whether two systems have the same solutions: both have full rank, and so have both together."""

    def rank(system: Floats) -> int:
        size = np.abs(system).max(axis=1, keepdims=True)
        return int(np.linalg.matrix_rank(system / np.where(size, size, 1), rtol=1e-7))  # below NEAR

    return rank(rows) == rank(others) == rank(np.vstack([rows, others])) == len(others)


def _certificate(case: Case, given: Any) -> Verdict:
    """Judge a mechanism and the weights that prove it optimal, by these two alone."""
    shown, (sizes, epsilons) = case["shown"], case["arguments"]
    x, y = _pair(given, "x, y")
    if _shape(x) == (7,):
        raise Unreadable("has 7 entries in its x. Append x_full = 1.")
    if _shape(x) == (3,) and _shape(y) == (8,):
        raise Unreadable("has x and y exchanged: return x, y.")
    if y is None:
        raise Unreadable("has None in the place of y: a certificate without weights. linprog has prices.")
    if _shape(y) in case["lengths"]:
        raise Unreadable(case["lengths"][_shape(y)])
    x, y = _part("x", x, (8,)), _part("y", y, (3,))
    hint = _mechanism(x, case) or _weights(y, case)
    if hint:
        return Verdict(hint, f"{shown}:")
    y = np.maximum(y, 0)
    level, least = float(np.log(x[0])), bound(y, sizes, epsilons)
    said = f"found {level:.6f}, proved at least {least:.6f}."
    if level - least < NEAR:
        return Verdict(note=f"It {said.replace('proved', 'and proved')} {case['meaning']}")
    return Verdict(_gap(y, level, case), f"{shown}: {said}")


def _mechanism(x: Floats, case: Case) -> str:
    """Say why eight numbers are no mechanism with the levels asked; "" if they are one."""
    x_is = f"x = {show(x)}."
    with np.errstate(over="ignore", invalid="ignore"):
        if abs(x[7]) <= NEAR and not _misses(np.exp(x), case).any():
            return f"{x_is} Those are logarithms: x itself is wanted."
    if not (x > 0).all():
        return f"{x_is} Every record must be possible: no x is 0 or negative."
    if abs(x[7] - 1) > NEAR and not _misses(x, case).any():
        return f"{x_is} Its last entry is x_full, which is 1: divide all by that."
    for changed, hint in ((x[order], hint) for order, hint in case["orders"]):
        if abs(changed[7] - 1) <= NEAR and not _misses(changed, case).any() and _misses(x, case).any():
            return hint
    if not _misses(x / case["times"], case).any() and _misses(x, case).any():
        return "Each x is multiplied by t_S. It should be the probability of one record."
    if abs(x[7] - 1) > NEAR:
        return f"{x_is} Its last entry is x_full, which is 1, and not {show(x[7])}."
    if (case["inequalities"] @ x > NEAR * x[0]).any():
        return f"{x_is} There a further lie makes some record likelier."
    misses = _misses(x, case)
    if misses.any():
        i = int(np.abs(misses).argmax())
        asked = case["arguments"][1][i]
        if abs(misses[i]) < ROUNDED:
            return (
                f"By x, attribute {i + 1} misses its level {show(asked)} by {abs(misses[i]):.1g}. Are the "
                "numbers rounded? A proof needs all their digits."
            )
        return f"By x, attribute {i + 1} has level {show(asked + misses[i])} in place of {show(asked)}."
    return ""


def _misses(x: Floats, case: Case) -> Floats:
    """Return how far each attribute level is off; 0 where that is next to nothing."""
    plus, minus = (np.maximum(side * case["levels"], 0) @ x for side in (1, -1))
    misses: Floats = np.log(plus / minus)
    return np.where(np.abs(misses) > NEAR, misses, 0)


def _weights(y: Floats, case: Case) -> str:
    """Say why three numbers are no weights; "" if they are."""
    if not y.any():
        return "All weights are 0. Then they prove nothing."
    if y.max() <= 0:
        return f"y = {show(y)}. Weights must be at least 0: is their sign turned?"
    if y.min() < -1e-9 * y.max():  # less is rounding
        return (
            f"y = {show(y)}. Weights must be at least 0. A price belongs to a row as it was written: if "
            "you multiplied one by a factor, that counts, with its sign."
        )
    return ""


def _gap(y: Floats, level: float, case: Case) -> str:
    """Say why a mechanism and weights do not meet."""
    sizes, epsilons = case["arguments"]
    if level > case["optimum"] + NEAR:
        if abs(level - np.sum(epsilons)) < NEAR:
            return "That is Kronecker. Another mechanism with these levels has a lower overall level."
        return "Another mechanism with these levels has a lower overall level."
    for factors, hint in case["prices"]:
        if level - bound(y * factors, sizes, epsilons) < NEAR:
            return str(hint)
    if level - bound(y[::-1], sizes, epsilons) < NEAR:
        return "These weights are in the reverse order: the first belongs to the first attribute."
    return (
        "No mechanism does better than this one, but these weights do not prove it. Prices belong to the "
        "rows as they were written, and to the minimum of x_0."
    )
