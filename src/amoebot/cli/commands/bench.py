"""``amoebot bench``: how fast it runs on this machine, beside what it should."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from amoebot.cli.options import Json, print_json

if TYPE_CHECKING:
    from amoebot.bench import Figure

#: Columns of a terminal that has room for details.
WIDE = 110


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

    The inner loop is given as a ratio to a bare token ring, measured in turn with it, best of
    several: such ratios hardly depend on the machine, or on what else it does. Limits are those
    that the package was built for; none is enforced.

    \b
    Example:
      amoebot bench
    """
    from rich.console import Console

    from amoebot.bench import machine, measure, warm_up
    from amoebot.jit import announce_compilation

    with announce_compilation():
        warm_up()
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
    from rich.console import Console
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("Figure", no_wrap=True)
    table.add_column("", justify="right", no_wrap=True)
    table.add_column("Limit", no_wrap=True)
    if console.width >= WIDE:  # --json has it anyway
        table.add_column("", no_wrap=True, overflow="ellipsis")
    part = ""
    for figure in sorted(figures, key=lambda figure: _first(figures, figure.part)):
        if figure.part != part:
            part = figure.part
            table.add_row(Text(f"\n{part.capitalize()}", "cyan"))
        value = f"{figure.value:,.0f}" if figure.value >= 1000 else f"{figure.value:.3g}"
        cells = [f"  {figure.what}", f"{value} {figure.unit}", figure.limit]
        table.add_row(*cells, *([Text(figure.detail, "dim")] if console.width >= WIDE else []))
    facts = ", ".join(f"{name} {value}" for name, value in machine.items())
    for line in table, Text(facts, "dim"):
        console.print(Padding(line, (1, 2, 0, 2), expand=False))
    console.print()


def _first(figures: list[Figure], part: str) -> int:
    """Return where the first figure of a part stands."""
    return next(i for i, figure in enumerate(figures) if figure.part == part)
