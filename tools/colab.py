"""Write copies of the chapters whose first cell installs the package, for the branch that Colab opens.

Colab takes a notebook from GitHub without the files around it. On the branch the copies stand beside the
package, so that the two always agree.
"""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "_extensions"))

from repository import COLAB, address  # noqa: E402


def with_install(notebook: dict, repository: str) -> dict:
    """Put a cell first that installs the package, and what else the notebook needs that Colab has not."""
    code = "".join("".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code")
    extra = "[genomes]" if "import msprime" in code else ""
    cell = {
        "cell_type": "code",
        "execution_count": None,
        "id": "install",
        "metadata": {},
        "outputs": [],
        "source": [f'%pip install --quiet "orr{extra} @ git+{repository}@{COLAB}"'],
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
