"""A case: what to try an answer with, and what is known about right and wrong answers to it.

A case holds numbers and hints, and no formula: whoever reads a sheet learns what is right for one class.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol

from orr_classroom import tools
from orr_classroom.calling import Outcome, call
from orr_classroom.codec import plain
from orr_classroom.comparing import Retry
from orr_classroom.feedback import Verdict

KINDS = {  # which module judges it
    "numbers": "numeric",
    "sampler": "sampling",
    "table": "tables",
    "formula": "formulas",
    "equations": "formulas",
    "rows": "programs",
    "system": "programs",
    "certificate": "programs",
    "order": "orders",
    "mechanism": "mechanisms",
}


class Kind(Protocol):
    """What a module that judges cases has."""

    def calls(self, case: Mapping[str, Any]) -> list[tuple[Sequence[Any], str]] | None:
        """Return arguments of each call, and how it is written ("" for the plain way); None for no call."""

    def judge(
        self, case: Mapping[str, Any], outcomes: Sequence[Outcome], retries: Sequence[Retry | None]
    ) -> Verdict:
        """Judge what came of the calls."""


@dataclass(frozen=True)
class Case:
    """Something to try an answer with; ``data`` is whatever the module of its kind reads."""

    kind: str
    data: dict[str, Any]

    @property
    def module(self) -> Kind:
        """The module that judges it."""
        return import_module(f"orr_classroom.{KINDS[self.kind]}")

    def outcomes(self, answer: Any, name: str) -> list[Outcome]:
        """Return what an answer gives: its own value, or what each call returns."""
        found = self.module.calls(self.data)
        if found is None:
            return [Outcome(name, plain(answer))]
        return [call(answer, arguments, shown, tools) for arguments, shown in found]

    def retries(self, answer: Any, given: Mapping[str, Any]) -> list[Retry | None]:
        """Return the means to call a function again, otherwise."""
        found = self.module.calls(self.data)
        if found is None or not callable(answer):
            return [None]
        return [
            Retry(lambda other: call(answer, other, tools=tools, quiet=True), arguments, answer, given)
            for arguments, _ in found
        ]

    def judge(self, outcomes: Sequence[Outcome], retries: Sequence[Retry | None] = ()) -> Verdict:
        """Judge what came of it."""
        return self.module.judge(self.data, outcomes, retries or [None] * len(outcomes))

    def pack(self) -> list[Any]:
        """Return it as a list, for a file."""
        return [self.kind, self.data]
