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

#: Seconds before anything is shown, and between two looks at the run.
DELAY = 1.0
INTERVAL = 0.5


@contextmanager
def watching() -> Iterator[Callable[[Simulation], None] | None]:
    """Provide a progress callback that updates a bar, if there is a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    bar = _bar()
    due = time.monotonic() + DELAY

    def look(simulation: Simulation) -> None:
        nonlocal due
        if time.monotonic() >= due:
            due = time.monotonic() + INTERVAL
            bar.update(bar.task_ids[0], **standing(simulation))
            bar.start()

    try:
        yield look
    finally:
        bar.stop()


def stopped_after(
    seconds: float, look: Callable[[Simulation], None] | None
) -> Callable[[Simulation], None]:
    """Return a progress callback that raises TimeoutError once this time is over."""
    end = time.monotonic() + seconds

    def look_at_the_clock(simulation: Simulation) -> None:
        if look is not None:
            look(simulation)
        if time.monotonic() >= end:
            raise TimeoutError

    return look_at_the_clock


def _bar() -> Progress:
    """Return a bar with one task. Nobody knows how many rounds are to come: it counts phases."""
    from rich.progress import BarColumn, Progress, SpinnerColumn

    from amoebot.cli.console import Console

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


def standing(simulation: Simulation) -> dict[str, Any]:
    """Return what the bar says about a run."""
    course, done = simulation.course, simulation.phase
    total = course.done if simulation.terminate else course.termination
    done = min(done, total)
    return {
        "total": total,
        "completed": done,
        "number": min(done + 1, total),
        "phase": course.phases[min(done, total - 1)].title.lower(),
        "rounds": simulation.rounds,
        "lengths": simulation.rounds / max(1, simulation.system.outer_boundary_length),
        "candidates": simulation.candidates,
    }
