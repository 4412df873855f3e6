"""Where pages once were: a small page at each old address leads to the new one, without scripts too."""

from pathlib import Path

# The pages that stood beside the first one before there was a folder for them.
MOVED = (
    "api", "bibliography", "checked", "explorer", "glossary", "install", "ledger", "notation", "protection",
    "related", "teaching",
)  # fmt: skip
# The script comes first, since a browser that is only refreshed forgets what stands behind # in the address.
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta name="robots" content="noindex"/>
<title>This page has moved</title>
<script>location.replace("{place}" + location.search + location.hash);</script>
<meta http-equiv="refresh" content="0; url={place}"/>
</head>
<body>
<main><h1>This page has moved</h1><p>It is at <a href="{place}">{place}</a>.</p></main>
</body>
</html>
"""


def write(app, error: Exception | None) -> None:
    """Write a page at each old address whose page is in the book."""
    if error or app.builder.name != "html":
        return
    for name in MOVED:
        if f"pages/{name}" in app.env.found_docs:
            text = PAGE.format(place=f"pages/{name}.html")
            (Path(app.outdir) / f"{name}.html").write_text(text, "utf-8")


def setup(app) -> dict:
    """Register with Sphinx, after `light` has changed what all pages load."""
    app.connect("build-finished", write, priority=950)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
