"""What the explorer computes besides levels: budgets, errors, two states at once; names; and where."""

import contextlib
import io
import re

import numpy as np
import pytest

import orr
from tests.common import some_slow
from tools.browsing import BOOK, PHONE

from .exploring import NAMES, PLACE, THREE, box, expect, link, shown, slider
from .looks import comes

SPEND = """problems => problems.map(([total, sizes, shares]) => orr("engine").spend(sizes, shares, total))"""
ERRORS = """problems => problems.map(([n, sizes, levels]) => {
    const { errors, problem } = orr("problem");
    return errors(problem(sizes, levels), n);
})"""


@pytest.fixture
def page(open_page):
    with open_page(PLACE) as page:
        expect(page, *THREE)
        yield page


@pytest.fixture(scope="module")
def still(open_page):
    """A page whose modules are called, and nothing else."""
    with open_page(PLACE) as page:
        yield page


TYPED = [
    ("Level of attribute 1", "0,5", "levels=0.5,1.5,2"),
    ("Level of attribute 1", " 1,000 ", "levels=1,1.5,2"),
    ("Level of attribute 2", ",25", "levels=1,0.25,2"),
    ("Slack in per cent", "12,5", "slack=12.5"),
    ("Number of values of attribute 1", "1,000", "sizes=1000,3,4"),
    ("Number of values of attribute 1", "12.000", "sizes=12000,3,4"),
    ("Number of people", "20,000", "people=20000"),
    ("Number of people", "1.000.000", "people=1000000"),
]


@pytest.mark.parametrize(("label", "text", "part"), some_slow(TYPED, *TYPED[1:-1]))
def test_commas_are_read_as_they_are_meant(page, label, text, part):
    box(page, label).fill(text)
    assert page.locator(".ex-error:not(:empty)").count() == 0
    assert part in link(page)


def budgets(seed, number):
    rng = np.random.default_rng(seed)
    for _ in range(number):
        k = rng.integers(2, 7)
        yield 10 ** rng.uniform(-1, 1.5), rng.integers(2, 12, k).tolist(), rng.uniform(0.1, 3, k).tolist()


def check_budgets(found, problems, method="optimal"):
    for levels, (total, sizes, shares) in zip(found, problems, strict=True):
        best = orr.allocate(total, sizes, shares, method=method)
        np.testing.assert_allclose(levels, best.epsilons, rtol=1e-5)
        assert orr.optimal(sizes, levels, rel_gap=1e-9).epsilon <= total * (1 + 1e-8)


def test_a_total_buys_the_levels_of_the_package(still):
    problems = [(4.0, [2, 3, 4], [1, 1.5, 2]), (8.0, [2] * 8, [1] * 8), *budgets(1, 30)]
    check_budgets(still.evaluate(SPEND, problems), problems)


def test_other_levels_than_those_of_the_package_are_caught(still):
    problems = [(4.0, [2, 3, 4], [1, 1.5, 2])]
    with pytest.raises(AssertionError):
        check_budgets(still.evaluate(SPEND, problems), problems, "kronecker")


def test_i_can_spend_8(page):
    page.get_by_role("button", name="I have a total").click()
    assert box(page, "Total to spend").input_value() == "3.44"  # what the levels cost
    box(page, "Total to spend").fill("8")
    page.get_by_text("A total of 8 buys levels of").wait_for()
    best = orr.allocate(8, *THREE)
    found = [float(level) for level in re.findall(r"level ([\d.]+)\s", page.inner_text("#ex-attributes"))]
    np.testing.assert_allclose(found, best.epsilons, rtol=1e-3)
    np.testing.assert_allclose(shown(page)["optimum"], 8, atol=1e-4)
    assert shown(page)["Kronecker"] > 10
    slider(page, "Share of attribute 3").fill("0.5")
    page.wait_for_function("document.querySelector('#ex-code').textContent.includes('[1, 1.5, 0.5]')")
    other = orr.allocate(8, [2, 3, 4], [1, 1.5, 0.5]).epsilons
    assert f"levels of {other[0]:.4g}, {other[1]:.4g} and {other[2]:.4g}." in page.inner_text("#ex-overall")
    assert "levels=1,1.5,0.5&names=smokes,genotype,diagnosis&total=8" in link(page)
    page.get_by_role("button", name="I choose the levels").click()
    expect(page, [2, 3, 4], [float(f"{level:.4g}") for level in other])


def test_a_link_keeps_the_total(open_page):
    with open_page(
        f"{PLACE}#sizes=2,2&levels=1,1&total=1.9459101090932196"
    ) as page:  # log 7, in chapter budget
        page.get_by_text("buys levels of 1.386 and 1.386.").wait_for()  # log 4


def check_errors(found, problems):
    for errors, (n, sizes, levels) in zip(found, problems, strict=True):
        plan = orr.kronecker(sizes, levels).plan(n)
        np.testing.assert_allclose(errors, [row.standard_error for row in plan.one_way], rtol=1e-9)


def test_errors_are_those_of_a_plan(still):
    rng = np.random.default_rng(3)
    problems = [
        (int(10 ** rng.uniform(0, 6)), rng.integers(2, 50, 3).tolist(), rng.uniform(0.05, 9, 3).tolist())
        for _ in range(40)
    ]
    found = still.evaluate(ERRORS, problems)
    check_errors(found, problems)
    with pytest.raises(AssertionError):
        check_errors([[1.01 * error for error in errors] for errors in found], problems)


def test_errors_stand_beside_the_levels(page):
    for people in (1000, 25_000):
        box(page, "Number of people").fill(str(people))
        plan = orr.optimal(*THREE).plan(people)
        expected = [f"± {100 * row.standard_error:.3g} points" for row in plan.one_way]
        page.wait_for_function(
            "n => document.querySelector('#ex-code').textContent.includes(n)", arg=f"({people})"
        )
        assert page.locator(".ex-told").all_inner_texts() == expected
        assert f"Among {people:,} people, a share of smokes is off by {expected[0]}" in page.inner_text(
            "#ex-analyst"
        )
    slider(page, "Number of people").fill("1")
    page.get_by_text("Too few people for").wait_for()
    useless = orr.optimal(*THREE).plan(10).one_way
    assert [row.verdict for row in useless] == ["useless"] * 3
    assert "Too few people for smokes, genotype and diagnosis" in page.inner_text("#ex-analyst")


NASTY = '<img src=x onerror="window.hurt=1"> \'"&amp;'[:24]


def test_attributes_have_names(page, open_page):
    assert page.locator("#ex-overall").inner_text().count("diagnosis") == 1
    box(page, "Name of attribute 3").fill("  drinks\ta lot ")
    page.get_by_text("drinks a lot got 1.73 instead").wait_for()
    for part in ("analyst", "neighbours", "levels"):
        assert "drinks a lot" in page.text_content(f"#ex-{part}"), part
    assert page.get_by_role("group", name="drinks a lot", exact=True).count() == 1
    box(page, "Name of attribute 2").fill("")
    page.wait_for_function("document.querySelector('#ex-analyst').textContent.includes('attribute 2')")
    assert "names=smokes,,drinks%20a%20lot" in link(page)
    with open_page(link(page).split("/")[-1]) as again:
        again.get_by_text("drinks a lot got 1.73 instead").wait_for()
        assert box(again, "Name of attribute 3").input_value() == "drinks a lot"


def test_names_differ(page):
    before = link(page)
    for name in ("smokes", "attribute 1x"):
        box(page, "Name of attribute 3").fill(name)
    assert page.locator(".ex-error:not(:empty)").count() == 0
    box(page, "Name of attribute 1").fill("")
    box(page, "Name of attribute 2").fill("attribute 1")
    page.get_by_text("Name of attribute 2 must differ from the others.").wait_for()
    assert "attribute%201," not in link(page)
    box(page, "Name of attribute 2").fill("genotype")
    assert page.locator(".ex-error:not(:empty)").count() == 0
    assert link(page) != before


def test_names_that_come_back_differ(page):
    count = box(page, "Number of attributes")
    count.fill("2")
    box(page, "Name of attribute 1").fill("diagnosis")
    count.fill("3")
    page.wait_for_function("document.querySelector('#ex-link').value.includes('names=diagnosis,genotype,&')")
    count.fill("2")
    box(page, "Name of attribute 1").fill("attribute 3")
    count.fill("3")
    page.wait_for_function("document.querySelector('#ex-link').value.includes('names=,genotype,&')")


def test_an_attribute_may_be_called_both(open_page):
    with open_page("pages/explorer.html#sizes=2,3&levels=1,2&names=both,two") as page:
        page.locator("#ex-chances table").wait_for()
        assert "NaN" not in page.inner_text("#ex-two")
        assert page.locator("#ex-chances tr", has_text="both flipped").count() == 2


@pytest.mark.parametrize("by", ["typing", "a link"])
def test_a_name_is_never_markup(page, open_page, by):
    if by == "typing":
        box(page, "Name of attribute 3").fill(NASTY)
    else:
        page.evaluate(
            f"location.hash = '#sizes=2,3,4&levels=1,1.5,2&names=,,' + encodeURIComponent({NASTY!r})"
        )
    page.wait_for_function("document.querySelector('#ex-overall').textContent.includes('onerror')")
    page.get_by_role("button", name="Two coins", exact=True).click()
    box(page, "Name of attribute 1").fill(NASTY)
    page.wait_for_function("document.querySelector('#ex-case').textContent.includes('onerror')")
    page.get_by_role("button", name="Pin this state").click()
    page.locator("#ex-pins table").wait_for()
    assert page.locator("#explorer img").count() == 0
    assert page.evaluate("window.hurt") is None
    page.locator("#ex-map svg").evaluate("svg => svg.ariaLabel")
    assert "onerror" in page.locator("#ex-map svg").get_attribute("aria-label")


def run(code):
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(code, {})
    return output.getvalue()


def test_python_knows_the_names(page):
    for i, name in enumerate(['say "yes"', "back\\slash", "ümlaut 😀"], 1):
        box(page, f"Name of attribute {i}").fill(name)
    page.wait_for_function("document.querySelector('#ex-code').textContent.includes('😀')")
    printed = run(page.inner_text("#ex-code"))
    assert '<Certified: say "yes", back\\slash, ümlaut 😀; overall level 3.4448' in printed
    assert "Plan for 1,000 people" in printed


def pinned(page):
    page.locator("#ex-pins table").wait_for()
    rows = [row.split("\t") for row in page.inner_text("#ex-pins table").splitlines()]
    return {name: values for name, *values in rows}


def test_two_states_side_by_side(page, open_page):
    page.get_by_role("button", name="Pin this state").click()
    assert pinned(page)["optimum"] == ["3.4448", "3.4448"]
    assert "costs as much as in the pinned state" in page.inner_text("#ex-pins")
    box(page, "Number of attributes").fill("2")
    expect(page, [2, 3], [1, 1.5])
    rows = pinned(page)
    best, before = orr.optimal([2, 3], [1, 1.5], rel_gap=1e-9), orr.optimal(*THREE, rel_gap=1e-9)
    assert rows["values"] == ["2, 3", "2, 3, 4"]
    assert rows["Kronecker"] == ["2.5", "4.5"]
    assert rows["heuristic"] == [f"{orr.inductive([2, 3], [1, 1.5]).epsilon:.5g}", "other levels"]
    assert rows["optimum"] == [f"{best.epsilon:.5g}", "3.4448"]
    assert rows["neighbour ratio, at most"] == [
        f"{(mechanism.neighbour_epsilons / mechanism.epsilons).max():.3g}" for mechanism in (best, before)
    ]
    gap = before.epsilon - best.epsilon
    assert f"The optimum now costs {gap:.3g} less than in the pinned state" in page.inner_text("#ex-pins")
    with open_page(link(page).split("/")[-1]) as again:
        expect(again, [2, 3], [1, 1.5])
        assert pinned(again) == rows
    page.get_by_role("button", name="Swap the two").click()
    expect(page, *THREE)
    assert pinned(page) == {name: values[::-1] for name, values in rows.items() if name != "state"} | {
        "state": ["now", "pinned"]
    }
    page.get_by_role("button", name="Unpin").click()
    page.wait_for_function("!document.querySelector('#ex-pins table')")
    assert "pin=" not in link(page)
    page.go_back()
    assert pinned(page)["Kronecker"] == ["4.5", "2.5"]


HOLD = """() => {
    const [own, held] = [onmessage, []];
    onmessage = message => held.push(message);
    globalThis.release = () => { onmessage = own; held.forEach(own); };
}"""


def test_the_page_does_not_wait_for_what_is_computed(page):
    """While the worker does not answer, sliders move and the last results stay; then the latest is shown."""
    (worker,) = page.workers
    before = page.inner_text("#ex-strip")
    worker.evaluate(HOLD)
    for level in (2.2, 2.4, 2.6):
        slider(page, "Level of attribute 1").fill(str(level))
    assert box(page, "Level of attribute 1").input_value() == "2.6"
    assert page.inner_text("#ex-strip") == before
    assert page.locator("#ex-strip").get_attribute("aria-busy") == "true"
    busy = page.locator("#ex-strip").evaluate("e => getComputedStyle(e, '::after').content")
    assert busy == '"computing…"'
    worker.evaluate("release()")
    expect(page, [2, 3, 4], [2.6, 1.5, 2])
    assert page.locator("#ex-strip").get_attribute("aria-busy") == "false"


# There is no worker; it cannot start; it breaks later.
BROKEN = {
    "none": "delete window.Worker",
    "refused": "window.Worker = class { constructor() { throw new Error('no') } }",
    "broken": "const Real = Worker; window.Worker = class extends Real {"
    "constructor() { super('data:text/javascript,throw 1') } }",
}


@pytest.mark.parametrize("script", some_slow(BROKEN.values(), BROKEN["none"], BROKEN["refused"]), ids=BROKEN)
def test_without_a_worker_the_numbers_are_the_same(browser, address, script):
    with browser.new_context() as context:
        page = context.new_page()
        page.add_init_script(script)
        page.goto(f"{address}/{PLACE}")
        expect(page, *THREE)
        assert comes(page, lambda: not page.workers)  # one that is broken has an end
        slider(page, "Level of attribute 1").fill("3")
        expect(page, [2, 3, 4], [3, 1.5, 2])


def test_from_a_disk_there_is_a_worker_too(browser):
    with browser.new_context() as context:
        page = context.new_page()
        page.goto((BOOK / PLACE).as_uri())
        expect(page, *THREE)
        assert len(page.workers) == 1


def test_challenges_are_ticked_when_met(page):
    tasks = page.locator("#ex-tasks li")
    done = page.locator("#ex-tasks li[data-done]")
    assert tasks.count() == 3
    assert done.count() == 0
    page.get_by_role("button", name="Free rider").click()
    page.wait_for_function("document.querySelectorAll('#ex-tasks li')[1].dataset.done === ''")
    page.get_by_role("button", name="Ten SNPs").click()
    page.wait_for_function("document.querySelectorAll('#ex-tasks li')[0].dataset.done === ''")
    assert done.count() == 2
    box(page, "Slack in per cent").fill("5")
    page.wait_for_function("document.querySelectorAll('#ex-tasks li')[2].dataset.done === ''")


LOOKS = [("light", None), ("dark", None), ("light", PHONE), ("dark", PHONE)]


@pytest.mark.parametrize(("theme", "size"), some_slow(LOOKS, *LOOKS[:3]))
def test_axe_finds_nothing_with_all_at_once(browser, open_page, axe, theme, size):
    place = "sizes=2,3&levels=1,1.5&names=smokes&total=2&pin=sizes%3D2,3,4%26levels%3D1,1.5,2"
    with browser.new_context(color_scheme=theme, viewport=size, reduced_motion="reduce") as context:
        page = open_page(f"{PLACE}#{place}", context=context)
        shown(page)
        box(page, "Name of attribute 2").fill("smokes")
        found = axe.run(page, context="#explorer").response["violations"]
        assert [rule["id"] for rule in found] == []


def test_names_of_the_first_example(page):
    assert [box(page, f"Name of attribute {i}").input_value() for i in (1, 2, 3)] == NAMES
