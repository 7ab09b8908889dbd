"""``amoebot sweep``: run all elections of a plan, and keep each as it finishes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from amoebot.cli.options import Json, Threads, print_json
from amoebot.cli.refusing import BadInput, compiling, in_one_line, refusing

if TYPE_CHECKING:
    from amoebot.sweeps.plan import Plan
    from amoebot.sweeps.runners import Tally, Watch

#: Seconds without any worker before the user is told.
DELAY = 10

On = Annotated[
    str | None,
    typer.Option("--on", metavar="ADDRESS", help="A Dask scheduler, such as tcp://host:8786."),
]

DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Say how many elections, and roughly how long.")
]


def sweep(
    plan: Annotated[Path, typer.Argument(metavar="PLAN.toml", help="What elections to run.")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FOLDER", help="Where the results are kept."),
    ] = None,
    on: On = None,
    threads: Threads = None,
    dry_run: DryRun = False,
    json: Json = False,
) -> None:
    """Run all elections of a plan, one row each, into a Parquet dataset.

    Stop it whenever you like: the same command goes on where it was, and loses or repeats
    no finished election.

    \b
    Example of a plan:
      shapes = ["hexagon:10..40+10", "line:100"]
      schedulers = ["permutation", "adversarial"]
      seeds = 20

    \b
    Examples:
      amoebot sweep plan.toml --dry-run
      amoebot sweep plan.toml -o results
    """
    if output is None and not dry_run:
        raise BadInput("a sweep needs a folder for the results, for example: -o results")
    from amoebot.batch import warm_up
    from amoebot.cli.compile_notice import announce_compilation, finish_elections
    from amoebot.sweeps.cluster import check_address, check_dask
    from amoebot.sweeps.plan_files import read_plan
    from amoebot.sweeps.store import Store

    with refusing():
        if on is not None:
            check_address(on)
            if not dry_run:
                check_dask()
    with compiling():
        planned = read_plan(plan)
        with planned.named():
            for options in planned.compiled:
                warm_up(options)
        finish_elections()  # before anybody measures how long elections take
        if dry_run:
            if output is not None:
                with planned.named():
                    Store(output, planned).check()
            tell_size([planned], threads, json)
            return
    from amoebot.sweeps.sweeping import carry_out

    assert output is not None
    with announce_compilation(), stopping(output), refusing(), progress() as watch:
        tally = carry_out(planned, output, on=on, threads=threads, watch=watch)
    _tell_end(output, tally, json)


class Failed(typer.TyperException):
    """The sweep failed: one line, no traceback."""

    exit_code = 1


@contextmanager
def stopping(output: Path) -> Iterator[None]:
    """Make one line of what stops a sweep; after Ctrl-C, it says that nothing is lost."""
    from amoebot.sweeps.runners import SweepError

    try:
        yield
    except SweepError as error:
        raise Failed(in_one_line(error)) from None
    except KeyboardInterrupt:
        failed = Failed(f"interrupted; {output} keeps what is finished: the same command goes on")
        failed.exit_code = 130
        raise failed from None


@contextmanager
def progress(name: str = "") -> Iterator[Watch | None]:
    """Provide a bar with elections done, their rate and the time left, for people who wait."""
    import sys

    if not sys.stderr.isatty():
        yield _Waiting()
        return
    from rich.progress import BarColumn, Progress

    from amoebot.cli.console import Console
    from amoebot.shapes.errors import count

    bar = Progress(
        "{task.description}",
        BarColumn(bar_width=30),
        "{task.percentage:>3.0f} %",
        "{task.fields[count]}",
        "[dim]{task.fields[pace]}",
        console=Console(stderr=True),
        transient=True,
    )
    task = bar.add_task(name, total=1.0, count="", pace="")

    def watch(tally: Tally) -> None:
        done = tally.finished + tally.done
        share = tally.done_seconds / tally.seconds if tally.seconds else 1.0
        before = tally.finished / tally.total
        bar.update(
            task,
            completed=before + (1 - before) * share,
            count=f"{done:,} of {count(tally.total, 'election')}",
            pace=f"{_pace(tally.rate)}, {_left(tally.left)}{_workers(tally.workers)}",
        )

    with bar:
        yield watch


class _Waiting:
    """Says once, where there is no bar to say it, that a cluster has no workers."""

    def __init__(self) -> None:
        self.told = False

    def __call__(self, tally: Tally) -> None:
        if tally.workers == 0 and tally.elapsed > DELAY and not self.told:
            self.told = True
            typer.echo("amoebot: the cluster has no workers; waiting for some", err=True)


def _workers(count: int | None) -> str:
    return "" if count is None else f", {count} workers" if count else ", waiting for workers"


def _pace(rate: float) -> str:
    return f"{rate:,.0f} a second" if rate >= 10 else f"{rate * 60:,.1f} a minute"


def _left(seconds: float | None) -> str:
    return "time left unknown yet" if seconds is None else f"{duration(seconds)} left"


def duration(seconds: float) -> str:
    """Return a time as people say it."""
    if seconds < 90:
        return f"{seconds:.0f} s" if seconds >= 2 else f"{seconds:.1f} s"
    if seconds < 90 * 60:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 48 * 3600 else f"{seconds / 86400:.0f} days"


def tell_size(plans: list[Plan], threads: int | None, json: bool) -> None:
    """Say how many elections some plans have, and roughly how long they take."""
    from amoebot.engine_runs import cores
    from amoebot.shapes.errors import count
    from amoebot.sweeps.estimating import wall_clock

    workers = threads or cores()
    seconds = wall_clock(plans, workers)
    elections, cells = sum(map(len, plans)), sum(len(plan.cells) for plan in plans)
    if json:
        print_json({"elections": elections, "cells": cells, "seconds": round(seconds, 3)})
        return
    from amoebot.cli.console import Console

    Console().print(
        f"{count(elections, 'election')} ({count(cells, 'combination')} of inputs), "
        f"roughly {duration(seconds)} on {count(workers, 'thread')}."
    )


def _tell_end(output: Path, tally: Tally, json: bool) -> None:
    if json:
        numbers = {"elections": tally.total, "run": tally.done, "seconds": round(tally.elapsed, 1)}
        print_json({"folder": str(output), **numbers})
        return
    from amoebot.shapes.errors import count

    now = "all of them had been finished before" if tally.done == 0 else f"{tally.done:,} run now"
    speed = f", {_pace(tally.rate)}" if tally.done else ""
    typer.echo(f"{output}: {count(tally.total, 'election')}, {now}{speed}.")
