"""No flip may make a record likelier: mass is moved until none does (chapter shape)."""

from __future__ import annotations

import numpy as np

from orr.arrays import Floats, Integers
from orr.kinds import Kinds


def monotone(kinds: Kinds, cells: Integers, shares: Floats) -> tuple[Integers, Floats]:
    """Move mass until no further flip makes a flip set likelier, one kind after the other.

    Along a line of cells that differ in the flips of one kind, shares that rise are replaced by their
    mean, in proportion to probability. That keeps the mass of the line and the flips of all other kinds,
    and lowers the flips of this one. Uniform probabilities are a product, so all parallel lines have the
    same proportions, a line that is nowhere larger stays so, and what was mended stays mended.
    """
    for g, (table, _) in enumerate(kinds.tables):
        key = cells.astype(np.uint64) @ kinds.steps - cells[:, g].astype(np.uint64) * kinds.steps[g]
        order = np.lexsort((cells[:, g], key))
        cells, shares, key = cells[order], shares[order], key[order]
        starts = np.flatnonzero(np.append(True, key[1:] != key[:-1]))
        # A line is in order if it begins with the truth, has no gaps, and falls.
        same = np.append(False, key[1:] == key[:-1])
        rises = np.append(False, (shares[1:] > shares[:-1]) | (np.diff(cells[:, g]) > 1)) & same
        rises |= ~same & (cells[:, g] > 0)
        wrong = np.flatnonzero(np.logical_or.reduceat(rises, starts))
        if not len(wrong):
            continue
        ends = np.append(starts[1:], len(cells))
        chances, new, values, gone = np.exp(table), [], [], np.zeros(len(cells), dtype=bool)
        for line in wrong:
            place = slice(starts[line], ends[line])
            counts = cells[place, g]
            full = np.zeros(counts[-1] + 1)
            full[counts] = shares[place]
            gone[place] = True
            row = np.repeat(cells[starts[line]][None], len(full), axis=0)
            row[:, g] = np.arange(len(full))
            new.append(row)
            values.append(falling(full, chances[: len(full)]))
        cells = np.concatenate([cells[~gone], *new])
        shares = np.concatenate([shares[~gone], *values])
    return cells, shares


def falling(values: Floats, chances: Floats) -> Floats:
    """Return the means of neighbours, in proportion to chances, that never rise (pool adjacent violators).

    Examples
    --------
    >>> falling(np.array([1.0, 0.0, 3.0]), np.array([1.0, 2.0, 1.0]))
    array([1., 1., 1.])
    """
    pools: list[tuple[float, float, int]] = []
    for value, chance in zip(values.tolist(), chances.tolist(), strict=True):
        pool = value, chance, 1
        while pools and pools[-1][0] < pool[0]:
            mean, weight, size = pools.pop()
            total = weight + pool[1]
            share = pool[1] / total if total else 1.0  # both underflow
            pool = mean + (pool[0] - mean) * share, total, size + pool[2]
        pools.append(pool)
    return np.repeat([mean for mean, _, _ in pools], [size for _, _, size in pools])
