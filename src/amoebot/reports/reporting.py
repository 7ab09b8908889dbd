"""The report on a sweep."""

from __future__ import annotations

import itertools
import os
from pathlib import Path
from typing import Any

import polars as pl

from amoebot.files import as_path
from amoebot.reports import analysis
from amoebot.reports.page import render, write_files
from amoebot.reports.sections import sections_of
from amoebot.sweeps.files import FolderError, reason_of
from amoebot.sweeps.store import describe, load
from amoebot.sweeps.variants import paths_of

#: The inputs that the head of a report names, with the columns that have them.
INPUTS = {
    "Shapes": "family",
    "elections": "algorithm",
    "schedulers": "scheduler",
    "options": "options",
    "rules": "rules",
}


def report(results: str | os.PathLike[str], output: str | os.PathLike[str] | None = None) -> Path:
    """Write the report on the folder of a sweep and return the path of its page.

    Args:
        results: The folder of a sweep, finished or not.
        output: Where the page, its figures and its numbers go; by default, ``report`` inside it.

    Raises:
        FolderError: If that is no folder of a sweep, if no election in it is finished, or if the
            report cannot be written.
    """
    here = as_path(results, FolderError)
    folder = as_path(output, FolderError) if output is not None else here / "report"
    described = describe(here)
    frame = load(here).collect()
    if frame.height == 0:
        raise FolderError(f"{here}: no election is finished yet")
    plans = itertools.chain.from_iterable(described["plans"])
    elections = [text for entry in plans for text in entry["algorithms"]]
    sections = sections_of(frame, elections)
    content = render(
        "report.html",
        title=f"Sweep {here.resolve().name}",
        made_by=described["made_by"],
        sections=sections,
        **_head(analysis.named_options(frame, paths_of(elections))),
    )
    try:
        write_files(folder, sections)
        path = folder / "index.html"
        path.write_text(content, encoding="utf-8")
    except OSError as error:
        raise FolderError(f"{error.filename or folder}: {reason_of(error)}") from None
    return path


def _head(frame: pl.DataFrame) -> dict[str, Any]:
    """Return the numbers at the head of a report."""
    sizes = {"n": frame["particles"], "L": frame["outer_boundary_length"]}
    return {
        "elections": frame.height,
        "leaders": frame.filter(pl.col("outcome") == "leader").height,
        "spans": {name: (sizes[name].min(), sizes[name].max()) for name in sizes},
        "inputs": {name: sorted(frame[column].unique()) for name, column in INPUTS.items()},
    }
