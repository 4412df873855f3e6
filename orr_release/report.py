"""The page for an ethics board: who could learn what, in plain words and numbers (chapter release)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from orr.arrays import Floats
from orr_release.page import Page
from orr_release.plan import Plan, Predictable, plan
from orr_release.sections import Facts, sections

TITLE = "What this release could tell"
SUFFIXES = (".md", ".html")


class Reportable(Predictable, Protocol):
    """What a report needs of a mechanism."""

    @property
    def epsilons(self) -> Floats:
        """Level of each attribute."""

    @property
    def epsilon(self) -> float:
        """Overall level."""

    @property
    def neighbour_epsilons(self) -> Floats:
        """Neighbour level of each attribute."""

    @property
    def neighbour_exact(self) -> NDArray[np.bool_]:
        """Where these are exact."""

    @property
    def flip_probabilities(self) -> Floats:
        """Chance that each released value is not the true one."""


@dataclass(frozen=True)
class Report:
    """A page about a release, for those who have to decide on it; made by ``mechanism.report()``.

    Attributes
    ----------
    page : Page
        What it says.

    Examples
    --------
    >>> import orr
    >>> report = orr.optimal([2, 3, 4], [1.0, 1.5, 2.0]).report(n=1000)
    >>> print(report.markdown.splitlines()[0])
    # What this release could tell
    >>> report.html.startswith("<!DOCTYPE html>")
    True
    """

    page: Page

    @property
    def markdown(self) -> str:
        """The page as Markdown."""
        return self.page.markdown()

    @property
    def html(self) -> str:
        """The page as HTML: a whole file, which asks no other host for anything."""
        return self.page.html()

    def save(self, path: str | Path) -> Path:
        """Write the page to a file, as Markdown or HTML.

        Parameters
        ----------
        path : str or Path
            Where to; it ends in ``.md`` or ``.html``.

        Returns
        -------
        Path
            The file.

        Examples
        --------
        >>> import tempfile
        >>> import orr
        >>> report = orr.kronecker([2, 3], [1.0, 1.0]).report()
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     report.save(f"{folder}/board.md").name
        'board.md'
        """
        file = Path(path)
        if file.suffix.lower() not in SUFFIXES:
            raise ValueError(f"path = {str(path)!r} must end in {' or '.join(SUFFIXES)}")
        file.write_text(self.html if file.suffix.lower() == ".html" else self.markdown, encoding="utf-8")
        return file

    def __str__(self) -> str:
        return self.markdown

    def __repr__(self) -> str:
        words = len(self.markdown.split())
        return f"<Report: {self.page.title!r}, {words} words; .markdown, .html, .save(path)>"

    def _repr_markdown_(self) -> str:
        return self.markdown

    def _repr_html_(self) -> str:
        return f'<article lang="en">\n{self.page.fragment(2)}\n</article>'


def report(randomizer: Reportable, n: int | None = None) -> Report:
    """Write the page for an ethics board.

    It speaks of three readers: one who sees a single released answer, one who knows all other answers of a
    person, and anyone at all (chapter price). Bounds are rounded up, and
    what other methods would need is rounded down.

    Parameters
    ----------
    randomizer : Mechanism or Sampled
        What will make the release.
    n : int, optional
        How many people there will be; then the page also says how exact the tables will be.

    Returns
    -------
    Report
        To read, to print, or to save as Markdown or HTML.

    Examples
    --------
    >>> import orr
    >>> page = report(orr.kronecker([2, 3], [1.0, 2.0]))
    >>> "odds" in page.markdown
    True
    """
    planned: Plan | None = None if n is None else plan(randomizer, n)
    return Report(Page(TITLE, sections(_facts(randomizer, planned))))


def _facts(randomizer: Any, planned: Plan | None) -> Facts:
    """Take from a mechanism what the page speaks of."""
    k, domain = len(randomizer.sizes), randomizer.domain
    certificate = getattr(randomizer, "certificate", None)
    forms = getattr(randomizer, "forms", None)
    return Facts(
        names=tuple(domain.names) if domain else tuple(f"attribute {i}" for i in range(k)),
        sizes=[int(a) for a in randomizer.sizes],
        domain=domain,
        flips=np.asarray(randomizer.flip_probabilities).tolist(),
        levels=np.asarray(randomizer.epsilons).tolist(),
        neighbours=np.asarray(randomizer.neighbour_epsilons).tolist(),
        overall=float(randomizer.epsilon),
        asked=None if forms is None else max(map(len, forms)),
        lower=None if certificate is None else float(certificate.lower),
        slack=getattr(randomizer, "slack", None),
        plan=planned,
    )
