"""Browsers are looked for before one is installed, and none is installed where that is not allowed."""

import os
import sys
from itertools import islice

import pytest

from tools import browsing

OWN = "/home/reader/chromium"


@pytest.fixture
def machine(monkeypatch, tmp_path):
    """Return a machine with nothing on it: the commands it has, and those that were run."""
    has, run = {}, []
    monkeypatch.setattr(browsing.shutil, "which", has.get)
    monkeypatch.setattr(browsing, "PLACES", ())
    monkeypatch.setattr(browsing, "succeeds", lambda *command: run.append(command) or True)
    monkeypatch.setattr(browsing.tempfile, "gettempdir", lambda: str(tmp_path))
    return has, run


def test_what_is_on_the_machine_comes_first_and_nothing_is_installed(machine, monkeypatch, tmp_path):
    has, run = machine
    has["chromium"] = "/usr/bin/chromium"
    place, own = tmp_path / "Chrome", tmp_path / "own"
    place.touch()
    own.touch()
    monkeypatch.setattr(browsing, "PLACES", ("/no/such/place", str(place)))
    found = list(islice(browsing.candidates(str(own)), 3))
    assert found == ["/usr/bin/chromium", str(place), str(own)]
    assert run == []


def test_playwrights_browser_is_installed_before_debians(machine, monkeypatch):
    has, run = machine
    has["apt-get"] = "/usr/bin/apt-get"
    monkeypatch.setattr(os, "geteuid", lambda: 0, raising=False)
    assert list(browsing.candidates(OWN)) == [OWN, "/usr/bin/chromium"]
    assert [command[-2:] for command in run] == [
        ("--no-shell", "chromium"),
        ("apt-get", "update"),
        ("--yes", "chromium"),
    ]


@pytest.mark.parametrize(("user", "commands"), [(1000, {"apt-get": "/usr/bin/apt-get"}), (0, {})])
def test_no_package_is_installed_where_that_is_not_allowed(machine, monkeypatch, user, commands):
    has, run = machine
    has.update(commands)
    monkeypatch.setattr(os, "geteuid", lambda: user, raising=False)
    assert list(browsing.candidates(OWN)) == [OWN]
    assert len(run) == 1


def test_a_failing_command_does_not_succeed():
    assert browsing.succeeds(sys.executable, "-c", "")
    assert not browsing.succeeds(sys.executable, "-c", "raise SystemExit(1)")
