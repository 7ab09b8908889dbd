"""Many seeds side by side in one wave end as each by itself, to the byte."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from amoebot import shapes
from amoebot.engine.names import WORTHWHILE
from amoebot.jit import INTERPRETED
from amoebot.linking import link
from amoebot.shapes import Shape, as_shape
from helpers import interpreted, side_by_side
from helpers.full import FULL
from helpers.side_by_side import elections, first_difference

pytestmark = [
    pytest.mark.compiled,
    pytest.mark.skipif(INTERPRETED, reason="waves are for compiled runs"),
]

VARIANTS: tuple[dict[str, Any], ...] = (
    {},
    {"almost_sure": False, "terminate": False},
    {"almost_sure": False, "radix": 2},
    {"terminate": False, "radix": 3},
)

#: A long boundary, an odd one, a hole, several agents of a particle, expanded particles, offsets.
SHAPES = (
    as_shape("hexagon:8"),
    as_shape("triangle:16"),
    as_shape("annulus:9,3"),
    as_shape("line:30"),
    shapes.annulus(9, 3).with_expanded(0.6, seed=2),
    Shape([(x, 0) for x in range(30)], offsets=[x % 6 for x in range(30)]),
)


@pytest.mark.parametrize("own", VARIANTS, ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: f"{shape.name} {len(shape)}")
def test_they_end_as_each_by_itself(shape: Shape, own: dict[str, Any]) -> None:
    assert first_difference(shape, own, range(1000 if FULL else 60)) == -1


@pytest.mark.parametrize("last", [1, 5, 30, 60, 100])
def test_none_goes_on_beyond_the_last_round(last: int) -> None:
    assert first_difference(SHAPES[0], {}, range(40), last) == -1


def test_there_may_be_fewer_seeds_than_places() -> None:
    assert first_difference(as_shape("hexagon:8"), {}, range(16)) == -1


def test_they_are_used_where_that_is_compiled_or_worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert first_difference(SHAPES[0], {}, range(16)) == -1
    assert elections(SHAPES[0], {}).side_by_side  # it has just been compiled
    module = link("improved").module("engine.many")
    monkeypatch.setattr(module, "is_at_hand", lambda *_: False)
    many = elections(SHAPES[0], {})
    few = many.at_once
    many.warm_up(WORTHWHILE - 1)
    assert not many.side_by_side
    many.warm_up(WORTHWHILE)
    assert many.side_by_side
    assert many.at_once > few


def test_a_full_log_sends_them_on_by_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    module = link("improved").module("engine.many")
    room = module.room_for_runs

    def little_room(*arguments: Any) -> Any:
        state, wave = room(*arguments)
        return state, wave._replace(log=np.zeros((1, 1, 4), dtype=np.int64))

    monkeypatch.setattr(module, "room_for_runs", little_room)
    assert first_difference(SHAPES[0], {}, range(40)) == -1


def test_stopped_ones_have_no_ends() -> None:
    together = elections(SHAPES[0], {})
    together.side_by_side = True
    together.stopped[0] = True
    assert together.run(range(16)) == []


@pytest.mark.slow
@pytest.mark.parametrize("mutant", ["none", *side_by_side.MUTANTS])
def test_a_mutant_is_caught(mutant: str) -> None:
    # In another process, where functions can be replaced since nothing is compiled.
    helper = Path(side_by_side.__file__)
    ended = interpreted.python("-W", "ignore", str(helper), mutant, folder=helper.parents[1])
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith("same" if mutant == "none" else "differs")
