"""Draws from cells, played through in exact fractions."""

import math

import numpy as np
import pytest

from orr.laws.cells import Cells
from orr.problem import Kinds, Problem
from tests.laws.playing import flip_law, unchecked


@pytest.mark.parametrize("counts", [(3, 2), (1, 4), (5,)])
def test_equal_attributes_lie_in_every_combination_alike(counts):
    sizes = [a for a, n in zip((2, 4), counts, strict=False) for _ in range(n)]
    problem = Problem(sizes, [1.0] * len(sizes))
    kinds = Kinds(problem)
    cells = np.indices(tuple(kinds.count + 1)).reshape(len(kinds), -1).T
    law = unchecked(Cells, problem, kinds, cells, np.zeros(len(cells)))
    for category, cell in enumerate(cells):
        ways = math.prod(math.comb(int(n), int(c)) for n, c in zip(kinds.count, cell, strict=True))
        drawn = flip_law(law, category)
        assert len(drawn) == ways
        np.testing.assert_allclose([float(p) for p in drawn.values()], 1 / ways, rtol=1e-14)
