"""Files of comma-separated values: text that is looked up among the declared labels (chapter release).

No value is guessed from the data, and no message shows one.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from orr.checks import Label
from orr.domain import Domain
from orr.release.columns import HIDDEN, imported

# How files write what Python calls True and False.
BLOCK = 2**21  # bytes that a line may have; several times as many are read ahead
CAUSES = {
    "UTF8": "it is not all UTF-8",
    "straddling": "a line is longer than 2 MB",
    "columns, got": "a row has too few or too many columns",
    "conversion error": "a column that should hold numbers holds something else",
}
TRUE, FALSE = ("True", "true", "TRUE", "1"), ("False", "false", "FALSE", "0")


def comma_batches(
    path: Path, domain: Domain, whole: Sequence[str], numbers: Sequence[str]
) -> tuple[Iterator[Any], Any]:
    r"""Open a csv file; give its batches, with columns of the types of the labels, and their schema.

    Only the columns of the domain are read, and those of whole and other numbers named here.

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
    header = _header(path)
    types = dict.fromkeys(numbers, pa.float64()) | dict.fromkeys(whole, pa.int64())
    types |= dict.fromkeys((*domain.names, *domain.public), pa.string())
    wanted = [name for name in header if name in types]
    if len(set(wanted)) < len(wanted):
        twice = next(name for name in wanted if header.count(name) > 1)
        raise ValueError(f"{path.name} has {header.count(twice)} columns {twice!r}: names must be different")
    convert = reader.ConvertOptions(
        column_types=types,
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
        with Quoted(path) as file:
            try:
                for batch in reader.open_csv(pa.PythonFile(file, "r"), **options):
                    columns = [
                        _typed(batch[n], *texts[n], (n, start)) if n in texts else batch[n] for n in wanted
                    ]
                    start += len(batch)
                    yield pa.RecordBatch.from_arrays(columns, schema=schema)
            except pa.ArrowInvalid as error:
                if "Empty CSV file" not in str(error):
                    raise ValueError(f"{path.name} cannot be read: {_cause(str(error))} ({HIDDEN})") from None
            if file.quotes % 2:  # it swallowed what came after it
                raise ValueError(f"{path.name} cannot be read: a quotation mark is not closed or not doubled")

    return batches(), schema


class Quoted(io.FileIO):
    """A file that counts its quotation marks while it is read.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "truth.csv")
    >>> _ = path.write_text('"a","b')
    >>> with Quoted(path) as file:
    ...     file.read(), file.quotes
    (b'"a","b', 3)
    """

    quotes = 0

    def read(self, size: int = -1) -> bytes:  # type: ignore[override]
        """Read some bytes."""
        found = super().read(size) or b""
        self.quotes += found.count(b'"')
        return found


def _cause(message: str) -> str:
    """Say what was wrong in words of our own: those of arrow show values."""
    for sign, cause in CAUSES.items():
        if sign in message:
            return cause
    return "it is not a csv file as expected"


def _header(path: Path) -> list[str]:
    """Read the names of the columns."""
    with path.open("rb") as file:
        line = file.readline(BLOCK)
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
            ways += [
                (str(label), label),
                (f"{label}.0", label),
            ]  # as whole numbers with gaps are often written
        elif label is not None:
            ways.append((label, label))
    texts, values = zip(*ways, strict=True)
    return pa.array(texts, pa.string()), pa.array(values)


def _typed(column: Any, texts: Any, values: Any, place: tuple[str, int]) -> Any:
    """Look a column of text up among the labels."""
    places = imported("pyarrow.compute").index_in(column, value_set=texts)
    if places.null_count > column.null_count:
        strange = places.is_null().to_numpy(False) & ~column.is_null().to_numpy(False)
        row = place[1] + int(strange.argmax())
        raise ValueError(
            f"column {place[0]!r} has labels that are not declared, in row {row} "
            f"for the first time ({HIDDEN})"
        )
    return values.take(places)
