"""A whole run as one picture: agents across, rounds down.

What each agent shows is declared by its election (``Trace``). A long run is thinned out while it is
recorded: of rounds every second one is dropped whenever there are too many, and neighbouring agents
share a column. Elections on nodes are seen at the nodes of the boundaries' agents.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amoebot.algorithms.expressions import evaluate
from amoebot.algorithms.pictures import Trace
from amoebot.measurements import places
from amoebot.render.look import is_on_nodes, pictures_of
from amoebot.simulation import Simulation

Shares = NDArray[np.uint8]


@dataclass
class SpaceTime:
    """The moments recorded so far: of each trace and column, the share of agents, up to 255."""

    simulation: Simulation
    most_columns: int
    most_rows: int
    kept: list[tuple[int, Shares]] = field(default_factory=list)  #: rounds, each with its row
    every: int = 1

    @property
    def traces(self) -> tuple[Trace, ...]:
        """What is recorded, from the bottom up."""
        return pictures_of(self.simulation.options.algorithm).traces

    @property
    def columns(self) -> int:
        """The number of columns."""
        return min(self.most_columns, self.simulation.system.agents)

    @property
    def rounds(self) -> list[int]:
        """The rounds recorded so far."""
        return [rounds for rounds, _ in self.kept]

    @property
    def rows(self) -> list[Shares]:
        """Their rows."""
        return [one for _, one in self.kept]

    def note(self) -> None:
        """Record the present moment, if it is one of those that are kept."""
        now = self.simulation.rounds + bool(self.simulation.position)
        if now % self.every and not self.simulation.finished:
            return
        self.kept.append((now, row(self.simulation, self.traces, self.columns)))
        if len(self.kept) >= 2 * self.most_rows:
            self.kept = self.kept[::2]
            self.every *= 2

    def run(self, last: int | None = None, stopped: Callable[[], bool] = lambda: False) -> None:
        """Record a run from its beginning to its end, or to its last round, unless stopped."""
        simulation = self.simulation
        simulation.goto(0)
        self.note()
        while not (simulation.finished or simulation.rounds == last or stopped()):
            before = simulation.steps
            target = simulation.rounds + self.every - simulation.rounds % self.every
            simulation.goto(target if last is None else min(last, target))
            if simulation.steps == before:  # a schedule by hand has come to its end
                break
            self.note()


def row(simulation: Simulation, traces: tuple[Trace, ...], columns: int) -> Shares:
    """Return a moment: of each trace and column, the share of agents that show it."""
    known, system = places(simulation), simulation.system
    agents, units = system.agents, len(simulation.memory)
    on_nodes = is_on_nodes(simulation.options.algorithm)
    firsts = np.arange(columns) * agents // max(1, columns)
    sizes = np.diff([*firsts, agents])
    found = np.zeros((len(traces), columns), np.uint8)
    for number, trace in enumerate(traces):
        holds: Any = np.broadcast_to(evaluate(trace.when, known), units) != 0
        there = holds[system.node] if on_nodes else holds
        counts = np.add.reduceat(there[:agents].astype(np.int64), firsts) if columns else firsts
        found[number] = -(-255 * counts // np.maximum(1, sizes))  # one of many is not none
    return found
