"""A task: its cases, seen and hidden, and what is said once it is solved."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from orr_classroom.case import Case
from orr_grading.cases import instructive

Given = Mapping[str, Any]
TRIES = 2000  # draws before we give up on finding an instructive case; a few are enough


@dataclass(frozen=True)
class Task:
    """What a program can grade.

    Attributes
    ----------
    case
        Makes a case of its arguments: the reference answer is in there.
    seen
        The arguments of the cases that students see, from their numbers; those of the class come first.
    draw
        Draws the arguments of a hidden case.
    points
        What the task is worth: one hidden case a point.
    meaning
        One sentence that follows "Right": why it matters.
    more
        The second hint, where a slip has none of its own.
    worth
        Points of one hidden case, where trying one takes long.
    """

    case: Callable[..., Case]
    seen: Callable[[Given], Sequence[Sequence[Any]]]
    draw: Callable[[np.random.Generator], Sequence[Any]]
    points: int
    meaning: str
    more: str
    worth: int = 1

    def visible(self, given: Given) -> list[Case]:
        """Return the cases that students see."""
        return [self.case(*arguments) for arguments in self.seen(given)]

    def hidden(self, rng: np.random.Generator) -> list[Case]:
        """Draw hidden cases, each of which tells all known slips from the right answer."""
        return [self._drawn(rng) for _ in range(self.points // self.worth)]

    def _drawn(self, rng: np.random.Generator) -> Case:
        for _ in range(TRIES):
            case = self.case(*self.draw(rng))
            if instructive(case):
                return case
        raise RuntimeError("no instructive case was drawn: are two slips the same as the right answer?")


def generator(*words: Any) -> np.random.Generator:
    """Return a generator that depends on all the words, and on nothing else."""
    digest = hashlib.sha256("\0".join(map(str, words)).encode()).digest()
    return np.random.default_rng(int.from_bytes(digest, "big"))


def numbers_for(
    draw: Callable[[np.random.Generator], dict[str, Any]], tasks: Mapping[str, Task], rng: np.random.Generator
) -> dict[str, Any]:
    """Draw numbers until every task's case of the class tells all known slips from the right answer."""
    for _ in range(TRIES):
        given = draw(rng)
        if all(instructive(task.case(*task.seen(given)[0])) for task in tasks.values()):
            return given
    raise RuntimeError("no instructive numbers were drawn")
