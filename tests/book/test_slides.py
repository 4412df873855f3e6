"""The lectures' slides keep their time, show only what the book stores, and load nothing from elsewhere."""

import json
import re
from html.parser import HTMLParser
from math import exp, log, sqrt

import numpy as np
import pytest
import yaml

import orr
from tools.slides import BLANK, HANDOUT, LECTURES, ROOT, BadReference, assemble, build, chapter_cell

every_lecture = pytest.mark.parametrize("path", LECTURES, ids=lambda path: path.stem)
every_page = pytest.mark.parametrize("name", [path.stem for path in (*LECTURES, HANDOUT)])
CHAPTER = "chapters/02-many-answers.ipynb"
LONGEST = 35  # minutes of a lecture of 40: the others are for questions


class Page(HTMLParser):
    """Attributes of all tags of a page, and the text of its style sheets."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.styles = [], []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        if self.lasttag == "style":
            self.styles.append(data)

    def loads(self):
        """Return addresses that a browser would fetch."""
        tags = [attrs.get(name) for tag, attrs in self.tags for name in ("src", "href") if tag != "a"]
        outside = [address for address in tags if address and not address.startswith("#")]
        return outside + imports("".join(self.styles))

    def links(self):
        return [attrs["href"] for tag, attrs in self.tags if tag == "a"]


def imports(css):
    return re.findall(r"""url\(\s*["']?([^"')\s]+)""", css) + re.findall(r"""@import\s+["']([^"']+)""", css)


def is_outside(address):
    return re.match(r"(?!data:)(?:[a-z]+:|//)", address, re.IGNORECASE) is not None


def slides(path):
    """Cells of each slide, with their kind in the slide show."""
    result = []
    for cell in json.loads(path.read_text("utf-8"))["cells"]:
        kind = cell["metadata"].get("slideshow", {}).get("slide_type", "-")
        if kind in ("slide", "subslide"):
            result.append([])
        result[-1].append((kind, "".join(cell["source"]), cell))
    return result


def tags(slide):
    return slide[0][2]["metadata"].get("tags", [])


def note(slide):
    (text,) = [text for kind, text, _ in slide if kind == "notes"]
    return text


def notes(path):
    return [note(slide) for slide in slides(path)]


def minutes(path, without=()):
    """Add up the minutes of a lecture but its appendix, and but slides with some tags."""
    lecture = [slide for slide in slides(path) if not {"appendix", *without} & set(tags(slide))]
    return sum(int(number) for slide in lecture for number in re.findall(r"\((\d+) min\)", note(slide)))


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    outdir = tmp_path_factory.mktemp("slides")
    return {page.stem: page for page in build(outdir)}


def test_there_are_three_lectures():
    assert [path.stem for path in LECTURES] == ["lecture-1", "lecture-2", "lecture-3"]


@every_lecture
def test_lecture_leaves_time_for_questions(path):
    assert all(len(re.findall(r"\(\d+ min\)", text)) == 1 for text in notes(path))
    assert minutes(path) == LONGEST
    assert 0 < minutes(path) - minutes(path, ["skip"]) <= 10  # enough to catch up, and no more


@every_lecture
def test_notes_tell_the_time(path):
    times = [re.match(r"\((\d+) min, from 0:(\d\d)\)", cell.source) for cell in assemble(path).cells]
    parts, clock = zip(*[(int(time[1]), int(time[2])) for time in times if time], strict=True)
    assert list(clock) == [sum(parts[:i]) for i in range(len(parts))]
    assert len(clock) == len(slides(path))


def test_a_track_without_programs_is_marked_in_the_last_lecture_alone():
    *others, last = LECTURES
    assert not any("programs" in tags(slide) for path in others for slide in slides(path))
    assert f"that leaves {minutes(last, ['programs'])} minutes" in notes(last)[0]
    assert all("appendix" in tags(slide) for slide in slides(last)[-3:])
    assert sum("appendix" in tags(slide) for path in LECTURES for slide in slides(path)) == 3


@every_lecture
def test_what_may_be_left_out_says_so_in_its_notes(path):
    for slide in slides(path):
        assert ("skip" in tags(slide)) == ("**Skip if late." in note(slide))
        assert ("programs" in tags(slide)) == ("Survey methods: leave out.**" in note(slide))
        assert set(tags(slide)) <= {"question", "survey", "demo", "skip", "programs", "appendix"}


@every_lecture
def test_every_slide_has_a_heading_and_notes(path):
    assert 15 <= len(slides(path)) <= 21
    for slide in slides(path):
        assert slide[0][1].startswith("# ")
        kinds = [kind for kind, _, _ in slide]
        assert kinds.count("notes") == 1
        assert "fragment" not in kinds[: kinds.index("notes")], "notes of a fragment show with it only"


@every_lecture
def test_lecture_begins_with_what_one_can_do_afterwards(path):
    headings = [slide[0][1].splitlines()[0] for slide in slides(path)]
    assert "# After this lecture you can" in headings[:3]
    assert headings[-1 if path != LECTURES[-1] else -4] == "# Take home"
    if path == LECTURES[0]:
        assert headings[1].startswith("# Why")
        assert headings[3].startswith("# Three lectures")


def misconceptions():
    """Return what students think, by the guide's table."""
    table = (ROOT / "pages" / "teaching.md").read_text("utf-8").partition("\n## What students get wrong\n")[2]
    rows = [line.split("|")[1].strip() for line in table.partition("\n## ")[0].splitlines() if "|" in line]
    return rows[2:]


@every_lecture
def test_every_question_has_four_options_and_says_why_each_tempts(path):
    questions = [slide for slide in slides(path) if "question" in tags(slide)]
    assert 3 <= len(questions) <= 5
    for slide in questions:
        assert len(re.findall(r"^\d\. ", slide[0][1], re.MULTILINE)) == 4, slide[0][1]
        revealed = "".join(text for _, text, cell in slide[2:] if cell["cell_type"] == "markdown")
        (right,) = re.findall(r"^\*\*([A-D])\.\*\* ", revealed, re.MULTILINE)
        assert [kind for kind, _, _ in slide[1:3]] == ["notes", "fragment"]
        words = dict(re.findall(r"^- ([A-D]) (tempts|is right): \S", note(slide), re.MULTILINE))
        assert words == {letter: "is right" if letter == right else "tempts" for letter in "ABCD"}
        assert "\nThey will say: " in note(slide)
        (thought,) = re.findall(r'^Misconception: "(.+)"$', note(slide), re.MULTILINE)
        assert thought in misconceptions()


@every_lecture
def test_notes_name_sections_that_the_book_has(path):
    for text in notes(path):
        places = re.findall(r'chapter (\d+), "(.+?)"(?=[.;])', text.partition("\nBook: ")[2])
        assert places
        for number, section in places:
            (chapter,) = ROOT.glob(f"chapters/{int(number):02}-*.ipynb")
            cells = json.loads(chapter.read_text("utf-8"))["cells"]
            assert f"## {section}\n" in "\n".join("".join(cell["source"]) + "\n" for cell in cells)


@every_lecture
def test_slides_have_no_markup_that_only_the_book_understands(path):
    for slide in slides(path):
        for kind, text, cell in slide:
            assert not re.search(r"\{[\w:]+\}`|^:::|^```\{", text, re.MULTILINE)
            assert cell["cell_type"] in ("markdown", "raw")
            assert not (kind == "notes" and "$" in text), "the speaker's window does not typeset math"


@every_lecture
def test_raw_cells_become_figures_tables_and_formulas(path):
    raw = [text for slide in slides(path) for _, text, cell in slide if cell["cell_type"] == "raw"]
    cells = [cell for cell in assemble(path).cells if cell.cell_type == "code"]
    assert len(cells) == len(raw) > 0
    typeset = {"image/svg+xml", "text/html", "text/latex"}
    assert all(typeset & set(out.get("data", {})) for cell in cells for out in cell.outputs), "printed text"
    assert "raw" not in [cell.cell_type for cell in assemble(path).cells]


def stored(chapter, name):
    """Return the words and numbers that a cell of a chapter shows."""
    (path,) = ROOT.glob(f"chapters/{chapter:02}-*.ipynb")
    outputs = chapter_cell(f"chapters/{path.name} {name} output").outputs
    return "".join(out.get("text", "") or out["data"]["text/plain"] for out in outputs)


def flips(a, level):
    return (a - 1) / (exp(level) + a - 1)


def error(people, q=1 / 4):
    return sqrt(people * q * (1 - q)) / (1 - 2 * q)


def one_answer():
    """Return what slides of lecture 1 must say, computed."""
    meant, said = (int(line.split()[-1]) for line in stored(1, "warner-run").splitlines())
    estimate = int(stored(1, "warner-estimate").split()[-1])
    two, four, many = (f"{flips(a, 2):.2f}" for a in (2, 4, 16))
    believed = 1 / (1 + 99 * exp(-2))
    return {
        "count": [f"**{error(40):.1f}** people", f"**{error(10_000):.0f}**", f"error is {error(40):.1f}"],
        "larger": [f"| {meant:,} |", f"| {said:,} |", f"**{estimate:,}**", f"is {estimate - meant} off"],
        "negative": [f"estimate is \N{MINUS SIGN}{40 / 2 - 2 * 8:.0f}.", f"error of {error(40):.1f}"],
        "level": [f"=$ **{(3 / 4) / (1 / 4):.0f}**", f"**{log(3):.1f}**"],
        "rare": [
            f"keep {1 - flips(2, 2):.0%}",
            f"3. {believed:.0%}",
            f"{exp(2):.1f} to 99",
            f"{believed:.3f}",
        ],
        "belief": [f"({log(99):.1f}, the logarithm of 99)"],
        "more": [f"{two} for 2 values, {four} for 4, **{many}** for 16", f"{two}, {four} and {many}"],
    }


def several_answers():
    """Return what slides of lecture 2 must say, computed: two answers that flip with probability 1/4."""
    apart, together = (make([2, 2], [log(3)] * 2) for make in (orr.kronecker, orr.two_attribute))
    np.testing.assert_allclose(apart.matrix()[0], np.array([9, 3, 3, 1]) / 16)
    np.testing.assert_allclose(together.matrix()[0], np.array([5, 1, 1, 1]) / 8)
    np.testing.assert_allclose([apart.flip_probabilities, together.flip_probabilities], 1 / 4)
    nine, five = (round(exp(m.epsilon), 9) for m in (apart, together))
    sisters = [f"{exp(max(m.neighbour_epsilons)):.0f}" for m in (apart, together)]
    dial = orr.two_attribute([2, 2], [1.5, 1]).epsilon
    return {
        "adding": [f"Their ratio is **{nine:.0f}**"],
        "together": ["| **5** | nothing |", "| 1, 1 and **1** | the first, the second, **both** |"],
        "vote": [f"The ratio is **{five:.0f}**, where it was {nine:.0f}"],
        "sides": [
            "| 9/16 | 5/8 |", "| 3/16 each | 1/8 each |", "| 1/16 | 1/8 |", "| 1/4 | 1/4 |",
            rf"| $\log {nine:.0f}$ | **log {five:.0f}** |", r"| $\log {}$ | $\log {}$ |".format(*sisters),
            f"Kronecker {log(nine):.4f}, optimum {log(five):.4f}",
        ],
        "sister": [rf"Her level is $\log {sisters[1]}$"],
        "dial": [f"level is {1.5 + 1}", f"falls to {dial:.2f}"],
    }  # fmt: skip


def the_best():
    """Return what slides of lecture 3 must say, computed."""
    best = orr.optimal([2, 3, 4], [1, 1.5, 2])
    truth, first, second, *others = np.exp(
        [best.log_ratio(S) for S in ([], [0], [1], [2], [0, 1], [0, 2], [1, 2])]
    )
    np.testing.assert_allclose(others, 1)
    asked = np.log([4, 3, 3, 5, 4 / 3])
    got = orr.inductive([2, 3, 2, 2, 2], asked).epsilons
    changed = [f"**{x:.2f}**" if abs(x - y) > 0.1 else f"{x:.2f}" for x, y in zip(got, asked, strict=True)]
    rows = [re.split(r"\s{2,}", line) for line in stored(8, "budget-table").splitlines()]
    genome = {name: [float(x) for x in values] for name, *values in rows[1:]}
    return {
        "solved": [
            f"| nothing | 1 | **{truth:.2f}** |", f"| 1 | {first:.2f} |", f"| 2 | {second:.2f} |",
            f"| {2 * 3 * 4 - 4} | 1 |", f"**{best.epsilon:.2f}**, where one by one it is {1 + 1.5 + 2}",
        ],
        "weights": [f"optimum of {best.epsilon:.2f}", f"of {best.epsilon:.4f}"],
        "asked": [
            f"asked: {', '.join(f'{x:.2f}' for x in asked)}", f"| achieved | {' | '.join(changed)} |",
            f"from {asked[4]:.2f} to {got[4]:.2f}",
        ],
        "slack": ["from 0 to {:.0f}.".format(float(re.search(r"at ([\d.]+)%", stored(16, "guard-end"))[1]))],
        "same": [
            "| {:.1f} | {:.1f} |".format(*genome["overall level"]),
            "| **{:.1f}** | **{:.2f}** |".format(*genome["neighbour level, largest"]),
            "| {:.1f} | {:.1f} |".format(*genome["mean flips in a record"]), f"{100 * log(4):.1f}$",
        ],
    }  # fmt: skip


@pytest.mark.parametrize("numbers", [one_answer, several_answers, the_best], ids=lambda f: f.__name__)
def test_numbers_of_slides_are_those_of_the_package(numbers):
    path = LECTURES[[one_answer, several_answers, the_best].index(numbers)]
    texts = {slide[0][2]["id"]: "\n".join(text for _, text, _ in slide) for slide in slides(path)}
    missing = [(name, word) for name, words in numbers().items() for word in words if word not in texts[name]]
    assert missing == []


def test_formulas_of_the_handout_are_those_of_the_package():
    # The variance of an estimate in general: undo the matrix, and add up what each person contributes.
    level, people = 2, np.array([7_000, 1_500, 1_000, 500])
    a, mechanism = len(people), orr.kronecker([4], [level])
    q = flips(a, level)
    assert np.isclose(q, mechanism.flip_probabilities[0])
    P = mechanism.matrix()
    undone = np.linalg.inv(P)
    variance = (undone**2 @ P - (undone @ P) ** 2) @ people
    r, shrinks = q / (a - 1), 1 - q * a / (a - 1)
    by_hand = np.sqrt(people * q * (1 - q) + (people.sum() - people) * r * (1 - r)) / shrinks
    np.testing.assert_allclose(by_hand, np.sqrt(variance))
    assert "| 1/8 each |" in HANDOUT.read_text("utf-8")


def test_blanks_of_the_handout_are_called_out_in_the_notes():
    blanks = [int(number) for number in BLANK.findall(HANDOUT.read_text("utf-8"))]
    called = []
    for text in [text for path in LECTURES for text in notes(path)]:
        for first, many, last in re.findall(r"Handout (\d+)(?: (to|and) (\d+))?\.", text):
            called += range(int(first), int(last or first) + 1) if many != "and" else [int(first), int(last)]
    assert sorted(called) == sorted(blanks) == list(range(1, len(blanks) + 1))


def test_parts_of_a_cell():
    code, output, both = (
        chapter_cell(f"{CHAPTER} dial-optimum {part}") for part in ("code", "output", "both")
    )
    assert code.source == both.source != ""
    assert output.outputs == both.outputs != []
    assert (output.source, code.outputs) == ("", [])


def spoiled(tmp_path, **changes):
    """Return a copy of lecture 1 whose first raw cell is another one, and the name of that cell."""
    lecture = json.loads(LECTURES[0].read_text("utf-8"))
    raw = next(cell for cell in lecture["cells"] if cell["cell_type"] == "raw")
    raw.update(changes)
    copy = tmp_path / "lecture-4.ipynb"
    copy.write_text(json.dumps(lecture), "utf-8")
    return copy, raw["id"]


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("chapters/99-nowhere.ipynb dial-figure output", "there is no chapter chapters/99-nowhere.ipynb"),
        (f"{CHAPTER} nothing output", f"{CHAPTER} has no code cell with the id nothing"),
        (f"{CHAPTER} opening output", f"{CHAPTER} has no code cell with the id opening"),
        (f"{CHAPTER} setup output", f"the cell setup of {CHAPTER} has no output"),
        (f"{CHAPTER} dial-figure picture", "output, code or both"),
        (f"{CHAPTER} dial-figure", "output, code or both"),
    ],
)
def test_bad_references_are_named(tmp_path, reference, message):
    copy, name = spoiled(tmp_path, source=reference)
    with pytest.raises(BadReference) as error:
        assemble(copy)
    assert f"lecture-4.ipynb, cell {name}" in str(error.value)
    assert message in str(error.value)


@pytest.mark.parametrize("number", ["7.77", "1.00"])  # one that is not there, one that is there twice
def test_a_number_to_mark_must_stand_in_the_table_once(tmp_path, number):
    reference = f"{CHAPTER} kron-three output"
    copy, name = spoiled(tmp_path, source=reference, metadata={"mark": [number]})
    with pytest.raises(BadReference, match=f"cell {name}: there is not one {number} in the table"):
        assemble(copy)


def test_a_number_is_marked_in_its_table(built):
    assert "<strong>3.44</strong></td>" in built["lecture-2"].read_text("utf-8")


@every_page
def test_pages_load_only_files_that_lie_beside_them(name, built):
    page = built[name]
    html = page.read_text("utf-8")
    loads = [(page, address) for address in Page(html).loads()]
    for sheet in page.parent.rglob("*.css"):
        loads += [(sheet, address) for address in imports(sheet.read_text("utf-8"))]
    assert len(loads) > 5
    for origin, address in loads:
        assert not is_outside(address), f"{origin.name} loads {address}"
        if not address.startswith("data:"):
            assert (origin.parent / re.split("[?#]", address)[0]).is_file()
    assert not re.search(r"""(?:import|fetch|require)\s*\(?\s*\[?\s*["'](?:https?:)?//""", html)


@pytest.mark.parametrize(
    "html",
    [
        '<script src="https://cdn.example/x.js"></script>',
        '<link rel="stylesheet" href="//cdn.example/x.css">',
        "<style>@import url(https://fonts.example/a.css);</style>",
        "<style>@import '//fonts.example/a.css';</style>",
        "<style>a { background: url('http://x.example/a.png') }</style>",
    ],
)
def test_an_address_elsewhere_would_be_seen(html):
    assert any(is_outside(address) for address in Page(html).loads())


@every_page
def test_pages_link_to_the_book_and_to_each_other(name, built):
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))
    pages = {f"../{chapter['file']}.html" for part in toc["parts"] for chapter in part["chapters"]}
    pages |= {"../survey.html"} | {f"{page}.html" for page in built}
    links = Page(built[name].read_text("utf-8")).links()
    assert len(links) >= 7
    assert {link.partition("#")[0] for link in links} <= pages
    assert any(link.startswith("../pages/explorer.html") for link in links)


@every_lecture
def test_every_slide_links_to_its_place_in_the_book(path, built):
    html = built[path.stem].read_text("utf-8")
    assert html.count('<p class="places">') == len(slides(path))


@every_lecture
def test_pages_say_what_their_figures_show(path, built):
    html = built[path.stem].read_text("utf-8")
    pictures = [attrs for tag, attrs in Page(html).tags if attrs.get("role") == "img"]
    cells = [cell for cell in assemble(path).cells if cell.cell_type == "code"]
    figures = [out for cell in cells for out in cell.outputs if "image/svg+xml" in out.get("data", {})]
    assert len(pictures) == len(figures) > 0
    assert all(len(picture["aria-label"].split()) >= 12 for picture in pictures)


@every_page
def test_pages_have_one_typeface_and_no_name_twice(name, built):
    html = built[name].read_text("utf-8")
    names = [attrs["id"] for tag, attrs in Page(html).tags if "id" in attrs]
    assert len(names) == len(set(names))
    assert "typeface/typeface.css" in Page(html).loads()
    sheets = "".join(sheet.read_text("utf-8") for sheet in built[name].parent.rglob("*.css"))
    assert re.findall("@font-face", sheets) == ["@font-face"] * 3  # of the typeface on the reader's machine


@every_page
def test_pages_have_a_language_a_title_and_the_macros_of_the_book(name, built):
    html = built[name].read_text("utf-8")
    (source,) = [path for path in (*LECTURES, HANDOUT) if path.stem == name]
    text = source.read_text("utf-8") if source == HANDOUT else slides(source)[0][0][1]
    assert '<html lang="en">' in html
    assert f"<title>{text.splitlines()[0].removeprefix('# ')}</title>" in html
    assert r'"eps": "\\varepsilon"' in html


def test_reveal_comes_with_its_licence(built):
    (outdir,) = {page.parent for page in built.values()}
    assert "MIT" in (outdir / "reveal.js" / "dist" / "reveal.js").read_text("utf-8")[:200]
    assert "Permission is hereby granted" in (outdir / "reveal.js" / "LICENSE").read_text("utf-8")
