"""The mechanism that asks each person one of several forms (chapter should-you)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from orr.arrays import Array, Floats, Integers, frozen
from orr.channel import Channel, NotRecoverable
from orr.mechanism import Mechanism
from orr.randomness import Source
from orr_release.codes import read
from orr_release.counting import column
from orr_release.domain import Domain
from orr_release.frames import is_table
from orr_release.randomizer import FORM, Randomizer

Form = tuple[int, ...]


class Sampled(Randomizer):
    """A mechanism that asks each person the attributes of one form, drawn at random.

    Attributes
    ----------
    forms : list of tuple
        The attributes of each form. All forms are equally likely.
    mechanisms : list of Mechanism
        How the answers to each form are randomized.
    """

    block = 2**22  # so that there are many rows of each form
    gaps = True

    def __init__(self, forms: Sequence[Form], mechanisms: Sequence[Mechanism]) -> None:
        self.forms, self.mechanisms = [tuple(form) for form in forms], list(mechanisms)
        found = {i: int(a) for form, m in self for i, a in zip(form, m.sizes, strict=True)}
        if sorted(found) != list(range(len(found))) or len({frozenset(f) for f in self.forms}) < len(forms):
            raise ValueError("every attribute must stand in a form, and no form twice")
        self._sizes: Integers = frozen(np.array([found[i] for i in range(len(found))]))

    def on(self, domain: Domain) -> Self:
        """Return the same mechanism, with names and labels."""
        if FORM in (*getattr(domain, "names", ()), *getattr(domain, "public", ())):
            raise ValueError(f"no column of a sampled release may be called {FORM!r}: it tells the form")
        return super().on(domain)

    def __iter__(self) -> Iterator[tuple[Form, Mechanism]]:
        return zip(self.forms, self.mechanisms, strict=True)

    @property
    def answers(self) -> int:
        """How many attributes each person is asked."""
        return len(self.forms[0])

    @property
    def sizes(self) -> Integers:
        """Number of values of each attribute."""
        return self._sizes

    @property
    def epsilon(self) -> float:
        """Overall level: which form a person had is drawn without looking, and tells nothing."""
        return max(m.epsilon for m in self.mechanisms)

    @cached_property
    def epsilons(self) -> Floats:
        """Largest level of each attribute in any form."""
        return self._largest([m.epsilons for m in self.mechanisms])

    @cached_property
    def neighbour_epsilons(self) -> Floats:
        """Largest neighbour level of each attribute in any form."""
        return self._largest([m.neighbour_epsilons for m in self.mechanisms])

    @cached_property
    def neighbour_exact(self) -> NDArray[np.bool_]:
        """Where these are exact."""
        exact = [np.where(m.neighbour_exact, m.neighbour_epsilons, 0.0) for m in self.mechanisms]
        return frozen(self._largest(exact) >= self.neighbour_epsilons)

    @cached_property
    def flip_probabilities(self) -> Floats:
        """Chance that an answer differs from the truth, if it is asked: the mean over the forms."""
        total, times = np.zeros(len(self.sizes)), np.zeros(len(self.sizes))
        for form, m in self:
            total[list(form)] += m.flip_probabilities
            times[list(form)] += 1
        return frozen(total / times)

    def _largest(self, values: Sequence[Floats]) -> Floats:
        """Put values of the forms' attributes together: the largest of each attribute."""
        result = np.zeros(len(self.sizes))
        for form, value in zip(self.forms, values, strict=True):
            np.maximum.at(result, list(form), value)
        return frozen(result)

    def channels(self, attributes: Form) -> dict[int, Channel]:
        """Give the channels of the forms that hold all of some attributes, and tell of them."""
        found = {}
        for number, (form, m) in enumerate(self):
            if set(attributes) <= set(form):
                channel = Channel(m.law, [form.index(i) for i in attributes], attributes)
                if channel.recoverable:
                    found[number] = channel
        if not found:
            raise NotRecoverable(
                f"the table over attributes {attributes} cannot be recovered: no form tells of all of them"
            )
        return found

    def randomize(self, values: Array, source: Source) -> tuple[Array, Integers]:
        """Randomize codes; what is not asked becomes -1. Tell which form each record had."""
        drawn = source.integers(np.array([len(self.forms)]), (len(values),)).astype(np.int64)
        result = np.full_like(values, -1)
        for number, (form, m) in enumerate(self):
            place = np.ix_(np.flatnonzero(drawn == number), np.array(form))
            result[place] = m.law.perturb(values[place], source)
        return result, drawn

    def form_numbers(self, released: Any) -> Integers:
        """Tell the form of each record, from the column of that name or from what an array answers."""
        if is_table(released):
            numbers = column(released, FORM, "which tells what each person was asked")
            if numbers.dtype.kind not in "iu" or not np.isin(numbers, np.arange(len(self.forms))).all():
                raise ValueError(f"column {FORM!r} must hold numbers of forms, 0 to {len(self.forms) - 1}")
            return numbers.astype(np.int64)
        codes = read(released, self.sizes, gaps=True, complete=False)
        patterns, which = np.unique(np.packbits(codes >= 0, axis=1), axis=0, return_inverse=True)
        asked = np.array([np.isin(np.arange(len(self.sizes)), form) for form in self.forms])
        known = {row.tobytes(): number for number, row in enumerate(np.packbits(asked, axis=1))}
        numbers = np.array([known.get(row.tobytes(), -1) for row in patterns], dtype=np.int64)[which.ravel()]
        if len(numbers) and numbers.min() < 0:
            raise ValueError(f"record {int(numbers.argmin())} answers what no form asks")
        return numbers

    def noise(self, attributes: Form) -> tuple[float, float]:
        """Smallest ``|rho|`` of a table in any form, and the mean variance of a cell's proportion.

        Those who were asked are a sample of all, drawn at random. That adds the most where the true table is
        even, and this much is counted.
        """
        try:
            channels = self.channels(attributes).values()
        except NotRecoverable:
            return 0.0, math.inf
        cells = math.prod(self.sizes[list(attributes)].tolist())
        spread = (1 - 1 / cells) / cells
        precision = math.fsum(1 / (c.noise + spread) for c in channels) / len(self.forms)
        return min(abs(r) for c in channels for r in c.rho.values()), max(1 / precision - spread, 0.0)

    def __repr__(self) -> str:
        return (
            f"<Sampled: {self.answers} of {self.called} {len(self.forms)} form{'s' * (len(self.forms) > 1)}, "
            f"overall level {self.epsilon:.5g}, {self.worst_neighbour}>"
        )

    def state(self) -> dict[str, Any]:
        """Return all that makes it, as plain numbers."""
        forms = [{"attributes": list(form), "mechanism": m.state()} for form, m in self]
        return super().state() | {"forms": forms}
