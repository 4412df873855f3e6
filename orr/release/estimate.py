"""Unbiased counts from released records."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from orr.arrays import Array, Floats, Integers
from orr.laws.law import Law, subsets

MAX_CELLS = 10**6
MAX_ATTRIBUTES = 8


class NotRecoverable(ValueError):
    """The release holds no trace of what was asked for."""


@dataclass(frozen=True, eq=False)
class Estimate:
    """Estimated counts of every combination of values of a few attributes.

    Attributes
    ----------
    attributes : tuple of int
        The attributes, in the order of the axes of ``counts``.
    counts : ndarray
        Unbiased estimates; they may be negative or fractional.
    standard_errors : ndarray
        Standard errors of the counts, from the randomization alone.
    rho : dict
        For each set of attributes, the factor by which the release shrinks their interaction.
    """

    attributes: tuple[int, ...]
    counts: Floats
    standard_errors: Floats
    rho: dict[tuple[int, ...], float]

    def __repr__(self) -> str:
        worst = min(map(abs, self.rho.values()))
        return (
            f"Estimate(attributes={self.attributes}, {self.counts.size} cells, "
            f"N={self.counts.sum():.0f}, smallest |rho|={worst:.4g})"
        )


def observed_table(values: Array, sizes: Integers, chosen: Sequence[int]) -> Integers:
    """Count the released records of every combination of values of some attributes."""
    shape = tuple(int(a) for a in sizes[chosen])
    if not chosen or len(set(chosen)) != len(chosen) or len(chosen) > MAX_ATTRIBUTES:
        raise ValueError(f"attributes = {chosen} must be 1 to {MAX_ATTRIBUTES} different attributes")
    if np.prod(shape, dtype=float) > MAX_CELLS:
        raise ValueError(f"a table of shape {shape} has more than {MAX_CELLS} cells")
    cells = np.ravel_multi_index(tuple(values[:, i].astype(np.int64) for i in chosen), shape)
    return np.bincount(cells, minlength=int(np.prod(shape))).reshape(shape)


def unbiased_table(law: Law, observed: Integers, attributes: Sequence[int]) -> Estimate:
    """Undo the randomization of a table of counts on average.

    The channel from true to released tables shrinks the interaction of each set ``C`` of
    attributes by the factor ``rho_C``; dividing by it gives the counts. The division is a
    kernel that depends only on which values agree, so it and its square, which gives the
    variance, are applied one flip set at a time.
    """
    attributes = tuple(attributes)
    rho = {c: law.rho(set(c)) for c in subsets(attributes) if c}
    for c, factor in rho.items():
        if factor == 0:
            raise NotRecoverable(
                f"the table over attributes {attributes} cannot be recovered: the factor rho of "
                f"attributes {c} is 0, so the release keeps no trace of how they depend on each other"
            )
    kernel = _inverse_kernel(rho, attributes, observed.shape)
    counts = _apply(kernel, observed)
    variance = _apply({flips: r * r for flips, r in kernel.items()}, observed) - counts
    return Estimate(attributes, counts, np.sqrt(np.maximum(variance, 0)), rho)


def _inverse_kernel(
    rho: dict[tuple[int, ...], float], attributes: tuple[int, ...], sizes: tuple[int, ...]
) -> dict[tuple[int, ...], float]:
    """Weight of a released record in the count of a cell, by the axes where the two differ."""
    axes = tuple(range(len(attributes)))
    kernel = {}
    for flips in subsets(axes):
        total = 1.0
        for c in subsets(axes)[1:]:
            signs = math.prod(-1.0 if i in flips else sizes[i] - 1.0 for i in c)
            total += signs / rho[tuple(attributes[i] for i in c)]
        kernel[flips] = total / math.prod(sizes)
    return kernel


def _apply(kernel: dict[tuple[int, ...], float], table: Integers | Floats) -> Floats:
    """Sum, for every cell, the table's entries weighted by the axes where they differ from it."""
    result = np.zeros(table.shape)
    for flips, weight in kernel.items():
        part = table.astype(float)
        for axis in flips:
            part = part.sum(axis=axis, keepdims=True) - part
        result += weight * part
    return result
