"""A reader presses a button under an exercise and has Python, from the book's own files and no other host."""

import re
import shutil

import pytest

import live
from tests.book.test_live import STARTERS, alone
from tests.common import some_slow
from tools.browsing import BOOK, serve

from .conftest import cannot_run
from .looks import LOOKS, OPPOSITE, comes, settle
from .test_keyboard import lost_stops
from .test_pages import CHECKS, THIN_OUT, check, violations

LONG = 240_000  # milliseconds: Python starts in a few seconds, on a busy machine in many
BEFORE = {"style.css", "page.js"}  # what a page may load before somebody asks for Python
SMALL = """[...document.querySelectorAll(".live-button")].map(e => e.getBoundingClientRect())
    .filter(box => box.width && (box.height < 36 || box.width < 44))
    .map(box => ["too small", box.width, box.height])"""
# Press Stop, and return what is said before the next Python is ready, which is said there too.
STOP = """stop => {
    stop.click();
    return stop.closest(".live").querySelector(".live-status").textContent;
}"""
ENDLESS = "n = 0\nprint('begun')\nwhile True:\n    n += 1"


@pytest.fixture(scope="session")
def live_book(address, tmp_path_factory):
    """Return a copy of the built book with Python in it."""
    try:
        parts = live.fetch()
    except live.NotFetched as error:
        cannot_run(f"Python for the pages could not be fetched: {error}")
    copy = tmp_path_factory.mktemp("live") / "html"
    shutil.copytree(BOOK, copy)
    live.add(copy, parts, ["03-two-attributes"])
    return copy


@pytest.fixture(scope="session")
def live_address(live_book):
    with serve(live_book) as address:
        yield address


@pytest.fixture
def visit(browser, live_address):
    """Return a function that opens a page; hear every complaint and request of the page and of its worker."""
    heard, asked, forgiven = [], [], []
    with browser.new_context(reduced_motion="reduce", viewport=LOOKS["wide and light"][0]) as context:
        context.on("request", lambda request: asked.append(request.url))
        context.on("requestfailed", lambda request: heard.append(f"no answer from {request.url}"))
        context.on("console", lambda said: said.type == "error" and heard.append(said.text))
        context.on("weberror", lambda error: heard.append(str(error.error)))

        def visit(place):
            page = context.new_page()
            page.set_default_timeout(LONG)
            page.heard, page.asked, page.forgiven = heard, asked, forgiven
            page.goto(f"{live_address}/{place}", wait_until="load")
            return page

        yield visit
        assert forgiven or heard == []  # before the end of the page cuts off what it loads
        assert [url for url in asked if not url.startswith((live_address, "data:"))] == []


def loaded(page):
    """Return the names of what a page has loaded to run Python with."""
    return {url.rsplit("/", 1)[1] for url in page.asked if "/_static/live/" in url}


def ask(page, label, until="Python is ready."):
    """Press the button under an exercise with the keyboard, wait for a word, and return its box."""
    box = page.locator(f"#{label} .live")
    box.get_by_role("button", name="Try it in Python").press("Enter")
    box.get_by_text(until).wait_for()
    return box


def run(box, code):
    """Type code, run it, and return the sentence at its end and what came out."""
    area = box.get_by_label("Your code")
    area.fill(code)
    area.press("ControlOrMeta+Enter")
    status = box.locator(".live-status")
    status.filter(has_not_text=re.compile("Starting|Waiting|Running")).wait_for()
    return status.inner_text(), box.locator("pre").first.text_content()


def test_nothing_is_loaded_before_somebody_asks(visit):
    page = visit("chapters/03-two-attributes.html")
    button = page.locator("#two-ex-equal").get_by_role("button", name="Try it in Python")
    button.scroll_into_view_if_needed()
    button.hover()
    assert "loads about 11 MB from this site, once" in page.inner_text("#two-ex-equal")
    assert loaded(page) == BEFORE
    page.evaluate("folder => import(folder + '/_static/live/editor.mjs')", page.url.rsplit("/chapters", 1)[0])
    assert loaded(page) > BEFORE, "what a page loads is not seen"
    # Only some chapters lead to JupyterLite, and say what it loads.
    link = page.get_by_role("link", name="Open this chapter in JupyterLite")
    assert link.get_attribute("href") == "../lite/notebooks/index.html?path=03-two-attributes.ipynb"
    assert "cdn.jsdelivr.net" in page.inner_text(".live-lite")


def test_a_reader_runs_changes_stops_and_starts_again(visit, axe):
    page = visit("chapters/01-one-answer.html")
    box = ask(page, "ex-one-coin")
    area, stop = box.get_by_label("Your code"), box.get_by_role("button", name="Stop")
    assert area.input_value() == live.starters()["ex-one-coin"]
    assert page.evaluate("document.activeElement.id") == "live-ex-one-coin"
    assert run(box, area.input_value()) == ("Done.", "2.1972245773362196")
    assert run(box, "x = 1") == ("Done. It printed nothing.", "")

    assert run(box, "print('before')\ny") == ("Line 2: NameError: name 'y' is not defined.", "before\n")
    details = box.locator("details")
    assert "Traceback" not in details.inner_text()
    details.locator("summary").press("Enter")
    assert "NameError" in details.inner_text()
    found = [(look, *what) for look in OPPOSITE for what in looks_wrong(page, axe, look)]
    assert not found, "\n" + "\n".join(map(str, found))
    settle(page, "wide and light")
    assert "Python's standard library and SymPy" in run(box, "import numpy")[0]

    area.fill(ENDLESS)
    box.get_by_role("button", name="Run").click()
    box.get_by_text("begun").wait_for()
    page.locator("#ex-one-limit").get_by_role("button", name="Try it in Python").click()  # the page is alive
    other = page.locator("#ex-one-limit .live")
    other.get_by_role("button", name="Run").click()
    other.get_by_text("Waiting for the code of another exercise").wait_for()
    stop.click(trial=True)
    assert stop.evaluate(STOP) == "Stopped."
    assert stop.get_attribute("aria-disabled") == "true"
    other.get_by_text("Done.").wait_for()  # its turn, in a new Python
    assert run(box, "1 + 1") == ("Done.", "2")

    box.get_by_role("button", name="Reset").click()
    assert area.input_value() == live.starters()["ex-one-coin"]
    assert not box.locator("pre").first.is_visible()
    assert page.evaluate(SMALL) == []
    page.add_style_tag(content=".live-button { min-height: 0; padding: 0 }")
    assert page.evaluate(SMALL) != [], "a small button is not seen"


def looks_wrong(page, axe, look):
    """Return what is wrong with the look of the editors of a page."""
    settle(page, look)
    found = [(name, what) for name in CHECKS for what in check(page, name)]
    page.evaluate(THIN_OUT)
    page.evaluate(
        "for (const part of document.querySelectorAll('article section > :not(section)'))"
        "  if (!part.matches('h1, h2') && !part.querySelector('.live')) part.style.display = 'none'"
    )
    found += violations(axe, page)
    return [*found, *map(tuple, page.evaluate(SMALL))]


def rounded(text):
    """Return a text with its numbers rounded: two libraries of functions differ in the last digit."""
    return re.sub(r"\d+\.\d+(?:e-?\d+)?", lambda number: f"{float(number[0]):.12g}", text)


@pytest.mark.slow
def test_every_starter_says_in_the_page_what_it_says_in_python(visit):
    page = visit("chapters/03-two-attributes.html")
    box = ask(page, "two-ex-equal")
    said = alone({label: entry["code"] for label, entry in STARTERS.items()})
    for label, entry in STARTERS.items():
        sentence, out = run(box, entry["code"])
        expected = said[label]["printed"] + said[label].get("result", "")
        assert (sentence, rounded(out)) == ("Done.", rounded(expected)), label
    assert "sympy-1.14.0-py3-none-any.whl" in loaded(page)


@pytest.mark.slow
def test_tab_leads_through_an_editor_and_indents_while_one_types(visit):
    page = visit("chapters/02-many-answers.html")
    box = ask(page, "ex-many-best", until="Your code")
    area = box.get_by_label("Your code")
    page.evaluate("document.activeElement.blur()")
    lost = [stop for stop in lost_stops(page) if "live" in stop]
    assert not lost, "\n" + "\n".join(lost)
    area.fill("")
    area.press_sequentially("if 1:")
    page.keyboard.press("Enter")
    page.keyboard.type("x = 1")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.type("y")
    assert area.input_value() == "if 1:\n    x = 1\n        y"
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Run"
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Shift+Tab")
    assert page.evaluate("document.activeElement.closest('.live')") is None
    page.evaluate(
        "document.querySelector('.live textarea').addEventListener('keydown', e => e.preventDefault())"
    )
    page.evaluate("for (const e of document.querySelectorAll('[data-reached]')) delete e.dataset.reached")
    page.evaluate("document.activeElement.blur()")
    assert [stop for stop in lost_stops(page) if "live" in stop or "no way out" in stop], "a trap is not seen"


PARTS = ["pyodide.asm.mjs", "python_stdlib.zip", "worker.mjs", "editor.mjs"]


@pytest.mark.parametrize("missing", some_slow(PARTS, "pyodide.asm.mjs", "worker.mjs"))
def test_what_does_not_load_says_so_and_can_be_tried_again(visit, missing):
    page = visit("chapters/01-one-answer.html")
    page.forgiven.append(missing)
    page.context.route(f"**/{missing}", lambda route: route.fulfill(status=404))
    box = page.locator("#ex-one-coin .live")
    box.get_by_role("button", name="Try it in Python").click()
    if missing == "editor.mjs":
        box.get_by_text("It could not be loaded. Are you online?").wait_for()
        return
    box.get_by_text("Python has stopped:").wait_for()
    assert "Run starts it again." in box.locator(".live-status").inner_text()
    assert comes(page, lambda: page.heard)
    page.context.unroute_all()
    if missing == "worker.mjs":
        box.get_by_role("button", name="Run").click()
        box.get_by_text("Done.").wait_for()
        assert [complaint for complaint in page.heard if missing not in complaint] == []


def test_from_a_disk_there_is_no_button_and_no_complaint(browser, live_book):
    heard = []
    with browser.new_context() as context, context.new_page() as page:
        page.on("console", lambda said: said.type == "error" and heard.append(said.text))
        page.on("pageerror", lambda error: heard.append(str(error)))
        page.goto((live_book / "chapters/01-one-answer.html").as_uri(), wait_until="load")
        assert page.locator("#live-data").count() == 1
        assert page.locator(".live, .live-lite").count() == 0
    assert heard == []
    chapters = {path.stem: path.read_text("utf-8") for path in live_book.glob("chapters/*.html")}
    assert [name for name, text in chapters.items() if "../lite/notebooks" in text] == ["03-two-attributes"]


def test_the_plain_book_has_none_of_it(address):
    assert not (BOOK / "_static" / "live").exists()
    assert not (BOOK / "lite").exists()
    assert not [path for path in BOOK.glob("chapters/*.html") if "live-data" in path.read_text("utf-8")]
