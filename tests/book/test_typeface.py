"""The typeface has all letters that the book needs, weighs little, and is not missed where it is missing."""

import logging
import re
from types import SimpleNamespace

import matplotlib.pyplot as plt
import pytest
from fontTools.pens.boundsPen import BoundsPen
from fontTools.ttLib import TTFont

import typeface as pages
from book.figures import plots, typeface

MOST_BYTES = 25_000  # of a face
every_face = pytest.mark.parametrize("face", typeface.FACES)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("typeface")
    pages.write(folder)
    return folder


@pytest.fixture
def style():
    with plt.rc_context():
        yield
    plt.close("all")


def bounds(font, letter):
    glyphs = font.getGlyphSet()
    pen = BoundsPen(glyphs)
    glyphs[font.getBestCmap()[ord(letter)]].draw(pen)
    return pen.bounds


@every_face
def test_face_has_greek_and_another_name(face):
    font = typeface.make(face)
    assert {ord(letter) for letter in "εαβχδλμπθΣΩ"} <= set(font.getBestCmap())
    names = {entry.nameID: entry.toUnicode() for entry in font["name"].names}
    assert names[1] == "Orr Sans"
    assert not any("Source" in names[number] for number in (1, 2, 3, 4, 6))
    assert "Adobe" in names[0]


def test_greek_of_the_italic_leans_as_far_as_its_letters():
    upright, italic = (typeface.make(face) for face in ("regular", "italic"))
    (_, _, right, top), (_, _, further, _) = (bounds(font, "Π") for font in (upright, italic))
    lean = (further - right) / top
    assert 0.15 < lean < 0.25  # the tangent of 8.5 to 14 degrees
    assert upright["hmtx"][upright.getBestCmap()[ord("ε")]][0] == italic["hmtx"]["uni03B5"][0]


@every_face
def test_numbers_are_as_wide_as_each_other(face):
    font = typeface.make(face)
    assert len({font["hmtx"][font.getBestCmap()[ord(digit)]][0] for digit in "0123456789"}) == 1


@every_face
def test_face_is_light_and_whole(written, face):
    path = written / pages.file_name(face)
    assert 5_000 < path.stat().st_size < MOST_BYTES
    codes = set(TTFont(path).getBestCmap())
    assert {ord(letter) for letter in "Aäőčε≤→“…²"} <= codes
    assert 0x410 not in codes  # Cyrillic


def test_faces_come_with_their_licence_and_a_style_that_names_them(written):
    assert "SIL OPEN FONT LICENSE" in (written / "orr-sans-licence.txt").read_text("utf-8")
    css = (written / pages.STYLE).read_text("utf-8")
    assert {*re.findall(r'url\("([^"]+)"\)', css)} == {path.name for path in written.glob("*.woff2")}
    assert css.count("font-display:swap") == len(typeface.FACES)


def test_arial_takes_as_much_room(written):
    css = (written / pages.STYLE).read_text("utf-8")
    scale, high, low = (
        float(re.search(rf"{name}:([\d.]+)%", css)[1]) / 100
        for name in ("size-adjust", "ascent-override", "descent-override")
    )
    font = typeface.make("regular")
    wide = pages.width(pages.ours(font))
    assert scale * pages.width(pages.helvetica()) == pytest.approx(wide, rel=1e-3)
    assert scale * (high + low) == pytest.approx(
        (font["hhea"].ascent - font["hhea"].descent) / 1000, rel=1e-3
    )
    assert pages.helvetica()["a"] == 0.556


def test_a_figure_is_set_in_the_typeface(style, caplog):
    with caplog.at_level(logging.WARNING):
        plots.use_style()
        figure, ax = plt.subplots()
        ax.set_title(r"words $\varepsilon \leq \sum \mathbf{q}$", fontweight="bold")
        figure.canvas.draw()
    assert caplog.text == ""
    assert ax.title.get_fontproperties().get_name() == "Orr Sans"


def test_a_figure_can_do_without(style, caplog, monkeypatch):
    monkeypatch.setattr(typeface, "folder", lambda: None)
    plt.rcdefaults()
    with caplog.at_level(logging.WARNING):
        plots.use_style()
        figure, ax = plt.subplots()
        ax.set_title(r"words $\varepsilon$", fontweight="bold")
        figure.canvas.draw()
    assert caplog.text == ""
    assert ax.title.get_fontproperties().get_name() == "DejaVu Sans"
    with pytest.raises(ModuleNotFoundError, match="font-source-sans-pro"):
        typeface.make("regular")


STYLES = '.fa-adjust:before,.fa-half:before{content:"\\f042"}.fa-boat:before{content:"\\f21a"}'


@pytest.mark.parametrize(
    ("html", "css", "codes"),
    [
        ('<i class="fa-solid fa-half">', "", [0xF042]),
        ('<i class="fa-solid fa-boat"><i class="fa-adjust">', "", [0xF042, 0xF21A]),
        ("", "p::before{content:'\\f0eb'}", [0xF0EB]),
        ("", 'p{--bell:"\uf0f3"}', [0xF0F3]),
        ("no icon", "", []),
    ],
)
def test_icons_that_are_shown_are_found(tmp_path, html, css, codes):
    (tmp_path / "_static").mkdir()
    (tmp_path / "_static" / "a.css").write_text(STYLES + css, "utf-8")
    (tmp_path / "a.html").write_text(html, "utf-8")
    assert pages.shown(tmp_path) == codes


def test_icons_that_are_not_shown_are_left_out(tmp_path):
    fonts = tmp_path / "_static" / pages.ICONS
    fonts.mkdir(parents=True)
    (tmp_path / "_static" / "a.css").write_text(STYLES, "utf-8")
    (tmp_path / "a.html").write_text('<i class="fa-half">', "utf-8")
    (fonts / "fa-solid-900.woff2").write_bytes(b"")
    pages.thin_icons(SimpleNamespace(outdir=tmp_path, builder=SimpleNamespace(format="html")), None)
    assert set(TTFont(fonts / "fa-solid-900.woff2").getBestCmap()) == {0xF042}
    assert (fonts / "fa-solid-900.woff2").stat().st_size < 2_000
