"""The book's figures: one style, one colour and line for each method.

Needs matplotlib, which ``import orr`` does not. Colours are those of Okabe and Ito, told apart by
colour-blind readers; each method has its own line and marker too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

import orr

METHODS: dict[str, dict[str, Any]] = {
    "kronecker": {"label": "Kronecker", "color": "#000000", "linestyle": "-", "marker": "s"},
    "heuristic": {"label": "heuristic", "color": "#0072B2", "linestyle": "--", "marker": "o"},
    "optimal": {"label": "optimum", "color": "#D55E00", "linestyle": "-.", "marker": "^"},
    "floor": {"label": "information floor", "color": "#009E73", "linestyle": ":", "marker": "v"},
}
ACCENTS = ("#56B4E9", "#E69F00", "#CC79A7", "#F0E442")

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
    "font.size": 11,
    "legend.frameon": False,
    "svg.hashsalt": "orr",
}


def use_style() -> None:
    """Draw every later figure in the book's style.

    Examples
    --------
    >>> use_style()
    >>> plt.rcParams["axes.spines.top"]
    False
    """
    plt.rcParams.update(_STYLE)


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
