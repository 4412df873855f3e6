"""Every page is complete, quiet and accessible, wide and on a phone, in light colours and in dark ones."""

import pytest

from tests.common import some_slow
from tools.browsing import pages

from .looks import LOOKS, OPPOSITE, PAGES, comes, settle

# Each gives the elements, or words, that are not as they should be.
CHECKS = {
    "formulas": """[
        ...all(".math").filter(e => !e.querySelector("mjx-container")),
        ...all("mjx-merror, mjx-mtext[style*=red]"),
    ]""",
    "cut formulas": """[
        ...all("article div.math mjx-container")
            .filter(e => innerWidth > 1000 && e.scrollWidth > e.clientWidth + 1),
        ...all("article span.math mjx-math > *").filter(e => e.checkVisibility() && !e.closest("table")
            && e.getBoundingClientRect().right > e.closest(LINE).getBoundingClientRect().right + 1),
    ]""",
    "raw formulas": r"[document.title, ...texts()].filter(text => /\$|\\[a-z([]/i.test(text))",
    "images": r"""all("img, .drawing").filter(e => {
        const said = e.alt ?? e.getAttribute("aria-label") ?? "";
        const decorates = e.getAttribute("alt") === "" && !e.closest(".cell_output, figure");
        const least = e.closest("article") ? 3 : 1; // words; the theme's buttons have logos
        return !decorates && (said.split(/\s+/).filter(Boolean).length < least
            || /\.(png|svg|jpe?g|gif|webp)\b/i.test(said));
    })""",
    "ids": """all("[id]").filter(e => document.getElementById(e.id) !== e)""",
    "tables": """all("table:not([role=presentation])").filter(e => !e.querySelector("th"))""",
    "width": """[
        ...all("html").filter(e => e.scrollWidth > innerWidth),
        ...shown().filter(e => !inside(e.getBoundingClientRect()) && !ancestors(e).some(scrolls)),
    ]""",
    "scrolling": """shown().filter(e => scrolls(e) && e.scrollWidth > e.clientWidth + 1
        && ![e, ...e.querySelectorAll("*")].some(e => e.tabIndex >= 0))""",
    "motion": """[
        ...document.getAnimations().map(animation => animation.effect.target),
        ...all("html, body, body :not(mjx-container *, pre *)").filter(moves),
    ]""",
}
LOOK = """() => {
    const all = selector => [...document.querySelectorAll(selector)];
    const parts = ".bd-article-container :not(mjx-container *, pre *, .drawing *)";
    const shown = () => all(`${parts}, mjx-container[display] > *`)
        .filter(e => e.checkVisibility());
    const inside = box => box.width === 0 || (box.left > -1 && box.right < innerWidth + 1);
    const ancestors = e => e.parentElement ? [e.parentElement, ...ancestors(e.parentElement)] : [];
    const scrolls = e => /auto|scroll/.test(getComputedStyle(e).overflowX);
    const long = times => times.split(", ").some(time => parseFloat(time) > 0.01);
    const moves = e => [null, "::before", "::after"].map(part => getComputedStyle(e, part)).some(style =>
        long(style.transitionDuration) || style.scrollBehavior === "smooth"
        || (style.animationName !== "none" && long(style.animationDuration)));
    const texts = () => {
        const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), found = [];
        while (walker.nextNode())
            if (!walker.currentNode.parentElement.closest("pre, code, script, style, mjx-container"))
                found.push(walker.currentNode.data.trim());
        return found;
    };
    const LINE = "p, li, dd, h1, h2, h3, h4, figcaption, div";
    const name = e => `${e.localName}: ${e.textContent.trim() || e.outerHTML}`;
    return (%s).map(e => (e.localName ? name(e) : e).replace(/\\s+/g, " ").slice(0, 100));
}"""
OPEN_ALL = """() => {
    for (const box of document.querySelectorAll("details")) {
        box.removeAttribute("name"); // else opening one closes another
        box.open = true;
    }
}"""
# Formulas in the text are all alike to axe, and so are spans or plain texts of one class in boxes of one
# class: a few stand for the thousands on which it would spend its time. test_drawings.py looks into drawings.
THIN_OUT = """() => {
    const seen = new Set();
    for (const span of document.querySelectorAll(":is(pre, dt) span")) {
        const kind = [span, span.closest("dt, div")].map(e => e.className).join();
        if (seen.has(kind)) span.replaceWith(...span.childNodes);
        seen.add(kind);
    }
    for (const code of document.querySelectorAll("pre")) code.normalize();
    const formulas = [...document.querySelectorAll("mjx-container:not(.quiz *)")];
    for (const formula of formulas.slice(3)) formula.replaceChildren();
    for (const part of document.querySelectorAll(".drawing > *")) part.remove();
    const plain = "article :is(p, li, td, dd, em, strong):not(:has(*), :is(th, a, button, summary) *)";
    for (const text of document.querySelectorAll(plain)) {
        const boxes = [text, text.parentElement, text.closest(".admonition, details, table, section")];
        const kind = boxes.map(e => `${e?.localName}.${e?.className}`).join();
        if (seen.has(kind)) text.replaceChildren();
        seen.add(kind);
    }
}"""


def check(page, name):
    return page.evaluate(LOOK % CHECKS[name])


def violations(axe, page):
    """Return what axe finds, as (rule, element)."""
    found = axe.run(page, options={"resultTypes": ["violations"], "preload": False}).response["violations"]
    return {(rule["id"], *node["target"]) for rule in found for node in rule["nodes"]}


# `make test` sees a page of each kind, by turns wide and light or narrow and dark; `make slow` sees all,
# and these in all four looks.
OF_EACH_KIND = (
    "index.html",
    "chapters/01-one-answer.html",
    f"{PAGES}explorer.html",
    f"{PAGES}glossary.html",
    f"{PAGES}ledger.html",
)
FIRST = {place: OPPOSITE[number % 2] for number, place in enumerate(pages())}


def see(open_page, axe, place, looks):
    """Open a page in some looks, and find nothing wrong."""
    complaints, found = [], []
    with open_page(place, complaints) as page:
        page.evaluate(OPEN_ALL)
        for look in looks:
            settle(page, look)
            found += [(look, name, what) for name in CHECKS for what in check(page, name)]
        page.evaluate(THIN_OUT)
        for look in looks:
            settle(page, look)
            found += [(look, *violation) for violation in violations(axe, page)]
        found += [("console", complaint) for complaint in complaints]
    assert not found, "\n" + "\n".join(map(str, found))


@pytest.mark.parametrize("place", some_slow(pages(), *(set(pages()) - set(OF_EACH_KIND))))
def test_page(open_page, axe, place):
    see(open_page, axe, place, [FIRST[place]])


@pytest.mark.slow
@pytest.mark.parametrize("place", pages())
def test_page_in_other_looks(open_page, axe, place):
    others = LOOKS if place in OF_EACH_KIND else OPPOSITE
    see(open_page, axe, place, [look for look in others if look != FIRST[place]])


SPOILS = {
    "formulas": "document.querySelector('main .math').replaceChildren('x')",
    "cut formulas": "document.querySelector('main span.math mjx-math > *').style.marginLeft = '50em'",
    "raw formulas": "document.querySelector('main p').append('$x$')",
    "images": "document.querySelector('.cell_output .drawing').removeAttribute('aria-label')",
    "ids": "document.querySelector('main p').id = 'main-content'",
    "tables": "document.querySelectorAll('main th').forEach(cell => cell.remove())",
    "width": "document.querySelector('main p').style.width = '50em'",
    "scrolling": """[...document.querySelectorAll('pre[tabindex]')]
        .sort((a, b) => b.scrollWidth - a.scrollWidth)[0].removeAttribute('tabindex')""",
    "motion": "document.querySelector('main').style.setProperty('transition', 'color 0.1s', 'important')",
}


def test_a_spoilt_page_is_caught(open_page):
    with open_page("chapters/02-many-answers.html") as page:
        page.evaluate(OPEN_ALL)
        settle(page, "phone and dark")
        page.evaluate("for (const pre of document.querySelectorAll('main pre')) pre.style.width = '20em'")
        for name, script in SPOILS.items():
            before = check(page, name)
            page.evaluate(script)
            assert set(check(page, name)) - set(before), name


def test_faint_text_is_caught_by_axe(open_page, axe):
    with open_page("chapters/02-many-answers.html") as page:
        page.evaluate(OPEN_ALL)
        page.evaluate(THIN_OUT)
        kinds = ["main p", "pre .k", ".quiz-number"]
        page.add_style_tag(content=f"{', '.join(kinds)} {{ color: #aaa !important }}")
        faint = [element for rule, element in violations(axe, page) if rule == "color-contrast"]
        found = "([faint, kind]) => faint.some(element => document.querySelector(element).matches(kind))"
        assert all(page.evaluate(found, [faint, kind]) for kind in kinds)


SCRIPTS = {
    "an error": "setTimeout(() => { throw Error() })",
    "a message": "console.error('no')",
    "a missing file": "fetch('no-such-file')",
    "another host": "fetch('https://example.org/').catch(() => {})",
}


def test_a_first_visit_is_quiet_and_a_complaint_of_the_browser_is_heard(browser, open_page):
    complaints = []
    with browser.new_context() as context, open_page("index.html", complaints, context) as page:
        assert complaints == []
        for script in SCRIPTS.values():
            before = len(complaints)
            page.evaluate(f"() => {{ {script} }}")
            assert comes(page, lambda before=before: len(complaints) > before)
