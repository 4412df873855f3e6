"""Legal input that used to crash, to take all memory or to be refused; time limits; claims that are false."""

import copy
import dataclasses
import math
import pickle

import numpy as np
import pytest

import orr
from orr.book.genomics import draw_tables
from orr.laws.ball import Ball
from orr.laws.balls import Balls
from orr.laws.beside import Beside
from orr.laws.product import Product
from orr.optimum.decimals import DOWN, above_one, decimal, log1p
from orr.optimum.realised import ONE, alias_law, chance, highest, kinds_of
from orr.optimum.verify import lower_bound
from orr.problem import Problem
from tests.common import brute_levels, flip_sets

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


@pytest.mark.parametrize("limit", [None, 1e-9])
@pytest.mark.parametrize("name", HUGE)
def test_every_legal_input_is_answered(name, limit):
    sizes, levels = HUGE[name]
    best = orr.optimal(sizes, levels, time_limit=limit)
    certificate = best.certificate
    assert 0 < certificate.lower <= certificate.upper <= best.epsilon <= sum(levels) * (1 + 1e-12)
    assert certificate.verify()
    assert certificate.verify(exact=True)
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
    assert hasty.certificate.verify(exact=True)
    assert hasty.certificate.lower <= orr.optimal(sizes, levels).certificate.lower
    assert hasty.certificate.lower >= math.nextafter(levels.max(), 0)
    claim = math.nextafter(hasty.certificate.verify(exact=True).lower, math.inf)
    assert not dataclasses.replace(hasty.certificate, lower=claim).verify(exact=True)


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


def test_allocate_stops_in_time_with_something_that_fits():
    for method in (orr.optimal, orr.kronecker, orr.inductive):
        bought = orr.allocate(4.0, [2, 3, 4], [1, 2, 3], method=method, time_limit=1e-9)
        assert 0 < bought.epsilon <= 4
        np.testing.assert_allclose(bought.asked.epsilons / bought.asked.epsilons[0], [1, 2, 3])


def test_allocate_says_that_a_program_is_no_mechanism():
    with pytest.raises(TypeError, match="must return a mechanism, got <LinearProgram"):
        orr.allocate(2.0, [2, 3], [1, 1], method=orr.linear_program)


def certificates():
    rng = np.random.default_rng(2)
    return {
        "at most one lie": orr.optimal([2, 3, 4], [1.0, 1.5, 2.0]),
        "alike": orr.optimal([3] * 20, [1.0] * 20),
        "cube": orr.optimal([2, 2, 2, 3], [0.3, 0.31, 0.32, 0.1]),
        "cells": orr.optimal([2, 3, 4, 5] * 5, [0.5, 1.0, 1.5, 2.0] * 5),
        "balls": orr.optimal(rng.integers(2, 6, 60), rng.uniform(0.5, 3, 60)),
        "beside": orr.optimal([2, 3, 4, 10**6], [1.0, 1.5, 2.0, 1e-9]),
        "one by one": orr.optimal([2, 3, 4], [1.0, 1.5, 2.0], time_limit=1e-9),
    }


CERTIFIED = certificates()


def changed(law, **numbers):
    """A copy of a law with other numbers, which it did not check."""
    other = copy.copy(law)
    for name in ("_categories", "mass", "rates"):
        other.__dict__.pop(name, None)
    other.__dict__.update(numbers)
    return other


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("name", CERTIFIED)
def test_false_claims_are_rejected(name, exact):
    best, certificate = CERTIFIED[name], CERTIFIED[name].certificate
    assert certificate.verify(exact)
    above = math.nextafter(certificate.upper, math.inf)
    assert not dataclasses.replace(certificate, lower=above).verify(exact)
    assert not dataclasses.replace(certificate, lower=certificate.upper * 1.01).verify(exact)
    assert not dataclasses.replace(certificate, upper=certificate.lower * 0.99).verify(exact)
    if certificate.weights is not None:
        wrong = certificate.weights.copy()
        wrong[np.argsort(wrong)[-1]] *= 3
        wrong[np.argsort(wrong)[-2]] += wrong.max() / 2
        assert not dataclasses.replace(certificate, weights=wrong).verify(exact)
    law = best.law.parts[0] if isinstance(best.law, Beside) else best.law
    if isinstance(law, Product):
        return
    for spoiled in broken(law):
        assert not dataclasses.replace(certificate, law=whole(best.law, spoiled)).verify(exact)


def test_samplers_with_other_numbers_are_rejected():
    certificate = CERTIFIED["balls"].certificate
    law = copy.deepcopy(certificate.law)
    for ball in law.balls:
        ball.lie = ball.lie * 0.01
    beside = copy.copy(CERTIFIED["beside"].law)
    beside.places = (np.array([0, 1, 3]), np.array([2]))
    for spoiled, claim in ((law, certificate), (beside, CERTIFIED["beside"].certificate)):
        for exact in (False, True):
            assert not dataclasses.replace(claim, law=spoiled).verify(exact)


def test_malformed_certificates_are_rejected():
    certificate = CERTIFIED["cells"].certificate
    weights = certificate.weights
    wrong_weights = [{"weights": w} for w in (-weights, weights * 0, weights[:-1], weights * math.nan)]
    wrong_lower = [{"lower": value} for value in (math.nan, -1.0)]
    wrong_upper = [{"upper": value} for value in (math.inf, math.nan, certificate.lower)]
    for change in wrong_weights + wrong_lower + wrong_upper:
        assert not dataclasses.replace(certificate, **change).verify(exact=True)
        assert (
            change == {"upper": certificate.lower} or not dataclasses.replace(certificate, **change).verify()
        )


@pytest.mark.parametrize(
    "build",
    [
        lambda: orr.optimal([1000] * 25_000 + [10], [6.0] * 25_000 + [700.0], time_limit=5),
        lambda: orr.guarded([2] * 2000 + [3], [6.0] * 2000 + [3.0], 0.5),
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


def test_the_floor_is_below_the_truth_for_many_values():
    # Levels just above 1, where a difference would cancel.
    assert orr.optimal([999983] * 2000, [1.0804021060301507] * 2000, time_limit=1e-9).certificate.verify(
        exact=True
    )


def test_verification_keeps_its_digits():
    for sizes, levels in (([10**6] * 400, [14.0] * 400), ([2] * 30_000, [1.0] * 30_000)):
        certificate = orr.optimal(sizes, levels).certificate
        assert certificate.verify()
        assert certificate.verify(exact=True)


def whole(law, joint):
    return Beside(law.problem, joint, law.chosen) if isinstance(law, Beside) else joint


def broken(law):
    """Samplers that do not do what the law says."""
    law.perturb(np.zeros((1, len(law.problem)), dtype=int), np_source())  # all tables are made
    table = copy.copy(law._categories)
    table._keep = law._categories._keep[::-1].copy()
    yield changed(law, mass=law.mass * 1.001)
    if not np.allclose(table._keep, law._categories._keep):
        yield changed(law, mass=law.mass, _categories=table)


def np_source():
    from orr.randomness import Source

    return Source(1)


def test_what_exact_verification_says():
    proof = CERTIFIED["balls"].certificate.verify(exact=True)
    assert "Verified in" in repr(proof)
    assert "flip sets counted in integers" in repr(proof)
    assert proof.level <= CERTIFIED["balls"].epsilon
    refuted = dataclasses.replace(CERTIFIED["alike"].certificate, lower=9.0).verify(exact=True)
    assert "NOT verified" in repr(refuted)
    assert refuted.lower < 9


def test_faint_attributes_stand_beside():
    sizes, levels = [2, 3, 2, 2], [1.0, 2.0, 1e-10, 1e-11]
    best = orr.optimal(sizes, levels)
    assert isinstance(best.law, Beside)
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


def test_the_largest_neighbour_level_is_in_the_first_line():
    assert repr(CERTIFIED["at most one lie"]).endswith("neighbours up to 3.4448>")
    balls = CERTIFIED["balls"]
    assert not balls.neighbour_exact.any()
    assert repr(balls).endswith(f"neighbours at most {balls.epsilon:.5g}>")
    assert f"<td>&le; {balls.epsilon:.5g}</td>" in balls._repr_html_()
    assert "&le;" not in CERTIFIED["alike"]._repr_html_()


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
    with pytest.raises(ArithmeticError, match="misses its level"):
        Balls(coins, [Ball(coins, np.array([1.0, 1.0]), 2)], np.array([1e-3]))


@pytest.mark.parametrize("name", CERTIFIED)
@pytest.mark.parametrize(
    "again", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))], ids=["copy", "pickle"]
)
def test_copies_are_as_good_and_as_safe(name, again):
    one, other = CERTIFIED[name], again(CERTIFIED[name])
    assert other.epsilon == one.epsilon
    assert other.certificate.verify()
    records = np.zeros((20, len(one.sizes)), dtype=int)
    np.testing.assert_array_equal(one.perturb(records, 1), other.perturb(records, 1))
    for values in (other.sizes, other.epsilons, other.neighbour_epsilons, other.flip_probabilities):
        with pytest.raises(ValueError, match="read-only"):
            values[0] = 1


def test_the_coins_of_a_cell_are_counted():
    # Half a unit is less than a double can add to 1.
    assert above_one(0.5) > 1
    alike = CERTIFIED["alike"].certificate
    assert alike.verify(exact=True).level > float(highest_without_coins(alike.law))


def highest_without_coins(law):
    """Overall level of equal attributes if placing flips tossed no coins that are rounded."""
    lifted, table = chance(law.mass), alias_law(law._categories._keep, law._categories._alias)
    kinds, _ = kinds_of(law)
    scale = lifted / (1 - lifted) / (len(table) * ONE) * math.prod(a**n for a, n in kinds)
    return log1p(DOWN.multiply(highest(law, kinds, table), decimal(scale, DOWN)), DOWN)
