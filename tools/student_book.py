"""Build the book for students: without the solutions of its exercises, and without the instructor's guide."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import slides
import survey

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "_build" / "student"
WHOLE = re.compile(r"^([`:]{3,})\{solution\}.*?^\1 *$\n?", re.MULTILINE | re.DOTALL)
START = re.compile(r"^([`:]{3,})\{solution-start\}.*", re.MULTILINE | re.DOTALL)
END = re.compile(r".*^([`:]{3,})\{solution-end\}\n\1 *$\n?", re.MULTILINE | re.DOTALL)


def strip(cells: list[dict]) -> list[dict]:
    """Remove solutions, and the cells that they leave empty."""
    kept, inside = [], False
    for cell in cells:
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts = re.split(r"(?<=\n)(?=[`:]{3,}\{(?:exercise|solution))", text)
            text = ""
            for part in parts:
                if inside:
                    part, ended = END.subn("", part)
                    inside = not ended
                if inside:
                    continue
                part = WHOLE.sub("", part)
                part, started = START.subn("", part)
                inside = bool(started)
                text += part
        elif inside:
            continue
        if text.strip():
            kept.append(cell | {"source": text.splitlines(keepends=True)})
    return kept


def without_guide(source: Path) -> None:
    """Take the instructor's guide out of a copy of the book, and the way to it."""
    (source / "pages" / "teaching.md").unlink()
    for name, part in {
        "_toc.yml": r"^ +- file: pages/teaching\n",
        "index.md": r"^(:+)\{grid-item-card\} Teach\n.*?^\1\n",
    }.items():
        text, changed = re.subn(part, "", (source / name).read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
        if changed != 1:
            raise ValueError(f"{name} must name the guide in one place")
        (source / name).write_text(text, "utf-8")


def main() -> None:
    """Copy the book without solutions, and build the copy."""
    source = OUT / "source"
    shutil.rmtree(OUT, ignore_errors=True)
    ignored = shutil.ignore_patterns(
        ".*", "_build", "tests", "classroom", "classes", "biome.json", "*.egg-info", "__pycache__"
    )
    shutil.copytree(ROOT, source, ignore=ignored)
    for path in sorted(source.glob("chapters/*.ipynb")):
        notebook = json.loads(path.read_text("utf-8"))
        notebook["cells"] = strip(notebook["cells"])
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", "utf-8")
    without_guide(source)
    command = [Path(sys.executable).with_name("jupyter-book"), "build", source, "--path-output", OUT]
    without_links = os.environ | {"ORR_REPOSITORY": ""}  # they lead to the chapters with their solutions
    subprocess.run([*command, "--quiet", "-W", "--keep-going"], check=True, env=without_links)
    slides.build(OUT / "_build" / "html" / "slides")
    survey.build(OUT / "_build" / "html" / "survey.html")
    print(f"The students' book is built. Open {OUT / '_build' / 'html' / 'index.html'}")


if __name__ == "__main__":
    main()
