"""What the build does for comfortable reading: folds, previews, pictures that keep their place, colours."""

import pytest
from docutils import nodes

import folds
import noscript
import previews


def cell(code, *outputs):
    """Return a cell as myst-nb makes it."""
    source = nodes.container("", nodes.literal_block("", code), nb_element="cell_code_source")
    shown = [nodes.container("", *outputs, nb_element="cell_code_output")] if outputs else []
    return nodes.container("", source, *shown, nb_element="cell_code")


def raw(html):
    return nodes.raw("", html, format="html")


@pytest.mark.parametrize(
    ("made", "label"),
    [
        (cell("plt.plot(x)", nodes.image(uri="a.png")), "Figure code"),
        (cell("assert plot(x)", nodes.figure("", nodes.image(uri="a.png"))), "Figure code"),
        (cell("plot(x)", raw("<svg viewBox='0 0 1 1'></svg>")), "Figure code"),
        (cell("Table.of(x)", raw("<table><tr><th>x</th></tr></table>")), "Table code"),
        (cell("import numpy as np\nfrom math import log"), "Set-up"),
        (cell("assert x == 1"), "Check"),
        (cell("np.testing.assert_allclose(x, 1)"), "Check"),
        (cell("assert x == 1\nprint(x)", nodes.literal_block("", "1")), "Code"),
        (cell("def assertion(x):\n    return important(x)"), "Code"),
    ],
)
def test_folded_code_is_called_what_it_is(made, label):
    assert folds.code_label(made) == label


def box(*parts, classes):
    return nodes.admonition("", *parts, classes=[*classes, "dropdown"], ids=["proof", "own"])


def test_a_solution_is_folded_with_the_link_to_its_exercise_inside():
    link = nodes.reference("", " Exercise 1.1 (A coin)", refuri="#coin")
    made = folds.fold(
        box(nodes.title("", "Solution to", link), nodes.paragraph("", "2"), classes=["solution"])
    )
    assert (made["noun"], made["of"]) == ("solution", "Exercise 1.1 (A coin)")
    assert [part.astext() for part in made] == ["Solution to Exercise 1.1 (A coin)", "2"]
    assert [*made[0].findall(nodes.reference)] == [link]
    assert made["classes"] == ["solution"]
    assert made["ids"] == ["own"]


def test_proofs_and_other_boxes_are_folded_too():
    proof = folds.fold(box(nodes.paragraph("", "Clear."), classes=["proof", "proof"]))
    assert (proof["noun"], proof["of"]) == ("the proof", "")
    other = folds.fold(box(nodes.title("", "A hint"), nodes.paragraph("", "2"), classes=["hint"]))
    assert (other["noun"], other["title"]) == ("", "A hint")


def test_previews_have_no_links_and_no_ids():
    html = (
        '<p id="a">See <a class="reference" href="#b">(1.2)</a>'
        '<a class="headerlink" href="#a" title="Link">#</a><abbr id="c">x</abbr> id="5"</p>'
        '<svg><path id="glyph"/><use href="#glyph"/></svg><p class="d" id="e">y</p>'
    )
    assert previews.plain(html) == (
        '<p>See <span>(1.2)</span><abbr>x</abbr> id="5"</p>'
        '<svg><path id="glyph"/><use href="#glyph"/></svg><p class="d">y</p>'
    )


def test_previews_show_terms_with_their_meaning_and_sources_without_their_label():
    term = nodes.term("", "level")
    nodes.definition_list_item("", term, nodes.definition("", nodes.paragraph("", "A logarithm.")))
    assert [part.astext() for part in previews.excerpt(term)] == ["level", "A logarithm."]
    source = nodes.citation("", nodes.label("", "W65"), nodes.paragraph("", "Warner 1965"))
    assert [part.astext() for part in previews.excerpt(source)] == ["Warner 1965"]
    formula = nodes.math_block("", "x = 1")
    assert previews.excerpt(formula) == [formula]
    assert previews.excerpt(nodes.section()) == previews.excerpt(None) == []


def test_colours_without_a_script_are_light_then_dark_as_the_system_has_it():
    style = """/* html[data-theme=light] {} */
    p { color: red; }
    html[data-theme="light"] .k { color: blue; }
    html[data-theme=dark] .k, html[data-theme="dark"] .s { color: cyan; }"""
    assert noscript.without_script([style]).splitlines() == [
        "html:not([data-theme]) .k { color: blue; }",
        "@media (prefers-color-scheme: dark) {",
        "html:not([data-theme]) .k, html:not([data-theme]) .s { color: cyan; }",
        "}",
    ]
