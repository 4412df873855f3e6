"""The cost of a stage of ``make test`` includes what its command started and did not wait for."""

import json
import subprocess
import sys

import pytest

from tools import stages

BUSY = "import time\nwhile time.process_time() < 0.5: pass"
LEAVE = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {BUSY!r}])"


@pytest.mark.skipif(sys.platform != "linux", reason="orphans are adopted under Linux only")
def test_orphans_are_counted(tmp_path):
    script = (
        "import pathlib, sys; from tools import stages; stages.NOTES = pathlib.Path(sys.argv[1]);"
        "stages.LINGER = 600;"
        "stages.run('leave', [sys.executable, '-c', sys.argv[2]])"
    )
    subprocess.run([sys.executable, "-c", script, tmp_path, LEAVE], check=True, cwd=stages.NOTES.parents[1])
    assert json.loads((tmp_path / "leave.json").read_text("utf-8"))["core"] >= 0.5
