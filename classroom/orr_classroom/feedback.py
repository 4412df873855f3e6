"""Compare an answer with the right one, and recognise how it went wrong."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


class NotYet(AssertionError):
    """An answer that is not right yet. Its message is a hint."""

    def _render_traceback_(self) -> list[str]:
        """Show the hint alone: where the check was when it found out helps nobody."""
        return [f"Not yet. {self}"]


def show(value: Any) -> str:
    """Write a value as a student would, in few digits.

    Examples
    --------
    >>> show(2 / 3), show([1, 0.25]), show([0.5] * 9)
    ('0.66667', '[1, 0.25]', '[0.5, 0.5, 0.5, 0.5, 0.5, ...]')
    """
    if isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.ndim):
        parts = [show(each) for each in value[:5]] + ["..."] * (len(value) > 5)
        return f"[{', '.join(parts)}]"
    if isinstance(value, float | np.floating):
        return f"{value:.5g}"
    return str(value)


def call(function: Callable[..., Any], *arguments: Any) -> tuple[str, Any]:
    """Call a student's function; return how the call is written and what came back.

    Examples
    --------
    >>> call(lambda a, b: a + b, 1, 2.5)
    ('<lambda>(1, 2.5)', 3.5)
    >>> call(print)
    Traceback (most recent call last):
        ...
    orr_classroom.feedback.NotYet: print() returns nothing. Does it end with "return ..."?
    """
    if not callable(function):
        raise NotYet(f"A function is wanted here, and {show(function)} is not one.")
    name = f"{getattr(function, '__name__', 'your function')}({', '.join(map(show, arguments))})"
    try:
        given = function(*arguments)
    except NotImplementedError:
        raise NotYet(f"{name} is still to be written.") from None
    if given is None:
        raise NotYet(f'{name} returns nothing. Does it end with "return ..."?')
    return name, given


def expect(
    name: str,
    given: Any,
    right: ArrayLike,
    slips: Sequence[tuple[ArrayLike, str]] = (),
    *,
    otherwise: str = "",
    total: float | None = None,
    rtol: float = 1e-6,
) -> None:
    """Print that an answer is right, or raise the hint that fits it best.

    Parameters
    ----------
    name
        How the answer is written, for the message.
    given, right
        The answer, and what it should be: numbers or arrays of numbers.
    slips
        Values that somebody gets who makes a known mistake, each with the hint that helps.
    otherwise
        The hint for an answer that nothing recognises.
    total
        What each row must add up to, where that is worth a remark (1 for probabilities).
    rtol
        The largest error, as a share of the largest entry of the right answer.

    Examples
    --------
    >>> expect("the sum", 3, 3.0)
    Right: the sum
    >>> expect("the sum", 2, 3.0, [(2.0, "That is the product: add instead.")])
    Traceback (most recent call last):
        ...
    orr_classroom.feedback.NotYet: the sum = 2. That is the product: add instead.
    >>> expect("the sum", -3, 3.0)
    Traceback (most recent call last):
        ...
    orr_classroom.feedback.NotYet: the sum = -3. The sign is the wrong way round.
    """
    target = np.asarray(right, dtype=float)
    answer = numbers(name, given, target.shape)

    def agrees(value: ArrayLike) -> bool:
        value = np.asarray(value, dtype=float)
        scale = np.abs(target).max()
        return value.shape == answer.shape and bool(np.abs(value - answer).max() <= rtol * max(scale, 1e-300))

    if agrees(target):
        print(f"Right: {name}")
        return
    start = f"{name} = {show(given)}.{remark(answer, total)}"
    for value, hint in [*slips, *usual(target)]:
        if agrees(value):
            raise NotYet(f"{start} {hint}")
    ratio = answer[target != 0] / target[target != 0]
    if len(ratio) > 1 and np.ptp(ratio) <= rtol * abs(ratio[0]) and not answer[target == 0].any():
        raise NotYet(f"{start} All of it is off by one factor, {show(ratio[0])}.")
    raise NotYet(f"{start} That is not right. {otherwise}".rstrip())


def remark(answer: NDArray[np.float64], total: float | None) -> str:
    """Say so if a row does not add up to what it should."""
    if total is None or not answer.ndim:
        return ""
    sums = np.ravel(answer.sum(axis=-1))
    uneven = sums[np.abs(sums - total) > 1e-6 * max(total, 1)]
    row = "A row" if answer.ndim > 1 else "It"
    return f" {row} adds up to {show(uneven[0])} instead of {total:g}." if len(uneven) else ""


def numbers(name: str, given: Any, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Read an answer as finite numbers of the right shape, or say why that is impossible."""
    if given is None or given is Ellipsis:
        raise NotYet(f"{name} is still empty.")
    try:
        answer = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        raise NotYet(f"{name} should be made of numbers, and is {show(given)}.") from None
    if answer.shape != shape:
        raise NotYet(f"{name} should be {form(shape)}, and is {form(answer.shape)}.")
    if not np.isfinite(answer).all():
        raise NotYet(
            f"{name} = {show(given)} is not finite. Is something divided by zero, or too large for exp?"
        )
    return answer


def form(shape: tuple[int, ...]) -> str:
    """Say in words what kind of array has a given shape."""
    if len(shape) < 2:
        return f"a list of {shape[0]} numbers" if shape else "one number"
    return f"an array of shape {shape}"


def usual(right: NDArray[np.float64]) -> Iterator[tuple[ArrayLike, str]]:
    """Yield the slips that can happen to any answer."""
    yield -right, "The sign is the wrong way round."
    yield 1 - right, "That is one minus the right answer."
    yield right / np.log(2), "That is in bits. The book's levels are natural logarithms."
    yield right / np.log(10), "That is a logarithm to base 10. The book's levels are natural logarithms."
    with np.errstate(divide="ignore", over="ignore"):
        yield 1 / right, "That is one over the right answer."
        yield np.exp(right), "Take the logarithm of that."
        yield np.log(np.abs(right)), "That is its logarithm."
    if right.ndim == 2 and right.shape[0] == right.shape[1]:
        yield right.T, "Rows and columns are exchanged."
    if right.ndim == 1 and len(right) > 1:
        yield right[::-1], "The entries are in the reverse order."
