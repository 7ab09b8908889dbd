"""The page's JavaScript: its types, its units, and that it agrees with Python."""

from __future__ import annotations

import base64
import gzip
import json
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import amoebot
from amoebot import runs, shapes
from amoebot.algorithms.expressions import (
    as_json,
    choose,
    evaluate,
    me,
    text,
    was,
    when,
)
from amoebot.algorithms.improved.memory import Agent
from amoebot.algorithms.records import layout
from amoebot.measurements import places
from amoebot.render.frames import Encoder, unit_format
from amoebot.render.look import pictures_of
from amoebot.render.records import record_format
from amoebot.render.stage import stage
from amoebot.viewer import film_page
from amoebot.viewer.bundle import STATIC
from helpers.node import run_or_skip, typescript

HERE = Path(__file__).parent


@pytest.mark.slow
def test_types_are_right() -> None:
    assert typescript("--project", str(HERE / "jsconfig.json")) == ""


def test_every_module_is_checked() -> None:
    for module in STATIC.glob("*.js"):
        assert module.read_text(encoding="utf-8").startswith("// @ts-check\n"), module.name


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Provide a folder with modules and tests, and what Python has to say."""
    made = tmp_path_factory.mktemp("javascript")
    shutil.copytree(STATIC, made / "static")
    shutil.copytree(HERE / "js", made / "js")
    (made / "package.json").write_text('{"type": "module"}')
    for name, content in (
        ("frames.json", frames()),
        ("expressions.json", expressions()),
        ("words-improved.json", words("improved", shapes.annulus(2, 0), 7)),
        ("words-erosion.json", words("erosion", shapes.hexagon(2), 1)),
        ("words-segments-2015.json", words("segments-2015", shapes.annulus(2, 0), 7)),
    ):
        (made / "js" / name).write_text(json.dumps(content))
    simulation = amoebot.Simulation(shapes.annulus(2, 0), seed=1)
    last = simulation.run().rounds_terminated or 0
    recorded = film_page.record(simulation, runs.of(simulation), last, None)
    (made / "js" / "film.txt").write_text(packed(gzip.compress(recorded)))
    return made


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(file.stem for file in (HERE / "js").glob("*.test.js")))
def test_units(folder: Path, name: str) -> None:
    found = run_or_skip("node", "--test", f"js/{name}.js", cwd=folder)
    assert found.returncode == 0, found.stdout


def packed(content: bytes) -> str:
    return base64.b64encode(content).decode()


def frames() -> dict[str, Any]:
    """Return the frames of a whole run, with the memories of some of them."""
    simulation = amoebot.Simulation(shapes.annulus(2, 0), seed=1)
    encoder = Encoder(simulation)
    found: list[str] = []
    memories: dict[int, str] = {}
    first = packed(stage(simulation))
    while not found or not simulation.finished:
        if found:
            simulation.step()
        if len(found) % 25 == 0:
            memories[len(found)] = packed(unit_format(simulation).pack(simulation.memory).tobytes())
        found.append(packed(encoder.frame()))
    return {"stage": first, "frames": found, "memories": memories}


# Expressions.


def expressions() -> dict[str, Any]:
    """Return random expressions over random memories, and what they come to."""
    chance, format_ = random.Random(1), record_format(Agent)
    fields = [me.digit, me.setup, me.oldest, me.candidacy.turn, was.candidacy.x.positive.held]
    cases = []
    for _ in range(400):
        expression = grow(chance, fields, 4)
        record = bytes(chance.randrange(256) for _ in range(layout(Agent).itemsize))
        memory = np.frombuffer(record, layout(Agent)).reshape(())
        result = np.asarray(evaluate(expression, {"me": memory, "was": memory})).item()
        result = result.item() if isinstance(result, np.generic) else result
        sent = format_.pack(memory.reshape(1))[0].tolist()
        case = {"expression": as_json(expression), "record": sent}
        cases.append({**case, "result": int(result) if isinstance(result, bool) else result})
    return {"fields": format_.fields, "cases": cases}


def grow(chance: random.Random, fields: list[Any], depth: int) -> Any:
    """Return a random expression that is a number, a condition or some text."""
    kind = chance.randrange(10)
    if depth == 0 or kind == 0:
        return chance.choice([*fields, *fields, chance.randrange(-3, 300)])
    one, other = (grow_number(chance, fields, depth - 1) for _ in range(2))
    if kind == 1:
        return when(one > other, one, "none")
    if kind == 2:
        return text("{} of {}", one, other)
    if kind == 3:
        return choose(one, ["a", "b", "c"])
    if kind == 4:
        return ~(one == other) & (one != 3) | (other <= one)
    return grow_number(chance, fields, depth)


def grow_number(chance: random.Random, fields: list[Any], depth: int) -> Any:
    if depth == 0:
        return chance.choice([*fields, chance.randrange(1, 300)])
    one, other = (grow_number(chance, fields, depth - 1) for _ in range(2))
    operations: list[Any] = [
        lambda: one + other,
        lambda: one - other,
        lambda: (one % 50) * (other % 50),
        lambda: one // 7,
        lambda: one % 5,
        lambda: one & other,
        lambda: one | other,
        lambda: one ^ other,
        lambda: (one & 255) << 3,
        lambda: one >> 2,
        lambda: (one < other) + (one >= 4),
        lambda: when(one == other, one, other),
    ]
    return chance.choice(operations)()


# Words.


def words(algorithm: str, shape: shapes.Shape, every: int) -> dict[str, Any]:
    """Return moments of a run with what Python says of memories and of what would happen."""
    simulation = amoebot.Simulation(shape, seed=1, algorithm=algorithm)
    found, particle = [], 0
    first = packed(stage(simulation))
    while not simulation.finished:
        simulation.step()
        if simulation.activations % every:
            continue
        particle = (particle + 3) % simulation.system.particles
        memory, particles = simulation.what_if(particle)
        encoder = Encoder(simulation)
        units = range(len(simulation.memory))
        found.append(
            {
                "frame": packed(encoder.frame()),
                "what_if": packed(encoder.what_if(memory, particles)),
                "told": [(unit, [*told(simulation, unit)]) for unit in units[::3]],
                "done": [(unit, [*done(simulation, unit, memory)]) for unit in units],
            }
        )
    return {"stage": first, "moments": found}


def told(simulation: amoebot.Simulation, unit: int) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    known = {"me": simulation.memory[unit], "option": simulation.options.own}
    for lane in pictures_of(simulation.options.algorithm).lanes:
        if evaluate(lane.when, known):
            yield lane.title, [(row.name, str(evaluate(row.value, known))) for row in lane.rows]


def done(simulation: amoebot.Simulation, unit: int, after: Any) -> Iterator[str]:
    before = simulation.memory
    known = {"was": before[unit], "me": after[unit], "option": simulation.options.own}
    if "view" in places(simulation):
        wiring = simulation.system.wiring[unit]
        for name in ("pred", "succ"):
            known |= {f"{name}_was": before[wiring[name]], name: after[wiring[name]]}
    for deed in pictures_of(simulation.options.algorithm).deeds:
        if evaluate(deed.when, known):
            sentence = str(evaluate(deed.sentence, known))
            yield f"{sentence}." if sentence[0].isupper() else f"It {sentence}."
