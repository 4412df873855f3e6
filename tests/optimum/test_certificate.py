"""Claims that are false are rejected, what is verified keeps its digits, and copies are as good."""

import copy
import dataclasses
import math
import pickle

import numpy as np
import pytest

import orr
from orr.caps.ramp import Profile, Ramp, RampWeights
from orr.decimals import DOWN, above_one, decimal, log1p
from orr.laws.cells import Cells
from orr.laws.product import Product
from orr.laws.split import SplitLaw
from orr.optimum import certificate as certificates_of
from orr.optimum import verify
from orr.optimum.certificate import Certificate, Certified
from orr.problem import Problem
from orr.randomness import Source
from orr_audit import audit, for_coq
from orr_audit.sampler import UNITS_OF_ONE, alias_law, chance, highest, kinds_of
from tests.common import ball_mechanism
from tests.exact.common import Played


def ramp():
    """Return a ramp that tells too much of a faint attribute, which is repaired."""
    shape = np.array([0.5, 0.9, 1.3, 0.7, 3e-3]), 0.1
    problem = Problem([2, 3, 4, 3, 1000], [0.19, 0.42, 0.73, 0.33, 3.8e-4])
    law = Ramp(problem, Profile(RampWeights(problem, *shape), 2.0, 1.5))
    return by_hand(law)


def by_hand(law):
    """Return a mechanism of a law with a certificate that proves nothing of the optimum."""
    return Certified(law, Certificate(0.0, law.epsilon, None, "by hand", 0.0, law))


def certificates():
    rng = np.random.default_rng(2)
    return {
        "at most one flip": orr.optimal([2, 3, 4], [1.0, 1.5, 2.0]),
        "alike": orr.optimal([3] * 20, [1.0] * 20),
        "cube": orr.optimal([2, 2, 2, 3], [0.3, 0.31, 0.32, 0.1]),
        "cells": orr.optimal([2, 3, 4, 5] * 5, [0.5, 1.0, 1.5, 2.0] * 5),
        "balls": orr.optimal(rng.integers(2, 6, 30), rng.uniform(0.5, 3, 30)),
        "beside": orr.optimal([2, 3, 4, 10**6], [1.0, 1.5, 2.0, 1e-9]),
        "one by one": orr.optimal([2, 3, 4], [1.0, 1.5, 2.0], time_limit=1e-9),
        "ramp": ramp(),
        "named": orr.optimal([2, 3, 4], [0.5, 1.0, 0.7], rel_gap=1e-6),
    }


CERTIFIED = certificates()


def changed(law, **numbers):
    """A copy of a law with other numbers, which it did not check."""
    other = copy.copy(law)
    for name in ("_categories", "mass", "rates"):
        other.__dict__.pop(name, None)
    other.__dict__.update(numbers)
    return other


CHECKS = [Certificate.verify, audit]


@pytest.fixture
def caches_believed(monkeypatch):
    """Let the second path find out by itself, from what the sampler compares with."""
    monkeypatch.setattr(certificates_of, "intact", lambda thing: True)
    monkeypatch.setattr(certificates_of, "remade", lambda law: True)


@pytest.mark.usefixtures("caches_believed")
@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("name", CERTIFIED)
def test_false_claims_are_rejected(name, check):
    best, certificate = CERTIFIED[name], CERTIFIED[name].certificate
    assert check(certificate)
    above = math.nextafter(certificate.upper, math.inf)
    assert not check(dataclasses.replace(certificate, lower=above))
    assert not check(dataclasses.replace(certificate, lower=certificate.upper * 1.01))
    assert not check(dataclasses.replace(certificate, upper=certificate.lower * 0.99))
    if certificate.weights is not None:
        wrong = certificate.weights.copy()
        wrong[np.argsort(wrong)[-1]] *= 3
        wrong[np.argsort(wrong)[-2]] += wrong.max() / 2
        assert not check(dataclasses.replace(certificate, weights=wrong))
    law = best.law.parts[0] if isinstance(best.law, SplitLaw) else best.law
    if isinstance(law, Product):
        return
    for spoiled in broken(law):
        other = dataclasses.replace(certificate, law=whole(best.law, spoiled), mechanism=None)
        assert not check(other)


@pytest.mark.usefixtures("caches_believed")
def test_samplers_with_other_numbers_are_rejected():
    certificate = CERTIFIED["balls"].certificate
    law = copy.deepcopy(certificate.law)
    for ball in law.balls:
        ball.flip = ball.flip * 0.01
    beside = copy.copy(CERTIFIED["beside"].law)
    beside.places = (np.array([0, 1, 3]), np.array([2]))
    for spoiled, claim in ((law, certificate), (beside, CERTIFIED["beside"].certificate)):
        for check in CHECKS:
            assert not check(dataclasses.replace(claim, law=spoiled, mechanism=None))


# Objects that were changed in memory. None of them may pass, and none may raise an error.


def spoilt(mechanism):
    """Yield copies of a mechanism with other numbers or other code, each with a name."""

    def spoil(name, place, **values):
        other = pickle.loads(pickle.dumps(mechanism))
        place(other).__dict__.update(values)
        return name, other

    law, problem = mechanism.law, mechanism.law.problem
    for name in ("p", "q", "w"):
        yield spoil(f"cached {name}", lambda m: m.law.problem, **{name: getattr(problem, name) / 2})
    yield spoil("levels", lambda m: m, levels=dataclasses.replace(mechanism.levels, epsilon=0.1))
    yield spoil("other levels", lambda m: m, problem=Problem(problem.sizes, 2 * problem.epsilons))
    yield spoil("other levels asked", lambda m: m, asked=Problem(problem.sizes, 2 * problem.epsilons))
    other = orr.optimal(problem.sizes, 2 * problem.epsilons).certificate
    yield spoil("a certificate of another", lambda m: m, _certificate=other)
    yield spoil("no noise", lambda m: m, perturb=lambda records, rng: records)
    yield spoil("a law without noise", lambda m: m.law, perturb=lambda records, source: records)
    _, other = spoil("", lambda m: m.law)
    other.law.__class__ = type("Honest", (type(law),), {"perturb": lambda self, records, source: records})
    yield "a class without noise", other
    if isinstance(law, Product | SplitLaw):
        return
    for mass in (0.0, 1.0, math.nan, math.inf):
        yield spoil(f"mass {mass}", lambda m: m.law, mass=mass)
    stay = np.full(len(problem), 1e3) if law.stay is None else law.stay
    for factor in (1.01, 1.6, math.nan):
        yield spoil(f"stay times {factor}", lambda m: m.law, stay=stay * factor)
    yield spoil("stay of another type", lambda m: m.law, stay="often")
    yield spoil("stay of one number", lambda m: m.law, stay=np.array([1e12]))
    if hasattr(law, "z"):
        yield spoil("z of one number", lambda m: m.law, z=law.z[:1])
    if hasattr(law, "ramp"):
        for name in ("low", "part", "slopes"):
            yield spoil(f"{name} of one number", lambda m: m.law.ramp, **{name: getattr(law.ramp, name)[:1]})
        yield spoil("weights that are not whole", lambda m: m.law.ramp, low=law.ramp.low + 0.5)
    yield spoil("draws", lambda m: m.law._categories, draw=lambda n, source: np.zeros(n, dtype=int))
    yield spoil("cached neighbours", lambda m: m.law, neighbour_epsilons=law.neighbour_epsilons / 2)
    if hasattr(law, "balls"):
        yield spoil("states", lambda m: m.law.balls[0], states=law.balls[0].states - 1)
        yield spoil("sums", lambda m: m.law.balls[0], add=lambda sums, i: sums)


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("name", CERTIFIED)
def test_what_was_changed_in_memory_is_rejected(name, check):
    passed = [kind for kind, other in spoilt(CERTIFIED[name]) if check(other.certificate)]
    assert passed == []


def cells_twice(law):
    """List the likeliest cell three times, each with a third of its mass."""
    top = np.argmax(law.log_excess)
    cells = np.vstack([law.cells, law.cells[[top, top]]])
    excess = np.append(law.log_excess, [law.log_excess[top]] * 2)
    excess[[top, -2, -1]] -= math.log(3)
    return Cells(law.problem, law.kinds, cells, excess, law.stay)


def balls_with(**change):
    """Return what changes the balls of a law, which then computes all else anew."""

    def spoil(law):
        balls = [copy.copy(ball) for ball in law.balls]
        for ball in balls:
            ball.__dict__.update({name: make(ball) for name, make in change.items()})
            for cached in ("accepted", "below", "log_mass", "rates"):
                ball.__dict__.pop(cached, None)
        return changed(law, balls=balls)

    return spoil


CONSISTENT = {
    "cells twice": ("cube", cells_twice),
    "an edge above 1": ("balls", balls_with(edge=lambda ball: 1.5)),
    "units": ("balls", balls_with(units=lambda ball: -1e15)),
    "an attribute twice": ("balls", balls_with(live=lambda ball: np.append(ball.live[:-1], ball.live[0]))),
    "flips a billionth likelier": ("balls", balls_with(flip=lambda ball: ball.flip * (1 + 9.5e-10))),
}


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("kind", CONSISTENT)
def test_laws_whose_numbers_agree_but_are_not_those_of_a_law_are_rejected(kind, check):
    name, spoil = CONSISTENT[kind]
    proof, law = CERTIFIED[name].certificate, spoil(CERTIFIED[name].law)
    for cached in ("flip_mass", "_heights", "log_top", "counted", "epsilon", "neighbour_epsilons"):
        law.__dict__.pop(cached, None)
    upper = max(law.epsilon, proof.lower)
    assert not check(Certified(law, dataclasses.replace(proof, law=law, upper=upper)).certificate)


@pytest.mark.usefixtures("caches_believed")
@pytest.mark.parametrize(
    "law", [ball_mechanism([8, 21, 2], [3.5, 6.0, 7.5]).law, ramp().law], ids=["balls", "ramp"]
)
def test_exact_levels_of_attributes_are_those_of_the_draws(law):
    """A level that is missed by more than one part in a million is seen, to the digits of enumeration."""
    i = int(law.retained_information.argmin())
    assert audit(by_hand(law).certificate).level_error < 1e-9
    stay = np.full(len(law.problem), math.inf) if law.stay is None else law.stay.copy()
    stay[i] = min(stay[i], 1e4) * 1.00001
    wrong = changed(law, stay=stay)
    proof = audit(by_hand(wrong).certificate)
    level = Played(wrong).attributes[i]
    assert not proof
    assert proof.level_error == pytest.approx(abs(float(level / law.problem.epsilons[i] - 1)), rel=1e-6)


def test_what_cannot_be_followed_is_called_unproved(monkeypatch):
    monkeypatch.setattr("orr_audit.sampler.MAX_FOLLOWED_STATES", 10)
    proof = audit(CERTIFIED["balls"].certificate)
    assert not proof
    assert proof.level_error == math.inf
    assert "attribute levels unproved" in repr(proof)


def test_malformed_certificates_are_rejected():
    certificate = CERTIFIED["cells"].certificate
    weights = certificate.weights
    wrong_weights = [{"weights": w} for w in (-weights, weights * 0, weights[:-1], weights * math.nan)]
    wrong_lower = [{"lower": value} for value in (math.nan, -1.0)]
    wrong_upper = [{"upper": value} for value in (math.inf, math.nan, certificate.lower)]
    for change in wrong_weights + wrong_lower + wrong_upper:
        assert not audit(dataclasses.replace(certificate, **change))
        assert (
            change == {"upper": certificate.lower} or not dataclasses.replace(certificate, **change).verify()
        )


@pytest.mark.parametrize(
    "given", [CERTIFIED["cube"], CERTIFIED["cube"].law, None], ids=lambda given: type(given).__name__
)
@pytest.mark.parametrize("check", [audit, for_coq])
def test_what_is_no_certificate_is_named(check, given):
    with pytest.raises(TypeError, match=f"must be a Certificate.*, got {type(given).__name__}$"):
        check(given)


def test_weights_with_very_many_sums_prove_nothing(monkeypatch):
    certificate = orr.optimal(range(2, 14), np.linspace(0.5, 2, 12)).certificate
    odd = dataclasses.replace(certificate, weights=np.sqrt(np.arange(2.0, 14)))
    assert dataclasses.replace(odd, lower=verify.lower_bound(odd.law.problem, odd.weights)).verify()
    monkeypatch.setattr(verify, "MAX_UNEVEN_SUMS", 1000)
    assert not odd.verify()


def test_the_floor_is_below_the_truth_for_many_values():
    # Levels just above 1, where a difference would cancel.
    assert audit(orr.optimal([999983] * 2000, [1.0804021060301507] * 2000, time_limit=1e-9).certificate)


def test_verification_keeps_its_digits():
    for sizes, levels in (([10**6] * 400, [14.0] * 400), ([2] * 30_000, [1.0] * 30_000)):
        certificate = orr.optimal(sizes, levels).certificate
        assert certificate.verify()
        assert audit(certificate)


def whole(law, joint):
    return SplitLaw(law.problem, joint, law.chosen) if isinstance(law, SplitLaw) else joint


def broken(law):
    """Samplers that do not do what the law says."""
    law.perturb(np.zeros((1, len(law.problem)), dtype=int), Source(1))  # all tables are made
    table = copy.copy(law._categories)
    table.keep = law._categories.keep[::-1].copy()
    yield changed(law, mass=law.mass * 1.001)
    if not np.allclose(table.keep, law._categories.keep):
        yield changed(law, mass=law.mass, _categories=table)


def test_what_exact_verification_says():
    proof = audit(CERTIFIED["balls"].certificate)
    assert "Verified in" in repr(proof)
    assert "flip sets counted in integers" in repr(proof)
    assert proof.level <= CERTIFIED["balls"].epsilon
    refuted = audit(dataclasses.replace(CERTIFIED["alike"].certificate, lower=9.0))
    assert "NOT verified" in repr(refuted)
    assert refuted.lower < 9


@pytest.mark.parametrize("name", CERTIFIED)
@pytest.mark.parametrize(
    "again",
    [copy.copy, copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))],
    ids=["copy", "deep copy", "pickle"],
)
def test_copies_are_as_good_and_as_safe(name, again):
    one, other = CERTIFIED[name], again(CERTIFIED[name])
    assert other.epsilon == one.epsilon
    assert other.certificate.mechanism is other
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
    assert audit(alike).level > float(highest_without_coins(alike.law))


def highest_without_coins(law):
    """Overall level of equal attributes if placing flips tossed no coins that are rounded."""
    lifted, table = chance(law.mass), alias_law(law._categories.keep, law._categories.alias)
    kinds, _ = kinds_of(law)
    scale = lifted / (1 - lifted) / (len(table) * UNITS_OF_ONE) * math.prod(a**n for a, n in kinds)
    return log1p(DOWN.multiply(highest(law, kinds, table), decimal(scale, DOWN)), DOWN)


def test_the_largest_neighbour_level_is_in_the_first_line():
    assert repr(CERTIFIED["at most one flip"]).endswith("neighbours up to 3.4448>")
    balls = CERTIFIED["balls"]
    assert not balls.neighbour_exact.any()
    assert repr(balls).endswith(f"neighbours at most {balls.epsilon:.5g}>")
    assert f"<td>&le; {balls.epsilon:.5g}</td>" in balls._repr_html_()
    assert "&le;" not in CERTIFIED["alike"]._repr_html_()
