"""The explorer, used as a reader does: fields by their labels, numbers as they are shown."""

import re
from pathlib import Path

import pytest

import orr

from .looks import PAGES

PLACE = f"{PAGES}explorer.html"
SOURCE = Path(__file__).parents[2] / f"{PAGES}explorer.md"
THREE = ([2, 3, 4], [1, 1.5, 2])
NAMES = ["smokes", "genotype", "diagnosis"]
PARTS = ("overall", "pins", "two", "analyst", "neighbours", "frontier", "shape")
# The copied Python names the sizes as a list, or with names.
SHOWS = """([sizes, levels]) => {
    const code = document.querySelector("#ex-code").textContent;
    const [, found] = code.match(/sizes = (.*)/) ?? [];
    const numbers = found?.startsWith("[") ? found.match(/\\d+/g) : found?.match(/(?<=": )\\d+/g);
    return String(numbers) === String(sizes) && code.includes(`levels = [${levels.join(", ")}]`);
}"""
# The last example is what attributes that were taken away come back with, the first one is shown at first.
RESET = """() => {
    const states = [...document.querySelectorAll("#ex-presets button")].map(e => e.dataset.state);
    for (const fold of document.querySelectorAll("#explorer details")) fold.open = false;
    document.activeElement.blur();
    scrollTo(0, 0);
    location.hash = states.at(-1);
    return new Promise(done => setTimeout(() => {
        location.hash = states[0];
        setTimeout(done);
    }));
}"""


def box(page, label):
    return page.get_by_role("textbox", name=label, exact=True)


def slider(page, label):
    return page.get_by_role("slider", name=label, exact=True)


def press(page, name):
    page.get_by_role("button", name=name, exact=True).click()


def link(page):
    return box(page, "A link to this page as it is now").input_value()


def go(page, part):
    """Go to a state as a link within the page does."""
    page.evaluate("part => { location.hash = part; }", part)


def again_at(address):
    """Return where a link to the explorer leads, in the book that is open."""
    return f"{PLACE}#{address.partition('#')[2]}"


def until(page, part, words):
    """Wait until a part of the explorer has some words, and return all of them."""
    page.wait_for_function(
        "([part, words]) => document.querySelector(`#ex-${part}`).textContent.includes(words)",
        arg=[part, words],
    )
    return page.text_content(f"#ex-{part}")


def shown(page):
    """Return the overall levels that the page shows once all is computed, by method."""
    page.wait_for_function(
        "document.querySelector('#ex-strip').ariaBusy === 'false'"
        "&& document.querySelector('#ex-frontier p').textContent !== '…'"
    )
    results = "".join(page.inner_html(f"#ex-{part}") for part in PARTS)
    assert not re.search(r"NaN|Infinity|undefined|\[object", results)
    text = page.inner_text("#ex-strip")
    return {
        method: float(level.replace(",", "")) for method, level in re.findall(r"(\w+)\s+(\d[\d.,e+-]*)", text)
    }


def levels_of(sizes, levels):
    """Return what the page should show: the heuristic only where it solves the same problem."""
    heuristic = orr.inductive(sizes, levels)
    expected = {
        "Kronecker": orr.kronecker(sizes, levels).epsilon,
        "heuristic": heuristic.epsilon,
        "optimum": orr.optimal(sizes, levels, rel_gap=1e-9).epsilon,
        "floor": orr.information_floor(sizes, levels),
    }
    if heuristic.fell_back.any():
        del expected["heuristic"]
    return expected


def expect(page, sizes, levels):
    """Wait until the page shows a problem, and compare its levels with the package."""
    page.wait_for_function(SHOWS, arg=[sizes, levels])
    assert shown(page) == pytest.approx(levels_of(sizes, levels), rel=6e-5)  # five digits


def reset(page):
    """Bring a page back to its first state."""
    page.mouse.move(0, 0)
    page.evaluate(RESET)
    expect(page, *THREE)
    assert box(page, "Slack in per cent").input_value() == "10"


def plane_of(page):
    """Return the box of the map's plane, in one look: it may be drawn anew between two."""
    return page.evaluate("document.querySelector('#ex-map image').getBoundingClientRect().toJSON()")
