"""Print the whole book into one PDF, with contents, page numbers, bookmarks and links that work."""

import posixpath
import re
import subprocess
import sys
from pathlib import Path

from bs4 import BeautifulSoup, Tag
from playwright.sync_api import Browser, Page
from pypdf import PdfReader

from browsing import NoBrowser, chromium

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "_build" / "pdf"
PDF = OUT / "optimized-randomized-response.pdf"
MARK = "article span[id^=document-]"  # where a document begins
FOOTER = '<div style="width: 100%; font: 8pt sans-serif; text-align: center" class="pageNumber"></div>'
PREPARE = """async () => {
    document.documentElement.dataset.theme = "light";
    for (const part of document.querySelectorAll("details")) {
        part.removeAttribute("name"); // of answers with one name only one can be open
        part.open = true;
    }
    await document.fonts.ready;
    const formulas = [...document.querySelectorAll(".math")];
    return [
        ...[...document.images].filter(image => !image.naturalWidth).map(image => image.src),
        ...formulas.filter(math => !math.querySelector("mjx-container")).map(math => math.textContent),
        ...[...document.querySelectorAll("mjx-merror")].map(error => error.textContent),
        ...[...document.querySelectorAll("article :is(pre, mjx-container[display], .cell_output, table)")]
            .filter(block => block.clientWidth && block.scrollWidth > block.clientWidth + 1)
            .map(block => block.textContent),
    ];
}"""
NUMBER = """pages => {
    for (const line of document.querySelectorAll(".contents a")) {
        line.querySelector(".page-number").textContent = pages[line.hash.slice(1)];
    }
}"""
PAPER = {"width": 642, "height": 971}  # A4 with margins of 20 mm, at 96 dots an inch


class Broken(Exception):
    """Something in the book that does not work on paper."""


def one_page() -> Path:
    """Build the book as one page, from what an earlier build has read already."""
    command = [Path(sys.executable).with_name("jupyter-book"), "build", ROOT, "--builder", "singlehtml"]
    subprocess.run([*command, "--quiet", "-W", "--keep-going"], check=True)
    return ROOT / "_build" / "singlehtml" / "index.html"


def leave_out_explorer(page: BeautifulSoup) -> None:
    """Take away the page that only a screen can show; links to it become text."""
    if mark := page.select_one('[id="document-pages/explorer"]'):
        mark.find_next_sibling("section").decompose()
        mark.decompose()
        page.select_one('#jb-print-toc a[href="#document-pages/explorer"]').find_parent("li").decompose()


def move_contents(page: BeautifulSoup) -> None:
    """Put the theme's list of chapters between the first page and the first chapter."""
    contents = page.select_one("#jb-print-toc").extract()
    contents["class"] = "contents"
    for line in contents.select("a"):
        line.append(page.new_tag("span", attrs={"class": "page-number"}, string="000"))
    page.select_one(MARK).insert_before(contents)


def connect(page: BeautifulSoup) -> None:
    """Give every document ids of its own, as they share a page now, and lead the links to them.

    Drawings have such ids already.
    """
    document, places, links = "index", {("index", "")}, []
    page.article["id"] = own_id("index", "")
    for element in page.select("article [id]:not(svg *), article a[href]"):
        target = element.get("id", "")
        if element.name == "span" and target.startswith("document-"):
            document, target = target.removeprefix("document-"), ""
        if element.get("id"):
            places.add((document, target))
            element["id"] = own_id(document, target)
        if element.get("href") and not re.match("https?:|mailto:", element["href"]):
            links.append((element, document))
    for link, here in links:
        place = destination(link["href"], here)
        if place in places:
            link["href"] = "#" + own_id(*place)
        elif place[0] in {document for document, _ in places}:
            raise Broken(f"the link from {here} to {link['href']} leads nowhere")
        else:
            link.unwrap()  # to a file that is no part of the PDF


def move_marks(marks: list[Tag]) -> None:
    """Put the mark of each document on the first page of its own, not on the last of the one before."""
    for mark in marks:
        mark.find_next_sibling("section").insert(0, mark.extract())


def own_id(document: str, target: str) -> str:
    """Return the id of a place in a document, free of what addresses would have to quote."""
    return re.sub(r"[^\w.-]", "-", f"{document}--{target}")


def destination(href: str, here: str) -> tuple[str, str]:
    """Return the document and the place in it that a link leads to."""
    if found := re.fullmatch(r"#document-([^#]*)#?(.*)", href):
        return found[1], found[2]
    path, _, target = href.partition("#")
    beside = posixpath.join(posixpath.dirname(here), path.removesuffix(".html"))
    return posixpath.normpath(beside) if path else here, target


def open_page(browser: Browser, path: Path) -> Page:
    """Open the page as paper shows it, and wait until everything in it is set."""
    page = browser.new_page(viewport=PAPER)
    page.set_default_timeout(600_000)
    page.emulate_media(media="print")
    page.goto(path.as_uri())
    if broken := page.evaluate(PREPARE):
        raise Broken("not set, or wider than the paper: " + ", ".join(broken))
    return page


def save(page: Page, final: bool) -> PdfReader:
    """Print the page and return what came out; only the final print has tags and bookmarks."""
    page.pdf(
        path=PDF, format="A4", margin=dict.fromkeys(["top", "bottom", "left", "right"], "20mm"),
        display_header_footer=True, header_template="<span></span>", footer_template=FOOTER,
        print_background=True, outline=final, tagged=final,
    )  # fmt: skip
    return PdfReader(PDF)


def page_numbers(pdf: PdfReader) -> dict[str, int]:
    """Return the number of the page on which each place is."""
    places = pdf.named_destinations.items()
    return {place.removeprefix("/"): pdf.get_destination_page_number(where) + 1 for place, where in places}


def check(pdf: PdfReader) -> None:
    """Make sure that links inside the PDF lead to places that it has, and none to a file on this machine."""
    for page in pdf.pages:
        for annotation in page.get("/Annots", []):
            link = annotation.get_object()
            if "/Dest" in link and str(link["/Dest"]) not in pdf.named_destinations:
                raise Broken(f"a link leads to {link['/Dest']}, which is not in the PDF")
            if "/A" in link and not link["/A"]["/URI"].startswith(("http", "mailto:")):
                raise Broken(f"a link leads to {link['/A']['/URI']}")


def main() -> None:
    """Print twice: the contents can say the numbers of the pages only once these are known."""
    source = one_page()
    html = BeautifulSoup(source.read_text("utf-8"), "html.parser")
    leave_out_explorer(html)
    marks = html.select(MARK)
    move_contents(html)
    connect(html)
    move_marks(marks)
    book = source.with_name("book.html")
    OUT.mkdir(parents=True, exist_ok=True)
    book.write_text(str(html), "utf-8")
    with chromium() as browser:
        page = open_page(browser, book)
        numbers = page_numbers(save(page, final=False))
        page.evaluate(NUMBER, numbers)
        pdf = save(page, final=True)
    check(pdf)
    if page_numbers(pdf) != numbers:
        raise Broken("the numbers in the contents moved the pages")
    print(f"The book is printed, {len(pdf.pages)} pages. Open {PDF}")


if __name__ == "__main__":
    try:
        main()
    except (Broken, NoBrowser, subprocess.CalledProcessError) as reason:
        PDF.unlink(missing_ok=True)
        sys.exit(f"There is no PDF: {reason}.")
