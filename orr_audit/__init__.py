"""Certificates checked to the last digit, or exported for Coq."""

import orr  # noqa: F401
