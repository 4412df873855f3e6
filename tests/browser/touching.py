"""Figures to touch, brought to life as a reader does it: by scrolling to them."""

import json
import math
import re
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

ROOT = Path(__file__).parents[2]
TAG = "touch-"
SAID = ".touch-says:not(:empty)"
# A finger is lifted for the page some time after it was for us.
LIFTED = """() => {
    globalThis.lifted = new Promise(done => {
        for (const end of ["touchend", "touchcancel"])
            addEventListener(end, () => setTimeout(done), { once: true, capture: true, passive: true });
    });
}"""


def tagged():
    """Return where the book has figures: pairs of a page and a name."""
    first = re.findall(r'class="touch" data-figure="(\w+)"', (ROOT / "index.md").read_text("utf-8"))
    return [("index.html", name) for name in first] + [
        (f"chapters/{path.stem}.html", tag.removeprefix(TAG))
        for path in sorted(ROOT.glob("chapters/*.ipynb"))
        for cell in json.loads(path.read_text("utf-8"))["cells"]
        for tag in cell["metadata"].get("tags", ())
        if tag.startswith(TAG)
    ]


def wake(page, name):
    """Bring a figure to life as a reader does, by scrolling to it, and return it."""
    touch = page.locator(f'.touch[data-figure="{name}"]')
    touch.scroll_into_view_if_needed()
    page.locator(f'.touch[data-figure="{name}"][data-mounted]').wait_for()
    touch.locator(SAID).wait_for()
    return touch


def mount(touch):
    """Bring a figure back to its first state, and wait until it is drawn: it is so only in the next frame."""
    touch.evaluate("figure => orr(figure.dataset.figure).mount(figure)")
    touch.locator(SAID).wait_for()


def rounded(value, place):
    """Round half up, as JavaScript does, and return no zeros at the end of an exponent."""
    return Decimal(repr(float(value))).quantize(Decimal(1).scaleb(place), ROUND_HALF_UP)


def num(value, digits=5):
    """Write a number as the figures do."""
    if not value:
        return "0"
    text = f"{rounded(value, Decimal(repr(float(value))).adjusted() - digits + 1).normalize():,f}"
    plain = 1e-3 <= abs(value) < 1e6
    return text if plain else f"{float(text.replace(',', '')):.{digits - 1}e}".replace("e-0", "e-")


def fixed(value, digits):
    """Write a number with all its decimals."""
    return f"{rounded(value, -digits):,f}"


def percent(share):
    return f"{num(100 * share, 3)}%"


def sure(belief):
    """Write a belief with as many digits as it takes to tell it from certainty."""
    return f"{num(100 * belief, max(3, -math.floor(math.log10(1 - belief))))}%"


def numbers(text):
    """Return the numbers in a sentence, as they are written."""
    return re.findall(r"(?<![\w.-])-?\d+(?:,\d{3})*(?:\.\d+)?(?:e-?\d+)?%?", text)


def says(touch):
    """Return the sentence of a figure."""
    return " ".join(touch.locator(".touch-says").inner_text().split())


def middle(locator):
    box = locator.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page, start, end):
    """Drag with the mouse."""
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(*end, steps=6)
    page.mouse.up()


def finger(page, start, end, steps=6):
    """Drag with a finger, in a context that has touch, and wait until the page has felt all of it."""
    page.evaluate(LIFTED)
    client = page.context.new_cdp_session(page)
    for i in range(steps + 1):
        x, y = (a + (b - a) * i / steps for a, b in zip(start, end, strict=True))
        kind = "touchMove" if i else "touchStart"
        client.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]})
    client.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    client.detach()
    page.evaluate("lifted")


def heard(touch):
    """Wait until the figure has said aloud what it shows, and return that."""
    touch.page.wait_for_function(
        """figure => figure.querySelector("[role=status]").textContent
            === figure.querySelector(".touch-says").textContent""",
        arg=touch.element_handle(),
    )
    return " ".join(touch.locator("[role=status]").text_content().split())


def frames(page, action, measure, name):
    """Return a measure of a figure before an action, after it, and in each frame of the motion.

    The clock is ours: the machine may be as slow as it likes.
    """
    return page.evaluate(
        f"""name => {{
            const figure = document.querySelector(`.touch[data-figure=${{name}}]`);
            const [own, waiting, begun] = [requestAnimationFrame, [], performance.now()];
            globalThis.requestAnimationFrame = (frame) => waiting.push(frame);
            performance.now = () => begun;
            const measure = () => {measure}, seen = [measure()];
            {action};
            seen.push(measure());
            for (let n = 1; waiting.length && n < 100; n++) {{
                for (const frame of waiting.splice(0)) frame(begun + 100 * n);
                seen.push(measure());
            }}
            globalThis.requestAnimationFrame = own;
            delete performance.now;
            return seen;
        }}""",
        name,
    )
