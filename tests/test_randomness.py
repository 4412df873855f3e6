"""Words, coins, integers and categories: exact where every word can be tried."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from orr.caps.deep_cells import NestedTables
from orr.randomness import AliasTable, Source
from orr.rounding import ULP, alias_units
from tests.chance import fits, seed
from tests.exact.arithmetic import MP
from tests.laws.playing import category_law


class EveryWord(Source):
    """A source whose first answer is every 16-bit word once; later answers are seeded."""

    def __init__(self):
        super().__init__(1)
        self.first, self.asked = True, []

    def words(self, shape, dtype):
        self.asked.append(int(np.prod(shape)))
        if self.first and dtype is np.uint16:
            self.first = False
            return np.arange(65536, dtype=np.uint16).reshape(shape)
        return super().words(shape, dtype)


@pytest.mark.parametrize("count", [0, 1, 3, 32768, 65535])
def test_coins_are_exact_on_every_word(count):
    coins = EveryWord().coins(np.array(count / 65536), (65536,))
    assert coins.sum() == count


@pytest.mark.statistical
def test_tied_coins_draw_more_digits():
    # 2^-20 needs a second word: exactly the word 0 is tied, and then 1/16 decides.
    start, tries = seed(0), 2000
    hits = sum(_Tied(start + i).coins(np.array(2.0**-20), (65536,)).sum() for i in range(tries))
    assert fits(hits, tries, 1 / 16)


class _Tied(EveryWord):
    def __init__(self, seed):
        Source.__init__(self, seed)
        self.first, self.asked = True, []


@pytest.mark.parametrize("size", [2, 3, 5, 7, 100, 255, 256])
def test_integers_are_exactly_uniform_on_every_word(size):
    source = EveryWord()
    values = source.integers(np.array([size]), (65536,))
    fair = np.arange(65536) * size % 65536 >= 65536 % size
    np.testing.assert_array_equal(np.bincount(values[fair], minlength=size), 65536 // size)
    assert source.asked[1:2] == ([65536 % size] if 65536 % size else [])


@pytest.mark.statistical
@pytest.mark.parametrize("size", [1, 2, 3, 257, 10_000, 2**31 - 1])
def test_integers_stay_in_range(size):
    values = Source(seed(1)).integers(np.array([size]), (10_000,))
    assert values.min() >= 0
    assert values.max() < size
    assert fits((values < size // 2).sum(), len(values), size // 2 / size)


@given(
    arrays(float, st.integers(1, 40), elements=st.just(0.0) | st.floats(1e-200, 1e6)).filter(
        lambda w: w.max() > 0
    )
)
def test_categories_have_the_right_probabilities(weights):
    np.testing.assert_array_less(*category_error(weights))


@pytest.mark.parametrize("n", [300, 4096, 20_000])
def test_categories_keep_their_digits_when_there_are_many(n):
    weights = np.full(n, 0.01)
    weights[0] = 1.5
    weights[-1] = n - weights[:-1].sum()
    np.testing.assert_array_less(*category_error(weights))


@given(arrays(float, st.integers(2, 60), elements=st.floats(0, 3000)))
def test_tables_within_tables_have_the_right_probabilities(falls):
    logs = -np.cumsum(np.minimum(falls, 690.0))
    tiers, reached, chances = NestedTables(logs), MP.one, {}
    for members, table in tiers.tables:
        law = [reached * MP.mpf(p.numerator) / p.denominator for p in category_law(table)]
        chances |= dict(zip(members.tolist(), law, strict=False))
        reached = law[-1]
    total = sum(MP.exp(MP.mpf(x)) for x in logs.tolist())
    for i, x in enumerate(logs.tolist()):
        assert abs(chances[i] / MP.exp(MP.mpf(x)) * total - 1) <= tiers.units * ULP


@pytest.mark.statistical
def test_tables_within_tables_are_drawn_from():
    logs = np.array([-800.0, 0.0, -1.0, -400.0])
    draws = NestedTables(logs).draw(20_000, Source(seed(4)))
    assert set(draws.tolist()) == {1, 2}
    assert fits((draws == 1).sum(), len(draws), 1 / (1 + math.exp(-1)))
    with pytest.raises(ArithmeticError, match="too far apart"):
        NestedTables(np.array([0.0, -701.0]))


def test_half_the_margin_of_categories_is_not_enough():
    weights = np.full(2048, 0.9990874095732212)
    weights[0] = 1.0097546249801792
    errors, margin = category_error(weights)
    assert margin[0] / 2 < errors.max() < margin[0]


def category_error(weights):
    """Exact relative error of each category's probability, and its bound."""
    realised = category_law(AliasTable(weights))
    total = sum(map(Fraction, weights))
    errors = [
        abs(float(p * total / Fraction(w) - 1)) if w else float(p)
        for p, w in zip(realised, weights, strict=True)
    ]
    return np.array(errors), np.full(len(weights), alias_units(len(weights)) * 2.0**-52)


@pytest.mark.parametrize("wrong", [-1e-300, 1 + 2.0**-52, math.nan, math.inf])
def test_what_is_not_a_probability_is_not_drawn(wrong):
    with pytest.raises(ArithmeticError, match="not a number from 0 to 1"):
        Source(1).coins(np.array([0.5, wrong]), (2,))


def test_odds_and_weights_that_are_not_numbers_are_not_drawn():
    for odds in (math.nan, -0.5):
        with pytest.raises(ArithmeticError), np.errstate(invalid="ignore"):
            Source(1).choose(np.array([1.0, odds]), (2,))
    for weights in ([1.0, math.nan], [1.0, math.inf], [0.0, 0.0], [1.0, -1.0], []):
        with pytest.raises(ArithmeticError):
            AliasTable(np.array(weights))


def test_a_coin_of_probability_one_is_always_true():
    assert EveryWord().coins(np.array(1.0), (65536,)).all()
