"""The lectures' slides keep their time, show only what the book stores, and load nothing from elsewhere."""

import json
import re
from html.parser import HTMLParser

import pytest

from tools.slides import LECTURES, ROOT, BadReference, assemble, build, chapter_cell

every_lecture = pytest.mark.parametrize("path", LECTURES, ids=lambda path: path.stem)
CHAPTER = "chapters/02-many-answers.ipynb"


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


def notes(path):
    return [text for slide in slides(path) for kind, text, _ in slide if kind == "notes"]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    outdir = tmp_path_factory.mktemp("slides")
    return {page.stem: page for page in build(outdir)}


def test_there_are_two_lectures():
    assert [path.stem for path in LECTURES] == ["lecture-1", "lecture-2"]


@every_lecture
def test_lecture_takes_45_minutes(path):
    minutes = [re.findall(r"\((\d+) min\)", text) for text in notes(path)]
    assert all(len(found) == 1 for found in minutes)
    assert sum(int(found[0]) for found in minutes) == 45


@every_lecture
def test_every_slide_has_a_heading_and_notes(path):
    assert 18 <= len(slides(path)) <= 24
    for slide in slides(path):
        assert slide[0][1].startswith("# ")
        kinds = [kind for kind, _, _ in slide]
        assert kinds.count("notes") == 1
        assert "fragment" not in kinds[: kinds.index("notes")], "notes of a fragment show with it only"


@every_lecture
def test_every_question_has_its_answer_in_a_fragment(path):
    questions = [slide for slide in slides(path) if "question" in slide[0][2]["metadata"].get("tags", [])]
    assert 2 <= len(questions) <= 3
    assert all("fragment" in [kind for kind, _, _ in slide] for slide in questions)


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
def test_raw_cells_become_cells_of_the_book(path):
    raw = [text for slide in slides(path) for _, text, cell in slide if cell["cell_type"] == "raw"]
    lecture = assemble(path)
    assert [cell.cell_type for cell in lecture.cells].count("code") == len(raw) > 0
    assert "raw" not in [cell.cell_type for cell in lecture.cells]


def test_parts_of_a_cell():
    code, output, both = (
        chapter_cell(f"{CHAPTER} dial-optimum {part}") for part in ("code", "output", "both")
    )
    assert code.source == both.source != ""
    assert output.outputs == both.outputs != []
    assert (output.source, code.outputs) == ("", [])


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
    lecture = json.loads(LECTURES[0].read_text("utf-8"))
    raw = next(cell for cell in lecture["cells"] if cell["cell_type"] == "raw")
    raw["source"] = reference
    copy = tmp_path / "lecture-3.ipynb"
    copy.write_text(json.dumps(lecture), "utf-8")
    with pytest.raises(BadReference) as error:
        assemble(copy)
    assert f"lecture-3.ipynb, cell {raw['id']}" in str(error.value)
    assert message in str(error.value)


@every_lecture
def test_pages_load_only_files_that_lie_beside_them(path, built):
    page = built[path.stem]
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


@every_lecture
def test_pages_say_what_their_figures_show(path, built):
    html = built[path.stem].read_text("utf-8")
    pictures = [attrs for tag, attrs in Page(html).tags if attrs.get("role") == "img"]
    cells = [cell for cell in assemble(path).cells if cell.cell_type == "code"]
    figures = [out for cell in cells for out in cell.outputs if "image/svg+xml" in out.get("data", {})]
    assert len(pictures) == len(figures) > 0
    assert all(len(picture["aria-label"].split()) >= 12 for picture in pictures)


@every_lecture
def test_pages_have_one_typeface_and_no_name_twice(path, built):
    html = built[path.stem].read_text("utf-8")
    names = [attrs["id"] for tag, attrs in Page(html).tags if "id" in attrs]
    assert len(names) == len(set(names))
    assert "typeface/typeface.css" in Page(html).loads()
    sheets = "".join(sheet.read_text("utf-8") for sheet in built[path.stem].parent.rglob("*.css"))
    assert re.findall("@font-face", sheets) == ["@font-face"] * 4  # three faces and the one before they load


@every_lecture
def test_pages_have_a_language_a_title_and_the_macros_of_the_book(path, built):
    html = built[path.stem].read_text("utf-8")
    assert '<html lang="en">' in html
    title = slides(path)[0][0][1].splitlines()[0].removeprefix("# ")
    assert f"<title>{title}</title>" in html
    assert r'"eps": "\\varepsilon"' in html


def test_reveal_comes_with_its_licence(built):
    (outdir,) = {page.parent for page in built.values()}
    assert "MIT" in (outdir / "reveal.js" / "dist" / "reveal.js").read_text("utf-8")[:200]
    assert "Permission is hereby granted" in (outdir / "reveal.js" / "LICENSE").read_text("utf-8")
