"""The one noun of the package: a problem, a flip law, and all that follows from them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from html import escape
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from orr.arrays import Array, Floats, Integers, frozen
from orr.channel import Channel
from orr.checks import check_attributes
from orr.laws.law import Law
from orr.problem import Problem
from orr.randomness import Source
from orr_release.randomizer import Randomizer

MAX_MATRIX = 4096


class Mechanism(Randomizer):
    """A symmetric randomized response for several attributes.

    Made by the constructions (:func:`orr.kronecker`, :func:`orr.inductive` and the others), not
    by hand. Attributes are numbered from 0, levels are in nats, and ``epsilon`` is an upper
    bound on the level of the sampler as implemented, rounding included.

    Parameters
    ----------
    law : Law
        The law of the flip set.
    asked : Problem, optional
        The levels asked for, where they differ from those of the law.

    Examples
    --------
    >>> import orr
    >>> mechanism = orr.radius_one([2, 3, 4], [1.0, 1.5, 2.0])
    >>> mechanism
    <Mechanism: 3 attributes, overall level 3.4448 (Kronecker 4.5), neighbours up to 3.4448>
    >>> mechanism.perturb([[0, 2, 3], [1, 0, 0], [1, 2, 0]], rng=7)
    array([[0, 2, 3],
           [0, 2, 0],
           [1, 2, 3]])
    """

    def __init__(self, law: Law, asked: Problem | None = None) -> None:
        if not isinstance(law, Law):
            raise TypeError(f"law = {law!r} must be a flip law; use a construction such as orr.optimal")
        self.law = law
        self.problem = law.problem
        self.asked = asked or law.problem

    @property
    def sizes(self) -> Integers:
        """Number of values of each attribute."""
        return frozen(self.problem.sizes)

    @property
    def epsilons(self) -> Floats:
        """Marginal level achieved for each attribute, what its released value alone tells.

        Every law checks, when it is built, that its sampler keeps these to one part in a million.
        """
        return frozen(self.problem.epsilons)

    @cached_property
    def epsilon(self) -> float:
        """Overall level, what the whole released record tells about the whole record."""
        return self.law.epsilon

    @property
    def neighbour_epsilons(self) -> Floats:
        """What the whole release tells about one attribute to someone who knows all the others.

        Never less than that; ``neighbour_exact`` says where it is more than an upper bound.
        """
        return frozen(self.law.neighbour_epsilons)

    @property
    def neighbour_exact(self) -> NDArray[np.bool_]:
        """Where ``neighbour_epsilons`` are exact, to 1e-9 of the overall level.

        They are wherever flip sets are listed or can be enumerated. Elsewhere (many attributes, in balls
        that only a dynamic program can count) they are upper bounds.
        """
        return frozen(self.law.neighbour_exact)

    @property
    def flip_probabilities(self) -> Floats:
        """Chance that each attribute's released value differs from the true one."""
        return frozen(self.problem.q)

    def log_ratio(self, flip_set: Iterable[int]) -> float:
        """Logarithm of the probability of a record with this flip set, over that of one all flipped.

        Parameters
        ----------
        flip_set : iterable of int
            The attributes in which the released record differs from the true one.

        Returns
        -------
        float
            ``log x_S`` in the notation of the paper.

        Examples
        --------
        >>> import orr
        >>> round(orr.kronecker([2, 3], [1.0, 2.0]).log_ratio([1]), 12)
        1.0
        """
        return self.law.log_ratio(set(check_attributes(flip_set, len(self.problem))))

    def matrix(self) -> Floats:
        """Distortion matrix: the entry in row ``u``, column ``v`` is Pr[release u | truth v].

        Records are in the order of the Kronecker product: the last attribute changes fastest.
        Refused past 4,096 different records.

        Returns
        -------
        ndarray
            A square matrix whose columns sum to 1.

        Examples
        --------
        >>> import orr
        >>> orr.kronecker([3], [1.0]).matrix().round(3)
        array([[0.576, 0.212, 0.212],
               [0.212, 0.576, 0.212],
               [0.212, 0.212, 0.576]])
        """
        if self.problem.log_records > np.log(MAX_MATRIX) + 1e-9:
            raise ValueError(
                f"the distortion matrix is made up to {MAX_MATRIX} different records; "
                f"these sizes give about e^{self.problem.log_records:.4g}. "
                "perturb and estimate do not need it."
            )
        k = len(self.problem)
        cube = np.indices((2,) * k).reshape(k, -1).T
        log_x = np.array([self.law.log_ratio(set(np.flatnonzero(flips))) for flips in cube])
        log_x -= scipy.special.logsumexp(log_x + cube @ np.log(self.sizes - 1))
        values = np.indices(tuple(self.sizes.tolist())).reshape(k, -1)
        place = sum((v[:, None] != v) << (k - 1 - i) for i, v in enumerate(values))
        return np.exp(log_x)[place]

    @property
    def block(self) -> int:  # type: ignore[override]
        """How many values are randomized at a time."""
        return self.law.block

    def randomize(self, values: Array, source: Source) -> tuple[Array, None]:
        """Randomize codes: there is but one form."""
        return self.law.perturb(values, source), None

    def channels(self, attributes: tuple[int, ...]) -> dict[int, Channel]:
        """Give the channel of a table."""
        return {0: Channel(self.law, attributes)}

    def state(self) -> dict[str, Any]:
        """Return all that makes it, and what it claims, as plain numbers."""
        return super().state() | {"asked": self.asked.epsilons.tolist(), "law": self.law.state()}

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__}: {self.called} overall level {self.epsilon:.5g} "
            f"(Kronecker {self.epsilons.sum():.5g}), {self.worst_neighbour}>"
        )

    def _repr_html_(self, rows: int = 12) -> str:
        """Show sizes and levels, attribute by attribute, and the overall level beside its bounds."""
        head = ("attribute", "size", "asked", "achieved", "neighbour")
        neighbours = self.neighbour_epsilons, self.neighbour_exact
        columns = self.names, self.sizes, self.asked.epsilons, self.epsilons, *neighbours
        body = [
            f"<tr><th scope='row'>{escape(str(name))}</th><td>{a}</td><td>{asked:.5g}</td>"
            f"<td>{achieved:.5g}</td><td>{'' if exact else '&le; '}{neighbour:.5g}</td></tr>"
            for name, a, asked, achieved, neighbour, exact in zip(*(c[:rows] for c in columns), strict=True)
        ]
        if len(self.problem) > rows:
            body.append(f"<tr><td colspan='{len(head)}'>and {len(self.problem) - rows} more</td></tr>")
        titles = "".join(f"<th scope='col'>{t}</th>" for t in head)
        caption = escape(repr(self).strip("<>"))
        return (
            f"<table><caption>{caption}</caption><thead><tr>{titles}</tr></thead>"
            f"<tbody>{''.join(body)}</tbody></table>"
        )
