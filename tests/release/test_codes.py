"""Records in and out: arrays and single records come back as they were, and bad ones are named."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import orr_release
from orr_release import Release
from orr_release.codes import read, write
from tests.common import CONSTRUCTIONS

RECORDS = [
    ([[0, 3]], ValueError, r"records\[0, 1\] is out of range: attribute 1 has values 0 to 2 \(.*not shown"),
    ([[0, 0], [-1, 0]], ValueError, r"records\[1, 0\] is out of range"),
    ([[0.0, 1.0]], TypeError, "records must be integers, got float64$"),
    ([[0.0, np.nan]], TypeError, "records must be integers"),
    ([[True, False]], TypeError, "records must be integers, got bool"),
    ([["a", "b"]], TypeError, "records must be integers"),
    ([[None, 1]], TypeError, "records must be integers, got object"),
    ([0, 1, 1], ValueError, r"shape \(n, 2\), one row a record, or \(2,\), a single one; got \(3,\)"),
    ([0], ValueError, r"got \(1,\)"),
    ([0, 3], ValueError, r"records\[0, 1\] is out of range"),
    ([0.0, 1.0], TypeError, "records must be integers, got float64$"),
    (["F", "M"], TypeError, "records must be integers"),
    (pd.DataFrame({"a": [0], "b": [1]}), TypeError, r"neither names nor labels: declare them, .*Domain"),
    (pd.Series([0, 1]), TypeError, "neither names nor labels"),
    ({"a": 0, "b": 1}, TypeError, "neither names nor labels"),
    ([[0, 1, 1]], ValueError, r"got \(1, 3\)"),
    (np.zeros((2, 2, 2), dtype=int), ValueError, r"got \(2, 2, 2\)"),
    (5, ValueError, r"got \(\)"),
    ([[0, 1], [1]], ValueError, r"shape \(n, 2\)"),
    (None, ValueError, r"got \(\)"),
    (np.ma.array([[0, 1]], mask=[[0, 1]]), ValueError, "masked"),
]


@pytest.mark.parametrize(("records", "error", "words"), RECORDS)
@pytest.mark.parametrize("name", CONSTRUCTIONS)
def test_bad_records(name, records, error, words):
    mechanism = CONSTRUCTIONS[name]([2, 3], [1.0, 1.0])
    with pytest.raises(error, match=words):
        mechanism.perturb(records, 1)
    with pytest.raises(error, match=words):
        mechanism.estimate(records, 0)


@pytest.mark.parametrize("name", CONSTRUCTIONS)
@pytest.mark.parametrize("records", [[], np.empty((0, 2), dtype=np.int8), np.empty((0, 2))])
def test_zero_rows(name, records):
    released = CONSTRUCTIONS[name]([2, 3], [1.0, 1.0]).perturb(records, 1)
    assert released.shape == (0, 2)
    assert released.dtype.kind == "i"


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_types_too_narrow_for_a_release(dtype):
    mechanism = orr_release.kronecker([300, 2], [0.1, 0.1])
    with pytest.raises(ValueError, match="cannot hold the values 0 to 299"):
        mechanism.perturb(np.zeros((5, 2), dtype=dtype), 1)
    named = Release(mechanism.mechanism, orr_release.Domain({"a": 300, "b": 2}))
    with pytest.raises(ValueError, match="column 'a' of type"):
        named.perturb(pd.DataFrame(np.zeros((5, 2), dtype=dtype), columns=["a", "b"]), 1)


@pytest.mark.parametrize("name", CONSTRUCTIONS)
@pytest.mark.parametrize("record", [[1, 2], (1, 2), np.array([1, 2], dtype=np.uint8)])
def test_one_record(name, record):
    released = CONSTRUCTIONS[name]([2, 3], [1.0, 1.0]).perturb(record, 1)
    assert released.shape == (2,)
    assert released.dtype == np.asarray(record).dtype


def test_the_one_record_of_one_attribute():
    sizes = np.array([3])
    assert read([2], sizes).tolist() == [[2]]
    assert write(read([2], sizes), [2], sizes).tolist() == [2]
    assert write(read([[2]], sizes), [[2]], sizes).tolist() == [[2]]
    with pytest.raises(ValueError, match=r"got \(2,\)"):
        read([2, 1], sizes)


DOMAIN = orr_release.Domain(
    {"blood": ["0", "A", "B", "AB"], "smokes": [False, True], "band": [10, 20, 40], "state": ["x", "y"]},
    public=["state"],
    missing={"smokes": "value"},
)
LABELS = st.tuples(*(st.sampled_from(labels) for labels in DOMAIN.labels))


@given(LABELS, st.permutations([*DOMAIN.names, "state", "name"]))
def test_a_record_by_names(labels, order):
    values = dict(zip(DOMAIN.names, labels, strict=True)) | {"state": "y", "name": "Kim"}
    record = {name: values[name] for name in order}
    codes = read(record, DOMAIN)
    assert codes.tolist() == [[DOMAIN.code(n, v) for n, v in zip(DOMAIN.names, labels, strict=True)]]
    released = write(codes, record, DOMAIN)
    assert list(released.items()) == [(n, v) for n, v in record.items() if n != "name"]
    assert [type(v) for v in released.values()] == [type(record[n]) for n in released]


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, pd.NaT, float("nan"), np.float32("nan")])
def test_missing_values_of_a_record(missing):
    record = {"blood": np.str_("A"), "smokes": missing, "band": np.int8(20), "state": None}
    codes = read(record, DOMAIN)
    assert codes.tolist() == [[1, 2, 1]]
    assert write(codes, record, DOMAIN) == {"blood": "A", "smokes": None, "band": 20, "state": None}


def test_gaps_of_records():
    record = {"blood": "A", "smokes": True, "band": 20, "state": "x"}
    assert read(record, DOMAIN, gaps=True).dtype == np.int8
    released = write(np.array([[-1, 2, 0]]), record, DOMAIN, gaps=True, form=np.array([4]))
    assert released == {"blood": None, "smokes": None, "band": 10, "state": "x", "form": 4}
    assert read(released, DOMAIN, gaps=True, complete=False).tolist() == [[-1, 2, 0]]
    with pytest.raises(ValueError, match="'blood' is missing"):
        read(released, DOMAIN, gaps=True)


def test_gaps_of_arrays():
    sizes = np.array([2, 3])
    codes = read([[-1, 2], [1, -1]], sizes, gaps=True, complete=False)
    assert write(codes, [[-1, 2], [1, -1]], sizes, gaps=True) is codes
    for given_codes, options, words in [
        ([[-1, 2]], {"gaps": True}, "out of range"),
        ([[-1, 2]], {}, "out of range"),
        ([[-2, 2]], {"gaps": True, "complete": False}, "out of range"),
        (np.zeros((1, 2), dtype=np.uint8), {"gaps": True}, "cannot hold the values -1 to 2"),
    ]:
        with pytest.raises(ValueError, match=words):
            read(given_codes, sizes, **options)


def test_only_the_attributes_asked_for_are_checked():
    assert read([[0, 9, 2], [1, 9, 0]], np.array([2, 3, 4]), [2, 0]).tolist() == [[2, 0], [0, 1]]
    with pytest.raises(ValueError, match=r"records\[1, 2\] is out of range: attribute 2 has values 0 to 3"):
        read([[0, 0, 2], [1, 0, 7]], np.array([2, 3, 4]), [0, 2])


def test_arrays_are_not_copied():
    records = np.zeros((4, 2), dtype=np.int16)
    assert np.shares_memory(read(records, np.array([2, 3])), records)
    assert read(records, orr_release.Domain({"a": 2, "b": 3})).dtype == np.int16  # with a domain as well


def frame():
    return pd.DataFrame(
        {
            "blood": pd.Categorical(["A", "B", "0", "A"], categories=["0", "A", "B"]),
            "state": ["x", "y", "y", "x"],
            "smokes": [True, False, True, True],
            "band": [10, 40, 20, 20],
        },
        index=["p", "q", "r", "s"],
    )


def test_data_frames_keep_their_labels():
    domain = orr_release.Domain(
        {"blood": ["0", "A", "B", "AB"], "band": [10, 20, 40], "smokes": [False, True]}
    )
    mechanism = orr_release.kronecker(domain, [700.0, 700.0, 700.0])
    wanted = frame().drop(columns="state").reset_index(drop=True).astype({"blood": "str"})
    pd.testing.assert_frame_equal(mechanism.perturb(frame()), wanted)
    with pytest.warns(orr_release.Seeded, match="Leave rng out for a real release"):
        private = orr_release.inductive(domain, [0.1, 0.1, 0.1]).perturb(pd.concat([frame()] * 200), 1)
    assert set(private["blood"]) == {"0", "A", "B", "AB"}
    assert set(private["band"]) == {10, 20, 40}
    assert private.dtypes.equals(wanted.dtypes)
    assert private.index.equals(pd.RangeIndex(800))
    np.testing.assert_allclose(mechanism.estimate(wanted, "blood").counts, [1, 2, 1, 0], atol=1e-9)
