"""The noise of tables, by its definition and in fractions, and the factors of pairs."""

import math
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given

import orr
from orr.budget.pair_floor import loss, tables, total_for, worst_pair
from tests.common import examples, problems


def plain_loss(mechanism, ways):
    """Mean over all tables of the mean variance of a cell, by inverting the channels of the whole matrix."""
    sizes = mechanism.sizes.tolist()
    values, whole, found = np.indices(tuple(sizes)).reshape(len(sizes), -1), mechanism.matrix(), []
    for table in combinations(range(len(sizes)), ways):
        shape = [sizes[i] for i in table]
        cells = np.ravel_multi_index(tuple(values[list(table)]), shape)
        member = (cells == np.arange(np.prod(shape))[:, None]).astype(float)
        forward = member @ whole @ member.T / member.sum(axis=1)
        back = np.linalg.inv(forward)
        found.append((back**2 @ forward - (back @ forward) ** 2).mean())
    return np.mean(found)


@pytest.mark.parametrize("ways", [1, 2])
@examples(15)
@given(problem=problems(min_k=2, max_k=3, max_size=4, min_level=0.5))
def test_loss_is_that_of_the_definition(ways, problem):
    for mechanism in (orr.kronecker(*problem), orr.optimal(*problem), orr.inductive(*problem)):
        if worst_pair(mechanism)[0] > 1e-4:
            np.testing.assert_allclose(loss(mechanism, ways), plain_loss(mechanism, ways), rtol=1e-6)


def test_loss_in_fractions():
    # Levels log 3 and log 5: w is 1 and 4/3, the factors are 1/2 and 4/7.
    mechanism = orr.kronecker([2, 3], np.log([3.0, 5.0]))
    one, two = Fraction(1, 4) * (4 - 1), Fraction(2, 9) * (Fraction(49, 16) - 1)
    assert loss(mechanism, 1) == pytest.approx(float((one + two) / 2), rel=1e-12)
    pair = (3 + 2 * (Fraction(49, 16) - 1) + 2 * (4 * Fraction(49, 16) - 1)) / 36
    assert loss(mechanism, 2) == pytest.approx(float(pair), rel=1e-12)


def test_tables_that_stand_for_all():
    sizes, levels = [2, 3, 2, 3, 3, 5], [1.0, 2.0, 1.0, 2.0, 0.5, 1.0]
    mechanism = orr.optimal(sizes, levels)
    for ways in (1, 2):
        found = tables(mechanism, ways)
        assert sum(n for _, n in found) == math.comb(6, ways)
        every = [abs(mechanism.law.rho(set(c))) for c in combinations(range(6), ways)]
        stand = [abs(mechanism.law.rho(set(c))) for c, n in found for _ in range(n)]
        np.testing.assert_allclose(sorted(stand), sorted(every), rtol=1e-9)
    assert worst_pair(mechanism)[0] == pytest.approx(min(every))
    assert len(tables(orr.inductive(sizes, levels), 2)) == 15


def test_a_total_for_a_floor_in_fractions():
    # Two coins at level log 3 have factors of 1/2 each, and a pair has 1/4.
    assert total_for(0.25, np.array([2, 2]), np.array([1.0, 1.0])) == pytest.approx(2 * math.log(3), rel=1e-5)
