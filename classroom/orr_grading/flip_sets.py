"""Assignment 2: the Kronecker product, flip sets, and the three levels of a table.

A table gives the probability of each flip set. Inside, it is a cube with one axis of length 2 an
attribute: index 1 where the attribute lies.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from orr import two_attribute
from orr_classroom.case import Case
from orr_grading import cases
from orr_grading.cases import Slip
from orr_grading.tasks import Task

Flips = tuple[int, ...]
Law = Mapping[Flips, float]
Floats = NDArray[np.float64]
CLOSE = 1e-3  # how far above the smallest overall level a table may be, as task 7 says
COMPANY = "Each answer lies as often as before: only the company has changed."
FROM_1 = "That numbers attributes from 1. In code the first is attribute 0."
ORDER = "The flip sets come in another order here. Look each up by its key, not by its place."


def numbers(rng: np.random.Generator) -> dict[str, Any]:
    """Draw three questions, levels for them, a table in which lies keep company, and a survey."""
    shares = rng.integers([110, 110, 110, 18, 18, 18, 180], [140, 140, 140, 23, 23, 23, 221])
    listing = [1000 - int(shares.sum()), *shares.tolist()]
    return {
        "sizes": rng.permutation([2, 3, 4]).tolist(),
        "levels": (rng.integers(12, 23, 3) / 10).tolist(),
        "law": {flips: share / 1000 for flips, share in zip(subsets(3), listing, strict=True)},
        "survey": (*made_up(rng), False),
    }


def made_up(rng: np.random.Generator) -> list[NDArray[np.int64]]:
    """Ask forty people who were made up, twice, where no class has been asked: flips apart, and together.

    Rows are for the first answer, columns for the second, and "no" is 0. The number of an answer to both,
    0 to 3, has a bit for each question, and so has the number of a flip set.
    """
    truth = rng.choice(4, 40, p=[0.4, 0.15, 0.1, 0.35])
    rounds = np.array([[9, 3, 3, 1], [10, 2, 2, 2]]) / 16
    said = [truth ^ rng.choice(4, 40, p=flips) for flips in rounds]
    return [np.bincount(each, minlength=4).reshape(2, 2) for each in said]


def subsets(k: int) -> list[Flips]:
    """Return all flip sets in the order of the book: by size, then lexicographic."""
    return [flips for r in range(k + 1) for flips in combinations(range(k), r)]


def place(flips: Iterable[int], k: int) -> Flips:
    """Return where a flip set stands in the cube of k attributes."""
    return tuple(int(i in set(flips)) for i in range(k))


def cube(law: Law) -> Floats:
    """Return a table as a cube."""
    k = max(map(len, law))
    table = np.zeros((2,) * k)
    for flips, probability in law.items():
        table[place(flips, k)] = probability
    return table


def misread(law: Law) -> Floats:
    """Return the cube of whoever takes the entries of a table to be in the order of the book."""
    return cube(dict(zip(subsets(max(map(len, law))), law.values(), strict=True)))


def listed(table: Floats) -> Floats:
    """Return the entries of a cube in the order of the book."""
    return np.array([table[place(flips, table.ndim)] for flips in subsets(table.ndim)])


def product(pairs: Any) -> Floats:
    """Multiply one pair of numbers an attribute, (kept, lie), into a cube."""
    return reduce(np.multiply.outer, np.asarray(pairs, dtype=float))


def counts(sizes: Sequence[int]) -> Floats:
    """Return the number of records with each flip set."""
    return product([(1, a - 1) for a in sizes])


def flip_probabilities(table: Floats) -> Floats:
    """Return how often each attribute lies."""
    return np.array([table.take(1, axis=i).sum() for i in range(table.ndim)])


def flips_at(sizes: Sequence[int], levels: ArrayLike) -> Floats:
    """Return how often each attribute lies at its attribute level."""
    lies = np.array(sizes) - 1
    return lies / (np.exp(levels) + lies)


def attribute_levels(sizes: Sequence[int], table: Floats) -> Floats:
    """Return the attribute level of each attribute."""
    q = flip_probabilities(table)
    return np.log((1 - q) * (np.array(sizes) - 1) / q)


def neighbours(X: Floats) -> Floats:
    """Return the neighbour level of each attribute, from the probability of each record."""
    return np.array([np.abs(np.diff(np.log(X), axis=i)).max() for i in range(X.ndim)])


def written(name: str, sizes: Sequence[int], law: Law) -> str:
    """Write a call; a table of few entries in full, so that a student can repeat it."""
    return f"{name}({list(sizes)}, {in_full(law)})"


def in_full(law: Law) -> str:
    """Write a table of few entries in full; a larger one is called as the class's is."""
    return str(law) if len(law) <= 4 else "law"


def release_probability(truth: Sequence[int], release: Sequence[int], sizes: Sequence[int], law: Law) -> Case:
    """Return the case of the probability of one release, and of the truth itself."""
    k, table, t = len(sizes), cube(law), counts(sizes)
    lies = [i for i in range(k) if truth[i] != release[i]]
    at, a, q = place(lies, k), np.array(sizes)[lies], flip_probabilities(table)
    other = tuple(1 - b for b in at)
    share, alone = table[at], [table[place([i], k)] for i in lies]
    least = sum(probability for flips, probability in law.items() if set(lies) <= set(flips))
    slips = [
        Slip(share, "All records with this flip set share that, and this release is one of them.",
             "How many records differ from the truth in exactly these attributes?"),
        Slip(share / np.prod(a), "A lying attribute has a - 1 values left, not a."),
        Slip(share / np.prod(sizes), "That shares it among all records. Only those with this flip set share it."),
        Slip(share / (np.prod(sizes) - 1), "That shares it among all other records. Only those with this flip set share it."),
        Slip(share / t.flat[-1], "Only the attributes that lie have a choice, of a - 1 values each, and choices multiply."),
        Slip(table[other] / t[other], "That is for the attributes that agree. A flip set holds those that differ."),
        Slip(share / np.sum(a - 1), "Choices multiply: each value of one attribute goes with each of another."),
        Slip(share / np.sum(a), "Choices multiply, and a lying attribute has a - 1 of them."),
        Slip(share / len(lies), "That counts the attributes that lie. Count the records that they can lead to."),
        Slip(share / (np.prod(a) - 1), "Each lying attribute has a - 1 values left. Take one off each, then multiply."),
        Slip(share * t[at], "All records with this flip set share its probability: divide by how many they are."),
        Slip(share / (a[0] - 1), "Every attribute that lies has its own a - 1 values, not only the first."),
        Slip(table.flat[0], "That is the probability that no answer lies."),
        Slip(product(np.c_[1 - q, q])[at] / t[at], "That lets the answers lie independently. `law` says how often they lie together."),
        Slip(product(np.c_[1 - q, q])[at], "That lets the answers lie independently. `law` says how often they lie together."),
        Slip(np.prod(alone), "Do not multiply: `law` has an entry for this very flip set."),
        Slip(np.sum(alone), "Do not add: `law` has an entry for this very flip set."),
        Slip(least / t[at], "That adds the flip sets in which other attributes lie, too. Exactly these lie here."),
        Slip(misread(law)[at] / t[at], ORDER, "", False),
    ]  # fmt: skip
    if lies[-1] + 1 < k:
        moved = place([i + 1 for i in lies], k)
        slips += [Slip(table[moved] / each, FROM_1, "", False) for each in (t[at], t[moved], 1)]

    def shown(released: Sequence[int]) -> str:
        return f"release_probability({list(truth)}, {list(released)}, {list(sizes)}, {in_full(law)})"

    kept = Slip(
        table.flat[0] / np.prod(sizes), "There is one record that tells no lie, so it need not share."
    )
    return cases.several([
        cases.target([truth, release, sizes, law], share / t[at], slips, shown=shown(release),
                     otherwise="Find the flip set. How many records have it?"),
        cases.target([truth, truth, sizes, law], table.flat[0], [kept], otherwise="Here no answer lies.",
                     shown=shown(truth)),
    ])  # fmt: skip


def kronecker_law(*surveys: tuple[list[int], list[float]]) -> Case:
    """Return the case of the flip-set probabilities of the Kronecker product, for one survey or several."""
    return cases.several([kronecker_target(sizes, levels) for sizes, levels in surveys])


def kronecker_target(sizes: Sequence[int], levels: Sequence[float]) -> dict[str, Any]:
    """Describe one call, with the sizes and levels of a survey."""
    odds, a, q = np.exp(levels), np.array(sizes), flips_at(sizes, levels)

    def at(chance: ArrayLike) -> Floats:
        return product(np.c_[1 - np.asarray(chance), chance])

    right, lies, kept = at(q), product(np.c_[np.ones_like(q), q]), product(np.c_[1 - q, np.ones_like(q)])
    sums = sum(np.indices(right.shape)[i] * (2 * q[i] - 1) + 1 - q[i] for i in range(len(q)))
    slips = [
        (right / counts(sizes), "That is the probability of one record. All with the flip set are wanted."),
        (lies, "The attributes outside the flip set must be kept."),
        (lies / lies.sum(), "The attributes outside the flip set must be kept. Then it adds up to 1 by itself."),
        (kept, "The attributes in the flip set must lie, each with its q."),
        (at(1 - q), "Truth and lie are exchanged: the attributes in the set lie."),
        (at(1 / (odds + 1)), "That is right for two values each. With more, lies are likelier."),
        (at(1 / (odds + a - 1)), "That takes one particular lie for all of them: q has a - 1 above the line."),
        (at(a / (odds + a)), "That counts a lies. One of the a values is the truth."),
        (at((a - 1) / (odds + a)), "The lies and the truth together are e^level + a - 1 shares, not one more."),
        (at((a - 1) / (levels + a - 1)), "That takes the level for the ratio. The ratio is exp(level)."),
        (at(flips_at(sizes, -np.asarray(levels))), "The sign in the exponent is wrong: a higher level means fewer lies."),
        (sums, "What happens independently multiplies. You add."),
        (at(np.full_like(q, q[0])), "Each attribute has its own q."),
        (at(q[::-1]), "The attributes are in the reverse order."),
        (at(flips_at(sizes, levels[::-1])), "Each size goes with its own level."),
    ]  # fmt: skip
    return cases.target(
        [list(sizes), list(levels)], listed(right),
        [Slip(listed(value), hint) for value, hint in slips],
        read=["law", len(sizes)], total=1, otherwise="Each attribute has a factor, whether it is in the set or not.",
    )  # fmt: skip


def marginal_levels(sizes: Sequence[int], law: Law) -> Case:
    """Return the case of the level of each attribute by itself."""
    table, others = cube(law), np.array(sizes) - 1
    k, q, X = table.ndim, flip_probabilities(table), table / counts(sizes)
    alone = np.array([table[place([i], k)] for i in range(k)])
    shared = np.array([sum(law[S] / len(S) for S in law if i in S) for i in range(k)])
    records = np.array([X.take(0, axis=i).sum() / X.take(1, axis=i).sum() for i in range(k)])
    any_lie, at_most = 1 - table.flat[0], "Add up all flip sets that contain the attribute, and no others."
    slips = [
        Slip(np.log((1 - q) / q), "That compares the truth with all lies. Take one lie, of probability q/(a-1)."),
        Slip(np.log((1 - alone) * others / alone), "An attribute lies in every flip set that it belongs to."),
        Slip(np.log(table.flat[0] * others / alone), "That looks at two flip sets only. Add up all of them."),
        Slip(neighbours(X), "Those are neighbour levels. Here the other released values are not looked at."),
        Slip(q, "That is how often each attribute lies. The level compares the truth with one lie."),
        Slip(1 - q, "That is how often each attribute is kept. The level compares this with one lie."),
        Slip(np.log((1 - q) * (others + 1) / q), "There are a - 1 lies to share q, not a."),
        Slip(np.log((1 - q) * (others + 1)), "That compares the truth with a uniformly random answer, not with a lie."),
        Slip(np.log((1 - q) / others / q), "One lie has the probability q/(a-1), so the ratio is multiplied by a - 1."),
        Slip(np.log(1 - q) * others / q, "The logarithm is of the whole ratio, not of 1 - q alone."),
        Slip(np.log(q * others / (1 - q)), "Kept and lying are exchanged."),
        Slip(np.log((1 - any_lie) * others / any_lie), f"That takes any lie for a lie of this attribute. {at_most}"),
        Slip(np.log(table.flat[0] * others / q), "The value is also kept where only others lie: 1 - q, not law[()]."),
        Slip(np.log((1 - shared) * others / shared), "A flip set counts in full for each of its attributes: do not share it."),
        Slip(np.log(records), "That adds up single records. All records of a flip set count: take law[S] itself."),
        Slip(np.log(records * others), "That adds up single records. All records of a flip set count: take law[S] itself."),
        Slip(np.log(others / q), "The truth has probability 1 - q, not 1."),
        Slip(np.log((1 - q) - q / others), "A level compares by a ratio, not by a difference."),
        Slip(attribute_levels(sizes, misread(law)), ORDER, "", False),
    ]  # fmt: skip
    return cases.numbers(
        [list(sizes), law], attribute_levels(sizes, table), slips, shown=written("marginal_levels", sizes, law),
        otherwise="How often does attribute i lie, whatever the others do?",
    )  # fmt: skip


def overall_level(sizes: Sequence[int], law: Law) -> Case:
    """Return the case of the level of the whole record."""
    table = cube(law)
    X = table / counts(sizes)
    wider = table / product([(1, n) for n in sizes])
    first, last, top, low = X.flat[0], X.flat[-1], X.max(), X.min()
    hidden = bool(first < top and last > low)  # the class's own table cannot tell these apart
    alone = attribute_levels(sizes, table)
    slips = [
        Slip(np.ptp(np.log(table)), "Compare records, not flip sets: a flip set has several records.",
             "Divide law[S] by the number of records that have the flip set S."),
        Slip(np.log(first / last), "The truth and the complete lie are not the extremes of this table."),
        Slip(np.log(first / low), "The truth is not the likeliest record of this table.", "", hidden),
        Slip(np.log(top / last), "The complete lie is not the least likely record of this table."),
        Slip(alone.sum(), "Levels add up for the Kronecker product. This is another table."),
        Slip(alone.max(), "That is the largest attribute level. This reader sees the whole release."),
        Slip(neighbours(X).sum(), "The neighbour levels add up to a bound. The level itself is smaller."),
        Slip(neighbours(X).max(), "That changes one attribute only. Two records may differ in all of them."),
        Slip(top - low, "That is a difference. A level is the logarithm of a ratio."),
        Slip(np.log(top - low), "A level compares by a ratio, not by a difference."),
        Slip(np.ptp(table), "That is a difference, of flip sets. A level is the logarithm of a ratio, of records."),
        Slip(table.max() / table.min(), "Compare records, not flip sets, and take the logarithm."),
        Slip(np.ptp(np.log(wider)), "A lying attribute has a - 1 values left, not a."),
        Slip(np.ptp(np.log(table * counts(sizes))), "Divide by the number of records, since they share the flip set."),
        Slip(np.log(table.flat[0] / table.flat[-1]), "Compare records, not flip sets, and look for the extremes."),
        Slip(np.log(table.flat[0] / table.min()), "Compare records, not flip sets: a flip set has several records.", "", False),
        Slip(-np.log(low), "That is the least likely record alone. Compare it with the likeliest."),
        Slip(np.log(top), "That is the likeliest record alone. Compare it with the least likely."),
        Slip(np.log(np.sort(X.ravel())[-1] / np.sort(X.ravel())[1]), "There is a record that is less likely still.", "", False),
        Slip(np.ptp(np.log(misread(law) / counts(sizes))), ORDER, "", False),
    ]  # fmt: skip
    return cases.numbers(
        [list(sizes), law], np.log(top / low), slips, shown=written("overall_level", sizes, law),
        otherwise="Which single record is the likeliest, which the least likely?",
    )  # fmt: skip


def neighbour_levels(sizes: Sequence[int], law: Law) -> Case:
    """Return the case of the level of each attribute for somebody who knows the others."""
    table = cube(law)
    k, X = table.ndim, table / counts(sizes)
    steps = [-np.diff(np.log(X), axis=i) for i in range(k)]
    mixed = [np.log(X.take(0, axis=i).max() / X.take(1, axis=i).min()) for i in range(k)]
    apart = [max(mixed[i], np.log(X.take(1, axis=i).max() / X.take(0, axis=i).min())) for i in range(k)]
    same = "The other lies must be the same on both sides: compare S with S and i."
    wider = neighbours(table / product([(1, n) for n in sizes]))
    bare = [np.diff(np.log(table), axis=i) for i in range(k)]
    slips = [
        Slip([step.flat[0] for step in steps], "That assumes that no other attribute lies. Try every S.",
             "The others may lie in any way, the same on both sides. Which flip set belongs to S, if i is not in S?"),
        Slip([abs(step.flat[0]) for step in steps], "That assumes that no other attribute lies. Try every S."),
        Slip([abs(step.flat[-1]) for step in steps], "Try every S, not only that in which all others lie, and take the absolute value."),
        Slip([step.max() for step in steps], "A lie can also make a release likelier: take the absolute value."),
        Slip([(-step).max() for step in steps], "A lie can also make a release less likely: take the absolute value."),
        Slip(neighbours(table), "Compare records: with attribute i in it, a flip set has more of them."),
        Slip([-step.min() for step in bare], "Compare records, and take the absolute value.", "", False),
        Slip([np.abs(step).min() for step in steps], "That is the smallest over all S. The worst case is wanted."),
        Slip([np.abs(step).mean() for step in steps], "That is the mean over all S. The worst case is wanted."),
        Slip([np.abs(step).sum() for step in steps], "That adds up over all S. The worst one is wanted."),
        Slip(attribute_levels(sizes, table), "Those are attribute levels. This reader sees the other released values too."),
        Slip(np.full(k, np.ptp(np.log(X))), "That is the overall level. Here only attribute i may change."),
        Slip(mixed, same, "", False),
        Slip(apart, same),
        Slip([np.ptp(np.log(X.take(1, axis=i))) for i in range(k)], "That compares flip sets that all contain i. One of the two must be without it."),
        Slip([np.ptp(np.log(X.take(0, axis=i))) for i in range(k)], "That compares flip sets none of which contains i. One of the two must contain it."),
        Slip(wider, "A lying attribute has a - 1 values left, not a."),
        Slip(neighbours(table * counts(sizes)), "Divide by the number of records, since they share the flip set."),
        Slip(neighbours(misread(law) / counts(sizes)), ORDER, "", False),
    ]  # fmt: skip
    return cases.numbers(
        [list(sizes), law], neighbours(X), slips, shown=written("neighbour_levels", sizes, law),
        otherwise="Compare every flip set with the one that differs from it in attribute i only.",
    )  # fmt: skip


def relax(table: Floats, sizes: Sequence[int]) -> Floats:
    """Return the table of a sampler that may draw the truth again where it should lie."""
    for i, a in enumerate(sizes):
        kept, lie = table.take(0, axis=i), table.take(1, axis=i)
        table = np.stack([kept + lie / a, lie - lie / a], axis=i)
    return table


def perturb(sizes: Sequence[int], law: Law, seed: int) -> Case:
    """Return the case of a sampler."""
    table = cube(law)
    q, X, k = flip_probabilities(table), table / counts(sizes), table.ndim
    single = np.zeros_like(table)
    for i in range(k):
        single[place([i], k)] = q[i] / q.sum()
    slips = [
        (product(np.c_[1 - q, q]), "Each attribute lies as often as it should. But they lie independently.",
         "Draw one flip set a record, not one coin an attribute."),
        (relax(table, sizes), "A lie must differ from the truth, and yours sometimes does not.",
         "Going round, how many steps lead to another value? Zero steps would be the truth."),
        (X / X.sum(), "Draw by the probabilities of flip sets, not of single records.", ""),
        (np.full_like(table, 1 / table.size), "You draw all flip sets equally often: give `p` to rng.choice.", ""),
        (np.flip(table), "Truth and lie are exchanged: the attributes in the set lie.", ""),
        (product(np.c_[q, 1 - q]), "Truth and lie are exchanged, and the attributes lie independently.", ""),
        (single, "You let one attribute lie for each record. A flip set may have none, or several.", ""),
        (table.T, "The attributes are in the reverse order.", ""),
    ]  # fmt: skip
    apart = [np.abs(slip - table).max() for slip, *_ in slips]
    if np.abs(misread(law) - table).max() > 0:
        slips.append((misread(law), ORDER, ""))
    made = cases.sampler(
        f"perturb(records, {list(sizes)}, law, rng)", ["records", list(sizes), law, "rng"], sizes, table,
        slips, seed=seed,
    )  # fmt: skip
    # 0.02 is five standard errors of a share of 60,000 at the very least
    made.data["instructive"] = bool(min(apart) > 0.02)
    return made


def with_both(q: ArrayLike, both: float) -> Floats:
    """Return the table of two attributes, from how often each lies and how often both do."""
    one, two = np.asarray(q)
    return np.array([[1 - one - two + both, two - both], [one - both, both]])


def allowed(sizes: Sequence[int], q: Floats, smallest: float, best: float) -> tuple[float, float]:
    """Return the least and the largest probability of a double lie that is good enough."""

    def fine(both: float) -> bool:
        X = with_both(q, both) / counts(sizes)
        return bool((X > 0).all() and np.ptp(np.log(np.maximum(X, 1e-300))) <= smallest + CLOSE)

    ends = []
    for outside in (0.0, float(q.min())):
        inside = best
        for _ in range(60):  # halves the gap to less than any rounding
            middle = (inside + outside) / 2
            inside, outside = (middle, outside) if fine(middle) else (inside, middle)
        ends.append(inside)
    return ends[0], ends[1]


def best_law(sizes: Sequence[int], levels: Sequence[float]) -> Case:
    """Return the case of the table for two attributes with the smallest overall level.

    It is asked for in both orders of the attributes, since which of them decides depends on the numbers.
    """
    targets = [best_target(sizes, levels), best_target(sizes[::-1], levels[::-1])]
    told = [not low <= both <= high for low, high in [targets[0]["both"]] for both in targets[0]["refused"]]
    clear = flips_at(sizes, levels).sum() < 0.95  # the task says below 1
    return Case("table", {"targets": targets, "instructive": bool(all(told) and clear)})


def best_target(sizes: Sequence[int], levels: Sequence[float]) -> dict[str, Any]:
    """Describe one call: how often each lies, how often both may, and where known slips lead."""
    a, odds, q = np.array(sizes), np.exp(levels), flips_at(sizes, levels)
    smallest = two_attribute(sizes, levels).epsilon
    ends = q * (1 - 1 / a[::-1])  # where a single lie is as rare as a double one
    low, high = allowed(sizes, q, smallest, float(ends.min()))
    one_end = "That makes one of the single lies as rare as a double one. The other has become rarer."
    chances = [
        (1 / (odds + 1), "That is right for two values each. With more, lies are likelier."),
        (1 / (odds + a - 1), "That takes one particular lie for all of them: q has a - 1 above the line."),
        (1 - q, "Truth and lie are exchanged."),
        (q[::-1], "The two attributes are exchanged."),
        (flips_at(sizes, levels[::-1]), "Each size goes with its own level."),
        (a / (odds + a), "That counts a lies. One of the a values is the truth."),
    ]
    doubles = [
        (q.prod(), "That is the Kronecker product. It can be lowered: let the lies coincide more often."),
        (ends.max(), "There are two conditions, one for each single lie. You keep the weaker one."),
        (q.min() / 2, "Half would be right for two values each. Compare records, not flip sets."),
        (min(q * (1 - 1 / a)), "A condition compares records. Which size belongs to which q?"),
        (ends[0], one_end),
        (ends[1], one_end),
    ]
    return {
        "arguments": [list(sizes), list(levels)],
        "flips": q,
        "slack": 1e-4 * q * (1 - q),  # as much as 0.0001 in a level
        "both": (low, high),
        "chances": [(np.asarray(value), hint) for value, hint in chances],
        "doubles": [(float(both), hint) for both, hint in doubles],
        "refused": [float(both) for both, _ in doubles[:4]],
        "note": f"Its overall level is {smallest:.4f}, that of the Kronecker product {sum(levels):.4f}. {COMPANY}",
    }


def drawn_law(rng: np.random.Generator, k: int) -> dict[Flips, float]:
    """Draw a table with no entry below 1/100, in any order."""
    shares = 10 + rng.multinomial(1000 - 10 * 2**k, rng.dirichlet(np.full(2**k, 1.5)))
    every = subsets(k)
    return {every[n]: float(shares[n] / 1000) for n in rng.permutation(2**k)}


def drawn(
    fewest: int, wanted: Callable[[Sequence[int], Floats], bool] = lambda sizes, table: True
) -> Callable[[np.random.Generator], tuple[list[int], dict[Flips, float]]]:
    """Return what draws sizes and a table of up to four attributes, such that something holds."""

    def draw(rng: np.random.Generator) -> tuple[list[int], dict[Flips, float]]:
        while True:
            sizes = rng.integers(2, 7, rng.integers(fewest, 5)).tolist()
            law = drawn_law(rng, len(sizes))
            if wanted(sizes, cube(law)):
                return sizes, law

    return draw


def positive(sizes: Sequence[int], table: Floats) -> bool:
    """Return whether all attribute levels are above 0, as a level is."""
    return bool((attribute_levels(sizes, table) > 0).all())


def crooked(sizes: Sequence[int], table: Floats) -> bool:
    """Return whether neither the truth is the likeliest record nor the complete lie the least likely."""
    X = table / counts(sizes)
    return bool(X.flat[0] < X.max() and X.flat[-1] > X.min())


def drawn_release(rng: np.random.Generator) -> Sequence[Any]:
    """Draw a truth and a release of it in which some answers lie, at least two, and some do not.

    There are more attributes than the class has, and the last of them lies: whoever looks at three is found out.
    """
    k = int(rng.integers(4, 6))
    sizes, law = rng.integers(2, 7, k).tolist(), drawn_law(rng, k)
    lies = np.append(rng.permutation(k - 1) < rng.integers(1, k - 1), True)
    truth = rng.integers(0, sizes)
    return truth.tolist(), ((truth + lies * rng.integers(1, sizes)) % sizes).tolist(), sizes, law


def drawn_surveys(rng: np.random.Generator) -> list[tuple[list[int], list[float]]]:
    """Draw two surveys, one with fewer attributes than the class has and one with more."""
    return [
        (rng.integers(2, 8, k).tolist(), (rng.integers(2, 30, k) / 10).tolist())
        for k in (2, int(rng.integers(4, 6)))
    ]


def drawn_sampler(rng: np.random.Generator) -> Sequence[Any]:
    """Draw what a sampler is tried with: few records, so that each is seen often."""
    sizes = rng.integers(2, 6, rng.integers(2, 4)).tolist()
    return sizes, drawn_law(rng, len(sizes)), int(rng.integers(10**6))


PAIR = {(0, 1): 0.12, (): 0.6, (1,): 0.16, (0,): 0.12}  # in another order than the class's
STEEP = {(): 0.3, (0, 1): 0.2, (0,): 0.45, (1,): 0.05}  # the truth is not the likeliest record
TASKS = {
    "release-probability": Task(
        release_probability,
        lambda given: [
            ([0, 0, 0], [int(a != 3) for a in given["sizes"]], given["sizes"], given["law"]),
            ([5, 0], [4, 8], [7, 9], PAIR),
        ],
        drawn_release,
        points=2,
        meaning="A table of flip sets is the whole mechanism: it has a probability for every release of every truth.",
        more="Which attributes differ? law[S] belongs to all records that differ from the truth in exactly these. How many are they?",
    ),
    "kronecker-law": Task(
        kronecker_law,
        lambda given: [((given["sizes"], given["levels"]),), (([4, 2], [0.3, 1.0]),)],
        drawn_surveys,
        points=2,
        meaning="This is what everybody does first, and the yardstick for all that follows.",
        more="Every S takes k factors, one an attribute. How likely is it that attribute i does what S says of it?",
    ),
    "marginal-levels": Task(
        marginal_levels,
        lambda given: [(given["sizes"], given["law"]), ([2, 3], PAIR)],
        drawn(2, positive),
        points=2,
        meaning="It does not matter to this reader in whose company an answer lies.",
        more="In which flip sets does attribute i lie? How often is that, together? The rest is task 2 of assignment 1.",
    ),
    "overall-level": Task(
        overall_level,
        lambda given: [(given["sizes"], given["law"]), ([2, 3], STEEP)],
        drawn(2, crooked),
        points=2,
        meaning="This is the promise that holds against everybody, whatever they know and whatever they look for.",
        more="Task 1 gives the probability of one record with flip set S. Make a list of these, for every S.",
    ),
    "neighbour-levels": Task(
        neighbour_levels,
        lambda given: [(given["sizes"], given["law"]), ([2, 3], STEEP)],
        drawn(2, crooked),
        points=3,
        meaning="Whoever knows the other answers sees whether these were lies, and in company that is a clue.",
        more="With frozensets S ^ {i} adds i to S or takes it away. Which records belong to these two, and for which S do you compare them?",
    ),
    "perturb": Task(
        perturb,
        lambda given: [(given["sizes"], given["law"], 3), ([5, 2], {(0, 1): 0.35, (): 0.3, (1,): 0.05, (0,): 0.3}, 5)],
        drawn_sampler,
        points=3,
        meaning="Any table is as easy to draw from as any other, so the best one costs no more than the first.",
        more="Draw one flip set for each record, by its position. Which attributes lie then? A lie is made as in task 4 of assignment 1.",
    ),
    "best-law": Task(
        best_law,
        lambda given: [(given["sizes"][:2], given["levels"][:2]), ([2, 9], [2.5, 0.8])],
        lambda rng: (rng.integers(2, 10, 2).tolist(), (rng.integers(5, 35, 2) / 10).tolist()),
        points=2,
        meaning=COMPANY,
        more="Write down how likely one record of each kind is, with `both` as the unknown. When is a double lie as likely as a single one?",
    ),
}  # fmt: skip
