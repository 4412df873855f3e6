"""Make the page of the live survey: one file that needs no other, for a lecture room without a network.

Its parts are in ``classroom/survey``. The style and the scripts become parts of the page.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PARTS = ROOT / "classroom" / "survey"
TYPEFACE = ROOT / "book" / "static" / "typeface.css"
SCRIPTS = ("model", "survey")  # what is used comes first


def script() -> str:
    """Return the scripts as one module, which imports nothing."""
    text = "".join((PARTS / f"{name}.mjs").read_text("utf-8") for name in SCRIPTS)
    return re.sub(r"^import [^;]*;\n|^export ", "", text, flags=re.MULTILINE)


def style() -> str:
    """Return the style, with the typeface that it names."""
    return TYPEFACE.read_text("utf-8") + (PARTS / "survey.css").read_text("utf-8")


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
