"""The page for an ethics board: who could learn what, in plain words and numbers (chapter release)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from orr.caps.guarded import Guarded
from orr.optimum.certificate import Certified
from orr_release.page import Page
from orr_release.plan import Plan, plan
from orr_release.sections import Facts, sections

if TYPE_CHECKING:
    from orr_release.release import Release

TITLE = "What this release could tell"
SUFFIXES = (".md", ".html")


@dataclass(frozen=True)
class Report:
    """A page about a release, for those who have to decide on it; made by ``release.report()``.

    Attributes
    ----------
    page : Page
        What it says.

    Examples
    --------
    >>> import orr_release
    >>> report = orr_release.optimal([2, 3, 4], [1.0, 1.5, 2.0]).report(n=1000)
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
        >>> import orr_release
        >>> report = orr_release.kronecker([2, 3], [1.0, 1.0]).report()
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


def report(release: Release, n: int | None = None) -> Report:
    """Write the page for an ethics board.

    It speaks of three readers: one who sees a single released answer, one who knows all other answers of a
    person, and anyone at all (chapter price). Bounds are rounded up, and
    what other methods would need is rounded down.

    Parameters
    ----------
    release : Release
        What will make the release.
    n : int, optional
        How many people there will be; then the page also says how exact the tables will be.

    Returns
    -------
    Report
        To read, to print, or to save as Markdown or HTML.

    Examples
    --------
    >>> import orr_release
    >>> page = report(orr_release.kronecker([2, 3], [1.0, 2.0]))
    >>> "odds" in page.markdown
    True
    """
    planned: Plan | None = None if n is None else plan(release, n)
    return Report(Page(TITLE, sections(_facts(release, planned))))


def _facts(release: Release, planned: Plan | None) -> Facts:
    """Take from a mechanism what the page speaks of."""
    k, domain, levels = len(release.sizes), release.domain, release.levels
    mechanism = None if release.sampled else release.mechanism
    return Facts(
        names=tuple(domain.names) if domain else tuple(f"attribute {i}" for i in range(k)),
        sizes=levels.sizes.tolist(),
        domain=domain,
        flips=levels.flip_probabilities.tolist(),
        levels=levels.epsilons.tolist(),
        neighbours=levels.neighbour_epsilons.tolist(),
        overall=float(levels.epsilon),
        asked=max(len(form) for form, _ in release.forms) if release.sampled else None,
        lower=float(mechanism.certificate.lower) if isinstance(mechanism, Certified) else None,
        slack=mechanism.slack if isinstance(mechanism, Guarded) else None,
        plan=planned,
    )
