"""Runs described as data, to be run once more by JavaScript, and what Python makes of them."""

from __future__ import annotations

import json
import random
import zlib
from itertools import product
from typing import Any

import amoebot
from amoebot import shapes
from amoebot.algorithms import registry
from amoebot.algorithms.description import Flag
from amoebot.engine.names import SCHEDULERS
from amoebot.shapes import Shape
from amoebot.system import build

#: Shape strings, with and without holes, with numbers to fill in.
WITH_HOLES = ("random:9{},{}", "swiss:5,0.{}", "annulus:4,{}")
WITHOUT_HOLES = ("random:{}", "tree:2{}", "comb:{},3", "line:{}", "hexagon:{}")

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


def random_shape(chance: random.Random, has_holes: bool, is_expanded: bool) -> Shape:
    """Return a small shape, with holes or without, and with expanded particles or without."""
    text = chance.choice(WITH_HOLES if has_holes else WITHOUT_HOLES)
    shape = shapes.parse(
        text.format(chance.randint(1, 3), chance.randint(1, 3)), chance.randrange(2**32)
    )
    if is_expanded:
        shape = shape.with_expanded(chance.uniform(0.2, 1), chance.randrange(2**32))
    return shape


def variants(chance: random.Random, algorithm: str) -> list[dict[str, bool | int]]:
    """Return all combinations of an election's flags, with its numbers at random."""
    known = registry.options_of(algorithm)
    flags = [one.name for one in known if isinstance(one, Flag)]
    numbers = [one for one in known if not isinstance(one, Flag)]
    return [
        dict(zip(flags, values, strict=True))
        | {
            one.name: one.default if chance.random() < 0.5 else chance.randint(one.least, one.most)
            for one in numbers
        }
        for values in product((False, True), repeat=len(flags))
    ]


def all_cases(chance: random.Random, times: int = 1) -> list[dict[str, Any]]:
    """Return runs on random shapes: every election, variant and scheduler with every kind of shape.

    Kinds of shapes: with and without holes, with and without expanded particles. About one run in
    seven has faults.
    """
    kinds = [*product(registry.built_in(), SCHEDULERS, (False, True), (False, True))] * times
    return [
        random_case(chance, algorithm, scheduler, own, random_shape(chance, *kind))
        for algorithm, scheduler, *kind in kinds
        for own in variants(chance, algorithm)
    ]


def random_case(
    chance: random.Random, algorithm: str, scheduler: str, own: dict[str, Any], shape: Shape
) -> dict[str, Any]:
    """Return a run with all that is left to chance."""
    content: dict[str, Any] = json.loads(shapes.json_file.document(shape))
    if chance.random() < 0.3:
        content["offsets"] = [chance.randrange(6) for _ in range(len(shape))]
    options = {
        "algorithm": algorithm,
        "seed": str(chance.randrange(2**64)),
        "scheduler": scheduler,
        **own,
    }
    has_faults = shape.particles > 2 and chance.random() < 1 / 7
    is_by_hand = chance.random() < 0.15 and not has_faults  # some have crashed by then
    if has_faults:
        moments = [f"@{chance.randrange(20)}+{chance.randrange(4)}" for _ in range(3)]
        kinds = [f"crash ?{moments[0]}", f"corrupt ?{moments[1]}"]
        outer = int(build(shape, 0).particle[0])
        kinds.append(f"corrupt {outer}.0{moments[2]} leader=1")
        kinds += [f"crash ?@{chance.randrange(9)}+1"] * chance.randrange(
            max(1, shape.particles - 2)
        )
        options["faults"] = ", ".join(kinds)
    by_hand = [chance.randrange(shape.particles) for _ in range(60)] if is_by_hand else []
    to_and_fro = [] if by_hand else [(chance.randrange(40), chance.randrange(9)) for _ in range(4)]
    steps = chance.choice([0, 0, 7, 40])
    rounds = 60 if has_faults else 400  # it may never end
    case = {"shape": content, "options": options, "steps": steps, "rounds": rounds}
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
