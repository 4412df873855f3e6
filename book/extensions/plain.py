"""What a page says in plain words, by sections, exercises, terms, functions and sources: its parts."""

import re

from docutils import nodes
from sphinx import addnodes
from sphinx.environment import BuildEnvironment

from letters import letters

# What is no prose, or gives an answer away before it is asked for.
LEFT_OUT = {
    "Quiz", "bibliography", "comment", "doctest_block", "fontawesome", "image",
    "index", "literal_block", "math_block", "raw", "rubric", "substitution_definition",
    "system_message", "tabular_col_spec", "target", "thead", "toctree",
}  # fmt: skip
ENDS = ".,:;?!…"
CLOSING = ")]”\N{RIGHT SINGLE QUOTATION MARK}"


def parts(env: BuildEnvironment, page: str, doctree: nodes.document) -> list[dict[str, str]]:
    """Return the parts of a page that say something, each with its kind, anchor, title and text.

    The first is the page's opening. Its anchor is empty.
    """
    found = [
        {"kind": node.tagname, "anchor": anchor(node), "title": title(env, page, node), "text": text(node)}
        for node in doctree.findall(is_part)
        if anchor(node) and not any(child.tagname == "Quiz" for child in node)
    ]
    if found:
        found[0]["anchor"] = ""
    return [part for part in found if part["text"] or not part["anchor"]]


def is_part(node: nodes.Node) -> bool:
    """Return whether a node is found by itself. Sections inside a theorem or an exercise are not."""
    if isinstance(node, nodes.section):
        return isinstance(node.parent, nodes.document | nodes.section)
    if isinstance(node, nodes.definition_list_item):
        return isinstance(node.parent.parent, addnodes.glossary)
    return isinstance(node, addnodes.desc | nodes.citation) or node.tagname == "exercise_enumerable_node"


def anchor(node: nodes.Element) -> str:
    """Return the id that leads to a part; empty if it has none."""
    named = node[0] if isinstance(node, addnodes.desc | nodes.definition_list_item) else node
    return named["ids"][0] if named["ids"] else ""


def title(env: BuildEnvironment, page: str, node: nodes.Element) -> str:
    """Return what a part is called, with its number."""
    if isinstance(node, nodes.definition_list_item):
        return ", ".join(said(term) for term in node.findall(nodes.term))
    if isinstance(node, nodes.citation):
        return source(env, anchor(node)) or said(node[0])
    if isinstance(node, addnodes.desc):
        return anchor(node)
    if isinstance(node, nodes.section):
        numbers = env.toc_secnumbers.get(page, {})
        at = "" if isinstance(node.parent, nodes.document) else f"#{anchor(node)}"
        return f"{dotted(numbers.get(at, ()))} {said(node[0])}".strip()
    numbers = env.toc_fignumbers.get(page, {}).get("exercise", {})
    return f"Exercise {dotted(numbers.get(anchor(node), ()))} {said(node[0])}".strip()


def dotted(number: tuple[int, ...]) -> str:
    """Return a number such as 1.7."""
    return ".".join(map(str, number))


def source(env: BuildEnvironment, name: str) -> str:
    """Return who wrote a source of the bibliography, and when."""
    bibtex = env.domains.get("cite")
    for citation in bibtex.citations if bibtex else ():
        if citation.citation_id == name:
            entry = bibtex.bibdata.data.entries[citation.key]
            people = [surname(person) for person in entry.persons.get("author", [])]
            few = len(people) < 3 and "others" not in people
            names = " and ".join(people) if few else f"{people[0]} et al."
            return f"{names} {entry.fields.get('year', '')}".strip()
    return ""


def surname(person) -> str:
    """Return the last name of somebody in the bibliography, without TeX."""
    return " ".join(str(name) for name in [*person.rich_prelast_names, *person.rich_last_names])


def text(part: nodes.Element) -> str:
    """Return the prose of a part, without its title and without the parts inside it."""
    heads = nodes.title | nodes.term | nodes.label | addnodes.desc_signature
    return tidy("".join(say(child) for child in part if not isinstance(child, heads)))


def said(node: nodes.Element) -> str:
    """Return the words of a title; those of theorems and exercises stand in parentheses."""
    words = tidy("".join(map(say, node.children)))
    return words[1:-1] if re.fullmatch(r"\([^()]*\)", words) else words


def say(node: nodes.Node) -> str:
    """Return what a node says: code, figures, quizzes and solutions say nothing."""
    if isinstance(node, nodes.Text):
        return node.astext()
    if isinstance(node, nodes.math):
        return letters(node.astext())
    if node.tagname in LEFT_OUT or is_part(node) or is_type(node) or is_solution(node):
        return "" if isinstance(node.parent, nodes.TextElement) else " "
    if isinstance(node, nodes.title):
        return f" {ended(said(node))} "
    if isinstance(node, nodes.row):
        cells = [tidy(say(cell)).rstrip(".") for cell in node]
        return f" {ended(', '.join(filter(None, cells)))} "
    words = "".join(map(say, node.children))
    if isinstance(node, nodes.Inline):
        return words
    if not isinstance(node, nodes.TextElement):
        return f" {words} "
    formula = isinstance(node.next_node(descend=False, siblings=True), nodes.math_block)
    return f" {ended(words, ' …' if formula else '.')} "


def ended(words: str, end: str = ".") -> str:
    """End a heading, a caption or an item of a list like a sentence."""
    words = words.strip()
    return words + end if words and words.rstrip(CLOSING)[-1:] not in ENDS else words


def is_type(node: nodes.Node) -> bool:
    """Return whether a node says the type of a value of the package, and nothing else."""
    return isinstance(node, nodes.field) and node[0].astext() in ("Type", "Return type")


def is_solution(node: nodes.Node) -> bool:
    """Return whether a node is the folded solution of an exercise."""
    return node.tagname == "Fold" and node["noun"] == "solution"


def tidy(words: str) -> str:
    """Leave one blank between words."""
    return " ".join(words.split())
