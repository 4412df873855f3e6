"""The colours of the book's figures, on a light ground and on a dark one.

A figure is drawn once, for a light ground. A page gives each of its colours a name and says what the name
stands for, so that marks stand out from the ground three to one in both themes, and letters 4.5 to one.
"""

from __future__ import annotations

from typing import NamedTuple

INK, GROUND = ("#000000", "#dde3e9"), ("#ffffff", "#121212")  # light and dark; the ground is the theme's


class Shades(NamedTuple):
    """What a colour becomes: as a mark and as letters, on a light ground and on a dark one."""

    mark: str
    text: str
    dark_mark: str
    dark_text: str


# The colours of Okabe and Ito. Letters are darker than marks where these would be too faint.
COLOURS = {
    "#0072b2": Shades("#0072b2", "#0072b2", "#56b4e9", "#56b4e9"),  # blue
    "#d55e00": Shades("#d55e00", "#a64900", "#d55e00", "#ea7b2a"),  # vermilion
    "#009e73": Shades("#009e73", "#007a58", "#009e73", "#1fb388"),  # green
    "#cc79a7": Shades("#cc79a7", "#a3507e", "#cc79a7", "#d68bb4"),  # pink
    "#f0e442": Shades("#f0e442", "#6b6400", "#f0e442", "#f0e442"),  # yellow: only where a mark has an outline
    # Two are too light for lines and letters. Orange becomes so dark a brown because a mere shade of it would
    # be vermilion to readers who cannot tell red from green.
    "#2f93cc": Shades("#2f93cc", "#1f73a5", "#7cc8f4", "#7cc8f4"),  # sky
    "#7f5200": Shades("#7f5200", "#7f5200", "#e69f00", "#e69f00"),  # brown
    # Fills behind letters.
    "#e9ecef": Shades("#e9ecef", "#000000", "#2b3138", "#dde3e9"),
    "#fbe3d3": Shades("#fbe3d3", "#000000", "#3d2412", "#dde3e9"),
}
GREYS = (0.2, 0.3, 0.35, 0.4, 0.5, 0.6, 0.75, 0.85, 0.9, 0.92, 0.93)  # that figures use, as shares of white
NAMED_GREYS = ("#b0b0b0", "#bbbbbb", "#cccccc", "#eeeeee")  # b0 is that of matplotlib's grids
FAINTEST_TEXT = 0.42  # share of white in the faintest grey that can be read
LINES, FAINTEST_LINE = range(0x81, 0xA0), 0.55  # greys of thin lines, and the faintest that can be seen


def grey(share: float) -> str:
    """Return a grey as matplotlib writes it.

    Examples
    --------
    >>> grey(0.5)
    '#808080'
    """
    return f"#{round(255 * share):02x}" + f"{round(255 * share):02x}" * 2


def between(ink: str, ground: str, share: float) -> str:
    """Return the colour that lies this share of the way from the ink to the ground."""
    ends = zip(*([int(end[i : i + 2], 16) for i in (1, 3, 5)] for end in (ink, ground)), strict=True)
    return "#" + "".join(f"{round(a + share * (b - a)):02x}" for a, b in ends)


def shades(colour: str) -> Shades:
    """Return what a colour of a figure becomes.

    Examples
    --------
    >>> shades("#d55e00").text
    '#a64900'
    >>> shades("#123456")
    Traceback (most recent call last):
    KeyError: 'a figure uses #123456, which is not in book/figures/palette.py'
    """
    return _TABLE[colour]


class _Table(dict[str, Shades]):
    """A dictionary that says what to do about a colour that it has not."""

    def __missing__(self, colour: str) -> Shades:
        raise KeyError(f"a figure uses {colour}, which is not in book/figures/palette.py")


def _grey(colour: str) -> Shades:
    """Return what a grey becomes: in the dark it lies as far from the ink to the ground as in the light."""
    level = int(colour[1:3], 16)
    mark = FAINTEST_LINE if level in LINES else level / 255
    text = min(level / 255, FAINTEST_TEXT)
    themes = zip(INK, GROUND, strict=True)
    return Shades(*(between(ink, ground, share) for ink, ground in themes for share in (mark, text)))


_TABLE = _Table(
    {light: Shades(light, light, dark, dark) for light, dark in (INK, GROUND)}
    | COLOURS
    | {colour: _grey(colour) for colour in (*map(grey, GREYS), *NAMED_GREYS)}
)


def name(colour: str, text: bool = False) -> str:
    """Return a name for a colour: one for its marks, and one for its letters.

    Examples
    --------
    >>> name("#D55E00"), name("#d55e00", text=True)
    ('var(--m-d55e00)', 'var(--t-d55e00)')
    """
    shades(colour.lower())
    return f"var(--{'t' if text else 'm'}-{colour[1:].lower()})"


def declarations(dark: bool) -> str:
    """Return what the names stand for, on a dark ground or a light one."""
    said = []
    for colour, shade in _TABLE.items():
        mark, text = shade[2:] if dark else shade[:2]
        said += [f"--m-{colour[1:]}:{mark};", f"--t-{colour[1:]}:{text};"]
    return "".join(said)


def css() -> str:
    """Return the rules for a page and its figures: dark where it says so, and never on paper."""
    letters = ".drawing :is(text,tspan){font-family:inherit!important}\n"  # those of the page
    light, dark = declarations(dark=False), declarations(dark=True)
    return f'{letters}:root{{{light}}}\n@media screen{{html[data-theme="dark"]{{{dark}}}}}\n'
