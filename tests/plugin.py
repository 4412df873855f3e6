"""What every test and notebook shares: drawings are not compared, the README writes in a folder of its own.

pytest loads this as a plugin (`addopts` in pyproject.toml), since notebooks lie beside `tests`, not in it.
"""

import os
from collections import Counter

import pytest

from orr.randomness import Source
from orr_release import release

SECONDS = Counter()  # of each test


def pytest_collectstart(collector):
    """Let nbval pass over drawings, as it does over PNGs: machines differ in the last digits of an outline.

    What a figure must show is asserted in its cell.
    """
    if collector.name.endswith(".ipynb") and hasattr(collector, "skip_compare"):
        collector.skip_compare += ("image/svg+xml",)


def pytest_runtest_logreport(report):
    """Add up how long the parts of a test took."""
    SECONDS[report.nodeid] += report.duration


def pytest_sessionfinish(session):
    """Note how long each test took where `make test` asks for it."""
    if "ORR_TESTS" in os.environ and not hasattr(session.config, "workerinput"):
        with open(os.environ["ORR_TESTS"], "w", encoding="utf-8") as file:
            file.writelines(f"{seconds}\t{name}\n" for name, seconds in SECONDS.items())


@pytest.fixture(autouse=True)
def _readme_writes_elsewhere(request, monkeypatch, tmp_path_factory):
    if request.node.name == "README.md":
        monkeypatch.chdir(tmp_path_factory.mktemp("readme"))
        # Its release has no seed, since people copy it; here it has one, so that its numbers are the same.
        monkeypatch.setattr(release, "Source", lambda rng: Source(7 if rng is None else rng))
