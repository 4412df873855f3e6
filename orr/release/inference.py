"""Whether two attributes are independent, and whether rows were filtered (chapter release).

A release in which flips keep company makes associations out of nothing, so that the usual chi-square test of
the released table rejects independence where it holds. Here the test is of the *estimated* table: with ``p``
the unbiased proportions in a group of share ``g``, and ``a`` and ``b`` what they say of rows and columns,

    theta_ij = p_ij - a_i p_.j - p_i. b_j + g a_i b_j

is ``p_ij - p_i. p_.j / g``. Where the two are independent in the group, its mean is the product of the errors
of ``a`` and ``b``, so that ``theta' C^+ theta`` is nearly chi-square, where ``C`` is the covariance of theta
for fixed ``a`` and ``b``. Unless records have different weights, ``C`` is taken as it would be under
independence (a score test): for Kronecker this is Pearson's test of the released table. Elsewhere ``a`` and
``b`` are first moved to the nearest proportions: those estimated of a faint attribute may be anything.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import chdtrc

from orr.arrays import Array, Floats
from orr.release.channel import Part, dense_shape, ending
from orr.release.pooled import Pooled

NOISE = 1e-14  # variance, of what there would be if records were where they tell most: less is rounding noise
RANK = 1e-10  # of the largest eigenvalue of a correlation matrix: less is rounding noise
SAME = 1e-9  # relative difference of numbers that are the same: weights, factors and products of factors
CHANCE = 1e-9  # of a warning about rows that nobody filtered


@dataclass(frozen=True)
class IndependenceTest:
    """Outcome of a test that two attributes are independent in the population.

    Attributes
    ----------
    statistic : float
        Nearly chi-square distributed if they are.
    df : int
        Degrees of freedom: ``(r - 1) (c - 1)``, less what these records cannot tell.
    pvalue : float
        Chance of a statistic at least as large, if they are independent.

    Examples
    --------
    >>> import orr
    >>> mechanism = orr.optimal([2, 3], [1.0, 1.0])
    >>> records = np.random.default_rng(1).integers(0, [2, 3], (5000, 2))
    >>> mechanism.estimate(mechanism.perturb(records, rng=2), [0, 1]).independence_test()
    IndependenceTest(statistic=0.1927, df=2, pvalue=0.9081)
    """

    statistic: float
    df: int
    pvalue: float

    def __repr__(self) -> str:
        return f"IndependenceTest(statistic={self.statistic:.4g}, df={self.df}, pvalue={self.pvalue:.4g})"


def independence(pooled: Pooled, given: tuple[int, ...]) -> IndependenceTest:
    """Test whether the first two axes of a table are independent, where the others have the codes given."""
    if len(pooled.shape) - len(given) != 2:
        raise ValueError(f"independence is tested for 2 attributes, got {len(pooled.shape) - len(given)}")
    if not pooled.total > 0:
        raise ValueError("there are no records, or only of weight 0: nothing can be tested")
    dense_shape(pooled.shape, given)
    parts, factors = _relative(pooled)
    p = sum(share / part.seen.sum() * part.channel.invert(part.seen) for part, share in parts)
    group, margins = ending(given), _margins(p[ending(given)], parts, factors)
    null = p.copy()
    null[group] = p[group].sum() * np.outer(*margins)
    cells = math.prod(a - 1 for a in p[group].shape)
    covariance, noise = np.zeros((cells, cells)), 0.0
    for part, share in parts:
        influence = _theta(part.channel.inverse(given).reshape(*p[group].shape, -1), *margins)
        squares = share**2 * _squares(part, null).ravel()
        covariance += (influence * squares) @ influence.T
        noise += float(np.square(influence).max() * squares.sum())
    return _quadratic(_theta(p[group][..., None], *margins).ravel(), covariance, NOISE * noise)


def _relative(pooled: Pooled) -> tuple[list[tuple[Part, float]], list[float]]:
    """Take the two attributes as shrunk by what the first form tells of each of them alone.

    This shrinks rows and columns of theta by these factors, and so changes nothing; but faint attributes keep
    their digits, since for one form no more than ``rho_ij / (rho_i rho_j)`` is left to undo.
    """
    first = pooled.answered[0][0].channel
    factors = {i: first.rho[i,] for i in first.attributes[:2]}
    parts = [
        (replace(part, channel=part.channel.relative(factors)), share) for part, share in pooled.answered
    ]
    return parts, list(factors.values())


def _margins(group: Floats, parts: list[tuple[Part, float]], factors: list[float]) -> list[Floats]:
    """Find what a group's table says of rows and columns: proportions, unless nothing is left to undo."""
    share = group.sum()
    if not share > 0:
        raise ValueError(
            f"the group given has an estimated share of {share:.3g}: "
            "too little is known of it to test anything"
        )
    margins = [group.sum(axis=1) / share, group.sum(axis=0) / share]
    if all(abs(r - 1) < SAME for part, _ in parts for r in part.channel.rho.values()):
        return margins
    found = []
    for margin, factor in zip(margins, factors, strict=True):
        even = (1 - factor) / len(margin)  # what a faint attribute is shrunk towards
        found.append(even + factor * _proportions((margin - even) / factor))
    return found


def _proportions(values: Floats) -> Floats:
    """Return the proportions nearest to some values of sum 1: as much less of each, but not below 0."""
    down = np.sort(values)[::-1]
    less = (np.cumsum(down) - 1) / np.arange(1, len(down) + 1)
    return np.maximum(values - less[np.count_nonzero(down > less) - 1], 0)


def _theta(p: Floats, a: Floats, b: Floats) -> Floats:
    """Measure departures from independence, a column each, but for the last row and column, which follow."""
    rows, columns = p.sum(axis=1), p.sum(axis=0)
    theta = p - a[:, None, None] * columns - rows[:, None] * b[:, None]
    theta += np.outer(a, b)[..., None] * rows.sum(axis=0)
    return theta[:-1, :-1].reshape(-1, p.shape[-1])


def _squares(part: Part, null: Floats) -> Floats:
    """Return squared weights by released cell, over the form's weight squared: as expected, if all are equal.

    What the null table expects less than nothing of, by noise, it is taken to expect nothing of.
    """
    total, own = part.seen.sum(), part.squares.sum()
    if np.allclose(part.squares * total, part.seen * own, rtol=SAME, atol=0):
        return np.maximum(part.channel.expect(null), 0) * own / total**2
    return part.squares / total**2


def _quadratic(theta: Floats, covariance: Floats, noise: float) -> IndependenceTest:
    """Measure theta in units of its covariance, in the directions in which it can vary."""
    scale = np.sqrt(np.diag(covariance))
    some = scale**2 > noise
    unit = theta[some] / scale[some]
    values, vectors = np.linalg.eigh(covariance[np.ix_(some, some)] / np.outer(scale[some], scale[some]))
    kept = values > RANK * values.max(initial=0)
    df = int(np.count_nonzero(kept))
    statistic = float((np.square(vectors.T @ unit)[kept] / values[kept]).sum())
    return IndependenceTest(statistic, df, float(chdtrc(df, statistic)) if df else 1.0)


def filtered(columns: Mapping[int, Array], rates: Floats, sizes: Array) -> list[int]:
    """Tell on which attributes the rows of a release were filtered, as far as that can be seen.

    A released value of attribute ``i`` is each of its labels with a chance of at least ``q_i / (a_i - 1)``,
    whatever the truth. Where a label is in none of the rows, and that had a chance below 1e-9 for all labels
    and attributes together, somebody took rows away. The rows must stand for the whole release: of a release
    that is sorted, take some from all over, not the first.

    Parameters
    ----------
    columns : mapping of int to array
        For some attributes, the released codes of some rows. Negative ones, of questions that were not asked,
        do not count.
    rates : ndarray
        Flip probability of every attribute, or less.
    sizes : ndarray
        Number of values of every attribute.

    Returns
    -------
    list of int
        The attributes, in order.

    Examples
    --------
    >>> filtered({0: np.zeros(200, dtype=int), 1: np.arange(200) % 3}, np.array([0.2, 0.2]), np.array([2, 3]))
    [0]
    """
    found = []
    for i, codes in sorted(columns.items()):
        counts = np.bincount(codes[codes >= 0], minlength=int(sizes[i]))
        absent = np.log1p(-rates[i] / (sizes[i] - 1)) * counts.sum()
        if (counts == 0).any() and absent + np.log(float(sizes[i]) * len(columns)) < np.log(CHANCE):
            found.append(i)
    return found
