"""Time limits: how long a call has taken, and how long it may still take."""

from __future__ import annotations

import math
import time

from orr.checks import positive


class Clock:
    """How long a call has taken, and how long it may still take."""

    def __init__(self, time_limit: float | None) -> None:
        self.start = time.perf_counter()
        self.limit = math.inf if time_limit is None else positive("time_limit", time_limit)

    @property
    def seconds(self) -> float:
        """Time since the call."""
        return time.perf_counter() - self.start

    @property
    def left(self) -> float:
        """Time that is left, which may be negative."""
        return self.limit - self.seconds
