"""The book's figures: one style, one colour and line for each method.

Needs matplotlib, which ``import orr`` does not. Colours are those of Okabe and Ito, told apart by
colour-blind readers; each method has its own line and marker too. Notebooks store drawings, not pixels:
a page sets their words in its own typeface and their colours in those of its theme.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
from matplotlib import font_manager
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

import orr

TYPEFACE = "Source Sans Pro"  # as wide as the letters of pages; see book/static/typeface.css
FACES = ("Regular", "It", "Bold")
METHODS: dict[str, dict[str, Any]] = {
    "kronecker": {"label": "Kronecker", "color": "#000000", "linestyle": "-", "marker": "s"},
    "heuristic": {"label": "heuristic", "color": "#0072B2", "linestyle": "--", "marker": "o"},
    "optimal": {"label": "optimum", "color": "#D55E00", "linestyle": "-.", "marker": "^"},
    "floor": {"label": "information floor", "color": "#009E73", "linestyle": ":", "marker": "v"},
}
ACCENTS = ("#2F93CC", "#7F5200", "#CC79A7")  # sky, brown and pink; palette.py says why these

_STYLE: dict[Any, Any] = {
    "figure.figsize": (4.8, 3.2),
    "figure.dpi": 160,
    "figure.constrained_layout.use": True,
    "savefig.dpi": 160,
    "savefig.pad_inches": 0.03,
    "figure.labelsize": "medium",
    "axes.titlesize": "medium",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "lines.markersize": 4.5,
    "axes.facecolor": "none",
    "axes.labelpad": 5,
    "font.size": 11,
    "legend.frameon": False,
    "svg.hashsalt": "orr",
    "svg.fonttype": "none",  # words stay words
}
_LETTERS: dict[Any, Any] = {
    "font.size": 12.5,  # the typeface is small for its size: this is as large as 11 points of others
    "font.family": [TYPEFACE, "sans-serif"],  # the second for signs that the first has not, as dice
    "mathtext.fontset": "custom",
    "mathtext.fallback": "stix",  # Greek letters, which the italic has not; stixsans has codes of its own
    **{f"mathtext.{kind}": TYPEFACE for kind in ("rm", "sf", "tt", "cal")},
    **{f"mathtext.{kind}": f"{TYPEFACE}:italic" for kind in ("it", "bfit")},
    "mathtext.bf": f"{TYPEFACE}:bold",
}


def add_typeface() -> bool:
    """Tell matplotlib of Source Sans Pro, and return whether it is installed."""
    spec = find_spec("font_source_sans_pro")
    if spec is None or spec.origin is None:
        return False
    if TYPEFACE not in font_manager.get_font_names():
        for face in FACES:
            path = Path(spec.origin).parent / "files" / f"SourceSansPro-{face}.ttf"
            font_manager.fontManager.addfont(path)
    return True


def use_style() -> None:
    """Draw every later figure in the book's style.

    Examples
    --------
    >>> use_style()
    >>> plt.rcParams["axes.spines.top"]
    False
    """
    plt.rcParams.update(_STYLE)
    if add_typeface():
        plt.rcParams.update(_LETTERS)
    _draw_in_notebooks()


def _draw_in_notebooks() -> None:
    """Let a notebook store figures as drawings. Scripts choose their format when they save a figure."""
    if (ipython := sys.modules.get("IPython")) is None or (shell := ipython.get_ipython()) is None:
        return
    try:
        from matplotlib_inline.config import InlineBackend
    except ImportError:  # another notebook, with figures of its own kind
        return
    backend: Any = InlineBackend.instance(parent=shell)
    backend.print_figure_kwargs |= {"metadata": {"Date": None}}  # the same on every run
    backend.figure_formats = {"svg"}  # last, since it hands all settings to the shell


def draw(ax: Axes, method: str, x: ArrayLike, y: ArrayLike, **changes: Any) -> None:
    """Draw one method's curve in its own colour and line.

    Parameters
    ----------
    ax : matplotlib Axes
        Where to draw.
    method : str
        "kronecker", "heuristic", "optimal" or "floor".
    x, y : array_like
        The points.
    **changes
        Settings that differ from the method's own, such as ``linestyle="none"`` for dots.

    Examples
    --------
    >>> ax = plt.figure().add_subplot()
    >>> draw(ax, "optimal", [1, 2], [3, 4])
    >>> ax.lines[0].get_label()
    'optimum'
    """
    ax.plot(x, y, **(METHODS[method] | changes))


def overall_levels(ax: Axes, size: int, level: float, counts: Sequence[int]) -> None:
    """Plot the overall level of k equal attributes, for each k, by every method.

    Parameters
    ----------
    ax : matplotlib Axes
        Where to draw.
    size : int
        Number of values of every attribute.
    level : float
        Its level.
    counts : sequence of int
        The numbers of attributes, at least 2. The linear program stops at 16.

    Examples
    --------
    >>> ax = plt.figure().add_subplot()
    >>> overall_levels(ax, 4, 2.0, [2, 8, 32])
    >>> [len(line.get_xdata()) for line in ax.lines]
    [3, 3, 2, 3, 3]
    """
    few = [k for k in counts if k <= 16]
    problems, small = ([([size] * k, [level] * k) for k in ks] for ks in (counts, few))
    rings = {"label": "linear program", "linestyle": "none", "marker": "o", "markersize": 8}
    draw(ax, "kronecker", counts, [orr.kronecker(*p).epsilon for p in problems])
    draw(ax, "heuristic", counts, [orr.inductive(*p).epsilon for p in problems])
    draw(ax, "optimal", few, [orr.linear_program(*p).solve().epsilon for p in small], mfc="none", **rings)
    draw(ax, "optimal", counts, [orr.optimal(*p).epsilon for p in problems])
    draw(ax, "floor", counts, [orr.information_floor(*p) for p in problems])
    ax.set(xlabel="number of attributes $k$", ylabel="overall level (nats)")
    ax.legend()
