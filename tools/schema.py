"""Write the JSON Schema of mechanism files, as it follows from the types of their entries.

    python tools/schema.py

It has a line for each object of a file, so that a change of the format shows as a change of that line.
"""

import json
from pathlib import Path

from orr_release.mechanism_file.format import schema

STORED = Path(__file__).resolve().parent.parent / "orr_release" / "mechanism_file" / "schema.json"


def text() -> str:
    """Return the schema as it is stored."""
    found = schema()
    lines = [f"{json.dumps(name)}: {json.dumps(entry)}" for name, entry in found.pop("$defs").items()]
    return f'{json.dumps(found)[:-1]}, "$defs": {{\n' + ",\n".join(lines) + "\n}}\n"


if __name__ == "__main__":
    STORED.write_text(text(), "utf-8")
