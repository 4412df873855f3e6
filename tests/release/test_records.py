"""Records in and out: arrays and data frames come back as they were, and bad ones are named."""

import numpy as np
import pandas as pd
import pytest

import orr
from tests.common import CONSTRUCTIONS

RECORDS = [
    ([[0, 3]], ValueError, r"records\[0, 1\] is out of range: attribute 1 has values 0 to 2 \(.*not shown"),
    ([[0, 0], [-1, 0]], ValueError, r"records\[1, 0\] is out of range"),
    ([[0.0, 1.0]], TypeError, "records must be integers, got float64$"),
    ([[0.0, np.nan]], TypeError, "records must be integers"),
    ([[True, False]], TypeError, "records must be integers, got bool"),
    ([["a", "b"]], TypeError, "records must be integers"),
    ([[None, 1]], TypeError, "records must be integers, got object"),
    ([0, 1], ValueError, r"shape \(n, 2\), one row a record; got \(2,\)"),
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
    mechanism = orr.kronecker([300, 2], [0.1, 0.1])
    with pytest.raises(ValueError, match="cannot hold the values 0 to 299"):
        mechanism.perturb(np.zeros((5, 2), dtype=dtype), 1)
    frame = pd.DataFrame(np.zeros((5, 2), dtype=dtype), columns=["a", "b"])
    with pytest.raises(ValueError, match="column 'a' of type"):
        mechanism.perturb(frame, 1)


def frame():
    return pd.DataFrame(
        {
            "blood": pd.Categorical(["A", "B", "0", "A"], categories=["0", "A", "B", "AB"]),
            "smokes": pd.Categorical([True, False, True, True]),
            "band": [0, 2, 1, 1],
        },
        index=["p", "q", "r", "s"],
    )


@pytest.mark.parametrize("dtype", ["Int8", "UInt16", "int32", "Sparse[int64]", "category"])
def test_every_integer_column_comes_back_as_it_was(dtype):
    table = pd.DataFrame({"a": [0, 1, 2, 1], "a ": [2, 1, 0, 0]}).astype(dtype)
    table.columns = ["a", "a"]
    released = orr.inductive([3, 3], [0.5, 0.5]).perturb(table, 1)
    assert released.dtypes.equals(table.dtypes)
    assert released.columns.tolist() == ["a", "a"]


def test_data_frames_keep_their_labels():
    mechanism = orr.kronecker([4, 2, 3], [700.0, 700.0, 700.0])
    pd.testing.assert_frame_equal(mechanism.perturb(frame()), frame())
    private = orr.inductive([4, 2, 3], [0.1, 0.1, 0.1]).perturb(pd.concat([frame()] * 200), 1)
    assert set(private["blood"]) == {"0", "A", "B", "AB"}
    assert private.dtypes.equals(frame().dtypes)
    assert private.index.tolist() == frame().index.tolist() * 200
    np.testing.assert_allclose(mechanism.estimate(frame(), 0).counts, [1, 2, 1, 0], atol=1e-9)


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        (lambda f: f.drop(columns="band"), ValueError, "3 columns, got 2"),
        (lambda f: f.assign(blood=f["blood"].cat.remove_categories("A")), ValueError, "missing"),
        (lambda f: f.assign(blood=f["blood"].cat.add_categories("X")), ValueError, "5 categories"),
        (lambda f: f.assign(band=[0.0, 1.0, 2.0, 0.5]), TypeError, "categorical or integer"),
        (lambda f: f.assign(band=[0, 1, 2, 3]), ValueError, "out of range"),
        (lambda f: f.assign(band=list("abca")), TypeError, "categorical or integer"),
    ],
)
def test_bad_data_frames(change, error, words):
    with pytest.raises(error, match=words):
        orr.kronecker([4, 2, 3], [1.0, 1.0, 1.0]).perturb(change(frame()))
