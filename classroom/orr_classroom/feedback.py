"""What a check says: right, or not yet and why."""

from dataclasses import dataclass
from typing import Any

import numpy as np


class NotYet(AssertionError):
    """An answer that is not right yet. Its message is a hint."""

    def _render_traceback_(self) -> list[str]:
        """Show the hint alone: where the check was when it found out helps nobody."""
        return [f"Not yet. {self}"]


@dataclass(frozen=True)
class Verdict:
    """What became of an answer.

    Attributes
    ----------
    hint
        What is wrong; empty if the answer is right.
    start
        The answer as it was given, to stand before the hint.
    more
        A second, stronger hint, for whoever asks.
    specific
        Whether the hint is about this very answer.
    note
        What to say of an answer that is right, if that is something special.
    """

    hint: str = ""
    start: str = ""
    more: str = ""
    specific: bool = True
    note: str = ""

    def __bool__(self) -> bool:
        return not self.hint

    def __str__(self) -> str:
        return f"{self.start} {self.hint}".strip()


RIGHT = Verdict()


def show(value: Any) -> str:
    """Write a value as a student would, in few digits.

    Examples
    --------
    >>> show(2 / 3), show([1, 0.25]), show([0.5] * 9)
    ('0.66667', '[1, 0.25]', '[0.5, 0.5, 0.5, 0.5, 0.5, ...]')
    """
    if isinstance(value, dict):
        entries = [f"{key}: {show(each)}" for key, each in list(value.items())[:5]]
        return f"{{{', '.join(entries + ['...'] * (len(value) > 5))}}}"
    if isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.ndim):
        few = (
            2 if any(isinstance(each, list | np.ndarray) for each in value[:1]) else 5
        )  # of a table two rows
        parts = [show(each) for each in value[:few]] + ["..."] * (len(value) > few)
        return f"[{', '.join(parts)}]"
    if isinstance(value, float | np.floating):
        return f"{value:.5g}"
    text = str(value)
    return text if len(text) <= 80 else f"{text[:77]}..."  # one line of a notebook


def form(shape: tuple[int, ...]) -> str:
    """Say in words what kind of array has a given shape."""
    if len(shape) < 2:
        return f"a list of {shape[0]} numbers" if shape else "one number"
    return f"an array of shape {shape}"
