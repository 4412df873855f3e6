"""A release on a real cluster: two worker processes, each with its own entropy."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

import orr
from tests.chance import deviation

dd = pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")

ROWS, PARTS = 40_000, 8
DOMAIN = orr.Domain({"a": ["x", "y"], "b": 16, "c": 16, "d": [False, True]}, missing={"a": "value"})


@pytest.fixture(scope="module")
def client():
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def people():
    """Everybody has the same record, so that equal partitions would show equal noise."""
    alike = pd.DataFrame({"a": ["x"], "b": [3], "c": [5], "d": [True], "name": ["Kim"]})
    return dd.from_pandas(pd.concat([alike] * ROWS, ignore_index=True), npartitions=PARTS)


@pytest.mark.filterwarnings("ignore")
def test_partitions_do_not_share_their_noise(client, people, tmp_path):
    mechanism = orr.allocate(6.0, DOMAIN)
    mechanism.perturb(people).to_parquet(tmp_path / "released")  # once: lazy frames are drawn anew
    released = dd.read_parquet(tmp_path / "released")
    assert list(released.columns) == ["a", "b", "c", "d"]
    assert released.npartitions == PARTS
    parts = [part.compute().astype(str).to_numpy().tolist() for part in released.partitions]
    assert len(client.scheduler_info()["workers"]) == 2
    # 5,000 rows that agree by chance are out of the question, and so is a tenth of them in place.
    for i, one in enumerate(parts):
        for other in parts[:i]:
            same = np.mean([x == y for x, y in zip(one, other, strict=True)])
            assert same < 0.9
            assert one != other
    whole = mechanism.estimate(released, ["b"])
    assert whole.counts.sum() == pytest.approx(ROWS)
    # The count is a line in the number of those who released a 3, and so is within its range.
    q = mechanism.flip_probabilities[1]
    counted = np.array(binom.ppf([1e-11, 1 - 1e-11], ROWS, 1 - q))  # fails by chance with at most 2e-11
    low, high = (counted - ROWS * q / 15) / (1 - q * 16 / 15)
    assert low <= whole.counts[3] <= high
    eager = mechanism.estimate(released.compute(), ["b"])
    np.testing.assert_allclose(whole.counts, eager.counts)
    np.testing.assert_allclose(whole.standard_errors, eager.standard_errors)


@pytest.mark.parametrize("rng", [1, np.random.default_rng(1)])
def test_a_shared_seed_is_refused(people, rng):
    with pytest.raises(ValueError, match="rng must be left out for a dask frame"):
        orr.kronecker(DOMAIN, [1.0] * 4).perturb(people, rng=rng)


@pytest.mark.slow  # a cluster of its own, where tests run on two cores
@pytest.mark.statistical
@pytest.mark.filterwarnings("ignore")
def test_sampled_releases_keep_their_forms(client, people):
    mechanism = orr.sampled(DOMAIN, 4.0, 2)
    released = mechanism.perturb(people).persist()
    assert list(released.columns) == ["a", "b", "c", "d", "form"]
    found = mechanism.estimate(released, ["b", "c"])
    # Everybody adds nothing, or, asked both, six times an entry of the inverse.
    channel = mechanism.mechanisms[mechanism.forms.index((1, 2))].matrix()[:, 3 * 16 + 5]
    terms = 6 * np.linalg.inv(mechanism.mechanisms[mechanism.forms.index((1, 2))].matrix())[3 * 16 + 5]
    limit = deviation(ROWS * (terms**2 @ channel / 6 - 1), np.abs(terms).max() + 1)
    assert abs(found.counts[3, 5] - ROWS) < limit < ROWS
