"""Unbiased counts of true values, with standard errors and intervals (chapter tables)."""

from __future__ import annotations

import warnings
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from orr.arrays import Floats, frozen
from orr.channel import Channel

# With at least these, an interval of 95% holds in about 92% of releases, by exact binomial sums.
MIN_RECORDS = 20  # Released in a cell, and outside it. With 10 an interval of 95% held in 91% of releases.
MIN_FLIPS = 5  # Expected into a cell or out of it. With fewer it held in as few as 79%.


class Unreliable(UserWarning):
    """Too few records are behind some intervals for them to hold as often as they say."""


class Estimate:
    """Estimated counts of every combination of values of a few attributes.

    Made by :meth:`orr.Mechanism.estimate`, not by hand.

    Parameters
    ----------
    channel : Channel
        The channel from true to released tables.
    released : array_like
        How many records were released in each cell.

    Attributes
    ----------
    attributes : tuple of int
        The attributes, in the order of the axes of ``counts``.
    total : float
        The number of records.

    Examples
    --------
    >>> import orr
    >>> mechanism = orr.optimal([2, 3], [2.0, 2.0])
    >>> truth = np.array([[0, 0]] * 6000 + [[1, 2]] * 4000)
    >>> estimate = mechanism.estimate(mechanism.perturb(truth, rng=5), [0, 1])
    >>> estimate
    Estimate(attributes=(0, 1), 6 cells, N=10000, smallest |rho|=0.6805)
    >>> estimate.counts.round().astype(int).tolist()
    [[6018, -40, -3], [32, 12, 3981]]
    >>> estimate.standard_errors.round(1).tolist()
    [[51.8, 33.2, 33.3], [31.8, 31.7, 45.1]]
    """

    def __init__(self, channel: Channel, released: ArrayLike) -> None:
        self.channel, self.attributes = channel, channel.attributes
        self.released: Floats = frozen(np.array(released, dtype=float))
        self.total = float(self.released.sum())
        self._counts: Floats = frozen(channel.invert(self.released))

    def __repr__(self) -> str:
        worst = min(map(abs, self.rho.values()))
        return f"Estimate({self._subject}, N={self.total:.0f}, smallest |rho|={worst:.4g})"

    @property
    def _subject(self) -> str:
        """What the table is of."""
        return f"attributes={self.attributes}, {self.counts.size} cells"

    @property
    def counts(self) -> Floats:
        """Unbiased estimates; they may be negative or fractional."""
        return self._counts

    @property
    def rho(self) -> dict[tuple[int, ...], float]:
        """For each set of attributes, the factor by which the release shrinks their interaction."""
        return self.channel.rho

    @cached_property
    def standard_errors(self) -> Floats:
        """Standard errors of the counts, from the randomization alone."""
        return frozen(self.errors())

    @property
    def proportions(self) -> Floats:
        """Counts over the number of records."""
        return self.counts / self._people

    @property
    def _people(self) -> float:
        """What proportions are counts over."""
        if not self.total > 0:
            raise ValueError("there are no records: they have no proportions")
        return self.total

    def errors(self, *, sampling: bool = False, proportions: bool = False) -> Floats:
        """Return standard errors of counts or proportions, never below what the mechanism must add.

        With ``sampling``, the people are a simple random sample of a population, and the errors are about it.
        """
        added = self.channel.square(self.released) - self.counts
        variance = np.maximum(added, self.channel.least_noise * self.total)
        if sampling and self.total > 0:
            p = self.proportions
            variance = variance + np.maximum(self.counts - 2 * p * self.counts + self.total * p**2, 0)
        return np.sqrt(variance) / (self._people if proportions else 1)

    def covariance(self, sampling: bool = False) -> Floats:
        """Return the covariances of the counts, a row and a column per cell, in C order.

        Refused past 4,096 cells; errors and intervals do not need it.

        Examples
        --------
        >>> import orr
        >>> estimate = orr.kronecker([2], [1.0]).estimate([[0]] * 60 + [[1]] * 40, 0)
        >>> estimate.covariance().round(1)
        array([[ 92.1, -92.1],
               [-92.1,  92.1]])
        """
        inverse, counts = self.channel.inverse(), self.counts.ravel()
        result = (inverse * self.released.ravel()) @ inverse.T
        drawn = np.outer(counts, counts) / (self.total or 1.0)
        return result - (drawn if sampling else np.diag(counts))

    def reliable(self, *, sampling: bool = False) -> NDArray[np.bool_]:
        """Return for each cell whether the interval of its count holds about as often as it says.

        It does where at least 20 records are released in the cell and 20 outside and, unless people are
        sampled, 5 flips into the cell or out of it are to be expected. How often it holds is over all
        releases, not only those in which the cell is marked: where it rarely is, the share among these can be
        lower.

        Examples
        --------
        >>> import orr
        >>> orr.kronecker([3], [2.0]).estimate([[0]] * 60 + [[1]] * 35 + [[2]] * 5, 0).reliable()
        array([ True,  True, False])
        """
        outside = self.total - self.released
        enough = np.minimum(self.released, outside) >= MIN_RECORDS
        true = np.clip(self.counts, 0, self.total)
        flips = self.released + true * (1 - 2 * self.channel.stay)
        return enough if sampling else enough & (flips >= MIN_FLIPS)

    def interval(
        self, level: float = 0.95, *, sampling: bool = False, proportions: bool = False
    ) -> tuple[Floats, Floats]:
        """Return confidence intervals of the counts, or of the proportions, cell by cell.

        Estimates plus and minus a normal quantile times the standard error. They are about the people whose
        records these are, whatever their answers. With ``sampling`` they are about the population of which
        these people are a simple random sample: what their number would be among as many people as are here.

        An interval of 95% held in at least 91.9% of releases for cells that :meth:`reliable` marks.
        Elsewhere it may hold in far fewer, down to a fifth where next to nobody is in a cell.

        Parameters
        ----------
        level : float
            Confidence of each interval by itself, between 0 and 1.
        sampling : bool
            Whether people were drawn at random from the population that is asked about.
        proportions : bool
            Whether to return proportions instead of counts.

        Returns
        -------
        tuple of ndarray
            Lower and upper ends; they may be negative.

        Warns
        -----
        Unreliable
            Where too few records are released for some of the cells.

        Examples
        --------
        >>> import orr
        >>> estimate = orr.kronecker([2], [1.0]).estimate([[0]] * 60 + [[1]] * 40, 0)
        >>> [end.round(1).tolist() for end in estimate.interval(0.9)]
        [[55.9, 12.6], [87.4, 44.1]]
        >>> [end.round(3).tolist() for end in estimate.interval(0.9, sampling=True, proportions=True)]
        [[0.542, 0.109], [0.891, 0.458]]
        """
        ends = self._ends(level, sampling, proportions)
        few = int(np.count_nonzero(~self.reliable(sampling=sampling)))
        if few:
            warnings.warn(
                f"the intervals of {few} of {self.counts.size} cells may hold far less often than they say: "
                "too few records or flips are behind them. reliable() tells which they are",
                Unreliable,
                stacklevel=2,
            )
        return ends

    def _ends(self, level: float, sampling: bool, proportions: bool = False) -> tuple[Floats, Floats]:
        """Return the ends of the intervals, whether they are reliable or not."""
        if isinstance(level, bool) or not 0 < level < 1:
            raise ValueError(f"level = {level!r} must be between 0 and 1")
        middle = self.proportions if proportions else self.counts
        reach = float(-ndtri((1 - level) / 2)) * self.errors(sampling=sampling, proportions=proportions)
        return middle - reach, middle + reach
