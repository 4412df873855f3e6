"""Every bad input gets a clear error, every odd but legal one a right answer."""

import numpy as np
import pytest

import orr

PUBLIC = [
    orr.kronecker,
    orr.linear_program,
    orr.inductive,
    orr.radius_one,
    orr.two_attribute,
    orr.optimal,
    orr.information_floor,
]

every_function = pytest.mark.parametrize("function", PUBLIC, ids=lambda f: f.__name__)


@every_function
@pytest.mark.parametrize(
    ("sizes", "error", "words"),
    [
        ([1, 3], ValueError, r"sizes\[0\] = 1 must be"),
        ([2.5, 3], TypeError, r"sizes\[0\] = 2.5 must be an integer"),
        ([3, 2.0], TypeError, "must be an integer"),
        ([3, -3], ValueError, r"sizes\[1\] = -3 must be"),
        (["4", 3], TypeError, r"sizes\[0\] = '4' must be an integer"),
        ("44", TypeError, "sizes must be a sequence"),
        ([], ValueError, "sizes is empty"),
        (4, TypeError, "sizes must be a sequence"),
        (None, TypeError, "sizes must be a sequence"),
        ({2, 3}, TypeError, "sizes must be a sequence"),
        ([True, True], TypeError, r"sizes\[0\] = True must be"),
        ([[2, 3], [4]], TypeError, r"sizes\[0\] = \[2, 3\] must be"),
        ([10**30, 2], ValueError, r"sizes\[0\] = 10+ must be"),
        ([10**6 + 1, 2], ValueError, r"between 2 and 1000000"),
        (np.ma.array([2, 3], mask=[0, 1]), ValueError, "masked"),
        (np.array(3), TypeError, "sizes must be a sequence"),
        ([np.nan, 2], TypeError, r"sizes\[0\] = nan must be an integer"),
    ],
)
def test_bad_sizes(function, sizes, error, words):
    with pytest.raises(error, match=words):
        function(sizes, [1.0, 1.0])


@every_function
@pytest.mark.parametrize(
    ("levels", "error", "words"),
    [
        ([0, 1.0], ValueError, r"epsilons\[0\] = 0.0 must be a finite level"),
        ([1.0, -1], ValueError, r"epsilons\[1\] = -1.0 must be"),
        ([1.0, np.nan], ValueError, r"epsilons\[1\] = nan must be"),
        ([np.inf, 1.0], ValueError, r"epsilons\[0\] = inf must be"),
        ([1.0, 701.0], ValueError, r"epsilons\[1\] = 701.0 must be"),
        ([1.0, 1e-13], ValueError, r"epsilons\[1\] = 1e-13 must be"),
        (["1", 1.0], TypeError, r"epsilons\[0\] = '1' must be"),
        ([None, 1.0], TypeError, r"epsilons\[0\] = None must be"),
        ([1j, 1.0], TypeError, "must be a positive number"),
        ([], ValueError, "epsilons is empty"),
        (1.0, TypeError, "epsilons must be a sequence"),
        ([1.0], ValueError, "got 2 sizes and 1 levels"),
        ([1.0, 1.0, 1.0], ValueError, "got 2 sizes and 3 levels"),
    ],
)
def test_bad_levels(function, levels, error, words):
    with pytest.raises(error, match=words):
        function([2, 3], levels)


@pytest.mark.parametrize("levels", [[1e-9, 1e-9], [700.0, 700.0], [1e-9, 700.0], [700.0, 1e-9], [1e-12, 1.0]])
@pytest.mark.parametrize("sizes", [[2, 2], [2, 10_000], [10_000, 10_000], [10**6, 2], [2, 10**6]])
@pytest.mark.parametrize(
    "construct", [orr.kronecker, orr.two_attribute, orr.inductive, orr.radius_one, orr.optimal]
)
def test_extreme_problems_have_finite_right_answers(construct, sizes, levels):
    mechanism = construct(sizes, levels)
    assert max(levels) - 1e-9 <= mechanism.epsilon <= sum(levels) * (1 + 1e-12) + 1e-12
    for values in (mechanism.epsilons, mechanism.neighbour_epsilons, mechanism.flip_probabilities):
        assert np.isfinite(values).all()
    assert (mechanism.neighbour_epsilons <= mechanism.epsilon * (1 + 1e-12)).all()
    released = mechanism.perturb(np.zeros((50, 2), dtype=int), 1)
    assert released.shape == (50, 2)
    if min(levels) == 700:
        assert not released.any()
    assert 0 <= orr.information_floor(sizes, levels) <= mechanism.epsilon
    assert "nan" not in repr(mechanism) + mechanism._repr_html_()


@pytest.mark.parametrize("k", [1, 3])
def test_two_attribute_needs_two(k):
    with pytest.raises(ValueError, match=f"exactly 2 attributes, got {k}"):
        orr.two_attribute([2] * k, [1.0] * k)


def test_one_attribute_is_randomized_response_or_an_error():
    with pytest.raises(ValueError, match="at least 2 attributes"):
        orr.inductive([4], [1.5])
    for mechanism in (orr.kronecker([4], [1.5]), orr.radius_one([4], [1.5])):
        np.testing.assert_allclose(mechanism.epsilon, 1.5, atol=1e-12)
        np.testing.assert_allclose(mechanism.neighbour_epsilons, [1.5])
        np.testing.assert_allclose(mechanism.matrix(), orr.kronecker([4], [1.5]).matrix(), rtol=1e-12)
        assert repr(mechanism).startswith("<Mechanism: 1 attribute, ")


def test_a_million_attributes():
    rng = np.random.default_rng(1)
    sizes, levels = rng.integers(2, 6, 10**6), rng.uniform(1, 10, 10**6)
    for mechanism in (orr.kronecker(sizes, levels), orr.inductive(sizes, levels)):
        assert np.isfinite(mechanism.epsilon)
        assert np.isfinite(mechanism.neighbour_epsilons).all()
        assert "1000000 attributes" in repr(mechanism)
        assert len(mechanism._repr_html_()) < 5000
        released = mechanism.perturb(np.zeros((1, 10**6), dtype=np.int8), 1)
        assert (released < sizes).all()
    with pytest.raises(orr.NotApplicable):
        orr.radius_one(sizes, levels)
    with pytest.raises(ValueError, match="up to 4096 different records"):
        mechanism.matrix()


def test_what_belongs_to_a_mechanism_is_read_only():
    mechanism = orr.inductive([2, 3, 4], [1.0, 1.5, 2.0])
    for name in ("sizes", "epsilons", "flip_probabilities", "neighbour_epsilons", "fell_back"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(mechanism, name)[0] = 0


def test_table_shows_asked_and_achieved_levels():
    mechanism = orr.inductive([2, 3, 4], [1.0, 1.5, 2.0])
    row = mechanism._repr_html_().split("<tr>")[-1]
    assert "<td>2</td><td>1.7303</td>" in row


@pytest.mark.parametrize(
    ("rng", "error"), [("1", TypeError), (1.5, TypeError), (True, TypeError), (-1, ValueError)]
)
def test_bad_rng(rng, error):
    with pytest.raises(error, match="rng"):
        orr.kronecker([2, 3], [1.0, 1.0]).perturb([[0, 0]], rng)


@pytest.mark.parametrize(
    ("attributes", "error"),
    [([], ValueError), ([0, 0], ValueError), ([2], ValueError), (-1, ValueError), ([0.0], TypeError),
     ("0", TypeError), (None, TypeError), ([True], TypeError), (1.0, TypeError), (np.array(0), TypeError)],
)  # fmt: skip
def test_bad_attributes(attributes, error):
    with pytest.raises(error, match="attribute"):
        orr.kronecker([2, 3], [1.0, 1.0]).estimate([[0, 0]], attributes)


@pytest.mark.parametrize(
    ("flips", "error"),
    [([2], ValueError), ([-1], ValueError), ("0", TypeError), (0, TypeError), ([0.0], TypeError)],
)
def test_bad_flip_sets(flips, error):
    with pytest.raises(error, match="attribute"):
        orr.kronecker([2, 3], [1.0, 1.0]).log_ratio(flips)


def test_flip_sets_are_sets():
    mechanism = orr.kronecker([2, 3], [1.0, 2.0])
    assert mechanism.log_ratio({1}) == mechanism.log_ratio([1, 1]) == mechanism.log_ratio(iter([np.int64(1)]))


def test_tables_that_are_too_large():
    mechanism = orr.kronecker([10_000, 10_000], [1.0, 1.0])
    with pytest.raises(ValueError, match="more than 1000000 cells"):
        mechanism.estimate([[0, 0]], [0, 1])
    many = orr.kronecker([2] * 9, [1.0] * 9)
    with pytest.raises(ValueError, match="1 to 8 different attributes"):
        many.estimate(np.zeros((1, 9), dtype=int), range(9))
    with pytest.raises(ValueError, match="up to 4096 different records"):
        mechanism.matrix()


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64, np.int8])
def test_numbers_of_numpy_are_numbers(kind):
    one = kind(1)  # warnings are errors: comparing it with what its kind cannot hold would warn
    assert orr.optimal([2, 3], [1, 1], gap=one, time_limit=one).epsilon < 2
    assert orr.guarded([2, 3], [1, 1], one).epsilon < 2
