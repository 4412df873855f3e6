"""Public columns: what their rows have, in their own type, and nothing of other rows or of the truth."""

import pickle

import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

from orr_release import arrow, frames
from orr_release.domain import Domain
from orr_release.frames import perturb_lazily
from tests.release.test_frames import each_library, identity, rows, types

SECRET = "SECRET, and longer than what a view holds in place"
PLACES = Domain({"a": ["x", "y"], "p": []}, public=["p"])
LISTED = Domain({"a": ["x", "y"], "p": ["NY", "CA"]}, public=["p"])

# Types of public columns, each with its type in a release: dictionaries, runs and views become plain values.
STRING, LARGE, VIEW = pa.string(), pa.large_string(), pa.string_view()
DICTIONARY = pa.dictionary(pa.int8(), STRING)
MARKED = pa.struct([pa.field("f", STRING, metadata={"note": SECRET})])
ARROW = [
    (STRING, STRING),
    (LARGE, LARGE),
    (VIEW, LARGE),
    (DICTIONARY, STRING),
    (pa.list_(STRING), pa.list_(STRING)),
    (pa.list_(VIEW), pa.list_(LARGE)),
    (pa.list_(DICTIONARY, 1), pa.list_(STRING, 1)),
    (pa.large_list(DICTIONARY), pa.large_list(STRING)),
    (pa.list_view(STRING), pa.list_(STRING)),
    (pa.map_(STRING, DICTIONARY), pa.map_(STRING, STRING)),
    (MARKED, pa.struct({"f": STRING})),
    (pa.struct({"f": DICTIONARY}), pa.struct({"f": STRING})),
]
PANDAS = [
    ("str", "str"),
    ("object", "object"),
    ("string[python]", "string"),
    (pd.StringDtype("pyarrow"), "string"),
    ("category", "str"),
    (pd.ArrowDtype(STRING), "string[pyarrow]"),
    (pd.ArrowDtype(LARGE), "large_string[pyarrow]"),
    (pd.ArrowDtype(DICTIONARY), "string[pyarrow]"),
]
POLARS = [
    (pl.String(), pl.String()),
    (pl.Categorical(), pl.String()),
    (pl.Enum(["NY", "CA", SECRET]), pl.String()),
    (pl.List(pl.String), pl.List(pl.String)),
    (pl.Struct({"f": pl.String}), pl.Struct({"f": pl.String})),
    (pl.Struct({"f": pl.Categorical}), pl.Struct({"f": pl.String})),
]
TYPES = [
    *((pa.table, *row) for row in ARROW),
    *((pd.DataFrame, *row) for row in PANDAS),
    *((pl.DataFrame, *row) for row in POLARS),
]


def inside(dtype, value):
    """Put a string into a value of a type."""
    name = str(dtype).lower()
    if name.startswith("struct"):
        return {"f": value}
    if name.startswith("map"):
        return [(value, value)]
    return [value] if "list" in name else value


def parts(make, dtype):
    """Make parts of a table whose other rows, and a null's old value, are secret."""
    values = [inside(dtype, v) for v in ("NY", "CA", SECRET)]
    answers = ["x", "y", "x"]
    if make is pa.table:
        values = pa.array(values, dtype)
        yield pa.table({"a": answers, "p": values})[:2]
        yield pa.table({"a": answers, "p": pa.chunked_array([values[:1], values[1:]])})[:2]
    elif make is pd.DataFrame:
        larger = pd.DataFrame({"a": answers, "p": pd.Series(values, dtype=dtype)})
        yield larger[:2]
        yield larger[larger["p"] != SECRET]
    else:
        larger = pl.DataFrame({"a": answers, "p": pl.Series(values, dtype=dtype)})
        yield larger[:2]
        yield larger.filter(pl.Series([True, True, False]))
        yield larger.with_columns(p=pl.when(pl.Series([True, True, False])).then("p"))


def check_parts(make, given, wanted):
    """See that the release of a part of a table has what its rows have, and nothing of the others."""
    for part in parts(make, given):
        released = identity(part, PLACES)
        assert rows(released) == rows(part), "values"
        assert b"SECRET" not in pickle.dumps(released), "other rows"
        assert types(released)["p"] == wanted, "type"


@pytest.mark.parametrize(
    ("make", "given", "wanted"), TYPES, ids=[f"{make.__module__} {given}" for make, given, _ in TYPES]
)
def test_parts_of_tables(make, given, wanted):
    check_parts(make, given, wanted)


@each_library
def test_declared_labels_are_checked_and_types_stay(make):
    table = make({"p": ["CA", "NY", None], "a": ["x", "y", "x"], "w": [1, 2, 3]})
    released = identity(table, LISTED)
    assert rows(released) == [{n: row[n] for n in ("p", "a")} for row in rows(table)]
    with pytest.raises(arrow.Undeclared, match=r"'p' .* in row 1"):
        identity(make({"p": ["CA", SECRET], "a": ["x", "y"]}), LISTED)


@pytest.mark.parametrize("values", [pd.Series([SECRET, {1}]), pl.Series([SECRET, {1}], dtype=pl.Object)])
def test_values_that_arrow_does_not_have_are_refused(values):
    make = pd.DataFrame if isinstance(values, pd.Series) else pl.DataFrame
    with pytest.raises(
        TypeError, match=r"column 'p' is of type .bject, which is not one type of Arrow"
    ) as caught:
        identity(make({"a": ["x", "y"], "p": values}), PLACES)
    assert "SECRET" not in str(caught.value)


def test_borders_of_chunks_are_not_kept(monkeypatch):
    monkeypatch.setattr(arrow, "COPIED_ROWS", 3)
    table = pa.table({"a": ["x"] * 8, "p": pa.chunked_array([["NY"] * 3, ["CA"] * 5])})
    released = identity(table, PLACES)
    assert released["p"].num_chunks == 1
    assert released["p"].to_pylist() == table["p"].to_pylist()


NUMBER = 0x5345435245540000  # whose bytes can be found
BYTES = NUMBER.to_bytes(8, "little")


def blanked():
    """Make public columns that had a number where now is a null."""
    nullable = pd.Series(pd.array([NUMBER, 1], dtype="Int64")).mask([True, False])
    yield pd.DataFrame({"a": ["x", "y"], "p": nullable})
    masked = pa.array(np.array([NUMBER, 1]), mask=np.array([True, False]))
    yield pa.table({"a": ["x", "y"], "p": masked})
    part = pa.StructArray.from_arrays([pa.array([NUMBER, 1])], ["f"], mask=pa.array([True, False]))
    yield pa.table({"a": ["x", "y"], "p": part})
    yield pl.DataFrame({"a": ["x", "y"], "p": [NUMBER, 1]}).with_columns(
        p=pl.when(pl.Series([False, True])).then("p")
    )


@pytest.mark.parametrize("table", [*blanked()], ids=lambda t: type(t).__module__)
def test_there_is_nothing_under_a_null(table):
    assert BYTES in pickle.dumps(table)
    released = identity(table, PLACES)
    assert rows(released) == rows(table)
    assert BYTES not in pickle.dumps(released)


def test_runs_and_views():
    runs = pa.RunEndEncodedArray.from_arrays([2, 3], ["NY", SECRET])[:2]
    views = pa.array([b"NY", None, SECRET.encode()], pa.binary_view())[:2]
    listed = pa.DictionaryArray.from_arrays([0, None, 1], pa.array(["NY", SECRET], VIEW))[:2]
    for values, wanted in ((runs, ["NY", "NY"]), (views, [b"NY", None]), (listed, ["NY", None])):
        released = identity(pa.table({"a": ["x", "y"], "p": values}), PLACES)
        assert released["p"].to_pylist() == wanted
        assert b"SECRET" not in pickle.dumps(released)


# Nobody changes the truth through its release.

COPIED = {
    "int64": [1, 2],
    "float32": [1.5, 2.5],
    "bool": [True, False],
    "datetime64[ns]": ["2020-01-01", "2021-01-01"],
    "datetime64[us, UTC]": ["2020-01-01", "2021-01-01"],
    "Int16": [1, None],
    "boolean": [True, None],
    "Float64": [1.5, None],
    "object": ["m", "n"],
    "timedelta64[ns]": [1, 2],
    "period[M]": ["2020-01", "2021-01"],
    "str": ["m", "n"],
}


def test_objects_stay_what_they_are():
    values = [2**60 + 1, None]
    frame = pd.DataFrame({"a": ["x", "y"], "p": pd.Series(values, dtype=object)})
    assert identity(frame, PLACES)["p"].tolist() == values


def check_copy(dtype):
    frame = pd.DataFrame({"a": ["x", "y"], "p": pd.Series(COPIED[dtype]).astype(dtype)})
    truth, released = frame.copy(), identity(frame, PLACES)
    pd.testing.assert_frame_equal(released, truth)
    released.iloc[0, 1] = released.iloc[1, 1]
    released["p"].array[:] = released["p"].array[1]
    assert frame.equals(truth), "the truth was changed"


@pytest.mark.parametrize("dtype", COPIED)
def test_the_truth_is_not_shared(dtype):
    check_copy(dtype)


@pytest.mark.parametrize(
    ("values", "wanted"),
    [([1, None], "Int64"), ([True, None], "boolean"), ([1.5, None], "float64"), (["m", None], "str")],
)
def test_categories_become_plain_values(values, wanted):
    cells = pd.Categorical(values)
    for some in ([0, 1], [0], [1], []):  # one type, whatever some rows of it have
        released = identity(pd.DataFrame({"a": ["x"] * len(some), "p": cells.take(some)}), PLACES)
        assert types(released)["p"] == wanted
        assert [row["p"] for row in rows(released)] == [values[i] for i in some] or wanted == "float64"


# Batches of a file have one schema, and so have partitions.


def test_public_dictionaries_of_batches(tmp_path):
    listing = [pa.array(p).dictionary_encode() for p in (["NY", "CA"], ["TX", "NY"])]
    people = pa.table({"a": ["x", "y", "y", "x"], "p": pa.chunked_array(listing)})
    parquet.write_table(people, tmp_path / "truth.parquet", row_group_size=2)
    batches = list(parquet.ParquetFile(tmp_path / "truth.parquet").iter_batches(2))
    released = [identity(pa.Table.from_batches([batch]), PLACES) for batch in batches]
    with pa.ipc.new_file(tmp_path / "released.arrow", released[0].schema) as file:
        for table in released:
            file.write_table(table)
    found = pa.ipc.open_file(tmp_path / "released.arrow").read_all()
    assert found["p"].to_pylist() == ["NY", "CA", "TX", "NY"]


def test_public_categories_of_partitions():
    cities = pd.Categorical(["NY", "CA", "TX", None], categories=["NY", "CA", "TX", SECRET])
    lazy = dd.from_pandas(pd.DataFrame({"a": ["x", "y", "x", "x"], "p": cities}), npartitions=2)
    for frame in (lazy, lazy.assign(p=lazy["p"].cat.as_unknown())):
        released = perturb_lazily(frame, PLACES, lambda part: identity(part, PLACES))
        found = released.compute(scheduler="threads")
        assert found["p"].dtype == released["p"].dtype == "str"
        assert [row["p"] for row in rows(found)] == ["NY", "CA", "TX", None]


# Mutants, and the check that sees each.

MUTANTS = [
    (
        (frames, "copied", lambda column: column),
        lambda: check_parts(pa.table, DICTIONARY, STRING),
        "other rows",
    ),
    (
        (frames, "copied", lambda c: c.combine_chunks()),
        lambda: check_parts(pa.table, VIEW, VIEW),
        "other rows",
    ),
    (
        (arrow, "_anew", lambda array, plain: array),
        lambda: check_parts(pa.table, MARKED, pa.struct({"f": STRING})),
        "other rows",
    ),
    (
        (frames, "public", lambda frame, name: frame[name]),
        lambda: check_parts(pd.DataFrame, "category", "str"),
        "other rows",
    ),
    (
        (frames, "public", lambda frame, name: frame[name].array),
        lambda: check_copy("int64"),
        "the truth was changed",
    ),
]


@pytest.mark.parametrize(("change", "task", "words"), MUTANTS)
def test_mutants_are_caught(monkeypatch, change, task, words):
    monkeypatch.setattr(*change)
    with pytest.raises(AssertionError, match=words):
        task()
