"""How the pages are looked at: wide and on a phone, in light colours and in dark ones."""

import time

from tools.browsing import PHONE, WIDE

# Where the built book has the pages beside the chapters.
PAGES = "pages/"
PATIENCE = 120_000  # milliseconds for whatever is waited for: only what is broken takes as long
LOOKS = {
    "wide and light": (WIDE, "light"),
    "wide and dark": (WIDE, "dark"),
    "phone and light": (PHONE, "light"),
    "phone and dark": (PHONE, "dark"),
}
OPPOSITE = ("wide and light", "phone and dark")  # enough where width and colour do not depend on each other
THEME = "document.documentElement.dataset.theme"
# A timer that is set later and is longer ends later, however slow the machine is. So this ends after every
# timer of fewer milliseconds that the page has set in its last frame, or before.
AFTER = """longest => new Promise(done =>
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, longest + 1))))"""
RESIZED = 300  # after which the theme gives boxes that scroll a place in the order of Tab
# Figures are drawn a little after they were mounted.
DRAWN = """() => [...document.querySelectorAll(".touch-says")]
    .every(sentence => sentence.textContent || !sentence.checkVisibility())"""


def comes(page, condition, patience=PATIENCE):
    """Wait until something is the case, and tell whether it came to be.

    A finger's tap is a click only later, and what other processes tell comes when it comes.
    """
    end = time.monotonic() + patience / 1000
    while not (found := condition()) and time.monotonic() < end:
        page.wait_for_timeout(20)
    return found


def resize(page, size):
    """Change the size of the window, and wait until the page has followed."""
    page.set_viewport_size(size)
    page.wait_for_function("size => innerWidth === size.width && innerHeight === size.height", arg=size)
    page.evaluate(AFTER, RESIZED)
    page.wait_for_function(DRAWN)


def settle(page, look):
    size, theme = LOOKS[look]
    page.emulate_media(color_scheme=theme)
    resize(page, size)
    page.wait_for_function(f"theme => {THEME} === theme", arg=theme)
