"""One record, as a mapping from names to labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from orr.arrays import Array
from orr_release.attribute import WORDS, Attribute
from orr_release.columns import HIDDEN, Decode, check_names
from orr_release.domain import is_missing


def encode_one(
    record: Mapping[Any, Any], attributes: list[Attribute], public: list[Attribute], code_type: Any
) -> tuple[Array, Decode]:
    """Look the labels of one record up."""
    check_names([*record], [a.name for a in (*attributes, *public)])
    codes = np.array([[_code(record[a.name], a) for a in attributes]], dtype=code_type)
    for a in public:
        if a.known:
            _code(record[a.name], a)
    kept = {a.name: record[a.name] for a in public}

    def decode(released: Array, **more: Array) -> dict[str, Any]:
        drawn = {
            a.name: None if not 0 <= c < len(a.labels) else a.labels[c]
            for a, c in zip(attributes, released[0].tolist(), strict=True)
        }
        whole = drawn | kept
        return {n: whole[n] for n in record if n in whole} | {n: int(c[0]) for n, c in more.items()}

    return codes, decode


def _code(label: Any, attribute: Attribute) -> int:
    """Return the code of a label, or say what is wrong with it."""
    plain = label.item() if isinstance(label, np.generic) else label
    name = attribute.name
    if is_missing(plain):
        if attribute.missing:
            return len(attribute.known)
        if not attribute.complete:
            return -1
        raise ValueError(f"{name!r} is missing: declare that missing is a value (missing='value')")
    if type(plain) is not attribute.kind:
        raise TypeError(
            f"{name!r} is of type {type(plain).__name__}, but its declared labels are "
            f"{WORDS[attribute.kind]}, and one mapping is one record"
        )
    if plain not in attribute.known:
        raise ValueError(f"{name!r} has a label that is not declared ({HIDDEN})")
    return attribute.known.index(plain)
