"""Whether two attributes are independent (chapter release).

A release in which flips keep company makes associations out of nothing, so that the usual chi-square test of
the released table rejects independence where it holds. Here the test is of the *estimated* table: with ``p``
the unbiased proportions in a group of share ``g``, and ``a`` and ``b`` what they say of rows and columns,

    theta_ij = p_ij - a_i p_.j - p_i. b_j + g a_i b_j

is ``p_ij - p_i. p_.j / g``. Where the two are independent in the group, its mean is the product of the errors
of ``a`` and ``b``, so that ``theta' C^+ theta`` is nearly chi-square, where ``C`` is the covariance of theta
for fixed ``a`` and ``b``, as it would be under independence (a score test): for Kronecker this is Pearson's
test of the released table. Elsewhere ``a`` and ``b`` are first moved to the nearest proportions: those
estimated of a faint attribute may be anything.

Weights ``w`` enter by the sums of ``w^2`` to be expected in each released cell: the sum of ``w`` that
the null table expects there, times the mean weight ``sum w^2 / sum w`` of the records there. The sums of
``w^2`` that were seen would not do, since they are small where the estimate happens to be small: independence
that holds would be rejected in a quarter of cases. The mean weight of few records may be too small as well;
it is pulled up to what rows and columns suggest.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import chdtrc

from orr.arrays import Floats
from orr.channel import dense_shape
from orr_release.counting import Part

VARIANCE_TOL = 1e-14  # share of the variance of records in their likeliest cells: less is rounding noise
EIGENVALUE_TOL = 1e-10  # share of the largest eigenvalue of a correlation matrix: less is rounding noise
FACTOR_TOL = 1e-9  # relative difference below which factors, or products of factors, are the same
HALF_BELIEVED_RECORDS = 50  # their mean weight is half believed; 20 to 100 gave sizes of 1 to 8% at 5%
MIN_EXPECTED = 5  # records expected in a cell: with fewer, chi-square may be a bad guess (the usual rule)


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
    smallest : float
        Smallest number of released records that independence expects in a cell of the table, where records of
        unequal weights ``w`` count as ``(sum w)^2 / sum w^2``. The p-value is to be trusted if it is at least
        5, by the usual rule: a test at 5% was then measured to reject independence that holds in 2 to 7% of
        cases. It is shown only if it is less; down to 0.5 these were 1 to 9%, and below 0.2 up to 16%.

    Examples
    --------
    >>> import orr_release
    >>> mechanism = orr_release.optimal([2, 3], [1.0, 1.0])
    >>> records = np.random.default_rng(1).integers(0, [2, 3], (5000, 2))
    >>> mechanism.estimate(mechanism.perturb(records, rng=2), [0, 1]).independence_test()
    IndependenceTest(statistic=0.1927, df=2, pvalue=0.9081)
    """

    statistic: float
    df: int
    pvalue: float
    smallest: float

    def __repr__(self) -> str:
        few = f", smallest={self.smallest:.2g}" if self.smallest < MIN_EXPECTED else ""
        return (
            f"IndependenceTest(statistic={self.statistic:.4g}, df={self.df}, pvalue={self.pvalue:.4g}{few})"
        )


def independence(answered: Sequence[tuple[Part, float]], given: tuple[int, ...]) -> IndependenceTest:
    """Test whether the first two axes of a table are independent, where the others have the codes given.

    Each form that was answered comes with its share in the estimate.
    """
    dense_shape(answered[0][0].channel.shape, given)
    parts, factors = _relative(answered)
    p = sum(share / part.seen.sum() * part.channel.invert(part.seen) for part, share in parts)
    group: tuple[Any, ...] = (..., *given)
    margins = _margins(p[group], parts, factors)
    null = p.copy()
    null[group] = p[group].sum() * np.outer(*margins)
    cells = math.prod(a - 1 for a in p[group].shape)
    covariance, noise, records = np.zeros((cells, cells)), 0.0, np.zeros(p.shape)
    for part, share in parts:
        influence = _theta(part.channel.inverse(given).reshape(*p[group].shape, -1), *margins)
        expected = np.maximum(part.channel.expect(null), 0)  # by noise, it may be less than nothing
        squares = _squares(part, expected)
        covariance += share**2 * (influence * squares.ravel()) @ influence.T
        noise += share**2 * float(np.square(influence).max() * squares.sum())
        records += _over(expected**2, squares, 0.0)
    theta = _theta(p[group][..., None], *margins).ravel()
    smallest = records[group].min(initial=math.inf, where=records[group] > VARIANCE_TOL * records.sum())
    return IndependenceTest(*_quadratic(theta, covariance, VARIANCE_TOL * noise), float(smallest))


def _relative(answered: Sequence[tuple[Part, float]]) -> tuple[list[tuple[Part, float]], list[float]]:
    """Take the two attributes as shrunk by what the first form tells of each of them alone.

    This shrinks rows and columns of theta by these factors, and so changes nothing; but faint attributes keep
    their digits, since for one form no more than ``rho_ij / (rho_i rho_j)`` is left to undo.
    """
    first = answered[0][0].channel
    factors = {i: first.rho[i,] for i in first.attributes[:2]}
    parts = [(replace(part, channel=part.channel.relative(factors)), share) for part, share in answered]
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
    if all(abs(r - 1) < FACTOR_TOL for part, _ in parts for r in part.channel.rho.values()):
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


def _squares(part: Part, expected: Floats) -> Floats:
    """Expect sums of squared weights by released cell, from those of weights; the form's weight is 1 here."""
    return expected * _mean_weights(part.seen, part.squares) / part.seen.sum()


def _mean_weights(seen: Floats, squares: Floats) -> Floats:
    """Estimate the mean weight of each cell's records, from sums of weights and of their squares.

    That of few records is pulled up to what the means along all axes suggest: their product.
    """
    whole = squares.sum() / seen.sum()
    likely = np.full(seen.shape, whole)
    for axis in range(seen.ndim):
        others = tuple(i for i in range(seen.ndim) if i != axis)
        along = _over(squares.sum(axis=others, keepdims=True), seen.sum(axis=others, keepdims=True), whole)
        likely *= along / whole
    found = _over(squares, seen, likely)
    records = _over(seen**2, squares, 0.0)
    return found + np.maximum(likely - found, 0) * HALF_BELIEVED_RECORDS / (HALF_BELIEVED_RECORDS + records)


def _over(a: Floats, b: Floats, otherwise: Floats | float) -> Floats:
    """Divide, or take something else where there is nothing to divide by."""
    return np.divide(a, b, out=np.broadcast_to(otherwise, b.shape).astype(float), where=b > 0)


def _quadratic(theta: Floats, covariance: Floats, noise: float) -> tuple[float, int, float]:
    """Measure theta in units of its covariance, where it can vary: statistic, df and p-value."""
    scale = np.sqrt(np.diag(covariance))
    some = scale**2 > noise
    unit = theta[some] / scale[some]
    values, vectors = np.linalg.eigh(covariance[np.ix_(some, some)] / np.outer(scale[some], scale[some]))
    kept = values > EIGENVALUE_TOL * values.max(initial=0)
    df = int(np.count_nonzero(kept))
    statistic = float((np.square(vectors.T @ unit)[kept] / values[kept]).sum())
    return statistic, df, float(chdtrc(df, statistic)) if df else 1.0
