"""Draw the book's sample of real people from the whole data set: ``python tools/people.py census.csv.gz``.

The data set is Census-Income (KDD), number 117 of the UCI repository, as the file ``census.csv.gz`` that
``book/data/people.json`` describes. It was run once; what it wrote is in the repository.
"""

import csv
import gzip
import json
import random
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "book" / "data"
PEOPLE, SEED = 20_000, 1994  # enough for tables of a few percent, and the survey's year
COLUMNS = [
    "sex",
    "income",
    "race",
    "marital",
    "class_worker",
    "citizenship",
    "tax_filer",
    "education",
    "hispanic",
    "employment",
    "hh_summary",
    "num_employer",
    "weight",
]


def main(path: str) -> None:
    """Write codes of the people drawn, and the labels of the codes."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    adults = [row for row in rows if row["education"] != "Children"]
    labels = {name: sorted({row[name] for row in rows}) for name in COLUMNS[:-1]}
    chosen = random.Random(SEED).sample(adults, PEOPLE)
    with (
        (FOLDER / "people.csv.gz").open("wb") as raw,
        gzip.GzipFile("", "wb", mtime=0, fileobj=raw) as file,
    ):
        file.write((",".join(COLUMNS) + "\n").encode())
        for row in chosen:
            codes = [str(labels[name].index(row[name])) for name in COLUMNS[:-1]]
            file.write((",".join([*codes, row["weight"]]) + "\n").encode())
    about = json.loads((FOLDER / "people.json").read_text("utf-8"))
    about |= {"people": PEOPLE, "adults": len(adults), "of": len(rows), "seed": SEED, "labels": labels}
    (FOLDER / "people.json").write_text(json.dumps(about, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
