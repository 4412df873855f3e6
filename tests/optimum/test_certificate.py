"""Claims that are false are rejected, what is verified keeps its digits, and copies are as good."""

import copy
import dataclasses
import math
import pickle

import numpy as np
import pytest

import orr
from orr.laws.beside import Beside
from orr.laws.product import Product
from orr.optimum.decimals import DOWN, above_one, decimal, log1p
from orr.optimum.realised import ONE, alias_law, chance, highest, kinds_of


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
        ball.flip = ball.flip * 0.01
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


def test_the_largest_neighbour_level_is_in_the_first_line():
    assert repr(CERTIFIED["at most one flip"]).endswith("neighbours up to 3.4448>")
    balls = CERTIFIED["balls"]
    assert not balls.neighbour_exact.any()
    assert repr(balls).endswith(f"neighbours at most {balls.epsilon:.5g}>")
    assert f"<td>&le; {balls.epsilon:.5g}</td>" in balls._repr_html_()
    assert "&le;" not in CERTIFIED["alike"]._repr_html_()
