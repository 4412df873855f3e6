"""Several released tables of the same attributes, made into one (chapter tables).

Every person answers one form, and each form has a channel of its own. Form ``f`` has the released table
``s_f`` (a sum of weights ``w``), the sum ``W_f`` of its weights, and the inverse ``K_f`` of its channel.
Everybody's weights sum to ``W``, their squares to ``W2``. Then ``p = sum_f share_f K_f s_f / W_f`` estimates
the proportions, for any shares that sum to 1, and ``W p`` the counts. A record of form ``f`` that is released
in the cell ``y`` adds ``w k`` with ``k = K_f(., y)``. With ``S_f``, ``b_f`` and ``h_f`` the sums of
``w^2 k k'``, ``w^2 k`` and ``w^2`` over the form's records, the covariance of ``W p`` for people drawn at
random is

    sum_f c_f^2 (S_f - p b_f' - b_f p' + h_f p p'),    c_f = share_f W / W_f.

For these very people it is less by what drawing them adds, ``diag(b) - p b' - b p' + W2 p p'``, where ``b``
estimates the sum of ``w^2`` over the people of each true cell. With one form all but ``S - diag(b)`` cancels.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from orr.arrays import Floats, frozen
from orr.channel import NotRecoverable, dense_shape
from orr_release.counting import Part, ending


@dataclass(frozen=True)
class Moments:
    """The covariance of the counts but for its sums ``S``: ``- diag(less) - p e' - e p' + h p p'``."""

    less: Floats
    e: Floats
    h: float


class Pooled:
    """Estimates over the whole table, from all forms that ask for it.

    Parameters
    ----------
    parts : sequence of Part
        The released tables of the forms that ask for all attributes of the table.
    total, squares : float
        Sums of the weights, and of their squares, of all records, whichever form they answer.
    """

    def __init__(self, parts: Sequence[Part], total: float, squares: float) -> None:
        if not parts:
            raise NotRecoverable("no form asks for all of these attributes together")
        self.parts = [part for part in parts if part.channel.recoverable]
        self.total, self.squares = float(total), float(squares)
        if not self.parts:
            parts[0].channel.invert(np.zeros(parts[0].channel.shape))  # says why not
        self.shape = parts[0].channel.shape

    @cached_property
    def answered(self) -> list[tuple[Part, float]]:
        """The forms that somebody answered, and the share of each.

        A form's share grows with its weights, and with the precision of one record: the inverse of its
        variance, averaged over the cells of a uniform table.
        """
        cells = math.prod(self.shape)
        worth = [p.seen.sum() / (p.channel.noise + (1 - 1 / cells) / cells) for p in self.parts]
        if self.total > 0 and not sum(worth) > 0:
            raise NotRecoverable("nobody answered a form that asks for all of these attributes together")
        return [(p, w / sum(worth)) for p, w in zip(self.parts, worth, strict=True) if w > 0]

    @cached_property
    def scales(self) -> list[tuple[Part, float]]:
        """The forms that somebody answered, and what multiplies the estimates of each: ``c_f``."""
        return [(part, share * self.total / part.seen.sum()) for part, share in self.answered]

    @cached_property
    def counts(self) -> Floats:
        """Unbiased counts."""
        return frozen(sum((c * p.channel.invert(p.seen) for p, c in self.scales), np.zeros(self.shape)))

    @cached_property
    def proportions(self) -> Floats:
        """Counts over the sum of all weights; 0 where that is 0."""
        return frozen(self.counts / (self.total or 1.0))

    def moments(self, sampling: bool) -> Moments:
        """Return what the covariance has beside its sums ``S``."""
        e, people, h = np.zeros(self.shape), np.zeros(self.shape), 0.0
        for (part, c), (_, share) in zip(self.scales, self.answered, strict=True):
            b, own = part.channel.invert(part.squares), float(part.squares.sum())
            e, h = e + c**2 * b, h + c**2 * own
            people = people + share * (self.squares / own) * b
        if sampling:
            return Moments(np.zeros(self.shape), e, h)
        return Moments(people, e - people, h - self.squares if self.scales else 0.0)

    def variance(self, sampling: bool) -> Floats:
        """Variance of each count, without the matrix, and not below what is possible.

        It is what randomization adds, ``S - diag(b)``, and what the draw of people adds: of whom a form asks
        and, with sampling, of the people themselves. Either is estimated without bias, and so may come out
        smaller than any true table allows. Then it is taken as the smallest that one allows.
        """
        randomized, drawn, p = np.zeros(self.shape), np.zeros(self.shape), self.proportions
        for part, c in self.scales:
            least = part.channel.least_noise * part.squares.sum()
            added = part.channel.square(part.squares) - part.channel.invert(part.squares)
            randomized = randomized + c**2 * np.maximum(added, least)
        for m in map(self.moments, {False, sampling}):  # a sample varies no less than the file
            drawn = np.maximum(drawn, m.e - 2 * p * m.e + m.h * p**2)
        return randomized + drawn

    def numbers(self) -> tuple[Floats, Floats, Floats]:
        """Effective numbers of records released in each cell and outside, and of flips into it or out of it.

        Records that weigh ``w`` in the counts are ``(sum w)^2 / sum w^2`` in number.
        """
        sums = np.zeros((2, 3, *self.shape))
        for part, c in self.scales:
            stay = part.channel.stay
            for power, table in enumerate((part.seen, part.squares)):
                true = np.clip(part.channel.invert(table), 0, table.sum())
                flips = np.maximum(table + true * (1 - 2 * stay), 0)
                sums[power] += c ** (power + 1) * np.array([table, table.sum() - table, flips])
        inside, outside, flips = np.divide(
            sums[0] ** 2, sums[1], out=np.zeros(sums[0].shape), where=sums[1] > 0
        )
        return inside, outside, flips

    def times(self, table: Floats, sampling: bool) -> Floats:
        """Covariance of all counts, times a table, without the matrix."""
        m, p = self.moments(sampling), self.proportions
        inner, along = float((p * table).sum()), float((m.e * table).sum())
        result = -m.less * table - p * along - m.e * inner + m.h * inner * p
        for part, c in self.scales:
            result = result + c**2 * part.channel.invert(part.squares * part.channel.invert(table))
        return result

    def covariance(self, given: tuple[int, ...], sampling: bool) -> Floats:
        """Covariance of the counts of the cells that end in the codes given, in C order."""
        dense_shape(self.shape, given)
        m, group = self.moments(sampling), ending(given)
        p, less, e = (x[group].ravel() for x in (self.proportions, m.less, m.e))
        result = m.h * np.outer(p, p) - np.outer(p, e) - np.outer(e, p) - np.diag(less)
        for part, c in self.scales:
            inverse = part.channel.inverse(given)
            result += c**2 * (inverse * part.squares.ravel()) @ inverse.T
        return result
