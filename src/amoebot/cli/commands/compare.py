"""``amoebot compare``: elections side by side, on the same shapes and schedules."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from amoebot.algorithms import registry
from amoebot.cli.commands.sweep import progress, stopping
from amoebot.cli.options import Json, Scheduler, Threads, print_json
from amoebot.cli.refusing import compiling, refusing

if TYPE_CHECKING:
    import polars as pl

    from amoebot.sweeps.plan import Plan

#: The columns of the comparison that programs read, for each election.
TOLD = (
    *("election", "algorithm", "options", "elections", "failures", "rounds", "least"),
    *("most", "rounds_terminated", "activations", "coins", "memory"),
)

#: The columns that people read, beside the name, and the width that the table needs.
COLUMNS = ("rounds", "least – most", "activations", "coins", "bits", "failures")
WIDTH = 80


def compare(
    shapes: Annotated[
        list[str], typer.Argument(metavar="SHAPE…", help="Shapes or ranges, as in a plan.")
    ],
    algorithms: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME|FILE[:SETTINGS]",
            help="An election, or several with commas; may be repeated. Settings are variants and "
            "options, joined by +. By default, all elections that are built in: "
            f"{', '.join(registry.built_in())}.",
        ),
    ] = None,
    seeds: Annotated[int, typer.Option(metavar="N", min=1, help="Elections on each shape.")] = 20,
    scheduler: Scheduler = "permutation",
    max_rounds: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Stop each election after N rounds.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FOLDER", help="Keep the results, and a report."),
    ] = None,
    threads: Threads = None,
    json: Json = False,
) -> None:
    """Compare elections on the same shapes, seeds and schedules.

    Rounds (mean, least and most), activations of particles that could act and coins are those of
    elections with a leader; failures are those without one. Memory is that of one agent or node,
    and its particle.

    \b
    Examples:
      amoebot compare hexagon:10 line:50
      amoebot compare hexagon:5..40*2 --algorithms improved,erosion --seeds 50 -o compared
      amoebot compare line:50 --algorithms improved,improved:whp,segments-2015:published
    """
    from amoebot.batch import warm_up
    from amoebot.sweeps.elections import make_shape
    from amoebot.sweeps.plan_files import make_plan

    named = [name for text in algorithms or registry.built_in() for name in text.split(",") if name]
    with refusing():
        plan = make_plan(
            {
                "shapes": shapes,
                "algorithms": list(dict.fromkeys(named)),
                "schedulers": scheduler,
                "seeds": seeds,
                **({} if max_rounds is None else {"max_rounds": max_rounds}),
            }
        )
        for cell in {cell.shape_key: cell for cell in plan.cells}.values():
            make_shape(cell)  # which refuses invalid ones before anything is compiled
    with compiling():
        for options in plan.compiled:
            warm_up(options)
    table = _run(plan, output, threads)
    if json:
        print_json({"shapes": _told(table)})
    else:
        _show(table)
    if output is not None:
        from amoebot.reports import report

        with refusing():
            typer.echo(str(report(output)))


def _run(plan: Plan, output: Path | None, threads: int | None) -> pl.DataFrame:
    from amoebot.reports.analysis import named_options
    from amoebot.reports.comparison import named_elections, side_by_side
    from amoebot.sweeps.sweeping import sweep
    from amoebot.sweeps.variants import paths_of

    kept = stopping(output) if output else nullcontext()
    with kept, compiling(), progress() as watch:
        rows = sweep(plan, output, threads=threads, watch=watch).collect()
    elections = plan.entries[0]["algorithms"]
    paths = paths_of(elections)
    return side_by_side(named_elections(named_options(rows, paths), elections), paths)


def _told(table: pl.DataFrame) -> list[dict[str, Any]]:
    """Return a shape with its elections for each shape."""
    found: dict[str, dict[str, Any]] = {}
    for row in table.iter_rows(named=True):
        sizes = {name: row[name] for name in ("particles", "outer_boundary_length", "diameter")}
        key = f"{row['shape']} {sizes}"  # a random shape comes in several sizes
        entry = found.setdefault(key, {"shape": row["shape"], **sizes, "elections": []})
        entry["elections"].append({name: row[name] for name in TOLD})
    return list(found.values())


def _show(table: pl.DataFrame) -> None:
    """Print a table for each shape; the fewest rounds are marked."""
    from rich.padding import Padding
    from rich.table import Table

    from amoebot.cli.console import Console

    console = Console()
    for entry in _told(table):
        n, length, diameter = (
            entry[name] for name in ("particles", "outer_boundary_length", "diameter")
        )
        title = f"{entry['shape']}: n = {n:,}, L = {length:,}, D = {diameter:,}"
        if console.width < WIDTH:
            sentences = "\n".join(_sentence(one) for one in entry["elections"])
            console.print(Padding(f"{title}\n{sentences}", (1, 2, 0, 2)))
            continue
        shown = Table(title=title, title_justify="left", box=None, padding=(0, 2, 0, 0))
        names = [one["election"] for one in entry["elections"]]
        shown.add_column("election", min_width=max(map(len, names)))
        for column in COLUMNS:
            shown.add_column(column, justify="right")
        best = min((one["rounds"] for one in entry["elections"] if one["rounds"]), default=None)
        for one in entry["elections"]:
            style = "bold" if one["rounds"] == best and best else None
            shown.add_row(*_cells(one), style=style)
        console.print(Padding(shown, (1, 2, 0, 2), expand=False))
    console.print()


def _sentence(one: dict[str, Any]) -> str:
    """Return the numbers of an election where there is no room for a table."""
    name, *numbers = _cells(one)
    told = (f"{column} {number}" for column, number in zip(COLUMNS, numbers, strict=True))
    return f"{name}: {', '.join(told)}"


def _cells(one: dict[str, Any]) -> list[str]:
    def number(value: float | None, places: int = 0) -> str:
        return "–" if value is None else f"{value:,.{places}f}"

    spread = "–" if one["least"] is None else f"{number(one['least'])} – {number(one['most'])}"
    return [
        one["election"],
        number(one["rounds"], 1),
        spread,
        number(one["activations"]),
        number(one["coins"], 1),
        str(one["memory"]),
        f"{one['failures']} of {one['elections']}",
    ]
