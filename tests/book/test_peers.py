"""What a user would do instead: variances, levels and samplers, each by two paths that must agree."""

from fractions import Fraction
from itertools import combinations, product
from math import exp, log, prod

import numpy as np
import pytest
from scipy.stats import beta, chi2

import orr
from book.census import people
from book.other_methods import Asked, Oracle, adaptive, grr, held, oue, true_shares, variances
from book.repeated_releases import likeliest, majority
from book.rsfd import Hidden, label_for, tuple_chance
from orr_release.sampled import sampled
from tests.chance import EACH, fits, seed

THREE = Fraction(3)  # exp(level), where a level must be exact
COLUMNS = ("sex", "income", "race", "marital", "class_worker", "citizenship", "tax_filer", "education")


# Oracles


def exact(oracle):
    """Chances of all reports of each value at odds of 3, as fractions: {report: chance} for each value."""
    a = oracle.cells
    one_hot = [tuple(int(i == v) for i in range(a)) for v in range(a)]
    if not oracle.unary:
        return [{r: Fraction(3 if r == truth else 1) / (3 + a - 1) for r in one_hot} for truth in one_hot]
    chance = {1: Fraction(1, 2), 0: Fraction(1, 4)}  # of a 1, where the truth is 1 or 0
    rows = list(product((0, 1), repeat=a))
    return [
        {r: prod(chance[t] if b else 1 - chance[t] for b, t in zip(r, truth, strict=True)) for r in rows}
        for truth in one_hot
    ]


@pytest.mark.parametrize("oracle", [grr(3, log(3)), oue(3, log(3)), grr(2, log(3)), oue(4, log(3))])
def test_an_oracle_has_its_level_and_its_noise(oracle):
    chances = exact(oracle)
    assert max(one[r] / other[r] for one in chances for other in chances for r in one) == 3
    for law in chances:
        means = [sum(c * r[v] for r, c in law.items()) for v in range(oracle.cells)]
        variances = [m * (1 - m) for m in means]
        p, q = max(means), min(means)
        assert float(sum(variances) / oracle.cells / (p - q) ** 2) == pytest.approx(oracle.noise, rel=1e-12)


def test_the_adaptive_rule_is_the_librarys():
    """Randomized response up to ``3 exp(epsilon) + 2`` cells, as Tianhao Wang and others derive."""
    for epsilon in (0.5, 1.0, 2.0):
        for cells in range(2, 60):
            assert adaptive(cells, epsilon).unary == (cells > 3 * exp(epsilon) + 2)


# Asking one table


def enumerated(oracle, truths, share):
    """Variance of the estimated shares given that somebody is asked, mean over cells: all that can happen."""
    chances = exact(oracle)
    p, q = (Fraction(x).limit_denominator(1000) for x in (oracle.p, oracle.q))
    outcomes = [[(None, 1 - share), *((r, share * c) for r, c in chances[v].items())] for v in truths]
    true = [Fraction(truths.count(v), len(truths)) for v in range(oracle.cells)]
    total = weight = 0
    for happened in product(*outcomes):
        told = [r for r, _ in happened if r is not None]
        if told:
            chance = prod(c for _, c in happened)
            shares = [
                (Fraction(sum(r[v] for r in told), len(told)) - q) / (p - q) for v in range(oracle.cells)
            ]
            total += chance * sum((s - t) ** 2 for s, t in zip(shares, true, strict=True)) / oracle.cells
            weight += chance
    return total / weight


def asked_variance(peer, table, truths):
    shares = [np.full(o.cells, 1 / o.cells) for o in peer.oracles]
    shares[table] = np.bincount(truths, minlength=peer.oracles[table].cells) / len(truths)
    return peer.variances(shares, len(truths))[table]


ASKED = [
    (Asked([2, 3], log(3), oracle=grr), 1, [0, 2, 2]),
    (Asked([2, 2, 2], log(3)), 0, [0, 1, 1, 1]),
    (Asked([3, 2], log(3), oracle=oue), 0, [1, 1, 0]),
    (Asked([2, 2], log(3), together=2), 0, [3, 0, 3]),
    (Asked([2, 2, 2], log(3), together=2), 2, [3, 1]),
    (Asked([2, 3], log(3)), 0, [1]),
]


@pytest.mark.parametrize(("peer", "table", "truths"), ASKED)
def test_variance_of_asking_is_what_enumeration_gives(peer, table, truths):
    expected = enumerated(peer.oracles[table], truths, Fraction(1, len(peer.tables)))
    assert asked_variance(peer, table, truths) == pytest.approx(float(expected), rel=1e-12)


def test_a_variance_that_forgets_who_was_asked_is_caught():
    peer, table, truths = ASKED[0]
    forgetful = peer.oracles[table].noise * len(peer.tables) / len(truths)
    expected = float(enumerated(peer.oracles[table], truths, Fraction(1, 2)))
    assert abs(forgetful / expected - 1) > 0.1


# Hiding one answer among fakes


def everything(sizes):
    return list(product(*(range(a) for a in sizes)))


def levels(chance, records, releases):
    """Overall and neighbour levels as odds, from all pairs of records and all releases."""
    k = len(records[0])
    table = {x: [chance(y, x) for y in releases] for x in records}
    overall, neighbours = 1, [1] * k
    for x, other in product(records, repeat=2):
        ratio = max(a / b for a, b in zip(table[x], table[other], strict=True) if b)
        assert all(a == 0 for a, b in zip(table[x], table[other], strict=True) if not b)
        overall = max(overall, ratio)
        differ = [i for i in range(k) if x[i] != other[i]]
        if len(differ) == 1:
            neighbours[differ[0]] = max(neighbours[differ[0]], ratio)
    return overall, neighbours


SKEWED = [[Fraction(1, 6), Fraction(5, 6)], [Fraction(1, 2), Fraction(0), Fraction(1, 2)]]
HIDDEN = [
    ([2, 2], None),
    ([2, 2, 2], None),
    ([3, 3], None),
    ([2, 3], None),
    ([2, 2, 5], None),
    ([2, 3], SKEWED),
]


@pytest.mark.parametrize(("sizes", "fakes"), HIDDEN)
def test_level_of_the_whole_tuple_is_the_amplified_one(sizes, fakes):
    """Exactly, for equal sizes and others, for uniform fakes and others."""
    records = everything(sizes)
    overall, neighbours = levels(lambda y, x: tuple_chance(y, x, sizes, THREE, fakes), records, records)
    assert overall == len(sizes) * (THREE - 1) + 1
    peer = Hidden(sizes, log(3), fakes)
    assert peer.epsilon == pytest.approx(log(overall), rel=1e-12)
    np.testing.assert_allclose(peer.neighbour_epsilons, np.log(np.array(neighbours, dtype=float)), rtol=1e-12)
    if fakes is None:
        assert sum(neighbours) / len(sizes) == THREE  # the label is a mean of odds
        assert (max(neighbours) == THREE) == (len(set(sizes)) == 1)


def test_with_a_fake_that_is_never_drawn_the_release_names_the_question():
    *_, last = Hidden([2, 3], log(3), SKEWED).neighbour_epsilons
    assert last == pytest.approx(log(5))


def test_bit_by_bit_the_label_is_the_neighbour_level_for_all_sizes():
    sizes, label = [2, 3], log(3)
    peer = Hidden(sizes, label, adaptive=True)
    peer.oracles = [oue(a, peer.epsilon) for a in sizes]
    E = 2 * (THREE - 1) + 1
    bit = {True: Fraction(1, 2), False: 1 / (E + 1)}

    def report(bits, value):
        return prod(bit[v == value] if b else 1 - bit[v == value] for v, b in enumerate(bits))

    def chance(y, x):
        return (report(y[0], x[0]) * report(y[1], None) + report(y[0], None) * report(y[1], x[1])) / 2

    rows = list(product(*(product((0, 1), repeat=a) for a in sizes)))
    overall, neighbours = levels(chance, everything(sizes), rows)
    assert overall == E
    assert neighbours == [THREE, THREE]
    np.testing.assert_allclose(peer.neighbour_epsilons, label, rtol=1e-12)


@pytest.mark.parametrize(("sizes", "fakes"), HIDDEN)
def test_attribute_levels_and_variances_of_fakes(sizes, fakes):
    k, peer = len(sizes), Hidden(sizes, log(3), fakes)
    truths = [everything(sizes)[i] for i in (0, -1, -1)]
    shares = true_shares(np.array(truths), sizes, peer.tables)
    for i, a in enumerate(sizes):
        records = [tuple(v if j == i else 0 for j in range(k)) for v in range(a)]
        law = [
            [
                sum(tuple_chance(y, x, sizes, THREE, fakes) for y in everything(sizes) if y[i] == v)
                for v in range(a)
            ]
            for x in records
        ]
        top = max(one[v] / other[v] for one in law for other in law for v in range(a))
        assert peer.epsilons[i] == pytest.approx(log(top), rel=1e-12)
        slope = law[0][0] - law[1][0]
        variances = [
            sum(law[x[i]][v] * (1 - law[x[i]][v]) for x in truths) / (3 * slope) ** 2 for v in range(a)
        ]
        expected = float(sum(variances) / a)
        assert peer.variances(shares, 3)[i] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("sizes", [[2] * 4, [3] * 5, [2, 2, 5, 7], [2, 2, 5, 7, 9, 5, 6, 17]])
@pytest.mark.parametrize("label", [0.5, 1.0, 3.0])
def test_the_optimum_with_the_same_flips_has_a_smaller_level(sizes, label):
    """RS+FD is a symmetric mechanism, so it cannot be better; it loses the pairs, too."""
    peer = Hidden(sizes, label)
    assert orr.optimal(sizes, peer.epsilons).epsilon < peer.epsilon
    assert Hidden(sizes, label_for(2.0, len(sizes))).epsilon == pytest.approx(2.0)


# The mechanisms of the package, and a holder whom all trust


@pytest.mark.parametrize("make", [orr.kronecker, orr.optimal])
@pytest.mark.parametrize("table", [(0,), (2,), (0, 1), (1, 2)])
def test_noise_is_that_of_the_inverse_channel(make, table):
    mechanism = make([2, 3, 4], [1.0, 1.5, 2.0])
    cells = np.ravel_multi_index(
        np.indices(mechanism.sizes)[list(table)].reshape(len(table), -1), mechanism.sizes[list(table)]
    )
    member = cells == np.arange(cells.max() + 1)[:, None]
    channel = member @ mechanism.matrix() @ member.T / member.sum(axis=1)
    inverse = np.linalg.inv(channel)
    for truth in range(len(channel)):
        expected = (inverse**2 @ channel)[:, truth] - (inverse @ channel)[:, truth] ** 2
        (found,) = variances(mechanism, [table], [np.arange(len(channel)) == truth], 10)
        assert found == pytest.approx(expected.mean() / 10, rel=1e-9)


def test_a_pair_that_is_lost_has_infinite_noise():
    assert variances(orr.optimal([2] * 3, [0.5] * 3), [(0, 1)], [np.full(4, 1 / 4)], 10) == [np.inf]
    assert variances(sampled([2, 3], 1.0, 1), [(0, 1)], [np.full(6, 1 / 6)], 10) == [np.inf]


def test_sampling_one_attribute_is_asking_it():
    sizes, people = [2, 3, 4], 10**6
    truths = [np.array([0.9, 0.1]), np.array([0.5, 0.2, 0.3]), np.array([0.7, 0.3, 0.0, 0.0])]
    peer = Asked(sizes, 2.0, oracle=grr)
    np.testing.assert_allclose(
        variances(sampled(sizes, 2.0, 1), peer.tables, truths, people),
        peer.variances(truths, people),
        rtol=1e-5,
    )


@pytest.mark.statistical
def test_variance_of_a_sampled_release_is_what_its_estimates_have():
    """Bound the mean squared error as if all of it were in one normal direction, the worst case."""
    mechanism, table = sampled([2, 3, 4], 3.0, 2), (0, 1)
    records = np.random.default_rng(6).integers([1, 2, 4], size=(1000, 3))
    truths = true_shares(records, mechanism.sizes, [table])
    rng, runs = np.random.default_rng(seed(7)), 400
    found = [
        mechanism.estimate(mechanism.perturb(records, rng), table).proportions.ravel() for _ in range(runs)
    ]
    (expected,) = variances(mechanism, [table], truths, len(records))
    low, high = chi2.ppf([EACH / 2, 1 - EACH / 2], runs) / runs  # 0.64 and 1.46
    assert low < np.mean((np.array(found) - truths[0]) ** 2) / expected < high


@pytest.mark.parametrize("together", [1, 2])
def test_a_trusted_holder_adds_what_the_tables_need(together):
    sizes, epsilon = [2, 3, 2], 1.5
    tables = list(combinations(range(3), together))
    one_each = [np.concatenate(true_shares(np.array([x]), sizes, tables)) for x in everything(sizes)]
    moved = max(abs(x - y).sum() for x, y in combinations(one_each, 2))
    a, x = exp(-epsilon / moved), np.arange(-2000, 2001)
    law = (1 - a) / (1 + a) * a ** abs(x)
    assert held(tables, epsilon, 50) == pytest.approx((law * x**2).sum() / 50**2, rel=1e-9)
    assert (
        abs(held(tables, epsilon, 50) * 50**2 / (law * abs(x)).sum() ** 2 - 1) > 0.1
    )  # and not another mean


# Samplers


DRAWS = 40_000


class Sloppy(Oracle):
    """Draws the other value from all values."""

    def bits(self, values, rng):
        drawn = np.where(rng.random(len(values)) < self.p, values, rng.integers(self.cells, size=len(values)))
        return drawn[:, None] == np.arange(self.cells)


@pytest.mark.statistical
@pytest.mark.parametrize("oracle", [grr(4, 1.0), oue(4, 1.0), grr(2, 0.3)])
def test_oracles_draw_what_they_say(oracle):
    bits = oracle.bits(np.full(DRAWS, 1), np.random.default_rng(seed(1)))
    assert fits(bits.sum(axis=0), DRAWS, np.where(np.arange(oracle.cells) == 1, oracle.p, oracle.q)).all()
    assert oracle.unary or (bits.sum(axis=1) == 1).all()


@pytest.mark.statistical
def test_a_sloppy_oracle_is_caught():
    oracle = grr(4, 1.0)
    bits = Sloppy(*vars(oracle).values()).bits(np.full(DRAWS, 1), np.random.default_rng(seed(1)))
    assert not fits(bits.sum(axis=0), DRAWS, [oracle.q, oracle.p, oracle.q, oracle.q]).all()


@pytest.mark.statistical
@pytest.mark.parametrize("together", [1, 2])
def test_every_table_is_asked_as_often(together):
    peer = Asked([2, 3, 2], 1.0, together)
    released = peer.release(np.tile([1, 2, 0], (DRAWS, 1)), np.random.default_rng(seed(2)))
    share = 1 / (1 + len(released))
    assert fits([len(bits) for bits in released], DRAWS, 1 / len(released), share).all()
    truths = true_shares(np.array([[1, 2, 0]]), peer.sizes, peer.tables)
    for bits, o, truth in zip(released, peer.oracles, truths, strict=True):
        assert fits(bits.sum(axis=0), len(bits), np.where(truth == 1, o.p, o.q), share).all()


@pytest.mark.statistical
@pytest.mark.parametrize(("sizes", "fakes"), HIDDEN)
def test_tuples_with_fakes_are_drawn_as_defined(sizes, fakes):
    truth, releases = [a - 1 for a in sizes], everything(sizes)
    bits = Hidden(sizes, log(3), fakes).release(np.tile(truth, (DRAWS, 1)), np.random.default_rng(seed(3)))
    seen = np.ravel_multi_index([b.argmax(axis=1) for b in bits], sizes)
    counts = np.bincount(seen, minlength=len(releases))
    for odds in (THREE, Fraction(6)):  # which would pass with a chance below 1e-15
        chances = [float(tuple_chance(y, truth, sizes, odds, fakes)) for y in releases]
        assert fits(counts, DRAWS, chances).all() == (odds == THREE)


@pytest.mark.statistical
def test_fakes_of_no_value_are_drawn_bit_by_bit():
    peer = Hidden([2, 5], 3.0, adaptive=True)
    assert all(o.unary for o in peer.oracles)
    released = peer.release(np.tile([1, 4], (DRAWS, 1)), np.random.default_rng(seed(5)))
    for bits, o in zip(released, peer.oracles, strict=True):
        assert fits(bits.sum(axis=0), DRAWS, [*[o.q] * (o.cells - 1), (o.p + o.q) / 2], 0.5).all()


def test_estimates_are_right_on_average():
    """From the expected bits of a table they give its true shares."""
    records = np.array([[0, 2], [1, 2], [1, 0], [1, 1]])
    for peer in (
        Asked([2, 3], 1.0),
        Asked([2, 3], 1.0, 2),
        Hidden([2, 3], 1.0),
        Hidden([2, 3], 3.0, adaptive=True),
    ):
        truths = true_shares(records, peer.sizes, peer.tables)
        expected = [(o.q + (o.p - o.q) * t)[None] for o, t in zip(peer.oracles, truths, strict=True)]
        if isinstance(peer, Hidden):
            expected = [(e + g) / 2 for e, g in zip(expected, peer.fakes, strict=True)]
        for found, truth in zip(peer.estimate(expected), truths, strict=True):
            np.testing.assert_allclose(found, truth, atol=1e-12)


# The library itself


def seed_library(seed):
    """Seed both of the generators that it draws from: NumPy's old one, and Numba's copy of that."""
    np.random.seed(seed)  # noqa: NPY002
    pytest.importorskip("numba").njit(lambda number: np.random.seed(number))(seed)  # noqa: NPY002


@pytest.mark.statistical
def test_the_librarys_client_has_the_amplified_level():
    """Its level at label 1 is above 1.2: it is 2.06, and the lower bound 7 standard errors above 1.2."""
    client = pytest.importorskip("multi_freq_ldpy.mdim_freq_est.RSpFD_solution").RSpFD_GRR_Client
    seed_library(seed(7) % 2**32)
    n, sizes = 20_000, [2] * 4
    counts = []
    for truth in ([0] * 4, [1] * 4):
        numbers = [int("".join(map(str, client(truth, sizes, 4, 1.0))), 2) for _ in range(n)]
        counts.append(np.bincount(numbers, minlength=16))
        chances = [tuple_chance(y, truth, sizes, exp(1)) for y in everything(sizes)]
        assert fits(counts[-1], n, chances, 1 / 3).all()
    likely = beta.ppf(EACH / 6, counts[0][0], n - counts[0][0] + 1)
    unlikely = beta.isf(EACH / 6, counts[1][0] + 1, n - counts[1][0])
    assert 1.2 < log(likely / unlikely) < Hidden(sizes, 1.0).epsilon


@pytest.mark.parametrize("name", ["GRR", "ADP"])
def test_the_librarys_aggregators_agree_with_ours(name):
    """They clip at 0 and divide by the sum, else nothing differs."""
    library = pytest.importorskip("multi_freq_ldpy.mdim_freq_est.RSpFD_solution")
    sampling = pytest.importorskip("multi_freq_ldpy.mdim_freq_est.SMP_solution")
    records, labels = people("sex", "marital", "education")
    rows, sizes = records[:2000].tolist(), [len(values) for values in labels]

    def bits(reports, a):
        reports = np.array(reports)
        return reports if reports.ndim == 2 else reports[:, None] == np.arange(a)

    def same(ours, theirs):
        for one, other in zip(ours, theirs, strict=True):
            clipped = one.clip(0)
            np.testing.assert_allclose(clipped / clipped.sum(), np.array(other, dtype=float), atol=1e-12)

    client, aggregator = (getattr(library, f"RSpFD_{name}_{what}") for what in ("Client", "Aggregator_MI"))
    tuples = [client(row, sizes, 3, 1.0) for row in rows]
    ours = Hidden(sizes, 1.0, adaptive=name == "ADP")
    same(
        ours.estimate([bits([t[j] for t in tuples], a) for j, a in enumerate(sizes)]),
        aggregator(tuples, sizes, 3, 1.0),
    )

    client, aggregator = (getattr(sampling, f"SMP_{name}_{what}") for what in ("Client", "Aggregator_MI"))
    answers = [client(row, sizes, 3, 1.0) for row in rows]
    peer = Asked(sizes, 1.0, oracle=adaptive if name == "ADP" else grr)
    told = [bits([v for i, v in answers if i == j], a) for j, a in enumerate(sizes)]
    same(peer.estimate(told), aggregator(answers, sizes, 3, 1.0))


# Many releases of the same people


def likelihoods(mechanism, releases, person):
    """Log-likelihood of every record, for one person's releases."""
    table = np.log(mechanism.matrix())
    seen = np.ravel_multi_index(releases[:, person].T, mechanism.sizes)
    return table[seen].sum(axis=0)


@pytest.mark.parametrize("make", [orr.kronecker, orr.optimal])
def test_the_climb_finds_the_likeliest_record(make):
    mechanism = make([2, 2, 3], [1.0, 1.0, 1.5])
    truth = np.random.default_rng(4).integers(mechanism.sizes, size=(300, 3))
    releases = np.stack([mechanism.perturb(truth, rng=seed) for seed in range(9)])
    guesses, votes = likeliest(mechanism, releases), majority(releases, mechanism.sizes)
    best = climbed = 0
    for person in range(300):
        values = likelihoods(mechanism, releases, person)
        at = [values[np.ravel_multi_index(g[person], mechanism.sizes)] for g in (guesses, votes)]
        assert at[0] >= at[1] - 1e-9
        best += at[0] > values.max() - 1e-9
        climbed += at[0] > at[1] + 1e-9
    assert best >= 270  # nine of ten
    assert (climbed > 0) == (make is orr.optimal)  # for Kronecker the majority is the likeliest


def test_who_knows_the_shares_guesses_better():
    records, labels = people(*COLUMNS)
    records, sizes = records[:2000], [len(values) for values in labels]
    mechanism = orr.kronecker(sizes, [0.5] * 8)
    releases = np.stack([mechanism.perturb(records, rng=seed) for seed in range(20)])
    shares = true_shares(records, sizes, [(i,) for i in range(8)])
    plain, better = (np.mean(likeliest(mechanism, releases, s) == records) for s in (None, shares))
    assert plain == np.mean(majority(releases, sizes) == records)
    assert plain < 0.55 < 0.65 < better


@pytest.mark.statistical
def test_twenty_releases_give_people_away():
    """Bound the shares of records found by Hoeffding's inequality; 20,000 people give 0.25 and 0.68."""
    records, labels = people(*COLUMNS)
    records, sizes = records[:2000], [len(values) for values in labels]
    best = orr.allocate(4.0, sizes, [1] * 8)
    releases = np.stack([best.perturb(records, rng=seed(i)) for i in range(20)])
    voted = (majority(releases, sizes) == records).all(axis=1)
    climbed = (likeliest(best, releases) == records).all(axis=1)
    margin = np.sqrt(log(4 / EACH) / (2 * len(records)))  # 0.073
    np.testing.assert_allclose([voted.mean(), climbed.mean()], [0.25, 0.68], atol=margin + 0.01)
    kept = np.stack([releases[0]] * 20)  # the remedy: answer once, keep the answer
    assert (majority(kept, sizes) == releases[0]).all()
