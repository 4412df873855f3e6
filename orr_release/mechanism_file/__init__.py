"""Mechanisms written to files and read again."""

try:
    import msgspec  # noqa: F401 - here, so that its absence is explained before any file of the room is loaded
except ImportError:
    raise ImportError('releases need msgspec, which is not installed: pip install ".[release]"') from None
