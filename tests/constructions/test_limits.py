"""Legal input that used to crash, to take all memory or to be refused; time limits."""

import dataclasses
import math
from itertools import product

import numpy as np
import pytest

import orr
from book.genomes import draw_tables
from orr.laws.ball import Ball
from orr.laws.ball_mixture import BallMixture
from orr.laws.product import Product
from orr.laws.split import SplitLaw
from orr.optimum.verify import lower_bound
from orr.problem import Problem
from orr_audit import audit
from tests.common import brute_levels, flip_sets, some_slow

HUGE = {
    "tiny weights beside a large one": ([2] * 4, [1e-9] * 3 + [30.0]),
    "the same, less extreme": ([2, 2, 2], [1e-7, 1e-7, 30.0]),
    "many values": ([10**6, 10**6, 10], [1e-10, 1e-10, 6.54]),
    "the highest level beside low ones": ([2, 2, 2], [700.0, 0.001, 0.001]),
    "a weight that cancels": ([10, 10, 4, 10**4], [20.0, 20.0, 40.0, 1e-12]),
    "an attribute that is hardly told": ([1000, 1000, 3, 10**6], [18.0, 18.0, 36.0, 1e-10]),
    "rows that HiGHS takes for infinite": ([853686] * 4, [10.7, 4.3, 0.0027, 146.0]),
    "chances too small for scipy": ([2, 10**6, 2, 2], [700.0, 700.0, 699.9999370693163, 700.0]),
    "two attributes hardly told": ([287285] * 2, [6.211600219794944e-12, 1.1466228572551606e-12]),
    "flips at the highest levels": (
        [10**6, 2, 10**6, 2],
        [699.9999898298947, 699.9999548601164, 700.0, 699.9998912552838],
    ),
}


@pytest.mark.parametrize(
    ("name", "limit"), some_slow([*product(HUGE, (None, 1e-9))], ("rows that HiGHS takes for infinite", None))
)
def test_every_legal_input_is_answered(name, limit):
    sizes, levels = HUGE[name]
    best = orr.optimal(sizes, levels, time_limit=limit)
    certificate = best.certificate
    assert 0 < certificate.lower <= certificate.upper <= best.epsilon <= sum(levels) * (1 + 1e-12)
    assert certificate.verify()
    assert audit(certificate)
    for found in (best, orr.guarded(sizes, levels, 0.1, time_limit=limit)):
        assert np.isfinite(found.neighbour_epsilons).all()
        released = found.perturb(np.zeros((50, len(sizes)), dtype=int), 1)
        assert ((released >= 0) & (released < sizes)).all()


@pytest.mark.parametrize("k", [3, 10, 40])
def test_without_time_the_floor_is_proved_and_every_attribute_stands_alone(k):
    rng = np.random.default_rng(k)
    sizes, levels = rng.integers(2, 6, k), rng.uniform(0.5, 3, k)
    hasty = orr.optimal(sizes, levels, time_limit=1e-9)
    assert isinstance(hasty.law, Product)
    assert hasty.certificate.verify()
    assert audit(hasty.certificate)
    assert hasty.certificate.lower <= orr.optimal(sizes, levels).certificate.lower
    assert hasty.certificate.lower >= math.nextafter(levels.max(), 0)
    claim = math.nextafter(audit(hasty.certificate).lower, math.inf)
    assert not audit(dataclasses.replace(hasty.certificate, lower=claim))


def test_many_different_attributes_take_neither_all_memory_nor_all_time():
    rng = np.random.default_rng(1)
    sizes, levels = rng.integers(2, 6, 300_000), rng.uniform(0.5, 4, 300_000)
    best = orr.optimal(sizes, levels, time_limit=0.01)
    assert best.certificate.lower > orr.information_floor(sizes, levels)
    assert best.certificate.verify()


def test_progress_is_shown_for_few_attributes_too(capsys):
    sizes, levels = [2, 3, 4, 5], [0.5, 0.4, 0.6, 0.3]
    orr.optimal(sizes, levels, progress=True)
    assert " to " in capsys.readouterr().err
    orr.allocate(1.0, sizes, levels, progress=True)
    assert "levels up to" in capsys.readouterr().err


@pytest.mark.filterwarnings("ignore::orr.Wasteful")  # too little time to spend it all
def test_allocate_stops_in_time_with_something_that_fits():
    for method in (orr.optimal, orr.kronecker, orr.inductive):
        bought = orr.allocate(4.0, [2, 3, 4], [1, 2, 3], method=method, time_limit=1e-9)
        assert 0 < bought.epsilon <= 4
        np.testing.assert_allclose(bought.asked.epsilons / bought.asked.epsilons[0], [1, 2, 3])


@pytest.mark.filterwarnings("ignore::orr.Wasteful")
def test_allocate_without_time_builds_one_mechanism_and_searches_no_scale(monkeypatch):
    built, floors = [], []

    def optimal(sizes, levels, time_limit=None):
        built.append(levels)
        return orr.optimal(sizes, levels, time_limit=time_limit)

    floor = Problem.information_floor.func
    monkeypatch.setattr(Problem, "information_floor", property(lambda p: floors.append(p) or floor(p)))
    bought = orr.allocate(4.0, [2, 3, 4], [1, 2, 3], method=optimal, time_limit=1e-9)
    assert bought.epsilon == pytest.approx(4, abs=1e-6)
    assert len(built) == len(floors) == 1


def test_guarded_without_time_sorts_the_attributes_once_for_itself_and_once_for_the_optimum(monkeypatch):
    sorts, lexsort = [], np.lexsort
    monkeypatch.setattr(np, "lexsort", lambda keys: sorts.append(keys) or lexsort(keys))
    orr.guarded([2, 3, 4, 3], [1.0, 2.0, 3.0, 2.0], 0.1, time_limit=1e-9)
    assert len(sorts) == 2


def test_allocate_says_that_a_program_is_no_mechanism():
    with pytest.raises(TypeError, match=r"must return a mechanism, as orr\.optimal does, got <LinearProgram"):
        orr.allocate(2.0, [2, 3], [1, 1], method=orr.linear_program)


@pytest.mark.parametrize(
    "build",
    [
        lambda: orr.optimal([1000] * 25_000 + [10], [6.0] * 25_000 + [700.0], time_limit=5),
        pytest.param(
            lambda: orr.guarded([2] * 2000 + [3], [6.0] * 2000 + [3.0], 0.5), marks=pytest.mark.slow
        ),
        lambda: orr.guarded([2] * 200 + [3], [6.0] * 200 + [3.0], 0.5),
        lambda: orr.guarded([2, 3, 4], [700.0, 650.0, 600.0], 1e306),
        lambda: orr.guarded([2, 3], [1.0, 1.0], 10**400),
    ],
)
def test_more_legal_input_is_answered(build):
    mechanism = build()
    assert 0 < mechanism.epsilon <= mechanism.epsilons.sum() * (1 + 1e-12)
    assert np.isfinite(mechanism.neighbour_epsilons).all()


@pytest.mark.parametrize(
    "build",
    [
        lambda: orr.optimal([2], [10**400]),
        lambda: orr.optimal([2], [1.0], rel_gap=10**400),
        lambda: orr.optimal([2], [1.0], time_limit=10**400),
        lambda: orr.allocate(10**400, [2], [1]),
        lambda: orr.allocate(5e-324, [2], [1]),
        lambda: orr.allocate(1.0, [2], [10**400]),
    ],
)
def test_numbers_beyond_doubles_are_named(build):
    with pytest.raises(ValueError, match=r"epsilons|rel_gap|time_limit|epsilon|shares"):
        build()


def test_faint_attributes_stand_beside():
    sizes, levels = [2, 3, 2, 2], [1.0, 2.0, 1e-10, 1e-11]
    best = orr.optimal(sizes, levels)
    assert isinstance(best.law, SplitLaw)
    assert best.certificate.weights.tolist()[2:] == [0, 0]
    overall, marginal, neighbour = brute_levels(best.matrix(), tuple(sizes))
    np.testing.assert_allclose(best.epsilon, overall, rtol=1e-12)
    np.testing.assert_allclose(best.epsilons, marginal, rtol=1e-4)  # what a matrix of doubles can tell
    np.testing.assert_allclose(best.neighbour_epsilons, neighbour, rtol=1e-4)
    alone = orr.optimal(sizes[:2], levels[:2])
    for flips in flip_sets(4):
        expected = alone.log_ratio([i for i in flips if i < 2]) + sum(
            levels[i] for i in (2, 3) if i not in flips
        )
        np.testing.assert_allclose(best.log_ratio(flips), expected, rtol=1e-12)
    np.testing.assert_allclose(best.law.rho({0, 2}), alone.law.rho({0}) * best.law.rho({2}), rtol=1e-12)
    assert best.neighbour_exact.all()


@pytest.mark.parametrize("levels", [np.array([0.0, 1.0], np.float16), np.array([1.0, 0.0], np.float32)])
@pytest.mark.parametrize("function", [orr.kronecker, orr.optimal, orr.information_floor, orr.linear_program])
def test_narrow_zeros_are_no_levels(function, levels):
    with pytest.raises(ValueError, match=r"epsilons\[\d\] = 0.0 must be a finite level"):
        function([2, 3], levels)


@pytest.mark.parametrize(
    ("sizes", "levels"),
    [
        (np.array([2, 3], "timedelta64[s]"), [1.0, 1.0]),
        ([2, 3], np.array([1, 1], "timedelta64[s]")),
        ([2, 3], [True, 1.0]),
        ([True, 3], [1.0, 1.0]),
    ],
)
def test_what_is_no_number_is_refused(sizes, levels):
    with pytest.raises(TypeError, match=r"\[0\] = .* must be"):
        orr.kronecker(sizes, levels)


def test_generators_are_read_once():
    assert orr.guarded((a for a in [2, 3]), (e for e in [1.0, 1.0]), 0.1).epsilon < 2


def test_inner_parts_refuse_what_they_cannot_use():
    coins = Problem([2, 2], [1.0, 1.0])
    for weights, states, edge in (
        ([1.0, 1.0], -1, 1.0),
        ([1.0, 1.0], 2, math.nan),
        ([math.nan, 1.0], 2, 1.0),
    ):
        with pytest.raises(ValueError, match="a ball needs weights of at least 0"):
            Ball(coins, np.array(weights), states, edge)
    for weights in ([0.0, 0.0], [math.nan, 1.0], [math.inf, 1.0], [-1.0, 1.0]):
        with pytest.raises(ValueError, match="weights must be finite numbers of at least 0"):
            lower_bound(coins, np.array(weights))
    with pytest.raises(TypeError, match="must be a flip law"):
        orr.Mechanism(None)
    with pytest.raises(ValueError, match=r"people = .* must be an integer between 1 and"):
        draw_tables(3, 10**30)
    with pytest.raises(ValueError, match="rng = -1 must be a seed"):
        draw_tables(3, 10, -1)
    with pytest.raises(ArithmeticError, match="may miss its level"):
        BallMixture(coins, [Ball(coins, np.array([1.0, 1.0]), 2)], np.array([1e-3]))
