"""Files: every law comes back to the last digit, no solver is asked, and no changed file gets through."""

import json
import math
import os
import random
import re
import subprocess
import sys
from functools import cache
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

import orr
import orr_release
from orr.caps import ramp_search
from orr.caps.deep_cells import DeepCells
from orr.caps.ramp import RampWeights
from orr.laws import ball
from orr.laws.ball import Ball
from orr.laws.ball_mixture import BallMixture
from orr.laws.cells import Cells
from orr.laws.law import Lifted
from orr.optimum import column_generation
from orr.optimum.certificate import Certificate
from orr.optimum.verify import level_and_errors
from orr_release import Release
from orr_release.mechanism_file import format as entries
from orr_release.mechanism_file import read, write
from orr_release.mechanism_file.write import contents, written
from tests.common import CONSTRUCTIONS, ball_mechanism, examples, problems
from tests.files.common import (
    DOMAIN,
    FORMS,
    LARGE,
    SMALL,
    at,
    changed,
    content,
    leaves,
    made,
    other,
    put,
    told,
)
from tools import schema

FOLDER = Path(__file__).parent
VALIDATOR = Draft202012Validator(json.loads(schema.STORED.read_text("utf-8")))
every = pytest.mark.parametrize("name", [*SMALL, *LARGE])
every_release = pytest.mark.parametrize("name", [*SMALL, *LARGE, *FORMS])
small = pytest.mark.parametrize("name", SMALL)


@pytest.fixture(autouse=True, scope="module")
def version_once():
    """Look up the version of the package once, not for every file that is written: that takes longer."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(write, "_package", cache(write._package))
        yield


def check(mechanism):
    """Write, read, and compare everything."""
    mechanism = mechanism if isinstance(mechanism, Release) else Release(mechanism)
    text = mechanism.to_json()
    VALIDATOR.validate(json.loads(text))
    again = orr_release.load(text)
    assert told(again) == told(mechanism)
    assert again.to_json() == text
    return again


@every_release
def test_every_law_comes_back_to_the_last_digit(name):
    check(made(name))


@pytest.mark.parametrize("name", CONSTRUCTIONS)
@examples(25)
@given(problem=problems())
def test_every_construction_comes_back(name, problem):
    check(CONSTRUCTIONS[name](*problem))


@examples(25)
@given(problem=problems(min_k=3, max_k=6))
def test_balls_come_back(problem):
    check(ball_mechanism(*problem))


@examples(25)
@given(
    problem=problems(min_level=1e-10, max_level=40.0, max_size=1000),
    slack=st.sampled_from([0, 0.01, 1, np.inf]),
)
def test_guarded_ones_come_back(problem, slack):
    check(orr_release.guarded(*problem, slack, time_limit=1))


def test_all_laws_and_repairs_are_among_them():
    every_one = [made(name).mechanism for name in [*SMALL, *LARGE]]
    laws = [mechanism.law for mechanism in every_one]
    assert {*map(type, laws)} == {*read.LAWS.values(), DeepCells}
    repaired = {type(law) for law in laws if isinstance(law, Lifted) and law.stay is not None}
    assert {BallMixture, Cells} <= repaired
    proofs = [getattr(getattr(mechanism, "certificate", None), "proof", None) for mechanism in every_one]
    assert {type(proof).__name__ for proof in proofs} == {"Alone", "Head", "Prices", "Thresholds", "NoneType"}


def test_numbers_that_are_hardly_there():
    state = contents(orr_release.inductive([2, 3, 4], [1.0, 1.5, 2.0]))
    for value in (5e-324, 1e-320, 1.7976931348623157e308, 0.1 + 0.2, -0.0):
        again = content(written(state | {"epsilon": value}))["epsilon"]
        assert again.hex() == value.hex()


@examples(50)
@given(value=st.integers(-(2**1100), 2**1100))
def test_a_whole_number_is_read_as_the_nearest_double(value):
    """A hand may write 2 for 2.0."""
    state = contents(made("head"))
    state["certificate"]["seconds"] = value
    try:
        expected = float(value)
        assert expected >= 0
    except (OverflowError, AssertionError):
        with pytest.raises(ValueError, match=r"certificate.seconds: (Number out of range|Expected)"):
            orr_release.load(written(state))
    else:
        assert orr_release.load(written(state)).mechanism.certificate.seconds == expected


# No solver is asked.


def refuse(*args, **kwargs):
    raise AssertionError("a solver was asked")


@every
def test_no_solver_is_asked(name, monkeypatch):
    mechanism = made(name)
    expected, text = told(mechanism), mechanism.to_json()
    for function in ("brentq", "linprog", "minimize_scalar", "minimize", "root_scalar"):
        monkeypatch.setattr(scipy.optimize, function, refuse)
    monkeypatch.setattr(scipy.special, "expit", refuse)
    for function in ("logsumexp", "gammaln"):  # these only check certificates
        plain = getattr(scipy.special, function)
        monkeypatch.setattr(scipy.special, function, lambda *a, f=plain, **k: f(*a, **k) * (1 + 1e-13))
    again = orr_release.load(text)
    assert told(again) == expected
    assert again.to_json() == text


@every
def test_scipy_has_no_say_in_a_law(name, monkeypatch):
    mechanism = made(name)
    expected, law = told(mechanism), mechanism.mechanism.law
    for module in (scipy.optimize, scipy.special):
        for function in module.__all__:
            if callable(getattr(module, function)) and not isinstance(getattr(module, function), type):
                monkeypatch.setattr(module, function, refuse)
    again = law.from_definition(law.problem, **law.definition())
    mine = told(Release(orr.Mechanism(again, mechanism.mechanism.asked), mechanism.domain))
    assert {**mine, "class": 0, "levels": mine["levels"][1:]} == {
        **expected,
        "class": 0,
        "levels": expected["levels"][1:],
    }


# The digest.


def test_a_mechanism_has_the_digest_of_its_file():
    mechanism = made("cells")
    text = mechanism.to_json()
    assert mechanism.digest == json.loads(text)["digest"]
    again = orr_release.load(text, digest=mechanism.digest)
    assert again.digest == mechanism.digest
    assert again == mechanism
    assert len({again, mechanism, made("balls")}) == 2
    with pytest.raises(ValueError, match=f"digest = '{made('balls').digest}' is that of another file"):
        orr_release.load(text, digest=made("balls").digest)
    assert (
        orr_release.load(text, digest=f"{mechanism.digest}\n") == mechanism
    )  # as a file beside a csv file has it
    for wrong in ("", mechanism.digest.removeprefix("sha256:"), mechanism.digest.upper()):
        with pytest.raises(ValueError, match=f"digest = '{wrong}' must be sha256: and 64 hexadecimal"):
            orr_release.load(text, digest=wrong)
    with pytest.raises(TypeError, match="digest must be a string, got bytes"):
        orr_release.load(text, digest=mechanism.digest.encode())


def test_a_file_is_not_written_over_that_of_another_mechanism(tmp_path):
    mechanism, path = made("cells"), tmp_path / "m.json"
    mechanism.save(path)
    mechanism.save(path)
    text = mechanism.to_json()
    assert orr_release.load(path) == mechanism
    with pytest.raises(FileExistsError, match=r"m\.json exists and has another digest"):
        made("balls").save(path)
    assert path.read_text("utf-8") == text
    (tmp_path / "empty.json").touch()
    made("balls").save(tmp_path / "empty.json")
    made("balls").save(os.devnull)


def test_names_belong_to_the_digest():
    plain = orr_release.kronecker([2, 3, 4], [1.0, 2.0, 3.0])
    named = made("domain")
    again = orr_release.load(plain.to_json())
    assert Release(again.mechanism, DOMAIN).digest == named.digest != again.digest
    assert again != named
    assert plain != orr_release.inductive([2, 3, 4], [1.0, 2.0, 3.0])
    assert plain != "plain"


def test_a_loaded_mechanism_keeps_the_digest_of_its_file(monkeypatch):
    """Another version of the package or another processor writes it differently; a release is bound to it."""
    for mechanism in (made("product"), made("forms")):
        text = changed(mechanism.to_json(), lambda s: s.update(epsilon=s["epsilon"] * (1 + 1e-15)))
        again = orr_release.load(text)
        assert again.digest == json.loads(text)["digest"] != mechanism.digest
    monkeypatch.setattr("orr_release.mechanism_file.write._package", lambda: "2.0")
    forms = orr_release.sampled([2, 3, 4], 2.0, 2)
    assert orr_release.load(forms.to_json()).digest == forms.digest
    assert orr_release.load(text).digest == json.loads(text)["digest"]


# Files that were changed.


@small
def test_every_leaf_is_under_the_digest(name):
    state = json.loads(made(name).to_json())
    for path in leaves(state):
        if path != ("digest",):
            with pytest.raises(ValueError, match=r"changed after|no mechanism file|version"):
                orr_release.load(json.dumps(put(state, path, other(at(state, path)))))


# What a file may say differently though its digest fits: words and labels; and numbers that do not matter, so
# that all claims still hold.
WORDS = {"construction", "method", "seconds", "name", "labels", "withheld"}
MINOR = {"deep", "fell_back", "stay", "edge", "asked", "weights", "neighbour_epsilons"}


@small
def test_claims_are_computed_again(name):
    state = content(made(name).to_json())
    paths = [path for path in leaves(state) if not WORDS & set(path) and path[0] != "certificate"]
    reasons = []
    for path in paths:
        try:
            again = orr_release.load(written(put(state, path, other(at(state, path)))))
        except ValueError as error:
            reasons.append(str(error))
        else:
            assert MINOR & set(path)
            level, errors = level_and_errors(again.mechanism.law)
            assert abs(level - state["epsilon"]) < 1e-8 * level
            assert np.abs(errors).max() < 1e-6
            assert np.abs(again.levels.neighbour_epsilons - state["neighbour_epsilons"]).max() < 1e-8 * level
    assert len(reasons) >= max(10, 0.6 * len(paths))
    assert all(reason.startswith(("mechanism", "epsilons[")) for reason in reasons)


@pytest.mark.parametrize("name", ["one flip", "cells", "repaired cells", "prices", "head", "alone", "beside"])
def test_a_certificate_is_computed_again(name):
    state = content(made(name).to_json())
    proof = "proof" if state["certificate"].get("proof") else "weights"
    paths = [path for path in leaves(state["certificate"]) if path[0] in (proof, "lower", "upper")]
    survived = []
    for path in paths:
        leaf = at(state["certificate"], path)
        try:
            orr_release.load(
                written(
                    put(state, ("certificate", *path), leaf * 1.001 if path[0] == "lower" else other(leaf))
                )
            )
        except ValueError:
            continue
        survived.append(path)
    # Prices may be next to nothing, and a single weight may be any.
    assert len(survived) <= len(paths) // 4
    assert ("lower",) not in survived
    assert ("upper",) not in survived


@small
def test_no_level_is_claimed_that_the_law_does_not_give(name):
    state = content(made(name).to_json())
    for claim in ("epsilon", "epsilons", "neighbour_epsilons", "flip_probabilities"):
        place = (claim,) if claim == "epsilon" else (claim, int(np.argmax(state[claim])))
        for share in (1 - 1e-8, 1.01):  # the least that is noticed, and a claim that is too high
            changed_claim = put(state, place, at(state, place) * share)
            with pytest.raises(ValueError, match=claim if claim != "epsilons" else "mechanism"):
                orr_release.load(written(changed_claim))


# Each change of a file is refused, with a reason: the mechanism, the place, the new value or how the old one
# changes, and the message. LEFT_OUT takes an entry away.
LEFT_OUT = object()
CHANGES = [
    ("cells", "epsilon", 1.0, r"mechanism.epsilon = 1.0 does not hold: the law gives 1.67"),
    ("cells", "law log_excess 0", 9.0, "may miss its level"),
    ("cells", "law log_excess", [1.0], "log_excess must be a list of"),
    ("cells", "law cells", lambda cells: [cells[0]] * len(cells), "must differ"),
    ("cells", "law cells", lambda cells: [[9] * 3, *cells[1:]], "no more flips than attributes"),
    ("cells", "law cells 0", [0, 1], "cells must be lists of 3"),
    ("cells", "law stay", LEFT_OUT, "law: Object missing required field `stay`"),
    ("cells", "law law", "cubes", "law.law: Invalid value 'cubes'"),
    ("cells", "law", LEFT_OUT, "Object missing required field `law`"),
    ("cells", "law more", 1, "law: Object contains unknown field `more`"),
    ("cells", "law deep", 0, "law.deep: Expected `bool`, got `int`"),
    ("cells", "asked", [0.5, 1.0, 0.8], "must be the levels achieved"),
    ("cells", "asked 2", 7000.0, r"asked\[2\]: Expected `float` <= 700"),
    ("cells", "asked", [0.5, 1.0], "asked must be a list of 3, got 2"),
    ("cells", "certificate weights", lambda weights: weights[::-1], "does not prove"),
    ("cells", "certificate weights", [], "weights must be a list of 3"),
    ("cells", "certificate upper", 9.0, "cannot be right"),
    ("cells", "kind", "Mechanism", "unknown field `certificate`"),
    ("cells", "kind", "Sampled", "unknown field"),
    ("cells", "sizes 2", 5, "does not hold"),
    ("cells", "sizes 2", 4.0, r"sizes\[2\]: Expected `int`, got `float`"),
    ("cells", "sizes 2", True, r"sizes\[2\]: Expected `int`, got `bool`"),
    ("cells", "sizes 2", 10**400, r"sizes\[2\]: Expected `int` <= 1000000"),
    ("cells", "sizes", [], "sizes: Expected `array` of length >= 1"),
    ("cells", "neighbour_exact 1", False, r"neighbour_exact\[1\] = False"),
    ("cells", "neighbour_exact", [True], "neighbour_exact must be a list of 3"),
    ("cells", "epsilon", True, "epsilon: Expected `float`, got `bool`"),
    ("cells", "epsilon", 10**400, "epsilon: Number out of range"),
    ("cells", "epsilon", -1, "epsilon: Expected `float` >= 0"),
    ("cells", "epsilon", "infinity", "epsilon: Expected `float`, got `str`"),
    ("cells", "kind", "\ud800", "a string that is no text"),
    ("two attributes", "case", "IV", "case = 'IV' is not that of these attributes"),
    ("fell back", "fell_back", [False] * 3, "is false, but its level is not the one asked"),
    ("fell back", "fell_back", [True], "fell_back must be a list of 3"),
    ("balls", "law balls 0 tilt", lambda tilt: tilt + 0.1, "tilt = .* is not that of these weights"),
    ("balls", "law balls 0 edge", 0, "edge: Expected `float` > 0"),
    ("balls", "law balls", [], "balls: Expected `array` of length >= 1"),
    ("balls", "law stay", None, "may miss its level"),
    ("balls", "law stay 0", "inf", r"stay\[0\]: Invalid enum value 'inf'"),
    ("ramp", "law slopes 0", lambda slope: slope * 0.99, "slopes must be those"),
    ("ramp", "law part 0", 1, "slopes must be those"),
    ("ramp", "law top", 1e9, "law.top = 1000000000.0 must be at most"),
    ("ramp", "law top", lambda top: top * 1.01, "may miss its level"),
    ("beside", "law chosen", [True] * 3, "must be some of the attributes"),
    ("beside", "law chosen", [False] * 3, "must be some of the attributes"),
    ("prices", "certificate proof pairs 0", [0, 1], r"pairs\[0\]: Expected `array` of length >= 3"),
    ("prices", "certificate proof pairs 0", [0, 1, 3], "a kind of attribute that does not exist"),
    ("prices", "certificate proof log_prices", [], "log_prices must be a list of"),
    ("domain", "domain attributes 0 labels", ["F", "M", "X"], "does not fit"),
    ("domain", "domain attributes 0 labels", ["F", "F"], "twice"),
    ("domain", "domain attributes 0 labels", ["F", 1], "all strings"),
    ("domain", "domain attributes 0 missing", LEFT_OUT, "missing required field `missing`"),
    ("domain", "domain attributes 0 missing", "maybe", "missing: Invalid enum value 'maybe'"),
    ("domain", "domain more", 1, "domain: Object contains unknown field `more`"),
    ("domain", "domain public", [{"name": "sex", "labels": []}], "twice"),
    ("domain", "domain withheld", [3], "withheld.*Expected `str`, got `int`"),
    ("forms", "sizes", [3, 4, 5], r"forms\[0\].mechanism must have the sizes"),
    ("forms", "epsilon", 3.9, "epsilon = 3.9 does not hold"),
    ("forms", "forms 0 mechanism epsilon", 3.9, r"forms\[0\].mechanism.epsilon = 3.9"),
    ("forms", "forms 0 attributes", [0, 0], r"forms\[0\].mechanism must have the sizes"),
    ("forms", "forms 0 attributes", [0, 7], r"forms\[0\].mechanism must have the sizes"),
    ("forms", "forms 0 attributes", [], r"forms\[0\].mechanism must have the sizes"),
    ("forms", "forms 2", lambda form: form | {"attributes": [1, 0]}, "must have the sizes"),
    ("forms", "forms", lambda forms: [forms[0], *forms], "no form twice"),
    ("forms", "forms", lambda forms: forms[:1], r"= \[2, 3, 4\] does not hold: the forms have \[2, 3\]"),
    ("forms", "forms", lambda forms: forms * 100, "forms must be at most 200: 300"),
    ("forms", "forms", [], "forms: Expected `array` of length >= 1"),
    ("forms", "forms 0 mechanism kind", "Sampled", r"forms\[0\].mechanism.kind: Invalid value 'Sampled'"),
]


def edited(name, path, value):
    """Change one place of a file, and compute the digest anew."""
    *outer, last = [int(key) if key.isdigit() else key for key in path.split()]

    def change(state):
        there = at(state, outer)
        if value is LEFT_OUT:
            del there[last]
        else:
            there[last] = value(there[last]) if callable(value) else value

    return changed(made(name).to_json(), change)


@pytest.mark.parametrize(("name", "path", "value", "reason"), CHANGES)
def test_the_reason_is_given(name, path, value, reason):
    with pytest.raises(ValueError, match=reason):
        orr_release.load(edited(name, path, value))


def test_labels_that_are_exchanged_leave_no_trace():
    """A digest is no signature."""
    assert orr_release.load(made("domain").to_json()).domain == DOMAIN
    swapped = edited("domain", "domain attributes 0 labels", ["M", "F"])
    assert orr_release.load(swapped).domain.labels[0] == ("M", "F")


# Files that would take long.


def test_what_constructions_make_is_within_the_limits():
    search, guarded = (import_module(f"orr.{name}") for name in ("optimum.search", "caps.guarded"))
    engine = column_generation
    for k in {int(k) for k in np.logspace(0, 6, 1000)}:
        steps = min(
            search.MAX_STEPS, max(engine.FIT_WORK / engine.MIN_FITS, engine.MIN_BALL_STATES_LIMIT * k)
        )
        states = 2 * min(engine.MAX_BALL_STATES, steps / k)  # the soft edge is not wider than what is inside
        assert states <= min(entries.MAX_FILE_BALL_STATES, read.MAX_ROOT_STATES // math.isqrt(k))
    assert ramp_search.RAMP_STATES <= read.MAX_RAMP_STATES
    assert read.LOG_WORK * guarded.MAX_RAMP_WORK <= read.MAX_WORK
    assert 2 * search.MAX_STEPS <= read.MAX_WORK
    # Weights of at least 1 add less than half of the units to them.
    assert 1.5 * guarded.WEIGHT_TOTAL <= entries.MAX_WEIGHT_TOTAL
    assert 2**guarded.MAX_CELLS_LOG2 <= read.MAX_PRICED_CELLS


def repeated(count, **entry):
    return lambda law: law | {"balls": [law["balls"][-1] | entry] * count, "masses": [0.1] * count}


def thresholds(weights):
    return {"proof": "thresholds", "weights": weights, "low": 1.0, "high": 9}


PRICES = {"proof": "prices", "weights": [1.0] * 20, "pairs": [[0, 1, 0]], "log_prices": [0.0]}
PROOF = "certificate proof"


@pytest.mark.parametrize(
    ("name", "path", "value", "reason"),
    [
        ("ramp", "law top", lambda top: top * 1e5, "law.top = .* must be at most"),
        ("ramp", "law top", lambda top: top * 2, "law.top would take too long"),
        ("balls", "law", repeated(1, states=10**7), r"balls\[0\].states: Expected `int` <= 1000000"),
        ("balls", "law", repeated(10**4, tilt=0.0), "law.balls would take too long"),
        ("balls", "law", repeated(1, states=10**5), "law.balls would take too long"),
        ("ramp", PROOF, thresholds([10**7] * 20), r"weights\[0\]: Expected `int` <= 30000"),
        ("ramp", PROOF, thresholds([1501] * 20), "weights add up to 30020"),
        ("ramp", PROOF, PRICES, "pairs must be those of at most 4096 cells"),
    ],
)
def test_what_would_take_long_is_refused_before_it_is_begun(name, path, value, reason, monkeypatch):
    """Small files could ask for hours and gigabytes."""
    text = edited(name, path, value)
    monkeypatch.setattr(Ball, "add", refuse)
    monkeypatch.setattr(ball, "is_tilt", lambda *_: True)
    monkeypatch.setattr(read, "MAX_WORK", 4 * 10**5)
    if path != PROOF:
        monkeypatch.setattr(RampWeights, "add", refuse)
    with pytest.raises(ValueError, match=reason):
        orr_release.load(text)


def test_all_forms_share_the_budget(monkeypatch):
    mechanism = Release(
        {
            (0, 1, 2, 3): ball_mechanism([2, 3, 4, 5], [0.5, 1.0, 1.5, 2.0]),
            (1, 2, 3, 4): ball_mechanism([3, 4, 5, 2], [1.0, 1.5, 2.0, 0.5]),
        }
    )
    text, spent, spend = mechanism.to_json(), [], read._Budget.spend
    monkeypatch.setattr(read._Budget, "spend", lambda b, n, where: spent.append(n) or spend(b, n, where))
    orr_release.load(text)
    one, other = spent
    monkeypatch.setattr(read, "MAX_WORK", one + other)
    orr_release.load(text)
    monkeypatch.setattr(read, "MAX_WORK", one + other - 1)
    with pytest.raises(ValueError, match=r"forms\[1\].mechanism.law.balls would take too long"):
        orr_release.load(text)


def test_certificates_of_many_forms_are_left_to_their_readers(monkeypatch):
    """What takes long is not done hundreds of times: a reader may ask for it."""
    mechanism, checked = orr_release.sampled(range(2, 8), 2.0, 5), []
    assert len({str(m) for _, m in mechanism.forms}) > 2
    text, verify = mechanism.to_json(), Certificate.verify
    monkeypatch.setattr(Certificate, "verify", lambda c: checked.append(c) or verify(c))
    orr_release.load(text)
    whole = len(checked)
    checked.clear()
    certificate = mechanism.forms[0][1].certificate
    problem = certificate.law.problem
    work = read._law_work(certificate.law) + read._weights_work(problem, certificate.weights)
    monkeypatch.setattr(read, "MAX_WORK", 2 * read.REPEATED * 1.5 * work)
    monkeypatch.setattr(read._Budget, "spend", lambda b, numbers, where: None)
    assert orr_release.load(text) == mechanism
    assert 0 < len(checked) < whole


def test_a_long_verification_is_left_to_the_reader(monkeypatch):
    lie = changed(
        made("many balls").to_json(), lambda s: s["certificate"].update(lower=s["certificate"]["upper"])
    )
    with pytest.raises(ValueError, match="does not prove what it says"):
        orr_release.load(lie)
    monkeypatch.setattr(read, "QUICK_WORK", 0)
    assert orr_release.load(lie).mechanism.certificate.verify() is False


def test_a_file_that_is_too_long_is_not_read(tmp_path, monkeypatch):
    made("product").save(tmp_path / "mechanism.json")
    text = made("product").to_json()
    monkeypatch.setattr(entries, "MAX_BYTES", len(text))
    assert orr_release.load(tmp_path / "mechanism.json") == orr_release.load(text)
    monkeypatch.setattr(entries, "MAX_BYTES", len(text) - 2)
    endless = ["/dev/zero"] if Path("/dev/zero").exists() else []  # it tells no size
    for source in [text, tmp_path / "mechanism.json", *endless]:
        with pytest.raises(ValueError, match=f"a mechanism file has at most {len(text) - 2} bytes"):
            orr_release.load(source)
    with pytest.raises(ValueError, match=f"a mechanism file has at most {len(text) - 2} bytes"):
        made("product").to_json()


def test_a_key_twice_is_found_at_once():
    """In proportion to the number of keys: with its square this would take a quarter of an hour."""
    keys = ",".join(f'"k{i}":0' for i in range(300_000))
    with pytest.raises(ValueError, match="'k7' twice"):
        orr_release.load("{" + keys + ',"k7":0}')


def test_a_long_word_of_a_file_is_not_repeated():
    for path, value in (("x" * 10**5, 1), ("kind", "x" * 10**5), ("law law", "x" * 10**5)):
        with pytest.raises(ValueError, match="mechanism") as caught:
            orr_release.load(edited("product", path, value))
        assert len(str(caught.value)) <= read.MAX_MESSAGE


# The text of a file.


@examples(20)
@given(seed=st.integers(0, 2**32), indent=st.sampled_from([None, 0, 3, "\t"]))
def test_order_and_spaces_do_not_matter(seed, indent):
    text = made("prices").to_json()

    def shuffled(value):
        if isinstance(value, dict):
            return {key: shuffled(value[key]) for key in random.Random(seed).sample(list(value), len(value))}
        return [shuffled(v) for v in value] if isinstance(value, list) else value

    again = json.dumps(shuffled(json.loads(text)), indent=indent)
    assert orr_release.load("\n " + again).to_json() == text


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('"version": 1,', '"version": 2,', "has version 2 of the format, and this package reads up to 1"),
        ('"version": 1,', '"version": true,', "must be a whole number"),
        ('"version": 1,', "", "must be a whole number"),
        ('"format": "orr mechanism",', "", "no mechanism file"),
        ('"orr mechanism"', '"another"', "no mechanism file"),
        ('"kind": "Mechanism",', '"kind": "Mechanism", "kind": "Mechanism",', "'kind' twice"),
        ('"sizes": [2, 3]', '"sizes": [NaN, 3]', "NaN, which is no number"),
        ('"sizes": [2, 3]', '"sizes": [2, -Infinity]', "-Infinity, which is no number"),
        ('"sizes": [2, 3]', '"sizes": [2, 1e999]', "1e999, which is no number"),
        ('"sizes": [2, 3]', '"sizes": [2, 3', "no mechanism file: Expecting"),
        ('"sizes": [2, 3]', '"sizes": [2, 4]', "changed after it was written"),
        ('"sizes": [2, 3]', '"sizes": ' + "[" * 10**5, "brackets"),
        ('"digest"', '"digests"', "has no digest"),
        ("sha256:", "sha256:0", "changed after it was written"),
    ],
)
def test_what_is_no_file(old, new, reason):
    text = made("product").to_json()
    assert old in text
    with pytest.raises(ValueError, match=reason):
        orr_release.load(text.replace(old, new, 1))


def test_paths_and_texts(tmp_path):
    mechanism = made("cells")
    mechanism.save(tmp_path / "mechanism.json")
    text = mechanism.to_json()
    assert (tmp_path / "mechanism.json").read_text("utf-8") == text
    for source in (tmp_path / "mechanism.json", str(tmp_path / "mechanism.json"), text, "\ufeff" + text):
        assert orr_release.load(source).to_json() == text
    (tmp_path / "mechanism.json").write_text("\ufeff" + text, "utf-8")
    assert orr_release.load(tmp_path / "mechanism.json").to_json() == text
    (tmp_path / "bytes").write_bytes(b"\xff\xfe{")
    with pytest.raises(ValueError, match="not UTF-8"):
        orr_release.load(tmp_path / "bytes")
    for missing in (tmp_path / "nothing.json", "nothing.json", "3", Path("null")):
        with pytest.raises(FileNotFoundError):
            orr_release.load(missing)
    for nothing in ("", " \n", "\ufeff", "[]", "null", " true", '"a"', "a,b\n1,2"):
        with pytest.raises(ValueError, match="this is no mechanism file"):
            orr_release.load(nothing)
    with pytest.raises(ValueError, match="neither the path nor the text of a mechanism file"):
        orr_release.load("x" * 5000)
    with pytest.raises(TypeError, match="path of a mechanism file or its text, got dict"):
        orr_release.load({})


def test_a_file_can_be_read_by_people():
    text = made("many balls").to_json()
    assert max(map(len, text.splitlines())) <= 110
    assert text.isascii()


def test_the_extra_is_named_where_it_is_missing():
    code = "import sys; sys.modules['msgspec'] = None; import orr, orr_release"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert 'releases need msgspec, which is not installed: pip install ".[release]"' in done.stderr


# The schema follows from the types.


def test_the_stored_schema_is_that_of_the_types():
    """If not: python tools/schema.py."""
    assert schema.STORED.read_text("utf-8") == schema.text()
    Draft202012Validator.check_schema(VALIDATOR.schema)
    for name in SMALL:
        state = json.loads(made(name).to_json())
        assert not VALIDATOR.is_valid(state | {"more": 1})
        assert not VALIDATOR.is_valid({key: value for key, value in state.items() if key != "digest"})
        assert not VALIDATOR.is_valid(put(state, ("sizes", 0), 1))


# A file of the first version.


def test_an_old_file_is_read_as_it_was_written():
    mechanism = orr_release.load(FOLDER / "golden.json")
    golden = json.loads((FOLDER / "golden_estimate.json").read_text("utf-8"))
    assert mechanism.domain.names == ("sex", "smokes", "children")
    released = np.indices(mechanism.sizes).reshape(3, -1).T.repeat(np.arange(1, 25), axis=0)
    counts = mechanism.estimate(released, [0, 1, 2]).counts.ravel()
    factors = [mechanism.mechanism.law.rho(set(c)) for c in ({0, 1}, {0, 2}, {1, 2}, {0, 1, 2})]
    assert [x.hex() for x in factors] == golden[
        "rho"
    ]  # sums, products and quotients: the same on all machines
    assert counts == pytest.approx([float.fromhex(x) for x in golden["counts"]], rel=1e-12)
    if [x.hex() for x in mechanism.mechanism.problem.w.tolist()] == golden[
        "w"
    ]:  # else numpy's exponentials differ
        assert [x.hex() for x in counts.tolist()] == golden["counts"]


# Broken mutants.


def test_a_file_without_repairs_is_caught(monkeypatch):
    mechanism = made("balls")
    assert mechanism.mechanism.law.stay is not None
    definition = BallMixture.definition
    infinite = np.full(len(mechanism.sizes), np.inf)
    monkeypatch.setattr(BallMixture, "definition", lambda law: definition(law) | {"stay": infinite})
    with pytest.raises(ValueError, match="may miss its level"):
        check(mechanism)


def test_a_file_of_fifteen_digits_is_caught():
    mechanism = made("repaired cells")
    text = re.sub(r"\d+\.\d{9,}(e-\d+)?", lambda digits: f"{float(digits[0]):.15g}", mechanism.to_json())
    assert told(orr_release.load(written(content(text)))) != told(mechanism)


def test_a_recipe_in_place_of_the_law_is_caught(monkeypatch):
    mechanism = made("many balls")
    text = mechanism.to_json()
    monkeypatch.setattr("orr.laws.ball.is_tilt", lambda *args: True)
    moved = changed(text, lambda s: [b.update(tilt=b["tilt"] * (1 + 1e-9)) for b in s["law"]["balls"]])
    assert told(orr_release.load(moved)) != told(mechanism)
