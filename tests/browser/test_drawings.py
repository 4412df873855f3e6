"""Every figure is a part of its page: it has words, its own names, the page's typeface and its colours."""

import json
import re
from pathlib import Path

import pytest
from fontTools.ttLib import TTFont

from tests.common import some_slow
from tools.browsing import BOOK, pages

from .looks import OPPOSITE, settle

ROOT = Path(__file__).parents[2]
CHAPTERS = [place for place in pages() if place.startswith("chapters/")]
ICONS = "_static/vendor/fontawesome/webfonts/*.ttf"

# Each gives the drawings, or parts of them, that are not as they should be.
CHECKS = {
    "words": r"drawings.filter(e => (e.getAttribute('aria-label') ?? '').split(/\s+/).length < 12)",
    "names": "all('[id]').filter(e => document.getElementById(e.id) !== e)",
    "references": r"""all("use, [style], [clip-path]").filter(e =>
        [...said(e, "href", "style", "clip-path").matchAll(/#([\w-]+)/g)]
            .some(([, name]) => !document.getElementById(name)))""",
    "colours": r"all('*').filter(e => /#[0-9a-f]{3,8}\b(?!\))|rgb/i.test(said(e, 'style', 'fill')))",
    "names of colours": r"""all("[style]").filter(e => [...said(e, "style").matchAll(/var\((--[^)]+)\)/g)]
        .some(([, name]) => !getComputedStyle(e).getPropertyValue(name)))""",
    "typeface": r"""all("text, tspan").filter(e =>
        getComputedStyle(e).fontFamily !== getComputedStyle(document.body).fontFamily)""",
    "contrast": "all('text, tspan').filter(e => contrast(getComputedStyle(e).fill) < 4.5)",
    "width": "drawings.filter(e => e.getBoundingClientRect().width > e.parentElement.clientWidth + 1)",
}
LOOK = """() => {
    const drawings = [...document.querySelectorAll(".bd-article .drawing")];
    const all = selector => drawings.flatMap(e => [...e.querySelectorAll(selector)]);
    const said = (e, ...names) => names.map(name => e.getAttribute(name) ?? "").join(" ");
    const light = colour => colour.match(/[\\d.]+/g).slice(0, 3).map(x => x / 255)
        .map(x => x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4)
        .reduce((sum, x, i) => sum + [0.2126, 0.7152, 0.0722][i] * x, 0.05);
    const ground = getComputedStyle(document.body).backgroundColor;
    const contrast = colour => {
        if (colour === ground) return 21; // letters on a dark mark
        const [low, high] = [light(colour), light(ground)].sort((a, b) => a - b);
        return high / low;
    };
    return (%s).map(e => e.outerHTML.slice(0, 200));
}"""


def check(page, name):
    return page.evaluate(LOOK % CHECKS[name])


def figures(place):
    """Count the figures that a chapter stores."""
    path = (ROOT / place).with_suffix(".ipynb")
    cells = json.loads(path.read_text("utf-8"))["cells"]
    return sum("image/svg+xml" in out.get("data", {}) for cell in cells for out in cell.get("outputs", []))


@pytest.mark.parametrize("place", some_slow(CHAPTERS, *CHAPTERS[1:]))
def test_figures_are_parts_of_their_page(open_page, place):
    with open_page(place) as page:
        assert page.locator(".cell_output .drawing").count() == figures(place) > 0
        assert page.locator(".cell_output img").count() == 0
        for look in OPPOSITE:
            settle(page, look)
            found = {name: what for name in CHECKS if (what := check(page, name))}
            assert not found, (look, found)


SPOILS = {
    "words": "drawing.setAttribute('aria-label', 'a figure')",
    "names": "drawing.querySelector('path').id = document.querySelector('[id]').id",
    "references": "drawing.querySelector('use').setAttribute('href', '#nothing')",
    "colours": "drawing.querySelector('path').style.stroke = '#ff0000'",
    "names of colours": "drawing.querySelector('path').style.stroke = 'var(--m-ff0000)'",
    "typeface": "drawing.querySelector('text').style.setProperty('font-family', 'serif', 'important')",
    "contrast": "drawing.querySelector('text').style.fill = 'var(--m-b0b0b0)'",
    "width": "drawing.style.maxWidth = 'none'",
}


def test_a_spoilt_figure_is_caught(open_page):
    with open_page("chapters/02-many-answers.html") as page:
        settle(page, "phone and dark")
        for name, script in SPOILS.items():
            assert check(page, name) == []
            page.evaluate(f"() => {{ const drawing = document.querySelector('.drawing'); {script} }}")
            assert check(page, name), name


COLOURS = "e => [...e.querySelectorAll('text')].map(text => getComputedStyle(text).fill)"


def test_figures_follow_the_theme_and_are_light_on_paper(open_page):
    with open_page("chapters/02-many-answers.html") as page:
        figure, found = page.locator(".drawing").first, {}
        for theme in ("light", "dark"):
            page.emulate_media(color_scheme=theme)
            page.wait_for_function(f"document.documentElement.dataset.theme === '{theme}'")
            found[theme] = figure.evaluate(COLOURS)
        assert found["light"] != found["dark"]
        page.emulate_media(color_scheme="dark", media="print")
        assert figure.evaluate(COLOURS) == found["light"]


def test_pages_have_one_typeface_and_load_none(open_page):
    with open_page("chapters/02-many-answers.html") as page:
        families = {
            page.locator(part).first.evaluate("e => getComputedStyle(e).fontFamily")
            for part in ("article p", "article h1", ".bd-sidebar-primary", "svg.drawing text")
        }
        assert families == {'"Source Sans 3", "Source Sans Pro", "Book Sans", sans-serif'}
        asked = page.evaluate("performance.getEntriesByType('resource').map(entry => entry.name)")
    fonts = [url.rpartition("/")[2] for url in asked if re.search(r"\.(woff2?|ttf|otf)", url)]
    assert [name for name in fonts if not name.startswith(("fa-", "MathJax_"))] == []


def test_every_icon_has_its_sign(open_page):
    fonts = [TTFont(path).getBestCmap() for path in BOOK.glob(ICONS)]
    with open_page("chapters/02-many-answers.html") as page:
        shown = page.evaluate("""() => [...document.querySelectorAll("[class*=fa-], .admonition-title")]
            .map(e => getComputedStyle(e, "::before").content)""")
    signs = {ord(sign) for content in shown for sign in re.findall("[\ue000-\uf8ff]", content)}
    assert len(signs) > 5
    assert all(any(sign in font for font in fonts) for sign in signs)
