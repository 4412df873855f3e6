"""The search for the scale of the levels at which a construction spends a total (chapter budget)."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable

import numpy as np
import scipy

from orr.arrays import Floats, Integers
from orr.checks import MAX_LEVEL, MIN_LEVEL
from orr.constructions.radius_one import NotApplicable
from orr.mechanism import Mechanism
from orr.optimum.certificate import NotCertified
from orr.problem import Problem
from orr.progress import Clock

TOTAL_TOL = 1e-6  # nats, for totals of at least 1; the overall level comes this close to the total
Method = Callable[..., Mechanism]


class _TimeIsUp(Exception):
    """Raised to end the search with the best mechanism so far."""


def _takes_a_limit(method: Method) -> bool:
    """Return whether a construction accepts a time limit."""
    try:
        return "time_limit" in inspect.signature(method).parameters
    except (TypeError, ValueError):  # a callable without a signature
        return False


def spend(total: float, sizes: Integers, shares: Floats, method: Method, clock: Clock) -> Mechanism:
    """Return the mechanism of the largest levels in given shares that a total pays for.

    Examples
    --------
    >>> import orr
    >>> made = spend(3.0, np.array([2, 4]), np.array([1.0, 2.0]), orr.kronecker, Clock(None))
    >>> made.epsilons.round(5)
    array([1., 2.])
    """
    return ScaleSearch(total, sizes, shares, method, clock).run()


class ScaleSearch:
    """The scales tried so far. A scale is the level of the attribute with the largest share.

    The overall level of a construction grows with the scale of the levels asked. The search starts where the
    information floor reaches the total, since nothing above can fit, and closes in from both sides on the
    scale at which the total is spent.
    """

    def __init__(self, total: float, sizes: Integers, shares: Floats, method: Method, clock: Clock) -> None:
        self.total, self.sizes, self.method = total, sizes, method
        self.clock = clock
        self.timed = clock.limit < math.inf and _takes_a_limit(method)
        self.shares = shares / shares.max()
        self.lowest = MIN_LEVEL / float(self.shares.min())
        if not self.lowest < MAX_LEVEL:
            raise ValueError(
                f"shares differ too much: no multiple of them is between {MIN_LEVEL:g} and {MAX_LEVEL:g}"
            )
        self.tol = TOTAL_TOL * min(1.0, total)
        self.target = total - self.tol / 2
        # Where the levels sum to the total, at which a construction fits unless it is worse than kronecker.
        self.baseline = max(self.lowest, min(self.target / float(self.shares.sum()), MAX_LEVEL))
        self.tried: dict[float, Mechanism | None] = {}
        self.fits = 0.0
        self.refusal: Exception = NotApplicable()

    def run(self) -> Mechanism:
        """Bracket the scale at which the total is spent, then close in on it."""
        try:
            ends = [math.log(scale) for scale in self._bracket()]
            scipy.optimize.brentq(lambda x: self._excess(math.exp(x)), *ends, xtol=self.tol / self.total / 8)
        except _TimeIsUp:
            return self.tried[self.fits]  # type: ignore[return-value]
        found = self.tried.get(self.fits)
        above = min((scale for scale in self.tried if scale > self.fits), default=self.fits)
        if found is None or (self.tried[above] is None and found.epsilon < self.total - self.tol):
            raise self._refused()
        return found

    def _excess(self, scale: float) -> float:
        """Return the logarithm of the overall level over the target, or 0 where it is close enough."""
        if scale not in self.tried:
            self.tried[scale] = self._build(scale)
        mechanism = self.tried[scale]
        if mechanism is None:
            # Closed forms apply at high levels: as long as nothing fits, look there.
            return 1.0 if self.fits else -1.0
        left = self.total - mechanism.epsilon
        if left >= 0:
            self.fits = max(self.fits, scale)
        if self.clock.left < 0 and self.fits:
            raise _TimeIsUp
        return 0.0 if 0 <= left <= self.tol else math.log(mechanism.epsilon / self.target)

    def _build(self, scale: float) -> Mechanism | None:
        """Return the mechanism at a scale; None if the construction gives none."""
        options = {"time_limit": max(self.clock.left, 1e-9)} if self.timed else {}
        try:
            mechanism = self.method(self.sizes, np.maximum(scale * self.shares, MIN_LEVEL), **options)
        except (NotApplicable, NotCertified) as refusal:
            self.refusal = refusal
            return None
        if not isinstance(mechanism, Mechanism):
            raise TypeError(
                f"method = {self.method!r} must return a mechanism, as orr.optimal does, got {mechanism!r}"
            )
        self.clock.log("levels up to %.6g spend %.6f", scale, mechanism.epsilon)
        return mechanism

    def _refused(self) -> Exception:
        """Return the error of a construction that gives no mechanism where the total would be spent."""
        return type(self.refusal)(
            f"the construction gives no mechanism at the levels that would spend epsilon = {self.total:g}: "
            f"{self.refusal}"
        )

    def _bracket(self) -> tuple[float, float]:
        """Return a scale that fits and one that does not."""
        low = high = self._floor_reaches(self.target)
        if self._excess(high) < 0 and self.tried[high] is None:
            self._excess(self.baseline)
        while self._excess(high) < 0:
            if high == MAX_LEVEL:
                raise self._unreachable(high)
            low, high = high, min(2 * high, MAX_LEVEL)
        while self._excess(low) > 0:
            if low == self.lowest:
                raise self._unreachable(low)
            low, high = self._below(low), low
        return low, high

    def _below(self, scale: float) -> float:
        """Return a smaller scale that may fit, from the information floor or the baseline."""
        mechanism = self.tried[scale]
        if mechanism is not None:
            guess = self._floor_reaches(self.target - 1.1 * (mechanism.epsilon - self.target))
            if self.baseline < guess < scale:
                return guess
        return self.baseline if self.baseline < scale else max(self.lowest, scale / 2)

    def _floor_reaches(self, level: float) -> float:
        """Return the scale at which the information floor is a given level, or the largest that could fit.

        If time is up before it is found, return the baseline.
        """

        def missing(x: float) -> float:
            if self.clock.left < 0:
                raise _TimeIsUp
            return Problem.achieved(self.sizes, math.exp(x) * self.shares).information_floor - level

        low, high = self.lowest, max(self.lowest, min(self.total, MAX_LEVEL))
        ends = math.log(low), math.log(high)
        try:
            if missing(ends[1]) <= 0:
                return high
            if missing(ends[0]) >= 0:
                return low
            return math.exp(scipy.optimize.brentq(missing, *ends, xtol=1e-9))
        except _TimeIsUp:
            return self.baseline

    def _unreachable(self, scale: float) -> Exception:
        """Return the error that no scale between the limits spends the total."""
        mechanism, levels = self.tried[scale], scale * self.shares
        if mechanism is None:
            return self._refused()
        word, end = ("large", "largest") if mechanism.epsilon < self.total else ("small", "smallest")
        return ValueError(
            f"epsilon = {self.total:g} is too {word}: at the {end} levels allowed, which are between "
            f"{levels.min():.4g} and {levels.max():.4g}, the overall level is {mechanism.epsilon:.6g}"
        )
