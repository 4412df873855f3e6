"""The path to the best ball: solutions of a smooth problem, along an edge that becomes ever narrower.

The dual bound is largest where ``E[(y.q - y.B)^+]`` is smallest for a given ``y.d``: a convex problem, but
with corners. Replace ``x^+`` by ``log(1 + exp(x))`` and the corners are gone: now weights have a unit, the
*width*, and the larger they are, the sharper the edge. For each value of ``y.d`` the smooth problem has one
solution, and its law is a ball whose edge falls off like the logistic function,

    g(S) = 1 / (1 + exp(-x(S)))    with    x(S) = y.(q - B(S)).

It gives every attribute exactly its level, never rises with a flip since ``y >= 0``, and its level is above
the bound that ``y`` proves by ``log(E[x^+] / E[g x])``, which falls to 0 as ``y.d`` grows.

So the path is followed outwards: a Newton step along its tangent, then steps back to it, taken in shares
of the weights. The tangent points to the weights of the sharp edge, and these prove the lower bound (chapter
path). Interior-point methods for linear programs do the same with all of their variables; here the masses
of the flip sets, far too many to be written down, follow from the weights.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property

import numpy as np

from orr.arrays import Floats
from orr.optimum.laplace import CellSum, Dense, Thin, Transform, counting
from orr.problem import Kinds, Problem
from orr.rounding import Unsound

MIN_RATE = 1e-300  # a flip rate of 0 counts as this: its logarithm is finite
# The first weights hardly depend on the mass M: its logarithm need not be known more closely.
MASS_LOG_TOL = 1e-3
MIN_WEIGHT = 1e-12  # nats: a smaller weight cannot be told from 0 in doubles
FIRST_WIDTH = 0.6  # nats: the width of the first edge that is tried
# Widths: where the mean distance to the edge is below this, the edge is too soft to start from.
MIN_MEAN_DISTANCE = 0.3
STAGE_GROWTH = 2.5  # factor of y.d from a stage to the next: the tangent is still good there
SAME_EDGE_RATIO = 1.001  # ratio of y.d below which two edges count as the same
# In mean distances to the edge: if a Newton step back promises more, the tangent has left the path.
MAX_PROMISE = 0.1
MAX_STAGES = 40  # a few stages are needed; at the last one y.d would be 1e16 times that of the first
# Newton steps at a stage, where a few are needed; also first widths, and bisections, that are tried.
MAX_TRIALS = 40
MIN_GAIN = 1e-3  # share of what the edge costs: a step that promises less is not worth taking
ROUNDING_GAIN = 1e-12  # share of the smooth expectation: rounding alone may promise as much
DAMPING = 1e-13  # multiple of the diagonal that is added to the second derivatives, which may be singular
MIN_DIAGONAL = 1e-300  # second derivatives of 0 count as this
# Smallest w beside the largest that is distinguished from 0: first, and where that fails.
FAINT_RATIOS = 1e-10, 1e-8, 1e-5
MAX_PATH_LEVEL = 90.0  # nats: flips as rare as e^-90 do not matter to the other attributes
MAX_LOG_STEP = 4.0  # largest change of the logarithm of a weight in one step
# Share of its slope by which a weight that should grow is held back: between two layers of flip sets nothing
# is at the edge, and no second derivative tells how far the next layer is.
HELD_BACK = 0.3


def start(problem: Problem) -> Floats:
    """Return weights in nats that are right for very many attributes.

    The probability of a ball with flip rates ``r`` falls like ``exp(-sum kl(r, p))``; the rates follow
    from the mass ``M``, ``r = q (1 - w / M)``, and the best mass is found by a search on a line.
    """
    q, p, w, a = problem.q, problem.p, problem.w, problem.sizes

    def rates(x: Floats) -> tuple[Floats, Floats]:
        less = w / w.max() / (1 + np.exp(x))
        return np.maximum(q * (1 - less), MIN_RATE), problem.truth + q * less

    def cost(x: Floats) -> Floats:
        r, truth = rates(x[:, None])
        return np.logaddexp(0, x) + (r * np.log(r / p) + truth * np.log(truth * a)).sum(axis=1)

    x, step = np.zeros(1), 16.0
    while step > MASS_LOG_TOL:
        x = x + step * np.linspace(-1, 1, 17)
        x, step = x[[cost(x).argmin()]], step / 8
    r, truth = rates(x)
    weights = np.maximum(np.log(truth * (a - 1) / r), MIN_WEIGHT)
    # The attributes of the largest w may have to weigh so much that they hardly ever flip: as much as brings
    # the threshold a nat above the mean weight of the flips.
    top = w == w.max()
    left = 1 - float(weights[~top] @ (q - r)[~top])
    return np.where(top, np.maximum(weights, left / q[top].sum()), weights)


def grown(move: Floats) -> Floats:
    """Return the factors of weights that move by shares of themselves, kept positive.

    They are 1 plus the move as long as half of a weight or more is left.
    """
    return np.where(move > -0.5, 1 + move, 0.5 * np.exp(np.minimum(move, -0.5) + 0.5))


class Position:
    """Weights in widths, one for each kind, and the expectations that a model returns for them."""

    def __init__(self, model: CellSum | Transform, weights: Floats) -> None:
        self.model, self.weights = model, weights
        self.point = model.at(weights)

    @property
    def mean_distance(self) -> float:
        """Mean distance to the edge inside the ball, in widths."""
        return float(self.weights @ self.point.slope)

    @property
    def cost(self) -> float:
        """Nats that the soft edge costs, roughly."""
        if not self.mean_distance > 0:
            return math.inf
        return max(self.point.log_soft - self.point.log_mass - math.log(self.mean_distance), 0.0) / 2

    @property
    def upper(self) -> float:
        """Logarithm of the excess of this law, scaled up until every attribute has its level."""
        supply = float((self.point.slope / self.model.need).min())
        return -math.log(supply) - self.point.log_mass if supply > 0 else math.inf

    @property
    def scaling_cost(self) -> float:
        """Nats that scaling up costs: none where all attributes have the same supply."""
        mean = self.mean_distance / float(self.weights @ self.model.need)
        return self.upper + self.point.log_mass + math.log(mean) if mean > 0 else math.inf

    def residual(self, slope: Floats) -> Floats:
        """Return how far a slope is from one that gives every attribute its level, times the weights."""
        y, need = self.weights, self.model.need
        return y * (slope - float(y @ slope) / float(y @ need) * need)

    @cached_property
    def system(self) -> tuple[Floats, Dense | Thin, Floats]:
        """Scale, scaled second derivatives in the logarithms of the weights, gradient of ``y.need``."""
        residual = self.residual(self.point.slope)
        bend = self.point.bend().scaled(self.weights, np.maximum(residual, -HELD_BACK * residual))
        scale = 1 / np.sqrt(np.maximum(bend.diagonal, MIN_DIAGONAL))
        need = self.weights * self.model.need * scale
        with np.errstate(over="ignore", invalid="ignore"):  # then no step helps
            return scale, bend.scaled(scale, DAMPING), need / np.linalg.norm(need)

    def newton_step(self, residual: Floats) -> Floats:
        """Return the step in the logarithms of the weights that undoes a residual and keeps ``y.need``."""
        scale, bend, need = self.system
        a, b = bend.solve(np.stack([residual * scale, need], axis=1)).T
        with np.errstate(invalid="ignore"):  # then no step helps
            return (b * ((need @ a) / (need @ b)) - a) * scale

    @property
    def tangent(self) -> Floats:
        """Derivative of the weights along the path: of their logarithms by that of ``y.need``."""
        scale, bend, need = self.system
        move = bend.solve(need[:, None])[:, 0] * scale
        total = float(self.weights @ self.model.need)
        with np.errstate(invalid="ignore"):  # then there is no next position
            return move / float(move @ (self.weights * self.model.need)) * total

    @property
    def limit(self) -> Floats:
        """Weights of the sharp edge at the end of the path, roughly: where the tangent points to."""
        return np.maximum(self.weights * self.tangent, 0.0)

    def ahead(self, growth: float) -> Floats:
        """Return the weights on the tangent where the edge is sharper by a factor."""
        new = self.weights * grown((growth - 1) * self.tangent)
        return new * (growth * float(self.weights @ self.model.need) / float(new @ self.model.need))


class Path:
    """A walk along the path, and the position ``here``.

    ``raised`` is the factor by which flips are rarer than in the model, and may weigh more; ``fitted`` is
    whether a ball was fitted here.

    Parameters
    ----------
    model : CellSum or Transform
        What computes expectations.
    weights : ndarray
        First weights in nats, one for each kind.
    """

    raised: Floats | float = 1.0

    def __init__(self, model: CellSum | Transform, weights: Floats) -> None:
        self.model = model
        for width in FIRST_WIDTH / 1.5 ** np.arange(MAX_TRIALS):
            try:
                self.move(weights / width)
            except Unsound:  # too narrow, or too wide
                continue
            if self.here.mean_distance >= MIN_MEAN_DISTANCE:
                return
        raise Unsound("no edge is narrow enough")

    @classmethod
    def of(cls, kinds: Kinds, relaxed: Problem, faint: float = FAINT_RATIOS[0]) -> Path:
        """Start the path for kinds of attributes at relaxed levels.

        Beside a level that is far higher, an attribute is given more than its level: the difference of its
        flip rate from ``q`` would be lost in doubles, and more costs next to nothing. The highest levels
        are lowered: where an attribute hardly ever flips, the ball of the others is the same.
        """
        first, count = kinds.first, kinds.count
        low = Problem.achieved(relaxed.sizes[first], np.minimum(relaxed.epsilons[first], MAX_PATH_LEVEL))
        load, need = count * low.q, count * low.d
        need = np.maximum(need, faint * float(low.w.max()) * load)
        path = cls(counting(kinds, load, need), start(low))
        path.raised = load / (count * relaxed.q[first])
        return path

    def unscaled(self, weights: Floats) -> Floats:
        """Return weights of the model as weights of the problem, infinite where flips never matter."""
        with np.errstate(over="ignore"):
            return weights * self.raised

    def move(self, weights: Floats) -> None:
        """Go to other weights."""
        self._go(Position(self.model, weights))

    def _go(self, there: Position) -> None:
        self.here, self.fitted = there, False

    def settle(self, done: Callable[[], bool] = lambda: False, tol: float = math.inf) -> None:
        """Return to the path by Newton's method, until a step is worth little.

        The law is then also so close to the levels that scaling it up costs at most ``tol`` nats.
        """
        for _ in range(MAX_TRIALS):
            if done():
                return
            here = self.here
            if not here.mean_distance > MIN_MEAN_DISTANCE / 3:
                self.move(1.5 * here.weights)
                continue
            worth = max(MIN_GAIN * here.cost, ROUNDING_GAIN)
            worth *= math.exp(here.point.log_soft - here.point.log_mass)
            promised = self._step()
            if promised is None or (promised < worth and self.here.scaling_cost <= tol):
                return

    def _step(self) -> float | None:
        """Take as much of a Newton step as helps; return what it promised, or None if nothing helps."""
        weights, point, need = self.here.weights, self.here.point, self.model.need
        residual = self.here.residual(point.slope)
        step = self.here.newton_step(residual)
        promised, scale = -float(residual @ step), math.exp(point.log_soft - point.log_mass)
        part = 1 / max(1.0, float(np.abs(step).max()) / MAX_LOG_STEP)
        while part > 1e-6:
            new = weights * grown(part * step)
            new *= float(weights @ need) / float(new @ need)
            try:
                there = Position(self.model, new)
            except Unsound:
                part *= 0.4
                continue
            gained = -scale * math.expm1(min(there.point.log_soft - point.log_soft, 50))
            if gained > 0.1 * part * promised or promised < ROUNDING_GAIN * scale:
                self._go(there)
                return promised
            part *= 0.4
        return None

    def narrow(self, growth: float = STAGE_GROWTH) -> None:
        """Go along the tangent to a narrower edge, but not where the path bends away from it."""
        before = self.here
        while True:
            try:
                self.move(before.ahead(growth))
                here = self.here
                residual = here.residual(here.point.slope)
                promised = -float(residual @ here.newton_step(residual))
                if promised < MAX_PROMISE * here.mean_distance or growth < 1.1:
                    return
            except (Unsound, np.linalg.LinAlgError):
                if growth < 1.1:
                    self._go(before)
                    raise
            self._go(before)
            growth = math.sqrt(growth)

    def widen(self, wider: Floats, level: float, tol: float) -> None:
        """Go back towards wider weights, to the widest edge that costs no more than a level."""
        narrow, need = self.here.weights, self.model.need
        for _ in range(MAX_TRIALS):
            if float(narrow @ need) <= SAME_EDGE_RATIO * float(wider @ need):
                break
            self.move(np.sqrt(wider * narrow))
            self.settle(tol=tol)
            if self.here.upper <= level:
                narrow = self.here.weights
            else:
                wider = self.here.weights
        self.move(narrow)
