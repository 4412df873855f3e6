"""Write copies of the chapters whose first cell fetches the branch that they stand on, for Colab.

Colab takes a notebook from GitHub without the files around it. On the branch the copies stand beside the
packages, so that the two always agree.
"""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "book" / "extensions"))

from repository import COLAB, address  # noqa: E402

FOLDER = "/content/orr-book"  # Colab's notebooks run in /content
EXTRAS = {"msprime": "genomes", "orr_release": "release"}  # what some chapters import, and Colab lacks


def with_install(notebook: dict, repository: str) -> dict:
    """Put a cell first that installs the package with what the notebook needs, and lets it import `book`."""
    code = "".join("".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code")
    extras = ",".join(extra for module, extra in EXTRAS.items() if f"import {module}" in code)
    cell = {
        "cell_type": "code",
        "execution_count": None,
        "id": "install",
        "metadata": {},
        "outputs": [],
        "source": [
            f"!git clone --quiet --depth 1 --branch {COLAB} {repository} {FOLDER}\n",
            f'%pip install --quiet "{FOLDER}{f"[{extras}]" * bool(extras)}"\n',
            f'import sys; sys.path.append("{FOLDER}")',
        ],
    }
    return notebook | {"cells": [cell, *notebook["cells"]]}


def build(out: Path, repository: str) -> None:
    """Write the copies."""
    (out / "chapters").mkdir(parents=True, exist_ok=True)
    for path in sorted(ROOT.glob("chapters/*.ipynb")):
        notebook = with_install(json.loads(path.read_text("utf-8")), repository)
        text = json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"
        (out / "chapters" / path.name).write_text(text, "utf-8")


if __name__ == "__main__":
    if not address():
        sys.exit("The copies for Colab need a repository on GitHub: set ORR_REPOSITORY to its address.")
    build(ROOT / "_build" / "colab", address())
    print(f"The copies for Colab are in {ROOT / '_build' / 'colab'}")
