"""A release read from its file, with all that the file claims computed again (chapter release).

Nothing in a file is believed. First its length, its text, its digest and the type of every entry are checked
(:mod:`orr_release.mechanism_file.format`), and what would take long is refused; then the law is made of its
numbers, and all that is said of it must follow from it.

This file is long because it follows a file from its bytes to the release.
"""

from __future__ import annotations

import errno
import json
import math
import os
import re
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct

from orr.arrays import Floats
from orr.caps.certificate import Capped
from orr.caps.deep_cells import DeepCells
from orr.caps.guarded import Guarded
from orr.caps.proofs import Alone, Head, Prices, Proof, Thresholds
from orr.caps.ramp import Ramp
from orr.constructions.inductive import Inductive
from orr.constructions.two_attribute import TwoAttribute, closed_form
from orr.laws.ball_mixture import BallMixture, few
from orr.laws.cells import Cells
from orr.laws.law import Law
from orr.laws.product import Product
from orr.laws.single_flip import SingleFlip
from orr.laws.split import SplitLaw
from orr.levels import Levels
from orr.mechanism import Mechanism
from orr.optimum.certificate import Certificate, Certified
from orr.optimum.verify import DENSE_RADIUS, SLACK, consistent
from orr.problem import Kinds, Problem
from orr_release.domain import Domain
from orr_release.forms import Form
from orr_release.mechanism_file import format as entries
from orr_release.mechanism_file.format import canonical, check_length, hashed
from orr_release.release import Release
from orr_release.sampled import MOST_FORMS

LAWS: dict[type[Struct], type[Law]] = {
    getattr(entries, law.__name__): law for law in (Product, SingleFlip, Cells, BallMixture, Ramp, SplitLaw)
}
WORDS = ("null", "true", "false")  # What else JSON may be.
MAX_MESSAGE = 300  # Characters of what a message shows of a file.

# Numbers that dynamic programs may compute to read a file: a minute. The largest ball that a construction has
# room for takes half of them, and a file of a few attributes a small part.
MAX_WORK = 4 * 10**9
MAX_ROOT_STATES = 25 * 10**6  # States of a ball times the root of its attributes: 400 MB.
MAX_RAMP_STATES = 4_000  # As many as a construction makes (orr.caps.ramp_search).
MAX_PRICED_CELLS = 2**12  # As many as a linear program has (orr.caps.guarded).
STATE_WORK = 30  # Numbers that a state of a ball takes beside one for each attribute.
LOG_WORK = 8  # A number of a ramp, a logarithm, takes this many times as long as one of a ball.
DECIMAL_WORK = 100  # Doubles that take as long as a decimal.
LISTED_CELLS = 10_000  # Cells below a threshold that are counted, to tell how many there are.
REPEATED = 8  # A verification takes so many times as long as reading a law: logarithms, and the law again.
QUICK_WORK = 10**7  # Numbers that a certificate may take to be verified at once: half a second.


def load(source: str | os.PathLike[str], digest: str | None = None) -> Release:
    """Read a release from the file that ``release.save(path)`` wrote.

    The file holds the law itself, with all digits, and no solver has a say in what becomes of it: the same
    file gives the same estimates, to the last digit, under any version of scipy. (Exponentials and logarithms
    of numpy may differ in the last digit between processors, and then so may estimates.)

    What the file claims is computed again from its law: levels, overall level, neighbour levels, flip
    probabilities, whether a certificate could be right, and, where that takes less than about half a second,
    whether it is; otherwise ``verify()`` of the certificate tells. A file that claims more than its
    law keeps is refused, and so is one that was changed after it was written. That is a check against
    mistakes: a digest is no signature. Whoever changes a file on purpose can compute the digest anew, and
    exchange labels, say, without leaving a trace. Get the file, or its digest, from somebody you trust.

    Parameters
    ----------
    source : str or path
        Where the file is, or its text. A string is text if it begins with ``{``, ``[`` or a quotation mark,
        is blank or one of JSON's words, or has several lines; otherwise it is a path.
    digest : str, optional
        ``release.digest`` of the release wanted, from somebody you trust: any other file is refused.

    Returns
    -------
    Release
        With the mechanism that was written, its domain, certificate and all.

    Raises
    ------
    ValueError
        Where the file is not whole or its claims do not hold; the message says which. Or where it has more
        than 256 MB, or would take more than about a minute to check: no construction writes such a file.

    Examples
    --------
    >>> import orr_release
    >>> release = orr_release.optimal([2, 3, 4], [1.0, 1.5, 2.0])
    >>> again = load(release.to_json())
    >>> again.mechanism
    <Certified: 3 attributes, overall level 3.4448 (Kronecker 4.5), neighbours up to 3.4448>
    >>> again.noise((0, 2)) == release.noise((0, 2)), again.to_json() == release.to_json()
    (True, True)
    >>> load(release.to_json(), digest="sha256:" + 64 * "0")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    ValueError: digest = 'sha256:000...' is that of another file: this one has 'sha256:...'
    """
    if not isinstance(digest, str | None):
        raise TypeError(f"digest must be a string, got {type(digest).__name__}")
    found = parsed(_text(source))
    own = _check_head(found)
    if digest is not None and not re.fullmatch(entries.DIGEST, digest := digest.strip()):
        raise ValueError(
            f"digest = {digest[:80]!r} must be sha256: and 64 hexadecimal digits in lower case, as "
            "release.digest has them"
        )
    if digest is not None and own != digest:
        raise ValueError(f"digest = {digest!r} is that of another file: this one has {own!r}")
    try:
        entry = msgspec.convert(found, entries.FILE)
        release = _release(entry, "mechanism", _Budget())
    except msgspec.ValidationError as error:
        what, _, place = str(error).partition(" - at `$")
        raise ValueError(f"mechanism{place.rstrip('`')}: {what}"[:MAX_MESSAGE]) from None
    except UnicodeEncodeError:  # half of a surrogate pair, written as an escape
        raise ValueError("the file has a string that is no text") from None
    except RecursionError:
        raise ValueError("mechanism.law: too many laws stand within each other") from None
    vars(release)["digest"] = own
    return release


def _text(source: str | os.PathLike[str]) -> str:
    """Return the text itself, or that of the file, unless it is too long."""
    if isinstance(source, str):
        bare = source.lstrip("\ufeff").strip()
        if not bare or bare[0] in '{["' or bare in WORDS or "\n" in bare:
            check_length(len(bare))
            return bare
    if not isinstance(source, str | os.PathLike):
        raise TypeError(
            f"source must be the path of a mechanism file or its text, got {type(source).__name__}"
        )
    try:
        with Path(source).open("rb") as file:
            check_length(os.fstat(file.fileno()).st_size)
            found = file.read(entries.MAX_BYTES + 1)  # a device or a pipe does not know its size
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise
        raise ValueError("source is neither the path nor the text of a mechanism file") from None
    check_length(len(found))
    try:
        return found.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"{os.fspath(source)} is no mechanism file: it is not UTF-8") from None


def parsed(text: str, what: str = "this is no mechanism file") -> Any:
    """Parse JSON, strictly: no key twice, and no number that is none or too large."""

    def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
        result = dict(found)
        if len(result) < len(found):
            ((twice, _),) = Counter(name for name, _ in found).most_common(1)
            raise ValueError(f"the file has {twice!r} twice in one object")
        return result

    def refused(name: str) -> float:
        raise ValueError(f"the file has {name}, which is no number")

    def finite(digits: str) -> float:
        value = float(digits)
        return value if math.isfinite(value) else refused(digits)

    try:
        return json.loads(text, object_pairs_hook=pairs, parse_constant=refused, parse_float=finite)
    except json.JSONDecodeError as error:
        raise ValueError(f"{what}: {error}") from None
    except RecursionError:
        raise ValueError(f"{what}: too many brackets stand within each other") from None


def _check_head(found: Any) -> str:
    """Return the digest of a file; raise if it is of another version, or was changed."""
    if not isinstance(found, dict) or found.get("format") != entries.FORMAT:
        raise ValueError(f'this is no mechanism file: its "format" is not {entries.FORMAT!r}')
    number = found.get("version")
    if isinstance(number, bool) or not isinstance(number, int) or number < 1:
        raise ValueError(f'"version" = {number!r} must be a whole number of at least 1')
    if number > entries.VERSION:
        raise ValueError(
            f"the file has version {number} of the format, and this package reads up to {entries.VERSION}: a "
            f"newer package ({found.get('package')!r}) wrote it"
        )
    claimed = found.get("digest")
    if claimed is None:
        raise ValueError("the file has no digest")
    if claimed != hashed({name: value for name, value in found.items() if name != "digest"}):
        raise ValueError("the file was changed after it was written: its digest is not that of its contents")
    return str(claimed)


class _Budget:
    """Numbers that may still be computed to read a file, by all of its forms together."""

    def __init__(self) -> None:
        self.left = float(MAX_WORK)

    def spend(self, numbers: float, where: str) -> None:
        """Count numbers that a law takes; raise before any is computed if they are too many."""
        self.left -= numbers
        if self.left < 0:
            raise ValueError(
                f"{where} would take too long: {numbers:.2g} numbers, and {MAX_WORK:.2g} for the whole file "
                "are allowed"
            )

    def afford(self, numbers: float) -> bool:
        """Return whether so many more may be computed, and if so, count them; half are kept for the laws."""
        afforded = numbers <= self.left - MAX_WORK / 2
        self.left -= numbers if afforded else 0
        return afforded


def _release(entry: entries.Claims, where: str, budget: _Budget) -> Release:
    """Return the release of an entry; raise if something that the entry claims does not hold."""
    domain = _domain(entry, where)
    try:
        with np.errstate(all="ignore"):  # what comes of hostile numbers is refused
            if isinstance(entry, entries.Sampled):
                release = Release(_forms(entry, where, budget), domain, construction=entry.construction)
            else:
                assert isinstance(entry, entries.Mechanism)
                mechanism = _mechanism(entry, where, budget)
                vars(mechanism)["construction"] = entry.construction
                release = Release(mechanism, domain)
            _check_claims(entry, release.levels, where)
    except ArithmeticError as error:
        raise ValueError(f"{where}.law does not hold: {error}") from error
    return release


def _domain(entry: entries.Claims, where: str) -> Domain | None:
    """Return names and labels, if there are any."""
    if entry.domain is None:
        return None
    try:
        domain = Domain.from_dict(msgspec.to_builtins(entry.domain))
    except (TypeError, ValueError) as error:
        raise ValueError(f"{where}.domain: {error}") from None
    if domain.sizes.tolist() != entry.sizes:
        raise ValueError(f"{where}.domain does not fit: {domain.sizes.tolist()} labels, sizes {entry.sizes}")
    return domain


def _check_claims(entry: entries.Claims, levels: Levels, where: str) -> None:
    """Raise if a claim differs from what the law gives by more than another processor's rounding."""
    if entry.sizes != (sizes := levels.sizes.tolist()):
        raise ValueError(f"{where}.sizes = {entry.sizes} does not hold: the forms have {sizes}")
    claims = _numbers(entry, len(sizes), where)
    scales: dict[str, Floats | float] = {
        "epsilon": levels.epsilon,
        "epsilons": 0.0,
        "neighbour_epsilons": levels.epsilon,
        "neighbour_exact": 0.0,
        "flip_probabilities": levels.flip_probabilities,
    }
    for name, scale in scales.items():
        claimed, found = np.atleast_1d(claims[name]), np.atleast_1d(getattr(levels, name))
        wrong = (claimed != found) & ~(np.abs(claimed * 1.0 - found * 1.0) <= SLACK * np.asarray(scale))
        if wrong.any():
            i = int(np.argmax(wrong))
            place = f"{where}.{name}" + (f"[{i}]" if name != "epsilon" else "")
            raise ValueError(f"{place} = {claimed[i]} does not hold: the law gives {found[i]}")


def _numbers(entry: Struct, k: int, where: str, **counts: int) -> dict[str, Any]:
    """Return the fields of an entry, with arrays for lists of numbers.

    Lists must have an entry for each of k attributes, or as many as are counted for them. The word
    "infinity" is read as the double of that name.
    """
    found = msgspec.structs.asdict(entry)
    for name, values in found.items():
        if not isinstance(values, list) or isinstance(first := values[0] if values else 0.0, Struct):
            continue
        if len(values) != (count := counts.get(name, k)):
            raise ValueError(f"{where}.{name} must be a list of {count}, got {len(values)}")
        found[name] = np.array(values, dtype=np.float64 if isinstance(first, float | str) else None)
    return found


def _forms(entry: entries.Sampled, where: str, budget: _Budget) -> dict[Form, Mechanism]:
    """Return the mechanism of each form."""
    forms, known = dict[Form, Mechanism](), dict[str, Mechanism]()
    if len(entry.forms) > (most := max(MOST_FORMS, len(entry.sizes))):
        raise ValueError(f"{where}.forms must be at most {most}: {len(entry.forms)}")
    for i, form in enumerate(entry.forms):
        place, path = tuple(form.attributes), f"{where}.forms[{i}].mechanism"
        text = canonical(msgspec.to_builtins(form.mechanism))
        if text not in known:  # forms of the same sizes and levels often have the same mechanism
            known[text] = _release(form.mechanism, path, budget).mechanism
        sizes = dict(enumerate(entry.sizes))
        if len(set(place)) < len(place) or known[text].sizes.tolist() != [sizes.get(j) for j in place]:
            raise ValueError(f"{path} must have the sizes of its attributes, each of them once")
        if place in forms:
            raise ValueError(f"{where}.forms: every attribute must stand in a form, and no form twice")
        forms[place] = known[text]
    try:
        return dict(Release(forms).forms)
    except ValueError as error:
        raise ValueError(f"{where}.forms: {error}") from None


def _mechanism(entry: entries.Mechanism, where: str, budget: _Budget) -> Mechanism:
    """Return the mechanism of a law, with what its construction knows beside it."""
    numbers = _numbers(entry, k := len(entry.sizes), where)
    problem = wanted = Problem(numbers["sizes"], numbers["asked"])
    other = wanted.epsilons != numbers["epsilons"]
    if other.any():
        if not isinstance(entry, entries.Inductive):
            raise ValueError(f"{where}.asked must be the levels achieved, epsilons")
        problem = Problem.achieved(wanted.sizes, numbers["epsilons"])
    law = _law(entry.law, problem, f"{where}.law", budget)
    if not consistent(law):
        raise ValueError(f"{where}.law does not hold: its parts do not belong together")
    match entry:
        case entries.TwoAttribute():
            if k != 2 or closed_form(problem)[-1] != entry.case:
                raise ValueError(f"{where}.case = {entry.case!r} is not that of these attributes")
            return TwoAttribute(law, entry.case)
        case entries.Inductive():
            if (other & ~numbers["fell_back"]).any():
                i = int(np.argmax(other & ~numbers["fell_back"]))
                raise ValueError(f"{where}.fell_back[{i}] is false, but its level is not the one asked")
            return Inductive(law, wanted, numbers["fell_back"])
        case entries.Certified():
            return Certified(law, _certificate(entry.certificate, law, f"{where}.certificate", budget))
        case entries.Guarded():
            return Guarded(law, _certificate(entry.certificate, law, f"{where}.certificate", budget))
    return Mechanism(law)


def _law(entry: entries.Law, problem: Problem, where: str, budget: _Budget) -> Law:
    """Return the law of an entry, the same to the last digit; raise before work that would take too long."""
    k, counts, parts = len(problem), dict[str, int](), list[Any]()
    law = LAWS[type(entry)]
    match entry:
        case entries.SplitLaw():
            chosen = _numbers(entry, k, where)["chosen"]
            if chosen.all() or not chosen.any():
                raise ValueError(f"{where}.chosen must be some of the attributes")
            joint = _law(entry.joint, problem.part(chosen), f"{where}.joint", budget)
            return SplitLaw(problem, joint, chosen)
        case entries.Cells():
            law = DeepCells if entry.deep else Cells
            counts = dict.fromkeys(("cells", "log_excess"), len(entry.cells))
            if {*map(len, entry.cells)} != {kinds := len(Kinds(problem))}:
                raise ValueError(
                    f"{where}.cells must be lists of {kinds}, a number for each kind of attribute"
                )
        case entries.BallMixture():
            counts = {"masses": len(entry.balls)}
            states = sum(ball.states for ball in entry.balls)
            budget.spend((k + STATE_WORK) * states * (2**k if few(k, states) else 1), f"{where}.balls")
            parts = [_ball(ball, k, f"{where}.balls[{i}]") for i, ball in enumerate(entry.balls)]
        case entries.Ramp():
            if not entry.top <= (most := entry.step * MAX_RAMP_STATES):
                raise ValueError(f"{where}.top = {entry.top} must be at most {most}")
            budget.spend(LOG_WORK * k * math.ceil(entry.top / entry.step), f"{where}.top")
    numbers = _numbers(entry, k, where, **counts) | ({"balls": parts} if parts else {})
    numbers.pop("deep", None)
    if "stay" in numbers and numbers["stay"] is None:
        numbers["stay"] = np.full(k, math.inf)
    try:
        return law.from_definition(problem, **numbers)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None


def _ball(entry: entries.Ball, k: int, where: str) -> dict[str, Any]:
    """Return the definition of a ball of k attributes; raise if it has too many states."""
    if entry.states > (most := MAX_ROOT_STATES // math.isqrt(k)):
        raise ValueError(f"{where}.states = {entry.states} must be at most {most}")
    return _numbers(entry, k, where, edge=np.size(entry.edge))


def _certificate(entry: entries.Certificate, law: Law, where: str, budget: _Budget) -> Any:
    """Return the certificate of a law; raise if it cannot be right, or if it is quickly found to be wrong."""
    problem = law.problem
    weights = _numbers(entry, len(problem), where)["weights"]
    certificate = Certificate(entry.lower, entry.upper, weights, entry.method, entry.seconds, law)
    proof: Proof | None = None
    if isinstance(entry, entries.Capped):
        if entry.proof is not None:
            proof = _proof(entry.proof, problem.part(~problem.faint), f"{where}.proof")
        certificate = Capped(**vars(certificate), slack=float(entry.slack), proof=proof)
    if not certificate.plausible():
        raise ValueError(f"{where} is not that of this law: its bounds or weights cannot be right")
    work = _law_work(law) + (
        _weights_work(problem, weights) if proof is None else _proof_work(problem, proof)
    )
    if work <= QUICK_WORK and budget.afford(REPEATED * work) and not certificate.verify():
        raise ValueError(f"{where} does not prove what it says")
    return certificate


def _proof(entry: entries.Proof, problem: Problem, where: str) -> Proof:
    """Return the proof of an entry; raise if it cannot be one for these attributes."""
    match entry:
        case entries.Head():
            return Head(entry.last, entry.share)
        case entries.Prices():
            kinds = Kinds(problem)
            if np.log2(kinds.count + 1).sum() > math.log2(MAX_PRICED_CELLS):
                raise ValueError(f"{where}.pairs must be those of at most {MAX_PRICED_CELLS} cells")
            counts = dict.fromkeys(("pairs", "log_prices"), len(entry.pairs))
            numbers = _numbers(entry, len(kinds), where, **counts)
            numbers["pairs"] = numbers["pairs"].astype(np.int64).reshape(-1, 3)  # there may be none
            cells = math.prod((kinds.count + 1).tolist())
            if (numbers["pairs"] >= [cells, cells, len(kinds)]).any():
                raise ValueError(f"{where}.pairs names a cell or a kind of attribute that does not exist")
            return Prices(**numbers)
        case entries.Thresholds():
            if (total := sum(entry.weights)) > entries.MAX_WEIGHT_TOTAL:
                raise ValueError(f"{where}.weights add up to {total}, and may to {entries.MAX_WEIGHT_TOTAL}")
            return Thresholds(**_numbers(entry, len(problem), where))
    return Alone()


# How many numbers the verification of a certificate computes: ten million take about half a second.


def _law_work(law: Law) -> float:
    """Count what the level and the flip probabilities of a law take."""
    k = len(law.problem)
    match law:
        case SplitLaw():
            return sum(map(_law_work, law.parts))
        case BallMixture():
            return 8.0 * k * sum(ball.states for ball in law.balls)
        case Ramp():
            return 8.0 * k * len(law.log_excess)
        case Cells():
            return float(law.cells.size)
    return float(k)


def _weights_work(problem: Problem, weights: Floats | None) -> float:
    """Count what the bound that weights prove takes."""
    k = len(problem)
    if weights is None or ((problem.sizes == problem.sizes[0]).all() and (weights == weights[0]).all()):
        return float(k)
    kinds, radius = Kinds(problem), float(weights @ problem.q)
    if (weights == np.rint(weights)).all() and radius < DENSE_RADIUS:
        return k * radius
    if (weights[kinds.first][kinds.of] != weights).any():
        return k * 2.0 ** min(k, 1000)
    cells = kinds.below(weights[kinds.first], radius, LISTED_CELLS)
    return math.inf if cells is None else float(k * len(cells))


def _proof_work(problem: Problem, proof: Proof) -> float:
    """Count what the bound of a proof under caps takes."""
    match proof:
        case Head():
            return float(DECIMAL_WORK * len(problem))
        case Prices():
            cells = math.prod((Kinds(problem).count + 1).tolist())
            return float(DECIMAL_WORK * (cells * len(proof.weights) + len(proof.log_prices)))
        case Thresholds():
            return 2.0 * len(problem) * int(proof.weights.sum())
    return 1.0
