"""Every row of the replication ledger points at a cell and a test that exist."""

import ast
import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

import ledger
import quiz

ROOT = Path(__file__).parents[2]

ROWS = ledger.claims()
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
    page = (ROOT / "pages" / "ledger.md").read_text("utf-8")
    assert all(f":part: {row['part']}\n" in page for row in ROWS)


def test_every_row_has_an_address_of_its_own():
    assert len({ledger.anchor(row) for row in ROWS}) == len(ROWS)


@every_row
def test_formulas_of_the_line_that_opens_a_row_can_be_said(row):
    for formula in re.findall(r"\$([^$]+)\$", row["says"]):
        assert "\\" not in quiz.spoken(formula)


def test_verdicts_are_told_apart_without_colours():
    style = ledger.LOOKS[0].read_text("utf-8")
    signs = dict(re.findall(r'^\.is-(\w+) \{[^}]*--sign: "(.)"', style, re.MULTILINE))
    assert set(signs) == set(ledger.VERDICTS)
    assert len(set(signs.values())) == len({words for words, *_ in ledger.VERDICTS.values()}) == len(signs)


def test_the_figures_agree_with_their_nouns():
    totals = ledger.Totals.__new__(ledger.Totals)
    rows = [{"verdict": verdict} for verdict in ("fails", "answered", "answered", "remark")]
    page = BeautifulSoup(totals.figures(rows), "html.parser")
    assert page.p.text == "4 claims and open questions"
    figures = [item.text for item in page.select("li")]
    assert figures == ["1 with a remark", "2 open questions answered", "1 does not hold"]
    assert [part["style"] for part in page.select(".ledger-bar span")] == ["flex: 1", "flex: 2", "flex: 1"]


def test_chapters_are_named_in_the_filter():
    assert ledger.title("09-run-time") == "9. Run time"
    assert all(re.fullmatch(r"\d+\. \w.*", ledger.title(row["chapter"])) for row in ROWS)


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
