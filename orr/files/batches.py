"""Files of any length, some rows at a time (chapter release)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from orr.domain import Domain
from orr.files.commas import comma_batches
from orr.release.columns import imported
from orr.release.estimate import Estimate
from orr.release.randomizer import FORM, Randomizer

ROWS = 2**18  # read and randomized at a time: tens of megabytes, and long enough to be fast
KINDS = (".csv", ".parquet", ".arrow")


def release(
    mechanism: Randomizer,
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    progress: Callable[[int], object] = lambda rows: None,
) -> int:
    r"""Randomize a file into a new one, some rows at a time.

    The new file appears whole or not at all: it is written beside its place, and moved there at the end.

    Parameters
    ----------
    mechanism : Mechanism or Sampled
        On a domain.
    source, target : path
        Files that end in .csv, .parquet or .arrow. The target must not exist: whoever releases the same
        records again spends their level again.
    progress : callable
        Called with the number of rows of each batch, once it is written.

    Returns
    -------
    int
        The number of rows.

    Examples
    --------
    >>> import orr, tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "truth.csv").write_text("sex\nF\nM\n")
    >>> mechanism = orr.kronecker(orr.Domain({"sex": ["F", "M"]}), {"sex": 30.0})
    >>> release(mechanism, folder / "truth.csv", folder / "released.csv")
    2
    >>> (folder / "released.csv").read_text().split()
    ['"sex"', '"F"', '"M"']
    """
    domain, rows = _domain(mechanism), 0
    with replaced(Path(target)) as place:
        writer: Any = None
        try:
            for batch in batches(Path(source), domain):
                with counted_from(rows):
                    released = mechanism.perturb(batch)
                writer = writer or _writer(place, Path(target).suffix, released.schema)
                writer.write_table(released.combine_chunks())
                rows += len(released)
                progress(len(released))
        finally:
            if writer is not None:
                writer.close()
    return rows


def estimate(
    mechanism: Randomizer,
    source: str | os.PathLike[str],
    attributes: Sequence[str],
    progress: Callable[[int], object] = lambda rows: None,
    **options: Any,
) -> Estimate:
    r"""Estimate a table from a released file, some rows at a time.

    Examples
    --------
    >>> import orr, tempfile
    >>> path = Path(tempfile.mkdtemp(), "released.csv")
    >>> _ = path.write_text("sex\nF\nM\nM\n")
    >>> mechanism = orr.kronecker(orr.Domain({"sex": ["F", "M"]}), {"sex": 3.0})
    >>> estimate(mechanism, path, ["sex"]).counts.round(2)
    array([0.95, 2.05])
    """
    extra, rows = [options[key] for key in ("weights", "counts") if isinstance(options.get(key), str)], 0
    if not isinstance(options.get("weights"), str | None):
        raise TypeError("weights must be the name of a column of the file")
    readings, whole = [], [FORM] if mechanism.gaps else []
    for batch in batches(Path(source), _domain(mechanism), extra, whole):
        with counted_from(rows):
            readings.append(mechanism.read(batch, attributes, **options))
        rows += len(batch)
        progress(len(batch))
    return mechanism.concluded(readings)


@contextmanager
def counted_from(rows: int) -> Iterator[None]:
    """Say of a row that an error names which row of the file it is.

    Examples
    --------
    >>> with counted_from(1000):
    ...     raise ValueError("a label that is not declared, in row 7")
    Traceback (most recent call last):
    ...
    ValueError: a label that is not declared, in row 7; row 0 is row 1,000 of the file
    """
    try:
        yield
    except ValueError as error:
        if rows and " in row" in str(error):
            raise ValueError(f"{error}; row 0 is row {rows:,} of the file") from None
        raise


def batches(
    path: Path, domain: Domain, numbers: Sequence[str] = (), whole: Sequence[str] = ()
) -> Iterator[Any]:
    r"""Give a file as arrow tables of some rows each, at least one; the domain gives a csv file its types.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "truth.csv")
    >>> _ = path.write_text("children\n1\n3\n")
    >>> [batch.num_rows for batch in batches(path, Domain({"children": 4}))]
    [2]
    """
    pa = imported("pyarrow")
    reader, schema = _reader(path, domain, numbers, whole)
    waiting = schema.empty_table()
    for batch in reader:
        # Borders depend on what the file holds, in bytes: whatever they were, batches have ROWS rows.
        waiting = pa.concat_tables([waiting, pa.Table.from_batches([batch])])
        while len(waiting) >= ROWS:
            yield waiting[:ROWS]
            waiting = waiting[ROWS:]
            schema = None
    if len(waiting) or schema is not None:
        yield waiting


def _reader(
    path: Path, domain: Domain, numbers: Sequence[str], whole: Sequence[str]
) -> tuple[Iterator[Any], Any]:
    """Open a file; give its batches and its schema."""
    pa = imported("pyarrow")
    check_kind(path)
    if path.suffix == ".parquet":
        file = imported("pyarrow.parquet").ParquetFile(path)
        return file.iter_batches(ROWS), file.schema_arrow
    if path.suffix == ".arrow":
        opened = pa.ipc.open_file(pa.memory_map(str(path)))
        parts = (opened.get_batch(i) for i in range(opened.num_record_batches))
        return (part[i : i + ROWS] for part in parts for i in range(0, len(part), ROWS)), opened.schema
    return comma_batches(path, domain, whole, numbers)


def _writer(place: Path, suffix: str, schema: Any) -> Any:
    """Open a file for tables of a schema."""
    if suffix == ".parquet":
        return imported("pyarrow.parquet").ParquetWriter(place, schema)
    if suffix == ".csv":
        return imported("pyarrow.csv").CSVWriter(place, schema)
    return imported("pyarrow").ipc.new_file(place, schema)


@contextmanager
def replaced(target: Path) -> Iterator[Path]:
    """Give a place to write to, which becomes the target if all goes well and is gone if not.

    Examples
    --------
    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp(), "new.csv")
    >>> with replaced(target) as place:
    ...     _ = place.write_text("whole")
    >>> target.read_text(), [path.name for path in target.parent.iterdir()]
    ('whole', ['new.csv'])
    """
    _absent(target)
    check_kind(target)
    place = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        yield place
        with place.open("rb+") as file:
            os.fsync(file.fileno())
        _absent(target)
        os.replace(place, target)
    finally:
        place.unlink(missing_ok=True)


def _absent(target: Path) -> None:
    if target.exists():
        raise FileExistsError(f"{target} exists: keep what was released, or choose another name")


def check_kind(path: Path) -> None:
    """Refuse a file of a kind that is not known.

    Examples
    --------
    >>> check_kind(Path("released.csv"))
    """
    if path.suffix not in KINDS:
        raise ValueError(f"{path.name} must end in {', '.join(KINDS)}")


def _domain(mechanism: Randomizer) -> Domain:
    if mechanism.domain is None:
        raise ValueError("the mechanism has no domain: build it on one, so that columns have names")
    return mechanism.domain
