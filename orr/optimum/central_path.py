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
from orr.optimum.laplace import Dense, Listed, Point, Thin, Transform, counting
from orr.problem import Kinds, Problem
from orr.rounding import Unsound

LEAST = 1e-300  # flip rate that stands for none
FINEST = 1e-3  # of the logarithm of a mass, within which the first weights do not change
LIGHT = 1e-12  # nats, the smallest weight: what weighs less is not told from nothing
WIDEST, FIRST = 0.6, 0.3  # nats, the width of the first edge; and widths, how far it must be away on average
GROWTH = 2.5  # of y.d from a stage to the next: the tangent is still good there
EXACT = 1.001  # ratio of two edges that are taken for the same
ASTRAY = 0.1  # mean distances to the edge, off the path
STAGES = 40  # of which a few are needed; the last would be of 1e16 widths
STEPS = 40  # of Newton's method at a stage, where a few are needed
SETTLED = 1e-3  # share of what the edge costs that a step is still worth
NOISE = 1e-12  # share of the smooth expectation that rounding alone may promise
DAMPED = 1e-13  # multiple of the diagonal that is added to the second derivatives, which may be singular
# Beside the largest w, the smallest one that is told apart: first, and where that fails.
FAINT = 1e-10, 1e-8, 1e-5
HIGHEST = 90.0  # nats: flips as rare as e^-90 do not matter to others
FARTHEST = 4.0  # logarithms, that a weight may move by in a step
# Share of its slope by which a weight that should grow is held back: between two layers of flip sets nothing
# is at the edge, and no second derivative tells how far the next layer is.
SLOWED = 0.3


def start(problem: Problem) -> Floats:
    """Weights in nats that are right for very many attributes.

    The probability of a ball with flip rates ``r`` falls like ``exp(-sum kl(r, p))``; the rates follow
    from the mass ``M``, ``r = q (1 - w / M)``, and the best mass is found on a line.
    """
    q, p, w, a = problem.q, problem.p, problem.w, problem.sizes

    def rates(x: Floats) -> tuple[Floats, Floats]:
        less = w / w.max() / (1 + np.exp(x))
        return np.maximum(q * (1 - less), LEAST), problem.truth + q * less

    def cost(x: Floats) -> Floats:
        r, truth = rates(x[:, None])
        return np.logaddexp(0, x) + (r * np.log(r / p) + truth * np.log(truth * a)).sum(axis=1)

    x, step = np.zeros(1), 16.0
    while step > FINEST:
        x = x + step * np.linspace(-1, 1, 17)
        x, step = x[[cost(x).argmin()]], step / 8
    r, truth = rates(x)
    weights = np.maximum(np.log(truth * (a - 1) / r), LIGHT)
    # The attributes of the largest w may have to weigh so much that they hardly ever flip: as much as brings
    # the threshold a nat above the mean weight of the flips.
    top = w == w.max()
    left = 1 - float(weights[~top] @ (q - r)[~top])
    return np.where(top, np.maximum(weights, left / q[top].sum()), weights)


def grown(move: Floats) -> Floats:
    """By what weights grow: 1 and a move, as long as that leaves half of them or more."""
    return np.where(move > -0.5, 1 + move, 0.5 * np.exp(np.minimum(move, -0.5) + 0.5))


class Path:
    """Where on the path we are: the weights in widths, one for each kind, and what a model counts there.

    ``raised`` is by how much rarer flips are than in the model, and by how much more they may weigh;
    ``fitted`` is whether a ball was fitted here.
    """

    raised: Floats | float = 1.0
    fitted = False

    def __init__(self, model: Listed | Transform, weights: Floats) -> None:
        self.model = model
        for width in WIDEST / 1.5 ** np.arange(STEPS):
            try:
                self._move(weights / width)
            except Unsound:  # too fine, or too wide
                continue
            if self.mean >= FIRST:
                return
        raise Unsound("no edge is narrow enough")

    @classmethod
    def of(cls, kinds: Kinds, relaxed: Problem, faint: float = FAINT[0]) -> Path:
        """Start the path for kinds of attributes at relaxed levels.

        Beside a level that is far higher, an attribute is given more than its level: what its flip rate would
        have to differ by from ``q`` is lost in doubles, and more costs next to nothing. The highest levels
        are lowered: where an attribute hardly ever flips, the ball of the others is the same.
        """
        first, count = kinds.first, kinds.count
        low = Problem.achieved(relaxed.sizes[first], np.minimum(relaxed.epsilons[first], HIGHEST))
        load, need = count * low.q, count * low.d
        need = np.maximum(need, faint * float(low.w.max()) * load)
        path = cls(counting(kinds, load, need), start(low))
        path.raised = load / (count * relaxed.q[first])
        return path

    def _move(self, weights: Floats, point: Point | None = None) -> None:
        self.weights, self.point = weights, point or self.model.at(weights)
        self.fitted = False
        self.__dict__.pop("system", None)

    @property
    def mean(self) -> float:
        """Mean distance to the edge inside the ball, in widths."""
        return float(self.weights @ self.point.slope)

    @property
    def cost(self) -> float:
        """About what the soft edge costs, in nats."""
        if not self.mean > 0:
            return math.inf
        return max(self.point.log_soft - self.point.log_mass - math.log(self.mean), 0.0) / 2

    @property
    def upper(self) -> float:
        """Logarithm of the excess of this law, scaled up until it gives every attribute its level."""
        supply = float((self.point.slope / self.model.need).min())
        return -math.log(supply) - self.point.log_mass if supply > 0 else math.inf

    @property
    def short(self) -> float:
        """What scaling up costs of that, in nats: nothing where all attributes have the same supply."""
        mean = self.mean / float(self.weights @ self.model.need)
        return self.upper + self.point.log_mass + math.log(mean) if mean > 0 else math.inf

    def off(self, slope: Floats) -> Floats:
        """How far a slope is from one that gives every attribute its level, for logarithms of weights."""
        y, need = self.weights, self.model.need
        return y * (slope - float(y @ slope) / float(y @ need) * need)

    @cached_property
    def system(self) -> tuple[Floats, Dense | Thin, Floats]:
        """Scale, scaled second derivatives in the logarithms of the weights, and what keeps ``y.need``."""
        off = self.off(self.point.slope)
        bend = self.point.bend().scaled(self.weights, np.maximum(off, -SLOWED * off))
        scale = 1 / np.sqrt(np.maximum(bend.diagonal, LEAST))
        need = self.weights * self.model.need * scale
        return scale, bend.scaled(scale, DAMPED), need / np.linalg.norm(need)

    def newton(self, off: Floats) -> Floats:
        """Step in the logarithms of the weights that undoes what is off, and keeps ``y.need``."""
        scale, bend, need = self.system
        a, b = bend.solve(np.stack([off * scale, need], axis=1)).T
        return (b * ((need @ a) / (need @ b)) - a) * scale

    def settle(self, done: Callable[[], bool] = lambda: False, close: float = math.inf) -> None:
        """Go back to the path, by Newton's method, until a step is worth little.

        Its law is then also so close to the levels that scaling it up costs no more than so many nats.
        """
        for _ in range(STEPS):
            if done():
                return
            if not self.mean > FIRST / 3:
                self._move(1.5 * self.weights)
                continue
            worth = max(SETTLED * self.cost, NOISE) * math.exp(self.point.log_soft - self.point.log_mass)
            promised = self._step()
            if promised is None or (promised < worth and self.short <= close):
                return

    def _step(self) -> float | None:
        """Take as much of a Newton step as helps; return what it promised, or None if nothing helps."""
        here, need = self.point, float(self.weights @ self.model.need)
        off = self.off(here.slope)
        move = self.newton(off)
        promised, scale = -float(off @ move), math.exp(here.log_soft - here.log_mass)
        part = 1 / max(1.0, float(np.abs(move).max()) / FARTHEST)
        while part > 1e-6:
            new = self.weights * grown(part * move)
            new *= need / float(new @ self.model.need)
            try:
                there = self.model.at(new)
            except Unsound:
                part *= 0.4
                continue
            kept = -scale * math.expm1(min(there.log_soft - here.log_soft, 50))
            if kept > 0.1 * part * promised or promised < NOISE * scale:
                self._move(new, there)
                return promised
            part *= 0.4
        return None

    @property
    def tangent(self) -> Floats:
        """How the weights grow with ``y.need``, both in logarithms."""
        scale, bend, need = self.system
        move = bend.solve(need[:, None])[:, 0] * scale
        return move / float(move @ (self.weights * self.model.need)) * float(self.weights @ self.model.need)

    @property
    def limit(self) -> Floats:
        """About the weights of the sharp edge at the end of the path: where the tangent points to."""
        return np.maximum(self.weights * self.tangent, 0.0)

    def ahead(self, growth: float) -> Floats:
        """Weights on the tangent, at an edge that is so many times as sharp."""
        new = self.weights * grown((growth - 1) * self.tangent)
        return new * (growth * float(self.weights @ self.model.need) / float(new @ self.model.need))

    def narrow(self, growth: float = GROWTH) -> None:
        """Go on along the tangent, to a narrower edge, but not where the path bends away from it."""
        weights, point = self.weights, self.point
        while True:
            try:
                self._move(self.ahead(growth))
                off = self.off(self.point.slope)
                if -float(off @ self.newton(off)) < ASTRAY * self.mean or growth < 1.1:
                    return
            except (Unsound, np.linalg.LinAlgError):
                if growth < 1.1:
                    self._move(weights, point)
                    raise
            self._move(weights, point)
            growth = math.sqrt(growth)

    def widen(self, wider: Floats, level: float, close: float) -> None:
        """Go back to the widest edge, on the way from wider ones to here, with no more than a level."""
        narrow, need = self.weights, self.model.need
        for _ in range(STEPS):
            if float(narrow @ need) <= EXACT * float(wider @ need):
                break
            self._move(np.sqrt(wider * narrow))
            self.settle(close=close)
            if self.upper <= level:
                narrow = self.weights
            else:
                wider = self.weights
        self._move(narrow)
