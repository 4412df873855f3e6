"""Quizzes in the page: each answer opens its explanation, without a script."""

import re
from collections import deque
from collections.abc import Callable, Iterator
from typing import ClassVar

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.util.docutils import SphinxDirective

VERDICTS = {" ": "Not quite.", "x": "Right."}
SAID = {
    "-": "minus", "/": "over", r"\cdot": "times", r"\eps": "ε", r"\varepsilon": "ε", r"\dots": "…",
    r"\approx": "≈", r"\ge": "≥", r"\le": "≤", r"\ne": "≠",
    r"\left": "", r"\right": "", r"\,": "", r"\;": "", r"\!": "",
}  # fmt: skip


# Only HTML has visitors of its own. To every other builder a quiz is a list of lists.
class Quiz(nodes.enumerated_list):
    """A quiz: three to five questions."""


class QuizQuestion(nodes.list_item):
    """A prompt and its answers."""


class QuizPrompt(nodes.container):
    """What is asked."""


class QuizAnswers(nodes.enumerated_list):
    """The answers to one question."""


class QuizAnswer(nodes.list_item):
    """A choice and the explanation that it opens."""


class QuizChoice(nodes.paragraph):
    """What a reader may choose."""


class QuizExplanation(nodes.container):
    """The verdict on a choice, and why."""


class QuizDirective(SphinxDirective):
    """A numbered list of questions, each ending in a list of answers marked ``[ ]`` or ``[x]``."""

    has_content: ClassVar = True

    def run(self) -> list[nodes.Node]:
        """Let the page's parser read the lists, and make a quiz of them."""
        self.env.note_dependency(__file__)
        content = nodes.container()
        self.state.nested_parse(self.content, self.content_offset, content)
        try:
            for math in content.findall(nodes.math):
                math["spoken"] = spoken(math.astext())
            quiz = Quiz("", *questions(content, self.next_name), enumtype="arabic", prefix="", suffix=".")
        except ValueError as wrong:
            raise self.error(f"quiz: {wrong}") from wrong
        return [quiz]

    def next_name(self) -> str:
        """Name the next question of the page."""
        return question_name(self.env.docname, self.env.new_serialno("quiz") + 1)


def question_name(page: str, number: int) -> str:
    """Name a question: counted over its page and named after it, so that no two of the book share a name."""
    return nodes.make_id(f"quiz {page} {number}")


def questions(content: nodes.Element, name: Callable[[], str]) -> Iterator[QuizQuestion]:
    """Make questions of the items of the numbered list that is the content."""
    if len(content) != 1 or not isinstance(content[0], nodes.enumerated_list):
        raise ValueError("allowed is one numbered list of questions and nothing else")
    if not 3 <= len(content[0]) <= 5:
        raise ValueError(f"the number of questions is {len(content[0])}; allowed are 3 to 5")
    for number, item in enumerate(content[0], start=1):
        yield question(item, number, name())


def question(item: nodes.Element, number: int, name: str) -> QuizQuestion:
    """Make a question of an item of the numbered list."""
    if len(item) < 2 or not isinstance(item[-1], nodes.bullet_list):
        raise ValueError(f"question {number}: allowed is a text, then a list of answers, then nothing else")
    *prompt, choices = item
    if not 3 <= len(choices) <= 4:
        raise ValueError(f"question {number}: the number of answers is {len(choices)}; allowed are 3 or 4")
    answers = []
    for letter, choice in zip("ABCD", choices, strict=False):
        try:
            answers.append(answer(choice, letter, name))
        except ValueError as wrong:
            raise ValueError(f"question {number}, answer {letter}: {wrong}") from wrong
    right = sum(choice["right"] for choice in answers)
    if right != 1:
        raise ValueError(f"question {number}: the number of answers marked [x] is {right}; allowed is 1")
    return QuizQuestion(
        "",
        QuizPrompt("", *prompt, number=number),
        QuizAnswers("", *answers, enumtype="upperalpha", prefix="", suffix="."),
        ids=[name],
    )


def answer(item: nodes.Element, letter: str, name: str) -> nodes.Node:
    """Make an answer of an item of a list of answers."""
    mark = re.match(r"\[([ x])\]\s+(?=\S)", item[0].astext() if len(item) else "")
    if not mark or not isinstance(item[0][0], nodes.Text):
        raise ValueError("allowed is [ ] or [x], then a text")
    if len(item) < 2 or not isinstance(item[1], nodes.paragraph):
        raise ValueError("there is no explanation; allowed is a paragraph of its own, after an empty line")
    (start, *rest), *explanation = item
    if any(isinstance(node, pending_xref | nodes.reference) for node in item[0].findall()):
        raise ValueError("there is a link in its text; links are allowed in its explanation only")
    verdict = nodes.strong("", VERDICTS[mark[1]], classes=["quiz-verdict"])
    explanation[0].insert(0, [verdict, nodes.Text(" ")])
    return QuizAnswer(
        "",
        QuizChoice("", "", nodes.Text(start[mark.end() :]), *rest, letter=letter),
        QuizExplanation("", *explanation),
        name=name,
        right=mark[1] == "x",
    )


def spoken(tex: str) -> str:
    r"""Say a formula: ``e^{-\eps}`` is "e to the power (minus ε)", ``\log \frac73`` is "log (7 over 3)"."""
    tokens = deque(re.findall(r"\\text\{[^}]*\}|\\[A-Za-z]+|\\.|\S", tex.replace("{,}", "")))
    try:
        text = say(tokens)
    except IndexError as wrong:
        raise ValueError(f"the formula {tex} is not complete; allowed is one that TeX can read") from wrong
    if tokens:
        raise ValueError(f"the formula {tex} closes what it did not open; allowed is one that TeX can read")
    return text


def say(tokens: deque[str]) -> str:
    """Say all tokens up to a brace that closes."""
    text = ""
    while tokens and tokens[0] != "}":
        text += say_next(tokens)
    return re.sub(r"(?<=[(\[]) | (?=[)\],;])", "", " ".join(text.split()))


def say_next(tokens: deque[str]) -> str:
    """Say the next token with its arguments."""
    token = tokens.popleft()
    if token == "{":
        text = say(tokens)
        tokens.popleft()
        return f" {text} "
    if token == "^":
        return f" to the power {argument(tokens)} "
    if token == "_":
        return f" sub {argument(tokens)} "
    if token == r"\frac":
        return f" ({argument(tokens)} over {argument(tokens)}) "
    if token == r"\sqrt":
        return f" (the square root of {argument(tokens)}) "
    if token.startswith(r"\text{"):
        return f" {token[6:-1]} "
    if token.isdigit() or token == ".":
        return token
    return " " + SAID.get(token, token.removeprefix("\\")) + " "


def argument(tokens: deque[str]) -> str:
    """Say the next token, in parentheses where that takes several words."""
    text = say_next(tokens).strip()
    return text if re.fullmatch(r"\S+|\([^()]*\)", text) else f"({text})"


def reading(node: nodes.Element) -> str:
    """Return a node's text with its formulas in words, for a name: browsers garble formulas there."""
    copy = node.deepcopy()
    for math in list(copy.findall(nodes.math)):
        math.replace_self(nodes.Text(math["spoken"]))
    return " ".join(copy.astext().split())


def visit_quiz(self, node: Quiz) -> None:
    """Open a quiz."""
    self.body.append(self.starttag(node, "div", CLASS="quiz"))


def visit_question(self, node: QuizQuestion) -> None:
    """Open a group that is named by its prompt."""
    name = {"aria-label": f"Question {node[0]['number']}. {reading(node[0])}"}
    self.body.append(self.starttag(node, "div", CLASS="quiz-question", role="group", **name))


def visit_prompt(self, node: QuizPrompt) -> None:
    """Open a prompt with its number."""
    self.body.append(self.starttag(node, "div", CLASS="quiz-prompt"))
    self.body.append(f'<p class="quiz-number">Question {node["number"]}</p>\n')


def visit_answer(self, node: QuizAnswer) -> None:
    """Open an answer, which closes when another of the same name opens."""
    kind = "quiz-right" if node["right"] else "quiz-wrong"
    self.body.append(self.starttag(node, "details", CLASS=f"quiz-answer {kind}", name=node["name"]))


def visit_choice(self, node: QuizChoice) -> None:
    """Open what stays visible of a closed answer."""
    name = {"aria-label": f"{node['letter']}. {reading(node)}"}
    letter = f'<span class="quiz-letter">{node["letter"]}</span> '
    self.body.append(self.starttag(node, "summary", "", **name) + letter + '<span class="quiz-choice">')


def depart_choice(self, _node: QuizChoice) -> None:
    """Close what stays visible of a closed answer."""
    self.body.append("</span></summary>\n")


def visit_explanation(self, node: QuizExplanation) -> None:
    """Open what an answer hides."""
    self.body.append(self.starttag(node, "div", CLASS="quiz-explanation"))


def close(tag: str):
    """Return a visitor that closes a tag."""
    return lambda self, _node: self.body.append(f"</{tag}>\n")


def skip(_self, _node: QuizAnswers) -> None:
    """Write nothing around the answers: their question is the group."""


def setup(app) -> dict:
    """Register the directive and its nodes with Sphinx."""
    app.add_directive("quiz", QuizDirective)
    visitors = {
        Quiz: (visit_quiz, close("div")),
        QuizQuestion: (visit_question, close("div")),
        QuizPrompt: (visit_prompt, close("div")),
        QuizAnswers: (skip, skip),
        QuizAnswer: (visit_answer, close("details")),
        QuizChoice: (visit_choice, depart_choice),
        QuizExplanation: (visit_explanation, close("div")),
    }
    for node, pair in visitors.items():
        app.add_node(node, html=pair)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
