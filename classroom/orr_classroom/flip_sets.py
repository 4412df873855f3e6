"""Checks of assignment 2: the Kronecker product, flip sets, and the three levels of a table.

A table gives the probability of each flip set. Inside, it is a cube with one axis of length 2 an
attribute: index 1 where the attribute lies.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from orr import two_attribute
from orr.laws.law import subsets
from orr_classroom.feedback import NotYet, call, expect, numbers, show

Function = Callable[..., Any]
Flips = tuple[int, ...]
Law = Mapping[Flips, float]
Floats = NDArray[np.float64]


def place(flips: Iterable[int], k: int) -> Flips:
    """Return where a flip set stands in the cube of k attributes."""
    return tuple(int(i in set(flips)) for i in range(k))


def cube(law: Law, k: int) -> Floats:
    """Return a table as a cube."""
    table = np.zeros((2,) * k)
    for flips, probability in law.items():
        table[place(flips, k)] = probability
    return table


def listed(table: Floats) -> Floats:
    """Return the entries of a cube in the order of the book: by size, then lexicographic."""
    return np.array([table[place(flips, table.ndim)] for flips in subsets(tuple(range(table.ndim)))])


def product(pairs: Any) -> Floats:
    """Multiply one pair of numbers an attribute, (kept, lie), into a cube."""
    return reduce(np.multiply.outer, np.asarray(pairs, dtype=float))


def counts(sizes: Sequence[int]) -> Floats:
    """Return the number of records with each flip set."""
    return product([(1, a - 1) for a in sizes])


def flip_probabilities(table: Floats) -> Floats:
    """Return how often each attribute lies."""
    return np.array([table.take(1, axis=i).sum() for i in range(table.ndim)])


def marginal(sizes: Sequence[int], table: Floats) -> Floats:
    """Return the marginal level of each attribute."""
    q = flip_probabilities(table)
    return np.log((1 - q) * (np.array(sizes) - 1) / q)


def neighbour(X: Floats) -> Floats:
    """Return the neighbour level of each attribute, from the probability of each record."""
    return np.array([np.abs(np.diff(np.log(X), axis=i)).max() for i in range(X.ndim)])


def release_probability(
    answer: Function, truth: Sequence[int], release: Sequence[int], sizes: Sequence[int], law: Law
) -> None:
    """Check the probability of one release."""
    k = len(sizes)
    at = place([i for i in range(k) if truth[i] != release[i]], k)
    other = tuple(1 - b for b in at)
    table, t, lying = cube(law, k), counts(sizes), np.array(at, dtype=bool)
    slips = [
        (table[at], "All records with this flip set share that, and this release is one of them."),
        (table[at] / np.prod(np.array(sizes)[lying]), "A lying attribute has a - 1 values left, not a."),
        (
            table[at] / np.prod(sizes),
            "That shares it among all records. Only those with this flip set share it.",
        ),
        (table[at] / t.flat[-1], "Only the attributes that lie have a choice. The others keep their value."),
        (
            table[other] / t[other],
            "That is for the attributes that agree. A flip set holds those that differ.",
        ),
    ]
    _, given = call(answer, truth, release, sizes, dict(law))
    expect(f"release_probability({show(truth)}, {show(release)}, ...)", given, table[at] / t[at], slips)


def kronecker_law(answer: Function, sizes: Sequence[int], levels: Sequence[float]) -> None:
    """Check the flip-set probabilities of the Kronecker product."""
    name, given = call(answer, sizes, levels)
    values = listed(read(name, given, len(sizes)))
    lies = np.array(sizes) - 1
    q = lies / (np.exp(levels) + lies)
    binary = 1 / (np.exp(levels) + 1)
    right = product(np.c_[1 - q, q])
    slips = [
        (right / counts(sizes), "That is the probability of one record. All with the flip set are wanted."),
        (product(np.c_[np.ones_like(q), q]), "The attributes outside the flip set must be kept."),
        (product(np.c_[q, 1 - q]), "Truth and lie are exchanged: the attributes in the set lie."),
        (
            product(np.c_[1 - binary, binary]),
            "That is right for two values each. With more, lies are likelier.",
        ),
    ]
    expect(name, values, listed(right), [(listed(slip), hint) for slip, hint in slips], total=1)


def read(name: str, given: Any, k: int) -> Floats:
    """Read a student's table of flip-set probabilities, or say what is wrong with its keys."""
    if not isinstance(given, Mapping):
        raise NotYet(f"{name} should be a dictionary from flip sets to probabilities, and is {show(given)}.")
    for key in given:
        if not isinstance(key, tuple | frozenset):
            raise NotYet(f"{name} has the key {key!r}. A flip set is a tuple: (), (0,) with a comma, (0, 1).")
        if not set(key) <= set(range(k)):
            raise NotYet(f"{name} has the key {key!r}. Attributes are numbered from 0 to {k - 1}.")
    table = {tuple(sorted(key)): value for key, value in given.items()}
    if len(table) < len(given):
        raise NotYet(f"{name} holds a flip set twice, in two orders.")
    missing = [flips for flips in subsets(tuple(range(k))) if flips not in table]
    if missing == [()]:
        raise NotYet(f"{name} lacks the flip set (), where no attribute lies.")
    if missing:
        raise NotYet(f"{name} has {len(table)} of the {2**k} flip sets: {missing[0]!r} is missing.")
    try:
        return cube(table, k)
    except (TypeError, ValueError):
        raise NotYet(f"{name} should give one number for each flip set.") from None


def marginal_levels(answer: Function, sizes: Sequence[int], law: Law) -> None:
    """Check the level of each attribute by itself."""
    table = cube(law, len(sizes))
    q, X, others = flip_probabilities(table), table / counts(sizes), np.array(sizes) - 1
    alone = np.array([table[place([i], table.ndim)] for i in range(table.ndim)])
    slips = [
        (np.log((1 - q) / q), "That compares the truth with all lies. Take one lie, of probability q/(a-1)."),
        (np.log((1 - alone) * others / alone), "An attribute lies in every flip set that it belongs to."),
        (np.log(table.flat[0] * others / alone), "That looks at two flip sets only. Add up all of them."),
        (neighbour(X), "Those are neighbour levels. Here the other released values are not looked at."),
        (q, "That is how often each attribute lies. The level compares the truth with one lie."),
    ]
    _, given = call(answer, sizes, dict(law))
    expect(f"marginal_levels({show(sizes)}, law)", given, marginal(sizes, table), slips)


def overall_level(answer: Function, sizes: Sequence[int], law: Law) -> None:
    """Check the level of the whole record."""
    table = cube(law, len(sizes))
    X = table / counts(sizes)
    slips = [
        (np.ptp(np.log(table)), "Compare records, not flip sets: a flip set has several records."),
        (
            np.log(X.flat[0] / X.flat[-1]),
            "The truth and the complete lie are not the extremes of this table.",
        ),
        (np.log(X.flat[0] / X.min()), "The truth is not the likeliest record of this table."),
        (marginal(sizes, table).sum(), "Levels add up for the Kronecker product. This is another table."),
        (neighbour(X).sum(), "The neighbour levels add up to a bound. The level itself is smaller."),
        (neighbour(X).max(), "That changes one attribute only. Two records may differ in all of them."),
        (np.ptp(X), "That is a difference. A level is the logarithm of a ratio."),
    ]
    _, given = call(answer, sizes, dict(law))
    expect(f"overall_level({show(sizes)}, law)", given, np.ptp(np.log(X)), slips)


def neighbour_levels(answer: Function, sizes: Sequence[int], law: Law) -> None:
    """Check the level of each attribute for somebody who knows the others."""
    table = cube(law, len(sizes))
    X = table / counts(sizes)
    steps = [-np.diff(np.log(X), axis=i) for i in range(X.ndim)]
    slips: list[tuple[ArrayLike, str]] = [
        ([step.flat[0] for step in steps], "That assumes that no other attribute lies. Try every S."),
        ([step.max() for step in steps], "A lie can also make a release likelier: take the absolute value."),
        (neighbour(table), "Compare records: with attribute i in it, a flip set has more of them."),
        (
            [np.abs(step).min() for step in steps],
            "That is the smallest over all S. The worst case is wanted.",
        ),
        (
            marginal(sizes, table),
            "Those are marginal levels. This reader sees the other released values too.",
        ),
        (np.full(X.ndim, np.ptp(np.log(X))), "That is the overall level. Here only attribute i may change."),
    ]
    _, given = call(answer, sizes, dict(law))
    expect(f"neighbour_levels({show(sizes)}, law)", given, neighbour(X), slips)


def perturb(answer: Function, sizes: Sequence[int], law: Law, n: int = 60_000) -> None:
    """Check a sampler by its counts, which a right one fails less than once in 100,000 times."""
    name, table = f"perturb(records, {show(sizes)}, law, rng)", cube(law, len(sizes))
    steps = released_steps(answer, name, sizes, law, n)
    seen = np.zeros_like(table)
    np.add.at(seen, tuple((steps != 0).astype(int).T), 1 / n)
    width = 5.6 / np.sqrt(n)
    if (np.abs(seen - table) > width * np.sqrt(table * (1 - table))).any():
        worst = np.unravel_index(np.abs(seen - table).argmax(), table.shape)
        flips = tuple(int(i) for i in np.flatnonzero(worst))
        start = f"{name} gives flip set {flips} a share {seen[worst]:.4f} instead of {table[worst]:.4f}."
        raise NotYet(f"{start} {wrong_company(seen, table, sizes, width)}".rstrip())
    cells = np.ravel_multi_index(tuple(steps.T), tuple(sizes))
    each = np.bincount(cells, minlength=int(np.prod(sizes))) / n
    moved = np.indices(tuple(sizes)).reshape(len(sizes), -1) != 0
    X = (table / counts(sizes))[tuple(moved.astype(int))]
    if (np.abs(each - X) > width * np.sqrt(X * (1 - X))).any():
        raise NotYet(f"{name} draws the right flip sets, but some lies more often than others.")
    print(f"Right: {name}")


def wrong_company(seen: Floats, table: Floats, sizes: Sequence[int], width: float) -> str:
    """Say why the shares of flip sets are not those of the table, if that is a known mistake."""
    q, X = flip_probabilities(table), table / counts(sizes)
    hints = [
        (product(np.c_[1 - q, q]), "Each attribute lies as often as it should. But they lie independently."),
        (relax(table, sizes), "A lie must differ from the truth, and yours sometimes does not."),
        (X / X.sum(), "Draw by the probabilities of flip sets, not of single records."),
        (np.full_like(table, 1 / table.size), "You draw all flip sets equally often."),
        (np.flip(table), "Truth and lie are exchanged."),
    ]
    if np.count_nonzero(seen) == 1:
        return "Every record gets the same flip set: draw one for each."
    return next((hint for slip, hint in hints if np.abs(seen - slip).max() <= width), "")


def relax(table: Floats, sizes: Sequence[int]) -> Floats:
    """Return the table of a sampler that may draw the truth again where it should lie."""
    for i, a in enumerate(sizes):
        kept, lie = table.take(0, axis=i), table.take(1, axis=i)
        table = np.stack([kept + lie / a, lie - lie / a], axis=i)
    return table


def released_steps(answer: Function, name: str, sizes: Sequence[int], law: Law, n: int) -> NDArray[np.int64]:
    """Release the first and the last record n / 2 times; return how far each value has moved."""
    records = np.outer(np.arange(n) % 2, np.array(sizes) - 1)
    _, given = call(answer, records.copy(), sizes, dict(law), np.random.default_rng(3))
    released = numbers(name, given, records.shape)
    outside = ~np.isin(released, np.arange(max(sizes))) | (released >= sizes)
    if outside.any():
        row, i = np.argwhere(outside)[0]
        value = show(released[row, i])
        raise NotYet(f"{name} releases {value} for attribute {i}, whose values are 0 to {sizes[i] - 1}.")
    return ((released - records) % sizes).astype(np.int64)


def best_law(answer: Function, sizes: Sequence[int], levels: Sequence[float]) -> None:
    """Check a table for two attributes with given marginal levels and the smallest overall level."""
    name, given = call(answer, sizes, levels)
    table = read(name, given, 2)
    X = table / counts(sizes)
    if not (np.isfinite(X) & (X > 0)).all():
        lowest = np.unravel_index(table.argmin(), table.shape)
        flips = tuple(int(i) for i in np.flatnonzero(lowest))
        raise NotYet(f"{name} gives flip set {flips} the probability {show(table[lowest])}, not above 0.")
    if abs(table.sum() - 1) > 1e-6:
        raise NotYet(f"{name} adds up to {show(table.sum())} instead of 1.")
    found = marginal(sizes, table)
    if np.abs(found - levels).max() > 1e-4:
        raise NotYet(f"{name} has marginal levels {show(found)} instead of {show(levels)}.")
    smallest, level = two_attribute(sizes, levels).epsilon, float(np.ptp(np.log(X)))
    if level > smallest + 1e-3:
        start = f"{name} has the right marginal levels and overall level {level:.4f}. That can be lowered:"
        if X[1, 1] > min(X[0, 1], X[1, 0]):
            raise NotYet(f"{start} a single lie has become rarer than a double one.")
        raise NotYet(f"{start} let the lies coincide more often.")
    print(f"Right: {name} has overall level {level:.4f}, the Kronecker product {sum(levels):.4f}")
