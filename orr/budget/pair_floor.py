"""Noise of estimated tables, and a floor under the factors of pairs (chapter tables)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import ROUND_CEILING, Context
from functools import partial
from itertools import combinations

import numpy as np
import scipy

from orr.arrays import Floats, Integers
from orr.budget.scale_search import spend
from orr.caps.guarded import Guarded, guarded
from orr.channel import Channel
from orr.checks import MAX_LEVEL
from orr.constructions.radius_one import NotApplicable
from orr.laws.product import Product
from orr.mechanism import Mechanism
from orr.optimum.certificate import Certified
from orr.problem import Kinds, Problem
from orr.progress import Clock

SLACKS = (1.0, 0.5, 0.25, 0.1, 0.05, 0.02, 0.01, 0.0)  # tried in this order; 0 is Kronecker

Attributes = tuple[int, ...]


def tables(mechanism: Mechanism, ways: int) -> list[tuple[Attributes, int]]:
    """List tables of one or two attributes, and how many tables each of them stands for.

    Constructions with a certificate treat attributes of the same size and level alike, and so does Kronecker.

    Examples
    --------
    >>> import orr
    >>> tables(orr.kronecker([2, 3, 2], [1.0, 1.0, 1.0]), 2)
    [((0, 2), 1), ((0, 1), 2)]
    """
    k = len(mechanism.sizes)
    if not isinstance(mechanism, Certified) and not isinstance(mechanism.law, Product):
        return [(table, 1) for table in combinations(range(k), ways)]
    kinds = Kinds(mechanism.problem)
    members = [np.flatnonzero(kinds.of == g)[:2].tolist() for g in range(len(kinds))]
    counts = kinds.count.tolist()
    if ways == 1:
        return [((places[0],), n) for places, n in zip(members, counts, strict=True)]
    within = [(tuple(m), math.comb(n, 2)) for m, n in zip(members, counts, strict=True) if n > 1]
    across = [
        (tuple(sorted((members[g][0], members[h][0]))), counts[g] * counts[h])
        for g, h in combinations(range(len(kinds)), 2)
    ]
    return [*within, *across]


def loss(mechanism: Mechanism, ways: int) -> float:
    """Return the variance of a proportion for one record, averaged over cells and then over all tables.

    Examples
    --------
    >>> import orr
    >>> round(loss(orr.kronecker([2, 2], [1.0, 1.0]), 1), 6)
    0.920674
    """
    found = tables(mechanism, ways)
    noise = math.fsum(n * Channel.of(mechanism.law, table).noise for table, n in found)
    return noise / math.fsum(n for _, n in found)


def worst_pair(mechanism: Mechanism) -> tuple[float, Attributes]:
    """Return the smallest absolute factor of a pair, and the pair; 1 and ``()`` if there is no pair.

    Examples
    --------
    >>> import orr
    >>> worst_pair(orr.kronecker([2, 3, 2], [1.0, 2.0, 3.0]))[1]
    (0, 1)
    """
    pairs = tables(mechanism, 2) if len(mechanism.sizes) > 1 else []
    return min(((abs(mechanism.law.rho(set(pair))), pair) for pair, _ in pairs), default=(1.0, ()))


def floored(
    mechanism: Mechanism, floor: float, total: float, shares: Floats, clock: Clock, names: Sequence[str]
) -> Mechanism:
    """Return a mechanism whose pairs all have at least a factor, capping neighbour levels for it.

    Parameters
    ----------
    mechanism : Mechanism
        The mechanism of the construction, which is returned if it keeps the floor.
    floor : float
        The smallest factor allowed.
    total, shares : float, ndarray
        The total that the guarded optimum spends otherwise, and its shares.
    clock : Clock
        The time of the call.
    names : sequence of str
        Names of the attributes, for the error.

    Raises
    ------
    NotApplicable
        Where not even slack 0, the Kronecker mechanism, keeps the floor.
    """
    most = mechanism.slack if isinstance(mechanism, Guarded) else math.inf
    slacks = [slack for slack in SLACKS if slack < most]
    while worst_pair(mechanism)[0] < floor:
        if not slacks:
            raise _no_floor(mechanism, floor, total, shares, names)
        mechanism = spend(total, mechanism.sizes, shares, partial(guarded, slack=slacks.pop(0)), clock)
    return mechanism


def _no_floor(
    mechanism: Mechanism, floor: float, total: float, shares: Floats, names: Sequence[str]
) -> NotApplicable:
    """Return the error that a pair is below the floor although all answers are randomized one by one."""
    factor, pair = worst_pair(mechanism)
    advice, enough = "No total would do.", total_for(floor, mechanism.sizes, shares)
    if enough < math.inf:
        # A millionth is rounded down, so that a total of 2.000001 is written as 2.
        written = Context(prec=3, rounding=ROUND_CEILING).create_decimal(enough * (1 - 1e-6))
        advice = f"epsilon = {written.normalize():,f} would do."
    return NotApplicable(
        f"pairs_at_least = {floor:g} cannot be kept at epsilon = {total:g} by any slack: one by one, "
        f"{' and '.join(names[i] for i in pair)} have the factor {factor:.4g}. {advice}"
    )


def total_for(floor: float, sizes: Integers, shares: Floats) -> float:
    """Return a total at which the Kronecker mechanism keeps a floor under the factors of pairs.

    Examples
    --------
    >>> import numpy as np
    >>> enough = total_for(0.25, np.array([2, 3]), np.array([1.0, 1.0]))
    >>> import orr
    >>> factor, _ = worst_pair(orr.kronecker([2, 3], [enough / 2] * 2))
    >>> 0.25 <= factor < 0.2501
    True
    """

    def excess(log_scale: float) -> float:
        w = Problem.achieved(sizes, math.exp(log_scale) * shares).w
        low = np.sort(w / (1 + w))[:2]
        return float(low.prod()) - floor

    top = math.log(MAX_LEVEL / float(shares.max()))
    if excess(top) < 0:
        return math.inf
    # A little above the root, since a millionth is lost where the total is written.
    return (
        math.exp(scipy.optimize.brentq(excess, top - 60, top, xtol=1e-9)) * float(shares.sum()) * (1 + 4e-6)
    )
