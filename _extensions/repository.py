"""Links to the book's source and to Binder, once the repository has a public address."""

import os
import tomllib
from pathlib import Path


def address() -> str:
    """Take the address from the environment, else from pyproject.toml; empty means none yet."""
    settings = tomllib.loads(Path(__file__, "../../pyproject.toml").resolve().read_text("utf-8"))
    return os.environ.get("ORR_REPOSITORY") or settings["tool"]["orr"]["repository"]


def add_links(_app, config) -> None:
    """Show the repository and launch buttons where there is something to link to."""
    if address():
        config.html_theme_options |= {
            "repository_url": address(),
            "repository_branch": "main",
            "use_repository_button": True,
            "launch_buttons": {"notebook_interface": "jupyterlab", "binderhub_url": "https://mybinder.org"},
        }


def setup(app) -> dict:
    """Register with Sphinx, before the theme reads its options."""
    app.connect("config-inited", add_links, priority=100)
    return {"parallel_read_safe": True}
