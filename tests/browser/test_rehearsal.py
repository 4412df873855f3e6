"""What Binder does, as far as it can be done here: install, open a chapter in JupyterLab, run all cells."""

import json

import pytest

import rehearsal

from .conftest import cannot_run


@pytest.mark.slow
def test_binder_runs_a_chapter_without_an_error(browser):
    try:
        with rehearsal.stage() as (address, source), browser.new_context() as context:
            run_a_chapter(context.new_page(), address, source)
            hear_of_a_broken_one(context.new_page(), address, source)
    except rehearsal.NotInstalled as error:
        cannot_run(f"Binder could not be rehearsed: {error}")


def run_a_chapter(page, address, source):
    name = f"chapters/{rehearsal.CHAPTER}.ipynb"
    rehearsal.forget_outputs(source / name)
    cells = rehearsal.run_all(page, address.format(name))
    assert rehearsal.complaints(cells, rehearsal.ROOT / name) == []
    assert any(output["output_type"] == "stream" for cell in cells for output in cell["outputs"])
    shown = page.locator(".jp-Notebook").inner_text()
    assert "What you will learn" in shown
    assert ":::" not in shown  # JupyterLab shows directives as what they say


def hear_of_a_broken_one(page, address, source):
    empty = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    codes = {"one": "import orr", "two": "orr.kronecker([2], [1]).no_such_name", "three": "print('on')"}
    cells = [empty | {"id": name, "source": code} for name, code in codes.items()]
    path = source / "chapters" / "broken.ipynb"
    whole = json.loads((source / f"chapters/{rehearsal.CHAPTER}.ipynb").read_text("utf-8"))
    path.write_text(json.dumps(whole | {"cells": cells}), "utf-8")
    found = rehearsal.complaints(rehearsal.run_all(page, address.format("chapters/broken.ipynb")), path)
    assert found[0].startswith("cell two: AttributeError: ")
    assert found[1:] == ["cell three was not run"]
