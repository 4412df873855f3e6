"""What the build does for comfortable reading: folds, previews, sizes of pictures, colours without scripts."""

import pytest
from docutils import nodes

import folds
import noscript
import picture_sizes
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


def test_sizes_of_pictures_are_found(tmp_path):
    png, svg, other = (tmp_path / name for name in ("a.png", "b.svg", "c.svg"))
    png.write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\x80\0\0\x01\xe0")
    svg.write_text('<?xml version="1.0"?>\n<svg height="9pt" viewBox="0 0 460.8 288">', "utf-8")
    other.write_text("<svg>", "utf-8")
    assert [picture_sizes.size(path) for path in (png, svg, other)] == [(640, 480), (461, 288), None]


@pytest.mark.parametrize(
    ("tag", "found"),
    [
        ('<img alt="x &gt; 1" src="../_images/a.png"/>', '<img alt="x &gt; 1" src="../_images/a.png"'),
        ('<img alt="x" src="_images/a.png" />', '<img alt="x" src="_images/a.png"'),
        ('<img alt="x" src="_images/a.png" width="3"/>', None),
        ('<img alt="x" src="_static/a.png"/>', None),
    ],
)
def test_only_pictures_without_a_size_get_one(tag, found):
    match = picture_sizes.IMAGE.search(tag)
    assert (match and match[0]) == found


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
