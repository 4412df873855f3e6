"""What a mechanism file claims, compared with what its law gives (chapter release)."""

from __future__ import annotations

from typing import Any

import numpy as np

from orr.arrays import Array, Floats
from orr.checks import MAX_SIZE
from orr.laws import stored
from orr.laws.fields import Fields
from orr.laws.law import Law
from orr.optimum.verify import SLACK, consistent
from orr.problem import Problem
from orr_release.domain import Domain
from orr_release.release import Release

LEVELS = 1e-300, 1e3  # levels that constructions reach: a little past those that can be asked


class Claims:
    """What a file says of a mechanism, besides what makes it."""

    def __init__(self, given: Fields) -> None:
        self.given = given
        self.construction = _optional_text(given, "construction")
        self.sizes = given.integers("sizes", None, 2, MAX_SIZE)
        self.k = k = len(self.sizes)
        if not k:
            raise ValueError(f"{given.path('sizes')} is empty: at least one attribute is needed")
        self.domain = _domain(given, self.sizes.tolist())
        self.epsilon = given.double("epsilon", 0.0)
        self.epsilons = given.doubles("epsilons", k, *LEVELS)
        self.neighbours = given.doubles("neighbour_epsilons", k, 0.0)
        self.exact = given.flags("neighbour_exact", k)
        self.flips = given.doubles("flip_probabilities", k, 0.0, 1.0)

    def check(self, made: Release) -> None:
        """Compare the claims with the mechanism itself."""
        if not np.array_equal(self.sizes, made.levels.sizes):
            raise ValueError(
                f"{self.given.path('sizes')} = {self.sizes.tolist()} does not hold: "
                f"the forms have {made.levels.sizes.tolist()}"
            )
        self._same("epsilon", np.array([self.epsilon]), np.array([made.epsilon]), made.epsilon)
        self._same("epsilons", self.epsilons, made.levels.epsilons, 0.0)
        self._same("neighbour_epsilons", self.neighbours, made.levels.neighbour_epsilons, made.epsilon)
        self._same("neighbour_exact", self.exact, made.levels.neighbour_exact, 0.0)
        self._same(
            "flip_probabilities", self.flips, made.levels.flip_probabilities, made.levels.flip_probabilities
        )

    def _same(self, name: str, claimed: Array, found: Array, scale: Floats | float) -> None:
        """Refuse a claim that differs from what was found by more than another processor's rounding."""
        wrong = (claimed != found) & ~(np.abs(claimed * 1.0 - found * 1.0) <= SLACK * np.asarray(scale))
        if wrong.any():
            i = int(np.argmax(wrong))
            path = self.given.path(name) + (f"[{i}]" if name != "epsilon" else "")
            raise ValueError(f"{path} = {claimed[i]} does not hold: the law gives {found[i]}")

    def law(self) -> tuple[Law, Problem]:
        """Make the law again, and tell the levels that were asked for."""
        asked = Problem(self.sizes, self.given.doubles("asked", self.k))
        same = np.array_equal(asked.epsilons, self.epsilons)
        law = stored.restored(
            asked if same else Problem.achieved(self.sizes, self.epsilons), self.given.inside("law")
        )
        if not consistent(law):
            raise ValueError(f"{self.given.path('law')} does not hold: its parts do not belong together")
        return law, asked

    def exactly(self) -> Law:
        """Make the law of a construction that gives the levels asked."""
        law, asked = self.law()
        if law.problem is not asked:
            raise ValueError(f"{self.given.path('asked')} must be the levels achieved, epsilons")
        return law


def _optional_text(given: Fields, name: str) -> str | None:
    """Take a string, or null."""
    return given.take(name) if given.left.get(name, ...) is None else given.text(name)


def _domain(given: Fields, sizes: list[int]) -> Domain | None:
    """Take names and labels, or null."""
    value: Any = given.take("domain")
    if value is None:
        return None
    parts = Fields(value, given.path("domain"))
    for i, entry in enumerate(parts.listed("attributes")):
        attribute = Fields(entry, parts.path(f"attributes[{i}]"))
        attribute.text("missing", "refused", "value")
        _column(attribute)
    for i, entry in enumerate(parts.listed("public")):
        _column(Fields(entry, parts.path(f"public[{i}]")))
    parts.listed("withheld")
    parts.done()
    try:
        domain = Domain.from_dict(value)
    except TypeError as error:
        raise ValueError(f"{given.path('domain')}: {error}") from None
    if domain.sizes.tolist() != sizes:
        raise ValueError(
            f"{given.path('domain')} does not fit: {domain.sizes.tolist()} labels, sizes {sizes}"
        )
    return domain


def _column(fields: Fields) -> None:
    """Check the form of a column's entry; the domain checks the rest."""
    fields.text("name")
    fields.listed("labels")
    fields.done()
