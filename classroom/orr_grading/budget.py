"""Assignment 6: spend a budget on a study of genomes, within two limits.

A record is the status of a person (column 0: healthy or sick) and the genotypes at a few SNPs (the
other columns). ``tables`` gives for each SNP, by its column, the probabilities of status (rows) and
genotype (columns) if this is the SNP that acts.
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

import orr
from orr_classroom import tools
from orr_classroom.case import Case
from orr_classroom.mechanisms import ENOUGH, MISSED
from orr_grading import cases
from orr_grading.cases import Slip
from orr_grading.tasks import Task
from orr_release import Release

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Sizes = Sequence[int]
Shares = Sequence[float]

SLACKS = (0.0, 0.1, 0.2, 0.4, 0.6)
SIX = tuple(product((1, 1.5, 2), (0.2, 0.4)))  # share of the status, slack: those that task 7 names
PEOPLE = 2000  # whose records a check holds: enough for a test, few enough for a sheet


def numbers(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a study: attributes, limits, shares, and the SNPs, one of which acts."""
    k = int(rng.integers(4, 6))
    sizes = [2, *rng.permutation([2, 2, 3, 3, 3][:k]).tolist()]
    total = budget(sizes, rng)
    shares = [1, *rng.permutation([2, 2, 1, 1, 1][:k]).tolist()]
    best = int(rng.integers(2, 4))
    below, above = (worst(tools.spend(total, sizes, shares, SLACKS[best + i])) for i in (0, 1))
    return {
        "sizes": sizes, "total": total, "shares": shares, "cap": between(below, above), "slacks": shuffled(SLACKS, best, rng),
        "n": 1000 * int(rng.integers(10, 21)), "frequencies": (rng.integers(15, 41, k) / 100).tolist(),
        "odds": float(rng.integers(16, 21) / 10), "acting": int(rng.integers(1, k + 1)),
        "people_seed": int(rng.integers(10**6)), "pair": pair(rng),
    }  # fmt: skip


def budget(sizes: Sizes, rng: np.random.Generator) -> float:
    """Draw a total that is well below what the whole record is worth."""
    return float(round(rng.uniform(0.65, 0.8) * np.log(sizes).sum(), 1))


def between(below: float, above: float) -> float:
    """Return a cap between two neighbour levels, nearer to the one that breaks it, with few digits."""
    return round(20 * (0.35 * below + 0.65 * above)) / 20


def worst(mechanism: orr.Mechanism) -> float:
    """Return the largest neighbour level."""
    return float(mechanism.neighbour_epsilons.max())


def shuffled(slacks: Sequence[float], best: int, rng: np.random.Generator) -> list[float]:
    """Shuffle slacks so that the best is neither the first nor the last of those that keep the cap."""
    while True:
        order = rng.permutation(len(slacks))
        fitting = order[order <= best]
        if best not in (fitting[0], fitting[-1]):
            return [slacks[i] for i in order]


def acting_tables(sizes: Sizes, frequencies: Sequence[float], odds: float) -> dict[int, Floats]:
    """Return the table of each SNP by its column, supposing that it acts."""
    snps = zip(sizes[1:], frequencies, strict=True)
    return {j: tools.genotype_table(a, f, odds) for j, (a, f) in enumerate(snps, start=1)}


def flips(values: ArrayLike, levels: ArrayLike) -> Floats:
    """Return the probability of a lie for each number of values."""
    lies = np.asarray(values) - 1
    return lies / (np.exp(levels) + lies)


def even_flips(total: float, sizes: Sizes, releases: int) -> Case:
    """Return the case of the flip probabilities of an equal split, attribute by attribute."""
    a, k = np.array(sizes), len(sizes)
    level = total / releases / k
    right, odds = flips(a, level), np.exp(level)
    adds = "The total must pay for all the releases: what they tell adds up."
    slips = [
        Slip(flips(a, total / k), adds),
        Slip(flips(a, total / releases), "That gives each attribute all that one release may spend."),
        Slip(flips(a, total), "That gives all of the total to each attribute, and to each release."),
        Slip(flips(a, total * releases / k), "More releases leave less for each of them, not more."),
        Slip(flips(a, total / releases / (k - 1)), "The status is an attribute, too: all of `sizes` share."),
        Slip(flips(a, total / releases / a.sum()), "The levels are the same for all attributes: divide by how many there are, not by their values."),
        Slip(flips(a, total / releases * a / a.sum()), "All attributes have the same level, however many values they have."),
        Slip(flips(a, total / releases * np.log(a) / np.log(a).sum()), "All attributes have the same level, however many values they have."),
        Slip(flips(a, total / np.sqrt(releases) / k), "Levels of several releases add up in full. The square root belongs to a weaker promise."),
        Slip(flips(np.full(k, 2), level), "That is right for two values. A SNP with three has two lies."),
        Slip(flips(np.full(k, 3), level), "That is right for three values. Each attribute has its own number."),
        Slip(right / (a - 1), "That is the chance of one particular lie. All of them are wanted."),
        Slip(1 - right, "That is the chance of the truth."),
        Slip(np.full(k, level), "Those are the levels. Which flip probabilities belong to them?"),
        Slip(flips(a, -level), "The sign in the exponent is wrong: a higher level means fewer lies."),
        Slip(a / (odds + a), "That counts a lies. One of the a values is the truth."),
        Slip((a - 1) / (odds + a), "The truth and the lies have e^level + a - 1 shares together, not one more."),
        Slip(a / (odds + a - 1), "Above the line stand the lies, and there are a - 1 of them."),
        Slip((a - 1) / (level + a - 1), "That takes the level for the ratio. The ratio is exp(level)."),
        Slip((a - 1) / odds, "That is the ratio of all lies to the truth, and no probability yet."),
        Slip(np.exp(-level) * np.ones(k), "That is how much rarer one lie is than the truth, and no probability yet."),
        Slip(right * a / (a - 1), "That is the chance of a random answer, which may be true by accident. A lie is always false."),
        Slip(flips(a, total / k) / releases, "Divide the level by the number of releases, not the probability."),
        Slip(flips(a, total / releases) / k, "Divide the level by the number of attributes, not the probability."),
        Slip(1 - (1 - flips(a, total / k)) ** releases, "Divide the level by the number of releases: each release has lies of its own."),
        Slip(flips(a, level * np.log(2)), "Levels are natural logarithms: the ratio is e^level, not 2^level."),
        Slip(flips(a, level * np.log(10)), "Levels are natural logarithms: the ratio is e^level, not 10^level."),
        Slip(flips(a, np.log(np.exp(total / k) / releases)), "Divide the level by the number of releases, not e^level."),
    ]  # fmt: skip
    return cases.numbers([total, list(sizes), releases], right, slips, otherwise="Find the level of one attribute in one release first.")  # fmt: skip


def pair_factor(a: int, b: int, q_a: float, q_b: float, both: float) -> Case:
    """Return the case of the factor of two attributes that lie together with a given probability."""
    p_a, p_b = 1 - 1 / a, 1 - 1 / b
    x, y, xy = q_a / p_a, q_b / p_b, both / p_a / p_b
    u, v = 1 - 1 / p_a, 1 - 1 / p_b
    right, apart = 1 - x - y + xy, (1 - x) * (1 - y)
    alone = "q_a counts all lies about the first attribute, those included where the other lies, too."
    divide = "Each B is divided by its p, and B_a B_b by both of them."
    sign = "A pair factor may be negative, as it is here: such a pair comes out reversed. Return it with its sign."
    slips = [
        *(Slip(each, sign) for each in (0.0, -right) if right < 0),
        Slip(apart, "That is the product of the single factors: right if lies were independent."),
        Slip(1 - q_a - q_b + both, "That is the chance that neither lies. Each lie is divided by its p."),
        Slip(1 - x - y, "The product of the two lies is missing: both happen at once."),
        Slip(1 - q_a * a - q_b * b + both * a * b, "Here p = (a-1)/a is the chance of a lie at random, not 1/a."),
        Slip(1 - q_a / (a - 1) - q_b / (b - 1) + both / (a - 1) / (b - 1), "Here p = (a-1)/a is the chance of a lie at random, not a - 1."),
        Slip(1 - q_a / a - q_b / b + both / a / b, "Here p = (a-1)/a is the chance of a lie at random, not a."),
        Slip(xy - x * y, "That is by how much the factor exceeds the product of the singles."),
        Slip(apart + xy, "The product of the brackets' means has the lies of both in it already, as if they were independent."),
        Slip(apart + both - q_a * q_b, "What independence misses is divided by both p: (both - q_a q_b)/(p_a p_b)."),
        Slip(apart - xy + x * y, "What independence misses is added, not subtracted."),
        Slip(1 - q_a * p_a - q_b * p_b + both * p_a * p_b, "Divide each lie by its p, in place of multiplying."),
        Slip(1 - x - y + both, divide), Slip(1 - x - y + both / p_a, divide), Slip(1 - x - y + both / p_b, divide),
        Slip(1 - q_a - q_b + xy, divide),
        Slip(1 - x - y - xy, "Minus times minus is plus: the product of the two lies is added."),
        Slip(1 + x + y + xy, "Each lie is subtracted: 1 - B/p."),
        Slip(1 - q_a / p_b - q_b / p_a + xy, "Two p are exchanged: each attribute has its own."),
        Slip(1 - 2 * q_a - 2 * q_b + 4 * both, "That is right for two values, where p = 1/2.", "", (a, b) != (2, 2)),
        Slip(1 - (q_a + both) / p_a - (q_b + both) / p_b + xy, alone),
        Slip(1 - (q_a - both) / p_a - (q_b - both) / p_b + xy, alone),
        Slip(1 - q_a - q_b - both + q_a * u + q_b * v + both * u * v, alone),
        Slip(1 - q_a - q_b + q_a * u + q_b * v + both * u * v, alone),
        Slip(xy, "That is the mean of the last term. The brackets have three more."),
        Slip(both, "That is the chance that both lie. Multiply the brackets out first."),
        Slip(1 - xy, "Multiply the brackets out: there are four terms."),
    ]  # fmt: skip
    return cases.numbers([a, b, q_a, q_b, both], right, slips, otherwise="Multiply the brackets out, then take the mean of each term.")  # fmt: skip


def gain(total: float, sizes: Sizes, shares: Shares) -> Case:
    """Return the case of how many times Kronecker's levels the optimum buys."""
    k, part = len(sizes), np.array(shares) / sum(shares)
    one = total * part
    bought = orr.allocate(total, sizes, shares)
    alike = orr.allocate(total, sizes, [1] * k).epsilons
    cheap, right = orr.optimal(sizes, one).epsilon, float(bought.epsilons[0] / one[0])
    q, q_one = flips(sizes, bought.epsilons), flips(sizes, one)
    asks = "That is how much less the optimum asks for Kronecker's levels. What does the total buy?"
    proportion = "Kronecker's levels are in proportion to the shares, too."
    slips = [
        Slip(total / cheap, asks), Slip(cheap / total, asks),
        Slip(total - cheap, asks),
        Slip(alike[0] * k / total, "That is for equal shares."),
        Slip(right - 1, "That is by how much they are higher. How many *times* as high is one more."),
        Slip(100 * (right - 1), "That is in percent, and how much higher. How many *times* as high is asked."),
        Slip(1.0, "That compares overall levels. Both mechanisms spend the same total: compare attribute levels."),
        Slip(bought.epsilons.sum(), "That is the sum of the optimum's levels. Compare it with Kronecker's."),
        Slip(bought.epsilons.sum() / sum(shares), "That is the optimum's level for a share of 1. Compare it with Kronecker's."),
        Slip(bought.epsilons[0] - one[0], "That is a difference. How many *times* as high asks for a quotient."),
        Slip(bought.epsilons.sum() - total, "That is a difference. How many *times* as high asks for a quotient."),
        Slip(bought.epsilons[0], "That is the level of the status alone. Compare it with Kronecker's."),
        Slip(bought.epsilons[0] * k / total, proportion), Slip(bought.epsilons.max() * k / total, proportion),
        Slip(bought.epsilons[0] / total, "Kronecker gives the status only its share of the total."),
        Slip(bought.epsilons[-1] / one[0], "Compare one attribute with itself: the last with the last.", "", False),
        Slip(np.exp(bought.epsilons[0] - one[0]), "Those are quotients of e^level. Compare the levels themselves.", "", False),
        Slip(q_one[0] / q[0], "That compares flip probabilities. Compare levels."),
        Slip(q[0] / q_one[0], "That compares flip probabilities. Compare levels."),
        Slip(worst(bought) / one.max(), "That compares neighbour levels. Compare attribute levels, `epsilons`."),
        *heuristic(total, sizes, shares, one),
    ]  # fmt: skip
    return cases.numbers(
        [total, list(sizes), list(shares)], right, slips, rtol=1e-4,
        otherwise="Spend the total twice in the same shares, by Kronecker and by the optimum, and divide levels.",
    )  # fmt: skip


def heuristic(total: float, sizes: Sizes, shares: Shares, one: Floats) -> list[Slip]:
    """Return what the heuristic buys, where it can spend the total, and the guarded optimum."""
    asked = "That is the heuristic, which changes the levels that it is asked for. Take the optimum."
    guarded = "That is a guarded optimum. The plain one has no second limit, and buys more."
    found = [Slip(tools.spend(total, sizes, shares, s).epsilons[0] / one[0], guarded) for s in (0.1, 0.2)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # it may buy less than Kronecker
        try:
            made = orr.allocate(total, sizes, shares, method="inductive")
        except ValueError:
            return found
    levels = made.epsilons
    values = [
        levels.sum() / total,
        levels[0] / one[0],
        (levels / one).mean(),
        made.asked.epsilons.sum() / total,
    ]
    return found + [Slip(each, asked, "", False) for each in values]


def parts(table: ArrayLike) -> tuple[Floats, Floats, Floats, Floats]:
    """Split a table into an even part, what rows and columns add, and the rest."""
    cells = np.asarray(table, dtype=float)
    even = np.full_like(cells, cells.mean())
    rows = cells.mean(axis=1, keepdims=True) - even
    columns = cells.mean(axis=0) - even
    return even, rows, columns, cells - even - rows - columns


def released_table(table: ArrayLike, status: float, snp: float, pair: float) -> Floats:
    """Return what a release makes of a table on average."""
    even, rows, columns, rest = parts(table)
    return even + status * rows + snp * columns + pair * rest


def shrink(table: ArrayLike, status: float, snp: float, pair: float) -> Case:
    """Return the case of what a release makes of a table on average."""
    cells = np.asarray(table, dtype=float)
    even, rows, columns, rest = parts(cells)
    right = released_table(cells, status, snp, pair)
    independent = np.outer(cells.sum(axis=1), cells.sum(axis=0)) / cells.sum()
    margins = np.outer(right.sum(axis=1), right.sum(axis=0)) / cells.sum()
    a, own = cells.shape[1], "Rows and columns have factors of their own."
    over = "The rest is what even part, rows and columns leave over: subtract all three."
    unit = "The even part is the mean of the table, whatever that adds up to."
    added = "Rows and columns are what they *add* to the mean of the table: subtract it from theirs."
    slips = [
        Slip(cells, "That is the table as it was: nothing has shrunk."),
        Slip(pair * cells, "That multiplies everything. The even part stays as it is."),
        Slip(right - even, "The even part is missing."),
        Slip(right - even + 1 / cells.size, unit),
        Slip(right + (1 - status - snp + pair) * (1 / cells.size - even), unit),
        Slip(even + pair * (rows + columns + rest), own),
        Slip(even + status * (rows + columns + rest), own), Slip(even + snp * (rows + columns + rest), own),
        Slip(even + status * snp * (rows + columns + rest), own),
        Slip(even + status * rows + snp * columns + status * snp * rest, "The rest has a factor of its own, the pair's."),
        Slip(even + rows + columns + pair * rest, "The totals of rows and columns shrink as well."),
        Slip(even + snp * rows + status * columns + pair * rest, "Two factors are exchanged: rows are the status."),
        Slip(even + status * rows + snp * columns + rest, "The rest is still as large as it was."),
        Slip(even + status * rows + snp * columns, "The rest is missing: it shrinks by the pair's factor, and does not vanish."),
        Slip(even + pair * rows + snp * columns + status * rest, "The factors of the status and of the pair are exchanged."),
        Slip(even + status * rows + pair * columns + snp * rest, "The factors of the SNP and of the pair are exchanged."),
        Slip(even + snp * rows + pair * columns + status * rest, "The factors are in another order: status for rows, SNP for columns, pair for the rest."),
        Slip(even + pair * rows + status * columns + snp * rest, "The factors are in another order: status for rows, SNP for columns, pair for the rest."),
        Slip(pair * rest, "That is the rest alone. The other three parts belong to the table, too."),
        Slip(released_table(cells, *(1 / np.array([status, snp, pair]))), "That divides by the factors, which undoes a release. A release multiplies."),
        Slip(margins + pair * (cells - independent), over),
        Slip(even + status * rows + snp * columns + pair * (cells - independent), over),
        Slip(even + status * rows + snp * columns + pair * (cells - even), over),
        Slip(even + status * rows + snp * columns + pair * (cells - rows - columns), over),
        Slip(even + status * rows + snp * columns + pair * cells, over),
        Slip(even + status * (rows + even) + snp * (columns + even) + pair * rest, added),
        Slip(even + status * (rows + even) + snp * (columns + even) + pair * (rest - 2 * even), added),
        Slip(even + status * a * rows + snp * 2 * columns + pair * rest, "Take means of rows and columns, not sums."),
        Slip(status * snp * pair * cells, "Each factor has its own part of the table, and the even part has none."),
        Slip(even * (1 + status + snp + pair), "Split the table first: even part, rows, columns, rest."),
        *square(cells, status, snp, pair),
    ]  # fmt: skip
    return cases.numbers([cells, status, snp, pair], right, slips, otherwise="Compute the four parts, and look whether they add up to the table.")  # fmt: skip


def square(cells: Floats, status: float, snp: float, pair: float) -> list[Slip]:
    """Return the slips that only a table with as many rows as columns lets pass."""
    if cells.shape[0] != cells.shape[1]:
        return []
    even, rows, columns, rest = parts(cells)
    flat = rows[:, 0] - even[:, 0]
    exchanged = "Rows and columns are exchanged: the mean of a row is taken over its columns, axis=1."
    return [
        Slip(even + status * flat + snp * columns + pair * (cells - even - flat - columns), "The means of rows must stand in a column: keepdims=True.", "", False),
        Slip(even + status * columns + snp * rows + pair * rest, exchanged, "", False),
    ]  # fmt: skip


def evidence(released: Integers, mechanism: orr.Mechanism) -> Case:
    """Return the case of minus the decimal logarithm of each SNP's p-value, from the released tables."""
    sizes = mechanism.sizes
    free, columns = sizes[1:] - 1, range(1, len(sizes))
    seen = {j: tools.counts(released, sizes, j) for j in columns}
    statistic = each(tools.chi_square, seen)
    right = height(statistic, free)
    with np.errstate(all="ignore"):
        slips = [*other_tests(seen, statistic, free), *estimated(mechanism, seen)]
    own = [Release(mechanism).estimate(released, [0, j]).independence_test().pvalue for j in columns]
    whole = np.append(height(np.array([float(len(released))]), 1), right)
    slips += [
        Slip(height(statistic, 1), "A SNP with three values leaves two degrees of freedom, not one."),
        Slip(height(statistic, free + 1), "A table of 2 rows and a columns leaves a - 1 degrees of freedom."),
        Slip(height(statistic, 2 * free + 1), "A table of 2 rows and a columns leaves a - 1 degrees of freedom."),
        Slip(height(statistic, 2), "Each SNP has its own degrees of freedom: a - 1."),
        Slip(statistic, "Those are the statistics. Which p-values belong to them?"),
        Slip(10**-right, "Those are the p-values. Take minus their decimal logarithm."),
        Slip(1 - 10**-right, "Those are cdf, one minus the p-values. Take sf, then minus the decimal logarithm."),
        Slip(-np.log10(1 - 10**-right), "Those come from cdf, one minus the p-value. Take sf."),
        Slip(right * np.log(10), "That is the natural logarithm. Here the decimal one is wanted."),
        Slip(right * np.log2(10), "That is the logarithm to base 2. Here the decimal one is wanted."),
        Slip(-right, "The sign is the wrong way round: a small p-value stands high."),
        Slip(np.maximum(right - np.log10(len(free)), 0), "That has a correction for several tests in it. The plain p-values are wanted."),
        Slip(right - np.log10(len(free)), "That has a correction for several tests in it. The plain p-values are wanted."),
        Slip(right - np.log10(2), "Those p-values are doubled. Pearson's statistic is large in one direction only."),
        Slip(right + np.log10(2), "Those p-values are halved. Pearson's statistic has no direction to choose."),
        Slip(whole[:-1], "The first of these tests the status with itself. SNPs begin in column 1."),
    ]  # fmt: skip
    return cases.numbers(
        [released, mechanism], right, slips, also=[(-np.log10(own), PACKAGE)], otherwise="Count the released table of each SNP, and test it.",
        shown="evidence(released, mechanism)",
        infinite="A p-value came out as 0. That happens with estimated tables, whose noise is larger than the "
        "test expects, and if the status is tested with itself.",
    )  # fmt: skip


PACKAGE = (
    "This is the package's own test of the estimated table, which allows for its noise. Here Pearson's test of "
    "the released table would do: healthy and sick are equally likely, and the status is an attribute of its own."
)


def each(test: Callable[[Any], float], tables: Mapping[int, ArrayLike]) -> Floats:
    """Return a statistic of every table."""
    return np.array([test(table) for table in tables.values()])


def height(statistic: Floats, free: ArrayLike) -> Floats:
    """Return minus the decimal logarithm of p-values."""
    return np.asarray(-stats.chi2.logsf(statistic, free) / np.log(10))


def other_tests(seen: Mapping[int, Integers], statistic: Floats, free: Integers) -> list[Slip]:
    """Return what other tests of the released tables give."""
    n = seen[1].sum()

    def against(expected: Callable[[Floats], Floats]) -> Callable[[Any], float]:
        return lambda table: float(((table - expected(table)) ** 2 / expected(table)).sum())

    def trend(table: Floats) -> float:
        x = np.arange(table.shape[1])
        sick, mean = table[1] @ x / table[1].sum(), table.sum(axis=0) @ x / n
        spread = table.sum(axis=0) @ (x - mean) ** 2 / n
        return float((sick - mean) ** 2 / spread * n * table[1].sum() / table[0].sum())

    def likelihood(table: Floats) -> float:
        return float(stats.chi2_contingency(table, correction=False, lambda_="log-likelihood").statistic)

    return [
        Slip(height(each(lambda t: stats.chi2_contingency(t).statistic, seen), free), "That has a continuity correction, which scipy makes unless told otherwise."),
        Slip(height(each(likelihood, seen), free), "That is the likelihood-ratio test. Pearson's is asked for."),
        Slip(height(each(trend, seen), 1), "That is a test for a trend. Pearson's test treats the genotypes as mere names."),
        Slip(height(statistic / n, free), "Pearson's test needs counts, not shares: n is missing."),
        Slip(height(each(against(lambda t: np.full(t.shape, t.mean())), seen), free), "That asks whether all cells are alike. The question is whether the rows are."),
        Slip(height(each(lambda t: against(lambda _: t[0])(t[1]), seen), free), "The healthy are counted, too, and their counts have noise: expect what both rows together suggest."),
        Slip(height(np.sqrt(statistic), free), "That takes the root of the statistic. Its square is what is distributed as chi-square."),
    ]  # fmt: skip


def estimated(mechanism: orr.Mechanism, seen: Mapping[int, Integers]) -> list[Slip]:
    """Return what tests of the estimated tables give, scaled ones among them."""
    free = mechanism.sizes[1:] - 1
    undo = {j: np.array(tools.factors(mechanism, j)) for j in seen}
    tables = {j: released_table(table, *(1 / undo[j])) for j, table in seen.items()}
    plain, pairs = each(tools.chi_square, tables), np.array([factor[2] for factor in undo.values()])
    singles = np.array([factor[0] * factor[1] for factor in undo.values()])
    noisy = "Those are estimated tables: their noise is larger than the test expects."
    scaled = (
        "That scales the test of the estimated table, as chapter 8 does where allele and status are one "
        "attribute. Here the status is an attribute of its own, and healthy and sick are equally likely: "
        "the released table can be tested as it is."
    )
    clipped = {j: np.maximum(table, 1e-9) for j, table in tables.items()}
    return [
        Slip(height(plain, free), noisy),
        Slip(height(plain, 1), noisy),
        Slip(height(each(tools.chi_square, clipped), free), noisy, "", False),
        *(Slip(height(plain * factor, free), scaled, "", False) for factor in (pairs**2, np.abs(pairs), singles**2, singles)),
        Slip(height(plain / inflation(tables, pairs), free), scaled, "", False),
    ]  # fmt: skip


def inflation(tables: Mapping[int, Floats], pairs: Floats) -> Floats:
    """Return what chapter 8 would divide by, with the factor of the pair in the place of rho."""
    shares = np.array([[t[:, 1:].sum(), t[1].sum()] for t in tables.values()]) / tables[1].sum()
    b, c = 1 / (2 * shares * (1 - shares)).T - 1
    sigma = 1 - pairs
    return np.asarray((pairs + sigma * b * c - sigma**2 * (b - 1) * (c - 1) / 4) / pairs**2)


def study(
    sizes: Sizes,
    frequencies: Sequence[float],
    odds: float,
    acting: int,
    mechanism: orr.Mechanism,
    seed: int,
    n: int = PEOPLE,
) -> tuple[Integers, orr.Mechanism]:
    """Release the records of a few people by a mechanism."""
    snps = enumerate(zip(sizes[1:], frequencies, strict=True), start=1)
    truth = [tools.genotype_table(a, f, odds if j == acting else 1.0) for j, (a, f) in snps]
    people = tools.draw_people(truth, n, seed)
    return mechanism.perturb(people, rng=seed + 1).astype(np.int16), mechanism


def guard(total: float, sizes: Sizes, shares: Shares, cap: float, slacks: Sequence[float]) -> Case:
    """Return the case of the highest levels that the slacks allow within both limits."""
    tried = [tools.spend(total, sizes, shares, slack) for slack in slacks]
    scales = np.array([float(each.epsilons[0] / shares[0]) for each in tried])
    reach = np.array([worst(each) for each in tried])
    fits = reach <= cap
    tempting = tried[int(scales.argmax())]
    apart = np.diff(np.sort(scales)).min() > 10 * MISSED * scales.max()
    spent = np.array([each.epsilon for each in tried])[fits]  # all the same, but for rounding
    misled = spent.argmax() != scales[fits].argmax() and not fits[np.abs(reach - cap).argmin()]
    return Case(
        "mechanism",
        {
            "arguments": [total, list(sizes), list(shares), cap, list(slacks)],
            "shown": cases.written("guard", total, list(sizes), list(shares), cap, list(slacks)),
            "sizes": list(sizes), "total": total, "cap": cap, "shares": np.array(shares, dtype=float),
            "scale": float(scales[fits].max()), "slacks": list(zip(slacks, scales.tolist(), strict=True)),
            "meaning": "One more promise, to those who know the rest of a record, costs a part of the levels.",
            "instructive": bool(fits.sum() > 2 and scales[fits].argmax() not in (0, fits.sum() - 1) and apart
                                and misled and np.ptp(shares) and not fits.all() and tempting.epsilons.max() < cap),
        },
    )  # fmt: skip


def choose(total: float, sizes: Sizes, tables: Mapping[int, Floats], cap: float) -> Case:
    """Return the case of a release within both limits that keeps every SNP visible."""
    six = [tools.spend(total, sizes, [status] + [1] * (len(sizes) - 1), slack) for status, slack in SIX]
    least = np.array([min(tools.signals(each, tables).values()) for each in six])
    fits = np.array([worst(each) <= cap for each in six])
    best = float(least[fits].max(initial=0))
    return Case(
        "mechanism",
        {
            "arguments": [total, list(sizes), dict(tables), cap],
            "shown": f"choose({total:g}, {list(sizes)}, tables, {cap:g})",
            "sizes": list(sizes), "total": total, "cap": cap, "tables": dict(tables), "signal": best,
            "meaning": "What a study can find is settled here, before anybody has seen the data.",
            "instructive": bool(not fits[least.argmax()] and best > 0 and least[0] < ENOUGH * best),
        },
    )  # fmt: skip


def snps(rng: np.random.Generator, k: int) -> tuple[list[int], list[float], float]:
    """Draw the sizes of a record, frequencies of alleles, and odds."""
    sizes = [2, *rng.permutation([2, 3, int(rng.integers(2, 4))][:k]).tolist()]
    return sizes, (rng.integers(15, 41, k) / 100).tolist(), float(rng.integers(15, 26) / 10)


def pair(rng: np.random.Generator) -> tuple[int, int, float, float, float]:
    """Draw sizes of two attributes, and how often each lies, and both: more often than by accident.

    The numbers are odd enough that no slips coincide.
    """
    a, b = rng.permutation(np.arange(3, 8))[:2].tolist()
    q_a, q_b = (rng.permutation(np.arange(1501, 4500))[:2] / 10_000).tolist()
    both = rng.integers(round(12_000 * q_a * q_b), round(9000 * min(q_a, q_b)))
    return a, b, q_a, q_b, float(both) / 10_000


def reversed_pair(rng: np.random.Generator) -> tuple[int, int, float, float, float]:
    """Draw two attributes that lie so often, and so seldom together, that their factor is negative."""
    while True:
        a, b = rng.permutation(np.arange(3, 8))[:2].tolist()
        q_a, q_b = (rng.permutation(np.arange(3501, 5400))[:2] / 10_000).tolist()
        both = float(rng.integers(851, 1350) / 10_000)  # more than q_a + q_b - 1, as it must be
        p_a, p_b = 1 - 1 / a, 1 - 1 / b
        if 1 - q_a / p_a - q_b / p_b + both / p_a / p_b < -0.02:  # far enough from 0, which is a slip
            return a, b, q_a, q_b, both


def drawn_shares(rng: np.random.Generator) -> tuple[float, list[int], list[int]]:
    """Draw a total, sizes and shares of three or four attributes."""
    k = int(rng.integers(3, 5))
    sizes = rng.integers(2, 5, k).tolist()
    return budget(sizes, rng), sizes, rng.permutation([1, 2, 3, 1][:k]).tolist()


def drawn_table(rng: np.random.Generator) -> tuple[Floats, float, float, float]:
    """Draw a table of counts and three factors, the last perhaps negative, perhaps all above 1."""
    table = rng.integers(20, 600, (2, int(rng.integers(2, 5)))).astype(float)
    factors = rng.permutation(np.arange(15, 95))[:3] / 100
    if rng.random() < 0.3:
        return table, *(1 / factors).round(3).tolist()
    return table, float(factors[0]), float(factors[1]), float(factors[2] * rng.choice([-0.3, 0.6]))


def drawn_study(rng: np.random.Generator) -> tuple[Integers, orr.Mechanism]:
    """Draw people and a mechanism, and release their records."""
    sizes, frequencies, odds = snps(rng, 3)
    total, slack = 1.3 * budget(sizes, rng), float(rng.choice([0.0, 0.3]))
    mechanism = tools.spend(total, sizes, [1] * 4, slack)
    return study(sizes, frequencies, odds, int(rng.integers(1, 4)), mechanism, int(rng.integers(10**6)))


def drawn_guard(rng: np.random.Generator) -> tuple[float, list[int], list[int], float, list[float]]:
    """Draw attributes and slacks, and a cap that some of these keep."""
    sizes, slacks, best = [2, *rng.integers(2, 5, 2).tolist()], [0.05, 0.15, 0.3, 0.6], 2
    shares, total = [1, *rng.permutation([1, 2]).tolist()], budget(sizes, rng)
    below, above = (worst(tools.spend(total, sizes, shares, slacks[best + i])) for i in (0, 1))
    return total, sizes, shares, between(below, above), shuffled(slacks, best, rng)


def drawn_choose(rng: np.random.Generator) -> tuple[float, list[int], dict[int, Floats], float]:
    """Draw SNPs, and a cap that the most generous mechanism breaks."""
    sizes, frequencies, odds = snps(rng, 3)
    total = budget(sizes, rng)
    six = sorted(worst(tools.spend(total, sizes, [status, 1, 1, 1], slack)) for status, slack in SIX)
    return total, sizes, acting_tables(sizes, frequencies, odds), float(round((six[-2] + six[-1]) / 2, 2))


def class_tables(given: Mapping[str, Any]) -> dict[int, Floats]:
    """Return the tables of the class."""
    return acting_tables(given["sizes"], given["frequencies"], given["odds"])


def class_counts(given: Mapping[str, Any]) -> tuple[Floats, float, float, float]:
    """Return counts of a thousand people, more of them healthy, and factors."""
    table = class_tables(given)[1 + given["sizes"][1:].index(3)]
    return np.round(1000 * table * [[1.4], [0.6]]), 0.62, 0.45, 0.37


def class_study(given: Mapping[str, Any]) -> tuple[Integers, orr.Mechanism]:
    """Return a release of some people by the mechanism of equal shares."""
    sizes = given["sizes"]
    mechanism = tools.spend(given["total"], sizes, [1] * len(sizes), 0.2)
    about = sizes, given["frequencies"], given["odds"], given["acting"]
    return study(*about, mechanism, given["people_seed"] + 1)


def small_study() -> tuple[Integers, orr.Mechanism]:
    """Return a release of a few people with two SNPs, the same for every class."""
    sizes = [2, 3, 2]
    return study(sizes, [0.3, 0.2], 2.0, 1, tools.spend(4.0, sizes, [1, 1, 1], 0.2), 1, 400)


TASKS = {
    "even-flips": Task(
        even_flips,
        lambda given: [(given["total"], given["sizes"], 2), (given["total"], given["sizes"], 1)],
        lambda rng: (float(rng.integers(10, 90) / 10), rng.permutation([2, 3, *rng.integers(2, 7, int(rng.choice([1, 5])))]).tolist(), int(rng.integers(2, 6))),
        points=2,
        meaning="With many attributes and releases, next to nothing is left for each: that is what the rest is about.",
        more="Level of one attribute in one release: total / releases / number of attributes. Then assignment 1, task 1.",
    ),
    "pair-factor": Task(
        pair_factor,
        lambda given: [given["pair"], (2, 3, 0.2, 0.35, 0.15), (4, 3, 0.5, 0.4, 0.08)],
        reversed_pair,
        points=2,
        meaning="Lies that keep company leave a pair more visible than independent ones.",
        more="Four terms: 1, -B_a/p_a, -B_b/p_b and +B_a B_b/(p_a p_b). The mean of B_a B_b is `both`.",
    ),
    "gain": Task(
        gain,
        lambda given: [(given["total"], given["sizes"], given["shares"]), (2.0, [2, 3], [1, 2])],
        drawn_shares,
        points=3,
        meaning="For the same promise about the whole record, every answer becomes more accurate.",
        more="orr.allocate(total, sizes, shares).epsilons are the optimum's levels; Kronecker's add up to the total.",
    ),
    "shrink": Task(
        shrink,
        lambda given: [class_counts(given), (class_tables(given)[1], 0.62, 0.45, 0.37)],
        drawn_table,
        points=4,
        meaning="All that a release does to a table of two attributes is in three numbers.",
        more="rows = table.mean(axis=1, keepdims=True) - even. The columns likewise, and rest = table - even - rows - columns.",
    ),
    "evidence": Task(
        evidence,
        lambda given: [class_study(given), small_study()],
        drawn_study,
        points=3,
        meaning="A study can be done on records of which not one can be believed.",
        more="stats.chi2_contingency(table, correction=False) tests one table; tools.counts(released, sizes, j) counts it.",
    ),
    "guard": Task(
        guard,
        lambda given: [
            tuple(given[name] for name in ("total", "sizes", "shares", "cap", "slacks")),
            (4.0, [2, 3, 3], [2, 1, 1], 3.5, [0.2, 0.3, 0.1]),
        ],
        drawn_guard,
        points=4,
        meaning="",  # a case has its own
        more="Three steps: one mechanism for each slack, those of them that keep the cap, the best of these. Which numbers of a mechanism does the cap limit, and by which do you tell the best?",
        worth=2,
    ),
    "choose": Task(
        choose,
        lambda given: [
            (given["total"], given["sizes"], class_tables(given), given["cap"]),
            (2.5, [2, 3, 2], acting_tables([2, 3, 2], [0.3, 0.2], 2.0), 1.8),
        ],
        drawn_choose,
        points=4,
        meaning="",  # a case has its own
        more="Two loops make the six. Ask each of them two things: does it keep the cap, and which of its signals suffers most? Remember the best so far.",
        worth=2,
    ),
}  # fmt: skip
