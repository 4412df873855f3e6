import pytest

from tests.classroom.common import SOURCES
from tests.classroom.courses import Class


def pytest_collection_modifyitems(items):
    """Begin with the tests that follow the guide, the longest, while others can run beside them."""
    items.sort(key=lambda item: "followed" not in item.fixturenames)


@pytest.fixture(scope="session")
def first(tmp_path_factory):
    """Return a class with the first assignment, of which tests take copies."""
    pytest.importorskip("nbgrader", reason="the assignments need the extra `classroom`")
    return Class(tmp_path_factory.mktemp("first"), SOURCES[0], 7)
