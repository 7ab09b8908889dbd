"""``amoebot reproduce``: the paper's claims, each next to a measurement."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from amoebot.cli.commands.sweep import DryRun, On, Threads, progress, stopping, tell_size
from amoebot.cli.options import Json, print_json
from amoebot.cli.refusing import BadInput, compiling, refusing


def reproduce(
    quick: Annotated[bool, typer.Option("--quick", help="Minutes. This is the default.")] = False,
    full: Annotated[
        bool, typer.Option("--full", help="A night: L up to 20,000, two million elections.")
    ] = False,
    only: Annotated[
        str | None, typer.Option(metavar="CLAIM", help="One claim, such as lemma-4 or theorem-2.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FOLDER", help="By default, reproduction/quick."),
    ] = None,
    on: On = None,
    threads: Threads = None,
    dry_run: DryRun = False,
    markdown: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Also write reproduction.md and its figures there."),
    ] = None,
    json: Json = False,
) -> None:
    """Put every lemma, theorem and corollary of the paper next to a measurement.

    What has been run before is not run again. The exit status is 0 if all verdicts are
    positive, 1 if not.

    \b
    Examples:
      amoebot reproduce
      amoebot reproduce --only theorem-2
    """
    if quick and full:
        raise BadInput("--quick or --full? not both")
    from amoebot.batch import warm_up
    from amoebot.reproduction import check_claim, plans
    from amoebot.sweeps import make_plan

    with compiling():
        if only is not None:
            check_claim(only)
        warm_up()
    if dry_run:
        tell_size([make_plan(content) for content in plans(full).values()], threads, json)
        return
    folder = output or Path("reproduction") / ("full" if full else "quick")
    _run(folder, full, only, on, threads, markdown, json)


def _run(
    folder: Path,
    full: bool,
    only: str | None,
    on: str | None,
    threads: int | None,
    markdown: Path | None,
    json: bool,
) -> None:
    from amoebot.reproduction import reproduce, write_markdown

    with stopping(folder), refusing():
        page, verdicts = reproduce(
            folder, full=full, only=only, on=on, threads=threads, watching=progress
        )
        if markdown is not None:
            write_markdown(markdown, verdicts, full)
    if json:
        found = {
            one.claim.name: {"measured": one.measurement.measured, "holds": one.holds}
            for one in verdicts
        }
        print_json({"page": str(page), "claims": found})
    else:
        for one in verdicts:
            mark = "✓" if one.holds else "✗"
            typer.echo(f"{mark} {one.claim.title}: {one.measurement.measured}.")
        typer.echo(f"\n{page}")
    raise typer.Exit(0 if all(one.holds for one in verdicts) else 1)
