"""The first page takes a reader in: all that matters is in the first screen, on any screen, and on paper."""

import pytest

from tools.browsing import PHONE, WIDE

from .looks import LOOKS, resize, settle
from .telling import ALIVE, NAMES, touch
from .touching import figure

PLACE = "index.html"
EVERY = pytest.mark.parametrize("name", NAMES)
SCREENS = {"laptop": {"width": 1280, "height": 800}, "phone": PHONE}
FIRST_SCREEN = [
    "article h1",
    ".subtitle",
    ".hero-words > p",
    ".ways",
    ".results",
    ".hero .touch-controls",
    ".hero svg",
]
BELOW = """parts => parts.filter(part => {
    const box = document.querySelector(part).getBoundingClientRect();
    return box.height === 0 || box.top < 0 || box.bottom > innerHeight || box.right > innerWidth;
})"""
CROWDED = """() => [...document.querySelectorAll(".touch, .touch *, .hero *")].filter(e => {
    const box = e.getBoundingClientRect();
    return e.checkVisibility() && !e.closest(".visually-hidden")
        && (box.right > innerWidth + 0.5 || box.left < -0.5);
}).map(e => e.outerHTML.slice(0, 90))"""
SMALL = """() => [...document.querySelectorAll(".touch :is(text, p, button, label, output)")].filter(
    e => e.checkVisibility() && e.textContent.trim() && parseFloat(getComputedStyle(e).fontSize) < 13
).map(e => e.outerHTML)"""
LOW = """() => [...document.querySelectorAll(".touch :is(button, input), .ways .sd-btn")].filter(
    e => e.getBoundingClientRect().height < 43.5).map(e => e.outerHTML.slice(0, 90))"""


@pytest.fixture(scope="module")
def story(open_page):
    """Open the page with all its figures alive."""
    with open_page("index.html") as page:
        page.evaluate(ALIVE, NAMES)
        yield page


@pytest.mark.parametrize("screen", SCREENS)
def test_the_first_screen_has_it_all(browser, open_page, screen):
    with (
        browser.new_context(viewport=SCREENS[screen], reduced_motion="reduce") as context,
        figure(open_page, PLACE, "story_dice", context=context) as (page, _),
    ):
        page.evaluate("scrollTo(0, 0)")
        assert page.evaluate(BELOW, FIRST_SCREEN) == []
        assert page.evaluate(BELOW, [*FIRST_SCREEN, "#the-chapters"]) == ["#the-chapters"]  # it can be missed
        assert "local differential privacy" in page.inner_text(".hero-words")


def test_both_ways_lead_in(open_page, address):
    with open_page(PLACE) as page:
        page.get_by_role("link", name="Play for five minutes").click()
        page.wait_for_url(f"{address}/{PLACE}#story")
        assert page.locator("#story").count() == 1
        page.get_by_role("link", name="Start reading").click()
        page.wait_for_url(f"{address}/chapters/01-one-answer.html")


@EVERY
def test_stills_are_there_on_paper_and_without_scripts(browser, story, name):
    still = story.locator(f'.touch[data-figure="{name}"] + .still')
    assert not still.is_visible()
    story.emulate_media(media="print")
    assert still.is_visible()
    assert not touch(story, name).is_visible()
    story.emulate_media(media="screen")
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(story.url)
        still = page.locator(f'.touch[data-figure="{name}"] + .still :is(svg, img)')
        assert still.first.bounding_box()["width"] > 200


def test_axe_finds_nothing_while_figures_are_alive(story, axe):
    for look in LOOKS:
        settle(story, look)
        found = axe.run(story, context="article")
        assert found.violations_count == 0, found.generate_report()


def test_it_fits_on_any_screen(story):
    for width in (1280, 1024, 768, 390, 320):
        resize(story, {"width": width, "height": 844})
        assert story.evaluate(CROWDED) == [], width
        assert story.evaluate(SMALL) == []
        assert story.evaluate(LOW) == []
    resize(story, WIDE)


def test_what_does_not_fit_is_caught(story):
    shift = "document.querySelector('.touch text').setAttribute('transform', 'translate(2000 10)')"
    for measure, script in [
        (CROWDED, shift),
        (SMALL, "document.querySelector('.touch-says').style.fontSize = '9px'"),
    ]:
        story.evaluate(script)
        assert story.evaluate(measure) != []
        story.reload()
        story.evaluate(ALIVE, NAMES)
