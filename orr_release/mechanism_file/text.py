"""The text of a mechanism file: JSON that people can read, with a digest of all it says (chapter release).

Numbers have all their digits: Python writes the shortest decimal that is read as the same double again.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
from collections import Counter
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

FORMAT, VERSION = "orr mechanism", 1
HEAD = ("format", "version", "package", "digest")
WIDTH = 100  # characters of a line, as long as numbers fit
MOST = 2**28  # bytes of a file: a million attributes take 100 MB, and what is read several times as much
DIGEST = r"sha256:[0-9a-f]{64}"
WORDS = ("null", "true", "false")  # what else JSON may be


def written(state: dict[str, Any]) -> str:
    """Write what makes a mechanism as the text of a file.

    Parameters
    ----------
    state : dict
        What ``mechanism.state()`` returned: lists, dictionaries and numbers.

    Returns
    -------
    str
        Its JSON, with format, version, and a digest of everything else.

    Examples
    --------
    >>> text = written({"kind": "Mechanism", "sizes": [2, 3]})
    >>> print(text)  # doctest: +ELLIPSIS
    {
      "format": "orr mechanism",
      "version": 1,
      "package": "...",
      "digest": "sha256:...",
      "kind": "Mechanism",
      "sizes": [2, 3]
    }
    <BLANKLINE>
    >>> read(text) == ({"kind": "Mechanism", "sizes": [2, 3]}, digest({"kind": "Mechanism", "sizes": [2, 3]}))
    True
    """
    text = _laid_out(_head() | {"digest": digest(state)} | state) + "\n"
    _check_length(len(text))
    return text


def digest(state: dict[str, Any]) -> str:
    """Return the digest that :func:`written` puts into the file of a mechanism.

    Examples
    --------
    >>> digest({"kind": "Mechanism", "sizes": [2, 3]}) in written({"kind": "Mechanism", "sizes": [2, 3]})
    True
    """
    return _hashed(_head() | state)


def read(source: str | os.PathLike[str], wanted: str | None = None) -> tuple[dict[str, Any], str]:
    """Read a mechanism file, and refuse one that was changed.

    Parameters
    ----------
    source : str or path
        The text of a file, or where the file is.
    wanted : str, optional
        The digest that the file must have.

    Returns
    -------
    dict, str
        What was written, without format, version and digest; and the digest.

    Examples
    --------
    >>> read(written({"sizes": [2, 3]}).replace("3]", "4]"))
    Traceback (most recent call last):
    ...
    ValueError: the file was changed after it was written: its digest is not that of its contents
    """
    found = parsed(_text(source))
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise ValueError(f'this is no mechanism file: its "format" is not {FORMAT!r}')
    number, package = found.get("version"), found.get("package")
    if isinstance(number, bool) or not isinstance(number, int) or number < 1:
        raise ValueError(f'"version" = {number!r} must be a whole number of at least 1')
    if number > VERSION:
        raise ValueError(
            f"the file has version {number} of the format, and this package reads up to {VERSION}: a newer "
            f"package ({package!r}) wrote it"
        )
    if not isinstance(package, str):
        raise ValueError('"package" must be the version of the package that wrote the file')
    claimed = found.pop("digest", None)
    if claimed != _hashed(found):
        raise ValueError(
            "the file was changed after it was written: its digest is not that of its contents"
            if claimed is not None
            else "the file has no digest"
        )
    if wanted is not None and not re.fullmatch(DIGEST, wanted := wanted.strip()):
        raise ValueError(
            f"digest = {wanted[:80]!r} must be sha256: and 64 hexadecimal digits in lower case, as "
            "mechanism.digest has them"
        )
    if wanted is not None and claimed != wanted:
        raise ValueError(f"digest = {wanted!r} is that of another file: this one has {claimed!r}")
    return {name: value for name, value in found.items() if name not in HEAD}, claimed


def canonical(value: object) -> str:
    """Write a value in the one way that a digest is made of: keys sorted, no spaces, no infinity.

    Examples
    --------
    >>> canonical({"b": [1.0, None], "a": "x"})
    '{"a":"x","b":[1.0,null]}'
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _head() -> dict[str, Any]:
    return {"format": FORMAT, "version": VERSION, "package": _package()}


def _hashed(value: dict[str, Any]) -> str:
    return "sha256:" + hashlib.sha256(canonical(value).encode()).hexdigest()


def _package() -> str:
    """Tell the version of the package, if it is installed."""
    try:
        return version("orr")
    except PackageNotFoundError:
        return "not installed"


def _text(source: str | os.PathLike[str]) -> str:
    """Return the text itself, or that of the file, unless it is too long."""
    if isinstance(source, str):
        bare = source.lstrip("\ufeff").strip()
        if not bare or bare[0] in '{["' or bare in WORDS or "\n" in bare:
            _check_length(len(bare))
            return bare
    if not isinstance(source, str | os.PathLike):
        raise TypeError(
            f"source must be the path of a mechanism file or its text, got {type(source).__name__}"
        )
    try:
        with Path(source).open("rb") as file:
            _check_length(os.fstat(file.fileno()).st_size)
            found = file.read(MOST + 1)  # a device or a pipe does not know its size
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise
        raise ValueError("source is neither the path nor the text of a mechanism file") from None
    _check_length(len(found))
    try:
        return found.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"{os.fspath(source)} is no mechanism file: it is not UTF-8") from None


def _check_length(length: int) -> None:
    """Refuse a file that is too long."""
    if length > MOST:
        raise ValueError(f"a mechanism file has at most {MOST:,} bytes, and this one has more")


def parsed(text: str, what: str = "this is no mechanism file") -> Any:
    """Parse JSON, strictly: no key twice, and no number that is none or too large."""

    def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
        result = dict(found)
        if len(result) < len(found):
            ((twice, _),) = Counter(name for name, _ in found).most_common(1)
            raise ValueError(f"the file has {twice!r} twice in one object")
        return result

    def refused(name: str) -> float:
        raise ValueError(f"the file has {name}, which is no number")

    def finite(digits: str) -> float:
        value = float(digits)
        return value if abs(value) < float("inf") else refused(digits)

    try:
        return json.loads(text, object_pairs_hook=pairs, parse_constant=refused, parse_float=finite)
    except json.JSONDecodeError as error:
        raise ValueError(f"{what}: {error}") from None
    except RecursionError:
        raise ValueError(f"{what}: too many brackets stand within each other") from None


def _laid_out(value: object, indent: str = "") -> str:
    """Write JSON with an entry a line, and with lists of numbers in as few lines as they fit."""
    inner = indent + "  "
    if isinstance(value, dict) and value:
        entries = [f"{inner}{json.dumps(k)}: {_laid_out(v, inner)}" for k, v in value.items()]
        return "{\n" + ",\n".join(entries) + f"\n{indent}}}"
    if isinstance(value, list) and any(isinstance(v, dict | list) for v in value):
        return "[\n" + ",\n".join(inner + _laid_out(v, inner) for v in value) + f"\n{indent}]"
    text = json.dumps(value, allow_nan=False)
    if not isinstance(value, list) or len(indent) + len(text) <= WIDTH:
        return text
    return "[\n" + "\n".join(_filled([json.dumps(v, allow_nan=False) for v in value], inner)) + f"\n{indent}]"


def _filled(entries: list[str], indent: str) -> list[str]:
    """Put entries into lines that are not too long."""
    lines, line = [], indent
    for i, entry in enumerate(entries):
        piece = entry + ("," if i + 1 < len(entries) else "")
        if len(line) > len(indent) and len(line) + len(piece) + 1 > WIDTH:
            lines.append(line.rstrip())
            line = indent
        line += piece + " "
    return [*lines, line.rstrip()]
