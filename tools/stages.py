"""Measure what a stage of ``make test`` costs, and print all stages with the slowest tests.

    python tools/stages.py run NAME -- COMMAND...   # run a command and note its core seconds
    python tools/stages.py print                    # print what was noted since `clear`
    python tools/stages.py clear

Core seconds are the processor time of a command and of all that it started. They hardly depend on what else
the machine does, unlike seconds of the clock. A browser does not wait for the processes of its pages, which
do two thirds of its work: under Linux they are adopted here, elsewhere their time is not counted.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

NOTES = Path(__file__).resolve().parent.parent / "_build" / "stages"
SLOWEST = 5  # tests that are printed
ADOPT = 36  # PR_SET_CHILD_SUBREAPER of prctl(2)
LINGER = 5  # seconds in which what was adopted may end


def orphans_end() -> None:
    """Wait a little for adopted processes, so that their time is counted."""
    end = time.monotonic() + LINGER
    try:
        while time.monotonic() < end:
            if os.waitpid(-1, os.WNOHANG) == (0, 0):
                time.sleep(0.05)
    except ChildProcessError:  # there are no more
        pass


def run(name: str, command: list[str]) -> int:
    """Run a command, note what it cost, and return its exit status."""
    NOTES.mkdir(parents=True, exist_ok=True)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(ADOPT, 1, 0, 0, 0)
    begun = time.monotonic()
    status = subprocess.run(command, env=os.environ | {"ORR_TESTS": str(NOTES / f"{name}.tests")}).returncode
    if sys.platform == "linux":
        orphans_end()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    cost = {"core": used.ru_utime + used.ru_stime, "clock": time.monotonic() - begun, "status": status}
    (NOTES / f"{name}.json").write_text(json.dumps(cost), "utf-8")
    return status


def table() -> str:
    """Return the stages with their costs, and the slowest tests."""
    stages = {path.stem: json.loads(path.read_text("utf-8")) for path in sorted(NOTES.glob("*.json"))}
    stages["together"] = {key: sum(cost[key] for cost in stages.values()) for key in ("core", "clock")}
    lines = [f"{'stage':<12}{'core s':>8}{'clock s':>9}"]
    lines += [f"{name:<12}{cost['core']:8.0f}{cost['clock']:9.0f}" for name, cost in stages.items()]
    tests = [
        line.split("\t") for path in NOTES.glob("*.tests") for line in path.read_text("utf-8").splitlines()
    ]
    tests.sort(key=lambda test: -float(test[0]))
    lines += ["", "slowest tests, in seconds of the clock"]
    return "\n".join(lines + [f"{float(seconds):6.1f}  {name}" for seconds, name in tests[:SLOWEST]])


def main() -> int:
    """Do what the command line says."""
    match sys.argv[1:]:
        case ["run", name, "--", *command]:
            return run(name, command)
        case ["print"]:
            print(table())
        case ["clear"]:
            for path in NOTES.glob("*"):
                path.unlink()
        case _:
            sys.exit(__doc__)
    return 0


if __name__ == "__main__":
    sys.exit(main())
