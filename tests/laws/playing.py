"""The law of a sampler in exact fractions, by playing through all coins that it can toss."""

import math
from fractions import Fraction

import numpy as np

from orr.caps.deep_cells import NestedTables
from orr.laws.product import Product
from orr.laws.split import SplitLaw
from orr.randomness import Source
from tests.common import flip_sets, times


def category_law(categories):
    """Probability of each category, in exact fractions of the doubles in the tables."""
    if isinstance(categories, NestedTables):
        law, reached = {}, Fraction(1)
        for members, table in categories.tables:
            inside = [reached * p for p in category_law(table)]
            law |= dict(zip(members.tolist(), inside, strict=False))
            reached = inside[-1]
        return [law[i] for i in range(len(law))]
    n = len(categories.keep)
    law = [Fraction(0)] * n
    for i, (keep, alias) in enumerate(zip(categories.keep, categories.alias, strict=True)):
        law[i] += Fraction(keep) / n
        law[int(alias)] += (1 - Fraction(keep)) / n
    return law


class Scripted(Source):
    """A source whose coins fall as told, and which keeps the exact probability that they do."""

    def __init__(self, script):
        super().__init__(1)
        self.script, self.probability, self.asked = list(script), Fraction(1), 0

    def choose(self, odds, shape, against=1.0):
        result = np.zeros(shape, dtype=bool)
        pairs = zip(np.broadcast_to(odds, shape), np.broadcast_to(against, shape), strict=True)
        for place, (yes, no) in enumerate(pairs):
            told = self.asked < len(self.script) and self.script[self.asked]
            chance = chosen(yes, no) if told else 1 - chosen(yes, no)
            result[place] = told if chance else not told  # what cannot happen does not
            self.probability *= chance
            self.asked += 1
        return result


def flip_law(law, category):
    """Exact law of the flip sets of a category, by playing through all coins that it tosses."""
    found, scripts = {}, [()]
    while scripts:
        script = scripts.pop()
        source = Scripted(script)
        _, attributes = law.flipped(np.array([category]), source)
        if source.probability:
            s = tuple(sorted(int(i) for i in attributes))
            found[s] = found.get(s, 0) + source.probability
        unsaid = range(len(script), source.asked)
        scripts += [script + (False,) * (i - len(script)) + (True,) for i in unsaid]
    return found


def realised_law(law):
    """Exact density of the sampler on flip sets, from the doubles that it compares with."""
    return realised_laws(law)[1]


def realised_laws(law):
    """Return that density before and after repairs."""
    sizes = law.problem.sizes.tolist()
    sets = flip_sets(len(sizes))
    if isinstance(law, Product):
        kept = [chosen(w) for w in law.problem.w]
        lie = [(1 - p) / a for p, a in zip(kept, sizes, strict=True)]
        truth = [p + u for p, u in zip(kept, lie, strict=True)]
        found = {s: math.prod(lie[i] if i in s else truth[i] for i in range(len(sizes))) for s in sets}
        return found, found
    if isinstance(law, SplitLaw):
        inside = [[tuple(sorted(numbers)) for _, numbers in law._split(set(s))] for s in sets]
        parts = zip(*map(realised_laws, law.parts), strict=True)
        return tuple(
            {s: one[a] * other[b] for s, (a, b) in zip(sets, inside, strict=True)} for one, other in parts
        )
    lifted = chosen(law.mass)
    above = dict.fromkeys(sets, Fraction(0))
    for category, p in enumerate(category_law(law._categories)):
        for s, chance in flip_law(law, category).items() if p else ():
            above[s] += lifted * p * chance / times(sizes, s)
    uniform = (1 - lifted) / math.prod(sizes)
    before = {s: value + uniform for s, value in above.items()}
    if law.stay is None:
        return before, before
    for i, kept in enumerate(map(chosen, law.stay)):
        for s in sets:
            if i not in s:
                other = tuple(sorted((*s, i)))
                mean = (above[s] + (sizes[i] - 1) * above[other]) / sizes[i]
                for t in (s, other):
                    above[t] += (1 - kept) * (mean - above[t])
    return before, {s: value + uniform for s, value in above.items()}


def chosen(odds, against=1.0):
    """Exact probability that Source.choose gives true."""
    odds, against = np.float64(odds), np.float64(against)
    if odds == np.inf:
        return Fraction(1)
    small = Fraction(float(min(odds, against) / (odds + against)))
    return small if odds < against else 1 - small


def unchecked(kind, *arguments):
    """Build a law that need not have the levels of its problem."""
    return type("Unchecked", (kind,), {"check": lambda self: None})(*arguments)
