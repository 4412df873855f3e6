"""The one noun of the package: a flip law, its levels, and all that follows from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NoReturn

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from orr.arrays import Array, Floats, Integers
from orr.channel import Channel, check_table
from orr.checks import HIDDEN, check_attributes, nameless, too_narrow
from orr.estimate import Estimate
from orr.laws.law import Law
from orr.levels import Levels
from orr.problem import Problem
from orr.randomness import Source

MAX_MATRIX_RECORDS = 4096  # A matrix of 4,096 rows and columns takes 128 MB.


class Mechanism:
    """A symmetric randomized response for several attributes: codes in, codes out.

    Made by the constructions (:func:`orr.kronecker`, :func:`orr.inductive` and the others), not
    by hand. Attributes are numbered from 0, levels are in nats, and ``epsilon`` is an upper
    bound on the level of the sampler as implemented, rounding included. A mechanism does not change once it
    is made. Tables with names and labels are the business of ``orr_release.Release``, which has a mechanism.

    Parameters
    ----------
    law : Law
        The law of the flip set.
    asked : Problem, optional
        The levels asked for, where they differ from those of the law.
    construction : str, optional
        Name of the function that made it.

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
    >>> mechanism.epsilon = 0.1
    Traceback (most recent call last):
    ...
    AttributeError: epsilon cannot be set: a mechanism does not change once it is made
    """

    law: Law
    problem: Problem
    asked: Problem
    construction: str | None

    def __init__(self, law: Law, asked: Problem | None = None, construction: str | None = None) -> None:
        if not isinstance(law, Law):
            raise TypeError(f"law = {law!r} must be a flip law; use a construction such as orr.optimal")
        problem = law.problem
        vars(self).update(law=law, problem=problem, asked=asked or problem, construction=construction)

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(f"{name} cannot be set: a mechanism does not change once it is made")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"{name} cannot be deleted: a mechanism does not change once it is made")

    @property
    def epsilon(self) -> float:
        """Overall level, what the whole released record tells about the whole record."""
        return self.law.epsilon

    @cached_property
    def levels(self) -> Levels:
        """All levels, with the sizes and the flip probabilities."""
        return replace(self.law.levels, epsilon=self.epsilon)

    @property
    def sizes(self) -> Integers:
        """Number of values of each attribute."""
        return self.problem.sizes

    @property
    def epsilons(self) -> Floats:
        """Marginal level achieved for each attribute, what its released value alone tells.

        Every law checks, when it is built, that its sampler keeps these to one part in a million.
        """
        return self.problem.epsilons

    @property
    def neighbour_epsilons(self) -> Floats:
        """What the whole release tells about one attribute to someone who knows all the others.

        An upper bound, and exact where ``neighbour_exact`` says so.
        """
        return self.levels.neighbour_epsilons

    @property
    def neighbour_exact(self) -> NDArray[np.bool_]:
        """Where ``neighbour_epsilons`` are exact, to 1e-9 of the overall level.

        They are wherever flip sets are listed or can be enumerated. Elsewhere (many attributes, in balls
        that only a dynamic program can count) they are upper bounds.
        """
        return self.levels.neighbour_exact

    @property
    def flip_probabilities(self) -> Floats:
        """Probability that each attribute's released value differs from the true one."""
        return self.problem.q

    def log_ratio(self, flip_set: Iterable[int]) -> float:
        """Return the log ratio of the probabilities of a record with this flip set and one all flipped.

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
        """Return the distortion matrix: the entry in row ``u``, column ``v`` is Pr[release u | truth v].

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
        if self.problem.log_records > np.log(MAX_MATRIX_RECORDS) + 1e-9:
            raise ValueError(
                f"the distortion matrix is made up to {MAX_MATRIX_RECORDS} different records; "
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
        records : (n, k) array of int
            One record per row, with values 0 to ``sizes[i] - 1`` in column ``i``; or k integers, one record.
        rng : None, int or numpy.random.Generator
            None draws from the operating system, or from a cipher keyed by it: use it for every real release.
            A seed or a Generator makes the result reproducible, and so is for teaching and tests.

        Returns
        -------
        array
            The released records, with the shape and type of the true ones.

        Examples
        --------
        >>> import orr
        >>> orr.kronecker([2, 4], [1.0, 1.0]).perturb([[0, 3], [1, 1]], rng=7).shape
        (2, 2)
        """
        source = Source(rng)
        released = self.randomize(check_codes(records, self.sizes), source)
        return released[0] if len(released) == 1 and np.ndim(records) == 1 else released

    def randomize(self, codes: Array, source: Source) -> Array:
        """Randomize valid codes, as many rows at a time as suit the law."""
        released, step = np.empty_like(codes), max(1, self.law.block // codes.shape[1])
        for start in range(0, len(codes), step):
            rows = slice(start, start + step)
            released[rows] = self.law.perturb(codes[rows], source)
        return released

    def estimate(self, released: ArrayLike, attributes: int | Iterable[int]) -> Estimate:
        """Count the true values of some attributes, without bias, from released records.

        **Give it all released rows.** Rows chosen by a released value are not the people who have it: most of
        those may have been flipped into it. For groups, weights, names and tables there is
        ``orr_release.Release``.

        Parameters
        ----------
        released : (n, k) array of int
            What :meth:`perturb` returned.
        attributes : int, or iterable of int
            The attributes whose joint table is wanted, at most 8 of them.

        Returns
        -------
        Estimate
            Counts with standard errors and intervals.

        Raises
        ------
        NotRecoverable
            Where a factor ``rho`` is 0: the release does not determine the table at all.

        Examples
        --------
        >>> import orr
        >>> mechanism = orr.kronecker([2, 3], [2.0, 2.0])
        >>> truth = np.array([[0, 0]] * 6000 + [[1, 2]] * 4000)
        >>> mechanism.estimate(mechanism.perturb(truth, rng=5), 0).counts.round()
        array([6011., 3989.])
        """
        single = isinstance(attributes, int | np.integer) and not isinstance(attributes, bool)
        table = check_attributes([attributes] if single else attributes, len(self.problem))  # type: ignore[list-item, arg-type]
        check_table(self.sizes, table)
        codes = check_codes(released, self.sizes)[:, table]
        shape = tuple(self.sizes[table].tolist())
        cells = np.ravel_multi_index(tuple(codes.T.astype(np.int64)), shape)
        seen = np.bincount(cells, minlength=int(np.prod(shape))).reshape(shape)
        return Estimate(Channel.of(self.law, table), seen)

    @property
    def title(self) -> str:
        """The attributes and the levels in words."""
        k = len(self.problem)
        return f"{k} attribute{'s' * (k > 1)}, {self.spent}"

    @property
    def spent(self) -> str:
        """The levels in words."""
        return (
            f"overall level {self.epsilon:.5g} (Kronecker {self.epsilons.sum():.5g}), "
            f"{self.levels.worst_neighbour}"
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.title}>"

    def _repr_html_(self) -> str:
        """Show sizes and levels, attribute by attribute, under the overall level."""
        caption = repr(self).strip("<>")
        return self.levels.html(caption, range(len(self.problem)), self.asked.epsilons)


def check_codes(
    records: ArrayLike, sizes: Integers, places: Sequence[int] | None = None, least: int = 0
) -> Array:
    """Return an array of codes with one record per row; raise if its shape, type or a value is wrong.

    Parameters
    ----------
    records : array of int
        Records in rows, or a single one. They are not copied.
    sizes : ndarray
        Number of values of each attribute.
    places : sequence of int, optional
        The attributes that are wanted, in this order; by default all. Only these are checked and returned.
    least : int
        Smallest code: 0, or -1 where attributes may be without an answer.

    Returns
    -------
    ndarray
        The codes, in the type that they came in.

    Examples
    --------
    >>> check_codes([1, 2], np.array([2, 3]))
    array([[1, 2]])
    """
    if isinstance(records, Mapping) or any(
        hasattr(records, name) for name in ("columns", "__arrow_c_stream__")
    ):
        raise nameless(records)
    k, most = len(sizes), int(sizes.max()) - 1
    try:
        values = np.asarray(records)
    except ValueError:
        raise ValueError(f"records must have shape (n, {k}): its rows differ in length") from None
    if np.ma.is_masked(records):
        raise ValueError("records has masked values: drop or fill them first")
    if values.size == 0 and values.shape in {(0,), (0, k)} and values.dtype.kind not in "iu":
        values = np.empty((0, k), dtype=np.int64)
    if values.shape != (k,) and (values.ndim != 2 or values.shape[1] != k):
        raise ValueError(
            f"records must have shape (n, {k}), one row a record, or ({k},), a single one; got {values.shape}"
        )
    if values.dtype.kind not in "iu":
        raise TypeError(f"records must be integers, got {values.dtype.name}")
    if most > np.iinfo(values.dtype).max:
        raise too_narrow(values, 0, most)
    chosen = list(range(k) if places is None else places)
    rows = values.reshape(-1, k)
    rows = rows if places is None else rows[:, chosen]
    wrong = (rows < least) | (rows >= sizes[chosen])
    if wrong.any():
        row, j = (int(place) for place in np.argwhere(wrong)[0])
        i = chosen[j]
        raise ValueError(
            f"records[{row}, {i}] is out of range: attribute {i} has values 0 to {sizes[i] - 1} ({HIDDEN})"
        )
    return rows
