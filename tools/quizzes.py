r"""Write the quizzes of the book as files that learning platforms import.

The one source are the ``{quiz}`` directives of the chapters and the pre-check of the guide, read by the
parser of the directive itself. A question keeps the name that it has in the book's pages. Every format is
written as one file a quiz and as one file of all, and the same sources always give the same bytes.

What platforms read, from their own importers where these are open:

- ``moodle-xml``: the best for Moodle. Categories, titles, stable id numbers, a reason for every answer.
- ``gift``: the same for Moodle and many small tools, as a text that people can edit.
- ``qti-2.1``: the standard, for Blackboard, OpenOlat, TAO and others. Canvas reads it too. Its classic
  quizzes find a reason where a rule adds to a ``FEEDBACK`` of several values, unless the reason's name ends
  in ``_C`` or has "correct" in it: rules and names here are made for that. Its New Quizzes drop all reasons.
- ``qti-1.2``: for Canvas, whose New Quizzes take reasons from this older version only. They want HTML as
  entities, not as CDATA. In the file of all, every quiz stays a quiz of its own.

Formulas stay TeX, between ``\(`` and ``\)``. Strict QTI 2.1 would have MathML. But Moodle, Canvas and
Brightspace show such TeX, New Quizzes turn MathML into it when they import, and a person who edits a
question can read it. Blackboard typesets TeX between ``$$`` only, and shows ours as it is written. The
book's own commands are written out.

References lead nowhere outside the book, so they become words: a theorem, exercise or figure is called
by its title and chapter, an equation is written out.
"""

import io
import json
import re
import sys
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import escape, unescape
from itertools import count
from pathlib import Path

import yaml
from docutils import nodes
from docutils.core import publish_doctree
from docutils.parsers.rst import roles
from docutils.utils import SystemMessage
from myst_parser.parsers.docutils_ import Parser
from sphinx.util.docutils import docutils_namespace

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "book" / "extensions"))

import quiz as directive  # noqa: E402

OUT = ROOT / "_build" / "quizzes"
CONFIG = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))
BOOK = CONFIG["title"]
MACROS = CONFIG["sphinx"]["config"]["mathjax3_config"]["tex"]["macros"]
CHAPTERS = sorted(ROOT.glob("chapters/*.ipynb"))
GUIDE = ROOT / "pages" / "teaching.md"

QUIZ = re.compile(r"^([`:]{3,})\{quiz\}\n(.*?)^\1 *$", re.MULTILINE | re.DOTALL)
TITLED = re.compile(r"^[`:]{3,}\{(?:prf:)?(\w+)[\w-]*\} *(.+)\n(?: *:.*\n)*? *:label: *(\S+)", re.MULTILINE)
EQUATION = re.compile(r"\$\$([^$]+)\$\$ *\(([\w-]+)\)")
TAGS = {
    "paragraph": "p", "QuizChoice": "p", "reference": "a",
    "emphasis": "em", "strong": "strong", "literal": "code", "subscript": "sub", "superscript": "sup",
}  # fmt: skip

IMS = "http://www.imsglobal.org/xsd"
# The earliest time that a zip can hold, and no compression: other machines and days give the same bytes.
EPOCH = (1980, 1, 1, 0, 0, 0)


class BadQuiz(ValueError):
    """A quiz that cannot be exported."""


@dataclass(frozen=True)
class Answer:
    """What can be chosen, and why it is right or wrong, as HTML."""

    text: str
    reason: str
    right: bool


@dataclass(frozen=True)
class Question:
    """A question: its name is unique, its title is for people, its prompt is HTML."""

    name: str
    title: str
    prompt: str
    answers: tuple[Answer, ...]

    @property
    def right(self) -> int:
        """The place of the right answer."""
        return [answer.right for answer in self.answers].index(True)


@dataclass(frozen=True)
class Quiz:
    """The quiz of a chapter, or the pre-check."""

    name: str
    title: str
    questions: tuple[Question, ...]


# Reading


def cells(path: Path) -> list[dict]:
    """Return the cells of a notebook."""
    return json.loads(path.read_text("utf-8"))["cells"]


def markdown(path: Path) -> str:
    """Return the prose of a page."""
    if path.suffix == ".md":
        return path.read_text("utf-8")
    return "\n\n".join("".join(cell["source"]) for cell in cells(path) if cell["cell_type"] == "markdown")


def labels() -> dict[str, nodes.Node]:
    """Return what stands for a reference to each theorem, exercise, figure, equation and chapter."""
    found: dict[str, nodes.Node] = {}
    for path in CHAPTERS:
        where, text = f"chapter {int(path.stem[:2])}", markdown(path)
        found[path.stem] = nodes.Text(where)
        for kind, title, label in TITLED.findall(text):
            found[label] = nodes.Text(f'{kind.capitalize()} "{title}" of {where}')
        for formula, label in EQUATION.findall(text):
            # The punctuation at its end belongs to the sentence that it was displayed in.
            formula = re.sub(r"[\s.,]+((?:\\end\{\w+\})?)$", r"\1", formula.strip())
            found[label] = nodes.math(formula, formula)
        for cell in cells(path):
            figure = cell["metadata"].get("mystnb", {}).get("figure", {})
            if "name" in figure:
                title = figure["caption"].split(". ")[0].removesuffix(".")
                found[figure["name"]] = nodes.Text(f'Figure "{title}" of {where}')
    return found


def parse(text: str, known: dict[str, nodes.Node]) -> nodes.document:
    """Let MyST read the content of a directive, with references replaced by what stands for them."""

    def refer(role: str, _raw: str, label: str, *_rest: object) -> tuple[list[nodes.Node], list[nodes.Node]]:
        if label not in known:
            raise BadQuiz(
                f"{{{role}}}`{label}` leads nowhere; allowed are titles, figures, equations and chapters"
            )
        return [known[label].deepcopy()], []

    settings = {
        "_disable_config": True,  # whatever a machine has set
        "halt_level": 2,  # a warning is an error here
        "myst_enable_extensions": CONFIG["parse"]["myst_enable_extensions"],
        "smart_quotes": True,
        "warning_stream": io.StringIO(),
    }
    with docutils_namespace():
        for role in ("doc", "eq", "numref", "prf:ref", "ref"):
            roles.register_local_role(role, refer)
        try:
            return publish_doctree(text, parser=Parser(), settings_overrides=settings)
        except SystemMessage as wrong:
            raise BadQuiz(str(wrong)) from None


def html(node: nodes.Node) -> str:
    """Return the HTML of a paragraph or of what is in it."""
    if isinstance(node, nodes.Text):
        return escape(" ".join(re.split(r"\s+", node.astext())), quote=False)
    if isinstance(node, nodes.math):
        return escape(rf"\({tex(node.astext())}\)", quote=False)
    if "quiz-verdict" in node["classes"]:
        return ""  # platforms say themselves whether an answer is right
    if node.tagname not in TAGS:
        raise BadQuiz(f"{node.tagname} cannot be exported; allowed are paragraphs with simple markup")
    # MyST has escaped the address once already.
    link = f' href="{escape(unescape(node["refuri"]))}"' if "refuri" in node else ""
    inside = "".join(map(html, node.children))
    return f"<{TAGS[node.tagname]}{link}>{inside.strip()}</{TAGS[node.tagname]}>"


def tex(formula: str) -> str:
    """Write the book's own commands out, on one line."""
    for name, meaning in MACROS.items():
        formula = re.sub(rf"\\{name}(?![A-Za-z])", lambda _, meaning=meaning: meaning, formula)
    return " ".join(formula.split())


def read(path: Path, short: str, known: dict[str, nodes.Node]) -> tuple[Question, ...]:
    """Return the questions of a page, made by the directive and named as in the book."""
    page = path.relative_to(ROOT).with_suffix("").as_posix()
    names = (directive.question_name(page, number) for number in count(1))
    try:
        made = [
            node
            for _, text in QUIZ.findall(markdown(path))
            for node in directive.questions(parse(text, known), lambda: next(names))
        ]
        return tuple(question(node, f"{short}, question {i}") for i, node in enumerate(made, start=1))
    except ValueError as wrong:
        raise BadQuiz(f"{page}: {wrong}") from None


def question(node: directive.QuizQuestion, title: str) -> Question:
    """Return a question with all its texts as HTML."""
    prompt, choices = node
    answers = (
        Answer(html(choice), "".join(map(html, explanation)), each["right"])
        for each in choices
        for choice, explanation in [each]
    )
    return Question(node["ids"][0], title, "".join(map(html, prompt)), tuple(answers))


def quizzes() -> list[Quiz]:
    """Return the pre-check, called by its heading, and the quizzes of all chapters."""
    known = labels()
    before = markdown(GUIDE).partition("{quiz}")[0]
    pages = [("pre-check", "Pre-check", re.findall(r"^## (.*)$", before, re.MULTILINE)[-1], GUIDE)]
    for path in CHAPTERS:
        title = markdown(path).splitlines()[0].removeprefix("# ")
        pages.append((path.stem, f"Chapter {path.stem[:2]}", title, path))
    return [Quiz(name, f"{short}. {title}", read(path, short, known)) for name, short, title, path in pages]


# Writing


def element(tag: str, *inside: str, **attributes: str) -> str:
    """Return an element of XML; what is inside is XML already."""
    named = "".join(f' {name}="{escape(value)}"' for name, value in attributes.items())
    return f"<{tag}{named}>{''.join(inside)}</{tag}>\n"


def document(root: str) -> str:
    """Return a file of XML."""
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{root}'


def schema(space: str, place: str) -> dict[str, str]:
    """Return the attributes that name a language of IMS and the place of its grammar."""
    return {
        "xmlns": f"{IMS}/{space}",
        "xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance",
        "xsi:schemaLocation": f"{IMS}/{space} {IMS}/{place}.xsd",
    }


def category(quiz: Quiz) -> str:
    """Return where a quiz goes in Moodle's question bank: a slash of its own is written twice."""
    return f"$course$/top/{BOOK}/{quiz.title.replace('/', '//')}"


def moodle(quizzes: list[Quiz]) -> bytes:
    """Return Moodle XML."""
    questions = [
        part
        for quiz in quizzes
        for part in (
            element("question", element("category", moodle_text(category(quiz))), type="category"),
            *map(moodle_question, quiz.questions),
        )
    ]
    return document(element("quiz", *questions)).encode()


def moodle_text(text: str) -> str:
    """Return a text of Moodle XML."""
    return element("text", escape(text, quote=False))


def moodle_question(question: Question) -> str:
    """Return a question of Moodle XML. Answers stay in the book's order, so that a class can name them."""
    answers = (
        element(
            "answer",
            moodle_text(answer.text),
            element("feedback", moodle_text(answer.reason), format="html"),
            fraction="100" if answer.right else "0",
            format="html",
        )
        for answer in question.answers
    )
    return element(
        "question",
        element("name", moodle_text(question.title)),
        element("questiontext", moodle_text(question.prompt), format="html"),
        element("defaultgrade", "1"),
        element("idnumber", question.name),
        element("single", "true"),
        element("shuffleanswers", "false"),
        element("answernumbering", "ABCD"),
        *answers,
        type="multichoice",
    )


def gift(quizzes: list[Quiz]) -> bytes:
    """Return GIFT, where an empty line ends a question."""
    parts = []
    for quiz in quizzes:
        parts.append(f"$CATEGORY: {category(quiz)}")
        for question in quiz.questions:
            answers = "".join(
                f"{'=' if answer.right else '~'}{gift_text(answer.text)}#{gift_text(answer.reason)}\n"
                for answer in question.answers
            )
            head = f"::{gift_text(question.title)}::[html]{gift_text(question.prompt)}"
            parts.append(f"// [id:{question.name}]\n{head}{{\n{answers}}}")
    return ("\n\n".join(parts) + "\n").encode()


def gift_text(text: str) -> str:
    r"""Escape what GIFT would read as its own; with a single backslash, ``\ne`` would break the line."""
    return re.sub(r"([\\~=#{}:])", r"\\\1", text)


def qti21(quizzes: list[Quiz]) -> bytes:
    """Return a package of QTI 2.1: one test, with a section for each quiz."""
    name, title = (quizzes[0].name, quizzes[0].title) if len(quizzes) == 1 else ("all", BOOK)
    items = {item.name: f"items/{item.name}.xml" for quiz in quizzes for item in quiz.questions}
    resources = [resource(f"test-{name}", "imsqti_test_xmlv2p1", "test.xml", *items)]
    resources += [resource(item, "imsqti_item_xmlv2p1", href) for item, href in items.items()]
    files = {
        "imsmanifest.xml": manifest(name, "QTIv2.1 Package", "1.0.0", resources),
        "test.xml": qti21_test(f"test-{name}", title, quizzes, items),
    }
    return package(
        files | {items[item.name]: qti21_item(item) for quiz in quizzes for item in quiz.questions}
    )


def qti21_test(name: str, title: str, quizzes: list[Quiz], items: dict[str, str]) -> str:
    """Return the test of QTI 2.1, with reasons shown as soon as a question is answered."""
    sections = (
        element(
            "assessmentSection",
            *(
                element("assessmentItemRef", identifier=item.name, href=items[item.name])
                for item in quiz.questions
            ),
            identifier=f"section-{quiz.name}",
            title=quiz.title,
            visible="true",
        )
        for quiz in quizzes
    )
    part = element(
        "testPart",
        element("itemSessionControl", maxAttempts="0", showFeedback="true"),
        *sections,
        identifier="part",
        navigationMode="nonlinear",
        submissionMode="individual",
    )
    return document(element("assessmentTest", part, **QTI21, identifier=name, title=title))


def qti21_item(question: Question) -> str:
    """Return a question of QTI 2.1."""
    numbered = list(enumerate(question.answers, start=1))
    choices = (
        element("simpleChoice", answer.text, identifier=f"answer_{i}", fixed="true") for i, answer in numbered
    )
    reasons = (
        element(
            "modalFeedback",
            answer.reason,
            outcomeIdentifier="FEEDBACK",
            identifier=f"why_{i}",
            showHide="show",
        )
        for i, answer in numbered
    )
    right = element("correctResponse", element("value", f"answer_{question.right + 1}"))
    nothing = element("defaultValue", element("value", "0"))
    single, several = ({"cardinality": word, "baseType": "identifier"} for word in ("single", "multiple"))
    score = {"cardinality": "single", "baseType": "float", "normalMaximum": "1"}
    rules = {"responseIdentifier": "RESPONSE", "shuffle": "false", "maxChoices": "1"}
    item = element(
        "assessmentItem",
        element("responseDeclaration", right, identifier="RESPONSE", **single),
        element("outcomeDeclaration", nothing, identifier="SCORE", **score),
        element("outcomeDeclaration", identifier="FEEDBACK", **several),
        element("itemBody", question.prompt, element("choiceInteraction", *choices, **rules)),
        element("responseProcessing", element("responseCondition", *(qti21_rule(i, a) for i, a in numbered))),
        *reasons,
        **QTI21,
        identifier=question.name,
        title=question.title,
        adaptive="false",
        timeDependent="false",
    )
    return document(item)


def qti21_rule(number: int, answer: Answer) -> str:
    """Return what follows from choosing an answer in QTI 2.1: a score, and a reason added to those shown."""
    chosen = element("baseValue", f"answer_{number}", baseType="identifier")
    score = element("baseValue", "1" if answer.right else "0", baseType="float")
    why = element("baseValue", f"why_{number}", baseType="identifier")
    shown = element("multiple", element("variable", identifier="FEEDBACK"), why)
    return element(
        "responseIf" if number == 1 else "responseElseIf",
        element("match", element("variable", identifier="RESPONSE"), chosen),
        element("setOutcomeValue", score, identifier="SCORE"),
        element("setOutcomeValue", shown, identifier="FEEDBACK"),
    )


def qti12(quizzes: list[Quiz]) -> bytes:
    """Return a package of QTI 1.2, with an assessment for each quiz."""
    files = {f"{quiz.name}.xml": qti12_assessment(quiz) for quiz in quizzes}
    resources = [resource(f"quiz-{quiz.name}", "imsqti_xmlv1p2", f"{quiz.name}.xml") for quiz in quizzes]
    name = quizzes[0].name if len(quizzes) == 1 else "all"
    return package({"imsmanifest.xml": manifest(name, "IMS Content", "1.1.3", resources)} | files)


def qti12_assessment(quiz: Quiz) -> str:
    """Return a quiz of QTI 1.2."""
    section = element("section", *map(qti12_item, quiz.questions), ident="root_section")
    assessment = element("assessment", section, ident=f"quiz-{quiz.name}", title=quiz.title)
    return document(element("questestinterop", assessment, **schema("ims_qtiasiv1p2", "ims_qtiasiv1p2p1")))


def qti12_item(question: Question) -> str:
    """Return a question of QTI 1.2."""
    fields = {"question_type": "multiple_choice_question", "points_possible": "1"}
    metadata = (
        element("qtimetadatafield", element("fieldlabel", label), element("fieldentry", entry))
        for label, entry in fields.items()
    )
    numbered = list(enumerate(question.answers, start=1))
    choices = (
        element("response_label", qti12_text(answer.text), ident=f"answer_{i}") for i, answer in numbered
    )
    reasons = (
        element("itemfeedback", element("flow_mat", qti12_text(answer.reason)), ident=f"why_{i}")
        for i, answer in numbered
    )
    return element(
        "item",
        element("itemmetadata", element("qtimetadata", *metadata)),
        element(
            "presentation",
            qti12_text(question.prompt),
            element(
                "response_lid", element("render_choice", *choices), ident="response1", rcardinality="Single"
            ),
        ),
        element("resprocessing", *qti12_rules(question)),
        *reasons,
        ident=question.name,
        title=question.title,
    )


def qti12_text(text: str) -> str:
    """Return a text of QTI 1.2."""
    return element("material", element("mattext", escape(text, quote=False), texttype="text/html"))


def qti12_rules(question: Question) -> Iterator[str]:
    """Return what QTI 1.2 does with an answer: reasons first, since the rule that scores is the last."""
    chosen = [
        element("conditionvar", element("varequal", f"answer_{i}", respident="response1"))
        for i, _ in enumerate(question.answers, start=1)
    ]
    yield element(
        "outcomes", element("decvar", maxvalue="100", minvalue="0", varname="SCORE", vartype="Decimal")
    )
    for i, condition in enumerate(chosen, start=1):
        shown = element("displayfeedback", feedbacktype="Response", linkrefid=f"why_{i}")
        yield element("respcondition", condition, shown, **{"continue": "Yes"})
    score = element("setvar", "100", action="Set", varname="SCORE")
    yield element("respcondition", chosen[question.right], score, **{"continue": "No"})


def resource(name: str, kind: str, href: str, *needs: str) -> str:
    """Return a file of a package for its list of contents."""
    depends = (element("dependency", identifierref=need) for need in needs)
    return element("resource", element("file", href=href), *depends, identifier=name, type=kind, href=href)


def manifest(name: str, language: str, version: str, resources: list[str]) -> str:
    """Return the list of contents of a package."""
    contents = element(
        "manifest",
        element("metadata", element("schema", language), element("schemaversion", version)),
        element("organizations"),
        element("resources", *resources),
        identifier=f"manifest-{name}",
        **schema("imscp_v1p1", "imscp_v1p1"),
    )
    return document(contents)


def package(files: dict[str, str]) -> bytes:
    """Return a zip of these files."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
        for name, text in files.items():
            info = zipfile.ZipInfo(name, EPOCH)
            info.create_system, info.external_attr = 3, 0o644 << 16  # as if written on Unix
            archive.writestr(info, text.encode())
    return stream.getvalue()


QTI21 = schema("imsqti_v2p1", "qti/qtiv2p1/imsqti_v2p1")
FORMATS: dict[str, tuple[str, Callable[[list[Quiz]], bytes]]] = {
    "moodle-xml": (".xml", moodle),
    "gift": (".txt", gift),
    "qti-2.1": (".zip", qti21),
    "qti-1.2": (".zip", qti12),
}


def build(out: Path) -> None:
    """Write every quiz, and all of them, in every format."""
    found = quizzes()
    for folder, (suffix, write) in FORMATS.items():
        (out / folder).mkdir(parents=True, exist_ok=True)
        for name, part in [(quiz.name, [quiz]) for quiz in found] + [("all", found)]:
            (out / folder / f"{name}{suffix}").write_bytes(write(part))


if __name__ == "__main__":
    try:
        build(OUT)
    except BadQuiz as wrong:
        sys.exit(f"The quizzes cannot be exported. {wrong}")
    print(f"The quizzes are in {OUT}")
