"""The mathematics of sizes and levels in exact arithmetic. Nothing here comes from the package.

A level is a double and so an exact number. What follows from it is not rational; it is held as a
bracket, two fractions around it that agree to more than 60 digits. Every optimum falls when flip
probabilities rise, so a bracket of the levels becomes a bracket of the optimum without any estimate
of how sensitive it is.
"""

from fractions import Fraction
from math import ceil, prod
from typing import NamedTuple

import mpmath

MP = mpmath.mp.clone()
MP.prec = 420
OUTWARD = Fraction(1, 2**400)


class Bracket(NamedTuple):
    """Two fractions with a number between them."""

    low: Fraction
    high: Fraction


def fraction(value):
    """Return the exact value of a number of mpmath."""
    sign, mantissa, exponent, _ = value._mpf_
    assert mantissa or not exponent, "not a finite number"
    whole = (-1) ** sign * int(mantissa)
    return Fraction(whole << exponent) if exponent >= 0 else Fraction(whole, 1 << -exponent)


def number(value):
    """Return a fraction as a number of mpmath, to 126 digits."""
    return MP.mpf(value.numerator) / value.denominator


def around(value):
    """Return a bracket of what mpmath has computed, a hundred times wider than its error."""
    exact = fraction(value)
    return Bracket(exact - abs(exact) * OUTWARD, exact + abs(exact) * OUTWARD)


def growth(level):
    """Bracket ``exp(level) - 1``."""
    return around(MP.expm1(MP.mpf(float(level))))


def level_of(excess):
    """Bracket the level ``log(1 + excess)`` of a bracketed excess."""
    return narrow(around(MP.log1p(number(excess.low))).low, around(MP.log1p(number(excess.high))).high)


def narrow(low, high):
    """Return a bracket that knows more than 60 digits."""
    assert 0 < high - low < high / 10**60
    return Bracket(low, high)


class Rates(NamedTuple):
    """What follows from one size and one level, in the notation of the theory."""

    p: Fraction
    w: Bracket
    q: Bracket
    d: Bracket


def rates(size, level):
    """Bracket ``w = (exp(e) - 1) / a``, ``q = p / (1 + w)`` and ``d = q w``."""
    p, u = Fraction(size - 1, size), growth(level)
    w = Bracket(u.low / size, u.high / size)
    q = Bracket(p / (1 + w.high), p / (1 + w.low))
    return Rates(p, w, q, Bracket(p - q.high, p - q.low))


class Row(NamedTuple):
    """One attribute in whole numbers: what a truth gains, what a lie loses, and what is needed.

    They are ``q``, ``1 - q`` and ``d``, all times ``a (a + u)`` and a power of 2, where ``u = exp(e) - 1``.
    """

    gain: int
    loss: int
    need: int


def row(size, u):
    """Return the row of an attribute of which u is known as a fraction."""
    n, m = u.numerator, u.denominator
    return Row(size * (size - 1) * m, size * (m + n), (size - 1) * n)


def rows(sizes, levels, end):
    """Return the rows of all attributes at the low or the high end of their levels."""
    return [row(a, getattr(growth(e), end)) for a, e in zip(sizes, levels, strict=True)]


def flip_sets(k):
    """List all flip sets as tuples of 0 and 1, attribute 0 first, in binary order."""
    return [tuple(code >> (k - 1 - i) & 1 for i in range(k)) for code in range(2**k)]


def times(sizes, flips):
    """Count the records of a flip set."""
    return prod(a - 1 for a, flipped in zip(sizes, flips, strict=True) if flipped)


def gains(table, flips):
    """What a flip set gives to each attribute."""
    return [r.loss * -1 if flipped else r.gain for r, flipped in zip(table, flips, strict=True)]


def supported(sizes, table, weights):
    """Excess that weights prove: ``T (y . need) / sum of t_S (y . gain(S))^+``, exactly."""
    total = 0
    for flips in flip_sets(len(sizes)):
        gain = sum(y * g for y, g in zip(weights, gains(table, flips), strict=True))
        total += times(sizes, flips) * max(gain, 0)
    needed = sum(y * r.need for y, r in zip(weights, table, strict=True))
    return Fraction(prod(sizes) * needed, total)


class Simplex:
    """Maximize the first variable; whole numbers over one common denominator, and Bland's rule.

    The rows say ``A x + s = 0`` with slacks ``s >= 0``, and ``0 <= x <= upper``, where None is no
    bound. A variable at its upper bound is replaced by its distance from there.
    """

    def __init__(self, matrix, upper):
        k = len(matrix)
        self.upper = [*upper, *[None] * k]
        self.table = [[*r, *(int(i == j) for j in range(k)), 0] for i, r in enumerate(matrix)]
        self.top = [-1, *[0] * (len(self.upper) - 1), 0]
        self.basis = [len(upper) + i for i in range(k)]
        self.common, self.slacks = 1, range(len(upper), len(upper) + k)

    def run(self):
        """Return the largest value and the multiplier of each row."""
        while (column := self._entering()) is not None:
            self._step(column)
        value = Fraction(self.top[-1], self.common)
        return value, [Fraction(self.top[j], self.common) for j in self.slacks]

    def _entering(self):
        return next((j for j, cost in enumerate(self.top[:-1]) if cost < 0), None)

    def _step(self, column):
        """Raise a variable until another one, or it itself, comes to a bound."""
        rooms = [
            (Fraction(room, speed), variable, i)
            for i, variable in enumerate(self.basis)
            for room, speed in self._room(i, column, variable)
        ]
        if self.upper[column] is not None:
            rooms.append((Fraction(self.upper[column]), column, None))
        _, _, i = min(rooms, key=lambda entry: entry[:2])
        if i is None:
            self._complement_column(column)
            return
        if self.table[i][column] < 0:
            self._complement_row(i)
        self._pivot(i, column)

    def _room(self, i, column, variable):
        """How far a basic variable is from the bound that it moves to, and how fast it moves."""
        entry, value = self.table[i][column], self.table[i][-1]
        if entry > 0:
            yield value, entry
        elif entry < 0 and self.upper[variable] is not None:
            yield self.upper[variable] * self.common - value, -entry

    def _complement_column(self, column):
        for line in (*self.table, self.top):
            line[-1] -= line[column] * self.upper[column]
            line[column] = -line[column]

    def _complement_row(self, i):
        """Replace a basic variable by its distance from its upper bound."""
        variable = self.basis[i]
        line = [-entry for entry in self.table[i]]
        line[-1] += self.upper[variable] * self.common
        line[variable] = self.common
        self.table[i] = line

    def _pivot(self, i, column):
        chosen, pivot = self.table[i], self.table[i][column]
        for line in (*self.table, self.top):
            if line is not chosen:
                factor = line[column]
                line[:] = [
                    (entry * pivot - factor * other) // self.common
                    for entry, other in zip(line, chosen, strict=True)
                ]
        self.basis[i], self.common = column, pivot


def optimum(sizes, levels):
    """Bracket the smallest overall level of all mechanisms with these levels, for a few attributes.

    The largest ``tau`` with ``sum v_S (q_i - B_i) >= tau d_i`` for masses ``0 <= v_S <= t_S`` makes
    the excess ``T / tau``. It is found at the high end of the levels, where its multipliers must prove
    the same value, and the same multipliers prove a lower bound at the low end.
    """
    low, high = (rows(sizes, levels, end) for end in Bracket._fields)
    sets = flip_sets(len(sizes))
    columns = [[-g for g in gains(high, flips)] for flips in sets]
    matrix = [[r.need, *(column[i] for column in columns)] for i, r in enumerate(high)]
    tau, weights = Simplex(matrix, [None, *(times(sizes, flips) for flips in sets)]).run()
    assert min(weights) >= 0
    excess = prod(sizes) / tau
    assert supported(sizes, high, weights) == excess
    return level_of(Bracket(supported(sizes, low, weights), excess))


def equal_optimum(size, level, k):
    """Bracket the optimum of k equal attributes: ``1 + k d / sum over s < k q of (k q - s) Bin(k, p)(s)``.

    Terms are whole multiples of 2^-400 of the last one, which is the largest, down to where they
    vanish; that one is a quotient of gamma functions.
    """
    found = rates(size, level)
    return narrow(
        around(equal_level(size, k, found.q.high)).low * (1 - OUTWARD * k),
        around(equal_level(size, k, found.q.low)).high * (1 + OUTWARD * k),
    )


def equal_level(size, k, q):
    radius = k * q
    last = ceil(radius) - 1
    term, counted, weighed, s = 1 << 400, 0, 0, last
    while term and s >= 0:
        counted, weighed = counted + term, weighed + (last - s) * term
        term, s = term * s // ((k - s + 1) * (size - 1)), s - 1
    excess = number(k * (Fraction(size - 1, size) - q) * 2**400 / ((radius - last) * counted + weighed))
    with MP.extraprec(60):  # the logarithm of a factorial has digits before the point, too
        log_last = MP.loggamma(k + 1) - MP.loggamma(last + 1) - MP.loggamma(k - last + 1)
        log_last += last * MP.log(size - 1) - k * MP.log(size)
        log_excess = MP.log(excess) - log_last
        return max(log_excess, 0) + MP.log1p(MP.exp(-abs(log_excess)))


def dual_value(sizes, levels, weights):
    """Bracket the level that weights prove, doubles or whole numbers, for a few attributes."""
    excess = []
    for end in Bracket._fields:
        table = rows(sizes, levels, end)
        scaled = [Fraction(w) / (r.gain + r.loss) for w, r in zip(weights, table, strict=True)]
        excess.append(supported(sizes, table, scaled))
    return level_of(Bracket(*excess))


def closed_floor(sizes, levels):
    """Bracket a level that is proved without weights: the information floor, or what the levels prove.

    The floor is the sum ``I`` of ``(1 - q) e - log(1 + w)``. With the levels as weights the expectation
    in the denominator is at most ``exp(-1 - I)``. Both are computed at the ends of ``q`` and ``w``, whose
    distance is far below the last digit of the result.
    """
    found = [rates(a, e) for a, e in zip(sizes, levels, strict=True)]
    floor, gain = MP.zero, MP.zero
    for e, r in zip(levels, found, strict=True):
        floor += (1 - number(r.q.low)) * MP.mpf(e) - MP.log1p(number(r.w.low))
        gain += MP.mpf(e) * number(r.d.low)
    best = fraction(max(floor, MP.log1p(MP.exp(1 + floor) * gain)))
    return Bracket(best * (1 - Fraction(1, 10**70)), best * (1 + Fraction(1, 10**70)))
