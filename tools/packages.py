"""Copies of this repository's packages, for students, graders and JupyterLite."""

import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OURS = ("orr", "orr_audit", "orr_release", "book")  # what chapters import of this repository
# What only Jupyter Book needs of the folder `book`: no chapter imports it.
BUILD_ONLY = ("extensions", "static", "templates", "images", "explorer", "live")
LEFT_OUT = shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints", "*.egg-info")


def copy_package(source: Path, target: Path) -> None:
    """Copy a package, or a folder of other files, without caches and without what only the build needs."""

    def ignored(folder: str, names: list[str]) -> set[str]:
        build = {*BUILD_ONLY} if Path(folder) == ROOT / "book" else set()
        return LEFT_OUT(folder, names) | build & {*names}

    shutil.copytree(source, target, ignore=ignored)
