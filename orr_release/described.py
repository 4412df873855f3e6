"""What a mechanism says of itself: levels, errors to expect, a page, a file (chapter release)."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orr.arrays import Fixed, Floats, Integers
from orr.channel import Channel
from orr.checks import check_attributes
from orr_release.domain import Domain
from orr_release.mechanism_file.text import digest, written
from orr_release.plan import Plan, plan
from orr_release.report import Report, report

Places = tuple[int, ...]


class Described(Fixed):
    """Sizes and levels, and all that follows from them before a record is seen."""

    domain: Domain | None = None
    construction: str | None = None  # the function that made it
    loaded: str | None = None  # digest of the file that it was read from

    @property
    @abstractmethod
    def sizes(self) -> Integers:
        """Number of values of each attribute."""

    @property
    @abstractmethod
    def epsilons(self) -> Floats:
        """Level of each attribute, what its released value alone tells."""

    @property
    @abstractmethod
    def epsilon(self) -> float:
        """Overall level, what the whole released record tells about the whole record."""

    @property
    @abstractmethod
    def neighbour_epsilons(self) -> Floats:
        """What the whole release tells about one attribute to someone who knows all the others."""

    @property
    @abstractmethod
    def neighbour_exact(self) -> NDArray[np.bool_]:
        """Where ``neighbour_epsilons`` are exact, not only upper bounds."""

    @property
    @abstractmethod
    def flip_probabilities(self) -> Floats:
        """Chance that each attribute's released value differs from the true one."""

    @abstractmethod
    def channels(self, attributes: Places) -> dict[int, Channel]:
        """Give the channels of all forms that tell of a table, by the number of the form."""

    def places(self, attributes: Any) -> list[int]:
        """Return the numbers of some attributes, given by name or number."""
        single = isinstance(attributes, str | int | np.integer)
        several: Iterable[Any] = [attributes] if single else attributes
        if self.domain is None:
            return check_attributes(several, len(self.sizes))
        return [self.domain.place(attribute) for attribute in several]

    def fixed(self, given: Mapping[Any, Any] | None) -> dict[int, int]:
        """Return the numbers of the attributes given, and the codes of their values."""
        if self.domain is not None:
            return {self.domain.place(name): self.domain.code(name, v) for name, v in (given or {}).items()}
        fixed = dict(zip(check_attributes(given or {}, len(self.sizes)), (given or {}).values(), strict=True))
        for i, code in fixed.items():
            number = isinstance(code, int | np.integer) and not isinstance(code, bool)
            if not (number and 0 <= code < self.sizes[i]):
                raise ValueError(f"given[{i}] = {code!r} must be a value from 0 to {self.sizes[i] - 1}")
        return fixed

    def noise(self, attributes: Places) -> tuple[float, float]:
        """Smallest ``|rho|`` of a table, and the mean variance of a cell's proportion for one record."""
        (channel,) = self.channels(attributes).values()
        return min(map(abs, channel.rho.values())), channel.noise

    def plan(self, n: int, tables: Iterable[Any] | None = None) -> Plan:
        """Tell how exact the tables of a release will be, before anyone looks at the records.

        Parameters
        ----------
        n : int
            How many people there will be.
        tables : iterable of tuples, optional
            Attributes of tables, by name or number, in place of all pairs.

        Returns
        -------
        Plan
            Expected standard errors of every one-way and two-way table, and warnings.

        Examples
        --------
        >>> import orr
        >>> print(orr.optimal([3, 3, 3], [0.4, 0.4, 0.4]).plan(2000).warnings[0][:52])
        Useless with 2,000 people: 0 x 1 (0.15 beside 0.11),
        """
        return plan(self, n, tables)

    def report(self, n: int | None = None) -> Report:
        """Write the page for an ethics board: who could learn what, and what is not protected.

        Parameters
        ----------
        n : int, optional
            How many people there will be; then the page also says how exact the tables will be.

        Returns
        -------
        Report
            Its ``markdown`` and its ``html``; ``save`` writes either.

        Examples
        --------
        >>> import orr
        >>> orr.kronecker([2, 3], [1.0, 2.0]).report().markdown.splitlines()[0]
        '# What this release could tell'
        """
        return report(self, n)

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str:
        """Write down all that an analyst on another machine needs, for :func:`orr.load`.

        Parameters
        ----------
        path : path, optional
            Where to write it, too; not over a file of another digest, which a release may name. What is
            constructed again has another one, since its run time is in the file.

        Returns
        -------
        str
            The file's text, with every number to its last digit.

        Examples
        --------
        >>> import orr
        >>> orr.load(orr.kronecker([2, 3], [1.0, 2.0]).to_json())
        <Mechanism: 2 attributes, overall level 3 (Kronecker 3), neighbours up to 2>
        """
        text = written(self.state())
        if path is not None:
            place = Path(path)
            if (
                place.is_file()
                and place.stat().st_size
                and self.digest not in place.read_text(errors="replace")
            ):
                raise FileExistsError(
                    f"{place} exists and has another digest (as a mechanism that is built again has): a "
                    "release may name it. Choose another name, or load that file with orr.load"
                )
            place.write_text(text, "utf-8")
        return text

    @property
    def digest(self) -> str:
        """Digest of its file: of the one it was loaded from, else of the one that :meth:`to_json` writes.

        It covers all that the file says: the law to the last digit, levels, names and labels, and the version
        of the package. Publish it with a release, and :func:`orr.load` accepts no other file in its place.
        Two mechanisms are equal if they have the same digest. A construction that writes down its run time
        in a certificate gives another one each time.

        Pass on the file itself: another version of the package, or a processor that rounds differently, may
        write the same mechanism with another digest.

        Examples
        --------
        >>> import orr
        >>> mechanism = orr.kronecker([2, 3], [1.0, 2.0])
        >>> again = orr.load(mechanism.to_json(), digest=mechanism.digest)
        >>> again.digest == mechanism.digest, again == mechanism
        (True, True)
        >>> mechanism.digest[:7], mechanism.digest in mechanism.to_json()
        ('sha256:', True)
        """
        return self.loaded or digest(self.state())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Described):
            return NotImplemented
        return self is other or self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def state(self) -> dict[str, Any]:
        """Return all that makes it, and what it claims, as plain numbers."""
        return {
            "kind": type(self).__name__,
            "construction": self.construction,
            "domain": None if self.domain is None else self.domain.to_dict(),
            "sizes": self.sizes.tolist(),
            "epsilon": self.epsilon,
            "epsilons": self.epsilons.tolist(),
            "neighbour_epsilons": self.neighbour_epsilons.tolist(),
            "neighbour_exact": self.neighbour_exact.tolist(),
            "flip_probabilities": self.flip_probabilities.tolist(),
        }

    @property
    def names(self) -> tuple[str | int, ...]:
        """Names of the attributes, or their numbers where there is no domain."""
        return tuple(range(len(self.sizes))) if self.domain is None else self.domain.names

    @property
    def called(self) -> str:
        """The attributes in words."""
        k, most = len(self.sizes), 4
        if self.domain is None or k > most:
            return f"{k} attribute{'s' * (k > 1)},"
        return f"{', '.join(self.domain.names)};"

    @property
    def worst_neighbour(self) -> str:
        """The largest neighbour level in words."""
        worst = int(np.argmax(self.neighbour_epsilons))
        most = "up to" if self.neighbour_exact[worst] else "at most"
        return f"neighbours {most} {self.neighbour_epsilons[worst]:.5g}"
