"""A property says the same of the same records, compiled and interpreted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from amoebot import Simulation, jit
from amoebot.verify.user_properties import OwnProperty, PropertyError
from amoebot.verify.widened import look_at, widened
from helpers import interpreted
from helpers.command import ask

#: Numbers made of the small ones in memories, each of which NumPy would let wrap in a byte.
FORMS: dict[str, Callable[[Any], Any]] = {
    "a number of an array, less one": lambda world: world.memory["leader"][0] - 1 < 0,
    "a number of a record, less one": lambda world: world.memory[0].leader - 1 < 0,
    "a number of a record in one": lambda world: world.memory["candidacy"]["role"][0] - 3 < 0,
    "an array, less one": lambda world: (world.memory["leader"] - 1 < 0).all(),
    "an array, less another": lambda world: (
        world.memory["leader"] - world.memory["head"] < 0
    ).all(),
    "a record's number, less another's": lambda world: (
        world.memory[0].leader - world.memory[1].head < 0
    ),
    "a sum, less one": lambda world: world.memory["leader"].sum() - 1 < 0,
    "a maximum, less one": lambda world: world.memory["leader"].max() - 1 < 0,
    "a negative": lambda world: -world.memory["head"][0] < 0,
    "an array of negatives": lambda world: (-world.memory["head"] < 0).all(),
    "an array times a negative": lambda world: (world.memory["head"] * -1 < 0).all(),
    "a square": lambda world: world.memory["head"][0] * world.memory["head"][0] > 10_000,
    "an array of squares": lambda world: (
        world.memory["head"] * world.memory["head"] > 10_000
    ).all(),
    "a large shift": lambda world: (world.memory["head"] << 20 > 10_000_000).all(),
    "an option, less another": lambda world: (
        world.options[0].terminate - world.options[0].radix < 9
    ),
    "a particle's number, less one": lambda world: world.particles["message"][0] - 1 < 0,
    "a neighbour's number": lambda world: world.wiring[0].pred - world.wiring[0].succ - 1 < 0,
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_numbers_are_those_of_mathematics_compiled_and_interpreted(
    form: Callable[[Any], Any],
) -> None:
    simulation = Simulation("line:2")
    simulation.engine_run.world.memory["head"][:] = 200
    world, _ = look_at(simulation.engine_run.world)
    assert form(world)
    assert jit.guarded(form)(world)


def test_every_field_is_as_it_was() -> None:
    """Signs, words over several bytes, arrays and records in records."""
    inner = jit.record(np.dtype([("small", np.int8), ("flag", np.bool_), ("wide", np.uint16)]))
    told = [
        ("part", inner, (2,)),
        ("six", np.uint8, (6,)),
        ("on", np.bool_, (3,)),
        ("x", np.float32),
    ]
    kind = jit.record(np.dtype([*told, ("whole", np.uint64), ("far", np.int32)]))
    records = np.frombuffer(np.random.default_rng(1).bytes(50 * kind.itemsize), kind).copy()
    records["on"], records["x"] = records["six"][:, :3] % 2, 0.5
    records["part"]["flag"] = records["part"]["small"] < 0
    nothing = np.zeros(0, kind)
    world = Simulation("line:2").engine_run.world._replace(memory=records, particles=nothing)
    looked, _ = look_at(world)
    assert looked.memory.dtype == widened(kind)
    for name in ("six", "on", "x", "whole", "far"):
        assert (looked.memory[name] == records[name]).all()
    for name in ("small", "flag", "wide"):
        assert (looked.memory["part"][name] == records["part"][name]).all()
    assert records["part"]["small"].min() < 0 < records["whole"].max() - np.uint64(2**63)
    assert looked.memory["part"]["small"].dtype == looked.memory["six"].dtype == np.int64


LESS_THREE = """
def loop(world):
    role = world.memory["candidacy"]["role"]
    for agent in range(len(world.wiring)):
        if role[agent] - 3 >= 0:
            return False
    return True


def generator(world):
    role = world.memory["candidacy"]["role"]
    return all(role[agent] - 3 < 0 for agent in range(len(world.wiring)))


def array(world):
    return (world.memory["candidacy"]["role"] - 3 < 0).all()


def interpreted_array(world):
    names = [name for name in ("role",) if name in world.memory["candidacy"].dtype.names]
    return all((world.memory["candidacy"][name] - 3 < 0).all() for name in names)
"""


@pytest.mark.compiled
def test_the_commands_say_the_same_and_who_was_interpreted(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(LESS_THREE)
    for command in (
        ("verify", "line:2", "--whp", "--properties", str(file)),
        ("elect", "line:2", "--quiet", "--check", "--properties", str(file)),
    ):
        answer = ask(*command)
        assert answer.status == 0, answer.out
        assert not answer.err
        if command[0] == "verify":
            words = (
                "Not compiled but interpreted, which takes longer: generator; interpreted array."
            )
            assert words in " ".join(answer.out.split())


def test_it_is_the_same_without_a_compiler(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(LESS_THREE)
    report = interpreted.verify("line:2", properties=str(file), almost_sure=False, terminate=False)
    own = {name: report["verdicts"][name] for name in ("loop", "generator", "array")}
    assert set(own.values()) == {"holds"}


def test_a_division_by_zero_fails_in_both() -> None:
    def divided(world: Any) -> bool:
        return bool(1 // world.memory["leader"][0] > 0)

    def not_compiled(world: Any) -> bool:
        return all(1 // leader > 0 for leader in world.memory["leader"])

    for given in (divided, not_compiled):
        with pytest.raises(PropertyError, match=r"failed: .*di(vision|vide) by zero"):
            OwnProperty(given).holds(Simulation("line:2").engine_run.world)
