"""What figures show stands out from the ground, in the light and in the dark, for all readers."""

import numpy as np
import pytest

from book.figures import palette, plots

LETTERS, MARKS = 4.5, 3.0  # the contrasts that WCAG asks for
FILLS = ("#f0e442", "#e9ecef", "#fbe3d3")  # never without an outline
USED = {look["color"].lower() for look in plots.METHODS.values()} | {c.lower() for c in plots.ACCENTS}
# Machado, Oliveira and Fernandes (2009), to whom red and green, or blue and yellow, look alike.
EYES = {
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.01182, 0.04294, 0.968881],
    ],
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.3039],
    ],
}
XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
APART = 10  # in CIELAB, where 2 can just be told apart side by side


def linear(colour):
    part = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)


def contrast(one, other):
    low, high = sorted(XYZ[1] @ linear(colour) + 0.05 for colour in (one, other))
    return high / low


def lab(light):
    x, y, z = np.cbrt(XYZ @ np.clip(light, 1e-3, 1) / XYZ.sum(axis=1))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def too_faint(table):
    """Return the colours of a palette that marks or letters cannot be told from the ground in."""
    light, dark = palette.GROUND
    found = []
    for colour, shade in table.items():
        if colour in FILLS:
            continue
        marks = [contrast(shade.mark, light), contrast(shade.dark_mark, dark)]
        letters = [contrast(shade.text, light), contrast(shade.dark_text, dark)]
        if min(marks) < MARKS or min(letters) < LETTERS:
            found.append(colour)
    return found


def test_contrast_is_that_of_wcag():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.01)


def test_colours_stand_out_from_both_grounds():
    assert too_faint(palette.COLOURS) == []


def test_a_faint_colour_is_caught():
    orange = palette.Shades("#e69f00", "#7f5200", "#e69f00", "#e69f00")
    assert too_faint({"#e69f00": orange}) == ["#e69f00"]


def test_the_colours_of_methods_are_in_the_palette():
    assert USED - {"#000000"} <= set(palette.COLOURS)


@pytest.mark.parametrize("eye", EYES)
def test_colours_that_meet_in_a_figure_are_told_apart_by_all(eye):
    # Sky never meets the blue of the heuristic but as a shade behind it.
    pairs = [(a, b) for a in USED for b in USED if a < b and {a, b} != {"#0072b2", "#2f93cc"}]
    for a, b in pairs:
        seen = [lab(np.array(EYES[eye]) @ linear(colour)) for colour in (a, b)]
        assert np.linalg.norm(seen[0] - seen[1]) > APART, (a, b)


def test_greys_of_letters_can_be_read_in_both_themes():
    for share in palette.GREYS:
        shade = palette.shades(palette.grey(share))
        assert contrast(shade.text, palette.GROUND[0]) >= LETTERS
        assert contrast(shade.dark_text, palette.GROUND[1]) >= LETTERS


def test_greys_keep_their_order_and_nearly_their_contrast():
    greys = [palette.shades(palette.grey(share)) for share in palette.GREYS]
    light = [contrast(shade.mark, palette.GROUND[0]) for shade in greys]
    dark = [contrast(shade.dark_mark, palette.GROUND[1]) for shade in greys]
    assert sorted(light) == light[::-1]
    assert sorted(dark) == dark[::-1]
    np.testing.assert_allclose(dark, light, rtol=0.35)


def test_pages_are_dark_on_screens_only():
    css = palette.css()
    assert css.index("@media screen") < css.index('[data-theme="dark"]')
    assert "--m-0072b2:#0072b2;" in css.split("@media")[0]
    assert "--m-0072b2:#56b4e9;" in css.split("@media")[1]
