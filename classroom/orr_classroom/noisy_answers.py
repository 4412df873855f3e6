"""Checks of assignment 1: randomized response, and estimates from noisy answers."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from orr_classroom.feedback import NotYet, call, expect

Function = Callable[..., Any]


def flip(a: int, epsilon: float) -> float:
    """Return the probability of a lie."""
    return (a - 1) / (np.exp(epsilon) + a - 1)


def flip_probability(answer: Function, a: int, epsilon: float) -> None:
    """Check the probability of a lie."""
    odds = np.exp(epsilon)
    slips = [
        (1 / (odds + 1), "That is right for two values. With more there are a - 1 ways to lie."),
        (1 / (odds + a - 1), "That is the probability of one particular lie. All a - 1 together are wanted."),
        (odds / (odds + a - 1), "That is the probability of the truth."),
        (a / (odds + a), "That counts a lies. One of the a values is the truth."),
        (flip(a, -epsilon), "The sign in the exponent is wrong: a higher level means fewer lies."),
    ]
    expect(*call(answer, a, epsilon), flip(a, epsilon), slips, otherwise="The a probabilities add up to 1.")


def level(answer: Function, a: int, q: float) -> None:
    """Check the level that belongs to a probability of a lie."""
    factor = (1 - q) * (a - 1) / q
    slips = [
        (np.log((1 - q) / q), "That compares the truth with all lies. Take one lie, of probability q/(a-1)."),
        (np.log((1 - q) * a), "That compares the truth with a uniformly random answer, not with a lie."),
        (
            -np.log(factor),
            "The sign is the wrong way round: the truth is likelier than a lie.",
        ),
        (factor, "That is the factor itself. The level is its logarithm."),
    ]
    expect(*call(answer, a, q), np.log(factor), slips)


def channel(answer: Function, a: int, epsilon: float) -> None:
    """Check the matrix of probabilities of a release for each truth."""
    q = flip(a, epsilon)

    def matrix(truth: float, lie: float) -> NDArray[np.float64]:
        return np.full((a, a), lie) + (truth - lie) * np.eye(a)

    slips = [
        (matrix(1 - q, q), "The lies share q between them."),
        (matrix(1 - q, q / a), "There are a - 1 lies, not a."),
        (matrix(q, (1 - q) / (a - 1)), "Truth and lie are exchanged: the truth stands on the diagonal."),
    ]
    expect(*call(answer, a, epsilon), matrix(1 - q, q / (a - 1)), slips, total=1)


def randomize(answer: Function, a: int, epsilon: float, n: int = 200_000) -> None:
    """Check a sampler by its counts, which a right one fails less than once in a million times."""
    name = f"randomize(values, {a}, {epsilon:g}, rng)"
    share = [released_shares(answer, name, a, epsilon, truth, n) for truth in (0, 1)]
    q = flip(a, epsilon)
    width = 5.6 / np.sqrt(n)
    kept = share[0][0]
    if abs(kept - (1 - q)) > width * np.sqrt(q * (1 - q)):
        hints = [
            (1 - q * (a - 1) / a, "A lie must differ from the truth, and yours sometimes does not."),
            (q, "Truth and lie are exchanged."),
            (np.exp(epsilon) / (np.exp(epsilon) + 1), "There are a - 1 lies, so a lie should be likelier."),
            (1.0, "It never lies."),
        ]
        found = [hint for share_kept, hint in hints if abs(kept - share_kept) <= width]
        raise NotYet(f"{name} keeps a share {kept:.4f} of the zeros. {[*found, f'Wanted: {1 - q:.4f}.'][0]}")
    each = q / (a - 1)
    if np.abs(share[0][1:] - each).max() > width * np.sqrt(each * (1 - each)):
        raise NotYet(f"{name} prefers some lies: from 0 they come out with shares {share[0][1:].round(3)}.")
    if np.abs(np.roll(share[1], -1) - share[0]).max() > width:
        raise NotYet(
            f"{name} treats the value 1 unlike the value 0: it keeps a share {share[1][1]:.4f} of it."
        )
    print(f"Right: {name}")


def released_shares(
    answer: Function, name: str, a: int, epsilon: float, truth: int, n: int
) -> NDArray[np.float64]:
    """Release one true value n times; return how often each value comes out."""
    _, given = call(answer, np.full(n, truth), a, epsilon, np.random.default_rng(truth))
    released = np.asarray(given)
    if released.shape != (n,):
        raise NotYet(f"{name} should return one value for each that it is given.")
    outside = released[~np.isin(released, np.arange(a))]
    if len(outside):
        raise NotYet(f"{name} releases {outside[0]}: values are whole numbers from 0 to {a - 1}.")
    return np.bincount(released.astype(int), minlength=a) / n


def estimate(answer: Function, seen: ArrayLike, epsilon: float) -> None:
    """Check the unbiased counts behind the counts of a release."""
    counts: NDArray[np.float64] = np.asarray(seen, dtype=float)
    a, n = len(counts), counts.sum()
    q = flip(a, epsilon)
    rho, noise = 1 - q * a / (a - 1), n * q / (a - 1)
    right = (counts - noise) / rho
    slips = [
        (counts, "That is the noisy table as it was seen."),
        (counts / rho, "The lies are still in it: first subtract those that a value receives."),
        (counts - noise, "The lies are out, but the truths that were lost are not made up for: divide."),
        ((counts - noise) / (1 - q), "The divisor is what a difference of two counts shrinks by, not 1 - q."),
        ((counts - n * q) / rho, "Each value receives its part of the lies, n q/(a-1), not all of them."),
        (np.maximum(right, 0), "That is cut off at zero. It looks better, and is wrong on average."),
    ]
    expect(*call(answer, counts.copy(), epsilon), right, slips, total=n)


def people_needed(answer: Function, a: int, epsilon: float, share: float, error: float) -> None:
    """Check how many answers bring the standard error of an estimated share down to a given one."""
    q = flip(a, epsilon)
    rho = 1 - q * a / (a - 1)
    seen = q / (a - 1) + share * rho
    exact = seen * (1 - seen) / (rho * error) ** 2
    need, honest = np.ceil(exact), share * (1 - share) / error**2
    slips = [
        (np.ceil(honest), "That is enough for honest answers. Lies add noise."),
        (np.ceil(honest / rho**2), "The noise is that of the share that is seen, not of the true share."),
        (np.ceil(exact * rho), "Dividing an estimate by rho divides its variance by rho squared."),
        (np.ceil(exact * rho**2), "That is for the share that is seen. The estimate divides it by rho."),
        (exact, "People are whole: round up."),
        (need - 1, "Round up: one person fewer is not quite enough."),
    ]
    expect(*call(answer, a, epsilon, share, error), need, slips)
