"""The chapters run and read well outside the book: on Binder, and in Jupyter with no extension."""

import copy
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import nbformat
import pytest
import yaml

import rehearsal

ROOT = Path(__file__).parents[2]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
NOTEBOOKS = sorted(ROOT.glob("chapters/*.ipynb"))
every_chapter = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


@pytest.fixture(scope="module")
def environment():
    return yaml.safe_load((ROOT / "environment.yml").read_text("utf-8"))["dependencies"]


@pytest.fixture(scope="module")
def dockerfile(tmp_path_factory):
    """Return what repo2docker makes of the project's settings, as Binder would."""
    folder = tmp_path_factory.mktemp("binder")
    for name in ("environment.yml", "pyproject.toml"):
        (folder / name).write_bytes((ROOT / name).read_bytes())
    command = [sys.executable, "-m", "repo2docker", "--no-build", "--no-run", "--debug", folder]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.skipif(os.name == "nt", reason="repo2docker does not run on Windows")
def test_binder_installs_the_environment_after_the_sources(dockerfile, environment):
    python = next(line for line in environment if str(line).startswith("python="))
    version = re.escape(python.removeprefix("python="))
    assert re.search(rf"environment-2epy-2d{version.replace(re.escape('.'), '-2e')}\b", dockerfile)
    sources, install = dockerfile.index("COPY --chown=0:0 src/"), dockerfile.index('--file "environment.yml"')
    assert sources < install
    assert "requirements.txt" not in dockerfile


def test_binder_shows_directives_in_its_own_jupyterlab(environment):
    install, classroom, *named = environment[-1]["pip"]
    extras = re.fullmatch(r"-e \.\[([\w,]+)\]", install)[1].split(",")
    wanted = [requirement.split("==")[0] for extra in extras for requirement in EXTRAS[extra]]
    assert {"jupyterlab-myst", "matplotlib", "msprime", "sympy"} <= set(wanted)
    assert {"jupyter-book", "matplotlib", "nbval", "numpy", "scipy", "sympy"} <= set(named) <= set(wanted)
    assert classroom == "-e ./classroom"
    assert "jupyterlab" not in wanted, "Binder's notebook server needs the JupyterLab it came with"
    assert set(EXTRAS["binder"]) <= set(EXTRAS["lab"])


def prose(path):
    return "\n\n".join(cell.source for cell in nbformat.read(path, 4).cells if cell.cell_type == "markdown")


@every_chapter
def test_chapter_is_a_valid_notebook(path):
    notebook = nbformat.read(path, as_version=nbformat.NO_CONVERT)
    assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)
    nbformat.validate(notebook)


@every_chapter
def test_formulas_need_no_commands_of_our_own(path):
    settings = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))["sphinx"]["config"]
    ours = {"eps", "E", *settings.get("mathjax3_config", {}).get("tex", {}).get("macros", {})}
    assert ours & set(re.findall(r"\\([A-Za-z]+)", prose(path))) == set()


@every_chapter
def test_directives_show_their_text_as_text(path):
    """Jupyter shows what stands between backticks as code, formulas and all; between colons as text."""
    assert re.findall(r"^ *`{3,}\{.*", prose(path), re.MULTILINE) == []


def test_the_rehearsal_installs_what_binder_installs(environment):
    python, requirements = rehearsal.wanted()
    assert f"python={python}" in environment
    editable, named = environment[-1]["pip"][:2], environment[-1]["pip"][2:]
    assert requirements == [*(word for line in editable for word in line.split(" ")), *named]
    assert re.fullmatch(r"4(\.\d+)+", rehearsal.lab_version(python))


@pytest.fixture
def stored(tmp_path):
    """Return a stored notebook of two cells, and its cells as JupyterLab has them after a faultless run."""
    said = [{"output_type": "stream", "name": "stdout", "text": ["a\n", "b\n"]}]
    shown = [
        {"output_type": "execute_result", "data": {"text/plain": "1"}, "metadata": {}, "execution_count": 2}
    ]
    cells = [
        {"cell_type": "code", "id": "one", "metadata": {}, "outputs": said},
        {"cell_type": "code", "id": "two", "metadata": {"tags": ["nbval-ignore-output"]}, "outputs": shown},
    ]
    path = tmp_path / "stored.ipynb"
    path.write_text(json.dumps({"cells": [{"cell_type": "markdown", "id": "text"}, *cells]}), "utf-8")
    run = [{"id": "one", "count": 1, "outputs": said}, {"id": "two", "count": 2, "outputs": shown}]
    return path, copy.deepcopy(run)


def test_the_rehearsal_is_content_with_a_run_without_fault(stored):
    path, cells = stored
    assert rehearsal.complaints(cells, path) == []
    cells[1]["outputs"][0]["data"]["text/plain"] = "other, and allowed to be"
    assert rehearsal.complaints(cells, path) == []


FAULTS = {
    "ValueError: no": {"outputs": [{"output_type": "error", "ename": "ValueError", "evalue": "no"}]},
    "cell one warns: old": {"outputs": [{"output_type": "stream", "name": "stderr", "text": "old"}]},
    "cell one was not run": {"count": None},
    "cell one says 'a\\nc\\n'": {"outputs": [{"output_type": "stream", "name": "stdout", "text": "a\nc\n"}]},
    "not the cells": {"id": "three"},
}


@pytest.mark.parametrize("fault", FAULTS)
def test_the_rehearsal_hears_a_fault(stored, fault):
    path, cells = stored
    cells[0] |= FAULTS[fault]
    assert any(fault in complaint for complaint in rehearsal.complaints(cells, path))


def test_a_cleared_notebook_has_no_outputs(stored):
    path, _ = stored
    rehearsal.forget_outputs(path)
    cells = json.loads(path.read_text("utf-8"))["cells"][1:]
    assert [(cell["outputs"], cell["execution_count"]) for cell in cells] == [([], None)] * 2
