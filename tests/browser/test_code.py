"""Folded code unfolds, one cell at a time or all at once."""

PAGE = "chapters/01-one-answer.html"
OPEN = "[...document.querySelectorAll('article details.hide')].map((part) => part.open)"


def test_one_button_unfolds_all_code_and_folds_it_again(open_page):
    with open_page(PAGE) as page:
        button = page.get_by_role("button", name="Show all code")
        assert not any(page.evaluate(OPEN))
        for pressed in (True, False):
            button.press("Enter")
            assert button.get_attribute("aria-pressed") == str(pressed).lower()
            assert set(page.evaluate(OPEN)) == {pressed}


def test_pages_without_folded_code_have_no_button(open_page):
    with open_page("glossary.html") as page:
        assert page.get_by_role("button", name="Show all code").count() == 0
