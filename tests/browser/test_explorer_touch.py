"""The explorer under fingers and eyes: what is dragged, read off, kept in place, and seen."""

import re

import numpy as np
import pytest

import orr
from tests.common import some_slow
from tools.browsing import PHONE

from .exploring import PLACE, THREE, box, expect, link, plane_of, shown, slider
from .looks import AFTER, comes
from .touching import finger

LAPTOP = {"width": 1280, "height": 800}
COINS = f"{PLACE}#sizes=3,3&levels=1,1"
# Count the shifts from the start; a style of our own may make it worse.
EARLY = """style => {
    window.shifts = 0;
    const add = entry => { if (!entry.hadRecentInput) shifts += entry.value; };
    const observer = new PerformanceObserver(list => list.getEntries().forEach(add));
    observer.observe({ type: "layout-shift", buffered: true });
    window.shifted = () => {
        observer.takeRecords().forEach(add);
        return shifts;
    };
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(style);
    document.adoptedStyleSheets = [sheet];
}"""
# Contrast of strokes and fills of marks with what is behind them.
CONTRASTS = """(parts) => {
    const numbers = color => color.match(/[\\d.]+/g).map(Number);
    const light = ([r, g, b]) => [r, g, b].map(v => v / 255)
        .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
        .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
    const ground = numbers(getComputedStyle(document.body).backgroundColor);
    return [...document.querySelectorAll(parts)].filter(e => e.checkVisibility()).map(e => {
        const style = getComputedStyle(e);
        const [color, opacity] = style.stroke === "none"
            ? [style.fill, style.fillOpacity] : [style.stroke, style.strokeOpacity];
        const share = opacity * style.opacity;
        const seen = numbers(color).slice(0, 3).map((v, i) => share * v + (1 - share) * ground[i]);
        const [low, high] = [light(seen), light(ground)].sort((a, b) => a - b);
        return [e.getAttribute("class") ?? e.tagName, (high + 0.05) / (low + 0.05)];
    });
}"""
MARKS = ".ex :is(.mark, .line, .tick, .dots, .guide, .interval, .border, .grip, circle:not(.reach))"


@pytest.fixture
def phone(browser, open_page):
    """Return a function that opens the explorer on a phone."""
    with browser.new_context(
        viewport=PHONE, has_touch=True, is_mobile=True, reduced_motion="reduce"
    ) as context:
        yield lambda place=PLACE: open_page(place, context=context)


def bring(locator):
    """Scroll to a part, and wait until the page has heard of it: then it hides what was read off."""
    locator.scroll_into_view_if_needed()
    locator.page.evaluate(AFTER, 0)
    return locator


def middle(locator):
    bring(locator)
    spot = locator.bounding_box()
    return spot["x"] + spot["width"] / 2, spot["y"] + spot["height"] / 2


def handle(page, name):
    return page.get_by_role("slider", name=name)


MAP, FRONTIER = "Both levels, as a point on the map", "Slack, as a point on the frontier"


def finger_moves_the_point(page):
    """Drag the point of the map with a finger; return how far levels and page moved."""
    expect(page, [3, 3], [1, 1])
    x, y = middle(handle(page, MAP).locator(".reach"))
    assert handle(page, MAP).locator(".reach").bounding_box()["width"] >= 44
    top = page.evaluate("scrollY")
    finger(page, (x, y), (x + 120, y - 60), 12)
    page.evaluate(AFTER, 0)
    levels = [float(box(page, f"Level of attribute {i}").input_value()) for i in (1, 2)]
    return levels, page.evaluate("scrollY") - top


def test_a_finger_drags_the_point_on_the_map(phone):
    page = phone(COINS)
    levels, scrolled = finger_moves_the_point(page)
    plane = plane_of(page)["width"]
    np.testing.assert_allclose(levels, [1 + 120 * 4.5 / plane, 1 + 60 * 4.5 / plane], atol=0.1)
    assert scrolled == 0
    expect(page, [3, 3], levels)
    assert f"levels={levels[0]:g},{levels[1]:g}" in link(page)


def test_a_point_that_lets_the_page_scroll_is_caught(phone):
    page = phone(COINS)
    page.evaluate("addEventListener('touchstart', event => event.stopImmediatePropagation(), true)")
    levels, scrolled = finger_moves_the_point(page)
    assert scrolled != 0 or abs(levels[0] - 1) < 0.5


def test_a_finger_drags_the_slack(phone):
    page = phone()
    expect(page, *THREE)
    x, y = middle(handle(page, FRONTIER).locator(".reach"))
    top = page.evaluate("scrollY")
    finger(page, (x, y), (x + 60, y + 5), 12)
    page.wait_for_function("!location.hash.endsWith('slack=10')")
    slack = float(box(page, "Slack in per cent").input_value())
    assert slack > 15
    assert page.evaluate("scrollY") == top
    shown(page)
    level = orr.guarded(*THREE, slack / 100).epsilon
    page.get_by_text(f"With a slack of {slack:g}% the overall level is {level:.5g}").wait_for()


def test_arrow_keys_move_both_points(open_page):
    with open_page(COINS) as page:
        expect(page, [3, 3], [1, 1])
        handle(page, MAP).focus()
        for key in ("ArrowRight", "ArrowRight", "Shift+ArrowUp", "ArrowDown"):
            page.keyboard.press(key)
        expect(page, [3, 3], [1.1, 1.45])
        assert handle(page, MAP).get_attribute("aria-valuetext") == "1.1 and 1.45"
        assert "levels=1.1,1.45" in link(page)
        handle(page, FRONTIER).focus()
        page.keyboard.press("Shift+ArrowRight")
        page.keyboard.press("ArrowLeft")
        page.wait_for_function("location.hash.includes('slack=19')")
        assert box(page, "Slack in per cent").input_value() == "19"
        ring = handle(page, FRONTIER).locator(".reach").evaluate("e => getComputedStyle(e).strokeWidth")
        assert ring == "3px"


def tip(page):
    return page.locator("#ex-tip")


def test_the_pointer_reads_values_off_the_charts(open_page):
    with open_page(PLACE) as page:
        expect(page, *THREE)
        bring(page.locator("#ex-overall .optimum.mark").first).hover()
        assert tip(page).inner_text() == "optimum 3.4448"
        bring(page.locator("#ex-neighbours .optimum.mark").last).hover()
        level = orr.optimal(*THREE).neighbour_epsilons[2]
        assert tip(page).inner_text() == f"diagnosis, optimum: {level:.4g}"
        bring(page.locator("#ex-analyst circle").first).hover()
        error = orr.optimal(*THREE).plan(1000).one_way[0].standard_error
        assert tip(page).inner_text() == f"smokes: 50% ± {196 * error:.3g}"
        bring(page.locator("#ex-shape .optimum.mark").first).hover()
        assert "the truth; optimum: 3.445" in tip(page).inner_text()
        page.mouse.wheel(0, 200)
        tip(page).wait_for(state="hidden")


def test_the_pointer_reads_the_map(open_page):
    with open_page(COINS) as page:
        expect(page, [3, 3], [1, 1])
        bring(page.locator("#ex-map"))
        plane = plane_of(page)
        page.mouse.move(plane["x"] + 0.4 * plane["width"], plane["y"] + 0.2 * plane["height"])
        one, two, case, saved = re.match(
            r"([\d.]+) and ([\d.]+): case \((\w+)\), saves ([\d.]+)%", tip(page).inner_text()
        ).groups()
        levels = [float(one), float(two)]
        np.testing.assert_allclose(levels, [0.4 * 4.5, 0.8 * 4.5], atol=0.03)
        best = orr.two_attribute([3, 3], levels)
        assert case == best.case
        np.testing.assert_allclose(float(saved), 100 * (1 - best.epsilon / sum(levels)), atol=0.3)


def test_a_tap_reads_values_too(phone):
    page = phone()
    expect(page, *THREE)
    page.touchscreen.tap(*middle(page.locator("#ex-overall .optimum.mark").first))
    assert comes(page, lambda: tip(page).inner_text() == "optimum 3.4448")


def shifts(browser, address, size, style=""):
    """Open the page as over a slow line, where its script comes last; return how much the layout shifted."""
    with browser.new_context(viewport=size) as context:
        page, held = context.new_page(), []
        page.add_init_script(f"({EARLY})({style!r})")
        page.route("**/figures.js*", lambda route: held.append(route))
        page.goto(f"{address}/{PLACE}", wait_until="commit")
        page.wait_for_function(
            "performance.getEntriesByName('first-contentful-paint').length && window.bootstrap"
        )
        page.evaluate(AFTER, 0)
        assert comes(page, lambda: held)
        held[0].continue_()
        expect(page, *THREE)
        page.evaluate(AFTER, 0)
        return page.evaluate("shifted()")


@pytest.mark.parametrize("size", some_slow([LAPTOP, PHONE], LAPTOP), ids=["laptop", "phone"])
def test_nothing_jumps_while_the_page_loads(browser, address, size):
    assert shifts(browser, address, size) < 0.05


def test_a_page_that_keeps_no_room_is_caught(browser, address):
    careless = ".ex:not(#x) { display: none } html[data-explorer] .ex:not(#x) { display: block }"
    assert shifts(browser, address, PHONE, careless) > 0.05


def overlap(page, *parts):
    one, two = (page.locator(part).bounding_box() for part in parts)
    apart = one["y"] + one["height"] <= two["y"] or two["y"] + two["height"] <= one["y"]
    return not apart


def test_back_to_top_leaves_the_readings_alone(phone):
    page = phone()
    expect(page, *THREE)
    page.add_style_tag(content="#pst-back-to-top { display: block !important }")
    assert not overlap(page, "#pst-back-to-top", "#ex-strip")
    page.add_style_tag(content="html #pst-back-to-top:not(#x) { top: 90vh; bottom: auto }")
    assert overlap(page, "#pst-back-to-top", "#ex-strip")  # as the theme has it


def test_the_panel_fits_a_laptop(browser, open_page):
    with browser.new_context(viewport=LAPTOP) as context:
        page = open_page(PLACE, context=context)
        expect(page, *THREE)
        assert page.evaluate("scrollY") == 0
        assert page.locator("#your-attributes").evaluate("e => e.scrollHeight <= e.clientHeight")
        strip = page.locator("#ex-strip").bounding_box()
        assert strip["y"] + strip["height"] <= LAPTOP["height"]
        for i in (1, 2, 3):
            level = slider(page, f"Level of attribute {i}").bounding_box()
            assert level["width"] > 150
            assert level["y"] + level["height"] <= strip["y"]


def test_the_first_state_does_not_contradict_itself(open_page):
    with open_page(PLACE) as page:
        expect(page, *THREE)
        heuristic = orr.inductive(*THREE)
        assert heuristic.epsilon < orr.optimal(*THREE).epsilon  # of another problem
        assert "3.2924" not in page.inner_text("#ex-strip")
        texts = page.locator("#ex-overall text").all_text_contents()
        place = texts.index("At other levels, which the heuristic achieves:")
        names = [text.split()[0] for text in texts if text[0].isalpha()]
        assert names.index("heuristic") > names.index("At")
        assert "heuristic 3.2924" in texts[place:]
        assert f"optimum {orr.optimal([2, 3, 4], heuristic.epsilons).epsilon:.5g}" in texts[place:]
        assert "falls back, and solves another problem: diagnosis got 1.73" in page.inner_text("#ex-overall")


def test_the_map_is_shown_for_two_attributes_only(open_page):
    with open_page(PLACE) as page:
        expect(page, *THREE)
        assert page.locator("#ex-two").is_hidden()
        page.get_by_role("button", name="Show a map").click()
        expect(page, [2, 2], [1, 1])
        assert page.locator("#ex-two").is_visible()
        assert page.get_by_role("button", name="Show a map").is_hidden()
        plan, matrices = (page.locator(f"#ex-{part}").bounding_box() for part in ("map", "matrices"))
        assert matrices["x"] >= plan["x"] + plan["width"]
        assert matrices["y"] < plan["y"] + plan["height"]
        assert page.locator(".ex-scale").is_visible()


def test_no_frontier_is_drawn_that_is_not_known(open_page):
    with open_page(PLACE) as page:
        expect(page, *THREE)
        assert page.locator("#ex-curve").is_visible()
        page.get_by_role("button", name="Twelve answers").click()
        page.get_by_text("this page knows only the ends of the frontier").wait_for()
        assert page.locator("#ex-curve").is_hidden()
        assert page.locator("#ex-slack").is_hidden()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_marks_stand_out(browser, open_page, theme):
    with browser.new_context(color_scheme=theme) as context:
        for place in (COINS, f"{PLACE}#sizes=2,3,4,5,6,7,8,9&levels=1,2,1,2,1,2,1,2"):
            page = open_page(place, context=context)
            shown(page)
            found = page.evaluate(CONTRASTS, MARKS)
            assert len(found) > 30
            assert [(name, ratio) for name, ratio in found if ratio < 3] == []
        page.add_style_tag(content=".ex .dots { stroke-opacity: 0.6 }")
        assert min(ratio for _, ratio in page.evaluate(CONTRASTS, MARKS)) < 3


@pytest.mark.parametrize("width", some_slow([320, 390], 390))
def test_nothing_is_wider_than_a_phone(browser, open_page, width):
    with browser.new_context(viewport={"width": width, "height": 700}) as context:
        page = open_page(
            f"{COINS}&names={'W' * 24},{'m' * 24}&total=2&pin=sizes%3D2,3%26levels%3D1,2", context=context
        )
        shown(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
