"""Draw the still pictures of the story on the first page, for paper and for readers without JavaScript."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.offsetbox import AnnotationBbox, DrawingArea
from matplotlib.patches import Circle, FancyBboxPatch, PathPatch
from matplotlib.path import Path

import orr
from book.figures import plots

BLACK, WHITE, GREY, PALE_GREY, PALE_VERMILION = "#000000", "#ffffff", "0.5", "#e9ecef", "#fbe3d3"
BLUE, VERMILION = plots.METHODS["heuristic"]["color"].lower(), plots.METHODS["optimal"]["color"].lower()
PEOPLE, SMOKERS, ACROSS = 1_000, 300, 50  # people in a row, so that both groups fill whole rows
FIVE = [(-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)]  # pips of a die
CASES = ["no\nflip", "only\nfirst", "only\nsecond", "both"]
LINE = {"edgecolor": BLACK, "linewidth": 1.2}


def dice(ax: Axes, y: float, number: int) -> float:
    """Draw some dice at the left edge, and return where words may begin, in points."""
    side, step, apart = 14, 18, 3.6
    for n in range(number):
        box = DrawingArea(side, side)
        look = {"boxstyle": "round,pad=2", "facecolor": WHITE, "edgecolor": BLACK, "linewidth": 1.3}
        box.add_artist(FancyBboxPatch((2, 2), side - 4, side - 4, **look))
        for right, up in FIVE:
            spot = (side / 2 + apart * right, side / 2 + apart * up)
            box.add_artist(Circle(spot, 1.5, color=BLACK, linewidth=0))
        place = {"xybox": (side / 2 + 1 + step * n, 0), "boxcoords": "offset points", "pad": 0}
        ax.add_artist(AnnotationBbox(box, (0, y), frameon=False, annotation_clip=False, **place))
    return step * number + 3


def dots(ax: Axes, x: np.ndarray, y: np.ndarray, colour: str) -> None:
    """Draw dots as one line of short pieces with round ends: a mark for each would make a heavy file."""
    corners = np.repeat(np.column_stack([x, y]).astype(float), 2, axis=0)
    corners[1::2, 0] += 0.01  # what has no length at all is not drawn everywhere
    path = Path(corners, np.tile([Path.MOVETO, Path.LINETO], len(x)))
    path.should_simplify = False
    ax.add_patch(PathPatch(path, fill=False, edgecolor=colour, linewidth=4.4, capstyle="round"))


def bare(ax: Axes) -> None:
    """Take axes and grid away."""
    ax.axis("off")
    ax.grid(visible=False)


def people(ax: Axes) -> None:
    """Draw a thousand people, their answers after pointers were spun, and what the answers tell."""
    pointer = orr.kronecker([2], [1.0])
    truth = (np.arange(PEOPLE) < SMOKERS).astype(int)[:, np.newaxis]
    released = pointer.perturb(truth, np.random.default_rng(4))
    yes, found = int(released.sum()), pointer.estimate(released, 0).counts[1]
    flips = pointer.flip_probabilities[0]
    row, column = np.divmod(np.arange(PEOPLE), ACROSS)
    y = -1.25 * row - np.where(truth[:, 0], 0, 2.6)
    for answer, colour in [(0, GREY), (1, BLUE)]:
        said = released[:, 0] == answer
        dots(ax, column[said], y[said], colour)
    words = [
        f"{flips:.1%} of all answers are flipped: level {pointer.epsilon:g}",
        f"{yes} of {PEOPLE:,} people say “yes”,",
        f"so about {found:.0f} smoke",
    ]
    for line, text in zip((8.8, 6.3, 3.8), words, strict=True):
        ax.text(-0.5, line, text, fontweight="bold" if text is words[0] else "normal")
    ax.text(-0.5, 1.2, f"{SMOKERS} people who smoke")
    ax.text(-0.5, -8.9, f"{PEOPLE - SMOKERS} people who do not")
    ax.set(xlim=(-0.8, ACROSS - 0.2), ylim=(-27.4, 10))
    bare(ax)


def adding(ax: Axes) -> None:
    """Draw how levels add up and odds multiply with the number of questions."""
    counts = [1, 2, 4, 8]
    for y, count in zip((3, 2, 1, 0), counts, strict=True):
        level = orr.kronecker([2] * count, [1.0] * count).epsilon
        for start in range(count):
            ax.barh(y, 1, 0.5, start, facecolor=PALE_GREY, **LINE)
        ax.text(count + 0.15, y, f"level {level:.0f}", fontweight="bold", va="center")
        words = "1 question" if count == 1 else f"{count} questions"
        factor = f"{np.exp(level):,.{1 if level < 3 else 0}f}"
        ax.text(0, y + 0.34, f"{words}: odds change by a factor of {factor}")
    ax.set(xlim=(-0.05, 9.6), ylim=(-0.4, 3.75))
    bare(ax)


def pairing(ax: Axes) -> None:
    """Draw what flips of two answers, each on its own and together: the level is tallest over shortest."""
    make = {"Each on its own": orr.kronecker, "Together": orr.optimal}
    for left, (title, construct) in zip((0, 5), make.items(), strict=True):
        found = construct([2, 2], [1.0, 1.0])
        chances = found.matrix()[0, [0, 2, 1, 3]] * PEOPLE
        np.testing.assert_allclose(found.epsilons, 1)
        rarest = chances < chances.min() * 1.001
        colours = [BLUE, *(VERMILION if rare else GREY for rare in rarest[1:])]
        ax.bar(left + np.arange(4), chances, 0.82, color=colours)
        for x, (chance, name) in enumerate(zip(chances, CASES, strict=True), left):
            ax.text(x, chance + 12, f"{chance:.0f}", ha="center")
            ax.text(x, -15, name, ha="center", va="top", fontsize=10)
        ax.text(left - 0.41, 790, title, fontweight="bold")
        ax.text(left + 3.41, 560, f"{chances.max() / chances.min():.1f} to 1", ha="right", fontweight="bold")
        ax.text(left + 3.41, 480, f"level {found.epsilon:.2f}", ha="right", fontweight="bold")
    ax.set(xlim=(-0.5, 8.5), ylim=(-150, 860))
    bare(ax)


def knowing(ax: Axes) -> None:
    """Draw the level at which somebody learns one answer who knows none, one or both of the others."""
    alone, together = (make([2] * 3, [1.0] * 3) for make in (orr.kronecker, orr.optimal))
    x = np.exp([together.log_ratio(range(flips)) for flips in range(4)])
    # Of the answers that she does not know all values are equally likely; those that she knows came out true.
    ratios = [(x[0] + 2 * x[1] + x[2]) / (x[1] + 2 * x[2] + x[3]), (x[0] + x[1]) / (x[1] + x[2]), x[0] / x[1]]
    np.testing.assert_allclose(np.log(ratios)[[0, 2]], [together.epsilons[0], together.neighbour_epsilons[0]])
    for y, (name, level) in enumerate(zip(["neither", "one", "both"], np.log(ratios), strict=True)):
        ax.barh(2 - y, level, 0.6, facecolor=PALE_VERMILION, edgecolor=VERMILION, linewidth=1.6)
        ax.text(-0.06, 2 - y, name, ha="right", va="center")
        ax.text(level + 0.05, 2 - y, f"{level:.3g}", va="center", fontweight="bold")
    top = {"ymax": 2.5, "linestyle": "--", "linewidth": 1, "color": BLACK}
    for level, words in [(alone.epsilons[0], "on its own"), (together.epsilon, "whole record")]:
        ax.vlines(level, -0.5, **top)
        ax.text(level, 2.6, f"{words}: {level:.3g}", ha="center")
    ax.text(-0.62, 3.2, "Of your other answers she knows …", fontweight="bold")
    ax.set(xlim=(-0.62, 2.7), ylim=(-0.5, 3.5))
    bare(ax)


SCENES = {  # and how high, in inches
    "story-people.svg": (people, 3.4),
    "story-adding.svg": (adding, 2.9),
    "story-pairing.svg": (pairing, 2.9),
    "story-knowing.svg": (knowing, 2.3),
}
