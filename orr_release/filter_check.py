"""Whether rows of a release were chosen by their released values (chapter release)."""

from __future__ import annotations

import warnings
from collections.abc import Mapping

import numpy as np
from scipy.special import betaln

from orr.arrays import Array, Floats
from orr_release.domain import READ_AS_MISSING, Domain, reading_hint

CHANCE = 1e-9  # of a warning about rows that nobody filtered


class Filtered(UserWarning):
    """Rows of a release seem to have been chosen by their released values."""


def filtered(columns: Mapping[int, Array], rates: Floats) -> list[int]:
    """Tell on which attributes the rows of a release were filtered, as far as that can be seen.

    A released value of attribute ``i`` is each of its labels with a chance of at least ``q_i / (a_i - 1)``,
    whatever the truth, and so ``n`` rows lack ``m`` labels with one of at most
    ``(1 - m q_i / (a_i - 1))^n``. Where labels are in none of the rows, and that had a chance below 1e-9 for
    all sets of labels and all attributes together, somebody took rows away. The rows must stand for the whole
    release: of a release that is sorted, take some from all over, not the first.

    Parameters
    ----------
    columns : mapping of int to array
        For some attributes, how often some rows have each label.
    rates : ndarray
        Flip probability of every attribute, or less.

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
            if sets + chance + np.log(size * len(columns)) < np.log(CHANCE):  # one more, for misread
                found.append(i)
    return found


def misread(columns: Mapping[int, Array], rates: Floats, domain: Domain) -> list[int]:
    """Tell of which attributes labels seem to have been read as missing values.

    That is so where missing is a value and is there, and no label is that looks like a missing value,
    although the chance that a release lacks all of these is as small as for :func:`filtered`. They are known
    beforehand, and so are not counted as one set of many.

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
            if chance + np.log((last + 1) * len(columns)) < np.log(CHANCE):
                found.append(i)
    return found


def warn_of(columns: Mapping[int, Array], rates: Floats, domain: Domain | None) -> None:
    """Warn of attributes by which rows seem to have been chosen; the line is that of three calls above."""
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
