"""The inverse question: a total to spend in, levels of the attributes out (chapter budget)."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Mapping, Sequence
from functools import partial
from numbers import Real
from typing import Any

import numpy as np

from orr.arrays import Floats, Integers
from orr.budget.pair_floor import floored, no_floor
from orr.budget.scale_search import Method, Search
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
from orr.problem import Levels, Sizes
from orr.progress import Clock, shown
from orr_release.domain import Domain

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
LESS = 1e-3  # share of a level that an attribute may lack without a warning: searches end sooner


class Wasteful(UserWarning):
    """A total buys less than it would without any construction at all."""


def allocate(
    epsilon: float,
    sizes: Sizes,
    shares: Levels | None = None,
    *,
    method: str | Method = "optimal",
    objective: str | None = None,
    pairs_at_least: float | None = None,
    time_limit: float | None = None,
    progress: bool = False,
    **options: Any,
) -> Mechanism:
    """Find the largest levels proportional to the shares that a total pays for.

    What they are good for is what :meth:`orr.Mechanism.plan` tells: look at it before you release anything.
    At small totals some pairs of attributes may be lost, unless ``pairs_at_least`` keeps them.

    Parameters
    ----------
    epsilon : float
        The total to spend: the overall level, in nats, that must not be exceeded.
    sizes : sequence of int, or Domain
        Number of values of each attribute.
    shares : sequence of float, or mapping, optional
        What each attribute is to get, in proportion: the levels asked of ``method`` are a multiple. For a
        domain, by name if you like. Equal shares by default.
    method : str or callable
        A construction, by name ("optimal", "guarded", "kronecker", "inductive", "radius_one",
        "two_attribute", "linear_program") or as a function that is called with sizes and levels.
    objective : {"one-way", "two-way"}, optional
        In place of shares: look for those that make the variance of an estimated proportion small, averaged
        over the cells and then over the tables of all single attributes, or of all pairs. Attributes of the
        same size get the same share. About 200 mechanisms are built, which can take long for many attributes.
    pairs_at_least : float, optional
        A floor, between 0 and 1, under the factors ``|rho|`` of all pairs. If ``method`` does not keep it,
        the guarded optimum is taken in its place, with the largest of a few slacks that does. The last is
        slack 0, which is Kronecker.
    time_limit : float, optional
        Seconds after which the best found so far is returned, as soon as there is some. A
        construction that takes a time limit is given what is left.
    progress : bool
        Whether to report each step on the standard error stream.
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
    total, domain = _check_total(epsilon), sizes if isinstance(sizes, Domain) else None
    values = check_sizes(sizes.sizes if isinstance(sizes, Domain) else sizes)
    ways, floor = _check_objective(objective, shares), _check_floor(pairs_at_least)
    given = check_shares(domain.levels(shares, "shares") if domain else shares, len(values))
    names = list(domain.names) if domain else [f"attribute {i}" for i in range(len(values))]
    clock = Clock(time_limit)
    purse = _Purse(total, values, construction(method, options), clock)
    with shown(clock, progress):
        made = purse.buy(given) if ways == 0 or len(values) < ways else None
        if made is None:
            made, given = best_shares(values, total, ways, purse.method, purse.buy, clock)
        if floor is not None:
            made = floored(
                made,
                floor,
                lambda slack: purse.guarded(given, slack),
                lambda last: no_floor(last, floor, total, given, names),
            )
    _warn(made, total * given / given.sum(), names)
    return made.on(domain) if domain else made


class _Purse:
    """A total, and what it is spent on."""

    def __init__(self, total: float, sizes: Integers, method: Method, clock: Clock) -> None:
        self.total, self.sizes, self.method, self.clock = total, sizes, method, clock

    def buy(self, shares: Floats, method: Method | None = None) -> Mechanism:
        """Spend the total in these shares."""
        return Search(self.total, self.sizes, shares, method or self.method, self.clock).run()

    def guarded(self, shares: Floats, slack: float) -> Mechanism:
        """Spend it on the guarded optimum."""
        return self.buy(shares, partial(guarded, slack=slack))


def construction(method: str | Method, options: Mapping[str, Any]) -> Method:
    """Return a construction with its options, or say which of them it does not take."""
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
    """Return the shares of k attributes as floats, or say which one is not a share."""
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
    """Return the total, or say that it is none."""
    if isinstance(epsilon, bool | np.bool_) or not isinstance(epsilon, Real):
        raise TypeError(f"epsilon = {epsilon!r} must be a positive number")
    if not 1e-300 < epsilon < 1e300:  # beyond, no quotient of it is a number
        raise ValueError(f"epsilon = {epsilon} must be positive and finite, and no less than 1e-300")
    return float(epsilon)


def _check_objective(objective: str | None, shares: Any) -> int:
    """Return how many attributes the tables of an objective have, 0 if there is none."""
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
    """Return the floor under the factors of pairs, or say that it is none."""
    if floor is None:
        return None
    if isinstance(floor, bool | np.bool_) or not isinstance(floor, Real):
        raise TypeError(f"pairs_at_least = {floor!r} must be a number between 0 and 1")
    if not 0 < floor < 1:
        raise ValueError(f"pairs_at_least = {floor} must be a number between 0 and 1")
    return float(floor)


def _warn(made: Mechanism, apart: Floats, names: Sequence[str]) -> None:
    """Warn where an attribute gets less than if the total were just divided."""
    short = made.epsilons < apart * (1 - LESS)
    if short.any():
        worst = int(np.argmin(made.epsilons / apart))
        warnings.warn(
            f"{int(short.sum())} of {len(names)} attributes get less than kronecker would give them for the "
            f"same total: {names[worst]} has level {made.epsilons[worst]:.3g} in place of {apart[worst]:.3g}",
            Wasteful,
            stacklevel=3,
        )
