"""The cohort of assignment 6 and its checks: spend a budget on a study of genomes, within two limits.

A record is the status of a person (column 0: healthy or sick) and the genotypes at a few SNPs (the
other columns). ``tables`` gives for each SNP, by its column, the probabilities of status (rows) and
genotype (columns) if this is the SNP that acts.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

import orr
from orr_classroom.feedback import NotYet, call, expect, show

Function = Callable[..., Any]
Array = NDArray[np.float64]
Tables = Mapping[int, Array]


def genotype_table(size: int, frequency: float, odds: float) -> Array:
    """Return the probabilities of status and genotype, with as many sick as healthy people.

    Parameters
    ----------
    size
        3 to count the copies of the rarer allele, 2 to ask only whether there are any.
    frequency
        Share of the rarer allele among the healthy.
    odds
        Factor by which each copy multiplies the odds of being sick; 1 for a SNP that does nothing.

    Examples
    --------
    >>> genotype_table(2, 0.5, 1.0)
    array([[0.125, 0.375],
           [0.125, 0.375]])
    """
    healthy = np.array([(1 - frequency) ** 2, 2 * frequency * (1 - frequency), frequency**2])
    sick = healthy * odds ** np.arange(3)
    table = np.stack([healthy, sick / sick.sum()]) / 2
    return np.column_stack([table[:, 0], table[:, 1:].sum(axis=1)]) if size == 2 else table


def draw_people(tables: Sequence[Array], n: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw the records of n people whose genotypes depend on their status alone."""
    status = rng.integers(2, size=n)
    ranks = rng.random((n, len(tables)))
    bounds = [2 * table.cumsum(axis=1)[status, :-1] for table in tables]
    genotypes = [(rank[:, None] >= bound).sum(axis=1) for rank, bound in zip(ranks.T, bounds, strict=True)]
    return np.column_stack([status, *genotypes])


def factors(mechanism: orr.Mechanism, j: int) -> tuple[float, float, float]:
    """Return what a release multiplies differences by: of the status, of the SNP in column j, of both."""
    return mechanism.law.rho({0}), mechanism.law.rho({j}), mechanism.law.rho({0, j})


def released_table(table: ArrayLike, status: float, snp: float, pair: float) -> Array:
    """Return what a release makes of a table on average."""
    even, rows, columns, rest = parts(table)
    return even + status * rows + snp * columns + pair * rest


def parts(table: ArrayLike) -> tuple[Array, Array, Array, Array]:
    """Split a table into an even part, what rows and columns add, and the rest."""
    cells = np.asarray(table, dtype=float)
    even = np.full_like(cells, cells.mean())
    rows = cells.mean(axis=1, keepdims=True) - even
    columns = cells.mean(axis=0) - even
    return even, rows, columns, cells - even - rows - columns


def chi_square(table: ArrayLike) -> float:
    """Return Pearson's statistic; of probabilities, what each person adds to it.

    Examples
    --------
    >>> round(chi_square([[30, 10], [20, 40]]), 4)
    16.6667
    """
    cells = np.asarray(table, dtype=float)
    expected = np.outer(cells.sum(axis=1), cells.sum(axis=0)) / cells.sum()
    return float(((cells - expected) ** 2 / expected).sum())


def signals(mechanism: orr.Mechanism, tables: Tables) -> dict[int, float]:
    """Return what each person adds to the statistic of each SNP after a release, if that SNP acts."""
    return {j: chi_square(released_table(table, *factors(mechanism, j))) for j, table in tables.items()}


def even_flips(answer: Function, total: float, sizes: Sequence[int], releases: int) -> None:
    """Check the flip probabilities of an equal split, attribute by attribute."""
    a, k = np.array(sizes), len(sizes)

    def flips(level: float, values: ArrayLike = a) -> Array:
        return (np.asarray(values) - 1) / (np.exp(level) + np.asarray(values) - 1)

    level = total / releases / k
    slips = [
        (flips(total / k), "The total must pay for all the releases: what they tell adds up."),
        (flips(total / releases), "That gives each attribute all that one release may spend."),
        (flips(level, np.full(k, 2)), "That is right for two values. A SNP with three has two lies."),
        (flips(level) / (a - 1), "That is the chance of one particular lie. All of them are wanted."),
        (np.full(k, level), "Those are the levels. Which flip probabilities belong to them?"),
        (flips(-level), "The sign in the exponent is wrong: a higher level means fewer lies."),
    ]
    expect(*call(answer, total, sizes, releases), flips(level), slips)


def pair_factor(answer: Function, a: int, b: int, q_a: float, q_b: float, both: float) -> None:
    """Check the factor of two attributes that lie together with a given probability."""
    p_a, p_b = 1 - 1 / a, 1 - 1 / b
    apart = (1 - q_a / p_a) * (1 - q_b / p_b)
    slips = [
        (apart, "That is the product of the single factors: right if lies were independent."),
        (1 - q_a - q_b + both, "That is the chance that neither lies. Each lie is divided by its p."),
        (1 - q_a / p_a - q_b / p_b, "The product of the two lies is missing: both happen at once."),
        (1 - q_a * a - q_b * b + both * a * b, "Here p = (a-1)/a is the chance of a lie at random, not 1/a."),
        (
            (both - q_a * q_b) / p_a / p_b,
            "That is by how much the factor exceeds the product of the singles.",
        ),
    ]
    right = 1 - q_a / p_a - q_b / p_b + both / p_a / p_b
    otherwise = "Multiply the brackets out, then take the mean of each term."
    expect(*call(answer, a, b, q_a, q_b, both), right, slips, otherwise=otherwise)


def gain(answer: Function, total: float, sizes: Sequence[int], shares: Sequence[float]) -> None:
    """Check how many times Kronecker's levels the optimum buys."""
    one_by_one = total * np.array(shares) / sum(shares)
    bought = orr.allocate(total, sizes, shares).epsilons
    alike = orr.allocate(total, sizes, [1] * len(sizes)).epsilons
    cheaper = total / orr.optimal(sizes, one_by_one).epsilon
    slips = [
        (cheaper, "That is how much less the optimum asks for Kronecker's levels. What does the total buy?"),
        (alike[0] * len(sizes) / total, "That is for equal shares."),
        (bought.sum(), "That is the sum of the optimum's levels. Compare it with Kronecker's."),
        (bought[0] - one_by_one[0], "That is a difference. How many *times* as high asks for a quotient."),
        (bought[0], "That is the level of the status alone. Compare it with Kronecker's."),
    ]
    expect(*call(answer, total, sizes, shares), bought[0] / one_by_one[0], slips, rtol=1e-4)


def shrink(answer: Function, table: ArrayLike, status: float, snp: float, pair: float) -> None:
    """Check what a release makes of a table on average."""
    cells = np.asarray(table, dtype=float)
    even, rows, columns, rest = parts(cells)
    seen = released_table(cells, status, snp, pair)
    independent = np.outer(cells.sum(axis=1), cells.sum(axis=0)) / cells.sum()
    margins = np.outer(seen.sum(axis=1), seen.sum(axis=0)) / cells.sum()
    slips = [
        (pair * cells, "That multiplies everything. The even part stays as it is."),
        (seen - even, "The even part is missing."),
        (even + pair * (rows + columns + rest), "Rows and columns have factors of their own."),
        (
            even + status * rows + snp * columns + status * snp * rest,
            "The rest has a factor of its own, the pair's.",
        ),
        (even + rows + columns + pair * rest, "The totals of rows and columns shrink as well."),
        (
            even + snp * rows + status * columns + pair * rest,
            "Two factors are exchanged: rows are the status.",
        ),
        (even + status * rows + snp * columns + rest, "The rest is still as large as it was."),
        (margins + pair * (cells - independent), "The rest is what even part, rows and columns leave over."),
    ]
    expect(*call(answer, cells.copy(), status, snp, pair), seen, slips)


def evidence(answer: Function, released: NDArray[np.int64], mechanism: orr.Mechanism) -> None:
    """Check minus the decimal logarithm of each SNP's p-value, from the released table as it is."""
    name = f"evidence(released, mechanism) for sizes {show(mechanism.sizes)}"
    free = mechanism.sizes[1:] - 1
    seen = {j: counts(released, mechanism.sizes, j) for j in range(1, len(mechanism.sizes))}
    statistic = np.array([chi_square(table) for table in seen.values()])
    yates = np.array([stats.chi2_contingency(table).statistic for table in seen.values()])
    with np.errstate(all="ignore"):
        undo = {j: 1 / np.array(factors(mechanism, j)) for j in seen}
        estimated = np.array([chi_square(released_table(table, *undo[j])) for j, table in seen.items()])

    def height(statistic: Array, free: ArrayLike = free) -> Array:
        return -stats.chi2.logsf(statistic, free) / np.log(10)

    right = height(statistic)
    slips = [
        (height(estimated), "Those are estimated tables: their noise is larger than the test expects."),
        (height(statistic, 1), "A SNP with three values leaves two degrees of freedom, not one."),
        (height(yates), "That has a continuity correction, which scipy makes unless told otherwise."),
        (height(statistic, free + 1), "A table of 2 rows and a columns leaves a - 1 degrees of freedom."),
        (statistic, "Those are the statistics. Which p-values belong to them?"),
        (10**-right, "Those are the p-values. Take minus their decimal logarithm."),
        (right * np.log(10), "That is the natural logarithm. Here the decimal one is wanted."),
    ]
    _, given = call(answer, released.copy(), mechanism)
    if any(isinstance(each, float) and each == np.inf for each in np.ravel(np.asarray(given, dtype=object))):
        raise NotYet(
            f"{name} = {show(given)}: a p-value came out as 0. That happens with estimated tables, whose "
            "noise is larger than the test expects, and with 1 - cdf in place of sf."
        )
    expect(name, given, right, slips)


def counts(records: NDArray[np.int64], sizes: ArrayLike, j: int) -> NDArray[np.int64]:
    """Count status (rows) by genotype of the SNP in column j (columns)."""
    a = int(np.asarray(sizes)[j])
    return np.bincount(a * records[:, 0] + records[:, j], minlength=2 * a).reshape(2, a)


def spend(total: float, sizes: Sequence[int], shares: Sequence[float], slack: float) -> orr.Mechanism:
    """Spend a total on a guarded optimum, with levels in proportion to the shares.

    Examples
    --------
    >>> mechanism = spend(2.0, [2, 3], [1, 1], 0.1)
    >>> print(mechanism.epsilons.round(3), mechanism.neighbour_epsilons.round(3))
    [1.037 1.037] [1.141 1.101]
    """
    return _spend(total, tuple(sizes), tuple(shares), slack)


@cache
def _spend(total: float, sizes: tuple[int, ...], shares: tuple[float, ...], slack: float) -> orr.Mechanism:
    """Do so once: a check need not repeat what an answer has tried."""
    return orr.allocate(total, sizes, shares, method=partial(orr.guarded, slack=slack))


def keeps_limits(name: str, given: Any, total: float, sizes: Sequence[int], cap: float) -> None:
    """Say so if an answer is not a mechanism for these attributes, or breaks one of the two limits."""
    if not isinstance(given, orr.Mechanism):
        raise NotYet(f"{name} should be a mechanism, such as orr.allocate returns, and is {show(given)}.")
    if given.sizes.tolist() != list(sizes):
        raise NotYet(f"{name} is for sizes {show(given.sizes)}, and {show(list(sizes))} are asked for.")
    if given.epsilon > total + 1e-6:
        raise NotYet(f"{name} has overall level {show(given.epsilon)}, above the total of {show(total)}.")
    worst = float(given.neighbour_epsilons.max())
    if worst > cap + 1e-6:
        raise NotYet(f"{name} has a neighbour level of {show(worst)}, above the cap of {show(cap)}.")


def guard(
    answer: Function,
    total: float,
    sizes: Sequence[int],
    shares: Sequence[float],
    cap: float,
    slacks: Sequence[float],
) -> None:
    """Check for the highest levels that the slacks allow within both limits."""
    name, given = call(answer, total, sizes, shares, cap, slacks)
    keeps_limits(name, given, total, sizes, cap)
    scales = given.epsilons / shares
    if np.ptp(scales) > 1e-4 * scales.max():
        raise NotYet(f"{name} has levels {show(given.epsilons)}, which are not in proportion to the shares.")
    # More slack buys higher levels, so the first that fits from above is the best.
    fitting = (spend(total, sizes, shares, slack) for slack in sorted(slacks, reverse=True))
    best = next(each for each in fitting if each.neighbour_epsilons.max() <= cap)
    if scales[0] < (1 - 1e-4) * best.epsilons[0] / shares[0]:
        start = f"{name} keeps both limits, but its levels can be higher."
        if given.epsilon < total - 1e-4:
            raise NotYet(f"{start} Its overall level is {show(given.epsilon)}: the total is not spent.")
        raise NotYet(f"{start} A larger one of the slacks keeps the cap, too.")
    print(f"Right: {name}")


def choose(answer: Function, total: float, sizes: Sequence[int], tables: Tables, cap: float) -> None:
    """Check for a release within both limits that keeps every SNP visible."""
    name = f"choose({show(total)}, {show(list(sizes))}, tables, {show(cap)})"
    _, given = call(answer, total, sizes, tables, cap)
    keeps_limits(name, given, total, sizes, cap)
    found = min(signals(given, tables).values())
    best = 0.0
    for status, slack in product((1, 1.5, 2), (0.2, 0.4)):
        other = spend(total, sizes, [status] + [1] * (len(sizes) - 1), slack)
        if other.neighbour_epsilons.max() <= cap:
            best = max(best, min(signals(other, tables).values()))
    if found < 0.9 * best:
        raise NotYet(
            f"{name} keeps both limits, but its smallest signal is {1000 * found:.3g} for 1,000 people. "
            f"The best of the six has {1000 * best:.3g}. Try other slacks, and other shares for the status, "
            "which is part of every table."
        )
    print(f"Right: {name}, smallest signal {1000 * found:.3g} for 1,000 people")
