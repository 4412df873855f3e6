"""Weighted Hamming balls around the truth: probability, flips, and how they are drawn (chapter any-size).

Flips have weights, and a flip set belongs to the ball if the weight of its flips stays below a
threshold. The weight of a flip need not be an integer: it is then rounded down or up at random, for
each record and attribute anew, so that it is right on average. The ball has a fuzzy edge that way,
everything about it depends smoothly on the weights, and a dynamic program over integers still
computes all of it exactly. Sums are tilted exponentially towards the threshold, so nothing
overflows, and what underflows does not matter.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import cached_property, reduce
from itertools import accumulate
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from orr.arrays import Floats, Integers
from orr.problem import Problem
from orr.randomness import Lookup, Source
from orr.rounding import Unsound, ball_units

Edge = Floats | float

MIN_SUM = 1e-290  # smaller sums of probabilities are cut in the dynamic program
MIN_TERM = 2.0**-53 * MIN_SUM  # smaller terms of a sum are cut: above 2e-308, below which doubles lose digits
MAX_TILT = 64.0  # flips of weight 1 then have a probability of e^-64, which does not matter any more
TILT_TOLERANCE = 1e-3  # relative; sums hardly change that near to the best tilt (the search has 1e-6)
FAR = 36.0  # widths, where the logistic function is 0 or 1 to the last digit of a double


class Ball:
    """Flip sets whose flips weigh less than a threshold.

    Parameters
    ----------
    problem : Problem
        Sizes and levels; only the sizes matter.
    weights : ndarray
        Weight of each attribute's flip; one of at least ``states`` keeps the attribute from flipping.
    states : int
        Number of weights below the threshold: 0, ..., ``states - 1``.
    edge : float or ndarray
        Share of the flip sets of weight ``states - 1`` that belong to the ball, or of several weights up
        to that one.
    tilt : float, optional
        How sums are tilted towards the threshold; found if it is not given, and checked if it is.

    Examples
    --------
    >>> coins = Problem([2, 2, 2], [1.0, 1.0, 1.0])
    >>> ball = Ball(coins, np.array([1.0, 1.0, 1.0]), 2)
    >>> round(math.exp(ball.log_mass), 12)  # no flip or one, of three
    0.5
    >>> ball.rates.round(12)
    array([0.25, 0.25, 0.25])
    """

    def __init__(
        self, problem: Problem, weights: Floats, states: int, edge: Edge = 1.0, tilt: float | None = None
    ) -> None:
        proper = np.size(edge) <= states and np.min(edge) > 0 and np.max(edge) <= 1
        if not (states >= 1 and proper and (weights >= 0).all()):  # also rejects NaN
            raise ValueError("a ball needs weights of at least 0, a state, and an edge above 0 up to 1")
        self.problem, self.weights, self.states, self.edge = problem, weights, states, edge
        order = np.lexsort((weights, problem.sizes))  # so that the order of the attributes does not matter
        self.live = order[weights[order] < states]
        low = np.floor(weights[self.live])
        part, p = weights[self.live] - low, problem.p[self.live]
        self.low = low.astype(np.int64)
        flips = problem.sizes[self.live], weights[self.live]
        if tilt is not None and not is_tilt(tilt, *flips, states - 1.0):
            raise ValueError(f"tilt = {tilt} is not that of these weights")
        self.tilt = found_tilt(*flips, states - 1.0) if tilt is None else tilt
        odds = p * np.exp(-self.tilt * low) * np.stack([1 - part, part * math.exp(-self.tilt)])
        total = 1 / problem.sizes[self.live] + odds.sum(axis=0)
        self.keep, self.flip = 1 / problem.sizes[self.live] / total, odds / total
        logs = np.concatenate([np.log(total), -np.log(np.delete(problem.sizes, self.live))])
        self.log_scale = math.fsum([*logs, self.tilt * (states - 1)])
        self.units = ball_units(len(problem), self.tilt * states, float(np.abs(logs).sum()))

    @classmethod
    def of(cls, problem: Problem, weights: Floats, radius: float) -> Ball:
        """Return the ball of a radius that need not be an integer: a share of its edge belongs to it."""
        states = math.ceil(radius)
        return cls(problem, weights, states, max(1 - states + radius, 1e-9))

    @classmethod
    def soft(cls, problem: Problem, weights: Floats, radius: float, width: float) -> Ball:
        """Return the ball whose edge falls off over a width, as the logistic function does."""
        states = math.ceil(radius + FAR * width)
        first = min(max(math.floor(radius - FAR * width), 0), states - 1)
        return cls(problem, weights, states, scipy.special.expit((radius - np.arange(first, states)) / width))

    def definition(self) -> dict[str, Any]:
        """Return the arguments that make the ball of its problem again, without a search for the tilt."""
        return {"weights": self.weights, "states": self.states, "edge": self.edge, "tilt": self.tilt}

    @property
    def inside(self) -> Floats:
        """Share of each weight that belongs to the ball."""
        return np.append(np.ones(self.states - np.size(self.edge)), self.edge)

    def add(self, law: Floats, i: int) -> Floats:
        """Return the law of the weight with one more attribute, the i-th of those that may flip."""
        return _shifted(law, self.keep[i], self.low[i], self.flip[:, i])

    @cached_property
    def accepted(self) -> Floats:
        """Tilted share of each weight that belongs to the ball."""
        return self.inside * np.exp(-self.tilt * np.arange(self.states)[::-1])

    @cached_property
    def below(self) -> Floats:
        """Probability of each weight, divided by ``exp(log_scale)``."""
        law = reduce(self.add, range(len(self.live)), np.eye(1, self.states)[0])
        return law * np.exp(-self.tilt * np.arange(self.states)[::-1])

    @cached_property
    def log_mass(self) -> float:
        """Logarithm of the probability of the ball under a uniformly random record."""
        inside = math.fsum((self.below * self.inside).tolist())
        if not inside > 0:
            raise Unsound("all chances of a ball underflow")
        return math.log(inside) + self.log_scale

    @cached_property
    def rates(self) -> Floats:
        """Flip probability of each attribute, given that the flip set is in the ball."""
        rates, rest = np.zeros(len(self.problem)), self.accepted[::-1]
        for i, law in passed(self.add, np.eye(1, self.states)[0], range(len(self.live))):
            backwards = rest[::-1]
            for weight, flip in ((self.low[i], self.flip[0, i]), (self.low[i] + 1, self.flip[1, i])):
                if weight < self.states:
                    rates[self.live[i]] += flip * (law[: self.states - weight] @ backwards[weight:])
            rest = self.add(rest, i)
        # Attributes that are alike have the same rate: that of the first, not one rounded on its own.
        alike = np.stack([self.problem.sizes, self.weights])[:, self.live]
        new = np.append(True, (alike[:, 1:] != alike[:, :-1]).any(axis=0))
        rates[self.live] = rates[self.live[new]][np.cumsum(new) - 1] if len(self.live) else 0.0
        return rates / rest[-1]

    def chance(self, flips: Floats, truths: Floats | None = None) -> float:
        """Return the probability of the ball if attributes flip independently, with the probabilities given.

        That of the truth may be given too, where a subtraction from 1 would not be exact enough.
        """
        truths = 1 - flips if truths is None else truths
        law = np.eye(1, self.states)[0] * np.prod(truths[self.weights >= self.states])
        part = self.weights[self.live] - self.low
        for i in np.flatnonzero(flips[self.live]):
            flip = flips[self.live[i]] * np.array([1 - part[i], part[i]])
            law = _shifted(law, truths[self.live[i]], self.low[i], flip)
        return float(law @ self.inside)

    def joint(self, attributes: list[int]) -> Floats:
        """Return the joint law of the flips of a few attributes in the ball, with an axis for each."""
        rank = {int(i): place for place, i in enumerate(self.live)}
        places = [rank.get(i) for i in attributes]
        law = np.eye(1, self.states)[0]
        for i in set(range(len(self.live))) - set(places):
            law = self.add(law, i)
        cube = np.zeros((2,) * len(attributes))
        for flips in np.ndindex(cube.shape):
            part = law
            for flip, place in zip(flips, places, strict=True):
                if place is None:
                    part = part * (1 - flip)
                elif flip:
                    part = _shifted(part, 0.0, self.low[place], self.flip[:, place])
                else:
                    part = part * self.keep[place]
            cube[flips] = part @ self.accepted
        return cube / cube.sum()

    def draw(self, n: int, source: Source) -> NDArray[np.bool_]:
        """Draw flip sets from the ball, in proportion to their probability: a row each."""
        flips = np.zeros((n, len(self.problem)), dtype=bool)
        for attribute, rows in self.flipping(n, source):
            flips[rows, attribute] = True
        return flips

    def steps(self) -> Iterator[tuple[int, Floats]]:
        """Yield attributes in the order of the draws, and odds of truth and of either weight."""
        for i, rest in passed(self.add, self.accepted[::-1], range(len(self.live))[::-1]):
            yield i, _parts(rest, self.keep[i], self.low[i], self.flip[:, i])

    def flipping(self, n: int, source: Source) -> Iterator[tuple[int, Integers]]:
        """Draw the same; give the attributes one by one, and the rows in which each of them flips."""
        room = np.full(n, self.states - 1)
        for i, (keep, low, high) in self.steps():
            rows = np.flatnonzero(source.choose(Lookup(low + high, room), (n,), against=Lookup(keep, room)))
            at = room[rows]
            more = source.choose(high[at], at.shape, against=low[at]) if self.flip[1, i] else 0
            room[rows] -= self.low[i] + more
            yield int(self.live[i]), rows


def passed(add: Callable[[Floats, int], Floats], law: Floats, order: range) -> Iterator[tuple[int, Floats]]:
    """Add attributes in an order; give the law before each, last first.

    Only the law before each block of them is kept, and what comes between is computed again.
    """
    size = math.isqrt(len(order)) + 1
    blocks, starts = [order[i : i + size] for i in range(0, len(order), size)], []
    for block in blocks:
        starts.append(law)
        law = reduce(add, block, law)
    for block, law in zip(reversed(blocks), reversed(starts), strict=True):
        yield from reversed([*zip(block, accumulate(block, add, initial=law), strict=False)])


def _parts(law: Floats, keep: float, low: int, flip: Floats) -> Floats:
    """Return the parts of the law with one more attribute: it is kept, or flips with either weight.

    A part that is close to underflow has lost digits, and no draw may depend on it. Next to a sum that
    is not cut, of at least MIN_SUM, it is less than half a unit.
    """
    parts = np.zeros((3, len(law)))
    for part, weight, chance in zip(parts, (0, low, low + 1), (keep, *flip), strict=True):
        if chance and weight < len(law):
            np.multiply(law[: len(law) - weight], chance, out=part[weight:])
    parts[parts < MIN_TERM] = 0
    return parts


def _shifted(law: Floats, keep: float, low: int, flip: Floats) -> Floats:
    """Return the law of the weight with one more attribute, which may flip with either weight."""
    more = law * keep
    for weight, chance in ((low, flip[0]), (low + 1, flip[1])):
        if chance and weight < len(law):
            more[weight:] += chance * law[: len(law) - weight]
    more[more < MIN_SUM] = 0
    return more


def found_tilt(sizes: Integers, weights: Floats, mean: float) -> float:
    """Return the tilt that makes this the mean weight of the flips; 0 if the mean is smaller anyway.

    Examples
    --------
    >>> round(found_tilt(np.array([2, 2]), np.array([1.0, 1.0]), 0.5) - float(np.log(3)), 5)
    0.0
    """

    def excess(tilt: float) -> float:
        return float((weights * scipy.special.expit(np.log(sizes - 1) - tilt * weights)).sum()) - mean

    top = 1.0 / (mean + 1)
    if excess(0) <= 0:
        return 0.0
    while excess(top) > 0 and top < MAX_TILT:
        top *= 2
    return float(scipy.optimize.brentq(excess, 0, top, rtol=1e-6)) if top < MAX_TILT else MAX_TILT


def is_tilt(tilt: float, sizes: Integers, weights: Floats, mean: float) -> bool:
    """Return whether a tilt is as good as the one that `found_tilt` returns, without a search.

    Any tilt would give the same law in exact arithmetic; a bad one loses what underflows.

    Examples
    --------
    >>> coins = np.array([2, 2]), np.array([1.0, 1.0]), 0.5
    >>> is_tilt(np.log(3), *coins), is_tilt(1.0, *coins), is_tilt(0.0, *coins)
    (True, False, False)
    """

    def above(tilt: float) -> bool:
        with np.errstate(over="ignore"):
            flips = (sizes - 1) / (sizes - 1 + np.exp(tilt * weights))
        return bool((weights * flips).sum() > mean)

    if tilt == MAX_TILT:
        # The search doubles its steps, and may stop before the end.
        return above(MAX_TILT / 2 * (1 - TILT_TOLERANCE))
    # Next to 0 a tilt is found with the absolute tolerance of brentq, 2e-12.
    low, high = tilt * (1 - TILT_TOLERANCE) - 4e-12, tilt * (1 + TILT_TOLERANCE) + 4e-12
    return (low <= 0 or above(low)) and not above(high)
