"""Rehearse Binder: a clean environment from environment.yml, a real JupyterLab, a chapter, *Run All Cells*.

Binder has conda, a container and a machine of its own; this has not. But the pip section of environment.yml
is installed as it stands, from a copy of the sources, into an environment that knows nothing of this one,
beside the JupyterLab that Binder has. It is uv that installs it: the same requirements from the same index as
pip, in a tenth of the time.
"""

import json
import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from browsing import chromium

if TYPE_CHECKING:
    from playwright.sync_api import Page

ROOT = Path(__file__).resolve().parent.parent
CHAPTER = "02-many-answers"
MINUTES = 5  # for a chapter, which takes less than one on an idle machine
IGNORED = (".*", "_build", "node_modules", "*.egg-info", "__pycache__")
# What the cells of the notebook in front hold, whether the window shows them or not.
CELLS = """() => jupyterapp.shell.currentWidget.content.widgets
    .filter(cell => cell.model.type === "code")
    .map(cell => ({
        id: cell.model.id,
        count: cell.model.executionCount,
        state: cell.model.executionState,
        outputs: cell.model.outputs.toJSON(),
    }))"""


class NotInstalled(RuntimeError):
    """The environment could not be made."""


def wanted() -> tuple[str, list[str]]:
    """Return the version of Python and the pip section of environment.yml."""
    *_, python, _, pip = yaml.safe_load((ROOT / "environment.yml").read_text("utf-8"))["dependencies"]
    requirements = [word for line in pip["pip"] for word in line.split(" ", 1)]
    return python.removeprefix("python="), requirements


def lab_version(python: str) -> str:
    """Return the JupyterLab that Binder has beside a version of Python, as repo2docker pins it."""
    packs = Path(find_spec("repo2docker").origin).parent / "buildpacks"
    lock = packs / "conda" / f"environment.py-{python}-linux-64.lock"
    return re.search(r"/jupyterlab-([\d.]+)-", lock.read_text("utf-8"))[1]


def uv(folder: Path, *words: str | Path) -> None:
    """Run uv in a folder."""
    command = [sys.executable, "-m", "uv", "--quiet", *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise NotInstalled(f"uv {' '.join(map(str, words))} failed:\n{done.stderr[-2000:]}")


def install(folder: Path) -> Path:
    """Copy the sources, install them as Binder does, and return the folder of the new commands."""
    version, requirements = wanted()
    source, environment = folder / "source", folder / "environment"
    shutil.copytree(ROOT, source, ignore=shutil.ignore_patterns(*IGNORED))
    commands = environment / ("Scripts" if os.name == "nt" else "bin")
    try:
        uv(source, "venv", "--no-python-downloads", "--python", version, environment)
    except NotInstalled:  # there is no such Python here: take the one that runs this
        uv(source, "venv", "--python", sys.executable, environment)
    lab = f"jupyterlab=={lab_version(version)}"
    uv(source, "pip", "install", "--python", commands / "python", *requirements, lab)
    return commands


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def jupyter_lab(commands: Path, folder: Path) -> Iterator[str]:
    """Serve a folder with JupyterLab; yield the address of its notebooks, which ends in a question mark."""
    port, token = free_port(), secrets.token_hex(16)
    command = [
        commands / "python", "-m", "jupyterlab", "--no-browser", "--allow-root", "--expose-app-in-browser",
        f"--ServerApp.port={port}", "--ServerApp.port_retries=0", f"--IdentityProvider.token={token}",
        f"--ServerApp.root_dir={folder}",
    ]  # fmt: skip
    own = {name: value for name, value in os.environ.items() if not name.startswith(("JUPYTER", "PYTHON"))}
    own |= {"HOME": str(folder.parent), "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}"}
    with (folder.parent / "lab.log").open("w") as log:
        server = subprocess.Popen(command, cwd=folder, env=own, stdout=log, stderr=log)
        try:
            wait_for(f"http://127.0.0.1:{port}/api", server)
            yield f"http://127.0.0.1:{port}/lab/tree/{{}}?token={token}"
        finally:
            server.terminate()
            server.wait()


def wait_for(address: str, server: subprocess.Popen) -> None:
    """Wait until a server on this machine answers, whatever proxy there is for others."""
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    until = time.monotonic() + 60 * MINUTES
    while True:
        try:
            with direct.open(address):
                return
        except urllib.error.URLError:
            if server.poll() is not None or time.monotonic() > until:
                raise NotInstalled("JupyterLab does not start") from None
            time.sleep(0.3)


def run_all(page: "Page", address: str) -> list[dict]:
    """Open a notebook, choose *Run All Cells* in the menu, and return its cells once all is done."""
    page.set_default_timeout(MINUTES * 60_000)
    page.goto(address)
    page.get_by_text("| Idle").wait_for()  # in the bar below, beside the name of the kernel
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    end = time.monotonic() + MINUTES * 60
    while time.monotonic() < end:
        page.wait_for_timeout(500)
        cells = page.evaluate(CELLS)
        failed = any(output["output_type"] == "error" for cell in cells for output in cell["outputs"])
        if (failed or cells[-1]["count"]) and all(cell["state"] == "idle" for cell in cells):
            return cells
    raise TimeoutError(f"the notebook was not done in {MINUTES} minutes")


def text(outputs: list[dict]) -> str:
    """Return what a cell printed and showed as text."""
    parts = [output.get("text") or output.get("data", {}).get("text/plain", "") for output in outputs]
    return "".join("".join(part) for part in parts)


def complaints(cells: list[dict], stored: Path) -> list[str]:
    """Compare the cells that were run with a stored notebook, whose cells ran without error."""
    found, notebook = [], json.loads(stored.read_text("utf-8"))
    expected = {cell["id"]: cell for cell in notebook["cells"] if cell["cell_type"] == "code"}
    if [cell["id"] for cell in cells] != list(expected):
        found.append("these are not the cells of the notebook")
    for cell in cells:
        there = expected.get(cell["id"], {"outputs": [], "metadata": {}})
        for output in cell["outputs"]:
            if output["output_type"] == "error":
                found.append(f"cell {cell['id']}: {output['ename']}: {output['evalue']}")
            elif output.get("name") == "stderr":
                found.append(f"cell {cell['id']} warns: {text([output])[:200]}")
        if not cell["count"]:
            found.append(f"cell {cell['id']} was not run")
            continue
        fixed = "nbval-ignore-output" not in there["metadata"].get("tags", [])
        if fixed and text(cell["outputs"]) != text(there["outputs"]):
            found.append(f"cell {cell['id']} says {text(cell['outputs'])[:200]!r}")
    return found


def forget_outputs(path: Path) -> None:
    """Clear a notebook, so that all that is seen later was computed now."""
    notebook = json.loads(path.read_text("utf-8"))
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell |= {"outputs": [], "execution_count": None}
    path.write_text(json.dumps(notebook), "utf-8")


@contextmanager
def stage() -> Iterator[tuple[str, Path]]:
    """Install everything and start JupyterLab; yield the address of its notebooks, and the copied sources."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        commands = install(Path(folder))
        source = Path(folder) / "source"
        with jupyter_lab(commands, source) as address:
            yield address, source


def main() -> None:
    """Rehearse, and say how it went."""
    start = time.monotonic()
    with stage() as (address, source), chromium() as browser:
        lab = lab_version(wanted()[0])
        print(f"A clean environment with JupyterLab {lab}: {time.monotonic() - start:.0f} s")
        name = f"chapters/{CHAPTER}.ipynb"
        forget_outputs(source / name)
        cells = run_all(browser.new_page(), address.format(name))
        found = complaints(cells, ROOT / name)
    print(f"{len(cells)} cells run, {len(found)} complaints: {time.monotonic() - start:.0f} s in all")
    sys.exit("\n".join(found) or None)


if __name__ == "__main__":
    main()
