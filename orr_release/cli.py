"""The command ``orr``: plan, release, estimate and report from a shell (chapter release)."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from io import BytesIO
from pathlib import Path
from typing import Any

from orr.budget.allocate import METHODS, OBJECTIVES
from orr_release import files as batches
from orr_release.arrow import imported
from orr_release.constructions import allocate
from orr_release.domain import Domain
from orr_release.mechanism_file.read import load, parsed
from orr_release.release import Release
from orr_release.sampled import sampled

EXAMPLE = (
    '{"attributes": {"sex": ["F", "M"], "children": 4}, "missing": {"sex": "value"}, "withheld": ["name"]}'
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with these arguments, or those of the process.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "domain.json").write_text('{"attributes": {"sex": ["F", "M"], "children": 4}}')
    >>> main(["plan", str(folder / "domain.json"), "--total", "3", "--out", str(folder / "mechanism.json")])
    <Release: sex, children; overall level 3 (Kronecker 3.7891), neighbours up to 3>
    0
    """
    given = _parser().parse_args(arguments)
    if arguments is None:  # else the process is somebody else's
        _leave_no_core()
    try:
        with warnings.catch_warnings(), _ending_like_an_interrupt():
            warnings.showwarning = _said
            given.run(given)
            sys.stdout.flush()
    except BrokenPipeError:  # as in a pipe to head; what is left to print goes nowhere
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + 13  # as of a program that SIGPIPE ends
    except (ValueError, TypeError, OSError, ImportError) as error:
        print(f"orr: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("orr: interrupted, and nothing half-done is left", file=sys.stderr)
        return 130
    return 0


def _said(message: Warning | str, *_: object, **__: object) -> None:
    """Show a warning as errors are shown, without a line of code."""
    print(f"orr: {message}", file=sys.stderr)


def _leave_no_core() -> None:
    """Have a crash write no core file, which would hold the true records."""
    with suppress(ImportError):  # Windows has neither the module nor such files
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))


@contextmanager
def _ending_like_an_interrupt() -> Iterator[None]:
    """Let signals that would end the process at once clean up first, as an interrupt does."""
    known = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {}
    if threading.current_thread() is threading.main_thread():
        before = {kind: signal.getsignal(kind) for kind in known}
    for kind, handler in before.items():
        if handler is not signal.SIG_IGN:  # as nohup leaves it
            signal.signal(kind, _ended)
    try:
        yield
    finally:
        for kind, handler in before.items():
            signal.signal(kind, handler)


def _ended(*_: object) -> None:
    """End like an interrupt does."""
    raise KeyboardInterrupt


def _parser() -> argparse.ArgumentParser:
    """Describe the four commands."""
    parser = argparse.ArgumentParser("orr", description="Release records under local differential privacy.")
    commands = parser.add_subparsers(required=True, metavar="command")

    plan = commands.add_parser("plan", help="build a mechanism, and say what to expect")
    plan.add_argument("domain", type=Path, help=f"JSON file with attributes and labels, as in {EXAMPLE}")
    plan.add_argument("--total", type=float, required=True, help="overall level to spend, in nats")
    plan.add_argument("--method", choices=sorted(METHODS), default="optimal", help="construction (optimal)")
    plan.add_argument("--slack", type=float, help="for guarded: by how much neighbour levels may exceed")
    plan.add_argument("--objective", choices=OBJECTIVES, help="tables that shares serve (equal shares)")
    plan.add_argument("--answers", help="ask each person so many attributes only, or 'best'")
    plan.add_argument("--people", type=int, help="number of people: print expected errors")
    plan.add_argument("--out", type=Path, required=True, help="file for the mechanism")
    plan.set_defaults(run=_plan)

    release = commands.add_parser("release", help="randomize a file, once")
    release.add_argument("mechanism", type=Path, help="file that 'orr plan' wrote")
    release.add_argument("source", type=Path, help="true records: .csv, .parquet or .arrow")
    release.add_argument("target", type=Path, help="new file for the released records")
    release.add_argument(
        "--line-breaks", action="store_true", help="values of a csv file may hold line breaks"
    )
    release.set_defaults(run=_release)

    estimate = commands.add_parser("estimate", help="estimate a table from a released file")
    estimate.add_argument("mechanism", type=Path, help="file that 'orr plan' wrote")
    estimate.add_argument("source", type=Path, help="released records")
    estimate.add_argument("attributes", nargs="+", help="attributes of the table")
    estimate.add_argument("--given", action="append", default=[], metavar="NAME=LABEL", help="only a group")
    estimate.add_argument("--weights", help="column with the weights of the records")
    estimate.add_argument("--sampling", action="store_true", help="intervals about the population")
    estimate.add_argument("--csv", action="store_true", help="print comma-separated values, with all digits")
    estimate.set_defaults(run=_estimate)

    report = commands.add_parser("report", help="write the page for an ethics board")
    report.add_argument("mechanism", type=Path, help="file that 'orr plan' wrote")
    report.add_argument("--people", type=int, help="number of people: say what the tables will be good for")
    report.add_argument("--out", type=Path, help="file that ends in .md or .html; printed without one")
    report.set_defaults(run=_report)
    return parser


def _plan(given: argparse.Namespace) -> None:
    options: dict[str, Any] = {"method": given.method}
    if given.slack is not None:
        options["slack"] = given.slack
    if given.objective is not None:
        options["objective"] = given.objective
    domain = read_domain(given.domain)
    if given.out.exists():
        raise FileExistsError(f"{given.out} exists: released records may belong to it; choose another name")
    if given.answers is None:
        made = allocate(given.total, domain, **options)
    else:
        if given.answers != "best" and not given.answers.isdecimal():
            raise ValueError(f"--answers {given.answers} must be a whole number, or best")
        answers = None if given.answers == "best" else int(given.answers)
        made = sampled(domain, given.total, answers, **options)
    said = [made] if given.people is None else [made, made.plan(given.people)]
    made.save(given.out)
    print(*said, sep="\n")


def _release(given: argparse.Namespace) -> None:
    with _bar() as progress:
        places = given.source, given.target
        rows = batches.release_file(load(given.mechanism), *places, progress, line_breaks=given.line_breaks)
    print(f"{rows:,} rows released into {given.target}. Keep this file: do not release these records again.")


def _estimate(given: argparse.Namespace) -> None:
    release = load(given.mechanism)
    fixed = dict(_pair(release, text) for text in given.given)
    if not batches.made_by(given.source, release):
        _said(f"{given.source.name} does not say which mechanism released it: make sure that it was this one")
    with _bar() as progress:
        table = batches.estimate_file(
            release, given.source, given.attributes, progress, given=fixed or None, weights=given.weights
        )
    if not given.csv:
        print(table.to_text(sampling=given.sampling))
        return
    text = BytesIO()
    imported("pyarrow.csv").write_csv(table.to_frame("pyarrow", sampling=given.sampling), text)
    print(text.getvalue().decode(), end="")


def _report(given: argparse.Namespace) -> None:
    page = load(given.mechanism).report(given.people)
    if given.out is None:
        print(page.markdown)
    else:
        page.save(given.out)


def read_domain(path: Path) -> Domain:
    """Read a domain from a file.

    Its ``attributes`` map names to labels; ``missing``, ``public`` and ``withheld`` are as for
    :class:`orr_release.Domain`.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "domain.json")
    >>> _ = path.write_text('{"attributes": {"sex": ["F", "M"]}, "missing": "value"}')
    >>> read_domain(path)
    <Domain: sex (3)>
    """
    given = parsed(path.read_text("utf-8-sig"), f"{path.name} is not JSON")
    allowed = {"attributes", "missing", "public", "withheld"}
    if not isinstance(given, dict) or not isinstance(given.get("attributes"), dict) or set(given) - allowed:
        raise ValueError(
            f"{path.name} must hold attributes, and may hold missing, public and withheld, as in {EXAMPLE}"
        )
    return Domain(**given)


def _pair(release: Release, text: str) -> tuple[str, Any]:
    """Read NAME=LABEL; a label is of the type that the domain says."""
    name, equals, label = text.partition("=")
    if not equals or release.domain is None:
        raise ValueError(f"--given {text!r} must be NAME=LABEL")
    labels = release.domain.labels[release.domain.place(name)]
    for known in labels:
        if label == ("" if known is None else str(known)):
            return name, known
    raise ValueError(f"{label!r} is not a label of {name!r}")


@contextmanager
def _bar() -> Any:
    """Show a bar of the rows done, where somebody is looking."""
    try:
        from tqdm import tqdm
    except ImportError:
        yield lambda rows: None
        return
    with tqdm(unit=" rows", unit_scale=True, disable=None) as bar:
        yield bar.update
