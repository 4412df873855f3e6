"""Cases whose answers are expressions of SymPy: judged by their values, their signs, or where they vanish.

The symbols are told apart by name. A case holds numbers to put in their place and what should come out.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import sympy as sp

from orr_classroom import detect
from orr_classroom.calling import Outcome
from orr_classroom.codec import Odd
from orr_classroom.comparing import Retry, compare
from orr_classroom.expressions import names, value
from orr_classroom.feedback import RIGHT, Verdict, show
from orr_classroom.misreading import Numbers, exchanged, nearby
from orr_classroom.reading import Floats, Unreadable

Function = Callable[[Numbers], float]

GIVEN = ("m", "n", "E1", "E2")
UNKNOWN = ("X0", "X1", "X2", "X3")
SPOTS = [(0.5, 0.3, 0.7), (0.2, 0.45, 0.4), (0.35, 0.1, 0.9)]  # three, so that no chance meeting counts
NONE = 1e-9  # what is zero, as a share of what is not: far above rounding, far below any slip


def calls(case: Mapping[str, Any]) -> None:
    """Call nothing: the answer is an expression."""


def judge(case: Mapping[str, Any], outcomes: Sequence[Outcome], retries: Sequence[Retry | None]) -> Verdict:
    """Judge expressions by the kind of thing that the case knows about them."""
    way = _equations if "equations" in case else _signs if "signs" in case else _values
    try:
        return way(case, outcomes[0])
    except Unreadable as error:
        return Verdict(str(error))


def entries(name: str, given: Any, count: int) -> list[Any]:
    """Read an answer as a list; the only entry of a list or set is taken for the list if it is one.

    Examples
    --------
    >>> entries("stop", [[1, 2]], 2)
    [1, 2]
    >>> entries("stop", [1, 2, 3], 2)
    Traceback (most recent call last):
        ...
    orr_classroom.reading.Unreadable: stop should have 2 entries, and has 3.
    """
    _filled(name, given)
    if isinstance(given, list | tuple) and len(given) == 1 and isinstance(given[0], list | tuple | Mapping):
        given = given[0]
    if isinstance(given, Mapping):
        raise Unreadable(f"{name} is a dictionary. Make a list of its values, in the order asked for.")
    if isinstance(given, frozenset):
        raise Unreadable(f"{name} is a set, which has no order. Make it a list: square brackets.")
    if isinstance(given, sp.Rel):
        raise Unreadable(f"{name} is one equation. A list of {count} is wanted: square brackets.")
    if not isinstance(given, list | tuple | np.ndarray):
        raise Unreadable(f"{name} should be a list with {count} entries, and is {show(given)}.")
    found = list(np.ravel(given)) if isinstance(given, np.ndarray) else list(given)
    if len(found) != count:
        raise Unreadable(f"{name} should have {count} entries, and has {len(found)}.")
    return found


def expression(name: str, given: Any, symbols: Sequence[str]) -> Any:
    """Read an answer as an expression in the symbols of these names."""
    _filled(name, given)
    if isinstance(given, bool | np.bool_):
        raise Unreadable(f"{name} is {given}, the result of a comparison. An expression is wanted.")
    if isinstance(given, sp.Eq):
        raise Unreadable(f"{name} is an equation. An expression is wanted.")
    if isinstance(given, sp.Rel):
        raise Unreadable(f"{name} is an inequality. Bring everything to one side and drop the sign.")
    if isinstance(given, str):
        raise Unreadable(f"{name} is a text. Without the quotation marks it is an expression.")
    if isinstance(given, list | tuple | np.ndarray | Mapping):
        raise Unreadable(f"{name} should be one expression, and is {show(given)}.")
    found = sp.sympify(given) if isinstance(given, int | float | np.number | sp.Basic) else None
    if not isinstance(found, sp.Expr):
        raise Unreadable(f"{name} should be a SymPy expression, and is {show(given)}.")
    strange = sorted(names(found) - set(symbols))
    if strange:
        raise Unreadable(f"{name} contains {' and '.join(strange)}. Only {', '.join(symbols)} may be in it.")
    return found


def _filled(name: str, given: Any) -> None:
    """Refuse an answer that nobody has written yet."""
    if given is None or given is Ellipsis or (isinstance(given, Odd) and given.text == "Ellipsis"):
        raise Unreadable(f"{name} is still empty.")


def _values(case: Mapping[str, Any], outcome: Outcome) -> Verdict:
    """Judge one expression, or a list of them, by what it is for given numbers."""
    right, point = np.asarray(case["right"], dtype=float), case["point"]
    name, symbols = outcome.shown, list(point)
    if right.ndim:
        given = entries(name, outcome.value, len(right))
        parts = [expression(f"{name}[{i}]", each, symbols) for i, each in enumerate(given)]
    else:
        parts = [expression(name, outcome.value, symbols)]

    def at(numbers: Numbers) -> Any:
        found = [value(part, numbers) for part in parts]
        return np.array(found) if right.ndim else found[0]

    missing, found = _missing(parts, symbols), at(point)
    verdict = compare(
        case,
        Outcome(f"{name} ({_where(point)})", found),
        Elsewhere(at, parts, [(point, right), case["elsewhere"]]),
    )
    if verdict and missing:
        return Verdict(f"{name} is right for your numbers only: {missing}")
    if verdict or verdict.specific:
        return verdict
    hint = missing or _partly(name, found, right) or _broken(found, case.get("laws", ()))
    return Verdict(hint, verdict.start) if hint else verdict


def _partly(name: str, found: Floats, right: Floats) -> str:
    """Say so if some of several expressions are right."""
    if not right.ndim:
        return ""
    fine = np.abs(found - right) <= 1e-6 * np.abs(right)  # as everywhere
    first = [f"{name}[{np.argmax(mask)}]" for mask in (fine, ~fine)]
    return f"{first[0]} is right. The first that is not is {first[1]}." if fine.any() else ""


def _broken(found: Floats, laws: Sequence[tuple[Floats, str]]) -> str:
    """Say which of some linear equations does not hold; each has a row of coefficients, the last one of 1."""
    for row, hint in laws:
        terms = np.asarray(row) * [*found, 1]
        if abs(terms.sum()) > 1e-6 * np.abs(terms).max():
            return hint
    return ""


def _missing(parts: Sequence[Any], symbols: Sequence[str]) -> str:
    """Say which symbol is in none of the expressions."""
    present = set().union(*map(names, parts))
    gone = [symbol for symbol in symbols if symbol not in present]
    return f"{gone[0]} is not in it. Keep the symbols." if gone else ""


def _where(point: Numbers) -> str:
    return ", ".join(f"{symbol} = {show(number)}" for symbol, number in point.items())


class Elsewhere(Retry):
    """Try other numbers and other expressions, at two places, to find out what was taken for what."""

    def __init__(
        self, at: Callable[[Numbers], Any], parts: Sequence[Any], places: Sequence[tuple[Numbers, Floats]]
    ) -> None:
        self.at, self.parts, self.places = at, parts, places

    def helps(self, right: Floats, rtol: float) -> str:
        """Say which symbols were exchanged or misread, or what is wrong in one place, if it is that."""
        for others in zip(*(exchanged(point) for point, _ in self.places), strict=True):
            if all(
                detect.agree(self.at(other), there, float(np.abs(there).max()), rtol)
                for (other, _), (_, there) in zip(others, self.places, strict=True)
            ):
                return others[0][1]
        point, _ = self.places[0]
        wrong = np.flatnonzero(np.abs(np.ravel(self.at(point) - right)) > rtol * np.abs(np.ravel(right)))
        return self._close(int(wrong[0]), rtol) if len(wrong) == 1 else ""

    def _close(self, i: int, rtol: float) -> str:
        """Say what is wrong in one place of the only expression that is not right."""
        wanted = [(point, float(np.ravel(there)[i])) for point, there in self.places]
        for other, hint in nearby(self.parts[i]):
            if all(detect.agree(value(other, point), there, abs(there), rtol) for point, there in wanted):
                return f"Entry {i} (counted from 0) is wrong. {hint}" if len(self.parts) > 1 else hint
        return ""

    def strays(self) -> str:
        """Say nothing: an expression has no other means to go astray."""
        return ""


def _signs(case: Mapping[str, Any], outcome: Outcome) -> Verdict:
    """Judge a polynomial by its sign at many points."""
    name = outcome.shown
    points: Numbers = dict(zip(GIVEN, np.transpose(case["points"]), strict=True))
    if isinstance(outcome.value, list | tuple) and len(outcome.value) == 2:
        raise Unreadable(f"{name} is a pair. sp.fraction gives numerator and denominator: take the first.")
    part = expression(name, outcome.value, GIVEN)
    if not _polynomial(part):
        return Verdict(f"{name} should be a polynomial: multiply it by its denominator, which is positive.")
    right = np.asarray(case["signs"])

    def at(numbers: Numbers) -> Any:
        return np.sign(value(part, numbers)) * np.ones(len(right))

    signs = at(points)
    if (signs == right).all():
        return RIGHT
    missing = _missing([part], GIVEN)
    if part.is_number and part != 0:
        return Verdict(f"{name} is one number: {missing}")
    for slip, hint, more in case["slips"]:
        if (signs == np.asarray(slip)).all():
            return Verdict(f"{name} {hint}", more=more)
    if missing:
        return Verdict(f"{name} is not right: {missing}")
    for other, hint in exchanged(points):
        if (at(other) == right).all():
            return Verdict(f"{name} is not right. {hint}")
    for close, hint in nearby(part):
        if (np.sign(value(close, points)) == right).all():
            return Verdict(f"{name} is not right. {hint}")
    wrong = int(np.argmax(signs != right))
    found = {1: "positive", -1: "negative", 0: "zero"}.get(signs[wrong], "no number")
    order = case["says"][int(right[wrong] > 0)]
    where = _where({symbol: float(numbers[wrong]) for symbol, numbers in points.items()})
    return Verdict(f"{name} is {found} for {where}. {order} there.")


def _polynomial(part: Any) -> bool:
    """Return whether an expression is a polynomial, after cancelling where need be."""
    if part.is_polynomial(*part.free_symbols):
        return True
    rational = part.is_rational_function(*part.free_symbols)
    return bool(rational and not sp.fraction(sp.cancel(part))[1].free_symbols)


def _equations(case: Mapping[str, Any], outcome: Outcome) -> Verdict:
    """Judge equations one after the other; the first that is wrong decides."""
    given = entries(outcome.shown, outcome.value, len(case["equations"]))
    for i, (each, known) in enumerate(zip(given, case["equations"], strict=True)):
        verdict = _equation(f"{outcome.shown}[{i}]", each, known, case["point"])
        if not verdict:
            return verdict
    return RIGHT


def _equation(name: str, given: Any, known: Mapping[str, Any], point: Numbers) -> Verdict:
    """Judge one equation by where it holds: on the known row, and nowhere else."""
    gap = expression(name, _gap(name, given), GIVEN + UNKNOWN)

    def at(numbers: Numbers) -> float:
        return value(gap, numbers)

    if holds(at, known["right"], known["total"], point):
        missing = _missing([gap], known["needed"])
        return Verdict(f"{name} is right for your numbers only: {missing}") if missing else RIGHT
    for row, hint, more in known["slips"]:
        if holds(at, row, known["total"], point):
            return Verdict(f"{name} is not right. {hint}", more=more)
    hint = _misread(gap, at, known, point)
    if not hint and known["total"] is not None and holds(at, known["total"], None, point):
        hint = "It only says again that all records together have probability 1."
    hint = hint or _missing([gap], known["needed"])
    return Verdict(f"{name} is not right. {hint or known['otherwise']}", specific=bool(hint))


def _gap(name: str, given: Any) -> Any:
    """Return what an equation says is zero; an expression stands for itself."""
    if isinstance(given, bool | np.bool_):
        raise Unreadable(f"{name} is {given}. == compares at once: write sp.Eq(left, right) for an equation.")
    if isinstance(given, sp.logic.boolalg.BooleanAtom):
        sides = "are the same" if given else "can never be equal"
        raise Unreadable(f"{name} is {given}: its two sides {sides}, as SymPy sees at once.")
    if isinstance(given, sp.Eq):
        return given.lhs - given.rhs
    if isinstance(given, sp.Rel):
        raise Unreadable(f"{name} is an inequality. A level is reached exactly: write sp.Eq(left, right).")
    if isinstance(given, list | tuple) and len(given) == 2:
        raise Unreadable(f"{name} is a pair. Write sp.Eq(left, right) for an equation.")
    return given


def _misread(gap: Any, at: Function, known: Mapping[str, Any], point: Numbers) -> str:
    """Say which symbols were exchanged, or what is wrong in one place, if it is right but for that."""
    everything = {**point, **dict.fromkeys(UNKNOWN, 1.0)}
    for i, (_, hint) in enumerate(exchanged(everything)):

        def other(numbers: Numbers, i: int = i) -> float:
            return at(list(exchanged(numbers))[i][0])

        if holds(other, known["right"], known["total"], point):
            return hint
    for close, hint in nearby(gap):
        if holds(partial(value, close), known["right"], known["total"], point):
            return hint
    return ""


def holds(at: Function, row: Floats, total: Floats | None, point: Numbers) -> bool:
    """Return whether a function of the unknowns is zero where a row is, and only there.

    A row holds the coefficients of X0, X1, X2, X3 and 1. With a total, only unknowns are tried for which that
    is zero, too: an equation may make use of it.
    """
    for spot in SPOTS:
        found = _spots(np.asarray(row), None if total is None else np.asarray(total), point, spot)
        if found is None:
            return False
        on, off, far = (abs(at({**point, **dict(zip(UNKNOWN, each, strict=True))})) for each in found)
        if not (on <= NONE * off and off > NONE * far):
            return False
    return True


def _spots(row: Floats, total: Floats | None, point: Numbers, spot: Sequence[float]) -> list[Floats] | None:
    """Return unknowns where a row is zero, some where it is not, and some anywhere.

    They are positive where the row allows it, as an equation may contain logarithms: 1/(m n E) is less than
    what any mechanism with these levels gives a single lie and all that goes with it.
    """
    records = point["m"] * point["n"]
    X1, X2 = spot[0] / (records * point["E1"]), spot[1] / (records * point["E2"])
    if total is None:
        X3 = spot[2] / records
        X0 = -(row[1:] @ [X1, X2, X3, 1]) / row[0] if row[0] else np.nan
        off = [1.5 * X0 + 0.01, X1, X2, X3]
    else:
        both = np.array([total, row])
        if abs(np.linalg.det(both[:, [0, 3]])) <= NONE * np.abs(both).max() ** 2:
            return None
        X0, X3 = np.linalg.solve(both[:, [0, 3]], -both[:, [1, 2, 4]] @ [X1, X2, 1])
        less = 0.4 * X3
        off = [X0 + less * total[3] / total[0], X1, X2, X3 - less]
    return [np.array([X0, X1, X2, X3]), np.array(off), np.array([2 * X0, X1, X2, X3])]
