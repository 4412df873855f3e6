"""What is folded in a page: solutions, proofs and code, in boxes that open without a script."""

import re
from html import escape

from docutils import nodes
from myst_nb.sphinx_ import HideCodeCellNode
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxTranslator

BUTTON = {
    "type": "javascript",
    "javascript": "",  # book/static/code.js listens to it
    "icon": "fas fa-code",
    "text": "Show all code",
    "label": "all-code",
    "classes": "pst-js-only",
}


class Fold(nodes.General, nodes.Element):
    """A box that is closed at first: ``noun`` is what its button shows, ``of`` what that belongs to."""


def fold(box: nodes.Element) -> Fold:
    """Make a fold of a box with the class ``dropdown``; a title with a link becomes its first line.

    Proofs are the boxes without a title.
    """
    title = next((part for part in box if isinstance(part, nodes.title)), nodes.title())
    links = [*title.findall(nodes.reference)]
    made = Fold(
        "",
        ids=[name for name in box["ids"] if name != "proof"],  # which all proofs share
        classes=[name for name in dict.fromkeys(box["classes"]) if name != "dropdown"],
        noun="solution" if "solution" in box["classes"] else "" if len(title) else "the proof",
        of=" ".join(links[0].astext().split()) if links else "",
        title=title.astext(),
    )
    if links:
        made += nodes.paragraph("", "", *title.children, classes=["fold-of"])
    made += [part for part in box if part is not title]
    return made


def code_label(cell: nodes.Element) -> str:
    """Say what the folded code of a cell is for, from what it shows and says."""
    shown = [part for part in cell if part.get("nb_element") == "cell_code_output" and len(part)]
    code = cell[0].astext()
    if any(has_picture(part) for part in shown):
        return "Figure code"
    if any("<table" in raw.astext() for part in shown for raw in part.findall(nodes.raw)):
        return "Table code"
    if shown:
        return "Code"
    if re.search(r"^(import|from) ", code, re.MULTILINE):
        return "Set-up"
    return "Check" if re.search(r"\bassert(_|\b)", code) else "Code"


def has_picture(output: nodes.Element) -> bool:
    """Return whether an output shows a picture, as an image or as markup."""
    raw = " ".join(part.astext() for part in output.findall(nodes.raw))
    shown = output.findall(lambda part: part.tagname in ("image", "drawing"))
    return any(shown) or re.search("<(svg|img)", raw) is not None


class Folds(SphinxPostTransform):
    """Fold what asks for it: after titles have their numbers and outputs their form."""

    default_priority = 198  # of myst-nb's own transform, which wraps the code: 199
    formats = ("html",)

    def run(self, **_kwargs: object) -> None:
        """Replace boxes, and name the code that myst-nb will fold."""
        for box in [*self.document.findall(nodes.Element)]:
            if "dropdown" in box.get("classes", []) and isinstance(box, nodes.Admonition):
                box.parent.replace(box, fold(box))  # replace_self would keep all classes
            if box.get("nb_element") == "cell_code" and box.get("hide_mode") and len(box):
                box["prompt_show"] = code_label(box)


def visit_fold(self: SphinxTranslator, node: Fold) -> None:
    """Open a fold: its button says what it shows, and to those who hear it, of what."""
    self.body.append(self.starttag(node, "details", CLASS="fold"))
    verbs = '<span class="fold-show">Show</span><span class="fold-hide">Hide</span>'
    name = f"{verbs} {node['noun']}" if node["noun"] else escape(node["title"])
    of = f'<span class="visually-hidden"> to {escape(node["of"])}</span>' if node["of"] else ""
    self.body.append(f"<summary><span>{name}{of}</span></summary>\n")
    self.body.append('<div class="fold-content">\n')


def depart_fold(self: SphinxTranslator, _node: Fold) -> None:
    """Close a fold."""
    self.body.append("</div>\n</details>\n")


def visit_code(self: SphinxTranslator, node: HideCodeCellNode) -> None:
    """Open folded code; what it is called and how long it is may both be read."""
    lines = len(node.astext().strip().splitlines())
    length = f'<span class="fold-length">{lines} line{"s" * (lines > 1)}</span>'
    self.body.append('<details class="hide">\n')
    self.body.append(f"<summary><span>{escape(node['prompt_show'])}</span> {length}</summary>\n")


def depart_code(self: SphinxTranslator, _node: HideCodeCellNode) -> None:
    """Close folded code."""
    self.body.append("</details>\n")


def mend_page(_app, _page: str, _template, context: dict, doctree) -> None:
    """Add the button for all code where some is folded, and spare pages a script that nothing needs now."""
    for files in ("script_files", "css_files"):
        context[files] = [file for file in context[files] if not toggles(file)]
    if doctree is not None and "header_buttons" in context and any(doctree.findall(HideCodeCellNode)):
        context["header_buttons"].insert(0, BUTTON)


def toggles(file) -> bool:
    """Return whether a script or style belongs to sphinx-togglebutton."""
    return "toggle" in f"{file.filename or ''} {file.attributes.get('body', '')}".lower()


def setup(app) -> dict:
    """Register with Sphinx: after the theme has written its buttons, and all their scripts."""
    app.add_node(Fold, html=(visit_fold, depart_fold))
    app.add_node(HideCodeCellNode, override=True, html=(visit_code, depart_code))
    app.add_post_transform(Folds)
    app.connect("html-page-context", mend_page, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
