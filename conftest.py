"""Examples that write files do so in a folder of their own."""

import pytest


@pytest.fixture(autouse=True)
def _readme_writes_elsewhere(request, monkeypatch, tmp_path_factory):
    if request.node.name == "README.md":
        monkeypatch.chdir(tmp_path_factory.mktemp("readme"))
