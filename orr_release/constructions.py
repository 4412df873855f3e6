"""The constructions on a domain: each returns a release that has the mechanism (chapter release)."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from numpy.typing import ArrayLike

import orr
from orr.mechanism import Mechanism
from orr_release.domain import Domain
from orr_release.release import Release

SizesLike = ArrayLike | Domain
LevelsLike = ArrayLike | Mapping[str, float]


def _releasing(construction: Callable[..., Mechanism]) -> Callable[..., Release]:
    """Let a construction take a domain instead of sizes, and levels by name, and return a release."""

    def made(sizes: SizesLike, epsilons: LevelsLike, *args: Any, **options: Any) -> Release:
        if not isinstance(sizes, Domain):
            return Release(construction(sizes, epsilons, *args, **options))
        return Release(construction(sizes.sizes, sizes.levels(epsilons), *args, **options), sizes)

    made.__name__ = made.__qualname__ = construction.__name__
    signature = inspect.signature(construction)
    vars(made)["__signature__"] = signature.replace(return_annotation="Release")
    made.__doc__ = (
        f"Release with :func:`orr.{construction.__name__}`: its parameters, but ``sizes`` may be a "
        "`Domain`, and ``epsilons`` a mapping by name. The release has the mechanism that it would return."
    )
    return made


kronecker = _releasing(orr.kronecker)
two_attribute = _releasing(orr.two_attribute)
inductive = _releasing(orr.inductive)
radius_one = _releasing(orr.radius_one)
optimal = _releasing(orr.optimal)
guarded = _releasing(orr.guarded)


def allocate(epsilon: float, sizes: SizesLike, shares: Any = None, **options: Any) -> Release:
    """Find the largest levels proportional to the shares that a total pays for, and release with them.

    Parameters
    ----------
    epsilon : float
        The overall level, in nats, that must not be exceeded.
    sizes : Domain, or sequence of int
        Names and labels of the attributes, or their numbers of values.
    shares : mapping, or sequence of float, optional
        What each attribute is to get, in proportion, by name for a domain; equal shares by default.
    **options
        As for :func:`orr.allocate`.

    Returns
    -------
    Release
        With the mechanism that :func:`orr.allocate` returned.

    Examples
    --------
    >>> domain = Domain({"sex": ["F", "M"], "children": 4})
    >>> allocate(3.0, domain, {"sex": 1.0, "children": 2.0})
    <Release: sex, children; overall level 3 (Kronecker 3.7136), neighbours up to 3>
    """
    if not isinstance(sizes, Domain):
        return Release(orr.allocate(epsilon, sizes, shares, **options))
    options["names"] = sizes.names
    return Release(orr.allocate(epsilon, sizes.sizes, sizes.levels(shares, "shares"), **options), sizes)
