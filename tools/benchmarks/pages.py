"""What a reader waits for on a slow line: bytes, requests and first paint of every kind of page.

The line has 1.6 Mbit/s and 150 ms, the processor a quarter of this machine's speed, as a cheap phone has.
Texts are compressed, as by a public server. A first visit loads everything. A further one comes from the
first page, which has loaded what all pages share.
"""

from statistics import median

from tools.browsing import BOOK, PHONE, Compressing, NoBrowser, chromium, pages, serve

LANDING = "index.html"
VISITS = 5
LINE = {"offline": False, "latency": 150, "downloadThroughput": 1.6e6 / 8, "uploadThroughput": 0.75e6 / 8}
SLOWER = 4
# What comes from the browser's cache has the size 0.
MEASURE = """() => {
    const entries = ["navigation", "resource"].flatMap(type => performance.getEntriesByType(type));
    const sizes = entries.map(entry => entry.transferSize).filter(size => size > 0);
    const [paint] = performance.getEntriesByName("first-contentful-paint");
    return [sizes.reduce((sum, size) => sum + size, 0), sizes.length, paint.startTime];
}"""


def visit(browser, *urls):
    """Open pages one after another; return bytes, requests and milliseconds to first paint of the last."""
    with browser.new_context(viewport=PHONE) as context:
        for url in urls:
            page = context.new_page()
            tools = context.new_cdp_session(page)
            tools.send("Network.enable")
            tools.send("Network.emulateNetworkConditions", LINE)
            tools.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
            page.goto(url, wait_until="networkidle")
        page.wait_for_function("performance.getEntriesByName('first-contentful-paint').length")
        return page.evaluate(MEASURE)


def measure(browser, name, *urls):
    """Print the medians of several visits."""
    rows = [visit(browser, *urls) for _ in range(VISITS)]
    weight, requests, paint = (median(column) for column in zip(*rows, strict=True))
    print(f"{name:42}{weight / 1e3:10.0f} kB{requests:10.0f}{paint / 1e3:12.2f} s", flush=True)


def main():
    chapters = [place for place in pages() if place.startswith("chapters/")]
    longest = max(chapters, key=lambda place: (BOOK / place).stat().st_size)
    with serve(handler=Compressing) as address, chromium() as browser:
        print(f"{'':42}{'transferred':>13}{'requests':>10}{'first paint':>14}")
        for place in (LANDING, chapters[0], longest, "pages/explorer.html"):
            measure(browser, f"{place}, first visit", f"{address}/{place}")
            measure(browser, "    further visit", f"{address}/{LANDING}", f"{address}/{place}")
    print("A first visit may transfer 500 kB, and its first paint may take 2 s.")


if __name__ == "__main__":
    try:
        main()
    except NoBrowser as reason:
        print(f"The pages were not measured: {reason}.")
