"""Tables estimated from released records, and what can be said of them (chapters tables and release)."""

from __future__ import annotations

from typing import Any

import numpy as np

from orr.arrays import Array, Floats
from orr_release.counting import ending
from orr_release.independence import IndependenceTest, independence
from orr_release.maximum_likelihood import Nonnegative, maximize
from orr_release.shown import written
from orr_release.unbiased import Unbiased


class Estimate(Unbiased):
    """Estimated counts of every combination of values of a few attributes.

    Made by ``estimate`` of a mechanism, not by hand. Estimates of several batches of one release add up.

    Parameters
    ----------
    attributes : tuple of int
        The attributes, in the order of the axes of ``counts``.
    parts : mapping of int to Part
        For each form that asks for all of them, and for those given, what was released. Its tables have an
        axis an attribute, and then one an attribute given.
    total, squares : float
        Sums of the weights, and of their squares, of all records.
    names : sequence of str or int, optional
        Names of all axes of the parts' tables, or the numbers of their attributes.
    labels : sequence of sequence, optional
        Labels along all these axes, with None for a missing value.
    given : sequence of int
        Codes of the attributes given: the counts are of the records that have them.

    Examples
    --------
    >>> import orr_release
    >>> mechanism = orr_release.optimal([2, 3], [2.0, 2.0])
    >>> truth = np.array([[0, 0]] * 6000 + [[1, 2]] * 4000)
    >>> estimate = mechanism.estimate(mechanism.perturb(truth, rng=5), [0, 1])
    >>> estimate
    Estimate(attributes=(0, 1), 6 cells, N=10000, smallest |rho|=0.6805)
    >>> estimate.counts.round().astype(int).tolist()
    [[6018, -40, -3], [32, 12, 3981]]
    >>> estimate.standard_errors.round(1).tolist()
    [[51.8, 33.2, 33.3], [31.8, 31.7, 45.1]]
    """

    def __repr__(self) -> str:
        worst = min(map(abs, self.rho.values()))
        return f"Estimate({self._subject()}, N={self.total:.0f}, smallest |rho|={worst:.4g})"

    def _subject(self) -> str:
        """Say what the table is of."""
        named = [name for name in self.every.names if isinstance(name, str)]
        what = ", ".join(named[: len(self.attributes)]) or f"attributes={self.attributes}"
        given = ", ".join(f"{name}={written(label)}" for name, label in self.given.items())
        return f"{what}{' given ' if given else ''}{given}, {self.counts.size} cells"

    def _repr_html_(self) -> str:
        """Show the first cells as a table."""
        caption = f"Estimated counts: {repr(self).removeprefix('Estimate(').removesuffix(')')}"
        return self.axes.html(caption, self._columns(0.95, False) | self._doubts(False))

    def _columns(self, level: float, sampling: bool) -> dict[str, Array]:
        """Return the numbers of a frame."""
        low, high = self._ends(level, sampling)
        errors = self.errors(sampling=sampling)
        return {"count": self.counts, "standard_error": errors, "low": low, "high": high}

    def _doubts(self, sampling: bool) -> dict[str, Array]:
        """Return the column that tells which intervals are reliable, if some are not."""
        reliable = self.reliable(sampling=sampling)
        return {} if reliable.all() else {"reliable": reliable}

    def to_frame(self, kind: str = "pandas", *, level: float = 0.95, sampling: bool = False) -> Any:
        """Make a frame with a row a cell: labels, count, standard_error, low, high, proportion, reliable.

        Labels have the type in which they were declared. A proportion that cannot be estimated (of nobody,
        or in a group of an estimated count of 0 or less) is missing. Where reliable is False, too few
        records are behind the interval, see :meth:`reliable`. A column whose name an attribute has is called
        estimated_count, and so on.

        Parameters
        ----------
        kind : {"pandas", "polars", "pyarrow"}
            What to make.
        level : float
            Confidence of the intervals from low to high, of the counts.
        sampling : bool
            Whether errors and intervals are those of a random sample, as in :meth:`interval`.

        Returns
        -------
        frame
            A DataFrame of pandas or polars, or a Table of pyarrow.

        Examples
        --------
        >>> import orr_release
        >>> estimate = orr_release.kronecker([2], [1.0]).estimate([[0]] * 60 + [[1]] * 40, 0)
        >>> print(estimate.to_frame().round(1).to_string())
           attribute 0  count  standard_error   low  high  proportion  reliable
        0            0   71.6             9.6  52.8  90.4         0.7      True
        1            1   28.4             9.6   9.6  47.2         0.3      True
        """
        shares = self._shares()
        some = shares if np.isfinite(shares).any() else None
        more = {"proportion": some, "reliable": self.reliable(sampling=sampling)}
        return self.axes.frame({**self._columns(level, sampling), **more}, kind)

    def _shares(self) -> Floats:
        """Return the proportions, or what is no number where they cannot be estimated."""
        try:
            return self.proportions
        except ValueError:
            return np.full(self.counts.shape, np.nan)

    def to_text(self, *, level: float = 0.95, sampling: bool = False) -> str:
        """Write the table in plain characters, a line a cell; reliable is among it if some cell is not.

        Examples
        --------
        >>> import orr_release
        >>> print(orr_release.kronecker([2], [1.0]).estimate([[0]] * 60 + [[1]] * 40, 0).to_text())
        attribute 0  count  standard_error   low  high  proportion
                  0   71.6             9.6  52.8  90.4      0.7164
                  1   28.4             9.6   9.6  47.2      0.2836
        """
        shown = self._columns(level, sampling) | {"proportion": self._shares()}
        return self.axes.text(shown | self._doubts(sampling))

    def nonnegative(self) -> Nonnegative:
        """Find the table of greatest likelihood among those without negative counts.

        Beside the unbiased counts, not in their place: it looks better than they do and is biased, since
        noise below 0 is cut off and noise above is not, and it has no standard errors. A weight counts as
        that many records. With attributes given, the whole table is fitted, and the group's part of it shown.

        Examples
        --------
        >>> import orr_release
        >>> estimate = orr_release.kronecker([3], [1.0]).estimate([[0]] * 60 + [[1]] * 25 + [[2]] * 15, 0)
        >>> estimate.counts.round(1)
        array([106.6,  10.5, -17. ])
        >>> estimate.nonnegative().counts.round(1)
        array([94.6,  5.4,  0. ])
        """
        if not self.total > 0:
            raise ValueError(
                "there are no records, or only of weight 0: every table is as likely as any other"
            )
        p, gap, steps = maximize(list(self.parts.values()), self.pooled.proportions)
        return Nonnegative(self.axes, self.total * p[ending(self.codes)], self._subject(), gap, steps)

    def independence_test(self) -> IndependenceTest:
        """Test whether the two attributes of the table are independent in the population.

        Right for every mechanism, where the usual test of the released table is not: unless attributes are
        randomized one by one, a release makes associations out of nothing. With attributes given, the
        test is about their group. People are taken to be drawn at random, independently of each other. With
        weights, which may depend on both attributes, it is about the population that they stand for.
        The p-value is an approximation, as that of the usual test is, and a rough one where few records are
        expected in a cell: the result's ``smallest`` tells their effective number, which should be 5 or more.

        Examples
        --------
        >>> import orr_release
        >>> mechanism = orr_release.optimal([2, 2], [1.0, 1.0])
        >>> records = np.random.default_rng(1).integers(0, 2, (5000, 1)) * [1, 1]
        >>> mechanism.estimate(mechanism.perturb(records, rng=2), [0, 1]).independence_test().pvalue < 1e-6
        True
        """
        return independence(self.pooled, self.codes)

    def __add__(self, other: object) -> Estimate:
        if not isinstance(other, Estimate):
            return NotImplemented
        for what in ("attributes", "codes", "every"):
            if getattr(self, what) != getattr(other, what):
                mine, others = self._subject(), other._subject()
                raise ValueError(f"only estimates of the same table can be added: {mine} and {others}")
        if {form: part.channel for form, part in self.parts.items()} != {
            form: part.channel for form, part in other.parts.items()
        }:
            raise ValueError("only estimates of one release can be added: the two mechanisms differ")
        parts = {form: part + other.parts[form] for form, part in self.parts.items()}
        total, squares = self.total + other.total, self.squares + other.squares
        names, labels = self.every.names, self.every.labels
        return Estimate(self.attributes, parts, total, squares, names=names, labels=labels, given=self.codes)

    def __radd__(self, other: object) -> Estimate:
        return self if isinstance(other, int) and other == 0 else NotImplemented
