r"""Equal attributes under caps: the optimum falls from one plateau to another (chapter price).

Let ``x`` be a density of at least 1 on the number ``j`` of flips of ``n`` equal attributes, ``pi`` the
chances of these numbers for a uniformly random record, and ``cap`` the logarithm of ``C``. Levels and
caps say

    ``sum(h_j x_j) >= 0`` with ``h_j = pi_j (n q - j)``, and ``x_j <= C x_{j+1}``.

*Proof from below.* Choose a place in the cells below ``n q``: the *head*, cells before it, with a share
of the one that it cuts. Every gain after the head is moved along the caps, ``h_j x_j <= C h_j x_{j+1}``,
and so on until the losses beyond ``n q`` have used it up, at a cell ``j1``. What is left are the gains
``P`` of the head, where ``x_j <= exp(level)``, and the losses ``N`` of the *tail*, where ``x_j >= 1``.
Hence ``0 <= exp(level) P - N``, and the level is at least ``log(N / P)``. In units of ``C^-j``, moving
is adding: the head and the tail are such that all between them sums to 0,

    ``head(h_j C^-j) = D + tail(-h_j C^-j)``, where ``D = sum(h_j C^-j)`` over all cells,

and ``D`` has a closed form, ``n (q - q')`` times the mean of ``C^-j``, with ``q'`` the flip probability
at the level ``cap``. All terms are positive, however small the slack is: no digits cancel.

*A mechanism that meets it.* ``N`` is concave in what the head holds and ``P`` linear, so ``N / P`` is
largest where head or tail end between two cells, and there the clipped line ``log x_j = clip(top - cap
j, 0, level)`` with the same head as its upper plateau and the same tail as its lower one meets the level
asked with ``level = log(N / P)``: head, slope and tail add up to the same equation.

A larger ``q`` or ``C`` than the true one leaves the proof valid, a smaller one the mechanism feasible:
both are moved by more than rounding.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from orr.arrays import Floats, Integers
from orr.problem import Problem
from orr.rounding import RATE_UNITS, ULP, log_binomial, log_sum

CANDIDATE_ENDS = 4  # ends of a line that are evaluated term by term: quick sums tell the best only roughly


class Rounding(IntEnum):
    """The direction in which a level is rounded: up for a mechanism, down for a proof."""

    UP = 1
    DOWN = -1


@dataclass(frozen=True)
class Line:
    """The clipped line ``clip(top - cap * flips, 0, level)``.

    ``misfit`` is the distance by which the line and its plateaus fail to meet, which only rounding can cause.
    ``head`` is the last cell of the head, and its share.
    """

    top: float
    level: float
    cap: float
    misfit: float
    head: tuple[int, float] = (0, 1.0)

    def heights(self, flips: Floats | Integers) -> Floats:
        """Return the logarithm of the density at numbers of flips, over the lowest one."""
        return np.clip(self.top - self.cap * flips, 0, self.level)


def clipped_line(problem: Problem, cap: float, rounding: Rounding) -> Line | None:
    """Return the best line for equal attributes; None if rounding leaves only the Kronecker mechanism.

    Rounded down its level is proved: no mechanism with neighbour levels of at most ``cap`` goes below.
    Rounded up it is that of a mechanism.

    Examples
    --------
    >>> three = Problem([4] * 3, [2.0] * 3)
    >>> below, above = (clipped_line(three, 2.2, way) for way in (Rounding.DOWN, Rounding.UP))
    >>> round(below.level, 6), 0 <= above.level - below.level < 1e-12
    (5.083286, True)
    """
    ends = _Ends(problem, cap, rounding)
    if ends.log_total == -math.inf:
        return None
    lines = [ends.best(ends.tail, ends.head), ends.best(ends.head, ends.tail)]
    return min(lines, key=lambda line: (line.misfit, -line.level))


class _Side:
    """Gains or losses of the cells on one side of ``n q``, from the outermost inward, and their sums.

    ``plain`` are their logarithms, and ``tilted`` those in units of ``C^-j``. One side finds the other by
    ``linked``, sums of tilted terms that must be equal on both sides: of the cells up to each if ``outer``,
    of those further inward otherwise.
    """

    def __init__(self, cells: Integers, plain: Floats, tilted: Floats, outer: bool) -> None:
        self.cells, self.plain, self.tilted, self.outer = cells, plain, tilted, outer
        self.sums = np.logaddexp.accumulate(plain)
        if outer:
            self.linked = np.logaddexp.accumulate(tilted)
        else:
            self.linked = np.append(np.logaddexp.accumulate(tilted[:0:-1])[::-1], -np.inf)

    def linked_sum(self, i: int) -> float:
        """Return the linked sum at a cell, added up term by term."""
        terms = self.tilted[: i + 1] if self.outer else self.tilted[i + 1 :]
        return log_sum(terms) if len(terms) else -math.inf

    def locate(self, targets: Floats) -> Integers:
        """Return the cells at which the linked sums reach targets."""
        order = 1 if self.outer else -1
        return np.minimum(np.searchsorted(order * self.linked, order * targets), len(self.linked) - 1)

    def rough_cuts(self, places: Integers, targets: Floats) -> Floats:
        """Return the sums of `cut` for many targets and the cells where they are reached, roughly."""
        before = np.append(-np.inf, self.linked)[places] if self.outer else self.linked[places]
        term = self.tilted[places]
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            share = np.exp(targets - term) - np.exp(before - term)
            share = np.clip(np.nan_to_num(share if self.outer else 1 - share), 0, 1)
            return np.logaddexp(np.append(-np.inf, self.sums)[places], self.plain[places] + np.log(share))

    def cut(self, target: float) -> tuple[float, int, float]:
        """Cut the cell in which the linked sum reaches a target.

        Return the logarithm of the sum of gains or losses up to there, the cell, and its share.
        """
        (i,) = self.locate(np.array([target])).tolist()
        while True:
            share, step = self._share(i, target), 1 if self.outer else -1
            # The sums that found the cell may have been rounded to the next one.
            if not 0 <= i + step * (1 if share > 1 else -1) < len(self.cells) or 0 <= share <= 1:
                break
            i += step if share > 1 else -step
        share = min(max(share if self.outer else 1 - share, 0.0), 1.0)
        part = self.plain[i] + (math.log(share) if share else -math.inf)
        return log_sum(np.append(self.plain[:i], part)), i, share

    def _share(self, i: int, target: float) -> float:
        """Return the share of a cell that the linked sum still needs to reach a target."""
        before = self.linked_sum(i) if not self.outer else self.linked_sum(i - 1) if i else -math.inf
        term = float(self.tilted[i])
        return math.exp(min(target - term, 700)) - math.exp(min(before - term, 700))


class _Ends:
    """The heads and tails of all lines. Quick sums find the best few, which are evaluated again."""

    def __init__(self, problem: Problem, cap: float, rounding: Rounding) -> None:
        n, size, level = len(problem), int(problem.sizes[0]), float(problem.epsilons[0])
        q, safe = float(problem.q[0]), 2 * RATE_UNITS * ULP
        self.cap, self.rounding = cap, rounding
        cells = np.arange(n + 1)
        table, units = log_binomial(n, size)
        radius = n * q * (1 - rounding * safe)
        with np.errstate(divide="ignore"):
            plain = table + np.log(np.abs(radius - cells))
        log_scale = n * (math.log1p((size - 1) * math.exp(-cap)) - math.log(size))  # of the mean of C^-j
        tilted = plain - cap * cells - log_scale
        # n (q - q') as a product, with what was added to q or taken from it
        apart = (size - 1) * math.exp(-level) * -math.expm1(level - cap) / (1 + (size - 1) * math.exp(-cap))
        total = n * (apart * float(problem.truth[0]) - rounding * safe * q)
        self.log_total = math.log(total) if total > 0 else -math.inf
        # The table, what is added to it, the scale and its logarithm, the total; then the terms of a sum.
        self.units = float(units.max()) + 2 * cap * n + 10 * abs(log_scale) + 4 * RATE_UNITS + 64
        for terms in (plain, tilted):
            self.units += float(np.abs(terms[np.isfinite(terms)]).max()) + 5 * math.log(n + 1)
        middle = math.ceil(radius)
        # Where D is larger than the tails, ends are found from the middle: the slope's gains are its losses.
        outer = self.log_total < log_sum(tilted[middle:])
        self.head = _Side(cells[:middle], plain[:middle], tilted[:middle], outer)
        back = slice(None, middle - 1, -1)
        self.tail = _Side(cells[back], plain[back], tilted[back], outer)

    def best(self, whole: _Side, cut: _Side) -> Line:
        """Return the best line where one side ends between two cells and the other cuts one."""
        sign = 1 if whole is self.tail else -1
        targets = self._targets(whole, whole.linked)
        places = cut.locate(targets)
        slope = sign * (whole.cells - cut.cells[places])
        rough = sign * (whole.sums - cut.rough_cuts(places, targets))
        # Within a cell or so of where slope and plateaus meet, all is evaluated again.
        misfit = np.maximum(self.cap * (slope - 1) - rough, rough - self.cap * slope)
        near = np.arange(len(misfit))
        if len(near) > CANDIDATE_ENDS:
            near = np.argsort(np.nan_to_num(misfit, nan=np.inf), kind="stable")[:CANDIDATE_ENDS]
        lines = [self._line(whole, int(i), cut, sign) for i in near]
        return min(lines, key=lambda line: (line.misfit, -line.level))

    def _targets(self, whole: _Side, linked: Floats) -> Floats:
        """Return the linked sums that the other side needs: the total more, or less, or the same."""
        if not whole.outer:
            return linked
        if whole is self.tail:
            return np.logaddexp(linked, self.log_total)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            return np.nan_to_num(linked + np.log(-np.expm1(self.log_total - linked)), nan=-np.inf)

    def _line(self, whole: _Side, i: int, cut: _Side, sign: int) -> Line:
        """Evaluate the ends, rounding everything in the direction given."""
        linked = whole.linked_sum(i)
        target = float(self._targets(whole, np.array([linked]))[0])
        if target == -math.inf and whole.outer:
            return Line(0.0, -math.inf, self.cap, math.inf)
        # A difference of the head and the total has lost digits.
        lost = 1 + (2 * math.exp(self.log_total - target) if whole.outer and sign < 0 else 0)
        target -= (1 if whole.outer else -1) * sign * self.rounding * 2 * ULP * self.units * lost
        rest, c, share = cut.cut(target)
        ratio = sign * (log_sum(whole.plain[: i + 1]) - rest)
        level = ratio + self.rounding * ULP * 2 * (self.units + abs(ratio))
        first, last = (int(s.cells[j]) for s, j in ((whole, i), (cut, c))[::sign])
        misfit = max(self.cap * (first - last - 1) - level, level - self.cap * (first - last), 0.0)
        top = level + self.cap * last if sign > 0 else self.cap * first
        # The caps multiply what is not in the head: rounded down to a double, its losses use it up.
        share = min(math.nextafter(share, 2), 1.0) if sign > 0 else 1.0
        return Line(top, level, self.cap, misfit, (last, share))
