"""Add to a built book what runs without a server: Python at some exercises, and the chapters in JupyterLite.

The book is built as ever. This takes Pyodide from npm and SymPy from PyPI, puts them beside the pages, and
gives every page that has such an exercise three lines in its head.
"""

import gzip
import hashlib
import json
import re
import shutil
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

import yaml

import lite
from browsing import BOOK
from lite import NotFetched, call

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "book" / "live"
CACHE = ROOT / "_build" / "live"
CORE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
SCRIPTS = ("page.js", "editor.mjs", "python.mjs", "worker.mjs", "runner.py", "style.css")
LOCK = "pyodide-lock.json"
TESTS = re.compile(r"/(tests|benchmarks)/|^isympy|\.data/")  # a third of SymPy, and nobody's need here
NOTICE = """\
What runs Python in these pages, as its makers publish it:

pyodide.*, python_stdlib.zip   Pyodide {pyodide}, Mozilla Public License 2.0; its source is at
                               https://github.com/pyodide/pyodide. In it CPython, under the licence of the
                               Python Software Foundation. The WebAssembly is compressed.
{wheels}                               BSD licence, inside the files. Their tests are left out.

All else in this folder belongs to the book.
"""


def pyodide_version() -> str:
    """Return the version of Pyodide, which tools/package.json pins."""
    return json.loads((ROOT / "tools" / "package.json").read_text("utf-8"))["devDependencies"]["pyodide"]


def sympy_pin() -> str:
    """Return the requirement that pins SymPy for the chapters."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    return next(pin for pin in extras["book"] if pin.startswith("sympy=="))


def fetch() -> Path:
    """Return a folder with all that the pages load, fetched once for each pair of versions."""
    found = CACHE / f"pyodide-{pyodide_version()}-{sympy_pin().replace('==', '-')}"
    if not found.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=CACHE) as work:
            made = prepare(Path(work))
            try:
                made.rename(found)
            except OSError:  # another process was faster
                if not found.exists():
                    raise
    return found


def prepare(work: Path) -> Path:
    """Fetch Pyodide's core and SymPy's wheels, and make them small."""
    npm = shutil.which("npm")
    if not npm:
        raise NotFetched("there is no npm, from which Pyodide comes")
    call(npm, "pack", f"pyodide@{pyodide_version()}", "--silent", "--pack-destination", work)
    out = work / "parts"
    out.mkdir()
    with tarfile.open(next(work.glob("pyodide-*.tgz"))) as package:
        for name in CORE:
            (out / name).write_bytes(package.extractfile(f"package/{name}").read())
    wasm = out / "pyodide.asm.wasm"
    wasm.with_name(f"{wasm.name}.packed").write_bytes(gzip.compress(wasm.read_bytes(), 9, mtime=0))
    wasm.unlink()
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--only-binary=:all:"]
    call(*pip, "--dest", work / "wheels", sympy_pin())
    (out / LOCK).rename(out / "distribution.json")  # the list of all that Pyodide's own distribution has
    whole = json.loads((out / "distribution.json").read_text("utf-8"))
    packages = dict(slim(wheel, out, whole["packages"]) for wheel in sorted((work / "wheels").glob("*.whl")))
    (out / LOCK).write_text(json.dumps(whole | {"packages": packages}, indent=1), "utf-8")
    return out


def slim(wheel: Path, out: Path, known: dict) -> tuple[str, dict]:
    """Write a wheel without its tests, and return its entry in the list of packages."""
    name, version, *_ = wheel.name.split("-")
    with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(out / wheel.name, "w") as new:
        for part in old.infolist():
            if not TESTS.search(part.filename):
                new.writestr(part, old.read(part), zipfile.ZIP_DEFLATED, 9)
    digest = hashlib.sha256((out / wheel.name).read_bytes()).hexdigest()
    return name, known[name] | {"version": version, "file_name": wheel.name, "sha256": digest}


def megabytes(parts: Path) -> dict[bool, int]:
    """Return how many million bytes a browser loads, as a server sends them: without SymPy, and with it."""
    core = sum(len(gzip.compress(path.read_bytes())) for path in parts.glob("*.mjs"))  # servers do so too
    core += sum(path.stat().st_size for kind in ("*.packed", "*.zip") for path in parts.glob(kind))
    sympy = sum(path.stat().st_size for path in parts.glob("*.whl"))
    return {False: round(core / 1e6), True: round((core + sympy) / 1e6)}


def starters() -> dict[str, str]:
    """Return the code that the editor of each exercise opens with."""
    listed = yaml.safe_load((SOURCE / "exercises.yml").read_text("utf-8"))
    return {label: entry["code"].rstrip("\n") for label, entry in listed.items()}


def head(static: str, data: dict) -> str:
    """Return the lines that a page gets."""
    text = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")  # nothing in it ends the script
    return (
        f'<link rel="stylesheet" href="{static}/live/style.css"/>\n'
        f'<script type="application/json" id="live-data">{text}</script>\n'
        f'<script defer src="{static}/live/page.js"></script>\n'
    )


def add(book: Path, parts: Path, notebooks: list[str]) -> list[str]:
    """Put everything into a built book; return the pages that have something to offer."""
    place = book / "_static" / "live"
    shutil.copytree(parts, place, dirs_exist_ok=True, ignore=shutil.ignore_patterns("distribution.json"))
    for name in SCRIPTS:
        shutil.copy(SOURCE / name, place)
    wheels = "".join(f"{path.name}\n" for path in sorted(parts.glob("*.whl")))
    (place / "NOTICE.txt").write_text(NOTICE.format(pyodide=pyodide_version(), wheels=wheels), "utf-8")
    sizes, changed = megabytes(parts), []
    offers = {
        label: {"code": code, "megabytes": sizes["sympy" in code]} for label, code in starters().items()
    }
    for page in sorted(book.glob("chapters/*.html")):
        html = page.read_text("utf-8")
        here = {label: offer for label, offer in offers.items() if f'id="{label}"' in html}
        data: dict = {"exercises": here}
        if page.stem in notebooks:
            data["lite"] = f"../lite/notebooks/index.html?path={page.stem}.ipynb"
        if (here or "lite" in data) and 'id="live-data"' not in html:
            page.write_text(html.replace("</head>", f"{head('../_static', data)}</head>", 1), "utf-8")
            changed.append(page.stem)
    return changed


def main() -> None:
    """Fetch, build JupyterLite, and add both to the book."""
    if not (BOOK / "index.html").exists():
        sys.exit("There is no built book: run make book first.")
    try:
        parts = fetch()
        notebooks = lite.build(BOOK / "lite", parts / "distribution.json")
    except NotFetched as error:
        shutil.rmtree(BOOK / "lite", ignore_errors=True)
        sys.exit(f"Nothing was added to the book: {error}")
    pages = add(BOOK, parts, notebooks)
    print(f"{len(pages)} chapters have Python at their exercises, {len(notebooks)} open in JupyterLite.")


if __name__ == "__main__":
    main()
