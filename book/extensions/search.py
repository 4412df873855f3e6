"""The index that the search looks words up in: Pagefind's, of one record for each part of a page."""

import base64
import json
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

import yaml
from docutils import nodes
from sphinx.errors import ExtensionError
from sphinx.util import logging

from plain import parts

ROOT = Path(__file__).resolve().parents[2]
WORDS = ROOT / "pages" / "search.yml"
UNUSED = "pagefind-*ui.*", "pagefind-highlight.js", "wasm.unknown.pagefind"  # the search has looks of its own
NO_PAGEFIND = "the search needs Pagefind, which is not installed: pip install -e '.[book]'"
logger = logging.getLogger(__name__)


def kept(app, page: str) -> Path:
    """Return where the parts of a page are kept for builds that do not write it again."""
    return Path(app.doctreedir, "search", f"{page}.json")


def keep(app, doctree: nodes.document, page: str) -> None:
    """Keep the parts of a page that is written."""
    if app.builder.name == "html":
        path = kept(app, page)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(parts(app.env, page, doctree)), "utf-8")


def records(pages: dict[str, list[dict]], words: list[dict]) -> Iterator[dict]:
    """Yield a record for each part of the pages, with the words of others that lead to it."""
    for page, found in pages.items():
        for part in found:
            said, here = f"{part['title']} {part['text']}", place(page, part)
            meta = {
                "title": part["title"],
                "page": found[0]["title"],
                "term": part["title"] if part["kind"] == "definition_list_item" else "",
                "first": listed(entry for entry in words if here in entry.get("first", [])),
                "next": listed(entry for entry in words if here in entry.get("next", [])),
                "also": listed(entry for entry in words if says(said, entry.get("ours", []))),
            }
            yield {
                "url": f"{page}.html#{part['anchor']}".rstrip("#"),
                "content": part["text"] or part["title"],  # Pagefind drops what is empty
                "meta": {name: value for name, value in meta.items() if value},
            }


def place(page: str, part: dict) -> str:
    """Return how search.yml calls a part of a page: ``chapters/01-one-answer#choosing-a-level``."""
    return f"{page}#{part['anchor']}".rstrip("#")


def says(text: str, phrases: list[str]) -> bool:
    """Return whether a text has one of some phrases, or a longer form of it."""
    return any(re.search(rf"\b{re.escape(phrase)}", text, re.IGNORECASE) for phrase in phrases)


def listed(entries: Iterable[dict]) -> str:
    """Return all words that are typed for some entries, each once."""
    return " ".join(dict.fromkeys(word for entry in entries for word in entry["typed"]))


def lost(pages: dict[str, list[dict]], words: list[dict]) -> list[str]:
    """Return the places that the words lead to and that do not exist."""
    places = {place(page, part) for page, found in pages.items() for part in found}
    named = [name for entry in words for key in ("first", "next") for name in entry.get(key, [])]
    return [name for name in named if name not in places]


class Pagefind:
    """Pagefind's service. Its own wrapper for Python waits a tenth of a second after every record."""

    def __init__(self) -> None:
        try:
            from pagefind_bin import get_executable

            command = [str(get_executable()), "--service"]
        except (ImportError, FileNotFoundError) as missing:
            raise ExtensionError(NO_PAGEFIND) from missing
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, request: str, **arguments: object) -> dict:
        """Send a request and return the answer: JSON in base64, up to a comma."""
        message = json.dumps({"message_id": 1, "payload": {"type": request, **arguments}})
        self.process.stdin.write(base64.b64encode(message.encode()) + b",")
        self.process.stdin.flush()
        answer = b""
        while not answer.endswith(b","):
            part = self.process.stdout.read1()
            if not part:
                raise ExtensionError("Pagefind stopped before it had made the search index")
            answer += part
        payload = json.loads(base64.b64decode(answer[:-1]))["payload"]
        if payload["type"] == "Error":
            raise ExtensionError(f"Pagefind makes no search index: {payload['message']}")
        return payload

    def __enter__(self) -> "Pagefind":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


def write(found: Iterator[dict], folder: Path) -> None:
    """Write the index of some records into a folder, and nothing else.

    Pagefind could write it too, but says so before all of it is on the disk.
    """
    shutil.rmtree(folder, ignore_errors=True)
    with Pagefind() as pagefind:
        index = pagefind.ask("NewIndex", config={"force_language": "en"})["index_id"]
        for record in found:
            pagefind.ask("AddRecord", index_id=index, language="en", **record)
        files = pagefind.ask("GetFiles", index_id=index)["files"]
    for file in files:
        path = folder / file["path"]
        if not any(path.match(pattern) for pattern in UNUSED):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(base64.b64decode(file["content"]))


def make_index(app, exception: Exception | None) -> None:
    """Make the index of the book once all its pages are written."""
    if exception or app.builder.name != "html":
        return
    pages = {page: json.loads(kept(app, page).read_text("utf-8")) for page in sorted(app.env.found_docs)}
    words = yaml.safe_load(WORDS.read_text("utf-8"))
    for name in lost(pages, words):
        logger.warning("search.yml leads to %s, which does not exist", name)
    write(records(pages, words), Path(app.outdir, "pagefind"))


def setup(app) -> dict:
    """Register with Sphinx: after all others have changed a page."""
    app.connect("doctree-resolved", keep, priority=950)
    app.connect("build-finished", make_index)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
