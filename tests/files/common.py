"""What tests of files share: mechanisms of every kind, a comparison to the last digit, changed files."""

import copy
import json
from itertools import combinations

import numpy as np

import orr
import orr_release
from orr_release.mechanism_file.write import written
from tests.common import ball_mechanism

HEAD = ("format", "version", "package", "digest")
DOMAIN = orr_release.Domain(
    {"sex": ["F", "M"], "smokes": [False, True], "children": 4, "state": []},
    missing={"smokes": "value"},
    public=["state"],
    withheld=["name"],
)
EVEN = np.linspace(0.5, 2, 20)

# One of every class, law and proof; the small ones are also changed leaf by leaf.
SMALL = {
    "product": lambda: orr_release.kronecker([2, 3], [1.0, 2.0]),
    "domain": lambda: orr_release.kronecker(DOMAIN, [1.0, 2.0, 3.0]),
    "two attributes": lambda: orr_release.two_attribute([4, 3], [1.9034, 0.3668]),
    "fell back": lambda: orr_release.inductive([2, 3, 4], [1.0, 1.5, 2.0]),
    "one flip": lambda: orr_release.optimal([2, 3, 4], [1.0, 1.5, 2.0]),
    "cells": lambda: orr_release.optimal([2, 3, 4], [0.5, 1.0, 0.7]),
    "repaired cells": lambda: orr_release.Release(
        orr.linear_program([2, 3, 4, 5], [0.4, 0.9, 1.3, 0.8]).solve()
    ),
    "beside": lambda: orr_release.optimal([2, 3, 4], [1.0, 1.5, 1e-11]),
    "alone": lambda: orr_release.guarded([2, 3, 4], [1.0, 1.5, 2.0], 0),
    "no cap": lambda: orr_release.guarded([2, 3, 4], [1.0, 1.5, 2.0], np.inf),
    "prices": lambda: orr_release.guarded([2, 3, 4], [1.0, 1.5, 2.0], 0.2),
    "head": lambda: orr_release.guarded([4] * 6, [2.0] * 6, 0.1),
    "balls": lambda: orr_release.Release(ball_mechanism([2, 3, 4, 5], [0.5, 1.0, 1.5, 2.0])),
}
FORMS = {
    "forms": lambda: orr_release.sampled([2, 3, 4], 2.0, 2),
    "forms with a domain": lambda: orr_release.sampled(DOMAIN, 4.0, 2),
}
LARGE = {
    "many balls": lambda: orr_release.optimal([2, 3, 4, 5] * 5, EVEN),
    "ramp": lambda: orr_release.guarded([2, 3, 4, 5] * 5, EVEN, 0.2),
    "few cells": lambda: orr_release.optimal([2, 3, 4, 5, 6, 7] * 2, EVEN[:12]),
    "tiers": lambda: orr_release.guarded([10] * 200, [12.0] * 200, 0.05),
    "alike": lambda: orr_release.optimal([4] * 1000, [1.0] * 1000),
    "huge sizes": lambda: orr_release.optimal([10**6, 10**6, 2], [3.0, 20.0, 1.0]),
    "highest levels": lambda: orr_release.optimal([2, 3, 1000], [700.0, 650.0, 690.0]),
    "lowest levels": lambda: orr_release.optimal([2, 3, 4], [1e-9, 2e-9, 1e-9]),
    "guarded and low": lambda: orr_release.guarded([2, 3, 4], [1e-9, 2e-9, 1e-9], 0.3),
    "guarded and high": lambda: orr_release.guarded([2, 3, 4], [300.0, 200.0, 100.0], 0.3),
    "far apart": lambda: orr_release.optimal([2, 3, 4, 5], [40.0, 1e-3, 5.0, 0.5]),
}
MADE = {}


def made(name):
    """Make a mechanism once."""
    if name not in MADE:
        MADE[name] = (SMALL | LARGE | FORMS)[name]()
    return MADE[name]


def told(mechanism, seed=3):
    """Return all that a mechanism says and does, digit by digit."""
    if mechanism.sampled:
        return [(form, told(orr_release.Release(m))) for form, m in mechanism.forms]
    law, k = mechanism.mechanism.law, len(mechanism.sizes)
    sets = [c for r in (1, 2, 3) for c in combinations(range(min(k, 5)), r)]
    records = np.random.default_rng(seed).integers(mechanism.sizes, size=(200, k))
    released = mechanism.perturb(records, rng=seed) if mechanism.domain is None else law.rates
    return {
        "class": type(mechanism.mechanism).__name__,
        "rho": [law.rho(set(c)).hex() for c in sets],
        "ratio": [float(law.log_ratio(set(c))).hex() for c in sets],
        "levels": [float(x).hex() for x in (mechanism.epsilon, *mechanism.levels.epsilons)],
        "asked": mechanism.mechanism.asked.epsilons.tolist(),
        "neighbours": (
            mechanism.levels.neighbour_epsilons.tolist(),
            mechanism.levels.neighbour_exact.tolist(),
        ),
        "rates": law.rates.tolist(),
        "released": released.tolist(),
    }


def content(text):
    """Return what a file says, without its head."""
    return {name: value for name, value in json.loads(text).items() if name not in HEAD}


def changed(text, change):
    """Change what a file says, and compute its digest anew."""
    state = content(text)
    change(state)
    return written(state)


def leaves(value, path=()):
    """List the places of all numbers, strings and truths in a file."""
    if isinstance(value, dict | list):
        entries = value.items() if isinstance(value, dict) else enumerate(value)
        return [leaf for key, v in entries for leaf in leaves(v, (*path, key))]
    return [path]


def at(value, path):
    """Return what stands at a place."""
    for key in path:
        value = value[key]
    return value


def other(value):
    """Return something else of the same type, as a slip of the pen would leave it."""
    if isinstance(value, bool):
        return not value
    if value is None:
        return "infinity"
    if isinstance(value, str):
        return value + "x"
    return value + 1 if isinstance(value, int) else value * 1.01 if value else 0.01


def put(value, path, leaf):
    """Return a copy with something else at a place."""
    result = copy.deepcopy(value)
    at(result, path[:-1])[path[-1]] = leaf
    return result
