"""The book's typeface, for its figures, its pages and its slides.

It is Adobe's Source Sans Pro, out of the package ``font-source-sans-pro``, with three changes. Its italic
has no Greek, which formulas need: the upright letters are slanted into it. Its semibold is our bold. And
its name is Orr Sans, because the fonts' licence keeps the word Source for unchanged ones. Where the
package is missing, figures are drawn in matplotlib's own typeface.
"""

from __future__ import annotations

import os
import tempfile
from importlib.util import find_spec
from math import radians, tan
from pathlib import Path

import matplotlib
from fontTools.misc.transform import Transform
from fontTools.pens.recordingPen import DecomposingRecordingPen
from fontTools.pens.transformPen import TransformPen
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib import TTFont
from matplotlib import font_manager

FAMILY = "Orr Sans"
FACES = {"regular": "Regular", "italic": "It", "bold": "Semibold"}  # and how the package calls them
STACK = f"'{FAMILY}','Source Sans 3','Source Sans Pro',sans-serif"  # what a page that lacks it may use
EDITION = "orr-sans-1"  # of the changes below: a new number makes the faces anew
_LEGAL = {0, 7, 8, 9, 10, 11, 12, 13, 14}  # entries of a font that tell whose it is, and its licence
_GREEK = [*range(0x391, 0x3A2), *range(0x3A3, 0x3AA), *range(0x3B1, 0x3CA)]


def folder() -> Path | None:
    """Return where the package keeps its files, or None where it is not installed."""
    spec = find_spec("font_source_sans_pro")
    return Path(spec.origin).parent / "files" if spec and spec.origin else None


def rename(font: TTFont, face: str) -> None:
    """Give a font the family's name, but for what it says of its makers and its licence."""
    style = face.title()
    full = FAMILY if face == "regular" else f"{FAMILY} {style}"
    said = {1: FAMILY, 2: style, 3: f"{full}, {EDITION}", 4: full, 6: f"OrrSans-{style}"}
    names = font["name"]
    names.names = [entry for entry in names.names if entry.nameID in _LEGAL]
    for number, text in said.items():
        names.setName(text, number, 3, 1, 0x409)  # on Windows, and so everywhere, in English


def embolden(font: TTFont) -> None:
    """Let the semibold face be the family's bold."""
    font["OS/2"].usWeightClass = 700
    font["OS/2"].fsSelection = font["OS/2"].fsSelection & ~(1 << 6) | 1 << 5  # not regular but bold
    font["head"].macStyle |= 1


def slant_greek(upright: TTFont, italic: TTFont) -> None:
    """Put the Greek letters of one face into the other, as oblique as that one is."""
    shear = Transform(1, 0, tan(radians(-italic["post"].italicAngle)), 1, 0, 0)
    glyphs, names = upright.getGlyphSet(), upright.getBestCmap()
    for code in _GREEK:
        outline, pen = DecomposingRecordingPen(glyphs), TTGlyphPen(None)
        glyphs[names[code]].draw(outline)
        outline.replay(TransformPen(pen, shear))
        name = f"uni{code:04X}"
        italic["glyf"][name] = pen.glyph()
        italic["hmtx"][name] = upright["hmtx"][names[code]]
        for table in italic["cmap"].tables:
            if table.isUnicode():
                table.cmap[code] = name


def make(face: str) -> TTFont:
    """Return one face, changed as the head of this file says.

    Parameters
    ----------
    face : str
        "regular", "italic" or "bold".
    """
    files = folder()
    if files is None:
        raise ModuleNotFoundError("the book's typeface is in the package font-source-sans-pro")
    font = TTFont(files / f"SourceSansPro-{FACES[face]}.ttf", recalcTimestamp=False)
    if face == "italic":
        slant_greek(TTFont(files / f"SourceSansPro-{FACES['regular']}.ttf"), font)
    if face == "bold":
        embolden(font)
    rename(font, face)
    return font


def stored(face: str) -> Path:
    """Return the file of a face, made at the first call and kept beside matplotlib's list of fonts."""
    path = Path(matplotlib.get_cachedir()) / EDITION / f"{face}.ttf"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as draft:
            make(face).save(draft)
        os.replace(draft.name, path)  # at once, as other notebooks may be looking for it
    return path


def register() -> bool:
    """Tell matplotlib of the typeface, and return whether it can be had.

    Examples
    --------
    >>> register() == (folder() is not None)
    True
    """
    if folder() is None:
        return False
    known = {font.fname for font in font_manager.fontManager.ttflist}
    for path in map(str, map(stored, FACES)):
        if path not in known:
            font_manager.fontManager.addfont(path)
    return True
