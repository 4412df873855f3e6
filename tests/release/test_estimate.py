"""Unbiased tables: exact on expectations, honest about their errors, and refused where hopeless."""

import pickle
import re
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import orr
import orr_release
from orr.channel import Channel
from orr_release import codes, frames
from orr_release.counting import Part
from orr_release.estimate import Estimate
from tests.common import CONSTRUCTIONS, GOLDEN, examples, problems
from tests.release.common import dense, unbiased_table

SIZES, LEVELS = [2, 3, 4], [1.0, 1.5, 2.0]


@pytest.mark.parametrize("name", CONSTRUCTIONS)
def test_factors_are_the_eigenvalues_of_the_channel(name):
    mechanism = CONSTRUCTIONS[name](SIZES, LEVELS)
    rho = mechanism.estimate(np.zeros((1, len(mechanism.sizes)), dtype=int), (0, 1)).rho
    expected = [1] + [rho[0,]] + 2 * [rho[1,]] + 2 * [rho[0, 1]]
    np.testing.assert_allclose(
        np.sort(np.linalg.eigvals(dense(mechanism, (0, 1))).real), np.sort(expected), atol=1e-12
    )


@given(problems(min_k=2, max_k=2, max_size=12, min_level=0.2))
def test_sign_of_the_pair_factor_tells_the_cases_apart(problem):
    pair = orr.two_attribute(*problem)
    value = pair.law.rho({0, 1})
    assert value == 0 or (value > 0) == (pair.case in ("I", "II"))


def test_estimates_from_a_release_are_within_their_errors():
    rng = np.random.default_rng(8)
    records = rng.integers(0, SIZES, (50_000, 3))
    mechanism = orr.linear_program(SIZES, LEVELS).solve()
    result = mechanism.estimate(mechanism.perturb(records, rng), [1, 2])
    truth = np.zeros((3, 4))
    np.add.at(truth, (records[:, 1], records[:, 2]), 1)
    assert result.counts.shape == (3, 4)
    np.testing.assert_allclose(result.counts.sum(), 50_000)
    assert (abs(result.counts - truth) < 6 * result.standard_errors).all()


@pytest.mark.parametrize("name", CONSTRUCTIONS)
@pytest.mark.parametrize("attributes", [0, (1, 0)])
def test_a_release_estimates_as_its_mechanism_does(name, attributes):
    """Forms and weights that are not there change nothing, to the last bit."""
    mechanism = CONSTRUCTIONS[name](SIZES, LEVELS)
    truth = np.random.default_rng(2).integers(0, mechanism.sizes, (5000, len(mechanism.sizes)))
    released = mechanism.perturb(truth, 3)
    whole, small = (m.estimate(released, attributes) for m in (orr_release.Release(mechanism), mechanism))
    assert repr(whole) == repr(small)
    np.testing.assert_array_equal(whole.counts, small.counts)
    for sampling, proportions in ((False, False), (True, False), (False, True), (True, True)):
        options = {"sampling": sampling, "proportions": proportions}
        np.testing.assert_array_equal(whole.errors(**options), small.errors(**options))
        np.testing.assert_array_equal(whole.interval(**options), small.interval(**options))
        np.testing.assert_array_equal(whole.reliable(sampling=sampling), small.reliable(sampling=sampling))


def test_an_estimate_reads_each_column_once_and_writes_none(monkeypatch):
    release, read = orr_release.kronecker(PEOPLE, [1.0, 1.0, 1.0]), []
    table = pd.DataFrame({"race": ["a", "b", "c"], "ill": ["no", "yes", "no"], "x": [0, 1, 2], "state": "p"})
    released, plain = release.perturb(pd.concat([table] * 10_000)), codes.fill
    monkeypatch.setattr(
        codes,
        "fill",
        lambda out, values, c, shown: read.append((c.name, len(out))) or plain(out, values, c, shown),
    )
    monkeypatch.setattr(codes, "write", None)
    monkeypatch.setattr(frames, "declared", None)
    release.estimate(released, ["ill"], given={"x": 1})
    assert read == [("ill", 30_000), ("x", 30_000), ("race", 15_000)]  # the last for traces of a filter


def test_axes_follow_the_order_asked():
    mechanism = orr_release.kronecker(SIZES, LEVELS)
    records = np.random.default_rng(1).integers(0, SIZES, (500, 3))
    forward, backward = (mechanism.estimate(records, a) for a in ([0, 2], [2, 0]))
    np.testing.assert_allclose(forward.counts, backward.counts.T)


def test_lost_pairs_are_refused_with_the_reason():
    lost = GOLDEN["extras"]["pair_eigenvalue_zero"]
    mechanism = orr.linear_program(lost["sizes"], lost["epsilons"]).solve()
    records = np.zeros((10, 3), dtype=int)
    with pytest.raises(orr.NotRecoverable, match=r"\(0, 1\) is 0"):
        mechanism.estimate(records, [0, 1])
    assert mechanism.estimate(records, 0).counts.shape == (2,)
    # The closed form finds the same mechanism and must refuse too.
    with pytest.raises(orr.NotRecoverable):
        orr_release.radius_one(lost["sizes"], lost["epsilons"]).estimate(records, [0, 1])


@pytest.mark.parametrize("k", [3, 5, 7, 9])
def test_half_cubes_lose_every_pair(k):
    # An odd number of binary attributes with exp(e) < (k + 1) / (k - 1).
    mechanism = orr.linear_program([2] * k, [0.9 * np.log((k + 1) / (k - 1))] * k).solve()
    with pytest.raises(orr.NotRecoverable):
        mechanism.estimate(np.zeros((1, k), dtype=int), [0, k - 1])


def test_tiny_levels_are_estimated_with_huge_errors():
    mechanism = orr_release.kronecker([2, 3], [1e-9, 1e-9])
    result = mechanism.estimate(np.zeros((10, 2), dtype=int), [0, 1])
    assert np.isfinite(result.counts).all()
    assert result.standard_errors.min() > 1e15


def test_no_records_give_zero_counts():
    result = orr_release.kronecker(SIZES, LEVELS).estimate(np.empty((0, 3), dtype=int), [0, 1])
    np.testing.assert_array_equal(result.counts, 0)
    np.testing.assert_array_equal(result.standard_errors, 0)


def channels(attributes=(1, 0), second=True):
    """Channels of one form or of two, over the same attributes."""
    laws = [orr.optimal(SIZES, LEVELS).law, orr.kronecker(SIZES, [2.0, 1.0, 1.5]).law]
    return [Channel.of(law, attributes) for law in laws[: 1 + second]]


def tally(cells, weights, shape):
    count = np.bincount(cells, weights=weights, minlength=int(np.prod(shape)))
    return count.reshape(shape)


def estimate_of(forms, cells, weights, own, given=()):
    """Estimate from released cells, weights and form numbers; a form without a channel does not ask."""
    parts = {
        f: Part(c, *(tally(cells[own == f], weights[own == f] ** e, c.shape) for e in (1, 2)))
        for f, c in enumerate(forms)
    }
    return Estimate(parts, weights.sum(), (weights**2).sum(), given=given)


def drawn(seed, n=400, forms=2, attributes=(1, 0), given=()):
    rng = np.random.default_rng(seed)
    cells = rng.integers(0, 6 if len(attributes) + len(given) == 2 else 24, n)
    weights, own = rng.integers(1, 5, n) / 2, rng.integers(0, forms + 1, n)
    return cells, weights, own


def by_definition(estimate, sampling):
    """Covariance of the counts of a whole table, from matrices, as the docstring of estimate.py has it."""
    parts, W, W2 = list(estimate.parts.values()), estimate.total, estimate.squares
    K = [np.linalg.inv(part.channel.matrix()) for part in parts]
    own = np.array([part.seen.sum() for part in parts])
    cells = parts[0].seen.size
    worth = own / [part.channel.noise + (1 - 1 / cells) / cells for part in parts]
    share = worth / worth.sum()
    p = sum(a / w * k @ part.seen.ravel() for a, w, k, part in zip(share, own, K, parts, strict=True))
    total, b = 0, 0
    for a, w, k, part in zip(share, own, K, parts, strict=True):
        square = part.squares.ravel()
        # Record by record: each adds its column, less the proportions.
        total = total + (a / w) ** 2 * sum(
            s * np.outer(column - p, column - p) for s, column in zip(square, k.T, strict=True)
        )
        b = b + W2 * a * k @ square / square.sum()
    people = np.diag(b) - np.outer(p, b) - np.outer(b, p) + W2 * np.outer(p, p)
    return W * p, W**2 * total - (0 if sampling else people)


def check_covariance(seed, sampling, forms=2):
    found = estimate_of(channels()[:forms], *drawn(seed, n=20_000, forms=forms))  # no variance is cut off
    counts, covariance = by_definition(found, sampling)
    scale = np.abs(covariance).max()
    np.testing.assert_allclose(found.counts.ravel(), counts, rtol=1e-9, atol=1e-7)
    np.testing.assert_allclose(found.covariance(sampling), covariance, atol=1e-9 * scale)
    errors = found.errors(sampling=sampling).ravel()
    np.testing.assert_allclose(errors**2, np.diag(covariance), atol=1e-9 * scale)


@examples(30)
@given(st.integers(0, 10**6), st.booleans(), st.sampled_from([1, 2]))
def test_covariances_are_those_of_the_definition(seed, sampling, forms):
    check_covariance(seed, sampling, forms)


def test_a_forgotten_cross_term_is_caught(monkeypatch):
    right = Estimate._moments

    def forgotten(self, sampling):
        found = right(self, sampling)
        return type(found)(found.less, 0 * found.e, found.h)

    monkeypatch.setattr(Estimate, "_moments", forgotten)
    with pytest.raises(AssertionError):
        check_covariance(1, True)


@pytest.mark.parametrize("name", CONSTRUCTIONS)
@pytest.mark.parametrize("attributes", [(0,), (1, 0)])
def test_covariances_are_exact_for_an_expected_release(name, attributes):
    mechanism = CONSTRUCTIONS[name](SIZES, LEVELS)
    P, shape = dense(mechanism, attributes), [SIZES[i] for i in attributes]
    K, truth = np.linalg.inv(P), np.arange(1.0, 1 + len(P)) * 100
    p, released = truth / truth.sum(), (P @ truth).reshape(shape)
    found = unbiased_table(mechanism.law, released, attributes)
    # Each record of truth v adds an independent column of the inverse: exact variance, cell by cell.
    people = K @ np.diag(P @ truth) @ K.T - np.diag(truth)
    sample = K @ np.diag(P @ truth) @ K.T - truth.sum() * np.outer(p, p)
    np.testing.assert_allclose(found.counts.ravel(), truth, rtol=1e-9)
    np.testing.assert_allclose(found.standard_errors.ravel(), np.sqrt(np.diag(people)), rtol=1e-9)
    np.testing.assert_allclose(found.covariance(), people, rtol=1e-7, atol=1e-6)
    np.testing.assert_allclose(found.covariance(sampling=True), sample, rtol=1e-7, atol=1e-6)


few_records = pytest.mark.filterwarnings("ignore::orr_release.Unreliable")


@few_records
def test_groups_are_slices_of_the_whole_table():
    forms = channels((1, 0, 2))
    data = drawn(5, n=3000, attributes=(1, 0), given=(3,))
    whole = estimate_of(forms, *data)
    group = estimate_of(forms, *data, given=(3,))
    assert group.given == {2: 3}
    np.testing.assert_array_equal(group.counts, whole.counts[..., 3])
    np.testing.assert_array_equal(group.standard_errors, whole.standard_errors[..., 3])
    for sampling in (False, True):
        cells = np.arange(24).reshape(3, 2, 4)[..., 3].ravel()
        inside = whole.covariance(sampling)[np.ix_(cells, cells)]
        np.testing.assert_allclose(group.covariance(sampling), inside, rtol=1e-9, atol=1e-9 * inside.max())
        size, p = group.counts.sum(), group.proportions.ravel()
        jacobian = (np.eye(6) - p[:, None]) / size
        errors = np.sqrt(np.diag(jacobian @ inside @ jacobian.T))
        low, high = group.interval(0.6826894921370859, sampling=sampling, proportions=True)
        np.testing.assert_allclose((high - low).ravel() / 2, errors, rtol=1e-7)
    np.testing.assert_allclose(group.proportions.sum(), 1)


def test_the_spread_of_two_forms_is_the_one_estimated():
    # Fixed people with weights; forms drawn at random, a third of them without the table.
    rng, forms = np.random.default_rng(11), channels()
    truth = np.sort(rng.integers(0, 6, 1500) ** 2 // 5)
    weights = 1.0 + (np.arange(1500) % 7)
    matrices = [c.matrix() for c in forms]
    runs, total, spread = [], 0.0, 0.0
    for _ in range(3000):
        u, own = rng.random(1500), rng.integers(0, 3, 1500)
        cells = np.zeros(1500, dtype=int)
        for f, P in enumerate(matrices):
            cells[own == f] = (u[own == f, None] > P.cumsum(axis=0).T[truth[own == f]]).sum(axis=1)
        found = estimate_of(forms, cells, weights, own)
        runs.append(found.counts.ravel())
        total, spread = total + found.covariance(), spread + found.errors(sampling=True) ** 2
    exact = np.bincount(truth, weights=weights, minlength=6)
    seen = np.cov(np.array(runs).T)
    size = np.sqrt(np.diag(seen))
    assert (abs(np.mean(runs, axis=0) - exact) < 6 * size / np.sqrt(3000)).all()
    # A variance from 3,000 runs has a relative error of 2.6%, and ratios of weights a bias of a percent.
    np.testing.assert_allclose(total / 3000 / np.outer(size, size), seen / np.outer(size, size), atol=0.12)
    assert (spread.ravel() > 1.05 * np.diag(total))[exact > 200].all()


@examples(30)
@given(st.integers(0, 10**6), st.integers(0, 400), st.sampled_from([(), (3,)]))
def test_batches_add_up_to_the_whole(seed, cut, given):
    attributes = (1, 0)
    forms = channels((*attributes, 2)[: 2 + len(given)])
    data = drawn(seed, given=given)
    whole = estimate_of(forms, *data, given=given)
    parts = [estimate_of(forms, *(x[rows] for x in data), given=given) for rows in (np.s_[:cut], np.s_[cut:])]
    for together in (parts[0] + parts[1], sum(parts)):
        np.testing.assert_allclose(together.counts, whole.counts, rtol=1e-12, atol=1e-9)
        np.testing.assert_allclose(together.standard_errors, whole.standard_errors, rtol=1e-9)
        assert (together.total, together.given) == (whole.total, whole.given)


def test_what_cannot_be_added_is_refused_with_the_reason():
    one, two = channels()
    seen = np.ones((3, 2))
    part, other = Part(one, seen, seen), Part(two, seen, seen)
    first = Estimate({0: part}, 6, 6)
    with pytest.raises(ValueError, match="mechanisms differ"):
        first + Estimate({0: other}, 6, 6)
    with pytest.raises(ValueError, match="same table"):
        first + Estimate({0: part}, 6, 6, names=("b", "a"))
    with pytest.raises(ValueError, match="same table"):
        first + Estimate({0: part}, 6, 6, given=[1])
    with pytest.raises(TypeError):
        first + 1
    with pytest.raises(ValueError, match="mechanisms differ"):  # forms that one of the two does not have
        first + Estimate({1: other}, 6, 6)


def test_weights_are_copies_of_records():
    cells, weights, own = drawn(9, forms=0)
    forms, weights = channels(second=False), np.round(weights * 2)
    weighted = estimate_of(forms, cells, weights, own)
    copied = estimate_of(forms, *(np.repeat(x, weights.astype(int)) for x in (cells, np.ones(400), own)))
    np.testing.assert_allclose(weighted.counts, copied.counts)
    # But a record that stands for four is not four records.
    assert (weighted.standard_errors > copied.standard_errors).all()
    doubled = estimate_of(forms, cells, 2 * weights, own)
    np.testing.assert_allclose(doubled.covariance(True), 4 * weighted.covariance(True))
    np.testing.assert_allclose(doubled.proportions, weighted.proportions)


def test_nobody_has_no_proportions():
    one, two = channels()
    zero = np.zeros((3, 2))
    nobody = Estimate({0: Part(one, zero, zero), 1: Part(two, zero, zero)}, 0, 0)
    assert not nobody.counts.any()
    assert not nobody.covariance(True).any()
    for ask in (lambda: nobody.proportions, nobody.nonnegative, nobody.independence_test):
        with pytest.raises(ValueError, match="no records, or only of weight 0"):
            ask()
    assert nobody.to_frame()["proportion"].isna().all()
    unasked = Estimate({0: Part(one, zero, zero)}, 5, 5)
    with pytest.raises(orr.NotRecoverable, match="nobody answered"):
        _ = unasked.counts
    with pytest.raises(orr.NotRecoverable, match="no form asks"):
        Estimate({}, 5, 5)


def test_a_form_that_lost_the_table_is_left_out():
    lost = GOLDEN["extras"]["pair_eigenvalue_zero"]
    dead = Channel.of(orr.radius_one(lost["sizes"], lost["epsilons"]).law, (0, 1))
    alive = Channel.of(orr.kronecker(lost["sizes"], lost["epsilons"]).law, (0, 1))
    seen = np.arange(1.0, 1 + np.prod(dead.shape)).reshape(dead.shape)
    both = Estimate({0: Part(dead, seen, seen), 1: Part(alive, seen, seen)}, seen.sum(), seen.sum())
    alone = Estimate({1: Part(alive, seen, seen)}, seen.sum(), seen.sum())
    np.testing.assert_allclose(both.counts, alone.counts)
    with pytest.raises(orr.NotRecoverable, match="is 0"):
        Estimate({0: Part(dead, seen, seen)}, 1, 1)


def test_a_group_of_nobody_has_counts_and_no_proportions():
    (one,) = channels(second=False)
    seen = np.zeros((3, 2))
    seen[:, 0] = 100
    group = Estimate({0: Part(one, seen, seen)}, 300, 300, given=[1])
    assert group.counts.sum() < 0
    with pytest.raises(ValueError, match="estimated count of -"):
        _ = group.proportions
    assert group.to_frame("polars")["proportion"].null_count() == 3
    assert group.to_frame("pyarrow")["proportion"].null_count == 3
    with pytest.raises(ValueError, match="estimated share of -"):
        Estimate({0: Part(*parts_of_three())}, 300, 300, given=[3]).independence_test()


def parts_of_three():
    (one,) = channels((1, 0, 2), second=False)
    seen = np.zeros((3, 2, 4))
    seen[..., 0] = 50
    return one, seen, seen


@few_records
def test_intervals_are_normal_and_levels_checked():
    found = orr_release.kronecker(SIZES, LEVELS).estimate(np.zeros((9, 3), dtype=int), [0, 1])
    low, high = found.interval(0.99)
    np.testing.assert_allclose((high - low) / 2, 2.5758293035489004 * found.standard_errors)
    np.testing.assert_allclose((high + low) / 2, found.counts)
    for level in (0, 1, -0.1, 95, float("nan"), True):
        with pytest.raises(ValueError, match="must be between 0 and 1"):
            found.interval(level)


LABELLED = {"names": ("race", "count"), "labels": (("white", "<b>", None), (False, True))}


@few_records
@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("known", [("a", "b"), (False, True), (3, 7)])
def test_frames_keep_labels_types_and_order(kind, known):
    (one,) = channels(second=False)
    seen = np.arange(6.0).reshape(3, 2) + 1
    labels = (*known, None), (10, 20)
    found = Estimate({0: Part(one, seen, seen)}, 21, 21, names=("count", "x"), labels=labels)
    frame = found.to_frame(kind)
    columns = ["count", "x", "estimated_count", "standard_error", "low", "high", "proportion", "reliable"]
    assert list(frame.column_names if kind == "pyarrow" else frame.columns) == columns
    table = (
        frame.to_pylist()
        if kind == "pyarrow"
        else frame.to_dict("records")
        if kind == "pandas"
        else frame.rows()
    )
    rows = [list(row.values()) if isinstance(row, dict) else list(row) for row in table]
    assert [type(row[0]) for row in rows[:4]] == [type(known[0])] * 4
    assert [row[0] for row in rows[:4]] == [known[0], known[0], known[1], known[1]]
    assert [row[1] for row in rows] == [10, 20] * 3
    assert all(row[0] is None or row[0] != row[0] or "NA" in repr(row[0]) for row in rows[4:])
    low, high = found.interval()
    shown = [found.counts, found.standard_errors, low, high, found.proportions, found.reliable()]
    assert {type(row[-1]) for row in rows} == {bool}
    np.testing.assert_allclose([row[2:] for row in rows], np.stack([x.ravel() for x in shown], axis=1))


def test_frames_of_another_kind_are_refused():
    found = orr_release.kronecker([2], [1.0]).estimate([[0], [1]], 0)
    with pytest.raises(ValueError, match="kind = 'excel' must be pandas, polars or pyarrow"):
        found.to_frame("excel")


def test_tables_say_what_they_are_and_can_be_read_aloud():
    (one,) = channels(second=False)
    seen = np.arange(6.0).reshape(3, 2) + 1
    found = Estimate({0: Part(one, seen, seen)}, 21, 21, **LABELLED)
    assert repr(found).startswith("Estimate(race, count, 6 cells, N=21, smallest |rho|=")
    page = found._repr_html_()
    assert "<caption>Estimated counts: race, count, 6 cells, N=21" in page
    assert page.count("<tr>") == 7
    assert page.count("<th scope='row'>") == 12
    assert "&lt;b&gt;" in page
    assert "(missing)" in page
    assert "<th scope='col'>estimated_count</th>" in page
    group = Estimate({0: Part(one, seen, seen)}, 21, 21, **LABELLED, given=[1])
    assert repr(group).startswith("Estimate(race given count=True, 3 cells, N=21,")
    assert group.given == {"count": True}
    lines = group.to_text().splitlines()
    assert lines[0].split() == ["race", "count", "standard_error", "low", "high", "proportion", "reliable"]
    assert "(missing)" in lines[-1]
    assert lines[1].endswith(" False")
    plenty = orr_release.kronecker([2], [1.0]).estimate([[0]] * 60 + [[1]] * 40, 0)
    assert "reliable" not in plenty.to_text() + plenty._repr_html_()
    long = orr_release.kronecker([50], [1.0]).estimate(np.zeros((9, 1), dtype=int), 0)._repr_html_()
    assert "and 30 more" in long
    assert long.count("<tr>") == 22


def test_tables_that_do_not_fit_are_refused():
    (one,) = channels(second=False)
    part = Part(one, np.ones((3, 2)), np.ones((3, 2)))
    for wrong in ({"given": [1, 0]}, {"labels": (("a", "b"), ("c", "d"))}):
        with pytest.raises(ValueError, match="do not fit"):
            Estimate({0: part}, 6, 6, **wrong)


def test_estimates_survive_pickling():
    found = estimate_of(channels(), *drawn(3))
    again = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(again.counts, found.counts)
    np.testing.assert_array_equal((again + found).counts.shape, (3, 2))


@few_records
def test_a_million_cells_need_no_matrix():
    mechanism = orr_release.kronecker([10**6], [12.0])
    found = mechanism.estimate(np.arange(2000)[:, None] % 500, 0)
    np.testing.assert_allclose(found.counts.sum(), 2000)
    low, high = found.interval(sampling=True, proportions=True)
    assert (high > low)[:500].all()
    assert np.isfinite([low, high]).all()
    with pytest.raises(ValueError, match="up to 4,096 cells"):
        found.covariance()


@few_records
@pytest.mark.parametrize("level", [1e-9, 700.0])
def test_extreme_levels_have_finite_intervals(level):
    mechanism = orr_release.kronecker([2, 3], [level, level])
    found = mechanism.estimate([[0, 0], [1, 2], [1, 2]], [0, 1])
    for sampling in (False, True):
        assert np.isfinite(found.interval(sampling=sampling)).all()
        assert np.isfinite(found.covariance(sampling)).all()
    assert found.standard_errors.max() < 1e-6 or level < 1


NAMED = orr_release.Domain({"x": ["b", "a"], "y": [1, 2, 3]})
MISTAKES = [
    (
        {"counts": True},
        lambda table: pd.crosstab(table.x, table.y),
        TypeError,
        "order of the declared labels",
    ),
    ({"counts": True}, lambda table: table.value_counts(), TypeError, "order of the declared labels"),
    ({"weights": "y"}, lambda table: table, ValueError, "must not be a randomized column"),
    ({"counts": "y"}, lambda table: table, ValueError, "must not be a randomized column"),
    ({"weights": "w"}, lambda table: table, ValueError, "no column 'w'"),
    ({"weights": "w"}, lambda table: np.zeros((4, 2), dtype=int), TypeError, "the records are an array"),
    ({"weights": [1.0]}, lambda table: table, ValueError, "one a record: 4 records, 1 weights"),
    ({"weights": [1, 1, 1, -1]}, lambda table: table, ValueError, "finite and at least 0"),
    ({"weights": [1, 1, 1, np.nan]}, lambda table: table, ValueError, "finite and at least 0"),
    ({"counts": True, "weights": [1] * 4}, lambda table: np.ones((2, 3)), ValueError, "cannot both be given"),
    ({"counts": ""}, lambda table: table, TypeError, "must be True, False or the name"),
    ({"counts": None}, lambda table: table, TypeError, "must be True, False or the name"),
    ({"weights": np.ma.masked_greater([1, 1, 1, 9], 5)}, lambda table: table, ValueError, "masked entries"),
    ({"weights": [1e-200] * 4}, lambda table: table, ValueError, "between 1e-100 and 1e100"),
    ({"weights": ["1"] * 4}, lambda table: table, TypeError, "one number a record"),
    ({"weights": [1] * 4, "counts": "n"}, lambda table: table, ValueError, "cannot both be given"),
    (
        {"weights": pd.Series([1, 2, 3, 4])},
        lambda table: table.sort_values("x"),
        ValueError,
        r"weights must have the index of the table.* in the order of the rows, give weights.to_numpy\(\)",
    ),
    ({"weights": pd.Series([1, 2, 3, 4], [1, 2, 3, 4])}, lambda table: table, ValueError, "index of the"),
]


@pytest.mark.parametrize(("options", "made", "error", "message"), MISTAKES)
def test_counts_and_weights_that_mislead_are_refused(options, made, error, message):
    table = pd.DataFrame({"x": ["a", "b", "a", "b"], "y": [1, 2, 3, 1]})
    with pytest.raises(error, match=message):
        orr_release.kronecker(NAMED, [1.0, 1.0]).estimate(made(table), ["x", "y"], **options)


NUMBERED = [([7, 3], lambda table: table), ([0, 1], pl.from_pandas), ([0, 1], lambda table: [[1, 0], [0, 1]])]


@few_records
@pytest.mark.parametrize(("index", "make"), NUMBERED)
def test_a_series_of_weights_has_the_numbers_of_the_rows(index, make):
    table, own = pd.DataFrame({"x": ["a", "b"], "y": [1, 2]}, index=index), pd.Series([2.0, 1.0], index)
    mechanism = orr_release.kronecker(NAMED, [2.0, 2.0])
    found = mechanism.estimate(make(table), 0, weights=own)
    np.testing.assert_array_equal(
        found.counts, mechanism.estimate([[1, 0], [0, 1]], 0, weights=[2, 1]).counts
    )
    with pytest.raises(ValueError, match=r"weights must have the index of the table.*weights.to_numpy\(\)"):
        mechanism.estimate(make(table), 0, weights=own[::-1])


PEOPLE = orr_release.Domain(
    {"race": ["a", "b", "c"], "ill": ["no", "yes"], "x": 4, "state": []}, public=["state"]
)


def counted(table):
    return table.groupby(["race", "ill", "x"], as_index=False).size().rename(columns={"size": "n"})


def of_groups(mechanism, grouped):
    grouped.apply(lambda group: mechanism.estimate(group, "ill").counts[0])


@pytest.mark.parametrize(
    ("look", "name"),
    [
        (lambda m, t: of_groups(m, t.groupby("race")), "'race'"),
        (lambda m, t: of_groups(m, t.groupby("race")[["ill", "state"]]), "'race'"),
        (lambda m, t: of_groups(m, t.groupby("race")[["ill"]]), None),  # it may be by the state
        (lambda m, t: of_groups(m, t.groupby(["state", "x"])), "'x'"),
        (lambda m, t: of_groups(m, t.groupby("state")), None),
        (lambda m, t: of_groups(m, t.assign(state=t.x).drop(columns="x").groupby("state")), None),
        (lambda m, t: [m.estimate(part, "ill") for _, part in t.groupby("race")], "'race'"),
        (lambda m, t: [m.estimate(part, "ill") for _, part in pl.from_pandas(t).group_by("x")], "'x'"),
        (lambda m, t: m.estimate(t.loc[t.race == "a", ["ill"]], "ill"), None),  # of this nothing can be seen
        (lambda m, t: of_groups(m, t[["ill", "race", "state"]].groupby("race")), "'race'"),
        (lambda m, t: of_groups(m, t[["ill"]].groupby(np.arange(len(t)) // 300)), None),  # folds
        (lambda m, t: of_groups(m, t[["ill", "race", "x"]].groupby(t.state)), None),
        (lambda m, t: m.estimate(counted(t[t.race == "a"]), ["ill", "race"], counts="n"), "'race'"),
        (lambda m, t: m.estimate(counted(t).assign(x=7.5), ["ill", "race"], counts="n"), None),
        (lambda m, t: m.estimate(counted(t), ["ill", "race"], counts="n"), None),
        (
            lambda m, t: m.estimate(np.array([[90, 0, 90], [90, 0, 90]]), ["ill", "race"], counts=True),
            "'race'",
        ),
    ],
)
def test_groups_by_released_values_are_seen(look, name):
    mechanism, rng = orr_release.kronecker(PEOPLE, [1.0, 1.0, 1.0]), np.random.default_rng(5)
    codes = mechanism.perturb(rng.integers(0, [3, 2, 4], (900, 3)), rng)
    table = {n: [PEOPLE.labels[i][v] for v in codes[:, i]] for i, n in enumerate(PEOPLE.names)}
    table = pd.DataFrame(table | {"state": ["p", "q", "r"] * 300})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        look(mechanism, table)
    assert {w.category for w in caught} == ({orr_release.Filtered} if name else set())
    assert all(f"lack values of {name}, as if" in str(w.message) for w in caught)
    assert {w.filename for w in caught} <= {__file__}


@pytest.mark.parametrize("labels", [["a", "b"], [False, True], 2], ids=["strings", "booleans", "integers"])
def test_a_group_of_missing_values_is_given_as_any_other(labels):
    mechanism = orr_release.kronecker(
        orr_release.Domain({"x": labels, "y": 2}, missing={"x": "value"}), [1.0, 1.0]
    )
    released = mechanism.perturb(
        pd.DataFrame({"x": pd.array([*mechanism.domain.labels[0]] * 300), "y": [0, 1, 1] * 300})
    )
    shares = [mechanism.estimate(released, "y", given={"x": x}).counts for x in mechanism.domain.labels[0]]
    frame = mechanism.estimate(released, "x").to_frame()
    for x, share in zip(frame["x"], shares, strict=True):
        np.testing.assert_array_equal(mechanism.estimate(released, "y", given={"x": x}).counts, share)
    with pytest.warns(orr_release.Filtered, match="given=$") as caught:
        released.groupby("x", dropna=False).apply(lambda part: mechanism.estimate(part, "y").total)
    assert len(caught) == 3


def test_groups_by_two_questions_of_the_same_answers_are_seen():
    answers = ["yes", "no"]
    mechanism = orr_release.kronecker(
        orr_release.Domain({"smokes": answers, "drinks": answers, "x": 2}), [1.0] * 3
    )
    people = pd.DataFrame({"smokes": answers * 500, "drinks": ["yes", "no", "no", "yes"] * 250, "x": 1})
    released = mechanism.perturb(people)
    with pytest.warns(orr_release.Filtered) as caught:
        released.groupby(["smokes", "drinks"]).apply(lambda part: mechanism.estimate(part, "x").total)
    assert len(caught) == 8  # two attributes of each of four groups


def test_missing_values_that_pandas_leaves_out_of_counts_are_missed():
    domain = orr_release.Domain({"ill": ["no", "yes"]}, missing="value")
    mechanism, truth = orr_release.kronecker(domain, [1.0]), pd.DataFrame({"ill": ["no", "yes", None] * 500})
    released = mechanism.perturb(truth)
    with pytest.warns(orr_release.Filtered, match="lack values of 'ill'.*dropna=False"):
        mechanism.estimate(released.value_counts().reset_index(), "ill", counts="count")
    whole = mechanism.estimate(released.value_counts(dropna=False).reset_index(), "ill", counts="count")
    np.testing.assert_array_equal(whole.counts, mechanism.estimate(released, "ill").counts)


ODD = orr_release.Domain({"a": ["NA", "None", "x"], "zip": ["00501", "10001"], "flag": ["True", "False"]})
MISREAD = [
    (
        "a",
        r"missing values in \d+ rows, and a label .* read_csv\(..., dtype={'a': str, 'zip'.*default_na=F",
    ),
    (
        "zip",
        r"type int64, but its declared labels are strings. .* keep .* as it is.*dtype={'a': str, 'zip': str",
    ),
    (
        "flag",
        r"type bool, but its declared labels are strings. .* keep .* as it is.*'zip': str, 'flag': str}",
    ),
]


@pytest.mark.parametrize(("name", "words"), MISREAD)
def test_labels_that_a_reader_changes_are_not_dropped(tmp_path, name, words):
    mechanism, path = orr_release.kronecker(ODD, [1.0] * 3), tmp_path / "released.csv"
    truth = pd.DataFrame({"a": ["NA", "None", "x"] * 100, "zip": ["00501"] * 300, "flag": ["True"] * 300})
    mechanism.perturb(truth).to_csv(path, index=False)
    with pytest.raises((TypeError, ValueError), match=words) as caught:
        mechanism.estimate(pd.read_csv(path, usecols=[name]), name)
    assert "drop" not in str(caught.value)
    options = eval("dict" + re.search(r"read_csv\(\.\.\., (.*)\)", str(caught.value))[1].join("()"))
    assert mechanism.estimate(pd.read_csv(path, usecols=[name], **options), name).total == 300


def test_one_hint_is_enough_for_all_columns(tmp_path):
    labels = {
        "a": ["NA", "x"],
        "zip": ["00501", "10001"],
        "n": 3,
        "empty": ["", "full"],
        "ward": ["01", "02"],
    }
    domain = orr_release.Domain(labels, missing={"a": "value", "n": "value"}, public=["ward", "note"])
    mechanism, path = orr_release.kronecker(domain, [1.0] * 4), tmp_path / "released.csv"
    truth = {"a": ["NA", "x", None], "zip": ["00501", "10001", "00501"], "n": [0, None, 2]}
    truth |= {"empty": ["", "full", ""], "ward": ["01", "02", "01"], "note": ["x", "y", None]}
    mechanism.perturb(pd.concat([pd.DataFrame(truth)] * 100)).to_csv(path, index=False)
    with pytest.raises(TypeError, match="column 'zip' is of type int64") as caught:
        mechanism.estimate(pd.read_csv(path), "zip")
    options = eval("dict" + re.search(r"read_csv\(\.\.\., (.*)\)", str(caught.value))[1].join("()"))
    assert options["dtype"] == dict.fromkeys(["a", "zip", "empty", "ward"], str)
    read = pd.read_csv(path, **options)
    for name in domain.names:
        assert mechanism.estimate(read, name).total == 300
    assert set(read.ward) == {"01", "02"}
    assert read.note.isna().sum() == 100


@pytest.mark.parametrize("level", [1.0, 2.0])
def test_a_label_that_a_reader_takes_for_missing_is_suspected(tmp_path, level):
    domain, path = orr_release.Domain({"a": ["NA", "x"]}, missing="value"), tmp_path / "released.csv"
    mechanism = orr_release.kronecker(domain, [level])
    mechanism.perturb(pd.DataFrame({"a": ["NA", "x", None] * 100})).to_csv(path, index=False)
    with pytest.warns(orr_release.Filtered, match=r"Or a label was taken for missing.*na_values=\[''\]\)"):
        mechanism.estimate(pd.read_csv(path), "a")
    options = {"keep_default_na": False, "na_values": [""]}
    assert mechanism.estimate(pd.read_csv(path, **options), "a").total == 300


@pytest.mark.parametrize("rows", [24, 1000])
def test_a_rare_label_that_looks_like_missing_is_no_alarm(rows):
    mechanism = orr_release.kronecker(
        orr_release.Domain({"zone": ["None", "EU"]}, missing="value"), {"zone": 5.0}
    )
    people = pd.DataFrame({"zone": ["EU", None] * (rows // 2)})
    mechanism.estimate(mechanism.perturb(people), "zone")  # warnings are errors here
    mechanism.estimate(people, "zone")  # as a release may well be, of 24 rows or 1,000


def test_missing_values_of_a_release_are_not_to_be_dropped():
    mechanism = orr_release.kronecker(NAMED, [1.0, 1.0])
    table = pd.DataFrame({"x": ["a", None], "y": [1, 2]})
    with pytest.raises(ValueError, match="had none when it was released: do not drop or fill them"):
        mechanism.estimate(table, "x")
    with pytest.raises(ValueError, match="drop or fill them, or declare"):
        mechanism.perturb(table)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, lambda columns: {"x": "a", "y": 3}])
def test_a_table_with_a_seed_is_warned_of(make):
    mechanism, people = orr_release.kronecker(NAMED, [1.0, 1.0]), make({"x": ["a", "b"], "y": [1, 2]})
    for rng in (7, np.random.default_rng()):
        with pytest.warns(
            orr_release.Seeded, match="a seed or generator of their own.*Leave rng out"
        ) as caught:
            mechanism.perturb(people, rng)
        assert "table" not in str(caught[0].message)
        assert [w.filename for w in caught] == [__file__]
    mechanism.perturb(people)  # warnings are errors here
    mechanism.perturb([[0, 1], [1, 2]], rng=7)


def test_a_table_of_counts_is_estimated_by_its_labels():
    mechanism = orr_release.kronecker(NAMED, [1.0, 2.0])
    rng = np.random.default_rng(3)
    table = pd.DataFrame({"x": rng.choice(["a", "b"], 500), "y": rng.integers(1, 4, 500)})
    counted = table.value_counts().reset_index(name="n")
    found = mechanism.estimate(counted, ["x", "y"], counts="n")
    whole = mechanism.estimate(table, ["x", "y"])
    np.testing.assert_allclose(found.counts, whole.counts)
    np.testing.assert_allclose(found.standard_errors, whole.standard_errors)
    array = table.value_counts().unstack().reindex(index=["b", "a"], columns=[1, 2, 3]).to_numpy()
    np.testing.assert_allclose(mechanism.estimate(array, ["x", "y"], counts=True).counts, whole.counts)
