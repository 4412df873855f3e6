"""How long the checker that is proved right takes for certificates of random problems, where Coq is there."""

import json
import math
import time
from fractions import Fraction

import numpy as np

import orr
from orr_audit import for_coq
from tools import proofs

# Attributes, and how many sums of weights may lie below the threshold: all, or fewer and quicker.
CASES = [(3, None), (10, None), (30, None), (30, 1000), (100, 1000), (100, 3000), (100, None)]


def problem(k):
    rng = np.random.default_rng(k)
    return rng.integers(2, 6, k), rng.uniform(0.5, 3.0, k)


def main():
    if reason := proofs.missing():
        print(f"THE CERTIFICATES WERE NOT TIMED: {reason}")
        return
    with proofs.alone():
        proofs.compiled()
    print("certificates checked in Coq: attributes, sums, bytes, level proved, given up of it, seconds")
    for k, states in CASES:
        certificate = orr.optimal(*problem(k)).certificate
        given = for_coq(certificate, states)
        start = time.perf_counter()
        assert proofs.accepts(given)
        seconds = time.perf_counter() - start
        level = math.log1p(Fraction(*given["claim"]))
        size, lost = len(json.dumps(given)), max(certificate.lower - level, 0.0)
        print(f"{k:4} {states or 'all':>5} {size:8,} {level:10.6f} {lost:9.1e} {seconds:6.1f}", flush=True)


if __name__ == "__main__":
    main()
