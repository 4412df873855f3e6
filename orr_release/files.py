"""Files of any length, some rows at a time (chapter release).

A release appears whole or not at all, and says which mechanism made it. No type is guessed from the data, and
no message shows a value: text is looked up among the declared labels.

Arrow's readers are used one by one and not through ``pyarrow.dataset``. That reads whole record batches and
row groups, so that memory would grow with the file, and it refuses a csv file of which two columns that are
not even read share a name.

This file is long because it holds every promise about files: reading, reading csv, writing.
"""

from __future__ import annotations

import csv
import glob
import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from orr.checks import HIDDEN
from orr_release.arrow import Undeclared, imported
from orr_release.domain import Domain, Label
from orr_release.estimate import Estimate
from orr_release.forms import FORM
from orr_release.origin import KEY, check_origin, check_truth, origin
from orr_release.release import Release

SUFFIXES = (".csv", ".parquet", ".arrow")
ROWS = 2**18  # Read and randomized at a time: tens of megabytes, and long enough to be fast.
MAX_CSV_ROW = 2**21  # Bytes. Arrow reads blocks of this size, and several ahead.
MAX_ORIGIN = 200  # Characters that are read of the file that names a mechanism: more than a digest has.
SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "vertical bars"}  # Those of files that are not csv.
TRUE, FALSE = ("True", "true", "TRUE", "1"), ("False", "false", "FALSE", "0")  # As files write booleans.


def release_file(
    release: Release,
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    progress: Callable[[int], object] = lambda rows: None,
    *,
    line_breaks: bool = False,
) -> int:
    r"""Randomize a file into a new one, some rows at a time.

    The new file appears whole or not at all: it is written beside its place, and moved there at the end.
    It says which mechanism made it: parquet and arrow files have ``release.digest`` in their metadata, as
    ``orr.mechanism``; beside ``released.csv`` it stands in ``released.csv.mechanism``, a line of text.

    Parameters
    ----------
    release : Release
        With a domain.
    source, target : path
        Files that end in .csv, .parquet or .arrow. The target must not exist: whoever releases the same
        records again spends their level again.
    progress : callable
        Called with the number of rows of each batch, once it is written.
    line_breaks : bool
        Whether values of a csv file may hold line breaks. If not, a file that has some is refused: a
        quotation mark that is missing or too many makes one value of several rows, which are then lost.

    Returns
    -------
    int
        The number of rows.

    Examples
    --------
    >>> import orr_release, tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "truth.csv").write_text("sex\nF\nM\n")
    >>> sex = orr_release.kronecker(Domain({"sex": ["F", "M"]}), {"sex": 30.0})
    >>> release_file(sex, folder / "truth.csv", folder / "released.csv")
    2
    >>> (folder / "released.csv").read_text().split()
    ['"sex"', '"F"', '"M"']
    """
    domain, source, target = _domain(release), Path(source), Path(target)
    where = _origin_file(source).name if source.suffix == ".csv" else "its metadata"
    check_truth(_origin(source), source.name, where)
    rows, writer = 0, None
    with _placed(target, release.digest) as place:
        try:
            for table in _each(release.perturb, _batches(source, domain, line_breaks=line_breaks), progress):
                released = table.combine_chunks().replace_schema_metadata({KEY: release.digest})
                writer = writer or _writer(place, target.suffix, released.schema)
                writer.write_table(released)
                rows += len(released)
        finally:
            if writer is not None:
                writer.close()
    return rows


def estimate_file(
    release: Release,
    source: str | os.PathLike[str],
    attributes: Sequence[str],
    progress: Callable[[int], object] = lambda rows: None,
    **options: Any,
) -> Estimate:
    r"""Estimate a table from a released file, some rows at a time.

    A file that another mechanism released is refused, if it says so; see :func:`made_by`.

    Parameters
    ----------
    release : Release
        With a domain.
    source : path
        A file that ends in .csv, .parquet or .arrow.
    attributes : sequence of str
        The attributes of the table.
    progress : callable
        Called with the number of rows of each batch, once it is counted.
    **options
        As for ``release.estimate``; weights and counts are names of columns of the file.

    Returns
    -------
    Estimate
        Of all rows together.

    Examples
    --------
    >>> import orr_release, tempfile
    >>> path = Path(tempfile.mkdtemp(), "released.csv")
    >>> _ = path.write_text("sex\nF\nM\nM\n")
    >>> sex = orr_release.kronecker(Domain({"sex": ["F", "M"]}), {"sex": 3.0})
    >>> estimate_file(sex, path, ["sex"]).counts.round(2)
    array([0.95, 2.05])
    """
    if not isinstance(options.get("weights"), str | None):
        raise TypeError("weights must be the name of a column of the file")
    made_by(source, release)
    numbers = [options[key] for key in ("weights", "counts") if isinstance(options.get(key), str)]
    tables = _batches(Path(source), _domain(release), numbers, [FORM] if release.sampled else [])
    return release.combine(
        list(_each(lambda table: release.read(table, attributes, **options), tables, progress))
    )


def made_by(source: str | os.PathLike[str], release: Release) -> bool:
    r"""Return whether a file names a mechanism as its own; raise if that is another one.

    Examples
    --------
    >>> import orr_release, tempfile
    >>> path = Path(tempfile.mkdtemp(), "released.csv")
    >>> _ = path.write_text("sex\nF\nM\nM\n")
    >>> made_by(path, orr_release.kronecker(Domain({"sex": ["F", "M"]}), {"sex": 3.0}))
    False
    """
    return check_origin(_origin(Path(source)), release.digest, Path(source).name)


def _domain(release: Release) -> Domain:
    """Return the domain of a release; raise if it has none."""
    if release.domain is None:
        raise ValueError("the release has no domain: give it one, so that columns have names")
    return release.domain


def _each(
    function: Callable[[Any], Any], tables: Iterator[Any], progress: Callable[[int], object]
) -> Iterator[Any]:
    """Yield what a function makes of each table; in errors count rows from the first table on."""
    rows = 0
    for table in tables:
        try:
            result = function(table)
        except Undeclared as error:
            name, row, note = error.args
            raise Undeclared(name, rows + row, note) from None
        yield result
        rows += len(table)
        progress(len(table))


############################################# Reading #############################################


def _check_suffix(path: Path) -> None:
    """Raise if a file is not of a known kind."""
    if path.suffix not in SUFFIXES:
        raise ValueError(f"{path.name} must end in {', '.join(SUFFIXES)}")


def _origin_file(path: Path) -> Path:
    """Return the path of the file that names the mechanism of a csv file, which has no place for that."""
    return path.with_name(f"{path.name}.mechanism")


def _origin(path: Path) -> str | None:
    """Return the digest of the mechanism that released a file, if the file or the one beside it has it."""
    _check_suffix(path)
    if path.suffix == ".csv":
        if not _origin_file(path).exists():
            return None
        with _origin_file(path).open(encoding="utf-8-sig", errors="replace") as text:
            return text.read(MAX_ORIGIN).strip()
    with _undamaged(path):
        if path.suffix == ".parquet":
            return origin(imported("pyarrow.parquet").read_schema(path))
        with imported("pyarrow").memory_map(str(path)) as file:
            return origin(imported("pyarrow").ipc.open_file(file).schema)


def _batches(
    path: Path,
    domain: Domain,
    numbers: Sequence[str] = (),
    whole: Sequence[str] = (),
    *,
    line_breaks: bool = True,
) -> Iterator[Any]:
    """Yield a file as Arrow tables of ROWS rows, the last of fewer, at least one.

    Where a reader ends its tables depends on what the file holds; the borders of a release must not.
    """
    pa = imported("pyarrow")
    _check_suffix(path)
    comma_separated = path.suffix == ".csv"
    tables = (
        _csv_tables(path, domain, numbers, whole, line_breaks) if comma_separated else _arrow_tables(path)
    )
    waiting, first = next(tables), True
    for table in tables:
        waiting = pa.concat_tables([waiting, table])
        while len(waiting) >= ROWS:
            yield waiting[:ROWS]
            waiting, first = waiting[ROWS:], False
    if first or len(waiting):
        yield waiting


def _arrow_tables(path: Path) -> Iterator[Any]:
    """Yield an empty table of the columns of a parquet or arrow file, and then the file in parts."""
    pa = imported("pyarrow")
    with _undamaged(path):
        if path.suffix == ".parquet":
            parquet = imported("pyarrow.parquet").ParquetFile(path)
            yield parquet.schema_arrow.empty_table()
            for batch in parquet.iter_batches(ROWS):
                yield pa.Table.from_batches([batch])
            return
        opened = pa.ipc.open_file(pa.memory_map(str(path)))
        yield opened.schema.empty_table()
        for i in range(opened.num_record_batches):
            batch = opened.get_batch(i)
            # Where offsets point outside of the batch, Arrow would read what stands there, or crash.
            batch.validate(full=True)
            yield pa.Table.from_batches([batch])


@contextmanager
def _undamaged(path: Path) -> Iterator[None]:
    """Say that a file is damaged, without the words of Arrow, which may show its values."""
    try:
        yield
    except (FileNotFoundError, MemoryError):
        raise
    except (imported("pyarrow").ArrowException, OSError):
        raise ValueError(f"{path.name} cannot be read: it is damaged ({HIDDEN})") from None


########################################### Reading csv ###########################################


def _csv_tables(
    path: Path, domain: Domain, numbers: Sequence[str], whole: Sequence[str], line_breaks: bool
) -> Iterator[Any]:
    """Yield an empty table of the columns of the domain, and then a csv file in parts, typed by the labels.

    Only these columns are read, and those of numbers and of whole numbers named here. A file with line
    breaks in its values is warned of, or refused if it may have none, at its end: only then are they known.
    """
    pa = imported("pyarrow")
    header, lines = _csv_header(path), _csv_lines(path)
    types = dict.fromkeys(numbers, pa.float64()) | dict.fromkeys(whole, pa.int64())
    types |= dict.fromkeys((*domain.names, *domain.public), pa.string())
    declared = dict(zip(domain.names, domain.labels, strict=True)) | domain.codebook
    spellings = {name: _spellings(labels) for name, labels in declared.items() if labels}
    wanted = _csv_wanted(path, header, types)
    shown = {name: spellings[name][1].type if name in spellings else types[name] for name in wanted}
    schema, rows = pa.schema(list(shown.items())), 0
    yield schema.empty_table()
    empty_labels = any("" in labels for labels in domain.labels)
    for batch in _csv_parsed(path, wanted, empty_labels, len(header) == 1):
        columns = [_cast(batch[name], types[name], name) for name in wanted]
        for i, name in enumerate(wanted):
            if name in spellings:
                columns[i] = _spelled(columns[i], *spellings[name], name, rows)
        rows += len(batch)
        yield pa.Table.from_arrays(columns, schema=schema)
    if rows < lines:
        told = (
            f"{path.name} has {lines:,} lines below its first, but {rows:,} rows: either some values "
            "hold line breaks, or a quotation mark is missing or too many and rows are lost"
        )
        if not line_breaks:
            raise ValueError(
                f"{told}. Nothing is released. If values may hold line breaks, say so by --line-breaks "
                "(in Python, line_breaks=True)"
            )
        warnings.warn(told, stacklevel=2)


def _csv_header(path: Path) -> list[str]:
    """Read the names of the columns."""
    with path.open("rb") as file:
        line = file.readline(MAX_CSV_ROW)
    if not line:
        raise ValueError(f"{path.name} is empty: its first line must hold the names of the columns")
    try:
        return next(csv.reader([line.decode("utf-8-sig")]), [])
    except (UnicodeDecodeError, csv.Error):
        raise ValueError(f"{path.name} cannot be read: its first line must hold names, in UTF-8") from None


def _csv_lines(path: Path) -> int:
    """Count the lines below the first that are not empty; raise if there is an odd quotation mark."""
    quotes, lines, last = 0, 0, b"\n"
    with path.open("rb") as file:
        while block := file.read(MAX_CSV_ROW):
            quotes += block.count(b'"')
            signs = np.frombuffer(last + block, np.uint8)
            ends = (signs == 10) | (signs == 13)  # Line feed, carriage return.
            lines += int((ends[1:] & ~ends[:-1]).sum())
            last = block[-1:]
    if quotes % 2:  # It would swallow what comes after it.
        raise ValueError(f"{path.name} cannot be read: a quotation mark is not closed or not doubled")
    return lines + (last not in b"\r\n") - 1


def _csv_wanted(path: Path, header: Sequence[str], types: dict[str, Any]) -> list[str]:
    """Return the columns to read, in the order of the file; raise if there is none, or one twice."""
    wanted = [name for name in header if name in types]
    for name in wanted:
        if wanted.count(name) > 1:
            raise ValueError(
                f"{path.name} has {wanted.count(name)} columns {name!r}: names must be different"
            )
    if not wanted:  # The names found are not shown: without a first line of names, they are a record.
        other = [word for sign, word in SEPARATORS.items() if any(sign in name for name in header)]
        hint = f", but it holds {' and '.join(other)}" if other else ""
        raise ValueError(
            f"{path.name} has none of the declared columns: its first line must hold their names, "
            f"separated by commas{hint}"
        )
    return wanted


def _csv_parsed(path: Path, wanted: list[str], empty_labels: bool, one_column: bool) -> Iterator[Any]:
    """Yield the wanted columns of a csv file as bytes.

    Arrow opens it by its name: of a file of Python's, a thread that reads ahead may outlive the interpreter,
    which aborts the process then.
    """
    pa, reader = imported("pyarrow"), imported("pyarrow.csv")
    convert = reader.ConvertOptions(
        column_types=dict.fromkeys(wanted, pa.binary()),
        include_columns=wanted,
        null_values=[""],
        strings_can_be_null=True,
        quoted_strings_can_be_null=not empty_labels,
    )
    # In a file of one column an empty line is a missing value.
    parse = reader.ParseOptions(newlines_in_values=True, ignore_empty_lines=not one_column)
    read = reader.ReadOptions(block_size=MAX_CSV_ROW)
    try:
        with reader.open_csv(
            str(path), read_options=read, parse_options=parse, convert_options=convert
        ) as opened:
            yield from opened
    except pa.ArrowInvalid:  # Its words show values. Columns are only cut here: no other cause is left.
        raise ValueError(
            f"{path.name} cannot be read: a row has too few or too many columns, or more than 2 MB ({HIDDEN})"
        ) from None


def _cast(column: Any, arrow_type: Any, name: str) -> Any:
    """Return the bytes of a column as text, or as numbers."""
    pa = imported("pyarrow")
    try:
        text = column.cast(pa.string())
    except pa.ArrowInvalid:
        raise ValueError(f"column {name!r} cannot be read: it is not all UTF-8 ({HIDDEN})") from None
    if arrow_type == pa.string():
        return text
    try:
        return imported("pyarrow.compute").utf8_trim_whitespace(text).cast(arrow_type)
    except pa.ArrowInvalid:
        raise ValueError(f"column {name!r} must hold numbers, and holds something else ({HIDDEN})") from None


def _spellings(labels: Sequence[Label | None]) -> tuple[Any, Any]:
    """Return all ways in which a file may write the labels, and the label of each."""
    pa, ways = imported("pyarrow"), list[tuple[str, Label]]()
    for label in labels:
        if isinstance(label, bool):
            ways += [(text, label) for text in (TRUE if label else FALSE)]
        elif isinstance(label, int):
            ways += [(str(label), label), (f"{label}.0", label)]  # The latter where a column has gaps.
        elif label is not None:
            ways.append((label, label))
    texts, values = zip(*ways, strict=True)
    return pa.array(texts, pa.string()), pa.array(values)


def _spelled(column: Any, texts: Any, values: Any, name: str, rows: int) -> Any:
    """Return the labels that a column of text writes; raise if one is not declared, in a row after others."""
    places = imported("pyarrow.compute").index_in(column, value_set=texts)
    if places.null_count > column.null_count:
        strange = places.is_null().to_numpy(False) & ~column.is_null().to_numpy(False)
        note = "; missing is an empty field in a csv file, and NA is a label like any other"
        raise Undeclared(name, rows + int(strange.argmax()), note)
    return values.take(places)


############################################# Writing #############################################


@contextmanager
def _placed(target: Path, digest: str) -> Iterator[Path]:
    """Yield a path to write to, which becomes the target if all goes well and is gone if not.

    The digest goes into a file beside a csv file, which must not exist either.
    """
    _check_absent(target)
    _check_suffix(target)
    if not target.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {target.parent}")
    if left := sorted(path.name for path in target.parent.glob(f".{glob.escape(target.name)}.*.partial")):
        warnings.warn(
            f"{', '.join(left)} in {target.parent} holds a part of a release, left by a run that was killed: "
            "delete it, unless that run still goes on",
            stacklevel=4,
        )
    place = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        yield place
        with place.open("rb+") as file:
            os.fsync(file.fileno())
        _check_absent(target)
        if target.suffix == ".csv":  # First: such a file without its csv file does no harm.
            _origin_file(target).write_text(f"{digest}\n", "utf-8")
        os.replace(place, target)
    finally:
        place.unlink(missing_ok=True)


def _check_absent(target: Path) -> None:
    """Raise if a target exists, or the file that would name its mechanism."""
    if target.exists():
        raise FileExistsError(f"{target} exists: keep what was released, or choose another name")
    if target.suffix == ".csv" and (named := _origin_file(target)).exists():
        raise FileExistsError(
            f"{named} exists, where the name of the mechanism of {target.name} would be written: "
            f"move it away, or choose another name than {target.name}"
        )


def _writer(place: Path, suffix: str, schema: Any) -> Any:
    """Open a file for tables of a schema."""
    if suffix == ".parquet":
        return imported("pyarrow.parquet").ParquetWriter(place, schema)
    if suffix == ".csv":
        return imported("pyarrow.csv").CSVWriter(place, schema)
    return imported("pyarrow").ipc.new_file(place, schema)
