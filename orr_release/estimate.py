"""Tables estimated from released records: unbiased counts with names, errors and intervals (chapter tables).

An estimate of :mod:`orr.estimate` is of one table of records that count the same. Here records may have
weights, and each person answers one form, where each form has a channel of its own. The estimates of the
forms are pooled by their precision. Form ``f`` has the released table ``s_f`` (a sum of weights ``w``), the
sum ``W_f`` of its weights, and the inverse ``K_f`` of its channel. Everybody's weights sum to ``W``, their
squares to ``W2``. Then ``p = sum_f share_f K_f s_f / W_f`` estimates the proportions, for any shares that sum
to 1, and ``W p`` the counts. A record of form ``f`` that is released in the cell ``y`` adds ``w k`` with
``k = K_f(., y)``. With ``S_f``, ``b_f`` and ``h_f`` the sums of ``w^2 k k'``, ``w^2 k`` and ``w^2`` over the
form's records, the covariance of ``W p`` for people drawn at random is

    sum_f c_f^2 (S_f - p b_f' - b_f p' + h_f p p'),    c_f = share_f W / W_f.

For these very people it is less by what drawing them adds, ``diag(b) - p b' - b p' + W2 p p'``, where ``b``
estimates the sum of ``w^2`` over the people of each true cell. With one form all but ``S - diag(b)`` cancels.

This file is long because it holds the estimate, its version without negative counts, and how both are shown.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import orr.estimate
from orr.arrays import Array, Floats, frozen
from orr.channel import NotRecoverable, dense_shape
from orr.estimate import MIN_FLIPS, MIN_RECORDS
from orr_release.counting import Part
from orr_release.domain import Label
from orr_release.independence import IndependenceTest, independence
from orr_release.maximum_likelihood import LIKELIHOOD_GAP, maximize

MIN_WEIGHTED_RECORDS = 100  # The same as MIN_RECORDS, where records have weights.
LIBRARIES = ("pandas", "polars", "pyarrow")
MAX_HTML_ROWS = 20  # Rows of a table in a notebook: as many as fit on a screen.


class Moments(NamedTuple):
    """The covariance of the counts except for its sums ``S``: ``- diag(less) - p e' - e p' + h p p'``."""

    less: Floats
    e: Floats
    h: float


class Estimate(orr.estimate.Estimate):
    """Estimated counts of every combination of values of a few attributes.

    Made by ``estimate`` of a release, not by hand. Estimates of several batches of one release add up.

    Parameters
    ----------
    parts : mapping of int to Part
        What was released, for each form that asks for all attributes of the table. The last axes of the
        tables are those of the attributes given.
    total, squares : float
        Sums of the weights, and of their squares, of all records, whichever form they answer.
    names : sequence of str or int, optional
        Names of all axes of the parts' tables; by default the numbers of their attributes.
    labels : sequence of sequence, optional
        Labels along all these axes, with None for a missing value; by default codes.
    given : sequence of int
        Codes of the attributes given: the counts are of the records that have them.

    Examples
    --------
    >>> import orr_release
    >>> release = orr_release.optimal([2, 3], [2.0, 2.0])
    >>> truth = np.array([[0, 0]] * 6000 + [[1, 2]] * 4000)
    >>> estimate = release.estimate(release.perturb(truth, rng=5), [0, 1])
    >>> estimate
    Estimate(attributes=(0, 1), 6 cells, N=10000, smallest |rho|=0.6805)
    >>> estimate.counts.round().astype(int).tolist()
    [[6018, -40, -3], [32, 12, 3981]]
    >>> estimate.standard_errors.round(1).tolist()
    [[51.8, 33.2, 33.3], [31.8, 31.7, 45.1]]
    """

    def __init__(
        self,
        parts: Mapping[int, Part],
        total: float,
        squares: float,
        *,
        names: Sequence[str | int] | None = None,
        labels: Sequence[Sequence[Label | None]] | None = None,
        given: Sequence[int] = (),
    ) -> None:
        if not parts:
            raise NotRecoverable("no form asks for all of these attributes together")
        self.parts, self.total, self.squares = dict(parts), float(total), float(squares)
        self.codes = tuple(int(code) for code in given)
        channels = [part.channel for part in self.parts.values()]
        if not any(channel.recoverable for channel in channels):
            channels[0].invert(np.zeros(channels[0].shape))  # raises with the reason
        self.shape, numbers = channels[0].shape, channels[0].attributes
        known = tuple(tuple(values) for values in (map(range, self.shape) if labels is None else labels))
        if len(self.codes) >= len(numbers) or tuple(map(len, known)) != self.shape:
            raise ValueError(
                f"tables of shape {self.shape} do not fit {len(self.codes)} codes given and "
                f"{tuple(map(len, known))} labels"
            )
        self.every = Axes(numbers if names is None else tuple(names), known)
        k = len(numbers) - len(self.codes)
        self.attributes, self.axes = numbers[:k], Axes(self.every.names[:k], known[:k])
        self._group: tuple[Any, ...] = (..., *self.codes)  # the cells that end in the codes given

    @property
    def _subject(self) -> str:
        """What the table is of."""
        named = [name for name in self.axes.names if isinstance(name, str)]
        what = ", ".join(named) or f"attributes={self.attributes}"
        given = ", ".join(f"{name}={label_text(label)}" for name, label in self.given.items())
        return f"{what}{' given ' if given else ''}{given}, {self.counts.size} cells"

    def _repr_html_(self) -> str:
        """Show the first cells as a table."""
        caption = f"Estimated counts: {repr(self).removeprefix('Estimate(').removesuffix(')')}"
        columns = self._columns(0.95, False)
        hidden = {"proportion", "reliable"} if columns["reliable"].all() else {"proportion"}
        return self.axes.html(caption, {title: x for title, x in columns.items() if title not in hidden})

    @property
    def given(self) -> dict[str | int, Label | None]:
        """Labels of the attributes given, by name; without a domain, codes by number."""
        k = len(self.attributes)
        chosen = zip(self.every.names[k:], self.every.labels[k:], self.codes, strict=True)
        return {name: labels[code] for name, labels, code in chosen}

    @property
    def rho(self) -> dict[tuple[int, ...], float]:
        """For each set of attributes, the factor by which the release shrinks their interaction.

        Where forms have different factors, the one closest to 0.
        """
        rhos = [part.channel.rho for part in self.parts.values() if part.channel.recoverable]
        factors = zip(*(rho.values() for rho in rhos), strict=True)
        return {c: min(several, key=abs) for c, several in zip(rhos[0], factors, strict=True)}

    @cached_property
    def answered(self) -> list[tuple[Part, float]]:
        """The forms that somebody answered, and the share of each in the estimate.

        A form's share grows with its weights, and with the precision of one record: the inverse of its
        variance, averaged over the cells of a uniform table.
        """
        parts = [part for part in self.parts.values() if part.channel.recoverable]
        cells = math.prod(self.shape)
        worth = [p.seen.sum() / (p.channel.noise + (1 - 1 / cells) / cells) for p in parts]
        if self.total > 0 and not sum(worth) > 0:
            raise NotRecoverable("nobody answered a form that asks for all of these attributes together")
        return [(p, w / sum(worth)) for p, w in zip(parts, worth, strict=True) if w > 0]

    @cached_property
    def _scaled(self) -> list[tuple[Part, float]]:
        """The forms that somebody answered, and the factor of the estimate of each: ``c_f``."""
        return [(part, share * self.total / part.seen.sum()) for part, share in self.answered]

    @cached_property
    def _table(self) -> Floats:
        """Unbiased counts of the whole table, whatever is given."""
        return sum((c * part.channel.invert(part.seen) for part, c in self._scaled), np.zeros(self.shape))

    @property
    def _p(self) -> Floats:
        """The whole table over the sum of all weights; 0 where that is 0."""
        return self._table / (self.total or 1.0)

    @cached_property
    def counts(self) -> Floats:
        """Unbiased estimates; they may be negative or fractional."""
        return frozen(self._table[self._group].copy())

    @property
    def _people(self) -> float:
        """What proportions are counts over: the sum of all weights, or of the counts of the group given."""
        if not self.total > 0:
            raise ValueError("there are no records, or only of weight 0: they have no proportions")
        people = float(self.counts.sum()) if self.codes else self.total
        if not people > 0:
            raise ValueError(
                f"the group given has an estimated count of {people:.4g}: "
                "too little is known of it for proportions"
            )
        return people

    def _moments(self, sampling: bool) -> Moments:
        """Return what the covariance has beside its sums ``S``."""
        e, people, h = np.zeros(self.shape), np.zeros(self.shape), 0.0
        for (part, c), (_, share) in zip(self._scaled, self.answered, strict=True):
            b, own = part.channel.invert(part.squares), float(part.squares.sum())
            e, h = e + c**2 * b, h + c**2 * own
            people = people + share * (self.squares / own) * b
        if sampling:
            return Moments(np.zeros(self.shape), e, h)
        return Moments(people, e - people, h - self.squares if self.answered else 0.0)

    def _variance(self, sampling: bool) -> Floats:
        """Return the variance of each count of the whole table, and not below what is possible.

        It is what randomization adds, ``S - diag(b)``, and what the draw of people adds: of whom a form asks
        and, with sampling, of the people themselves. Either is estimated without bias, and so may come out
        smaller than any true table allows. Then it is taken as the smallest that one allows.
        """
        randomized, drawn, p = np.zeros(self.shape), np.zeros(self.shape), self._p
        for part, c in self._scaled:
            least = part.channel.least_noise * part.squares.sum()
            added = part.channel.square(part.squares) - part.channel.invert(part.squares)
            randomized = randomized + c**2 * np.maximum(added, least)
        for m in map(self._moments, {False, sampling}):  # a sample varies no less than the file
            drawn = np.maximum(drawn, m.e - 2 * p * m.e + m.h * p**2)
        return randomized + drawn

    def _times(self, table: Floats, sampling: bool) -> Floats:
        """Return the covariance of all counts, times a table, without the matrix."""
        m, p = self._moments(sampling), self._p
        inner, along = float((p * table).sum()), float((m.e * table).sum())
        result = -m.less * table - p * along - m.e * inner + m.h * inner * p
        for part, c in self._scaled:
            result = result + c**2 * part.channel.invert(part.squares * part.channel.invert(table))
        return result

    def errors(self, *, sampling: bool = False, proportions: bool = False) -> Floats:
        """Return standard errors of counts or proportions, never below what the mechanism must add.

        With ``sampling``, the people are a simple random sample of a population, and the errors are about it.
        """
        variance = self._variance(sampling)[self._group]
        if not proportions:
            return np.sqrt(variance)
        if not self.codes:
            return np.sqrt(variance) / self._people
        inside, p, most = np.zeros(self.shape), self.proportions, np.zeros(self.counts.shape)
        inside[self._group] = 1
        # The delta method, for a ratio; a sample varies no less than the file.
        for drawn in {False, sampling}:
            along = self._times(inside, drawn)[self._group]
            own = self._variance(drawn)[self._group]
            most = np.maximum(most, own - 2 * p * along + p**2 * along.sum())
        return np.sqrt(most) / self._people

    def covariance(self, sampling: bool = False) -> Floats:
        """Return the covariances of the counts, a row and a column per cell, in C order.

        From the randomization alone, or, with ``sampling``, of people drawn at random from a population too.
        Refused past 4,096 cells; errors and intervals do not need it.

        Examples
        --------
        >>> import orr_release
        >>> estimate = orr_release.kronecker([2], [1.0]).estimate([[0]] * 60 + [[1]] * 40, 0)
        >>> estimate.covariance().round(1)
        array([[ 92.1, -92.1],
               [-92.1,  92.1]])
        """
        dense_shape(self.shape, self.codes)
        m = self._moments(sampling)
        p, less, e = (x[self._group].ravel() for x in (self._p, m.less, m.e))
        result: Floats = m.h * np.outer(p, p) - np.outer(p, e) - np.outer(e, p) - np.diag(less)
        for part, c in self._scaled:
            inverse = part.channel.inverse(self.codes)
            result += c**2 * (inverse * part.squares.ravel()) @ inverse.T
        return result

    def reliable(self, *, sampling: bool = False) -> NDArray[np.bool_]:
        """Return for each cell whether the interval of its count holds about as often as it says.

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
        inside, outside, flips = (numbers[self._group] for numbers in self._effective_numbers())
        weighted = any((part.seen != part.squares).any() for part in self.parts.values())
        enough = np.minimum(inside, outside) >= (MIN_WEIGHTED_RECORDS if weighted else MIN_RECORDS)
        return enough if sampling else enough & (flips >= MIN_FLIPS)

    def _effective_numbers(self) -> Floats:
        """Return the numbers of records released in each cell and outside, and of flips into or out of it."""
        sums = np.zeros((2, 3, *self.shape))
        for part, c in self._scaled:
            for power, table in enumerate((part.seen, part.squares)):
                true = np.clip(part.channel.invert(table), 0, table.sum())
                flips = np.maximum(table + true * (1 - 2 * part.channel.stay), 0)
                sums[power] += c ** (power + 1) * np.array([table, table.sum() - table, flips])
        return np.divide(sums[0] ** 2, sums[1], out=np.zeros(sums[0].shape), where=sums[1] > 0)

    def _columns(self, level: float, sampling: bool) -> dict[str, Array]:
        """Return the numbers of a frame; a proportion that cannot be estimated is NaN."""
        low, high = self._ends(level, sampling)
        try:
            shares = self.proportions
        except ValueError:
            shares = np.full(self.counts.shape, np.nan)
        errors, reliable = self.errors(sampling=sampling), self.reliable(sampling=sampling)
        columns = {"count": self.counts, "standard_error": errors, "low": low, "high": high}
        return columns | {"proportion": shares, "reliable": reliable}

    def to_frame(self, kind: str = "pandas", *, level: float = 0.95, sampling: bool = False) -> Any:
        """Return a frame with a row per cell: labels, count, standard_error, low, high, proportion, reliable.

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
        return self.axes.frame(self._columns(level, sampling), kind)

    def to_text(self, *, level: float = 0.95, sampling: bool = False) -> str:
        """Return the table in plain characters, a line per cell; reliable is among it if some cell is not.

        Examples
        --------
        >>> import orr_release
        >>> print(orr_release.kronecker([2], [1.0]).estimate([[0]] * 60 + [[1]] * 40, 0).to_text())
        attribute 0  count  standard_error   low  high  proportion
                  0   71.6             9.6  52.8  90.4      0.7164
                  1   28.4             9.6   9.6  47.2      0.2836
        """
        columns = self._columns(level, sampling)
        if columns["reliable"].all():
            del columns["reliable"]
        return self.axes.text(columns)

    def nonnegative(self) -> Nonnegative:
        """Find the table of greatest likelihood among those without negative counts.

        Beside the unbiased counts, not instead of them: it looks better than they do and is biased, since
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
        p, gap, steps = maximize(list(self.parts.values()), self._p)
        return Nonnegative(self.axes, self.total * p[self._group], self._subject, gap, steps)

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
        >>> release = orr_release.optimal([2, 2], [1.0, 1.0])
        >>> records = np.random.default_rng(1).integers(0, 2, (5000, 1)) * [1, 1]
        >>> release.estimate(release.perturb(records, rng=2), [0, 1]).independence_test().pvalue < 1e-6
        True
        """
        if len(self.attributes) != 2:
            raise ValueError(f"independence is tested for 2 attributes, got {len(self.attributes)}")
        if not self.total > 0:
            raise ValueError("there are no records, or only of weight 0: nothing can be tested")
        return independence(self.answered, self.codes)

    def __add__(self, other: object) -> Estimate:
        if not isinstance(other, Estimate):
            return NotImplemented
        if (self.attributes, self.codes, self.every) != (other.attributes, other.codes, other.every):
            both = f"{self._subject} and {other._subject}"
            raise ValueError(f"only estimates of the same table can be added: {both}")
        mine, others = ({form: part.channel for form, part in e.parts.items()} for e in (self, other))
        if mine != others:
            raise ValueError("only estimates of one release can be added: the two mechanisms differ")
        parts = {form: part + other.parts[form] for form, part in self.parts.items()}
        total, squares, every = self.total + other.total, self.squares + other.squares, self.every
        return Estimate(parts, total, squares, names=every.names, labels=every.labels, given=self.codes)

    def __radd__(self, other: object) -> Estimate:
        return self if isinstance(other, int) and other == 0 else NotImplemented


@dataclass(frozen=True, eq=False)
class Nonnegative:
    """A table of greatest likelihood. It has no negative counts, and is biased.

    Attributes
    ----------
    counts : ndarray
        The counts, which are not negative.
    gap : float
        What the log-likelihood could still rise by, at most; 1e-5 is aimed at.
    steps : int
        How often its gradient was evaluated.

    Examples
    --------
    >>> import orr_release
    >>> orr_release.kronecker([3], [1.0]).estimate([[0]] * 60 + [[1]] * 25 + [[2]] * 15, 0).nonnegative()
    Nonnegative(attributes=(0,), 3 cells, N=100; biased, greatest likelihood to 1.9e-06)
    """

    axes: Axes
    counts: Floats
    subject: str
    gap: float
    steps: int

    @property
    def converged(self) -> bool:
        """Whether no table without negative counts is more likely, to 1e-5."""
        return self.gap <= LIKELIHOOD_GAP

    @property
    def proportions(self) -> Floats:
        """Counts over their sum."""
        if not self.counts.sum() > 0:
            raise ValueError("the group given has a count of 0: it has no proportions")
        return self.counts / self.counts.sum()

    def __repr__(self) -> str:
        reached = (
            "greatest likelihood to" if self.converged else "NOT of greatest likelihood, which may be more by"
        )
        return f"Nonnegative({self.subject}, N={self.counts.sum():.0f}; biased, {reached} {self.gap:.2g})"

    def to_frame(self, kind: str = "pandas") -> Any:
        """Return a frame with a row per cell: labels, count, proportion, as that of the unbiased estimate."""
        whole = self.counts.sum() or np.nan
        return self.axes.frame({"count": self.counts, "proportion": self.counts / whole}, kind)


@dataclass(frozen=True)
class Axes:
    """What the axes of a table are called, and the values along them: what a table needs to be shown.

    Attributes
    ----------
    names : tuple
        A name per axis, or the number of its attribute.
    labels : tuple of tuple
        The labels along each axis; None is a missing value.
    """

    names: tuple[str | int, ...]
    labels: tuple[tuple[Label | None, ...], ...]

    @property
    def titles(self) -> tuple[str, ...]:
        """Titles of the columns of labels."""
        return tuple(n if isinstance(n, str) else f"attribute {n}" for n in self.names)

    @property
    def cells(self) -> int:
        """Number of cells of the table."""
        return math.prod(map(len, self.labels))

    def columns(self, rows: int | None = None) -> dict[str, list[Label | None]]:
        """Return the labels of the first rows, or of all: one column per axis, cells in C order."""
        codes = np.unravel_index(np.arange(self.cells)[:rows], tuple(map(len, self.labels)))
        return {
            title: [values[i] for i in code.tolist()]
            for title, values, code in zip(self.titles, self.labels, codes, strict=True)
        }

    def free(self, title: str) -> str:
        """Return a title for a column of numbers that is not that of an attribute."""
        while title in self.titles:
            title = f"estimated_{title}"
        return title

    def frame(self, numbers: Mapping[str, Array], kind: str) -> Any:
        """Return a frame with a row per cell; a column of nothing but NaN is one of missing numbers."""
        if kind not in LIBRARIES:
            raise ValueError(f"kind = {kind!r} must be {', '.join(LIBRARIES[:-1])} or {LIBRARIES[-1]}")
        try:
            module = importlib.import_module(kind)
        except ImportError:
            source = "polars" if kind == "polars" else '".[release]"'
            raise ImportError(f"a frame of {kind} needs {kind}: pip install {source}") from None
        made = {title: _labels(module, labels) for title, labels in self.columns().items()}
        made |= {self.free(title): _numbers(module, x.ravel()) for title, x in numbers.items()}
        return module.table(made) if kind == "pyarrow" else module.DataFrame(made)

    def html(self, caption: str, numbers: dict[str, Array]) -> str:
        """Return the first rows as a table whose headers a screen reader can follow."""
        shown = self.columns(MAX_HTML_ROWS)
        flat = {self.free(title): values.ravel() for title, values in numbers.items()}
        titles = "".join(f"<th scope='col'>{escape(t)}</th>" for t in (*shown, *flat))
        body = []
        for row, labels in enumerate(zip(*shown.values(), strict=True)):
            heads = "".join(f"<th scope='row'>{escape(label_text(label))}</th>" for label in labels)
            cells = "".join(f"<td>{_number_text(x[row], '.5g')}</td>" for x in flat.values())
            body.append(f"<tr>{heads}{cells}</tr>")
        if more := self.cells - len(body):
            body.append(f"<tr><td colspan='{len(shown) + len(flat)}'>and {more} more</td></tr>")
        return (
            f"<table><caption>{escape(caption)}</caption><thead><tr>{titles}</tr></thead>"
            f"<tbody>{''.join(body)}</tbody></table>"
        )

    def text(self, numbers: dict[str, Array]) -> str:
        """Return all rows in plain characters, one under the other."""
        columns = [[title, *map(label_text, labels)] for title, labels in self.columns().items()]
        for title, x in numbers.items():
            digits = ".4f" if title == "proportion" else ".1f"
            columns.append([self.free(title), *(_number_text(v, digits) for v in x.ravel())])
        widths = [max(map(len, column)) for column in columns]
        rows = zip(*columns, strict=True)
        return "\n".join("  ".join(x.rjust(w) for x, w in zip(row, widths, strict=True)) for row in rows)


def label_text(label: Label | None) -> str:
    """Return a label in words."""
    return "(missing)" if label is None else str(label)


def _number_text(value: Any, digits: str) -> str:
    """Return a number, or the answer to a question, as text."""
    return str(value) if isinstance(value, np.bool_) else f"{value:{digits}}"


def _labels(module: Any, labels: list[Label | None]) -> Any:
    """Return a column of labels; pandas alone would change their type where some are missing."""
    if module.__name__ != "pandas" or None not in labels:
        return labels
    types = {bool: "boolean", int: "Int64"}
    known = next(type(label) for label in labels if label is not None)
    return module.array(labels, dtype=types[known]) if known in types else labels


def _numbers(module: Any, values: Array) -> Any:
    """Return a column of numbers, which are missing if all are NaN."""
    if module.__name__ == "pandas" or not np.isnan(values).all():
        return values
    nothing = [None] * len(values)
    if module.__name__ == "polars":
        return module.Series(nothing, dtype=module.Float64)
    return module.array(nothing, module.float64())
