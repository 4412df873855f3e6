"""What a law does to a table, and how that is undone on average (chapter tables).

The channel from true to released tables shrinks the interaction of each set ``C`` of attributes by the factor
``rho_C``; its inverse divides by it. Either is a *kernel*, a weight that depends only on the axes where two
cells differ: a cube with an axis of length 2 an attribute, 0 for the same value and 1 for another one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from orr.arrays import Floats, Integers
from orr.laws.law import Law, subsets

MAX_TABLE_ATTRIBUTES = 8  # A table of 8 attributes has 256 factors, each of them a pass over the law.
MAX_TABLE_CELLS = 10**6  # Eight megabytes for each array of a cell's numbers.
MAX_DENSE_CELLS = 4096  # The matrix of such a table takes 128 MB, and seconds to multiply.
ROUNDING_SHARE = 1e-12  # A negative probability below this share of the largest is rounding noise: it is 0.


class NotRecoverable(ValueError):
    """The released records hold no information about the table asked for."""


def check_table(sizes: Integers, attributes: Sequence[int]) -> None:
    """Raise if a table has too many attributes or cells, or an attribute twice."""
    if not attributes or len(set(attributes)) != len(attributes) or len(attributes) > MAX_TABLE_ATTRIBUTES:
        raise ValueError(
            f"attributes = {list(attributes)} must be 1 to {MAX_TABLE_ATTRIBUTES} different attributes"
        )
    shape = tuple(sizes[list(attributes)].tolist())
    if np.prod(shape, dtype=float) > MAX_TABLE_CELLS:
        raise ValueError(f"a table of shape {shape} has more than {MAX_TABLE_CELLS} cells")


class Channel:
    """The channel from true to released tables over some attributes.

    Parameters
    ----------
    attributes : sequence of int
        The attributes, in the order of the table's axes.
    shape : sequence of int
        Number of values of each.
    rho : mapping
        For each set of attributes, the factor by which the release shrinks their interaction.

    Examples
    --------
    >>> import orr
    >>> channel = Channel.of(orr.kronecker([2, 3], [2.0, 1.0]).law, [1])
    >>> channel
    Channel(attributes=(1,), shape=(3,), smallest |rho|=0.3642)
    >>> released = channel.expect([600.0, 300.0, 100.0])
    >>> released.round(1), channel.invert(released).round(1)
    (array([430.4, 321.2, 248.4]), array([600., 300., 100.]))
    """

    def __init__(
        self, attributes: Sequence[int], shape: Sequence[int], rho: Mapping[tuple[int, ...], float]
    ) -> None:
        self.attributes, self.shape, self.rho = tuple(attributes), tuple(shape), dict(rho)

    @classmethod
    def of(cls, law: Law, attributes: Sequence[int]) -> Self:
        """Return the channel of some attributes of a law."""
        chosen = tuple(int(i) for i in attributes)
        rho = {c: law.rho(set(c)) for c in subsets(chosen) if c}
        return cls(chosen, [int(law.problem.sizes[i]) for i in chosen], rho)

    def renamed(self, attributes: Sequence[int]) -> Channel:
        """Return the same channel with other numbers for its attributes."""
        name = dict(zip(self.attributes, attributes, strict=True))
        return Channel(attributes, self.shape, {tuple(name[i] for i in c): r for c, r in self.rho.items()})

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Channel):
            return NotImplemented
        mine, others = ((c.attributes, c.shape, c.rho) for c in (self, other))
        return mine == others

    def __hash__(self) -> int:
        return hash((self.attributes, self.shape))

    def __repr__(self) -> str:
        worst = min(map(abs, self.rho.values()))
        return f"Channel(attributes={self.attributes}, shape={self.shape}, smallest |rho|={worst:.4g})"

    @property
    def recoverable(self) -> bool:
        """Whether every factor differs from 0, so that the channel has an inverse."""
        return all(self.rho.values())

    @property
    def noise(self) -> float:
        """Variance that the randomization of one record adds to an unbiased count, averaged over cells.

        It is the same for every true table (chapter tables), and infinite where there is no unbiased count.
        """
        if not self.recoverable:
            return math.inf
        size = dict(zip(self.attributes, self.shape, strict=True))
        terms = (math.prod(size[i] - 1.0 for i in c) * (r**-2 - 1) for c, r in self.rho.items())
        return max(math.fsum(terms), 0.0) / math.prod(self.shape) ** 2

    @property
    def stay(self) -> float:
        """Probability that a record is released in its true cell."""
        return float(self._forward.flat[0])

    @cached_property
    def least_noise(self) -> float:
        """Smallest variance that the randomization of one record can add to an unbiased count."""
        cell = np.zeros(self.shape)
        cell.flat[0] = 1
        return max(float((self.expect(self.square(cell)) - cell).min()), 0.0)

    def relative(self, factors: Mapping[int, float]) -> Channel:
        """Return what is left of the channel, if each of some attributes is shrunk by a factor beforehand."""
        left = {c: r / math.prod(factors.get(i, 1.0) for i in c) for c, r in self.rho.items()}
        return Channel(self.attributes, self.shape, left)

    @cached_property
    def _forward(self) -> Floats:
        """Probabilities of the released cells; one that rounding makes negative is 0."""
        kernel = _kernel(self._factors(), self.shape)
        return np.where((kernel < 0) & (kernel > -ROUNDING_SHARE * kernel.max()), 0, kernel)

    @cached_property
    def _inverse(self) -> Floats:
        """Weight of a released record in the count of a cell."""
        for c, factor in self.rho.items():
            if factor == 0:
                raise NotRecoverable(
                    f"the table over attributes {self.attributes} cannot be recovered: the factor rho of "
                    f"attributes {c} is 0, so the release keeps no trace of how they depend on each other"
                )
        return _kernel(1 / self._factors(), self.shape)

    def _factors(self) -> Floats:
        """Arrange the factors in a cube: index 1 on the axes of the set."""
        cube = np.ones((2,) * len(self.shape))
        for c, factor in self.rho.items():
            cube[tuple(int(i in c) for i in self.attributes)] = factor
        return cube

    def expect(self, table: ArrayLike) -> Floats:
        """Return the expected released table of a true one."""
        return _applied(self._forward, np.asarray(table, dtype=float))

    def invert(self, table: ArrayLike) -> Floats:
        """Return unbiased estimates of the true table, from a released one."""
        return _applied(self._inverse, np.asarray(table, dtype=float))

    def square(self, table: ArrayLike) -> Floats:
        """Return, for each cell, the sum of the squares of what each released record adds to its estimate."""
        return _applied(self._inverse**2, np.asarray(table, dtype=float))

    def matrix(self) -> Floats:
        """Return the chance of each released cell (row) given each true one (column), cells in C order."""
        return _dense(self._forward, self.shape, ())

    def inverse(self, given: Sequence[int] = ()) -> Floats:
        """Return the inverse matrix, or its rows for the cells that end in the codes given."""
        return _dense(self._inverse, self.shape, tuple(given))


def _kernel(factors: Floats, shape: tuple[int, ...]) -> Floats:
    """Turn the factor of each set of axes into the weight of each set of axes in which two cells differ.

    An axis of ``a`` values has the mean, of factor 1, and what is left: ``1/a`` each for cells that differ,
    and ``1/a`` plus ``(a - 1)/a`` for cells that agree.
    """
    cube = factors
    for axis, a in enumerate(shape):
        without, within = np.take(cube, 0, axis), np.take(cube, 1, axis)
        cube = np.stack([(without + (a - 1.0) * within) / a, (without - within) / a], axis=axis)
    return cube


def _applied(kernel: Floats, table: Floats, axis: int = 0) -> Floats:
    """Sum, for every cell, the table's entries, weighted by the axes in which they differ from it."""
    if axis == table.ndim:
        return kernel * table
    others = table.sum(axis=axis, keepdims=True) - table
    return _applied(kernel[0], table, axis + 1) + _applied(kernel[1], others, axis + 1)


def dense_shape(shape: tuple[int, ...], given: tuple[int, ...]) -> tuple[int, int]:
    """Return rows and columns of a matrix, for the rows that end in the codes given, or refuse it."""
    rows, cells = math.prod(shape[: len(shape) - len(given)]), math.prod(shape)
    if rows * cells > MAX_DENSE_CELLS**2:
        raise ValueError(
            f"a matrix of {rows} rows and {cells} columns is too large: "
            f"they are made for tables of up to {MAX_DENSE_CELLS:,} cells"
        )
    return rows, cells


def _dense(kernel: Floats, shape: tuple[int, ...], given: tuple[int, ...]) -> Floats:
    """Write a kernel out as a matrix, for the rows that end in the codes given."""
    rows, cells = dense_shape(shape, given)
    values = np.indices(shape, dtype=np.int32).reshape(len(shape), -1)
    chosen = np.ones(cells, dtype=bool)
    for axis, code in enumerate(given, start=len(shape) - len(given)):
        chosen &= values[axis] == code
    place = np.zeros((rows, cells), dtype=np.uint8)  # 8 axes at most
    for v in values:
        place = 2 * place + (v[chosen, None] != v)
    return kernel.ravel()[place]
