"""What a release must not carry: types that tell who gave no answer, other rows, the truth itself."""

import io
import pickle

import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import csv, parquet

import orr_release
from orr_release import frames, kept, tables, writers
from orr_release.domain import Domain
from orr_release.records import encode, perturb_lazily
from tests.release.test_frames import identity, rows, schema

# Nobody's missing answer may be seen in a type: one reader or another makes these of the same few lines.

OPEN = Domain({"kids": 4, "smoker": [False, True], "state": ["NY", "CA"]}, missing="value")
LINES = [(1, True, "NY"), (0, False, "CA")]
LAST = [
    (2, True, "CA"),
    (None, True, "CA"),
    (2, None, "CA"),
    (2, True, None),
    (None, None, None),
]


def text(people):
    """Write people as a csv file."""
    words = [",".join("" if v is None else str(v) for v in person) for person in people]
    return "\n".join(["kids,smoker,state", *words]) + "\n"


def pandas(people):
    return pd.DataFrame(people, columns=OPEN.names)


def narrow(people):
    """Make the integers as narrow as they can be; where one is missing, pandas cannot."""
    frame = pandas(people)
    return frame.astype({"kids": "int8"}, errors="ignore")


def read(people, **options):
    return pd.read_csv(io.StringIO(text(people)), **options)


READERS = {
    "rows": pandas,
    "dictionaries": lambda people: pd.DataFrame([dict(zip(OPEN.names, p, strict=True)) for p in people]),
    "narrow": narrow,
    "csv": read,
    "nullable csv": lambda people: read(people, dtype_backend="numpy_nullable"),
    "arrow csv": lambda people: read(people, dtype_backend="pyarrow"),
    "converted": lambda people: narrow(people).convert_dtypes(),
    "converted to arrow": lambda people: narrow(people).convert_dtypes(dtype_backend="pyarrow"),
    "categories": lambda people: pandas(people).astype("category"),
    "polars": lambda people: pl.DataFrame(people, schema=list(OPEN.names), orient="row"),
    "polars csv": lambda people: pl.read_csv(io.StringIO(text(people).lower().replace("ny", "NY"))).pipe(
        lambda f: f.with_columns(pl.col("state").cast(pl.String).str.to_uppercase())
    ),
    "polars of pandas": lambda people: pl.from_pandas(narrow(people)),
    "arrow": lambda people: pa.table(
        dict(zip(OPEN.names, map(list, zip(*people, strict=True)), strict=True))
    ),
    "arrow's csv": lambda people: csv.read_csv(
        io.BytesIO(text(people).encode()), convert_options=csv.ConvertOptions(strings_can_be_null=True)
    ),
    "arrow of pandas": lambda people: pa.Table.from_pandas(narrow(people)),
    "arrow of polars": lambda people: pl.DataFrame(people, schema=list(OPEN.names), orient="row").to_arrow(),
}


def check_types(reader):
    """See that the release of a few people has the same types, whoever of them has no answer."""
    crowds = [[*LINES, last] for last in LAST] + [[last] for last in LAST]
    released = [identity(READERS[reader](people), OPEN) for people in crowds]
    for people, made in zip(crowds, released, strict=True):
        found = [tuple(row.values()) for row in rows(made)]
        assert found == people, "labels"
        assert schema(made) == schema(released[0]), f"types of {people}"


@pytest.mark.parametrize("reader", READERS)
def test_no_missing_answer_is_seen_in_a_type(reader):
    check_types(reader)


@pytest.mark.parametrize("reader", ["narrow", "arrow of pandas", "polars of pandas"])
def test_nor_in_those_of_a_sampled_release(reader):
    """Where nothing may be missing, the type of a larger table may still tell that something was."""
    strict = Domain({"kids": 4, "smoker": [False, True], "state": ["NY", "CA"]})
    larger = READERS[reader]([*LINES, LAST[-1]])[:2]
    for gaps in (True, False):
        made = []
        for table in (READERS[reader](LINES), larger):
            codes, decode = encode(table, strict, gaps=gaps)
            made.append(decode(codes))
        assert rows(made[0]) == rows(made[1])
        assert not gaps or schema(made[0]) == schema(made[1])
    kids, smoker, state = schema(made[1])[:3] if isinstance(larger, pd.DataFrame) else (None,) * 3
    assert kids is None or [kids[1], smoker[1], state[1]] == ["int64", "bool", "str"]


def test_a_mechanism_at_any_level():
    domain = Domain({"kids": 4, "smoker": [False, True]}, missing="value")
    mechanism = orr_release.kronecker(domain, {"kids": 0.01, "smoker": 0.01})
    head = "kids,smoker\n1,True\n0,False\n"
    for last in ("2,True", ","):
        released = mechanism.perturb(pd.read_csv(io.StringIO(head + last + "\n")))
        assert released.dtypes.astype(str).tolist() == ["Int64", "boolean"]


# Codes past the last label, at the ends of types.

SIZES = [*range(126, 131), *range(255, 259), *range(32766, 32770)]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("missing", ["refused", "value"])
def test_questions_that_nobody_asked_are_null(size, missing):
    words = [f"label {i}" for i in range(size)]
    domain = Domain({"a": words, "b": size, "c": words}, missing=missing)
    last = [*domain.labels[0]][-1], [*domain.labels[1]][-1], [*domain.labels[2]][-1]
    values = {"a": [words[0], last[0]], "b": [0, last[1]], "c": [words[0], last[2]]}
    enum = pl.Enum(words)
    integers = pa.array(values["b"], pa.int64())
    listing = pa.array(values["c"], pa.string()).dictionary_encode()
    made = [
        pd.DataFrame(values).astype({"c": "category"}),
        pl.DataFrame(values, schema_overrides={"c": enum, "a": pl.String, "b": pl.Int64}),
        pl.DataFrame(values, schema_overrides={"c": pl.Categorical, "a": pl.String, "b": pl.Int64}),
        pa.table({"a": pa.array(values["a"], pa.string()), "b": integers, "c": listing}),
        pd.DataFrame(values).astype({"c": pd.ArrowDtype(listing.type)}),
    ]
    for table in made:
        codes, decode = encode(table, domain, gaps=True)
        assert codes.dtype.kind == "i"
        assert rows(decode(codes)) == rows(table)
        codes[0] = -1
        assert rows(decode(codes)) == [dict.fromkeys("abc"), rows(table)[1]]
        if missing == "refused":
            assert encode(decode(codes), domain, gaps=True, complete=False)[0].tolist() == codes.tolist()


@pytest.mark.parametrize("size", [127, 128, 129])
def test_nulls_have_room_in_any_type_of_codes(size):
    column = np.array([0, -1, size - 1 if size < 128 else 127], dtype=np.int8)
    assert tables._nulls_last(column, size).tolist() == [0, size, column[2]]


def test_a_sampled_release_of_128_labels():
    domain = Domain({"a": 128, "b": 128})
    released = orr_release.sampled(domain, 20.0, 1).perturb(pd.DataFrame({"a": [5] * 100, "b": [7] * 100}))
    assert (released["a"].isna() == (released["form"] == 1)).all()
    assert (released["b"].isna() == (released["form"] == 0)).all()


# Nothing of other people.

SECRET = "SECRET, and longer than what a view holds in place"
PLACES = Domain({"a": ["x", "y"], "p": []}, public=["p"])


def arrow_types():
    listing = pa.dictionary(pa.int8(), pa.string())
    inner = [pa.string(), pa.large_string(), pa.string_view(), listing]
    nested = [pa.list_(t) for t in inner] + [pa.list_(listing, 1), pa.large_list(listing)]
    nested += [pa.struct([pa.field("f", t, metadata={"note": SECRET})]) for t in inner]
    return inner + nested + [pa.list_view(pa.string()), pa.map_(pa.string(), listing)]


def inside(arrow_type, value):
    """Put a string into a value of a type."""
    if pa.types.is_struct(arrow_type):
        return {"f": value}
    if pa.types.is_map(arrow_type):
        return [(value, value)]
    return [value] if "list" in str(arrow_type) else value


def arrow_parts(arrow_type):
    """Make a part of a table whose other rows, and a null's old value, are secret."""
    values = pa.array([inside(arrow_type, v) for v in ("NY", "CA", SECRET)], arrow_type)
    answers = pa.array(["x", "y", "x"])
    yield pa.table({"a": answers, "p": values})[:2]
    yield pa.table({"a": answers.dictionary_encode(), "p": pa.chunked_array([values[:1], values[1:]])})[:2]


def pandas_parts(dtype):
    larger = pd.DataFrame({"a": ["x", "y", "x"], "p": pd.Series(["NY", "CA", SECRET], dtype=dtype)})
    yield larger[:2]
    yield larger[larger["p"] != SECRET]
    yield larger.astype({"a": "category"})[:2]


def polars_parts(dtype):
    values = ["NY", "CA", SECRET]
    wrap = {pl.List: lambda v: [v], pl.Struct: lambda v: {"f": v}}.get(dtype.base_type(), lambda v: v)
    larger = pl.DataFrame({"a": ["x", "y", "x"], "p": pl.Series(map(wrap, values), dtype=dtype)})
    yield larger[:2]
    yield larger.filter(pl.Series([True, True, False]))
    yield larger.with_columns(p=pl.when(pl.Series([True, True, False])).then("p"))


def check_part(part):
    """See that the release of a part of a table has what its rows have, and nothing of the others."""
    released = identity(part, PLACES)
    assert rows(released) == rows(part), "values"
    assert b"SECRET" not in pickle.dumps(released), "other rows"
    return released


@pytest.mark.parametrize("arrow_type", arrow_types(), ids=str)
def test_parts_of_arrow_tables(arrow_type):
    for part in arrow_parts(arrow_type):
        assert b"SECRET" in pickle.dumps(part)
        made = check_part(part).schema.field("p").type
        assert "dictionary" not in str(made)
        if "dictionary" not in str(arrow_type) and "list_view" not in str(arrow_type):
            assert made == arrow_type


STRINGS = ["str", "object", "string[python]", "category", pd.StringDtype("pyarrow")]
STRINGS += [pd.ArrowDtype(t) for t in arrow_types()[:4] if t != pa.string_view()]


@pytest.mark.parametrize("dtype", STRINGS, ids=repr)
def test_parts_of_pandas_tables(dtype):
    for part in pandas_parts(dtype):
        made = check_part(part)["p"].dtype
        if "dictionary" not in str(dtype):
            assert str(made) == str(part["p"].dtype)
        if dtype == "category":
            assert made.categories.tolist() == ["CA", "NY"]


@pytest.mark.parametrize(
    "dtype", [pl.String(), pl.Categorical(), pl.List(pl.String), pl.Struct({"f": pl.String})], ids=str
)
def test_parts_of_polars_tables(dtype):
    for part in polars_parts(dtype):
        assert check_part(part).schema["p"] == dtype


def test_an_enum_of_polars_without_labels_becomes_text():
    enum = pl.Enum(["NY", "SECRET", "TX"])
    table = pl.DataFrame({"a": ["x"], "p": pl.Series(["NY"], dtype=enum)})
    released = identity(table, PLACES)
    assert released.schema["p"] == pl.String
    assert released["p"].to_list() == ["NY"]


def test_borders_of_public_columns_are_not_kept():
    table = pa.table(
        {"a": pa.chunked_array([["x"] * 3, ["y"] * 5]), "p": pa.chunked_array([["NY"] * 3, ["CA"] * 5])}
    )
    assert identity(table, PLACES)["p"].num_chunks == 1


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


def test_runs_and_bytes():
    runs = pa.RunEndEncodedArray.from_arrays([2, 3], ["NY", SECRET])[:2]
    released = identity(pa.table({"a": ["x", "y"], "p": runs}), PLACES)
    assert released["p"].to_pylist() == ["NY", "NY"]
    assert b"SECRET" not in pickle.dumps(released)
    views = pa.array([b"NY", None, SECRET.encode()], pa.binary_view())[:2]
    released = identity(pa.table({"a": ["x", "y"], "p": views}), PLACES)
    assert released["p"].to_pylist() == [b"NY", None]
    assert b"SECRET" not in pickle.dumps(released)


# Nobody changes the truth through its release.

PUBLIC = {
    "int64": [1, 2],
    "float32": [1.5, 2.5],
    "bool": [True, False],
    "datetime64[ns]": ["2020-01-01", "2021-01-01"],
    "Int16": [1, None],
    "boolean": [True, None],
    "Float64": [1.5, None],
    "object": ["m", "n"],
    "str": ["m", "n"],
    "category": ["m", "n"],
}


def check_copy(dtype):
    frame = pd.DataFrame({"a": ["x", "y"], "p": pd.Series(PUBLIC[dtype]).astype(dtype)})
    truth, released = frame.copy(), identity(frame, PLACES)
    pd.testing.assert_frame_equal(released, truth)
    released.iloc[0, 1] = released.iloc[1, 1]
    released["p"].array[:] = released["p"].array[1]
    assert frame.equals(truth), "the truth was changed"


@pytest.mark.parametrize("dtype", PUBLIC)
def test_the_truth_is_not_shared(dtype):
    check_copy(dtype)


# Batches of a file have one schema, and dictionaries do not differ between them.


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


@pytest.mark.parametrize("ordered", [False, True])
def test_public_categories_of_partitions(ordered):
    cities = pd.Categorical(["NY", "CA", "TX", None], ordered=ordered, categories=["NY", "CA", "TX", SECRET])
    frame = pd.DataFrame({"a": ["x", "y", "x", "x"], "p": cities})
    lazy = dd.from_pandas(frame, npartitions=2)
    released = perturb_lazily(lazy, PLACES, lambda part: identity(part, PLACES))
    assert not released["p"].cat.known
    found = released.compute(scheduler="threads")
    assert found["p"].astype(object).where(found["p"].notna(), None).tolist() == ["NY", "CA", "TX", None]
    assert sorted(found["p"].cat.categories) == ["CA", "NY", "TX"]
    listed = Domain({"a": ["x", "y"], "p": ["TX", "NY", "CA"]}, public=["p"])
    found = perturb_lazily(lazy, listed, lambda part: identity(part, listed)).compute(scheduler="threads")
    assert found["p"].dtype == pd.CategoricalDtype(["TX", "NY", "CA"], ordered=ordered)


def test_long_strings_need_several_arrays(monkeypatch):
    monkeypatch.setattr(writers, "BYTES", 10)
    monkeypatch.setattr(kept, "ROWS", 3)
    domain = Domain({"a": ["long", "longer"], "b": ["no", "yes"], "p": []}, public=["p"])
    people = pa.table({"a": ["long", "longer"] * 4, "b": ["no"] * 8, "p": [*"12345678"]})
    released = identity(people, domain)
    assert rows(released) == rows(people)
    assert released["a"].num_chunks == 8
    assert released["p"].num_chunks == 1  # copied in three parts, and put together
    assert rows(identity(people.to_pandas(), domain)) == rows(people)


# Mutants, and the check that sees each.


def as_found(dtype, attribute):
    """See what pandas chose because something is missing."""
    return pd.Int32Dtype() if attribute.kind is int and dtype.kind == "f" else SETTLED(dtype, attribute)


def as_wide(dtype, attribute):
    """Keep the width of integers."""
    return dtype if dtype == "Int8" else SETTLED(dtype, attribute)


SETTLED = writers._pandas_type


def same_arrow_type(arrow_type, attribute):
    """Keep the type that arrow inferred, if it has room."""
    known = {str: pa.types.is_large_string, bool: pa.types.is_boolean, int: pa.types.is_integer}
    fits = known[attribute.kind](arrow_type)
    return arrow_type if fits else writers.natural(attribute)


def uncopied(series):
    return pd.Series(series.array, dtype=series.dtype, copy=False)


MUTANTS = [
    ((writers, "_pandas_type", as_found), lambda: check_types("csv"), "types of"),
    ((writers, "_pandas_type", as_wide), lambda: check_types("converted"), "types of"),
    ((writers, "_settled", same_arrow_type), lambda: check_types("arrow of pandas"), "types of"),
    ((frames.Table, "blank", lambda self, name: False), lambda: check_types("polars csv"), None),
    ((frames, "arrow_kept", lambda column: column), lambda: parts_of(pa.string()), "other rows"),
    ((frames, "arrow_kept", lambda c: c.combine_chunks()), lambda: parts_of(pa.string_view()), "other rows"),
    ((frames, "pandas_kept", lambda s: uncopied(s).copy()), lambda: parts_of("category"), "other rows"),
    ((frames, "polars_kept", lambda s: s), lambda: parts_of(pl.List(pl.String)), "other rows"),
    ((frames, "pandas_kept", uncopied), lambda: check_copy("int64"), "the truth was changed"),
]


def parts_of(kind):
    parts = arrow_parts if isinstance(kind, pa.DataType) else pandas_parts
    for part in (polars_parts if isinstance(kind, pl.DataType) else parts)(kind):
        check_part(part)


@pytest.mark.parametrize(("change", "task", "words"), MUTANTS)
def test_mutants_are_caught(monkeypatch, change, task, words):
    monkeypatch.setattr(*change)
    with pytest.raises(AssertionError if words else TypeError, match=words):
        task()
