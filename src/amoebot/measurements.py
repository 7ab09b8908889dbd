"""Measurements: numbers of a run after each of its rounds, built in or of one's own."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from amoebot import jit
from amoebot.algorithms import registry
from amoebot.algorithms.expressions import evaluate
from amoebot.by_hand import moment_and_schedule
from amoebot.engine.names import NO_END
from amoebot.errors import ExplainedError
from amoebot.files import run_file
from amoebot.linking import failures, read_only
from amoebot.simulation import Simulation, check_simulation

if TYPE_CHECKING:
    import polars as pl

Measurement = Callable[[Simulation], float]

#: The parameter of a measurement, by which those in a file are recognised.
PARAMETER = "simulation"


#: The column of a data frame that says after which round something was measured.
ROUND = "round"

#: What expressions can read of an agent's view.
VIEW = ("empty", "agent_identifier", "boundary")


class MeasurementError(ExplainedError, ValueError):
    """Invalid measurement."""

    topic = "measurements"


def built_in(algorithm: str = registry.DEFAULT) -> dict[str, Measurement]:
    """Return the measurements that an election has: what all have, and the lines of its chart."""
    made: dict[str, Measurement] = {
        "candidates": lambda simulation: simulation.candidates,
        "activations": lambda simulation: simulation.activations,
        "coins": lambda simulation: simulation.engine_run.coins,
    }
    pictures = registry.find(algorithm).provides("pictures", "PICTURES")
    for series in pictures.series if pictures else ():
        made[series.name.replace(" ", "_")] = _counted(series.value)
    return made


def _counted(value: Any) -> Measurement:
    def count(simulation: Simulation) -> float:
        found = evaluate(value, places(simulation))
        return int(np.broadcast_to(found, len(simulation.memory)).sum())

    return count


def places(simulation: Simulation) -> dict[str, Any]:
    """Return what expressions can read of all units: memories, views and options."""
    wiring, boundaries = simulation.system.wiring, simulation.system.boundaries
    known = {"me": simulation.memory, "option": simulation.options.own}
    if simulation.options.election.provides("memory", "ON_NODES", False):
        return known
    view = np.zeros(len(wiring), [(name, np.int32) for name in VIEW])
    view["empty"], view["agent_identifier"] = wiring["empty"], wiring["agent_identifier"]
    view["boundary"] = np.repeat(np.arange(len(boundaries)), [b.length for b in boundaries])
    return {**known, "view": view}


def in_file(text: str, name: str) -> dict[str, Measurement]:
    """Return those functions in the text of a Python file that take a simulation."""
    module = run_file(text, name, MeasurementError)
    found: dict[str, Measurement] = {}
    used = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
    for key, value in vars(module).items():
        if not isinstance(value, FunctionType) or value.__module__ != module.__name__:
            continue
        match [*inspect.signature(value).parameters]:
            case [only] if only == PARAMETER:
                found[key] = value
            case [other] if key not in used:  # nor is it there for the others
                line = value.__code__.co_firstlineno
                words = f"{key} takes {other}: call it {PARAMETER}, if this is a measurement"
                raise MeasurementError(f"{name}.py, line {line}: {words}")
    if not found:
        raise MeasurementError(f"{name}.py: no function in it takes one argument, {PARAMETER}")
    return found


def as_measurements(
    given: Iterable[str | Measurement], algorithm: str = registry.DEFAULT
) -> dict[str, Measurement]:
    """Return measurements by name; each is the name of one that is built in, or a function."""
    if not isinstance(given, Iterable):
        raise MeasurementError(f"measurements are names or functions in a list, and not {given!r}")
    known = built_in(algorithm)
    made: dict[str, Measurement] = {}
    for one in [given] if isinstance(given, str) else given:
        if not callable(one) and not (isinstance(one, str) and one in known):
            choices = ", ".join(known)
            raise MeasurementError(f"there is no measurement {one!r}: choose from {choices}")
        name = getattr(one, "__name__", "measured") if callable(one) else one
        measurement = one if callable(one) else known[one]
        if name == ROUND or made.setdefault(name, measurement) is not measurement:
            words = f"two columns would be called {name}: give the function another name"
            raise MeasurementError(words)
    return made


def collect(
    simulation: Simulation,
    measurements: Mapping[str, Measurement],
    look: Callable[[], None] | None = None,
) -> dict[str, list[float]]:
    """Run a simulation to its end; return what is measured after each round."""
    series: dict[str, list[float]] = {name: [] for name in measurements}
    last = simulation.round_limit or NO_END
    with suppress(StopIteration):
        while not simulation.finished and simulation.rounds < last:
            simulation.round()
            for name, measurement in measurements.items():
                series[name].append(number(measurement, simulation, name))
            if look is not None:
                look()
    return series


def number(measurement: Measurement, simulation: Simulation, name: str) -> float:
    """Return what is measured now."""
    before = moment_and_schedule(simulation)
    try:
        found: Any = measurement(simulation)  # whatever it is
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # whatever is in it
        plain = jit.source(measurement)
        parts = read_only.called(plain) if isinstance(plain, FunctionType) else []
        words = f"the measurement {name} failed: {failures.failure(error, *parts)}"
        raise MeasurementError(words) from error
    if moment_and_schedule(simulation) != before:
        raise MeasurementError(f"the measurement {name} moves the simulation: it may only look")
    try:
        if isinstance(found, str | bytes | bytearray):  # which float would read
            raise TypeError
        return float(found)
    except (TypeError, ValueError, OverflowError):
        words = f"the measurement {name} must return a number, and not {found!r}"
        raise MeasurementError(words) from None


def measure(simulation: Simulation, measurements: Iterable[str | Measurement]) -> pl.DataFrame:
    """Run a simulation to its end; return a data frame with a row for each round.

    Args:
        simulation: The run; afterwards it is at its end.
        measurements: Names of those that are built in (candidates; activations of particles that
            could act; coins; and the lines of the election's chart), or functions of the
            simulation that return a number.

    Raises:
        MeasurementError: If there is no such measurement, or if a function fails.
    """
    check_simulation(simulation)
    import polars as pl

    first = simulation.rounds + 1
    series = collect(simulation, as_measurements(measurements, simulation.options.algorithm))
    rounds = range(first, first + max(map(len, series.values()), default=0))
    return pl.DataFrame({ROUND: [*rounds], **series})
