"""``amoebot elect --check``: the paper's claims, watched during a run."""

from __future__ import annotations

from collections.abc import Callable

from rich.console import Console
from rich.padding import Padding
from rich.table import Table

from amoebot.results import Result
from amoebot.simulation import Simulation
from amoebot.algorithms.improved.monitors import Finding, all_monitors, watch

MARKS = {True: "[green]✓[/green]", False: "[red]✗[/red]", None: "·"}


def run_checked(
    simulation: Simulation,
    max_rounds: int | None,
    progress: Callable[[Simulation], None] | None,
) -> tuple[Result, list[Finding]]:
    """Run an election under the eyes of all monitors."""
    monitors = all_monitors()
    result = watch(simulation, monitors, max_rounds, progress)
    return result, [monitor.finding(result) for monitor in monitors]


def show_findings(findings: list[Finding]) -> None:
    """Print a line for each claim, with what was measured."""
    table = Table(box=None, pad_edge=False, show_header=False)
    for finding in findings:
        table.add_row(MARKS[finding.holds], finding.claim, f"[dim]{finding.measured}[/dim]")
    Console(highlight=False).print(Padding(table, (0, 2, 1, 2), expand=False))
