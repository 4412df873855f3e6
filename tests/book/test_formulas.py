"""Formulas are typeset while the book is built, and a wrong one is said."""

import json

import pytest

import formulas

MACROS = json.dumps({"eps": r"\varepsilon"})


def test_a_formula_is_drawn_and_read_aloud():
    made = formulas.typeset(r"\eps_1 \le \frac{a}{2}", False, MACROS)
    assert 'class="mjx-c1D700 TEX-I"' in made
    assert (
        "<math><msub><mi>ε</mi><mn>1</mn></msub><mo>≤</mo><mfrac><mi>a</mi><mn>2</mn></mfrac></math>" in made
    )
    assert "tabindex" not in made


@pytest.mark.parametrize("tex", [r"\frac{a", r"\no", r"a_b_c", r"\begin{split}a"])
def test_a_wrong_formula_is_said(tex):
    with pytest.raises(ValueError, match="in the formula"):
        formulas.typeset(tex, True, MACROS)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("a = b", "a = b"),
        (r"a &= b \\ &= c", r"\begin{split}a &= b \\ &= c\end{split}"),
        ("a\n\nb", r"\begin{aligned}a\\b\end{aligned}"),
    ],
)
def test_lines_mean_what_they_do_in_sphinx(written, read):
    assert formulas.lines(written) == read


def test_the_style_has_the_signs_of_the_pages_and_no_others():
    page = formulas.typeset(r"\left( \frac{\frac{a}{b}}{\frac{c}{d}} \right)", True, MACROS)
    rules, letters = formulas.style(page, MACROS)
    assert "mjx-c1D44E.TEX-I" in rules
    assert "mjx-c1D467.TEX-I" not in rules  # a z
    assert set("abcd") <= set(letters)
    assert "z" not in letters
    assert 'url("MathJax_Main-Regular.woff2")' in rules


def test_a_font_has_the_letters_that_it_needs_and_no_others():
    font = formulas.source() / "output/chtml/fonts/woff-v2/MathJax_Main-Regular.woff"
    few, many = formulas.small(font, "ab"), formulas.small(font, "abcdefghijklmnopqrstuvwxyz")
    assert len(few) < len(many) < font.stat().st_size
