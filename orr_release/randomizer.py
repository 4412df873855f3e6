"""What every mechanism does with records, whatever its law (chapter release).

A mechanism has one *form*, that of all attributes. A sampled one has several: each person is asked only the
attributes of one of them.
"""

from __future__ import annotations

import copy
import warnings
from abc import abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from orr.arrays import Array, Integers
from orr.channel import Part
from orr.randomness import Seeded, Source
from orr_release.codes import read, write
from orr_release.counting import Tally, check_table, labels_seen
from orr_release.described import Described
from orr_release.domain import Domain, Label
from orr_release.estimate import Estimate
from orr_release.filter_check import warn_of
from orr_release.frames import is_lazy, is_table, partitions, perturb_lazily
from orr_release.origin import check_origin, check_truth, origin

Attributes = str | int | Iterable[str | int]
FORM = "form"  # the column that says which form a person had
LOOKED_AT = 20_000  # released records in which traces of a filter are looked for: milliseconds


class Reading(NamedTuple):
    """What was read from a batch of released records: an estimate, and counts of labels in some rows."""

    estimate: Estimate
    labels: dict[int, Array]


class Randomizer(Described):
    """Records in, released records out, and the tables that these tell of."""

    block: int  # values that are randomized at a time
    gaps = False  # whether a release leaves out some of the answers

    @abstractmethod
    def randomize(self, values: Array, source: Source) -> tuple[Array, Integers | None]:
        """Randomize codes; tell which form each record had, if there are several."""

    def form_numbers(self, released: Any) -> Integers | None:
        """Tell which form each released record had, if there are several."""
        return None

    def on(self, domain: Domain) -> Self:
        """Return the same mechanism, with names and labels.

        Parameters
        ----------
        domain : Domain
            With as many labels of each attribute as the mechanism has values.

        Returns
        -------
        Randomizer
            A copy that takes tables with these columns.

        Examples
        --------
        >>> import orr
        >>> orr.kronecker([2, 4], [1.0, 1.0]).on(orr.Domain({"sex": ["F", "M"], "children": 4}))
        <Mechanism: sex, children; overall level 2 (Kronecker 2), neighbours up to 1>
        """
        if not isinstance(domain, Domain):
            raise TypeError(f"domain must be a Domain, got {type(domain).__name__}")
        if domain.sizes.tolist() != self.sizes.tolist():
            raise ValueError(f"{domain} does not fit: the sizes are {self.sizes.tolist()}")
        result = copy.copy(self)
        vars(result).update(domain=domain, loaded=None)
        return result

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
            table it gets the warning :class:`orr.Seeded`. A dask frame takes none: its partitions would share
            it, and so repeat each other's noise.

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
        >>> import orr
        >>> mechanism = orr.kronecker([2, 4], [1.0, 1.0])
        >>> mechanism.perturb([[0, 3], [1, 1]], rng=7).shape
        (2, 2)
        """
        if is_lazy(records):
            if rng is not None:
                raise ValueError("rng must be left out for a dask frame: its partitions would share it")
            return perturb_lazily(records, self._domain, self.perturb)
        check_truth(origin(records))
        source, values = Source(rng), read(records, self._domain, gaps=self.gaps)
        if rng is not None and is_table(records):
            warnings.warn(
                "these records are released with a seed or generator of their own: whoever finds or guesses "
                "it, or its state, can take the noise off again. Leave rng out for a real release",
                Seeded,
                stacklevel=2,
            )
        step, forms = max(1, self.block // len(self.sizes)), []
        released = values if is_table(records) else np.empty_like(values)  # a table's codes are nobody else's
        for start in range(0, len(values), step):
            rows = slice(start, start + step)
            released[rows], drawn = self.randomize(values[rows], source)
            forms.append(drawn)
        if self.gaps and is_table(records):
            numbers = np.concatenate([np.empty(0, dtype=np.int64), *forms])
            return write(released, records, self._domain, gaps=True, **{FORM: numbers})
        return write(released, records, self._domain)

    def estimate(
        self,
        released: Any,
        attributes: Attributes,
        *,
        given: Mapping[str | int, Label | None] | None = None,
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
        >>> import orr
        >>> mechanism = orr.kronecker([2, 3], [2.0, 2.0])
        >>> truth = np.array([[0, 0]] * 6000 + [[1, 2]] * 4000)
        >>> released = mechanism.perturb(truth, rng=5)
        >>> mechanism.estimate(released, 0).counts.round()
        array([6011., 3989.])
        >>> mechanism.estimate(released, 0, given={1: 2}).proportions.round(2)
        array([0., 1.])
        """
        options: dict[str, Any] = {"given": given, "weights": weights, "counts": counts}
        if not is_lazy(released):
            return self.concluded([self.read(released, attributes, **options)])
        if not (weights is None or isinstance(weights, str)):
            raise TypeError("weights must be the name of a column for a dask frame")
        return self.concluded(partitions(released, lambda part: self.read(part, attributes, **options)))

    def read(
        self,
        released: Any,
        attributes: Attributes,
        *,
        given: Mapping[str | int, Label | None] | None = None,
        weights: ArrayLike | str | None = None,
        counts: bool | str = False,
    ) -> Reading:
        """Read a batch of released records, for :meth:`concluded`; the parameters are those of estimate."""
        check_origin(origin(released), self)
        chosen, fixed = self.places(attributes), self.fixed(given)
        check_table(self.sizes, table := (*chosen, *fixed))
        if not (isinstance(counts, bool) or (isinstance(counts, str) and counts)):
            raise TypeError(f"counts = {counts!r} must be True, False or the name of a column")
        if weights is not None and counts:
            raise ValueError("weights and counts cannot both be given")
        for what, name in (("weights", weights), ("counts", counts)):
            if isinstance(name, str) and (name in self.names or (self.gaps and name == FORM)):
                raise ValueError(f"{what} = {name!r} must not be a randomized column: its values are noisy")
        channels = self.channels(table)
        if counts is True:
            if self.gaps:
                raise ValueError("counts of a sampled release do not tell who was asked: give the records")
            tally = Tally.of_counts(released, next(iter(channels.values())).shape)
            ((seen, _),) = tally.seen.values()
            axes = {*range(seen.ndim)}
            found = {i: seen.sum(axis=tuple(axes - {j})) for j, i in enumerate(table)}
        else:
            column, forms = counts or None, self.form_numbers(released)
            tally = Tally(released, self._domain, table, forms, channels, weights=weights, counts=column)
            # Last, since by now the records are known to be good.
            found = labels_seen(released, self._domain, table, LOOKED_AT, self.gaps, column)
        parts = {form: Part(channel, *tally.seen[form]) for form, channel in channels.items()}
        names: tuple[str | int, ...] = table
        labels = None
        if self.domain is not None:
            names, labels = zip(*((self.domain.names[i], self.domain.labels[i]) for i in table), strict=True)
        codes, sums = list(fixed.values()), (tally.total, tally.squares)
        return Reading(Estimate(chosen, parts, *sums, names=names, labels=labels, given=codes), found)

    def concluded(self, readings: Iterable[Reading]) -> Estimate:
        """Add up what was read, and warn where rows seem to have been chosen by a released value."""
        every = list(readings)
        columns = {i: np.sum([r.labels[i] for r in every if i in r.labels], axis=0) for i in every[0].labels}
        warn_of(columns, self.flip_probabilities, self.domain)
        return sum((r.estimate for r in every[1:]), start=every[0].estimate)

    @property
    def _domain(self) -> Domain | Integers:
        return self.sizes if self.domain is None else self.domain
