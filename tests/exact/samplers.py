"""What the samplers do, worked out exactly from the doubles that their coins compare with.

A coin given odds ``o`` comes up with the double nearest to ``min(o, 1) / (1 + o)``, or misses with it; a bin
of an alias table keeps its category with the double in the table. From these, and from nothing else
that the package computes, follow the probabilities of flip sets, in numbers of 126 digits. No code
is shared with the package; its classes serve to tell the laws apart, and ``Ball.draw`` is asked for
its odds by a source that answers as told.

A *height* is the probability of a record times the number of records, so a uniformly random record
has height 1 everywhere, and the level is the logarithm of the largest height over the smallest.
"""

import math
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from orr.caps.deep_cells import NestedTables
from orr.caps.ramp import Ramp
from orr.laws.ball_mixture import BallMixture
from orr.laws.cells import Cells
from orr.laws.product import Product
from orr.laws.single_flip import SingleFlip
from orr.laws.split import SplitLaw
from orr.randomness import Source
from tests.exact.arithmetic import MP, flip_sets, times

FEW = 10  # attributes whose flip sets are enumerated
DIGITS, DROPPED = 420, 200  # binary digits that following a ball keeps, and below which a part is dropped


class Realised(NamedTuple):
    """What is known of the level of a sampler: it is at least ``low`` and at most ``high``."""

    low: Any
    high: Any


def compared(odds, against=1.0):
    """Return the double that ``choose`` compares with, and whether that is the chance of true."""
    rare = odds < against
    with np.errstate(all="ignore"):  # odds where no draw ever comes may be anything
        return np.where(rare, odds, against) / (odds + against), rare


def coin(odds, against=1.0):
    """Chances that ``choose`` gives true and that it gives false."""
    double, rare = compared(np.float64(odds), np.float64(against))
    assert 0 <= double <= 1, "a coin has no chance"
    exact = MP.mpf(float(double))
    return (exact, 1 - exact) if rare else (1 - exact, exact)


def lifted(law):
    """Chances that a record is not the uniformly random one, and that it is."""
    return coin(law.mass)


def kept_of(law):
    """Chances of each attribute to stay as it is after the second law, and not to; None where all stay."""
    return None if law.stay is None else [coin(float(odds)) for odds in law.stay]


def category_chances(law):
    """Chance of each category of an alias table, or of tables within tables."""
    if not isinstance(law._categories, NestedTables):
        return alias_chances(law._categories)
    tables = law._categories.tables
    chances, reached = [None] * sum(len(members) for members, _ in tables), MP.one
    for members, table in tables:
        inside = [reached * chance for chance in alias_chances(table)]
        for i, chance in zip(members.tolist(), inside, strict=False):
            chances[i] = chance
        reached = inside[-1]
    return chances


def alias_chances(table):
    """Chance of each category of one alias table."""
    n = len(table.keep)
    chances = [MP.zero] * n
    for i, (keep, alias) in enumerate(zip(table.keep.tolist(), table.alias.tolist(), strict=True)):
        kept = MP.mpf(keep)
        chances[i] += kept / n
        chances[alias] += (1 - kept) / n
    return chances


def records(law):
    """Return the sizes as Python integers, and the number of records."""
    sizes = law.problem.sizes.tolist()
    return sizes, MP.mpf(math.prod(sizes))


def level(high, low):
    """Level of two heights."""
    return MP.inf if low == 0 else MP.log(high / low)


# Flip sets that are enumerated.


def heights(law, repaired=True):
    """Height of every flip set, in binary order, attribute 0 first."""
    sizes, total = records(law)
    sets = flip_sets(len(sizes))
    if isinstance(law, SplitLaw):
        inner = [heights(part, repaired) for part in law.parts]
        codes = [[int("".join(str(s[i]) for i in where) or "0", 2) for where in law.places] for s in sets]
        return [inner[0][one] * inner[1][other] for one, other in codes]
    if isinstance(law, Product):
        ends = product_heights(law)
        return [math.prod(pair[flip] for pair, flip in zip(ends, flips, strict=True)) for flips in sets]
    above = [p * total / times(sizes, flips) for p, flips in zip(second(law, sets), sets, strict=True)]
    kept = kept_of(law) if repaired else None
    if kept is not None:
        above = repair(above, sizes, kept)
    up, floor = lifted(law)
    return [floor + up * value for value in above]


def product_heights(law):
    """Heights of each attribute's truth and lie, where every attribute lies on its own."""
    pairs = []
    for a, w in zip(law.problem.sizes.tolist(), law.problem.w.tolist(), strict=True):
        kept, replaced = coin(w)
        pairs.append((a * kept + replaced, replaced))
    return pairs


def second(law, sets):
    """Chance of each flip set under the second law, before repairs."""
    if isinstance(law, SingleFlip):
        *single, truth = category_chances(law)
        return [truth if not any(s) else single[s.index(1)] if sum(s) == 1 else MP.zero for s in sets]
    if isinstance(law, Cells):
        return [cell_chance(law, s) for s in sets]
    if isinstance(law, Ramp):
        return follow_ramp(law, sets)
    parts = [
        [p * x for x in follow(ball, sets)] for p, ball in zip(category_chances(law), law.balls, strict=True)
    ]
    return [sum(column) for column in zip(*parts, strict=True)]


def repair(above, sizes, kept):
    """Replace each attribute by a uniform value unless it is kept: a share of the mean of two heights."""
    above, k = list(above), len(sizes)
    for i, (a, (keep, replaced)) in enumerate(zip(sizes, kept, strict=True)):
        step = 1 << (k - 1 - i)
        for s in range(len(above)):
            if not s & step:
                mean = (above[s] + (a - 1) * above[s + step]) / a
                for place in (s, s + step):
                    above[place] = keep * above[place] + replaced * mean
    return above


# Cells: which flips of a kind lie.


def cell_chance(law, flips):
    """Chance of one flip set that the cells may list."""
    places = [np.flatnonzero(law.kinds.of == g) for g in range(len(law.kinds.count))]
    inside = [tuple(j for j, i in enumerate(members) if flips[i]) for members in places]
    chances, numbers = listed(law)
    j = numbers.get(tuple(len(lies) for lies in inside))
    if j is None:
        return MP.zero
    return chances[j] * math.prod(placement(len(m), lies) for m, lies in zip(places, inside, strict=True))


@lru_cache(maxsize=1)
def listed(law):
    """Chance of each cell, and its number by its counts."""
    return category_chances(law), {tuple(cell): j for j, cell in enumerate(law.cells.tolist())}


@lru_cache(maxsize=10_000)
def placement(n, lies):
    """Chance that exactly these of n equal attributes lie, given how many do."""
    chance, left = MP.one, len(lies)
    for i in range(n):
        if 0 < left < n - i:
            lie, truth = coin(*placing(n - i, left))
            chance *= lie if i in lies else truth
        left -= i in lies
    return chance


def placing(m, left):
    """Odds, and what they are against, that one of m attributes lies if so many of them do."""
    return left, m - left


def coin_errors(m, left):
    """Relative errors of the coin that lets one of m attributes lie if so many of them do, and of its miss.

    The coin's double times m is compared with a whole number; Dekker's product keeps all digits.
    """
    double, rare = compared(*placing(m, left))
    whole = np.where(rare, left, m - left)
    high = double * m
    split = 134217729.0 * double
    upper = split - (split - double)
    rest = (upper * m - high) + (double - upper) * m
    off = np.where(rare, 1, -1) * ((high - whole) + rest)
    with np.errstate(divide="ignore", invalid="ignore"):
        return off / left, -off / (m - left)


@lru_cache(maxsize=16)
def placement_errors(n, most):
    """Least and largest logarithm of a placement's chance over the uniform one, for 0 to so many lies.

    A dynamic program from the last attribute to the first. Each step's error is about 1e-16 and known
    to ten digits or more, so the result is good to about 1e-10 of itself.
    """
    low, high = np.zeros(most + 1), np.zeros(most + 1)
    left = np.arange(1, most + 1)
    for m in range(2, n + 1):
        free = left[: min(most, m - 1)]
        lie, truth = (np.log1p(x) for x in coin_errors(m, free))
        ends = len(free) + 1
        for worst, pick in ((low, np.minimum), (high, np.maximum)):
            worst[1:ends] = pick(lie + worst[: ends - 1], truth + worst[1:ends])
    return low, high


@lru_cache(maxsize=256)
def ways(n, size, most):
    """Count the records of n attributes for 0 to so many lies."""
    counts = [MP.one]
    for c in range(most):
        counts.append(counts[-1] * (n - c) * (size - 1) / (c + 1))
    return counts


def kinds_of(law):
    """Number of attributes and size of each kind, and the largest number of lies that a cell gives it."""
    sizes = law.problem.sizes[[int(np.argmax(law.kinds.of == g)) for g in range(len(law.kinds.count))]]
    return list(zip(law.kinds.count.tolist(), sizes.tolist(), law.cells.max(axis=0).tolist(), strict=True))


def cell_heights(law):
    """Least and largest height of the second law in every cell listed, before repairs."""
    _, total = records(law)
    kinds = kinds_of(law)
    tables = [ways(*kind) for kind in kinds]
    errors = [placement_errors(n, most) if n > 1 else None for n, _, most in kinds]
    found = []
    for chance, cell in zip(category_chances(law), law.cells.tolist(), strict=True):
        mean, off = chance * total, [0.0, 0.0]
        for g, c in enumerate(cell):
            if c:
                mean /= tables[g][c]
                for end in (0, 1) if errors[g] else ():
                    off[end] += float(errors[g][end][c])
        found.append(tuple(mean * (1 + MP.mpf(math.expm1(x))) for x in off))
    return found


def cells_level(law, repaired):
    """Level of listed cells.

    Without repairs it is exact. With them no height passes the largest before, which bounds the level
    from above. From below it is the mean height of the truth or of the cell that was the likeliest, over
    that of all flipped.
    """
    (up, floor), found = lifted(law), cell_heights(law)
    highest = floor + up * max(high for _, high in found)
    every = len(found) == math.prod(int(n) + 1 for n in law.kinds.count)
    lowest = floor + (up * min(low for low, _ in found) if every else 0)
    kept = kept_of(law) if repaired else None
    if kept is None:
        return Realised(level(highest, lowest), level(highest, lowest))
    likeliest = law.cells[max(range(len(found)), key=lambda j: found[j])]
    ends = np.zeros_like(law.kinds.count), likeliest, law.kinds.count
    *likely, lie = (floor + up * mixed_cells(law, kept, counts) for counts in ends)
    return Realised(level(max(likely), lie), level(highest, floor))


def mixed_cells(law, kept, counts):
    """Mean height, after repairs, of the flip sets with so many lies of each kind.

    Read backwards, repairs move a flip set at random, and its height is the mean of where it may get.
    """
    _, total = records(law)
    base, ratios = total, []
    for g, (n, a, _) in enumerate(kinds_of(law)):
        _, replaced = kept[int(np.argmax(law.kinds.of == g))]
        c = int(counts[g])
        moved = {to: p / ways(n, a, n)[to] for to, p in moves(n, a, replaced, c).items()}
        base *= moved[c]
        ratios.append({to: x / moved[c] for to, x in moved.items()})
    height = MP.zero
    for chance, cell, other in zip(category_chances(law), law.cells, law.cells != counts, strict=True):
        for g in np.flatnonzero(other).tolist():
            chance *= ratios[g].get(int(cell[g]), 0)
        height += chance
    return base * height


def moves(n, size, replaced, c, most=8):
    """Chance of each number of lies of a kind after repairs, if it was c before.

    Where lies come as well as go, more than a few changes of either sort are left out: heights only fall.
    """
    gone, come = replaced / size, replaced * (size - 1) / size
    most = max(n, most) if c in (0, n) else most
    chances = {}
    for back, p in enumerate(binomial(c, gone, most)):
        for forth, r in enumerate(binomial(n - c, come, most)):
            chances[c - back + forth] = chances.get(c - back + forth, 0) + p * r
    return chances


def binomial(n, p, most):
    """Chance of each number of successes, up to so many."""
    return [MP.binomial(n, j) * p**j * (1 - p) ** (n - j) for j in range(min(n, most) + 1)]


# At most one lie.


def single_level(law, repaired):
    """Level of at most one lie above the uniform part, for two attributes or more.

    Without repairs it is exact. With them it comes from the truth, the likeliest single lies and the
    record with all flipped, and is bounded by the largest height before.
    """
    (up, floor), chances = lifted(law), category_chances(law)
    sizes, total = records(law)
    before = [chances[-1], *(p / (a - 1) for p, a in zip(chances[:-1], sizes, strict=True))]
    highest = floor + up * total * max(before)
    kept = kept_of(law) if repaired else None
    if kept is None:
        return Realised(level(highest, floor), level(highest, floor))
    likely = sorted(range(len(sizes)), key=lambda i: before[i + 1])[-5:]
    found = [single_height(chances, sizes, kept, s) for s in ((), *((i,) for i in likely), range(len(sizes)))]
    found = [floor + up * x for x in found]
    return Realised(level(max(found), min(found)), level(highest, floor))


def single_height(chances, sizes, kept, flips):
    """Height of a flip set after repairs, where at most one attribute lied before.

    Without the lie the height is a product of factors; with it one factor is another one.
    """
    product, one = MP.one, MP.zero
    for i, (a, (keep, replaced)) in enumerate(zip(sizes, kept, strict=True)):
        truth, lie = (
            (replaced, replaced + keep * a / (a - 1)) if i in flips else (replaced + a * keep, replaced)
        )
        product, one = product * truth, one * truth + product * chances[i] * lie
    return chances[-1] * product + one


# Balls, followed coin by coin.


class Follower(Source):
    """A source that lets chosen flip sets come out of ``Ball.draw``, and keeps their probabilities.

    Where weights are not whole, a lie is rounded up or down by a coin of its own. All that matters
    later is how many were rounded up, so the probability of a set is kept for each such number, as whole
    numbers over a common power of 2; parts below 2^-200 of the largest are dropped. Rows of the draw
    stand for the numbers: row ``r`` of a set rounds its first ``r`` lies up, and once more its last
    ``r``, so that every number stays in sight. A row that is told what has no chance is lost: it stops
    lying, which no draw forbids.
    """

    def __init__(self, order, sets, broken):
        super().__init__(1)
        self.order, self.step = order, 0
        self.member = np.vstack([np.array(sets, dtype=bool), np.zeros((1, len(broken)), dtype=bool)])
        self.last = (self.member & broken).sum(axis=1)  # of the lies that are rounded
        self.done = np.zeros(len(self.last), dtype=int)
        rows = np.where(self.last > 0, 2 * (self.last + 1), 1)
        self.start = np.cumsum(rows) - rows
        self.owner = np.repeat(np.arange(len(rows)), rows)  # the last row never lies
        self.rank = np.arange(len(self.owner)) - self.start[self.owner]
        self.lost = np.zeros(len(self.owner), dtype=bool)
        self.chances, self.scale = [{0: 1 << DIGITS} for _ in sets], [DIGITS] * len(sets)

    def choose(self, odds, shape, against=1.0):
        """Answer as told: whether an attribute lies, then whether its weight is rounded up."""
        double, rare = compared(*np.broadcast_arrays(odds, against))
        double, rare = np.broadcast_to(double, shape), np.broadcast_to(rare, shape)
        return self._lie(double, rare) if shape == self.owner.shape else self._round(double, rare)

    def _lie(self, double, rare):
        self.attribute, self.step = self.order[self.step], self.step + 1
        member = self.member[:, self.attribute]
        for j, chances in enumerate(self.chances):
            for ups in chances:
                row = self._row(j, ups)
                chances[ups] = share(chances[ups], double.item(row), rare[row] == member[j])
            self._trim(j)
        told = member[self.owner]
        self.lost |= (double == 0) & (rare == told)
        answer = told & ~self.lost
        self.lying = np.flatnonzero(answer)
        return answer

    def _round(self, double, rare):
        member, place = self.member[:, self.attribute], np.full(len(self.owner), -1)
        place[self.lying] = np.arange(len(self.lying))
        for j in np.flatnonzero(member[:-1]):
            new = {}
            for ups, chance in self.chances[j].items():
                at = place[self._row(j, ups)]
                for up in (False, True):
                    new[ups + up] = new.get(ups + up, 0) + share(chance, double.item(at), rare[at] == up)
            self.chances[j] = new
        told = self._told_up()[self.lying]
        hopeless = (double == 0) & (rare == told)
        self.lost[self.lying[hopeless]] = True
        self.done += member
        for j in np.flatnonzero(member[:-1]):
            self._trim(j)
        return told ^ hopeless

    def _told_up(self):
        done, last = self.done[self.owner], self.last[self.owner]
        return np.where(self.rank <= last, done < self.rank, done >= 2 * last + 1 - self.rank)

    def _row(self, j, ups):
        """Find a row of a set that has rounded so many lies up."""
        row = self.start[j] + ups
        if self.lost[row] and self.last[j]:
            row = self.start[j] + 2 * self.last[j] + 1 - self.done[j] + ups
        assert not self.lost[row], "a state is out of sight"
        return row

    def _trim(self, j):
        """Forget what is next to impossible, and keep enough digits of the rest."""
        least = max(self.chances[j].values(), default=0) >> DROPPED
        chances = {ups: x for ups, x in self.chances[j].items() if x > least}
        if chances and (short := DIGITS - max(chances.values()).bit_length()) > DIGITS // 4:
            chances = {ups: x << short for ups, x in chances.items()}
            self.scale[j] += short
        self.chances[j] = chances

    def found(self):
        """Probability of each set."""
        return [MP.ldexp(MP.mpf(sum(c.values())), -s) for c, s in zip(self.chances, self.scale, strict=True)]


def share(chance, double, direct):
    """Multiply a whole number by a double, or by what that lacks of 1."""
    assert 0 <= double <= 1, "a coin has no chance"
    top, bottom = double.as_integer_ratio()
    return chance * (top if direct else bottom - top) >> (bottom.bit_length() - 1)


def follow(ball, sets):
    """Chance of each of some flip sets, given as rows of 0 and 1, in the draws of a ball."""
    dead = np.setdiff1d(np.arange(len(ball.weights)), ball.live)
    inside = [j for j, s in enumerate(sets) if not np.take(s, dead).any()]
    chances = [MP.zero] * len(sets)
    if inside:
        tried = [sets[j] for j in inside]
        with np.errstate(invalid="ignore", divide="ignore"):
            source = Follower(ball.live.tolist(), tried, ball.weights != np.floor(ball.weights))
            drawn = ball.draw(len(source.owner), source)
        assert source.step == len(ball.live), "the draw has asked for something else"
        assert (drawn == source.member[source.owner])[~source.lost].all()
        for j, p in zip(inside, source.found(), strict=True):
            chances[j] = p
    return chances


def follow_ramp(law, sets):
    """Chance of each of some flip sets in the draws of a ramp."""
    k = len(law.problem)
    with np.errstate(invalid="ignore", divide="ignore"):
        source = Follower(range(k), sets, law.ramp.part > 0)
        drawn = law.draw(len(source.owner), source)
    assert source.step == k, "the draw has asked for something else"
    assert (drawn == source.member[source.owner])[~source.lost].all()
    return source.found()


class Wanderer(Source):
    """A source that lets attributes lie more or less often than the odds say, row by row.

    It keeps the logarithm of how much likelier each path is than it should be, up to a constant.
    """

    def __init__(self, ball, rng, rows):
        super().__init__(1)
        self.ball, self.rng, self.step = ball, rng, 0
        self.bias = np.append(rng.uniform(size=rows), 0.0)  # the last row never lies
        self.excess, self.weight = np.zeros(rows + 1), np.zeros(rows + 1)
        self.lost = np.zeros(rows + 1, dtype=bool)

    def choose(self, odds, shape, against=1.0):
        """Answer at random, and keep the chance of the answer."""
        double, rare = compared(*np.broadcast_arrays(odds, against))
        if shape == self.bias.shape:
            self.attribute, self.step = self.ball.live[self.step], self.step + 1
            size = int(self.ball.problem.sizes[self.attribute])
            answer = self._answer(
                np.arange(len(self.bias)), double, rare, self.bias, (1 - 1 / size, 1 / size)
            )
            answer[self.lost] = False
            self.lying = np.flatnonzero(answer)
            self.weight[self.lying] += math.floor(self.ball.weights[self.attribute])
            return answer
        part = self.ball.weights[self.attribute] % 1.0
        answer = self._answer(self.lying, double, rare, np.where(rare, double, 1 - double), (part, 1 - part))
        self.weight[self.lying] += answer
        return answer

    def _answer(self, rows, double, rare, bias, right):
        told = self.rng.random(len(rows)) < bias
        told ^= (double == 0) & (rare == told)
        chance = np.where(rare == told, double, 1 - double)
        self.lost[rows] |= ~(chance > 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            self.excess[rows] += np.log(chance) - np.log(np.where(told, *right))
        return told


def shares_inside(ball):
    """Share of each weight that belongs to a ball, whose edge may be one weight wide or several."""
    return np.append(np.ones(ball.states - np.size(ball.edge)), ball.edge)


def suspects(ball, rng, rows=2000, best=3):
    """Flip sets that come out of a ball much more often than they should, if any are found."""
    source = Wanderer(ball, rng, rows)
    with np.errstate(divide="ignore", invalid="ignore"):
        drawn = ball.draw(rows + 1, source)
    inside = np.log(shares_inside(ball))[source.weight.astype(int)]
    excess = np.where(source.lost, -np.inf, source.excess - inside)
    return list(drawn[np.argsort(-excess)[:best]])


def tried_sets(ball, rng, lies=()):
    """Flip sets of a ball: the truth, the heaviest or random attributes until it is full, and suspects.

    Of those that fill the ball, parts with so many lies are tried, too.
    """
    weights, k = np.where(np.isfinite(ball.weights), ball.weights, 1e18), len(ball.weights)
    sets = [np.zeros(k, dtype=bool), *(suspects(ball, rng) if len(ball.live) else [])]
    for order in (np.argsort(-weights, kind="stable"), rng.permutation(k)):
        filled = order[np.cumsum(weights[order]) <= ball.states - 1]
        sets += [np.isin(np.arange(k), filled[:count]) for count in (k, *lies)]
    return [tuple(s.astype(int).tolist()) for s in {s.tobytes(): s for s in sets}.values()]


@lru_cache(maxsize=40)
def tried(law, lies):
    """Flip sets of all balls that are tried, and their chances under the second law."""
    rng = np.random.default_rng(len(law.problem))
    sets = list(dict.fromkeys(s for ball in law.balls for s in tried_sets(ball, rng, lies)))
    return sets, second(law, sets)


def balls_level(law, repaired, lies=()):
    """Level of a few flip sets, each followed through every ball, over that of all flipped.

    With repairs, a height counts only as far as no attribute was replaced or came back to what it was,
    and all flipped is bounded from above: of the exponential moments of the weight that comes back, the
    best of a few. So this is a lower bound on the level; there is none from above.
    """
    sizes, total = records(law)
    sets, chances = tried(law, lies)
    (up, floor), kept = lifted(law), kept_of(law) if repaired else None
    found = []
    for s, p in zip(sets, chances, strict=True):
        height = p * total / times(sizes, s)
        found.append(floor + up * height * (1 if kept is None else unchanged(sizes, kept, s)))
    lowest = floor + (0 if kept is None else up * lie_height(law, kept))
    return Realised(level(max(found), lowest), MP.inf)


def unchanged(sizes, kept, flips):
    """Chance that repairs leave a flip set as it is."""
    stays = zip(sizes, kept, flips, strict=True)
    return math.prod(keep + replaced * (a - 1 if flip else 1) / a for a, (keep, replaced), flip in stays)


def lie_height(law, kept):
    """Bound the height, after repairs, of the record with every attribute flipped.

    The balls' heights are not read off the package: each is at most the number of records.
    """
    sizes, total = records(law)
    bound, replaced_share = MP.zero, np.array([float(r / a) for a, (_, r) in zip(sizes, kept, strict=True)])
    for ball, chance in zip(law.balls, category_chances(law), strict=True):
        weights = np.minimum(ball.weights, ball.states)
        back = float(weights.sum()) - ball.states - len(sizes)
        tails = []
        for tilt in np.geomspace(1e-6, 1, 25) * 600 / max(weights.max(), 1.0):
            moments = replaced_share * np.expm1(tilt * weights)
            tails.append(float(np.log1p(moments).sum()) - tilt * back)
        bound += chance * total * MP.exp(min(tails))
    return bound


# All laws.


def realised(law, repaired=True, lies=()):
    """Overall level of a sampler, or bounds on it: see the functions for large numbers of attributes."""
    k = len(law.problem)
    if isinstance(law, SplitLaw):
        inner = [realised(part, repaired, lies) for part in law.parts]
        return Realised(*(sum(end) for end in zip(*inner, strict=True)))
    if isinstance(law, Product):
        exact = sum(MP.log(truth / lie) for truth, lie in product_heights(law))
        return Realised(exact, exact)
    if k <= FEW and not (isinstance(law, BallMixture) and k > 6):
        found = heights(law, repaired)
        exact = level(max(found), min(found))
        return Realised(exact, exact)
    if isinstance(law, SingleFlip):
        return single_level(law, repaired)
    if isinstance(law, Cells):
        return cells_level(law, repaired)
    if isinstance(law, BallMixture):
        return balls_level(law, repaired, lies)
    found = heights(law, repaired)
    return Realised(level(max(found), min(found)), level(max(found), min(found)))


def tightness(law, lies=()):
    """Return how far the level of the sampler, before repairs, passes the one without rounding.

    This is what the margin ``epsilon - nominal_epsilon`` must cover. Repairs only lower it.
    """
    return realised(law, repaired=False, lies=lies).low - MP.mpf(float(law.nominal_epsilon))


def neighbour_levels(law):
    """Neighbour level of each attribute, repairs included, by enumeration."""
    logs, k = [MP.log(x) for x in heights(law)], len(law.problem)
    return [max(abs(x - logs[s ^ 1 << (k - 1 - i)]) for s, x in enumerate(logs)) for i in range(k)]


def steepest_rise(law):
    """Largest relative rise of a height when one more attribute is flipped: 0 or less if monotone."""
    found, k = heights(law), len(law.problem)
    steps = [1 << i for i in range(k)]
    return max(found[s | step] / x - 1 for s, x in enumerate(found) for step in steps if not s & step)


def flip_chances(law):
    """Chance of each attribute to be flipped.

    It is exact up to ten attributes, and for laws of independent attributes or of at most one lie; for
    cells the errors of the placement are taken to first order. For balls of more attributes see
    :func:`ball_rate`.
    """
    sizes, total = records(law)
    k = len(sizes)
    if isinstance(law, SplitLaw):
        found = dict(zip(law.places[0].tolist(), flip_chances(law.parts[0]), strict=True))
        found |= dict(zip(law.places[1].tolist(), flip_chances(law.parts[1]), strict=True))
        return [found[i] for i in range(k)]
    if k <= FEW and not isinstance(law, SingleFlip | Product):
        sets = flip_sets(k)
        chances = [x * times(sizes, s) / total for x, s in zip(heights(law), sets, strict=True)]
        return [sum(p for p, s in zip(chances, sets, strict=True) if s[i]) for i in range(k)]
    if isinstance(law, Product):
        return [coin(w)[1] * (a - 1) / a for w, a in zip(law.problem.w.tolist(), sizes, strict=True)]
    lies = category_chances(law)[:-1] if isinstance(law, SingleFlip) else cell_rates(law)
    return after_all(law, lies)


def after_all(law, lies):
    """Chance of each attribute to be flipped in the end, from that under the second law."""
    sizes, _ = records(law)
    (up, floor), kept = lifted(law), kept_of(law) or [(MP.one, MP.zero)] * len(sizes)
    return [
        (floor + up * replaced) * (a - 1) / a + up * keep * lie
        for a, (keep, replaced), lie in zip(sizes, kept, lies, strict=True)
    ]


def cell_rates(law):
    """Chance of each attribute to lie under the second law of listed cells, before repairs."""
    chances, lies = category_chances(law), [MP.zero] * len(law.problem)
    for g, n in enumerate(law.kinds.count.tolist()):
        counts = [MP.zero] * (int(law.cells[:, g].max()) + 1)
        for chance, c in zip(chances, law.cells[:, g].tolist(), strict=True):
            counts[c] += chance
        mean = sum(c * p for c, p in enumerate(counts)) / n
        errors = placement_drift(n, np.array([float(p) for p in counts])) if n > 1 else [0.0]
        for i, error in zip(np.flatnonzero(law.kinds.of == g).tolist(), errors, strict=True):
            lies[i] = mean + MP.mpf(float(error))
    return lies


def placement_drift(n, counts):
    """How far each of n equal attributes is from lying as often as the others, to first order.

    Followed from attribute to attribute: the chance of each number of lies left, and its error.
    """
    left = np.arange(len(counts))
    law, off, errors = counts, np.zeros_like(counts), []
    for m in range(n, 0, -1):
        free = (left > 0) & (left < m)
        lie = np.minimum(left / m, 1)
        wrong = np.zeros_like(law)
        wrong[free] = coin_errors(m, left[free])[0] * lie[free] * law[free]
        lied, lied_off = law * lie, off * lie + wrong
        errors.append(lied_off.sum())
        law, off = law - lied + np.append(lied[1:], 0), off - lied_off + np.append(lied_off[1:], 0)
    return errors


def ball_rate(ball, attribute):
    """Chance of an attribute to lie in a ball, from the ball's definition, in 80-bit floats."""
    law = np.zeros(ball.states, dtype=np.longdouble)
    law[0] = 1
    sizes = ball.problem.sizes.tolist()
    for i, a in enumerate(sizes):
        if i != attribute:
            law = law + (a - 1) * rounded_shift(law, ball.weights[i])
            law /= law.max()
    inside = shares_inside(ball)
    truth, lie = law @ inside, (sizes[attribute] - 1) * (rounded_shift(law, ball.weights[attribute]) @ inside)
    return lie / (truth + lie)


def rounded_shift(law, weight):
    """Law of the weight after a lie whose weight is rounded down or up at random."""
    moved = np.zeros_like(law)
    if weight < len(law):
        low = math.floor(weight)
        for shift, part in ((low, 1 - (weight - low)), (low + 1, weight - low)):
            moved[shift:] += np.longdouble(part) * law[: len(law) - shift]
    return moved


def attribute_level(size, flip):
    """Level of one attribute from its chance to be flipped."""
    return MP.log((1 - flip) * (size - 1) / flip)


def attribute_levels(law, attributes):
    """Levels of some attributes, exact where the chances of flips are."""
    sizes, chances = records(law)[0], flip_chances(law)
    return [attribute_level(sizes[i], chances[i]) for i in attributes]


def ball_attribute_level(law, attribute):
    """Level of one attribute of a law of balls, but for the rounding of their draws."""
    lies = [MP.zero] * len(law.problem)
    for chance, ball in zip(category_chances(law), law.balls, strict=True):
        lies[attribute] += chance * MP.mpf(str(ball_rate(ball, attribute)))
    return attribute_level(int(law.problem.sizes[attribute]), after_all(law, lies)[attribute])
