import os

import matplotlib
import pytest
from hypothesis import HealthCheck, settings

from tests.chance import INSTANCES
from tests.common import examples

matplotlib.use("agg")
SLOW = [HealthCheck.too_slow]
# The same examples each time, so that a test does not fail by itself; others with ORR_FRESH=1.
REPEATED = os.environ.get("ORR_FRESH") != "1"
settings.register_profile(
    "orr", examples(100), deadline=None, derandomize=REPEATED, suppress_health_check=SLOW
)
settings.load_profile("orr")


@pytest.hookimpl(tryfirst=True)  # before slow tests are left out
def pytest_collection_modifyitems(items):
    """Hold the number of statistical tests to what their bounds allow."""
    found = sum(item.get_closest_marker("statistical") is not None for item in items)
    assert found <= INSTANCES, f"{found} statistical tests: raise INSTANCES in tests/chance.py"
