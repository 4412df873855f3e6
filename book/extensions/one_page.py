"""The book on one page, for tools/pdf.py."""

from sphinx.builders.singlehtml import SingleFileHTMLBuilder


class OnePage(SingleFileHTMLBuilder):
    """Sphinx's builder, but a link keeps the name of the document that it leads to."""

    def fix_refuris(self, _tree) -> None:
        """Leave ``#document-name#id`` as it is: an id alone may stand in several documents."""


def share_handlers(app) -> None:
    """Write every node as in the book; without this, sphinx-exercise's own handlers hide all others."""
    handlers = app.registry.translation_handlers
    handlers["singlehtml"] = handlers["html"] | handlers.get("singlehtml", {})


def setup(app) -> dict:
    """Register with Sphinx."""
    app.add_builder(OnePage, override=True)
    app.connect("builder-inited", share_handlers)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
