"""Assignment 3: case (IV) of the closed form for two attributes, derived with SymPy."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from orr import two_attribute
from orr_classroom.case import Case
from orr_classroom.formulas import GIVEN
from orr_grading import cases
from orr_grading.cases import Slip
from orr_grading.tasks import Task

Floats = NDArray[np.float64]
Sizes = Sequence[float]
Levels = Sequence[float]

FLIP_SETS: list[tuple[int, ...]] = [(), (0,), (1,), (0, 1)]
THIRD, FOURTH = [1, -1, 0, 0], [1, 0, -1, 0]  # X0 = X1, X0 = X2
# In the first the lower level decides between the stops, in the second the smaller size.
UNLIKE = (([20, 4], [1.0, 1.1]), ([4, 60], [1.0, 0.2]))
PROBE = ([6, 3], [0.5, 0.1])  # in case (IV), and unlike the numbers of any class


OWN = "Each size goes with its own level: at stop (III) both pairs are exchanged, sizes and levels."


def numbers(rng: np.random.Generator) -> dict[str, Any]:
    """Draw two sizes, and levels in case (IV): `stop` refuses all others."""
    levels = (rng.integers([10, 3], [19, 9]) / 10).tolist()
    return {"sizes": apart(rng, 5, 10), "levels": levels}


def apart(rng: np.random.Generator, low: int, high: int) -> list[int]:
    """Draw two sizes that differ by more than one: else m - 1 may be n, and a slip look like another."""
    sizes = [int(size) for size in rng.integers(low, high, 2)]
    return sizes if abs(sizes[0] - sizes[1]) > 1 else apart(rng, low, high)


def at(sizes: Sizes, levels: Levels) -> dict[str, float]:
    """Return the values of the four given symbols."""
    return dict(zip(GIVEN, [*map(float, sizes), *np.exp(levels).tolist()], strict=True))


def formula(
    answer: Callable[[Sizes, Levels], ArrayLike],
    sizes: Sizes,
    levels: Levels,
    slips: Sequence[Slip | tuple[Any, ...]],
    names: Sequence[str] = GIVEN,
    **settings: Any,
) -> Case:
    """Return the case of expressions in these symbols, which should be what a function returns.

    What hints are found by trying is tried at a second point as well, whose sizes are no integers, where one slip
    cannot look like another.
    """

    def place(sizes: Sizes) -> dict[str, float]:
        return {name: number for name, number in at(sizes, levels).items() if name in names}

    known = cases.target([], answer(sizes, levels), slips, **settings)
    between = [sizes[0] + 0.37, sizes[1] + 0.59]
    return Case(
        "formula",
        {
            "point": place(sizes),
            "elsewhere": (place(between), np.asarray(answer(between, levels), dtype=float)),
            "instructive": cases.instructive(Case("numbers", {"targets": [known]})),
        }
        | known,
    )


def records(sizes: Sizes) -> Floats:
    """Return the number of records with each flip set."""
    m, n = sizes
    return np.array([1, m - 1, n - 1, (m - 1) * (n - 1)], dtype=float)


def level_row(n: float, E: float) -> list[float]:
    """Return the level equation of attribute 1, as coefficients of X0 to X3 and 1."""
    return [1, -E, n - 1, -E * (n - 1), 0]


def solve(sizes: Sizes, rows: Sequence[ArrayLike]) -> Floats:
    """Return the probabilities, with sum 1, that make three rows of coefficients vanish."""
    table = np.array([np.asarray(row, dtype=float) for row in rows])
    matrix, right = np.vstack([records(sizes), table[:, :4]]), [1.0, *-table[:, 4]]
    return np.linalg.solve(matrix, right)


def exchange(row: ArrayLike) -> Floats:
    """Return a row with the places of X1 and X2 exchanged."""
    return np.asarray(row, dtype=float)[[0, 2, 1, 3, 4]]


def stopped(sizes: Sizes, levels: Levels, tie: Sequence[int]) -> Floats:
    """Return the probabilities at the stop where a further row, the tie, vanishes."""
    m, n, E1, E2 = at(sizes, levels).values()
    return solve(sizes, [level_row(n, E1), exchange(level_row(m, E2)), [*tie, 0]])


def laws(sizes: Sizes, levels: Levels) -> list[tuple[ArrayLike, str]]:
    """Return what the four probabilities of any mechanism with these levels satisfy, and what to say if not."""
    m, n, E1, E2 = at(sizes, levels).values()
    return [
        ([*records(sizes), -1], "All records together should have probability 1. Are there as many of each kind as you think?"),
        (level_row(n, E1), "They add up to 1, but attribute 1 does not have its level."),
        (exchange(level_row(m, E2)), "They add up to 1, but attribute 2 does not have its level."),
    ]  # fmt: skip


def equations(sizes: Sizes, levels: Levels) -> Case:
    """Return the case of the three equations: the sum, and the two levels."""
    m, n, E1, E2 = at(sizes, levels).values()
    both = (m - 1) * (n - 1)
    total = [1, m - 1, n - 1, both, -1]
    few = "X1 is the probability of one record. How many such records are there?"
    order = "The first equation is about all records together; the levels come after it."
    sums: list[tuple[ArrayLike, str]] = [
        (level_row(n, E1), order),
        (exchange(level_row(m, E2)), order),
        ([1, 0, n - 1, 0, -E1 / (E1 + m - 1)], order),
        ([1, m - 1, 0, 0, -E2 / (E2 + n - 1)], order),
        ([1, 1, 1, 1, -1], few),
        ([1, m, n, m * n, -1], "Count again: a lie is one of the other values, not of all."),
        ([1, n - 1, m - 1, both, -1], "Attribute 1 has m values, and X1 belongs to its lies."),
        ([1, n, m, m * n, -1], "Attribute 1 has m values, and X1 belongs to its m - 1 lies."),
        ([1, m - 1, n - 1, 0, -1], "The records with two lies are missing."),
        ([1, m - 1, n - 1, 1, -1], "There are several records with two lies: each lie of one with each of the other."),
        ([1, m - 1, n - 1, m + n - 2, -1], "Each lie of one attribute goes with each of the other: multiply."),
        ([1, m - 1, n - 1, m * n, -1], "Count the records with two lies again: both attributes must lie."),
        ([1, m - 1, n - 1, m * n - 1, -1], "Count the records with two lies again: both attributes must lie."),
        ([0, m - 1, n - 1, both, -1], "The true record is missing: it can be released, too."),
        ([1, m - 1, n - 1, both, 0], "All records together have probability 1, and here 0."),
        ([1, m - 1, n - 1, both, -m * n], "All records together have probability 1, however many there are."),
    ]  # fmt: skip
    first, second = level_slips(m, n, E1, E2), level_slips(n, m, E2, E1)
    level = (
        "A level compares keeping the value with one given wrong value, whatever the other attribute does."
    )
    known = [
        equation(total, None, sums, ["m", "n"], "Count the records of each kind."),
        equation(level_row(n, E1), total, first, ["n", "E1"], level),
        equation(
            exchange(level_row(m, E2)),
            total,
            [(exchange(row), hint) for row, hint in second],
            ["m", "E2"],
            level,
        ),
    ]
    return Case(
        "equations",
        {
            "point": at(sizes, levels),
            "equations": known,
            "instructive": all(each.pop("instructive") for each in known),
        },
    )


def level_slips(m: float, n: float, E: float, F: float) -> list[tuple[list[float], str]]:
    """Return wrong rows for the level of attribute 1; for attribute 2 the roles are exchanged."""
    lies = n - 1
    exchanged = "X1 and X2 are exchanged: X1 is for a lie in attribute 1 alone."
    alone = "That compares two records. An attribute level adds up all records with the value, so the other attribute may lie as well."
    count = "Count: the other attribute can lie in several ways."
    chance = "E stands for a ratio: truth over one given lie, not a probability."
    return [
        ([1, lies, -E, -E * lies, 0], exchanged),
        ([1, m - 1, -E, -E * (m - 1), 0], "That is the other attribute's comparison, with this one's level."),
        ([1, n - 1, -F, -F * lies, 0], exchanged),
        ([1, m - 1, -F, -F * (m - 1), 0], "That is the equation of the other attribute."),
        ([1, -E, lies, 0, -E * lies], "That is for the ratios of chapter 3. Here X3 need not be 1."),
        ([1, -E * (m - 1), lies, -E * (m - 1) * lies, 0], "Compare with one wrong value, not with all."),
        ([m - 1, -E, (m - 1) * lies, -E * lies, 0], "One given wrong value is meant already: it is not to be divided by the number of lies."),
        ([1, -E, 1, -E, 0], count),
        ([1, -E, lies, -E, 0], count),
        ([1, -E, 1, -E * lies, 0], count),
        ([1, -E, n, -E * n, 0], "Count again: a lie is one of the other values, not of all."),
        ([1, -E, m - 1, -E * (m - 1), 0], "Count the lies of the *other* attribute, which has its own number of values."),
        ([E, -1, E * lies, -lies, 0], "The truth should be the likelier of the two."),
        ([1, -F, lies, -F * lies, 0], "Each attribute has its own level: the other E belongs there."),
        ([1, -np.log(E), lies, -np.log(E) * lies, 0], "E1 and E2 are e^epsilon already: no logarithm of one side alone."),
        ([1, -E, 0, 0, 0], alone),
        ([1, 0, -E, 0, 0], alone),
        ([0, 1, 0, -E, 0], alone),
        ([0, 0, 1, -E, 0], alone),
        ([1, 0, 0, -E, 0], alone),
        ([1, 0, 0, -E * F, 0], "That is for the overall level of independent lies."),
        ([1, 0, lies, 0, -E], chance),
        ([1, 0, lies, 0, -1 / E], chance),
        ([1, 0, lies, 0, -E / (E + 1)], "That is right for two values. With more there are more lies to share the rest."),
        ([1, 0, lies, 0, -E / (E + m)], "Count again: beside E stands the number of lies, which is one less than the number of values."),
        ([1, 0, lies, 0, -E / (E + n - 1)], "Each size goes with its own level: m with E1, n with E2."),
        ([1, 0, lies, 0, -F / (F + n - 1)], "The right side is that of the other attribute."),
        ([1, 0, lies, 0, -(m - 1) / (E + m - 1)], "On the left the attribute is kept, on the right it lies."),
        ([1, 0, lies, 0, -1 / (E + m - 1)], "On the left the attribute is kept, on the right is one given lie."),
        ([0, m - 1, 0, (m - 1) * lies, -E / (E + m - 1)], "On the left the attribute lies, on the right it is kept."),
        ([0, 1, 0, lies, -(m - 1) / (E + m - 1)], "On the left is one given lie, on the right are all of them."),
        ([1, 0, 0, 0, -E / (E + m - 1)], alone),
    ]  # fmt: skip


def equation(
    right: ArrayLike,
    total: ArrayLike | None,
    slips: Sequence[tuple[ArrayLike, str]],
    needed: list[str],
    otherwise: str,
) -> dict[str, Any]:
    """Describe one equation by the rows that are right and wrong; a total may be made use of."""
    row = np.asarray(right, dtype=float)
    known = [np.asarray(slip, dtype=float) for slip, _ in slips]
    given = [row] if total is None else [np.asarray(total, dtype=float), row]
    unlike = [np.linalg.matrix_rank(np.array([*given, slip]), tol=1e-3) > len(given) for slip in known]
    return {
        "right": row,
        "total": total if total is None else np.asarray(total, dtype=float),
        "slips": [(slip, hint, "") for slip, (_, hint) in zip(known, slips, strict=True)],
        "needed": needed,
        "otherwise": otherwise,
        "instructive": all(unlike),
    }


def independent(sizes: Sizes, levels: Levels) -> Floats:
    """Return the probabilities of the Kronecker product."""
    _, _, E1, E2 = at(sizes, levels).values()
    x = np.array([E1 * E2, E2, E1, 1])
    return x / (records(sizes) @ x)


def kronecker(sizes: Sizes, levels: Levels) -> Case:
    """Return the case of the probabilities of the Kronecker product."""
    m, n, E1, E2 = at(sizes, levels).values()
    x, many = np.array([E1 * E2, E2, E1, 1]), records(sizes)
    right = independent(sizes, levels)
    t1, l1, t2, l2 = E1 / (E1 + m - 1), 1 / (E1 + m - 1), E2 / (E2 + n - 1), 1 / (E2 + n - 1)
    exchanged = "X1 and X2 are exchanged: with a lie in attribute 1 alone, attribute 2 is true."
    slips = [
        Slip(x, "Those are the right ratios. Divide, so that all records together have probability 1."),
        Slip(right[[0, 2, 1, 3]], exchanged),
        Slip(x / x.sum(), "These four add up to 1. But there are several records of each kind."),
        Slip(right * many, "That is for all records of a kind together. Each one is wanted."),
        Slip((right * many)[[0, 2, 1, 3]], f"{exchanged} And each one record is wanted, not all of a kind."),
        Slip(right[::-1], "Truth and lie are exchanged: X0 is the largest."),
        Slip(right * many / [1, m, n, m * n], "A lie is one of m - 1 other values (or n - 1): m and n count the truth, too."),
        Slip(x / (E1 * E2 + m * n - 1), "That treats the pair as one answer of level E1 E2. Multiply the attributes' own probabilities."),
        Slip([t1 + t2, l1 + t2, t1 + l2, l1 + l2], "Independent probabilities are multiplied, not added."),
        Slip([t1, l1, t1, l1], "Attribute 2 is missing: multiply by what it does."),
        Slip([t2, t2, l2, l2], "Attribute 1 is missing: multiply by what it does."),
        Slip([t1 * t2, l1, l2, l1 * l2], "A lie in one attribute *alone* says that the other is true: multiply by that."),
        Slip([t1 * t2, 1 - t1, 1 - t2, l1 * l2], "A lie in one attribute *alone* says that the other is true: multiply by that."),
        Slip([t1 * t2, (1 - t1) * t2, t1 * (1 - t2), l1 * l2], "1 minus the truth is for all lies together. One given lie is wanted."),
        Slip(x / ((E1 + m) * (E2 + n)), "Below the line stand the truth and m - 1 lies: E1 + m - 1."),
        Slip(x / ((E1 + n - 1) * (E2 + m - 1)), "Each size goes with its own level: m with E1, n with E2."),
        Slip(x / (E1 + m - 1 + E2 + n - 1), "The two denominators are multiplied, not added."),
    ]  # fmt: skip
    return formula(
        independent,
        sizes,
        levels,
        slips,
        laws=laws(sizes, levels),
        otherwise="Multiply: what attribute 1 does, times what attribute 2 does.",
    )


def fourth_stop(sizes: Sizes, levels: Levels) -> Floats:
    """Return the probabilities at the stop of case (IV)."""
    return stopped(sizes, levels, FOURTH)


def outside(sizes: Sizes, levels: Levels, right: ArrayLike, *wanted: str) -> list[Slip]:
    """Return a slip that is right, so that numbers are drawn again, unless they are in one of the wanted cases."""
    return [] if two_attribute(sizes, levels).case in wanted else [Slip(right, "")]


def stop(sizes: Sizes, levels: Levels) -> Case:
    """Return the case of the probabilities at the stop of case (IV)."""
    m, n, E1, E2 = at(sizes, levels).values()
    right, many = fourth_stop(sizes, levels), records(sizes)
    first, second, tie = level_row(n, E1), exchange(level_row(m, E2)), [*FOURTH, 0]
    x = np.array([E1 * E2, E2, E1, 1])

    def wrong(one: ArrayLike, two: ArrayLike) -> Floats:
        return solve(sizes, [one, exchange(two), tie])

    slips = [
        Slip(stopped(sizes, levels, THIRD), "That is stop (III), with X0 = X1. In (IV) it is attribute 2."),
        Slip(stopped(sizes, levels, [0, 0, 1, -1]), "That is stop (II), with X2 = X3. In (IV), X0 = X2."),
        Slip(stopped(sizes, levels, [0, 1, 0, -1]), "That is stop (I), with X1 = X3. In (IV), X0 = X2."),
        Slip(stopped(sizes, levels, [0, 1, -1, 0]), "That is for X1 = X2. In (IV) it is the truth that a single lie catches up with: X0 = X2."),
        Slip(stopped(sizes, levels, [1, 0, 0, -1]), "That is for X0 = X3. In (IV) a lie in attribute 2 alone is as likely as the truth: X0 = X2."),
        Slip(x / (many @ x), "That is the Kronecker product. At the stop X0 = X2."),
        Slip(right / right[3], "Those are ratios to X3. The probabilities of all records add up to 1."),
        Slip(right / right[0], "Those are ratios to X0. The probabilities of all records add up to 1."),
        Slip(right / right.sum(), "These four add up to 1. But there are several records of each kind."),
        Slip(right * many, "That is for all records of a kind together. Each one is wanted."),
        Slip(right[[0, 2, 1, 3]], "X1 and X2 are exchanged."),
        Slip(right[::-1], "The order is X0, X1, X2, X3."),
        Slip(solve(sizes, [[1, -E1, n - 1, 0, -E1 * (n - 1)], exchange([1, -E2, m - 1, 0, -E2 * (m - 1)]), tie]),
             "The level equations of chapter 3 are for ratios to X3. With probabilities, X3 stands in them."),
        Slip(wrong([1, -E1, 1, -E1, 0], [1, -E2, 1, -E2, 0]), "In a level equation the other attribute can lie in several ways: count."),
        Slip(wrong([1, -E1, n, -E1 * n, 0], [1, -E2, m, -E2 * m, 0]), "In a level equation the other attribute has one lie less than values."),
        Slip(wrong(level_row(n, E1 * (m - 1)), level_row(m, E2 * (n - 1))), "A level compares with one wrong value, not with all."),
        Slip(wrong(level_row(m, E1), level_row(n, E2)), "In a level equation count the lies of the *other* attribute."),
        Slip(wrong(level_row(n, E2), level_row(m, E1)), "Each attribute has its own level: m goes with E1, n with E2."),
        Slip(wrong(level_row(n, 1 / E1), level_row(m, 1 / E2)), "In your level equations the lie is likelier than the truth."),
        Slip(solve(sizes, [second, [1, -E1, 0, 0, 0], tie]), "A level compares all records with the value, not two records.", "", False),
        Slip(solve(sizes, [first, [1, 0, 0, -E1 * E2, 0], tie]), "One equation is the Kronecker product's, which does not hold at the stop.", "", False),
    ]  # fmt: skip
    slips += outside(sizes, levels, right, "IV")
    return formula(
        fourth_stop,
        sizes,
        levels,
        slips,
        laws=[*laws(sizes, levels), (tie, "The equations of task 1 hold, but X0 and X2 differ.")],
        otherwise="Put your four into the equations of task 1: which one fails?",
    )


def saving(sizes: Sizes, levels: Levels) -> float:
    """Return what the stop saves over the Kronecker product, as a multiple of -D."""
    (m, n), X, product = sizes, fourth_stop(sizes, levels), np.exp(sum(levels))
    return float((product - X[0] / X[3]) / ((m - 1) * (n - 1) - product))


def fraction(sizes: Sizes, levels: Levels) -> Case:
    """Return the case of what the stop saves over the Kronecker product, as a multiple of -D."""
    m, n, E1, E2 = at(sizes, levels).values()
    X, three = fourth_stop(sizes, levels), stopped(sizes, levels, THIRD)
    x0, below, product = X[0] / X[3], (m - 1) * (n - 1) - E1 * E2, E1 * E2
    saved = product - x0
    part = "Divide it by (m - 1)(n - 1) - E1 E2."
    slips = [
        Slip(x0, "That is x0 itself. Subtract it from E1 E2 and divide."),
        Slip(saved, f"That is all of the saving. {part}"),
        Slip(-saved, f"That is the saving with the wrong sign, all of it: E1 E2 is the larger. {part}"),
        Slip(saved * below, "That is multiplied by -D. Divide."),
        Slip(below, "That is -D. What must it be multiplied by to give the saving?"),
        Slip((m - 1) * n - E1 * (E2 - 1), "That is the denominator alone. What stands above it?"),
        Slip(-saved / below, "The sign is wrong: below D = 0 both the saving and -D are positive."),
        Slip(saved / product, "That is the saving as a share of E1 E2. Divide it by -D instead."),
        Slip(saved / x0, "That is the saving as a share of x0. Divide it by -D instead."),
        Slip(x0 / product, "That is what remains of E1 E2, as a share. Subtract x0 from E1 E2 and divide by -D."),
        Slip(x0 / below, "That is x0 over -D. First subtract it from E1 E2."),
        Slip(saved / (m * n - product), "D has (m - 1)(n - 1) in it, not m n."),
        Slip(saved / (product + (m - 1) * (n - 1)), "D is a difference."),
        Slip((product - three[0] / three[3]) / below, "That is for stop (III), with X0 = X1. Yours is (IV)."),
        Slip((product - X[0] / X[1]) / below, "With x0 = X0 / X1 you get that. The ratio is X0 / X3."),
        Slip((product - X[0] / X[2]) / below, "With x0 = X0 / X2 = 1 you get that. The ratio is X0 / X3."),
        Slip((product - X[1] / X[3]) / below, "That is for x1 = X1 / X3. The ratio x0 is X0 / X3."),
        Slip((product - X[3] / X[0]) / below, "With X3 / X0 you get that. The ratio x0 is X0 / X3."),
        Slip((product - X[0]) / below, "With X0 in place of x0 you get that. The ratio x0 is X0 / X3."),
        Slip((independent(sizes, levels)[0] - X[0]) / below, "That compares the probabilities X0. Compare the ratios x0 = X0 / X3."),
        Slip(np.log(product / x0) / below, "That compares levels. Compare the ratios themselves."),
    ]  # fmt: skip
    slips += outside(sizes, levels, saved / below, "IV")
    return formula(
        saving,
        sizes,
        levels,
        slips,
        otherwise="Solve the displayed equation for the fraction.",
    )


def margin(sizes: Sizes) -> Case:
    """Return the case of a polynomial with the sign of X0 - X1 at the stop, at many points with D < 0."""
    points = near_the_border(sizes)
    m, n, E1, E2 = points.T
    right = m * E1 * (E2 + n - 1) - n * E2 * (E1 + m - 1)
    D = E1 * E2 - (m - 1) * (n - 1)
    ones = np.ones(len(points))
    always = "everywhere. The sign of X0 - X1 at your stop changes: are X0 and X1 one record each, those of the stop, and did you take the numerator?"
    exactly = "Take X0 - X1 at the stop exactly."
    slips = [
        (-right, "has the wrong sign everywhere."),
        (0 * ones, "is 0 everywhere: at your stop X0 = X2. Compare X0 with X1."),
        (ones, f"is positive {always}"),
        (-ones, f"is negative {always}"),
        (E1 - E2, "has the sign of E1 - E2. The sizes matter as well."),
        (E2 - E1, "has the sign of E2 - E1. The sizes matter as well."),
        (m - n, "has the sign of m - n. The levels matter as well."),
        (n - m, "has the sign of n - m. The levels matter as well."),
        (m * E1 - n * E2, f"has the sign of m E1 - n E2. {exactly}"),
        (n * E2 - m * E1, f"has the sign of n E2 - m E1. {exactly}"),
        (n * E1 - m * E2, f"has the sign of n E1 - m E2. {exactly}"),
        (m * E2 - n * E1, f"has the sign of m E2 - n E1. {exactly}"),
        ((m - 1) * E1 - (n - 1) * E2, f"has the sign of (m - 1) E1 - (n - 1) E2. {exactly}"),
        ((n - 1) * E1 - (m - 1) * E2, f"tells which attribute is true more often. Compare records: {exactly}"),
        ((m - 1) * E2 - (n - 1) * E1, f"tells which attribute lies more often. Compare records: {exactly}"),
        (m * (n - 1) * E1 - n * (m - 1) * E2, "has the right sign for equal sizes only. Is a term with E1 E2 missing?"),
        (m * (n - 1) * E1 - n * (m - 1) * E2 - (m - n) * E1 * E2, "has the right sign for equal sizes only. Look at the sign of the term with E1 E2."),
        (m * (n - 1) * E1 + n * (m - 1) * E2 - (n - m) * E1 * E2, f"has a wrong sign before a term. {exactly}"),
    ]  # fmt: skip
    signs = np.sign(right)
    known = [(np.sign(values), hint) for values, hint in slips]
    return Case(
        "formula",
        {
            "points": points,
            "signs": signs.astype(int).tolist(),
            "slips": [(values.astype(int).tolist(), hint, "") for values, hint in known],
            "says": ["At your stop X1 > X0", "At your stop X0 > X1"],
            "instructive": all((values != signs).any() for values, _ in known) and (D < 0).all(),
        },
    )


def near_the_border(sizes: Sizes) -> Floats:
    """Return points m, n, E1, E2 with D < 0, on both sides of where X0 = X1 at the stop, near it and far."""
    m, n = sizes
    found = []
    for a, b in [(m, n), (n, m), (m, m + 4), (n + 3, n)]:
        for E1 in np.exp([0.2, 0.5, 0.9, 1.4]):
            border = a * (b - 1) * E1 / (b * (a - 1) + (b - a) * E1)  # the E2 for which the sign changes
            # 3% is nearer than the border of any other comparison that has been thought of
            levels = [np.log(border * factor) for factor in (0.7, 0.97, 1.03, 1.4) if border > 0]
            found += [
                (a, b, E1, np.exp(level))
                for level in levels
                if level > 0 and E1 * np.exp(level) < 0.98 * (a - 1) * (b - 1)
            ]
    return np.array(found, dtype=float)


def overall_level(*points: tuple[Sizes, Levels]) -> Case:
    """Return the case of the smallest overall level where D < 0, for both orders of the attributes at each point."""
    orders = [([*sizes][::step], [*levels][::step]) for sizes, levels in points for step in (1, -1)]
    return cases.several([level_target(*each) for each in orders])


def level_target(sizes: list[float], levels: list[float]) -> dict[str, Any]:
    """Describe one call, with two sizes and two levels."""
    (m, n), (A, B) = sizes, np.exp(levels)

    def fourth(a: float, b: float, A: float, B: float) -> float:
        return (a - 1) * A * (B + b - 1) / ((a - 1) * b - A * (B - 1))

    three, four = fourth(n, m, B, A), fourth(m, n, A, B)
    one, two = (stopped(sizes, levels, tie) for tie in ([0, 1, 0, -1], [0, 0, 1, -1]))
    raw = max(fourth(m, n, *levels), fourth(n, m, *levels[::-1]))
    with np.errstate(all="ignore"):
        slips = [
            Slip(np.log(min(three, four)), "That is the smaller of the two stops, where a single lie is likelier than the truth. Sizes and levels together say which is the larger."),
            Slip(min(three, four), "That is x0 at the smaller of the two stops. Take the larger, and its logarithm."),
            Slip(max(three, four), "That is x0. Take the logarithm of that."),
            Slip(sum(levels), "That is the Kronecker product's level. It can be lowered."),
            Slip(A * B, "That is x0 of the Kronecker product. It can be lowered, and a logarithm is wanted."),
            Slip(max(levels), "No mechanism goes below the larger level, but this is not reached."),
            Slip(np.log((three + four) / 2), "That is the mean of the two stops. One of them is allowed: the larger."),
            Slip(np.log(three + four), "That is the sum of the two stops. One of them is allowed: the larger."),
            Slip(np.log(three) + np.log(four), "That adds both stops. One of them is allowed: the larger."),
            Slip(np.log(max(fourth(n, m, A, B), fourth(m, n, B, A))), OWN),
            Slip(np.log(max(four, fourth(n, m, A, B))), OWN, "", three > four),
            Slip(np.log(max(four, fourth(m, n, B, A))), OWN, "", three > four),
            Slip(np.log(raw), "`levels` are logarithms: E1 is exp(levels[0])."),
            Slip(raw, "`levels` are logarithms: E1 is exp(levels[0])."),
            Slip(np.log(one[0] / one[3]), "That is stop (I), which is for D > 0."),
            Slip(np.log(two[0] / two[3]), "That is stop (II), which is for D > 0."),
            Slip(max(two[0] / two[3], one[0] / one[3]), "That is a stop for D > 0."),
            Slip(np.log((m - 1) * (n - 1)), "That is x0 where D = 0. Take the stops."),
        ]  # fmt: skip
    right = two_attribute(sizes, levels).epsilon
    slips += outside(sizes, levels, right, "III", "IV")
    return cases.target(
        [sizes, levels],
        right,
        slips,
        otherwise="x0 = X0/X3 at each of the two stops; the larger; its logarithm.",
    )


def deciding(sizes: Sizes, levels: Levels) -> Floats:
    """Return numbers whose signs say which stop is taken: (IV) if positive. The first is right, the others are slips.

    A slip gives one of the two stops, the larger or the smaller: only a point where its sign is wrong tells.
    """
    m, n, E1, E2 = at(sizes, levels).values()
    parts, product = m * (n - 1) * E1 - n * (m - 1) * E2, (m - n) * E1 * E2
    weighed = [m * E1 - n * E2, (m - 1) * E1 - (n - 1) * E2, (n - 1) * E1 - (m - 1) * E2]
    return np.array([parts + product, parts, parts - product, E1 - E2, E2 - E1, m - n, n - m, *weighed])


def told(points: Sequence[tuple[Sizes, Levels]]) -> bool:
    """Return whether each wrong way to decide between the stops goes wrong at one of the points, in both orders."""
    signs = np.sign([deciding(*each) for each in points])
    return bool((signs == -signs[:, :1]).any(axis=0)[1:].all())


def low_points(rng: np.random.Generator) -> Sequence[Any]:
    """Draw two points with D < 0 that tell every wrong way to decide between the stops."""
    while True:
        points = [low_point(rng), low_point(rng)]
        below = all(two_attribute(*each).case in ("III", "IV") for each in points)
        if below and told(points):
            return points


def far(sizes: Sizes, levels: Levels) -> list[float]:
    """Return what x0 tends to at stops (III) and (IV) when attribute 2 has very many values."""
    m, _, E1, E2 = at(sizes, levels).values()
    return [E2 * (E1 + m - 1) / m, E1]


def limits(sizes: Sizes, levels: Levels) -> Case:
    """Return the case of what x0 tends to at stops (III) and (IV) when attribute 2 has very many values."""
    m, _, E1, E2 = at(sizes, levels).values()
    third, _ = far(sizes, levels)
    slips = [
        Slip([E2, E1], "That lets both sizes grow. Only n does, and m stays."),
        Slip([E1, E2], "That lets both sizes grow, and the order is stop (III), stop (IV)."),
        Slip([E1 * E2, E1 * E2], "That is the Kronecker product's. Take the limits of the two stops."),
        Slip([E1, E1], "The two limits differ."),
        Slip([third, third], "The two limits differ."),
        Slip([0, 0], "That is for X0, which becomes rare with so many records. The ratio is x0 = X0 / X3."),
        Slip([third, E1 * E2], "The first is right. In the second n grows above the line and below."),
        Slip([E1 * E2, E1], "The second is right. In the first n grows above the line and below."),
        Slip([third, E1 * (E2 - 1)], "The first is right. In the second keep the terms that grow with n, above and below."),
        Slip([E2 * (E1 + m - 1), E1], "The second is right. The first must still be divided by m."),
        Slip([E2 * (E1 + m - 1) / (m - 1), E1], "The second is right. In the first, divide by what n is multiplied by below the line."),
        Slip([E2 * E1 / m, E1], "The second is right. In the first E1 + m - 1 stays whole."),
        Slip([E2, E1 * (E2 + m - 1) / m], "Which attribute grows? In your answer it is attribute 1."),
        Slip([E1 * (E2 + m - 1) / m, E2], "The attributes are exchanged: m is the size of attribute 1, with E1."),
        Slip([max(third, E1)] * 2, "That is the larger twice. Give both."),
        Slip(np.log([third, E1]), "Those are the levels. x0 itself is wanted: no logarithm."),
        Slip([E1 * (E1 + m - 1) / m, E1], "The second is right. In the first the two levels do not stand where they should.", "", False),
    ]  # fmt: skip
    return formula(
        far,
        sizes,
        levels,
        slips,
        ["m", "E1", "E2"],
        otherwise="Divide above and below the line by n, then let n grow.",
    )


def any_point(rng: np.random.Generator) -> Sequence[Any]:
    """Draw two sizes and two levels."""
    return apart(rng, 3, 16), (rng.integers(2, 25, 2) / 10).tolist()


def low_point(rng: np.random.Generator) -> tuple[Sizes, Levels]:
    """Draw sizes and levels of which many have D < 0."""
    return apart(rng, 3, 21), (rng.integers(1, 19, 2) / 10).tolist()


TASKS = {
    "equations": Task(
        equations,
        lambda given: [(given["sizes"], given["levels"]), PROBE],
        any_point,
        points=2,
        meaning="Three equations for four unknowns: one degree of freedom is all that there is to choose.",
        more="Attribute 1 keeps its value in X0 and in n - 1 records of X2. It takes one given wrong value in X1 and in n - 1 records of X3.",
    ),
    "kronecker": Task(
        kronecker,
        lambda given: [(given["sizes"], given["levels"]), PROBE],
        any_point,
        points=2,
        meaning="This is where everybody starts, and what the rest of the assignment improves on.",
        more="Attribute 1 is true with probability E1/(E1 + m - 1), and one given lie has 1/(E1 + m - 1).",
    ),
    "stop": Task(
        stop,
        lambda given: [(given["sizes"], given["levels"]), PROBE],
        low_point,
        points=3,
        meaning="Each attribute lies as often as before. Only how lies come together has changed.",
        more="The fourth equation says which two probabilities are equal at this stop. sp.solve takes a list of equations and a list of unknowns, and gives a dictionary.",
    ),
    "fraction": Task(
        fraction,
        lambda given: [(given["sizes"], given["levels"]), PROBE],
        low_point,
        points=2,
        meaning="So nothing is saved at D = 0, and the more the further below it you are.",
        more="Solve the displayed equation for the fraction, and put in the ratio x0 of your stop; sp.cancel makes it short.",
    ),
    "margin": Task(
        margin,
        lambda given: [(given["sizes"],), ([4, 12],)],
        lambda rng: (apart(rng, 4, 21),),
        points=2,
        meaning="One sign decides between two formulas: that is what a case distinction in a theorem is made of.",
        more="The sign of a fraction is that of its numerator, if the denominator is positive: put `yours` into both and see.",
    ),
    "overall-level": Task(
        overall_level,
        lambda given: [((given["sizes"], given["levels"]),), UNLIKE],
        low_points,
        points=3,
        meaning="That is the best that any symmetric mechanism with these attribute levels can promise.",
        more="Write x0 of stop (IV) as a function of two sizes and two factors. Stop (III) is the same function with both pairs exchanged.",
    ),
    "limits": Task(
        limits,
        lambda given: [(given["sizes"], given["levels"]), PROBE],
        any_point,
        points=2,
        meaning="So even an attribute with endless values does not make the other one's level useless.",
        more="sp.limit(expression, n, sp.oo) takes a limit. You have x0 of stop (IV); stop (III) is the same with the attributes exchanged.",
    ),
}  # fmt: skip
