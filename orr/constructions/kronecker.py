"""The baseline: each attribute randomized on its own (chapter many-answers)."""

from __future__ import annotations

from orr.laws.product import Product
from orr.mechanism import Mechanism
from orr.problem import LevelsLike, Problem, SizesLike


def kronecker(sizes: SizesLike, epsilons: LevelsLike) -> Mechanism:
    """Randomize every attribute independently, at its own level.

    The distortion matrix is the Kronecker product of the single-attribute ones, equation (1) of
    Yamamoto and Shibuya (2024). The overall level is the sum of the levels.

    Parameters
    ----------
    sizes : sequence of int
        Number of values of each attribute.
    epsilons : sequence of float
        Level of each attribute, in nats.

    Returns
    -------
    Mechanism
        With exactly the levels asked.

    Examples
    --------
    >>> round(kronecker([2, 3, 4], [1.0, 1.5, 2.0]).epsilon, 9)
    4.5
    """
    return Mechanism(Product(Problem(sizes, epsilons)), construction="kronecker")
