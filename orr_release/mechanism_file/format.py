"""The mechanism file: what it may hold, entry by entry, and the digest of all of it (chapter release).

Each class is an object of the file, and its fields stand in the order in which they are written. Laws,
proofs, certificates and mechanisms have the names of the classes whose numbers they hold. What types cannot
say is checked on reading: most lists have an item for each attribute, and all that is claimed of a law must
follow from it. Levels are in nats.
"""

from __future__ import annotations

import hashlib
import json
from typing import Annotated, Any, Literal, Union

import msgspec
from msgspec import Meta, Struct

from orr.checks import MAX_LEVEL, MAX_SIZE, MIN_LEVEL
from orr.laws.ball import MAX_TILT

FORMAT, VERSION = "orr mechanism", 1
DIGEST = r"sha256:[0-9a-f]{64}"
MAX_BYTES = 2**28  # Of a file: a million attributes take 100 MB, and what is read several times as much.

MAX_FILE_BALL_STATES = 10**6  # Of a ball; a reader also bounds them by the number of attributes.
MAX_WEIGHT_TOTAL = 30_000  # Of a proof by thresholds: a verifier counts the sums of weights one by one.
MAX_WHOLE = 2**53  # Up to here, doubles hold all whole numbers.
LEAST = 1e-300  # Of numbers that are divided by: their reciprocals are finite.
MAX_ACHIEVED = 1e3  # Nats: constructions achieve levels that are a little past those that can be asked.

Whole = Annotated[int, Meta(ge=0, le=MAX_WHOLE)]
Weight = Annotated[int, Meta(ge=0, le=MAX_WEIGHT_TOTAL)]
NonNegative = Annotated[float, Meta(ge=0)]
Positive = Annotated[float, Meta(ge=LEAST)]
Share = Annotated[float, Meta(ge=0, le=1)]
Edge = Annotated[float, Meta(gt=0, le=1)]
Odds = NonNegative | Literal["infinity"]  # JSON has no number for it.
Name = Annotated[str, Meta(min_length=1)]
Size = Annotated[int, Meta(ge=2, le=MAX_SIZE)]
Asked = Annotated[float, Meta(ge=MIN_LEVEL, le=MAX_LEVEL)]
Achieved = Annotated[float, Meta(ge=LEAST, le=MAX_ACHIEVED)]
Stay = Annotated[
    list[Odds] | None, Meta(description="Odds that each attribute stays; null if all always do.")
]


class Entry(Struct, forbid_unknown_fields=True, kw_only=True):
    """An object of the file."""


class Product(Entry, tag_field="law", tag="product"):
    """Every attribute on its own."""


class SingleFlip(Entry, tag_field="law", tag="radius one"):
    """The truth or one flip, above a uniformly random record."""

    z0: NonNegative
    z: list[NonNegative]


class Cells(Entry, tag_field="law", tag="cells"):
    """Numbers of flips of each kind of attribute, and how far their density is above the lowest one.

    The latter in units of the lowest, as a logarithm. Kinds are pairs of size and level, in their order.
    """

    deep: bool
    cells: Annotated[list[list[Whole]], Meta(min_length=1)]
    log_excess: list[float]
    stay: Stay


DeepCells = Cells  # Told apart by their entry deep.


class Ball(Entry):
    """A weighted Hamming ball around the truth."""

    weights: list[Odds]
    states: Annotated[int, Meta(ge=1, le=MAX_FILE_BALL_STATES)]
    edge: Edge | Annotated[list[Edge], Meta(min_length=1)]
    tilt: Annotated[float, Meta(ge=0, le=MAX_TILT)]


class BallMixture(Entry, tag_field="law", tag="balls"):
    """Balls, and the mass of each in units of a uniformly random record."""

    balls: Annotated[list[Ball], Meta(min_length=1)]
    masses: list[NonNegative]
    stay: Stay


class Ramp(Entry, tag_field="law", tag="ramp"):
    """A density whose logarithm is top - step * weight, clipped to 0 and level.

    A flip weighs low, or low + 1 with the probability part.
    """

    step: Positive
    low: list[Whole]
    part: list[Share]
    slopes: list[NonNegative]
    top: Positive
    level: Positive
    stay: Stay


class SplitLaw(Entry, tag_field="law", tag="beside"):
    """A joint law of the chosen attributes; the others on their own."""

    chosen: list[bool]
    joint: Law


Law = Union[Product, SingleFlip, Cells, BallMixture, Ramp, SplitLaw]  # noqa: UP007 (it names a later class)


class Alone(Entry, tag_field="proof", tag="alone"):
    """There is only one mechanism with these caps."""


class Head(Entry, tag_field="proof", tag="head"):
    """Equal attributes: the last cell of the head, and its share."""

    last: Whole
    share: Share


class Prices(Entry, tag_field="proof", tag="prices"):
    """Weights of flips of each kind, and prices of pairs of cells: the likelier one, the other, the kind."""

    weights: list[float]
    pairs: list[Annotated[list[Whole], Meta(min_length=3, max_length=3)]]
    log_prices: list[float]


class Thresholds(Entry, tag_field="proof", tag="thresholds"):
    """Whole weights of flips, and two thresholds."""

    weights: list[Weight]
    low: float
    high: Weight


Proof = Alone | Head | Prices | Thresholds


class Certificate(Entry):
    """Bounds around the smallest overall level, and the weights that prove the lower one."""

    lower: NonNegative
    upper: NonNegative
    weights: list[NonNegative] | None
    method: str
    seconds: NonNegative


class Capped(Certificate):
    """The same under caps, 1 + slack times the levels of the attributes."""

    slack: Odds
    proof: Proof | None


class Public(Entry):
    """A column that is released as it is; its labels are all of one type."""

    name: Name
    labels: list[str | bool | int]


class Attribute(Public):
    """A column that is randomized. Where missing is a value, it is the last one."""

    missing: Literal["refused", "value"]


class Domain(Entry):
    """Names and labels."""

    attributes: Annotated[list[Attribute], Meta(min_length=1)]
    public: list[Public]
    withheld: list[Name]


class Claims(Entry, tag_field="kind"):
    """What is said of every mechanism, and follows from its law."""

    construction: Annotated[str | None, Meta(description="The function that made it.")]
    domain: Domain | None
    sizes: Annotated[list[Size], Meta(min_length=1, description="Numbers of values.")]
    epsilon: Annotated[float, Meta(ge=0, description="Overall level, rounding included.")]
    epsilons: Annotated[list[Achieved], Meta(description="Level achieved for each attribute.")]
    neighbour_epsilons: Annotated[list[NonNegative], Meta(description="For someone who knows the others.")]
    neighbour_exact: Annotated[list[bool], Meta(description="Where these are exact.")]
    flip_probabilities: list[Share]


class Mechanism(Claims, tag="Mechanism"):
    """A law, and the levels that were asked for."""

    asked: list[Asked]
    law: Law


class TwoAttribute(Mechanism, tag="TwoAttribute"):
    """The closed form for two attributes."""

    case: Literal["I", "II", "III", "IV"]


class Inductive(Mechanism, tag="Inductive"):
    """The heuristic; some attributes may have another level than the one asked."""

    fell_back: list[bool]


class Certified(Mechanism, tag="Certified"):
    """A mechanism with a certificate."""

    certificate: Certificate


class Guarded(Mechanism, tag="Guarded"):
    """A mechanism whose neighbour levels are capped."""

    certificate: Capped


Single = Mechanism | TwoAttribute | Inductive | Certified | Guarded


class Form(Entry):
    """Attributes that are asked together, and their mechanism."""

    attributes: list[Whole]
    mechanism: Single


class Sampled(Claims, tag="Sampled"):
    """Each person is asked the attributes of one form, drawn at random."""

    forms: Annotated[list[Form], Meta(min_length=1)]


ABOUT_DIGEST = "SHA-256 of the JSON of everything else, keys sorted, no spaces: a check, no signature."
HEAD: dict[str, Any] = {
    "format": Literal["orr mechanism"],
    "version": Literal[1],
    "package": Annotated[str, Meta(description="Version of the package that wrote the file.")],
    "digest": Annotated[str, Meta(pattern=f"^{DIGEST}$", description=ABOUT_DIGEST)],
}
KINDS = Mechanism, TwoAttribute, Inductive, Certified, Guarded, Sampled
FILES = [
    msgspec.defstruct(f"{kind.__name__}File", HEAD.items(), bases=(kind,), kw_only=True) for kind in KINDS
]
FILE: Any = Union[tuple(FILES)]  # noqa: UP007 (made from a list)


def schema() -> dict[str, Any]:
    """Return the JSON Schema of a mechanism file.

    Examples
    --------
    >>> sorted(schema()["$defs"]["SingleFlip"]["properties"])
    ['law', 'z', 'z0']
    """
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Mechanism file"}
    return head | msgspec.json.schema(FILE)


def canonical(value: object) -> str:
    """Return the one JSON text that a digest is made of: keys sorted, no spaces, no infinity.

    Examples
    --------
    >>> canonical({"b": [1.0, None], "a": "x"})
    '{"a":"x","b":[1.0,null]}'
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def hashed(contents: dict[str, Any]) -> str:
    """Return the digest of a file, from everything in it but the digest."""
    return "sha256:" + hashlib.sha256(canonical(contents).encode()).hexdigest()


def check_length(length: int) -> None:
    """Raise if a file is too long."""
    if length > MAX_BYTES:
        raise ValueError(f"a mechanism file has at most {MAX_BYTES:,} bytes, and this one has more")
