"""``amoebot bench``: how fast it runs on this machine, beside what it should."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from amoebot.cli.options import Json, print_json

if TYPE_CHECKING:
    from amoebot.bench import Figure

#: Columns of a terminal that has room for one line a figure, and for details.
WIDTH, WIDE = 80, 110


def bench(
    short: Annotated[
        bool, typer.Option("--short", help="Tiny sizes, only to see that it works.")
    ] = False,
    cold: Annotated[
        bool, typer.Option(help="Measure the very first start too, which compiles.")
    ] = True,
    json: Json = False,
) -> None:
    """Measure how fast elections run, in less than two minutes.

    The inner loop, and an election from end to end, are given as ratios to a bare token ring,
    compiled as the package is and, where there is a C compiler, in C: measured alternately, best of
    several. Such ratios hardly depend on the machine, or on what else it does. Limits are what the
    package is built for; none is enforced.

    \b
    Example:
      amoebot bench
    """
    from amoebot.bench import machine, measure, warm_up
    from amoebot.cli.compile_notice import announce_compilation, finish_elections
    from amoebot.cli.console import Console

    with announce_compilation():
        warm_up()
    finish_elections()  # the other cores have to be quiet
    figures = []
    with Console(stderr=True).status("measuring …") as status:
        for figure in measure(short, cold):
            figures.append(figure)
            status.update(f"measuring … {figure.what}: {figure.value:,.3g} {figure.unit}")
    if json:
        print_json({"machine": machine(), "figures": [figure.as_dict() for figure in figures]})
    else:
        _show(figures, machine())


def _show(figures: list[Figure], machine: dict[str, str]) -> None:
    """Print a line for each figure, part by part, and what it was measured on."""
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    from amoebot.cli.console import Console

    console = Console()
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    fits = console.width >= WIDTH
    table.add_column("Figure", no_wrap=fits)
    table.add_column("", justify="right", no_wrap=fits)
    table.add_column("Limit", no_wrap=fits)
    if console.width >= WIDE:  # --json has it anyway
        table.add_column("", no_wrap=True, overflow="ellipsis")
    lines: dict[str, dict[str, list[Figure]]] = {}
    for figure in figures:  # what has several units is one line
        lines.setdefault(figure.part, {}).setdefault(figure.what, []).append(figure)
    for part, measured in lines.items():
        table.add_row(Text(f"\n{part.capitalize()}", "cyan"))
        for what, units in measured.items():
            cells = [f"  {what}", ", ".join(map(_value, units)), units[0].limit]
            details = "; ".join(figure.detail for figure in units)
            table.add_row(*cells, *([Text(details, "dim")] if console.width >= WIDE else []))
    facts = ", ".join(f"{name} {value}" for name, value in machine.items())
    for line in table, Text(facts, "dim"):
        console.print(Padding(line, (1, 2, 0, 2), expand=False))
    console.print()


def _value(figure: Figure) -> str:
    value = f"{figure.value:,.0f}" if figure.value >= 1000 else f"{figure.value:.3g}"
    return f"{value} {figure.unit}"
