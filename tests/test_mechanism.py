"""Released records follow the law, and mutants are caught."""

import copy
import pickle

import numpy as np
import pytest
from scipy.stats import beta

import orr
import orr_release
from orr.laws.cells import Cells
from orr.laws.single_flip import SingleFlip
from tests.chance import EACH, fits, seed
from tests.common import CONSTRUCTIONS, ball_mechanism

SIZES, LEVELS = [2, 3, 4], [1.0, 1.5, 2.0]
every_construction = pytest.mark.parametrize("name", CONSTRUCTIONS)


def told(mechanism, n=20_000, share=1.0):
    """Share of true values that are released, and whether each is as often as claimed."""
    records = np.random.default_rng(0).integers(0, mechanism.sizes, (n, len(mechanism.sizes)))
    truths = (mechanism.perturb(records, seed(1)) == records).sum(axis=0)
    return truths / n, fits(truths, n, 1 - mechanism.flip_probabilities, share)


@pytest.mark.statistical
@pytest.mark.parametrize(
    ("sizes", "levels"),
    [
        ([1000, 1000, 3, 10**6], [18.0, 18.0, 36.0, 1e-10]),
        ([2, 2, 3, 2, 10**6], [8.0, 8.0, 6.0, 3.0, 1e-11]),
    ],
)
def test_an_attribute_that_is_almost_never_kept_is_not_always_kept(sizes, levels):
    for limit in (None, 1e-9):
        kept, right = told(orr.optimal(sizes, levels, time_limit=limit), share=0.5)
        assert kept[-1] < 1e-3
        assert right.all()


@pytest.mark.statistical
@pytest.mark.parametrize(
    ("sizes", "levels"),
    [
        pytest.param([1000, 10**6, 10**6, 5], [0.0068, 17.8, 0.1, 700.0], marks=pytest.mark.slow),
        ([10, 10**6, 2, 2], [4.13, 25.6, 8.59, 700.0]),
    ],
)
def test_levels_whose_masses_pass_the_largest_double_are_kept(sizes, levels):
    _, right = told(orr.guarded(sizes, levels, 0.1))
    assert right.all()


@pytest.mark.statistical
@every_construction
def test_released_records_follow_the_matrix(name):
    mechanism = CONSTRUCTIONS[name](SIZES, LEVELS)
    check_sampler(mechanism, seed(5))


@pytest.mark.statistical
@every_construction
def test_operating_system_entropy_follows_the_matrix_too(name):
    check_sampler(CONSTRUCTIONS[name](SIZES, LEVELS), None)


def check_sampler(mechanism, rng, share=1.0, n=120_000):
    sizes = tuple(mechanism.sizes)
    column = len(mechanism.matrix()) // 2
    record = np.array(np.unravel_index(column, sizes))
    released = mechanism.perturb(np.tile(record, (n, 1)), rng)
    seen = np.bincount(np.ravel_multi_index(released.T, sizes), minlength=len(mechanism.matrix()))
    assert fits(seen, n, mechanism.matrix()[:, column], share).all()


def audit(mechanism, rng, share=1.0, n=400_000):
    """Clopper-Pearson audit of the worst output and pair: the level must not be refuted.

    The truth, and a record that differs from it everywhere, are the inputs under which the release
    of the truth differs most.
    """
    sizes, tail = mechanism.sizes, share * EACH / 2
    target = np.zeros(len(sizes), dtype=int)
    often, seldom = (
        int((mechanism.perturb(np.tile(truth, (n, 1)), rng) == target).all(axis=1).sum())
        for truth in (target, target + 1)
    )
    low = beta.ppf(tail, often, n - often + 1)
    high = beta.isf(tail, seldom + 1, n - seldom)
    assert np.log(low / high) <= mechanism.epsilon


@pytest.mark.statistical
@every_construction
def test_audit_accepts_the_samplers(name):
    audit(CONSTRUCTIONS[name](SIZES, LEVELS), seed(3))


@pytest.mark.statistical
def test_audit_and_law_accept_balls():
    audit(ball_mechanism(SIZES, LEVELS), seed(3), 1 / 3)
    check_sampler(ball_mechanism(SIZES, LEVELS), seed(5), 1 / 3)
    check_sampler(ball_mechanism([2, 2, 3, 3], [0.4, 0.4, 0.5, 0.6]), None, 1 / 3)


class LieMayBeTrue(SingleFlip):
    """Mutant: a lying attribute takes any value, its true one included."""

    def perturb(self, records, source):
        released = super().perturb(records, source)
        lie = (released != records) & (source.integers(self.problem.sizes, records.shape) == 0)
        return np.where(lie, records, released)


class NoUniformPart(SingleFlip):
    """Mutant: nobody ever gets a uniformly random record."""

    def perturb(self, records, source):
        class Lifted(type(source)):
            def choose(self, odds, shape, against=1.0):
                return np.ones(shape, dtype=bool)

        lifted = Lifted.__new__(Lifted)
        lifted.__dict__ = source.__dict__
        return super().perturb(records, lifted)


class TooTruthful(Cells):
    """Mutant: the uniform part is half as likely as it should be."""

    def perturb(self, records, source):
        released = super().perturb(records, source)
        again = source.coins(np.array(0.5), (len(records), 1))
        return np.where(again & (released != records).all(axis=1, keepdims=True), records, released)


def mutant(kind):
    honest = orr.radius_one(SIZES, LEVELS).law
    if kind is TooTruthful:
        law = orr.linear_program(SIZES, LEVELS).solve().law
        return orr.Mechanism(kind(law.problem, law.kinds, law.cells, law.log_excess))
    return orr.Mechanism(kind(honest.problem, honest.z0, honest.z))


@pytest.mark.statistical
@pytest.mark.parametrize("kind", [LieMayBeTrue, NoUniformPart, TooTruthful])
def test_audit_and_law_catch_broken_samplers(kind):
    with pytest.raises(AssertionError):
        audit(mutant(kind), seed(3))
    with pytest.raises(AssertionError):
        check_sampler(mutant(kind), seed(5))


@every_construction
def test_seeds_repeat_and_entropy_does_not(name):
    mechanism = CONSTRUCTIONS[name](SIZES, LEVELS)
    records = np.zeros((200, len(mechanism.sizes)), dtype=int)
    first, second = mechanism.perturb(records, 1), mechanism.perturb(records, 1)
    np.testing.assert_array_equal(first, second)
    rng = np.random.default_rng(1)
    drawn = mechanism.perturb(records, rng)
    np.testing.assert_array_equal(mechanism.perturb(records, np.random.default_rng(1)), drawn)
    assert (mechanism.perturb(records, rng) != drawn).any()
    assert (mechanism.perturb(records) != mechanism.perturb(records)).any()


def test_a_seed_is_not_the_callers_own_stream():
    records = np.random.default_rng(1).integers(0, 2, (100_000, 1), dtype=np.uint16)
    mechanism = orr.kronecker([2], [1.0])
    flipped = mechanism.perturb(records, 1) != records
    for value in (0, 1):
        chosen = flipped[records == value]
        assert fits(chosen.sum(), chosen.size, mechanism.flip_probabilities[0])


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.uint16, np.int64, np.uint64])
@pytest.mark.parametrize("construct", [orr.kronecker, orr.inductive])
def test_records_keep_their_type_and_range(dtype, construct):
    sizes = [2, 100, 128]
    records = np.random.default_rng(2).integers(0, sizes, (5000, 3)).astype(dtype)
    before = records.copy()
    released = construct(sizes, [0.5, 0.5, 0.5]).perturb(records, 1)
    assert released.dtype == dtype
    assert ((released >= 0) & (released < np.array(sizes))).all()
    np.testing.assert_array_equal(records, before)


@pytest.mark.statistical
@pytest.mark.parametrize("construct", [orr.kronecker, orr.inductive])
def test_a_thousand_attributes(construct):
    rng = np.random.default_rng(4)
    sizes, levels = rng.integers(2, 6, 1000), rng.uniform(1, 10, 1000)
    mechanism = construct(sizes, levels)
    records = rng.integers(0, sizes, (2000, 1000))
    flipped = (mechanism.perturb(records, seed(4)) != records).sum(axis=0)
    assert fits(flipped, 2000, mechanism.flip_probabilities).all()


@pytest.mark.parametrize("name", [*CONSTRUCTIONS, "sampled", "domain"])
def test_nothing_changes_once_it_is_made(name):
    domain = orr_release.Domain({"sex": 2, "age": 3})
    makers = {"sampled": lambda sizes, levels: orr_release.sampled(domain, 4.0), "domain": lambda *_: domain}
    made = (CONSTRUCTIONS | makers)[name](SIZES, LEVELS)
    for each in (made, copy.copy(made), copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
        for attribute in ("epsilon", "domain", "law", "sizes", "labels", "anything"):
            with pytest.raises(
                AttributeError, match=f"{attribute} cannot be set|cannot assign .*{attribute}"
            ):
                setattr(each, attribute, 0.1)
        with pytest.raises(AttributeError, match=r"sizes cannot be deleted|cannot delete .*sizes"):
            del each.sizes
        assert repr(each) == repr(made)
        if name in makers:
            assert each == made


def test_copies_of_levels_cannot_be_written_to():
    levels = orr.optimal(SIZES, LEVELS).levels
    for each in (levels, copy.copy(levels), copy.deepcopy(levels), pickle.loads(pickle.dumps(levels))):
        assert vars(each).keys() == vars(levels).keys()
        for name, values in vars(each).items():
            np.testing.assert_array_equal(values, getattr(levels, name))
            assert name == "epsilon" or not values.flags.writeable
