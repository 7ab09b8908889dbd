"""The whole run, computed in the background: how long it is, its milestones, its charts.

The run is deterministic, so a second simulation of it can look ahead. Its snapshots, spread evenly
over the run, let the first one jump to any moment quickly. Nothing else is recorded.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import Any

import numpy as np

from amoebot.algorithms.expressions import evaluate
from amoebot.measurements import places
from amoebot.render.look import pictures_of
from amoebot.simulation import Simulation
from amoebot.snapshots import Snapshot
from amoebot.viewer.capacity import Capacity

#: Points of a chart, and snapshots, that are kept: when there are twice as many, every second goes.
POINTS, SNAPSHOTS = 400, 32

#: Bytes that all snapshots of one run may take up.
MOST_BYTES = 60_000_000


class Survey:
    """Runs a simulation to its end in a thread of its own, unless it is stopped before.

    With a last round, it ends there: some runs by hand, and with wrong rules, never end.
    """

    def __init__(
        self, simulation: Simulation, last: int | None = None, capacity: Capacity | None = None
    ) -> None:
        """Begin at once."""
        self.simulation = simulation
        self._last, self._capacity = last, capacity or Capacity()
        self.done = False
        self.stopped = threading.Event()
        self._lock = threading.Lock()
        self._points: list[tuple[int, ...]] = []
        self._every = 1
        self._snapshots: list[Snapshot] = []
        self._apart = 1
        size = simulation.memory.nbytes + simulation.particle_memory.nbytes
        self._most = max(2, min(SNAPSHOTS, MOST_BYTES // max(1, size)))
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop: a survey that nobody looks at must not cost anything."""
        self.stopped.set()

    def wait(self, seconds: float) -> None:
        """Wait for the end, up to N seconds."""
        self._thread.join(seconds)

    def nearest(self, rounds: int, most_steps: int) -> Snapshot | None:
        """Return the last snapshot before a round and a number of steps."""
        with self._lock:
            fit = [
                then
                for then in self._snapshots
                if then.rounds <= rounds and then.steps <= most_steps
            ]
        return fit[-1] if fit else None

    def report(self) -> dict[str, Any]:
        """Return what is known so far."""
        with self._lock:
            points = list(self._points)
        milestones = self.simulation.milestones
        rounds = self.simulation.rounds + bool(self.simulation.position)
        return {
            "kind": "survey",
            "done": self.done,
            "rounds": rounds,
            "outcome": self.simulation.outcome,
            "milestones": {name: when for name, when in milestones.items() if when},
            "bands": self.simulation.course.bands(milestones, rounds),
            "points": points,
        }

    def _run(self) -> None:
        self._note()
        with suppress(ValueError, StopIteration):  # the reader is told when the run gets there
            self._run_on()
        self.done = not self.stopped.is_set()

    def _run_on(self) -> None:
        simulation = self.simulation
        for _ in self._capacity.looking_ahead(self._is_over):
            simulation.round()
            if simulation.rounds % self._every == 0 or simulation.finished:
                self._note()
            if simulation.rounds % self._apart == 0:
                self._keep()

    def _is_over(self) -> bool:
        simulation = self.simulation
        return self.stopped.is_set() or simulation.finished or simulation.rounds == self._last

    def _note(self) -> None:
        with self._lock:
            self._points.append(count(self.simulation))
            if len(self._points) > 2 * POINTS:
                del self._points[1::2]
                self._every *= 2

    def _keep(self) -> None:
        with self._lock:
            self._snapshots.append(self.simulation.snapshot())
            if len(self._snapshots) > 2 * self._most:
                del self._snapshots[::2]
                self._apart *= 2


def count(simulation: Simulation) -> tuple[int, ...]:
    """Return the round, the candidates left, and what the election's charts show beside them."""
    known, units = places(simulation), len(simulation.memory)
    sums = (
        int(np.broadcast_to(evaluate(series.value, known), units).sum())
        for series in pictures_of(simulation.options.algorithm).series
    )
    return simulation.rounds, simulation.candidates, *sums
