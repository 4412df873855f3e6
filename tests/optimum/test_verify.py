"""The second path to a bound, against enumeration."""

import numpy as np

from orr.optimum import verify
from orr.problem import Problem


def test_the_simple_paths_agree_with_brute_force():
    problem = Problem([2, 3, 4, 5], [1.0, 0.3, 2.0, 1.5])
    flips = np.indices((2,) * 4).reshape(4, -1).T
    uniform = np.where(flips, problem.p, 1 - problem.p).prod(axis=1)
    for weights in ([3, 1, 2, 2], [0.3, 0.1, 0.25, 0.22], [5, 5, 5, 5]):
        y = np.array(weights, dtype=float)
        short = uniform @ np.maximum((problem.q - flips) @ y, 0)
        expected = np.log1p(y @ problem.d / short)
        np.testing.assert_allclose(verify.lower_bound(problem, y), expected, rtol=1e-13)
