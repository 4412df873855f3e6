import os

import pytest

from tests.classroom.common import COSTLY, SOURCES
from tests.classroom.courses import Class

LONGEST = ("test_commands_", "test_students_book_", "test_otter_", "test_everybody_", "test_a_term")


def pytest_collection_modifyitems(items):
    """Begin with the longest, and let one process try what needs the sheet that takes longest to draw."""
    items.sort(key=lambda item: (not item.name.startswith(LONGEST), COSTLY[:3] in item.name))


@pytest.fixture(scope="session", autouse=True)
def quick(tmp_path_factory):
    """Spare the processes that tests start a package that jsonschema can do without.

    Every process that reads a notebook would import it, for seconds, to tell addresses from other texts.
    """
    folder, before = tmp_path_factory.mktemp("quick"), os.environ["PYTHONPATH"]
    (folder / "rfc3987_syntax.py").write_text("raise ImportError", "utf-8")
    os.environ["PYTHONPATH"] = os.pathsep.join([before, str(folder)])
    yield str(folder)
    os.environ["PYTHONPATH"] = before


@pytest.fixture(scope="session")
def first(tmp_path_factory):
    """Return a class with the first assignment, of which tests take copies."""
    pytest.importorskip("nbgrader", reason="the assignments need the extra `classroom`")
    return Class(tmp_path_factory.mktemp("first"), SOURCES[0], 7)
