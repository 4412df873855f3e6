"""Links to the book's source, buttons that open a chapter on Binder and Colab, and live code in the page.

All of them need a repository on GitHub. Without one they are absent.
"""

import os
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GITHUB = re.compile(
    r"(?:git@github\.com:|(?:https?|ssh|git)://(?:[^/@]+@)?github\.com(?::\d+)?/)"
    r"(?P<owner>[\w-]+)/(?P<name>[\w.-]+?)(?:\.git)?/?"
)
COLAB = "colab"  # the branch with copies of the chapters that install the package; see tools/colab.py


def public(address: str) -> str:
    """Return the https address of a repository on GitHub, without credentials; empty for any other."""
    found = GITHUB.fullmatch(address.strip())
    return f"https://github.com/{found['owner']}/{found['name']}" if found else ""


def origin(root: Path) -> str:
    """Return git's remote origin; empty if there is none, or no git."""
    if not (root / ".git").exists():  # git would look for one in the folders above
        return ""
    command = ["git", "-C", str(root), "remote", "get-url", "origin"]
    try:
        return subprocess.run(command, capture_output=True, text=True).stdout
    except FileNotFoundError:
        return ""


def address(root: Path = ROOT) -> str:
    """Return the address of the repository the book is published from; empty if there is none on GitHub.

    It is the environment variable ORR_REPOSITORY (set but empty: none), else the repository whose workflow
    is running, else git's remote origin.
    """
    asked = os.environ.get("ORR_REPOSITORY")
    if asked is not None:
        if asked and not public(asked):
            raise ValueError(f"ORR_REPOSITORY is {asked!r}, not https://github.com/owner/name or empty")
        return public(asked)
    if name := os.environ.get("GITHUB_REPOSITORY"):
        return public(f"{os.environ.get('GITHUB_SERVER_URL', 'https://github.com')}/{name}")
    return public(origin(root))


def branch() -> str:
    """Return the branch that the links name."""
    return os.environ.get("ORR_BRANCH") or "main"


def add_links(app, config) -> None:
    """Ask the theme for its buttons where there is something to link to, and tell the pages."""
    if address():
        app.tags.add("published")
        config.html_theme_options |= {
            "repository_url": address(),
            "repository_branch": branch(),
            "use_repository_button": True,
            "launch_buttons": {
                "notebook_interface": "jupyterlab",
                "binderhub_url": "https://mybinder.org",
                "colab_url": "https://colab.research.google.com",
                "thebe": True,
            },
        }


def runs_live(app, page: str) -> bool:
    """Return whether a page has live code: it is a notebook, and Binder can find it."""
    buttons = app.config.html_theme_options.get("launch_buttons", {})
    return bool(buttons.get("thebe")) and "kernelspec" in app.env.metadata.get(page, {})


def drop_settings(app, doctree, page: str) -> None:
    """Take thebe's settings out of pages without live code, which it writes into every page."""
    if not runs_live(app, page):
        for node in [*doctree.findall(lambda node: node.tagname == "raw")]:
            if "x-thebe-config" in node.astext() or "kernelName" in node.astext():
                node.parent.remove(node)


def mend_page(app, page: str, _template, context, _doctree) -> None:
    """Load thebe once, and only where it is used; mend the launch buttons."""
    scripts = {}
    for script in context["script_files"]:
        words = f"{script.filename} {script.attributes.get('body')}".lower()
        if "thebe" not in words or runs_live(app, page):
            scripts[script.filename or "", *sorted(script.attributes.items())] = script
    context["script_files"] = [*scripts.values()]
    if not runs_live(app, page):
        context["css_files"] = [css for css in context["css_files"] if "thebe" not in css.filename]
    for group in context.get("header_buttons", []):
        if group.get("label") == "launch-buttons":
            mend_buttons(group["buttons"])


def mend_buttons(buttons: list[dict]) -> None:
    """Open the chapter's copy on Colab, and spare screen readers logos that repeat the name beside them."""
    for button in buttons:
        if button["type"] == "link":
            button["icon"] = "fas fa-arrow-up-right-from-square"
        if button["text"] == "Colab":
            button["url"] = button["url"].replace(f"/blob/{branch()}/", f"/blob/{COLAB}/")


def setup(app) -> dict:
    """Register with Sphinx: before the theme reads its options, and after it and thebe have written."""
    app.connect("config-inited", add_links, priority=100)
    app.connect("doctree-resolved", drop_settings, priority=900)
    app.connect("html-page-context", mend_page, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
