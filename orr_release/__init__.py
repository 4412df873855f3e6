"""Releasing tables and files (chapter release)."""

import orr  # noqa: F401
