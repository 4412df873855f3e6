"""The plan before a release: standard errors from the definition, verdicts, and warnings that name tables."""

import math
import sys
from fractions import Fraction
from html.parser import HTMLParser
from itertools import combinations, pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import orr
import orr_release
from orr_release.plan import MAX_PAIRS, Plan, Row, plan
from tests.common import examples, flip_sets, problems, times

SIZES, LEVELS = [2, 3, 4], [1.0, 1.5, 2.0]
MAKERS = {
    "kronecker": orr_release.kronecker,
    "optimal": orr_release.optimal,
    "guarded": lambda sizes, levels: orr_release.guarded(sizes, levels, 0.25),
}


def channel(matrix, sizes, table):
    """Channel from true to released values of some attributes, from the whole matrix."""
    values = np.indices(tuple(sizes)).reshape(len(sizes), -1)[list(table)]
    shape = tuple(sizes[i] for i in table)
    cells = np.ravel_multi_index(tuple(values), shape)
    member = (cells == np.arange(np.prod(shape))[:, None]).astype(float)
    return member @ matrix @ member.T / member.sum(axis=1)


def variances(forward):
    """Mean over cells of the variance of one record's unbiased proportions, for every true cell."""
    back = np.linalg.inv(forward)
    means, squares = back @ forward, back**2 @ forward
    return (squares - means**2).mean(axis=0)


def check_row(row, mechanism, table, n):
    """A row says what enumeration says, whatever the truth."""
    seen = variances(channel(mechanism.mechanism.matrix(), mechanism.sizes.tolist(), table))
    np.testing.assert_allclose(np.sqrt(seen / n), row.standard_error, rtol=1e-6)
    assert row.cells == math.prod(mechanism.sizes[list(table)].tolist())
    factors = np.linalg.eigvalsh(channel(mechanism.mechanism.matrix(), mechanism.sizes.tolist(), table))
    np.testing.assert_allclose(np.abs(factors).min(), row.factor, rtol=1e-6)


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
@examples(15)
@given(problem=problems(min_k=2, max_k=3, max_size=4, min_level=0.3), n=st.integers(1, 10**9))
def test_errors_are_those_of_the_definition(make, problem, n):
    mechanism = make(*problem)
    rows = plan(mechanism, n).tables
    tables = [(i,) for i in range(len(problem[0]))] + list(combinations(range(len(problem[0])), 2))
    assert [row.attributes for row in rows] == tables
    for row, table in zip(rows, tables, strict=True):
        if row.factor > 1e-6:  # below, the inverse of the matrix has no digits to compare with
            check_row(row, mechanism, table, n)


class Exact:
    """A flip law in fractions, and the noise of its tables by enumeration of what may be released."""

    places = staticmethod(list)

    def __init__(self, sizes, chances):
        total = sum(chances)
        self.sizes, self.names = np.array(sizes), range(len(sizes))
        self.law = {s: Fraction(c, total) for s, c in zip(flip_sets(len(sizes)), chances, strict=True)}

    def rho(self, chosen):
        """Mean of the product of 1 - B / p."""
        factor = {i: 1 - Fraction(int(self.sizes[i]), int(self.sizes[i]) - 1) for i in chosen}
        return sum(
            c * math.prod((factor[i] for i in chosen if i in s), start=Fraction(1))
            for s, c in self.law.items()
        )

    def noise(self, table):
        """Smallest factor, and the mean variance of a cell for one record whose values are all 0."""
        sizes = [int(self.sizes[i]) for i in table]
        rho = {c: self.rho([table[i] for i in c]) for c in flip_sets(len(table))}
        if not all(rho.values()):
            return 0.0, math.inf
        cells = list(product(*map(range, sizes)))

        def weight(u, v):
            terms = (
                math.prod((sizes[i] * (u[i] == v[i]) - 1 for i in c), start=Fraction(1)) / rho[c] for c in rho
            )
            return sum(terms) / math.prod(sizes)

        released = {u: Fraction(0) for u in cells}
        for flips, chance in self.law.items():
            here = [j for j, i in enumerate(table) if i in flips]
            for u in cells:
                if [j for j, x in enumerate(u) if x] == here:
                    released[u] += chance / times(sizes, here)
        means = {v: sum(p * weight(u, v) for u, p in released.items()) for v in cells}
        assert means == {v: Fraction(not any(v)) for v in cells}  # without bias, to the last digit
        second = sum(p * weight(u, v) ** 2 for u, p in released.items() for v in cells)
        return float(min(map(abs, rho.values()))), (second - 1) / len(cells)


@examples(20)
@given(
    sizes=st.lists(st.integers(2, 4), min_size=2, max_size=3),
    data=st.data(),
)
def test_the_noise_theorem_in_fractions(sizes, data):
    k = len(sizes)
    law = Exact(sizes, data.draw(st.lists(st.integers(1, 9), min_size=2**k, max_size=2**k)))
    for table in ((0,), (0, 1)):
        sets = [c for c in flip_sets(len(table)) if c]
        rho = {c: law.rho(c) for c in sets}
        if not all(rho.values()):
            continue
        formula = (
            sum(times(sizes, c) * (rho[c] ** -2 - 1) for c in sets) / math.prod(sizes[i] for i in table) ** 2
        )
        assert law.noise(table)[1] == formula
        row = plan(law, 7, tables=[table]).tables[-1 if len(table) > 1 else 0]
        assert row.standard_error == pytest.approx(math.sqrt(formula / 7), rel=1e-12)


def without_root(row):
    """Mutant: the variance in place of its root."""
    return Row(row.attributes, row.cells, row.factor, row.standard_error**2)


def of_counts(row):
    """Mutant: the error of a count, not of a proportion."""
    return Row(row.attributes, row.cells, row.factor, 1000 * row.standard_error)


def summed(row):
    """Mutant: the sum over cells in place of the mean."""
    return Row(row.attributes, row.cells, row.factor, row.standard_error * math.sqrt(row.cells))


def largest(row):
    """Mutant: the largest factor, which is that of the whole table."""
    return Row(row.attributes, row.cells, 1.0, row.standard_error)


@pytest.mark.parametrize("mutant", [without_root, of_counts, summed, largest])
def test_check_catches_mutants(mutant):
    mechanism = orr_release.optimal(SIZES, LEVELS)
    row = plan(mechanism, 1000).two_way[1]
    check_row(row, mechanism, (0, 2), 1000)
    with pytest.raises(AssertionError):
        check_row(mutant(row), mechanism, (0, 2), 1000)


@pytest.mark.parametrize(
    ("error", "verdict"),
    [
        (0.0, "good"),
        (0.025, "good"),
        (0.0251, "rough"),
        (0.125, "rough"),
        (0.126, "useless"),
        (1e9, "useless"),
        (math.inf, "impossible"),
    ],
)
def test_verdicts(error, verdict):
    assert Row((0, 1), 4, 0.5, error).verdict == verdict


def test_more_people_never_make_it_worse():
    mechanism = orr_release.allocate(2.0, [2, 2, 5, 7])
    order = ["good", "rough", "useless", "impossible"]
    ranks = [
        [order.index(row.verdict) for row in mechanism.plan(n).tables] for n in (10, 10**3, 10**5, 10**9)
    ]
    for few, many in pairwise(ranks):
        assert all(a >= b for a, b in zip(few, many, strict=True))
    assert max(ranks[0]) == 2
    assert min(ranks[-1]) == 0


def test_lost_pairs_are_named_before_the_release():
    domain = orr_release.Domain({"a": 3, "b": 3, "c": 3, "d": 3})
    lost = orr_release.allocate(1.0, domain)
    with pytest.raises(orr.NotRecoverable):
        lost.estimate(lost.perturb(np.zeros((5, 4), dtype=int), rng=1), [0, 1])
    found = lost.plan(10**6)
    assert all(row.verdict == "impossible" and row.factor == 0 for row in found.two_way)
    (sentence,) = found.warnings
    assert sentence.startswith("Impossible, however many people there are: a x b, a x c")
    (sentence,) = orr_release.allocate(1.0, [2, 2, 5, 7]).plan(299_285).warnings
    assert sentence.startswith("Useless with 299,285 people: ")
    assert "0 x 2 (" in sentence
    assert orr_release.kronecker([2, 2], [3.0, 3.0]).plan(10**6).warnings == []


def test_sampled_pairs_that_nobody_is_asked_are_impossible():
    found = orr_release.sampled([3] * 4, 2.0, 1).plan(1000)
    assert {row.verdict for row in found.two_way} == {"impossible"}
    assert "impossible" not in {row.verdict for row in found.one_way}


def test_names_and_tables():
    domain = orr_release.Domain({"sex": ["F", "M"], "race": 3, "job": 4})
    mechanism = orr_release.kronecker(domain, LEVELS)
    found = mechanism.plan(500, tables=[("job", "sex"), "race", (0, 1, 2), ("job", "sex")])
    names = [row.attributes for row in found.tables]
    assert names == [("sex",), ("race",), ("job",), ("job", "sex"), ("sex", "race", "job")]
    assert found.two_way[0].cells == 8
    by_number = orr_release.kronecker(SIZES, LEVELS).plan(500, tables=[(2, 0)])
    assert by_number.two_way[0].standard_error == found.two_way[0].standard_error
    assert "job x sex" in repr(found)


@pytest.mark.parametrize(
    ("tables", "error", "words"),
    [
        ("sex", TypeError, "tables = 'sex' must be a list of tables"),
        (3, TypeError, "tables = 3 must be a list"),
        ([("sex", "age")], ValueError, "no attribute 'age'"),
        ([("sex", "sex")], ValueError, "1 to 8 different attributes"),
        ([()], ValueError, "1 to 8 different attributes"),
        ([(0, 9)], ValueError, "attribute 9 does not exist"),
        ([(0, True)], TypeError, "True is not"),
        ([1.5], TypeError, "1.5 is not"),
    ],
)
def test_bad_tables(tables, error, words):
    domain = orr_release.Domain({"sex": ["F", "M"], "race": 3, "job": 4})
    with pytest.raises(error, match=words):
        orr_release.kronecker(domain, LEVELS).plan(500, tables=tables)


@pytest.mark.parametrize(
    ("n", "error"), [(0, ValueError), (-3, ValueError), (1.5, TypeError), (True, TypeError), ("9", TypeError)]
)
def test_bad_numbers_of_people(n, error):
    with pytest.raises(error, match=r"n = .* must be a number of people"):
        orr_release.kronecker(SIZES, LEVELS).plan(n)


def test_too_many_pairs_are_not_listed():
    k = math.isqrt(2 * MAX_PAIRS) + 2
    found = orr_release.kronecker([2] * k, [1.0] * k).plan(100)
    assert (len(found.tables), found.unlisted) == (k, math.comb(k, 2))
    assert f"plan(100, tables=[{(0, 1)!r}])" in found.warnings[-1]
    assert len(repr(found).splitlines()) < 20
    asked = orr_release.kronecker([2] * k, [1.0] * k).plan(100, tables=[(3, 9)])
    assert (len(asked.tables), asked.unlisted) == (k + 1, 0)
    assert all("not listed" not in sentence for sentence in asked.warnings)


def test_the_worst_of_many_are_shown():
    found = orr_release.optimal([2, 2, 5, 7, 9, 5, 6, 17], [1.0] * 8).plan(1000)
    assert "The 12 worst of 28 two-way tables" in repr(found)
    shown = found._repr_html_()
    worst = max(found.two_way, key=lambda row: row.standard_error * row.cells)
    best = min(found.two_way, key=lambda row: row.standard_error * row.cells)
    assert f">{worst.name}<" in shown
    assert f">{best.name}<" not in shown


def test_frames():
    found = orr_release.kronecker(orr_release.Domain({"sex": ["F", "M"], "job": 4}), [1.0, 2.0]).plan(1000)
    frame = found.to_frame()
    assert frame["attribute"].tolist() == ["sex", "job"]
    assert frame["standard error"].tolist() == [row.standard_error for row in found.one_way]
    for backend, kind in (("polars", "polars"), ("pyarrow", "pyarrow")):
        pairs = found.to_frame(ways=2, kind=backend)
        assert type(pairs).__module__.startswith(kind)
    assert pairs.column("attribute 2").to_pylist() == ["job"]
    with pytest.raises(ValueError, match="ways = 3: this plan has tables of 1, 2 attributes"):
        found.to_frame(ways=3)


def test_frames_need_narwhals(monkeypatch):
    monkeypatch.setitem(sys.modules, "narwhals", None)
    with pytest.raises(ImportError, match=r'pip install "\.\[release\]"'):
        orr_release.kronecker(SIZES, LEVELS).plan(10).to_frame()


class Cells(HTMLParser):
    """The headers of a table and their scopes, and every tag."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.scopes = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag == "th":
            self.scopes.append(dict(attrs).get("scope"))


def test_the_table_can_be_read_aloud_and_names_do_no_harm():
    domain = orr_release.Domain({"<script>alert(1)</script>": 2, "b & c": 3})
    shown = orr_release.kronecker(domain, [1.0, 1.0]).plan(10)._repr_html_()
    cells = Cells(shown)
    assert "script" not in cells.tags
    assert cells.tags.count("caption") == 1
    assert cells.scopes == ["col"] * 6 + ["row"] * 3
    assert "b &amp; c" in shown


def test_one_person_and_one_attribute():
    found = orr_release.kronecker([2], [1.0]).plan(np.int64(1))
    assert isinstance(found, Plan)
    assert repr(found).startswith("Plan for 1 person\n")
    assert found.two_way == []
