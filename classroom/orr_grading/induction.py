"""Assignment 5: the induction in scaled variables, and its fallback."""

import math
from collections.abc import Callable, Sequence
from itertools import accumulate, permutations
from operator import mul
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

import orr
from book.paper import algorithm_3, closed_form
from orr_classroom.case import Case
from orr_classroom.feedback import show
from orr_grading import cases
from orr_grading.cases import Slip
from orr_grading.tasks import Task

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
LARGEST = float(np.finfo(float).max)
MANY_LEVELS = 1 + np.arange(1000) % 90 / 10  # asked by a thousand attributes: low ones and high ones
CLEAR = (
    0.01  # how far apart fates must be to count as different, as a share of z_0; for orders a tenth will do
)


def numbers(rng: np.random.Generator) -> dict[str, Any]:
    """Draw five attributes of which one keeps its level, one has it lowered, one raised by an older lie.

    Besides, their best order is to be none that a known slip leads to, which is rare: that is seen to here.
    """
    sizes, epsilons = fateful(rng, 5, {"kept", "lowered", "old"})
    while not cases.instructive(closest_order(sizes, epsilons)):
        sizes, epsilons = fateful(rng, 5, {"kept", "lowered", "old"})
    many = rng.integers(2, 6, 2000)
    while not cases.instructive(induction(many[:1000], MANY_LEVELS)):
        many = rng.integers(2, 6, 2000)
    return {"sizes": sizes, "epsilons": epsilons, "many": many}


class Before(NamedTuple):
    """What the step that adds an attribute can look at."""

    z0: float
    top: float
    z: float
    left: float


RULES: dict[str, Callable[[Before], bool]] = {  # when an attribute falls back; the first is right
    "right": lambda b: b.z < 0 or b.left < max(b.top, b.z),
    "top": lambda b: b.z < 0 or b.left < b.z,
    "new": lambda b: b.z < 0 or b.left < b.top,
    "negative": lambda b: b.z < 0,
    "positive": lambda b: b.left < max(b.top, b.z),
    "before": lambda b: b.z < 0 or b.z0 < max(b.top, b.z),
    "broke": lambda b: b.z < 0 or b.left < 0,
    "never": lambda b: False,
    "always": lambda b: True,
}
FORGOTTEN = {
    "top": "Some attribute gets its level although the truth, having paid, is less likely than an *older* lie. Compare with the largest z_j of all.",
    "new": "Some attribute gets its level although the truth, having paid, is less likely than the *new* lie.",
    "negative": "Some attribute gets its level although the truth, having paid, is less likely than some lie.",
    "positive": "Some attribute gets its level although its z is negative.",
    "before": "The truth is compared with the lies before it has paid. Compare what it has left.",
    "broke": "It is not enough that the truth can pay: having paid, it must still be as likely as every single lie.",
    "never": "Nobody falls back there. When must they?",
    "always": "Everybody falls back there. Who can have the level asked?",
}


def pay(a: float, z: float) -> float:
    """Return what the truth pays for the lies about a new attribute."""
    return (a - 1) * z


def mass(a: Sequence[float], z: Sequence[float]) -> float:
    """Return the mass above the floor of two attributes."""
    return z[0] + (a[0] - 1) * z[1] + (a[1] - 1) * z[2]


def scale(x: float, records: float) -> float:
    """Return a scaled variable."""
    return (x - 1) / records


class Walk:
    """The induction, right or with one thing wrong."""

    def __init__(
        self, sizes: ArrayLike, levels: ArrayLike, rule: str = "right", *, pay: Callable[..., float] = pay,
        mass: Callable[..., float] = mass, scale: Callable[..., float] = scale, odds: Callable[..., float] = math.exp,
        grow: Callable[[float, float], float] = max, old: bool = True,
    ) -> None:  # fmt: skip
        a, e = np.asarray(sizes, dtype=float).tolist(), np.asarray(levels, dtype=float).tolist()
        _, *x = closed_form(a[0], a[1], odds(e[0]), odds(e[1]))
        z = [scale(value, a[0] * a[1]) for value in x]
        self.a, self.e, self.M, self.levels = a, np.array(e), mass(a, z), np.array(e)
        self.z0, top = z[0], max(z[1:]) if old else 0.0
        self.steps: list[Before] = []
        self.fates: list[str] = []
        for i in range(2, len(a)):
            w = math.expm1(e[i]) / a[i]
            new = (self.M - w) / (a[i] * (1 + w))
            here = Before(self.z0, top, new, self.z0 - pay(a[i], new))
            fallen = RULES[rule](here)
            self.steps.append(here)
            self.fates.append(fate(here) if fallen else "kept")
            if fallen:
                self.levels[i] = self.fallback(i)
            else:
                self.z0, top = here.left, grow(top, new)

    def fallback(self, i: int) -> float:
        """Return the level that an attribute falls back to."""
        return math.log1p(self.a[i] * self.M) if self.M > 0 else math.nan

    def overall_of(self, sizes: ArrayLike) -> float:
        """Return log(1 + T z_0) for the product T of some sizes."""
        with np.errstate(all="ignore"):
            return float(np.logaddexp(0, np.log(sizes).sum() + np.log(self.z0)))

    @property
    def overall(self) -> float:
        """The overall level."""
        return self.overall_of(self.a)

    @property
    def answer(self) -> list[float]:
        """What the induction returns, in one list."""
        return [self.overall, *self.levels]

    def clear(self) -> bool:
        """Return whether nobody's fate hangs by a thread, and nobody asks for what the fallback gives anyway."""
        return all(
            abs(here.left - max(here.top, here.z)) > CLEAR * here.z0
            and abs(self.fallback(i) - self.e[i]) > 5 * CLEAR
            for i, here in enumerate(self.steps, start=2)
        )


def fate(here: Before) -> str:
    """Say why an attribute falls back: its level is lowered, or else raised because of a lie."""
    if here.z < 0:
        return "lowered"
    if here.left >= here.top:
        return "new"
    return "old" if here.left >= here.z else "both"


def fateful(rng: np.random.Generator, k: int, wanted: set[str]) -> tuple[Integers, Floats]:
    """Draw attributes until all the wanted fates befall those after the first two."""
    while True:
        sizes, epsilons = drawn(rng, k)
        walk = Walk(sizes, epsilons)
        if wanted <= set(walk.fates) and walk.clear():
            return sizes, epsilons


def scaled(x: ArrayLike, sizes: ArrayLike) -> Case:
    """Return the case of the scaled variables of a mechanism."""
    x, a = np.asarray(x, dtype=float), np.asarray(sizes)
    T = float(a.prod())
    right = (x - 1) / T
    slips = [
        Slip(x / T, "Take off the floor first: it is x - 1 that grows with the number of records."),
        Slip(x - 1, "The floor is off. Now divide by the number of records."),
        Slip((x - 1) / a[-1], "That divides by the last size alone. The number of records is the product of all sizes."),
        Slip((x - 1) / (a - 1.0).prod(), "Divide by the product of the sizes a, not of a - 1."),
        Slip((x - 1) / a.sum(), "The number of records is the product of the sizes, not their sum."),
        Slip((x - 1) / len(a), "The number of records is the product of the sizes, not their number."),
        Slip((x - 1) / len(x), "The number of records is the product of the sizes, not the length of a list."),
        Slip((x - 1) / a[:-1].prod(), "One size is missing from the product."),
        Slip((x - 1) / a[1:].prod(), "One size is missing from the product."),
        Slip((x - 1) * T, "Divide by the number of records: the growth is to be taken out."),
        Slip((x + 1) / T, "The floor is subtracted, not added."),
        Slip(x / T - 1, "Take off the floor first, then divide."),
        Slip(x - 1 / T, "Only the 1 is divided there: brackets are missing."),
        Slip(np.append(x[0], right[1:]), "The truth is scaled like the lies."),
        Slip(np.append(x[0] - 1, right[1:]), "The truth is scaled like the lies: divide it as well."),
        Slip(np.append(x[0] / T, right[1:]), "The truth has the same floor as the lies: take it off there as well."),
        Slip(np.append(right[0], x[1:] / T), "The lies have a floor as well: take it off."),
        Slip(np.append(right[0], (x[1:] - 1) / a), "All of them are divided by the same number, that of all records."),
        Slip((x - x.mean()) / T, "The floor is 1, not the mean."),
        Slip((x - 1) / (T - 1), "The number of records is the whole product of the sizes, with nothing taken off."),
        Slip((x - 1) / x[0], "Divide by the number of records, not by x_0."),
    ]  # fmt: skip
    return cases.numbers(
        [x, a], right, slips, otherwise="How far is x above the floor, for each of all records?"
    )


def first_overflow(sizes: Integers) -> Case:
    """Return the case of the number of attributes at which the product of the sizes is too large."""
    a = np.asarray(sizes)
    products, logs = list(accumulate(a.tolist(), mul)), np.cumsum(np.log(a))

    def first(limit: float) -> int:
        return sum(product <= limit for product in products) + 1

    right = first(LARGEST)
    never = "Is the condition ever true there? Whole numbers of numpy wrap round at 2^63: do yours get there?"
    slips = [
        Slip(right - 1, "So many still fit. Did you count from 0?"),
        Slip(right + 1, "It happens one attribute earlier."),
        Slip(first(2.0**63), "There integers of 64 bits end. A double goes much further."),
        Slip(first(2.0**64), "There integers of 64 bits end. A double goes much further."),
        Slip(first(2.0**31), "There integers of 32 bits end. A double goes much further."),
        Slip(first(2.0**53), "There doubles no longer hold every whole number. They go much further."),
        Slip(first(float(np.finfo(np.float32).max)), "There floats of 32 bits end. A double goes much further."),
        Slip(int((logs <= 308.25).sum()) + 1, "308 is a logarithm to base 10, and yours are natural ones."),
        Slip(int((logs <= 709.78 * np.log(10)).sum()) + 1, "709.8 is a natural logarithm, and yours have base 10."),
        Slip(int((logs <= 1024).sum()) + 1, "1024 is a logarithm to base 2, and yours are natural ones."),
        Slip(int((logs <= 1024 * np.log(10)).sum()) + 1, "1024 is a logarithm to base 2, and yours have base 10."),
        Slip(int((logs <= 709.78 * np.log(2)).sum()) + 1, "709.8 is a natural logarithm, and yours have base 2."),
        Slip(int((np.cumsum(np.log(a - 1.0)) <= np.log(LARGEST)).sum()) + 1, "Multiply the sizes a, not a - 1."),
        Slip(int((np.arange(1, len(a) + 1) * np.log(a.mean()) <= np.log(LARGEST)).sum()) + 1, "That takes the mean size for every size. Multiply the sizes as they come.", "", False),
        Slip(int((np.cumsum(np.sort(np.log(a))) <= np.log(LARGEST)).sum()) + 1, "There the sizes are sorted. Multiply them as they come.", "", False),
        Slip(int((np.cumsum(np.sort(np.log(a))[::-1]) <= np.log(LARGEST)).sum()) + 1, "There the largest sizes come first. Multiply them as they come.", "", False),
        Slip(int((np.cumsum(np.log(a[::-1])) <= np.log(LARGEST)).sum()) + 1, "That starts from the end. Multiply the sizes as they come.", "", False),
        Slip(0, never), Slip(1, never), Slip(len(a), never), Slip(len(a) + 1, never), Slip(len(a) - 1, never),
    ]  # fmt: skip
    return cases.numbers(
        [a], right, slips, whole=True, otherwise="How large is the product of that many sizes?"
    )


def single_lie(M: float, a: int, epsilon: float, high: float) -> Case:
    """Return the case of the single lie that gives a level: one positive, one negative, where it is too high."""
    return cases.several([_lie(M, a, level) for level in (epsilon, high)])


def _lie(M: float, a: int, epsilon: float) -> dict[str, Any]:
    """Describe one call: the scaled single lie that gives an attribute its level."""
    E = float(np.exp(epsilon))

    def with_w(w: float) -> float:
        return (M - w) / (a * (1 + w))

    w = (E - 1) / a
    z = with_w(w)
    brackets = "Brackets are missing: all of M - w is divided by all of a (1 + w)."
    own = "z is negative here. Return it even if it is negative, just as it is: task 4 needs to know."
    slips = [
        *(Slip(each, own) for each in (0.0, -z) if z < 0),
        Slip((M - w) / (1 + w), "A factor a is missing below the line."),
        Slip((M - w) / (a - 1) / (1 + w), "There is a - 1 below the line in place of a."),
        Slip((M - w) / (a + w), "The a below the line multiplies all of 1 + w."),
        Slip((M - w) / (1 + a * w), "Was the z above the line of the level forgotten, or an a? Below the line of z stands a (1 + w)."),
        Slip((M - w) / (a * w), "Below the line a 1 is missing."),
        Slip((M - w) / a, "Below the line a factor is missing: 1 + w."),
        Slip((M - w) / (a * (1 - w)), "There is a sign wrong below the line: it is 1 + w."),
        Slip((M + w) / (a * (1 + w)), "There is a sign wrong above the line: it is M - w."),
        Slip(M / (a * (1 + w)), "Above the line w is to be subtracted."),
        Slip((w - M) / (a * (1 + w)), "The sign is turned: z is larger where the level is lower."),
        Slip((M - w) / a * (1 + w), brackets),
        Slip(M - w / (a * (1 + w)), brackets),
        Slip(with_w(E), "That takes E for w. It is w = (E - 1)/a."),
        Slip(with_w(E - 1), "There w lacks its divisor: it is (E - 1)/a."),
        Slip(with_w(E / a), "w is (E - 1)/a, not E/a."),
        Slip(with_w(E - 1 / a), "Brackets are missing in w: all of E - 1 is divided by a."),
        Slip(with_w((E - 1) / (a - 1)), "w is (E - 1)/a, and not divided by a - 1."),
        Slip(with_w(epsilon), "That takes the level for w. It is w = (E - 1)/a, E = exp(level)."),
        Slip(with_w(epsilon / a), "That takes the level for E - 1. It is w = (E - 1)/a, E = exp(level)."),
        Slip(with_w((epsilon - 1) / a), "That takes the level for its exponential: E = exp(level)."),
        Slip(with_w((1 / E - 1) / a), "The sign in the exponent is wrong."),
        Slip((M - w) / (2 * (1 + w)), "That is right for two values. With more it is a below the line.", "", a != 2),
        Slip(M / (E + a - 1), "There the two 1 of the fraction are lost: above the line 1 + ..., below 1 + ..."),
        Slip((1 + a * M - E) / (a * E + a - 1), "Collect what multiplies z with care: a E on one side, a (a - 1) on the other."),
        Slip((1 + a * M - E) / (a * (E - a + 1)), "A sign is wrong: both terms with z belong on one side."),
        Slip((1 + a * M) / (a * (E + a - 1)), "An E is lost: multiply out E (1 + a z)."),
        Slip((M - w) / (a * E), "1 + w is not E: w is (E - 1)/a."),
        Slip((a * M - E) / (a * (E + a - 1)), "A 1 is lost: above the line of the level stands 1 + a (M - (a - 1) z)."),
        Slip((1 + a * M - E) / (E + a * (a - 1)), "Collect what multiplies z with care: a E on one side, a (a - 1) on the other."),
        Slip(w, "That is w. With it, solve for z."),
    ]  # fmt: skip
    return cases.target([M, a, epsilon], z, slips, otherwise="Solve the equation for z.")


def step(sizes: ArrayLike, epsilons: ArrayLike) -> Case:
    """Return the case of the step that adds an attribute, for every attribute but the first two."""
    walk = Walk(sizes, epsilons)
    return cases.several([_step(walk, i) for i in range(2, len(walk.a))])


def _step(walk: Walk, i: int) -> dict[str, Any]:
    """Describe one step."""
    a, level, M = int(walk.a[i]), float(walk.e[i]), walk.M
    z0, top, z, left = walk.steps[i - 2]
    fallen, granted = [z0, 0, walk.fallback(i)], [left, z, level]
    if walk.fates[i - 2] != "kept":
        right, slips = fallen, [
            Slip(granted, complaint(walk.steps[i - 2])),
            Slip([z0, 0, level], "It falls back and reports the level asked. Which level has it now?"),
            Slip([z0, 0, np.log1p(M)], "In the fallback w = M. The level follows from w = (exp(level) - 1)/a."),
            Slip([z0, 0, np.log(a * M)], "In the fallback w = M. The level follows from w = (exp(level) - 1)/a: there is a 1 to add."),
            Slip([z0, 0, np.log1p((a - 1) * M)], "Put z = 0 into the equation of task 3: exp(level) = 1 + a M."),
            Slip([z0, 0, a * M], "Put z = 0 into the equation of task 3, and take the logarithm."),
            Slip([z0, 0, 1 + a * M], "That is exp(level). Take its logarithm."),
            Slip([z0, 0, M], "M is a mass. Put z = 0 into the equation of task 3, which gives a level."),
            Slip([z0, 0, 0], "It falls back, and still has a level: put z = 0 into the equation of task 3."),
            Slip([z0, z, fallen[2]], "It falls back to the right level. But then z is 0."),
            Slip([left, z, fallen[2]], "It falls back to the right level. But then z is 0, and the truth pays nothing."),
            Slip([left, 0, fallen[2]], "It falls back, so there are no new lies to pay for."),
            Slip([left, 0, level], "It falls back, so there are no new lies to pay for, and the level is another one."),
            Slip([z0, z, level], "The truth has not paid for the new lies, and could not: fall back."),
            Slip([0, 0, fallen[2]], "It falls back, and the truth keeps what it had."),
            Slip([top, 0, fallen[2]], "It falls back, and the truth keeps what it had."),
        ]  # fmt: skip
    else:
        right, slips = granted, [
            Slip(fallen, "This level can be had, and here it falls back."),
            Slip([z0, z, level], "The truth has not paid for the new lies."),
            Slip([z0 - z, z, level], "There are a - 1 new lies to pay for, not one.", "", a != 2),
            Slip([z0 - a * z, z, level], "There are a - 1 new lies to pay for, not a."),
            Slip([z0 + (a - 1) * z, z, level], "The truth gains there. It pays: z_0 falls."),
            Slip([left, z, fallen[2]], "It has the level asked: that is what z was chosen for."),
            Slip([left, max(top, z), level], "The second number is the z of this attribute, not the largest of all.", "", top > z),
            Slip([left, 0, level], "The second number is z, and it is not 0 here."),
            Slip([(a - 1) * z, z, level], "That is what the truth pays. What has it left?"),
        ]  # fmt: skip
    parts = [
        (1, "z is not right: it is that of task 3, or 0 where the attribute falls back."),
        (0, "z is right, the new z_0 is not: it falls by (a - 1) z, or not at all."),
        (2, "The first two are right, the level is not."),
    ]
    return cases.target([z0, top, M, a, level], right, slips, rtol=1e-7, places=parts)


def complaint(here: Before) -> str:
    """Say why an attribute cannot have its level."""
    if here.z < 0:
        return "This z is negative, and no probability is below the floor: fall back."
    lie = "the new lie" if here.left < here.z else f"an older lie, at {show(here.top)}"
    return f"The truth has paid and is now less likely than {lie}: fall back."


def induction(*lists: ArrayLike) -> Case:
    """Return the case of the whole induction, for one or more pairs of sizes and levels."""
    return cases.several([_induction(a, e) for a, e in zip(lists[::2], lists[1::2], strict=True)])


def _induction(sizes: ArrayLike, epsilons: ArrayLike) -> dict[str, Any]:
    """Describe one call of the induction; a long one has few slips, since its lists take room."""
    a, e = np.asarray(sizes), np.asarray(epsilons)
    right = Walk(a, e)
    slips = [
        Slip([right.overall, *e], "Those are the levels asked. Attributes that fall back have others."),
        Slip([right.levels.sum(), *right.levels], "The overall level is Kronecker's. Here it is log(1 + T z_0)."),
    ]  # fmt: skip
    if len(a) >= LONG:
        where = [(i, AMONG_MANY) for i in range(1, len(a) + 1)]
        where += [(0, "The levels are right. T is too large for a number: add logarithms.")]
        slips += [Slip(Walk(a, e, grow=lambda top, z: z).answer, LATEST)]
    else:
        where = places(right)
        slips += [Slip(Walk(a, e, rule).answer, FORGOTTEN[rule]) for rule in STRICT]
        slips += [Slip(Walk(a, e, rule).answer, hint, "", False) for rule, hint in FORGOTTEN.items()]
        slips += [Slip(wrong.answer, hint, "", False) for wrong, hint in spoilt(a, e)]
        slips += [*wrong_overall(right), *out_of_order(a, e)]
    return cases.target(
        [a, e], right.answer, slips, rtol=1e-8,
        read=["parts", [(), (len(a),)], ["overall level", "list of achieved levels"]], places=where,
        otherwise="With fewer attributes it is right: what grows with their number?",
    )  # fmt: skip


STRICT = ("top", "negative", "positive", "never", "always")  # what every short case must tell from right
LATEST = "The largest z_j of all is to be remembered, and not the latest one."
AMONG_MANY = (
    "Some achieved level goes wrong here: compare yours with those of `orr.inductive`. Which is the first?"
)
LONG = 10  # attributes from which on slips are left out


def wrong_overall(right: Walk) -> list[Slip]:
    """Return the slips of the last line of the induction."""
    log_T, z0, start = float(np.log(right.a).sum()), right.z0, right.steps[0].z0
    two = float(np.log(right.a[:2]).sum())
    found = [
        Slip(log_T + np.log(z0), "There is a 1 to add: the overall level is log(1 + T z_0)."),
        Slip(np.log1p(z0), "T is missing: the overall level is log(1 + T z_0)."),
        Slip(np.log1p(np.exp(two) * z0), "T is the product of *all* sizes."),
        Slip(log_T + np.log1p(z0), "The 1 is not multiplied by T: the overall level is log(1 + T z_0)."),
        Slip(np.logaddexp(0, log_T + z0), "np.logaddexp(0, u) takes a logarithm u, and so the logarithm of z_0."),
        Slip(np.logaddexp(0, log_T + np.log(start)), "The levels are right, but the overall level is from the start: z_0 falls with every new attribute.", "", False),
        Slip(np.logaddexp(0, two + np.log(start)), "The overall level is that of the first two attributes alone."),
    ]  # fmt: skip
    return [slip._replace(value=[float(np.asarray(slip.value)), *right.levels]) for slip in found]


def out_of_order(a: Integers, e: Floats) -> list[Slip]:
    """Return the slips of attributes that come in another order, or twice."""
    found = []
    for order in (np.argsort(key, kind="stable") for key in (e, -e, a, -a)):
        walk = Walk(a[order], e[order])
        both = (walk.levels, walk.levels[np.argsort(order)])
        found += [
            ([walk.overall, *levels], "There the attributes are sorted. Keep to the order given.")
            for levels in both
        ]
    twice = Walk([*a[:2], *a], [*e[:2], *e])
    again = "The first two attributes are in from the start: begin with the third."
    found.append(([twice.overall_of(a), *twice.levels[2:]], again))
    return [Slip(value, hint, "", False) for value, hint in found]


def spoilt(a: Integers, e: Floats) -> list[tuple[Walk, str]]:
    """Return inductions in which one thing is wrong, each with its hint."""
    return [
        (Walk(a, e, pay=lambda a, z: 0.0), "The truth never pays for new lies: z_0 falls by (a - 1) z."),
        (Walk(a, e, pay=lambda a, z: z), "There are a - 1 new lies to pay for, not one."),
        (Walk(a, e, pay=lambda a, z: a * z), "There are a - 1 new lies to pay for, not a."),
        (Walk(a, e, odds=lambda level: level), "closed_form takes exp(level), and not the level."),
        (Walk(a, e, grow=lambda top, z: top), "The largest z_j must take in the new lies as well."),
        (Walk(a, e, grow=lambda top, z: z), LATEST),
        (Walk(a, e, old=False), "The largest z_j must start with those of the first two attributes."),
        (Walk(a, e, mass=lambda a, z: z[0] + z[1] + z[2]), "In M each lie counts a_j - 1 times."),
        (Walk(a, e, mass=lambda a, z: z[0] + a[0] * z[1] + a[1] * z[2]), "In M each lie counts a_j - 1 times, not a_j times."),
        (Walk(a, e, mass=lambda a, z: z[0] + (a[1] - 1) * z[1] + (a[0] - 1) * z[2]), "In M each lie goes with its own attribute's size."),
        (Walk(a, e, mass=lambda a, z: z[0]), "M takes in the lies as well, not the truth alone."),
        (Walk(a, e, scale=lambda x, records: x / records), "Take off the floor when you scale: z = (x - 1)/(a_1 a_2)."),
        (Walk(a, e, scale=lambda x, records: x - 1), "The x of the closed form are to be scaled: divide x - 1 by a_1 a_2."),
        (Walk(a, e, scale=lambda x, records: (x - 1) / a.prod()), "At the start there are a_1 a_2 records: scale by that."),
    ]  # fmt: skip


def places(right: Walk) -> list[tuple[int, str]]:
    """Say, for every attribute, what should become of it; counted from 1 as in the text."""
    found = []
    for i, (asked, fate) in enumerate(zip(right.e, ["kept", "kept", *right.fates], strict=True), start=1):
        what = "keeps that" if fate == "kept" else "falls back, to the level where w = M"
        found.append((i, f"The first to go wrong is attribute {i}: it asks for {show(asked)} and {what}."))
    return [*found, (0, "The achieved levels are right, the overall level is not: it is log(1 + T z_0).")]


def compare(sizes: ArrayLike, epsilons: ArrayLike) -> Case:
    """Return the case of three methods at the levels that the heuristic achieves."""
    a, e = np.asarray(sizes), np.asarray(epsilons)
    heuristic = orr.inductive(a, e)
    has = heuristic.epsilons
    h, kronecker, asked = heuristic.epsilon, has.sum(), e.sum()
    best, wanted = (orr.linear_program(a, levels).solve().epsilon for levels in (has, e))
    floor = orr.information_floor(a, has)
    slips = [
        Slip([asked, h, wanted], "The heuristic does not have the levels asked. Compare at those it has."),
        Slip([asked, h, best], "Kronecker is at the levels asked. Take those that the heuristic has."),
        Slip([kronecker, h, wanted], "The optimum is at the levels asked. Take those that the heuristic has."),
        Slip([kronecker, h, floor], "The third is the information floor, which no mechanism need reach. The optimum is wanted."),
        Slip([kronecker, h, h], "The third is the heuristic once more. The smallest possible level comes from the linear program."),
        Slip([kronecker, kronecker, kronecker], "Adding up attribute levels gives Kronecker's overall level, whatever the mechanism. Ask each for its epsilon."),
        Slip([kronecker, kronecker, best], "The second is Kronecker's level once more. The heuristic's is wanted."),
        Slip([kronecker, best, best], "The second is the optimum once more. The heuristic's is wanted."),
        Slip([has.max(), h, best], "Kronecker's overall level is the sum of its attribute levels, not the largest."),
        Slip([e.max(), h, best], "Kronecker's overall level is the sum of its attribute levels, not the largest."),
        Slip([has.mean(), h, best], "Kronecker's overall level is the sum of its attribute levels, not their mean."),
        Slip([0, h - kronecker, best - kronecker], "Those are differences. Three levels are wanted."),
        Slip([1, h / kronecker, best / kronecker], "Those are shares of Kronecker's. Three levels are wanted."),
    ]  # fmt: skip
    where = [
        (0, "The first is not right: Kronecker's overall level, at the levels that the heuristic has."),
        (1, "The second is not right: the heuristic's overall level, for the levels asked."),
        (2, "The third is not right: the optimum at the levels that the heuristic has."),
    ]
    return cases.numbers([a, e], [kronecker, h, best], slips, places=where)


def closest_order(sizes: ArrayLike, epsilons: ArrayLike) -> Case:
    """Return the case of an order of the attributes with which the levels change least."""
    a, e = np.asarray(sizes), np.asarray(epsilons)
    orders = [list(order) for order in permutations(range(len(a)))]
    walks = [Walk(a[order], e[order]) for order in orders]
    gaps = np.array([walk.levels - walk.e for walk in walks])
    changes, overall = np.abs(gaps).sum(axis=1), np.array([walk.overall for walk in walks])
    unpermuted = np.abs([walk.levels - e for walk in walks]).sum(axis=1)
    # Many orders are equally good. Whoever takes the first of them, as `min` does, must not get away with its
    # inverse, nor whoever takes the one with the first two exchanged, since rounding decides between these.
    first = orders[smallest(changes)[0]]
    ends = (first, [first[1], first[0], *first[2:]])
    inverse = np.array([orders.index(np.argsort(order).tolist()) for order in ends])
    sorted_rest = [order[2:] == sorted(order[2:]) for order in orders]
    pairs = np.where(sorted_rest, changes, np.inf)
    told = [
        (np.array([0]), "That is the order given, and it is not the best."),
        (smallest(overall), "Its overall level is the smallest of all, but at other levels than those asked."),
        (inverse, "That says for each attribute where it comes. Say for each place which attribute comes there: the inverse."),
        (smallest((gaps**2).sum(axis=1)), "That is best for squared changes. Sum their absolute values."),
        (smallest(pairs), "That is the best of the orders in which all but the first two stay as they were. Try the others, too."),
        (smallest(unpermuted), "There levels achieved in the new order are compared with levels asked in the old one."),
    ]  # fmt: skip
    apart = all(changes[slip].min() > changes.min() + CLEAR / 10 for slip, _ in told)
    own = (
        min(overall[0], overall[inverse].min()) > overall.min() + CLEAR / 10
    )  # so that hints are not mixed up
    slips = [*told, *other_criteria(gaps, overall), *half_ordered(a, e, orders)]
    return Case(
        "order",
        {
            "arguments": [a, e], "changes": changes, "slips": [(slip, hint, "") for slip, hint in slips],
            "instructive": bool(apart and own),
        },
    )  # fmt: skip


def other_criteria(gaps: Floats, overall: Floats) -> list[tuple[Integers, str]]:
    """Return the orders that are best by another measure than the sum of all changes."""
    size = np.abs(gaps)
    measures = [
        (-size.sum(axis=1), "That changes the levels most. The smallest change is wanted."),
        (-overall, "Its overall level is the largest of all. Look at the attribute levels."),
        (size.max(axis=1), "There the largest change is smallest. Sum the changes of all attributes."),
        (np.abs(gaps.sum(axis=1)), "There changes up and down cancel. Sum their absolute values."),
        (gaps.sum(axis=1), "There changes up and down cancel. Sum their absolute values."),
        (np.maximum(gaps, 0).sum(axis=1), "There only raised levels count. Lowered ones are changes as well."),
        ((size > CLEAR).sum(axis=1), "There fewest attributes fall back. How far they change counts, not how many."),
    ]  # fmt: skip
    return [(smallest(values)[:2], hint) for values, hint in measures]


def half_ordered(a: Integers, e: Floats, orders: list[list[int]]) -> list[tuple[Integers, str]]:
    """Return the orders that come of permuting sizes or levels alone, and of sorting."""
    sizes = np.array([np.abs(Walk(a[order], e).levels - e).sum() for order in orders])
    levels = np.array([np.abs(Walk(a, e[order]).levels - e[order]).sum() for order in orders])
    keys = (e, -e, a, -a, np.expm1(e) / a, -np.expm1(e) / a)
    ranked = [orders.index(np.argsort(key, kind="stable").tolist()) for key in keys]
    same = "Sizes and levels must be put into the same order."
    sort = "Sorting by one number is not enough: try every order."
    return [(smallest(sizes)[:2], same), (smallest(levels)[:2], same), (np.array(ranked), sort)]


def smallest(values: Floats) -> Integers:
    """Return the places of the smallest values, all of them where several are equal."""
    return np.flatnonzero(values < values.min() + 1e-6)


def drawn(rng: np.random.Generator, k: int) -> tuple[Integers, Floats]:
    """Draw sizes and levels."""
    return rng.integers(2, 6, k), rng.integers(5, 31, k) / 10


def drawn_variables(rng: np.random.Generator) -> Sequence[Any]:
    """Draw a mechanism of the unscaled induction, and its sizes."""
    sizes, epsilons = drawn(rng, int(rng.integers(3, 6)))
    return np.array(algorithm_3(sizes.tolist(), np.exp(epsilons).tolist())[0], dtype=float), sizes


def drawn_lie(rng: np.random.Generator) -> Sequence[Any]:
    """Draw a mass, a size, and two levels of which one can be had and the other is too high."""
    M, a = float(rng.integers(5, 41) / 10), int(rng.integers(3, 8))
    level = float(np.log1p(a * M))
    return M, a, round(level * rng.uniform(0.3, 0.8), 1), round(level + rng.uniform(0.4, 1.5), 1)


def long(rng: np.random.Generator) -> tuple[Integers, Floats]:
    """Draw more attributes than a product of sizes can take."""
    return rng.integers(2, 6, 2500), rng.integers(10, 101, 2500) / 10


EVERY = {"kept", "lowered", "old", "new"}
PROBE = np.array([3, 5, 3, 2, 5, 2]), np.array([2.1, 1.2, 0.7, 0.7, 1.8, 3.0])  # has every fate

TASKS = {
    "scaled": Task(
        scaled,
        lambda given: [
            (
                algorithm_3(given["sizes"][:3].tolist(), np.exp(given["epsilons"][:3]).tolist())[0],
                given["sizes"][:3],
            ),
            ([13.5, 1, 3, 2.5], [2, 3, 2]),
        ],
        drawn_variables,
        points=2,
        meaning="Scaled, a lie keeps its z for good, however many attributes follow.",
        more="Two steps, the same for the truth and for every lie: take off the floor, then divide by the number of records. How many records are there if three attributes have 2, 3 and 4 values?",
    ),
    "first-overflow": Task(
        first_overflow,
        lambda given: [(given["many"],), (np.full(400, 7),)],
        lambda rng: (rng.integers(2, int(rng.integers(6, 40)), 1200),),
        points=2,
        meaning="A few hundred attributes are enough to break the unscaled induction, and a genome has millions.",
        more="Add logarithms: the product is larger than `largest` where the sum of np.log(sizes) is larger than np.log(largest).",
    ),
    "single-lie": Task(
        single_lie,
        lambda given: [(1.5, int(given["sizes"][2]), float(given["epsilons"][2]), 3.4), (1.0, 2, 0.5, 2.0)],
        drawn_lie,
        points=2,
        meaning="A level fixes the lie: there is nothing left to choose.",
        more="Multiply by what stands below the line, and bring all terms with z to one side. Then put your z back into the equation: does the level come out?",
    ),
    "step": Task(
        step,
        lambda given: [(given["sizes"], given["epsilons"]), PROBE],
        lambda rng: fateful(rng, 6, EVERY),
        points=3,
        meaning="So a level is kept where the truth can pay for it, and only there.",
        more="First compute z and what the truth would have left, as if the level were granted. Three things can forbid it: one is about z alone, two compare what is left with a lie. Decide only then what to return.",
    ),
    "induction": Task(
        induction,
        lambda given: [
            (given["sizes"], given["epsilons"]),
            PROBE,
            (given["many"][:1000], MANY_LEVELS),
        ],
        lambda rng: (*fateful(rng, 6, EVERY), *long(rng)),
        points=3,
        meaning="One pass over the attributes, at a cost that does not grow: that is what a heuristic buys.",
        more="Start: z_0, z_1, z_2 and M from the closed form, top = max(z_1, z_2). Each step of task 4 gives z_0, z and a level; then top = max(top, z).",
    ),
    "compare": Task(
        compare,
        lambda given: [(given["sizes"], given["epsilons"]), ([2, 3, 4], [1.0, 1.5, 2.0])],
        lambda rng: drawn(rng, int(rng.integers(3, 5))),
        points=2,
        meaning="At equal attribute levels the heuristic is usually between the two, and sometimes above Kronecker: it comes without a proof.",
        more="Two lists of levels are about: those asked, and those that the heuristic has. Which of them can all three mechanisms have?",
    ),
    "closest-order": Task(
        closest_order,
        lambda given: [(given["sizes"], given["epsilons"]), ([3, 4, 5, 5], [0.3, 0.6, 2.5, 2.8])],
        lambda rng: fateful(rng, 5, {"kept", "lowered", "old"}),
        points=2,
        meaning="Who comes first has the best chance of the level asked. Somebody must decide that, and say so.",
        more="Write a function that says by how much one order changes the levels, and try it on the order given. itertools.permutations has all orders. In which order do the levels come out that you compare?",
    ),
}
