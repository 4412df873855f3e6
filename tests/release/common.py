"""Tables counted and estimated without a mechanism's own reading of records."""

from functools import lru_cache

import numpy as np

from orr.channel import Channel
from orr_release.counting import Part
from orr_release.estimate import Estimate


def observed_table(values, sizes, chosen):
    """Count the released records of every combination of values of some attributes."""
    shape = tuple(int(sizes[i]) for i in chosen)
    cells = np.ravel_multi_index(tuple(values[:, i] for i in chosen), shape)
    return np.bincount(cells, minlength=int(np.prod(shape))).reshape(shape)


def dense(mechanism, attributes):
    """Channel of some attributes, summed up from the whole matrix."""
    sizes = tuple(mechanism.sizes)
    values = np.indices(sizes).reshape(len(sizes), -1)[list(attributes)]
    shape = tuple(sizes[i] for i in attributes)
    member = np.ravel_multi_index(values, shape) == np.arange(np.prod(shape))[:, None]
    return member @ mechanism.matrix() @ member.T / member.sum(axis=1)


# A law is compared by identity, so this is a channel for each law: tables of one law are drawn by hundreds.
channel_of = lru_cache(maxsize=8)(Channel.of)


def unbiased_table(law, observed, attributes):
    """Undo the randomization of a table of counts, for records of one form and of weight 1."""
    part = Part(channel_of(law, attributes), observed, observed)
    return Estimate({0: part}, part.seen.sum(), part.seen.sum())
