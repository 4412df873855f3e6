"""Outlines in fewer letters: no more digits, and no more corners, than an eye can see."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

NUMBER = re.compile(r"-?\d*\.\d+(?:e-?\d+)?")
NEAR = 0.03  # points, of which a figure has 350: a corner this close to a straight line is none


def shorter(number: re.Match[str]) -> str:
    """Return a number with two decimals, or if it is small (a scale) with six.

    Examples
    --------
    >>> NUMBER.sub(shorter, "M 0.50001 -12.345678 scale(0.015625)")
    'M .5 -12.35 scale(.015625)'
    """
    value = float(number[0])
    text = f"{value:.2f}" if abs(value) >= 0.05 else f"{value:.6f}"
    text = text.rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else re.sub(r"^(-?)0\.", r"\1.", text)


def distances(corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how far corners are from the line between the first and the last."""
    start, way = corners[0], corners[-1] - corners[0]
    away, length = corners - start, np.hypot(*way)
    if length == 0:
        return np.hypot(*away.T)
    along = np.clip(away @ way / length**2, 0, 1)
    return np.hypot(*(away - along[:, None] * way).T)


def thin(corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """Leave out the corners of a line that nobody would miss, as Douglas and Peucker do.

    Examples
    --------
    >>> thin(np.array([[0, 0], [1, 0.001], [2, 0], [3, 1]], dtype=float))
    array([[0., 0.],
           [2., 0.],
           [3., 1.]])
    """
    kept = np.zeros(len(corners), dtype=bool)
    kept[[0, -1]] = True
    parts = [(0, len(corners) - 1)]
    while parts:
        first, last = parts.pop()
        apart = distances(corners[first : last + 1])
        furthest = first + int(apart.argmax())
        if apart.max() > NEAR:
            kept[furthest] = True
            parts += [(first, furthest), (furthest, last)]
    return corners[kept]


def shorten(outline: str) -> str:
    """Return the same outline in fewer letters.

    Parameters
    ----------
    outline : str
        The d of a path: moves, lines and curves, with a letter before each.

    Examples
    --------
    >>> shorten("M 0 0 L 1.000001 0 L 2.5 0 L 2.5 1 z")
    'M0 0 2.5 0 2.5 1z'
    >>> shorten("M 0 0 C 0.123456 1 2 3 4 5")
    'M0 0C.12 1 2 3 4 5'
    """
    if set(re.findall("[A-Za-z]", outline)) <= set("MLz"):
        return "".join(straight(line) for line in re.findall("M[^M]*", outline))
    outline = re.sub(r"\s*([A-Za-z])\s*", r"\1", NUMBER.sub(shorter, outline.strip()))
    return re.sub(r"\s+", " ", outline)


def straight(line: str) -> str:
    """Shorten a line with corners: after a move it goes without saying that lines follow."""
    corners = np.array(re.findall(r"[-\d.e]+", line), dtype=float).reshape(-1, 2)
    numbers = " ".join(NUMBER.sub(shorter, f"{x:.6f} {y:.6f}") for x, y in thin(corners))
    return f"M{numbers}{'z' if 'z' in line else ''}"
