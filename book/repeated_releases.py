"""What many releases of the same people give away (chapter should-you).

Releases are arrays of shape (times, people, attributes), each randomized afresh from the same records.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from orr.arrays import Array, Floats, Integers
from orr.laws.law import subsets
from orr.mechanism import Mechanism

ROUNDS = 10  # of the climb: on the census sample nothing changes after six


def majority(releases: Array, sizes: Array) -> Integers:
    """Guess each attribute by the value seen most often, the smallest of them if there are several.

    It is the likeliest value, if one looks at the attribute alone.

    Examples
    --------
    >>> majority(np.array([[[0, 2]], [[1, 2]], [[1, 0]]]), [2, 3])
    array([[1, 2]])
    """
    columns = [_votes(releases[:, :, i], int(a)).argmax(axis=1) for i, a in enumerate(sizes)]
    return np.stack(columns, axis=1)


def likeliest(mechanism: Mechanism, releases: Array, shares: Sequence[Floats] | None = None) -> Integers:
    """Guess whole records: climb from the majority to a likelier record, an attribute at a time.

    What is found may be less likely than the best record of all, so that a real attacker may do better.

    Parameters
    ----------
    mechanism : Mechanism
        What made the releases.
    releases : array
        The releases.
    shares : sequence of arrays, optional
        How common the values of each attribute are, if the attacker knows: rare values then need more votes.

    Returns
    -------
    array of int
        One record a person.

    Examples
    --------
    >>> import orr
    >>> truth = np.array([[0, 1, 2], [1, 1, 0]])
    >>> best = orr.optimal([2, 2, 3], [2.0] * 3)
    >>> likeliest(best, np.stack([best.perturb(truth, rng=seed) for seed in range(50)]))
    array([[0, 1, 2],
           [1, 1, 0]])
    """
    heights = _heights(mechanism)
    guess = majority(releases, mechanism.sizes)
    with np.errstate(divide="ignore"):
        known = [np.log(s) for s in shares] if shares else [np.zeros(a) for a in mechanism.sizes]
    bits = 1 << np.arange(guess.shape[1])
    flips = (releases != guess) @ bits  # of each release, as a number
    for _ in range(ROUNDS):
        before = guess.copy()
        for i, size in enumerate(mechanism.sizes):
            rest = flips - (releases[:, :, i] != guess[:, i]) * bits[i]
            stay, move = heights[rest], heights[rest + bits[i]]
            gain = _votes(releases[:, :, i], int(size), stay - move)  # over a value that was never seen
            guess[:, i] = (gain + known[i]).argmax(axis=1)
            flips = rest + (releases[:, :, i] != guess[:, i]) * bits[i]
        if (guess == before).all():
            break
    return guess


def _votes(values: Array, size: int, weights: Floats | None = None) -> Floats:
    """Sum the votes of each person's values, or their weights: an array of shape (people, size)."""
    people = values.shape[1]
    places = np.arange(people) * size + values
    flat = None if weights is None else weights.ravel()
    return np.bincount(places.ravel(), flat, people * size).reshape(people, size).astype(float)


def _heights(mechanism: Mechanism) -> Floats:
    """List ``log f`` up to a constant, flip sets being numbers whose bits are the attributes."""
    k = len(mechanism.sizes)
    heights = np.empty(2**k)
    for flips in subsets(tuple(range(k))):
        heights[sum(1 << i for i in flips)] = mechanism.log_ratio(flips)
    return heights
