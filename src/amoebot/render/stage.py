"""A run as bytes, for the page: all that never changes, sent once.

Four bytes with the length of a JSON object, the object, and then the arrays that it lists under
``arrays`` as [name, type, length], each beginning on a multiple of eight.
"""

from __future__ import annotations

import json
import struct
from typing import Any

from amoebot import runs
from amoebot.algorithms.expressions import as_json, me
from amoebot.algorithms.pictures import Lane, Row
from amoebot.algorithms.records import fields
from amoebot.faults import moment_of
from amoebot.options import Options
from amoebot.render import look
from amoebot.render.forms import FORMS
from amoebot.render.frames import HEAD, NUMBERS, PARTICLE, outcomes, unit_format
from amoebot.render.geometry import facing_directions
from amoebot.render.look import is_on_nodes, layers_of, memory_of, sizes, theme
from amoebot.runs import Run
from amoebot.simulation import Simulation


def stage(simulation: Simulation, run: Run | None = None) -> bytes:
    """Return the geometry of a run, how its memory is laid out, and how it is drawn and told."""
    system = simulation.system
    arrays = {
        "nodes": simulation.shape.nodes.astype("<i4").ravel(),
        "expanded": simulation.shape.expanded.astype("<i4").ravel(),
        "particle_of_node": system.particle_of_node.astype("<i4"),
        "node_of_agent": system.node.astype("<i4"),
        "pred": system.wiring["pred"].astype("<i4"),
        "succ": system.wiring["succ"].astype("<i4"),
        "facing": facing_directions(system),
        "empty": system.wiring["empty"].copy(),
        "agent_identifier": system.wiring["agent_identifier"].copy(),
    }
    about = facts(simulation, run or runs.of(simulation)) | description(simulation)
    about["arrays"] = [[name, array.dtype.str[1:], len(array)] for name, array in arrays.items()]
    head = json.dumps(about, separators=(",", ":")).encode()
    parts: list[bytes | memoryview] = [struct.pack("<I", len(head)) + head]
    length = len(parts[0])
    for array in arrays.values():
        parts += [b"\0" * (-length % 8), array.data]
        length += -length % 8 + array.nbytes
    return b"".join(parts)


def facts(simulation: Simulation, run: Run) -> dict[str, Any]:
    """Return the inputs of a run, and the size of its system."""
    system, algorithm = simulation.system, run.options.algorithm
    rules = "" if simulation.rules is None else f"Rules: {simulation.rules.name}. "
    return {
        "kind": "stage",
        "name": simulation.shape.name,
        "shape": run.shape_text,
        # Seeds are text: they may exceed what JavaScript's numbers hold.
        "shape_seed": str(run.shape_seed),
        "seed": str(simulation.seed),
        "options": run.options.as_dict() | {"scheduler": run.options.scheduler_name},
        "defaults": {**Options(algorithm=algorithm).as_dict(), "algorithm": Options.algorithm},
        "note": f"{rules}{run.note}".strip(),
        "rules": "" if simulation.rules is None else simulation.rules.name,
        "by_hand": len(run.schedule),
        "on_nodes": is_on_nodes(algorithm),
        "particles": system.particles,
        "faults": [[one.kind, one.particle, *moment_of(one)] for one in simulation.faults],
        "boundaries": [[b.first, b.length] for b in system.boundaries],
    }


def description(simulation: Simulation) -> dict[str, Any]:
    """Return how memories are laid out, and how an election is drawn and told."""
    options, course = simulation.options, simulation.course
    pictures = look.description(options.algorithm)
    return {
        "title": options.election.title,
        "formats": {
            "head": [
                [name, HEAD[name].str[1:], place[1]] for name, place in (HEAD.fields or {}).items()
            ],
            "unit": unit_format(simulation).fields,
            "particle": PARTICLE.fields,
        },
        "frame": NUMBERS,
        "phases": [[phase.title, phase.section] for phase in course.phases],
        "milestones": course.titles,
        "outcomes": outcomes(options),
        "sizes": sizes(),
        "forms": FORMS,
        "themes": {"light": theme(options.algorithm), "dark": theme(options.algorithm, dark=True)},
        **pictures,
        "lanes": [*pictures["lanes"], *added_lanes(simulation)],
        "layers": [pictures["layers"][name] for name in layers_of(options)],
    }


def added_lanes(simulation: Simulation) -> list[dict[str, Any]]:
    """Return a lane for the fields that changed rules add, if they do."""
    known = {field.name for field in fields(memory_of(simulation.options.algorithm))}
    names = [name for name in simulation.memory.dtype.names or () if name not in known]
    added = Lane("Changed rules", "", tuple(Row(name, getattr(me, name)) for name in names))
    return [as_json(added)] if names else []
