"""A browser to read the built book with: found or installed, and kept away from other hosts."""

import gzip
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser

BOOK = Path(__file__).resolve().parent.parent / "_build" / "html"
WIDE, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
FORMULAS_SET = """async () => {
    await window.MathJax?.startup.promise;
    await document.fonts.ready;
}"""
THIS_HOST = "127.0.0.1"
ONLY_ONE_HOST = "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE {}"
# The first two make pages of the address bar, which nobody sees here, at a second for each page of the book.
# The others are those that Playwright switches off: Chromium heeds only the last such list.
WITHOUT = "--disable-features=" + ",".join([
    "WebUIOmniboxPopup", "WebUIOmniboxAimPopup",
    "AimEnabled", "AvoidCorsURLLoaderRestartOnRedirect", "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose", "HttpsFirstBalancedModeAutoEnable", "HttpsUpgrades", "LensOverlay",
    "MediaRouter", "NetworkTimeServiceQuerying", "OptimizationHints", "PaintHolding", "PreconnectToSearch",
    "TcpPortRandomizationWin", "ThirdPartyStoragePartitioning",
])  # fmt: skip
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


class NoBrowser(RuntimeError):
    """There is no browser to open the book with."""


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


@contextmanager
def chromium(host: str = THIS_HOST) -> Iterator["Browser"]:
    """Start the first browser that starts, and let it reach one host only."""
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        raise NoBrowser("Playwright is not installed: pip install -e '.[browser]'") from None
    with sync_playwright() as playwright:
        for path in candidates(playwright.chromium.executable_path):
            try:
                args = [ONLY_ONE_HOST.format(host), WITHOUT]
                browser = playwright.chromium.launch(executable_path=path, args=args)
            except Error:
                continue
            with browser:
                yield browser
            return
        raise NoBrowser("no Chrome or Chromium starts on this machine, and none could be installed")


class Silent(SimpleHTTPRequestHandler):
    """A server that keeps its requests to itself, and has a page for lost readers, as public ones do."""

    def log_message(self, *_: object) -> None:
        """Print nothing."""

    def send_error(self, code: int, *words: str | None) -> None:
        """Show the book's own page in the place of one that is missing."""
        lost = Path(self.directory) / "404.html"
        if code != 404 or not lost.exists():
            super().send_error(code, *words)
            return
        self.send_response(code)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(lost.read_bytes())


class Compressing(Silent):
    """A server that compresses texts, as public ones do."""

    def do_GET(self) -> None:
        """Send a file, or as usual what is none."""
        path = Path(self.translate_path(self.path))
        if path.suffix not in {".html", ".css", ".js", ".svg", ".json"} or not path.is_file():
            return super().do_GET()
        body = gzip.compress(path.read_bytes())
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(str(path)))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def serve(folder: Path = BOOK, handler: type[Silent] = Silent) -> Iterator[str]:
    """Serve a folder on this machine and return its address."""
    with ThreadingHTTPServer((THIS_HOST, 0), partial(handler, directory=folder)) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://{THIS_HOST}:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def pages(folder: Path = BOOK) -> list[str]:
    """Return the pages made by Sphinx: ``chapters/01-one-answer.html`` and the like.

    Slides, JupyterLite and the live survey are none of these: they stand alone, and have tests of their own.
    Nor are the small pages that stand where a page of the folder `pages` once was.
    """
    found = [path.relative_to(folder) for path in folder.rglob("*.html")]
    others = ("_static", "lite", "slides", "survey.html")
    moved = {Path(path.name) for path in found if path.parts[0] == "pages"}
    return sorted(path.as_posix() for path in found if path.parts[0] not in others and path not in moved)
