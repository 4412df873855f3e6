"""Take pictures of every page of the built book: wide and on a phone, in light and in dark."""

import sys
from itertools import product

from browsing import BOOK, FORMULAS_SET, PHONE, WIDE, NoBrowser, chromium, pages, serve

OUT = BOOK.parent / "screenshots"
SIZES = {"wide": WIDE, "phone": PHONE}


def main() -> None:
    """Take the pictures, and say how far it is."""
    places = pages()
    if not places:
        sys.exit("There is no built book. Run make book first.")
    with serve() as address, chromium() as browser:
        page = browser.new_page(reduced_motion="reduce")
        for number, place in enumerate(places, 1):
            print(f"{number} of {len(places)}: {place}", flush=True)
            page.goto(f"{address}/{place}")
            page.evaluate(FORMULAS_SET)
            for (name, size), theme in product(SIZES.items(), ("light", "dark")):
                page.set_viewport_size(size)
                page.emulate_media(color_scheme=theme)
                path = OUT / f"{place.removesuffix('.html')}-{name}-{theme}.png"
                page.screenshot(path=path, full_page=True, animations="disabled")
    print(f"The screenshots are in {OUT}")


if __name__ == "__main__":
    try:
        main()
    except NoBrowser as reason:
        sys.exit(f"There are no screenshots: {reason}.")
