"""What a mechanism leaves of tables: noise, and a floor under the factors of pairs (chapter tables)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np
import scipy

from orr.arrays import Floats, Integers
from orr.caps.guarded import Guarded
from orr.channel import Channel
from orr.checks import MAX_LEVEL
from orr.constructions.radius_one import NotApplicable
from orr.laws.product import Product
from orr.mechanism import Mechanism
from orr.optimum.certificate import Certified
from orr.problem import Kinds, Problem
from orr_release.odds import rounded_up

SLACKS = (1.0, 0.5, 0.25, 0.1, 0.05, 0.02, 0.01, 0.0)  # ever nearer to Kronecker, which 0 is

Table = tuple[int, ...]


def tables(mechanism: Mechanism, ways: int) -> list[tuple[Table, int]]:
    """List the tables of one or two attributes that stand for all, and for how many.

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
    noise = math.fsum(n * Channel(mechanism.law, table).noise for table, n in found)
    return noise / math.fsum(n for _, n in found)


def worst_pair(mechanism: Mechanism) -> tuple[float, Table]:
    """Return the smallest factor of a pair, in size, and the pair; 1 and nothing where there is no pair.

    Examples
    --------
    >>> import orr
    >>> worst_pair(orr.kronecker([2, 3, 2], [1.0, 2.0, 3.0]))[1]
    (0, 1)
    """
    pairs = tables(mechanism, 2) if len(mechanism.sizes) > 1 else []
    return min(((abs(mechanism.law.rho(set(pair))), pair) for pair, _ in pairs), default=(1.0, ()))


def floored(
    mechanism: Mechanism,
    floor: float,
    buy: Callable[[float], Mechanism],
    refusal: Callable[[Mechanism], NotApplicable],
) -> Mechanism:
    """Return a mechanism whose pairs all have at least a factor, tying neighbour levels down for it.

    Parameters
    ----------
    mechanism : Mechanism
        What the construction gave, which is returned if it keeps the floor.
    floor : float
        The smallest factor allowed.
    buy : callable
        Spends the same total on the guarded optimum with a slack.
    refusal : callable
        Says why not even the last attempt keeps the floor.
    """
    most = mechanism.slack if isinstance(mechanism, Guarded) else math.inf
    for slack in (s for s in SLACKS if s < most):
        if worst_pair(mechanism)[0] >= floor:
            return mechanism
        mechanism = buy(slack)
    if worst_pair(mechanism)[0] >= floor:
        return mechanism
    raise refusal(mechanism)


def no_floor(
    mechanism: Mechanism, floor: float, total: float, shares: Floats, names: Sequence[str]
) -> NotApplicable:
    """Say which pair is below the floor though every answer is randomized by itself, and what would help."""
    factor, pair = worst_pair(mechanism)
    enough = total_for(floor, mechanism.sizes, shares)
    return NotApplicable(
        f"pairs_at_least = {floor:g} cannot be kept at epsilon = {total:g} by any slack: one by one, "
        f"{' and '.join(names[i] for i in pair)} have the factor {factor:.4g}. "
        + ("No total would do." if enough == math.inf else f"epsilon = {rounded_up(enough)} would do.")
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

    def spare(log_scale: float) -> float:
        w = Problem.achieved(sizes, math.exp(log_scale) * shares).w
        low = np.sort(w / (1 + w))[:2]
        return float(low.prod()) - floor

    top = math.log(MAX_LEVEL / float(shares.max()))
    if spare(top) < 0:
        return math.inf
    # A little more than the root, so that what is rounded is still enough.
    return math.exp(scipy.optimize.brentq(spare, top - 60, top, xtol=1e-9)) * float(shares.sum()) * (1 + 4e-6)
