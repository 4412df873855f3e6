"""Recognise how numbers went wrong, whatever the task: each detector knows one slip that happens anywhere."""

from collections.abc import Iterator
from itertools import permutations

import numpy as np
from numpy.typing import ArrayLike

from orr_classroom.feedback import show
from orr_classroom.reading import Floats

Slip = tuple[ArrayLike, str]


def agree(one: ArrayLike, other: ArrayLike, scale: float, rtol: float) -> bool:
    """Return whether two answers are the same but for rounding."""
    first, second = np.asarray(one, dtype=float), np.asarray(other, dtype=float)
    if first.shape != second.shape:
        return False
    with np.errstate(all="ignore"):
        return bool(
            np.abs(first - second).max(initial=0) <= rtol * max(scale, 1e-300)
        )  # 0 agrees with 0 only


def usual(right: Floats) -> Iterator[Slip]:
    """Yield what comes out if a common slip happens to the right answer."""
    for digits in range(6):
        if np.abs(right).max(initial=0) * 10**digits >= 10:  # fewer than two digits say nothing
            places = "1 decimal" if digits == 1 else f"{digits} decimals"
            yield np.round(right, digits), f"Right to {places}. Return it unrounded."
    if right.ndim:
        yield np.trunc(right), "An array of integers cuts off fractions: make it one of floats."
    yield -right, "The sign is the wrong way round."
    yield 1 - right, "That is one minus the right answer."
    yield 100 * right, "That is in percent. A share lies between 0 and 1."
    yield right / 100, "That is a hundredth of the right answer."
    yield right**2, "That is squared once too often."
    yield right / np.log(2), "That is in bits. The book's levels are natural logarithms."
    yield right / np.log(10), "That is a logarithm to base 10. The book's levels are natural logarithms."
    with np.errstate(all="ignore"):
        yield np.sqrt(np.abs(right)), "That is the square root of the right answer."
        yield 1 / right, "That is one over the right answer."
        yield np.exp(right), "Take the logarithm of that."
        yield np.exp(-right), "Take minus the logarithm of that."
        yield np.log(np.abs(right)), "That is its logarithm."
        yield np.log1p(right), "That is the logarithm of one plus the right answer."
        yield np.expm1(right), "That is a ratio less one. Add one and take the logarithm."
        yield np.logaddexp(0, right), "There a 1 is added before the logarithm is taken. It does not belong."
        yield np.log(np.expm1(right)), "Before the logarithm is taken, a 1 is missing."
        yield np.abs(right), "A sign is lost: is there an absolute value too many?"
    yield 2 * right, "That is twice the right answer."
    yield right / 2, "That is half of the right answer."
    yield from _arranged(right)


def _arranged(right: Floats) -> Iterator[Slip]:
    """Yield the slips of lists and tables."""
    if right.ndim == 2 and right.shape[0] == right.shape[1]:
        yield right.T, "Rows and columns are exchanged."
    if right.ndim == 1 and len(right) > 1:
        yield right[::-1], "The entries are in the reverse order."
        yield np.roll(right, 1), "The entries are right, but each stands one place too late."
        yield np.roll(right, -1), "The entries are right, but each stands one place too early."
        yield np.cumsum(right), "Those are running sums."
        yield np.full_like(right, right.sum()), "That is their sum. Each by itself is wanted."
        if 3 <= len(right) <= 5:  # at most 120 orders
            for order in permutations(range(len(right))):
                yield right[list(order)], "The numbers are right, but in another order."
    if right.ndim and right.sum():
        yield right / right.sum(), "That is divided by its sum, once too often."
        yield right / right.size, "That is divided by how many there are, once too often."


def condensed(answer: Floats, right: Floats, rtol: float) -> str:
    """Say so if one number was given in the place of all, and which one it is."""
    if answer.size != 1 or right.size < 2:
        return ""
    value, scale = float(answer.ravel()[0]), float(np.abs(right).max())
    ways = [
        (right.sum(), "the sum of all of them"),
        (right.max(), "the largest of them"),
        (right.min(), "the smallest of them"),
        (right.mean(), "their mean"),
        (right.ravel()[0], "the first of them"),
        (right.ravel()[-1], "the last of them"),
    ]
    return next(
        (f"That is {what}. Return all." for way, what in ways if abs(value - way) <= rtol * scale), ""
    )


def pattern(answer: Floats, right: Floats, rtol: float) -> str:
    """Say what a wrong answer has in common with the right one."""
    scale = float(np.abs(right).max())
    if right.size > 1 and not answer.any():
        return "All of it is 0. Does an array of integers cut off fractions, or is nothing written into it?"
    there = right != 0
    ratio = answer[there] / right[there]
    if len(ratio) > 1 and np.ptp(ratio) <= rtol * abs(ratio[0]) and not answer[~there].any():
        return f"All of it is off by one factor, {show(ratio[0])}."
    gap = answer - right
    if right.size > 1 and np.ptp(gap) <= rtol * scale:
        return f"All of it is off by the same amount, {show(gap.ravel()[0])}."
    if not right.ndim and right == np.round(right) and abs(gap) == 1:
        return f"That is one too {'many' if gap > 0 else 'few'}."
    wrong = np.abs(gap) > rtol * scale
    if right.size > 2 and 0 < wrong.sum() <= right.size // 2:
        return f"Much of it is right. The first that is not is {_place(wrong)}."
    if right.ndim == 2 and right.size > 2:
        if not np.tril(wrong).any() or not np.triu(wrong).any():
            return "One side of the diagonal is right, the other is not."
        if not np.diag(wrong).any():
            return "The diagonal is right, the rest is not."
    return ""


def _place(wrong: Floats | np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> str:
    """Name the first entry that is wrong."""
    first = tuple(int(i) for i in np.argwhere(wrong)[0])
    where = str(first[0]) if len(first) == 1 else str(first)
    return f"entry {where} (counted from 0)"
