import os

import matplotlib
from hypothesis import HealthCheck, settings

matplotlib.use("agg")
# So many problems are drawn for a property that does not say how many: `make unit` draws fewer.
settings.register_profile(
    "orr",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    max_examples=int(os.environ.get("ORR_EXAMPLES", "100")),
)
settings.load_profile("orr")
