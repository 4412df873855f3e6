"""The search works by keyboard, by touch, from a disk and without its index; it loads nothing unasked."""

import re
from urllib.parse import urldefrag

import pytest

from tests.common import some_slow
from tools.browsing import BOOK, PHONE, pages

from .looks import OPPOSITE, PAGES, settle
from .searching import DIALOG, found, open_dialog
from .test_pages import violations


def test_nothing_is_loaded_before_the_dialog_opens(browser, address):
    with browser.new_context() as context:
        page, asked = context.new_page(), []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(f"{address}/index.html")
        assert [url for url in asked if re.search(r"pagefind|search(?!\.css|\.js)", url)] == []
        open_dialog(page)
        assert found(page, "half-cube")
        assert [url for url in asked if re.search(r"searchtools|searchindex|language_data", url)] == []


def test_no_page_asks_for_two_searches_and_its_script_is_small():
    texts = {place: (BOOK / place).read_text("utf-8") for place in pages()}
    assert [p for p, text in texts.items() if re.search("searchtools|searchindex|language_data", text)] == []
    assert (BOOK / "_static" / "search.js").stat().st_size < 5_000


def test_results_can_be_walked_through(open_page, address):
    with open_page("chapters/02-many-answers.html") as page:
        open_dialog(page)
        results = found(page, "neighbor")
        focus = "document.activeElement.href ?? document.activeElement.value"
        seen = []
        for key in ("ArrowDown", "ArrowDown", "ArrowUp", "ArrowUp", "ArrowUp", "ArrowDown"):
            page.keyboard.press(key)
            seen.append(page.evaluate(focus))
        assert seen == [results[0], results[1], results[0], "neighbor", "neighbor", results[0]]
        page.keyboard.press("s")  # goes on typing
        assert page.evaluate(focus) == "neighbors"
        page.keyboard.press("ArrowDown")  # faster than the results
        page.locator(f"{DIALOG} [aria-label='Results for neighbors']").wait_for()
        assert page.evaluate(focus) == results[0]
        page.keyboard.press("Enter")
        page.wait_for_url(results[0])


def test_the_dialog_closes_and_says_how_much_it_found(open_page):
    with open_page(f"{PAGES}glossary.html") as page:
        status = page.locator(f"{DIALOG} [role=status]")
        for keys in ([], ["ArrowDown"]):
            open_dialog(page)
            found(page, "half-cube")
            for key in [*keys, "Escape"]:
                page.keyboard.press(key)
            page.locator(DIALOG).wait_for(state="hidden")
        open_dialog(page)
        results = found(page, "GWAS")
        assert status.inner_text() == f"{len(results)} results"
        assert found(page, "xylophone") == []
        assert status.inner_text() == "Nothing found for “xylophone”."
        assert found(page, "xylophone half-cube")[0].endswith("#term-half-cube")
        assert status.inner_text().startswith("No place has all of these words. ")
        page.locator(f"{DIALOG} input").fill("<img id=evil src=x>")  # which is never markup
        status.filter(has_text="<img id=evil").wait_for()
        assert page.locator("#evil").count() == 0
        (first, *_) = found(page, "half-cube")  # on the same page
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        page.locator(DIALOG).wait_for(state="hidden")
        page.wait_for_url(first)


def test_a_finger_is_enough(browser, address):
    with browser.new_context(has_touch=True, is_mobile=True, viewport=PHONE) as context:
        page = context.new_page()
        page.goto(f"{address}/chapters/02-many-answers.html")
        button = page.locator(".search-button__button:visible")
        button.tap()
        (first, *_) = found(page, "cite")
        page.locator(f"{DIALOG} .search-close").tap()
        page.locator(DIALOG).wait_for(state="hidden")
        button.tap()
        page.locator(DIALOG).wait_for()
        sizes = page.locator(f"{DIALOG} :is(li, .search-close)").evaluate_all(
            "all => all.map(e => Math.min(e.getBoundingClientRect().width, e.getBoundingClientRect().height))"
        )
        assert min(sizes) >= 44
        page.locator(f"{DIALOG} .search-found p").first.tap(force=True)  # all of a result leads there
        page.wait_for_url(first)


def test_the_search_page_has_the_same_results(open_page, address):
    with open_page("chapters/02-many-answers.html") as page:
        open_dialog(page)
        results = found(page, "epsilon")
        page.keyboard.press("Enter")
        page.wait_for_url(f"{address}/search.html?q=epsilon")
        place = ".bd-search-container"
        page.locator(f"{place} .search-found li").first.wait_for()
        assert page.locator(f"{place} input").input_value() == "epsilon"
        links = page.locator(f"{place} .search-found a").evaluate_all("links => links.map(link => link.href)")
        assert links[: len(results)] == results
        assert found(page, "half-cube", place)[0].endswith("#term-half-cube")
        page.wait_for_url(f"{address}/search.html?q=half-cube")


@pytest.mark.parametrize("disk", [True, False], ids=["on a disk", "without its index"])
def test_without_a_server_or_its_index_the_book_is_searched_too(browser, address, disk):
    with browser.new_context() as context:
        page, complaints = context.new_page(), []
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda said: said.type == "error" and complaints.append(said.text))
        page.on("requestfailed", lambda request: complaints.append(request.url))
        context.route("**/pagefind/**", lambda route: route.abort())
        book = BOOK.as_uri() if disk else address
        page.goto(f"{book}/chapters/02-many-answers.html")
        open_dialog(page)
        page.locator(f"{DIALOG} input").fill("half-cube")
        page.keyboard.press("Enter")
        page.locator(".search-summary", has_text=re.compile("finished|did not match|found")).wait_for()
        links = page.locator("#search-results li > a").evaluate_all("links => links.map(link => link.href)")
        assert f"{book}/{PAGES}glossary.html" in {urldefrag(url)[0] for url in links}
        assert not disk or complaints == []


def test_without_scripts_the_search_page_says_so(browser, address):
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(f"{address}/search.html")
        assert "The search needs JavaScript." in page.inner_text("main")
        page.get_by_role("main").get_by_role("link", name="glossary").click()
        page.wait_for_url(f"{address}/{PAGES}glossary.html")


@pytest.mark.parametrize("look", some_slow(OPPOSITE, OPPOSITE[0]))
def test_results_are_accessible(open_page, axe, look):
    with open_page(f"{PAGES}bibliography.html") as page:
        settle(page, look)
        open_dialog(page)
        assert found(page, "chi-square")
        page.keyboard.press("ArrowDown")
        assert violations(axe, page) == set()
        assert page.evaluate("document.querySelector('#pst-search-dialog').scrollWidth <= innerWidth")
        page.goto(page.url.replace(f"{PAGES}bibliography.html", "search.html?q=chi-square"))
        page.locator(".bd-search-container .search-found li").first.wait_for()
        assert violations(axe, page) == set()
