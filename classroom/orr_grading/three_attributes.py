"""Assignment 4: the linear program of three attributes, and what its dual proves.

Flip sets are the rows of an array ``B`` of zeros and ones, the truth first and the full set last.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linprog

import orr
from orr_classroom.case import Case
from orr_classroom.feedback import show
from orr_classroom.tools import bound as proved
from orr_grading import cases
from orr_grading.cases import Slip
from orr_grading.tasks import Task

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

IN_ORDER = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [1, 0, 1], [0, 1, 1], [1, 1, 1]])
COUNTING = np.indices((2, 2, 2)).reshape(3, 8).T
BACKWARDS = IN_ORDER[[0, 6, 5, 4, 3, 2, 1, 7]]
FULL = np.arange(8) == 7


def numbers(rng: np.random.Generator) -> dict[str, Any]:
    """Draw three attributes: no two sizes and no two levels alike."""
    sizes = rng.permutation(np.arange(2, 7))[:3]
    return {"sizes": sizes, "epsilons": rng.permutation(np.arange(5, 26))[:3] / 10}


def records(B: Integers, a: Floats | Integers) -> Floats:
    """Return how many records have each flip set."""
    return np.where(B, a - 1.0, 1.0).prod(axis=1)


def flip(a: Floats | Integers, e: Floats) -> Floats:
    """Return the flip probability of each attribute."""
    return (a - 1) / (np.exp(e) + a - 1)


def named(B: Integers) -> str:
    """Write an array of flip sets."""
    return "B" if (B == IN_ORDER).all() else "B with its rows in another order"


def times(B: Integers, sizes: Integers) -> Case:
    """Return the case of the number of records behind each flip set."""
    a = np.asarray(sizes)
    right = records(B, a)
    kills = "A factor 0 kills a product. An attribute that keeps its value counts 1."
    alike = "There only the number of lies counts. Each attribute has a size of its own."
    order = "Those are the right numbers for the rows of `B` as the notebook has it. Keep to the order of the `B` that is given."
    slips = [
        Slip(records(B, a + 1), "A lie has a - 1 values to choose from: the true one is no lie."),
        Slip(B @ (a - 1), "Those are sums. Each choice for one attribute goes with each choice for another."),
        Slip(1 + B @ (a - 1), "Those are sums. Each choice for one attribute goes with each choice for another."),
        Slip(B @ a, "Those are sums of sizes. Multiply, and count lies only: a - 1 each."),
        Slip(records(1 - B, a), "Those multiply over the attributes that keep their value. Take those that lie."),
        Slip(np.append(0, right[1:]), "The truth is one record too: a product of nothing is 1."),
        Slip((B * (a - 1)).prod(axis=1), kills),
        Slip((B * a).prod(axis=1), kills),
        Slip(right / a.prod(), "Those are shares of all records. Their number is wanted."),
        Slip(B.sum(axis=1), "That is how many attributes lie. How many records lie in just these?"),
        Slip(np.where(B, a - 1, a).prod(axis=1), "An attribute that keeps its value can do so in one way, not in a."),
        Slip(np.full(8, a.prod()), "Those are all records there are, each time."),
        Slip(np.full(8, (a - 1).prod()), "There all three lie, in every flip set. Where B is 0 the value is kept."),
        Slip((a - 1).mean() ** B.sum(axis=1), alike),
        Slip(np.round((a - 1).mean() ** B.sum(axis=1)), alike, "", False),
        Slip(2.0 ** B.sum(axis=1), "That counts subsets. Each lie has a - 1 values to choose from."),
        Slip(records(B, a[::-1]), "Each size goes with its own column of B: yours go the other way round."),
    ]  # fmt: skip
    if not (B == IN_ORDER).all():
        slips.append(Slip(records(IN_ORDER, a), order))
    return cases.numbers(
        [B, a], right, slips, shown=f"times({named(B)}, {show(a)})", total=float(a.prod()),
        otherwise="Multiply, for each row of B, over the attributes that lie.",
    )  # fmt: skip


def steps(B: Integers, lies: Sequence[int] = (1,)) -> list[tuple[int, int]]:
    """Return the pairs of rows of which the second has all the lies of the first, and so many more."""
    pairs = [(s, t) for s in range(8) for t in range(8)]
    return [(s, t) for s, t in pairs if (B[t] >= B[s]).all() and (B[t] - B[s]).sum() in lies]


def compared(pairs: Sequence[tuple[int, int]]) -> Floats:
    """Return the rows that say that the second of each pair is no likelier than the first."""
    return np.array([np.eye(8)[t] - np.eye(8)[s] for s, t in pairs])


def inequalities(B: Integers) -> Case:
    """Return the case of the twelve rows that say that a further lie never makes a record likelier."""
    wanted = compared(steps(B))
    turned = "linprog reads A x <= b. So these rows make the record with more lies the likelier one."
    order = "Those are right for the rows of `B` as the notebook has it. Column j belongs to row j of the `B` that is given."
    beside = [
        (s, t) for s in range(8) for t in range(8) if not ((B[t] >= B[s]).all() or (B[s] >= B[t]).all())
    ]
    whole = [
        (-wanted, turned),
        (np.where(FULL, wanted, -wanted), turned),
        (np.where(FULL, -wanted, wanted), "b has the wrong sign. What is left on the right when x_full = 1 goes there?"),
        (np.where(FULL, 0, wanted), "b is 0 everywhere. What is left on the right when x_full = 1 goes there?"),
        (np.abs(wanted), "Both signs are the same in each row: one is to be subtracted."),
    ]  # fmt: skip
    if not (B == IN_ORDER).all():
        whole.append((compared(steps(IN_ORDER)), order))
    single = [
        (-wanted, "linprog reads A x <= b. So this row makes the record with more lies the likelier one."),
        (np.where(FULL, -1, wanted)[wanted[:, 7] == 0], "Its flip sets both have unknowns, so nothing is left for the right: its b is 0."),
        (np.where(FULL, 1, wanted)[wanted[:, 7] == 0], "Its flip sets both have unknowns, so nothing is left for the right: its b is 0."),
        (compared(steps(B, (2, 3))), "It should compare flip sets one lie apart, and these are further apart."),
        (-compared(steps(B, (2, 3))), "It should compare flip sets one lie apart, and these are further apart."),
        (compared(beside), "It should compare flip sets one lie apart: all the lies of one are among those of the other."),
        (-np.eye(8)[:7], "It says x >= 0, of one flip set. Two are to be compared."),
    ]  # fmt: skip
    names = [f"from {B[s]} to {B[t]}" for s, t in steps(B)]
    return Case(
        "rows",
        {
            "arguments": [B], "shown": f"inequalities({named(B)})", "wanted": wanted, "whole": whole,
            "single": single, "steps": names, "lengths": dict(ROWS),
        },
    )  # fmt: skip


ROWS = {
    9: "Those with x_full are missing: x_S >= 1 is one of them.",
    15: "All the lies of the one flip set must be among those of the other.",
    19: "Only flip sets one lie apart are to be compared: the others follow.",
    24: "Each pair is there twice, once in each direction.",
    3: "Every flip set that lacks a lie has a row for each lie it lacks.",
    7: "Every flip set that lacks a lie has a row for each lie it lacks.",
    8: "Every flip set that lacks a lie has a row for each lie it lacks.",
}


def level_rows(B: Integers, a: Integers, kept: ArrayLike, lie: ArrayLike) -> Floats:
    """Return three rows with one coefficient where an attribute is kept and another where it lies."""
    return np.where(B, lie, kept).T * records(B, a)


def equations(B: Integers, sizes: Integers, epsilons: Floats) -> Case:
    """Return the case of the equations of the levels: any three with the same solutions will do."""
    a, e = np.asarray(sizes), np.asarray(epsilons)
    E, t, q = np.exp(e), records(B, a), flip(a, e)

    def rows(kept: ArrayLike, lie: ArrayLike) -> Floats:
        return level_rows(B, a, kept, lie)

    right = rows(1, -E / (a - 1))
    part = "x is no probability: it is divided by that of a record with three lies. Compare two sums instead."
    order = "Those are right for the rows of `B` as the notebook has it. Column j belongs to row j of the `B` that is given."
    slips = [
        (np.where(FULL, -right, right), "The sign of b is wrong: a term that changes sides changes its sign."),
        (np.where(FULL, 0, right), "b is 0. The term of the full set is not: its x is 1."),
        (np.where(FULL, right / t, right), "b lacks t_S, the number of records with three lies."),
        (np.where(FULL, right, right / t), "The unknowns lack t_S. Every x counts as often as there are records."),
        (right / t, "Every flip set counts as one record there. Where is t_S?"),
        (right / t * records(B, a + 1), "There t_S counts a values for a lie. It has a - 1."),
        (rows(1, -E), "That compares the truth with all lies together. Take one given lie of a_i - 1."),
        (rows(1, -E / a), "One given lie is one of a_i - 1, not of a_i."),
        (rows(1, -E * (a - 1)), "The sum over all lies is divided by a_i - 1, not multiplied."),
        (rows(1, -e / (a - 1)), "That takes the level for the ratio. The ratio is exp(level)."),
        (rows(1, E / (a - 1)), "The lies stand on the other side of the equation: their sign changes."),
        (rows(E, -1 / (a - 1)), "exp(level) is on the wrong side: the lies are rarer, so they are multiplied."),
        (rows(1, -1 / (a - 1)), "exp(level) is missing: there truth and one given lie are equally likely."),
        (rows(0, 1), "There are only lies in it. The flip sets that keep attribute i are on the other side."),
        (rows(1, 0), "There are no lies in it. The flip sets that lie about attribute i are on the other side."),
        (rows(-E / (a - 1), 1), "Truth and lie are exchanged: B is 1 where an attribute lies."),
        (rows(1, -np.exp(e[::-1]) / (a - 1)), "Each level goes with its own attribute."),
        (np.where(np.arange(8) == 0, 0, right), "The truth is missing: it is among the flip sets without a lie about i."),
        (np.where(FULL, -(1 - q)[:, None], rows(1, 0)), part),
        (np.where(FULL, -q[:, None], rows(0, 1)), part),
        (level_rows(B, np.full(3, 2), 1, -E / (a - 1)), "Every flip set counts as one record there. Where is t_S?"),
    ]  # fmt: skip
    if not (B == IN_ORDER).all():
        slips.append((level_rows(IN_ORDER, a, 1, -E / (a - 1)), order))
    shown = f"equations({named(B)}, {show(a)}, {show(e)})"
    return Case(
        "system",
        {
            "arguments": [B, a, e], "shown": shown, "system": right, "scale": t, "kronecker": np.exp((1 - B) @ e),
            "slips": [(np.asarray(rows), hint, "") for rows, hint in slips],
            "names": [f"the coefficient of {row}" for row in B[:7]] + ["b"],
            "lengths": {8: "One equation for each attribute.", 1: "One equation for each attribute."},
        },
    )  # fmt: skip


class Solved:
    """The linear program, solved in the right way and in some wrong ones."""

    def __init__(self, sizes: ArrayLike, epsilons: ArrayLike) -> None:
        self.program = orr.linear_program(sizes, epsilons)
        result = self.solve(self.program.c)
        self.x = np.append(result.x, 1.0)
        self.level = float(np.log(result.fun))
        self.prices = np.maximum(result.eqlin.marginals, 0)

    def solve(self, c: ArrayLike, unequal: bool = True, equal: bool = True) -> Any:
        """Minimize with or without the inequalities, with or without the equations."""
        program = self.program
        rows: dict[str, Any] = {}
        if unequal:
            rows |= {"A_ub": program.A_ub.toarray(), "b_ub": program.b_ub}
        if equal:
            rows |= {"A_eq": program.A_eq.toarray(), "b_eq": program.b_eq}
        return linprog(c, **rows)


def log(value: float | None) -> float:
    """Return a logarithm, or what is left out where there is none."""
    return float(np.log(value)) if value is not None and value > 1e-9 else np.nan


def overall_level(sizes: Integers, epsilons: Floats) -> Case:
    """Return the case of the smallest overall level."""
    a, e = np.asarray(sizes), np.asarray(epsilons)
    solved = Solved(a, e)
    c, t = solved.program.c, records(IN_ORDER, a)[:7]
    every, mass = solved.solve(np.ones(7)), solved.solve(t)
    free, most = solved.solve(c, unequal=False), solved.solve(-c)
    heuristic = orr.inductive(a, e)
    again = "Are the inequalities there? Without them nothing keeps the truth likeliest."
    slips = [
        Slip(e.sum(), "That is Kronecker. The linear program does better."),
        Slip(log(every.fun), "That makes the sum of all x small. Only x_0 is to be small."),
        Slip(log(every.fun + 1), "That makes the sum of all x small. Only x_0 is to be small."),
        Slip(log(every.x[0]), "There the sum of all x is smallest. Only x_0 is to be small."),
        Slip(log(mass.fun), "That makes the mass of all records small. Only x_0 is to be small."),
        Slip(log(mass.x[0]), "There the mass of all records is smallest. Only x_0 is to be small."),
        Slip(log(free.fun), again),
        Slip(0.0, "A level 0 tells nothing about anybody. Are the equations there? They come last: linprog(c, A_ub, b_ub, A_eq, b_eq)."),
        Slip(log(None if most.fun is None else -most.fun), "That is the largest x_0. The smallest is wanted."),
        Slip(heuristic.epsilon, "That is the heuristic of chapter 6. The linear program does as well or better.", "", False),
        Slip(e.max(), "That is the largest attribute level. What the whole record tells is more."),
        Slip(np.log(solved.x[0] / (records(IN_ORDER, a) @ solved.x)), "That is the logarithm of a probability. The level compares two: x_0 is a ratio already."),
        Slip(np.log(solved.x[0] / solved.x.sum()), "x_0 is a ratio already: there is nothing to divide by."),
        Slip(np.log(solved.x[0] / solved.x[:7].sum()), "x_0 is a ratio already: there is nothing to divide by."),
        Slip(e.mean(), "That is the mean of the attribute levels. What the whole record tells is more."),
        Slip(solved.level - np.log(t[-1]), "Each x belongs to one record already: there is nothing to divide by.", "", False),
    ]  # fmt: skip
    return cases.numbers(
        [a, e], solved.level, slips, infinite=f"Here x_0 is 0. {again}",
        otherwise="Minimize x_0, under the inequalities and the equations, and take its logarithm.",
    )  # fmt: skip


def bound(y: Floats, sizes: Integers, epsilons: Floats) -> Case:
    """Return the case of the lower bound that weights prove."""
    y, a, e = np.asarray(y, dtype=float), np.asarray(sizes), np.asarray(epsilons)
    p, q = 1 - 1 / a, flip(a, e)
    count, E = records(IN_ORDER, a), np.exp(e)

    def said(top: float, chance: Floats, gain: Floats) -> float:
        with np.errstate(all="ignore"):  # what is not finite is left out
            return float(np.log1p(top / (chance @ gain)))

    def with_q(q: Floats, p: Floats = p) -> float:
        return said(float(y @ (p - q)), count / a.prod(), np.maximum((q - IN_ORDER) @ y, 0))

    h, d, chance = (q - IN_ORDER) @ y, float(y @ (p - q)), count / a.prod()
    gain = np.maximum(h, 0)
    by_q = np.where(IN_ORDER, q, 1 - q).prod(axis=1)
    turned = np.where(IN_ORDER, 1 - p, p).prod(axis=1)
    summed = "That divides by a sum. An average weighs each flip set with its chance in a random record."
    random = "p is the chance that a random value differs from the truth: 1 - 1/a."
    slips = [
        Slip(np.log(d / (chance @ gain)), "That is the logarithm of the fraction alone. Add 1 first."),
        Slip(said(d, chance, np.maximum(q - IN_ORDER, 0) @ y), "There each part of q - B is cut off at 0. First multiply, y . (q - B), then take the positive part."),
        Slip(said(d, np.full(8, 1 / 8), gain), "That gives every flip set the chance 1/8. Some stand for more records."),
        Slip(said(d, np.ones(8), gain), summed),
        Slip(said(d, count, gain), summed),
        Slip(said(d, chance, np.abs(h)), "Negative terms count as 0, not with their size."),
        Slip(said(d, chance, np.maximum(-h, 0)), "There is B - q in place of q - B."),
        Slip(said(d, by_q, gain), "There B is drawn with the chances q. In a random record they are p."),
        Slip(said(d, turned, gain), "The chances are exchanged: an attribute differs with chance p, where B is 1."),
        Slip(said(d, np.where(FULL, 0, chance), gain), "The full set is missing from the average.", "", bool(h[7] > 0)),
        Slip(said(d, np.where(np.arange(8) == 0, 0, chance), gain), "The truth is missing from the average: its B is 0 0 0."),
        Slip(said(d, chance / chance[h > 0].sum(), gain), "The average is over all records, also those whose positive part is 0."),
        Slip(said(float(y @ q), chance, gain), "On top there is y . d, and d = p - q."),
        Slip(said(float(y @ p), chance, gain), "On top there is y . d, and d = p - q."),
        Slip(said(-d, chance, gain), "d is p - q, and not q - p: a random value differs more often than a released one."),
        Slip(said(float((p - q).sum()), chance, gain), "On top the weights are missing: it is y . d.", "", False),
        Slip(with_q(1 - q), "q is the probability of a lie, and 1 - q that of the truth."),
        Slip(with_q(1 / (E + a - 1)), "q is the probability of any lie, not of one given lie: (a - 1)/(exp(level) + a - 1)."),
        Slip(with_q((a - 1) / (e + a - 1)), "That takes the level for the ratio. The ratio is exp(level)."),
        Slip(with_q(1 / (E + 1)), "That q is right for two values. With more it is (a - 1)/(exp(level) + a - 1)."),
        Slip(with_q((a - 1) / (1 / E + a - 1)), "The sign in the exponent is wrong: a higher level means fewer lies."),
        Slip(with_q((a - 1) / (E + a)), "q is (a - 1)/(exp(level) + a - 1): there is an a in place of a - 1."),
        Slip(said(float(y @ (1 / a - q)), np.where(IN_ORDER, 1 / a, p).prod(axis=1), gain), random),
        Slip(said(float(y @ (1 / a - q)), chance, gain), random),
        Slip(proved(np.ones(3), a, e), "There the weights do not matter: they are all taken for 1.", "", bool(np.ptp(y))),
        Slip(said(d, np.where(IN_ORDER, p, 1 - p).sum(axis=1), gain), "The chance of a whole row is a product, not a sum."),
        Slip(said(d, chance, np.minimum(h, 0)), "The positive part of h is max(h, 0), not min(h, 0)."),
        Slip(1 + np.log(d / (chance @ gain)), "The 1 belongs inside the logarithm: exp(level) is 1 plus the fraction."),
        Slip(np.log1p(d) / (chance @ gain), "The logarithm is of the whole right side, not of y . d alone."),
        Slip(d / (chance @ gain) + 1, "That bounds exp(level). Take its logarithm."),
    ]  # fmt: skip
    return cases.numbers(
        [y, a, e], proved(y, a, e), slips, infinite="Cut each y . (q - B) off at 0 first, then average.",
        otherwise="Are all eight flip sets there, each with its chance?",
    )  # fmt: skip


def certificate(sizes: Integers, epsilons: Floats) -> Case:
    """Return the case of a mechanism and the weights that prove it optimal."""
    a, e = np.asarray(sizes), np.asarray(epsilons)
    solved, q = Solved(a, e), flip(a, e)
    y = solved.prices / q
    by_price = (
        "Those are the solver's prices. By which factor does row i differ from the theorem's condition?"
    )
    factor = "By which factor does row i differ from the theorem's condition? It is another one."
    prices = [
        (1 / q, by_price),
        (q, "That is divided by q once too often."),
        (1 / q**2, "Divide by q, in place of multiplying."),
        (1 - q, "Divide by q, not by q (1 - q).") ,
        (1 / q * (1 - q), "Divide by q, not by 1 - q."),
        (1 / q / (1 - q), "Divide by q, in place of multiplying by 1 - q."),
        (1 / q / (a - 1), "A factor a - 1 is too much: divide the price by q alone."),
        (1 / q * a, factor), (1 / q / a, factor), (1 / q * (a - 1), factor),
    ]  # fmt: skip
    told = [solved.prices, y * q**2, np.ones(3), e, y[::-1]]
    twelve = "has 12 entries in its y: those are the prices of the inequalities. Take those of the equations."
    order = "x is right, but in another order of flip sets. Keep to the order of `B`."
    return Case(
        "certificate",
        {
            "arguments": [a, e], "shown": cases.written("certificate", a, e), "optimum": solved.level,
            "levels": level_rows(IN_ORDER, a, 1, -np.exp(e) / (a - 1)), "times": records(IN_ORDER, a),
            "inequalities": compared(steps(IN_ORDER)), "prices": prices,
            "orders": [(places(COUNTING), order), (places(BACKWARDS), order), (np.arange(8)[::-1], order),
                       (np.roll(np.arange(8), -1), "x_full stands first there. It belongs to the last row of `B`.")],
            "lengths": {
                (12,): twelve,
                (15,): "has 15 entries in its y. The equations have three prices: result.eqlin.marginals.",
                (7,): "has 7 entries in its y. The equations have three prices: result.eqlin.marginals.",
                (8,): "has 8 entries in its y. A weight belongs to an attribute, not to a flip set: there are three.",
            },
            "meaning": "Two numbers that anybody can compute close the case: whoever doubts needs no solver.",
            "instructive": all(solved.level - proved(np.maximum(each, 0), a, e) > 1e-3 for each in told),
        },
    )  # fmt: skip


def places(other: Integers) -> Integers:
    """Return where each flip set of the usual order stands in another order."""
    rows = other.tolist()
    return np.array([rows.index(row) for row in IN_ORDER.tolist()])


def saves_at_most(sizes: Integers, epsilons: Floats, h: float) -> Case:
    """Return the case of what the best weights say about levels that are lowered by h, one at a time."""
    a, e = np.asarray(sizes), np.asarray(epsilons)
    solved, unit = Solved(a, e), np.eye(3)
    y = solved.prices / flip(a, e)
    y /= y.max()

    def at(levels: Sequence[Floats] | Floats) -> Floats:
        return np.array([proved(y, a, each) if each.min() > 0 else np.nan for each in levels])

    now, lower, higher = proved(y, a, e), at(e - h * unit), at(e + h * unit)
    again = np.array([solved.level - Solved(a, e - h * step).level for step in unit])
    piled = at(e - h * np.tri(3))
    slips = [
        Slip(lower, "Those are the new bounds. What is saved is how far they are below the present level."),
        Slip(higher - now, "That is what it costs to raise a level. Lower it."),
        Slip(now - higher, "There each level is raised. Lower it."),
        Slip(higher, "Those are bounds for levels that are raised. Lower each, and say how far the bound falls."),
        Slip(np.full(3, now - proved(y, a, e - h)), "That lowers all levels at once. Lower one at a time."),
        Slip(np.full(3, h), "So it is for Kronecker. Here, ask what the weights prove for the new levels."),
        Slip(again, "That solves the program again, and gives what *is* saved. Which bound do the present weights prove, without solving?"),
        Slip(now - piled, "There a level stays lowered when the next one is: lower each alone, starting from the present levels."),
        Slip(np.array([now, *piled[:2]]) - piled, "There a level stays lowered when the next one is: lower each alone, starting from the present levels."),
        Slip(now - at(e * (1 - h * unit)), "h is subtracted from the level: it is no share of it."),
        Slip(now - at(e - unit), "That lowers by 1. Lower by h."),
        Slip((now - lower) / h, "That is for each unit of h. How much is it for h itself?"),
        Slip(np.exp(now) - np.exp(lower), "Those are differences of exp(level). Levels themselves are to be subtracted."),
        Slip((now - lower) / now, "Those are shares of the present level. The fall itself is wanted."),
        Slip(lower / now, "Those are quotients. The fall is a difference."),
        Slip(h * y, "That takes a weight for a price. What do the weights prove for the new levels?"),
        Slip(h * y / y.sum(), "That takes a weight for a price. What do the weights prove for the new levels?"),
        Slip(now - at(e - h * (1 - unit)), "There the two *other* levels are lowered. Lower one, and leave those."),
        Slip(now - at(e - h * np.arange(3)[:, None]), "That lowers all levels, by 0, h and 2h. Lower one at a time, by h."),
        Slip(now - np.array([proved(np.ones(3), a, e - h * step) for step in unit]), "The weights of the new bound are all 1 there. Keep y."),
        Slip(now - np.array([proved(np.maximum(y - h * step, 0), a, e) for step in unit]), "There h is taken from a weight. Take it from a level, and keep the weights."),
        Slip(e.sum() - lower, "The present level is what the weights prove now, bound(y, sizes, epsilons), and not Kronecker's."),
    ]  # fmt: skip
    shown = f"saves_at_most(bound, y, {show(a)}, {show(e)}, {h:g})"
    return cases.numbers(
        [{"tool": "bound"}, y, a, e, h], now - lower, slips, shown=shown,
        otherwise="Compare what the weights prove now with what they prove for the new levels.",
    )  # fmt: skip


def shuffled(rng: np.random.Generator) -> Integers:
    """Draw an order of the flip sets, other than the usual one; the truth stays first, the full set last."""
    return IN_ORDER[[0, *rng.permutation(np.arange(1, 7)), 7]]


def attributes(rng: np.random.Generator, largest: int = 9) -> tuple[Integers, Floats]:
    """Draw three sizes, no two alike, and three levels."""
    return rng.permutation(np.arange(2, largest + 1))[:3], rng.permutation(np.arange(4, 26))[:3] / 10


PROBE = np.array([2, 5, 3]), np.array([1.2, 1.4, 0.5])  # tells the least x_0 from that of the least sum of x

TASKS = {
    "times": Task(
        times,
        lambda given: [(IN_ORDER, given["sizes"]), (BACKWARDS, PROBE[0])],
        lambda rng: (shuffled(rng), attributes(rng, 40)[0]),
        points=2,
        meaning="Eight unknowns stand for all the records: that is what symmetry buys.",
        more="For flip set 1 0 1 choose a lie about attribute 1, then one about attribute 3: (a_1 - 1)(a_3 - 1) ways.",
    ),
    "inequalities": Task(
        inequalities,
        lambda given: [(IN_ORDER,), (BACKWARDS,)],
        lambda rng: (shuffled(rng),),
        points=2,
        meaning="Because of these rows the ratio of the likeliest record to the least likely one is x_0 / x_full.",
        more="x_S >= x_T becomes -x_S + x_T <= 0. If T is the full set, x_T = 1 goes to the right: -x_S <= -1.",
    ),
    "equations": Task(
        equations,
        lambda given: [(IN_ORDER, given["sizes"], given["epsilons"]), (BACKWARDS, *PROBE)],
        lambda rng: (shuffled(rng), *attributes(rng)),
        points=3,
        meaning="Levels are linear in x: that is why a linear program can do the rest.",
        more="Bring everything to one side: in row i every flip set then has one coefficient. It has t_S in it, and else depends only on whether S lies about attribute i. What belongs to x_full goes to b.",
    ),
    "overall-level": Task(
        overall_level,
        lambda given: [(given["sizes"], given["epsilons"]), PROBE],
        attributes,
        points=2,
        meaning="Same attribute levels as Kronecker, and less is told about the whole record.",
        more="c is 1 for x_0 and 0 for the others. linprog(c, A_ub, b_ub, A_eq, b_eq).fun is then x_0 itself.",
    ),
    "bound": Task(
        bound,
        lambda given: [(np.array([3.0, 1.0, 2.0]), given["sizes"], given["epsilons"]), (np.ones(3), *PROBE)],
        lambda rng: (rng.integers(1, 20, 3) / 4, *attributes(rng)),
        points=3,
        meaning="Any weights give a true bound. Good ones give a better bound, and nobody needs to say where they come from.",
        more="One number for each of the eight rows: h = y @ (q - row), cut off at 0. Its chance is a product of p_i where the row is 1 and 1 - p_i where it is 0.",
    ),
    "certificate": Task(
        certificate,
        lambda given: [(given["sizes"], given["epsilons"]), PROBE],
        attributes,
        points=2,
        meaning="",
        more="The condition of weight i has the coefficient q_i at x_0. If your row has 1 there, it is 1/q_i times as large, and its price q_i times as large as the weight.",
    ),
    "saves-at-most": Task(
        saves_at_most,
        lambda given: [(given["sizes"], given["epsilons"], 0.2), (*PROBE, 0.1)],
        lambda rng: (*attributes(rng), float(rng.integers(1, 7) / 20)),
        points=2,
        meaning="One proof answers many questions: weights stay valid when levels change.",
        more="bound(y, sizes, new levels), with the same y, for three lists of new levels, each lower in one place.",
    ),
}
