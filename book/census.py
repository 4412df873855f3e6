"""A sample of a census: 20,000 adults of the US Current Population Surveys of 1994 and 1995.

``data/people.json`` says where the records come from and how the sample was drawn.
"""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from orr.arrays import Integers

DATA = Path(__file__).parent / "data"
WEIGHT = "weight"  # how many people of the population each person stands for


@cache
def _labels() -> dict[str, list[str]]:
    return json.loads((DATA / "people.json").read_text("utf-8"))["labels"]


@cache
def _rows() -> tuple[list[str], list[list[str]]]:
    names, *rows = gzip.decompress((DATA / "people.csv.gz").read_bytes()).decode().splitlines()
    return names.split(","), [row.split(",") for row in rows]


@cache
def _codes() -> dict[str, Integers]:
    names, rows = _rows()
    codes = np.array([row[:-1] for row in rows], dtype=np.int64)
    return dict(zip(names, codes.T, strict=False))


def people(*columns: str) -> tuple[Integers, list[list[str]]]:
    """Return the records of all people in some columns, as codes, and the labels of each column's codes.

    Examples
    --------
    >>> records, (sex, income) = people("sex", "income")
    >>> records.shape, sex, income
    ((20000, 2), ['Female', 'Male'], ['- 50000.', '50000+.'])
    """
    missing = [name for name in columns if name not in _labels()]
    if missing:
        raise ValueError(f"no column {missing[0]!r}; there are {', '.join(_labels())}")
    return np.stack([_codes()[name] for name in columns], axis=1), [_labels()[name][:] for name in columns]


def survey(*columns: str) -> Any:
    """Return the same people as a table of pandas: labels, missing values as nulls, and the survey's weights.

    Examples
    --------
    >>> table = survey("sex", "hispanic", "weight")
    >>> table.shape, int(table["hispanic"].isna().sum())
    ((20000, 3), 102)
    >>> table.head(2)
          sex          hispanic   weight
    0  Female         All other  1598.55
    1  Female  Mexican-American  2172.62
    """
    import pandas as pd

    found: dict[str, Any] = {}
    for name in columns:
        if name == WEIGHT:
            found[name] = np.array([float(row[-1]) for row in _rows()[1]])
            continue
        records, (labels,) = people(name)
        found[name] = pd.array([labels[code] or None for code in records[:, 0]], dtype="str")
    return pd.DataFrame(found)


def grouped(codes: Integers, labels: list[str], groups: dict[str, list[str]]) -> tuple[Integers, list[str]]:
    """Put labels of a column together under new names.

    Examples
    --------
    >>> (codes,), labels = np.array([[0, 1, 2, 1]]), ["a", "b", "c"]
    >>> grouped(codes, labels, {"first": ["a"], "later": ["b", "c"]})
    (array([0, 1, 1, 1]), ['first', 'later'])
    """
    names = list(groups)
    where = {label: names.index(name) for name in names for label in groups[name]}
    if sorted(where) != sorted(labels):
        raise ValueError(f"the groups must hold each label once: {labels}")
    return np.array([where[label] for label in labels])[codes], names
