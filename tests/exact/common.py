"""Problems, constructions, and what a sampler does by enumeration: shared by the exact tests."""

import math
from functools import cached_property, partial

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, reject, settings
from hypothesis import strategies as st

import orr
from orr.laws.ball import Ball
from orr.laws.ball_mixture import BallMixture
from orr.problem import Problem
from tests import common
from tests.common import examples, times
from tests.exact.arithmetic import MP, number
from tests.laws.playing import realised_laws

CONSTRUCTIONS = common.CONSTRUCTIONS | {
    "radius_one": orr.radius_one,
    "guarded": partial(orr.guarded, slack=0.2, time_limit=2),  # what it claims holds whenever it stops
}
every_construction = pytest.mark.parametrize("name", CONSTRUCTIONS)


class Played:
    """What a sampler does, by enumeration."""

    def __init__(self, law):
        self.sizes = law.problem.sizes.tolist()
        self.laws = [{s: number(p) for s, p in found.items()} for found in realised_laws(law)]

    @property
    def overall(self):
        """Overall level before repairs, and after them."""
        return [MP.log(max(law.values()) / min(law.values())) for law in self.laws]

    @cached_property
    def heights(self):
        """Logarithms of the density."""
        return {s: MP.log(p) for s, p in self.laws[1].items()}

    def flipped(self, i):
        """Pairs of flip sets without and with an attribute."""
        return [(s, tuple(sorted((*s, i)))) for s in self.laws[1] if i not in s]

    @property
    def neighbours(self):
        """Neighbour level of each attribute."""
        logs, every = self.heights, range(len(self.sizes))
        return [max(abs(logs[s] - logs[t]) for s, t in self.flipped(i)) for i in every]

    @property
    def rise(self):
        """Largest relative rise of the density when one more attribute is flipped."""
        law, every = self.laws[1], range(len(self.sizes))
        return max(law[t] / law[s] - 1 for i in every for s, t in self.flipped(i))

    @property
    def attributes(self):
        """Level of each attribute."""
        law, found = self.laws[1], []
        for i, a in enumerate(self.sizes):
            truth, lie = (
                sum(law[s] * times(self.sizes, s) for s in sets)
                for sets in zip(*self.flipped(i), strict=True)
            )
            found.append(MP.log(truth * (a - 1) / lie))
        return found


def excess(level, bound):
    """Say by how much a level passes a bound."""
    return f"{MP.nstr(level, 17)} is more than {bound!r}, by {MP.nstr(level - bound, 3)}"


def repeatable(many):
    """Draw the same examples each time."""
    unusual = [HealthCheck.too_slow, HealthCheck.filter_too_much]
    return settings(examples(many), derandomize=True, database=None, suppress_health_check=unusual)


any_size = st.integers(2, 6) | st.integers(2, 60) | st.sampled_from([141, 1000, 31_623, 999_983, 10**6])


def any_level(low=1e-6, high=50.0):
    """Levels whose logarithm is even."""
    return st.floats(math.log(low), math.log(high)).map(lambda x: min(max(math.exp(x), low), high))


@st.composite
def problems(draw, min_k=2, max_k=5, sizes=any_size, levels=None):
    """Draw sizes and levels of attributes, some of them alike."""
    levels = any_level() if levels is None else levels
    kinds = draw(st.lists(st.tuples(sizes, levels), min_size=1, max_size=max_k))
    k = draw(st.integers(min_k, max_k))
    which = draw(st.lists(st.integers(0, len(kinds) - 1), min_size=k, max_size=k))
    return [kinds[j][0] for j in which], [kinds[j][1] for j in which]


def drawn(seed, k, sizes, levels):
    """Draw sizes and levels of many attributes with a seed."""
    rng = np.random.default_rng(seed)
    return rng.integers(*sizes, k, endpoint=True), rng.uniform(*levels, k)


def built(name, problem):
    """Build a mechanism, or give the problem up where the construction says that it does not apply."""
    try:
        return CONSTRUCTIONS[name](*problem)
    except (orr.NotApplicable, orr.NotCertified):
        assume(name in ("kronecker", "two_attribute", "inductive", "optimal"))
        raise


def balls_mechanism(sizes, balls, shares, told):
    """Put a mechanism of given balls together, each of them weights, states and an edge.

    Each attribute is told so much of what the balls tell of it: at a share of 1 it needs no repairs.
    """
    first = Problem(sizes, [1.0] * len(sizes))
    made = [Ball(first, np.array(weights, dtype=float), *rest) for weights, *rest in balls]
    part = np.array(shares) / sum(shares)
    rates = part @ np.array([ball.rates for ball in made])
    p = 1 - 1 / np.array(sizes)
    q = p - np.array(told) * (p - rates) / 2
    problem = Problem(sizes, np.log((1 - q) * p / (q * (1 - p))))
    mass = float((problem.d / (problem.q - rates)).max()) * (1 + 1e-13)
    made = [Ball(problem, ball.weights, ball.states, ball.edge) for ball in made]
    return orr.Mechanism(BallMixture(problem, made, mass * part))


@st.composite
def some_balls(draw, max_k=5):
    """Draw a mechanism of one ball or two, with any weights, thresholds and edges."""
    k = draw(st.integers(2, max_k))
    sizes = draw(st.lists(any_size, min_size=k, max_size=k))
    weight = st.floats(0.01, 9) | st.integers(1, 9).map(float) | st.floats(0.01, 60)
    weights = st.lists(weight, min_size=k, max_size=k)
    ball = st.tuples(weights, st.integers(1, 40), st.floats(1e-9, 1))
    balls = draw(st.lists(ball, min_size=1, max_size=2))
    shares = draw(st.lists(st.floats(1e-3, 1), min_size=len(balls), max_size=len(balls)))
    told = draw(st.lists(st.just(1.0) | st.floats(0.01, 1), min_size=k, max_size=k))
    try:
        return balls_mechanism(sizes, balls, shares, told)
    except (ArithmeticError, ValueError):  # flip rates that doubles cannot hold, or that tell nothing
        reject()
