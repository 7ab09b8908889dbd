"""One election as one row: every input, every result, and what it took."""

from __future__ import annotations

import hashlib
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import amoebot
from amoebot.sweeps.diameter import diameter
from amoebot.sweeps.plan import Cell
from amoebot.results import MILESTONES, Result
from amoebot.shapes import Shape, parse
from amoebot.simulation import Election, Simulation
from amoebot.system import System, build

_COUNT, _COUNTS = pl.Int64, pl.List(pl.Int64)

#: The columns of the dataset, in order. Lists go with the time of the run; all else is flat.
SCHEMA: dict[str, Any] = {
    # the inputs
    "family": pl.String,
    "shape": pl.String,
    "shape_seed": _COUNT,
    "expanded": pl.Float64,
    "seed": _COUNT,
    "scheduler": pl.String,
    "variant": pl.String,
    "almost_sure": pl.Boolean,
    "terminate": pl.Boolean,
    "radix": _COUNT,
    "rules": pl.String,
    "rules_digest": pl.String,  # unless they are the paper's
    "max_rounds": _COUNT,
    # the system
    "particles": _COUNT,
    "agents": _COUNT,
    "outer_boundary_length": _COUNT,  # L
    "outer_boundary_particles": _COUNT,  # C
    "inner_boundaries": _COUNT,
    "inner_boundary_lengths": _COUNTS,
    "diameter": _COUNT,  # D
    "diameter_exact": pl.Boolean,  # if not, D is at least this
    # the results
    "outcome": pl.String,
    "leader_x": _COUNT,
    "leader_y": _COUNT,
    "leader_second_x": _COUNT,  # of an expanded particle
    "leader_second_y": _COUNT,
    "rounds": _COUNT,
    "rounds_terminated": _COUNT,
    "candidates_at_start": _COUNT,
    "longest_segment": _COUNT,
    **dict.fromkeys(MILESTONES, _COUNT),
    "candidates_round": _COUNTS,  # the rounds in which candidates withdrew ...
    "candidates_left": _COUNTS,  # ... and how many were left then
    # the run
    "seconds": pl.Float64,
    "version": pl.String,
}

#: The columns that differ between two runs of the same election.
MEASURED = ("seconds",)


@dataclass(frozen=True)
class Ground:
    """A shape, and what does not depend on the election held on it."""

    shape: Shape
    outer_boundary_particles: int
    diameter: int
    diameter_exact: bool


class StoppedError(Exception):
    """The sweep is to end before this election has."""


def never() -> bool:
    """Say that nobody wants to stop."""
    return False


def make_shape(cell: Cell) -> Shape:
    """Return the shape of a cell."""
    shape = parse(cell.shape, cell.shape_seed)
    return shape.with_expanded(cell.expanded, cell.shape_seed) if cell.expanded else shape


def outer_particles(system: System) -> int:
    """Return the paper's C, the number of particles on the outer boundary."""
    return len(np.unique(system.particle[: system.outer_boundary_length]))


class Grounds:
    """The grounds used last. Threads that want the same one build it once."""

    def __init__(self, most: int = 4) -> None:
        """Keep so many at most: a single one may be large."""
        self.most = most
        self._kept: OrderedDict[tuple[str, int, float], Ground] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, cell: Cell, shape: Shape | None = None) -> Ground:
        """Return the ground of a cell, from its shape if that is at hand."""
        key = cell.ground
        with self._lock:
            if key not in self._kept:
                shape = shape or make_shape(cell)
                self._kept[key] = Ground(shape, outer_particles(build(shape)), *diameter(shape))
            self._kept.move_to_end(key)
            while len(self._kept) > self.most:
                self._kept.popitem(last=False)
            return self._kept[key]


def run_election(
    cell: Cell, seed: int, ground: Ground, stopping: Callable[[], bool] = never
) -> dict[str, Any]:
    """Run one election and return its row; ``stopping`` is asked now and then."""

    def look(_: Simulation) -> None:
        if stopping():
            raise StoppedError

    rules = cell.own_rules
    start = time.perf_counter()
    election = Election(
        ground.shape,
        seed,
        cell.scheduler,
        almost_sure=cell.almost_sure,
        terminate=cell.terminate,
        radix=cell.radix,
        rules=rules,
    )
    result = election.run(cell.max_rounds or election.patience, look)
    seconds = time.perf_counter() - start
    heads, longest = _segments(election)
    return {
        "family": cell.family,
        "shape": cell.shape,
        "shape_seed": cell.shape_seed,
        "expanded": cell.expanded,
        "seed": seed,
        "scheduler": cell.scheduler,
        "variant": cell.variant,
        "almost_sure": cell.almost_sure,
        "terminate": cell.terminate,
        "radix": cell.radix,
        "rules": cell.rules,
        "rules_digest": None if rules is None else rules.digest,
        "max_rounds": cell.max_rounds,
        **_system_fields(result, ground),
        **_result_fields(result),
        "candidates_at_start": heads,
        "longest_segment": longest,
        "seconds": round(seconds, 6),
        "version": amoebot.__version__,
    }


def _system_fields(result: Result, ground: Ground) -> dict[str, Any]:
    return {
        "particles": result.particles,
        "agents": result.agents,
        "outer_boundary_length": result.outer_boundary_length,
        "outer_boundary_particles": ground.outer_boundary_particles,
        "inner_boundaries": result.inner_boundaries,
        "inner_boundary_lengths": list(result.inner_boundary_lengths),
        "diameter": ground.diameter,
        "diameter_exact": ground.diameter_exact,
    }


def _result_fields(result: Result) -> dict[str, Any]:
    nodes = (*(result.leader or ()), (None, None), (None, None))
    return {
        "outcome": result.outcome,
        "leader_x": nodes[0][0],
        "leader_y": nodes[0][1],
        "leader_second_x": nodes[1][0],
        "leader_second_y": nodes[1][1],
        "rounds": result.rounds,
        "rounds_terminated": result.rounds_terminated,
        **result.milestones,
        "candidates_round": [number for number, _ in result.candidates],
        "candidates_left": [left for _, left in result.candidates],
    }


def _segments(simulation: Simulation) -> tuple[int, int | None]:
    """Return how many segments the outer boundary has, and how long the longest is."""
    length = simulation.system.outer_boundary_length
    heads = np.flatnonzero(simulation.memory["head"][:length])
    if len(heads) == 0:
        return 0, None
    return len(heads), int(np.diff(heads, append=heads[0] + length).max())


@cache
def fingerprint() -> str:
    """Return the version and a digest of all sources that decide how an election goes."""
    package = Path(amoebot.__file__).parent
    digest = hashlib.sha256()
    sources = [package / f"{name}.py" for name in ("rng", "lattice", "rules", "simulation")]
    for layer in ("shapes", "system", "election", "engine"):
        sources += sorted((package / layer).rglob("*.py"))
    for source in sources:
        digest.update(source.relative_to(package).as_posix().encode())
        digest.update(source.read_bytes())
    return f"{amoebot.__version__} ({digest.hexdigest()[:12]})"
