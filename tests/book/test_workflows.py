"""The workflows test what they should, may do no more than they must, and call what exists."""

import ast
import re
import sys
import tomllib
from pathlib import Path

import nbformat
import pytest
import yaml

from packages import OURS

ROOT = Path(__file__).parents[2]
WORKFLOWS = {path.stem: path for path in sorted(ROOT.glob(".github/workflows/*.yml"))}
PUBLISHING = {
    "build": {"contents": "read", "pages": "read"},
    "deploy": {"pages": "write", "id-token": "write"},
    "colab": {"contents": "write"},
}
PIN = re.compile(r"(actions/[a-z-]+)@([0-9a-f]{40}) # (v\d+\.\d+\.\d+)")
every_workflow = pytest.mark.parametrize("name", WORKFLOWS)


class Loader(yaml.SafeLoader):
    """YAML as GitHub reads it: "on" is a word."""

    yaml_implicit_resolvers = {  # noqa: RUF012
        first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:bool"]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


def load(name):
    return yaml.load(WORKFLOWS[name].read_text("utf-8"), Loader)


def commands(job):
    return [line for step in job["steps"] for line in step.get("run", "").splitlines()]


def supported():
    """Return the versions of Python that the package declares, oldest first."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    versions = re.findall(r"Python :: 3\.(\d+)", " ".join(project["classifiers"]))
    assert f">=3.{min(versions, key=int)}" == project["requires-python"]
    return [f"3.{minor}" for minor in sorted(versions, key=int)]


def test_there_is_a_workflow_for_each_purpose():
    assert set(WORKFLOWS) == {"test", "pages", "proofs", "weekly"}
    assert load("test")["on"] == ["push", "pull_request"]
    assert load("pages")["on"]["push"] == {"branches": ["main"]}
    assert re.fullmatch(r"\d+ \d+ \* \* [0-6]", load("weekly")["on"]["schedule"][0]["cron"])


@every_workflow
def test_permissions_and_time_are_bounded(name):
    workflow = load(name)
    assert workflow["permissions"] == {"contents": "read"}
    assert "concurrency" in workflow
    granted = {job: body["permissions"] for job, body in workflow["jobs"].items() if "permissions" in body}
    assert granted == (PUBLISHING if name == "pages" else {})
    for job in workflow["jobs"].values():
        assert int(job["timeout-minutes"]) <= 60


@every_workflow
def test_every_action_is_pinned_to_a_commit_and_says_its_version(name):
    used = re.findall(r"^ *(?:- )?uses: (.*)$", WORKFLOWS[name].read_text("utf-8"), re.MULTILINE)
    steps = [step for job in load(name)["jobs"].values() for step in job["steps"]]
    assert [use.split(" ")[0] for use in used] == [step["uses"] for step in steps if "uses" in step]
    assert [use for use in used if not PIN.fullmatch(use)] == []


@pytest.mark.parametrize(
    "use",
    [
        "actions/checkout@v5",
        "actions/checkout@fbc6f39 # v5.1.0",
        f"actions/checkout@{'0' * 40}",
        f"actions/checkout@{'0' * 40} # v5",
        f"somebody/checkout@{'0' * 40} # v5.1.0",
    ],
)
def test_a_loose_pin_is_caught(use):
    assert PIN.fullmatch(f"actions/checkout@{'0' * 40} # v5.1.0")
    assert not PIN.fullmatch(use)


def test_an_action_has_one_pin_everywhere():
    text = "".join(path.read_text("utf-8") for path in WORKFLOWS.values())
    pins = {match.groups() for match in PIN.finditer(text)}
    assert len(pins) == len({action for action, *_ in pins})


@every_workflow
def test_a_checkout_leaves_no_credentials_where_nothing_is_pushed(name):
    for job in load(name)["jobs"].values():
        pushes = any(command.startswith("git push") for command in commands(job))
        for step in job["steps"]:
            if step.get("uses", "").startswith("actions/checkout@"):
                kept = step.get("with", {}).get("persist-credentials", "true")
                assert kept == ("true" if pushes else "false")


@every_workflow
def test_commands_exist(name):
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for job in load(name)["jobs"].values():
        parts = " ".join(job.get("strategy", {}).get("matrix", {}).get("part", []))
        for command in commands(job):
            command = command.replace("${{ matrix.part }}", parts)
            for script in re.findall(r"(?:\btools|\.ci)/[\w.]+", command):
                assert (ROOT / script).is_file(), script
            if command.startswith("make "):
                for target in command.split()[1:]:
                    rule = re.sub(r"(?<=installed-)\w+", "%", target)
                    assert re.search(rf"^{re.escape(rule)}:", makefile, re.MULTILINE), target


def test_oldest_and_newest_python_are_tested_on_three_systems():
    jobs = load("test")["jobs"]
    ends = [supported()[0], supported()[-1]]
    systems = {"ubuntu-latest": "everything", "macos-latest": "elsewhere", "windows-latest": "elsewhere"}
    for system, job in systems.items():
        matrix = jobs[job]["strategy"]["matrix"]
        assert matrix["python"] == ends
        assert system in (jobs[job]["runs-on"], *matrix.get("system", []))
    assert commands(jobs["everything"]) == ["bash .ci/run"]


@every_workflow
def test_every_python_is_supported(name):
    versions = re.findall(r'python-version: "(.*)"', WORKFLOWS[name].read_text("utf-8"))
    assert set(versions) <= set(supported())


NOT_SLOW = ' -m "not slow"'


def test_other_systems_run_the_tests_that_make_runs_and_the_slow_ones():
    makefile = (ROOT / "Makefile").read_text("utf-8")
    _, *tests = commands(load("test")["jobs"]["elsewhere"])
    for target, command in zip(["unit", "notebooks"], tests, strict=True):
        assert command == f"python -m {recipe(makefile, target).replace(NOT_SLOW, '')}"


def test_slow_tests_are_run_by_a_push_and_every_week():
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert (ROOT / ".ci" / "run").read_text("utf-8").endswith("\nmake test\n")
    slow = load("test")["jobs"]["slow"]
    assert commands(slow) == ["make ${{ matrix.part }}"]
    assert (
        re.search(r"^slow: (.*) ##", makefile, re.MULTILINE)[1].split() == slow["strategy"]["matrix"]["part"]
    )
    assert f".venv/bin/{recipe(makefile, 'unit').replace(NOT_SLOW, '')}" in commands(
        load("weekly")["jobs"]["newest"]
    )
    for target in ("unit", "classroom", "browser"):
        quick, slow = recipe(makefile, target), recipe(makefile, f"slow-{target}")
        assert quick.replace(NOT_SLOW, " -m slow") == (
            slow.removesuffix(" -rs") if target == "unit" else slow
        )


def recipe(makefile, target):
    """Return what a target runs, with the list of notebooks written out."""
    found = re.search(rf"^{target}:[^=\n]*\n\t(?:@\$\(MEASURED\) )?\$\(BIN\)/(.*)", makefile, re.MULTILINE)[1]
    return found.replace("$(NOTEBOOKS)", re.search(r"^NOTEBOOKS := (.*)", makefile, re.MULTILINE)[1])


def test_the_pages_are_built_for_this_repository():
    pages = load("pages")
    assert pages["env"] == {"ORR_BRANCH": "${{ github.ref_name }}"}  # the address is the workflow's own
    (build,) = [step for step in pages["jobs"]["build"]["steps"] if step.get("run") == "make live pdf"]
    assert build["env"] == {"ORR_BOOK_URL": "${{ steps.pages.outputs.base_url }}"}
    assert pages["jobs"]["deploy"]["needs"] == "build"


def test_the_published_pages_are_opened():
    jobs = load("pages")["jobs"]
    (deployment,) = [step for step in jobs["deploy"]["steps"] if "deploy-pages@" in step.get("uses", "")]
    assert jobs["deploy"]["outputs"] == {"address": f"${{{{ steps.{deployment['id']}.outputs.page_url }}}}"}
    (look,) = [step for step in jobs["look"]["steps"] if step.get("run") == "make published"]
    assert look["env"] == {"ADDRESS": "${{ needs.deploy.outputs.address }}"}
    assert jobs["look"]["needs"] == "deploy"
    recipe = re.search(r"^published:.*\n\t(.*)", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)[1]
    assert recipe == '@$(BIN)/python tools/published.py "$(ADDRESS)"'


def test_the_chapters_for_colab_go_where_the_button_looks():
    source = (ROOT / "book/extensions/repository.py").read_text("utf-8")
    branch = re.search(r'^COLAB = "(.*?)"', source, re.MULTILINE)[1]
    *_, push = commands(load("pages")["jobs"]["colab"])
    assert push == f"git push --force origin HEAD:refs/heads/{branch}"


def imported():
    """Return what the chapters import that is neither Python's own, nor Jupyter's, nor the book's."""
    names = set()
    for path in ROOT.glob("chapters/*.ipynb"):
        for cell in nbformat.read(path, as_version=4).cells:
            if cell.cell_type == "code":
                for node in ast.walk(ast.parse(cell.source)):
                    if isinstance(node, ast.Import):
                        names |= {alias.name.split(".")[0] for alias in node.names}
                    elif isinstance(node, ast.ImportFrom):
                        names.add(node.module.split(".")[0])
    return names - set(sys.stdlib_module_names) - {*OURS, "IPython"}


def test_the_newest_version_of_everything_imported_is_tried():
    (upgrade,) = [line for line in commands(load("weekly")["jobs"]["newest"]) if "--upgrade" in line]
    assert {name.replace("_", "-") for name in imported()} <= set(upgrade.split("--upgrade ")[1].split())


def test_the_newest_versions_run_every_notebook():
    makefile = (ROOT / "Makefile").read_text("utf-8")
    lax = recipe(makefile, "notebooks").replace("--nbval ", "--nbval-lax ")
    assert f".venv/bin/{lax}" in commands(load("weekly")["jobs"]["newest"])
