"""Random bytes for real releases: a ChaCha20 stream under keys from the operating system.

The cipher comes from the package *cryptography* (the extra ``secure``). Without it every byte comes from the
operating system itself, which takes longer.
"""

from __future__ import annotations

import os
import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

CHUNK = 2**16  # bytes made at a time: they stay in the processor's cache
ZEROS = memoryview(bytes(CHUNK))  # a stream cipher turns zeros into its stream
# Bytes under one key: a key that leaks tells no more of what was drawn before, and a new one takes less than
# 1% of the time of as many bytes. The cipher itself would allow 2^38.
PER_KEY = 2**24


class Stream(threading.local):
    """An endless supply of random bytes that no one else gets.

    Every thread has a key of its own, and so have a process after a fork, a copy, and what comes out of a
    pickle: no two ever draw the same bytes.

    Examples
    --------
    >>> Stream().bytes(3).shape
    (3,)
    """

    def __init__(self) -> None:  # called anew in every thread
        self._process, self._left = -1, 0
        self._cipher: Any = None

    def __reduce__(self) -> tuple[type[Stream], tuple[()]]:
        return Stream, ()

    def bytes(self, size: int) -> NDArray[np.uint8]:
        """Return so many bytes, fair and independent up to what is known of the cipher."""
        result = np.empty(size, dtype=np.uint8)
        for start in range(0, size, CHUNK):
            part = result[start : start + CHUNK]
            if self._left < len(part) or self._process != os.getpid():
                self._process, self._left, self._cipher = os.getpid(), PER_KEY, _cipher()
            self._left -= len(part)
            if self._cipher is None:
                part[:] = np.frombuffer(os.urandom(len(part)), dtype=np.uint8)
            else:
                self._cipher.update_into(ZEROS[: len(part)], part)
        return result


def _cipher() -> Any:
    """Return ChaCha20 with a new key, or None where it cannot be had; a key used once needs no nonce."""
    try:
        from cryptography.exceptions import UnsupportedAlgorithm
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms
    except ImportError:
        return None
    try:
        return Cipher(algorithms.ChaCha20(os.urandom(32), bytes(16)), mode=None).encryptor()
    except UnsupportedAlgorithm:  # where only approved algorithms are allowed
        return None
