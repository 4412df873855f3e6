"""Checks of assignment 3: case (IV) of the closed form for two attributes, derived with SymPy.

An answer is a SymPy expression in the symbols m, n, E1 and E2, in any form. It is judged by its
value at given sizes and levels. Symbols are told apart by their names alone.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike, NDArray

from orr import two_attribute
from orr_classroom.feedback import NotYet, call, expect, show

Floats = NDArray[np.float64]
Slips = list[tuple[ArrayLike, str]]
GIVEN = ("m", "n", "E1", "E2")
UNKNOWN = ("X0", "X1", "X2", "X3")
FLIP_SETS: list[tuple[int, ...]] = [(), (0,), (1,), (0, 1)]


def at(sizes: Sequence[int], levels: Sequence[float]) -> dict[str, float]:
    """Return the values of the four given symbols."""
    return dict(zip(GIVEN, [*map(float, sizes), *np.exp(levels).tolist()], strict=True))


def read(name: str, given: Any, names: Sequence[str] = GIVEN) -> Any:
    """Read an answer as an expression in the symbols of these names."""
    if given is None or given is Ellipsis:
        raise NotYet(f"{name} is still empty.")
    if isinstance(given, sp.Eq):
        raise NotYet(f"{name} is an equation. An expression is wanted.")
    if isinstance(given, sp.Rel):
        raise NotYet(f"{name} is an inequality. Bring everything to one side and drop the sign.")
    try:
        expression = sp.sympify(given, strict=True)
    except sp.SympifyError:
        expression = None
    if not isinstance(expression, sp.Expr):
        raise NotYet(f"{name} should be a SymPy expression, and is {show(given)}.")
    strange = sorted({symbol.name for symbol in expression.free_symbols} - set(names))
    if strange:
        raise NotYet(f"{name} contains {' and '.join(strange)}. Only {', '.join(names)} may be in it.")
    return expression


def entries(name: str, given: Any, count: int) -> list[Any]:
    """Read an answer as a list."""
    if given is None or given is Ellipsis:
        raise NotYet(f"{name} is still empty.")
    if isinstance(given, Mapping):
        raise NotYet(f"{name} is a dictionary. Make a list of its values, in the order asked for.")
    if not isinstance(given, list | tuple | sp.Tuple | sp.MatrixBase | np.ndarray):
        raise NotYet(f"{name} should be a list with {count} entries.")
    if len(given) != count:
        raise NotYet(f"{name} should have {count} entries, and has {len(given)}.")
    return list(given)


def value(expression: Any, numbers: Mapping[str, float]) -> float:
    """Evaluate an expression; nan where that gives no real number."""
    try:
        return float(expression.subs({symbol: numbers[symbol.name] for symbol in expression.free_symbols}))
    except TypeError:
        return float("nan")


def compare(
    name: str,
    given: Sequence[Any],
    right: ArrayLike,
    slips: Slips,
    numbers: Mapping[str, float],
    names: Sequence[str] = GIVEN,
) -> None:
    """Compare expressions with numbers that they should have as values."""
    parts = [read(f"{name}[{i}]" if len(given) > 1 else name, each, names) for i, each in enumerate(given)]
    values = [value(part, numbers) for part in parts]
    present = {symbol.name for part in parts for symbol in part.free_symbols}
    missing = [symbol for symbol in names if symbol not in present]
    if missing and np.allclose(values, right, rtol=1e-6):
        raise NotYet(f"{name} is right for your numbers only: {missing[0]} is not in it. Keep the symbols.")
    where = ", ".join(f"{symbol} = {show(number)}" for symbol, number in numbers.items())
    answer, target = (values, right) if len(parts) > 1 else (values[0], np.asarray(right)[0])
    expect(f"{name} ({where})", answer, target, slips)


def records(sizes: Sequence[int]) -> Floats:
    """Return the number of records with each flip set."""
    m, n = sizes
    return np.array([1, m - 1, n - 1, (m - 1) * (n - 1)], dtype=float)


def best(sizes: Sequence[int], levels: Sequence[float]) -> Floats:
    """Return the probability of each record in the optimum, flip set by flip set."""
    mechanism = two_attribute(sizes, levels)
    x = np.exp([mechanism.log_ratio(flips) for flips in FLIP_SETS])
    return x / (records(sizes) @ x)


def level_rows(m: float, n: float, E: float) -> list[tuple[Floats, str]]:
    """Return the level equation of attribute 1, as coefficients of X0 to X3 and 1, and wrong ones."""
    rows = [
        ([1, -E, n - 1, -E * (n - 1), 0], ""),
        ([1, n - 1, -E, -E * (n - 1), 0], "X1 and X2 are exchanged: X1 is for a lie in attribute 1 alone."),
        ([1, -E, n - 1, 0, -E * (n - 1)], "That is for the ratios of chapter 3. Here X3 need not be 1."),
        ([1, -E * (m - 1), n - 1, -E * (m - 1) * (n - 1), 0], "Compare with one wrong value, not with all."),
        ([1, -E, 1, -E, 0], "Count: the other attribute can lie in several ways."),
        ([1, -E, n, -E * n, 0], "Count again: a lie is one of the other values, not of all."),
        ([E, -1, E * (n - 1), -(n - 1), 0], "The truth should be the likelier of the two."),
    ]
    return [(np.array(row, dtype=float), hint) for row, hint in rows]


def equations(answer: Any, sizes: Sequence[int], levels: Sequence[float]) -> None:
    """Check the equations for the four probabilities: their sum, and the two levels."""
    numbers = at(sizes, levels)
    m, n, E1, E2 = numbers.values()
    both = (m - 1) * (n - 1)
    sums: Slips = [
        ([1, m - 1, n - 1, both, -1], ""),
        ([1, 1, 1, 1, -1], "X1 is the probability of one record. How many such records are there?"),
        ([1, m, n, m * n, -1], "Count again: a lie is one of the other values, not of all."),
        ([1, n - 1, m - 1, both, -1], "Attribute 1 has m values, and X1 belongs to its lies."),
        ([1, m - 1, n - 1, 0, -1], "The records with two lies are missing."),
    ]
    first, second = level_rows(m, n, E1), level_rows(n, m, E2)
    second = [(row[[0, 2, 1, 3, 4]], hint) for row, hint in second]
    level = "A level compares keeping the value with one given wrong value."
    swapped = "That is the equation of the other attribute."
    parts = entries("equations", answer, 3)
    equation("equations[0]", parts[0], sums, numbers, ["m", "n"], "Count the records of each kind.")
    equation("equations[1]", parts[1], [*first, (second[0][0], swapped)], numbers, ["n", "E1"], level)
    equation("equations[2]", parts[2], [*second, (first[0][0], swapped)], numbers, ["m", "E2"], level)
    print(f"Right: equations (m = {m:g}, n = {n:g}, E1 = {show(E1)}, E2 = {show(E2)})")


def equation(
    name: str,
    given: Any,
    rows: Sequence[tuple[ArrayLike, str]],
    numbers: Mapping[str, float],
    needed: Sequence[str],
    otherwise: str,
) -> None:
    """Check one equation: the first row is the right one, the others are known slips."""
    if isinstance(given, sp.logic.boolalg.BooleanAtom | bool):
        raise NotYet(f"{name} is {given}: its two sides are {'the same' if given else 'different numbers'}.")
    gap = given.lhs - given.rhs if isinstance(given, sp.Eq) else given
    gap = read(name, gap, GIVEN + UNKNOWN)
    found = [hint for row, hint in rows if same_solutions(gap, np.asarray(row, dtype=float), numbers)]
    if not found or found[0]:
        raise NotYet(f"{name} is not right. {[*found, otherwise][0]}")
    missing = [symbol for symbol in needed if symbol not in {each.name for each in gap.free_symbols}]
    if missing:
        raise NotYet(f"{name} is right for your numbers only: {missing[0]} is not in it. Keep the symbols.")


def same_solutions(gap: Any, row: Floats, numbers: Mapping[str, float]) -> bool:
    """Whether an expression is zero where a linear one is, and only there."""
    for rest in [(0.0012, 0.0011, 0.0013), (0.0023, 0.0021, 0.0029)]:
        X0 = -row[1:] @ [*rest, 1] / row[0]
        on, off = (
            value(gap, {**numbers, **dict(zip(UNKNOWN, (each, *rest), strict=True))})
            for each in (X0, 1.5 * X0 + 0.01)
        )
        if not abs(on) <= 1e-9 * abs(off):
            return False
    return True


def kronecker(answer: Any, sizes: Sequence[int], levels: Sequence[float]) -> None:
    """Check the probabilities of the Kronecker product."""
    E1, E2 = np.exp(levels)
    x = np.array([E1 * E2, E2, E1, 1])
    right = x / (records(sizes) @ x)
    slips: Slips = [
        (x, "Those are the right ratios. Divide, so that all records together have probability 1."),
        (
            right[[0, 2, 1, 3]],
            "X1 and X2 are exchanged: with a lie in attribute 1 alone, attribute 2 is true.",
        ),
        (x / x.sum(), "These four add up to 1. But there are several records of each kind."),
        (right * records(sizes), "That is for all records of a kind together. Each one is wanted."),
        (right[::-1], "Truth and lie are exchanged: X0 is the largest."),
    ]
    compare("kronecker", entries("kronecker", answer, 4), right, slips, at(sizes, levels))


def solve(sizes: Sequence[int], levels: Sequence[float], tie: Sequence[int]) -> Floats:
    """Solve the three equations together with a fourth, given by its coefficients."""
    m, n, E1, E2 = at(sizes, levels).values()
    first, second = level_rows(m, n, E1)[0][0], level_rows(n, m, E2)[0][0]
    system = [records(sizes), first[:4], second[[0, 2, 1, 3]], tie]
    return np.linalg.solve(np.array(system), [1, 0, 0, 0])


def stop(answer: Any, sizes: Sequence[int], levels: Sequence[float]) -> None:
    """Check the probabilities at the stop of case (IV)."""
    right = best(sizes, levels)
    slips: Slips = [
        (solve(sizes, levels, [1, -1, 0, 0]), "That is stop (III), with X0 = X1. In (IV) it is attribute 2."),
        (solve(sizes, levels, [0, 0, 1, -1]), "That is stop (II), with X2 = X3. In (IV), X0 = X2."),
        (solve(sizes, levels, [0, 1, 0, -1]), "That is stop (I), with X1 = X3. In (IV), X0 = X2."),
        (right / right[3], "Those are ratios to X3. The probabilities of all records add up to 1."),
        (right / right.sum(), "These four add up to 1. But there are several records of each kind."),
        (right[[0, 2, 1, 3]], "X1 and X2 are exchanged."),
    ]
    compare("stop", entries("stop", answer, 4), right, slips, at(sizes, levels))


def fraction(answer: Any, sizes: Sequence[int], levels: Sequence[float]) -> None:
    """Check what the stop saves over the Kronecker product, as a multiple of -D."""
    numbers = at(sizes, levels)
    m, n, E1, E2 = numbers.values()
    X, three = best(sizes, levels), solve(sizes, levels, [1, -1, 0, 0])
    x0, below = X[0] / X[3], (m - 1) * (n - 1) - E1 * E2
    saved = E1 * E2 - x0
    slips: Slips = [
        (x0, "That is x0 itself. Subtract it from E1 E2 and divide."),
        (saved, "That is all of the saving. Divide it by (m - 1)(n - 1) - E1 E2."),
        (-saved / below, "The sign is wrong: below D = 0 both the saving and -D are positive."),
        (saved / (E1 * E2), "That is the saving as a share of E1 E2. Divide it by -D instead."),
        ((E1 * E2 - three[0] / three[3]) / below, "That is for stop (III), with X0 = X1. Yours is (IV)."),
        ((E1 * E2 - X[0] / X[1]) / below, "With x0 = X0 / X1 you get that. The ratio is X0 / X3."),
        ((E1 * E2 - X[0]) / below, "With X0 in place of x0 you get that. The ratio x0 is X0 / X3."),
    ]
    compare("fraction", [answer], [saved / below], slips, numbers)


def margin(answer: Any, sizes: Sequence[int], levels: Sequence[float]) -> None:
    """Check a polynomial with the sign of X0 - X1 at the stop, at many levels with D < 0."""
    expression = read("margin", answer)
    rational = expression.is_rational_function(*expression.free_symbols)
    if not rational or sp.fraction(sp.cancel(expression))[1].free_symbols:
        raise NotYet("margin should be a polynomial: multiply it by its denominator, which is positive.")
    points = sides(sizes, levels)
    signs = [np.sign(value(expression, at(a, e))) for a, e, _ in points]
    wrong = [i for i, (*_, sign) in enumerate(points) if signs[i] != sign]
    if not wrong:
        print(f"Right: margin for sizes {show(sizes)} and many levels")
        return
    if all(signs[i] == -sign for i, (*_, sign) in enumerate(points)):
        raise NotYet("margin has the wrong sign everywhere.")
    a, e, sign = points[wrong[0]]
    found = {1: "positive", -1: "negative", 0: "zero"}.get(signs[wrong[0]], "no number")
    start = f"margin is {found} for sizes {show(a)} and levels {show(e)}."
    raise NotYet(f"{start} At your stop {'X0 > X1' if sign > 0 else 'X1 > X0'} there.")


def sides(sizes: Sequence[int], levels: Sequence[float]) -> list[tuple[Sequence[int], list[float], int]]:
    """Return sizes and levels around the given ones with D < 0, and the sign of the margin there."""
    found = []
    for s, t in product((0.3, 0.6, 1, 1.4), repeat=2):
        near = [round(s * levels[0], 3), round(t * levels[1], 3)]
        for point in [(sizes, near), (sizes[::-1], near[::-1])]:
            mechanism = two_attribute(*point)
            sign = {"III": -1, "IV": 1}.get(mechanism.case)
            tied = np.isclose(mechanism.log_ratio([0]), mechanism.log_ratio([1]))
            if sign and not tied:
                found.append((*point, sign))
    return found


def overall_level(answer: Callable[..., Any], sizes: Sequence[int], levels: Sequence[float]) -> None:
    """Check the smallest overall level where D < 0."""
    three, four = (solve(sizes, levels, tie) for tie in ([1, -1, 0, 0], [1, 0, -1, 0]))
    stops = np.log([three[0] / three[3], four[0] / four[3]])
    slips: Slips = [
        (stops.min(), "That is the smaller of the two stops, where a single lie is likelier than the truth."),
        (sum(levels), "That is the Kronecker product's level. It can be lowered."),
        (max(levels), "No mechanism goes below the larger level, but this is not reached."),
    ]
    expect(*call(answer, sizes, levels), two_attribute(sizes, levels).epsilon, slips)


def limits(answer: Any, sizes: Sequence[int], levels: Sequence[float]) -> None:
    """Check what x0 tends to at stops (III) and (IV) when attribute 2 has very many values."""
    numbers = {name: number for name, number in at(sizes, levels).items() if name != "n"}
    m, E1, E2 = numbers.values()
    right = [E2 * (E1 + m - 1) / m, E1]
    slips: Slips = [
        ([E2, E1], "That lets both sizes grow. Only n does, and m stays."),
        ([E1 * E2, E1 * E2], "That is the Kronecker product's. Take the limits of the two stops."),
        ([E1, E1], "The two limits differ."),
    ]
    compare("limits", entries("limits", answer, 2), right, slips, numbers, list(numbers))
