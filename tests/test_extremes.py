"""Extreme problems are answered rightly or refused with a reason; wrong samplers are noticed.

These are the first 300 of the 10,000 problems of tools/extremes.py, which says how chance is accounted for;
``make test`` tries 90 of them: those that take long are left to ``make slow``.
They run in a process of their own, whose memory is capped.
"""

import math
import re

import numpy as np
import pytest

import orr
from tests.common import some_slow
from tools import extremes
from tools.extremes import Case, Result, Worker, Wrong, check, compare, problem, report

COUNT, QUICK, AT_ONCE = 300, 100, 10
LONG = 40  # among them is one that takes as long as all others of the first hundred
SIZES, LEVELS = [40, 3], [3.0, 1.5]


@pytest.fixture(scope="module")
def worker():
    worker = Worker(allowance=math.inf)
    yield worker
    worker.close()


@pytest.mark.parametrize("first", some_slow(range(0, COUNT, AT_ONCE), LONG, *range(QUICK, COUNT, AT_ONCE)))
def test_extreme_problems(worker, first):
    failures = []
    for seed in range(first, first + AT_ONCE):
        worker.ask(seed)
        outcome = worker.result().outcome
        if outcome != "ok" and not outcome.startswith("refused: "):
            failures.append(f"seed {seed}, {outcome}\n    {problem(seed).reproduction}")
    assert not failures, "\n".join(failures)


def test_problems_are_extreme_and_the_same_every_time():
    cases = [problem(seed) for seed in range(1000)]
    assert [str(case) for case in cases] == [str(problem(seed)) for seed in range(1000)]
    assert {case.construction for case in cases} == set(extremes.SHARES) == set(extremes.REFUSALS)
    sizes, levels = (np.concatenate([getattr(case, name) for case in cases]) for name in ("sizes", "levels"))
    assert (sizes.min(), sizes.max(), levels.min(), levels.max()) == (2, 10**6, 1e-12, 700)
    assert max(len(case.sizes) for case in cases) > 10_000
    limits = [case.options["time_limit"] for case in cases if "time_limit" in case.options]
    assert min(limits) < 1e-8
    assert max(limits) > 1


def test_one_line_calls_the_construction_again():
    for case in map(problem, range(200)):
        if case.construction in ("kronecker", "two_attribute"):
            assert eval(str(case), {"orr": orr}).epsilon == case.build().epsilon
    guarded = Case(5, "guarded", [2] * 4, [1.0] * 4, {"slack": math.inf})
    assert str(guarded) == "orr.guarded(sizes=[2] * 4, epsilons=[1.0] * 4, slack=float('inf'))"
    assert eval(str(guarded), {"orr": orr}).epsilon == guarded.build().epsilon
    allocate = Case(6, "allocate", [2, 3], [1.0, 2.0], {"epsilon": 1.0, "method": orr.kronecker})
    np.testing.assert_allclose(eval(str(allocate), {"orr": orr}).epsilon, 1.0, rtol=1e-6)
    long = Case(7, "kronecker", list(range(2, 102)), [1.0] * 100, {})
    words = "python tools/extremes.py --first 7 --count 1  # orr.kronecker, 100 attributes"
    assert long.reproduction == words


def unchanged(records, released):
    return records


def kept_too_often(records, released):
    released[::20, 0] = records[::20, 0]
    return released


def one_value_for_all_lies(records, released):
    return np.where(released == records, records, (records + 1) % SIZES)


def lies_apart(records, released):
    """Each attribute lies as often as it should, but not together with the others as it should."""
    shift = (released - records) % SIZES
    return (records + np.random.default_rng(3).permuted(shift, axis=0)) % SIZES


def out_of_range(records, released):
    released[-1, 1] = SIZES[1]
    return released


MUTANTS = {
    unchanged: "lies of attribute 0: 0 of 60000, expected ",
    kept_too_often: "lies of attribute 0",
    one_value_for_all_lies: "low lies of attribute",
    lies_apart: "records with a lie",
    out_of_range: "out of range",
}


@pytest.mark.parametrize("mutate", MUTANTS, ids=lambda mutate: mutate.__name__)
def test_wrong_samples_are_noticed(mutate):
    mechanism = orr.two_attribute(SIZES, LEVELS)
    records = np.random.default_rng(1).integers(0, SIZES, (60_000, 2))
    released = mechanism.perturb(records, 2)
    compare(mechanism, records, released)
    with pytest.raises(Wrong, match=MUTANTS[mutate]):
        compare(mechanism, records, mutate(records, released))


def of_kind(construction):
    """Return the first problem of a construction that has an attribute which lies often, and is answered."""
    return next(
        seed
        for seed, case in ((seed, problem(seed)) for seed in range(1000))
        if case.construction == construction and 1 < len(case.sizes) <= 4 and min(case.levels) < 1
    )


def test_a_wrong_sampler_fails_the_check(monkeypatch):
    seed = of_kind("kronecker")
    assert check(seed) == "ok"
    perturb = orr.Mechanism.perturb

    def attribute_in_the_clear(mechanism, records, rng):
        released = perturb(mechanism, records, rng)
        i = mechanism.epsilons.argmin()
        released[:, i] = records[:, i]
        return released

    for mutant in (lambda mechanism, records, rng: records.copy(), attribute_in_the_clear):
        monkeypatch.setattr(orr.Mechanism, "perturb", mutant)
        assert check(seed).startswith("failed: lies of attribute")


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (
            orr.NotCertified("the optimum is proved only to be between 1 and 2"),
            "refused: the optimum is proved",
        ),
        (orr.NotCertified(), "failed: NotCertified in "),
        (ValueError("operands could not be broadcast"), "failed: ValueError in "),
        (MemoryError(), "failed: MemoryError in "),
    ],
)
def test_refusals_need_a_known_reason(monkeypatch, error, outcome):
    def refuse(case):
        raise error

    monkeypatch.setattr(Case, "build", refuse)
    assert check(of_kind("linear_program")).startswith(outcome)


def test_warnings_and_lateness_are_failures(monkeypatch):
    build = Case.build
    monkeypatch.setattr(Case, "build", lambda case: np.ones(1) / np.zeros(1) and build(case))
    assert check(of_kind("kronecker")).startswith("failed: RuntimeWarning in test_extremes.py")
    monkeypatch.setattr(Case, "build", build)
    limited = next(seed for seed in range(1000) if problem(seed).options.get("time_limit", 1) < 1e-3)
    assert "s more than time_limit" in check(limited, allowance=-1.0)


def test_a_process_that_dies_names_its_problem(worker):
    seed = of_kind("kronecker")
    worker.process.kill()
    worker.process.join()
    worker.ask(seed)
    result = worker.result()
    assert (result.seed, result.outcome[:35]) == (seed, "failed: the process ended with code")
    worker.ask(seed)
    assert worker.result().outcome == "ok"


def test_report_counts_outcomes_and_shows_how_to_see_failures_again():
    seed = of_kind("kronecker")
    text = report([Result(seed, "failed: worse", 2.0), Result(seed + 1, "ok", 1.0)])
    assert re.search(r"^kronecker +\d+ +0 +1 ", text, re.MULTILINE)
    assert re.search(r"^all +1 +0 +1 +3\.0$", text, re.MULTILINE)
    assert f"seed {seed}, 2.0 s, failed: worse\n    {problem(seed).reproduction}" in text
