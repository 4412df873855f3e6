import math
import os

import matplotlib
from hypothesis import HealthCheck, settings

matplotlib.use("agg")
settings.register_profile("orr", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("orr")
SHARE = float(os.environ.get("ORR_EXAMPLES", "100")) / 100
SETTINGS = "_hypothesis_internal_use_settings"  # where hypothesis keeps those of a test


def pytest_collection_modifyitems(items):
    """Draw a share of the examples of each property: `make unit` draws fewer than a push does."""
    tests = {id(item.obj): item.obj for item in items if hasattr(getattr(item, "obj", None), "hypothesis")}
    for test in tests.values() if SHARE < 1 else ():
        own = getattr(test, SETTINGS, None) or settings()
        setattr(test, SETTINGS, settings(own, max_examples=math.ceil(own.max_examples * SHARE)))
