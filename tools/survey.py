"""Make the page of the live survey: one file that needs no other, for a lecture room without a network.

Its parts are in ``classroom/survey``. The style, the scripts and the typeface become parts of the page.
"""

import re
import sys
from base64 import b64encode
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "book" / "extensions"))

import typeface  # noqa: E402

PARTS = ROOT / "classroom" / "survey"
FACES = ("regular", "bold")  # the page has no italics
SCRIPTS = ("model", "survey")  # what is used comes first


def script() -> str:
    """Return the scripts as one module, which imports nothing."""
    text = "".join((PARTS / f"{name}.mjs").read_text("utf-8") for name in SCRIPTS)
    return re.sub(r"^import [^;]*;\n|^export ", "", text, flags=re.MULTILINE)


def style() -> str:
    """Return the style, with the typeface inside."""
    faces = ""
    for face in FACES:
        font = b64encode(typeface.subset(typeface.make(face), typeface.LETTERS)).decode()
        weight, slope = typeface.DESCRIPTIONS[face]
        faces += (
            f'@font-face{{font-family:"{typeface.FAMILY}";font-weight:{weight};font-style:{slope};'
            f'src:url("data:font/woff2;base64,{font}") format("woff2")}}\n'
        )
    return faces + (PARTS / "survey.css").read_text("utf-8")


def build(path: Path) -> Path:
    """Write the page."""
    page = (PARTS / "page.html").read_text("utf-8")
    for mark, text in {"/* style */": style(), "/* script */": script()}.items():
        before, after = page.split(mark)  # which stands there once, or this fails
        page = before + text + after
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page, "utf-8")
    return path


if __name__ == "__main__":
    made = build(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "_build" / "html" / "survey.html")
    print("The page of the survey is made. Open", made)
