"""The arrays of the package: their types, and how they are made read-only."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def frozen(values: Array) -> Array:
    """Make an array read-only: it belongs to a mechanism."""
    values.flags.writeable = False
    return values
