"""Tests of independence, tables of greatest likelihood, and traces of a filter."""

from fractions import Fraction
from functools import partial
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.stats import chi2, chi2_contingency

import orr
import orr_release
from orr.channel import Channel
from orr_release import maximum_likelihood as likelihood
from orr_release.counting import Part
from orr_release.estimate import Estimate
from orr_release.filter_check import filtered, misread
from orr_release.independence import _mean_weights
from orr_release.maximum_likelihood import LIKELIHOOD_GAP, Likelihood, maximize
from tests.common import examples, some_slow
from tests.release.common import observed_table, unbiased_table

SIZES, LEVELS = [2, 3, 4], [1.0, 1.5, 2.0]
METHODS = {
    "kronecker": orr.kronecker,
    "guarded": partial(orr.guarded, slack=0.25),
    "optimal": orr.optimal,
}
every_method = pytest.mark.parametrize("name", METHODS)


def law(name="optimal"):
    return METHODS[name](SIZES, LEVELS).law


@st.composite
def tables(draw, shape=(3, 4), least=0, most=60):
    return np.array(draw(st.lists(st.integers(least, most), min_size=12, max_size=12)), dtype=float).reshape(
        shape
    )


# Independence.


@examples(60)
@given(tables())
def test_for_kronecker_it_is_the_test_of_pearson(seen):
    assume(seen.sum(axis=0).all() and seen.sum(axis=1).all())
    ours = unbiased_table(law("kronecker"), seen, (1, 2)).independence_test()
    usual = chi2_contingency(seen, correction=False)
    assert ours.statistic == pytest.approx(usual.statistic, rel=1e-8, abs=1e-8)
    assert ours.pvalue == pytest.approx(usual.pvalue, rel=1e-6)
    assert ours.df == usual.dof == 6


@pytest.mark.parametrize("level", [1e-12, 1e-9, 1e-3, 30.0, 700.0])
def test_for_kronecker_it_is_so_at_all_levels(level):
    seen = np.array([[30.0, 25, 19, 28], [14, 20, 13, 33], [42, 28, 29, 10]])
    ours = unbiased_table(orr.kronecker([3, 4], [level] * 2).law, seen, (0, 1)).independence_test()
    assert ours.statistic == pytest.approx(chi2_contingency(seen, correction=False).statistic, rel=1e-8)
    joint = unbiased_table(orr.optimal([3, 4], [level] * 2).law, seen, (0, 1)).independence_test()
    assert joint.df == 6


def by_definition(estimate, given=()):
    """The statistic from dense matrices: all cells, numerical derivatives, and a pseudo-inverse."""
    (part,), W = estimate.parts.values(), estimate.total
    P, shape = part.channel.matrix(), part.seen.shape
    K = np.linalg.inv(P)
    p = K @ part.seen.ravel() / W
    inside = (np.arange(p.size).reshape(shape)[(..., *given)]).ravel()

    def theta(p):
        group = p[inside].reshape(shape[:2])
        return (group.sum() * group - np.outer(group.sum(axis=1), group.sum(axis=0))).ravel()

    group = p[inside].reshape(shape[:2])
    null = p.copy()
    null[inside] = np.outer(group.sum(axis=1), group.sum(axis=0)).ravel() / group.sum()
    step = 1e-5
    # Quadratic in p: central differences are exact but for rounding.
    J = np.stack(
        [(theta(null + step * e) - theta(null - step * e)) / (2 * step) for e in np.eye(p.size)], axis=1
    )
    covariance = (K @ np.diag(np.maximum(P @ null, 0)) @ K.T - np.outer(null, null)) / W
    C = J @ covariance @ J.T
    return theta(p) @ np.linalg.pinv(C, rcond=1e-7, hermitian=True) @ theta(p)


@every_method
@examples(20)
@given(seen=tables(least=5))
def test_the_statistic_is_that_of_the_definition(name, seen):
    found = unbiased_table(law(name), seen, (1, 2))
    assume(found.counts.sum(axis=0).min() > 0 and found.counts.sum(axis=1).min() > 0)
    assert found.independence_test().statistic == pytest.approx(by_definition(found), rel=1e-4, abs=1e-6)


@examples(20)
@given(seen=st.lists(st.integers(20, 60), min_size=24, max_size=24))
def test_the_statistic_of_a_group_is_that_of_the_definition(seen):
    table = np.array(seen, dtype=float).reshape(3, 4, 2)
    part = Part(Channel.of(law(), (1, 2, 0)), table, table)
    found = Estimate({0: part}, table.sum(), table.sum(), given=[1])
    assume(found.counts.sum() > 100 and min(found.counts.sum(axis=i).min() for i in (0, 1)) > 0)
    expected = by_definition(found, (1,))
    assert found.independence_test().statistic == pytest.approx(expected, rel=1e-3, abs=1e-6)


@every_method
def test_an_independent_table_has_a_statistic_of_0(name):
    truth = 1000 * np.outer([0.5, 0.3, 0.2], [0.4, 0.3, 0.2, 0.1])
    channel = Channel.of(law(name), (1, 2))
    found = unbiased_table(law(name), channel.expect(truth), (1, 2)).independence_test()
    assert (found.statistic, found.df) == (pytest.approx(0, abs=1e-9), 6)


def two_forms(rng, truth, weights):
    """Parts of two laws, for people who draw one of three forms; the third does not ask."""
    own, parts = rng.integers(0, 3, len(truth)), {}
    for form, name in enumerate(["optimal", "kronecker"]):
        m = METHODS[name](SIZES, LEVELS)
        mine = truth[own == form]
        released = m.perturb(mine, rng)
        cells = np.ravel_multi_index((released[:, 1], released[:, 2]), (3, 4))
        sums = [np.bincount(cells, weights[own == form] ** e, 12).reshape(3, 4) for e in (1, 2)]
        parts[form] = Part(Channel.of(m.law, (1, 2)), *sums)
    return Estimate(parts, weights.sum(), (weights**2).sum())


def check_null(statistics):
    """400 statistics are like chi-square with 6 degrees of freedom.

    With a size of up to 7%, more than 56 are beyond the point of 5% with probability 5e-7; and their mean has
    a standard error of sqrt(12 / 400) = 0.17.
    """
    assert len(statistics) == 400
    assert np.count_nonzero(np.array(statistics) > chi2.isf(0.05, 6)) <= 56
    assert abs(np.mean(statistics) - 6) < 1


@pytest.mark.parametrize("weighted", some_slow([False, True], False))
def test_its_size_with_several_forms_and_weights(weighted):
    rng, statistics = np.random.default_rng(5), []
    shares = [(0.5, 0.5), (0.6, 0.3, 0.1), (0.7, 0.1, 0.1, 0.1)]
    for _ in range(400):
        truth = np.stack([rng.choice(len(p), 3000, p=p) for p in shares], axis=1)
        weights = rng.choice([1.0, 4.0], 3000) if weighted else np.ones(3000)
        statistics.append(two_forms(rng, truth, weights).independence_test().statistic)
    check_null(statistics)


def test_it_does_not_depend_on_the_unit_of_weights():
    rng = np.random.default_rng(6)
    truth, weights = rng.integers(0, SIZES, (900, 3)), rng.choice([1.0, 3.0], 900)
    for w in (weights, np.ones(900)):
        tests = [
            two_forms(np.random.default_rng(7), truth, unit * w).independence_test()
            for unit in (1, 1e-3, 1e6)
        ]
        np.testing.assert_allclose([t.statistic for t in tests], tests[0].statistic)


def test_mean_weights_of_few_records_are_pulled_up():
    many = np.array([[9e6, 4e6], [4e6, 2e6]])
    means = np.array([[1.0, 2.0], [3.0, 1.5]])
    np.testing.assert_allclose(_mean_weights(many, many * means), means, rtol=1e-4)
    # All of the first row have weight 1, all of the second 2; nobody is in the last cell.
    seen, squares = np.array([[90.0, 10.0], [40.0, 0.0]]), np.array([[90.0, 10.0], [80.0, 0.0]])
    rows, columns, whole = (1.0, 2.0), (170 / 130, 1.0), 180 / 140
    found = _mean_weights(seen, squares)
    assert found[0, 1] == 1  # the product of row and column is less
    assert found[1, 1] == pytest.approx(rows[1] * columns[1] / whole)
    for i, records in ((0, 90), (1, 20)):
        likely = rows[i] * columns[0] / whole
        assert found[i, 0] == pytest.approx(rows[i] + (likely - rows[i]) * 50 / (50 + records))


@pytest.mark.parametrize("weight", [1e-6, 1.0, 1 / 3, 1e6])
def test_equal_weights_change_nothing(weight):
    seen = np.array([[30.0, 5, 9, 8], [4, 20, 3, 3], [2, 8, 0, 10]])
    part = Part(Channel.of(law(), (1, 2)), weight * seen, weight**2 * seen)
    ours = Estimate({0: part}, weight * 102, weight**2 * 102).independence_test()
    usual = unbiased_table(law(), seen, (1, 2)).independence_test()
    assert ours.statistic == pytest.approx(usual.statistic, rel=1e-9)
    assert ours.smallest == pytest.approx(usual.smallest, rel=1e-9)


def test_the_size_in_a_weighted_group():
    m, rng, statistics = METHODS["optimal"](SIZES, [3.0] * 3), np.random.default_rng(9), []
    channel, shares = Channel.of(m.law, (1, 2, 0)), [(0.5, 0.5), (0.6, 0.3, 0.1), (0.7, 0.1, 0.1, 0.1)]
    for _ in range(400):
        truth = np.stack([rng.choice(len(p), 4000, p=p) for p in shares], axis=1)
        weights = rng.lognormal(0, 0.5, 4000) * np.array([1.0, 3.0])[truth[:, 0]]
        weights *= np.array([1.0, 1.0, 4.0])[truth[:, 1]]
        cells = np.ravel_multi_index(tuple(m.perturb(truth, rng)[:, i] for i in (1, 2, 0)), (3, 4, 2))
        sums = [np.bincount(cells, weights**e, 24).reshape(3, 4, 2) for e in (1, 2)]
        totals = [table.sum() for table in sums]
        found = Estimate({0: Part(channel, *sums)}, *totals, given=[1]).independence_test()
        statistics.append(found.statistic)
    check_null(statistics)


def test_few_records_in_a_cell_are_told():
    seen = np.outer([98.0, 1, 1], [60.0, 20, 10, 10])
    many = unbiased_table(law("kronecker"), seen, (1, 2)).independence_test()
    assert many.smallest == pytest.approx(seen.min())
    assert "smallest" not in repr(many)
    few = unbiased_table(law("kronecker"), seen / 20, (1, 2)).independence_test()
    assert few.smallest == pytest.approx(seen.min() / 20)
    assert repr(few).endswith("smallest=0.5)")
    # Half of the records have weight 3, the others 1: they count as (1 + 3)^2 / (1 + 9) / 2 = 0.8 each.
    part = Part(Channel.of(law("kronecker"), (1, 2)), 2 * seen, 5 * seen)
    weighted = Estimate({0: part}, 2 * seen.sum(), 5 * seen.sum()).independence_test()
    assert weighted.smallest == pytest.approx(0.8 * seen.min())
    # Rows that nobody has are not cells of few records, and forms add up.
    seen[2] = 0
    assert unbiased_table(law("kronecker"), seen, (1, 2)).independence_test().smallest == pytest.approx(10)
    part = Part(Channel.of(law("kronecker"), (1, 2)), seen, seen)
    two = Estimate({0: part, 1: part}, 2 * seen.sum(), 2 * seen.sum()).independence_test()
    assert two.smallest == pytest.approx(20)


def test_its_size_where_next_to_nothing_is_told():
    # The estimated proportions have standard errors of 12, and so are anything between -30 and 30.
    m, rng, statistics = orr.optimal([3, 4], [0.01, 0.01]), np.random.default_rng(5), []
    for _ in range(400):
        records = np.stack([rng.choice(3, 2000, p=(0.8, 0.1, 0.1)), rng.choice(4, 2000)], axis=1)
        seen = observed_table(m.perturb(records, rng), m.sizes, [0, 1])
        statistics.append(unbiased_table(m.law, seen, (0, 1)).independence_test().statistic)
    check_null(statistics)


def test_rows_that_nobody_has_are_dropped():
    seen = np.array([[30.0, 20, 0, 7], [10, 25, 0, 9], [0, 0, 0, 0]])
    found = unbiased_table(law("kronecker"), seen, (1, 2)).independence_test()
    usual = chi2_contingency(seen[:2][:, [0, 1, 3]], correction=False)
    assert found.df == usual.dof == 2
    assert found.statistic == pytest.approx(usual.statistic, rel=1e-8)
    alone = np.zeros((3, 4))
    alone[1, 2] = 50
    nothing = unbiased_table(law("kronecker"), alone, (1, 2)).independence_test()
    assert (nothing.df, nothing.statistic, nothing.pvalue) == (0, 0, 1)


def test_negative_expectations_are_survived():
    rng = np.random.default_rng(3)
    m = orr.optimal([3, 4], [0.2, 0.2])
    for _ in range(50):
        found = unbiased_table(
            m.law, rng.multinomial(6, np.ones(12) / 12).reshape(3, 4), (0, 1)
        ).independence_test()
        assert 0 <= found.pvalue <= 1
        assert np.isfinite(found.statistic)


def test_what_cannot_be_tested_is_refused():
    one = unbiased_table(law(), np.ones(3), (1,))
    with pytest.raises(ValueError, match="2 attributes, got 1"):
        one.independence_test()
    large = orr_release.kronecker([1000, 1000], [1.0, 1.0]).estimate([[0, 0], [1, 1]], [0, 1])
    with pytest.raises(ValueError, match="up to 4,096 cells"):
        large.independence_test()
    lost = orr_release.optimal([2] * 3, [0.3] * 3)
    with pytest.raises(orr.NotRecoverable):
        lost.estimate(np.zeros((1, 3), dtype=int), [0, 1])


# Greatest likelihood.


def value(parts, p):
    return sum((part.seen * np.log(part.channel.expect(p))).sum() for part in parts)


def check_maximum(parts):
    """The table found is as likely as the best that scipy finds, and certified to be nearly the best."""
    shape = parts[0].seen.shape
    start = parts[0].channel.invert(parts[0].seen) / parts[0].seen.sum()
    p, gap, _ = maximize(parts, start)
    assert (p >= 0).all()
    assert p.sum() == pytest.approx(1)
    other = minimize(
        lambda x: -value(parts, x.reshape(shape)),
        np.full(p.size, 1 / p.size),
        jac=lambda x: (
            -sum(q.channel.expect(q.seen / q.channel.expect(x.reshape(shape))) for q in parts).ravel()
        ),
        bounds=[(0, 1)] * p.size,
        constraints={"type": "eq", "fun": lambda x: x.sum() - 1, "jac": np.ones_like},
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-12},
    )
    best = np.maximum(other.x, 0).reshape(shape)
    assert value(parts, p) >= value(parts, best / best.sum()) - max(gap, LIKELIHOOD_GAP)
    return p, gap


@pytest.mark.parametrize("name", METHODS)
@examples(20)
@given(seen=tables(least=0))
def test_no_table_is_more_likely(name, seen):
    assume(seen.sum() > 20)
    _, gap = check_maximum([Part(Channel.of(law(name), (1, 2)), seen, seen)])
    assert gap <= LIKELIHOOD_GAP


@examples(10)
@given(tables(least=1), tables(least=1))
def test_no_table_is_more_likely_with_two_forms(one, two):
    laws = law("optimal"), orr.kronecker(SIZES, [3.0, 0.5, 0.5]).law
    parts = [Part(Channel.of(x, (1, 2)), seen, seen) for x, seen in zip(laws, (one, two), strict=True)]
    assert check_maximum(parts)[1] <= LIKELIHOOD_GAP


@examples(30)
@given(tables(least=1), st.integers(0, 10**6))
def test_the_certificate_is_a_bound(seen, seed):
    rng = np.random.default_rng(seed)
    parts = [Part(Channel.of(law(), (1, 2)), seen, seen)]
    found = Likelihood(parts)
    point = found.at(rng.dirichlet(np.ones(12)).reshape(3, 4))
    best, _, _ = maximize(parts, np.ones((3, 4)))
    for p in (best, rng.dirichlet(np.full(12, 0.2)).reshape(3, 4) + 1e-12):
        assert value(parts, p / p.sum()) <= point.value + found.gap(point) + 1e-9 * seen.sum()


def test_a_certificate_that_lies_is_caught(monkeypatch):
    monkeypatch.setattr(Likelihood, "gap", lambda self, point: 0.0)
    seen = np.array([[40.0, 0, 0, 0], [0, 30, 0, 0], [0, 0, 0, 9]])
    with pytest.raises(AssertionError):
        check_maximum([Part(Channel.of(law(), (1, 2)), seen, seen)])


def test_where_nothing_is_negative_it_is_the_unbiased_table():
    truth = np.arange(1.0, 13).reshape(3, 4) * 100
    found = unbiased_table(law(), Channel.of(law(), (1, 2)).expect(truth), (1, 2))
    best = found.nonnegative()
    np.testing.assert_allclose(best.counts, truth)
    assert best.steps == 1
    assert best.converged


@pytest.mark.parametrize(
    "levels", [[1e-9] * 2, [0.01] * 2, [0.1] * 2, [1.0] * 2, [5.0] * 2, [700.0] * 2, [1e-9, 700.0]]
)
def test_it_is_reached_at_all_levels(levels):
    m = orr_release.kronecker([3, 5], levels)
    records = np.random.default_rng(2).integers(0, [2, 3], (5000, 2))
    best = m.estimate(m.perturb(records, rng=3), [0, 1]).nonnegative()
    assert best.converged
    assert best.counts.min() >= 0
    assert best.counts.sum() == pytest.approx(5000)


def test_larger_tables_are_reached_without_matrices():
    m = orr_release.kronecker([2000], [8.0])
    records = np.random.default_rng(2).zipf(1.5, (20_000, 1)) % 2000
    best = m.estimate(m.perturb(records, rng=3), 0).nonnegative()
    assert best.converged
    # One attribute has a closed form: what is above the water, less the water.
    seen = np.bincount(m.perturb(records, rng=3)[:, 0], minlength=2000)
    rho = m.mechanism.law.rho({0})
    water, level = (1 - rho) / 2000 / rho, 20_000.0
    for _ in range(200):
        dry = seen / level > water
        level = seen[dry].sum() / (1 + dry.sum() * water)
    exact = 20_000 * np.maximum(seen / level - water, 0)
    np.testing.assert_allclose(best.counts, exact, atol=1)


def test_a_table_that_is_not_reached_says_so(monkeypatch):
    monkeypatch.setattr(likelihood, "MAX_EVALUATIONS", 4)
    monkeypatch.setattr(likelihood, "MAX_NEWTON_CELLS", 0)
    best = unbiased_table(law(), np.array([90.0, 5, 5]), (1,)).nonnegative()
    assert not best.converged
    assert best.gap > LIKELIHOOD_GAP
    assert "NOT of greatest likelihood" in repr(best)


def test_groups_are_slices_of_the_whole_fit():
    rng = np.random.default_rng(8)
    seen = rng.integers(0, 40, (3, 4, 2)).astype(float)
    part, total = Part(Channel.of(law(), (1, 2, 0)), seen, seen), seen.sum()
    whole = Estimate({0: part}, total, total).nonnegative()
    group = Estimate({0: part}, total, total, given=[1]).nonnegative()
    np.testing.assert_array_equal(group.counts, whole.counts[..., 1])
    assert group.proportions.sum() == pytest.approx(1)
    assert "given" in repr(group)
    assert "biased" in repr(group)
    assert list(group.to_frame().columns) == ["attribute 1", "attribute 2", "count", "proportion"]


def test_the_unit_of_weights_does_not_matter():
    rng = np.random.default_rng(9)
    truth, weights = rng.integers(0, [2, 2, 2], (400, 3)), rng.choice([1.0, 3.0], 400)
    small, large = (
        two_forms(np.random.default_rng(1), truth, u * weights).nonnegative() for u in (1e-6, 1e6)
    )
    np.testing.assert_allclose(small.proportions, large.proportions, atol=1e-9)
    assert small.converged


# Filters.


def seen_filtered(columns, rates, sizes):
    """Tell of which codes it is seen that rows were filtered; those who were not asked tell nothing."""
    counts = {i: np.bincount(codes[codes >= 0], minlength=sizes[i]) for i, codes in columns.items()}
    return filtered(counts, rates)


@every_method
def test_filters_are_seen_and_nothing_else(name):
    m = METHODS[name](SIZES, LEVELS)
    truth = np.zeros((3000, 3), dtype=int)  # all the same, and yet every value is released
    released = m.perturb(truth, rng=4)
    look = partial(seen_filtered, rates=m.levels.flip_probabilities, sizes=m.sizes)
    assert look(dict(enumerate(released.T))) == []
    assert look(dict(enumerate(released[released[:, 1] == 2].T))) == [1]
    assert look(dict(enumerate(released[released[:, 2] < 3].T))) == [2]
    assert look({}) == []
    assert look({1: np.full(3000, -1)}) == []


def test_a_filter_is_not_suspected_of_few_rows_or_high_levels():
    few = {0: np.array([20, 0])}
    assert filtered(few, np.array([0.4])) == []
    assert filtered({0: np.array([50, 0])}, np.array([0.4])) == [0]
    q = orr.kronecker([2], [700.0]).flip_probabilities
    assert filtered({0: np.array([10**6, 0])}, q) == []


def test_false_alarms_are_as_rare_as_they_say():
    # At the edge of a warning the chance that two labels are absent, times all pairs and columns, and three
    # as it could have been one label, or labels that look like missing, is 1e-9.
    q, size, columns = 0.3, 3, 5
    rows = next(
        n
        for n in range(1, 500)
        if filtered(dict.fromkeys(range(columns), np.array([n, *[0] * (size - 1)])), np.full(columns, q))
    )
    chance = columns * 3 * 3 * (1 - q) ** rows
    assert 0.7e-9 < chance < 1e-9


def test_labels_that_look_like_missing_are_missed_as_rarely():
    # As above, but for one set of two labels of four, in one of two columns.
    domain = orr_release.Domain({"zone": ["NA", "None", "EU"], "y": 3}, missing={"zone": "value"})
    q = np.array([0.3, 0.3])
    seen = ({0: np.array([0, 0, -(-n // 2), n // 2]), 1: np.full(3, 100)} for n in range(2, 500))
    columns = next(columns for columns in seen if misread(columns, q, domain))
    rows = columns[0].sum()
    assert 0.7e-9 < 2 * 4 * (1 - 0.3 * 2 / 3) ** rows < 1e-9
    assert misread(columns | {0: columns[0] - [0, 0, 1, 0]}, q, domain) == []
    assert misread(columns | {0: columns[0] + [0, 1, 0, 0]}, q, domain) == []
    assert not filtered(columns, q)  # which has to count all sets of two


@pytest.mark.parametrize(("size", "q"), [(2, 0.3), (3, 0.4), (4, 0.2), (4, 0.7), (6, 0.5)])
def test_no_release_is_suspected_more_often_than_that(size, q):
    # Exactly, where all people have the first label.
    p = [Fraction(1 - q), *[Fraction(q) / (size - 1)] * (size - 1)]
    worst = 0
    for rows in range(1, 150):
        alarmed = [
            exactly(labels, p, rows)
            for n in range(1, min(size - 1, rows) + 1)
            if seen_filtered({0: np.arange(rows) % n}, np.array([q]), np.array([size]))
            for labels in combinations(range(size), n)
        ]
        worst = max(worst, sum(alarmed))
    assert 1e-12 < worst < 1e-9


def exactly(labels, p, rows):
    """Chance that rows have these labels, all of them and no others."""
    return sum(
        (-1) ** (len(labels) - n) * sum(p[i] for i in some) ** rows
        for n in range(len(labels) + 1)
        for some in combinations(labels, n)
    )


def test_the_p_value_is_the_tail_of_chi_square():
    found = unbiased_table(
        law(), np.array([[30.0, 5, 9, 8], [4, 20, 3, 3], [2, 8, 9, 10]]), (1, 2)
    ).independence_test()
    assert found.pvalue == pytest.approx(chi2.sf(found.statistic, found.df))
