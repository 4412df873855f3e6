"""Checks of assignment 5: the induction in scaled variables, and its fallback."""

from collections.abc import Callable
from itertools import accumulate, permutations
from operator import mul
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from orr.book.literal import closed_form
from orr.constructions.inductive import Inductive, inductive
from orr.constructions.linear_program import linear_program
from orr_classroom.feedback import NotYet, call, expect, numbers, show

Function = Callable[..., Any]
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Order = tuple[int, ...]
Slips = list[tuple[ArrayLike, str]]


def scaled(answer: Function, x: ArrayLike, sizes: ArrayLike) -> None:
    """Check the scaled variables of a mechanism."""
    x, a = np.array(x, dtype=float), np.array(sizes)
    records = float(a.prod())
    slips: Slips = [
        (x / records, "Take off the floor first: it is x - 1 that grows with the number of records."),
        (x - 1, "The floor is off. Now divide by the number of records."),
        ((x - 1) / (a - 1.0).prod(), "Divide by the product of the sizes a, not of a - 1."),
        ((x - 1) / a.sum(), "The number of records is the product of the sizes, not their sum."),
    ]
    expect(*call(answer, x.copy(), a.copy()), (x - 1) / records, slips)


def first_overflow(answer: Function, sizes: ArrayLike) -> None:
    """Check the number of attributes at which the product of the sizes leaves the range of a double."""
    a = np.array(sizes)
    products = list(accumulate(a.tolist(), mul))
    logs = np.cumsum(np.log(a))

    def first(limit: float) -> int:
        return sum(product <= limit for product in products) + 1

    right = first(float(np.finfo(float).max))
    slips: Slips = [
        (right - 1, "So many still fit. Did you count from 0?"),
        (right + 1, "It happens one attribute earlier."),
        (first(2.0**63), "There integers of 64 bits end. A double goes much further."),
        (int((logs <= 308.25).sum()) + 1, "308 is a logarithm to base 10, and yours are natural ones."),
        (
            int((logs <= 709.78 * np.log(10)).sum()) + 1,
            "709.8 is a natural logarithm, and yours have base 10.",
        ),
    ]
    expect(*call(answer, a.copy()), right, slips, otherwise="How large is the product of that many sizes?")


def single_lie(answer: Function, M: float, a: int, epsilon: float) -> None:
    """Check the scaled single lie that gives an attribute its level."""
    E = np.exp(epsilon)
    w = (E - 1) / a
    slips: Slips = [
        ((M - w) / (1 + w), "A factor a is missing below the line."),
        ((M - w) / (a - 1) / (1 + w), "There is a - 1 below the line in place of a."),
        ((M - w) / (a + w), "The a below the line multiplies all of 1 + w."),
        ((M - E) / (a * (1 + E)), "That takes E for w. It is w = (E - 1)/a."),
        ((M - E / a) / (a + E), "w is (E - 1)/a, not E/a."),
        (
            (M - epsilon) / (a * (1 + epsilon)),
            "That takes the level for w. It is w = (E - 1)/a, E = exp(level).",
        ),
    ]
    expect(
        *call(answer, M, a, epsilon), (M - w) / (a * (1 + w)), slips, otherwise="Solve the equation for z."
    )


def step(answer: Function, sizes: ArrayLike, epsilons: ArrayLike) -> None:
    """Check the step that adds an attribute, for every attribute but the first two."""
    a, e = np.array(sizes).tolist(), np.array(epsilons).tolist()
    _, *x = closed_form(a[0], a[1], np.exp(e[0]), np.exp(e[1]))
    z0, z1, z2 = ((value - 1) / (a[0] * a[1]) for value in x)
    top, M = max(z1, z2), z0 + (a[0] - 1) * z1 + (a[1] - 1) * z2
    for size, level in zip(a[2:], e[2:], strict=True):
        w = np.expm1(level) / size
        z = (M - w) / (size * (1 + w))
        left = z0 - (size - 1) * z
        granted, fallen = [left, z, level], [z0, 0, np.log1p(size * M)]
        falls_back = z < 0 or left < max(top, z)
        slips: Slips = [
            (granted, complaint(z, left, top)),
            (fallen, "This level can be had, and here it falls back."),
            ([z0, 0, level], "It falls back and reports the level asked. Which level has it now?"),
            ([z0, 0, np.log1p(M)], "In the fallback w = M. The level follows from w = (exp(level) - 1)/a."),
            ([left, 0, np.log1p(size * M)], "It falls back, so there are no new lies to pay for."),
            ([z0, z, level], "The truth has not paid for the new lies."),
            ([z0 - z, z, level], "There are a - 1 new lies to pay for, not one."),
        ]
        name, given = call(answer, z0, top, M, size, level)
        right = np.array(fallen if falls_back else granted)
        if np.abs(numbers(name, given, (3,)) - right).max() > 1e-7 * np.abs(right).max():
            expect(name, given, right, slips, rtol=1e-7)
        z0, top = (z0, top) if falls_back else (left, max(top, z))
    print(f"Right: step, for the attributes 3 to {len(a)} of sizes {show(a)} and levels {show(e)}")


def complaint(z: float, left: float, top: float) -> str:
    """Say why an attribute cannot have its level."""
    if z < 0:
        return "This z is negative, and no probability lies below the floor: fall back."
    lie = "the new lie" if left < z else f"an older lie, at {show(top)}"
    return f"The truth has paid and is now less likely than {lie}: fall back."


def induction(answer: Function, sizes: ArrayLike, epsilons: ArrayLike) -> None:
    """Check the overall level and the achieved levels of the whole induction."""
    a, e = np.array(sizes), np.array(epsilons)
    name, given = call(answer, a.copy(), e.copy())
    if not isinstance(given, tuple | list) or len(given) != 2:
        raise NotYet(f"{name} should return two things: the overall level, and the achieved levels.")
    overall = numbers(f"The overall level of {name}", given[0], ())
    achieved = numbers(f"The list of achieved levels of {name}", given[1], e.shape)
    right = inductive(a, e)
    kronecker = right.epsilons.sum()
    slips: Slips = [
        ([right.epsilon, *e], "Those are the levels asked. Attributes that fall back have others."),
        ([kronecker, *right.epsilons], "The overall level is Kronecker's. Here it is log(1 + T z_0)."),
    ]
    expect(
        f"Overall and achieved levels, {name}",
        np.append(overall, achieved),
        np.append(right.epsilon, right.epsilons),
        slips,
        otherwise=first_difference(achieved, right, e),
        rtol=1e-8,
    )


def first_difference(achieved: Floats, right: Inductive, e: Floats) -> str:
    """Say which attribute is the first with a wrong level, and what should happen to it."""
    wrong = np.abs(achieved - right.epsilons) > 1e-6
    if not wrong.any():
        return "The achieved levels are right, the overall level is not: it is log(1 + T z_0)."
    i = int(np.argmax(wrong))
    fate = "falls back, to the level where w = M" if right.fell_back[i] else "can have that"
    return f"The first to go wrong is attribute {i} (counted from 0): it asks for {show(e[i])} and {fate}."


def compare(answer: Function, sizes: ArrayLike, epsilons: ArrayLike) -> None:
    """Check the comparison of three methods at the levels that the heuristic achieves."""
    a, e = np.array(sizes), np.array(epsilons)
    heuristic = inductive(a, e)
    h, kronecker = heuristic.epsilon, heuristic.epsilons.sum()
    best, wanted = (linear_program(a, levels).solve().epsilon for levels in (heuristic.epsilons, e))
    slips: Slips = [
        ([e.sum(), h, wanted], "The heuristic does not have the levels asked. Compare at those it has."),
        ([e.sum(), h, best], "Kronecker is at the levels asked. Take those that the heuristic has."),
        ([kronecker, h, wanted], "The optimum is at the levels asked. Take those that the heuristic has."),
    ]
    expect(*call(answer, a.copy(), e.copy()), [kronecker, h, best], slips)


def all_orders(a: Integers, e: Floats) -> tuple[dict[Order, float], dict[Order, float]]:
    """Return how much each order of the attributes changes their levels in all, and its overall level."""
    orders = list(permutations(range(len(a))))
    found = [inductive(a[list(order)], e[list(order)]) for order in orders]
    changes = [float(np.abs(m.epsilons - m.asked.epsilons).sum()) for m in found]
    overall = [m.epsilon for m in found]
    return dict(zip(orders, changes, strict=True)), dict(zip(orders, overall, strict=True))


def instructive(sizes: ArrayLike, epsilons: ArrayLike) -> bool:
    """Tell whether all that can happen does happen to the attributes after the first two.

    One keeps its level, one has it lowered, one has it raised, nobody asks for what the fallback
    would give anyway, and some order changes the levels less than the order given and than the one
    with the smallest overall level.
    """
    a, e = np.array(sizes), np.array(epsilons)
    heuristic = inductive(a, e)
    M = (np.expm1(heuristic.epsilons) / a).max()
    fates = set(np.sign(heuristic.epsilons - e)[2:])
    if fates != {-1, 0, 1} or np.abs(np.log1p(a * M) - e)[2:].min() < 0.05:
        return False
    changes, overall = all_orders(a, e)
    given, lowest = tuple(range(len(a))), min(overall, key=overall.__getitem__)
    return min(changes[given], changes[lowest]) > min(changes.values()) + 0.05


def closest_order(answer: Function, sizes: ArrayLike, epsilons: ArrayLike) -> None:
    """Check an order of the attributes in which the achieved levels are closest to those asked."""
    a, e = np.array(sizes), np.array(epsilons)
    name, given = call(answer, a.copy(), e.copy())
    mine = tuple(numbers(name, given, a.shape).tolist())
    changes, overall = all_orders(a, e)
    if mine not in changes:
        raise NotYet(f"{name} = {show(given)} should have each number from 0 to {len(a) - 1} once.")
    least = min(changes.values())
    if changes[mine] < least + 1e-6:
        print(f"Right: {name}")
        return
    hint = f"Some order changes them by {least:.4f} only."
    if overall[mine] < min(overall.values()) + 1e-6:
        hint = "Its overall level is the smallest of all, but at other levels than those asked."
    raise NotYet(f"{name} = {show(given)} changes the levels by {changes[mine]:.4f} in all. {hint}")
