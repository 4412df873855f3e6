"""A column of a table, and what was declared of it (chapter release)."""

from __future__ import annotations

from dataclasses import dataclass, field

from orr_release.domain import Domain, Label

WORDS = {str: "strings", bool: "booleans", int: "integers"}
# What read_csv of pandas takes for missing.
NOTHING = frozenset(
    (
        *("", "NA", "N/A", "n/a", "<NA>", "NaN", "nan", "-NaN", "-nan", "NULL", "null", "None"),
        *("#N/A", "#N/A N/A", "#NA", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"),
    )
)


@dataclass(frozen=True)
class Attribute:
    """A column that has declared labels; None, for missing, is the last of them or not among them.

    With ``gaps``, a released column may have nulls although missing is not a value: attributes not asked.
    If it is not ``complete``, so may one that is read. One that is read may be ``released`` already.
    The ``domain`` tells of the other columns of its table.
    """

    name: str
    labels: tuple[Label | None, ...]
    gaps: bool = False
    complete: bool = True
    released: bool = False
    domain: Domain | None = field(default=None, compare=False, repr=False)

    @property
    def known(self) -> tuple[Label, ...]:
        """The declared labels."""
        return tuple(label for label in self.labels if label is not None)

    @property
    def kind(self) -> type:
        """Their type: str, bool or int."""
        return type(self.labels[0])

    @property
    def missing(self) -> bool:
        """Whether missing is a value."""
        return self.labels[-1] is None

    @property
    def nullable(self) -> bool:
        """Whether a released column may have nulls."""
        return self.missing or self.gaps

    @property
    def mistakable(self) -> bool:
        """Whether a label looks like a missing value to those who read csv files."""
        return bool(NOTHING & {*self.known})

    @property
    def reader(self) -> str:
        """How to read a csv file so that its labels stay as they are, in all columns of the domain."""
        columns: dict[str, tuple[Label | None, ...]] = {self.name: self.labels}
        if (domain := self.domain) is not None:
            columns = dict(zip(domain.names, domain.labels, strict=True))
            columns |= {name: domain.codebook.get(name, ()) for name in domain.public}
        if any("" in labels and None in labels for labels in columns.values()):  # the same to pandas
            return "If it is from a csv file, estimate from that file, by the command orr estimate"
        texts = ", ".join(f"{n!r}: str" for n, labels in columns.items() if isinstance((*labels, 0)[0], str))
        gaps: list[str] | dict[str, list[str]] = [""]  # what stands for missing
        if any("" in labels for labels in columns.values()):
            gaps = {n: [""] for n, labels in columns.items() if "" not in labels}
        options = f"dtype={{{texts}}}, keep_default_na=False" + (f", na_values={gaps}" if gaps else "")
        return f"If it is from a csv file, keep its text as it is: in pandas, read_csv(..., {options})"

    def refused(self, shown: object) -> TypeError:
        """Say that a column is of a type that cannot have these labels."""
        what = f"column {self.name!r} is of type {shown}, but its declared labels are {WORDS[self.kind]}"
        return TypeError(f"{what}. {self.reader}" if self.kind is str else what)

    def incomplete(self, rows: int) -> ValueError:
        """Say that values are missing, which is not one of the labels."""
        what = f"column {self.name!r} has missing values in {rows} row{'s' * (rows > 1)}"
        if self.mistakable:
            return ValueError(f"{what}, and a label that readers may take for missing. {self.reader}")
        if self.released:
            return ValueError(f"{what}, and had none when it was released: do not drop or fill them")
        return ValueError(f"{what}: drop or fill them, or declare that missing is a value (missing='value')")
