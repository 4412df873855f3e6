"""Random bytes for real releases: a ChaCha20 stream under keys from the operating system.

The cipher comes from the package *cryptography* (the extra ``secure``). Without it every byte comes from the
operating system, which takes longer.
"""

from __future__ import annotations

import os
import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

CHUNK_BYTES = 2**16  # Bytes produced at a time; they stay in the processor's cache.
ZEROS = memoryview(bytes(CHUNK_BYTES))  # A stream cipher turns zeros into its stream.
# Rekey after 16 MiB, so that a leaked key exposes little past output. Rekeying costs under 1%. The cipher
# itself would allow 2^38 bytes.
MAX_KEY_BYTES = 2**24


class Stream(threading.local):
    """An endless supply of random bytes that are drawn only once.

    Every thread has a key of its own, and so have a forked process, a copy and an unpickled stream: no two of
    them ever draw the same bytes.

    Examples
    --------
    >>> Stream().bytes(3).shape
    (3,)
    """

    def __init__(self) -> None:  # threading.local calls it anew in every thread
        self._process, self._left = -1, 0
        self._cipher: Any = None

    def __reduce__(self) -> tuple[type[Stream], tuple[()]]:
        return Stream, ()

    def bytes(self, size: int) -> NDArray[np.uint8]:
        """Return ``size`` bytes, uniform and independent as far as the cipher is secure."""
        result = np.empty(size, dtype=np.uint8)
        for start in range(0, size, CHUNK_BYTES):
            part = result[start : start + CHUNK_BYTES]
            if self._left < len(part) or self._process != os.getpid():
                self._process, self._left, self._cipher = os.getpid(), MAX_KEY_BYTES, _cipher()
            self._left -= len(part)
            if self._cipher is None:
                part[:] = np.frombuffer(os.urandom(len(part)), dtype=np.uint8)
            else:
                self._cipher.update_into(ZEROS[: len(part)], part)
        return result


def _cipher() -> Any:
    """Return ChaCha20 under a new key, or None if it is not available. A key used once needs no nonce."""
    try:
        from cryptography.exceptions import UnsupportedAlgorithm
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms
    except ImportError:
        return None
    try:
        return Cipher(algorithms.ChaCha20(os.urandom(32), bytes(16)), mode=None).encryptor()
    except UnsupportedAlgorithm:  # for example where only FIPS-approved algorithms are allowed
        return None
