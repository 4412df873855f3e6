"""Tables counted and estimated without a mechanism's own reading of records."""

import numpy as np

from orr.release.channel import Channel, Part
from orr.release.estimate import Estimate


def observed_table(values, sizes, chosen):
    """Count the released records of every combination of values of some attributes."""
    shape = tuple(int(sizes[i]) for i in chosen)
    cells = np.ravel_multi_index(tuple(values[:, i] for i in chosen), shape)
    return np.bincount(cells, minlength=int(np.prod(shape))).reshape(shape)


def unbiased_table(law, observed, attributes):
    """Undo the randomization of a table of counts, for records of one form and of weight 1."""
    part = Part(Channel(law, attributes), observed, observed)
    return Estimate(attributes, {0: part}, part.seen.sum(), part.seen.sum())
