"""Sampled mechanisms: forms that are balanced, levels from the definition, estimates that are unbiased."""

import math
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2, norm

import orr
import orr_release
from orr_release import release
from orr_release.sampled import designed
from tests.chance import EACH, seed
from tests.common import examples, problems, some_slow

SIZES = [2, 3, 4, 2]


def whole_matrix(mechanism):
    """Chance of every release, a form and its answers, for every record: from the forms' own matrices."""
    truths = np.indices(mechanism.sizes.tolist()).reshape(len(mechanism.sizes), -1)
    rows = []
    for form, part in mechanism.forms:
        shape = [mechanism.sizes[i] for i in form]
        rows.append(part.matrix()[:, np.ravel_multi_index(truths[list(form)], shape)] / len(mechanism.forms))
    return np.vstack(rows), truths


@pytest.mark.parametrize("answers", [1, 2, 3, 4])
@pytest.mark.parametrize("method", ["optimal", "kronecker"])
def test_levels_follow_from_the_definition(answers, method):
    mechanism = orr_release.sampled(SIZES, 2.5, answers, method=method)
    matrix, truths = whole_matrix(mechanism)
    np.testing.assert_allclose(matrix.sum(axis=0), 1)
    assert np.log((matrix.max(axis=1) / matrix.min(axis=1)).max()) <= mechanism.epsilon <= 2.5
    for i in range(len(SIZES)):
        others = np.delete(truths, i, axis=0)
        same = (others[:, :, None] == others[:, None, :]).all(axis=0)
        neighbour = max(np.log(matrix[:, s].max(axis=1) / matrix[:, s].min(axis=1)).max() for s in same)
        assert neighbour <= mechanism.levels.neighbour_epsilons[i]
        if mechanism.levels.neighbour_exact[i]:
            np.testing.assert_allclose(neighbour, mechanism.levels.neighbour_epsilons[i], atol=1e-9)


def test_all_answers_are_the_construction_itself():
    whole, best = orr_release.sampled(SIZES, 3.0, 4), orr_release.allocate(3.0, SIZES)
    assert len(whole.forms) == 1
    np.testing.assert_allclose(sorted(whole.forms[0][1].epsilons), sorted(best.levels.epsilons), rtol=1e-9)
    for pair in combinations(range(4), 2):
        np.testing.assert_allclose(whole.noise(pair)[1], best.noise(pair)[1], rtol=1e-6)


def test_one_answer_is_smp():
    # Sampling one attribute and spending everything on it: the variance of generalized randomized response.
    mechanism, total = orr_release.sampled(SIZES, 2.0, 1), 2.0
    assert sorted(form for form, _ in mechanism.forms) == [(0,), (1,), (2,), (3,)]
    for i, a in enumerate(SIZES):
        keep, other = np.array([math.exp(total), 1]) / (math.exp(total) + a - 1)
        spread = (1 - 1 / a) / a
        variance = (1 / a) * (1 - 1 / a) / (keep - other) ** 2  # of one answer, under an even truth
        np.testing.assert_allclose(mechanism.noise((i,))[1], len(SIZES) * variance - spread, rtol=1e-5)


@given(st.integers(2, 14), st.data())
@examples(40)
def test_forms_are_balanced(k, data):
    s = data.draw(st.integers(1, k))
    forms = designed(k, s)
    assert len(set(forms)) == len(forms)
    assert all(list(form) == sorted(set(form)) and len(form) == s for form in forms)
    stood = np.bincount(np.concatenate(forms), minlength=k)
    assert stood.min() == stood.max()
    if s > 1:
        assert {pair for form in forms for pair in combinations(form, 2)} == set(combinations(range(k), 2))


def test_many_attributes_are_all_asked():
    forms = designed(300, 7)
    assert set(np.concatenate(forms).tolist()) == set(range(300))


def records(n, sizes=SIZES, seed=3):
    rng = np.random.default_rng(seed)
    first = rng.integers(0, 2, n)
    rest = [np.minimum(rng.integers(0, a, n), rng.integers(0, a, n)) for a in sizes[1:-1]]
    return np.column_stack([first, *rest, (first + (rng.random(n) < 0.2)) % 2])


@pytest.mark.statistical
@pytest.mark.parametrize(
    ("answers", "table"),
    some_slow([(1, [2]), (2, [0, 3]), (3, [1, 2]), (3, [0, 1, 3]), (4, [0, 3])], (3, [1, 2]), (3, [0, 1, 3])),
)
def test_estimates_are_unbiased_with_honest_errors(answers, table):
    check_estimates(answers, table, runs=400)


def check_estimates(answers, table, runs):
    """The mean of many releases is the truth, and its spread what the errors say, as for normal errors."""
    mechanism, truth = orr_release.sampled(SIZES, 4.0, answers), records(2000)
    counts = np.zeros([SIZES[i] for i in table])
    np.add.at(counts, tuple(truth[:, i] for i in table), 1)
    made = [mechanism.estimate(mechanism.perturb(truth, rng=seed(i)), table) for i in range(runs)]
    found, variance = (
        np.array([e.counts for e in made]),
        np.mean([e.standard_errors**2 for e in made], axis=0),
    )
    z = (found.mean(axis=0) - counts) / np.sqrt(variance / runs)
    assert np.abs(z).max() < norm.isf(EACH / 4 / z.size)
    low, high = chi2.ppf([EACH / 4, 1 - EACH / 4], runs) / runs  # as if all errors had one direction
    assert low < ((found - counts) ** 2).sum() / (runs * variance.sum()) < high


@pytest.mark.statistical
def test_the_plan_is_kept():
    mechanism = orr_release.sampled(SIZES, 4.0, 2)
    even = np.column_stack([np.arange(4000) % a for a in (2, 3, 4)] + [np.arange(4000) // 2 % 2])
    row = mechanism.plan(4000).one_way[2]
    errors = [
        mechanism.estimate(mechanism.perturb(even, rng=seed(i)), 2).standard_errors / 4000 for i in range(20)
    ]  # half of the people answer, give or take 0.8% of them, so that the mean of 20 is within 0.2% or so
    np.testing.assert_allclose(np.sqrt(np.mean(np.square(errors))), row.standard_error, rtol=0.02)


@given(problems(max_k=4, max_level=3.0), st.integers(1, 4))
@examples(15)
def test_any_sizes_and_shares(problem, answers):
    sizes, shares = problem
    mechanism = orr_release.sampled(sizes, 2.0, min(answers, len(sizes)), shares=shares)
    assert mechanism.epsilon <= 2.0
    released = mechanism.perturb(np.zeros((50, len(sizes)), dtype=int), rng=1)
    assert ((released >= 0).sum(axis=1) == mechanism.answers).all()
    assert (released < mechanism.sizes).all()


def test_batches_add_up_and_files_come_back():
    domain = orr_release.Domain(
        {"a": 2, "b": ["x", "y", "z"], "c": 4, "d": [False, True]}, missing={"b": "value"}
    )
    mechanism = orr_release.sampled(domain, 4.0, 2)
    labels = [[domain.labels[i][v] for v in column] for i, column in enumerate(records(600).T)]
    table = pd.DataFrame(dict(zip("abcd", labels, strict=True)))
    table.loc[::7, "b"] = None
    released = mechanism.perturb(table)
    assert list(released.columns) == ["a", "b", "c", "d", "form"]
    assert released[["a", "c", "d"]].notna().sum(axis=1).between(1, 2).all()
    whole = mechanism.estimate(released, ["b", "d"])
    halves = [mechanism.estimate(part, ["b", "d"]) for part in (released[:250], released[250:])]
    np.testing.assert_allclose(sum(halves).counts, whole.counts)
    np.testing.assert_allclose(sum(halves).standard_errors, whole.standard_errors)
    again = orr_release.load(mechanism.to_json())
    assert again.sampled
    np.testing.assert_array_equal(
        again.estimate(released[["d", "form", "b"]], ["b", "d"]).counts, whole.counts
    )
    np.testing.assert_array_equal((whole + mechanism.estimate(released[:0], ["b", "d"])).counts, whole.counts)
    with pytest.raises(ValueError, match="600 records, 3 weights"):
        mechanism.estimate(released, "b", weights=[1.0, 2.0, 3.0])
    codes = mechanism.perturb(records(300), rng=4)
    assert mechanism.estimate(codes, [0, 1]).counts.sum() == pytest.approx(300)


BAD = [
    (
        lambda: orr_release.sampled(orr_release.Domain({"form": 2, "y": 3}), 1.0, 1),
        ValueError,
        "may be called 'form'",
    ),
    (
        lambda: orr_release.sampled(orr_release.Domain({"y": 3}, public=["form"]), 1.0, 1),
        ValueError,
        "may be called 'form'",
    ),
    (lambda: orr_release.sampled(SIZES, 1.0, 0), ValueError, "answers = 0 must be between 1 and 4"),
    (lambda: orr_release.sampled(SIZES, 1.0, 5), ValueError, "between 1 and 4, the number of attributes"),
    (lambda: orr_release.sampled(SIZES, 1.0, True), TypeError, "answers = True must be an integer"),
    (lambda: orr_release.sampled(SIZES, 1.0, 1.5), TypeError, "answers = 1.5 must be an integer"),
    (lambda: orr_release.sampled(SIZES, 0.0, 1), ValueError, "epsilon = 0"),
    (lambda: orr_release.sampled(SIZES, "4", 1), TypeError, "epsilon = '4'"),
    (
        lambda: orr_release.sampled(SIZES, 1.0, objective="all"),
        ValueError,
        "objective = 'all' must be one of",
    ),
    (lambda: orr_release.sampled(SIZES, 1.0, method="best"), ValueError, "best"),
    (lambda: orr_release.sampled(SIZES, 1.0, 2, shares=[1, 2]), ValueError, "shares"),
    (lambda: orr_release.sampled([2], 1.0, objective="two-way"), ValueError, "two-way"),
    (
        lambda: orr_release.sampled(SIZES, 1.0, 2).perturb(np.zeros((3, 4), dtype=np.uint8)),
        ValueError,
        "wider type",
    ),
    (
        lambda: orr_release.sampled(SIZES, 1.0, 1).estimate([[0, -1, -1, -1]], [0, 1]),
        orr.NotRecoverable,
        "no form",
    ),
    (
        lambda: orr_release.sampled(SIZES, 1.0, 1).estimate([[0, 0, -1, -1]], 0),
        ValueError,
        "record 0 answers what no",
    ),
    (
        lambda: orr_release.sampled(SIZES, 1.0, 2).estimate(np.ones((2, 3)), [0, 1], counts=True),
        ValueError,
        "counts",
    ),
]


UNEVEN = {(1,): orr.kronecker([3], [1.0]), (0, 1): orr.kronecker([2, 3], [1.0, 1.0])}
BAD += [
    (
        lambda: orr_release.Release([*UNEVEN.values()]),
        TypeError,
        "a mapping from tuples of attributes, got list",
    ),
    (lambda: orr_release.Release(None), TypeError, "must be a Mechanism, or a mapping .*, got NoneType"),
    (lambda: orr_release.Release(UNEVEN, construction=5), TypeError, "construction = 5 must be the name"),
    (
        lambda: orr_release.Release(UNEVEN[0, 1], construction=5),
        TypeError,
        "construction = 5 must be the name",
    ),
]


@pytest.mark.parametrize("forms", [UNEVEN, dict(reversed(UNEVEN.items()))], ids=["short first", "long first"])
def test_answers_of_uneven_forms_are_those_of_the_longest(forms):
    uneven = orr_release.Release(forms)
    assert uneven.answers == 2
    assert repr(uneven).startswith("<Release: 2 of 2 attributes, 2 forms")
    assert orr_release.load(uneven.to_json()) == uneven
    released = uneven.perturb(np.zeros((200, 2), dtype=int), rng=seed(3))
    assert set((released >= 0).sum(axis=1)) == {1, 2}


@pytest.mark.parametrize(("make", "error", "message"), BAD)
def test_mistakes_are_named(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_a_form_that_is_mistaken_is_caught(monkeypatch):
    """The mutant takes every record for one of the first form that asks the table."""
    numbers = release.form_numbers
    asks = [n for n, (form, _) in enumerate(orr_release.sampled(SIZES, 4.0, 3).forms) if {0, 3} <= set(form)]

    def mistaken(*args):
        found = numbers(*args)
        return np.where(np.isin(found, asks), asks[0], found)

    monkeypatch.setattr(release, "form_numbers", mistaken)
    with pytest.raises(AssertionError):
        check_estimates(3, [0, 3], runs=200)
