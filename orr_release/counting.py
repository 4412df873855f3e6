"""Released records counted: how often each combination of values was released, and with which weights."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike

from orr.arrays import Floats, Integers, frozen
from orr.channel import Channel
from orr_release.arrow import imported
from orr_release.codes import read
from orr_release.domain import Domain
from orr_release.filter_check import Labels, count_labels
from orr_release.frames import is_table, numbers_of, rows_of


@dataclass(frozen=True, eq=False)
class Part:
    """The released table of those who answered one form.

    Attributes
    ----------
    channel : Channel
        What was done to the table.
    seen, squares : ndarray
        Sums of the weights, and of their squares, of the records released in each cell.
    """

    channel: Channel
    seen: Floats
    squares: Floats

    def __post_init__(self) -> None:
        for name in ("seen", "squares"):
            table = np.array(getattr(self, name), dtype=float)
            if table.shape != self.channel.shape:
                raise ValueError(f"{name} has shape {table.shape}, and its attributes {self.channel.shape}")
            object.__setattr__(self, name, frozen(table))

    def __add__(self, other: Part) -> Part:
        return Part(self.channel, self.seen + other.seen, self.squares + other.squares)


class Counted(NamedTuple):
    """What was counted in a batch of released records.

    Attributes
    ----------
    parts : dict
        The released table of each form that tells of all its attributes.
    total, squares : float
        Sums of the weights, and of their squares, of all records, whichever form they answer.
    labels : dict
        How often some of the records have each label, by attribute: what a filter would show in.
    """

    parts: dict[int, Part]
    total: float
    squares: float
    labels: Labels


def count_records(
    released: Any,
    domain: Domain | Integers,
    channels: Mapping[int, Channel],
    forms: Integers | None = None,
    weights: ArrayLike | str | None = None,
    counts: str | None = None,
) -> Counted:
    """Count released records by combination of values, form by form.

    ``channels`` are those of the table, in each form that asks for all of its attributes; ``forms`` tells the
    form of each record, if there are several. Weights are numbers, or the name of a column; ``counts`` names
    a column that says how often each record was released.

    Examples
    --------
    >>> import orr
    >>> channel = Channel.of(orr.kronecker([2, 2], [1.0, 1.0]).law, [0, 1])
    >>> count_records([[0, 1], [1, 1], [0, 1]], np.array([2, 2]), {0: channel}).parts[0].seen
    array([[0., 2.],
           [0., 1.]])
    """
    what, given = ("weights", weights) if counts is None else ("counts", counts)
    weight = None if given is None else check_weights(released, what, given)
    table = next(iter(channels.values())).attributes
    told: Any = slice(None) if forms is None else np.isin(forms, [*channels])
    codes = read(released if forms is None else rows_of(released, told), domain, table)
    n = len(codes if forms is None else forms)
    if weight is not None and len(weight) != n:
        raise ValueError(f"weights must be one a record: {n} records, {len(weight)} weights")
    parts = {}
    for form, channel in channels.items():
        rows = slice(None) if forms is None else forms[told] == form
        own, cells = None if weight is None else weight[told][rows], math.prod(channel.shape)
        place = np.ravel_multi_index(tuple(codes[rows].T.astype(np.int64)), channel.shape)
        seen = np.bincount(place, own, cells).astype(float)
        squares = seen if own is None or counts else np.bincount(place, own**2, cells).astype(float)
        parts[form] = Part(channel, seen.reshape(channel.shape), squares.reshape(channel.shape))
    total = float(n if weight is None else weight.sum())
    squared = total if weight is None or counts else float((weight**2).sum())
    known = {i: codes[:, j] for j, i in enumerate(table)} if forms is None else {}
    times = weight if counts else None
    labels = count_labels(released, domain, known, n, gaps=forms is not None, counts=times)
    return Counted(parts, total, squared, labels)


def take_counts(counts: ArrayLike, channel: Channel) -> Counted:
    """Take a table of released counts as it is; raise if it is not such a table.

    Examples
    --------
    >>> import orr
    >>> take_counts([3, 4], Channel.of(orr.kronecker([2], [1.0]).law, [0])).total
    7.0
    """
    if is_table(counts) or (hasattr(counts, "index") and not isinstance(counts, list | tuple)):
        raise TypeError(
            "counts must be an array in the order of the declared labels: a table may have another. "
            "Or give the table, and the name of its column of counts as counts="
        )
    table = np.asarray(counts)
    if table.dtype.kind not in "fiu" or not (np.isfinite(table) & (table >= 0)).all():
        raise ValueError("counts must be finite numbers of at least 0")
    if table.shape != channel.shape:
        raise ValueError(
            f"a table of counts of these attributes has shape {channel.shape}, got {table.shape}"
        )
    seen, axes = table.astype(float), {*range(table.ndim)}
    labels = {i: seen.sum(axis=tuple(axes - {j})) for j, i in enumerate(channel.attributes)}
    return Counted({0: Part(channel, seen, seen)}, float(seen.sum()), float(seen.sum()), labels)


def check_options(
    weights: ArrayLike | str | None, counts: object, names: Sequence[str | int], form: str | None
) -> None:
    """Raise if weights and counts contradict each other, or name a randomized column or that of the forms.

    Examples
    --------
    >>> check_options("weight", False, ["sex", "children"], None)
    """
    if not (isinstance(counts, bool) or (isinstance(counts, str) and counts)):
        raise TypeError(f"counts = {counts!r} must be True, False or the name of a column")
    if weights is not None and counts:
        raise ValueError("weights and counts cannot both be given")
    if counts is True and form is not None:
        raise ValueError("counts of a sampled release do not tell who was asked: give the records")
    for what, name in (("weights", weights), ("counts", counts)):
        if isinstance(name, str) and name in (*names, form):
            raise ValueError(f"{what} = {name!r} must not be a randomized column: its values are noisy")


def check_weights(released: Any, what: str, weights: ArrayLike | str) -> Floats:
    """Return the weight of each record, given as numbers or by the name of a column; raise if one is wrong.

    Examples
    --------
    >>> check_weights([[0, 1], [1, 1]], "weights", [1, 2])
    array([1., 2.])
    """
    if isinstance(weights, str) and not is_table(released):
        raise TypeError(f"{what} = {weights!r} names a column, but the records are an array")
    if np.ma.is_masked(weights):
        raise ValueError(f"{what} has masked entries: every record needs a number")
    mine, theirs = (cast(Any, getattr(rows, "index", None)) for rows in (released, weights))
    if hasattr(theirs, "equals"):  # of pandas
        own = mine if hasattr(mine, "equals") else imported("pandas").RangeIndex(len(cast(Any, weights)))
        if not theirs.equals(own):
            raise ValueError(
                f"{what} must have the index of the table, or 0, 1, ... if it has none: they may be of other "
                f"rows. If they are in the order of the rows, give {what}.to_numpy()"
            )
    values = numbers_of(released, weights) if isinstance(weights, str) else np.asarray(weights)
    if values.ndim != 1 or values.dtype.kind not in "fiu":
        raise TypeError(f"{what} must be one number a record")
    values = values.astype(float)
    if not (np.isfinite(values) & (values >= 0)).all():
        raise ValueError(f"{what} must be finite and at least 0")
    most = values.max(initial=0)
    if most and not 1e-100 < most < 1e100:  # squares must be normal doubles, and so must their sums
        raise ValueError(f"the largest of {what} must be between 1e-100 and 1e100")
    return values
