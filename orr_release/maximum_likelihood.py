"""The table of greatest likelihood: no negative counts, at the price of a bias (chapter release).

Over tables ``p`` of proportions the log-likelihood of what was released, the sum over forms and cells of
``seen log(P p)``, is concave. Its gradient over the sum of the weights, ``g``, has ``sum(p g) = 1``, so that
no table is better than ``p`` by more than ``W (max g - 1)``: that is the certificate. A step of EM multiplies
``p`` by ``g``. Where that is slow, and the table small enough, Newton's method goes on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from orr.arrays import Floats
from orr_release.counting import Part

# A table whose log-likelihood is within this of the best is, where the likelihood is like a parabola, within
# sqrt(2e-5) = 0.45% of a standard error of it, in every direction.
LIKELIHOOD_GAP = 1e-5
MAX_EVALUATIONS = 3000  # evaluations of the gradient by EM
MAX_EVALUATIONS_BEFORE_NEWTON = 60  # evaluations of the gradient by EM where Newton's method can go on
MAX_NEWTON_STEPS = 100  # steps of Newton's method before giving up
MAX_NEWTON_CELLS = 1024  # cells of a table for which a step takes a fraction of a second
MIN_SHARE = 0.01  # smallest share of a uniform cell that a start gives to each cell: EM never leaves 0
KEPT_SHARE = 0.1  # a longer step leaves a cell this share of what EM gives it: it may be wanted again
GAP_FACTOR = 0.1  # a step of Newton's method aims at a tenth of the gap
STEP_SHARE = 0.99  # and goes at most this share of the way to a cell of 0


@dataclass(frozen=True)
class Point:
    """A table of proportions, its log-likelihood and its gradient."""

    p: Floats
    value: float
    gradient: Floats

    @property
    def step(self) -> Floats:
        """Where EM goes from here."""
        return self.p * self.gradient


class Likelihood:
    """The log-likelihood of the released tables of all forms, as a function of the true proportions.

    Weights make it a pseudo-likelihood: it is scaled to ``W^2 / W2`` records, as many as tell as much.
    """

    def __init__(self, parts: Sequence[Part]) -> None:
        answered = [part for part in parts if part.seen.sum() > 0]
        weight = sum(float(part.seen.sum()) for part in answered)
        scale = weight / sum(float(part.squares.sum()) for part in answered)
        self.total, self.evaluations = scale * weight, 0
        self.parts = [(part.channel, scale * part.seen) for part in answered]

    def at(self, p: Floats) -> Point:
        """Evaluate value and gradient."""
        self.evaluations += 1
        p = p / p.sum()
        value, gradient = 0.0, np.zeros(p.shape)
        for channel, seen in self.parts:
            expected, some = channel.expect(p), seen > 0
            ratio = np.divide(seen, expected, out=np.zeros(p.shape), where=some)
            value += float((seen[some] * np.log(expected[some])).sum())
            gradient += channel.expect(ratio)  # the channel is symmetric
        return Point(p, value, gradient / self.total)

    def curvature(self, p: Floats) -> Floats:
        """Return the negative second derivatives, cell by cell, times the proportions of both."""
        result = np.zeros((p.size, p.size))
        for channel, seen in self.parts:
            root = (np.sqrt(seen) / np.where(seen > 0, channel.expect(p), 1)).ravel()
            scaled = root[:, None] * channel.matrix() * p.ravel()
            result += scaled.T @ scaled
        return result

    def gap(self, point: Point) -> float:
        """Bound what the log-likelihood could still rise by."""
        return self.total * max(float(point.gradient.max()) - 1, 0.0)


def maximize(parts: Sequence[Part], start: Floats) -> tuple[Floats, float, int]:
    """Find the proportions of greatest likelihood.

    EM slows down where counts go to 0, and where a release tells little. So every two steps of it are
    followed by a longer one in their direction (SQUAREM of Varadhan and Roland, 2008), taken only if the
    likelihood has risen; and tables of up to 1,024 cells are left to Newton's method after 60 evaluations.

    Parameters
    ----------
    parts : sequence of Part
        The released tables.
    start : ndarray
        Proportions to begin with; negative ones are raised.

    Returns
    -------
    tuple
        The proportions, what the log-likelihood could still rise by, and the evaluations of its gradient.

    Examples
    --------
    >>> import orr
    >>> from orr.channel import Channel
    >>> channel = Channel.of(orr.kronecker([3], [1.0]).law, [0])
    >>> seen = np.array([60.0, 25.0, 15.0])
    >>> proportions, gap, steps = maximize([Part(channel, seen, seen)], channel.invert(seen) / 100)
    >>> proportions.round(3), gap < LIKELIHOOD_GAP
    (array([0.946, 0.054, 0.   ]), True)
    """
    likelihood = Likelihood(parts)
    point = likelihood.at(np.maximum(start, MIN_SHARE / start.size))
    small = start.size <= MAX_NEWTON_CELLS
    while likelihood.gap(point) > LIKELIHOOD_GAP and likelihood.evaluations < (
        MAX_EVALUATIONS_BEFORE_NEWTON if small else MAX_EVALUATIONS
    ):
        point = _longer(likelihood, point)
    if small and likelihood.gap(point) > LIKELIHOOD_GAP:
        point = _newton(likelihood, point)
    return point.p, likelihood.gap(point), likelihood.evaluations


def _longer(likelihood: Likelihood, point: Point) -> Point:
    """Two steps of EM, and a longer one if that is better."""
    once = likelihood.at(point.step)
    first = once.p - point.p
    turn = once.step - once.p - first
    length = np.linalg.norm(turn)
    stretch = np.linalg.norm(first) / length if length > 0 else 1.0
    if stretch <= 1:
        return likelihood.at(once.step)
    reached = point.p + 2 * stretch * first + stretch**2 * turn
    longer = likelihood.at(np.maximum(reached, KEPT_SHARE * once.step))
    return longer if longer.value >= once.value else likelihood.at(once.step)


def _newton(likelihood: Likelihood, point: Point) -> Point:
    """Follow the central path: ``p z = m`` for the slopes ``z = W (1 - g)``, with smaller and smaller ``m``.

    That proportions sum to 1 need not be said, since ``W sum(p)`` is subtracted from the likelihood.
    All is scaled by ``p``, lest the counts that go to 0 spoil the solution for the others.
    """
    best = point = likelihood.at(point.p + MIN_SHARE / point.p.size)
    z = likelihood.gap(point) / point.p.size / point.p
    for _ in range(MAX_NEWTON_STEPS):
        p, target = point.p, GAP_FACTOR * float((point.p * z).mean())
        slope = target - likelihood.total * (p - point.step)
        try:
            factor = cho_factor(likelihood.curvature(p) + np.diag((p * z).ravel()))
        except LinAlgError:  # no digits are left: what was reached is returned with its gap
            break
        u = cho_solve(factor, slope.ravel()).reshape(p.shape)
        dual = target / p - z - z * u
        length = min(1.0, STEP_SHARE / max(float((-u).max()), float((-dual / z).max()), STEP_SHARE))
        point, z = likelihood.at(p * (1 + length * u)), z + length * dual
        best = min(best, point, key=likelihood.gap)
        if likelihood.gap(best) <= LIKELIHOOD_GAP:
            break
    return best
