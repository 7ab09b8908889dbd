"""``amoebot ring``: without geometry, elections among finite automata fail on long rings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from amoebot.cli.options import Json, Seed, print_json
from amoebot.cli.refusing import compiling

if TYPE_CHECKING:
    from rich.text import Text

    from amoebot.ring import Failures

#: How much more the automata of the second and third column can count than those of the first.
MORE = (0, 2, 4)

#: Columns of a terminal that has room for intervals.
WIDTH = 80

ALGORITHM = (
    "Automata: in each phase every candidate flips a coin, sends it to the next candidate and "
    "hears the one before it. Tails that hears heads withdraws; a candidate that has heard what it "
    "sent M times in a row takes itself to be alone, and declares itself the leader."
)
ARGUMENT = (
    "A long ring has many stretches that look like a short ring from within, far apart and each "
    "with its own coins. Sooner or later two of them elect a leader each: more memory only moves "
    "the lengths at which this happens. In the plane, a candidate knows that it has come "
    "back to itself because the edges of its walk add up to zero."
)


def ring(
    size: Annotated[int, typer.Argument(metavar="N", help="Nodes of the longest ring.")],
    runs: Annotated[int, typer.Option(metavar="N", help="Elections on each ring.")] = 1000,
    memory: Annotated[
        int, typer.Option(metavar="M", help="Equal coins that an automaton can count.")
    ] = 4,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Show how elections on rings without geometry fail (Appendix A.4).

    Anonymous finite automata on a ring of 2, 4, 8, … N nodes elect a leader: in each phase
    every candidate flips a coin, sends it to the next candidate and hears the one before it.
    Tails that hears heads withdraws; who has heard its own coin M times in a row takes itself to
    be alone, and for the leader. A long ring contains stretches that look like a short ring from
    within; far-apart ones elect independently, so the probability of several leaders climbs
    towards 1 with N, for every memory M. Beside it the paper's algorithm, with geometry, on
    ring-shaped systems whose outer boundaries are as long (fewer runs on long ones).

    \b
    Example:
      amoebot ring 256
    """
    from amoebot.batch import warm_up
    from amoebot.ring import sweep

    memories = [memory + more for more in MORE]
    with compiling():
        rows = sweep(size, memories, runs, seed)
        warm_up()
        list(sweep(2, memories, 1, seed))
    with compiling():  # longer rings need more
        results = list(rows)
    if json:
        every = [cell.as_dict() for row in results for cell in row]
        print_json({"seed": seed, "rings": every})
    else:
        _show(results, memories)


def _show(rows: list[list[Failures]], memories: list[int]) -> None:
    """Print a line for each size: how often each algorithm failed."""
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    from amoebot.cli.console import Console

    console = Console()
    wide = console.width >= WIDTH
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("N", justify="right", no_wrap=True)
    for memory in memories:
        table.add_column(f"M = {memory}", no_wrap=wide)
    table.add_column("in the plane", no_wrap=wide)
    for row in rows:
        cells = [_cell(cell, wide) for cell in row]
        cells += [Text("not run", "dim")] * (len(memories) + 1 - len(cells))
        table.add_row(f"{row[0].size:,}", *cells)
    title = "Share of elections that failed (no leader, or several)"
    title += ", with 95 % intervals" if wide else ""
    for part in Text(title), table, Text(ALGORITHM, "dim"), Text(ARGUMENT, "dim"):
        console.print(Padding(part, (1, 2, 0, 2), expand=False))
    console.print()


def _cell(cell: Failures, wide: bool) -> Text:
    """Return a share, with its interval if there is room; red says that failure is the rule."""
    from rich.text import Text

    if cell.algorithm == "geometric":
        return Text(f"{cell.failures} of {cell.runs:,}", "red" if cell.failures else "green")
    low, high = cell.interval
    style = "bold red" if cell.share >= 0.5 else "yellow" if cell.share >= 0.05 else ""
    interval = f" {low:.3f}–{high:.3f}" if wide else ""  # --json has it anyway
    return Text.assemble((f"{cell.share:.3f}", style), (interval, "dim"))
