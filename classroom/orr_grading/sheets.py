"""Make sheets, and draw hidden cases, for any assignment."""

import os
from importlib import import_module
from typing import Any, Protocol

import numpy as np

from orr_classroom.case import Case
from orr_classroom.sheet import Sheet
from orr_grading.tasks import Task, generator, numbers_for

MODULES = {
    "01-noisy-answers": "noisy_answers",
    "02-flip-sets": "flip_sets",
    "03-closed-form": "closed_form",
    "04-three-attributes": "three_attributes",
    "05-induction": "induction",
    "06-budget": "budget",
}
SECRET = "ORR_CLASSROOM_SECRET"


class NoSecret(RuntimeError):
    """Hidden cases are asked for where there is no secret to draw them from."""


class Module(Protocol):
    """What the module of an assignment has."""

    TASKS: dict[str, Task]

    def numbers(self, rng: np.random.Generator) -> dict[str, Any]:
        """Draw the numbers of a class."""


def module(assignment: str) -> Module:
    """Return the module of an assignment."""
    if assignment not in MODULES:
        raise ValueError(f"assignment = {assignment!r} must be one of {', '.join(MODULES)}")
    return import_module(f"orr_grading.{MODULES[assignment]}")


def sheet(assignment: str, seed: int, owner: str = "class", extra: dict[str, Any] | None = None) -> Sheet:
    """Return the sheet of a class, or of one student of it.

    Parameters
    ----------
    assignment
        The name of its notebook.
    seed
        The seed of the class.
    owner
        "class", or the name of a student who gets numbers of their own.
    extra
        Further numbers to give along, such as the class's own survey.
    """
    if seed < 0:
        raise ValueError(f"seed = {seed} must not be negative")
    source = module(assignment)
    given = numbers_for(source.numbers, source.TASKS, generator(assignment, seed, owner)) | (extra or {})
    tasks = {
        name: {"cases": task.visible(given), "meaning": task.meaning, "more": task.more}
        for name, task in source.TASKS.items()
    }
    return Sheet.pack(given, tasks, assignment, seed, owner)


def hidden(assignment: str, task: str, seed: int, owner: str) -> list[Case]:
    """Draw the hidden cases of a task, from the seed, the student and the secret."""
    secret = os.environ.get(SECRET, "")
    if not secret:
        raise NoSecret(
            f"{SECRET} is not set. Hidden cases are drawn from it: grade in the folder of the course, whose "
            "nbgrader_config.py sets it."
        )
    return module(assignment).TASKS[task].hidden(generator(secret, assignment, task, seed, owner))
