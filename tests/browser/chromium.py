"""Where the browser tests look for a Chromium."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

COMMANDS = (
    "google-chrome", "google-chrome-stable", "chromium", "chromium-browser", "chrome",
    "msedge", "microsoft-edge",
)  # fmt: skip
PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
)


def candidates(own: str) -> Iterator[str]:
    """Yield browsers to try, the first ones as they are found, the last ones as they are installed.

    Parameters
    ----------
    own
        Where Playwright keeps its own browser.
    """
    yield from filter(None, map(shutil.which, COMMANDS))
    yield from (place for place in (*PLACES, own) if Path(place).exists())
    if succeeds(sys.executable, "-m", "playwright", "install", "--no-shell", "chromium"):
        yield own
    if install_debian_package():
        yield "/usr/bin/chromium"


def install_debian_package() -> bool:
    """Install Chromium where that is allowed, one process at a time."""
    if not shutil.which("apt-get") or os.geteuid() != 0:
        return False
    import fcntl  # where there is apt-get there is fcntl

    with (Path(tempfile.gettempdir()) / "orr-chromium.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return succeeds("apt-get", "update") and succeeds("apt-get", "install", "--yes", "chromium")


def succeeds(*command: str) -> bool:
    """Run a command and return whether it succeeded."""
    try:
        return subprocess.run(command, capture_output=True, timeout=600).returncode == 0
    except subprocess.TimeoutExpired:
        return False
