"""Drawings as the book stores them: small, and the same on every run.

Matplotlib writes six decimals, a group around everything, and every mark by itself. Here numbers keep two
decimals, lines the corners that can be seen, and only names that are used remain; marks of a kind are the
corners of one path. Words stay words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from typing import Any
from xml.etree import ElementTree as ET

from book.figures import outline
from book.figures.outline import NUMBER, shorter
from book.figures.typeface import FAMILY, STACK

SPACE, LINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}href"
REFERENCE = re.compile(r"(?<=url\(#)[^)]+")
FEWEST = 3  # marks that are worth a path of their own
ET.register_namespace("", SPACE[1:-1])


def is_a(element: ET.Element, kind: str) -> bool:
    """Return whether an element is a g, a path or the like."""
    return element.tag == SPACE + kind


def style_of(element: ET.Element) -> dict[str, str]:
    """Return the style of an element."""
    parts = (part.partition(":") for part in element.get("style", "").split(";"))
    return {key.strip(): value.strip() for key, _, value in parts if value}


def set_style(element: ET.Element, style: dict[str, str]) -> None:
    """Write the style of an element, or nothing if there is none."""
    element.attrib.pop("style", None)
    if style:
        element.set("style", ";".join(f"{key}:{value}" for key, value in style.items()))


def shorten(root: ET.Element) -> None:
    """Write all numbers and outlines shorter."""
    for element in root.iter():
        if "d" in element.attrib and "marker" not in element.get("style", ""):
            element.set("d", outline.shorten(element.get("d", "")))
        for key, value in element.attrib.items():
            if key != "id":
                element.set(key, NUMBER.sub(shorter, value))
        if re.fullmatch(r"rotate\(-?0\b.*\)", element.get("transform", "")):
            del element.attrib["transform"]
        set_style(element, style_of(element))
        if not is_a(element, "text") and not is_a(element, "tspan"):
            element.text = None
        element.tail = None if is_a(element, "tspan") else "\n"


def drop_unseen(root: ET.Element) -> None:
    """Take away what shows nothing, and say once what matplotlib's style says of everything."""
    for child in list(root):
        if is_a(child, "metadata") or child.find(f"{SPACE}style") is not None:
            root.remove(child)
    del root.attrib["version"]
    root.set("stroke-linejoin", "round")
    for parent in list(root.iter()):
        for child in list(parent):
            style = style_of(child)
            if is_a(child, "path") and style.get("fill") == "none" and "stroke" not in style:
                parent.remove(child)


def mark_ground(root: ET.Element) -> None:
    """Let the ground behind the whole figure be known as such: a page leaves it out."""
    ground = root.find(f".//{SPACE}g[@id='patch_1']/{SPACE}path")
    if ground is not None:
        fill = style_of(ground).get("fill", "#000000")
        ground.tag = f"{SPACE}rect"
        ground.attrib = {"class": "ground", "width": "100%", "height": "100%", "fill": fill}


def join_marks(root: ET.Element) -> None:
    """Make one path, which has a marker at each of its corners, of many marks of a kind."""
    shapes = {path.get("id"): path for path in root.iter(f"{SPACE}path") if path.get("id")}
    made: dict[tuple[str, str], str] = {}
    for group in list(root.iter(f"{SPACE}g")):
        children = [(child, (child.get(LINK, "")[1:], child.get("style", ""))) for child in group]
        runs = [(kind, [child for child, _ in run]) for kind, run in groupby(children, lambda pair: pair[1])]
        for kind, run in runs:
            if kind[0] in shapes and len(run) >= FEWEST and "x" in run[0].attrib:
                if kind not in made:
                    made[kind] = f"marker-{len(made)}"
                    root.insert(0, marker(made[kind], shapes[kind[0]], kind[1]))
                corners = " ".join(f"{float(mark.get(side, 0)):.1f}" for mark in run for side in "xy")
                path = ET.Element(f"{SPACE}path", {"d": f"M{corners}"})
                path.set("style", f"fill:none;marker:url(#{made[kind]})")
                group.insert(list(group).index(run[0]), path)
                for mark in run:
                    group.remove(mark)


def marker(name: str, shape: ET.Element, style: str) -> ET.Element:
    """Return a marker of this shape and style."""
    box = ET.Element(f"{SPACE}marker", {"id": name, "overflow": "visible", "markerUnits": "userSpaceOnUse"})
    path = ET.SubElement(box, f"{SPACE}path", {"d": shape.get("d", "")})
    own = ET.Element("own", {"style": style})
    set_style(path, style_of(own) | style_of(shape))
    return box


def words(glyphs: list[ET.Element]) -> Iterator[tuple[ET.Element, str]]:
    """Join the letters of a formula to words: the first letter, which tells where and how, and all."""

    def kind(glyph: ET.Element) -> tuple[Any, ...]:
        text = glyph.text or " "
        apart = id(glyph) if not (text.isalpha() or text.isdigit()) else 0
        return (glyph.get("y"), glyph.get("style"), text.isalpha(), text.isdigit(), apart)

    for _, run in groupby(glyphs, kind):
        letters = list(run)
        yield letters[0], "".join(letter.text or " " for letter in letters)


def join_letters(root: ET.Element) -> None:
    """Put the letters of a formula, which stand sorted by font, in the order in which they are read."""
    for text in root.iter(f"{SPACE}text"):
        glyphs = sorted(text, key=lambda glyph: float(glyph.get("x", "0")))
        if not glyphs:
            continue
        text.text = ""
        for glyph in list(text):
            text.remove(glyph)
        for word, said in words(glyphs):
            if said.isspace() and len(text):
                text[-1].text = f"{text[-1].text} "
            else:
                word.text = said
                text.append(word)


def hoist_fonts(root: ET.Element) -> None:
    """Say the typeface and its usual size once."""
    texts = [text for text in root.iter() if is_a(text, "text") or is_a(text, "tspan")]
    sizes = Counter(style.get("font-size") for style in map(style_of, texts) if "font-size" in style)
    if not sizes:
        return
    usual = sizes.most_common(1)[0][0]
    root.set("font-size", str(usual).removesuffix("px"))
    root.set("font-family", STACK)
    for text in texts:
        style = style_of(text)
        if style.get("font-family", "").strip("'\"").startswith(FAMILY):
            del style["font-family"]
        if style.get("font-size") == usual:
            del style["font-size"]
        if anchor := style.pop("text-anchor", None):
            text.set("text-anchor", anchor)
        set_style(text, style)


def references(root: ET.Element) -> Iterator[str]:
    """Yield the names that elements call each other by."""
    for element in root.iter():
        yield from re.findall("^#(.+)", element.get("href", ""))
        for value in element.attrib.values():
            yield from REFERENCE.findall(value)


def rename(root: ET.Element) -> None:
    """Count the names that are used, which matplotlib makes from last digits, and drop all others."""
    for element in root.iter():
        if link := element.attrib.pop(LINK, None):
            element.set("href", link)
    new = {name: f"i{number}" for number, name in enumerate(dict.fromkeys(references(root)))}
    give_names(root, new)


def give_names(root: ET.Element, new: dict[str, str]) -> None:
    """Change the names of elements, and drop those that have no new one."""
    for element in root.iter():
        for key, value in element.attrib.items():
            element.set(key, REFERENCE.sub(lambda name: new[name[0]], value))
        if (link := element.get("href", "")).startswith("#"):
            element.set("href", f"#{new[link[1:]]}")
        name = element.attrib.pop("id", None)
        if name in new:
            element.set("id", new[name])


def flatten(parent: ET.Element) -> None:
    """Take away groups that say nothing, and outlines that nobody uses."""
    for child in list(parent):
        flatten(child)
        place = list(parent).index(child)
        if is_a(child, "defs"):
            for shape in list(child):
                if "id" not in shape.attrib:
                    child.remove(shape)
        if is_a(child, "g") and (not child.attrib or len(child) == 0):
            parent.remove(child)
            for step, grandchild in enumerate(list(child)):
                parent.insert(place + step, grandchild)
        elif is_a(child, "defs") and len(child) == 0:
            parent.remove(child)


def compact(svg: str) -> str:
    """Return the same drawing in fewer letters.

    Parameters
    ----------
    svg : str
        What matplotlib wrote.
    """
    root = ET.fromstring(svg)
    drop_unseen(root)
    mark_ground(root)
    join_marks(root)
    join_letters(root)
    hoist_fonts(root)
    rename(root)
    shorten(root)
    flatten(root)
    return ET.tostring(root, encoding="unicode")
