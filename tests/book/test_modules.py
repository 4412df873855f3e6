"""The one script of all figures does what its modules say, however short it is."""

import re

import pytest

import modules

MODULE = """import { stage } from "./stage.mjs";

export function mount(place) {
  const says = () => "first";
  const { show } = stage(place, { says });
  show();
}
"""


@pytest.fixture
def module(tmp_path):
    path = tmp_path / "example.mjs"
    path.write_text(MODULE, "utf-8")
    return path


def test_nothing_is_used_before_it_is_there(module):
    """The library that shortens scripts would put what is taken from an object before all else."""
    short = modules.small(
        "application/javascript", f"const modules = {{{modules.function(module)}}}; modules"
    )
    assert short.index('"first"') < re.search(r"show\b.*?=\s*\w+\(", short).start()


def test_a_module_says_what_it_needs_and_gives(module):
    text = modules.function(module)
    assert 'const { stage } = use("stage");' in text
    assert text.rstrip().endswith("return { mount };\n},")


def test_what_the_build_does_not_know_is_refused(module):
    module.write_text('import stage from "./stage.mjs";\n', "utf-8")
    with pytest.raises(ValueError, match="does not know"):
        modules.function(module)
