"""Assignment 1: randomized response, and estimates from noisy answers."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from orr_classroom.case import Case
from orr_grading import cases
from orr_grading.cases import Slip
from orr_grading.tasks import Task

Floats = NDArray[np.float64]


def numbers(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a survey: the number of answers, the level, and the true counts."""
    a = int(rng.integers(4, 9))
    epsilon = float(rng.integers(8, 21) / 10)
    truth = rng.multinomial(10_000, rng.dirichlet(np.full(a, 0.7)))
    seen = rng.permutation([9000, *np.full(a - 2, 500), 100])
    yes = int(rng.binomial(40, 0.4))  # forty people made up, where no class has been asked
    return {
        "a": a, "epsilon": epsilon, "truth": truth, "seen": seen, "survey": (yes, 40 - yes, False),
    }  # fmt: skip


def flip(a: int, epsilon: float) -> float:
    """Return the probability of a lie."""
    return float((a - 1) / (np.exp(epsilon) + a - 1))


def kept(a: int, epsilon: float) -> float:
    """Return what a difference of two counts shrinks by."""
    return 1 - flip(a, epsilon) * a / (a - 1)


def flip_probability(a: int, epsilon: float) -> Case:
    """Return the case of the probability of a lie."""
    odds = np.exp(epsilon)
    slips = [
        Slip(1 / (odds + 1), "That is right for two values. With more there are a - 1 ways to lie.",
             "If one given lie has probability r, the truth has e^epsilon r, and all a values together 1."),
        Slip(1 / (odds + a - 1), "That is the probability of one particular lie. All a - 1 together are wanted."),
        Slip(odds / (odds + a - 1), "That is the probability of the truth."),
        Slip(a / (odds + a), "That counts a lies. One of the a values is the truth."),
        Slip(flip(a, -epsilon), "The sign in the exponent is wrong: a higher level means fewer lies."),
        Slip((a - 1) / (epsilon + a - 1), "That takes the level for the ratio. The ratio is exp(level)."),
        Slip((a - 1) / odds, "That is the ratio of all lies to the truth, and no probability yet."),
        Slip((a - 1) / (odds + a), "The lies and the truth together are e^epsilon + a - 1 shares, not one more."),
        Slip((a - 1) / (odds + 1), "Below the line all a values have their share: e^epsilon for the truth, 1 for each lie."),
        Slip(a / (odds + a - 1), "Above the line stand the lies, and there are a - 1 of them."),
        Slip(1 / odds, "That is how much rarer one lie is than the truth. The probabilities must add up to 1."),
        Slip(flip(2, epsilon) * (a - 1), "More lies share the same pot: all a probabilities add up to 1."),
    ]  # fmt: skip
    return cases.numbers([a, epsilon], flip(a, epsilon), slips, otherwise="The a probabilities add up to 1.")


def level(a: int, q: float) -> Case:
    """Return the case of the level that belongs to a probability of a lie."""
    factor = (1 - q) * (a - 1) / q
    slips = [
        Slip(np.log((1 - q) / q), "That compares the truth with all lies. Take one lie, of probability q/(a-1)."),
        Slip(np.log((1 - q) * a), "That compares the truth with a uniformly random answer, not with a lie."),
        Slip(-np.log(factor), "The sign is the wrong way round: the truth is likelier than a lie."),
        Slip(factor, "That is the factor itself. The level is its logarithm."),
        Slip(np.log((1 - q) * a / q), "There are a - 1 lies to share q, not a."),
        Slip(np.log(1 - q) * (a - 1) / q, "The logarithm is of the whole ratio, not of 1 - q alone."),
        Slip(np.log((1 - q) / (a - 1) / q), "One lie has the probability q/(a-1), so the ratio is multiplied by a - 1."),
        Slip(np.log((a - 1) / q), "The truth has probability 1 - q, not 1."),
        Slip(np.log((1 - q) - q / (a - 1)), "A level compares by a ratio, not by a difference."),
        Slip(np.log10(factor), "That is a logarithm to base 10. The book's levels are natural logarithms."),
    ]  # fmt: skip
    return cases.numbers([a, q], np.log(factor), slips, otherwise="Compare the truth with one given lie.")


def matrix(a: int, truth: float, lie: float) -> Floats:
    """Return an array with one value on its diagonal and another everywhere else."""
    return np.full((a, a), lie) + (truth - lie) * np.eye(a)


def channel(a: int, epsilon: float) -> Case:
    """Return the case of the matrix of all probabilities."""
    q, odds = flip(a, epsilon), np.exp(epsilon)
    slips = [
        Slip(matrix(a, 1 - q, q), "The lies share q between them."),
        Slip(matrix(a, 1 - q, q / a), "There are a - 1 lies, not a."),
        Slip(matrix(a, q, (1 - q) / (a - 1)), "Truth and lie are exchanged: the truth stands on the diagonal."),
        Slip(matrix(a, 1 - q, 0), "Off the diagonal stand the lies, and they are not 0."),
        Slip(matrix(a, odds, 1), "Those are the ratios. Divide, so that each column adds up to 1."),
        Slip(matrix(a, odds / (odds + 1), 1 / (odds + 1)), "That is right for two values. With more, a column adds up to more than 1."),
        Slip(matrix(a, odds, 1) / (a * (odds + a - 1)), "All entries together add up to 1 there. Each column must."),
        Slip(matrix(a, q, q / (a - 1)), "On the diagonal stands the truth, with 1 - q."),
        *(Slip((1 - q) * np.eye(a) + q * np.roll(np.eye(a), step, axis=1), "The whole lie goes to one value. All a - 1 others share it.")
          for step in (1, -1)),
        Slip(matrix(a, 1 - q + q / a, q / a), "That lets a lie be true by accident. A lie is one of the other values."),
    ]  # fmt: skip
    return cases.numbers(
        [a, epsilon],
        matrix(a, 1 - q, q / (a - 1)),
        slips,
        total=1,
        otherwise="Look at one column: one truth.",
    )


def randomize(a: int, epsilon: float, seed: int) -> Case:
    """Return the case of a sampler."""
    q = flip(a, epsilon)
    slips = [
        (q * (a - 1) / a, "A lie must differ from the truth, and yours sometimes does not.",
         "Going round, how many steps lead to another value? Zero steps would be the truth."),
        (1 - q, "Truth and lie are exchanged.", "`rng.random(n) < q` is true with probability q."),
        (flip(2, epsilon), "There are a - 1 lies, so a lie should be likelier.", ""),
        (1 / (np.exp(epsilon) + a - 1), "That is the probability of one particular lie. There are a - 1.", ""),
        (1.0, "It always lies.", ""),
        (1 - 1 / a, "All values come equally often, whatever the truth.", ""),
    ]  # fmt: skip
    return cases.sampler(
        f"randomize(values, {a}, {epsilon:g}, rng)",
        ["records", a, epsilon, "rng"],
        [a],
        [1 - q, q],
        [([1 - share, share], hint, more) for share, hint, more in slips],
        seed=seed,
        flat=True,
    )


def estimate(seen: ArrayLike, epsilon: float) -> Case:
    """Return the case of unbiased counts."""
    counts = np.asarray(seen, dtype=float)
    a, n = len(counts), counts.sum()
    q, rho = flip(a, epsilon), kept(a, epsilon)
    noise = n * q / (a - 1)
    right = (counts - noise) / rho
    inverse = "Multiplying by the channel adds more lies. Its inverse takes them out."
    slips = [
        Slip(counts, "That is the noisy table as it was seen."),
        Slip(counts / rho, "The lies are still in it: first subtract those that a value receives."),
        Slip(counts - noise, "The lies are out, but the truths that were lost are not made up for: divide."),
        Slip((counts - noise) / (1 - q), "The divisor is what a difference of two counts shrinks by, not 1 - q."),
        Slip((counts - n * q) / rho, "Each value receives its part of the lies, n q/(a-1), not all of them."),
        Slip((counts - n * q) / (1 - q), "Each value receives its part of the lies, n q/(a-1), not all of them."),
        Slip((counts - n * q) / (1 - 2 * q), "That is right for two values. With more, each receives n q/(a-1)."),
        Slip((counts - noise) / (1 - 2 * q), "The divisor is right for two values. With more it is 1 - q - q/(a-1)."),
        Slip((counts - n * q / a) / rho, "There are a - 1 lies to share q, not a."),
        Slip((counts - n * q / a) / (1 - q), "It adds up, but there are a - 1 lies to share q, not a, and the divisor is what a difference of two counts shrinks by."),
        Slip(np.maximum(right, 0), "That is cut off at zero. It looks better, and is wrong on average.",
             "Some estimates must be too low, so that on average they are right.", bool((right < 0).any())),
        Slip(np.maximum(right, 0) * n / np.maximum(right, 0).sum(), "That is cut off at zero and made to add up again. It looks better, and is wrong on average.",
             "Some estimates must be too low, so that on average they are right.", bool((right < 0).any())),
        Slip(np.round(right), "Rounded to whole people, it is no longer right on average.", "", False),
        Slip(right / n, "Those are shares. Counts are wanted."),
        Slip(counts * (1 - q) + (n - counts) * q / (a - 1), inverse),
        Slip((counts - (n - counts) * q / (a - 1)) / (1 - q), "The lies that a value receives come from the *true* counts of others, not from those seen."),
        Slip(counts / (1 - q), "The lies are still in it: first subtract those that a value receives."),
        Slip((counts - 10_000 * q / (a - 1)) / rho, "n is the number of answers that were seen, and these are not 10,000."),
        Slip((counts - q / (a - 1)) / rho, "Those who lie are n people: n is missing."),
    ]  # fmt: skip
    return cases.numbers(
        [np.asarray(seen), epsilon], right, slips, total=float(n), otherwise="Write down what is expected."
    )


def people_needed(a: int, epsilon: float, share: float, error: float) -> Case:
    """Return the case of how many answers a standard error takes; two readings of it are right."""
    q, rho = flip(a, epsilon), kept(a, epsilon)
    seen = q / (a - 1) + share * rho
    exact = seen * (1 - seen) / (rho * error) ** 2
    honest = share * (1 - share) / error**2
    need = np.ceil(exact)
    all_lies = q + share * rho  # the share of whoever lets a value receive all the lies
    fixed = (share * (1 - q) * q + (1 - share) * q / (a - 1) * (1 - q / (a - 1))) / (rho * error) ** 2
    slips = [
        Slip(np.ceil(honest), "That is enough for honest answers. Lies add noise."),
        Slip(np.ceil(honest / rho**2), "The noise is that of the share that is seen, not of the true share."),
        Slip(np.ceil(exact * rho), "Dividing an estimate by rho divides its variance by rho squared."),
        Slip(np.ceil(exact * rho**2), "That is for the share that is seen. The estimate divides it by rho."),
        Slip(exact, f"Written out it is {exact:.2f}. People are whole: round up.", "", bool(exact % 1)),
        Slip(np.round(exact), "Round up, not to the nearest: one person fewer is not quite enough."),
        Slip(np.floor(exact), "Round up: one person fewer is not quite enough."),
        Slip(np.ceil(exact * error), "The error is squared: variance is its square."),
        Slip(np.ceil(np.sqrt(exact)), "That is a square root too many: n stands in the variance itself."),
        Slip(np.ceil(1.96**2 * exact), "That is for a confidence interval of that half-width. A standard error is asked for."),
        Slip(np.ceil(4 * exact), "That is for two standard errors. One is asked for."),
        Slip(np.ceil(all_lies * (1 - all_lies) / (rho * error) ** 2), "Of the lies a value receives only its part, q/(a-1)."),
        Slip(np.ceil(share * rho * (1 - share * rho) / (rho * error) ** 2), "The share that is seen has the lies in it, too, that the value receives."),
        Slip(np.ceil(exact * (rho / (1 - q)) ** 2), "The estimate divides by what a difference of two shares shrinks by, not by 1 - q."),
        Slip(np.ceil(0.25 / (rho * error) ** 2), "That is for the worst case, a share of 1/2 of those seen. Here the share is given."),
        Slip(np.ceil(0.25 / error**2), "That is for the worst case and honest answers. Here the share is given, and lies add noise."),
    ]  # fmt: skip
    shown = cases.written("people_needed", a, epsilon, share, error)
    return cases.numbers(
        [a, epsilon, share, error], need, slips, whole=True, rtol=1e-9, shown=shown,
        otherwise="Start from the variance of the share that is seen.", also=[(float(np.ceil(fixed)), FIXED)],
    )  # fmt: skip


FIXED = (
    "This holds the people fixed and lets only their lies vary, as much of the literature does. For people "
    "drawn at random the share that is seen has variance m(1-m)/n. That takes s(1-s)/h^2 people more."
)


def between(rng: np.random.Generator, low: float, high: float) -> float:
    """Draw a number with one decimal."""
    return float(rng.integers(round(10 * low), round(10 * high) + 1) / 10)


def drawn_counts(rng: np.random.Generator) -> Sequence[Any]:
    """Draw counts, one of them too low to be true, and a level."""
    a = int(rng.integers(3, 12))
    counts = rng.integers(200, 3000, a)
    counts[rng.integers(a)] = 1
    return counts, between(rng, 0.4, 2.5)


TASKS = {
    "flip-probability": Task(
        flip_probability,
        lambda given: [(given["a"], given["epsilon"]), (2, 1.0)],
        lambda rng: (int(rng.integers(3, 40)), between(rng, 0.1, 5)),
        points=2,
        meaning="The flip probability is all there is to choose: everything else follows from it.",
        more="Give one lie the weight 1. What is the weight of the truth, and of all a - 1 lies together?",
    ),
    "level": Task(
        level,
        lambda given: [(given["a"], 0.4), (2, 0.25)],
        lambda rng: (int(rng.integers(3, 15)), float(rng.integers(2, 61) / 100)),
        points=2,
        meaning="So whoever knows how a device was built can say what it promises.",
        more="The level is the logarithm of P(truth) / P(one given lie). The a - 1 lies share q equally.",
    ),
    "channel": Task(
        channel,
        lambda given: [(given["a"], given["epsilon"]), (2, 0.5)],
        lambda rng: (int(rng.integers(3, 14)), between(rng, 0.3, 3)),
        points=3,
        meaning="A whole mechanism fits into one table, and its level is the largest ratio in a row: one release, two truths.",
        more="Column t is for one truth, and adds up to 1. Where in it is the truth, and what do the other places share?",
    ),
    "randomize": Task(
        randomize,
        lambda given: [(given["a"], given["epsilon"], 1), (3, 0.3, 4)],
        lambda rng: (int(rng.integers(4, 11)), between(rng, 0.3, 3), int(rng.integers(10**6))),
        points=3,
        meaning="Every one of these answers can be denied, and only because nobody could foresee the lies.",
        more="Two draws a person: who lies, and how many steps the lie is away. Zero steps would be the truth.",
    ),
    "estimate": Task(
        estimate,
        lambda given: [(given["seen"], given["epsilon"]), (np.array([70, 30]), 0.7)],
        drawn_counts,
        points=4,
        meaning="Not one answer can be trusted, and the table of all of them can.",
        more="Call the true count of one value c. How many of its c people are seen there, and how many of the n - c others, on average? Solve for c.",
    ),
    "people-needed": Task(
        people_needed,
        lambda given: [(given["a"], given["epsilon"], 0.2, 0.01), (2, 1.0, 0.5, 0.02)],
        lambda rng: (
            int(rng.integers(3, 12)),
            between(rng, 0.5, 3),
            float(rng.integers(5, 40) / 100),
            float(rng.integers(2, 20) / 1000),
        ),
        points=2,
        meaning="That is the price of privacy, in people.",
        more="First find the share m that is seen if s is the true one. Its variance is m(1-m)/n. What does the division in task 5 do to a variance?",
    ),
}
