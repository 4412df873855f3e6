"""How the pages are looked at: wide and on a phone, in light colours and in dark ones."""

from tools.browsing import PHONE, WIDE

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


def resize(page, size):
    """Change the size of the window, and wait until the page has followed."""
    page.set_viewport_size(size)
    page.wait_for_function("width => innerWidth === width", arg=size["width"])
    page.evaluate(AFTER, RESIZED)


def settle(page, look):
    size, theme = LOOKS[look]
    page.emulate_media(color_scheme=theme)
    resize(page, size)
    page.wait_for_function(f"theme => {THEME} === theme", arg=theme)
