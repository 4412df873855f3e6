"""The page for an ethics board: who could learn what, in plain words and numbers (chapter release).

Here are the facts. The words stand in ``report.j2``, the markup in ``report.html.j2`` and ``report.md.j2``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from orr.caps.guarded import Guarded
from orr.optimum.certificate import Certified
from orr_release.arrow import imported
from orr_release.domain import Label
from orr_release.plan import Plan, chosen, people, plan, tally

if TYPE_CHECKING:
    from orr_release.release import Release

TITLE = "What this release could tell"
FORMATS = {".md": "\n\n", ".html": "\n"}  # By the end of a file's name; what separates blocks.
MAX_REPORTED = 24  # Attributes in a table: half a page.
MAX_LABELS_WIDTH = 40  # Characters of the labels of an attribute; longer ones are only counted.
RELEASES = (1, 2, 10)  # Releases of the same record, as the template's table names them.
MAX_FACTOR = 1e6  # A factor past this is no number to compare with: it says that almost nothing is promised.
SUSPICION = 0.01  # A weak suspicion: how far may a release raise it?
MAX_EXPONENT = 700.0  # Of exp, below the overflow of doubles.


@dataclass(frozen=True, repr=False)
class Report:
    """A page about a release, for those who have to decide on it; made by ``release.report()``.

    Attributes
    ----------
    facts : dict
        What the page says beside its fixed words: numbers, already rounded, and names.

    Examples
    --------
    >>> import orr_release
    >>> report = orr_release.optimal([2, 3, 4], [1.0, 1.5, 2.0]).report(n=1000)
    >>> print(report.markdown.splitlines()[0])
    # What this release could tell
    >>> report.html.startswith("<!DOCTYPE html>")
    True
    """

    facts: dict[str, Any]

    @property
    def markdown(self) -> str:
        """The page as Markdown."""
        return self._text(".md")

    @property
    def html(self) -> str:
        """The page as HTML: a whole file, which asks no other host for anything."""
        return self._text(".html", top=1, part=False)

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
        if file.suffix.lower() not in FORMATS:
            raise ValueError(f"path = {str(path)!r} must end in {' or '.join(FORMATS)}")
        file.write_text(self.html if file.suffix.lower() == ".html" else self.markdown, encoding="utf-8")
        return file

    def _text(self, kind: str, **options: Any) -> str:
        """Fill in the template of a format."""
        text = _environment(kind).get_template(f"report{kind}.j2").render(self.facts, name=TITLE, **options)
        return re.sub(r"\n{2,}", FORMATS[kind], text.strip()) + "\n"

    def __str__(self) -> str:
        return self.markdown

    def __repr__(self) -> str:
        return f"<Report: {TITLE!r}, {len(self.markdown.split())} words; .markdown, .html, .save(path)>"

    def _repr_markdown_(self) -> str:
        return self.markdown

    def _repr_html_(self) -> str:
        return self._text(".html", top=2, part=True)


@cache
def _environment(kind: str) -> Any:
    """Return the environment of the templates of a format, which escapes all values for it."""
    jinja2 = imported("jinja2", "a report needs")
    safe = imported("markupsafe").Markup

    def shown(value: Any) -> Any:
        return value if kind == ".html" or isinstance(value, safe) else safe(marked(str(value)))

    made = jinja2.Environment(
        loader=jinja2.PackageLoader("orr_release", ""),
        undefined=jinja2.StrictUndefined,
        autoescape=True,
        finalize=shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["line"] = lambda text: type(text)(" ").join(text.split())
    return made


def marked(text: str) -> str:
    r"""Write plain text as Markdown that shows just that.

    Examples
    --------
    >>> marked("a_b | <c> & $d")
    'a\\_b \\| &lt;c&gt; &amp; \\$d'
    """
    return re.sub(r"([\\`*_\[\]|$~#])", r"\\\1", escape(" ".join(text.split()), quote=False))


def report(release: Release, n: int | None = None) -> Report:
    """Write the page for an ethics board.

    It speaks of three readers: one who sees a single released answer, one who knows all other answers of a
    person, and anyone at all (chapter price). Bounds are rounded up, and what other methods would need is
    rounded down.

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
    facts = _columns(release) | _answers(release) | _readers(release) | _better(release)
    return Report(facts | {"plan": None if n is None else _tables(plan(release, n))})


def _columns(release: Release) -> dict[str, Any]:
    """Collect what becomes of columns and of missing answers."""
    k, asked, domain = len(release.sizes), max(len(form) for form, _ in release.forms), release.domain
    facts: dict[str, Any] = {"questions": k, "asked": asked if asked < k else None}
    if domain is None:
        return facts | {"withheld": (), "public": (), "refused": ()}
    refused = [name for name, value in zip(domain.names, domain.missing, strict=True) if not value]
    return facts | {"withheld": domain.withheld, "public": domain.public, "refused": refused}


def _names(release: Release) -> Sequence[str]:
    """Return names for all attributes."""
    return release.domain.names if release.domain else [f"attribute {i}" for i in range(len(release.sizes))]


def _answers(release: Release) -> dict[str, Any]:
    """Describe how each answer is randomized; of many, those with the highest levels."""
    levels, k = release.levels, len(release.sizes)
    sizes, flips = levels.sizes.tolist(), levels.flip_probabilities.tolist()
    own, neighbour, names = levels.epsilons.tolist(), levels.neighbour_epsilons.tolist(), _names(release)
    order = sorted(range(k), key=lambda i: -own[i])[:MAX_REPORTED] if k > MAX_REPORTED else range(k)
    return {
        "chosen": f" ({MAX_REPORTED} of {k:,}, those with the highest levels)" if k > MAX_REPORTED else "",
        "answers": [
            (
                names[i],
                _possible(release.domain.labels[i]) if release.domain else f"{sizes[i]:,}",
                chance(flips[i]),
                chance(1 - 1 / sizes[i]),
                odds(own[i]),
                odds(neighbour[i]),
            )
            for i in order
        ],
        "false_report": rounded_up(
            max(1 + a / math.expm1(min(e, MAX_EXPONENT)) for a, e in zip(sizes, own, strict=True))
        ),
    }


def _possible(labels: Sequence[Label | None]) -> str:
    """List the labels of an attribute, or count them if they are many."""
    words = ", ".join("no answer" if label is None else str(label) for label in labels)
    return words if len(words) <= MAX_LABELS_WIDTH else f"{len(labels):,} answers"


def _readers(release: Release) -> dict[str, Any]:
    """Bound what three readers can learn, from one release and from several."""
    names, everything = _names(release), "anyone, about the whole record"
    readers = []
    for who, levels in (
        ("someone who sees one released answer", release.levels.epsilons),
        ("someone who knows all other answers", release.levels.neighbour_epsilons),
    ):
        worst = int(levels.argmax())
        readers.append((who, f"{who} (at worst: {names[worst]})", float(levels[worst])))
    readers.append((everything, everything, release.epsilon))
    ordinals = [
        (word, level) for word, (_, _, level) in zip(("first", "second", "third"), readers, strict=True)
    ]
    return {
        "suspicion": f"{100 * SUSPICION:g}%",
        "readers": [
            (who, rounded_up(level), odds(level), belief(level, 0.5), belief(level, SUSPICION))
            for _, who, level in readers
        ],
        "repeated": [
            (who, *(f"{odds(times * level)} ({belief(times * level, 0.5)})" for times in RELEASES))
            for who, _, level in readers
        ],
        "weak": [word for word, level in ordinals if believed(level, SUSPICION) > 0.5],
        "void": [word for word, level in ordinals if level > math.log(MAX_FACTOR)],
    }


def _tables(planned: Plan) -> dict[str, Any]:
    """Describe the tables that are planned."""
    rows, notes = chosen(planned.one_way)
    shown = [row.shown for row in rows]
    return {
        "people": people(planned.n),
        "single": [(name, cells, share, error, verdict) for name, cells, _, error, share, verdict in shown],
        "notes": notes,
        "pairs": f"{len(planned.two_way):,}" if planned.two_way else None,
        "verdicts": tally(planned.two_way),
        "warnings": planned.warnings,
    }


def _better(release: Release) -> dict[str, Any]:
    """Compare the overall level with that of answers randomized one by one, and with the proved bound."""
    mechanism = None if release.sampled else release.mechanism
    apart = math.fsum(release.levels.epsilons.tolist())
    slack = mechanism.slack if isinstance(mechanism, Guarded) else math.inf
    return {
        "compared": mechanism is not None and len(release.sizes) > 1,
        "joint": release.epsilon < apart * (1 - 1e-6),
        "apart": rounded_down(apart, 3),
        "overall": rounded_up(release.epsilon),
        "slack": f"{100 * slack:g}%" if slack < math.inf else None,
        "lower": rounded_down(mechanism.certificate.lower) if isinstance(mechanism, Certified) else None,
    }


def rounded_up(value: float) -> str:
    """Write a positive number, rounded up in its last digit.

    A millionth of it is rounded down, lest a total of 2 that is met to the last digit become 2.01.
    """
    return _rounded(value * (1 - 1e-6), 3, math.ceil)


def rounded_down(value: float, digits: int = 4) -> str:
    """Write a number of at least 0, rounded down in its last digit."""
    return _rounded(value, digits, math.floor) if value > 0 else "0"


def _rounded(value: float, digits: int, way: Callable[[float], int]) -> str:
    """Round a positive number to so many digits."""
    places = digits - 1 - math.floor(math.log10(value))
    if places <= 0:
        return f"{way(value / 10**-places) * 10**-places:,}"
    return f"{way(value * 10.0**places) / 10.0**places:,.{places}f}".rstrip("0").rstrip(".")


def odds(level: float) -> str:
    """Write the factor by which a release of this level may multiply odds, at most."""
    return "over a million" if level > math.log(MAX_FACTOR) else rounded_up(math.exp(level))


def belief(level: float, before: float) -> str:
    """Write how far a belief may rise by a release of this level, in per cent."""
    after = believed(level, before)
    return "over 99.9%" if after > 0.999 else f"{math.ceil(1000 * after * (1 - 1e-6)) / 10:g}%"


def believed(level: float, before: float) -> float:
    """Return the largest belief that a release of this level can leave, by Bayes' rule."""
    return 1 / (1 + (1 - before) / before * math.exp(-level))


def chance(probability: float) -> str:
    """Write a probability in per cent."""
    if probability < 1e-4:
        return "below 0.01%"
    return f"{100 * probability:.{1 if probability >= 0.001 else 2}f}%"
