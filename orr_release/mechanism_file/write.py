"""A release written to a mechanism file: JSON that people can read (chapter release).

Numbers have all their digits: Python writes the shortest decimal that is read as the same double again.
"""

from __future__ import annotations

import json
import math
import os
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from orr.caps.proofs import Proof
from orr.laws.law import Law
from orr.mechanism import Mechanism
from orr.optimum.certificate import Certificate
from orr_release.mechanism_file import format as entries
from orr_release.mechanism_file.format import FORMAT, VERSION, check_length, hashed

if TYPE_CHECKING:
    from orr_release.release import Release

WIDTH = 100  # Characters of a line, as long as numbers fit.


def contents(release: Release) -> dict[str, Any]:
    """Return all that a file says of a release, without its head, as plain lists and numbers.

    Examples
    --------
    >>> import orr_release
    >>> contents(orr_release.kronecker([2, 3], [1.0, 2.0]))["law"]
    {'law': 'product'}
    """
    if release.sampled:
        forms = [entries.Form(attributes=list(form), mechanism=_mechanism(m)) for form, m in release.forms]
        entry = _entry(entries.Sampled, release.levels, construction=None, domain=None, forms=forms)
    else:
        entry = _mechanism(release.mechanism)
    domain = None if release.domain is None else release.domain.to_dict()
    return {**msgspec.to_builtins(entry), "construction": release.construction, "domain": domain}


def written(found: dict[str, Any]) -> str:
    """Return the text of the file that has these contents: format, version and digest before them.

    Examples
    --------
    >>> print(written({"kind": "Mechanism", "sizes": [2, 3]}))  # doctest: +ELLIPSIS
    {
      "format": "orr mechanism",
      "version": 1,
      "package": "...",
      "digest": "sha256:...",
      "kind": "Mechanism",
      "sizes": [2, 3]
    }
    <BLANKLINE>
    """
    text = _laid_out(_head() | {"digest": digest(found)} | found) + "\n"
    check_length(len(text))
    return text


def digest(found: dict[str, Any]) -> str:
    """Return the digest of the file that has these contents.

    Examples
    --------
    >>> digest({"kind": "Mechanism", "sizes": [2, 3]}) in written({"kind": "Mechanism", "sizes": [2, 3]})
    True
    """
    return hashed(_head() | found)


def save(release: Release, path: str | os.PathLike[str]) -> None:
    """Write a release to a file, unless that holds another one."""
    place = Path(path)
    if place.is_file() and place.stat().st_size and release.digest not in place.read_text(errors="replace"):
        raise FileExistsError(
            f"{place} exists and has another digest (as a mechanism that is built again has): a "
            "release may name it. Choose another name, or load that file with orr_release.load"
        )
    place.write_text(release.to_json(), "utf-8")


def _entry(kind: Any, thing: Any, **given: Any) -> Any:
    """Return an entry of the file; what is not given are the attributes of a thing."""
    names = kind.__struct_fields__
    return kind(**{name: _plain(given[name] if name in given else getattr(thing, name)) for name in names})


def _mechanism(mechanism: Mechanism) -> Any:
    """Return the entry of a mechanism; that of the whole release has names and labels."""
    kind = getattr(entries, type(mechanism).__name__)
    return _entry(kind, mechanism, domain=None, asked=mechanism.asked.epsilons)


def _law(law: Law) -> Any:
    """Return the entry of a law: the numbers of its definition, and null where all attributes stay."""
    numbers = law.definition()
    if "stay" in numbers and np.isinf(numbers["stay"]).all():
        numbers["stay"] = None
    return _entry(getattr(entries, type(law).__name__), law, **numbers)


def _plain(value: Any) -> Any:
    """Return a value as JSON can hold it: lists for arrays, a word for infinity; raise if it is no number."""
    if isinstance(value, Law):
        return _law(value)
    if isinstance(value, Certificate | Proof):
        return _entry(getattr(entries, type(value).__name__), value)
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        plain = value.tolist()
        return plain if np.isfinite(value).all() else _plain(plain)
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        if value != math.inf:
            raise ValueError(f"{value} cannot be written to a file")
        return "infinity"
    return value


def _head() -> dict[str, Any]:
    return {"format": FORMAT, "version": VERSION, "package": _package()}


def _package() -> str:
    """Return the version of the package, if it is installed."""
    try:
        return version("orr")
    except PackageNotFoundError:
        return "not installed"


def _laid_out(value: object, indent: str = "") -> str:
    """Return JSON with an entry a line, and with lists of numbers in as few lines as they fit."""
    inner = indent + "  "
    if isinstance(value, dict) and value:
        pairs = [f"{inner}{json.dumps(k)}: {_laid_out(v, inner)}" for k, v in value.items()]
        return "{\n" + ",\n".join(pairs) + f"\n{indent}}}"
    if isinstance(value, list) and any(isinstance(v, dict | list) for v in value):
        return "[\n" + ",\n".join(inner + _laid_out(v, inner) for v in value) + f"\n{indent}]"
    text = json.dumps(value, allow_nan=False)
    if not isinstance(value, list) or len(indent) + len(text) <= WIDTH:
        return text
    return "[\n" + "\n".join(_filled([json.dumps(v, allow_nan=False) for v in value], inner)) + f"\n{indent}]"


def _filled(pieces: list[str], indent: str) -> list[str]:
    """Put pieces into lines that are not too long."""
    lines, line = [], indent
    for i, piece in enumerate(pieces):
        piece += "," if i + 1 < len(pieces) else ""
        if len(line) > len(indent) and len(line) + len(piece) + 1 > WIDTH:
            lines.append(line.rstrip())
            line = indent
        line += piece + " "
    return [*lines, line.rstrip()]
