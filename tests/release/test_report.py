"""The page for an ethics board: its numbers computed again, its structure parsed, its names harmless."""

import math
import re
import subprocess
import sys
from decimal import ROUND_CEILING, Decimal
from fractions import Fraction
from html.parser import HTMLParser

import jinja2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import orr_release
from orr_release.report import (
    TITLE,
    Report,
    belief,
    believed,
    chance,
    marked,
    odds,
    report,
    rounded_down,
    rounded_up,
)

SIZES, LEVELS = [2, 3, 4], [1.0, 1.5, 2.0]
VOID = {"meta", "br", "hr", "img", "link", "input"}


class Document(HTMLParser):
    """The tags of a page, checked to be balanced; its headings, header cells, attributes and text."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.headings, self.headers = [], [], [], []
        self.attributes, self.words = [], []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)
        if re.fullmatch(r"h\d", tag):
            self.headings.append(int(tag[1]))
        if tag == "th":
            self.headers.append(dict(attrs).get("scope"))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] != "style":
            self.words.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())


def tables(markdown):
    """The cells of every table, by its first heading."""
    found = {}
    for block in re.findall(r"(?:^\|.*\|\n)+", markdown, re.MULTILINE):
        rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in block.splitlines()]
        cells = [[cell.strip() for cell in row] for row in rows]
        assert len({len(row) for row in cells}) == 1
        found[tuple(cells[0])] = cells[2:]
    return found


def reader_rows(markdown):
    return next(rows for heads, rows in tables(markdown).items() if heads[1] == "level")


def up(value, digits):
    """Round up, in decimals."""
    number = Decimal(value)
    return number.quantize(Decimal(1).scaleb(number.adjusted() - digits + 1), ROUND_CEILING)


def check_numbers(page, mechanism):
    """Levels, odds and beliefs of the three readers are those of the mechanism, rounded up."""
    levels = mechanism.levels.epsilons.max(), mechanism.levels.neighbour_epsilons.max(), mechanism.epsilon
    for row, level in zip(reader_rows(page), levels, strict=True):
        exact = math.exp(level)
        assert float(row[1]) == pytest.approx(float(up(float(level) * (1 - 1e-6), 3)), rel=1e-12)
        assert float(row[2].replace(",", "")) == pytest.approx(float(up(exact * (1 - 1e-6), 3)), rel=1e-12)
        for cell, before in ((row[3], Fraction(1, 2)), (row[4], Fraction(1, 100))):
            after = before * Fraction(exact) / (before * Fraction(exact) + 1 - before)
            shown = Fraction(cell.rstrip("%")) / 100
            assert -2e-6 < float(shown - after) < 0.0011
    answers = next(
        rows for heads, rows in tables(page).items() if "possible answers" in heads[1] and len(heads) == 6
    )
    for row, q, a in zip(answers, mechanism.levels.flip_probabilities, mechanism.sizes, strict=True):
        assert abs(float(row[2].rstrip("%")) / 100 - q) <= 0.00051
        assert abs(float(row[3].rstrip("%")) / 100 - (a - 1) / a) <= 0.00051


@pytest.mark.parametrize(
    "make",
    [
        orr_release.kronecker,
        orr_release.optimal,
        lambda *p: orr_release.guarded(*p, 0.25),
        orr_release.inductive,
    ],
)
def test_numbers_are_computed(make):
    mechanism = make(SIZES, LEVELS)
    check_numbers(mechanism.report().markdown, mechanism)


@pytest.mark.parametrize("levels", [[1.0, 1.5, 2.1], [0.9, 1.5, 2.0], [1.3, 1.5, 2.0]])
def test_check_catches_another_mechanism(levels):
    page = orr_release.optimal(SIZES, levels).report().markdown
    with pytest.raises(AssertionError):
        check_numbers(page, orr_release.optimal(SIZES, LEVELS))


def test_check_catches_rounding_to_the_nearest(monkeypatch):
    monkeypatch.setattr("orr_release.report.odds", lambda level: f"{math.exp(level):.3g}")
    monkeypatch.setattr("orr_release.report.rounded_up", lambda level: f"{level:.3g}")
    mechanism = orr_release.kronecker([2, 3], [1.00123, 1.5])
    with pytest.raises(AssertionError):
        check_numbers(report(mechanism).markdown, mechanism)


def test_the_brief_example():
    page = orr_release.kronecker([2], [2.0]).report().markdown
    row = reader_rows(page)[0]
    assert row[1:] == ["2", "7.39", "88.1%", "7%"]


def test_repeated_releases_multiply_levels():
    mechanism = orr_release.optimal(SIZES, [0.1, 0.15, 0.2])
    rows = next(rows for heads, rows in tables(mechanism.report().markdown).items() if "2 releases" in heads)
    levels = mechanism.levels.epsilons.max(), mechanism.levels.neighbour_epsilons.max(), mechanism.epsilon
    for row, level in zip(rows, levels, strict=True):
        assert row[1:] == [f"{odds(t * level)} ({belief(t * level, 0.5)})" for t in (1, 2, 10)]
        ten = float(row[3].split(" ")[0])
        assert ten == pytest.approx(math.exp(level) ** 10, rel=0.011)


def test_numbers_in_words_are_these():
    ups, downs = map(rounded_up, (7.389, 2.0000001, 12345.0, 0.00123456)), map(rounded_down, (3.44477, 0.0))
    assert [*ups, *downs] == ["7.39", "2", "12,400", "0.00124", "3.444", "0"]
    assert [odds(2.0), odds(20.0)] == ["7.39", "over a million"]
    assert [belief(2.0, 0.5), belief(2.0, 0.01), belief(20.0, 0.5)] == ["88.1%", "7%", "over 99.9%"]
    assert believed(math.log(3), 0.5) == 0.75


@given(st.floats(1e-12, 1e15))
def test_rounding_goes_outward(x):
    high, low = (float(text.replace(",", "")) for text in (rounded_up(x), rounded_down(x, 3)))
    assert x * (1 - 1.1e-6) <= high <= x * 1.0101
    assert x * 0.989 <= low <= x * (1 + 1e-12)


@given(st.floats(1e-12, 40.0), st.sampled_from([0.5, 0.01, 1e-6]))
def test_beliefs_never_promise_too_much(level, before):
    after, words = believed(level, before), belief(level, before)
    multiplied = Fraction(before) / (1 - Fraction(before)) * Fraction(math.exp(level))
    assert after == pytest.approx(float(multiplied / (1 + multiplied)), rel=1e-9)
    if words == "over 99.9%":
        assert after > 0.999
    else:
        assert after * (1 - 2e-6) <= float(words.rstrip("%")) / 100 <= after + 0.00101


def test_high_levels_are_put_in_words():
    page = orr_release.kronecker([2, 2], [20.0, 3.0]).report().markdown
    assert "over a million" in page
    assert "one chance in a million" in page
    assert "the first, the second and the third reader the promise is weak" in page
    low = orr_release.kronecker([2, 2], [1.0, 1.0]).report().markdown
    assert "For none of these readers" in low
    assert "million" not in "".join(low.split("## More than one release")[0])
    some = orr_release.kronecker([2, 2], [3.0, 3.0]).report().markdown
    assert "Against the third reader the promise is weak: a suspicion of 1% can" in some
    assert "one chance in a million" not in some
    top = orr_release.kronecker([2, 2], [700.0, 700.0])
    assert "nan" not in top.report(10).markdown
    assert "inf" not in " ".join(
        cell for rows in tables(top.report(10).markdown).values() for r in rows for cell in r
    )


def test_weak_is_what_the_odds_say():
    for level, weak in ((math.log(99) - 1e-6, False), (math.log(99) + 1e-6, True)):
        assert ("promise is weak" in orr_release.kronecker([2], [level]).report().markdown) == weak


def test_every_section_is_there_and_in_order():
    page = orr_release.optimal(SIZES, LEVELS).report(n=5000).markdown
    assert re.findall(r"^## (.*)", page, re.MULTILINE) == [
        "What happens to each answer",
        "Who could learn what",
        "Who must be trusted",
        "More than one release",
        "What is not protected",
        "How exact the results will be",
        "Could it be better?",
        "Questions to ask",
    ]
    assert "How exact" not in orr_release.optimal(SIZES, LEVELS).report().markdown
    for word in (
        "central model",
        "backups",
        "Order and number of rows",
        "Relatives",
        "Filtered rows",
        "same copy",
    ):
        assert word in page


def test_two_pages_at_most():
    domain = orr_release.Domain({f"question {i}": ["yes", "no"] for i in range(8)}, public=["state"])
    words = orr_release.optimal(domain, [1.0] * 8).report(n=20_000).markdown.replace("|", " ").split()
    assert len(words) < 1300
    many = orr_release.kronecker([2] * 500, [0.1] * 500).report(n=20_000).markdown
    assert len(many.splitlines()) < 140
    assert "24 of 500" in many


def test_accuracy_is_that_of_the_plan():
    mechanism = orr_release.allocate(4.0, [2, 5, 17])
    planned, page = mechanism.plan(20_000), mechanism.report(n=20_000).markdown
    rows = next(rows for heads, rows in tables(page).items() if heads[-1] == "verdict")
    assert [float(row[3]) for row in rows] == pytest.approx(
        [r.standard_error for r in planned.one_way], rel=0.01
    )
    assert [row[4] for row in rows] == [r.verdict for r in planned.one_way]
    for sentence in planned.warnings:
        assert marked(sentence) in page
    with pytest.raises(TypeError, match=r"n = 2\.5 must be a number of people"):
        mechanism.report(n=2.5)


def test_the_certificate_is_quoted_and_rounded_down():
    best = orr_release.optimal(SIZES, LEVELS)
    (lower,) = re.findall(r"below ([\d.]+)\. A second program", best.report().markdown)
    assert best.mechanism.certificate.lower - 1e-3 < float(lower) <= best.mechanism.certificate.lower
    capped = orr_release.guarded(SIZES, LEVELS, 0.1).report().markdown
    assert "at most 10% above the first" in capped
    assert "proved" not in orr_release.kronecker(SIZES, LEVELS).report().markdown
    assert "sum of the levels" in orr_release.kronecker(SIZES, LEVELS).report().markdown
    (apart,) = re.findall(r"would be ([\d.]+)\.", best.report().markdown)
    assert float(apart) == pytest.approx(sum(LEVELS))
    assert "would be 4.5. Here" in orr_release.optimal(SIZES, [1.009, 1.5, 2.0]).report().markdown


def test_a_sampled_release_says_who_is_asked():
    page = orr_release.sampled([3] * 4, 2.0, 2).report(n=1000).markdown
    assert "asked only 2 of the 4 questions" in page
    assert "randomized by itself, the overall" not in page


HOSTILE = {
    "<script>alert(1)</script>": ["<b>x</b>", "y|z"],
    "a|b *bold* _it_ `code`": 3,
    "two\nlines [link](http://example.com)": ["$x$", "#", "\\"],
}


def hostile():
    domain = orr_release.Domain({**HOSTILE, "</style><p>": []}, public=["</style><p>"], missing="value")
    return orr_release.kronecker(domain, [1.0, 1.0, 1.0]).report(n=100)


def test_names_and_labels_do_no_harm():
    page = hostile()
    document = Document(page.html)
    assert "script" not in document.tags
    assert "a" not in document.tags
    assert "b" not in document.tags
    assert "alert(1)" in document.text
    assert "</style><p>" in document.text
    assert "no answer" in document.text
    for cells in tables(page.markdown).values():  # every row has as many cells as its heading
        assert cells
    assert "<" not in re.sub(r"&lt;", "", page.markdown)
    assert "\n# " not in page.markdown[1:].replace("\n## ", "")


def test_the_parser_sees_what_is_not_escaped():
    domain = orr_release.Domain({"<script>alert(1)</script>": 2})
    page = orr_release.kronecker(domain, [1.0]).report().html
    assert "script" not in Document(page).tags
    assert "script" in Document(page.replace("&lt;", "<").replace("&gt;", ">")).tags


@pytest.mark.parametrize("form", ["markdown", "html"])
def test_a_fact_that_is_missing_is_an_error(form):
    facts = dict(orr_release.kronecker([2], [1.0]).report().facts)
    del facts["overall"], facts["false_report"]
    with pytest.raises(jinja2.UndefinedError, match="false_report"):
        getattr(Report(facts), form)


def test_templates_are_read_when_a_report_is_made():
    code = "import sys, orr_release.cli; assert not {'jinja2', 'markupsafe'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_page_is_whole_accessible_and_alone():
    document = Document(orr_release.optimal(SIZES, LEVELS).report(n=1000).html)
    assert ("html", "lang", "en") in document.attributes
    assert document.tags.count("title") == document.tags.count("main") == document.tags.count("h1") == 1
    assert document.headings[0] == 1
    steps = np.diff(document.headings)
    assert steps.max() <= 1
    assert set(document.headers) == {"col", "row"}
    assert document.tags.count("caption") == document.tags.count("table")
    assert not {"script", "img", "link", "iframe"} & set(document.tags)
    assert not [a for a in document.attributes if a[1] in {"src", "href"} or "http:" in str(a[2])]
    html = orr_release.kronecker([2], [1.0]).report().html
    assert "color-scheme: light dark" in html
    assert "@media print" in html
    assert html.startswith("<!DOCTYPE html>")


def test_inside_a_notebook_it_is_a_part_of_the_page():
    page = orr_release.kronecker([2, 3], [1.0, 1.0]).report()
    document = Document(page._repr_html_())
    assert document.tags[0] == "article"
    assert "html" not in document.tags
    assert document.headings[0] == 2
    assert page._repr_markdown_() == str(page) == page.markdown
    assert repr(page).startswith("<Report: ")


def test_markdown_and_html_say_the_same():
    page = orr_release.optimal(SIZES, LEVELS).report(n=1000)
    plain = re.sub(r"\\(.)", r"\1", re.sub(r"^(#+|-|\| ---.*) ?", "", page.markdown, flags=re.MULTILINE))
    words = (
        re.sub(r"[|*]", " ", plain).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&").split()
    )
    text = Document(page.html).text.split()
    assert text[len(TITLE.split()) :] == words  # the title stands twice, in the head and on the page


def test_saved_by_suffix(tmp_path):
    page = orr_release.kronecker([2, 3], [1.0, 1.0]).report()
    assert page.save(tmp_path / "board.md").read_text("utf-8") == page.markdown
    assert page.save(str(tmp_path / "board.HTML")).read_text("utf-8") == page.html
    for name in ("board", "board.pdf", "board.txt"):
        with pytest.raises(ValueError, match=r"must end in \.md or \.html"):
            page.save(tmp_path / name)
        assert not (tmp_path / name).exists()


def test_columns_are_spoken_of():
    domain = orr_release.Domain(
        {"sex": ["F", "M"], "ill": ["no", "yes"], "state": [], "name": []},
        public=["state"],
        withheld=["name"],
        missing={"ill": "value"},
    )
    page = orr_release.kronecker(domain, [1.0, 1.0]).report().markdown
    assert "**Public columns:** state." in page
    assert "Not released at all: name" in page
    assert "without an answer to sex are refused" in page
    assert "no, yes, no answer" in page
    plain = orr_release.kronecker([2, 2], [1.0, 1.0]).report().markdown
    assert "Public columns" not in plain
    assert "attribute 1" in plain


@pytest.mark.parametrize(
    ("q", "words"), [(0.5, "50.0%"), (0.2689, "26.9%"), (0.00012, "0.01%"), (1e-300, "below 0.01%")]
)
def test_chances(q, words):
    assert chance(q) == words


def test_it_is_a_report():
    assert isinstance(report(orr_release.kronecker([2], [1.0])), Report)
