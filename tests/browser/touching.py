"""Figures to touch, brought to life as a reader does it: by scrolling to them."""

import json
from contextlib import contextmanager
from pathlib import Path

CHAPTERS = Path(__file__).parents[2] / "chapters"
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
    """Return where the chapters have figures: pairs of a page and a name."""
    return [
        (f"chapters/{path.stem}.html", tag.removeprefix(TAG))
        for path in sorted(CHAPTERS.glob("*.ipynb"))
        for cell in json.loads(path.read_text("utf-8"))["cells"]
        for tag in cell["metadata"].get("tags", ())
        if tag.startswith(TAG)
    ]


@contextmanager
def figure(open_page, place, name, **options):
    """Open a page and yield it with the figure of a name, once it is alive."""
    with open_page(place, **options) as page:
        touch = page.locator(f'.touch[data-figure="{name}"]')
        touch.scroll_into_view_if_needed()
        page.locator(f'.touch[data-figure="{name}"][data-mounted]').wait_for()
        touch.locator(SAID).wait_for()
        yield page, touch


def mount(touch):
    """Bring a figure back to its first state, and wait until it is drawn: it is so only in the next frame."""
    touch.evaluate("figure => orr(figure.dataset.figure).mount(figure)")
    touch.locator(SAID).wait_for()


def num(page, value, digits=5):
    """Write a number as the figures do."""
    return page.evaluate("([x, digits]) => orr('numbers').num(x, digits)", [float(value), digits])


def percent(page, share):
    return page.evaluate("share => orr('numbers').percent(share)", float(share))


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


@contextmanager
def spoilt(page, name, function, script):
    """Let a function of a module go wrong for a while: `script` changes what it has `found`."""
    page.evaluate(
        f"""([name, key]) => {{
            const own = globalThis.own = orr(name)[key];
            orr(name)[key] = (...given) => {{
                let found = own(...given);
                {script};
                return found;
            }};
        }}""",
        [name, function],
    )
    try:
        yield
    finally:
        page.evaluate("([name, key]) => { orr(name)[key] = globalThis.own; }", [name, function])


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
