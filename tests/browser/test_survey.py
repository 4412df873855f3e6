"""The live survey: one file, opened from a disk without a network, counts and reads what a room said.

This file is long because it has a test for each thing that a lecturer can do on one page.
"""

import csv
import io
import re
from itertools import product
from math import ceil, exp, log, sqrt

import numpy as np
import pypdf
import pytest

import orr
from orr_release import Release
from tests.chance import EACH
from tests.common import some_slow
from tools import survey
from tools.browsing import BOOK, PHONE, WIDE

from .keeping import come_back, unless_forgotten
from .looks import comes
from .test_pages import violations

HEAD = ["round", "first", "second", "count"]
ONE = [("yes", ""), ("no", "")]
TWO = [("yes", "yes"), ("yes", "no"), ("no", "yes"), ("no", "no")]
ROUNDS = {"one": ONE, "apart": TWO, "together": TWO}
TABS = {"one": "One question", "apart": "Two, flipped apart", "together": "Two, flipped together"}
KEYS = {"one": "yn", "apart": "1234", "together": "1234"}
ZEROS = {name: [0] * len(rows) for name, rows in ROUNDS.items()}
WORDS = {
    "tell the truth": lambda truth: truth,
    "say the opposite of the truth": lambda truth: {"yes": "no", "no": "yes"}[truth],
    "say “yes”": lambda truth: "yes",
    "say “no”": lambda truth: "no",
}
FIXED_COINS = """Crypto.prototype.getRandomValues = array => {
    array.set(window.bits);
    return array;
}"""
NO_STORAGE = (
    "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('', 'SecurityError') } })"
)


MECHANISMS = {
    "one": orr.kronecker([2], [log(3)]),
    "apart": orr.kronecker([2, 2], [log(3)] * 2),
    "together": orr.two_attribute([2, 2], [log(3)] * 2),
}


def added(name):
    """Return what a person with each truth (columns) adds to the variance of each estimated cell (rows)."""
    chance = MECHANISMS[name].matrix()
    return np.linalg.inv(chance) ** 2 @ chance - np.eye(len(chance))


def estimates(name, counts):
    """Return each cell's estimate and its variance, which is no less than whoever answered must add."""
    truth = np.linalg.inv(MECHANISMS[name].matrix()) @ counts
    return [*zip(truth, np.maximum(added(name) @ truth, added(name).min() * sum(counts)), strict=True)]


def table(name, counts):
    """Return all that the page shows of a round, as (estimate, variance), in the order of the page."""
    if name == "one":
        return estimates("one", counts)[:1]
    a, b, c, d = counts
    cells = estimates(name, counts)
    first, second = estimates("one", [a + b, c + d]), estimates("one", [a + c, b + d])
    return [*cells[:2], first[0], *cells[2:], first[1], *second]


@pytest.mark.parametrize("name", ROUNDS)
def test_the_estimates_here_are_those_of_the_package(name):
    counts = np.random.default_rng(4).integers(9, 40, len(ROUNDS[name]))
    shape = (2,) * len(MECHANISMS[name].sizes)
    package = Release(MECHANISMS[name]).estimate(counts.reshape(shape), range(len(shape)), counts=True)
    values, variances = np.transpose(estimates(name, counts))
    np.testing.assert_allclose(package.counts.ravel(), values, atol=1e-9)
    np.testing.assert_allclose(package.standard_errors.ravel() ** 2, variances, atol=1e-9)
    np.testing.assert_allclose(MECHANISMS[name].flip_probabilities, 1 / 4)


# The page.


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """Make the page, with nothing beside it."""
    return survey.build(tmp_path_factory.mktemp("stick") / "survey.html")


@pytest.fixture
def visit(browser, alone):
    """Return a function that opens the page from the disk, with no network; complaints fail the test."""
    contexts, heard = [], []

    def visit(path=alone, script=None, complaints=heard, **options):
        options = {"viewport": WIDE, "reduced_motion": "reduce", "offline": True} | options
        contexts.append(context := browser.new_context(**options))
        if script:
            context.add_init_script(script)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda said: complaints.append(said.text))
        page.on("request", lambda request: request.url.startswith("data:") or asked.append(request.url))
        asked = []
        page.goto(path.as_uri())
        assert asked == [path.as_uri()]
        return page

    yield visit
    for context in contexts:
        context.close()
    assert heard == []


def counted(page):
    """Return the counts in the boxes of all rounds."""
    script = (
        "name => [...document.querySelectorAll(`#${name} .tally [inputmode]`)].map(box => Number(box.value))"
    )
    return {name: page.evaluate(script, name) for name in ROUNDS}


def shown(page, name):
    """Return the numbers of a round, to their last digit."""
    return page.evaluate(
        "name => [...document.querySelectorAll(`#${name} .drawn data`)].map(e => Number(e.value))", name
    )


def turn(page, name):
    page.get_by_role("radio", name=TABS[name]).check()


def write(counts):
    lines = [
        f"{name},{first},{second},{count}"
        for name, rows in ROUNDS.items()
        for (first, second), count in zip(rows, counts[name], strict=True)
    ]
    return "\n".join([",".join(HEAD), *lines]) + "\n"


def put(page, text, name="survey.csv"):
    """Open a file, and return what the page says to it."""
    note = page.locator("#note")
    note.evaluate("note => note.textContent = ''")
    page.set_input_files("#open", {"name": name, "mimeType": "text/csv", "buffer": text.encode()})
    note.filter(has_text=name).wait_for()
    return note.inner_text()


def saved(page, press):
    with page.expect_download() as download:
        press()
    assert download.value.suggested_filename == "survey.csv"
    return download.value.path().read_text("utf-8")


def rooms(number, seed=7):
    """Return random counts, from a handful of people to a large hall, and some that are all alike."""
    rng = np.random.default_rng(seed)
    for i in range(number):
        high = int(10 ** rng.uniform(0.3, 3))
        yield {
            name: (
                rng.integers(0, high, len(rows)) * rng.integers(0, 2 if i % 3 == 0 else 9, len(rows))
            ).tolist()
            for name, rows in ROUNDS.items()
        }


def check_estimates(page):
    for counts in rooms(40):
        put(page, write(counts))
        assert counted(page) == counts
        for name in ROUNDS:
            values, variances = np.transpose(table(name, counts[name]))
            found = shown(page, name)
            np.testing.assert_allclose(found[::2], values, rtol=1e-12, atol=1e-9)
            np.testing.assert_allclose(found[1::2], np.sqrt(variances), rtol=1e-9, atol=1e-9)


def test_estimates_are_those_of_the_package(visit):
    check_estimates(visit())


def check_tosses(page):
    """Every toss or draw that the page makes, with what it orders, is the mechanism."""
    for how, name in product(("Coins", "Cards"), ROUNDS):
        page.get_by_role("radio", name=how).check()
        turn(page, name)
        page.locator(f"#{name} details").evaluate("box => box.open = true")
        button, output = (page.locator(f"#{name} .own {part}") for part in ("button", "output"))
        length = {"one": 2, "apart": 4, "together": 3}[name]
        found = {}
        for bits in product((0, 1), repeat=length):
            page.evaluate("bits => window.bits = bits", bits)
            button.click()
            orders = re.search(r"\. Now (.*)\.$", output.inner_text())[1].split("; then ")
            for truth in ROUNDS[name]:
                asked = [answer for answer in truth if answer]
                said = [WORDS[order](answer) for order, answer in zip(orders, asked, strict=True)]
                released = (*said, "")[:2]
                found[released, truth] = found.get((released, truth), 0) + 1 / 2**length
            button.click()
            assert output.inner_text() == ""
        rows = ROUNDS[name]
        chances = [[found.get((u, v), 0) for v in rows] for u in rows]
        np.testing.assert_allclose(chances, MECHANISMS[name].matrix(), atol=1e-12)


def test_coins_and_cards_are_the_mechanisms(visit):
    check_tosses(visit(script=FIXED_COINS))


@pytest.mark.statistical
def test_tosses_come_from_the_source_of_keys(visit):
    page = visit(script="Math.random = () => { throw Error('not for this') }")
    page.get_by_text("No coins, no cards?").first.click()
    button = page.get_by_role("button", name="Toss for me")
    found = set()
    for _ in range(ceil(log(EACH / 4) / log(0.75))):  # one of four pairs of coins may be missing
        button.click()
        found.add(page.locator("#one output").inner_text())
        page.get_by_role("button", name="Hide").click()
    assert len(found) == 4


MUTANTS = {
    "the pair factor": (check_estimates, "pair: 1 / 2", "pair: 1 / 4"),
    "estimates cut off": (check_estimates, "    value: sum(", "    value: clip("),
    "errors": (check_estimates, "w[i] ** 2 - w[i]", "w[i] ** 2"),
    "the floor of errors": (check_estimates, "least: 9 / 16", "least: 0"),
    "the order of questions": (check_estimates, "question ? [a + c", "!question ? [a + c"),
    "a coin": (check_tosses, "(first ? ", "(second ? "),
    "a suit": (check_tosses, "a && b ?", "a ?"),
    "a card": (check_tosses, '7: ["truth", "opposite"]', '7: ["truth", "truth"]'),
}


@pytest.mark.parametrize("mutant", some_slow(MUTANTS, *(set(MUTANTS) - {"the pair factor", "a coin"})))
def test_a_wrong_number_is_caught(visit, alone, tmp_path, mutant):
    check, old, new = MUTANTS[mutant]
    text = alone.read_text("utf-8")
    assert text.count(old) == 1
    spoilt = tmp_path / "survey.html"
    spoilt.write_text(text.replace(old, new), "utf-8")
    page = visit(
        spoilt, script=f"{FIXED_COINS}; window.clip = xs => Math.max(0, xs.reduce((a, b) => a + b, 0))"
    )
    with pytest.raises(AssertionError):
        check(page)


def test_the_levels_are_those_of_the_package(visit):
    page = visit()
    rows = page.locator(".levels tbody tr").all()
    found = [[cell.inner_text() for cell in row.locator("td").all()] for row in rows]
    apart, together = MECHANISMS["apart"], MECHANISMS["together"]
    levels = [
        [MECHANISMS["one"].epsilons[0], *(m.epsilons.max() for m in (apart, together))],
        [None, apart.epsilon, together.epsilon],
        [None, *(m.neighbour_epsilons.max() for m in (apart, together))],
    ]
    assert found == [["\N{EN DASH}" if e is None else f"{exp(e):.6g}" for e in row] for row in levels]
    rho = [Release(m).estimate(np.full((2, 2), 10), [0, 1], counts=True).rho[0, 1] for m in (together, apart)]
    costs = [added(name)[0].mean() for name in ("apart", "together")]  # with all four pairs equally common
    np.testing.assert_allclose([*rho, costs[0] / costs[1]], [1 / 2, 1 / 4, 7 / 3])
    said = page.inner_text(".levels")
    for words in ("log 3, log 9, log 5", "1/2 of itself, flipped apart to 1/4", "takes 7/3"):
        assert words in said


def test_the_book_has_the_page(address, alone):
    assert (BOOK / "survey.html").read_text("utf-8") == alone.read_text("utf-8")


# By keyboard alone, from the first Tab to the file.

FOCUSED = """() => {
    const { activeElement: here } = document;
    const marked = here.matches("[type=radio], [type=file]") ? here.parentElement : here;
    const { outlineStyle, outlineWidth } = getComputedStyle(marked);
    return {
        name: here.ariaLabel ?? here.labels?.[0]?.innerText ?? here.innerText,
        seen: outlineStyle === "solid" && parseFloat(outlineWidth) >= 2,
    };
}"""


def tab(page, name, key="Tab"):
    """Press Tab until something with this name has the focus, which must always be seen."""
    for _ in range(40):
        page.keyboard.press(key)
        here = page.evaluate(FOCUSED)
        assert here["seen"], here
        if here["name"].startswith(name):
            return
    pytest.fail(f"Tab does not lead to {name}")


def test_a_survey_by_keyboard_alone(visit):
    page = visit()
    keys = page.keyboard
    tab(page, "One question")
    tab(page, "Question")
    keys.press("Control+a")
    keys.type("Any? Yes 1 u")  # which counts nothing
    assert counted(page) == ZEROS
    tab(page, "yes")
    keys.press("Enter")
    keys.press("Space")
    for key in "yYnyuu":
        keys.press(key)
    keys.press("Control+y")
    assert counted(page)["one"] == [4, 0]
    tab(page, "How many said no")
    keys.type("7")
    keys.press("Enter")
    tab(page, "One question", "Shift+Tab")
    keys.press("ArrowRight")
    for key in "1123":
        keys.press(key)
    keys.press("ArrowRight")
    for key in "44444u":
        keys.press(key)
    assert page.locator("#together").is_visible()
    tab(page, "Save survey.csv")
    text = saved(page, lambda: keys.press("Enter"))
    assert text == write({"one": [4, 7], "apart": [2, 1, 1, 0], "together": [0, 0, 0, 4]})
    assert page.locator("[data-question=one]").input_value() == "Any? Yes 1 u"


def test_keys_can_be_switched_off_and_do_not_repeat(visit):
    page = visit()
    page.evaluate(
        "document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'y', repeat: true, bubbles: true }))"
    )
    page.get_by_role("checkbox", name="count by keys").uncheck()
    page.keyboard.press("y")
    assert counted(page) == ZEROS
    turn(page, "apart")
    assert not page.get_by_role("checkbox", name="count by keys").is_checked()
    page.get_by_role("checkbox", name="count by keys").check()
    page.keyboard.press("4")
    assert counted(page)["apart"] == [0, 0, 0, 1]


def test_a_survey_by_touch(visit):
    page = visit(viewport=PHONE, has_touch=True, is_mobile=True)
    for name, answer, times in (("one", "yes", 3), ("apart", "no, yes", 2), ("together", "no, no", 1)):
        page.locator("header").get_by_text(TABS[name]).tap()
        for _ in range(times):
            page.locator(f"#{name}").get_by_role("button", name=answer).tap()
    counts = {"one": [3, 0], "apart": [0, 0, 2, 0], "together": [0, 0, 0, 1]}
    assert comes(page, lambda: counted(page) == counts)


# What it says.

IMPOSSIBLE = "is impossible: that is noise. Cut off, estimates would be too"
SENTENCES = {
    (27, 13): "27 of 40 said yes. About 34.0 of the 40 would in truth, give or take 5.5: "
    "85%, give or take 14 points. Who these are, nobody can tell.",
    (2, 38): "2 of 40 said yes. About \N{MINUS SIGN}16.0 of the 40 would in truth, give or take 5.5: "
    f"\N{MINUS SIGN}40%, give or take 14 points. Fewer than nobody {IMPOSSIBLE} high on average.",
    (40, 0): "40 of 40 said yes. About 60.0 of the 40 would in truth, give or take 5.5: "
    f"150%, give or take 14 points. More than everybody {IMPOSSIBLE} low on average.",
    (0, 0): "No answers yet.",
}


def test_a_sentence_reads_the_result(visit):
    page = visit()
    for counts, words in SENTENCES.items():
        put(page, write(ZEROS | {"one": counts}))
        assert page.locator("#one [role=status]").inner_text() == words
    put(page, write(ZEROS | {"together": [14, 9, 3, 14]}))
    turn(page, "together")
    assert page.locator("#together .words").inner_text() == (
        "14 of 40 said yes twice. About 18.0 would in truth, give or take 5.1. "
        "What is below 0 is noise, and stays: cut off, it would be too high on average."
    )


def test_the_halves_of_the_room_are_compared(visit):
    page = visit()
    counts = ZEROS | {"apart": [8, 5, 3, 4]}
    put(page, write(counts))
    assert page.inner_text("#comparison") == ""
    counts["together"] = [9, 6, 1, 8]
    put(page, write(counts))
    errors = [np.sqrt(np.array(estimates(name, counts[name]))[:, 1]).mean() for name in ("apart", "together")]
    assert page.inner_text("#comparison") == (
        f"In this room a cell of the table is uncertain by {errors[0]:.1f} people flipped apart, where 20 "
        f"answered, and by {errors[1]:.1f} people flipped together, where 24 answered."
    )


def test_questions_can_be_chosen_and_changed(visit):
    page = visit()
    turn(page, "apart")
    page.locator("#apart select").select_option(index=2)
    page.locator("#apart [data-question=first]").fill("<img src=x onerror=alert(1)> Why?")
    turn(page, "together")
    asked = [box.input_value() for box in page.locator("#together textarea").all()]
    assert asked == ["<img src=x onerror=alert(1)> Why?", "Have you ever been caught doing that?"]
    assert page.locator("img").count() == 0
    assert page.locator("#one textarea").input_value() == "Did you have breakfast today?"


# Counts: undone, typed, refused.


def test_every_change_can_be_undone_where_it_was_made(visit):
    page = visit()
    page.keyboard.press("n")
    turn(page, "together")
    page.get_by_role("textbox", name="How many said yes, no").fill("12")
    page.keyboard.press("Tab")
    put(page, write(ZEROS | {"apart": [1, 2, 3, 4]}))
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Start again").click()
    assert counted(page) == ZEROS
    undo = page.locator(".undo:visible")
    undo.click()
    assert counted(page) == ZEROS | {"apart": [1, 2, 3, 4]}
    undo.click()
    assert counted(page) == ZEROS | {"one": [0, 1], "together": [0, 12, 0, 0]}
    undo.click()
    undo.click()
    assert counted(page) == ZEROS
    assert page.locator("#one").is_visible()
    assert undo.is_disabled()


def test_nothing_is_reset_unless_confirmed_and_a_button_prints(visit):
    page, asked = visit(script="window.print = () => { window.printed = true }"), []
    page.keyboard.press("y")
    page.on("dialog", lambda dialog: asked.append(dialog.message) or dialog.dismiss())
    page.get_by_role("button", name="Start again").click()
    page.get_by_role("button", name="Print the tally sheet").click()
    assert page.evaluate("window.printed")
    assert asked == ["Set all ten counts to 0?"]
    assert counted(page)["one"] == [1, 0]


def test_what_is_no_count_is_refused(visit):
    page = visit()
    page.keyboard.press("y")
    box = page.get_by_role("textbox", name="How many said yes")
    for times, typed in enumerate(["-3", "2.5", "many", "", "1e3"], 1):
        box.fill(typed)
        box.press("Tab")
        assert box.get_attribute("aria-invalid") == "true"
        assert f"“{typed}” is no whole number" in page.inner_text("#note")
        page.get_by_role("button", name="no").click()
        assert counted(page)["one"] == [1, times]
        assert not box.get_attribute("aria-invalid")


# The file: header, rows and counts are fixed, since assignment 1 reads it.


def test_the_file_has_every_row_once(visit):
    page = visit()
    counts = {"one": [27, 13], "apart": [1, 0, 2, 3], "together": [14, 9, 3, 14]}
    put(page, write(counts))
    text = saved(page, page.get_by_role("button", name="Save survey.csv").click)
    head, *rows = csv.reader(io.StringIO(text, newline=""))
    assert head == HEAD
    assert [tuple(row[:3]) for row in rows] == [(name, *row) for name in ROUNDS for row in ROUNDS[name]]
    assert [int(row[3]) for row in rows] == [*counts["one"], *counts["apart"], *counts["together"]]
    assert text == write(counts)
    other = visit()
    assert put(other, text) == "The counts are those of survey.csv."
    assert counted(other) == counts
    put(other, write(ZEROS))
    head, *lines = text.split()
    put(other, "\ufeff" + "\r\n".join([head, *reversed(lines), ""]))  # as a spreadsheet saves it
    assert counted(other) == counts


FINE = write(ZEROS | {"one": [5, 6]})
BAD = {
    "nothing": ("", "The first line must be round,first,second,count."),
    "no header": (FINE.partition("\n")[2], "The first line must be"),
    "a row too few": (FINE.replace("apart,no,yes,0\n", ""), "The row apart,no,yes is missing."),
    "a row twice": (FINE + "one,yes,,5\n", "Line 12 has come before: one,yes,,5"),
    "another round": (FINE.replace("apart", "alone", 1), "Line 4 is no row of a survey: alone,yes,yes,0"),
    "a round of JavaScript": (FINE + "constructor,yes,,5\n", "Line 12 is no row of a survey"),
    "another answer": (FINE.replace("one,no,", "one,maybe,"), "Line 3 is no row of a survey"),
    "a second answer to one question": (FINE.replace("one,no,,", "one,no,yes,"), "Line 3 is no row"),
    "a negative count": (FINE.replace(",6", ",-6"), "Line 3 has no whole number from 0 to 9999 at its end"),
    "half a person": (FINE.replace(",6", ",6.5"), "Line 3 has no whole number"),
    "no count": (FINE.replace(",6", ","), "Line 3 has no whole number"),
    "a column too many": (FINE.replace(",6", ",6,7"), "Line 3 has no whole number"),
}


def test_another_file_is_refused_and_changes_nothing(visit):
    page = visit()
    page.keyboard.press("y")
    before = counted(page)
    for kind, (text, message) in BAD.items():
        said = put(page, text, "<b>my</b>.csv")
        assert said.startswith("<b>my</b>.csv was not opened. "), kind
        assert message in said
        assert counted(page) == before


# What the browser keeps.


@unless_forgotten
def test_counts_survive_a_reload(visit):
    page = visit()
    turn(page, "together")
    page.get_by_role("radio", name="Cards").check()
    page.keyboard.press("3")
    page.locator("#together textarea").first.fill("Kept?")
    come_back(page, page.reload)
    assert page.locator("#together").is_visible()
    assert page.get_by_role("radio", name="Cards").is_checked()
    assert counted(page)["together"] == [0, 0, 1, 0]
    assert page.locator("#together textarea").first.input_value() == "Kept?"
    assert not page.locator("#unkept").is_visible()


def test_a_browser_may_refuse_to_keep_anything(visit):
    page = visit(script=NO_STORAGE)
    page.keyboard.press("y")
    assert shown(page, "one")[0] == 1.5
    assert "keeps nothing: save survey.csv" in page.inner_text("#unkept")
    assert saved(page, page.get_by_role("button", name="Save survey.csv").click) == write(
        ZEROS | {"one": [1, 0]}
    )


def test_what_another_page_kept_does_no_harm(visit):
    for kept in ("no JSON", "{}", '{"round":"two","how":"coins"}', "null"):
        page = visit(script=f"localStorage.setItem('orr-survey', {kept!r})")
        page.keyboard.press("y")
        assert counted(page) == ZEROS | {"one": [1, 0]}
        assert page.locator("#one textarea").input_value() == "Did you have breakfast today?"


def test_the_page_forbids_itself_the_network(visit):
    script = """() => new Promise(done => {
        addEventListener("securitypolicyviolation", event => done(event.effectiveDirective));
        fetch("https://example.org/").catch(() => {});
    })"""
    complaints = []
    assert visit(complaints=complaints).evaluate(script) == "connect-src"
    assert all("example.org" in complaint for complaint in complaints)  # Chromium's, about the same


# What is seen: on a wide screen and a phone, in light and dark, and on paper.


TOO_WIDE = """() => [...document.querySelectorAll("body *")]
    .filter(e => e.getBoundingClientRect().right > innerWidth).map(e => e.outerHTML.slice(0, 80))"""


@pytest.mark.parametrize("theme", some_slow(["light", "dark"], "light"))
@pytest.mark.parametrize("size", some_slow([WIDE, PHONE], WIDE), ids=["wide", "phone"])
def test_everybody_can_use_it(visit, axe, size, theme):
    page = visit(viewport=size, color_scheme=theme)
    put(page, write({"one": [9999, 0], "apart": [0, 0, 0, 9999], "together": [14, 9, 3, 14]}))
    page.locator("details").evaluate_all("boxes => boxes.forEach(box => { box.open = true })")
    for how, name in product(("Coins", "Cards"), ROUNDS):
        page.get_by_role("radio", name=how).check()
        turn(page, name)
        assert violations(axe, page) == set()
        assert page.evaluate(TOO_WIDE) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("size", some_slow(["A4", "Letter"], "Letter"))
@pytest.mark.parametrize("how", some_slow(["Coins", "Cards"], "Coins"))
def test_the_tally_sheet_is_one_page(visit, how, size):
    page = visit(color_scheme="dark")
    page.get_by_role("radio", name=how).check()
    page.keyboard.press("y")
    page.locator("#one select").select_option(index=3)
    page.get_by_role("radio", name=TABS["apart"]).check()
    page.locator("#apart [data-question=second]").fill("As long a question as a room will read? " * 3)
    (sheet,) = pypdf.PdfReader(io.BytesIO(page.pdf(format=size))).pages
    text = " ".join(sheet.extract_text().split())
    for words in (*TABS.values(), "cheat in an exam", "Nobody has to take part"):
        assert words.rpartition(", ")[2] in text
    assert text.count("total") >= 10
    assert text.count("yes, yes") == 2
    assert ("spade" in text) == (how == "Cards")
    assert ("tails" in text) == (how == "Coins")
    assert "Save" not in text


def test_the_numbers_of_the_readme():
    text = (survey.PARTS / "README.md").read_text("utf-8")
    rows = re.findall(r"^\| (\d+) \| ([\d.]+) \| (\d+) \|$", text, re.MULTILINE)
    assert len(rows) == 5
    for n, people, points in rows:
        ((_, variance), _) = estimates("one", [int(n), 0])
        assert (people, points) == (f"{sqrt(variance):.1f}", f"{100 * sqrt(variance) / int(n):.0f}")
    assert "twice the number of yes, less half the number of people" in text
    assert estimates("one", [27, 13])[0][0] == pytest.approx(2 * 27 - 40 / 2)
