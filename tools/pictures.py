"""Draw the logo, the pictures of the first page, and the card that a link to the book shows.

The pictures carry colours for both themes, as a browser hands them the theme of the page around them, and
say in which letters an image outside of the book, as in the README, is set.
"""

import re
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree as ET

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

import orr
from book.figures import palette, plots
from book.figures.inline import name_colours
from scenes import SCENES, dice

ROOT = Path(__file__).resolve().parent.parent
TYPEFACE = ROOT / "book" / "static" / "typeface.css"
STACK = '"Source Sans 3","Source Sans Pro","Book Sans",sans-serif'  # as in book/static/orr.css
IMAGES = ROOT / "book" / "images"
NAMES, SIZES, EPSILONS = ["yes or no", "genotype", "diagnosis"], [2, 3, 4], [1.0, 1.5, 2.0]
COUNTS = [2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 24, 32, 48, 64, 100, 150, 200, 300, 500, 700, 1000]
BLACK, PALE_GREY, PALE_VERMILION = "#000000", "#e9ecef", "#fbe3d3"
BLUE, VERMILION = (plots.METHODS[method]["color"].lower() for method in ("heuristic", "optimal"))


def problem(ax: Axes) -> None:
    """Draw the level of a record whose answers are randomized one by one, and together."""
    apart, together = orr.kronecker(SIZES, EPSILONS), orr.optimal(SIZES, EPSILONS)
    np.testing.assert_allclose(together.epsilons, EPSILONS)
    title = {"va": "center", "fontweight": "bold"}
    inside = {"va": "center", "ha": "center", "linespacing": 1.2}

    for y, number, words in [
        (2.62, 3, "Flip each answer on its own"),
        (1.12, 1, "Choose the flips together"),
    ]:
        ax.annotate(words, (0, y), (dice(ax, y, number), 0), textcoords="offset points", **title)
    starts = np.cumsum([0, *EPSILONS[:-1]])
    for name, start, epsilon in zip(NAMES, starts, EPSILONS, strict=True):
        ax.barh(2, epsilon, 0.7, start, facecolor=PALE_GREY, edgecolor=BLACK, linewidth=1.2)
        ax.text(start + epsilon / 2, 2, f"{name}\n{epsilon:g}", **inside)
    ax.text(apart.epsilon + 0.1, 2, f"{apart.epsilon:.3g}", **title)

    ax.barh(0.5, apart.epsilon, 0.7, fill=False, edgecolor=BLACK, linestyle=(0, (3, 3)), linewidth=0.8)
    ax.barh(0.5, together.epsilon, 0.7, facecolor=PALE_VERMILION, edgecolor=VERMILION, linewidth=1.6)
    by_itself = ", ".join(f"{epsilon:g}" for epsilon in EPSILONS)
    words = f"{', '.join(NAMES)}\neach by itself as before: {by_itself}"
    ax.text(together.epsilon / 2, 0.5, words, **inside)
    ax.text(together.epsilon + 0.1, 0.5, f"{together.epsilon:.3g}", **title)

    ax.set(xlim=(-0.02, 5), ylim=(0, 2.85), yticks=[], xlabel="level of the whole record (nats)")
    ax.spines["left"].set_visible(False)
    ax.grid(visible=False)


def levels(ax: Axes) -> None:
    """Draw the overall level of 2 to 1,000 attributes; lines end in their names and their last values."""
    plots.overall_levels(ax, 4, 2.0, COUNTS)
    ticks = [10, 100, 1000]
    ax.set(xscale="log", yscale="log", xticks=[2, *ticks], yticks=[1, *ticks])
    ax.minorticks_off()
    ax.legend().remove()
    ax.xaxis.set_major_formatter("{x:,.0f}")
    ax.yaxis.set_major_formatter("{x:,.0f}")
    kronecker, heuristic, rings, optimal, floor = ax.lines
    beside = {"textcoords": "offset points", "va": "center"}
    for line, shift in [(kronecker, 5), (heuristic, -5), (optimal, 8), (floor, -8)]:
        point, name = line.get_xydata()[-1], line.get_label().removeprefix("information ")
        ax.annotate(f"{name} {point[1]:,.0f}", point, (8, shift), **beside, color=line.get_color())
    last = rings.get_xydata()[-1]
    ax.annotate("rings: linear program", last, (8, -58), **beside, color=rings.get_color())


def logo(ax: Axes, points: float) -> None:
    """Draw the cube of flip sets seen from the truth: the truth, and the three records with one flip.

    Parameters
    ----------
    ax
        Where to draw.
    points
        How wide that is.
    """
    angles = np.radians(90 + 60 * np.arange(6))
    corners = np.column_stack([np.cos(angles), np.sin(angles)])
    pen = {"color": BLUE, "linewidth": 0.06 * points}
    ax.add_patch(plt.Polygon(corners, fill=False, joinstyle="round", **pen))
    for x, y in corners[1::2]:
        ax.plot([0, x], [0, y], **pen)
        ax.add_patch(plt.Circle((x, y), 0.26, color=BLUE, linewidth=0))
    ax.add_patch(plt.Circle((0, 0), 0.36, color=VERMILION, linewidth=0, zorder=3))
    ax.set(xlim=(-1.3, 1.3), ylim=(-1.3, 1.3), aspect="equal")
    ax.axis("off")


def themed(svg: str) -> str:
    """Let the colours of a drawing follow the theme."""
    drawn = ET.fromstring(svg)
    name_colours(drawn)
    svg = ET.tostring(drawn, encoding="unicode")
    used = set(re.findall(r"--[mt]-[0-9a-f]{6}", svg)) | {f"--m-{BLACK[1:]}"}
    light, dark = (
        "".join(f"{name}:{value};" for name, value in re.findall(r"(--[^:]+):([^;]+);", said) if name in used)
        for said in (palette.declarations(dark=False), palette.declarations(dark=True))
    )
    ink = f"fill:{palette.name(BLACK)};"
    letters = f"{TYPEFACE.read_text('utf-8')}text,tspan{{font-family:{STACK}!important}}"
    style = f"{letters}svg{{{ink}{light}}}@media(prefers-color-scheme:dark){{svg{{{dark}}}}}"
    start = svg.index(">") + 1
    return f"{svg[:start]}<style>{style}</style>{svg[start:]}"


PICTURES = {
    "problem.svg": (problem, 2.9),
    "overall-level.svg": (levels, 4.2),
} | SCENES  # and how high, in inches


def picture(name: str) -> str:
    """Draw a picture for the page, the same on every run."""
    draw, height = PICTURES[name]
    figure, ax = plt.subplots(figsize=(4.7, height))
    draw(ax)
    drawn = StringIO()
    figure.savefig(drawn, format="svg", metadata={"Date": None})
    plt.close(figure)
    return themed(drawn.getvalue())


def save_marks() -> None:
    """Draw the logo and the card, 1200 by 630 pixels."""
    plt.rcParams["figure.constrained_layout.use"] = False
    mark = plt.figure(figsize=(1, 1))
    logo(mark.add_axes((0, 0, 1, 1)), 72)
    mark.savefig(IMAGES / "logo.svg", transparent=True, metadata={"Date": None})
    mark.savefig(IMAGES / "icon.png", dpi=180)

    card = plt.figure(figsize=(1200 / 175, 630 / 175))
    logo(card.add_axes((0.05, 0.77, 0.1, 0.19)), 0.1 * 1200 / 175 * 72)
    card.text(0.17, 0.865, "Optimized Randomized Response", fontsize=18, fontweight="bold", va="center")
    problem(card.add_axes((0.06, 0.15, 0.9, 0.58)))
    card.savefig(IMAGES / "card.png", dpi=175)


def use_style() -> None:
    """Draw in the book's style, with letters of 13 pixels on a phone."""
    plots.use_style()
    plt.rcParams["font.size"] = 13


if __name__ == "__main__":
    use_style()
    for name in PICTURES:
        (IMAGES / name).write_text(picture(name), "utf-8")
    save_marks()
