"""One true answer hidden among fakes, and what its epsilon promises (chapter should-you).

Random sampling plus fake data (RS+FD) is due to Arcolezi and others (2021), realistic fakes (RS+RFD) to
Arcolezi and others (2023). The first is in their library, multi-freq-ldpy.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import expm1, log1p, prod
from typing import Any

import numpy as np

from book.other_methods import Attributes, Oracle, grr, oue
from orr.arrays import Array, Floats, Integers

Number = Any  # a float or a fraction
TINY = 1e-300  # stands for no chance at all, so that one can divide by it


class Hidden:
    """Each person answers one attribute and fills in the others with fakes: RS+FD, RS+RFD.

    The library's label is the level of an answer to a question that hides among ``k``; the answer itself is
    randomized at the *amplified* level ``log(k (exp(label) - 1) + 1)``. The chance of a tuple ``y`` is

        prod_l g_l(y_l) / k * sum_j r_j(y_j, x_j),    r_j = (chance of y_j given x_j) / g_j(y_j),

    with ``g`` the chances of fakes. Choose ``x`` and ``x'`` that differ everywhere, and ``y = x``: every
    ``r_j`` is then ``E`` times as large under ``x`` as under ``x'``, ``E = exp(amplified level)``, and so
    is the sum. No choice gives more. Hence **the overall level is the amplified one**, whatever the sizes
    and the fakes. If only attribute ``i`` differs, the other terms are at least their smallest values, and
    with uniform fakes

        exp(neighbour level of i) = 1 + (E - 1) m_i / sum_l m_l,    m_l = min r_l = a_l / (E + a_l - 1).

    So the mean of ``exp(neighbour level)`` over the attributes is ``exp(label)``. With equal sizes the label
    is the neighbour level of each; otherwise that of the largest attribute is above the label.

    Parameters
    ----------
    sizes : sequence of int
        Number of values of each attribute.
    label : float
        The library's epsilon. :func:`label_for` finds the one that has a given overall level.
    fakes : sequence of arrays, optional
        The law of the fakes of each attribute; uniform by default.
    adaptive : bool
        Whether an attribute is reported bit by bit where that is better, a fake being a report of no value
        (RS+FD[ADP]); else all by randomized response (RS+FD[GRR]). Then ``m_l = (E + 1) / (2 E)``, and all
        else holds.

    Examples
    --------
    >>> peer = Hidden([2, 2, 2, 2], 1.0)
    >>> round(peer.epsilon, 2), peer.neighbour_epsilons.round(2)
    (2.06, array([1., 1., 1., 1.]))
    >>> Hidden([2, 2, 17], 1.0).neighbour_epsilons.round(2)
    array([0.74, 0.74, 1.38])
    """

    def __init__(
        self,
        sizes: Sequence[int],
        label: float,
        fakes: Sequence[Sequence[float] | Floats] | None = None,
        adaptive: bool = False,
    ) -> None:
        self.sizes, self.label = list(sizes), label
        self.tables: list[Attributes] = [(i,) for i in range(len(sizes))]
        self.epsilon = log1p(len(sizes) * expm1(label))
        uniform = [np.full(a, 1 / a) for a in sizes]
        self.fakes = uniform if fakes is None else [np.asarray(g, dtype=float) for g in fakes]
        self.oracles = [grr(a, self.epsilon) for a in sizes]
        for i, a in enumerate(sizes) if adaptive else ():
            unary = oue(a, self.epsilon)
            zeros = np.full(a, unary.q)
            if self._empty(unary, zeros) < self._empty(self.oracles[i], self.fakes[i]):
                self.oracles[i], self.fakes[i] = unary, zeros

    def _empty(self, o: Oracle, g: Floats) -> float:
        """Variance of an answer's share in a cell that is empty, and has a mean share of fakes."""
        seen = (o.q + (len(self.sizes) - 1) * g.mean()) / len(self.sizes)
        return float(seen * (1 - seen) / (o.p - o.q) ** 2)

    def _least(self, chance: str) -> Floats:
        """List the least ``r_j`` of each attribute, at fakes of the smallest or the largest chance."""
        pairs = zip(self.oracles, self.fakes, strict=True)
        least = [
            (1 - o.p) / (1 - o.q) if o.unary else o.q / max(getattr(g, chance)(), TINY) for o, g in pairs
        ]
        return np.array(least)

    @property
    def neighbour_epsilons(self) -> Floats:
        """What the tuple tells about one attribute to someone who knows all the others."""
        others = self._least("max").sum() - self._least("max")
        return np.log1p(expm1(self.epsilon) / (others / self._least("min") + 1))

    @property
    def epsilons(self) -> Floats:
        """What each released value alone tells about its attribute."""
        return np.log1p(expm1(self.epsilon) / ((len(self.sizes) - 1) / self._least("min") + 1))

    def variances(self, truths: Sequence[Floats], people: int) -> list[float]:
        """Variance of an estimated share in each table with these true shares, mean over cells."""
        k, found = len(self.sizes), list[float]()
        for o, g, shares in zip(self.oracles, self.fakes, truths, strict=True):
            seen = [(chance + (k - 1) * g) / k for chance in (o.p, o.q)]
            mixed = shares * seen[0] * (1 - seen[0]) + (1 - shares) * seen[1] * (1 - seen[1])
            found.append(float(np.mean(mixed)) * (k / (o.p - o.q)) ** 2 / people)
        return found

    def release(self, records: Integers, rng: np.random.Generator) -> list[Array]:
        """Draw the tuples: for each attribute, everybody's row of bits."""
        n, k = records.shape
        found: list[Array] = []
        asked = rng.integers(k, size=n)
        for j, (o, g) in enumerate(zip(self.oracles, self.fakes, strict=True)):
            drawn = np.full(n, -1) if o.unary else rng.choice(len(g), n, p=g)
            values = np.where(asked == j, records[:, j], drawn)
            told = (asked == j) | o.unary
            bits = values[:, None] == np.arange(len(g))
            bits[told] = o.bits(values[told], rng)
            found.append(bits)
        return found

    def estimate(self, released: Sequence[Array]) -> list[Floats]:
        """Return the estimated shares of each attribute's values."""
        k, parts = len(self.sizes), zip(released, self.oracles, self.fakes, strict=True)
        return [(k * bits.mean(axis=0) - (k - 1) * g - o.q) / (o.p - o.q) for bits, o, g in parts]


def label_for(epsilon: float, k: int) -> float:
    """Find the label with which RS+FD of k attributes has an overall level.

    Examples
    --------
    >>> round(Hidden([2, 3, 4], label_for(2.0, 3)).epsilon, 12)
    2.0
    """
    return log1p(expm1(epsilon) / k)


def tuple_chance(
    released: Sequence[int],
    truth: Sequence[int],
    sizes: Sequence[int],
    odds: Number,
    fakes: Sequence[Sequence[Number]] | None = None,
) -> Number:
    """Chance that RS+FD releases a tuple, from its definition, for labels with ``exp(label) = odds``.

    Only field operations are used: odds and fakes that are fractions give a fraction.

    Examples
    --------
    >>> from fractions import Fraction
    >>> tuple_chance([0, 0], [0, 1], [2, 2], Fraction(2))
    Fraction(1, 4)
    """
    k, one = len(sizes), odds / odds
    fakes = fakes or [[one / a] * a for a in sizes]
    inner, total = k * (odds - 1) + 1, 0 * one
    for j in range(k):
        answer = (inner if released[j] == truth[j] else one) / (inner + sizes[j] - 1)
        total += answer * prod((fakes[i][released[i]] for i in range(k) if i != j), start=one)
    return total / k
