"""The first page with all its figures alive."""

NAMES = ["story_dice", "people", "story_sum", "story_pair", "story_sister"]
ALIVE = """async names => {
    for (const name of names) {
        const figure = document.querySelector(`.touch[data-figure=${name}]`);
        figure.scrollIntoView();
        while (!figure.querySelector(".touch-says")?.textContent) await new Promise(requestAnimationFrame);
    }
}"""


def touch(page, name):
    """Return a figure of the page."""
    return page.locator(f'.touch[data-figure="{name}"]')
