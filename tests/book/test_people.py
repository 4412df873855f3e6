"""The sample of real people is what its description says, and its tables are tables."""

import gzip
import json
import re
from pathlib import Path

import numpy as np
import pytest

from book.census import DATA, grouped, people, survey
from book.figures.tables import Table

ROOT = Path(__file__).parents[2]
ABOUT = json.loads((DATA / "people.json").read_text("utf-8"))


def test_the_sample_is_small_and_complete():
    packed = (DATA / "people.csv.gz").read_bytes()
    names, *rows = gzip.decompress(packed).decode().splitlines()
    assert len(packed) < 400_000
    assert len(rows) == ABOUT["people"] == 20_000
    assert names.split(",") == [*ABOUT["labels"], "weight"]
    for name, labels in ABOUT["labels"].items():
        records, (same,) = people(name)
        assert same == labels == sorted(labels)
        assert 0 <= records.min() <= records.max() < len(labels)


def test_it_says_where_it_comes_from():
    assert {"source", "address", "licence", "copy", "sample"} <= set(ABOUT)
    assert ABOUT["licence"] == "CC BY 4.0"


def test_there_are_no_children():
    records, (education,) = people("education")
    assert education.index("Children") not in records


def test_attributes_of_real_people_depend_on_each_other():
    records, (sex, income) = people("sex", "income")
    rich = records[:, 1] == income.index("50000+.")
    assert (
        rich[records[:, 0] == sex.index("Male")].mean()
        > 2 * rich[records[:, 0] == sex.index("Female")].mean()
    )


def test_the_survey_has_labels_weights_and_real_nulls():
    table = survey("hispanic", "weight", "sex")
    records, (hispanic, sex) = people("hispanic", "sex")
    assert list(table.columns) == ["hispanic", "weight", "sex"]
    assert (table["hispanic"].isna() == (records[:, 0] == hispanic.index(""))).all()
    assert (table["sex"] == np.array(sex)[records[:, 1]]).all()
    assert not table["hispanic"].eq("").any()
    assert table["weight"].dtype == float
    assert 0 < table["weight"].min() < table["weight"].median() < 2_000
    with pytest.raises(ValueError, match="no column 'age'"):
        survey("age")


def test_labels_may_be_changed_by_whoever_asked_for_them():
    people("hispanic")[1][0].remove("")
    assert "" in people("hispanic")[1][0]


def test_unknown_columns_and_groups_are_refused():
    with pytest.raises(ValueError, match="no column 'age'"):
        people("sex", "age")
    with pytest.raises(ValueError, match="each label once"):
        grouped(np.array([0, 1]), ["a", "b"], {"all": ["a"]})


def test_a_table_is_html_with_headers_and_escapes_them():
    html = Table({"k": [1], "a < b": ["<yes>"]})._repr_html_()
    assert html.count('scope="col"') == 2
    assert html.count('scope="row"') == 1
    assert "a &lt; b" in html
    assert "&lt;yes&gt;" in html


def test_a_table_rounds_and_aligns():
    table = Table({"name": ["one", "hundred"], "x": [1.23456, 1e4]}, digits={"x": 2})
    assert repr(table).splitlines() == ["name             x", "one           1.23", "hundred  10,000.00"]


def test_the_readme_tells_the_true_share():
    readme = (ROOT / "README.md").read_text("utf-8")
    (code,) = [code for code in re.findall("```python\n(.*?)```", readme, re.DOTALL) if "people =" in code]
    drawn = {}
    exec("\n".join(re.findall("^>>> (.*)", code, re.MULTILINE)), drawn)
    smokers = drawn["people"].query("smokes == 'yes'")
    assert f"(It is {100 * (smokers['sex'] == 'female').mean():.1f}% of them." in readme
