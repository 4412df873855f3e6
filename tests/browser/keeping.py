"""What a browser keeps from one page to the next.

Now and then Chromium gives a page from a disk a storage of its own, and forgets it: seven in a hundred loads
here. That is no fault of the page. So a mark is kept beside what is tested, and who does not find it begins
anew, as a reader of whom the browser knows nothing yet.
"""

from contextlib import suppress
from functools import wraps
from uuid import uuid4

import pytest

TRIES = 40


class Forgotten(Exception):
    """The browser has forgotten all that a page stored."""


def come_back(page, go):
    """Leave a mark in the storage of a page, go on, and find it there before any script of the page."""
    mark = str(uuid4())
    page.add_init_script("try { globalThis.mark = localStorage.getItem('mark'); } catch {}")
    page.evaluate("mark => localStorage.setItem('mark', mark)", mark)
    go()
    if page.evaluate("globalThis.mark") != mark:
        raise Forgotten


def unless_forgotten(test):
    """Begin a test anew if the browser has forgotten what it had to keep."""

    @wraps(test)
    def persistent(*given, **named):
        for _ in range(TRIES):
            with suppress(Forgotten):
                return test(*given, **named)
        return pytest.fail(f"the browser has forgotten all, {TRIES} times")

    return persistent
