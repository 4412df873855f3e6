"""Names and labels of attributes, declared before anyone looks at the data (chapter release)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from html import escape
from typing import Any, NoReturn, Self

import numpy as np

from orr.arrays import Integers, frozen
from orr.checks import MAX_SIZE

Label = str | bool | int

MAX_LISTED_LABELS = 8  # Labels that an error lists: a line or two.
POLICIES = ("refused", "value")  # what becomes of missing values
# The labels that read_csv of pandas takes for missing values.
READ_AS_MISSING = {"", "NA", "N/A", "n/a", "<NA>", "NaN", "nan", "-NaN", "-nan", "NULL", "null", "None"}
READ_AS_MISSING |= {"#N/A", "#N/A N/A", "#NA", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"}


class Domain:
    """The attributes of a release: their names, and the labels that each may have.

    Labels come from the questionnaire or the codebook, never from the records: a label that only occurs
    among them, or one that does not, would be part of the release.

    Parameters
    ----------
    attributes : mapping
        Name and labels of each attribute, in order. Labels are strings, booleans or integers, of one type an
        attribute. A number stands for the labels 0, 1, ... below it.
    missing : {"refused", "value"} or mapping
        Whether records with missing values are refused, or missing is one more value, randomized like the
        others; for all attributes or, by name, for some (refused for the others).
    public : iterable of str
        Columns that are released as they are, next to the randomized ones; their labels, if any, are checked.
    withheld : iterable of str
        Columns that are known and not released. Columns that nobody named are not released either.

    Attributes
    ----------
    names : tuple of str
        The attributes that are randomized, in order.
    labels : tuple of tuple
        Labels of each of these. Where missing is a value, it is the last one, None.
    sizes : ndarray
        Number of labels of each of these.
    missing : tuple of bool
        Whether missing is a value of each of these.
    public, withheld : tuple of str
        The columns that are released as they are, and those that are not released.
    codebook : dict
        Labels of those public columns that were declared with some.

    Examples
    --------
    >>> domain = Domain(
    ...     {"sex": ["F", "M"], "smokes": [False, True], "children": 4, "name": []},
    ...     missing={"smokes": "value"},
    ...     withheld=["name"],
    ... )
    >>> domain
    <Domain: sex (2), smokes (3), children (4); name withheld>
    >>> domain.labels[1]
    (False, True, None)
    >>> import orr_release
    >>> orr_release.optimal(domain, {"sex": 1.0, "smokes": 1.5, "children": 2.0})
    <Release: sex, smokes, children; overall level 3.4448 (Kronecker 4.5), neighbours up to 3.4448>
    """

    names: tuple[str, ...]
    labels: tuple[tuple[Label | None, ...], ...]
    sizes: Integers
    missing: tuple[bool, ...]
    public: tuple[str, ...]
    withheld: tuple[str, ...]
    codebook: dict[str, tuple[Label, ...]]

    def __init__(
        self,
        attributes: Mapping[str, Iterable[Label] | int],
        *,
        missing: str | Mapping[str, str] = "refused",
        public: Iterable[str] = (),
        withheld: Iterable[str] = (),
    ) -> None:
        if not isinstance(attributes, Mapping):
            raise TypeError(f"attributes must map names to labels, got {type(attributes).__name__}")
        public, withheld = check_columns("public", public), check_columns("withheld", withheld)
        both = sorted({*public} & {*withheld})
        if both:
            raise ValueError(f"column {both[0]!r} cannot be both public and withheld")
        kept = {check_name(n): v for n, v in attributes.items() if n not in withheld}
        names = tuple(n for n in kept if n not in public)
        if not names:
            raise ValueError("attributes is empty: at least one attribute must be randomized")
        codebook = {n: check_labels(n, v, 0) for n, v in kept.items() if n in public}
        policies = check_policies(missing, names)
        labels = tuple(
            (*check_labels(n, kept[n], 1 if null else 2), *([None] if null else []))
            for n, null in zip(names, policies, strict=True)
        )
        sizes = frozen(np.array([len(known) for known in labels], dtype=np.int64))
        vars(self).update(names=names, labels=labels, sizes=sizes, missing=policies)
        vars(self).update(public=public, withheld=withheld, codebook=codebook)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{name} cannot be set: a Domain does not change once it is made")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"{name} cannot be deleted: a Domain does not change once it is made")

    def __len__(self) -> int:
        return len(self.names)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Domain):
            return NotImplemented
        return _typed(self.to_dict()) == _typed(other.to_dict())

    def __hash__(self) -> int:
        return hash((self.names, self.public, self.withheld))

    def __repr__(self) -> str:
        parts = [", ".join(f"{n} ({a})" for n, a in zip(self.names, self.sizes.tolist(), strict=True))]
        parts += [
            f"{', '.join(columns)} {what}"
            for columns, what in ((self.public, "public"), (self.withheld, "withheld"))
            if columns
        ]
        return f"<Domain: {'; '.join(parts)}>"

    def _repr_html_(self) -> str:
        """Show names and labels as a table."""
        rows = [
            f"<tr><th scope='row'>{escape(name)}</th><td>{len(labels)}</td>"
            f"<td>{escape(', '.join('(missing)' if v is None else str(v) for v in labels))}</td></tr>"
            for name, labels in zip(self.names, self.labels, strict=True)
        ]
        head = "".join(f"<th scope='col'>{t}</th>" for t in ("attribute", "size", "labels"))
        caption = escape(repr(self).strip("<>"))
        return (
            f"<table><caption>{caption}</caption><thead><tr>{head}</tr></thead>"
            f"<tbody>{''.join(rows)}</tbody></table>"
        )

    def place(self, attribute: str | int) -> int:
        """Return the number of an attribute, given by its name or its number.

        Examples
        --------
        >>> Domain({"sex": ["F", "M"], "children": 4}).place("children")
        1
        """
        if isinstance(attribute, str):
            if attribute not in self.names:
                raise ValueError(f"no attribute {attribute!r}: there are {', '.join(self.names)}")
            return self.names.index(attribute)
        if isinstance(attribute, bool | np.bool_) or not isinstance(attribute, int | np.integer):
            raise TypeError(f"{attribute!r} is not the name or number of an attribute")
        if not 0 <= attribute < len(self):
            raise ValueError(f"attribute {attribute} does not exist: attributes are 0 to {len(self) - 1}")
        return int(attribute)

    def code(self, attribute: str | int, label: Label | None) -> int:
        """Return the code of a label of an attribute.

        Examples
        --------
        >>> Domain({"sex": ["F", "M"], "children": 4}).code("sex", "M")
        1
        """
        i = self.place(attribute)
        plain = label.item() if isinstance(label, np.generic) else label
        plain = None if is_missing(plain) else plain
        for code, known in enumerate(self.labels[i]):
            if known == plain and isinstance(known, bool) == isinstance(plain, bool):
                return code
        raise ValueError(f"{label!r} is not a label of {self.names[i]!r}: {_listed(self.labels[i])}")

    def levels(self, levels: Any, what: str = "epsilons") -> Any:
        """Put numbers that are given by name in the order of the attributes; others are left as they are.

        Examples
        --------
        >>> Domain({"sex": ["F", "M"], "children": 4}).levels({"children": 2.0, "sex": 1.0})
        [1.0, 2.0]
        """
        if not isinstance(levels, Mapping):
            return levels
        unknown = [name for name in levels if name not in self.names]
        if unknown:
            raise ValueError(f"{what} names {unknown[0]!r}: the attributes are {', '.join(self.names)}")
        absent = [name for name in self.names if name not in levels]
        if absent:
            raise ValueError(f"{what} has no number for {absent[0]!r}")
        return [levels[name] for name in self.names]

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain lists, which JSON can hold.

        Examples
        --------
        >>> Domain({"sex": ["F", "M"]}, missing="value").to_dict()["attributes"]
        [{'name': 'sex', 'labels': ['F', 'M'], 'missing': 'value'}]
        """
        return {
            "attributes": [
                {
                    "name": name,
                    "labels": [label for label in labels if label is not None],
                    "missing": POLICIES[null],
                }
                for name, labels, null in zip(self.names, self.labels, self.missing, strict=True)
            ],
            "public": [{"name": name, "labels": list(self.codebook.get(name, ()))} for name in self.public],
            "withheld": list(self.withheld),
        }

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Self:
        """Make a domain of such lists again.

        Examples
        --------
        >>> domain = Domain({"sex": ["F", "M"], "state": []}, public=["state"])
        >>> Domain.from_dict(domain.to_dict()) == domain
        True
        """
        public = given.get("public", [])
        attributes = {a["name"]: a["labels"] for a in (*given["attributes"], *public)}
        if len(attributes) < len(given["attributes"]) + len(public):
            raise ValueError("attributes has a name twice")
        return cls(
            attributes,
            missing={a["name"]: a.get("missing", "refused") for a in given["attributes"]},
            public=[p["name"] for p in public],
            withheld=given.get("withheld", []),
        )


def _listed(labels: Sequence[Label | None]) -> str:
    """Return the first labels as text."""
    listed, more = labels[:MAX_LISTED_LABELS], len(labels) - MAX_LISTED_LABELS
    return f"they are {', '.join(map(repr, listed))}" + (f" and {more} more" if more > 0 else "")


def _typed(value: Any) -> Any:
    """Pair every value with its type, since True equals 1."""
    if isinstance(value, dict):
        return {key: _typed(v) for key, v in value.items()}
    return [_typed(v) for v in value] if isinstance(value, list) else (type(value), value)


def check_name(name: object) -> str:
    """Return a name; raise if it is not a string or is empty."""
    if not isinstance(name, str) or not name:
        raise TypeError(f"{name!r} is not the name of an attribute: names are strings, and not empty")
    return name


def check_columns(what: str, names: Iterable[str]) -> tuple[str, ...]:
    """Return names of columns as a tuple; raise if one is not a name or occurs twice."""
    if isinstance(names, str):
        raise TypeError(f"{what} = {names!r} must be a list of columns, not one name")
    columns = tuple(check_name(name) for name in names)
    if len(set(columns)) < len(columns):
        raise ValueError(f"{what} has a column twice")
    return columns


def is_missing(value: object) -> bool:
    """Return whether a value is None, NaN, NA or NaT.

    Examples
    --------
    >>> is_missing(None), is_missing(float("nan")), is_missing("")
    (True, True, False)
    """
    strange = type(value).__name__ in {"NAType", "NaTType"}
    return value is None or strange or (isinstance(value, float) and value != value)


def check_labels(name: str, labels: Iterable[Label] | int, least: int) -> tuple[Label, ...]:
    """Return the labels of an attribute as a tuple; raise if they are too few or of several types."""
    if isinstance(labels, int | np.integer) and not isinstance(labels, bool | np.bool_):
        labels = range(labels) if labels <= MAX_SIZE else range(MAX_SIZE + 1)
    if isinstance(labels, str | Set | Mapping) or not isinstance(labels, Iterable):  # sets have no order
        kind = type(labels).__name__
        raise TypeError(f"the labels of {name!r} must be a list or a number of codes, got a {kind}")
    values = tuple(v.item() if isinstance(v, np.generic) else v for v in labels)
    types = {type(v) for v in values}
    wrong = types - {str, bool, int}
    if wrong or len(types) > 1:
        raise TypeError(
            f"the labels of {name!r} must be all strings, all booleans or all integers"
            + ("; missing values are what missing= is for" if type(None) in types else "")
        )
    if len(set(values)) < len(values):
        (twice, _), *_ = Counter(values).most_common(1)
        raise ValueError(f"the labels of {name!r} have {twice!r} twice")
    for value in values:
        if isinstance(value, int) and not -(2**63) <= value < 2**63:
            raise ValueError(f"the labels of {name!r} must be 64-bit integers, got {value}")
        if (
            isinstance(value, str)
            and not value.isprintable()
            and any("\ud800" <= c < "\ue000" for c in value)
        ):
            raise ValueError(f"the labels of {name!r} must be text that can be written as UTF-8")
    if not least <= len(values) <= MAX_SIZE:
        raise ValueError(
            f"{name!r} has {len(values)} labels and needs {least} to {MAX_SIZE}"
            + ("; a column with one value tells nothing: leave it out" if len(values) == 1 else "")
        )
    return values


def check_policies(missing: str | Mapping[str, str], names: Sequence[str]) -> tuple[bool, ...]:
    """Return whether missing is a value, per attribute; raise if a policy or its attribute is unknown."""
    given = missing if isinstance(missing, Mapping) else dict.fromkeys(names, missing)
    for name, policy in given.items():
        if name not in names:
            raise ValueError(f"missing names {name!r}: the attributes are {', '.join(names)}")
        if policy not in POLICIES:
            raise ValueError(f"missing = {policy!r} must be 'refused' or 'value'")
    return tuple(given.get(name, "refused") == "value" for name in names)


def reading_hint(domain: Domain) -> str:
    """Return advice on how to read a csv file so that the labels of a domain stay as they are.

    Examples
    --------
    >>> reading_hint(Domain({"zone": ["NA", "EU"]})).partition("pandas, ")[2]
    "read_csv(..., dtype={'zone': str}, keep_default_na=False, na_values=[''])"
    """
    columns: dict[str, tuple[Label | None, ...]] = dict(zip(domain.names, domain.labels, strict=True))
    columns |= {name: domain.codebook.get(name, ()) for name in domain.public}
    if any("" in labels and None in labels for labels in columns.values()):  # pandas reads both as missing
        return "If it is from a csv file, estimate from that file, by the command orr estimate"
    texts = ", ".join(f"{n!r}: str" for n, labels in columns.items() if isinstance((*labels, 0)[0], str))
    empty: list[str] | dict[str, list[str]] = [""]
    if any("" in labels for labels in columns.values()):
        empty = {n: [""] for n, labels in columns.items() if "" not in labels}
    options = f"dtype={{{texts}}}, keep_default_na=False" + (f", na_values={empty}" if empty else "")
    return f"If it is from a csv file, keep its text as it is: in pandas, read_csv(..., {options})"
