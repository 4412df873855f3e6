"""The stream of real releases: known answers, keys that are never shared, and broken mutants caught."""

import copy
import os
import pickle
import sys
import threading

import numpy as np
import pytest

from orr import entropy
from orr.entropy import CHUNK_BYTES, MAX_KEY_BYTES, Stream
from orr.randomness import Source
from tests.chance import fits

# RFC 8439, appendix A.1, test vectors 1 and 2: blocks 0 and 1 under a key and a nonce of zeros.
RFC_8439 = bytes.fromhex(
    "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"
    "da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586"
    "9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed"
    "29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f"
)
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")


@pytest.fixture(params=["cipher", "system"])
def kind(request, monkeypatch):
    """Where bytes come from: the cipher, or the system where the package is missing."""
    if request.param == "system":
        monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.ciphers", None)
    else:
        pytest.importorskip("cryptography")
    return request.param


def test_the_stream_is_that_of_the_standard(monkeypatch):
    pytest.importorskip("cryptography")
    monkeypatch.setattr(os, "urandom", bytes)
    stream = Stream()
    assert stream.bytes(100).tobytes() + stream.bytes(28).tobytes() == RFC_8439
    words = Source(None).words((64,), np.uint16)
    assert words.astype("<u2").tobytes() == RFC_8439 or sys.byteorder == "big"


def test_it_is_the_system_where_the_package_is_missing(kind, monkeypatch):
    asked = []
    monkeypatch.setattr(os, "urandom", lambda size: asked.append(size) or bytes(range(size % 256)) * 1)
    drawn = Stream().bytes(40)
    assert asked == ([32] if kind == "cipher" else [40])
    assert (drawn.tolist() == list(range(40))) == (kind == "system")


def test_it_is_the_system_where_the_cipher_is_not_allowed(monkeypatch):
    exceptions = pytest.importorskip("cryptography.exceptions")
    from cryptography.hazmat.primitives import ciphers

    def refuse(*arguments, **named):
        raise exceptions.UnsupportedAlgorithm("not here")

    monkeypatch.setattr(ciphers, "Cipher", refuse)
    assert entropy._cipher() is None
    assert len(Stream().bytes(5)) == 5


def test_keys_are_used_for_so_much_and_no_more(monkeypatch):
    pytest.importorskip("cryptography")
    keys, urandom = [], os.urandom
    monkeypatch.setattr(os, "urandom", lambda size: keys.append(urandom(size)) or keys[-1])
    stream = Stream()
    for size in (MAX_KEY_BYTES - 1, 1, 1, 2 * MAX_KEY_BYTES + CHUNK_BYTES):
        assert len(stream.bytes(size)) == size
    assert len(set(keys)) == len(keys) == 4
    assert {len(key) for key in keys} == {32}


def in_a_fork(stream, size=32):
    """Bytes that a forked process draws from a stream."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.write(write, stream.bytes(size).tobytes())
        os._exit(0)
    os.waitpid(child, 0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        return pipe.read()


def check_forks(stream):
    stream.bytes(10)
    children = [in_a_fork(stream), in_a_fork(stream)]
    assert len({*children, stream.bytes(32).tobytes()}) == 3


@needs_fork
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
def test_forks_draw_other_bytes(kind):
    check_forks(Stream())


class Unaware(Stream):
    """Mutant: a process after a fork goes on with the key of its parent."""

    def bytes(self, size):
        self._process = os.getpid()
        return super().bytes(size)


@needs_fork
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
def test_a_stream_that_forks_share_is_caught():
    pytest.importorskip("cryptography")
    with pytest.raises(AssertionError):
        check_forks(Unaware())


def test_copies_and_pickles_draw_other_bytes(kind):
    source = Source(None)
    source.words((10,), np.uint16)
    others = [copy.copy(source), copy.deepcopy(source), pickle.loads(pickle.dumps(source)), Source(None)]
    drawn = {s.words((16,), np.uint16).tobytes() for s in (source, *others)}
    assert len(drawn) == 5


def test_threads_draw_other_bytes_and_all_of_them(kind):
    stream, drawn = Stream(), []

    def draw():
        drawn.extend(stream.bytes(32).tobytes() for _ in range(200))

    threads = [threading.Thread(target=draw) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(drawn)) == len(drawn) == 800


def test_a_key_is_not_shown(monkeypatch):
    monkeypatch.setattr(os, "urandom", lambda size: b"k" * size)
    stream = Stream()
    stream.bytes(1)
    shown = repr(stream) + str(vars(stream)) + repr(Source(None)) + repr(pickle.dumps(stream))
    assert "kkkk" not in shown
    assert (b"k" * 32).hex() not in shown


def check_bytes(stream, size=3 * CHUNK_BYTES + 5):
    """Compare how often each byte occurs, and each pair of bits, with fair ones."""
    drawn = stream.bytes(size)
    assert fits(np.bincount(drawn, minlength=256), size, 1 / 256, 0.5).all()
    bits = np.unpackbits(drawn).astype(int)
    assert fits(np.bincount(2 * bits[:-1:2] + bits[1::2], minlength=4), 4 * size, 1 / 4, 0.5).all()


@pytest.mark.statistical
def test_bytes_are_fair(kind):
    check_bytes(Stream())


class Unfinished(Stream):
    """Mutant: only the first chunk is filled."""

    def bytes(self, size):
        result = np.zeros(size, dtype=np.uint8)
        result[:CHUNK_BYTES] = super().bytes(min(size, CHUNK_BYTES))
        return result


def test_bytes_that_are_not_drawn_are_caught():
    with pytest.raises(AssertionError):
        check_bytes(Unfinished())
