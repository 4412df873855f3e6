"""Checks of assignment 4: the linear program of three attributes, and what its dual proves.

Flip sets are the rows of an array ``B`` of zeros and ones, the truth first and the full set last.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linprog

from orr.constructions.linear_program import linear_program
from orr_classroom.feedback import NotYet, call, expect, numbers, show

Function = Callable[..., Any]
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

IN_ORDER = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [1, 0, 1], [0, 1, 1], [1, 1, 1]])


def records(B: Integers, a: Integers) -> Floats:
    """Return how many records have each flip set."""
    return np.where(B, a - 1.0, 1.0).prod(axis=1)


def flip(a: Integers, e: Floats) -> Floats:
    """Return the flip probability of each attribute."""
    return (a - 1) / (np.exp(e) + a - 1)


def one_more_lie(B: Integers) -> list[tuple[int, int]]:
    """Return the pairs of rows of which the second has all the lies of the first and one more."""
    pairs = [(s, t) for s in range(8) for t in range(8)]
    return [(s, t) for s, t in pairs if (B[t] >= B[s]).all() and (B[t] - B[s]).sum() == 1]


def times(answer: Function, B: ArrayLike, sizes: ArrayLike) -> None:
    """Check the number of records behind each flip set."""
    B, a = np.array(B), np.array(sizes)
    right = records(B, a)
    slips = [
        (records(B, a + 1), "A lie has a - 1 values to choose from: the true one is no lie."),
        (B @ (a - 1), "Those are sums. Each choice for one attribute goes with each choice for another."),
        (records(1 - B, a), "Those multiply over the attributes that keep their value. Take those that lie."),
        (np.append(0, right[1:]), "The truth is one record too: a product of nothing is 1."),
    ]
    _, given = call(answer, B.copy(), a.copy())
    expect(
        f"times(B, {show(a)})",
        given,
        right,
        slips,
        otherwise="Keep to the order of B.",
        total=float(a.prod()),
    )


def extended(name: str, given: Any, rows: int) -> Floats:
    """Read a pair A, b as rows that multiply all eight x, the last of which is 1."""
    if not isinstance(given, tuple | list) or len(given) != 2:
        raise NotYet(f"{name} should return two arrays: return A, b.")
    A, b = (part.toarray() if hasattr(part, "toarray") else part for part in given)
    if isinstance(A, list | tuple | np.ndarray) and len(A) and np.shape(A[0]) == (8,):
        raise NotYet(f"A of {name} has 8 columns. x_full is 1 and no unknown: move its column to the right.")
    A, b = numbers(f"A of {name}", A, (rows, 7)), numbers(f"b of {name}", b, (rows,))
    return np.column_stack([A, -b])


def inequalities(answer: Function, B: ArrayLike) -> None:
    """Check the twelve rows that say that a further lie never makes a record likelier, in any order."""
    B, name = np.array(B), "inequalities(B)"
    rows = extended(name, call(answer, B.copy())[1], 12)
    pairs = one_more_lie(B)
    wanted = np.array([np.eye(8)[t] - np.eye(8)[s] for s, t in pairs])
    found = np.zeros(12, dtype=bool)
    for n, row in enumerate(rows):
        fits = close(row, wanted)
        if not fits.any():
            raise NotYet(f"{name}: row {n} (counted from 0) is not right. {turned_or_torn(row, wanted)}")
        found |= fits
    if not found.all():
        s, t = pairs[int(np.argmin(found))]
        raise NotYet(f"{name}: a row comes twice, and the step from {B[s]} to {B[t]} is missing.")
    print(f"Right: {name}")


def close(row: Floats, rows: Floats) -> NDArray[np.bool_]:
    """Tell which rows are this one, up to a positive factor."""
    size = np.abs(row).max()
    return np.abs(row / (size or 1) - rows).max(axis=1) < 1e-6


def turned_or_torn(row: Floats, wanted: Floats) -> str:
    """Say what is wrong with an inequality."""
    if close(row[:7], -wanted[:, :7]).any():
        return "linprog reads A x <= b. So this row makes the record with more lies the likelier one."
    if close(row[:7], wanted[:, :7]).any():
        return f"Its b is {show(-row[7])}. What is left on the right when x_full = 1 goes there?"
    if np.count_nonzero(row) == 2:
        return "It should compare flip sets one lie apart: -1 for the one with fewer lies, 1 for the other."
    return "It should compare two flip sets, and nothing else."


def equations(answer: Function, B: ArrayLike, sizes: ArrayLike, epsilons: ArrayLike) -> None:
    """Check the equations of the levels: any three with the same solutions will do."""
    B, a, e = np.array(B), np.array(sizes), np.array(epsilons)
    name = f"equations(B, {show(a)}, {show(e)})"
    rows = extended(name, call(answer, B.copy(), a.copy(), e.copy())[1], 3)
    E, t, last = np.exp(e), records(B, a), np.arange(8) == 7

    def system(kept: ArrayLike, lie: ArrayLike) -> Floats:
        return np.where(B, lie, kept).T * t

    right = system(1, -E / (a - 1))
    if same_solutions(rows / t, right / t):
        print(f"Right: {name}")
        return
    slips = [
        (
            np.where(last, -right, right),
            "The sign of b is wrong: a term that changes sides changes its sign.",
        ),
        (np.where(last, 0, right), "b is 0. The term of the full set is not: its x is 1."),
        (right / t, "Every flip set counts as one record there. Where is t_S?"),
        (system(1, -E), "That compares the truth with all lies together. Take one given lie of a_i - 1."),
        (system(1, -e / (a - 1)), "That takes the level for the ratio. The ratio is exp(level)."),
        (system(1, E / (a - 1)), "The lies stand on the other side of the equation: their sign changes."),
        (
            system(E, -1 / (a - 1)),
            "exp(level) is on the wrong side: the lies are rarer, so they are multiplied.",
        ),
        (system(-E / (a - 1), 1), "Truth and lie are exchanged: B is 1 where an attribute lies."),
    ]
    for wrong, hint in slips:
        if same_solutions(rows / t, wrong / t):
            raise NotYet(f"{name}: {hint}")
    kronecker = np.exp((1 - B) @ e)
    off = np.abs(rows @ kronecker) > 1e-6 * (np.abs(rows) @ kronecker)
    if off.any():
        raise NotYet(
            f"{name}: Kronecker has these levels, but its x, exp((1 - B) @ epsilons), does not satisfy "
            f"row {int(np.argmax(off))} (counted from 0)."
        )
    if same_solutions(np.vstack([rows, right]) / t, right / t):
        raise NotYet(f"{name}: the rows are true but do not say enough. Is one empty, or twice there?")
    raise NotYet(f"{name}: Kronecker satisfies the rows, but other mechanisms with these levels do not.")


def same_solutions(rows: Floats, others: Floats) -> bool:
    """Tell whether two systems of equations have the same solutions: both, and all of it, have rank 3."""

    def rank(system: Floats) -> int:
        scale = np.abs(system).max(axis=1, keepdims=True)
        return int(np.linalg.matrix_rank(system / np.where(scale, scale, 1), rtol=1e-7))

    return rank(rows) == rank(others) == rank(np.vstack([rows, others])) == 3


def optimum(a: Integers, e: Floats) -> float:
    """Return the smallest overall level."""
    return linear_program(a, e).solve().certificate.upper


def overall_level(answer: Function, sizes: ArrayLike, epsilons: ArrayLike) -> None:
    """Check the smallest overall level."""
    a, e = np.array(sizes), np.array(epsilons)
    name, given = call(answer, a.copy(), e.copy())
    if hasattr(given, "fun"):
        raise NotYet(f"{name} is all that linprog has to say. Return the overall level.")
    if isinstance(given, float) and given == -np.inf:
        raise NotYet(
            f"{name} = -inf: x_0 is 0. Nothing keeps the truth likeliest. Are the inequalities there?"
        )
    program = linear_program(a, e)
    every = linprog(np.ones(7), program.A_ub, program.b_ub, program.A_eq, program.b_eq)
    slips = [
        (e.sum(), "That is Kronecker. The linear program does better."),
        (np.log(every.fun), "That makes the sum of all x small. Only x_0 is to be small."),
        (np.log(every.x[0]), "There the sum of all x is smallest. Only x_0 is to be small."),
    ]
    expect(name, given, optimum(a, e), slips, otherwise="Minimize x_0 and take its logarithm.")


def proved(y: Floats, a: Integers, e: Floats) -> float:
    """Return the overall level below which no mechanism can go, from any weights."""
    q = flip(a, e)
    gain = np.maximum((q - IN_ORDER) @ y, 0)
    return float(np.log1p(y @ (1 - 1 / a - q) / (records(IN_ORDER, a) @ gain / a.prod())))


def bound(answer: Function, y: ArrayLike, sizes: ArrayLike, epsilons: ArrayLike) -> None:
    """Check the lower bound that weights prove."""
    y, a, e = np.array(y, dtype=float), np.array(sizes), np.array(epsilons)
    name, given = call(answer, y.copy(), a.copy(), e.copy())
    if isinstance(given, float) and given == -np.inf:
        raise NotYet(f"{name} = -inf. Cut each y . (q - B) off at 0 first, then average.")
    q = flip(a, e)
    h, yd = (q - IN_ORDER) @ y, y @ (1 - 1 / a - q)
    gain, count = np.maximum(h, 0), records(IN_ORDER, a)
    mean = count @ gain / a.prod()
    summed = "That divides by a sum. An average weighs each flip set with its chance in a random record."
    by_q = np.where(IN_ORDER, q, 1 - q).prod(axis=1)
    slips = [
        (np.log(yd / mean), "That is the logarithm of the fraction alone. Add 1 first."),
        (
            np.log1p(yd / gain.mean()),
            "That gives every flip set the chance 1/8. Some stand for more records.",
        ),
        (np.log1p(yd / gain.sum()), summed),
        (np.log1p(yd / (count @ gain)), summed),
        (np.log1p(yd / (count @ np.abs(h) / a.prod())), "Negative terms count as 0, not with their size."),
        (np.log1p(yd / (by_q @ gain)), "There B is drawn with the chances q. In a random record they are p."),
        (np.log1p(y @ q / mean), "On top there is y . d, and d = p - q."),
    ]
    expect(
        name, given, proved(y, a, e), slips, otherwise="Are all eight flip sets there, each with its chance?"
    )


def certificate(answer: Function, sizes: ArrayLike, epsilons: ArrayLike) -> None:
    """Check a mechanism and the weights that prove it optimal, by these two alone."""
    a, e = np.array(sizes), np.array(epsilons)
    name, given = call(answer, a.copy(), e.copy())
    if not isinstance(given, tuple | list) or len(given) != 2:
        raise NotYet(f"{name} should return two lists: return x, y.")
    if np.shape(given[0]) == (7,):
        raise NotYet(f"x of {name} has 7 entries. Append x_full = 1.")
    x, y = numbers(f"x of {name}", given[0], (8,)), numbers(f"y of {name}", given[1], (3,))
    has_levels(f"x of {name}", x, a, e)
    if not y.any() or y.min() < -1e-9 * np.abs(y).max():
        raise NotYet(f"y of {name} = {show(y)}. Weights must be at least 0, and not all of them 0.")
    y = np.maximum(y, 0)
    level, least = float(np.log(x[0])), proved(y, a, e)
    said = f"{name}: found {level:.6f}, proved at least {least:.6f}"
    if level - least < 1e-6:
        print(f"Right: {said}")
        return
    hint = "No mechanism does better than this one, but these weights do not prove it."
    if level > optimum(a, e) + 1e-6:
        hint = "Another mechanism with these levels has a lower overall level."
    elif level - proved(y / flip(a, e), a, e) < 1e-6:
        hint = (
            "Those are the solver's prices. By which factor does row i differ from the theorem's condition?"
        )
    raise NotYet(f"{said}. {hint}")


def has_levels(name: str, x: Floats, a: Integers, e: Floats) -> None:
    """Check that eight numbers are a mechanism with these levels."""
    if abs(x[7] - 1) > 1e-6:
        raise NotYet(f"{name} = {show(x)}: the last entry is x_full, which is 1, and not {show(x[7])}.")
    if any(x[t] > x[s] + 1e-6 * x[0] for s, t in one_more_lie(IN_ORDER)):
        raise NotYet(f"{name} = {show(x)}: there a further lie makes some record likelier.")
    weight = records(IN_ORDER, a) * x
    levels = np.log((1 - IN_ORDER.T) @ weight * (a - 1) / (IN_ORDER.T @ weight))
    i = int(np.abs(levels - e).argmax())
    if abs(levels[i] - e[i]) > 1e-6:
        raise NotYet(f"{name}: attribute {i + 1} has level {show(levels[i])} in place of {show(e[i])}.")


def saves_at_most(answer: Function, sizes: ArrayLike, epsilons: ArrayLike, h: float) -> None:
    """Check what the best weights say about levels that are lowered by h, one at a time."""
    a, e = np.array(sizes), np.array(epsilons)
    y = np.array(linear_program(a, e).solve().certificate.weights, dtype=float)
    _, given = call(answer, proved, y.copy(), a.copy(), e.copy(), h)
    now, lower = proved(y, a, e), np.array([proved(y, a, e - step) for step in h * np.eye(3)])
    higher = np.array([proved(y, a, e + step) for step in h * np.eye(3)])
    slips = [
        (lower, "Those are the new bounds. What is saved is how far they lie below the present level."),
        (higher - now, "That is what it costs to raise a level. Lower it."),
        (now - higher, "There each level is raised. Lower it."),
        (np.full(3, now - proved(y, a, e - h)), "That lowers all levels at once. Lower one at a time."),
        (np.full(3, h), "So it is for Kronecker. Here, ask what the weights prove for the new levels."),
    ]
    expect(f"saves_at_most(bound, y, {show(a)}, {show(e)}, {h:g})", given, now - lower, slips, rtol=1e-5)
