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
from orr_release import files
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
    """Run the command with these arguments, by default those of the process; return its exit status.

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
    if arguments is None:  # Otherwise a program calls, whose limits are its own.
        _disable_core_files()
    try:
        with warnings.catch_warnings(), _handle_termination_signals():
            warnings.showwarning = _show
            given.run(given)
            sys.stdout.flush()
    except BrokenPipeError:  # As in a pipe to head; what is left to print goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + 13  # As of a program that SIGPIPE ends.
    except (ValueError, TypeError, OSError, ImportError) as error:
        print(f"orr: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("orr: interrupted, and nothing half-done is left", file=sys.stderr)
        return 130
    return 0


def _show(message: Warning | str, *_: object, **__: object) -> None:
    """Print a warning as errors are printed, without a line of code."""
    print(f"orr: {message}", file=sys.stderr)


def _disable_core_files() -> None:
    """Have a crash write no core file, which would hold the true records."""
    with suppress(ImportError):  # Windows has neither the module nor such files.
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))


@contextmanager
def _handle_termination_signals() -> Iterator[None]:
    """Let signals that would end the process at once raise KeyboardInterrupt, so that files are removed."""
    known = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    main_thread = threading.current_thread() is threading.main_thread()  # Others cannot set handlers.
    before = {number: signal.getsignal(number) for number in known if main_thread}
    for number, handler in before.items():
        if handler is not signal.SIG_IGN:  # As nohup leaves it.
            signal.signal(number, signal.default_int_handler)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _parser() -> argparse.ArgumentParser:
    """Return the parser of the four commands."""
    parser = argparse.ArgumentParser("orr", description="Release records under local differential privacy.")
    commands = parser.add_subparsers(required=True, metavar="command")

    plan = commands.add_parser("plan", help="build a mechanism, and say what to expect")
    plan.add_argument("domain", type=Path, help=f"JSON file with attributes and labels, as in {EXAMPLE}")
    plan.add_argument("--total", type=float, required=True, help="overall level to spend, in nats")
    plan.add_argument("--method", choices=sorted(METHODS), default="optimal", help="construction (optimal)")
    plan.add_argument(
        "--slack",
        type=float,
        help="for guarded: by how much neighbour levels may exceed the levels, as a share",
    )
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
    """Build a mechanism and write its file."""
    optional = {"slack": given.slack, "objective": given.objective}
    options = {"method": given.method} | {k: value for k, value in optional.items() if value is not None}
    domain = read_domain(given.domain)
    if given.out.exists():
        raise FileExistsError(f"{given.out} exists: released records may belong to it; choose another name")
    if given.answers is None:
        made = allocate(given.total, domain, **options)
    elif given.answers == "best" or given.answers.isdecimal():
        answers = None if given.answers == "best" else int(given.answers)
        made = sampled(domain, given.total, answers, **options)
    else:
        raise ValueError(f"--answers {given.answers} must be a whole number, or best")
    shown = [made] if given.people is None else [made, made.plan(given.people)]
    made.save(given.out)
    print(*shown, sep="\n")


def _release(given: argparse.Namespace) -> None:
    """Randomize a file."""
    release = load(given.mechanism)
    with _bar() as progress:
        rows = files.release_file(
            release, given.source, given.target, progress, line_breaks=given.line_breaks
        )
    print(f"{rows:,} rows released into {given.target}. Keep this file: do not release these records again.")


def _estimate(given: argparse.Namespace) -> None:
    """Print a table estimated from a file."""
    release = load(given.mechanism)
    options = {"given": dict(_pair(release, text) for text in given.given) or None, "weights": given.weights}
    if not files.made_by(given.source, release):
        _show(f"{given.source.name} does not say which mechanism released it: make sure that it was this one")
    with _bar() as progress:
        table = files.estimate_file(release, given.source, given.attributes, progress, **options)
    if not given.csv:
        print(table.to_text(sampling=given.sampling))
        return
    text = BytesIO()
    imported("pyarrow.csv").write_csv(table.to_frame("pyarrow", sampling=given.sampling), text)
    print(text.getvalue().decode(), end="")


def _report(given: argparse.Namespace) -> None:
    """Print the page for an ethics board, or write it to a file."""
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
    """Return the name and the label of NAME=LABEL, the label in the type of the domain."""
    name, equals, label = text.partition("=")
    if not equals or release.domain is None:
        raise ValueError(f"--given {text!r} must be NAME=LABEL")
    for known in release.domain.labels[release.domain.place(name)]:
        if label == ("" if known is None else str(known)):
            return name, known
    raise ValueError(f"{label!r} is not a label of {name!r}")


@contextmanager
def _bar() -> Any:
    """Show a bar of the rows done, if standard error is a terminal; give what moves it on."""
    try:
        from tqdm import tqdm
    except ImportError:
        yield lambda rows: None
        return
    with tqdm(unit=" rows", unit_scale=True, disable=None) as bar:
        yield bar.update
