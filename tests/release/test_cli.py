"""The command: a whole job from a shell, files of every kind, and what each mistake is told."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pyarrow import csv

import orr
import orr_release
from book.census import people
from orr_release import files
from orr_release.cli import main
from tests.chance import deviation
from tests.common import some_slow

# Processes that tests start have the package that the tests have, whatever is installed.
TREE = os.environ | {"PYTHONPATH": str(Path(orr.__file__).parents[1])}
COLUMNS = "sex", "race", "marital", "income"


@pytest.fixture(scope="module")
def table():
    records, labels = people(*COLUMNS)
    data = {n: pd.Categorical.from_codes(records[:, i], labels[i]).astype(str) for i, n in enumerate(COLUMNS)}
    return pd.DataFrame(data | {"name": "somebody", "children": np.arange(20_000) % 3}).convert_dtypes()


@pytest.fixture(scope="module")
def written_once(tmp_path_factory, table):
    """A domain and a table of each kind."""
    folder = tmp_path_factory.mktemp("job")
    _, labels = people(*COLUMNS)
    attributes = dict(zip(COLUMNS, labels, strict=True)) | {"children": 3}
    domain = {"attributes": attributes, "missing": {"race": "value"}, "withheld": ["name"]}
    (folder / "domain.json").write_text(json.dumps(domain), "utf-8")
    table.to_csv(folder / "truth.csv", index=False)
    table.to_parquet(folder / "truth.parquet")
    table.to_feather(folder / "truth.arrow", compression="uncompressed")
    return folder


@pytest.fixture
def job(tmp_path, written_once):
    """The same, in a folder of its own."""
    return shutil.copytree(written_once, tmp_path, dirs_exist_ok=True)


def run(job, *words):
    suffixes = (".json", ".csv", ".parquet", ".arrow", ".html", ".pdf", ".xls")
    return main([str(job / word) if word.endswith(suffixes) else word for word in words])


def planned(job, *more, total="20"):
    assert run(job, "plan", "domain.json", "--total", total, "--out", "mechanism.json", *more) == 0
    return orr_release.load(job / "mechanism.json")


@pytest.fixture(scope="module")
def planned_once(tmp_path_factory, written_once):
    """A mechanism that the command planned."""
    made = tmp_path_factory.mktemp("planned") / "mechanism.json"
    assert main(["plan", str(written_once / "domain.json"), "--total", "20", "--out", str(made)]) == 0
    return made


@pytest.fixture
def planned_job(job, planned_once):
    shutil.copy(planned_once, job)
    return job


def farthest(mechanism, table):
    """Bound how far estimates of sex and income may be from the truth.

    An estimated count is a sum of independent terms, one a person: an entry of the inverse of the channel, at
    most ``most`` away from its mean.
    """
    sizes = tuple(mechanism.sizes)
    released = mechanism.mechanism.matrix().reshape(*sizes, *sizes).sum(axis=(1, 2, 4))[:, :, :, 0, 0, :, 0]
    channel = released.reshape(4, 4)  # Pr[released sex and income | true ones]; others make no difference
    inverse, people = np.linalg.inv(channel), pd.crosstab(table.sex, table.income).to_numpy().ravel()
    variances, most = (inverse**2 @ channel - np.eye(4)) @ people, np.abs(inverse).max() + 1
    return deviation(variances, most).reshape(2, 2)


@pytest.mark.statistical
@pytest.mark.parametrize("kind", ["csv", "parquet", "arrow"])
@pytest.mark.parametrize("to", ["csv", "parquet", "arrow"])
def test_a_whole_job(job, table, kind, to, capsys, monkeypatch):
    monkeypatch.setattr(files, "ROWS", 7_000)  # several batches
    mechanism = planned(job, "--people", "20000", total="8")
    assert "Plan for 20,000 people" in capsys.readouterr().out
    assert run(job, "release", "mechanism.json", f"truth.{kind}", f"released.{to}") == 0
    assert "20,000 rows released" in capsys.readouterr().out
    assert (
        run(job, "estimate", "mechanism.json", f"released.{to}", "sex", "--given", "income=50000+.", "--csv")
        == 0
    )
    head, *rows = capsys.readouterr().out.split()
    assert head == '"sex","count","standard_error","low","high","proportion","reliable"'
    counts = {row.split(",")[0]: float(row.split(",")[1]) for row in rows}
    rich = table[table.income == "50000+."].sex.value_counts()
    limits = farthest(mechanism, table)[:, 1]
    assert (limits < 350).all()  # to be of use
    for sex, limit in zip(("Female", "Male"), limits, strict=True):
        assert abs(counts[f'"{sex}"'] - rich[sex]) < limit
    assert run(job, "report", "mechanism.json", "--people", "20000", "--out", "report.html") == 0
    assert "<h1" in (job / "report.html").read_text("utf-8")
    assert run(job, "report", "mechanism.json") == 0
    assert capsys.readouterr().out.startswith("# ")


@pytest.mark.parametrize("kind", ["csv", "parquet", "arrow"])
def test_a_release_is_read_with_its_own_mechanism_only(job, kind, capsys):
    mechanism = planned(job)
    assert run(job, "release", "mechanism.json", f"truth.{kind}", f"released.{kind}") == 0
    assert run(job, "plan", "domain.json", "--total", "2", "--out", "other.json") == 0
    other = orr_release.load(job / "other.json").digest
    assert run(job, "estimate", "mechanism.json", f"released.{kind}", "sex") == 0
    assert capsys.readouterr().err == ""
    assert run(job, "estimate", "other.json", f"released.{kind}", "sex") == 1
    words = f"released.{kind} was released by the mechanism {mechanism.digest}, and this one is {other}"
    assert words in capsys.readouterr().err
    assert run(job, "estimate", "mechanism.json", f"truth.{kind}", "sex") == 0  # as a file made elsewhere
    assert f"truth.{kind} does not say which mechanism released it" in capsys.readouterr().err
    assert run(job, "release", "mechanism.json", f"released.{kind}", f"again.{kind}") == 1
    said = capsys.readouterr().err
    assert f"released.{kind} was released already, by the mechanism {mechanism.digest} (" in said
    assert "give the true records" in said
    if kind == "csv":
        named = job / "released.csv.mechanism"
        assert named.read_text("utf-8") == f"{mechanism.digest}\n"
        for wrong in ("", "\x1b[31m", f"{mechanism.digest} {other}"):
            named.write_text(wrong, "utf-8")
            assert run(job, "estimate", "mechanism.json", "released.csv", "sex") == 1
            told = capsys.readouterr().err
            assert "released.csv must name its mechanism by a digest" in told
            assert "\x1b" not in told


def test_what_a_killed_run_left_is_named(planned_job, capsys):
    (planned_job / ".released.csv.1234.partial").write_text("sex\n", "utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        assert run(planned_job, "release", "mechanism.json", "truth.csv", "released.csv") == 0
    said = capsys.readouterr().err
    assert said.startswith("orr: .released.csv.1234.partial in ")
    assert "a part of a release" in said


@pytest.mark.skipif(sys.platform == "win32", reason="pipes break differently there")
def test_a_reader_who_goes_away_is_told_nothing(planned_job):
    words = [sys.executable, "-m", "orr_release", "report", "mechanism.json"]
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(words, cwd=planned_job, env=TREE, stdout=write, stderr=subprocess.PIPE, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (141, b"")


def test_sampled_and_guarded(job, capsys):
    assert planned(job, "--method", "guarded", "--slack", "0.25").mechanism.slack == 0.25
    (job / "mechanism.json").unlink()
    assert planned(job, "--answers", "2").answers == 2
    assert run(job, "release", "mechanism.json", "truth.csv", "released.csv") == 0
    assert "form" in (job / "released.csv").read_text("utf-8").splitlines()[0]
    assert run(job, "estimate", "mechanism.json", "released.csv", "sex", "--sampling") == 0
    assert "standard_error" in capsys.readouterr().out


def test_no_rows_are_no_error(planned_job):
    (planned_job / "none.csv").write_text("sex,race,marital,income,children\n", "utf-8")
    assert run(planned_job, "release", "mechanism.json", "none.csv", "released.csv") == 0
    assert (planned_job / "released.csv").read_text("utf-8").count("\n") == 1


def test_a_bad_row_late_in_a_file_leaves_nothing(planned_job, monkeypatch, capsys):
    before = sorted(os.listdir(planned_job))
    with (planned_job / "truth.csv").open("a", encoding="utf-8") as file:
        file.write("Neither,White,Divorced,50000+.,somebody,1\n")
    assert run(planned_job, "release", "mechanism.json", "truth.csv", "released.csv") == 1
    words = capsys.readouterr().err
    assert "'sex'" in words
    assert "not declared" in words
    assert "Neither" not in words
    assert sorted(os.listdir(planned_job)) == before


SECRETS = {
    "a number that is none": "sex,children\nF,HIV+\n",
    "a label": "sex,children\nHIV+,1\n",
    "too many columns": "sex,children,doctor\nF,1,X\nM,2,HIV+,Ann\n",
    "a weight that is none": "sex,children,weight\nF,1,2.5\nM,2,HIV+\n",
}


@pytest.mark.parametrize("text", SECRETS.values(), ids=SECRETS)
def test_no_message_shows_a_value(tmp_path, text, capsys):
    domain = orr_release.Domain({"sex": ["F", "M"], "children": 4})
    orr_release.kronecker(domain, [1.0, 1.0]).save(tmp_path / "m.json")
    (tmp_path / "truth.csv").write_text(text, "utf-8")
    words = ["release", "m.json", "truth.csv", "new.csv"]
    if "weight" in text:
        words = ["estimate", "m.json", "truth.csv", "sex", "--weights", "weight"]
    assert run(tmp_path, *words) == 1
    said = capsys.readouterr().err
    assert "not shown" in said
    assert "HIV" not in said


@pytest.mark.skipif(
    sys.platform == "win32", reason="no signal ends a process there, and it has no core files"
)
def test_a_refusal_is_no_crash(tmp_path, monkeypatch):
    """A thread that reads ahead must not outlive the interpreter: it took 3 of 15 such runs down.

    It can only if Arrow reads a file of Python's, so that is looked at, and two runs are tried.
    """
    mechanism = orr_release.kronecker(orr_release.Domain({"sex": ["F", "M"]}), [1.0])
    mechanism.save(tmp_path / "m.json")
    (tmp_path / "truth.csv").write_text("sex,name\n" + "F,Ann\nM,Bob\n" * 1_000 + "F,Ann,x\n", "utf-8")
    opened, plain = [], csv.open_csv
    monkeypatch.setattr(
        csv, "open_csv", lambda file, **options: opened.append(file) or plain(file, **options)
    )
    with pytest.raises(ValueError, match="a row has too few or too many columns"):
        files.release_file(mechanism, tmp_path / "truth.csv", tmp_path / "new.csv")
    assert opened == [str(tmp_path / "truth.csv")]
    words = [sys.executable, "-m", "orr_release", "release", "m.json", "truth.csv", "new.csv"]
    options = {"cwd": tmp_path, "env": TREE, "capture_output": True, "text": True, "check": False}
    runs = [subprocess.run(words, **options) for _ in range(2)]
    assert {run.returncode for run in runs} == {1}
    (said,) = {run.stderr for run in runs}
    assert said.startswith("orr: truth.csv cannot be read: a row has too few or too many columns")
    assert said.count("\n") == 1


@pytest.mark.skipif(sys.platform == "win32", reason="it has no core files")
def test_a_crash_writes_no_core_file(job, monkeypatch):
    import resource

    limits, most = [], resource.getrlimit(resource.RLIMIT_CORE)[1]
    monkeypatch.setattr(resource, "setrlimit", lambda *limit: limits.append(limit))
    planned(job)
    assert limits == []  # called by a program, it leaves that as it was
    monkeypatch.setattr(sys, "argv", ["orr", "report", str(job / "mechanism.json")])
    assert main() == 0
    assert limits == [(resource.RLIMIT_CORE, (0, most))]


def test_rows_that_a_quotation_mark_swallows_are_not_released(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(files, "ROWS", 1)  # so that something is written before it is refused
    orr_release.kronecker(orr_release.Domain({"sex": ["F", "M"], "n": 3}), [1.0, 1.0]).save(
        tmp_path / "m.json"
    )
    (tmp_path / "truth.csv").write_text('sex,n,t\nF,1,a\nM,2,"HIV\nF,1,b\nM,1,HIV"\nF,2,c\n', "utf-8")
    words, seen, put = ["release", "m.json", "truth.csv", "new.csv"], [], os.replace
    monkeypatch.setattr(os, "replace", lambda *paths: seen.append(paths) or put(*paths))
    assert run(tmp_path, *words) == 1
    said = capsys.readouterr().err
    assert "truth.csv has 5 lines below its first, but 3 rows" in said
    assert "Nothing is released" in said
    assert "--line-breaks" in said
    assert "HIV" not in said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m.json", "truth.csv"]
    assert seen == []
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        assert run(tmp_path, *words, "--line-breaks") == 0
    told = capsys.readouterr()
    assert "3 rows released" in told.out
    assert "5 lines below its first, but 3 rows" in told.err
    assert len(seen) == 1


@pytest.mark.parametrize("folder", [True, False])
def test_what_stands_where_the_mechanism_is_named_is_told_at_once(planned_job, folder, capsys, monkeypatch):
    named = planned_job / "released.csv.mechanism"
    named.mkdir() if folder else named.write_text("mine", "utf-8")
    before = sorted(os.listdir(planned_job))
    with monkeypatch.context() as patched:
        patched.setattr(files, "_batches", None)  # nothing is read
        assert run(planned_job, "release", "mechanism.json", "truth.csv", "released.csv") == 1
    assert "released.csv.mechanism exists, where the name of the mechanism" in capsys.readouterr().err
    assert sorted(os.listdir(planned_job)) == before
    (planned_job / "released.csv").write_text("sex\n", "utf-8")
    assert run(planned_job, "release", "mechanism.json", "truth.csv", "released.csv") == 1
    assert "released.csv exists: keep what was released" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ there")
@pytest.mark.parametrize("kind", ["SIGTERM", "SIGINT", "SIGHUP"])
def test_a_signal_while_batches_are_written_leaves_nothing(planned_job, kind, capsys, monkeypatch):
    """In this process, after the first of several batches."""
    before, number, seen = sorted(os.listdir(planned_job)), getattr(signal, kind), []
    # Python interrupts by itself; another signal would pass unnoticed if the command did not see to it.
    usual = signal.default_int_handler if kind == "SIGINT" else lambda *_: None
    handler = signal.signal(number, usual)
    monkeypatch.setattr(files, "ROWS", 5_000)
    plain = files.release_file

    def interrupted(mechanism, source, target, progress, **options):
        def ring(rows):
            seen.extend(planned_job.glob(".released*"))
            signal.raise_signal(number)

        return plain(mechanism, source, target, ring, **options)

    monkeypatch.setattr(files, "release_file", interrupted)
    try:
        assert run(planned_job, "release", "mechanism.json", "truth.csv", "released.csv") == 130
        assert signal.getsignal(number) is usual  # as before
    finally:
        signal.signal(number, handler)
    assert len(seen) == 1
    assert "nothing half-done" in capsys.readouterr().err
    assert sorted(os.listdir(planned_job)) == before


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ there")
@pytest.mark.parametrize("kind", some_slow(["SIGTERM", "SIGINT", "SIGHUP"], "SIGINT", "SIGHUP"))
def test_a_signal_leaves_nothing_half_done(tmp_path, kind):
    domain = orr_release.Domain({"sex": ["F", "M"]})
    orr_release.kronecker(domain, [1.0]).save(tmp_path / "m.json")
    (tmp_path / "truth.csv").write_text("sex\n" + "F\nM\n" * 2_000_000, "utf-8")
    words = [sys.executable, "-m", "orr_release", "release", "m.json", "truth.csv", "new.csv"]
    number = getattr(signal, kind)
    before = signal.signal(number, signal.SIG_DFL)  # what nohup ignores, the command would ignore too
    try:
        pipes = {"stderr": subprocess.PIPE, "stdout": subprocess.PIPE}
        work = subprocess.Popen(words, cwd=tmp_path, env=TREE, **pipes)
    finally:
        signal.signal(number, before)
    with work:
        while work.poll() is None and not list(tmp_path.glob(".new*")):
            time.sleep(0.005)
        work.send_signal(number)
        said = work.communicate()[1].decode()
    assert work.returncode == 130
    assert "nothing half-done" in said
    assert sorted(p.name for p in tmp_path.iterdir()) == ["m.json", "truth.csv"]


BAD = [
    (["release", "mechanism.json", "truth.csv", "truth.csv"], "exists: keep what was released"),
    (["release", "mechanism.json", "truth.csv", "released.xls"], "must end in .csv, .parquet, .arrow"),
    (["release", "mechanism.json", "nowhere.csv", "released.csv"], "nowhere.csv"),
    (["release", "mechanism.json", "truth.csv", "nowhere/released.csv"], "there is no folder"),
    (["release", "domain.json", "truth.csv", "released.csv"], "no mechanism file"),
    (["estimate", "mechanism.json", "truth.csv", "age"], "no attribute 'age'"),
    (["estimate", "mechanism.json", "truth.csv", "sex", "--given", "race"], "must be NAME=LABEL"),
    (
        ["estimate", "mechanism.json", "truth.csv", "sex", "--given", "race=Blue"],
        "'Blue' is not a label of 'race'",
    ),
    (["estimate", "mechanism.json", "truth.csv", "sex", "--weights", "age"], "no column 'age'"),
    (["plan", "truth.csv", "--total", "2", "--out", "new.json"], "is not JSON"),
    (["plan", "mechanism.json", "--total", "2", "--out", "new.json"], "must hold attributes"),
    (["plan", "domain.json", "--total", "-2", "--out", "new.json"], "epsilon = -2"),
    (
        ["plan", "domain.json", "--total", "2", "--answers", "many", "--out", "new.json"],
        "must be a whole number",
    ),
    (
        ["plan", "domain.json", "--total", "2", "--out", "mechanism.json"],
        "exists: released records may belong",
    ),
    (["estimate", "mechanism.json", "truth.csv", "sex", "--weights", "children"], "must not be a randomized"),
    (["plan", "domain.json", "--total", "2", "--slack", "1", "--out", "new.json"], "slack"),
    (["report", "mechanism.json", "--out", "report.pdf"], "report.pdf"),
]


@pytest.mark.parametrize(("words", "message"), BAD)
def test_mistakes_are_named(planned_job, words, message, capsys):
    before = sorted(os.listdir(planned_job))
    assert run(planned_job, *words) == 1
    assert message in capsys.readouterr().err
    assert sorted(os.listdir(planned_job)) == before


def test_it_is_a_module_and_a_script():
    for command in ([sys.executable, "-m", "orr_release"], [str(Path(sys.executable).with_name("orr"))]):
        done = subprocess.run([*command, "--help"], env=TREE, capture_output=True, text=True, check=True)
        assert "ethics board" in done.stdout
