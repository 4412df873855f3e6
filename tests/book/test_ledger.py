"""Every row of the replication ledger points at a cell and a test that exist."""

import ast
import re
from pathlib import Path

import pytest

import ledger

ROOT = Path(__file__).parents[2]

ROWS = ledger.yaml.safe_load((ROOT / "ledger.yml").read_text("utf-8"))
KEYS = {"part", "paper", "says", "chapter", "cell", "match", "ours", "test", "verdict"}
every_row = pytest.mark.parametrize("row", ROWS, ids=lambda row: row["paper"])


@every_row
def test_row_is_complete(row):
    assert KEYS - {"match"} <= set(row) <= KEYS
    assert row["verdict"] in ledger.VERDICTS
    assert len(re.findall(r"\{\d?\}", row["ours"])) == re.compile(row.get("match", "")).groups


@every_row
def test_cell_exists_and_prints_the_number(row):
    found = ledger.find(row)
    assert found["section"]
    assert "{" not in found["ours"]


@every_row
def test_guard_exists(row):
    path, name = row["test"].split("::")
    functions = ast.walk(ast.parse((ROOT / path).read_text("utf-8")))
    assert name in {node.name for node in functions if isinstance(node, ast.FunctionDef)}


def test_every_part_has_a_table():
    page = (ROOT / "ledger.md").read_text("utf-8")
    assert all(f":part: {row['part']}\n" in page for row in ROWS)


def test_numbered_things_are_all_there():
    titles = " ".join(row["paper"] for row in ROWS)
    for number in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11):
        assert f"({number})" in titles
    for name in ("Algorithm 1", "Algorithm 2", "Algorithm 3", "Fig. 1", "Fig. 2", "Fig. 3", "Fig. 4",
                 "Fig. 5", "Table I", "Definition 1"):  # fmt: skip
        assert name in titles


@pytest.mark.parametrize("change", [{"cell": "no-such-cell"}, {"match": "no such number (x)"}])
def test_dangling_rows_are_caught(change):
    with pytest.raises(ValueError, match=r"has no cell no-such-cell|does not print"):
        ledger.find(ROWS[0] | change)
