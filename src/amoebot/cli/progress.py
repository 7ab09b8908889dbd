"""What a long election shows while it runs."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import TracebackType

    from rich.progress import Progress as Bar

    from amoebot.simulation import Simulation

#: What the election is busy with until it reaches each of these milestones.
PHASES = {
    "identifiers_set_up": "identifier setup",
    "digit_tokens_created": "creating digit tokens",
    "last_rival_gone": "identifier comparison",
    "boundary_identification": "solitude verification",
    "leader_declared": "boundary identification",
}

#: Seconds before anything is shown, and between two looks at the run.
PATIENCE = 1.0
INTERVAL = 0.5


class Progress:
    """A bar on standard error, for terminals and for runs longer than a moment.

    Nobody knows how many rounds are still to come, so the bar counts phases.
    """

    def __init__(self) -> None:
        """Show nothing yet."""
        self._bar: Bar | None = None
        self._next_look = time.monotonic() + PATIENCE

    def __enter__(self) -> Progress:
        """Begin."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Remove the bar."""
        if self._bar:
            self._bar.stop()

    def __call__(self, simulation: Simulation) -> None:
        """Take a look at a run."""
        if not sys.stderr.isatty() or time.monotonic() < self._next_look:
            return
        self._next_look = time.monotonic() + INTERVAL
        self._bar = self._bar or _started()
        reached = simulation.result().milestones
        left = [name for name in PHASES if reached[name] is None]
        length = simulation.system.outer_boundary_length
        self._bar.update(
            self._bar.task_ids[0],
            completed=len(PHASES) - len(left),
            phase=PHASES[left[0]] if left else "",
            number=len(PHASES) - len(left) + 1,
            round=simulation.rounds,
            lengths=simulation.rounds / length,
            candidates=simulation.candidates,
        )


def _started() -> Bar:
    """Return a bar with one task, already on the screen."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TimeElapsedColumn

    bar = Progress(
        SpinnerColumn(),
        BarColumn(bar_width=10),
        f"phase {{task.fields[number]}} of {len(PHASES)}: {{task.fields[phase]}}",
        "[dim]round {task.fields[round]:,} = {task.fields[lengths]:.2f} L",
        "candidates left: {task.fields[candidates]:,}",
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    fields = {"phase": "", "number": 1, "round": 0, "lengths": 0.0, "candidates": 0}
    bar.add_task("", total=len(PHASES), **fields)  # type: ignore[arg-type]
    bar.start()
    return bar
