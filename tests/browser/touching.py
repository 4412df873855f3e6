"""Figures to touch, brought to life as a reader does it: by scrolling to them."""

from contextlib import contextmanager


@contextmanager
def figure(open_page, place, name, **options):
    """Open a page and yield it with the figure of a name, once it is alive."""
    with open_page(place, **options) as page:
        touch = page.locator(f'.touch[data-figure="{name}"]')
        touch.scroll_into_view_if_needed()
        page.locator(f'.touch[data-figure="{name}"][data-mounted]').wait_for()
        yield page, touch
