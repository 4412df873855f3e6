"""The book's typeface as its pages load it, and the theme's icons without those that no page shows."""

import json
import re
from io import BytesIO
from pathlib import Path
from shutil import copy

import matplotlib
import pydata_sphinx_theme
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

from book.figures import palette, typeface
from book.figures.typeface import FACES, FAMILY, folder, make

LETTERS = [
    *range(0x20, 0x7F), *range(0xA0, 0x180),  # all that is written in Latin letters, from Malmö to Łódź
    *range(0x391, 0x3CA),  # Greek
    *range(0x2010, 0x2027), 0x2030, 0x2032, 0x2033, 0x2039, 0x203A, 0x20AC, 0x2122,  # dashes, quotes, signs
    *range(0x2070, 0x2090),  # small numbers, above the line and below
    *range(0x2190, 0x2194), 0x2202, 0x2206, 0x220F, 0x2211, 0x2212, 0x221A, 0x221E, 0x222B, 0x2248,
    0x2260, 0x2264, 0x2265,  # arrows and signs of mathematics
]  # fmt: skip
FEATURES = ["kern", "liga", "locl", "pnum"]  # numbers are as wide as each other unless a page asks for pnum
DESCRIPTIONS = {"regular": (400, "normal"), "italic": (400, "italic"), "bold": ("600 700", "normal")}
SAMPLE = (
    "A symmetric randomized response is a probability law on flip sets: draw which attributes flip, then "
    "let each take one of its other values uniformly."
)  # English, to compare how wide two typefaces are
STYLE = "typeface.css"
ICONS = "vendor/fontawesome/webfonts"
THEME = Path(pydata_sphinx_theme.__file__).parent / "theme/pydata_sphinx_theme/static"
NAMED = re.compile(r'((?:\.fa-[\w-]+::?before,?)+)\{content:"\\?([^"]+)"\}')


def subset(font: TTFont, codes: list[int]) -> bytes:
    """Return a font with nothing but these characters, compressed."""
    options = Options(hinting=False, layout_features=FEATURES, flavor="woff2", name_IDs=["*"])
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=codes)
    subsetter.subset(font)
    font.flavor = "woff2"
    font.save(written := BytesIO())
    return written.getvalue()


def width(widths: dict[str, float]) -> float:
    """Return how wide the sample is, from the widths of its letters."""
    return sum(widths[letter] for letter in SAMPLE)


def ours(font: TTFont) -> dict[str, float]:
    """Return how wide a font's letters are, in parts of its size."""
    names, size = font.getBestCmap(), font["head"].unitsPerEm
    return {chr(code): font["hmtx"][name][0] / size for code, name in names.items()}


def helvetica() -> dict[str, float]:
    """Return how wide the letters of Helvetica and Arial are, which matplotlib knows for its PDFs."""
    text = (Path(matplotlib.get_data_path()) / "fonts/pdfcorefonts/Helvetica.afm").read_text("ascii")
    return {chr(int(code)): int(wide) / 1000 for code, wide in re.findall(r"^C (\d+) ; WX (\d+)", text, re.M)}


def fallback(font: TTFont) -> str:
    """Return a rule that makes Arial as wide and high as a font, so that nothing jumps when that arrives."""
    scale = width(ours(font)) / width(helvetica())
    lines, size = font["hhea"], font["head"].unitsPerEm
    high, low = (f"{abs(side) / size / scale:.2%}" for side in (lines.ascent, lines.descent))
    return (
        f'@font-face{{font-family:"{FAMILY} Fallback";src:local("Arial"),local("Helvetica"),'
        f'local("Liberation Sans");size-adjust:{scale:.2%};ascent-override:{high};descent-override:{low};'
        "line-gap-override:0%}\n"
    )


def file_name(face: str) -> str:
    """Return what the file of a face is called."""
    return f"orr-sans-{face}.woff2"


def write(place: Path) -> None:
    """Write the faces, their licence, and the style that names them and the colours of figures."""
    place.mkdir(parents=True, exist_ok=True)
    rules = [fallback(make("regular"))]
    for face in FACES:
        (place / file_name(face)).write_bytes(subset(make(face), LETTERS))
        weight, slope = DESCRIPTIONS[face]
        rules.append(
            f'@font-face{{font-family:"{FAMILY}";font-weight:{weight};font-style:{slope};font-display:swap;'
            f'src:url("{file_name(face)}") format("woff2")}}\n'
        )
    copy(folder() / "LICENSE.txt", place / "orr-sans-licence.txt")
    (place / STYLE).write_text("".join(rules) + palette.css(), "utf-8")


def is_old(place: Path) -> bool:
    """Return whether the files in a folder were made before what makes them was changed."""
    made = place / STYLE
    sources = [Path(module.__file__) for module in (palette, typeface)]
    return not made.exists() or max(map(mtime, [Path(__file__), *sources])) > mtime(made)


def mtime(path: Path) -> float:
    """Return when a file was changed."""
    return path.stat().st_mtime


def add_files(app) -> None:
    """Make the files at a book's first build, and hand them to Sphinx with the others."""
    place = Path(app.doctreedir) / "typeface"
    if is_old(place):
        write(place)
    app.config.html_static_path.append(str(place))
    app.add_css_file(STYLE)


def preload(_app, _page, _template, context: dict, _doctree) -> None:
    """Let a page ask for the face of its text at once, and not only when it has read all its styles.

    Browsers preload nothing from a disk, and complain.
    """
    address = context["pathto"](f"_static/{file_name('regular')}", resource=True)
    link = {"rel": "preload", "href": address, "as": "font", "type": "font/woff2", "crossOrigin": ""}
    make = f'document.head.append(Object.assign(document.createElement("link"), {json.dumps(link)}))'
    script = f'<script>if (location.protocol !== "file:") {make};</script>'
    context["metatags"] = context.get("metatags", "") + script


def shown(outdir: Path) -> list[int]:
    """Return the characters of the icons that pages name, and of those that styles show unasked."""
    files = [path for kind in ("html", "js") for path in outdir.rglob(f"*.{kind}") if path.is_file()]
    texts = [path.read_text("utf-8") for path in files if path.stem != "fontawesome"]  # it knows them all
    classes = {name for text in texts for name in re.findall(r"\bfa-[a-z0-9-]+", text)}
    codes = set()
    for path in (outdir / "_static").rglob("*.css"):
        css = path.read_text("utf-8")
        for names, character in NAMED.findall(css):
            if classes & set(re.findall(r"fa-[\w-]+", names)):
                codes.add(code_of(character))
        rest = NAMED.sub("", css)
        codes |= {ord(sign) for sign in re.findall("[\ue000-\uf8ff]", rest)}
        codes |= {int(sign, 16) for sign in re.findall(r"\\([ef][0-9a-f]{3})\b", rest)}
    return sorted(codes)


def code_of(character: str) -> int:
    """Return the number of a character, which a style may write as itself or in hexadecimal digits."""
    return ord(character) if len(character) == 1 else int(character, 16)


def thin_icons(app, error) -> None:
    """Leave in the theme's fonts the icons that this book shows, 20 or so of 2,000."""
    if error or app.builder.format != "html":
        return
    codes = shown(Path(app.outdir))
    for path in (Path(app.outdir) / "_static" / ICONS).glob("*.woff2"):
        path.write_bytes(subset(TTFont(THEME / ICONS / path.name), codes))


def setup(app) -> dict:
    """Register with Sphinx."""
    app.connect("builder-inited", add_files)
    app.connect("html-page-context", preload)
    app.connect("build-finished", thin_icons)
    return {"parallel_read_safe": True}
