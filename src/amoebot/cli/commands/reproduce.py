"""``amoebot reproduce``: the paper's claims, each next to a measurement."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from amoebot.cli.commands.sweep import DryRun, On, progress, stopping, tell_size
from amoebot.cli.options import Force, Json, Threads, print_json
from amoebot.cli.refusing import BadInput, compiling, free_to_write

#: The sign before each claim, by verdict.
MARKS = {"holds": "✓", "fails": "✗", "undecided": "?"}


def reproduce(
    quick: Annotated[bool, typer.Option("--quick", help="Takes minutes; the default.")] = False,
    full: Annotated[
        bool, typer.Option("--full", help="Takes longer: L up to 20,000, 700,000 elections.")
    ] = False,
    only: Annotated[
        str | None, typer.Option(metavar="CLAIM", help="One claim, such as lemma-4 or theorem-2.")
    ] = None,
    rules: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Rules of your own: which claims hold with them?"),
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
        typer.Option(metavar="FOLDER", help="Also write a Markdown page and its figures there."),
    ] = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Put every lemma, theorem and corollary of the paper next to a measurement.

    What has been run before is not run again. Each claim holds, fails or is undecided; the exit
    status is 1 if one fails, and 0 if none does.

    \b
    Examples:
      amoebot reproduce
      amoebot reproduce --only theorem-2
      amoebot reproduce --rules mine.py -o mine
    """
    if quick and full:
        raise BadInput("give --quick or --full, not both")
    from amoebot.batch import warm_up
    from amoebot.cli.compile_notice import finish_elections
    from amoebot.reproduction import check_claim, page_name

    if markdown is not None:
        page = markdown / f"{page_name(full)}.md"
        for one in (page, page.with_suffix("")):
            free_to_write(one, "", force)
    with compiling():
        if only is not None:
            check_claim(only)
        warm_up()
        finish_elections()  # before anybody measures how long elections take
        _check_rules(rules, output)
    if dry_run:
        _tell_size(full, only, threads, json)
        return
    folder = output or Path("reproduction") / ("full" if full else "quick")
    _run(folder, full, only, rules, on, threads, markdown, json)


def _tell_size(full: bool, only: str | None, threads: int | None, json: bool) -> None:
    """Say how many elections there are and how long they take; some are run to find out."""
    from contextlib import redirect_stdout
    from io import StringIO

    from amoebot.cli.console import Console
    from amoebot.reproduction import plans
    from amoebot.reproduction.claims import CLAIMS
    from amoebot.sweeps import make_plan

    told = StringIO()  # while a status is shown, standard output would go where it is
    with Console(stderr=True).status("running a sample …"), redirect_stdout(told):
        contents = plans(full)
        needed = CLAIMS[only].parts if only else contents
        swept = [make_plan(content) for part, content in contents.items() if part in needed]
        tell_size(swept, threads, json)
    typer.echo(told.getvalue(), nl=False)


def _check_rules(rules: Path | None, output: Path | None) -> None:
    if rules is None:
        return
    from amoebot.batch import warm_up
    from amoebot.linking import Rules
    from amoebot.options import Options

    if output is None:
        raise BadInput("--rules needs a folder for the results, for example: -o mine")
    warm_up(Options(rules=Rules.read(rules)))


def _run(
    folder: Path,
    full: bool,
    only: str | None,
    rules: Path | None,
    on: str | None,
    threads: int | None,
    markdown: Path | None,
    json: bool,
) -> None:
    from amoebot.reproduction import reproduce, write_markdown

    with stopping(folder), compiling():
        made = reproduce(
            folder, full=full, only=only, rules=rules, on=on, threads=threads, watching=progress
        )
        if markdown is not None:
            write_markdown(markdown, made)
    if json:
        print_json(
            {
                "page": str(made.page),
                "claims": {one.claim.name: one.as_dict() for one in made.verdicts},
            }
        )
    else:
        for one in made.verdicts:
            reason = f" ({one.reason})" if one.reason else ""
            typer.echo(f"{MARKS[one.word]} {one.claim.title}: {one.word}{reason}.")
            typer.echo(f"  {one.measurement.measured}.")
        typer.echo(f"\n{made.page}")
    raise typer.Exit(1 if any(one.word == "fails" for one in made.verdicts) else 0)
