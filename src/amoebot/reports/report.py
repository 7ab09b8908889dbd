"""A report on any sweep."""

from __future__ import annotations

import html
import os
from pathlib import Path

import polars as pl

from amoebot.sweeps.files import FolderError, reason_of
from amoebot.reports.page import page, show, write_files
from amoebot.reports.sections import sections_of
from amoebot.sweeps.store import describe, load


def report(results: str | os.PathLike[str], output: str | os.PathLike[str] | None = None) -> Path:
    """Write the report on the folder of a sweep and return the path of its page.

    Args:
        results: The folder of a sweep, finished or not.
        output: Where the page, its figures and its numbers go; by default, ``report`` inside it.

    Raises:
        FolderError: If that is no folder of a sweep, if no election in it is finished, or if the
            report cannot be written.
    """
    here = Path(results)
    folder = Path(output) if output is not None else here / "report"
    made_by = describe(here)["made_by"]
    frame = load(here).collect()
    if frame.height == 0:
        raise FolderError(f"{here}: no election is finished yet")
    sections = sections_of(frame)
    try:
        write_files(folder, sections)
        path = folder / "index.html"
        content = page(f"Sweep {here.resolve().name}", _lead(frame, made_by), map(show, sections))
        path.write_text(content)
    except OSError as error:
        raise FolderError(f"{error.filename or folder}: {reason_of(error)}") from None
    return path


def _lead(frame: pl.DataFrame, made_by: str) -> str:
    """Return what was run, in two sentences."""
    leaders = frame.filter(pl.col("outcome") == "leader").height
    named = {
        name: ", ".join(str(value) for value in sorted(frame[column].unique()))
        for name, column in (
            ("Shapes", "family"),
            ("schedulers", "scheduler"),
            ("variants", "variant"),
            ("radices", "radix"),
            ("rules", "rules"),
        )
    }
    return (
        f"<p>{frame.height:,} elections, {leaders:,} of them with a leader. "
        f"n from {_span(frame['particles'])}, L from {_span(frame['outer_boundary_length'])}.</p>"
        f'<p class="soft">{html.escape("; ".join(f"{k}: {v}" for k, v in named.items()))}. '
        f"amoebot {html.escape(made_by)}.</p>"
    )


def _span(numbers: pl.Series) -> str:
    values = numbers.to_numpy()
    return f"{int(values.min()):,} to {int(values.max()):,}"
