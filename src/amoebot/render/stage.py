"""The geometry of a run as bytes, for the page: all that never changes, sent once.

Four bytes with the length of a JSON object, the object, and then the arrays that it lists under
``arrays`` as [name, type, length], each beginning on a multiple of eight.
"""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np

from amoebot import runs
from amoebot.render.geometry import facing_directions
from amoebot.render.look import look
from amoebot.runs import Run
from amoebot.simulation import Simulation


def stage(simulation: Simulation, run: Run | None = None) -> bytes:
    """Return the geometry, and the words for all that is drawn on it."""
    system = simulation.system
    arrays = {
        "nodes": simulation.shape.nodes.astype("<i4").ravel(),
        "expanded": simulation.shape.expanded.astype("<i4").ravel(),
        "particleOfNode": system.particle_of_node.astype("<i4"),
        "nodeOfAgent": system.node.astype("<i4"),
        "pred": system.wiring["pred"].astype("<i4"),
        "succ": system.wiring["succ"].astype("<i4"),
        "facing": facing_directions(system) if system.agents else np.zeros(0, np.uint8),
        "empty": system.wiring["empty"].copy(),
    }
    about = facts(simulation, run or runs.of(simulation))
    about["look"] = look()
    about["arrays"] = [[name, array.dtype.str[1:], len(array)] for name, array in arrays.items()]
    head = json.dumps(about).encode()
    message = bytearray(struct.pack("<I", len(head)) + head)
    for array in arrays.values():
        message += b"\0" * (-len(message) % 8)
        message += array.tobytes()
    return bytes(message)


def facts(simulation: Simulation, run: Run) -> dict[str, Any]:
    """Return what there is to say about a run before it begins."""
    system = simulation.system
    return {
        "kind": "stage",
        "name": simulation.shape.name,
        "shape": run.shape_text,
        "shapeSeed": run.shape_seed,
        "seed": str(simulation.seed),  # as text: it may exceed what JavaScript's numbers hold
        "options": run.options.as_dict(),
        "note": _note(simulation, run),
        "handMade": len(run.schedule),
        "byHandFrom": run.by_hand_from,
        "particles": system.particles,
        "agents": system.agents,
        "boundaries": [[b.first, b.length, b.turns] for b in system.boundaries],
    }


def _note(simulation: Simulation, run: Run) -> str:
    """Return what sets this run apart, if anything does: its rules, or what it shows."""
    own = [] if simulation.rules is None else [f"Rules: {simulation.rules.name}."]
    return " ".join([*own, run.note]).strip()
