"""Released records counted: how often each combination of values was released, and with which weights."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from orr.arrays import Array, Floats, Integers, frozen
from orr.channel import Channel
from orr_release.arrow import imported
from orr_release.codes import read
from orr_release.domain import Domain
from orr_release.frames import is_table

Tables = tuple[Floats, Floats]


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


def ending(given: tuple[int, ...]) -> tuple[Any, ...]:
    """Index the cells of a table that end in the codes given."""
    return (..., *given)


class Tally:
    """Released records of a table, counted form by form.

    Attributes
    ----------
    seen : dict
        For each form, the weight of every combination of values; and the sum of the squared weights.
    total, squares : float
        Sums of the weights and of their squares over all records, whatever their form.

    Examples
    --------
    >>> tally = Tally([[0, 1], [1, 1], [0, 1]], np.array([2, 2]), (0, 1))
    >>> tally.seen[0][0]
    array([[0., 2.],
           [0., 1.]])
    """

    def __init__(
        self,
        released: Any,
        domain: Domain | Integers,
        table: tuple[int, ...],
        forms: Integers | None = None,
        wanted: Iterable[int] = (0,),
        *,
        weights: ArrayLike | str | None = None,
        counts: str | None = None,
    ) -> None:
        sizes = domain.sizes if isinstance(domain, Domain) else domain
        self.shape = tuple(sizes[list(table)].tolist())
        self.seen: dict[int, Tables] = {}
        weight = None
        if weights is not None or counts is not None:
            weight = _weights(released, "weights" if counts is None else "counts", weights, counts)
        if forms is not None and weight is not None and len(weight) != len(forms):
            raise ValueError(f"weights must be one a record: {len(forms)} records, {len(weight)} weights")
        self.total = self.squares = 0.0
        number = 0
        for form in wanted:
            rows = None if forms is None else forms == form
            codes = read(released if rows is None else take(released, rows), domain, table)
            part = weight if rows is None or weight is None else weight[rows]
            self.seen[form] = self._tables(codes, part, counts is None)
            number = len(codes)
        n = number if forms is None else len(forms)
        self.total = float(n) if weight is None else float(weight.sum())
        self.squares = self.total if weight is None or counts is not None else float((weight**2).sum())

    @classmethod
    def of_counts(cls, counts: ArrayLike, shape: tuple[int, ...]) -> Self:
        """Take a table of released counts as it is."""
        if is_table(counts) or (hasattr(counts, "index") and not isinstance(counts, list | tuple)):
            raise TypeError(
                "counts must be an array in the order of the declared labels: a table may have another. "
                "Or give the table, and the name of its column of counts as counts="
            )
        table = np.asarray(counts)
        if table.dtype.kind not in "fiu" or not (np.isfinite(table) & (table >= 0)).all():
            raise ValueError("counts must be finite numbers of at least 0")
        if table.shape != shape:
            raise ValueError(f"a table of counts of these attributes has shape {shape}, got {table.shape}")
        tally = cls.__new__(cls)
        tally.shape, tally.seen = shape, {0: (table.astype(float), table.astype(float))}
        tally.total = tally.squares = float(table.sum())
        return tally

    def _tables(self, codes: Array, weight: Floats | None, squared: bool) -> Tables:
        """Sum up weights, and their squares, by combination of values."""
        if weight is not None and len(weight) != len(codes):
            raise ValueError(f"weights must be one a record: {len(codes)} records, {len(weight)} weights")
        cells = np.ravel_multi_index(tuple(codes.T.astype(np.int64)), self.shape)
        seen = self._summed(cells, weight)
        return seen, seen if weight is None or not squared else self._summed(cells, weight**2)

    def _summed(self, cells: Integers, weight: Floats | None) -> Floats:
        size = int(np.prod(self.shape))
        return np.bincount(cells, weight, minlength=size).reshape(self.shape).astype(float)


def _weights(released: Any, what: str, weights: ArrayLike | str | None, counts: str | None) -> Floats:
    """Return the weight of each record, or say what is wrong with them."""
    name = weights if isinstance(weights, str) else counts
    if name is not None and not is_table(released):
        raise TypeError(f"{what} = {name!r} names a column, but the records are an array")
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
    values = np.asarray(weights if name is None else column(released, name))
    if values.ndim != 1 or values.dtype.kind not in "fiu":
        raise TypeError(f"{what} must be one number a record")
    values = values.astype(float)
    if not (np.isfinite(values) & (values >= 0)).all():
        raise ValueError(f"{what} must be finite and at least 0")
    most = values.max(initial=0)
    if most and not 1e-100 < most < 1e100:  # squares must be normal doubles, and so must their sums
        raise ValueError(f"the largest of {what} must be between 1e-100 and 1e100")
    return values


def column(records: Any, name: str, meaning: str = "") -> Array:
    """Return a column of numbers of a table.

    Examples
    --------
    >>> import pandas as pd
    >>> column(pd.DataFrame({"weight": [1.5, 2.0]}), "weight")
    array([1.5, 2. ])
    """
    import narwhals as nw

    frame = nw.from_native(records, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame) or name not in frame.columns:
        raise ValueError(f"there is no column {name!r}" + (f", {meaning}" if meaning else ""))
    return frame[name].to_numpy()


def take(records: Any, rows: NDArray[np.bool_]) -> Any:
    """Return some rows of an array or a table.

    Examples
    --------
    >>> take([[0, 1], [1, 1]], np.array([False, True]))
    array([[1, 1]])
    """
    if not is_table(records):
        return np.asarray(records)[rows]
    import narwhals as nw

    if not len(rows):
        return records
    frame = nw.from_native(records, eager_only=True)
    return frame.filter(rows.tolist()).to_native()


def labels_seen(
    released: Any,
    domain: Domain | Integers,
    table: tuple[int, ...],
    most: int,
    gaps: bool = False,
    counts: str | None = None,
) -> dict[int, Array]:
    """Count the labels of some released rows from all over, in every column at hand.

    Of a table with a column of counts all rows are looked at, and only the columns that are wanted: others
    may hold anything. Where pandas applies something to groups, it takes the columns away by which it
    grouped, and leaves their values as the name of each group: see :func:`_grouped`.

    Examples
    --------
    >>> labels_seen([[0], [1], [1]], np.array([2]), (0,), 2)
    {0: array([1., 1.])}
    """
    sizes, times, group = domain.sizes if isinstance(domain, Domain) else domain, None, dict[int, int]()
    if isinstance(domain, Domain) and is_table(released):
        import narwhals as nw

        frame = nw.from_native(released, eager_only=True)
        places = [i for i, name in enumerate(domain.names) if name in frame.columns]
        step = -(-max(len(frame), 1) // most)
        if counts is not None:
            places, step, times = list(table), 1, column(released, counts).astype(float)
        some = frame.gather_every(step).to_native()
        group = _grouped(domain, frame.columns, getattr(released, "__dict__", {}).get("name", ()))
    else:
        values = np.asarray(released)
        some, places = values[:: -(-max(len(values), 1) // most)], list(range(len(domain)))
    codes = read(some, domain, tuple(places), gaps=gaps, complete=not gaps)
    columns = {i: codes[:, j] for j, i in enumerate(places)}
    columns |= {i: np.full(len(codes), code) for i, code in group.items()}
    return {i: _counted(codes, int(sizes[i]), times) for i, codes in columns.items()}


def _counted(codes: Array, size: int, times: Array | None) -> Floats:
    """Count each code; questions that were not asked have none."""
    asked = codes >= 0
    counts = np.bincount(codes[asked], None if times is None else times[asked], minlength=size)
    return counts.astype(float)


def _grouped(domain: Domain, columns: Collection[str], name: Any) -> dict[int, int]:
    """Find the attributes by which rows seem to be a group, from its name, and the codes of their labels.

    These have no column. If no other attribute is without a column, all must fit; else only a string tells
    which one it is of, and only if it fits no other: folds have numbers, too. Nothing is told by a name that
    may be that of a public column.
    """
    keys = name if isinstance(name, tuple) else (name,)
    absent = [i for i, n in enumerate(domain.names) if n not in columns]
    if not absent or len(keys) <= len(set(domain.public) - set(columns)):
        return {}
    all_absent = len(absent) <= len(keys)
    found = dict[int, int]()
    for key in keys:
        fits = {i: code for i in absent if (code := _code(domain, i, key)) >= 0}
        if all_absent or (isinstance(key, str) and len(fits) == 1):
            found = fits | found
    return {} if all_absent and len(found) < len(absent) else found


def _code(domain: Domain, attribute: int, label: Any) -> int:
    """Return the code of a label, or -1."""
    try:
        return domain.code(attribute, label)
    except ValueError:
        return -1
