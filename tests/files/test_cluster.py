"""A release on a real cluster: two worker processes, each with its own entropy."""

import numpy as np
import pandas as pd
import pytest

import orr

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
    assert abs(whole.counts[3] - ROWS) < 6 * whole.standard_errors[3]
    eager = mechanism.estimate(released.compute(), ["b"])
    np.testing.assert_allclose(whole.counts, eager.counts)
    np.testing.assert_allclose(whole.standard_errors, eager.standard_errors)


@pytest.mark.parametrize("rng", [1, np.random.default_rng(1)])
def test_a_shared_seed_is_refused(people, rng):
    with pytest.raises(ValueError, match="rng must be left out for a dask frame"):
        orr.kronecker(DOMAIN, [1.0] * 4).perturb(people, rng=rng)


@pytest.mark.filterwarnings("ignore")
def test_sampled_releases_keep_their_forms(client, people):
    mechanism = orr.sampled(DOMAIN, 4.0, 2)
    released = mechanism.perturb(people).persist()
    assert list(released.columns) == ["a", "b", "c", "d", "form"]
    found = mechanism.estimate(released, ["b", "c"])
    assert abs(found.counts[3, 5] - ROWS) < 6 * found.standard_errors[3, 5]
