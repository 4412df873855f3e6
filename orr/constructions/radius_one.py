"""The exact optimum, where at most one flip stands out from the rest (chapter when-optimal)."""

from __future__ import annotations

from orr.laws.single_flip import SingleFlip
from orr.mechanism import Mechanism
from orr.optimum.single_flip import candidate, obstacle
from orr.problem import LevelsLike, Problem, SizesLike


class NotApplicable(ValueError):
    """The conditions of a closed form do not hold for these sizes and levels."""


def radius_one(sizes: SizesLike, epsilons: LevelsLike) -> Mechanism:
    """Solve the problem in closed form for any number of attributes, where a closed form exists.

    Only the truth and records with a single flip are likelier than the rest. The mass ``M`` they
    carry, in units of the uniform part, decides everything:

    1. Where the flip probabilities sum to at most 1, ``M`` is the largest ``w_i``. That is
       optimal if no single flip would be likelier than the truth.
    2. Where they sum to more, ``M`` is the smallest that makes some single flip, of attribute
       ``j``, as likely as the truth. That is optimal if ``M`` is at least every ``w_i`` and the
       other flip probabilities sum to at most 1.

    For two attributes these are the paper's cases (I), (II) and (III), (IV), and cover everything.

    Parameters
    ----------
    sizes : sequence of int
        Number of values of each attribute.
    epsilons : sequence of float
        Level of each attribute, in nats.

    Returns
    -------
    Mechanism
        With exactly the levels asked, and the smallest overall level that any mechanism with
        these flip probabilities can have.

    Raises
    ------
    NotApplicable
        Where a condition fails; the message says which.

    Examples
    --------
    >>> round(radius_one([2, 3, 4], [1.0, 1.5, 2.0]).epsilon, 6)
    3.44477
    >>> radius_one([2, 2, 2, 2], [0.4, 0.4, 0.4, 0.4])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    orr.constructions.radius_one.NotApplicable: the flip probabilities other than ...
    """
    problem = Problem(sizes, epsilons)
    found = candidate(problem)
    reason = obstacle(problem, found)
    if reason is not None:
        raise NotApplicable(reason)
    return Mechanism(SingleFlip.beside(problem, found.z0, found.z), construction="radius_one")
