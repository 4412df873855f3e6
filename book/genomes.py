"""The worked example's data and statistic: contingency tables of many SNPs, and chi-square.

A SNP is a place in the genome where people carry one of two variants, its alleles. Its table
counts alleles 0 and 1 by disease status 0 and 1: ``A`` (allele 0, status 0), ``B`` (0, 1),
``C`` (1, 0) and ``D`` (1, 1). In a record the value ``2 * allele + status`` stands for the cell,
so that the values 0 to 3 are ``A`` to ``D``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from orr.arrays import Array, Floats, Integers


def draw_tables(k: int, people: int, rng: int | np.random.Generator | None = None) -> Integers:
    """Draw the tables of k SNPs as Section V.B of Yamamoto and Shibuya (2024) does.

    Of the ``n = 2 * people`` alleles, ``A`` is binomial with probability 1/3; ``B`` takes each
    of the others with probability 1/3, ``C`` each of the rest with 2/5, and ``D`` is what is left.

    Parameters
    ----------
    k : int
        Number of SNPs.
    people : int
        Number of people, each with two alleles.
    rng : None, int or numpy.random.Generator
        Source of the draws; a seed makes them reproducible.

    Returns
    -------
    (k, 4) array of int
        One table a row; every row sums to ``2 * people``.

    Examples
    --------
    >>> tables = draw_tables(3, 1000, rng=1)
    >>> tables.shape, tables.sum(axis=1)
    ((3, 4), array([2000, 2000, 2000]))
    """
    for name, number in (("k", k), ("people", people)):
        whole = isinstance(number, int | np.integer) and not isinstance(number, bool | np.bool_)
        if not (whole and 1 <= number <= 10**9):
            raise ValueError(f"{name} = {number!r} must be an integer between 1 and 1,000,000,000")
    if isinstance(rng, int | np.integer) and rng < 0:
        raise ValueError(f"rng = {rng} must be a seed of at least 0")
    generator, n = np.random.default_rng(rng), 2 * people
    a = generator.binomial(n, 1 / 3, size=k)
    b = generator.binomial(n - a, 1 / 3)
    c = generator.binomial(n - a - b, 2 / 5)
    return np.stack([a, b, c, n - a - b - c], axis=1)


def table_records(tables: ArrayLike, rng: int | np.random.Generator | None = None) -> Integers:
    """List the alleles that tables count, every SNP's in a random order of its own.

    Parameters
    ----------
    tables : (k, 4) array of int
        One table a row, all with the same total.
    rng : None, int or numpy.random.Generator
        Source of the order; a seed makes it reproducible.

    Returns
    -------
    (n, k) array of int
        One record a row, one SNP a column, with the values 0 to 3 for ``A`` to ``D``.

    Examples
    --------
    >>> table_records([[1, 0, 2, 0], [0, 3, 0, 0]], rng=2)
    array([[2, 1],
           [0, 1],
           [2, 1]])
    """
    counts = _check_tables(tables)
    if counts.ndim != 2 or counts.dtype.kind not in "iu" or counts.min(initial=0) < 0:
        raise ValueError("tables must be a (k, 4) array of counts: integers of at least 0")
    if len(set(counts.sum(axis=1).tolist())) != 1:
        raise ValueError("tables must count the same number of alleles in every row")
    columns = [np.repeat(np.arange(4), row) for row in counts]
    return np.random.default_rng(rng).permuted(np.stack(columns, axis=1), axis=0)


def count_tables(records: ArrayLike) -> Integers:
    """Count the values 0 to 3 in every column of the records.

    Parameters
    ----------
    records : (n, k) array of int
        One record a row, one SNP a column.

    Returns
    -------
    (k, 4) array of int
        One table a row.

    Examples
    --------
    >>> count_tables([[2, 1], [0, 1], [2, 1]])
    array([[1, 0, 2, 0],
           [0, 3, 0, 0]])
    """
    values = np.asarray(records)
    if values.ndim != 2 or values.dtype.kind not in "iu" or ((values < 0) | (values > 3)).any():
        raise ValueError("records must be an (n, k) array of the values 0, 1, 2 and 3")
    return np.stack([np.count_nonzero(values == cell, axis=0) for cell in range(4)], axis=1)


def chi_square(tables: ArrayLike) -> Floats:
    """Pearson's statistic for the independence of allele and status.

    ``n (AD - BC)^2 / ((A+B)(C+D)(A+C)(B+D))``, without a continuity correction. Corrected tables
    of a release may have fractions and negative cells. Where a row or column total is not
    positive there is nothing to compare, and the value is 0.

    Parameters
    ----------
    tables : (..., 4) array
        One table along the last axis.

    Returns
    -------
    array
        One value a table, of at least 0.

    Examples
    --------
    >>> tables = [[30, 10, 20, 40], [25, 25, 25, 25], [60, 40, 0, 0]]
    >>> chi_square(tables).round(4)
    array([16.6667,  0.    ,  0.    ])
    """
    a, b, c, d = np.moveaxis(_check_tables(tables).astype(float), -1, 0)
    totals = np.stack([a + b, c + d, a + c, b + d])
    comparable = (totals > 0).all(axis=0)
    product = np.where(comparable, totals, 1).prod(axis=0)
    return np.where(comparable, (a + b + c + d) * (a * d - b * c) ** 2 / product, 0)


def _check_tables(tables: ArrayLike) -> Array:
    """Return the tables as an array with four cells along its last axis."""
    values = np.asarray(tables)
    if values.ndim == 0 or values.shape[-1] != 4:
        raise ValueError(f"tables must have the four cells A, B, C, D last; got shape {values.shape}")
    return values
