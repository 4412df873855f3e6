"""What chance may do in the tests: exact bounds, and a budget for the whole suite.

A statistical test is marked ``statistical``. Though all is right, it fails with probability at most `EACH`,
which its bounds are computed from, for its own numbers. `INSTANCES` bounds how many there are, slow ones
included, so the suite fails by chance with probability at most `SUITE`.

The tests draw with fixed seeds, to be repeatable, unless the environment has ORR_FRESH=1.
"""

import math
import os

import numpy as np
from scipy.stats import binom

SUITE = 1e-6
INSTANCES = 500
EACH = SUITE / INSTANCES


def seed(usual):
    """Return the usual seed of a test, or a new one if the environment asks for it."""
    return int.from_bytes(os.urandom(8)) if os.environ.get("ORR_FRESH") == "1" else usual


def fits(seen, n, chances, share=1.0):
    """Return for each count of n draws whether it fits its chance.

    The tails are exact, and all comparisons together fail with probability `EACH` times the share.
    """
    seen, chances = np.broadcast_arrays(seen, np.asarray(chances, dtype=float))
    tail = share * EACH / (2 * seen.size)
    return (binom.cdf(seen, n, chances) > tail) & (binom.sf(seen - 1, n, chances) > tail)


def deviation(variance, largest, share=1.0):
    """Return how far sums of independent terms may be from their means, by Bernstein's inequality.

    Parameters
    ----------
    variance : array
        Variances of the sums.
    largest : float
        Bound on how far one term can be from its mean.
    """
    variance = np.asarray(variance, dtype=float)
    logs = math.log(2 * variance.size / (share * EACH))
    return largest * logs / 3 + np.sqrt((largest * logs / 3) ** 2 + 2 * variance * logs)
