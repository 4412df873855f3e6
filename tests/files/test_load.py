"""Files: every law comes back to the last digit, no solver is asked, and no changed file gets through."""

import json
import math
import os
import random
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
from orr.caps import certificate as guard
from orr.caps import ramp
from orr.caps import ramp_search as clip
from orr.caps.ramp import RampWeights
from orr.laws import ball, fields, stored
from orr.laws.ball import Ball
from orr.laws.ball_mixture import BallMixture
from orr.laws.cells import Cells
from orr.laws.fields import Fields
from orr.laws.law import Lifted
from orr.optimum import column_generation
from orr.optimum.certificate import Certificate
from orr.optimum.verify import level_and_errors
from orr_release import Release
from orr_release.mechanism_file import load as loading
from orr_release.mechanism_file import text as releases
from orr_release.mechanism_file.effort import effort
from orr_release.mechanism_file.text import written
from orr_release.mechanism_file.write import state as state_of
from tests.common import CONSTRUCTIONS, ball_mechanism, examples, problems
from tests.files.common import (
    DOMAIN,
    LARGE,
    SCHEMA,
    SMALL,
    at,
    changed,
    content,
    leaves,
    made,
    objects,
    other,
    put,
    some_leaves,
    told,
)

FOLDER = Path(__file__).parent
VALIDATOR = Draft202012Validator(SCHEMA)
every = pytest.mark.parametrize("name", [*SMALL, *LARGE])
small = pytest.mark.parametrize("name", SMALL)


@pytest.fixture(autouse=True, scope="module")
def version_once():
    """Look up the version of the package once, not for every file that is written: that takes longer."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(releases, "_package", cache(releases._package))
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


@every
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
    laws = [made(name).mechanism.law for name in [*SMALL, *LARGE]]
    assert {law.state()["law"] for law in laws} == set(stored.LAWS)
    repaired = {type(law) for law in laws if isinstance(law, Lifted) and law.stay is not None}
    assert {BallMixture, Cells} <= repaired
    proofs = [
        getattr(getattr(made(name).mechanism, "certificate", None), "proof", None)
        for name in [*SMALL, *LARGE]
    ]
    assert {type(proof).__name__ for proof in proofs} == {"Alone", "Head", "Prices", "Thresholds", "NoneType"}


def test_numbers_that_are_hardly_there():
    mechanism = orr_release.inductive([2, 3, 4], [1.0, 1.5, 2.0])
    state = state_of(mechanism)
    for value in (5e-324, 1e-320, 1.7976931348623157e308, 0.1 + 0.2, -0.0):
        again = content(written(state | {"epsilon": value}))["epsilon"]
        assert again.hex() == value.hex()


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
    expected, state = told(mechanism), json.loads(json.dumps(mechanism.mechanism.law.state()))
    for module in (scipy.optimize, scipy.special):
        for function in module.__all__:
            if callable(getattr(module, function)) and not isinstance(getattr(module, function), type):
                monkeypatch.setattr(module, function, refuse)
    law = stored.restored(mechanism.mechanism.problem, Fields(state, "law"))
    mine = told(Release(orr.Mechanism(law, mechanism.mechanism.asked), mechanism.domain))
    assert {**mine, "class": 0, "levels": mine["levels"][1:]} == {
        **expected,
        "class": 0,
        "levels": expected["levels"][1:],
    }


def test_a_solver_that_errs_changes_nothing(monkeypatch):
    mechanism = made("many balls")
    brentq = scipy.optimize.brentq
    monkeypatch.setattr(scipy.optimize, "brentq", lambda *a, **k: brentq(*a, **k) * (1 + 1e-9))
    assert told(orr_release.load(mechanism.to_json())) == told(mechanism)
    rebuilt = orr_release.optimal([2, 3, 4, 5] * 5, np.linspace(0.5, 2, 20))
    assert told(rebuilt)["rho"] != told(mechanism)["rho"]  # a recipe would not have been enough


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
    forms = orr_release.sampled([2, 3, 4], 2.0, 2)
    for mechanism in (made("product"), forms):
        text = changed(mechanism.to_json(), lambda s: s.update(epsilon=s["epsilon"] * (1 + 1e-15)))
        again = orr_release.load(text)
        assert again.digest == json.loads(text)["digest"] != mechanism.digest
    monkeypatch.setattr("orr_release.mechanism_file.text._package", lambda: "2.0")
    forms = orr_release.sampled([2, 3, 4], 2.0, 2)
    assert orr_release.load(forms.to_json()).digest == forms.digest
    assert orr_release.load(text).digest == json.loads(text)["digest"]


# Files that were changed.


@small
def test_every_leaf_is_under_the_digest(name):
    text = made(name).to_json()
    state = json.loads(text)
    for path in leaves(state):
        if path != ("digest",):
            with pytest.raises(ValueError, match=r"changed after|no mechanism file|version"):
                orr_release.load(json.dumps(put(state, path, other(at(state, path)))))


def test_there_are_many_leaves():
    assert sum(len(leaves(content(made(name).to_json()))) for name in SMALL) > 600


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


@pytest.mark.parametrize("share", [1 - 1e-8, 1.01])  # the least that is noticed, and a claim that is too high
@pytest.mark.parametrize("claim", ["epsilon", "epsilons", "neighbour_epsilons", "flip_probabilities"])
@small
def test_no_level_is_claimed_that_the_law_does_not_give(name, claim, share):
    state = content(made(name).to_json())
    value = state[claim]
    largest = int(np.argmax(value))
    state[claim] = (
        value * share
        if claim == "epsilon"
        else [v * (share if i == largest else 1) for i, v in enumerate(value)]
    )
    with pytest.raises(ValueError, match=claim if claim != "epsilons" else "mechanism"):
        orr_release.load(written(state))


def test_the_reason_is_given():
    text = made("cells").to_json()
    for change, reason in (
        (lambda s: s.update(epsilon=1.0), r"mechanism.epsilon = 1.0 does not hold: the law gives 1.67"),
        (lambda s: s["law"]["log_excess"].__setitem__(0, 9.0), "may miss its level"),
        (lambda s: s.update(asked=[0.5, 1.0, 0.8]), "must be the levels achieved"),
        (lambda s: s["law"].update(cells=[s["law"]["cells"][0]] * len(s["law"]["cells"])), "must differ"),
        (lambda s: s["certificate"]["weights"].reverse(), "does not prove"),
        (lambda s: s["certificate"].update(upper=9.0), "cannot be right"),
        (lambda s: s.update(kind="Mechanism"), "'certificate', which does not belong there"),
        (lambda s: s.update(sizes=[2, 3, 5]), "does not hold"),
        (lambda s: s.update(sizes=[2, 3, 4.0]), r"sizes\[2\] = 4.0 must be a whole number"),
        (lambda s: s.update(sizes=[]), "is empty"),
        (lambda s: s.update(neighbour_exact=[True, False, True]), r"neighbour_exact\[1\] = False"),
        (lambda s: s.pop("law"), "mechanism has no 'law'"),
        (lambda s: s["law"].pop("stay"), "mechanism.law has no 'stay'"),
        (lambda s: s["law"].update(law="cubes"), "law.law = 'cubes' must be one of"),
        (lambda s: s["law"].update(log_excess=[1.0]), "log_excess must be a list of"),
        (lambda s: s.update(asked=[0.5, 1.0, 7000.0]), r"epsilons\[2\] = 7000.0 must be"),
    ):
        with pytest.raises(ValueError, match=reason):
            orr_release.load(changed(text, change))


def test_balls_and_ramps_are_checked():
    for name, change, reason in (
        (
            "balls",
            lambda law: law["balls"][-1].update(tilt=law["balls"][-1]["tilt"] + 0.1),
            "tilt = .* is not that",
        ),
        ("balls", lambda law: law["balls"][-1].update(states=10**9), "states = 1000000000 must be"),
        ("balls", lambda law: law.update(stay=None), "may miss its level"),
        ("ramp", lambda law: law["slopes"].__setitem__(0, law["slopes"][0] * 0.99), "slopes must be those"),
        ("ramp", lambda law: law.update(top=1e9), "top = .* must be a number from"),
        ("ramp", lambda law: law.update(top=law["top"] * 1.01), "may miss its level"),
        ("beside", lambda law: law.update(chosen=[True] * 3), "must be some of the attributes"),
    ):
        with pytest.raises(ValueError, match=reason):
            orr_release.load(changed(made(name).to_json(), lambda s, change=change: change(s["law"])))


def test_a_domain_must_fit():
    text = made("domain").to_json()
    for change, reason in (
        (lambda d: d["attributes"][0]["labels"].append("X"), "does not fit"),
        (lambda d: d["attributes"][0].update(labels=["F", "F"]), "twice"),
        (lambda d: d["attributes"][0].update(labels=["F", 1]), "all strings"),
        (lambda d: d["attributes"][0].pop("missing"), "has no 'missing'"),
        (lambda d: d["attributes"][0].update(missing="maybe"), "must be one of"),
        (lambda d: d.update(more=1), "does not belong"),
        (lambda d: d["public"].append({"name": "sex", "labels": []}), "twice"),
        (lambda d: d.update(withheld=[3]), "not the name"),
    ):
        with pytest.raises(ValueError, match=reason):
            orr_release.load(changed(text, lambda s, change=change: change(s["domain"])))
    assert orr_release.load(text).domain == DOMAIN
    swapped = changed(text, lambda s: s["domain"]["attributes"][0].update(labels=["M", "F"]))
    assert orr_release.load(swapped).domain.labels[0] == ("M", "F")  # a digest is no signature


def test_forms_must_fit():
    text = orr_release.sampled([2, 3, 4], 2.0, 2).to_json()
    single = content(made("product").to_json())
    for change, reason in (
        (lambda s: s.update(sizes=[3, 4, 5]), r"forms\[0\].mechanism must have the sizes"),
        (lambda s: s["forms"][0].update(attributes=[0, 0]), r"forms\[0\].mechanism must have the sizes"),
        (lambda s: s["forms"][0].update(attributes=[]), r"forms\[0\].mechanism must have the sizes"),
        (lambda s: s["forms"][2].update(attributes=[0, 1], mechanism=single), "no form twice"),
        (
            lambda s: s.update(forms=s["forms"][:1]),
            r"sizes = \[2, 3, 4\] does not hold: the forms have \[2, 3\]",
        ),
        (lambda s: s["forms"][0].update(mechanism=content(text)), "must be one of a single form"),
        (lambda s: s.update(forms=s["forms"] * 100), "forms must be at most 200: 300"),
    ):
        with pytest.raises(ValueError, match=reason):
            orr_release.load(changed(text, change))


# Files that would take long.


def test_what_constructions_make_is_within_the_limits():
    search, guarded = (import_module(f"orr.{name}") for name in ("optimum.search", "caps.guarded"))
    engine = column_generation
    for k in {int(k) for k in np.logspace(0, 6, 1000)}:
        steps = min(
            search.MAX_STEPS, max(engine.FIT_WORK / engine.MIN_FITS, engine.MIN_BALL_STATES_LIMIT * k)
        )
        states = 2 * min(engine.MAX_BALL_STATES, steps / k)  # the soft edge is not wider than what is inside
        assert states <= min(ball.MAX_STATES, ball.KEPT // math.isqrt(k))
    assert clip.RAMP_STATES <= ramp.MAX_RAMP_STATES
    assert ramp.LOG_WORK * guarded.MAX_RAMP_WORK <= fields.ROOM
    assert 2 * search.MAX_STEPS <= fields.ROOM
    assert (
        1.5 * guarded.WEIGHT_TOTAL <= guard.MAX_WEIGHT_TOTAL
    )  # weights of at least 1 add less than half of the units to them
    assert 2**guarded.MAX_CELLS_LOG2 <= guard.MAX_PRICED_CELLS


def repeated(law, entry, count):
    law.update(balls=[law["balls"][-1] | entry] * count, masses=[0.1] * count)


def test_what_would_take_long_is_refused_before_it_is_begun(monkeypatch):
    """Small files could ask for hours and gigabytes."""
    for name, part, change, reason in (
        ("ramp", "law", lambda p: p.update(top=p["step"] * 1e5), "law.top = .* must be a number from"),
        (
            "balls",
            "law",
            lambda p: repeated(p, {"states": 10**7}, 1),
            r"balls\[0\].states = 10000000 must be",
        ),
        ("balls", "law", lambda p: repeated(p, {"tilt": 0.0}, 10**4), "law.balls would take too long"),
        ("balls", "law", lambda p: repeated(p, {"states": 10**5}, 1), "law.balls would take too long"),
        (
            "ramp",
            "certificate",
            lambda p: p.update(proof=thresholds([10**7] * 20)),
            r"weights\[0\] = 10000000",
        ),
        ("ramp", "certificate", lambda p: p.update(proof=thresholds([1501] * 20)), "weights add up to 30020"),
        (
            "ramp",
            "certificate",
            lambda p: p.update(proof=PRICES),
            "pairs must be those of at most 4096 cells",
        ),
    ):
        made(name)
        with monkeypatch.context() as patched:
            patched.setattr(Ball, "add", refuse)
            patched.setattr(ball, "is_tilt", lambda *_: True)
            patched.setattr(fields, "ROOM", 10**6)
            if part == "law":
                patched.setattr(RampWeights, "add", refuse)
            with pytest.raises(ValueError, match=reason):
                orr_release.load(
                    changed(made(name).to_json(), lambda s, change=change, part=part: change(s[part]))
                )


def thresholds(weights):
    return {"proof": "thresholds", "weights": weights, "low": 1.0, "high": 9}


PRICES = {"proof": "prices", "weights": [1.0] * 20, "pairs": [[0, 1, 0]], "log_prices": [0.0]}


def test_all_forms_share_the_room(monkeypatch):
    mechanism = Release(
        {
            (0, 1, 2, 3): ball_mechanism([2, 3, 4, 5], [0.5, 1.0, 1.5, 2.0]),
            (1, 2, 3, 4): ball_mechanism([3, 4, 5, 2], [1.0, 1.5, 2.0, 0.5]),
        }
    )
    text, spent = mechanism.to_json(), []
    plain = Fields.spend
    monkeypatch.setattr(Fields, "spend", lambda f, name, n: spent.append(n) or plain(f, name, n))
    orr_release.load(text)
    one, other = spent
    monkeypatch.setattr(fields, "ROOM", one + other)
    orr_release.load(text)
    monkeypatch.setattr(fields, "ROOM", one + other - 1)
    with pytest.raises(ValueError, match=r"forms\[1\].mechanism.law.balls would take too long"):
        orr_release.load(text)


def test_certificates_of_many_forms_are_left_to_their_readers(monkeypatch):
    """What takes long is not done hundreds of times: a reader may ask for it."""
    mechanism, checked = orr_release.sampled(range(2, 8), 2.0, 5), []
    assert len({str(m) for _, m in mechanism.forms}) > 2
    text = mechanism.to_json()
    plain = Certificate.verify
    monkeypatch.setattr(Certificate, "verify", lambda c: checked.append(c) or plain(c))
    orr_release.load(text)
    whole = len(checked)
    checked.clear()
    dear = effort(mechanism.forms[0][1].certificate)
    monkeypatch.setattr(fields, "ROOM", 2 * 8 * 1.5 * dear)
    monkeypatch.setattr(Fields, "spend", lambda f, name, n: None)
    assert orr_release.load(text) == mechanism
    assert 0 < len(checked) < whole


def test_a_file_that_is_too_long_is_not_read(tmp_path, monkeypatch):
    made("product").save(tmp_path / "mechanism.json")
    text = made("product").to_json()
    monkeypatch.setattr("orr_release.mechanism_file.text.MOST", len(text))
    assert orr_release.load(tmp_path / "mechanism.json") == orr_release.load(text)
    monkeypatch.setattr("orr_release.mechanism_file.text.MOST", len(text) - 2)
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


# The schema and the package allow the same.


@small
def test_the_schema_allows_no_other_objects(name):
    state = json.loads(made(name).to_json())
    for path in objects(state):
        there = at(state, path)
        for key in there:
            less = {k: v for k, v in there.items() if k != key}
            refused_by_both(put(state, path, less) if path else less)
        refused_by_both(put(state, path, there | {"more": 1}) if path else there | {"more": 1})


@small
def test_the_schema_allows_no_other_types(name):
    state = json.loads(made(name).to_json())
    for path in some_leaves(state):
        leaf = at(state, path)
        wrongs = [
            {},
            [leaf],
            *([[]] if leaf is not None else []),
            *(["?"] if not isinstance(leaf, str) else []),
        ]
        for wrong in wrongs:
            if path[-1] != "construction" or wrong != "?":
                refused_by_both(put(state, path, wrong))


HEAD = ("format", "version", "package", "digest")


@cache
def good_head():
    return json.loads(made("product").to_json())


def refused_by_both(document):
    """See that the schema and the package refuse a file, if need be with a digest that fits."""
    assert not VALIDATOR.is_valid(document)
    good = good_head()
    same = [document.get(name) == good[name] for name in HEAD[:3]] + [isinstance(document.get("digest"), str)]
    fits = written({name: value for name, value in document.items() if name not in HEAD})
    with pytest.raises(ValueError):  # noqa: PT011 (the reason is tested elsewhere)
        orr_release.load(fits if all(same) else json.dumps(document))


def test_the_schema_is_one():
    Draft202012Validator.check_schema(SCHEMA)


# Certificates are verified where that is quick.


def test_a_long_verification_is_left_to_the_reader(monkeypatch):
    mechanism = made("many balls")
    assert effort(mechanism.mechanism.certificate) < loading.QUICK
    lie = changed(mechanism.to_json(), lambda s: s["certificate"].update(lower=s["certificate"]["upper"]))
    with pytest.raises(ValueError, match="does not prove what it says"):
        orr_release.load(lie)
    monkeypatch.setattr(loading, "QUICK", 0)
    assert orr_release.load(lie).mechanism.certificate.verify() is False


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


# Each person is asked only some attributes.


@pytest.mark.parametrize("domain", [None, DOMAIN])
def test_forms_come_back(domain):
    mechanism = orr_release.sampled([2, 3, 4] if domain is None else domain, 4.0, 2)
    text = mechanism.to_json()
    VALIDATOR.validate(json.loads(text))
    again = orr_release.load(text)
    assert again.to_json() == text
    assert [form for form, _ in again.forms] == [form for form, _ in mechanism.forms]
    assert [told(Release(m)) for _, m in again.forms] == [told(Release(m)) for _, m in mechanism.forms]
    for change, reason in (
        (lambda s: s.update(epsilon=3.9), "epsilon = 3.9 does not hold"),
        (lambda s: s["forms"][0]["mechanism"].update(epsilon=3.9), r"forms\[0\].mechanism.epsilon = 3.9"),
        (lambda s: s["forms"].pop(), "."),
        (lambda s: s["forms"][1].update(attributes=s["forms"][0]["attributes"]), "."),
        (lambda s: s["forms"][1].update(attributes=[0, 7]), "attributes"),
        (lambda s: s.update(forms=[]), "."),
        (lambda s: s["forms"][0].update(mechanism=content(text)), "must be one of a single form|."),
    ):
        with pytest.raises(ValueError, match=reason):
            orr_release.load(changed(text, change))


# Broken mutants.


def test_a_file_without_repairs_is_caught(monkeypatch):
    mechanism = made("balls")
    assert mechanism.mechanism.law.stay is not None
    state = type(mechanism.mechanism.law).state
    monkeypatch.setattr(type(mechanism.mechanism.law), "state", lambda law: state(law) | {"stay": None})
    with pytest.raises(ValueError, match="may miss its level"):
        check(mechanism)


def test_a_file_of_fifteen_digits_is_caught(monkeypatch):
    mechanism = made("repaired cells")
    text = mechanism.to_json()

    def rounded(value):
        if isinstance(value, dict):
            return {key: rounded(v) for key, v in value.items()}
        if isinstance(value, list):
            return [rounded(v) for v in value]
        return float(f"{value:.15g}") if isinstance(value, float) else value

    again = orr_release.load(written(rounded(content(text))))
    assert told(again) != told(mechanism)


def test_a_recipe_in_place_of_the_law_is_caught(monkeypatch):
    mechanism = made("many balls")
    text = mechanism.to_json()
    monkeypatch.setattr("orr.laws.ball.is_tilt", lambda *args: True)
    moved = changed(text, lambda s: [b.update(tilt=b["tilt"] * (1 + 1e-9)) for b in s["law"]["balls"]])
    assert told(orr_release.load(moved)) != told(mechanism)
