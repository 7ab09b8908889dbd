"""The columns of a sweep's table: what every election has, and what those of the plan add."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

from amoebot.algorithms import registry
from amoebot.algorithms.description import Flag
from amoebot.sweeps.plan import PlanError

_COUNT, _COUNTS = pl.Int64, pl.List(pl.Int64)

#: The inputs of an election, but for the options of its own.
INPUTS: dict[str, Any] = {
    "family": pl.String,
    "shape": pl.String,
    "shape_seed": _COUNT,
    "expanded": pl.Float64,
    "seed": _COUNT,
    "scheduler": pl.String,
    "algorithm": pl.String,
    "variant": pl.String,  # "" for options that are none
    "rules": pl.String,
    "rules_digest": pl.String,  # null for the election's own rules
    "max_rounds": _COUNT,
}

SYSTEM: dict[str, Any] = {
    "particles": _COUNT,  # n
    "agents": _COUNT,
    "outer_boundary_length": _COUNT,  # L
    "outer_boundary_particles": _COUNT,  # C
    "inner_boundaries": _COUNT,
    "inner_boundary_lengths": _COUNTS,
    "diameter": _COUNT,  # D
    "diameter_exact": pl.Boolean,  # if not, D is at least this
}

RESULTS: dict[str, Any] = {
    "outcome": pl.String,
    "leader_x": _COUNT,
    "leader_y": _COUNT,
    "leader_second_x": _COUNT,  # of an expanded particle
    "leader_second_y": _COUNT,
    "leaders": _COUNT,
    "rounds": _COUNT,
    "rounds_terminated": _COUNT,
    "activations": _COUNT,  # of particles, until the end of the run
    "coins": _COUNT,  # flipped by the units that the observer counts
    "candidates_at_start": _COUNT,
    "candidates_round": _COUNTS,  # the rounds in which candidates withdrew ...
    "candidates_left": _COUNTS,  # ... and how many were left then
}

RUN: dict[str, Any] = {"seconds": pl.Float64, "version": pl.String}

#: The columns that differ between two runs of the same election.
TIMES = ("seconds",)

Schema = dict[str, Any]


def schema_of(algorithms: Iterable[str]) -> Schema:
    """Return the columns of a table of these elections, in order.

    Each option, milestone and measurement of an election has a column; elections that have it in
    common share it, and for the others it is empty.
    """
    options: Schema = {}
    measured: Schema = {}
    milestones: Schema = {}
    for name in algorithms:
        election = registry.find(name)
        for option in registry.options_of(name):
            kind = pl.Boolean if isinstance(option, Flag) else _COUNT
            if options.setdefault(option.name, kind) != kind:
                raise PlanError(f"the option {option.name} is of two kinds: sweep {name} apart")
        course = election.course
        measured |= dict.fromkeys(election.provides("course", "MEASURED", {}), _COUNT)
        milestones |= dict.fromkeys((one.name for one in course.milestones), _COUNT)
    parts = (INPUTS, options, SYSTEM, RESULTS, measured, milestones, RUN)
    schema: Schema = {}
    for part in parts:
        for name in part.keys() & schema.keys():
            raise PlanError(f"two columns of the table would be called {name}")
        schema |= part
    return schema


def spelled(schema: Schema) -> dict[str, str]:
    """Return the columns with the names of their types, for a file."""
    return {name: str(kind) for name, kind in schema.items()}


def parsed(content: Mapping[str, str]) -> Schema:
    """Return the columns that a file names."""
    kinds = {str(kind): kind for kind in (pl.String, pl.Boolean, pl.Float64, _COUNT, _COUNTS)}
    return {name: kinds[kind] for name, kind in content.items()}
