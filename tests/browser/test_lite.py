"""JupyterLite: it is built without a network, has the chapters and the package, and asks one other host.

Its Python comes from Pyodide's distribution, which is out of reach here: that the kernel runs is not tested.
"""

import json
from functools import partial

import pytest

import lite
import live
from tools.browsing import serve

from .conftest import cannot_run
from .looks import comes as soon

MINUTE = 60_000  # milliseconds
comes = partial(soon, patience=4 * MINUTE)
ONLY = "https://cdn.jsdelivr.net/pyodide/"


@pytest.fixture(scope="module")
def parts():
    try:
        return live.fetch()
    except live.NotFetched as error:
        cannot_run(f"Python for the pages could not be fetched: {error}")


@pytest.fixture(scope="module")
def site(parts, tmp_path_factory):
    out = tmp_path_factory.mktemp("lite") / "lite"
    try:
        return out, lite.build(out, parts / "distribution.json")
    except live.NotFetched as error:
        cannot_run(f"JupyterLite could not be built: {error}")


def strange(urls, address):
    """Return the requests that go neither to the book nor to Pyodide's distribution."""
    return [url for url in urls if not url.startswith((address, ONLY, "data:", "blob:"))]


@pytest.mark.slow
def test_jupyterlite_has_the_chapters_and_the_package(browser, site):
    out, chapters = site
    has_what_it_should(out, chapters)
    asked, page_errors = [], []
    with serve(out) as address, browser.new_context() as context:
        context.on("request", lambda request: asked.append(request.url))
        page = context.new_page()
        page.set_default_timeout(4 * MINUTE)
        page.on("pageerror", lambda error: page_errors.append(str(error)))
        page.goto(f"{address}/notebooks/index.html?path={chapters[1]}.ipynb")
        page.get_by_role("heading", name="Many answers").wait_for()
        assert comes(page, lambda: ":::" not in page.locator(".jp-Notebook").inner_text())
        assert "What you will learn" in page.locator(".jp-Notebook").inner_text()
        assert comes(page, lambda: any(url.startswith(ONLY) for url in asked))
        assert strange(asked, address) == []
        # The Python that it wants is the one that was looked into for what the chapters import.
        wants = f"{ONLY}v{live.pyodide_version()}/full/pyodide.mjs"
        assert {url for url in asked if url.startswith(ONLY)} == {wants}
        assert [error for error in page_errors if ONLY not in error] == []
        page.evaluate("fetch('https://example.org/').catch(() => {})")
        assert comes(page, lambda: set(strange(asked, address)) == {"https://example.org/"})


def has_what_it_should(out, chapters):
    index = json.loads((out / "pypi" / "all.json").read_text("utf-8"))
    assert set(index) == {"orr", "orr-book", "comm"}
    assert (out / "pypi" / "orr-0.1.0-py3-none-any.whl").exists()
    assert sorted(path.stem for path in (out / "files").glob("*.ipynb")) == chapters
    assert "01-one-answer" in chapters
    assert "20-should-you" not in chapters  # nobody has built Numba for a browser
    settings = json.loads((out / "jupyter-lite.json").read_text("utf-8"))["jupyter-config-data"]
    assert settings["litePluginSettings"][f"{lite.KERNEL}:kernel"]["disablePyPIFallback"] is True
    assert {part["name"] for part in settings["federated_extensions"]} == {lite.KERNEL, "jupyterlab-myst"}


def test_both_pythons_are_the_same(parts):
    from jupyterlite_pyodide_kernel.constants import PYODIDE_VERSION

    assert live.pyodide_version() == PYODIDE_VERSION
    names = json.loads((parts / "distribution.json").read_text("utf-8"))["packages"]
    assert {"numpy", "scipy", "matplotlib", "sympy"} <= set(names)
