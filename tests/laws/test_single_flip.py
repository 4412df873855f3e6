"""Draws of at most one flip, in exact fractions."""

import math

import numpy as np

import orr
from tests.common import times
from tests.laws.playing import realised_law


def test_rare_lies_are_neither_lost_nor_invented():
    # At level 40 a float cumulative table would never or far too often draw the single lie.
    law = orr.radius_one([4, 4, 4], [40.0, 39.9, 38.0]).law
    density = realised_law(law)
    for i, level in enumerate([40.0, 39.9, 38.0]):
        kept = sum(times([4] * 3, s) * p for s, p in density.items() if i not in s)
        lied = sum(times([4] * 3, s) * p for s, p in density.items() if i in s)
        np.testing.assert_allclose(float(3 * kept / lied), math.exp(level), rtol=1e-12)
