"""The origin of a release: the digest of its mechanism, kept beside the released values (chapter release)."""

from __future__ import annotations

import re
from typing import Any

from orr_release.mechanism_file.format import DIGEST

KEY = b"orr.mechanism"  # In the metadata of parquet and arrow files, and of the tables read from them.


def origin(table: Any) -> str | None:
    """Return the digest in the metadata of an Arrow table or schema; other tables have no place for it.

    Examples
    --------
    >>> import pyarrow as pa
    >>> origin(pa.table({"sex": ["F"]}, metadata={KEY: "sha256:1"})), origin([[0, 1]])
    ('sha256:1', None)
    """
    metadata = getattr(getattr(table, "schema", table), "metadata", None)
    found = metadata.get(KEY) if isinstance(metadata, dict) else None
    return None if found is None else found.decode("utf-8", "replace")


def check_origin(found: str | None, digest: str, what: str = "the table") -> bool:
    """Return whether a release names this mechanism; raise if it names another: estimates would be wrong.

    Examples
    --------
    >>> check_origin("sha256:" + 64 * "0", "sha256:" + 64 * "1", "new.csv")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    ValueError: new.csv was released by the mechanism sha256:000...: load the file of ...
    """
    if found is not None and not re.fullmatch(DIGEST, found):
        raise ValueError(f"{what} must name its mechanism by a digest, sha256: and 64 digits, and does not")
    if found is not None and found != digest:
        raise ValueError(
            f"{what} was released by the mechanism {found}, and this one is {digest}: "
            "load the file of the one that released it"
        )
    return found is not None


def check_truth(found: str | None, what: str = "the table", where: str = "its metadata") -> None:
    """Raise if records to be released name a mechanism: they are noisy already, and would be read as true.

    Examples
    --------
    >>> check_truth("sha256:" + 64 * "0", "new.csv", "new.csv.mechanism")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    ValueError: new.csv was released already, by the mechanism sha256:000...: give the true records
    """
    if found is not None:
        known = f"by the mechanism {found}" if re.fullmatch(DIGEST, found) else "by an unknown mechanism"
        raise ValueError(f"{what} was released already, {known} ({where} says so): give the true records")
