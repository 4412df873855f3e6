"""Several forms, each with a mechanism of its own: who is asked what (chapter should-you).

A *form* is a set of attributes that are asked together. Each person gets one form, drawn at random.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from orr.arrays import Array, Floats, Integers
from orr.channel import Channel, NotRecoverable
from orr.levels import Levels
from orr.mechanism import Mechanism
from orr.randomness import Source
from orr_release.codes import read
from orr_release.frames import is_table, numbers_of

Form = tuple[int, ...]
Forms = tuple[tuple[Form, Mechanism], ...]

FORM = "form"  # The column that says which form a person had.
MAX_BLOCK_VALUES = 2**22  # Values of sampled releases randomized at a time: many rows of each form.


def check_forms(forms: Mechanism | Mapping[Form, Mechanism]) -> Forms:
    """Return forms with their mechanisms; raise if some attribute is in none, or a form is there twice.

    A mechanism alone has one form, that of all attributes.
    """
    if isinstance(forms, Mechanism):
        return ((tuple(range(len(forms.sizes))), forms),)
    if not isinstance(forms, Mapping):
        kind = type(forms).__name__
        raise TypeError(f"mechanism must be a Mechanism, or a mapping from tuples of attributes, got {kind}")
    if not all(isinstance(form, tuple) for form in forms):
        raise TypeError(f"forms must be tuples of attributes, got {list(forms)!r}")
    pairs = tuple((tuple(form), mechanism) for form, mechanism in forms.items())
    for form, mechanism in pairs:
        if not isinstance(mechanism, Mechanism) or len(mechanism.sizes) != len(form):
            raise ValueError(f"the form {form} must have a mechanism of {len(form)} attributes")
    asked = sorted({i for form, _ in pairs for i in form})
    if asked != list(range(len(asked))) or not asked or len({frozenset(f) for f, _ in pairs}) < len(pairs):
        raise ValueError("every attribute must stand in a form, and no form twice")
    return pairs


def largest_levels(forms: Forms) -> Levels:
    """Return the largest levels of each attribute in any form, and its mean flip probability if asked."""
    k = 1 + max(max(form) for form, _ in forms)
    sizes, flips, times = np.zeros(k, dtype=np.int64), np.zeros(k), np.zeros(k)
    levels, neighbours, exact = np.zeros(k), np.zeros(k), np.zeros(k)
    for form, mechanism in forms:
        some, own = list(form), mechanism.levels
        sizes[some] = own.sizes
        flips[some] += own.flip_probabilities
        times[some] += 1
        values: list[tuple[Floats, Floats]] = [
            (levels, own.epsilons),
            (neighbours, own.neighbour_epsilons),
            (exact, np.where(own.neighbour_exact, own.neighbour_epsilons, 0.0)),
        ]
        for largest, value in values:
            np.maximum.at(largest, some, value)
    epsilon = max(mechanism.epsilon for _, mechanism in forms)
    return Levels(sizes, epsilon, levels, neighbours, exact >= neighbours, flips / times)


def randomize(forms: Forms, codes: Array, source: Source) -> tuple[Array, Integers]:
    """Draw a form for each record and randomize what it asks; what it does not ask becomes -1."""
    released, numbers = np.full_like(codes, -1), np.empty(len(codes), dtype=np.int64)
    step = max(1, MAX_BLOCK_VALUES // codes.shape[1])
    for start in range(0, len(codes), step):
        rows = slice(start, start + step)
        numbers[rows] = source.integers(np.array([len(forms)]), (len(codes[rows]),))
        for number, (form, mechanism) in enumerate(forms):
            place = np.ix_(np.flatnonzero(numbers[rows] == number) + start, np.array(form))
            released[place] = mechanism.law.perturb(codes[place], source)
    return released, numbers


def form_numbers(forms: Forms, released: Any, sizes: Integers) -> Integers:
    """Return the form of each record, from the column of that name or from what an array answers."""
    if is_table(released):
        numbers = numbers_of(released, FORM, "which tells what each person was asked")
        if numbers.dtype.kind not in "iu" or not np.isin(numbers, np.arange(len(forms))).all():
            raise ValueError(f"column {FORM!r} must hold numbers of forms, 0 to {len(forms) - 1}")
        return numbers.astype(np.int64)
    codes = read(released, sizes, gaps=True, complete=False)
    patterns, which = np.unique(np.packbits(codes >= 0, axis=1), axis=0, return_inverse=True)
    asked = np.array([np.isin(np.arange(len(sizes)), form) for form, _ in forms])
    known = {row.tobytes(): number for number, row in enumerate(np.packbits(asked, axis=1))}
    numbers = np.array([known.get(row.tobytes(), -1) for row in patterns], dtype=np.int64)[which.ravel()]
    if len(numbers) and numbers.min() < 0:
        raise ValueError(f"record {int(numbers.argmin())} answers what no form asks")
    return numbers


def form_channels(forms: Forms, attributes: Form) -> dict[int, Channel]:
    """Return the channels of all forms that tell of a table, by the number of the form."""
    found = {}
    for number, (form, mechanism) in enumerate(forms):
        if set(attributes) <= set(form):
            inside = Channel.of(mechanism.law, [form.index(i) for i in attributes])
            if inside.recoverable:
                found[number] = inside.renamed(attributes)
    if not found:
        raise NotRecoverable(
            f"the table over attributes {attributes} cannot be recovered: no form tells of all of them"
        )
    return found


def form_noise(channels: Sequence[Channel], forms: int) -> float:
    """Return the mean variance of a cell's proportion per record, if some of the forms tell of a table.

    Those who were asked are a sample of all, drawn at random. That adds the most where the true table is
    even, and this much is counted.
    """
    cells = math.prod(channels[0].shape)
    spread = (1 - 1 / cells) / cells
    precision = math.fsum(1 / (channel.noise + spread) for channel in channels) / forms
    return max(1 / precision - spread, 0.0)
