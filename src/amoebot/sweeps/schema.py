"""The columns of a sweep's table: what every election has, and what those of the plan add."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

from amoebot.algorithms import registry
from amoebot.algorithms.description import Flag
from amoebot.sweeps.plan import PlanError

_COUNT, _COUNTS = pl.Int64, pl.List(pl.Int64)

#: The type of the columns of measurements after each round.
SERIES = pl.List(pl.Float64)

#: How a journal spells the measured numbers that JSON does not have.
NOT_FINITE = ("NaN", "Infinity", "-Infinity")

#: What the columns of measurements after each round are called.
BY_ROUND = "{}_by_round"

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
    "faults": pl.String,
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
    "activations": _COUNT,  # of particles that could act, until the end of the run
    "coins": _COUNT,  # flipped by the units that the observer counts
    "candidates_at_start": _COUNT,
    "candidates_round": _COUNTS,  # the rounds in which candidates withdrew ...
    "candidates_left": _COUNTS,  # ... and how many were left then
}

RUN: dict[str, Any] = {"seconds": pl.Float64, "version": pl.String}

Schema = dict[str, Any]


def schema_of(algorithms: Iterable[str], measures: Iterable[str] = ()) -> Schema:
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
                raise PlanError(f"the option {option.name} has two types: sweep {name} on its own")
        measured |= dict.fromkeys(election.provides("course", "MEASURED", {}), _COUNT)
        milestones |= dict.fromkeys(election.course.milestones, _COUNT)
    series = dict.fromkeys(map(BY_ROUND.format, measures), SERIES)
    parts = (INPUTS, options, SYSTEM, RESULTS, measured, milestones, series, RUN)
    schema: Schema = {}
    for part in parts:
        for name in part.keys() & schema.keys():
            raise PlanError(f"two columns of the table would be called {name}")
        schema |= part
    return schema


def fits(value: object, kind: Any) -> bool:
    """Whether a value read from JSON can be in a column."""
    if value is None:
        return True
    if kind in (_COUNTS, SERIES):
        words = NOT_FINITE if kind == SERIES else ()
        return isinstance(value, list) and all(
            one in words or fits(one, kind.inner) for one in value
        )
    if isinstance(value, bool):
        return bool(kind == pl.Boolean)
    kinds: dict[Any, tuple[type, ...]] = {
        pl.String: (str,),
        _COUNT: (int,),
        pl.Float64: (int, float),
    }
    if not isinstance(value, kinds[kind]):
        return False
    if isinstance(value, int):
        return -(2**63) <= value < 2**63
    return not isinstance(value, float) or math.isfinite(value)


#: What the columns that every election has mean.
MEANINGS = {
    "family": "the generator of the shape, or the name of its file",
    "shape": "the shape",
    "shape_seed": "seed of a random shape, and of the choice of expanded particles",
    "expanded": "share of the nodes that belong to expanded particles",
    "seed": "seed of coins and schedule",
    "scheduler": "who is activated when",
    "algorithm": "the election",
    "variant": "name of its options, if they have one",
    "rules": "paper, or the name of the file with changed rules",
    "rules_digest": "digest of changed rules",
    "max_rounds": "rounds after which it was stopped, if it was to be",
    "faults": "what happened to particles, and after how many rounds",
    "particles": "number of particles n",
    "agents": "number of agents on all boundaries",
    "outer_boundary_length": "agents on the outer boundary, L",
    "outer_boundary_particles": "particles on the outer boundary, C",
    "inner_boundaries": "number of inner boundaries",
    "inner_boundary_lengths": "agents on each of them",
    "diameter": "longest of all shortest paths, D",
    "diameter_exact": "whether D is exact; if not, it is at least this",
    "outcome": "how it ended; leader if there is one",
    "leader_x": "node of the leader, first coordinate",
    "leader_y": "node of the leader, second coordinate",
    "leader_second_x": "second node of an expanded leader, first coordinate",
    "leader_second_y": "second node of an expanded leader, second coordinate",
    "leaders": "particles that declared themselves the leader",
    "rounds": "round in which the leader was declared, or the last one",
    "rounds_terminated": "round in which the last particle terminated",
    "activations": "activations of particles that could act, until the end of the run",
    "coins": "coins flipped by the units that are counted",
    "candidates_at_start": "candidates at the start",
    "candidates_round": "rounds in which candidates withdrew",
    "candidates_left": "candidates left then",
    "seconds": "processor time that the election took",
    "version": "version of amoebot",
}


def meanings(algorithms: Iterable[str], measures: Iterable[str] = ()) -> dict[str, str]:
    """Return what each column of a table of these elections means."""
    words = MEANINGS | {BY_ROUND.format(name): f"{name} after each round" for name in measures}
    for name in algorithms:
        election = registry.find(name)
        words |= {option.name: option.help for option in registry.options_of(name)}
        words |= election.provides("course", "MEASURED", {})
        words |= {name: f"round of: {title}" for name, title in election.course.titles.items()}
    return words


def spelled(schema: Schema) -> dict[str, str]:
    """Return the columns with the names of their types, for a file."""
    return {name: str(kind) for name, kind in schema.items()}


def parsed(content: Mapping[str, str]) -> Schema:
    """Return the columns that a file names."""
    every = (pl.String, pl.Boolean, pl.Float64, _COUNT, _COUNTS, SERIES)
    kinds = {str(kind): kind for kind in every}
    return {name: kinds[kind] for name, kind in content.items()}
