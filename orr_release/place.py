"""Places of files: a release appears whole or not at all (chapter release)."""

from __future__ import annotations

import glob
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

KINDS = (".csv", ".parquet", ".arrow")


@contextmanager
def replaced(target: Path, digest: str) -> Iterator[Path]:
    r"""Give a place to write to, which becomes the target if all goes well and is gone if not.

    The digest goes into a file beside a csv file, which must not exist either.

    Examples
    --------
    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp(), "new.csv")
    >>> with replaced(target, "sha256:1") as place:
    ...     _ = place.write_text("whole")
    >>> {path.name: path.read_text() for path in sorted(target.parent.iterdir())}
    {'new.csv': 'whole', 'new.csv.mechanism': 'sha256:1\n'}
    """
    _absent(target)
    check_kind(target)
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
        _absent(target)
        if target.suffix == ".csv":  # first: such a file without its csv file does no harm
            beside(target).write_text(f"{digest}\n", "utf-8")
        os.replace(place, target)
    finally:
        place.unlink(missing_ok=True)


def _absent(target: Path) -> None:
    if target.exists():
        raise FileExistsError(f"{target} exists: keep what was released, or choose another name")
    if target.suffix == ".csv" and (named := beside(target)).exists():
        raise FileExistsError(
            f"{named} exists, where the name of the mechanism of {target.name} would be written: "
            f"move it away, or choose another name than {target.name}"
        )


def check_kind(path: Path) -> None:
    """Refuse a file of a kind that is not known.

    Examples
    --------
    >>> check_kind(Path("released.csv"))
    """
    if path.suffix not in KINDS:
        raise ValueError(f"{path.name} must end in {', '.join(KINDS)}")


def beside(path: Path) -> Path:
    """Name the file that says which mechanism released a csv file, which has no place for that.

    Examples
    --------
    >>> beside(Path("released.csv")).name
    'released.csv.mechanism'
    """
    return path.with_name(f"{path.name}.mechanism")
