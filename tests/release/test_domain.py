"""Domains: what may be declared, and what each mistake is told."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import orr
import orr_release

BAD = [
    (
        lambda: orr_release.Domain([("sex", ["F", "M"])]),
        TypeError,
        "attributes must map names to labels, got list",
    ),
    (lambda: orr_release.Domain({}), ValueError, "attributes is empty"),
    (
        lambda: orr_release.Domain({"sex": ["F", "M"]}, public=["sex"]),
        ValueError,
        "at least one attribute must be",
    ),
    (
        lambda: orr_release.Domain({"sex": ["F"]}),
        ValueError,
        "'sex' has 1 labels and needs 2 to 1000000; a column with",
    ),
    (lambda: orr_release.Domain({"sex": []}), ValueError, "'sex' has 0 labels"),
    (lambda: orr_release.Domain({"sex": []}, missing="value"), ValueError, "'sex' has 0 labels and needs 1"),
    (
        lambda: orr_release.Domain({"sex": "FM"}),
        TypeError,
        "labels of 'sex' must be a list or a number of codes",
    ),
    (lambda: orr_release.Domain({"sex": 1.5}), TypeError, "labels of 'sex' must be a list"),
    (
        lambda: orr_release.Domain({"sex": {"F", "M"}}),
        TypeError,
        "must be a list or a number of codes, got a set",
    ),
    (lambda: orr_release.Domain({"sex": [0, 2**63]}), ValueError, "must be 64-bit integers"),
    (lambda: orr_release.Domain({"sex": ["F", "\ud800"]}), ValueError, "can be written as UTF-8"),
    (lambda: orr_release.Domain({"sex": [*range(10**5), 7]}), ValueError, "have 7 twice"),
    (lambda: orr_release.Domain({"sex": True}), TypeError, "labels of 'sex' must be a list"),
    (lambda: orr_release.Domain({"sex": 1}), ValueError, "'sex' has 1 labels"),
    (lambda: orr_release.Domain({"sex": -3}), ValueError, "'sex' has 0 labels"),
    (lambda: orr_release.Domain({"sex": 10**7}), ValueError, "needs 2 to 1000000"),
    (lambda: orr_release.Domain({"sex": ["F", "F", "M"]}), ValueError, "labels of 'sex' have 'F' twice"),
    (lambda: orr_release.Domain({"sex": ["F", 1]}), TypeError, "all strings, all booleans or all integers"),
    (lambda: orr_release.Domain({"sex": [True, 0]}), TypeError, "all strings, all booleans or all integers"),
    (lambda: orr_release.Domain({"sex": ["F", None]}), TypeError, "missing values are what missing= is for"),
    (lambda: orr_release.Domain({"sex": [0.5, 1.5]}), TypeError, "all strings, all booleans or all integers"),
    (lambda: orr_release.Domain({3: ["F", "M"]}), TypeError, "3 is not the name of an attribute"),
    (lambda: orr_release.Domain({"": ["F", "M"]}), TypeError, "names are strings, and not empty"),
    (
        lambda: orr_release.Domain({"sex": ["F", "M"]}, missing="drop"),
        ValueError,
        "missing = 'drop' must be 'refused'",
    ),
    (
        lambda: orr_release.Domain({"sex": 2}, missing={"age": "value"}),
        ValueError,
        "missing names 'age': the attributes",
    ),
    (
        lambda: orr_release.Domain({"sex": 2}, public="state"),
        TypeError,
        "must be a list of columns, not one name",
    ),
    (lambda: orr_release.Domain({"sex": 2}, public=["a", "a"]), ValueError, "public has a column twice"),
    (
        lambda: orr_release.Domain({"sex": 2}, public=["a"], withheld=["a"]),
        ValueError,
        "'a' cannot be both public",
    ),
    (
        lambda: orr_release.Domain({"sex": 2, "form": 3}).place("age"),
        ValueError,
        "no attribute 'age': there are sex, form",
    ),
    (lambda: orr_release.Domain({"sex": 2}).place(1), ValueError, "attribute 1 does not exist"),
    (lambda: orr_release.Domain({"sex": 2}).place(True), TypeError, "True is not the name or number"),
    (
        lambda: orr_release.Domain({"sex": ["F", "M"]}).code("sex", "X"),
        ValueError,
        "'X' is not a label of 'sex': they are",
    ),
    (lambda: orr_release.Domain({"sex": [0, 1]}).code("sex", True), ValueError, "True is not a label"),
    (
        lambda: orr_release.optimal(orr_release.Domain({"sex": 2}), {"age": 1.0}),
        ValueError,
        "epsilons names 'age'",
    ),
    (
        lambda: orr_release.optimal(orr_release.Domain({"sex": 2, "a": 3}), {"a": 1.0}),
        ValueError,
        "has no number for 'sex'",
    ),
    (
        lambda: orr_release.optimal(orr_release.Domain({"sex": 2, "a": 3}), [1.0]),
        ValueError,
        "2 sizes and 1 levels",
    ),
    (
        lambda: orr_release.Release(orr.kronecker([2], [1.0]), {"sex": 2}),
        TypeError,
        "domain must be a Domain, got dict",
    ),
    (
        lambda: orr_release.Release(orr.kronecker([2], [1.0]), orr_release.Domain({"sex": 3})),
        ValueError,
        r"does not fit: the sizes are \[2\]",
    ),
]


@pytest.mark.parametrize(("make", "error", "message"), BAD)
def test_mistakes_are_named(make, error, message):
    with pytest.raises(error, match=message):
        make()


label_lists = st.one_of(
    st.lists(st.text(max_size=3), min_size=2, max_size=6, unique=True),
    st.lists(st.integers(-(2**40), 2**40), min_size=2, max_size=6, unique=True),
    st.just([False, True]),
    st.just([True, False]),
)


@st.composite
def domains(draw):
    names = draw(st.lists(st.text(min_size=1, max_size=4), min_size=2, max_size=6, unique=True))
    attributes = {name: draw(label_lists) for name in names}
    public, withheld = names[-1:], names[1:-1][:1]
    kept = [name for name in names if name not in {*public, *withheld}]
    missing = {name: draw(st.sampled_from(["refused", "value"])) for name in kept}
    return orr_release.Domain(attributes, missing=missing, public=public, withheld=withheld)


@given(domains())
def test_a_domain_survives_lists_and_pickles(domain):
    for again in (orr_release.Domain.from_dict(domain.to_dict()), pickle.loads(pickle.dumps(domain))):
        assert again == domain
        assert hash(again) == hash(domain)
        assert again.labels == domain.labels
        assert [type(v) for v in again.labels[0]] == [type(v) for v in domain.labels[0]]


@given(domains())
def test_every_label_has_its_code(domain):
    for name, labels in zip(domain.names, domain.labels, strict=True):
        assert [domain.code(name, label) for label in labels] == list(range(len(labels)))
    assert domain.sizes.tolist() == [len(labels) for labels in domain.labels]


@pytest.mark.parametrize("name", ["names", "sizes", "another"])
def test_a_domain_does_not_change(name):
    domain = orr_release.Domain({"a": 2})
    with pytest.raises(AttributeError, match=f"{name} cannot be set: a Domain does not change"):
        setattr(domain, name, 1)
    with pytest.raises(AttributeError, match=f"{name} cannot be deleted"):
        delattr(domain, name)
    with pytest.raises(ValueError, match="read-only"):
        domain.sizes[0] = 3


def test_true_is_not_one():
    assert orr_release.Domain({"a": [True, False]}) != orr_release.Domain({"a": [1, 0]})
    assert orr_release.Domain({"a": [1, 0]}).code("a", np.int8(1)) == 0


def test_withheld_and_public_attributes_are_not_randomized():
    domain = orr_release.Domain(
        {"sex": 2, "name": [], "state": ["CA", "NY"]}, withheld=["name"], public=["state"]
    )
    assert domain.names == ("sex",)
    assert domain.codebook == {"state": ("CA", "NY")}
    assert "state public; name withheld" in repr(domain)


@pytest.mark.parametrize("name", ["kronecker", "two_attribute", "inductive", "radius_one", "optimal"])
def test_every_construction_takes_a_domain(name):
    domain = orr_release.Domain({"sex": ["F", "M"], "children": 3})
    plain, release = (getattr(package, name) for package in (orr, orr_release))
    named = release(domain, {"children": 1.5, "sex": 1.0})
    assert named.domain is domain
    assert named.epsilon == plain([2, 3], [1.0, 1.5]).epsilon
    assert named.construction == name


def test_labels_are_shown_as_text():
    page = orr_release.Domain({"<b>": ["&", "<i>"]}, missing="value")._repr_html_()
    assert "&lt;b&gt;" in page
    assert "&amp;, &lt;i&gt;, (missing)" in page
    assert "<b>" not in page
