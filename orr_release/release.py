"""A mechanism that releases tables: names and labels, records in and out, estimates (chapter release).

A release has one *form*, that of all attributes; or it has several, each with a mechanism of its own. Then
each person is asked only the attributes of one form, drawn at random.

This file is long because it holds one class, most of it the documentation of what users call.
"""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from orr.arrays import Integers
from orr.channel import Channel, NotRecoverable, check_table
from orr.levels import Levels
from orr.mechanism import Mechanism
from orr.randomness import Source
from orr_release.codes import codes_given, places_of, read, write
from orr_release.counting import check_options, count_records, take_counts
from orr_release.domain import Domain, Label
from orr_release.estimate import Estimate
from orr_release.filter_check import Labels, warn_if_filtered
from orr_release.forms import (
    FORM,
    Form,
    Forms,
    check_forms,
    form_channels,
    form_noise,
    form_numbers,
    largest_levels,
    randomize,
)
from orr_release.frames import is_lazy, is_table, partitions, perturb_lazily
from orr_release.mechanism_file.write import contents, digest, save, written
from orr_release.origin import check_origin, check_truth, origin
from orr_release.plan import Plan, plan
from orr_release.report import Report, report

Attributes = str | int | Iterable[str | int]
Given = Mapping[str | int, Label | None] | None
Reading = tuple[Estimate, Labels]  # What was read from a batch of released records, for ``combine``.

MAX_NAMES = 4  # Attributes that are named in one line.


class Seeded(UserWarning):
    """A release has a seed or generator of its own: whoever finds or guesses it can take the noise off."""


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Release:
    """A mechanism, and the names and labels of the tables that it releases.

    Parameters
    ----------
    mechanism : Mechanism, or mapping from tuples of int to Mechanism
        The mechanism for all attributes; or the mechanism of each form, by the attributes that it asks.
    domain : Domain, optional
        Names and labels of the attributes, as many as the mechanism has values. Without it, records are
        arrays of codes.
    construction : str, optional
        The function that made it, by default that of the mechanism.

    Attributes
    ----------
    forms : tuple
        Pairs of the attributes of a form and its mechanism. All forms are equally likely.
    sampled : bool
        Whether each person is asked the attributes of one form, drawn at random. Released arrays then have -1
        where nothing was asked, tables a null, and the number of the form in a column ``form``.

    Examples
    --------
    >>> import orr
    >>> from orr_release import Domain, Release
    >>> domain = Domain({"sex": ["F", "M"], "children": 4})
    >>> release = Release(orr.kronecker([2, 4], [1.0, 1.0]), domain)
    >>> release
    <Release: sex, children; overall level 2 (Kronecker 2), neighbours up to 1>
    >>> list(release.perturb({"sex": "M", "children": 3}))
    ['sex', 'children']
    """

    forms: Forms
    sampled: bool
    domain: Domain | None
    construction: str | None

    def __init__(
        self,
        mechanism: Mechanism | Mapping[Form, Mechanism],
        domain: Domain | None = None,
        *,
        construction: str | None = None,
    ) -> None:
        forms, sampled = check_forms(mechanism), not isinstance(mechanism, Mechanism)
        construction = construction or (None if sampled else forms[0][1].construction)
        vars(self).update(forms=forms, sampled=sampled, domain=domain, construction=construction)
        if not isinstance(construction, str | None):
            raise TypeError(f"construction = {construction!r} must be the name of a function")
        if not isinstance(domain, Domain | None):
            raise TypeError(f"domain must be a Domain, got {type(domain).__name__}")
        if domain is not None and domain.sizes.tolist() != self.sizes.tolist():
            raise ValueError(f"{domain} does not fit: the sizes are {self.sizes.tolist()}")
        if domain is not None and sampled and FORM in (*domain.names, *domain.public):
            raise ValueError(f"no column of a sampled release may be called {FORM!r}: it tells the form")

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism of all attributes; raise if each form has a mechanism of its own."""
        if self.sampled:
            raise ValueError("each form has a mechanism of its own: release.forms has them all")
        return self.forms[0][1]

    @property
    def answers(self) -> int:
        """How many attributes each person is asked, at most."""
        return max(len(form) for form, _ in self.forms)

    @cached_property
    def levels(self) -> Levels:
        """All levels. Which form a person had is drawn without looking, and tells nothing."""
        return largest_levels(self.forms) if self.sampled else self.mechanism.levels

    @cached_property
    def sizes(self) -> Integers:
        """Number of values of each attribute."""
        return self.levels.sizes if self.sampled else self.mechanism.sizes

    @property
    def epsilon(self) -> float:
        """Overall level: the largest of any form."""
        return self.levels.epsilon

    @property
    def names(self) -> tuple[str | int, ...]:
        """Names of the attributes, or their numbers where there is no domain."""
        return tuple(range(len(self.sizes))) if self.domain is None else self.domain.names

    def perturb(self, records: Any, rng: int | np.random.Generator | None = None) -> Any:
        """Randomize records.

        Once: two releases of one record spend the level twice, and many give the truth away. Keep what was
        released. What else is not protected is on the page *What it does not protect*.

        Parameters
        ----------
        records : (n, k) array of int, or table
            One record a row, with values 0 to ``sizes[i] - 1`` in column ``i``; or, if there is a domain, a
            table of pandas, polars, pyarrow or dask with columns of these names and labels, in any order. One
            record may also be k integers, or a dictionary.
        rng : None, int or numpy.random.Generator
            None draws from the operating system, or from a cipher keyed by it: use it for every real release.
            A seed or a Generator makes the result reproducible, and so is for teaching and tests; with a
            table it gets the warning :class:`orr_release.Seeded`. A dask frame takes none: its partitions
            would share it, and so repeat each other's noise.

        Returns
        -------
        array or table
            The released records, of the same kind: a table has the randomized and the public columns, in the
            order given, a fresh index, and nothing else. The types of randomized columns follow from the
            domain, since those of the input may tell who is missing: strings, booleans and 64-bit integers,
            in pandas ``boolean`` and ``Int64`` where missing is a value. Categoricals and the like come back
            as such plain values. A dask frame is randomized anew whenever it is computed: write it to a file
            once, and go on from there. Its partitions stay as they were: truth that is divided by ward is
            released by ward.

        Examples
        --------
        >>> import orr_release
        >>> release = orr_release.kronecker([2, 4], [1.0, 1.0])
        >>> release.perturb([[0, 3], [1, 1]], rng=7).shape
        (2, 2)
        """
        if is_lazy(records):
            if rng is not None:
                raise ValueError("rng must be left out for a dask frame: its partitions would share it")
            return perturb_lazily(records, self._domain, self.perturb)
        check_truth(origin(records))
        source, codes = Source(rng), read(records, self._domain, gaps=self.sampled)
        if rng is not None and is_table(records):
            warnings.warn(
                "these records are released with a seed or generator of their own: whoever finds or guesses "
                "it, or its state, can take the noise off again. Leave rng out for a real release",
                Seeded,
                stacklevel=2,
            )
        if not self.sampled:
            return write(self.mechanism.randomize(codes, source), records, self._domain)
        released, numbers = randomize(self.forms, codes, source)
        more = {FORM: numbers} if is_table(records) else {}
        return write(released, records, self._domain, gaps=True, **more)

    def estimate(
        self,
        released: Any,
        attributes: Attributes,
        *,
        given: Given = None,
        weights: ArrayLike | str | None = None,
        counts: bool | str = False,
    ) -> Estimate:
        """Count the true values of some attributes, without bias, from released records.

        **Give it all released rows.** Rows chosen by a released value are not the people who have it: most of
        those may have been flipped into it. For a group use ``given``.

        Parameters
        ----------
        released : (n, k) array of int, or table
            What :meth:`perturb` returned; the columns asked for suffice. An arrow table that names another
            mechanism is refused; data frames of pandas and polars do not carry such a name.
        attributes : name, number, or several of them
            The attributes whose joint table is wanted, at most 8 of them with those given.
        given : mapping, optional
            A value for each of some other attributes: only people who truly have these are counted.
        weights : (n,) array or name of a column, optional
            How many people each record stands for, in the order of the rows (a Series of pandas must have
            the table's index). It must not be made from released values.
        counts : bool or name of a column
            True if ``released`` is the array of released counts, with an axis an attribute (those given
            last), in the order of the labels; or the column that says how often a row was released.

        Returns
        -------
        Estimate
            Counts, their errors, intervals and tests. Those of several batches add up.

        Raises
        ------
        NotRecoverable
            Where a factor ``rho`` is 0: the release does not determine the table at all.

        Warns
        -----
        Filtered
            Where a column lacks values that would be there if nobody had chosen rows, but for a chance of
            1e-9. Of rows chosen by a column that is not handed over, only ``groupby(...).apply`` of pandas
            leaves a trace.

        Examples
        --------
        >>> import orr_release
        >>> release = orr_release.kronecker([2, 3], [2.0, 2.0])
        >>> truth = np.array([[0, 0]] * 6000 + [[1, 2]] * 4000)
        >>> released = release.perturb(truth, rng=5)
        >>> release.estimate(released, 0).counts.round()
        array([6011., 3989.])
        >>> release.estimate(released, 0, given={1: 2}).proportions.round(2)
        array([0., 1.])
        """
        options = given, weights, counts
        if not is_lazy(released):
            return self.combine([self.read(released, attributes, *options)])
        if not (weights is None or isinstance(weights, str)):
            raise TypeError("weights must be the name of a column for a dask frame")
        return self.combine(partitions(released, lambda part: self.read(part, attributes, *options)))

    def read(
        self,
        released: Any,
        attributes: Attributes,
        given: Given = None,
        weights: ArrayLike | str | None = None,
        counts: bool | str = False,
    ) -> Reading:
        """Read a batch of released records, for :meth:`combine`; the parameters are those of estimate."""
        if (named := origin(released)) is not None:
            check_origin(named, self.digest)
        fixed, domain = codes_given(self._domain, given), self.domain
        check_table(self.sizes, table := (*self.places(attributes), *fixed))
        check_options(weights, counts, self.names, FORM if self.sampled else None)
        channels = self.channels(table)
        if counts is True:
            found = take_counts(released, channels[0])
        else:
            forms = form_numbers(self.forms, released, self.sizes) if self.sampled else None
            found = count_records(released, self._domain, channels, forms, weights, counts or None)
        known = None if domain is None else [domain.labels[i] for i in table]
        names, codes = [self.names[i] for i in table], list(fixed.values())
        return Estimate(*found[:3], names=names, labels=known, given=codes), found.labels

    def combine(self, readings: Iterable[Reading]) -> Estimate:
        """Add up what was read, and warn where rows seem to have been chosen by a released value."""
        estimates, labels = zip(*readings, strict=True)
        warn_if_filtered(labels, self.levels.flip_probabilities, self.domain)
        return sum(estimates[1:], start=estimates[0])

    def channels(self, attributes: Form) -> dict[int, Channel]:
        """Return the channels of all forms that tell of a table, by the number of the form."""
        if not self.sampled:
            return {0: Channel.of(self.mechanism.law, attributes)}
        return form_channels(self.forms, attributes)

    def noise(self, attributes: Form) -> tuple[float, float]:
        """Return the least ``|rho|`` of a table, and the mean variance of a cell's proportion per record."""
        try:
            channels = [*self.channels(attributes).values()]
        except NotRecoverable:
            return 0.0, math.inf
        factor = min(abs(r) for channel in channels for r in channel.rho.values())
        return factor, form_noise(channels, len(self.forms)) if self.sampled else channels[0].noise

    def places(self, attributes: Any) -> list[int]:
        """Return the numbers of some attributes, given by name or number."""
        return places_of(self._domain, attributes)

    def plan(self, n: int, tables: Iterable[Any] | None = None) -> Plan:
        """Predict how exact the tables of a release will be, before anyone looks at the records.

        Parameters
        ----------
        n : int
            How many people there will be.
        tables : iterable of tuples, optional
            Attributes of tables, by name or number, in place of all pairs.

        Returns
        -------
        Plan
            Expected standard errors of every one-way and two-way table, and warnings.

        Examples
        --------
        >>> import orr_release
        >>> print(orr_release.optimal([3, 3, 3], [0.4, 0.4, 0.4]).plan(2000).warnings[0][:52])
        Useless with 2,000 people: 0 x 1 (0.15 beside 0.11),
        """
        return plan(self, n, tables)

    def report(self, n: int | None = None) -> Report:
        """Write the page for an ethics board: who could learn what, and what is not protected.

        Parameters
        ----------
        n : int, optional
            How many people there will be; then the page also says how exact the tables will be.

        Returns
        -------
        Report
            Its ``markdown`` and its ``html``; ``save`` writes either.

        Examples
        --------
        >>> import orr_release
        >>> orr_release.kronecker([2, 3], [1.0, 2.0]).report().markdown.splitlines()[0]
        '# What this release could tell'
        """
        return report(self, n)

    def to_json(self) -> str:
        """Return the text of a file with all that an analyst on another machine needs.

        Examples
        --------
        >>> import orr_release
        >>> orr_release.load(orr_release.kronecker([2, 3], [1.0, 2.0]).to_json())
        <Release: 2 attributes, overall level 3 (Kronecker 3), neighbours up to 2>
        """
        return written(contents(self))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the file that :func:`orr_release.load` reads, with every number to its last digit.

        A file of another digest is not overwritten: a release may name it. What is constructed again has
        another digest where the file holds the run time of a certificate.

        Parameters
        ----------
        path : path
            Where to.

        Examples
        --------
        >>> import tempfile
        >>> import orr_release
        >>> release = orr_release.kronecker([2, 3], [1.0, 2.0])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     release.save(f"{folder}/mechanism.json")
        ...     orr_release.load(f"{folder}/mechanism.json") == release
        True
        """
        save(self, path)

    @cached_property
    def digest(self) -> str:
        """Digest of its file: of the one it was loaded from, or else of the one that :meth:`save` writes.

        It covers all that the file says: the law to the last digit, levels, names and labels, and the version
        of the package. Publish it with a release, and :func:`orr_release.load` accepts no other file in its
        place. Two releases are equal if they have the same digest. A construction that writes down its run
        time in a certificate gives another one each time.

        Pass on the file itself: another version of the package, or a processor that rounds differently, may
        write the same mechanism with another digest.

        Examples
        --------
        >>> import orr_release
        >>> release = orr_release.kronecker([2, 3], [1.0, 2.0])
        >>> again = orr_release.load(release.to_json(), digest=release.digest)
        >>> again.digest == release.digest, again == release
        (True, True)
        >>> release.digest[:7], release.digest in release.to_json()
        ('sha256:', True)
        """
        return digest(contents(self))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Release):
            return NotImplemented
        return self is other or self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        k = len(self.sizes)
        named = self.domain is not None and k <= MAX_NAMES
        attributes = f"{', '.join(map(str, self.names))};" if named else f"{k} attribute{'s' * (k > 1)},"
        if not self.sampled:
            return f"<Release: {attributes} {self.mechanism.spent}>"
        forms = f"{len(self.forms)} form{'s' * (len(self.forms) > 1)}"
        return (
            f"<Release: {self.answers} of {attributes} {forms}, overall level {self.epsilon:.5g}, "
            f"{self.levels.worst_neighbour}>"
        )

    def _repr_html_(self) -> str:
        """Show sizes and levels, attribute by attribute, and the overall level."""
        asked = self.levels.epsilons if self.sampled else self.mechanism.asked.epsilons
        return self.levels.html(repr(self).strip("<>"), self.names, asked)

    @property
    def _domain(self) -> Domain | Integers:
        return self.sizes if self.domain is None else self.domain
