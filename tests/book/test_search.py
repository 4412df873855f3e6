"""The search index: formulas in letters, pages in parts, and the words of others that lead to them."""

import gzip
import io
import json
import sys
from pathlib import Path

import pytest
import yaml
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.docutils import docutils_namespace

import search
from letters import letters

ROOT = Path(__file__).parents[2]
WORDS = yaml.safe_load((ROOT / "pages" / "search.yml").read_text("utf-8"))
INDEX = """
The book
========

An opening with :math:`e^{\\varepsilon} \\le 2`.

.. code-block:: python

   import numpy

Choosing a level
----------------

A *level* is chosen here, ``x`` too. See :doc:`words`. It is

.. math:: \\sum_i x_i

and more.

* an item
* another (in parentheses)

.. list-table::
   :header-rows: 1

   * - name
     - value
   * - first
     - one

Empty
-----

.. code-block:: python

   print("no words")

.. toctree::

   words
"""
TERMS = """
Words
=====

.. glossary::

   neighbour
      Who lives next door.

.. py:function:: orr.choose(level)

   Choose a level.

   >>> print("not this")
"""


@pytest.fixture
def build(tmp_path, monkeypatch):
    """Return a function that builds a small book, and returns the records of its index and the warnings."""

    def build(words=(), builder="html"):
        (tmp_path / "index.rst").write_text(INDEX, "utf-8")
        (tmp_path / "words.rst").write_text(TERMS, "utf-8")
        (tmp_path / "search.yml").write_text(yaml.safe_dump([*words]), "utf-8")
        monkeypatch.setattr(search, "WORDS", tmp_path / "search.yml")
        out, warnings = tmp_path / builder, io.StringIO()
        with docutils_namespace():
            trees, settings = tmp_path / "trees", {"extensions": ["search"]}
            Sphinx(tmp_path, None, out, trees, builder, settings, None, warnings).build()
        found = [gzip.decompress(path.read_bytes()) for path in sorted(out.glob("pagefind/fragment/*"))]
        records = [json.loads(record.removeprefix(b"pagefind_dcd")) for record in found]
        return {record["url"]: record for record in records}, warnings.getvalue()

    return build


@pytest.mark.parametrize(
    ("tex", "text"),
    [
        (r"\varepsilon", "ε"),
        (r"\eps_1 + \dots + \eps_k", "ε₁ + … + εₖ"),
        (r"e^{-\eps}", "e^(\N{MINUS SIGN}ε)"),
        (r"\frac{1-q}{q} \ge 10^{-14}", "(1 \N{MINUS SIGN} q)/q ≥ 10\N{SUPERSCRIPT MINUS}¹⁴"),
        (r"\lambda \chi^2", "λχ²"),
        (r"\sqrt{k} \log(1 + a_j M)", "√k log(1 + aⱼM)"),
        (r"10{,}000", "10000"),
        (r"\sum_{i \in S} y_i", "∑_(i ∈ S) yᵢ"),
        (r"\text{if } S = \{2, 3\}", "if S = {2, 3}"),
        (r"\unknown x", "…"),
        (r"\frac{1}{", "…"),
        ("x" * 50, "…"),
        ("", "…"),
    ],
)
def test_formulas_are_written_in_letters(tex, text):
    assert letters(tex) == text


def test_every_part_has_a_record_in_prose(build):
    records, warnings = build()
    assert warnings == ""
    assert {url: record["content"] for url, record in records.items()} == {
        "index.html": "An opening with e^ε ≤ 2.",
        "index.html#choosing-a-level": "A level is chosen here, x too. See Words. It is … and more. "
        "an item. another (in parentheses). first, one.",
        "words.html": "Words",
        "words.html#term-neighbour": "Who lives next door.",
        "words.html#orr.choose": "Choose a level.",
    }
    titles = {url: (record["meta"]["title"], record["meta"]["page"]) for url, record in records.items()}
    assert titles["index.html#choosing-a-level"] == ("Choosing a level", "The book")
    assert titles["words.html#term-neighbour"] == ("neighbour", "Words")
    assert titles["words.html#orr.choose"] == ("orr.choose", "Words")


def test_words_of_others_lead_to_ours_and_stay_out_of_the_text(build):
    words = [
        {"typed": ["neighbor"], "ours": ["neighbour"], "first": ["words#term-neighbour"]},
        {"typed": ["ε", "epsilon"], "ours": ["level"], "next": ["index"]},
    ]
    records, warnings = build(words)
    assert warnings == ""
    metas = {url: record["meta"] for url, record in records.items()}
    assert metas["words.html#term-neighbour"].items() >= {"first": "neighbor", "also": "neighbor"}.items()
    for url in ("index.html#choosing-a-level", "words.html#orr.choose"):
        assert metas[url]["also"] == "ε epsilon"
    assert metas["index.html"]["next"] == "ε epsilon"
    assert "also" not in metas["index.html"]
    assert not any("epsilon" in record["content"] for record in records.values())


def test_a_place_that_does_not_exist_is_reported(build):
    _, warnings = build([{"typed": ["x"], "first": ["index#gone"], "next": ["index#choosing-a-level"]}])
    assert "search.yml leads to index#gone, which does not exist" in warnings
    assert "choosing" not in warnings


def test_only_the_book_is_indexed(build, tmp_path):
    build(builder="singlehtml")
    assert not (tmp_path / "singlehtml" / "pagefind").exists()


def test_without_pagefind_the_build_says_what_to_do(build, monkeypatch):
    monkeypatch.setitem(sys.modules, "pagefind_bin", None)
    with pytest.raises(ExtensionError, match="pip install"):
        build()


def test_the_index_is_the_same_every_time(tmp_path):
    records = [{"url": f"{i}.html", "content": f"word{i} and", "meta": {"title": str(i)}} for i in range(20)]
    for name in "ab":
        search.write(iter(records), tmp_path / name)
    a, b = ({path.name: path.read_bytes() for path in (tmp_path / name).rglob("*.pf_*")} for name in "ab")
    assert a == b
    assert len(a) > 20
    assert not [*(tmp_path / "a").glob("*ui*")]


def test_every_word_has_a_reason():
    for entry in WORDS:
        assert set(entry) <= {"typed", "ours", "first", "next", "why"}
        assert all(isinstance(word, str) and " " not in word for word in entry["typed"])
        assert entry["why"]
        assert {"ours", "first"} & set(entry)
