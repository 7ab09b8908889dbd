"""One election as one row: every input, every result, and how long it took."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import amoebot
from amoebot.algorithms import registry
from amoebot.batch import Elections, run_to_end
from amoebot.cache import digest_of_sources
from amoebot.measurements import collect
from amoebot.options import Options
from amoebot.results import Result
from amoebot.shapes import Shape, parse
from amoebot.simulation import Simulation
from amoebot.sweeps.diameter import diameter
from amoebot.sweeps.plan import Cell
from amoebot.sweeps.schema import BY_ROUND
from amoebot.system import System, build

if TYPE_CHECKING:
    from amoebot.engine.standing import Standing


@dataclass(frozen=True)
class MeasuredShape:
    """A shape, and measurements that are the same for all elections on it."""

    shape: Shape
    outer_boundary_particles: int
    diameter: int
    diameter_exact: bool


class StoppedError(Exception):
    """The sweep ends before this election has."""


def make_shape(cell: Cell) -> Shape:
    """Return the shape of a cell."""
    shape = parse(cell.file or cell.shape, cell.shape_seed)
    return shape.with_expanded(cell.expanded, cell.shape_seed) if cell.expanded else shape


def outer_particles(system: System) -> int:
    """Return the paper's C, the number of particles on the outer boundary."""
    return len(np.unique(system.particle[: system.outer_boundary_length]))


class ShapeCache:
    """The shapes used last. Threads that want the same one build it once."""

    def __init__(self, most: int = 4) -> None:
        """Keep no more than N shapes: each of them may be large."""
        self.most = most
        self._kept: OrderedDict[tuple[str, int, float], MeasuredShape] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, cell: Cell, shape: Shape | None = None) -> MeasuredShape:
        """Return the shape of a cell; measure the one given, if it is not here yet."""
        key = cell.shape_key
        with self._lock:
            if key not in self._kept:
                shape = shape or make_shape(cell)
                outer = outer_particles(build(shape))
                self._kept[key] = MeasuredShape(shape, outer, *diameter(shape))
            self._kept.move_to_end(key)
            while len(self._kept) > self.most:
                self._kept.popitem(last=False)
            return self._kept[key]


def run_rows(
    cell: Cell,
    seeds: Sequence[int],
    measured: MeasuredShape,
    look: Callable[[], None] | None = None,
) -> Iterator[dict[str, Any]]:
    """Run an election for each seed and yield its row; ``look`` is called now and then.

    Small elections are run in groups, each in one compiled call, of which they share the time.
    """
    with cell.named():
        yield from _rows(cell, seeds, measured, look)


def _rows(
    cell: Cell,
    seeds: Sequence[int],
    measured: MeasuredShape,
    look: Callable[[], None] | None,
) -> Iterator[dict[str, Any]]:
    options = cell.options()
    if cell.measures:
        yield from _measured_rows(cell, options, seeds, measured, look)
        return
    inputs = _inputs(cell, options)
    many = Elections(measured.shape, options) if len(seeds) > 1 else None
    size = 1 if many is None else many.at_once
    for first in range(0, len(seeds), size):
        group = seeds[first : first + size]
        if look is not None:
            look()
        start = time.thread_time()
        ends: list[tuple[Result, Standing]]
        if many is None or size == 1:
            ends = [run_to_end(measured.shape, options.with_(seed=group[0]), look)]
        else:
            ends = list(many.run(group))
        seconds = (time.thread_time() - start) / len(group)
        for result, run in ends:
            yield _row(inputs, measured, result, run, seconds)


def _measured_rows(
    cell: Cell,
    options: Options,
    seeds: Sequence[int],
    measured: MeasuredShape,
    look: Callable[[], None] | None,
) -> Iterator[dict[str, Any]]:
    """Run elections round by round, and measure after each."""
    for seed in seeds:
        start = time.thread_time()
        own = options.with_(seed=seed)
        simulation = Simulation.of(measured.shape, own)
        series = collect(simulation, cell.measurements, look)
        seconds = time.thread_time() - start
        inputs, run = _inputs(cell, own), simulation.engine_run
        row = _row(inputs, measured, simulation.result(), run, seconds)
        yield row | {BY_ROUND.format(name): values for name, values in series.items()}


def _row(
    inputs: dict[str, Any],
    measured: MeasuredShape,
    result: Result,
    run: Standing,
    seconds: float,
) -> dict[str, Any]:
    """Return the row of an election, given its inputs but for the seed."""
    measure = result.options.election.provides("course", "measure")
    return {
        **inputs,
        "seed": result.options.seed,
        **_system(result, measured),
        **_results(result),
        "activations": run.activations,
        "coins": run.coins,
        "candidates_at_start": int(run.watch.candidates),
        **(measure(run.watched_memory) if measure else {}),
        **result.milestones,
        "seconds": round(seconds, 6),
        "version": amoebot.__version__,
    }


def _inputs(cell: Cell, options: Options) -> dict[str, Any]:
    return {
        "family": cell.family,
        "shape": cell.shape,
        "shape_seed": cell.shape_seed,
        "expanded": cell.expanded,
        "seed": options.seed,
        "scheduler": options.scheduler_name,
        "algorithm": options.election.name,
        "variant": options.variant,
        "rules": options.rules_name,
        "rules_digest": None if options.rules is None else options.rules.digest,
        "max_rounds": options.max_rounds,
        "faults": options.faults_written,
        **options.own,
    }


def _system(result: Result, measured: MeasuredShape) -> dict[str, Any]:
    return {
        "particles": result.particles,
        "agents": result.agents,
        "outer_boundary_length": result.outer_boundary_length,
        "outer_boundary_particles": measured.outer_boundary_particles,
        "inner_boundaries": result.inner_boundaries,
        "inner_boundary_lengths": list(result.inner_boundary_lengths),
        "diameter": measured.diameter,
        "diameter_exact": measured.diameter_exact,
    }


def _results(result: Result) -> dict[str, Any]:
    nodes = (*(result.leader or ()), (None, None), (None, None))
    return {
        "outcome": result.outcome,
        "leader_x": nodes[0][0],
        "leader_y": nodes[0][1],
        "leader_second_x": nodes[1][0],
        "leader_second_y": nodes[1][1],
        "leaders": result.leaders,
        "rounds": result.rounds,
        "rounds_terminated": result.rounds_terminated,
        "candidates_round": [number for number, _ in result.candidates],
        "candidates_left": [left for _, left in result.candidates],
    }


def fingerprint(algorithm: str = registry.DEFAULT) -> str:
    """Return the version, and digests of all sources that decide how an election goes."""
    election = registry.find(algorithm)
    own = "" if election.is_built_in else f", {election.name} {election.digest[:12]}"
    return f"{amoebot.__version__} ({digest_of_sources()[:12]}{own})"
