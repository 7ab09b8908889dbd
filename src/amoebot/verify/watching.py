"""Run a simulation under the eyes of monitors."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace

from amoebot.algorithms.description import Finding, Monitor
from amoebot.arguments import check_function
from amoebot.engine.names import NO_END
from amoebot.results import Result
from amoebot.simulation import Simulation, check_simulation
from amoebot.verify.user_properties import OwnProperty, Properties, as_properties

#: Rounds for each agent of a boundary in which an election should end there: measured are 3.
LATER = 10


class OneLeader:
    """Section 1.3: exactly one particle ever declares itself the leader, on any boundary."""

    def look(self, simulation: Simulation) -> None:
        """Nothing to note: the result says it."""

    def finding(self, result: Result) -> Finding:
        """Say how many declared themselves."""
        return Finding(
            "Section 1.3: exactly one particle ever declares itself the leader",
            f"{result.leaders} did",
            result.leaders == 1 if result.leaders or result.outcome == "leader" else None,
        )


class Watched:
    """A property of the user's, looked at after each round."""

    def __init__(self, own: OwnProperty) -> None:
        """Say which one."""
        self._own = own
        self._rounds = 0
        self._wrong: int | None = None

    def look(self, simulation: Simulation) -> None:
        """Note the first round after which it does not hold."""
        self._rounds = simulation.rounds
        if self._wrong is None and not self._own.holds(simulation.engine_run.world):
            self._wrong = simulation.rounds

    def finding(self, result: Result) -> Finding:
        """Say after which round it did not hold, if there is one."""
        if self._wrong is not None:
            return Finding(self._own.sentence, f"not after round {self._wrong:,}", False)
        return Finding(self._own.sentence, f"after each of {self._rounds:,} rounds", True)


def monitors_of(simulation: Simulation) -> list[Monitor]:
    """Return fresh monitors: the one of all elections, and those that an election provides."""
    own = simulation.options.election.provides("monitors", "MONITORS", ())
    return [OneLeader(), *(monitor() for monitor in own)]


def as_monitors(given: object) -> list[Monitor]:
    """Return monitors that a user gives, or say which of them is not a monitor."""
    if not isinstance(given, Iterable) or isinstance(given, str):
        raise ValueError(f"monitors {given!r} is not a list of monitors")
    found = [*given]
    for one in found:
        if isinstance(one, type):
            raise ValueError(f"monitors: {one.__name__} is a class; write {one.__name__}()")
        for name in ("look", "finding"):
            if not callable(getattr(one, name, None)):
                raise ValueError(f"monitors: {type(one).__name__} has no method {name}()")
    return found


def watch(
    simulation: Simulation,
    monitors: Iterable[Monitor] | None = None,
    progress: Callable[[Simulation], None] | None = None,
    properties: Properties = (),
) -> tuple[Result, list[Finding]]:
    """Run a simulation to its end, round by round; return the result and what monitors found.

    Args:
        simulation: Afterwards it is at its end, after a whole round.
        monitors: By default, all monitors of its election.
        progress: Is called now and then with the simulation; TimeoutError from it ends the run.
        properties: Properties to check after each round as well, as for ``verify``.

    Raises:
        ValueError: If something else is given for a monitor.
        PropertyError: If a property cannot be checked.
    """
    check_simulation(simulation)
    check_function(progress)
    watching = monitors_of(simulation) if monitors is None else as_monitors(monitors)
    own = as_properties(properties, simulation.options.algorithm)
    watching += [Watched(one) for one in own]
    last = simulation.round_limit or NO_END
    later = None
    with suppress(TimeoutError):
        with suppress(StopIteration):
            while simulation.outcome is None and simulation.rounds < last:
                simulation.round()
                for monitor in watching:
                    monitor.look(simulation)
                if progress is not None:
                    progress(simulation)
        simulation.run(progress=progress)
        later = leaders_later(simulation) if simulation.outcome else None
    result = simulation.result() if later is None else replace(simulation.result(), leaders=later)
    return result, [monitor.finding(result) for monitor in watching]


def leaders_later(simulation: Simulation) -> int:
    """Return how many particles have declared long after the end.

    That is after as many rounds again, and at least as many as an election on the longest boundary
    takes: another one may have ended long before.
    """
    longest = max((boundary.length for boundary in simulation.system.boundaries), default=0)
    now = simulation.snapshot()
    simulation.goto(simulation.rounds + max(simulation.rounds, LATER * longest) + 1)
    leaders = simulation.result().leaders
    simulation.restore(now)
    return leaders
