"""Drawings as a part of a page: with words for those who do not see them, and in the page's own colours."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from book.figures import palette

SPACE, LINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}href"
REFERENCE = re.compile(r"(?<=url\(#)[^)]+")
GROUND = "patch_1"  # what matplotlib calls the ground behind the whole figure
ET.register_namespace("", SPACE[1:-1])

LETTERS = 12.5  # points of a figure's letters, which are to be as large as those of the text around it
COLOUR = re.compile(r"#[0-9a-fA-F]{6}\b")


def is_a(element: ET.Element, kind: str) -> bool:
    """Return whether an element is a g, a path or the like."""
    return element.tag == SPACE + kind


def name_colours(element: ET.Element, text: bool = False) -> None:
    """Put the names of colours in the place of colours; letters have names of their own.

    Parameters
    ----------
    element : Element
        What to paint, with all that is in it.
    text : bool
        Whether it is a part of something written.
    """
    text = text or is_a(element, "text") or is_formula(element)
    for key in ("style", "fill", "stroke"):
        if key in element.attrib:
            said = element.get(key, "")
            element.set(key, COLOUR.sub(lambda colour: palette.name(colour[0], text), said))
    for child in element:
        name_colours(child, text)


def is_formula(element: ET.Element) -> bool:
    """Return whether an element is a group of letters, and perhaps of the lines of fractions."""
    kinds = {child.tag.removeprefix(SPACE) for child in element}
    return is_a(element, "g") and "text" in kinds and kinds <= {"text", "rect"}


def drop(root: ET.Element) -> None:
    """Take away the white ground, and the style and the description of a drawing outside of a page."""
    for parent in list(root.iter()):
        for child in list(parent):
            ground = child.get("class") == "ground" or child.get("id") == GROUND
            if ground or is_a(child, "style") or is_a(child, "metadata"):
                parent.remove(child)


def join_letters(root: ET.Element) -> None:
    """Join the letters of a formula into words, which the reader's font may set in widths of its own.

    Matplotlib places each letter by itself, and writes those of one style one after the other.
    """
    for text in [element for element in root.iter() if is_a(element, "text")]:
        spans = [span for span in text if is_a(span, "tspan") and " " not in span.get("x", " ")]
        last: ET.Element | None = None
        for span in sorted(spans, key=lambda span: float(span.get("x", ""))):
            if last is not None and all(last.get(key) == span.get(key) for key in ("y", "style")):
                last.text = f"{last.text}{span.text}"
                text.remove(span)
            else:
                last, span.tail = span, None


def give_prefix(root: ET.Element, prefix: str) -> None:
    """Put a prefix before the names of elements, wherever they stand."""
    for element in root.iter():
        for key, value in element.attrib.items():
            element.set(key, REFERENCE.sub(lambda name: f"{prefix}-{name[0]}", value))
        link = element.attrib.pop(LINK, element.get("href", ""))
        if link.startswith("#"):
            element.set("href", f"#{prefix}-{link[1:]}")
        if name := element.get("id"):
            element.set("id", f"{prefix}-{name}")


def inline(svg: str, label: str, prefix: str) -> str:
    """Return a drawing as a part of a page.

    Parameters
    ----------
    svg : str
        The drawing, as matplotlib writes it.
    label : str
        What it shows, in words.
    prefix : str
        What its names begin with, different for all drawings of a page.

    Examples
    --------
    >>> drawn = '<svg xmlns="http://www.w3.org/2000/svg" width="25pt" height="9pt" viewBox="0 0 25 9">'
    >>> page = inline(drawn + '<path d="M0 0 25 9" stroke="#d55e00"/></svg>', "a line that falls", "d1")
    >>> page.splitlines()[1]
    '<path d="M0 0 25 9" stroke="var(--m-d55e00)" /></svg>'
    """
    root = ET.fromstring(svg)
    drop(root)
    join_letters(root)
    give_prefix(root, prefix)
    name_colours(root)
    del root.attrib["height"]  # follows from the width
    root.attrib.pop("font-family", None)  # letters are those of the page
    root.set("stroke-linejoin", "round")  # as the style says that was taken away
    root.set("width", f"{float(root.get('width', '').removesuffix('pt')) / LETTERS:.4g}rem")
    root.attrib |= {"class": "drawing", "role": "img", "aria-label": label, "fill": palette.name("#000000")}
    root.tail = None
    if root.text is None:
        root.text = "\n"
    return ET.tostring(root, encoding="unicode").replace(f' xmlns="{SPACE[1:-1]}"', "")
