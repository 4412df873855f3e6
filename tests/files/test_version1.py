"""Files of version 1, written by an earlier package: they are read for ever, to the last bit."""

import json
from pathlib import Path

import numpy as np
import pytest

import orr
import orr_release
from orr_release import Release

FOLDER = Path(__file__).with_name("version1")
GOLDEN = json.loads(FOLDER.with_suffix(".json").read_text("utf-8"))
LEVELS = ("epsilon", "epsilons", "neighbour_epsilons", "flip_probabilities")


def hexadecimal(values):
    return [x.hex() for x in np.ravel(values).tolist()]


def same_processor():
    """Return whether exponentials, logarithms and sums of products have the bits of the golden numbers.

    They may differ in the last bit between kinds of processor.
    """
    x, y = np.linspace(0.01, 5, 100), np.random.default_rng(1).random((3, 333))
    functions = np.concatenate([f(x) for f in (np.exp, np.expm1, np.log, np.log1p)])
    sums = [float(y[0][:n] @ y[1][:n]) for n in range(1, 334, 7)], y @ y.T, y[0] @ y.T
    same = hexadecimal(functions) == GOLDEN.pop("exponentials")
    return [bit for s in sums for bit in hexadecimal(s)] == GOLDEN.pop("sums") and same


SAME_PROCESSOR = same_processor()
OPTIONS = {"plain": {}, "weighted": {"weights": np.linspace(0.5, 2, 400)}}


def read(name):
    return orr_release.load(FOLDER / f"{name.replace(' ', '_')}.json")


@pytest.mark.parametrize("name", GOLDEN)
def test_it_says_what_it_said(name):
    mechanism, golden = read(name), GOLDEN[name]
    assert ("Sampled" if mechanism.sampled else type(mechanism.mechanism).__name__) == golden["class"]
    assert mechanism.digest == golden["digest"]
    assert mechanism.levels.neighbour_exact.tolist() == golden["exact"]
    for level in LEVELS:
        found = np.ravel(getattr(mechanism.levels, level))
        if SAME_PROCESSOR:
            assert found.tolist() == golden["levels"][level]
        np.testing.assert_allclose(found, golden["levels"][level], rtol=1e-12)
    text = (FOLDER / f"{name.replace(' ', '_')}.json").read_text("utf-8")
    computed = ("digest", *LEVELS)  # by another processor
    again, before = ({**json.loads(t), **dict.fromkeys(computed)} for t in (mechanism.to_json(), text))
    assert again == before


def estimated(name, table, how):
    """Estimate a table from records that the mechanism releases with a seed."""
    mechanism = read(name)
    if mechanism.domain is not None:
        mechanism = Release(dict(mechanism.forms) if mechanism.sampled else mechanism.mechanism)
    k = len(mechanism.sizes)
    records = np.random.default_rng(11).integers(mechanism.sizes, size=(400, k))
    options = OPTIONS[how] if how in OPTIONS else {"given": {k - 1: 1}} if k - 1 not in table else {}
    return mechanism.estimate(mechanism.perturb(records, rng=3), table, **options)


@pytest.mark.parametrize(
    ("name", "table"), [(name, table) for name in GOLDEN for table in GOLDEN[name]["estimates"]]
)
@pytest.mark.filterwarnings("ignore::orr_release.Filtered")
def test_it_estimates_what_it_estimated(name, table):
    golden = GOLDEN[name]["estimates"][table]
    attributes, _, how = table.partition("]")
    if isinstance(golden, str):
        with pytest.raises((orr.NotRecoverable, ValueError)):
            estimated(name, json.loads(attributes + "]"), how)
        return
    found = estimated(name, json.loads(attributes + "]"), how)
    numbers = {
        "counts": found.counts,
        "errors": found.standard_errors,
        "sampling": found.errors(sampling=True),
    }
    for what, values in numbers.items():
        if SAME_PROCESSOR:
            assert hexadecimal(values) == golden[what]
        np.testing.assert_allclose(values.ravel(), [float.fromhex(x) for x in golden[what]], rtol=1e-9)
