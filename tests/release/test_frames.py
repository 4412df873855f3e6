"""Tables in and out: every kind and type comes back as declared, and nothing else comes with it."""

import pickle
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

from orr_release import columns, frames, tables, writers
from orr_release.domain import Domain
from orr_release.records import encode, is_lazy, partitions, perturb_lazily
from tests.release.bad_tables import BAD, NUMBER, OPEN, PEOPLE, SECRET, STRICT

# Types of columns, each with its types in a release: where there are no nulls, and where there may be some.
DICTIONARY = pa.dictionary(pa.int8(), pa.string())
PANDAS = {
    str: {
        "str": ("str", "str"),
        "object": ("str", "str"),
        "string[python]": ("string[python]", "str"),
        pd.StringDtype("pyarrow"): (pd.StringDtype("pyarrow"), "str"),
        "category": ("category", "category"),
        "ordered": ("ordered", "ordered"),
        pd.ArrowDtype(pa.string()): (pd.ArrowDtype(pa.string()),) * 2,
        pd.ArrowDtype(pa.large_string()): (pd.ArrowDtype(pa.large_string()), pd.ArrowDtype(pa.string())),
        pd.ArrowDtype(DICTIONARY): (pd.ArrowDtype(DICTIONARY),) * 2,
    },
    bool: {
        "bool": ("bool", "boolean"),
        "boolean": ("boolean", "boolean"),
        "object": ("bool", "boolean"),
        "category": ("category", "category"),
        pd.ArrowDtype(pa.bool_()): (pd.ArrowDtype(pa.bool_()),) * 2,
    },
    int: {f"{u}int{n}": (f"{u}int{n}", "Int64") for u in ("", "u") for n in (8, 16, 32, 64)}
    | {f"{u}Int{n}": (f"{u}Int{n}", "Int64") for u in ("", "U") for n in (8, 16, 32, 64)}
    | dict.fromkeys(["float16", "float32", "float64", "object"], ("int64", "Int64"))
    | dict.fromkeys(["Float32", "Float64"], ("Int64", "Int64"))
    | {
        "category": ("category", "category"),
        "ordered": ("ordered", "ordered"),
        pd.ArrowDtype(pa.int8()): (pd.ArrowDtype(pa.int8()), pd.ArrowDtype(pa.int64())),
        pd.ArrowDtype(pa.uint64()): (pd.ArrowDtype(pa.uint64()), pd.ArrowDtype(pa.int64())),
        pd.ArrowDtype(pa.float32()): (pd.ArrowDtype(pa.int64()),) * 2,
    },
}
INTEGERS = [pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64]
POLARS = {
    str: {t: (t, t) for t in (pl.String, pl.Categorical, pl.Enum)},
    bool: {pl.Boolean: (pl.Boolean, pl.Boolean)},
    int: {t: (t, pl.Int64) for t in INTEGERS} | dict.fromkeys([pl.Float32, pl.Float64], (pl.Int64, pl.Int64)),
}
WIDTHS = [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()]
ARROW = {
    str: {t: (t, pa.string()) for t in (pa.string(), pa.large_string(), pa.string_view())}
    | {
        DICTIONARY: (DICTIONARY, DICTIONARY),
        pa.dictionary(pa.uint32(), pa.large_string(), ordered=True): (
            pa.dictionary(pa.uint32(), pa.large_string(), ordered=True),
            pa.dictionary(pa.uint32(), pa.string(), ordered=True),
        ),
        pa.dictionary(pa.uint64(), pa.string()): (pa.dictionary(pa.uint64(), pa.string()),) * 2,
    },
    bool: {t: (t, t) for t in (pa.bool_(), pa.dictionary(pa.int8(), pa.bool_()))},
    int: {t: (t, pa.int64()) for t in WIDTHS}
    | dict.fromkeys([pa.float16(), pa.float32(), pa.float64()], (pa.int64(), pa.int64()))
    | {
        pa.dictionary(pa.int16(), pa.int8()): (
            pa.dictionary(pa.int16(), pa.int8()),
            pa.dictionary(pa.int16(), pa.int64()),
        ),
        pa.dictionary(pa.int8(), pa.float64()): (pa.dictionary(pa.int8(), pa.int64()),) * 2,
    },
}
LABELS = {str: st.text(max_size=3), bool: st.booleans(), int: st.integers(0, 100)}


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


def listed(column):
    """Return the labels that the type of a column lists, or None."""
    if isinstance(column, pd.Series) and column.dtype == "category":
        return column.cat.categories.tolist()
    if isinstance(column, pd.Series) and isinstance(column.dtype, pd.ArrowDtype):
        column = pa.chunked_array([pa.array(column)])
    if isinstance(column, pl.Series):
        return column.dtype.categories.to_list() if column.dtype == pl.Enum else None
    if isinstance(column, pa.ChunkedArray) and pa.types.is_dictionary(column.type):
        return column.chunk(0).dictionary.to_pylist()
    return None


def schema(table):
    if isinstance(table, pd.DataFrame):
        return [(n, str(d), getattr(d, "ordered", None)) for n, d in table.dtypes.items()]
    return (
        [(f.name, f.type, f.nullable) for f in table.schema] if isinstance(table, pa.Table) else table.schema
    )


def check(table, domain, seed=0):
    """Check codes and release of a table, against Python and for what must not come with it."""
    codes, decode = encode(table, domain)
    wanted = [[domain.code(n, row[n]) for n in domain.names] for row in rows(table)]
    assert codes.tolist() == wanted, "codes"
    assert codes.dtype == np.uint8
    kept = [n for n in getattr(table, "column_names", table.columns) if n in (*domain.names, *domain.public)]
    drawn = np.random.default_rng(seed).integers(0, domain.sizes, codes.shape).astype(np.uint8)
    drawn[:1] = domain.sizes - 1
    released, other, same = decode(codes), decode(drawn), decode(np.zeros_like(codes))
    assert type(released) is type(table)
    assert rows(released) == [{n: row[n] for n in kept} for row in rows(table)], "labels"
    assert schema(released) == schema(other) == schema(same), "a type that depends on the draw"
    assert encode(other, domain)[0].tolist() == drawn.tolist(), "the way back"
    check_nothing_else(released, kept)
    for name, labels in zip(domain.names, domain.labels, strict=True):
        for made in (released, other, same) if len(codes) else ():
            found = listed(made[name])
            assert found is None or found == [v for v in labels if v is not None], "labels of the data"
    return released


def check_nothing_else(released, kept):
    """Check that a table has some columns and no more."""
    assert list(getattr(released, "column_names", released.columns)) == kept, "columns"
    if isinstance(released, pd.DataFrame):
        assert isinstance(released.index, pd.RangeIndex), "index"
        assert released.index.equals(pd.RangeIndex(len(released)))
        assert released.index.name is None
        assert released.columns.name is None
        assert released.attrs == {}, "attrs"
    if isinstance(released, pa.Table):
        assert released.schema.metadata is None, "metadata"
        assert [f.metadata for f in released.schema] == [None] * len(kept)


@st.composite
def columns_of(draw, types):
    """Draw the labels of an attribute, whether missing is a value, a type, and values."""
    kind = draw(st.sampled_from([str, bool, int]))
    least = 2 if kind is not bool else draw(st.integers(1, 2))
    labels = draw(st.lists(LABELS[kind], unique=True, min_size=least, max_size=6))
    missing = least == 1 or draw(st.booleans())
    values = st.sampled_from([*labels, *([None] if missing else [])])
    return kind, labels, missing, draw(st.sampled_from(list(types[kind]))), values


@st.composite
def described(draw, types):
    """Draw a domain, types and values of three columns, and their order; one more is withheld."""
    found = {n: draw(columns_of(types)) for n in ("a", "b", "c")}
    domain = Domain(
        {n: labels for n, (_, labels, *_) in found.items()} | {"w": []},
        missing={n: "value" if missing else "refused" for n, (_, _, missing, *_) in found.items()},
        withheld=["w"],
    )
    n = draw(st.integers(0, 8))
    made = {name: (c[0], c[3], [draw(c[4]) for _ in range(n)]) for name, c in found.items()}
    order = draw(st.permutations([*made]))
    return domain, {name: made[name] for name in order}


def pandas_series(dtype, values, labels):
    """Make a column as pandas would: without its type, if that has no room for what is missing."""
    if dtype in ("category", "ordered"):
        return pd.Series(pd.Categorical(values, categories=labels[::-1], ordered=dtype == "ordered"))
    if None in values and "dictionary" not in str(dtype):
        nothing = all(v is None for v in values)
        if isinstance(dtype, pd.ArrowDtype):
            dtype = pd.ArrowDtype(pa.null()) if nothing else dtype
        elif nothing or "int" in str(dtype):  # of numpy, whose names are small
            dtype, values = "float64", [np.nan if v is None else v for v in values]
        else:
            dtype = "object" if dtype == "bool" else dtype
    return pd.Series(values, dtype=dtype)


@given(described(PANDAS), st.integers(0, 99))
def test_pandas(case, seed):
    domain, made = case
    n = len(made["a"][2])
    table = pd.DataFrame(
        {name: pandas_series(d, v, STRAY[k] + labels_of(domain, name)) for name, (k, d, v) in made.items()}
    )
    table["w"] = SECRET
    table = table.set_index(pd.Index([f"person {i}" for i in range(n)], name="who"))
    table.columns.name, table.attrs = "column", {"source": "survey"}
    released = check(table, domain, seed)
    for name, (kind, dtype, _) in made.items():
        wanted = PANDAS[kind][dtype][domain.missing[domain.place(name)]]
        if wanted in ("category", "ordered"):
            wanted = pd.CategoricalDtype(labels_of(domain, name), ordered=wanted == "ordered")
        assert released.dtypes[name] == wanted, (name, table.dtypes[name])


STRAY = {str: ["a stray label"], bool: [], int: [101]}  # listed in the table's type, and never in a release


def labels_of(domain, name):
    return [v for v in domain.labels[domain.place(name)] if v is not None]


@given(described(POLARS), st.integers(0, 99))
def test_polars(case, seed):
    domain, made = case
    series = []
    for name, (kind, dtype, values) in made.items():
        enum = pl.Enum(sorted({*STRAY[str], *map(str, labels_of(domain, name))}, reverse=True))
        chosen = enum if dtype is pl.Enum else dtype
        if values and dtype not in (pl.Enum, pl.Categorical) and all(v is None for v in values):
            chosen = [pl.Null, pl.String, pl.Float64][seed % 3]
        series.append(pl.Series(name, values, dtype=chosen, strict=False))
        assert kind is not str or series[-1].to_list() == values
    released = check(pl.DataFrame([*series, pl.Series("w", [SECRET] * len(series[0]))]), domain, seed)
    for name, (kind, dtype, _) in made.items():
        wanted = POLARS[kind][dtype][domain.missing[domain.place(name)]]
        assert released.schema[name] == (pl.Enum(labels_of(domain, name)) if wanted is pl.Enum else wanted)


@given(described(ARROW), st.integers(0, 99), st.integers(0, 8))
def test_arrow(case, seed, cut):
    domain, made = case
    arrays = {}
    for name, (kind, dtype, values) in made.items():
        pieces = [values[:cut], values[cut:]]  # dictionaries of the two differ
        chosen = dtype
        if values and not pa.types.is_dictionary(dtype) and all(v is None for v in values):
            chosen = [pa.null(), pa.string(), pa.float64()][seed % 3]
        arrays[name] = pa.chunked_array([arrow_array(kind, chosen, piece) for piece in pieces])
    table = pa.table(arrays).append_column("w", pa.array([SECRET] * len(made["a"][2])))
    marked = [field.with_metadata({"note": SECRET}) for field in table.schema]
    table = table.cast(pa.schema(marked, metadata={"pandas": "{}", "note": SECRET}))
    released = check(table, domain, seed)
    for name, (kind, dtype, _) in made.items():
        assert released.schema.field(name).type == ARROW[kind][dtype][domain.missing[domain.place(name)]]


def arrow_array(kind, dtype, values):
    if pa.types.is_dictionary(dtype):
        entries = [*STRAY[kind], *dict.fromkeys(values)]  # null may be one of them
        indices = [entries.index(v) for v in values]
        return pa.DictionaryArray.from_arrays(
            pa.array(indices, dtype.index_type), pa.array(entries, dtype.value_type), ordered=dtype.ordered
        )
    if dtype == pa.float16():
        values = [None if v is None else np.float16(v) for v in values]
    return pa.array(values, dtype)


@given(described(PANDAS), st.integers(1, 4))
def test_dask(case, parts):
    domain, made = case
    table = pd.DataFrame(
        {name: pandas_series(d, v, STRAY[k] + labels_of(domain, name)) for name, (k, d, v) in made.items()}
    ).assign(w=SECRET)
    with dask.config.set({"dataframe.convert-string": False}):
        lazy = dd.from_pandas(table, npartitions=parts)
        released = perturb_lazily(lazy, domain, lambda part: identity(part, domain))
        found = released.compute(scheduler="threads").reset_index(drop=True)
        assert len(partitions(lazy)) == lazy.npartitions
    pd.testing.assert_frame_equal(found, identity(table, domain))
    assert released.dtypes.equals(found.dtypes)


def identity(table, domain):
    """Release a table as a mechanism would that never flips."""
    codes, decode = encode(table, domain)
    return decode(codes)


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
    assert released._meta["sex"].cat.categories.tolist() == ["F", "M"]
    found = released.compute(scheduler="threads")
    assert found["sex"].tolist() == PEOPLE["sex"]
    assert seen == [["children", "sex", "region", "smokes"]] * 3  # once for the types
    with pytest.raises(ValueError, match="no column 'sex'"):
        perturb_lazily(lazy.drop(columns="sex"), STRICT, perturb)
    with pytest.raises(TypeError, match="neither names nor labels"):
        perturb_lazily(lazy, STRICT.sizes, perturb)
    with pytest.raises(TypeError, match=r"compute\(\) it first"):
        encode(lazy, STRICT)


@pytest.mark.parametrize("name", BAD)
def test_bad_tables(name):
    records, domain, error, words = BAD[name]
    with pytest.raises(error, match=words) as caught:
        encode(records, domain)
    message = str(caught.value)
    assert SECRET not in message
    assert str(NUMBER) not in message
    assert caught.value.__context__ is None or caught.value.__suppress_context__


def test_there_are_many_bad_tables():
    assert len(BAD) >= 100


EMPTY = [
    pd.DataFrame({name: [] for name in PEOPLE}),
    pd.DataFrame(columns=list(PEOPLE)),
    pd.DataFrame({name: pd.Categorical([]) for name in PEOPLE}),
    pd.DataFrame(PEOPLE)[:0],
    pl.DataFrame({name: [] for name in PEOPLE}),
    pl.DataFrame(PEOPLE)[:0],
    pa.table({name: pa.nulls(0) for name in PEOPLE}),
    pa.table(PEOPLE)[:0],
    pa.schema(pa.table(PEOPLE).schema).empty_table(),
    pa.table({name: pa.DictionaryArray.from_arrays(pa.array([], pa.int8()), pa.nulls(0)) for name in PEOPLE}),
]


@pytest.mark.parametrize("table", EMPTY)
@pytest.mark.parametrize("domain", [STRICT, OPEN])
def test_no_rows(table, domain):
    codes, decode = encode(table, domain)
    assert codes.shape == (0, 3)
    released = decode(codes)
    assert len(released) == 0
    check_nothing_else(released, ["children", "sex", "region", "smokes"])
    many = encode(released, domain)[1](np.zeros((5, 3), dtype=np.uint8)[:0])  # and what came out goes in
    assert schema(many) == schema(released)


XY = pd.CategoricalDtype(["x", "y"])
ALL_NULL = [
    (pl.DataFrame({"a": [None, None]}), pl.Series("a", ["y", None])),
    (pa.table({"a": pa.nulls(2)}), pa.chunked_array([["y", None]])),
    (pd.DataFrame({"a": [None, None]}), pd.Series(["y", None], dtype="str")),
    (pd.DataFrame({"a": [np.nan, None]}), pd.Series(["y", None], dtype="str")),
    (pd.DataFrame({"a": pd.Categorical([None, None], categories=[1, 2])}), pd.Series(["y", None], dtype=XY)),
    (pd.DataFrame({"a": pd.to_datetime([None, None])}), pd.Series(["y", None], dtype="str")),
    (pl.DataFrame({"a": [float("nan"), None]}), pl.Series("a", ["y", None])),
]


@pytest.mark.parametrize(("table", "column"), ALL_NULL)
def test_columns_without_a_type_get_that_of_the_labels(table, column):
    codes, decode = encode(table, Domain({"a": ["x", "y"]}, missing="value"))
    assert codes.tolist() == [[2], [2]]
    released = decode(np.array([[1], [2]], dtype=np.uint8))["a"]
    assert released.equals(column)


@pytest.mark.parametrize("size", [127, 128, 129, 255, 256, 257, 40_000])
def test_many_labels(size):
    domain = Domain({"a": [f"label {i}" for i in range(size)], "b": size})
    values = {"a": list(domain.labels[0]), "b": list(domain.labels[1])[::-1]}
    narrow = pa.array(values["a"]).dictionary_encode()
    narrow = narrow.cast(pa.dictionary(pa.int8(), pa.string())) if size <= 128 else narrow
    made = [
        pd.DataFrame(values).astype({"a": "category"}),
        pl.DataFrame(values, schema_overrides={"a": pl.Enum(values["a"])}),
        pa.table({"a": narrow, "b": values["b"]}),
        pa.table({"a": narrow[:100], "b": values["b"][:100]}),
    ]
    for table in made:
        codes, decode = encode(table, domain)
        assert codes.dtype == (np.uint8 if size <= 256 else np.uint16)
        assert (codes[:, 0] == np.arange(len(codes))).all()
        assert (codes[:, 1] == size - 1 - np.arange(len(codes))).all()
        assert rows(decode(codes)) == rows(table)


def test_the_indices_of_a_dictionary_are_widened_where_labels_have_no_room():
    domain = Domain({"a": [str(i) for i in range(200)]})
    table = pa.table(
        {"a": pa.array(["7", "8"]).dictionary_encode().cast(pa.dictionary(pa.int8(), pa.string()))}
    )
    codes, decode = encode(table, domain)
    released = decode(codes)
    assert released.schema.field("a").type == pa.dictionary(pa.int16(), pa.string())
    assert released["a"].to_pylist() == ["7", "8"]


def test_public_columns_are_released_as_they_are():
    domain = Domain({"a": 2, "p": ["x", "y"], "q": []}, public=["p", "q"])
    stray = pd.Categorical(["y", "x"], categories=["z", "y", "x"])
    frame = pd.DataFrame({"q": [[1], {2}], "p": stray, "a": [0, 1], "w": 1}, index=["k", "l"])
    frame["q"].attrs["note"] = SECRET
    released = identity(frame, domain)
    check_nothing_else(released, ["q", "p", "a"])
    assert released["q"].tolist() == [[1], {2}]
    assert released["p"].tolist() == ["y", "x"]
    assert released["p"].cat.categories.tolist() == ["x", "y"]
    assert released["a"].dtype == np.int64
    with_null = frame.assign(p=objects("y", None), q=objects("m", "n"))
    released = identity(with_null, domain)
    assert released["p"].tolist() == ["y", None]
    assert released["q"].dtype == object
    table = pa.table(
        {"p": pa.array(["y", None]).dictionary_encode(), "a": [0, 1], "q": pa.array([1.5, None])}
    )
    released = identity(table, domain)
    assert released["p"].chunk(0).dictionary.to_pylist() == ["x", "y"]
    assert released.to_pylist() == table.to_pylist()
    assert identity(pl.from_arrow(table), domain).to_dicts() == table.to_pylist()


def objects(*values):
    return pd.Series(values, dtype=object, index=["k", "l"])


def test_columns_that_have_no_nulls_by_their_schema_stay_so():
    schema = pa.schema([pa.field("a", pa.int8(), nullable=False), pa.field("b", pa.int8(), nullable=False)])
    table = pa.table({"a": [0, 1], "b": [1, 0]}, schema=schema)
    released = identity(table, Domain({"a": 2, "b": 2}, missing={"b": "value"}))
    assert [field.nullable for field in released.schema] == [False, True]


def test_only_the_columns_asked_for_are_read():
    table = pd.DataFrame(PEOPLE)[["children", "sex"]]
    codes, decode = encode(table.assign(smokes=SECRET), STRICT, [2, 0])
    assert codes.tolist() == [[3, 1], [0, 0], [1, 1]]
    pd.testing.assert_frame_equal(decode(codes), table)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_gaps(make):
    codes, decode = encode(make(PEOPLE), STRICT, gaps=True)
    assert codes.dtype == np.int8
    codes[0] = -1
    released = decode(codes, form=np.array([2, 0, 1]))
    assert rows(released)[0] == {"children": None, "sex": None, "region": "N", "smokes": None, "form": 2}
    whole = {name: values[1] for name, values in PEOPLE.items() if name != "name"}
    assert rows(released)[1] == whole | {"form": 0}
    read, _ = encode(released, STRICT, gaps=True, complete=False)
    assert read.tolist() == codes.tolist()
    with pytest.raises(ValueError, match="column 'sex' has missing values in 1 row:"):
        encode(released, STRICT, gaps=True)


def test_a_library_that_is_not_installed_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r'tables need pyarrow, .*pip install "\.\[tables\]"'):
        encode(pl.DataFrame(PEOPLE), STRICT)


def test_other_labels_of_a_process_do_not_leave_it():
    secret = pl.Series([SECRET], dtype=pl.Categorical)
    people = pl.DataFrame(PEOPLE).with_columns(pl.col("sex").cast(pl.Categorical))
    released = identity(people, STRICT)
    assert secret.dtype == released["sex"].dtype
    assert SECRET.encode() not in pickle.dumps(released)
    assert SECRET not in str(released.to_arrow()["sex"].chunk(0).dictionary)


# Mutants: what goes wrong in such code, and the check that sees it.

TWINS = Domain({"a": ["x", "y"], "b": ["x", "y"], "w": []}, withheld=["w"])


def twins(make):
    if make is pd.DataFrame:
        stray = pd.CategoricalDtype(["y", "x", "z"])
        frame = pd.DataFrame(
            {"b": ["x", "x", "y"], "a": ["y", "x", "y"], "w": 1}, index=[5, 6, 7], dtype=None
        )
        return frame.astype({"a": stray, "b": stray})
    table = pa.table({"b": ["x", "x", "y"], "a": ["y", "x", "y"], "w": [1, 2, 3]}, metadata={"note": SECRET})
    return table if make is pa.table else pl.from_arrow(table)


def swapped(chunks):
    """Read the other column."""

    def mutant(self, attribute):
        other = "b" if attribute.name == "a" else "a"
        return chunks(self, columns.Attribute(other, attribute.labels))

    return mutant


def from_the_data(dtype, attribute):
    """List the categories that the data had."""
    write = writers.pandas_writer(dtype, attribute)
    return lambda codes: write(codes).set_categories(dtype.categories)


def by_the_draw(dtype, attribute):
    """List the labels that were drawn."""
    write = writers.pandas_writer(dtype, attribute)
    return lambda codes: write(codes).remove_unused_categories()


def indexed(self, made, nullable):
    return pd.DataFrame(made).set_axis(self.native.index)


def with_attributes(self, made, nullable):
    released = pd.DataFrame(made)
    released.attrs["source"] = SECRET
    return released


def with_metadata(self, made, nullable):
    return pa.table(made).replace_schema_metadata(self.native.schema.metadata)


def with_another_column(self, made, nullable):
    return pl.DataFrame([s.alias(n) for n, s in made.items()]).with_columns(self.native["w"])


def in_the_order_of_the_domain(self, made, nullable):
    return pl.DataFrame([made[n].alias(n) for n in sorted(made)])


MUTANTS = [
    (pd.DataFrame, (frames.PandasTable, "chunks", swapped(frames.PandasTable.chunks)), "codes"),
    (pl.DataFrame, (frames.PolarsTable, "chunks", swapped(frames.PolarsTable.chunks)), "codes"),
    (pa.table, (frames.ArrowTable, "chunks", swapped(frames.ArrowTable.chunks)), "codes"),
    (pd.DataFrame, (frames, "pandas_writer", from_the_data), "labels of the data"),
    (pd.DataFrame, (frames, "pandas_writer", by_the_draw), "labels of the data"),
    (pd.DataFrame, (frames.PandasTable, "build", indexed), "index"),
    (pd.DataFrame, (frames.PandasTable, "build", with_attributes), "attrs"),
    (pa.table, (frames.ArrowTable, "build", with_metadata), "metadata"),
    (pl.DataFrame, (frames.PolarsTable, "build", with_another_column), "labels"),
    (pl.DataFrame, (frames.PolarsTable, "build", in_the_order_of_the_domain), "columns"),
    (pd.DataFrame, (tables, "fill", lambda codes, *_: codes.fill(0)), "codes"),
    (pd.DataFrame, (columns, "UNKNOWN", 0), None),
]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_twins(make):
    check(twins(make), TWINS)


@pytest.mark.parametrize(("make", "change", "words"), MUTANTS)
def test_mutants_are_caught(monkeypatch, make, change, words):
    monkeypatch.setattr(*change)
    if words is None:  # an undeclared label that passes for the first one
        with pytest.raises(pytest.fail.Exception):
            test_bad_tables("pandas category")
        return
    with pytest.raises(AssertionError, match=words):
        check(twins(make), TWINS)
