"""Every quiz can be taken with the keyboard, read aloud, and seen on a phone."""

import json
import re
from pathlib import Path

import pytest

from tests.common import some_slow
from tools.browsing import PHONE, WIDE

from .looks import AFTER, resize

# Quizzes are all made by one directive: every third stands for all, and tests/book looks at every question.
NOTEBOOKS = sorted((Path(__file__).parents[2] / "chapters").glob("*.ipynb"))[::3]
VERDICTS = {" ": "Not quite.", "x": "Right."}

START = "() => { document.activeElement.blur(); location.hash = ''; location.hash = 'check-yourself'; }"
FOCUS = """() => {
    const element = document.activeElement;
    const style = getComputedStyle(element);
    const box = element.getBoundingClientRect();
    const middle = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    return {
        answer: [...document.querySelectorAll(".quiz summary")].indexOf(element),
        inside: element.parentElement?.closest("summary") != null,
        ring: style.outlineStyle === "none" ? 0 : parseFloat(style.outlineWidth),
        uncovered: element.contains(middle),
    };
}"""
OPEN = """open => {
    for (const answer of document.querySelectorAll(".quiz details")) {
        answer.setAttribute("name", open ? "" : answer.parentElement.id);
        answer.open = open;
    }
}"""


@pytest.fixture(scope="module", params=some_slow(NOTEBOOKS, *NOTEBOOKS[1:]), ids=lambda path: path.stem)
def path(request):
    return request.param


@pytest.fixture(scope="module")
def page(open_page, path):
    """Return the chapter's page, opened once for all tests."""
    with open_page(f"chapters/{path.stem}.html") as page:
        yield page


@pytest.fixture
def marks(path):
    """Return the marks of the answers, a list for each question, as the chapter's source has them."""
    cells = json.loads(path.read_text("utf-8"))["cells"]
    (source,) = ["".join(cell["source"]) for cell in cells if cell["id"] == "quiz"]
    questions = re.split(r"^\d\. ", source, flags=re.MULTILINE)[1:]
    return [re.findall(r"^   - \[([ x])\]", question, re.MULTILINE) for question in questions]


def start(page):
    """Follow a link to the quiz, which moves the focus there in the next frame."""
    page.evaluate(START)
    page.evaluate(AFTER, 0)


def tab_to_answer(page, number):
    """Press Tab until an answer has the focus, passing links and formulas outside of answers."""
    for _ in range(20):
        page.keyboard.press("Tab")
        focus = page.evaluate(FOCUS)
        assert not focus["inside"]
        if focus["answer"] >= 0:
            break
    assert focus["answer"] == number
    assert focus["ring"] >= 2
    assert focus["uncovered"]


def test_keyboard(page, marks):
    start(page)
    number = 0
    for question, expected in zip(page.locator(".quiz-question").all(), marks, strict=True):
        for answer, mark in zip(question.locator("details").all(), expected, strict=True):
            explanation = answer.locator(".quiz-explanation")
            tab_to_answer(page, number)
            assert not explanation.is_visible()
            page.keyboard.press("Enter" if number % 2 else "Space")
            assert explanation.is_visible()
            assert explanation.inner_text().startswith(VERDICTS[mark])
            assert question.locator("details[open]").count() == 1
            number += 1
        page.keyboard.press("Enter")
        assert question.locator("details[open]").count() == 0


def test_names(page, marks):
    devtools = page.context.new_cdp_session(page)
    quiz = devtools.send("Runtime.evaluate", {"expression": "document.querySelector('.quiz')"})["result"]
    tree = devtools.send("Accessibility.queryAXTree", {"objectId": quiz["objectId"]})["nodes"]
    names = [(node["role"]["value"], node["name"]["value"]) for node in tree if "name" in node]
    questions = [name for role, name in names if role == "group" and name]
    assert [name[:12] for name in questions] == [f"Question {number + 1}. " for number in range(len(marks))]
    for name, expected in zip(questions, marks, strict=True):
        assert page.get_by_role("group", name=name, exact=True).locator("details").count() == len(expected)
    answers = [name for role, name in names if role.startswith("DisclosureTriangle")]
    assert [name[:3] for name in answers] == [f"{letter}. " for row in marks for letter in "ABCD"[: len(row)]]
    assert all(re.search(r"\w", name[3:]) for name in answers)


def test_phone(page):
    page.evaluate(OPEN, True)
    resize(page, PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    boxes = page.locator(".quiz-prompt, .quiz-answer").evaluate_all(
        "boxes => boxes.map(box => [box.scrollWidth, box.clientWidth])"
    )
    assert all(content <= box for content, box in boxes)
    assert all(answer.bounding_box()["height"] >= 44 for answer in page.locator(".quiz summary").all())
    page.evaluate(OPEN, False)
    resize(page, WIDE)


def tab_through(page):
    start(page)
    for number in range(page.locator(".quiz summary").count()):
        tab_to_answer(page, number)


SPOILS = {
    "no ring": ".quiz summary { outline: none !important }",
    "a stop inside an answer": ".quiz-choice { display: block; overflow: scroll; width: 2em; height: 1em }",
    "covered": ".bd-header-article { position: fixed; inset: 0; z-index: 99 }",
}


def test_a_spoilt_focus_is_caught(page):
    for spoil in SPOILS.values():
        style = page.add_style_tag(content=spoil)
        with pytest.raises(AssertionError):
            tab_through(page)
        style.evaluate("style => style.remove()")
