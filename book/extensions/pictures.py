"""Drawings as a part of their page, so that they take its typeface and follow its colours."""

from pathlib import Path

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging

from book.figures import palette
from book.figures.inline import inline

LOGGER = logging.getLogger(__name__)


class drawing(nodes.General, nodes.Element):  # noqa: N801 (docutils names its nodes in this way)
    """An SVG that is written into the page. It is no raw node: the search would index its every number."""


class Pictures(SphinxPostTransform):
    """Puts every SVG of the book itself, from a cell or from a file, into its page."""

    default_priority = 20  # before Sphinx collects the images that a page loads
    formats = ("html",)

    def run(self, **_) -> None:
        """Replace the images of a page, or of the whole book on one page, and number them."""
        images = [image for image in self.document.findall(nodes.image) if is_own(image["uri"])]
        for number, image in enumerate(images, 1):
            path, label = Path(self.env.srcdir) / image["uri"], image.get("alt", "")
            try:
                html = inline(path.read_text("utf-8"), label, f"d{number}")
            except (KeyError, OSError) as error:
                LOGGER.warning("%s: %s", image["uri"], error.args[-1], location=image)
                continue
            image.replace_self(drawing("", html=html, width=image.get("width", "")))


def is_own(uri: str) -> bool:
    """Return whether an image is an SVG of the book itself."""
    return uri.endswith(".svg") and "://" not in uri


def write(writer, node: drawing) -> None:
    """Write a drawing as it is, or as wide as the page asks for."""
    width = f'<svg style="width: {node["width"]}"' if node["width"] else "<svg"
    writer.body.append(node["html"].replace("<svg", width, 1))
    raise nodes.SkipNode


def add_colours(app) -> None:
    """Write what the names of colours stand for, and hand it to Sphinx with the other styles."""
    place = Path(app.doctreedir) / "colours"
    place.mkdir(parents=True, exist_ok=True)
    (place / "colours.css").write_text(palette.css(), "utf-8")
    app.config.html_static_path.append(str(place))
    app.add_css_file("colours.css")


def setup(app) -> dict:
    """Register with Sphinx."""
    app.add_node(drawing, html=(write, None))
    app.add_post_transform(Pictures)
    app.connect("builder-inited", add_colours)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
