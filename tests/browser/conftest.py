import os
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from .chromium import candidates

BOOK = Path(__file__).parents[2] / "_build" / "html"
ONLY_THIS_HOST = "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"


def cannot_run(reason):
    """Skip, or fail where the environment says that these tests must run."""
    if os.environ.get("ORR_BROWSER") == "required":
        pytest.fail(f"{reason}, and ORR_BROWSER=required", pytrace=False)
    pytest.skip(reason)


def pytest_terminal_summary(terminalreporter):
    skipped = [report for report in terminalreporter.stats.get("skipped", []) if "browser" in report.nodeid]
    for reason in sorted({report.longrepr[2] for report in skipped}):
        terminalreporter.write_line(f"BROWSER TESTS DID NOT RUN: {reason}", red=True, bold=True)


@pytest.fixture(scope="session")
def browser():
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        cannot_run("Playwright is not installed: pip install -e '.[browser]'")
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    with sync_playwright() as playwright:
        for path in candidates(playwright.chromium.executable_path):
            try:
                started = playwright.chromium.launch(
                    executable_path=path, chromium_sandbox=not root, args=[ONLY_THIS_HOST]
                )
            except Error:
                continue
            yield started
            started.close()
            return
        cannot_run("no Chrome or Chromium starts on this machine, and none could be installed")


class Silent(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        """Keep requests out of the tests' output."""


@pytest.fixture(scope="session")
def address():
    """Serve the built book and return where."""
    if not (BOOK / "index.html").exists():
        pytest.fail("there is no built book: run make book first", pytrace=False)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Silent, directory=BOOK)) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="session")
def open_page(browser, address):
    """Return a function that opens a page of the book and waits until its formulas are set."""
    context = browser.new_context(reduced_motion="reduce")  # scrolling is done at once

    def open_page(place):
        asked = []
        page = context.new_page()
        page.on("request", lambda request: asked.append(request.url))
        assert page.goto(f"{address}/{place}").ok, f"the built book has no {place}: run make book first"
        page.evaluate("window.MathJax?.startup.promise.then(() => {})")
        assert [url for url in asked if not url.startswith((address, "data:"))] == []  # no other host
        return page

    return open_page


@pytest.fixture(scope="session")
def axe():
    try:
        from axe_playwright_python.sync_playwright import Axe
    except ImportError:
        cannot_run("axe-playwright-python is not installed: pip install -e '.[browser]'")
    return Axe()
