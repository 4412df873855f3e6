"""Releases at the edge: tables beside bare arrays, one record, files, and memory at ten million rows.

Every line is measured in this run, each in a process of its own. The bare array is what `perturb` does with
codes; a table has to be read and written beside that.
"""

import os
import resource
import sys
import tempfile
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np

import orr_release
from tools.benchmarks.run import best_of

SIZES = [2, 2, 5, 7, 9, 5, 6, 8]
NAMES = [f"question {i}" for i in range(8)]
LABELS = [[f"answer {i} {v}" for v in range(a)] for i, a in enumerate(SIZES)]
DOMAIN = orr_release.Domain(dict(zip(NAMES, LABELS, strict=True)))
ROWS = 2_000_000


def mechanism():
    return orr_release.allocate(8.0, DOMAIN)


def codes(rows, seed):
    rng = np.random.default_rng(seed)
    return np.column_stack([rng.integers(0, a, rows, dtype=np.uint8) for a in SIZES])


def table(kind, rows, seed):
    """A table of labels of some kind."""
    import pandas as pd

    values = codes(rows, seed)
    if kind == "array":
        return values
    frame = {n: pd.Categorical.from_codes(values[:, i], LABELS[i]) for i, n in enumerate(NAMES)}
    if kind == "pandas categories":
        return pd.DataFrame(frame)
    if kind == "pandas strings":
        return pd.DataFrame({n: pd.Series(c).astype("str") for n, c in frame.items()})
    if kind == "dask categories":
        import dask.dataframe as dd

        return dd.from_pandas(pd.DataFrame(frame), npartitions=8)
    import pyarrow as pa

    arrow = pa.table(
        {n: pa.DictionaryArray.from_arrays(values[:, i], LABELS[i]) for i, n in enumerate(NAMES)}
    )
    if kind == "arrow dictionaries":
        return arrow
    plain = pa.table({n: arrow[n].cast(pa.string()) for n in NAMES})
    if kind == "arrow strings":
        return plain
    import polars as pl

    strings = pl.from_arrow(plain)
    if kind == "polars strings":
        return strings
    return strings.with_columns([pl.col(n).cast(pl.Enum(LABELS[i])) for i, n in enumerate(NAMES)])


def speed(seed, kind):
    """Rows a second."""
    release, people = mechanism(), table(kind, ROWS, seed)

    def task():
        released = release.perturb(people)
        if kind.startswith("dask"):
            released.compute(scheduler="threads")

    task()
    return ROWS / best_of(task, 3)


def latency(seed, kind):
    """Seconds for one record."""
    if kind == "multi-freq-ldpy SMP":
        from multi_freq_ldpy.mdim_freq_est.SMP_solution import SMP_GRR_Client

        record = codes(1, seed)[0]
        SMP_GRR_Client(record, SIZES, 8, 8.0)
        return best_of(lambda: [SMP_GRR_Client(record, SIZES, 8, 8.0) for _ in range(100)], 5) / 100
    release, record = mechanism(), codes(1, seed)[0].astype(np.int64)
    person = {n: LABELS[i][record[i]] for i, n in enumerate(NAMES)} if kind == "dictionary" else record
    return best_of(lambda: [release.perturb(person) for _ in range(100)], 5) / 100


class Peak(threading.Thread):
    """Largest resident memory while something runs, in MB."""

    def __init__(self):
        super().__init__(daemon=True)
        self.most, self.done = 0.0, threading.Event()

    def run(self):
        page = resource.getpagesize() / 2**20
        while not self.done.wait(0.01):
            self.most = max(self.most, int(Path("/proc/self/statm").read_text().split()[1]) * page)


def beyond(task):
    """Memory that a task takes beyond what there was."""
    before = int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 2**20
    peak = Peak()
    peak.start()
    start = time.perf_counter()
    task()
    seconds = time.perf_counter() - start
    peak.done.set()
    peak.join()
    return peak.most - before, seconds


def memory(seed, kind):
    """Memory beyond the input of ten million rows, in a table or through files."""
    release = mechanism()
    if kind not in (".csv", ".parquet", ".arrow"):
        people = table(kind, 10_000_000, seed)
        release.perturb(
            people[:1000] if kind == "array" else people.head(1000) if "pandas" in kind else people[:1000]
        )
        return beyond(lambda: release.perturb(people))
    from orr_release.files import release_file

    folder = Path(tempfile.mkdtemp())
    code = f"from tools.benchmarks.release import write; write({str(folder / 'truth')!r}, {kind!r}, {seed})"
    os.spawnv(os.P_WAIT, sys.executable, [sys.executable, "-c", code])
    return beyond(lambda: release_file(release, folder / f"truth{kind}", folder / f"released{kind}"))


def write(path, kind, seed):
    """Write ten million rows, in a process whose memory does not count."""
    import pyarrow as pa
    from pyarrow import csv, parquet

    people = table("arrow dictionaries", 10_000_000, seed)
    if kind == ".parquet":
        parquet.write_table(people, path + kind)
    elif kind == ".csv":
        csv.write_csv(pa.table({n: people[n].cast(pa.string()) for n in NAMES}), path + kind)
    else:
        with pa.ipc.new_file(path + kind, people.schema) as file:
            file.write_table(people, 2**18)


def main():
    seed = np.random.SeedSequence().entropy % 2**32
    print(f"seed {seed}; the optimum for 8 attributes at a total of 8\n")
    kinds = ["array", "pandas categories", "arrow dictionaries", "polars Enum", "dask categories"]
    kinds += ["pandas strings", "arrow strings", "polars strings"]
    with ProcessPoolExecutor(1, mp_context=get_context("spawn"), max_tasks_per_child=1) as pool:
        found = {kind: pool.submit(speed, seed, kind).result() for kind in kinds}
        print(f"{'':22}{'rows a second':>15}{'share of the array':>20}{'wanted':>9}")
        for kind, rows in found.items():
            wanted = "" if kind == "array" else ">= 0.6"
            print(f"{kind:22}{rows:15,.0f}{rows / found['array']:20.2f}{wanted:>9}", flush=True)
        print(f"\n{'one record':22}{'microseconds':>15}")
        for kind in ("array", "dictionary", "multi-freq-ldpy SMP"):
            print(f"{kind:22}{1e6 * pool.submit(latency, seed, kind).result():15.0f}", flush=True)
        print(f"\n{'ten million rows':22}{'MB beyond the input':>20}{'seconds':>10}{'wanted':>9}")
        for kind in (
            "array",
            "pandas categories",
            "arrow dictionaries",
            "polars Enum",
            ".csv",
            ".parquet",
            ".arrow",
        ):
            megabytes, seconds = pool.submit(memory, seed, kind).result()
            wanted = (
                "< 500" if kind in ("array", ".csv", ".parquet", ".arrow") else ""
            )  # tables become strings
            print(f"{kind:22}{megabytes:20.0f}{seconds:10.1f}{wanted:>9}", flush=True)
    print(f"\n{'mechanism file':40}{'kB':>9}{'ms to load':>12}")
    for k in (3, 12, 100, 1000):
        rng = np.random.default_rng([seed, k])
        made = orr_release.optimal(rng.integers(2, 6, k), rng.uniform(0.5, 3, k))
        text = made.to_json()
        milliseconds = 1000 * best_of(lambda t=text: orr_release.load(t), 3)
        print(f"optimum, k = {k:<27,}{len(text) / 1000:9.1f}{milliseconds:12.1f}")


if __name__ == "__main__":
    main()
