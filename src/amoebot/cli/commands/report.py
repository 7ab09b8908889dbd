"""``amoebot report``: what a sweep shows, as a page with figures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from amoebot.cli.options import Force, Json, print_json
from amoebot.cli.refusing import free_to_write, refusing


def report(
    results: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder of a sweep.")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FOLDER", help="By default, FOLDER/report."),
    ] = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Write a report on a sweep: one page, the figures as SVG and PDF, the numbers as CSV.

    A sweep that is still under way has a report too, on what is finished. The one in its own folder
    is written anew each time.

    \b
    Example:
      amoebot report results
    """
    if output is not None:
        free_to_write(output, "", force)
    from amoebot.reports import report

    with refusing():
        page = report(results, output)
    if json:
        print_json({"page": str(page)})
    else:
        typer.echo(f"{page}")
