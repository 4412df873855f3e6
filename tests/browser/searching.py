"""How the search is used: words are typed into its dialog or its page, and results appear."""

DIALOG = "#pst-search-dialog"


def found(page, words, where=DIALOG):
    """Return the addresses of what is found while words are typed, once it is."""
    page.locator(f"{where} input").fill(words)
    page.locator(f"{where} [aria-label='Results for {words}']").wait_for(state="attached")
    return page.locator(f"{where} .search-found a").evaluate_all("links => links.map(link => link.href)")


def open_dialog(page):
    """Open the dialog by keyboard."""
    page.keyboard.press("ControlOrMeta+K")
