"""Quizzes: what the directive writes, what it refuses, and that every chapter has a good one."""

import io
import json
import re
from collections import Counter
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace

import quiz

ROOT = Path(__file__).parents[2]

SETTINGS = {
    "extensions": ["myst_parser", "sphinx.ext.mathjax", "sphinx_exercise", "one_page", "quiz"],
    "myst_enable_extensions": ["dollarmath"],
    "html_theme": "basic",
}
NOTEBOOKS = sorted(ROOT.glob("chapters/*.ipynb"))
every_chapter = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)

QUESTION = r"""Is $e^{\eps}$ *large*?

- [ ] Yes, like $\sqrt{2}$

  It is not.
- [x] No, like `1`

  See {doc}`index`.
- [ ] Both

  It cannot be."""


def numbered(*questions):
    lines = ("\n".join(f"   {line}".rstrip() for line in question.splitlines()) for question in questions)
    return "\n\n".join(f"{number}. {text.lstrip()}" for number, text in enumerate(lines, start=1))


def page(content):
    return f"# Page\n\n````{{quiz}}\n{content}\n````\n"


GOOD = page(numbered(*[QUESTION] * 3))


def build(folder, pages, builder="html", **options):
    """Build a book of these pages and return its folder and what Sphinx complained about."""
    source, out = folder / "source", folder / builder
    source.mkdir(exist_ok=True)
    for name, text in pages.items():
        (source / f"{name}.md").write_text(text, "utf-8")
    complaints = io.StringIO()
    with docutils_namespace():
        places = source, None, out, folder / "doctrees"
        Sphinx(*places, builder, SETTINGS, status=None, warning=complaints, **options).build()
    return out, complaints.getvalue()


def soup(path):
    return BeautifulSoup(path.read_text("utf-8"), "html.parser")


def assert_quiz_is_right(tree):
    questions = tree.select(".quiz > [role=group]")
    assert len(questions) == 3
    for number, question in enumerate(questions, start=1):
        assert question["aria-label"] == f"Question {number}. Is e to the power ε large?"
        assert question.select_one(".quiz-number").text == f"Question {number}"
        answers = question.find_all("details", recursive=False)
        assert {answer["name"] for answer in answers} == {question["id"]}
        assert [answer.summary["aria-label"] for answer in answers] == [
            "A. Yes, like (the square root of 2)",
            "B. No, like 1",
            "C. Both",
        ]
        assert [answer.summary.select_one(".quiz-letter").text for answer in answers] == ["A", "B", "C"]
        assert [answer.find("strong").text for answer in answers] == ["Not quite.", "Right.", "Not quite."]
        assert ["quiz-right" in answer["class"] for answer in answers] == [False, True, False]
        assert answers[0].summary.select_one(".math").text == r"\(\sqrt{2}\)"
        assert answers[1].summary.code.text == "1"
        assert answers[1].select_one(".quiz-explanation a")["href"] == "#"
        assert not any("open" in answer.attrs for answer in answers)


def test_quiz_in_a_page(tmp_path):
    out, complaints = build(tmp_path, {"index": GOOD})
    assert complaints == ""
    assert_quiz_is_right(soup(out / "index.html"))


def test_swapped_verdicts_are_caught(tmp_path, monkeypatch):
    monkeypatch.setattr(quiz, "VERDICTS", {" ": "Right.", "x": "Not quite."})
    out, _ = build(tmp_path, {"index": GOOD})
    with pytest.raises(AssertionError):
        assert_quiz_is_right(soup(out / "index.html"))


def test_a_page_works_without_scripts(tmp_path):
    out, _ = build(tmp_path, {"index": GOOD})
    tree = soup(out / "index.html").select_one(".quiz")
    assert tree.find("script") is None
    assert not [name for tag in tree.find_all() for name in tag.attrs if name.startswith("on")]


@pytest.mark.parametrize("builder", ["text", "latex", "xml"])
def test_other_builders_write_lists(tmp_path, builder):
    out, complaints = build(tmp_path, {"index": GOOD}, builder)
    assert complaints == ""
    text = "\n".join(
        path.read_text("utf-8") for path in out.iterdir() if path.suffix in {".txt", ".tex", ".xml"}
    )
    assert text.count("Right.") == 3
    assert text.count("Not quite.") == 6
    assert text.count("It cannot be.") == 3


def test_names_are_unique_over_the_book(tmp_path):
    contents = "\n```{toctree}\none\ntwo\n```\n"
    out, complaints = build(
        tmp_path, {"index": GOOD + contents, "one": GOOD, "two": GOOD + GOOD[8:]}, "singlehtml"
    )
    assert complaints == ""
    tree = soup(out / "index.html")
    names = Counter(answer["name"] for answer in tree.select(".quiz details"))
    assert set(names.values()) == {3}
    assert len(names) == 12
    ids = Counter(tag["id"] for tag in tree.select("[id]"))
    assert all(ids[name] == 1 for name in names)


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_parallel_and_repeated_builds(tmp_path):
    pages = {f"page{number}": GOOD for number in range(7)}
    pages["index"] = GOOD + "\n```{toctree}\n:glob:\npage*\n```\n"
    assert build(tmp_path, pages, parallel=2)[1] == ""
    out, complaints = build(tmp_path, {"page3": GOOD.replace("It is not.", "By no means.")}, parallel=2)
    assert complaints == ""
    texts = {path.stem: path.read_text("utf-8") for path in out.glob("page*.html")}
    assert [name for name, text in texts.items() if "By no means." in text] == ["page3"]
    assert all("It cannot be." in text for text in texts.values())


def changed(old, new):
    assert old in QUESTION
    return numbered(QUESTION, QUESTION.replace(old, new), QUESTION)


QUESTIONS = "allowed is one numbered list of questions and nothing else"
PARTS = "question 2: allowed is a text, then a list of answers, then nothing else"
ANSWER = "question 2, answer C: allowed is [ ] or [x], then a text"
EXPLANATION = "question 2, answer C: there is no explanation; allowed is a paragraph of its own"
BAD = {
    "no list": ("Is it large?", QUESTIONS),
    "more than a list": ("Well:\n\n" + numbered(*[QUESTION] * 3), QUESTIONS),
    "two questions": (numbered(*[QUESTION] * 2), "the number of questions is 2; allowed are 3 to 5"),
    "six questions": (numbered(*[QUESTION] * 6), "the number of questions is 6; allowed are 3 to 5"),
    "no answers": (changed(QUESTION, "Is it large?"), PARTS),
    "no prompt": (changed("Is $e^{\\eps}$ *large*?\n", ""), PARTS),
    "text after the answers": (changed("It cannot be.", "It cannot be.\n\nWell?"), PARTS),
    "two answers": (
        changed("- [ ] Both\n\n  It cannot be.", ""),
        "question 2: the number of answers is 2; allowed are 3 or 4",
    ),
    "none right": (changed("[x]", "[ ]"), "question 2: the number of answers marked [x] is 0; allowed is 1"),
    "two right": (
        changed("[ ] B", "[x] B"),
        "question 2: the number of answers marked [x] is 2; allowed is 1",
    ),
    "no mark": (changed("[ ] Both", "Both"), ANSWER),
    "another mark": (changed("[ ] Both", "[X] Both"), ANSWER),
    "no text": (changed("[ ] Both", "[ ]"), ANSWER),
    "no explanation": (changed("\n\n  It cannot be.", ""), EXPLANATION),
    "explanation in the answer": (changed("Both\n\n", "Both\n"), EXPLANATION),
    "link in an answer": (changed("Both", "Both {doc}`index`"), "question 2, answer C: there is a link"),
    "open brace": (changed(r"\sqrt{2}", r"\sqrt{2"), r"the formula \sqrt{2 is not complete"),
    "closed brace": (changed(r"\sqrt{2}", r"\sqrt2}"), r"the formula \sqrt2} closes what it did not open"),
}


@pytest.mark.parametrize(("content", "complaint"), BAD.values(), ids=BAD)
def test_bad_quizzes_are_errors(tmp_path, content, complaint):
    _, complaints = build(tmp_path, {"index": page(content)}, "dummy")
    assert re.search(rf"index\.md:3: .*ERROR.*: quiz: .*{re.escape(complaint)}", complaints)


@pytest.mark.parametrize(
    ("tex", "words"),
    [
        (r"e^{\eps_i} \ge 2", "e to the power (ε sub i) ≥ 2"),
        (r"q = \frac{a - 1}{e^\eps + a - 1}", "q = ((a minus 1) over (e to the power ε + a minus 1))"),
        (r"\log \frac73 \approx 0.85", "log (7 over 3) ≈ 0.85"),
        (r"\sqrt{2}\,\eps", "(the square root of 2) ε"),
        (r"\sqrt{2\eps}", "(the square root of (2 ε))"),
        (r"x^{(a + b)c}", "x to the power ((a + b) c)"),
        (r"x^{\frac12}", "x to the power (1 over 2)"),
        (r"(1, 2, \dots, k)", "(1, 2, …, k)"),
        (r"10{,}000 \cdot y_3 \text{ if it is}", "10000 times y sub 3 if it is"),
        (r"\left[-3, 30\%\right]", "[minus 3, 30 %]"),
    ],
)
def test_formulas_are_said_in_words(tex, words):
    assert quiz.spoken(tex) == words


@every_chapter
def test_chapter_has_one_quiz_between_summary_and_exercises(path):
    cells = json.loads(path.read_text("utf-8"))["cells"]
    texts = ["".join(cell["source"]) for cell in cells]
    (place,) = [place for place, text in enumerate(texts) if "{quiz}" in text]
    assert cells[place]["id"] == "quiz"
    assert cells[place]["cell_type"] == "markdown"
    assert texts[place].startswith("## Check yourself\n")
    assert "## Summary" in texts[place - 1]
    assert texts[place + 1].startswith("## Exercises")


@every_chapter
def test_nothing_but_the_content_gives_a_right_answer_away(path):
    (text,) = [
        "".join(cell["source"])
        for cell in json.loads(path.read_text("utf-8"))["cells"]
        if cell["id"] == "quiz"
    ]
    questions = re.split(r"^\d\. ", text, flags=re.MULTILINE)[1:]
    assert 3 <= len(questions) <= 5
    places, longest = [], []
    for question in questions:
        answers = re.findall(r"^   - \[([ x])\] (.+?)\n\n +(.+?)$", question, re.MULTILINE | re.DOTALL)
        assert 3 <= len(answers) <= 4
        (right,) = [place for place, answer in enumerate(answers) if answer[0] == "x"]
        lengths = [len(answer) for _, answer, _ in answers]
        places.append(right)
        longest.append(lengths[right] == max(lengths))
        assert not any(re.match("Right|Wrong|Not quite|Correct|Yes,|No,", why) for _, _, why in answers)
    assert len(set(places)) > 1
    assert not all(longest)
