"""What counts the expectations of a smooth problem: listed cells one by one, or balls by dynamic programming.

The smooth problem and its words are explained in :mod:`orr.optimum.soft`, and the dynamic program of a ball
in chapter 10.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import scipy

from orr.arrays import Floats, Integers
from orr.kinds import Kinds
from orr.laws.ball import FAR, Ball
from orr.rounding import Unsound

BLUR = 0.5  # widths, of the edge by rounding
STATES, COARSE = 40_000, 1_500  # of the dynamic programs, and of that for second derivatives


@dataclass(frozen=True, eq=False)
class Point:
    """Logarithms of ``E[g]``, of the smooth expectation and of ``E[x^+]``; and ``E[g (load - c)] / E[g]``."""

    log_mass: float
    log_soft: float
    log_hard: float
    slope: Callable[[], Floats]


class Model(Protocol):
    """What counts the expectations of a smooth problem."""

    load: Floats
    need: Floats

    def at(self, weights: Floats, width: float) -> Point:
        """Count at some weights."""

    def bend(self, weights: Floats, width: float) -> tuple[Floats, float]:
        """Second derivatives of the smooth expectation, and how much of it is at the edge, over ``E[g]``."""


class Listed:
    """Cells, listed around the threshold of some weights."""

    def __init__(self, kinds: Kinds, load: Floats, need: Floats, cells: Integers) -> None:
        self.load, self.need, self.cells = load, need, cells
        self.log_uniform = kinds.log_uniform(cells)
        self.pull = load - cells

    def _shares(self, weights: Floats, width: float) -> tuple[Floats, Floats]:
        """``x`` in widths, and the logarithms of what each cell has of ``E[g]``."""
        x = self.pull @ weights / width
        return x, self.log_uniform - np.logaddexp(0, -x)

    def at(self, weights: Floats, width: float) -> Point:
        x, log_g = self._shares(weights, width)
        top = float(log_g.max())
        chance, g = np.exp(self.log_uniform - top), np.exp(log_g - top)
        total = float(g.sum())
        soft = width * float(chance @ np.logaddexp(0, x))
        hard = width * float(chance @ np.maximum(x, 0))
        logs = [top + math.log(value) if value > 0 else -math.inf for value in (total, soft, hard)]
        return Point(logs[0], logs[1], logs[2], lambda: g @ self.pull / total)

    def bend(self, weights: Floats, width: float) -> tuple[Floats, float]:
        x, log_g = self._shares(weights, width)
        g = np.exp(log_g - log_g.max())
        kernel = g / g.sum() * scipy.special.expit(-x) / width
        return (self.pull * kernel[:, None]).T @ self.pull, float(kernel.sum())


class Counted:
    """Balls with a soft edge, with weights rounded at random to units that are small beside its width."""

    def __init__(self, kinds: Kinds, load: Floats, need: Floats, offer: Callable[[Ball], None]) -> None:
        self.kinds, self.load, self.need, self.offer = kinds, load, need, offer

    def unit(self, weights: Floats, width: float, most: int) -> float:
        """Choose a unit in which rounding blurs the edge by less than its width, if states allow.

        A flip of a weight that is a fraction ``t`` above a whole number of units is blurred by a variance
        of ``t (1 - t)`` of them squared.
        """
        radius, unit = float(weights @ self.load), width / 3
        while radius + 2 * FAR * width < most * unit:
            part = weights / unit % 1
            if unit**2 * float(self.load @ (part * (1 - part))) <= (BLUR * width) ** 2:
                break
            unit /= 2
        return unit

    def _ball(self, weights: Floats, width: float, unit: float) -> Ball:
        radius = float(weights @ self.load)
        return Ball.soft(self.kinds.whole, weights[self.kinds.of] / unit, radius / unit, width / unit)

    def at(self, weights: Floats, width: float) -> Point:
        unit = self.unit(weights, width, STATES)
        ball = self._ball(weights, width, unit)
        x = float(weights @ self.load) - unit * np.arange(ball.states)
        soft = ball.below @ (width * np.logaddexp(0, x / width))
        hard = ball.below @ np.maximum(x, 0)
        if not hard > 0:
            raise Unsound("all chances of a ball underflow")

        def slope() -> Floats:
            self.offer(ball)
            return self.load - self.kinds.count * ball.rates[self.kinds.first]

        return Point(ball.log_mass, math.log(soft) + ball.log_scale, math.log(hard) + ball.log_scale, slope)

    def bend(self, weights: Floats, width: float) -> tuple[Floats, float]:
        width = max(width, 2 * float(weights @ self.load) / COARSE)
        ball = self._ball(weights, width, self.unit(weights, width, COARSE))
        single, pair, total = moments(ball, self.kinds, ball.inside * (1 - ball.inside) / width)
        cross = np.outer(single, self.load)
        matrix = pair - cross - cross.T + total * np.outer(self.load, self.load)
        unit = math.exp(ball.log_scale - ball.log_mass)
        return matrix * unit, total * unit


def moments(ball: Ball, kinds: Kinds, kernel: Floats) -> tuple[Floats, Floats, float]:
    """``E[k c]``, ``E[k c c']`` and ``E[k]`` for the numbers of flips c of the kinds, over exp(log_scale).

    ``kernel`` is k as a function of the weight of the flips. Two attributes of a kind stand for all of
    them. The laws of the weight with one of them flipped are built up side by side, attribute by
    attribute, and meet the law of the weight of the rest.
    """
    n, place = len(kinds), np.full(len(kinds.of), -1)
    place[ball.live] = np.arange(len(ball.live))
    firsts = place[kinds.first]
    seconds = place[kinds.second]
    order = [*firsts[firsts >= 0], *seconds[(seconds >= 0) & (kinds.count > 1)]]
    owner = [*np.flatnonzero(firsts >= 0), *np.flatnonzero((seconds >= 0) & (kinds.count > 1))]
    rest = (kernel * np.exp(-ball.tilt * np.arange(ball.states)[::-1]))[::-1]
    for i in set(range(len(ball.live))) - set(order):
        rest = ball.add(rest, i)
    after = []
    for i in reversed(order):
        after.append(rest[::-1])
        rest = ball.add(rest, i)
    single, pair, twice = np.zeros(n), np.zeros((n, n)), np.zeros(n)
    laws = np.zeros((n + 1, ball.states))  # any flips, then one kind's first attribute flipped
    laws[0, 0] = 1
    known: list[int] = []
    for i, g in zip(order, owner, strict=True):
        rows = laws[: len(known) + 1]
        flipped = np.zeros_like(rows)
        for weight, chance in zip((ball.low[i], ball.low[i] + 1), ball.lie[:, i], strict=True):
            if chance and weight < ball.states:
                flipped[:, weight:] += chance * rows[:, : ball.states - weight]
        values = flipped @ after.pop()
        rows *= ball.keep[i]
        rows += flipped
        if g in known:
            twice[g] = values[1 + known.index(g)]
            continue
        single[g], pair[g, known] = values[0], values[1:]
        known.append(g)
        laws[len(known)] = flipped[0]
    pair = (pair + pair.T) * np.outer(kinds.count, kinds.count)
    np.fill_diagonal(pair, kinds.count * (single + (kinds.count - 1) * twice))
    return kinds.count * single, pair, float(rest[-1])
