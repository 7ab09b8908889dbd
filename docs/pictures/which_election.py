"""Draw ``which-election.svg`` from the table of measured rounds in ``which-election.md``.

Run it as ``python docs/pictures/which_election.py``. With ``--check`` it changes nothing, and fails
unless the figure was drawn from the table as it is now.
"""

from __future__ import annotations

import hashlib
import re
import sys
from pathlib import Path

import polars as pl

from amoebot.reports import figures
from amoebot.reports.style import as_svg

DOCS = Path(__file__).resolve().parent.parent
FIGURE = DOCS / "pictures" / "which-election.svg"

#: Where the table begins: the columns before those of the elections.
HEAD = "| | n | L | elections |"


def main() -> None:
    """Draw the figure, or check it."""
    found = table((DOCS / "which-election.md").read_text(encoding="utf-8"))
    if "--check" not in sys.argv[1:]:
        drawn = as_svg(figures.elections(found, "particles", "n"), "which-election")
        FIGURE.write_text(f"{drawn}{mark(found)}\n", encoding="utf-8")
    elif mark(found) not in FIGURE.read_text(encoding="utf-8"):
        sys.exit("which-election.svg is not drawn from the table in which-election.md")


def table(page: str) -> pl.DataFrame:
    """Return the measured rounds: a row for each shape and election."""
    head, _, *lines = page[page.index(HEAD) :].split("\n\n")[0].splitlines()
    names = [cell.strip() for cell in head.strip("|").split("|")][4:]
    rows, family = [], ""
    for line in lines:
        first, size, _, _, *cells = (cell.strip() for cell in line.strip("|").split("|"))
        family = first or family
        for name, cell in zip(names, cells, strict=True):
            if number := re.search(r"[\d.,]+", cell):
                rows.append((family, name, whole(size), float(number[0].replace(",", ""))))
    columns = {"family": str, "election": str, "particles": int, "rounds": float}
    return pl.DataFrame(rows, schema=columns, orient="row")


def whole(text: str) -> int:
    """Return a number with commas in it."""
    return int(text.replace(",", ""))


def mark(found: pl.DataFrame) -> str:
    """Return a comment that says from which numbers the figure is drawn."""
    return f"<!-- drawn from {hashlib.sha256(found.write_csv().encode()).hexdigest()[:16]} -->"


if __name__ == "__main__":
    main()
