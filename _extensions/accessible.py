"""Mend what Sphinx writes that screen readers stumble over."""


def mend(_app, _page, _template, context, _doctree) -> None:
    """Make entries of the bibliography items of the list that they stand in."""
    if "body" in context:
        context["body"] = context["body"].replace('role="doc-biblioentry"', 'role="listitem"')


def setup(app) -> dict:
    """Register with Sphinx."""
    app.connect("html-page-context", mend)
    return {"parallel_read_safe": True}
