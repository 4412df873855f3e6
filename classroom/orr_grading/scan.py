"""Look through what was handed in for answers of one call and for changed checks: a report, no punishment.

What it finds may be innocent, and what it does not find may be there: read the cell before you say anything.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

# What a task allows of `orr` and of the sheet's tools; everything else there answers a task, or may.
EVERYWHERE = {"check.given", "check.more"}
ALLOWED = {
    "04-three-attributes overall-level": {"orr.linear_program"},
    "04-three-attributes certificate": {"orr.linear_program"},
    "05-induction scaled": {"algorithm_3"},
    "05-induction induction": {"closed_form"},
    "05-induction step": {"closed_form"},
    "05-induction compare": {"orr.kronecker", "orr.inductive", "orr.linear_program"},
    "05-induction closest-order": {"orr.inductive"},
}
FREE = ("06-budget",)  # "use orr as you like"
TAMPERING = [
    (r"\borr_grading\b", "names the package that grades"),
    (r"ORR_CLASSROOM_SECRET|\bos\.environ\b", "reads the environment, where the secret is"),
    (
        r"\bsys\.modules\b|\bimportlib\b|\bgc\.get_objects\b|\binspect\.stack\b",
        "reaches into Python's modules",
    ),
    (r"\bsubprocess\b|\bos\.system\b|\bsocket\b", "starts programs or opens connections"),
    (r"source/judge|['\"/]secret\b", "names the secret"),
    (r"\b_judges\b|\bVerdict\b|\bRIGHT\b|\bNotYet\b", "names parts of the checks"),
]


class Finding(NamedTuple):
    """Something to look at: whose, where, and what it is."""

    student: str
    assignment: str
    cell: str
    what: str


def looked_through(student: str, assignment: str, notebook: Any, given: Any) -> Iterator[Finding]:
    """Yield what is worth a look in one notebook, beside the one that this student was given."""
    locked = {_name(cell): cell.source for cell in given.cells if _is_kept(cell)}
    seen = set()
    for cell in notebook.cells:
        name = _name(cell)
        if cell.cell_type != "code":
            continue
        if name in locked:
            seen.add(name)
            if cell.source.strip() != locked[name].strip():
                yield Finding(student, assignment, name, KEPT[name == "numbers"].format("changed"))
            continue
        for what in found_in(cell.source, assignment, name):
            yield Finding(student, assignment, name, what)
    for name in sorted(set(locked) - seen):
        yield Finding(student, assignment, name, KEPT[name == "numbers"].format("missing"))


KEPT = (
    "a check is {} (grading puts it back)",
    "the numbers are {}: not those that were given to this student",
)


def _name(cell: Any) -> str:
    """Return what a cell is called: nbgrader's name outlives that of the notebook."""
    return str(cell.metadata.get("nbgrader", {}).get("grade_id") or cell.get("id", ""))


def _is_kept(cell: Any) -> bool:
    """Return whether students are to leave a cell as it is."""
    check = cell.metadata.get("nbgrader", {}).get("grade") and cell.cell_type == "code"
    return bool(check) or _name(cell) == "numbers"


def found_in(source: str, assignment: str, task: str) -> list[str]:
    r"""Say what is worth a look in one cell.

    Examples
    --------
    >>> found_in("def f(s, l):\n    return orr.two_attribute(s, l).epsilon", "03-closed-form", "overall-level")
    ['calls orr.two_attribute']
    >>> found_in("check = lambda *a: print('Right')", "01-noisy-answers", "level")
    ['gives check another value']
    """
    found = [what for pattern, what in TAMPERING if re.search(pattern, source)]
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return found
    known = _imported(tree)
    for node in ast.walk(tree):
        name = _dotted(node, known)
        if name and assignment not in FREE and not allowed(name, assignment, task):
            found.append(f"calls {name}")
        found += _changed(node)
    return list(dict.fromkeys(found))


def allowed(name: str, assignment: str, task: str) -> bool:
    """Return whether a task may use a name."""
    return name in EVERYWHERE | ALLOWED.get(f"{assignment} {task}", set())


def _imported(tree: ast.AST) -> Mapping[str, str]:
    """Return what names in a cell stand for, where they come from `orr` or the checks."""
    known = {"orr": "orr", "check": "check"}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in ("orr", "orr_classroom"):
            known |= {each.asname or each.name: f"{node.module}.{each.name}" for each in node.names}
        if isinstance(node, ast.Import):
            for each in node.names:
                first = each.name.split(".")[0]
                if first in ("orr", "orr_classroom"):
                    known[each.asname or first] = each.name if each.asname else first
    return known


def _dotted(node: ast.AST, known: Mapping[str, str]) -> str:
    """Return the whole name of an attribute of `orr` or of a check, or of what was imported from them."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in known:
        return f"{known[node.value.id]}.{node.attr}"
    if isinstance(node, ast.Name) and "." in known.get(node.id, ""):
        return known[node.id]
    return ""


def _changed(node: ast.AST) -> list[str]:
    """Say so if a statement gives `check`, or a part of it or of a module of ours, another value."""
    targets = node.targets if isinstance(node, ast.Assign) else []
    if isinstance(node, ast.FunctionDef) and node.name == "check":
        return ["gives check another value"]
    found = []
    for target in targets:
        if isinstance(target, ast.Name) and target.id == "check":
            found.append("gives check another value")
        if isinstance(target, ast.Attribute):
            found.append(f"changes {ast.unparse(target)}")
    return found


def report(findings: list[Finding]) -> str:
    """Write all findings, one a line, or say that there are none."""
    if not findings:
        return "Nothing to look at."
    lines = [f"{each.student:16} {each.assignment:20} {each.cell:24} {each.what}" for each in findings]
    return "\n".join([*lines, "", "Each is a place to look, and no verdict: read the cell first."])
