"""A second, simpler way to the numbers of a certificate, used to check it and for nothing else."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import logsumexp
from scipy.stats import binom

from orr.ball import Ball
from orr.balls import Balls
from orr.laws import Law, Lifted
from orr.problem import Floats, Problem

DENSE = 2**20


def lower_bound(problem: Problem, weights: Floats) -> float:
    """Overall level that weights prove, from the law of the weight of a random flip set.

    Examples
    --------
    >>> problem = Problem([2, 3], [4.0, 1.0])
    >>> round(lower_bound(problem, np.array([3.0, 1.0])), 6)
    3.100347
    """
    radius = float(weights @ problem.q)
    if (problem.sizes == problem.sizes[0]).all() and (weights == weights[0]).all():
        lies = np.arange(math.ceil(radius / weights[0]))
        score, log_p = lies * weights[0], binom.logpmf(lies, len(problem), problem.p[0])
    elif (weights == np.rint(weights)).all() and radius < DENSE:
        score = np.arange(math.ceil(radius))
        log_p = _dense(problem, weights, len(score))
    else:
        score, log_p = _merged(problem, weights, radius)
    short = logsumexp(log_p + np.log(radius - score))
    return float(np.logaddexp(0, math.log(weights @ problem.d) - short))


def _dense(problem: Problem, weights: Floats, states: int) -> Floats:
    """Logarithm of the probability of every whole weight below a number of states."""
    log_p = np.full(states, -np.inf)
    log_p[0] = 0
    for weight, size, p in zip(weights, problem.sizes, problem.p, strict=True):
        lie = np.full(states, -np.inf)
        if weight < states:
            lie[int(weight) :] = log_p[: states - int(weight)] + math.log(p)
        log_p = np.logaddexp(log_p - math.log(size), lie)
    return log_p


def _merged(problem: Problem, weights: Floats, radius: float) -> tuple[Floats, Floats]:
    """Weights below a radius that occur, and the logarithms of their probabilities."""
    score, log_p = np.zeros(1), np.zeros(1)
    for i in np.argsort(-weights, kind="stable"):
        near = score + weights[i] < radius
        score = np.concatenate([score, score[near] + weights[i]])
        log_p = np.concatenate([log_p - math.log(problem.sizes[i]), log_p[near] + math.log(problem.p[i])])
        score, place = np.unique(score, return_inverse=True)
        top = np.full(len(score), -np.inf)
        np.maximum.at(top, place, log_p)
        log_p = top + np.log(np.bincount(place, np.exp(log_p - top[place])))
    return score, log_p


def single_lie_bound(problem: Problem) -> float:
    """Overall level that the weights of the closed form with at most one lie prove.

    All weigh 1, but for one attribute whose weight makes the threshold 1.
    """
    others = problem.sizes - 1
    total = float(problem.q.sum())
    j = int(problem.w.argmax())
    if total > 1:
        j = int(((total - 1 + problem.q / others) / (problem.p.sum() - problem.p)).argmax())
    weights = np.ones(len(problem))
    weights[j] = (1 - (total - problem.q[j])) / problem.q[j]
    if len(weights) > 1 and np.partition(weights, 1)[:2].sum() < 1 - 1e-9:
        return 0.0
    short = 1 + float((others * np.maximum(1 - weights, 0)).sum())
    excess = math.log(weights @ problem.d / short) + problem.log_records
    return float(np.logaddexp(0, excess))


def level_and_rates(law: Law) -> tuple[float, Floats]:
    """Overall level and flip probabilities of a law, summed up as simply as can be."""
    if not isinstance(law, Lifted):
        return law.nominal_epsilon, law.rates
    if isinstance(law, Balls):
        found = [_ball(ball) for ball in law.balls]
        heights = np.log(law.masses) - [log_mass for log_mass, _ in found]
        lies = law.masses @ np.array([rates for _, rates in found])
        level = float(np.logaddexp(0, logsumexp(heights)))
    else:
        level, lies = law.nominal_epsilon, law.lies
    kept = np.ones(len(lies)) if law.kept is None else law.kept
    lifted = kept * lies + (1 - kept) * law.problem.p * law.mass
    return level, (law.problem.p + lifted) / (1 + law.mass)


def _ball(ball: Ball) -> tuple[float, Floats]:
    """Logarithm of the probability of a ball, and its flip rates, in plain logarithms."""
    weights, sizes = ball.weights, ball.problem.sizes
    live = np.flatnonzero(weights < ball.states)
    log_keep = -np.log(sizes)
    with np.errstate(divide="ignore"):
        part = weights[live] - np.floor(weights[live])
        log_lie = np.log(1 - 1 / sizes[live]) + np.log([1 - part, part])
        inside = np.log(np.append(np.ones(ball.states - 1), ball.edge))

    def lie(log_p: Floats, i: int) -> Floats:
        """Let attribute i lie, for sure."""
        moved = np.full(ball.states, -np.inf)
        for shift, log_chance in enumerate(log_lie[:, i]):
            weight = int(weights[live[i]]) + shift
            if weight < ball.states:
                moved[weight:] = np.logaddexp(moved[weight:], log_p[: ball.states - weight] + log_chance)
        return moved

    start = np.full(ball.states, -np.inf)
    start[0] = 0
    past = [start]
    for i in range(len(live)):
        past.append(np.logaddexp(past[-1] + log_keep[live[i]], lie(past[-1], i)))
    log_mass, rates = logsumexp(past[-1] + inside), np.zeros(len(sizes))
    room = inside[::-1]
    for i in reversed(range(len(live))):
        rates[live[i]] = math.exp(logsumexp(lie(past[i], i) + room[::-1]) - log_mass)
        room = np.logaddexp(room + log_keep[live[i]], lie(room, i))
    never = np.delete(log_keep, live)
    return float(log_mass + never.sum()), rates
