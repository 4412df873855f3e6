"""The worked example's tables and statistic."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2_contingency, norm

import orr
from book.genomes import chi_square, count_tables, draw_tables, table_records
from tests.chance import EACH, seed


@given(st.lists(st.integers(1, 500), min_size=4, max_size=4))
def test_statistic_agrees_with_scipy(table):
    expected = chi2_contingency(np.reshape(table, (2, 2)), correction=False).statistic
    np.testing.assert_allclose(chi_square(table), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("table", [[5, 5, 0, 0], [0, 5, 0, 5], [0, 0, 0, 0], [-3, 1, 1, 1]])
def test_nothing_to_compare_is_zero(table):
    assert chi_square(table) == 0


def test_records_hold_the_tables():
    tables = draw_tables(7, 250, rng=3)
    records = table_records(tables, rng=4)
    assert records.shape == (500, 7)
    np.testing.assert_array_equal(count_tables(records), tables)
    assert (np.diff(records, axis=0) < 0).any(axis=0).all()  # shuffled


@pytest.mark.statistical
def test_tables_follow_the_papers_probabilities():
    mean = draw_tables(20_000, 1000, rng=seed(5)).mean(axis=0) / 2000
    # Shares 1/3, 2/9, 8/45, 4/15; the standard error of a mean is below 1e-4.
    np.testing.assert_allclose(mean, [1 / 3, 2 / 9, 8 / 45, 4 / 15], atol=1e-4 * norm.isf(EACH / 8))


def test_heuristic_changes_the_statistic_less_than_half_as_much():
    rng = np.random.default_rng(9)
    tables = draw_tables(20, 1000, rng)
    records = table_records(tables, rng)
    ratios = []
    for low in (3, 5):
        heuristic = orr.inductive([4] * 20, rng.uniform(low, low + 2, 20))
        shares = heuristic.epsilons / heuristic.epsilons.sum()
        kronecker = orr.kronecker([4] * 20, heuristic.epsilon * shares)
        ours, theirs = (
            abs(chi_square(count_tables(m.perturb(records, rng))) - chi_square(tables)).mean()
            for m in (heuristic, kronecker)
        )
        ratios.append(ours / theirs)
    assert ratios[1] < ratios[0] < 0.5


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: draw_tables(0, 10), "k = 0"),
        (lambda: draw_tables(3, 2.5), "people = 2.5"),
        (lambda: table_records([[1, 2, 3, 4], [1, 1, 1, 1]]), "same number"),
        (lambda: table_records([[1.5, 2, 3, 4]]), "integers"),
        (lambda: table_records([1, 2, 3, 4]), r"\(k, 4\)"),
        (lambda: count_tables([[0, 4]]), "values 0, 1, 2 and 3"),
        (lambda: chi_square([1, 2, 3]), "four cells"),
    ],
)
def test_bad_input(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_smaller_sizes_make_the_advantage_larger():
    """At the heuristic's own overall level, Kronecker flips so many times as many values."""
    advantage = []
    for size in (2, 3, 4, 6, 16):
        flips = []
        for draw in range(20):
            heuristic = orr.inductive([size] * 10, np.random.default_rng(draw).uniform(3, 5, 10))
            shares = heuristic.epsilons * heuristic.epsilon / heuristic.epsilons.sum()
            kronecker = orr.kronecker([size] * 10, shares)
            flips.append([m.flip_probabilities.sum() for m in (kronecker, heuristic)])
        advantage.append(np.divide(*np.mean(flips, axis=0)))
    assert (np.diff(advantage) < 0).all()
