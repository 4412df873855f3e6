"""The whole book can be read and set to one's taste with the keyboard alone."""

import pytest

from tests.common import some_slow

from .keeping import come_back, unless_forgotten
from .looks import AFTER, OPPOSITE, PAGES, THEME, settle

STOPS = """() => {
    const all = [...document.querySelectorAll("a[href], button, input, select, summary, [tabindex]")];
    const reachable = e => e.tabIndex >= 0 && !e.disabled && e.checkVisibility({visibilityProperty: true});
    return all.filter(e => reachable(e) && !("reached" in e.dataset)).map(e => e.outerHTML.slice(0, 150));
}"""
FOCUS = """() => {
    const e = document.activeElement, style = getComputedStyle(e), box = e.getBoundingClientRect();
    const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    const look = {
        name: e.outerHTML.slice(0, 150),
        end: e === document.body,
        again: "reached" in e.dataset,
        ring: style.boxShadow !== "none"
            || (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2),
        seen: top !== null && (e.contains(top) || top.contains(e)),
    };
    e.dataset.reached = "";
    return look;
}"""


# Figures come to life as a reader comes near, and have stops of their own.
WAKE = """async () => {
    for (const figure of document.querySelectorAll(".touch[data-figure]")) {
        figure.scrollIntoView();
        while (!figure.querySelector(".touch-says")?.textContent) await new Promise(requestAnimationFrame);
    }
    scrollTo(0, 0);
}"""


def lost_stops(page):
    """Press Tab from top to bottom; return the stops without a ring, out of sight, met twice or never."""
    lost = []
    for _ in range(2 * len(page.evaluate(STOPS))):  # a link may open a preview, which has stops of its own
        page.keyboard.press("Tab")
        focus = page.evaluate(FOCUS)
        if focus["end"]:
            return lost + page.evaluate(STOPS)
        if focus["again"] or not (focus["ring"] and focus["seen"]):
            lost.append(str(focus))
    return [*lost, "there is no way out"]


@pytest.mark.parametrize("look", OPPOSITE)
@pytest.mark.parametrize(
    "place",
    some_slow(
        [
            "index.html",
            "chapters/01-one-answer.html",
            f"{PAGES}teaching.html",
            f"{PAGES}explorer.html",
            "search.html",
        ],
        "index.html",
        "chapters/01-one-answer.html",
        f"{PAGES}teaching.html",
    ),
)
def test_tab_leads_to_everything_and_out_again(open_page, place, look):
    with open_page(place) as page:
        settle(page, look)
        page.evaluate(WAKE)
        page.evaluate("document.activeElement.blur()")
        lost = lost_stops(page)
        assert not lost, "\n" + "\n".join(lost)


TRAPS = {
    "no way out": "document.querySelector('main p a').onkeydown = event => event.preventDefault()",
    "no ring": "document.querySelector('main p a').style.outline = 'none'",
    "out of sight": "document.querySelector('main p a').style = 'position: fixed; top: -99px'",
    "passed over": "document.querySelector('main p').innerHTML += '<details><summary onfocus=blur()>'",
}


def test_a_keyboard_trap_is_caught(open_page):
    with open_page(f"{PAGES}bibliography.html") as page:
        settle(page, "wide and light")
        for script in TRAPS.values():
            page.evaluate(f"() => {{ {script} }}")
            assert lost_stops(page) != []
            page.reload()


def test_the_skip_link_skips_and_solutions_open_and_close(open_page):
    with open_page("chapters/01-one-answer.html") as page:
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.innerText") == "Skip to main content"
        page.keyboard.press("Enter")
        page.evaluate(AFTER, 0)  # a link moves the focus in the next frame
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.closest('main') !== null")
        solution = page.locator(".solution").first
        solution.locator("summary").focus()
        for shown in (True, False):
            page.keyboard.press("Enter")
            assert solution.locator(".solution-content").is_visible() == shown


@pytest.mark.parametrize("sidebar", some_slow(["primary", "secondary"], "secondary"))
def test_sidebars_open_and_close_by_keyboard_on_a_phone(open_page, sidebar):
    with open_page("chapters/01-one-answer.html") as page:
        settle(page, "phone and dark")
        button, links = page.locator(f".{sidebar}-toggle"), page.locator(f"#pst-{sidebar}-sidebar-modal a")
        assert links.count() == 0
        button.focus()
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        assert page.evaluate(f"document.activeElement.closest('#pst-{sidebar}-sidebar-modal') !== null")
        assert links.last.is_visible()
        page.keyboard.press("Escape")
        links.first.wait_for(state="detached")  # they move once the dialog has said that it is closed


@unless_forgotten
def test_the_theme_can_be_chosen_and_stays(browser, open_page):
    with browser.new_context() as context, open_page("index.html", context=context) as page:
        seen = [page.evaluate(THEME)]
        for _ in range(3):
            page.locator(".theme-switch-button").focus()
            page.keyboard.press("Enter")
            come_back(page, page.reload)
            seen.append(page.evaluate(THEME))
        assert seen == ["light", "dark", "light", "light"]  # as the system has it, chosen, chosen, as before
