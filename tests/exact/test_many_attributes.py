"""No sampler of many attributes realises higher levels than it reports.

Paths through the sampler, with arithmetic of their own, come up to the reported overall level. The audit of
the package, which is compared with an enumeration in :mod:`tests.exact.test_samplers`, bounds all levels from
above.
"""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import orr
from orr_audit.sampler import realised
from tests.exact import paths
from tests.exact.arithmetic import MP
from tests.exact.common import any_level, any_size, drawn, excess, repeatable
from tests.laws.playing import category_law

LARGE = {
    "400 of 50 values": lambda: orr.optimal([50] * 400, [0.3] * 400),
    "10000 of 1000 values": lambda: orr.optimal([1000] * 10_000, [0.7] * 10_000),
    "1000 of 4 values": lambda: orr.optimal([4] * 1000, [2.0] * 1000),
    "20 spent on 1000 of 4 values": lambda: orr.allocate(20, [4] * 1000, [1] * 1000),
    "8092 coins": lambda: orr.optimal([2] * 8092, [0.0326765747253476] * 8092),
    "nearly equal levels": lambda: orr.optimal([10] * 1000, np.linspace(0.8, 1.2, 1000), rel_gap=0.02),
    "20 of 993315 values": lambda: orr.optimal([993_315] * 20, np.linspace(12, 16, 20)),
    "out of time": lambda: orr.optimal([2, 2, 3, 2, 10**6], [8.0, 8.0, 6.0, 3.0, 1e-11], time_limit=1e-9),
    "guarded coins": lambda: orr.guarded([2] * 60, [1.0] * 60, 0.2),
    "guarded kinds": lambda: orr.guarded([2] * 6 + [3] * 5, [1.0] * 6 + [2.0] * 5, 0.2),
    "two kinds of 30": lambda: orr.optimal([2] * 30 + [5] * 30, [0.5] * 30 + [1.5] * 30),
    "two kinds of 500": lambda: orr.optimal([2] * 500 + [4] * 500, [3.0] * 500 + [5.0] * 500),
    "thirty as in the paper": lambda: orr.optimal(*drawn(1, 30, (2, 5), (1, 10)), rel_gap=0.01),
    "hundred as in the paper": lambda: orr.optimal(*drawn(2, 100, (2, 5), (1, 10)), rel_gap=0.01),
    "200 of up to 19 values": lambda: orr.optimal(*drawn(3, 200, (2, 19), (0.5, 3)), rel_gap=0.02),
    "ten kinds": lambda: orr.optimal(*drawn(9, 10, (2, 50), (0.01, 12))),
    "1000 high levels": lambda: orr.optimal(*drawn(4, 1000, (2, 5), (9, 12))),
    "1000 highest levels": lambda: orr.radius_one(*drawn(5, 1000, (2, 10**6), (22, 50))),
    "1000 one by one": lambda: orr.kronecker(*drawn(6, 1000, (2, 10**6), (1e-6, 50))),
    "1000 by induction": lambda: orr.inductive(*drawn(7, 1000, (2, 5), (1, 10))),
    "a ramp of 40": lambda: orr.guarded(*drawn(8, 40, (2, 5), (1, 3)), 0.2, time_limit=3),
}
DEAR = "nearly equal levels", "10000 of 1000 values", "two kinds of 500"  # seconds


@pytest.mark.parametrize("name", [pytest.param(n, marks=[pytest.mark.slow] * (n in DEAR)) for n in LARGE])
def test_no_level_of_many_attributes_is_exceeded(name):
    """Paths through the sampler come up to the reported level; the audit bounds all levels from above."""
    mechanism = LARGE[name]()
    law, epsilon = mechanism.law, mechanism.epsilon
    found = paths.level(law, np.random.default_rng(1))
    assert law.nominal_epsilon - 1e-9 < found <= epsilon, excess(found, epsilon)
    if name == "20 spent on 1000 of 4 values":
        assert found <= 20, excess(found, 20)
    level, error, _ = realised(law)
    assert level <= epsilon, excess(MP.mpf(str(level)), epsilon)
    assert error <= 1e-6


@repeatable(40)
@example(size=4, level=2.0, k=1000)
@example(size=1000, level=1.0602, k=1000)
@example(size=100, level=0.7842, k=291)
@example(size=10**6, level=1e-6, k=1000)
@example(size=821_354, level=1.0366840899016004e-06, k=71)  # masses of cells below the normal doubles
@example(size=744_978, level=1.5694362455936253e-12, k=366)
@given(size=any_size | st.integers(2, 10**6), level=any_level(1e-12), k=st.integers(2, 1000))
def test_equal_attributes_do_not_exceed_their_level(size, level, k):
    mechanism = orr.optimal([size] * k, [level] * k)
    found = paths.level(mechanism.law, np.random.default_rng(1))
    assert found <= mechanism.epsilon, excess(found, mechanism.epsilon)


@pytest.mark.parametrize("k", [12, 30, 60])
def test_guarded_coins_prefer_the_truth(k):
    """The density of equal attributes falls with every flip, in exact fractions of the alias table."""
    law = orr.guarded([2] * k, [1.0] * k, 0.2).law
    chances = dict(zip(law.cells[:, 0].tolist(), category_law(law._categories), strict=True))
    heights = [chances.get(c, 0) / math.comb(k, c) for c in range(k + 1)]
    rises = [c for c in range(k) if heights[c + 1] > heights[c] * (1 + Fraction(1, 10**9))]
    assert not rises, "one more flip makes a record likelier after so many"
