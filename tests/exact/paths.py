"""Single paths through a sampler, at any number of attributes. No arithmetic comes from the package.

Where flip sets are too many to enumerate (:mod:`tests.laws.playing`), the sampler is made to draw some of
them: its coins fall as told, and the probability that they do follows from the doubles that they compare
with. Where a coin rounds the weight of a flip, or the edge of a ball is shared out, a path is only a part of
its flip set. Its probability is then divided by that part, so that all paths of a ball should agree.
"""

import math

import numpy as np

from orr.caps.ramp import Ramp
from orr.laws.ball_mixture import BallMixture
from orr.laws.cells import Cells
from orr.laws.product import Product
from orr.laws.single_flip import SingleFlip
from orr.laws.split import SplitLaw
from orr.randomness import Source
from tests.exact.arithmetic import MP, number
from tests.laws.playing import category_law, chosen

LIKELIEST = 2  # cells that are tried


class Told(Source):
    """A source whose coins fall as told, one row at a time; it keeps the probability that they do."""

    def __init__(self, answers):
        super().__init__(1)
        self.answers, self.probability = iter(answers), MP.one

    def choose(self, odds, shape, against=1.0):
        told = next(self.answers)  # a coin without rows is asked for as well
        if self.probability and shape[0]:  # after a coin that cannot fall as told, odds may be anything
            chance = chosen(*(np.broadcast_to(side, shape).item() for side in (odds, against)))
            self.probability *= number(chance if told else 1 - chance)
        return np.full(shape, told)


def probability(law, category, flips, answers):
    """Probability that a category becomes a flip set by these coins."""
    source = Told(answers)
    _, attributes = law.flipped(np.array([category]), source)
    assert sorted(attributes.tolist()) == sorted(flips)
    assert next(source.answers, None) is None
    return source.probability


def level(law, rng):
    """Overall level before repairs, from the paths that are tried."""
    if isinstance(law, SplitLaw):
        return sum(level(part, rng) for part in law.parts)
    sizes = law.problem.sizes.tolist()
    if isinstance(law, Product):
        kept = [number(chosen(w)) for w in law.problem.w]
        return sum(MP.log1p(a * c / (1 - c)) for a, c in zip(sizes, kept, strict=True))
    lifted = chosen(law.mass)
    return MP.log1p(number(lifted / (1 - lifted) * math.prod(sizes)) * density(law, rng))


def density(law, rng):
    """Largest probability of a record under the second law, from the paths that are tried."""
    chances = [number(p) for p in category_law(law._categories)]
    sizes = law.problem.sizes.tolist()
    if isinstance(law, SingleFlip):
        return max(chances[-1], *(p / (a - 1) for p, a in zip(chances, sizes, strict=False)))
    if isinstance(law, Cells):
        likeliest = np.argsort(-law.log_excess)[:LIKELIEST]
        return max(chances[j] * placed(law, j, last) for j in likeliest.tolist() for last in (False, True))
    if isinstance(law, Ramp):
        return most(law, 0, law.ramp.low, law.ramp.part, np.exp(law.log_excess - law.log_excess[0]), rng)
    assert isinstance(law, BallMixture)
    return sum(
        p * in_ball(law, j, ball, rng) for j, (p, ball) in enumerate(zip(chances, law.balls, strict=True))
    )


def in_ball(law, category, ball, rng):
    """Largest probability of a record in a ball, from the paths that are tried."""
    weights = np.minimum(ball.weights, ball.states)
    share = np.append(np.ones(ball.states - np.size(ball.edge)), ball.edge)
    return most(law, category, np.floor(weights), weights % 1.0, share, rng, ball.live)


def placed(law, category, last):
    """Probability of a record in a cell whose flips are the first attributes of each kind, or the last."""
    flips, answers, records = [], [], 1
    for g, c in enumerate(law.cells[category].tolist()):
        members = np.flatnonzero(law.kinds.of == g).tolist()
        first = len(members) - c if last else 0
        flips += members[first : first + c]
        answers += [first <= j < first + c for j in range(len(members))] if len(members) > 1 else []
        records *= int(law.problem.sizes[members[0]] - 1) ** c
    return probability(law, category, flips, answers) / records


def most(law, category, low, part, share, rng, order=None):
    """Largest probability of a record on a few paths: no flip, and flips until there is no room."""
    k, room = len(low), len(share) - 1
    order = np.arange(k) if order is None else order
    tried = [np.empty(0, dtype=int), np.argsort(-low, kind="stable"), *(rng.permutation(k) for _ in range(3))]
    return max(along(law, category, low, part, share, room, order, wanted, rng) for wanted in tried)


def along(law, category, low, part, share, room, order, wanted, rng):
    """Probability of a record on one path, with its share of its flip set divided out."""
    flips, up, weight, path = set(), rng.random(len(low)) < 0.5, 0, MP.one
    up &= part > 0
    for i in wanted.tolist():
        if weight + low[i] + up[i] <= room:
            flips.add(i)
            weight += int(low[i]) + int(up[i])
            path *= (int(law.problem.sizes[i]) - 1) * (MP.mpf(part[i]) if up[i] else 1 - MP.mpf(part[i]))
    answers = [
        told for i in order.tolist() for told in ((i in flips, up[i]) if part[i] > 0 else (i in flips,))
    ]
    return probability(law, category, flips, answers) / (path * MP.mpf(share[weight]))
