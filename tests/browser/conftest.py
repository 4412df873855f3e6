import os

import pytest

from tools.browsing import BOOK, FORMULAS_SET, WIDE, NoBrowser, chromium, serve

from .looks import PATIENCE

pytest.register_assert_rewrite("tests.browser.figures")

LONGEST = ("test_pdf", "test_binder_", "test_every_starter_")


def cannot_run(reason):
    """Skip, or fail where the environment says that these tests must run."""
    if os.environ.get("ORR_BROWSER") == "required":
        pytest.fail(f"{reason}, and ORR_BROWSER=required", pytrace=False)
    pytest.skip(reason)


def pytest_collection_modifyitems(items):
    """Begin with the longest tests, while others can run beside them."""
    items.sort(key=lambda item: not item.name.startswith(LONGEST))


def pytest_terminal_summary(terminalreporter):
    skipped = [report for report in terminalreporter.stats.get("skipped", []) if "browser" in report.nodeid]
    for reason in sorted({report.longrepr[2] for report in skipped}):
        terminalreporter.write_line(f"BROWSER TESTS DID NOT RUN: {reason}", red=True, bold=True)


def patient(browser):
    """Let a browser take its time: a busy machine is no failure."""
    own = browser.new_context

    def new_context(**options):
        context = own(**options)
        context.set_default_timeout(PATIENCE)
        return context

    browser.new_context = new_context
    return browser


@pytest.fixture(scope="session")
def browser():
    try:
        with chromium() as started:
            yield patient(started)
    except NoBrowser as error:
        cannot_run(str(error))


@pytest.fixture(scope="session")
def address():
    """Serve the built book and return where."""
    if not (BOOK / "index.html").exists():
        pytest.fail("there is no built book: run make book first", pytrace=False)
    if '<base href="/404.html"/>' not in (BOOK / "404.html").read_text("utf-8"):
        pytest.fail("the book was built for another address: unset ORR_BOOK_URL", pytrace=False)
    with serve() as address:
        yield address


@pytest.fixture(scope="session")
def open_page(browser, address):
    """Return a function that opens a page of the book and waits until its formulas are set."""
    shared = browser.new_context(reduced_motion="reduce", viewport=WIDE)  # scrolling is done at once

    def open_page(place, complaints=None, context=shared):
        """Collect in `complaints` what goes wrong while the page is open."""
        asked, complaints = [], [] if complaints is None else complaints
        page = context.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda said: said.type == "error" and complaints.append(said.text))
        page.on("requestfailed", lambda request: complaints.append(f"no answer from {request.url}"))
        assert page.goto(f"{address}/{place}").ok, f"the built book has no {place}: run make book first"
        page.evaluate(FORMULAS_SET)
        assert [
            url for url in asked if not url.startswith((address, "data:", f"blob:{address}"))
        ] == []  # no other host
        return page

    return open_page


@pytest.fixture(scope="session")
def axe():
    try:
        from axe_playwright_python.sync_playwright import Axe
    except ImportError:
        cannot_run("axe-playwright-python is not installed: pip install -e '.[browser]'")
    return Axe()
