"""The optimum at any number of attributes, with a certificate (chapter any-size)."""

from __future__ import annotations

from orr.checks import positive
from orr.optimum.certificate import Certified
from orr.optimum.search import Search
from orr.problem import LevelsLike, Problem, SizesLike
from orr.progress import Clock


def optimal(
    sizes: SizesLike,
    epsilons: LevelsLike,
    *,
    rel_gap: float = 1e-4,
    gap: float | None = None,
    time_limit: float | None = None,
    progress: bool = False,
) -> Certified:
    """Find the mechanism with the smallest overall level, and prove how good it is.

    1. A closed form, where there is one: at most one flip above the uniform part
       (:func:`orr.radius_one`), or attributes that are all alike.
    2. Where flip sets are few: a linear program over those near the edge of a ball around the truth.
    3. Where they are many: a mixture of balls with soft edges, computed by dynamic programming along a path
       on which the edge becomes ever narrower. Whole weights prove the lower bound.

    The result depends only on which pairs of size and level there are: permuting the attributes permutes
    the mechanism, up to the last digit or two of sums, and attributes with the same size and level are
    treated alike. Where flip sets are listed and there are several optima, the one with the softest edge is
    chosen, at a cost of at most one part in two billion; or the solver's own where every soft edge costs
    more. No flip makes a record likelier, except for flip sets so rare (below 1e-306) that doubles cannot
    hold their share. A gap may remain, and the search may take minutes, where levels are far apart (above 30
    beside below 0.02) or below 0.1 with a million values beside few, and for more than 10,000 different
    attributes.

    Parameters
    ----------
    sizes : sequence of int
        Number of values of each attribute.
    epsilons : sequence of float
        Level of each attribute, in nats.
    rel_gap : float
        Largest gap between the bounds, as a share of the overall level.
    gap : float, optional
        Largest gap in nats, instead of ``rel_gap``.
    time_limit : float, optional
        Seconds after which no further step begins; before that, no long step that would not end in time.
        A step may take a second or two longer. The best mechanism so far is returned, with its true gap.
    progress : bool
        Whether to show the log of the search (logger ``orr``, level INFO) on the standard error stream.

    Returns
    -------
    Certified
        The mechanism, with exactly the levels asked and a ``certificate``.

    Examples
    --------
    >>> best = optimal([2, 3, 4, 5] * 10, [1.0, 2.0, 3.0, 4.0] * 10)
    >>> round(best.epsilon, 3), best.certificate.gap < 0.01
    (33.369, True)
    """
    problem, clock = Problem(sizes, epsilons), Clock(time_limit, progress)
    gaps = positive("rel_gap", rel_gap), None if gap is None else positive("gap", gap)
    return Search(problem.part(~problem.faint), clock, *gaps).run().extended(problem, "optimal")
