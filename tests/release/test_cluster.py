"""A release in parts: by threads, by processes that start from nothing, and on a real cluster."""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

import orr_release
from tests.chance import deviation
from tests.common import some_slow

dask = pytest.importorskip("dask")
dd = pytest.importorskip("dask.dataframe")

ROWS, PARTS = 40_000, 8
DOMAIN = orr_release.Domain({"a": ["x", "y"], "b": 16, "c": 16, "d": [False, True]}, missing={"a": "value"})


@pytest.fixture(scope="module")
def client():
    """Two worker processes, each with its own entropy."""
    distributed = pytest.importorskip("distributed")  # here, because it takes its time
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


@pytest.fixture(scope="module")
def mechanism():
    return orr_release.allocate(6.0, DOMAIN)


def release_in_parts(how, mechanism, people, folder, request):
    """Write every part of a release, once: lazy frames are drawn anew."""
    if how == "processes":
        folder.mkdir()
        parts = dask.compute(*people.to_delayed(), scheduler="threads")
        with ProcessPoolExecutor(2, get_context("spawn")) as pool:
            for i, part in enumerate(pool.map(mechanism.perturb, parts)):
                part.to_parquet(folder / f"part.{i}.parquet")
    elif how == "threads":
        mechanism.perturb(people).to_parquet(folder, compute_kwargs={"scheduler": "threads"})
    else:
        client = request.getfixturevalue("client")
        mechanism.perturb(people).to_parquet(folder)
        assert len(client.scheduler_info()["workers"]) == 2


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("how", some_slow(["threads", "processes", "cluster"], "cluster"))
def test_partitions_do_not_share_their_noise(how, mechanism, people, tmp_path, request):
    release_in_parts(how, mechanism, people, tmp_path / "released", request)
    released = dd.read_parquet(tmp_path / "released")
    assert list(released.columns) == ["a", "b", "c", "d"]
    assert released.npartitions == PARTS
    files = [tmp_path / "released" / f"part.{i}.parquet" for i in range(PARTS)]
    parts = [pd.read_parquet(path).astype(str).to_numpy().tolist() for path in files]
    # 5,000 rows that agree by chance are out of the question, and so is a tenth of them in place.
    for i, one in enumerate(parts):
        for other in parts[:i]:
            same = np.mean([x == y for x, y in zip(one, other, strict=True)])
            assert same < 0.9
            assert one != other
    whole = mechanism.estimate(released, ["b"])
    assert whole.counts.sum() == pytest.approx(ROWS)
    # The count is a line in the number of those who released a 3, and so is within its range.
    q = mechanism.levels.flip_probabilities[1]
    counted = np.array(binom.ppf([1e-11, 1 - 1e-11], ROWS, 1 - q))  # fails by chance with at most 2e-11
    low, high = (counted - ROWS * q / 15) / (1 - q * 16 / 15)
    assert low <= whole.counts[3] <= high
    eager = mechanism.estimate(released.compute(), ["b"])
    np.testing.assert_allclose(whole.counts, eager.counts)
    np.testing.assert_allclose(whole.standard_errors, eager.standard_errors)


@pytest.mark.parametrize("rng", [1, np.random.default_rng(1)])
def test_a_shared_seed_is_refused(people, rng):
    with pytest.raises(ValueError, match="rng must be left out for a dask frame"):
        orr_release.kronecker(DOMAIN, [1.0] * 4).perturb(people, rng=rng)


@pytest.mark.slow  # a cluster of its own, where tests run on two cores
@pytest.mark.statistical
@pytest.mark.filterwarnings("ignore")
def test_sampled_releases_keep_their_forms(client, people):
    mechanism = orr_release.sampled(DOMAIN, 4.0, 2)
    released = mechanism.perturb(people).persist()
    assert list(released.columns) == ["a", "b", "c", "d", "form"]
    found = mechanism.estimate(released, ["b", "c"])
    # Everybody adds nothing, or, asked both, six times an entry of the inverse.
    matrix = dict(mechanism.forms)[1, 2].matrix()
    channel, terms = matrix[:, 3 * 16 + 5], 6 * np.linalg.inv(matrix)[3 * 16 + 5]
    limit = deviation(ROWS * (terms**2 @ channel / 6 - 1), np.abs(terms).max() + 1)
    assert abs(found.counts[3, 5] - ROWS) < limit < ROWS
