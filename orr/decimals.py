"""Decimals whose direction of rounding is given (chapter any-size).

Python's decimals add, multiply and divide with the direction of rounding given, and their exp and ln are
correctly rounded.
"""

from __future__ import annotations

import math
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from orr.rounding import ULP

DIGITS = 60
UP, DOWN = (
    Context(prec=DIGITS, rounding=way, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])
    for way in (ROUND_CEILING, ROUND_FLOOR)
)


def down_to_float(value: Decimal) -> float:
    """Round down to a double."""
    nearest = float(value)
    return nearest if Decimal(nearest) <= value else math.nextafter(nearest, -math.inf)


def decimal(value: Fraction, context: Context) -> Decimal:
    """Round a fraction in the direction of the context."""
    return context.divide(Decimal(value.numerator), Decimal(value.denominator))


def log1p(value: Decimal, context: Context) -> Decimal:
    """Return the logarithm of 1 plus a number, rounded outward in the direction of the context."""
    log = context.ln(context.add(Decimal(1), value))
    return context.next_plus(log) if context is UP else context.next_minus(log)


def odds(level: float) -> tuple[Fraction, Fraction]:
    """Return bounds around ``exp(level) - 1``."""
    wide = Context(prec=2 * DIGITS, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])  # level 1e-12 cancels 12 digits
    e = wide.exp(Decimal(level))
    return Fraction(wide.next_minus(e)) - 1, Fraction(wide.next_plus(e)) - 1


def sum_up(values: list[Decimal]) -> Decimal:
    """Add, rounding up."""
    total = Decimal(0)
    for value in values:
        total = UP.add(total, value)
    return total


def above_one(units: float) -> Decimal:
    """Return 1 and so many units, which a double could not hold."""
    return UP.add(Decimal(1), UP.multiply(Decimal(ULP), Decimal(units)))


def power(base: Decimal, exponent: int, context: Context) -> Decimal:
    """Multiply a number of at least 1 by itself, rounding in the direction of the context."""
    result = Decimal(1)
    while exponent:
        if exponent % 2:
            result = context.multiply(result, base)
        base, exponent = context.multiply(base, base), exponent // 2
    return result
