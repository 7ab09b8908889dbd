"""``amoebot report``: what a sweep shows, as a page with figures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from amoebot.cli.options import Json, print_json
from amoebot.cli.refusing import refusing


def report(
    results: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder of a sweep.")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FOLDER", help="By default, FOLDER/report."),
    ] = None,
    json: Json = False,
) -> None:
    """Write a report on a sweep: one page, the figures as SVG and PDF, the numbers as CSV.

    A sweep that is still under way has a report too, on what is finished.

    \b
    Example:
      amoebot report results
    """
    from amoebot.reports import report

    with refusing():
        page = report(results, output)
    if json:
        print_json({"page": str(page)})
    else:
        typer.echo(f"{page}")
