"""Time limits and progress: how long a call has taken, how long it may still take, and its log."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Iterator
from contextlib import contextmanager

from orr.checks import positive

LOGGER = logging.getLogger("orr")


class Clock:
    """The time of one call, which stamps what the call logs.

    Parameters
    ----------
    time_limit : float or None
        Seconds that the call may take; None means no limit.
    """

    def __init__(self, time_limit: float | None) -> None:
        self.start = time.perf_counter()
        self.limit = math.inf if time_limit is None else positive("time_limit", time_limit)

    @property
    def seconds(self) -> float:
        """Seconds since the call began."""
        return time.perf_counter() - self.start

    @property
    def left(self) -> float:
        """Seconds until the limit, negative once it has passed."""
        return self.limit - self.seconds

    def log(self, message: str, *values: object) -> None:
        """Log a step of the call at level INFO, with the seconds before it."""
        LOGGER.info("%8.2f s  " + message, self.seconds, *values, extra={"clock": self})


@contextmanager
def shown(clock: Clock, progress: bool) -> Iterator[None]:
    """While the block runs, show on standard error what the call logs, if ``progress`` is true.

    Calls that it makes in turn have clocks of their own, and show nothing.

    Examples
    --------
    >>> clock = Clock(None)
    >>> with shown(clock, False):  # logged, and shown only where logging is configured to do so
    ...     clock.log("%.6f to %.6f", 1.0, 2.0)
    """
    if not progress:
        yield
        return
    handler, level, propagate = logging.StreamHandler(), LOGGER.level, LOGGER.propagate
    handler.addFilter(lambda record: vars(record).get("clock") is clock)
    LOGGER.addHandler(handler)
    LOGGER.propagate = propagate and LOGGER.isEnabledFor(logging.INFO)  # who logs it anyway still does
    LOGGER.setLevel(logging.INFO)
    try:
        yield
    finally:
        LOGGER.removeHandler(handler)
        LOGGER.setLevel(level)
        LOGGER.propagate = propagate
