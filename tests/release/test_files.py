"""Files of every kind: what is read, what is refused, and that a release appears whole or not at all."""

import os
import shutil

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

import orr_release
from orr_release import files

ROWS = 20_000


def kronecker(attributes, level=1.0, **more):
    """Randomize every attribute by itself, at the same level."""
    domain = orr_release.Domain(attributes, **more)
    return orr_release.kronecker(domain, [level] * len(domain))


SEX = kronecker({"sex": ["F", "M"]})
JOB = kronecker(
    {"sex": ["F", "M"], "race": ["Black", "White", "other"], "children": 3, "ward": []},
    4.0,
    missing={"race": "value"},
    public=["ward"],
    withheld=["name"],
)


@pytest.fixture(scope="module")
def written_once(tmp_path_factory):
    """A table in a file of each kind."""
    folder, row = tmp_path_factory.mktemp("truth"), np.arange(ROWS)
    table = pd.DataFrame(
        {
            "name": "somebody",
            "sex": np.where(row % 2, "F", "M"),
            "race": np.array(["Black", "White", "other", None], dtype=object)[row % 4],
            "children": row % 3,
            "ward": np.where(row % 5, "Elm", "Oak"),
        }
    )
    table.to_csv(folder / "truth.csv", index=False)
    table.to_parquet(folder / "truth.parquet")
    table.to_feather(folder / "truth.arrow", compression="uncompressed")
    return folder


@pytest.fixture
def job(tmp_path, written_once):
    """The same, in a folder of its own."""
    return shutil.copytree(written_once, tmp_path, dirs_exist_ok=True)


def test_a_release_holds_what_was_declared_and_nothing_else(job):
    assert files.release_file(JOB, job / "truth.parquet", job / "released.parquet") == ROWS
    assert list(pd.read_parquet(job / "released.parquet").columns) == ["sex", "race", "children", "ward"]
    metadata = parquet.read_schema(job / "released.parquet").metadata
    assert metadata == {b"orr.mechanism": JOB.digest.encode()}


def test_an_arrow_table_names_its_mechanism(job):
    files.release_file(JOB, job / "truth.parquet", job / "released.parquet")
    table = parquet.read_table(job / "released.parquet")
    assert JOB.estimate(table, "sex").total == ROWS
    other = orr_release.kronecker(JOB.domain, [1.0] * 3)
    with pytest.raises(ValueError, match=f"the table was released by the mechanism {JOB.digest}"):
        other.estimate(table, "sex")
    assert other.estimate(table.replace_schema_metadata(), "sex").total == ROWS
    with pytest.raises(ValueError, match="the table was released already, by the mechanism"):
        other.perturb(table)


@pytest.mark.parametrize("kind", ["csv", "parquet", "arrow"])
def test_rows_keep_their_order(job, kind, monkeypatch):
    """The public column tells of each released row which true one it comes from."""
    monkeypatch.setattr(files, "ROWS", 6_999)
    files.release_file(JOB, job / f"truth.{kind}", job / "released.parquet")
    released = pd.read_parquet(job / "released.parquet")
    assert released.ward.tolist() == pd.read_parquet(job / "truth.parquet").ward.tolist()


def test_a_damaged_file_is_refused(tmp_path):
    """Arrow would read what stands elsewhere in the memory of the process, or crash."""
    release, path = kronecker({"sex": ["F", "M"], "ward": []}, public=["ward"]), tmp_path / "truth.arrow"
    table = pa.table({"sex": ["F", "M"] * 50, "ward": ["Elm", "Oak"] * 50})
    with pa.ipc.new_file(path, table.schema) as file:
        file.write_table(table)
    whole = path.read_bytes()
    ends = np.arange(0, 301, 3, dtype=np.int32).tobytes()  # of the names of wards
    assert whole.count(ends) == 1
    path.write_bytes(whole.replace(ends, np.arange(0, 301_000_000, 3_000_000, dtype=np.int32).tobytes()))
    for damaged in (path.read_bytes(), whole[:-30], b"ARROW1"):
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match=r"truth\.arrow cannot be read: it is damaged"):
            files.release_file(release, path, tmp_path / "new.arrow")
    assert os.listdir(tmp_path) == ["truth.arrow"]


def test_batches_are_those_of_the_whole(job, monkeypatch):
    whole = JOB.estimate(pd.read_parquet(job / "truth.parquet"), ["sex", "race"])
    monkeypatch.setattr(files, "ROWS", 999)
    parts = files.estimate_file(JOB, job / "truth.arrow", ["sex", "race"])
    np.testing.assert_allclose(parts.counts, whole.counts)


class Interrupted(BaseException):
    """Somebody pressed a key."""


@pytest.mark.parametrize("error", [Interrupted, ValueError])
def test_an_interrupted_run_leaves_nothing(job, error, monkeypatch):
    before = sorted(os.listdir(job))
    monkeypatch.setattr(files, "ROWS", 5_000)
    done = []

    def stop(rows):
        done.append(rows)
        if len(done) == 2:
            raise error

    with pytest.raises(error):
        files.release_file(JOB, job / "truth.csv", job / "released.csv", stop)
    assert sorted(os.listdir(job)) == before


def test_what_appears_meanwhile_is_not_overwritten(job):
    before, target = sorted(os.listdir(job)), job / "released.csv"
    with pytest.raises(FileExistsError, match=r"released\.csv exists: keep what was released"):
        files.release_file(JOB, job / "truth.csv", target, lambda rows: target.write_text("kept"))
    assert target.read_text() == "kept"
    assert sorted(os.listdir(job)) == sorted([*before, "released.csv"])


def test_a_column_that_nobody_declared_is_not_even_read(tmp_path):
    (tmp_path / "truth.csv").write_text("other,sex\n" + "1,F\n" * 300_000 + "Ann,M\n", "utf-8")
    assert files.release_file(SEX, tmp_path / "truth.csv", tmp_path / "new.csv") == 300_001
    (tmp_path / "twice.csv").write_text("sex,,\nF,a,1\n", "utf-8")  # nor are two that share a name
    assert files.release_file(SEX, tmp_path / "twice.csv", tmp_path / "once.csv") == 1


def test_csv_keeps_empty_labels_and_empty_lines(tmp_path):
    release = kronecker({"x": ["", "a", "NA"]}, 30.0, missing="value")  # a flip in 1e10 such files
    pd.DataFrame({"x": ["", "a", "NA", None] * 100}).to_parquet(tmp_path / "truth.parquet", index=False)
    files.release_file(release, tmp_path / "truth.parquet", tmp_path / "new.csv")
    np.testing.assert_allclose(
        files.estimate_file(release, tmp_path / "new.csv", ["x"]).counts, 100, atol=1e-6
    )
    (tmp_path / "lines.csv").write_text("x\na\n\nNA\n\n", "utf-8")
    assert files.release_file(release, tmp_path / "lines.csv", tmp_path / "again.csv") == 4


@pytest.mark.parametrize(
    "text", ["\ufeffkids,smokes\r\n3.0,TRUE\r\n,0\r\n", 'smokes,"kids"\ntrue,3\nFalse,\n']
)
def test_csv_as_others_write_it(tmp_path, text):
    release = kronecker({"kids": 4, "smokes": [False, True]}, 40.0, missing={"kids": "value"})
    (tmp_path / "truth.csv").write_text(text, "utf-8", newline="")
    files.release_file(release, tmp_path / "truth.csv", tmp_path / "new.parquet")
    released = pd.read_parquet(tmp_path / "new.parquet")[["kids", "smokes"]].astype(object)
    assert released.where(released.notna(), None).to_numpy().tolist() == [[3, True], [None, False]]


@pytest.mark.parametrize("to", ["parquet", "arrow"])
def test_borders_in_a_released_file_do_not_depend_on_the_truth(tmp_path, monkeypatch, to):
    """Texts that are withheld, and the batches of the source, must not show in the batches of the release."""
    monkeypatch.setattr(files, "ROWS", 100_000)
    release, line, rows = kronecker({"sex": ["F", "M"]}, public=["state"]), "M,{},NY\n", 250_000
    for name, note in (("short", ""), ("long", "x" * 100)):
        text = "sex,note,state\n" + line.format(note) * 1_000 + line.format("") * (rows - 1_000)
        (tmp_path / f"{name}.csv").write_text(text, "utf-8")
    table = pa.table({"sex": ["M"] * rows, "state": pa.array(["NY"] * rows).dictionary_encode()})
    with pa.ipc.new_file(tmp_path / "odd.arrow", table.schema) as file:
        file.write_table(table, 33_333)
    for source in ("short.csv", "long.csv", "odd.arrow"):
        target = tmp_path / f"{source}.{to}"
        files.release_file(release, tmp_path / source, target)
        if to == "parquet":
            found = parquet.ParquetFile(target).metadata
            borders = [found.row_group(i).num_rows for i in range(found.num_row_groups)]
        else:
            opened = pa.ipc.open_file(target)
            borders = [opened.get_batch(i).num_rows for i in range(opened.num_record_batches)]
        assert borders == [100_000, 100_000, 50_000]


SPOILT = {
    "a quote that is not closed": (b'sex,note\nF,"oops\nM,ok\nF,ok\n', "a quotation mark is not closed"),
    "latin-1 in the names": ("sex,pr\u00e9nom\nF,x\n".encode("latin-1"), "must hold names, in UTF-8"),
    "latin-1 in a label": (
        "sex,x\nF\u00e9,x\n".encode("latin-1"),
        "'sex' cannot be read: it is not all UTF-8",
    ),
    "a row too long": (b"sex,x\nF,x\nM,x,HIV\n", "a row has too few or too many columns"),
    "nothing": (b"", "truth.csv is empty"),
    "semicolons": (b"sex;x\nF;HIV\n", "separated by commas, but it holds semicolons"),
    "tabs": (b"sex\tx\nF\tHIV\n", "separated by commas, but it holds tabs"),
    "no names": (b"F,HIV\nM,HIV\n", "has none of the declared columns: its first line must hold their names"),
    "missing as R writes it": (
        b"sex,x\nNA,HIV\n",
        "missing is an empty field in a csv file, and NA is a label",
    ),
}


@pytest.mark.parametrize(("content", "message"), SPOILT.values(), ids=SPOILT)
def test_spoilt_csv_files_are_refused_with_the_cause(tmp_path, content, message):
    (tmp_path / "truth.csv").write_bytes(content)
    with pytest.raises(ValueError, match=message) as error:
        files.release_file(SEX, tmp_path / "truth.csv", tmp_path / "new.csv")
    assert "HIV" not in str(error.value)
    assert [path.name for path in tmp_path.iterdir()] == ["truth.csv"]


def test_line_breaks_are_counted(tmp_path):
    (tmp_path / "truth.csv").write_text('sex,x\nF,"a\nM,b\nF,c"\nM,d', "utf-8")
    with pytest.raises(ValueError, match=r"truth.csv has 4 lines below its first, but 2 rows.*line_breaks=T"):
        files.release_file(SEX, tmp_path / "truth.csv", tmp_path / "new.csv")
    with pytest.warns(UserWarning, match="truth.csv has 4 lines below its first, but 2 rows"):
        assert files.estimate_file(SEX, tmp_path / "truth.csv", ["sex"]).total == 2
    (tmp_path / "fine.csv").write_text('sex,x\r\n\r\nF,"a"\r\n\r\nM,b"c"d\r\n', "utf-8", newline="")
    assert files.release_file(SEX, tmp_path / "fine.csv", tmp_path / "again.csv") == 2


@pytest.mark.parametrize("text", ["sex,w\nF, 1.5\nM,2.5 \n", "sex,w\nF,\t1.5\nM,  2.5\t\n"])
def test_blanks_around_weights_do_not_count(tmp_path, text):
    (tmp_path / "new.csv").write_text(text, "utf-8")
    assert files.estimate_file(SEX, tmp_path / "new.csv", ["sex"], weights="w").total == 4


def test_columns_called_form_and_public_numbers_are_read(tmp_path):
    release = kronecker({"form": ["a", "b"], "year": [2020, 2021]}, 40.0, public=["year"])
    (tmp_path / "truth.csv").write_text("year,form\n2020,a\n2021,b\n", "utf-8")
    files.release_file(release, tmp_path / "truth.csv", tmp_path / "new.parquet")
    assert pd.read_parquet(tmp_path / "new.parquet").to_numpy().tolist() == [[2020, "a"], [2021, "b"]]
    (tmp_path / "note.csv").write_text("sex,form\nF,paper\n", "utf-8")
    sampled = orr_release.sampled(orr_release.Domain({"sex": ["F", "M"], "y": 2}), 3.0, 1)
    assert files.release_file(SEX, tmp_path / "note.csv", tmp_path / "note.parquet") == 1
    (tmp_path / "both.csv").write_text("sex,form,y\n" + "F,paper,1\n" * 50, "utf-8")
    files.release_file(sampled, tmp_path / "both.csv", tmp_path / "both-new.csv")
    assert files.estimate_file(sampled, tmp_path / "both-new.csv", ["y"]).total == 50


def test_one_column_as_pandas_writes_it(tmp_path):
    pd.DataFrame({"sex": ["F", None, "M"]}).to_csv(tmp_path / "truth.csv", index=False)
    release = kronecker({"sex": ["F", "M"]}, 40.0, missing="value")
    files.release_file(release, tmp_path / "truth.csv", tmp_path / "new.csv")
    assert (tmp_path / "new.csv").read_text("utf-8").splitlines() == ['"sex"', '"F"', "", '"M"']


def test_rows_are_counted_through_the_whole_file(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "ROWS", 1_000)
    table = pd.DataFrame({"sex": ["F"] * 2_500 + ["X"]})
    for kind in ("csv", "parquet"):
        path = tmp_path / f"truth.{kind}"
        table.to_csv(path, index=False) if kind == "csv" else table.to_parquet(path)
        with pytest.raises(ValueError, match="in row 2500 for the first time"):
            files.release_file(SEX, path, tmp_path / f"new.{kind}")


@pytest.mark.filterwarnings("error")
def test_a_sorted_release_is_no_filtered_one(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "ROWS", 5_000)
    release = kronecker({"x": ["a", "b"], "y": 3})
    table = pd.DataFrame({"x": ["a", "b"] * 10_000, "y": np.arange(20_000) % 3})
    release.perturb(table).sort_values(["x", "y"]).to_parquet(tmp_path / "new.parquet", index=False)
    assert files.estimate_file(release, tmp_path / "new.parquet", ["x"]).counts.sum() == pytest.approx(20_000)
    chosen = pd.read_parquet(tmp_path / "new.parquet").query("y == 1")
    chosen.to_parquet(tmp_path / "chosen.parquet", index=False)
    with pytest.warns(orr_release.Filtered, match="'y'"):
        files.estimate_file(release, tmp_path / "chosen.parquet", ["x"])
