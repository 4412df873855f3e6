"""A release written to a mechanism file."""

from __future__ import annotations

import os
from functools import singledispatch
from pathlib import Path
from typing import TYPE_CHECKING, Any

from orr.constructions.inductive import Inductive
from orr.constructions.two_attribute import TwoAttribute
from orr.mechanism import Mechanism
from orr.optimum.certificate import Certified
from orr_release.mechanism_file.text import digest, written

if TYPE_CHECKING:
    from orr_release.release import Release

__all__ = ["digest", "save", "state", "written"]


def state(release: Release) -> dict[str, Any]:
    """Return all that makes a release, and what it claims, as plain numbers.

    Examples
    --------
    >>> import orr_release
    >>> state(orr_release.kronecker([2, 3], [1.0, 2.0]))["law"]
    {'law': 'product'}
    """
    if release.sampled:
        forms = [{"attributes": list(form), "mechanism": _mechanism(m)} for form, m in release.forms]
        found = _claims("Sampled", release) | {"forms": forms}
    else:
        found = _mechanism(release.mechanism)
    domain = None if release.domain is None else release.domain.to_dict()
    return found | {"construction": release.construction, "domain": domain}


def save(release: Release, path: str | os.PathLike[str]) -> None:
    """Write a release to a file, unless that holds another one."""
    place = Path(path)
    if place.is_file() and place.stat().st_size and release.digest not in place.read_text(errors="replace"):
        raise FileExistsError(
            f"{place} exists and has another digest (as a mechanism that is built again has): a "
            "release may name it. Choose another name, or load that file with orr_release.load"
        )
    place.write_text(release.to_json(), "utf-8")


def _claims(kind: str, thing: Mechanism | Release) -> dict[str, Any]:
    """Return what a mechanism or a release says of its levels."""
    levels = thing.levels
    return {
        "kind": kind,
        "construction": thing.construction,
        "domain": None,
        "sizes": levels.sizes.tolist(),
        "epsilon": levels.epsilon,
        "epsilons": levels.epsilons.tolist(),
        "neighbour_epsilons": levels.neighbour_epsilons.tolist(),
        "neighbour_exact": levels.neighbour_exact.tolist(),
        "flip_probabilities": levels.flip_probabilities.tolist(),
    }


def _mechanism(mechanism: Mechanism) -> dict[str, Any]:
    law = {"asked": mechanism.asked.epsilons.tolist(), "law": mechanism.law.state()}
    return _claims(type(mechanism).__name__, mechanism) | law | _more(mechanism)


@singledispatch
def _more(mechanism: Mechanism) -> dict[str, Any]:
    """Return what the mechanisms of some constructions know beside their law."""
    return {}


@_more.register
def _(mechanism: TwoAttribute) -> dict[str, Any]:
    return {"case": mechanism.case}


@_more.register
def _(mechanism: Inductive) -> dict[str, Any]:
    return {"fell_back": mechanism.fell_back.tolist()}


@_more.register
def _(mechanism: Certified) -> dict[str, Any]:
    return {"certificate": mechanism.certificate.state()}
