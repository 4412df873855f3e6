"""The ledger says what holds in one line, can be filtered by any hand, and needs no script to be whole."""

from collections import Counter

import pytest

import ledger
from tools.browsing import BOOK, FORMULAS_SET, PHONE, WIDE

from .looks import PAGES, comes, resize

CLAIMS = ledger.claims()
ANCHORS = {ledger.anchor(row): row for row in CLAIMS}
SHOWN = """() => [...document.querySelectorAll(".ledger tbody tr")]
    .filter(row => row.checkVisibility()).map(row => row.id)"""
HEADINGS = "() => [...document.querySelectorAll('article h2')].filter(e => e.checkVisibility()).length"
HIDDEN_TEXT = """() => [...document.querySelectorAll('.ledger details *')]
    .filter(e => !e.closest("mjx-container") && !e.checkVisibility({contentVisibilityAuto: true}))
    .map(e => e.textContent)"""
# How far a finger may be off, up and down: a part answers around what is seen of it, too.
REACH = """part => {
    const box = part.getBoundingClientRect();
    const answers = y => part.contains(document.elementFromPoint(box.x + box.width / 2, y));
    let [first, last] = [box.y + 2, box.y + 2];
    while (answers(first - 1)) first--;
    while (answers(last + 1)) last++;
    return last - first;
}"""
HEIGHT = "document.documentElement.scrollHeight"


def expected(verdicts=(), chapter=None):
    return {
        anchor
        for anchor, row in ANCHORS.items()
        if (not verdicts or row["verdict"] in verdicts) and chapter in (None, row["chapter"])
    }


def wrong(page, verdicts=(), chapter=None):
    """Return rows that are shown and should not be, or the other way round, and a count that is wrong."""
    right = expected(verdicts, chapter)
    found = set(page.evaluate(SHOWN)) ^ right
    said = page.locator(".ledger-controls [role=status]").inner_text()
    return found | {said} - {f"{len(right)} of {len(CLAIMS)} rows"}


def figure(page, verdict):
    return page.locator(f".ledger-figures [data-verdict={verdict}]").get_by_role("button")


def choose(page, chapter):
    page.get_by_role("combobox", name="Chapter").select_option(chapter)


@pytest.fixture
def page(open_page):
    with open_page(f"{PAGES}ledger.html") as page:
        yield page


def test_figures_and_badges_are_those_of_the_data(page):
    count = Counter(row["verdict"] for row in CLAIMS)
    assert page.locator(".ledger-total").inner_text() == f"{len(CLAIMS)} claims and open questions"
    for parts in (".ledger-figures li", ".ledger-bar span"):
        assert page.locator(parts).count() == len(count)
    for verdict, number in count.items():
        words = ledger.VERDICTS[verdict][1 if number == 1 else 2]
        assert figure(page, verdict).inner_text() == f"{number} {words}"
    badges = page.locator(".ledger tbody tr").evaluate_all(
        "rows => rows.map(e => [e.id, e.dataset.verdict, e.querySelector('.verdict').innerText])"
    )
    assert badges == [[a, row["verdict"], ledger.VERDICTS[row["verdict"]][0]] for a, row in ANCHORS.items()]
    sign = "badge => getComputedStyle(badge, '::before').content"
    assert len({page.locator(f".ledger .is-{kind}").first.evaluate(sign) for kind in count}) == len(count)


def test_filters_combine_and_go_away(page):
    figure(page, "fails").click()  # rows that do not hold are one click away
    assert wrong(page, ["fails"]) == set()
    page.wait_for_url(f"**/{PAGES}ledger.html#verdict=fails")
    assert page.evaluate(HEADINGS) == len({row["part"] for row in CLAIMS if row["verdict"] == "fails"})
    figure(page, "fails").click()
    for verdict in ("remark", "answered"):
        figure(page, verdict).click()
    choose(page, "09-run-time")
    assert wrong(page, ["remark", "answered"], "09-run-time") == set()
    page.wait_for_url(f"**/{PAGES}ledger.html#verdict=remark,answered&chapter=09-run-time")
    figure(page, "remark").click()
    assert wrong(page, ["answered"], "09-run-time") == set()
    page.get_by_role("button", name="Show all rows").click()
    assert wrong(page) == set()
    page.wait_for_url(f"**/{PAGES}ledger.html")
    assert not page.get_by_role("button", name="Show all rows").is_visible()
    values = page.locator(".ledger-controls option").evaluate_all("all => all.map(e => e.value)")
    assert values == ["", *sorted({row["chapter"] for row in CLAIMS})]
    for chapter in values[1:]:
        choose(page, chapter)
        assert wrong(page, (), chapter) == set()


def test_a_filtered_view_can_be_linked(open_page):
    with open_page(f"{PAGES}ledger.html#verdict=remark&chapter=03-two-attributes") as page:
        assert wrong(page, ["remark"], "03-two-attributes") == set()
        assert figure(page, "remark").get_attribute("aria-pressed") == "true"
        page.evaluate("location.hash = 'verdict=reproduced'")
        page.wait_for_function("document.querySelector('select').value === ''")
        assert wrong(page, ["reproduced"]) == set()


def test_nonsense_in_the_address_does_nothing(page):
    script = "verdict=<img src=x onerror=document.title=1>"
    for asked in (script, "verdict=no&chapter=no", "&=&&", "no"):
        page.evaluate("asked => { location.hash = asked; }", asked)
        page.reload()
        assert wrong(page) == set()
        assert page.locator("img[src=x]").count() == 0


def test_the_address_of_a_row_opens_it(open_page):
    (anchor,) = expected(["fails"])
    with open_page(f"{PAGES}ledger.html#{anchor}") as page:
        assert page.locator(f"#{anchor}").get_by_text("We find:").is_visible()
        assert page.locator(".ledger details[open]").count() == 1
        assert wrong(page) == set()


def test_keyboard(page):
    figure(page, "answered").focus()
    page.keyboard.press("Space")
    assert wrong(page, ["answered"]) == set()
    page.keyboard.press("Enter")
    assert wrong(page) == set()
    page.get_by_role("combobox", name="Chapter").focus()
    page.keyboard.press("ArrowDown")
    assert wrong(page, (), min(row["chapter"] for row in CLAIMS)) == set()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.locator(".ledger details:not([open])").count() == 0
    page.keyboard.press("Enter")
    row = page.locator(".ledger summary").first
    row.focus()
    page.keyboard.press("Enter")
    assert page.locator(".ledger details[open]").count() == 1


def test_touch(browser, open_page):
    phone = {"viewport": PHONE, "has_touch": True, "is_mobile": True, "reduced_motion": "reduce"}
    with browser.new_context(**phone) as context, open_page(f"{PAGES}ledger.html", context=context) as page:
        figure(page, "fails").tap()
        assert comes(page, lambda: not wrong(page, ["fails"]))
        (anchor,) = expected(["fails"])
        page.locator(f"#{anchor}").scroll_into_view_if_needed()
        title = page.locator(f"#{anchor} th").bounding_box()
        page.touchscreen.tap(title["x"] + title["width"] / 2, title["y"] + title["height"] / 2)
        page.locator(f"#{anchor}").get_by_text("We find:").wait_for()
        for control in page.locator(".ledger-board :is(button, select)").all():
            assert not control.is_visible() or control.bounding_box()["height"] >= 44
        for part in page.locator(f"#{anchor} :is(summary, td:nth-child(4) a)").all():
            assert part.evaluate(REACH) >= 43  # from its first pixel to its last


def test_short_enough_to_scan_and_whole_on_paper(page):
    for size, most in ((WIDE, 90), (PHONE, 145)):  # pixels a row, with all that is around the rows
        resize(page, size)
        assert page.evaluate(HEIGHT) < most * len(CLAIMS)
    assert page.evaluate(HIDDEN_TEXT)
    page.emulate_media(media="print")
    assert page.evaluate(HIDDEN_TEXT) == []
    assert page.locator(".ledger-controls :is(button, select):visible").count() == 0
    page.emulate_media(media="screen")
    page.get_by_role("button", name="Unfold all rows").click()
    assert page.evaluate(HEIGHT) > 210 * len(CLAIMS)


def test_without_scripts_it_is_a_whole_table(browser, address):
    with browser.new_context(java_script_enabled=False, viewport=WIDE) as context:
        page = context.new_page()
        page.goto(f"{address}/{PAGES}ledger.html")
        assert set(page.evaluate(SHOWN)) == expected()
        assert page.evaluate(HIDDEN_TEXT) == []
        assert page.get_by_role("columnheader").count() == len(ledger.COLUMNS) * len(
            {row["part"] for row in CLAIMS}
        )
        assert page.locator(".ledger-board :is(button, select):visible").count() == 0


def test_from_a_disk(browser):
    with browser.new_context() as context:
        page = context.new_page()
        page.goto((BOOK / f"{PAGES}ledger.html").as_uri())
        page.evaluate(FORMULAS_SET)
        figure(page, "fails").click()
        assert wrong(page, ["fails"]) == set()
        page.wait_for_url(f"**/{PAGES}ledger.html#verdict=fails")
        page.reload()
        assert wrong(page, ["fails"]) == set()


SPOILS = {
    "a row that stays": "document.querySelector('section:not([hidden]) > .ledger tr[hidden]').hidden = false",
    "a row that is gone": "document.querySelector('.ledger tr[data-verdict=fails]').hidden = true",
    "a wrong count": "document.querySelector('[role=status]').textContent = '2 rows'",
}


def test_a_spoilt_view_is_caught(page):
    for script in SPOILS.values():
        page.goto(page.url.partition("#")[0] + "#verdict=fails")
        page.reload()
        assert wrong(page, ["fails"]) == set()
        page.evaluate(script)
        assert wrong(page, ["fails"])
