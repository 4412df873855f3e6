"""The one noun of the package: a problem, a flip law, and all that follows from them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from html import escape

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from orr.arrays import Array, Floats, Integers, frozen
from orr.checks import check_attributes
from orr.laws.law import Law
from orr.problem import Problem
from orr.randomness import Source
from orr.release.estimate import Estimate, observed_table, unbiased_table
from orr.release.records import encode

MAX_MATRIX = 4096


class Mechanism:
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
        """Where ``neighbour_epsilons`` are exact, to 1e-9 of their size.

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

    def perturb(self, records: ArrayLike, rng: int | np.random.Generator | None = None) -> Array:
        """Randomize records.

        Once: two releases of one record spend the level twice, and many give the truth away. Keep what was
        released. What else is not protected is on the page *What it does not protect*.

        Parameters
        ----------
        records : (n, k) array of int, or pandas DataFrame
            One record a row, with values 0 to ``sizes[i] - 1`` in column ``i``. Categorical
            columns of a DataFrame keep their labels; its index and attributes are not randomized.
        rng : None, int or numpy.random.Generator
            None draws from the operating system, or from a cipher keyed by it: use it for every real release.
            A seed or a Generator makes the result reproducible, and so is for teaching and tests.

        Returns
        -------
        array or DataFrame
            The released records, of the same shape and type.

        Examples
        --------
        >>> import orr
        >>> mechanism = orr.kronecker([2, 4], [1.0, 1.0])
        >>> mechanism.perturb([[0, 3], [1, 1]], rng=7).shape
        (2, 2)
        """
        source, (values, decode) = Source(rng), encode(records, self.sizes)
        rows = max(1, self.law.block // len(self.problem))
        if len(values) <= rows:
            return decode(self.law.perturb(values, source))
        released = np.empty_like(values)
        for start in range(0, len(values), rows):
            block = slice(start, start + rows)
            released[block] = self.law.perturb(values[block], source)
        return decode(released)

    def estimate(self, released: ArrayLike, attributes: int | Iterable[int]) -> Estimate:
        """Count the true values of some attributes, without bias, from released records.

        Parameters
        ----------
        released : (n, k) array of int, or pandas DataFrame
            What :meth:`perturb` returned.
        attributes : int or iterable of int
            The attributes whose joint table is wanted, at most 8 of them.

        Returns
        -------
        Estimate
            Counts, their standard errors, and the factors ``rho``.

        Raises
        ------
        NotRecoverable
            Where a factor ``rho`` is 0: the release does not determine the table at all.

        Examples
        --------
        >>> import orr
        >>> mechanism = orr.kronecker([2, 3], [2.0, 2.0])
        >>> truth = np.array([[0, 0]] * 6000 + [[1, 2]] * 4000)
        >>> released = mechanism.perturb(truth, rng=5)
        >>> mechanism.estimate(released, 0).counts.round()
        array([6011., 3989.])
        """
        values, _ = encode(released, self.sizes)
        given = [attributes] if isinstance(attributes, int | np.integer) else attributes
        chosen = check_attributes(given, len(self.problem))
        return unbiased_table(self.law, observed_table(values, self.sizes, chosen), chosen)

    def __repr__(self) -> str:
        k, worst = len(self.problem), int(np.argmax(self.neighbour_epsilons))
        most = "up to" if self.neighbour_exact[worst] else "at most"
        return (
            f"<{type(self).__name__}: {k} attribute{'s' * (k > 1)}, overall level {self.epsilon:.5g} "
            f"(Kronecker {self.epsilons.sum():.5g}), "
            f"neighbours {most} {self.neighbour_epsilons[worst]:.5g}>"
        )

    def _repr_html_(self, rows: int = 12) -> str:
        """Show sizes and levels, attribute by attribute, and the overall level beside its bounds."""
        head = ("attribute", "size", "asked", "achieved", "neighbour")
        neighbours = self.neighbour_epsilons, self.neighbour_exact
        columns = self.sizes, self.asked.epsilons, self.epsilons, *neighbours
        body = [
            f"<tr><th scope='row'>{i}</th><td>{a}</td><td>{asked:.5g}</td><td>{achieved:.5g}</td>"
            f"<td>{'' if exact else '&le; '}{neighbour:.5g}</td></tr>"
            for i, (a, asked, achieved, neighbour, exact) in enumerate(
                zip(*(c[:rows] for c in columns), strict=True)
            )
        ]
        if len(self.problem) > rows:
            body.append(f"<tr><td colspan='{len(head)}'>and {len(self.problem) - rows} more</td></tr>")
        titles = "".join(f"<th scope='col'>{t}</th>" for t in head)
        caption = escape(repr(self).strip("<>"))
        return (
            f"<table><caption>{caption}</caption><thead><tr>{titles}</tr></thead>"
            f"<tbody>{''.join(body)}</tbody></table>"
        )
