"""Time limits and progress: how long a call has taken, how long it may still take, and its log."""

from __future__ import annotations

import logging
import math
import sys
import time

from orr.checks import positive

LOGGER = logging.getLogger("orr")


class Clock:
    """The time of one call, which stamps what the call logs.

    Parameters
    ----------
    time_limit : float or None
        Seconds that the call may take; None means no limit.
    progress : bool
        Whether to show on standard error what this call logs. Calls that it makes have clocks of their own.

    Examples
    --------
    >>> Clock(None).log("%.6f to %.6f", 1.0, 2.0)  # shown only where logging is configured to do so
    """

    def __init__(self, time_limit: float | None, progress: bool = False) -> None:
        self.start, self.progress = time.perf_counter(), progress
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
        """Log a step of the call at level INFO, with the seconds before it; show it if that was asked for."""
        message, values = "%8.2f s  " + message, (self.seconds, *values)
        LOGGER.info(message, *values)
        if self.progress:
            print(message % values, file=sys.stderr)
