"""Pages name one style and one script, and the icons that no page shows are left out."""

import pytest

import light

HEAD = """<script>theme()</script><!-- a comment -->
<link href="../_static/styles/theme.css?digest=1" rel="stylesheet" />
<link rel="stylesheet" type="text/css" href="../_static/orr.css?v=2" />
<link rel="stylesheet" type="text/css" href="../_static/sphinx-design.min.css?v=2" />
<script src="../_static/scripts/fontawesome.js?digest=3"></script>
<link rel="preload" as="script" href="../_static/scripts/bootstrap.js?digest=4" />
<script src="../_static/doctools.js?v=5"></script>
<script src="../_static/code.js?v=6"></script>
<script src="../_static/searchtools.js"></script>
<script src="../searchindex.js"></script>
"""


@pytest.fixture
def files(tmp_path):
    (tmp_path / "_static/styles").mkdir(parents=True)
    (tmp_path / "_static/scripts").mkdir()
    for name, text in {
        "basic.css": "a{background:url(file.png)}",
        "styles/theme.css": '@import "../basic.css";',
        "orr.css": ".fa-a:before,.fa-b:before{content:1}.fa-c:before{content:2}.fa-d:before{content:3}",
        "doctools.js": "f()",
        "code.js": "(g)()\n//# sourceMappingURL=code.js.map",
        "scripts/bootstrap.js": "boot()",
        "scripts/pydata-sphinx-theme.js": "theme()",
    }.items():
        (tmp_path / "_static" / name).write_text(text, "utf-8")
    return light.Files(tmp_path)


def test_a_head_names_one_style_and_one_script(files):
    head = files.lighten(HEAD, design=False).split("\n")
    assert [line for line in head if line.strip()] == [
        "<script>theme()</script>",
        '<link rel="stylesheet" href="../_static/styles/book.css?v=@"/>',
        '<script defer src="../_static/scripts/book.js?v=@"></script>'
        '<script defer src="../_static/searchtools.js"></script>',
        '<script defer src="../searchindex.js"></script>',
    ]


def test_cards_have_a_style_of_their_own(files):
    assert "sphinx-design" in files.lighten(HEAD, design=True)


def test_what_is_written_is_all_of_it_in_order(files, tmp_path):
    page = tmp_path / "a.html"
    page.write_text(files.lighten(HEAD, design=False) + '<i class="fa-solid fa-b"></i> fa-d', "utf-8")
    files.write()
    style = (tmp_path / light.MERGED["css"]).read_text("utf-8")
    script = (tmp_path / light.MERGED["js"]).read_text("utf-8")
    assert style.replace("\n", "") == (
        "a{background:url(../file.png)}.fa-a:before,.fa-b:before{content:1}.fa-d:before{content:3}"
    )
    assert script.split() == ["(g)()", ";", "f()", ";", "boot()", ";", "theme()"]  # ours first
    assert "?v=@" not in page.read_text("utf-8")
