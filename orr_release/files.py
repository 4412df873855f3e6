"""Files of any length, some rows at a time (chapter release)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from orr.checks import HIDDEN
from orr_release.arrow import Undeclared, imported
from orr_release.commas import comma_batches
from orr_release.domain import Domain
from orr_release.estimate import Estimate
from orr_release.forms import FORM
from orr_release.origin import KEY, check_origin, check_truth, origin
from orr_release.place import beside, check_kind, replaced
from orr_release.release import Release

LONGEST = 200  # letters that are read of the file that names a mechanism: more than a digest has
ROWS = 2**18  # read and randomized at a time: tens of megabytes, and long enough to be fast


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
    domain, digest, rows = _domain(release), release.digest, 0
    told = beside(Path(source)).name if Path(source).suffix == ".csv" else "its metadata"
    check_truth(named(Path(source)), Path(source).name, told)
    with replaced(Path(target), digest) as place:
        writer: Any = None
        try:
            for batch in batches(Path(source), domain, line_breaks=line_breaks):
                with counted_from(rows):
                    released = release.perturb(batch)
                released = released.combine_chunks().replace_schema_metadata({KEY: digest})
                writer = writer or _writer(place, Path(target).suffix, released.schema)
                writer.write_table(released)
                rows += len(released)
                progress(len(released))
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

    Examples
    --------
    >>> import orr_release, tempfile
    >>> path = Path(tempfile.mkdtemp(), "released.csv")
    >>> _ = path.write_text("sex\nF\nM\nM\n")
    >>> sex = orr_release.kronecker(Domain({"sex": ["F", "M"]}), {"sex": 3.0})
    >>> estimate_file(sex, path, ["sex"]).counts.round(2)
    array([0.95, 2.05])
    """
    extra, rows = [options[key] for key in ("weights", "counts") if isinstance(options.get(key), str)], 0
    if not isinstance(options.get("weights"), str | None):
        raise TypeError("weights must be the name of a column of the file")
    made_by(source, release)
    readings, whole = [], [FORM] if release.sampled else []
    for batch in batches(Path(source), _domain(release), extra, whole):
        with counted_from(rows):
            readings.append(release.read(batch, attributes, **options))
        rows += len(batch)
        progress(len(batch))
    return release.combine(readings)


def made_by(source: str | os.PathLike[str], release: Release) -> bool:
    r"""Tell whether a file says that a mechanism released it; refuse one that names another mechanism.

    Examples
    --------
    >>> import orr_release, tempfile
    >>> path = Path(tempfile.mkdtemp(), "released.csv")
    >>> _ = path.write_text("sex\nF\nM\nM\n")
    >>> made_by(path, orr_release.kronecker(Domain({"sex": ["F", "M"]}), {"sex": 3.0}))  # nothing is said
    False
    """
    path = Path(source)
    return check_origin(named(path), release.digest, path.name)


def named(path: Path) -> str | None:
    """Return the digest of the mechanism that released a file, if the file or one beside it tells."""
    found = None
    check_kind(path)
    if path.suffix == ".parquet":
        with _whole(path):
            found = origin(imported("pyarrow.parquet").read_schema(path))
    elif path.suffix == ".arrow":
        with _whole(path), imported("pyarrow").memory_map(str(path)) as file:
            found = origin(imported("pyarrow").ipc.open_file(file).schema)
    elif beside(path).exists():
        with beside(path).open(encoding="utf-8-sig", errors="replace") as file:
            found = file.read(LONGEST).strip()
    return found


@contextmanager
def counted_from(rows: int) -> Iterator[None]:
    """Say of a row that an error names which row of the file it is.

    Examples
    --------
    >>> with counted_from(1000):
    ...     raise Undeclared("sex", 7)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    orr_release.arrow.Undeclared: column 'sex' has labels that are not declared, in row 1007 ...
    """
    try:
        yield
    except Undeclared as error:
        name, row, note = error.args
        raise Undeclared(name, rows + row, note) from None


def batches(
    path: Path,
    domain: Domain,
    numbers: Sequence[str] = (),
    whole: Sequence[str] = (),
    *,
    line_breaks: bool = True,
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
    reader, schema = _reader(path, domain, numbers, whole, line_breaks)
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
    path: Path, domain: Domain, numbers: Sequence[str], whole: Sequence[str], line_breaks: bool
) -> tuple[Iterator[Any], Any]:
    """Open a file; give its batches and its schema."""
    pa = imported("pyarrow")
    check_kind(path)
    if path.suffix == ".parquet":
        file = imported("pyarrow.parquet").ParquetFile(path)
        return file.iter_batches(ROWS), file.schema_arrow
    if path.suffix == ".arrow":
        with _whole(path):
            opened = pa.ipc.open_file(pa.memory_map(str(path)))
        parts = (_sound(path, opened, i) for i in range(opened.num_record_batches))
        return (part[i : i + ROWS] for part in parts for i in range(0, len(part), ROWS)), opened.schema
    return comma_batches(path, domain, whole, numbers, line_breaks)


def _sound(path: Path, opened: Any, i: int) -> Any:
    """Take a batch, unless its parts point outside of it: arrow would read what stands there, or crash."""
    with _whole(path):
        batch = opened.get_batch(i)
        batch.validate(full=True)
        return batch


@contextmanager
def _whole(path: Path) -> Iterator[None]:
    """Say that a file is damaged, without the words of arrow, which may hold what stands in it."""
    try:
        yield
    except FileNotFoundError:
        raise
    except (imported("pyarrow").ArrowException, OSError):
        raise ValueError(f"{path.name} cannot be read: it is damaged ({HIDDEN})") from None


def _writer(place: Path, suffix: str, schema: Any) -> Any:
    """Open a file for tables of a schema."""
    if suffix == ".parquet":
        return imported("pyarrow.parquet").ParquetWriter(place, schema)
    if suffix == ".csv":
        return imported("pyarrow.csv").CSVWriter(place, schema)
    return imported("pyarrow").ipc.new_file(place, schema)


def _domain(release: Release) -> Domain:
    if release.domain is None:
        raise ValueError("the release has no domain: give it one, so that columns have names")
    return release.domain
