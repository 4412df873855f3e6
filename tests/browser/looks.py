"""How the pages are looked at: wide and on a phone, in light colours and in dark ones."""

from tools.browsing import PHONE, WIDE

LOOKS = {
    "wide and light": (WIDE, "light"),
    "wide and dark": (WIDE, "dark"),
    "phone and light": (PHONE, "light"),
    "phone and dark": (PHONE, "dark"),
}
OPPOSITE = ("wide and light", "phone and dark")  # enough where width and colour do not depend on each other
# The theme gives boxes that scroll a place in the order of Tab 0.3 s after the window has changed its size.
SETTLED = """() => new Promise(done =>
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 310))))"""
THEME = "document.documentElement.dataset.theme"


def settle(page, look):
    size, theme = LOOKS[look]
    page.set_viewport_size(size)
    page.emulate_media(color_scheme=theme)
    page.evaluate(SETTLED)
    assert page.evaluate(THEME) == theme
