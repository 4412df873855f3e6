"""A mechanism read from its file, with all that the file claims computed again (chapter release)."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TypeVar

import numpy as np

from orr.caps.certificate import Capped
from orr.caps.guarded import Guarded
from orr.constructions.inductive import Inductive
from orr.constructions.two_attribute import TwoAttribute, closed_form
from orr.laws.fields import Fields
from orr.mechanism import Mechanism
from orr.optimum.certificate import Certificate, Certified
from orr_release.forms import Form
from orr_release.mechanism_file.claims import Claims
from orr_release.mechanism_file.effort import effort
from orr_release.mechanism_file.text import canonical, read
from orr_release.release import Release
from orr_release.sampled import MOST_FORMS

C = TypeVar("C", bound=Certificate)

AGAIN = 8  # times as long as reading a law takes to verify it: in logarithms, and making the law once more
QUICK = 10**7  # numbers that a certificate may take to be verified at once: half a second


def load(source: str | os.PathLike[str], digest: str | None = None) -> Release:
    """Read a release from the file that ``release.save(path)`` wrote.

    The file holds the law itself, with all digits, and no solver has a say in what becomes of it: the same
    file gives the same estimates, to the last digit, under any version of scipy. (Exponentials and logarithms
    of numpy may differ in the last digit between processors, and then so may estimates.)

    What the file claims is computed again from its law: levels, overall level, neighbour levels, flip
    probabilities, whether a certificate could be right, and, where that takes less than about half a second,
    whether it is; otherwise ask ``release.mechanism.certificate.verify()``. A file that claims more than its
    law keeps is refused, and so is one that was changed after it was written. That is a check against
    mistakes: a digest is no signature. Whoever changes a file on purpose can compute the digest anew, and
    exchange labels, say, without leaving a trace. Get the file, or its digest, from somebody you trust.

    Parameters
    ----------
    source : str or path
        Where the file is, or its text. A string is text if it begins with ``{``, ``[`` or a quotation mark,
        is blank or one of JSON's words, or has several lines; else it is a path.
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
    state, found = read(source, digest)
    made = restored(state)
    vars(made)["digest"] = found
    return made


def restored(state: object, where: str = "mechanism", outer: Fields | None = None) -> Release:
    """Make a mechanism of its state again, or say what is wrong with it.

    Examples
    --------
    >>> import orr_release
    >>> from orr_release.mechanism_file.write import state as state_of
    >>> state = state_of(orr_release.kronecker([2, 3], [1.0, 2.0]))
    >>> restored(state | {"epsilon": 2.5})
    Traceback (most recent call last):
    ...
    ValueError: mechanism.epsilon = 2.5 does not hold: the law gives 3.0000000000000036
    """
    given = Fields(state, where, outer)
    kind, claims = given.text("kind", *KINDS), Claims(given)
    try:
        with np.errstate(all="ignore"):  # what comes of it is refused
            made = KINDS[kind](given, claims)
            given.done()
            if isinstance(made, Mechanism):
                vars(made)["construction"] = claims.construction
            release = Release(made, claims.domain, construction=claims.construction)
            claims.check(release)
    except (ArithmeticError, RecursionError) as error:  # laws within laws, too
        raise ValueError(f"{given.path('law')} does not hold: {error}") from error
    return release


def _mechanism(given: Fields, claims: Claims) -> Mechanism:
    return Mechanism(claims.exactly())


def _two_attribute(given: Fields, claims: Claims) -> Mechanism:
    law, case = claims.exactly(), given.text("case", "I", "II", "III", "IV")
    if claims.k != 2 or closed_form(law.problem)[-1] != case:
        raise ValueError(f"{given.path('case')} = {case!r} is not that of these attributes")
    return TwoAttribute(law, case)


def _inductive(given: Fields, claims: Claims) -> Mechanism:
    (law, asked), fell_back = claims.law(), given.flags("fell_back", claims.k)
    other = (asked.epsilons != law.problem.epsilons) & ~fell_back
    if other.any():
        i = int(np.argmax(other))
        raise ValueError(f"{given.path('fell_back')}[{i}] is false, but its level is not the one asked")
    return Inductive(law, asked, fell_back)


def _certified(given: Fields, claims: Claims) -> Mechanism:
    law = claims.exactly()
    return Certified(law, _proved(Certificate.restored(law, given.inside("certificate")), given))


def _guarded(given: Fields, claims: Claims) -> Mechanism:
    law = claims.exactly()
    return Guarded(law, _proved(Capped.restored(law, given.inside("certificate")), given))


def _proved(certificate: C, given: Fields) -> C:
    """Verify a certificate, unless that takes long."""
    dear = effort(certificate)
    if dear <= QUICK and given.afford(AGAIN * dear) and not certificate.verify():
        raise ValueError(f"{given.path('certificate')} does not prove what it says")
    return certificate


def _sampled(given: Fields, claims: Claims) -> dict[Form, Mechanism]:
    forms, known = dict[Form, Mechanism](), dict[str, Mechanism]()
    entries = given.listed("forms")
    if len(entries) > max(MOST_FORMS, claims.k):
        raise ValueError(f"{given.path('forms')} must be at most {max(MOST_FORMS, claims.k)}: {len(entries)}")
    for i, entry in enumerate(entries):
        form = Fields(entry, given.path(f"forms[{i}]"))
        attributes = form.integers("attributes", None, 0, claims.k - 1)
        state = form.take("mechanism")
        form.done()
        text = canonical(state)
        if text not in known:  # forms of the same sizes and levels often have the same mechanism
            made = restored(state, form.path("mechanism"), given)
            if made.sampled:
                raise ValueError(f"{form.path('mechanism')} must be one of a single form")
            known[text] = made.mechanism
        place, mechanism = tuple(attributes.tolist()), known[text]
        proper = len(set(place)) == len(place)
        if not (proper and np.array_equal(mechanism.sizes, claims.sizes[attributes])):
            raise ValueError(
                f"{form.path('mechanism')} must have the sizes of its attributes, each of them once"
            )
        if place in forms:
            raise ValueError(
                f"{given.path('forms')}: every attribute must stand in a form, and no form twice"
            )
        forms[place] = mechanism
    try:
        return dict(Release(forms).forms)
    except ValueError as error:
        raise ValueError(f"{given.path('forms')}: {error}") from None


KINDS: dict[str, Callable[[Fields, Claims], Mechanism | dict[Form, Mechanism]]] = {
    "Mechanism": _mechanism,
    "TwoAttribute": _two_attribute,
    "Inductive": _inductive,
    "Certified": _certified,
    "Guarded": _guarded,
    "Sampled": _sampled,
}
