"""The inverse problem: from a total to the levels of the attributes (chapter budget)."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Mapping, Sequence
from functools import partial
from numbers import Real
from typing import Any

import numpy as np

from orr.arrays import Floats
from orr.budget.pair_floor import floored
from orr.budget.scale_search import Method, spend
from orr.budget.shares import best_shares
from orr.caps.guarded import guarded
from orr.checks import check_range, check_sizes, doubles, numbers
from orr.constructions.inductive import inductive
from orr.constructions.kronecker import kronecker
from orr.constructions.linear_program import linear_program
from orr.constructions.optimal import optimal
from orr.constructions.radius_one import radius_one
from orr.constructions.two_attribute import two_attribute
from orr.mechanism import Mechanism
from orr.problem import LevelsLike, SizesLike
from orr.progress import Clock

OBJECTIVES = ("one-way", "two-way")
METHODS: dict[str, Method] = {
    "optimal": optimal,
    "guarded": guarded,
    "kronecker": kronecker,
    "inductive": inductive,
    "radius_one": radius_one,
    "two_attribute": two_attribute,
    "linear_program": lambda sizes, epsilons: linear_program(sizes, epsilons).solve(),
}
WASTE_TOL = 1e-3  # share of a level that an attribute may lack without a warning; searches end sooner


class Wasteful(UserWarning):
    """An attribute gets a lower level than :func:`orr.kronecker` gives it for the same total."""


def allocate(
    epsilon: float,
    sizes: SizesLike,
    shares: LevelsLike | None = None,
    *,
    method: str | Method = "optimal",
    objective: str | None = None,
    pairs_at_least: float | None = None,
    time_limit: float | None = None,
    progress: bool = False,
    names: Sequence[str] | None = None,
    **options: Any,
) -> Mechanism:
    """Find the largest levels proportional to the shares that a total pays for.

    Look at the errors that ``orr_release.Release.plan`` expects of them before you release anything.
    At small totals some pairs of attributes may be lost, unless ``pairs_at_least`` keeps them.

    Parameters
    ----------
    epsilon : float
        The total to spend: the overall level, in nats, that must not be exceeded.
    sizes : sequence of int
        Number of values of each attribute.
    shares : sequence of float, optional
        What each attribute is to get, in proportion: the levels asked of ``method`` are a multiple.
        Equal shares by default.
    method : str or callable
        A construction, by name ("optimal", "guarded", "kronecker", "inductive", "radius_one",
        "two_attribute", "linear_program") or as a function that is called with sizes and levels.
    objective : {"one-way", "two-way"}, optional
        Instead of shares: search for those that make the variance of an estimated proportion small, averaged
        over the cells and then over the tables of all single attributes, or of all pairs. Attributes of the
        same size get the same share. About 200 mechanisms are built, which can take long for many attributes.
    pairs_at_least : float, optional
        A floor, between 0 and 1, under the factors ``|rho|`` of all pairs. If ``method`` does not keep it,
        the guarded optimum is taken instead, with the largest of a few slacks that does. The last is
        slack 0, which is Kronecker.
    time_limit : float, optional
        Seconds after which the best mechanism so far is returned, as soon as there is one. A
        construction that takes a time limit is given the rest.
    progress : bool
        Whether to show the log of the search (logger ``orr``, level INFO) on the standard error stream.
    names : sequence of str, optional
        Names of the attributes in messages.
    **options
        Passed on to the construction, such as ``slack=0.25`` for "guarded".

    Returns
    -------
    Mechanism
        What ``method`` returned at the levels found, which are its ``epsilons`` (for
        :func:`orr.inductive`, ``asked.epsilons``: those it achieves are not proportional). Its
        overall level is at most ``epsilon``, and above ``epsilon - 1e-6`` wherever that of the construction
        has no jump there.

    Raises
    ------
    NotApplicable
        Where the construction does not apply at the levels that would fit, or no slack keeps the floor.
    ValueError
        Also where no level that the package allows, from 1e-12 to 700, spends the total.

    Warns
    -----
    Wasteful
        Where an attribute gets less than :func:`orr.kronecker` would give it for the same total.

    Examples
    --------
    >>> import orr
    >>> for method in ("kronecker", "optimal"):
    ...     bought = orr.allocate(4.0, [2, 3, 4], [1, 1, 1], method=method)
    ...     print(bought.epsilons.round(3))
    [1.333 1.333 1.333]
    [1.916 1.916 1.916]
    >>> orr.allocate(4.0, [2, 3, 4], method="guarded", slack=0.25).epsilons.round(3)
    array([1.783, 1.783, 1.783])
    >>> orr.allocate(1.0, [3, 3, 3, 3], pairs_at_least=0.02).slack
    0.5
    """
    total, values = _check_total(epsilon), check_sizes(sizes)
    ways, floor = _check_objective(objective, shares), _check_floor(pairs_at_least)
    given = check_shares(shares, len(values))
    called = names or [f"attribute {i}" for i in range(len(values))]
    build, clock = construction(method, options), Clock(time_limit, progress)
    if ways == 0 or len(values) < ways:
        made = spend(total, values, given, build, clock)
    else:
        made, given = best_shares(total, values, ways, build, clock)
    if floor is not None:
        made = floored(made, floor, total, given, clock, called)
    _warn(made, total * given / given.sum(), called)
    return made


def construction(method: str | Method, options: Mapping[str, Any]) -> Method:
    """Return a construction with its options; raise if it does not take one, or needs another."""
    if isinstance(method, str) and method not in METHODS:
        raise ValueError(f"method = {method!r} must be a construction, or one of {', '.join(METHODS)}")
    build = METHODS[method] if isinstance(method, str) else method
    if not callable(build):
        raise TypeError(f"method = {method!r} must be a construction, called with sizes and levels")
    try:
        parameters = list(inspect.signature(build).parameters.values())[2:]
    except (TypeError, ValueError):  # a callable without a signature
        parameters = []
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return partial(build, **options) if options else build
    named = {p.name for p in parameters if p.kind in {p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY}}
    shown = repr(method) if isinstance(method, str) else getattr(build, "__name__", repr(build))
    for option in options:
        if option not in named:
            raise TypeError(f"method {shown} takes no option {option!r}")
    for p in parameters:
        if p.name in named and p.default is p.empty and p.name not in options:
            raise TypeError(f"method {shown} needs the option {p.name!r}, as in allocate(..., {p.name}=0.25)")
    return partial(build, **options) if options else build


def check_shares(shares: Any, k: int) -> Floats:
    """Return the shares of k attributes as floats; raise if one is not positive and finite."""
    if shares is None:
        return np.ones(k)
    values = doubles("shares", numbers("shares", shares, "fiu", Real, "a positive number"))
    check_range("shares", values, np.finfo(float).tiny, np.finfo(float).max, "positive and finite")
    if len(values) != k:
        raise ValueError(
            f"sizes and shares must have one entry for each attribute: got {k} sizes and {len(values)} shares"
        )
    return values


def _check_total(epsilon: float) -> float:
    """Return the total as a float; raise if it is not positive and finite."""
    if isinstance(epsilon, bool | np.bool_) or not isinstance(epsilon, Real):
        raise TypeError(f"epsilon = {epsilon!r} must be a positive number")
    if not 1e-300 < epsilon < 1e300:  # so that quotients of it do not overflow
        raise ValueError(f"epsilon = {epsilon} must be positive and finite, and no less than 1e-300")
    return float(epsilon)


def _check_objective(objective: str | None, shares: Any) -> int:
    """Return the number of attributes of the tables of an objective; 0 without one."""
    if objective is None:
        return 0
    if objective not in OBJECTIVES:
        raise ValueError(f"objective = {objective!r} must be {' or '.join(map(repr, OBJECTIVES))}")
    if shares is not None:
        raise ValueError(
            f"shares and objective = {objective!r} cannot both be given: either decides the levels"
        )
    return OBJECTIVES.index(objective) + 1


def _check_floor(floor: float | None) -> float | None:
    """Return the floor under the factors of pairs as a float; raise if it is not between 0 and 1."""
    if floor is None:
        return None
    if isinstance(floor, bool | np.bool_) or not isinstance(floor, Real):
        raise TypeError(f"pairs_at_least = {floor!r} must be a number between 0 and 1")
    if not 0 < floor < 1:
        raise ValueError(f"pairs_at_least = {floor} must be a number between 0 and 1")
    return float(floor)


def _warn(made: Mechanism, apart: Floats, names: Sequence[str]) -> None:
    """Warn where an attribute gets less than its share of the total."""
    short = made.epsilons < apart * (1 - WASTE_TOL)
    if short.any():
        worst = int(np.argmin(made.epsilons / apart))
        warnings.warn(
            f"{int(short.sum())} of {len(names)} attributes get less than kronecker would give them for the "
            f"same total: {names[worst]} has level {made.epsilons[worst]:.3g} in place of {apart[worst]:.3g}",
            Wasteful,
            stacklevel=3,
        )
