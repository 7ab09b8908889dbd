"""The description of an election for JavaScript: options, course, records, looks."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from amoebot.algorithms import registry
from amoebot.algorithms.description import ALL_TERMINATED, LEADER_DECLARED
from amoebot.algorithms.expressions import as_json
from amoebot.algorithms.records import layout
from amoebot.algorithms.termination import Particle
from amoebot.engine.names import SCHEDULERS
from amoebot.engine.state import changing
from amoebot.faults import leaves, place_of
from amoebot.linking import Rules, link
from amoebot.options import Options
from amoebot.render.frames import PARTICLE, unit_format
from amoebot.render.look import all_layers, faults_layer, pictures_of
from amoebot.render.records import Format
from amoebot.render.stage import description
from amoebot.shapes import GENERATORS, hexagon
from amoebot.simulation import Simulation
from amoebot.viewer.opening import MOST_PARTICLES, catalogue_of_shapes, election


def about(algorithm: str, rules: Rules | None = None) -> dict[str, Any]:
    """Return all that is known of an election without running it."""
    simulation = Simulation.of(hexagon(1), Options(algorithm=algorithm, rules=rules))
    engine = link(algorithm, rules, by_address=False)  # the one that is compiled for browsers
    layouts, start = engine.module("engine.layouts"), engine.module("engine.start")
    system, own = simulation.system, simulation.options.own
    state, wiring = start.new_state(system, 0, "permutation", own, False), system.wiring.dtype
    outcomes = [
        None,
        "leader",
        *(one.name for one in simulation.options.election.outcomes.values()),
    ]
    return {
        **election(algorithm),
        "schedulers": [*SCHEDULERS],
        "outcomes": outcomes,
        "phases": len(simulation.course.phases),
        "milestones": simulation.course.milestones,
        "declared": LEADER_DECLARED,
        "terminated": ALL_TERMINATED,
        "elects": rules is None and simulation.options.election.is_built_in,
        "rules": rules.reference() if rules else None,
        "on_nodes": len(state.world.memory) > len(state.world.wiring),
        "settings": [*(layouts.SETTINGS.names or ())],
        "cursor": _places(layouts.CURSOR),
        "watch": _places(layouts.WATCH),
        "unit": _record(unit_format(simulation), layouts.MEMORY),
        "particle": _record(PARTICLE, layout(Particle)),
        "memory": _fields(simulation),
        "wiring": {"size": wiring.itemsize, "places": _places(wiring)},
        "leaves": _leaves(state),
        "look": {**description(simulation), "layers": as_json(all_layers(algorithm))},
        "of_faults": as_json(faults_layer()),
        "series": as_json([series.value for series in pictures_of(algorithm).series]),
        "changing": _changing(state, changing(state)),
    }


def shapes() -> dict[str, Any]:
    """Return which shapes have a string, and how large they may be."""
    found = []
    for shape, generator in zip(catalogue_of_shapes(), GENERATORS.values(), strict=True):
        parameters = [
            {"name": name, "least": least, "optional": number >= generator.required}
            for number, (name, least) in enumerate(
                zip(generator.parameters, generator.least, strict=True)
            )
        ]
        found.append({**shape, "parameters": parameters})
    return {
        "shapes": found,
        "most": MOST_PARTICLES,
        "schedulers": SCHEDULERS,
        "usual": registry.DEFAULT,
    }


def _places(kind: np.dtype[Any]) -> dict[str, int]:
    """Return where the fields of a record begin."""
    return {name: int(place[1]) for name, place in (kind.fields or {}).items()}


def _record(format_: Format, kind: np.dtype[Any]) -> dict[str, Any]:
    """Return the size of a record, which of its bytes are sent, and the fields in these."""
    return {"size": kind.itemsize, "used": format_.used.tolist(), "fields": format_.fields}


def _fields(simulation: Simulation) -> list[tuple[str, int, int, Any, bool]]:
    """Return the fields of a memory: where each begins, its bytes, and what numbers fit in them.

    A view has no memory of its own.
    """
    record = simulation.options.election.provides("memory", "Memory")
    own = {*leaves(record)}
    found = []
    for path in leaves(record, with_views=True):
        start, kind = place_of(simulation.memory.dtype, path)
        limits = None if kind.subdtype else (np.iinfo(kind).min, np.iinfo(kind).max)
        is_view = path not in own
        found.append((".".join(path), start, kind.itemsize, limits, is_view))
    return found


def _leaves(value: Any) -> int:
    """Return how many arrays and numbers there are in tuples of them."""
    return sum(map(_leaves, value)) if isinstance(value, tuple) else 1


def _changing(state: Any, arrays: tuple[Any, ...]) -> list[tuple[str, int]]:
    """Return the arrays that change during a run, each with the bytes of one entry."""
    known = {**state._asdict(), **state.world._asdict()}
    names = {id(array): name for name, array in known.items()}
    return [(names[id(array)], array.itemsize * math.prod(array.shape[1:])) for array in arrays]
