"""Python in the page: starters run and give nothing away, the runner explains, and pages stay light."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import runner
import yaml

import lite
import live

ROOT = Path(__file__).parents[2]
STARTERS = yaml.safe_load((live.SOURCE / "exercises.yml").read_text("utf-8"))
# Runs every program with nothing to import but the standard library and SymPy, as in the page.
ALONE = """
import json, sys
from importlib.metadata import packages_distributions

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] not in {*sys.stdlib_module_names, "sympy", "mpmath", "runner", *KNOWN}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

KNOWN = {name.split(".")[0] for name in sys.modules}
import runner
sys.meta_path.insert(0, Refuse())
said = {}
for label, code in json.load(sys.stdin).items():
    printed = []
    end = json.loads(runner.run(code, printed.append))
    said[label] = {"printed": "".join(printed), **end}
print(json.dumps(said))
"""


def alone(programs):
    """Run programs where only the standard library and SymPy are, and return what each says."""
    command = [sys.executable, "-c", ALONE]
    done = subprocess.run(
        command, input=json.dumps(programs), cwd=live.SOURCE, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def said():
    return alone({label: entry["code"] for label, entry in STARTERS.items()})


def exercises():
    """Return the labels of all exercises, by chapter."""
    found = {}
    for path in sorted(ROOT.glob("chapters/*.ipynb")):
        cells = json.loads(path.read_text("utf-8"))["cells"]
        text = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
        found[int(path.stem[:2])] = re.findall(r"^:{3,}\{exercise\}.*\n:label: (\S+)", text, re.MULTILINE)
    return found


def test_starters_belong_to_exercises_of_most_chapters():
    chapters = exercises()
    assert set(STARTERS) <= {label for labels in chapters.values() for label in labels}
    served = {chapter for chapter, labels in chapters.items() if set(labels) & set(STARTERS)}
    assert len(STARTERS) >= 15
    assert {*range(1, 8), 11, 12, 13, 16, 18} <= served


def wrong(entry, end):
    """Return what is wrong with a starter and with what it says."""
    lines = [line for line in entry["code"].splitlines() if line.strip()]
    text = entry["code"] + end["printed"] + end.get("result", "")
    return [
        *(["its length"] if not 2 <= len(lines) <= 8 or max(map(len, lines)) > 75 else []),
        *([end["sentence"]] if "sentence" in end else []),
        *(["it says nothing"] if not end["printed"] and "result" not in end else []),
        *(f"it gives {answer} away" for answer in entry["answer"] if answer in text),
    ]


@pytest.mark.parametrize("label", STARTERS)
def test_a_starter_runs_and_gives_nothing_away(said, label):
    assert STARTERS[label]["answer"]
    assert wrong(STARTERS[label], said[label]) == []


@pytest.mark.parametrize(
    ("code", "what"),
    [
        ("import numpy\n1", "Line 1: ModuleNotFoundError: No module named 'numpy'"),
        ("import orr\n1", "No module named 'orr'"),
        ("x = 1\ny", "Line 2: NameError"),
        ("x = 1\ny = 2", "it says nothing"),
        ("x = 17", "its length"),
        ("x = 8.5\n2 * x", "gives 17 away"),
        ("x = 17\n1", "gives 17 away"),
    ],
)
def test_a_bad_starter_is_caught(code, what):
    found = wrong({"code": code, "answer": ["17"]}, alone({"it": code})["it"])
    assert any(what in complaint for complaint in found)


def run(code):
    """Return what the runner says at the end, and what was printed."""
    printed = []
    end = json.loads(runner.run(code, printed.append))
    return end, "".join(printed)


def test_the_last_value_is_shown_after_what_was_printed():
    assert run("print(1)\n2 + 2") == ({"result": "4"}, "1\n")
    assert run("x = 'a'\nx") == ({"result": "'a'"}, "")
    assert run("print('no end', end='')") == ({}, "no end")
    assert run("None") == run("") == run("x = 3") == ({}, "")


def test_formulas_are_written_as_on_paper():
    said, _ = run("from sympy import symbols\nx = symbols('x')\nx**2 / 2")
    assert said["result"].splitlines() == [" 2", "x ", "──", "2 "]
    assert "x = 2" not in run("[1, 2]")[0]["result"]
    assert run("from sympy import symbols\nx = symbols('x')\n[x, 2 * x]")[0]["result"] == "[x, 2⋅x]"


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("x = 1\ny", "Line 2: NameError: name 'y' is not defined."),
        ("def f(x):\n    return 1 / x\n\nf(0)", "Line 2: ZeroDivisionError: division by zero."),
        ("import math\nmath.log(0)", "Line 2: ValueError: "),
        ("x = (", "Line 1: SyntaxError: "),
        ("if True:\nx", "Line 2: IndentationError: "),
        (
            "import numpy_or_not",
            "Line 1: ModuleNotFoundError: No module named 'numpy_or_not'. Python's standard",
        ),
        ("input('name?')", "Line 1: RuntimeError: input() cannot ask you"),
        ("raise SystemExit(3)", "Line 1: SystemExit: 3."),
        ("def f():\n    return f()\nf()", "Line 2: RecursionError: "),
    ],
)
def test_an_error_is_a_sentence_that_says_where(code, sentence):
    said, _ = run(code)
    assert said["sentence"].startswith(sentence)
    assert "in run" not in said["traceback"]
    assert "<your code>" in said["traceback"]


def test_a_traceback_quotes_the_code():
    assert "    return 1 / x\n" in run("def f(x):\n    return 1 / x\n\nf(0)")[0]["traceback"]


def test_every_run_begins_anew():
    run("hidden = 1")
    assert "NameError" in run("hidden")[0]["sentence"]


def test_an_endless_output_is_cut_once():
    said, printed = run("for i in range(100_000):\n    print(i)\n'end'")
    assert said == {"result": "'end'"}
    assert len(printed) < runner.MOST + 100
    assert printed.count("only the first 20,000 characters") == 1


@pytest.fixture
def parts(tmp_path):
    """Return a folder like the one that is fetched, of a few bytes."""
    folder = tmp_path / "parts"
    folder.mkdir()
    for name in ("pyodide.mjs", "pyodide.asm.wasm.packed", "sympy-1-py3-none-any.whl", "distribution.json"):
        (folder / name).write_bytes(b"{}" * 10**6)
    return folder


@pytest.fixture
def book(tmp_path):
    """Return a book of two chapters and a page, of which one chapter has an exercise with a starter."""
    folder = tmp_path / "book"
    (folder / "chapters").mkdir(parents=True)
    for name, label in (
        ("chapters/one", "ex-one-coin"),
        ("chapters/two", "no-such"),
        ("index", "ex-one-coin"),
    ):
        html = f'<html><head></head><body><div id="{label}"></div></body></html>'
        (folder / f"{name}.html").write_text(html, "utf-8")
    return folder


def test_pages_get_what_they_need_and_others_stay_as_they_are(book, parts):
    before = (book / "chapters/two.html").read_bytes(), (book / "index.html").read_bytes()
    assert live.add(book, parts, []) == ["one"]
    assert before == ((book / "chapters/two.html").read_bytes(), (book / "index.html").read_bytes())
    html = (book / "chapters/one.html").read_text("utf-8")
    assert re.findall('(?:href|src)="(.*?)"', html) == [
        "../_static/live/style.css",
        "../_static/live/page.js",
    ]
    data = json.loads(re.search('id="live-data">(.*?)</script>', html)[1])
    assert data == {"exercises": {"ex-one-coin": {"code": live.starters()["ex-one-coin"], "megabytes": 2}}}
    for name in live.SCRIPTS:
        assert (book / "_static/live" / name).exists()
    assert not (book / "_static/live/distribution.json").exists()


def test_adding_twice_adds_once(book, parts):
    live.add(book, parts, [])
    html = (book / "chapters/one.html").read_text("utf-8")
    assert live.add(book, parts, []) == []
    assert (book / "chapters/one.html").read_text("utf-8") == html


def test_only_chapters_in_jupyterlite_lead_there(book, parts):
    assert live.add(book, parts, ["two"]) == ["one", "two"]
    assert "lite/notebooks/index.html?path=two.ipynb" in (book / "chapters/two.html").read_text("utf-8")
    assert '"lite"' not in (book / "chapters/one.html").read_text("utf-8")


def test_no_starter_can_leave_its_script():
    text = live.head("..", {"exercises": {"x": {"code": "</script><script>alert()"}}})
    assert text.count("</script>") == 2
    assert (
        json.loads(re.search('id="live-data">(.*?)</script>', text)[1])["exercises"]["x"]["code"][:9]
        == "</script>"
    )


def test_versions_are_pinned_in_one_place():
    assert re.fullmatch(r"\d+\.\d+\.\d+", live.pyodide_version())
    assert re.fullmatch(r"sympy==[\d.]+", live.sympy_pin())
    assert not (ROOT / "package-lock.json").exists()
    for path in (*live.SOURCE.glob("*.*"), *ROOT.glob("tools/*.py")):
        assert live.pyodide_version() not in path.read_text("utf-8")


def test_scripts_name_no_other_host():
    for path in live.SOURCE.glob("*.*js"):
        assert "://" not in path.read_text("utf-8")


def test_without_npm_nothing_is_fetched(monkeypatch, tmp_path):
    monkeypatch.setattr(live, "CACHE", tmp_path)
    monkeypatch.setattr(live.shutil, "which", lambda _: None)
    with pytest.raises(live.NotFetched, match="no npm"):
        live.fetch()
    assert list(tmp_path.iterdir()) == []


def test_a_command_that_fails_says_so():
    with pytest.raises(live.NotFetched, match="out of reach"):
        live.call(sys.executable, "-c", "import sys; sys.exit('out of reach')")


DISTRIBUTION = {
    "packages": {
        name: {"imports": [name.replace("-", "_")]}
        for name in (
            "numpy",
            "scipy",
            "matplotlib",
            "sympy",
            "pandas",
            "msprime",
            "ipython",
            "fonttools",
            "msgspec",
        )
    }
}
DISTRIBUTION["packages"]["fonttools"]["imports"] = ["fontTools"]
DISTRIBUTION["packages"]["ipython"]["imports"] = ["IPython"]


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("import orr", ["numpy", "scipy"]),
        ("import math\nimport numpy as np", ["numpy"]),
        ("from book.figures import plots", ["matplotlib", "numpy", "scipy"]),
        ("import msprime\nfrom IPython.display import Math", ["msprime"]),
        ("def f():\n    import numba", None),
        ("from multi_freq_ldpy.mdim_freq_est import SPL", None),
        ("import pandas as pd", ["jinja2", "msgspec", "narwhals", "pandas", "pyarrow", "tqdm"]),
    ],
)
def test_jupyterlite_has_the_chapters_whose_imports_pyodide_has(code, names):
    assert lite.packages(code, DISTRIBUTION) == names


def test_a_chapter_for_jupyterlite_installs_what_it_needs_first(tmp_path):
    names = lite.copy_chapters(tmp_path / "files", DISTRIBUTION)
    assert "20-should-you" not in names
    assert len(names) == len(list(ROOT.glob("chapters/*.ipynb"))) - 1
    for name in names:
        copy = json.loads((tmp_path / "files" / f"{name}.ipynb").read_text("utf-8"))
        source = json.loads((ROOT / "chapters" / f"{name}.ipynb").read_text("utf-8"))
        assert copy["cells"][1:] == source["cells"]
        assert re.fullmatch(r"%pip install --quiet orr orr-book( [a-z0-9]+)+", copy["cells"][0]["source"][0])
        assert copy["metadata"]["kernelspec"]["name"] == "python"
