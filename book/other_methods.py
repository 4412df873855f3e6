"""What a user would do instead: ask each person one question, or trust a holder (chapter should-you).

A *table* is a tuple of attributes; its *cells* are the combinations of their values, the last changing
fastest. Everything here estimates the shares of cells without bias, and a *variance* is that of a share,
mean over the cells of a table, over all that chance decides while the people stay the same.

Splitting a level evenly over the attributes (SPL) is :func:`orr.kronecker`. Sampling (SMP) stands beside
it in Arcolezi and others (2021), whose library is multi-freq-ldpy. The oracles are in Tianhao Wang and
others (2017).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import exp, expm1, inf, prod

import numpy as np
from scipy.stats import binom

from orr.arrays import Array, Floats, Integers
from orr.channel import NotRecoverable
from orr.mechanism import Mechanism
from orr_release import Release

Attributes = tuple[int, ...]


@dataclass(frozen=True)
class Oracle:
    """How one value among so many cells is reported: as a bit for each cell.

    The bit of the true cell is 1 with chance ``p``, that of any other with chance ``q``: exactly one bit,
    or, if ``unary``, each drawn on its own.
    """

    cells: int
    p: float
    q: float
    unary: bool

    @property
    def noise(self) -> float:
        """Variance of an estimated share from one answer, mean over cells; the same for every truth.

        Examples
        --------
        >>> from math import log
        >>> round(grr(2, log(3)).noise, 12)  # q (1 - q) / (1 - 2 q)^2 with q = 1/4
        0.75
        """
        true, other = self.p * (1 - self.p), self.q * (1 - self.q)
        return (true + (self.cells - 1) * other) / self.cells / (self.p - self.q) ** 2

    def bits(self, values: Integers, rng: np.random.Generator) -> Array:
        """Report values (-1 for none, if bits are drawn alone): a row of bits each."""
        truth = values[:, None] == np.arange(self.cells)
        if self.unary:
            return rng.random(truth.shape) < np.where(truth, self.p, self.q)
        moved = (values + rng.integers(1, self.cells, len(values))) % self.cells
        kept = rng.random(len(values)) < self.p
        return np.where(kept, values, moved)[:, None] == np.arange(self.cells)


def grr(cells: int, epsilon: float) -> Oracle:
    """Report by randomized response: the true value has odds ``exp(epsilon)`` against any one other.

    Examples
    --------
    >>> from math import log
    >>> grr(4, log(3))
    Oracle(cells=4, p=0.5, q=0.16666666666666666, unary=False)
    """
    other = 1 / (exp(epsilon) + cells - 1)
    return Oracle(cells, exp(epsilon) * other, other, False)


def oue(cells: int, epsilon: float) -> Oracle:
    """Report by optimized unary encoding: the true bit is shown half of the time, the others seldom.

    Examples
    --------
    >>> from math import log
    >>> oue(4, log(3))
    Oracle(cells=4, p=0.5, q=0.25, unary=True)
    """
    return Oracle(cells, 0.5, 1 / (exp(epsilon) + 1), True)


def adaptive(cells: int, epsilon: float) -> Oracle:
    """Choose of these, as the library does, what has the smaller variance in an empty cell (ADP).

    Examples
    --------
    >>> [adaptive(cells, 1.0).unary for cells in (2, 10, 11)]
    [False, False, True]
    """
    return min((grr(cells, epsilon), oue(cells, epsilon)), key=lambda o: o.q * (1 - o.q) / (o.p - o.q) ** 2)


class Asked:
    """Each person answers one table, chosen at random, with the whole level: SMP, or SMP of pairs.

    Which table was answered is told, and chosen without a look at the record. So the overall level is
    ``epsilon``, and so is every neighbour level.

    Parameters
    ----------
    sizes : sequence of int
        Number of values of each attribute.
    epsilon : float
        The level of the answer.
    together : int
        Attributes of the table that a person answers, reported as one value: 1, or 2 for pairs.
    oracle : {adaptive, grr, oue}
        How a table is reported.

    Examples
    --------
    >>> peer = Asked([2, 3], 1.0)
    >>> peer.tables, peer.epsilon, peer.neighbour_epsilons
    ([(0,), (1,)], 1.0, array([1., 1.]))
    >>> [round(v, 4) for v in peer.variances([np.full(2, 1 / 2), np.full(3, 1 / 3)], 1000)]
    [0.0021, 0.0031]
    """

    def __init__(
        self,
        sizes: Sequence[int],
        epsilon: float,
        together: int = 1,
        oracle: Callable[[int, float], Oracle] = adaptive,
    ) -> None:
        self.sizes, self.epsilon = list(sizes), epsilon
        self.neighbour_epsilons = np.full(len(sizes), epsilon)
        self.tables: list[Attributes] = list(combinations(range(len(sizes)), together))
        self.oracles = [oracle(prod(self.sizes[i] for i in t), epsilon) for t in self.tables]

    def variances(self, truths: Sequence[Floats], people: int) -> list[float]:
        """Variance of an estimated share in each table with these true shares, mean over cells.

        Of ``people``, each table is answered by a random number ``n``, at least one. Given ``n`` they are a
        random sample, so that ``n`` answers have the noise of an oracle over ``n``, and the variance of
        sampling without replacement. Both are linear in ``1 / n``, whose mean is a sum.
        """
        n = np.arange(1, people + 1)
        chances = binom.pmf(n, people, 1 / len(self.tables))
        inverse = float((chances / n).sum() / chances.sum())
        rest = (people * inverse - 1) / max(people - 1, 1)
        spreads = [float(np.mean(shares * (1 - shares))) for shares in truths]
        return [inverse * o.noise + rest * spread for o, spread in zip(self.oracles, spreads, strict=True)]

    def release(self, records: Integers, rng: np.random.Generator) -> list[Array]:
        """Draw the answers: for each table, the rows of bits of those who answer it."""
        asked = rng.integers(len(self.tables), size=len(records))
        numbers = zip(self.oracles, _cells(records, self.sizes, self.tables), strict=True)
        return [o.bits(cells[asked == j], rng) for j, (o, cells) in enumerate(numbers)]

    def estimate(self, released: Sequence[Array]) -> list[Floats]:
        """Return the estimated shares of each table, cells in the order of the product."""
        return [(b.mean(axis=0) - o.q) / (o.p - o.q) for b, o in zip(released, self.oracles, strict=True)]


def variances(
    mechanism: Mechanism | Release, tables: Sequence[Attributes], truths: Sequence[Floats], people: int
) -> list[float]:
    """Variance of a share in each table with these true shares, for what this package releases.

    With one form it is the noise of chapter tables' theorem, whatever the truth. With several, the forms that
    ask for a table are weighed as in the estimates, and who gets which form is counted too, each having its
    expected number of people. It is infinite where a table cannot be recovered.

    Examples
    --------
    >>> import orr
    >>> (one,) = variances(orr.kronecker([2, 3], [1.0, 1.0]), [(0,)], [np.array([0.9, 0.1])], 1000)
    >>> round(one, 6)
    0.000921
    """
    release = mechanism if isinstance(mechanism, Release) else Release(mechanism)
    return [_weighed(release, table, shares) / people for table, shares in zip(tables, truths, strict=True)]


def _weighed(release: Release, table: Attributes, shares: Floats) -> float:
    """Return the variance of a share for one person."""
    try:
        noises = np.array([channel.noise for channel in release.channels(table).values()])
    except NotRecoverable:
        return inf
    if not np.isfinite(noises).all():
        return inf
    even, spread = (float(np.mean(s * (1 - s))) for s in (np.full(shares.size, 1 / shares.size), shares))
    weights = 1 / (noises + even)
    weights /= weights.sum()
    return float(len(release.forms) * (weights**2 * (noises + spread)).sum() - spread)


def held(tables: Sequence[Attributes], epsilon: float, people: int) -> float:
    """Variance of a share if a trusted holder counts, and adds discrete Laplace noise to every count.

    One record in place of another moves a count down and a count up in every table, so that the counts of
    all tables together move by ``2 * len(tables)``. Noise with ``Pr[x]`` proportional to ``a ** abs(x)`` and
    ``a = exp(-epsilon / that)`` has the level for all of them together.

    Examples
    --------
    >>> from math import log
    >>> round(held([(0,), (1,)], 4 * log(2), 10), 12)  # a = 1/2, and 2 a / (1 - a)^2 = 4
    0.04
    """
    step = epsilon / (2 * len(tables))
    return 2 * exp(-step) / expm1(-step) ** 2 / people**2


def true_shares(records: Integers, sizes: Sequence[int], tables: Sequence[Attributes]) -> list[Floats]:
    """Count the shares of the cells of each table.

    Examples
    --------
    >>> true_shares(np.array([[0, 1], [0, 2]]), [2, 3], [(0,), (0, 1)])
    [array([1., 0.]), array([0. , 0.5, 0.5, 0. , 0. , 0. ])]
    """
    counts = [prod(sizes[i] for i in table) for table in tables]
    numbers = zip(_cells(records, sizes, tables), counts, strict=True)
    return [np.bincount(cells, minlength=count) / len(records) for cells, count in numbers]


def _cells(records: Integers, sizes: Sequence[int], tables: Sequence[Attributes]) -> list[Integers]:
    """List everybody's cell in each table, as a number."""
    return [
        np.ravel_multi_index([records[:, i] for i in table], [sizes[i] for i in table]) for table in tables
    ]
