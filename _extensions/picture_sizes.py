"""Pictures whose place is kept while they load: their width and height stand in the page."""

import re
import struct
from pathlib import Path

from sphinx.application import Sphinx

IMAGE = re.compile(r'<img\b(?![^>]* width=)[^>]*? src="[^"]*?_images/([^"]+)"[^>]*?(?=\s*/?>)')
VIEW = re.compile(r'<svg\b[^>]*?\bviewBox="[-\d.]+[ ,]+[-\d.]+[ ,]+([\d.]+)[ ,]+([\d.]+)"')


def size(path: Path) -> tuple[int, int] | None:
    """Return width and height of a picture, or nothing if it does not say."""
    data = path.read_bytes()
    if data.startswith(b"\x89PNG"):
        return struct.unpack(">II", data[16:24])  # they follow the name of the first chunk
    found = VIEW.search(data[:4096].decode("utf-8", "replace"))
    return (round(float(found[1])), round(float(found[2]))) if found else None


def add_sizes(app: Sphinx, _page: str, _template, context: dict, doctree) -> None:
    """Write sizes into a page, and let pictures wait until they are nearly in sight."""
    if doctree is None or app.builder.name != "html":
        return
    paths = {name: Path(app.srcdir, source) for source, name in app.builder.images.items()}

    def sized(tag: re.Match) -> str:
        known = size(paths[tag[1]]) if tag[1] in paths else None
        return f'{tag[0]} width="{known[0]}" height="{known[1]}" loading="lazy"' if known else tag[0]

    context["body"] = IMAGE.sub(sized, context["body"])


def setup(app: Sphinx) -> dict:
    """Register with Sphinx."""
    app.connect("html-page-context", add_sizes)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
