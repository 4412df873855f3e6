"""Tables in and out: types follow from the domain, and nothing else comes with the columns."""

import sys

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import orr_release
from orr_release import arrow, codes, frames
from orr_release.codes import read, write
from orr_release.domain import Domain
from orr_release.frames import is_lazy, partitions, perturb_lazily
from tests.release.bad_tables import BAD, NUMBER, OPEN, PEOPLE, SECRET, STRICT

# What a column may be when it comes in.
WIDTHS = [f"{u}int{n}" for u in ("", "u") for n in (8, 16, 32, 64)]
CAPITALS = [f"{u}Int{n}" for u in ("", "U") for n in (8, 16, 32, 64)]
LISTED = pa.dictionary(pa.int8(), pa.string())
GIVEN = {
    pd.DataFrame: {
        str: ["str", "object", "string[python]", pd.StringDtype("pyarrow"), "category", "ordered"]
        + [pd.ArrowDtype(t) for t in (pa.string(), pa.large_string(), LISTED)],
        bool: ["bool", "boolean", "object", "category", pd.ArrowDtype(pa.bool_())],
        int: [*WIDTHS, *CAPITALS]
        + ["float16", "float32", "float64", "Float32", "Float64", "object", "category", "ordered"]
        + [pd.ArrowDtype(t) for t in (pa.int8(), pa.uint64(), pa.float32())],
    },
    pl.DataFrame: {
        str: [pl.String, pl.Categorical, pl.Enum],
        bool: [pl.Boolean],
        int: [getattr(pl, width) for width in (*CAPITALS, "Float32", "Float64")],
    },
    pa.table: {
        str: [
            *(pa.string(), pa.large_string(), pa.string_view(), LISTED),
            pa.dictionary(pa.uint32(), pa.large_string(), ordered=True),
            pa.dictionary(pa.uint64(), pa.string()),
        ],
        bool: [pa.bool_(), pa.dictionary(pa.int8(), pa.bool_())],
        int: [pa.type_for_alias(w) for w in WIDTHS]
        + [pa.float16(), pa.float32(), pa.float64()]
        + [pa.dictionary(pa.int16(), pa.int8()), pa.dictionary(pa.int8(), pa.float64())],
    },
}
# What it is when it comes out: where there are no nulls, and where there may be some.
RELEASED = {
    pd.DataFrame: {str: ("str", "str"), bool: ("bool", "boolean"), int: ("int64", "Int64")},
    pl.DataFrame: {str: [pl.String] * 2, bool: [pl.Boolean] * 2, int: [pl.Int64] * 2},
    pa.table: {str: [pa.string()] * 2, bool: [pa.bool_()] * 2, int: [pa.int64()] * 2},
}
LIBRARIES = list(RELEASED)
LABELS = {str: st.text(max_size=3), bool: st.booleans(), int: st.integers(0, 100)}
STRAY = {str: ["a stray label"], bool: [], int: [101]}  # listed in a type, and in no row

each_library = pytest.mark.parametrize("make", LIBRARIES, ids=["pandas", "polars", "arrow"])


def plain(value):
    """Return a value as a label, whatever the library makes of it."""
    if value is None or value is pd.NA or value != value:
        return None
    value = value.item() if isinstance(value, np.generic) else value
    return int(value) if isinstance(value, float) else value


def rows(table):
    """List the rows of any table, in plain Python."""
    if isinstance(table, pa.Table):
        return [{n: plain(v) for n, v in row.items()} for row in table.to_pylist()]
    if isinstance(table, pl.DataFrame):
        return [{n: plain(v) for n, v in row.items()} for row in table.to_dicts()]
    lists = {n: table[n].tolist() for n in table.columns}
    return [{n: plain(lists[n][i]) for n in lists} for i in range(len(table))]


def types(table):
    """Return the type of every column by name."""
    if isinstance(table, pd.DataFrame):
        return {n: str(t) for n, t in table.dtypes.items()}
    return {f.name: f.type for f in table.schema} if isinstance(table, pa.Table) else dict(table.schema)


def identity(table, domain, gaps=False):
    """Release a table as a mechanism would that never flips."""
    return write(read(table, domain, gaps=gaps), table, domain, gaps=gaps)


def check(make, table, domain, seed=0):
    """Check codes and release of a table, against Python and for what must not come with it."""
    found = read(table, domain)
    wanted = [[domain.code(n, row[n]) for n in domain.names] for row in rows(table)]
    assert found.tolist() == wanted, "codes"
    assert found.dtype == np.uint8
    kept = [n for n in frames.names_of(table) if n in (*domain.names, *domain.public)]
    drawn = np.random.default_rng(seed).integers(0, domain.sizes, found.shape).astype(np.uint8)
    drawn[:1] = domain.sizes - 1
    other = write(drawn, table, domain)
    assert rows(write(found, table, domain)) == [{n: row[n] for n in kept} for row in rows(table)], "labels"
    assert read(other, domain).tolist() == drawn.tolist(), "the way back"
    check_released(make, other, domain, kept)


def check_released(make, table, domain, kept):
    """Check that a table has the types of a domain, and some columns and no more."""
    assert frames.names_of(table) == kept, "columns"
    found = types(table)
    for name, labels in zip(domain.names, domain.labels, strict=True):
        assert found[name] == RELEASED[make][type(labels[0])][labels[-1] is None], "types"
    if make is pd.DataFrame:
        assert table.index.equals(pd.RangeIndex(len(table))), "index"
        assert isinstance(table.index, pd.RangeIndex)
        assert (table.index.name, table.columns.name, table.attrs) == (None, None, {}), "attrs"
    if make is pa.table:
        assert [table.schema.metadata, *(f.metadata for f in table.schema)] == [None] * (len(kept) + 1), (
            "metadata"
        )
        assert all(f.nullable for f in table.schema)


@st.composite
def columns_of(draw, given_types):
    """Draw the labels of an attribute, whether missing is a value, a type, and values."""
    kind = draw(st.sampled_from([str, bool, int]))
    least = 2 if kind is not bool else draw(st.integers(1, 2))
    labels = draw(st.lists(LABELS[kind], unique=True, min_size=least, max_size=6))
    missing = least == 1 or draw(st.booleans())
    values = st.sampled_from([*labels, *([None] if missing else [])])
    return kind, labels, missing, draw(st.sampled_from(given_types[kind])), values


@st.composite
def tables(draw, make):
    """Draw a domain and a table of three columns in any order; one more is withheld."""
    found = {n: draw(columns_of(GIVEN[make])) for n in ("a", "b", "c")}
    domain = Domain(
        {n: labels for n, (_, labels, *_) in found.items()} | {"w": []},
        missing={n: "value" if missing else "refused" for n, (_, _, missing, *_) in found.items()},
        withheld=["w"],
    )
    n = draw(st.integers(0, 8))
    made = {}
    for name in draw(st.permutations([*found])):
        kind, labels, _, dtype, value = found[name]
        values = [draw(value) for _ in range(n)]
        made[name] = MAKERS[make](kind, dtype, values, STRAY[kind] + labels, draw(st.integers(0, 8)))
    return domain, FINISHED[make](made, n)


def pandas_series(kind, dtype, values, listed, cut):
    """Make a column as pandas would: without its type, if that has no room for what is missing."""
    if dtype in ("category", "ordered"):
        return pd.Series(pd.Categorical(values, categories=listed[::-1], ordered=dtype == "ordered"))
    if None in values and "dictionary" not in str(dtype):
        nothing = all(v is None for v in values)
        if isinstance(dtype, pd.ArrowDtype):
            dtype = pd.ArrowDtype(pa.null()) if nothing else dtype
        elif nothing or "int" in str(dtype):  # of numpy, whose names are small
            dtype, values = "float64", [np.nan if v is None else v for v in values]
        else:
            dtype = "object" if dtype == "bool" else dtype
    return pd.Series(values, dtype=dtype)


def polars_series(kind, dtype, values, listed, cut):
    """Make a column; one without a value may be of any type."""
    dtype = pl.Enum([str(label) for label in listed]) if dtype is pl.Enum else dtype
    if values and not isinstance(dtype, pl.Enum) and all(v is None for v in values):
        dtype = [dtype, pl.Null, pl.String, pl.Float64][cut % 4]
    return pl.Series(values, dtype=dtype, strict=False)


def arrow_chunks(kind, dtype, values, listed, cut):
    """Make a column of two chunks, whose dictionaries differ."""
    if values and not pa.types.is_dictionary(dtype) and all(v is None for v in values):
        dtype = [dtype, pa.null(), pa.string(), pa.float64()][cut % 4]
    return pa.chunked_array([arrow_array(kind, dtype, piece) for piece in (values[:cut], values[cut:])])


def arrow_array(kind, dtype, values):
    if pa.types.is_dictionary(dtype):
        entries = [*STRAY[kind], *dict.fromkeys(values)]  # null may be one of them
        indices = pa.array([entries.index(v) for v in values], dtype.index_type)
        return pa.DictionaryArray.from_arrays(
            indices, pa.array(entries, dtype.value_type), ordered=dtype.ordered
        )
    if dtype == pa.float16():
        values = [None if v is None else np.float16(v) for v in values]
    return pa.array(values, dtype)


def pandas_frame(columns, n):
    table = pd.DataFrame(columns).assign(w=SECRET)
    table = table.set_index(pd.Index([f"person {i}" for i in range(n)], name="who"))
    table.columns.name, table.attrs = "column", {"source": "survey"}
    return table


def arrow_table(columns, n):
    table = pa.table(columns).append_column("w", pa.array([SECRET] * n))
    marked = [field.with_metadata({"note": SECRET}) for field in table.schema]
    return table.cast(pa.schema(marked, metadata={"pandas": "{}", "note": SECRET}))


MAKERS = {pd.DataFrame: pandas_series, pl.DataFrame: polars_series, pa.table: arrow_chunks}
FINISHED = {
    pd.DataFrame: pandas_frame,
    pl.DataFrame: lambda columns, n: pl.DataFrame(columns).with_columns(w=pl.lit(SECRET)),
    pa.table: arrow_table,
}


@each_library
@given(data=st.data(), seed=st.integers(0, 99))
def test_tables(make, data, seed):
    domain, table = data.draw(tables(make))
    check(make, table, domain, seed)


@given(tables(pd.DataFrame), st.integers(1, 4))
def test_dask(case, parts):
    domain, table = case
    table = table.reset_index(drop=True)
    with dask.config.set({"dataframe.convert-string": False}):
        lazy = dd.from_pandas(table, npartitions=parts)
        released = perturb_lazily(lazy, domain, lambda part: identity(part, domain))
        found = released.compute(scheduler="threads").reset_index(drop=True)
        assert len(partitions(lazy)) == lazy.npartitions
    pd.testing.assert_frame_equal(found, identity(table, domain))
    assert released.dtypes.equals(found.dtypes)


def test_partitions_see_what_is_released_alone():
    seen = []

    def perturb(part):
        seen.append(list(part.columns))
        return identity(part, STRICT)

    people = pd.DataFrame(PEOPLE | {"sex": pd.Categorical(PEOPLE["sex"])}, index=[7, 8, 9])
    lazy = dd.from_pandas(people, npartitions=2, sort=False)
    lazy["sex"] = lazy["sex"].cat.as_unknown()  # as after reading a file
    released = perturb_lazily(lazy, STRICT, perturb)
    assert is_lazy(lazy)
    assert not released.known_divisions
    assert released.compute(scheduler="threads")["sex"].tolist() == PEOPLE["sex"]
    assert seen == [["children", "sex", "region", "smokes"]] * 3  # once for the types
    with pytest.raises(ValueError, match="no column 'sex'"):
        perturb_lazily(lazy.drop(columns="sex"), STRICT, perturb)
    with pytest.raises(TypeError, match="neither names nor labels"):
        perturb_lazily(lazy, STRICT.sizes, perturb)
    with pytest.raises(TypeError, match=r"compute\(\) it first"):
        read(lazy, STRICT)


@pytest.mark.parametrize("name", BAD)
def test_bad_tables(name):
    records, domain, error, words = BAD[name]
    with pytest.raises(error, match=words) as caught:
        read(records, domain)
    message = str(caught.value)
    assert SECRET not in message
    assert str(NUMBER) not in message
    assert caught.value.__context__ is None or caught.value.__suppress_context__


def test_there_are_many_bad_tables():
    assert len(BAD) >= 100


EMPTY = [
    pd.DataFrame(columns=list(PEOPLE)),
    pd.DataFrame({name: pd.Categorical([]) for name in PEOPLE}),
    pd.DataFrame(PEOPLE)[:0],
    pl.DataFrame({name: [] for name in PEOPLE}),
    pl.DataFrame(PEOPLE)[:0],
    pa.table({name: pa.nulls(0) for name in PEOPLE}),
    pa.schema(pa.table(PEOPLE).schema).empty_table(),
    pa.table({name: pa.DictionaryArray.from_arrays(pa.array([], pa.int8()), pa.nulls(0)) for name in PEOPLE}),
]


@pytest.mark.parametrize("table", EMPTY)
@pytest.mark.parametrize("domain", [STRICT, OPEN])
def test_no_rows(table, domain):
    make = pa.table if isinstance(table, pa.Table) else type(table)
    released = identity(table, domain)
    assert len(released) == 0
    check_released(make, released, domain, ["children", "sex", "region", "smokes"])


NOTHING = [
    pl.DataFrame({"a": [None, None]}),
    pl.DataFrame({"a": [float("nan"), None]}),
    pa.table({"a": pa.nulls(2)}),
    pd.DataFrame({"a": [None, None]}),
    pd.DataFrame({"a": [np.nan, None]}),
    pd.DataFrame({"a": pd.Categorical([None, None], categories=[1, 2])}),
    pd.DataFrame({"a": pd.to_datetime([None, None])}),
]


@pytest.mark.parametrize("table", NOTHING)
def test_the_type_of_a_column_without_a_value_is_an_accident(table):
    domain = Domain({"a": ["x", "y"]}, missing="value")
    assert read(table, domain).tolist() == [[2], [2]]
    released = write(np.array([[1], [2]], dtype=np.uint8), table, domain)
    assert rows(released) == [{"a": "y"}, {"a": None}]
    assert types(released)["a"] in ("str", pl.String, pa.string())


@pytest.mark.parametrize("last", ["2,True", ","])
def test_no_missing_answer_is_seen_in_a_type(last):
    domain = Domain({"kids": 4, "smoker": [False, True]}, missing="value")
    lines = f"kids,smoker\n1,True\n0,False\n{last}\n".encode()
    mechanism = orr_release.kronecker(domain, {"kids": 0.01, "smoker": 0.01})
    released = mechanism.perturb(pd.read_csv(pa.BufferReader(lines)))
    assert types(released) == {"kids": "Int64", "smoker": "boolean"}


# Codes at the ends of types: with gaps, there is one more of them, and a sign.
SIZES = [*range(126, 131), *range(255, 259), *range(32766, 32770)]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("missing", ["refused", "value"])
@each_library
def test_questions_that_nobody_asked_are_null(make, missing, size):
    words = [f"label {i}" for i in range(size)]
    domain = Domain({"a": words, "b": size, "c": words}, missing=missing)
    last = [labels[-1] for labels in domain.labels]
    values = {"a": [words[0], last[0]], "b": [0, last[1]], "c": [words[0], last[2]]}
    table = make(values)
    if make is pa.table:
        table = table.set_column(2, "c", table["c"].dictionary_encode())
    found = read(table, domain)
    assert found.dtype == np.min_scalar_type(size - (missing == "refused"))
    assert found.tolist() == [[0, 0, 0], (domain.sizes - 1).tolist()]
    found = read(table, domain, gaps=True)
    assert found.dtype.kind == "i"
    assert rows(write(found, table, domain, gaps=True)) == rows(table)
    found[0] = -1
    released = write(found, table, domain, gaps=True)
    assert rows(released) == [dict.fromkeys("abc"), rows(table)[1]]
    if missing == "refused":
        assert read(released, domain, gaps=True, complete=False).tolist() == found.tolist()


@each_library
def test_gaps(make):
    table = make(PEOPLE)
    found = read(table, STRICT, gaps=True)
    found[0] = -1
    released = write(found, table, STRICT, gaps=True, form=np.array([2, 0, 1]))
    assert rows(released)[0] == {"children": None, "sex": None, "region": "N", "smokes": None, "form": 2}
    assert rows(released)[1] == {n: v[1] for n, v in PEOPLE.items() if n != "name"} | {"form": 0}
    integers, whole = RELEASED[make][int][1], RELEASED[make][int][0]
    assert (types(released)["children"], types(released)["form"]) == (integers, whole)
    with pytest.raises(ValueError, match="column 'sex' has missing values in 1 row:"):
        read(released, STRICT, gaps=True)


def test_a_sampled_release_of_128_labels():
    domain = Domain({"a": 128, "b": 128})
    released = orr_release.sampled(domain, 20.0, 1).perturb(pd.DataFrame({"a": [5] * 100, "b": [7] * 100}))
    assert (released["a"].isna() == (released["form"] == 1)).all()
    assert (released["b"].isna() == (released["form"] == 0)).all()


def test_only_the_columns_asked_for_are_read():
    table = pd.DataFrame(PEOPLE)[["children", "sex"]].assign(smokes=SECRET)
    assert read(table, STRICT, [2, 0]).tolist() == [[3, 1], [0, 0], [1, 1]]


def test_names_that_pandas_makes_attributes():
    domain = Domain({"column_names": ["x", "y"], "dtype": 3})
    frame = pd.DataFrame({"column_names": ["y", "x"], "dtype": [2, 0]}, index=["to_arrow", "columns"])
    assert read(frame, domain).tolist() == [[1, 2], [0, 0]]
    assert rows(identity(frame, domain)) == rows(frame)


def test_strings_of_more_than_an_array_holds(monkeypatch):
    monkeypatch.setattr(arrow, "MAX_ARRAY_BYTES", 10)
    domain = Domain({"a": ["long", "longer"], "b": ["no", "yes"]})
    people = pa.table({"a": ["long", "longer"] * 4, "b": ["no"] * 8})
    released = identity(people, domain)
    assert rows(released) == rows(people)
    assert released["a"].num_chunks == 8
    assert rows(identity(people.to_pandas(), domain)) == rows(people)


def test_long_tables_are_done_by_several_threads():
    people = pd.DataFrame({n: np.resize(v, codes.MIN_THREADED_ROWS + 1) for n, v in PEOPLE.items()})
    pd.testing.assert_frame_equal(identity(people, STRICT), people.drop(columns="name"))


def test_a_library_that_is_not_installed_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r'tables need pyarrow, .*pip install "\.\[release\]"'):
        read(pl.DataFrame(PEOPLE), STRICT)


def test_an_estimate_writes_nothing(monkeypatch):
    domain = Domain({"sex": ["F", "M"]})
    monkeypatch.setattr(frames, "declared", None)
    monkeypatch.setattr(frames, "assembled", None)
    assert orr_release.kronecker(domain, {"sex": 3.0}).estimate(pd.DataFrame(PEOPLE), "sex").total == 3


# Mutants: what goes wrong in such code, and the check that sees it.

TWINS = Domain({"a": ["x", "y"], "b": ["x", "y"], "w": []}, withheld=["w"])
TWO = {"b": ["x", "x", "y"], "a": ["y", "x", "y"], "w": [1, 2, 3]}


def twins(make):
    if make is pd.DataFrame:
        return pd.DataFrame(TWO, index=[5, 6, 7])
    return pa.table(TWO, metadata={"note": SECRET}) if make is pa.table else pl.DataFrame(TWO)


def swapped(frame, name):
    """Read the other column."""
    return pa.chunked_array(frame["b" if name == "a" else "a"])


def by_the_draw(indices, labels):
    """List the labels that were drawn in the type."""
    return LABELS_AT(indices, labels).dictionary_encode()


def with_attributes(frame, columns):
    released = pd.DataFrame(columns)
    released.attrs["source"] = SECRET
    return released


def in_the_order_of_the_domain(frame, columns):
    return ASSEMBLED(frame, dict(sorted(columns.items())))


LABELS_AT, ASSEMBLED = arrow.labels_at, frames.assembled
MUTANTS = {
    "swapped": (LIBRARIES, (frames, "column", swapped), "codes"),
    "all the first": (LIBRARIES, (codes, "fill", lambda found, *_: found.fill(0)), "codes"),
    "by the draw": ([pa.table], (frames, "labels_at", by_the_draw), "types"),
    "index": (
        [pd.DataFrame],
        (frames, "assembled", lambda frame, columns: pd.DataFrame(columns).set_axis(frame.index)),
        "index",
    ),
    "attributes": ([pd.DataFrame], (frames, "assembled", with_attributes), "attrs"),
    "metadata": (
        [pa.table],
        (frames, "assembled", lambda frame, columns: pa.table(columns, metadata=frame.schema.metadata)),
        "metadata",
    ),
    "another column": (
        [pl.DataFrame],
        (frames, "assembled", lambda frame, columns: pl.DataFrame(columns | {"w": frame["w"]})),
        "labels",
    ),
    "the domain's order": (LIBRARIES, (frames, "assembled", in_the_order_of_the_domain), "columns"),
}


@each_library
def test_twins(make):
    check(make, twins(make), TWINS)


@pytest.mark.parametrize("name", MUTANTS)
def test_mutants_are_caught(monkeypatch, name):
    libraries, change, words = MUTANTS[name]
    monkeypatch.setattr(*change)
    for make in libraries:
        with pytest.raises(AssertionError, match=words):
            check(make, twins(make), TWINS)


def test_an_undeclared_label_that_passes_for_the_first_one_is_caught(monkeypatch):
    monkeypatch.setattr(arrow, "UNKNOWN", 0)
    with pytest.raises(pytest.fail.Exception):
        test_bad_tables("pandas category")
