"""Open a published book as a reader does, and say what is missing: a page, a figure, a file, or the search.

    python tools/published.py https://example.org/book/

It opens every page of the table of contents that it lies beside, and nothing of another host.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import yaml
from playwright.sync_api import Browser, Error, Page, Request, Response

from browsing import WIDE, NoBrowser, chromium

ROOT = Path(__file__).resolve().parent.parent
SOUGHT = "neighbour"  # a word of many pages
PATIENCE = 30_000  # milliseconds for whatever has not come yet, on a line that may be slow
TRIES, PAUSE = 4, 30  # a server may show the last edition for a minute
# Bring all pictures and figures of a page before the reader's eyes, and return those that do not show.
LOOK = """async ([patience, cells]) => {
    const sleep = time => new Promise(done => setTimeout(done, time));
    const comes = async ready => {
        for (let waited = 0; !ready(); waited += 50) {
            if (waited > patience) return false;
            await sleep(50);
        }
        return true;
    };
    const missing = [];
    for (const image of document.images) {
        image.loading = "eager";
        const loaded = await comes(() => image.complete);
        if (!loaded || !image.naturalWidth) missing.push(`the image ${image.src}`);
    }
    for (const drawing of document.querySelectorAll("article svg"))
        if (!drawing.childElementCount) missing.push("what a drawing shows");
    for (const figure of document.querySelectorAll(".touch")) {
        figure.scrollIntoView({ block: "center", behavior: "instant" });
        const mounted = await comes(() => "mounted" in figure.dataset);
        if (!mounted) missing.push(`the figure ${figure.dataset.figure}`);
    }
    for (const cell of document.querySelectorAll('[class*="tag_touch-"]'))
        if (!cell.querySelector(".touch")) missing.push(`the figure of ${cell.className}`);
    const picture = ".cell_output :is(img, .touch, svg:not(button *))"; // a button that copies has a drawing
    const shown = document.querySelectorAll(`.cell:has(${picture})`).length;
    if (shown < cells) missing.push(`${cells - shown} of ${cells} pictures`);
    return missing;
}"""
FILES = "base => [...document.links].map(link => link.href.split('#')[0]).filter(url => url.startsWith(base))"
ASK = """urls => Promise.all(urls.map(async url => {
    const { ok, status } = await fetch(url, { method: "HEAD" });
    return ok ? [] : [`${status} from ${url}`];
}))"""
FOUND = """([places, known]) => [...document.querySelectorAll("main a[href]")].some(({ href }) => {
    const place = href.split(/[?#]/)[0];
    return places.includes(place) && !known.includes(place);
})"""
LINKS = "() => [...document.querySelectorAll('main a[href]')].map(({ href }) => href.split(/[?#]/)[0])"


def contents() -> list[str]:
    """Return the pages of the book in their order, without the ends of their names."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))
    return [toc["root"], *(page["file"] for part in toc["parts"] for page in part["chapters"])]


def pictures(page: str) -> int:
    """Return how many cells of a chapter have a picture among their stored outputs."""
    path = ROOT / f"{page}.ipynb"
    cells = json.loads(path.read_text("utf-8"))["cells"] if path.exists() else []
    kinds = [{kind for out in cell.get("outputs", []) for kind in out.get("data", {})} for cell in cells]
    return sum(any(kind.startswith("image/") for kind in found) for found in kinds)


def reporting(check: Callable[..., None]) -> Callable[..., list[str]]:
    """Let a check return what it finds wrong, and whatever stops it."""

    @wraps(check)
    def checked(self: "Published", *which: str) -> list[str]:
        wrong: list[str] = []
        try:
            check(self, wrong, *which)
        except Error as error:
            wrong.append(error.message.splitlines()[0])
        return wrong

    return checked


class Published:
    """A book at an address, opened in a browser."""

    def __init__(self, address: str, browser: Browser, patience: int = PATIENCE) -> None:
        self.base = f"{address.rstrip('/')}/"
        self.pages = contents()
        self.patience = patience
        self.files: set[str] = set()  # that the pages link to
        self.context = browser.new_context(viewport=WIDE)
        self.context.set_default_timeout(patience)
        self.context.set_default_navigation_timeout(PATIENCE)

    def place(self, page: str) -> str:
        """Return the address of a page; the first one is at the address of the book."""
        return self.base if page == self.pages[0] else self.at(f"{page}.html")

    def at(self, name: str) -> str:
        """Return the address of a file."""
        return urljoin(self.base, name)

    @contextmanager
    def visit(self, url: str, wrong: list[str], status: int = 200) -> Iterator[Page]:
        """Open an address, and collect what goes wrong while it is open."""

        def failed(request: Request) -> None:
            if "ERR_ABORTED" not in (request.failure or ""):  # what the page itself has given up
                wrong.append(f"no answer from {request.url}")

        def answered(response: Response) -> None:
            expected = status if response.url == url else 200
            if response.status != expected and not (response.ok and expected == 200):
                wrong.append(f"{response.status} from {response.url}")

        with self.context.new_page() as page:
            page.on("requestfailed", failed)
            page.on("response", answered)
            page.on("pageerror", lambda error: wrong.append(f"a script fails: {error}"))
            page.on("console", lambda said: wrong.extend(complaint(said.type, said.text)))
            page.goto(url)
            yield page

    @reporting
    def read(self, wrong: list[str], name: str) -> None:
        """Look at a page of the book: all that it shows is there."""
        url = self.place(name)
        with self.visit(url, wrong) as page:
            found = page.evaluate(LOOK, [self.patience, pictures(name)])
            wrong += [f"{what} is missing" for what in found]
            canonical = page.locator("link[rel=canonical]")
            if canonical.count() and canonical.get_attribute("href") != url:
                wrong.append(f"it says that it is at {canonical.get_attribute('href')}")
            self.files |= set(page.evaluate(FILES, self.base)) - set(map(self.place, self.pages))

    @reporting
    def search(self, wrong: list[str]) -> None:
        """Search for a word, and expect a link that was not there before."""
        with self.visit(self.at("search.html"), wrong) as page:
            known = page.evaluate(LINKS)
        with self.visit(self.at(f"search.html?q={SOUGHT}"), wrong) as page:
            places = [self.at(f"{name}.html") for name in self.pages]
            try:
                page.wait_for_function(FOUND, arg=[places, known])
            except Error:
                wrong.append(f"nothing is found for {SOUGHT!r}")

    @reporting
    def lost(self, wrong: list[str]) -> None:
        """Go where nothing is, and expect a way back."""
        with self.visit(self.at("no/such/page.html"), wrong, status=404) as page:
            if not {self.base, self.at("index.html")} & set(page.evaluate(LINKS)):
                wrong.append("lost readers get no link to the first page")

    @reporting
    def ask(self, wrong: list[str]) -> None:
        """Ask for the files that pages link to, without loading them."""
        with self.visit(self.at("search.html"), []) as page:
            wrong += [what for found in page.evaluate(ASK, sorted(self.files)) for what in found]

    def checks(self) -> Iterator[tuple[str, list[str]]]:
        """Look at one thing after another, and yield its name and what is wrong with it."""
        for page in self.pages:
            yield page, self.read(page)
        yield "search", self.search()
        yield "a page that does not exist", self.lost()
        yield f"{len(self.files)} files", self.ask()


def complaint(kind: str, text: str) -> list[str]:
    """Return what the browser complains of, but for files, which the server's answers tell better."""
    return [f"the browser says: {text}"] if kind == "error" and "Failed to load resource" not in text else []


def look(book: Published) -> dict[str, list[str]]:
    """Look at everything once, say how far it is, and return what is wrong."""
    found = {}
    for name, wrong in book.checks():
        print(f"{'MISSING' if wrong else 'there':8} {name}", flush=True)
        if wrong:
            found[name] = wrong
    return found


def main() -> None:
    """Look again for a while if something is missing, and fail if it stays so."""
    parser = argparse.ArgumentParser(description="Open a published book and say what is missing.")
    parser.add_argument("address", help="where the book is")
    address = parser.parse_args().address
    host = urlsplit(address).hostname
    if not host:
        sys.exit(f"{address!r} is no address; allowed is one like https://example.org/book/")
    with chromium(host) as browser:
        for left in reversed(range(TRIES)):
            found = look(Published(address, browser))
            if not found:
                print(f"The book at {address} is all there.")
                return
            if left:
                print(f"Something is missing. Looking again in {PAUSE} seconds.", flush=True)
                time.sleep(PAUSE)
    sys.exit("\n".join(f"{name}: {what}" for name, wrong in found.items() for what in wrong))


if __name__ == "__main__":
    try:
        main()
    except NoBrowser as reason:
        sys.exit(f"The book was not opened: {reason}.")
