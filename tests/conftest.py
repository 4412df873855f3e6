import matplotlib
from hypothesis import HealthCheck, settings

matplotlib.use("agg")
settings.register_profile("orr", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("orr")
