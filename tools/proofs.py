"""Let Coq check the theorems of ``proofs``, and certificates that ``orr`` exports.

    python tools/proofs.py                    # compile all, and print what each theorem assumes
    python tools/proofs.py --skip             # the same; where Coq is not there, say so and go on
    python tools/proofs.py certificate FILE   # run the proved checker on an exported certificate

Everything is compiled in ``_build/proofs``, and again only if it changed. Nothing is installed.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import yaml

try:
    import fcntl
except ImportError:  # Windows; nobody else compiles at the same time there
    fcntl = None  # type: ignore[assignment]

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "proofs"
BUILT = ROOT / "_build" / "proofs"
CLOSED = "Closed under the global context"
GET = "On Debian 12: apt-get install coq libcoq-mathcomp-algebra"
# The proofs use names of MathComp 1, and this one is gone from MathComp 2.
PROBE = "From mathcomp Require Import all_ssreflect all_algebra. Import Num.Theory. Check ler_addl.\n"
# A refusal: the kernel computed false where the certificate needs true.
REFUSED = "is expected to have type"


class Wrong(RuntimeError):
    """A proof does not compile, or a theorem assumes something."""


def options() -> list[str]:
    """Return what ``_CoqProject`` tells the compiler."""
    lines = (SOURCE / "_CoqProject").read_text("utf-8").splitlines()
    words = [word for line in lines if line.startswith("-") for word in line.split()]
    return [word for word in words if word != "-arg"]


def theories() -> list[str]:
    """Return the names of the theories, as ``_CoqProject`` lists them."""
    lines = (SOURCE / "_CoqProject").read_text("utf-8").splitlines()
    return [line.removesuffix(".v") for line in lines if line.endswith(".v")]


def theorems() -> list[dict]:
    """Return the theorems that the book names."""
    return yaml.safe_load((SOURCE / "theorems.yml").read_text("utf-8"))["theorems"]


def coqc(path: Path, where: Path, source: Path = BUILT) -> subprocess.CompletedProcess[str]:
    """Compile one file, which may use the theories compiled in a folder."""
    paths = [str(source) if word == "." else word for word in options()]
    command = ["coqc", "-q", *paths, str(path)]
    return subprocess.run(command, cwd=where, capture_output=True, text=True)


def run(text: str) -> subprocess.CompletedProcess[str]:
    """Let Coq read a text, which may use what is compiled."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "text.v")
        path.write_text(text, "utf-8")
        return coqc(path, Path(folder))


@cache
def version() -> str:
    """Return which Coq and which MathComp these are: what others compiled does not count."""
    said, where = (
        subprocess.run(["coqc", option], capture_output=True, text=True, check=True).stdout.strip()
        for option in ("--version", "-where")
    )
    library = Path(where, "user-contrib", "mathcomp", "algebra", "all_algebra.vo")
    return said + (hashlib.sha256(library.read_bytes()).hexdigest() if library.exists() else "")


def missing() -> str:
    """Say what is missing, in a sentence; nothing if all is there."""
    if not shutil.which("coqc"):
        return "there is no Coq (coqc)"
    BUILT.mkdir(parents=True, exist_ok=True)
    if run(PROBE).returncode:
        return "Coq is there, but not its library MathComp in version 1"
    return ""


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """Let one process compile at a time: tests run in several."""
    BUILT.mkdir(parents=True, exist_ok=True)
    with (BUILT / "lock").open("w") as file:
        if fcntl:
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def uses(text: str) -> list[str]:
    """Return the theories of this folder that a theory imports."""
    found = re.findall(r"^From Orr Require (?:Import |Export )?(.+?)\.$", text, re.MULTILINE)
    return [name for names in found for name in names.split()]


def compile_theory(name: str, source: Path, built: Path) -> None:
    """Compile a theory whose imports are compiled, unless it has been already."""
    text = (source / f"{name}.v").read_text("utf-8")
    parts = [version(), text, *options(), *((built / f"{used}.key").read_text() for used in uses(text))]
    key = hashlib.sha256("\n".join(parts).encode()).hexdigest()
    stamp = built / f"{name}.key"
    if stamp.exists() and stamp.read_text() == key and (built / f"{name}.vo").exists():
        return
    (built / f"{name}.v").write_text(text, "utf-8")
    start = time.perf_counter()
    said = coqc(built / f"{name}.v", built, built)
    if said.returncode:
        stamp.unlink(missing_ok=True)
        raise Wrong(f"proofs/{name}.v does not compile:\n{said.stderr.strip()}")
    stamp.write_text(key)
    print(f"proofs/{name}.v compiled in {time.perf_counter() - start:.1f} s")


def compiled(source: Path = SOURCE, built: Path = BUILT) -> None:
    """Compile all theories, those that do not wait for each other side by side."""
    graph = {name: uses((source / f"{name}.v").read_text("utf-8")) for name in theories()}
    order = TopologicalSorter(graph)
    order.prepare()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs: dict[str, Future[None]] = {}
        while order.is_active():
            for name in order.get_ready():
                jobs[name] = pool.submit(compile_theory, name, source, built)
            for name in [name for name, job in jobs.items() if job.done()]:
                jobs.pop(name).result()
                order.done(name)
            time.sleep(0.02)


def together(names: list[str]) -> str:
    """Ask Coq what theorems assume, all at once: what is behind several of them is then looked at once."""
    listed = ", ".join(f"@{name}" for name in names)
    return f"Definition everything := ({listed}).\nPrint Assumptions everything.\n"


def assumptions(names: list[str]) -> str:
    """Return what Coq says that theorems assume, each named as ``theory.theorem``."""
    text = "".join(f"From Orr Require {theory}.\n" for theory in sorted({n.split(".")[0] for n in names}))
    said = run(text + together([f"Orr.{name}" for name in names]))
    if said.returncode:
        raise Wrong(f"a theorem of theorems.yml is not there:\n{said.stderr.strip()}")
    return said.stdout.strip()


def names() -> list[str]:
    """Return the theorems that the book names, each as ``theory.theorem``."""
    return [
        name if "." in name else f"{theorem['file'].removesuffix('.v')}.{name}"
        for theorem in theorems()
        for name in [theorem["name"], *theorem.get("also", [])]
    ]


def whole(value: object) -> int:
    """Return a natural number as it is, and refuse all else: it becomes a part of what Coq reads."""
    if type(value) is not int or value < 0:
        raise Wrong(f"this is not a certificate: {value!r} is not a natural number")
    return value


def coq_certificate(given: dict) -> str:
    """Write an exported certificate as a theorem, which Coq accepts if its checker does."""
    rows, levels = [], []
    try:
        for part in given["attributes"]:
            numbers = " ".join(str(whole(part[key])) for key in ("values", "most", "weight"))
            rows.append(f"Attribute {numbers}")
            over, under = map(whole, part["level"])
            levels.append(f"({over}, {under})")
        unit, terms, scale = (whole(given[key]) for key in ("unit", "terms", "scale"))
        over, under = map(whole, given["claim"])
    except KeyError as error:
        raise Wrong(f"this is not a certificate: {error} is not there") from None
    except (TypeError, ValueError):
        form = "it is not of the form that orr_audit.for_coq returns"
        raise Wrong(f"this is not a certificate: {form}") from None
    return (
        "From Coq Require Import NArith List.\nFrom Orr Require Import checker.\n"
        "Import ListNotations. Open Scope N_scope.\n"
        f"Definition levels : list (N * N) := [{'; '.join(levels)}].\n"
        f"Definition c := Certificate {unit} [{'; '.join(rows)}] {over} {under}.\n"
        f"Lemma accepted : check_levels {terms} {scale} levels c = true.\n"
        "Proof. vm_cast_no_check (eq_refl true). Qed.\n"
        "From Orr Require certificate.\n"  # after the verdict, because MathComp takes its time
        "Definition proved R := @certificate.certificate_levels R c levels _ _ accepted.\n"
        "Print Assumptions proved.\n"
    )


def accepts(given: dict) -> bool:
    """Return whether the proved checker accepts an exported certificate."""
    said = run(coq_certificate(given))
    if said.returncode and REFUSED not in said.stderr:
        raise Wrong(f"Coq cannot read the certificate:\n{said.stderr.strip()}")
    if not said.returncode and said.stdout.strip() != CLOSED:
        raise Wrong(f"the certificate's theorem is not closed:\n{said.stdout.strip()}")
    return not said.returncode


def check_all() -> None:
    """Compile all theories and print what every theorem of the book assumes."""
    with alone():
        compiled()
    found = assumptions(names())
    if found != CLOSED:
        raise Wrong(f"a theorem has assumptions:\n{found}")
    for name in names():
        print(f"{name}: {found}")
    print(f"{len(names())} theorems checked by Coq, without axioms.")


def check_certificate(path: Path) -> None:
    """Run the checker on a file, and say what it proved."""
    try:
        given = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise Wrong(f"{path} cannot be read: {error}") from None
    with alone():
        compiled()
    start = time.perf_counter()
    if not accepts(given):
        raise Wrong(f"REFUSED: {path}")
    seconds, k = time.perf_counter() - start, len(given["attributes"])
    print(f"Accepted in {seconds:.1f} s: every mechanism for {k} attributes of the file's sizes,")
    print("whose flip rates are at most those of the file's levels, has")
    print("e^epsilon at least 1 + {}/{}".format(*given["claim"]))


def main() -> None:
    """Do what is asked, and say what is missing."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--skip", action="store_true", help="where Coq is not there, say so and go on")
    parser.add_argument("what", nargs="*", metavar="certificate FILE", help="a certificate to check")
    asked = parser.parse_args()
    if asked.what and (len(asked.what) != 2 or asked.what[0] != "certificate"):
        parser.error("give nothing, or: certificate FILE")
    if reason := missing():
        if asked.skip:
            print(f"THE PROOFS WERE NOT CHECKED: {reason}. {GET}")
            return
        sys.exit(f"The proofs cannot be checked: {reason}. {GET}")
    try:
        check_certificate(Path(asked.what[1])) if asked.what else check_all()
    except Wrong as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
