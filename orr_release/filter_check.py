"""Whether rows of a release were chosen by their released values (chapter release).

A released value of attribute ``i`` is each of its labels with a probability of at least ``q_i / (a_i - 1)``,
whatever the truth, and so ``n`` rows lack ``m`` labels with a probability of at most
``(1 - m q_i / (a_i - 1))^n``. Where labels are in none of the rows, although that is next to impossible,
somebody took rows away. The labels are counted when a batch is read, and judged when all batches are.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from scipy.special import betaln

from orr.arrays import Array, Floats, Integers
from orr_release.arrow import imported
from orr_release.codes import read
from orr_release.domain import READ_AS_MISSING, Domain, reading_hint
from orr_release.frames import is_table

Labels = dict[int, Floats]  # How often some rows have each label, by attribute.

FALSE_ALARM = 1e-9  # Probability of a warning about rows that nobody filtered.
MAX_SEARCHED_ROWS = 20_000  # Released records searched for traces of a filter: milliseconds.


class Filtered(UserWarning):
    """Rows of a release seem to have been chosen by their released values."""


def count_labels(
    released: Any,
    domain: Domain | Integers,
    known: Mapping[int, Array],
    rows: int,
    *,
    gaps: bool = False,
    counts: Floats | None = None,
) -> Labels:
    """Count the labels of some released rows from all over, in every column at hand.

    Where pandas applies something to groups, it takes the columns away by which it grouped, and leaves their
    values as the name of each group: see :func:`_grouped`.

    The attributes that are ``known`` were read already, the others are read here; with ``gaps`` they may be
    without an answer. If ``counts`` say how often each row was released, all rows are counted, and only the
    columns that are known: others may hold anything.

    Examples
    --------
    >>> count_labels([[0, 1], [1, 1]], np.array([2, 2]), {1: np.array([1, 1])}, 2)
    {1: array([0., 2.]), 0: array([1., 1.])}
    """
    sizes = domain.sizes if isinstance(domain, Domain) else domain
    step = -(-max(rows, 1) // MAX_SEARCHED_ROWS) if counts is None else 1
    columns = {i: codes[::step] for i, codes in known.items()}
    others, group = [i for i in range(len(sizes)) if i not in known], dict[int, int]()
    if isinstance(domain, Domain) and is_table(released):
        frame = imported("narwhals").from_native(released, eager_only=True)
        group = _grouped(domain, frame.columns, getattr(released, "__dict__", {}).get("name", ()))
        others = [i for i in others if domain.names[i] in frame.columns]
        some = frame.gather_every(step).to_native() if others else frame
    else:
        some = np.asarray(released).reshape(-1, len(sizes))[::step]
    if others and counts is None:
        rest = read(some, domain, others, gaps=gaps, complete=not gaps)
        columns |= {i: rest[:, j] for j, i in enumerate(others)}
    columns |= {i: np.full(len(range(0, rows, step)), code) for i, code in group.items()}
    return {i: _counted(codes, int(sizes[i]), counts) for i, codes in columns.items()}


def filtered(columns: Labels, rates: Floats) -> list[int]:
    """Return the attributes by which the rows of a release were filtered, as far as that can be seen.

    Where labels are in none of the rows, that must have a probability below 1e-9 for all sets of labels and
    all attributes together. The rows must stand for the whole release: of a release that is sorted, take some
    from all over, not the first.

    Parameters
    ----------
    columns : mapping of int to array
        For some attributes, how often some rows have each label.
    rates : ndarray
        Flip probability of every attribute, or a lower bound of it.

    Returns
    -------
    list of int
        The attributes, in order.

    Examples
    --------
    >>> filtered({0: np.array([200, 0]), 1: np.array([66, 67, 67])}, np.array([0.2, 0.2]))
    [0]
    """
    found = []
    for i, counts in sorted(columns.items()):
        size, absent = len(counts), np.count_nonzero(counts == 0)
        if 0 < absent < size:
            sets = -np.log(size + 1) - betaln(size - absent + 1, absent + 1)  # of so many labels
            chance = np.log1p(-rates[i] * absent / (size - 1)) * counts.sum()
            if sets + chance + np.log(size * len(columns)) < np.log(FALSE_ALARM):  # one more, for misread
                found.append(i)
    return found


def misread(columns: Labels, rates: Floats, domain: Domain) -> list[int]:
    """Return the attributes of which labels seem to have been read as missing values.

    That is so where missing is a value and is there, and no label is that looks like a missing value,
    although the probability that a release lacks all of these is as small as for :func:`filtered`. They are
    known beforehand, and so are not counted as one set of many.

    Examples
    --------
    >>> domain = Domain({"zone": ["NA", "EU"]}, missing="value")
    >>> misread({0: np.array([0, 100, 200])}, np.array([0.2]), domain)
    [0]
    >>> misread({0: np.array([0, 1, 2])}, np.array([0.2]), domain)  # by chance, as like as not
    []
    """
    found = []
    for i, counts in columns.items():
        last = len(counts) - 1
        alike = [code for code, label in enumerate(domain.labels[i]) if label in READ_AS_MISSING]
        if domain.missing[i] and alike and counts[last] and not counts[alike].any():
            chance = np.log1p(-rates[i] * len(alike) / last) * counts.sum()
            if chance + np.log((last + 1) * len(columns)) < np.log(FALSE_ALARM):
                found.append(i)
    return found


def warn_if_filtered(batches: Sequence[Labels], rates: Floats, domain: Domain | None) -> None:
    """Warn of attributes by which rows seem to have been chosen, in the line of three calls above."""
    columns = {i: np.sum([labels[i] for labels in batches if i in labels], axis=0) for i in batches[0]}
    found = filtered(columns, rates)
    for i in sorted({*found, *(misread(columns, rates, domain) if domain is not None else ())}):
        name, hint = f"attribute {i}", ""
        if domain is not None:
            name = repr(domain.names[i])
            if domain.missing[i] and not columns[i][-1] and columns[i][:-1].all():
                hint = ". Or missing values were left out: pandas groups and counts them with dropna=False"
            elif domain.missing[i] and READ_AS_MISSING & {*domain.labels[i]}:
                hint = f". Or a label was taken for missing. {reading_hint(domain)}"
        warnings.warn(
            f"these rows lack values of {name}, as if somebody had chosen them by it. If so, the estimate is "
            "wrong: a released value need not be the true one. Give all rows, and the group as given=" + hint,
            Filtered,
            stacklevel=4,
        )


def _counted(codes: Array, size: int, times: Floats | None) -> Floats:
    """Count each code; questions that were not asked have none."""
    asked = codes >= 0
    return np.bincount(codes[asked], None if times is None else times[asked], size).astype(float)


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
