"""What a mechanism promises about privacy, and how often answers change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orr.arrays import Floats, Integers, frozen

MAX_ROWS = 12  # Attributes that a notebook shows.
HEADS = ("attribute", "size", "asked", "achieved", "neighbour")


@dataclass(frozen=True, eq=False)
class Levels:
    """The sizes of the attributes and all levels of a mechanism, in nats.

    Attributes
    ----------
    sizes : ndarray of int
        Number of values of each attribute.
    epsilon : float
        Overall level: what the whole released record tells about the whole record.
    epsilons : ndarray
        Level of each attribute: what its released value alone tells about it.
    neighbour_epsilons : ndarray
        What the whole release tells about one attribute to someone who knows all the others, or an upper
        bound of it.
    neighbour_exact : ndarray of bool
        Where ``neighbour_epsilons`` are exact, to 1e-9 of the overall level.
    flip_probabilities : ndarray
        Probability that each attribute's released value differs from the true one.

    Examples
    --------
    >>> import orr
    >>> levels = orr.kronecker([2, 3], [1.0, 2.0]).levels
    >>> levels.sizes, round(levels.epsilon, 9), levels.flip_probabilities.round(3)
    (array([2, 3]), 3.0, array([0.269, 0.213]))
    """

    sizes: Integers
    epsilon: float
    epsilons: Floats
    neighbour_epsilons: Floats
    neighbour_exact: NDArray[np.bool_]
    flip_probabilities: Floats

    def __post_init__(self) -> None:
        for values in vars(self).values():
            if isinstance(values, np.ndarray):
                frozen(values)

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self.__post_init__()  # copies of arrays could be written to

    @property
    def worst_neighbour(self) -> str:
        """The largest neighbour level in words."""
        worst = int(np.argmax(self.neighbour_epsilons))
        relation = "up to" if self.neighbour_exact[worst] else "at most"
        return f"neighbours {relation} {self.neighbour_epsilons[worst]:.5g}"

    def html(self, caption: str, names: Sequence[str | int], asked: Floats) -> str:
        """Return a table with a row per attribute, beside the levels that were asked for."""
        columns = names, self.sizes, asked, self.epsilons, self.neighbour_epsilons, self.neighbour_exact
        body = [
            f"<tr><th scope='row'>{escape(str(name))}</th><td>{a}</td><td>{wanted:.5g}</td>"
            f"<td>{achieved:.5g}</td><td>{'' if exact else '&le; '}{neighbour:.5g}</td></tr>"
            for name, a, wanted, achieved, neighbour, exact in zip(
                *(column[:MAX_ROWS] for column in columns), strict=True
            )
        ]
        if len(names) > MAX_ROWS:
            body.append(f"<tr><td colspan='{len(HEADS)}'>and {len(names) - MAX_ROWS} more</td></tr>")
        titles = "".join(f"<th scope='col'>{head}</th>" for head in HEADS)
        return (
            f"<table><caption>{escape(caption)}</caption><thead><tr>{titles}</tr></thead>"
            f"<tbody>{''.join(body)}</tbody></table>"
        )
