"""Files of comma-separated values: text that is looked up among the declared labels (chapter release).

No value is guessed from the data, and no message shows one.
"""

from __future__ import annotations

import csv
import warnings
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from orr.checks import HIDDEN
from orr_release.arrow import Undeclared, imported
from orr_release.domain import Domain, Label

BLOCK = 2**21  # bytes that a row may have; several times as many are read ahead
SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "vertical bars"}  # that others write in place of commas
# How files write what Python calls True and False.
TRUE, FALSE = ("True", "true", "TRUE", "1"), ("False", "false", "FALSE", "0")


def comma_batches(
    path: Path, domain: Domain, whole: Sequence[str], numbers: Sequence[str], line_breaks: bool = True
) -> tuple[Iterator[Any], Any]:
    r"""Open a csv file; give its batches, with columns of the types of the labels, and their schema.

    Only the columns of the domain are read, and those of whole and other numbers named here. A file with line
    breaks in its values is warned of, or refused if it may have none, at its end: only then are they known.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "truth.csv")
    >>> _ = path.write_text("children,name\n1,Ann\n3.0,Ben\n")
    >>> batches, schema = comma_batches(path, Domain({"children": 4}), [], [])
    >>> next(batches).to_pydict()
    {'children': [1, 3]}
    """
    pa, reader = imported("pyarrow"), imported("pyarrow.csv")
    header, lines = _header(path), _lines(path)
    types = dict.fromkeys(numbers, pa.float64()) | dict.fromkeys(whole, pa.int64())
    types |= dict.fromkeys((*domain.names, *domain.public), pa.string())
    wanted = _wanted(path, header, types)
    convert = reader.ConvertOptions(
        column_types=dict.fromkeys(types, pa.binary()),  # text and numbers are made of it here, by name
        include_columns=wanted,
        null_values=[""],
        strings_can_be_null=True,
        quoted_strings_can_be_null=not any("" in labels for labels in domain.labels),
    )
    # In a file of one column an empty line is a missing value.
    parse = reader.ParseOptions(newlines_in_values=True, ignore_empty_lines=len(header) > 1)
    texts = {n: spelled(labels) for n, labels in zip(domain.names, domain.labels, strict=True)}
    texts |= {n: spelled(labels) for n, labels in domain.codebook.items() if labels}
    options = {"parse_options": parse, "convert_options": convert}
    options["read_options"] = reader.ReadOptions(block_size=BLOCK)
    schema = pa.schema([(n, texts[n][1].type if n in texts else types[n]) for n in wanted])

    def batches() -> Iterator[Any]:
        start = 0
        for batch in _parsed(path, options):
            columns = [_cast(batch[n], types[n], n) for n in wanted]
            columns = [
                _typed(c, *texts[n], (n, start)) if n in texts else c
                for n, c in zip(wanted, columns, strict=True)
            ]
            start += len(batch)
            yield pa.RecordBatch.from_arrays(columns, schema=schema)
        if start < lines:
            told = (
                f"{path.name} has {lines:,} lines below its first, but {start:,} rows: either some values "
                "hold line breaks, or a quotation mark is missing or too many and rows are lost"
            )
            if not line_breaks:
                raise ValueError(
                    f"{told}. Nothing is released. If values may hold line breaks, say so by --line-breaks "
                    "(in Python, line_breaks=True)"
                )
            warnings.warn(told, stacklevel=2)

    return batches(), schema


def _wanted(path: Path, header: Sequence[str], types: Collection[str]) -> list[str]:
    """Choose the columns to read, in the order of the file; refuse a file that has none, or one twice."""
    wanted = [name for name in header if name in types]
    for name in wanted:
        if wanted.count(name) > 1:
            raise ValueError(
                f"{path.name} has {wanted.count(name)} columns {name!r}: names must be different"
            )
    if not wanted:  # the names found are not shown: without a first line of names, they are a record
        other = [word for sign, word in SEPARATORS.items() if any(sign in name for name in header)]
        hint = f", but it holds {' and '.join(other)}" if other else ""
        raise ValueError(
            f"{path.name} has none of the declared columns: its first line must hold their names, "
            f"separated by commas{hint}"
        )
    return wanted


def _parsed(path: Path, options: dict[str, Any]) -> Iterator[Any]:
    """Parse a file.

    Arrow opens it by its name: of a file of Python's, a thread that reads ahead may outlive the interpreter,
    which aborts the process then.
    """
    pa, reader = imported("pyarrow"), imported("pyarrow.csv")
    try:
        with reader.open_csv(str(path), **options) as opened:
            yield from opened
    except pa.ArrowInvalid:  # whose words show values; columns are only cut here: no other cause is left
        raise ValueError(
            f"{path.name} cannot be read: a row has too few or too many columns, or more than 2 MB ({HIDDEN})"
        ) from None


def _lines(path: Path) -> int:
    """Count the lines below the first that are not empty; refuse a file with an odd quotation mark."""
    quotes, lines, last = 0, 0, b"\n"
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            quotes += block.count(b'"')
            signs = np.frombuffer(last + block, np.uint8)
            ends = (signs == 10) | (signs == 13)  # line feed, carriage return
            lines += int((ends[1:] & ~ends[:-1]).sum())
            last = block[-1:]
    if quotes % 2:  # it would swallow what comes after it
        raise ValueError(f"{path.name} cannot be read: a quotation mark is not closed or not doubled")
    return lines + (last not in b"\r\n") - 1


def _cast(column: Any, kind: Any, name: str) -> Any:
    """Make text, or numbers, of the bytes of a column."""
    pa = imported("pyarrow")
    try:
        text = column.cast(pa.string())
    except pa.ArrowInvalid:
        raise ValueError(f"column {name!r} cannot be read: it is not all UTF-8 ({HIDDEN})") from None
    if kind != pa.string():
        text = imported("pyarrow.compute").utf8_trim_whitespace(text)
    try:
        return text.cast(kind)
    except pa.ArrowInvalid:
        raise ValueError(f"column {name!r} must hold numbers, and holds something else ({HIDDEN})") from None


def _header(path: Path) -> list[str]:
    """Read the names of the columns."""
    with path.open("rb") as file:
        line = file.readline(BLOCK)
    if not line:
        raise ValueError(f"{path.name} is empty: its first line must hold the names of the columns")
    try:
        return next(csv.reader([line.decode("utf-8-sig")]), [])
    except (UnicodeDecodeError, csv.Error):
        raise ValueError(f"{path.name} cannot be read: its first line must hold names, in UTF-8") from None


def spelled(labels: Sequence[Label | None]) -> tuple[Any, Any]:
    """Give all ways in which a file may write the labels, and the label of each.

    Examples
    --------
    >>> texts, values = spelled((1, 2, None))
    >>> texts.to_pylist(), values.to_pylist()
    (['1', '1.0', '2', '2.0'], [1, 1, 2, 2])
    """
    pa = imported("pyarrow")
    ways: list[tuple[str, Label]] = []
    for label in labels:
        if isinstance(label, bool):
            ways += [(text, label) for text in (TRUE if label else FALSE)]
        elif isinstance(label, int):
            ways += [(str(label), label), (f"{label}.0", label)]  # the latter where a column has gaps
        elif label is not None:
            ways.append((label, label))
    texts, values = zip(*ways, strict=True)
    return pa.array(texts, pa.string()), pa.array(values)


def _typed(column: Any, texts: Any, values: Any, place: tuple[str, int]) -> Any:
    """Look a column of text up among the labels."""
    places = imported("pyarrow.compute").index_in(column, value_set=texts)
    if places.null_count > column.null_count:
        strange = places.is_null().to_numpy(False) & ~column.is_null().to_numpy(False)
        note = "; missing is an empty field in a csv file, and NA is a label like any other"
        raise Undeclared(place[0], place[1] + int(strange.argmax()), note)
    return values.take(places)
