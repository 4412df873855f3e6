"""What the book says that a machine has checked is there, is what was reviewed, and assumes nothing.

Where Coq is there it compiles the theories, once, and the proved checker judges fresh certificates.
"""

import copy
import hashlib
import json
import math
import re
import secrets
import shutil
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import checked
import ledger
import orr
from orr_audit import for_coq
from tests.common import some_slow
from tools import proofs

ROOT = Path(__file__).parents[2]
SOURCES = {path.name: path.read_text("utf-8") for path in sorted(proofs.SOURCE.glob("*.v"))}
DATA = checked.data()
FORBIDDEN = re.compile(
    r"\b(Axioms?|Admitted|admit|give_up|Parameters?|Conjectures?|Abort|bypass_check|Unset (?:Guard|Univ|Pos))"
)
STATED = r"^(?:Theorem|Lemma|Corollary) {}\b"
every_theorem = pytest.mark.parametrize("theorem", DATA["theorems"], ids=lambda theorem: theorem["name"])


def code(text):
    """Return a theory without its comments, which may be nested."""
    while (shorter := re.sub(r"\(\*(?:(?!\(\*|\*\)).)*\*\)", "", text, flags=re.DOTALL)) != text:
        text = shorter
    return text


def changed(files, sources):
    """Return the theories whose statements nobody has read since they changed, with their new hash."""
    found = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in sources.items()}
    return {name: now for name, now in found.items() if files.get(name, {}).get("sha256") != now}


def labels():
    """Return the labels of all theorems, lemmas and algorithms, each with its chapter."""
    found = {}
    for path in sorted(ROOT.glob("chapters/*.ipynb")):
        for cell in json.loads(path.read_text("utf-8"))["cells"]:
            for label in re.findall(r"^:::+\{prf:.*\n:label: (\S+)$", "".join(cell["source"]), re.MULTILINE):
                found[label] = path.stem
    return found


@pytest.fixture(scope="session")
def coq():
    """Compile what is not compiled yet."""
    if reason := proofs.missing():
        pytest.skip(f"THE PROOFS WERE NOT CHECKED: {reason}")
    with proofs.alone():
        proofs.compiled()


# ---- What can be read without Coq


def test_nothing_is_assumed_or_left_open():
    assert {name for name, text in SOURCES.items() if FORBIDDEN.search(code(text))} == set()


@pytest.mark.parametrize(
    "line", ["Axiom a : False.", "Admitted.", "by admit.", "Parameter p : nat.", "Conjecture c : False."]
)
def test_an_assumption_is_seen(line):
    assert FORBIDDEN.search(code(f"(* a note (* in *) another *) Lemma l : True.\n{line}"))
    assert not FORBIDDEN.search(code(f"(* {line} *)"))


def test_every_import_is_seen():
    for text in SOURCES.values():
        lines = re.findall(r"^From Orr Require (?:Import|Export) (.+)\.$", text, re.MULTILINE)
        assert len(lines) == text.count("From Orr")
        assert proofs.uses(text) == " ".join(lines).split()


def test_every_theory_was_read_beside_the_book():
    assert changed(DATA["files"], SOURCES) == {}
    assert list(DATA["files"]) == [f"{name}.v" for name in proofs.theories()]


def test_a_change_without_a_review_is_seen():
    spoilt = SOURCES | {"mixture.v": SOURCES["mixture.v"].replace("<= E /", "<= 2 * E /")}
    assert spoilt != SOURCES
    assert set(changed(DATA["files"], spoilt)) - set(changed(DATA["files"], SOURCES)) == {"mixture.v"}


@every_theorem
def test_theorem_is_stated_in_its_file(theorem):
    for name in [theorem["name"], *theorem.get("also", [])]:
        theory, _, stated = name.rpartition(".")
        text = code(SOURCES[f"{theory}.v" if theory else theorem["file"]])
        assert re.search(STATED.format(stated), text, re.MULTILINE), name


@every_theorem
def test_theorem_is_complete_and_leads_to_the_book(theorem):
    optional = {"also", "ledger"}
    assert {"file", "name", "chapter", "label", "says", "assumes", "differs"} == set(theorem) - optional
    assert labels()[theorem["label"]] == theorem["chapter"]
    assert set(theorem.get("ledger", [])) <= {row["paper"] for row in ledger.claims()}


def test_marks_are_those_of_the_theorems():
    assert set(DATA["marks"]) == {one["label"] for one in DATA["theorems"]}


def test_the_ledger_shows_what_is_checked():
    row = next(row for row in ledger.claims() if row["paper"] == "Optimality of the closed form")
    assert 'href="checked.html#checked-two-attributes"' in ledger.mark(row)
    assert ledger.mark({"paper": "Fig. 1"}) == ""


def test_files_named_on_the_page_exist():
    page = (ROOT / "pages" / "checked.md").read_text("utf-8")
    assert all((ROOT / name).is_file() for name in re.findall(r"`((?:proofs|tools|orr)/[\w./]+)`", page))
    shown = re.findall(r"```coq\n(.*?)```", page, re.DOTALL)[0].strip().split("\n\n")
    everything = " ".join("\n".join(SOURCES.values()).split())
    assert [part for part in shown if " ".join(part.split()).removesuffix(".") not in everything] == []


# ---- With Coq


def test_no_theorem_assumes_anything(coq):
    assert proofs.assumptions(proofs.names()) == proofs.CLOSED


def test_an_axiom_behind_a_theorem_is_seen(coq):
    text = "Axiom magic : False. Lemma anything : 1 = 2. Proof. destruct magic. Qed.\n"
    text += "Lemma plain (n : nat) : n = n. Proof. reflexivity. Qed.\n"
    assert proofs.run(text + proofs.together(["plain", "plain"])).stdout.strip() == proofs.CLOSED
    assert "magic" in proofs.run(text + proofs.together(["plain", "anything", "plain"])).stdout


def test_a_theorem_that_is_not_there_is_seen(coq):
    with pytest.raises(proofs.Wrong, match="not there"):
        proofs.assumptions(["mixture.no_such_theorem"])


@pytest.mark.parametrize(
    ("name", "right", "wrong", "fails"),
    [
        ("mixture", "/ a <= E / (E + a - 1).", "/ a <= 1 / (E + a - 1).", "mixture"),
        ("checker", "(s + y, b * n)", "(s + y, n)", "certificate"),  # a program that counts wrong
        pytest.param(
            "tight", "smallest in_program x,", "largest in_program x,", "tight", marks=pytest.mark.slow
        ),
    ],
)
def test_a_wrong_theory_does_not_compile(coq, tmp_path, name, right, wrong, fails):
    source = shutil.copytree(proofs.SOURCE, tmp_path / "source")
    built = shutil.copytree(proofs.BUILT, tmp_path / "built")
    text = SOURCES[f"{name}.v"]
    assert text.count(right) >= 1
    (source / f"{name}.v").write_text(text.replace(right, wrong, 1), "utf-8")
    if fails != name:
        proofs.compile_theory(name, source, built)
    with pytest.raises(proofs.Wrong, match=f"{fails}.v does not compile") as error:
        proofs.compile_theory(fails, source, built)
    assert "inconsistent assumptions" not in str(error.value)  # of files compiled at different times


# ---- Certificates


def fresh(k):
    """Return a certificate of a random problem, another one each time."""
    seed = secrets.randbits(32)
    rng = np.random.default_rng(seed)
    print(f"k = {k}, seed {seed}")
    return orr.optimal(rng.integers(2, 6, k), rng.uniform(0.5, 3.0, k)).certificate


def spoilt(given, what):
    """Return a certificate with one number changed."""
    given = copy.deepcopy(given)
    part = given["attributes"][0]
    if what == "raised claim":
        given["claim"] = [given["claim"][0] * (10**9 + 1), given["claim"][1] * 10**9]
    elif what == "changed weight":
        part["weight"] += sum(other["weight"] for other in given["attributes"])  # it may be 0
    elif what == "wrong q":
        part["most"] -= 1
    elif what == "wrong size":
        part["values"] += 1
    elif what == "wrong level":
        part["level"] = [part["level"][0] * 99, part["level"][1] * 100]
    return given


MUTANTS = ["raised claim", "changed weight", "wrong q", "wrong size", "wrong level"]


@pytest.mark.parametrize("k", [3, 30])
def test_the_claim_is_the_certificates_lower_bound(k):
    certificate = fresh(k)
    level = math.log1p(Fraction(*for_coq(certificate)["claim"]))
    assert certificate.lower * (1 - 1e-12) <= level <= certificate.upper
    assert level - 0.1 < math.log1p(Fraction(*for_coq(certificate, states=500)["claim"])) <= certificate.upper


def test_a_bound_without_weights_has_no_certificate_for_coq():
    certificate = replace(fresh(3), weights=None)
    with pytest.raises(ValueError, match="has none"):
        for_coq(certificate)


@pytest.mark.parametrize("states", [0, -3, 500.0, True, "500", math.nan])
def test_states_are_a_whole_number(states):
    with pytest.raises(ValueError, match=f"states = {states!r} must be a whole number of at least 1"):
        for_coq(orr.optimal([2, 3, 4], [0.5, 1.0, 0.7]).certificate, states)


def test_states_may_be_a_number_of_numpy():
    certificate = fresh(3)
    assert for_coq(certificate, np.int64(500)) == for_coq(certificate, 500)


# At 100 attributes with rounded weights: seconds instead of half a minute.
@pytest.mark.parametrize(
    ("k", "states"), some_slow([(3, None), (30, 2000), (100, 1000)], (30, 2000), (100, 1000))
)
def test_fresh_certificates_are_accepted_and_mutants_refused(coq, k, states):
    given = json.loads(json.dumps(for_coq(fresh(k), states)))
    assert proofs.accepts(given)
    for what in MUTANTS if k < 100 else MUTANTS[:1]:
        assert not proofs.accepts(spoilt(given, what)), what


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"unit": -1}, "-1 is not a natural number"),
        ({"claim": [1, 2, 3]}, "not of the form"),
        ({"attributes": [{"values": 2, "most": 1, "weight": 1, "level": [1, 1, 7]}]}, "not of the form"),
        ({"attributes": [{"values": 2, "most": 1, "weight": 1}]}, "'level' is not there"),
    ],
)
def test_what_is_no_certificate_is_refused_with_a_reason(change, said):
    with pytest.raises(proofs.Wrong, match=said):
        proofs.coq_certificate(for_coq(fresh(3)) | change)


def test_only_numbers_reach_coq():
    given = for_coq(fresh(3))
    with pytest.raises(proofs.Wrong, match="not a natural number"):
        proofs.accepts(given | {"claim": ["1 1. Axiom magic : False. (*", 1]})
