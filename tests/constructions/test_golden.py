"""High-precision cases, to 1e-9."""

import numpy as np
import pytest

import orr
from orr.optimum.verify import lower_bound
from orr.problem import Problem
from tests.common import CASES, GOLDEN

cases = pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
small = pytest.mark.parametrize(
    "case", [c for c in CASES if len(c["sizes"]) <= 16], ids=lambda case: case["id"]
)
pairs = pytest.mark.parametrize(
    "case", [c for c in CASES if "two_attribute" in c["values"]], ids=lambda case: case["id"]
)


def close(value, expected, tolerance=1e-9):
    np.testing.assert_allclose(value, expected, rtol=0, atol=tolerance)


@cases
def test_kronecker(case):
    close(orr.kronecker(case["sizes"], case["epsilons"]).epsilon, case["values"]["kronecker_eps"])


@cases
def test_information_floor(case):
    floor = orr.information_floor(case["sizes"], case["epsilons"])
    close(floor, case["values"]["information_floor"])


@cases
def test_inductive(case):
    mechanism = orr.inductive(case["sizes"], case["epsilons"])
    values = case["values"]
    close(mechanism.epsilon, values["heuristic_eps"])
    close(mechanism.epsilons, values["heuristic_levels"])
    fallbacks = dict(values["heuristic_fallbacks"])
    assert np.flatnonzero(mechanism.fell_back).tolist() == sorted(fallbacks)
    for i, direction in fallbacks.items():
        assert (mechanism.epsilons[i] > case["epsilons"][i]) == (direction == "up")


@pairs
def test_two_attribute(case):
    mechanism = orr.two_attribute(case["sizes"], case["epsilons"])
    expected = case["values"]["two_attribute"]
    close(mechanism.epsilon, case["values"]["optimal_eps"])
    if expected["case"] is not None:  # on the boundary two cases meet
        assert mechanism.case == expected["case"]
    x = [np.exp(mechanism.log_ratio(s)) for s in ([], [0], [1])]
    for value, wanted in zip(x, expected["x"], strict=True):
        if wanted is not None:
            np.testing.assert_allclose(value, wanted, rtol=1e-9)


@cases
def test_radius_one(case):
    values = case["values"]
    verdicts = values["radius_one_applies"], values["radius_one_b_applies"]
    if verdicts == (False, False):
        with pytest.raises(orr.NotApplicable):
            orr.radius_one(case["sizes"], case["epsilons"])
        return
    mechanism = orr.radius_one(case["sizes"], case["epsilons"])
    close(mechanism.epsilon, values["optimal_eps"])
    close(mechanism.epsilons, case["epsilons"])


@small
def test_linear_program(case):
    mechanism = orr.linear_program(case["sizes"], case["epsilons"]).solve()
    close(mechanism.epsilon, case["values"]["optimal_eps"])
    assert mechanism.certificate.lower <= case["values"]["optimal_eps"] + 1e-11
    assert mechanism.certificate.upper >= case["values"]["optimal_eps"] - 1e-11
    if case["values"]["optimal_unique"]:
        close(mechanism.neighbour_epsilons, case["values"]["optimal_neighbour_levels"], 1e-8)


@pytest.mark.parametrize(
    "case",
    [c for c in CASES if c["values"].get("dual_y") and len(c["sizes"]) <= 16],
    ids=lambda case: case["id"],
)
def test_dual_bound(case):
    problem, weights = Problem(case["sizes"], case["epsilons"]), np.array(case["values"]["dual_y"])
    close(lower_bound(problem, weights), case["values"]["optimal_eps"])


def test_published_example():
    published = GOLDEN["extras"]["published"]
    (case,) = [c for c in CASES if c["id"] == published["case"]]
    mechanism = orr.linear_program(case["sizes"], case["epsilons"]).solve()
    np.testing.assert_allclose(np.exp(mechanism.log_ratio([])), published["x0"], rtol=published["rtol"])
