"""What a long election shows while it runs."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.progress import Progress

    from amoebot.simulation import Simulation

#: What an election is busy with until it reaches each of these milestones.
PHASES = {
    "identifiers_set_up": "identifier setup",
    "digit_tokens_created": "creating digit tokens",
    "last_rival_gone": "identifier comparison",
    "boundary_identification": "solitude verification",
    "leader_declared": "boundary identification",
    "all_terminated": "termination for all",
}

#: Seconds before anything is shown, and between two looks at the run.
PATIENCE = 1.0
INTERVAL = 0.5


@contextmanager
def watching() -> Iterator[Callable[[Simulation], None] | None]:
    """Provide what looks at a run now and then, for people who wait at a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    bar = _bar()
    due = time.monotonic() + PATIENCE

    def look(simulation: Simulation) -> None:
        nonlocal due
        if time.monotonic() >= due:
            due = time.monotonic() + INTERVAL
            bar.update(bar.task_ids[0], **_standing(simulation))
            bar.start()

    try:
        yield look
    finally:
        bar.stop()


def _bar() -> Progress:
    """Return a bar with one task. Nobody knows how many rounds are to come: it counts phases."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn

    bar = Progress(
        SpinnerColumn(),
        BarColumn(bar_width=10),
        "phase {task.fields[number]} of {task.total}: {task.fields[phase]}",
        "[dim]round {task.fields[rounds]:,} = {task.fields[lengths]:.2f} L",
        "candidates: {task.fields[candidates]:,}",
        console=Console(stderr=True),
        transient=True,
    )
    bar.add_task("")
    return bar


def _standing(simulation: Simulation) -> dict[str, Any]:
    """Return what the bar says about a run."""
    milestones = simulation.milestones
    phases = [name for name in PHASES if simulation.terminate or name != "all_terminated"]
    # The almost sure variant can declare a leader without having passed all phases.
    done = max((i for i, name in enumerate(phases, 1) if milestones[name]), default=0)
    return {
        "total": len(phases),
        "completed": done,
        "number": min(done + 1, len(phases)),
        "phase": [*PHASES.values()][min(done, len(phases) - 1)],
        "rounds": simulation.rounds,
        "lengths": simulation.rounds / simulation.system.outer_boundary_length,
        "candidates": simulation.candidates,
    }
