"""Each person answers only some of the questions, jointly randomized (chapter should-you)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from orr.arrays import Floats, Integers
from orr.budget.allocate import OBJECTIVES, allocate, check_shares
from orr.budget.scale_search import Method
from orr.checks import check_sizes
from orr.constructions.optimal import optimal
from orr.laws.single_flip import SingleFlip
from orr.mechanism import Mechanism
from orr.problem import Problem
from orr.progress import Clock
from orr_release.domain import Domain
from orr_release.forms import Form
from orr_release.release import Release

Forms = dict[Form, Mechanism]

ALL_FORMS = 24  # as many are listed whole; a balanced choice of more is made
MOST_FORMS = 200  # a second each, at worst, for twelve attributes that differ
WORSE = 3  # numbers of answers in a row that are worse than the best, before the search ends


def sampled(
    sizes: ArrayLike | Domain,
    total: float,
    answers: int | None = None,
    *,
    shares: ArrayLike | Mapping[str, float] | None = None,
    method: str | Method = "optimal",
    objective: str = "one-way",
    time_limit: float | None = None,
    progress: bool = False,
    **options: Any,
) -> Release:
    """Ask each person only some of the attributes, and spend the whole total on those.

    A *form* is a set of attributes that are asked together. Each person gets one at random, and the answers
    are randomized jointly by what :func:`orr.allocate` buys for the total, or, where that serves the
    objective better (pairs at small totals), like one attribute with a value for every combination. With one
    answer this is what the literature calls SMP; with all of them it is the construction itself.

    Parameters
    ----------
    sizes : sequence of int, or Domain
        Number of values of each attribute.
    total : float
        The overall level, in nats, that must not be exceeded.
    answers : int, optional
        How many attributes each person is asked; by default the number that serves the objective best. The
        search goes upwards from 1 (2 for pairs), and ends after three numbers that are worse than the best.
    shares : sequence of float, or mapping, optional
        What each attribute is to get, in proportion, within every form; equal shares by default.
    method : str or callable
        The construction, as for :func:`orr.allocate`.
    objective : {"one-way", "two-way"}
        What is to be small: the mean variance of a proportion in tables of single attributes, or of pairs,
        for a truth that is evenly spread.
    time_limit : float, optional
        Seconds after which the search for the best number ends with the best so far.
    progress : bool
        Whether to report each number tried on the standard error stream.
    **options
        Passed on to the construction.

    Returns
    -------
    Release
        Released arrays have -1 where nothing was asked, tables a null, and the number of the form in a column
        ``form``.

    Examples
    --------
    >>> sampled([4] * 6, 2.0)
    <Release: 1 of 6 attributes, 6 forms, overall level 2, neighbours up to 2>
    >>> sampled([4] * 6, 8.0)
    <Release: 4 of 6 attributes, 15 forms, overall level 8, neighbours up to 8>
    """
    domain = sizes if isinstance(sizes, Domain) else None
    checked = check_sizes(sizes.sizes if isinstance(sizes, Domain) else sizes)
    given = check_shares(domain.levels(shares, "shares") if domain else shares, len(checked))
    if objective not in OBJECTIVES:
        raise ValueError(f"objective = {objective!r} must be one of {', '.join(OBJECTIVES)}")
    if len(checked) < OBJECTIVES.index(objective) + 1:
        raise ValueError("objective = 'two-way' needs at least 2 attributes")
    search = _Search(checked, total, given, {"method": method, **options}, OBJECTIVES.index(objective) + 1)
    k = len(checked)
    numbers = range(search.ways, k + 1) if answers is None else [_check_answers(answers, k)]
    forms = search.best(numbers, Clock(time_limit, progress))
    return Release(forms, domain, construction="sampled")


def _check_answers(answers: int, k: int) -> int:
    """Return the number of answers; raise if it is not one."""
    if isinstance(answers, bool | np.bool_) or not isinstance(answers, int | np.integer):
        raise TypeError(f"answers = {answers!r} must be an integer")
    if not 1 <= answers <= k:
        raise ValueError(f"answers = {answers} must be between 1 and {k}, the number of attributes")
    return int(answers)


class _Search:
    """Sampled mechanisms of one total; forms alike in size and share get one mechanism."""

    def __init__(
        self, sizes: Integers, total: float, shares: Floats, options: dict[str, Any], ways: int
    ) -> None:
        self.sizes, self.total, self.shares, self.options, self.ways = sizes, total, shares, options, ways
        # Then a form may also be taken for one attribute, which no shares would ask for.
        self.alike = np.ptp(shares) == 0 and options["method"] in ("optimal", optimal)
        self.bought: dict[tuple[tuple[int, float], ...], Mechanism] = {}

    def best(self, numbers: Sequence[int], clock: Clock) -> Forms:
        """Try one number of answers after another."""
        found: list[tuple[float, Forms]] = []
        for answers in numbers:
            made = self.made(answers)
            found.append((self.loss(made) if len(numbers) > 1 else 0.0, made))
            least = min(range(len(found)), key=lambda i: found[i][0])
            clock.log("%d answers: %.4g", answers, found[-1][0])
            if len(found) - least > WORSE or clock.left < 0:
                break
        return found[least][1]

    def made(self, answers: int) -> Forms:
        """Return the mechanism of each form of this number of answers."""
        order = np.lexsort((self.shares, self.sizes)).tolist()
        forms = [tuple(order[i] for i in sorted(form)) for form in designed(len(order), answers)]
        return {form: self.buy(form) for form in forms}

    def buy(self, form: Form) -> Mechanism:
        """Spend the total on the attributes of a form."""
        kinds = tuple((int(self.sizes[i]), float(self.shares[i])) for i in form)
        if kinds not in self.bought:
            sizes, shares = zip(*kinds, strict=True)
            made = allocate(self.total, sizes, shares, **self.options)
            if self.alike and 1 < len(form) < len(self.sizes):
                made = min(made, as_one(self.total, sizes), key=self.loss)
            self.bought[kinds] = made
        return self.bought[kinds]

    def loss(self, made: Forms | Mechanism) -> float:
        """Return the mean variance of a proportion over all tables that the objective asks for."""
        release = Release(made)
        tables = list(combinations(range(len(release.sizes)), self.ways))
        return math.fsum(release.noise(table)[1] for table in tables) / len(tables)


def as_one(total: float, sizes: Sequence[int]) -> Mechanism:
    """Randomize a record like a single attribute with as many values as there are records.

    Nothing but the truth stands out: all attributes have the same odds ``w`` (chapter when-optimal).

    Examples
    --------
    >>> made = as_one(2.0, [2, 3])
    >>> round(made.epsilon, 6), made.problem.w.round(6)
    (2.0, array([1.064843, 1.064843]))
    """
    records = math.fsum(map(math.log, sizes))
    for share in (1 - 2.0**-40, 1 - 2.0**-30):  # of the total, so that it holds with all rounding
        odds = math.exp(total * share + math.log(-math.expm1(-total * share)) - records)
        levels = np.log1p(np.array(sizes) * odds)
        law = SingleFlip(Problem.achieved(np.array(sizes), levels), odds, np.zeros(len(sizes)))
        if law.epsilon <= total:
            break
    return Mechanism(law, construction="as_one")


def designed(k: int, s: int) -> list[Form]:
    """Choose forms of ``s`` of ``k`` attributes: all, or some in which attributes stand equally often.

    One attribute after another is added that stood in the fewest forms, and of these the one that met the
    others of the form least often, until every attribute stood in as many and every pair in one.

    Examples
    --------
    >>> designed(4, 2)
    [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    >>> len(designed(8, 4)), math.comb(8, 4)
    (8, 70)
    """
    if math.comb(k, s) <= (MOST_FORMS if s == 2 else ALL_FORMS) or s in (1, k):
        return list(combinations(range(k), s))
    forms: set[Form] = set()
    stood, met = np.zeros(k, dtype=np.int64), np.eye(k, dtype=np.int64)
    while not stood.all() or (len(forms) < MOST_FORMS and (np.ptp(stood) or not met.all())):
        form: list[int] = []
        while len(form) < s:
            meetings = met[:, form]
            order = np.lexsort((meetings.sum(axis=1), meetings.max(axis=1, initial=0), stood)).tolist()
            new = (i for i in order if i not in form and tuple(sorted([*form, i])) not in forms)
            form.append(next(new))
        forms.add(tuple(sorted(form)))
        stood[form] += 1
        met[np.ix_(form, form)] += 1
    return sorted(forms)
