"""The compass search for shares, and a mutant of it."""

import numpy as np

import orr
from orr.budget.pair_floor import loss
from orr.budget.shares import Compass
from orr.progress import Clock


class Backwards(Compass):
    """Mutant: a compass that takes what is worse."""

    def tried(self, point):
        value, point = super().tried(point)
        self.points[-1] = (-value, point)
        return -value, point


def test_a_compass_that_goes_backwards_is_seen():
    for compass, better in ((Compass, True), (Backwards, False)):
        search = compass(3.0, np.array([2, 5, 7]), 1, orr.kronecker, Clock(None))
        first = search.run(0.0)[0]
        found = orr.allocate(3.0, [2, 5, 7], first, method="kronecker")
        equal = orr.allocate(3.0, [2, 5, 7], method="kronecker")
        assert (loss(found, 1) < loss(equal, 1)) == better
