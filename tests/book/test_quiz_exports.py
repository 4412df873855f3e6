"""The exported quizzes: every question once in each format, read back by readers of their own.

The grammars below hold what the specifications of QTI 1.2 and 2.1, IMS content packages and Moodle XML ask of
the elements that we use: which come inside which, in which order, with which attributes.
"""

import io
import json
import re
import shutil
import subprocess
import zipfile
from functools import cache
from html import escape, unescape
from pathlib import Path
from xml.etree import ElementTree

import pytest

import quizzes
from quizzes import Answer, BadQuiz, Question, Quiz

ROOT = Path(__file__).parents[2]
SOURCES = {"pre-check": ROOT / "pages" / "teaching.md"} | {
    path.stem: path for path in sorted(ROOT.glob("chapters/*.ipynb"))
}
SUFFIXES = {"moodle-xml": "xml", "gift": "txt", "qti-2.1": "zip", "qti-1.2": "zip"}
every_format = pytest.mark.parametrize("form", SUFFIXES)

PACKAGE = {
    "manifest": ("metadata organizations resources", "identifier schemaLocation"),
    "metadata": ("schema schemaversion", ""),
    "schema": ("", ""),
    "schemaversion": ("", ""),
    "organizations": ("", ""),
    "resources": ("resource+", ""),
    "resource": ("file dependency*", "href identifier type"),
    "file": ("", "href"),
    "dependency": ("", "identifierref"),
}
QTI21 = PACKAGE | {
    "assessmentTest": ("testPart", "identifier schemaLocation title"),
    "testPart": ("itemSessionControl assessmentSection+", "identifier navigationMode submissionMode"),
    "itemSessionControl": ("", "maxAttempts showFeedback"),
    "assessmentSection": ("assessmentItemRef+", "identifier title visible"),
    "assessmentItemRef": ("", "href identifier"),
    "assessmentItem": (
        "responseDeclaration outcomeDeclaration+ itemBody responseProcessing modalFeedback+",
        "adaptive identifier schemaLocation timeDependent title",
    ),
    "responseDeclaration": ("correctResponse", "baseType cardinality identifier"),
    "correctResponse": ("value", ""),
    "outcomeDeclaration": ("defaultValue?", "baseType cardinality identifier normalMaximum?"),
    "defaultValue": ("value", ""),
    "value": ("", ""),
    "itemBody": ("p+ choiceInteraction", ""),
    "choiceInteraction": ("simpleChoice+", "maxChoices responseIdentifier shuffle"),
    "simpleChoice": ("p+", "fixed identifier"),
    "responseProcessing": ("responseCondition", ""),
    "responseCondition": ("responseIf responseElseIf*", ""),
    "responseIf": ("match setOutcomeValue+", ""),
    "responseElseIf": ("match setOutcomeValue+", ""),
    "match": ("variable baseValue", ""),
    "multiple": ("variable baseValue", ""),
    "variable": ("", "identifier"),
    "baseValue": ("", "baseType"),
    "setOutcomeValue": ("multiple? baseValue?", "identifier"),
    "modalFeedback": ("p+", "identifier outcomeIdentifier showHide"),
}
QTI12 = PACKAGE | {
    "questestinterop": ("assessment", "schemaLocation"),
    "assessment": ("section", "ident title"),
    "section": ("item+", "ident"),
    "item": ("itemmetadata presentation resprocessing itemfeedback+", "ident title"),
    "itemmetadata": ("qtimetadata", ""),
    "qtimetadata": ("qtimetadatafield+", ""),
    "qtimetadatafield": ("fieldlabel fieldentry", ""),
    "fieldlabel": ("", ""),
    "fieldentry": ("", ""),
    "presentation": ("material response_lid", ""),
    "material": ("mattext", ""),
    "mattext": ("", "texttype"),
    "response_lid": ("render_choice", "ident rcardinality"),
    "render_choice": ("response_label+", ""),
    "response_label": ("material", "ident"),
    "resprocessing": ("outcomes respcondition+", ""),
    "outcomes": ("decvar", ""),
    "decvar": ("", "maxvalue minvalue varname vartype"),
    "respcondition": ("conditionvar setvar? displayfeedback?", "continue"),
    "conditionvar": ("varequal", ""),
    "varequal": ("", "respident"),
    "setvar": ("", "action varname"),
    "displayfeedback": ("", "feedbacktype linkrefid"),
    "itemfeedback": ("flow_mat", "ident"),
    "flow_mat": ("material", ""),
}
MOODLE = {
    "quiz": ("question+", ""),
    "question": (
        "category? name? questiontext? defaultgrade? idnumber?"
        " single? shuffleanswers? answernumbering? answer*",
        "type",
    ),
    "category": ("text", ""),
    "name": ("text", ""),
    "questiontext": ("text", "format"),
    "answer": ("text feedback", "format fraction"),
    "feedback": ("text", "format"),
    **dict.fromkeys(
        ["text", "defaultgrade", "idnumber", "single", "shuffleanswers", "answernumbering"], ("", "")
    ),
}
QUOTES = {ord(curly): straight for pair, straight in [("“”", '"'), ("\u2018\u2019", "'")] for curly in pair}
# What Canvas takes for a comment on the whole question, and not for the reason of one answer.
NOT_A_REASON = r"(?i)general_|_all|wrong|incorrect|correct|_IC$|_C$"


# Readers: each returns the questions of a file as they would stand in its platform.


def plain(name):
    return name.rpartition("}")[2]


def local(node):
    return plain(node.tag)


def model(words):
    return re.sub(r"([\w]+)([?*+]?) ?", r"(?:\1 )\2", words)


def conforms(node, grammar):
    """Compare an element, and all in it, with a grammar. Paragraphs are compared as HTML, elsewhere."""
    if local(node) == "p":
        return
    assert local(node) in grammar, f"there is no element {local(node)}"
    inside, attributes = map(model, grammar[local(node)])
    assert re.fullmatch(inside, "".join(f"{local(child)} " for child in node)), f"what is in {local(node)}"
    assert re.fullmatch(attributes, "".join(f"{name} " for name in sorted(map(plain, node.attrib))))
    for name in ("identifier", "ident"):
        assert re.fullmatch(r"[A-Za-z_][\w.-]*", node.get(name, "_")), f"the name {node.get(name)}"
    for child in node:
        conforms(child, grammar)


def parsed(data, grammar):
    root = ElementTree.fromstring(data)
    conforms(root, grammar)
    for node in root.iter():
        node.tag = local(node)
    return root


def inner(node):
    """Return what is in an element as HTML."""
    parts = [escape(node.text or "", quote=False)]
    for child in node:
        attributes = "".join(f' {name}="{escape(value)}"' for name, value in child.attrib.items())
        parts += [
            f"<{child.tag}{attributes}>{inner(child)}</{child.tag}>",
            escape(child.tail or "", quote=False),
        ]
    return "".join(parts).strip()


def unzipped(data):
    """Return the files of a package, whose list of contents must name them all."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        files = {name: archive.read(name) for name in archive.namelist()}
    contents = parsed(files.pop("imsmanifest.xml"), PACKAGE)
    resources = {node.get("identifier"): node for node in contents.iter("resource")}
    assert len(resources) == len(list(contents.iter("resource")))
    assert {node.get("href") for node in resources.values()} == set(files)
    assert all(node.get("href") == node.find("file").get("href") for node in resources.values())
    assert {node.get("identifierref") for node in contents.iter("dependency")} <= set(resources)
    return contents, files


def read_moodle(data):
    for node in parsed(data, MOODLE):
        if node.get("type") == "category":
            assert node.findtext("category/text").startswith("$course$/top/")
            continue
        assert (node.get("type"), node.findtext("single")) == ("multichoice", "true")
        assert {answer.get("fraction") for answer in node.iter("answer")} == {"0", "100"}
        assert {child.get("format", "html") for child in node.iter()} == {"html"}
        answers = [
            (answer.findtext("text"), answer.findtext("feedback/text"), answer.get("fraction") == "100")
            for answer in node.iter("answer")
        ]
        yield (
            node.findtext("idnumber"),
            node.findtext("name/text"),
            node.findtext("questiontext/text"),
            answers,
        )


def read_gift(data):
    """Read GIFT as Moodle does: escapes are set aside, then the text is cut at what is left."""
    for part in re.split(r"\n\n+", data.decode().strip()):
        if part.startswith("$CATEGORY:"):
            continue
        comment, _, text = part.partition("\n")
        (name,) = re.findall(r"^// \[id:(\S+)\]$", comment)
        text = re.sub(r"\\([\\~=#{}:n])", lambda found: f"\0{ord(found[1])};", text)
        found = re.fullmatch(r"::([^:]+)::\[html\]([^{}]*)\{([^{}]*)\}", text)
        assert found, f"this is no question: {part}"
        assert found[3].lstrip()[0] in "=~"
        answers = []
        for answer in re.split(r"(?=[=~])", found[3].strip())[1:]:
            assert not re.match(r"[=~]%", answer)
            assert answer.count("#") == 1
            choice, reason = answer[1:].split("#")
            answers.append((restored(choice), restored(reason), answer[0] == "="))
        yield name, restored(found[1]), restored(found[2]), answers


def restored(text):
    said = {"n": "\n"}
    return re.sub(r"\0(\d+);", lambda found: said.get(chr(int(found[1])), chr(int(found[1]))), text).strip()


def read_gift_independently(data):
    """Read GIFT with the parser gift-pegjs."""
    script = "const p = require('gift-pegjs'); const s = require('fs').readFileSync(0, 'utf8');"
    script += "process.stdout.write(JSON.stringify(p.parse(s)));"
    command, folder = ["node", "-e", script], ROOT / "tools"
    done = subprocess.run(command, input=data, capture_output=True, cwd=folder, check=True)
    for each in json.loads(done.stdout):
        if each["type"] != "Category":
            assert (each["type"], each["stem"]["format"]) == ("MC", "html")
            assert all(choice["weight"] is None for choice in each["choices"])
            answers = [
                (choice["text"]["text"], choice["feedback"]["text"], choice["isCorrect"])
                for choice in each["choices"]
            ]
            yield each["id"], each["title"], each["stem"]["text"], answers


def read_qti21(data):
    contents, files = unzipped(data)
    test = parsed(files["test.xml"], QTI21)
    places = {node.get("identifier"): node.get("href") for node in contents.iter("resource")}
    for reference in test.iter("assessmentItemRef"):
        assert places[reference.get("identifier")] == reference.get("href")
        item = parsed(files.pop(reference.get("href")), QTI21)
        assert item.get("identifier") == reference.get("identifier")
        outcomes = {choice.get("identifier"): processed(item, choice) for choice in item.iter("simpleChoice")}
        reasons = {node.get("identifier"): inner(node) for node in item.iter("modalFeedback")}
        assert not any(re.search(NOT_A_REASON, name) for name in reasons)
        assert len(outcomes) == len(reasons) == len(list(item.iter("simpleChoice")))
        right = item.findtext("responseDeclaration/correctResponse/value")
        assert [name for name, (score, _) in outcomes.items() if score == 1] == [right]
        answers = [
            (inner(choice), reasons[outcomes[name][1]], name == right)
            for choice in item.iter("simpleChoice")
            for name in [choice.get("identifier")]
        ]
        item.find("itemBody").remove(item.find("itemBody/choiceInteraction"))
        yield item.get("identifier"), item.get("title"), inner(item.find("itemBody")), answers
    assert list(files) == ["test.xml"]


def processed(item, choice):
    """Follow the rules of a question of QTI 2.1 for a choice; return the score and the reason shown."""
    declared = {node.get("identifier") for node in item.iter("outcomeDeclaration")}
    for rule in item.find("responseProcessing/responseCondition"):
        assert rule.find("match/variable").get("identifier") == "RESPONSE"
        if rule.findtext("match/baseValue") == choice.get("identifier"):
            outcome = {node.get("identifier"): node for node in rule.iter("setOutcomeValue")}
            assert set(outcome) == declared
            assert outcome["FEEDBACK"].find("multiple/variable").get("identifier") == "FEEDBACK"
            return float(outcome["SCORE"].findtext("baseValue")), outcome["FEEDBACK"].findtext(
                "multiple/baseValue"
            )
    raise AssertionError("no rule for this choice")


def read_qti12(data):
    contents, files = unzipped(data)
    assert {node.get("type") for node in contents.iter("resource")} == {"imsqti_xmlv1p2"}
    for text in files.values():
        assert b"CDATA" not in text
        for item in parsed(text, QTI12).iter("item"):
            assert item.find("presentation/response_lid").get("rcardinality") == "Single"
            assert {node.get("texttype") for node in item.iter("mattext")} == {"text/html"}
            reasons = {node.get("ident"): node.findtext(".//mattext") for node in item.iter("itemfeedback")}
            assert not any(re.search(NOT_A_REASON, name) for name in reasons)
            shown, scores = {}, {}
            for rule in item.iter("respcondition"):
                choice = rule.findtext("conditionvar/varequal")
                if rule.find("displayfeedback") is not None:
                    assert rule.get("continue") == "Yes"
                    shown[choice] = rule.find("displayfeedback").get("linkrefid")
                if rule.find("setvar") is not None:
                    scores[choice] = float(rule.findtext("setvar"))
            (right,) = [choice for choice, score in scores.items() if score == 100]
            answers = [
                (node.findtext(".//mattext"), reasons[shown[node.get("ident")]], node.get("ident") == right)
                for node in item.iter("response_label")
            ]
            prompt = item.findtext("presentation/material/mattext")
            yield item.get("ident"), item.get("title"), prompt, answers


READERS = {"moodle-xml": read_moodle, "gift": read_gift, "qti-2.1": read_qti21, "qti-1.2": read_qti12}


# The sources, read by regular expressions


@cache
def source(path):
    """Return prompt, answers and reasons of the questions of a page, in Markdown."""
    text = path.read_text("utf-8")
    if path.suffix == ".ipynb":
        (text,) = [
            "".join(cell["source"])
            for cell in json.loads(text)["cells"]
            if "{quiz}" in "".join(cell["source"])
        ]
    text = re.split(r"^[`:]{3,}", text.split("{quiz}\n")[1], flags=re.MULTILINE)[0]
    found = []
    for question in re.split(r"^\d\. ", text, flags=re.MULTILINE)[1:]:
        prompt, *answers = re.split(r"^ +- (?=\[[ x]\] )", question, flags=re.MULTILINE)
        found.append((prompt, [(*answer[4:].split("\n\n", 1), answer[1] == "x") for answer in answers]))
    return found


@cache
def expected(markdown):
    """Return the pattern of what a reader should see: anything may stand for a reference."""
    parts = re.split(r"\{[\w:]+\}`[^`]*`", " ".join(markdown.split()))
    return ".+".join(re.escape(re.sub(r"\$([^$]+)\$|`([^`]+)`|\*([^*]+)\*", shown, part)) for part in parts)


def shown(found):
    return rf"\({found[1]}\)" if found[1] else found[2] or found[3]


def seen(html):
    """Return what a reader sees of HTML, which must be clean."""
    assert re.fullmatch(r"(<p>(?!\s)(?:(?!</?p>).)+(?<!\s)</p>)+", html), html
    tags = re.findall(r"<[^>]*>", html)
    assert all(re.fullmatch(r'</?(p|em|strong|code|sub|sup|a)>|<a href="[^"]*">', tag) for tag in tags), html
    ElementTree.fromstring(f"<div>{html}</div>")
    text = unescape(re.sub(r"<[^>]*>", "", html))
    words = re.sub(r"\\\(.+?\\\)", "x", text)
    assert not re.search(r"\$|`|:::|\{|\}|\\|\*|\[[ x]\]|\s\s", words), words
    assert not re.search(r"\\(eps|E)(?![A-Za-z])|\n", text), text
    return text.translate(QUOTES)


def check(questions, names):
    """Compare the questions of a file with the sources that should be in it."""
    questions = list(questions)
    wanted = [each for name in names for each in source(SOURCES[name])]
    assert len(questions) == len(wanted)
    assert len({name for name, *_ in questions}) == len({title for _, title, *_ in questions}) == len(wanted)
    for (_, _, prompt, answers), (asked, choices) in zip(questions, wanted, strict=True):
        assert re.fullmatch(expected(asked), seen(prompt))
        assert [right for *_, right in answers] == [right for *_, right in choices]
        assert sum(right for *_, right in answers) == 1
        for (text, reason, _), (choice, why, _) in zip(answers, choices, strict=True):
            assert re.fullmatch(expected(choice), seen(text))
            assert re.fullmatch(expected(why), seen(reason))


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    out = tmp_path_factory.mktemp("quizzes")
    quizzes.build(out)
    return out


def contents(exported, form, name="all"):
    return (exported / form / f"{name}.{SUFFIXES[form]}").read_bytes()


@every_format
def test_every_question_is_there_once(exported, form):
    files = {path.name for path in (exported / form).iterdir()}
    assert files == {f"{name}.{SUFFIXES[form]}" for name in [*SOURCES, "all"]}
    check(READERS[form](contents(exported, form)), SOURCES)
    for name in SOURCES:
        check(READERS[form](contents(exported, form, name)), [name])


def test_formats_agree(exported):
    first, *others = (list(read(contents(exported, form))) for form, read in READERS.items())
    assert all(other == first for other in others)
    assert [name for name, *_ in first][:2] == ["quiz-pages-teaching-1", "quiz-pages-teaching-2"]
    assert "quiz-chapters-01-one-answer-1" in {name for name, *_ in first}


def test_the_same_sources_give_the_same_bytes(exported, tmp_path):
    quizzes.build(tmp_path)
    for path in exported.rglob("*.*"):
        if path.is_file():
            assert path.read_bytes() == (tmp_path / path.relative_to(exported)).read_bytes()


def has_gift_parser():
    node = shutil.which("node")
    return (
        node
        and not subprocess.run(
            [node, "-e", "require.resolve('gift-pegjs')"], cwd=ROOT / "tools", capture_output=True
        ).returncode
    )


@pytest.mark.skipif(
    not has_gift_parser(),
    reason="GIFT WAS NOT READ BY AN INDEPENDENT PARSER: there is no gift-pegjs, see tools/package.json",
)
def test_an_independent_parser_reads_gift(exported):
    data = contents(exported, "gift")
    check(read_gift_independently(data), SOURCES)
    with pytest.raises((AssertionError, subprocess.CalledProcessError)):
        check(read_gift_independently(mutated(data, *MUTANTS["gift"]["a brace"])), SOURCES)


def mutated(data, old, new):
    """Change the first place that matches, in the first file of a package that has one."""
    if not data.startswith(b"PK"):
        text, changes = re.subn(old, new, data.decode(), count=1)
        assert changes
        return text.encode()
    stream, changed = io.BytesIO(), False
    with zipfile.ZipFile(io.BytesIO(data)) as archive, zipfile.ZipFile(stream, "w") as copy:
        for info in archive.infolist():
            text = archive.read(info)
            if not changed and re.search(old, text.decode()):
                text, changed = re.sub(old, new, text.decode(), count=1).encode(), True
            copy.writestr(info, text)
    assert changed
    return stream.getvalue()


MUTANTS = {
    "moodle-xml": {
        "none right": ('fraction="100"', 'fraction="0"'),
        "two right": ('fraction="0"', 'fraction="100"'),
        "half right": ('fraction="100"', 'fraction="50"'),
        "no reason": (r'(?s)(<feedback format="html"><text>).*?(</text>)', r"\1\2"),
        "no format": ('<feedback format="html">', "<feedback>"),
        "markup": (r"&lt;em&gt;(\w+)&lt;/em&gt;", r"*\1*"),
        "a role": (r"&lt;em&gt;(\w+)&lt;/em&gt;", r"{doc}`\1`"),
        "dollars": (r"\\\((.+?)\\\)", r"$\1$"),
        "not escaped": ("&lt;p&gt;", "<p>"),
        "escaped twice": ("&lt;p&gt;", "&amp;lt;p&amp;gt;"),
        "one lost": (r'(?s)<question type="multichoice">.*?</question>\n', ""),
        "one twice": (r'(?s)<question type="multichoice">.*?</question>\n', r"\g<0>\g<0>"),
        "a name twice": ("quiz-pages-teaching-2", "quiz-pages-teaching-1"),
    },
    "gift": {
        "none right": (r"(?m)^=", "~"),
        "two right": (r"(?m)^~", "="),
        "no reason": (r"(?m)^([=~].*?[^\\])#.*$", r"\1"),
        "a brace": (r"\\\{", "{"),
        "an equals sign": (r"(?m)^(~.*)\\=", r"\1="),
        "a hash": (r"\\:", "#"),
        "a line break": (r"\\\\notin", r"\\notin"),
        "a weight": (r"(?m)^~", "~%50%"),
        "an empty line": (r"(?m)^=", "\n="),
        "dollars": (r"\\\\\((.+?)\\\\\)", r"$\1$"),
        "one lost": (r"(?s)// \[id:quiz-pages-teaching-2\].*?\n\n", ""),
        "one twice": (r"(?s)// \[id:quiz-pages-teaching-2\].*?\n\n", r"\g<0>\g<0>"),
    },
    "qti-2.1": {
        "another right": ("<value>answer_1</value>", "<value>answer_2</value>"),
        "no such answer": ("<value>answer_1</value>", "<value>answer_9</value>"),
        "another score": ('<baseValue baseType="float">1<', '<baseValue baseType="float">0<'),
        "two right": ('<baseValue baseType="float">0<', '<baseValue baseType="float">1<'),
        "another reason": ("(?s)why_1(.*?)why_2", r"why_2\1why_1"),
        "no reason": (r"(?s)(<modalFeedback [^>]*>).*?(</modalFeedback>)", r"\1\2"),
        "a name for Canvas": (r"why_1(?s:(.*))why_1", r"why_C\1why_C"),
        "another order": (
            r"(?s)(<responseDeclaration.*</responseDeclaration>\n)(<outcomeDeclaration.*?</outcomeDeclaration>\n)",
            r"\2\1",
        ),
        "a bad name": ('identifier="quiz-pages-teaching-1" title', 'identifier="1-pages-teaching" title'),
        "a lost file": ('href="items/quiz-pages-teaching-1.xml"', 'href="items/none.xml"'),
        "a lost part": (r'<assessmentItemRef identifier="quiz-pages-teaching-1" .*\n', ""),
        "dollars": (r"\\\((.+?)\\\)", r"$\1$"),
        "not escaped": ("&lt;", "<"),
    },
    "qti-1.2": {
        "another right": (r"(?s)answer_\d(</varequal>\s*</conditionvar>\s*<setvar)", r"answer_4\1"),
        "no score": (">100</setvar>", ">0</setvar>"),
        "no reason": (r"(?s)(<itemfeedback.*?<mattext [^>]*>).*?(</mattext>)", r"\1\2"),
        "another reason": ("(?s)why_1(.*?)why_2", r"why_2\1why_1"),
        "reasons too late": ('continue="Yes"', 'continue="No"'),
        "several": ('rcardinality="Single"', 'rcardinality="Multiple"'),
        "CDATA": (r'(texttype="text/html">)(.*?)(</mattext>)', r"\1<![CDATA[<p>x</p>]]>\3"),
        "another order": (
            r"(?s)(<itemmetadata>.*?</itemmetadata>\n)(<presentation>.*?</presentation>\n)",
            r"\2\1",
        ),
        "one lost": (r"(?s)<item ident.*?</item>\n", ""),
        "a lost file": ('href="pre-check.xml"', 'href="none.xml"'),
        "dollars": (r"\\\((.+?)\\\)", r"$\1$"),
    },
}  # fmt: skip


@pytest.mark.parametrize(
    ("form", "mutant"), [(form, name) for form, mutants in MUTANTS.items() for name in mutants]
)
def test_mutants_are_caught(exported, form, mutant):
    data = mutated(contents(exported, form), *MUTANTS[form][mutant])
    with pytest.raises((AssertionError, ElementTree.ParseError, KeyError, ValueError)):
        check(READERS[form](data), SOURCES)


HOSTILE = r"""a < b & c > d; {x} ~ = # : \n \ne \\ \{ %50% [html] // ]]> "q" 's' $1$ &lt; ε"""


@every_format
@pytest.mark.parametrize("text", [HOSTILE, *HOSTILE.split()])
def test_nothing_is_read_as_markup_of_the_format(form, text):
    html = f"<p>{escape(text, quote=False)}</p>"
    answers = tuple(Answer(html, html, right) for right in (False, True, False))
    quiz = Quiz("hostile", text, (Question("quiz-hostile-1", f"Title {text}", html, answers),))
    ((name, title, prompt, choices),) = READERS[form](quizzes.FORMATS[form][1]([quiz]))
    assert (name, title, prompt) == ("quiz-hostile-1", f"Title {text}", html)
    assert choices == [(answer.text, answer.reason, answer.right) for answer in answers]


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        ('*a* **b** `c_d` "e" it\'s', "<p><em>a</em> <strong>b</strong> <code>c_d</code> “e” it\u2019s</p>"),
        (r"$\eps < \epsilon$ & <", r"<p>\(\varepsilon &lt; \epsilon\) &amp; &lt;</p>"),
        ("a\nb [c](https://example.org/?d&e)", '<p>a b <a href="https://example.org/?d&amp;e">c</a></p>'),
        ("{doc}`06-induction`", "<p>chapter 6</p>"),
        ("({prf:ref}`budget-thm-root`)", "<p>(Theorem “The root law” of chapter 18)</p>"),
        ("{ref}`lp-ex-kronecker`", "<p>Exercise “By hand: never infeasible” of chapter 4</p>"),
        ("{eq}`should-smp`", r"<p>\(\frac{k\,\sigma^2 + (k - 1)\,s}{N}\)</p>"),
    ],
)
def test_markup_becomes_html(markdown, html):
    (paragraph,) = quizzes.parse(markdown, quizzes.labels())
    assert quizzes.html(paragraph) == html


@pytest.mark.parametrize(
    ("markdown", "complaint"),
    [
        ("See {ref}`nowhere`.", "{ref}`nowhere` leads nowhere"),
        ("See {nothing}`x`.", "nothing"),
        ("- a list", "bullet_list cannot be exported"),
        ("[here](protection.md)", 'Unknown target name: "protection.md"'),
    ],
)
def test_what_cannot_be_exported_is_an_error(markdown, complaint):
    with pytest.raises(BadQuiz, match=re.escape(complaint)):
        quizzes.html(quizzes.parse(markdown, quizzes.labels())[0])
