"""Runs described as data, to be run once more by JavaScript, and what Python makes of them."""

from __future__ import annotations

import json
import random
import zlib
from typing import Any

import amoebot
from amoebot import shapes
from amoebot.algorithms import registry
from amoebot.algorithms.description import Flag, Option
from amoebot.engine.names import SCHEDULERS
from amoebot.shapes import Shape

#: Shape strings with a number to fill in.
FAMILIES = (
    "random:{}",
    "random:2{}",
    "swiss:4,0.{}",
    "swiss:6,0.{}",
    "tree:{}",
    "annulus:4,{}",
    "comb:{},3",
)

#: Strings of every generator, and seeds of random ones; JSON in JavaScript has no large integers.
REGULAR = (
    *("hexagon:0", "hexagon:7", "line:9", "triangle:6", "parallelogram:5,4"),
    *("annulus:6,2", "spiral:70", "comb:4,5", "labyrinth:7"),
)
STRINGS = (
    *((text, "0") for text in REGULAR),
    *((text, seed) for text in ("tree:40", "random:200,3", "swiss:6,0.35") for seed in ("0", "9")),
    ("tree:40", str(2**64 - 1)),
)


def random_shape(chance: random.Random) -> Shape:
    """Return a small shape, in half of all cases with expanded particles."""
    text = chance.choice(FAMILIES).format(chance.randint(1, 3 if chance.random() < 0.5 else 9))
    text = text if not text.startswith("annulus") else f"annulus:4,{chance.randint(0, 3)}"
    shape = shapes.parse(text, chance.randrange(2**32))
    if chance.random() < 0.5:
        shape = shape.with_expanded(chance.random(), chance.randrange(2**32))
    return shape


def random_value(chance: random.Random, option: Option) -> bool | int:
    """Return a value of an option, every second time its default."""
    if isinstance(option, Flag):
        return chance.random() < 0.5
    return option.default if chance.random() < 0.5 else chance.randint(option.least, option.most)


def random_case(chance: random.Random, algorithm: str) -> dict[str, Any]:
    """Return a run on a random shape with random options."""
    shape = random_shape(chance)
    content: dict[str, Any] = json.loads(shapes.json_file.document(shape))
    if chance.random() < 0.3:
        content["offsets"] = [chance.randrange(6) for _ in range(len(shape))]
    own = {one.name: random_value(chance, one) for one in registry.options_of(algorithm)}
    options = {
        "algorithm": algorithm,
        "seed": str(chance.randrange(2**64)),
        "scheduler": chance.choice([*SCHEDULERS]),
        **own,
    }
    by_hand = (
        [chance.randrange(shape.particles) for _ in range(60)] if chance.random() < 0.15 else []
    )
    to_and_fro = [] if by_hand else [(chance.randrange(40), chance.randrange(9)) for _ in range(4)]
    steps = chance.choice([0, 0, 7, 40])
    case = {"shape": content, "options": options, "steps": steps, "rounds": 400}
    return {**case, "by_hand": by_hand, "to_and_fro": to_and_fro}


def rerun(case: dict[str, Any]) -> dict[str, Any]:
    """Return the checksums and the result of a run."""
    options = {**case["options"], "seed": int(case["options"]["seed"])}
    shape = shapes.json_file.read(json.dumps(case["shape"]).encode(), "shape")
    simulation = amoebot.Simulation(shape, **options)
    found: list[int] = []
    for _ in range(case["steps"]):
        simulation.step()
        found.append(checksum(simulation))
    for particle in case["by_hand"]:
        simulation.activate(particle)
        found.append(checksum(simulation))
    while not case["by_hand"] and not simulation.finished and simulation.rounds < case["rounds"]:
        simulation.round()
        found += [checksum(simulation), simulation.phase]
    result = json.loads(json.dumps(simulation.result().as_dict()))
    for moment in case["to_and_fro"]:
        simulation.goto(*moment)
        found += [checksum(simulation), simulation.position]
    return {"found": found, "result": result}


def checksum(simulation: amoebot.Simulation) -> int:
    """Return a checksum of all that changes during a run."""
    changing = simulation.linked("engine.state").changing(simulation._run.state)
    value = 0
    for array in (*changing, simulation.particle_memory):
        value = zlib.crc32(array.tobytes(), value)
    return value
