"""Try 10,000 extreme problems: no crash, no refusal without a reason, no sample unlike its claim.

    python tools/extremes.py --count 10000 --jobs 2

Sizes from 2 to 1,000,000, levels from 1e-12 to 700, duplicates and ties, every construction, time limits
from 1e-9 s. A number, the seed, stands for a problem: the same one on every machine.

The accounting of chance: a problem of k attributes is compared with its claim 2k + 1 times (lies of each
attribute, their values, and whole records), each time by an exact binomial tail on both sides. A comparison
fails below 1e-9 / (10,000 (2k + 1)), so a right sampler fails at one problem with probability at most
1e-13, and at any of the 10,000 with probability at most 1e-9, by the union bound. The 300 problems of the
tests are the first of these. Samples are seeded, but for one problem in ten, which draws from the
operating system's entropy. Where a time limit cuts a search short, the mechanism depends on the machine's
speed, so such a failure may take several tries to see again.
"""

from __future__ import annotations

import argparse
import contextlib
import faulthandler
import inspect
import math
import multiprocessing
import re
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, combinations
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logsumexp
from scipy.stats import binom

import orr

try:
    import resource
except ImportError:  # Windows has no limits of this kind
    resource = None  # type: ignore[assignment]

COUNT, FAILURE = 10_000, 1e-9  # problems of a full run, and the chance that right samplers fail in it
VALUES, ROWS = 200_000, 200  # values released for each problem, about, and records at least
JOINT = 7  # attributes up to which the probability of every flip set is asked for
ALLOWANCE = 30.0  # seconds that a construction may take beyond its time limit
PATIENCE = 300  # seconds after which a problem is given up
LEVELS = 1e-6  # share of a level that certificates allow a mechanism to miss it by
MEMORY = 4 * 2**30  # bytes that a process may use
PACKAGE = Path(orr.__file__).parent

LOWEST, HIGHEST, LARGEST = 1e-12, 700.0, 10**6
INNER = math.nextafter(LOWEST, 1), math.nextafter(HIGHEST, 0)
EDGES = (LOWEST, 1e-9, 1e-6, math.log(2), 1.0, 640.0, HIGHEST, *INNER)
SHARES = {
    "optimal": 0.36,
    "guarded": 0.16,
    "allocate": 0.08,
    "linear_program": 0.1,
    "kronecker": 0.07,
    "two_attribute": 0.07,
    "radius_one": 0.08,
    "inductive": 0.08,
}
METHODS = {orr.optimal: 0.5, orr.kronecker: 0.2, orr.inductive: 0.15, orr.radius_one: 0.15}

CLOSED = (orr.NotApplicable, r"the flip probabilities .*sum to ")
FEW = (ValueError, r"inductive needs at least 2 attributes")
REFUSALS: dict[str, list[tuple[type[Exception], str]]] = {
    "kronecker": [],
    "two_attribute": [],
    "optimal": [],
    "guarded": [],
    "radius_one": [CLOSED],
    "inductive": [FEW],
    "linear_program": [
        (orr.NotCertified, r"the optimum is proved only to be between "),
        (orr.NotCertified, r"HiGHS finds no solution at sizes and levels this high"),
    ],
    "allocate": [
        (ValueError, r"epsilon = \S+ is too (large|small): at the (largest|smallest) levels allowed"),
        (ValueError, r"shares differ too much: "),
        (orr.NotApplicable, r"the construction gives no mechanism at the levels that would spend epsilon = "),
        FEW,
    ],
}


class Wrong(Exception):
    """A mechanism is not what it claims to be."""


@dataclass(frozen=True)
class Case:
    """One problem: a construction and what it is called with."""

    seed: int
    construction: str
    sizes: list[int]
    levels: list[float]
    options: dict[str, Any]

    @property
    def function(self) -> Callable[..., Any]:
        """The construction."""
        return getattr(orr, self.construction)

    @property
    def arguments(self) -> dict[str, Any]:
        """What the construction is called with."""
        levels = "shares" if self.construction == "allocate" else "epsilons"
        return {"sizes": self.sizes, levels: self.levels, **self.options}

    def build(self) -> orr.Mechanism:
        """Call the construction."""
        made = self.function(**self.arguments)
        return made.solve() if self.construction == "linear_program" else made

    def __str__(self) -> str:
        given = ", ".join(f"{name}={_text(value)}" for name, value in self.arguments.items())
        return f"orr.{self.construction}({given}){'.solve()' * (self.construction == 'linear_program')}"

    @property
    def reproduction(self) -> str:
        """One line that shows the failure again, and the call if that is not too long."""
        call = (
            str(self) if len(str(self)) <= 300 else f"orr.{self.construction}, {len(self.sizes)} attributes"
        )
        return f"python tools/extremes.py --first {self.seed} --count 1  # {call}"


def _text(value: Any) -> str:
    """Write an argument as Python reads it."""
    if callable(value):
        return f"orr.{value.__name__}"
    if isinstance(value, list) and len(value) > 3 and len(set(value)) == 1:
        return f"[{value[0]!r}] * {len(value)}"
    return "float('inf')" if value == math.inf else repr(value)


def problem(seed: int) -> Case:
    """Draw the problem of a seed."""
    rng = np.random.default_rng([seed, 0x657874])
    construction = _pick(rng, SHARES)
    sizes, levels = _attributes(rng, *_number(rng, construction))
    options = _options(rng, construction, len(sizes), len(set(zip(sizes, levels, strict=True))) == 1)
    taken = inspect.signature(getattr(orr, construction)).parameters
    options = {name: value for name, value in options.items() if name in taken}
    return Case(seed, construction, sizes, levels, options)


def _pick(rng: np.random.Generator, shares: dict[Any, float]) -> Any:
    """Draw a key of a table of probabilities."""
    return list(shares)[rng.choice(len(shares), p=list(shares.values()))]


def _spread(rng: np.random.Generator, low: float, high: float, k: int | None = None) -> Any:
    """Draw numbers whose logarithms are uniform."""
    return np.clip(np.exp(rng.uniform(math.log(low), math.log(high), k)), low, high)


def _number(rng: np.random.Generator, construction: str) -> tuple[int, bool]:
    """Draw how many attributes there are, and whether they are all alike."""
    share, alike = rng.random(), bool(rng.random() < 0.06)
    k = int(rng.integers(1, 9))
    if alike:
        k = int(_spread(rng, 1, 100 if share < 0.8 else 100_000))
    elif share > 0.85:
        k = int(_spread(rng, 9, 60)) if share < 0.97 else int(rng.choice([300, 300, 2000]))
    if construction == "two_attribute":
        k = 2
    return (min(k, 10) if construction == "linear_program" else k), alike


def _attributes(rng: np.random.Generator, k: int, alike: bool) -> tuple[list[int], list[float]]:
    """Draw sizes and levels."""
    sizes, levels = _sizes(rng, k), _levels(rng, k)
    kinds = 1 if alike else int(rng.integers(2, 4)) if rng.random() < 0.2 else k
    of = rng.integers(kinds, size=k) if kinds < k else np.arange(k)
    sizes, levels = sizes[of], levels[of]
    if rng.random() < 0.1 and not alike:  # nearly equal: one kind, but for what rounding could explain
        levels = np.clip(levels[0] * (1 + 1e-7 * rng.standard_normal(k)), LOWEST, HIGHEST)
    return sizes.tolist(), levels.tolist()


def _sizes(rng: np.random.Generator, k: int) -> NDArray:
    """Draw sizes: of every magnitude, small, equal, or as different as can be."""
    style = rng.integers(4)
    if style == 0:
        return _spread(rng, 2, LARGEST, k).astype(int)
    if style == 1:
        return rng.integers(2, 6, k)
    if style == 2:
        return np.full(k, int(_spread(rng, 2, LARGEST)))
    return rng.choice([2, LARGEST], k)


def _levels(rng: np.random.Generator, k: int) -> NDArray:
    """Draw levels: of every magnitude, ordinary with one that is not, tiny, huge, both, ties, the limits."""
    tiny, huge = _spread(rng, LOWEST, 1e-6, k), _spread(rng, 15, HIGHEST, k)
    ordinary, both = _spread(rng, 0.05, 20, k), np.where(rng.random(k) < 0.5, tiny, huge)
    alone = (tiny, huge, rng.uniform(680, HIGHEST, k))[rng.integers(3)]
    odd = np.where(np.arange(k) == rng.integers(k), alone, ordinary)
    every, ties = _spread(rng, LOWEST, HIGHEST, k), np.log(rng.integers(2, 1000, k))
    styles = (every, every, ordinary, odd, odd, tiny, huge, both, ties, rng.choice(EDGES, k))
    return styles[rng.integers(len(styles))]


def _options(rng: np.random.Generator, construction: str, k: int, alike: bool) -> dict[str, Any]:
    """Draw what else a construction takes; mostly with a time limit, unless it is quick."""
    options: dict[str, Any] = {}
    if construction == "guarded":
        options["slack"] = float(rng.choice([0.0, math.inf, *_spread(rng, 1e-6, 10, 8)]))
    if construction == "allocate":
        options |= {"epsilon": float(_spread(rng, 1e-9, 1e4)), "method": _pick(rng, METHODS)}
    if construction == "optimal" and rng.random() < 0.2:
        options["rel_gap"] = float(_spread(rng, 1e-12, 1))
    limit, share = float(_spread(rng, 1e-9, 2)), 0.3 if construction == "optimal" else 0.1
    quick = k <= (4 if rng.random() < share else 2) or (alike and construction == "optimal")
    return options if quick else options | {"time_limit": limit}


def check(seed: int, allowance: float = ALLOWANCE) -> str:
    """Build a mechanism and compare it with what it claims.

    Parameters
    ----------
    seed
        The number of the problem.
    allowance
        Seconds that the construction may take beyond the time limit it is given.

    Returns
    -------
    str
        "ok", or "refused: " or "failed: " and why.
    """
    case = problem(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", orr.Wasteful)  # true, and not a failure
        start = time.perf_counter()
        try:
            mechanism = case.build()
        except Exception as error:
            return f"refused: {error}" if _is_refusal(case, error) else _failed(error)
        late = time.perf_counter() - start - case.options.get("time_limit", math.inf)
        try:
            if late > allowance:
                raise Wrong(f"took {late:.1f} s more than time_limit = {case.options['time_limit']:.3g}")
            inspect_claims(case, mechanism)
            compare(mechanism, *release(seed, mechanism))
        except Exception as error:
            return _failed(error)
    return "ok"


def _is_refusal(case: Case, error: Exception) -> bool:
    """Return whether a construction may refuse like this: by the class and the words of its exception."""
    known = REFUSALS[case.construction]
    return any(type(error) is kind and re.match(words, str(error)) for kind, words in known)


def _failed(error: Exception) -> str:
    """Say in one line what went wrong, and where."""
    if isinstance(error, Wrong):
        return f"failed: {error}"
    frames = traceback.extract_tb(error.__traceback__)
    place = [frame for frame in frames if PACKAGE in Path(frame.filename).parents] or frames
    where, words = Path(place[-1].filename).name, " ".join(str(error).split())[:200]
    return f"failed: {type(error).__name__} in {where}:{place[-1].lineno}: {words}"


def _expect(holds: Any, words: str) -> None:
    """Raise Wrong unless something holds, everywhere."""
    if not np.all(holds):
        raise Wrong(words)


def inspect_claims(case: Case, mechanism: orr.Mechanism) -> None:
    """Raise Wrong where what a mechanism reports contradicts itself, or what was asked."""
    overall, levels, neighbours = mechanism.epsilon, mechanism.epsilons, mechanism.neighbour_epsilons
    for name in ("epsilon", "epsilons", "neighbour_epsilons", "flip_probabilities"):
        _expect(np.isfinite(getattr(mechanism, name)), f"{name} is not finite")
    _expect("nan" not in repr(mechanism) + mechanism._repr_html_(), "the table shows nan")
    _expect(np.array_equal(mechanism.sizes, case.sizes), "sizes are not those asked")
    claimed = expit(np.log(mechanism.sizes - 1) - levels)
    close = np.isclose(mechanism.flip_probabilities, claimed, rtol=1e-11, atol=1e-300)
    _expect(close, "flip_probabilities do not belong to epsilons")
    _expect(neighbours >= levels * (1 - LEVELS) - 1e-13 * overall, "a neighbour level is below the level")
    _expect(neighbours <= overall * (1 + 1e-12) + 1e-12, "a neighbour level is above the overall one")
    _inspect_levels(case, mechanism)
    if hasattr(mechanism, "certificate"):
        proof = mechanism.certificate
        _expect(np.isfinite([proof.lower, proof.upper]), "the certificate is not finite")
        _expect(proof.lower <= proof.upper <= overall, "not lower <= upper <= epsilon")
        _expect(proof.verify() is True, "certificate.verify() is not True")


def _inspect_levels(case: Case, mechanism: orr.Mechanism) -> None:
    """Raise Wrong where levels are not those promised."""
    asked, levels = np.array(case.levels), mechanism.epsilons
    if case.construction == "allocate":
        total, bought = case.options["epsilon"], mechanism.asked.epsilons
        _expect(mechanism.epsilon <= total * (1 + 1e-12), "the overall level is above the total")
        scale = np.log((bought / asked)[bought > LOWEST * (1 + 1e-9)])
        _expect(np.abs(scale - scale[:1]) <= 1e-9, "levels are not proportional to shares")
        return
    kept = ~mechanism.fell_back if case.construction == "inductive" else np.full(len(asked), True)
    _expect(np.isclose(levels, asked, rtol=1e-12, atol=0)[kept], "epsilons are not those asked")
    if case.construction == "guarded":
        caps = (1 + case.options["slack"]) * asked
        _expect(mechanism.neighbour_epsilons <= caps * (1 + 1e-9), "a neighbour level is above its cap")
        _expect(getattr(mechanism, "lower", 0) <= mechanism.epsilon, "not lower <= epsilon")


def release(seed: int, mechanism: orr.Mechanism) -> tuple[NDArray, NDArray]:
    """Draw records, and what a mechanism makes of them: one time in ten by the system's entropy."""
    k = len(mechanism.sizes)
    rng = np.random.default_rng([seed, 0x72656C])
    records = rng.integers(0, mechanism.sizes, (max(ROWS, VALUES // k), k), dtype=np.int32)
    return records, mechanism.perturb(records, None if seed % 10 == 7 else rng)


def compare(mechanism: orr.Mechanism, records: NDArray, released: NDArray) -> None:
    """Raise Wrong where released records are not what a mechanism claims to release.

    Three kinds of counts are compared with binomial laws: how often each attribute lies; of these
    lies, how many fall into the first half of the values after the true one, round about; and, where
    the mechanism has few attributes and can tell, how many records have a lie at all.
    """
    sizes, (n, k) = mechanism.sizes, records.shape
    _expect(released.shape == (n, k), "the release has another shape")
    _expect((released >= 0) & (released < sizes), "a released value is out of range")
    shift, half = (released.astype(np.int64) - records) % sizes, (sizes - 1) // 2
    lying = shift > 0
    lies = lying.sum(axis=0)
    _compare("lies of attribute", k, lies, n, mechanism.flip_probabilities)
    _compare("low lies of attribute", k, (lying & (shift <= half)).sum(axis=0), lies, half / (sizes - 1))
    if k <= JOINT:
        chance = np.array([_inspect_flip_sets(mechanism)])
        _compare("records with a lie", k, np.array([lying.any(axis=1).sum()]), n, chance)


def _compare(what: str, k: int, seen: NDArray, n: Any, chances: NDArray) -> None:
    """Raise Wrong where a count is out of reach of its binomial law."""
    tail = 2 * np.minimum(binom.cdf(seen, n, chances), binom.sf(seen - 1, n, chances))
    i = int(tail.argmin())
    if not tail[i] >= FAILURE / COUNT / (2 * k + 1):
        n = np.broadcast_to(n, seen.shape)[i]
        raise Wrong(
            f"{what} {i}: {seen[i]} of {n}, expected {n * chances[i]:.6g} (probability {min(tail[i], 1):.1g})"
        )


def _inspect_flip_sets(mechanism: orr.Mechanism) -> float:
    """Chance that a record has a lie, from log_ratio; it must agree with the levels, too."""
    k = len(mechanism.sizes)
    flip_sets = list(chain.from_iterable(combinations(range(k), r) for r in range(k + 1)))
    ratios = np.array([mechanism.log_ratio(flips) for flips in flip_sets])
    _expect(np.isfinite(ratios), "log_ratio is not finite")
    most = mechanism.epsilon * (1 + 1e-9) + 1e-12
    _expect(np.ptp(ratios) <= most, "log_ratio differs by more than epsilon")
    lying = np.array([[i in flips for i in range(k)] for flips in flip_sets])
    weights = ratios + lying @ np.log(mechanism.sizes - 1.0)
    weights -= logsumexp(weights)
    rates = np.exp([logsumexp(weights[column]) for column in lying.T])
    far = np.abs(rates / mechanism.flip_probabilities - 1) > 1e-8 + LEVELS * mechanism.epsilons
    _expect(~far, "log_ratio does not belong to flip_probabilities")
    return min(float(np.exp(logsumexp(weights[1:]))), 1.0)


class Result(NamedTuple):
    """What came of a problem."""

    seed: int
    outcome: str
    seconds: float


class Worker:
    """A process with capped memory that checks one problem at a time."""

    def __init__(self, allowance: float = ALLOWANCE) -> None:
        self.allowance = allowance
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, self.allowance), daemon=True)
        self.process.start()
        theirs.close()

    def ask(self, seed: int) -> None:
        """Hand over a problem."""
        self.seed, self.since = seed, time.perf_counter()
        with contextlib.suppress(OSError):  # if the process is dead, result says so
            self.pipe.send(seed)

    def result(self) -> Result:
        """Wait for what came of the problem. If the process died of it, start another."""
        try:
            outcome = self.pipe.recv()
        except (EOFError, OSError):
            self.close()
            outcome = f"failed: the process ended with code {self.process.exitcode}"
            if time.perf_counter() - self.since > PATIENCE:
                outcome = f"failed: no answer after {PATIENCE} s"
            self._start()
        return Result(self.seed, outcome, time.perf_counter() - self.since)

    def close(self) -> None:
        """End the process."""
        self.pipe.close()
        self.process.join()


def _serve(pipe: Any, allowance: float) -> None:
    """Check problems until the pipe is closed. Who takes too long tells where it is, and dies."""
    if resource is not None:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    with contextlib.suppress(EOFError, KeyboardInterrupt):
        while True:
            seed = pipe.recv()
            faulthandler.dump_traceback_later(PATIENCE, exit=True)
            outcome = check(seed, allowance)
            faulthandler.cancel_dump_traceback_later()
            pipe.send(outcome)


def run(seeds: Iterable[int], jobs: int) -> Iterator[Result]:
    """Check problems in several processes, and yield what came of them as it comes."""
    workers, left = {}, iter(seeds)
    for seed in left:
        worker = Worker()
        worker.ask(seed)
        workers[worker.pipe] = worker
        if len(workers) == jobs:
            break
    while workers:
        for pipe in wait(list(workers)):
            worker = workers.pop(pipe)
            yield worker.result()
            seed = next(left, None)
            if seed is None:
                worker.close()
            else:
                worker.ask(seed)
                workers[worker.pipe] = worker


def report(results: list[Result]) -> str:
    """Print outcomes by construction, the slowest problems, reasons of refusals, and failures."""
    cases = {result.seed: problem(result.seed) for result in results}
    kinds = ("ok", "refused", "failed")
    lines = [f"Package: {PACKAGE}", f"{'':16}{'ok':>8}{'refused':>9}{'failed':>8}{'seconds':>10}"]
    for name in (*SHARES, "all"):
        own = [r for r in results if name in (cases[r.seed].construction, "all")]
        ok, refused, failed = (sum(r.outcome.startswith(kind) for r in own) for kind in kinds)
        lines.append(f"{name:16}{ok:8}{refused:9}{failed:8}{sum(r.seconds for r in own):10.1f}")
    lines += ["", "Slowest:"]
    for r in sorted(results, key=lambda r: -r.seconds)[:10]:
        lines.append(f"{r.seconds:8.1f} s  seed {r.seed}, {r.outcome[:60]}: {str(cases[r.seed])[:120]}")
    reasons = Counter(
        f"{cases[r.seed].construction}: {re.sub(r'-?[0-9][0-9.e+-]*', '#', r.outcome)}"
        for r in results
        if r.outcome.startswith("refused")
    )
    lines += ["", "Refusals:", *(f"{count:8}  {reason}" for reason, count in reasons.most_common())]
    failures = sorted(r for r in results if r.outcome.startswith("failed"))
    lines += ["", f"Failures: {len(failures)}"]
    for r in failures:
        lines += [f"seed {r.seed}, {r.seconds:.1f} s, {r.outcome}", f"    {cases[r.seed].reproduction}"]
    return "\n".join(lines)


def main() -> int:
    """Run the problems that the command line asks for."""
    parser = argparse.ArgumentParser(description="Try extreme problems on the package.")
    parser.add_argument("--count", type=int, default=COUNT, help="how many problems")
    parser.add_argument("--first", type=int, default=0, help="the first of them")
    parser.add_argument("--jobs", type=int, default=2, help="how many processes")
    asked = parser.parse_args()
    results = []
    for result in run(range(asked.first, asked.first + asked.count), asked.jobs):
        results.append(result)
        if result.outcome.startswith("failed"):
            print(f"seed {result.seed}, {result.outcome}", file=sys.stderr, flush=True)
        if len(results) % 100 == 0:
            print(f"{len(results)} of {asked.count}", file=sys.stderr, flush=True)
    print(report(results))
    return int(any(result.outcome.startswith("failed") for result in results))


if __name__ == "__main__":
    sys.exit(main())
