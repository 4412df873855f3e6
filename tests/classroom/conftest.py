import os
from functools import cache
from importlib.util import find_spec

import pytest

from tests.classroom.common import COSTLY, SOURCES, remembered, shared
from tests.classroom.courses import Class

LONGEST = ("test_commands_", "test_students_book_", "test_otter_", "test_everybody_", "test_a_term")


def pytest_collection_modifyitems(items):
    """Begin with the longest, and let one process try what needs the sheet that takes longest to draw."""
    items.sort(key=lambda item: (not item.name.startswith(LONGEST), COSTLY[:3] in item.name))


@pytest.fixture(scope="session", autouse=True)
def _one_scheme():
    """Ask once which tables nbgrader's gradebooks have, not for each: it takes a process and seconds."""
    with pytest.MonkeyPatch.context() as patch:
        if find_spec("nbgrader"):
            from nbgrader import api

            patch.setattr(api, "get_alembic_version", cache(api.get_alembic_version))
        yield


@pytest.fixture(scope="session", autouse=True)
def _shared(tmp_path_factory):
    """Let the processes of a run of tests share a folder: what takes long is made by one of them."""
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "shared"
    folder.mkdir(exist_ok=True)
    shared[:] = [folder]


@pytest.fixture(scope="session")
def two(_shared, tmp_path_factory):
    """Return a class with two assignments, numbers and algebra, of which tests take copies."""
    pytest.importorskip("nbgrader", reason="the assignments need the extra `classroom`")
    return remembered("two", lambda: Class(tmp_path_factory.mktemp("two"), SOURCES[0], 7, SOURCES[2]))
