"""Build JupyterLite with the chapters: a Jupyter that is a folder of files, and runs in the reader's browser.

Its Python, with NumPy and SciPy, comes from Pyodide's own distribution once a reader opens it. Only chapters
that need nothing else are in it.
"""

import ast
import json
import re
import shutil
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from packages import OURS, ROOT, copy_package

EXTENSIONS = Path(sys.prefix) / "share" / "jupyter" / "labextensions"
KERNEL = "@jupyterlite/pyodide-kernel-extension"
# What chapters import of `book` is a wheel in JupyterLite alone, since the kernel installs nothing else.
BOOK = """\
[project]
name = "orr-book"
version = "0.1.0"
[tool.setuptools]
packages = ["book", "book.figures"]
package-data = { book = ["data/*"] }
"""
NO_PYPI = {f"{KERNEL}:kernel": {"disablePyPIFallback": True}}  # Pyodide's distribution has the rest


class NotFetched(RuntimeError):
    """What comes from npm or PyPI could not be had."""


def call(*command: str | Path, folder: Path | None = None) -> None:
    """Run a command, and say what it said if it fails."""
    done = subprocess.run([str(word) for word in command], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise NotFetched(f"{' '.join(map(str, command[:4]))} failed:\n{(done.stdout + done.stderr)[-2000:]}")


@cache
def imports(code: str, *, late: bool) -> frozenset[str]:
    """Return the modules that code imports, those inside functions too if asked."""
    tree, found = ast.parse(code), set()
    for node in ast.walk(tree) if late else tree.body:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return frozenset(found)


def needed(code: str, root: Path = ROOT) -> set[str]:
    """Return the packages that a chapter's code needs, itself or by way of the package's own modules."""
    found, left = set(), set(imports(code, late=True))
    while left:
        module = left.pop()
        if module not in found:
            found.add(module)
            path = root / module.replace(".", "/")
            source = next((p for p in (path.with_suffix(".py"), path / "__init__.py") if p.exists()), None)
            if source and module.split(".")[0] in OURS:
                left |= imports(source.read_text("utf-8"), late=False)
    return {module.split(".")[0] for module in found} - set(sys.stdlib_module_names) - {*OURS}


def tables() -> set[str]:
    """Return what releases of data frames need."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    return {re.split("[=<>]", pin)[0] for pin in extras["release"]}


def packages(code: str, distribution: dict) -> list[str] | None:
    """Return the packages of Pyodide that a chapter needs; nothing if it needs one that Pyodide has not."""
    home = {module: name for name, entry in distribution["packages"].items() for module in entry["imports"]}
    modules = needed(code)
    if not modules <= set(home):
        return None
    names = {home[module] for module in modules} - {"ipython"}  # every kernel has that
    return sorted(names | (tables() if "pandas" in names else set()))


def with_install(notebook: dict, names: list[str]) -> dict:
    """Put a cell first that installs the package and what it needs, and name the Python that is there."""
    cell = {
        "cell_type": "code",
        "execution_count": None,
        "id": "install",
        "metadata": {},
        "outputs": [],
        "source": [f"%pip install --quiet {' '.join(['orr', 'orr-book', *names])}"],
    }
    kernel = {"display_name": "Python (Pyodide)", "language": "python", "name": "python"}
    metadata = notebook["metadata"] | {"kernelspec": kernel}
    return notebook | {"cells": [cell, *notebook["cells"]], "metadata": metadata}


def copy_chapters(out: Path, distribution: dict) -> list[str]:
    """Write copies of the chapters that can run, and return their names."""
    out.mkdir(parents=True)
    for path in sorted(ROOT.glob("chapters/*.ipynb")):
        notebook = json.loads(path.read_text("utf-8"))
        cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
        names = packages("\n".join(cells), distribution)
        if names is not None:
            text = json.dumps(with_install(notebook, names), indent=1, ensure_ascii=False) + "\n"
            (out / path.name).write_text(text, "utf-8")
    return sorted(path.stem for path in out.iterdir())


def make_wheels(out: Path) -> list[str]:
    """Build wheels of the package and of `book`, and fetch the one that the kernel would take from PyPI."""
    pip = [sys.executable, "-m", "pip"]
    sources, book = out / "sources", out / "book"
    for name in OURS:
        copy_package(ROOT / name, (book if name == "book" else sources) / name)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, sources)
    (book / "pyproject.toml").write_text(BOOK, "utf-8")
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    comm = next(pin for pin in extras["lite"] if pin.startswith("comm=="))
    for command in (["wheel", "--wheel-dir", out, sources, book], ["download", "--dest", out, comm]):
        call(*pip, command[0], "--quiet", "--no-deps", *command[1:])
    return [str(path) for path in sorted(out.glob("*.whl"))]


def build(out: Path, lock: Path) -> list[str]:
    """Build JupyterLite into a folder; return the names of the chapters in it.

    Parameters
    ----------
    out
        Where it goes.
    lock
        The list of the packages in Pyodide's distribution.
    """
    with TemporaryDirectory() as work:
        folder, files = Path(work), Path(work) / "files"
        chapters = copy_chapters(files, json.loads(lock.read_text("utf-8")))
        settings = {
            "LiteBuildConfig": {
                "apps": ["notebooks"],
                "contents": [str(files)],
                "output_dir": str(out.resolve()),
                "no_sourcemaps": True,
                "no_unused_shared_packages": True,
                "no_libarchive": True,
                "ignore_sys_prefix": ["federated_extensions"],  # those of nbgrader need a server
                "federated_extensions": [str(EXTENSIONS / KERNEL), str(EXTENSIONS / "jupyterlab-myst")],
            },
            "PipliteAddon": {"piplite_urls": make_wheels(folder / "wheels")},
        }
        pages = {"jupyter-lite-schema-version": 0, "jupyter-config-data": {"litePluginSettings": NO_PYPI}}
        lite_dir = folder / "lite"
        lite_dir.mkdir()
        (lite_dir / "jupyter_lite_config.json").write_text(json.dumps(settings), "utf-8")
        (lite_dir / "jupyter-lite.json").write_text(json.dumps(pages), "utf-8")
        shutil.rmtree(out, ignore_errors=True)
        call(sys.executable, "-m", "jupyterlite_core", "build", folder=lite_dir)
    return chapters
