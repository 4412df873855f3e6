"""Judge samplers: by counts of what is released for each truth, by position, and by what they do with `rng`.

A right sampler is refused less than once in a million checks: every count is compared with its binomial
law, and the chances of all comparisons together are at most `ALPHA`.
"""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import binom

from orr_classroom.calling import Outcome
from orr_classroom.codec import Generator
from orr_classroom.comparing import Retry
from orr_classroom.feedback import RIGHT, Verdict, show
from orr_classroom.reading import Floats, Unreadable, numbers

ALPHA = 1e-6  # how often a right sampler may be refused
PARTS = (
    6  # comparisons that share it: flip sets, releases by truth, halves, neighbours, two generators, spare
)
Integers = NDArray[np.int64]
ALONE = 200  # calls with one record: the number of lies must not be a fixed share of them


def people(sizes: Sequence[int], n: int, seed: int) -> Integers:
    """Return n records in which all truths are equally frequent, or nearly, in no order."""
    every = np.array(list(product(*map(range, sizes))))
    records = np.resize(np.arange(len(every)), n)
    return every[np.random.default_rng(seed).permutation(records)]


def calls(case: Mapping[str, Any]) -> list[tuple[Sequence[Any], str]]:
    """Return the arguments of three calls, two with generators that are alike, and of many for one."""
    records = people(case["sizes"], case["n"], case["seed"])
    column = records[:, 0] if case["flat"] else records
    first, other = Generator(case["seed"] + 1), Generator(case["seed"] + 2)

    def arguments(rng: Generator) -> list[Any]:
        named = {"records": column, "rng": rng}
        return [named[each] if isinstance(each, str) else each for each in case["arguments"]]

    together: list[tuple[Sequence[Any], str]] = [
        (arguments(rng), case["shown"]) for rng in (first, other, first)
    ]
    column = column[:1]
    alone = [(arguments(Generator(case["seed"] + 3 + i)), case["shown"]) for i in range(ALONE)]
    return together + alone


def judge(case: Mapping[str, Any], outcomes: Sequence[Outcome], retries: Sequence[Retry | None]) -> Verdict:
    """Judge a sampler by three releases of the same records."""
    shown = case["shown"]
    records = people(case["sizes"], case["n"], case["seed"])
    for outcome in outcomes:
        if outcome.trouble:
            return Verdict(outcome.trouble, shown)
    try:
        one, two, again = (_released(outcome.value, case) for outcome in outcomes[:3])
        alone = [_released(outcome.value, {**case, "n": 1}) for outcome in outcomes[3:]]
    except Unreadable as error:
        return Verdict(str(error), shown)
    for hint in (
        _randomness(one, two, again, records),
        *_shares(one, records, case),
        _places(one, records, case),
        _company(one, two, records, case),
        _steps(one, two, records, case),
        _single(np.concatenate(alone), records[:1], case),
    ):
        if hint:
            return Verdict(hint, shown, next((more for _, known, more in case["slips"] if known in hint), ""))
    return RIGHT


def _released(value: Any, case: Mapping[str, Any]) -> Integers:
    """Read released records, or say which value is none."""
    sizes, shape = np.array(case["sizes"]), (case["n"], len(case["sizes"]))
    try:
        released = numbers(value, (shape[0],) if case["flat"] else shape).reshape(shape)
    except Unreadable:
        got = np.shape(value)
        raise Unreadable(
            f"should return one value for each that it is given, an array of shape "
            f"{(shape[0],) if case['flat'] else shape}, and returns {f'shape {got}' if got else show(value)}."
        ) from None
    outside = (released != np.round(released)) | (released < 0) | (released >= sizes)
    if outside.any():
        row, i = np.argwhere(outside)[0]
        where = ", and" if case["flat"] else f" for attribute {i} (counted from 0), whose"
        raise Unreadable(f"releases {show(released[row, i])}{where} values are 0 to {sizes[i] - 1}.")
    return released.astype(np.int64)


def _randomness(one: Integers, two: Integers, again: Integers, records: Integers) -> str:
    """Say so if the randomness is not that of `rng`."""
    if (one == records).all():
        return "never lies."
    if (one == two).all():
        return (
            "lies in the same way whatever `rng` is. Then anybody can undo it: take all randomness "
            "from `rng`, and make no generator of your own."
        )
    if (one != again).any():
        return "releases other values when it gets the same `rng` again: take all randomness from `rng`."
    return ""


def _unlikely(count: ArrayLike, n: ArrayLike, p: ArrayLike, alpha: float) -> NDArray[np.bool_]:
    """Return which counts are too far from n p, in either direction, for a chance of alpha in all."""
    count, n, p = np.broadcast_arrays(np.asarray(count), np.asarray(n), np.asarray(p))
    tail = np.minimum(binom.cdf(count, n, p), binom.sf(count - 1, n, p))
    return tail < alpha / (2 * max(count.size, 1))


def _shares(one: Integers, records: Integers, case: Mapping[str, Any]) -> list[str]:
    """Compare what is released with what should be: flip sets first, then every release of every truth."""
    sizes, table, n = case["sizes"], np.asarray(case["table"]), case["n"]
    flips = (one != records).astype(int)
    seen = np.zeros_like(table)
    np.add.at(seen, tuple(flips.T), 1)
    if _unlikely(seen, n, table, ALPHA / PARTS).any():
        return [f"{_wrong_flips(seen / n, case)} {_by_truth(one, records, case)}".rstrip()]
    truths, places = np.unique(records, axis=0, return_inverse=True)
    lies = np.ravel_multi_index(tuple(one.T), tuple(sizes))
    counts = np.zeros((len(truths), int(np.prod(sizes))))
    np.add.at(counts, (places.ravel(), lies), 1)
    differ = (np.array(list(product(*map(range, sizes))))[None] != truths[:, None]).astype(int)
    wanted = (table / _counts(sizes))[tuple(np.moveaxis(differ, 2, 0))]
    off = _unlikely(counts, counts.sum(axis=1, keepdims=True), wanted, ALPHA / PARTS)
    if not off.any():
        return []
    row, column = np.argwhere(off)[0]
    return [_uneven(truths[row], column, counts[row], wanted[row], case)]


def _counts(sizes: Sequence[int]) -> Floats:
    """Return the number of records with each flip set, as a cube."""
    shape = (2,) * len(sizes)
    return np.prod([np.where(np.indices(shape)[i], a - 1.0, 1.0) for i, a in enumerate(sizes)], axis=0)


def _wrong_flips(seen: Floats, case: Mapping[str, Any]) -> str:
    """Say which flip set comes too often or too seldom, and why if that is a known slip."""
    table = np.asarray(case["table"])
    worst = np.unravel_index(np.abs(seen - table).argmax(), table.shape)
    flips = tuple(int(i) for i in np.flatnonzero(worst))
    start = f"gives flip set {flips} a share {seen[worst]:.4f} instead of {table[worst]:.4f}."
    if case["flat"]:
        start = f"keeps a share {seen[0]:.4f} of the values instead of {table[0]:.4f}."
    if np.count_nonzero(seen) == 1:
        return f"{start} Everybody gets the same fate: draw one for each."
    width = 6 / np.sqrt(case["n"])  # six standard errors, at least
    near = [(float(np.abs(seen - np.asarray(slip)).max()), hint) for slip, hint, _ in case["slips"]]
    distance, hint = min(near, default=(1.0, ""))
    return f"{start} {hint}" if distance <= width else start


def _by_truth(one: Integers, records: Integers, case: Mapping[str, Any]) -> str:
    """Say so if one value of an attribute lies more often than another."""
    for i, a in enumerate(case["sizes"]):
        lies = [one[records[:, i] == value, i] != value for value in range(a)]
        counts, people = [each.sum() for each in lies], [each.size for each in lies]
        if _unlikely(counts, people, sum(counts) / sum(people), ALPHA / PARTS).any():
            shares = np.array(counts) / people
            where = "" if case["flat"] else f" of attribute {i} (counted from 0)"
            most, least = int(shares.argmax()), int(shares.argmin())
            return (
                f"Some values lie more often than others: the value {most}{where} with a share "
                f"{shares[most]:.4f}, the value {least} with {shares[least]:.4f}."
            )
    return ""


def _uneven(truth: Integers, column: int, counts: Floats, wanted: Floats, case: Mapping[str, Any]) -> str:
    """Say which release of which truth comes too often or too seldom."""
    release = np.unravel_index(column, tuple(case["sizes"]))
    share, name = counts[column] / counts.sum(), show([int(each) for each in release])
    if case["flat"]:
        name, truth_name = str(int(release[0])), str(int(truth[0]))
        if int(release[0]) == int(truth[0]):
            return f"keeps the value {truth_name} with a share {share:.4f}: each value must be kept as often."
    else:
        truth_name = show(truth.tolist())
    return (
        f"prefers some lies: of those whose truth is {truth_name}, a share {share:.4f} is released as "
        f"{name}, and {wanted[column]:.4f} should be. All other values must be equally likely."
    )


def _places(one: Integers, records: Integers, case: Mapping[str, Any]) -> str:
    """Say so if who lies can be told from the position."""
    lies, n = (one != records).any(axis=1), case["n"]
    q = 1 - np.asarray(case["table"]).flat[0]
    halves = [lies[: n // 2].sum(), lies[n // 2 :].sum()]
    if _unlikely(halves, [n // 2, n - n // 2], q, ALPHA / PARTS).any():
        return "lies more often at one end of the list than at the other. Position must not matter."
    beside = (lies[: n - n % 2 : 2] & lies[1::2]).sum()
    if _unlikely([beside], n // 2, q * q, ALPHA / PARTS).any():
        return "decides for neighbours in the list together: every record needs randomness of its own."
    return ""


def _company(one: Integers, two: Integers, records: Integers, case: Mapping[str, Any]) -> str:
    """Say so if the same people lie whatever the generator."""
    both = ((one != records).any(axis=1) & (two != records).any(axis=1)).sum()
    q = 1 - np.asarray(case["table"]).flat[0]
    if _unlikely([both], case["n"], q * q, ALPHA / PARTS).any():
        return "lets the same people lie each time, whatever `rng` is: take all randomness from `rng`."
    return ""


def _steps(one: Integers, two: Integers, records: Integers, case: Mapping[str, Any]) -> str:
    """Say so if lies, not only who tells them, can be foreseen: by the other release, or by position."""
    alpha = ALPHA / PARTS / len(case["sizes"])
    for i, a in enumerate(case["sizes"]):
        if a == 2:
            continue  # there is one lie only
        lie, other = one[:, i] != records[:, i], two[:, i] != records[:, i]
        both = lie & other
        if _unlikely([(one[both, i] == two[both, i]).sum()], both.sum(), 1 / (a - 1), alpha).any():
            return "tells the same lies each time, whatever `rng` is: take all randomness from `rng`."
        step = (one[:, i] - records[:, i]) % a
        pairs = lie[:-1] & lie[1:]
        ahead = np.bincount((step[1:] - step[:-1])[pairs] % (a - 1), minlength=a - 1)
        if _unlikely(ahead, pairs.sum(), 1 / (a - 1), alpha).any():
            return "lets the position decide which lie is told: draw it for every record."
    return ""


def _single(alone: Integers, record: Integers, case: Mapping[str, Any]) -> str:
    """Say so if a single record is not treated like one of many."""
    lies = (alone != record).any(axis=1).sum()
    q = 1 - np.asarray(case["table"]).flat[0]
    if _unlikely([lies], len(alone), q, ALPHA / PARTS).any():
        return (
            f"lies about {lies} of {len(alone)} records that come one by one, and {q * len(alone):.0f} are "
            "expected: decide for every record by itself, not how many lie in all."
        )
    return ""
