"""What assignments lend to students: functions that are no task's answer.

In assignment 6 a record is the status of a person (column 0: healthy or sick) and the genotypes at a few
SNPs (the other columns). A table has the status in its rows and the genotypes of one SNP in its columns.
"""

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

import orr
from orr.channel import Channel
from orr.optimum.verify import lower_bound
from orr.problem import Problem

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def bound(y: ArrayLike, sizes: ArrayLike, epsilons: ArrayLike) -> float:
    """Return the overall level below which no symmetric mechanism can go, as weights prove it.

    Examples
    --------
    >>> round(bound([3, 1], [2, 3], [4.0, 1.0]), 6)
    3.100347
    """
    return lower_bound(Problem(sizes, epsilons), np.asarray(y, dtype=float))


def genotype_table(size: int, frequency: float, odds: float) -> Floats:
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


def draw_people(tables: Sequence[Floats], n: int, rng: int | np.random.Generator) -> Integers:
    """Draw the records of n people whose genotypes depend on their status alone, one table a SNP.

    Examples
    --------
    >>> draw_people([genotype_table(3, 0.4, 2.0), genotype_table(2, 0.2, 1.0)], 3, 1)
    array([[0, 0, 1],
           [1, 1, 0],
           [1, 2, 0]])
    """
    generator = np.random.default_rng(rng)
    status = generator.integers(2, size=n)
    ranks = generator.random((n, len(tables)))
    bounds = [2 * table.cumsum(axis=1)[status, :-1] for table in tables]
    genotypes = [(rank[:, None] >= edge).sum(axis=1) for rank, edge in zip(ranks.T, bounds, strict=True)]
    return np.column_stack([status, *genotypes])


def counts(records: ArrayLike, sizes: ArrayLike, j: int) -> Integers:
    """Count status (rows) by genotype of the SNP in column j (columns).

    Examples
    --------
    >>> counts([[0, 2], [1, 2], [0, 2]], [2, 3], 1)
    array([[0, 0, 2],
           [0, 0, 1]])
    """
    values, a = np.asarray(records, dtype=np.int64), int(np.asarray(sizes)[j])
    return np.bincount(a * values[:, 0] + values[:, j], minlength=2 * a).reshape(2, a)


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


def factors(mechanism: orr.Mechanism, j: int) -> tuple[float, float, float]:
    """Return what a release multiplies differences by: of the status, of the SNP in column j, of both."""
    return mechanism.law.rho({0}), mechanism.law.rho({j}), mechanism.law.rho({0, j})


def signals(mechanism: orr.Mechanism, tables: Mapping[int, ArrayLike]) -> dict[int, float]:
    """Return what each person adds to the statistic of each SNP after a release, if that SNP acts.

    Examples
    --------
    >>> mechanism, table = spend(2.0, [2, 3], [1, 1], 0.1), genotype_table(3, 0.4, 2.0)
    >>> print(f"{chi_square(table):.5f} before, {signals(mechanism, {1: table})[1]:.5f} after")
    0.05714 before, 0.00222 after
    """
    return {j: chi_square(Channel.of(mechanism.law, (0, j)).expect(table)) for j, table in tables.items()}


def spend(total: float, sizes: Sequence[int], shares: Sequence[float], slack: float) -> orr.Mechanism:
    """Spend a total on a guarded optimum, with levels in proportion to the shares.

    Examples
    --------
    >>> mechanism = spend(2.0, [2, 3], [1, 1], 0.1)
    >>> print(mechanism.epsilons.round(3), mechanism.neighbour_epsilons.round(3))
    [1.037 1.037] [1.141 1.101]
    """
    return _spend(float(total), tuple(map(int, sizes)), tuple(map(float, shares)), float(slack))


@cache
def _spend(total: float, sizes: tuple[int, ...], shares: tuple[float, ...], slack: float) -> orr.Mechanism:
    """Do so once: a check need not repeat what an answer has tried."""
    return orr.allocate(total, sizes, shares, method="guarded", slack=slack)
