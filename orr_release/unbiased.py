"""Unbiased counts, their errors and their intervals, of one table (chapter tables)."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from orr.arrays import Floats, frozen
from orr.estimate import MIN_FLIPS, MIN_RECORDS, Unreliable
from orr_release.counting import Part, ending
from orr_release.domain import Label
from orr_release.pooled import Pooled
from orr_release.shown import Axes

MIN_WEIGHTED_RECORDS = 100  # The same, if they have weights.


class Unbiased:
    """The numbers of an estimate; :class:`orr_release.estimate.Estimate` says what they are made from."""

    def __init__(
        self,
        attributes: Sequence[int],
        parts: Mapping[int, Part],
        total: float,
        squares: float,
        *,
        names: Sequence[str | int] | None = None,
        labels: Sequence[Sequence[Label | None]] | None = None,
        given: Sequence[int] | None = None,
    ) -> None:
        self.attributes = tuple(int(i) for i in attributes)
        self.parts, self.total, self.squares = dict(parts), float(total), float(squares)
        self.codes = tuple(int(code) for code in given or ())
        self.pooled = Pooled(list(self.parts.values()), self.total, self.squares)
        numbers, shape = next(iter(self.parts.values())).channel.attributes, self.pooled.shape
        known = tuple(map(tuple, labels)) if labels is not None else tuple(tuple(range(a)) for a in shape)
        if len(numbers) != len(self.attributes) + len(self.codes) or tuple(map(len, known)) != shape:
            raise ValueError(
                f"tables of shape {shape} do not fit {len(self.attributes)} attributes, "
                f"{len(self.codes)} codes given and {tuple(map(len, known))} labels"
            )
        self.every = Axes(numbers if names is None else tuple(names), known)

    @property
    def axes(self) -> Axes:
        """The axes of the counts."""
        k = len(self.attributes)
        return Axes(self.every.names[:k], self.every.labels[:k])

    @property
    def given(self) -> dict[str | int, Label | None]:
        """Labels of the attributes given, by name, or else codes by number."""
        k = len(self.attributes)
        chosen = zip(self.every.names[k:], self.every.labels[k:], self.codes, strict=True)
        return {name: labels[code] for name, labels, code in chosen}

    @property
    def rho(self) -> dict[tuple[int, ...], float]:
        """For each set of attributes, the factor by which the release shrinks their interaction.

        Where forms have different ones, the one that is closest to 0.
        """
        rhos = [part.channel.rho for part in self.pooled.parts]
        factors = zip(*(rho.values() for rho in rhos), strict=True)
        return {c: min(several, key=abs) for c, several in zip(rhos[0], factors, strict=True)}

    @cached_property
    def counts(self) -> Floats:
        """Unbiased estimates; they may be negative or fractional."""
        return frozen(self.pooled.counts[ending(self.codes)].copy())

    @cached_property
    def standard_errors(self) -> Floats:
        """Standard errors of the counts, from the randomization alone."""
        return frozen(self.errors())

    @property
    def _group(self) -> float:
        """What proportions are counts over: the sum of all weights, or of the counts of the group given."""
        if not self.total > 0:
            raise ValueError("there are no records, or only of weight 0: they have no proportions")
        group = float(self.counts.sum()) if self.codes else self.total
        if not group > 0:
            raise ValueError(
                f"the group given has an estimated count of {group:.4g}: "
                "too little is known of it for proportions"
            )
        return group

    @property
    def proportions(self) -> Floats:
        """Counts over their sum; with attributes given, over that of their group."""
        return self.counts / self._group

    def covariance(self, sampling: bool = False) -> Floats:
        """Covariances of the counts, a row and a column a cell, in C order.

        From the randomization alone, or, with sampling, of people drawn at random from a population too.
        Refused past 4,096 cells; errors and intervals do not need it.

        Examples
        --------
        >>> import orr_release
        >>> estimate = orr_release.kronecker([2], [1.0]).estimate([[0]] * 60 + [[1]] * 40, 0)
        >>> estimate.covariance().round(1)
        array([[ 92.1, -92.1],
               [-92.1,  92.1]])
        """
        return self.pooled.covariance(self.codes, sampling)

    def errors(self, *, sampling: bool = False, proportions: bool = False) -> Floats:
        """Return standard errors of counts or proportions, never below what the mechanism must add."""
        group = ending(self.codes)
        variance = self.pooled.variance(sampling)[group]
        if not proportions:
            return np.sqrt(variance)
        if not self.codes:
            return np.sqrt(variance) / self._group
        inside, p, most = np.zeros(self.pooled.shape), self.proportions, np.zeros(self.counts.shape)
        inside[group] = 1
        # The delta method, for a ratio; a sample varies no less than the file.
        for drawn in {False, sampling}:
            along = self.pooled.times(inside, drawn)[group]
            own = self.pooled.variance(drawn)[group]
            most = np.maximum(most, own - 2 * p * along + p**2 * along.sum())
        return np.sqrt(most) / self._group

    def reliable(self, *, sampling: bool = False) -> NDArray[np.bool_]:
        """Tell for each cell whether the interval of its count holds about as often as it says.

        It does where at least 20 records are released in the cell and 20 outside (100 each, if there are
        weights) and, unless people are sampled, 5 flips into the cell or out of it are to be expected.
        Records of weights ``w`` count as ``(sum w)^2 / sum w^2``. How often it holds is over all releases,
        not only those in which the cell is marked: where it rarely is, the share among these can be lower.

        Examples
        --------
        >>> import orr_release
        >>> orr_release.kronecker([3], [2.0]).estimate([[0]] * 60 + [[1]] * 35 + [[2]] * 5, 0).reliable()
        array([ True,  True, False])
        """
        inside, outside, flips = (table[ending(self.codes)] for table in self.pooled.numbers())
        weighted = any((part.seen != part.squares).any() for part in self.parts.values())
        enough = np.minimum(inside, outside) >= (MIN_WEIGHTED_RECORDS if weighted else MIN_RECORDS)
        return enough if sampling else enough & (flips >= MIN_FLIPS)

    def interval(
        self, level: float = 0.95, *, sampling: bool = False, proportions: bool = False
    ) -> tuple[Floats, Floats]:
        """Confidence intervals of the counts, or of the proportions, cell by cell.

        Estimates plus and minus a normal quantile times the standard error. They are about the people of this
        file, whatever their answers. With sampling they are about the population of which these
        people are a simple random sample: what their number would be among as many people as are here.

        An interval of 95% was found to hold in at least 91.9% of releases for cells that :meth:`reliable`
        tells of; that is over all releases, not only those in which the cell is marked: where it rarely is,
        the share among these can be lower. Elsewhere it may hold in far fewer, down to a fifth where next to
        nobody is in a cell. Then a warning is given, and :meth:`to_frame` has a column that marks the cells.

        Parameters
        ----------
        level : float
            Confidence of each interval by itself, between 0 and 1.
        sampling : bool
            Whether people were drawn at random from the population that is asked about.
        proportions : bool
            Whether proportions are wanted, in place of counts.

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
        >>> import orr_release
        >>> estimate = orr_release.kronecker([2], [1.0]).estimate([[0]] * 60 + [[1]] * 40, 0)
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
                "too few records or flips are behind them. reliable() and to_frame() tell which they are",
                Unreliable,
                stacklevel=2,
            )
        return ends

    def _ends(self, level: float, sampling: bool, proportions: bool = False) -> tuple[Floats, Floats]:
        """Find the ends of intervals, whether they are reliable or not."""
        if isinstance(level, bool) or not 0 < level < 1:
            raise ValueError(f"level = {level!r} must be between 0 and 1")
        middle = self.proportions if proportions else self.counts
        reach = float(-ndtri((1 - level) / 2)) * self.errors(sampling=sampling, proportions=proportions)
        return middle - reach, middle + reach
