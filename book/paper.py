"""The paper's algorithms to the letter, for comparison.

Yamamoto and Shibuya (2024), step by step, as slow and as fragile as they are on paper: dense
matrices, loops over pairs of subsets, a quadratic induction in unscaled variables. Tests, chapters
and benchmarks measure the package against these. The closed
form and Algorithm 3 use only field operations, so that they run in exact fractions as well as in
floats: they take ``E_i = exp(epsilon_i)`` in place of the level.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import exp, prod
from typing import Any

import numpy as np
from scipy.optimize import linprog

from orr.arrays import Floats

Number = Any


def closed_form(m: int, n: int, E1: Number, E2: Number) -> tuple[str, Number, Number, Number]:
    """Case and ``x_{2,0}, x_{2,1}, x_{2,2}`` of two attributes, as printed in Section IV.B.1.

    Examples
    --------
    >>> from fractions import Fraction
    >>> closed_form(2, 3, Fraction(4), Fraction(2))
    ('I', Fraction(13, 2), Fraction(1, 1), Fraction(11, 4))
    """
    one = E1 / E1
    if (m - 1) * (n - 1) <= E1 * E2:
        if n * (E1 - 1) >= m * (E2 - 1):
            x0 = (n * E1 * E2 + (m - 1) * (n - 1) * (E2 - 1)) / (E2 + n - 1)
            return "I", x0, one, (n * E1 - (m - 1) * (E2 - 1)) / (E2 + n - 1)
        x0 = (m * E1 * E2 + (m - 1) * (n - 1) * (E1 - 1)) / (E1 + m - 1)
        return "II", x0, (m * E2 - (n - 1) * (E1 - 1)) / (E1 + m - 1), one
    if (n - m) * E1 * E2 - m * (n - 1) * E1 + (m - 1) * n * E2 >= 0:
        below = -(E1 - 1) * E2 + m * (n - 1)
        x0 = (n - 1) * (E1 + m - 1) * E2 / below
        return "III", x0, x0, (m * (n - 1) * E1 + (m - 1) * (E1 - 1) * E2) / below
    below = -E1 * (E2 - 1) + (m - 1) * n
    x0 = (m - 1) * E1 * (E2 + n - 1) / below
    return "IV", x0, ((m - 1) * n * E2 + (n - 1) * E1 * (E2 - 1)) / below, x0


def algorithm_1(k: int) -> tuple[Floats, Floats]:
    """``A_ub`` and ``b_ub`` for k attributes, k at least 2.

    Examples
    --------
    >>> algorithm_1(2)[0]
    array([[-1.,  1.,  0.],
           [-1.,  0.,  1.],
           [ 0., -1.,  0.],
           [ 0.,  0., -1.]])
    """
    comb = [list(combinations(range(1, k + 1), h)) for h in range(k + 1)]
    p = [1]
    for h in range(1, k + 1):
        p.append(p[-1] + len(comb[h]))
    A_ub = np.zeros((k * 2 ** (k - 1), 2**k - 1))
    r, g = 0, 1
    for h in range(1, k + 1):
        A_ub[r][0], A_ub[r][h] = -1, 1
        r += 1
    for h in range(1, k - 1):
        for i in range(len(comb[h])):
            for j in range(len(comb[h + 1])):
                if all(element in comb[h + 1][j] for element in comb[h][i]):
                    A_ub[r][g], A_ub[r][p[h] + j] = -1, 1
                    r += 1
            g += 1
    for h in range(k):
        A_ub[r + h][p[k - 2] + h] = -1
    b_ub = np.zeros(k * 2 ** (k - 1))
    for h in range(1, k + 1):
        b_ub[k * 2 ** (k - 1) - h] = -1
    return A_ub, b_ub


def algorithm_2(sizes: Sequence[int], epsilons: Sequence[float]) -> tuple[Floats, Floats]:
    """``A_eq`` and ``b_eq`` for these sizes and levels.

    Examples
    --------
    >>> algorithm_2([2, 3], [1.0, 1.0])[0].round(3)
    array([[ 1.   , -2.718,  2.   ],
           [ 1.   ,  1.   , -2.718]])
    """
    k = len(sizes)
    comb = [list(combinations(range(1, k + 1), h)) for h in range(k + 1)]
    t = [prod(sizes[s - 1] - 1 for s in S) for level in comb for S in level]
    A_eq = np.zeros((k, 2**k - 1))
    for h in range(1, k + 1):
        A_eq[h - 1][0] = 1
        c = 1
        for i in range(1, k):
            for j in range(len(comb[i])):
                if h in comb[i][j]:
                    A_eq[h - 1][c] = -(exp(epsilons[h - 1]) * t[c]) / (sizes[h - 1] - 1)
                else:
                    A_eq[h - 1][c] = t[c]
                c += 1
    every = prod(a - 1 for a in sizes)
    b_eq = np.array([exp(epsilons[h]) * every / (sizes[h] - 1) for h in range(k)])
    return A_eq, b_eq


def linear_program(sizes: Sequence[int], epsilons: Sequence[float]) -> Floats:
    """Solve the dense linear program; the first entry of the answer is ``x_0``.

    Examples
    --------
    >>> x = linear_program([2, 3, 4], [1.0, 1.5, 2.0])
    >>> round(float(np.log(x[0])), 5)
    3.44477
    """
    A_ub, b_ub = algorithm_1(len(sizes))
    A_eq, b_eq = algorithm_2(sizes, epsilons)
    c = np.zeros(A_ub.shape[1])
    c[0] = 1
    return linprog(c, A_ub=A_ub, b_ub=b_ub, A_eq=A_eq, b_eq=b_eq).x


def algorithm_3(sizes: Sequence[int], E: Sequence[Number]) -> tuple[list[Number], list[Number], list[bool]]:
    """``x_{k,0}, ..., x_{k,k}``, the achieved ``exp(level)``, and who fell back.

    Examples
    --------
    >>> from fractions import Fraction
    >>> E = [Fraction(3), Fraction(2), Fraction(9, 4)]
    >>> x, levels, fell_back = algorithm_3([2, 2, 2], E)
    >>> [str(value) for value in x], fell_back
    (['263/39', '1', '7/3', '25/13'], [False, False, False])
    """
    _, *x = closed_form(sizes[0], sizes[1], E[0], E[1])
    levels, fell_back, one = list(E), [False] * len(E), E[0] / E[0]
    for i in range(3, len(sizes) + 1):
        a = sizes[i - 1]
        before = x[0]
        x = [before] + [a * x[j] - a + 1 for j in range(1, i)]
        A = sum((sizes[h - 1] - 1) * x[h] for h in range(1, i))
        B = prod(sizes[: i - 1], start=one) - sum(sizes[: i - 1]) + i - 2
        C = prod(sizes[: i - 1], start=one) - 1
        # x0 + (a - 1) xi = a * before  and  x0 - e xi = right
        e, right = levels[i - 1], -A - B + levels[i - 1] * C
        xi = (a * before - right) / (a - 1 + e)
        x0 = right + e * xi
        if x0 < 1 or xi < 1 or any(x0 < x[j] for j in range(1, i)) or x0 < xi:
            x0, xi = a * before - a + 1, one
            levels[i - 1] = (x0 + A + B) / (xi + C)
            fell_back[i - 1] = True
        x = [x0, *x[1:], xi]
    return x, levels, fell_back
