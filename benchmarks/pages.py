"""What a reader waits for: weight, requests and first render of three pages, served by this machine.

A first visit loads everything. A further visit comes from the landing page, which has loaded what all
pages share. Nothing is compressed, as it would be by a public server.
"""

from statistics import median

from tools.browsing import BOOK, FORMULAS_SET, NoBrowser, chromium, pages, serve

LANDING = "index.html"
VISITS = 5
# What comes from the browser's cache has the size 0.
MEASURE = """() => {
    const entries = ["navigation", "resource"].flatMap(type => performance.getEntriesByType(type));
    const sizes = entries.map(entry => entry.transferSize).filter(size => size > 0);
    const [paint] = performance.getEntriesByName("first-contentful-paint");
    return [sizes.reduce((sum, size) => sum + size, 0), sizes.length, paint.startTime];
}"""


def visit(browser, *urls):
    """Open pages one after another; return bytes, requests and milliseconds to first render of the last."""
    with browser.new_context() as context:
        for url in urls:
            page = context.new_page()
            page.goto(url)
            page.evaluate(FORMULAS_SET)
        page.wait_for_function("performance.getEntriesByName('first-contentful-paint').length")
        return page.evaluate(MEASURE)


def measure(browser, name, *urls):
    """Print the medians of several visits."""
    rows = [visit(browser, *urls) for _ in range(VISITS)]
    weight, requests, paint = (median(column) for column in zip(*rows, strict=True))
    print(f"{name:42}{weight / 1e6:10.2f} MB{requests:10.0f}{paint:12.0f} ms", flush=True)


def main():
    chapters = [place for place in pages() if place.startswith("chapters/")]
    longest = max(chapters, key=lambda place: (BOOK / place).stat().st_size)
    with serve() as address, chromium() as browser:
        print(f"{'':42}{'page weight':>13}{'requests':>10}{'first render':>15}")
        for place in (LANDING, longest, "explorer.html"):
            measure(browser, f"{place}, first visit", f"{address}/{place}")
            measure(browser, "    further visit", f"{address}/{LANDING}", f"{address}/{place}")
    print("A further visit may weigh 1.5 MB.")


if __name__ == "__main__":
    try:
        main()
    except NoBrowser as reason:
        print(f"The pages were not measured: {reason}.")
