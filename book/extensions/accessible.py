"""Mend what Sphinx and the theme write that readers stumble over, on a screen or by ear."""

import re

TOP = '<p class="to-top d-print-none"><a href="#main-content">Back to top</a></p>\n'
LOGO = '<div class="sidebar-primary-item">'
SWITCH = re.compile(r'(<button class="[^"]*theme-switch-button[^>]*?) aria-label="[^"]*"([^>]*>)')
FORMULA = re.compile(r'([(“]*)(<span class="math">.*?</mjx-container></span>)([.,;:!?)”…]*)', re.DOTALL)
UNNUMBERED = '<div class="proof admonition unnumbered">\n<p><em>Proof.</em>'
STACKED = re.compile(r'<table class="[^"]*\bstacked\b.*?</table>', re.DOTALL)
ROLES = {
    "table": "table",
    "thead": "rowgroup",
    "tbody": "rowgroup",
    "tr": "row",
    "th": "columnheader",
    "td": "cell",
}


def keep_roles(table: re.Match) -> str:
    """Say what the parts of a table are: on a phone its style makes blocks of them."""
    return re.sub(rf"<({'|'.join(ROLES)})\b", lambda tag: f'{tag[0]} role="{ROLES[tag[1]]}"', table[0])


def keep_together(formula: re.Match) -> str:
    """Let no line end between a formula and its punctuation."""
    return f'<span class="together">{formula[0]}</span>' if formula[1] or formula[3] else formula[0]


def name_apart(html: str) -> str:
    """Make classes of ids that proofs, exercises and solutions share, and mend how two of them begin."""
    html = html.replace('<div class="proof admonition" id="proof">\n<p>Proof.', UNNUMBERED)
    html = re.sub(r'(<section class="[^"]*)" id="(proof-content)"', r'\1 \2"', html)
    html = re.sub(r'<section id="((?:exercise|solution)-content)"', r'<section class="\1"', html)
    return re.sub(r"Solution to(<a [^>]*>) ", r"Solution to \1", html)


def mend(html: str) -> str:
    """Mend the visible part of a page."""
    # The logo stands outside the page's landmarks.
    html = html.replace(LOGO, LOGO.replace(">", ' role="navigation" aria-label="Home">'), 1)
    # Two buttons show other words than they are called by.
    html = html.replace('title="Search" aria-label="Search"', 'title="Search"')
    html = SWITCH.sub(r'\1\2<span class="visually-hidden">Colour mode: </span>', html)
    # The theme has a button that floats over the text; book/static/reading.css hides it.
    html = html.replace('<footer class="prev-next-footer', f'{TOP}<footer class="prev-next-footer', 1)
    # Entries of the bibliography are items of the list that they stand in.
    html = html.replace('role="doc-biblioentry"', 'role="listitem"')
    return STACKED.sub(keep_roles, FORMULA.sub(keep_together, name_apart(html)))


def add_mend(app, _page, _template, context, doctree) -> None:
    """Hand the function to the layout's template, and print a chapter with its number."""
    context["mend"] = mend
    if doctree is not None and app.builder.name == "html":
        context["pagetitle"] = context.get("heading", context["title"])


def setup(app) -> dict:
    """Register with Sphinx."""
    app.connect("html-page-context", add_mend, priority=900)
    return {"parallel_read_safe": True}
