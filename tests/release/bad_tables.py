"""More than a hundred bad tables, and the error that each must get: it never shows a record's value."""

from datetime import date, datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from orr_release.domain import Domain

SECRET, NUMBER = "SECRET", 987654
LABELS = {"sex": ["F", "M"], "smokes": [False, True], "children": [0, 1, 2, 5], "region": ["N", "S"]}
STRICT = Domain(LABELS | {"name": []}, public=["region"], withheld=["name"])
OPEN = Domain(LABELS | {"name": []}, public=["region"], withheld=["name"], missing="value")
WIDE = Domain({"children": [0, 1, 300, 70_000]})
HUGE = Domain({"children": [0, 2**53 + 1]})
PEOPLE = {
    "children": [5, 0, 1],
    "sex": ["M", "F", "M"],
    "region": ["N", "N", "S"],
    "smokes": [True, False, True],
    "name": ["Kim", "Sam", "Lee"],
}
RECORD = {name: values[0] for name, values in PEOPLE.items()}


def pandas(**change):
    return pd.DataFrame(PEOPLE | change)


def polars(**change):
    return pl.DataFrame(PEOPLE | change, strict=False)


def arrow(**change):
    return pa.table(PEOPLE | change)


def without(*names):
    return {name: values for name, values in PEOPLE.items() if name not in names}


def chunked(*pieces):
    return pa.chunked_array([pa.array(piece).dictionary_encode() for piece in pieces])


def objects(*values):
    return pd.Series(values, dtype=object)


TIMES = [datetime(2020, 1, day) for day in (1, 2, 3)]
DAYS = [date(2020, 1, day) for day in (1, 2, 3)]
UNDECLARED = (ValueError, "column '{}' has labels that are not declared, in row {} for the first time")
MISSING = (ValueError, "column '{}' has missing values in {} row")
TYPE = (TypeError, "column '{}' is of type .*, but its declared labels are {}")


def like(kind, *words):
    return kind[0], kind[1].format(*words)


STRINGS, BOOLEANS, INTEGERS = (
    like(TYPE, *w) for w in (("sex", "strings"), ("smokes", "booleans"), ("children", "integers"))
)

BAD_SEX = like(UNDECLARED, "sex", 1)
BAD_CHILDREN = like(UNDECLARED, "children", 2)
NO_SEX = like(MISSING, "sex", 1)
NO_SMOKES = like(MISSING, "smokes", 2)
NO_CHILDREN = like(MISSING, "children", 1)
SEXES, COUNTS = ["M", SECRET, "F"], [0, 1, NUMBER]

# A line each: what is given, the domain, and the error with its words.
BAD = {
    # labels that nobody declared
    "pandas str": (pandas(sex=SEXES), STRICT, *BAD_SEX),
    "pandas object": (pandas(sex=objects(*SEXES)), STRICT, *BAD_SEX),
    "pandas string": (pandas(sex=pd.Series(SEXES, dtype="string[python]")), STRICT, *BAD_SEX),
    "pandas arrow string": (pandas(sex=pd.Series(SEXES, dtype="string[pyarrow]")), STRICT, *BAD_SEX),
    "pandas category": (pandas(sex=pd.Categorical(SEXES)), STRICT, *BAD_SEX),
    "pandas ordered": (pandas(sex=pd.Categorical(SEXES, ordered=True)), STRICT, *BAD_SEX),
    "pandas int": (pandas(children=COUNTS), STRICT, *BAD_CHILDREN),
    "pandas Int32": (pandas(children=pd.array(COUNTS, dtype="Int32")), STRICT, *BAD_CHILDREN),
    "pandas arrow int": (pandas(children=pd.array(COUNTS, dtype="int64[pyarrow]")), STRICT, *BAD_CHILDREN),
    "pandas int category": (pandas(children=pd.Categorical(COUNTS)), STRICT, *BAD_CHILDREN),
    "pandas float": (pandas(children=[0.0, 1.0, float(NUMBER)]), STRICT, *BAD_CHILDREN),
    "pandas dictionary": (
        pandas(
            sex=pd.Series(pa.array(SEXES).dictionary_encode().to_pylist()).astype(
                pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string()))
            )
        ),
        STRICT,
        *BAD_SEX,
    ),
    "polars String": (polars(sex=SEXES), STRICT, *BAD_SEX),
    "polars Categorical": (polars(sex=pl.Series(SEXES, dtype=pl.Categorical)), STRICT, *BAD_SEX),
    "polars Enum": (polars(sex=pl.Series(SEXES, dtype=pl.Enum([*SEXES]))), STRICT, *BAD_SEX),
    "polars UInt32": (polars(children=pl.Series(COUNTS, dtype=pl.UInt32)), STRICT, *BAD_CHILDREN),
    "polars Float32": (polars(children=pl.Series(COUNTS, dtype=pl.Float32)), STRICT, *BAD_CHILDREN),
    "arrow string": (arrow(sex=SEXES), STRICT, *BAD_SEX),
    "arrow large_string": (arrow(sex=pa.array(SEXES, pa.large_string())), STRICT, *BAD_SEX),
    "arrow string_view": (arrow(sex=pa.array(SEXES, pa.string_view())), STRICT, *BAD_SEX),
    "arrow dictionary": (arrow(sex=pa.array(SEXES).dictionary_encode()), STRICT, *BAD_SEX),
    "arrow chunks": (arrow(sex=chunked(["M"], [SECRET, "F"])), STRICT, *BAD_SEX),
    "arrow int32": (arrow(children=pa.array(COUNTS, pa.int32())), STRICT, *BAD_CHILDREN),
    "arrow int dictionary": (arrow(children=pa.array(COUNTS).dictionary_encode()), STRICT, *BAD_CHILDREN),
    "other case": (pandas(sex=["M", "f", "F"]), STRICT, *BAD_SEX),
    "blank at the end": (pandas(sex=["M", "M ", "F"]), STRICT, *BAD_SEX),
    "empty string": (pandas(sex=["M", "", "F"]), OPEN, *BAD_SEX),
    "a word for missing": (pandas(sex=["M", "NaN", "F"]), OPEN, *BAD_SEX),
    "between labels": (pandas(children=[5, 0, 3]), STRICT, *BAD_CHILDREN),
    "negative": (pandas(children=[5, 0, -1]), STRICT, *BAD_CHILDREN),
    "least integer": (pandas(children=np.array([5, 0, -(2**63)])), STRICT, *BAD_CHILDREN),
    "greatest integer": (
        pandas(children=np.array([5, 0, 2**64 - 1], dtype=np.uint64)),
        STRICT,
        *BAD_CHILDREN,
    ),
    "undeclared where missing is a value": (pandas(sex=[None, SECRET, "F"]), OPEN, *BAD_SEX),
    # numbers that are not whole
    "pandas fraction": (pandas(children=[5.0, 0.0, 0.5]), STRICT, *BAD_CHILDREN),
    "pandas fraction and missing": (pandas(children=[5.0, np.nan, 0.5]), OPEN, *BAD_CHILDREN),
    "infinite": (pandas(children=[5.0, 0.0, np.inf]), STRICT, *BAD_CHILDREN),
    "beyond all integers": (pandas(children=[5.0, 0.0, 1e300]), STRICT, *BAD_CHILDREN),
    "polars fraction": (polars(children=[5.0, 0.0, 0.5]), STRICT, *BAD_CHILDREN),
    "arrow fraction": (arrow(children=[5.0, 0.0, 0.5]), STRICT, *BAD_CHILDREN),
    "Float64 fraction": (pandas(children=pd.array([5.0, 0, 0.5], dtype="Float64")), STRICT, *BAD_CHILDREN),
    "object fraction": (pandas(children=objects(5, 0, 0.5)), STRICT, *BAD_CHILDREN),
    # missing values, where they are refused
    "pandas None": (pandas(sex=["M", None, "F"]), STRICT, *NO_SEX),
    "pandas object None": (pandas(sex=objects("M", None, "F")), STRICT, *NO_SEX),
    "pandas object NA": (pandas(smokes=objects(True, pd.NA, None)), STRICT, *NO_SMOKES),
    "pandas NaN": (pandas(children=[5.0, np.nan, 0.0]), STRICT, *NO_CHILDREN),
    "pandas Int64": (pandas(children=pd.array([5, None, 0], dtype="Int64")), STRICT, *NO_CHILDREN),
    "pandas boolean": (pandas(smokes=pd.array([None, True, None], dtype="boolean")), STRICT, *NO_SMOKES),
    "pandas category with missing": (pandas(sex=pd.Categorical(["M", None, "F"])), STRICT, *NO_SEX),
    "pandas categories taken away": (
        pandas(sex=pd.Categorical(SEXES).remove_categories(SECRET)),
        STRICT,
        *NO_SEX,
    ),
    "polars null": (polars(sex=["M", None, "F"]), STRICT, *NO_SEX),
    "polars NaN": (polars(children=[5.0, float("nan"), 0.0]), STRICT, *NO_CHILDREN),
    "polars null column": (polars(sex=[None, None, None]), STRICT, *like(MISSING, "sex", 3)),
    "polars Categorical null": (
        polars(sex=pl.Series(["M", None, "F"], dtype=pl.Categorical)),
        STRICT,
        *NO_SEX,
    ),
    "arrow null": (arrow(smokes=[True, None, None]), STRICT, *NO_SMOKES),
    "arrow dictionary null": (arrow(sex=pa.array(["M", None, "F"]).dictionary_encode()), STRICT, *NO_SEX),
    "arrow null in a dictionary": (
        arrow(sex=pa.DictionaryArray.from_arrays(pa.array([0, 1, 0], pa.int8()), pa.array(["M", None]))),
        STRICT,
        *NO_SEX,
    ),
    "arrow null column": (arrow(children=pa.nulls(3)), STRICT, *like(MISSING, "children", 3)),
    "pandas nothing at all": (pandas(sex=[np.nan] * 3), STRICT, *like(MISSING, "sex", 3)),
    "polars nothing at all": (
        polars(children=pl.Series([None] * 3, dtype=pl.String)),
        STRICT,
        *like(MISSING, "children", 3),
    ),
    "missing before undeclared": (pandas(sex=[SECRET, None, "F"]), STRICT, *NO_SEX),
    # columns that are not there, or there twice
    "pandas column missing": (pd.DataFrame(without("sex")), STRICT, ValueError, "no column 'sex'"),
    "polars column missing": (pl.DataFrame(without("smokes")), STRICT, ValueError, "no column 'smokes'"),
    "arrow column missing": (pa.table(without("children")), STRICT, ValueError, "no column 'children'"),
    "public column missing": (pd.DataFrame(without("region")), STRICT, ValueError, "no column 'region'"),
    "other case of a name": (pandas().rename(columns={"sex": "Sex"}), STRICT, ValueError, "no column 'sex'"),
    "no columns": (pd.DataFrame(index=range(3)), STRICT, ValueError, "no column 'sex'"),
    "numbered columns": (pd.DataFrame([[0, 1, 2]]), STRICT, ValueError, "no column 'sex'"),
    "a column as the index": (pandas().set_index("sex"), STRICT, ValueError, "no column 'sex'"),
    "columns of two levels": (
        pandas().set_axis(pd.MultiIndex.from_product([["sex"], PEOPLE]), axis=1),
        STRICT,
        ValueError,
        "no column 'sex'",
    ),
    "pandas column twice": (
        pandas().assign(again=PEOPLE["sex"]).rename(columns={"again": "sex"}),
        STRICT,
        ValueError,
        "2 columns 'sex'",
    ),
    "arrow column twice": (
        arrow().append_column("sex", pa.array(PEOPLE["sex"])),
        STRICT,
        ValueError,
        "2 columns 'sex'",
    ),
    "public column twice": (
        arrow().append_column("region", pa.array(PEOPLE["region"])),
        STRICT,
        ValueError,
        "2 columns 'region'",
    ),
    # types that have no such labels
    "strings for integers": (pandas(children=["5", "0", "1"]), STRICT, *INTEGERS),
    "integers for strings": (pandas(sex=[1, 0, 1]), STRICT, *STRINGS),
    "integers for booleans": (pandas(smokes=[1, 0, 1]), STRICT, *BOOLEANS),
    "booleans for integers": (pandas(children=[True, False, True]), STRICT, *INTEGERS),
    "floats for booleans": (pandas(smokes=[1.0, np.nan, 0.0]), OPEN, *BOOLEANS),
    "strings for booleans": (polars(smokes=["true", "false", "true"]), STRICT, *BOOLEANS),
    "category of integers": (pandas(sex=pd.Categorical([1, 0, 1])), STRICT, *STRINGS),
    "dictionary of integers": (arrow(sex=pa.array([1, 0, 1]).dictionary_encode()), STRICT, *STRINGS),
    "Enum for integers": (polars(children=pl.Series(["5"] * 3, dtype=pl.Enum(["5"]))), STRICT, *INTEGERS),
    "Categorical for integers": (
        polars(children=pl.Series(["5"] * 3, dtype=pl.Categorical)),
        STRICT,
        *INTEGERS,
    ),
    "category of strings for integers": (
        pandas(children=pd.Categorical(["5", None, None])),
        OPEN,
        *INTEGERS,
    ),
    "floats for strings, but for one": (arrow(sex=[None, None, 1.0]), OPEN, *STRINGS),
    "intervals": (pandas(sex=pd.cut([1, 2, 3], 2)), STRICT, *STRINGS),
    "pandas datetime": (pandas(sex=TIMES), STRICT, *STRINGS),
    "polars datetime": (polars(sex=TIMES), STRICT, *STRINGS),
    "arrow dates": (arrow(children=DAYS), STRICT, *INTEGERS),
    "timedelta": (pandas(children=pd.to_timedelta([1, 2, 3])), STRICT, *INTEGERS),
    "complex": (pandas(children=np.array([1j, 0, 1])), STRICT, *INTEGERS),
    "decimals": (arrow(children=[Decimal(5), Decimal(0), Decimal(1)]), STRICT, *INTEGERS),
    "object decimals": (pandas(children=objects(Decimal(5), Decimal(0), Decimal(1))), STRICT, *INTEGERS),
    "bytes": (pandas(sex=objects(b"M", b"F", b"M")), STRICT, *STRINGS),
    "lists": (polars(sex=[["M"], ["F"], ["M"]]), STRICT, *STRINGS),
    "structs": (arrow(sex=[{SECRET: "M"}, {SECRET: "F"}, {SECRET: "M"}]), STRICT, *STRINGS),
    "lists of structs": (arrow(sex=[[{SECRET: "M"}]] * 3), STRICT, *STRINGS),
    "records of numpy": (np.zeros((3, 3), [(SECRET, int)]), STRICT, TypeError, "records must be integers"),
    "mixed objects": (pandas(sex=objects("M", NUMBER, "F")), STRICT, *STRINGS),
    "unhashable objects": (pandas(sex=objects({SECRET: 1}, ["F"], "M")), STRICT, *STRINGS),
    "booleans among integers": (pandas(children=objects(5, True, 0)), STRICT, *INTEGERS),
    "integers too large for any type": (pandas(children=objects(5, 10**30, 0)), STRICT, *INTEGERS),
    "sparse strings": (
        pandas(sex=pd.arrays.SparseArray(objects("M", SECRET, "F"), fill_value=SECRET)),
        STRICT,
        *STRINGS,
    ),
    "sparse": (pandas(children=pd.arrays.SparseArray([5, 0, 1])), STRICT, *INTEGERS),
    # types that cannot hold what may be released
    "int8": (
        pd.DataFrame({"children": np.array([0, 1], dtype=np.int8)}),
        WIDE,
        ValueError,
        "column 'children' of type int8 cannot hold",
    ),
    "UInt16": (
        pl.DataFrame({"children": pl.Series([0, 1], dtype=pl.UInt16)}),
        WIDE,
        ValueError,
        "UInt16 cannot hold",
    ),
    "float16": (
        pd.DataFrame({"children": np.array([0, 1], dtype=np.float16)}),
        WIDE,
        ValueError,
        "float16 cannot hold",
    ),
    "float64": (pd.DataFrame({"children": [0.0, 0.0]}), HUGE, ValueError, "float64 cannot hold"),
    "dictionary of int8": (
        pa.table({"children": pa.array([0, 1], pa.int8()).dictionary_encode()}),
        WIDE,
        ValueError,
        "cannot hold",
    ),
    # public columns
    "public label": (pandas(region=["N", SECRET, "S"]), STRICT, *like(UNDECLARED, "region", 1)),
    "public category": (
        pandas(region=pd.Categorical(["N", SECRET, "S"])),
        STRICT,
        *like(UNDECLARED, "region", 1),
    ),
    "public type": (arrow(region=[1, 2, 3]), STRICT, *like(TYPE, "region", "strings")),
    # what is not a table
    "polars LazyFrame": (pl.LazyFrame(PEOPLE), STRICT, TypeError, r"collect\(\) it first"),
    "pandas Series": (pandas()["sex"], STRICT, TypeError, "pandas Series, one column"),
    "polars Series": (polars()["sex"], STRICT, TypeError, "polars Series, one column"),
    "arrow column": (arrow()["sex"], STRICT, TypeError, "ChunkedArray, one column"),
    "arrow batch": (arrow().to_batches()[0], STRICT, TypeError, "RecordBatch, which is not a table"),
    "pandas Index": (pd.Index([0, 1, 0]), STRICT, TypeError, "Index, which is not a table"),
    "labels in lists": ([["F", True, 5]], STRICT, TypeError, "records must be integers"),
    "one record of labels": (["F", True, 5], STRICT, TypeError, "records must be integers"),
    # one record
    "a name missing": ({"sex": "F", "smokes": True}, STRICT, ValueError, "no column 'children'"),
    "nothing": ({}, STRICT, ValueError, "no column 'sex'"),
    "undeclared label": (
        RECORD | {"sex": SECRET},
        STRICT,
        ValueError,
        "'sex' has a label that is not declared",
    ),
    "missing label": (RECORD | {"sex": None}, STRICT, ValueError, "'sex' is missing"),
    "NaN": (RECORD | {"children": float("nan")}, STRICT, ValueError, "'children' is missing"),
    "integer for boolean": (RECORD | {"smokes": 1}, STRICT, TypeError, "'smokes' is of type int"),
    "boolean for integer": (RECORD | {"children": True}, STRICT, TypeError, "'children' is of type bool"),
    "float for integer": (RECORD | {"children": 5.0}, STRICT, TypeError, "'children' is of type float"),
    "unhashable": (RECORD | {"sex": [SECRET]}, STRICT, TypeError, "'sex' is of type list"),
    "columns in a mapping": (PEOPLE, STRICT, TypeError, "list, .* one mapping is one record"),
    "public label of a record": (RECORD | {"region": SECRET}, STRICT, ValueError, "'region' has a label"),
    # no domain
    "pandas without a domain": (
        pandas(),
        STRICT.sizes,
        TypeError,
        r"neither names nor labels: declare .*Domain",
    ),
    "polars without a domain": (polars(), STRICT.sizes, TypeError, "neither names nor labels"),
    "arrow without a domain": (arrow(), STRICT.sizes, TypeError, "neither names nor labels"),
    "codes in a frame without a domain": (
        pd.DataFrame([[0, 1, 1]]),
        STRICT.sizes,
        TypeError,
        "neither names nor labels",
    ),
    "series without a domain": (pd.Series([0, 1, 1]), STRICT.sizes, TypeError, "neither names nor labels"),
    "record without a domain": (RECORD, STRICT.sizes, TypeError, "neither names nor labels"),
}
